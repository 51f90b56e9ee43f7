/* External fields beside uniform gravity: a point mass, and the inertial forces of a frame that rotates or falls. For C
 * and OpenCL C; cairn_external_at alone is for the host. */
#ifndef CAIRN_KERNELS_COMMON_EXTERNAL_H
#define CAIRN_KERNELS_COMMON_EXTERNAL_H

#include "kernels/common/portable.h"

/* At one time. */
struct cairn_external {
  cairn_int has_central, rotates; /* is there a point mass; does the frame rotate? */
  double parameter;               /* m³/s², G times the point mass */
  double at[3];                   /* m, where it is */
  double fall[3];                 /* m/s², acceleration of the frame towards it; 0 where the frame does not fall */
  double rest;                    /* m²/s², the point mass's potential at the origin of a falling frame, else 0 */
  double spin[3];                 /* rad/s of the frame, about an axis through: */
  double pivot[3];                /* m */
};

/* Add to g the acceleration at x that does not depend on velocity: the point mass less the fall of the frame, and
 * the centrifugal acceleration -Ω × (Ω × y) = Ω² y - (Ω · y) Ω, y from the pivot. */
CAIRN_INLINE void cairn_external_accelerate(const struct cairn_external *e, const double *x, double *g) {
  if (e->has_central) {
    const double d[3] = {e->at[0] - x[0], e->at[1] - x[1], e->at[2] - x[2]};
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], scale = e->parameter / (r2 * sqrt(r2));
    for (cairn_int k = 0; k < 3; k++)
      g[k] += scale * d[k] - e->fall[k];
  }
  if (e->rotates) {
    const double *w = e->spin, y[3] = {x[0] - e->pivot[0], x[1] - e->pivot[1], x[2] - e->pivot[2]};
    const double w2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], along = w[0] * y[0] + w[1] * y[1] + w[2] * y[2];
    for (cairn_int k = 0; k < 3; k++)
      g[k] += w2 * y[k] - along * w[k];
  }
}

/* out = v - t Ω × v: the rotation of the frame acting on a vector during the time t, to first order. */
CAIRN_INLINE void cairn_external_drag(const struct cairn_external *e, double t, const double *v, double *out) {
  const double *w = e->spin, x = v[0], y = v[1], z = v[2];
  out[0] = x - t * (w[1] * z - w[2] * y);
  out[1] = y - t * (w[2] * x - w[0] * z);
  out[2] = z - t * (w[0] * y - w[1] * x);
}

/* Replace v by the u with u + t Ω × u = v. A drag by t followed by this is a rotation, to rounding: with it the
 * Coriolis acceleration does no work in a step, as it should. */
CAIRN_INLINE void cairn_external_turn(const struct cairn_external *e, double t, double *v) {
  const double b[3] = {t * e->spin[0], t * e->spin[1], t * e->spin[2]};
  const double scale = 1. / (1. + b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
  const double along = b[0] * v[0] + b[1] * v[1] + b[2] * v[2];
  double u[3];
  cairn_external_drag(e, t, v, u);
  for (cairn_int k = 0; k < 3; k++)
    v[k] = scale * (u[k] + along * b[k]);
}

/* Potential of the external fields, J/kg; the Coriolis acceleration has none. */
CAIRN_INLINE double cairn_external_potential(const struct cairn_external *e, const double *x) {
  double sum = 0.;
  if (e->has_central) {
    const double d[3] = {e->at[0] - x[0], e->at[1] - x[1], e->at[2] - x[2]};
    sum -= e->parameter / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + e->rest;
    sum += e->fall[0] * x[0] + e->fall[1] * x[1] + e->fall[2] * x[2];
  }
  if (e->rotates) {
    const double *w = e->spin, y[3] = {x[0] - e->pivot[0], x[1] - e->pivot[1], x[2] - e->pivot[2]};
    const double w2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], along = w[0] * y[0] + w[1] * y[1] + w[2] * y[2];
    sum -= 0.5 * (w2 * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]) - along * along);
  }
  return sum;
}

#ifndef __OPENCL_VERSION__

/* At all times. A point mass that moves does so because the frame falls freely past it: on the orbit of Kepler that
 * begins at `start.at` with `velocity`, both relative to the frame. */
struct cairn_external_rules {
  struct cairn_external start; /* at t = 0, without what the fall of the frame adds */
  cairn_int falls;
  double velocity[3]; /* m/s */
};

struct cairn_external cairn_external_at(const struct cairn_external_rules *rules, double time);

/* The least distance of the point mass from the origin of the frame, m, at any time. */
double cairn_external_closest(const struct cairn_external_rules *rules);

#endif

#endif
