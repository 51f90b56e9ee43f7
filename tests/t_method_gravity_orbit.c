/* Two bodies on an eccentric orbit around each other, a thousand times: the energy stays, the period is Kepler's. */
#include "sim.h"

/* Two spheres of 1 kg with G = 1; the relative orbit has μ = 2, a = 1 and the eccentricity e, and begins at its far
 * end.
 */
static const double mu = 2., e = 0.5;
enum { PERIODS = 1000, PART = 100 };
static int64_t steps = 160; /* in a period; another number may be given as argument */

static struct cairn_scenario *binary(const char *method, double step) {
  struct cairn_scenario *s =
      sim_scenario("method: %s\ntime: {step: %.17g, end: 1e6}\nmaterials: [{name: a, density: 1e9}]\n"
                   "gravity: {self: {constant: 1, refresh: 1}}\n"
                   "interactions: [{between: [a, a], restitution: 1, friction: 0, stiffness: 1000}]\n"
                   "bodies: [{single: {position: [0, 0, 0], radius: 0.05, material: a}}]\n",
                   method, step);
  struct cairn_state *b = &s->initial;
  sim_resize(s, 2);
  const double far = 1. + e, v = sqrt(mu * (1. - e) / far);
  for (int i = 0; i < 2; i++) {
    b->mass[i] = 1.;
    sim_vector(b->position, i, i ? 0.5 * far : -0.5 * far, 0., 0.);
    sim_vector(b->velocity, i, 0., i ? 0.5 * v : -0.5 * v, 0.);
  }
  return s;
}

/* Leapfrog follows exactly, but for terms of fourth order in h, a motion with the energy H + h² W of the relative
 * orbit, W = α p·V''p + β V'·V',  α = 1/12, β = -1/24 with kicks at the ends of a step, -1/24 and 1/12 with one in its
 * middle (Hairer, Lubich and Wanner, Geometric Numerical Integration, section IX). The time from one far end to the
 * next is the derivative of the radial action by the energy: that of Kepler's orbit at the energy H + h² W of the
 * start, less h² d/dE ∮ W dt at constant angular momentum L. Along Kepler's orbit with the parameter p = L²/μ both
 * terms have the same integral 2π μ² (1 + e²/2) / (L p²), with the derivative 2π μ / (L p). The line of apsides turns,
 * so this is not quite the time of a revolution. */
static double period(double h, bool middle) {
  const double alpha = middle ? -1. / 24. : 1. / 12., beta = middle ? 1. / 12. : -1. / 24.;
  const double kepler = 2. * SIM_PI / sqrt(mu), far = 1. + e, p = 1. - e * e, L = sqrt(mu * p);
  const double start = (alpha * (1. - e) + beta) * pow(mu / (far * far), 2.); /* W where p·V'' p = μ L²/r⁵ */
  return kepler + h * h * (3. * kepler / mu * start - (alpha + beta) * 2. * SIM_PI * mu / (L * p));
}

struct relative {
  double radial, energy; /* distance times its rate; energy over that at the start, less 1 */
};

static struct relative look(struct cairn_simulation *sim) {
  const struct cairn_state *s = sim_state(sim);
  double radial = 0., r2 = 0., u2 = 0.;
  for (int j = 0; j < 3; j++) {
    const double d = s->position[3 + j] - s->position[j], u = s->velocity[3 + j] - s->velocity[j];
    radial += d * u;
    r2 += d * d;
    u2 += u * u;
  }
  return (struct relative){radial, (0.5 * u2 - mu / sqrt(r2)) / (-0.5 * mu) - 1.};
}

static void test_orbit(const char *method) {
  const double kepler = 2. * SIM_PI / sqrt(mu), h = kepler / (double)steps;
  struct cairn_scenario *s = binary(method, h);
  struct cairn_simulation *sim = sim_create(s);
  double first = 0., last = 0., before = -1., most[2] = {0., 0.}, sum[2] = {0., 0.};
  int seen = 0; /* passages through the far end, after the start */
  for (int64_t k = 0; k < steps * (PERIODS + 3) && seen <= PERIODS; k++) {
    sim_advance(sim, 1);
    const struct relative now = look(sim);
    const bool late = k >= steps * (PERIODS - PART);
    if (k < steps * PART || (late && k < steps * PERIODS)) {
      most[late] = fmax(most[late], fabs(now.energy));
      sum[late] += now.energy;
    }
    if (before > 0. && now.radial <= 0.) { /* linear between the two steps, an error of less than h / PERIODS */
      last = ((double)k + before / (before - now.radial)) * h;
      first = seen++ ? first : last;
    }
    before = now.radial;
  }
  const double measured = (last - first) / PERIODS, theory = period(h, strcmp(method, "soft_spheres") != 0);
  const double drift = (sum[1] - sum[0]) / (double)(steps * PART);
  diag("%s: energy within %.4e in the first %d periods, %.4e in the last, drift of the mean %.1e", method, most[0],
       PART, most[1], drift);
  diag("period off Kepler's by %.3e, of which leapfrog's second order is %.3e; left %.1e", measured / kepler - 1.,
       theory / kepler - 1., measured / kepler - theory / kepler);
  cmp_ok(seen, "==", PERIODS + 1, "%s: goes round %d times", method, PERIODS);
  /* the largest error of a period is that of the step nearest to the near end: it differs with the place of that step
   */
  tap_near(most[1], most[0], 0., 1e-3, "the error of the energy does not grow");
  tap_near(drift, 0., 1e-3 * most[0], 0., "nor drifts");
  /* the fourth order was measured with a leapfrog of ten lines: 370 (h/T)⁴ of both kinds, here 5.6e-7 */
  tap_near(measured / kepler, theory / kepler, 1e-6, 0., "the period is Kepler's, with leapfrog's error");
  sim_free(sim, s);
}

int main(int argc, char **argv) {
  steps = argc > 1 ? atoi(argv[1]) : steps;
  sim_start(1);
  test_orbit("soft_spheres");
  test_orbit("contact_dynamics");
  cairn_engine_stop();
  done_testing();
}
