/* Every contact law of soft spheres: one header each, included here and named in the list. A law NAME is
 *   CAIRN_LAW_DESCRIPTION_NAME     what `law: NAME` means
 *   CAIRN_LAW_MATERIAL_KEYS_NAME   what it asks of a material in the scenario
 *   CAIRN_LAW_PAIR_KEYS_NAME       and of an interaction
 *   CAIRN_LAW_ELASTIC_KEY_NAME     the key that makes contacts stiffer
 *   CAIRN_LAW_ELASTIC_POWER_NAME   of the overlap in the elastic force
 *   struct cairn_law_NAME          constants of a pair of materials: doubles only
 *   cairn_law_NAME_response        how a contact answers to overlap and velocity (kernels/soft/contact.h)
 *   cairn_law_NAME_energy          what the contact stores
 *   cairn_law_NAME_resolve         the values that the scenario leaves to the program
 *   cairn_law_NAME_constants       the constants from the values of the keys
 *   cairn_law_NAME_duration        of a collision
 *   cairn_law_NAME_stable          the longest step with which a contact does not gain energy (cairn_law_stable)
 *   CAIRN_LAW_STEPS_NAME           steps of a recommended length in a collision */
#ifndef CAIRN_KERNELS_SOFT_LAWS_H
#define CAIRN_KERNELS_SOFT_LAWS_H

#include "kernels/common/blocks.h"
#include "kernels/soft/attraction.h"
#include "kernels/soft/law_hertz.h"
#include "kernels/soft/law_hooke.h"
#include "kernels/soft/neck.h"

#define CAIRN_LAWS(LAW) LAW(hooke) LAW(hertz)

#define CAIRN_LAWS_KIND(law) CAIRN_LAW_##law,
enum cairn_law_kind { CAIRN_LAWS(CAIRN_LAWS_KIND) CAIRN_N_LAWS };

/* The constants of law number `index` in the world's table of them. */
CAIRN_INLINE CAIRN_GLOBAL const double *cairn_laws_constants(CAIRN_GLOBAL const double *table, cairn_int index) {
  return table + CAIRN_LAW_DOUBLES * index;
}

/* Do soft spheres attract each other, in any of the laws of the world? */
CAIRN_INLINE int cairn_laws_attract(CAIRN_GLOBAL const double *world) { return world[CAIRN_WORLD_RANGE] >= 0.; }

/* The attraction that goes with these constants. */
CAIRN_INLINE struct cairn_attraction cairn_laws_attraction(CAIRN_GLOBAL const double *constants) {
  return *(CAIRN_GLOBAL const struct cairn_attraction *)(constants + CAIRN_LAW_ATTRACTION);
}

/* Are there necks between soft spheres, in any of the laws of the world? */
CAIRN_INLINE int cairn_laws_necks(CAIRN_GLOBAL const double *world) { return world[CAIRN_WORLD_NECKS] != 0.; }

/* The neck that goes with these constants. */
CAIRN_INLINE struct cairn_neck cairn_laws_neck(CAIRN_GLOBAL const double *constants) {
  return *(CAIRN_GLOBAL const struct cairn_neck *)(constants + CAIRN_LAW_NECK);
}

/* One contact over one step (cairn_contact_forces). Where `kind` is a constant of the compiler, nothing but its law is
 * left of this. */
#define CAIRN_LAWS_RESPONSE(law)                                                                                       \
  case CAIRN_LAW_##law: {                                                                                              \
    const struct cairn_law_##law c = *(CAIRN_GLOBAL const struct cairn_law_##law *)constants;                          \
    response = cairn_law_##law##_response(&c, p, u.n, h);                                                              \
    break;                                                                                                             \
  }
CAIRN_INLINE struct cairn_contact_result cairn_laws_contact(int kind, CAIRN_GLOBAL const double *constants,
                                                            const struct cairn_contact_pair *p, double h,
                                                            const struct cairn_contact_history *old, int rotation) {
  const struct cairn_contact_velocity u = cairn_contact_velocity(p);
  struct cairn_contact_response response = {0., 0., 0., 0., 0., 0., 0., 0., 0.};
  switch (kind) { CAIRN_LAWS(CAIRN_LAWS_RESPONSE) }
  return cairn_contact_forces(p, &u, &response, h, old, rotation);
}

#ifndef __OPENCL_VERSION__

/* A key of the scenario that belongs to a law. */
struct cairn_law_key {
  const char *name, *unit, *fallback;
  unsigned flags;
};

/* A law as the rest of the program sees it; constants are CAIRN_LAW_DOUBLES doubles. */
struct cairn_law {
  const char *name, *description;
  int n_material_keys, n_pair_keys;
  const struct cairn_law_key *material_keys, *pair_keys;
  const char *elastic_key; /* makes contacts stiffer */
  double elastic_power;    /* of the overlap in the elastic force */
  int steps;               /* of a recommended length, in a collision */
  void (*resolve)(double *pair, double stiffness);
  void (*constants)(const double *a, const double *b, const double *pair, const struct cairn_law_friction *friction,
                    double *constants);
  double (*duration)(const double *constants, double mass, double radius, double speed);
  double (*stable)(const double *constants, double mass, double radius, double speed, double q);
  double (*energy)(const double *constants, double overlap, double spring2, double turn2, double radius);
};

/* All of them, in the order of enum cairn_law_kind. */
extern const struct cairn_law cairn_laws_table[CAIRN_N_LAWS];

#endif
#endif
