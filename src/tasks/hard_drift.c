/* A drift of hard spheres in one cell: its beginning with the queue of events, its end, or whole steps of the only
 * cell.
 */
#include "tasks/tasks.h"

struct cairn_hard_drift_args {
  struct cairn_cell_size size;
  int32_t n_laws, n_steps;
  const int32_t *id, *halo_id;
  double h, reach;
  int64_t step; /* steps done before */
  int32_t window;
  struct cairn_task_hard hard;
  const struct cairn_external_rules *outside;
  const struct cairn_walls_set *set;
  struct cairn_report *walls_report; /* NULL: walls are not moved along */
};

enum { STATE, PREDICTED, PAIR_LIST, HISTORY, WORLD, REPORT, SCRATCH, ASSEMBLIES, HARD, N_BUFFERS };

static struct cairn_hard_cell bind(void *buffers[], const struct cairn_hard_drift_args *args) {
  struct cairn_soft_spheres blocks = cairn_kernel_soft_spheres_bind(
      args->size, (void *)STARPU_VECTOR_GET_PTR(buffers[STATE]), (void *)STARPU_VECTOR_GET_PTR(buffers[PREDICTED]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[PAIR_LIST]), (void *)STARPU_VECTOR_GET_PTR(buffers[HISTORY]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[WORLD]), (void *)STARPU_VECTOR_GET_PTR(buffers[ASSEMBLIES]), NULL);
  blocks.n_laws = args->n_laws;
  blocks.h = args->h;
  blocks.reach = args->reach;
  blocks.outside = args->outside;
  return cairn_drift_bind(&blocks, (void *)STARPU_VECTOR_GET_PTR(buffers[PAIR_LIST]),
                          (void *)STARPU_VECTOR_GET_PTR(buffers[HARD]), args->id, args->halo_id);
}

static struct cairn_hard_scope scope_of(void *buffers[], const struct cairn_hard_drift_args *args,
                                        struct cairn_hard_cell *cell) {
  struct cairn_hard_scope scope = cairn_task_hard_scope(&args->hard, args->set, args->window, args->h);
  scope.cell = cell;
  scope.n_cells = 1;
  scope.heap = (void *)STARPU_VECTOR_GET_PTR(buffers[SCRATCH]);
  scope.drift = args->hard.drift;
  scope.reach = args->hard.reach;
  scope.time = (double)(args->step + 1) * args->h;
  scope.most_events = cairn_drift_most_events(args->size.n);
  return scope;
}

static void hard_begin_cpu(void *buffers[], void *arg) {
  const struct cairn_hard_drift_args *args = arg;
  struct cairn_hard_cell cell = bind(buffers, args);
  struct cairn_hard_scope scope = scope_of(buffers, args, &cell);
  cairn_drift_begin(&scope);
}

static void hard_end_cpu(void *buffers[], void *arg) {
  const struct cairn_hard_drift_args *args = arg;
  struct cairn_hard_cell cell = bind(buffers, args);
  struct cairn_hard_scope scope = scope_of(buffers, args, &cell);
  cairn_drift_end(&scope, (struct cairn_report *)STARPU_VARIABLE_GET_PTR(buffers[REPORT]));
}

static void hard_alone_cpu(void *buffers[], void *arg) {
  const struct cairn_hard_drift_args *args = arg;
  struct cairn_hard_cell cell = bind(buffers, args);
  struct cairn_hard_scope scope = scope_of(buffers, args, &cell);
  cairn_drift_advance(&scope, args->walls_report ? args->set : NULL, args->walls_report, args->step, args->n_steps,
                      (struct cairn_report *)STARPU_VARIABLE_GET_PTR(buffers[REPORT]));
}

static uint32_t hard_footprint(struct starpu_task *task) {
  const struct cairn_hard_drift_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->n_steps * (args->size.n + args->size.n_pairs));
}

static struct starpu_perfmodel hard_begin_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_drift_begin", .footprint = hard_footprint};
static struct starpu_perfmodel hard_end_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_drift_end", .footprint = hard_footprint};
static struct starpu_perfmodel hard_alone_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_hard_alone", .footprint = hard_footprint};

/* More buffers than StarPU's fixed tables hold; the modes of each codelet stand below. */
static struct starpu_codelet cairn_cl_hard_begin = {
    .cpu_funcs = {hard_begin_cpu},
    .cpu_funcs_name = {"hard_begin_cpu"},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &hard_begin_model,
    .name = "hard_begin",
};
static struct starpu_codelet cairn_cl_hard_end = {
    .cpu_funcs = {hard_end_cpu},
    .cpu_funcs_name = {"hard_end_cpu"},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &hard_end_model,
    .name = "hard_end",
};
static struct starpu_codelet cairn_cl_hard_alone = {
    .cpu_funcs = {hard_alone_cpu},
    .cpu_funcs_name = {"hard_alone_cpu"},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &hard_alone_model,
    .name = "hard_alone",
};

/* STATE, PREDICTED, PAIR_LIST, HISTORY, WORLD, REPORT, SCRATCH, ASSEMBLIES, HARD */
static const enum starpu_data_access_mode begin_modes[N_BUFFERS] = {STARPU_R,       STARPU_RW, STARPU_R,
                                                                    STARPU_RW,      STARPU_R,  STARPU_R,
                                                                    STARPU_SCRATCH, STARPU_R,  STARPU_RW},
                                          later_modes[N_BUFFERS] = {STARPU_RW,      STARPU_RW, STARPU_R,
                                                                    STARPU_RW,      STARPU_R,  STARPU_R,
                                                                    STARPU_SCRATCH, STARPU_R,  STARPU_RW},
                                          end_modes[N_BUFFERS] = {STARPU_RW,      STARPU_RW, STARPU_R,
                                                                  STARPU_R,       STARPU_R,  STARPU_RW,
                                                                  STARPU_SCRATCH, STARPU_R,  STARPU_RW},
                                          alone_modes[N_BUFFERS] = {STARPU_RW,      STARPU_RW, STARPU_R,
                                                                    STARPU_RW,      STARPU_R,  STARPU_RW,
                                                                    STARPU_SCRATCH, STARPU_RW, STARPU_RW};

static int submit(struct starpu_codelet *codelet, const enum starpu_data_access_mode *modes, struct cairn_cell *cell,
                  const struct cairn_task_world *world, int32_t step, int32_t window, int32_t n_steps) {
  const struct cairn_hard_drift_args args = {
      .size = cell->size,
      .n_laws = world->n_laws,
      .n_steps = n_steps,
      .id = cell->id,
      .halo_id = cell->halo_id,
      .h = world->h,
      .reach = world->reach,
      .step = world->step + step,
      .window = window,
      .hard = world->hard,
      .outside = world->outside,
      .set = &world->walls.set,
      .walls_report = codelet == &cairn_cl_hard_alone && world->walls.moving ? world->walls.report : NULL};
  const struct cairn_cell_handles *own = cell->handles;
  const starpu_data_handle_t handles[N_BUFFERS] = {
      [STATE] = own->state,
      [PREDICTED] = own->predicted,
      [PAIR_LIST] = own->pair_list,
      [HISTORY] = own->history,
      [WORLD] = world->world_handle,
      [REPORT] = own->report,
      [SCRATCH] = world->scratch_handle,
      [ASSEMBLIES] = world->walls.assemblies_handle[world->walls.moving ? step % CAIRN_TASK_RING : 0],
      [HARD] = own->hard};
  struct starpu_task *task = cairn_task_create_variable(codelet, &args, sizeof args, N_BUFFERS);
  if (!task)
    return -1;
  for (int k = 0; k < N_BUFFERS; k++)
    cairn_task_name_buffer(task, k, handles[k], modes[k]);
  return starpu_task_submit(task);
}

int cairn_task_hard_begin_submit(struct cairn_cell *cell, const struct cairn_task_world *world, int32_t step,
                                 int32_t window) {
  return submit(&cairn_cl_hard_begin, window == 0 ? begin_modes : later_modes, cell, world, step, window, 1);
}

int cairn_task_hard_end_submit(struct cairn_cell *cell, const struct cairn_task_world *world, int32_t step) {
  return submit(&cairn_cl_hard_end, end_modes, cell, world, step, world->hard.n_windows - 1, 1);
}

int cairn_task_hard_alone_submit(struct cairn_cell *cell, const struct cairn_task_world *world, int32_t n_steps) {
  return submit(&cairn_cl_hard_alone, alone_modes, cell, world, 0, 0, n_steps);
}
