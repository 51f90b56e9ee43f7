/* Gauss-Seidel on contacts, plain and with momentum. Every solver ends after a sweep or a projection, so that r lies in
 * the cones. */
#include <string.h>

#include "solvers/friction/friction.h"

/* Sweeps up to the next residual. Each starts from an extrapolation of the last two results. */
static void sweeps(struct cairn_friction_work *w, struct cairn_cd_control *control, int64_t n) {
  for (int64_t k = 0; k < n; k++, w->sweeps++) {
    const double beta = cairn_cd_control_momentum(control);
    cairn_kernel_friction_carry_on(w->system.n, beta, w->r, w->r0);
    cairn_kernel_friction_carry_on(w->system.n, beta, w->u, w->u0);
    cairn_kernel_friction_sweep(&w->system, w->r, w->u);
  }
}

/* Nonsmooth Gauss-Seidel (Moreau, Jean): one contact after the other is solved exactly, the others held. */
static void nsgs(struct cairn_friction_work *w) {
  struct cairn_cd_control control = cairn_cd_control_start(CAIRN_CD_NSGS, NULL);
  do
    sweeps(w, &control, cairn_cd_control_sweeps(w->sweeps, w->most));
  while (!cairn_friction_is_done(w));
}

const struct cairn_friction_solver cairn_friction_nsgs = {"nsgs", "Gauss-Seidel, one contact after the other", nsgs};

/* Gauss-Seidel with momentum. Where contacts are redundant, as under a body on many of them, sweeps may get nowhere:
 * when the residual has not halved in a stretch of sweeps, the next stretch is projected gradients; then sweeps go on.
 * The stretches grow, so that whichever suits the problem gets the time it needs. */
static void nesterov(struct cairn_friction_work *w) {
  const size_t bytes = CAIRN_FRICTION_LANES * (size_t)w->system.n * sizeof(double);
  int64_t stretch = 200, end = stretch;
  double before = INFINITY;
  struct cairn_cd_control control = cairn_cd_control_start(CAIRN_CD_NESTEROV, NULL);
  for (;;) {
    sweeps(w, &control, cairn_cd_control_sweeps(w->sweeps, w->most));
    if (cairn_friction_is_done(w))
      return;
    w->restarts += cairn_cd_control_residual(&control, w->residual);
    if (w->sweeps < end)
      continue;
    if (w->residual > 0.5 * before) {
      w->switches++;
      stretch *= 2;
      if (cairn_friction_apgd_steps(w, stretch))
        return;
      control = cairn_cd_control_start(CAIRN_CD_NESTEROV, NULL);
      memcpy(w->r0, w->r, bytes);
      memcpy(w->u0, w->u, bytes);
    }
    before = w->residual;
    end = w->sweeps + stretch;
  }
}

const struct cairn_friction_solver cairn_friction_nesterov = {
    "nesterov", "Gauss-Seidel with momentum, and projected gradients where it does not get on", nesterov};
