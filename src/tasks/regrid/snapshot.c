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

static void take(const struct cairn_snapshot_args *args, struct cairn_regrid_source *source) {
  source->fault = (struct cairn_cells_fault){CAIRN_CELLS_SOUND, -1, -1};
  cairn_cells_find_fault(args->cells, args->cell, &source->fault);
  source->packet = cairn_cells_snapshot(args->cells, args->cell);
  if (source->packet)
    source->summary = cairn_packet_summarise(source->packet, args->h, args->is_bounded ? args->bounds : NULL);
}

/* The source travels nowhere: the buffer is the structure itself. */
static void snapshot_cpu(void *buffers[], void *arg) {
  take(arg, (struct cairn_regrid_source *)STARPU_VARIABLE_GET_PTR(buffers[0]));
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

static struct cairn_snapshot_args args_of(const struct cairn_cells *cells, cairn_cell_t c,
                                          const struct cairn_regrid_rules *rules) {
  struct cairn_snapshot_args args = {cells, c, rules->h, rules->is_bounded, {{0.}}};
  memcpy(args.bounds, rules->bounds, sizeof args.bounds);
  return args;
}

void cairn_task_snapshot_here(const struct cairn_cells *cells, cairn_cell_t c, const struct cairn_regrid_rules *rules,
                              struct cairn_regrid_source *source) {
  const struct cairn_snapshot_args args = args_of(cells, c, rules);
  const struct cairn_cell_handles *handles = cells->cell[c].handles;
  starpu_data_acquire(handles->state, STARPU_R);
  starpu_data_acquire(handles->pair_list, STARPU_R);
  starpu_data_acquire(handles->history, STARPU_R);
  take(&args, source);
  starpu_data_release(handles->history);
  starpu_data_release(handles->pair_list);
  starpu_data_release(handles->state);
}

int cairn_task_snapshot_submit(const struct cairn_cells *cells, cairn_cell_t c, const struct cairn_regrid_rules *rules,
                               struct cairn_regrid_source *source) {
  const struct cairn_snapshot_args args = args_of(cells, c, rules);
  struct starpu_task *task = cairn_task_create(&cairn_cl_snapshot, &args, sizeof args);
  if (!task)
    return -1;
  task->handles[0] = source->handle;
  task->handles[1] = cells->cell[c].handles->state;
  task->handles[2] = cells->cell[c].handles->pair_list;
  task->handles[3] = cells->cell[c].handles->history;
  return starpu_task_submit(task);
}
