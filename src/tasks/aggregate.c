/* What describes all bodies as one aggregate (analysis/aggregate.h): workers take chunks of bodies and contacts, one
 * after the other, into sums of their own; these are exact, so that it does not matter who takes which. Weights and
 * contacts first, then the bodies about their common centre. The driver takes part if it has a core of its own. */
#include <stdatomic.h>
#include <stdlib.h>

#include "analysis/aggregate.h"
#include "tasks/tasks.h"

struct share {
  struct cairn_aggregate_weight weight;
  struct cairn_aggregate_sums sums;
  int number; /* error number of writing its contacts */
  starpu_data_handle_t handle;
};

struct aggregate {
  const struct cairn_state *state;
  const struct cairn_scenario *scenario;
  struct cairn_contact_forces forces;
  bool has_forces;
  struct cairn_step_table *table;       /* where the contacts are written; NULL: nowhere */
  struct cairn_aggregate_weight weight; /* of all, once it is known */
  int32_t n_chunks;
  atomic_int next; /* chunk to be taken */
  int32_t n_shares;
  struct share *share; /* [n_shares] of the workers, and behind them that of the driver */
};

struct cairn_aggregate_args {
  struct aggregate *all;
};

/* Where chunk k of n things begins. */
static int64_t begin_of(const struct aggregate *all, int64_t n, int32_t k) { return n * k / all->n_chunks; }

static void weigh_chunk(const struct aggregate *all, int32_t k, struct share *share) {
  const int64_t first = begin_of(all, all->state->n, k), end = begin_of(all, all->state->n, k + 1);
  cairn_aggregate_weigh(&share->weight, all->state, first, end - first, all->scenario);
  if (!all->has_forces)
    return;
  const int64_t n = cairn_contact_forces_n(&all->forces), from = begin_of(all, n, k), to = begin_of(all, n, k + 1);
  struct cairn_step_part part;
  if (all->table)
    cairn_step_part_open(&part, all->table, from);
  cairn_aggregate_add_contacts(&share->sums, &all->forces, from, to - from, all->table ? &part : NULL);
  const int number = all->table ? cairn_step_part_close(&part) : 0;
  share->number = share->number ? share->number : number;
}

static void shape_chunk(const struct aggregate *all, int32_t k, struct share *share) {
  const int64_t first = begin_of(all, all->state->n, k), end = begin_of(all, all->state->n, k + 1);
  cairn_aggregate_add_bodies(&share->sums, &all->weight, all->state, first, end - first);
}

/* Chunks that nobody has taken, until there are none. */
static void take_chunks(struct aggregate *all, struct share *share,
                        void (*work)(const struct aggregate *all, int32_t k, struct share *share)) {
  for (int32_t k; (k = atomic_fetch_add(&all->next, 1)) < all->n_chunks;)
    work(all, k, share);
}

static void weigh_cpu(void *buffers[], void *arg) {
  const struct cairn_aggregate_args *args = arg;
  take_chunks(args->all, (void *)STARPU_VARIABLE_GET_PTR(buffers[0]), weigh_chunk);
}

static void shape_cpu(void *buffers[], void *arg) {
  const struct cairn_aggregate_args *args = arg;
  take_chunks(args->all, (void *)STARPU_VARIABLE_GET_PTR(buffers[0]), shape_chunk);
}

static uint32_t footprint(struct starpu_task *task) {
  const struct cairn_aggregate_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->all->state->n / (double)args->all->n_shares);
}

static struct starpu_perfmodel weigh_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_aggregate_weigh", .footprint = footprint};
static struct starpu_perfmodel shape_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_aggregate_shape", .footprint = footprint};

/* Buffers: the share, which travels nowhere; the captured state. */
static struct starpu_codelet cairn_cl_aggregate_weigh = {.cpu_funcs = {weigh_cpu},
                                                         .cpu_funcs_name = {"weigh_cpu"},
                                                         .nbuffers = 2,
                                                         .modes = {STARPU_RW, STARPU_R},
                                                         .model = &weigh_model,
                                                         .name = "aggregate_weigh"};
static struct starpu_codelet cairn_cl_aggregate_shape = {.cpu_funcs = {shape_cpu},
                                                         .cpu_funcs_name = {"shape_cpu"},
                                                         .nbuffers = 2,
                                                         .modes = {STARPU_RW, STARPU_R},
                                                         .model = &shape_model,
                                                         .name = "aggregate_shape"};

static int submit(struct aggregate *all, struct starpu_codelet *codelet, starpu_data_handle_t state_handle) {
  int failed = 0;
  atomic_store(&all->next, 0);
  for (int32_t k = 0; k < all->n_shares && !failed; k++) {
    const struct cairn_aggregate_args args = {all};
    struct starpu_task *task = cairn_task_create(codelet, &args, sizeof args);
    if (!task)
      return -1;
    task->handles[0] = all->share[k].handle;
    task->handles[1] = state_handle;
    failed = starpu_task_submit(task);
  }
  return failed;
}

/* Both rounds of tasks; the driver looks for rattlers meanwhile. The sums of all go to `sums`. */
static int run(struct aggregate *all, starpu_data_handle_t state_handle, struct cairn_aggregate_sums *sums,
               struct cairn_observables *out, struct cairn_error *error) {
  struct share *mine = cairn_task_driver_has_core() ? all->share + all->n_shares : NULL;
  int failed = submit(all, &cairn_cl_aggregate_weigh, state_handle);
  int status = cairn_aggregate_observe_bearing(all->state, out, error);
  if (mine)
    take_chunks(all, mine, weigh_chunk);
  for (int32_t k = 0; k < all->n_shares; k++) {
    starpu_data_acquire(all->share[k].handle, STARPU_R);
    cairn_aggregate_join_weights(&all->weight, &all->share[k].weight);
    starpu_data_release(all->share[k].handle);
  }
  if (mine)
    cairn_aggregate_join_weights(&all->weight, &mine->weight);
  if (!failed)
    failed = submit(all, &cairn_cl_aggregate_shape, state_handle);
  if (mine && !failed)
    take_chunks(all, mine, shape_chunk);
  for (int32_t k = 0; k < all->n_shares; k++) {
    starpu_data_unregister(all->share[k].handle);
    cairn_aggregate_join(sums, &all->share[k].sums);
  }
  if (mine)
    cairn_aggregate_join(sums, &mine->sums);
  if (failed && !status)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "StarPU refused a task");
  return status;
}

/* The contacts of all shares are in the file, or it could not be written. */
static int end_rows(const struct aggregate *all, struct cairn_contact_rows *contacts, struct cairn_error *error) {
  for (int32_t k = 0; k <= all->n_shares; k++)
    if (all->share[k].number)
      return cairn_step_table_end(all->table, 0, all->share[k].number, error);
  contacts->n = cairn_contact_forces_n(&all->forces);
  return 0;
}

int cairn_task_aggregate_observe(starpu_data_handle_t state_handle, const struct cairn_state *state,
                                 const struct cairn_scenario *scenario, struct cairn_contact_rows *contacts,
                                 struct cairn_observables *out, struct cairn_error *error) {
  enum { FEW = 1024 }; /* bodies of a chunk; four of them are worth a task */
  struct aggregate all = {.state = state,
                          .scenario = scenario,
                          .n_chunks = (int32_t)(state->n / FEW),
                          .n_shares = (int32_t)starpu_cpu_worker_get_count()};
  if (all.n_chunks < 4 || all.n_shares < 1)
    return cairn_aggregate_observe(state, scenario, out, error);
  struct cairn_aggregate_sums sums = {0};
  all.has_forces = cairn_scenario_forces(scenario) != CAIRN_FORCES_NONE;
  all.share = calloc((size_t)all.n_shares + 1, sizeof *all.share);
  int status =
      all.share ? 0 : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the shape of the aggregate");
  if (!status && all.has_forces)
    status = cairn_contact_forces_init(&all.forces, state, scenario, error);
  all.table = contacts && all.has_forces ? contacts->table : NULL;
  if (!status && all.table)
    status = cairn_step_table_begin(all.table, error);
  if (!status) {
    for (int32_t k = 0; k < all.n_shares; k++)
      starpu_variable_data_register(&all.share[k].handle, STARPU_MAIN_RAM, (uintptr_t)(all.share + k),
                                    sizeof *all.share);
    status = run(&all, state_handle, &sums, out, error);
    if (!status && all.table)
      status = end_rows(&all, contacts, error);
  }
  cairn_contact_forces_fini(&all.forces);
  if (!status)
    cairn_aggregate_tell(&sums, &all.weight, scenario, out);
  free(all.share);
  return status;
}
