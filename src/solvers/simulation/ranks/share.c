#include "solvers/simulation/ranks/share.h"

void cairn_share_cost(const struct cairn_cut *cut, const struct cairn_packet *const *packet, int64_t *cost) {
  for (int32_t p = 0; p < cut->n; p++) {
    const struct cairn_cut_range *range = cut->range + cut->part[p].first;
    cost[p] = 0;
    for (int32_t k = 0; k < cut->part[p].n_ranges; k++)
      cost[p] += (int64_t)(1e3 * packet[range[k].list]->cost * (range[k].to - range[k].from));
  }
}

void cairn_share_limit(const struct cairn_cut *cut, int64_t *cost) {
  double bodies = 0., all = 0.;
  for (int32_t p = 0; p < cut->n; p++) {
    bodies += (double)cut->part[p].n;
    all += (double)cost[p];
  }
  for (int32_t p = 0; p < cut->n; p++) {
    const int64_t least = (int64_t)(0.25 * all / bodies * (double)cut->part[p].n);
    cost[p] = all == 0. ? cut->part[p].n : cost[p] < least ? least : cost[p];
  }
}

/* A part goes to the rank in whose share its middle lies. */
void cairn_share_stretches(const int64_t *cost, int32_t n, int n_ranks, int *rank) {
  double all = 0., before = 0.;
  for (int32_t p = 0; p < n; p++)
    all += (double)cost[p];
  for (int32_t p = 0; p < n; p++) {
    const double middle = before + 0.5 * (double)cost[p];
    const int r = all > 0. ? (int)(middle / all * n_ranks) : 0;
    rank[p] = r < n_ranks ? r : n_ranks - 1;
    before += (double)cost[p];
  }
}

int64_t cairn_share_most(const int64_t *cost, const int *rank, int32_t n, int n_ranks, int64_t *sum) {
  int64_t most = 0;
  for (int r = 0; r < n_ranks; r++)
    sum[r] = 0;
  for (int32_t p = 0; p < n; p++)
    sum[rank[p]] += cost[p];
  for (int r = 0; r < n_ranks; r++)
    most = sum[r] > most ? sum[r] : most;
  return most;
}
