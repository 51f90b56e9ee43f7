#include "kernels/soft/soft_forces.h"

#include <string.h>

#include "kernels/common/vector.h"

CAIRN_INLINE void put(struct cairn_soft_forces *restrict t, int32_t k, const struct cairn_contact_pair *pair,
                      const struct cairn_contact_result *r) {
  t->nx[k] = pair->nx;
  t->ny[k] = pair->ny;
  t->nz[k] = pair->nz;
  t->fx[k] = -r->fx; /* that of the law acts on a */
  t->fy[k] = -r->fy;
  t->fz[k] = -r->fz;
  t->overlap[k] = pair->x;
  t->arm_a[k] = pair->l1;
  t->arm_b[k] = pair->l2;
}

CAIRN_INLINE void forces(int kind, const double *restrict laws, int uniform, int attracts, int32_t count,
                         struct cairn_soft_forces *restrict t) {
  double only[CAIRN_LAW_DOUBLES]; /* a copy that nothing in the loop can change */
  memcpy(only, laws, sizeof only);
  int32_t row[CAIRN_SOFT_FORCES];
  for (int32_t k = 0; k < count && !uniform; k++)
    row[k] = CAIRN_LAW_DOUBLES * t->law[k];
#pragma GCC ivdep
  for (int32_t k = 0; k < count; k++) {
    const double root_mass = sqrt(t->mass_a[k] * t->mass_b[k] / (t->mass_a[k] + t->mass_b[k]));
    const struct cairn_contact_pair pair =
        cairn_pairs_bodies(&t->a[0][k], &t->b[0][k], CAIRN_SOFT_FORCES, root_mass, CAIRN_ROLLING_NONE);
    double mine[CAIRN_LAW_DOUBLES]; /* gcc gathers numbers with an index from an array alone */
    for (int j = 0; j < CAIRN_LAW_DOUBLES && !uniform; j++)
      mine[j] = laws[row[k] + j];
    const double *constants = uniform ? only : mine;
    const struct cairn_contact_history before = {.sx = t->sx[k], .sy = t->sy[k], .sz = t->sz[k]};
    struct cairn_contact_result r = cairn_laws_contact(kind, constants, &pair, 0., &before, CAIRN_ROLLING_NONE);
    double cohesion = 0.;
    if (attracts) {
      const struct cairn_attraction attraction = cairn_laws_attraction(constants);
      const struct cairn_neck neck = cairn_laws_neck(constants);
      cairn_attraction_add(&attraction, &pair, 0., &r);
      cairn_neck_add(&neck, &pair, 1, 0., &r);
      cohesion = cairn_attraction_most(&attraction, pair.reduced_radius) + cairn_neck_most(&neck, pair.reduced_radius);
    }
    t->cohesion[k] = cohesion;
    put(t, k, &pair, &r);
  }
}

/* One clone set for each law: with one set of constants, with a table of them, and with attraction. */
#define FORCE_LOOP(law, name, uniform, attracts)                                                                       \
  CAIRN_CLONES static void law##_##name(const double *laws, int32_t count, struct cairn_soft_forces *t) {              \
    forces(CAIRN_LAW_##law, laws, uniform, attracts, count, t);                                                        \
  }
#define FORCE_LOOPS(law) FORCE_LOOP(law, uniform, 1, 0) FORCE_LOOP(law, table, 0, 0) FORCE_LOOP(law, attracts, 0, 1)
CAIRN_LAWS(FORCE_LOOPS)

#define FORCE_LOOP_ROW(law) [CAIRN_LAW_##law] = {law##_uniform, law##_table, law##_attracts},

void cairn_kernel_soft_forces(int kind, const double *laws, int uniform, int attracts, int32_t count,
                              struct cairn_soft_forces *t) {
  static void (*const loops[CAIRN_N_LAWS][3])(const double *, int32_t,
                                              struct cairn_soft_forces *) = {CAIRN_LAWS(FORCE_LOOP_ROW)};
  loops[kind][attracts ? 2 : uniform ? 0 : 1](laws, count, t);
}
