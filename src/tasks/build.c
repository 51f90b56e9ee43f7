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

/* Search runs on the host only: its results have sizes that are known when it is done. */
static struct starpu_codelet cairn_cl_build = {
    .cpu_funcs = {build_cpu},
    .cpu_funcs_name = {"build_cpu"},
    .nbuffers = 2,
    .modes = {STARPU_R, STARPU_W}, /* the state, the cell's token */
    .model = &build_model,
    .name = "build",
};

int cairn_task_build_submit(struct cairn_cells *cells, cairn_cell_t c, starpu_data_handle_t state, int *status) {
  const struct cairn_build_args args = {cells, c, status};
  struct starpu_task *task = cairn_task_create(&cairn_cl_build, &args, sizeof args);
  if (!task)
    return -1;
  task->handles[0] = state;
  task->handles[1] = cells->cell[c].handles->token;
  return starpu_task_submit(task);
}
