/* Coulomb's cone K = {|z_t| ≤ μ z_n}. */
#ifndef CAIRN_KERNELS_CONTACT_DYNAMICS_CONE_H
#define CAIRN_KERNELS_CONTACT_DYNAMICS_CONE_H

#include "kernels/common/portable.h"

/* The point of K nearest to one with the normal component z_n and a tangential one of length z_t: its normal component,
 * and in *scale what the tangential one is to be multiplied with. */
CAIRN_INLINE double cairn_cone_project(double mu, double zn, double zt, double *scale) {
  const double along = (zn + mu * zt) / (1. + mu * mu), kept = along > 0. ? along : 0.;
  const double part = mu * kept / (zt > 0. ? zt : 1.);
  const int inside = (zn >= 0.) & (zt <= mu * zn); /* no branches: four contacts at once */
  *scale = inside ? 1. : part;
  return inside ? zn : kept;
}

#endif
