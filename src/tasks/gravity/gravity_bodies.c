/* Between the packets of a simulation and its self-gravity: bodies in lists, what acts on each, and cells. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/gravity/parts.h"
#include "tasks/tasks.h"

/* Of so few bodies tasks cost more than the work: the driver does it. */
enum { FEW = 2048 };

/* ---- packets, one after the other ---- */

struct cairn_pace_args {
  struct cairn_task_gravity_pace pace;
  int32_t n;
};

static const struct cairn_packet *packet_in(void *buffer) { return (const void *)STARPU_VECTOR_GET_PTR(buffer); }

static void note_cpu(void *buffers[], void *arg) {
  (void)arg;
  cairn_gravity_note(packet_in(buffers[0]), (void *)STARPU_VARIABLE_GET_PTR(buffers[1]));
}

static void time_cpu(void *buffers[], void *arg) {
  const struct cairn_pace_args *args = arg;
  *(double *)STARPU_VARIABLE_GET_PTR(buffers[1]) =
      cairn_gravity_time(packet_in(buffers[0]), args->pace.mean, args->pace.uniform, args->pace.fraction);
}

static uint32_t pace_footprint(struct starpu_task *task) {
  return cairn_task_size_class((double)((const struct cairn_pace_args *)task->cl_arg)->n);
}

static struct starpu_perfmodel note_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_gravity_note", .footprint = pace_footprint};
static struct starpu_perfmodel time_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_gravity_time", .footprint = pace_footprint};

/* Buffers of both: the packet; the result. */
static struct starpu_codelet cairn_cl_gravity_note = {.cpu_funcs = {note_cpu},
                                                      .cpu_funcs_name = {"note_cpu"},
                                                      .nbuffers = 2,
                                                      .modes = {STARPU_R, STARPU_W},
                                                      .model = &note_model,
                                                      .name = "gravity_note"};
static struct starpu_codelet cairn_cl_gravity_time = {.cpu_funcs = {time_cpu},
                                                      .cpu_funcs_name = {"time_cpu"},
                                                      .nbuffers = 2,
                                                      .modes = {STARPU_R, STARPU_W},
                                                      .model = &time_model,
                                                      .name = "gravity_time"};

static bool are_few(struct cairn_packet *const *packet, int32_t n) {
  int64_t n_bodies = 0;
  for (int32_t p = 0; p < n; p++)
    n_bodies += packet[p] ? packet[p]->n : 0;
  return n_bodies <= FEW;
}

/* A task for each packet, with a result of this size for each. */
static int ask_packets(struct starpu_codelet *codelet, struct cairn_packet *const *packet, int32_t n,
                       const struct cairn_task_gravity_pace *pace, void *result, size_t size) {
  struct cairn_parts *parts = calloc(2 * (size_t)n + 1, sizeof *parts);
  int failed = !parts;
  for (int32_t p = 0; p < n && !failed; p++) {
    if (!packet[p])
      continue;
    const struct cairn_pace_args args = {pace ? *pace : (struct cairn_task_gravity_pace){{0.}, {0.}, 0.}, packet[p]->n};
    struct starpu_task *task = cairn_task_create(codelet, &args, sizeof args);
    failed = !task;
    if (failed)
      break;
    cairn_parts_open(parts + 2 * p, packet[p], packet[p]->bytes, 1);
    starpu_variable_data_register(&parts[2 * p + 1].whole, STARPU_MAIN_RAM, (uintptr_t)result + (size_t)p * size, size);
    task->handles[0] = parts[2 * p].whole;
    task->handles[1] = parts[2 * p + 1].whole;
    failed = starpu_task_submit(task);
  }
  if (parts)
    cairn_parts_close(parts, 2 * n);
  free(parts);
  return failed;
}

int cairn_task_gravity_note(struct cairn_packet *const *packet, int32_t n, struct cairn_gravity_motion *motion) {
  struct cairn_gravity_motion *each = calloc((size_t)n + 1, sizeof *each);
  const bool few = are_few(packet, n);
  memset(motion, 0, sizeof *motion);
  const int failed = !each || (!few && ask_packets(&cairn_cl_gravity_note, packet, n, NULL, each, sizeof *each));
  for (int32_t p = 0; p < n && !failed; p++) {
    if (packet[p] && few)
      cairn_gravity_note(packet[p], each + p);
    if (packet[p])
      cairn_gravity_note_all(motion, each + p);
  }
  free(each);
  return failed;
}

int cairn_task_gravity_time(struct cairn_packet *const *packet, int32_t n, const struct cairn_task_gravity_pace *pace,
                            double *time) {
  double *each = calloc((size_t)n + 1, sizeof *each);
  const bool few = are_few(packet, n);
  *time = INFINITY;
  const int failed = !each || (!few && ask_packets(&cairn_cl_gravity_time, packet, n, pace, each, sizeof *each));
  for (int32_t p = 0; p < n && !failed; p++) {
    if (packet[p] && few)
      each[p] = cairn_gravity_time(packet[p], pace->mean, pace->uniform, pace->fraction);
    *time = packet[p] ? fmin(*time, each[p]) : *time;
  }
  free(each);
  return failed;
}

/* ---- lists of bodies ---- */

struct cairn_collect_args {
  struct cairn_gravity_prediction prediction;
  int32_t n, n_packets; /* bodies of the list; packets that have some of them */
  int32_t skip;         /* bodies of the first packet that belong to the list before */
};

static void collect_cpu(void *buffers[], void *arg) {
  const struct cairn_collect_args *args = arg;
  struct cairn_gravity_list *list = (void *)STARPU_VECTOR_GET_PTR(buffers[0]);
  double *position = (double *)STARPU_VECTOR_GET_PTR(buffers[1]);
  int32_t *id = (int32_t *)STARPU_VECTOR_GET_PTR(buffers[3]);
  const struct cairn_packet **packet = malloc((size_t)args->n_packets * sizeof *packet + 1);
  list->failed = !packet;
  for (int32_t p = 0; p < args->n_packets && packet; p++)
    packet[p] = packet_in(buffers[4 + p]);
  if (packet) {
    cairn_gravity_collect(packet, args->n_packets, args->skip, args->prediction, list, position,
                          (double *)STARPU_VECTOR_GET_PTR(buffers[2]), id);
    cairn_gravity_box(position, id, list);
  }
  free(packet);
}

struct cairn_total_args {
  struct cairn_task_gravity_sum sum;
  int32_t n;
};

static void total_cpu(void *buffers[], void *arg) {
  const struct cairn_total_args *args = arg;
  *(int32_t *)STARPU_VECTOR_GET_PTR(buffers[4]) = cairn_gravity_total(
      (const void *)STARPU_VECTOR_GET_PTR(buffers[0]), (const int32_t *)STARPU_VECTOR_GET_PTR(buffers[1]),
      (const double *)STARPU_VECTOR_GET_PTR(buffers[2]), args->sum.uniform, args->sum.drift,
      (double *)STARPU_VECTOR_GET_PTR(buffers[3]));
}

static uint32_t collect_footprint(struct starpu_task *task) {
  return cairn_task_size_class((double)((const struct cairn_collect_args *)task->cl_arg)->n);
}

static uint32_t total_footprint(struct starpu_task *task) {
  return cairn_task_size_class((double)((const struct cairn_total_args *)task->cl_arg)->n);
}

static struct starpu_perfmodel collect_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_gravity_collect", .footprint = collect_footprint};
static struct starpu_perfmodel total_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_gravity_total", .footprint = total_footprint};

/* Buffers: list, positions, masses, ids; then the packets that its bodies are in. */
static struct starpu_codelet cairn_cl_gravity_collect = {.cpu_funcs = {collect_cpu},
                                                         .cpu_funcs_name = {"collect_cpu"},
                                                         .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                         .model = &collect_model,
                                                         .name = "gravity_collect"};
/* Buffers: list, ids, accelerations; totals, the first that is beyond all bounds. */
static struct starpu_codelet cairn_cl_gravity_total = {.cpu_funcs = {total_cpu},
                                                       .cpu_funcs_name = {"total_cpu"},
                                                       .nbuffers = 5,
                                                       .modes = {STARPU_R, STARPU_R, STARPU_R, STARPU_W, STARPU_W},
                                                       .model = &total_model,
                                                       .name = "gravity_total"};

enum { LIST, POSITION, MASS, ID, LISTED };

static int submit_collect(const struct cairn_parts *listed, const struct cairn_parts *packets, int32_t l,
                          const struct cairn_collect_args *args) {
  struct starpu_task *task =
      cairn_task_create_variable(&cairn_cl_gravity_collect, args, sizeof *args, LISTED + args->n_packets);
  if (!task)
    return -1;
  for (int k = 0; k < LISTED; k++)
    cairn_task_name_buffer(task, k, listed[k].part[l], k == LIST ? STARPU_RW : STARPU_W);
  for (int32_t p = 0; p < args->n_packets; p++)
    cairn_task_name_buffer(task, LISTED + p, packets[p].whole, STARPU_R);
  return starpu_task_submit(task);
}

/* All lists, from packets that are registered: each is a stretch of their bodies. */
static int collect(struct cairn_gravity *g, struct cairn_packet *const *packet, const struct cairn_parts *packets,
                   struct cairn_gravity_prediction prediction, struct cairn_parts *listed) {
  int failed = 0;
  int32_t p = 0, begin = 0; /* the packet that the list begins in, and where that begins */
  for (int k = 0; k < LISTED; k++)
    cairn_parts_split(listed + k);
  for (int32_t l = 0; l < g->n_lists && !failed; l++) {
    const struct cairn_gravity_list *list = g->list + l;
    for (; begin + packet[p]->n <= list->first; p++)
      begin += packet[p]->n;
    struct cairn_collect_args args = {prediction, list->room, 0, list->first - begin};
    for (int32_t end = begin; end < list->first + list->room; args.n_packets++)
      end += packet[p + args.n_packets]->n;
    failed = submit_collect(listed, packets + p, l, &args);
  }
  for (int k = 0; k < LISTED; k++)
    cairn_parts_join(listed + k);
  return failed;
}

/* The same by the driver, where there is one list. */
static void collect_alone(struct cairn_gravity *g, struct cairn_packet *const *packet, int32_t n,
                          struct cairn_gravity_prediction prediction, const struct cairn_task_listed *to) {
  cairn_gravity_collect((const struct cairn_packet *const *)packet, n, 0, prediction, g->list, to->position, to->mass,
                        to->id);
  cairn_gravity_box(to->position, to->id, g->list);
}

int cairn_task_gravity_collect(struct cairn_gravity *g, struct cairn_packet *const *packet, int32_t n,
                               struct cairn_gravity_prediction prediction, const struct cairn_task_listed *to) {
  struct cairn_parts listed[LISTED] = {{0}}, *packets = calloc((size_t)n + 1, sizeof *packets);
  struct cairn_packet **there = malloc((size_t)n * sizeof *there + 1); /* those with bodies */
  int32_t n_packets = 0;
  int failed = !packets || !there;
  for (int32_t p = 0; p < n && !failed; p++)
    if (packet[p] && packet[p]->n > 0)
      there[n_packets++] = packet[p];
  if (!failed && g->n_lists == 1)
    collect_alone(g, there, n_packets, prediction, to);
  if (!failed && g->n_lists > 1) {
    for (int32_t p = 0; p < n_packets; p++)
      cairn_parts_open(packets + p, there[p], there[p]->bytes, 1);
    cairn_parts_open(listed + LIST, g->list, g->n_lists, sizeof *g->list);
    cairn_parts_open(listed + POSITION, to->position, g->n_room, 3 * sizeof *to->position);
    cairn_parts_open(listed + MASS, to->mass, g->n_room, sizeof *to->mass);
    cairn_parts_open(listed + ID, to->id, g->n_room, sizeof *to->id);
    for (int k = 0; k < LISTED && !failed; k++)
      failed = cairn_parts_plan(listed + k, g->n_lists, k == LIST ? NULL : &g->list->room, sizeof *g->list);
    failed = failed || collect(g, there, packets, prediction, listed);
    cairn_parts_close(listed, LISTED);
    cairn_parts_close(packets, n_packets);
  }
  free(packets);
  free(there);
  for (int32_t l = 0; l < g->n_lists && !failed; l++)
    failed = g->list[l].failed;
  return failed;
}

enum { SUM_LIST, SUM_ID, SUM_ACCELERATION, SUM_TOTAL, SUM_BAD, SUMMED };

static int submit_total(const struct cairn_parts *summed, int32_t l, const struct cairn_total_args *args) {
  struct starpu_task *task = cairn_task_create(&cairn_cl_gravity_total, args, sizeof *args);
  if (!task)
    return -1;
  for (int k = 0; k < SUMMED; k++)
    task->handles[k] = summed[k].part[l];
  return starpu_task_submit(task);
}

int cairn_task_gravity_total(const struct cairn_task_self_gravity *self, const struct cairn_task_gravity_sum *sum,
                             double *total, int32_t *bad) {
  const struct cairn_gravity *g = self->gravity;
  struct cairn_parts summed[SUMMED] = {{0}};
  *bad = -1;
  if (g->n_lists == 1)
    *bad = cairn_gravity_total(g->list, self->id, self->acceleration, sum->uniform, sum->drift, total);
  if (g->n_lists <= 1)
    return 0;
  int32_t *first_bad = malloc((size_t)g->n_lists * sizeof *first_bad);
  int failed = !first_bad;
  if (failed)
    return failed;
  cairn_parts_open(summed + SUM_LIST, g->list, g->n_lists, sizeof *g->list);
  cairn_parts_open(summed + SUM_ID, self->id, g->n_room, sizeof *self->id);
  cairn_parts_open(summed + SUM_ACCELERATION, self->acceleration, g->n_room, 3 * sizeof *self->acceleration);
  cairn_parts_open(summed + SUM_TOTAL, total, g->n_room, 3 * sizeof *total);
  cairn_parts_open(summed + SUM_BAD, first_bad, g->n_lists, sizeof *first_bad);
  for (int k = 0; k < SUMMED && !failed; k++)
    failed = cairn_parts_plan(summed + k, g->n_lists, k == SUM_LIST || k == SUM_BAD ? NULL : &g->list->room,
                              sizeof *g->list);
  for (int k = 0; k < SUMMED && !failed; k++)
    cairn_parts_split(summed + k);
  const int is_split = !failed;
  for (int32_t l = 0; l < g->n_lists && !failed; l++)
    failed = submit_total(summed, l, &(struct cairn_total_args){*sum, g->list[l].room});
  for (int k = 0; k < SUMMED && is_split; k++)
    cairn_parts_join(summed + k);
  cairn_parts_close(summed, SUMMED);
  for (int32_t l = 0; l < g->n_lists && !failed; l++)
    *bad = first_bad[l] >= 0 && (*bad < 0 || first_bad[l] < *bad) ? first_bad[l] : *bad;
  free(first_bad);
  return failed;
}

/* ---- cells ---- */

struct cairn_store_args {
  const struct cairn_cells *cells;
  struct cairn_cell *cell;
  const int64_t *first;
};

static void store_cpu(void *buffers[], void *arg) {
  const struct cairn_store_args *args = arg;
  cairn_cells_set_gravity(args->cells, args->cell, args->first, (const double *)STARPU_VECTOR_GET_PTR(buffers[1]));
}

static uint32_t store_footprint(struct starpu_task *task) {
  return cairn_task_size_class((double)((const struct cairn_store_args *)task->cl_arg)->cell->size.n);
}

static struct starpu_perfmodel store_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_gravity_store", .footprint = store_footprint};

/* Buffers: the pair list of the cell; totals. */
static struct starpu_codelet cairn_cl_gravity_store = {.cpu_funcs = {store_cpu},
                                                       .cpu_funcs_name = {"store_cpu"},
                                                       .nbuffers = 2,
                                                       .modes = {STARPU_RW, STARPU_R},
                                                       .model = &store_model,
                                                       .name = "gravity_store"};

int cairn_task_gravity_store(struct cairn_cells *cells, const int64_t *first, const double *total, int64_t n) {
  struct cairn_parts totals = {0};
  int failed = 0;
  for (cairn_cell_t c = 0; c < cells->n_cells && n <= FEW; c++) {
    starpu_data_acquire(cells->cell[c].handles->pair_list, STARPU_RW);
    cairn_cells_set_gravity(cells, cells->cell + c, first, total);
    starpu_data_release(cells->cell[c].handles->pair_list);
  }
  if (n <= FEW)
    return 0;
  cairn_parts_open(&totals, total, n, 3 * sizeof *total);
  for (cairn_cell_t c = 0; c < cells->n_cells && !failed; c++) {
    const struct cairn_store_args args = {cells, cells->cell + c, first};
    struct starpu_task *task = cairn_task_create(&cairn_cl_gravity_store, &args, sizeof args);
    failed = !task;
    if (failed)
      break;
    task->handles[0] = cells->cell[c].handles->pair_list;
    task->handles[1] = totals.whole;
    failed = starpu_task_submit(task);
  }
  cairn_parts_close(&totals, 1);
  return failed;
}
