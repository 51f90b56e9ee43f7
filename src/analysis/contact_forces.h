/* The contacts of a state with their forces, for every method that has forces.
 *
 * Contacts of contact dynamics keep the impulse of the latest step. Soft spheres keep their springs: with the overlap
 * and the velocities of the state the contact law gives the force again. Bodies that attract each other over a gap do
 * not touch and are no contacts. */
#ifndef CAIRN_ANALYSIS_CONTACT_FORCES_H
#define CAIRN_ANALYSIS_CONTACT_FORCES_H

#include <stdbool.h>

#include "data/files/contact_network.h"
#include "data/scenario/scenario.h"
#include "data/state/state.h"

/* What is the same for all contacts of a state. */
struct cairn_contact_forces {
  const struct cairn_state *state;
  const struct cairn_scenario *scenario;
  double *laws;  /* of soft spheres: constants by pair of materials, with friction and, behind, without; else NULL */
  double *walls; /* of soft spheres: their assemblies at the time of the state; else NULL */
  bool attracts; /* do bodies of any two materials attract each other? */
  bool bonded;   /* may there be bonds? */
};

/* The state must be one of the scenario; both must outlive this. Only for a method that has forces. */
int cairn_contact_forces_init(struct cairn_contact_forces *forces, const struct cairn_state *state,
                              const struct cairn_scenario *scenario, struct cairn_error *error);

void cairn_contact_forces_fini(struct cairn_contact_forces *forces);

struct cairn_contact_force {
  int32_t a, b;    /* bodies, a < b; or a body and a wall */
  bool at_wall;    /* is b a wall? */
  bool bond;       /* does a bond hold them? Its force is part of f */
  double n[3];     /* from a to b, or to the wall */
  double f[3];     /* N, force on b, or on the wall */
  double arm[2];   /* m, from the centres of a and b to the contact; 0 of a wall */
  double overlap;  /* m; of walls in contact dynamics, which do not tell it, NaN */
  double friction; /* coefficient */
  double cohesion; /* N, in force at this contact */
};

/* How many contacts there are: those between bodies first, then those with walls. */
int64_t cairn_contact_forces_n(const struct cairn_contact_forces *forces);

/* The table of contacts while a frame is written. */
struct cairn_contact_rows {
  struct cairn_step_table *table;
  int64_t n; /* rows of this frame that an observation has put there, to be ended; -1: it has put none */
};

/* Append all contacts of a state to the table of contacts. */
int cairn_contact_forces_append(const struct cairn_state *state, const struct cairn_scenario *scenario,
                                struct cairn_step_table *table, struct cairn_error *error);

/* Put n contacts of a state, whose forces are `some`, into a part of that table. */
void cairn_contact_forces_put(const struct cairn_state *state, const struct cairn_contact_force *some, int64_t n,
                              struct cairn_step_part *part);

/* n of them from the one numbered `first` on, many at once: several times as fast as one by one, with the same bits. */
void cairn_contact_forces_some(const struct cairn_contact_forces *forces, int64_t first, int64_t n,
                               struct cairn_contact_force *out);

struct cairn_contact_force cairn_contact_forces_at(const struct cairn_contact_forces *forces, int64_t k);

#endif
