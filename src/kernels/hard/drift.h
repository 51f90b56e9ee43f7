/* The drift of hard spheres: straight paths between exact events (docs/decisions/0013).
 *
 * Within a drift of length h a body moves along a straight path (x, v, t): it was at x at time t after the start of the
 * drift. It is moved at its own events and at the end alone, so that its numbers do not depend on what happens
 * elsewhere. An event is a collision of two bodies or of a body and a wall; its time is a function of the paths of
 * those two alone. Events happen in the order (time, lower id, higher id), walls counting after all bodies. So one
 * queue over all bodies, and one queue for each set of bodies that do not meet the others, give the same bits.
 *
 * Most bodies meet nothing. One that may gets a record: its path, its next event, the box its path stays in. A cell
 * runs one queue over its own bodies. Bodies linked by events form an island; one that meets a body of another cell is
 * open. Open islands are run again by a queue over all cells, and with them every island whose bodies they could reach.
 */
#ifndef CAIRN_KERNELS_HARD_DRIFT_H
#define CAIRN_KERNELS_HARD_DRIFT_H

#include "kernels/hard/collide.h"
#include "kernels/soft/soft_spheres.h"

/* A body of a cell, own or halo; or the wall -1 - body. */
struct cairn_hard_ref {
  int32_t cell, body;
};

enum {
  CAIRN_HARD_FIXED = 1,    /* captured: of infinite mass */
  CAIRN_HARD_CAPTURED = 2, /* captured in this drift */
  CAIRN_HARD_GONE = 4,     /* removed in this drift, by an absorbing wall or by merging */
  CAIRN_HARD_FAR = 8,      /* farther from its reference than the neighbour list allows */
  CAIRN_HARD_OPEN = 16,    /* of an open island; of its root: the island is open */
  CAIRN_HARD_MEMBER = 32,  /* of the queue over all cells */
  CAIRN_HARD_PULLED = 64   /* root of an island that joins the queue over all cells */
};

/* The record of a body in a drift. */
struct cairn_hard_body {
  double x[3], v[3], w[3], t;    /* path and spin */
  double when;                   /* s, its next event; INFINITY: none */
  double lower[3], upper[3];     /* m, box around its centre during the drift */
  double place[3], since;        /* where and when it was captured or removed, s since the start of the drift */
  double lost, virial;           /* J, by the collisions of which it is the lower id; impulse times distance */
  int64_t high;                  /* key of the next event: higher id, or number of bodies + wall */
  int32_t low;                   /* lower id */
  int32_t body;                  /* index in its cell */
  struct cairn_hard_ref partner; /* of the next event */
  int32_t pair;                  /* in the list of its cell */
  int32_t heap;                  /* place in the queue; -1: no event */
  int32_t parent;                /* record of the same island, up to its root */
  int32_t flags;
  int32_t wall;                                    /* that captured or removed it */
  int32_t n_collisions, n_wall_collisions, n_slow; /* counted by the lower id */
};

/* What a drift did, summed over a cell. */
struct cairn_hard_sums {
  int64_t collisions, wall_collisions, slow; /* slow: made elastic to end inelastic collapse */
  double dissipated, virial;                 /* J */
  int64_t island;                            /* bodies of the largest island, or of all that join across cells */
};

/* Head of the block `hard` of a cell; arrays follow. */
struct cairn_hard_head {
  int32_t n_records, n_boundary;
  int32_t overlap_a, overlap_b;
  double overlap; /* of the worst event, over the smaller radius */
  int32_t stuck;  /* body whose events do not end; -1: none */
  int32_t linked; /* is the list of other bodies filled? */
  int32_t joined; /* did most records of the drift before join the queue over all cells? */
  int32_t padding;
  struct cairn_hard_sums sums; /* since the driver last read them */
};

struct cairn_hard_offsets {
  unsigned long slot, boundary, owner, other, body, end;
};

/* Byte offsets in the block `hard`. */
CAIRN_INLINE struct cairn_hard_offsets cairn_drift_offsets(struct cairn_cell_size size) {
  const unsigned long n = (unsigned long)size.n;
  struct cairn_hard_offsets o;
  o.slot = CAIRN_PAD(sizeof(struct cairn_hard_head)); /* [n] record of each own body; -1: none */
  o.boundary = o.slot + CAIRN_PAD(4 * n);             /* [n] records of closed islands beside bodies of other cells */
  o.owner = o.boundary + CAIRN_PAD(4 * n);            /* [n_halo] cell and index of the halo bodies */
  o.other = o.owner + CAIRN_PAD(8 * (unsigned long)size.n_halo);
  /* [n_pairs_by_body] index of the other body, or of the wall, of each entry */
  o.body = o.other + CAIRN_PAD(4 * (unsigned long)size.n_pairs_by_body);
  o.end = o.body + CAIRN_PAD(sizeof(struct cairn_hard_body) * n);
  return o;
}

/* A cell as the drift sees it. */
struct cairn_hard_cell {
  struct cairn_soft_spheres blocks; /* bodies, pairs, walls; predicted: x, kicked v and w at the start of the drift */
  const int32_t *first, *entry;     /* pairs by body */
  const int32_t *id, *halo_id;
  struct cairn_hard_head *head;
  int32_t *slot, *boundary;
  const struct cairn_hard_ref *owner;
  int32_t *other;
  struct cairn_hard_body *body;
};

/* What a queue runs over. */
struct cairn_hard_scope {
  struct cairn_hard_cell *cell; /* one of them, or all */
  int32_t n_cells;
  int32_t all;                 /* the queue over all cells */
  struct cairn_hard_ref *heap; /* [bodies] */
  int32_t n_heap;
  int32_t n_pulled;         /* islands found that have to join */
  const int32_t *symmetric; /* [n_assemblies] does turning leave the shape as it is? */
  int64_t n_bodies;         /* of the simulation */
  double h;                 /* s */
  double slow;              /* m/s, collisions with a smaller normal speed are elastic */
  int64_t n_events, most_events;
};

struct cairn_hard_cell cairn_drift_bind(const struct cairn_soft_spheres *blocks, const void *pair_list, void *hard,
                                        const int32_t *id, const int32_t *halo_id);

/* A body at the start of a drift, from its state: what the halo copies too. */
CAIRN_INLINE void cairn_drift_kick(const double *state, double h, double *predicted) {
  for (int k = 0; k < 3; k++) {
    predicted[CAIRN_PREDICTED_X + k] = state[CAIRN_STATE_X + k];
    predicted[CAIRN_PREDICTED_V + k] = state[CAIRN_STATE_V + k] + 0.5 * h * state[CAIRN_STATE_A + k];
    predicted[CAIRN_PREDICTED_W + k] = state[CAIRN_STATE_W + k] + 0.5 * h * state[CAIRN_STATE_AW + k];
  }
}

/* Kick the own bodies by half a step, find who may meet whom, and run the queue of the cell. */
void cairn_drift_begin(struct cairn_hard_scope *scope);

/* The queue over all cells: open islands and whom they reach. */
void cairn_drift_join(struct cairn_hard_scope *scope);

/* End of the drift and second half kick of one cell; `time` is that of the end of the step. Adds to the report and to
 * the sums. */
void cairn_drift_end(struct cairn_hard_scope *scope, double time, struct cairn_report *report);

/* Whole steps of the only cell, or until the pair list expires or a body fails; `set` are walls that move along, or
 * NULL; `step` is the number of steps done before. */
void cairn_drift_advance(struct cairn_hard_scope *scope, const struct cairn_walls_set *set,
                         struct cairn_report *walls_report, int64_t step, int32_t n_steps, struct cairn_report *report);

/* Events of a drift beyond which it does not end: an inelastic collapse. */
CAIRN_INLINE int64_t cairn_drift_most_events(int64_t n) { return 10000 * n + 1000000; }

/* ---- between the files of the drift ---- */

/* Run the queue until no event is left. */
void cairn_drift_queue_run(struct cairn_hard_scope *scope);

/* Make the record of an own body that has none; put one back to the start of the drift. */
struct cairn_hard_body *cairn_drift_queue_record(struct cairn_hard_scope *scope, struct cairn_hard_ref ref);
void cairn_drift_queue_reset(const struct cairn_hard_cell *cell, struct cairn_hard_body *record, int32_t flags);

/* The next event of a body among all its pairs. */
void cairn_drift_queue_predict(struct cairn_hard_scope *scope, struct cairn_hard_ref ref);

/* Offer an event at time `when` to a body: it is kept if it is the earliest so far. */
void cairn_drift_queue_offer(struct cairn_hard_scope *scope, struct cairn_hard_ref ref, double when, int32_t low,
                             int64_t high, struct cairn_hard_ref partner, int32_t pair);

int32_t cairn_drift_queue_root(const struct cairn_hard_cell *cell, int32_t record);

/* Time of impact of a body with a wall from its path, in s since the start of the drift. */
double cairn_drift_walls_impact(const struct cairn_hard_scope *scope, const struct cairn_hard_cell *cell, int32_t wall,
                                const double *x, const double *v, double t, double radius);

/* The body reaches the wall now: it bounces, is captured or removed. Returns the energy lost. */
double cairn_drift_walls_hit(const struct cairn_hard_scope *scope, const struct cairn_hard_cell *cell, int32_t pair,
                             struct cairn_hard_body *record);

#endif
