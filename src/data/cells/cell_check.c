/* The validity predicate of the cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/cells/cells.h"
#include "data/cells/search.h"

/* Each body but the removed ones is in exactly one cell and ids ascend. */
static bool is_partitioned(const struct cairn_cells *cells, const struct cairn_state *state) {
  int64_t total = 0, present = 0;
  char *seen = calloc((size_t)cells->n + 1, 1);
  bool valid = seen != NULL;
  for (cairn_cell_t c = 0; c < cells->n_cells && valid; c++) {
    const struct cairn_cell *cell = cells->cell + c;
    total += cell->size.n;
    for (int32_t i = 0; i < cell->size.n && valid; i++) {
      valid = cell->id[i] >= 0 && cell->id[i] < cells->n && !seen[cell->id[i]] && state->captor[cell->id[i]] >= 0 &&
              (i == 0 || cell->id[i] > cell->id[i - 1]);
      if (valid)
        seen[cell->id[i]] = 1;
    }
  }
  free(seen);
  for (int64_t i = 0; i < state->n; i++)
    present += state->captor[i] >= 0;
  return valid && total == present;
}

static bool halo_is_sourced(const struct cairn_cells *cells, const struct cairn_cell *cell) {
  for (int32_t i = 0; i < cell->size.n_halo; i++) {
    const struct cairn_halo_source *source = cell->halo + i;
    if (source->neighbor < 0 || source->neighbor >= cell->n_neighbors)
      return false;
    const struct cairn_cell *other = cells->cell + cell->neighbor[source->neighbor];
    if (source->index < 0 || source->index >= other->size.n || other->id[source->index] != cell->halo_id[i])
      return false;
    if (i > 0 && cell->halo_id[i] <= cell->halo_id[i - 1])
      return false;
  }
  return true;
}

static bool pairs_are_sorted(const struct cairn_cell *cell) {
  const struct cairn_soft_spheres k =
      cairn_kernel_soft_spheres_bind(cell->size, NULL, NULL, cell->pair_list, cell->history, NULL, NULL, NULL);
  int64_t last = -1;
  for (int32_t p = 0; p < cell->size.n_pairs; p++) {
    if (k.a[p] < 0 || k.b[p] < 0 || k.a[p] >= cell->size.n + cell->size.n_halo ||
        k.b[p] >= cell->size.n + cell->size.n_halo || (k.a[p] >= cell->size.n && k.b[p] >= cell->size.n))
      return false;
    const int64_t low = cairn_cells_body(cell, k.a[p]), high = cairn_cells_body(cell, k.b[p]);
    const int64_t key = low << 32 | high;
    if (low >= high || key <= last)
      return false;
    last = key;
  }
  return true;
}

static int compare_keys(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* The pairs owned by the lower id's cell and those of the higher id's cell are each exactly the close pairs. Where a
 * cell lists its own pairs alone, they are listed once. */
static bool pairs_are_complete(const struct cairn_cells *cells, const struct cairn_pairs *close, int lower) {
  int64_t n = 0;
  int64_t *listed = malloc(((size_t)close->n + 1) * sizeof *listed),
          *wanted = malloc(((size_t)close->n + 1) * sizeof *listed);
  bool valid = listed && wanted;
  for (cairn_cell_t c = 0; c < cells->n_cells && valid; c++) {
    const struct cairn_cell *cell = cells->cell + c;
    const struct cairn_soft_spheres k =
        cairn_kernel_soft_spheres_bind(cell->size, NULL, NULL, cell->pair_list, cell->history, NULL, NULL, NULL);
    for (int32_t p = 0; p < cell->size.n_pairs && valid; p++) {
      if (!cells->rules.own_pairs && (lower ? k.a : k.b)[p] >= cell->size.n)
        continue;
      valid = n < close->n;
      if (valid)
        listed[n++] = (int64_t)cairn_cells_body(cell, k.a[p]) << 32 | cairn_cells_body(cell, k.b[p]);
    }
  }
  valid = valid && n == close->n;
  for (int64_t p = 0; p < close->n && valid; p++)
    wanted[p] = (int64_t)close->pair[p][0] << 32 | close->pair[p][1];
  if (valid) {
    qsort(listed, (size_t)n, sizeof *listed, compare_keys);
    qsort(wanted, (size_t)n, sizeof *wanted, compare_keys);
    valid = memcmp(listed, wanted, (size_t)n * sizeof *listed) == 0;
  }
  free(listed);
  free(wanted);
  return valid;
}

bool cairn_cells_is_valid(const struct cairn_cells *cells, const struct cairn_state *state) {
  if (!is_partitioned(cells, state))
    return false;
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    if (!halo_is_sourced(cells, cells->cell + c) || !pairs_are_sorted(cells->cell + c))
      return false;
  struct cairn_sphere *sphere = malloc((size_t)state->n * sizeof *sphere + 1);
  struct cairn_pairs close = {0};
  bool valid = sphere != NULL;
  /* a removed one is near no other */
  for (int64_t i = 0; i < state->n && valid; i++)
    sphere[i] = (struct cairn_sphere){state->position[3 * i], state->position[3 * i + 1], state->position[3 * i + 2],
                                      state->captor[i] < 0 ? -INFINITY : state->radius[i]};
  valid = valid &&
          cairn_search_pairs_brute_force(sphere, (int32_t)state->n, (int32_t)state->n, cells->skin, &close, NULL) == 0;
  valid = valid && pairs_are_complete(cells, &close, 1) && pairs_are_complete(cells, &close, 0);
  cairn_search_pairs_fini(&close);
  free(sphere);
  return valid;
}
