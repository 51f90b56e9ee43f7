#include "tasks/tasks.h"

struct cairn_write_checkpoint_args {
  const char *path;
  const struct cairn_checkpoint *checkpoint;
  const struct cairn_provenance *provenance;
  double *seconds;
};

static void write_checkpoint_cpu(void *buffers[], void *arg) {
  const struct cairn_write_checkpoint_args *args = arg;
  struct cairn_error *error = (struct cairn_error *)STARPU_VARIABLE_GET_PTR(buffers[1]);
  const double begin = starpu_timing_now(); /* µs */
  if (error->status == CAIRN_OK)
    cairn_checkpoint_write(args->path, args->checkpoint, args->provenance, error);
  *args->seconds = 1e-6 * (starpu_timing_now() - begin);
}

static struct starpu_perfmodel write_checkpoint_model = {.type = STARPU_HISTORY_BASED,
                                                         .symbol = "cairn_write_checkpoint"};

static struct starpu_codelet cairn_cl_write_checkpoint = {
    .cpu_funcs = {write_checkpoint_cpu},
    .cpu_funcs_name = {"write_checkpoint_cpu"},
    .nbuffers = 2,
    .modes = {STARPU_R, STARPU_RW}, /* the captured state, the status */
    .model = &write_checkpoint_model,
    .name = "write_checkpoint",
};

int cairn_task_write_checkpoint_submit(struct cairn_task_output *output, const char *path,
                                       const struct cairn_checkpoint *checkpoint,
                                       const struct cairn_provenance *provenance) {
  const struct cairn_write_checkpoint_args args = {path, checkpoint, provenance, &output->checkpoint_seconds};
  struct starpu_task *task = cairn_task_create(&cairn_cl_write_checkpoint, &args, sizeof args);
  if (!task)
    return -1;
  task->handles[0] = output->state_handle;
  task->handles[1] = output->status_handle;
  return starpu_task_submit(task);
}
