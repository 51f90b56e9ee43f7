#include "cairn/ranks.h"
#include "tasks/engine/opencl.h"
#include "tasks/tasks.h"

struct cairn_advance_args {
  struct cairn_cell_size size;
  int32_t law_kind, n_laws, rotation, is_predicted, n_steps;
  double h, reach;
  int64_t step; /* steps done before */
  const struct cairn_external_rules *outside;
  const struct cairn_walls_set *set; /* walls to move along, or NULL */
  struct cairn_report *walls_report;
};

enum { STATE, PREDICTED, PAIR_LIST, HISTORY, WORLD, REPORT, SCRATCH, ASSEMBLIES, N_BUFFERS };

static void advance_cpu(void *buffers[], void *arg) {
  const struct cairn_advance_args *args = arg;
  struct cairn_soft_spheres cell = cairn_kernel_soft_spheres_bind(
      args->size, (void *)STARPU_VECTOR_GET_PTR(buffers[STATE]), (void *)STARPU_VECTOR_GET_PTR(buffers[PREDICTED]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[PAIR_LIST]), (void *)STARPU_VECTOR_GET_PTR(buffers[HISTORY]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[WORLD]), (void *)STARPU_VECTOR_GET_PTR(buffers[ASSEMBLIES]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[SCRATCH]));
  cell.n_laws = args->n_laws;
  cell.law_kind = args->law_kind;
  cell.rotation = args->rotation;
  cell.is_predicted = args->is_predicted;
  cell.h = args->h;
  cell.reach = args->reach;
  cell.step = args->step;
  cell.outside = args->outside;
  cell.set = args->set;
  cell.walls_report = args->walls_report;
  cairn_kernel_soft_spheres_advance(&cell, args->n_steps,
                                    (struct cairn_report *)STARPU_VARIABLE_GET_PTR(buffers[REPORT]));
}

#ifdef CAIRN_HAVE_OPENCL
#include <starpu_opencl.h>

#define PAIRS_KERNEL(law) [CAIRN_LAW_##law] = "cairn_pairs_" #law,
static const char *const pairs_kernel[CAIRN_N_LAWS] = {CAIRN_LAWS(PAIRS_KERNEL)};

static void advance_opencl(void *buffers[], void *arg) {
  const struct cairn_advance_args *args = arg;
  const cl_mem state = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[STATE]);
  const cl_mem predicted = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[PREDICTED]);
  const cl_mem pair_list = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[PAIR_LIST]);
  const cl_mem history = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[HISTORY]);
  const cl_mem world = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[WORLD]);
  const cl_mem report = (cl_mem)STARPU_VARIABLE_GET_DEV_HANDLE(buffers[REPORT]);
  const cl_mem scratch = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[SCRATCH]);
  const cl_mem assemblies = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[ASSEMBLIES]);
  const struct cairn_opencl_arg predict[] = {CAIRN_OPENCL_ARG(state), CAIRN_OPENCL_ARG(predicted),
                                             CAIRN_OPENCL_ARG(args->size), CAIRN_OPENCL_ARG(args->h)};
  const struct cairn_opencl_arg pairs[] = {
      CAIRN_OPENCL_ARG(predicted),      CAIRN_OPENCL_ARG(pair_list),  CAIRN_OPENCL_ARG(history),
      CAIRN_OPENCL_ARG(world),          CAIRN_OPENCL_ARG(assemblies), CAIRN_OPENCL_ARG(report),
      CAIRN_OPENCL_ARG(scratch),        CAIRN_OPENCL_ARG(args->size), CAIRN_OPENCL_ARG(args->n_laws),
      CAIRN_OPENCL_ARG(args->rotation), CAIRN_OPENCL_ARG(args->h)};
  struct cairn_external external = {0};
  const struct cairn_opencl_arg bodies[] = {
      CAIRN_OPENCL_ARG(state),    CAIRN_OPENCL_ARG(predicted),  CAIRN_OPENCL_ARG(pair_list),
      CAIRN_OPENCL_ARG(world),    CAIRN_OPENCL_ARG(report),     CAIRN_OPENCL_ARG(scratch),
      CAIRN_OPENCL_ARG(external), CAIRN_OPENCL_ARG(args->size), CAIRN_OPENCL_ARG(args->h)};
  const struct cairn_opencl_arg reports[] = {CAIRN_OPENCL_ARG(pair_list), CAIRN_OPENCL_ARG(report),
                                             CAIRN_OPENCL_ARG(scratch),   CAIRN_OPENCL_ARG(args->size),
                                             CAIRN_OPENCL_ARG(args->h),   CAIRN_OPENCL_ARG(args->reach)};
  const size_t n = (size_t)args->size.n, n_pairs = (size_t)args->size.n_pairs + (size_t)args->size.n_wall_pairs;
  if (!args->is_predicted)
    cairn_opencl_run(CAIRN_OPENCL_SOFT_SPHERES, "cairn_predict", n, 64, 4, predict);
  for (int32_t step = 0; step < args->n_steps; step++) {
    if (args->outside)
      external = cairn_external_at(args->outside, (double)(args->step + step + 1) * args->h);
    if (n_pairs > 0)
      cairn_opencl_run(CAIRN_OPENCL_SOFT_SPHERES, pairs_kernel[args->law_kind], n_pairs, 64, 11, pairs);
    cairn_opencl_run(CAIRN_OPENCL_SOFT_SPHERES, "cairn_bodies", n, 64, 9, bodies);
    cairn_opencl_run(CAIRN_OPENCL_SOFT_SPHERES, "cairn_report", 256, 256, 6, reports);
  }
  cairn_opencl_finish();
}
#endif

static uint32_t advance_footprint(struct starpu_task *task) {
  const struct cairn_advance_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->n_steps * (args->size.n + args->size.n_pairs));
}

static struct starpu_perfmodel advance_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_advance", .footprint = advance_footprint};

#ifdef CAIRN_HAVE_OPENCL
#define CAIRN_ON_DEVICES .opencl_funcs = {advance_opencl},
#else
#define CAIRN_ON_DEVICES
#endif

static struct starpu_codelet cairn_cl_advance = {
    .cpu_funcs = {advance_cpu},
    .cpu_funcs_name = {"advance_cpu"},
    CAIRN_ON_DEVICES.nbuffers = N_BUFFERS,
    .modes = {STARPU_RW, STARPU_RW, STARPU_R, STARPU_RW, STARPU_R, STARPU_RW, STARPU_SCRATCH, STARPU_R},
    .model = &advance_model,
    .name = "advance",
};

/* The same, but the walls may be written too. */
static struct starpu_codelet cairn_cl_advance_alone = {
    .cpu_funcs = {advance_cpu},
    .cpu_funcs_name = {"advance_cpu"},
    CAIRN_ON_DEVICES.nbuffers = N_BUFFERS,
    .modes = {STARPU_RW, STARPU_RW, STARPU_R, STARPU_RW, STARPU_R, STARPU_RW, STARPU_SCRATCH, STARPU_RW},
    .model = &advance_model,
    .name = "advance_alone",
};

bool cairn_task_advance_on_devices(void) { return (cairn_opencl_where() & STARPU_OPENCL) != 0; }

bool cairn_task_advance_is_alone(const struct cairn_cells *cells, const struct cairn_task_world *world) {
  return cells->n_cells == 1 && cairn_ranks_n() == 1 && !(world->walls.moving && cairn_task_advance_on_devices());
}

size_t cairn_task_advance_scratch(struct cairn_cell_size size) {
  const size_t n = (size_t)size.n, n_pairs = (size_t)size.n_pairs + (size_t)size.n_wall_pairs;
  const size_t host = CAIRN_FORCE * (n + (size_t)size.n_halo);
  const size_t device = 10 * n_pairs + 3 * n;
  return cairn_task_advance_on_devices() && device > host ? device : host;
}

static int submit(struct starpu_codelet *codelet, struct cairn_cell *cell, const struct cairn_task_world *world,
                  const struct cairn_advance_args *args, int32_t slot) {
  struct starpu_task *task = cairn_task_create(codelet, args, sizeof *args);
  if (!task)
    return -1;
  /* devices neither capture bodies nor move walls, and know no bonds */
  task->where =
      (int32_t)(world->walls.captures || args->set || cell->size.bonds > 0 ? STARPU_CPU : cairn_opencl_where());
  task->handles[STATE] = cell->handles->state;
  task->handles[PREDICTED] = cell->handles->predicted;
  task->handles[PAIR_LIST] = cell->handles->pair_list;
  task->handles[HISTORY] = cell->handles->history;
  task->handles[WORLD] = world->world_handle;
  task->handles[REPORT] = cell->handles->report;
  task->handles[SCRATCH] = world->scratch_handle;
  task->handles[ASSEMBLIES] = world->walls.assemblies_handle[slot];
  cell->is_predicted = true;
  return starpu_task_submit(task);
}

static struct cairn_advance_args args_of(const struct cairn_cell *cell, const struct cairn_task_world *world) {
  return (struct cairn_advance_args){.size = cell->size,
                                     .law_kind = world->law_kind,
                                     .n_laws = world->n_laws,
                                     .rotation = world->rotation,
                                     .is_predicted = cell->is_predicted,
                                     .n_steps = 1,
                                     .h = world->h,
                                     .reach = world->reach,
                                     .step = world->step,
                                     .outside = world->outside};
}

int cairn_task_advance_submit(struct cairn_cell *cell, const struct cairn_task_world *world, int32_t step) {
  struct cairn_advance_args args = args_of(cell, world);
  args.step += step;
  return submit(&cairn_cl_advance, cell, world, &args, world->walls.moving ? step % CAIRN_TASK_RING : 0);
}

int cairn_task_advance_alone_submit(struct cairn_cell *cell, const struct cairn_task_world *world, int32_t n_steps) {
  struct cairn_advance_args args = args_of(cell, world);
  args.n_steps = n_steps;
  if (world->walls.moving) {
    args.set = &world->walls.set;
    args.walls_report = world->walls.report;
  }
  return submit(&cairn_cl_advance_alone, cell, world, &args, 0);
}
