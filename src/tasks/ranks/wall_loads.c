#include "tasks/ranks/wall_loads.h"

#include <stdlib.h>
#include <string.h>

#include "tasks/engine/times.h"
#include "tasks/ranks/ranks_world.h"
#include "tasks/tasks.h"

static int compare_turns(const void *a, const void *b) {
  const struct cairn_wall_loads_turn *p = a, *q = b;
  return p->index != q->index ? (p->index < q->index ? -1 : 1) : 0;
}

/* The contacts of all ranks by body; those of one body are on one rank, in their order. */
static struct cairn_wall_loads_turn *order(const struct cairn_ranks_mail *all, int64_t total) {
  struct cairn_wall_loads_turn *turn = malloc(((size_t)total + 1) * sizeof *turn);
  struct cairn_wall_loads_turn *sorted = malloc(((size_t)total + 1) * sizeof *sorted);
  int64_t k = 0;
  if (!turn || !sorted)
    cairn_ranks_out_of_memory("the loads on walls");
  for (int q = 0; q < cairn_ranks_n(); q++) {
    const struct cairn_wall_load_place *place = all[q].data;
    for (int64_t i = 0; i < all[q].bytes / (int64_t)sizeof *place; i++, k++) {
      turn[k] = (struct cairn_wall_loads_turn){q, place[i].assembly, i};
      /* sorted by the body, then in the order of its rank */
      sorted[k] = (struct cairn_wall_loads_turn){0, 0, (int64_t)place[i].body << 32 | k};
    }
  }
  qsort(sorted, (size_t)total, sizeof *sorted, compare_turns);
  for (k = 0; k < total; k++)
    sorted[k] = turn[sorted[k].index & INT64_C(0xffffffff)];
  free(turn);
  return sorted;
}

void cairn_wall_loads_share(struct cairn_task_loads *loads, const struct cairn_wall_load_place *place) {
  const int n = cairn_ranks_n();
  if (n == 1)
    return;
  struct cairn_ranks_mail *mail = cairn_ranks_gather(place, loads->n * (int64_t)sizeof *place);
  struct cairn_wall_loads *all = calloc(1, sizeof *all);
  if (all)
    all->share = calloc((size_t)n, sizeof *all->share);
  if (!all || !all->share)
    cairn_ranks_out_of_memory("the loads on walls");
  for (int q = 0; q < n; q++) {
    struct cairn_wall_loads_share *share = all->share + q;
    share->n = mail[q].bytes / (int64_t)sizeof *place;
    all->n += share->n;
    share->load = calloc(6 * (size_t)share->n + 1, sizeof *share->load);
    if (!share->load)
      cairn_ranks_out_of_memory("the loads on walls");
    if (share->n > 0)
      starpu_vector_data_register(&share->handle, STARPU_MAIN_RAM, (uintptr_t)share->load, (uint32_t)(6 * share->n),
                                  sizeof(double));
  }
  all->turn = order(mail, all->n);
  cairn_ranks_mail_free(mail);
  loads->all = all;
}

void cairn_wall_loads_free(struct cairn_task_loads *loads) {
  struct cairn_wall_loads *all = loads->all;
  for (int q = 0; all && q < cairn_ranks_n(); q++) {
    if (all->share[q].handle)
      starpu_data_unregister(all->share[q].handle);
    free(all->share[q].load);
  }
  if (all) {
    free(all->share);
    free(all->turn);
  }
  free(all);
  loads->all = NULL;
}

struct cairn_pack_loads_args {
  const struct cairn_task_loads *loads;
};

static void pack_loads_cpu(void *buffers[], void *arg) {
  const struct cairn_task_loads *loads = ((const struct cairn_pack_loads_args *)arg)->loads;
  double *out = (double *)STARPU_VECTOR_GET_PTR(buffers[0]);
  for (int64_t k = 0; k < loads->n; k++) {
    const struct cairn_task_wall_load *contact = loads->contact + k;
    const char *history = (const char *)STARPU_VECTOR_GET_PTR(buffers[1 + contact->cell]);
    const struct cairn_history_offsets o = cairn_history_offsets(loads->cell[contact->cell]->size);
    memcpy(out + 6 * k, (const double *)(history + o.wall_load) + 6 * (int64_t)contact->pair, 6 * sizeof *out);
  }
}

static struct starpu_perfmodel pack_loads_model = {.type = STARPU_HISTORY_BASED, .symbol = "cairn_pack_loads"};

/* Buffers: the loads of this rank, written; the contact history of its cells near free assemblies, read. */
static struct starpu_codelet cairn_cl_pack_loads = {
    .cpu_funcs = {pack_loads_cpu},
    .cpu_funcs_name = {"pack_loads_cpu"},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &pack_loads_model,
    .name = "pack_loads",
};

#ifdef CAIRN_HAVE_MPI
#include <starpu_mpi.h>

enum { TAG = 2 }; /* links have 0 and 1 */

static int submit_pack(const struct cairn_task_loads *loads, starpu_data_handle_t own) {
  const struct cairn_pack_loads_args args = {loads};
  struct starpu_task *task = cairn_task_create_variable(&cairn_cl_pack_loads, &args, sizeof args, 1 + loads->n_cells);
  if (!task)
    return -1;
  cairn_task_name_buffer(task, 0, own, STARPU_W);
  for (int32_t k = 0; k < loads->n_cells; k++)
    cairn_task_name_buffer(task, 1 + k, loads->cell[k]->handles->history, STARPU_R);
  return starpu_task_submit(task);
}

static void came(void *ignored) {
  (void)ignored;
  cairn_times_await(-1);
}

static int receive(starpu_data_handle_t loads, int from) {
  cairn_times_await(1);
  return starpu_mpi_irecv_detached(loads, from, TAG, cairn_ranks_world.tasks, came, NULL);
}

int cairn_wall_loads_submit(const struct cairn_task_loads *loads) {
  const struct cairn_wall_loads *all = loads->all;
  const int me = cairn_ranks_me();
  if (!all)
    return 0;
  int failed = all->share[me].n > 0 && submit_pack(loads, all->share[me].handle);
  for (int q = 0; q < cairn_ranks_n() && !failed; q++) {
    if (q != me && all->share[me].n > 0)
      failed = starpu_mpi_isend_detached(all->share[me].handle, q, TAG, cairn_ranks_world.tasks, NULL, NULL);
    if (q != me && all->share[q].n > 0 && !failed)
      failed = receive(all->share[q].handle, q);
  }
  return failed;
}
#else
int cairn_wall_loads_submit(const struct cairn_task_loads *loads) {
  (void)loads, (void)cairn_cl_pack_loads;
  return 0;
}
#endif
