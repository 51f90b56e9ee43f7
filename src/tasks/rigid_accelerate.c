/* What turns sweeps into momentum or conjugate gradients: one small task joins the sweeps of all cells, one per cell
 * puts its bodies ahead. */
#include "tasks/opencl.h"
#include "tasks/tasks.h"

struct cairn_weigh_args {
  int32_t n_cells, solver;
};

struct cairn_ahead_args {
  struct cairn_cell_size size;
  int32_t solver;
};

static void weigh_cpu(void *buffers[], void *arg) {
  const struct cairn_weigh_args *args = arg;
  struct cairn_rigid_measure all = {0};
  for (int32_t c = 0; c < args->n_cells; c++) {
    const struct cairn_rigid_measure *one = (const struct cairn_rigid_measure *)STARPU_VARIABLE_GET_PTR(buffers[1 + c]);
    all.change += one->change;
    all.along += one->along;
    all.bent += one->bent;
  }
  cairn_kernel_rigid_weigh((struct cairn_rigid_control *)STARPU_VARIABLE_GET_PTR(buffers[0]), args->solver, &all);
}

static void ahead_cpu(void *buffers[], void *arg) {
  const struct cairn_ahead_args *args = arg;
  const struct cairn_rigid_control *control = (const struct cairn_rigid_control *)STARPU_VARIABLE_GET_PTR(buffers[2]);
  const struct cairn_rigid_cell cell = cairn_kernel_rigid_bind(args->size, (void *)STARPU_VECTOR_GET_PTR(buffers[0]),
                                                               (void *)STARPU_VECTOR_GET_PTR(buffers[1]));
  cairn_kernel_rigid_ahead(&cell, args->solver, control->beta);
}

#ifdef CAIRN_HAVE_OPENCL
#include <starpu_opencl.h>

static void ahead_opencl(void *buffers[], void *arg) {
  const struct cairn_ahead_args *args = arg;
  const cl_mem lines = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
  const cl_mem control = (cl_mem)STARPU_VARIABLE_GET_DEV_HANDLE(buffers[2]);
  const struct cairn_opencl_arg all[] = {CAIRN_OPENCL_ARG(lines), CAIRN_OPENCL_ARG(control),
                                         CAIRN_OPENCL_ARG(args->size), CAIRN_OPENCL_ARG(args->solver)};
  cairn_opencl_run(CAIRN_OPENCL_RIGID, "cairn_cell_ahead", (size_t)CAIRN_RIGID * (size_t)args->size.n, 64, 4, all);
  cairn_opencl_finish();
}
#define CAIRN_ON_DEVICES .opencl_funcs = {ahead_opencl},
#else
#define CAIRN_ON_DEVICES
#endif

static struct starpu_perfmodel weigh_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_rigid_weigh"};
static struct starpu_perfmodel ahead_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_rigid_ahead"};

static struct starpu_codelet cairn_cl_rigid_weigh = {.cpu_funcs = {weigh_cpu},
                                                     .cpu_funcs_name = {"weigh_cpu"},
                                                     .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                     .model = &weigh_model,
                                                     .name = "rigid_weigh"};
static struct starpu_codelet cairn_cl_rigid_ahead = {.cpu_funcs = {ahead_cpu},
                                                     .cpu_funcs_name = {"ahead_cpu"},
                                                     CAIRN_ON_DEVICES.nbuffers = 3,
                                                     .modes = {STARPU_RW, STARPU_R, STARPU_R},
                                                     .model = &ahead_model,
                                                     .name = "rigid_ahead"};

int cairn_task_rigid_weigh_submit(struct cairn_cells *cells, const struct cairn_task_world *world) {
  const struct cairn_weigh_args args = {cells->n_cells, world->rigid.solver};
  struct starpu_task *task = cairn_task_create_variable(&cairn_cl_rigid_weigh, &args, sizeof args, 1 + cells->n_cells);
  if (!task)
    return -1;
  cairn_task_name_buffer(task, 0, world->control_handle, STARPU_RW);
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    cairn_task_name_buffer(task, 1 + c, cells->cell[c].measure_handle, STARPU_R);
  return starpu_task_submit(task);
}

int cairn_task_rigid_ahead_submit(struct cairn_cell *cell, const struct cairn_task_world *world) {
  const struct cairn_ahead_args args = {cell->size, world->rigid.solver};
  struct starpu_task *task = cairn_task_create(&cairn_cl_rigid_ahead, &args, sizeof args);
  if (!task)
    return -1;
  task->where = (int32_t)(cell->size.colored ? cairn_opencl_where() : STARPU_CPU);
  task->handles[0] = cell->lines_handle;
  task->handles[1] = cell->rigid_handle;
  task->handles[2] = world->control_handle;
  return starpu_task_submit(task);
}
