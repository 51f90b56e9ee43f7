#include "analysis/regime.h"

#include <math.h>

double cairn_regime_bond_number(double cohesion, double weight, double n) {
  return cohesion > 0. && weight > 0. ? cohesion * n / weight : (double)NAN;
}

/* The adjugate of a symmetric matrix; returns its determinant. */
static double adjugate(const double a[3][3], double out[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, t = (j + 2) % 3;
      out[i][j] = a[p][r] * a[q][t] - a[p][t] * a[q][r];
    }
  return a[0][0] * out[0][0] + a[0][1] * out[0][1] + a[0][2] * out[0][2];
}

/* The velocity gradient L of least squares has L place = flow; its shear rate is √(2 D:D) with D the symmetric part
 * without its trace, so that neither rotation nor expansion counts. */
static double shear_of(const struct cairn_regime_motion *m) {
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

double cairn_regime_inertial_number(const struct cairn_regime_motion *m, double pressure) {
  if (!(pressure > 0. && m->mass > 0.))
    return (double)NAN;
  return shear_of(m) * m->diameter * sqrt(m->mass / m->volume / pressure);
}
