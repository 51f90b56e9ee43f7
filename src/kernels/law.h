/* What the header of a contact law builds on; kernels/laws.h says what it holds. */
#ifndef CAIRN_KERNELS_LAW_H
#define CAIRN_KERNELS_LAW_H

#include "kernels/contact.h"

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

#endif
