/* Momentum: extrapolate the velocities of a cell's bodies to the start of the next sweep. Where sweeps follow each
 * other the last one over the bodies does it (cd_sweep.c); this task is for the first sweep after a residual. */
#include "tasks/engine/opencl.h"
#include "tasks/tasks.h"

struct cairn_extrapolate_args {
  struct cairn_cell_size size;
  double beta;
};

static void extrapolate_cpu(void *buffers[], void *arg) {
  const struct cairn_extrapolate_args *args = arg;
  cairn_kernel_cd_extrapolate(args->size, (double *)STARPU_VECTOR_GET_PTR(buffers[0]), args->beta);
}

#ifdef CAIRN_HAVE_OPENCL
#include <starpu_opencl.h>

static void extrapolate_opencl(void *buffers[], void *arg) {
  const struct cairn_extrapolate_args *args = arg;
  const cl_mem velocities = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
  const struct cairn_opencl_arg all[] = {CAIRN_OPENCL_ARG(velocities), CAIRN_OPENCL_ARG(args->size),
                                         CAIRN_OPENCL_ARG(args->beta)};
  cairn_opencl_run(CAIRN_OPENCL_CD, "cairn_cell_extrapolate", (size_t)CAIRN_CD * (size_t)args->size.n, 64, 3, all);
  cairn_opencl_finish();
}
#define CAIRN_ON_DEVICES .opencl_funcs = {extrapolate_opencl},
#else
#define CAIRN_ON_DEVICES
#endif

static struct starpu_perfmodel extrapolate_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_extrapolate"};

static struct starpu_codelet cairn_cl_cd_extrapolate = {.cpu_funcs = {extrapolate_cpu},
                                                        .cpu_funcs_name = {"extrapolate_cpu"},
                                                        CAIRN_ON_DEVICES.nbuffers = 1,
                                                        .modes = {STARPU_RW},
                                                        .model = &extrapolate_model,
                                                        .name = "cd_extrapolate"};

int cairn_task_cd_extrapolate_submit(struct cairn_cell *cell, double beta) {
  const struct cairn_extrapolate_args args = {cell->size, beta};
  struct starpu_task *task = cairn_task_create(&cairn_cl_cd_extrapolate, &args, sizeof args);
  if (!task)
    return -1;
  task->where = (int32_t)(cell->size.cd.colored ? cairn_opencl_where() : STARPU_CPU);
  task->handles[0] = cell->handles->velocities;
  return starpu_task_submit(task);
}
