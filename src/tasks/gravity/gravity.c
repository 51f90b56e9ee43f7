/* Self-gravity as tasks (data/gravity/gravity.h). Every buffer is a handle. Tasks on one list or branch write a part of
 * it, tasks that need all of it name the whole: StarPU has them wait for the parts. The driver waits where the data
 * decide how many tasks there are: for the cube, the branches and the number of nodes. */
#include <stdlib.h>

#include "tasks/gravity/parts.h"
#include "tasks/gravity/steps.h"

struct cairn_gravity_args {
  struct cairn_gravity_terms terms;
  int32_t number; /* of the list or branch */
  int32_t n;      /* bodies in it */
  struct cairn_gravity_branch branch;
};

enum { POSITION, MASS, ID, LIST, ENTRY, RANGE, BRANCH, BODIES, NODE, TOP, FIELD, ACCELERATION, POTENTIAL, BUFFERS };

/* ---- kernels of the tasks ---- */

#define VECTOR(type, k) ((type *)(void *)STARPU_VECTOR_GET_PTR(buffers[k]))

static struct cairn_gravity_bodies matrix(void *buffer) {
  return (struct cairn_gravity_bodies){(double *)STARPU_MATRIX_GET_PTR(buffer), STARPU_MATRIX_GET_LD(buffer)};
}

static void box_cpu(void *buffers[], void *arg) {
  (void)arg;
  cairn_gravity_box(VECTOR(const double, 0), VECTOR(const int32_t, 1), VECTOR(struct cairn_gravity_list, 2));
}

static void order_cpu(void *buffers[], void *arg) {
  const struct cairn_gravity_args *args = arg;
  cairn_gravity_order(&args->terms, VECTOR(const double, 0), VECTOR(const int32_t, 1),
                      VECTOR(struct cairn_gravity_list, 2), VECTOR(struct cairn_morton, 3));
}

static void gather_cpu(void *buffers[], void *arg) {
  const struct cairn_gravity_args *args = arg;
  const struct cairn_gravity_source source = {.position = VECTOR(const double, 0),
                                              .mass = VECTOR(const double, 1),
                                              .id = VECTOR(const int32_t, 2),
                                              .list = VECTOR(const struct cairn_gravity_list, 3),
                                              .entry = VECTOR(const struct cairn_morton, 4),
                                              .range = VECTOR(const struct cairn_cut_range, 5)};
  cairn_gravity_gather(&args->terms, &source, VECTOR(struct cairn_gravity_branch, 6), matrix(buffers[7]));
}

static void build_cpu(void *buffers[], void *arg) {
  const struct cairn_gravity_args *args = arg;
  cairn_gravity_build(&args->terms, &args->branch, args->number, matrix(buffers[0]),
                      VECTOR(struct cairn_gravity_node, 1));
}

static void join_cpu(void *buffers[], void *arg) {
  const struct cairn_gravity_args *args = arg;
  cairn_gravity_join(args->terms.order, VECTOR(const struct cairn_gravity_branch, 0), args->terms.n_branches,
                     VECTOR(const struct cairn_gravity_node, 1), VECTOR(struct cairn_gravity_node, 2));
}

static void evaluate_cpu(void *buffers[], void *arg) {
  const struct cairn_gravity_args *args = arg;
  cairn_gravity_evaluate(&args->terms, matrix(buffers[0]), VECTOR(const struct cairn_gravity_node, 1),
                         VECTOR(const struct cairn_gravity_node, 2), VECTOR(struct cairn_gravity_branch, 3),
                         VECTOR(double, 4));
}

static void sum_cpu(void *buffers[], void *arg) {
  const struct cairn_gravity_args *args = arg;
  cairn_gravity_evaluate(&args->terms, matrix(buffers[0]), NULL, NULL, VECTOR(struct cairn_gravity_branch, 1),
                         VECTOR(double, 2));
}

static void deliver_cpu(void *buffers[], void *arg) {
  const struct cairn_gravity_args *args = arg;
  const struct cairn_gravity_list *list = VECTOR(const struct cairn_gravity_list, 0);
  cairn_gravity_deliver(&args->terms, list + args->number, args->number, VECTOR(const struct cairn_morton, 1),
                        VECTOR(const struct cairn_cut_range, 2), VECTOR(const struct cairn_gravity_branch, 3),
                        matrix(buffers[4]), VECTOR(const double, 5), VECTOR(double, 6), VECTOR(double, 7));
}

static uint32_t footprint(struct starpu_task *task) {
  return cairn_task_size_class((double)((const struct cairn_gravity_args *)task->cl_arg)->n);
}

/* A codelet: which buffers, and of those after `n_whole` the part alone. */
struct work {
  struct starpu_codelet codelet;
  int32_t n_whole;
  int32_t buffer[STARPU_NMAXBUFS];
};

#define UNWRAP(...) __VA_ARGS__
#define WORK(verb, whole, buffers, access)                                                                             \
  static struct starpu_perfmodel verb##_model = {                                                                      \
      .type = STARPU_HISTORY_BASED, .symbol = "cairn_gravity_" #verb, .footprint = footprint};                         \
  static struct work verb##_work = {.codelet = {.cpu_funcs = {verb##_cpu},                                             \
                                                .cpu_funcs_name = {#verb "_cpu"},                                      \
                                                .nbuffers = sizeof((int[]){UNWRAP buffers}) / sizeof(int),             \
                                                .modes = {UNWRAP access},                                              \
                                                .model = &verb##_model,                                                \
                                                .name = "gravity_" #verb},                                             \
                                    .n_whole = whole,                                                                  \
                                    .buffer = {UNWRAP buffers}};
#define R STARPU_R
#define W STARPU_W
#define RW STARPU_RW
WORK(box, 0, (POSITION, ID, LIST), (R, R, RW))
WORK(order, 2, (POSITION, ID, LIST, ENTRY), (R, R, RW, W))
WORK(gather, 6, (POSITION, MASS, ID, LIST, ENTRY, RANGE, BRANCH, BODIES), (R, R, R, R, R, R, RW, W))
WORK(build, 0, (BODIES, NODE), (R, W))
WORK(join, 3, (BRANCH, NODE, TOP), (R, R, W))
WORK(evaluate, 3, (BODIES, NODE, TOP, BRANCH, FIELD), (R, R, R, RW, W))
WORK(sum, 1, (BODIES, BRANCH, FIELD), (R, RW, W))
WORK(deliver, 6, (LIST, ENTRY, RANGE, BRANCH, BODIES, FIELD, ACCELERATION, POTENTIAL), (R, R, R, R, R, R, W, W))
#undef R
#undef W
#undef RW

static int submit(struct work *work, const struct cairn_parts *all, const struct cairn_gravity_args *args) {
  struct starpu_task *task = cairn_task_create(&work->codelet, args, sizeof *args);
  if (!task)
    return -1;
  for (int32_t k = 0; k < work->codelet.nbuffers; k++) {
    const struct cairn_parts *b = all + work->buffer[k];
    task->handles[k] = k < work->n_whole ? b->whole : b->part[args->number];
  }
  return starpu_task_submit(task);
}

/* ---- the order of the tasks ---- */

struct run {
  struct cairn_gravity *gravity;
  struct cairn_parts buffer[BUFFERS];
};

static void open_bodies(struct cairn_parts *b, const struct cairn_gravity *g) {
  cairn_parts_open_rows(b, g->bodies.row, g->bodies.pitch, CAIRN_GRAVITY_ROWS);
}

/* A task for each list; or for each branch that is not done. */
static int submit_each(struct run *run, struct work *work, bool of_branches) {
  const struct cairn_gravity *g = run->gravity;
  const int32_t n = of_branches ? g->terms.n_branches : g->n_lists;
  int failed = 0;
  for (int32_t k = 0; k < n && !failed; k++) {
    struct cairn_gravity_args args = {.terms = g->terms, .number = k};
    if (of_branches)
      args.branch = g->branch[k];
    args.n = of_branches ? args.branch.n : g->list[k].n;
    failed = of_branches && args.branch.is_done ? 0 : submit(work, run->buffer, &args);
  }
  return failed;
}

/* The bodies of each list in order. */
static int order(struct run *run, const struct cairn_task_self_gravity *self) {
  struct cairn_gravity *g = run->gravity;
  struct cairn_parts *list = run->buffer + LIST, *entry = run->buffer + ENTRY;
  cairn_parts_open(run->buffer + POSITION, self->position, g->n_room, 3 * sizeof(double));
  cairn_parts_open(run->buffer + ID, self->id, g->n_room, sizeof *self->id);
  cairn_parts_open(list, g->list, g->n_lists, sizeof *g->list);
  cairn_parts_open(entry, g->entry, g->n_room, sizeof *g->entry);
  if (cairn_parts_plan(list, g->n_lists, NULL, 0) ||
      cairn_parts_plan(entry, g->n_lists, &g->list->room, sizeof *g->list))
    return -1;
  cairn_parts_split(list);
  cairn_parts_split(entry);
  const int failed = submit_each(run, &order_work, false);
  cairn_parts_join(list);
  cairn_parts_join(entry);
  cairn_parts_wait(list);
  cairn_parts_wait(entry);
  return failed;
}

int cairn_task_gravity_order(const struct cairn_task_self_gravity *self, const struct cairn_gravity_extent *all,
                             cairn_cut_sum *sum) {
  struct cairn_gravity *g = self->gravity;
  struct run run = {.gravity = g};
  int failed = 0;
  cairn_gravity_enclose(g, all);
  if (g->n_lists > 1)
    failed = order(&run, self);
  else if (g->n_lists == 1)
    cairn_gravity_order(&g->terms, self->position, self->id, g->list, g->entry);
  cairn_parts_close(run.buffer, BUFFERS);
  return failed || cairn_gravity_cut(g, sum, NULL);
}

/* The bodies of each branch. */
static int gather(struct run *run, const struct cairn_task_self_gravity *self) {
  struct cairn_gravity *g = run->gravity;
  const int32_t n = g->terms.n_branches;
  struct cairn_parts *all = run->buffer, *branch = all + BRANCH, *bodies = all + BODIES;
  const struct cairn_cut_part *last = g->cut.part + n - 1;
  cairn_parts_open(all + POSITION, self->position, g->n_room, 3 * sizeof(double));
  cairn_parts_open(all + MASS, self->mass, g->n_room, sizeof(double));
  cairn_parts_open(all + ID, self->id, g->n_room, sizeof *self->id);
  cairn_parts_open(all + LIST, g->list, g->n_lists, sizeof *g->list);
  cairn_parts_open(all + ENTRY, g->entry, g->n_room, sizeof *g->entry);
  cairn_parts_open(all + RANGE, g->cut.range, last->first + last->n_ranges, sizeof *g->cut.range);
  cairn_parts_open(branch, g->branch, n, sizeof *g->branch);
  open_bodies(bodies, g);
  if (cairn_parts_plan(branch, n, NULL, 0) || cairn_parts_plan(bodies, n, &g->branch->n, sizeof *g->branch))
    return -1;
  cairn_parts_split(branch);
  cairn_parts_split(bodies);
  const int failed = submit_each(run, &gather_work, true);
  cairn_parts_join(branch);
  cairn_parts_wait(branch);
  return failed || cairn_gravity_reserve(g, NULL);
}

/* Their trees, and the top. */
static int plant(struct run *run, const struct cairn_task_self_gravity *self, bool has_top) {
  struct cairn_gravity *g = run->gravity;
  const int32_t n = g->terms.n_branches;
  struct cairn_parts *bodies = run->buffer + BODIES, *node = run->buffer + NODE;
  int failed = gather(run, self);
  if (!failed && !g->terms.is_direct) {
    cairn_parts_open(node, g->node, g->n_nodes, sizeof *g->node);
    failed = cairn_parts_plan(node, n, &g->branch->n_nodes, sizeof *g->branch);
    if (!failed) {
      cairn_parts_split(node);
      failed = submit_each(run, &build_work, true);
      cairn_parts_join(node);
    }
  }
  if (bodies->part)
    cairn_parts_join(bodies);
  if (failed || g->terms.is_direct || !has_top)
    return failed;
  cairn_parts_open(run->buffer + TOP, g->top, (int32_t)cairn_gravity_top(n), sizeof *g->top);
  return submit(&join_work, run->buffer, &(struct cairn_gravity_args){.terms = g->terms, .n = n});
}

int cairn_task_gravity_plant(const struct cairn_task_self_gravity *self) {
  struct run run = {.gravity = self->gravity};
  const int failed = self->gravity->terms.n_branches > 0 && plant(&run, self, false);
  cairn_parts_close(run.buffer, BUFFERS);
  return failed;
}

/* The fields of the branches that are not done. */
static int evaluate(struct run *run, int32_t n_top) {
  struct cairn_gravity *g = run->gravity;
  const int32_t n = g->terms.n_branches;
  struct cairn_parts *branch = run->buffer + BRANCH, *field = run->buffer + FIELD;
  open_bodies(run->buffer + BODIES, g);
  cairn_parts_open(branch, g->branch, n, sizeof *g->branch);
  cairn_parts_open(field, g->field, g->terms.n, CAIRN_FIELD * sizeof *g->field);
  if (!g->terms.is_direct) {
    cairn_parts_open(run->buffer + NODE, g->node, g->n_nodes, sizeof *g->node);
    cairn_parts_open(run->buffer + TOP, g->top, n_top, sizeof *g->top);
  }
  if ((!branch->part && cairn_parts_plan(branch, n, NULL, 0)) ||
      cairn_parts_plan(field, n, &g->branch->n, sizeof *g->branch))
    return -1;
  cairn_parts_split(branch);
  cairn_parts_split(field);
  const int failed = submit_each(run, g->terms.is_direct ? &sum_work : &evaluate_work, true);
  cairn_parts_join(branch);
  cairn_parts_join(field);
  return failed;
}

int cairn_task_gravity_evaluate(struct cairn_gravity *g, int32_t n_branches) {
  struct run run = {.gravity = g};
  int failed = g->terms.n_branches > 0 && evaluate(&run, (int32_t)cairn_gravity_top(n_branches));
  cairn_parts_close(run.buffer, BUFFERS);
  for (int32_t b = 0; b < g->terms.n_branches && !failed; b++)
    failed = g->branch[b].failed;
  return failed;
}

int cairn_task_gravity_run(const struct cairn_task_self_gravity *self, int32_t n) {
  struct cairn_gravity *g = self->gravity;
  struct run run = {.gravity = g};
  if (cairn_gravity_begin(g, n, NULL))
    return -1;
  if (g->n_lists == 1)
    cairn_gravity_box(self->position, self->id, g->list);
  if (g->n_lists <= 1)
    return cairn_task_gravity_walk(self);
  struct cairn_parts *list = run.buffer + LIST, *position = run.buffer + POSITION, *id = run.buffer + ID;
  cairn_parts_open(position, self->position, n, 3 * sizeof(double));
  cairn_parts_open(id, self->id, n, sizeof *self->id);
  cairn_parts_open(list, g->list, g->n_lists, sizeof *g->list);
  int failed = cairn_parts_plan(list, g->n_lists, NULL, 0) ||
               cairn_parts_plan(id, g->n_lists, &g->list->room, sizeof *g->list) ||
               cairn_parts_plan(position, g->n_lists, &g->list->room, sizeof *g->list);
  if (!failed) {
    for (int k = 0; k < 3; k++)
      cairn_parts_split((struct cairn_parts *[]){list, position, id}[k]);
    failed = submit_each(&run, &box_work, false);
    for (int k = 0; k < 3; k++)
      cairn_parts_join((struct cairn_parts *[]){list, position, id}[k]);
  }
  cairn_parts_close(run.buffer, BUFFERS);
  return failed ? -1 : cairn_task_gravity_walk(self);
}

/* One list, up to the top of the tree: all that can run at once is what follows. */
static int prepare_alone(const struct cairn_task_self_gravity *self) {
  struct cairn_gravity *g = self->gravity;
  const int failed = cairn_gravity_plant(g, self->position, self->mass, self->id, 1, NULL);
  if (!failed && !g->terms.is_direct && g->terms.n_branches > 0)
    cairn_gravity_join(g->terms.order, g->branch, g->terms.n_branches, g->node, g->top);
  return failed;
}

int cairn_task_gravity_walk(const struct cairn_task_self_gravity *self) {
  struct cairn_gravity *g = self->gravity;
  struct run run = {.gravity = g};
  if (g->n_lists == 0)
    return 0;
  const struct cairn_gravity_extent all = cairn_gravity_extent(g);
  int failed = cairn_task_gravity_order(self, &all, NULL);
  if (!failed && g->terms.n > 0)
    failed = g->n_lists == 1 ? prepare_alone(self) : plant(&run, self, true);
  if (!failed && g->terms.n_branches == 1) { /* nothing to run at once */
    cairn_parts_close(run.buffer, BUFFERS);
    cairn_gravity_evaluate(&g->terms, g->bodies, g->node, g->top, g->branch, g->field);
    return g->branch->failed ? -1 : 0;
  }
  if (!failed && g->terms.n > 0)
    failed = evaluate(&run, (int32_t)cairn_gravity_top(g->terms.n_branches));
  cairn_parts_close(run.buffer, BUFFERS);
  for (int32_t b = 0; b < g->terms.n_branches && !failed; b++)
    failed = g->branch[b].failed;
  return failed ? -1 : 0;
}

/* The buffers that fields are delivered from and to. */
static int open_results(struct run *run, const struct cairn_task_self_gravity *self) {
  const struct cairn_gravity *g = run->gravity;
  const struct cairn_cut_part *last = g->cut.part + g->terms.n_branches - 1;
  struct cairn_parts *all = run->buffer;
  cairn_parts_open(all + LIST, g->list, g->n_lists, sizeof *g->list);
  cairn_parts_open(all + ENTRY, g->entry, g->n_room, sizeof *g->entry);
  cairn_parts_open(all + RANGE, g->cut.range, last->first + last->n_ranges, sizeof *g->cut.range);
  cairn_parts_open(all + BRANCH, g->branch, g->terms.n_branches, sizeof *g->branch);
  open_bodies(all + BODIES, g);
  cairn_parts_open(all + FIELD, g->field, g->terms.n, CAIRN_FIELD * sizeof *g->field);
  cairn_parts_open(all + ACCELERATION, self->acceleration, g->n_room, 3 * sizeof(double));
  cairn_parts_open(all + POTENTIAL, self->potential, g->n_room, sizeof(double));
  return cairn_parts_plan(all + ACCELERATION, g->n_lists, &g->list->room, sizeof *g->list) ||
         cairn_parts_plan(all + POTENTIAL, g->n_lists, &g->list->room, sizeof *g->list);
}

int cairn_task_gravity_deliver(const struct cairn_task_self_gravity *self) {
  struct run run = {.gravity = self->gravity};
  const struct cairn_gravity *g = run.gravity;
  if (g->n_lists == 1) {
    cairn_gravity_deliver(&g->terms, g->list, 0, g->entry, g->cut.range, g->branch, g->bodies, g->field,
                          self->acceleration, self->potential);
    return 0;
  }
  int failed = g->terms.n > 0 && open_results(&run, self);
  if (!failed && g->terms.n > 0) {
    cairn_parts_split(run.buffer + ACCELERATION);
    cairn_parts_split(run.buffer + POTENTIAL);
    failed = submit_each(&run, &deliver_work, false);
    cairn_parts_join(run.buffer + ACCELERATION);
    cairn_parts_join(run.buffer + POTENTIAL);
  }
  cairn_parts_close(run.buffer, BUFFERS);
  return failed ? -1 : 0;
}
