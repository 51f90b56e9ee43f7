/* What a regrid costs: the dense bed is regridded again and again where it stands.
 *
 *   regrid BED.txt NX NY WORKERS REPEATS [CELL]
 *
 * BED.txt and its tiling as for dense_bed. Prints `name value` pairs for the cheapest of REPEATS regrids: the processor
 * time of the thread that drives the simulation (the serial part: it waits while tasks run) and of all threads, and the
 * time on the clock, in microseconds per body; of the fastest also the time that the cores of the workers, as many as
 * there are of them, had nothing to do: Amdahl's serial part, without what tasks lose side by side at the same memory.
 */
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "cairn/engine.h"
#include "solvers/simulation/simulation_parts.h"

static const char text[] = "title: dense bed\ntime: {step: 1e-4, end: 1}\n"
                           "gravity: {uniform: [0, 0, -1]}\n"
                           "materials: [{name: grain, density: 1.909859317}]\n"
                           "interactions:\n"
                           "  - {between: [grain, grain], stiffness: 2e5, restitution: 0.7, friction: 0.5}\n"
                           "bodies:\n"
                           "  - single: {position: [0, 0, 1], radius: 0.5, material: grain}\n" BED_WALLS;

int main(int argc, char **argv) {
  struct cairn_scenario *scenario = NULL;
  struct cairn_simulation *sim = NULL;
  struct cairn_error error = {0};
  double best[] = {INFINITY, INFINITY, INFINITY}, idle = 0.;
  if (argc < 6)
    return fprintf(stderr, "usage: regrid BED.txt NX NY WORKERS REPEATS [CELL]\n"), 2;
  const int nx = atoi(argv[2]), ny = atoi(argv[3]), repeats = atoi(argv[5]);
  const struct cairn_engine_options engine = {.workers = atoi(argv[4]), .silent = 1};
  int status = cairn_scenario_parse(text, strlen(text), "regrid", 0, NULL, CAIRN_SCENARIO_NO_BODIES, &scenario, &error);
  const double edge = status ? 0. : bed_read(argv[1], nx, ny, &scenario->initial, &error);
  if (!status && edge > 0.) {
    bed_move_walls(scenario, edge * nx, edge * ny);
    scenario->cells_bodies = argc > 6 ? atoll(argv[6]) : scenario->cells_bodies;
    scenario->cells_auto = argc <= 6 && scenario->cells_auto;
    status = cairn_engine_start(&engine, &error);
  }
  if (!status && edge > 0.)
    status = cairn_simulation_create(scenario, NULL, &sim, &error);
  if (!status && sim)
    status = cairn_simulation_advance(sim, 20, &error);
  for (int k = 0; k < repeats && !status && sim; k++) {
    double start[3], end[3];
    sim->kept.step = sim->state.step = -1; /* as if steps had been done since the last one */
    clock_read_all(start);
    status = cairn_simulation_regrid(sim, &error);
    clock_read_all(end);
    for (int i = 0; i < 3; i++)
      end[i] = 1e6 * (end[i] - start[i]) / (double)sim->cells.n;
    idle = end[2] < best[2] ? engine.workers * end[2] - end[1] : idle;
    for (int i = 0; i < 3; i++)
      best[i] = fmin(best[i], end[i]);
  }
  if (!status && sim)
    printf("bodies %lld cells %d workers %s serial %.4f all %.4f clock %.4f idle %.4f\n", (long long)sim->cells.n,
           sim->cells.n_cells, argv[4], best[0], best[1], best[2], idle);
  if (status)
    fprintf(stderr, "regrid: %s\n", error.message);
  if (sim) {
    cairn_simulation_free(sim);
    cairn_engine_stop();
  }
  cairn_scenario_free(scenario);
  return status || !sim;
}
