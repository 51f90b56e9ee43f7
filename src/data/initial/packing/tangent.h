/* Dense places for spheres of very different sizes: each goes into a gap and touches three others. */
#ifndef CAIRN_DATA_INITIAL_TANGENT_H
#define CAIRN_DATA_INITIAL_TANGENT_H

#include "data/initial/packing/packing.h"

/* Find the places. `scale` comes back as 1, or smaller if gaps ran out before the spheres: its cube is the part of
 * their volume that found a place, the places are not usable, and the return value is still 0. */
int cairn_tangent_place(struct cairn_packing *packing, struct cairn_random *random, double *scale,
                        struct cairn_error *error);

#endif
