/* The beginning and the end of a step of contact dynamics. */
#include <string.h>

#include "tasks/tasks.h"

struct cairn_cd_args {
  struct cairn_cell_size size;
  int32_t n_laws;
  double reach;
  struct cairn_cd_step step;
  const struct cairn_external_rules *outside;
  double time;                          /* of the detection point */
  const struct cairn_halo_source *halo; /* of the cell */
};

/* DURING: the walls at the detection point; ASSEMBLIES: the same, or at the end of the step. */
enum { STATE, PREDICTED, PAIR_LIST, HISTORY, WORLD, ASSEMBLIES, VELOCITIES, GROUPS, LAST, DURING, N_BUFFERS };

static struct cairn_soft_spheres bind(void *buffers[], const struct cairn_cd_args *args) {
  struct cairn_soft_spheres blocks = cairn_kernel_soft_spheres_bind(
      args->size, (void *)STARPU_VECTOR_GET_PTR(buffers[STATE]), (void *)STARPU_VECTOR_GET_PTR(buffers[PREDICTED]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[PAIR_LIST]), (void *)STARPU_VECTOR_GET_PTR(buffers[HISTORY]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[WORLD]), (void *)STARPU_VECTOR_GET_PTR(buffers[ASSEMBLIES]), NULL);
  blocks.n_laws = args->n_laws;
  blocks.reach = args->reach;
  cairn_soft_spheres_outside(&blocks, args->outside, args->time);
  return blocks;
}

static struct cairn_cd_cell bind_cd(void *buffers[], const struct cairn_cd_args *args) {
  return cairn_kernel_cd_bind(args->size, (void *)STARPU_VECTOR_GET_PTR(buffers[VELOCITIES]),
                              (void *)STARPU_VECTOR_GET_PTR(buffers[GROUPS]));
}

static void begin_cpu(void *buffers[], void *arg) {
  const struct cairn_cd_args *args = arg;
  const struct cairn_soft_spheres blocks = bind(buffers, args);
  const struct cairn_cd_cell cell = bind_cd(buffers, args);
  cairn_kernel_cd_begin(&cell, &blocks, &args->step, (struct cairn_cd_measure *)STARPU_VARIABLE_GET_PTR(buffers[LAST]));
  _Static_assert(sizeof *args->halo == 2 * sizeof *cell.source, "devices see sources as pairs of numbers");
  if (cell.source && args->size.n_halo > 0)
    memcpy(cell.source, args->halo, (size_t)args->size.n_halo * sizeof *args->halo);
}

static void end_cpu(void *buffers[], void *arg) {
  const struct cairn_cd_args *args = arg;
  const struct cairn_soft_spheres blocks = bind(buffers, args);
  const struct cairn_cd_cell cell = bind_cd(buffers, args);
  cairn_kernel_cd_end(&cell, &blocks, (const double *)STARPU_VECTOR_GET_PTR(buffers[DURING]), &args->step,
                      (struct cairn_report *)STARPU_VARIABLE_GET_PTR(buffers[LAST]));
}

static uint32_t footprint(struct starpu_task *task) {
  const struct cairn_cd_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->size.n_pairs);
}

static struct starpu_perfmodel begin_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_begin", .footprint = footprint};
static struct starpu_perfmodel end_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_end", .footprint = footprint};

static struct starpu_codelet cairn_cl_cd_begin = {.cpu_funcs = {begin_cpu},
                                                  .cpu_funcs_name = {"begin_cpu"},
                                                  .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                  .model = &begin_model,
                                                  .name = "cd_begin"};
static struct starpu_codelet cairn_cl_cd_end = {.cpu_funcs = {end_cpu},
                                                .cpu_funcs_name = {"end_cpu"},
                                                .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                .model = &end_model,
                                                .name = "cd_end"};

static int submit(struct starpu_codelet *codelet, struct cairn_cell *cell, const struct cairn_task_world *world,
                  starpu_data_handle_t assemblies, starpu_data_handle_t last,
                  const enum starpu_data_access_mode *modes) {
  const struct cairn_cd_args args = {cell->size,     world->n_laws,
                                     world->reach,   world->cd.step,
                                     world->outside, ((double)world->step + world->detection_point) * world->h,
                                     cell->halo};
  struct starpu_task *task = cairn_task_create_variable(codelet, &args, sizeof args, N_BUFFERS);
  if (!task)
    return -1;
  const starpu_data_handle_t handles[N_BUFFERS] = {cell->handles->state,
                                                   cell->handles->predicted,
                                                   cell->handles->pair_list,
                                                   cell->handles->history,
                                                   world->world_handle,
                                                   assemblies,
                                                   cell->handles->velocities,
                                                   cell->handles->groups,
                                                   last,
                                                   world->walls.assemblies_handle[0]};
  for (int k = 0; k < N_BUFFERS; k++)
    cairn_task_name_buffer(task, k, handles[k], modes[k]);
  cell->is_predicted = false;
  return starpu_task_submit(task);
}

int cairn_task_cd_begin_submit(struct cairn_cell *cell, const struct cairn_task_world *world) {
  static const enum starpu_data_access_mode modes[N_BUFFERS] = {STARPU_R, STARPU_RW, STARPU_R, STARPU_RW, STARPU_R,
                                                                STARPU_R, STARPU_W,  STARPU_W, STARPU_W,  STARPU_R};
  return submit(&cairn_cl_cd_begin, cell, world, world->walls.assemblies_handle[0], cell->handles->measure, modes);
}

int cairn_task_cd_end_submit(struct cairn_cell *cell, const struct cairn_task_world *world) {
  static const enum starpu_data_access_mode modes[N_BUFFERS] = {STARPU_RW, STARPU_R, STARPU_R, STARPU_RW, STARPU_R,
                                                                STARPU_R,  STARPU_R, STARPU_R, STARPU_RW, STARPU_R};
  return submit(&cairn_cl_cd_end, cell, world, world->walls.assemblies_handle[world->walls.moving ? 1 : 0],
                cell->handles->report, modes);
}
