/* Where the time of a step goes, without StarPU, on one core: nanoseconds per body of dealing, gathering and advancing.
 *
 *   kernel_parts BED.txt CELL SKIN
 *
 * BED.txt as for dense_bed, CELL bodies per cell at most, SKIN in m. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clocks.h"
#include "data/cells/cells.h"

enum { REPEATS = 20 };

static int read_bed(const char *path, struct cairn_state *state) {
  FILE *file = fopen(path, "r");
  long n = 0;
  int failed = !file || fscanf(file, "%ld %*f %*f", &n) != 1 || n < 1 || cairn_state_resize(state, n, NULL);
  for (int64_t i = 0; i < n && !failed; i++) {
    double *x = state->position + 3 * i;
    failed = fscanf(file, "%lf %lf %lf %lf", x, x + 1, x + 2, state->radius + i) != 4;
    state->mass[i] = 8. * state->radius[i] * state->radius[i] * state->radius[i];
  }
  if (file)
    fclose(file);
  return failed;
}

static void gather(const struct cairn_cells *cells, const struct cairn_cell *cell, double h) {
  double *predicted = cell->predicted + (int64_t)CAIRN_PREDICTED * cell->size.n;
  for (int32_t i = 0; i < cell->size.n_halo; i++, predicted += CAIRN_PREDICTED) {
    const struct cairn_cell *owner = cells->cell + cell->neighbor[cell->halo[i].neighbor];
    cairn_blocks_predict(owner->state + (int64_t)CAIRN_STATE * cell->halo[i].index, h, predicted);
  }
}

/* Best time of a step over all cells; without pairs only the bodies are moved. */
static double advance(const struct cairn_cells *cells, const double *world, double *force, int with_pairs) {
  double best = INFINITY;
  for (int k = 0; k < REPEATS; k++) {
    double seconds = 0.;
    for (cairn_cell_t c = 0; c < cells->n_cells; c++) {
      const struct cairn_cell *cell = cells->cell + c;
      struct cairn_soft_spheres kernel = cairn_kernel_soft_spheres_bind(
          cell->size, cell->state, cell->predicted, cell->pair_list, cell->history, world, NULL, force);
      struct cairn_report report = cairn_report_reset();
      kernel.n_laws = 1;
      kernel.h = 1e-4;
      kernel.reach = INFINITY;
      kernel.is_predicted = 1;
      if (!with_pairs)
        kernel.size.n_pairs = 0;
      const double start = clock_seconds(CLOCK_MONOTONIC);
      cairn_kernel_soft_spheres_advance(&kernel, 1, &report);
      seconds += clock_seconds(CLOCK_MONOTONIC) - start;
    }
    best = fmin(best, seconds);
  }
  return best;
}

int main(int argc, char **argv) {
  static double world[CAIRN_WORLD_LAWS + CAIRN_LAW_DOUBLES] = {
      [CAIRN_WORLD_GZ] = -1., [CAIRN_WORLD_LIMIT] = 0.01, [CAIRN_WORLD_RANGE] = -1.};
  const struct cairn_law_hooke law = {2e5, 5.7e4, 100., 50., 0.5, 1. / 5.7e4, 0., 0., 7e-3};
  const int32_t laws = 0;
  const struct cairn_cells_rules rules = {.n_materials = 1, .law = &laws, .memory = CAIRN_CONTACT_REMEMBERS(spring)};
  struct cairn_state state = {0};
  struct cairn_cells cells;
  struct cairn_error error = {0};
  if (argc != 4 || read_bed(argv[1], &state)) {
    fprintf(stderr, "usage: kernel_parts BED.txt CELL SKIN\n");
    return 2;
  }
  memcpy(world + CAIRN_WORLD_LAWS, &law, sizeof law);
  const double start = clock_seconds(CLOCK_MONOTONIC), ns = 1e9 / (double)state.n;
  if (cairn_cells_partition(&cells, &state, &rules, atoll(argv[2]), atof(argv[3]), &error))
    return 1;
  const double cut = clock_seconds(CLOCK_MONOTONIC);
  size_t most = 0, n_pairs = 0;
  for (cairn_cell_t c = 0; c < cells.n_cells; c++) {
    if (cairn_cells_build(&cells, c, &error))
      return 1;
    const struct cairn_cell_size size = cells.cell[c].size;
    const size_t bodies = (size_t)size.n + (size_t)size.n_halo;
    most = bodies > most ? bodies : most;
    n_pairs += (size_t)size.n_pairs;
  }
  const double built = clock_seconds(CLOCK_MONOTONIC);
  double *force = aligned_alloc(64, most * CAIRN_FORCE * sizeof *force), halo = INFINITY;
  for (int k = 0; k < REPEATS; k++) {
    const double before = clock_seconds(CLOCK_MONOTONIC);
    for (cairn_cell_t c = 0; c < cells.n_cells; c++)
      gather(&cells, cells.cell + c, 1e-4);
    halo = fmin(halo, clock_seconds(CLOCK_MONOTONIC) - before);
  }
  const double bodies = advance(&cells, world, force, 0), all = advance(&cells, world, force, 1);
  printf("cells %d pairs_per_body %.2f cut %.0f build %.0f gather %.1f bodies %.1f pairs %.1f (ns per body) pair %.1f "
         "ns\n",
         cells.n_cells, (double)n_pairs / (double)state.n, (cut - start) * ns, (built - cut) * ns, halo * ns,
         bodies * ns, (all - bodies) * ns, (all - bodies) * 1e9 / (double)n_pairs);
  free(force);
  cairn_cells_fini(&cells);
  cairn_state_fini(&state);
  return 0;
}
