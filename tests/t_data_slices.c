/* Slices and columns of bodies that lie in many packets, against a sort of all bodies. */
#include "tap/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/random.h"
#include "data/cells/cut.h"

enum { N = 4000, MOST_PACKETS = 9 };

/* Coordinates of both signs, many of them the same: `grid` values along each axis, 0 for all different. */
static void make_state(struct cairn_state *s, int grid) {
  struct cairn_random random;
  cairn_random_init(&random, 5, 0, 0);
  if (cairn_state_resize(s, N, NULL))
    BAIL_OUT("out of memory");
  for (int64_t i = 0; i < N; i++) {
    s->radius[i] = s->mass[i] = 1.;
    s->captor[i] = i % 31 == 30 ? -1 : 0;
    for (int k = 0; k < 3; k++) {
      const double x = cairn_random_between(&random, -1., 1.);
      s->reference[3 * i + k] = (3. - k) * (grid > 0 ? round(x * grid) / grid : x);
    }
  }
}

/* The sort of all. */
static const struct cairn_state *sorted_state;
static int sorted_axis;
static int compare(const void *a, const void *b) {
  const int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
  const double x = sorted_state->reference[3 * i + sorted_axis], y = sorted_state->reference[3 * j + sorted_axis];
  return x != y ? (x < y ? -1 : 1) : (i > j) - (i < j);
}
static void sort(const struct cairn_state *s, int axis, int32_t *id, int64_t n) {
  sorted_state = s;
  sorted_axis = axis;
  qsort(id, (size_t)n, sizeof *id, compare);
}

/* The cell of each body, -1 for a removed one; returns how many cells there are. */
static int32_t cut_by_sort(const struct cairn_state *s, const struct cairn_cut_slices *slices, int32_t *cell) {
  int32_t *id = malloc(N * sizeof *id), made = 0;
  int64_t n = 0;
  for (int32_t i = 0; i < N; i++) {
    cell[i] = -1;
    if (s->captor[i] >= 0)
      id[n++] = i;
  }
  sort(s, slices->axis[0], id, n);
  for (int64_t k = 0; k < slices->n_slices; k++) {
    const int64_t from = n * k / slices->n_slices, here = n * (k + 1) / slices->n_slices - from;
    const int64_t columns = slices->n_columns > 0 ? slices->n_columns + k % 2 : 1;
    if (slices->n_columns > 0)
      sort(s, slices->axis[1], id + from, here);
    int64_t last = 0;
    for (int64_t c = 1; c <= columns; c++) {
      const int64_t part = slices->n_columns > 0 ? here * (2 * c - k % 2) / (2 * slices->n_columns) : here,
                    to = part < here ? part : here;
      for (int64_t i = last; i < to; i++)
        cell[id[from + i]] = made;
      made += to > last;
      last = to;
    }
  }
  free(id);
  return made;
}

static void test(int grid, int32_t n_packets, int64_t max_bodies) {
  struct cairn_state s = {0};
  struct cairn_packet *packet[MOST_PACKETS];
  struct cairn_morton *entry[MOST_PACKETS];
  struct cairn_cut_list list[MOST_PACKETS];
  struct cairn_cut_spread spread = {0};
  struct cairn_cut cut;
  static int32_t expected[N], found[N];
  make_state(&s, grid);
  for (int32_t p = 0; p < n_packets; p++) { /* every n-th body */
    int32_t id[N], n = 0;
    for (int32_t i = p; i < N; i += n_packets)
      id[n++] = i;
    cairn_packet_of_state(&s, 0, id, 0, n, true, 0, packet + p);
    struct cairn_cut_spread one = {0};
    cairn_cut_note(&one, packet[p]);
    cairn_cut_join(&spread, &one);
  }
  const struct cairn_cut_slices slices = cairn_cut_plan(&spread, max_bodies);
  ok(slices.axis[0] == 0 && slices.axis[1] == 1, "the longest axes are found");
  for (int32_t p = 0; p < n_packets; p++) {
    entry[p] = cairn_cut_order(packet[p], slices.axis[0], &list[p].n);
    list[p].entry = entry[p];
    list[p].body = cairn_packet_bodies(packet[p]);
  }
  int failed = cairn_cut_make_slices(list, n_packets, spread.n, &slices, NULL, NULL, &cut);
  if (slices.n_columns > 0 && !failed) {
    for (int32_t r = 0; r < cut.part[cut.n - 1].first + cut.part[cut.n - 1].n_ranges; r++)
      failed |= cairn_cut_reorder(packet[cut.range[r].list], slices.axis[1],
                                  entry[cut.range[r].list] + cut.range[r].from, cut.range[r].to - cut.range[r].from);
    failed |= cairn_cut_make_columns(list, &slices, NULL, NULL, &cut);
  }
  if (failed)
    BAIL_OUT("out of memory");
  memset(found, -1, sizeof found);
  int counted = 1;
  for (int32_t p = 0; p < cut.n; p++) {
    int64_t n = 0;
    for (int32_t r = cut.part[p].first; r < cut.part[p].first + cut.part[p].n_ranges; r++)
      for (int32_t k = cut.range[r].from; k < cut.range[r].to; k++, n++)
        found[list[cut.range[r].list].body[entry[cut.range[r].list][k].id].id] = p;
    counted &= n == cut.part[p].n && n > 0;
  }
  ok(counted, "each part has as many bodies as it says");
  cmp_ok(cut.n, "==", cut_by_sort(&s, &slices, expected), "as many parts as by a sort of all bodies");
  ok(memcmp(found, expected, sizeof found) == 0,
     "%d packets, %s, at most %lld bodies: %d %s with the bodies of that sort", n_packets,
     grid > 0 ? "a lattice" : "coordinates all different", (long long)max_bodies, cut.n,
     slices.n_columns > 0 ? "columns" : "slices");
  for (int32_t p = 0; p < n_packets; p++) {
    free(packet[p]);
    free(entry[p]);
  }
  cairn_cut_fini(&cut);
  cairn_state_fini(&s);
}

int main(void) {
  plan(NO_PLAN);
  for (int grid = 0; grid <= 3; grid += 3)
    for (int32_t n = 1; n <= MOST_PACKETS; n += 4) {
      test(grid, n, 10000);
      test(grid, n, 100);
      test(grid, n, 20);
      test(grid, n, 2);
    }
  done_testing();
}
