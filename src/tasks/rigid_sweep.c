/* Tasks over the contacts of a cell, which reach into the neighbours' bodies: push, sweep, residual, what pushes held
 * bodies. The copies of
 * these bodies are fetched first and, if they were changed, brought back. */
#include <string.h>

#include "kernels/rigid_walls.h"
#include "tasks/tasks.h"

struct cairn_sweep_args {
  const struct cairn_cell *cell;
  int32_t solver;
};

enum { LINES, RIGID, MEASURE, CONTROL, NEIGHBORS };

static double *home(void *buffers[], const struct cairn_cell *cell, int32_t i) {
  const struct cairn_halo_source source = cell->halo[i];
  return (double *)STARPU_VECTOR_GET_PTR(buffers[NEIGHBORS + source.neighbor]) + (int64_t)CAIRN_RIGID * source.index;
}

/* Only halo bodies with a contact in this step travel. */
static struct cairn_rigid_cell fetch(void *buffers[], const struct cairn_cell *cell) {
  const struct cairn_rigid_cell rigid = cairn_kernel_rigid_bind(
      cell->size, (void *)STARPU_VECTOR_GET_PTR(buffers[LINES]), (void *)STARPU_VECTOR_GET_PTR(buffers[RIGID]));
  for (int32_t k = 0; k < *rigid.n_used; k++)
    memcpy(rigid.lines + (int64_t)CAIRN_RIGID * (cell->size.n + rigid.halo[k]), home(buffers, cell, rigid.halo[k]),
           CAIRN_RIGID * sizeof(double));
  return rigid;
}

static void bring_back(void *buffers[], const struct cairn_cell *cell, const struct cairn_rigid_cell *rigid) {
  for (int32_t k = 0; k < *rigid->n_used; k++)
    memcpy(home(buffers, cell, rigid->halo[k]), rigid->lines + (int64_t)CAIRN_RIGID * (cell->size.n + rigid->halo[k]),
           CAIRN_RIGID * sizeof(double));
}

static void warm_cpu(void *buffers[], void *arg) {
  const struct cairn_sweep_args *args = arg;
  const struct cairn_rigid_cell cell = fetch(buffers, args->cell);
  cairn_kernel_rigid_warm(&cell);
  bring_back(buffers, args->cell, &cell);
}

static void sweep_cpu(void *buffers[], void *arg) {
  const struct cairn_sweep_args *args = arg;
  const struct cairn_rigid_control *control =
      (const struct cairn_rigid_control *)STARPU_VARIABLE_GET_PTR(buffers[CONTROL]);
  const struct cairn_rigid_cell cell = fetch(buffers, args->cell);
  cairn_kernel_rigid_sweep(&cell, args->solver, control->beta,
                           (struct cairn_rigid_measure *)STARPU_VARIABLE_GET_PTR(buffers[MEASURE]));
  bring_back(buffers, args->cell, &cell);
}

static void descend_cpu(void *buffers[], void *arg) {
  const struct cairn_sweep_args *args = arg;
  const struct cairn_rigid_cell cell = fetch(buffers, args->cell);
  cairn_kernel_rigid_descend(&cell, (const struct cairn_rigid_control *)STARPU_VARIABLE_GET_PTR(buffers[CONTROL]),
                             (struct cairn_rigid_measure *)STARPU_VARIABLE_GET_PTR(buffers[MEASURE]));
}

static void residual_cpu(void *buffers[], void *arg) {
  const struct cairn_sweep_args *args = arg;
  struct cairn_rigid_measure *measure = (struct cairn_rigid_measure *)STARPU_VARIABLE_GET_PTR(buffers[MEASURE]);
  const struct cairn_rigid_cell cell = fetch(buffers, args->cell);
  measure->residual = cairn_kernel_rigid_residual(&cell);
}

static void held_cpu(void *buffers[], void *arg) {
  const struct cairn_sweep_args *args = arg;
  const struct cairn_rigid_cell cell = fetch(buffers, args->cell);
  cairn_kernel_rigid_gather_held(&cell);
  bring_back(buffers, args->cell, &cell);
}

static uint32_t footprint(struct starpu_task *task) {
  const struct cairn_sweep_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->cell->size.n_pairs);
}

static struct starpu_perfmodel warm_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_rigid_warm", .footprint = footprint};
static struct starpu_perfmodel sweep_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_rigid_sweep", .footprint = footprint};
static struct starpu_perfmodel descend_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_rigid_descend", .footprint = footprint};
static struct starpu_perfmodel residual_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_rigid_residual", .footprint = footprint};
static struct starpu_perfmodel held_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_rigid_held", .footprint = footprint};

static struct starpu_codelet cairn_cl_rigid_warm = {.cpu_funcs = {warm_cpu},
                                                    .cpu_funcs_name = {"warm_cpu"},
                                                    .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                    .model = &warm_model,
                                                    .name = "rigid_warm"};
static struct starpu_codelet cairn_cl_rigid_sweep = {.cpu_funcs = {sweep_cpu},
                                                     .cpu_funcs_name = {"sweep_cpu"},
                                                     .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                     .model = &sweep_model,
                                                     .name = "rigid_sweep"};
static struct starpu_codelet cairn_cl_rigid_descend = {.cpu_funcs = {descend_cpu},
                                                       .cpu_funcs_name = {"descend_cpu"},
                                                       .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                       .model = &descend_model,
                                                       .name = "rigid_descend"};
static struct starpu_codelet cairn_cl_rigid_residual = {.cpu_funcs = {residual_cpu},
                                                        .cpu_funcs_name = {"residual_cpu"},
                                                        .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                        .model = &residual_model,
                                                        .name = "rigid_residual"};
static struct starpu_codelet cairn_cl_rigid_held = {.cpu_funcs = {held_cpu},
                                                    .cpu_funcs_name = {"held_cpu"},
                                                    .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                    .model = &held_model,
                                                    .name = "rigid_held"};

static int submit(struct starpu_codelet *codelet, struct cairn_cells *cells, cairn_cell_t c,
                  const struct cairn_task_world *world, enum starpu_data_access_mode mode) {
  const struct cairn_cell *cell = cells->cell + c;
  const struct cairn_sweep_args args = {cell, world->rigid.solver};
  struct starpu_task *task = cairn_task_create_variable(codelet, &args, sizeof args, NEIGHBORS + cell->n_neighbors);
  if (!task)
    return -1;
  cairn_task_name_buffer(task, LINES, cell->lines_handle, STARPU_RW);
  cairn_task_name_buffer(task, RIGID, cell->rigid_handle, STARPU_RW);
  cairn_task_name_buffer(task, MEASURE, cell->measure_handle, STARPU_RW);
  cairn_task_name_buffer(task, CONTROL, world->control_handle, STARPU_R);
  for (int32_t k = 0; k < cell->n_neighbors; k++)
    cairn_task_name_buffer(task, NEIGHBORS + k, cells->cell[cell->neighbor[k]].lines_handle, mode);
  return starpu_task_submit(task);
}

int cairn_task_rigid_warm_submit(struct cairn_cells *cells, cairn_cell_t c, const struct cairn_task_world *world) {
  return submit(&cairn_cl_rigid_warm, cells, c, world, STARPU_RW);
}

int cairn_task_rigid_sweep_submit(struct cairn_cells *cells, cairn_cell_t c, const struct cairn_task_world *world) {
  return submit(&cairn_cl_rigid_sweep, cells, c, world, STARPU_RW);
}

int cairn_task_rigid_descend_submit(struct cairn_cells *cells, cairn_cell_t c, const struct cairn_task_world *world) {
  return submit(&cairn_cl_rigid_descend, cells, c, world, STARPU_R);
}

int cairn_task_rigid_residual_submit(struct cairn_cells *cells, cairn_cell_t c, const struct cairn_task_world *world) {
  return submit(&cairn_cl_rigid_residual, cells, c, world, STARPU_R);
}

int cairn_task_rigid_held_submit(struct cairn_cells *cells, cairn_cell_t c, const struct cairn_task_world *world) {
  return submit(&cairn_cl_rigid_held, cells, c, world, STARPU_RW);
}
