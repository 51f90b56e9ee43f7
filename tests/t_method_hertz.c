/* The viscoelastic Hertz law in whole runs: the first four tests of Tancredi et al. (2012, section 2.3), held against
 * the ordinary differential equation that the law is. */
#include "sim.h"

/* Spheres of the source: R = 1 m, ρ = 3000 kg/m³, ν = 0.3. */
static const double DENSITY = 3000., POISSON = 0.3;

static struct cairn_scenario *spheres(double young, double viscous, double friction, double step, double g,
                                      const char *bodies) {
  return sim_scenario("law: hertz\ntime: {end: 1e4, step: %.17g}\ngravity: {uniform: [0, 0, %.17g]}\n"
                      "materials: [{name: a, density: %g, young_modulus: %g, poisson_ratio: %g}]\n"
                      "interactions: [{between: [a, a], viscous_time: %g, friction: %g, shear_ratio: 0.4}]\n"
                      "bodies: [%s]\noverlap: {limit: 1}\n",
                      step, -g, DENSITY, young, POISSON, viscous, friction, bodies);
}

static double sphere_mass(void) { return DENSITY * 4. / 3. * SIM_PI; }

/* k of F = k √R √ψ (ψ + A dψ/dt) for two spheres of radius 1 m. */
static double stiffness(double young) { return 2. * young / (3. * (1. - POISSON * POISSON)) * sqrt(0.5); }

/* Speed after over speed before a collision with the reduced mass `mass`, by Runge and Kutta's fourth order with 20 000
 * steps over the elastic contact: its error, seen by halving the step, is below 1e-8. */
static double acceleration(double k, double viscous, double mass, double g, double x, double u) {
  const double force = x > 0. ? k * sqrt(x) * (x + viscous * u) : 0.;
  return g - (force > 0. ? force : 0.) / mass;
}

static double restitution(double young, double viscous, double mass, double speed, double g) {
  const double k = stiffness(young), h = 3.218 * pow(mass / k, 0.4) * pow(speed, -0.2) / 20000.;
  double x = 1e-30, u = speed;
  while (x > 0. || u > 0.) {
    const double x1 = u, u1 = acceleration(k, viscous, mass, g, x, u);
    const double x2 = u + 0.5 * h * u1, u2 = acceleration(k, viscous, mass, g, x + 0.5 * h * x1, u + 0.5 * h * u1);
    const double x3 = u + 0.5 * h * u2, u3 = acceleration(k, viscous, mass, g, x + 0.5 * h * x2, u + 0.5 * h * u2);
    const double x4 = u + h * u3, u4 = acceleration(k, viscous, mass, g, x + h * x3, u + h * u3);
    x += h / 6. * (x1 + 2. * x2 + 2. * x3 + x4);
    u += h / 6. * (u1 + 2. * u2 + 2. * u3 + u4);
  }
  return -u / speed;
}

/* T1: two spheres meet head-on at `speed`; the step of the source, 1e-5 s. */
static double head_on(double young, double viscous, double speed) {
  const double h = 1e-5, mass = 0.5 * sphere_mass();
  struct cairn_scenario *s = spheres(young, viscous, 0., h, 0.,
                                     "{single: {position: [0, 0, 0], radius: 1, material: a}},"
                                     "{single: {position: [3, 0, 0], radius: 1, material: a}}");
  sim_vector(s->initial.position, 1, 2. + 1.3 * h * speed, 0., 0.);
  sim_vector(s->initial.velocity, 0, 0.5 * speed, 0., 0.);
  sim_vector(s->initial.velocity, 1, -0.5 * speed, 0., 0.);
  struct cairn_simulation *sim = sim_create(s);
  /* viscous spheres part later than elastic ones, by less than half of the time of contact */
  sim_advance(sim, (int64_t)(1.5 * 3.218 * pow(mass / stiffness(young), 0.4) * pow(speed, -0.2) / h));
  const struct cairn_state *b = sim_state(sim);
  if (b->contacts.n > 0)
    BAIL_OUT("the pair has not parted yet");
  const double rebound = (b->velocity[3] - b->velocity[0]) / speed;
  sim_free(sim, s);
  return rebound;
}

static void test_head_on(void) {
  static const double youngs[] = {1e9, 1e10}, viscous[] = {1e-4, 1e-3}, speeds[] = {0.1, 0.5, 1., 5., 10.};
  for (int y = 0; y < 2; y++)
    for (int a = 0; a < 2; a++)
      for (int v = 0; v < 5; v++) {
        const double wanted = restitution(youngs[y], viscous[a], 0.5 * sphere_mass(), speeds[v], 0.);
        /* asked for; with 700 steps and more in a contact the scheme's second order leaves 1e-5 */
        tap_near(head_on(youngs[y], viscous[a], speeds[v]), wanted, 1e-3, 0.,
                 "T1: restitution of the equation (%.4f), Y %g Pa, A %g s, %g m/s", wanted, youngs[y], viscous[a],
                 speeds[v]);
      }
}

/* T2: a pass with an offset of 0.999 R1 + R2: speed after over speed before of the one that came. */
static double graze(double friction, double speed) {
  const double duration = 3.218 * pow(0.5 * sphere_mass() / stiffness(1e10), 0.4) * pow(speed, -0.2);
  const double h = fmin(duration / 100., 1e-3 / speed);
  struct cairn_scenario *s = spheres(1e10, 1e-3, friction, h, 0.,
                                     "{single: {position: [0, 0, 0], radius: 1, material: a}},"
                                     "{single: {position: [3, 0, 0], radius: 1, material: a}}");
  sim_vector(s->initial.position, 1, 0.1, 1.999, 0.);
  sim_vector(s->initial.velocity, 1, -speed, 0., 0.);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, (int64_t)(0.2 / (speed * h)) + 2);
  const struct cairn_state *b = sim_state(sim);
  if (b->contacts.n > 0)
    BAIL_OUT("the pair has not parted yet");
  const double *v = b->velocity + 3, after = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  sim_free(sim, s);
  return after / speed;
}

static void test_grazing(void) {
  static const double speeds[] = {1e-3, 1e-2, 0.1, 1., 10.};
  double before = 0.;
  for (int v = 0; v < 5; v++) {
    const double smooth = graze(0., speeds[v]), rough = graze(0.6, speeds[v]);
    note("T2: %g m/s: %.4f without friction, %.4f with", speeds[v], smooth, rough);
    /* the normal part of the velocity is at most √(1 - 0.9995²) = 0.0316 of it, so that the speed changes by 1e-3 */
    tap_near(smooth, 1., 1e-3, 0., "T2: without friction a grazing sphere keeps its speed at %g m/s", speeds[v]);
    ok(rough < smooth && rough > before, "T2: with friction it loses some, more than a faster one, at %g m/s",
       speeds[v]);
    before = rough;
  }
}

/* T3: a ball that falls 2.75 m onto an equal ball, glued to the floor or free to move. */
static double bounce(double g, double h, int glued) {
  struct cairn_scenario *s =
      sim_scenario("law: hertz\ntime: {end: 1e4, step: %.17g}\ngravity: {uniform: [0, 0, %.17g]}\n"
                   "materials: [{name: a, density: %g, young_modulus: 1e10, poisson_ratio: %g}]\n"
                   "interactions: [{between: [a, a], viscous_time: 1e-3, friction: 0.6}]\n"
                   "bodies: [{single: {position: [0, 0, 1], radius: 1, material: a}},\n"
                   "         {single: {position: [0, 0, 4], radius: 1, material: a}}]\n"
                   "walls: [{plane: {point: [0, 0, %g], normal: [0, 0, 1], material: a, behavior: sticky}}]\n"
                   "overlap: {limit: 1}\n",
                   h, -g, DENSITY, POISSON, glued ? 0. : -1e6);
  const double speed = sqrt(2. * g * 2.75);
  /* A free one falls too: the pair meets as if without gravity. It begins just before the ball lands: the fall itself
   * is a parabola that the scheme follows exactly */
  sim_vector(s->initial.position, 1, 0., 0., 3. + 1.7 * h * speed);
  sim_vector(s->initial.velocity, 1, 0., 0., -speed);
  struct cairn_simulation *sim = sim_create(s);
  const double duration = 3.218 * pow(sphere_mass() / stiffness(1e10), 0.4) * pow(speed, -0.2);
  double rebound = 0.;
  for (int64_t step = 0; step < (int64_t)(2. * duration / h) && rebound <= 0.; step++) {
    sim_advance(sim, 1);
    const double *x = sim_state(sim)->position, *v = sim_state(sim)->velocity;
    if (step > 3 && x[5] - x[2] > 2. && v[5] > v[2])
      rebound = (v[5] - v[2]) / speed;
  }
  sim_free(sim, s);
  return rebound;
}

static void test_bouncing(void) {
  static const double gravities[] = {9.81, 1e-4}, steps[] = {1e-5, 1e-4};
  for (int k = 0; k < 2; k++) {
    const double g = gravities[k], speed = sqrt(2. * g * 2.75);
    const double fixed = restitution(1e10, 1e-3, sphere_mass(), speed, g);
    const double loose = restitution(1e10, 1e-3, 0.5 * sphere_mass(), speed, 0.);
    const double got = bounce(g, steps[k], 1), coarse = bounce(g, 2. * steps[k], 1);
    note("T3: g %g: %.5f on a glued ball (equation %.5f, source %s)", g, got, fixed, k == 0 ? "0.593" : "0.721");
    /* 1000 and 390 steps in a contact, errors of second order: 1e-4; the source's own values follow from no equation */
    tap_near(got, fixed, 2e-4, 0., "T3: restitution on a glued ball, g = %g m/s²", g);
    tap_near(coarse, got, 1e-3, 0., "T3: and it has converged at dt = %g s", steps[k]);
    tap_near(bounce(g, steps[k], 0), loose, 2e-4, 0., "T3: restitution on a ball that is free, g = %g m/s²", g);
  }
}

/* T4: Newton's cradle, four spheres in a row that touch; the first comes at 10 m/s. */
static void cradle(double viscous, double h, double v[4]) {
  struct cairn_scenario *s = spheres(1e10, viscous, 0., h, 0.,
                                     "{single: {position: [0, 0, 0], radius: 1, material: a}},"
                                     "{single: {position: [2, 0, 0], radius: 1, material: a}},"
                                     "{single: {position: [4, 0, 0], radius: 1, material: a}},"
                                     "{single: {position: [6, 0, 0], radius: 1, material: a}}");
  sim_vector(s->initial.velocity, 0, 10., 0., 0.);
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, (int64_t)(0.1 / h));
  const struct cairn_state *b = sim_state(sim);
  if (b->contacts.n > 0)
    BAIL_OUT("the spheres have not parted yet");
  for (int i = 0; i < 4; i++)
    v[i] = b->velocity[3 * i] / 10.;
  sim_free(sim, s);
}

static void test_cradle(void) {
  double v[4], momentum = 0., energy = 0.;
  cradle(0., 2e-7, v);
  for (int i = 0; i < 4; i++) {
    momentum += v[i];
    energy += v[i] * v[i];
  }
  note("T4: elastic: %.4f %.4f %.4f %.4f, energy off by %.1e", v[0], v[1], v[2], v[3], energy - 1.);
  tap_near(momentum, 1., 1e-12, 0., "T4: an elastic cradle keeps its momentum");
  /* the force is only once differentiable where spheres part, which leaves errors of order h^2.5 there */
  tap_near(energy, 1., 1e-11, 0., "T4: and its kinetic energy");
  cradle(1e-3, 1e-5, v);
  momentum = energy = 0.;
  for (int i = 0; i < 4; i++) {
    momentum += v[i];
    energy += v[i] * v[i];
  }
  note("T4: viscoelastic: %.4f %.4f %.4f %.4f, energy %.4f", v[0], v[1], v[2], v[3], energy);
  tap_near(v[3], 0.70, 0.005, 0., "T4: of a viscoelastic one the last sphere leaves with 70 %% of the speed");
  tap_near(v[2], 0.25, 0.01, 0., "T4: the one before it with 25 %%");
  ok(energy > 0.5 && energy < 0.6, "T4: about half of the energy is lost");
  tap_near(momentum, 1., 1e-12, 0., "T4: and the momentum is kept");
  ok(v[0] > 0. && v[1] > 0., "T4: no sphere comes back");
}

/* A sphere at rest on a plane, which counts as flat: the overlap of Hertz' formula with Reff = R. */
static void test_wall(void) {
  struct cairn_scenario *s = sim_scenario(
      "law: hertz\ntime: {end: 10, step: auto}\ngravity: {uniform: [0, 0, -10]}\n"
      "materials: [{name: a, density: 2000, young_modulus: 1e7, poisson_ratio: 0.25},\n"
      "            {name: b, density: 2000, young_modulus: 4e7, poisson_ratio: 0.4}]\n"
      "interactions: [{between: [a, b], viscous_time: 0.01, rolling_friction: 0.1, twisting_friction: 0.1}]\n"
      "bodies: [{single: {position: [0, 0, 0.1], radius: 0.1, material: a}}]\n"
      "walls: [{plane: {normal: [0, 0, 1], material: b}}]\noverlap: {limit: 1}\n");
  struct cairn_simulation *sim = sim_create(s);
  const double modulus = 1. / ((1. - 0.0625) / 1e7 + (1. - 0.16) / 4e7), weight = s->initial.mass[0] * 10.;
  const double wanted = pow(0.75 * weight / (modulus * sqrt(0.1)), 2. / 3.);
  sim_advance(sim, 20000);
  /* the source's duration of a collision, for the impact expected of this fall: a thirtieth is the step */
  ok(s->time_step > 0. && s->time_step < 1e-2, "step: auto chooses one: %g s", s->time_step);
  tap_near(0.1 - sim_state(sim)->position[2], wanted, 0., 1e-6, "unlike materials: the overlap under the weight");
  /* it carries the weight: the energy of F = k ψ^1.5 is 2/5 F ψ */
  tap_near(sim_observe(sim).elastic_energy, 0.4 * weight * wanted, 0., 1e-5, "and the energy stored in it");
  sim_free(sim, s);
}

int main(void) {
  plan(NO_PLAN);
  sim_start(1);
  test_head_on();
  test_grazing();
  test_bouncing();
  test_cradle();
  test_wall();
  cairn_engine_stop();
  done_testing();
}
