#include "tasks/tasks.h"

struct cairn_observe_args {
  struct cairn_cell_size size;
  int32_t law_kind, n_laws, cd;
  const struct cairn_external_rules *outside;
  double time, h;
};

enum { STATE, PREDICTED, PAIR_LIST, HISTORY, WORLD, SUMS, ASSEMBLIES, N_BUFFERS };

static void observe_cpu(void *buffers[], void *arg) {
  const struct cairn_observe_args *args = arg;
  struct cairn_soft_spheres cell = cairn_kernel_soft_spheres_bind(
      args->size, (void *)STARPU_VECTOR_GET_PTR(buffers[STATE]), (void *)STARPU_VECTOR_GET_PTR(buffers[PREDICTED]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[PAIR_LIST]), (void *)STARPU_VECTOR_GET_PTR(buffers[HISTORY]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[WORLD]), (void *)STARPU_VECTOR_GET_PTR(buffers[ASSEMBLIES]), NULL);
  cell.n_laws = args->n_laws;
  cell.law_kind = args->law_kind;
  cell.cd = args->cd;
  cell.h = args->h;
  cairn_soft_spheres_outside(&cell, args->outside, args->time);
  cairn_kernel_soft_spheres_observe(&cell, (struct cairn_sums *)STARPU_VARIABLE_GET_PTR(buffers[SUMS]));
}

static uint32_t observe_footprint(struct starpu_task *task) {
  const struct cairn_observe_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->size.n + args->size.n_pairs);
}

static struct starpu_perfmodel observe_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_observe", .footprint = observe_footprint};

static struct starpu_codelet cairn_cl_observe = {
    .cpu_funcs = {observe_cpu},
    .cpu_funcs_name = {"observe_cpu"},
    .nbuffers = N_BUFFERS,
    .modes = {STARPU_R, STARPU_RW, STARPU_R, STARPU_R, STARPU_R, STARPU_W, STARPU_R},
    .model = &observe_model,
    .name = "observe",
};

int cairn_task_observe_submit(struct cairn_cell *cell, const struct cairn_task_world *world) {
  const struct cairn_observe_args args = {cell->size,    world->law_kind, world->n_laws,
                                          world->solves, world->outside,  (double)world->step * world->h,
                                          world->h};
  struct starpu_task *task = cairn_task_create(&cairn_cl_observe, &args, sizeof args);
  if (!task)
    return -1;
  task->handles[STATE] = cell->handles->state;
  task->handles[PREDICTED] = cell->handles->predicted;
  task->handles[PAIR_LIST] = cell->handles->pair_list;
  task->handles[HISTORY] = cell->handles->history;
  task->handles[WORLD] = world->world_handle;
  task->handles[SUMS] = cell->handles->sums;
  task->handles[ASSEMBLIES] = world->walls.assemblies_handle[0]; /* at the current step */
  cell->is_predicted = false;                                    /* the kinematics are those of the current step now */
  return starpu_task_submit(task);
}
