#include <stdlib.h>
#include <string.h>

#include "analysis/aggregate.h"
#include "analysis/contact_forces.h"
#include "tasks/tasks.h"

struct cairn_write_frame_args {
  struct cairn_trajectory *trajectory;
  struct cairn_contact_rows contacts;
  const struct cairn_state *state;
  const struct cairn_scenario *scenario;
  struct cairn_observables observables;
  struct cairn_wall_sample walls[];
};

static void write_frame_cpu(void *buffers[], void *arg) {
  const struct cairn_write_frame_args *args = arg;
  struct cairn_error *error = (struct cairn_error *)STARPU_VARIABLE_GET_PTR(buffers[1]);
  struct cairn_body_stress stress = {0};
  const bool has_stress = args->scenario->output_stress;
  if (error->status != CAIRN_OK || (has_stress && cairn_aggregate_stress(args->state, args->scenario, &stress, error)))
    return;
  cairn_trajectory_append(args->trajectory, args->state, &args->observables, args->walls, has_stress ? &stress : NULL,
                          error);
  cairn_fields_stress_fini(&stress);
  const struct cairn_contact_rows *contacts = &args->contacts;
  if (!contacts->table || error->status != CAIRN_OK)
    return;
  if (contacts->n < 0)
    cairn_contact_forces_append(args->state, args->scenario, contacts->table, error);
  else
    cairn_step_table_end(contacts->table, contacts->n, 0, error);
}

static struct starpu_perfmodel write_frame_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_write_frame"};

static struct starpu_codelet cairn_cl_write_frame = {
    .cpu_funcs = {write_frame_cpu},
    .cpu_funcs_name = {"write_frame_cpu"},
    .nbuffers = 2,
    .modes = {STARPU_R, STARPU_RW}, /* the captured state, the status */
    .model = &write_frame_model,
    .name = "write_frame",
};

int cairn_task_write_frame_submit(struct cairn_task_output *output, struct cairn_trajectory *trajectory,
                                  const struct cairn_state *state, const struct cairn_scenario *scenario,
                                  const struct cairn_observables *observables, const struct cairn_wall_sample *walls,
                                  const struct cairn_contact_rows *contacts) {
  const int32_t n_walls = scenario->n_walls;
  const size_t size = sizeof(struct cairn_write_frame_args) + (size_t)n_walls * sizeof *walls;
  struct cairn_write_frame_args *args = malloc(size);
  if (!args)
    return -1;
  args->trajectory = trajectory;
  args->contacts = *contacts;
  args->state = state;
  args->scenario = scenario;
  args->observables = *observables;
  if (n_walls > 0)
    memcpy(args->walls, walls, (size_t)n_walls * sizeof *walls);
  struct starpu_task *task = cairn_task_create(&cairn_cl_write_frame, args, size);
  free(args);
  if (!task)
    return -1;
  task->handles[0] = output->state_handle;
  task->handles[1] = output->status_handle;
  return starpu_task_submit(task);
}
