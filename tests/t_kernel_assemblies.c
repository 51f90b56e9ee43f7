/* Assemblies of walls: at rest, driven, free; against closed forms and conservation laws. */
#include "tap/tap.h"

#include <math.h>
#include <string.h>

#include "data/base/random.h"
#include "kernels/common/vec3.h"
#include "kernels/walls/assemblies.h"

static const double EPS = 0x1p-52, NO_GRAVITY[3] = {0.}, NO_LOAD[6] = {0.};

enum { STATE = CAIRN_ASSEMBLY_STATE, V = CAIRN_ASSEMBLY_STATE_V, W = CAIRN_ASSEMBLY_STATE_W };

static void turned(const double *r, const double *v, double *out) {
  for (int k = 0; k < 3; k++)
    out[k] = cairn_vec3_dot(r + 3 * k, v);
}

/* Free in all directions and about all axes. */
static struct cairn_assembly_rules free_rules(void) {
  return (struct cairn_assembly_rules){.kind = CAIRN_ASSEMBLY_FREE,
                                       .appears = -(double)INFINITY,
                                       .vanishes = (double)INFINITY,
                                       .mass = 2.,
                                       .inertia = {1., 2., 4.},
                                       .n_slides = 3,
                                       .n_turns = 3,
                                       .slide = {{1., 0., 0.}, {0., 1., 0.}, {0., 0., 1.}},
                                       .turn = {{1., 0., 0.}, {0., 1., 0.}, {0., 0., 1.}}};
}

/* The start of a run as a solver does it: a step of no length gives the first accelerations, then the first view. */
static void begin(const struct cairn_assembly_rules *rules, const double *v, const double *w, const double *load,
                  const double *g, double h, double *block) {
  double velocity[1][3], spin[1][3];
  memcpy(velocity[0], v, sizeof velocity[0]);
  memcpy(spin[0], w, sizeof spin[0]);
  cairn_kernel_assemblies_start(rules, 1, (const double(*)[3])velocity, (const double(*)[3])spin, block);
  cairn_kernel_assemblies_predict(rules, 1, 0., 0., block);
  cairn_kernel_assemblies_step(rules, 1, load, g, 0., 0., block, block);
  cairn_kernel_assemblies_predict(rules, 1, h, h, block);
}

static void test_fixed(void) {
  const struct cairn_assembly_rules rules = {
      .kind = CAIRN_ASSEMBLY_FIXED, .vanishes = (double)INFINITY, .start = {1., -2., 3.}, .mass = 1.};
  const double load[6] = {1e3, 2e3, 3e3, 4e3, 5e3, 6e3}, g[3] = {0., 0., -9.81}, moving[3] = {1., 1., 1.};
  double block[CAIRN_ASSEMBLY], first[CAIRN_ASSEMBLY];
  begin(&rules, moving, moving, load, g, 0.1, first);
  memcpy(block, first, sizeof block);
  for (int step = 1; step <= 100; step++)
    cairn_kernel_assemblies_step(&rules, 1, load, g, step * 0.1, 0.1, block, block);
  const double *r = first + CAIRN_ASSEMBLY_R;
  ok(memcmp(first + CAIRN_ASSEMBLY_X, rules.start, 3 * sizeof(double)) == 0, "a fixed assembly is seen at its start");
  ok(r[0] == 1. && r[4] == 1. && r[8] == 1. && r[1] == 0. && r[5] == 0. && r[6] == 0., "as it stood");
  ok(first[CAIRN_ASSEMBLY_TURNED] == 0. && first[CAIRN_ASSEMBLY_ACTIVE] == 1., "unturned and there");
  ok(cairn_vec3_length(first + CAIRN_ASSEMBLY_V) == 0. && cairn_vec3_length(first + CAIRN_ASSEMBLY_W) == 0., "at rest");
  cmp_mem(block, first, sizeof block, "whatever pushes it");
}

static struct cairn_assembly_rules driven_rules(void) {
  return (struct cairn_assembly_rules){.kind = CAIRN_ASSEMBLY_DRIVEN,
                                       .vanishes = (double)INFINITY,
                                       .start = {1., 2., 3.},
                                       .motion = {.from = 0.25,
                                                  .until = 50.,
                                                  .velocity = {0.1, 0.2, 0.3},
                                                  .amplitude = {0., 0.5, 0.},
                                                  .frequency = 7.,
                                                  .phase = 0.3,
                                                  .spin = 0.7,
                                                  .axis = {0.6, 0., 0.8},
                                                  .pivot = {1., 1., 0.},
                                                  .knock_velocity = {0., 0., 0.1},
                                                  .knock_duration = 0.05,
                                                  .knock_period = 0.5}};
}

static int is_pose(const double *block, const double *x, const double *v, const double *w,
                   const struct cairn_assembly_rules *rules, double time) {
  struct cairn_pose pose;
  int same = 1;
  cairn_motion_pose(&rules->motion, time, &pose);
  for (int k = 0; k < 3; k++)
    same &= x[k] == rules->start[k] + pose.x[k] && v[k] == pose.v[k] && w[k] == pose.w[k];
  return same && block[CAIRN_ASSEMBLY_ACTIVE] == 1.;
}

static void test_driven(void) {
  const struct cairn_assembly_rules rules = driven_rules();
  const double h = 0.01; /* not a binary fraction: sums of it are not its multiples */
  double block[CAIRN_ASSEMBLY];
  int wrong = 0;
  begin(&rules, NO_LOAD, NO_LOAD, NO_LOAD, NO_GRAVITY, h, block);
  ok(block[CAIRN_ASSEMBLY_TURNED] == 0., "before its spin begins a driven assembly counts as not turned");
  for (int step = 1; step <= 6000; step++) {
    wrong += !is_pose(block, block, block + CAIRN_ASSEMBLY_V, block + CAIRN_ASSEMBLY_W, &rules, step * h);
    cairn_kernel_assemblies_step(&rules, 1, NO_LOAD, NO_GRAVITY, step * h, h, block, block);
    const double *s = block + STATE;
    wrong += !is_pose(block, s, s + V, s + W, &rules, step * h);
  }
  ok(wrong == 0, "its view and its state are its motion at exactly the times of the steps (%d wrong)", wrong);
  ok(block[CAIRN_ASSEMBLY_TURNED] == 1., "turned in the end");
}

/* A run that goes on from the states alone, at any step, must not differ by a bit. */
static void test_restart(void) {
  struct cairn_assembly_rules rules[3] = {driven_rules(), free_rules(), free_rules()};
  rules[1].appears = 0.37; /* held at first */
  rules[2].servo_force = 3.;
  rules[2].servo_speed = 0.2;
  rules[2].servo_axis[2] = 1.;
  const double v[3][3] = {{0.}, {1., 2., 3.}, {0.1, 0.2, 0.3}}, w[3][3] = {{0.}, {1., 2., 3.}, {-3., 0.1, 0.2}};
  const double g[3] = {0.1, 0., -1.}, h = 0.01;
  double block[3 * CAIRN_ASSEMBLY], other[3 * CAIRN_ASSEMBLY], apart[3 * CAIRN_ASSEMBLY], load[18];
  int wrong = 0;
  cairn_kernel_assemblies_start(rules, 3, v, w, block);
  cairn_kernel_assemblies_predict(rules, 3, h, h, block);
  for (int step = 1; step <= 1000; step++) {
    for (int k = 0; k < 18; k++)
      load[k] = sin(step * 0.1 + k);
    cairn_kernel_assemblies_step(rules, 3, load, g, step * h, h, block, apart);
    cairn_kernel_assemblies_step(rules, 3, load, g, step * h, h, block, block);
    memset(other, 0, sizeof other);
    for (int i = 0; i < 3; i++)
      memcpy(other + CAIRN_ASSEMBLY * i + STATE, block + CAIRN_ASSEMBLY * i + STATE,
             CAIRN_ASSEMBLY_STATE_DOUBLES * sizeof *other);
    cairn_kernel_assemblies_predict(rules, 3, (step + 1) * h, h, other);
    wrong += memcmp(other, block, sizeof block) != 0 || memcmp(apart, block, sizeof block) != 0;
  }
  ok(wrong == 0, "states alone give the same views, to the bit; in place or not (%d steps wrong)", wrong);
}

/* Binary fractions all of them: leapfrog is exact for a steady acceleration, and so are the sums. */
static void test_fall(void) {
  struct cairn_assembly_rules rules = free_rules();
  const double g[3] = {0., 0., -8.}, h = 0x1p-7, v[3] = {1., 0., 2.}, w[3] = {0.};
  double block[CAIRN_ASSEMBLY];
  rules.force[1] = 4.;
  begin(&rules, v, w, NO_LOAD, g, h, block);
  for (int step = 1; step < 256; step++)
    cairn_kernel_assemblies_step(&rules, 1, NO_LOAD, g, step * h, h, block, block);
  const double t = 256 * h; /* the view of the coming step */
  ok(block[0] == t && block[1] == 0.5 * 2. * t * t && block[2] == 2. * t - 4. * t * t, "free fall is exact");
  ok(block[CAIRN_ASSEMBLY_V + 2] == 2. - 8. * t && block[CAIRN_ASSEMBLY_V + 1] == 2. * t, "and its velocity");
  ok(block[CAIRN_ASSEMBLY_TURNED] == 0., "what does not spin is not turned");
}

/* On a spring: the same numbers as the plain leapfrog of one coordinate. */
static void test_leapfrog(void) {
  const struct cairn_assembly_rules rules = free_rules();
  const double h = 0.05, k = 3., v0[3] = {1.5, 0., 0.};
  double block[CAIRN_ASSEMBLY], load[6] = {0.}, x = 0., v = 1.5, a = 0.;
  int wrong = 0;
  begin(&rules, v0, NO_LOAD, NO_LOAD, NO_GRAVITY, h, block);
  for (int step = 1; step <= 1000; step++) {
    v += 0.5 * h * a;
    x += h * v;
    const double predicted = v + 0.5 * h * a;
    wrong += block[0] != x || block[CAIRN_ASSEMBLY_V] != predicted;
    a = -k * x / 2.;
    v += 0.5 * h * a;
    load[0] = -k * block[0];
    cairn_kernel_assemblies_step(&rules, 1, load, NO_GRAVITY, step * h, h, block, block);
    wrong += block[STATE] != x || block[STATE + V] != v;
  }
  ok(wrong == 0, "kick, drift, kick, as the bodies do it, to the bit (%d wrong)", wrong);
}

static void test_slide(void) {
  struct cairn_assembly_rules rules = free_rules();
  const double slope[3] = {0.6, 0., -0.8}, g[3] = {0., 0., -10.}, load[6] = {3., 5., 1., 7., 7., 7.}, h = 0.01;
  const double pulled[3] = {0., 0.25, 0.};
  double block[CAIRN_ASSEMBLY];
  rules.n_slides = 1;
  rules.n_turns = 0;
  memcpy(rules.slide[0], slope, sizeof slope);
  begin(&rules, pulled, NO_LOAD, load, g, h, block);
  for (int step = 1; step < 100; step++)
    cairn_kernel_assemblies_step(&rules, 1, load, g, step * h, h, block, block);
  const double a = (3. * 0.6 - 0.8) / 2. + 8.; /* down the slope */
  /* a hundred additions of rounded numbers */
  tap_near(block[0], 0.6 * 0.5 * a, 0., 100. * EPS, "what slides along a rail feels the forces along it");
  tap_near(block[2], -0.8 * 0.5 * a, 0., 100. * EPS, "and stays on it");
  tap_near(block[1], 0.25, 0., 100. * EPS, "where it is not free it keeps its velocity");
  ok(block[CAIRN_ASSEMBLY_TURNED] == 0., "what may not turn does not");
}

/* I ω in world coordinates, and the energy of rotation. */
static double momentum(const double *inertia, const double *block, double *l) {
  const double *q = block + STATE + CAIRN_ASSEMBLY_STATE_Q, *w = block + STATE + W;
  const double back[4] = {-q[0], -q[1], -q[2], q[3]};
  double own[3], c[3], cc[3];
  cairn_vec3_cross(back, w, c);
  cairn_vec3_cross(back, c, cc);
  for (int k = 0; k < 3; k++)
    own[k] = inertia[k] * (w[k] + 2. * (back[3] * c[k] + cc[k]));
  cairn_vec3_cross(q, own, c);
  cairn_vec3_cross(q, c, cc);
  for (int k = 0; k < 3; k++)
    l[k] = own[k] + 2. * (q[3] * c[k] + cc[k]);
  return 0.5 * cairn_vec3_dot(l, w);
}

struct tumble {
  double momentum, energy, q[4]; /* worst relative errors; orientation at the end */
};

/* Free of torque, spinning about the middle axis: it turns over and over. */
static struct tumble tumble(int steps) {
  const struct cairn_assembly_rules rules = free_rules();
  const double h = 10. / steps, w[3] = {0.1, 1.5, 0.2};
  double block[CAIRN_ASSEMBLY], l0[3], l[3];
  struct tumble t = {0};
  begin(&rules, NO_LOAD, w, NO_LOAD, NO_GRAVITY, h, block);
  const double e0 = momentum(rules.inertia, block, l0);
  for (int step = 1; step <= steps; step++) {
    cairn_kernel_assemblies_step(&rules, 1, NO_LOAD, NO_GRAVITY, step * h, h, block, block);
    t.energy = fmax(t.energy, fabs(momentum(rules.inertia, block, l) / e0 - 1.));
    t.momentum = fmax(t.momentum, cairn_vec3_distance(l, l0) / cairn_vec3_length(l0));
  }
  memcpy(t.q, block + STATE + CAIRN_ASSEMBLY_STATE_Q, sizeof t.q);
  return t;
}

static double apart(const double *p, const double *q) {
  double square = 0.;
  for (int k = 0; k < 4; k++)
    square += (p[k] - q[k]) * (p[k] - q[k]);
  return sqrt(square);
}

static void test_tumble(void) {
  const struct tumble coarse = tumble(1000), middle = tumble(2000), fine = tumble(4000);
  const double order_l = log2(middle.momentum / fine.momentum), order_e = log2(middle.energy / fine.energy);
  const double order_q = log2(apart(coarse.q, middle.q) / apart(middle.q, fine.q));
  note("momentum off by %.1e, %.1e, %.1e (order %.2f), energy by %.1e, %.1e, %.1e (%.2f), orientation order %.2f",
       coarse.momentum, middle.momentum, fine.momentum, order_l, coarse.energy, middle.energy, fine.energy, order_e,
       order_q);
  /* h ω = 0.015 here: second-order errors are (hω)² = 2 × 10⁻⁴ per radian at most, over 15 rad */
  tap_near(coarse.momentum, 0., 1e-3, 0., "a body that tumbles keeps its angular momentum");
  tap_near(coarse.energy, 0., 1e-3, 0., "and its energy");
  ok(order_l > 1.8, "the error of momentum is of second order or better");
  ok(order_e > 1.8, "that of the energy");
  tap_near(order_q, 2., 0.2, 0., "the orientation converges with second order");
  ok(fabs(apart(fine.q, (double[4]){0.}) - 1.) <= 4. * EPS, "the orientation stays a unit quaternion");
}

/* About an oblique axis with a steady torque: angle ½ αt², α = T·u / (u·I u), whatever the rest of the torque does. */
static void test_axis(void) {
  struct cairn_assembly_rules rules = free_rules();
  const double u[3] = {2. / 3., -1. / 3., 2. / 3.}, h = 0.002, load[6] = {0., 0., 0., 3., 1., -0.5};
  double block[CAIRN_ASSEMBLY], worst = 0., worst_w = 0.;
  rules.n_turns = 1;
  rules.n_slides = 0;
  memcpy(rules.turn[0], u, sizeof u);
  begin(&rules, NO_LOAD, NO_LOAD, load, NO_GRAVITY, h, block);
  const double alpha = (3. * 2. - 1. - 0.5 * 2.) / 3. / ((1. * 4. + 2. * 1. + 4. * 4.) / 9.);
  for (int step = 1; step <= 2000; step++) {
    cairn_kernel_assemblies_step(&rules, 1, load, NO_GRAVITY, step * h, h, block, block);
    const double t = step * h, half = 0.25 * alpha * t * t, *s = block + STATE;
    const double q[4] = {u[0] * sin(half), u[1] * sin(half), u[2] * sin(half), cos(half)};
    const double w[3] = {alpha * t * u[0], alpha * t * u[1], alpha * t * u[2]};
    worst = fmax(worst, apart(s + CAIRN_ASSEMBLY_STATE_Q, q));
    worst_w = fmax(worst_w, cairn_vec3_distance(s + W, w));
  }
  /* exact for a steady acceleration but for 2000 roundings */
  tap_near(worst, 0., 2000. * EPS, 0., "about a fixed axis it turns by ½ (T·u / u·Iu) t²");
  tap_near(worst_w, 0., 2000. * EPS * alpha, 0., "with the spin that belongs to it");
  ok(block[CAIRN_ASSEMBLY_TURNED] == 1., "and counts as turned");
}

/* Two axes: what is left of Euler's equations points along the axis that is held. */
static void test_two_axes(void) {
  struct cairn_assembly_rules rules = free_rules();
  const double h = 1e-3, w0[3] = {1., 2., 0.}, load[6] = {0., 0., 0., 0.5, -0.3, 2.};
  double block[CAIRN_ASSEMBLY], worst = 0.;
  rules.n_turns = 2;
  begin(&rules, NO_LOAD, w0, load, NO_GRAVITY, h, block);
  for (int step = 1; step <= 1000; step++) {
    double predicted[CAIRN_ASSEMBLY], own[3], aw_own[3], iw[3], iaw[3], gyro[3];
    memcpy(predicted, block, sizeof predicted);
    cairn_kernel_assemblies_step(&rules, 1, load, NO_GRAVITY, step * h, h, block, block);
    const double *r = predicted + CAIRN_ASSEMBLY_R, *w = predicted + CAIRN_ASSEMBLY_W,
                 *aw = block + STATE + CAIRN_ASSEMBLY_STATE_AW;
    for (int k = 0; k < 3; k++) {
      own[k] = rules.inertia[k] * (r[k] * w[0] + r[3 + k] * w[1] + r[6 + k] * w[2]);
      aw_own[k] = rules.inertia[k] * (r[k] * aw[0] + r[3 + k] * aw[1] + r[6 + k] * aw[2]);
    }
    turned(r, own, iw);
    turned(r, aw_own, iaw);
    cairn_vec3_cross(w, iw, gyro);
    for (int k = 0; k < 2; k++)
      worst = fmax(worst, fabs(iaw[k] + gyro[k] - load[3 + k]));
    worst = fmax(worst, fabs(block[STATE + W + 2]));
  }
  /* numbers of about 10 in some twenty operations */
  tap_near(worst, 0., 1e-13, 0., "I dω/dt + ω × Iω = T along both free axes, no spin about the third");
}

/* A plate pressed on a spring: the push grows with the way, the plate comes to rest where it has the force asked for.
 * There dx/dt = c (1 - kx/F), in steps x' = F/k - (F/k - x)(1 - h c k / F), once it has begun. */
static void test_servo(void) {
  struct cairn_assembly_rules rules = free_rules();
  const double h = 0.01, k = 50., f = 10., c = 0.1, g[3] = {1., 0., -9.81}, axis[3] = {0., 0., -1.};
  double block[CAIRN_ASSEMBLY], load[6] = {0.}, worst = 0., fastest = 0., gap = f / k;
  rules.servo_force = f;
  rules.servo_speed = c;
  memcpy(rules.servo_axis, axis, sizeof axis);
  begin(&rules, NO_LOAD, NO_LOAD, NO_LOAD, g, h, block);
  for (int step = 1; step <= 3000; step++) {
    gap -= h * c * gap * k / f;
    load[2] = -k * block[2]; /* up, while the plate is below 0 */
    worst = fmax(worst, fabs(-block[2] - (f / k - gap)));
    cairn_kernel_assemblies_step(&rules, 1, load, g, step * h, h, block, block);
    fastest = fmax(fastest, fabs(block[STATE + V + 2]));
  }
  /* sums of 3000 steps of lengths below 0.2 m */
  tap_near(worst, 0., 3000. * 0.2 * EPS, 0., "a servo moves by its law, gravity or not");
  tap_near(load[2], f, 0., 1e-6, "until the bodies push with its force"); /* exp(-c k t / F) = exp(-15) */
  ok(fastest <= c, "never faster than its speed");
  tap_near(block[STATE], 0.5 * 30. * 30., 0., 3000. * EPS, "across its axis it obeys Newton");
  load[2] = 1e3;
  cairn_kernel_assemblies_step(&rules, 1, load, g, 3001 * h, h, block, block);
  ok(block[STATE + V + 2] == c, "pushed much too hard it goes back with its speed");
  load[2] = -1e3;
  cairn_kernel_assemblies_step(&rules, 1, load, g, 3002 * h, h, block, block);
  ok(block[STATE + V + 2] == -c, "pulled it goes forward with its speed");
}

static void test_presence(void) {
  struct cairn_assembly_rules rules = free_rules();
  const double h = 0.1, v[3] = {1., 0., 0.}, w[3] = {0., 0., 1.}, g[3] = {0., 0., -2.},
               load[6] = {9., 9., 9., 9., 9., 9.};
  double block[CAIRN_ASSEMBLY];
  int wrong = 0, moved = 0;
  rules.appears = 10 * h;
  rules.vanishes = 30 * h;
  begin(&rules, v, w, load, g, h, block);
  for (int step = 1; step < 40; step++) {
    wrong += block[CAIRN_ASSEMBLY_ACTIVE] != (step >= 10 && step < 30);
    moved += step <= 10 && (block[0] != 0. || block[2] != 0. || block[CAIRN_ASSEMBLY_TURNED] != 0.);
    if (step == 11)
      tap_near(block[2], -0.5 * 2. * h * h, 0., 4. * EPS, "one step after it has come it has fallen as after one step");
    if (step == 20)
      tap_near(block[0], 10 * h, 0., 16. * EPS, "from where it was put");
    cairn_kernel_assemblies_step(&rules, 1, step < 10 ? load : NO_LOAD, g, step * h, h, block, block);
    if (step == 9)
      ok(block[STATE + V] == 1. && block[STATE + W + 2] == 1. &&
             cairn_vec3_length(block + STATE + CAIRN_ASSEMBLY_STATE_A) == 0.,
         "its velocity waits for it");
  }
  ok(wrong == 0, "an assembly is there from the step at which it appears to the last before it vanishes");
  ok(moved == 0, "a free one does not move before");
  tap_near(block[0], 20 * h, 0., 32. * EPS, "nor after");
}

static void test_no_step(void) {
  const struct cairn_assembly_rules rules = free_rules();
  const double v[3] = {1., 2., 3.}, g[3] = {0., 0., -9.}, load[6] = {2., 0., 0., 0., 0., 0.}, h = 0.125;
  double block[CAIRN_ASSEMBLY], before[7];
  const double *s = block + STATE;
  int wrong_view = 0, changed = 0;
  for (int trial = 0; trial < 1000;
       trial++) { /* many orientations: to scale most of them to length 1 again is no change */
    const double w[3] = {0.01 * trial, 1., 2.};
    begin(&rules, v, w, load, g, h, block);
    cairn_kernel_assemblies_step(&rules, 1, load, g, h, h, block, block);
    cairn_kernel_assemblies_predict(&rules, 1, h, 0., block);
    wrong_view += memcmp(block, s, 3 * sizeof *s) || memcmp(block + CAIRN_ASSEMBLY_V, s + V, 6 * sizeof *s) ||
                  memcmp(block + CAIRN_ASSEMBLY_A, s + CAIRN_ASSEMBLY_STATE_A, 6 * sizeof *s);
    memcpy(before, s, sizeof before);
    cairn_kernel_assemblies_step(&rules, 1, load, g, h, 0., block, block);
    changed += memcmp(before, s, sizeof before) != 0;
  }
  ok(wrong_view == 0, "a view over no time is the state");
  ok(changed == 0, "a step of no length leaves place and orientation as they are, to the bit (%d changed)", changed);
  ok(s[CAIRN_ASSEMBLY_STATE_A] == 1. && s[CAIRN_ASSEMBLY_STATE_A + 2] == -9., "and finds the accelerations");
}

/* Against points on the surface of the ball of radius `extent`, for two views far from or near to each other. */
static void test_displacement(void) {
  const struct cairn_assembly_rules rules = free_rules();
  struct cairn_random random;
  cairn_random_init(&random, 5, 0, 0);
  double above = 0., below = 0.;
  for (int trial = 0; trial < 300; trial++) {
    double from[CAIRN_ASSEMBLY], to[CAIRN_ASSEMBLY], v[3], w[3], own[3], a[3], b[3], farthest = 0.;
    cairn_random_direction(&random, v);
    cairn_random_direction(&random, w);
    const double size = exp(cairn_random_between(&random, -18., 1.)), extent = 2.;
    for (int k = 0; k < 3; k++) {
      v[k] *= trial % 2 ? size : 0.;
      w[k] *= size;
    }
    begin(&rules, v, w, NO_LOAD, NO_GRAVITY, 0.7, from); /* some orientation */
    cairn_kernel_assemblies_step(&rules, 1, NO_LOAD, NO_GRAVITY, 0.7, 0.7, from, to);
    for (int point = 0; point < 2000; point++) {
      cairn_random_direction(&random, own);
      turned(from + CAIRN_ASSEMBLY_R, own, a);
      turned(to + CAIRN_ASSEMBLY_R, own, b);
      for (int k = 0; k < 3; k++) {
        a[k] = from[k] + extent * a[k];
        b[k] = to[k] + extent * b[k];
      }
      farthest = fmax(farthest, cairn_vec3_distance(a, b));
    }
    const double displacement = cairn_kernel_assemblies_displacement(from, to, extent, 0);
    above = fmax(above, farthest - displacement);
    below = fmax(below, v[0] == 0. ? 1. - farthest / displacement : 0.);
  }
  note("farthest point beyond the bound by %.1e; without drift short of it by %.1e", above, below);
  /* places within 10 m, rounded */
  tap_near(above, 0., 64. * EPS, 0., "no point has moved farther than the way");
  tap_near(below, 0., 0.01, 0., "and if the assembly only turns, some have moved as far");
  double block[2 * CAIRN_ASSEMBLY] = {0.}, *other = block + CAIRN_ASSEMBLY;
  const double w[3] = {0., 0., 1.};
  begin(&rules, NO_LOAD, w, NO_LOAD, NO_GRAVITY, 0.1, block);
  memcpy(other, block, sizeof block / 2);
  ok(cairn_kernel_assemblies_displacement(block, other, (double)INFINITY, 0) == 0.,
     "from a view to itself there is no way");
  cairn_kernel_assemblies_step(&rules, 1, NO_LOAD, NO_GRAVITY, 0.1, 0.1, block, other);
  ok(isinf(cairn_kernel_assemblies_displacement(block, other, (double)INFINITY, 0)),
     "an infinite wall that turns goes infinitely far");
  other[0] += 3.;
  other[1] += 4.;
  ok(cairn_kernel_assemblies_displacement(block, other, (double)INFINITY, 1) == 5.,
     "for a symmetric one only the drift counts");
}

int main(void) {
  plan(NO_PLAN);
  test_fixed();
  test_driven();
  test_restart();
  test_fall();
  test_leapfrog();
  test_slide();
  test_tumble();
  test_axis();
  test_two_axes();
  test_servo();
  test_presence();
  test_no_step();
  test_displacement();
  done_testing();
}
