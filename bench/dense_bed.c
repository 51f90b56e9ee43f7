/* The dense bed: a settled box of spheres under its own weight, the same problem for every code (bench/README.md).
 *
 *   dense_bed BED.txt NX NY WORKERS RELAX STEPS REPEATS [CELL]
 *
 * BED.txt holds "N L H" and then "x y z r" per body. The bed is tiled NX × NY times, mirrored at each wall so that the
 * copies fit. After RELAX steps, REPEATS stretches of STEPS steps are timed; a line of `name value` pairs is printed.
 */
#include <starpu.h>
#include <starpu_profiling.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cairn/engine.h"
#include "data/scenario.h"
#include "solvers/simulation.h"

static const char scenario_text[] = "title: dense bed\n"
                                    "time: {step: 1e-4, end: 1}\n"
                                    "gravity: {uniform: [0, 0, -1]}\n"
                                    "materials: [{name: grain, density: 1.909859317}]\n"
                                    "interactions:\n"
                                    "  - {between: [grain, grain], stiffness: 2e5, restitution: 0.7, "
                                    "tangential_restitution: 0.7165, friction: 0.5, slip: 1}\n"
                                    "bodies:\n"
                                    "  - single: {position: [0, 0, 1], radius: 0.5, material: grain}\n"
                                    "walls:\n"
                                    "  - plane: {name: floor, point: [0, 0, 0], normal: [0, 0, 1], material: grain}\n"
                                    "  - plane: {name: left, point: [0, 0, 0], normal: [1, 0, 0], material: grain}\n"
                                    "  - plane: {name: front, point: [0, 0, 0], normal: [0, 1, 0], material: grain}\n"
                                    "  - plane: {name: right, point: [1, 0, 0], normal: [-1, 0, 0], material: grain}\n"
                                    "  - plane: {name: back, point: [0, 1, 0], normal: [0, -1, 0], material: grain}\n";

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double resident_bytes(void) {
  double pages = 0.;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%*s %lf", &pages) != 1)
    pages = 0.;
  if (file)
    fclose(file);
  return pages * 4096.;
}

/* Read the bed into `state`, nx × ny times; returns the edge of the box or 0. */
static double read_bed(const char *path, int nx, int ny, struct cairn_state *state, struct cairn_error *error) {
  FILE *file = fopen(path, "r");
  long n = 0;
  double edge = 0., height = 0.;
  if (!file || fscanf(file, "%ld %lf %lf", &n, &edge, &height) != 3 || n < 1 || edge <= 0. ||
      cairn_state_resize(state, (int64_t)n * nx * ny, error)) {
    if (file)
      fclose(file);
    return 0.;
  }
  for (int64_t i = 0; i < n; i++) {
    double x, y, z, r;
    if (fscanf(file, "%lf %lf %lf %lf", &x, &y, &z, &r) != 4)
      edge = 0.;
    for (int a = 0; a < nx && edge > 0.; a++)
      for (int b = 0; b < ny; b++) {
        const int64_t id = ((int64_t)a * ny + b) * n + i;
        state->position[3 * id] = edge * a + (a % 2 ? edge - x : x);
        state->position[3 * id + 1] = edge * b + (b % 2 ? edge - y : y);
        state->position[3 * id + 2] = z;
        state->radius[id] = r;
        state->mass[id] = 8. * r * r * r; /* a body of unit diameter has unit mass */
      }
  }
  fclose(file);
  return edge;
}

/* Share of the workers' time spent in tasks since profiling was switched on. */
static double kernel_share(double elapsed) {
  double executing = 0.;
  const unsigned n = starpu_worker_get_count();
  for (unsigned w = 0; w < n; w++) {
    struct starpu_profiling_worker_info info;
    starpu_profiling_worker_get_info((int)w, &info);
    executing += starpu_timing_timespec_to_us(&info.executing_time) * 1e-6;
  }
  return executing / (elapsed * n);
}

static int measure(struct cairn_simulation *sim, int64_t n, int64_t relax, int64_t steps, int repeats, double before,
                   struct cairn_error *error) {
  int status = cairn_simulation_advance(sim, relax, error);
  const double memory = resident_bytes() - before;
  double best = 0., share = 0.;
  for (int k = 0; k < repeats && !status; k++) {
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    for (unsigned w = 0; w < starpu_worker_get_count(); w++)
      starpu_profiling_worker_get_info((int)w, NULL);
    const double start = now();
    status = cairn_simulation_advance(sim, steps, error);
    const double elapsed = now() - start, speed = (double)n * (double)steps / elapsed;
    if (speed > best) {
      best = speed;
      share = kernel_share(elapsed);
    }
  }
  struct cairn_observables o;
  if (!status)
    status = cairn_simulation_observe(sim, &o, error);
  if (!status)
    printf("bodies %lld cells %lld speed %.4g kernel_share %.4f bytes_per_body %.0f coordination %.4f kinetic %.4g "
           "regrids %lld\n",
           (long long)n, (long long)cairn_simulation_n_cells(sim), best, share, memory / (double)n, o.coordination,
           o.kinetic_energy / (double)n, (long long)cairn_simulation_n_regrids(sim));
  return status;
}

static void move_wall(struct cairn_scenario *scenario, int32_t wall, int axis, double x) {
  struct cairn_assembly *assembly = scenario->assemblies + scenario->walls[wall].assembly;
  scenario->walls[wall].reference[axis] = assembly->position[axis] = assembly->rules.start[axis] = x;
}

int main(int argc, char **argv) {
  if (argc != 8 && argc != 9) {
    fprintf(stderr, "usage: dense_bed BED.txt NX NY WORKERS RELAX STEPS REPEATS [CELL]\n");
    return 2;
  }
  const int nx = atoi(argv[2]), ny = atoi(argv[3]);
  struct cairn_error error = {0};
  struct cairn_scenario *scenario = NULL;
  struct cairn_simulation *sim = NULL;
  int status = cairn_scenario_parse(scenario_text, strlen(scenario_text), "dense_bed", 0, NULL,
                                    CAIRN_SCENARIO_NO_BODIES, &scenario, &error);
  if (!status)
    status = cairn_engine_start(&(struct cairn_engine_options){.workers = atoi(argv[4])}, &error);
  if (status) {
    fprintf(stderr, "dense_bed: %s\n", error.message);
    cairn_scenario_free(scenario);
    return -status;
  }
  const double before = resident_bytes(), edge = read_bed(argv[1], nx, ny, &scenario->initial, &error);
  if (edge <= 0.)
    status = cairn_error_set(&error, CAIRN_ERR_INPUT, "%s is not a bed", argv[1]);
  if (argc == 9)
    scenario->cells_bodies = atoll(argv[8]);
  move_wall(scenario, 3, 0, edge * nx);
  move_wall(scenario, 4, 1, edge * ny);
  if (!status)
    status = cairn_simulation_create(scenario, NULL, &sim, &error);
  const int64_t n = scenario->initial.n;
  cairn_state_fini(&scenario->initial);
  if (!status)
    status = measure(sim, n, atoll(argv[5]), atoll(argv[6]), atoi(argv[7]), before, &error);
  if (status)
    fprintf(stderr, "dense_bed: %s\n", error.message);
  cairn_simulation_free(sim);
  cairn_engine_stop();
  cairn_scenario_free(scenario);
  return -status;
}
