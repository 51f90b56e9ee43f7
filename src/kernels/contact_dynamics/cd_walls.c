#include "kernels/contact_dynamics/cd_walls.h"

#include <string.h>

#include "kernels/common/vec3.h"
#include "kernels/walls/capture.h"

static const double *wall_of(const struct cairn_soft_spheres *b, int32_t pair) {
  return cairn_walls_of(b->world, b->n_laws) + (int64_t)CAIRN_WALL * b->b[pair];
}

void cairn_cd_inherit(const struct cairn_soft_spheres *b, int32_t pair, const struct cairn_nearest *touch, int32_t n) {
  struct cairn_wall_memory old[CAIRN_WALL_TOUCHES];
  int32_t heir[CAIRN_WALL_TOUCHES] = {0};
  double *normals = b->normal + 3 * (int64_t)(pair - b->size.n_pairs);
  for (int32_t j = 0; j < CAIRN_WALL_TOUCHES; j++) {
    const int32_t k = pair + j;
    const double *normal = b->normal + 3 * (int64_t)(k - b->size.n_pairs);
    old[j] = (struct cairn_wall_memory){
        .spring = {b->sx[k], b->sy[k], b->sz[k]}, .normal = {normal[0], normal[1], normal[2]}, .age = b->age[k]};
    if (b->qx)
      memcpy(old[j].turn, (const double[]){b->qx[k], b->qy[k], b->qz[k]}, sizeof old[j].turn);
  }
  cairn_walls_heirs(old, touch, n, heir);
  for (int32_t j = 0; j < CAIRN_WALL_TOUCHES; j++) {
    const struct cairn_wall_memory *from = j < n && heir[j] >= 0 ? old + heir[j] : NULL;
    b->sx[pair + j] = from ? from->spring[0] : 0.;
    b->sy[pair + j] = from ? from->spring[1] : 0.;
    b->sz[pair + j] = from ? from->spring[2] : 0.;
    b->age[pair + j] = from ? from->age : 0;
    if (from)
      memcpy(normals + 3 * j, from->normal, sizeof from->normal);
    if (b->qx) {
      b->qx[pair + j] = from ? from->turn[0] : 0.;
      b->qy[pair + j] = from ? from->turn[1] : 0.;
      b->qz[pair + j] = from ? from->turn[2] : 0.;
    }
  }
}

/* A force at an arm from the assembly's position, and a torque. */
static void store_wall_load(const struct cairn_soft_spheres *b, int32_t pair, const double arm[3],
                            const double force[3], const double torque[3]) {
  double *load = b->wall_load + 6 * (int64_t)(pair - b->size.n_pairs), moment[3];
  cairn_vec3_cross(arm, force, moment);
  for (int j = 0; j < 3; j++) {
    load[j] = force[j];
    load[3 + j] = moment[j] + torque[j];
  }
}

void cairn_cd_load_wall(const struct cairn_soft_spheres *b, int32_t pair, const double n[3], const double p[3],
                        const double m[3], double h) {
  const double *x = cairn_walls_assembly(wall_of(b, pair), b->assemblies) + CAIRN_ASSEMBLY_X;
  const double *predicted = b->predicted + (int64_t)CAIRN_PREDICTED * b->a[pair];
  double arm[3], force[3], torque[3];
  for (int j = 0; j < 3; j++) {
    arm[j] = predicted[j] + predicted[CAIRN_PREDICTED_R] * n[j] - x[j];
    force[j] = p[j] / h;
    torque[j] = m[j] / h;
  }
  store_wall_load(b, pair, arm, force, torque);
}

/* A wall that is gone lets go; bodies of their own have no accelerations here. */
static void let_go(const struct cairn_soft_spheres *b, int32_t i) {
  double *captor = b->captor + (int64_t)CAIRN_CAPTURE * i;
  if (captor[CAIRN_CAPTURE_CAPTOR] > 0. && cairn_kernel_capture_assembly(b, i)[CAIRN_ASSEMBLY_ACTIVE] == 0.) {
    memset(captor, 0, CAIRN_CAPTURE * sizeof *captor);
    memset(b->state + (int64_t)CAIRN_STATE * i + CAIRN_STATE_A, 0, 6 * sizeof(double));
  }
}

void cairn_kernel_cd_capture(const struct cairn_soft_spheres *b, double displacement, double time) {
  const int32_t begin = b->size.n_pairs, end = begin + b->size.n_wall_pairs;
  for (int32_t i = 0; i < b->size.n; i++) {
    let_go(b, i);
    cairn_blocks_predict(b->state + (int64_t)CAIRN_STATE * i, displacement,
                         b->predicted + (int64_t)CAIRN_PREDICTED * i);
  }
  for (int32_t k = begin; k < end; k++)
    if (wall_of(b, k)[CAIRN_WALL_CAPTURE] != 0.)
      cairn_kernel_capture_bodies(b, k, time);
  for (int32_t i = 0; i < b->size.n; i++)
    if (b->captor[(int64_t)CAIRN_CAPTURE * i + CAIRN_CAPTURE_CAPTOR] < 0.)
      cairn_kernel_capture_park(b, i);
}

void cairn_cd_load_captured(double *sum, double sign, const double n[3], const double p[3], const double m[3]) {
  double n_p[3];
  cairn_vec3_cross(n, p, n_p);
  for (int j = 0; j < 3; j++) {
    sum[CAIRN_CD_V + j] += sign * p[j];
    sum[CAIRN_CD_S + j] += sign * m[j] - n_p[j] / sum[CAIRN_CD_IR];
  }
}

static void gather_captured(const struct cairn_cd_cell *c, int32_t i, int l) {
  const struct cairn_cd_group *g = c->group + i;
  const int32_t ground = c->size.n + c->size.n_halo;
  double *first = c->velocities + (int64_t)CAIRN_CD * g->a[l], *second = c->velocities + (int64_t)CAIRN_CD * g->b[l];
  double n[3], p[3], m[3];
  for (int j = 0; j < 3; j++) {
    n[j] = g->n[j][l];
    p[j] = g->p[j][l];
    m[j] = c->rotation_friction ? c->rotation_friction[i].m[j][l] : 0.;
  }
  if (first[CAIRN_CD_IM] == 0.)
    cairn_cd_load_captured(first, -1., n, p, m);
  if (second[CAIRN_CD_IM] == 0. && g->b[l] != ground)
    cairn_cd_load_captured(second, 1., n, p, m);
}

void cairn_kernel_cd_gather_captured(const struct cairn_cd_cell *c) {
  for (int32_t i = 0; i < *c->n_groups; i++)
    for (int l = 0; l < c->fill[i]; l++)
      gather_captured(c, i, l);
}

static void weigh(const struct cairn_cd_cell *c, const struct cairn_soft_spheres *b, int32_t pair, double h) {
  const int32_t i = b->a[pair];
  const double *velocity = c->velocities + (int64_t)CAIRN_CD * i;
  const double *x = cairn_kernel_capture_assembly(b, i) + CAIRN_ASSEMBLY_X,
               *before = b->state + (int64_t)CAIRN_STATE * i;
  const double m = 1. / b->inverse_mass[i], inertia = 1. / b->inverse_inertia[i];
  double after[CAIRN_STATE], arm[3], force[3], torque[3], g[3];
  cairn_kernel_capture_carry(cairn_kernel_capture_assembly(b, i),
                             b->captor + (int64_t)CAIRN_CAPTURE * i + CAIRN_CAPTURE_PLACE, after);
  cairn_soft_spheres_weight(b, i, after + CAIRN_STATE_X, after + CAIRN_STATE_V, g);
  for (int j = 0; j < 3; j++) {
    arm[j] = after[CAIRN_STATE_X + j] - x[j];
    force[j] = (velocity[CAIRN_CD_V + j] - m * (after[CAIRN_STATE_V + j] - before[CAIRN_STATE_V + j])) / h + m * g[j];
    torque[j] = (velocity[CAIRN_CD_S + j] - inertia * (after[CAIRN_STATE_W + j] - before[CAIRN_STATE_W + j])) / h;
  }
  store_wall_load(b, pair, arm, force, torque);
}

void cairn_kernel_cd_carry(const struct cairn_cd_cell *c, const struct cairn_soft_spheres *b, double h) {
  const int32_t begin = b->size.n_pairs, end = begin + b->size.n_wall_pairs;
  for (int32_t k = begin; k < end; k++) {
    const int first = k == begin || b->a[k] != b->a[k - 1] || b->b[k] != b->b[k - 1];
    if (first && b->captor[(int64_t)CAIRN_CAPTURE * b->a[k] + CAIRN_CAPTURE_CAPTOR] == 1. + (double)b->b[k])
      weigh(c, b, k, h);
  }
  for (int32_t i = 0; i < b->size.n; i++) {
    const double *captor = b->captor + (int64_t)CAIRN_CAPTURE * i;
    if (captor[CAIRN_CAPTURE_CAPTOR] > 0.)
      cairn_kernel_capture_carry(cairn_kernel_capture_assembly(b, i), captor + CAIRN_CAPTURE_PLACE,
                                 b->state + (int64_t)CAIRN_STATE * i);
  }
}
