/* Solvers of frictional contact problems in W form (data/fclib/friction_problem.h), one thread, the same bits every
 * time. */
#ifndef CAIRN_SOLVERS_FRICTION_FRICTION_H
#define CAIRN_SOLVERS_FRICTION_FRICTION_H

#include "data/fclib/friction_problem.h"
#include "kernels/contact_dynamics/cd_control.h"

/* Work space of the solvers: vectors of CAIRN_FRICTION_LANES doubles per contact. */
struct cairn_friction_work {
  struct cairn_friction_system system;
  double *r, *u;    /* the solution so far; u = W r + q */
  double *r0, *u0;  /* those before */
  double *y, *p;    /* search directions, extrapolated points */
  double scale;     /* sum rho |q|², which residuals are relative to */
  double tolerance; /* of the residual */
  int64_t most, sweeps;
  double residual;  /* the last one that was evaluated */
  int64_t restarts; /* of the momentum */
  int64_t switches; /* from sweeps to projected gradients, where sweeps did not get on */
  int diverged;     /* the numbers left their range */
};

/* A method: sweeps over the contacts until the residual is small or enough sweeps are done. */
struct cairn_friction_solver {
  const char *name, *summary;
  void (*solve)(struct cairn_friction_work *work);
};

/* SOLVER(name on the command line), the default first. */
#define CAIRN_FRICTION_SOLVERS(SOLVER) SOLVER(nesterov) SOLVER(nsgs) SOLVER(apgd)

#define CAIRN_FRICTION_SOLVER(name) extern const struct cairn_friction_solver cairn_friction_##name;
CAIRN_FRICTION_SOLVERS(CAIRN_FRICTION_SOLVER)

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
  int64_t sweeps;             /* over all contacts: sweeps or products with W */
  int64_t restarts, switches; /* as in struct cairn_friction_work */
  double seconds;             /* of the solver */
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

/* For the methods: evaluate the residual of r and u, which must fit each other; is it time to end? */
int cairn_friction_is_done(struct cairn_friction_work *work);

/* At most so many steps of projected gradients, from r and u on. Returns whether it is time to end. */
int cairn_friction_apgd_steps(struct cairn_friction_work *work, int64_t steps);

#endif
