#include "solvers/run/run_describe.h"

#include <stdio.h>
#include <stdlib.h>

#include "cairn/engine.h"
#include "cairn/ranks.h"

int cairn_run_describe(const struct cairn_scenario *scenario, const struct cairn_run_options *options,
                       struct cairn_provenance *provenance, struct cairn_error *error) {
  struct cairn_engine_info engine;
  char text[64];
  int status = cairn_provenance_init(provenance, error);
  if (status)
    return status;
  char *effective = cairn_scenario_effective(scenario);
  if (!effective)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  cairn_engine_info(&engine);
  const char *const names[] = {
      "run_id",    "title",          "scenario",          "effective_parameters", "command_line", "parent_checkpoint",
      "scheduler", "worker_binding", "starpu_environment"};
  const char *const values[] = {options->files ? options->files->run_id : NULL,
                                scenario->title,
                                scenario->text,
                                effective,
                                options->command_line,
                                options->parent,
                                engine.scheduler,
                                engine.binding,
                                engine.environment};
  for (size_t k = 0; k < sizeof names / sizeof *names && !status; k++)
    if (values[k] && values[k][0])
      status = cairn_provenance_set(provenance, names[k], values[k], error);
  const char *const count_names[] = {"workers", "opencl_workers", "ranks", "seed"};
  const unsigned long long counts[] = {(unsigned long long)engine.n_cpu_workers,
                                       (unsigned long long)engine.n_opencl_workers, (unsigned long long)cairn_ranks_n(),
                                       (unsigned long long)scenario->seed};
  for (size_t k = 0; k < sizeof counts / sizeof *counts && !status; k++) {
    snprintf(text, sizeof text, "%llu", counts[k]);
    status = cairn_provenance_set(provenance, count_names[k], text, error);
  }
  free(effective);
  return status;
}
