/* Events across cells: open islands, and all they reach, in one queue. */
#include <stdlib.h>

#include "tasks/engine/team.h"
#include "tasks/ranks/links.h"
#include "tasks/ranks/pool.h"
#include "tasks/tasks.h"

struct cairn_hard_join_args {
  const struct cairn_cells *cells;
  int32_t n_laws;
  double h, reach;
  int32_t window;
  struct cairn_task_hard hard;
  const struct cairn_walls_set *set;
};

enum { WORLD, ASSEMBLIES, SCRATCH, CELLS }; /* then for each cell: */
enum { STATE, PREDICTED, PAIR_LIST, HISTORY, HARD, CELL_BUFFERS };

static struct cairn_hard_cell bind(void *buffers[], const struct cairn_hard_join_args *args, cairn_cell_t c) {
  void **own = buffers + CELLS + CELL_BUFFERS * c;
  const struct cairn_cell *cell = args->cells->cell + c;
  struct cairn_soft_spheres blocks = cairn_kernel_soft_spheres_bind(
      cell->size, (void *)STARPU_VECTOR_GET_PTR(own[STATE]), (void *)STARPU_VECTOR_GET_PTR(own[PREDICTED]),
      (void *)STARPU_VECTOR_GET_PTR(own[PAIR_LIST]), (void *)STARPU_VECTOR_GET_PTR(own[HISTORY]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[WORLD]), (void *)STARPU_VECTOR_GET_PTR(buffers[ASSEMBLIES]), NULL);
  blocks.n_laws = args->n_laws;
  blocks.h = args->h;
  blocks.reach = args->reach;
  return cairn_drift_bind(&blocks, (void *)STARPU_VECTOR_GET_PTR(own[PAIR_LIST]),
                          (void *)STARPU_VECTOR_GET_PTR(own[HARD]), cell->id, cell->halo_id);
}

static void share(void *team, int32_t n, void (*work)(void *arg, int32_t i), void *arg) {
  cairn_team_run(team, n, work, arg);
}

/* Room for all bodies; what is not needed is not touched. */
static int get_room(struct cairn_hard_join *join, int64_t n_bodies) {
  const size_t n = (size_t)n_bodies + 1;
  join->member = malloc(n * sizeof *join->member);
  join->sorted = malloc(n * sizeof *join->sorted);
  join->group = malloc(n * sizeof *join->group);
  join->due = malloc(n * sizeof *join->due);
  return join->member && join->sorted && join->group && join->due ? 0 : -1;
}

static void free_room(struct cairn_hard_join *join) {
  free(join->member);
  free(join->sorted);
  free(join->group);
  free(join->due);
}

/* The islands across the cells of this rank; then those across ranks. */
static void join_cells(const struct cairn_hard_join_args *args, struct cairn_hard_join *join, const double *world,
                       double *assemblies) {
  struct cairn_pool pool = {.cells = args->cells, .join = join};
  const bool is_last = join->scope.window + 1 >= join->scope.n_windows,
             meets = args->cells->links && args->h > 0.; /* nothing moves when a run begins */
  if (meets) {
    pool.blocks = (struct cairn_soft_spheres){
        .world = world, .assemblies = assemblies, .n_laws = args->n_laws, .h = args->h, .reach = args->reach};
    cairn_pool_begin(&pool);
  }
  if (args->cells->n_cells > 0)
    cairn_drift_join(join);
  if (meets)
    cairn_pool_run(&pool);
  if (meets && !is_last)
    cairn_pool_renew(&pool);
  if (args->h > 0. && !is_last)
    cairn_drift_join_renew(join);
  if (meets)
    cairn_pool_end(&pool);
}

static void hard_join_cpu(void *buffers[], void *arg) {
  const struct cairn_hard_join_args *args = arg;
  const int32_t n = args->cells->n_cells;
  struct cairn_hard_cell *cell = malloc(((size_t)n + (size_t)args->cells->n_ghosts + 1) * sizeof *cell);
  struct cairn_hard_join join = {.share = share};
  if (get_room(&join, args->hard.n_bodies) || !cell) { /* recorded as a body whose events do not end */
    cairn_ranks_out_of_memory("events across cells");
    ((struct cairn_hard_head *)STARPU_VECTOR_GET_PTR(buffers[CELLS + HARD]))->stuck = 0;
    free_room(&join);
    free(cell);
    return;
  }
  for (cairn_cell_t c = 0; c < n; c++)
    cell[c] = bind(buffers, args, c);
  join.scope = cairn_task_hard_scope(&args->hard, args->set, args->window, args->h);
  join.scope.cell = cell;
  join.scope.n_cells = n;
  join.scope.all = 1;
  join.scope.drift = args->hard.drift;
  join.scope.reach = args->hard.reach;
  join.scope.heap = (void *)STARPU_VECTOR_GET_PTR(buffers[SCRATCH]);
  join.scope.most_events = cairn_drift_most_events(args->hard.n_bodies);
  join.team = cairn_team_call();
  join_cells(args, &join, (void *)STARPU_VECTOR_GET_PTR(buffers[WORLD]),
             (void *)STARPU_VECTOR_GET_PTR(buffers[ASSEMBLIES]));
  cairn_team_dismiss(join.team);
  free_room(&join);
  free(cell);
}

static struct starpu_perfmodel hard_join_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_drift_join"};

/* Buffers: constants and walls, read; scratch; of every cell state, predicted kinematics and pair list, read, contact
 * history and records, read and written. On several ranks then the meeting, written, and what is lent, read: a worker
 * that waits for another rank here must have packed what that one needs to come here. */
static struct starpu_codelet cairn_cl_hard_join = {
    .cpu_funcs = {hard_join_cpu},
    .cpu_funcs_name = {"hard_join_cpu"},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &hard_join_model,
    .name = "hard_join",
};

int cairn_task_hard_join_submit(struct cairn_cells *cells, const struct cairn_task_world *world, int32_t step,
                                int32_t window) {
  const struct cairn_hard_join_args args = {cells,  world->n_laws, world->h,         world->reach,
                                            window, world->hard,   &world->walls.set};
  const struct cairn_links *links = cells->links;
  starpu_data_handle_t lent[links ? links->n + 1 : 1];
  int n_lent = 0, buffer = CELLS + CELL_BUFFERS * cells->n_cells;
  for (int32_t l = 0; links && l < links->n; l++)
    if (links->link[l].lent_handle[links->turn])
      lent[n_lent++] = links->link[l].lent_handle[links->turn];
  struct starpu_task *task =
      cairn_task_create_variable(&cairn_cl_hard_join, &args, sizeof args, buffer + (links ? 1 : 0) + n_lent);
  if (!task)
    return -1;
  cairn_task_name_buffer(task, WORLD, world->world_handle, STARPU_R);
  cairn_task_name_buffer(task, ASSEMBLIES,
                         world->walls.assemblies_handle[world->walls.moving ? step % CAIRN_TASK_RING : 0], STARPU_R);
  cairn_task_name_buffer(task, SCRATCH, world->scratch_handle, STARPU_SCRATCH);
  for (cairn_cell_t c = 0; c < cells->n_cells; c++) {
    const struct cairn_cell_handles *handles = cells->cell[c].handles;
    const int first = CELLS + CELL_BUFFERS * c;
    cairn_task_name_buffer(task, first + STATE, handles->state, STARPU_R);
    cairn_task_name_buffer(task, first + PREDICTED, handles->predicted, STARPU_R);
    cairn_task_name_buffer(task, first + PAIR_LIST, handles->pair_list, STARPU_R);
    cairn_task_name_buffer(task, first + HISTORY, handles->history, STARPU_RW);
    cairn_task_name_buffer(task, first + HARD, handles->hard, STARPU_RW);
  }
  if (links)
    cairn_task_name_buffer(task, buffer++, links->meeting, STARPU_RW);
  for (int l = 0; l < n_lent; l++)
    cairn_task_name_buffer(task, buffer++, lent[l], STARPU_R);
  return starpu_task_submit(task);
}
