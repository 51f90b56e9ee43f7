#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/session.h"

/* Is `path` the checkpoint of a run that did not reach its end? A file that cannot be read is not. */
static int is_unfinished(const char *path, struct cairn_error *error) {
  struct cairn_checkpoint checkpoint;
  if (cairn_checkpoint_read(path, &checkpoint, error))
    return 0;
  struct cairn_scenario *scenario = NULL;
  int unfinished = 0;
  if (cairn_scenario_parse(checkpoint.scenario, strlen(checkpoint.scenario), checkpoint.file, 0, NULL,
                           CAIRN_SCENARIO_NO_BODIES, &scenario, error) == 0) {
    unfinished = !cairn_session_is_finished(&checkpoint, scenario);
    cairn_scenario_free(scenario);
  }
  cairn_checkpoint_fini(&checkpoint);
  return unfinished;
}

/* Results of hours must not vanish because a command was typed twice. */
static int refuse_overwrite(const char *name, struct cairn_error *error) {
  static const char *const suffixes[] = {".ckpt.nc", ".nc", ".series.nc"};
  for (int i = 0; i < 3; i++) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s%s", name, suffixes[i]) >= (int)sizeof path)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "the output name is too long");
    if (access(path, F_OK))
      continue;
    if (i == 0 && is_unfinished(path, error))
      return cairn_error_set(error, CAIRN_ERR_INPUT,
                             "%s holds a run that has not reached its end: go on with `cairn resume %s`, or start "
                             "again with --overwrite",
                             path, path);
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "%s exists: choose another name with --output NAME, or replace it with --overwrite", path);
  }
  return 0;
}

/* A checkpoint of the earlier run that outlived the start of this one would be resumed with the wrong files after a
 * kill, so all of them go before the first step. */
static int remove_earlier(const char *name, struct cairn_error *error) {
  static const char *const suffixes[] = {".ckpt.nc", ".ckpt.prev.nc", ".nc", ".series.nc"};
  for (int i = 0; i < 4; i++) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s%s", name, suffixes[i]) >= (int)sizeof path)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "the output name is too long");
    if (unlink(path) && errno != ENOENT)
      return cairn_error_set(error, CAIRN_ERR_IO, "cannot replace %s: %s", path, strerror(errno));
  }
  return 0;
}

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  struct cairn_session_overrides overrides;
  struct cairn_scenario *scenario = NULL;
  struct cairn_plan plan;
  int status = cairn_session_overrides_init(&overrides, options, options->output, error);
  if (status)
    return status;
  status = cairn_scenario_load(options->operands[0], overrides.n, overrides.set, 0, &scenario, error);
  if (!status) /* before anything of an earlier run is removed */
    status = cairn_session_plan(options, scenario, NULL, &plan, error);
  if (!status)
    status = options->overwrite ? remove_earlier(scenario->output_name, error)
                                : refuse_overwrite(scenario->output_name, error);
  if (!status)
    status = cairn_session_run(options, scenario, NULL, NULL, error);
  cairn_scenario_free(scenario);
  cairn_session_overrides_fini(&overrides);
  return status;
}

const struct cairn_command cairn_command_run = {
    .name = "run",
    .operands = "SCENARIO",
    .summary = "simulate a scenario from its first step",
    .help =
        "Files go to the current directory: NAME.nc (frames), NAME.series.nc (diagnostics) and NAME.ckpt.nc (state),\n"
        "with NAME from output.name. Ctrl-C, SIGTERM and SIGUSR1 end the step, write a checkpoint and exit with 75;\n"
        "a second Ctrl-C exits at once. The environment variables of StarPU stay in force.",
    .options = CAIRN_OPTION_SET | CAIRN_OPTION_WORKERS | CAIRN_OPTION_DEVICE | CAIRN_OPTION_OUTPUT |
               CAIRN_OPTION_OVERWRITE | CAIRN_OPTION_FORCE | CAIRN_OPTION_QUIET | CAIRN_OPTION_LOG_EVERY,
    .min_operands = 1,
    .max_operands = 1,
    .takes = CAIRN_FILE_SCENARIO,
    .execute = execute,
};
