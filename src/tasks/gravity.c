/* Self-gravity as tasks (data/cells/gravity.h): trees of the branches, their top, accelerations by branch. */
#include <stdlib.h>

#include "tasks/tasks.h"

struct cairn_gravity_args {
  struct cairn_task_self_gravity *self;
  int32_t branch;
};

static void note(struct cairn_task_self_gravity *self, int status) {
  if (status)
    __atomic_store_n(&self->failed, 1, __ATOMIC_RELAXED);
}

static void build_cpu(void *buffers[], void *arg) {
  const struct cairn_gravity_args *args = arg;
  struct cairn_task_self_gravity *p = args->self;
  (void)buffers;
  note(p, cairn_gravity_build(p->gravity, args->branch, p->position, p->mass, NULL));
}

static void join_cpu(void *buffers[], void *arg) {
  const struct cairn_gravity_args *args = arg;
  (void)buffers;
  if (!args->self->failed)
    cairn_gravity_join(args->self->gravity);
}

static void evaluate_cpu(void *buffers[], void *arg) {
  const struct cairn_gravity_args *args = arg;
  struct cairn_task_self_gravity *p = args->self;
  (void)buffers;
  if (!__atomic_load_n(&p->failed, __ATOMIC_RELAXED))
    note(p, cairn_gravity_evaluate(p->gravity, args->branch, p->acceleration, p->potential, NULL));
}

static uint32_t footprint(struct starpu_task *task) {
  const struct cairn_gravity_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->self->gravity->branch[args->branch].n);
}

static struct starpu_perfmodel build_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_gravity_build", .footprint = footprint};
static struct starpu_perfmodel join_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_gravity_join"};
static struct starpu_perfmodel evaluate_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_gravity_evaluate", .footprint = footprint};

static struct starpu_codelet cairn_cl_gravity_build = {.cpu_funcs = {build_cpu},
                                                       .cpu_funcs_name = {"build_cpu"},
                                                       .nbuffers = 1,
                                                       .modes = {STARPU_W},
                                                       .model = &build_model,
                                                       .name = "gravity_build"};
static struct starpu_codelet cairn_cl_gravity_join = {.cpu_funcs = {join_cpu},
                                                      .cpu_funcs_name = {"join_cpu"},
                                                      .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                      .model = &join_model,
                                                      .name = "gravity_join"};
static struct starpu_codelet cairn_cl_gravity_evaluate = {.cpu_funcs = {evaluate_cpu},
                                                          .cpu_funcs_name = {"evaluate_cpu"},
                                                          .nbuffers = 2,
                                                          .modes = {STARPU_R, STARPU_RW},
                                                          .model = &evaluate_model,
                                                          .name = "gravity_evaluate"};

static int submit_build(struct cairn_task_self_gravity *self, int32_t branch, starpu_data_handle_t token) {
  const struct cairn_gravity_args args = {self, branch};
  struct starpu_task *task = cairn_task_create(&cairn_cl_gravity_build, &args, sizeof args);
  if (!task)
    return -1;
  task->handles[0] = token;
  return starpu_task_submit(task);
}

static int submit_join(struct cairn_task_self_gravity *self, int32_t n, const starpu_data_handle_t *token,
                       starpu_data_handle_t top) {
  const struct cairn_gravity_args args = {self, 0};
  struct starpu_task *task = cairn_task_create_variable(&cairn_cl_gravity_join, &args, sizeof args, n + 1);
  if (!task)
    return -1;
  cairn_task_name_buffer(task, 0, top, STARPU_W);
  for (int32_t b = 0; b < n; b++)
    cairn_task_name_buffer(task, 1 + b, token[b], STARPU_R);
  return starpu_task_submit(task);
}

static int submit_evaluate(struct cairn_task_self_gravity *self, int32_t branch, starpu_data_handle_t top,
                           starpu_data_handle_t token) {
  const struct cairn_gravity_args args = {self, branch};
  struct starpu_task *task = cairn_task_create(&cairn_cl_gravity_evaluate, &args, sizeof args);
  if (!task)
    return -1;
  task->handles[0] = top;
  task->handles[1] = token;
  return starpu_task_submit(task);
}

/* One branch: nothing to run at once, and for few bodies tasks cost more than the evaluation. */
static int run_alone(const struct cairn_task_self_gravity *p) {
  if (cairn_gravity_build(p->gravity, 0, p->position, p->mass, NULL))
    return -1;
  cairn_gravity_join(p->gravity);
  return cairn_gravity_evaluate(p->gravity, 0, p->acceleration, p->potential, NULL) ? -1 : 0;
}

int cairn_task_gravity_run(struct cairn_task_self_gravity *self) {
  const int32_t n = self->gravity->n_branches;
  if (n == 1)
    return run_alone(self);
  starpu_data_handle_t *token = malloc(((size_t)n + 1) * sizeof *token);
  int failed = !token;
  if (failed)
    return -1;
  for (int32_t b = 0; b <= n; b++) /* the last one is the top of the tree */
    starpu_void_data_register(token + b);
  for (int32_t b = 0; b < n && !failed; b++)
    failed = submit_build(self, b, token[b]);
  failed = failed || submit_join(self, n, token, token[n]);
  for (int32_t b = self->from; b < self->to && !failed; b++)
    failed = submit_evaluate(self, b, token[n], token[b]);
  for (int32_t b = 0; b <= n; b++)
    starpu_data_unregister(token[b]);
  free(token);
  return failed || self->failed ? -1 : 0;
}
