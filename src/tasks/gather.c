#include <stdlib.h>

#include "tasks/ranks/links.h"
#include "tasks/ranks/ranks.h"
#include "tasks/tasks.h"

struct cairn_gather_args {
  const struct cairn_cells *cells;
  const struct cairn_cell *cell;
  double h;
  int32_t kick; /* hard spheres: half a kick, without the drift */
};

/* Where the bodies of each ghost begin, [n_neighbors]; NULL if out of memory. Ghosts of one rank share a buffer. */
static const double **find_ghosts(const struct cairn_cells *cells, const struct cairn_cell *cell, int32_t n_cells,
                                  void *buffers[]) {
  const double **at = calloc((size_t)cell->n_neighbors, sizeof *at);
  int32_t buffer = n_cells, link = -1;
  for (int32_t k = n_cells; k < cell->n_neighbors && at; k++) {
    const struct cairn_ghost *ghost = cells->ghost + (cell->neighbor[k] - cells->n_cells);
    buffer += ghost->link != link;
    link = ghost->link;
    at[k] = (const double *)STARPU_VECTOR_GET_PTR(buffers[buffer]) + (int64_t)CAIRN_LENT * ghost->first;
  }
  return at;
}

static void show_lent(const double *lent, double *predicted) {
  for (int k = 0; k < 3; k++) {
    predicted[CAIRN_PREDICTED_X + k] = lent[CAIRN_LENT_X + k];
    predicted[CAIRN_PREDICTED_V + k] = lent[CAIRN_LENT_V + k];
    predicted[CAIRN_PREDICTED_W + k] = lent[CAIRN_LENT_W + k];
  }
  predicted[CAIRN_PREDICTED_CAPTOR] = lent[CAIRN_LENT_CAPTOR];
}

/* The state of a body of the halo, in a cell of this process. */
static const double *find_state(const struct cairn_cell *cell, int32_t i, void *buffers[]) {
  const struct cairn_halo_source source = cell->halo[i];
  return (const double *)STARPU_VECTOR_GET_PTR(buffers[1 + source.neighbor]) + (int64_t)CAIRN_STATE * source.index;
}

/* Ask for what is needed some bodies later: they lie here and there in the neighbours. */
static void fetch_ahead(const struct cairn_cell *cell, int32_t i, int32_t n_cells, void *buffers[]) {
  enum { AHEAD = 8, LINE = 64 };
  if (i + AHEAD >= cell->size.n_halo || cell->halo[i + AHEAD].neighbor >= n_cells)
    return;
  const char *state = (const char *)find_state(cell, i + AHEAD, buffers);
  __builtin_prefetch(state);
  __builtin_prefetch(state + LINE);
  __builtin_prefetch(state + CAIRN_STATE * sizeof(double) - 1);
}

static void gather_cpu(void *buffers[], void *arg) {
  const struct cairn_gather_args *args = arg;
  const struct cairn_cell *cell = args->cell;
  double *predicted = (double *)STARPU_VECTOR_GET_PTR(buffers[0]) + (int64_t)CAIRN_PREDICTED * cell->size.n;
  const int32_t n_cells = cairn_cells_near_ones(args->cells, cell);
  const double **ghost = n_cells < cell->n_neighbors ? find_ghosts(args->cells, cell, n_cells, buffers) : NULL;
  if (n_cells < cell->n_neighbors && !ghost)
    cairn_ranks_out_of_memory("the halo of a cell");
  for (int32_t i = 0; i < cell->size.n_halo; i++, predicted += CAIRN_PREDICTED) {
    const struct cairn_halo_source source = cell->halo[i];
    fetch_ahead(cell, i, n_cells, buffers);
    if (source.neighbor >= n_cells) {
      show_lent(ghost[source.neighbor] + (int64_t)CAIRN_LENT * source.index, predicted);
      continue;
    }
    const double *state = (const double *)STARPU_VECTOR_GET_PTR(buffers[1 + source.neighbor]);
    const struct cairn_cell_size size = args->cells->cell[cell->neighbor[source.neighbor]].size;
    (args->kick ? cairn_drift_kick : cairn_blocks_predict)(state + (int64_t)CAIRN_STATE * source.index, args->h,
                                                           predicted);
    predicted[CAIRN_PREDICTED_CAPTOR] =
        cell->size.n_captures > 0 ? state[cairn_capture_offset(size, source.index) + CAIRN_CAPTURE_CAPTOR] : 0.;
  }
  free(ghost);
}

static uint32_t gather_footprint(struct starpu_task *task) {
  const struct cairn_gather_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->cell->size.n_halo);
}

static struct starpu_perfmodel gather_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_gather", .footprint = gather_footprint};

/* Buffers: the cell's predicted kinematics, read and written; then the state of each neighbour, read; then what came
 * from each rank that has neighbours, read. */
static struct starpu_codelet cairn_cl_gather = {
    .cpu_funcs = {gather_cpu},
    .cpu_funcs_name = {"gather_cpu"},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &gather_model,
    .name = "gather",
};

static int submit(struct cairn_cells *cells, cairn_cell_t c, double h, int32_t kick) {
  const struct cairn_cell *cell = cells->cell + c;
  if (cell->size.n_halo == 0)
    return 0;
  const int32_t n_cells = cairn_cells_near_ones(cells, cell);
  int32_t n_links = 0, link[cell->n_neighbors + 1];
  for (int32_t k = n_cells; k < cell->n_neighbors; k++) {
    const int32_t l = cells->ghost[cell->neighbor[k] - cells->n_cells].link;
    if (n_links == 0 || link[n_links - 1] != l)
      link[n_links++] = l;
  }
  const int n_buffers = 1 + n_cells + n_links;
  const struct cairn_gather_args args = {cells, cell, h, kick};
  struct starpu_task *task = cairn_task_create_variable(&cairn_cl_gather, &args, sizeof args, n_buffers);
  if (!task)
    return -1;
  cairn_task_name_buffer(task, 0, cell->handles->predicted, STARPU_RW);
  for (int32_t k = 0; k < n_cells; k++)
    cairn_task_name_buffer(task, 1 + k, cells->cell[cell->neighbor[k]].handles->state, STARPU_R);
  for (int32_t k = 0; k < n_links; k++)
    cairn_task_name_buffer(task, 1 + n_cells + k, cells->links->link[link[k]].borrowed_handle[cells->links->turn],
                           STARPU_R);
  return starpu_task_submit(task);
}

int cairn_task_gather_all_submit(struct cairn_cells *cells, double h) {
  int failed = cairn_links_submit(cells, h, 0);
  for (cairn_cell_t c = 0; c < cells->n_cells && !failed; c++)
    failed = cairn_task_gather_submit(cells, c, h);
  return failed;
}

int cairn_task_gather_submit(struct cairn_cells *cells, cairn_cell_t c, double h) { return submit(cells, c, h, 0); }

int cairn_task_gather_kicked_submit(struct cairn_cells *cells, double h) {
  int failed = cairn_links_submit(cells, h, 1);
  for (cairn_cell_t c = 0; c < cells->n_cells && !failed; c++)
    failed = submit(cells, c, h, 1);
  return failed;
}
