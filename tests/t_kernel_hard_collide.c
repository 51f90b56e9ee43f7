/* The outcome of a collision against the equations of Richardson et al. (2011) and the conservation laws. */
#include <math.h>
#include <string.h>

#include "data/base/random.h"
#include "kernels/hard/collide.h"
#include "kernels/hard/merge.h"
#include "tap/tap.h"

static double worse(double a, double b) { return a >= b || a != a ? a : b; }

static struct cairn_collide_body random_body(struct cairn_random *random, double *mass) {
  struct cairn_collide_body b;
  *mass = pow(10., cairn_random_between(random, -2., 2.));
  b.arm = cairn_random_between(random, 0.1, 2.);
  b.inverse_mass = 1. / *mass;
  b.inverse_inertia = 1. / (0.4 * *mass * b.arm * b.arm);
  for (int k = 0; k < 3; k++) {
    b.v[k] = cairn_random_between(random, -1., 1.);
    b.w[k] = cairn_random_between(random, -3., 3.);
  }
  return b;
}

static double energy(const struct cairn_collide_body *b, double mass) {
  return 0.5 * mass * cairn_vec3_dot(b->v, b->v) + 0.2 * mass * b->arm * b->arm * cairn_vec3_dot(b->w, b->w);
}

/* About the origin, with 1 at -arm n and 2 at +arm n. */
static void angular_momentum(const struct cairn_collide_body *b, double mass, const double *n, double side, double *l) {
  double orbit[3], x[3] = {side * b->arm * n[0], side * b->arm * n[1], side * b->arm * n[2]};
  cairn_vec3_cross(x, b->v, orbit);
  for (int k = 0; k < 3; k++)
    l[k] += mass * orbit[k] + 0.4 * mass * b->arm * b->arm * b->w[k];
}

struct errors {
  double momentum, spin, energy, normal, tangential, published;
};

/* Eqs. after 3 of the source, with n from 1 to 2. */
static void published(const struct cairn_collide_body *one, const struct cairn_collide_body *two, double m1, double m2,
                      const double *n, double en, double et, double v1[3], double w1[3]) {
  double u[3], ut[3], s1[3], turn[3];
  cairn_collide_relative(one, two, n, u);
  const double un = cairn_vec3_dot(u, n), m = m1 + m2, mu = m1 * m2 / m, i1 = 0.4 * m1 * one->arm * one->arm;
  for (int k = 0; k < 3; k++) {
    ut[k] = u[k] - un * n[k];
    s1[k] = one->arm * n[k];
    v1[k] = one->v[k] + m2 / m * ((1. + en) * un * n[k] + 2. / 7. * (1. - et) * ut[k]);
  }
  cairn_vec3_cross(s1, u, turn);
  for (int k = 0; k < 3; k++)
    w1[k] = one->w[k] + 2. / 7. * mu * (1. - et) / i1 * turn[k];
}

static void collide(struct cairn_random *random, struct errors *e) {
  double m1, m2, n[3], before[3], after[3], impulse[3], v1[3], w1[3], l[3] = {0.}, l2[3] = {0.};
  struct cairn_collide_body one = random_body(random, &m1), two = random_body(random, &m2);
  const double en = cairn_random_unit(random), et = cairn_random_between(random, -1., 1.);
  cairn_random_direction(random, n);
  const double had = energy(&one, m1) + energy(&two, m2);
  double p[3];
  for (int k = 0; k < 3; k++)
    p[k] = m1 * one.v[k] + m2 * two.v[k];
  angular_momentum(&one, m1, n, -1., l);
  angular_momentum(&two, m2, n, 1., l);
  cairn_collide_relative(&one, &two, n, before);
  published(&one, &two, m1, m2, n, en, et, v1, w1);
  const double lost = cairn_collide(&one, &two, n, en, et, impulse);
  cairn_collide_relative(&one, &two, n, after);
  angular_momentum(&one, m1, n, -1., l2);
  angular_momentum(&two, m2, n, 1., l2);
  const double un = cairn_vec3_dot(before, n), un2 = cairn_vec3_dot(after, n), m = m1 + m2;
  e->normal = worse(e->normal, fabs(un2 + en * un));
  e->energy = worse(e->energy, fabs(had - lost - energy(&one, m1) - energy(&two, m2)) / had);
  for (int k = 0; k < 3; k++) {
    e->momentum = worse(e->momentum, fabs(m1 * one.v[k] + m2 * two.v[k] - p[k]) / m);
    e->spin = worse(e->spin, fabs(l2[k] - l[k]) / m);
    e->tangential = worse(e->tangential, fabs(after[k] - un2 * n[k] - et * (before[k] - un * n[k])));
    e->published = worse(e->published, fmax(fabs(one.v[k] - v1[k]), fabs(one.w[k] - w1[k]) * one.arm));
  }
}

static void test_pairs(void) {
  struct cairn_random random;
  struct errors e = {0};
  cairn_random_init(&random, 3, 0, 0);
  for (int i = 0; i < 100000; i++)
    collide(&random, &e);
  /* rounding of some 20 operations on numbers up to 10 */
  tap_near(e.published, 0., 1e-13, 0., "velocities and spins are the published ones");
  tap_near(e.momentum, 0., 1e-13, 0., "momentum is kept");
  tap_near(e.spin, 0., 1e-13, 0., "angular momentum is kept");
  tap_near(e.normal, 0., 1e-13, 0., "the normal velocity is reversed with εn");
  tap_near(e.tangential, 0., 1e-13, 0., "the tangential velocity is multiplied by εt");
  tap_near(e.energy, 0., 1e-13, 0., "the energy that is missing is the one reported");
}

/* Eqs. 6 and 7, a wall of infinite mass that moves. */
static void test_wall(void) {
  struct cairn_random random;
  double error = 0.;
  cairn_random_init(&random, 4, 0, 0);
  for (int i = 0; i < 10000; i++) {
    double m, n[3], impulse[3], u[3], turn[3];
    struct cairn_collide_body body = random_body(&random, &m), wall = {.v = {0.3, -0.2, 0.1}};
    const struct cairn_collide_body was = body;
    const double en = cairn_random_unit(&random), et = cairn_random_between(&random, -1., 1.);
    cairn_random_direction(&random, n); /* from the body to the wall */
    const double s[3] = {body.arm * n[0], body.arm * n[1], body.arm * n[2]};
    cairn_vec3_cross(body.w, s, turn);
    for (int k = 0; k < 3; k++)
      u[k] = body.v[k] + turn[k] - wall.v[k];
    const double un = cairn_vec3_dot(u, n);
    cairn_vec3_cross(s, u, turn);
    cairn_collide(&body, &wall, n, en, et, impulse);
    for (int k = 0; k < 3; k++) {
      const double v = was.v[k] - (1. + en) * un * n[k] - 2. / 7. * (1. - et) * (u[k] - un * n[k]);
      const double w = was.w[k] - 5. / 7. / (was.arm * was.arm) * (1. - et) * turn[k];
      error = worse(error, fmax(fabs(body.v[k] - v), was.arm * fabs(body.w[k] - w)));
    }
    error = worse(error, fabs(wall.v[0] - 0.3) + fabs(wall.w[0]));
  }
  tap_near(error, 0., 1e-13, 0., "a wall keeps its velocity, the body bounces by equations 6 and 7");
}

static void test_restitution(void) {
  const struct cairn_collide_law fixed = {.normal = 0.5}, ice = {.normal = 0.32, .speed = 0.01, .exponent = 0.234};
  tap_near(cairn_collide_restitution(&fixed, 3.), 0.5, 0., 0., "a number does not depend on the speed");
  /* Bridges et al. (1984): 0.32 v^-0.234 with v in cm/s */
  tap_near(cairn_collide_restitution(&ice, 0.02), 0.32 * pow(2., -0.234), 0., 1e-15, "ice at 2 cm/s");
  tap_near(cairn_collide_restitution(&ice, 1e-6), 1., 0., 0., "never more than 1");
  tap_near(cairn_collide_restitution(&ice, 0.), 1., 0., 0., "at no speed at all too");
}

static void add_angular_momentum(const struct cairn_merge_body *b, double sign, double *l) {
  double orbit[3];
  cairn_vec3_cross(b->x, b->v, orbit);
  for (int k = 0; k < 3; k++)
    l[k] += sign * b->mass * (orbit[k] + 0.4 * b->radius * b->radius * b->w[k]);
}

static double merge_energy(const struct cairn_merge_body *b) {
  return 0.5 * b->mass * (cairn_vec3_dot(b->v, b->v) + 0.4 * b->radius * b->radius * cairn_vec3_dot(b->w, b->w));
}

/* Two spheres that touch become one. */
static void test_merge(void) {
  struct cairn_random random;
  double mass = 0., momentum = 0., spin = 0., centre = 0., energy = 0., volume = 0.;
  cairn_random_init(&random, 5, 0, 0);
  for (int i = 0; i < 100000; i++) {
    struct cairn_merge_body b[2], whole;
    double n[3], l[3] = {0.};
    for (int k = 0; k < 2; k++) {
      const struct cairn_collide_body r = random_body(&random, &b[k].mass);
      b[k].radius = r.arm;
      memcpy(b[k].v, r.v, sizeof r.v);
      memcpy(b[k].w, r.w, sizeof r.w);
    }
    cairn_random_direction(&random, n);
    for (int k = 0; k < 3; k++) {
      b[0].x[k] = cairn_random_between(&random, -1., 1.);
      b[1].x[k] = b[0].x[k] + (b[0].radius + b[1].radius) * n[k];
    }
    const double lost = cairn_merge(b, b + 1, &whole), had = merge_energy(b) + merge_energy(b + 1), m = whole.mass;
    add_angular_momentum(&whole, 1., l);
    add_angular_momentum(b, -1., l);
    add_angular_momentum(b + 1, -1., l);
    mass = worse(mass, fabs(m - b[0].mass - b[1].mass) / m);
    volume = worse(volume, fabs(pow(whole.radius, 3.) / (pow(b[0].radius, 3.) + pow(b[1].radius, 3.)) - 1.));
    energy = worse(energy, fabs(had - lost - merge_energy(&whole)) / had);
    for (int k = 0; k < 3; k++) {
      const double p = b[0].mass * b[0].v[k] + b[1].mass * b[1].v[k], x = b[0].mass * b[0].x[k] + b[1].mass * b[1].x[k];
      momentum = worse(momentum, fabs(m * whole.v[k] - p) / m);
      centre = worse(centre, fabs(m * whole.x[k] - x) / m);
      spin = worse(spin, fabs(l[k]) / m);
    }
  }
  /* rounding of some 20 operations on numbers up to 10 */
  tap_near(mass, 0., 1e-15, 0., "merging keeps the mass");
  tap_near(volume, 0., 1e-14, 0., "the volume");
  tap_near(centre, 0., 1e-14, 0., "the centre of mass");
  tap_near(momentum, 0., 1e-14, 0., "the momentum");
  tap_near(spin, 0., 1e-13, 0., "the angular momentum");
  tap_near(energy, 0., 1e-13, 0., "and the energy that is missing is the one reported");
}

int main(void) {
  plan(NO_PLAN);
  test_pairs();
  test_wall();
  test_restitution();
  test_merge();
  done_testing();
}
