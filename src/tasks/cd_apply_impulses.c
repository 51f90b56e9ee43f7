/* Projected gradients: apply to the bodies of a cell the velocity increments that the contacts of the cell and of those
 * below it have summed. */
#include "tasks/tasks.h"

struct cairn_apply_impulses_args {
  struct cairn_cells *cells;
  cairn_cell_t cell;
};

enum { VELOCITIES, CONTACTS, MEASURE, BELOW };

/* The neighbour of `other` that is the cell, or -1. */
static int32_t index_in(const struct cairn_cell *other, cairn_cell_t c) {
  for (int32_t k = 0; k < other->n_neighbors; k++)
    if (other->neighbor[k] == c)
      return k;
  return -1;
}

static void add_increments(const struct cairn_cell *below, int32_t neighbor, const struct cairn_cd_cell *from,
                           double *increment) {
  for (int32_t k = 0; k < *from->n_used; k++) {
    const struct cairn_halo_source source = below->halo[from->halo[k]];
    if (source.neighbor != neighbor)
      continue;
    const double *more = from->increment + (int64_t)CAIRN_CD * (below->size.n + from->halo[k]);
    double *sum = increment + (int64_t)CAIRN_CD * source.index;
    for (int j = 0; j < 3; j++) {
      sum[CAIRN_CD_V + j] += more[CAIRN_CD_V + j];
      sum[CAIRN_CD_S + j] += more[CAIRN_CD_S + j];
    }
  }
}

static void apply_impulses_cpu(void *buffers[], void *arg) {
  const struct cairn_apply_impulses_args *args = arg;
  const struct cairn_cells *cells = args->cells;
  const struct cairn_cd_cell cell =
      cairn_kernel_cd_bind(cells->cell[args->cell].size, (void *)STARPU_VECTOR_GET_PTR(buffers[VELOCITIES]),
                           (void *)STARPU_VECTOR_GET_PTR(buffers[CONTACTS]));
  int n_below = 0;
  for (cairn_cell_t d = 0; d < args->cell; d++) {
    const int32_t neighbor = index_in(cells->cell + d, args->cell);
    if (neighbor < 0)
      continue;
    const struct cairn_cd_cell from = cairn_kernel_cd_bind(cells->cell[d].size, cell.velocities,
                                                           (void *)STARPU_VECTOR_GET_PTR(buffers[BELOW + n_below]));
    add_increments(cells->cell + d, neighbor, &from, cell.increment);
    n_below++;
  }
  cairn_kernel_cd_apply_impulses(&cell, (struct cairn_cd_measure *)STARPU_VARIABLE_GET_PTR(buffers[MEASURE]));
}

static struct starpu_perfmodel apply_impulses_model = {.type = STARPU_HISTORY_BASED,
                                                       .symbol = "cairn_cd_apply_impulses"};

static struct starpu_codelet cairn_cl_cd_apply_impulses = {.cpu_funcs = {apply_impulses_cpu},
                                                           .cpu_funcs_name = {"apply_impulses_cpu"},
                                                           .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                           .model = &apply_impulses_model,
                                                           .name = "cd_apply_impulses"};

int cairn_task_cd_apply_impulses_submit(struct cairn_cells *cells, cairn_cell_t c) {
  const struct cairn_apply_impulses_args args = {cells, c};
  int n_below = 0;
  for (cairn_cell_t d = 0; d < c; d++)
    n_below += index_in(cells->cell + d, c) >= 0;
  struct starpu_task *task =
      cairn_task_create_variable(&cairn_cl_cd_apply_impulses, &args, sizeof args, BELOW + n_below);
  if (!task)
    return -1;
  cairn_task_name_buffer(task, VELOCITIES, cells->cell[c].handles->velocities, STARPU_RW);
  cairn_task_name_buffer(task, CONTACTS, cells->cell[c].handles->groups, STARPU_RW);
  cairn_task_name_buffer(task, MEASURE, cells->cell[c].handles->measure, STARPU_RW);
  n_below = 0;
  for (cairn_cell_t d = 0; d < c; d++)
    if (index_in(cells->cell + d, c) >= 0)
      cairn_task_name_buffer(task, BELOW + n_below++, cells->cell[d].handles->groups, STARPU_R);
  return starpu_task_submit(task);
}
