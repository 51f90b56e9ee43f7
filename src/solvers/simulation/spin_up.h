/* Spin-up of a running simulation (data/scenario/spin_up.h). */
#ifndef CAIRN_SOLVERS_SIMULATION_SPIN_UP_H
#define CAIRN_SOLVERS_SIMULATION_SPIN_UP_H

#include "data/scenario/scenario.h"

struct cairn_simulation;

/* Spin the aggregate up by what is due at this step and was not at the step before. The aggregate is the largest
 * cluster of bodies with gaps below a tenth of their mean radius: fragments outside it keep their velocities. Returns
 * the largest change of a velocity, m/s, in *change; below 0: nothing was due. On one process cells get velocities and
 * spins from the captured state; several ranks have none. By all ranks. */
int cairn_sim_spin_up_apply(struct cairn_simulation *sim, double *change, struct cairn_error *error);

#endif
