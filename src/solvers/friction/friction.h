/* Solvers of frictional contact problems in W form (data/fclib/friction_problem.h), one thread, the same bits every
 * time. */
#ifndef CAIRN_SOLVERS_FRICTION_FRICTION_H
#define CAIRN_SOLVERS_FRICTION_FRICTION_H

#include "data/fclib/friction_problem.h"
#include "kernels/contact_dynamics/cd_solvers.h"

/* Work space of the solvers: vectors of CAIRN_FRICTION_LANES doubles per contact. */
struct cairn_friction_work {
  struct cairn_friction_system system;
  double *r, *u;    /* the solution so far; u = W r + q */
  double *r0, *u0;  /* those before */
  double *y, *p;    /* search directions, extrapolated points */
  double scale;     /* sum rho |q|², which residuals are relative to */
  double tolerance; /* of the residual */
  int64_t most, sweeps;
  int64_t measured; /* the sweep after which the residual was last evaluated */
  double residual;  /* the last one that was evaluated */
  double t, best;   /* momentum, see below; the least residual since it started */
  int diverged;     /* the numbers left their range */
};

/* A method: sweeps over the contacts until the residual is small or enough sweeps are done. */
struct cairn_friction_solver {
  const char *name, *summary;
  void (*solve)(struct cairn_friction_work *work);
};

#define CAIRN_FRICTION_SOLVER(upper, name) extern const struct cairn_friction_solver cairn_friction_##name;
CAIRN_CD_SOLVERS(CAIRN_FRICTION_SOLVER)

/* By name; NULL if there is none of this name. Index counts from 0, NULL behind the last. */
const struct cairn_friction_solver *cairn_friction_solver_named(const char *name);
const struct cairn_friction_solver *cairn_friction_solver_at(int index);

struct cairn_friction_options {
  const struct cairn_friction_solver *solver; /* NULL: the first of the list */
  double tolerance;                           /* 0: 1e-4 */
  int64_t max_sweeps;                         /* 0: 10000 */
};

struct cairn_friction_result {
  int converged;
  int64_t sweeps;  /* over all contacts: sweeps or products with W */
  double seconds;  /* of the solver */
  double residual; /* sqrt( sum |d_i|²/rho_i / sum rho_i |q_i|² ), d the natural map with rho_i = 3/trace(W_ii) */
  double siconos;  /* sqrt( sum |d_i|² ) / max(|q|, |r|, |u|), d the natural map with rho = 1 */
  int64_t n_open, n_stick, n_slide;
  double *r, *u; /* owned; CAIRN_FRICTION_LANES per contact, u = W r + q */
};

/* Solve from r = 0. That the residual stays above the tolerance is no error: see `converged`. */
int cairn_friction_solve_problem(const struct cairn_friction_problem *problem,
                                 const struct cairn_friction_options *options, struct cairn_friction_result *result,
                                 struct cairn_error *error);

void cairn_friction_result_fini(struct cairn_friction_result *result);

/* For the methods: is it time to end? Evaluates the residual of r and u, which must fit each other, at the first sweeps
 * and at every fourth one after them, where that is a few per cent of the work. */
int cairn_friction_is_done(struct cairn_friction_work *work);

/* Nesterov's momentum: the fraction beta of the last change by which the next step extrapolates, growing from 0 towards
 * 1 as t_(k+1) = (1 + sqrt(1 + 4 t_k²))/2, beta = (t_k - 1)/t_(k+1). It starts from 0 again where a step takes back
 * what the momentum brought (O'Donoghue and Candes 2015), and where the residual grows: friction derives from no
 * potential, and momentum close to 1 can feed on that. */
double cairn_friction_momentum(struct cairn_friction_work *work, int takes_back);

#endif
