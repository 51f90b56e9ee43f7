/* Tasks over the contacts of a cell, which change bodies of its neighbours too: warm start, sweep, residual, loads on
 * captured bodies. Copies of the neighbours' velocities are fetched first and, if changed, written back. The last sweep
 * that touches the bodies of a cell extrapolates them for the next one. */
#include "kernels/contact_dynamics/cd_walls.h"
#include "tasks/cd_part.h"
#include "tasks/engine/opencl.h"

struct cairn_sweep_args {
  struct cairn_cd_part part;
  struct cairn_task_momentum momentum;
};

enum { LINES, RIGID, MEASURE, NEIGHBORS };

enum { MOST_NEIGHBORS = 4 }; /* that kernels/contact_dynamics/cd.cl knows; slices have one */

static struct cairn_cd_part part_of(void *buffers[], const struct cairn_sweep_args *args) {
  struct cairn_cd_part part = args->part;
  part.velocities = (double *)STARPU_VECTOR_GET_PTR(buffers[LINES]);
  part.groups = (void *)STARPU_VECTOR_GET_PTR(buffers[RIGID]);
  for (int32_t k = 0; k < part.n_near; k++)
    part.neighbor[k] = (double *)STARPU_VECTOR_GET_PTR(buffers[NEIGHBORS + k]);
  return part;
}

static void warm_start_cpu(void *buffers[], void *arg) {
  const struct cairn_cd_part part = part_of(buffers, arg);
  cairn_cd_part_warm_start(&part);
}

static void sweep_cpu(void *buffers[], void *arg) {
  const struct cairn_sweep_args *args = arg;
  const struct cairn_cd_part part = part_of(buffers, args);
  cairn_cd_part_sweep(&part, args->momentum);
}

static void residual_cpu(void *buffers[], void *arg) {
  struct cairn_cd_measure *measure = (struct cairn_cd_measure *)STARPU_VARIABLE_GET_PTR(buffers[MEASURE]);
  const struct cairn_cd_part part = part_of(buffers, arg);
  measure->residual = cairn_cd_part_residual(&part);
}

static void captured_loads_cpu(void *buffers[], void *arg) {
  const struct cairn_cd_part part = part_of(buffers, arg);
  const struct cairn_cd_cell cell = cairn_cd_part_fetch(&part);
  cairn_kernel_cd_gather_captured(&cell);
  cairn_cd_part_bring_back(&part, &cell);
}

#ifdef CAIRN_HAVE_OPENCL
#include <starpu_opencl.h>

static void run_opencl(const char *kernel, void *buffers[], const struct cairn_sweep_args *args) {
  const struct cairn_cell *cell = args->part.cell;
  const cl_mem velocities = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[LINES]);
  const cl_mem cd = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[RIGID]);
  const cl_mem measure = (cl_mem)STARPU_VARIABLE_GET_DEV_HANDLE(buffers[MEASURE]);
  cl_mem neighbor[MOST_NEIGHBORS];
  for (int32_t k = 0; k < MOST_NEIGHBORS; k++) /* where there is none any buffer will do */
    neighbor[k] = k < cell->n_neighbors ? (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[NEIGHBORS + k]) : velocities;
  const struct cairn_opencl_arg all[] = {
      CAIRN_OPENCL_ARG(velocities),  CAIRN_OPENCL_ARG(cd),          CAIRN_OPENCL_ARG(measure),
      CAIRN_OPENCL_ARG(neighbor[0]), CAIRN_OPENCL_ARG(neighbor[1]), CAIRN_OPENCL_ARG(neighbor[2]),
      CAIRN_OPENCL_ARG(neighbor[3]), CAIRN_OPENCL_ARG(cell->size),  CAIRN_OPENCL_ARG(args->momentum.beta)};
  cairn_opencl_run(CAIRN_OPENCL_CD, kernel, 256, 256, 9, all);
  cairn_opencl_finish();
}

/* Of a cell's neighbour k, or with k = -1 its own. */
static int buffer_of(int k) { return k < 0 ? LINES : NEIGHBORS + k; }

static struct cairn_cell_size size_of(const struct cairn_cd_part *part, int k) {
  return k < 0 ? part->cell->size : part->above[k]->size;
}

static void extrapolate_on_device(void *buffers[], const struct cairn_sweep_args *args, int k) {
  const cl_mem velocities = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[buffer_of(k)]);
  const struct cairn_cell_size size = size_of(&args->part, k);
  const struct cairn_opencl_arg all[] = {CAIRN_OPENCL_ARG(velocities), CAIRN_OPENCL_ARG(size),
                                         CAIRN_OPENCL_ARG(args->momentum.next)};
  cairn_opencl_run(CAIRN_OPENCL_CD, "cairn_cell_extrapolate", (size_t)CAIRN_CD * (size_t)size.n, 64, 3, all);
  cairn_opencl_finish();
}

static void warm_start_opencl(void *buffers[], void *arg) { run_opencl("cairn_cell_warm_start", buffers, arg); }
static void sweep_opencl(void *buffers[], void *arg) {
  const struct cairn_sweep_args *args = arg;
  run_opencl("cairn_cell_sweep", buffers, args);
  for (int k = -1; k < args->part.cell->n_neighbors && args->momentum.next >= 0.; k++)
    if (args->part.completes >> (k + 1) & 1)
      extrapolate_on_device(buffers, args, k);
}
static void residual_opencl(void *buffers[], void *arg) { run_opencl("cairn_cell_residual", buffers, arg); }

#define CAIRN_ON_DEVICES(function) .opencl_funcs = {function},
#else
#define CAIRN_ON_DEVICES(function)
#endif

static uint32_t footprint(struct starpu_task *task) {
  const struct cairn_sweep_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->part.cell->size.n_pairs);
}

static struct starpu_perfmodel warm_start_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_warm_start", .footprint = footprint};
static struct starpu_perfmodel sweep_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_sweep", .footprint = footprint};
static struct starpu_perfmodel residual_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_residual", .footprint = footprint};
static struct starpu_perfmodel captured_loads_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_captured_loads", .footprint = footprint};

static struct starpu_codelet cairn_cl_cd_warm_start = {.cpu_funcs = {warm_start_cpu},
                                                       .cpu_funcs_name = {"warm_start_cpu"},
                                                       CAIRN_ON_DEVICES(warm_start_opencl).nbuffers =
                                                           STARPU_VARIABLE_NBUFFERS,
                                                       .model = &warm_start_model,
                                                       .name = "cd_warm_start"};
static struct starpu_codelet cairn_cl_cd_sweep = {.cpu_funcs = {sweep_cpu},
                                                  .cpu_funcs_name = {"sweep_cpu"},
                                                  CAIRN_ON_DEVICES(sweep_opencl).nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                  .model = &sweep_model,
                                                  .name = "cd_sweep"};
static struct starpu_codelet cairn_cl_cd_residual = {.cpu_funcs = {residual_cpu},
                                                     .cpu_funcs_name = {"residual_cpu"},
                                                     CAIRN_ON_DEVICES(residual_opencl).nbuffers =
                                                         STARPU_VARIABLE_NBUFFERS,
                                                     .model = &residual_model,
                                                     .name = "cd_residual"};
static struct starpu_codelet cairn_cl_cd_captured_loads = {.cpu_funcs = {captured_loads_cpu},
                                                           .cpu_funcs_name = {"captured_loads_cpu"},
                                                           .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                           .model = &captured_loads_model,
                                                           .name = "cd_captured_loads"};

static int submit(struct starpu_codelet *codelet, struct cairn_cells *cells, cairn_cell_t c,
                  struct cairn_task_momentum momentum, enum starpu_data_access_mode mode) {
  const struct cairn_cell *cell = cells->cell + c;
  const struct cairn_sweep_args args = {cairn_cd_part_of(cells, c), momentum};
  struct starpu_task *task = cairn_task_create_variable(codelet, &args, sizeof args, NEIGHBORS + args.part.n_near);
  if (!task)
    return -1;
  const bool anywhere = codelet->opencl_funcs[0] && cell->size.cd.colored && cell->n_neighbors <= MOST_NEIGHBORS;
  task->where = (int32_t)(anywhere ? cairn_opencl_where() : STARPU_CPU);
  cairn_task_name_buffer(task, LINES, cell->handles->velocities, STARPU_RW);
  cairn_task_name_buffer(task, RIGID, cell->handles->groups, STARPU_RW);
  cairn_task_name_buffer(task, MEASURE, cell->handles->measure, STARPU_RW);
  for (int32_t k = 0; k < args.part.n_near; k++)
    cairn_task_name_buffer(task, NEIGHBORS + k, cells->cell[cell->neighbor[k]].handles->velocities, mode);
  return starpu_task_submit(task);
}

int cairn_task_cd_warm_start_submit(struct cairn_cells *cells, cairn_cell_t c, struct cairn_task_momentum momentum) {
  return submit(&cairn_cl_cd_warm_start, cells, c, momentum, STARPU_RW);
}

int cairn_task_cd_sweep_submit(struct cairn_cells *cells, cairn_cell_t c, struct cairn_task_momentum momentum) {
  return submit(&cairn_cl_cd_sweep, cells, c, momentum, STARPU_RW);
}

int cairn_task_cd_residual_submit(struct cairn_cells *cells, cairn_cell_t c, struct cairn_task_momentum momentum) {
  return submit(&cairn_cl_cd_residual, cells, c, momentum, STARPU_R);
}

int cairn_task_cd_captured_loads_submit(struct cairn_cells *cells, cairn_cell_t c,
                                        struct cairn_task_momentum momentum) {
  return submit(&cairn_cl_cd_captured_loads, cells, c, momentum, STARPU_RW);
}
