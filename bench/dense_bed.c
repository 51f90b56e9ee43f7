/* The dense bed: a settled box of spheres under its own weight, the same problem for every code (bench/README.md).
 *
 *   dense_bed BED.txt NX NY WORKERS RELAX STEPS REPEATS [LAW [CELL]]
 *
 * BED.txt holds "N L H" and then "x y z r" per body. The bed is tiled NX × NY times, mirrored at each wall so that the
 * copies fit. LAW is hooke (default), hertz, or spring or beam: the Hooke law with bonds between all bodies that touch.
 * After RELAX steps, REPEATS stretches of STEPS steps are timed; a line of `name value` pairs is printed.
 */
#include <starpu.h>
#include <starpu_profiling.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "cairn/engine.h"
#include "solvers/simulation/simulation.h"

/* Either law in a bed of nearly the same stiffness: k √(R ψ) at the mean overlap is that of the springs. */
#define BED_SCENARIO(law, material, interaction, bonds)                                                                \
  "title: dense bed\nlaw: " law "\n"                                                                                   \
  "time: {step: 1e-4, end: 1}\n"                                                                                       \
  "gravity: {uniform: [0, 0, -1]}\n"                                                                                   \
  "materials: [{name: grain, density: 1.909859317" material "}]\n"                                                     \
  "interactions:\n"                                                                                                    \
  "  - {between: [grain, grain], " interaction ", friction: 0.5, slip: 1}\n"                                           \
  "bodies:\n"                                                                                                          \
  "  - single: {position: [0, 0, 1], radius: 0.5, material: grain}\n" BED_WALLS bonds

/* Bonds never break, and are as stiff as the springs of the Hooke law: Y A/rho_0 with A = pi/4 and rho_0 = 1. */
#define BED_HOOKE "stiffness: 2e5, restitution: 0.7, tangential_restitution: 0.7165"
#define BED_BONDS(law) "bonds: [{law: " law ", modulus: 2.5465e5, strain: 10}]\n"

static const struct {
  const char *name, *text;
} laws[] = {{"hooke", BED_SCENARIO("hooke", "", BED_HOOKE, "")},
            {"hertz", BED_SCENARIO("hertz", ", young_modulus: 6.825e7, poisson_ratio: 0.3",
                                   "viscous_time: 2e-5, shear_ratio: 0.4", "")},
            {"spring", BED_SCENARIO("hooke", "", BED_HOOKE, BED_BONDS("spring, slip: holds"))},
            {"beam", BED_SCENARIO("hooke", "", BED_HOOKE, BED_BONDS("beam, damping: 0.1"))}};

/* The scenario of a law, or NULL. */
static const char *text_of(const char *law) {
  for (size_t k = 0; k < sizeof laws / sizeof *laws; k++)
    if (strcmp(law, laws[k].name) == 0)
      return laws[k].text;
  return NULL;
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
    const double start = bed_now();
    status = cairn_simulation_advance(sim, steps, error);
    const double elapsed = bed_now() - start, speed = (double)n * (double)steps / elapsed;
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

int main(int argc, char **argv) {
  if (argc < 8 || argc > 10) {
    fprintf(stderr, "usage: dense_bed BED.txt NX NY WORKERS RELAX STEPS REPEATS [LAW [CELL]]\n");
    return 2;
  }
  const int nx = atoi(argv[2]), ny = atoi(argv[3]);
  struct cairn_error error = {0};
  struct cairn_scenario *scenario = NULL;
  struct cairn_simulation *sim = NULL;
  const char *text = text_of(argc > 8 ? argv[8] : "hooke");
  if (!text) {
    fprintf(stderr, "dense_bed: no law %s\n", argv[8]);
    return 2;
  }
  int status =
      cairn_scenario_parse(text, strlen(text), "dense_bed", 0, NULL, CAIRN_SCENARIO_NO_BODIES, &scenario, &error);
  if (!status)
    status = cairn_engine_start(&(struct cairn_engine_options){.workers = atoi(argv[4])}, &error);
  if (status) {
    fprintf(stderr, "dense_bed: %s\n", error.message);
    cairn_scenario_free(scenario);
    return -status;
  }
  const double before = resident_bytes(), edge = bed_read(argv[1], nx, ny, &scenario->initial, &error);
  if (edge <= 0.)
    status = cairn_error_set(&error, CAIRN_ERR_INPUT, "%s is not a bed", argv[1]);
  if (argc == 10)
    scenario->cells_bodies = atoll(argv[9]);
  bed_move_walls(scenario, edge * nx, edge * ny);
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
