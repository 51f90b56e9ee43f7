/* The bodies of a source in order: along the Morton curve or, for slices and columns, along an axis. */
#include <stdlib.h>
#include <string.h>

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

/* ---- slices ---- */

struct cairn_slices_args {
  int axis;
  bool anew;
  const int32_t *end; /* of stretches; NULL: there are none yet */
  int32_t n_stretches, n;
};

static void survey_cpu(void *buffers[], void *arg) {
  const struct cairn_slices_args *args = arg;
  struct cairn_regrid_source *source = (void *)STARPU_VARIABLE_GET_PTR(buffers[0]);
  const struct cairn_body *body = cairn_packet_bodies(source->packet);
  struct cairn_body_extra *extra = cairn_packet_extras(source->packet);
  for (int32_t i = 0; i < source->packet->n && args->anew; i++)
    memcpy(extra[i].reference, body[i].state + CAIRN_STATE_X, sizeof extra[i].reference);
  memset(&source->spread, 0, sizeof source->spread);
  cairn_cut_note(&source->spread, source->packet);
}

static void order_along_cpu(void *buffers[], void *arg) {
  const struct cairn_slices_args *args = arg;
  struct cairn_regrid_source *source = (void *)STARPU_VARIABLE_GET_PTR(buffers[0]);
  if (!args->end)
    source->entry = cairn_cut_order(source->packet, args->axis, &source->n_entries);
  int failed = 0;
  for (int32_t s = 0, from = 0; s < args->n_stretches && !failed; from = args->end[s++])
    failed = cairn_cut_reorder(source->packet, args->axis, source->entry + from, args->end[s] - from);
  if (failed) {
    free(source->entry);
    source->entry = NULL;
  }
}

static uint32_t slices_footprint(struct starpu_task *task) {
  return cairn_task_size_class((double)((const struct cairn_slices_args *)task->cl_arg)->n);
}

static struct starpu_perfmodel survey_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_survey", .footprint = slices_footprint};
static struct starpu_perfmodel order_along_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_order_along", .footprint = slices_footprint};

/* Buffer of both: the source. */
static struct starpu_codelet cairn_cl_survey = {
    .cpu_funcs = {survey_cpu},
    .cpu_funcs_name = {"survey_cpu"},
    .nbuffers = 1,
    .modes = {STARPU_RW},
    .model = &survey_model,
    .name = "survey",
};
static struct starpu_codelet cairn_cl_order_along = {
    .cpu_funcs = {order_along_cpu},
    .cpu_funcs_name = {"order_along_cpu"},
    .nbuffers = 1,
    .modes = {STARPU_RW},
    .model = &order_along_model,
    .name = "order_along",
};

static int submit(struct starpu_codelet *codelet, struct cairn_slices_args args, struct cairn_regrid_source *source) {
  args.n = source->packet->n;
  struct starpu_task *task = cairn_task_create(codelet, &args, sizeof args);
  if (!task)
    return -1;
  task->handles[0] = source->handle;
  return starpu_task_submit(task);
}

int cairn_task_order_survey_submit(bool anew, struct cairn_regrid_source *source) {
  return submit(&cairn_cl_survey, (struct cairn_slices_args){.anew = anew}, source);
}

int cairn_task_order_along_submit(int axis, struct cairn_regrid_source *source) {
  return submit(&cairn_cl_order_along, (struct cairn_slices_args){.axis = axis}, source);
}

int cairn_task_order_again_submit(int axis, const int32_t *end, int32_t n, struct cairn_regrid_source *source) {
  return submit(&cairn_cl_order_along, (struct cairn_slices_args){.axis = axis, .end = end, .n_stretches = n}, source);
}
