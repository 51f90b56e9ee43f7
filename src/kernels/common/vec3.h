/* Vectors of three numbers. */
#ifndef CAIRN_KERNELS_COMMON_VEC3_H
#define CAIRN_KERNELS_COMMON_VEC3_H

#include "kernels/common/portable.h"

CAIRN_INLINE double cairn_vec3_dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* c must not be a or b. */
CAIRN_INLINE void cairn_vec3_cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

CAIRN_INLINE double cairn_vec3_length(const double *a) { return sqrt(cairn_vec3_dot(a, a)); }

CAIRN_INLINE double cairn_vec3_distance(const double *a, const double *b) {
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return cairn_vec3_length(d);
}

#endif
