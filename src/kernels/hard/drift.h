/* The drift of hard spheres: straight paths between exact events (docs/decisions/0013).
 *
 * Within a drift of length h a body moves along a straight path (x, v, t): it was at x at time t after the start of the
 * drift. It is moved at its own events and at the end alone, so that its numbers do not depend on what happens
 * elsewhere. An event is a collision of two bodies or of a body and a wall; its time is a function of the paths of
 * those two alone. Events happen in the order (time, lower id, higher id), walls counting after all bodies. So one
 * queue over all bodies, and one queue for each set of bodies that do not meet the others, give the same bits.
 *
 * The drift is run in windows, one after the other. What has happened until the end of a window is known, so a window
 * is a short drift that starts from the paths as they are: their number changes no bit. A cell runs one queue over its
 * own bodies. Bodies linked by events form an island; one that meets a body of another cell is open. Open islands are
 * run again by a queue over all cells, and with them every island whose bodies they could reach. The shorter the
 * window, the smaller the islands.
 *
 * Most bodies meet nothing in a window. One that may gets a record.
 */
#ifndef CAIRN_KERNELS_HARD_DRIFT_H
#define CAIRN_KERNELS_HARD_DRIFT_H

#include "kernels/common/exact_sum.h"
#include "kernels/hard/collide.h"
#include "kernels/hard/impact.h"
#include "kernels/soft/soft_spheres.h"

/* A body of a cell, own or halo; or the wall -1 - body. */
struct cairn_hard_ref {
  int32_t cell, body;
};

enum {
  CAIRN_HARD_FIXED = 1,    /* captured: of infinite mass */
  CAIRN_HARD_CAPTURED = 2, /* captured in this window */
  CAIRN_HARD_GONE = 4,     /* removed, by an absorbing wall or by merging */
  CAIRN_HARD_FAR = 8,      /* farther from its reference than the neighbour list allows */
  CAIRN_HARD_OPEN = 16,    /* of an open island; of its root: the island is open */
  CAIRN_HARD_GROWN = 32    /* has taken up another body in this window */
};

/* The path of a body, one cache line: what everyone asks who may meet it. */
struct cairn_hard_path {
  double x[3], v[3], t, r;
};

/* The next event of a body; its partner stands in an array of its own, which is asked more often. */
struct cairn_hard_next {
  double when;  /* s since the start of the drift; INFINITY: none in this window */
  int64_t high; /* key: higher id, or number of bodies + wall */
  int32_t low;  /* lower id */
  int32_t pair; /* the partner in its cell; -1 - body: itself in the cell of the partner; at a wall: the pair */
  int32_t heap; /* place in the queue; -1: no event */
  int32_t padding;
};

/* An entry of the queue. */
struct cairn_hard_entry {
  double when;
  struct cairn_hard_ref ref;
};

enum { CAIRN_HARD_CLOSED = -1, CAIRN_HARD_CALLED = -2, CAIRN_HARD_POOLED = -3 }; /* in no group; will be; left it */

/* The record of a body in a window; what follows `start_flags` is put back together. */
struct cairn_hard_body {
  struct cairn_hard_path start;         /* at the start of the window */
  int32_t body;                         /* index in its cell */
  int32_t parent;                       /* record of the same island, up to its root */
  int32_t group;                        /* run again by this one; or: */
  int32_t chain;                        /* from the root on: the next record of its island; -1: the last */
  int32_t across;                       /* the halo body it was to meet first; -1: none */
  int32_t start_flags;                  /* at the start of the window */
  double w[3];                          /* rad/s */
  double lower[3], upper[3];            /* m, box around its centre during the window */
  double place[3], since;               /* where and when it was captured or removed, s since the start of the drift */
  double mass;                          /* kg, once it has taken up another body */
  double inverse_mass, inverse_inertia; /* 1/kg, 1/(kg m²) */
  double lost, virial;  /* J, in this drift: by the collisions of which it is the lower id; impulse times distance */
  double overlap;       /* of its worst event, over the smaller radius */
  int32_t overlap_with; /* body of its cell */
  int32_t captor;       /* wall that captured or removed it; number of walls + body that took it up */
  int32_t n_collisions, n_wall_collisions, n_slow, n_merges; /* counted by the lower id */
};

/* What a drift did, summed over a cell. */
struct cairn_hard_sums {
  int64_t collisions, wall_collisions, slow; /* slow: made elastic to end inelastic collapse */
  int64_t merges;
  struct cairn_exact_sum dissipated, virial; /* J; exact, so that cells and ranks do not show */
  int64_t island;                            /* bodies of the largest island, or of all that join across cells */
  int64_t records, joined;                   /* of all windows; of those in the queue over all cells */
  int64_t near;                              /* length of the lists of all records */
};

/* Head of the block `hard` of a cell; arrays follow. */
struct cairn_hard_head {
  int32_t n_records, n_boundary;
  int32_t n_open; /* islands that are run again */
  int32_t overlap_a, overlap_b;
  double overlap;              /* of the worst event, over the smaller radius */
  int32_t stuck;               /* body whose events do not end; -1: none */
  int32_t overflow;            /* has there been no room for all that are near, since the driver last looked? */
  int32_t grown;               /* has a body taken up another in this drift? */
  int32_t n_sorted;            /* bodies in bins */
  int32_t n_near;              /* length of all lists of this window */
  float range, moved;          /* in the units of the bins: reach; longest path on which a body starts the window */
  float tolerance;             /* rounding of products of places and paths in these units, and more */
  double reach;                /* m, how far a body may move in this window for its list to hold */
  double longest;              /* m, how far one has moved that was beyond it, since the driver last read it */
  struct cairn_hard_sums sums; /* since the driver last read them */
};

struct cairn_hard_offsets {
  unsigned long path, next, partner, flags, beside, slot, boundary, owner, near_begin, near_end, near, load, body, lost,
      grid, start, key, sorted, place, spot, end;
};

/* Spheres of similar radius in bins, at the start of a window, in units of the largest radius with its reach. */
struct cairn_hard_grid {
  int32_t n, bins[3], first; /* first: of its bins, in the order of all */
  float radius;              /* largest */
  float lower[3], per_width;
};
enum { CAIRN_HARD_LANES = 8 };    /* bodies that are looked at together */
enum { CAIRN_HARD_CLASSES = 12 }; /* octaves of radius; all that is smaller is in the last one */

/* Byte offsets in the block `hard`. */
CAIRN_INLINE struct cairn_hard_offsets cairn_drift_offsets(struct cairn_cell_size size) {
  const unsigned long n = (unsigned long)size.n, all = n + (unsigned long)size.n_halo;
  struct cairn_hard_offsets o;
  o.path = CAIRN_PAD(sizeof(struct cairn_hard_head)); /* [n + n_halo] */
  o.next = o.path + sizeof(struct cairn_hard_path) * all;
  o.partner = o.next + CAIRN_PAD(sizeof(struct cairn_hard_next) * n); /* [n] of the next event */
  o.flags = o.partner + CAIRN_PAD(8 * n);                             /* [n + n_halo] */
  o.beside = o.flags + CAIRN_PAD(all);    /* [n] 1: has a halo body in its list; as the lists, of those with a record */
  o.slot = o.beside + CAIRN_PAD(n);       /* [n] record of each own body; -1: none */
  o.boundary = o.slot + CAIRN_PAD(4 * n); /* [n] records of closed islands beside bodies of other cells */
  o.owner = o.boundary + CAIRN_PAD(4 * n);                            /* [n_halo] cell and index of the halo bodies */
  o.near_begin = o.owner + CAIRN_PAD(8 * (unsigned long)size.n_halo); /* [n] where the list of a body begins */
  o.near_end = o.near_begin + CAIRN_PAD(4 * n);                       /* [n] and ends */
  o.near = o.near_end + CAIRN_PAD(4 * n); /* [n_near] 2 × index of a body that may be met, + 1 if its id is lower */
  o.load = o.near + CAIRN_PAD(4 * (unsigned long)size.n_near);
  /* [n_wall_pairs][6] loads on walls at the start of the window; absent in the only cell */
  o.body = o.load + (size.n_halo > 0 ? CAIRN_PAD(48 * (unsigned long)size.n_wall_pairs) : 0);
  o.lost = o.body + CAIRN_PAD(sizeof(struct cairn_hard_body) * n);
  o.grid = o.lost + CAIRN_PAD(16 * n); /* [n][2] lost and virial of the windows before; 0 between drifts */
  o.start = o.grid + CAIRN_PAD(sizeof(struct cairn_hard_grid) * CAIRN_HARD_CLASSES);
  o.key = o.start + CAIRN_PAD(4 * (2 * all + 8 * CAIRN_HARD_CLASSES + 2)); /* start: where the bodies of a bin begin */
  o.sorted = o.key + CAIRN_PAD(4 * all);                                   /* [n + n_halo] bin of each body */
  o.place = o.sorted + CAIRN_PAD(4 * all);                                 /* [n + n_halo] bodies by bins */
  o.spot = o.place + CAIRN_PAD(28 * (all + CAIRN_HARD_LANES)); /* [7] where they are, their radius, their path */
  o.end = o.spot + CAIRN_PAD(16 * all);                        /* [4] the first of these in the order of bodies */
  return o;
}

/* A cell as the drift sees it. */
struct cairn_hard_cell {
  struct cairn_soft_spheres blocks; /* bodies, pairs, walls; predicted: x, kicked v at the start of the drift, w at that
                                       of the window */
  const int32_t *first, *entry;     /* pairs with walls by body; NULL: none */
  const int32_t *material;          /* [n + n_halo] */
  const int32_t *id, *halo_id;
  struct cairn_hard_head *head;
  struct cairn_hard_path *path;
  struct cairn_hard_next *next;
  struct cairn_hard_ref *partner;
  uint8_t *flags, *beside;
  int32_t *slot, *boundary;
  const struct cairn_hard_ref *owner;
  int32_t *near_begin, *near_end, *near;
  double *load, *lost;
  struct cairn_hard_body *body;
  struct cairn_hard_grid *grid;
  int32_t *start, *key, *sorted;
  float *place[7], (*spot)[4];
};

/* What a queue runs over. */
struct cairn_hard_scope {
  struct cairn_hard_cell *cell;  /* one of them, or all; with `all` ghosts of other ranks behind them */
  int32_t n_cells;               /* without ghosts */
  int32_t all;                   /* over all cells, the bodies of one group */
  struct cairn_hard_entry *heap; /* [bodies] */
  int32_t n_heap;
  int32_t group;                /* with `all`: the group of bodies that it runs */
  struct cairn_hard_ref *taken; /* with `all`: who joins on the way; NULL: nobody may */
  int32_t n_taken;
  struct cairn_hard_ref wanted, stuck; /* with `all`: a body that has to join the group; one whose events do not end */
  double longest;                      /* m, how far a body has moved that was beyond the reach */
  const int32_t *symmetric;            /* [n_assemblies] does turning leave the shape as it is? */
  int64_t n_bodies;                    /* of the simulation */
  int32_t n_walls;                     /* of the simulation */
  int32_t merge;                       /* do bodies merge when they meet? */
  int32_t n_materials;                 /* of the simulation */
  const int32_t *law;                  /* [n_materials][n_materials] index of the law of two materials */
  double drift;                        /* m, bodies may move as far as that in a window, if not farther */
  double reach;                        /* m, the same, if cells are to agree; 0: each finds out */
  int32_t window, n_windows;           /* this one, and how many make the drift */
  double h;                            /* s */
  double time;                         /* s, at the end of the drift */
  double from, end;                    /* s since the start of the drift: the window */
  double slow;                         /* m/s, collisions with a smaller normal speed are elastic */
  int64_t n_events, most_events;
};

/* Inline, as the functions of the library are not. */
CAIRN_INLINE double cairn_drift_lower(double a, double b) { return a < b ? a : b; }
CAIRN_INLINE double cairn_drift_higher(double a, double b) { return a > b ? a : b; }

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

/* One window of a cell: in the first, kick the own bodies by half a step; find who may meet whom, and run the queue. */
void cairn_drift_begin(struct cairn_hard_scope *scope);

/* A group of bodies that is run over all cells, and what it found. */
enum { CAIRN_HARD_NOTES = 4 };
struct cairn_hard_group {
  int32_t parent;         /* the group it has become part of, or itself */
  int32_t first, n;       /* its members */
  int32_t is_due, is_cut; /* to be run; not run to the end */
  int32_t is_abroad;      /* meets bodies of other ranks: it is not run here */
  int32_t n_notes;
  struct cairn_hard_ref note[CAIRN_HARD_NOTES]; /* bodies in its way */
  struct cairn_hard_ref stuck;
  double longest;
};

/* Events across cells: room for all bodies, and how work is shared: share(team, n, work, arg) calls work(arg, i) for
 * all i below n, in any order. */
struct cairn_hard_join {
  struct cairn_hard_scope scope;
  int32_t n_members, n_groups, n_due, n_due_members;
  struct cairn_hard_ref *member, *sorted;
  struct cairn_hard_group *group;
  int32_t *due;
  int32_t part[65];
  int32_t n_rounds;
  void (*share)(void *team, int32_t n, void (*work)(void *arg, int32_t i), void *arg);
  void *team;
};

/* Open islands and whom they reach are run again, unless they meet bodies of other ranks. */
void cairn_drift_join(struct cairn_hard_join *join);

/* Halo bodies get their paths for the coming window. */
void cairn_drift_join_renew(struct cairn_hard_join *join);

/* A body of this rank is in the way of one of another rank: it is to be run with that, and with it its island or group.
 * And: all that are to be and were not told before, [n_bodies]; returns how many. */
void cairn_drift_join_send(struct cairn_hard_join *join, struct cairn_hard_ref ref);
int32_t cairn_drift_join_leave(struct cairn_hard_join *join, struct cairn_hard_ref *who);

/* Bodies of several ranks as the own bodies of one cell, whose records have their start: run their queue, from the
 * start of the window on. Those that meet its halo are open. */
void cairn_drift_pool_run(struct cairn_hard_scope *scope);

/* End of the drift and second half kick of one cell. Adds to the report and to the sums. */
void cairn_drift_end(struct cairn_hard_scope *scope, struct cairn_report *report);

/* Whole steps of the only cell, or until the pair list expires or a body fails; `set` are walls that move along, or
 * NULL; `step` is the number of steps done before. */
void cairn_drift_advance(struct cairn_hard_scope *scope, const struct cairn_walls_set *set,
                         struct cairn_report *walls_report, int64_t step, int32_t n_steps, struct cairn_report *report);

/* Set the window that a scope runs: those before it are over. */
CAIRN_INLINE void cairn_drift_set_window(struct cairn_hard_scope *s, int32_t window) {
  s->window = window;
  s->from = s->h * (double)window / (double)s->n_windows;
  s->end = window + 1 >= s->n_windows ? s->h : s->h * (double)(window + 1) / (double)s->n_windows;
}

/* Events of a drift beyond which it does not end: an inelastic collapse. */
CAIRN_INLINE int64_t cairn_drift_most_events(int64_t n) { return 10000 * n + 1000000; }

/* ---- between the files of the drift ---- */

/* Sort the bodies of a cell into bins, as they are at the start of the window, and offer events to all that meet others
 * on their paths as they are. */
void cairn_drift_grid_meet(struct cairn_hard_scope *scope);

/* List the bodies that an own body may meet in the window, whatever becomes of their paths. */
void cairn_drift_grid_list(const struct cairn_hard_cell *cell, int32_t body);

/* Offer their event to two bodies of a cell if they meet in the window on their paths as they are. */
void cairn_drift_queue_meet(struct cairn_hard_scope *scope, int32_t a, int32_t b);

/* Run the queue until no event is left. */
void cairn_drift_queue_run(struct cairn_hard_scope *scope);

/* Make the record of an own body that has none; put one back to the start of the window. */
struct cairn_hard_body *cairn_drift_queue_record(struct cairn_hard_scope *scope, struct cairn_hard_ref ref);
void cairn_drift_queue_reset(const struct cairn_hard_cell *cell, struct cairn_hard_body *record, int32_t flags);

/* The next event of a body among all its pairs. */
void cairn_drift_queue_predict(struct cairn_hard_scope *scope, struct cairn_hard_ref ref);

/* Offer an event at time `when` to a body: it is kept if it is the earliest so far. */
void cairn_drift_queue_offer(struct cairn_hard_scope *scope, struct cairn_hard_ref ref, double when, int32_t low,
                             int64_t high, struct cairn_hard_ref partner, int32_t pair);

/* The time of impact of two bodies, that of lower id first, in s since the start of the drift; INFINITY if it is not in
 * this window. The same bits whoever asks. */
CAIRN_INLINE double cairn_drift_queue_impact(const struct cairn_hard_scope *s, const struct cairn_hard_path *one,
                                             const struct cairn_hard_path *two) {
  const double from = one->t > two->t ? one->t : two->t, d1 = from - one->t, d2 = from - two->t;
  double rho[3], u[3];
  for (int k = 0; k < 3; k++) {
    rho[k] = (two->x[k] + two->v[k] * d2) - (one->x[k] + one->v[k] * d1);
    u[k] = two->v[k] - one->v[k];
  }
  const double b = cairn_vec3_dot(rho, u), reach = one->r + two->r;
  if (!(b < 0.))
    return INFINITY;
  /* not before the end of the window, with room for rounding: what follows decides where it is close */
  if (cairn_vec3_dot(rho, rho) - reach * reach > -2. * b * ((s->end - from) * (1. + 1e-9) + 1e-14 * s->h))
    return INFINITY;
  const double when = from + cairn_impact_spheres(rho, u, reach, s->h - from);
  return when <= s->end || s->end == s->h ? when : INFINITY;
}

/* Do the boxes of two bodies, lower and upper corners, stay apart by more than this? */
CAIRN_INLINE int cairn_drift_is_apart(const double *lower, const double *upper, const double *its_lower,
                                      const double *its_upper, double reach) {
  double d2 = 0.;
  for (int k = 0; k < 3; k++) {
    const double above = its_lower[k] - upper[k], below = lower[k] - its_upper[k];
    const double gap = above > below ? above : below;
    d2 += gap > 0. ? gap * gap : 0.;
  }
  return d2 > reach * reach * (1. + 1e-12);
}

/* Close the box of a record at the end of the window. */
CAIRN_INLINE void cairn_drift_close_box(const struct cairn_hard_cell *c, struct cairn_hard_body *r, double end) {
  const struct cairn_hard_path *p = c->path + r->body;
  for (int k = 0; k < 3; k++) {
    const double last = p->x[k] + p->v[k] * (end - p->t);
    r->lower[k] = cairn_drift_lower(r->lower[k], last);
    r->upper[k] = cairn_drift_higher(r->upper[k], last);
  }
}

/* Is a body that is at x still where lists may be used? */
void cairn_drift_queue_check(struct cairn_hard_scope *scope, const struct cairn_hard_cell *cell, int32_t body,
                             const double *x);

int32_t cairn_drift_queue_root(const struct cairn_hard_cell *cell, int32_t record);

/* Time of impact of a body with a wall from its path, in s since the start of the drift; INFINITY: not in this window.
 */
double cairn_drift_walls_impact(const struct cairn_hard_scope *scope, const struct cairn_hard_cell *cell, int32_t wall,
                                const struct cairn_hard_path *path);

/* The body reaches the wall now: it bounces, is captured or removed. Returns the energy lost. */
double cairn_drift_walls_hit(const struct cairn_hard_scope *scope, const struct cairn_hard_cell *cell, int32_t pair,
                             struct cairn_hard_body *record);

#endif
