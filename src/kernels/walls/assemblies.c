#include "kernels/walls/assemblies.h"
#include "kernels/common/vec3.h"

#include <string.h>

enum {
  X = CAIRN_ASSEMBLY_STATE_X,
  Q = CAIRN_ASSEMBLY_STATE_Q,
  V = CAIRN_ASSEMBLY_STATE_V,
  W = CAIRN_ASSEMBLY_STATE_W,
  A = CAIRN_ASSEMBLY_STATE_A,
  AW = CAIRN_ASSEMBLY_STATE_AW,
  DOUBLES = CAIRN_ASSEMBLY_STATE_DOUBLES
};

/* Row by row; the identity comes out exactly. */
static void matrix_of(const double *q, double *r) {
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  const double m[9] = {1. - 2. * (y * y + z * z), 2. * (x * y - w * z),      2. * (x * z + w * y),
                       2. * (x * y + w * z),      1. - 2. * (x * x + z * z), 2. * (y * z - w * x),
                       2. * (x * z - w * y),      2. * (y * z + w * x),      1. - 2. * (x * x + y * y)};
  memcpy(r, m, sizeof m);
}

/* Turn q by the vector angle × axis in world coordinates: the exponential map. No turn leaves q as it is, to the bit.
 */
static void turn(const double *q, const double *by, double *turned) {
  const double angle = sqrt(cairn_vec3_dot(by, by)), s = angle > 0. ? sin(0.5 * angle) / angle : 0.,
               c = cos(0.5 * angle);
  double u[3], u_q[3];
  memmove(turned, q, 4 * sizeof *q);
  if (s == 0.)
    return;
  for (int k = 0; k < 3; k++)
    u[k] = s * by[k];
  const double w = c * turned[3] - cairn_vec3_dot(u, turned);
  cairn_vec3_cross(u, turned, u_q);
  for (int k = 0; k < 3; k++)
    turned[k] = c * turned[k] + turned[3] * u[k] + u_q[k];
  turned[3] = w;
  const double norm = sqrt(cairn_vec3_dot(turned, turned) + w * w);
  for (int k = 0; k < 4; k++)
    turned[k] /= norm;
}

static int is_there(const struct cairn_assembly_rules *rules, double time) {
  return rules->appears <= time && time < rules->vanishes;
}

/* The time so many steps after `time`. Times are whole multiples of h; the sum time + h would not always be the same
 * number as the multiple that a restarted run begins with. */
static double time_after(double time, double h, double steps) {
  const double step = h > 0. ? rint(time / h) : 0.;
  return step * h == time ? (step + steps) * h : time + steps * h;
}

/* Where the first half of a step brings a state, as cairn_blocks_motion does for bodies: placed at its end, velocities
 * kicked to its middle and predicted for its end. */
struct leap {
  double x[3], q[4], kicked[6], predicted[6];
};

static struct leap leap_of(const double *s, double h) {
  struct leap leap;
  double by[3];
  for (int k = 0; k < 6; k++) { /* velocity and spin stand side by side, and so do their derivatives */
    const double kick = 0.5 * h * s[A + k];
    leap.kicked[k] = s[V + k] + kick;
    leap.predicted[k] = leap.kicked[k] + kick;
  }
  for (int k = 0; k < 3; k++) {
    leap.x[k] = s[X + k] + h * leap.kicked[k];
    by[k] = h * leap.kicked[3 + k];
  }
  turn(s + Q, by, leap.q);
  return leap;
}

static void state_of_motion(const struct cairn_assembly_rules *rules, double time, double *s) {
  struct cairn_pose pose;
  cairn_motion_pose(&rules->motion, time, &pose);
  for (int k = 0; k < 3; k++) {
    s[X + k] = rules->start[k] + pose.x[k];
    s[V + k] = pose.v[k];
    s[W + k] = pose.w[k];
    s[A + k] = pose.a[k];
    s[AW + k] = pose.aw[k];
  }
  memcpy(s + Q, pose.q, sizeof pose.q);
}

/* Write state and predicted kinematics. `h` is the time to the coming step, or 0 for an inactive assembly; `time` that
 * of the coming step. */
static void show(const struct cairn_assembly_rules *rules, const double *state, double time, double h, double *block) {
  double s[DOUBLES];
  memcpy(s, state, sizeof s);
  memset(block, 0, CAIRN_ASSEMBLY * sizeof *block);
  memcpy(block + CAIRN_ASSEMBLY_STATE, s, sizeof s);
  if (rules->kind == CAIRN_ASSEMBLY_DRIVEN) {
    state_of_motion(rules, time, s);
  } else {
    const struct leap leap = leap_of(s, h);
    memcpy(s + X, leap.x, sizeof leap.x);
    memcpy(s + Q, leap.q, sizeof leap.q);
    memcpy(s + V, leap.predicted, sizeof leap.predicted);
  }
  memcpy(block + CAIRN_ASSEMBLY_X, s + X, 3 * sizeof *s);
  matrix_of(s + Q, block + CAIRN_ASSEMBLY_R);
  memcpy(block + CAIRN_ASSEMBLY_V, s + V, 6 * sizeof *s);
  memcpy(block + CAIRN_ASSEMBLY_A, s + A, 6 * sizeof *s);
  block[CAIRN_ASSEMBLY_ACTIVE] = is_there(rules, time);
  block[CAIRN_ASSEMBLY_IS_FREE] = rules->kind == CAIRN_ASSEMBLY_FREE;
  block[CAIRN_ASSEMBLY_TURNED] = s[Q] != 0. || s[Q + 1] != 0. || s[Q + 2] != 0.;
}

/* Newton's law along the directions that are free. */
static void accelerate(const struct cairn_assembly_rules *rules, const double *load, const double *gravity, double *a) {
  double all[3];
  memset(a, 0, 3 * sizeof *a);
  for (int k = 0; k < 3; k++)
    all[k] = (load[k] + rules->force[k]) / rules->mass + gravity[k];
  for (int32_t j = 0; j < rules->n_slides; j++)
    for (int k = 0; k < 3; k++)
      a[k] += cairn_vec3_dot(all, rules->slide[j]) * rules->slide[j][k];
}

/* I v with I = R diag(inertia) Rᵀ. */
static void times_inertia(const double *r, const double *inertia, const double *v, double *out) {
  double own[3];
  for (int k = 0; k < 3; k++)
    own[k] = inertia[k] * (r[k] * v[0] + r[3 + k] * v[1] + r[6 + k] * v[2]);
  for (int k = 0; k < 3; k++)
    out[k] = cairn_vec3_dot(r + 3 * k, own);
}

/* Solve m x = b in place for a symmetric positive definite matrix of n ≤ 3 rows: elimination needs no pivots. */
static void solve(int32_t n, double m[3][3], double *b) {
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = i + 1; j < n; j++) {
      const double factor = m[j][i] / m[i][i];
      for (int32_t k = i; k < n; k++)
        m[j][k] -= factor * m[i][k];
      b[j] -= factor * b[i];
    }
  for (int32_t i = n - 1; i >= 0; i--) {
    for (int32_t k = i + 1; k < n; k++)
      b[i] -= m[i][k] * b[k];
    b[i] /= m[i][i];
  }
}

/* Euler's equations within the span of the axes U that are free: (Uᵀ I U) a = Uᵀ (T - ω × I ω), aw = U a. */
static void accelerate_spin(const struct cairn_assembly_rules *rules, const double *torque, const double *q,
                            const double *w, double *aw) {
  double r[9], iw[3], gyro[3], iu[3], rest[3], m[3][3], b[3];
  memset(aw, 0, 3 * sizeof *aw);
  matrix_of(q, r);
  times_inertia(r, rules->inertia, w, iw);
  cairn_vec3_cross(w, iw, gyro);
  for (int k = 0; k < 3; k++)
    rest[k] = torque[k] - gyro[k];
  for (int32_t j = 0; j < rules->n_turns; j++) {
    times_inertia(r, rules->inertia, rules->turn[j], iu);
    for (int32_t i = 0; i < rules->n_turns; i++)
      m[i][j] = cairn_vec3_dot(rules->turn[i], iu);
    b[j] = cairn_vec3_dot(rules->turn[j], rest);
  }
  solve(rules->n_turns, m, b);
  for (int32_t j = 0; j < rules->n_turns; j++)
    for (int k = 0; k < 3; k++)
      aw[k] += b[j] * rules->turn[j][k];
}

/* Along its axis a servo has a speed and no acceleration. */
static void serve(const struct cairn_assembly_rules *rules, const double *load, double *v, double *a) {
  const double *axis = rules->servo_axis, push = -cairn_vec3_dot(load, axis);
  const double speed = rules->servo_speed * fmax(-1., fmin(1., 1. - push / rules->servo_force));
  const double had = cairn_vec3_dot(v, axis), newton = cairn_vec3_dot(a, axis);
  for (int k = 0; k < 3; k++) {
    v[k] = v[k] - had * axis[k] + speed * axis[k];
    a[k] -= newton * axis[k];
  }
}

/* The state at the end of a step of length h, 0 for an assembly that was inactive; one that is not there at the end
 * feels nothing. */
static void finish_step(const struct cairn_assembly_rules *rules, int there, const double *load, const double *gravity,
                        double h, double *s) {
  const struct leap leap = leap_of(s, h);
  double a[6] = {0.};
  if (there) {
    accelerate(rules, load, gravity, a);
    accelerate_spin(rules, load + 3, leap.q, leap.predicted + 3, a + 3);
  }
  memcpy(s + X, leap.x, sizeof leap.x);
  memcpy(s + Q, leap.q, sizeof leap.q);
  memcpy(s + A, a, sizeof a);
  for (int k = 0; k < 6; k++)
    s[V + k] = leap.kicked[k] + 0.5 * h * a[k];
  if (there && rules->servo_force > 0.)
    serve(rules, load, s + V, s + A);
}

void cairn_kernel_assemblies_start(const struct cairn_assembly_rules *rules, int32_t n, const double (*velocity)[3],
                                   const double (*spin)[3], double *block) {
  memset(block, 0, (size_t)n * CAIRN_ASSEMBLY * sizeof *block);
  for (int32_t i = 0; i < n; i++) {
    double *s = block + (size_t)i * CAIRN_ASSEMBLY + CAIRN_ASSEMBLY_STATE;
    memcpy(s + X, rules[i].start, sizeof rules[i].start);
    s[Q + 3] = 1.;
    if (rules[i].kind == CAIRN_ASSEMBLY_DRIVEN)
      state_of_motion(rules + i, 0., s);
    if (rules[i].kind == CAIRN_ASSEMBLY_FREE) {
      memcpy(s + V, velocity[i], sizeof velocity[i]);
      memcpy(s + W, spin[i], sizeof spin[i]);
    }
  }
}

void cairn_kernel_assemblies_predict(const struct cairn_assembly_rules *rules, int32_t n, double time, double h,
                                     double *block) {
  const double begin = time_after(time, h, -1.);
  for (int32_t i = 0; i < n; i++) {
    double *own = block + (size_t)i * CAIRN_ASSEMBLY;
    show(rules + i, own + CAIRN_ASSEMBLY_STATE, time, is_there(rules + i, begin) ? h : 0., own);
  }
}

void cairn_kernel_assemblies_step(const struct cairn_assembly_rules *rules, int32_t n, const double *load,
                                  const double gravity[3], double time, double h, const double *in, double *out) {
  const double begin = time_after(time, h, -1.), next = time_after(time, h, 1.);
  for (int32_t i = 0; i < n; i++) {
    const int was_there = is_there(rules + i, begin), there = is_there(rules + i, time);
    double s[DOUBLES];
    memcpy(s, in + (size_t)i * CAIRN_ASSEMBLY + CAIRN_ASSEMBLY_STATE, sizeof s);
    if (rules[i].kind == CAIRN_ASSEMBLY_DRIVEN)
      state_of_motion(rules + i, time, s);
    if (rules[i].kind == CAIRN_ASSEMBLY_FREE)
      finish_step(rules + i, there, load + 6 * (size_t)i, gravity, was_there ? h : 0., s);
    show(rules + i, s, next, there ? h : 0., out + (size_t)i * CAIRN_ASSEMBLY);
  }
}

/* ---- steps of contact dynamics ---- */

/* The spin within the free axes U that has the angular momentum l there: U (Uᵀ I U)⁻¹ Uᵀ l. */
static void spin_of(const struct cairn_assembly_rules *rules, const double *r, const double *l, double *w) {
  double iu[3], m[3][3], b[3];
  for (int32_t j = 0; j < rules->n_turns; j++) {
    times_inertia(r, rules->inertia, rules->turn[j], iu);
    for (int32_t i = 0; i < rules->n_turns; i++)
      m[i][j] = cairn_vec3_dot(rules->turn[i], iu);
    b[j] = cairn_vec3_dot(rules->turn[j], l);
  }
  solve(rules->n_turns, m, b);
  memset(w, 0, 3 * sizeof *w);
  for (int32_t j = 0; j < rules->n_turns; j++)
    for (int k = 0; k < 3; k++)
      w[k] += b[j] * rules->turn[j][k];
}

/* The spin after the assembly has turned from one orientation to another, without torque. */
static void carry_spin(const struct cairn_assembly_rules *rules, const double *from, const double *to, const double *w,
                       double *turned) {
  double l[3];
  if (rules->n_turns == 1) { /* about its own axis I stays the same */
    memcpy(turned, w, 3 * sizeof *w);
    return;
  }
  times_inertia(from, rules->inertia, w, l);
  spin_of(rules, to, l, turned);
}

static void release_velocity(const struct cairn_assembly_rules *rules, const double *gravity, double h,
                             double *free_assembly) {
  const int served = rules->servo_force > 0.;
  const double yield = served ? rules->servo_speed / (h * rules->servo_force) : 1. / rules->mass;
  double *v = free_assembly + CAIRN_FREE_ASSEMBLY_V, *im = free_assembly + CAIRN_FREE_ASSEMBLY_IM, all[3];
  for (int k = 0; k < 3; k++)
    all[k] = rules->force[k] / rules->mass + gravity[k];
  for (int32_t j = 0; j < rules->n_slides; j++) { /* the only one of a servo is its axis */
    const double *u = rules->slide[j],
                 gain = served ? rules->servo_speed - cairn_vec3_dot(v, u) : h * cairn_vec3_dot(all, u);
    for (int k = 0; k < 3; k++)
      v[k] += gain * u[k];
    for (int k = 0; k < 9; k++)
      im[k] += yield * u[k / 3] * u[k % 3];
  }
  if (served) {
    memcpy(free_assembly + CAIRN_FREE_ASSEMBLY_AXIS, rules->servo_axis, sizeof rules->servo_axis);
    free_assembly[CAIRN_FREE_ASSEMBLY_SPEED] = rules->servo_speed;
  }
}

void cairn_kernel_assemblies_release(const struct cairn_assembly_rules *rules, int32_t n, const double gravity[3],
                                     double h, const double *block, double *free_assemblies) {
  memset(free_assemblies, 0, (size_t)n * CAIRN_FREE_ASSEMBLY * sizeof *free_assemblies);
  for (int32_t i = 0; i < n; i++) {
    const double *predicted = block + (size_t)i * CAIRN_ASSEMBLY, *s = predicted + CAIRN_ASSEMBLY_STATE;
    double *free_assembly = free_assemblies + (size_t)i * CAIRN_FREE_ASSEMBLY, before[9];
    if (rules[i].kind != CAIRN_ASSEMBLY_FREE)
      continue;
    memcpy(free_assembly + CAIRN_FREE_ASSEMBLY_X, predicted + CAIRN_ASSEMBLY_X, 3 * sizeof *s);
    memcpy(free_assembly + CAIRN_FREE_ASSEMBLY_V, s + V, 6 * sizeof *s);
    if (predicted[CAIRN_ASSEMBLY_ACTIVE] == 0.)
      continue;
    release_velocity(rules + i, gravity, h, free_assembly);
    matrix_of(s + Q, before);
    carry_spin(rules + i, before, predicted + CAIRN_ASSEMBLY_R, s + W, free_assembly + CAIRN_FREE_ASSEMBLY_W);
    for (int k = 0; k < 3; k++) {
      const double unit[3] = {k == 0, k == 1, k == 2};
      spin_of(rules + i, predicted + CAIRN_ASSEMBLY_R, unit, free_assembly + CAIRN_FREE_ASSEMBLY_II + 3 * k);
    }
  }
}

static void arrive(const struct cairn_assembly_rules *rules, const double *free_assembly, int moves, double h,
                   double theta, const double *predicted, double *s) {
  double by[3], r[9], q[4], w[3];
  for (int k = 0; k < 3; k++)
    by[k] = (1. - theta) * h * s[W + k];
  turn(s + Q, by, q); /* the predicted one */
  if (predicted[CAIRN_ASSEMBLY_ACTIVE] != 0.) {
    cairn_free_assembly_velocity(free_assembly, s + V);
    memcpy(s + W, free_assembly + CAIRN_FREE_ASSEMBLY_W, 3 * sizeof *s);
  }
  if (!moves)
    return;
  for (int k = 0; k < 3; k++) {
    s[X + k] = predicted[CAIRN_ASSEMBLY_X + k] + theta * h * s[V + k];
    w[k] = s[W + k];
    by[k] = theta * h * w[k];
  }
  turn(q, by, s + Q);
  matrix_of(s + Q, r);
  carry_spin(rules, predicted + CAIRN_ASSEMBLY_R, r, w, s + W);
}

void cairn_kernel_assemblies_arrive(const struct cairn_assembly_rules *rules, int32_t n, const double *free_assemblies,
                                    double time, double h, double theta, const double *in, double *out) {
  const double begin = time_after(time, h, -1.);
  for (int32_t i = 0; i < n; i++) {
    const double *predicted = in + (size_t)i * CAIRN_ASSEMBLY;
    double s[DOUBLES];
    memcpy(s, predicted + CAIRN_ASSEMBLY_STATE, sizeof s);
    if (rules[i].kind == CAIRN_ASSEMBLY_DRIVEN)
      state_of_motion(rules + i, time, s);
    if (rules[i].kind == CAIRN_ASSEMBLY_FREE)
      arrive(rules + i, free_assemblies + (size_t)i * CAIRN_FREE_ASSEMBLY, is_there(rules + i, begin), h, theta,
             predicted, s);
    show(rules + i, s, time, 0., out + (size_t)i * CAIRN_ASSEMBLY);
  }
}

double cairn_kernel_assemblies_displacement(const double *from, const double *to, double extent, int symmetric) {
  double x[3], square = 0.;
  for (int k = 0; k < 3; k++)
    x[k] = to[CAIRN_ASSEMBLY_X + k] - from[CAIRN_ASSEMBLY_X + k];
  for (int k = 0; k < 9; k++) {
    const double d = to[CAIRN_ASSEMBLY_R + k] - from[CAIRN_ASSEMBLY_R + k];
    square += d * d;
  }
  /* The squares of the differences of two rotation matrices add up to 8 sin²(θ/2), θ the angle between them, and a
   * point at unit distance moves by 2 sin(θ/2) at most. An infinite wall that does not turn is no exception. */
  const double turned = symmetric || square == 0. ? 0. : extent * sqrt(0.5 * square);
  return sqrt(cairn_vec3_dot(x, x)) + turned;
}
