#include <string.h>

#include "cairn/ranks.h"
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
static int refuse_overwrite(const struct cairn_run_files *files, struct cairn_error *error) {
  const char *path = cairn_run_files_earlier(files);
  if (!path)
    return 0;
  if (path == files->path[CAIRN_RUN_CHECKPOINT] && is_unfinished(path, error))
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "%s holds a run that has not reached its end: continue with `cairn resume %s`, or start "
                           "again with --overwrite",
                           path, path);
  return cairn_error_set(error, CAIRN_ERR_INPUT,
                         "%s exists: choose another name with --output NAME, or replace it with --overwrite", path);
}

/* Take the name. On failure nothing is held. */
static int claim(const struct cairn_options *options, const struct cairn_scenario *scenario,
                 struct cairn_run_files *files, struct cairn_error *error) {
  int status = cairn_run_files_claim(files, scenario->output_name, error);
  if (status)
    return status;
  if (!options->overwrite)
    status = refuse_overwrite(files, error);
  if (!status)
    status = cairn_run_files_start(files, options->overwrite, error);
  if (status)
    cairn_run_files_release(files);
  return status;
}

static int run(const struct cairn_options *options, struct cairn_scenario *scenario, struct cairn_error *error) {
  struct cairn_run_files files;
  const bool leads = cairn_ranks_me() == 0;
  int status = cairn_session_compare(scenario, error);
  if (!status)
    status = cairn_ranks_agree(leads ? claim(options, scenario, &files, error) : 0, error);
  if (status)
    return status;
  status = cairn_session_run(options, scenario, NULL, NULL, leads ? &files : NULL, error);
  if (leads)
    cairn_run_files_release(&files);
  return status;
}

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  struct cairn_session_overrides overrides;
  struct cairn_scenario *scenario = NULL;
  int status = cairn_session_overrides_init(&overrides, options, options->output, error);
  if (status)
    return status;
  status =
      cairn_scenario_load(options->operands[0], overrides.n, overrides.set, CAIRN_SCENARIO_SHARED, &scenario, error);
  status = cairn_ranks_agree(status, error);
  if (!status)
    status = run(options, scenario, error);
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
        "with NAME from output.name. --overwrite replaces files of an earlier run once the first frame of this one is\n"
        "written. Ctrl-C, SIGTERM and SIGUSR1 end the step, write a checkpoint and exit with 75;\n"
        "a second Ctrl-C exits at once. The environment variables of StarPU stay in force.",
    .options = CAIRN_OPTION_SET | CAIRN_OPTION_WORKERS | CAIRN_OPTION_DEVICE | CAIRN_OPTION_OUTPUT |
               CAIRN_OPTION_OVERWRITE | CAIRN_OPTION_FORCE | CAIRN_OPTION_QUIET | CAIRN_OPTION_LOG_EVERY |
               CAIRN_OPTION_LIVE | CAIRN_OPTION_PORT | CAIRN_OPTION_JSON | CAIRN_OPTION_WALLTIME | CAIRN_OPTION_TRACE,
    .min_operands = 1,
    .max_operands = 1,
    .on_ranks = true,
    .takes = CAIRN_FILE_SCENARIO,
    .execute = execute,
};
