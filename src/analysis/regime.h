/* Dimensionless numbers that tell in which regime bodies are: bond number, inertial number. Definitions:
 * docs/physics.md. */
#ifndef CAIRN_ANALYSIS_REGIME_H
#define CAIRN_ANALYSIS_REGIME_H

#include "data/scenario/scenario.h"
#include "data/state/observables.h"

/* Mean cohesion of a contact (N) over the mean weight of a body; NaN without either. */
double cairn_regime_bond_number(const struct cairn_state *state, const struct cairn_scenario *scenario,
                                double cohesion);

/* I of the shear that fits the velocities of all bodies best, with the pressure (Pa) in them; NaN where they do not
 * push each other, or lie in a plane. */
double cairn_regime_inertial_number(const struct cairn_state *state, double pressure);

#endif
