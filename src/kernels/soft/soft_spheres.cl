/* Soft spheres on a device: the same laws from the same headers, one work item per pair, then one per body. A body adds
 * up its pairs in the order of the list, as the host does.
 *
 * Scratch of a cell: what each pair does, nine numbers in stretches of n_all pairs; its overlap over the smaller radius
 * where that is beyond the limit, else 0; the displacement and speed squared of each body, and whether it failed. */
#include "kernels/common/blocks.h"
#include "kernels/soft/pairs.h"
#include "kernels/walls/walls.h"

enum { GROUP = 256 }; /* work items of the kernel that makes the report */

CAIRN_INLINE cairn_int n_all(struct cairn_cell_size size) { return size.n_pairs + size.n_wall_pairs; }

/* A cell without a halo does many steps in a row and stops by itself where its list ends. */
CAIRN_INLINE cairn_int has_stopped(struct cairn_cell_size size, __global const struct cairn_report *report) {
  return size.n_halo == 0 && (report->valid_steps != CAIRN_NEVER || report->bad_steps != CAIRN_NEVER);
}

__kernel void cairn_predict(__global const double *state, __global double *predicted, struct cairn_cell_size size,
                            double h) {
  const cairn_int i = (cairn_int)get_global_id(0);
  if (i < size.n)
    cairn_blocks_predict(state + (ulong)CAIRN_STATE * (ulong)i, h, predicted + (ulong)CAIRN_PREDICTED * (ulong)i);
}

/* The blocks and numbers that the pairs of a cell need. */
struct lists {
  __global const double *predicted, *world, *assemblies;
  __global const cairn_int *a, *b, *law;
  __global const double *root_mass;
  __global double *sx, *sy, *sz, *normal, *wall_load, *scratch;
  __global double *qx, *qy, *qz; /* rolling springs, if the law has them */
  __global cairn_uint *age;
  cairn_int n_pairs, stride, n_laws, rotation;
  double h;
};

CAIRN_INLINE void put_result(const struct lists *l, cairn_int k, const struct cairn_contact_result *r, double overlap,
                             double smaller) {
  const ulong stride = (ulong)l->stride;
  __global double *out = l->scratch + k;
  out[0] = r->fx;
  out[stride] = r->fy;
  out[2 * stride] = r->fz;
  out[3 * stride] = r->t1x;
  out[4 * stride] = r->t1y;
  out[5 * stride] = r->t1z;
  out[6 * stride] = r->t2x;
  out[7 * stride] = r->t2y;
  out[8 * stride] = r->t2z;
  out[9 * stride] = overlap > l->world[CAIRN_WORLD_LIMIT] * smaller ? overlap / smaller : 0.;
}

CAIRN_INLINE __global const double *constants_of(const struct lists *l, cairn_int k) {
  return cairn_laws_constants(l->world + CAIRN_WORLD_LAWS, l->law[k]);
}

CAIRN_INLINE void keep(const struct lists *l, cairn_int k, const struct cairn_contact_result *r, cairn_uint age) {
  l->sx[k] = r->sx;
  l->sy[k] = r->sy;
  l->sz[k] = r->sz;
  if (l->rotation == CAIRN_ROLLING_SPRING) {
    l->qx[k] = r->qx;
    l->qy[k] = r->qy;
    l->qz[k] = r->qz;
  }
  l->age[k] = cairn_blocks_age(age, r->weight);
}

CAIRN_INLINE void pair_of_bodies(const struct lists *l, int kind, cairn_int k) {
  __global const double *p = l->predicted + CAIRN_PREDICTED * l->a[k], *q = l->predicted + CAIRN_PREDICTED * l->b[k];
  const struct cairn_contact_pair pair = cairn_pairs_bodies(p, q, 1, l->root_mass[k], l->rotation);
  const cairn_uint steps = l->age[k];
  const double old = steps > 0 ? 1. : 0., r1 = p[CAIRN_PREDICTED_R], r2 = q[CAIRN_PREDICTED_R];
  const int springs = l->rotation == CAIRN_ROLLING_SPRING;
  struct cairn_contact_history before;
  before.sx = old * l->sx[k];
  before.sy = old * l->sy[k];
  before.sz = old * l->sz[k];
  before.qx = springs ? old * l->qx[k] : 0.;
  before.qy = springs ? old * l->qy[k] : 0.;
  before.qz = springs ? old * l->qz[k] : 0.;
  before.seconds = (double)(cairn_int)steps * l->h;
  const struct cairn_attraction attraction = cairn_laws_attraction(constants_of(l, k));
  struct cairn_contact_result r = cairn_laws_contact(kind, constants_of(l, k), &pair, l->h, &before, l->rotation);
  cairn_attraction_add(&attraction, &pair, l->h, &r);
  if (cairn_laws_necks(l->world)) {
    const struct cairn_neck neck = cairn_laws_neck(constants_of(l, k));
    cairn_neck_add(&neck, &pair, steps > 0, l->h, &r);
  }
  keep(l, k, &r, steps);
  put_result(l, k, &r, pair.x, r1 < r2 ? r1 : r2);
}

CAIRN_INLINE struct cairn_wall_memory recall(const struct lists *l, cairn_int k) {
  struct cairn_wall_memory memory;
  memory.spring[0] = l->sx[k];
  memory.spring[1] = l->sy[k];
  memory.spring[2] = l->sz[k];
  for (cairn_int i = 0; i < 3; i++)
    memory.normal[i] = l->normal[3 * (k - l->n_pairs) + i];
  memory.turn[0] = l->rotation == CAIRN_ROLLING_SPRING ? l->qx[k] : 0.;
  memory.turn[1] = l->rotation == CAIRN_ROLLING_SPRING ? l->qy[k] : 0.;
  memory.turn[2] = l->rotation == CAIRN_ROLLING_SPRING ? l->qz[k] : 0.;
  memory.age = l->age[k];
  return memory;
}

CAIRN_INLINE void touch_wall(const struct lists *l, int kind, cairn_int k, const struct cairn_wall_memory *old,
                             struct cairn_nearest touch, __global const double *assembly) {
  __global const double *p = l->predicted + CAIRN_PREDICTED * l->a[k];
  const struct cairn_contact_pair pair = cairn_walls_pair(p, touch, assembly, l->root_mass[k]);
  __global double *n = l->normal + 3 * (k - l->n_pairs);
  const struct cairn_contact_history before = cairn_walls_history(old, touch, assembly, l->h);
  const struct cairn_attraction attraction = cairn_laws_attraction(constants_of(l, k));
  struct cairn_contact_result r = cairn_laws_contact(kind, constants_of(l, k), &pair, l->h, &before, l->rotation);
  cairn_attraction_add(&attraction, &pair, l->h, &r);
  if (cairn_laws_necks(l->world)) {
    const struct cairn_neck neck = cairn_laws_neck(constants_of(l, k));
    cairn_neck_add(&neck, &pair, old->age > 0, l->h, &r);
  }
  keep(l, k, &r, old->age);
  n[0] = touch.nx;
  n[1] = touch.ny;
  n[2] = touch.nz;
  cairn_walls_load(p, touch, assembly, &r, l->wall_load + 6 * (k - l->n_pairs));
  put_result(l, k, &r, pair.x, p[CAIRN_PREDICTED_R]);
}

/* All touches of a body with one wall, whose pairs begin at k. */
CAIRN_INLINE void pairs_with_wall(const struct lists *l, int kind, cairn_int k) {
  __global const double *wall = cairn_walls_of(l->world, l->n_laws) + CAIRN_WALL * l->b[k];
  __global const double *assembly = cairn_walls_assembly(wall, l->assemblies),
                        *p = l->predicted + CAIRN_PREDICTED * l->a[k];
  const cairn_int n_slots = cairn_walls_is_mesh(wall) ? CAIRN_WALL_TOUCHES : 1;
  const struct cairn_contact_result none = {0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0.};
  const struct cairn_wall_memory fresh = {{0., 0., 0.}, {0., 0., 0.}, {0., 0., 0.}, 0};
  struct cairn_wall_memory old[CAIRN_WALL_TOUCHES];
  struct cairn_nearest touch[CAIRN_WALL_TOUCHES];
  cairn_int heir[CAIRN_WALL_TOUCHES] = {0};
  const cairn_int n =
      cairn_walls_touches(l->world, wall, assembly, p, cairn_walls_attracted(l->world, p, assembly, l->h), touch);
  for (cairn_int j = 0; j < n_slots; j++)
    old[j] = recall(l, k + j);
  if (n_slots > 1)
    cairn_walls_heirs(old, touch, n, heir);
  for (cairn_int j = 0; j < n_slots; j++) {
    if (j < n) {
      touch_wall(l, kind, k + j, heir[j] < 0 ? &fresh : old + heir[j], touch[j], assembly);
    } else {
      l->age[k + j] = 0;
      for (cairn_int i = 0; i < 6; i++)
        l->wall_load[6 * (k + j - l->n_pairs) + i] = 0.;
      put_result(l, k + j, &none, 0., 1.);
    }
  }
}

CAIRN_INLINE void pair_of_law(int kind, __global const double *predicted, __global const char *pair_list,
                              __global char *history, __global const double *world, __global const double *assemblies,
                              __global const struct cairn_report *report, __global double *scratch,
                              struct cairn_cell_size size, cairn_int n_laws, cairn_int rotation, double h) {
  const cairn_int k = (cairn_int)get_global_id(0), stride = n_all(size);
  if (k >= stride || has_stopped(size, report))
    return;
  const struct cairn_pair_list_offsets o = cairn_pair_list_offsets(size);
  const struct cairn_history_offsets s = cairn_history_offsets(size);
  const struct lists l = {predicted,
                          world,
                          assemblies,
                          (__global const cairn_int *)(pair_list + o.a),
                          (__global const cairn_int *)(pair_list + o.b),
                          (__global const cairn_int *)(pair_list + o.law),
                          (__global const double *)(pair_list + o.root_mass),
                          (__global double *)(history + s.memory),
                          (__global double *)(history + s.memory + s.column),
                          (__global double *)(history + s.memory + 2 * s.column),
                          (__global double *)(history + s.normal),
                          (__global double *)(history + s.wall_load),
                          scratch,
                          (__global double *)(history + s.memory + 3 * s.column),
                          (__global double *)(history + s.memory + 4 * s.column),
                          (__global double *)(history + s.memory + 5 * s.column),
                          (__global cairn_uint *)(history + s.age),
                          size.n_pairs,
                          stride,
                          n_laws,
                          rotation,
                          h};
  if (k < size.n_pairs)
    pair_of_bodies(&l, kind, k);
  else if (k == size.n_pairs || l.a[k] != l.a[k - 1] || l.b[k] != l.b[k - 1])
    pairs_with_wall(&l, kind, k);
}

/* One kernel for each law: cairn_pairs_hooke, … */
#define PAIRS_OF_LAW(law)                                                                                              \
  __kernel void cairn_pairs_##law(                                                                                     \
      __global const double *predicted, __global const char *pair_list, __global char *history,                        \
      __global const double *world, __global const double *assemblies, __global const struct cairn_report *report,     \
      __global double *scratch, struct cairn_cell_size size, cairn_int n_laws, cairn_int rotation, double h) {         \
    pair_of_law(CAIRN_LAW_##law, predicted, pair_list, history, world, assemblies, report, scratch, size, n_laws,      \
                rotation, h);                                                                                          \
  }
CAIRN_LAWS(PAIRS_OF_LAW)

__kernel void cairn_bodies(__global double *state, __global double *predicted, __global const char *pair_list,
                           __global const double *world, __global const struct cairn_report *report,
                           __global double *scratch, struct cairn_external external, struct cairn_cell_size size,
                           double h) {
  const cairn_int i = (cairn_int)get_global_id(0), stride = n_all(size);
  if (i >= size.n || has_stopped(size, report))
    return;
  const struct cairn_pair_list_offsets l = cairn_pair_list_offsets(size);
  __global const cairn_int *first = (__global const cairn_int *)(pair_list + l.first);
  __global const cairn_int *entry = (__global const cairn_int *)(pair_list + l.entry);
  double force[6] = {0., 0., 0., 0., 0., 0.};
  /* a cell without pairs has no such lists */
  const cairn_int begin = size.n_pairs_by_body > 0 ? first[i] : 0, end = size.n_pairs_by_body > 0 ? first[i + 1] : 0;
  for (cairn_int e = begin; e < end; e++) {
    const cairn_int side = entry[e] & 1;
    __global const double *in = scratch + (entry[e] >> 1);
    for (cairn_int k = 0; k < 3; k++) {
      const double f = in[(ulong)k * (ulong)stride];
      force[k] += side ? -f : f;
      force[3 + k] += in[(ulong)(3 + 3 * side + k) * (ulong)stride];
    }
  }
  const struct cairn_body_step result = cairn_blocks_step(
      state + (ulong)CAIRN_STATE * (ulong)i, predicted + (ulong)CAIRN_PREDICTED * (ulong)i, force,
      ((__global const double *)(pair_list + l.inverse_mass))[i],
      ((__global const double *)(pair_list + l.inverse_inertia))[i],
      (__global const double *)(pair_list + l.reference) + 3 * i,
      size.n_fields > 0 ? (__global const double *)(pair_list + l.field) + 3 * i : world + CAIRN_WORLD_GX, &external,
      h);
  __global double *out = scratch + 10 * (ulong)stride + (ulong)i;
  out[0] = result.displacement2;
  out[(ulong)size.n] = result.speed2;
  out[2 * (ulong)size.n] = (double)result.bad;
}

/* One group of work items: each looks through a part, the first one puts the parts together. */
__kernel void cairn_report(__global const char *pair_list, __global struct cairn_report *report,
                           __global const double *scratch, struct cairn_cell_size size, double h, double reach) {
  __local double displacement2[GROUP], speed2[GROUP], overlap[GROUP];
  __local cairn_int bad[GROUP], worst[GROUP];
  const cairn_int me = (cairn_int)get_local_id(0), stride = n_all(size);
  __global const double *overlaps = scratch + 9 * (ulong)stride, *bodies = scratch + 10 * (ulong)stride;
  displacement2[me] = speed2[me] = overlap[me] = 0.;
  bad[me] = CAIRN_NEVER;
  worst[me] = -1;
  for (cairn_int k = me; k < stride; k += GROUP)
    if (overlaps[k] > overlap[me]) {
      overlap[me] = overlaps[k];
      worst[me] = k;
    }
  for (cairn_int i = me; i < size.n; i += GROUP) {
    displacement2[me] = bodies[i] > displacement2[me] ? bodies[i] : displacement2[me];
    speed2[me] = bodies[size.n + i] > speed2[me] ? bodies[size.n + i] : speed2[me];
    if (bodies[2 * size.n + i] > 0. && bad[me] == CAIRN_NEVER)
      bad[me] = i;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me > 0 || has_stopped(size, report))
    return;
  for (cairn_int k = 1; k < GROUP; k++) {
    displacement2[0] = displacement2[k] > displacement2[0] ? displacement2[k] : displacement2[0];
    speed2[0] = speed2[k] > speed2[0] ? speed2[k] : speed2[0];
    bad[0] = bad[k] < bad[0] ? bad[k] : bad[0];
    if (overlap[k] > overlap[0] || (overlap[k] == overlap[0] && worst[k] >= 0 && worst[k] < worst[0])) {
      overlap[0] = overlap[k];
      worst[0] = worst[k];
    }
  }
  const struct cairn_pair_list_offsets l = cairn_pair_list_offsets(size);
  report->speed = sqrt(speed2[0]);
  report->displacement = sqrt(displacement2[0]) + 0.5 * h * report->speed;
  if (bad[0] != CAIRN_NEVER && report->bad_steps == CAIRN_NEVER) {
    report->bad_steps = report->steps + 1;
    report->bad_body = bad[0];
  }
  report->steps++;
  report->overlap_steps += worst[0] >= 0;
  if (overlap[0] > report->overlap) {
    const cairn_int b = ((__global const cairn_int *)(pair_list + l.b))[worst[0]];
    report->overlap = overlap[0];
    report->overlap_a = ((__global const cairn_int *)(pair_list + l.a))[worst[0]];
    report->overlap_b = worst[0] < size.n_pairs ? b : -1 - b;
  }
  if (report->displacement > reach && report->valid_steps == CAIRN_NEVER)
    report->valid_steps = report->steps;
}
