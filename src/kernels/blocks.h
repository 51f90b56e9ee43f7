/* How a cell's data lie in its blocks. Each block is one contiguous buffer, so that it can travel to a device or a rank as
 * it is; arrays inside it start on cache lines. The same offsets serve C and OpenCL C.
 *
 *   state    [n][15]  position, velocity, spin, acceleration, angular acceleration of the cell's own bodies
 *   view     [n+n_halo][12]  what the pair law reads of own and halo bodies at the positions of the coming step
 *   layout   what changes only when bodies are dealt anew: constants of the own bodies, then the list of pairs
 *   springs  what each pair remembers: tangential spring and age
 *
 * State and view keep a body's numbers together: the pair law and the halo pick bodies in no simple order, and a body
 * then costs two cache lines instead of eleven (docs/decisions/0001). Pairs and springs are structures of arrays. */
#ifndef CAIRN_KERNELS_BLOCKS_H
#define CAIRN_KERNELS_BLOCKS_H

#include "kernels/portable.h"

enum { CAIRN_STATE_X = 0, CAIRN_STATE_V = 3, CAIRN_STATE_W = 6, CAIRN_STATE_A = 9, CAIRN_STATE_AW = 12, CAIRN_STATE = 15 };
enum { CAIRN_VIEW_X = 0, CAIRN_VIEW_R = 3, CAIRN_VIEW_V = 4, CAIRN_VIEW_I = 7, CAIRN_VIEW_W = 8, CAIRN_VIEW = 12 };
enum { CAIRN_FORCE = 8 }; /* accumulators of a body: force, torque, padding to a cache line */

/* Pairs of bodies come first, pairs of a body and a wall after them. */
struct cairn_cell_size {
  cairn_int n, n_halo, n_pairs, n_wall_pairs;
};

#define CAIRN_PAD(bytes) (((bytes) + 63u) & ~63ul)

/* Byte offsets of the arrays in `layout` and `springs`; `end` is the size of the block. */
struct cairn_layout_offsets {
  unsigned long inverse_mass, inverse_inertia, reference, root_mass, a, b, law, end;
};
struct cairn_springs_offsets {
  unsigned long x, y, z, age, end;
};

CAIRN_INLINE struct cairn_layout_offsets cairn_layout_offsets(struct cairn_cell_size size) {
  const unsigned long n = (unsigned long)size.n, p = (unsigned long)size.n_pairs + (unsigned long)size.n_wall_pairs;
  struct cairn_layout_offsets o;
  o.inverse_mass = 0;
  o.inverse_inertia = o.inverse_mass + CAIRN_PAD(8 * n);
  o.reference = o.inverse_inertia + CAIRN_PAD(8 * n); /* positions when the list was made, [n][3] */
  o.root_mass = o.reference + CAIRN_PAD(24 * n);      /* √μ of each pair */
  o.a = o.root_mass + CAIRN_PAD(8 * p);               /* body of lower id, or the body at a wall: index into the view */
  o.b = o.a + CAIRN_PAD(4 * p);                       /* body of higher id, or index of the wall */
  o.law = o.b + CAIRN_PAD(4 * p);                     /* index into the laws of the world */
  o.end = o.law + CAIRN_PAD(4 * p);
  return o;
}

CAIRN_INLINE struct cairn_springs_offsets cairn_springs_offsets(struct cairn_cell_size size) {
  const unsigned long p = (unsigned long)size.n_pairs + (unsigned long)size.n_wall_pairs;
  struct cairn_springs_offsets o;
  o.x = 0;
  o.y = o.x + CAIRN_PAD(8 * p);
  o.z = o.y + CAIRN_PAD(8 * p);
  o.age = o.z + CAIRN_PAD(8 * p); /* steps since the bodies touched; 0: they do not */
  o.end = o.age + CAIRN_PAD(4 * p);
  return o;
}

/* The world: what all cells share. One block of doubles: these, then n_laws struct cairn_hooke, then four numbers per
 * plane: its unit normal and its distance from the origin along it. */
enum { CAIRN_WORLD_GX, CAIRN_WORLD_GY, CAIRN_WORLD_GZ, CAIRN_WORLD_LIMIT, CAIRN_WORLD_LAWS };
enum { CAIRN_LAW_DOUBLES = 9, CAIRN_PLANE_DOUBLES = 4 };

/* Kick half a step, drift a step, predict the velocities at its end (kick–drift–kick leapfrog; Schwartz 2013, after
 * eq. 2.1). The halo does the same to its copies, with the same bits as the owner. */
CAIRN_INLINE void cairn_blocks_predict(CAIRN_GLOBAL const double *state, double h, CAIRN_GLOBAL double *view) {
  const double half = 0.5 * h;
  for (cairn_int k = 0; k < 3; k++) {
    const double v = state[CAIRN_STATE_V + k] + half * state[CAIRN_STATE_A + k];
    const double w = state[CAIRN_STATE_W + k] + half * state[CAIRN_STATE_AW + k];
    view[CAIRN_VIEW_X + k] = state[CAIRN_STATE_X + k] + h * v;
    view[CAIRN_VIEW_V + k] = v + half * state[CAIRN_STATE_A + k];
    view[CAIRN_VIEW_W + k] = w + half * state[CAIRN_STATE_AW + k];
  }
}

#endif
