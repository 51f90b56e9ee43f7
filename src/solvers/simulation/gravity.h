/* Self-gravity of a running simulation: evaluated when bodies have moved enough, constant in between. */
#ifndef CAIRN_SOLVERS_SIMULATION_GRAVITY_H
#define CAIRN_SOLVERS_SIMULATION_GRAVITY_H

#include "data/scenario/scenario.h"
#include "tasks/tasks.h"

struct cairn_sim_gravity {
  const struct cairn_scenario *scenario;
  struct cairn_gravity solver;
  /* Of the bodies that were not removed: */
  int64_t n, capacity;
  int32_t *id;
  double *position, *mass, *acceleration, *potential;
  double *total; /* [n_bodies][3] on all ranks but the first, which has it in the state */
};

void cairn_sim_gravity_init(struct cairn_sim_gravity *gravity, const struct cairn_scenario *scenario);
void cairn_sim_gravity_fini(struct cairn_sim_gravity *gravity);

/* Ranks: the first has the bodies in its state; all get positions and masses, evaluate their share of the branches and
 * tell each other the fields, so that each rank has them of all bodies.
 *
 * Evaluate self-gravity of the state, store its sum with the uniform field in state->gravity, and set the step of the
 * next evaluation. Positions are predicted for the time `lead` later, where the method evaluates the forces of the
 * coming step of length h, so that with an evaluation at every step leapfrog stays leapfrog; where it stays in force
 * for several steps, for their middle, so that errors of the time are centred. */
int cairn_sim_gravity_refresh(struct cairn_sim_gravity *gravity, struct cairn_state *state, int64_t n_bodies,
                              double lead, double h, struct cairn_error *error);

/* Where the sums are, [n_bodies][3]. */
const double *cairn_sim_gravity_total(const struct cairn_sim_gravity *gravity, const struct cairn_state *state);

/* Potential energy of self-gravity in the state, J. */
int cairn_sim_gravity_energy(struct cairn_sim_gravity *gravity, const struct cairn_state *state, double *energy,
                             struct cairn_error *error);

#endif
