/* Contact dynamics on the dense bed (bench/README.md): how fast contacts are updated, and how long a step takes to a
 * given residual, cold and warm.
 *
 *   contact_bed BED.txt NX NY WORKERS SOLVER TOLERANCE STEPS [CELL]
 *
 * The first step starts from nothing; the STEPS after it start from the impulses of the one before. A line of `name
 * value` pairs is printed. TOLERANCE 0 sweeps 100 times in every step whatever comes of it: contact updates per second.
 */
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "cairn/engine.h"
#include "solvers/simulation/simulation.h"

static const char scenario_text[] = "title: contact bed\n"
                                    "method: contact_dynamics\n"
                                    "time: {step: 0.01, end: 100}\n"
                                    "gravity: {uniform: [0, 0, -1]}\n"
                                    "materials: [{name: grain, density: 1.909859317}]\n"
                                    "interactions:\n"
                                    "  - {between: [grain, grain], restitution: 0, friction: 0.5}\n"
                                    "solver: {kind: %s, tolerance: %g, sweeps: %d}\n"
                                    "bodies:\n"
                                    "  - single: {position: [0, 0, 1], radius: 0.5, material: grain}\n" BED_WALLS;

static struct cairn_scenario *make_scenario(char **argv, struct cairn_error *error) {
  char text[4096];
  const double tolerance = atof(argv[6]);
  const int nx = atoi(argv[2]), ny = atoi(argv[3]);
  struct cairn_scenario *scenario = NULL;
  snprintf(text, sizeof text, scenario_text, argv[5], tolerance > 0. ? tolerance : 1e-300,
           tolerance > 0. ? 20000 : 100);
  if (cairn_scenario_parse(text, strlen(text), "contact_bed", 0, NULL, CAIRN_SCENARIO_NO_BODIES, &scenario, error))
    return NULL;
  const double edge = bed_read(argv[1], nx, ny, &scenario->initial, error);
  if (edge <= 0.) {
    cairn_error_set(error, CAIRN_ERR_INPUT, "%s is not a bed", argv[1]);
    cairn_scenario_free(scenario);
    return NULL;
  }
  bed_move_walls(scenario, edge * nx, edge * ny);
  return scenario;
}

/* Some steps: how long each took, its sweeps, and what is left at the end. */
static int stretch(struct cairn_simulation *sim, const char *name, int64_t steps, struct cairn_error *error) {
  double sweeps = 0., updates = 0., elapsed = 0.;
  struct cairn_observables o = {0};
  for (int64_t k = 0; k < steps; k++) {
    const double start = bed_now();
    const int status = cairn_simulation_advance(sim, 1, error);
    elapsed += bed_now() - start;
    if (status || cairn_simulation_observe(sim, &o, error))
      return -1;
    sweeps += o.solver_sweeps;
    updates += o.solver_sweeps * o.solver_contacts;
  }
  printf(" %s_sweeps %.1f %s_ms %.2f %s_residual %.2g %s_updates %.3g", name, sweeps / (double)steps, name,
         1e3 * elapsed / (double)steps, name, o.solver_residual, name, updates / elapsed);
  if (strcmp(name, "warm") == 0)
    printf(" contacts %.0f unsolved %.0f regrids %lld", o.solver_contacts, o.n_unsolved,
           (long long)cairn_simulation_n_regrids(sim));
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 8 && argc != 9) {
    fprintf(stderr, "usage: contact_bed BED.txt NX NY WORKERS SOLVER TOLERANCE STEPS [CELL]\n");
    return 2;
  }
  struct cairn_error error = {0};
  struct cairn_simulation *sim = NULL;
  int status = cairn_engine_start(&(struct cairn_engine_options){.workers = atoi(argv[4])}, &error);
  struct cairn_scenario *scenario = status ? NULL : make_scenario(argv, &error);
  if (scenario && argc == 9)
    scenario->cells_bodies = atoll(argv[8]);
  if (!scenario || cairn_simulation_create(scenario, NULL, &sim, &error)) {
    fprintf(stderr, "contact_bed: %s\n", error.message);
    return 1;
  }
  printf("bodies %lld cells %lld workers %s solver %s tolerance %s", (long long)scenario->initial.n,
         (long long)cairn_simulation_n_cells(sim), argv[4], argv[5], argv[6]);
  status = stretch(sim, "cold", 1, &error) || stretch(sim, "warm", atoll(argv[7]), &error);
  printf("\n");
  if (status)
    fprintf(stderr, "contact_bed: %s\n", error.message);
  cairn_simulation_free(sim);
  cairn_engine_stop();
  cairn_scenario_free(scenario);
  return status ? 1 : 0;
}
