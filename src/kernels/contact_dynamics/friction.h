/* Unilateral contact with Coulomb friction at one contact: cone, residual and local solvers. Normal component first.
 *
 * With the impulse r = (r_n, r_T) on the second body and the velocity after it u = (u_n, u_T) = W r + b:
 *
 *   u_n >= 0,  r_n >= 0,  u_n r_n = 0,  |r_T| <= mu r_n,  and where u_T != 0:  r_T = -mu r_n u_T / |u_T|
 *
 * which is the same as  K_mu ∋ r  ⊥  u + mu |u_T| n ∈ K_mu*  (De Saxce), K_mu = {|r_T| <= mu r_n}. */
#ifndef CAIRN_KERNELS_CONTACT_DYNAMICS_FRICTION_H
#define CAIRN_KERNELS_CONTACT_DYNAMICS_FRICTION_H

#include "kernels/contact_dynamics/cone.h"

/* Result of a local solver. */
enum cairn_friction_state { CAIRN_FRICTION_OPEN, CAIRN_FRICTION_STICK, CAIRN_FRICTION_SLIDE };

/* One contact: coefficient, matrix, and what follows from them once and for all. Where u_n is held at 0 the tangential
 * velocity is u_T = A r_T + c with A = W_TT - W_Tn W_nT / w_nn. The tangents are turned so that A = [a0 k; -k a1]: then
 * det(A + lambda) is a sum of positive numbers and nothing cancels, however small a1 is. */
struct cairn_friction_contact {
  double mu, w_nn;
  double cosine, sine;         /* turned tangents: (cosine, sine) and (-sine, cosine) */
  double w_nt[2], w_tn[2];     /* W_nT and W_Tn along the turned tangents */
  double a0, a1, k;            /* A; a0, a1 >= 0 */
  double inverse_n, inverse_t; /* 1/w_nn; 1/w_t of a diagonal matrix */
  double rho;                  /* 3/trace(W) */
  int diagonal;                /* W = diag(w_n, w_t, w_t): spheres */
};

/* Entries off the form diag(w_n, w_t, w_t) that count as rounding, relative to the trace. The fixed point of the closed
 * form needs no exact W (it is a natural map with its own steps), so this affects the rate of sweeps only. */
#define CAIRN_FRICTION_ROUND 1e-10

/* The rotation that makes the symmetric matrix [a b; b d] diagonal (Jacobi), accurate also for a much larger than d. */
CAIRN_INLINE void cairn_friction_turn(double a, double b, double d, struct cairn_friction_contact *c) {
  double t = 0.;
  if (b != 0.) {
    const double ratio = 0.5 * (d - a) / b;
    t = (ratio < 0. ? -1. : 1.) / (fabs(ratio) + sqrt(1. + ratio * ratio));
  }
  c->cosine = 1. / sqrt(1. + t * t);
  c->sine = -t * c->cosine;
  const double a0 = a - t * b, a1 = d + t * b;
  c->a0 = a0 > 0. ? a0 : 0.;
  c->a1 = a1 > 0. ? a1 : 0.;
}

/* w: the matrix row by row; w[0] > 0. */
CAIRN_INLINE struct cairn_friction_contact cairn_friction_contact(const double *w, double mu) {
  struct cairn_friction_contact c;
  const double trace = w[0] + w[4] + w[8];
  const double small = CAIRN_FRICTION_ROUND * trace;
  c.mu = mu;
  c.w_nn = w[0];
  c.inverse_n = 1. / w[0];
  c.inverse_t = 2. / (w[4] + w[8]);
  c.rho = 3. / trace;
  const double a01 = w[5] - w[3] * (w[2] * c.inverse_n), a10 = w[7] - w[6] * (w[1] * c.inverse_n);
  cairn_friction_turn(w[4] - w[3] * (w[1] * c.inverse_n), 0.5 * (a01 + a10), w[8] - w[6] * (w[2] * c.inverse_n), &c);
  c.k = 0.5 * (a01 - a10);
  c.w_nt[0] = c.cosine * w[1] + c.sine * w[2];
  c.w_nt[1] = c.cosine * w[2] - c.sine * w[1];
  c.w_tn[0] = c.cosine * w[3] + c.sine * w[6];
  c.w_tn[1] = c.cosine * w[6] - c.sine * w[3];
  c.diagonal = fabs(w[1]) <= small && fabs(w[2]) <= small && fabs(w[3]) <= small && fabs(w[6]) <= small &&
               fabs(w[5]) <= small && fabs(w[7]) <= small && fabs(w[4] - w[8]) <= small;
  return c;
}

/* r becomes the nearest point of K_mu. */
CAIRN_INLINE void cairn_friction_project(double mu, double *r) {
  double scale;
  r[0] = cairn_cone_project(mu, r[0], sqrt(r[1] * r[1] + r[2] * r[2]), &scale);
  r[1] *= scale;
  r[2] *= scale;
}

/* d = r - P_K(r - rho (u + mu |u_T| n)), zero exactly at a solution; returns |d|². */
CAIRN_INLINE double cairn_friction_natural_map(double mu, double rho, const double *r, const double *u, double *d) {
  double p[3];
  p[0] = r[0] - rho * (u[0] + mu * sqrt(u[1] * u[1] + u[2] * u[2]));
  p[1] = r[1] - rho * u[1];
  p[2] = r[2] - rho * u[2];
  cairn_friction_project(mu, p);
  d[0] = r[0] - p[0];
  d[1] = r[1] - p[1];
  d[2] = r[2] - p[2];
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* W = diag(w_n, w_t, w_t): r from the velocity u that the present r leaves, in closed form. Replaces r. */
CAIRN_INLINE enum cairn_friction_state cairn_friction_solve_diagonal(const struct cairn_friction_contact *c,
                                                                     const double *u, double *r) {
  const double s = r[0] - u[0] * c->inverse_n;
  if (!(s > 0.)) {
    r[0] = r[1] = r[2] = 0.;
    return CAIRN_FRICTION_OPEN;
  }
  const double x = r[1] - u[1] * c->inverse_t, y = r[2] - u[2] * c->inverse_t;
  const double t2 = x * x + y * y, limit = c->mu * s;
  const int slides = t2 > limit * limit;
  const double scale = slides ? limit / sqrt(t2) : 1.;
  r[0] = s;
  r[1] = scale * x;
  r[2] = scale * y;
  return slides ? CAIRN_FRICTION_SLIDE : CAIRN_FRICTION_STICK;
}

/* The impulse for which u_n = 0 and u_T = -lambda r_T, along the turned tangents: r_T = -(A + lambda)^-1 c. Returns
 * mu r_n / |r_T| - 1, negative outside the cone, and its derivative; -1 where A + lambda cannot be inverted. */
CAIRN_INLINE double cairn_friction_excess(const struct cairn_friction_contact *f, const double *c, double b_n,
                                          double lambda, double *r, double *slope) {
  const double d0 = f->a0 + lambda, d1 = f->a1 + lambda;
  const double determinant = d0 * d1 + f->k * f->k;
  *slope = r[0] = r[1] = r[2] = 0.;
  if (!(determinant > 0.))
    return -1.;
  const double inverse = 1. / determinant;
  const double x = (f->k * c[1] - d1 * c[0]) * inverse, y = -(f->k * c[0] + d0 * c[1]) * inverse;
  const double s = -(b_n + f->w_nt[0] * x + f->w_nt[1] * y) * f->inverse_n;
  const double t = sqrt(x * x + y * y);
  r[0] = s;
  r[1] = x;
  r[2] = y;
  if (!(t > 0.))
    return INFINITY;
  const double dx = (f->k * y - d1 * x) * inverse, dy = -(f->k * x + d0 * y) * inverse;
  const double ds = -(f->w_nt[0] * dx + f->w_nt[1] * dy) * f->inverse_n;
  *slope = f->mu * (ds - s * ((x / t) * (dx / t) + (y / t) * (dy / t))) / t;
  return f->mu * s / t - 1.;
}

/* The next lambda between `low` (outside the cone) and `high` (inside, or infinite): Newton's where it lies between,
 * otherwise the middle, geometric where the ends are of different size. */
CAIRN_INLINE double cairn_friction_next(double newton, double low, double high, double scale) {
  if (newton > low && newton < high)
    return newton;
  if (high == INFINITY)
    return 16. * (low > scale ? low : scale);
  if (low <= 0.)
    return high * (high > 1e-3 * scale ? 0.0625 : 1e-3);
  return high > 4. * low ? sqrt(low) * sqrt(high) : 0.5 * (low + high);
}

/* Sliding, or sticking with a singular A: r along the turned tangents from b_n and c = b_T - W_Tn b_n / w_nn. */
CAIRN_INLINE enum cairn_friction_state cairn_friction_slide(const struct cairn_friction_contact *f, const double *c,
                                                            double b_n, double *r) {
  enum { MOST = 300 };
  const double mean = 0.5 * (f->a0 + f->a1), push = -b_n * f->inverse_n;
  const double scale = mean > 0. ? mean : f->w_nn, weak = f->a0 < f->a1 ? f->a0 : f->a1;
  const double least = 1e-20 * (weak > 0. ? weak : scale); /* a slower slip than this is none */
  double low = 0., high = INFINITY;
  /* exact for an A that is a multiple of the identity, without coupling to the normal */
  double lambda = sqrt(c[0] * c[0] + c[1] * c[1]) / (f->mu * push) - mean;
  lambda = lambda > 0. && lambda < INFINITY ? lambda : 1e-3 * scale;
  for (int i = 0; i < MOST; i++) {
    double slope;
    const double excess = cairn_friction_excess(f, c, b_n, lambda, r, &slope);
    if (excess < 0.)
      low = lambda;
    else
      high = lambda;
    if (high < least)
      return CAIRN_FRICTION_STICK;
    const double next = cairn_friction_next(slope > 0. ? lambda - excess / slope : -1., low, high, scale);
    if (fabs(excess) <= 2e-16 || fabs(next - lambda) <= 2e-16 * lambda || high - low <= 4e-16 * low)
      break;
    lambda = next;
  }
  const double t = sqrt(r[1] * r[1] + r[2] * r[2]);
  if (!(r[0] > 0.) || !(t > 0.)) { /* only if W is not positive at all */
    r[0] = push;
    r[1] = r[2] = 0.;
  } else if (f->mu > 1.) { /* on the surface of the cone exactly, by the component that is known less well */
    r[0] = t / f->mu;
  } else {
    r[1] *= f->mu * r[0] / t;
    r[2] *= f->mu * r[0] / t;
  }
  return CAIRN_FRICTION_SLIDE;
}

/* Any 3 × 3 matrix with w_nn > 0 and a positive semi-definite symmetric part, up to rounding: the r for u = W r + b.
 * With u_n = 0 and u_T = -lambda r_T the impulse is a function of lambda >= 0 alone. lambda = 0 is sticking; as lambda
 * grows r tends to a purely normal push, which lies inside the cone; so either lambda = 0 is inside the cone or the
 * surface of the cone is crossed somewhere, and a bracketed search cannot miss it. */
CAIRN_INLINE enum cairn_friction_state cairn_friction_solve(const struct cairn_friction_contact *f, const double *b,
                                                            double *r) {
  double slope;
  if (!(b[0] < 0.)) {
    r[0] = r[1] = r[2] = 0.;
    return CAIRN_FRICTION_OPEN;
  }
  const double push = -b[0] * f->inverse_n;
  if (!(f->mu > 0.)) {
    r[0] = push;
    r[1] = r[2] = 0.;
    return CAIRN_FRICTION_SLIDE;
  }
  const double c[2] = {f->cosine * b[1] + f->sine * b[2] + f->w_tn[0] * push,
                       f->cosine * b[2] - f->sine * b[1] + f->w_tn[1] * push};
  enum cairn_friction_state state = CAIRN_FRICTION_STICK;
  if (!(cairn_friction_excess(f, c, b[0], 0., r, &slope) >= 0. && r[0] > 0.))
    state = cairn_friction_slide(f, c, b[0], r);
  const double x = r[1], y = r[2];
  r[1] = f->cosine * x - f->sine * y;
  r[2] = f->sine * x + f->cosine * y;
  return state;
}

#endif
