/* Are the bodies at the start possible: of similar enough sizes, apart from each other, in front of walls? */
#ifndef CAIRN_DATA_INITIAL_BODIES_CHECK_H
#define CAIRN_DATA_INITIAL_BODIES_CHECK_H

#include "data/scenario/scenario.h"

/* Check scenario->initial. `first` holds the first id of every entry of `bodies` and, after the last, the number of
 * bodies; messages point at the entry of the body that is wrong. Linear in the number of bodies. */
int cairn_bodies_check_initial(const struct cairn_scenario *scenario, const int64_t *first, struct cairn_error *error);

#endif
