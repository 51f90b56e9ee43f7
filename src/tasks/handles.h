/* The StarPU handles of the blocks of a cell. */
#ifndef CAIRN_TASKS_HANDLES_H
#define CAIRN_TASKS_HANDLES_H

#include <starpu.h>

#include "data/cells/cells.h"

struct cairn_cell_handles {
#define CAIRN_HANDLE(name) starpu_data_handle_t name; /* of the block; NULL if the cell has none */
  CAIRN_CELL_BLOCKS(CAIRN_HANDLE)
#undef CAIRN_HANDLE
  starpu_data_handle_t report, sums, measure; /* results */
  starpu_data_handle_t packet, size;          /* of a cell that is being built: its bodies, and how large it became */
};

/* Give every cell of a partition its handles, none of them registered yet, and take them away again. */
int cairn_task_handles_create(struct cairn_cells *cells);
void cairn_task_handles_free(struct cairn_cells *cells);

/* Register packet and size of a cell that is being built; wait until the cells from one to another have their packets;
 * until they are built; unregister both, which waits for the tasks on them. */
void cairn_task_handles_open(struct cairn_cells *cells, cairn_cell_t c);
void cairn_task_handles_wait(const struct cairn_cells *cells, cairn_cell_t from, cairn_cell_t to);
void cairn_task_handles_built(const struct cairn_cells *cells, cairn_cell_t from, cairn_cell_t to);
void cairn_task_handles_close(struct cairn_cells *cells, cairn_cell_t c);

/* Register the blocks of a built cell, and unregister them; the data are in main memory afterwards. */
void cairn_task_handles_register(struct cairn_cells *cells, cairn_cell_t c);
void cairn_task_handles_unregister(struct cairn_cells *cells, cairn_cell_t c);

#endif
