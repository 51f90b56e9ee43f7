/* Accelerated projected gradient (Mazhar, Heyn, Negrut, Tasora 2015) for W scaled by rho_i = 3/trace(W_ii), with the De
 * Saxce term renewed at every step, without which sliding contacts would open. Needs no order of contacts. */
#include <math.h>
#include <string.h>

#include "solvers/friction/friction.h"

/* One projected step from the extrapolated point y to r, with a step 1/curve short enough for the curvature along it.
 * Raises the curvature until it is; each trial is one product with W. Returns gradient·(r - r0). */
static double descend(struct cairn_friction_work *w, const double *y, const double *u_y, double *curve) {
  for (;;) {
    double curvature, length;
    const double uphill = cairn_kernel_friction_gradient_step(&w->system, 1 / *curve, y, u_y, w->r0, w->r);
    cairn_kernel_friction_velocity(&w->system, w->r, w->u);
    w->sweeps++;
    cairn_kernel_friction_curvature(&w->system, y, u_y, w->r, w->u, &curvature, &length);
    if (!(curvature > *curve * length) || w->sweeps >= w->most || !isfinite(*curve))
      return uphill;
    *curve *= 1.25;
  }
}

int cairn_friction_apgd_steps(struct cairn_friction_work *w, int64_t steps) {
  enum { EVERY = 4 };
  const int64_t n = CAIRN_FRICTION_LANES * w->system.n, end = w->sweeps + steps;
  const size_t bytes = (size_t)n * sizeof(double);
  double *y = w->y, *u_y = w->p, curve = 1;
  struct cairn_cd_control control = cairn_cd_control_start(CAIRN_CD_NESTEROV, NULL);
  memcpy(y, w->r, bytes);
  memcpy(u_y, w->u, bytes);
  memcpy(w->r0, w->r, bytes);
  memcpy(w->u0, w->u, bytes);
  for (int64_t look = 0;;) {
    const double uphill = descend(w, y, u_y, &curve);
    if (w->sweeps >= look || w->sweeps >= end || w->sweeps >= w->most) {
      if (cairn_friction_is_done(w))
        return 1;
      if (w->sweeps >= end)
        return 0;
      look = w->sweeps + EVERY;
    }
    control.t = uphill > 0 ? 1. : control.t; /* a step takes back what momentum brought: O'Donoghue and Candès 2015 */
    const double beta = cairn_cd_control_momentum(&control);
    for (int64_t i = 0; i < n; i++) {
      y[i] = w->r[i] + beta * (w->r[i] - w->r0[i]);
      u_y[i] = w->u[i] + beta * (w->u[i] - w->u0[i]);
      w->r0[i] = w->r[i];
      w->u0[i] = w->u[i];
    }
  }
}

static void apgd(struct cairn_friction_work *w) { cairn_friction_apgd_steps(w, w->most); }

const struct cairn_friction_solver cairn_friction_apgd = {"apgd", "accelerated projected gradient", apgd};
