/* Sums that do not depend on the order. */
#include "tap/tap.h"

#include <float.h>
#include <stdbool.h>

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

/* Many at once against one by one: the pieces, not the rounded values, with carries passed on. */
static bool same_sum(const double *x, int n) {
  static struct cairn_exact_sum one, all;
  memset(&one, 0, sizeof one);
  memset(&all, 0, sizeof all);
  for (int i = 0; i < n; i++)
    cairn_exact_sum_add(&one, x[i]);
  cairn_exact_sum_add_all(&all, x, n);
  cairn_exact_sum_carry(&one);
  cairn_exact_sum_carry(&all);
  const bool as_odd = one.other == all.other || (isnan(one.other) && isnan(all.other));
  return memcmp(one.piece, all.piece, sizeof one.piece) == 0 && as_odd;
}

/* Batches of one size of numbers, of sizes far apart, at both ends of what a double holds; parts of a batch. */
static void test_all(void) {
  static const int spread[][2] = {{0, 1}, {0, 30}, {0, 200}, {-1040, 60}, {960, 60}, {-1070, 2000}};
  static double x[N];
  uint64_t random = 7;
  bool same = true;
  for (size_t k = 0; k < sizeof spread / sizeof *spread; k++) {
    for (int i = 0; i < N; i++)
      x[i] = i % 17 ? ldexp(next(&random) - 0.5, spread[k][0] + (int)(spread[k][1] * next(&random))) : 0.;
    for (int n = 0; n <= 130; n++)
      same = same && same_sum(x, n);
    same = same && same_sum(x, N);
  }
  ok(same, "many at once make the sum of one by one, exactly");
  for (int i = 0; i < N; i++) /* the worst for the sum of the parts: all as large as they can be */
    x[i] = 2. - DBL_EPSILON;
  ok(same_sum(x, N), "so do the largest of their exponent");
  x[70] = (double)NAN;
  x[130] = (double)INFINITY;
  ok(same_sum(x, N), "what is not finite is noted as it is one by one");
}

int main(void) {
  plan(NO_PLAN);
  test_order();
  test_exact();
  test_all();
  done_testing();
}
