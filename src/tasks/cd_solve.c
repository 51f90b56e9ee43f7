/* The impulses of the only cell there is: all its sweeps in one task. */
#include "tasks/tasks.h"

struct cairn_solve_args {
  struct cairn_cell_size size;
  struct cairn_cd_step step;
  struct cairn_cd_outcome *outcome; /* safe to read when the report of the cell is */
};

static void solve_cpu(void *buffers[], void *arg) {
  const struct cairn_solve_args *args = arg;
  const struct cairn_cd_cell cell = cairn_kernel_cd_bind(args->size, (void *)STARPU_VECTOR_GET_PTR(buffers[0]),
                                                         (void *)STARPU_VECTOR_GET_PTR(buffers[1]));
  cairn_kernel_cd_solve(&cell, &args->step, (struct cairn_cd_measure *)STARPU_VARIABLE_GET_PTR(buffers[2]),
                        args->outcome);
}

static uint32_t footprint(struct starpu_task *task) {
  const struct cairn_solve_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->size.n_pairs);
}

static struct starpu_perfmodel solve_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_solve", .footprint = footprint};

static struct starpu_codelet cairn_cl_cd_solve = {.cpu_funcs = {solve_cpu},
                                                  .cpu_funcs_name = {"solve_cpu"},
                                                  .nbuffers = 3,
                                                  .modes = {STARPU_RW, STARPU_RW, STARPU_RW},
                                                  .model = &solve_model,
                                                  .name = "cd_solve"};

int cairn_task_cd_solve_submit(struct cairn_cell *cell, const struct cairn_task_world *world) {
  const struct cairn_solve_args args = {cell->size, world->cd.step, world->cd.outcome};
  struct starpu_task *task = cairn_task_create(&cairn_cl_cd_solve, &args, sizeof args);
  if (!task)
    return -1;
  task->handles[0] = cell->handles->velocities;
  task->handles[1] = cell->handles->groups;
  task->handles[2] = cell->handles->measure;
  return starpu_task_submit(task);
}
