/* The list `select`: velocities and materials by place. */
#ifndef CAIRN_DATA_INITIAL_SELECT_H
#define CAIRN_DATA_INITIAL_SELECT_H

#include <stdbool.h>

#include "data/scenario/scenario.h"

/* Do what the list says with the bodies of scenario->initial, entry after entry; with `dry` only check it. Where these
 * are a stretch of all, scenario->share.n_selected tells how many there were for each entry. */
int cairn_select_apply(struct cairn_scenario *scenario, bool dry, struct cairn_error *error);

/* Was there a body for each entry? `n` has their numbers, those of all ranks. */
int cairn_select_check(const struct cairn_scenario *scenario, const int64_t *n, struct cairn_error *error);

#endif
