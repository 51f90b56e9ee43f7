#include "tasks/regrid/regrid.h"
#include "tasks/tasks.h"

struct cairn_order_args {
  double lower[3], scale;
  int32_t n;
};

static void order_cpu(void *buffers[], void *arg) {
  const struct cairn_order_args *args = arg;
  struct cairn_regrid_source *source = (void *)STARPU_VARIABLE_GET_PTR(buffers[0]);
  source->entry = cairn_packet_order(source->packet, args->lower, args->scale, &source->n_entries);
}

static uint32_t order_footprint(struct starpu_task *task) {
  return cairn_task_size_class((double)((const struct cairn_order_args *)task->cl_arg)->n);
}

static struct starpu_perfmodel order_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_order", .footprint = order_footprint};

/* Buffer: the source. */
static struct starpu_codelet cairn_cl_order = {
    .cpu_funcs = {order_cpu},
    .cpu_funcs_name = {"order_cpu"},
    .nbuffers = 1,
    .modes = {STARPU_RW},
    .model = &order_model,
    .name = "order",
};

int cairn_task_order_submit(const struct cairn_regrid_rules *rules, struct cairn_regrid_source *source) {
  const struct cairn_order_args args = {
      {rules->lower[0], rules->lower[1], rules->lower[2]}, rules->scale, source->packet->n};
  struct starpu_task *task = cairn_task_create(&cairn_cl_order, &args, sizeof args);
  if (!task)
    return -1;
  task->handles[0] = source->handle;
  return starpu_task_submit(task);
}
