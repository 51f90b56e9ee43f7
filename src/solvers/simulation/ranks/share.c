#include "solvers/simulation/ranks/share.h"

#include <math.h>
#include <stdlib.h>

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

/* A column, and how far along its slice its middle is, from 0 to 1. */
struct column {
  double middle;
  int32_t part;
};

static int compare_columns(const void *a, const void *b) {
  const struct column *p = a, *q = b;
  return p->middle != q->middle ? (p->middle < q->middle ? -1 : 1) : (p->part > q->part) - (p->part < q->part);
}

/* How many rows of ranks: as many as make blocks square, of n columns in so many slices. */
static int count_rows(int32_t n, int32_t n_slices, int n_ranks) {
  const double rows = round(sqrt((double)n_slices * n_slices / n * n_ranks));
  const double most = fmin(n_ranks, n_slices);
  return (int)fmax(1., fmin(rows, most));
}

/* The columns from `from` to `to`, whole slices, for ranks from `first` on. */
static void share_row(const int64_t *cost, const int32_t *slice, int32_t from, int32_t to, int first, int n_ranks,
                      struct column *column, int *rank) {
  double all = 0., before = 0.;
  for (int32_t begin = from, end = from; begin < to; begin = end) { /* slice by slice */
    while (end < to && slice[end] == slice[begin])
      end++;
    for (int32_t p = begin; p < end; p++) {
      column[p - from] = (struct column){((double)(p - begin) + 0.5) / (double)(end - begin), p};
      all += (double)cost[p];
    }
  }
  qsort(column, (size_t)(to - from), sizeof *column, compare_columns);
  for (int32_t k = 0; k < to - from; k++) {
    const int32_t p = column[k].part;
    const int r = all > 0. ? (int)((before + 0.5 * (double)cost[p]) / all * n_ranks) : 0;
    rank[p] = first + (r < n_ranks ? r : n_ranks - 1);
    before += (double)cost[p];
  }
}

int cairn_share_blocks(const int64_t *cost, const int32_t *slice, int32_t n, int n_ranks, int *rank) {
  struct column *column = malloc((size_t)n * sizeof *column + 1);
  if (!column || n == 0) {
    free(column);
    return column ? 0 : -1;
  }
  const int rows = count_rows(n, slice[n - 1] + 1, n_ranks);
  double all = 0., before = 0.;
  for (int32_t p = 0; p < n; p++)
    all += (double)cost[p];
  for (int32_t p = 0, from = 0, row = 0; p < n; row++) { /* ranks of a row begin at n_ranks row / rows */
    const int first = (int)((int64_t)n_ranks * row / rows), end = (int)((int64_t)n_ranks * (row + 1) / rows);
    const double limit = row + 1 < rows ? all * end / n_ranks : INFINITY;
    for (from = p; p < n;) {
      double here = 0.;
      int32_t next = p;
      for (; next < n && slice[next] == slice[p]; next++)
        here += (double)cost[next];
      if (before + 0.5 * here >= limit)
        break;
      before += here;
      p = next;
    }
    if (p > from)
      share_row(cost, slice, from, p, first, end - first, column, rank);
  }
  free(column);
  return 0;
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
