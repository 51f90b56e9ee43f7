#include "kernels/common/external.h"
#include "kernels/common/vec3.h"

#include <float.h>

/* Stumpff's functions c1, c2, c3 times s, s², s³, of β s² (Stumpff 1959; Danby 1988, section 6.9): they let one
 * equation hold for ellipses (β > 0), parabolas and hyperbolas. Small arguments by the series: the closed forms would
 * cancel. */
static void stumpff(double beta, double s, double g[4]) {
  const double z = beta * s * s;
  if (fabs(z) < 0.5) {
    double even = 0.5, odd = 1. / 6., c2 = 0., c3 = 0.; /* terms of c2 and c3 */
    for (int k = 1; k <= 9; k++) {
      c2 += even;
      c3 += odd;
      even *= -z / (double)((2 * k + 1) * (2 * k + 2));
      odd *= -z / (double)((2 * k + 2) * (2 * k + 3));
    }
    g[2] = s * s * c2;
    g[3] = s * s * s * c3;
    g[1] = s - beta * g[3];
    return;
  }
  const double root = sqrt(fabs(beta)), angle = root * s;
  g[1] = (beta > 0. ? sin(angle) : sinh(angle)) / root;
  g[2] = (1. - (beta > 0. ? cos(angle) : cosh(angle))) / beta;
  g[3] = (s - g[1]) / beta;
}

/* Kepler's motion in the universal variable s, in which time grows at the rate of the distance. */
struct motion {
  double mu, r, rate, beta; /* G M; of the start: distance, x · v, 2 mu/r - v² */
};

/* Time and distance at s. */
static double time_at(const struct motion *m, double s, double *distance) {
  double g[4];
  stumpff(m->beta, s, g);
  *distance = m->r * (1. - m->beta * g[2]) + m->rate * g[1] + m->mu * g[2];
  return m->r * g[1] + m->rate * g[2] + m->mu * g[3];
}

/* The s of a time, which lies between 0 and `upper`: Newton's steps within a bracket. */
static double solve(const struct motion *m, double time, double upper) {
  double lower = 0., s = 0.5 * upper, change = upper, distance;
  for (int k = 0; k < 200 && change > 4e-16 * s; k++) {
    const double now = time_at(m, s, &distance);
    if (now < time)
      lower = s;
    else
      upper = s;
    double next = s + (time - now) / distance;
    if (!(next > lower && next < upper))
      next = 0.5 * (lower + upper);
    change = fabs(next - s);
    s = next;
  }
  return s;
}

/* Where a mass with the parameter mu that starts at x with the velocity v has got after the time t (Danby 1988, eqs.
 * 6.9.1 to 6.9.30). */
static void kepler(double mu, const double *x, const double *v, double t, double *out) {
  const struct motion m = {.mu = mu,
                           .r = sqrt(cairn_vec3_dot(x, x)),
                           .rate = cairn_vec3_dot(x, v),
                           .beta = 2. * mu / sqrt(cairn_vec3_dot(x, x)) - cairn_vec3_dot(v, v)};
  const double turn = m.beta > 0. ? 6.28318530717958647692 / sqrt(m.beta) : INFINITY; /* s of a whole orbit */
  double g[4], upper = turn, distance;
  if (isfinite(turn))
    t = fmod(t, mu * turn / m.beta);
  else { /* t/r may be less than any double: nothing doubles to nothing */
    upper = fmax(t / m.r, DBL_MIN);
    for (int k = 0; k < 2100 && time_at(&m, upper, &distance) < t; k++)
      upper *= 2.;
  }
  stumpff(m.beta, solve(&m, t, upper), g);
  const double of_x = 1. - mu / m.r * g[2], of_v = t - mu * g[3];
  for (int k = 0; k < 3; k++)
    out[k] = of_x * x[k] + of_v * v[k];
}

struct cairn_external cairn_external_at(const struct cairn_external_rules *rules, double time) {
  struct cairn_external e = rules->start;
  if (!rules->falls)
    return e;
  if (time > 0.)
    kepler(e.parameter, rules->start.at, rules->velocity, time, e.at);
  const double r = sqrt(cairn_vec3_dot(e.at, e.at));
  for (int k = 0; k < 3; k++)
    e.fall[k] = e.parameter / (r * r * r) * e.at[k];
  e.rest = -e.parameter / r;
  return e;
}

double cairn_external_closest(const struct cairn_external_rules *rules) {
  const double *x = rules->start.at, *v = rules->velocity, mu = rules->start.parameter, r = sqrt(cairn_vec3_dot(x, x));
  const double l[3] = {x[1] * v[2] - x[2] * v[1], x[2] * v[0] - x[0] * v[2], x[0] * v[1] - x[1] * v[0]};
  const double energy = 0.5 * cairn_vec3_dot(v, v) - mu / r, l2 = cairn_vec3_dot(l, l);
  if (!rules->falls)
    return r;
  const double eccentricity = sqrt(fmax(0., 1. + 2. * energy * l2 / (mu * mu)));
  const double pericentre = l2 / (mu * (1. + eccentricity));
  return energy >= 0. && cairn_vec3_dot(x, v) >= 0. ? r : pericentre;
}
