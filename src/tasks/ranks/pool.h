/* Hard spheres on several ranks: bodies that meet those of another rank in a window, and all whom these reach, are
 * gathered by all ranks, which run them as one cell, each for itself and with the same bits (docs/decisions/0022).
 * Inside the task of a join, which all ranks reach in the same order. What runs out of memory ends all of them. */
#ifndef CAIRN_TASKS_RANKS_POOL_H
#define CAIRN_TASKS_RANKS_POOL_H

#include "data/cells/cells.h"
#include "tasks/ranks/ranks.h"

/* A body of the pool. Behind it the loads on its walls at the start of the window, [n_walls][6], its walls and their
 * laws, [n_walls] each, and the ids of the bodies near by, [n_near]. */
struct cairn_pool_guest {
  struct cairn_hard_path start;
  double w[3], first[3], reference[3]; /* spin at the start of the window; places at that of the drift, and of the cells
                                        */
  double inverse_mass, inverse_inertia;
  double lost[2]; /* and virial, in the windows before */
  int32_t id, rank, material, start_flags, n_near, n_walls;
};

static inline const double *cairn_pool_loads(const struct cairn_pool_guest *g) { return (const double *)(g + 1); }
static inline const int32_t *cairn_pool_walls(const struct cairn_pool_guest *g) {
  return (const int32_t *)(cairn_pool_loads(g) + 6 * (int64_t)g->n_walls);
}
static inline const int32_t *cairn_pool_near(const struct cairn_pool_guest *g) {
  return cairn_pool_walls(g) + 2 * (int64_t)g->n_walls;
}

/* A body near one of the pool: its path if nothing happens to it, else the box of what does. */
struct cairn_pool_other {
  int32_t id, has_record, flags, halo; /* halo: index in the cell of the pool; of those without a record */
  struct cairn_hard_path path;
  double lower[3], upper[3];
};

struct cairn_pool {
  const struct cairn_cells *cells;
  struct cairn_hard_join *join;
  struct cairn_soft_spheres blocks; /* what all cells share: constants, walls, step */

  /* Ghosts, those of each link after those of the one before: as far as the join asks for them. */
  int32_t *start; /* [links + 1] */
  struct cairn_hard_path *path;
  uint8_t *flags;
  int32_t *slot, *id;
  struct cairn_hard_ref *partner;

  int n_rounds;
  struct cairn_ranks_mail **mail; /* [n_rounds] guests as they came */
  int32_t n, n_others, n_wanted;
  const struct cairn_pool_guest **guest; /* [n] by id */
  struct cairn_pool_other *other;        /* [n_others] by id */
  int32_t *wanted;                       /* [n_wanted] ids of those in the way, ascending */
  struct cairn_hard_cell cell;           /* the pool as a cell */
  void *room;                            /* its arrays */
};

/* Put ghosts behind the cells of the join, which has room for them. */
void cairn_pool_begin(struct cairn_pool *pool);

/* After cairn_drift_join: run what concerns several ranks, and take back what became of the own bodies. */
void cairn_pool_run(struct cairn_pool *pool);

/* The ghosts as they are now, for the coming window. */
void cairn_pool_renew(struct cairn_pool *pool);

void cairn_pool_end(struct cairn_pool *pool);

/* ---- pool_cell.c: the pool as a cell ---- */

/* Zeroed memory. */
void *cairn_pool_get(size_t bytes);

/* Make the cell of the guests, and of the others that have no record as its halo. */
void cairn_pool_make_cell(struct cairn_pool *pool);

/* The guest or the other of this id: its index, or -1. */
int32_t cairn_pool_find_guest(const struct cairn_pool *pool, int32_t id);
int32_t cairn_pool_find_other(const struct cairn_pool *pool, int32_t id);

#endif
