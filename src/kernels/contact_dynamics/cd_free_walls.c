#include "kernels/contact_dynamics/cd_free_walls.h"

#include <string.h>

#include "kernels/common/vec3.h"
#include "kernels/contact_dynamics/cd_walls.h"

struct cairn_cd_free_walls cairn_kernel_cd_free_walls_bind(void *memory, double *velocities, double *free_assemblies) {
  return (struct cairn_cd_free_walls){.n = memory,
                                      .contact = (struct cairn_cd_free_contact *)((char *)memory + 64),
                                      .velocities = velocities,
                                      .free_assemblies = free_assemblies};
}

/* ---- vectors ---- */

static void times(const double *matrix, const double *x, double *y) {
  for (int k = 0; k < 3; k++)
    y[k] = cairn_vec3_dot(matrix + 3 * k, x);
}

static void times_transposed(const double *matrix, const double *x, double *y) {
  for (int k = 0; k < 3; k++)
    y[k] = matrix[k] * x[0] + matrix[3 + k] * x[1] + matrix[6 + k] * x[2];
}

/* The tangents of a normal: the first at right angles to the axis it is farthest from. */
static void frame_of(const double n[3], double frame[9]) {
  const double ax = fabs(n[0]), ay = fabs(n[1]), az = fabs(n[2]);
  const int k = ax <= ay && ax <= az ? 0 : ay <= az ? 1 : 2;
  const double unit[3] = {k == 0, k == 1, k == 2};
  memcpy(frame, n, 3 * sizeof *n);
  cairn_vec3_cross(n, unit, frame + 3);
  const double length = sqrt(cairn_vec3_dot(frame + 3, frame + 3));
  for (int i = 0; i < 3; i++)
    frame[3 + i] /= length;
  cairn_vec3_cross(n, frame + 3, frame + 6);
}

/* ---- the two sides ---- */

static double *line_of(const struct cairn_cd_free_walls *t, const struct cairn_cd_free_contact *k) {
  return k->a < 0 ? NULL : t->velocities + (int64_t)CAIRN_CD * k->a;
}

static double *free_assembly_of(const struct cairn_cd_free_walls *t, const struct cairn_cd_free_contact *k) {
  return t->free_assemblies + (int64_t)CAIRN_FREE_ASSEMBLY * k->free_assembly;
}

/* Relative velocity and spin, in the frame, with what the law adds. */
static void velocity(const struct cairn_cd_free_walls *t, const struct cairn_cd_free_contact *k, double u[3],
                     double w[3]) {
  const double *a = line_of(t, k), *b = free_assembly_of(t, k);
  double v[3], turn[3], spin[3];
  cairn_free_assembly_velocity(b, v);
  cairn_vec3_cross(b + CAIRN_FREE_ASSEMBLY_W, k->arm, turn);
  memcpy(spin, b + CAIRN_FREE_ASSEMBLY_W, sizeof spin);
  for (int i = 0; i < 3; i++)
    v[i] += turn[i];
  if (a) {
    cairn_vec3_cross(a + CAIRN_CD_S, k->frame, turn);
    for (int i = 0; i < 3; i++) {
      v[i] -= a[CAIRN_CD_V + i] + turn[i];
      spin[i] -= a[CAIRN_CD_S + i] * a[CAIRN_CD_IR];
    }
  }
  times(k->frame, v, u);
  times(k->frame, spin, w);
  for (int i = 0; i < 3; i++) {
    u[i] += k->c[i];
    w[i] += k->spin[i];
  }
}

/* Change both by an impulse and a torque impulse in the frame. */
static void apply(const struct cairn_cd_free_walls *t, const struct cairn_cd_free_contact *k, const double p[3],
                  const double m[3]) {
  double *a = line_of(t, k), *b = free_assembly_of(t, k), force[3], torque[3], moment[3], dv[3], dw[3];
  times_transposed(k->frame, p, force);
  times_transposed(k->frame, m, torque);
  cairn_vec3_cross(k->arm, force, moment);
  for (int i = 0; i < 3; i++)
    moment[i] += torque[i];
  times(b + CAIRN_FREE_ASSEMBLY_IM, force, dv);
  times(b + CAIRN_FREE_ASSEMBLY_II, moment, dw);
  for (int i = 0; i < 3; i++) {
    b[CAIRN_FREE_ASSEMBLY_V + i] += dv[i];
    b[CAIRN_FREE_ASSEMBLY_W + i] += dw[i];
  }
  if (!a)
    return;
  const double im = a[CAIRN_CD_IM], gyration = CAIRN_CD_GYRATION * im;
  cairn_vec3_cross(k->frame, force, moment);
  for (int i = 0; i < 3; i++) {
    a[CAIRN_CD_V + i] -= im * force[i];
    a[CAIRN_CD_S + i] -= gyration * (moment[i] + a[CAIRN_CD_IR] * torque[i]);
  }
}

/* ---- the beginning of a step ---- */

/* Velocity and spin at the contact from an impulse of 1 along a row of the frame, column by column; and the response of
 * the relative spin to torque. */
static void set_operators(const struct cairn_cd_free_walls *t, struct cairn_cd_free_contact *k) {
  const double *a = line_of(t, k), *b = free_assembly_of(t, k);
  const double im = a ? a[CAIRN_CD_IM] : 0., ii = a ? CAIRN_CD_GYRATION * im * a[CAIRN_CD_IR] * a[CAIRN_CD_IR] : 0.;
  double turn[9];
  for (int j = 0; j < 3; j++) {
    const double *e = k->frame + 3 * j;
    double moment[3], dv[3], dw[3], at[3], spin[3];
    cairn_vec3_cross(k->arm, e, moment);
    times(b + CAIRN_FREE_ASSEMBLY_IM, e, dv);
    times(b + CAIRN_FREE_ASSEMBLY_II, moment, dw);
    cairn_vec3_cross(dw, k->arm, at);
    times(b + CAIRN_FREE_ASSEMBLY_II, e, spin);
    for (int i = 0; i < 3; i++) {
      const double *d = k->frame + 3 * i;
      const double sphere = i != j ? 0. : im * (i == 0 ? 1. : 1. + CAIRN_CD_GYRATION);
      k->w[3 * i + j] = cairn_vec3_dot(d, dv) + cairn_vec3_dot(d, at) + sphere;
      turn[3 * i + j] = cairn_vec3_dot(d, spin) + (i == j ? ii : 0.);
    }
  }
  /* symmetric but for rounding, which must not make a negative square */
  const double mean = 0.5 * (turn[4] + turn[8]), half = 0.5 * (turn[4] - turn[8]), off = 0.5 * (turn[5] + turn[7]);
  k->twisting_response = turn[0];
  k->rolling_response = mean + sqrt(half * half + off * off);
}

/* What a contact starts from. */
struct meeting {
  const double *p, *assembly;
  struct cairn_nearest touch;
  int32_t pair;
};

static void set_motion(const struct meeting *x, struct cairn_cd_free_contact *k, double u[3], double fixed[3],
                       double fixed_spin[3]) {
  const double *p = x->p;
  double turn[3];
  cairn_cd_wall_motion(p, k->frame, x->assembly, k->at, k->turn);
  cairn_vec3_cross(p + CAIRN_PREDICTED_W, k->frame, turn);
  for (int i = 0; i < 3; i++) {
    const double own = p[CAIRN_PREDICTED_V + i] + p[CAIRN_PREDICTED_R] * turn[i];
    u[i] = k->at[i] - own;
    fixed[i] = k->a < 0 ? -own : 0.;
    fixed_spin[i] = k->a < 0 ? -p[CAIRN_PREDICTED_W + i] : 0.;
  }
}

static double add(const struct cairn_cd_free_walls *t, const struct cairn_soft_spheres *b, const struct meeting *x,
                  const struct cairn_cd_step *step) {
  const struct cairn_law_coulomb *law = cairn_cd_law_of(b, x->pair);
  const double n[3] = {x->touch.nx, x->touch.ny, x->touch.nz}, r = x->p[CAIRN_PREDICTED_R];
  const double *walls = cairn_walls_of(b->world, b->n_laws);
  struct cairn_cd_free_contact *k = t->contact + *t->n;
  double u[3], fixed[3], spin[3], c[3], w[3], sum = 0.;
  memset(k, 0, sizeof *k);
  frame_of(n, k->frame);
  k->a = x->p[CAIRN_PREDICTED_CAPTOR] != 0. ? -1 : b->a[x->pair];
  k->free_assembly = (cairn_int)walls[(int64_t)CAIRN_WALL * b->b[x->pair] + CAIRN_WALL_ASSEMBLY];
  k->pair = x->pair;
  k->overlap = (r - x->touch.distance) / r;
  set_motion(x, k, u, fixed, spin);
  if (!cairn_law_coulomb_target(law, step, u, n, x->touch.distance - r, c, &k->cohesion))
    return 0.;
  for (int i = 0; i < 3; i++) {
    k->arm[i] = x->p[i] + r * n[i] - x->assembly[CAIRN_ASSEMBLY_X + i];
    c[i] += fixed[i];
  }
  times(k->frame, c, k->c);
  times(k->frame, spin, k->spin);
  set_operators(t, k);
  if (!(k->w[0] > 0.))
    return 0.; /* neither can move */
  /* where nothing can move along the contact friction has nothing to do */
  const int slips = k->w[4] + k->w[8] > CAIRN_FRICTION_ROUND * k->w[0];
  k->local = cairn_friction_contact(k->w, slips ? law->friction : 0.);
  k->local.diagonal &= slips;
  k->roll = cairn_law_coulomb_rolling(law, r);
  k->twist = cairn_law_coulomb_twisting(law, r);
  k->age = b->age[x->pair];
  const double old[3] = {b->sx[x->pair], b->sy[x->pair], b->sz[x->pair]};
  velocity(t, k, u, w);
  if (k->age > 0)
    times(k->frame, old, k->p);
  for (int i = 0; i < 3; i++) {
    const double own = x->p[CAIRN_PREDICTED_V + i], warm = k->w[0] * k->p[i];
    sum += u[i] * u[i] + cairn_cd_rounding(step, own * own + k->c[i] * k->c[i] + warm * warm, x->p[i] * x->p[i]);
  }
  memcpy(k->before, k->p, sizeof k->p);
  *t->n += 1;
  return k->local.rho * sum;
}

double cairn_kernel_cd_free_walls_begin(const struct cairn_cd_free_walls *t, const struct cairn_soft_spheres *b,
                                        const struct cairn_cd_step *step) {
  const int32_t begin = b->size.n_pairs, end = begin + b->size.n_wall_pairs;
  const double *walls = cairn_walls_of(b->world, b->n_laws);
  double sum = 0.;
  *t->n = 0;
  for (int32_t k = begin, n_slots; k < end; k += n_slots) {
    const double *wall = walls + (int64_t)CAIRN_WALL * b->b[k];
    struct meeting x = {.p = b->predicted + (int64_t)CAIRN_PREDICTED * b->a[k],
                        .assembly = cairn_walls_assembly(wall, b->assemblies)};
    struct cairn_nearest touch[CAIRN_WALL_TOUCHES];
    n_slots = cairn_walls_is_mesh(wall) ? CAIRN_WALL_TOUCHES : 1;
    if (wall[CAIRN_WALL_CAPTURE] != 0. || x.assembly[CAIRN_ASSEMBLY_IS_FREE] == 0. || x.p[CAIRN_PREDICTED_CAPTOR] < 0.)
      continue;
    const int32_t n =
        cairn_walls_touches(b->world, wall, x.assembly, x.p, cairn_cd_wall_reach(x.p, x.assembly, step), touch);
    if (n_slots > 1)
      cairn_cd_inherit(b, k, touch, n);
    for (int32_t j = 0; j < n; j++) {
      x.touch = touch[j];
      x.pair = k + j;
      sum += add(t, b, &x, step);
    }
  }
  return sum;
}

/* ---- iterations ---- */

void cairn_kernel_cd_free_walls_warm_start(const struct cairn_cd_free_walls *t) {
  for (int32_t i = 0; i < *t->n; i++)
    apply(t, t->contact + i, t->contact[i].p, t->contact[i].m);
}

/* The impulse that solves the contact alone. Cohesion shifts the normal impulse: r = p + (cohesion, 0, 0). */
static void solve(const struct cairn_cd_free_contact *k, const double start[3], const double u[3], double p[3]) {
  double r[3] = {start[0] + k->cohesion, start[1], start[2]}, b[3];
  times(k->w, r, b);
  for (int i = 0; i < 3; i++)
    b[i] = u[i] - b[i];
  if (k->local.diagonal)
    cairn_friction_solve_diagonal(&k->local, u, r);
  else
    cairn_friction_solve(&k->local, b, r);
  p[0] = r[0] - k->cohesion;
  p[1] = r[1];
  p[2] = r[2];
}

/* A step of the projected gradient; exact where the response is the same in all directions, and right at its fixed
 * point in any case. */
static void solve_turn(const struct cairn_cd_free_contact *k, const double start[3], const double w[3], double m[3]) {
  const double grip = k->p[0] + k->cohesion, twist = k->twist * grip, roll = k->roll * grip;
  const double n = k->twisting_response > 0. ? start[0] - w[0] / k->twisting_response : 0.;
  const double step = k->rolling_response > 0. ? 1. / k->rolling_response : 0.;
  const double x = start[1] - step * w[1], y = start[2] - step * w[2], across2 = x * x + y * y;
  const double scale = across2 > roll * roll ? roll / sqrt(across2) : 1.;
  m[0] = n > twist ? twist : n < -twist ? -twist : n;
  m[1] = scale * x;
  m[2] = scale * y;
}

static int rotates(const struct cairn_cd_free_contact *k) { return k->roll > 0. || k->twist > 0.; }

/* Replace the extrapolated impulse by `next`; `x` is that after the latest sweep. */
static void take(const double next[3], const double start[3], double *x, double *before, double d[3]) {
  for (int i = 0; i < 3; i++) {
    d[i] = next[i] - start[i];
    before[i] = x[i];
    x[i] = next[i];
  }
}

static void visit(const struct cairn_cd_free_walls *t, struct cairn_cd_free_contact *k, double beta) {
  static const double none[3] = {0., 0., 0.};
  double u[3], w[3], start[6], next[3], d[3];
  for (int i = 0; i < 6; i++)
    start[i] = cairn_cd_extrapolate(beta, i < 3 ? k->p[i] : k->m[i - 3], k->before[i]);
  velocity(t, k, u, w);
  solve(k, start, u, next);
  take(next, start, k->p, k->before, d);
  apply(t, k, d, none);
  if (!rotates(k))
    return;
  velocity(t, k, u, w);
  solve_turn(k, start + 3, w, next);
  take(next, start + 3, k->m, k->before + 3, d);
  apply(t, k, none, d);
}

void cairn_kernel_cd_free_walls_sweep(const struct cairn_cd_free_walls *t, double beta) {
  for (int32_t i = 0; i < *t->n; i++)
    visit(t, t->contact + i, beta);
}

void cairn_kernel_cd_free_assemblies_extrapolate(int32_t n, double *free_assemblies, double beta) {
  for (int32_t i = 0; i < n; i++, free_assemblies += CAIRN_FREE_ASSEMBLY) {
    double *from = free_assemblies + CAIRN_FREE_ASSEMBLY_FROM;
    for (int k = 0; k < 6; k++) {
      const double now = free_assemblies[k];
      free_assemblies[k] = beta > 0. ? cairn_cd_extrapolate(beta, now, from[k]) : now;
      from[k] = now;
    }
  }
}

double cairn_kernel_cd_free_walls_residual(const struct cairn_cd_free_walls *t) {
  double sum = 0.;
  for (int32_t i = 0; i < *t->n; i++) {
    const struct cairn_cd_free_contact *k = t->contact + i;
    const double r[3] = {k->p[0] + k->cohesion, k->p[1], k->p[2]};
    double u[3], w[3], d[3], m[3];
    velocity(t, k, u, w);
    sum += cairn_friction_natural_map(k->local.mu, k->local.rho, r, u, d) / k->local.rho;
    if (!rotates(k))
      continue;
    solve_turn(k, k->m, w, m);
    for (int j = 0; j < 3; j++)
      sum += k->rolling_response * (m[j] - k->m[j]) * (m[j] - k->m[j]);
  }
  return sum;
}

/* ---- the end of a step ---- */

void cairn_kernel_cd_free_walls_gather_captured(const struct cairn_cd_free_walls *t,
                                                const struct cairn_soft_spheres *b) {
  for (int32_t i = 0; i < *t->n; i++) {
    const struct cairn_cd_free_contact *k = t->contact + i;
    double p[3], m[3];
    if (k->a >= 0)
      continue;
    times_transposed(k->frame, k->p, p);
    times_transposed(k->frame, k->m, m);
    cairn_cd_load_captured(t->velocities + (int64_t)CAIRN_CD * b->a[k->pair], -1., k->frame, p, m);
  }
}

/* With the mean of the velocities before and after the step, as for bodies. */
static double work_on_assembly(const struct cairn_cd_free_walls *t, const struct cairn_cd_free_contact *k,
                               const double p[3], const double m[3]) {
  const double *b = free_assembly_of(t, k);
  double v[3], turn[3], sum = 0.;
  cairn_free_assembly_velocity(b, v);
  cairn_vec3_cross(b + CAIRN_FREE_ASSEMBLY_W, k->arm, turn);
  for (int i = 0; i < 3; i++)
    sum += p[i] * (k->at[i] + v[i] + turn[i]) + m[i] * (k->turn[i] + b[CAIRN_FREE_ASSEMBLY_W + i]);
  return 0.5 * sum;
}

/* The worst overlap beyond the limit, as of the contacts of spheres, in the same step. */
static void note_overlap(const struct cairn_soft_spheres *b, const struct cairn_cd_free_contact *k,
                         struct cairn_report *report) {
  if (!(k->overlap > b->world[CAIRN_WORLD_LIMIT]))
    return;
  report->overlap_steps = 1;
  if (k->overlap > report->overlap) {
    report->overlap = k->overlap;
    report->overlap_a = b->a[k->pair];
    report->overlap_b = -1 - b->b[k->pair];
  }
}

void cairn_kernel_cd_free_walls_end(const struct cairn_cd_free_walls *t, const struct cairn_soft_spheres *b, double h,
                                    struct cairn_report *report) {
  double work = 0.;
  for (int32_t i = 0; i < *t->n; i++) {
    const struct cairn_cd_free_contact *k = t->contact + i;
    double p[3], m[3];
    times_transposed(k->frame, k->p, p);
    times_transposed(k->frame, k->m, m);
    b->sx[k->pair] = p[0];
    b->sy[k->pair] = p[1];
    b->sz[k->pair] = p[2];
    b->age[k->pair] = cairn_blocks_age(k->age, cairn_vec3_dot(p, p) > 0. ? 1. : 0.);
    memcpy(b->normal + 3 * (int64_t)(k->pair - b->size.n_pairs), k->frame, 3 * sizeof(double));
    cairn_cd_load_wall(b, k->pair, k->frame, p, m, h);
    work += work_on_assembly(t, k, p, m);
    note_overlap(b, k, report);
  }
  report->dissipated -= work;
}
