/* Self-gravity: the direct sum against a plain loop, each operator of the expansions against direct sums, the bits of
 * the whole method against the order of branches and their size, and bodies that are few or in one place. */
#include "tap/tap.h"

#include <float.h>

#include "gravity_bodies.h"

enum { FEW = 20 };

/* A cloud of FEW bodies in a cube of the given edge around a place. */
struct cloud {
  double x[FEW], y[FEW], z[FEW], m[FEW];
};

static struct cairn_points points_of(const struct cloud *cloud) {
  return (struct cairn_points){cloud->x, cloud->y, cloud->z, cloud->m};
}

static struct cloud make_cloud(uint64_t name, double edge, const double place[3]) {
  struct cloud cloud;
  struct cairn_random random;
  cairn_random_init(&random, 2, name, 0);
  for (int i = 0; i < FEW; i++) {
    cloud.x[i] = place[0] + edge * cairn_random_between(&random, -0.5, 0.5);
    cloud.y[i] = place[1] + edge * cairn_random_between(&random, -0.5, 0.5);
    cloud.z[i] = place[2] + edge * cairn_random_between(&random, -0.5, 0.5);
    cloud.m[i] = cairn_random_between(&random, 0.5, 1.5);
  }
  return cloud;
}

static void centre_of(const struct cloud *cloud, double centre[3]) {
  double mass = 0.;
  centre[0] = centre[1] = centre[2] = 0.;
  for (int i = 0; i < FEW; i++) {
    mass += cloud->m[i];
    centre[0] += cloud->m[i] * cloud->x[i];
    centre[1] += cloud->m[i] * cloud->y[i];
    centre[2] += cloud->m[i] * cloud->z[i];
  }
  for (int k = 0; k < 3; k++)
    centre[k] /= mass;
}

/* Largest difference of two fields' accelerations (k < 3) or potentials (k = 3), over the largest value of the second.
 */
static double difference(const double *a, const double *b, int n, int from, int to) {
  double most = 0., norm = 0.;
  for (int i = 0; i < n; i++)
    for (int k = from; k < to; k++) {
      most = fmax(most, fabs(a[CAIRN_FIELD * i + k] - b[CAIRN_FIELD * i + k]));
      norm = fmax(norm, fabs(b[CAIRN_FIELD * i + k]));
    }
  return most / norm;
}

/* --- direct sum --- */

static void test_direct(void) {
  const double origin[3] = {0., 0., 0.};
  const struct cloud cloud = make_cloud(1, 1., origin);
  const struct cairn_points points = points_of(&cloud);
  double worst = 0.;
  for (int n = 1; n <= FEW; n++) { /* whole and broken groups of lanes */
    double got[CAIRN_FIELD * FEW] = {0.}, want[CAIRN_FIELD * FEW];
    cairn_kernel_gravity_direct(FEW, &points, n, &points, got);
    for (int i = 0; i < FEW; i++) {
      long double sum[CAIRN_FIELD] = {0.};
      for (int j = 0; j < n; j++) {
        const long double d[3] = {cloud.x[j] - cloud.x[i], cloud.y[j] - cloud.y[i], cloud.z[j] - cloud.z[i]};
        const long double r = sqrtl(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        for (int k = 0; k < 3 && j != i; k++)
          sum[k] += cloud.m[j] * d[k] / (r * r * r);
        sum[3] += j != i ? cloud.m[j] / r : 0.;
      }
      for (int k = 0; k < CAIRN_FIELD; k++)
        want[CAIRN_FIELD * i + k] = (double)sum[k];
    }
    worst = fmax(worst, n > 1 ? fmax(difference(got, want, FEW, 0, 3), difference(got, want, FEW, 3, 4)) : 0.);
  }
  /* a few roundings per term, and no term is larger than the largest field */
  ok(worst < 16. * DBL_EPSILON, "the direct sum is that of a plain loop, to %.1e", worst);

  double far[CAIRN_FIELD] = {0.}, near[CAIRN_FIELD] = {0.};
  const struct cairn_points one = {(double[]){0.}, (double[]){0.}, (double[]){0.}, (double[]){1.}};
  cairn_kernel_gravity_direct(1, &(struct cairn_points){(double[]){1e150}, (double[]){0.}, (double[]){0.}, NULL}, 1,
                              &one, far);
  cairn_kernel_gravity_direct(1, &(struct cairn_points){(double[]){1e-100}, (double[]){0.}, (double[]){0.}, NULL}, 1,
                              &one, near);
  tap_near(far[3], 1e-150, 0., 4. * DBL_EPSILON, "from as far as squares reach");
  tap_near(near[3], 1e100, 0., 4. * DBL_EPSILON, "to as near");
}

/* --- operators --- */

/* A cloud acts on another one, both of the given edge, through M2L (or M2P) of one order. */
static void expand(int order, double edge, int to_bodies, double *got, double *want) {
  const double origin[3] = {0., 0., 0.}, place[3] = {2., 1.5, 1.};
  const struct cloud source = make_cloud(2, edge, origin), sink = make_cloud(3, edge, place);
  const struct cairn_points sources = points_of(&source), sinks = points_of(&sink);
  double from[3], multipole[CAIRN_GRAVITY_COEFFICIENTS], local[CAIRN_GRAVITY_COEFFICIENTS] = {0.};
  centre_of(&source, from);
  cairn_kernel_gravity_p2m(order, FEW, &sources, from, multipole);
  const struct cairn_gravity_far far = {{place[0] - from[0], place[1] - from[1], place[2] - from[2]}, multipole};
  memset(got, 0, CAIRN_FIELD * FEW * sizeof *got);
  memset(want, 0, CAIRN_FIELD * FEW * sizeof *want);
  if (to_bodies) {
    cairn_kernel_gravity_m2p(order, 1, &far, place, FEW, &sinks, got);
  } else {
    cairn_kernel_gravity_m2l(order, 1, &far, local);
    cairn_kernel_gravity_l2p(order, local, place, FEW, &sinks, got);
  }
  cairn_kernel_gravity_direct(FEW, &sinks, FEW, &sources, want);
}

/* Terms left out are of relative size theta^(p+1) in the potential and theta^p in its gradient, theta the size of the
 * clouds over their distance: halving theta shows the exponent, up to the next term, of relative size theta = 0.1. */
static void test_orders(void) {
  double got[CAIRN_FIELD * FEW], want[CAIRN_FIELD * FEW], last = 1.;
  for (int order = 1; order <= CAIRN_GRAVITY_ORDERS; order++)
    for (int to_bodies = 0; to_bodies <= 1; to_bodies++) {
      double error[2][2];
      for (int halved = 0; halved < 2; halved++) {
        expand(order, halved ? 0.15 : 0.3, to_bodies, got, want);
        error[halved][0] = difference(got, want, FEW, 0, 3);
        error[halved][1] = difference(got, want, FEW, 3, 4);
      }
      const char *name = to_bodies ? "M2P" : "M2L and L2P";
      /* with centres of mass there is no dipole: M2P of order 1 is a monopole, whose error is of second order */
      const double least = to_bodies && order == 1 ? 2. : order;
      tap_near(log2(error[0][0] / error[1][0]), least, 0.2, 0., "%s of order %d: acceleration", name, order);
      ok(log2(error[0][1] / error[1][1]) > order + 0.8, "%s of order %d: potential %.2f", name, order,
         log2(error[0][1] / error[1][1]));
      if (!to_bodies)
        ok(error[1][0] < 0.2 * last, "order %d is better than the one below: %.1e", order, error[1][0]);
      if (!to_bodies)
        last = error[1][0];
    }
}

static double largest(const double *a, const double *b, int n) {
  double most = 0., norm = 0.;
  for (int k = 0; k < n; k++) {
    most = fmax(most, fabs(a[k] - b[k]));
    norm = fmax(norm, fabs(b[k]));
  }
  return most / norm;
}

/* Shifting an expansion within its order is exact. */
static void test_shifts(void) {
  const double origin[3] = {0., 0., 0.}, centre[3] = {0.1, -0.2, 0.15}, place[3] = {2., 1.5, 1.};
  const struct cloud cloud = make_cloud(4, 1., origin), sink = make_cloud(5, 0.5, place);
  const struct cairn_points bodies = points_of(&cloud), sinks = points_of(&sink);
  const struct cairn_points half[2] = {{cloud.x, cloud.y, cloud.z, cloud.m},
                                       {cloud.x + 7, cloud.y + 7, cloud.z + 7, cloud.m + 7}};
  for (int order = 1; order <= CAIRN_GRAVITY_ORDERS; order++) {
    const int count = (order + 1) * (order + 1);
    double whole[CAIRN_GRAVITY_COEFFICIENTS], part[2][CAIRN_GRAVITY_COEFFICIENTS], sum[CAIRN_GRAVITY_COEFFICIENTS];
    const double at[2][3] = {{0.3, 0.1, -0.2}, {-0.1, 0.25, 0.3}};
    struct cairn_gravity_far child[2];
    cairn_kernel_gravity_p2m(order, FEW, &bodies, centre, whole);
    for (int c = 0; c < 2; c++) {
      cairn_kernel_gravity_p2m(order, c ? FEW - 7 : 7, &half[c], at[c], part[c]);
      child[c].multipole = part[c];
      for (int k = 0; k < 3; k++)
        child[c].d[k] = centre[k] - at[c][k];
    }
    cairn_kernel_gravity_m2m(order, 2, child, sum);
    ok(largest(sum, whole, count) < 1e-14, "M2M of order %d: the parts make up the whole", order);

    double local[CAIRN_GRAVITY_COEFFICIENTS] = {0.}, moved[2][CAIRN_GRAVITY_COEFFICIENTS];
    double one[CAIRN_FIELD * FEW] = {0.}, other[CAIRN_FIELD * FEW] = {0.};
    const double shift[2][3] = {{0.2, -0.1, 0.3}, {-0.1, 0.2, 0.05}};
    const struct cairn_gravity_far far = {{place[0], place[1], place[2]}, whole};
    cairn_kernel_gravity_m2l(order, 1, &far, local);
    cairn_kernel_gravity_l2l(order, local, 2, shift, moved);
    cairn_kernel_gravity_l2p(order, local, place, FEW, &sinks, one);
    cairn_kernel_gravity_l2p(order, moved[1],
                             (const double[3]){place[0] + shift[1][0], place[1] + shift[1][1], place[2] + shift[1][2]},
                             FEW, &sinks, other);
    ok(fmax(difference(other, one, FEW, 0, 3), difference(other, one, FEW, 3, 4)) < 1e-14,
       "L2L of order %d: the same field about another centre", order);
  }
}

/* --- the whole --- */

/* Branches of at most `branch` bodies, worked off with a stride. */
static void run(struct gravity_system *s, int32_t branch, int32_t stride) {
  const struct cairn_gravity_rules rules = {.G = 1., .accuracy = 1e-3, .order = 5, .max_bodies = branch};
  struct cairn_gravity gravity;
  cairn_gravity_init(&gravity, &rules);
  gravity_run(&gravity, s->n, s->position, s->mass, stride, s->acceleration, s->potential, s->drift);
  if (stride > 1 && gravity.terms.n_branches % stride == 0)
    BAIL_OUT("not all branches were worked off");
  cairn_gravity_fini(&gravity);
}

static uint64_t bits_of(const struct gravity_system *s) { /* FNV-1a */
  uint64_t hash = 0xcbf29ce484222325;
  const double *part[3] = {s->acceleration, s->potential, s->drift};
  const int32_t size[3] = {3 * s->n, s->n, 3};
  for (int k = 0; k < 3; k++)
    for (int32_t i = 0; i < size[k]; i++) {
      uint64_t bits;
      memcpy(&bits, part[k] + i, sizeof bits);
      hash = (hash ^ bits) * 0x100000001b3;
    }
  return hash;
}

static void test_bits(void) {
  struct gravity_system s = gravity_system_make(GRAVITY_BILOBED, 3000, 1);
  run(&s, 300, 1);
  const uint64_t bits = bits_of(&s);
  run(&s, 300, 7);
  ok(bits_of(&s) == bits, "the same bits for branches in another order");
  run(&s, CAIRN_GRAVITY_LEAF, 7);
  ok(bits_of(&s) == bits, "and for small ones");
  run(&s, s.n, 1);
  ok(bits_of(&s) == bits, "and for a single one");
  gravity_system_free(&s);
}

static void test_stack(void) {
  struct gravity_system s = gravity_system_make(GRAVITY_SPHERE, 3000, 1);
  const struct cairn_gravity_rules rules = {.G = 1., .accuracy = 1e-3, .order = 5, .max_bodies = s.n};
  const struct cairn_gravity_node **stack = gravity_allocate(100000, sizeof *stack);
  struct cairn_gravity g;
  cairn_gravity_init(&g, &rules);
  gravity_run(&g, s.n, s.position, s.mass, 1, s.acceleration, s.potential, s.drift);
  const struct cairn_gravity_forest forest = gravity_forest(&g, 3, 1e-3, 0.8);
  struct cairn_gravity_missing missing;
  ok(cairn_kernel_gravity_walk(&forest, g.node, stack, 0, g.field, &missing) < 0, "a walk without a stack is refused");
  ok(cairn_kernel_gravity_walk(&forest, g.node, stack, 20, g.field, &missing) < 0,
     "a stack that is too small is noticed");
  ok(cairn_kernel_gravity_walk(&forest, g.node, stack, 100000, g.field, &missing) == 0, "a large one suffices");
  free(stack);
  cairn_gravity_fini(&g);
  gravity_system_free(&s);
}

/* Bodies in one place do not pull on each other, and act on others as one; the tree ends where keys no longer differ.
 * 300 at the place of body 0, more than leaves and branches hold, are one body with their mass. */
static void test_one_place(int32_t branch) {
  enum { N = 1000, SAME = 300 };
  struct gravity_system s = gravity_system_make(GRAVITY_TWO, N, 1), one = gravity_system_make(GRAVITY_TWO, N, 1);
  const int32_t rest = N - SAME;
  for (int32_t i = rest; i < N; i++) {
    memcpy(s.position + 3 * i, s.position, 3 * sizeof *s.position);
    s.mass[i] = s.mass[0];
  }
  run(&s, branch, 1);
  one.n = rest; /* the direct sum of the others and the heavy one */
  one.mass[0] *= 1. + SAME;
  one.sample = realloc(one.sample, (size_t)rest * sizeof *one.sample);
  one.field = realloc(one.field, (size_t)rest * CAIRN_FIELD * sizeof *one.field);
  if (!one.sample || !one.field)
    BAIL_OUT("out of memory");
  one.n_sample = rest;
  gravity_direct(rest, one.position, one.mass, rest, one.sample, one.field);
  memcpy(one.acceleration, s.acceleration, 3 * (size_t)rest * sizeof *s.acceleration);
  memcpy(one.potential, s.potential, (size_t)rest * sizeof *s.potential);
  memcpy(one.drift, s.drift, sizeof s.drift);
  const struct gravity_errors e = gravity_errors(&one);
  ok(e.rms < 1e-3 && e.potential < 1e-3, "branches of %d, 301 bodies in one place pull as one: RMS %.1e", branch,
     e.rms);
  int same = 1;
  for (int32_t i = rest; i < N; i++)
    same = same && memcmp(s.acceleration + 3 * i, s.acceleration, 3 * sizeof *s.acceleration) == 0;
  ok(same, "and all feel the same");
  gravity_system_free(&s);
  gravity_system_free(&one);
}

/* No extent at all: every key is the same. */
static void test_all_in_one_place(void) {
  enum { N = 100 };
  const struct cairn_gravity_rules rules = {.G = 1., .accuracy = 1e-3, .order = 5, .max_bodies = CAIRN_GRAVITY_LEAF};
  struct cairn_gravity gravity;
  double position[3 * N], mass[N], a[3 * N], u[N], drift[3], most = 0.;
  for (int i = 0; i < N; i++) {
    memcpy(position + 3 * i, (const double[3]){1., 2., 3.}, 3 * sizeof *position);
    mass[i] = 1.;
  }
  cairn_gravity_init(&gravity, &rules);
  gravity_run(&gravity, N, position, mass, 1, a, u, drift);
  for (int i = 0; i < N; i++)
    most = fmax(most, fabs(a[3 * i]) + fabs(a[3 * i + 1]) + fabs(a[3 * i + 2]) + fabs(u[i]));
  ok(most == 0. && drift[0] == 0., "100 bodies in one place feel nothing");
  cairn_gravity_fini(&gravity);
}

/* One structure for numbers of bodies that change, down to none. */
static void test_small(void) {
  const struct cairn_gravity_rules rules = {.G = CAIRN_GRAVITY_G, .accuracy = 1e-3, .order = 5, .max_bodies = 1};
  const double position[2][3] = {{0., 0., 0.}, {0., 3., 4.}}, mass[2] = {2., 3.};
  struct cairn_gravity gravity;
  double a[2][3] = {{0.}}, u[2] = {0.}, drift[3];
  cairn_gravity_init(&gravity, &rules);
  gravity_run(&gravity, 1, position[0], mass, 1, a[0], u, drift);
  ok(a[0][0] == 0. && a[0][1] == 0. && a[0][2] == 0. && u[0] == 0., "a single body feels nothing");
  gravity_run(&gravity, 2, position[0], mass, 1, a[0], u, drift);
  tap_near(a[0][1], CAIRN_GRAVITY_G * 3. * 0.6 / 25., 0., 1e-14, "two bodies, in SI units");
  tap_near(a[1][2], -CAIRN_GRAVITY_G * 2. * 0.8 / 25., 0., 1e-14, "the other one");
  tap_near(u[0], -CAIRN_GRAVITY_G * 3. / 5., 0., 1e-14, "potential");
  tap_near(drift[1], 0., 1e-25, 0., "no drift");
  gravity_run(&gravity, 0, NULL, NULL, 1, NULL, NULL, drift);
  ok(drift[0] == 0. && drift[1] == 0. && drift[2] == 0., "none at all");
  cairn_gravity_fini(&gravity);
}

/* Few bodies are summed directly, in as many branches as one likes; how few, the accuracy says. */
static void test_few(void) {
  struct cairn_gravity_rules rules = {.G = 1., .accuracy = 1e-3};
  uint64_t bits[2];
  for (int k = 0; k < 2; k++) {
    struct gravity_system s = gravity_system_make(GRAVITY_BILOBED, 700, 700);
    struct cairn_gravity gravity;
    rules.max_bodies = k ? 50 : 0;
    cairn_gravity_init(&gravity, &rules);
    gravity_run(&gravity, s.n, s.position, s.mass, 1, s.acceleration, s.potential, s.drift);
    const struct gravity_errors e = gravity_errors(&s);
    bits[k] = bits_of(&s);
    ok(e.rms < 1e-15 * sqrt(s.n) && e.potential < 1e-15 * sqrt(s.n),
       "few bodies in %d branches have the direct sum, RMS %.1e", gravity.terms.n_branches, e.rms);
    ok(e.momentum < 1e-15 * sqrt(s.n), "and no drift");
    cairn_gravity_fini(&gravity);
    gravity_system_free(&s);
  }
  ok(bits[0] == bits[1], "the same bits");
  struct gravity_system s = gravity_system_make(GRAVITY_SPHERE, 1500, 1500);
  ok(gravity_at_accuracy(&s, 1e-3, 0).rms > 1e-6, "more have not");
  ok(gravity_at_accuracy(&s, 1e-4, 0).rms < 1e-13, "unless the accuracy is high");
  gravity_system_free(&s);
}

int main(void) {
  plan(NO_PLAN);
  test_few();
  test_direct();
  test_orders();
  test_shifts();
  test_bits();
  test_stack();
  test_one_place(CAIRN_GRAVITY_LEAF);
  test_one_place(1000);
  test_all_in_one_place();
  test_small();
  done_testing();
}
