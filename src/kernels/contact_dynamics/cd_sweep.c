/* Sweeps over the contacts of a cell. Four contacts of a group share no body: they are solved side by side, with the
 * same bits as one after the other. */
#include <math.h>
#include <string.h>

#include "kernels/common/vector.h"
#include "kernels/contact_dynamics/cd_cell.h"

enum { LANES = CAIRN_CD_LANES };

typedef double vector __attribute__((vector_size(32)));

#define ALWAYS static inline __attribute__((always_inline))

/* ---- four body velocities at once ---- */

ALWAYS void transpose(const vector in[4], vector out[4]) {
  const vector p = __builtin_shufflevector(in[0], in[1], 0, 4, 2, 6),
               q = __builtin_shufflevector(in[0], in[1], 1, 5, 3, 7),
               r = __builtin_shufflevector(in[2], in[3], 0, 4, 2, 6),
               s = __builtin_shufflevector(in[2], in[3], 1, 5, 3, 7);
  out[0] = __builtin_shufflevector(p, r, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(q, s, 0, 1, 4, 5);
  out[2] = __builtin_shufflevector(p, r, 2, 3, 6, 7);
  out[3] = __builtin_shufflevector(q, s, 2, 3, 6, 7);
}

/* The velocities of four bodies, number by number. */
struct velocities {
  double x[CAIRN_CD][LANES] __attribute__((aligned(32)));
};

ALWAYS vector *half(double *velocities, cairn_int body, int which) {
  return (vector *)(velocities + (int64_t)CAIRN_CD * body + LANES * which);
}

ALWAYS void load(double *velocities, const cairn_int *body, struct velocities *out) {
  for (int h = 0; h < 2; h++) {
    const vector in[LANES] = {*half(velocities, body[0], h), *half(velocities, body[1], h),
                              *half(velocities, body[2], h), *half(velocities, body[3], h)};
    transpose(in, (vector *)out->x[LANES * h]);
  }
}

ALWAYS void store(double *velocities, const cairn_int *body, const struct velocities *in) {
  for (int h = 0; h < 2; h++) {
    vector out[LANES];
    transpose((const vector *)in->x[LANES * h], out);
    for (int l = 0; l < LANES; l++)
      *half(velocities, body[l], h) = out[l];
  }
}

ALWAYS void load_velocity(const struct velocities *velocities, int lane, double velocity[CAIRN_CD]) {
  for (int k = 0; k < CAIRN_CD; k++)
    velocity[k] = velocities->x[k][lane];
}

ALWAYS void store_velocity(struct velocities *velocities, int lane, const double velocity[CAIRN_CD]) {
  for (int k = 0; k < CAIRN_CD; k++)
    velocities->x[k][lane] = velocity[k];
}

ALWAYS void visit(struct cairn_cd_group *g, struct velocities *first, struct velocities *second, double beta, int l) {
  double a[CAIRN_CD], b[CAIRN_CD];
  load_velocity(first, l, a);
  load_velocity(second, l, b);
  cairn_cd_visit(g, l, beta, a, b);
  store_velocity(first, l, a);
  store_velocity(second, l, b);
}

ALWAYS void visit_turning(const struct cairn_cd_group *g, struct cairn_cd_rotation_group *t, struct velocities *first,
                          struct velocities *second, double beta, int l) {
  double a[CAIRN_CD], b[CAIRN_CD];
  load_velocity(first, l, a);
  load_velocity(second, l, b);
  cairn_cd_visit_rotation(g, t, l, beta, a, b);
  store_velocity(first, l, a);
  store_velocity(second, l, b);
}

/* ---- sweeps ---- */

ALWAYS void sweep_group(const struct cairn_cd_cell *c, int32_t i, double beta) {
  struct cairn_cd_group *g = c->group + i;
  struct velocities a, b;
  load(c->velocities, g->a, &a);
  load(c->velocities, g->b, &b);
#pragma GCC ivdep
  for (int l = 0; l < LANES; l++)
    visit(g, &a, &b, beta, l);
  if (c->rotation_friction)
#pragma GCC ivdep
    for (int l = 0; l < LANES; l++)
      visit_turning(g, c->rotation_friction + i, &a, &b, beta, l);
  store(c->velocities, g->a, &a);
  store(c->velocities, g->b, &b);
}

/* Two loops: a look at the order costs a tenth of the time. */
CAIRN_CLONES void cairn_kernel_cd_sweep(const struct cairn_cd_cell *c, double beta) {
  const int32_t n = *c->n_groups;
  if (c->order)
    for (int32_t k = 0; k < n; k++)
      sweep_group(c, c->order[k], beta);
  else
    for (int32_t i = 0; i < n; i++)
      sweep_group(c, i, beta);
}

CAIRN_CLONES void cairn_kernel_cd_warm_start(const struct cairn_cd_cell *c) {
  const int32_t n = *c->n_groups;
  for (int32_t i = 0; i < n; i++) {
    const int32_t k = c->order ? c->order[i] : i;
    const struct cairn_cd_group *g = c->group + k;
    const struct cairn_cd_rotation_group *t = c->rotation_friction ? c->rotation_friction + k : NULL;
    struct velocities first, second;
    load(c->velocities, g->a, &first);
    load(c->velocities, g->b, &second);
#pragma GCC ivdep
    for (int l = 0; l < LANES; l++) {
      double a[CAIRN_CD], b[CAIRN_CD];
      load_velocity(&first, l, a);
      load_velocity(&second, l, b);
      cairn_cd_start(g, t, l, a, b);
      store_velocity(&first, l, a);
      store_velocity(&second, l, b);
    }
    store(c->velocities, g->a, &first);
    store(c->velocities, g->b, &second);
  }
}

CAIRN_CLONES void cairn_kernel_cd_extrapolate(struct cairn_cell_size size, double *velocities, double beta) {
  const int64_t n = (int64_t)CAIRN_CD * size.n;
  double *restrict x = velocities, *restrict from = velocities + n + CAIRN_CD * ((int64_t)size.n_halo + 1);
  for (int64_t i = 0; i < n && beta > 0.; i++) {
    const double now = x[i];
    x[i] = cairn_cd_extrapolate(beta, now, from[i]);
    from[i] = now;
  }
  if (!(beta > 0.))
    memcpy(from, x, (size_t)n * sizeof *x);
}

/* ---- how good the impulses are ---- */

ALWAYS double residual_of(const struct cairn_cd_group *g, const struct velocities *first,
                          const struct velocities *second, int l) {
  double a[CAIRN_CD], b[CAIRN_CD];
  load_velocity(first, l, a);
  load_velocity(second, l, b);
  return cairn_cd_residual_of(g, l, a, b);
}

ALWAYS double residual_turning(const struct cairn_cd_group *g, const struct cairn_cd_rotation_group *t,
                               const struct velocities *first, const struct velocities *second, int l) {
  double a[CAIRN_CD], b[CAIRN_CD];
  load_velocity(first, l, a);
  load_velocity(second, l, b);
  return cairn_cd_residual_rotation(g, t, l, a, b);
}

CAIRN_CLONES double cairn_kernel_cd_residual(const struct cairn_cd_cell *c) {
  const int32_t n = *c->n_groups;
  double sum[LANES] = {0};
  for (int32_t i = 0; i < n; i++) {
    const struct cairn_cd_group *g = c->group + i;
    struct velocities a, b;
    load(c->velocities, g->a, &a);
    load(c->velocities, g->b, &b);
#pragma GCC ivdep
    for (int l = 0; l < LANES; l++)
      sum[l] += residual_of(g, &a, &b, l);
    if (c->rotation_friction)
#pragma GCC ivdep
      for (int l = 0; l < LANES; l++)
        sum[l] += residual_turning(g, c->rotation_friction + i, &a, &b, l);
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
