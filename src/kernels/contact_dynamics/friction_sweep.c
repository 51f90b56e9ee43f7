#include "kernels/contact_dynamics/friction_sweep.h"

#include "kernels/common/vector.h"

enum { LANES = CAIRN_FRICTION_LANES };

typedef double vector __attribute__((vector_size(32), aligned(8)));

/* u_j += W_ji dr for all j of column i. The three columns of a block are loaded as four lanes each, the last of which
 * is the first number of the next column or block; it is multiplied by zero. */
static inline __attribute__((always_inline)) void push(const struct cairn_friction_system *s, int64_t i,
                                                       const double *dr, double *restrict u) {
  const vector d0 = {dr[0], dr[0], dr[0], 0.}, d1 = {dr[1], dr[1], dr[1], 0.}, d2 = {dr[2], dr[2], dr[2], 0.};
  const double *restrict block = s->block + 9 * s->start[i];
  for (int64_t k = s->start[i]; k < s->start[i + 1]; k++, block += 9) {
    vector *restrict target = (vector *)(u + (int64_t)LANES * s->row[k]);
    const vector sum = *(const vector *)block * d0 + *(const vector *)(block + 3) * d1;
    *target += sum + *(const vector *)(block + 6) * d2;
  }
}

/* u_i += W_ii dr. */
static inline __attribute__((always_inline)) void push_own(const double *restrict w, const double *dr,
                                                           double *restrict u) {
  u[0] += w[0] * dr[0] + w[1] * dr[1] + w[2] * dr[2];
  u[1] += w[3] * dr[0] + w[4] * dr[1] + w[5] * dr[2];
  u[2] += w[6] * dr[0] + w[7] * dr[1] + w[8] * dr[2];
}

/* The local solver wants the velocity b without the contact's own impulse. */
static inline __attribute__((always_inline)) void solve_general(const struct cairn_friction_system *s, int64_t i,
                                                                const double *u, double *r) {
  const double *w = s->w + 9 * i;
  const double b[3] = {u[0] - (w[0] * r[0] + w[1] * r[1] + w[2] * r[2]),
                       u[1] - (w[3] * r[0] + w[4] * r[1] + w[5] * r[2]),
                       u[2] - (w[6] * r[0] + w[7] * r[1] + w[8] * r[2])};
  cairn_friction_solve(&s->contact[i], b, r);
}

CAIRN_CLONES void cairn_kernel_friction_sweep(const struct cairn_friction_system *s, double *restrict r,
                                              double *restrict u) {
  for (int64_t i = 0; i < s->n; i++) {
    const double *law = s->law + LANES * i;
    double *ri = r + LANES * i, *ui = u + LANES * i;
    double next[3] = {ri[0], ri[1], ri[2]};
    if (law[1] > 0.) {
      const struct cairn_friction_contact c = {.mu = law[2], .inverse_n = law[0], .inverse_t = law[1]};
      cairn_friction_solve_diagonal(&c, ui, next);
    } else {
      solve_general(s, i, ui, next);
    }
    const double d[3] = {next[0] - ri[0], next[1] - ri[1], next[2] - ri[2]};
    if (d[0] != 0. || d[1] != 0. || d[2] != 0.) {
      ri[0] = next[0];
      ri[1] = next[1];
      ri[2] = next[2];
      push_own(s->w + 9 * i, d, ui);
      push(s, i, d, u);
    }
  }
}

CAIRN_CLONES void cairn_kernel_friction_velocity(const struct cairn_friction_system *s, const double *restrict r,
                                                 double *restrict u) {
  for (int64_t i = 0; i < LANES * s->n; i++)
    u[i] = s->q[i];
  for (int64_t i = 0; i < s->n; i++) {
    const double *ri = r + LANES * i;
    if (ri[0] == 0. && ri[1] == 0. && ri[2] == 0.)
      continue;
    push_own(s->w + 9 * i, ri, u + LANES * i);
    push(s, i, ri, u);
  }
}

CAIRN_CLONES double cairn_kernel_friction_residual(const struct cairn_friction_system *s, const double *restrict r,
                                                   const double *restrict u) {
  double sum = 0.;
  for (int64_t i = 0; i < s->n; i++) {
    const double *law = s->law + LANES * i;
    double d[3];
    sum += cairn_friction_natural_map(law[2], law[3], r + LANES * i, u + LANES * i, d) / law[3];
  }
  return sum;
}

CAIRN_CLONES void cairn_kernel_friction_carry_on(int64_t n, double beta, double *restrict x, double *restrict before) {
  for (int64_t i = 0; i < LANES * n; i++) {
    const double now = x[i];
    x[i] = now + beta * (now - before[i]);
    before[i] = now;
  }
}

CAIRN_CLONES double cairn_kernel_friction_gradient_step(const struct cairn_friction_system *s, double step,
                                                        const double *restrict y, const double *restrict u_y,
                                                        const double *restrict before, double *restrict r) {
  double dot = 0.;
  for (int64_t i = 0; i < s->n; i++) {
    const double *law = s->law + LANES * i, *yi = y + LANES * i, *ui = u_y + LANES * i, *bi = before + LANES * i;
    const double h = step * law[3];
    const double g = ui[0] + law[2] * sqrt(ui[1] * ui[1] + ui[2] * ui[2]);
    double p[3] = {yi[0] - h * g, yi[1] - h * ui[1], yi[2] - h * ui[2]};
    cairn_friction_project(law[2], p);
    dot += g * (p[0] - bi[0]) + ui[1] * (p[1] - bi[1]) + ui[2] * (p[2] - bi[2]);
    r[LANES * i] = p[0];
    r[LANES * i + 1] = p[1];
    r[LANES * i + 2] = p[2];
  }
  return dot;
}

CAIRN_CLONES void cairn_kernel_friction_curvature(const struct cairn_friction_system *s, const double *restrict y,
                                                  const double *restrict u_y, const double *restrict r,
                                                  const double *restrict u, double *curvature, double *length) {
  double wd = 0., dd = 0.;
  for (int64_t i = 0; i < s->n; i++)
    for (int64_t k = LANES * i; k < LANES * i + 3; k++) {
      const double d = r[k] - y[k];
      wd += d * (u[k] - u_y[k]);
      dd += d * d / s->law[LANES * i + 3];
    }
  *curvature = wd;
  *length = dd;
}
