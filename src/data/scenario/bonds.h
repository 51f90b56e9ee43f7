/* Bonds of soft spheres: the entries of the scenario, and the bonds they make between bodies, or of bodies with walls,
 * at the start (kernels/soft/bond.h, docs/physics.md). */
#ifndef CAIRN_DATA_SCENARIO_BONDS_H
#define CAIRN_DATA_SCENARIO_BONDS_H

#include <stdbool.h>
#include <stdint.h>

#include "cairn/error.h"
#include "data/initial/region.h"
#include "kernels/soft/bond.h"

struct cairn_scenario;

/* One entry. */
struct cairn_bonds {
  struct cairn_bond_law law;
  int32_t material[2]; /* bodies of these; -1: of all */
  bool has_region;     /* only bodies in this: */
  struct cairn_region region;
  int32_t wall;   /* that bodies are glued to; -1: to each other */
  double gap;     /* m, largest that is bonded */
  bool has_table; /* bond these instead: */
  int64_t n_pairs;
  int32_t (*pair)[2];
  double modulus, modulus_scatter;   /* Pa */
  double strain, strain_scatter;     /* 0: where the bodies part */
  double strength, strength_scatter; /* Pa; 0: by the strain */
};

/* Read them; without bodies (`dry`) the tables of pairs are left alone. */
int cairn_bonds_read(struct cairn_scenario *scenario, bool dry, struct cairn_error *error);

void cairn_bonds_fini(struct cairn_scenario *scenario);

/* Is any of them a beam? Its contacts remember rotations. */
bool cairn_bonds_have_beams(const struct cairn_scenario *scenario);

/* Make the bonds of the bodies in scenario->initial, whose contacts then remember `memory`. Whatever is `auto` in the
 * interactions must be resolved. May be called again. */
int cairn_bonds_make(struct cairn_scenario *scenario, uint32_t memory, struct cairn_error *error);

/* The bond of a pair of the initial state as a number for plans: stiffness (N/m) of bond and contact along the normal,
 * damping (kg/s), reduced mass (kg). */
struct cairn_bonds_pair {
  double stiffness, damping, mass;
};

/* The stiffest of all initial bonds for its mass; mass 0 if there is none. */
struct cairn_bonds_pair cairn_bonds_fastest(const struct cairn_scenario *scenario);

#endif
