#include "solvers/friction/friction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LANES = CAIRN_FRICTION_LANES };

#define SOLVER(name) &cairn_friction_##name,
static const struct cairn_friction_solver *const solvers[] = {CAIRN_FRICTION_SOLVERS(SOLVER)};
enum { N_SOLVERS = sizeof solvers / sizeof solvers[0] };

const struct cairn_friction_solver *cairn_friction_solver_at(int index) {
  return index >= 0 && index < N_SOLVERS ? solvers[index] : NULL;
}

const struct cairn_friction_solver *cairn_friction_solver_named(const char *name) {
  for (int i = 0; i < N_SOLVERS; i++)
    if (strcmp(solvers[i]->name, name) == 0)
      return solvers[i];
  return NULL;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void measure(struct cairn_friction_work *work) {
  work->residual = sqrt(cairn_kernel_friction_residual(&work->system, work->r, work->u) / work->scale);
  work->diverged = !isfinite(work->residual);
}

int cairn_friction_is_done(struct cairn_friction_work *work) {
  measure(work);
  if (work->residual <= work->tolerance) {
    /* u was carried along; the verdict is about the one that follows from r */
    cairn_kernel_friction_velocity(&work->system, work->r, work->u);
    measure(work);
  }
  return work->diverged || work->residual <= work->tolerance || work->sweeps >= work->most;
}

static double norm2(const double *x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      sum += x[LANES * i + k] * x[LANES * i + k];
  return sum;
}

/* Sliding impulses lie on the surface of the cone up to rounding. */
static void classify(const struct cairn_friction_system *s, const double *r, struct cairn_friction_result *result) {
  for (int64_t i = 0; i < s->n; i++) {
    const double *ri = r + LANES * i, mu = s->law[LANES * i + 2];
    const double t = sqrt(ri[1] * ri[1] + ri[2] * ri[2]);
    if (ri[0] <= 0)
      result->n_open++;
    else if (t >= mu * ri[0] * (1 - 1e-12))
      result->n_slide++;
    else
      result->n_stick++;
  }
}

static double siconos_residual(const struct cairn_friction_system *s, const double *r, const double *u) {
  double sum = 0, d[3];
  for (int64_t i = 0; i < s->n; i++)
    sum += cairn_friction_natural_map(s->law[LANES * i + 2], 1, r + LANES * i, u + LANES * i, d);
  const double scale = fmax(norm2(s->q, s->n), fmax(norm2(r, s->n), norm2(u, s->n)));
  return scale > 0 ? sqrt(sum / scale) : 0;
}

static double scale_of(const struct cairn_friction_system *s) {
  double sum = 0;
  for (int64_t i = 0; i < s->n; i++)
    sum += s->law[LANES * i + 3] * norm2(s->q + LANES * i, 1);
  return sum;
}

static void work_fini(struct cairn_friction_work *work) {
  free(work->r0);
  free(work->u0);
  free(work->y);
  free(work->p);
}

static int work_init(const struct cairn_friction_problem *problem, const struct cairn_friction_options *options,
                     struct cairn_friction_work *work, struct cairn_error *error) {
  const size_t n = LANES * (size_t)problem->n;
  *work = (struct cairn_friction_work){
      .system = cairn_friction_problem_system(problem),
      .tolerance = options->tolerance > 0 ? options->tolerance : 1e-4,
      .most = options->max_sweeps > 0 ? options->max_sweeps : 10000,
      .r = calloc(n, sizeof(double)),
      .u = malloc(n * sizeof(double)),
      .r0 = calloc(n, sizeof(double)),
      .u0 = malloc(n * sizeof(double)),
      .y = calloc(n, sizeof(double)),
      .p = calloc(n, sizeof(double)),
  };
  if (!work->r || !work->u || !work->r0 || !work->u0 || !work->y || !work->p) {
    free(work->r);
    free(work->u);
    work_fini(work);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for %lld contacts", (long long)problem->n);
  }
  memcpy(work->u, problem->q, n * sizeof(double));
  memcpy(work->u0, problem->q, n * sizeof(double));
  work->scale = scale_of(&work->system);
  return 0;
}

int cairn_friction_solve_problem(const struct cairn_friction_problem *problem,
                                 const struct cairn_friction_options *options, struct cairn_friction_result *result,
                                 struct cairn_error *error) {
  struct cairn_friction_work work;
  *result = (struct cairn_friction_result){0};
  int status = work_init(problem, options, &work, error);
  if (status)
    return status;
  const double start = now();
  /* r = 0 solves q = 0. */
  if (work.scale > 0)
    (options->solver ? options->solver : solvers[0])->solve(&work);
  result->seconds = now() - start;
  cairn_kernel_friction_velocity(&work.system, work.r, work.u);
  if (work.scale > 0)
    measure(&work);
  result->residual = work.residual;
  result->converged = work.residual <= work.tolerance;
  result->siconos = siconos_residual(&work.system, work.r, work.u);
  result->sweeps = work.sweeps;
  result->restarts = work.restarts;
  result->switches = work.switches;
  classify(&work.system, work.r, result);
  result->r = work.r;
  result->u = work.u;
  work_fini(&work);
  return 0;
}

void cairn_friction_result_fini(struct cairn_friction_result *result) {
  free(result->r);
  free(result->u);
  result->r = result->u = NULL;
}
