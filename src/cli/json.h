/* Reports as JSON, for scripts: one object on one line. */
#ifndef CAIRN_CLI_JSON_H
#define CAIRN_CLI_JSON_H

#include <stdio.h>

#include "cairn/engine.h"
#include "cli/trial.h"
#include "data/files/provenance.h"
#include "solvers/run/run.h"

/* The summary of a run; `status` as cairn_run returns it. */
void cairn_json_summary(FILE *file, int status, const struct cairn_run_summary *summary,
                        const struct cairn_scenario *scenario);

/* What cairn check says of a scenario; `trial` is NULL where none was done, or failed. */
void cairn_json_plan(FILE *file, const struct cairn_scenario *scenario, const struct cairn_plan *plan,
                     const struct cairn_trial *trial, int workers);

/* What cairn info says. */
void cairn_json_info(FILE *file, const struct cairn_provenance *provenance, const struct cairn_engine_info *info);

#endif
