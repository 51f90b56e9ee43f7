/* Soft spheres on a device: the same laws from the same headers, one work item per pair, then one per body. A body adds
 * up its pairs in the order of the list, as the host does.
 *
 * Scratch of a cell: what each pair does, nine numbers in stretches of n_all pairs; its overlap over the smaller radius
 * where that is beyond the limit, else 0; the largest way and speed squared of each body, and whether it went bad. */
#include "kernels/blocks.h"
#include "kernels/hooke.h"
#include "kernels/pairs.h"

enum { GROUP = 256 }; /* work items of the kernel that makes the report */

CAIRN_INLINE cairn_int n_all(struct cairn_cell_size size) { return size.n_pairs + size.n_wall_pairs; }

/* A cell without a halo does many steps in a row and stops by itself where its list ends. */
CAIRN_INLINE cairn_int has_stopped(struct cairn_cell_size size, __global const struct cairn_report *report) {
  return size.n_halo == 0 && (report->valid_steps != CAIRN_NEVER || report->bad_steps != CAIRN_NEVER);
}

__kernel void cairn_predict(__global const double *state, __global double *view, struct cairn_cell_size size,
                            double h) {
  const cairn_int i = (cairn_int)get_global_id(0);
  if (i < size.n)
    cairn_blocks_predict(state + (ulong)CAIRN_STATE * (ulong)i, h, view + (ulong)CAIRN_VIEW * (ulong)i);
}

__kernel void cairn_pairs(__global const double *view, __global const char *layout, __global char *springs,
                          __global const double *world, __global const struct cairn_report *report,
                          __global double *scratch, struct cairn_cell_size size, cairn_int n_laws, cairn_int rotation,
                          double h) {
  const cairn_int k = (cairn_int)get_global_id(0), stride = n_all(size);
  if (k >= stride || has_stopped(size, report))
    return;
  const struct cairn_layout_offsets l = cairn_layout_offsets(size);
  const struct cairn_springs_offsets o = cairn_springs_offsets(size);
  __global double *sx = (__global double *)(springs + o.x), *sy = (__global double *)(springs + o.y),
                  *sz = (__global double *)(springs + o.z);
  __global cairn_uint *age = (__global cairn_uint *)(springs + o.age);
  const cairn_int a = ((__global const cairn_int *)(layout + l.a))[k],
                  b = ((__global const cairn_int *)(layout + l.b))[k];
  const cairn_int law = ((__global const cairn_int *)(layout + l.law))[k];
  const double root_mass = ((__global const double *)(layout + l.root_mass))[k];
  const struct cairn_hooke constants = ((__global const struct cairn_hooke *)(world + CAIRN_WORLD_LAWS))[law];
  const double r1 = view[CAIRN_VIEW * a + CAIRN_VIEW_R];
  struct cairn_hooke_pair pair;
  double smaller = r1;
  if (k < size.n_pairs) {
    const double r2 = view[CAIRN_VIEW * b + CAIRN_VIEW_R];
    pair = cairn_pairs_bodies(view + CAIRN_VIEW * a, view + CAIRN_VIEW * b, 1, root_mass, rotation);
    smaller = r1 < r2 ? r1 : r2;
  } else {
    pair =
        cairn_pairs_plane(view + CAIRN_VIEW * a,
                          world + CAIRN_WORLD_LAWS + CAIRN_LAW_DOUBLES * n_laws + CAIRN_PLANE_DOUBLES * b, root_mass);
  }
  const cairn_uint steps = age[k];
  const double old = steps > 0 ? 1. : 0.;
  const struct cairn_hooke_result r = cairn_hooke_contact(&pair, &constants, h, old * sx[k], old * sy[k], old * sz[k],
                                                          (double)(cairn_int)steps * h, rotation);
  sx[k] = r.sx;
  sy[k] = r.sy;
  sz[k] = r.sz;
  age[k] = cairn_blocks_age(steps, r.weight);
  __global double *out = scratch + k;
  out[0] = r.fx;
  out[(ulong)stride] = r.fy;
  out[2 * (ulong)stride] = r.fz;
  out[3 * (ulong)stride] = r.t1x;
  out[4 * (ulong)stride] = r.t1y;
  out[5 * (ulong)stride] = r.t1z;
  out[6 * (ulong)stride] = r.t2x;
  out[7 * (ulong)stride] = r.t2y;
  out[8 * (ulong)stride] = r.t2z;
  out[9 * (ulong)stride] = pair.x > world[CAIRN_WORLD_LIMIT] * smaller ? pair.x / smaller : 0.;
}

__kernel void cairn_bodies(__global double *state, __global double *view, __global const char *layout,
                           __global const double *world, __global const struct cairn_report *report,
                           __global double *scratch, struct cairn_cell_size size, double h) {
  const cairn_int i = (cairn_int)get_global_id(0), stride = n_all(size);
  if (i >= size.n || has_stopped(size, report))
    return;
  const struct cairn_layout_offsets l = cairn_layout_offsets(size);
  __global const cairn_int *first = (__global const cairn_int *)(layout + l.first);
  __global const cairn_int *entry = (__global const cairn_int *)(layout + l.entry);
  double force[6] = {0., 0., 0., 0., 0., 0.};
  for (cairn_int e = first[i]; e < first[i + 1]; e++) {
    const cairn_int side = entry[e] & 1;
    __global const double *in = scratch + (entry[e] >> 1);
    for (cairn_int k = 0; k < 3; k++) {
      const double f = in[(ulong)k * (ulong)stride];
      force[k] += side ? -f : f;
      force[3 + k] += in[(ulong)(3 + 3 * side + k) * (ulong)stride];
    }
  }
  const struct cairn_kick kick =
      cairn_blocks_step(state + (ulong)CAIRN_STATE * (ulong)i, view + (ulong)CAIRN_VIEW * (ulong)i, force,
                        ((__global const double *)(layout + l.inverse_mass))[i],
                        ((__global const double *)(layout + l.inverse_inertia))[i],
                        (__global const double *)(layout + l.reference) + 3 * i, world + CAIRN_WORLD_GX, h);
  __global double *out = scratch + 10 * (ulong)stride + (ulong)i;
  out[0] = kick.way2;
  out[(ulong)size.n] = kick.speed2;
  out[2 * (ulong)size.n] = (double)kick.bad;
}

/* One group of work items: each looks through a part, the first one puts the parts together. */
__kernel void cairn_report(__global const char *layout, __global struct cairn_report *report,
                           __global const double *scratch, struct cairn_cell_size size, double h, double reach) {
  __local double way2[GROUP], speed2[GROUP], overlap[GROUP];
  __local cairn_int bad[GROUP], worst[GROUP];
  const cairn_int me = (cairn_int)get_local_id(0), stride = n_all(size);
  __global const double *overlaps = scratch + 9 * (ulong)stride, *bodies = scratch + 10 * (ulong)stride;
  way2[me] = speed2[me] = overlap[me] = 0.;
  bad[me] = CAIRN_NEVER;
  worst[me] = -1;
  for (cairn_int k = me; k < stride; k += GROUP)
    if (overlaps[k] > overlap[me]) {
      overlap[me] = overlaps[k];
      worst[me] = k;
    }
  for (cairn_int i = me; i < size.n; i += GROUP) {
    way2[me] = bodies[i] > way2[me] ? bodies[i] : way2[me];
    speed2[me] = bodies[size.n + i] > speed2[me] ? bodies[size.n + i] : speed2[me];
    if (bodies[2 * size.n + i] > 0. && bad[me] == CAIRN_NEVER)
      bad[me] = i;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me > 0 || has_stopped(size, report))
    return;
  for (cairn_int k = 1; k < GROUP; k++) {
    way2[0] = way2[k] > way2[0] ? way2[k] : way2[0];
    speed2[0] = speed2[k] > speed2[0] ? speed2[k] : speed2[0];
    bad[0] = bad[k] < bad[0] ? bad[k] : bad[0];
    if (overlap[k] > overlap[0] || (overlap[k] == overlap[0] && worst[k] >= 0 && worst[k] < worst[0])) {
      overlap[0] = overlap[k];
      worst[0] = worst[k];
    }
  }
  const struct cairn_layout_offsets l = cairn_layout_offsets(size);
  report->speed = sqrt(speed2[0]);
  report->way = sqrt(way2[0]) + 0.5 * h * report->speed;
  if (bad[0] != CAIRN_NEVER && report->bad_steps == CAIRN_NEVER) {
    report->bad_steps = report->steps + 1;
    report->bad_body = bad[0];
  }
  report->steps++;
  report->overlap_steps += worst[0] >= 0;
  if (overlap[0] > report->overlap) {
    const cairn_int b = ((__global const cairn_int *)(layout + l.b))[worst[0]];
    report->overlap = overlap[0];
    report->overlap_a = ((__global const cairn_int *)(layout + l.a))[worst[0]];
    report->overlap_b = worst[0] < size.n_pairs ? b : -1 - b;
  }
  if (report->way > reach && report->valid_steps == CAIRN_NEVER)
    report->valid_steps = report->steps;
}
