/* The forces of contacts of soft spheres as they are in a state, many at once: the law over a step of no length, which
 * leaves the springs as they are. Without bonds. */
#ifndef CAIRN_KERNELS_SOFT_SOFT_FORCES_H
#define CAIRN_KERNELS_SOFT_SOFT_FORCES_H

#include "kernels/soft/pairs.h"

enum { CAIRN_SOFT_FORCES = 64 };

struct cairn_soft_forces {
  /* of the two bodies: kinematics (kernels/common/blocks.h) without the inertia, kg */
  _Alignas(64) double a[CAIRN_PREDICTED][CAIRN_SOFT_FORCES], b[CAIRN_PREDICTED][CAIRN_SOFT_FORCES];
  double mass_a[CAIRN_SOFT_FORCES], mass_b[CAIRN_SOFT_FORCES];
  double sx[CAIRN_SOFT_FORCES], sy[CAIRN_SOFT_FORCES], sz[CAIRN_SOFT_FORCES]; /* m, tangential spring */
  int32_t law[CAIRN_SOFT_FORCES];                                             /* which constants */
  /* results: normal from a to b, force on b (N), overlap and lever arms (m), the largest pull of cohesion (N) */
  double nx[CAIRN_SOFT_FORCES], ny[CAIRN_SOFT_FORCES], nz[CAIRN_SOFT_FORCES];
  double fx[CAIRN_SOFT_FORCES], fy[CAIRN_SOFT_FORCES], fz[CAIRN_SOFT_FORCES];
  double overlap[CAIRN_SOFT_FORCES], arm_a[CAIRN_SOFT_FORCES], arm_b[CAIRN_SOFT_FORCES];
  double cohesion[CAIRN_SOFT_FORCES];
};

/* What is read of all bodies of a state. */
struct cairn_soft_forces_bodies {
  const double *position, *velocity, *spin; /* [3 n] */
  const double *radius, *mass;              /* [n] */
};

/* Load the first `count` pairs of bodies. */
void cairn_kernel_soft_forces_load(const struct cairn_soft_forces_bodies *bodies, const int32_t *a, const int32_t *b,
                                   int32_t count, struct cairn_soft_forces *forces);

/* The first `count` of them. `laws` are the constants of law `kind`; is it one set for all? Does any attract? */
void cairn_kernel_soft_forces(int kind, const double *laws, int uniform, int attracts, int32_t count,
                              struct cairn_soft_forces *forces);

#endif
