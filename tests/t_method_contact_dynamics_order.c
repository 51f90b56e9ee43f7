/* How the error of contact dynamics falls with the step h: second order for θ = 1/2 and first for θ = 1 while a contact
 * lasts, as of the θ-method for any smooth motion; first order for either where bodies bounce, because an impact
 * happens at the step that finds it. */
#include "sim.h"

static const double G = 9.81, RADIUS = 0.1, HILL = 0.9; /* m */

static struct cairn_scenario *one_sphere(double h, double theta, double restitution, double friction,
                                         const double gravity[3], const char *wall) {
  return sim_scenario("method: contact_dynamics\ntime: {step: %.17g, end: 10}\nmaterials: [{name: a, density: 1000}]\n"
                      "gravity: {uniform: [%.17g, 0, %.17g]}\n"
                      "solver: {tolerance: 1e-13, sweeps: 1000, theta: %g}\n"
                      "interactions: [{between: [a, a], restitution: %g, friction: %g}]\n"
                      "bodies: [{single: {position: [0, 0, 10], radius: %g, material: a}}]\nwalls: [{%s}]\n",
                      h, gravity[0], gravity[2], theta, restitution, friction, RADIUS, wall);
}

/* Down a slope the acceleration is constant, 5/7 g sin α rolling and g (sin α - μ cos α) sliding: velocities are exact,
 * the way is s h/2 v too long with θ = 1/2 + s/2. */
static void test_slope(double theta, double friction) {
  const double angle = 0.5, t = 1.;
  const bool rolls = friction > 2. / 7. * tan(angle);
  const double a = G * (rolls ? 5. / 7. * sin(angle) : sin(angle) - friction * cos(angle));
  for (int n = 64; n <= 256; n *= 2) {
    const double h = t / n;
    struct cairn_scenario *s = one_sphere(h, theta, 0., friction, (double[]){G * sin(angle), 0., -G * cos(angle)},
                                          "plane: {normal: [0, 0, 1], material: a}");
    sim_vector(s->initial.position, 0, 0., 0., RADIUS);
    struct cairn_simulation *sim = sim_create(s);
    sim_advance(sim, n);
    const struct cairn_state *state = sim_state(sim);
    tap_near(state->velocity[0], a * t, 1e-10, 0., "θ = %g, h = %.4f s: it %s", theta, h, rolls ? "rolls" : "slides");
    tap_near(state->position[0], 0.5 * a * t * (t + (2. * theta - 1.) * h), 1e-10, 0., "its way");
    sim_free(sim, s);
  }
}

/* Angle from the top of a sphere that rolls down a hill, a cylinder lying on its side, from rest at `from`: φ'' = 5/7 g
 * sin φ / ρ, by fourth-order steps far below the error asked for. */
static double exact_angle(double from, double t) {
  const int n = 2000;
  const double k = 5. / 7. * G / (HILL + RADIUS), h = t / n;
  double x = from, v = 0.;
  for (int i = 0; i < n; i++) {
    const double a1 = k * sin(x), a2 = k * sin(x + 0.5 * h * v), v2 = v + 0.5 * h * a1;
    const double a3 = k * sin(x + 0.5 * h * v2), v3 = v + 0.5 * h * a2, v4 = v + h * a3;
    const double a4 = k * sin(x + h * v3);
    x += h / 6. * (v + 2. * v2 + 2. * v3 + v4);
    v += h / 6. * (a1 + 2. * a2 + 2. * a3 + a4);
  }
  return x;
}

static double angle_error(double theta, int n) {
  const double from = 0.3, t = 0.5;
  struct cairn_scenario *s = one_sphere(t / n, theta, 0., 10., (double[]){0., 0., -G},
                                        "cylinder: {axis: [0, 1, 0], radius: 0.9, material: a}");
  sim_vector(s->initial.position, 0, (HILL + RADIUS) * sin(from), 0., (HILL + RADIUS) * cos(from));
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, n);
  const double *x = sim_state(sim)->position, error = atan2(x[0], x[2]) - exact_angle(from, t);
  sim_free(sim, s);
  return error;
}

static void test_hill(double theta, double order) {
  double error[4];
  for (int k = 0; k < 4; k++)
    error[k] = fabs(angle_error(theta, 32 << k));
  diag("θ = %g, rolling down a hill: errors %.2e %.2e %.2e %.2e", theta, error[0], error[1], error[2], error[3]);
  for (int k = 0; k < 3; k++) /* the next order of the error makes up the rest */
    tap_near(log(error[k] / error[k + 1]) / log(2.), order, 0.1, 0., "θ = %g: the order, %d steps", theta, 32 << k);
}

/* Largest error of the height after two bounces with e = 0.5, over spheres that meet the floor anywhere in a step. */
static double bounce_error(double theta, int n) {
  enum { PHASES = 16 };
  const double e = 0.5, t = 1., h = t / n;
  double worst = 0., exact[PHASES];
  struct cairn_scenario *s =
      one_sphere(h, theta, e, 0., (double[]){0., 0., -G}, "plane: {normal: [0, 0, 1], material: a}");
  sim_resize(s, PHASES);
  for (int k = 0; k < PHASES; k++) {
    const double fall = sqrt(2. / G) + h * k / PHASES, v = e * G * fall; /* s, to the first bounce; m/s, after it */
    const double left = t - fall - 2. * v / G;                           /* s, after the second bounce */
    sim_vector(s->initial.position, k, 4. * RADIUS * k, 0., RADIUS + 0.5 * G * fall * fall);
    exact[k] = RADIUS + e * v * left - 0.5 * G * left * left;
  }
  struct cairn_simulation *sim = sim_create(s);
  sim_advance(sim, n);
  for (int k = 0; k < PHASES; k++)
    worst = fmax(worst, fabs(sim_state(sim)->position[3 * k + 2] - exact[k]));
  sim_free(sim, s);
  return worst;
}

static void test_bounce(double theta) {
  double error[4];
  for (int k = 0; k < 4; k++)
    error[k] = bounce_error(theta, 100 << k);
  diag("θ = %g, two bounces: errors %.2e %.2e %.2e %.2e", theta, error[0], error[1], error[2], error[3]);
  /* sixteen phases find the largest error within about a tenth, over a factor of eight in h */
  tap_near(log(error[0] / error[3]) / log(8.), 1., 0.1, 0., "θ = %g: bouncing is of first order", theta);
}

/* A sphere that slides round inside a cylinder leaves each step along the tangent: it gets h v²/(2 ρ) deeper into the
 * wall in a second and no faster, and overlaps are not pushed apart. */
static void test_bowl(void) {
  const double v = 1., rho = HILL - RADIUS, t = 1.;
  for (int n = 100; n <= 400; n *= 2) {
    const double h = t / n;
    struct cairn_scenario *s =
        one_sphere(h, 0.5, 0., 0., (double[]){0., 0., 0.}, "cylinder: {axis: [0, 1, 0], radius: 0.9, material: a}");
    sim_vector(s->initial.position, 0, 0., 0., -rho);
    sim_vector(s->initial.velocity, 0, v, 0., 0.);
    struct cairn_simulation *sim = sim_create(s);
    sim_advance(sim, n);
    const double *x = sim_state(sim)->position, depth = hypot(x[0], x[2]) - rho;
    const double speed = hypot(sim_state(sim)->velocity[0], sim_state(sim)->velocity[2]);
    diag("h = %.4f s: %.2e m deep, bound %.2e, speed %.5f", h, depth, 0.5 * h * v * v * t / rho, speed);
    ok(depth <= 0.5 * h * v * v * t / rho * (1. + h / t) && speed <= v,
       "a curved wall takes in no more than the tangent says");
    sim_free(sim, s);
  }
}

int main(void) {
  plan(NO_PLAN);
  sim_start(1);
  for (int k = 0; k < 2; k++) {
    const double theta = k ? 1. : 0.5;
    test_slope(theta, 0.5);
    test_slope(theta, 0.1);
    test_hill(theta, k ? 1. : 2.);
    test_bounce(theta);
  }
  test_bowl();
  cairn_engine_stop();
  done_testing();
}
