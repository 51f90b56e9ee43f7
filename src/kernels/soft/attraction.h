/* Cohesion of soft spheres: an attraction along the normal that is added to the force of any contact law (Hamaker 1937;
 * Derjaguin, Muller and Toporov 1975; docs/physics.md). It is at most P, from overlaps up to the gap X0, falls with the
 * square of the gap beyond, and ends at the range:
 *   F = P for g <= X0, P (X0/g)² for X0 < g <= range, 0 beyond.
 * A constant force has X0 = range. Friction does not see it: its limit is μ times the force of the contact law, which
 * is the normal force that acts plus the attraction. Inline functions without side effects, for host and devices. */
#ifndef CAIRN_KERNELS_SOFT_ATTRACTION_H
#define CAIRN_KERNELS_SOFT_ATTRACTION_H

#include "kernels/soft/contact.h"

/* Constants of a pair of materials, behind those of the contact law: doubles only. */
struct cairn_attraction {
  double force;      /* N, part of P that is the same for all sizes */
  double tension;    /* N/m, part of P over the reduced radius */
  double separation; /* m, X0 */
  double range;      /* m */
};

/* N, P of a pair with this reduced radius. */
CAIRN_INLINE double cairn_attraction_most(const struct cairn_attraction *c, double radius) {
  return c->force + c->tension * radius;
}

/* Add it to what the contact law does in a kick of length h. Where the pair crosses the range within the kick, for that
 * part of it (cairn_contact_weight): the jump of the force there costs no order. */
CAIRN_INLINE void cairn_attraction_add(const struct cairn_attraction *c, const struct cairn_contact_pair *p, double h,
                                       struct cairn_contact_result *r) {
  const double un = p->vx * p->nx + p->vy * p->ny + p->vz * p->nz, gap = -p->x < c->range ? -p->x : c->range;
  const int far = gap > c->separation;
  const double part = (far ? c->separation : 1.) / (far ? gap : 1.);
  const double pull =
      cairn_contact_weight(p->x + c->range, un, h) * cairn_attraction_most(c, p->reduced_radius) * (part * part);
  r->fx += pull * p->nx;
  r->fy += pull * p->ny;
  r->fz += pull * p->nz;
}

/* J, of a pair with this gap: minus the work that parts it, 0 beyond the range. */
CAIRN_INLINE double cairn_attraction_energy(const struct cairn_attraction *c, double gap, double radius) {
  const double x0 = c->separation;
  if (!(gap < c->range))
    return 0.;
  const double beyond = x0 > 0. ? x0 - x0 * x0 / c->range : 0.;
  return -cairn_attraction_most(c, radius) * (gap > x0 ? x0 * x0 * (1. / gap - 1. / c->range) : (x0 - gap) + beyond);
}

#endif
