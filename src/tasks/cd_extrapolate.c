/* Acceleration of the sweeps by momentum or conjugate directions: one small task computes the coefficient from the
 * sweeps of all cells, one per cell extrapolates its bodies. */
#include "tasks/engine/opencl.h"
#include "tasks/tasks.h"

struct cairn_momentum_args {
  int32_t n_cells, solver;
};

struct cairn_extrapolate_args {
  struct cairn_cell_size size;
  int32_t solver;
};

static void momentum_cpu(void *buffers[], void *arg) {
  const struct cairn_momentum_args *args = arg;
  struct cairn_cd_measure all = {0};
  for (int32_t c = 0; c < args->n_cells; c++) {
    const struct cairn_cd_measure *one = (const struct cairn_cd_measure *)STARPU_VARIABLE_GET_PTR(buffers[1 + c]);
    all.change += one->change;
    all.along += one->along;
    all.curvature += one->curvature;
  }
  cairn_kernel_cd_momentum((struct cairn_cd_control *)STARPU_VARIABLE_GET_PTR(buffers[0]), args->solver, &all);
}

static void extrapolate_cpu(void *buffers[], void *arg) {
  const struct cairn_extrapolate_args *args = arg;
  const struct cairn_cd_control *control = (const struct cairn_cd_control *)STARPU_VARIABLE_GET_PTR(buffers[2]);
  const struct cairn_cd_cell cell = cairn_kernel_cd_bind(args->size, (void *)STARPU_VECTOR_GET_PTR(buffers[0]),
                                                         (void *)STARPU_VECTOR_GET_PTR(buffers[1]));
  cairn_kernel_cd_extrapolate(&cell, args->solver, control->beta);
}

#ifdef CAIRN_HAVE_OPENCL
#include <starpu_opencl.h>

static void extrapolate_opencl(void *buffers[], void *arg) {
  const struct cairn_extrapolate_args *args = arg;
  const cl_mem velocities = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
  const cl_mem control = (cl_mem)STARPU_VARIABLE_GET_DEV_HANDLE(buffers[2]);
  const struct cairn_opencl_arg all[] = {CAIRN_OPENCL_ARG(velocities), CAIRN_OPENCL_ARG(control),
                                         CAIRN_OPENCL_ARG(args->size), CAIRN_OPENCL_ARG(args->solver)};
  cairn_opencl_run(CAIRN_OPENCL_CD, "cairn_cell_extrapolate", (size_t)CAIRN_CD * (size_t)args->size.n, 64, 4, all);
  cairn_opencl_finish();
}
#define CAIRN_ON_DEVICES .opencl_funcs = {extrapolate_opencl},
#else
#define CAIRN_ON_DEVICES
#endif

static struct starpu_perfmodel momentum_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_momentum"};
static struct starpu_perfmodel extrapolate_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_extrapolate"};

static struct starpu_codelet cairn_cl_cd_momentum = {.cpu_funcs = {momentum_cpu},
                                                     .cpu_funcs_name = {"momentum_cpu"},
                                                     .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                     .model = &momentum_model,
                                                     .name = "cd_momentum"};
static struct starpu_codelet cairn_cl_cd_extrapolate = {.cpu_funcs = {extrapolate_cpu},
                                                        .cpu_funcs_name = {"extrapolate_cpu"},
                                                        CAIRN_ON_DEVICES.nbuffers = 3,
                                                        .modes = {STARPU_RW, STARPU_R, STARPU_R},
                                                        .model = &extrapolate_model,
                                                        .name = "cd_extrapolate"};

int cairn_task_cd_momentum_submit(struct cairn_cells *cells, const struct cairn_task_world *world) {
  const struct cairn_momentum_args args = {cells->n_cells, world->cd.solver};
  struct starpu_task *task = cairn_task_create_variable(&cairn_cl_cd_momentum, &args, sizeof args, 1 + cells->n_cells);
  if (!task)
    return -1;
  cairn_task_name_buffer(task, 0, world->control_handle, STARPU_RW);
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    cairn_task_name_buffer(task, 1 + c, cells->cell[c].handles->measure, STARPU_R);
  return starpu_task_submit(task);
}

int cairn_task_cd_extrapolate_submit(struct cairn_cell *cell, const struct cairn_task_world *world) {
  const struct cairn_extrapolate_args args = {cell->size, world->cd.solver};
  struct starpu_task *task = cairn_task_create(&cairn_cl_cd_extrapolate, &args, sizeof args);
  if (!task)
    return -1;
  task->where = (int32_t)(cell->size.colored ? cairn_opencl_where() : STARPU_CPU);
  task->handles[0] = cell->handles->velocities;
  task->handles[1] = cell->handles->groups;
  task->handles[2] = world->control_handle;
  return starpu_task_submit(task);
}
