/* How hard walls press on the bodies of a scenario: part of what a stiffness is chosen from. */
#ifndef CAIRN_SOLVERS_START_LOAD_H
#define CAIRN_SOLVERS_START_LOAD_H

#include "data/scenario/scenario.h"

/* m/s², the largest acceleration of a wall that oscillates: bodies on it weigh as much more. */
double cairn_load_shaking(const struct cairn_scenario *scenario);

/* Pa, of all assemblies that weight, a force or a servo moves, each over the cross-section of the bodies. */
double cairn_load_pressure(const struct cairn_scenario *scenario);

#endif
