#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/report.h"
#include "data/storage/durable.h"
#include "view/page/page.h"

/* Is there a file that is no earlier report of cairn? */
static bool is_strange(const char *path) {
  char begin[1024] = "";
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  begin[fread(begin, 1, sizeof begin - 1, file)] = '\0';
  fclose(file);
  return !strstr(begin, "name=\"generator\" content=\"cairn\"");
}

/* NAME.html for the first run, whichever of its files was named. */
static char *page_of(const char *name, struct cairn_error *error) {
  static const char *const endings[] = {".series.nc", ".ckpt.prev.nc", ".ckpt.nc", ".nc"};
  char *path = cairn_durable_name(name, ".html", error);
  for (size_t i = 0; path && i < sizeof endings / sizeof *endings; i++) {
    const size_t length = strlen(name), cut = strlen(endings[i]);
    if (length > cut && strcmp(name + length - cut, endings[i]) == 0) {
      strcpy(path + length - cut, ".html");
      break;
    }
  }
  return path;
}

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  char *path = options->output ? strdup(options->output) : page_of(options->operands[0], error);
  if (!path)
    return CAIRN_ERR_NUMERIC;
  int status = 0;
  if (!options->overwrite && is_strange(path))
    status = cairn_error_set(error, CAIRN_ERR_INPUT,
                             "%s exists and is no report: choose another name, or replace it "
                             "with --overwrite",
                             path);
  if (!status)
    status = cairn_page_write(options->n_operands, (const char *const *)options->operands, path, error);
  if (!status)
    cairn_report_field(stdout, "written", "%s: open it in a browser", path);
  free(path);
  return status;
}

const struct cairn_command cairn_command_report = {
    .name = "report",
    .operands = "RUN…",
    .summary = "a page for the browser about one run, or several side by side",
    .help =
        "RUN is the NAME of a run, or one of its files. NAME.html holds plots of all diagnostics, the frames in 3-D,\n"
        "tables, scenario and provenance in one file that needs no network. Of several runs, eight at most, every "
        "plot\n"
        "has a curve for each. An earlier report is replaced.",
    .options = CAIRN_OPTION_OUTPUT_FILE | CAIRN_OPTION_OVERWRITE,
    .min_operands = 1,
    .max_operands = CAIRN_PAGE_RUNS,
    .takes = CAIRN_FILE_RUN,
    .execute = execute,
};
