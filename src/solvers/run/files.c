/* The files of a run, for programs that link the library (cairn/files.h). */
#include "cairn/files.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/aggregate.h"
#include "data/checkpoint/checkpoint.h"
#include "data/storage/durable.h"
#include "solvers/run/labels.h"
#include "solvers/run/run.h"
#include "solvers/run/run_describe.h"
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

/* Take the name for a new run. On failure nothing is held. */
static int claim(const char *name, int overwrite, struct cairn_run_files *files, struct cairn_error *error) {
  int status = cairn_run_files_claim(files, name, error);
  if (status)
    return status;
  const char *earlier = overwrite ? NULL : cairn_run_files_earlier(files);
  if (earlier)
    status =
        cairn_error_set(error, CAIRN_ERR_INPUT, "%s exists: choose another name, or allow to overwrite it", earlier);
  if (!status)
    status = cairn_run_files_start(files, overwrite, error);
  if (status)
    cairn_run_files_release(files);
  return status;
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
  int status = cairn_simulation_adopt(scenario, NULL, NULL, &simulation, error);
  if (!status)
    status = cairn_run(&simulation, scenario, &run_options, summary, error);
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
  int status = claim(scenario->output_name, options->overwrite, &files, error);
  if (!status) {
    status = run(scenario, options, &files, summary, error);
    cairn_run_files_release(&files);
  }
  memcpy(digest, summary->digest, sizeof summary->digest);
  free(summary);
  return status;
}

/* ---- checkpoints ---- */

static int write_checkpoint(struct cairn_simulation *simulation, const char *path,
                            const struct cairn_provenance *provenance, int64_t n_frames, int64_t n_rows,
                            struct cairn_error *error) {
  const struct cairn_state *state = cairn_simulation_capture(simulation, error);
  if (!state)
    return error ? (int)error->status : CAIRN_ERR_NUMERIC;
  const struct cairn_scenario *scenario = simulation->scenario;
  char walls[CAIRN_DIGEST_LENGTH + 1];
  struct cairn_checkpoint checkpoint = {.state = *state,
                                        .step_size = simulation->step_size,
                                        .file = scenario->file,
                                        .text = scenario->text,
                                        .scenario = cairn_scenario_effective(scenario),
                                        .walls = walls,
                                        .n_frames = n_frames,
                                        .n_rows = n_rows};
  cairn_walls_digest(scenario, walls);
  if (!checkpoint.scenario)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  const int status = cairn_checkpoint_write(path, &checkpoint, provenance, error);
  free(checkpoint.scenario);
  return status;
}

int cairn_files_save(struct cairn_simulation *simulation, const char *path, struct cairn_error *error) {
  char id[CAIRN_DURABLE_TOKEN + 1];
  struct cairn_provenance provenance;
  int status = cairn_provenance_init(&provenance, error);
  if (status)
    return status;
  status = cairn_durable_token(id, error);
  if (!status)
    status = cairn_provenance_set(&provenance, "run_id", id, error);
  if (!status)
    status = write_checkpoint(simulation, path, &provenance, 0, 0, error);
  cairn_provenance_fini(&provenance);
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

/* ---- frames, rows and checkpoints by hand ---- */

struct cairn_files_writer {
  struct cairn_simulation *simulation;
  struct cairn_run_files files;
  struct cairn_provenance provenance;
  struct cairn_labels labels;
  struct cairn_trajectory *trajectory;
  struct cairn_series *series;
  struct cairn_wall_sample *walls;
  int64_t last_frame, last_row; /* steps at which they were written; -1: not yet */
};

static int append_frame(struct cairn_files_writer *w, const struct cairn_observables *observables,
                        struct cairn_error *error) {
  const struct cairn_state *state = cairn_simulation_capture(w->simulation, error);
  const bool has_stress = w->simulation->scenario->output_stress;
  struct cairn_body_stress stress = {0};
  if (!state)
    return CAIRN_ERR_NUMERIC;
  int status = has_stress ? cairn_aggregate_stress(state, w->simulation->scenario, &stress, error) : 0;
  if (!status)
    status = cairn_trajectory_append(w->trajectory, state, observables, w->walls, has_stress ? &stress : NULL, error);
  cairn_fields_stress_fini(&stress);
  return status;
}

static int append(struct cairn_files_writer *w, int parts, struct cairn_error *error) {
  const int64_t step = cairn_simulation_step(w->simulation);
  const bool frame = (parts & CAIRN_FILES_FRAME) && w->last_frame != step;
  const bool row = (parts & CAIRN_FILES_ROW) && w->last_row != step;
  struct cairn_observables observables;
  if (!frame && !row)
    return 0;
  int status = cairn_simulation_observe(w->simulation, &observables, error);
  if (!status && w->labels.walls.n > 0)
    status = cairn_simulation_observe_walls(w->simulation, w->walls, error);
  if (!status && frame && !(status = append_frame(w, &observables, error)))
    w->last_frame = step;
  if (!status && row && !(status = cairn_series_append(w->series, &observables, w->walls, error)))
    w->last_row = step;
  return status ? status : cairn_series_sync(w->series, error);
}

static int start(struct cairn_files_writer *w, struct cairn_error *error) {
  const struct cairn_scenario *scenario = w->simulation->scenario;
  const struct cairn_run_options options = {.files = &w->files, .command_line = "libcairn"};
  int status = cairn_run_describe(scenario, &options, &w->provenance, error);
  if (!status)
    status = cairn_labels_make(scenario, &w->labels, error);
  w->walls = calloc((size_t)scenario->n_walls + 1, sizeof *w->walls);
  if (!status && !w->walls)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  if (status)
    return status;
  const char *path = cairn_run_files_reserve(&w->files, CAIRN_RUN_TRAJECTORY, error);
  status =
      path ? cairn_labels_trajectory(path, w->simulation, scenario, &w->labels, &w->provenance, &w->trajectory, error)
           : CAIRN_ERR_IO;
  path = status ? NULL : cairn_run_files_reserve(&w->files, CAIRN_RUN_SERIES, error);
  if (!status)
    status = path ? cairn_series_create(path, scenario->title, cairn_labels_walls(&w->labels), &w->provenance,
                                        &w->series, error)
                  : CAIRN_ERR_IO;
  if (!status)
    status = append(w, CAIRN_FILES_FRAME | CAIRN_FILES_ROW, error);
  return status ? status : cairn_run_files_begin(&w->files, w->trajectory, w->series, NULL, error);
}

int cairn_files_open(struct cairn_simulation *simulation, const char *name, int overwrite,
                     struct cairn_files_writer **writer, struct cairn_error *error) {
  struct cairn_files_writer *w = calloc(1, sizeof *w);
  *writer = NULL;
  if (!w)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  w->simulation = simulation;
  w->last_frame = w->last_row = -1;
  int status = claim(name, overwrite, &w->files, error);
  if (status) {
    free(w);
    return status;
  }
  status = start(w, error);
  if (status)
    cairn_files_close(w, NULL);
  else
    *writer = w;
  return status;
}

int cairn_files_write(struct cairn_files_writer *w, int parts, struct cairn_error *error) {
  if (parts & ~(CAIRN_FILES_FRAME | CAIRN_FILES_ROW | CAIRN_FILES_CHECKPOINT))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "parts %d: expected a sum of frame 1, row 2 and checkpoint 4",
                           parts);
  int status = append(w, parts, error);
  if (status || !(parts & CAIRN_FILES_CHECKPOINT))
    return status;
  /* what the checkpoint counts must be on the disk before it */
  status = cairn_trajectory_persist(w->trajectory, error);
  if (!status)
    status = cairn_series_persist(w->series, error);
  return status ? status
                : write_checkpoint(w->simulation, w->files.path[CAIRN_RUN_CHECKPOINT], &w->provenance,
                                   cairn_trajectory_n_frames(w->trajectory), cairn_series_n_rows(w->series), error);
}

int cairn_files_close(struct cairn_files_writer *w, struct cairn_error *error) {
  if (!w)
    return 0;
  int status = cairn_trajectory_close(w->trajectory, error);
  const int series = cairn_series_close(w->series, status ? NULL : error);
  status = status ? status : series;
  cairn_labels_fini(&w->labels);
  cairn_provenance_fini(&w->provenance);
  cairn_run_files_release(&w->files);
  free(w->walls);
  free(w);
  return status;
}
