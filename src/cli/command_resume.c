#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/session.h"

/* The files of a run lie beside its checkpoint, wherever the command is typed: DIR/NAME.ckpt.nc and
 * DIR/NAME.ckpt.prev.nc belong to DIR/NAME. NULL if the path has neither form or memory is out. */
static char *output_name(const char *path) {
  static const char *const suffixes[] = {".ckpt.prev.nc", ".ckpt.nc"};
  size_t length = strlen(path);
  for (int i = 0; i < 2; i++) {
    size_t cut = strlen(suffixes[i]);
    if (length > cut && strcmp(path + length - cut, suffixes[i]) == 0)
      return strndup(path, length - cut);
  }
  return NULL;
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

static int go_on(const struct cairn_options *options, struct cairn_scenario *scenario,
                 const struct cairn_checkpoint *checkpoint, struct cairn_error *error) {
  if (!cairn_session_is_finished(checkpoint, scenario))
    return cairn_session_run(options, scenario, checkpoint, options->operands[0], error);
  if (!options->quiet)
    printf("finished: step %lld, t = %.6g s, is the end of this run; to go further: --set time.end=SECONDS\n",
           (long long)checkpoint->state.step, checkpoint->state.time);
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
    status = cairn_checkpoint_read(path, &checkpoint, error);
  if (status)
    return status;
  struct cairn_session_overrides overrides = {0};
  struct cairn_scenario *scenario = NULL;
  char *name = output_name(path);
  status = cairn_session_overrides_init(&overrides, options, name, error);
  free(name);
  if (!status)
    status = cairn_scenario_parse(checkpoint.scenario, strlen(checkpoint.scenario), checkpoint.file, overrides.n,
                                  overrides.set, CAIRN_SCENARIO_NO_BODIES, &scenario, error);
  if (!status)
    status = keep_text(scenario, &checkpoint, error);
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
    .summary = "go on from a checkpoint, with the same bits as if the run had never stopped",
    .help =
        "Frames and diagnostics are appended to the files that lie beside the checkpoint. A run that has reached its\n"
        "end goes further with a later one: cairn resume NAME.ckpt.nc --set time.end=SECONDS. Beside it, --set takes\n"
        "output.checkpoint, cells.bodies and cells.skin; everything else is as it was.",
    .options = CAIRN_OPTION_SET | CAIRN_OPTION_WORKERS | CAIRN_OPTION_DEVICE | CAIRN_OPTION_FORCE | CAIRN_OPTION_QUIET |
               CAIRN_OPTION_LOG_EVERY,
    .min_operands = 1,
    .max_operands = 1,
    .takes = CAIRN_FILE_CHECKPOINT,
    .execute = execute,
};
