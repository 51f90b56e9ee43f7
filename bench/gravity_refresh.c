/* What an evaluation of self-gravity costs a running simulation: bodies of the cells, tree, walk, telling the cells.
 *
 *   gravity_refresh BODIES WORKERS REPEATS
 *
 * A ball of about so many equal spheres on a lattice, accuracy 5e-4, soft spheres. Prints `name value` pairs for the
 * cheapest of REPEATS evaluations: processor time of the thread that drives the simulation (the serial part: it sleeps
 * while tasks run) and of all threads, and the time on the clock, in microseconds per body. */
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/engine.h"
#include "clocks.h"
#include "solvers/simulation/simulation_parts.h"

static const char text[] = "title: ball\ntime: {step: 1, end: 100}\n"
                           "gravity: {self: {accuracy: 5e-4}}\n"
                           "materials: [{name: rock, density: 2500}]\n"
                           "interactions: [{between: [rock, rock], stiffness: 2e5, restitution: 0.7, friction: 0.5}]\n"
                           "bodies:\n"
                           "  - lattice: {in: {sphere: {radius: %.9g}}, spacing: 2.02, radius: 1, material: rock}\n"
                           "output: {frames: 0, series: 0}\n";

int main(int argc, char **argv) {
  struct cairn_scenario *scenario = NULL;
  struct cairn_simulation *sim = NULL;
  struct cairn_error error = {0};
  double best[] = {INFINITY, INFINITY, INFINITY};
  char ball[1024];
  if (argc < 4)
    return fprintf(stderr, "usage: gravity_refresh BODIES WORKERS REPEATS\n"), 2;
  snprintf(ball, sizeof ball, text, 2.02 * cbrt(0.75 / 3.14159265358979 * atof(argv[1])));
  const struct cairn_engine_options engine = {.workers = atoi(argv[2]), .silent = 1};
  int status = cairn_scenario_parse(ball, strlen(ball), "ball", 0, NULL, 0, &scenario, &error);
  status = status ? status : cairn_engine_start(&engine, &error);
  status = status ? status : cairn_simulation_create(scenario, NULL, &sim, &error);
  status = status ? status : cairn_simulation_advance(sim, 2, &error);
  for (int k = 0; k < atoi(argv[3]) && !status; k++) {
    double start[3], end[3];
    sim->kept.step = sim->state.step = -1; /* as if steps had been done since the last one */
    clock_read_all(start);
    status = cairn_simulation_refresh(sim, &error);
    clock_read_all(end);
    for (int i = 0; i < 3; i++)
      best[i] = fmin(best[i], 1e6 * (end[i] - start[i]) / (double)sim->n_bodies);
  }
  if (!status)
    printf("bodies %lld cells %d workers %s serial %.4f all %.4f clock %.4f\n", (long long)sim->n_bodies,
           sim->cells.n_cells, argv[2], best[0], best[1], best[2]);
  else
    fprintf(stderr, "gravity_refresh: %s\n", error.message);
  if (sim) {
    cairn_simulation_free(sim);
    cairn_engine_stop();
  }
  cairn_scenario_free(scenario);
  return status;
}
