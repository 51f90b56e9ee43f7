/* Spin-up of a running simulation (data/scenario/spin_up.h). */
#ifndef CAIRN_SOLVERS_SIMULATION_SPIN_UP_H
#define CAIRN_SOLVERS_SIMULATION_SPIN_UP_H

#include "data/scenario/scenario.h"

/* Spin the aggregate of the state up by what is due at its step and was not at the step before. The aggregate is
 * the largest cluster of bodies with gaps below a tenth of their mean radius: fragments outside it keep their
 * velocities. Returns the largest change of a velocity, m/s, in *change; below 0: nothing was due. */
int cairn_sim_spin_up_apply(const struct cairn_scenario *scenario, struct cairn_state *state, double h, double *change,
                            struct cairn_error *error);

#endif
