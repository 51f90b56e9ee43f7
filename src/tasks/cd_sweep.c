/* Tasks over the contacts of a cell, which change bodies of its neighbours too: warm start, sweep, residual, loads on
 * captured bodies. Copies of the neighbours' velocities are fetched first and, if changed, written back. The last sweep
 * that touches the bodies of a cell extrapolates them for the next one. */
#include <string.h>

#include "kernels/contact_dynamics/cd_walls.h"
#include "tasks/engine/opencl.h"
#include "tasks/tasks.h"

struct cairn_sweep_args {
  const struct cairn_cells *cells;
  const struct cairn_cell *cell;
  struct cairn_task_momentum momentum;
  uint64_t completes; /* bit 0: this is the last sweep over its own bodies; bit 1 + k: over those of neighbour k */
};

enum { LINES, RIGID, MEASURE, NEIGHBORS };

enum { MOST_NEIGHBORS = 4 }; /* that kernels/contact_dynamics/cd.cl knows; slices have one */

static double *home(void *buffers[], const struct cairn_cell *cell, int32_t i) {
  const struct cairn_halo_source source = cell->halo[i];
  return (double *)STARPU_VECTOR_GET_PTR(buffers[NEIGHBORS + source.neighbor]) + (int64_t)CAIRN_CD * source.index;
}

/* Only halo bodies with a contact in this step are copied. */
static struct cairn_cd_cell fetch(void *buffers[], const struct cairn_cell *cell) {
  const struct cairn_cd_cell cd = cairn_kernel_cd_bind(cell->size, (void *)STARPU_VECTOR_GET_PTR(buffers[LINES]),
                                                       (void *)STARPU_VECTOR_GET_PTR(buffers[RIGID]));
  for (int32_t k = 0; k < *cd.n_used; k++)
    memcpy(cd.velocities + (int64_t)CAIRN_CD * (cell->size.n + cd.halo[k]), home(buffers, cell, cd.halo[k]),
           CAIRN_CD * sizeof(double));
  return cd;
}

static void bring_back(void *buffers[], const struct cairn_cell *cell, const struct cairn_cd_cell *cd) {
  for (int32_t k = 0; k < *cd->n_used; k++)
    memcpy(home(buffers, cell, cd->halo[k]), cd->velocities + (int64_t)CAIRN_CD * (cell->size.n + cd->halo[k]),
           CAIRN_CD * sizeof(double));
}

static void warm_start_cpu(void *buffers[], void *arg) {
  const struct cairn_sweep_args *args = arg;
  const struct cairn_cd_cell cell = fetch(buffers, args->cell);
  cairn_kernel_cd_warm_start(&cell);
  bring_back(buffers, args->cell, &cell);
}

/* The buffer of a cell's neighbour k, or with k = -1 its own. */
static int buffer_of(int k) { return k < 0 ? LINES : NEIGHBORS + k; }

static struct cairn_cell_size size_of(const struct cairn_sweep_args *args, int k) {
  return k < 0 ? args->cell->size : args->cells->cell[args->cell->neighbor[k]].size;
}

static void sweep_cpu(void *buffers[], void *arg) {
  const struct cairn_sweep_args *args = arg;
  const struct cairn_cd_cell cell = fetch(buffers, args->cell);
  cairn_kernel_cd_sweep(&cell, args->momentum.beta);
  bring_back(buffers, args->cell, &cell);
  for (int k = -1; k < args->cell->n_neighbors && args->momentum.next >= 0.; k++)
    if (args->completes >> (k + 1) & 1)
      cairn_kernel_cd_extrapolate(size_of(args, k), (double *)STARPU_VECTOR_GET_PTR(buffers[buffer_of(k)]),
                                  args->momentum.next);
}

static void residual_cpu(void *buffers[], void *arg) {
  const struct cairn_sweep_args *args = arg;
  struct cairn_cd_measure *measure = (struct cairn_cd_measure *)STARPU_VARIABLE_GET_PTR(buffers[MEASURE]);
  const struct cairn_cd_cell cell = fetch(buffers, args->cell);
  measure->residual = cairn_kernel_cd_residual(&cell);
}

static void captured_loads_cpu(void *buffers[], void *arg) {
  const struct cairn_sweep_args *args = arg;
  const struct cairn_cd_cell cell = fetch(buffers, args->cell);
  cairn_kernel_cd_gather_captured(&cell);
  bring_back(buffers, args->cell, &cell);
}

#ifdef CAIRN_HAVE_OPENCL
#include <starpu_opencl.h>

static void run_opencl(const char *kernel, void *buffers[], const struct cairn_sweep_args *args) {
  const struct cairn_cell *cell = args->cell;
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

static void extrapolate_on_device(void *buffers[], const struct cairn_sweep_args *args, int k) {
  const cl_mem velocities = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[buffer_of(k)]);
  const struct cairn_cell_size size = size_of(args, k);
  const struct cairn_opencl_arg all[] = {CAIRN_OPENCL_ARG(velocities), CAIRN_OPENCL_ARG(size),
                                         CAIRN_OPENCL_ARG(args->momentum.next)};
  cairn_opencl_run(CAIRN_OPENCL_CD, "cairn_cell_extrapolate", (size_t)CAIRN_CD * (size_t)size.n, 64, 3, all);
  cairn_opencl_finish();
}

static void warm_start_opencl(void *buffers[], void *arg) { run_opencl("cairn_cell_warm_start", buffers, arg); }
static void sweep_opencl(void *buffers[], void *arg) {
  const struct cairn_sweep_args *args = arg;
  run_opencl("cairn_cell_sweep", buffers, args);
  for (int k = -1; k < args->cell->n_neighbors && args->momentum.next >= 0.; k++)
    if (args->completes >> (k + 1) & 1)
      extrapolate_on_device(buffers, args, k);
}
static void residual_opencl(void *buffers[], void *arg) { run_opencl("cairn_cell_residual", buffers, arg); }

#define CAIRN_ON_DEVICES(function) .opencl_funcs = {function},
#else
#define CAIRN_ON_DEVICES(function)
#endif

static uint32_t footprint(struct starpu_task *task) {
  const struct cairn_sweep_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->cell->size.n_pairs);
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

static uint64_t completes(const struct cairn_cells *cells, cairn_cell_t c) {
  const struct cairn_cell *cell = cells->cell + c;
  uint64_t mask = cell->last_sweep == c;
  for (int32_t k = 0; k < cell->n_neighbors; k++)
    if (cells->cell[cell->neighbor[k]].last_sweep == c)
      mask |= UINT64_C(2) << k;
  return mask;
}

static int submit(struct starpu_codelet *codelet, struct cairn_cells *cells, cairn_cell_t c,
                  struct cairn_task_momentum momentum, enum starpu_data_access_mode mode) {
  const struct cairn_cell *cell = cells->cell + c;
  const struct cairn_sweep_args args = {cells, cell, momentum, completes(cells, c)};
  struct starpu_task *task = cairn_task_create_variable(codelet, &args, sizeof args, NEIGHBORS + cell->n_neighbors);
  if (!task)
    return -1;
  const bool anywhere = codelet->opencl_funcs[0] && cell->size.cd.colored && cell->n_neighbors <= MOST_NEIGHBORS;
  task->where = (int32_t)(anywhere ? cairn_opencl_where() : STARPU_CPU);
  cairn_task_name_buffer(task, LINES, cell->handles->velocities, STARPU_RW);
  cairn_task_name_buffer(task, RIGID, cell->handles->groups, STARPU_RW);
  cairn_task_name_buffer(task, MEASURE, cell->handles->measure, STARPU_RW);
  for (int32_t k = 0; k < cell->n_neighbors; k++)
    cairn_task_name_buffer(task, NEIGHBORS + k, cells->cell[cell->neighbor[k]].handles->velocities, mode);
  return starpu_task_submit(task);
}

static const struct cairn_task_momentum none = {0., -1.};

int cairn_task_cd_warm_start_submit(struct cairn_cells *cells, cairn_cell_t c) {
  return submit(&cairn_cl_cd_warm_start, cells, c, none, STARPU_RW);
}

int cairn_task_cd_sweep_submit(struct cairn_cells *cells, cairn_cell_t c, struct cairn_task_momentum momentum) {
  return submit(&cairn_cl_cd_sweep, cells, c, momentum, STARPU_RW);
}

int cairn_task_cd_residual_submit(struct cairn_cells *cells, cairn_cell_t c) {
  return submit(&cairn_cl_cd_residual, cells, c, none, STARPU_R);
}

int cairn_task_cd_captured_loads_submit(struct cairn_cells *cells, cairn_cell_t c) {
  return submit(&cairn_cl_cd_captured_loads, cells, c, none, STARPU_RW);
}
