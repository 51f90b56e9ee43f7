/* JKR adhesion of elastic spheres (Johnson, Kendall and Roberts 1971; docs/physics.md): what a neck between two bodies
 * that have touched adds to the force of the Hertz law. It forms when they touch, and is drawn out beyond that until it
 * snaps. With the contact radius a = a0 t², a0³ = R² c², c² = 2π w/E*, and s = a0²/R,
 *   overlap x = s (t⁴ - t),   force F = E* c² R (4/3 t⁶ - 2 t³),   it snaps where 4 t³ = 1.
 * Inline functions without side effects, for host and devices: additions to divisions and square roots alone, so that
 * bits are the same everywhere. */
#ifndef CAIRN_KERNELS_SOFT_NECK_H
#define CAIRN_KERNELS_SOFT_NECK_H

#include "kernels/soft/contact.h"

/* Constants of a pair of materials, behind those of the attraction: doubles only; all 0 without JKR. */
struct cairn_neck {
  double length;  /* m^(2/3), c^(4/3): s over the cube root of the reduced radius R */
  double tension; /* N/m, E* c²: unit of force over R */
};

/* t and x/s where the neck snaps. */
#define CAIRN_NECK_END 0.62996052494743658
#define CAIRN_NECK_GAP 0.47247039371057744

CAIRN_INLINE double cairn_neck_cube_root(double x) {
  const double a = sqrt(sqrt(x)), b = sqrt(sqrt(a));
  double root = a * b * sqrt(sqrt(b)); /* x^(21/64): some per cent off for the radii that there are */
  for (int k = 0; k < 5; k++)
    root = (2. * root + x / (root * root)) / 3.;
  return root;
}

/* t of an overlap in units of s: Newton's method from above, where t⁴ - t is convex. Beyond the end, that of the end.
 */
CAIRN_INLINE double cairn_neck_width(double overlap) {
  const double above = overlap + CAIRN_NECK_GAP > 0. ? overlap + CAIRN_NECK_GAP : 0.;
  const double near = sqrt(above / (6. * CAIRN_NECK_END * CAIRN_NECK_END)), far = sqrt(sqrt(above));
  double t = CAIRN_NECK_END + (near < far ? near : far);
  for (int k = 0; k < 5; k++) {
    const double slope = 4. * t * t * t - 1.;
    t -= (t * t * t * t - t - overlap) / (slope > 1e-9 ? slope : 1e-9);
    t = t > CAIRN_NECK_END ? t : CAIRN_NECK_END;
  }
  return t;
}

/* m, the gap at which it snaps. */
CAIRN_INLINE double cairn_neck_range(const struct cairn_neck *c, double radius) {
  return CAIRN_NECK_GAP * c->length * cairn_neck_cube_root(radius);
}

/* N, pull-off force, 3/2 π w R. */
CAIRN_INLINE double cairn_neck_most(const struct cairn_neck *c, double radius) { return 0.75 * c->tension * radius; }

/* Add it to what the Hertz law, with 4/3 E* √(R x³), does in a kick of length h; `touched` says whether the bodies were
 * in contact before. Where it forms or snaps within the kick, for that part of it. The contact lasts as it does. */
CAIRN_INLINE void cairn_neck_add(const struct cairn_neck *c, const struct cairn_contact_pair *p, int touched, double h,
                                 struct cairn_contact_result *r) {
  const double s = c->length * cairn_neck_cube_root(p->reduced_radius);
  const double un = p->vx * p->nx + p->vy * p->ny + p->vz * p->nz, d = p->x / (s > 0. ? s : 1.);
  const double t = cairn_neck_width(d), t3 = t * t * t, overlap = d > 0. ? d : 0.;
  const double weight = s > 0. ? cairn_contact_weight(p->x + (touched ? CAIRN_NECK_GAP * s : 0.), un, h) : 0.;
  const double hertz = 4. / 3. * overlap * sqrt(overlap);
  const double pull = weight * c->tension * p->reduced_radius * (hertz - (4. / 3. * t3 - 2.) * t3);
  r->fx += pull * p->nx;
  r->fy += pull * p->ny;
  r->fz += pull * p->nz;
  r->weight = r->weight > weight ? r->weight : weight;
}

/* J, of bodies that have touched, beside that of the Hertz law; 0 where the neck snaps. */
CAIRN_INLINE double cairn_neck_energy(const struct cairn_neck *c, double gap, double radius) {
  const double s = c->length * cairn_neck_cube_root(radius);
  if (!(s > 0.) || gap > CAIRN_NECK_GAP * s)
    return 0.;
  const double d = -gap / s, overlap = d > 0. ? d : 0., t = cairn_neck_width(d), t3 = t * t * t, t4 = t3 * t;
  const double jkr = t4 * (8. / 15. * t3 * t3 - 4. / 3. * t3 + 0.5),
               hertz = 8. / 15. * overlap * overlap * sqrt(overlap);
  return c->tension * radius * s * (jkr - hertz - 0.05 * CAIRN_NECK_END);
}

#endif
