#include "solvers/simulation/ranks/balance.h"

#include <starpu.h>
#include <stdlib.h>
#include <time.h>

#include "solvers/simulation/ranks/share.h"
#include "tasks/ranks/links.h"
#include "tasks/ranks/ranks.h"

static int64_t read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void cairn_sim_balance_begin(struct cairn_sim_balance *balance, struct cairn_cells *cells) {
  balance->began[0] = read_clock(CLOCK_MONOTONIC);
  balance->began[1] = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  if (cairn_ranks_n() == 1)
    return;
  starpu_task_wait_for_all(); /* their times have been added up, and nobody will write to the cells any more */
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    cairn_cells_note_cost(cells->cell + c, balance->n_steps, balance->n_before);
}

void cairn_sim_balance_restart(struct cairn_sim_balance *balance) {
  const int64_t passed = read_clock(CLOCK_MONOTONIC) - balance->began[0],
                used = read_clock(CLOCK_PROCESS_CPUTIME_ID) - balance->began[1];
  balance->n_before += balance->n_steps;
  balance->n_steps = balance->patience = 0;
  balance->regrid = passed < used ? passed : used; /* less is used where other programs have the cores */
  balance->is_due = false;
}

void cairn_sim_balance_share(const struct cairn_sim_balance *balance, const int64_t *cost, int32_t n, int *rank) {
  if (!balance->slice)
    cairn_share_stretches(cost, n, cairn_ranks_n(), rank);
  else if (cairn_share_blocks(cost, balance->slice, n, cairn_ranks_n(), rank))
    cairn_ranks_out_of_memory("the cells");
}

struct cairn_sim_balance_load cairn_sim_balance_load(const struct cairn_sim_balance *balance,
                                                     const struct cairn_cells *cells) {
  int64_t time = 0;
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    time += __atomic_load_n(&cells->cell[c].time, __ATOMIC_RELAXED);
  time /= (int64_t)starpu_worker_get_count();
  return (struct cairn_sim_balance_load){time, time, balance->regrid};
}

void cairn_sim_balance_join(struct cairn_sim_balance_load *all, const struct cairn_sim_balance_load *more) {
  all->most = more->most > all->most ? more->most : all->most;
  all->sum += more->sum;
  all->regrid = more->regrid > all->regrid ? more->regrid : all->regrid;
}

/* What the busiest rank would have had to do, had the cells been shared out by the time they took; ns for each worker.
 */
static int64_t most_if_shared(const struct cairn_sim_balance *balance, const struct cairn_cells *cells) {
  const int n_ranks = cairn_ranks_n();
  const int32_t n = cells->links->first[n_ranks];
  int64_t *cost = calloc((size_t)(n + n_ranks) + 1, sizeof *cost);
  int *rank = calloc((size_t)n + 1, sizeof *rank);
  if (!cost || !rank)
    cairn_ranks_out_of_memory("the load of the cells");
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    cost[cells->cell[c].number] =
        __atomic_load_n(&cells->cell[c].time, __ATOMIC_RELAXED) / (int64_t)starpu_worker_get_count();
  cairn_ranks_sum(cost, n);
  cairn_sim_balance_share(balance, cost, n, rank);
  const int64_t most = cairn_share_most(cost, rank, n, n_ranks, cost + n);
  free(cost);
  free(rank);
  return most;
}

void cairn_sim_balance_note(struct cairn_sim_balance *balance, const struct cairn_cells *cells, int64_t n_steps,
                            const struct cairn_sim_balance_load *load) {
  const int64_t n_ranks = cairn_ranks_n(), lost = load->most - load->sum / n_ranks;
  if (n_ranks == 1)
    return;
  balance->n_steps += n_steps;
  balance->last = load->sum > 0 ? (double)lost * (double)n_ranks / (double)load->sum : 0.;
  balance->first = balance->n_before > 0 ? balance->first : balance->last;
  balance->patience = balance->patience > load->regrid ? balance->patience : load->regrid;
  if (lost <= balance->patience || balance->is_due)
    return;
  balance->is_due = load->most - most_if_shared(balance, cells) > load->regrid;
  balance->patience = 2 * lost; /* a cell cannot be divided: do not ask too often */
}
