/* From two bodies to the pair the law acts on. */
#ifndef CAIRN_KERNELS_SOFT_PAIRS_H
#define CAIRN_KERNELS_SOFT_PAIRS_H

#include "kernels/common/blocks.h"
#include "kernels/soft/laws.h"

/* Geometry and relative motion of two bodies; of each the predicted kinematics, with numbers `stride` apart. */
CAIRN_INLINE struct cairn_contact_pair cairn_pairs_bodies(CAIRN_GLOBAL const double *p, CAIRN_GLOBAL const double *q,
                                                          cairn_int stride, double root_mass, int rotation) {
  const double dx = q[0] - p[0], dy = q[1 * stride] - p[1 * stride], dz = q[2 * stride] - p[2 * stride];
  const double distance = sqrt(dx * dx + dy * dy + dz * dz), inverse = 1. / distance;
  const double r1 = p[CAIRN_PREDICTED_R * stride], r2 = q[CAIRN_PREDICTED_R * stride];
  struct cairn_contact_pair pair;
  pair.x = r1 + r2 - distance;
  pair.nx = dx * inverse;
  pair.ny = dy * inverse;
  pair.nz = dz * inverse;
  pair.vx = q[CAIRN_PREDICTED_V * stride] - p[CAIRN_PREDICTED_V * stride];
  pair.vy = q[(CAIRN_PREDICTED_V + 1) * stride] - p[(CAIRN_PREDICTED_V + 1) * stride];
  pair.vz = q[(CAIRN_PREDICTED_V + 2) * stride] - p[(CAIRN_PREDICTED_V + 2) * stride];
  pair.w1x = p[CAIRN_PREDICTED_W * stride];
  pair.w1y = p[(CAIRN_PREDICTED_W + 1) * stride];
  pair.w1z = p[(CAIRN_PREDICTED_W + 2) * stride];
  pair.w2x = q[CAIRN_PREDICTED_W * stride];
  pair.w2y = q[(CAIRN_PREDICTED_W + 1) * stride];
  pair.w2z = q[(CAIRN_PREDICTED_W + 2) * stride];
  pair.l1 = 0.5 * (distance + (r1 * r1 - r2 * r2) * inverse);
  pair.l2 = distance - pair.l1;
  pair.inverse_distance = inverse;
  pair.root_mass = root_mass;
  pair.reduced_radius = r1 * r2 / (r1 + r2);
  pair.rc = 0.;
  pair.inverse_inertia1 = pair.inverse_inertia2 = 0.;
  if (rotation) {
    const double rc2 = r1 * r1 - pair.l1 * pair.l1;
    pair.rc = sqrt(rc2 > 0. ? rc2 : 0.);
    pair.inverse_inertia1 = p[CAIRN_PREDICTED_I * stride];
    pair.inverse_inertia2 = q[CAIRN_PREDICTED_I * stride];
  }
  return pair;
}

#endif
