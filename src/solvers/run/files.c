/* The files of a run, for programs that link the library (cairn/files.h). */
#include "cairn/files.h"

#include <stdlib.h>
#include <string.h>

#include "data/files/checkpoint.h"
#include "data/storage/durable.h"
#include "solvers/run/run.h"
#include "solvers/simulation/simulation_parts.h"

/* ---- a whole run ---- */

struct relay {
  const struct cairn_files_options *options;
  volatile sig_atomic_t stop;
};

static void relay_progress(void *context, const struct cairn_progress *progress) {
  struct relay *relay = context;
  if (relay->options->progress(relay->options->context, progress->step, progress->n_steps, progress->time))
    relay->stop = 1;
}

static int run(struct cairn_scenario *scenario, const struct cairn_files_options *options,
               struct cairn_run_files *files, struct cairn_run_summary *summary, struct cairn_error *error) {
  struct cairn_simulation *simulation = NULL;
  struct relay relay = {options, 0};
  const struct cairn_run_options run_options = {.files = files,
                                                .command_line = "libcairn",
                                                .stop = &relay.stop,
                                                .progress = options->progress ? relay_progress : NULL,
                                                .context = &relay};
  int status = cairn_simulation_adopt(scenario, NULL, &simulation, error);
  if (!status)
    status = cairn_run(simulation, scenario, &run_options, summary, error);
  cairn_simulation_free(simulation);
  return status;
}

int cairn_files_run(struct cairn_scenario *scenario, const struct cairn_files_options *options,
                    char digest[CAIRN_DIGEST_LENGTH + 1], struct cairn_error *error) {
  struct cairn_run_files files;
  struct cairn_run_summary *summary = calloc(1, sizeof *summary);
  if (!summary)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  digest[0] = '\0';
  int status = cairn_run_files_claim(&files, scenario->output_name, error);
  if (!status) {
    const char *earlier = options->overwrite ? NULL : cairn_run_files_earlier(&files);
    if (earlier)
      status = cairn_error_set(error, CAIRN_ERR_INPUT,
                               "%s exists: choose another output.name, or allow to overwrite it", earlier);
    if (!status)
      status = cairn_run_files_start(&files, options->overwrite, error);
    if (!status)
      status = run(scenario, options, &files, summary, error);
    cairn_run_files_release(&files);
  }
  memcpy(digest, summary->digest, sizeof summary->digest);
  free(summary);
  return status;
}

/* ---- checkpoints ---- */

int cairn_files_save(struct cairn_simulation *simulation, const char *path, struct cairn_error *error) {
  const struct cairn_state *state = cairn_simulation_capture(simulation, error);
  if (!state)
    return error ? (int)error->status : CAIRN_ERR_NUMERIC;
  const struct cairn_scenario *scenario = simulation->scenario;
  char walls[CAIRN_DIGEST_LENGTH + 1], id[CAIRN_DURABLE_TOKEN + 1];
  struct cairn_provenance provenance;
  struct cairn_checkpoint checkpoint = {.state = *state,
                                        .step_size = simulation->step_size,
                                        .file = scenario->file,
                                        .text = scenario->text,
                                        .scenario = cairn_scenario_effective(scenario),
                                        .walls = walls};
  cairn_walls_digest(scenario, walls);
  if (!checkpoint.scenario)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  int status = cairn_provenance_init(&provenance, error);
  if (!status) {
    status = cairn_durable_token(id, error);
    if (!status)
      status = cairn_provenance_set(&provenance, "run_id", id, error);
    if (!status)
      status = cairn_checkpoint_write(path, &checkpoint, &provenance, error);
    cairn_provenance_fini(&provenance);
  }
  free(checkpoint.scenario);
  return status;
}

int cairn_files_load(const char *path, int n_set, const char *const *set, struct cairn_scenario **scenario,
                     struct cairn_state **state, struct cairn_error *error) {
  struct cairn_checkpoint checkpoint;
  *scenario = NULL;
  *state = NULL;
  int status = cairn_checkpoint_read(path, &checkpoint, error);
  if (status)
    return status;
  status = cairn_scenario_parse(checkpoint.scenario, strlen(checkpoint.scenario), checkpoint.file, n_set, set,
                                CAIRN_SCENARIO_NO_BODIES, scenario, error);
  if (!status && !(*state = cairn_state_clone(&checkpoint.state)))
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the state of '%s'", path);
  cairn_checkpoint_fini(&checkpoint);
  if (status) {
    cairn_scenario_free(*scenario);
    *scenario = NULL;
  }
  return status;
}
