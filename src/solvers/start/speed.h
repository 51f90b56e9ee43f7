/* How fast bodies can become in a scenario: what steps and stiffnesses are chosen from. */
#ifndef CAIRN_SOLVERS_START_SPEED_H
#define CAIRN_SOLVERS_START_SPEED_H

#include "data/scenario/scenario.h"

struct cairn_speed {
  double start;    /* m/s, of the fastest body at the start */
  double relative; /* m/s, the same relative to what it can meet: to the centre of mass where there are no walls */
  double walls;    /* m/s, the fastest that walls come at the bodies */
  double height;   /* m, how far bodies can fall: their extent along gravity, or the distance down to a plane */
  double infall;   /* m/s, from far away onto the aggregate of all bodies, and what acts from outside */
};

struct cairn_speed cairn_speed_expect(const struct cairn_scenario *scenario);

/* m, how far bodies fall before they meet others, with the height of `speed` for all that nothing holds: of a bed that
 * has settled a radius, whatever its height. */
int cairn_speed_fall(const struct cairn_scenario *scenario, const struct cairn_speed *speed, double *fall,
                     struct cairn_error *error);

/* The largest impact speed, m/s, of bodies with the initial speed `start`: after the fall, against the walls. */
double cairn_speed_impact(const struct cairn_scenario *scenario, const struct cairn_speed *speed, double start);

#endif
