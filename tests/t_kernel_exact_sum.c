/* Sums that do not depend on the order. */
#include "tap/tap.h"

#include <float.h>

#include "kernels/common/exact_sum.h"

enum { N = 3000 };

/* The sum of the numbers from … to - 1 in steps of `stride`, all joined from `parts` parts. */
static double sum_of(const double *x, int n, int stride, int parts) {
  static struct cairn_exact_sum total, part;
  memset(&total, 0, sizeof total);
  for (int p = 0; p < parts; p++) {
    memset(&part, 0, sizeof part);
    for (int i = n * p / parts; i < n * (p + 1) / parts; i++)
      cairn_exact_sum_add(&part, x[(int)((int64_t)i * stride % n)]);
    cairn_exact_sum_join(&total, &part);
  }
  return cairn_exact_sum_value(&total);
}

static double next(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) * 0x1p-53;
}

static void test_order(void) {
  static double x[N + 1];
  uint64_t random = 1;
  for (int i = 0; i < N; i++)
    x[i] = ldexp(next(&random) - 0.5, (int)(200. * next(&random)) - 100);
  const double sum = sum_of(x, N, 1, 1);
  ok(sum_of(x, N, 7, 1) == sum && sum_of(x, N, 1, 13) == sum && sum_of(x, N, 1999, 3000) == sum,
     "any order and any parts: the same bits");
  x[N] = -sum;
  const double rest = sum_of(x, N + 1, 1, 1);
  ok(fabs(rest) <= DBL_EPSILON * fabs(sum), "the value is within a unit of the last place of the sum");
}

static void test_exact(void) {
  const double cancel[] = {1e308, 3., 1e308, -1e308, 1e-300, -1e308, -3.}, small[] = {5e-324, 5e-324, -0.},
               negative[] = {-1., -0x1p-60, 0x1p-60}, large[] = {DBL_MAX, DBL_MAX, -DBL_MAX},
               beyond[] = {DBL_MAX, DBL_MAX}, none[] = {1., (double)INFINITY, -(double)INFINITY},
               infinite[] = {-(double)INFINITY, 1.};
  ok(sum_of(cancel, 7, 1, 1) == 1e-300, "what cancels leaves the rest");
  ok(sum_of(small, 3, 1, 1) == 1e-323, "the smallest numbers count");
  ok(sum_of(negative, 3, 1, 3) == -1., "negative sums");
  ok(sum_of(large, 3, 1, 1) == DBL_MAX, "sums on the way may be larger than any double");
  ok(isinf(sum_of(beyond, 2, 1, 1)), "one that is, in the end, is infinite");
  ok(isnan(sum_of(none, 3, 1, 2)) && sum_of(infinite, 2, 1, 2) == -(double)INFINITY, "what is not finite shows");
  ok(sum_of(NULL, 0, 1, 1) == 0., "nothing is zero");
}

int main(void) {
  plan(NO_PLAN);
  test_order();
  test_exact();
  done_testing();
}
