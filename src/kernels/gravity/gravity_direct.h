/* Direct sum of Newtonian attraction. Units: G = 1. */
#ifndef CAIRN_KERNELS_GRAVITY_GRAVITY_DIRECT_H
#define CAIRN_KERNELS_GRAVITY_GRAVITY_DIRECT_H

#include <stdint.h>

/* The field at a point: sums over sources of m d / |d|^3 (d from the point to the source), an acceleration, and of
 * m / |d|, minus the potential. */
enum { CAIRN_FIELD = 4 };

/* Bodies as separate arrays. */
struct cairn_points {
  const double *x, *y, *z, *m; /* m, kg; sinks need no mass */
};

/* Add the field of n_sources sources to the fields [n_sinks][CAIRN_FIELD] of the sinks. A source at the very place of a
 * sink is the sink itself and is left out. The order of the sum is fixed by the order of the sources. */
void cairn_kernel_gravity_direct(int32_t n_sinks, const struct cairn_points *sinks, int32_t n_sources,
                                 const struct cairn_points *sources, double *field);

#endif
