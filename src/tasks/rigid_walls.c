/* What walls need of a step of rigid bodies: bodies they hold or take out at its beginning, movers of those that bodies
 * push, and where they are at its end. */
#include "kernels/rigid_walls.h"
#include "kernels/rigid_touches.h"
#include "tasks/tasks.h"

struct cairn_catch_args {
  struct cairn_cell_size size;
  int32_t n_laws;
  double h, way, time;
};

struct cairn_rigid_walls_args {
  const struct cairn_task_world *world;
  double time;
};

static void catch_cpu(void *buffers[], void *arg) {
  const struct cairn_catch_args *args = arg;
  struct cairn_soft_spheres blocks = cairn_kernel_soft_spheres_bind(
      args->size, (void *)STARPU_VECTOR_GET_PTR(buffers[0]), (void *)STARPU_VECTOR_GET_PTR(buffers[1]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[2]), (void *)STARPU_VECTOR_GET_PTR(buffers[3]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[4]), (void *)STARPU_VECTOR_GET_PTR(buffers[5]), NULL);
  blocks.n_laws = args->n_laws;
  blocks.h = args->h;
  cairn_kernel_rigid_catch(&blocks, args->way, args->time);
}

static void walls_cpu(void *buffers[], void *arg) {
  const struct cairn_rigid_walls_args *args = arg;
  const struct cairn_task_world *world = args->world;
  cairn_kernel_walls_arrive(&world->set, (const double *)STARPU_VECTOR_GET_PTR(buffers[2]), args->time, world->h,
                            world->rigid.theta, (const double *)STARPU_VECTOR_GET_PTR(buffers[0]),
                            (double *)STARPU_VECTOR_GET_PTR(buffers[1]), world->walls_report);
}

static void release_cpu(void *buffers[], void *arg) {
  const struct cairn_task_world *world = ((const struct cairn_rigid_walls_args *)arg)->world;
  cairn_kernel_assemblies_release(world->set.rules, world->set.n, world->set.gravity, world->h,
                                  (const double *)STARPU_VECTOR_GET_PTR(buffers[0]),
                                  (double *)STARPU_VECTOR_GET_PTR(buffers[1]));
}

static void movers_cpu(void *buffers[], void *arg) {
  const struct cairn_rigid_walls_args *args = arg;
  const struct cairn_rigid_control *control = (const struct cairn_rigid_control *)STARPU_VARIABLE_GET_PTR(buffers[0]);
  cairn_kernel_rigid_movers_ahead(args->world->set.n, (double *)STARPU_VECTOR_GET_PTR(buffers[1]),
                                  args->world->rigid.solver, control->beta);
}

static struct starpu_perfmodel catch_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_rigid_catch"};
static struct starpu_perfmodel walls_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_rigid_walls"};
static struct starpu_perfmodel release_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_rigid_release"};
static struct starpu_perfmodel movers_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_rigid_movers"};

/* Buffers: state, view, layout, springs, world, walls when contacts are found. */
static struct starpu_codelet cairn_cl_rigid_catch = {
    .cpu_funcs = {catch_cpu},
    .cpu_funcs_name = {"catch_cpu"},
    .nbuffers = 6,
    .modes = {STARPU_RW, STARPU_RW, STARPU_R, STARPU_R, STARPU_R, STARPU_R},
    .model = &catch_model,
    .name = "rigid_catch",
};

/* Buffers: walls when contacts are found, walls at the end of the step, movers. */
static struct starpu_codelet cairn_cl_rigid_walls = {
    .cpu_funcs = {walls_cpu},
    .cpu_funcs_name = {"walls_cpu"},
    .nbuffers = 3,
    .modes = {STARPU_R, STARPU_W, STARPU_R},
    .model = &walls_model,
    .name = "rigid_walls",
};

/* Buffers: walls when contacts are found, movers. */
static struct starpu_codelet cairn_cl_rigid_release = {
    .cpu_funcs = {release_cpu},
    .cpu_funcs_name = {"release_cpu"},
    .nbuffers = 2,
    .modes = {STARPU_R, STARPU_W},
    .model = &release_model,
    .name = "rigid_release",
};

/* Buffers: control, movers. */
static struct starpu_codelet cairn_cl_rigid_movers = {
    .cpu_funcs = {movers_cpu},
    .cpu_funcs_name = {"movers_cpu"},
    .nbuffers = 2,
    .modes = {STARPU_R, STARPU_RW},
    .model = &movers_model,
    .name = "rigid_movers",
};

int cairn_task_rigid_catch_submit(struct cairn_cell *cell, const struct cairn_task_world *world) {
  const struct cairn_catch_args args = {cell->size, world->n_laws, world->h, world->sight * world->h,
                                        ((double)world->step + world->sight) * world->h};
  struct starpu_task *task = cairn_task_create(&cairn_cl_rigid_catch, &args, sizeof args);
  if (!task)
    return -1;
  const starpu_data_handle_t handles[] = {cell->state_handle,   cell->view_handle,   cell->layout_handle,
                                          cell->springs_handle, world->world_handle, world->assemblies_handle[0]};
  for (int k = 0; k < 6; k++)
    task->handles[k] = handles[k];
  return starpu_task_submit(task);
}

static int submit(struct starpu_codelet *codelet, const struct cairn_task_world *world,
                  const starpu_data_handle_t *handles) {
  const struct cairn_rigid_walls_args args = {world, (double)(world->step + 1) * world->h};
  struct starpu_task *task = cairn_task_create(codelet, &args, sizeof args);
  if (!task)
    return -1;
  for (int k = 0; k < codelet->nbuffers; k++)
    task->handles[k] = handles[k];
  return starpu_task_submit(task);
}

int cairn_task_rigid_walls_submit(const struct cairn_task_world *world) {
  const starpu_data_handle_t handles[] = {world->assemblies_handle[0], world->assemblies_handle[1],
                                          world->movers_handle};
  return submit(&cairn_cl_rigid_walls, world, handles);
}

int cairn_task_rigid_release_submit(const struct cairn_task_world *world) {
  const starpu_data_handle_t handles[] = {world->assemblies_handle[0], world->movers_handle};
  return world->pushes ? submit(&cairn_cl_rigid_release, world, handles) : 0;
}

int cairn_task_rigid_movers_submit(const struct cairn_task_world *world) {
  const starpu_data_handle_t handles[] = {world->control_handle, world->movers_handle};
  return world->pushes ? submit(&cairn_cl_rigid_movers, world, handles) : 0;
}
