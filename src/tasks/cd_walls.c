/* Walls in a step of contact dynamics: bodies captured and removed at its beginning, velocities of free assemblies, and
 * the walls at its end. */
#include "kernels/contact_dynamics/cd_walls.h"
#include "kernels/contact_dynamics/cd_free_walls.h"
#include "tasks/tasks.h"

struct cairn_capture_args {
  struct cairn_cell_size size;
  int32_t n_laws;
  double h, displacement, time;
};

struct cairn_cd_walls_args {
  const struct cairn_task_world *world;
  double time, beta;
};

static void capture_cpu(void *buffers[], void *arg) {
  const struct cairn_capture_args *args = arg;
  struct cairn_soft_spheres blocks = cairn_kernel_soft_spheres_bind(
      args->size, (void *)STARPU_VECTOR_GET_PTR(buffers[0]), (void *)STARPU_VECTOR_GET_PTR(buffers[1]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[2]), (void *)STARPU_VECTOR_GET_PTR(buffers[3]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[4]), (void *)STARPU_VECTOR_GET_PTR(buffers[5]), NULL);
  blocks.n_laws = args->n_laws;
  blocks.h = args->h;
  cairn_kernel_cd_capture(&blocks, args->displacement, args->time);
}

static void walls_cpu(void *buffers[], void *arg) {
  const struct cairn_cd_walls_args *args = arg;
  const struct cairn_task_world *world = args->world;
  cairn_kernel_walls_arrive(&world->walls.set, (const double *)STARPU_VECTOR_GET_PTR(buffers[2]), args->time, world->h,
                            world->cd.step.theta, (const double *)STARPU_VECTOR_GET_PTR(buffers[0]),
                            (double *)STARPU_VECTOR_GET_PTR(buffers[1]), world->walls.report);
}

static void release_cpu(void *buffers[], void *arg) {
  const struct cairn_task_world *world = ((const struct cairn_cd_walls_args *)arg)->world;
  cairn_kernel_assemblies_release(world->walls.set.rules, world->walls.set.n, world->walls.set.gravity, world->h,
                                  (const double *)STARPU_VECTOR_GET_PTR(buffers[0]),
                                  (double *)STARPU_VECTOR_GET_PTR(buffers[1]));
}

static void free_assemblies_cpu(void *buffers[], void *arg) {
  const struct cairn_cd_walls_args *args = arg;
  cairn_kernel_cd_free_assemblies_extrapolate(args->world->walls.set.n, (double *)STARPU_VECTOR_GET_PTR(buffers[0]),
                                              args->beta);
}

static struct starpu_perfmodel capture_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_capture"};
static struct starpu_perfmodel walls_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_walls"};
static struct starpu_perfmodel release_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_release"};
static struct starpu_perfmodel free_assemblies_model = {.type = STARPU_HISTORY_BASED,
                                                        .symbol = "cairn_cd_free_assemblies"};

/* Buffers: state, predicted kinematics, pair list, contact history, world, walls at the detection point. */
static struct starpu_codelet cairn_cl_cd_capture = {
    .cpu_funcs = {capture_cpu},
    .cpu_funcs_name = {"capture_cpu"},
    .nbuffers = 6,
    .modes = {STARPU_RW, STARPU_RW, STARPU_R, STARPU_R, STARPU_R, STARPU_R},
    .model = &capture_model,
    .name = "cd_capture",
};

/* Buffers: walls at the detection point, walls at the end of the step, free assemblies. */
static struct starpu_codelet cairn_cl_cd_walls = {
    .cpu_funcs = {walls_cpu},
    .cpu_funcs_name = {"walls_cpu"},
    .nbuffers = 3,
    .modes = {STARPU_R, STARPU_W, STARPU_R},
    .model = &walls_model,
    .name = "cd_walls",
};

/* Buffers: walls at the detection point, free assemblies. */
static struct starpu_codelet cairn_cl_cd_release = {
    .cpu_funcs = {release_cpu},
    .cpu_funcs_name = {"release_cpu"},
    .nbuffers = 2,
    .modes = {STARPU_R, STARPU_W},
    .model = &release_model,
    .name = "cd_release",
};

/* Buffer: free assemblies. */
static struct starpu_codelet cairn_cl_cd_free_assemblies = {
    .cpu_funcs = {free_assemblies_cpu},
    .cpu_funcs_name = {"free_assemblies_cpu"},
    .nbuffers = 1,
    .modes = {STARPU_RW},
    .model = &free_assemblies_model,
    .name = "cd_free_assemblies",
};

int cairn_task_cd_capture_submit(struct cairn_cell *cell, const struct cairn_task_world *world) {
  const struct cairn_capture_args args = {cell->size, world->n_laws, world->h, world->detection_point * world->h,
                                          ((double)world->step + world->detection_point) * world->h};
  struct starpu_task *task = cairn_task_create(&cairn_cl_cd_capture, &args, sizeof args);
  if (!task)
    return -1;
  const starpu_data_handle_t handles[] = {cell->handles->state,     cell->handles->predicted,
                                          cell->handles->pair_list, cell->handles->history,
                                          world->world_handle,      world->walls.assemblies_handle[0]};
  for (int k = 0; k < 6; k++)
    task->handles[k] = handles[k];
  return starpu_task_submit(task);
}

static int submit(struct starpu_codelet *codelet, const struct cairn_task_world *world,
                  const starpu_data_handle_t *handles, double beta) {
  const struct cairn_cd_walls_args args = {world, (double)(world->step + 1) * world->h, beta};
  struct starpu_task *task = cairn_task_create(codelet, &args, sizeof args);
  if (!task)
    return -1;
  for (int k = 0; k < codelet->nbuffers; k++)
    task->handles[k] = handles[k];
  return starpu_task_submit(task);
}

int cairn_task_cd_walls_submit(const struct cairn_task_world *world) {
  const starpu_data_handle_t handles[] = {world->walls.assemblies_handle[0], world->walls.assemblies_handle[1],
                                          world->walls.free_assemblies_handle};
  return submit(&cairn_cl_cd_walls, world, handles, 0.);
}

int cairn_task_cd_release_submit(const struct cairn_task_world *world) {
  const starpu_data_handle_t handles[] = {world->walls.assemblies_handle[0], world->walls.free_assemblies_handle};
  return world->walls.has_free_assemblies ? submit(&cairn_cl_cd_release, world, handles, 0.) : 0;
}

int cairn_task_cd_free_assemblies_submit(const struct cairn_task_world *world, double beta) {
  const starpu_data_handle_t handles[] = {world->walls.free_assemblies_handle};
  return world->walls.has_free_assemblies ? submit(&cairn_cl_cd_free_assemblies, world, handles, beta) : 0;
}
