/* The tasks of a regrid: packets of bodies go from old cells to new ones. */
#ifndef CAIRN_TASKS_REGRID_REGRID_H
#define CAIRN_TASKS_REGRID_REGRID_H

#include "data/cells/cut.h"
#include "tasks/handles.h"

/* Where bodies come from: an old cell, or a stretch of a state. */
struct cairn_regrid_source {
  struct cairn_packet *packet; /* NULL if out of memory */
  struct cairn_packet_summary summary;
  struct cairn_cells_fault fault; /* a number in the old cell that no state may have */
  struct cairn_cut_spread spread; /* of its bodies, where cells are slices */
  struct cairn_morton *entry;     /* its bodies in order, the removed ones left out; NULL if out of memory */
  int32_t n_entries;
  starpu_data_handle_t handle; /* of this structure */
};

/* What the packets of a simulation depend on. */
struct cairn_regrid_rules {
  double h;               /* s, a step */
  bool is_bounded;        /* does the world have bounds? */
  double bounds[2][3];    /* m, of the world */
  double lower[3], scale; /* of the cube of the Morton order */
  starpu_data_handle_t state_handle;
  const struct cairn_state *state; /* behind it */
  int64_t offset;                  /* id of its first body */
};

/* n sources, nothing in them yet; NULL if out of memory. And their end; packets that they still have are freed. */
struct cairn_regrid_source *cairn_sources_create(int32_t n);
void cairn_sources_free(struct cairn_regrid_source *source, int32_t n);

/* Wait until the tasks on the sources are done. */
void cairn_sources_wait(const struct cairn_regrid_source *source, int32_t n);

/* A packet of a cell as it is now, and its summary. */
int cairn_task_snapshot_submit(const struct cairn_cells *cells, cairn_cell_t c, const struct cairn_regrid_rules *rules,
                               struct cairn_regrid_source *source);

/* The same by the caller, who waits until the cell is ready for it. */
void cairn_task_snapshot_here(const struct cairn_cells *cells, cairn_cell_t c, const struct cairn_regrid_rules *rules,
                              struct cairn_regrid_source *source);

/* The same of n bodies of the state, from `first` on. */
int cairn_task_chunk_submit(const struct cairn_cells_rules *cells, const struct cairn_regrid_rules *rules,
                            int64_t first, int32_t n, struct cairn_regrid_source *source);

/* The bodies of a source in Morton order. */
int cairn_task_order_submit(const struct cairn_regrid_rules *rules, struct cairn_regrid_source *source);

/* Slices: the spread of the bodies of a source, whose reference positions become the present ones first if `anew`;
 * their order along an axis; and for columns the order along another axis within each of n stretches, which end at
 * these places. */
int cairn_task_order_survey_submit(bool anew, struct cairn_regrid_source *source);
int cairn_task_order_along_submit(int axis, struct cairn_regrid_source *source);
int cairn_task_order_again_submit(int axis, const int32_t *end, int32_t n, struct cairn_regrid_source *source);

/* Give a new cell its bodies: those of a part of the cut, whose lists are these sources, all of a source that has no
 * order. *status is set on failure. */
int cairn_task_adopt_submit(struct cairn_cells *cells, cairn_cell_t c, struct cairn_regrid_source *const *source,
                            const struct cairn_cut *cut, int *status);

/* Build a cell's blocks from its packet and those of its neighbours (data/cells/cells.h); writes the cell's
 * size. */
int cairn_task_build_submit(struct cairn_cells *cells, cairn_cell_t c, int *status);

#endif
