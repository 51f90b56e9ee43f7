/* Self-gravity of a running simulation: found anew from time to time, held between. */
#ifndef CAIRN_SOLVERS_SIMULATION_GRAVITY_H
#define CAIRN_SOLVERS_SIMULATION_GRAVITY_H

#include "data/scenario/scenario.h"
#include "tasks/tasks.h"

struct cairn_sim_gravity {
  const struct cairn_scenario *scenario;
  struct cairn_gravity pull;
  /* Of the bodies that are there: */
  int64_t n, capacity;
  int32_t *id;
  double *position, *mass, *acceleration, *potential;
};

void cairn_sim_gravity_init(struct cairn_sim_gravity *gravity, const struct cairn_scenario *scenario);
void cairn_sim_gravity_fini(struct cairn_sim_gravity *gravity);

/* Find the pull on all bodies of the state, put it with the uniform field into state->gravity, and say when to do so
 * again. Bodies are put where they will be after the time `lead`, where the method takes the forces of the coming step
 * of length h, so that with a refresh at every step leapfrog stays leapfrog; and where the pull is held for several
 * steps, in the middle of them, so that it is early as much as late. */
int cairn_sim_gravity_refresh(struct cairn_sim_gravity *gravity, struct cairn_state *state, double lead, double h,
                              struct cairn_error *error);

/* Potential energy of the bodies' pull on each other in the state, J. */
int cairn_sim_gravity_energy(struct cairn_sim_gravity *gravity, const struct cairn_state *state, double *energy,
                             struct cairn_error *error);

#endif
