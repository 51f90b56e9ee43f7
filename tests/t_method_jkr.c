/* JKR adhesion against closed forms (Johnson, Kendall and Roberts 1971): pull-off force 3/2 π w R, the gap at which a
 * neck snaps, the work that parts two spheres, what a collision loses, energy, and the same bits for any cells. */
#include "sim.h"

#include "kernels/soft/laws.h"
#include "solvers/simulation/simulation.h"

static const double RADIUS = 0.1, DENSITY = 1000., WORK = 20., YOUNG = 1e7, POISSON = 0.3; /* m, kg/m³, J/m², Pa */

static double mass(void) { return DENSITY * 4. / 3. * SIM_PI * RADIUS * RADIUS * RADIUS; }

/* Effective modulus of two equal materials. */
static double modulus(void) { return 0.5 * YOUNG / (1. - POISSON * POISSON); }

/* From the textbook: gap at which the neck snaps, and the work from contact without overlap to there, with
 * U = E* a⁵/R² (8/15 - 4/3 q + q²/2), q = c R/a^(3/2): at x = 0 q = 1, at the end 4. */
static double snap_gap(double radius) {
  return 0.75 * cbrt(SIM_PI * SIM_PI * WORK * WORK * radius / (modulus() * modulus()));
}
static double parting_work(double radius) {
  const double c = sqrt(2. * SIM_PI * WORK / modulus()), a0 = pow(radius * c, 2. / 3.),
               a1 = pow(radius * c / 4., 2. / 3.);
  const double at[2] = {8. / 15. - 4. / 3. + 0.5, 8. / 15. - 16. / 3. + 8.};
  return modulus() / (radius * radius) * (at[1] * pow(a1, 5.) - at[0] * pow(a0, 5.));
}

static struct cairn_neck neck_of(void) {
  const double c2 = 2. * SIM_PI * WORK / modulus();
  return (struct cairn_neck){.length = cbrt(c2 * c2), .tension = modulus() * c2};
}

/* Total force that pushes two touched spheres with the overlap x apart: Hertz and neck. */
static double push_at(double x, double radius) {
  const struct cairn_neck neck = neck_of();
  const struct cairn_contact_pair p = {.x = x, .nx = 1., .reduced_radius = radius};
  struct cairn_contact_result r = {0};
  cairn_neck_add(&neck, &p, 1, 0., &r);
  return 4. / 3. * modulus() * sqrt(radius * fmax(x, 0.)) * fmax(x, 0.) - r.fx;
}

static void test_law(void) {
  const double radius = 0.03, end = snap_gap(radius), pull = 1.5 * SIM_PI * WORK * radius;
  const struct cairn_neck neck = neck_of();
  double least = 0., work = 0., worst = 0.;
  enum { N = 20000 };
  for (int k = 0; k < N; k++) {
    const double x = -end + (k + 0.5) * end / N;
    least = fmin(least, push_at(x, radius));
    work -= push_at(x, radius) * end / N;
  }
  /* the minimum is parabolic: a grid of N misses 1/N² of it; the integral has a root at its end, N^-3/2 */
  tap_near(-least, pull, 0., 1e-6, "the pull-off force is 3/2 pi w R");
  tap_near(cairn_neck_most(&neck, radius), pull, 0., 1e-14, "which the law knows");
  tap_near(cairn_neck_range(&neck, radius), end, 0., 1e-14, "the gap at which the neck snaps");
  tap_near(push_at(-end * (1. - 1e-9), radius), -5. / 9. * pull, 0., 1e-4, "there it pulls with 5/9 of that");
  tap_near(push_at(0., radius), -8. / 9. * pull, 0., 1e-12, "at a touch without overlap with 8/9");
  tap_near(push_at(-end * (1. + 1e-9), radius), 0., 0., 0., "beyond there is nothing");
  tap_near(work, parting_work(radius), 0., 1e-5, "the work that parts two spheres");
  tap_near(-cairn_neck_energy(&neck, 0., radius), parting_work(radius), 0., 1e-12, "is the energy of a touch");
  for (int k = 1; k < 1000; k++) { /* a(x) from the textbook's two equations */
    const double x = -end + 3. * end * k / 1000., c = sqrt(2. * SIM_PI * WORK / modulus());
    double low = pow(radius * c / 4., 2. / 3.), high = 10. * low;
    for (int i = 0; i < 100; i++)
      *(0.5 * (low + high) * 0.5 * (low + high) / radius - c * sqrt(0.5 * (low + high)) < x ? &low : &high) =
          0.5 * (low + high);
    const double force = 4. / 3. * modulus() * low * low * low / radius - 2. * modulus() * c * pow(low, 1.5);
    worst = fmax(worst, fabs(push_at(x, radius) - force) / pull);
  }
  tap_near(worst, 0., 1e-9, 0., "force over overlap");
}

static struct cairn_scenario *pair(double gap, double h) {
  struct cairn_scenario *s =
      sim_scenario("law: hertz\ntime: {step: %.17g, end: 100}\n"
                   "materials: [{name: a, density: %g, young_modulus: %g, poisson_ratio: %g}]\n"
                   "interactions: [{between: [a, a], friction: 0, work_of_adhesion: %g, adhesion_law: jkr}]\n"
                   "overlap: {limit: 1}\nbodies: [{single: {position: [0, 0, 0], radius: %g, material: a}}]\n",
                   h, DENSITY, YOUNG, POISSON, WORK, RADIUS);
  sim_resize(s, 2);
  sim_vector(s->initial.position, 1, 2. * RADIUS + gap, 0., 0.);
  return s;
}

static double gap_of(const struct cairn_state *s) { return s->position[3] - s->position[0] - 2. * RADIUS; }

static void meet_with(struct cairn_state *s, double energy) {
  const double u = sqrt(4. * energy / mass());
  sim_vector(s->velocity, 0, 0.5 * u, 0., 0.);
  sim_vector(s->velocity, 1, -0.5 * u, 0., 0.);
}

/* A plate lies on a sphere, that on a floor to which it does not stick; the plate goes up, slowly: it takes the sphere
 * along if that weighs less than the pull-off force. R is the radius at a plate. */
static void test_pull_off(double part) {
  const double g = part * 1.5 * SIM_PI * WORK * RADIUS / mass();
  struct cairn_scenario *s = sim_scenario(
      "law: hertz\ntime: {step: 2e-5, end: 100}\n"
      "materials: [{name: a, density: %g, young_modulus: %g, poisson_ratio: %g},\n"
      "            {name: b, density: 1000, young_modulus: %g, poisson_ratio: %g}]\n"
      "gravity: {uniform: [0, 0, %.17g]}\n"
      "interactions: [{between: [a, a], friction: 0, viscous_time: 3e-3, work_of_adhesion: %g, adhesion_law: jkr},\n"
      "               {between: [a, b], friction: 0, viscous_time: 3e-3}]\n"
      "overlap: {limit: 1, initial: 0.1}\nbodies: [{single: {position: [0, 0, %g], radius: %g, material: a}}]\n"
      "walls:\n  - plane: {normal: [0, 0, 1], material: b}\n"
      "  - plane: {point: [0, 0, 0.1995], normal: [0, 0, -1], material: a, motion: {from: 1, velocity: [0, 0, "
      "2.5e-4]}}\n",
      DENSITY, YOUNG, POISSON, YOUNG, POISSON, -g, WORK, RADIUS, RADIUS);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 50000);
  ok(sim_state(sim)->wall_contacts.n == 2, "the plate is down");
  sim_advance(sim, 300000);
  const double height = sim_state(sim)->position[2] - RADIUS;
  if (part < 1.)
    ok(height > 5e-4, "a neck lifts %g of the pull-off force, by %g m", part, height);
  else
    ok(height < 0. && sim_state(sim)->wall_contacts.n == 1, "and leaves %g of it", part);
  sim_free(sim, s);
}

/* Two that fly at each other rebound with E - W, or stick: the neck that forms gives nothing back when it snaps. */
static void test_work(double brought) {
  const double work = parting_work(0.5 * RADIUS);
  struct cairn_scenario *s = pair(1e-5, 2e-6);
  meet_with(&s->initial, brought * work);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 200000);
  const struct cairn_state *state = sim_state(sim);
  const double u = state->velocity[3] - state->velocity[0], left = 0.25 * mass() * u * u / work;
  if (brought > 1.)
    ok(gap_of(state) > 2. * snap_gap(0.5 * RADIUS) && u > 0. && fabs(left - brought + 1.) < 1e-4,
       "of %g W they part with %.6f W", brought, left);
  else
    ok(gap_of(state) < snap_gap(0.5 * RADIUS) && state->contacts.n == 1, "%g W do not part them", brought);
  sim_free(sim, s);
}

/* A run takes the bodies out of its scenario. Its cells know how far necks reach all the same: with a skin that is far
 * shorter two bodies stick as they do with a long one. */
static void test_long_neck(void) {
  struct cairn_scenario *s = pair(1e-5, 2e-6);
  struct cairn_simulation *sim = NULL;
  struct cairn_error error = {0};
  meet_with(&s->initial, 0.95 * parting_work(0.5 * RADIUS));
  s->cells_skin = 0.02 * snap_gap(0.5 * RADIUS);
  if (cairn_simulation_adopt(s, NULL, NULL, &sim, &error))
    BAIL_OUT("%s", error.message);
  double widest = 0.;
  for (int k = 0; k < 2000; k++) {
    sim_advance(sim, 100);
    widest = fmax(widest, gap_of(sim_state(sim)));
  }
  ok(widest > 10. * s->cells_skin, "a neck is drawn out by %.2f of the gap at which it snaps",
     widest / snap_gap(0.5 * RADIUS));
  ok(widest < snap_gap(0.5 * RADIUS) && sim_state(sim)->contacts.n == 1, "and holds, however short the skin is");
  sim_free(sim, s);
}

/* Bodies that have not touched do not feel each other. */
static void test_memory(void) {
  struct cairn_scenario *s = pair(0.5 * snap_gap(0.5 * RADIUS), 2e-6);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, 2000);
  ok(sim_state(sim)->velocity[0] == 0. && sim_state(sim)->contacts.n == 0, "no neck before the first touch");
  sim_free(sim, s);
}

/* Vibrating in the well, the largest error of the energy over its depth. */
static double drift(double h) {
  const double work = parting_work(0.5 * RADIUS);
  struct cairn_scenario *s = pair(-1e-6, h);
  meet_with(&s->initial, 0.5 * work);
  struct cairn_simulation *sim = sim_create(s);
  double start = 0., most = 0., lowest = 0.;
  sim_advance(sim, (int64_t)(1e-5 / h));
  for (int k = 0; k <= 40; k++) {
    const struct cairn_observables o = sim_observe(sim);
    const double energy = o.kinetic_energy + o.elastic_energy;
    start = k ? start : energy;
    most = fmax(most, fabs(energy - start));
    lowest = fmin(lowest, gap_of(sim_state(sim)));
    sim_advance(sim, (int64_t)(1.3e-3 / h));
  }
  ok(sim_state(sim)->contacts.n == 1 && lowest < 0., "steps of %g s: the pair vibrates and holds", h);
  sim_free(sim, s);
  return most / work;
}

/* A lump of grains that hits a plate: its digest after some steps. */
static void lump(int cells, const struct cairn_state *from, int64_t steps, struct cairn_state *end,
                 char digest[CAIRN_DIGEST_LENGTH + 1]) {
  struct cairn_scenario *s = sim_scenario(
      "law: hertz\ntime: {step: 1e-6, end: 100}\nseed: 3\n"
      "materials: [{name: a, density: 2500, young_modulus: 1e8}]\n"
      "interactions: [{between: [a, a], friction: 0.4, rolling_friction: 0.1, viscous_time: 1e-5, work_of_adhesion: "
      "1,\n"
      "                adhesion_law: jkr}]\n"
      "bodies: [{lattice: {arrangement: hexagonal, spacing: 0.00999, in: {sphere: {center: [0, 0, 0.03], radius: "
      "0.024}},\n"
      "                    radius: 0.005, material: a, velocity: [1, 0, -4]}}]\n"
      "walls: [{plane: {normal: [0, 0, 1], material: a}}]\noverlap: {limit: 1, initial: 0.1}\ncells: {bodies: %d}\n",
      cells);
  struct cairn_simulation *sim = NULL;
  struct cairn_error error = {0};
  if (cairn_simulation_create(s, from, &sim, &error))
    BAIL_OUT("%s", error.message);
  sim_advance(sim, steps);
  sim_finish(sim, s, end, digest);
}

static void test_bits(void) {
  char whole[CAIRN_DIGEST_LENGTH + 1], other[CAIRN_DIGEST_LENGTH + 1];
  struct cairn_state half = {0};
  lump(5000, NULL, 3000, NULL, whole);
  lump(20, NULL, 3000, NULL, other);
  is(other, whole, "same bits with many small cells");
  lump(30, NULL, 1100, &half, other);
  lump(50, &half, 1900, NULL, other);
  is(other, whole, "same bits after a restart in the middle");
  cairn_state_fini(&half);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(2);
  test_law();
  test_pull_off(0.98);
  test_pull_off(1.02);
  test_work(0.7);
  test_work(1.5);
  test_long_neck();
  test_memory();
  const double coarse = drift(1.6e-5), fine = drift(4e-6);
  note("error of the energy: %.1e and %.1e of the work", coarse, fine);
  ok(fine < 1e-4 && fine < 0.1 * coarse, "its energy is kept to second order in the step: %.1e, %.1e", coarse, fine);
  test_bits();
  cairn_engine_stop();
  done_testing();
}
