/* What the header of a contact law builds on; kernels/soft/laws.h says what it holds. */
#ifndef CAIRN_KERNELS_SOFT_LAW_H
#define CAIRN_KERNELS_SOFT_LAW_H

#include "kernels/soft/contact.h"

/* Flags of a key in the scenario. */
enum { CAIRN_LAW_REQUIRED = 1, CAIRN_LAW_OR_AUTO = 2, CAIRN_LAW_ABOVE = 4 /* the minimum itself is not allowed */ };

/* Most keys a law has for a material, or for an interaction. */
enum { CAIRN_LAW_KEYS = 8 };

/* What every law asks of an interaction. */
struct cairn_law_friction {
  double friction, slip, rolling, twisting; /* μ_s, b, μ_r, μ_t */
};

/* The place of each key among the values of a material or an interaction: CAIRN_LAW_hooke_stiffness. */
#define CAIRN_LAW_INDEX(law, key, flags, minimum, maximum, unit, fallback, description) CAIRN_LAW_##law##_##key,
#define CAIRN_LAW_INDICES(law)                                                                                         \
  enum { CAIRN_LAW_MATERIAL_KEYS_##law(CAIRN_LAW_INDEX) CAIRN_LAW_##law##_N_MATERIAL_KEYS };                           \
  enum { CAIRN_LAW_PAIR_KEYS_##law(CAIRN_LAW_INDEX) CAIRN_LAW_##law##_N_PAIR_KEYS };

#ifndef __OPENCL_VERSION__

/* s, the longest step with which the leapfrog damps the vibrations of a lasting contact (docs/physics.md, "Stability"):
 * k h² + 4 c h = 4 μ/q along the normal; with friction k h² + 2 c h = 2 μ/q across it, where a sphere's surface has 7/2
 * of k_t and c_t. A rolling spring k_t r² adds to the rotation: a sphere on a plane that can neither slide nor roll
 * has k_t/m times the larger root of λ² - 6 λ + 5/2, and one without friction 5/2 k_t/m. `mass` is the reduced mass μ,
 * q the square of the fastest frequency over that of a pair alone. */
static inline double cairn_law_stable(double k_n, double c_n, double k_t, double c_t, int rough, int rolls, double mass,
                                      double q) {
  const double share = rough ? (rolls ? 3. + sqrt(6.5) : 3.5) : rolls ? 2.5 : 0.;
  const double roll = rolls ? 2. * CAIRN_CONTACT_ROLLING_DAMPING * sqrt(2.5 * k_t * mass) : 0.;
  const double k = share * k_t, c = (rough ? 3.5 * c_t : 0.) + roll, m = mass / q;
  const double normal = k_n > 0. ? 2. * (sqrt(c_n * c_n + k_n * m) - c_n) / k_n : INFINITY;
  const double across = k > 0. ? (sqrt(c * c + 2. * k * m) - c) / k : INFINITY;
  return fmin(normal, across);
}

#endif
#endif
