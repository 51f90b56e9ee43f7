/* Bonds of soft spheres: the entries of the scenario, and the bonds they make between bodies, or of bodies with walls,
 * at the start (kernels/soft/bond.h, docs/physics.md). */
#ifndef CAIRN_DATA_SCENARIO_BONDS_H
#define CAIRN_DATA_SCENARIO_BONDS_H

#include <stdbool.h>
#include <stdint.h>

#include "cairn/error.h"
#include "data/initial/region.h"
#include "kernels/soft/bond.h"

struct cairn_pairs;
struct cairn_scenario;
struct cairn_state;

/* What a bond asks of a body. */
struct cairn_bonds_body {
  double position[3], radius, mass; /* m, kg */
  int32_t id, material;
};

/* Bodies on other ranks that have bonds with those here, in the order of ids. */
struct cairn_bonds_others {
  int64_t n;
  struct cairn_bonds_body *body;
};

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
  int64_t n_made;                    /* bonds of this entry at the start, on all ranks, once there is a plan */
};

/* Read them; with `dry` regions are not made. */
int cairn_bonds_read(struct cairn_scenario *scenario, bool dry, struct cairn_error *error);

/* Read the tables of pairs, once there are bodies. Where these are a stretch of all: the pairs of which the lower id is
 * here. */
int cairn_bonds_read_tables(struct cairn_scenario *scenario, struct cairn_error *error);

void cairn_bonds_fini(struct cairn_scenario *scenario);

/* Is any of them a beam? Its contacts remember rotations. */
bool cairn_bonds_have_beams(const struct cairn_scenario *scenario);

/* A body of a state whose ids begin with `first`, or one of the others; `id` must be one of them. */
struct cairn_bonds_body cairn_bonds_body_of(const struct cairn_state *state, int64_t first,
                                            const struct cairn_bonds_others *others, int32_t id);

/* m, between the surfaces of two bodies. */
double cairn_bonds_gap(const struct cairn_bonds_body *a, const struct cairn_bonds_body *b);

/* How far the surfaces of bodies may be apart that an entry bonds, m, if no radius is larger. */
double cairn_bonds_reach(const struct cairn_bonds *entry, double largest);

/* Make the bonds of the bodies in scenario->initial, whose contacts then remember `memory`. Whatever is `auto` in the
 * interactions must be resolved. May be called again. Where the bodies are a stretch of all, those whose lower body is
 * here: `near` has for each entry, tables and walls apart, the pairs of ids within its reach with that lower body
 * first; scenario->share.others the others. */
int cairn_bonds_make(struct cairn_scenario *scenario, uint32_t memory, const struct cairn_pairs *near,
                     struct cairn_error *error);

/* The bond of a pair of the initial state as a number for plans: stiffness (N/m) of bond and contact along the normal,
 * damping (kg/s), reduced mass (kg). */
struct cairn_bonds_pair {
  double stiffness, damping, mass;
};

/* The stiffest for its mass of the initial bonds of bodies, or of those with walls, and of *fastest, whose mass is 0
 * before there is one. */
void cairn_bonds_find_fastest(const struct cairn_scenario *scenario, bool at_walls, struct cairn_bonds_pair *fastest);

#endif
