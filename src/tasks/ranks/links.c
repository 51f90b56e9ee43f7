#include "tasks/ranks/links.h"

#include <stdlib.h>

#include "tasks/engine/times.h"
#include "tasks/ranks/loans.h"
#include "tasks/ranks/ranks_world.h"
#include "tasks/tasks.h"

struct cairn_pack_args {
  const struct cairn_cells *cells;
  const struct cairn_border *border;
  double h;
  int32_t kick; /* hard spheres: half a kick, without the drift */
};

static void pack_cpu(void *buffers[], void *arg) {
  const struct cairn_pack_args *args = arg;
  const struct cairn_border *border = args->border;
  double *out = (double *)STARPU_VECTOR_GET_PTR(buffers[0]), p[CAIRN_PREDICTED];
  for (int32_t k = 0; k < border->n; k++) {
    const double *state = (const double *)STARPU_VECTOR_GET_PTR(buffers[1 + k]);
    const struct cairn_cell_size size = args->cells->cell[border->cell[k]].size;
    for (int32_t i = border->first[k]; i < border->first[k + 1]; i++, out += CAIRN_LENT) {
      const int32_t body = border->index[i];
      (args->kick ? cairn_drift_kick : cairn_blocks_predict)(state + (int64_t)CAIRN_STATE * body, args->h, p);
      for (int j = 0; j < 3; j++) {
        out[CAIRN_LENT_X + j] = p[CAIRN_PREDICTED_X + j];
        out[CAIRN_LENT_V + j] = p[CAIRN_PREDICTED_V + j];
        out[CAIRN_LENT_W + j] = p[CAIRN_PREDICTED_W + j];
      }
      out[CAIRN_LENT_CAPTOR] =
          size.n_captures > 0 ? state[cairn_capture_offset(size, body) + CAIRN_CAPTURE_CAPTOR] : 0.;
    }
  }
}

static uint32_t pack_footprint(struct starpu_task *task) {
  const struct cairn_pack_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->border->first[args->border->n]);
}

static struct starpu_perfmodel pack_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_pack", .footprint = pack_footprint};

/* Buffers: what is lent, written; then the state of each cell that lends, read. */
static struct starpu_codelet cairn_cl_pack = {
    .cpu_funcs = {pack_cpu},
    .cpu_funcs_name = {"pack_cpu"},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &pack_model,
    .name = "pack",
};

static int register_buffer(int32_t n, double **buffer, starpu_data_handle_t *handle) {
  *buffer = malloc((size_t)n * CAIRN_LENT * sizeof(double) + 1);
  if (*buffer && n > 0)
    starpu_vector_data_register(handle, STARPU_MAIN_RAM, (uintptr_t)*buffer, (uint32_t)(n * CAIRN_LENT),
                                sizeof(double));
  return *buffer ? 0 : -1;
}

int cairn_links_create(struct cairn_cells *cells, struct cairn_border *border, int32_t n, cairn_cell_t *first,
                       cairn_cell_t *place) {
  struct cairn_links *links = calloc(1, sizeof *links);
  int failed = !links;
  if (links) {
    links->first = first;
    links->place = place;
    starpu_void_data_register(&links->meeting);
    links->link = calloc((size_t)n + 1, sizeof *links->link);
  }
  failed = failed || !links->link;
  cells->links = links;
  for (int32_t l = 0; l < n && !failed; l++) {
    links->link[l].border = border[l];
    border[l] = (struct cairn_border){0};
    links->n++;
  }
  for (int32_t g = 0; g < cells->n_ghosts && !failed; g++) {
    struct cairn_link *link = links->link + cells->ghost[g].link;
    cells->ghost[g].first = link->n_borrowed;
    link->n_borrowed += cells->ghost[g].packet->n;
  }
  for (int32_t l = 0; l < n && !failed; l++) {
    struct cairn_link *link = links->link + l;
    for (int k = 0; k < 2; k++)
      failed |= register_buffer(link->border.first[link->border.n], link->lent + k, link->lent_handle + k) ||
                register_buffer(link->n_borrowed, link->borrowed + k, link->borrowed_handle + k);
  }
  return failed;
}

int cairn_links_owner(const struct cairn_links *links, cairn_cell_t number) {
  int low = 0, high = cairn_ranks_n();
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (links->first[middle] <= links->place[number])
      low = middle;
    else
      high = middle;
  }
  return low;
}

void cairn_links_free(struct cairn_cells *cells) {
  struct cairn_links *links = cells->links;
  for (int32_t l = 0; links && l < links->n; l++) {
    struct cairn_link *link = links->link + l;
    for (int k = 0; k < 2; k++) {
      if (link->lent_handle[k])
        starpu_data_unregister(link->lent_handle[k]);
      if (link->borrowed_handle[k])
        starpu_data_unregister(link->borrowed_handle[k]);
      free(link->lent[k]);
      free(link->borrowed[k]);
    }
    cairn_border_fini(&link->border);
  }
  if (links) {
    cairn_loans_free(links->loans);
    starpu_data_unregister(links->meeting);
    free(links->first);
    free(links->place);
    free(links->link);
  }
  free(links);
  cells->links = NULL;
}

void cairn_links_meet(struct cairn_cells *cells) {
  if (!cells->links)
    return;
  starpu_data_acquire(cells->links->meeting, STARPU_R);
  starpu_data_release(cells->links->meeting);
}

#ifdef CAIRN_HAVE_MPI
#include <starpu_mpi.h>

static int submit_pack(struct cairn_cells *cells, struct cairn_link *link, int turn, double h, int32_t kick) {
  const struct cairn_pack_args args = {cells, &link->border, h, kick};
  struct starpu_task *task = cairn_task_create_variable(&cairn_cl_pack, &args, sizeof args, 1 + link->border.n);
  if (!task)
    return -1;
  cairn_task_name_buffer(task, 0, link->lent_handle[turn], STARPU_W);
  for (int32_t k = 0; k < link->border.n; k++)
    cairn_task_name_buffer(task, 1 + k, cells->cell[link->border.cell[k]].handles->state, STARPU_R);
  return starpu_task_submit(task);
}

static void came(void *ignored) {
  (void)ignored;
  cairn_times_await(-1);
}

/* The number of the buffer is the tag: messages between two ranks with the same one arrive in their order. */
int cairn_links_submit(struct cairn_cells *cells, double h, int32_t kick) {
  struct cairn_links *links = cells->links;
  int failed = 0;
  if (!links)
    return 0;
  const int turn = links->turn = 1 - links->turn;
  for (int32_t l = 0; l < links->n && !failed; l++) {
    struct cairn_link *link = links->link + l;
    const int rank = link->border.rank;
    if (link->borrowed_handle[turn]) {
      cairn_times_await(1);
      failed = starpu_mpi_irecv_detached(link->borrowed_handle[turn], rank, turn, cairn_ranks_world.tasks, came, NULL);
    }
    if (!failed && link->lent_handle[turn])
      failed = submit_pack(cells, link, turn, h, kick) ||
               starpu_mpi_isend_detached(link->lent_handle[turn], rank, turn, cairn_ranks_world.tasks, NULL, NULL);
  }
  return failed;
}
#else
int cairn_links_submit(struct cairn_cells *cells, double h, int32_t kick) {
  (void)cells, (void)h, (void)kick, (void)cairn_cl_pack;
  return 0;
}
#endif
