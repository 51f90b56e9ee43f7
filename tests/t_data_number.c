/* Numbers side by side that are not the same do not look the same. */
#include "data/base/number.h"

#include <math.h>

#include "tap/tap.h"

static void test_apart(double a, double b, int digits, const char *text_a, const char *text_b) {
  char one[CAIRN_NUMBER_LENGTH], other[CAIRN_NUMBER_LENGTH];
  cairn_number_apart(a, b, digits, one, other);
  is(one, text_a, "%.17g beside %.17g is %s", a, b, text_a);
  is(other, text_b, "which is %s", text_b);
}

int main(void) {
  plan(NO_PLAN);
  test_apart(1.02, 1., 2, "1.02", "1");
  test_apart(1.7, 1., 2, "1.7", "1");
  test_apart(1., 1., 2, "1", "1");
  test_apart(107., 100., 2, "107", "100");
  test_apart(12345., 100.4, 2, "12345", "100");
  test_apart(1. + 0x1p-52, 1., 2, "1.0000000000000002", "1");
  test_apart(-1e300, 1e-300, 3, "-1e+300", "1e-300");
  test_apart((double)INFINITY, 1., 3, "inf", "1");
  done_testing();
}
