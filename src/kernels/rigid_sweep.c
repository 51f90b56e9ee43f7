/* Sweeps over the contacts of a cell. Four contacts of a group share no body: they are solved side by side, with the
 * same bits as one after the other. */
#include <math.h>
#include <string.h>

#include "kernels/rigid_cell.h"
#include "kernels/vector.h"

enum { LANES = CAIRN_RIGID_LANES };

typedef double vector __attribute__((vector_size(32)));

#define ALWAYS static inline __attribute__((always_inline))

/* ---- four lines at once ---- */

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

/* The lines of four bodies, number by number. */
struct lines {
  double x[CAIRN_RIGID][LANES] __attribute__((aligned(32)));
};

ALWAYS vector *half(double *lines, cairn_int body, int which) {
  return (vector *)(lines + (int64_t)CAIRN_RIGID * body + LANES * which);
}

ALWAYS void load(double *lines, const cairn_int *body, struct lines *out) {
  for (int h = 0; h < 2; h++) {
    const vector in[LANES] = {*half(lines, body[0], h), *half(lines, body[1], h), *half(lines, body[2], h),
                              *half(lines, body[3], h)};
    transpose(in, (vector *)out->x[LANES * h]);
  }
}

ALWAYS void store(double *lines, const cairn_int *body, const struct lines *in) {
  for (int h = 0; h < 2; h++) {
    vector out[LANES];
    transpose((const vector *)in->x[LANES * h], out);
    for (int l = 0; l < LANES; l++)
      *half(lines, body[l], h) = out[l];
  }
}

ALWAYS void line_of(const struct lines *lines, int lane, double line[CAIRN_RIGID]) {
  for (int k = 0; k < CAIRN_RIGID; k++)
    line[k] = lines->x[k][lane];
}

ALWAYS void put_line(struct lines *lines, int lane, const double line[CAIRN_RIGID]) {
  for (int k = 0; k < CAIRN_RIGID; k++)
    lines->x[k][lane] = line[k];
}

/* What a visit adds to the measure, lane by lane. */
struct lane_sums {
  double change[LANES], along[LANES];
};

ALWAYS void add_gain(struct lane_sums *sums, int l, struct cairn_rigid_gain gain) {
  sums->change[l] += gain.change;
  sums->along[l] += gain.along;
}

ALWAYS void visit(struct cairn_rigid_group *g, struct cairn_rigid_way_group *w, struct lines *first,
                  struct lines *second, int32_t solver, double beta, int l, struct lane_sums *sums) {
  double a[CAIRN_RIGID], b[CAIRN_RIGID];
  line_of(first, l, a);
  line_of(second, l, b);
  add_gain(sums, l, cairn_rigid_visit(g, w, l, solver, beta, a, b));
  put_line(first, l, a);
  put_line(second, l, b);
}

ALWAYS void visit_turning(const struct cairn_rigid_group *g, struct cairn_rigid_turning_group *t,
                          struct cairn_rigid_way_group *w, struct lines *first, struct lines *second, int32_t solver,
                          double beta, int l, struct lane_sums *sums) {
  double a[CAIRN_RIGID], b[CAIRN_RIGID];
  line_of(first, l, a);
  line_of(second, l, b);
  add_gain(sums, l, cairn_rigid_visit_turning(g, t, w, l, solver, beta, a, b));
  put_line(first, l, a);
  put_line(second, l, b);
}

/* ---- sweeps ---- */

ALWAYS void sweep_group(const struct cairn_rigid_cell *c, int32_t i, int32_t solver, double beta,
                        struct lane_sums *sums) {
  struct cairn_rigid_group *g = c->group + i;
  struct cairn_rigid_way_group *w = solver == CAIRN_RIGID_NNCG ? c->way + i : NULL;
  struct lines a, b;
  load(c->lines, g->a, &a);
  load(c->lines, g->b, &b);
#pragma GCC ivdep
  for (int l = 0; l < LANES; l++)
    visit(g, w, &a, &b, solver, beta, l, sums);
  if (c->turning)
#pragma GCC ivdep
    for (int l = 0; l < LANES; l++)
      visit_turning(g, c->turning + i, w, &a, &b, solver, beta, l, sums);
  store(c->lines, g->a, &a);
  store(c->lines, g->b, &b);
}

/* Two loops: a look at the order costs a tenth of the time. */
ALWAYS void sweep(const struct cairn_rigid_cell *c, int32_t solver, double beta, struct lane_sums *sums) {
  const int32_t n = *c->n_groups;
  if (c->order)
    for (int32_t k = 0; k < n; k++)
      sweep_group(c, c->order[k], solver, beta, sums);
  else
    for (int32_t i = 0; i < n; i++)
      sweep_group(c, i, solver, beta, sums);
}

static CAIRN_CLONES void sweep_nsgs(const struct cairn_rigid_cell *c, struct lane_sums *sums) {
  sweep(c, CAIRN_RIGID_NSGS, 0., sums);
}
static CAIRN_CLONES void sweep_nesterov(const struct cairn_rigid_cell *c, double beta, struct lane_sums *sums) {
  sweep(c, CAIRN_RIGID_NESTEROV, beta, sums);
}
static CAIRN_CLONES void sweep_nncg(const struct cairn_rigid_cell *c, double beta, struct lane_sums *sums) {
  sweep(c, CAIRN_RIGID_NNCG, beta, sums);
}

void cairn_kernel_rigid_sweep(const struct cairn_rigid_cell *c, int32_t solver, double beta,
                              struct cairn_rigid_measure *measure) {
  struct lane_sums sums = {0};
  beta = beta > 0. ? beta : 0.;
  if (solver == CAIRN_RIGID_NESTEROV)
    sweep_nesterov(c, beta, &sums);
  else if (solver == CAIRN_RIGID_NNCG)
    sweep_nncg(c, beta, &sums);
  else
    sweep_nsgs(c, &sums);
  measure->change = (sums.change[0] + sums.change[1]) + (sums.change[2] + sums.change[3]);
  measure->along = (sums.along[0] + sums.along[1]) + (sums.along[2] + sums.along[3]);
}

CAIRN_CLONES void cairn_kernel_rigid_warm(const struct cairn_rigid_cell *c) {
  const int32_t n = *c->n_groups;
  for (int32_t i = 0; i < n; i++) {
    const struct cairn_rigid_group *g = c->group + (c->order ? c->order[i] : i);
    struct lines first, second;
    load(c->lines, g->a, &first);
    load(c->lines, g->b, &second);
#pragma GCC ivdep
    for (int l = 0; l < LANES; l++) {
      const struct cairn_rigid_contact k = cairn_rigid_contact_of(g, l);
      double a[CAIRN_RIGID], b[CAIRN_RIGID];
      line_of(&first, l, a);
      line_of(&second, l, b);
      cairn_rigid_push(a, b, k.n, k.p);
      put_line(&first, l, a);
      put_line(&second, l, b);
    }
    store(c->lines, g->a, &first);
    store(c->lines, g->b, &second);
  }
}

/* ---- projected gradients ---- */

/* Projection onto the cone |z_t| ≤ μ z_n, in world coordinates. */
ALWAYS void project(const double *n, double mu, double z[3]) {
  const double zn = z[0] * n[0] + z[1] * n[1] + z[2] * n[2];
  double t[3], t2 = 0.;
  for (int j = 0; j < 3; j++) {
    t[j] = z[j] - zn * n[j];
    t2 += t[j] * t[j];
  }
  const double across = sqrt(t2), along = (zn + mu * across) / (1. + mu * mu), tip = along > 0. ? along : 0.;
  const int inside = across <= mu * zn;
  const double xn = inside ? zn : tip, part = inside ? 1. : across > 0. ? mu * tip / across : 0.;
  for (int j = 0; j < 3; j++)
    z[j] = xn * n[j] + part * t[j];
}

/* The pushes on two bodies as lines of their own, with the bodies' masses and radii. */
ALWAYS void push_lines(const struct lines *first, const struct lines *second, const double *a, const double *b, int l,
                       double *pa, double *pb) {
  line_of(first, l, pa);
  line_of(second, l, pb);
  pa[CAIRN_RIGID_IM] = a[CAIRN_RIGID_IM];
  pb[CAIRN_RIGID_IM] = b[CAIRN_RIGID_IM];
  pa[CAIRN_RIGID_IR] = a[CAIRN_RIGID_IR];
  pb[CAIRN_RIGID_IR] = b[CAIRN_RIGID_IR];
}

/* From the point ahead, down the gradient, back into the cone. */
ALWAYS void descend(struct cairn_rigid_group *g, const struct lines *first, const struct lines *second,
                    struct lines *push_first, struct lines *push_second, double beta, double curve, int l,
                    struct lane_sums *sums) {
  const struct cairn_rigid_contact k = cairn_rigid_contact_of(g, l);
  const double rho = 3. / (1. + 2. * CAIRN_RIGID_ACROSS) * k.inverse;
  double a[CAIRN_RIGID], b[CAIRN_RIGID], u[3], p[3], d[3], start[3], ut2 = 0., change = 0., along = 0.;
  line_of(first, l, a);
  line_of(second, l, b);
  cairn_rigid_velocity(a, b, k.n, u);
  for (int j = 0; j < 3; j++)
    u[j] += k.c[j];
  const double un = u[0] * k.n[0] + u[1] * k.n[1] + u[2] * k.n[2];
  for (int j = 0; j < 3; j++)
    ut2 += (u[j] - un * k.n[j]) * (u[j] - un * k.n[j]);
  const double saxce = k.friction * sqrt(ut2);
  for (int j = 0; j < 3; j++) {
    start[j] = k.p[j] + beta * (k.p[j] - g->before[j][l]);
    u[j] += saxce * k.n[j];
    p[j] = start[j] + k.cohesion * k.n[j] - rho / curve * u[j];
  }
  project(k.n, k.friction, p);
  for (int j = 0; j < 3; j++) {
    p[j] -= k.cohesion * k.n[j];
    d[j] = p[j] - start[j];
    change += d[j] * d[j];
    along -= u[j] * (p[j] - k.p[j]);
    g->before[j][l] = k.p[j];
    g->p[j][l] = p[j];
  }
  sums->change[l] += k.inverse > 0. ? change / rho : 0.;
  sums->along[l] += along;
  double pa[CAIRN_RIGID], pb[CAIRN_RIGID];
  push_lines(push_first, push_second, a, b, l, pa, pb);
  cairn_rigid_push(pa, pb, k.n, d);
  put_line(push_first, l, pa);
  put_line(push_second, l, pb);
}

ALWAYS void descend_turning(const struct cairn_rigid_group *g, struct cairn_rigid_turning_group *t,
                            const struct lines *first, const struct lines *second, struct lines *push_first,
                            struct lines *push_second, double beta, double curve, int l, struct lane_sums *sums) {
  const struct cairn_rigid_contact k = cairn_rigid_contact_of(g, l);
  struct cairn_rigid_turning turn = cairn_rigid_turning_of(t, l);
  double a[CAIRN_RIGID], b[CAIRN_RIGID], m[3], d[3], change = 0., along = 0.;
  line_of(first, l, a);
  line_of(second, l, b);
  const double weight = turn.inverse > 0. ? 1. / turn.inverse : 0.;
  turn.inverse /= curve;
  for (int j = 0; j < 3; j++)
    turn.m[j] += beta * (turn.m[j] - t->before[j][l]);
  cairn_rigid_solve_turn(a, b, k.n, cairn_rigid_grip(&k), &turn, m);
  for (int j = 0; j < 3; j++) {
    const double turning =
        b[CAIRN_RIGID_S + j] * b[CAIRN_RIGID_IR] - a[CAIRN_RIGID_S + j] * a[CAIRN_RIGID_IR] + turn.w[j];
    d[j] = m[j] - turn.m[j];
    change += d[j] * d[j];
    along -= turning * (m[j] - t->m[j][l]);
    t->before[j][l] = t->m[j][l];
    t->m[j][l] = m[j];
  }
  sums->change[l] += weight * change;
  sums->along[l] += along;
  double pa[CAIRN_RIGID], pb[CAIRN_RIGID];
  push_lines(push_first, push_second, a, b, l, pa, pb);
  cairn_rigid_twist(pa, pb, d);
  put_line(push_first, l, pa);
  put_line(push_second, l, pb);
}

static CAIRN_CLONES void descend_all(const struct cairn_rigid_cell *c, double beta, double curve,
                                     struct lane_sums *sums) {
  const int32_t n = *c->n_groups;
  for (int32_t i = 0; i < n; i++) {
    struct cairn_rigid_group *g = c->group + i;
    struct lines a, b, pa, pb;
    load(c->lines, g->a, &a);
    load(c->lines, g->b, &b);
    load(c->push, g->a, &pa);
    load(c->push, g->b, &pb);
#pragma GCC ivdep
    for (int l = 0; l < LANES; l++)
      descend(g, &a, &b, &pa, &pb, beta, curve, l, sums);
    if (c->turning)
#pragma GCC ivdep
      for (int l = 0; l < LANES; l++)
        descend_turning(g, c->turning + i, &a, &b, &pa, &pb, beta, curve, l, sums);
    store(c->push, g->a, &pa);
    store(c->push, g->b, &pb);
  }
}

void cairn_kernel_rigid_descend(const struct cairn_rigid_cell *c, const struct cairn_rigid_control *control,
                                struct cairn_rigid_measure *measure) {
  struct lane_sums sums = {0};
  memset(c->push, 0, sizeof(double) * CAIRN_RIGID * ((size_t)c->size.n + (size_t)c->size.n_halo + 1));
  descend_all(c, control->beta > 0. ? control->beta : 0., control->curve, &sums);
  measure->change = (sums.change[0] + sums.change[1]) + (sums.change[2] + sums.change[3]);
  measure->along = (sums.along[0] + sums.along[1]) + (sums.along[2] + sums.along[3]);
}

/* Δp · W Δp is twice the kinetic energy of the changes. */
CAIRN_CLONES void cairn_kernel_rigid_yield(const struct cairn_rigid_cell *c, struct cairn_rigid_measure *measure) {
  double bent = 0.;
  for (int32_t i = 0; i < c->size.n; i++) {
    double *line = c->lines + (int64_t)CAIRN_RIGID * i, v2 = 0., s2 = 0.;
    const double *push = c->push + (int64_t)CAIRN_RIGID * i;
    for (int k = 0; k < 3; k++) {
      line[CAIRN_RIGID_V + k] += push[CAIRN_RIGID_V + k];
      line[CAIRN_RIGID_S + k] += push[CAIRN_RIGID_S + k];
      v2 += push[CAIRN_RIGID_V + k] * push[CAIRN_RIGID_V + k];
      s2 += push[CAIRN_RIGID_S + k] * push[CAIRN_RIGID_S + k];
    }
    bent += line[CAIRN_RIGID_IM] > 0. ? (v2 + s2 / CAIRN_RIGID_GYRATION) / line[CAIRN_RIGID_IM] : 0.;
  }
  measure->bent = bent;
}

/* ---- between sweeps ---- */

static CAIRN_CLONES void lines_ahead(const struct cairn_rigid_cell *c, int32_t solver, double beta) {
  double *restrict x = c->lines, *restrict from = c->line_from, *restrict way = c->line_way;
  const int64_t n = (int64_t)CAIRN_RIGID * c->size.n;
  if (solver == CAIRN_RIGID_NNCG)
    for (int64_t i = 0; i < n; i++)
      x[i] = cairn_rigid_go_ahead(CAIRN_RIGID_NNCG, beta, x[i], 0., from + i, way + i);
  else
    for (int64_t i = 0; i < n; i++) {
      const double now = x[i];
      x[i] = cairn_rigid_go_ahead(CAIRN_RIGID_NESTEROV, beta, now, from[i], NULL, NULL);
      from[i] = now;
    }
}

void cairn_kernel_rigid_ahead(const struct cairn_rigid_cell *c, int32_t solver, double beta) {
  const size_t bytes = (size_t)c->size.n * CAIRN_RIGID * sizeof(double);
  if (beta >= 0.) {
    lines_ahead(c, solver, beta);
    return;
  }
  memcpy(c->line_from, c->lines, bytes);
  memset(c->line_way, 0, bytes);
}

/* Nesterov: the sequence of 1983, begun anew when a sweep takes back what momentum did (O'Donoghue and Candès 2015).
 * Projected gradients go the same way, and their steps become shorter where one was too long for the curvature met.
 * Conjugate gradients: β = |g|² / |g before|²; a sweep that changes more than the one before starts a new direction. */
void cairn_kernel_rigid_weigh(struct cairn_rigid_control *control, int32_t solver,
                              const struct cairn_rigid_measure *measure) {
  const double bent = solver == CAIRN_RIGID_APGD && measure->change > 0. ? measure->bent / measure->change : 0.;
  const int too_long = bent > control->curve;
  control->curve = too_long ? bent : control->curve;
  if (solver == CAIRN_RIGID_NNCG) {
    control->beta = control->before > 0. && measure->change < control->before ? measure->change / control->before : 0.;
    control->before = measure->change;
    return;
  }
  const double t = control->beta < 0. || measure->along < 0. || too_long ? 1. : control->t;
  const double next = 0.5 * (1. + sqrt(1. + 4. * t * t));
  control->beta = (t - 1.) / next;
  control->t = next < control->most_t ? next : control->most_t;
}

/* ---- how good the impulses are ---- */

ALWAYS double residual_of(const struct cairn_rigid_group *g, const struct cairn_rigid_turning_group *t,
                          const struct lines *first, const struct lines *second, int l) {
  double a[CAIRN_RIGID], b[CAIRN_RIGID];
  line_of(first, l, a);
  line_of(second, l, b);
  return cairn_rigid_residual_of(g, t, l, a, b);
}

CAIRN_CLONES double cairn_kernel_rigid_residual(const struct cairn_rigid_cell *c) {
  const int32_t n = *c->n_groups;
  double sum[LANES] = {0};
  for (int32_t i = 0; i < n; i++) {
    const struct cairn_rigid_group *g = c->group + i;
    struct lines a, b;
    load(c->lines, g->a, &a);
    load(c->lines, g->b, &b);
#pragma GCC ivdep
    for (int l = 0; l < LANES; l++)
      sum[l] += residual_of(g, c->turning ? c->turning + i : NULL, &a, &b, l);
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
