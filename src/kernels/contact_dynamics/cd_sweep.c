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

/* What a visit adds to the measure, lane by lane. */
struct lane_sums {
  double change[LANES], along[LANES];
};

ALWAYS void add_gain(struct lane_sums *sums, int l, struct cairn_cd_gain gain) {
  sums->change[l] += gain.change;
  sums->along[l] += gain.along;
}

ALWAYS void visit(struct cairn_cd_group *g, struct cairn_cd_direction_group *w, struct velocities *first,
                  struct velocities *second, int32_t solver, double beta, int l, struct lane_sums *sums) {
  double a[CAIRN_CD], b[CAIRN_CD];
  load_velocity(first, l, a);
  load_velocity(second, l, b);
  add_gain(sums, l, cairn_cd_visit(g, w, l, solver, beta, a, b));
  store_velocity(first, l, a);
  store_velocity(second, l, b);
}

ALWAYS void visit_turning(const struct cairn_cd_group *g, struct cairn_cd_rotation_group *t,
                          struct cairn_cd_direction_group *w, struct velocities *first, struct velocities *second,
                          int32_t solver, double beta, int l, struct lane_sums *sums) {
  double a[CAIRN_CD], b[CAIRN_CD];
  load_velocity(first, l, a);
  load_velocity(second, l, b);
  add_gain(sums, l, cairn_cd_visit_rotation(g, t, w, l, solver, beta, a, b));
  store_velocity(first, l, a);
  store_velocity(second, l, b);
}

/* ---- sweeps ---- */

ALWAYS void sweep_group(const struct cairn_cd_cell *c, int32_t i, int32_t solver, double beta, struct lane_sums *sums) {
  struct cairn_cd_group *g = c->group + i;
  struct cairn_cd_direction_group *w = solver == CAIRN_CD_NNCG ? c->direction + i : NULL;
  struct velocities a, b;
  load(c->velocities, g->a, &a);
  load(c->velocities, g->b, &b);
#pragma GCC ivdep
  for (int l = 0; l < LANES; l++)
    visit(g, w, &a, &b, solver, beta, l, sums);
  if (c->rotation_friction)
#pragma GCC ivdep
    for (int l = 0; l < LANES; l++)
      visit_turning(g, c->rotation_friction + i, w, &a, &b, solver, beta, l, sums);
  store(c->velocities, g->a, &a);
  store(c->velocities, g->b, &b);
}

/* Two loops: a look at the order costs a tenth of the time. */
ALWAYS void sweep(const struct cairn_cd_cell *c, int32_t solver, double beta, struct lane_sums *sums) {
  const int32_t n = *c->n_groups;
  if (c->order)
    for (int32_t k = 0; k < n; k++)
      sweep_group(c, c->order[k], solver, beta, sums);
  else
    for (int32_t i = 0; i < n; i++)
      sweep_group(c, i, solver, beta, sums);
}

static CAIRN_CLONES void sweep_nsgs(const struct cairn_cd_cell *c, struct lane_sums *sums) {
  sweep(c, CAIRN_CD_NSGS, 0., sums);
}
static CAIRN_CLONES void sweep_nesterov(const struct cairn_cd_cell *c, double beta, struct lane_sums *sums) {
  sweep(c, CAIRN_CD_NESTEROV, beta, sums);
}
static CAIRN_CLONES void sweep_nncg(const struct cairn_cd_cell *c, double beta, struct lane_sums *sums) {
  sweep(c, CAIRN_CD_NNCG, beta, sums);
}

void cairn_kernel_cd_sweep(const struct cairn_cd_cell *c, int32_t solver, double beta,
                           struct cairn_cd_measure *measure) {
  struct lane_sums sums = {0};
  beta = beta > 0. ? beta : 0.;
  if (solver == CAIRN_CD_NESTEROV)
    sweep_nesterov(c, beta, &sums);
  else if (solver == CAIRN_CD_NNCG)
    sweep_nncg(c, beta, &sums);
  else
    sweep_nsgs(c, &sums);
  measure->change = (sums.change[0] + sums.change[1]) + (sums.change[2] + sums.change[3]);
  measure->along = (sums.along[0] + sums.along[1]) + (sums.along[2] + sums.along[3]);
}

CAIRN_CLONES void cairn_kernel_cd_warm_start(const struct cairn_cd_cell *c) {
  const int32_t n = *c->n_groups;
  for (int32_t i = 0; i < n; i++) {
    const struct cairn_cd_group *g = c->group + (c->order ? c->order[i] : i);
    struct velocities first, second;
    load(c->velocities, g->a, &first);
    load(c->velocities, g->b, &second);
#pragma GCC ivdep
    for (int l = 0; l < LANES; l++) {
      const struct cairn_cd_contact k = cairn_cd_contact_of(g, l);
      double a[CAIRN_CD], b[CAIRN_CD];
      load_velocity(&first, l, a);
      load_velocity(&second, l, b);
      cairn_cd_apply_impulse(a, b, k.n, k.p);
      store_velocity(&first, l, a);
      store_velocity(&second, l, b);
    }
    store(c->velocities, g->a, &first);
    store(c->velocities, g->b, &second);
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

/* The increments of two bodies as body velocities, with the bodies' masses and radii. */
ALWAYS void load_increments(const struct velocities *first, const struct velocities *second, const double *a,
                            const double *b, int l, double *pa, double *pb) {
  load_velocity(first, l, pa);
  load_velocity(second, l, pb);
  pa[CAIRN_CD_IM] = a[CAIRN_CD_IM];
  pb[CAIRN_CD_IM] = b[CAIRN_CD_IM];
  pa[CAIRN_CD_IR] = a[CAIRN_CD_IR];
  pb[CAIRN_CD_IR] = b[CAIRN_CD_IR];
}

/* From the extrapolated point down the gradient, then projected onto the cone. */
ALWAYS void gradient_step(struct cairn_cd_group *g, const struct velocities *first, const struct velocities *second,
                          struct velocities *push_first, struct velocities *push_second, double beta, double curve,
                          int l, struct lane_sums *sums) {
  const struct cairn_cd_contact k = cairn_cd_contact_of(g, l);
  const double rho = 3. / (1. + 2. * CAIRN_CD_ACROSS) * k.inverse;
  double a[CAIRN_CD], b[CAIRN_CD], u[3], p[3], d[3], start[3], ut2 = 0., change = 0., along = 0.;
  load_velocity(first, l, a);
  load_velocity(second, l, b);
  cairn_cd_velocity(a, b, k.n, u);
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
  double pa[CAIRN_CD], pb[CAIRN_CD];
  load_increments(push_first, push_second, a, b, l, pa, pb);
  cairn_cd_apply_impulse(pa, pb, k.n, d);
  store_velocity(push_first, l, pa);
  store_velocity(push_second, l, pb);
}

ALWAYS void gradient_step_rotation(const struct cairn_cd_group *g, struct cairn_cd_rotation_group *t,
                                   const struct velocities *first, const struct velocities *second,
                                   struct velocities *push_first, struct velocities *push_second, double beta,
                                   double curve, int l, struct lane_sums *sums) {
  const struct cairn_cd_contact k = cairn_cd_contact_of(g, l);
  struct cairn_cd_rotation turn = cairn_cd_rotation_of(t, l);
  double a[CAIRN_CD], b[CAIRN_CD], m[3], d[3], change = 0., along = 0.;
  load_velocity(first, l, a);
  load_velocity(second, l, b);
  const double weight = turn.inverse > 0. ? 1. / turn.inverse : 0.;
  turn.inverse /= curve;
  for (int j = 0; j < 3; j++)
    turn.m[j] += beta * (turn.m[j] - t->before[j][l]);
  cairn_cd_solve_rotation(a, b, k.n, cairn_cd_normal_impulse(&k), &turn, m);
  for (int j = 0; j < 3; j++) {
    const double rotation_friction =
        b[CAIRN_CD_S + j] * b[CAIRN_CD_IR] - a[CAIRN_CD_S + j] * a[CAIRN_CD_IR] + turn.w[j];
    d[j] = m[j] - turn.m[j];
    change += d[j] * d[j];
    along -= rotation_friction * (m[j] - t->m[j][l]);
    t->before[j][l] = t->m[j][l];
    t->m[j][l] = m[j];
  }
  sums->change[l] += weight * change;
  sums->along[l] += along;
  double pa[CAIRN_CD], pb[CAIRN_CD];
  load_increments(push_first, push_second, a, b, l, pa, pb);
  cairn_cd_apply_torque(pa, pb, d);
  store_velocity(push_first, l, pa);
  store_velocity(push_second, l, pb);
}

static CAIRN_CLONES void gradient_step_all(const struct cairn_cd_cell *c, double beta, double curve,
                                           struct lane_sums *sums) {
  const int32_t n = *c->n_groups;
  for (int32_t i = 0; i < n; i++) {
    struct cairn_cd_group *g = c->group + i;
    struct velocities a, b, pa, pb;
    load(c->velocities, g->a, &a);
    load(c->velocities, g->b, &b);
    load(c->increment, g->a, &pa);
    load(c->increment, g->b, &pb);
#pragma GCC ivdep
    for (int l = 0; l < LANES; l++)
      gradient_step(g, &a, &b, &pa, &pb, beta, curve, l, sums);
    if (c->rotation_friction)
#pragma GCC ivdep
      for (int l = 0; l < LANES; l++)
        gradient_step_rotation(g, c->rotation_friction + i, &a, &b, &pa, &pb, beta, curve, l, sums);
    store(c->increment, g->a, &pa);
    store(c->increment, g->b, &pb);
  }
}

void cairn_kernel_cd_gradient_step(const struct cairn_cd_cell *c, const struct cairn_cd_control *control,
                                   struct cairn_cd_measure *measure) {
  struct lane_sums sums = {0};
  memset(c->increment, 0, sizeof(double) * CAIRN_CD * ((size_t)c->size.n + (size_t)c->size.n_halo + 1));
  gradient_step_all(c, control->beta > 0. ? control->beta : 0., control->curve, &sums);
  measure->change = (sums.change[0] + sums.change[1]) + (sums.change[2] + sums.change[3]);
  measure->along = (sums.along[0] + sums.along[1]) + (sums.along[2] + sums.along[3]);
}

/* Δp · W Δp is twice the kinetic energy of the changes. */
CAIRN_CLONES void cairn_kernel_cd_apply_impulses(const struct cairn_cd_cell *c, struct cairn_cd_measure *measure) {
  double curvature = 0.;
  for (int32_t i = 0; i < c->size.n; i++) {
    double *velocity = c->velocities + (int64_t)CAIRN_CD * i, v2 = 0., s2 = 0.;
    const double *increment = c->increment + (int64_t)CAIRN_CD * i;
    for (int k = 0; k < 3; k++) {
      velocity[CAIRN_CD_V + k] += increment[CAIRN_CD_V + k];
      velocity[CAIRN_CD_S + k] += increment[CAIRN_CD_S + k];
      v2 += increment[CAIRN_CD_V + k] * increment[CAIRN_CD_V + k];
      s2 += increment[CAIRN_CD_S + k] * increment[CAIRN_CD_S + k];
    }
    curvature += velocity[CAIRN_CD_IM] > 0. ? (v2 + s2 / CAIRN_CD_GYRATION) / velocity[CAIRN_CD_IM] : 0.;
  }
  measure->curvature = curvature;
}

/* ---- between sweeps ---- */

static CAIRN_CLONES void velocities_extrapolated(const struct cairn_cd_cell *c, int32_t solver, double beta) {
  double *restrict x = c->velocities, *restrict from = c->velocity_from, *restrict direction = c->velocity_direction;
  const int64_t n = (int64_t)CAIRN_CD * c->size.n;
  if (solver == CAIRN_CD_NNCG)
    for (int64_t i = 0; i < n; i++)
      x[i] = cairn_cd_extrapolate(CAIRN_CD_NNCG, beta, x[i], 0., from + i, direction + i);
  else
    for (int64_t i = 0; i < n; i++) {
      const double now = x[i];
      x[i] = cairn_cd_extrapolate(CAIRN_CD_NESTEROV, beta, now, from[i], NULL, NULL);
      from[i] = now;
    }
}

void cairn_kernel_cd_extrapolate(const struct cairn_cd_cell *c, int32_t solver, double beta) {
  const size_t bytes = (size_t)c->size.n * CAIRN_CD * sizeof(double);
  if (beta >= 0.) {
    velocities_extrapolated(c, solver, beta);
    return;
  }
  memcpy(c->velocity_from, c->velocities, bytes);
  memset(c->velocity_direction, 0, bytes);
}

/* Nesterov: the sequence of 1983, begun anew when a sweep takes back what momentum did (O'Donoghue and Candès 2015).
 * Projected gradients go the same way, and their steps become shorter where one was too long for the curvature met.
 * Conjugate gradients: β = |g|² / |g before|²; a sweep that changes more than the one before starts a new direction. */
void cairn_kernel_cd_momentum(struct cairn_cd_control *control, int32_t solver,
                              const struct cairn_cd_measure *measure) {
  const double curvature = solver == CAIRN_CD_APGD && measure->change > 0. ? measure->curvature / measure->change : 0.;
  const int too_long = curvature > control->curve;
  control->curve = too_long ? curvature : control->curve;
  if (solver == CAIRN_CD_NNCG) {
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

ALWAYS double residual_of(const struct cairn_cd_group *g, const struct cairn_cd_rotation_group *t,
                          const struct velocities *first, const struct velocities *second, int l) {
  double a[CAIRN_CD], b[CAIRN_CD];
  load_velocity(first, l, a);
  load_velocity(second, l, b);
  return cairn_cd_residual_of(g, t, l, a, b);
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
      sum[l] += residual_of(g, c->rotation_friction ? c->rotation_friction + i : NULL, &a, &b, l);
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
