/* Self-gravity of a running simulation: evaluated when bodies have moved enough, constant in between. */
#ifndef CAIRN_SOLVERS_SIMULATION_GRAVITY_H
#define CAIRN_SOLVERS_SIMULATION_GRAVITY_H

#include "data/scenario/scenario.h"
#include "tasks/tasks.h"

struct cairn_sim_gravity {
  const struct cairn_scenario *scenario;
  struct cairn_gravity solver;
  struct cairn_gravity home; /* where ranks share the bodies: the branches that this one evaluates */
  double share;              /* of all bodies, the most that a rank has had of them at an evaluation */
  double received;           /* the most bytes that a rank has got at one */
  /* In the order of packets, removed bodies with an id of -1: */
  int64_t capacity, total_capacity;
  int32_t *id;
  double *position, *mass, *acceleration, *potential;
  double *total; /* [][3] with the uniform field; behind them those of bodies that other ranks lend */
};

void cairn_sim_gravity_init(struct cairn_sim_gravity *gravity, const struct cairn_scenario *scenario);
void cairn_sim_gravity_fini(struct cairn_sim_gravity *gravity);

/* Evaluate self-gravity of the bodies in n packets, those of other ranks included, and set gravity->total; *hold
 * becomes the number of steps for which it stays in force, one after the first evaluation. Positions are predicted for
 * the time `lead` later, where the method evaluates the forces of the coming step of length h, so that with an
 * evaluation at every step leapfrog stays leapfrog; where it stays in force for several steps, for their middle, so
 * that errors of the time are centred. */
struct cairn_sim_gravity_bodies {
  struct cairn_packet *const *packet;
  int32_t n;
};
struct cairn_sim_gravity_moment {
  int64_t step;
  bool is_first;  /* is it the first evaluation? */
  double lead, h; /* s */
};
int cairn_sim_gravity_refresh(struct cairn_sim_gravity *gravity, const struct cairn_sim_gravity_bodies *bodies,
                              const struct cairn_sim_gravity_moment *moment, int64_t *hold, struct cairn_error *error);

/* Tell it to the cells; their packets must be the first of those above. */
int cairn_sim_gravity_store(struct cairn_sim_gravity *gravity, struct cairn_cells *cells, struct cairn_error *error);

/* Potential energy of self-gravity, J. */
int cairn_sim_gravity_energy(struct cairn_sim_gravity *gravity, const struct cairn_sim_gravity_bodies *bodies,
                             double *energy, struct cairn_error *error);

#endif
