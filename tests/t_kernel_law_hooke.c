/* The Hooke law of one contact against closed forms (Schwartz 2013, chapter 2). */
#define _GNU_SOURCE /* feenableexcept */
#include "sim.h"

#include <fenv.h>

#include "data/base/random.h"
#include "kernels/common/vec3.h"
#include "kernels/soft/laws.h"
#include "solvers/method.h"

static const double EPS = 0x1p-52;

/* The law that a scenario makes of the given interaction. */
static struct cairn_law_hooke law_from(const char *interaction) {
  struct cairn_scenario *s =
      sim_scenario("time: {end: 1}\nmaterials: [{name: m, density: 1000}]\n"
                   "interactions: [{between: [m, m], %s}]\n"
                   "bodies: [{single: {position: [0, 0, 0], radius: 0.1, material: m, velocity: [1, 0, 0]}}]\n",
                   interaction);
  struct cairn_plan plan;
  struct cairn_task_world world = {0};
  struct cairn_law_hooke law;
  double *block = NULL;
  size_t n = 0;
  int32_t table = -1;
  if (cairn_simulation_plan(s, &plan, NULL) || cairn_method_of(s)->constants(s, &world, &table, NULL, &block, &n, NULL))
    BAIL_OUT("no constants");
  memcpy(&law, block + CAIRN_WORLD_LAWS, sizeof law);
  free(block);
  cairn_scenario_free(s);
  return law;
}

static struct cairn_contact_result contact(const struct cairn_contact_pair *pair, const struct cairn_law_hooke *law,
                                           double h, double sx, double sy, double sz, double seconds, int rotation) {
  const struct cairn_contact_history old = {.sx = sx, .sy = sy, .sz = sz, .seconds = seconds};
  return cairn_laws_contact(CAIRN_LAW_hooke, (const double *)law, pair, h, &old, rotation);
}

/* Two spheres as the law wants to see them: lever arms after eqs. 2.9 and 2.10. */
struct spheres {
  double x1[3], x2[3], v1[3], v2[3], w1[3], w2[3], r1, r2, m1, m2;
};

static struct cairn_contact_pair pair_of(const struct spheres *s) {
  double n[3], d[3];
  for (int k = 0; k < 3; k++)
    d[k] = s->x2[k] - s->x1[k];
  const double rho = cairn_vec3_length(d);
  for (int k = 0; k < 3; k++)
    n[k] = d[k] / rho;
  const double l1 = (s->r1 * s->r1 - s->r2 * s->r2 + rho * rho) / (2. * rho);
  return (struct cairn_contact_pair){.x = s->r1 + s->r2 - rho,
                                     .nx = n[0],
                                     .ny = n[1],
                                     .nz = n[2],
                                     .vx = s->v2[0] - s->v1[0],
                                     .vy = s->v2[1] - s->v1[1],
                                     .vz = s->v2[2] - s->v1[2],
                                     .w1x = s->w1[0],
                                     .w1y = s->w1[1],
                                     .w1z = s->w1[2],
                                     .w2x = s->w2[0],
                                     .w2y = s->w2[1],
                                     .w2z = s->w2[2],
                                     .l1 = l1,
                                     .l2 = rho - l1,
                                     .rc = sqrt(fmax(s->r1 * s->r1 - l1 * l1, 0.)),
                                     .inverse_distance = 1. / rho,
                                     .root_mass = sqrt(s->m1 * s->m2 / (s->m1 + s->m2)),
                                     .inverse_inertia1 = 2.5 / (s->m1 * s->r1 * s->r1),
                                     .inverse_inertia2 = 2.5 / (s->m2 * s->r2 * s->r2)};
}

static void random_vector(struct cairn_random *random, double size, double *v) {
  for (int k = 0; k < 3; k++)
    v[k] = cairn_random_between(random, -size, size);
}

/* Two spheres of different size anywhere, overlapping by a part of the smaller radius (negative: apart). */
static struct spheres random_spheres(struct cairn_random *random, double overlap) {
  struct spheres s = {.r1 = cairn_random_between(random, 0.1, 2.), .r2 = cairn_random_between(random, 0.1, 2.)};
  double n[3];
  s.m1 = cairn_random_between(random, 0.5, 2.) * s.r1 * s.r1 * s.r1;
  s.m2 = cairn_random_between(random, 0.5, 2.) * s.r2 * s.r2 * s.r2;
  random_vector(random, 3., s.x1);
  random_vector(random, 1., s.v1);
  random_vector(random, 1., s.v2);
  random_vector(random, 5., s.w1);
  random_vector(random, 5., s.w2);
  cairn_random_direction(random, n);
  for (int k = 0; k < 3; k++)
    s.x2[k] = s.x1[k] + (s.r1 + s.r2 - overlap * fmin(s.r1, s.r2)) * n[k];
  return s;
}

/* A tangential spring of the given length at random. */
static void random_spring(struct cairn_random *random, const struct cairn_contact_pair *p, double size, double *s) {
  const double n[3] = {p->nx, p->ny, p->nz};
  cairn_random_direction(random, s);
  const double along = cairn_vec3_dot(s, n);
  for (int k = 0; k < 3; k++)
    s[k] -= along * n[k];
  const double scale = size / cairn_vec3_length(s);
  for (int k = 0; k < 3; k++)
    s[k] *= scale;
}

static void test_constants(void) {
  static const double epsilon[] = {0.01, 0.2, 0.5, 0.8, 0.95, 1.};
  for (size_t i = 0; i < sizeof epsilon / sizeof *epsilon; i++) {
    char text[256];
    snprintf(text, sizeof text, "stiffness: 2000, restitution: %.17g, tangential_restitution: %.17g, slip: 0.4",
             epsilon[i], epsilon[i]);
    const struct cairn_law_hooke c = law_from(text);
    const double l = log(epsilon[i]);
    /* a handful of operations, each correctly rounded: 16 units in the last place */
    tap_near(c.c_n, -2. * l * sqrt(2000. / (SIM_PI * SIM_PI + l * l)), 0., 16. * EPS, "C_n for restitution %g",
             epsilon[i]);
    tap_near(c.k_t, 2000. * 2. / 7., 0., 4. * EPS, "k_t is 2/7 of k_n");
    tap_near(c.c_t, sqrt(2. / 7.) * c.c_n, 0., 16. * EPS, "C_t follows from its restitution as C_n does");
    /* x(t) = (v/ω1) exp(-αt) sin ω1 t: apart again at τ = π/ω1 with speed v exp(-ατ) */
    tap_near(exp(-0.5 * c.c_n * c.tau), epsilon[i], 0., 1e-14, "damping over τ_overlap leaves the restitution %g",
             epsilon[i]);
    tap_near(sqrt(c.k_n - 0.25 * c.c_n * c.c_n) * c.tau, SIM_PI, 0., 16. * EPS, "τ_overlap is half a period");
    tap_near(c.slip * c.k_t, 0.4, 0., 4. * EPS, "slip");
  }
}

/* The weight is the part of the kick in contact, and the spring acts with the mean overlap over the kick; here the kick
 * is cut into 4096 moments. A sum over moments is off by at most one moment. */
static void test_weight(void) {
  enum { MOMENTS = 4096 };
  struct cairn_random random;
  cairn_random_init(&random, 1, 0, 0);
  double worst = 0., worst_overlap = 0.;
  for (int trial = 0; trial < 500; trial++) {
    const double x = cairn_random_between(&random, -1., 1.), un = cairn_random_between(&random, -2., 2.), h = 1.;
    double inside = 0., mean = 0.;
    for (int m = 0; m < MOMENTS; m++) {
      const double at = x - un * h * ((m + 0.5) / MOMENTS - 0.5);
      inside += at > 0. ? 1. / MOMENTS : 0.;
      mean += at > 0. ? at / MOMENTS : 0.;
    }
    const struct cairn_law_hooke spring = {.k_n = 1., .k_t = 1.};
    const struct cairn_contact_pair pair = {.x = x, .nz = 1., .vz = un, .l1 = 1., .l2 = 1., .root_mass = 1.};
    const struct cairn_contact_result r = contact(&pair, &spring, h, 0., 0., 0., 0., 0);
    worst = fmax(worst, fabs(r.weight - inside));
    worst_overlap = fmax(worst_overlap, fabs(-r.fz - mean));
  }
  note("part in contact off by %.1e, mean overlap by %.1e", worst, worst_overlap);
  tap_near(worst, 0., 1. / MOMENTS, 0., "weight is the part of the kick in contact");
  tap_near(worst_overlap, 0., 2. / MOMENTS, 0., "the spring acts with the mean overlap over the kick");
  ok(cairn_contact_weight(1e-9, 0., 0.1) == 1., "at rest and overlapping: always in contact");
  ok(cairn_contact_weight(0., 0., 0.1) == 0., "at rest and just touching: no contact");
  ok(cairn_contact_weight(-1e-9, 0., 0.1) == 0., "at rest and apart: no contact");
  ok(cairn_contact_weight(1e-9, 3., 0.) == 1., "a step of no length with overlap: contact");
  ok(cairn_contact_weight(0., -3., 0.1) == 0.5, "touching at the middle of the kick: half");
}

static void add_cross(const double *a, const double *b, double *sum, double *size) {
  double c[3];
  cairn_vec3_cross(a, b, c);
  for (int k = 0; k < 3; k++)
    sum[k] += c[k];
  *size += cairn_vec3_length(a) * cairn_vec3_length(b);
}

/* Force on 2 is the opposite of that on 1 by construction, so that angular momentum is kept exactly if
 * x1 × F1 + x2 × F2 + T1 + T2 = 0. Also the projections of force and torque that eqs. 2.16 and 2.19 name. */
static void test_balance(const struct cairn_law_hooke *law) {
  struct cairn_random random;
  cairn_random_init(&random, 2, 0, 0);
  double worst = 0., worst_normal = 0., worst_swap = 0., worst_limit = 0.;
  for (int trial = 0; trial < 10000; trial++) {
    struct spheres s = random_spheres(&random, cairn_random_between(&random, 0., 0.2));
    double spring[3], sum[3] = {0}, size = 0.;
    const struct cairn_contact_pair p = pair_of(&s);
    const double n[3] = {p.nx, p.ny, p.nz}, v[3] = {p.vx, p.vy, p.vz}, un = cairn_vec3_dot(v, n);
    random_spring(&random, &p, cairn_random_between(&random, 0., 0.2), spring);
    const struct cairn_contact_result r = contact(&p, law, 1e-3, spring[0], spring[1], spring[2], 1e3, 1);
    const double f1[3] = {r.fx, r.fy, r.fz}, f2[3] = {-r.fx, -r.fy, -r.fz};
    add_cross(s.x1, f1, sum, &size);
    add_cross(s.x2, f2, sum, &size);
    const double t[3] = {r.t1x + r.t2x, r.t1y + r.t2y, r.t1z + r.t2z};
    for (int k = 0; k < 3; k++)
      sum[k] += t[k];
    worst = fmax(worst, cairn_vec3_length(sum) / (size + cairn_vec3_length(t)));
    const double normal = law->c_n * p.root_mass * un - law->k_n * p.x;
    if (r.weight == 1.)
      worst_normal = fmax(worst_normal, fabs(cairn_vec3_dot(f1, n) - normal) / (cairn_vec3_length(f1) + fabs(normal)));
    double tangential[3];
    for (int k = 0; k < 3; k++)
      tangential[k] = f1[k] - cairn_vec3_dot(f1, n) * n[k];
    if (r.weight == 1.)
      worst_limit = fmax(worst_limit, cairn_vec3_length(tangential) / (law->friction * fabs(normal)) - 1.);
    /* named the other way round, the same pair feels the opposite force with the opposite spring */
    struct spheres t2 = {.r1 = s.r2, .r2 = s.r1, .m1 = s.m2, .m2 = s.m1};
    memcpy(t2.x1, s.x2, sizeof t2.x1), memcpy(t2.x2, s.x1, sizeof t2.x1);
    memcpy(t2.v1, s.v2, sizeof t2.x1), memcpy(t2.v2, s.v1, sizeof t2.x1);
    memcpy(t2.w1, s.w2, sizeof t2.x1), memcpy(t2.w2, s.w1, sizeof t2.x1);
    const struct cairn_contact_pair q = pair_of(&t2);
    const struct cairn_contact_result o = contact(&q, law, 1e-3, -spring[0], -spring[1], -spring[2], 1e3, 1);
    const double other[3] = {r.fx + o.fx, r.fy + o.fy, r.fz + o.fz};
    const double turn[3] = {r.t1x - o.t2x, r.t1y - o.t2y, r.t1z - o.t2z}, t1[3] = {r.t1x, r.t1y, r.t1z};
    worst_swap = fmax(worst_swap, fmax(cairn_vec3_length(other) / cairn_vec3_length(f1),
                                       cairn_vec3_length(turn) / (cairn_vec3_length(t1) + cairn_vec3_length(f1))));
  }
  note("torque balance %.1e, normal force %.1e, friction above its limit %.1e, naming %.1e", worst, worst_normal,
       worst_limit, worst_swap);
  ok(worst <= 1e-15, "x1 × F1 + x2 × F2 + T1 + T2 = 0 for random pairs");
  /* these three are differences of a few rounded products and roots of size 1: tens of units in the last place */
  ok(worst_normal <= 1e-14, "the normal force is -k_n x + C_n u_n");
  ok(worst_limit <= 1e-13, "the tangential force stays below μ |F_n|");
  ok(worst_swap <= 1e-13, "the law does not depend on which body is called the first");
}

/* A pair that tumbles as one rigid body by δ = hΩ each step carries its spring along. One step is right to third order:
 * S + δ × S + ½ δ × (δ × S) is longer than S by δ⁴/8 and lags behind the rotation by δ³/6. */
static void test_turn(void) {
  enum { STEPS = 2000 };
  const double h = 1e-3, omega[3] = {3., -4., 12.}, delta = 13. * h;
  double n[3] = {0.6, 0., 0.8}, s[3] = {0.8e-3, 0., -0.6e-3}, rotated[3], axis[3], worst_tangent = 0.;
  memcpy(rotated, s, sizeof s);
  for (int k = 0; k < 3; k++)
    axis[k] = omega[k] / 13.;
  for (int step = 0; step < STEPS; step++) {
    double v[3], c[3];
    for (double *vector = n; vector; vector = vector == n ? rotated : NULL) { /* exactly, after Rodrigues */
      cairn_vec3_cross(axis, vector, c);
      const double along = cairn_vec3_dot(axis, vector) * (1. - cos(delta));
      for (int k = 0; k < 3; k++)
        vector[k] = vector[k] * cos(delta) + c[k] * sin(delta) + axis[k] * along;
    }
    cairn_vec3_cross(omega, n, v); /* of bodies a distance 1 apart */
    const struct cairn_contact_pair pair = {.nx = n[0],
                                            .ny = n[1],
                                            .nz = n[2],
                                            .vx = v[0],
                                            .vy = v[1],
                                            .vz = v[2],
                                            .w1x = omega[0],
                                            .w1y = omega[1],
                                            .w1z = omega[2],
                                            .w2x = omega[0],
                                            .w2y = omega[1],
                                            .w2z = omega[2],
                                            .inverse_distance = 1.};
    cairn_contact_turn(&pair, h, s, s + 1, s + 2);
    worst_tangent = fmax(worst_tangent, fabs(cairn_vec3_dot(s, n)) / cairn_vec3_length(s));
  }
  double difference[3];
  for (int k = 0; k < 3; k++)
    difference[k] = s[k] - rotated[k];
  const double longer = cairn_vec3_length(s) / 1e-3 - 1., lag = cairn_vec3_length(difference) / 1e-3;
  note("after %d steps of %g rad: length off by %.2e, direction by %.2e, normal part %.1e", STEPS, delta, longer, lag,
       worst_tangent);
  ok(worst_tangent <= 4. * EPS, "the turned spring is tangential");
  ok(fabs(longer) <= 1.01 * STEPS * pow(delta, 4.) / 8., "its length is kept to fourth order in the turn");
  ok(lag <= 1.01 * STEPS * pow(delta, 3.) / 6., "its direction turns with the pair to third order");
}

/* A steady pair: overlap 0.01, no normal motion, tangential velocity u along x at the contact. */
static struct cairn_contact_pair sliding_pair(double u) {
  return (struct cairn_contact_pair){.x = 0.01,
                                     .nz = 1.,
                                     .vx = u,
                                     .l1 = 0.5,
                                     .l2 = 0.5,
                                     .inverse_distance = 0.,
                                     .root_mass = 1.,
                                     .inverse_inertia1 = 1.,
                                     .inverse_inertia2 = 1.};
}

static void test_slip(void) {
  struct cairn_law_hooke law = {.k_n = 1000., .k_t = 200., .c_t = 0.5, .friction = 0.5}; /* |F_n| = 10, limit 5 */
  struct cairn_contact_pair pair = sliding_pair(1e-3);
  struct cairn_contact_result r = contact(&pair, &law, 1e-3, 0.01, 0., 0., 1., 0);
  /* closed forms of a few operations: 8 units in the last place */
  tap_near(r.sx, 0.01 + 1e-6, 0., 8. * EPS, "S grows by u dt");
  tap_near(r.fx, 200. * (0.01 + 1e-6) + 0.5e-3, 0., 8. * EPS, "below the limit F_t = k_t S + C_t u_t");
  tap_near(r.fz, -10., 0., 8. * EPS, "with the normal force -k_n x");
  r = contact(&pair, &law, 1e-3, 0.03, 0.04, 0., 1., 0);
  tap_near(hypot(r.fx, r.fy), 5., 0., 8. * EPS, "above the limit F_t = μ |F_n|");
  tap_near(r.fx / r.fy, (0.03 + 1e-6) / 0.04, 0., 8. * EPS, "along S");
  ok(r.sx == 0. && r.sy == 0. && r.sz == 0., "b = 0: slip forgets S");
  law.slip = 0.6 / law.k_t;
  r = contact(&pair, &law, 1e-3, 0.03, 0.04, 0., 1., 0);
  tap_near(hypot(r.sx, r.sy), 0.6 * 5. / 200., 0., 8. * EPS, "b = 0.6: S is left at b F_max / k_t");
  tap_near(r.sx / r.sy, (0.03 + 1e-6) / 0.04, 0., 8. * EPS, "along S");
  pair = sliding_pair(11.); /* C_t u = 5.5 > 5 */
  r = contact(&pair, &law, 1e-3, -0.001, 0., 0., 1., 0);
  tap_near(r.fx, 5., 0., 8. * EPS, "damping alone above the limit: F_t = μ |F_n|");
  ok(r.sx == 0. && r.sy == 0. && r.sz == 0., "and S is forgotten, whatever b");
  law.friction = 0.;
  r = contact(&pair, &law, 1e-3, 0.1, 0.1, 0., 1., 0);
  ok(r.fx == 0. && r.fy == 0. && r.t1y == 0. && r.t2y == 0. && r.sx == 0.,
     "without friction no tangential force at all");
}

/* Apart in the whole kick: nothing, in spite of any memory and rotation. */
static void test_apart(const struct cairn_law_hooke *law) {
  struct cairn_random random;
  cairn_random_init(&random, 3, 0, 0);
  int nothing = 1;
  for (int trial = 0; trial < 1000; trial++) {
    const struct spheres s = random_spheres(&random, -0.1);
    const struct cairn_contact_pair p = pair_of(&s);
    const struct cairn_contact_result r =
        contact(&p, law, 1e-3, 0.01, -0.02, 0.03, 1e3, trial % 2 ? CAIRN_ROLLING_SPRING : CAIRN_ROLLING_VISCOUS);
    const double all[] = {r.fx,  r.fy, r.fz, r.t1x, r.t1y, r.t1z, r.t2x, r.t2y,
                          r.t2z, r.sx, r.sy, r.sz,  r.qx,  r.qy,  r.qz,  r.weight};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
      nothing &= all[k] == 0.;
  }
  ok(nothing, "bodies apart feel exactly nothing");
}

/* Viscous rolling and twisting at a steady contact with |F_n| = 10, lever arms 0.75 and 0.5, contact circle 0.1. */
static struct cairn_contact_result rotate(double w1x, double w1z, double w2x, double w2z, double h, double seconds) {
  const struct cairn_law_hooke law = {.k_n = 1000., .k_t = 200., .rolling = 0.2, .twisting = 0.3, .tau = 0.5};
  const struct cairn_contact_pair pair = {.x = 0.01,
                                          .nz = 1.,
                                          .w1x = w1x,
                                          .w1z = w1z,
                                          .w2x = w2x,
                                          .w2z = w2z,
                                          .l1 = 0.75,
                                          .l2 = 0.5,
                                          .rc = 0.1,
                                          .inverse_distance = 1.,
                                          .root_mass = 2.,
                                          .inverse_inertia1 = 3.,
                                          .inverse_inertia2 = 5.};
  return contact(&pair, &law, h, 0., 0., 0., seconds, CAIRN_ROLLING_VISCOUS);
}

static void test_rotation(void) {
  const double h = 1e-3, old = 1.01; /* τ_overlap = 0.5 √μ = 1 s */
  struct cairn_contact_result r = rotate(2., 0., 0., 0., h, old);
  /* the contact without tangential friction leaves M alone: a few operations */
  tap_near(r.t1x, -0.2 * 10. * 0.5, 0., 8. * EPS, "rolling: M = μ_r |F_n| l against v_rot, l the smaller lever arm");
  tap_near(r.t2x, 0.2 * 10. * 0.5, 0., 8. * EPS, "and its opposite on the other body");
  ok(r.t1y == 0. && r.t1z == 0., "nowhere else");
  r = rotate(2., 0., 3., 0., h, old);
  ok(r.t1x == 0., "bodies that turn like gears, l1 ω1 = l2 ω2, do not roll");
  r = rotate(0., 5., 0., 0., h, old);
  tap_near(r.t1z, -0.3 * 10. * 0.1, 0., 8. * EPS, "twisting: M = μ_t |F_n| r_c against the relative spin");
  tap_near(r.t2z, 0.3 * 10. * 0.1, 0., 8. * EPS, "and its opposite on the other body");
  r = rotate(0., 5., 0., 5., h, old);
  ok(r.t1z == 0., "bodies that spin alike do not twist");
  r = rotate(2., 5., 0., 0., h, 0.99);
  ok(r.t1x == 0. && r.t1z == 0., "contacts younger than τ_overlap know neither");
  r = rotate(1e-9, 1e-9, 0., 0., h, old);
  /* torque that takes CAIRN_CONTACT_STOP of l1 ω1 - l2 ω2, and of ω1 - ω2, in one step */
  tap_near(r.t1x * h * (0.75 * 3. + 0.5 * 5.), -CAIRN_CONTACT_STOP * 0.75e-9, 0., 16. * EPS,
           "a rolling that would stop within the step loses a quarter");
  tap_near(r.t1z * h * (3. + 5.), -CAIRN_CONTACT_STOP * 1e-9, 0., 16. * EPS, "a twist too");
  r = rotate(0., 0., 0., 0., h, old);
  ok(r.t1x == 0. && r.t1y == 0. && r.t1z == 0., "no rotation, no torque");
}

/* The rolling spring at a steady contact with |F_n| = 10 and R = 0.3: k_r = 200 · 0.09 = 18, limits 0.6 and 0.9 N m,
 * damping 0.6 √(18/8) = 0.9. `q` is the spring before. */
static struct cairn_contact_result roll(const double w1[3], const double q[3], double h) {
  const struct cairn_law_hooke law = {.k_n = 1000., .k_t = 200., .rolling = 0.2, .twisting = 0.3, .tau = 0.5};
  const struct cairn_contact_pair pair = {.x = 0.01,
                                          .nz = 1.,
                                          .w1x = w1[0],
                                          .w1y = w1[1],
                                          .w1z = w1[2],
                                          .l1 = 0.75,
                                          .l2 = 0.5,
                                          .inverse_distance = 1.,
                                          .reduced_radius = 0.3,
                                          .root_mass = 2.,
                                          .inverse_inertia1 = 3.,
                                          .inverse_inertia2 = 5.};
  const struct cairn_contact_history old = {.qx = q[0], .qy = q[1], .qz = q[2]};
  return cairn_laws_contact(CAIRN_LAW_hooke, (const double *)&law, &pair, h, &old, CAIRN_ROLLING_SPRING);
}

static void test_rolling_spring(void) {
  static const double none[3] = {0., 0., 0.}, h = 1e-3;
  struct cairn_contact_result r = roll(none, (double[]){0.01, 0.02, 0.03}, h);
  tap_near(r.t1x, 0.18, 0., 8. * EPS, "at rest the rolling spring pulls with k_t R² φ");
  tap_near(r.t1y, 0.36, 0., 8. * EPS, "in both directions");
  tap_near(r.t1z, 0.54, 0., 8. * EPS, "and twists back with the same stiffness");
  ok(r.t2x == -r.t1x && r.t2y == -r.t1y && r.t2z == -r.t1z, "the opposite on the other body");
  tap_near(r.qy, 0.02, 0., 8. * EPS, "below the limit nothing is lost");
  r = roll((double[]){-0.1, 0., 0.}, none, h);
  tap_near(r.qx, 1e-4, 0., 8. * EPS, "φ grows with the relative spin");
  tap_near(r.t1x, 18. * 1e-4 + 0.9 * 0.1, 0., 16. * EPS, "which 0.3 of the critical damping resists");
  r = roll((double[]){-2., 0., 0.}, (double[]){0.03, 0.04, 0.}, h);
  tap_near(hypot(r.t1x, r.t1y), 0.6, 0., 8. * EPS, "beyond the limit it rolls: M = μ_r R |F_n|");
  tap_near(18. * hypot(r.qx, r.qy), 0.6, 0., 8. * EPS, "φ stays behind");
  tap_near(r.qx / r.qy, 0.032 / 0.04, 0., 8. * EPS, "along φ");
  r = roll((double[]){-2., 0., 0.}, none, h);
  tap_near(r.t1x, 0.6, 0., 8. * EPS, "damping does not exceed the limit");
  tap_near(r.qx, 2e-3, 0., 8. * EPS, "nor shorten φ");
  r = roll((double[]){0., 0., 2.}, (double[]){0., 0., -0.06}, h);
  tap_near(r.t1z, -0.9, 0., 8. * EPS, "twisting: M = μ_t R |F_n|");
  tap_near(18. * r.qz, -0.9, 0., 8. * EPS, "with the φ for it");
  r = roll(none, none, h);
  ok(r.t1x == 0. && r.t1y == 0. && r.t1z == 0. && r.qx == 0. && r.qz == 0., "no rotation, no torque");
}

int main(void) {
  plan(NO_PLAN);
  test_constants();
  const struct cairn_law_hooke full =
      law_from("stiffness: 100, restitution: 0.5, tangential_restitution: 0.7, friction: 0.4, slip: 0.3, "
               "rolling_friction: 0.2, twisting_friction: 0.3");
  /* what follows is physics alone: nothing in it may divide by zero or make a number that is none */
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  test_weight();
  test_turn();
  test_slip();
  test_rotation();
  test_rolling_spring();
  test_balance(&full);
  test_apart(&full);
  done_testing();
}
