/* Eight doubles at a time, for the kernels of gravity. The number of lanes is part of the order of every sum, so it is
 * the same on all machines; the compiler maps the operations to what the machine has. */
#ifndef CAIRN_KERNELS_GRAVITY_GRAVITY_LANES_H
#define CAIRN_KERNELS_GRAVITY_GRAVITY_LANES_H

#include <stdint.h>

#include "kernels/common/portable.h"

enum { CAIRN_LANES = 8 };

typedef double cairn_lanes __attribute__((vector_size(64)));
typedef int64_t cairn_lanes_int __attribute__((vector_size(64)));
typedef double cairn_lanes_unaligned __attribute__((vector_size(64), aligned(8)));

/* Sum of the lanes, halves upon halves. */
CAIRN_INLINE double cairn_lanes_sum(const cairn_lanes *v) {
  return (((*v)[0] + (*v)[4]) + ((*v)[2] + (*v)[6])) + (((*v)[1] + (*v)[5]) + ((*v)[3] + (*v)[7]));
}

/* The first n numbers; lanes beyond them hold `fill`. */
CAIRN_INLINE void cairn_lanes_load(const double *from, int32_t n, double fill, cairn_lanes *v) {
  double part[CAIRN_LANES];
  if (n < CAIRN_LANES) {
    for (int k = 0; k < CAIRN_LANES; k++)
      part[k] = k < n ? from[k] : fill;
    from = part;
  }
  *v = *(const cairn_lanes_unaligned *)from;
}

/* 1/sqrt(x) for normal x > 0, to a few units in the last place; garbage without a trap elsewhere. Twice as fast as the
 * machine's square root and division, and the same bits on any machine, which its approximate reciprocals are not. The
 * first guess halves the exponent by an integer shift (error 3.4 %; Lomont 2003); then the series of
 * (1 - e)^(-1/2), e = 1 - x y^2 <= 0.07, to third order (error 7e-6) and to second (error 7e-16). */
CAIRN_INLINE void cairn_lanes_inverse_root(const cairn_lanes *argument, cairn_lanes *result) {
  const cairn_lanes x = *argument;
  cairn_lanes y = (cairn_lanes)(0x5fe6eb50c7b537a9 - ((cairn_lanes_int)x >> 1));
  cairn_lanes e = 1. - (x * y) * y;
  y += y * (e * (0.5 + e * (0.375 + e * 0.3125)));
  e = 1. - (x * y) * y;
  y += y * (e * (0.5 + e * 0.375));
  *result = y;
}

#endif
