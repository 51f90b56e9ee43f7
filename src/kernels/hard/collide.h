/* What a collision does: restitution, and the velocities after it (Richardson et al. 2011, eqs. 4, 6 to 8). */
#ifndef CAIRN_KERNELS_HARD_COLLIDE_H
#define CAIRN_KERNELS_HARD_COLLIDE_H

#include "kernels/common/portable.h"
#include "kernels/common/vec3.h"

/* Restitution of two materials. The normal one is a number, or falls with the impact speed v as ε (v/v₀)^-p up to 1:
 * Bridges et al. (1984) measured 0.32 (v / 1 cm/s)^-0.234 for ice. */
struct cairn_collide_law {
  double normal;     /* εn, or its value at v₀; 0 to 1 */
  double tangential; /* εt, -1 to 1: 1 smooth, 0 no slip, -1 reversal */
  double speed;      /* v₀, m/s; 0: εn is a number */
  double exponent;   /* p */
};

CAIRN_INLINE double cairn_collide_restitution(const struct cairn_collide_law *law, double speed) {
  if (law->speed == 0. || law->exponent == 0.)
    return law->normal;
  const double e = law->normal * pow(speed / law->speed, -law->exponent);
  return e < 1. ? e : 1.;
}

/* One of the two that collide; a wall and a captured body have neither inverse mass nor inverse inertia. */
struct cairn_collide_body {
  double v[3], w[3];      /* m/s, rad/s */
  double inverse_mass;    /* 1/kg */
  double inverse_inertia; /* 1/(kg m²) */
  double arm;             /* m, from the centre to the point of contact; 0 for a wall, whose v is that of the point */
};

/* Relative velocity of 2 at the point of contact; n is the unit vector from 1 to 2. */
CAIRN_INLINE void cairn_collide_relative(const struct cairn_collide_body *one, const struct cairn_collide_body *two,
                                         const double n[3], double u[3]) {
  double s1[3], s2[3];
  cairn_vec3_cross(one->w, n, s1);
  cairn_vec3_cross(two->w, n, s2);
  for (int k = 0; k < 3; k++)
    u[k] = two->v[k] - one->v[k] - two->arm * s2[k] - one->arm * s1[k];
}

/* The collision: u' = -εn u_n + εt u_t for solid spheres, whose moment of inertia 2/5 m s² gives the factor 2/7.
 * Returns the energy lost, J, computed from the changes themselves: it is zero for an elastic one but for rounding.
 * `impulse` is that on 2, N s. */
CAIRN_INLINE double cairn_collide(struct cairn_collide_body *one, struct cairn_collide_body *two, const double n[3],
                                  double normal, double tangential, double impulse[3]) {
  double u[3], turn[3];
  cairn_collide_relative(one, two, n, u);
  const double mass = 1. / (one->inverse_mass + two->inverse_mass), un = cairn_vec3_dot(u, n);
  double slip2 = 0.;
  for (int k = 0; k < 3; k++) {
    const double ut = u[k] - un * n[k];
    slip2 += ut * ut;
    impulse[k] = -mass * ((1. + normal) * un * n[k] + 2. / 7. * (1. - tangential) * ut);
  }
  cairn_vec3_cross(n, impulse, turn);
  for (int k = 0; k < 3; k++) {
    one->v[k] -= one->inverse_mass * impulse[k];
    two->v[k] += two->inverse_mass * impulse[k];
    one->w[k] -= one->inverse_inertia * one->arm * turn[k];
    two->w[k] -= two->inverse_inertia * two->arm * turn[k];
  }
  return 0.5 * mass * ((1. - normal * normal) * un * un + 2. / 7. * (1. - tangential * tangential) * slip2);
}

#endif
