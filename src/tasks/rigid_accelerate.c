/* What turns sweeps into conjugate gradients: one small task joins them, one per cell goes on. */
#include "tasks/tasks.h"

struct cairn_weigh_args {
  int32_t n_cells;
};

struct cairn_extrapolate_args {
  struct cairn_cell_size size;
  int32_t rotation;
};

/* β = |g|² / |g before|²; a sweep that changes more than the one before starts a new direction. */
static void weigh_cpu(void *buffers[], void *arg) {
  const struct cairn_weigh_args *args = arg;
  struct cairn_rigid_control *control = (struct cairn_rigid_control *)STARPU_VARIABLE_GET_PTR(buffers[0]);
  double change = 0.;
  for (int32_t c = 0; c < args->n_cells; c++)
    change += ((const struct cairn_rigid_measure *)STARPU_VARIABLE_GET_PTR(buffers[1 + c]))->change;
  control->beta = control->before > 0. && change < control->before ? change / control->before : 0.;
  control->before = change;
}

static void extrapolate_cpu(void *buffers[], void *arg) {
  const struct cairn_extrapolate_args *args = arg;
  const struct cairn_rigid_control *control = (const struct cairn_rigid_control *)STARPU_VARIABLE_GET_PTR(buffers[2]);
  const struct cairn_rigid_cell cell = cairn_kernel_rigid_bind(
      args->size, args->rotation, (void *)STARPU_VECTOR_GET_PTR(buffers[0]), (void *)STARPU_VECTOR_GET_PTR(buffers[1]));
  cairn_kernel_rigid_extrapolate(&cell, control->beta);
}

static struct starpu_perfmodel weigh_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_rigid_weigh"};
static struct starpu_perfmodel extrapolate_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_rigid_extrapolate"};

static struct starpu_codelet cairn_cl_rigid_weigh = {.cpu_funcs = {weigh_cpu},
                                                     .cpu_funcs_name = {"weigh_cpu"},
                                                     .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                     .model = &weigh_model,
                                                     .name = "rigid_weigh"};
static struct starpu_codelet cairn_cl_rigid_extrapolate = {.cpu_funcs = {extrapolate_cpu},
                                                           .cpu_funcs_name = {"extrapolate_cpu"},
                                                           .nbuffers = 3,
                                                           .modes = {STARPU_RW, STARPU_RW, STARPU_R},
                                                           .model = &extrapolate_model,
                                                           .name = "rigid_extrapolate"};

int cairn_task_rigid_weigh_submit(struct cairn_cells *cells, const struct cairn_task_world *world) {
  const struct cairn_weigh_args args = {cells->n_cells};
  struct starpu_task *task = cairn_task_create_variable(&cairn_cl_rigid_weigh, &args, sizeof args, 1 + cells->n_cells);
  if (!task)
    return -1;
  cairn_task_name_buffer(task, 0, world->control_handle, STARPU_RW);
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    cairn_task_name_buffer(task, 1 + c, cells->cell[c].measure_handle, STARPU_R);
  return starpu_task_submit(task);
}

int cairn_task_rigid_extrapolate_submit(struct cairn_cell *cell, const struct cairn_task_world *world) {
  const struct cairn_extrapolate_args args = {cell->size, world->rotation};
  struct starpu_task *task = cairn_task_create(&cairn_cl_rigid_extrapolate, &args, sizeof args);
  if (!task)
    return -1;
  task->handles[0] = cell->lines_handle;
  task->handles[1] = cell->rigid_handle;
  task->handles[2] = world->control_handle;
  return starpu_task_submit(task);
}
