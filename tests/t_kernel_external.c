/* What acts from outside: orbits of Kepler, the turning of the frame, potentials. */
#include "tap/tap.h"

#include <math.h>
#include <unistd.h>

#include "kernels/common/external.h"
#include "kernels/common/vec3.h"

#define PI 3.14159265358979323846

static struct cairn_external_rules mass_at(double x, double y, double z, double u, double v, double w) {
  return (struct cairn_external_rules){
      .start = {.has_central = 1, .parameter = 1., .at = {x, y, z}}, .falls = 1, .velocity = {u, v, w}};
}

/* The place on an orbit of semi-major axis 1 (Kepler's equation solved the other way round: time from the anomaly). */
static void test_ellipse(double e, double anomaly) {
  const double b = sqrt(1. - e * e);
  const struct cairn_external_rules rules = mass_at(1. - e, 0., 0., 0., b / (1. - e), 0.); /* starts nearest */
  const double time = anomaly - e * sin(anomaly);
  for (int rotates = 0; rotates < 3; rotates += 2) {
    const struct cairn_external at = cairn_external_at(&rules, time + 2. * PI * rotates);
    const double error = hypot(at.at[0] - (cos(anomaly) - e), at.at[1] - b * sin(anomaly));
    /* An error of the time moves the mass by as much as its speed says, at most √((1 + e)/(1 - e)). The period follows
     * from 2/r - v² = 1, where roundings of 2/r = 2/(1 - e) count 3/2 times as much. */
    const double slip = 2e-14 + 3. / (1. - e) * 1e-15 * (time + 2. * PI * rotates);
    ok(error < slip * sqrt((1. + e) / (1. - e)), "ellipse e = %g, anomaly %g, after %d turns: %.1e off", e, anomaly,
       rotates, error);
  }
}

static void test_hyperbola(double e, double anomaly) {
  const double b = sqrt(e * e - 1.);
  const double start = -2., speed = 1. / (e * cosh(start) - 1.);
  const struct cairn_external_rules rules =
      mass_at(e - cosh(start), b * sinh(start), 0., -speed * sinh(start), speed * b * cosh(start), 0.); /* comes in */
  const double time = (e * sinh(anomaly) - anomaly) - (e * sinh(start) - start);
  const struct cairn_external at = cairn_external_at(&rules, time);
  const double error = hypot(at.at[0] - (e - cosh(anomaly)), at.at[1] - b * sinh(anomaly));
  ok(error < 1e-13 * e * cosh(fmax(2., anomaly)), "hyperbola e = %g, anomaly %g: %.1e off", e, anomaly, error);
  ok(fabs(cairn_external_closest(&rules) - (e - 1.)) < 1e-13 * e, "it passes at its pericentre");
}

/* y = 2 q D, x = q (1 - D²), t = √2 q^(3/2) (D + D³/3) (Barker). */
static void test_parabola(double d) {
  const struct cairn_external_rules rules = mass_at(1., 0., 0., 0., sqrt(2.), 0.);
  const struct cairn_external at = cairn_external_at(&rules, sqrt(2.) * (d + d * d * d / 3.));
  const double error = hypot(at.at[0] - (1. - d * d), at.at[1] - 2. * d);
  ok(error < 1e-13 * (1. + d * d), "parabola at %g: %.1e off", d, error);
}

static void test_turn(void) {
  const struct cairn_external e = {.rotates = 1, .spin = {0.3, -1.2, 0.7}};
  const double v[3] = {1., 2., -0.5}, t = 0.8;
  double u[3], back[3];
  cairn_external_drag(&e, t, v, u);
  cairn_external_turn(&e, t, u);
  ok(fabs(cairn_vec3_dot(u, u) / cairn_vec3_dot(v, v) - 1.) < 1e-15, "a drag and a turn are a rotation: no work");
  ok(fabs(cairn_vec3_dot(u, e.spin) - cairn_vec3_dot(v, e.spin)) < 1e-15, "about the axis of the frame");
  cairn_external_drag(&e, -t, u, back); /* u + t Ω × u */
  cairn_external_drag(&e, t, v, u);
  ok(fabs(back[0] - u[0]) + fabs(back[1] - u[1]) + fabs(back[2] - u[2]) < 1e-15, "the turn solves its equation");
}

/* Central differences of the potential give the pull, to second order in their width. */
static void test_potential(const struct cairn_external *e, const char *name) {
  const double x[3] = {0.4, -0.3, 0.2}, width = 1e-4;
  double g[3] = {0., 0., 0.}, worst = 0.;
  cairn_external_accelerate(e, x, g);
  for (int k = 0; k < 3; k++) {
    double up[3] = {x[0], x[1], x[2]}, down[3] = {x[0], x[1], x[2]};
    up[k] += width;
    down[k] -= width;
    const double slope = (cairn_external_potential(e, up) - cairn_external_potential(e, down)) / (2. * width);
    worst = fmax(worst, fabs(g[k] + slope));
  }
  ok(worst < 1e-7, "%s: the pull is the slope of the potential (%.1e)", name, worst);
  ok(cairn_vec3_dot(g, g) > 0., "and there is one");
}

/* Tides of a distant mass: 2 G M/d³ along the line to it, -G M/d³ across. */
static void test_tides(void) {
  const double d = 1e4, tide = 1. / (d * d * d);
  const struct cairn_external_rules rules = mass_at(0., d, 0., 1., 0., 0.);
  const struct cairn_external e = cairn_external_at(&rules, 0.);
  double along[3] = {0., 0., 0.}, across[3] = {0., 0., 0.}, center[3] = {0., 0., 0.};
  cairn_external_accelerate(&e, (double[]){0., 1., 0.}, along);
  cairn_external_accelerate(&e, (double[]){0., 0., 1.}, across);
  cairn_external_accelerate(&e, (double[]){0., 0., 0.}, center);
  /* the next term of the expansion is 3/d times the first, the rounding of the difference 1e-16 d */
  tap_near(along[1], 2. * tide, 0., 4. / d, "tides pull towards the mass");
  tap_near(across[2], -tide, 0., 4. / d, "and together across");
  ok(cairn_vec3_dot(center, center) == 0., "the frame itself feels nothing");
  ok(cairn_external_potential(&e, (double[]){0., 0., 0.}) == 0., "and has no potential");
}

/* A time that, over the distance, is less than any double: the search for a bracket must end. */
static void test_no_time(void) {
  const struct cairn_external_rules rules = mass_at(1e10, 0., 0., 0., 10., 0.);
  alarm(100);
  const struct cairn_external e = cairn_external_at(&rules, 5e-324);
  alarm(0);
  ok(e.at[0] == 1e10 && fabs(e.at[1]) < 1e-300 && e.at[2] == 0., "no time: no way");
}

int main(void) {
  plan(NO_PLAN);
  test_no_time();
  static const double anomalies[] = {0.001, 0.7, 2., PI, 5.5};
  for (size_t k = 0; k < 5; k++) {
    test_ellipse(0., anomalies[k]);
    test_ellipse(0.6, anomalies[k]);
    test_ellipse(0.99, anomalies[k]);
    test_hyperbola(1.2, anomalies[k] - 1.5);
    test_hyperbola(6., anomalies[k] - 1.5);
    test_parabola(anomalies[k]);
  }
  test_turn();
  const struct cairn_external_rules passing = mass_at(2., 1., 1., -0.5, 0., 0.);
  const struct cairn_external fixed = {.has_central = 1, .parameter = 2., .at = {1., 0., 3.}},
                              moving = cairn_external_at(&passing, 1.5),
                              frame = {.rotates = 1, .spin = {0.3, -1.2, 0.7}, .pivot = {1., 2., 3.}};
  test_potential(&fixed, "a mass that stays");
  test_potential(&moving, "a frame that falls");
  test_potential(&frame, "a frame that turns");
  test_tides();
  done_testing();
}
