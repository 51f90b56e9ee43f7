/* What becomes of bodies at walls that hold them or take them out, whatever the method. */
#ifndef CAIRN_KERNELS_WALLS_FATES_H
#define CAIRN_KERNELS_WALLS_FATES_H

#include "kernels/soft/soft_spheres.h"

/* A sticky or absorbing wall has no law of its own: a body that touches it as both stand in their views, up to half a
 * step ahead, is caught at once. `pair` is the first of the body with the wall; `time` is noted. */
void cairn_kernel_fates_capture(const struct cairn_soft_spheres *cell, int32_t pair, double time);

/* The assembly that holds a body; its fate must say that one does. */
const double *cairn_kernel_fates_holder(const struct cairn_soft_spheres *cell, int32_t body);

/* Where a held body is with its assembly's view, and how it moves there. The coming step finds it where these
 * derivatives lead to, right to third order, and this function puts it back in place afterwards. */
void cairn_kernel_fates_carry(const double *assembly, const double *place, double *state);

/* Put a body that was taken out far away, with the velocity and spin of its view. */
void cairn_kernel_fates_park(const struct cairn_soft_spheres *cell, int32_t body);

#endif
