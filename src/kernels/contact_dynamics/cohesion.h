/* Cohesion with a binding energy, in contact dynamics (Brendel et al. 2004, section 1.8 and fig. 1.9b). A contact bears
 * the tension F_C; under a larger tension it opens against the constant force F_C, and has parted once the work
 * E_C = F_C d_C is done. Between, it is weakened: it keeps its gap while the tension is less than F_C, is not drawn
 * back, and is whole again when the bodies have been pressed together. A shock that a zero range would part in any
 * step, however small, has to bring the energy.
 *
 * What is counted is how far a pair has opened beyond its rest, the gap at which it was last pressed together: 0, or
 * the overlap it then had. */
#ifndef CAIRN_KERNELS_CONTACT_DYNAMICS_COHESION_H
#define CAIRN_KERNELS_CONTACT_DYNAMICS_COHESION_H

#include "kernels/common/portable.h"

enum cairn_cohesion_state {
  CAIRN_COHESION_NONE,    /* the bodies are not bound */
  CAIRN_COHESION_BOUND,   /* bound: neither drawn together nor parted by less than F_C */
  CAIRN_COHESION_WEAKENED /* bound, open, and approaching: no force acts until they touch */
};

/* Two bodies at the beginning of a step. */
struct cairn_cohesion_pair {
  double range;   /* m, d_C */
  double radius;  /* m, the smaller one */
  double gap;     /* m */
  double rest;    /* m */
  int known;      /* has the pair touched before? */
  int pressed;    /* was it pressed in the step before? */
  double opening; /* m/s, relative normal velocity, positive if they part */
};

/* Gaps up to this count as closed: bodies that are put side by side touch but for rounding. */
CAIRN_INLINE double cairn_cohesion_touch(double range, double radius) { return fmin(1e-6 * radius, 1e-3 * range); }

/* A pair that meets without being pressed yet has this rest. */
CAIRN_INLINE double cairn_cohesion_rest(double gap) { return gap < 0. ? gap : 0.; }

CAIRN_INLINE enum cairn_cohesion_state cairn_cohesion_judge(const struct cairn_cohesion_pair *p) {
  const double touch = cairn_cohesion_touch(p->range, p->radius);
  if (p->known ? p->gap - p->rest >= p->range : p->gap > touch)
    return CAIRN_COHESION_NONE;
  return p->gap > touch && (p->opening < 0. || p->pressed) ? CAIRN_COHESION_WEAKENED : CAIRN_COHESION_BOUND;
}

/* Does a pair with this gap after a step still have something to remember? One that has parted, but still overlaps, is
 * not bound anew by that. */
CAIRN_INLINE int cairn_cohesion_remembers(double range, double radius, double gap, double rest, int known) {
  return gap <= cairn_cohesion_touch(range, radius) || (known && gap - rest < range);
}

/* The tension impulse a bound pair can bear in a step h: `most`, which is F_C h, or less in the step that parts it,
 * just so much that the work that is left is done. The impulse P takes the energy P (u + u⁺)/2 with u⁺ = u_free - w P:
 * a quadratic, exact if nothing else acts on the two bodies. */
CAIRN_INLINE double cairn_cohesion_impulse(double most, double left, double u, double u_free, double w) {
  const double acts = fmin(most, u_free / w), sum = u + u_free; /* no more than stops them */
  if (!(acts * (sum - w * acts) > 2. * left))
    return most;
  return 4. * left / (sum + sqrt(fmax(sum * sum - 8. * w * left, 0.)));
}

#endif
