/* Self-gravity as tasks (data/cells/gravity.h). Every buffer is a handle. Tasks on one list or branch write a part of
 * it, tasks that need all of it name the whole: StarPU has them wait for the parts. The driver waits where the data
 * decide how many tasks there are: for the cube, the branches and the number of nodes. */
#include <stdlib.h>

#include "tasks/gravity/parts.h"
#include "tasks/tasks.h"

struct cairn_gravity_args {
  struct cairn_gravity_terms terms;
  int32_t number; /* of the list or branch */
  int32_t n;      /* bodies in it */
  struct cairn_gravity_branch branch;
};

enum { POSITION, MASS, LIST, ENTRY, RANGE, BRANCH, BODIES, NODE, TOP, FIELD, ACCELERATION, POTENTIAL, BUFFERS };

/* ---- kernels of the tasks ---- */

#define VECTOR(type, k) ((type *)(void *)STARPU_VECTOR_GET_PTR(buffers[k]))

static struct cairn_gravity_bodies matrix(void *buffer) {
  return (struct cairn_gravity_bodies){(double *)STARPU_MATRIX_GET_PTR(buffer), STARPU_MATRIX_GET_LD(buffer)};
}

static void box_cpu(void *buffers[], void *arg) {
  (void)arg;
  cairn_gravity_box(VECTOR(const double, 0), VECTOR(struct cairn_gravity_list, 1));
}

static void order_cpu(void *buffers[], void *arg) {
  const struct cairn_gravity_args *args = arg;
  cairn_gravity_order(&args->terms, VECTOR(const double, 0), VECTOR(struct cairn_gravity_list, 1),
                      VECTOR(struct cairn_morton, 2));
}

static void gather_cpu(void *buffers[], void *arg) {
  const struct cairn_gravity_args *args = arg;
  cairn_gravity_gather(&args->terms, VECTOR(const struct cairn_gravity_list, 2), VECTOR(const struct cairn_morton, 3),
                       VECTOR(const struct cairn_cut_range, 4), VECTOR(const double, 0), VECTOR(const double, 1),
                       VECTOR(struct cairn_gravity_branch, 5), matrix(buffers[6]));
}

static void build_cpu(void *buffers[], void *arg) {
  const struct cairn_gravity_args *args = arg;
  cairn_gravity_build(&args->terms, &args->branch, args->number, matrix(buffers[0]),
                      VECTOR(struct cairn_gravity_node, 1));
}

static void join_cpu(void *buffers[], void *arg) {
  const struct cairn_gravity_args *args = arg;
  cairn_gravity_join(&args->terms, VECTOR(const struct cairn_gravity_branch, 0), matrix(buffers[1]),
                     VECTOR(const struct cairn_gravity_node, 2), VECTOR(struct cairn_gravity_node, 3));
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
WORK(box, 0, (POSITION, LIST), (R, RW))
WORK(order, 1, (POSITION, LIST, ENTRY), (R, RW, W))
WORK(gather, 5, (POSITION, MASS, LIST, ENTRY, RANGE, BRANCH, BODIES), (R, R, R, R, R, RW, W))
WORK(build, 0, (BODIES, NODE), (R, W))
WORK(join, 4, (BRANCH, BODIES, NODE, TOP), (R, R, R, W))
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

/* A task for each list or branch from one to another. */
static int submit_each(struct run *run, struct work *work, int32_t from, int32_t to, bool of_branches) {
  const struct cairn_gravity *g = run->gravity;
  int failed = 0;
  for (int32_t k = from; k < to && !failed; k++) {
    struct cairn_gravity_args args = {.terms = g->terms, .number = k};
    if (of_branches)
      args.branch = g->branch[k];
    args.n = of_branches ? args.branch.n : g->list[k].n;
    failed = submit(work, run->buffer, &args);
  }
  return failed;
}

/* The bodies of each list in order, and the branches. */
static int order(struct run *run, const double *position) {
  struct cairn_gravity *g = run->gravity;
  struct cairn_parts *list = run->buffer + LIST, *entry = run->buffer + ENTRY;
  cairn_parts_open(run->buffer + POSITION, position, 3 * g->n_room, sizeof(double));
  cairn_parts_open(list, g->list, g->n_lists, sizeof *g->list);
  cairn_parts_open(entry, g->entry, g->n_room, sizeof *g->entry);
  if (cairn_parts_plan(list, g->n_lists, NULL, 0) ||
      cairn_parts_plan(entry, g->n_lists, &g->list->room, sizeof *g->list))
    return -1;
  cairn_gravity_enclose(g);
  cairn_parts_split(list);
  cairn_parts_split(entry);
  const int failed = submit_each(run, &order_work, 0, g->n_lists, false);
  cairn_parts_join(list);
  cairn_parts_join(entry);
  cairn_parts_wait(list);
  cairn_parts_wait(entry);
  return failed || cairn_gravity_cut(g, NULL);
}

/* The bodies of each branch, its tree, and the top. */
static int plant(struct run *run, const double *mass) {
  struct cairn_gravity *g = run->gravity;
  const int32_t n = g->terms.n_branches;
  struct cairn_parts *branch = run->buffer + BRANCH, *bodies = run->buffer + BODIES, *node = run->buffer + NODE;
  const struct cairn_cut_part *last = g->cut.part + n - 1;
  cairn_parts_open(run->buffer + MASS, mass, g->n_room, sizeof(double));
  cairn_parts_open(run->buffer + RANGE, g->cut.range, last->first + last->n_ranges, sizeof *g->cut.range);
  cairn_parts_open(branch, g->branch, n, sizeof *g->branch);
  open_bodies(bodies, g);
  if (cairn_parts_plan(branch, n, NULL, 0) || cairn_parts_plan(bodies, n, &g->branch->n, sizeof *g->branch))
    return -1;
  cairn_parts_split(branch);
  cairn_parts_split(bodies);
  int failed = submit_each(run, &gather_work, 0, n, true);
  cairn_parts_join(branch);
  cairn_parts_wait(branch);
  failed = failed || cairn_gravity_reserve(g, NULL);
  if (!failed && !g->terms.is_direct) {
    cairn_parts_open(node, g->node, g->n_nodes, sizeof *g->node);
    cairn_parts_open(run->buffer + TOP, g->top, (int32_t)cairn_gravity_top(n), sizeof *g->top);
    failed = cairn_parts_plan(node, n, &g->branch->n_nodes, sizeof *g->branch);
    if (!failed) {
      cairn_parts_split(node);
      failed = submit_each(run, &build_work, 0, n, true);
      cairn_parts_join(node);
    }
  }
  cairn_parts_join(bodies);
  const struct cairn_gravity_args args = {.terms = g->terms, .n = n};
  return failed || (!g->terms.is_direct && submit(&join_work, run->buffer, &args));
}

/* The fields of the branches from one to another. */
static int evaluate(struct run *run, int32_t from, int32_t to) {
  struct cairn_gravity *g = run->gravity;
  const int32_t n = g->terms.n_branches;
  struct cairn_parts *branch = run->buffer + BRANCH, *field = run->buffer + FIELD;
  open_bodies(run->buffer + BODIES, g);
  cairn_parts_open(branch, g->branch, n, sizeof *g->branch);
  cairn_parts_open(field, g->field, g->terms.n, CAIRN_FIELD * sizeof *g->field);
  if (!g->terms.is_direct) {
    cairn_parts_open(run->buffer + NODE, g->node, g->n_nodes, sizeof *g->node);
    cairn_parts_open(run->buffer + TOP, g->top, (int32_t)cairn_gravity_top(n), sizeof *g->top);
  }
  if ((!branch->part && cairn_parts_plan(branch, n, NULL, 0)) ||
      cairn_parts_plan(field, n, &g->branch->n, sizeof *g->branch))
    return -1;
  cairn_parts_split(branch);
  cairn_parts_split(field);
  const int failed = submit_each(run, g->terms.is_direct ? &sum_work : &evaluate_work, from, to, true);
  cairn_parts_join(branch);
  cairn_parts_join(field);
  return failed;
}

int cairn_task_gravity_run(const struct cairn_task_self_gravity *self, int32_t n) {
  struct cairn_gravity *g = self->gravity;
  struct run run = {.gravity = g};
  if (cairn_gravity_begin(g, n, NULL))
    return -1;
  if (g->n_lists == 1)
    cairn_gravity_box(self->position, g->list);
  if (g->n_lists <= 1)
    return cairn_task_gravity_walk(self);
  struct cairn_parts *list = run.buffer + LIST, *position = run.buffer + POSITION;
  cairn_parts_open(position, self->position, n, 3 * sizeof(double));
  cairn_parts_open(list, g->list, g->n_lists, sizeof *g->list);
  int failed = cairn_parts_plan(list, g->n_lists, NULL, 0) ||
               cairn_parts_plan(position, g->n_lists, &g->list->room, sizeof *g->list);
  if (!failed) {
    cairn_parts_split(list);
    cairn_parts_split(position);
    failed = submit_each(&run, &box_work, 0, g->n_lists, false);
    cairn_parts_join(list);
    cairn_parts_join(position);
  }
  cairn_parts_close(run.buffer, BUFFERS);
  return failed ? -1 : cairn_task_gravity_walk(self);
}

int cairn_task_gravity_walk(const struct cairn_task_self_gravity *self) {
  struct cairn_gravity *g = self->gravity;
  struct run run = {.gravity = g};
  if (g->n_lists == 0)
    return 0;
  int failed =
      g->n_lists == 1 ? cairn_gravity_prepare(g, self->position, self->mass, 1, NULL) : order(&run, self->position);
  if (g->n_lists > 1 && !failed && g->terms.n > 0)
    failed = plant(&run, self->mass);
  const int32_t from = cairn_task_gravity_first(g, self->share, self->n_shares),
                to = cairn_task_gravity_first(g, self->share + 1, self->n_shares);
  if (!failed && g->terms.n_branches == 1) /* nothing to run at once */
    cairn_gravity_evaluate(&g->terms, g->bodies, g->node, g->top, g->branch, g->field);
  else if (!failed && g->terms.n > 0)
    failed = evaluate(&run, from, to);
  cairn_parts_close(run.buffer, BUFFERS);
  for (int32_t b = 0; b < g->terms.n_branches && !failed; b++)
    failed = g->branch[b].failed;
  return failed ? -1 : 0;
}

int32_t cairn_task_gravity_first(const struct cairn_gravity *gravity, int32_t share, int32_t n_shares) {
  return (int32_t)((int64_t)gravity->terms.n_branches * share / n_shares);
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
    failed = submit_each(&run, &deliver_work, 0, g->n_lists, false);
    cairn_parts_join(run.buffer + ACCELERATION);
    cairn_parts_join(run.buffer + POTENTIAL);
  }
  cairn_parts_close(run.buffer, BUFFERS);
  return failed ? -1 : 0;
}
