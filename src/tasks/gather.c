#include "tasks/tasks.h"

struct cairn_gather_args {
  const struct cairn_cells *cells;
  const struct cairn_cell *cell;
  double h;
  int32_t kick; /* hard spheres: half a kick, without the drift */
};

static void gather_cpu(void *buffers[], void *arg) {
  const struct cairn_gather_args *args = arg;
  const struct cairn_cell *cell = args->cell;
  double *predicted = (double *)STARPU_VECTOR_GET_PTR(buffers[0]) + (int64_t)CAIRN_PREDICTED * cell->size.n;
  for (int32_t i = 0; i < cell->size.n_halo; i++, predicted += CAIRN_PREDICTED) {
    const struct cairn_halo_source source = cell->halo[i];
    const double *state = (const double *)STARPU_VECTOR_GET_PTR(buffers[1 + source.neighbor]);
    const struct cairn_cell_size size = args->cells->cell[cell->neighbor[source.neighbor]].size;
    (args->kick ? cairn_drift_kick : cairn_blocks_predict)(state + (int64_t)CAIRN_STATE * source.index, args->h,
                                                           predicted);
    predicted[CAIRN_PREDICTED_CAPTOR] =
        cell->size.n_captures > 0 ? state[cairn_capture_offset(size, source.index) + CAIRN_CAPTURE_CAPTOR] : 0.;
  }
}

static uint32_t gather_footprint(struct starpu_task *task) {
  const struct cairn_gather_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->cell->size.n_halo);
}

static struct starpu_perfmodel gather_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_gather", .footprint = gather_footprint};

/* Buffers: the cell's predicted kinematics, read and written; then the state of each neighbour, read. */
static struct starpu_codelet cairn_cl_gather = {
    .cpu_funcs = {gather_cpu},
    .cpu_funcs_name = {"gather_cpu"},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &gather_model,
    .name = "gather",
};

static int submit(struct cairn_cells *cells, cairn_cell_t c, double h, int32_t kick) {
  const struct cairn_cell *cell = cells->cell + c;
  if (cell->size.n_halo == 0)
    return 0;
  const int n_buffers = 1 + cell->n_neighbors;
  const struct cairn_gather_args args = {cells, cell, h, kick};
  struct starpu_task *task = cairn_task_create_variable(&cairn_cl_gather, &args, sizeof args, n_buffers);
  if (!task)
    return -1;
  cairn_task_name_buffer(task, 0, cell->handles->predicted, STARPU_RW);
  for (int32_t k = 0; k < cell->n_neighbors; k++)
    cairn_task_name_buffer(task, 1 + k, cells->cell[cell->neighbor[k]].handles->state, STARPU_R);
  return starpu_task_submit(task);
}

int cairn_task_gather_submit(struct cairn_cells *cells, cairn_cell_t c, double h) { return submit(cells, c, h, 0); }

int cairn_task_gather_kicked_submit(struct cairn_cells *cells, cairn_cell_t c, double h) {
  return submit(cells, c, h, 1);
}
