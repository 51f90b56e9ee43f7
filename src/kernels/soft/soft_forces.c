#include "kernels/soft/soft_forces.h"

#include <string.h>

#include "kernels/common/vector.h"

typedef double pair_vector __attribute__((vector_size(16), aligned(8)));
typedef double vector __attribute__((vector_size(32)));

/* The vectors of four bodies as four entries of three arrays: a quarter of the stores of one by one. */
CAIRN_INLINE void turn(const double *restrict vectors, const int32_t *restrict body, double *restrict x,
                       double *restrict y, double *restrict z) {
  const double *v0 = vectors + 3 * (int64_t)body[0], *v1 = vectors + 3 * (int64_t)body[1];
  const double *v2 = vectors + 3 * (int64_t)body[2], *v3 = vectors + 3 * (int64_t)body[3];
  const pair_vector r0 = *(const pair_vector *)v0, r1 = *(const pair_vector *)v1;
  const pair_vector r2 = *(const pair_vector *)v2, r3 = *(const pair_vector *)v3;
  const vector even = __builtin_shufflevector(r0, r2, 0, 1, 2, 3), odd = __builtin_shufflevector(r1, r3, 0, 1, 2, 3);
  *(vector *)x = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
  *(vector *)y = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
  *(vector *)z = (vector){v0[2], v1[2], v2[2], v3[2]};
}

CAIRN_INLINE void load_side(const struct cairn_soft_forces_bodies *s, const int32_t *body, int32_t count,
                            double (*restrict to)[CAIRN_SOFT_FORCES], double *restrict mass) {
  for (int32_t k = 0; k < count; k += 4) {
    int32_t four[4]; /* a last group of fewer is filled up with the last one */
    for (int32_t i = 0; i < 4; i++)
      four[i] = body[k + i < count ? k + i : count - 1];
    const double *r = s->radius, *m = s->mass;
    turn(s->position, four, &to[CAIRN_PREDICTED_X][k], &to[CAIRN_PREDICTED_X + 1][k], &to[CAIRN_PREDICTED_X + 2][k]);
    turn(s->velocity, four, &to[CAIRN_PREDICTED_V][k], &to[CAIRN_PREDICTED_V + 1][k], &to[CAIRN_PREDICTED_V + 2][k]);
    turn(s->spin, four, &to[CAIRN_PREDICTED_W][k], &to[CAIRN_PREDICTED_W + 1][k], &to[CAIRN_PREDICTED_W + 2][k]);
    *(vector *)&to[CAIRN_PREDICTED_R][k] = (vector){r[four[0]], r[four[1]], r[four[2]], r[four[3]]};
    *(vector *)&mass[k] = (vector){m[four[0]], m[four[1]], m[four[2]], m[four[3]]};
  }
}

CAIRN_CLONES void cairn_kernel_soft_forces_load(const struct cairn_soft_forces_bodies *bodies, const int32_t *a,
                                                const int32_t *b, int32_t count, struct cairn_soft_forces *forces) {
  load_side(bodies, a, count, forces->a, forces->mass_a);
  load_side(bodies, b, count, forces->b, forces->mass_b);
}

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
