/* A subcommand of the program: one constant table each, listed in main.c. */
#ifndef CAIRN_CLI_COMMAND_H
#define CAIRN_CLI_COMMAND_H

#include <stdbool.h>

#include "cairn/error.h"
#include "cli/file_kind.h"
#include "cli/options.h"

struct cairn_command {
  const char *name;
  const char *operands; /* as shown in the usage line */
  const char *summary;  /* one line for the list of commands */
  const char *help;     /* the rest of `cairn help NAME`, options left out: they come from their own table */
  uint64_t options;     /* bits of enum cairn_option that it takes */
  int min_operands, max_operands;
  bool on_ranks;              /* may several processes do it together? */
  enum cairn_file_kind takes; /* what its operands are; files that are something else are refused before it starts */
  /* Results go to standard output, messages to standard error. Returns 0 or a negative enum cairn_status with `error`
   * filled; CAIRN_STOPPED needs no message. */
  int (*execute)(const struct cairn_options *options, struct cairn_error *error);
};

extern const struct cairn_command cairn_command_run;
extern const struct cairn_command cairn_command_resume;
extern const struct cairn_command cairn_command_check;
extern const struct cairn_command cairn_command_info;
extern const struct cairn_command cairn_command_digest;
extern const struct cairn_command cairn_command_export;
extern const struct cairn_command cairn_command_solve;
extern const struct cairn_command cairn_command_report;
extern const struct cairn_command cairn_command_render;
extern const struct cairn_command cairn_command_plot;
extern const struct cairn_command cairn_command_watch;
extern const struct cairn_command cairn_command_sweep;
extern const struct cairn_command cairn_command_bench;
extern const struct cairn_command cairn_command_analyse;
extern const struct cairn_command cairn_command_forecast;

#endif
