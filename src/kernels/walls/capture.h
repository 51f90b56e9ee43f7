/* Capture by sticky walls and removal by absorbing ones, for all methods. */
#ifndef CAIRN_KERNELS_WALLS_CAPTURE_H
#define CAIRN_KERNELS_WALLS_CAPTURE_H

#include "kernels/soft/soft_spheres.h"

/* A sticky or absorbing wall has no law of its own: a body that touches it at the predicted positions, up to
 * half a step ahead, is captured or removed at once. `pair` is the first of the body with the wall; `time` is stored.
 */
void cairn_kernel_capture_bodies(const struct cairn_soft_spheres *cell, int32_t pair, double time);

/* The assembly of the wall that has captured the body; it must be captured. */
const double *cairn_kernel_capture_assembly(const struct cairn_soft_spheres *cell, int32_t body);

/* State of a captured body from the predicted kinematics of its assembly. The coming step extrapolates it with these
 * derivatives, exact to third order, and this function puts it back in place afterwards. */
void cairn_kernel_capture_carry(const double *assembly, const double *place, double *state);

/* Park a removed body far away, with its predicted velocity and spin. */
void cairn_kernel_capture_park(const struct cairn_soft_spheres *cell, int32_t body);

#endif
