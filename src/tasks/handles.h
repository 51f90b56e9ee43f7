/* The StarPU handles of the blocks of a cell. */
#ifndef CAIRN_TASKS_HANDLES_H
#define CAIRN_TASKS_HANDLES_H

#include <starpu.h>

#include "data/cells/cells.h"

struct cairn_cell_handles {
  starpu_data_handle_t state, predicted, pair_list, history, report, sums;
  starpu_data_handle_t velocities, groups, measure, free_contacts; /* of contact dynamics */
  starpu_data_handle_t token;                                      /* the cell itself while it is being built */
};

/* Give every cell of a partition its handles, none of them registered yet, and take them away again. */
int cairn_task_handles_create(struct cairn_cells *cells);
void cairn_task_handles_free(struct cairn_cells *cells);

/* Register the blocks of a built cell, and unregister them; the data are in main memory afterwards. */
void cairn_task_handles_register(struct cairn_cell *cell);
void cairn_task_handles_unregister(struct cairn_cell *cell);

#endif
