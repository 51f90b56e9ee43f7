#include "kernels/soft/laws.h"

#include <stddef.h>
#include <string.h>

#define KEY(law, key, flags_, minimum, maximum, unit_, fallback_, description)                                         \
  {.name = #key, .unit = unit_, .fallback = fallback_, .flags = (flags_)},

/* What the table needs of a law, on plain doubles; the lists of keys end with a name NULL. */
#define FUNCTIONS(law)                                                                                                 \
  _Static_assert((int)CAIRN_LAW_##law##_N_MATERIAL_KEYS <= (int)CAIRN_LAW_KEYS, "room for the keys of a material");    \
  _Static_assert((int)CAIRN_LAW_##law##_N_PAIR_KEYS <= (int)CAIRN_LAW_KEYS, "room for the keys of an interaction");    \
  static const struct cairn_law_key law##_material_keys[] = {CAIRN_LAW_MATERIAL_KEYS_##law(KEY){.name = NULL}};        \
  static const struct cairn_law_key law##_pair_keys[] = {CAIRN_LAW_PAIR_KEYS_##law(KEY){.name = NULL}};                \
  static void law##_constants(const double *a, const double *b, const double *pair,                                    \
                              const struct cairn_law_friction *friction, double *constants) {                          \
    const struct cairn_law_##law this = cairn_law_##law##_constants(a, b, pair, friction);                             \
    _Static_assert(sizeof this <= CAIRN_LAW_ATTRACTION * sizeof(double), "room for the constants of the law");         \
    memset(constants, 0, CAIRN_LAW_DOUBLES * sizeof *constants);                                                       \
    memcpy(constants, &this, sizeof this);                                                                             \
  }                                                                                                                    \
  static double law##_duration(const double *constants, double mass, double radius, double speed) {                    \
    struct cairn_law_##law this;                                                                                       \
    memcpy(&this, constants, sizeof this);                                                                             \
    return cairn_law_##law##_duration(&this, mass, radius, speed);                                                     \
  }                                                                                                                    \
  static double law##_stable(const double *constants, double mass, double radius, double speed, double q) {            \
    struct cairn_law_##law this;                                                                                       \
    memcpy(&this, constants, sizeof this);                                                                             \
    return cairn_law_##law##_stable(&this, mass, radius, speed, q);                                                    \
  }                                                                                                                    \
  static double law##_energy(const double *constants, double overlap, double spring2, double turn2, double radius) {   \
    struct cairn_law_##law this;                                                                                       \
    memcpy(&this, constants, sizeof this);                                                                             \
    return cairn_law_##law##_energy(&this, overlap, spring2, turn2, radius);                                           \
  }

CAIRN_LAWS(FUNCTIONS)

#define ROW(law)                                                                                                       \
  {.name = #law,                                                                                                       \
   .description = CAIRN_LAW_DESCRIPTION_##law,                                                                         \
   .n_material_keys = CAIRN_LAW_##law##_N_MATERIAL_KEYS,                                                               \
   .n_pair_keys = CAIRN_LAW_##law##_N_PAIR_KEYS,                                                                       \
   .material_keys = law##_material_keys,                                                                               \
   .pair_keys = law##_pair_keys,                                                                                       \
   .elastic_key = CAIRN_LAW_ELASTIC_KEY_##law,                                                                         \
   .elastic_power = CAIRN_LAW_ELASTIC_POWER_##law,                                                                     \
   .steps = CAIRN_LAW_STEPS_##law,                                                                                     \
   .resolve = cairn_law_##law##_resolve,                                                                               \
   .constants = law##_constants,                                                                                       \
   .duration = law##_duration,                                                                                         \
   .stable = law##_stable,                                                                                             \
   .energy = law##_energy},

const struct cairn_law cairn_laws_table[CAIRN_N_LAWS] = {CAIRN_LAWS(ROW)};
