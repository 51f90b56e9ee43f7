/* What `cairn run` and `cairn resume` share: plan, engine, run, report. */
#ifndef CAIRN_CLI_SESSION_H
#define CAIRN_CLI_SESSION_H

#include "cli/options.h"
#include "data/checkpoint/checkpoint.h"
#include "data/scenario/scenario.h"
#include "data/storage/run_files.h"

/* The overrides of the command line and, behind them, the name of the output files. */
struct cairn_session_overrides {
  int n;
  const char **set; /* the array is owned, its strings are not */
  char *output;     /* owned; the last of `set` where there is a name */
};

/* `name` replaces output.name of the scenario; NULL leaves it alone. On failure nothing is allocated. */
int cairn_session_overrides_init(struct cairn_session_overrides *overrides, const struct cairn_options *options,
                                 const char *name, struct cairn_error *error);

void cairn_session_overrides_fini(struct cairn_session_overrides *overrides);

/* Have all ranks the same scenario and the same build? */
int cairn_session_compare(const struct cairn_scenario *scenario, struct cairn_error *error);

/* Run the scenario to its end, from `checkpoint` (read from `parent`) if it is not NULL, into `files`, with progress on
 * standard error and the summary on standard output. The bodies of scenario or checkpoint are moved into the
 * simulation. `files` is NULL on all ranks but the first. Returns as cairn_run. */
int cairn_session_run(const struct cairn_options *options, struct cairn_scenario *scenario,
                      struct cairn_checkpoint *checkpoint, const char *parent, struct cairn_run_files *files,
                      struct cairn_error *error);

/* Is nothing left to do for this scenario? */
int cairn_session_is_finished(const struct cairn_checkpoint *checkpoint, const struct cairn_scenario *scenario);

#endif
