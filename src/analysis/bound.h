/* Fragments that their own gravity holds together, whether they touch or not. Definition: docs/physics.md. */
#ifndef CAIRN_ANALYSIS_BOUND_H
#define CAIRN_ANALYSIS_BOUND_H

#include "analysis/fragments.h"

/* Pieces of bodies closer than `gap` gather around the heaviest one that is left: those with less energy than it takes
 * to part from all that has gathered, again and again until none comes or leaves. `constant` is that of gravity,
 * m³/(kg s²), above 0. On failure nothing is allocated. */
int cairn_bound_fragments(const struct cairn_state *state, double gap, double constant, struct cairn_fragments *out,
                          struct cairn_error *error);

#endif
