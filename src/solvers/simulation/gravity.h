/* Self-gravity of a running simulation: evaluated when bodies have moved enough, constant in between. */
#ifndef CAIRN_SOLVERS_SIMULATION_GRAVITY_H
#define CAIRN_SOLVERS_SIMULATION_GRAVITY_H

#include "data/scenario/scenario.h"
#include "tasks/tasks.h"

struct cairn_sim_gravity {
  const struct cairn_scenario *scenario;
  struct cairn_gravity solver;
  /* By lists of the solver (data/cells/gravity.h): */
  int64_t capacity;
  int32_t *id;
  double *position, *mass, *acceleration, *potential;
  double *total; /* [n_bodies][3] with the uniform field, by id */
};

void cairn_sim_gravity_init(struct cairn_sim_gravity *gravity, const struct cairn_scenario *scenario);
void cairn_sim_gravity_fini(struct cairn_sim_gravity *gravity);

/* Ranks: the first has the packets of all; all get positions and masses, evaluate their share of the branches and tell
 * each other the fields, so that each rank has them of all bodies.
 *
 * Evaluate self-gravity of the bodies in n packets, and set gravity->total; *hold becomes the number of steps for which
 * it stays in force, one after the first evaluation. Positions are predicted for the time `lead` later, where the
 * method evaluates the forces of the coming step of length h, so that with an evaluation at every step leapfrog stays
 * leapfrog; where it stays in force for several steps, for their middle, so that errors of the time are centred. */
struct cairn_sim_gravity_bodies {
  struct cairn_packet *const *packet;
  int32_t n;
  int64_t n_bodies; /* of the simulation */
};
struct cairn_sim_gravity_moment {
  int64_t step;
  bool is_first;  /* is it the first evaluation? */
  double lead, h; /* s */
};
int cairn_sim_gravity_refresh(struct cairn_sim_gravity *gravity, const struct cairn_sim_gravity_bodies *bodies,
                              const struct cairn_sim_gravity_moment *moment, int64_t *hold, struct cairn_error *error);

/* Potential energy of self-gravity, J. */
int cairn_sim_gravity_energy(struct cairn_sim_gravity *gravity, const struct cairn_sim_gravity_bodies *bodies,
                             double *energy, struct cairn_error *error);

#endif
