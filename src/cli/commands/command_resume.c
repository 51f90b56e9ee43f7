#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cairn/ranks.h"
#include "cli/command.h"
#include "cli/session.h"
#include "data/scenario/stages.h"
#include "solvers/start/stretch.h"

/* DIR/NAME.ckpt.nc and DIR/NAME.ckpt.prev.nc belong to DIR/NAME. NULL if the path has neither form or memory is out. */
static char *name_of(const char *path) {
  static const char *const suffixes[] = {".ckpt.prev.nc", ".ckpt.nc"};
  size_t length = strlen(path);
  for (int i = 0; i < 2; i++) {
    size_t cut = strlen(suffixes[i]);
    if (length > cut && strcmp(path + length - cut, suffixes[i]) == 0)
      return strndup(path, length - cut);
  }
  return NULL;
}

/* The folder of `path` and the last part of the output name in the checkpoint, for a checkpoint that was renamed. */
static char *name_beside(const char *path, const struct cairn_checkpoint *checkpoint, struct cairn_error *error) {
  struct cairn_scenario *scenario = NULL;
  if (cairn_scenario_parse(checkpoint->scenario, strlen(checkpoint->scenario), checkpoint->file, 0, NULL,
                           CAIRN_SCENARIO_NO_BODIES, &scenario, error))
    return NULL;
  const char *slash = strrchr(path, '/'), *last = strrchr(scenario->output_name, '/');
  const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
  last = last ? last + 1 : scenario->output_name;
  char *name = malloc(folder + strlen(last) + 1);
  if (name) {
    memcpy(name, path, folder);
    strcpy(name + folder, last);
  } else
    cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  cairn_scenario_free(scenario);
  return name;
}

/* The files of a run lie beside its checkpoint, wherever the command is typed, or where --output says. */
static int find_name(const struct cairn_options *options, const struct cairn_checkpoint *checkpoint, char **name,
                     struct cairn_error *error) {
  const char *path = options->operands[0];
  struct stat about;
  /* The name of a link, or that of what it leads to? The checkpoint written next would replace the link. */
  if (!options->output && !lstat(path, &about) && S_ISLNK(about.st_mode))
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "'%s' is a symbolic link: resume the file that it leads to, or say with --output NAME where "
                           "the run shall continue",
                           path);
  *name = options->output ? strdup(options->output) : name_of(path);
  if (!*name && !options->output)
    *name = name_beside(path, checkpoint, error);
  if (!*name)
    return error->status ? (int)error->status : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  /* A checkpoint that was renamed to NAME.nc stands where the trajectory of NAME should be. */
  const size_t length = strlen(*name);
  if (strncmp(path, *name, length) == 0 &&
      (strcmp(path + length, ".nc") == 0 || strcmp(path + length, ".series.nc") == 0))
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "'%s' is a checkpoint with the name of a trajectory: say with --output NAME where the run "
                           "shall continue",
                           path);
  return cairn_run_files_check_name(*name, error);
}

/* Files go on telling what the user wrote, not the effective parameters that the checkpoint was parsed from. */
static int keep_text(struct cairn_scenario *scenario, const struct cairn_checkpoint *checkpoint,
                     struct cairn_error *error) {
  char *text = strdup(checkpoint->text);
  if (!text)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  free(scenario->text);
  scenario->text = text;
  return 0;
}

/* Take the name and the files there are. On failure nothing is held. */
static int claim(const struct cairn_scenario *scenario, const struct cairn_checkpoint *checkpoint, const char *parent,
                 struct cairn_run_files *files, struct cairn_error *error) {
  int status = cairn_run_files_claim(files, scenario->output_name, error);
  if (status)
    return status;
  status = cairn_run_files_resume(files, parent, checkpoint->run_id, error);
  if (status)
    cairn_run_files_release(files);
  return status;
}

static int go_on(const struct cairn_options *options, struct cairn_scenario *scenario,
                 struct cairn_checkpoint *checkpoint, struct cairn_error *error) {
  const char *parent = options->operands[0];
  if (!cairn_session_is_finished(checkpoint, scenario)) {
    struct cairn_run_files files;
    const bool leads = cairn_ranks_me() == 0;
    int status = cairn_session_compare(scenario, error);
    if (!status)
      status = cairn_ranks_agree(leads ? claim(scenario, checkpoint, parent, &files, error) : 0, error);
    if (status)
      return status;
    status = cairn_session_run(options, scenario, checkpoint, parent, leads ? &files : NULL, error);
    if (leads)
      cairn_run_files_release(&files);
    return status;
  }
  if (cairn_ranks_me() > 0)
    return 0;
  if (!options->quiet)
    printf("finished: step %lld, t = %.6g s, is the end of this run; to %s\n", (long long)checkpoint->state.step,
           checkpoint->state.time,
           cairn_stages_are_over(scenario)
               ? "go on after the last stage: a new scenario with bodies: [{run: {file: …}}]"
               : "extend it: --set time.end=SECONDS");
  printf("digest: %s\n", checkpoint->digest);
  return 0;
}

/* A run that goes on is the same run: what it simulates, and the step its clock counts in, cannot change. */
static int check_overrides(const struct cairn_options *options, struct cairn_error *error) {
  static const char *const allowed[] = {"time.end=", "output.checkpoint=", "cells.bodies=", "cells.skin="};
  for (int i = 0; i < options->n_set; i++) {
    int known = 0;
    for (size_t k = 0; k < sizeof allowed / sizeof *allowed; k++)
      known |= strncmp(options->set[i], allowed[k], strlen(allowed[k])) == 0;
    if (!known)
      return cairn_error_set(
          error, CAIRN_ERR_INPUT,
          "--set %s: a resumed run takes time.end, output.checkpoint, cells.bodies and cells.skin; for "
          "other changes start a new run from its last frame (bodies: run)",
          options->set[i]);
  }
  return 0;
}

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  const char *path = options->operands[0];
  struct cairn_checkpoint checkpoint;
  int status = check_overrides(options, error);
  if (!status)
    status = cairn_stretch_read_checkpoint(path, &checkpoint, error);
  if (status)
    return status;
  struct cairn_session_overrides overrides = {0};
  struct cairn_scenario *scenario = NULL;
  char *name = NULL;
  status = find_name(options, &checkpoint, &name, error);
  if (!status)
    status = cairn_session_overrides_init(&overrides, options, name, error);
  free(name);
  if (!status)
    status = cairn_scenario_parse(checkpoint.scenario, strlen(checkpoint.scenario), checkpoint.file, overrides.n,
                                  overrides.set, CAIRN_SCENARIO_NO_BODIES, &scenario, error);
  if (!status)
    status = keep_text(scenario, &checkpoint, error);
  status = cairn_ranks_agree(status, error);
  if (!status)
    status = go_on(options, scenario, &checkpoint, error);
  cairn_scenario_free(scenario);
  cairn_session_overrides_fini(&overrides);
  cairn_checkpoint_fini(&checkpoint);
  return status;
}

const struct cairn_command cairn_command_resume = {
    .name = "resume",
    .operands = "CHECKPOINT",
    .summary = "continue from a checkpoint, with the same bits as if the run had never stopped",
    .help =
        "Frames and diagnostics are appended to the files of the run beside the checkpoint; with --output the run\n"
        "continues in files of another name. Files of other runs are left alone. A run that has reached its end is\n"
        "extended with a later one: cairn resume NAME.ckpt.nc --set time.end=SECONDS. Beside it, --set takes\n"
        "output.checkpoint, cells.bodies and cells.skin; everything else is as it was.",
    .options = CAIRN_OPTION_SET | CAIRN_OPTION_WORKERS | CAIRN_OPTION_DEVICE | CAIRN_OPTION_OUTPUT |
               CAIRN_OPTION_FORCE | CAIRN_OPTION_QUIET | CAIRN_OPTION_LOG_EVERY | CAIRN_OPTION_LIVE |
               CAIRN_OPTION_PORT | CAIRN_OPTION_JSON | CAIRN_OPTION_WALLTIME | CAIRN_OPTION_TRACE,
    .min_operands = 1,
    .max_operands = 1,
    .on_ranks = true,
    .takes = CAIRN_FILE_CHECKPOINT,
    .execute = execute,
};
