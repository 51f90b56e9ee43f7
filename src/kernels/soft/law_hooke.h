/* The Hooke law: a linear spring and a dashpot along the normal, and the same along the tangent (Schwartz 2013,
 * chapter 2; docs/physics.md). */
#ifndef CAIRN_KERNELS_SOFT_LAW_HOOKE_H
#define CAIRN_KERNELS_SOFT_LAW_HOOKE_H

#include "kernels/soft/law.h"

#define CAIRN_LAW_DESCRIPTION_hooke "linear spring and dashpot"
#define CAIRN_LAW_ELASTIC_KEY_hooke "stiffness"
#define CAIRN_LAW_ELASTIC_POWER_hooke 1.

/* Its keys: KEY(law, name, flags, minimum, maximum, unit, default, description). */
#define CAIRN_LAW_MATERIAL_KEYS_hooke(KEY)
#define CAIRN_LAW_PAIR_KEYS_hooke(KEY)                                                                                 \
  KEY(hooke, stiffness, CAIRN_LAW_OR_AUTO | CAIRN_LAW_ABOVE, 0, INFINITY, "N/m", "auto",                               \
      "normal spring k_n; `auto` keeps overlaps near `overlap.limit` at the speeds and weights expected")              \
  KEY(hooke, tangential_stiffness, CAIRN_LAW_OR_AUTO | CAIRN_LAW_ABOVE, 0, INFINITY, "N/m", "auto",                    \
      "tangential spring k_t; `auto` is 2/7 of the stiffness")                                                         \
  KEY(hooke, restitution, 0, 0, 1, NULL, "0.5", "ε_n: speed after over speed before a head-on collision")              \
  KEY(hooke, tangential_restitution, CAIRN_LAW_OR_AUTO | CAIRN_LAW_ABOVE, 0, 1, NULL, "auto",                          \
      "soft spheres, ε_t*: sets the tangential damping as ε_n sets the normal one; `auto` is `restitution`, "        \
      "1 is no damping")

CAIRN_LAW_INDICES(hooke)

/* Constants of a pair of materials. C_n = c_n √μ and τ_overlap = tau √μ with the reduced mass μ of the pair. */
struct cairn_law_hooke {
  double k_n, k_t; /* N/m */
  double c_n, c_t; /* kg^½/s, damping per root of reduced mass (eq. 2.15) */
  double friction; /* μ_s */
  double slip;     /* b/k_t, m/N: the spring that survives a slip, per limiting force */
  double rolling;  /* μ_r */
  double twisting; /* μ_t */
  double tau;      /* s/kg^½ (eq. 2.38) */
};

CAIRN_INLINE struct cairn_contact_response
cairn_law_hooke_response(const struct cairn_law_hooke *c, const struct cairn_contact_pair *p, double un, double h) {
  struct cairn_contact_response r;
  r.weight = cairn_contact_weight(p->x, un, h);
  /* mean overlap over the part of the kick in contact */
  const double x = r.weight < 1. ? 0.5 * r.weight * r.weight * (fabs(un) * h) : p->x;
  r.normal = r.weight * c->c_n * p->root_mass * un - c->k_n * x; /* eq. 2.16 */
  r.k_t = c->k_t;
  r.c_t = r.weight * c->c_t * p->root_mass;
  r.slip = c->slip;
  r.friction = c->friction;
  r.rolling = c->rolling;
  r.twisting = c->twisting;
  r.mature = c->tau * p->root_mass;
  return r;
}

/* J, of a contact with the overlap x and the squares s2 and q2 of the tangential and the rolling spring. */
CAIRN_INLINE double cairn_law_hooke_energy(const struct cairn_law_hooke *c, double x, double s2, double q2,
                                           double radius) {
  return 0.5 * c->k_n * x * x + 0.5 * c->k_t * (s2 + radius * radius * q2);
}

#ifndef __OPENCL_VERSION__

/* Damping per root of stiffness and reduced mass: C = d √(k μ) (eq. 2.15). */
static inline double cairn_law_hooke_damping(double restitution) {
  const double pi = 3.14159265358979323846, l = log(restitution);
  return -2. * l / sqrt(pi * pi + l * l);
}

/* The springs where they are `auto`; `stiffness` is the one recommended for the scenario. */
static inline void cairn_law_hooke_resolve(double *pair, double stiffness) {
  if (pair[CAIRN_LAW_hooke_stiffness] == 0.)
    pair[CAIRN_LAW_hooke_stiffness] = stiffness;
  if (pair[CAIRN_LAW_hooke_tangential_stiffness] == 0.)
    pair[CAIRN_LAW_hooke_tangential_stiffness] = 2. / 7. * pair[CAIRN_LAW_hooke_stiffness];
  if (pair[CAIRN_LAW_hooke_tangential_restitution] == 0.)
    pair[CAIRN_LAW_hooke_tangential_restitution] = pair[CAIRN_LAW_hooke_restitution];
}

static inline struct cairn_law_hooke cairn_law_hooke_constants(const double *a, const double *b, const double *pair,
                                                               const struct cairn_law_friction *friction) {
  const double pi = 3.14159265358979323846;
  const double k_n = pair[CAIRN_LAW_hooke_stiffness], k_t = pair[CAIRN_LAW_hooke_tangential_stiffness];
  const double normal = cairn_law_hooke_damping(pair[CAIRN_LAW_hooke_restitution]), xi = 0.5 * normal; /* α_n / ω_0 */
  (void)a;
  (void)b;
  return (struct cairn_law_hooke){
      .k_n = k_n,
      .k_t = k_t,
      .c_n = normal * sqrt(k_n),
      .c_t = cairn_law_hooke_damping(pair[CAIRN_LAW_hooke_tangential_restitution]) * sqrt(k_t),
      .friction = friction->friction,
      .slip = friction->slip / k_t,
      .rolling = friction->rolling,
      .twisting = friction->twisting,
      .tau = pi / sqrt(k_n * (1. - xi * xi)),
  };
}

/* s, of a head-on collision of a pair with this reduced mass and radius (eq. 2.38); its speed does not matter. */
static inline double cairn_law_hooke_duration(const struct cairn_law_hooke *c, double mass, double radius,
                                              double speed) {
  (void)radius;
  (void)speed;
  return c->tau * sqrt(mass);
}

static inline double cairn_law_hooke_stable(const struct cairn_law_hooke *c, double mass, double radius, double speed,
                                            double q) {
  const double root = sqrt(mass);
  (void)radius;
  (void)speed;
  return cairn_law_stable(c->k_n, root * c->c_n, c->k_t, root * c->c_t, c->friction > 0.,
                          c->rolling > 0. || c->twisting > 0., mass, q);
}

/* Steps of a recommended length in it (eq. 2.39). */
enum { CAIRN_LAW_STEPS_hooke = 50 };

#endif
#endif
