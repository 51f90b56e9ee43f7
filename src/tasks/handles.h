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
  starpu_data_handle_t packet;                /* the cell's bodies while it is being built */
  starpu_data_handle_t token;                 /* the cell itself meanwhile */
};

/* Give every cell of a partition its handles, none of them registered yet, and take them away again. */
int cairn_task_handles_create(struct cairn_cells *cells);
void cairn_task_handles_free(struct cairn_cells *cells);

/* Register packet and token of a cell that is being built; wait until it has its packet; wait until it is built, which
 * unregisters the token; unregister both, which waits for the tasks on them. */
void cairn_task_handles_open(struct cairn_cells *cells, cairn_cell_t c);
void cairn_task_handles_wait(struct cairn_cells *cells, cairn_cell_t c);
void cairn_task_handles_built(struct cairn_cells *cells, cairn_cell_t c);
void cairn_task_handles_close(struct cairn_cells *cells, cairn_cell_t c);

/* Register the blocks of a built cell, and unregister them; the data are in main memory afterwards. */
void cairn_task_handles_register(struct cairn_cells *cells, cairn_cell_t c);
void cairn_task_handles_unregister(struct cairn_cells *cells, cairn_cell_t c);

#endif
