/* Coulomb's law at one contact: cone, natural map, local solvers. Every solution is checked against the law itself, and
 * against closed forms or brute force where there are any. */
#include <math.h>
#include <string.h>

#include "data/base/random.h"
#include "kernels/common/vec3.h"
#include "kernels/contact_dynamics/friction.h"
#include "tap/tap.h"

static void apply(const double *w, const double *r, const double *b, double *u) {
  for (int k = 0; k < 3; k++)
    u[k] = cairn_vec3_dot(w + 3 * k, r) + b[k];
}

/* How far (r, u = W r + b) is from the law, relative to the velocities that were added up. The numbers of u are sums of
 * products with a relative rounding of 2^-53 each; a few dozen operations stay far below 1e-12 of the sum of their
 * sizes wherever the solver is backward stable, whatever the condition of W. */
static double violation(const double *w, const double *b, double mu, const double *r) {
  double u[3], size = 0, worst = 0;
  apply(w, r, b, u);
  for (int k = 0; k < 3; k++)
    size = fmax(size, fabs(b[k]) + fabs(w[3 * k] * r[0]) + fabs(w[3 * k + 1] * r[1]) + fabs(w[3 * k + 2] * r[2]));
  if (size == 0)
    size = 1;
  const double t = hypot(r[1], r[2]), v = hypot(u[1], u[2]);
  worst = fmax(worst, -u[0] / size);                     /* u_n >= 0 */
  worst = fmax(worst, r[0] < 0 ? 1 : 0);                 /* r_n >= 0 */
  worst = fmax(worst, r[0] > 0 ? fabs(u[0]) / size : 0); /* u_n r_n = 0 */
  worst = fmax(worst, t > 0 ? t / (mu * r[0]) - 1 : 0);  /* |r_T| <= mu r_n */
  if (r[0] > 0 && t < mu * r[0] * (1 - 1e-12))           /* inside the cone: no sliding */
    worst = fmax(worst, v / size);
  else if (r[0] > 0 && v > 0 && mu > 0) /* r_T against u_T */
    worst = fmax(worst, hypot(u[1] + v * r[1] / t, u[2] + v * r[2] / t) / size);
  return worst == worst ? worst : INFINITY;
}

/* W of a contact between two rigid bodies: for each, 1/m + (arm × direction)·I^-1 (arm × direction) with principal
 * moments of any size and a random attitude. Masses differ by up to `ratio`. */
static void two_bodies(struct cairn_random *random, double ratio, double *w) {
  memset(w, 0, 9 * sizeof *w);
  for (int body = 0; body < 2; body++) {
    double arm[3], axis[3][3], mass = pow(ratio, cairn_random_unit(random));
    for (int k = 0; k < 3; k++)
      arm[k] = cairn_random_between(random, -1, 1);
    cairn_random_direction(random, axis[0]);
    cairn_random_direction(random, axis[1]);
    const double along = cairn_vec3_dot(axis[0], axis[1]);
    for (int k = 0; k < 3; k++)
      axis[1][k] -= along * axis[0][k];
    const double length = sqrt(cairn_vec3_dot(axis[1], axis[1]));
    for (int k = 0; k < 3; k++)
      axis[1][k] /= length;
    for (int k = 0; k < 3; k++)
      axis[2][k] = axis[0][(k + 1) % 3] * axis[1][(k + 2) % 3] - axis[0][(k + 2) % 3] * axis[1][(k + 1) % 3];
    double turn[3][3]; /* arm × unit vector, along the principal axes, over the root of the moment */
    for (int k = 0; k < 3; k++) {
      const double e[3] = {k == 0, k == 1, k == 2};
      const double moment[3] = {arm[1] * e[2] - arm[2] * e[1], arm[2] * e[0] - arm[0] * e[2],
                                arm[0] * e[1] - arm[1] * e[0]};
      for (int a = 0; a < 3; a++)
        turn[k][a] = cairn_vec3_dot(axis[a], moment) / sqrt(mass * (0.05 + 0.2 * a));
    }
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        w[3 * i + j] += (i == j) / mass + cairn_vec3_dot(turn[i], turn[j]);
  }
}

/* A A^T with random A. */
static void random_matrix(struct cairn_random *random, double *w) {
  double a[9];
  for (int k = 0; k < 9; k++)
    a[k] = cairn_random_between(random, -1, 1);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      w[3 * i + j] = cairn_vec3_dot(a + 3 * i, a + 3 * j) + (i == j) * 1e-3;
}

static void random_vector(struct cairn_random *random, double *b) {
  for (int k = 0; k < 3; k++)
    b[k] = cairn_random_between(random, -1, 1);
}

static double random_mu(struct cairn_random *random) {
  static const double some[] = {0, 1e-6, 0.1, 0.3, 0.5, 1, 3, 100};
  return some[cairn_random_bits(random) % 8];
}

static void test_projection(void) {
  struct cairn_random random;
  double inside = 0, polar = 0, along = 0;
  cairn_random_init(&random, 1, 0, 0);
  for (int i = 0; i < 20000; i++) {
    double x[3], p[3], mu = random_mu(&random);
    random_vector(&random, x);
    memcpy(p, x, sizeof p);
    cairn_friction_project(mu, p);
    const double d[3] = {p[0] - x[0], p[1] - x[1], p[2] - x[2]};
    /* Moreau: p in K, p - x in K*, and they are at right angles; that is the projection and nothing else is */
    inside = fmax(inside, hypot(p[1], p[2]) - mu * p[0]);
    polar = fmax(polar, mu * hypot(d[1], d[2]) - d[0]);
    along = fmax(along, fabs(cairn_vec3_dot(p, d)));
  }
  tap_near(inside, 0, 1e-14, 0, "a projection lies in the cone");
  tap_near(polar, 0, 1e-13, 0, "what it took away lies in the polar cone");
  tap_near(along, 0, 1e-15, 0, "at right angles");
  double vertex[3] = {0, 0, 0};
  cairn_friction_project(0, vertex);
  ok(vertex[0] == 0 && vertex[1] == 0 && vertex[2] == 0, "zero stays zero without friction");
}

static void test_diagonal(void) {
  struct cairn_random random;
  double worst = 0, general = 0;
  int found[3] = {0};
  cairn_random_init(&random, 2, 0, 0);
  for (int i = 0; i < 20000; i++) {
    const double size = pow(10, cairn_random_between(&random, -12, 12));
    const double w_n = size * cairn_random_between(&random, 0.1, 1), w_t = size * cairn_random_between(&random, 0.1, 1);
    const double w[9] = {w_n, 0, 0, 0, w_t, 0, 0, 0, w_t}, mu = random_mu(&random);
    double b[3], r[3] = {0}, again[3];
    random_vector(&random, b);
    const struct cairn_friction_contact c = cairn_friction_contact(w, mu);
    found[cairn_friction_solve_diagonal(&c, b, r)]++;
    worst = fmax(worst, violation(w, b, mu, r));
    cairn_friction_solve(&c, b, again);
    for (int k = 0; k < 3; k++)
      general = fmax(general, fabs(again[k] - r[k]) * size);
  }
  ok(found[0] > 1000 && found[1] > 1000 && found[2] > 1000, "open, sticking and sliding contacts occur");
  tap_near(worst, 0, 1e-12, 0, "spheres: the closed form obeys the law");
  tap_near(general, 0, 1e-12, 0, "the general solver finds the same impulse");
}

/* The kinds of matrix that files hold. */
static void make(int kind, struct cairn_random *random, double *w) {
  switch (kind) {
  case 0:
    random_matrix(random, w);
    break;
  case 1:
    two_bodies(random, 1e6, w);
    break;
  case 2: /* badly scaled rows and columns, condition up to 1e24, still positive definite */
    random_matrix(random, w);
    const double s[3] = {pow(10, cairn_random_between(random, -6, 6)), pow(10, cairn_random_between(random, -6, 6)),
                         pow(10, cairn_random_between(random, -6, 6))};
    for (int k = 0; k < 9; k++)
      w[k] *= s[k / 3] * s[k % 3];
    break;
  case 3: /* not quite symmetric */
    random_matrix(random, w);
    w[0] += 0.3;
    w[4] += 0.3;
    w[8] += 0.3;
    for (int k = 0; k < 9; k++)
      w[k] += k % 4 ? 0.05 * cairn_random_between(random, -1, 1) : 0;
    break;
  default: { /* of rank one and a trace of the rest: three contacts that act on one weak degree of freedom */
    double a[3];
    random_vector(random, a);
    for (int k = 0; k < 9; k++)
      w[k] = a[k / 3] * a[k % 3] + (k % 4 ? 0 : 1e-13);
  }
  }
}

static void test_general(void) {
  static const char *const names[] = {"random matrices", "two rigid bodies, masses up to 1 : 1e6",
                                      "rows scaled by 1e-6 to 1e6", "not symmetric", "nearly singular"};
  for (int kind = 0; kind < 5; kind++) {
    struct cairn_random random;
    double worst = 0, at_solution = 0;
    int found[3] = {0}, wrong = 0;
    cairn_random_init(&random, 3, (uint64_t)kind, 0);
    for (int i = 0; i < 100000; i++) {
      double w[9], b[3], r[3] = {0}, u[3], d[3], mu = random_mu(&random);
      const double size = pow(10, cairn_random_between(&random, -12, 12));
      make(kind, &random, w);
      random_vector(&random, b);
      mu = i % 8 ? mu : 1e8;
      for (int k = 0; k < 9; k++)
        w[k] *= size;
      const struct cairn_friction_contact c = cairn_friction_contact(w, mu);
      const enum cairn_friction_state state = cairn_friction_solve(&c, b, r);
      found[state]++;
      worst = fmax(worst, violation(w, b, mu, r));
      wrong += (state == CAIRN_FRICTION_OPEN) != (b[0] >= 0);
      apply(w, r, b, u);
      if (kind == 0 && mu <= 100) /* rounding of u_T counts mu times */
        at_solution = fmax(at_solution, sqrt(cairn_friction_natural_map(mu, c.rho, r, u, d)) * size /
                                            (1 + size * sqrt(cairn_vec3_dot(r, r))));
    }
    ok(found[0] > 1000 && found[1] > 1000 && found[2] > 1000, "%s: open %d, sticking %d, sliding %d", names[kind],
       found[0], found[1], found[2]);
    tap_near(worst, 0, 1e-12, 0, "  the law holds");
    cmp_ok(wrong, "==", 0, "  a contact is open exactly if it parts by itself");
    if (kind == 0)
      tap_near(at_solution, 0, 1e-12, 0, "  the natural map vanishes");
  }
}

/* Sliding by brute force, for a symmetric W and moderate friction where the solution is unique: for each direction of
 * r_T on the cone u_n = 0 gives r_n; the direction in which r_T is against u_T is found by bisection from 2000 starts.
 */
static int slide_by_angle(const double *w, const double *b, double mu, double *r) {
  enum { STARTS = 2000 };
  double before = 0, from = 0;
  for (int i = 0; i <= STARTS; i++) {
    double low = from, angle = 2 * acos(-1) * i / STARTS, cross = 0;
    for (int pass = 0; pass < 61; pass++) {
      const double at = pass ? 0.5 * (low + angle) : angle;
      const double e[3] = {1, mu * cos(at), mu * sin(at)};
      double u[3];
      const double s = -b[0] / cairn_vec3_dot(w, e);
      for (int k = 0; k < 3; k++)
        r[k] = s * e[k];
      apply(w, r, b, u);
      cross = u[1] * sin(at) - u[2] * cos(at);
      if (pass == 0 && (i == 0 || (cross > 0) == (before > 0))) {
        before = cross;
        from = angle;
        break;
      }
      if (pass == 60 && u[1] * cos(at) + u[2] * sin(at) < 0 && s > 0)
        return 1;
      if (pass == 0)
        continue;
      if ((cross > 0) == (before > 0))
        low = at;
      else
        angle = at;
      if (pass == 60) {
        i = (int)ceil(at * STARTS / (2 * acos(-1)));
        before = -before;
        from = 2 * acos(-1) * i / STARTS;
      }
    }
  }
  return 0;
}

static void test_brute_force(void) {
  struct cairn_random random;
  double worst = 0;
  int n = 0, none = 0;
  cairn_random_init(&random, 4, 0, 0);
  for (int i = 0; i < 2000; i++) {
    double w[9], b[3], r[3], want[3];
    random_matrix(&random, w);
    for (int k = 0; k < 3; k++)
      w[4 * k] += 2; /* W_nT small against w_nn / mu: one solution only */
    random_vector(&random, b);
    const double mu = cairn_random_between(&random, 0.05, 0.5);
    const struct cairn_friction_contact c = cairn_friction_contact(w, mu);
    if (cairn_friction_solve(&c, b, r) != CAIRN_FRICTION_SLIDE)
      continue;
    n++;
    if (!slide_by_angle(w, b, mu, want)) {
      none++;
      continue;
    }
    for (int k = 0; k < 3; k++)
      worst = fmax(worst, fabs(r[k] - want[k]));
  }
  ok(n > 300 && none == 0, "brute force finds each of %d sliding solutions", n);
  /* bisection of the angle to 2^-61 of the interval; the angle of a small u_T is known to 1e-16/|u_T| only */
  tap_near(worst, 0, 1e-11, 0, "and the same impulse");
}

static void test_edges(void) {
  const double w[9] = {2, 0.1, 0, 0.1, 3, 0.2, 0, 0.2, 4};
  double r[3], b[3] = {0, 0, 0};
  struct cairn_friction_contact c = cairn_friction_contact(w, 0.5);
  ok(!c.diagonal, "a full matrix is not taken for a diagonal one");
  cmp_ok(cairn_friction_solve(&c, b, r), "==", CAIRN_FRICTION_OPEN, "a contact that only touches is open");
  ok(r[0] == 0 && r[1] == 0 && r[2] == 0, "and carries nothing");
  b[0] = -1;
  c = cairn_friction_contact(w, 0);
  cmp_ok(cairn_friction_solve(&c, b, r), "==", CAIRN_FRICTION_SLIDE, "without friction a closed contact slides");
  ok(r[0] == 0.5 && r[1] == 0 && r[2] == 0, "pushed along the normal alone");
  /* a tangent without any resistance of its own: sticking is the limit of sliding ever more slowly */
  const double flat[9] = {1, 0, 0, 0, 1, 1, 0, 1, 1};
  const double along[3] = {-1, 0.1, 0.1};
  c = cairn_friction_contact(flat, 0.5);
  cairn_friction_solve(&c, along, r);
  tap_near(violation(flat, along, 0.5, r), 0, 1e-12, 0, "a singular tangential block");
  const double mu = 0.5, v[3] = {0, 3, 4}, zero[3] = {0, 0, 0};
  double d[3];
  tap_near(cairn_friction_natural_map(mu, 1, zero, v, d), 0, 0, 0, "sliding without force is a solution");
}

int main(void) {
  plan(NO_PLAN);
  test_projection();
  test_diagonal();
  test_general();
  test_brute_force();
  test_edges();
  done_testing();
}
