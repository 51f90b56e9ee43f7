/* A contact of two soft spheres, or of one and a wall, whatever the law: geometry, tangential spring, Coulomb friction,
 * rolling and twisting friction, torques (Schwartz 2013, chapter 2; docs/physics.md). The law, one header of its own
 * (kernels/soft/laws.h), says how the contact responds to the overlap. Inline functions without side effects, used by
 * the CPU kernel, the OpenCL kernel, the brute-force reference and the tests. */
#ifndef CAIRN_KERNELS_SOFT_CONTACT_H
#define CAIRN_KERNELS_SOFT_CONTACT_H

#include "kernels/common/portable.h"

/* A touching pair; n points from body 1 to body 2. For a wall as body 2: v2, w2 are those of its surface, l2 = 0. */
struct cairn_contact_pair {
  double x;             /* overlap, m; may be slightly negative, see `weight` below */
  double nx, ny, nz;    /* unit normal */
  double vx, vy, vz;    /* v2 - v1, centre velocities */
  double w1x, w1y, w1z; /* rad/s */
  double w2x, w2y, w2z;
  double l1, l2;           /* lever arms, m (eqs. 2.9, 2.10) */
  double rc;               /* radius of the contact circle, m; only read with rolling or twisting friction */
  double inverse_distance; /* 1/m, of the two centres; 0 for a wall, whose normal does not turn with the body */
  double root_mass;        /* √μ, kg^½ */
  double reduced_radius;   /* m, R1 R2/(R1 + R2); of a wall, which counts as flat, R1 */
  double inverse_inertia1, inverse_inertia2; /* 1/(kg m²) */
};

/* Force and torque on body 1, torque on body 2 (whose force is the opposite), and the new state of the contact. */
struct cairn_contact_result {
  double fx, fy, fz;
  double t1x, t1y, t1z;
  double t2x, t2y, t2z;
  double sx, sy, sz; /* tangential spring S after this step */
  double qx, qy, qz; /* rolling spring φ after this step */
  double weight;     /* part of the step during which the bodies touch; 0: no contact */
  int slips;         /* is friction used up? */
};

/* What the contact remembers of the step before; zero for a new one. */
struct cairn_contact_history {
  double sx, sy, sz; /* m, tangential spring S */
  double qx, qy, qz; /* rad, rolling spring φ: rotation of body 2 relative to body 1 */
  double seconds;    /* how long the bodies have touched */
};

/* Rolling and twisting friction: none in any law of the run, by an elastic–plastic spring, or viscous near rest. */
enum cairn_rolling { CAIRN_ROLLING_NONE, CAIRN_ROLLING_SPRING, CAIRN_ROLLING_VISCOUS };

/* What a law answers to overlap and normal velocity. */
struct cairn_contact_response {
  double weight;   /* part of the step during which the bodies touch; 0: no contact */
  double normal;   /* N, force on body 1 along n: negative where the bodies push each other apart */
  double k_t;      /* N/m, stiffness of the tangential spring */
  double c_t;      /* kg/s, tangential damping */
  double slip;     /* m/N, b/k_t: the spring that survives a slip, per limiting force */
  double friction; /* μ_s */
  double rolling;  /* μ_r */
  double twisting; /* μ_t */
  double mature;   /* s, contacts older than this have viscous rolling and twisting friction */
};

/* The rolling spring is damped with this part of the critical damping, so that a body it holds comes to rest. */
#define CAIRN_CONTACT_ROLLING_DAMPING 0.3

/* Viscous rotational friction may at most take this part of the relative rotation away in one step: with up to eight
 * contacts on a body it then stops the rotation instead of making it oscillate. */
#define CAIRN_CONTACT_STOP 0.25

/* A rotation slower than this, in m/s or rad/s, is left alone: shrunk further it would end in denormal numbers, which
 * are slow. */
#define CAIRN_CONTACT_STILL 1e-60

/* Part of the interval of one kick, h around the step, during which the spheres touch, from overlap and normal speed.
 * Without it the damping, which jumps at first touch, is integrated to first order only: with it a head-on pair
 * rebounds with ε_n to second order in h (docs/decisions/0003). */
CAIRN_INLINE double cairn_contact_weight(double x, double un, double h) {
  const double a = fabs(un) * h;
  const double inside = (x + 0.5 * a) / (a > 0. ? a : 1.);
  return x >= 0.5 * a ? (x > 0. ? 1. : 0.) : (inside > 0. ? inside : 0.);
}

/* A vector carried along with the pair (after eq. 2.7): turned by the mean spin about n and with the change of n, that
 * is by the small vector δ = h ( n × v / |ρ| + ½ ((ω1 + ω2)·n) n ), to second order, S' = S + δ × (S + ½ δ × S); its
 * length changes by a part δ⁴ only. */
CAIRN_INLINE void cairn_contact_carry(const struct cairn_contact_pair *p, double h, double *sx, double *sy,
                                      double *sz) {
  const double x = *sx, y = *sy, z = *sz;
  const double k = h * p->inverse_distance;
  const double twist = 0.5 * h * ((p->w1x + p->w2x) * p->nx + (p->w1y + p->w2y) * p->ny + (p->w1z + p->w2z) * p->nz);
  const double dx = k * (p->ny * p->vz - p->nz * p->vy) + twist * p->nx;
  const double dy = k * (p->nz * p->vx - p->nx * p->vz) + twist * p->ny;
  const double dz = k * (p->nx * p->vy - p->ny * p->vx) + twist * p->nz;
  const double ax = x + 0.5 * (dy * z - dz * y), ay = y + 0.5 * (dz * x - dx * z), az = z + 0.5 * (dx * y - dy * x);
  *sx = x + (dy * az - dz * ay);
  *sy = y + (dz * ax - dx * az);
  *sz = z + (dx * ay - dy * ax);
}

/* The tangential spring: the same, laid into the new tangent plane. */
CAIRN_INLINE void cairn_contact_turn(const struct cairn_contact_pair *p, double h, double *sx, double *sy, double *sz) {
  cairn_contact_carry(p, h, sx, sy, sz);
  const double along = *sx * p->nx + *sy * p->ny + *sz * p->nz;
  *sx -= along * p->nx;
  *sy -= along * p->ny;
  *sz -= along * p->nz;
}

/* The rolling spring (docs/physics.md): φ grows with the spin of body 2 relative to body 1 and pulls with k_r φ, k_r =
 * k_t R², and a damping; the part across n rolls, up to the torque μ_r R |F_n|, the part along n twists, up to μ_t R
 * |F_n|. Beyond that φ stays behind, and the torque is that limit. Torque on body 1, its opposite on body 2; r->q is
 * the spring before the step and after it. */
CAIRN_INLINE void cairn_contact_roll(const struct cairn_contact_pair *p, const struct cairn_contact_response *c,
                                     double h, struct cairn_contact_result *r, double *mx, double *my, double *mz) {
  const double radius = p->reduced_radius, fn = fabs(c->normal), k = c->k_t * radius * radius;
  const double damping =
      c->weight * 2. * CAIRN_CONTACT_ROLLING_DAMPING * sqrt(k / (p->inverse_inertia1 + p->inverse_inertia2));
  const double wx = p->w2x - p->w1x, wy = p->w2y - p->w1y, wz = p->w2z - p->w1z;
  const double spin = wx * p->nx + wy * p->ny + wz * p->nz;
  const double vx = wx - spin * p->nx, vy = wy - spin * p->ny, vz = wz - spin * p->nz;
  cairn_contact_carry(p, h, &r->qx, &r->qy, &r->qz);
  r->qx += c->weight * h * wx;
  r->qy += c->weight * h * wy;
  r->qz += c->weight * h * wz;
  const double twisted = r->qx * p->nx + r->qy * p->ny + r->qz * p->nz;
  double qx = r->qx - twisted * p->nx, qy = r->qy - twisted * p->ny, qz = r->qz - twisted * p->nz;

  const double roll_limit = c->rolling * radius * fn, pull = k * sqrt(qx * qx + qy * qy + qz * qz);
  const int rolls = pull > roll_limit;
  const double keep = rolls ? roll_limit / (pull > 0. ? pull : 1.) : 1., drag = rolls ? 0. : damping;
  qx *= keep;
  qy *= keep;
  qz *= keep;
  const double ax = k * qx + drag * vx, ay = k * qy + drag * vy, az = k * qz + drag * vz;
  const double size2 = ax * ax + ay * ay + az * az, most2 = roll_limit * roll_limit;
  const double part = size2 > most2 ? roll_limit / sqrt(size2 > 0. ? size2 : 1.) : 1.;

  const double twist_limit = c->twisting * radius * fn, turn = k * twisted;
  const int twists = fabs(turn) > twist_limit;
  const double end = twisted < 0. ? -twist_limit : twist_limit;
  const double trial = turn + damping * spin;
  const double held = trial > twist_limit ? twist_limit : trial < -twist_limit ? -twist_limit : trial;
  const double twist = twists ? end : held, left = twists ? end / (k > 0. ? k : 1.) : twisted;

  r->qx = qx + left * p->nx;
  r->qy = qy + left * p->ny;
  r->qz = qz + left * p->nz;
  *mx = part * ax + twist * p->nx;
  *my = part * ay + twist * p->ny;
  *mz = part * az + twist * p->nz;
}

/* Viscous rolling and twisting friction (eqs. 2.20, 2.21) as a torque on body 1, its opposite on body 2. The lever arm
 * of rolling is the smaller of the two, so that the law does not depend on which body is called the first. */
CAIRN_INLINE void cairn_contact_rotation(const struct cairn_contact_pair *p, const struct cairn_contact_response *c,
                                         double fn, double h, double *mx, double *my, double *mz) {
  const double ax = p->l1 * p->w1x - p->l2 * p->w2x, ay = p->l1 * p->w1y - p->l2 * p->w2y,
               az = p->l1 * p->w1z - p->l2 * p->w2z;
  const double rx = ay * p->nz - az * p->ny, ry = az * p->nx - ax * p->nz, rz = ax * p->ny - ay * p->nx; /* v_rot */
  const double v = sqrt(rx * rx + ry * ry + rz * rz);
  const double lever = p->l2 > 0. && p->l2 < p->l1 ? p->l2 : p->l1;
  const double roll_stop = CAIRN_CONTACT_STOP * v / (h * (p->l1 * p->inverse_inertia1 + p->l2 * p->inverse_inertia2));
  const double roll_law = c->rolling * fn * lever;
  /* in this order a stop that is not a number, at h = 0, leaves the law alone */
  const double roll = (roll_stop < roll_law ? roll_stop : roll_law) / (v > CAIRN_CONTACT_STILL ? v : 1.);
  const double spin =
      (p->w2x - p->w1x) * p->nx + (p->w2y - p->w1y) * p->ny + (p->w2z - p->w1z) * p->nz; /* (ω2 - ω1)·n */
  const double twist_stop = CAIRN_CONTACT_STOP * fabs(spin) / (h * (p->inverse_inertia1 + p->inverse_inertia2));
  const double twist_law = c->twisting * fn * p->rc;
  const double size = twist_stop < twist_law ? twist_stop : twist_law;
  const double twist = fabs(spin) > CAIRN_CONTACT_STILL ? (spin < 0. ? -size : size) : 0.;
  *mx = roll * (ry * p->nz - rz * p->ny) + twist * p->nx;
  *my = roll * (rz * p->nx - rx * p->nz) + twist * p->ny;
  *mz = roll * (rx * p->ny - ry * p->nx) + twist * p->nz;
}

/* Tangential force (eqs. 2.17 to 2.19) from the trial spring r->s and the tangential velocity; S after slip goes back
 * into r->s, the force into r->f. */
CAIRN_INLINE void cairn_contact_friction(const struct cairn_contact_response *c, double limit, double ux, double uy,
                                         double uz, struct cairn_contact_result *r) {
  const double dx = c->c_t * ux, dy = c->c_t * uy, dz = c->c_t * uz;
  const double tx = c->k_t * r->sx + dx, ty = c->k_t * r->sy + dy, tz = c->k_t * r->sz + dz;
  const double trial2 = tx * tx + ty * ty + tz * tz, limit2 = limit * limit;
  const double s2 = r->sx * r->sx + r->sy * r->sy + r->sz * r->sz;
  const int slips = trial2 > limit2;
  r->slips = slips;
  /* the direction of slip is that of S; of the velocity where S vanishes */
  const double ex = s2 > 0. ? r->sx : ux, ey = s2 > 0. ? r->sy : uy, ez = s2 > 0. ? r->sz : uz;
  const double e2 = ex * ex + ey * ey + ez * ez;
  const double force = limit / sqrt(e2 > 0. ? e2 : 1.);
  const double keep = dx * dx + dy * dy + dz * dz > limit2 ? 0. : c->slip * force;
  r->fx = slips ? force * ex : tx;
  r->fy = slips ? force * ey : ty;
  r->fz = slips ? force * ez : tz;
  r->sx = slips ? keep * ex : r->sx;
  r->sy = slips ? keep * ey : r->sy;
  r->sz = slips ? keep * ez : r->sz;
}

/* Velocity of body 2 relative to body 1 at the point of contact: along n, and in the tangent plane.
 * u = v2 - v1 + n × (l1 ω1 + l2 ω2) (eq. 2.8 with the sign of ω1 derived anew, docs/physics.md) */
struct cairn_contact_velocity {
  double n, x, y, z;
};

CAIRN_INLINE struct cairn_contact_velocity cairn_contact_velocity(const struct cairn_contact_pair *p) {
  struct cairn_contact_velocity u;
  const double gx = p->l1 * p->w1x + p->l2 * p->w2x, gy = p->l1 * p->w1y + p->l2 * p->w2y,
               gz = p->l1 * p->w1z + p->l2 * p->w2z;
  u.n = p->vx * p->nx + p->vy * p->ny + p->vz * p->nz;
  u.x = p->vx - u.n * p->nx + (p->ny * gz - p->nz * gy);
  u.y = p->vy - u.n * p->ny + (p->nz * gx - p->nx * gz);
  u.z = p->vz - u.n * p->nz + (p->nx * gy - p->ny * gx);
  return u;
}

/* One contact over one step h, with the response `c` of its law. `rotation` is the kind of rolling and twisting
 * friction, enum cairn_rolling. */
CAIRN_INLINE struct cairn_contact_result cairn_contact_forces(const struct cairn_contact_pair *p,
                                                              const struct cairn_contact_velocity *u,
                                                              const struct cairn_contact_response *c, double h,
                                                              const struct cairn_contact_history *old, int rotation) {
  struct cairn_contact_result r;
  r.weight = c->weight;
  r.sx = old->sx;
  r.sy = old->sy;
  r.sz = old->sz;
  r.qx = old->qx;
  r.qy = old->qy;
  r.qz = old->qz;
  cairn_contact_turn(p, h, &r.sx, &r.sy, &r.sz);
  r.sx += c->weight * h * u->x;
  r.sy += c->weight * h * u->y;
  r.sz += c->weight * h * u->z;
  cairn_contact_friction(c, c->friction * fabs(c->normal), u->x, u->y, u->z, &r);

  const double cx = p->ny * r.fz - p->nz * r.fy, cy = p->nz * r.fx - p->nx * r.fz, cz = p->nx * r.fy - p->ny * r.fx;
  r.t1x = p->l1 * cx;
  r.t1y = p->l1 * cy;
  r.t1z = p->l1 * cz;
  r.t2x = p->l2 * cx;
  r.t2y = p->l2 * cy;
  r.t2z = p->l2 * cz;
  if (rotation) {
    double mx, my, mz;
    if (rotation == CAIRN_ROLLING_SPRING)
      cairn_contact_roll(p, c, h, &r, &mx, &my, &mz);
    else
      cairn_contact_rotation(p, c, old->seconds > c->mature ? fabs(c->normal) : 0., h, &mx, &my, &mz);
    r.t1x += mx;
    r.t1y += my;
    r.t1z += mz;
    r.t2x -= mx;
    r.t2y -= my;
    r.t2z -= mz;
  }
  r.fx += c->normal * p->nx;
  r.fy += c->normal * p->ny;
  r.fz += c->normal * p->nz;
  return r;
}

#endif
