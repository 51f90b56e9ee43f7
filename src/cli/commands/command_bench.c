#define _GNU_SOURCE /* asprintf */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/engine.h"
#include "cli/command.h"
#include "cli/commands/sweep_table.h"
#include "cli/report.h"
#include "cli/signals.h"
#include "solvers/simulation/simulation.h"
#include "view/charts/chart_file.h"

/* One row of the table, measured. */
struct result {
  double n_bodies, n_cells;
  int workers;
  int64_t steps;
  double each;                   /* s of the clock per step */
  double kernels, runtime, idle; /* s per step, the mean of the workers; their sum is `each` */
};

struct bench {
  const struct cairn_options *options;
  const char *scenario;
  struct cairn_sweep_table table;
  struct result *results; /* [n_rows] */
};

static const char *key_of(const struct bench *bench, int column) {
  return cairn_sweep_table_cell(&bench->table, -1, column);
}

static bool is_key(const struct bench *bench, int column, const char *key) {
  return strcmp(key_of(bench, column), key) == 0;
}

/* Columns that tell how to compute and not what: the steps of such rows are the same. */
static bool is_how(const struct bench *bench, int column) {
  return is_key(bench, column, "workers") || is_key(bench, column, "scheduler") ||
         strncmp(key_of(bench, column), "cells.", 6) == 0;
}

static bool agree(const struct bench *bench, int a, int b, int column) {
  return strcmp(cairn_sweep_table_cell(&bench->table, a, column), cairn_sweep_table_cell(&bench->table, b, column)) ==
         0;
}

/* ---- one row ---- */

/* The same number of steps as an earlier row with the same physics, 0 if this is the first. */
static int64_t steps_before(const struct bench *bench, int row) {
  for (int r = 0; r < row; r++) {
    bool same = true;
    for (int c = 0; c < bench->table.n_columns; c++)
      same &= is_how(bench, c) || agree(bench, r, row, c);
    if (same)
      return bench->results[r].steps;
  }
  return 0;
}

/* Warm up for a quarter of the steps, then measure the rest. Without a number of steps, as many as fill the time. */
static int measure(struct cairn_simulation *simulation, double seconds, int64_t steps, struct result *result,
                   struct cairn_error *error) {
  struct cairn_engine_times begin, end;
  cairn_engine_times(&begin);
  int status = cairn_simulation_advance(simulation, 1, error);
  int64_t warm = steps / 3, done = 1;
  for (double elapsed = 0.; !status && (steps > 0 ? done < warm : elapsed < 0.25 * seconds); done++) {
    status = cairn_simulation_advance(simulation, 1, error);
    cairn_engine_times(&end);
    elapsed = end.clock - begin.clock;
  }
  result->steps = steps > 0 ? steps : 3 * done;
  cairn_engine_times(&begin);
  if (!status)
    status = cairn_simulation_advance(simulation, result->steps, error);
  cairn_engine_times(&end);
  const double per = 1. / ((double)result->steps * result->workers), all = end.clock - begin.clock;
  result->each = all / (double)result->steps;
  result->kernels = per * (end.kernels - begin.kernels);
  result->idle = per * (end.idle - begin.idle);
  result->runtime = fmax(0., result->each - result->kernels - result->idle);
  return status;
}

static int run_row(const struct bench *bench, int row, const char **set, int n_set, struct cairn_error *error) {
  struct cairn_scenario *scenario = NULL;
  struct cairn_simulation *simulation = NULL;
  struct cairn_plan plan = {0};
  struct result *result = bench->results + row;
  int status = cairn_scenario_load(bench->scenario, n_set, set, 0, &scenario, error);
  if (!status)
    status = cairn_simulation_plan(scenario, &plan, error);
  if (!status) {
    result->n_bodies = (double)scenario->initial.n;
    status = cairn_simulation_adopt(scenario, NULL, &simulation, error);
  }
  if (!status)
    status = measure(simulation, bench->options->trial, steps_before(bench, row), result, error);
  if (!status)
    result->n_cells = (double)cairn_simulation_n_cells(simulation);
  cairn_simulation_free(simulation);
  cairn_scenario_free(scenario);
  return status;
}

/* An engine for each row: workers and scheduler are settled when it starts. */
static int start_row(const struct bench *bench, int row, const char **set, int n_set, struct cairn_error *error) {
  struct cairn_engine_options engine = {
      .workers = bench->options->workers, .device = bench->options->device, .silent = 1};
  struct cairn_engine_info info;
  for (int c = 0; c < bench->table.n_columns; c++) {
    const char *value = cairn_sweep_table_cell(&bench->table, row, c);
    char *end;
    if (is_key(bench, c, "scheduler") && setenv("STARPU_SCHED", value, 1))
      return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
    if (!is_key(bench, c, "workers"))
      continue;
    const long workers = strtol(value, &end, 10);
    if (end == value || *end || workers < 1 || workers > 4096)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "row %d: workers is '%.40s', expected a whole number from 1 on",
                             row + 1, value);
    engine.workers = (int)workers;
  }
  int status = cairn_engine_start(&engine, error);
  if (status)
    return status;
  cairn_engine_info(&info);
  bench->results[row].workers = info.n_cpu_workers + info.n_opencl_workers;
  status = run_row(bench, row, set, n_set, error);
  cairn_engine_stop();
  return status;
}

static int take_row(const struct bench *bench, int row, struct cairn_error *error) {
  const int n_columns = bench->table.n_columns, n_given = bench->options->n_set;
  const char **set = calloc((size_t)(n_given + n_columns) + 1, sizeof *set);
  char **made = calloc((size_t)n_columns + 1, sizeof *made);
  int n_set = 0, n_made = 0, status = set && made ? 0 : CAIRN_ERR_NUMERIC;
  for (int i = 0; i < n_given && !status; i++)
    set[n_set++] = bench->options->set[i];
  for (int c = 0; c < n_columns && !status; c++) {
    if (is_key(bench, c, "workers") || is_key(bench, c, "scheduler"))
      continue;
    if (asprintf(&made[n_made], "%s=%s", key_of(bench, c), cairn_sweep_table_cell(&bench->table, row, c)) < 0)
      status = CAIRN_ERR_NUMERIC;
    else
      set[n_set++] = made[n_made++];
  }
  status =
      status ? cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory") : start_row(bench, row, set, n_set, error);
  for (int i = 0; i < n_made; i++)
    free(made[i]);
  free(made);
  free(set);
  return status;
}

/* ---- the table ---- */

static double rate(const struct result *r) { return r->n_bodies / (r->each * r->workers); }

/* Body-steps per second and worker, over those of the row with the fewest workers that agrees in all other columns
 * (strong scaling), or that has as many bodies for each worker and agrees in scheduler and cells (weak). */
static double efficiency(const struct bench *bench, int row, bool weak) {
  const struct result *results = bench->results, *own = results + row, *least = own;
  for (int r = 0; r < bench->table.n_rows; r++) {
    bool same = results[r].each > 0.;
    for (int c = 0; c < bench->table.n_columns; c++)
      same &= is_key(bench, c, "workers") || (weak && !is_how(bench, c)) || agree(bench, r, row, c);
    if (weak)
      same &= fabs(results[r].n_bodies * own->workers - own->n_bodies * results[r].workers) <=
              0.02 * own->n_bodies * results[r].workers;
    if (same && results[r].workers < least->workers)
      least = results + r;
  }
  return rate(own) / rate(least);
}

static void write_row(FILE *file, const struct bench *bench, int row) {
  for (int c = 0; c < bench->table.n_columns; c++) {
    cairn_sweep_table_put(file, cairn_sweep_table_cell(&bench->table, row, c));
    fputc(',', file);
  }
  if (row < 0) {
    fputs("n_workers,n_bodies,n_cells,steps,seconds_per_step,kernels,runtime,idle,communication,"
          "body_steps_per_second,efficiency,weak_efficiency\n",
          file);
    return;
  }
  const struct result *r = bench->results + row;
  fprintf(file, "%d,%.0f,%.0f,%lld,%.6g,%.6g,%.6g,%.6g,0,%.6g,%.4f,%.4f\n", r->workers, r->n_bodies, r->n_cells,
          (long long)r->steps, r->each, r->kernels, r->runtime, r->idle, r->n_bodies / r->each,
          efficiency(bench, row, false), efficiency(bench, row, true));
}

static int write_table(const struct bench *bench, const char *path, struct cairn_error *error) {
  FILE *file = fopen(path, "w");
  for (int row = -1; row < bench->table.n_rows && file; row++)
    write_row(file, bench, row);
  const int failed = !file || ferror(file);
  if ((file && fclose(file)) || failed)
    return cairn_error_set(error, CAIRN_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
  return 0;
}

/* ---- plots ---- */

enum { MOST_POINTS = 256 };

struct plot {
  struct cairn_chart chart;
  double x[CAIRN_CHART_CURVES][MOST_POINTS], y[CAIRN_CHART_CURVES][MOST_POINTS];
  char labels[CAIRN_CHART_CURVES][128], title[192];
};

static void begin_plot(struct plot *plot, const char *title, const char *y_label, const char *unit) {
  *plot = (struct plot){.chart = {.title = title,
                                  .x_label = "workers",
                                  .x_unit = "1",
                                  .y_label = y_label,
                                  .y_unit = unit,
                                  .width = 560.,
                                  .height = 320.}};
}

static void add_point(struct plot *plot, int curve, double x, double y) {
  struct cairn_chart_curve *c = plot->chart.curves + curve;
  if (c->n == MOST_POINTS)
    return;
  *c = (struct cairn_chart_curve){plot->labels[curve], c->n, plot->x[curve], plot->y[curve], CAIRN_INK_CURVE + curve};
  plot->x[curve][c->n] = x;
  plot->y[curve][c->n++] = y;
}

static bool is_series(const struct bench *bench, int a, int b) {
  bool same = true;
  for (int c = 0; c < bench->table.n_columns; c++)
    same &= is_key(bench, c, "workers") || agree(bench, a, b, c);
  return same;
}

/* The number of rows that differ from this one in workers alone, 0 if an earlier row has counted them. */
static int series_length(const struct bench *bench, int row) {
  int n = 0;
  for (int r = 0; r < bench->table.n_rows; r++) {
    if (is_series(bench, row, r) && r < row)
      return 0;
    n += is_series(bench, row, r);
  }
  return n;
}

static void name_series(const struct bench *bench, int row, char label[128]) {
  size_t used = (size_t)snprintf(label, 128, "%.0f bodies", bench->results[row].n_bodies);
  for (int c = 0; c < bench->table.n_columns && used < 127; c++)
    if (!is_key(bench, c, "workers") && is_how(bench, c))
      used += (size_t)snprintf(label + used, 128 - used, ", %.40s", cairn_sweep_table_cell(&bench->table, row, c));
}

/* Efficiency over workers, a curve for each series of rows that differ in workers alone; those of weak scaling, where
 * every row has its own number of bodies, are one curve. */
static void plot_efficiency(const struct bench *bench, struct plot *plot) {
  begin_plot(plot, "Parallel efficiency", "efficiency", "1");
  int *n_curves = &plot->chart.n_curves;
  for (int row = 0; row < bench->table.n_rows && *n_curves < CAIRN_CHART_CURVES - 1; row++)
    if (series_length(bench, row) > 1) {
      name_series(bench, row, plot->labels[*n_curves]);
      for (int r = row; r < bench->table.n_rows; r++)
        if (is_series(bench, row, r))
          add_point(plot, *n_curves, bench->results[r].workers, efficiency(bench, r, false));
      ++*n_curves;
    }
  if (*n_curves > 0)
    return;
  snprintf(plot->labels[0], sizeof plot->labels[0], "weak, %.0f bodies per worker",
           bench->results[0].n_bodies / bench->results[0].workers);
  for (int r = 0; r < bench->table.n_rows; r++)
    add_point(plot, 0, bench->results[r].workers, efficiency(bench, r, true));
  *n_curves = 1;
}

/* The parts of a step, of the first series. */
static void plot_parts(const struct bench *bench, struct plot *plot) {
  static const char *const names[] = {"kernels", "runtime", "idle"};
  begin_plot(plot, "Parts of a step, mean of the workers", "time per step", "s");
  int first = 0;
  while (first < bench->table.n_rows - 1 && series_length(bench, first) < 2)
    first++;
  const bool none = series_length(bench, first) < 2; /* weak scaling: all rows */
  for (int k = 0; k < 3; k++)
    snprintf(plot->labels[k], sizeof plot->labels[k], "%s", names[k]);
  for (int r = 0; r < bench->table.n_rows; r++) {
    const struct result *result = bench->results + r;
    const double parts[] = {result->kernels, result->runtime, result->idle};
    for (int k = 0; k < 3 && (none || is_series(bench, first, r)); k++)
      add_point(plot, k, result->workers, parts[k]);
  }
  plot->chart.n_curves = 3;
}

/* NAME_efficiency.svg and NAME_parts.svg beside NAME.csv; a plot without two points is left out. */
static int write_plots(const struct bench *bench, const char *table, struct cairn_error *error) {
  static const struct {
    const char *ending;
    void (*draw)(const struct bench *, struct plot *);
  } kinds[] = {{"_efficiency.svg", plot_efficiency}, {"_parts.svg", plot_parts}};
  struct plot *plot = malloc(sizeof *plot);
  int status = plot ? 0 : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  for (int k = 0; k < 2 && !status; k++) {
    char path[3200];
    const char *dot = strrchr(table, '.');
    snprintf(path, sizeof path, "%.*s%s", (int)(dot ? dot - table : 3000), table, kinds[k].ending);
    kinds[k].draw(bench, plot);
    if (plot->chart.n_curves == 1) { /* there is no legend then */
      snprintf(plot->title, sizeof plot->title, "%s: %s", plot->chart.title, plot->labels[0]);
      plot->chart.title = plot->title;
    }
    if (cairn_chart_has_points(&plot->chart))
      status = cairn_chart_file_write(&plot->chart, path, error);
  }
  free(plot);
  return status;
}

static int run_all(const struct bench *bench, struct cairn_error *error) {
  int status = 0;
  cairn_signals_install();
  for (int row = 0; row < bench->table.n_rows && !status; row++) {
    status = take_row(bench, row, error);
    const struct result *r = bench->results + row;
    if (!status && !bench->options->quiet)
      fprintf(stderr, "[%d/%d] %d workers, %.0f bodies: %.4g ms per step, %.0f %% in kernels\n", row + 1,
              bench->table.n_rows, r->workers, r->n_bodies, 1e3 * r->each, 100. * r->kernels / r->each);
    if (!status && *cairn_signals_flag())
      status = cairn_error_set(error, CAIRN_STOPPED, "stopped");
  }
  return status;
}

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  struct bench bench = {.options = options, .scenario = options->operands[1]};
  const char *slash = strrchr(options->operands[0], '/'), *base = slash ? slash + 1 : options->operands[0];
  const char *dot = strrchr(base, '.');
  char path[3100];
  int status = cairn_sweep_table_read(options->operands[0], &bench.table, error);
  if (status)
    return status;
  if (options->output)
    snprintf(path, sizeof path, "%.3000s", options->output);
  else
    snprintf(path, sizeof path, "%.*s.bench.csv", (int)(dot ? dot - base : 2900), base);
  bench.results = calloc((size_t)bench.table.n_rows, sizeof *bench.results);
  status = bench.results ? run_all(&bench, error) : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  if (!status)
    status = write_table(&bench, path, error);
  if (!status)
    status = write_plots(&bench, path, error);
  if (!status && !options->quiet)
    cairn_report_field(stdout, "written", "%s: %d rows", path, bench.table.n_rows);
  free(bench.results);
  cairn_sweep_table_fini(&bench.table);
  return status;
}

const struct cairn_command cairn_command_bench = {
    .name = "bench",
    .operands = "TABLE.csv SCENARIO",
    .summary = "time the steps of a scenario for each row of a table: workers, scheduler, any key",
    .help =
        "The table is that of cairn sweep, with two more columns: workers, and scheduler as STARPU_SCHED. Each row is\n"
        "stepped for about --trial seconds and writes no other files; rows that differ only in workers, scheduler and\n"
        "cells do the same steps. NAME.bench.csv gets the seconds per step, split into kernels, runtime and idle\n"
        "(the mean of the workers), and the parallel efficiency; NAME.bench_efficiency.svg and _parts.svg are the "
        "plots.",
    .options = CAIRN_OPTION_SET | CAIRN_OPTION_WORKERS | CAIRN_OPTION_DEVICE | CAIRN_OPTION_OUTPUT_FILE |
               CAIRN_OPTION_QUIET | CAIRN_OPTION_TRIAL,
    .min_operands = 2,
    .max_operands = 2,
    .takes = CAIRN_FILE_UNKNOWN,
    .execute = execute,
};
