/* Newton's cradle: k balls of a row of n fly into the others at rest. All are alike, there is no friction.
 *
 * Touching balls. The contacts of both groups act in one step, each with its own velocity u- before: -v where the
 * groups meet, 0 elsewhere. All carry, so u+ = e v there and 0 elsewhere: each group moves as one body, and with the
 * momentum k m v
 *     b = (1 + e) k v / n   (those that were hit),     a = b - e v   (those that hit),
 * which is the collision of two blocks of k and n - k balls. The impulses m b, 2 m b, ... from the far end are all
 * positive, as assumed. Energy is conserved for e = 1.
 *
 * Balls with gaps. With e > 0 only balls that touch where the contacts are found take part, so each step passes the
 * velocity on to one neighbour, however small the gap: the cradle of binary collisions, the last k balls leave with v.
 */
#include "sim.h"

enum { N = 5 };
static const double V = 1., H = 1. / 1024.; /* m/s, s; powers of two, so that balls that touch do so exactly */

static struct cairn_simulation *cradle(int k, double gap, double restitution, struct cairn_scenario **scenario) {
  struct cairn_scenario *s =
      sim_scenario("method: contact_dynamics\ntime: {step: %.17g, end: 1}\nmaterials: [{name: a, density: 1000}]\n"
                   "interactions: [{between: [a, a], restitution: %g, friction: 0}]\n"
                   "bodies: [{single: {position: [0, 0, 0], radius: 0.125, material: a}}]\n"
                   "solver: {tolerance: 1e-14, sweeps: 1000}\ncells: {bodies: 2}\n",
                   H, restitution);
  sim_resize(s, N);
  for (int64_t i = 0; i < N; i++) {
    /* a quarter of a step away from the others, which are found touched in the middle of the first step */
    sim_vector(s->initial.position, i, (0.25 + gap) * (double)i - (i < k ? 0.25 * V * H : 0.), 0., 0.);
    sim_vector(s->initial.velocity, i, i < k ? V : 0., 0., 0.);
  }
  *scenario = s;
  return sim_create(s);
}

static void test_conserved(struct cairn_simulation *sim, const struct cairn_observables *before, double energy,
                           const char *what) {
  const struct cairn_observables after = sim_observe(sim);
  tap_near(after.momentum[0] / before->momentum[0], 1., 1e-12, 0., "%s: momentum", what);
  tap_near(after.kinetic_energy / before->kinetic_energy, energy, 1e-12, 0., "%s: energy", what);
}

static void test_touching(int k, double e) {
  struct cairn_scenario *s;
  struct cairn_simulation *sim = cradle(k, 0., e, &s);
  const struct cairn_observables before = sim_observe(sim);
  const double b = (1. + e) * k * V / N, a = b - e * V;
  double worst = 0.;
  sim_advance(sim, 20);
  const struct cairn_state *state = sim_state(sim);
  for (int i = 0; i < N; i++)
    worst = fmax(worst, fabs(state->velocity[3 * i] - (i < k ? a : b)));
  /* the row is short: a thousand sweeps leave rounding */
  ok(worst < 1e-12, "%d of %d touching balls, e = %g: two blocks meet, %.3g and %.3g (%.1e)", k, N, e, a, b, worst);
  test_conserved(sim, &before, (k * a * a + (N - k) * b * b) / (k * V * V), "two blocks");
  sim_free(sim, s);
}

static void test_gaps(int k, double gap) {
  struct cairn_scenario *s;
  struct cairn_simulation *sim = cradle(k, gap, 1., &s);
  const struct cairn_observables before = sim_observe(sim);
  double worst = 0.;
  /* every collision takes a step and every gap the time to cross it; each velocity is passed on N - 1 times at most */
  sim_advance(sim, (int64_t)(2 * N * (gap / (V * H) + 2.)));
  const struct cairn_state *state = sim_state(sim);
  for (int i = 0; i < N; i++)
    worst = fmax(worst, fabs(state->velocity[3 * i] - (i < N - k ? 0. : V)));
  ok(worst < 1e-12, "%d of %d balls with gaps of %g steps: as many leave (%.1e)", k, N, gap / (V * H), worst);
  test_conserved(sim, &before, 1., "binary collisions");
  sim_free(sim, s);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(2);
  for (int k = 1; k <= 2; k++) {
    test_touching(k, 1.);
    test_touching(k, 0.5);
    test_touching(k, 0.);
    test_gaps(k, 0.1 * V * H);
    test_gaps(k, 3.25 * V * H);
  }
  cairn_engine_stop();
  done_testing();
}
