#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/commands/sweep_table.h"
#include "cli/report.h"
#include "cli/signals.h"
#include "data/files/run_record.h"

extern char **environ;

/* A sweep on its way. */
struct sweep {
  const struct cairn_options *options;
  struct cairn_sweep_table table;
  const char *scenario;
  char name[3000];
  FILE *results;
  bool has_head;
  int n_failed;
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- one run, as it would be typed ---- */

static void name_row(const struct sweep *sweep, int row, char name[3100]) {
  snprintf(name, 3100, "%s_%04d", sweep->name, row + 1);
}

/* Returns its exit code. */
static int run_row(const struct sweep *sweep, int row) {
  const struct cairn_sweep_table *table = &sweep->table;
  const int n_set = sweep->options->n_set + table->n_columns;
  const char **words = calloc((size_t)(2 * n_set + 16), sizeof *words);
  char **sets = calloc((size_t)table->n_columns, sizeof *sets), name[3100], workers[16];
  int n = 0, result = -1, code = -CAIRN_ERR_NUMERIC;
  name_row(sweep, row, name);
  if (!words || !sets)
    goto end;
  const char *const fixed[] = {"cairn", "run", sweep->scenario, "--quiet", "--output", name};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    words[n++] = fixed[i];
  for (int i = 0; i < sweep->options->n_set; i++) {
    words[n++] = "--set";
    words[n++] = sweep->options->set[i];
  }
  for (int c = 0; c < table->n_columns; c++) {
    const char *key = cairn_sweep_table_cell(table, -1, c), *value = cairn_sweep_table_cell(table, row, c);
    const size_t size = strlen(key) + strlen(value) + 2;
    sets[c] = malloc(size);
    if (!sets[c])
      goto end;
    snprintf(sets[c], size, "%s=%s", key, value);
    words[n++] = "--set";
    words[n++] = sets[c];
  }
  if (sweep->options->overwrite)
    words[n++] = "--overwrite";
  snprintf(workers, sizeof workers, "%d", sweep->options->workers);
  if (sweep->options->workers > 0) {
    words[n++] = "--workers";
    words[n++] = workers;
  }
  pid_t pid;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (!posix_spawn(&pid, "/proc/self/exe", &actions, NULL, (char *const *)words, environ)) {
    while (waitpid(pid, &result, 0) < 0 && errno == EINTR)
      ;
    code = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
  }
  posix_spawn_file_actions_destroy(&actions);
end:
  for (int c = 0; sets && c < table->n_columns; c++)
    free(sets[c]);
  free(sets);
  free(words);
  return code;
}

/* ---- the table of results ---- */

static bool is_told(const struct cairn_run_column *column) { return column->wall < 0 && column->components == 1; }

/* Parameters, exit code, digest and the last row of the series. */
static void put_row(struct sweep *sweep, int row, int code) {
  struct cairn_error ignored;
  struct cairn_run_record run = {0};
  char name[3100];
  name_row(sweep, row, name);
  const bool known = code == 0 && cairn_run_record_read(name, &run, &ignored) == 0;
  for (int head = !sweep->has_head && known; head >= 0; head--) {
    FILE *file = sweep->results;
    fputs(head ? "run" : name, file);
    for (int c = 0; c < sweep->table.n_columns; c++) {
      fputc(',', file);
      cairn_sweep_table_put(file, cairn_sweep_table_cell(&sweep->table, head ? -1 : row, c));
    }
    if (head)
      fputs(",exit_code,digest", file);
    else
      fprintf(file, ",%d,%s", code, run.digest);
    for (int c = 0; c < run.n_columns; c++)
      if (is_told(&run.columns[c])) {
        const double last = run.n_rows > 0 ? run.columns[c].values[run.n_rows - 1] : NAN;
        fputc(',', file);
        if (head)
          fputs(run.columns[c].name, file);
        else if (isfinite(last))
          fprintf(file, "%.17g", last);
      }
    fputc('\n', file);
    sweep->has_head |= head;
  }
  fflush(sweep->results);
  if (known)
    cairn_run_record_fini(&run);
}

/* ---- all of them ---- */

static bool is_there(const struct sweep *sweep, int row) {
  char name[3100], path[3200];
  name_row(sweep, row, name);
  snprintf(path, sizeof path, "%s.ckpt.nc", name);
  return !sweep->options->overwrite && access(path, F_OK) == 0;
}

static void describe_row(const struct sweep *sweep, int row, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int c = 0; c < sweep->table.n_columns && used + 1 < size; c++)
    used +=
        (size_t)snprintf(text + used, size - used, "%s%.40s=%.40s", c > 0 ? " " : "",
                         cairn_sweep_table_cell(&sweep->table, -1, c), cairn_sweep_table_cell(&sweep->table, row, c));
}

static int run_all(struct sweep *sweep, struct cairn_error *error) {
  const int n = sweep->table.n_rows;
  cairn_signals_install();
  for (int row = 0; row < n; row++) {
    char what[512];
    const double begin = now();
    describe_row(sweep, row, what, sizeof what);
    if (!sweep->options->quiet)
      fprintf(stderr, "[%d/%d] %s: ", row + 1, n, what);
    const bool kept = is_there(sweep, row);
    const int code = kept ? 0 : run_row(sweep, row);
    if (!sweep->options->quiet && code == 0)
      fprintf(stderr, kept ? "there already\n" : "done in %.1f s\n", now() - begin);
    else if (!sweep->options->quiet)
      fprintf(stderr, "exit code %d\n", code);
    sweep->n_failed += code != 0;
    put_row(sweep, row, code);
    if (*cairn_signals_flag() || code == -CAIRN_STOPPED)
      return cairn_error_set(error, CAIRN_STOPPED, "stopped");
  }
  if (sweep->n_failed == 0)
    return 0;
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%d of %d runs failed", sweep->n_failed, n);
}

/* --row N: what the run of that row would be told, for scripts that run it themselves. */
static int print_row(const struct sweep *sweep, int64_t row, struct cairn_error *error) {
  if (row < 1 || row > sweep->table.n_rows)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "--row: there is no row %lld, the table has %d", (long long)row,
                           sweep->table.n_rows);
  for (int c = 0; c < sweep->table.n_columns; c++)
    printf("--set\n%s=%s\n", cairn_sweep_table_cell(&sweep->table, -1, c),
           cairn_sweep_table_cell(&sweep->table, (int)row - 1, c));
  return 0;
}

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  struct sweep sweep = {.options = options, .scenario = options->operands[1]};
  int status = cairn_sweep_table_read(options->operands[0], &sweep.table, error);
  if (status)
    return status;
  if (options->row > 0)
    status = print_row(&sweep, options->row, error);
  else {
    char path[3100];
    const char *slash = strrchr(options->operands[0], '/'), *base = slash ? slash + 1 : options->operands[0];
    const char *dot = strrchr(base, '.');
    snprintf(sweep.name, sizeof sweep.name, "%.*s", options->output ? 2900 : (int)(dot ? dot - base : 2900),
             options->output ? options->output : base);
    snprintf(path, sizeof path, "%s.results.csv", sweep.name);
    sweep.results = fopen(path, "w");
    status = sweep.results ? run_all(&sweep, error)
                           : cairn_error_set(error, CAIRN_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
    if (sweep.results && fclose(sweep.results) && !status)
      status = cairn_error_set(error, CAIRN_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
    if (!status)
      cairn_report_field(stdout, "written", "%s: %d runs", path, sweep.table.n_rows);
  }
  cairn_sweep_table_fini(&sweep.table);
  return status;
}

const struct cairn_command cairn_command_sweep = {
    .name = "sweep",
    .operands = "TABLE.csv SCENARIO",
    .summary = "run a scenario once for each row of a table of values",
    .help =
        "The first row of the table has keys of the scenario, each further row the values of one run, as --set takes\n"
        "them. Runs are NAME_0001, …, NAME that of the table or --output; those that are there already are kept.\n"
        "NAME.results.csv gets the values, exit code, digest and last diagnostics of each. --row N prints the options "
        "of\n"
        "row N and runs nothing: jobs/run.sbatch takes them for a task of an array.",
    .options = CAIRN_OPTION_SET | CAIRN_OPTION_WORKERS | CAIRN_OPTION_OUTPUT_FILE | CAIRN_OPTION_OVERWRITE |
               CAIRN_OPTION_QUIET | CAIRN_OPTION_ROW,
    .min_operands = 2,
    .max_operands = 2,
    .takes = CAIRN_FILE_UNKNOWN,
    .execute = execute,
};
