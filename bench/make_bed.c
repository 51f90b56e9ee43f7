/* Make a bed for dense_bed: spheres dropped into a box, settled without friction.
 *
 *   make_bed N OUT.txt
 *
 * Mean diameter 1, radii ± 5 %, a box of 20 × 20 for each 10 000 bodies, gravity 1. Ends when the mean kinetic energy
 * of a body is below 1e-3 of its weight times its diameter (without friction the rest takes very long). Writes "N L H"
 * and "x y z r" per body. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/engine.h"
#include "data/scenario/scenario.h"
#include "solvers/simulation/simulation.h"

/* The scenario for n bodies, poured at a packing fraction of 0.32. */
static void describe(char *text, size_t size, long n, double edge) {
  const double height = (double)n * 0.5236 / (0.32 * edge * edge);
  snprintf(text, size,
           "time: {step: 1e-4, end: 1e3}\n"
           "gravity: {uniform: [0, 0, -1]}\n"
           "materials: [{name: grain, density: 1.909859317}]\n"
           "interactions:\n"
           "  - {between: [grain, grain], stiffness: 2e5, restitution: 0.3, friction: 0}\n"
           "bodies:\n"
           "  - cloud:\n"
           "      count: %ld\n"
           "      in: {box: {lower: [0, 0, 0], upper: [%g, %g, %g]}}\n"
           "      radius: {uniform: [0.475, 0.525]}\n"
           "      material: grain\n"
           "walls:\n"
           "  - plane: {name: floor, point: [0, 0, 0], normal: [0, 0, 1], material: grain}\n"
           "  - plane: {name: left, point: [0, 0, 0], normal: [1, 0, 0], material: grain}\n"
           "  - plane: {name: front, point: [0, 0, 0], normal: [0, 1, 0], material: grain}\n"
           "  - plane: {name: right, point: [%g, 0, 0], normal: [-1, 0, 0], material: grain}\n"
           "  - plane: {name: back, point: [0, %g, 0], normal: [0, -1, 0], material: grain}\n",
           n, edge, edge, height, edge, edge);
}

static int settle(struct cairn_simulation *sim, long n, struct cairn_error *error) {
  struct cairn_observables o = {0};
  int status = 0;
  do {
    status = cairn_simulation_advance(sim, 5000, error);
    if (!status)
      status = cairn_simulation_observe(sim, &o, error);
    fprintf(stderr, "\rsettling: t %.1f, kinetic energy per body %.2e, coordination %.3f ", o.time,
            o.kinetic_energy / (double)n, o.coordination);
  } while (!status && (o.kinetic_energy > 1e-3 * (double)n || o.coordination < 4.));
  fprintf(stderr, "\n");
  return status;
}

static int write_bed(const char *path, const struct cairn_state *bed, double edge, struct cairn_error *error) {
  double top = 0.;
  FILE *file = fopen(path, "w");
  if (!file)
    return cairn_error_set(error, CAIRN_ERR_IO, "cannot write %s", path);
  for (int64_t i = 0; i < bed->n; i++)
    top = fmax(top, bed->position[3 * i + 2] + bed->radius[i]);
  fprintf(file, "%lld %.9g %.9g\n", (long long)bed->n, edge, top);
  for (int64_t i = 0; i < bed->n; i++)
    fprintf(file, "%.12g %.12g %.12g %.12g\n", bed->position[3 * i], bed->position[3 * i + 1], bed->position[3 * i + 2],
            bed->radius[i]);
  if (fclose(file))
    return cairn_error_set(error, CAIRN_ERR_IO, "cannot write %s", path);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3 || atol(argv[1]) < 1) {
    fprintf(stderr, "usage: make_bed N OUT.txt\n");
    return 2;
  }
  const long n = atol(argv[1]);
  const double edge = 20. * sqrt((double)n / 1e4);
  char text[4096];
  struct cairn_error error = {0};
  struct cairn_scenario *scenario = NULL;
  struct cairn_simulation *sim = NULL;
  describe(text, sizeof text, n, edge);
  int status = cairn_scenario_parse(text, strlen(text), "make_bed", 0, NULL, 0, &scenario, &error);
  if (!status)
    status = cairn_engine_start(NULL, &error);
  const int started = !status;
  if (!status)
    status = cairn_simulation_create(scenario, NULL, &sim, &error);
  if (!status)
    status = settle(sim, n, &error);
  const struct cairn_state *bed = status ? NULL : cairn_simulation_capture(sim, &error);
  if (bed)
    status = write_bed(argv[2], bed, edge, &error);
  if (status)
    fprintf(stderr, "make_bed: %s\n", error.message);
  cairn_simulation_free(sim);
  if (started)
    cairn_engine_stop();
  cairn_scenario_free(scenario);
  return -status;
}
