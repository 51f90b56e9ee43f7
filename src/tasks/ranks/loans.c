#include "tasks/ranks/loans.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/contact_dynamics/cd_cell.h"
#include "tasks/engine/times.h"
#include "tasks/ranks/links.h"
#include "tasks/ranks/ranks_world.h"
#include "tasks/tasks.h"

/* ---- who lends what ---- */

/* A body that a rank asks of another: the cell by its number among all, and its place among those that cell lends at
 * all. */
struct request {
  int32_t color;
  cairn_cell_t cell;
  int32_t index;
};

static void *allocate(size_t bytes) {
  void *memory = calloc(1, bytes + 1);
  if (!memory)
    cairn_ranks_out_of_memory("the velocities that ranks lend each other");
  return memory;
}

/* The place of a cell in the list of a loan; added if it is not there yet. */
static int32_t place_of(struct cairn_loan *loan, cairn_cell_t cell) {
  for (int32_t k = loan->n_cells; k-- > 0;)
    if (loan->cell[k] == cell)
      return k;
  void *longer = realloc(loan->cell, ((size_t)loan->n_cells + 1) * sizeof *loan->cell);
  if (!longer)
    cairn_ranks_out_of_memory("the velocities that ranks lend each other");
  loan->cell = longer;
  loan->cell[loan->n_cells] = cell;
  return loan->n_cells++;
}

/* Bodies of link l that the halo of a cell has. */
static bool is_borrowed(const struct cairn_cells *cells, const struct cairn_cell *cell, int32_t i, int32_t l) {
  const cairn_cell_t owner = cell->neighbor[cell->halo[i].neighbor];
  return owner >= cells->n_cells && cells->ghost[owner - cells->n_cells].link == l;
}

/* What this rank borrows over a link, colour by colour, with the requests for it. */
static void borrow(struct cairn_cells *cells, int32_t l, struct cairn_loans *loans, struct cairn_ranks_mail *mail) {
  int64_t n = 0;
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    for (int32_t i = 0; i < cells->cell[c].size.n_halo; i++)
      n += is_borrowed(cells, cells->cell + c, i, l);
  struct request *request = allocate((size_t)n * sizeof *request);
  *mail = (struct cairn_ranks_mail){request, n * (int64_t)sizeof *request};
  for (int32_t color = 0; color < cells->n_colors && n > 0; color++) {
    struct cairn_loan *loan = loans->loan + loans->n;
    *loan = (struct cairn_loan){
        .rank = cells->links->link[l].border.rank, .color = color, .body = allocate((size_t)n * sizeof *loan->body)};
    for (cairn_cell_t c = 0; c < cells->n_cells; c++) {
      const struct cairn_cell *cell = cells->cell + c;
      for (int32_t i = 0; i < cell->size.n_halo && cell->color == color; i++) {
        if (!is_borrowed(cells, cell, i, l))
          continue;
        const struct cairn_ghost *ghost = cells->ghost + (cell->neighbor[cell->halo[i].neighbor] - cells->n_cells);
        loan->body[loan->n++] = (struct cairn_halo_source){place_of(loan, c), cell->size.n + i};
        *request++ = (struct request){color, ghost->number, cell->halo[i].index};
      }
    }
    if (loan->n > 0)
      loans->n++;
    else
      free(loan->body);
  }
}

/* What this rank lends, by the requests of another, which come colour by colour. */
static void lend(struct cairn_cells *cells, const struct cairn_border *border, const struct cairn_ranks_mail *mail,
                 const int32_t *color, const cairn_cell_t *last, struct cairn_loans *loans) {
  const struct request *request = mail->data;
  const int64_t n = mail->bytes / (int64_t)sizeof *request;
  for (int64_t i = 0; i < n; i++) {
    struct cairn_loan *loan = loans->loan + loans->n - 1;
    if (i == 0 || request[i].color != request[i - 1].color) {
      loan = loans->loan + loans->n++;
      *loan = (struct cairn_loan){.rank = border->rank,
                                  .color = request[i].color,
                                  .lends = true,
                                  .body = allocate((size_t)(n - i) * sizeof *loan->body)};
    }
    int32_t k = 0;
    while (cells->cell[border->cell[k]].number != request[i].cell)
      k++;
    loan->body[loan->n++] =
        (struct cairn_halo_source){place_of(loan, border->cell[k]), border->index[border->first[k] + request[i].index]};
  }
  for (int32_t k = 0; k < loans->n; k++) {
    struct cairn_loan *loan = loans->loan + k;
    if (loan->rank != border->rank || !loan->lends || loan->completes)
      continue;
    loan->completes = allocate((size_t)loan->n_cells * sizeof *loan->completes);
    for (int32_t j = 0; j < loan->n_cells; j++) {
      const cairn_cell_t by = last[cells->cell[loan->cell[j]].number];
      loan->completes[j] = cairn_links_owner(cells->links, by) == border->rank && color[by] == loan->color;
    }
  }
}

/* In which colours each rank has contacts with free assemblies. */
static uint64_t *share_free_colors(const struct cairn_cells *cells) {
  const int n = cairn_ranks_n();
  uint64_t mine = 0, *all = allocate((size_t)n * sizeof *all);
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    mine |= (uint64_t)(cells->cell[c].free_contacts != NULL) << cells->cell[c].color;
  struct cairn_ranks_mail *mail = cairn_ranks_gather(&mine, sizeof mine);
  for (int q = 0; q < n; q++)
    memcpy(all + q, mail[q].data, sizeof *all);
  cairn_ranks_mail_free(mail);
  return all;
}

void cairn_loans_create(struct cairn_cells *cells, const int32_t *color, const cairn_cell_t *last) {
  struct cairn_links *links = cells->links;
  if (!links)
    return;
  struct cairn_loans *loans = links->loans = allocate(sizeof *loans);
  struct cairn_ranks_mail *out = allocate((size_t)cairn_ranks_n() * sizeof *out);
  loans->loan = allocate(2 * (size_t)links->n * (size_t)cells->n_colors * sizeof *loans->loan);
  for (int32_t l = 0; l < links->n; l++)
    borrow(cells, l, loans, out + links->link[l].border.rank);
  struct cairn_ranks_mail *in = cairn_ranks_exchange(out);
  for (int32_t l = 0; l < links->n; l++)
    lend(cells, &links->link[l].border, in + links->link[l].border.rank, color, last, loans);
  cairn_ranks_mail_free(in);
  loans->free_colors = share_free_colors(cells);
  for (int32_t k = 0; k < loans->n; k++) {
    struct cairn_loan *loan = loans->loan + k;
    loan->buffer = allocate((size_t)loan->n * CAIRN_LOAN_DOUBLES * sizeof *loan->buffer);
    starpu_vector_data_register(&loan->handle, STARPU_MAIN_RAM, (uintptr_t)loan->buffer,
                                (uint32_t)(loan->n * CAIRN_LOAN_DOUBLES), sizeof *loan->buffer);
  }
}

void cairn_loans_free(struct cairn_loans *loans) {
  for (int32_t k = 0; loans && k < loans->n; k++) {
    struct cairn_loan *loan = loans->loan + k;
    if (loan->handle)
      starpu_data_unregister(loan->handle);
    free(loan->buffer);
    free(loan->cell);
    free(loan->completes);
    free(loan->body);
  }
  if (loans) {
    free(loans->loan);
    free(loans->free_colors);
  }
  free(loans);
}

/* ---- tasks ---- */

struct cairn_loan_args {
  const struct cairn_cells *cells;
  const struct cairn_loan *loan;
  double next; /* by which cells are extrapolated; -1: not at all */
};

/* The velocities of a body. */
static double *velocity_of(void *buffers[], struct cairn_halo_source body) {
  return (double *)STARPU_VECTOR_GET_PTR(buffers[1 + body.neighbor]) + (int64_t)CAIRN_CD * body.index;
}

static void collect_cpu(void *buffers[], void *arg) {
  const struct cairn_loan *loan = ((const struct cairn_loan_args *)arg)->loan;
  double *out = (double *)STARPU_VECTOR_GET_PTR(buffers[0]);
  for (int32_t i = 0; i < loan->n; i++, out += CAIRN_LOAN_DOUBLES)
    for (int k = 0; k < 3; k++) {
      out[k] = velocity_of(buffers, loan->body[i])[CAIRN_CD_V + k];
      out[3 + k] = velocity_of(buffers, loan->body[i])[CAIRN_CD_S + k];
    }
}

static void deliver_cpu(void *buffers[], void *arg) {
  const struct cairn_loan_args *args = arg;
  const struct cairn_loan *loan = args->loan;
  const double *in = (const double *)STARPU_VECTOR_GET_PTR(buffers[0]);
  for (int32_t i = 0; i < loan->n; i++, in += CAIRN_LOAN_DOUBLES)
    for (int k = 0; k < 3; k++) {
      velocity_of(buffers, loan->body[i])[CAIRN_CD_V + k] = in[k];
      velocity_of(buffers, loan->body[i])[CAIRN_CD_S + k] = in[3 + k];
    }
  for (int32_t k = 0; k < loan->n_cells && args->next >= 0. && loan->completes; k++)
    if (loan->completes[k])
      cairn_kernel_cd_extrapolate(args->cells->cell[loan->cell[k]].size,
                                  (double *)STARPU_VECTOR_GET_PTR(buffers[1 + k]), args->next);
}

static uint32_t footprint(struct starpu_task *task) {
  const struct cairn_loan_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->loan->n);
}

static struct starpu_perfmodel collect_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_collect", .footprint = footprint};
static struct starpu_perfmodel deliver_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_deliver", .footprint = footprint};

/* Buffers of both: what is sent or came; then the velocities of the cells of the loan. */
static struct starpu_codelet cairn_cl_cd_collect = {
    .cpu_funcs = {collect_cpu},
    .cpu_funcs_name = {"collect_cpu"},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &collect_model,
    .name = "cd_collect",
};
static struct starpu_codelet cairn_cl_cd_deliver = {
    .cpu_funcs = {deliver_cpu},
    .cpu_funcs_name = {"deliver_cpu"},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &deliver_model,
    .name = "cd_deliver",
};

#ifdef CAIRN_HAVE_MPI
#include <starpu_mpi.h>

/* Messages between two ranks with the same tag are of one handle, so they arrive in their order. Links have 0 and 1,
 * loads on walls 2. */
enum { TURN_TAG = 3, ALL_TAG = 4, LEND_TAG = 16, RETURN_TAG = LEND_TAG + 64 };

static int submit(struct starpu_codelet *codelet, struct cairn_cells *cells, const struct cairn_loan *loan, bool in,
                  double next) {
  const struct cairn_loan_args args = {cells, loan, next};
  struct starpu_task *task = cairn_task_create_variable(codelet, &args, sizeof args, 1 + loan->n_cells);
  if (!task)
    return -1;
  cairn_task_name_buffer(task, 0, loan->handle, in ? STARPU_R : STARPU_W);
  for (int32_t k = 0; k < loan->n_cells; k++)
    cairn_task_name_buffer(task, 1 + k, cells->cell[loan->cell[k]].handles->velocities, in ? STARPU_RW : STARPU_R);
  task->priority = STARPU_MAX_PRIO; /* another rank waits */
  return starpu_task_submit(task);
}

static void came(void *arg) {
  (void)arg;
  cairn_times_await(-1);
}

static int send(struct cairn_cells *cells, const struct cairn_loan *loan, int tag) {
  return submit(&cairn_cl_cd_collect, cells, loan, false, -1.) ||
         starpu_mpi_isend_detached(loan->handle, loan->rank, tag + loan->color, cairn_ranks_world.tasks, NULL, NULL);
}

static int await(starpu_data_handle_t handle, int from, int tag) {
  cairn_times_await(1);
  return starpu_mpi_irecv_detached(handle, from, tag, cairn_ranks_world.tasks, came, NULL);
}

static int receive(struct cairn_cells *cells, const struct cairn_loan *loan, int tag, double next) {
  return await(loan->handle, loan->rank, tag + loan->color) || submit(&cairn_cl_cd_deliver, cells, loan, true, next);
}

int cairn_loans_lend_submit(struct cairn_cells *cells, int32_t color) {
  const struct cairn_loans *loans = cells->links ? cells->links->loans : NULL;
  int failed = 0;
  for (int32_t k = 0; loans && k < loans->n && !failed; k++)
    if (loans->loan[k].color == color)
      failed = loans->loan[k].lends ? send(cells, loans->loan + k, LEND_TAG)
                                    : receive(cells, loans->loan + k, LEND_TAG, -1.);
  return failed;
}

int cairn_loans_return_submit(struct cairn_cells *cells, int32_t color, double next) {
  const struct cairn_loans *loans = cells->links ? cells->links->loans : NULL;
  int failed = 0;
  for (int32_t k = 0; loans && k < loans->n && !failed; k++)
    if (loans->loan[k].color == color)
      failed = loans->loan[k].lends ? receive(cells, loans->loan + k, RETURN_TAG, next)
                                    : send(cells, loans->loan + k, RETURN_TAG);
  return failed;
}

/* A turn is a colour and a rank: the one before it (by = -1) or behind it (by = 1) that has contacts with free
 * assemblies; -1 if there is none. */
static int next_turn(const struct cairn_cells *cells, int32_t color, int rank, int by) {
  const uint64_t *colors = cells->links->loans->free_colors;
  const int n = cairn_ranks_n(), end = by > 0 ? n * cells->n_colors : -1;
  for (int turn = n * color + rank + by; turn != end; turn += by)
    if (colors[turn % n] >> (turn / n) & 1)
      return turn % n;
  return -1;
}

static bool has_turn(const struct cairn_cells *cells, int32_t color) {
  return cells->links && cells->links->loans->free_colors[cairn_ranks_me()] >> color & 1;
}

int cairn_loans_take_turn(const struct cairn_cells *cells, int32_t color, starpu_data_handle_t assemblies) {
  const int me = cairn_ranks_me(), from = has_turn(cells, color) ? next_turn(cells, color, me, -1) : -1;
  return from >= 0 && from != me && await(assemblies, from, TURN_TAG);
}

int cairn_loans_pass_turn(const struct cairn_cells *cells, int32_t color, starpu_data_handle_t assemblies) {
  const int me = cairn_ranks_me(), to = has_turn(cells, color) ? next_turn(cells, color, me, 1) : -1;
  return to >= 0 && to != me &&
         starpu_mpi_isend_detached(assemblies, to, TURN_TAG, cairn_ranks_world.tasks, NULL, NULL);
}

int cairn_loans_tell_all(const struct cairn_cells *cells, starpu_data_handle_t assemblies) {
  const int n = cairn_ranks_n(), me = cairn_ranks_me();
  const int last = cells->links ? next_turn(cells, cells->n_colors, 0, -1) : -1;
  int failed = 0;
  if (last >= 0 && last != me)
    return await(assemblies, last, ALL_TAG);
  for (int q = 0; q < n && last == me && !failed; q++)
    if (q != me)
      failed = starpu_mpi_isend_detached(assemblies, q, ALL_TAG, cairn_ranks_world.tasks, NULL, NULL);
  return failed;
}
#else
int cairn_loans_lend_submit(struct cairn_cells *cells, int32_t color) {
  (void)cells, (void)color, (void)cairn_cl_cd_collect, (void)cairn_cl_cd_deliver;
  return 0;
}
int cairn_loans_return_submit(struct cairn_cells *cells, int32_t color, double next) {
  (void)cells, (void)color, (void)next;
  return 0;
}
int cairn_loans_take_turn(const struct cairn_cells *cells, int32_t color, starpu_data_handle_t assemblies) {
  (void)cells, (void)color, (void)assemblies;
  return 0;
}
int cairn_loans_pass_turn(const struct cairn_cells *cells, int32_t color, starpu_data_handle_t assemblies) {
  (void)cells, (void)color, (void)assemblies;
  return 0;
}
int cairn_loans_tell_all(const struct cairn_cells *cells, starpu_data_handle_t assemblies) {
  (void)cells, (void)assemblies;
  return 0;
}
#endif
