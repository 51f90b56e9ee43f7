/* Sums of doubles without rounding: they do not depend on the order of what is added, nor on how it is split into
 * parts. A number is added to a fixed-point number wide enough for every double (Kulisch 1981), in pieces of 32 bits
 * that leave room for carries; the value is rounded once, when it is asked for. For the host alone. */
#ifndef CAIRN_KERNELS_COMMON_EXACT_SUM_H
#define CAIRN_KERNELS_COMMON_EXACT_SUM_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Doubles reach from 2⁻¹⁰⁷⁴ up to 2¹⁰²⁴: 2098 bits, and some for the carries of 2⁶³ of them. */
enum { CAIRN_EXACT_SUM_PIECES = 68 };

struct cairn_exact_sum {
  int64_t piece[CAIRN_EXACT_SUM_PIECES]; /* times 2^(32 k - 1074) */
  int64_t n_open;                        /* additions since carries were passed on */
  double other;                          /* sum of what is not finite; 0 if there is nothing */
};

/* Pass carries on: all pieces but the last are then from 0 to 2³² - 1, and the same sum has the same pieces. */
static inline void cairn_exact_sum_carry(struct cairn_exact_sum *sum) {
  for (int k = 0; k < CAIRN_EXACT_SUM_PIECES - 1; k++) {
    const int64_t low = sum->piece[k] & INT64_C(0xffffffff);
    sum->piece[k + 1] += (sum->piece[k] - low) / (INT64_C(1) << 32);
    sum->piece[k] = low;
  }
  sum->n_open = 0;
}

static inline void cairn_exact_sum_add(struct cairn_exact_sum *sum, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const int exponent = (int)(bits >> 52 & 0x7ff), place = exponent > 0 ? exponent - 1 : 0;
  const uint64_t fraction = (bits & UINT64_C(0xfffffffffffff)) | (uint64_t)(exponent > 0) << 52;
  if (exponent == 0x7ff) {
    sum->other += x;
    return;
  }
  /* at most 53 + 31 bits, over three pieces */
  const uint64_t low = (fraction & 0xffffffff) << (place & 31), high = (fraction >> 32) << (place & 31);
  const int64_t sign = x < 0. ? -1 : 1;
  int64_t *piece = sum->piece + (place >> 5);
  piece[0] += sign * (int64_t)(low & 0xffffffff);
  piece[1] += sign * (int64_t)((low >> 32) + (high & 0xffffffff));
  piece[2] += sign * (int64_t)(high >> 32);
  if (++sum->n_open >> 28) /* each adds less than 2³³ to a piece */
    cairn_exact_sum_carry(sum);
}

/* Add n numbers: the same sum as one by one, several times as fast. */
enum { CAIRN_EXACT_SUM_BATCH = 64 }; /* so many at once */
void cairn_exact_sum_add_all(struct cairn_exact_sum *sum, const double *x, int64_t n);

/* Add a sum to another one. */
static inline void cairn_exact_sum_join(struct cairn_exact_sum *sum, const struct cairn_exact_sum *part) {
  struct cairn_exact_sum carried = *part;
  cairn_exact_sum_carry(&carried);
  for (int k = 0; k < CAIRN_EXACT_SUM_PIECES; k++)
    sum->piece[k] += carried.piece[k];
  sum->other += carried.other;
  cairn_exact_sum_carry(sum);
}

/* The sum as a double, within a unit of its last place. */
static inline double cairn_exact_sum_value(const struct cairn_exact_sum *of) {
  struct cairn_exact_sum sum = *of;
  cairn_exact_sum_carry(&sum);
  const double sign = sum.piece[CAIRN_EXACT_SUM_PIECES - 1] < 0 ? -1. : 1.;
  for (int k = 0; k < CAIRN_EXACT_SUM_PIECES && sign < 0.; k++)
    sum.piece[k] = -sum.piece[k];
  cairn_exact_sum_carry(&sum);
  int top = CAIRN_EXACT_SUM_PIECES - 1;
  while (top > 2 && sum.piece[top] == 0)
    top--;
  const double first = (double)((uint64_t)sum.piece[top] << 32 | (uint64_t)sum.piece[top - 1]);
  const double rest = (double)sum.piece[top - 2] * 0x1p-32;
  return sum.other != 0. ? sum.other : sign * ldexp(first + rest, 32 * (top - 1) - 1074);
}

#endif
