/* Capture and removal by walls, and the loads on walls, in contact dynamics. A captured body is an obstacle that moves
 * with its wall: its body velocity has no inverse mass and stays zero, its motion is part of the contacts' c. */
#ifndef CAIRN_KERNELS_CONTACT_DYNAMICS_CD_WALLS_H
#define CAIRN_KERNELS_CONTACT_DYNAMICS_CD_WALLS_H

#include "kernels/contact_dynamics/cd_cell.h"

/* Velocity and spin of a wall at the surface, in the direction n, of a sphere with predicted kinematics p. */
CAIRN_INLINE void cairn_cd_wall_motion(const double *p, const double n[3], const double *assembly, double v[3],
                                       double w[3]) {
  double arm[3];
  for (int i = 0; i < 3; i++) {
    arm[i] = p[i] + p[CAIRN_PREDICTED_R] * n[i] - assembly[CAIRN_ASSEMBLY_X + i];
    w[i] = assembly[CAIRN_ASSEMBLY_W + i];
  }
  for (int i = 0; i < 3; i++)
    v[i] = assembly[CAIRN_ASSEMBLY_V + i] + (w[(i + 1) % 3] * arm[(i + 2) % 3] - w[(i + 2) % 3] * arm[(i + 1) % 3]);
}

/* The same for two spheres of which one is captured: its part of the velocity and spin of the second relative to the
 * first. */
CAIRN_INLINE void cairn_cd_captured_motion(const double *p, const double *q, const double n[3], double v[3],
                                           double w[3]) {
  const int second = q[CAIRN_PREDICTED_CAPTOR] != 0.;
  const double *x = second ? q : p, sign = second ? 1. : -1., r = x[CAIRN_PREDICTED_R];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    v[i] = sign * x[CAIRN_PREDICTED_V + i] + r * (n[j] * x[CAIRN_PREDICTED_W + k] - n[k] * x[CAIRN_PREDICTED_W + j]);
    w[i] = sign * x[CAIRN_PREDICTED_W + i];
  }
}

/* Distance from a sphere's centre within which points of a mesh may be contacts. */
CAIRN_INLINE double cairn_cd_wall_reach(const double *p, const double *assembly, const struct cairn_cd_step *step) {
  return 2. * cairn_walls_reach(p, assembly, step->h) - p[CAIRN_PREDICTED_R] + step->detection_margin + step->range;
}

/* Where a body may touch a wall at several points: give each of the n contacts, whose pairs begin with `pair`, the
 * history of the earlier contact with the nearest normal, whatever their order. */
void cairn_cd_inherit(const struct cairn_soft_spheres *blocks, int32_t pair, const struct cairn_nearest *touch,
                      int32_t n);

/* Store the force and torque on the wall of a pair: the impulse p in the direction n from the body, and the torque
 * impulse m, over the step. */
void cairn_cd_load_wall(const struct cairn_soft_spheres *blocks, int32_t pair, const double n[3], const double p[3],
                        const double m[3], double h);

/* Add the load of a contact on a captured body to its body velocity: impulse ±p at its surface, torque impulse ±m; the
 * sign is that of the body the contact's impulse acts on. */
void cairn_cd_load_captured(double *sum, double sign, const double n[3], const double p[3], const double m[3]);

/* Before the step, with the walls as they are at contact detection: capture, release or remove own bodies. */
void cairn_kernel_cd_capture(const struct cairn_soft_spheres *blocks, double displacement, double time);

/* Once impulses are known: sum those on captured bodies in their body velocities, as impulse and torque impulse. */
void cairn_kernel_cd_gather_captured(const struct cairn_cd_cell *cell);

/* Move the own captured bodies with their walls to the end of the step, and store their loads on the walls: contact
 * impulses, gravity, and the momentum they have lost. */
void cairn_kernel_cd_carry(const struct cairn_cd_cell *cell, const struct cairn_soft_spheres *blocks, double h);

#endif
