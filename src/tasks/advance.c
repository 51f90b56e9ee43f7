#include "tasks/tasks.h"

struct cairn_advance_args {
  struct cairn_cell_size size;
  int32_t n_laws, rotation, n_steps;
  double h, reach;
};

enum { STATE, VIEW, LAYOUT, SPRINGS, WORLD, REPORT, FORCE, N_BUFFERS };

static void advance_cpu(void *buffers[], void *arg) {
  const struct cairn_advance_args *args = arg;
  struct cairn_soft_spheres cell = cairn_kernel_soft_spheres_bind(
      args->size, (void *)STARPU_VECTOR_GET_PTR(buffers[STATE]), (void *)STARPU_VECTOR_GET_PTR(buffers[VIEW]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[LAYOUT]), (void *)STARPU_VECTOR_GET_PTR(buffers[SPRINGS]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[WORLD]), (void *)STARPU_VECTOR_GET_PTR(buffers[FORCE]));
  cell.n_laws = args->n_laws;
  cell.rotation = args->rotation;
  cell.h = args->h;
  cell.reach = args->reach;
  cairn_kernel_soft_spheres_advance(&cell, args->n_steps, (struct cairn_report *)STARPU_VARIABLE_GET_PTR(buffers[REPORT]));
}

static struct starpu_perfmodel advance_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_advance"};

static struct starpu_codelet cairn_cl_advance = {
    .cpu_funcs = {advance_cpu},
    .cpu_funcs_name = {"advance_cpu"},
    .nbuffers = N_BUFFERS,
    .modes = {STARPU_RW, STARPU_RW, STARPU_R, STARPU_RW, STARPU_R, STARPU_RW, STARPU_SCRATCH},
    .model = &advance_model,
    .name = "advance",
};

int cairn_task_advance_submit(struct cairn_cell *cell, const struct cairn_task_world *world, int32_t n_steps) {
  const struct cairn_advance_args args = {cell->size, world->n_laws, world->rotation, n_steps, world->h, world->reach};
  struct starpu_task *task = cairn_task_create(&cairn_cl_advance, &args, sizeof args);
  if (!task) return -1;
  task->handles[STATE] = cell->state_handle;
  task->handles[VIEW] = cell->view_handle;
  task->handles[LAYOUT] = cell->layout_handle;
  task->handles[SPRINGS] = cell->springs_handle;
  task->handles[WORLD] = world->world_handle;
  task->handles[REPORT] = cell->report_handle;
  task->handles[FORCE] = world->force_handle;
  return starpu_task_submit(task);
}
