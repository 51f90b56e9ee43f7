/* Perfect accretion: two bodies become one sphere with their mass, volume, momentum and angular momentum. */
#ifndef CAIRN_KERNELS_HARD_MERGE_H
#define CAIRN_KERNELS_HARD_MERGE_H

#include "kernels/common/portable.h"
#include "kernels/common/vec3.h"

struct cairn_merge_body {
  double x[3], v[3], w[3]; /* m, m/s, rad/s */
  double mass, radius;     /* kg, m */
};

CAIRN_INLINE double cairn_merge_inertia(const struct cairn_merge_body *b) {
  return 0.4 * b->mass * b->radius * b->radius;
}

/* Returns the kinetic energy lost, J. The whole is at the centre of mass; its spin takes up what the two had about it,
 * the angular momentum of their motion around each other included. */
CAIRN_INLINE double cairn_merge(const struct cairn_merge_body *one, const struct cairn_merge_body *two,
                                struct cairn_merge_body *whole) {
  const double mass = one->mass + two->mass, reduced = one->mass * two->mass / mass;
  const double i1 = cairn_merge_inertia(one), i2 = cairn_merge_inertia(two);
  double d[3], u[3], orbit[3];
  whole->mass = mass;
  whole->radius = cbrt(one->radius * one->radius * one->radius + two->radius * two->radius * two->radius);
  const double inertia = cairn_merge_inertia(whole);
  for (int k = 0; k < 3; k++) {
    d[k] = two->x[k] - one->x[k];
    u[k] = two->v[k] - one->v[k];
    whole->x[k] = one->x[k] + two->mass / mass * d[k];
    whole->v[k] = one->v[k] + two->mass / mass * u[k];
  }
  cairn_vec3_cross(d, u, orbit);
  for (int k = 0; k < 3; k++)
    whole->w[k] = (i1 * one->w[k] + i2 * two->w[k] + reduced * orbit[k]) / inertia;
  return 0.5 * (reduced * cairn_vec3_dot(u, u) + i1 * cairn_vec3_dot(one->w, one->w) +
                i2 * cairn_vec3_dot(two->w, two->w) - inertia * cairn_vec3_dot(whole->w, whole->w));
}

#endif
