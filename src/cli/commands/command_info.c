#include <stdio.h>

#include "cairn/engine.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/report.h"
#include "data/files/provenance.h"

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  struct cairn_provenance provenance;
  int status = cairn_provenance_init(&provenance, error);
  if (status)
    return status;
  for (int i = 0; i < provenance.n && !options->json; i++)
    printf("%s: %s\n", provenance.entry[i].name, provenance.entry[i].value);

  struct cairn_engine_options engine = {
      .workers = options->workers, .device = options->device, .silent = options->json};
  status = cairn_engine_start(&engine, error);
  if (!status) {
    struct cairn_engine_info info;
    cairn_engine_info(&info);
    if (options->json)
      cairn_json_info(stdout, &provenance, &info);
    else
      cairn_report_engine(stdout, &info);
    cairn_engine_stop();
  }
  cairn_provenance_fini(&provenance);
  return status;
}

const struct cairn_command cairn_command_info = {
    .name = "info",
    .operands = "",
    .summary = "show build, libraries, machine, workers and devices",
    .help =
        "Starts the task engine as a run would, so that workers, binding and STARPU_* variables are those in force.",
    .options = CAIRN_OPTION_WORKERS | CAIRN_OPTION_DEVICE | CAIRN_OPTION_JSON,
    .min_operands = 0,
    .max_operands = 0,
    .execute = execute,
};
