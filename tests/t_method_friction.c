/* Solvers of contact problems in W form: problems solved by hand, and random ones judged by a residual of the test's
 * own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/random.h"
#include "solvers/friction/friction.h"
#include "tap/tap.h"

enum { LANES = CAIRN_FRICTION_LANES, MOST = 300 };

/* A problem with dense W of d rows per contact. */
struct dense {
  int d, n;
  double w[MOST * MOST], q[MOST], mu[MOST];
};

static struct cairn_friction_problem *make(const struct dense *a) {
  const int size = a->d * a->n;
  int32_t *row = malloc((size_t)(size * size) * sizeof *row), *column = malloc((size_t)(size * size) * sizeof *column);
  struct cairn_sparse w;
  struct cairn_friction_problem *problem = NULL;
  struct cairn_error error = {0};
  for (int k = 0; k < size * size; k++) {
    row[k] = k / size;
    column[k] = k % size;
  }
  if (cairn_sparse_from_entries(size, size, size * size, row, column, a->w, &w, &error) ||
      cairn_friction_problem_create(&w, a->d, a->q, a->mu, &problem, &error))
    BAIL_OUT("%s", error.message);
  cairn_sparse_fini(&w);
  free(row);
  free(column);
  return problem;
}

static struct cairn_friction_result solve(const struct dense *a, const struct cairn_friction_solver *solver,
                                          double tolerance, int64_t most) {
  struct cairn_friction_problem *problem = make(a);
  struct cairn_friction_options options = {.solver = solver, .tolerance = tolerance, .max_sweeps = most};
  struct cairn_friction_result result;
  struct cairn_error error = {0};
  if (cairn_friction_solve_problem(problem, &options, &result, &error))
    BAIL_OUT("%s", error.message);
  cairn_friction_problem_free(problem);
  return result;
}

/* W = H^T M^-1 H, q = H^T v for one rigid body; h has a row of 6 for each impulse. */
static void one_body(struct dense *a, double h[][6], const double *inverse, const double *v) {
  for (int i = 0; i < a->d * a->n; i++) {
    a->q[i] = 0;
    for (int k = 0; k < 6; k++)
      a->q[i] += h[i][k] * v[k];
    for (int j = 0; j < a->d * a->n; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++)
        sum += h[i][k] * inverse[k] * h[j][k];
      a->w[a->d * a->n * i + j] = sum;
    }
  }
}

/* The two residuals as their definitions say, by dense products. */
static void judge(const struct dense *a, const double *r, double *scaled, double *siconos) {
  double sum = 0, push = 0, plain = 0, qq = 0, rr = 0, uu = 0;
  for (int i = 0; i < a->n; i++) {
    double u[3], x[2][3], trace = 0;
    for (int k = 0; k < 3; k++) {
      const int line = 3 * i + k;
      u[k] = a->q[line];
      for (int j = 0; j < 3 * a->n; j++)
        u[k] += a->w[3 * a->n * line + j] * r[LANES * (j / 3) + j % 3];
      trace += a->w[3 * a->n * line + line];
      qq += a->q[line] * a->q[line];
      rr += r[LANES * i + k] * r[LANES * i + k];
      uu += u[k] * u[k];
    }
    const double rho[2] = {3 / trace, 1};
    for (int displacement = 0; displacement < 2; displacement++) {
      double *p = x[displacement], mu = a->mu[i];
      for (int k = 0; k < 3; k++)
        p[k] = r[LANES * i + k] - rho[displacement] * (u[k] + (k == 0) * mu * hypot(u[1], u[2]));
      const double t = hypot(p[1], p[2]);
      if (mu * t <= -p[0]) {
        p[0] = p[1] = p[2] = 0;
      } else if (t > mu * p[0]) {
        p[0] = (p[0] + mu * t) / (1 + mu * mu);
        p[1] *= mu * p[0] / t;
        p[2] *= mu * p[0] / t;
      }
      double d2 = 0;
      for (int k = 0; k < 3; k++)
        d2 += pow(r[LANES * i + k] - p[k], 2);
      if (displacement)
        plain += d2;
      else
        sum += d2 / rho[0];
    }
    for (int k = 0; k < 3; k++)
      push += rho[0] * a->q[3 * i + k] * a->q[3 * i + k];
  }
  *scaled = sqrt(sum / push);
  *siconos = sqrt(plain / fmax(qq, fmax(rr, uu)));
}

/* A brick of mass 2 whose two contacts with the floor lie at (±1/2, 0, 0) of its centre, so that friction has no
 * torque. It comes down at speed 1 and slides along x. By symmetry each contact takes half the normal impulse m v = 2.
 */
static void test_brick(const struct cairn_friction_solver *solver) {
  static double h[6][6] = {{0, 0, 1, 0, -0.5, 0}, {1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0.5},
                           {0, 0, 1, 0, 0.5, 0},  {1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, -0.5}};
  static const double inverse[6] = {0.5, 0.5, 0.5, 4, 4, 4};
  struct dense a = {.d = 3, .n = 2, .mu = {0.25, 0.25}};
  const double tolerance = 1e-10, near = 1e-8; /* W has a condition of about 10 on its range */
  one_body(&a, h, inverse, (double[6]){1, 0, -1, 0, 0, 0});
  struct cairn_friction_result s = solve(&a, solver, tolerance, 0);
  ok(s.converged && s.n_slide == 2, "%s: a fast brick slides on both contacts", solver->name);
  for (int i = 0; i < 2; i++) {
    tap_near(s.r[LANES * i], 1, near, 0, "  half of m v");
    tap_near(s.r[LANES * i + 1], -0.25, near, 0, "  friction mu r_n against the motion");
    tap_near(s.u[LANES * i + 1], 0.75, near, 0, "  speed left: v - mu v_n");
  }
  cairn_friction_result_fini(&s);
  one_body(&a, h, inverse, (double[6]){0.1, 0, -1, 0, 0, 0});
  s = solve(&a, solver, tolerance, 0);
  ok(s.converged && s.n_stick == 2, "  a slow one is held");
  tap_near(s.r[1] + s.r[LANES + 1], -0.2, near, 0, "  by the momentum it had");
  tap_near(s.u[1], 0, near, 0, "  and stands");
  cairn_friction_result_fini(&s);
  one_body(&a, h, inverse, (double[6]){0.1, 0, 1, 0, 0, 0});
  s = solve(&a, solver, tolerance, 0);
  ok(s.converged && s.n_open == 2 && s.r[0] == 0 && s.r[1] == 0, "  one that rises is let go");
  cairn_friction_result_fini(&s);
}

/* A ball of mass 2 falls at speed 1 into a groove of two planes at 45°, without friction: m v = 2 r_n cos 45°. */
static void test_groove(const struct cairn_friction_solver *solver) {
  const double c = sqrt(0.5);
  double h[6][6] = {{c, 0, c, 0, 0, 0},  {0, 1, 0, 0.5, 0, 0}, {-c, 0, c, 0, 0.5, 0},
                    {-c, 0, c, 0, 0, 0}, {0, 1, 0, 0.5, 0, 0}, {c, 0, c, 0, -0.5, 0}};
  struct dense a = {.d = 3, .n = 2, .mu = {0, 0}};
  one_body(&a, h, (double[6]){0.5, 0.5, 0.5, 5, 5, 5}, (double[6]){0, 0, -1, 0, 0, 0});
  struct cairn_friction_result s = solve(&a, solver, 1e-10, 0);
  for (int i = 0; i < 2; i++)
    tap_near(s.r[LANES * i], sqrt(2), 1e-8, 0, "%s: a ball in a groove", solver->name);
  cairn_friction_result_fini(&s);
}

/* The brick in the plane: n and t only. */
static void test_plane(const struct cairn_friction_solver *solver) {
  static double h[4][6] = {{0, 0, 1, 0, -0.5, 0}, {1, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 0.5, 0}, {1, 0, 0, 0, 0, 0}};
  struct dense a = {.d = 2, .n = 2, .mu = {0.25, 0.25}};
  one_body(&a, h, (double[6]){0.5, 0.5, 0.5, 4, 4, 4}, (double[6]){1, 0, -1, 0, 0, 0});
  struct cairn_friction_result s = solve(&a, solver, 1e-10, 0);
  tap_near(s.r[0], 1, 1e-8, 0, "%s: the same in two dimensions", solver->name);
  tap_near(s.r[1], -0.25, 1e-8, 0, "  friction");
  ok(s.r[2] == 0 && s.u[2] == 0, "  nothing happens in the third");
  cairn_friction_result_fini(&s);
}

/* Contacts between random pairs of bodies (or a body and the ground) with random directions: more unknowns than degrees
 * of freedom, as in a pile. Masses 1 to `ratio`. */
static void random_pile(struct dense *a, uint64_t seed, int n, int bodies, double ratio, double mu) {
  static double h[MOST][6 * MOST];
  struct cairn_random random;
  double inverse[MOST], v[6 * MOST];
  cairn_random_init(&random, seed, 0, 0);
  *a = (struct dense){.d = 3, .n = n};
  memset(h, 0, sizeof h);
  for (int b = 0; b < bodies; b++) {
    inverse[b] = pow(ratio, -cairn_random_unit(&random));
    for (int k = 0; k < 6; k++)
      v[6 * b + k] = cairn_random_between(&random, -1, 1);
  }
  for (int i = 0; i < n; i++) {
    const int pair[2] = {i % bodies, (i + 1 + i / bodies) % (bodies + 1)};
    a->mu[i] = mu;
    for (int side = 0; side < 2; side++)
      for (int k = 0; k < 3 && pair[side] < bodies; k++) {
        double *row = h[3 * i + k] + 6 * pair[side];
        for (int e = 0; e < 6; e++)
          row[e] += cairn_random_between(&random, -1, 1) * (e < 3 ? 1 : 1.5);
      }
  }
  for (int i = 0; i < 3 * n; i++)
    for (int k = 0; k < 6 * bodies; k++) {
      a->q[i] += h[i][k] * v[k];
      for (int j = 0; j < 3 * n; j++)
        a->w[3 * n * i + j] += h[i][k] * h[j][k] * inverse[k / 6];
    }
}

static void test_piles(const struct cairn_friction_solver *solver) {
  static struct dense a;
  static const struct {
    int n, bodies;
    double ratio, mu;
  } piles[] = {{20, 12, 1, 0.3}, {60, 20, 1, 0.5}, {90, 30, 100, 0.3}, {40, 20, 1e4, 0.1}};
  for (uint64_t i = 0; i < sizeof piles / sizeof *piles; i++) {
    double scaled, siconos;
    random_pile(&a, i, piles[i].n, piles[i].bodies, piles[i].ratio, piles[i].mu);
    struct cairn_friction_result s = solve(&a, solver, 1e-6, 200000);
    judge(&a, s.r, &scaled, &siconos);
    ok(s.converged && scaled <= 1.001e-6, "%s: %d contacts of %d bodies, masses 1 to %g: %lld sweeps", solver->name,
       piles[i].n, piles[i].bodies, piles[i].ratio, (long long)s.sweeps);
    /* both are differences of numbers of the size of r: relative to them rounding is 1e-16, to the residual 1e-10 */
    tap_near(s.residual, scaled, 1e-14, 1e-6, "  the residual is what its definition says");
    tap_near(s.siconos, siconos, 1e-14, 1e-6, "  and so is Siconos'");
    cmp_ok(s.n_open + s.n_stick + s.n_slide, "==", piles[i].n, "  every contact has a state");
    cairn_friction_result_fini(&s);
  }
}

/* The loops themselves, against dense products. */
static void test_loops(void) {
  static struct dense a;
  enum { N = 60 };
  double r[LANES * N] = {0}, u[LANES * N], fresh[LANES * N], worst = 0, carried = 0;
  random_pile(&a, 9, N, 20, 10, 0.5);
  struct cairn_friction_problem *problem = make(&a);
  const struct cairn_friction_system s = cairn_friction_problem_system(problem);
  memcpy(u, s.q, sizeof u);
  for (int sweep = 0; sweep < 3; sweep++)
    cairn_kernel_friction_sweep(&s, r, u);
  cairn_kernel_friction_velocity(&s, r, fresh);
  for (int i = 0; i < 3 * N; i++) {
    double line = a.q[i];
    for (int j = 0; j < 3 * N; j++)
      line += a.w[3 * N * i + j] * r[LANES * (j / 3) + j % 3];
    worst = fmax(worst, fabs(line - fresh[LANES * (i / 3) + i % 3]));
    carried = fmax(carried, fabs(line - u[LANES * (i / 3) + i % 3]));
  }
  /* sums of some hundred numbers of size 1 */
  tap_near(worst, 0, 1e-12, 0, "u = W r + q");
  tap_near(carried, 0, 1e-12, 0, "and sweeps have carried u along");
  cairn_friction_problem_free(problem);
}

static void test_momentum(void) {
  double x[2 * LANES] = {1, 2, 3, 4, 5, 6, 7, 8}, before[2 * LANES] = {0};
  cairn_kernel_friction_carry_on(2, 0.25, x, before);
  ok(x[0] == 1.25 && x[6] == 8.75 && before[0] == 1 && before[6] == 7, "x + beta (x - before)");
  /* t = 1, (1 + sqrt 5)/2, …: beta = 0, (t_2 - 1)/t_3 = 0.28175, then on towards 1 */
  struct cairn_cd_control control = cairn_cd_control_start(CAIRN_CD_NESTEROV, NULL);
  tap_near(cairn_cd_control_momentum(&control), 0, 0, 0, "momentum starts from 0");
  tap_near(cairn_cd_control_momentum(&control), 0.281753, 1e-6, 0, "grows by Nesterov's rule");
  double beta = 0;
  for (int i = 0; i < 1000; i++)
    beta = cairn_cd_control_momentum(&control);
  tap_near(beta, 1 - 3. / 1003, 1e-4, 0, "towards 1 - 3/k");
  ok(!cairn_cd_control_residual(&control, 1.) && !cairn_cd_control_residual(&control, 1.1) &&
         cairn_cd_control_momentum(&control) > 0.9,
     "a residual that grows by waves leaves it");
  ok(cairn_cd_control_residual(&control, 1.3) && cairn_cd_control_momentum(&control) == 0,
     "one that grows by a third starts it anew");
  int restarts = 0;
  for (int i = 0; i < 100; i++)
    restarts += cairn_cd_control_residual(&control, 1.3);
  cmp_ok(restarts, "==", 100 / CAIRN_CD_CONTROL_PATIENCE, "and so does one that stays");
  cmp_ok((int)control.restarts, "==", 1 + restarts, "which is counted");
  control = cairn_cd_control_start(CAIRN_CD_NSGS, NULL);
  for (int i = 0; i < 10; i++)
    beta = cairn_cd_control_residual(&control, 1.) ? -1. : cairn_cd_control_momentum(&control);
  tap_near(beta, 0, 0, 0, "plain sweeps have none");
}

/* A scene that bears momentum up to t = 12: less of it takes more sweeps, more does as well or has to restart. */
static double sweeps_with(double limit, int step) { return limit < 12. ? 600. / limit : step % 8 < 2 ? 80. : 51.; }

static void test_tuning(void) {
  struct cairn_cd_tuning tuning = {0., 0.};
  struct cairn_cd_control control = cairn_cd_control_start(CAIRN_CD_NESTEROV, &tuning);
  ok(control.limit >= 1e9, "the first step has no limit");
  cairn_cd_tuning_learn(&tuning, 200.);
  double low = 1e9, high = 0.;
  for (int step = 0; step < 400; step++) {
    control = cairn_cd_control_start(CAIRN_CD_NESTEROV, &tuning);
    for (int i = 0; i < 200; i++)
      cairn_cd_control_momentum(&control);
    if (!(control.t <= control.limit))
      fail("the momentum stays below its limit");
    cairn_cd_tuning_learn(&tuning, sweeps_with(control.limit, step));
    low = step >= 100 ? fmin(low, tuning.limit) : low;
    high = step >= 100 ? fmax(high, tuning.limit) : high;
  }
  ok(low > 6. && high < 24., "it comes to what the scene bears within a factor of two: %.1f to %.1f for 12", low, high);
  for (int step = 0; step < 400; step++)
    cairn_cd_tuning_learn(&tuning, 10.);
  tap_near(tuning.limit, CAIRN_CD_TUNING_LEAST, 0, 0, "where it makes no difference there is little");
}

/* A tower of bricks that falls on the ground and slides, `contacts` random ones between two bricks: with more than
 * three the impulses are not determined, and from six on not even half of them. */
static void tower(struct dense *a, uint64_t seed, int bricks, int contacts, double mu) {
  static double h[3 * MOST][6 * MOST];
  struct cairn_random random;
  cairn_random_init(&random, seed, 0, 0);
  *a = (struct dense){.d = 3, .n = bricks * contacts};
  memset(h, 0, sizeof h);
  for (int i = 0; i < a->n; i++) {
    const double x = cairn_random_between(&random, -1, 1), y = cairn_random_between(&random, -1, 1);
    const int brick = i / contacts;
    a->mu[i] = mu;
    for (int side = 0; side < 2; side++) { /* of the brick above at its lower face, of the one below at its upper one */
      const int body = brick - side;
      const double z = side ? 0.5 : -0.5, sign = side ? -1 : 1, arm[3] = {x, y, z};
      for (int k = 0; k < 3 && body >= 0; k++) {
        const int axis = (k + 2) % 3, e = (axis + 1) % 3, f = (axis + 2) % 3; /* n along z, tangents along x and y */
        double *row = h[3 * i + k] + 6 * body;
        row[axis] = sign;
        row[3 + e] = sign * arm[f]; /* (ω × arm) along the axis */
        row[3 + f] = -sign * arm[e];
      }
    }
  }
  for (int i = 0; i < 3 * a->n; i++)
    for (int k = 0; k < 6 * bricks; k++) {
      a->q[i] += h[i][k] * (k % 6 == 0 ? 0.3 : k % 6 == 2 ? -1 : 0);
      for (int j = 0; j < 3 * a->n; j++)
        a->w[3 * a->n * i + j] += h[i][k] * h[j][k] * (k % 6 < 3 ? 1 : 2.4);
    }
}

static void test_towers(const struct cairn_friction_solver *solver) {
  static struct dense a;
  static const int sizes[][2] = {{1, 24}, {3, 24}, {6, 12}, {10, 8}, {20, 4}};
  for (uint64_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int k = 0; k < 2; k++) {
      const double mu = k ? 0.2 : 0.8;
      tower(&a, i, sizes[i][0], sizes[i][1], mu);
      struct cairn_friction_result s = solve(&a, solver, 1e-8, 100000);
      ok(s.converged,
         "%s: %d bricks on %d contacts each, friction %g: %.1e after %lld sweeps, %lld restarts, %lld switches",
         solver->name, sizes[i][0], sizes[i][1], mu, s.residual, (long long)s.sweeps, (long long)s.restarts,
         (long long)s.switches);
      cairn_friction_result_fini(&s);
    }
}

static void test_contract(const struct cairn_friction_solver *solver) {
  static struct dense a, b;
  double scaled, siconos;
  random_pile(&a, 7, 60, 20, 10, 0.5);
  struct cairn_friction_result s = solve(&a, solver, 1e-12, 3);
  judge(&a, s.r, &scaled, &siconos);
  ok(!s.converged && s.sweeps == 3, "%s: three sweeps are not enough, and it says so", solver->name);
  tap_near(s.residual, scaled, 0, 1e-9, "  with the residual it really has");
  cairn_friction_result_fini(&s);

  s = solve(&a, solver, 1e-6, 200000);
  struct cairn_friction_result again = solve(&a, solver, 1e-6, 200000);
  ok(memcmp(s.r, again.r, sizeof(double) * LANES * 60) == 0, "  the same bits every time");
  cairn_friction_result_fini(&again);
  /* in other units, by powers of two: every number of the solution is shifted, the residual is the same to the bit */
  b = a;
  for (int k = 0; k < 180 * 180; k++)
    b.w[k] = ldexp(a.w[k], -20);
  for (int k = 0; k < 180; k++)
    b.q[k] = ldexp(a.q[k], 6);
  again = solve(&b, solver, 1e-6, 200000);
  ok(again.sweeps == s.sweeps && again.residual == s.residual && again.r[0] == ldexp(s.r[0], 26),
     "  the residual does not depend on units");
  cairn_friction_result_fini(&again);
  cairn_friction_result_fini(&s);

  memset(a.q, 0, sizeof a.q);
  s = solve(&a, solver, 1e-6, 0);
  ok(s.converged && s.sweeps == 0 && s.n_open == 60, "  nothing moves: nothing to do");
  cairn_friction_result_fini(&s);
}

int main(void) {
  plan(NO_PLAN);
  for (int i = 0; cairn_friction_solver_at(i); i++) {
    const struct cairn_friction_solver *solver = cairn_friction_solver_at(i);
    ok(cairn_friction_solver_named(solver->name) == solver, "%s has its name", solver->name);
    test_brick(solver);
    test_groove(solver);
    test_plane(solver);
    test_piles(solver);
    test_contract(solver);
  }
  test_towers(cairn_friction_solver_at(0));
  test_loops();
  test_momentum();
  test_tuning();
  ok(!cairn_friction_solver_named("nonsense"), "an unknown name");
  done_testing();
}
