#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/signals.h"
#include "data/files/run_record.h"

enum { LABEL = 24, NUMBER = 12, MOST_CELLS = 160, MOST_LINES = 32 };

static int width_of_terminal(void) {
  struct winsize size;
  if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col > 40)
    return size.ws_col;
  return 80;
}

/* A column as a row of bars, each for a part of the rows: the mean of the numbers in it, none where there are none. */
static void put_line(const struct cairn_run_record *run, const struct cairn_run_column *column, int cells) {
  static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double mean[MOST_CELLS], low = INFINITY, high = -INFINITY;
  cells = run->n_rows < cells ? (int)run->n_rows : cells;
  for (int c = 0; c < cells; c++) {
    const int64_t from = c * run->n_rows / cells, to = (c + 1) * run->n_rows / cells;
    int64_t n = 0;
    mean[c] = 0.;
    for (int64_t i = from; i < to; i++)
      if (isfinite(column->values[i])) {
        mean[c] += column->values[i];
        n++;
      }
    mean[c] = n > 0 ? mean[c] / (double)n : NAN;
    low = n > 0 ? fmin(low, mean[c]) : low;
    high = n > 0 ? fmax(high, mean[c]) : high;
  }
  printf("%-*.*s %*.4g  ", LABEL, LABEL, column->name, NUMBER, run->n_rows > 0 ? column->values[run->n_rows - 1] : NAN);
  for (int c = 0; c < cells; c++)
    fputs(isfinite(mean[c]) ? bars[high > low ? (int)(7.999 * (mean[c] - low) / (high - low)) : 0] : " ", stdout);
  putchar('\n');
}

static bool has_number(const struct cairn_run_record *run, const struct cairn_run_column *column) {
  for (int64_t i = 0; i < run->n_rows; i++)
    if (isfinite(column->values[i]) && column->values[i] != 0.)
      return true;
  return false;
}

/* Returns the number of lines. */
static int show(const struct cairn_run_record *run, int n_names, char *const *names) {
  static const char *const usual[] = {"kinetic_energy",  "potential_energy", "dissipated_energy", "n_contacts",
                                      "n_wall_contacts", "coordination",     "max_speed",         "max_overlap",
                                      "solver_residual", "solver_sweeps",    "diameter",          "n_absorbed"};
  const int cells = width_of_terminal() - LABEL - NUMBER - 4;
  const bool given = n_names > 0;
  int lines = 1;
  printf("%s: t = %.6g s, %lld rows, %lld frames\n", run->name,
         run->n_rows > 0 ? run->columns[0].values[run->n_rows - 1] : 0., (long long)run->n_rows,
         (long long)run->n_frames);
  n_names = given ? n_names : (int)(sizeof usual / sizeof *usual);
  for (int i = 0; i < n_names && lines < MOST_LINES; i++) {
    const struct cairn_run_column *column = cairn_run_record_column(run, given ? names[i] : usual[i]);
    if (!column || (!given && !has_number(run, column)))
      continue;
    put_line(run, column, cells < MOST_CELLS ? cells : MOST_CELLS);
    lines++;
  }
  return lines;
}

static int check_names(const struct cairn_run_record *run, int n, char *const *names, struct cairn_error *error) {
  for (int i = 0; i < n; i++)
    if (!cairn_run_record_column(run, names[i]))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "%.80s has no column '%.80s'; cairn plot %.80s x lists them",
                             run->name, names[i], run->name);
  return 0;
}

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  const bool again = isatty(STDOUT_FILENO) && !options->once;
  int lines = 0, status = 0;
  if (again)
    cairn_signals_install();
  do {
    struct cairn_run_record run;
    status = cairn_run_record_read(options->operands[0], &run, error);
    if (status)
      return status;
    status = run.n_rows > 0 ? check_names(&run, options->n_operands - 1, options->operands + 1, error)
                            : cairn_error_set(error, CAIRN_ERR_INPUT, "the run %s has no series yet", run.name);
    if (!status) {
      if (lines > 0)
        printf("\033[%dA\033[J", lines);
      lines = show(&run, options->n_operands - 1, options->operands + 1);
      fflush(stdout);
    }
    cairn_run_record_fini(&run);
    for (int i = 0; i < 10 && again && !status && !*cairn_signals_flag(); i++)
      usleep(100000);
  } while (again && !status && !*cairn_signals_flag());
  return status;
}

const struct cairn_command cairn_command_watch = {
    .name = "watch",
    .operands = "RUN [COLUMN…]",
    .summary = "the diagnostics of a run as lines of bars, also while it goes on",
    .help = "On a terminal the lines are renewed every second, until Ctrl-C. Each begins with the latest number; bars "
            "reach\n"
            "from the least to the most that there has been. Columns are those of the series.",
    .options = CAIRN_OPTION_ONCE,
    .min_operands = 1,
    .max_operands = 24,
    .takes = CAIRN_FILE_RUN,
    .execute = execute,
};
