#include <stdlib.h>

#include "tasks/regrid/regrid.h"
#include "tasks/tasks.h"

struct cairn_adopt_args {
  struct cairn_cells *cells;
  cairn_cell_t cell;
  const struct cairn_cut_range *range; /* of its part */
  int32_t n_ranges;
  int64_t n; /* bodies */
  int *status;
};

/* Bodies of some sources, each a stretch of its Morton order, in one packet. */
static int adopt(const struct cairn_adopt_args *args, void *buffers[]) {
  const struct cairn_cells_rules *rules = &args->cells->rules;
  struct cairn_packet_part *part = malloc((size_t)args->n_ranges * sizeof *part + 1);
  if (!part)
    return -1;
  for (int32_t k = 0; k < args->n_ranges; k++) {
    const struct cairn_regrid_source *source = (void *)STARPU_VARIABLE_GET_PTR(buffers[1 + k]);
    const struct cairn_cut_range r = args->range[k];
    part[k] = (struct cairn_packet_part){source->packet, source->entry ? source->entry + r.from : NULL, r.to - r.from};
  }
  struct cairn_packet *packet = cairn_packet_merge(part, args->n_ranges, rules->extras, rules->memory);
  free(part);
  return cairn_cells_adopt(args->cells, args->cell, packet);
}

static void adopt_cpu(void *buffers[], void *arg) {
  const struct cairn_adopt_args *args = arg;
  if (adopt(args, buffers))
    __atomic_store_n(args->status, CAIRN_ERR_NUMERIC, __ATOMIC_RELAXED);
}

static uint32_t adopt_footprint(struct starpu_task *task) {
  return cairn_task_size_class((double)((const struct cairn_adopt_args *)task->cl_arg)->n);
}

static struct starpu_perfmodel adopt_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_adopt", .footprint = adopt_footprint};

/* Buffers: the packet of the new cell; then the sources that its bodies come from. */
static struct starpu_codelet cairn_cl_adopt = {
    .cpu_funcs = {adopt_cpu},
    .cpu_funcs_name = {"adopt_cpu"},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &adopt_model,
    .name = "adopt",
};

int cairn_task_adopt_submit(struct cairn_cells *cells, cairn_cell_t c, struct cairn_regrid_source *const *source,
                            const struct cairn_cut *cut, int *status) {
  const struct cairn_cut_part *part = cut->part + c;
  const struct cairn_adopt_args args = {cells, c, cut->range + part->first, part->n_ranges, part->n, status};
  struct starpu_task *task = cairn_task_create_variable(&cairn_cl_adopt, &args, sizeof args, 1 + part->n_ranges);
  if (!task)
    return -1;
  cairn_task_name_buffer(task, 0, cells->cell[c].handles->packet, STARPU_RW);
  for (int32_t k = 0; k < part->n_ranges; k++)
    cairn_task_name_buffer(task, 1 + k, source[args.range[k].list]->handle, STARPU_R);
  return starpu_task_submit(task);
}
