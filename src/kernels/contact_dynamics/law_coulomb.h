/* The contact law of contact dynamics: Signorini's condition, Coulomb friction, Newton's restitution, rolling and
 * twisting friction, cohesion. Its constants, when a gap is a contact, and what it adds to the relative velocity; the
 * impulse of a contact follows in kernels/contact_dynamics/cd.h, cohesion with a binding energy in cohesion.h. */
#ifndef CAIRN_KERNELS_CONTACT_DYNAMICS_LAW_COULOMB_H
#define CAIRN_KERNELS_CONTACT_DYNAMICS_LAW_COULOMB_H

#include <stdint.h>

#include "kernels/common/portable.h"

/* Constants of a pair of materials: as many doubles as a law of soft spheres. */
struct cairn_law_coulomb {
  double restitution, rebound; /* normal and tangential */
  double friction;
  double rolling, twisting; /* m, or over the reduced radius */
  double cohesion;          /* N */
  double range;             /* m, gap within which it acts, or over which its binding energy is spent */
  double bonds;             /* 1: cohesion with a binding energy (kernels/contact_dynamics/cohesion.h), else 0 */
  double lengths;           /* CAIRN_CD_ROLLING_LENGTH and CAIRN_CD_TWISTING_LENGTH, added */
};

/* Which coefficients of rolling and twisting friction are given as a length. */
enum { CAIRN_CD_ROLLING_LENGTH = 1, CAIRN_CD_TWISTING_LENGTH = 2 };

/* The torque impulse over the normal impulse that rolling and twisting friction bear at most, m; `radius` is the
 * reduced one of the pair. */
CAIRN_INLINE double cairn_law_coulomb_rolling(const struct cairn_law_coulomb *law, double radius) {
  return law->rolling * ((int)law->lengths & CAIRN_CD_ROLLING_LENGTH ? 1. : radius);
}
CAIRN_INLINE double cairn_law_coulomb_twisting(const struct cairn_law_coulomb *law, double radius) {
  return law->twisting * ((int)law->lengths & CAIRN_CD_TWISTING_LENGTH ? 1. : radius);
}

/* Parameters of a step. */
struct cairn_cd_step {
  double h, theta;
  double detection_margin; /* m: smaller gaps are always contacts, because others may push the bodies together */
  double range;            /* m, largest of any cohesion */
  int32_t touching;        /* are only closed gaps contacts, not those that will close within the step? */
  int32_t solver;
  double tolerance; /* of the residual */
  int64_t most_sweeps;
};

/* Is a gap a contact, and what does the law add to the velocity u before the step: c, and the cohesion. Moreau's rule
 * with Newton's restitution: bodies that touch leave with e times the velocity before the step, reversed; with e = 0 a
 * contact may also close its gap within the step, unless only closed gaps are contacts. An overlap is not corrected.
 * With e > 0 bodies that would touch before the end of the step rebound at its beginning, so that they do not overlap;
 * letting the gap close first would dissipate energy. */
CAIRN_INLINE int cairn_law_coulomb_target(const struct cairn_law_coulomb *law, const struct cairn_cd_step *step,
                                          const double u[3], const double n[3], double gap, double c[3],
                                          double *cohesion) {
  const double un = u[0] * n[0] + u[1] * n[1] + u[2] * n[2], closing = un < 0. ? -un : 0.;
  const double range = law->cohesion > 0. && law->bonds == 0. ? law->range : 0.;
  const int bounces = law->restitution > 0. && !step->touching && gap < step->theta * step->h * closing;
  const int late = law->restitution > 0. || step->touching;
  if (!bounces && gap > (late ? range : 2. * step->h * closing + step->detection_margin + range))
    return 0;
  const double left = gap > 0. && !step->touching && !bounces ? gap / step->h : 0.;
  const double across = gap <= 0. ? law->rebound : 0.;
  for (int i = 0; i < 3; i++)
    c[i] = (law->restitution * un + left) * n[i] + across * (u[i] - un * n[i]);
  *cohesion = gap <= range && law->bonds == 0. ? law->cohesion * step->h : 0.;
  return 1;
}

#endif
