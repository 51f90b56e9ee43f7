#include "tasks/regrid/regrid.h"
#include "tasks/tasks.h"

struct cairn_build_args {
  struct cairn_cells *cells;
  cairn_cell_t cell;
  int *status;
};

static void build_cpu(void *buffers[], void *arg) {
  (void)buffers;
  const struct cairn_build_args *args = arg;
  const int status = cairn_cells_build(args->cells, args->cell, NULL);
  if (status)
    __atomic_store_n(args->status, status, __ATOMIC_RELAXED);
}

static uint32_t build_footprint(struct starpu_task *task) {
  const struct cairn_build_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->cells->cell[args->cell].size.n);
}

static struct starpu_perfmodel build_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_build", .footprint = build_footprint};

/* Buffers: the cell's size, its packet, those of its neighbours. Search runs on the host only: its results have sizes
 * that are known when it is done. */
static struct starpu_codelet cairn_cl_build = {
    .cpu_funcs = {build_cpu},
    .cpu_funcs_name = {"build_cpu"},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &build_model,
    .name = "build",
};

int cairn_task_build_submit(struct cairn_cells *cells, cairn_cell_t c, int *status) {
  const struct cairn_build_args args = {cells, c, status};
  const struct cairn_cell *cell = cells->cell + c;
  const int32_t n_cells = cairn_cells_near_ones(cells, cell); /* the packets of ghosts are there already */
  struct starpu_task *task = cairn_task_create_variable(&cairn_cl_build, &args, sizeof args, 2 + n_cells);
  if (!task)
    return -1;
  cairn_task_name_buffer(task, 0, cell->handles->size, STARPU_RW);
  cairn_task_name_buffer(task, 1, cell->handles->packet, STARPU_R);
  for (int32_t k = 0; k < n_cells; k++)
    cairn_task_name_buffer(task, 2 + k, cells->cell[cell->neighbor[k]].handles->packet, STARPU_R);
  return starpu_task_submit(task);
}
