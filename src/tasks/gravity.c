/* Self-gravity as tasks (data/cells/gravity.h). Every buffer is a handle. Tasks on one list or branch write a part of
 * it, tasks that need all of it name the whole: StarPU has them wait for the parts. The driver waits where the data
 * decide how many tasks there are: for the cube, the branches and the number of nodes. */
#include <stdlib.h>

#include "tasks/tasks.h"

struct cairn_gravity_args {
  struct cairn_gravity_terms terms;
  int32_t number; /* of the list or branch */
  int32_t n;      /* bodies in it */
  struct cairn_gravity_branch branch;
};

/* A buffer, as a whole and in parts. */
struct buffer {
  starpu_data_handle_t whole, *part;
  uint32_t *length; /* of the parts; NULL: all have one element */
  int32_t n_parts;
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
WORK(box, 1, (POSITION, LIST), (R, RW))
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

static int submit(struct work *work, const struct buffer *all, const struct cairn_gravity_args *args) {
  struct starpu_task *task = cairn_task_create(&work->codelet, args, sizeof *args);
  if (!task)
    return -1;
  for (int32_t k = 0; k < work->codelet.nbuffers; k++) {
    const struct buffer *b = all + work->buffer[k];
    task->handles[k] = k < work->n_whole ? b->whole : b->part[args->number];
  }
  return starpu_task_submit(task);
}

/* ---- buffers and their parts ---- */

static void open_vector(struct buffer *b, const void *memory, int32_t n, size_t size) {
  if (!b->whole)
    starpu_vector_data_register(&b->whole, STARPU_MAIN_RAM, (uintptr_t)memory, (uint32_t)n, size);
}

static void open_bodies(struct buffer *b, struct cairn_gravity_bodies bodies) {
  if (!b->whole)
    starpu_matrix_data_register(&b->whole, STARPU_MAIN_RAM, (uintptr_t)bodies.row, (uint32_t)bodies.pitch,
                                (uint32_t)bodies.pitch, CAIRN_GRAVITY_ROWS, sizeof(double));
}

/* A stretch of the columns of a matrix. */
static void take_columns(void *whole, void *part, struct starpu_data_filter *filter, unsigned number, unsigned n) {
  const struct starpu_matrix_interface *all = whole;
  struct starpu_matrix_interface *some = part;
  const uint32_t *length = filter->filter_arg_ptr;
  size_t first = 0;
  (void)n;
  for (unsigned k = 0; k < number; k++)
    first += length[k] * all->elemsize;
  *some = *all;
  some->nx = length[number];
  some->allocsize = (size_t)some->nx * some->ny * some->elemsize;
  some->offset += first;
  if (some->ptr)
    some->ptr += first;
}

/* Parts of the lengths that the member of n structures has; without one, parts of one element. */
static int plan_parts(struct buffer *b, int32_t n, const int32_t *member, size_t size) {
  struct starpu_data_filter filter = {.filter_func = starpu_vector_filter_block, .nchildren = (unsigned)n};
  b->n_parts = n;
  b->part = malloc((size_t)n * sizeof(starpu_data_handle_t));
  b->length = malloc((size_t)n * sizeof *b->length);
  if (!b->part || !b->length) {
    free(b->part);
    b->part = NULL;
    return -1;
  }
  for (int32_t k = 0; k < n && member; k++)
    b->length[k] = (uint32_t) * (const int32_t *)(const void *)((const char *)member + (size_t)k * size);
  if (member) {
    const bool is_matrix = starpu_data_get_interface_id(b->whole) == STARPU_MATRIX_INTERFACE_ID;
    filter.filter_func = is_matrix ? take_columns : starpu_vector_filter_list;
    filter.filter_arg_ptr = b->length;
  }
  starpu_data_partition_plan(b->whole, &filter, b->part);
  return 0;
}

/* Tasks that follow name the parts; or the whole again. */
static void use_parts(struct buffer *b) { starpu_data_partition_submit(b->whole, (unsigned)b->n_parts, b->part); }

static void use_whole(struct buffer *b) {
  starpu_data_unpartition_submit(b->whole, (unsigned)b->n_parts, b->part, STARPU_MAIN_RAM);
}

/* Wait until the tasks on a buffer are done. */
static void wait_for(struct buffer *b) {
  starpu_data_acquire(b->whole, STARPU_RW);
  starpu_data_release(b->whole);
}

static void close_all(struct buffer *all) {
  for (int k = 0; k < BUFFERS; k++) {
    if (all[k].part)
      starpu_data_partition_clean(all[k].whole, (unsigned)all[k].n_parts, all[k].part);
    if (all[k].whole)
      starpu_data_unregister(all[k].whole);
    free(all[k].part);
    free(all[k].length);
  }
}

/* ---- the order of the tasks ---- */

struct run {
  struct cairn_gravity *gravity;
  struct buffer buffer[BUFFERS];
};

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
  struct buffer *list = run->buffer + LIST, *entry = run->buffer + ENTRY;
  open_vector(run->buffer + POSITION, position, 3 * g->terms.n, sizeof(double));
  open_vector(list, g->list, g->n_lists, sizeof *g->list);
  open_vector(entry, g->entry, g->terms.n, sizeof *g->entry);
  if (plan_parts(list, g->n_lists, NULL, 0) || plan_parts(entry, g->n_lists, &g->list->n, sizeof *g->list))
    return -1;
  use_parts(list);
  int failed = submit_each(run, &box_work, 0, g->n_lists, false);
  use_whole(list);
  wait_for(list);
  cairn_gravity_enclose(g);
  use_parts(list);
  use_parts(entry);
  failed = failed || submit_each(run, &order_work, 0, g->n_lists, false);
  use_whole(list);
  use_whole(entry);
  wait_for(list);
  wait_for(entry);
  return failed || cairn_gravity_cut(g, NULL);
}

/* The bodies of each branch, its tree, and the top. */
static int plant(struct run *run, const double *mass) {
  struct cairn_gravity *g = run->gravity;
  const int32_t n = g->terms.n_branches;
  struct buffer *branch = run->buffer + BRANCH, *bodies = run->buffer + BODIES, *node = run->buffer + NODE;
  const struct cairn_cut_part *last = g->cut.part + n - 1;
  open_vector(run->buffer + MASS, mass, g->terms.n, sizeof(double));
  open_vector(run->buffer + RANGE, g->cut.range, last->first + last->n_ranges, sizeof *g->cut.range);
  open_vector(branch, g->branch, n, sizeof *g->branch);
  open_bodies(bodies, g->bodies);
  if (plan_parts(branch, n, NULL, 0) || plan_parts(bodies, n, &g->branch->n, sizeof *g->branch))
    return -1;
  use_parts(branch);
  use_parts(bodies);
  int failed = submit_each(run, &gather_work, 0, n, true);
  use_whole(branch);
  wait_for(branch);
  failed = failed || cairn_gravity_reserve(g, NULL);
  if (!failed && !g->terms.is_direct) {
    open_vector(node, g->node, g->n_nodes, sizeof *g->node);
    open_vector(run->buffer + TOP, g->top, (int32_t)cairn_gravity_top(n), sizeof *g->top);
    failed = plan_parts(node, n, &g->branch->n_nodes, sizeof *g->branch);
    if (!failed) {
      use_parts(node);
      failed = submit_each(run, &build_work, 0, n, true);
      use_whole(node);
    }
  }
  use_whole(bodies);
  const struct cairn_gravity_args args = {.terms = g->terms, .n = n};
  return failed || (!g->terms.is_direct && submit(&join_work, run->buffer, &args));
}

/* The fields of the branches from one to another. */
static int evaluate(struct run *run, int32_t from, int32_t to) {
  struct cairn_gravity *g = run->gravity;
  const int32_t n = g->terms.n_branches;
  struct buffer *branch = run->buffer + BRANCH, *field = run->buffer + FIELD;
  open_bodies(run->buffer + BODIES, g->bodies);
  open_vector(branch, g->branch, n, sizeof *g->branch);
  open_vector(field, g->field, g->terms.n, CAIRN_FIELD * sizeof *g->field);
  if (!g->terms.is_direct) {
    open_vector(run->buffer + NODE, g->node, g->n_nodes, sizeof *g->node);
    open_vector(run->buffer + TOP, g->top, (int32_t)cairn_gravity_top(n), sizeof *g->top);
  }
  if ((!branch->part && plan_parts(branch, n, NULL, 0)) || plan_parts(field, n, &g->branch->n, sizeof *g->branch))
    return -1;
  use_parts(branch);
  use_parts(field);
  const int failed = submit_each(run, g->terms.is_direct ? &sum_work : &evaluate_work, from, to, true);
  use_whole(branch);
  use_whole(field);
  return failed;
}

int cairn_task_gravity_run(const struct cairn_task_self_gravity *self, int32_t n) {
  struct cairn_gravity *g = self->gravity;
  struct run run = {.gravity = g};
  if (cairn_gravity_begin(g, n, NULL))
    return -1;
  if (n == 0)
    return 0;
  int failed = g->n_lists == 1 ? cairn_gravity_prepare(g, self->position, self->mass, 1, NULL)
                               : order(&run, self->position) || plant(&run, self->mass);
  const int32_t from = cairn_task_gravity_first(g, self->share, self->n_shares),
                to = cairn_task_gravity_first(g, self->share + 1, self->n_shares);
  if (!failed && g->terms.n_branches == 1) /* nothing to run at once */
    cairn_gravity_evaluate(&g->terms, g->bodies, g->node, g->top, g->branch, g->field);
  else if (!failed)
    failed = evaluate(&run, from, to);
  close_all(run.buffer);
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
  struct buffer *all = run->buffer;
  open_vector(all + LIST, g->list, g->n_lists, sizeof *g->list);
  open_vector(all + ENTRY, g->entry, g->terms.n, sizeof *g->entry);
  open_vector(all + RANGE, g->cut.range, last->first + last->n_ranges, sizeof *g->cut.range);
  open_vector(all + BRANCH, g->branch, g->terms.n_branches, sizeof *g->branch);
  open_bodies(all + BODIES, g->bodies);
  open_vector(all + FIELD, g->field, g->terms.n, CAIRN_FIELD * sizeof *g->field);
  open_vector(all + ACCELERATION, self->acceleration, g->terms.n, 3 * sizeof(double));
  open_vector(all + POTENTIAL, self->potential, g->terms.n, sizeof(double));
  return plan_parts(all + ACCELERATION, g->n_lists, &g->list->n, sizeof *g->list) ||
         plan_parts(all + POTENTIAL, g->n_lists, &g->list->n, sizeof *g->list);
}

int cairn_task_gravity_deliver(const struct cairn_task_self_gravity *self) {
  struct run run = {.gravity = self->gravity};
  const struct cairn_gravity *g = run.gravity;
  if (g->n_lists == 1) {
    cairn_gravity_deliver(&g->terms, g->list, 0, g->entry, g->cut.range, g->branch, g->bodies, g->field,
                          self->acceleration, self->potential);
    return 0;
  }
  int failed = g->n_lists > 0 && open_results(&run, self);
  if (!failed && g->n_lists > 0) {
    use_parts(run.buffer + ACCELERATION);
    use_parts(run.buffer + POTENTIAL);
    failed = submit_each(&run, &deliver_work, 0, g->n_lists, false);
    use_whole(run.buffer + ACCELERATION);
    use_whole(run.buffer + POTENTIAL);
  }
  close_all(run.buffer);
  return failed ? -1 : 0;
}
