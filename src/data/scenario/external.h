/* What acts on the bodies from outside, as a scenario tells it: gravity.central and frame (kernels/common/external.h).
 */
#ifndef CAIRN_DATA_SCENARIO_EXTERNAL_H
#define CAIRN_DATA_SCENARIO_EXTERNAL_H

#include "data/scenario/scenario.h"

/* Fill scenario->external from the validated tree, after its walls. */
int cairn_external_read(struct cairn_scenario *scenario, struct cairn_error *error);

/* Is the point mass outside of every body at the start, and does it stay farther off than they are if it moves? */
int cairn_external_check(const struct cairn_scenario *scenario, struct cairn_error *error);

#endif
