/* Rigid spheres in contact: Signorini's condition and Coulomb's law, one contact at a time (Brendel et al. 2004,
 * sections 1.2 and 1.3; Sánchez et al. 2021, section 2). One inline function per visit, used by sweeps on the CPU and
 * on devices and by the tests.
 *
 * A body velocity is eight numbers: velocity, inverse mass, surface spin σ = r ω, inverse radius. With σ instead of ω
 * the relative velocity at a contact of two spheres, u = v_b - v_a + n × (σ_a + σ_b), and the change by an impulse p on
 * b, Δσ = -(5/2) n × p / m on both, need no radius. */
#ifndef CAIRN_KERNELS_CONTACT_DYNAMICS_CD_H
#define CAIRN_KERNELS_CONTACT_DYNAMICS_CD_H

#include "kernels/contact_dynamics/cone.h"

enum { CAIRN_CD_V = 0, CAIRN_CD_IM = 3, CAIRN_CD_S = 4, CAIRN_CD_IR = 7, CAIRN_CD = 8 };

/* Inertia of a homogeneous sphere: m r² / I. */
#define CAIRN_CD_GYRATION 2.5

/* The local operator of two spheres is diagonal: w along n, 7/2 w across, w = 1/m_a + 1/m_b. */
#define CAIRN_CD_ACROSS 3.5

/* A contact; n points from body a to body b. */
struct cairn_cd_contact {
  double n[3];
  double p[3]; /* N s, impulse on b, in world coordinates */
  double c[3]; /* m/s: the law acts on u + c. Gap over step, restitution, the velocity of walls and captured bodies */
  double inverse;  /* kg, 1/w */
  double friction; /* μ */
  double cohesion; /* N s: the normal impulse may be as low as minus this */
  cairn_int a, b;  /* indices of the body velocities */
  cairn_int pair;  /* its index in the cell's pair list */
  cairn_int law;
};

/* Rolling and twisting friction at a contact: |M_t| ≤ roll P, |M_n| ≤ twist P with the normal impulse P counted from
 * the cohesion (Brendel et al. 2004, section 1.2.6). */
struct cairn_cd_rotation {
  double m[3];        /* N m s, torque impulse on b */
  double w[3];        /* rad/s: the law acts on ω_b - ω_a + w, the spin of walls and captured bodies */
  double inverse;     /* kg m², 1/(1/I_a + 1/I_b) */
  double roll, twist; /* m */
};

/* Relative velocity of b at the contact. */
CAIRN_INLINE void cairn_cd_velocity(const double *a, const double *b, const double *n, double u[3]) {
  const double sx = a[CAIRN_CD_S] + b[CAIRN_CD_S], sy = a[CAIRN_CD_S + 1] + b[CAIRN_CD_S + 1],
               sz = a[CAIRN_CD_S + 2] + b[CAIRN_CD_S + 2];
  u[0] = b[0] - a[0] + (n[1] * sz - n[2] * sy);
  u[1] = b[1] - a[1] + (n[2] * sx - n[0] * sz);
  u[2] = b[2] - a[2] + (n[0] * sy - n[1] * sx);
}

/* Change both bodies by the impulse p. */
CAIRN_INLINE void cairn_cd_apply_impulse(double *a, double *b, const double *n, const double p[3]) {
  const double ia = a[CAIRN_CD_IM], ib = b[CAIRN_CD_IM];
  const double ka = CAIRN_CD_GYRATION * ia, kb = CAIRN_CD_GYRATION * ib;
  const double q[3] = {n[1] * p[2] - n[2] * p[1], n[2] * p[0] - n[0] * p[2], n[0] * p[1] - n[1] * p[0]};
  for (cairn_int k = 0; k < 3; k++) {
    a[k] -= ia * p[k];
    b[k] += ib * p[k];
    a[CAIRN_CD_S + k] -= ka * q[k];
    b[CAIRN_CD_S + k] -= kb * q[k];
  }
}

/* The impulse that solves the contact alone, given u + c at its present impulse: exact, because the operator is
 * diagonal and isotropic in the tangential plane. */
CAIRN_INLINE void cairn_cd_solve(const struct cairn_cd_contact *k, const double u[3], double p[3]) {
  const double un = u[0] * k->n[0] + u[1] * k->n[1] + u[2] * k->n[2];
  const double old = k->p[0] * k->n[0] + k->p[1] * k->n[1] + k->p[2] * k->n[2];
  const double pressed = old + k->cohesion - k->inverse * un;
  const double grip = pressed > 0. ? pressed : 0.; /* normal impulse, counted from the cohesion */
  const double across = k->inverse / CAIRN_CD_ACROSS;
  double t[3], t2 = 0.;
  for (cairn_int i = 0; i < 3; i++) {
    t[i] = (k->p[i] - old * k->n[i]) - across * (u[i] - un * k->n[i]);
    t2 += t[i] * t[i];
  }
  const double limit = k->friction * grip;
  const double scale = t2 > limit * limit ? limit / sqrt(t2) : 1.;
  for (cairn_int i = 0; i < 3; i++)
    p[i] = (grip - k->cohesion) * k->n[i] + scale * t[i];
}

/* The torque impulse that solves rolling and twisting of the contact alone, given its normal impulse. */
CAIRN_INLINE void cairn_cd_solve_rotation(const double *a, const double *b, const double *n, double grip,
                                          const struct cairn_cd_rotation *t, double m[3]) {
  const double ra = a[CAIRN_CD_IR], rb = b[CAIRN_CD_IR], twist = t->twist * grip, roll = t->roll * grip;
  double along = 0., across2 = 0.;
  for (cairn_int k = 0; k < 3; k++) {
    m[k] = t->m[k] - t->inverse * (b[CAIRN_CD_S + k] * rb - a[CAIRN_CD_S + k] * ra + t->w[k]);
    along += m[k] * n[k];
  }
  const double kept = along > twist ? twist : along < -twist ? -twist : along;
  for (cairn_int k = 0; k < 3; k++) {
    m[k] -= along * n[k];
    across2 += m[k] * m[k];
  }
  const double scale = across2 > roll * roll ? roll / sqrt(across2) : 1.;
  for (cairn_int k = 0; k < 3; k++)
    m[k] = kept * n[k] + scale * m[k];
}

/* Change both bodies by the torque impulse m. */
CAIRN_INLINE void cairn_cd_apply_torque(double *a, double *b, const double m[3]) {
  const double ka = CAIRN_CD_GYRATION * a[CAIRN_CD_IM] * a[CAIRN_CD_IR];
  const double kb = CAIRN_CD_GYRATION * b[CAIRN_CD_IM] * b[CAIRN_CD_IR];
  for (cairn_int k = 0; k < 3; k++) {
    a[CAIRN_CD_S + k] -= ka * m[k];
    b[CAIRN_CD_S + k] += kb * m[k];
  }
}

/* Normal impulse of a contact, counted from its cohesion. */
CAIRN_INLINE double cairn_cd_normal_impulse(const struct cairn_cd_contact *k) {
  return k->p[0] * k->n[0] + k->p[1] * k->n[1] + k->p[2] * k->n[2] + k->cohesion;
}

/* The natural map of the contact, r - P_K(r - ρ (u + μ |u_t| n)) with ρ = 3 / trace W; its square over ρ (Acary et al.
 * 2018, scaled as in docs/physics.md). Zero exactly at a solution. */
CAIRN_INLINE double cairn_cd_residual(const struct cairn_cd_contact *k, const double u[3]) {
  const double rho = 3. / (1. + 2. * CAIRN_CD_ACROSS) * k->inverse, mu = k->friction;
  const double un = u[0] * k->n[0] + u[1] * k->n[1] + u[2] * k->n[2];
  const double pn = k->p[0] * k->n[0] + k->p[1] * k->n[1] + k->p[2] * k->n[2];
  double pt[3], zt[3], ut2 = 0., zt2 = 0.;
  for (cairn_int i = 0; i < 3; i++) {
    const double ut = u[i] - un * k->n[i];
    ut2 += ut * ut;
    pt[i] = k->p[i] - pn * k->n[i];
    zt[i] = pt[i] - rho * ut;
    zt2 += zt[i] * zt[i];
  }
  const double rn = pn + k->cohesion, zn = rn - rho * (un + mu * sqrt(ut2)), across = sqrt(zt2);
  double part;
  const double xn = cairn_cone_project(mu, zn, across, &part);
  double square = (rn - xn) * (rn - xn);
  for (cairn_int i = 0; i < 3; i++) {
    const double d = pt[i] - part * zt[i];
    square += d * d;
  }
  return square / rho;
}

#endif
