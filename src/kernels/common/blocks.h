/* How a cell's data lie in its blocks. Each block is one contiguous buffer, so that it can travel to a device or a rank
 * as it is; arrays inside it start on cache lines. The same offsets serve C and OpenCL C.
 *
 * - state, [n][15]: position, velocity, spin, acceleration and angular acceleration of the cell's own bodies. Where
 *   there are sticky or absorbing walls, [n][5] after it: what captured each body.
 * - predicted, [n + n_halo][12]: the predicted kinematics, which the pair law reads, of own and halo bodies at the
 *   coming step.
 * - pair list: what changes only at a regrid. Constants of the own bodies, then the pairs.
 * - history: what a contact keeps from step to step. A column for each number that its law remembers, and its age; for
 *   a pair with a wall also the normal and the load on the wall.
 *
 * State and predicted kinematics keep a body's numbers together: the pair law and the halo read bodies in no simple
 * order, and a body then costs two cache lines instead of eleven (docs/decisions/0001). Pair list and history are
 * structures of arrays. */
#ifndef CAIRN_KERNELS_COMMON_BLOCKS_H
#define CAIRN_KERNELS_COMMON_BLOCKS_H

#include "kernels/common/external.h"

enum {
  CAIRN_STATE_X = 0,
  CAIRN_STATE_V = 3,
  CAIRN_STATE_W = 6,
  CAIRN_STATE_A = 9,
  CAIRN_STATE_AW = 12,
  CAIRN_STATE = 15
};
enum {
  CAIRN_PREDICTED_X = 0,
  CAIRN_PREDICTED_R = 3,
  CAIRN_PREDICTED_V = 4,
  CAIRN_PREDICTED_I = 7,
  CAIRN_PREDICTED_W = 8,
  CAIRN_PREDICTED_CAPTOR = 11, /* contact dynamics only: its captor (below) */
  CAIRN_PREDICTED = 12
};
enum { CAIRN_FORCE = 8 }; /* accumulators of a body: force, torque, padding to a cache line */

/* Capture of a body. Its captor: 0 if it is free, 1 + w while captured by the sticky wall w, -1 - w once removed by the
 * absorbing wall w; the time of capture or removal, s; and the place, m: in the coordinates of the wall's assembly if
 * captured, in world coordinates if removed. */
enum { CAIRN_CAPTURE_CAPTOR = 0, CAIRN_CAPTURE_TIME = 1, CAIRN_CAPTURE_PLACE = 2, CAIRN_CAPTURE = 5 };

/* A removed body is parked here, far from all others, until the next regrid: no pair has to test for it. */
#define CAIRN_GONE 1e100
#define CAIRN_GONE_SPREAD 1e88

/* Of contact dynamics, else 0 (kernels/contact_dynamics/cd_group.h). */
struct cairn_cd_size {
  cairn_int n_groups; /* room for groups of contacts */
  cairn_int rotation; /* 1 with rolling or twisting friction */
  cairn_int colored;  /* 1 if a device takes part: groups have colours */
};

/* Pairs of two bodies come first, pairs of a body and a wall after them. A body near a mesh has CAIRN_WALL_TOUCHES
 * pairs with it, because it may touch it at several points. */
struct cairn_cell_size {
  cairn_int n, n_halo, n_pairs, n_wall_pairs;
  cairn_int n_pairs_by_body; /* entries of the lists of pairs by body: devices sum forces body by body; else 0 */
  cairn_int n_captures;      /* n, or 0 without sticky and absorbing walls */
  cairn_int n_fields;        /* n + n_halo, or 0 if gravity is uniform */
  cairn_int n_materials;     /* n + n_halo, or 0 where the pair list knows the laws */
  cairn_int n_near;          /* hard spheres: room for so many bodies near others, else 0 */
  cairn_int memory;          /* numbers that a contact remembers, the normal at a wall aside */
  cairn_int bonds;           /* the last of them that are those of a bond; 0 without bonds */
  cairn_int n_bonds;         /* bonds of the cell when it was built: room for so many that break */
  struct cairn_cd_size cd;
};

#define CAIRN_PAD(bytes) (((bytes) + 63u) & ~63ul)

/* Byte offsets of the arrays in `pair_list` and `history`; `end` is the size of the block. */
struct cairn_pair_list_offsets {
  unsigned long inverse_mass, inverse_inertia, reference, field, material, root_mass, a, b, law, first, entry, end;
};
struct cairn_history_offsets {
  unsigned long memory, column, age, normal, wall_load, breaks, end;
};

CAIRN_INLINE struct cairn_pair_list_offsets cairn_pair_list_offsets(struct cairn_cell_size size) {
  const unsigned long n = (unsigned long)size.n, p = (unsigned long)size.n_pairs + (unsigned long)size.n_wall_pairs;
  struct cairn_pair_list_offsets o;
  o.inverse_mass = 0;
  o.inverse_inertia = o.inverse_mass + CAIRN_PAD(8 * n);
  o.reference = o.inverse_inertia + CAIRN_PAD(8 * n); /* positions when the pair list was built, [n][3] */
  o.field = o.reference + CAIRN_PAD(24 * n); /* m/s², [n + n_halo][3] gravity on each body; absent if it is uniform */
  o.material = o.field + CAIRN_PAD(24 * (unsigned long)size.n_fields); /* of each body; absent if n_materials is 0 */
  o.root_mass = o.material + CAIRN_PAD(4 * (unsigned long)size.n_materials); /* √μ of each pair */
  o.a = o.root_mass + CAIRN_PAD(8 * p); /* body of lower id, or the body at a wall: index into `predicted` */
  o.b = o.a + CAIRN_PAD(4 * p);         /* body of higher id, or index of the wall */
  o.law = o.b + CAIRN_PAD(4 * p);       /* index into the laws of the world */
  o.first = o.law + CAIRN_PAD(4 * p);   /* [n + 1] first of a body's entries; absent if n_pairs_by_body is 0 */
  o.entry = o.first + (size.n_pairs_by_body > 0 ? CAIRN_PAD(4 * (n + 1)) : 0); /* 2 × pair, + 1 if the body is its b */
  o.end = o.entry + CAIRN_PAD(4 * (unsigned long)size.n_pairs_by_body);
  return o;
}

CAIRN_INLINE struct cairn_history_offsets cairn_history_offsets(struct cairn_cell_size size) {
  const unsigned long w = (unsigned long)size.n_wall_pairs, p = (unsigned long)size.n_pairs + w;
  struct cairn_history_offsets o;
  o.memory = 0; /* [size.memory][n_pairs + n_wall_pairs] columns, in the order of a record (cairn/contact.h) */
  o.column = CAIRN_PAD(8 * p);                              /* bytes from one to the next */
  o.age = o.memory + (unsigned long)size.memory * o.column; /* steps since the contact began; 0: no contact */
  o.normal = o.age + CAIRN_PAD(4 * p);                      /* [n_wall_pairs][3] to the wall, at the last step */
  o.wall_load =
      o.normal + CAIRN_PAD(24 * w); /* [n_wall_pairs][6] force on the wall, torque about the assembly's position */
  o.breaks = o.wall_load + CAIRN_PAD(48 * w); /* bonds that broke since the cell was built (kernels/soft/bond.h) */
  o.end = o.breaks + (size.n_bonds > 0 ? 64 * (1 + (unsigned long)size.n_bonds) : 0);
  return o;
}

/* Doubles in the block `state`. */
CAIRN_INLINE unsigned long cairn_state_doubles(struct cairn_cell_size size) {
  return (unsigned long)CAIRN_STATE * (unsigned long)size.n +
         (unsigned long)CAIRN_CAPTURE * (unsigned long)size.n_captures;
}

/* Offset of a body's capture in it. */
CAIRN_INLINE unsigned long cairn_capture_offset(struct cairn_cell_size size, cairn_int body) {
  return (unsigned long)CAIRN_STATE * (unsigned long)size.n + (unsigned long)CAIRN_CAPTURE * (unsigned long)body;
}

/* The world: what all cells share and what does not change. One block of doubles: these (RANGE is the largest of any
 * attraction of soft spheres, negative if there is none; NECKS is 1 with JKR; BONDS is where the laws of bonds begin,
 * N_BONDS how many there are), then n_laws struct
 * cairn_law_NAME (kernels/soft/laws.h), CAIRN_LAW_DOUBLES each, then the walls (their shape, the index of their
 * assembly, whether they are sticky or absorbing), then the meshes, then the laws of bonds. */
enum {
  CAIRN_WORLD_GX,
  CAIRN_WORLD_GY,
  CAIRN_WORLD_GZ,
  CAIRN_WORLD_LIMIT,
  CAIRN_WORLD_RANGE,
  CAIRN_WORLD_NECKS,
  CAIRN_WORLD_BONDS,
  CAIRN_WORLD_N_BONDS,
  CAIRN_WORLD_LAWS
};
/* A law: its constants, then those of the attraction of soft spheres (kernels/soft/attraction.h) and of the necks
 * between them (kernels/soft/neck.h). */
enum { CAIRN_LAW_ATTRACTION = 9, CAIRN_LAW_NECK = 13, CAIRN_LAW_DOUBLES = 15 };
enum { CAIRN_WALL_SHAPE = 0, CAIRN_WALL_ASSEMBLY = 10, CAIRN_WALL_CAPTURE = 11, CAIRN_WALL = 12 };
enum { CAIRN_WALL_CAPTURES = 1, CAIRN_WALL_REMOVES = -1 }; /* values of CAIRN_WALL_CAPTURE beside 0 */

/* What a cell reports to the driver about the steps since the report was reset. */
struct cairn_report {
  cairn_int steps;       /* steps done */
  cairn_int valid_steps; /* steps after which the pair list has expired; CAIRN_NEVER while it is valid */
  cairn_int bad_steps;   /* step in which a body failed: not finite, or faster than a radius per step; or CAIRN_NEVER */
  cairn_int bad_body;    /* its index in the cell */
  cairn_int overlap_steps;        /* steps with an overlap beyond the limit */
  cairn_int overlap_a, overlap_b; /* the largest: indices into `predicted`; b = -1 - wall for a wall */
  cairn_int breaks;               /* bonds that broke */
  double bond_gap;                /* m, largest gap that a bond spans; 0: none spans one */
  double overlap;                 /* its overlap over the smaller radius; 0: none */
  double displacement;            /* m, largest from the positions when the pair list was built, at the coming step */
  double speed;                   /* m/s, largest predicted for the coming step */
  double dissipated;              /* J, by contacts; contact dynamics only */
};

#define CAIRN_NEVER 0x7fffffff

/* The age of a contact after a step; it stops at CAIRN_NEVER, so that a long-lived contact does not wrap to new. */
CAIRN_INLINE cairn_uint cairn_blocks_age(cairn_uint age, double weight) {
  const cairn_uint older = age < (cairn_uint)CAIRN_NEVER ? age + 1u : age;
  return weight > 0. ? older : 0u;
}

/* A body after the first half of a step: kicked half a step, drifted a step, velocities predicted for its end
 * (kick–drift–kick leapfrog; Schwartz 2013, after eq. 2.1). Velocity and spin stand side by side, as in the state. */
struct cairn_leap {
  double x[3], kicked[6], predicted[6];
};

CAIRN_INLINE struct cairn_leap cairn_blocks_motion(const double *x, const double *v, const double *a, double h) {
  struct cairn_leap m;
  for (cairn_int k = 0; k < 6; k++) {
    const double kick = 0.5 * h * a[k];
    m.kicked[k] = v[k] + kick;
    m.predicted[k] = m.kicked[k] + kick;
  }
  for (cairn_int k = 0; k < 3; k++)
    m.x[k] = x[k] + h * m.kicked[k];
  return m;
}

/* The same from a body's state, copied first: arithmetic in device memory is slow. */
CAIRN_INLINE struct cairn_leap cairn_blocks_motion_of(CAIRN_GLOBAL const double *state, double h) {
  double s[CAIRN_STATE];
  for (cairn_int k = 0; k < CAIRN_STATE; k++)
    s[k] = state[k];
  return cairn_blocks_motion(s + CAIRN_STATE_X, s + CAIRN_STATE_V, s + CAIRN_STATE_A, h);
}

CAIRN_INLINE void cairn_blocks_show(const struct cairn_leap *m, CAIRN_GLOBAL double *predicted) {
  for (cairn_int k = 0; k < 3; k++) {
    predicted[CAIRN_PREDICTED_X + k] = m->x[k];
    predicted[CAIRN_PREDICTED_V + k] = m->predicted[k];
    predicted[CAIRN_PREDICTED_W + k] = m->predicted[3 + k];
  }
}

/* Predicted kinematics of a body at the coming step. The halo does this to its copies, with the same bits as the
 * owner. */
CAIRN_INLINE void cairn_blocks_predict(CAIRN_GLOBAL const double *state, double h, CAIRN_GLOBAL double *predicted) {
  const struct cairn_leap m = cairn_blocks_motion_of(state, h);
  cairn_blocks_show(&m, predicted);
}

/* What a step reports of one body. */
struct cairn_body_step {
  double displacement2; /* m², from its reference at the coming step */
  double speed2;        /* m²/s², predicted for the coming step */
  cairn_int bad;        /* not finite, or faster than a radius per step */
};

/* What a rotating frame adds at the end of a step: -2 Ω × v to the acceleration, -Ω × w to that of the spin, with the
 * velocities they lead to. The half kick before and this one make a rotation together (Boris 1970). */
CAIRN_INLINE void cairn_blocks_turn(const struct cairn_external *external, double h, double *v, double *a) {
  double dragged[3];
  cairn_external_turn(external, h, v);
  cairn_external_turn(external, 0.5 * h, v + 3);
  cairn_external_drag(external, 2., v, dragged);
  for (cairn_int k = 0; k < 3; k++)
    a[k] += dragged[k] - v[k];
  cairn_external_drag(external, 1., v + 3, dragged);
  for (cairn_int k = 0; k < 3; k++)
    a[3 + k] += dragged[k] - v[3 + k];
}

/* A whole step of one body, given the force and torque at its end: both kicks and the drift between them; its
 * predicted kinematics become those of the coming step. Doing all of it here lets a step pass over the bodies once. */
CAIRN_INLINE struct cairn_body_step cairn_blocks_step(CAIRN_GLOBAL double *state, CAIRN_GLOBAL double *predicted,
                                                      const double *force, double inverse_mass, double inverse_inertia,
                                                      CAIRN_GLOBAL const double *reference,
                                                      CAIRN_GLOBAL const double *gravity,
                                                      const struct cairn_external *external, double h) {
  const struct cairn_leap m = cairn_blocks_motion_of(state, h);
  const double radius = predicted[CAIRN_PREDICTED_R];
  struct cairn_body_step result = {0., 0., 0};
  double a[6], v[6], g[3] = {gravity[0], gravity[1], gravity[2]}, turn = 0.;
  cairn_external_accelerate(external, m.x, g);
  for (cairn_int k = 0; k < 3; k++) {
    a[k] = force[k] * inverse_mass + g[k];
    a[3 + k] = force[3 + k] * inverse_inertia;
  }
  for (cairn_int k = 0; k < 6; k++)
    v[k] = m.kicked[k] + 0.5 * h * a[k];
  if (external->rotates)
    cairn_blocks_turn(external, h, v, a);
  const struct cairn_leap next = cairn_blocks_motion(m.x, v, a, h);
  for (cairn_int k = 0; k < 3; k++) {
    const double d = next.x[k] - reference[k];
    result.displacement2 += d * d;
    result.speed2 += next.predicted[k] * next.predicted[k];
    turn += v[3 + k];
  }
  for (cairn_int k = 0; k < 3; k++)
    state[CAIRN_STATE_X + k] = m.x[k];
  for (cairn_int k = 0; k < 6; k++) {
    state[CAIRN_STATE_V + k] = v[k];
    state[CAIRN_STATE_A + k] = a[k];
  }
  cairn_blocks_show(&next, predicted);
  /* written so that NaN counts as bad; 0 × spin is NaN for a spin that is not finite */
  result.bad = !(result.speed2 * h * h <= radius * radius + 0. * turn);
  return result;
}

#endif
