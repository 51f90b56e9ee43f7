#include "analysis/regime.h"

#include <math.h>

#include "kernels/common/vec3.h"

static const double SPHERE = 4. / 3. * 3.14159265358979323846; /* volume over r³ */

double cairn_regime_bond_number(const struct cairn_state *state, const struct cairn_scenario *s, double cohesion) {
  double weight = 0., n = 0.;
  for (int64_t i = 0; i < state->n; i++) {
    if (state->captor[i] < 0)
      continue;
    weight += state->mass[i] * cairn_vec3_length(s->self_gravity ? state->gravity + 3 * i : s->gravity);
    n += 1.;
  }
  return cohesion > 0. && weight > 0. ? cohesion * n / weight : (double)NAN;
}

/* Sums over the bodies, by mass and about the centre of mass: d ⊗ d, v ⊗ d. */
struct motion {
  double mass, volume, diameters, n;
  double center[3], velocity[3];
  double place[3][3], flow[3][3];
};

static struct motion motion_of(const struct cairn_state *s) {
  struct motion m = {0};
  for (int64_t i = 0; i < s->n; i++) {
    const double r = s->radius[i];
    if (s->captor[i] < 0)
      continue;
    m.mass += s->mass[i];
    m.volume += SPHERE * r * r * r;
    m.diameters += 2. * r;
    m.n += 1.;
    for (int k = 0; k < 3; k++) {
      m.center[k] += s->mass[i] * s->position[3 * i + k];
      m.velocity[k] += s->mass[i] * s->velocity[3 * i + k];
    }
  }
  for (int k = 0; k < 3 && m.mass > 0.; k++) {
    m.center[k] /= m.mass;
    m.velocity[k] /= m.mass;
  }
  for (int64_t i = 0; i < s->n; i++)
    for (int k = 0; k < 9 && s->captor[i] >= 0; k++) {
      const double d = s->position[3 * i + k % 3] - m.center[k % 3];
      m.place[k / 3][k % 3] += s->mass[i] * (s->position[3 * i + k / 3] - m.center[k / 3]) * d;
      m.flow[k / 3][k % 3] += s->mass[i] * (s->velocity[3 * i + k / 3] - m.velocity[k / 3]) * d;
    }
  return m;
}

/* The adjugate of a symmetric matrix; returns its determinant. */
static double adjugate(double a[3][3], double out[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, t = (j + 2) % 3;
      out[i][j] = a[p][r] * a[q][t] - a[p][t] * a[q][r];
    }
  return a[0][0] * out[0][0] + a[0][1] * out[0][1] + a[0][2] * out[0][2];
}

/* The velocity gradient L of least squares has L place = flow; its shear rate is √(2 D:D) with D the symmetric part
 * without its trace, so that neither rotation nor expansion counts. */
static double shear_of(struct motion *m) {
  static const double FLAT = 1e-9; /* of the volume of a cube: bodies in a plane tell no gradient across it */
  double inverse[3][3], l[3][3] = {{0}}, sum = 0.;
  const double size = (m->place[0][0] + m->place[1][1] + m->place[2][2]) / 3., det = adjugate(m->place, inverse);
  if (!(det > FLAT * size * size * size))
    return (double)NAN;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 9; k++)
      l[i][k / 3] += m->flow[i][k % 3] * inverse[k % 3][k / 3] / det;
  const double third = (l[0][0] + l[1][1] + l[2][2]) / 3.;
  for (int k = 0; k < 9; k++) {
    const double d = 0.5 * (l[k / 3][k % 3] + l[k % 3][k / 3]) - (k % 4 == 0 ? third : 0.);
    sum += 2. * d * d;
  }
  return sqrt(sum);
}

double cairn_regime_inertial_number(const struct cairn_state *state, double pressure) {
  if (!(pressure > 0.))
    return (double)NAN;
  struct motion m = motion_of(state);
  return m.n > 0. ? shear_of(&m) * m.diameters / m.n * sqrt(m.mass / m.volume / pressure) : (double)NAN;
}
