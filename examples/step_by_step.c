/* A simulation driven step by step: observe it every hundred steps, with a frame each, stop a body half-way, save a
 * checkpoint. Then `cairn report step_by_step` shows it.
 *
 *   cc step_by_step.c $(pkg-config --cflags --libs cairn) && ./a.out scenario.yaml
 */
#include <cairn/cairn.h>
#include <stdio.h>
#include <string.h>

static int watch(void *context, struct cairn_simulation *simulation) {
  struct cairn_observables o;
  if (cairn_simulation_observe(simulation, &o, NULL) ||
      cairn_files_write(context, CAIRN_FILES_FRAME | CAIRN_FILES_ROW, NULL))
    return 1;
  printf("t = %.4f s, kinetic energy %.4g J, %g contacts\n", o.time, o.kinetic_energy, o.n_wall_contacts);
  return 0;
}

static int go(struct cairn_scenario *scenario, struct cairn_error *error) {
  struct cairn_simulation *simulation = NULL;
  struct cairn_files_writer *writer = NULL;
  char digest[CAIRN_DIGEST_LENGTH + 1];
  int status = cairn_simulation_create(scenario, NULL, &simulation, error);
  if (!status)
    status = cairn_files_open(simulation, "step_by_step", 1, &writer, error);
  if (!status)
    status = cairn_simulation_run(simulation, 500, 100, watch, writer, error);
  const struct cairn_state *state = status ? NULL : cairn_simulation_capture(simulation, error);
  struct cairn_state *copy = state ? cairn_state_clone(state) : NULL;
  if (copy) { /* what the simulation owns is not to be changed; a copy may be */
    memset(copy->velocity, 0, 3 * sizeof *copy->velocity);
    status = cairn_simulation_set_velocities(simulation, copy->velocity, NULL, error);
  }
  if (!status)
    status = cairn_simulation_run(simulation, 1000, 100, watch, writer, error);
  if (!status)
    status = cairn_files_write(writer, CAIRN_FILES_CHECKPOINT, error);
  state = status ? NULL : cairn_simulation_capture(simulation, error);
  if (state) {
    cairn_state_digest(state, digest);
    printf("digest %s\n", digest);
  }
  cairn_state_free(copy);
  const int closed = cairn_files_close(writer, status ? NULL : error);
  cairn_simulation_free(simulation);
  return status ? status : closed;
}

int main(int argc, char **argv) {
  struct cairn_error error = {0};
  const struct cairn_engine_options options = {.workers = 1, .device = CAIRN_ENGINE_CPU, .silent = 1};
  struct cairn_scenario *scenario = NULL;
  int status = cairn_scenario_load(argc > 1 ? argv[1] : "scenario.yaml", 0, NULL, 0, &scenario, &error);
  if (!status)
    status = cairn_engine_start(&options, &error);
  if (!status) {
    status = go(scenario, &error);
    cairn_engine_stop();
  }
  cairn_scenario_free(scenario);
  if (status)
    fprintf(stderr, "%s\n", error.message);
  return -status;
}
