/* The list `select`: velocities and materials by place. */
#ifndef CAIRN_DATA_INITIAL_SELECT_H
#define CAIRN_DATA_INITIAL_SELECT_H

#include <stdbool.h>

#include "data/scenario/scenario.h"

/* Do what the list says with the bodies of scenario->initial, entry after entry; with `dry` only check it. */
int cairn_select_apply(struct cairn_scenario *scenario, bool dry, struct cairn_error *error);

#endif
