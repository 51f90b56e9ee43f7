/* What the tests of tasks and methods share: a scenario from a few lines of YAML, bodies put where the test wants them,
 * a simulation that ends the test with a message where nothing can go wrong. */
#ifndef CAIRN_TESTS_SIM_H
#define CAIRN_TESTS_SIM_H

#include "tap/tap.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/engine.h"
#include "data/scenario/scenario.h"
#include "solvers/simulation/simulation.h"

#define SIM_PI 3.14159265358979323846

/* Scenario from printf-formatted YAML. */
__attribute__((format(printf, 1, 2))) static inline struct cairn_scenario *sim_scenario(const char *format, ...) {
  static char text[16384];
  struct cairn_scenario *scenario = NULL;
  struct cairn_error error = {0};
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= sizeof text)
    BAIL_OUT("the scenario is too long");
  if (cairn_scenario_parse(text, (size_t)length, "test.yaml", 0, NULL, 0, &scenario, &error))
    BAIL_OUT("%s", error.message);
  return scenario;
}

/* Let the scenario have n bodies, whatever it was made with; those that are new are copies of the first. */
static inline void sim_resize(struct cairn_scenario *scenario, int64_t n) {
  struct cairn_state *s = &scenario->initial;
  const int64_t had = s->n;
  if (cairn_state_resize(s, n, NULL))
    BAIL_OUT("out of memory");
  for (int64_t i = had; i < n; i++) {
    s->radius[i] = s->radius[0];
    s->mass[i] = s->mass[0];
    s->material[i] = s->material[0];
  }
}

static inline void sim_vector(double *array, int64_t i, double x, double y, double z) {
  array[3 * i] = x;
  array[3 * i + 1] = y;
  array[3 * i + 2] = z;
}

/* A sphere of the density of its material. */
static inline void sim_set_radius(struct cairn_scenario *scenario, int64_t i, double radius) {
  struct cairn_state *s = &scenario->initial;
  s->radius[i] = radius;
  s->mass[i] = scenario->materials[s->material[i]].density * 4. / 3. * SIM_PI * radius * radius * radius;
}

static inline void sim_start(int workers) {
  struct cairn_error error = {0};
  if (cairn_engine_start(&(struct cairn_engine_options){.workers = workers}, &error))
    BAIL_OUT("%s", error.message);
}

static inline struct cairn_simulation *sim_create(struct cairn_scenario *scenario) {
  struct cairn_simulation *simulation = NULL;
  struct cairn_error error = {0};
  if (cairn_simulation_create(scenario, NULL, &simulation, &error))
    BAIL_OUT("%s", error.message);
  return simulation;
}

static inline void sim_advance(struct cairn_simulation *simulation, int64_t n_steps) {
  struct cairn_error error = {0};
  if (cairn_simulation_advance(simulation, n_steps, &error))
    BAIL_OUT("%s", error.message);
}

static inline const struct cairn_state *sim_state(struct cairn_simulation *simulation) {
  struct cairn_error error = {0};
  const struct cairn_state *state = cairn_simulation_capture(simulation, &error);
  if (!state)
    BAIL_OUT("%s", error.message);
  return state;
}

static inline struct cairn_observables sim_observe(struct cairn_simulation *simulation) {
  struct cairn_observables observables;
  struct cairn_error error = {0};
  if (cairn_simulation_observe(simulation, &observables, &error))
    BAIL_OUT("%s", error.message);
  return observables;
}

static inline void sim_free(struct cairn_simulation *simulation, struct cairn_scenario *scenario) {
  cairn_simulation_free(simulation);
  cairn_scenario_free(scenario);
}

/* The digest of the state, a copy of it (NULL: none), and the end of the simulation. */
static inline void sim_finish(struct cairn_simulation *simulation, struct cairn_scenario *scenario,
                              struct cairn_state *end, char digest[CAIRN_DIGEST_LENGTH + 1]) {
  struct cairn_error error = {0};
  cairn_state_digest(sim_state(simulation), digest);
  if (end && cairn_state_copy(end, sim_state(simulation), &error))
    BAIL_OUT("%s", error.message);
  sim_free(simulation, scenario);
}

#endif
