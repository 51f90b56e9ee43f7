/* How evenly the ranks share the work, by the time that the tasks of their cells have taken; and when cells are made
 * anew to share it better. Who owns a cell depends on clocks, what is computed does not. */
#ifndef CAIRN_SOLVERS_SIMULATION_RANKS_BALANCE_H
#define CAIRN_SOLVERS_SIMULATION_RANKS_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "data/cells/cells.h"

/* What ranks tell each other with the reports of a batch: processor time for each worker since the cells were made, and
 * the time that making them took, ns. */
struct cairn_sim_balance_load {
  int64_t most, sum;
  int64_t regrid;
};

struct cairn_sim_balance {
  int64_t n_steps;  /* that the tasks of these cells have done */
  int64_t n_before; /* of earlier cells */
  int64_t began[2]; /* ns, when making them began: by the clock, and processor time of this process */
  int64_t regrid;   /* ns that it took to make these cells, on this rank */
  int64_t patience; /* ns: no new cells before so much has been lost; 0: not known yet */
  bool is_due;      /* would new cells pay? */
  double first;     /* the load of the busiest rank over the mean less 1, with the first cells */
  double last;      /* with these; 0 on one rank */
  int32_t *slice;   /* [cells of all ranks] of each column, by number, where ranks have blocks of columns; else NULL */
};

/* Cells are about to be made; and are made. */
void cairn_sim_balance_begin(struct cairn_sim_balance *balance, struct cairn_cells *cells);
void cairn_sim_balance_restart(struct cairn_sim_balance *balance);

/* Which rank gets which of n cells, all there are, by their cost. */
void cairn_sim_balance_share(const struct cairn_sim_balance *balance, const int64_t *cost, int32_t n, int *rank);

/* The load of this rank, to be joined with those of all. */
struct cairn_sim_balance_load cairn_sim_balance_load(const struct cairn_sim_balance *balance,
                                                     const struct cairn_cells *cells);
void cairn_sim_balance_join(struct cairn_sim_balance_load *all, const struct cairn_sim_balance_load *more);

/* Note the load of all ranks after n_steps more. When the ranks have waited for the busiest one for longer than new
 * cells take, and these would have saved that, they are due. By all ranks. */
void cairn_sim_balance_note(struct cairn_sim_balance *balance, const struct cairn_cells *cells, int64_t n_steps,
                            const struct cairn_sim_balance_load *load);

#endif
