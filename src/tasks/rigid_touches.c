/* Contacts of a cell with assemblies that its bodies push: each of their parts in a step follows the same part of the
 * contacts of spheres. All cells with such contacts change the movers, one after the other in the order of submission.
 */
#include "kernels/rigid_touches.h"
#include "tasks/tasks.h"

struct cairn_touches_args {
  struct cairn_cell_size size;
  int32_t n_laws, n_touches;
  enum cairn_task_touches what;
  struct cairn_rigid_step step;
};

/* LAST: the measure, at the end of the step the report. */
enum { STATE, VIEW, LAYOUT, SPRINGS, WORLD, ASSEMBLIES, LINES, TOUCHES, MOVERS, CONTROL, LAST, N_BUFFERS };

static void act(const struct cairn_touches_args *args, const struct cairn_rigid_touches *touches,
                const struct cairn_soft_spheres *blocks, double beta, void *last) {
  struct cairn_rigid_measure *measure = last;
  switch (args->what) {
  case CAIRN_TASK_TOUCHES_BEGIN:
    measure->scale += cairn_kernel_rigid_touches_begin(touches, blocks, &args->step);
    measure->contacts += *touches->n;
    return;
  case CAIRN_TASK_TOUCHES_WARM:
    cairn_kernel_rigid_touches_warm(touches);
    return;
  case CAIRN_TASK_TOUCHES_SWEEP:
    cairn_kernel_rigid_touches_sweep(touches, args->step.solver, beta, measure);
    return;
  case CAIRN_TASK_TOUCHES_RESIDUAL:
    measure->residual += cairn_kernel_rigid_touches_residual(touches);
    return;
  case CAIRN_TASK_TOUCHES_HELD:
    cairn_kernel_rigid_touches_gather_held(touches, blocks);
    return;
  case CAIRN_TASK_TOUCHES_END:
    cairn_kernel_rigid_touches_end(touches, blocks, args->step.h, last);
    return;
  }
}

static void touches_cpu(void *buffers[], void *arg) {
  const struct cairn_touches_args *args = arg;
  struct cairn_soft_spheres blocks = cairn_kernel_soft_spheres_bind(
      args->size, (void *)STARPU_VECTOR_GET_PTR(buffers[STATE]), (void *)STARPU_VECTOR_GET_PTR(buffers[VIEW]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[LAYOUT]), (void *)STARPU_VECTOR_GET_PTR(buffers[SPRINGS]),
      (void *)STARPU_VECTOR_GET_PTR(buffers[WORLD]), (void *)STARPU_VECTOR_GET_PTR(buffers[ASSEMBLIES]), NULL);
  const struct cairn_rigid_touches touches = cairn_kernel_rigid_touches_bind(
      (void *)STARPU_VECTOR_GET_PTR(buffers[TOUCHES]), (double *)STARPU_VECTOR_GET_PTR(buffers[LINES]),
      (double *)STARPU_VECTOR_GET_PTR(buffers[MOVERS]));
  const struct cairn_rigid_control *control =
      (const struct cairn_rigid_control *)STARPU_VARIABLE_GET_PTR(buffers[CONTROL]);
  blocks.n_laws = args->n_laws;
  act(args, &touches, &blocks, control->beta, (void *)STARPU_VARIABLE_GET_PTR(buffers[LAST]));
}

static uint32_t footprint(struct starpu_task *task) {
  const struct cairn_touches_args *args = task->cl_arg;
  return 16 * cairn_task_size_class((double)args->n_touches) + (uint32_t)args->what;
}

static struct starpu_perfmodel touches_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_rigid_touches", .footprint = footprint};

static struct starpu_codelet cairn_cl_rigid_touches = {
    .cpu_funcs = {touches_cpu},
    .cpu_funcs_name = {"touches_cpu"},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &touches_model,
    .name = "rigid_touches",
};

/* What each part writes; the rest it reads. */
static const uint32_t writes[] = {
    [CAIRN_TASK_TOUCHES_BEGIN] = 1u << SPRINGS | 1u << TOUCHES | 1u << LAST,
    [CAIRN_TASK_TOUCHES_WARM] = 1u << LINES | 1u << MOVERS,
    [CAIRN_TASK_TOUCHES_SWEEP] = 1u << LINES | 1u << TOUCHES | 1u << MOVERS | 1u << LAST,
    [CAIRN_TASK_TOUCHES_RESIDUAL] = 1u << LAST,
    [CAIRN_TASK_TOUCHES_HELD] = 1u << LINES,
    [CAIRN_TASK_TOUCHES_END] = 1u << SPRINGS | 1u << LAST,
};

int cairn_task_rigid_touches_submit(struct cairn_cell *cell, const struct cairn_task_world *world,
                                    enum cairn_task_touches what) {
  const struct cairn_touches_args args = {cell->size, world->n_laws, cell->n_touches, what, world->rigid};
  if (!cell->touches)
    return 0;
  struct starpu_task *task = cairn_task_create_variable(&cairn_cl_rigid_touches, &args, sizeof args, N_BUFFERS);
  if (!task)
    return -1;
  const starpu_data_handle_t handles[N_BUFFERS] = {cell->state_handle,
                                                   cell->view_handle,
                                                   cell->layout_handle,
                                                   cell->springs_handle,
                                                   world->world_handle,
                                                   world->assemblies_handle[what == CAIRN_TASK_TOUCHES_END],
                                                   cell->lines_handle,
                                                   cell->touches_handle,
                                                   world->movers_handle,
                                                   world->control_handle,
                                                   what == CAIRN_TASK_TOUCHES_END ? cell->report_handle
                                                                                  : cell->measure_handle};
  for (int k = 0; k < N_BUFFERS; k++)
    cairn_task_name_buffer(task, k, handles[k], writes[what] >> k & 1u ? STARPU_RW : STARPU_R);
  return starpu_task_submit(task);
}
