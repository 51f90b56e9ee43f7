#include <string.h>

#include "tasks/regrid/regrid.h"
#include "tasks/tasks.h"

struct cairn_chunk_args {
  const struct cairn_state *state;
  int64_t offset, first;
  int32_t n;
  bool extras, is_bounded;
  uint32_t memory;
  double h, bounds[2][3];
};

static void chunk_cpu(void *buffers[], void *arg) {
  const struct cairn_chunk_args *args = arg;
  struct cairn_regrid_source *source = (void *)STARPU_VARIABLE_GET_PTR(buffers[0]);
  cairn_packet_of_state(args->state, args->offset, NULL, args->first, args->n, args->extras, args->memory,
                        &source->packet);
  if (source->packet)
    source->summary = cairn_packet_summarise(source->packet, args->h, args->is_bounded ? args->bounds : NULL);
}

static struct starpu_perfmodel chunk_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_chunk"};

/* Buffers: the source; the state. */
static struct starpu_codelet cairn_cl_chunk = {
    .cpu_funcs = {chunk_cpu},
    .cpu_funcs_name = {"chunk_cpu"},
    .nbuffers = 2,
    .modes = {STARPU_RW, STARPU_R},
    .model = &chunk_model,
    .name = "chunk",
};

int cairn_task_chunk_submit(const struct cairn_cells_rules *cells, const struct cairn_regrid_rules *rules,
                            int64_t first, int32_t n, struct cairn_regrid_source *source) {
  struct cairn_chunk_args args = {.state = rules->state,
                                  .offset = rules->offset,
                                  .first = first,
                                  .n = n,
                                  .extras = cells->extras,
                                  .is_bounded = rules->is_bounded,
                                  .memory = cells->memory,
                                  .h = rules->h};
  memcpy(args.bounds, rules->bounds, sizeof args.bounds);
  struct starpu_task *task = cairn_task_create(&cairn_cl_chunk, &args, sizeof args);
  if (!task)
    return -1;
  task->handles[0] = source->handle;
  task->handles[1] = rules->state_handle;
  return starpu_task_submit(task);
}
