/* Prescribed motions of walls against closed forms and against their own derivatives. */
#include "tap/tap.h"

#include <math.h>
#include <string.h>

#include "data/base/random.h"
#include "kernels/common/motion.h"
#include "kernels/common/vec3.h"

#define PI 3.14159265358979323846

static const double EPS = 0x1p-52;

static struct cairn_pose pose_at(const struct cairn_motion *m, double t) {
  struct cairn_pose pose;
  cairn_motion_pose(m, t, &pose);
  return pose;
}

/* v turned by q, as q v q* written out. */
static void turned(const double *q, const double *v, double *out) {
  double c[3], cc[3];
  cairn_vec3_cross(q, v, c);
  cairn_vec3_cross(q, c, cc);
  for (int k = 0; k < 3; k++)
    out[k] = v[k] + 2. * (q[3] * c[k] + cc[k]);
}

static int is_at_rest(const struct cairn_pose *p) {
  return cairn_vec3_length(p->v) == 0. && cairn_vec3_length(p->a) == 0. && cairn_vec3_length(p->w) == 0. &&
         cairn_vec3_length(p->aw) == 0.;
}

static void test_velocity(void) {
  const struct cairn_motion m = {.from = 1., .until = 3., .velocity = {1., -2., 0.5}};
  struct cairn_pose p = pose_at(&m, 0.5);
  ok(cairn_vec3_length(p.x) == 0. && is_at_rest(&p), "before `from` nothing moves");
  ok(p.q[0] == 0. && p.q[1] == 0. && p.q[2] == 0. && p.q[3] == 1., "what does not spin keeps its orientation exactly");
  p = pose_at(&m, 1.);
  ok(cairn_vec3_length(p.x) == 0. && p.v[1] == -2., "at `from` it moves, from where it was");
  p = pose_at(&m, 2.5);
  ok(p.x[0] == 1.5 && p.x[1] == -3. && p.x[2] == 0.75, "V (t - from)"); /* exact numbers */
  p = pose_at(&m, 3.);
  ok(p.x[1] == -4. && is_at_rest(&p), "at `until` it stands");
  p = pose_at(&m, 1e9);
  ok(p.x[1] == -4. && is_at_rest(&p), "and stays there");
  const struct cairn_motion none = {.until = (double)INFINITY};
  p = pose_at(&none, 7.);
  ok(cairn_vec3_length(p.x) == 0. && is_at_rest(&p) && p.q[3] == 1., "a motion of no parts is rest");
}

static void test_oscillation(void) {
  struct cairn_motion m = {
      .from = 0.5, .until = (double)INFINITY, .amplitude = {0.3, 0., -0.4}, .frequency = 2. * PI, .phase = PI / 6.};
  /* sines of sums that are themselves rounded: a few units of the amplitude, of AΩ, of AΩ² */
  struct cairn_pose p = pose_at(&m, 0.5);
  ok(cairn_vec3_length(p.x) == 0., "an oscillation begins without a jump, whatever its phase");
  tap_near(p.v[2], -0.4 * 2. * PI * cos(PI / 6.), 0., 8. * EPS, "with the velocity A Ω cos φ");
  p = pose_at(&m, 0.5 + 1. / 6.);
  tap_near(p.x[0], 0.3 * (1. - 0.5), 8. * EPS, 0., "at Ωt + φ = π/2 it is at A - A sin φ");
  tap_near(p.v[0], 0., 32. * EPS, 0., "it turns round");
  tap_near(p.a[2], 0.4 * 4. * PI * PI, 0., 8. * EPS, "with the acceleration -A Ω²");
  p = pose_at(&m, 1000000.5);
  /* a million periods: the phase 2π 10⁶ has an error of EPS × 2π 10⁶ or so, times A */
  tap_near(p.x[0], 0., 0.3 * 2. * EPS * 2e6 * PI, 0., "after whole periods it is back");
  m.until = 0.5 + 1. / 6.;
  p = pose_at(&m, 9.);
  tap_near(p.x[0], 0.3 * (1. - 0.5), 8. * EPS, 0., "after `until` it stays where it was then");
  ok(is_at_rest(&p), "at rest");
}

/* The spin grows evenly: the angle is that of half the ramp less. */
static void test_ramp(void) {
  const struct cairn_motion m = {
      .until = (double)INFINITY, .spin = 2., .ramp = 4., .axis = {0., 0., 1.}, .pivot = {1., 0., 0.}};
  struct cairn_pose p, q;
  cairn_motion_pose(&m, 2., &p);
  tap_near(p.w[2], 1., 0., 1e-15, "half way up the ramp: half the spin");
  tap_near(p.aw[2], 0.5, 0., 1e-15, "which grows evenly");
  tap_near(2. * atan2(p.q[2], p.q[3]), 1., 0., 1e-14, "and has turned by Σ τ²/(2 ramp)");
  cairn_motion_pose(&m, 2. + 1e-6, &q);
  tap_near((q.v[1] - p.v[1]) / 1e-6, p.a[1], 1e-5, 0., "the acceleration of the position is the slope of its velocity");
  cairn_motion_pose(&m, 5., &p);
  tap_near(p.w[2], 2., 0., 0., "after the ramp: the whole spin");
  tap_near(p.aw[2], 0., 0., 0., "which is steady");
  tap_near(2. * atan2(p.q[2], p.q[3]), 6., 0., 1e-13, "and the angle of a start at half the ramp");
}

static void test_spin(void) {
  const struct cairn_motion m = {
      .until = (double)INFINITY, .spin = PI / 2., .axis = {0., 0., 1.}, .pivot = {2., 0., 0.}};
  const struct cairn_pose p = pose_at(&m, 1.), full = pose_at(&m, 4.), start = pose_at(&m, 0.);
  /* a quarter turn about (2, 0): what was at (0, 0) is at (2, -2), moving along x with 2 × π/2 */
  tap_near(p.x[0], 2., 8. * EPS, 0., "a quarter turn about a pivot: x");
  tap_near(p.x[1], -2., 8. * EPS, 0., "y");
  tap_near(p.v[0], PI, 8. * EPS, 0., "the velocity of the position");
  tap_near(p.v[1], 0., 8. * EPS, 0., "at right angles to its arm");
  tap_near(p.a[1], 2. * PI * PI / 4., 16. * EPS, 0., "and drawn to the pivot by ω² r");
  tap_near(p.w[2], PI / 2., 0., 0., "the spin");
  tap_near(p.q[2], sqrt(0.5), 4. * EPS, 0., "the orientation");
  tap_near(cairn_vec3_length(full.x), 0., 16. * EPS, 0., "after a whole turn all is back");
  ok(start.q[0] == 0. && start.q[1] == 0. && start.q[2] == 0. && start.q[3] == 1. && cairn_vec3_length(start.x) == 0.,
     "at the start it is not turned at all");
}

/* What the k-th knock adds to the displacement, added up one by one. */
static double staircase(int knocks, int ramp) {
  double sum = 0.;
  for (int k = 1; k <= knocks; k++)
    sum += ramp > 1 ? fmin(1., (double)k / ramp) : 1.;
  return sum;
}

static void test_knocks(void) {
  struct cairn_motion m = {.from = 0.7,
                           .until = (double)INFINITY,
                           .knock_velocity = {0., 0., 0.3},
                           .knock_duration = 0.1,
                           .knock_period = 1.5};
  double worst = 0.;
  int wrong = 0;
  const int ramps[] = {0, 1, 5};
  for (size_t r = 0; r < 3; r++) {
    m.knock_ramp = ramps[r];
    for (int k = 0; k < 40; k++) {
      const double begin = 0.7 + 1.5 * k, part = ramps[r] > 1 ? fmin(1., (k + 1.) / ramps[r]) : 1.;
      const struct cairn_pose first = pose_at(&m, begin), half = pose_at(&m, begin + 0.05),
                              end = pose_at(&m, begin + 0.1), later = pose_at(&m, begin + 1.);
      const double before = staircase(k, ramps[r]) * 0.03, after = before + part * 0.03;
      worst = fmax(worst, fabs(first.x[2] - before));
      worst = fmax(worst, fabs(half.x[2] - 0.5 * (before + after)));
      worst = fmax(worst, fmax(fabs(end.x[2] - after), fabs(later.x[2] - after)));
      wrong += first.v[2] != 0.3 * part || half.v[2] != 0.3 * part || end.v[2] != 0. || later.v[2] != 0.;
    }
  }
  /* displacements to 1.2 m; times to 60 s, rounded to 7e-15 s, at 0.3 m/s */
  tap_near(worst, 0., 1e-14, 0.,
           "the floor climbs by velocity × duration each period, by min(1, k/ramp) of it at first");
  ok(wrong == 0,
     "with its velocity from the first instant of a knock to just before its last, and none between (%d wrong)", wrong);
}

/* Times as a run makes them: numbers of steps × h, none of which is a binary fraction. */
static void test_knock_steps(void) {
  const double h = 0.001;
  struct cairn_motion m = {
      .until = (double)INFINITY, .knock_velocity = {1., 0., 0.}, .knock_duration = 0.007, .knock_period = 0.1};
  int wrong = 0;
  for (int64_t step = 0; step < 200000; step++)
    wrong += (pose_at(&m, (double)step * h).v[0] != 0.) != (step % 100 < 7);
  ok(wrong == 0, "every knock lasts the same steps, rounding notwithstanding (%d wrong)", wrong);
  m.knock_duration = 0.1;
  wrong = 0;
  double worst = 0.;
  for (int64_t step = 0; step < 200000; step++) {
    const struct cairn_pose p = pose_at(&m, (double)step * h);
    wrong += p.v[0] != 1.;
    worst = fmax(worst, fabs(p.x[0] - (double)step * h));
  }
  ok(wrong == 0, "knocks as long as their period never pause");
  tap_near(worst, 0., 8. * EPS * 200., 0., "and move steadily");
}

static void test_knock_ages(void) {
  struct cairn_motion m = {.until = (double)INFINITY,
                           .knock_velocity = {1., 0., 0.},
                           .knock_duration = 0.001,
                           .knock_period = 0.1,
                           .knock_ramp = 1000};
  /* 10¹⁰ knocks, the first thousand of them 500.5 worth; at the end of a knock to the rounding of the number */
  tap_near(pose_at(&m, 1e9).x[0], 0.001 * (1e10 - 499.5), 0., 4. * EPS,
           "thirty years of knocks are counted one by one");
  ok(pose_at(&m, 1e9).v[0] == 1., "and the next begins in time");
  ok(pose_at(&m, 1e9 + 0.05).v[0] == 0., "and ends");
  m.until = 0.0005;
  m.knock_ramp = 0;
  tap_near(pose_at(&m, 8.).x[0], 0.0005, 0., 4. * EPS, "`until` in the middle of a knock stops it there");
}

enum { POINTS = 7 };
struct table {
  double time[POINTS], displacement[3 * POINTS], slope[3 * POINTS];
};

static void use_table(struct cairn_motion *m, struct table *t, int32_t n) {
  m->n_points = n;
  m->time = t->time;
  m->displacement = t->displacement;
  m->slope = t->slope;
  cairn_motion_slopes(m);
}

/* Points of all sorts: x climbs with steps of very different height and a flat part, y goes up and down, z is t². */
static void make_table(struct table *t) {
  static const double time[POINTS] = {1., 1.5, 1.75, 2.5, 2.75, 3.5, 4.};
  static const double x[POINTS] = {0.1, 0.1001, 2., 2., 2.5, 7., 7.01}, y[POINTS] = {0., 1., -1., -1.1, 3., 2., 2.5};
  memcpy(t->time, time, sizeof time);
  for (int i = 0; i < POINTS; i++) {
    t->displacement[3 * i] = x[i];
    t->displacement[3 * i + 1] = y[i];
    t->displacement[3 * i + 2] = time[i] * time[i];
  }
}

static void test_table(void) {
  struct table t;
  struct cairn_motion m = {.until = (double)INFINITY};
  make_table(&t);
  use_table(&m, &t, POINTS);
  double off_points = 0., parabola = 0., back = 0., beyond = 0., jump = 0.;
  for (int i = 0; i < POINTS; i++) {
    off_points = fmax(off_points, cairn_vec3_distance(pose_at(&m, t.time[i]).x, t.displacement + 3 * i));
    if (i > 0 && i < POINTS - 1)
      jump = fmax(jump, cairn_vec3_distance(pose_at(&m, t.time[i] - 1e-9).v, pose_at(&m, t.time[i] + 1e-9).v));
  }
  double last = -1.;
  for (int i = 0, at = 0; i <= 3000; i++) {
    const double s = 1. + i * 1e-3;
    const struct cairn_pose p = pose_at(&m, s);
    while (at < POINTS - 2 && t.time[at + 1] < s)
      at++;
    const double *lower = t.displacement + 3 * at, *upper = lower + 3;
    for (int k = 0; k < 3; k++)
      beyond = fmax(beyond, fmax(p.x[k] - fmax(lower[k], upper[k]), fmin(lower[k], upper[k]) - p.x[k]));
    back = fmax(back, fmax(last - p.x[0], s < 4. ? -p.v[0] : 0.));
    last = p.x[0];
    parabola = fmax(parabola, s < 4. ? fmax(fabs(p.x[2] - s * s), fabs(p.v[2] - 2. * s)) : 0.);
  }
  /* cubics of numbers up to 16 in a few operations */
  tap_near(off_points, 0., 16. * EPS, 0., "the table goes through its points");
  tap_near(beyond, 0., 64. * EPS, 0., "between two points it never leaves their range");
  tap_near(back, 0., 256. * EPS, 0., "where the points climb it climbs");
  tap_near(parabola, 0., 512. * EPS, 0., "slopes through three points are right for a parabola, to its ends");
  /* accelerations here are below 10⁴ m/s², the times 2 × 10⁻⁹ s apart */
  tap_near(jump, 0., 2e-5, 0., "the velocity has no jump at a point");
  struct cairn_pose p = pose_at(&m, 0.2);
  ok(p.x[0] == 0.1 && p.x[2] == 1. && is_at_rest(&p), "before the first point the first displacement holds");
  p = pose_at(&m, 4.);
  ok(p.x[0] == 7.01 && p.x[1] == 2.5 && is_at_rest(&p), "from the last point on the last one holds");
  use_table(&m, &t, 2);
  p = pose_at(&m, 1.25);
  tap_near(p.x[1], 0.5, 4. * EPS, 0., "two points are a steady motion: half way");
  tap_near(p.v[1], 2., 4. * EPS, 0., "its velocity");
  tap_near(p.a[1], 0., 16. * EPS, 0., "no acceleration");
  use_table(&m, &t, 1);
  p = pose_at(&m, 2.);
  ok(p.x[0] == 0.1 && is_at_rest(&p) && cairn_vec3_length(t.slope) == 0., "one point is a place");
}

static void random_vector(struct cairn_random *random, double size, double *v) {
  cairn_random_direction(random, v);
  for (int k = 0; k < 3; k++)
    v[k] *= size;
}

static struct cairn_motion random_motion(struct cairn_random *random, struct table *t) {
  struct cairn_motion m = {.from = cairn_random_between(random, 0., 0.5),
                           .until = cairn_random_between(random, 6., 9.),
                           .frequency = cairn_random_between(random, 0.5, 5.),
                           .phase = cairn_random_between(random, -3., 3.),
                           .spin = cairn_random_between(random, -3., 3.),
                           .knock_period = cairn_random_between(random, 0.3, 0.6),
                           .knock_duration = cairn_random_between(random, 0.05, 0.3),
                           .knock_ramp = (int32_t)cairn_random_between(random, 0., 8.)};
  random_vector(random, 1., m.velocity);
  random_vector(random, 0.5, m.amplitude);
  random_vector(random, 1., m.axis);
  random_vector(random, 2., m.pivot);
  random_vector(random, 1., m.knock_velocity);
  make_table(t);
  use_table(&m, t, POINTS);
  return m;
}

/* Is there a jump of velocity or acceleration within 2d of t? */
static int is_near_kink(const struct cairn_motion *m, double t, double d) {
  const double into = fmod(t - m->from, m->knock_period);
  int near = fabs(t - m->from) < 2. * d || fabs(t - m->until) < 2. * d || into < 2. * d ||
             into > m->knock_period - 2. * d || fabs(into - m->knock_duration) < 2. * d;
  for (int32_t i = 0; i < m->n_points; i++)
    near |= fabs(t - m->from - m->time[i]) < 2. * d;
  return near;
}

static void point_at(const struct cairn_pose *p, const double *own, double *arm, double *x) {
  turned(p->q, own, arm);
  for (int k = 0; k < 3; k++)
    x[k] = p->x[k] + arm[k];
}

/* All parts at once, about a pivot off the position. Central differences over 2d are off by d²/6 times the third
 * derivative and by a rounding of 10 m over d. The table has the largest one, 6 × 525 m/s³ from y = -1.1 to 3: 5 × 10⁻⁸
 * with d = 10⁻⁵. The third derivative of v has no table in it; that of the oscillation is AΩ⁴ ≈ 300 m/s⁴. */
static void test_derivatives(void) {
  struct cairn_random random;
  cairn_random_init(&random, 11, 0, 0);
  const double d = 1e-5;
  double worst_v = 0., worst_a = 0., worst_point = 0., worst_unit = 0., faster = 0.;
  int compared = 0;
  for (int trial = 0; trial < 3000; trial++) {
    struct table table;
    const struct cairn_motion m = random_motion(&random, &table);
    const double t = cairn_random_between(&random, 0., 10.);
    if (is_near_kink(&m, t, d))
      continue;
    compared++;
    const struct cairn_pose p = pose_at(&m, t), before = pose_at(&m, t - d), after = pose_at(&m, t + d);
    double own[3], pivot_off[3], arm[3], x[3], ahead[3], behind[3], v[3], extent;
    random_vector(&random, cairn_random_between(&random, 0., 3.), own);
    point_at(&before, own, arm, behind);
    point_at(&after, own, arm, ahead);
    point_at(&p, own, arm, x);
    cairn_vec3_cross(p.w, arm, v);
    for (int k = 0; k < 3; k++) {
      worst_v = fmax(worst_v, fabs((after.x[k] - before.x[k]) / (2. * d) - p.v[k]));
      worst_a = fmax(worst_a, fabs((after.v[k] - before.v[k]) / (2. * d) - p.a[k]));
      v[k] += p.v[k];
      worst_point = fmax(worst_point, fabs((ahead[k] - behind[k]) / (2. * d) - v[k]));
      pivot_off[k] = own[k] - m.pivot[k];
    }
    extent = cairn_vec3_length(pivot_off);
    faster = fmax(faster, cairn_vec3_length(v) / cairn_motion_fastest(&m, extent));
    worst_unit = fmax(worst_unit, fabs(cairn_vec3_dot(p.q, p.q) + p.q[3] * p.q[3] - 1.));
  }
  note("%d motions: velocity off by %.1e, acceleration by %.1e, velocity of a point by %.1e; of the fastest %.3f",
       compared, worst_v, worst_a, worst_point, faster);
  ok(compared > 2500, "most times are away from jumps");
  tap_near(worst_v, 0., 1e-7, 0., "v = dx/dt");
  tap_near(worst_a, 0., 1e-6, 0., "a = dv/dt");
  tap_near(worst_point, 0., 1e-7, 0., "a point of the wall moves with v + ω × r");
  tap_near(worst_unit, 0., 16. * EPS, 0., "the orientation stays a unit quaternion");
  ok(faster <= 1. && faster > 0.5, "no point is faster than the bound, and some come near it");
}

static void test_fastest(void) {
  struct cairn_motion m = {.until = (double)INFINITY, .amplitude = {3., 0., 4.}, .frequency = 2.};
  tap_near(cairn_motion_fastest(&m, (double)INFINITY), 10., 0., 4. * EPS, "an oscillating plane is no faster than AΩ");
  m.spin = -0.5;
  tap_near(cairn_motion_fastest(&m, 6.), 13., 0., 4. * EPS, "a spin adds |Σ| × extent");
  m = (struct cairn_motion){.knock_velocity = {0., 0., -0.1}, .knock_duration = 0.01, .knock_period = 10.};
  ok(cairn_motion_fastest(&m, 1.) == 0.1, "a floor that is knocked moves with the speed of a knock at most");
  struct table t = {.time = {0., 1., 2.}, .displacement = {0., 0., 0., 1., 0., 0., 1., 0., 0.}};
  m = (struct cairn_motion){.until = (double)INFINITY};
  use_table(&m, &t, 3);
  double sampled = 0.;
  for (int i = 0; i < 10000; i++)
    sampled = fmax(sampled, cairn_vec3_length(pose_at(&m, i * 1e-4).v));
  /* the vertex of a parabola is met within 0.5 × 10⁻⁴ s: 10⁻⁸ of it */
  tap_near(cairn_motion_fastest(&m, 0.), sampled, 0., 1e-7, "the fastest instant of a table lies between points");
  ok(sampled > 1.2, "and is faster than the mean");
}

int main(void) {
  plan(NO_PLAN);
  test_velocity();
  test_oscillation();
  test_spin();
  test_ramp();
  test_knocks();
  test_knock_steps();
  test_knock_ages();
  test_table();
  test_derivatives();
  test_fastest();
  done_testing();
}
