/* Self-gravity keeps the accuracy asked for, against direct sums, in four arrangements of bodies; its error falls with
 * the order and with theta as theory says. */
#include "tap/tap.h"

#include "gravity_bodies.h"

/* The accuracy asked for is that of the RMS error. Single errors stay within 20 times of it (the largest of 10^4 in
 * bench/gravity.c is 16 times). The potential sums up the same sources with one order more. What is left of the
 * momentum without the drift are n roundings of the sums, of random sign: sqrt(n) DBL_EPSILON at most. */
static void check_accuracy(struct gravity_system *s, double accuracy, int order) {
  const char *kind = gravity_kind_name[s->kind];
  const struct gravity_errors e = gravity_at_accuracy(s, accuracy, order);
  ok(e.rms < accuracy && e.max < 20. * accuracy, "%s, N = %d, order %d, accuracy %.0e: RMS %.1e, largest %.1e", kind,
     s->n, order, accuracy, e.rms, e.max);
  ok(e.potential < accuracy && e.energy < accuracy, "its potential: RMS %.1e, energy %.1e", e.potential, e.energy);
  ok(e.momentum < sqrt(s->n) * 2.3e-16, "its momentum: %.1e", e.momentum);
  /* not kept by doing everything directly; from 0.1 on it is theta that limits errors */
  if (order == 0)
    ok(e.rms > 0.02 * accuracy, "and not much better than asked");
}

static void test_accuracy(enum gravity_kind kind, int32_t n, int32_t n_sample) {
  struct gravity_system s = gravity_system_make(kind, n, n_sample);
  for (double accuracy = 0.1; accuracy > 5e-6; accuracy /= 10.)
    check_accuracy(&s, accuracy, 0);
  gravity_system_free(&s);
}

/* Orders that were chosen by hand keep it too; two lobes with ejecta are the hardest. */
static void test_chosen_orders(void) {
  struct gravity_system s = gravity_system_make(GRAVITY_BILOBED, 100000, 1000);
  const double least[CAIRN_GRAVITY_ORDERS + 1] = {0., 0.1, 1e-3, 1e-4, 1e-4, 1e-4};
  for (int order = 1; order <= CAIRN_GRAVITY_ORDERS; order++)
    for (double accuracy = 0.1; accuracy > 0.5 * least[order]; accuracy /= 10.)
      check_accuracy(&s, accuracy, order);
  gravity_system_free(&s);
}

/* Sources and sinks of relative size theta leave out terms of relative size theta^p. There are theta^-3 of them at any
 * distance: if they err alike the sum errs by theta^p, if they err at random, by theta^(p + 3/2). The next term adds or
 * takes theta, a quarter of an order between these angles. Each order gains at least a factor of theta. */
static void test_convergence(void) {
  struct gravity_system s = gravity_system_make(GRAVITY_SPHERE, 10000, 10000);
  double last[2] = {1., 1.};
  const double theta[2] = {0.8 / sqrt(2.), 0.4 / sqrt(2.)};
  for (int order = 1; order <= CAIRN_GRAVITY_ORDERS; order++) {
    double error[2];
    for (int half = 0; half < 2; half++) {
      error[half] = gravity_at_theta(&s, order, theta[half]).rms;
      ok(error[half] < theta[half] * last[half], "order %d, theta %.2f: RMS error %.1e", order, theta[half],
         error[half]);
      last[half] = error[half];
    }
    const double found = log2(error[0] / error[1]);
    ok(found > order - 0.25 && found < order + 1.75, "order %d: half of theta, error by 2^-%.2f", order, found);
  }
  gravity_system_free(&s);
}

int main(void) {
  plan(NO_PLAN);
  for (int kind = 0; kind < GRAVITY_KINDS; kind++) {
    test_accuracy((enum gravity_kind)kind, 10000, 10000);
    test_accuracy((enum gravity_kind)kind, 100000, 1000);
  }
  test_chosen_orders();
  test_convergence();
  done_testing();
}
