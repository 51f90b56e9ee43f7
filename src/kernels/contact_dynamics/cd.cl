/* Rigid bodies on a device: one group of work items takes a cell. Contacts of a colour share no body: they are solved
 * at the same time, and all work items wait for each other between colours. The laws are those of the host, and so is
 * the order of contacts: what differs is the order of sums over all of them. */
#include "kernels/contact_dynamics/cd_group.h"

enum { GROUP = 256, NEIGHBORS = 4 };

/* A cell's blocks as the kernels see them. */
struct cd_cell {
  __global double *velocities;
  __global const cairn_int *count, *halo, *source, *fill, *order, *stage;
  __global struct cairn_cd_group *group;
  __global struct cairn_cd_rotation_group *rotation_friction; /* 0 without rolling and twisting friction */
  cairn_int n, ground;
};

CAIRN_INLINE struct cd_cell bind(struct cairn_cell_size size, __global double *velocities, __global char *cd) {
  const struct cairn_cd_offsets o = cairn_cd_offsets(size);
  struct cd_cell c;
  c.velocities = velocities;
  c.count = (__global const cairn_int *)cd;
  c.halo = (__global const cairn_int *)(cd + o.halo);
  c.source = (__global const cairn_int *)(cd + o.source);
  c.fill = (__global const cairn_int *)(cd + o.fill);
  c.order = (__global const cairn_int *)(cd + o.order);
  c.stage = (__global const cairn_int *)(cd + o.stage);
  c.group = (__global struct cairn_cd_group *)(cd + o.group);
  c.rotation_friction = size.cd.rotation ? (__global struct cairn_cd_rotation_group *)(cd + o.rotation_friction) : 0;
  c.n = size.n;
  c.ground = size.n + size.n_halo;
  return c;
}

/* ---- halo bodies with a contact: copies from the neighbours, and back ---- */

CAIRN_INLINE void exchange(const struct cd_cell *c, __global double *const *neighbor, cairn_int back) {
  const cairn_int n = CAIRN_CD * c->count[CAIRN_CD_N_USED];
  for (cairn_int k = (cairn_int)get_local_id(0); k < n; k += GROUP) {
    const cairn_int i = c->halo[k / CAIRN_CD], j = k % CAIRN_CD;
    __global double *home = neighbor[c->source[2 * i]] + (ulong)CAIRN_CD * (ulong)c->source[2 * i + 1] + j;
    __global double *copy = c->velocities + (ulong)CAIRN_CD * (ulong)(c->n + i) + j;
    if (back)
      *home = *copy;
    else
      *copy = *home;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
}

/* ---- one contact ---- */

CAIRN_INLINE void load_velocity(const struct cd_cell *c, cairn_int body, double *velocity) {
  __global const double *from = c->velocities + (ulong)CAIRN_CD * (ulong)body;
  for (cairn_int k = 0; k < CAIRN_CD; k++)
    velocity[k] = from[k];
}

/* Many contacts of a colour may touch the ground, which nothing changes. */
CAIRN_INLINE void store_velocity(const struct cd_cell *c, cairn_int body, const double *velocity) {
  __global double *to = c->velocities + (ulong)CAIRN_CD * (ulong)body;
  if (body == c->ground)
    return;
  for (cairn_int k = 0; k < CAIRN_CD; k++)
    to[k] = velocity[k];
}

CAIRN_INLINE void visit(const struct cd_cell *c, cairn_int i, cairn_int l, double beta) {
  __global struct cairn_cd_group *g = c->group + i;
  double a[CAIRN_CD], b[CAIRN_CD];
  load_velocity(c, g->a[l], a);
  load_velocity(c, g->b[l], b);
  cairn_cd_visit(g, l, beta, a, b);
  if (c->rotation_friction)
    cairn_cd_visit_rotation(g, c->rotation_friction + i, l, beta, a, b);
  store_velocity(c, g->a[l], a);
  store_velocity(c, g->b[l], b);
}

CAIRN_INLINE void apply(const struct cd_cell *c, cairn_int i, cairn_int l) {
  __global const struct cairn_cd_group *g = c->group + i;
  double a[CAIRN_CD], b[CAIRN_CD];
  load_velocity(c, g->a[l], a);
  load_velocity(c, g->b[l], b);
  cairn_cd_start(g, c->rotation_friction ? c->rotation_friction + i : 0, l, a, b);
  store_velocity(c, g->a[l], a);
  store_velocity(c, g->b[l], b);
}

/* ---- all of them ---- */

/* Sum over the work items, in their order; complete in the first one. */
CAIRN_INLINE double sum_up(__local double *part, double mine) {
  const cairn_int me = (cairn_int)get_local_id(0);
  double sum = 0.;
  part[me] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (cairn_int k = 0; me == 0 && k < GROUP; k++)
    sum += part[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}

/* The tasks over contacts name the same buffers; of the neighbours those that there are. */
#define OVER_CONTACTS                                                                                                  \
  __global double *velocities, __global char *cd, __global struct cairn_cd_measure *measure, __global double *n0,      \
      __global double *n1, __global double *n2, __global double *n3, struct cairn_cell_size size, double beta

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void cairn_cell_warm_start(OVER_CONTACTS) {
  const struct cd_cell c = bind(size, velocities, cd);
  __global double *const neighbor[NEIGHBORS] = {n0, n1, n2, n3};
  const cairn_int n_stages = c.count[CAIRN_CD_N_STAGES];
  exchange(&c, neighbor, 0);
  for (cairn_int s = 0; s < n_stages; s++) {
    const cairn_int end = CAIRN_CD_LANES * c.stage[s + 1];
    for (cairn_int k = CAIRN_CD_LANES * c.stage[s] + (cairn_int)get_local_id(0); k < end; k += GROUP) {
      const cairn_int i = c.order[k / CAIRN_CD_LANES], l = k % CAIRN_CD_LANES;
      if (l < c.fill[i])
        apply(&c, i, l);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
  exchange(&c, neighbor, 1);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void cairn_cell_sweep(OVER_CONTACTS) {
  const struct cd_cell c = bind(size, velocities, cd);
  __global double *const neighbor[NEIGHBORS] = {n0, n1, n2, n3};
  const cairn_int n_stages = c.count[CAIRN_CD_N_STAGES];
  exchange(&c, neighbor, 0);
  for (cairn_int s = 0; s < n_stages; s++) {
    const cairn_int end = CAIRN_CD_LANES * c.stage[s + 1];
    for (cairn_int k = CAIRN_CD_LANES * c.stage[s] + (cairn_int)get_local_id(0); k < end; k += GROUP) {
      const cairn_int i = c.order[k / CAIRN_CD_LANES], l = k % CAIRN_CD_LANES;
      if (l < c.fill[i])
        visit(&c, i, l, beta);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
  exchange(&c, neighbor, 1);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void cairn_cell_residual(OVER_CONTACTS) {
  __local double part[GROUP];
  const struct cd_cell c = bind(size, velocities, cd);
  __global double *const neighbor[NEIGHBORS] = {n0, n1, n2, n3};
  const cairn_int end = CAIRN_CD_LANES * c.count[CAIRN_CD_N_GROUPS];
  double sum = 0.;
  exchange(&c, neighbor, 0);
  for (cairn_int k = (cairn_int)get_local_id(0); k < end; k += GROUP) {
    const cairn_int i = k / CAIRN_CD_LANES, l = k % CAIRN_CD_LANES;
    if (l >= c.fill[i])
      continue;
    double a[CAIRN_CD], b[CAIRN_CD];
    load_velocity(&c, c.group[i].a[l], a);
    load_velocity(&c, c.group[i].b[l], b);
    sum += cairn_cd_residual_of(c.group + i, l, a, b);
    if (c.rotation_friction)
      sum += cairn_cd_residual_rotation(c.group + i, c.rotation_friction + i, l, a, b);
  }
  sum = sum_up(part, sum);
  if (get_local_id(0) == 0)
    measure->residual = sum;
}

/* One component of one body velocity. */
__kernel void cairn_cell_extrapolate(__global double *velocities, struct cairn_cell_size size, double beta) {
  const ulong i = get_global_id(0), n = (ulong)CAIRN_CD * (ulong)size.n;
  if (i >= n)
    return;
  __global double *from = velocities + n + (ulong)CAIRN_CD * ((ulong)size.n_halo + 1ul);
  const double now = velocities[i];
  velocities[i] = beta > 0. ? cairn_cd_extrapolate(beta, now, from[i]) : now;
  from[i] = now;
}
