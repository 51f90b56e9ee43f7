#define _GNU_SOURCE /* asprintf */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/engine.h"
#include "cairn/ranks.h"
#include "cli/command.h"
#include "cli/commands/bench_launch.h"
#include "cli/commands/sweep_table.h"
#include "cli/report.h"
#include "cli/signals.h"
#include "data/base/number.h"
#include "solvers/run/timing.h"
#include "solvers/simulation/simulation.h"
#include "solvers/start/stretch.h"
#include "view/charts/chart_file.h"

/* One row of the table, measured. */
struct result {
  double n_bodies, n_cells;
  int ranks;
  struct cairn_timing timing;
};

struct bench {
  const struct cairn_options *options;
  const char *scenario, *path; /* of the table that is written */
  struct cairn_sweep_table table;
  struct result *results; /* [n_rows] */
};

static const char *key_of(const struct bench *bench, int column) {
  return cairn_sweep_table_cell(&bench->table, -1, column);
}

static bool is_key(const struct bench *bench, int column, const char *key) {
  return strcmp(key_of(bench, column), key) == 0;
}

/* The column of this key; negative if there is none. */
static int find_column(const struct bench *bench, const char *key) {
  int column = bench->table.n_columns - 1;
  while (column >= 0 && !is_key(bench, column, key))
    column--;
  return column;
}

static bool is_size(const struct bench *bench, int column) {
  return is_key(bench, column, "ranks") || is_key(bench, column, "workers");
}

/* Columns that are no keys of the scenario. */
static bool is_own(const struct bench *bench, int column) {
  return is_size(bench, column) || is_key(bench, column, "scheduler") || is_key(bench, column, "steps");
}

/* Columns that tell how to compute and not what: the steps of such rows are the same. */
static bool is_how(const struct bench *bench, int column) {
  return is_own(bench, column) || strncmp(key_of(bench, column), "cells.", 6) == 0;
}

static bool agree(const struct bench *bench, int a, int b, int column) {
  return strcmp(cairn_sweep_table_cell(&bench->table, a, column), cairn_sweep_table_cell(&bench->table, b, column)) ==
         0;
}

/* NAME.csv and an ending: NAME_tasks.csv. */
static void name_beside(const char *table, const char *ending, char path[3200]) {
  const char *dot = strrchr(table, '.');
  snprintf(path, 3200, "%.*s%s", (int)(dot ? dot - table : 3000), table, ending);
}

/* ---- one row ---- */

/* The whole number of a column; `otherwise` where there is no such column. */
static int take_number(const struct bench *bench, int row, const char *key, int64_t most, int64_t otherwise,
                       int64_t *number, struct cairn_error *error) {
  const int column = find_column(bench, key);
  *number = otherwise;
  if (column < 0)
    return 0;
  const char *text = cairn_sweep_table_cell(&bench->table, row, column);
  if (!cairn_number_parse_integer(text, number) || *number < 1 || *number > most)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "row %d: %s is '%.40s', expected a whole number from 1 to %lld",
                           row + 1, key, text, (long long)most);
  return 0;
}

/* The same number of steps as an earlier row with the same physics, 0 if this is the first. */
static int64_t steps_before(const struct bench *bench, int row) {
  for (int r = 0; r < row; r++) {
    bool same = true;
    for (int c = 0; c < bench->table.n_columns; c++)
      same &= is_how(bench, c) || agree(bench, r, row, c);
    if (same)
      return bench->results[r].timing.steps;
  }
  return 0;
}

static int run_row(const struct bench *bench, int row, const char **set, int n_set, struct cairn_error *error) {
  struct cairn_scenario *scenario = NULL;
  struct cairn_simulation *simulation = NULL;
  struct cairn_stretch_survey bodies;
  struct cairn_plan plan = {0};
  struct result *result = bench->results + row;
  int64_t steps;
  int status = take_number(bench, row, "steps", INT32_MAX, steps_before(bench, row), &steps, error);
  if (!status)
    status = cairn_scenario_load(bench->scenario, n_set, set, CAIRN_SCENARIO_SHARED, &scenario, error);
  status = cairn_ranks_agree(status, error);
  if (!status)
    status = cairn_stretch_survey(scenario, &bodies, error);
  if (!status)
    status = cairn_simulation_plan(scenario, &plan, error);
  status = cairn_ranks_agree(status, error);
  if (!status) {
    result->n_bodies = (double)bodies.n;
    status = cairn_simulation_adopt(scenario, NULL, NULL, &simulation, error);
  }
  if (!status)
    status = cairn_timing_measure(simulation, bench->options->trial, steps, &result->timing, error);
  if (!status)
    result->n_cells = (double)cairn_simulation_n_cells(simulation);
  result->ranks = cairn_ranks_n();
  cairn_simulation_free(simulation);
  cairn_scenario_free(scenario);
  return status;
}

/* An engine for each row: workers and scheduler are settled when it starts. */
static int start_row(const struct bench *bench, int row, const char **set, int n_set, struct cairn_error *error) {
  struct cairn_engine_options engine = {.device = bench->options->device, .silent = 1};
  struct cairn_engine_info info;
  const int scheduler = find_column(bench, "scheduler");
  int64_t workers;
  if (scheduler >= 0 && setenv("STARPU_SCHED", cairn_sweep_table_cell(&bench->table, row, scheduler), 1))
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  int status = take_number(bench, row, "workers", 4096, bench->options->workers, &workers, error);
  engine.workers = (int)workers;
  if (!status)
    status = cairn_ranks_agree(cairn_engine_start(&engine, error), error);
  if (status)
    return status;
  cairn_engine_info(&info);
  if (info.notes[0] && cairn_ranks_me() == 0)
    cairn_report_field(stderr, "note", "%s", info.notes);
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
    if (is_own(bench, c))
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

/* ---- one row, by ranks ---- */

/* A table of this row alone, with its workers and steps, for the programs that are started together. */
static int write_single(const struct bench *bench, int row, const char *path, int64_t workers, int64_t steps,
                        struct cairn_error *error) {
  FILE *file = fopen(path, "w");
  for (int r = -1; r <= row && file; r += row + 1) {
    for (int c = 0; c < bench->table.n_columns; c++)
      if (!is_size(bench, c) && !is_key(bench, c, "steps")) {
        cairn_sweep_table_put(file, cairn_sweep_table_cell(&bench->table, r, c));
        fputc(',', file);
      }
    if (r < 0)
      fputs(steps > 0 ? "workers,steps\n" : "workers\n", file);
    else if (steps > 0)
      fprintf(file, "%lld,%lld\n", (long long)workers, (long long)steps);
    else
      fprintf(file, "%lld\n", (long long)workers);
  }
  const int failed = !file || ferror(file);
  if ((file && fclose(file)) || failed)
    return cairn_error_set(error, CAIRN_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
  return 0;
}

/* What they have measured. */
static int read_single(const char *path, struct result *result, struct cairn_error *error) {
  struct bench one = {0};
  struct cairn_timing *t = &result->timing;
  double ranks = 0., workers = 0., steps = 0.;
  const struct {
    const char *key;
    double *value;
  } columns[] = {{"n_ranks", &ranks},
                 {"n_workers", &workers},
                 {"n_bodies", &result->n_bodies},
                 {"n_cells", &result->n_cells},
                 {"steps", &steps},
                 {"seconds_per_step", &t->each},
                 {"kernels", &t->kernels},
                 {"runtime", &t->runtime},
                 {"idle", &t->idle},
                 {"communication", &t->communication},
                 {"imbalance", &t->imbalance}};
  int status = cairn_sweep_table_read(path, &one.table, error);
  for (size_t k = 0; k < sizeof columns / sizeof *columns && !status; k++) {
    const int column = find_column(&one, columns[k].key);
    if (column < 0 || !cairn_number_parse(cairn_sweep_table_cell(&one.table, 0, column), columns[k].value))
      status = cairn_error_set(error, CAIRN_ERR_IO, "'%s' has no %s", path, columns[k].key);
  }
  result->ranks = (int)ranks;
  t->n_workers = (int)workers;
  t->steps = (int64_t)steps;
  cairn_sweep_table_fini(&one.table);
  return status;
}

static int launch(const struct bench *bench, int64_t ranks, int64_t workers, char *table, char *output,
                  struct cairn_error *error) {
  static char *const devices[] = {"any", "cpu", "opencl"};
  const struct cairn_options *options = bench->options;
  char trial[32];
  snprintf(trial, sizeof trial, "%.9g", options->trial);
  char **words = calloc((size_t)(2 * options->n_set) + 16, sizeof *words);
  if (!words)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  char *const fixed[] = {"bench", table,      options->operands[1],    "--quiet", "--output", output, "--trial",
                         trial,   "--device", devices[options->device]};
  int n = sizeof fixed / sizeof *fixed;
  memcpy(words, fixed, sizeof fixed);
  for (int i = 0; i < options->n_set; i++) {
    words[n++] = "--set";
    words[n++] = (char *)(uintptr_t)options->set[i]; /* posix_spawn does not change it */
  }
  const int status = cairn_bench_launch(options->launcher ? options->launcher : CAIRN_BENCH_LAUNCHER, (int)ranks,
                                        (int)workers, words, error);
  free(words);
  return status;
}

/* The programs that are started write a table of one row beside that of all. */
static int launch_row(const struct bench *bench, int row, struct cairn_error *error) {
  char table[3200], output[3200];
  int64_t ranks, workers, steps;
  snprintf(table, sizeof table, "%s.row", bench->path);
  snprintf(output, sizeof output, "%s.row.csv", bench->path);
  int status = take_number(bench, row, "ranks", 1000000, 1, &ranks, error);
  if (!status)
    status = take_number(bench, row, "workers", 4096, bench->options->workers, &workers, error);
  if (!status)
    status = take_number(bench, row, "steps", INT32_MAX, steps_before(bench, row), &steps, error);
  if (!status && workers < 1)
    status = cairn_error_set(error, CAIRN_ERR_INPUT,
                             "a table with ranks needs the workers of each: a column workers, or --workers");
  if (!status)
    status = write_single(bench, row, table, workers, steps, error);
  if (!status)
    status = launch(bench, ranks, workers, table, output, error);
  if (!status)
    status = read_single(output, bench->results + row, error);
  if (!status && bench->results[row].ranks != ranks)
    status =
        cairn_error_set(error, CAIRN_ERR_INPUT, "row %d: %lld ranks were to be started and %d were: see --launcher",
                        row + 1, (long long)ranks, bench->results[row].ranks);
  char tasks[3200];
  name_beside(output, "_tasks.csv", tasks);
  remove(table);
  remove(output);
  remove(tasks);
  return status;
}

/* ---- the table ---- */

static double rate(const struct result *r) { return r->n_bodies / (r->timing.each * r->timing.n_workers); }

/* Body-steps per second and worker, over those of the row with the fewest workers that agrees in all other columns
 * (strong scaling), or that has as many bodies for each worker and agrees in scheduler and cells (weak). */
static double efficiency(const struct bench *bench, int row, bool weak) {
  const struct result *results = bench->results, *own = results + row, *least = own;
  for (int r = 0; r < bench->table.n_rows; r++) {
    bool same = results[r].timing.each > 0.;
    for (int c = 0; c < bench->table.n_columns; c++)
      same &= is_size(bench, c) || (weak && !is_how(bench, c)) || agree(bench, r, row, c);
    if (weak)
      same &= fabs(results[r].n_bodies * own->timing.n_workers - own->n_bodies * results[r].timing.n_workers) <=
              0.02 * own->n_bodies * results[r].timing.n_workers;
    if (same && results[r].timing.n_workers < least->timing.n_workers)
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
    fputs("n_ranks,n_workers,n_bodies,n_cells,steps,seconds_per_step,kernels,runtime,idle,communication,imbalance,"
          "body_steps_per_second,efficiency,weak_efficiency\n",
          file);
    return;
  }
  const struct result *r = bench->results + row;
  const struct cairn_timing *t = &r->timing;
  fprintf(file, "%d,%d,%.0f,%.0f,%lld,%.6g,%.6g,%.6g,%.6g,%.6g,%.4f,%.6g,%.4f,%.4f\n", r->ranks, t->n_workers,
          r->n_bodies, r->n_cells, (long long)t->steps, t->each, t->kernels, t->runtime, t->idle, t->communication,
          r->ranks > 1 ? t->imbalance : 0., r->n_bodies / t->each, efficiency(bench, row, false),
          efficiency(bench, row, true));
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

static void write_kind(FILE *file, const struct bench *bench, int row, const char *name, double n, double seconds,
                       double deviation) {
  const struct result *r = bench->results + row;
  fprintf(file, "%d,%d,%d,%.0f,%.0f,%lld,%s,%.0f,%.6g,%.6g\n", row + 1, r->ranks, r->timing.n_workers, r->n_bodies,
          r->n_cells, (long long)r->timing.steps, name, n, seconds, deviation);
}

/* What the workers did in each row, by the names of tasks, of rank 0; runtime, idle and the driving thread among them.
 * cairn forecast reads it. */
static int write_tasks(const struct bench *bench, const char *table, struct cairn_error *error) {
  char path[3200];
  name_beside(table, "_tasks.csv", path);
  FILE *file = fopen(path, "w");
  if (file)
    fputs("run,n_ranks,n_workers,n_bodies,n_cells,steps,task,count,seconds,deviation\n", file);
  for (int row = 0; row < bench->table.n_rows && file; row++) {
    const struct cairn_timing *t = &bench->results[row].timing;
    const double n = (double)t->n_tasks, all = (double)t->steps * t->n_workers / bench->results[row].ranks;
    for (int k = 0; k < t->n_kinds; k++) {
      const struct cairn_engine_kind *kind = t->kind + k;
      const double count = (double)kind->n, mean = kind->seconds / fmax(1., count);
      if (kind->n > 0)
        write_kind(file, bench, row, kind->name, count, kind->seconds,
                   sqrt(fmax(0., kind->squares / count - mean * mean)));
    }
    write_kind(file, bench, row, "runtime", n, all * t->runtime, 0.);
    write_kind(file, bench, row, "idle", n, all * t->idle, 0.);
    write_kind(file, bench, row, "communication", n, all * t->communication, 0.);
    write_kind(file, bench, row, "driver", n, (double)t->steps * t->driver, 0.);
  }
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
    same &= is_size(bench, c) || agree(bench, a, b, c);
  return same;
}

/* The number of rows that differ from this one in ranks and workers alone, 0 if an earlier row has counted them. */
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
    if (!is_size(bench, c) && !is_key(bench, c, "steps") && is_how(bench, c))
      used += (size_t)snprintf(label + used, 128 - used, ", %.40s", cairn_sweep_table_cell(&bench->table, row, c));
}

/* Efficiency over workers, a curve for each series of rows that differ in ranks and workers alone; those of weak
 * scaling, where every row has its own number of bodies, are one curve. */
static void plot_efficiency(const struct bench *bench, struct plot *plot) {
  begin_plot(plot, "Parallel efficiency", "efficiency", "1");
  int *n_curves = &plot->chart.n_curves;
  for (int row = 0; row < bench->table.n_rows && *n_curves < CAIRN_CHART_CURVES - 1; row++)
    if (series_length(bench, row) > 1) {
      name_series(bench, row, plot->labels[*n_curves]);
      for (int r = row; r < bench->table.n_rows; r++)
        if (is_series(bench, row, r))
          add_point(plot, *n_curves, bench->results[r].timing.n_workers, efficiency(bench, r, false));
      ++*n_curves;
    }
  if (*n_curves > 0)
    return;
  snprintf(plot->labels[0], sizeof plot->labels[0], "weak, %.0f bodies per worker",
           bench->results[0].n_bodies / bench->results[0].timing.n_workers);
  for (int r = 0; r < bench->table.n_rows; r++)
    add_point(plot, 0, bench->results[r].timing.n_workers, efficiency(bench, r, true));
  *n_curves = 1;
}

/* The parts of a step, of the first series. */
static void plot_parts(const struct bench *bench, struct plot *plot) {
  static const char *const names[] = {"kernels", "runtime", "idle", "communication"};
  const int n_parts = find_column(bench, "ranks") < 0 && cairn_ranks_n() == 1 ? 3 : 4;
  begin_plot(plot, "Parts of a step, mean of the workers", "time per step", "s");
  int first = 0;
  while (first < bench->table.n_rows - 1 && series_length(bench, first) < 2)
    first++;
  const bool none = series_length(bench, first) < 2; /* weak scaling: all rows */
  for (int k = 0; k < n_parts; k++)
    snprintf(plot->labels[k], sizeof plot->labels[k], "%s", names[k]);
  for (int r = 0; r < bench->table.n_rows; r++) {
    const struct cairn_timing *t = &bench->results[r].timing;
    const double parts[] = {t->kernels, t->runtime, t->idle, t->communication};
    for (int k = 0; k < n_parts && (none || is_series(bench, first, r)); k++)
      add_point(plot, k, t->n_workers, parts[k]);
  }
  plot->chart.n_curves = n_parts;
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
    name_beside(table, kinds[k].ending, path);
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
  const bool launches = find_column(bench, "ranks") >= 0;
  int status = 0;
  if (launches && cairn_ranks_n() > 1)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "a table with a column ranks starts its ranks itself: start cairn bench alone");
  cairn_signals_install();
  for (int row = 0; row < bench->table.n_rows && !status; row++) {
    status = launches ? launch_row(bench, row, error) : take_row(bench, row, error);
    const struct result *r = bench->results + row;
    if (!status && !bench->options->quiet && cairn_ranks_me() == 0)
      fprintf(stderr, "[%d/%d] %d rank%s, %d worker%s, %.0f bodies: %.4g ms per step, %.0f %% in kernels\n", row + 1,
              bench->table.n_rows, r->ranks, r->ranks == 1 ? "" : "s", r->timing.n_workers,
              r->timing.n_workers == 1 ? "" : "s", r->n_bodies, 1e3 * r->timing.each,
              100. * r->timing.kernels / r->timing.each);
    if (cairn_ranks_n() == 1 && !status && *cairn_signals_flag())
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
  bench.path = path;
  bench.results = calloc((size_t)bench.table.n_rows, sizeof *bench.results);
  status = bench.results ? run_all(&bench, error) : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  const bool leads = cairn_ranks_me() == 0;
  if (!status && leads)
    status = write_table(&bench, path, error);
  if (!status && leads)
    status = write_plots(&bench, path, error);
  if (!status && leads && find_column(&bench, "ranks") < 0)
    status = write_tasks(&bench, path, error);
  status = cairn_ranks_agree(status, error);
  if (!status && !options->quiet && leads)
    cairn_report_field(stdout, "written", "%s: %d rows", path, bench.table.n_rows);
  free(bench.results);
  cairn_sweep_table_fini(&bench.table);
  return status;
}

const struct cairn_command cairn_command_bench = {
    .name = "bench",
    .operands = "TABLE.csv SCENARIO",
    .summary = "time the steps of a scenario for each row of a table: ranks, workers, scheduler, any key",
    .help =
        "The table is that of cairn sweep, with these columns beside keys: ranks, workers (of each rank), scheduler "
        "as\n"
        "STARPU_SCHED, steps. Each row is stepped for about --trial seconds, or for its steps, and writes no other\n"
        "files; rows that differ only in ranks, workers, scheduler and cells do the same steps. With a column ranks\n"
        "each row is started by the --launcher. NAME.bench.csv gets the seconds per step, split into kernels, "
        "runtime,\n"
        "idle and communication (the mean of the workers), and the parallel efficiency; NAME.bench_efficiency.svg and\n"
        "_parts.svg are the plots. Without a column ranks NAME.bench_tasks.csv has the time of each kind of task, for\n"
        "cairn forecast.",
    .options = CAIRN_OPTION_SET | CAIRN_OPTION_WORKERS | CAIRN_OPTION_DEVICE | CAIRN_OPTION_OUTPUT_FILE |
               CAIRN_OPTION_QUIET | CAIRN_OPTION_TRIAL | CAIRN_OPTION_LAUNCHER,
    .min_operands = 2,
    .max_operands = 2,
    .on_ranks = true,
    .takes = CAIRN_FILE_UNKNOWN,
    .execute = execute,
};
