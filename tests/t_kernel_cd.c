/* One contact of two rigid spheres: every branch of the law against its closed form. */
#include "tap/tap.h"

#include <math.h>
#include <string.h>

#include "data/base/random.h"
#include "kernels/common/vec3.h"
#include "kernels/contact_dynamics/cd.h"

enum { GEOMETRIES = 100 };

/* Two bodies and a contact of a random direction, mass ratio up to 10^6 and size ratio up to 100. */
struct scene {
  double a[CAIRN_CD], b[CAIRN_CD];
  struct cairn_cd_contact k;
  double w; /* 1/m_a + 1/m_b */
};

static struct scene make_scene(struct cairn_random *random, double friction) {
  struct scene s = {.k = {.friction = friction}};
  double length = 0.;
  for (int i = 0; i < 3; i++) {
    s.k.n[i] = cairn_random_normal(random);
    length += s.k.n[i] * s.k.n[i];
    s.a[CAIRN_CD_V + i] = cairn_random_normal(random);
    s.b[CAIRN_CD_V + i] = cairn_random_normal(random);
    s.a[CAIRN_CD_S + i] = cairn_random_normal(random);
    s.b[CAIRN_CD_S + i] = cairn_random_normal(random);
  }
  for (int i = 0; i < 3; i++)
    s.k.n[i] /= sqrt(length);
  s.a[CAIRN_CD_IM] = pow(10., cairn_random_between(random, -3., 3.));
  s.b[CAIRN_CD_IM] = pow(10., cairn_random_between(random, -3., 3.));
  s.a[CAIRN_CD_IR] = pow(10., cairn_random_between(random, -1., 1.));
  s.b[CAIRN_CD_IR] = pow(10., cairn_random_between(random, -1., 1.));
  s.w = s.a[CAIRN_CD_IM] + s.b[CAIRN_CD_IM];
  s.k.inverse = 1. / s.w;
  return s;
}

static void split(const double *n, const double *u, double *along, double across[3]) {
  *along = u[0] * n[0] + u[1] * n[1] + u[2] * n[2];
  for (int i = 0; i < 3; i++)
    across[i] = u[i] - *along * n[i];
}

static void velocity(const struct scene *s, double u[3]) {
  cairn_cd_velocity(s->a, s->b, s->k.n, u);
  for (int i = 0; i < 3; i++)
    u[i] += s->k.c[i];
}

/* Solve, push, and return the velocity after it. */
static void solve(struct scene *s, double u[3]) {
  double p[3], d[3];
  velocity(s, u);
  cairn_cd_solve(&s->k, u, p);
  for (int i = 0; i < 3; i++) {
    d[i] = p[i] - s->k.p[i];
    s->k.p[i] = p[i];
  }
  cairn_cd_apply_impulse(s->a, s->b, s->k.n, d);
  velocity(s, u);
}

/* Sum of the momenta, and of the angular momenta about the contact, which no impulse there can change. */
static void momenta(const struct scene *s, double p[3], double l[3]) {
  const double ma = 1. / s->a[CAIRN_CD_IM], mb = 1. / s->b[CAIRN_CD_IM];
  const double ra = 1. / s->a[CAIRN_CD_IR], rb = 1. / s->b[CAIRN_CD_IR];
  const double *n = s->k.n;
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    p[k] = ma * s->a[k] + mb * s->b[k];
    l[k] = -ra * ma * (n[i] * s->a[j] - n[j] * s->a[i]) + rb * mb * (n[i] * s->b[j] - n[j] * s->b[i]) +
           0.4 * (ma * ra * s->a[CAIRN_CD_S + k] + mb * rb * s->b[CAIRN_CD_S + k]);
  }
}

static double difference(const double a[3], const double b[3]) {
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return cairn_vec3_length(d);
}

/* Errors are measured in units of rounding: of the velocities, which are about one, times the operator's spread. */
#define TIGHT 1e-12

static void test_law(void) {
  struct cairn_random random;
  cairn_random_init(&random, 1, 2, 3);
  double open = 0., stick = 0., slide = 0., direction = 0., conserved = 0., residual = 0.;
  int n_open = 0, n_stick = 0, n_slide = 0;
  for (int g = 0; g < 40 * GEOMETRIES; g++) {
    struct scene s = make_scene(&random, g % 4 == 0 ? 1e3 : cairn_random_between(&random, 0., 1.));
    double before[3], u[3], n0, n1, t0[3], t1[3], pt[3], pn, p0[3], l0[3], p1[3], l1[3];
    velocity(&s, before);
    split(s.k.n, before, &n0, t0);
    momenta(&s, p0, l0);
    solve(&s, u);
    momenta(&s, p1, l1);
    split(s.k.n, u, &n1, t1);
    split(s.k.n, s.k.p, &pn, pt);
    const double weight = cairn_vec3_length(p0) + cairn_vec3_length(s.k.p) + cairn_vec3_length(l0);
    conserved = fmax(conserved, (difference(p0, p1) + difference(l0, l1)) / weight);
    residual = fmax(residual, cairn_cd_residual(&s.k, u) * s.w);
    if (n0 >= 0.) {
      n_open++;
      open = fmax(open, cairn_vec3_length(s.k.p));
    } else if (cairn_vec3_length(pt) < s.k.friction * pn * (1. - 1e-9)) {
      n_stick++;
      /* at rest: P_n = -u_n / w, P_t = -2/7 u_t / w */
      for (int i = 0; i < 3; i++)
        stick = fmax(stick, fabs(s.w * s.k.p[i] + n0 * s.k.n[i] + t0[i] / 3.5) + fabs(u[i]));
    } else {
      n_slide++;
      slide = fmax(slide, fabs(cairn_vec3_length(pt) - s.k.friction * pn) * s.w + fabs(n1));
      /* friction against the velocity that is left, which has the direction of the one before */
      for (int i = 0; i < 3 && pn > 0.; i++)
        direction = fmax(direction, fabs(pt[i] * cairn_vec3_length(t0) + cairn_vec3_length(pt) * t0[i]) * s.w);
    }
  }
  cmp_ok(n_open > GEOMETRIES && n_stick > GEOMETRIES && n_slide > GEOMETRIES, "==", 1, "every branch was met");
  ok(open == 0., "a contact that opens carries nothing");
  ok(stick < TIGHT, "sticking: the impulse is that of two spheres that stop at their contact (%.1e)", stick);
  ok(slide < TIGHT, "sliding: |P_t| = μ P_n and no approach (%.1e)", slide);
  ok(direction < 10. * TIGHT, "friction acts against the sliding (%.1e)", direction);
  ok(conserved < TIGHT, "momentum and angular momentum are conserved (%.1e)", conserved);
  ok(residual < 100. * TIGHT * TIGHT, "the natural map vanishes at the solution (%.1e)", residual);
}

/* Restitution and gap enter as u + c. */
static void test_targets(void) {
  struct cairn_random random;
  cairn_random_init(&random, 4, 5, 6);
  double bounce = 0., gap = 0.;
  for (int g = 0; g < GEOMETRIES; g++) {
    struct scene s = make_scene(&random, 0.3);
    double u[3], n0, n1, t[3];
    velocity(&s, u);
    split(s.k.n, u, &n0, t);
    for (int i = 0; i < 3; i++)
      s.k.c[i] = n0 < 0. ? 0.7 * n0 * s.k.n[i] : 0.;
    solve(&s, u);
    cairn_cd_velocity(s.a, s.b, s.k.n, u);
    split(s.k.n, u, &n1, t);
    bounce = fmax(bounce, fabs(n1 - (n0 < 0. ? -0.7 * n0 : n0)));
    /* a gap that would close in half of the step is closed at its end */
    struct scene e = make_scene(&random, 0.3);
    velocity(&e, u);
    split(e.k.n, u, &n0, t);
    if (n0 >= 0.)
      continue;
    for (int i = 0; i < 3; i++)
      e.k.c[i] = -0.5 * n0 * e.k.n[i];
    solve(&e, u);
    cairn_cd_velocity(e.a, e.b, e.k.n, u);
    split(e.k.n, u, &n1, t);
    gap = fmax(gap, fabs(n1 - 0.5 * n0));
  }
  ok(bounce < TIGHT, "restitution: the contact opens with e times the speed it closed with (%.1e)", bounce);
  ok(gap < TIGHT, "a gap lets the bodies come as near as it is wide (%.1e)", gap);
}

static void test_cohesion(void) {
  struct cairn_random random;
  cairn_random_init(&random, 7, 8, 9);
  double held = 0., torn = 0., grip = 0.;
  for (int g = 0; g < GEOMETRIES; g++) {
    for (int strong = 0; strong < 2; strong++) {
      struct scene s = make_scene(&random, 0.5);
      double u[3], n0, n1, t[3], pn, pt[3];
      velocity(&s, u);
      split(s.k.n, u, &n0, t);
      for (int i = 0; i < 3; i++) /* pulled apart */
        s.k.c[i] = (1. - n0) * s.k.n[i];
      s.k.cohesion = (strong ? 2. : 0.5) / s.w;
      solve(&s, u);
      split(s.k.n, u, &n1, t);
      split(s.k.n, s.k.p, &pn, pt);
      if (strong)
        held = fmax(held, fabs(n1));
      else
        torn = fmax(torn, fabs(s.w * pn + 0.5));
      grip = fmax(grip, cairn_vec3_length(pt) * s.w - 0.5 * (pn + s.k.cohesion) * s.w);
    }
  }
  ok(held < TIGHT, "cohesion holds a pull it is stronger than (%.1e)", held);
  ok(torn < TIGHT, "and gives all it has against a stronger one (%.1e)", torn);
  ok(grip < TIGHT, "friction is limited by normal impulse plus cohesion (%.1e)", grip);
}

/* Rolling and twisting alone: spins without slip. */
static void test_turning(void) {
  struct cairn_random random;
  cairn_random_init(&random, 10, 11, 12);
  double stopped = 0., limited = 0., conserved = 0.;
  for (int g = 0; g < GEOMETRIES; g++)
    for (int strong = 0; strong < 2; strong++) {
      struct scene s = make_scene(&random, 0.);
      const double ia = 2.5 * s.a[CAIRN_CD_IM] * s.a[CAIRN_CD_IR] * s.a[CAIRN_CD_IR];
      const double ib = 2.5 * s.b[CAIRN_CD_IM] * s.b[CAIRN_CD_IR] * s.b[CAIRN_CD_IR];
      struct cairn_cd_rotation t = {.inverse = 1. / (ia + ib)};
      double m[3], before[3], along, across[3], l0 = 0., l1 = 0., p0[3], p1[3], ignored[3];
      t.roll = strong ? 1e6 : 1e-3;
      t.twist = strong ? 1e6 : 2e-3;
      for (int k = 0; k < 3; k++)
        before[k] = s.b[CAIRN_CD_S + k] * s.b[CAIRN_CD_IR] - s.a[CAIRN_CD_S + k] * s.a[CAIRN_CD_IR];
      momenta(&s, ignored, p0);
      const double grip = t.inverse;
      cairn_cd_solve_rotation(s.a, s.b, s.k.n, grip, &t, m);
      cairn_cd_apply_torque(s.a, s.b, m);
      momenta(&s, ignored, p1);
      l0 = cairn_vec3_length(p0) + cairn_vec3_length(m);
      l1 = difference(p0, p1);
      conserved = fmax(conserved, l1 / l0);
      split(s.k.n, m, &along, across);
      if (strong)
        for (int k = 0; k < 3; k++)
          stopped =
              fmax(stopped, fabs(s.b[CAIRN_CD_S + k] * s.b[CAIRN_CD_IR] - s.a[CAIRN_CD_S + k] * s.a[CAIRN_CD_IR]) /
                                cairn_vec3_length(before));
      else if (cairn_vec3_length(before) > 0.1)
        limited = fmax(limited, fmax(cairn_vec3_length(across) - 1e-3 * grip, fabs(along) - 2e-3 * grip) / grip);
    }
  ok(stopped < TIGHT, "friction of rotation strong enough stops it (%.1e)", stopped);
  ok(limited < TIGHT, "else it gives what the normal impulse allows (%.1e)", limited);
  ok(conserved < TIGHT, "angular momentum is conserved (%.1e)", conserved);
}

int main(void) {
  plan(NO_PLAN);
  test_law();
  test_targets();
  test_cohesion();
  test_turning();
  done_testing();
}
