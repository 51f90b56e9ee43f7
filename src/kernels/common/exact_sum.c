#include "kernels/common/exact_sum.h"

#include "kernels/common/vector.h"

/* Numbers are taken apart with a power of two σ far above all of them (Rump, Ogita and Oishi 2008): q = (σ + x) - σ is
 * x rounded to a multiple of σ/2⁵³, x - q is exact and at most σ/2⁵³. With σ at least 2⁷ times the largest of 64
 * numbers the sum of their q stays below σ/2, so that it is exact in any order, by lanes too. What is left is at most
 * the 2⁻⁴⁶ part of what was there. */
enum { LANES = 8, VECTORS = CAIRN_EXACT_SUM_BATCH / LANES, ROUNDS = 3, ABOVE = 7, ROUND_BITS = 46 };
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef uint64_t bit_lanes __attribute__((vector_size(8 * LANES)));

/* Exponents, as a double has them, for which neither σ nor what is left after all rounds is out of range. */
enum { LOWEST = 64 + ROUNDS * ROUND_BITS, HIGHEST = 0x7ff - 64 };

union batch {
  lanes v[VECTORS];
  bit_lanes bits[VECTORS];
  double x[CAIRN_EXACT_SUM_BATCH];
  uint64_t word[CAIRN_EXACT_SUM_BATCH];
};

CAIRN_CLONES static void add_batch(struct cairn_exact_sum *sum, union batch *batch) {
  uint64_t top = 0, any = 0;
  for (int i = 0; i < CAIRN_EXACT_SUM_BATCH; i++) {
    const uint64_t exponent = batch->word[i] >> 52 & 0x7ff;
    top = exponent > top ? exponent : top;
    any |= batch->word[i] << 1; /* without the sign */
  }
  for (int round = 0; round < ROUNDS && any && top >= LOWEST && top <= HIGHEST; round++) {
    const uint64_t power = (top + 1 + ABOVE - (uint64_t)(round * ROUND_BITS)) << 52;
    double sigma;
    memcpy(&sigma, &power, sizeof sigma);
    lanes parts = {0};
    bit_lanes left = {0};
    for (int i = 0; i < VECTORS; i++) {
      const lanes part = (sigma + batch->v[i]) - sigma;
      parts += part;
      batch->v[i] -= part;
      left |= batch->bits[i] << 1;
    }
    double part = 0.;
    any = 0;
    for (int k = 0; k < LANES; k++) {
      part += parts[k];
      any |= left[k];
    }
    cairn_exact_sum_add(sum, part);
  }
  for (int i = 0; i < CAIRN_EXACT_SUM_BATCH && any; i++)
    cairn_exact_sum_add(sum, batch->x[i]);
}

void cairn_exact_sum_add_all(struct cairn_exact_sum *sum, const double *x, int64_t n) {
  for (int64_t first = 0; first < n; first += CAIRN_EXACT_SUM_BATCH) {
    const int64_t left = n - first, count = left < CAIRN_EXACT_SUM_BATCH ? left : CAIRN_EXACT_SUM_BATCH;
    union batch batch;
    memcpy(batch.x, x + first, (size_t)count * sizeof *x);
    memset(batch.x + count, 0, (size_t)(CAIRN_EXACT_SUM_BATCH - count) * sizeof *x);
    add_batch(sum, &batch);
  }
}
