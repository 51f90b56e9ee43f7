/* The test library tests itself: what must hold holds, what must fail is caught (as TODO, which may fail). */
#include "tap/tap.h"

#include <math.h>

int main(void) {
  plan(NO_PLAN);
  ok(1, "ok with a name");
  ok(1);
  pass("pass with %d argument", 1);
  is("a", "a", "equal strings");
  isnt("a", "b", "different strings");
  isnt(NULL, "b", "NULL is no string");
  cmp_ok(3, "<", 4, "three is below four");
  cmp_mem("abc", "abd", 2, "first two bytes");
  like("file:3:4: bad key", "^file:[0-9]+:[0-9]+: ", "a pattern");
  unlike("abc", "x", "no such letter");
  tap_near(1.0, 1.0 + 1e-12, 0, 1e-9, "relative tolerance");
  tap_near(0.0, 1e-12, 1e-9, 0, "absolute tolerance");
  tap_near(INFINITY, INFINITY, 0, 0, "equal infinities");
  skip(1, 2, "nothing to do for %s", "now");
  fail("left out");
  fail("left out");
  end_skip;
  int caught = 0;
  todo("must fail");
  caught += !tap_near((double)NAN, 0, 1, 1, "a NaN is near nothing");
  caught += !tap_near(0, (double)NAN, 1, 1, "nothing is near a NaN");
  caught += !tap_near(1, (double)INFINITY, 1, 1, "a number is not near infinity");
  caught += !tap_near(1, 2, 0.5, 0, "too far");
  caught += !ok(0, "zero");
  caught += !is("a", "b", "different strings");
  caught += !cmp_ok(1, "~", 1, "no such operator");
  end_todo;
  cmp_ok(caught, "==", 7, "seven failures were caught");
  done_testing();
}
