/* Who gets which parts of a cut: stretches of about the same cost, by what bodies cost in the cells they come from. */
#include "tap/tap.h"

#include <math.h>
#include <stdlib.h>

#include "data/cells/cells.h"
#include "solvers/simulation/ranks/share.h"

enum { PARTS = 40, RANKS = 7 };

/* No rank has more than its share and one part, and parts are in the order of ranks. */
static void test_stretches(void) {
  int64_t cost[PARTS], all = 0, largest = 0, sum[RANKS];
  int rank[PARTS], ordered = 1;
  for (int p = 0; p < PARTS; p++) {
    cost[p] = p % 5 == 0 ? 900 : 100 + 7 * p;
    all += cost[p];
    largest = cost[p] > largest ? cost[p] : largest;
  }
  for (int n = 1; n <= RANKS; n++) {
    cairn_share_stretches(cost, PARTS, n, rank);
    ordered = rank[0] == 0 && rank[PARTS - 1] == n - 1;
    for (int p = 1; p < PARTS; p++)
      ordered &= rank[p] >= rank[p - 1] && rank[p] < n;
    ok(ordered, "%d ranks: every one has parts, in their order", n);
    const int64_t most = cairn_share_most(cost, rank, PARTS, n, sum);
    cmp_ok(most, "<=", all / n + largest, "none has more than its share and a part");
    int64_t check = 0;
    for (int r = 0; r < n; r++)
      check += sum[r];
    cmp_ok(check, "==", all, "nothing is lost");
  }
  const int64_t nothing[3] = {0, 0, 0};
  cairn_share_stretches(nothing, 3, 4, rank);
  ok(rank[0] == 0 && rank[2] == 0, "parts without cost have a rank");
}

/* Slices of 12 columns, and of 13 in every second one: blocks of whole cells with a cut at the same place in all slices
 * of a row, that have their share and no more than a column of each slice beside it. */
static void test_blocks(int n_slices, int n_ranks, int uneven) {
  enum { MOST = 40 * 13 };
  int64_t cost[MOST] = {0}, all = 0, sum[64];
  int32_t slice[MOST] = {0}, n = 0;
  int rank[MOST] = {0}, whole = 1, ascending = 1;
  double low[64], high[64];
  int first[64], last[64];
  for (int s = 0; s < n_slices; s++)
    for (int c = 0; c < 12 + s % 2; c++, n++) {
      slice[n] = s;
      cost[n] = uneven && c < 4 ? 500 : 100;
      all += cost[n];
    }
  ok(cairn_share_blocks(cost, slice, n, n_ranks, rank) == 0, "%d slices for %d ranks", n_slices, n_ranks);
  for (int r = 0; r < n_ranks; r++) {
    low[r] = first[r] = 1000;
    high[r] = last[r] = -1;
  }
  for (int p = 0, c = 0; p < n; p++) {
    c = p > 0 && slice[p] == slice[p - 1] ? c + 1 : 0;
    const double at = (c + 0.5) / (12 + slice[p] % 2);
    const int r = rank[p];
    whole &= r >= 0 && r < n_ranks;
    ascending &= c == 0 || rank[p] >= rank[p - 1];
    low[r] = at < low[r] ? at : low[r];
    high[r] = at > high[r] ? at : high[r];
    first[r] = slice[p] < first[r] ? slice[p] : first[r];
    last[r] = slice[p] > last[r] ? slice[p] : last[r];
  }
  ok(whole && ascending, "every column has a rank, ascending along a slice");
  int overlaps = 0, empty = 0;
  for (int r = 0; r < n_ranks; r++) {
    empty += last[r] < 0;
    for (int q = 0; q < r; q++)
      overlaps += first[r] <= last[q] && first[q] <= last[r] && low[r] < high[q] && low[q] < high[r];
  }
  cmp_ok(overlaps, "==", 0, "no two ranks are in each other's block");
  cmp_ok(empty, "==", 0, "none has nothing");
  const int64_t most = cairn_share_most(cost, rank, n, n_ranks, sum);
  /* half a slice and half a column of each slice of a row may go to the next rank, at both sides */
  const double share = (double)all / n_ranks, slices = (last[0] + 1) * (uneven ? 500. : 100.),
               row = (double)all / n_slices;
  const double ranks_of_row = fmax(1., share > 0. ? (last[0] + 1) * row / share : 1.);
  ok((double)most <= share + slices + row / ranks_of_row, "the busiest has %lld of a mean of %.0f", (long long)most,
     share);
}

/* Two packets, of 6 bodies that take 10 ns each and of 4 that take 100; part 0 has 4 and 1 of them, part 1 the others.
 */
static void test_costs(void) {
  static const int64_t none[CAIRN_PACKET_LISTS] = {0, 0};
  struct cairn_packet *packet[2] = {cairn_packet_create(6, false, none, 0), cairn_packet_create(4, false, none, 0)};
  struct cairn_cut_part part[2] = {{5, 0, 2}, {5, 2, 2}};
  struct cairn_cut_range range[4] = {{0, 0, 4}, {1, 0, 1}, {0, 4, 6}, {1, 1, 4}};
  const struct cairn_cut cut = {.n = 2, .part = part, .range = range};
  int64_t cost[2];
  cairn_share_cost(&cut, (const struct cairn_packet *const *)packet, cost);
  ok(cost[0] == 0 && cost[1] == 0, "new packets have no cost");
  cairn_share_limit(&cut, cost);
  ok(cost[0] == 5 && cost[1] == 5, "then bodies count");
  packet[0]->cost = 10.;
  packet[1]->cost = 100.;
  cairn_share_cost(&cut, (const struct cairn_packet *const *)packet, cost);
  cmp_ok(cost[0], "==", 140000, "4 · 10 + 1 · 100 ns");
  cmp_ok(cost[1], "==", 320000, "2 · 10 + 3 · 100 ns");
  cairn_share_limit(&cut, cost);
  cmp_ok(cost[0], "==", 140000, "which stays where it is more than a quarter of the mean");
  packet[0]->cost = packet[1]->cost = 0.;
  cost[0] = 0;
  cost[1] = 320000;
  cairn_share_limit(&cut, cost);
  cmp_ok(cost[0], "==", 40000, "5 bodies count as a quarter of a mean of 32 ns");
  for (int k = 0; k < 2; k++)
    free(packet[k]);
}

/* Bodies take the cost of their cells along. */
static void test_packets(void) {
  static const int64_t none[CAIRN_PACKET_LISTS] = {0, 0};
  struct cairn_packet *packet[2] = {cairn_packet_create(3, false, none, 0), cairn_packet_create(2, false, none, 0)};
  for (int k = 0; k < 2; k++)
    for (int32_t i = 0; i < packet[k]->n; i++)
      cairn_packet_bodies(packet[k])[i] = (struct cairn_body){.id = 2 * i + k};
  packet[0]->cost = 10.;
  packet[1]->cost = 20.;
  const struct cairn_packet_part parts[2] = {{packet[0], NULL, 3}, {packet[1], NULL, 2}};
  struct cairn_packet *merged = cairn_packet_merge(parts, 2, false, 0);
  tap_near(merged->cost, 14., 0, 1e-15, "3 bodies at 10 and 2 at 20 ns: 14 each");
  struct cairn_cell cell = {.size.n = 5, .packet = merged, .cost = merged->cost, .time = 5 * 30 * 100};
  cairn_cells_note_cost(&cell, 0, 50);
  tap_near(merged->cost, 14., 0, 1e-15, "a cell that has done no step leaves that");
  cairn_cells_note_cost(&cell, 100, 5);
  tap_near(merged->cost, (5 * 14. + 100 * 30.) / 105., 0, 1e-14, "100 steps at 30 ns weigh as 100, 5 before as 5");
  cairn_cells_note_cost(&cell, 100, 5000);
  tap_near(merged->cost, (20 * 14. + 100 * 30.) / 120., 0, 1e-14, "and never as more than 20");
  cell.cost = 0.;
  cairn_cells_note_cost(&cell, 100, 5000);
  tap_near(merged->cost, 30., 0, 1e-14, "if it was known");
  for (int k = 0; k < 2; k++)
    free(packet[k]);
  free(merged);
}

int main(void) {
  test_stretches();
  test_blocks(12, 4, 0);
  test_blocks(12, 9, 0);
  test_blocks(12, 7, 0);
  test_blocks(40, 6, 1);
  test_blocks(5, 2, 1);
  test_costs();
  test_packets();
  done_testing();
}
