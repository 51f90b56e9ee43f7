#include "kernels/common/motion.h"
#include "kernels/common/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Times of steps, periods and durations are rounded numbers, and so are their sums and multiples: a boundary this many
 * units in the last place of the time away counts as reached. Otherwise a knock that should begin with a step would
 * begin with the next one every now and then. */
#define ROUNDING (4. * DBL_EPSILON)

static double length(const double *a) { return hypot(hypot(a[0], a[1]), a[2]); }

/* A sin(Ωt + φ) - A sin φ: no displacement at the start, whatever the phase (Schwartz 2013, section 2.2.1, has φ = 0).
 */
static void add_oscillation(const struct cairn_motion *m, double tau, struct cairn_pose *pose) {
  const double omega = m->frequency, s = sin(omega * tau + m->phase), c = cos(omega * tau + m->phase);
  const double shift = s - sin(m->phase);
  for (int k = 0; k < 3; k++) {
    pose->x[k] += m->amplitude[k] * shift;
    pose->v[k] += m->amplitude[k] * omega * c;
    pose->a[k] -= m->amplitude[k] * omega * omega * s;
  }
}

/* Sum of min(1, k/ramp) over the first n knocks. */
static double knocks_done(double n, double ramp) {
  if (ramp <= 1.)
    return n;
  return n <= ramp ? 0.5 * n * (n + 1.) / ramp : n - 0.5 * (ramp - 1.);
}

/* fmod is exact, so that the number of whole periods is right however long the run; `t` is the time that tau was
 * computed from and sets its rounding. */
static void add_knocks(const struct cairn_motion *m, double tau, double t, struct cairn_pose *pose) {
  const double period = m->knock_period, duration = fmin(m->knock_duration, period), ramp = m->knock_ramp;
  const double slack = ROUNDING * fmax(fabs(t), tau);
  double into = fmod(tau, period), n = rint((tau - into) / period);
  if (into >= period - slack) {
    n += 1.;
    into = 0.;
  }
  const double part = ramp > 1. ? fmin(1., (n + 1.) / ramp) : 1.;
  const int moving = into < duration - slack;
  const double seconds = knocks_done(n, ramp) * duration + part * (moving ? into : duration);
  for (int k = 0; k < 3; k++) {
    pose->x[k] += m->knock_velocity[k] * seconds;
    pose->v[k] += moving ? m->knock_velocity[k] * part : 0.;
  }
}

/* The last point not after tau; there is one before the last. */
static int32_t interval_of(const struct cairn_motion *m, double tau) {
  int32_t lower = 0, upper = m->n_points - 1;
  while (upper - lower > 1) {
    const int32_t middle = lower + (upper - lower) / 2;
    if (m->time[middle] <= tau)
      lower = middle;
    else
      upper = middle;
  }
  return lower;
}

/* Between two points the displacement is p + s (m0 + s (c + s d)), s the time since the first, of one component k. */
struct cubic {
  double width, c, d;
};

static struct cubic cubic_of(const struct cairn_motion *m, int32_t i, int k) {
  const double width = m->time[i + 1] - m->time[i], *p = m->displacement + 3 * i + k, *slope = m->slope + 3 * i + k;
  const double secant = (p[3] - p[0]) / width;
  return (struct cubic){.width = width,
                        .c = (3. * secant - 2. * slope[0] - slope[3]) / width,
                        .d = (slope[0] + slope[3] - 2. * secant) / (width * width)};
}

static void add_table(const struct cairn_motion *m, double tau, struct cairn_pose *pose) {
  const int32_t last = m->n_points - 1;
  if (tau < m->time[0] || tau >= m->time[last]) {
    const double *limit = m->displacement + (tau < m->time[0] ? 0 : 3 * last);
    for (int k = 0; k < 3; k++)
      pose->x[k] += limit[k];
    return;
  }
  const int32_t i = interval_of(m, tau);
  const double s = tau - m->time[i];
  for (int k = 0; k < 3; k++) {
    const struct cubic cubic = cubic_of(m, i, k);
    const double slope = m->slope[3 * i + k];
    pose->x[k] += m->displacement[3 * i + k] + s * (slope + s * (cubic.c + s * cubic.d));
    pose->v[k] += slope + s * (2. * cubic.c + 3. * s * cubic.d);
    pose->a[k] += 2. * cubic.c + 6. * s * cubic.d;
  }
}

/* The position sits at -pivot from the pivot and turns with the wall. */
static void add_spin(const struct cairn_motion *m, double tau, struct cairn_pose *pose) {
  const int ramps = tau < m->ramp; /* the angle is Σ τ²/(2 ramp), then Σ (τ - ramp/2) */
  const double turned_for = ramps ? 0.5 * tau * (tau / m->ramp) : tau - 0.5 * m->ramp;
  const double half = 0.5 * m->spin * turned_for, s = sin(half), c = cos(half);
  const double spin = ramps ? m->spin * (tau / m->ramp) : m->spin, gain = ramps ? m->spin / m->ramp : 0.;
  double u_p[3], u_u_p[3], arm[3], w_arm[3], w_w_arm[3], aw_arm[3];
  for (int k = 0; k < 3; k++) {
    pose->q[k] = m->axis[k] * s;
    pose->w[k] = spin * m->axis[k];
    pose->aw[k] = gain * m->axis[k];
  }
  pose->q[3] = c;
  cairn_vec3_cross(pose->q, m->pivot, u_p);
  cairn_vec3_cross(pose->q, u_p, u_u_p);
  for (int k = 0; k < 3; k++) {
    const double turned = 2. * (c * u_p[k] + u_u_p[k]); /* what the turning adds to the vector `pivot` */
    arm[k] = -(m->pivot[k] + turned);
    pose->x[k] -= turned;
  }
  cairn_vec3_cross(pose->w, arm, w_arm);
  cairn_vec3_cross(pose->w, w_arm, w_w_arm);
  cairn_vec3_cross(pose->aw, arm, aw_arm);
  for (int k = 0; k < 3; k++) {
    pose->v[k] += w_arm[k];
    pose->a[k] += w_w_arm[k] + aw_arm[k];
  }
}

void cairn_motion_pose(const struct cairn_motion *motion, double t, struct cairn_pose *pose) {
  const double tau = t < motion->from ? 0. : fmax(0., fmin(t, motion->until) - motion->from);
  memset(pose, 0, sizeof *pose);
  pose->q[3] = 1.;
  for (int k = 0; k < 3; k++) {
    pose->x[k] = motion->velocity[k] * tau;
    pose->v[k] = motion->velocity[k];
  }
  if (motion->frequency != 0.)
    add_oscillation(motion, tau, pose);
  if (motion->knock_period > 0.)
    add_knocks(motion, tau, fmin(t, motion->until), pose);
  if (motion->n_points > 0)
    add_table(motion, tau, pose);
  if (motion->spin != 0.)
    add_spin(motion, tau, pose);
  if (t < motion->from || t >= motion->until) {
    memset(pose->v, 0, sizeof pose->v);
    memset(pose->a, 0, sizeof pose->a);
    memset(pose->w, 0, sizeof pose->w);
    memset(pose->aw, 0, sizeof pose->aw);
  }
}

/* The parabola through three points has this slope at the first; `near` and `far` are the secants of the two intervals
 * beside it, as wide as the widths say. It may not point against the near secant. */
static double end_slope(double near, double far, double near_width, double far_width) {
  const double slope = near + (near - far) * near_width / (near_width + far_width);
  return slope * near > 0. ? slope : 0.;
}

/* Slopes of parabolas through three points, zero where the secants change sign, then for each interval pulled back
 * until both, over the secant, lie in the circle of radius 3, within which the cubic is monotone (Fritsch & Carlson
 * 1980). */
static void slopes_of_component(struct cairn_motion *m, int k) {
  const int32_t last = m->n_points - 1;
  const double *t = m->time, *p = m->displacement + k;
  double *slope = m->slope + k, secant = 0., width = 0.;
  for (int32_t i = 0; i < last; i++) {
    const double before = secant, width_before = width;
    width = t[i + 1] - t[i];
    secant = (p[3 * (i + 1)] - p[3 * i]) / width;
    if (i == 0)
      slope[0] = secant;
    else
      slope[3 * i] = before * secant > 0. ? (width * before + width_before * secant) / (width + width_before) : 0.;
    if (i == 1)
      slope[0] = end_slope(before, secant, width_before, width);
    slope[3 * (i + 1)] = i == 0 ? secant : end_slope(secant, before, width, width_before);
  }
  for (int32_t i = 0; i < last; i++) {
    secant = (p[3 * (i + 1)] - p[3 * i]) / (t[i + 1] - t[i]);
    const double size = hypot(slope[3 * i], slope[3 * (i + 1)]);
    if (size > 3. * fabs(secant)) {
      slope[3 * i] *= 3. * fabs(secant) / size;
      slope[3 * (i + 1)] *= 3. * fabs(secant) / size;
    }
  }
}

void cairn_motion_slopes(struct cairn_motion *motion) {
  for (int k = 0; k < 3 && motion->n_points > 0; k++) {
    motion->slope[k] = 0.;
    slopes_of_component(motion, k);
  }
}

/* The speed between two points is a parabola in time: largest at an end, or at its vertex. */
static double fastest_of_interval(const struct cairn_motion *m, int32_t i) {
  double speed[3];
  for (int k = 0; k < 3; k++) {
    const struct cubic cubic = cubic_of(m, i, k);
    const double slope = m->slope[3 * i + k], s = cubic.d == 0. ? 0. : -cubic.c / (3. * cubic.d);
    speed[k] = fmax(fabs(slope), fabs(m->slope[3 * (i + 1) + k]));
    if (s > 0. && s < cubic.width)
      speed[k] = fmax(speed[k], fabs(slope + cubic.c * s));
  }
  return length(speed);
}

double cairn_motion_fastest(const struct cairn_motion *motion, double extent) {
  double speed = length(motion->velocity) + length(motion->amplitude) * fabs(motion->frequency), table = 0.;
  if (motion->knock_period > 0.)
    speed += length(motion->knock_velocity);
  for (int32_t i = 0; i + 1 < motion->n_points; i++)
    table = fmax(table, fastest_of_interval(motion, i));
  if (motion->spin != 0.) /* a plane is infinite, and 0 × ∞ no number */
    speed += fabs(motion->spin) * extent;
  return speed + table;
}
