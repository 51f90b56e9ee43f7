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

static void apgd(struct cairn_friction_work *w) {
  const int64_t n = CAIRN_FRICTION_LANES * w->system.n;
  double *y = w->y, *u_y = w->p;
  double curve = 1;
  memcpy(u_y, w->u, (size_t)n * sizeof *u_y);
  for (;;) {
    const double uphill = descend(w, y, u_y, &curve);
    if (cairn_friction_is_done(w))
      return;
    const double beta = cairn_friction_momentum(w, uphill > 0);
    for (int64_t i = 0; i < n; i++) {
      y[i] = w->r[i] + beta * (w->r[i] - w->r0[i]);
      u_y[i] = w->u[i] + beta * (w->u[i] - w->u0[i]);
      w->r0[i] = w->r[i];
      w->u0[i] = w->u[i];
    }
  }
}

const struct cairn_friction_solver cairn_friction_apgd = {"apgd", "accelerated projected gradient", apgd};
