#include <string.h>

#include "tasks/regrid/regrid.h"
#include "tasks/tasks.h"

struct cairn_snapshot_args {
  const struct cairn_cells *cells;
  cairn_cell_t cell;
  double h;
  bool is_bounded;
  double bounds[2][3];
};

/* The source travels nowhere: the buffer is the structure itself. */
static void snapshot_cpu(void *buffers[], void *arg) {
  const struct cairn_snapshot_args *args = arg;
  struct cairn_regrid_source *source = (void *)STARPU_VARIABLE_GET_PTR(buffers[0]);
  source->fault = (struct cairn_cells_fault){CAIRN_CELLS_SOUND, -1, -1};
  cairn_cells_find_fault(args->cells, args->cell, &source->fault);
  source->packet = cairn_cells_snapshot(args->cells, args->cell);
  if (source->packet)
    source->summary = cairn_packet_summarise(source->packet, args->h, args->is_bounded ? args->bounds : NULL);
}

static uint32_t snapshot_footprint(struct starpu_task *task) {
  const struct cairn_snapshot_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->cells->cell[args->cell].size.n);
}

static struct starpu_perfmodel snapshot_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_snapshot", .footprint = snapshot_footprint};

/* Buffers: the source; state, pair list and history of the cell. */
static struct starpu_codelet cairn_cl_snapshot = {
    .cpu_funcs = {snapshot_cpu},
    .cpu_funcs_name = {"snapshot_cpu"},
    .nbuffers = 4,
    .modes = {STARPU_RW, STARPU_R, STARPU_R, STARPU_R},
    .model = &snapshot_model,
    .name = "snapshot",
};

int cairn_task_snapshot_submit(const struct cairn_cells *cells, cairn_cell_t c, const struct cairn_regrid_rules *rules,
                               struct cairn_regrid_source *source) {
  struct cairn_snapshot_args args = {cells, c, rules->h, rules->is_bounded, {{0.}}};
  memcpy(args.bounds, rules->bounds, sizeof args.bounds);
  struct starpu_task *task = cairn_task_create(&cairn_cl_snapshot, &args, sizeof args);
  if (!task)
    return -1;
  task->handles[0] = source->handle;
  task->handles[1] = cells->cell[c].handles->state;
  task->handles[2] = cells->cell[c].handles->pair_list;
  task->handles[3] = cells->cell[c].handles->history;
  return starpu_task_submit(task);
}
