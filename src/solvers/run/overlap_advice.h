/* What to do against overlaps beyond the limit, in numbers. */
#ifndef CAIRN_SOLVERS_RUN_OVERLAP_ADVICE_H
#define CAIRN_SOLVERS_RUN_OVERLAP_ADVICE_H

#include <stddef.h>

#include "data/scenario/scenario.h"

/* Write what keeps an overlap like this one, over the smaller radius, within scenario->overlap_limit. `recommended` is
 * the recommended step in s, 0 if it is not known: a step in force that is longer is the first thing to change. */
void cairn_overlap_advice_text(const struct cairn_scenario *scenario, double overlap, double recommended, char *text,
                               size_t size);

#endif
