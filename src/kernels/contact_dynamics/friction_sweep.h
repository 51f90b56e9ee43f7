/* Loops over all contacts of a frictional contact problem u = W r + q, of which the solvers consist.
 *
 * Vectors hold four doubles per contact, (n, t1, t2, unused); what the fourth one holds means nothing. The matrix W is
 * stored by columns of 3 × 3 blocks, because a contact whose impulse changes by dr changes the velocities of others by
 * a column of W: u_j += W_ji dr. So u is up to date at every moment, contacts that do not change cost next to nothing,
 * and residuals need no product with W. */
#ifndef CAIRN_KERNELS_CONTACT_DYNAMICS_FRICTION_SWEEP_H
#define CAIRN_KERNELS_CONTACT_DYNAMICS_FRICTION_SWEEP_H

#include <stdint.h>

#include "kernels/contact_dynamics/friction.h"

enum { CAIRN_FRICTION_LANES = 4 };

/* What the loops read; all arrays belong to the caller. */
struct cairn_friction_system {
  int64_t n;            /* contacts */
  const int64_t *start; /* n + 1: the blocks off the diagonal of column i are start[i] … start[i + 1] - 1 */
  const int32_t *row;   /* block row of each */
  const double *block;  /* nine each, column by column; one more double must be readable behind the last one */
  const double *w;      /* nine per contact: W_ii, row by row */
  const double *law;    /* four per contact: 1/w_nn, 1/w_t or 0 where W_ii is not diagonal, mu, rho = 3/trace(W_ii) */
  const struct cairn_friction_contact *contact;
  const double *q;
};

/* One Gauss-Seidel sweep in the order of the contacts: r and u change. */
void cairn_kernel_friction_sweep(const struct cairn_friction_system *s, double *r, double *u);

/* u = W r + q. */
void cairn_kernel_friction_velocity(const struct cairn_friction_system *s, const double *r, double *u);

/* sum |d|²/rho with the natural map d of rho = 3/trace(W_ii): an energy. */
double cairn_kernel_friction_residual(const struct cairn_friction_system *s, const double *r, const double *u);

/* x becomes x + beta (x - before), before what x was. */
void cairn_kernel_friction_carry_on(int64_t n, double beta, double *x, double *before);

/* r = P_K(y - step rho g) for all contacts, with the gradient g = u_y + mu |u_yT| n of y. Returns g·(r - before). */
double cairn_kernel_friction_gradient_step(const struct cairn_friction_system *s, double step, const double *y,
                                           const double *u_y, const double *before, double *r);

/* d·W d and d·d/rho of d = r - y, from the velocities of both. */
void cairn_kernel_friction_curvature(const struct cairn_friction_system *s, const double *y, const double *u_y,
                                     const double *r, const double *u, double *curvature, double *length);

#endif
