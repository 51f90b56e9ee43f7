#include <stdlib.h>
#include <string.h>

#include "cairn/ranks.h"
#include "tasks/tasks.h"

struct cairn_move_walls_args {
  const struct cairn_task_world *world;
  int64_t step; /* its number in the run, from 1 */
};

/* Sum the contact forces on the free assemblies, in the order of the list. */
static void sum_loads(void *buffers[], const struct cairn_task_loads *loads, double *load) {
  for (int64_t k = 0; k < loads->n; k++) {
    const struct cairn_task_wall_load *contact = loads->contact + k;
    const char *history = (const char *)STARPU_VECTOR_GET_PTR(buffers[2 + contact->cell]);
    const struct cairn_history_offsets o = cairn_history_offsets(loads->cell[contact->cell]->size);
    const double *part = (const double *)(history + o.wall_load) + 6 * (int64_t)contact->pair;
    for (int i = 0; i < 6; i++)
      load[6 * (int64_t)contact->assembly + i] += part[i];
  }
}

/* The same over all ranks. */
static void sum_all_loads(void *buffers[], const struct cairn_wall_loads *all, double *load) {
  const double *share[cairn_ranks_n()];
  for (int q = 0, buffer = 2; q < cairn_ranks_n(); q++)
    share[q] = all->share[q].n > 0 ? (const double *)STARPU_VECTOR_GET_PTR(buffers[buffer++]) : NULL;
  for (int64_t k = 0; k < all->n; k++)
    for (int i = 0; i < 6; i++)
      load[6 * (int64_t)all->turn[k].assembly + i] += share[all->turn[k].rank][6 * all->turn[k].index + i];
}

static void move_walls_cpu(void *buffers[], void *arg) {
  const struct cairn_move_walls_args *args = arg;
  const struct cairn_task_world *world = args->world;
  double *out = (double *)STARPU_VECTOR_GET_PTR(buffers[0]);
  const double *in = (const double *)STARPU_VECTOR_GET_PTR(buffers[1]);
  double *load = world->walls.set.load;
  memset(load, 0, 6 * (size_t)world->walls.set.n * sizeof *load);
  if (world->walls.loads.all)
    sum_all_loads(buffers, world->walls.loads.all, load);
  else
    sum_loads(buffers, &world->walls.loads, load);
  cairn_kernel_walls_move(&world->walls.set, load, args->step, world->h, in, out, world->walls.report);
}

static struct starpu_perfmodel move_walls_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_move_walls"};

/* Buffers: the walls at the coming step, written; at the step that ends, read; the contact history of cells with
 * contacts with free walls, read; or, with several ranks, the loads of each that has any, read. */
static struct starpu_codelet cairn_cl_move_walls = {
    .cpu_funcs = {move_walls_cpu},
    .cpu_funcs_name = {"move_walls_cpu"},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &move_walls_model,
    .name = "move_walls",
};

int cairn_task_move_walls_submit(const struct cairn_task_world *world, int32_t step) {
  const struct cairn_move_walls_args args = {world, world->step + step + 1};
  const struct cairn_task_loads *loads = &world->walls.loads;
  int n_buffers = 2 + loads->n_cells;
  if (cairn_wall_loads_submit(loads))
    return -1;
  if (loads->all) {
    n_buffers = 2;
    for (int q = 0; q < cairn_ranks_n(); q++)
      n_buffers += loads->all->share[q].n > 0;
  }
  struct starpu_task *task = cairn_task_create_variable(&cairn_cl_move_walls, &args, sizeof args, n_buffers);
  if (!task)
    return -1;
  cairn_task_name_buffer(task, 0, world->walls.assemblies_handle[(step + 1) % CAIRN_TASK_RING], STARPU_W);
  cairn_task_name_buffer(task, 1, world->walls.assemblies_handle[step % CAIRN_TASK_RING], STARPU_R);
  for (int q = 0, buffer = 2; q < cairn_ranks_n() && loads->all; q++)
    if (loads->all->share[q].n > 0)
      cairn_task_name_buffer(task, buffer++, loads->all->share[q].handle, STARPU_R);
  for (int32_t k = 0; k < loads->n_cells && !loads->all; k++)
    cairn_task_name_buffer(task, 2 + k, loads->cell[k]->handles->history, STARPU_R);
  return starpu_task_submit(task);
}
