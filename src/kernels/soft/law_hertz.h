/* The viscoelastic Hertz law (Tancredi et al. 2012, eq. 7; docs/physics.md): the force of two elastic spheres that are
 * flattened at their contact, and a viscous part that vanishes with the contact. The tangential spring is a part κ of
 * the slope dF_n/dψ of the elastic force. Walls count as flat. */
#ifndef CAIRN_KERNELS_SOFT_LAW_HERTZ_H
#define CAIRN_KERNELS_SOFT_LAW_HERTZ_H

#include "kernels/soft/law.h"

#define CAIRN_LAW_DESCRIPTION_hertz "elastic spheres flattened at their contact, with viscous losses"
#define CAIRN_LAW_ELASTIC_KEY_hertz "young_modulus"
#define CAIRN_LAW_ELASTIC_POWER_hertz 1.5

/* Its keys: KEY(law, name, flags, minimum, maximum, unit, default, description). */
#define CAIRN_LAW_MATERIAL_KEYS_hertz(KEY)                                                                             \
  KEY(hertz, young_modulus, CAIRN_LAW_REQUIRED | CAIRN_LAW_ABOVE, 0, INFINITY, "Pa", NULL,                             \
      "Hertz law, Young's modulus Y")                                                                                  \
  KEY(hertz, poisson_ratio, 0, 0, 0.5, NULL, "0.3", "Hertz law, Poisson's ratio ν")
#define CAIRN_LAW_PAIR_KEYS_hertz(KEY)                                                                                 \
  KEY(hertz, viscous_time, 0, 0, INFINITY, "s", "0",                                                                   \
      "Hertz law, A: viscous over elastic force is A times the rate of the overlap over the overlap; 0 loses nothing") \
  KEY(hertz, shear_ratio, 0, 0, INFINITY, NULL, "0.4",                                                                 \
      "Hertz law, κ: stiffness of the tangential spring over the normal one")

CAIRN_LAW_INDICES(hertz)

/* Constants of a pair of materials. */
struct cairn_law_hertz {
  double k;        /* Pa, 4/3 of the effective modulus: F_n = k √(R ψ) (ψ + A dψ/dt) */
  double viscous;  /* A, s */
  double shear;    /* κ */
  double friction; /* μ_s */
  double slip;     /* b */
  double rolling;  /* μ_r */
  double twisting; /* μ_t */
};

CAIRN_INLINE struct cairn_contact_response
cairn_law_hertz_response(const struct cairn_law_hertz *c, const struct cairn_contact_pair *p, double un, double h) {
  struct cairn_contact_response r;
  const double overlap = p->x > 0. ? p->x : 0.;
  const double slope = c->k * sqrt(p->reduced_radius * overlap);
  const double force = slope * (overlap - c->viscous * un); /* dψ/dt = -u_n */
  (void)h;
  /* No pull: where the bodies part faster than the spheres recover, they have parted already. */
  r.normal = force > 0. ? -force : 0.;
  r.weight = p->x > 0. ? 1. : 0.;
  r.k_t = 1.5 * c->shear * slope;
  r.c_t = 0.;
  r.slip = r.k_t > 0. ? c->slip / r.k_t : 0.;
  r.friction = c->friction;
  r.rolling = c->rolling;
  r.twisting = c->twisting;
  r.mature = 0.;
  return r;
}

/* J, of a contact with the overlap x and the squares s2 and q2 of the tangential and the rolling spring. */
CAIRN_INLINE double cairn_law_hertz_energy(const struct cairn_law_hertz *c, double x, double s2, double q2,
                                           double radius) {
  const double slope = c->k * sqrt(radius * x);
  return 0.4 * slope * x * x + 0.75 * c->shear * slope * (s2 + radius * radius * q2);
}

#ifndef __OPENCL_VERSION__

static inline void cairn_law_hertz_resolve(double *pair, double stiffness) {
  (void)pair;
  (void)stiffness;
}

/* Of unlike materials the compliances add up (Hertz 1882); of like ones k is 2Y/(3(1 - ν²)), as in the source. */
static inline struct cairn_law_hertz cairn_law_hertz_constants(const double *a, const double *b, const double *pair,
                                                               const struct cairn_law_friction *friction) {
  const double *material[2] = {a, b};
  double compliance = 0.;
  for (int i = 0; i < 2; i++) {
    const double poisson = material[i][CAIRN_LAW_hertz_poisson_ratio];
    compliance += (1. - poisson * poisson) / material[i][CAIRN_LAW_hertz_young_modulus];
  }
  return (struct cairn_law_hertz){.k = 4. / 3. / compliance,
                                  .viscous = pair[CAIRN_LAW_hertz_viscous_time],
                                  .shear = pair[CAIRN_LAW_hertz_shear_ratio],
                                  .friction = friction->friction,
                                  .slip = friction->slip,
                                  .rolling = friction->rolling,
                                  .twisting = friction->twisting};
}

/* s, of an elastic head-on collision of a pair with this reduced mass and radius: 2.943 times the time to the deepest
 * overlap at full speed. For equal spheres 5.84 (ρ (1 - ν²)/Y)^0.4 r v^-0.2, as in the source. */
static inline double cairn_law_hertz_duration(const struct cairn_law_hertz *c, double mass, double radius,
                                              double speed) {
  return speed > 0. ? 2.943275 * pow(1.25 * mass / (c->k * sqrt(radius)), 0.4) * pow(speed, -0.2) : INFINITY;
}

/* At the deepest overlap of such a collision, where the contact is stiffest: 1/2 μ v² = 2/5 k √R ψ^5/2. */
static inline double cairn_law_hertz_stable(const struct cairn_law_hertz *c, double mass, double radius, double speed,
                                            double q) {
  const double deepest = pow(1.25 * mass * speed * speed / (c->k * sqrt(radius)), 0.4);
  const double slope = c->k * sqrt(radius * deepest);
  return cairn_law_stable(1.5 * slope, c->viscous * slope, 1.5 * c->shear * slope, 0., c->friction > 0.,
                          c->rolling > 0. || c->twisting > 0., mass, q);
}

/* Steps of a recommended length in it. */
enum { CAIRN_LAW_STEPS_hertz = 30 };

#endif
#endif
