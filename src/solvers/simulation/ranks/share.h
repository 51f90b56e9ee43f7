/* Which rank gets which parts of a cut (data/cells/cut.h). Nothing but speed and memory depends on it. */
#ifndef CAIRN_SOLVERS_SIMULATION_RANKS_SHARE_H
#define CAIRN_SOLVERS_SIMULATION_RANKS_SHARE_H

#include "data/cells/cut.h"

/* What the bodies of these packets, one for each list, add to the cost of each part, ps of processor time in a step;
 * sums over all ranks are the costs. */
void cairn_share_cost(const struct cairn_cut *cut, const struct cairn_packet *const *packet, int64_t *cost);

/* Where costs are known, no body counts as less than a quarter of the mean: so no rank gets more than about four times
 * its share of the memory. Where they are not, bodies cost the same. */
void cairn_share_limit(const struct cairn_cut *cut, int64_t *cost);

/* Stretches of n parts in their order, with about the same cost. */
void cairn_share_stretches(const int64_t *cost, int32_t n, int n_ranks, int *rank);

/* Blocks of n columns, as square as may be, with about the same cost: slices go to rows of ranks, and across the slices
 * of a row the same cuts part the columns of its ranks. `slice` are those of the columns, ascending; the columns of a
 * slice follow each other along it. Not 0 if out of memory. */
int cairn_share_blocks(const int64_t *cost, const int32_t *slice, int32_t n, int n_ranks, int *rank);

/* The cost of the rank that has most; `sum` has room for those of all ranks. */
int64_t cairn_share_most(const int64_t *cost, const int *rank, int32_t n, int n_ranks, int64_t *sum);

#endif
