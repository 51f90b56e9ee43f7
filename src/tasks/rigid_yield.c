/* Projected gradients: the bodies of a cell are pushed by what the contacts of the cell and of those below it put
 * aside.
 */
#include "tasks/tasks.h"

struct cairn_yield_args {
  struct cairn_cells *cells;
  cairn_cell_t cell;
};

enum { LINES, RIGID, MEASURE, BELOW };

/* The neighbour of `other` that is the cell, or -1. */
static int32_t index_in(const struct cairn_cell *other, cairn_cell_t c) {
  for (int32_t k = 0; k < other->n_neighbors; k++)
    if (other->neighbor[k] == c)
      return k;
  return -1;
}

static void add_pushes(const struct cairn_cell *below, int32_t neighbor, const struct cairn_rigid_cell *from,
                       double *push) {
  for (int32_t k = 0; k < *from->n_used; k++) {
    const struct cairn_halo_source source = below->halo[from->halo[k]];
    if (source.neighbor != neighbor)
      continue;
    const double *more = from->push + (int64_t)CAIRN_RIGID * (below->size.n + from->halo[k]);
    double *sum = push + (int64_t)CAIRN_RIGID * source.index;
    for (int j = 0; j < 3; j++) {
      sum[CAIRN_RIGID_V + j] += more[CAIRN_RIGID_V + j];
      sum[CAIRN_RIGID_S + j] += more[CAIRN_RIGID_S + j];
    }
  }
}

static void yield_cpu(void *buffers[], void *arg) {
  const struct cairn_yield_args *args = arg;
  const struct cairn_cells *cells = args->cells;
  const struct cairn_rigid_cell cell =
      cairn_kernel_rigid_bind(cells->cell[args->cell].size, (void *)STARPU_VECTOR_GET_PTR(buffers[LINES]),
                              (void *)STARPU_VECTOR_GET_PTR(buffers[RIGID]));
  int n_below = 0;
  for (cairn_cell_t d = 0; d < args->cell; d++) {
    const int32_t neighbor = index_in(cells->cell + d, args->cell);
    if (neighbor < 0)
      continue;
    const struct cairn_rigid_cell from = cairn_kernel_rigid_bind(
        cells->cell[d].size, cell.lines, (void *)STARPU_VECTOR_GET_PTR(buffers[BELOW + n_below]));
    add_pushes(cells->cell + d, neighbor, &from, cell.push);
    n_below++;
  }
  cairn_kernel_rigid_yield(&cell, (struct cairn_rigid_measure *)STARPU_VARIABLE_GET_PTR(buffers[MEASURE]));
}

static struct starpu_perfmodel yield_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_rigid_yield"};

static struct starpu_codelet cairn_cl_rigid_yield = {.cpu_funcs = {yield_cpu},
                                                     .cpu_funcs_name = {"yield_cpu"},
                                                     .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                     .model = &yield_model,
                                                     .name = "rigid_yield"};

int cairn_task_rigid_yield_submit(struct cairn_cells *cells, cairn_cell_t c) {
  const struct cairn_yield_args args = {cells, c};
  int n_below = 0;
  for (cairn_cell_t d = 0; d < c; d++)
    n_below += index_in(cells->cell + d, c) >= 0;
  struct starpu_task *task = cairn_task_create_variable(&cairn_cl_rigid_yield, &args, sizeof args, BELOW + n_below);
  if (!task)
    return -1;
  cairn_task_name_buffer(task, LINES, cells->cell[c].lines_handle, STARPU_RW);
  cairn_task_name_buffer(task, RIGID, cells->cell[c].rigid_handle, STARPU_RW);
  cairn_task_name_buffer(task, MEASURE, cells->cell[c].measure_handle, STARPU_RW);
  n_below = 0;
  for (cairn_cell_t d = 0; d < c; d++)
    if (index_in(cells->cell + d, c) >= 0)
      cairn_task_name_buffer(task, BELOW + n_below++, cells->cell[d].rigid_handle, STARPU_R);
  return starpu_task_submit(task);
}
