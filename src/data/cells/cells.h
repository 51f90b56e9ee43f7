/* Cells: leaves of an octree over Morton keys, each with the blocks its tasks work on. */
#ifndef CAIRN_DATA_CELLS_CELLS_H
#define CAIRN_DATA_CELLS_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#include "data/cells/cell_blocks.h"
#include "data/cells/packet.h"
#include "kernels/contact_dynamics/cd_free_walls.h"
#include "kernels/hard/drift.h"

/* Index of a cell; bodies in a cell and its halo are counted in int32_t too. */
typedef int32_t cairn_cell_t;

/* Owner of a halo body. */
struct cairn_halo_source {
  int32_t neighbor; /* index into the cell's list of neighbours */
  int32_t index;    /* in that cell */
};

struct cairn_cell {
  cairn_cell_t number; /* among the cells of all ranks, in the order of the cut */
  struct cairn_cell_size size;
  struct cairn_packet *packet; /* the own bodies when the cell was built, or at the latest snapshot */
  int32_t *id;                 /* [n] own bodies, ascending */
  int32_t *halo_id;            /* [n_halo] bodies of neighbours that occur in a pair, or come near, ascending */
  double lower[3], upper[3];   /* m, box around the own spheres */
  int32_t n_neighbors;
  cairn_cell_t *neighbor;         /* cells whose boxes, grown by the skin, reach this one */
  struct cairn_halo_source *halo; /* [n_halo] */

  bool is_predicted; /* will the tasks submitted so far leave the own bodies predicted for the coming step? */

  /* Blocks (kernels/common/blocks.h) and results. */
  double *state, *predicted;
  void *pair_list, *history;
  struct cairn_report report;
  struct cairn_sums sums;

  /* Contact dynamics (kernels/contact_dynamics/cd_cell.h), else NULL. */
  double *velocities;
  void *groups;
  int32_t n_free_contacts; /* room for so many contacts with walls of free assemblies */
  void *free_contacts;     /* NULL without room */
  struct cairn_cd_measure measure;
  int32_t color;           /* no two sweeps over cells of one colour change the bodies of one cell */
  cairn_cell_t last_sweep; /* the cell whose sweep is the last over the bodies of this one, by its number among all */

  void *hard; /* hard spheres: records of a drift (kernels/hard/drift.h), else NULL */

  double cost;  /* ns that a body took in a step, in the cells before; 0: unknown */
  int64_t time; /* ns that the tasks of this cell have taken, where there are several ranks */

  struct cairn_cell_handles *handles; /* handles of the blocks (tasks/handles.h); not owned */
};

/* A cell of another rank that reaches into one of these, as far as it does: its bodies near by. */
struct cairn_ghost {
  struct cairn_packet *packet; /* while cells are built, else NULL */
  cairn_cell_t number;         /* of the cell among those of all ranks */
  int32_t link;                /* to its rank (tasks/ranks/links.h) */
  int32_t first;               /* of its bodies among those that come over that link */
};

/* Id of the body at an index of `predicted`: own bodies first, halo bodies after them. */
static inline int32_t cairn_cells_body(const struct cairn_cell *cell, int32_t index) {
  return index < cell->size.n ? cell->id[index] : cell->halo_id[index - cell->size.n];
}

/* How space is cut (data/cells/cut.h): leaves of an octree over Morton keys; slices, or columns, by the reference
 * positions. */
enum cairn_cells_partition { CAIRN_CELLS_OCTREE, CAIRN_CELLS_SLICES };

/* What building the cells depends on beside the bodies. */
struct cairn_cells_rules {
  enum cairn_cells_partition partition;
  int32_t n_materials;
  const int32_t *law; /* [n_materials][n_materials] index of the law of two materials */
  int32_t n_walls, n_laws;
  const double *world;      /* the block all cells share (kernels/common/blocks.h), with the walls */
  const double *assemblies; /* their block: predicted kinematics are those of the current step */
  const int32_t *wall_law;  /* [n_walls][n_materials] */
  const double *wall_mass;  /* kg [n_walls] infinite unless its assembly is free to move */
  uint32_t memory;          /* what contacts between bodies remember (cairn/contact.h) */
  bool captures;            /* are there sticky or absorbing walls? */
  bool fields;              /* does each body have its own gravity? */
  bool extras;              /* do packets hold what bodies have in some runs only? */
  bool devices;             /* does a device take part? Soft spheres: pairs by body; contact dynamics: colours */
  bool by_reference;        /* are cells made from reference positions? */
  bool own_pairs;           /* is a pair listed by the lower of its two cells alone? Else by both */
  bool pairs_by_body;       /* are the pairs of each body listed, whatever the devices? */
  double near;              /* above 0: pairs of bodies are for the tasks to find, in lists with room for so many
                               neighbours of a body, and all bodies near a cell are in its halo; else 0 */
  bool solves;              /* are contacts solved for impulses, in groups? */
  const struct cairn_cell_block *blocks; /* [n_blocks] that cells have beside the common ones */
  int n_blocks;
  bool rotation; /* as in struct cairn_cell_size */
};

struct cairn_cells {
  int64_t n;              /* bodies, with the removed ones, which are in no cell */
  double skin, wall_skin; /* m: between bodies, and between bodies and walls */
  cairn_cell_t n_cells;
  cairn_cell_t first; /* cells of lower ranks */
  struct cairn_cell *cell;
  int32_t n_colors; /* contact dynamics: of all ranks */
  struct cairn_cells_rules rules;
  int32_t n_ghosts; /* as neighbours they are numbered behind the cells */
  struct cairn_ghost *ghost;
  struct cairn_links *links; /* to other ranks (tasks/ranks/links.h), NULL if there are none; not owned */
};

/* Does a sphere reach into a box? */
static inline bool cairn_cells_near(const double x[3], double r, const double lower[3], const double upper[3]) {
  return x[0] + r > lower[0] && x[0] - r < upper[0] && x[1] + r > lower[1] && x[1] - r < upper[1] &&
         x[2] + r > lower[2] && x[2] - r < upper[2];
}

/* The number of a neighbour among the cells of all ranks. */
static inline cairn_cell_t cairn_cells_number(const struct cairn_cells *cells, cairn_cell_t c) {
  return c < cells->n_cells ? cells->cell[c].number : cells->ghost[c - cells->n_cells].number;
}

/* How many of its neighbours are cells of this rank: they come first. */
static inline int32_t cairn_cells_near_ones(const struct cairn_cells *cells, const struct cairn_cell *cell) {
  int32_t n = 0;
  while (n < cell->n_neighbors && cell->neighbor[n] < cells->n_cells)
    n++;
  return n;
}

/* The packet of a neighbour: a cell or a ghost. */
static inline const struct cairn_packet *cairn_cells_packet(const struct cairn_cells *cells, cairn_cell_t c) {
  return c < cells->n_cells ? cells->cell[c].packet : cells->ghost[c - cells->n_cells].packet;
}

/* As many cells as there are parts, without bodies, numbered in order. */
int cairn_cells_create(struct cairn_cells *cells, cairn_cell_t n_cells, const struct cairn_cells_rules *rules,
                       struct cairn_error *error);

/* Give a cell its bodies: a packet, which becomes its own. Sets ids and box. Safe to call for different cells at once.
 * Not 0 if out of memory; `packet` may be NULL for that reason. */
int cairn_cells_adopt(struct cairn_cells *cells, cairn_cell_t c, struct cairn_packet *packet);

/* Find each cell's neighbours once all have their bodies: cells whose boxes, grown by the skin, reach it. */
int cairn_cells_find_neighbors(struct cairn_cells *cells, double skin, struct cairn_error *error);

/* Add one more, in ascending order. Not 0 if out of memory. */
int cairn_cells_add_neighbor(struct cairn_cell *cell, cairn_cell_t other);

/* All of the above for the bodies of a state, without tasks: for tests and benchmarks. */
int cairn_cells_partition(struct cairn_cells *cells, const struct cairn_state *state,
                          const struct cairn_cells_rules *rules, int64_t max_bodies, double skin,
                          struct cairn_error *error);

/* Build the blocks of one cell from its packet and those of its neighbours: bodies, halo, pair list, history. Safe to
 * call for different cells at once. */
int cairn_cells_build(struct cairn_cells *cells, cairn_cell_t c, struct cairn_error *error);

/* Note in the packet of a cell what its bodies cost, after n_steps of its tasks; n_before steps in earlier cells. */
void cairn_cells_note_cost(struct cairn_cell *cell, int64_t n_steps, int64_t n_before);

/* A packet of the bodies and contacts of a cell as they are now; NULL if out of memory. State, pair list and history
 * must be acquired. */
struct cairn_packet *cairn_cells_snapshot(const struct cairn_cells *cells, cairn_cell_t c);

/* Tell the bodies of a cell, its halo and its packet the gravity that acts on them, m/s², [][3]: that of the bodies of
 * each cell, and behind them of each ghost, begins at first[]. Its pair list must be acquired for writing. */
void cairn_cells_set_gravity(const struct cairn_cells *cells, struct cairn_cell *cell, const int64_t *first,
                             const double *gravity);

/* Give the own bodies of a cell, and its packet, velocities and spins of the state; the cell's own state must be
 * acquired for writing. */
void cairn_cells_set_velocities(struct cairn_cell *cell, const struct cairn_state *state);

/* Copy all bodies and contacts of the cells as they are now into `state`, which has room for them. For tests. */
int cairn_cells_capture(const struct cairn_cells *cells, struct cairn_state *state, struct cairn_error *error);

/* Which numbers of a cell are invalid: those of a body, or the history of a contact with another body or with a wall.
 */
enum cairn_cells_fault_kind { CAIRN_CELLS_SOUND, CAIRN_CELLS_BODY, CAIRN_CELLS_CONTACT, CAIRN_CELLS_WALL_CONTACT };
struct cairn_cells_fault {
  enum cairn_cells_fault_kind kind;
  int32_t body, other; /* ids; `other` is a wall in the last case */
};

/* Does the cell hold a number that a state may not have (data/state/state_check.h)? Puts it into *fault, unless that
 * names a lower body already. State, pair list and history must be acquired. */
void cairn_cells_find_fault(const struct cairn_cells *cells, cairn_cell_t c, struct cairn_cells_fault *fault);

/* Is everything consistent: each body in one cell, ids sorted, pairs sorted and in range, halo bodies where they should
 * be, each close pair in the lists of both owners? For tests: compares with a search over all pairs. */
bool cairn_cells_is_valid(const struct cairn_cells *cells, const struct cairn_state *state);

/* Free all blocks; the handles must be gone. */
void cairn_cells_fini(struct cairn_cells *cells);

/* Bytes held by the blocks of all cells. */
size_t cairn_cells_memory(const struct cairn_cells *cells);

#endif
