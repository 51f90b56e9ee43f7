/* The provenance that the files of a run record beside build and machine. */
#ifndef CAIRN_SOLVERS_RUN_RUN_DESCRIBE_H
#define CAIRN_SOLVERS_RUN_RUN_DESCRIBE_H

#include "solvers/run/run.h"

/* Fill the provenance: run id, scenario, parameters in force, command line, parent, workers, scheduler, seed. */
int cairn_run_describe(const struct cairn_scenario *scenario, const struct cairn_run_options *options,
                       struct cairn_provenance *provenance, struct cairn_error *error);

#endif
