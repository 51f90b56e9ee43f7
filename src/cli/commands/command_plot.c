#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/report.h"
#include "view/charts/chart_file.h"
#include "view/charts/chart_list.h"

static int draw(const struct cairn_options *options, int n_runs, const struct cairn_run_record *runs, int n_names,
                const char *const *names, struct cairn_error *error) {
  struct cairn_chart chart;
  struct stat about;
  char labels[CAIRN_CHART_CURVES][128], path[4096], title[128];
  int status = cairn_chart_list_named(n_runs, runs, n_names, names, options->logarithmic, &chart, labels, error);
  if (status)
    return status;
  if (options->width) {
    chart.width = options->width;
    chart.height = options->height;
  }
  snprintf(title, sizeof title, "%s", n_names == 1 ? names[0] : "");
  for (char *c = title; *c; c++)
    *c = *c == '_' ? ' ' : *c;
  /* the axis names the quantity; of a component, or of a wall, it does not say which */
  const size_t length = strlen(title);
  const bool is_part = strchr(title, '[') || (length > 2 && title[length - 2] == ' ');
  chart.title = n_runs == 1 && n_names == 1 && !is_part ? "" : title;
  if (options->output)
    snprintf(path, sizeof path, "%.4000s", options->output);
  else
    snprintf(path, sizeof path, "%.2000s_%.200s.svg", runs[0].name, names[0]);
  if (!options->overwrite && !lstat(path, &about))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%.900s exists: replace it with --overwrite", path);
  status = cairn_chart_file_write(&chart, path, error);
  if (!status)
    cairn_report_field(stdout, "written", "%s", path);
  return status;
}

/* Columns of one unit share a plot; without --output there is one for each unit. */
static int draw_by_unit(const struct cairn_options *options, int n_runs, const struct cairn_run_record *runs,
                        int n_names, const char *const *names, struct cairn_error *error) {
  enum { MOST = 24 };
  const char *group[MOST];
  bool is_drawn[MOST] = {false};
  int status = 0;
  for (int first = 0; first < n_names && !status; first++) {
    const struct cairn_run_column *column = cairn_run_record_column(&runs[0], names[first]);
    int n = 0;
    for (int k = first; k < n_names && !is_drawn[first]; k++) {
      const struct cairn_run_column *other = cairn_run_record_column(&runs[0], names[k]);
      if (k == first || (column && other && !is_drawn[k] && strcmp(column->unit, other->unit) == 0)) {
        group[n++] = names[k];
        is_drawn[k] = k > first;
      }
    }
    status = n > 0 ? draw(options, n_runs, runs, n, group, error) : 0;
  }
  return status;
}

/* Operands are runs as long as there is such a run, and columns from there on. */
static bool is_run(const char *name) {
  static const char *const endings[] = {"", ".nc", ".series.nc"};
  char path[4096];
  struct stat about;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    snprintf(path, sizeof path, "%.4000s%s", name, endings[i]);
    if (!stat(path, &about) && S_ISREG(about.st_mode))
      return true;
  }
  return false;
}

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  enum { MOST_RUNS = 8 };
  struct cairn_run_record runs[MOST_RUNS];
  int n_runs = 0, status = 0, n_read = 0;
  while (n_runs < options->n_operands && (n_runs == 0 || is_run(options->operands[n_runs])))
    n_runs++;
  if (n_runs == options->n_operands || n_runs > MOST_RUNS)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "cairn plot: give up to %d runs, then the columns: cairn plot accretion kinetic_energy",
                           MOST_RUNS);
  for (; n_read < n_runs && !status; n_read += !status)
    status = cairn_run_record_read(options->operands[n_read], &runs[n_read], error);
  for (int r = 0; r < n_runs && !status; r++)
    if (runs[r].n_rows == 0)
      status = cairn_error_set(error, CAIRN_ERR_INPUT, "the run %s has no series to plot", runs[r].name);
  if (!status)
    status = (options->output ? draw : draw_by_unit)(options, n_runs, runs, options->n_operands - n_runs,
                                                     (const char *const *)options->operands + n_runs, error);
  for (int r = 0; r < n_read; r++)
    cairn_run_record_fini(&runs[r]);
  return status;
}

const struct cairn_command cairn_command_plot = {
    .name = "plot",
    .operands = "RUN… COLUMN…",
    .summary = "a plot of the series of one run or several, for papers",
    .help =
        "Columns are those of the series: kinetic_energy, momentum_x, wall_force_z[floor]. Those of one unit share a\n"
        "plot, NAME_COLUMN.svg by the first of them. --output names one: .svg or .png. A wrong column shows which "
        "there are.",
    .options = CAIRN_OPTION_OUTPUT_FILE | CAIRN_OPTION_OVERWRITE | CAIRN_OPTION_LOG | CAIRN_OPTION_SIZE,
    .min_operands = 2,
    .max_operands = 24,
    .takes = CAIRN_FILE_RUN,
    .execute = execute,
};
