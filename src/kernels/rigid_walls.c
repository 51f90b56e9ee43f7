#include "kernels/rigid_walls.h"

#include <string.h>

#include "kernels/fates.h"

static void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static const double *wall_of(const struct cairn_soft_spheres *b, int32_t pair) {
  return cairn_walls_of(b->world, b->n_laws) + (int64_t)CAIRN_WALL * b->b[pair];
}

void cairn_rigid_inherit(const struct cairn_soft_spheres *b, int32_t pair, const struct cairn_nearest *touch,
                         int32_t n) {
  struct cairn_wall_memory old[CAIRN_WALL_TOUCHES];
  int32_t heir[CAIRN_WALL_TOUCHES] = {0};
  for (int32_t j = 0; j < CAIRN_WALL_TOUCHES; j++) {
    const int32_t k = pair + j;
    const double *normal = b->normal + 3 * (int64_t)(k - b->size.n_pairs);
    old[j] = (struct cairn_wall_memory){{b->sx[k], b->sy[k], b->sz[k]}, {normal[0], normal[1], normal[2]}, b->age[k]};
  }
  cairn_walls_heirs(old, touch, n, heir);
  for (int32_t j = 0; j < CAIRN_WALL_TOUCHES; j++) {
    const struct cairn_wall_memory *from = j < n && heir[j] >= 0 ? old + heir[j] : NULL;
    b->sx[pair + j] = from ? from->spring[0] : 0.;
    b->sy[pair + j] = from ? from->spring[1] : 0.;
    b->sz[pair + j] = from ? from->spring[2] : 0.;
    b->age[pair + j] = from ? from->age : 0;
  }
}

/* A force at an arm from the assembly's position, and a torque. */
static void note_push(const struct cairn_soft_spheres *b, int32_t pair, const double arm[3], const double force[3],
                      const double torque[3]) {
  double *push = b->push + 6 * (int64_t)(pair - b->size.n_pairs), moment[3];
  cross(arm, force, moment);
  for (int j = 0; j < 3; j++) {
    push[j] = force[j];
    push[3 + j] = moment[j] + torque[j];
  }
}

void cairn_rigid_push_wall(const struct cairn_soft_spheres *b, int32_t pair, const double n[3], const double p[3],
                           const double m[3], double h) {
  const double *x = cairn_walls_assembly(wall_of(b, pair), b->assemblies) + CAIRN_ASSEMBLY_X;
  const double *view = b->view + (int64_t)CAIRN_VIEW * b->a[pair];
  double arm[3], force[3], torque[3];
  for (int j = 0; j < 3; j++) {
    arm[j] = view[j] + view[CAIRN_VIEW_R] * n[j] - x[j];
    force[j] = p[j] / h;
    torque[j] = m[j] / h;
  }
  note_push(b, pair, arm, force, torque);
}

/* A wall that is gone lets go; bodies of their own have no accelerations here. */
static void let_go(const struct cairn_soft_spheres *b, int32_t i) {
  double *fate = b->fate + (int64_t)CAIRN_FATE * i;
  if (fate[CAIRN_FATE_CODE] > 0. && cairn_kernel_fates_holder(b, i)[CAIRN_ASSEMBLY_ACTIVE] == 0.) {
    memset(fate, 0, CAIRN_FATE * sizeof *fate);
    memset(b->state + (int64_t)CAIRN_STATE * i + CAIRN_STATE_A, 0, 6 * sizeof(double));
  }
}

void cairn_kernel_rigid_catch(const struct cairn_soft_spheres *b, double way, double time) {
  const int32_t begin = b->size.n_pairs, end = begin + b->size.n_wall_pairs;
  for (int32_t i = 0; i < b->size.n; i++) {
    let_go(b, i);
    cairn_blocks_predict(b->state + (int64_t)CAIRN_STATE * i, way, b->view + (int64_t)CAIRN_VIEW * i);
  }
  for (int32_t k = begin; k < end; k++)
    if (wall_of(b, k)[CAIRN_WALL_FATE] != 0.)
      cairn_kernel_fates_catch(b, k, time);
  for (int32_t i = 0; i < b->size.n; i++)
    if (b->fate[(int64_t)CAIRN_FATE * i + CAIRN_FATE_CODE] < 0.)
      cairn_kernel_fates_park(b, i);
}

void cairn_rigid_push_held(double *line, double sign, const double n[3], const double p[3], const double m[3]) {
  double n_p[3];
  cross(n, p, n_p);
  for (int j = 0; j < 3; j++) {
    line[CAIRN_RIGID_V + j] += sign * p[j];
    line[CAIRN_RIGID_S + j] += sign * m[j] - n_p[j] / line[CAIRN_RIGID_IR];
  }
}

static void gather_held(const struct cairn_rigid_cell *c, int32_t i, int l) {
  const struct cairn_rigid_group *g = c->group + i;
  const int32_t ground = c->size.n + c->size.n_halo;
  double *first = c->lines + (int64_t)CAIRN_RIGID * g->a[l], *second = c->lines + (int64_t)CAIRN_RIGID * g->b[l];
  double n[3], p[3], m[3];
  for (int j = 0; j < 3; j++) {
    n[j] = g->n[j][l];
    p[j] = g->p[j][l];
    m[j] = c->turning ? c->turning[i].m[j][l] : 0.;
  }
  if (first[CAIRN_RIGID_IM] == 0.)
    cairn_rigid_push_held(first, -1., n, p, m);
  if (second[CAIRN_RIGID_IM] == 0. && g->b[l] != ground)
    cairn_rigid_push_held(second, 1., n, p, m);
}

void cairn_kernel_rigid_gather_held(const struct cairn_rigid_cell *c) {
  for (int32_t i = 0; i < *c->n_groups; i++)
    for (int l = 0; l < c->fill[i]; l++)
      gather_held(c, i, l);
}

static void weigh(const struct cairn_rigid_cell *c, const struct cairn_soft_spheres *b, int32_t pair, double h) {
  const int32_t i = b->a[pair];
  const double *line = c->lines + (int64_t)CAIRN_RIGID * i;
  const double *x = cairn_kernel_fates_holder(b, i) + CAIRN_ASSEMBLY_X, *before = b->state + (int64_t)CAIRN_STATE * i;
  const double m = 1. / b->inverse_mass[i], inertia = 1. / b->inverse_inertia[i];
  double after[CAIRN_STATE], arm[3], force[3], torque[3], g[3];
  cairn_kernel_fates_ride(cairn_kernel_fates_holder(b, i), b->fate + (int64_t)CAIRN_FATE * i + CAIRN_FATE_PLACE, after);
  cairn_soft_spheres_weight(b, i, after + CAIRN_STATE_X, after + CAIRN_STATE_V, g);
  for (int j = 0; j < 3; j++) {
    arm[j] = after[CAIRN_STATE_X + j] - x[j];
    force[j] = (line[CAIRN_RIGID_V + j] - m * (after[CAIRN_STATE_V + j] - before[CAIRN_STATE_V + j])) / h + m * g[j];
    torque[j] = (line[CAIRN_RIGID_S + j] - inertia * (after[CAIRN_STATE_W + j] - before[CAIRN_STATE_W + j])) / h;
  }
  note_push(b, pair, arm, force, torque);
}

void cairn_kernel_rigid_carry(const struct cairn_rigid_cell *c, const struct cairn_soft_spheres *b, double h) {
  const int32_t begin = b->size.n_pairs, end = begin + b->size.n_wall_pairs;
  for (int32_t k = begin; k < end; k++) {
    const int first = k == begin || b->a[k] != b->a[k - 1] || b->b[k] != b->b[k - 1];
    if (first && b->fate[(int64_t)CAIRN_FATE * b->a[k] + CAIRN_FATE_CODE] == 1. + (double)b->b[k])
      weigh(c, b, k, h);
  }
  for (int32_t i = 0; i < b->size.n; i++) {
    const double *fate = b->fate + (int64_t)CAIRN_FATE * i;
    if (fate[CAIRN_FATE_CODE] > 0.)
      cairn_kernel_fates_ride(cairn_kernel_fates_holder(b, i), fate + CAIRN_FATE_PLACE,
                              b->state + (int64_t)CAIRN_STATE * i);
  }
}
