/* Gauss-Seidel on contacts, plain and accelerated. Every solver ends after a sweep, so that r lies in the cones. */
#include <stddef.h>

#include "solvers/friction/friction.h"

/* Nonsmooth Gauss-Seidel (Moreau, Jean): one contact after the other is solved exactly, the others held. */
static void nsgs(struct cairn_friction_work *w) {
  do {
    cairn_kernel_friction_sweep(&w->system, w->r, w->u, NULL, NULL, NULL);
    w->sweeps++;
  } while (!cairn_friction_is_done(w));
}

const struct cairn_friction_solver cairn_friction_nsgs = {"nsgs", "Gauss-Seidel, one contact after the other", nsgs};

/* Nonsmooth nonlinear conjugate gradients (Silcowitz, Niebe, Erleben 2010): the change by a sweep takes the place of
 * the gradient. Where it has grown the direction is forgotten. */
static void nncg(struct cairn_friction_work *w) {
  double *dr = w->r0, *p = w->p, *pu = w->y;
  double before = 0;
  for (;;) {
    const double change = cairn_kernel_friction_sweep(&w->system, w->r, w->u, dr, NULL, NULL);
    w->sweeps++;
    if (cairn_friction_is_done(w))
      return;
    if (before > 0 && change > before) {
      for (int64_t i = 0; i < CAIRN_FRICTION_LANES * w->system.n; i++)
        dr[i] = p[i] = pu[i] = 0, w->u0[i] = w->u[i];
      before = 0;
      continue;
    }
    cairn_kernel_friction_conjugate(w->system.n, before > 0 ? change / before : 0, dr, w->r, p, w->u, w->u0, pu);
    before = change;
  }
}

const struct cairn_friction_solver cairn_friction_nncg = {"nncg", "Gauss-Seidel with conjugate directions", nncg};

/* Gauss-Seidel with momentum: each sweep starts from an extrapolation of the last two results. */
static void nesterov(struct cairn_friction_work *w) {
  for (;;) {
    double along;
    cairn_kernel_friction_sweep(&w->system, w->r, w->u, NULL, w->r0, &along);
    w->sweeps++;
    if (cairn_friction_is_done(w))
      return;
    const double beta = cairn_friction_momentum(w, along < 0);
    cairn_kernel_friction_carry_on(w->system.n, beta, w->r, w->r0);
    cairn_kernel_friction_carry_on(w->system.n, beta, w->u, w->u0);
  }
}

const struct cairn_friction_solver cairn_friction_nesterov = {"nesterov", "Gauss-Seidel with momentum", nesterov};
