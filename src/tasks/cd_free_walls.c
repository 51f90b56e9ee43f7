/* Contacts of a cell with free assemblies: each task follows the one of the same name over the other contacts. All
 * cells with such contacts change the assemblies, one after the other in the order of submission. */
#include "kernels/contact_dynamics/cd_free_walls.h"
#include "tasks/tasks.h"

struct cairn_free_walls_args {
  struct cairn_cell_size size;
  int32_t n_laws, n_free_contacts;
  enum cairn_task_free_walls what;
  double beta;
  struct cairn_cd_step step;
};

/* LAST: the measure, at the end of the step the report. */
enum {
  STATE,
  PREDICTED,
  PAIR_LIST,
  HISTORY,
  WORLD,
  ASSEMBLIES,
  VELOCITIES,
  FREE_CONTACTS,
  FREE_ASSEMBLIES,
  LAST,
  N_BUFFERS
};

static void act(const struct cairn_free_walls_args *args, const struct cairn_cd_free_walls *free_contacts,
                const struct cairn_soft_spheres *blocks, void *last) {
  struct cairn_cd_measure *measure = last;
  switch (args->what) {
  case CAIRN_TASK_FREE_WALLS_BEGIN:
    measure->scale += cairn_kernel_cd_free_walls_begin(free_contacts, blocks, &args->step);
    measure->contacts += *free_contacts->n;
    return;
  case CAIRN_TASK_FREE_WALLS_WARM_START:
    cairn_kernel_cd_free_walls_warm_start(free_contacts);
    return;
  case CAIRN_TASK_FREE_WALLS_SWEEP:
    cairn_kernel_cd_free_walls_sweep(free_contacts, args->beta);
    return;
  case CAIRN_TASK_FREE_WALLS_RESIDUAL:
    measure->residual += cairn_kernel_cd_free_walls_residual(free_contacts);
    return;
  case CAIRN_TASK_FREE_WALLS_CAPTURED_LOADS:
    cairn_kernel_cd_free_walls_gather_captured(free_contacts, blocks);
    return;
  case CAIRN_TASK_FREE_WALLS_END:
    cairn_kernel_cd_free_walls_end(free_contacts, blocks, args->step.h, last);
    return;
  }
}

static void free_walls_cpu(void *buffers[], void *arg) {
  const struct cairn_free_walls_args *args = arg;
  struct cairn_soft_spheres blocks = cairn_kernel_soft_spheres_bind(
      args->size, (void *)STARPU_VECTOR_GET_PTR(buffers[STATE]), (void *)STARPU_VECTOR_GET_PTR(buffers[PREDICTED]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[PAIR_LIST]), (void *)STARPU_VECTOR_GET_PTR(buffers[HISTORY]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[WORLD]), (void *)STARPU_VECTOR_GET_PTR(buffers[ASSEMBLIES]), NULL);
  const struct cairn_cd_free_walls free_contacts = cairn_kernel_cd_free_walls_bind(
      (void *)STARPU_VECTOR_GET_PTR(buffers[FREE_CONTACTS]), (double *)STARPU_VECTOR_GET_PTR(buffers[VELOCITIES]),
      (double *)STARPU_VECTOR_GET_PTR(buffers[FREE_ASSEMBLIES]));
  blocks.n_laws = args->n_laws;
  act(args, &free_contacts, &blocks, (void *)STARPU_VARIABLE_GET_PTR(buffers[LAST]));
}

static uint32_t footprint(struct starpu_task *task) {
  const struct cairn_free_walls_args *args = task->cl_arg;
  return 16 * cairn_task_size_class((double)args->n_free_contacts) + (uint32_t)args->what;
}

static struct starpu_perfmodel free_walls_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_free_walls", .footprint = footprint};

static struct starpu_codelet cairn_cl_cd_free_walls = {
    .cpu_funcs = {free_walls_cpu},
    .cpu_funcs_name = {"free_walls_cpu"},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &free_walls_model,
    .name = "cd_free_walls",
};

/* What each of them writes; the rest it reads. */
static const uint32_t writes[] = {
    [CAIRN_TASK_FREE_WALLS_BEGIN] = 1u << HISTORY | 1u << FREE_CONTACTS | 1u << LAST,
    [CAIRN_TASK_FREE_WALLS_WARM_START] = 1u << VELOCITIES | 1u << FREE_ASSEMBLIES,
    [CAIRN_TASK_FREE_WALLS_SWEEP] = 1u << VELOCITIES | 1u << FREE_CONTACTS | 1u << FREE_ASSEMBLIES,
    [CAIRN_TASK_FREE_WALLS_RESIDUAL] = 1u << LAST,
    [CAIRN_TASK_FREE_WALLS_CAPTURED_LOADS] = 1u << VELOCITIES,
    [CAIRN_TASK_FREE_WALLS_END] = 1u << HISTORY | 1u << LAST,
};

int cairn_task_cd_free_walls_submit(struct cairn_cell *cell, const struct cairn_task_world *world,
                                    enum cairn_task_free_walls what, double beta) {
  const struct cairn_free_walls_args args = {cell->size, world->n_laws, cell->n_free_contacts,
                                             what,       beta,          world->cd.step};
  if (!cell->free_contacts)
    return 0;
  struct starpu_task *task = cairn_task_create_variable(&cairn_cl_cd_free_walls, &args, sizeof args, N_BUFFERS);
  if (!task)
    return -1;
  const starpu_data_handle_t handles[N_BUFFERS] = {cell->handles->state,
                                                   cell->handles->predicted,
                                                   cell->handles->pair_list,
                                                   cell->handles->history,
                                                   world->world_handle,
                                                   world->walls.assemblies_handle[what == CAIRN_TASK_FREE_WALLS_END],
                                                   cell->handles->velocities,
                                                   cell->handles->free_contacts,
                                                   world->walls.free_assemblies_handle,
                                                   what == CAIRN_TASK_FREE_WALLS_END ? cell->handles->report
                                                                                     : cell->handles->measure};
  for (int k = 0; k < N_BUFFERS; k++)
    cairn_task_name_buffer(task, k, handles[k], writes[what] >> k & 1u ? STARPU_RW : STARPU_R);
  return starpu_task_submit(task);
}
