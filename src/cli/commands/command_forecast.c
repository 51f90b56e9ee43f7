#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/commands/sweep_table.h"
#include "cli/report.h"
#include "data/base/number.h"
#include "solvers/forecast/forecast.h"
#include "view/charts/chart_file.h"

/* ---- tables ---- */

/* A column of a table and its number in a row. */
struct column {
  const char *key;
  double least, most, otherwise; /* NAN: it must be there */
  bool is_whole;
};

static int find_column(const struct cairn_sweep_table *table, const char *key) {
  int c = table->n_columns - 1;
  while (c >= 0 && strcmp(cairn_sweep_table_cell(table, -1, c), key))
    c--;
  return c;
}

static int take_number(const char *path, const struct cairn_sweep_table *table, int row, const struct column *column,
                       double *number, struct cairn_error *error) {
  const int c = find_column(table, column->key);
  *number = column->otherwise;
  if (c < 0 && isnan(column->otherwise))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%s: there is no column %s", path, column->key);
  if (c < 0)
    return 0;
  const char *text = cairn_sweep_table_cell(table, row, c);
  if (!cairn_number_parse(text, number) || !(*number >= column->least && *number <= column->most) ||
      (column->is_whole && *number != floor(*number)))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%s: row %d: %s is '%.40s', expected a %snumber from %g to %g", path,
                           row + 1, column->key, text, column->is_whole ? "whole " : "", column->least, column->most);
  return 0;
}

/* ---- what was measured ---- */

static int read_row(const char *path, const struct cairn_sweep_table *table, int row, struct cairn_forecast_row *to,
                    struct cairn_error *error) {
  static const struct column columns[] = {{"n_workers", 1., 1e9, NAN, true},  {"n_bodies", 1., 1e15, NAN, true},
                                          {"n_cells", 1., 1e15, NAN, true},   {"steps", 1., 1e15, NAN, true},
                                          {"count", 0., 1e15, NAN, true},     {"seconds", 0., 1e15, NAN, false},
                                          {"deviation", 0., 1e15, NAN, false}};
  double *const numbers[] = {&to->workers, &to->bodies,  &to->cells,    &to->steps,
                             &to->count,   &to->seconds, &to->deviation};
  const int name = find_column(table, "task");
  int status = name < 0 ? cairn_error_set(error, CAIRN_ERR_INPUT, "%s: there is no column task", path) : 0;
  for (size_t k = 0; k < sizeof columns / sizeof *columns && !status; k++)
    status = take_number(path, table, row, columns + k, numbers[k], error);
  if (!status)
    snprintf(to->task, sizeof to->task, "%s", cairn_sweep_table_cell(table, row, name));
  return status;
}

static int read_costs(const char *path, struct cairn_forecast_costs *costs, struct cairn_error *error) {
  struct cairn_sweep_table table;
  int status = cairn_sweep_table_read(path, &table, error);
  if (status)
    return status;
  struct cairn_forecast_row *rows = calloc((size_t)table.n_rows, sizeof *rows);
  if (!rows)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  for (int r = 0; r < table.n_rows && !status; r++)
    status = read_row(path, &table, r, rows + r, error);
  struct cairn_error found = {0};
  if (!status && cairn_forecast_fit(rows, table.n_rows, costs, &found))
    status = cairn_error_set(error, found.status, "%.400s: %.500s", path, found.message);
  free(rows);
  cairn_sweep_table_fini(&table);
  return status;
}

/* ---- machines ---- */

enum {
  NODES,
  RANKS,
  WORKERS,
  CORES,
  DEVICES,
  DEVICE_SPEED,
  LATENCY,
  BANDWIDTH,
  OVERHEAD,
  SPEED,
  BODIES,
  CELL_BODIES,
  BLOCKS
};

static const struct column columns[] = {
    [NODES] = {"nodes", 1., 1e6, 1., true},        [RANKS] = {"ranks", 1., 1024., 1., true},
    [WORKERS] = {"workers", 1., 4096., NAN, true}, [CORES] = {"cores", 1., 4096., 0., true},
    [DEVICES] = {"devices", 0., 64., 0., true},    [DEVICE_SPEED] = {"device_speed", 1e-3, 1e6, 10., false},
    [LATENCY] = {"latency", 0., 1., 2e-6, false},  [BANDWIDTH] = {"bandwidth", 1e3, 1e15, 1e10, false},
    [OVERHEAD] = {"overhead", 0., 1., -1., false}, [SPEED] = {"speed", 1e-3, 1e3, 1., false},
    [BODIES] = {"bodies", 1., 1e13, NAN, true},    [CELL_BODIES] = {"cell_bodies", 1., 1e9, 0., true},
    [BLOCKS] = {"blocks", 0., 1., 1., true},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

/* Cells as cairn makes them, smaller ones where workers would have fewer than four. */
static double choose_cells(const struct cairn_forecast_costs *costs, const double *m) {
  const double workers = m[NODES] * m[RANKS] * (m[WORKERS] + m[DEVICES]);
  return fmax(500., fmin(costs->sweeps > 0. ? 3500. : 3000., floor(m[BODIES] / (4. * workers))));
}

static int read_machine(const char *path, const struct cairn_sweep_table *table, int row,
                        const struct cairn_forecast_costs *costs, struct cairn_forecast_machine *machine,
                        struct cairn_error *error) {
  double m[N_COLUMNS];
  int status = 0;
  for (int k = 0; k < N_COLUMNS && !status; k++)
    status = take_number(path, table, row, columns + k, m + k, error);
  if (status)
    return status;
  *machine =
      (struct cairn_forecast_machine){.nodes = m[NODES],
                                      .ranks = m[RANKS],
                                      .workers = m[WORKERS],
                                      .cores = m[CORES] > 0. ? m[CORES] : m[WORKERS],
                                      .devices = m[DEVICES],
                                      .device_speed = m[DEVICE_SPEED],
                                      .latency = m[LATENCY],
                                      .bandwidth = m[BANDWIDTH],
                                      .overhead = m[OVERHEAD],
                                      .speed = m[SPEED],
                                      .blocks = m[BLOCKS],
                                      .bodies = m[BODIES],
                                      .cell_bodies = m[CELL_BODIES] > 0. ? m[CELL_BODIES] : choose_cells(costs, m)};
  if (machine->bodies < machine->nodes * machine->ranks)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%s: row %d: %g bodies are fewer than the ranks", path, row + 1,
                           machine->bodies);
  return 0;
}

static int check_columns(const char *path, const struct cairn_sweep_table *table, struct cairn_error *error) {
  for (int c = 0; c < table->n_columns; c++) {
    const char *key = cairn_sweep_table_cell(table, -1, c);
    int k = 0;
    while (k < N_COLUMNS && strcmp(columns[k].key, key))
      k++;
    if (k == N_COLUMNS)
      return cairn_error_set(error, CAIRN_ERR_INPUT,
                             "%s: '%.80s' is no column of a machine; those are nodes, ranks, workers, cores, devices, "
                             "device_speed, latency, bandwidth, overhead, speed, bodies, cell_bodies, blocks",
                             path, key);
  }
  return 0;
}

/* ---- results ---- */

static void write_row(FILE *file, const struct cairn_sweep_table *table, int row,
                      const struct cairn_forecast_machine *m, const struct cairn_forecast *f) {
  for (int c = 0; c < table->n_columns; c++) {
    cairn_sweep_table_put(file, cairn_sweep_table_cell(table, row, c));
    fputc(',', file);
  }
  if (row < 0)
    fputs("n_ranks,n_workers,n_bodies,n_cells,seconds_per_step,kernels,runtime,idle,communication,"
          "body_steps_per_second,efficiency\n",
          file);
  else
    fprintf(file, "%.0f,%.0f,%.0f,%.0f,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.4f\n", m->nodes * m->ranks, f->workers,
            m->bodies, f->cells, f->seconds, f->kernels, f->runtime, f->idle, f->communication, m->bodies / f->seconds,
            f->efficiency);
}

static int write_table(const char *path, const struct cairn_sweep_table *table,
                       const struct cairn_forecast_machine *machines, const struct cairn_forecast *forecasts,
                       struct cairn_error *error) {
  FILE *file = fopen(path, "w");
  for (int row = -1; row < table->n_rows && file; row++)
    write_row(file, table, row, machines + row, forecasts + row);
  const int failed = !file || ferror(file);
  if ((file && fclose(file)) || failed)
    return cairn_error_set(error, CAIRN_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
  return 0;
}

enum { MOST_POINTS = 64 };

/* Efficiency over workers, a curve for each number of bodies. */
static int write_plot(const char *table, int n, const struct cairn_forecast_machine *machines,
                      const struct cairn_forecast *forecasts, struct cairn_error *error) {
  static double x[CAIRN_CHART_CURVES][MOST_POINTS], y[CAIRN_CHART_CURVES][MOST_POINTS];
  static char labels[CAIRN_CHART_CURVES][64];
  struct cairn_chart chart = {.title = "Parallel efficiency, predicted",
                              .x_label = "decimal logarithm of the workers",
                              .x_unit = "1",
                              .y_label = "efficiency",
                              .y_unit = "1",
                              .names_one = true,
                              .width = 560.,
                              .height = 320.};
  double bodies[CAIRN_CHART_CURVES];
  for (int row = 0; row < n; row++) {
    int k = 0;
    while (k < chart.n_curves && bodies[k] != machines[row].bodies)
      k++;
    if (k == CAIRN_CHART_CURVES)
      continue;
    struct cairn_chart_curve *curve = chart.curves + k;
    if (k == chart.n_curves) {
      bodies[chart.n_curves++] = machines[row].bodies;
      snprintf(labels[k], sizeof labels[k], "%.3g bodies", bodies[k]);
      *curve = (struct cairn_chart_curve){labels[k], 0, x[k], y[k], CAIRN_INK_CURVE + k};
    }
    if (curve->n == MOST_POINTS)
      continue;
    x[k][curve->n] = log10(forecasts[row].workers);
    y[k][curve->n++] = forecasts[row].efficiency;
  }
  char path[3200];
  const char *dot = strrchr(table, '.');
  snprintf(path, sizeof path, "%.*s_efficiency.svg", (int)(dot ? dot - table : 3000), table);
  return cairn_chart_has_points(&chart) ? cairn_chart_file_write(&chart, path, error) : 0;
}

static int forecast_all(const struct cairn_options *options, const struct cairn_sweep_table *table,
                        const struct cairn_forecast_costs *costs, const char *path, struct cairn_error *error) {
  struct cairn_forecast_machine *machines = calloc((size_t)table->n_rows + 1, sizeof *machines);
  struct cairn_forecast *forecasts = calloc((size_t)table->n_rows + 1, sizeof *forecasts);
  int status = machines && forecasts ? check_columns(options->operands[0], table, error)
                                     : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  for (int row = 0; row < table->n_rows && !status; row++)
    status = read_machine(options->operands[0], table, row, costs, machines + row, error);
  for (int row = 0; row < table->n_rows && !status; row++) {
    status = cairn_forecast_make(costs, machines + row, forecasts + row, error);
    if (!status && !options->quiet)
      fprintf(stderr, "[%d/%d] %.0f workers, %.4g bodies: %.4g ms per step, efficiency %.2f\n", row + 1, table->n_rows,
              forecasts[row].workers, machines[row].bodies, 1e3 * forecasts[row].seconds, forecasts[row].efficiency);
  }
  if (!status)
    status = write_table(path, table, machines, forecasts, error);
  if (!status)
    status = write_plot(path, table->n_rows, machines, forecasts, error);
  if (!status && !options->quiet)
    cairn_report_field(stdout, "written", "%s: %d rows", path, table->n_rows);
  free(machines);
  free(forecasts);
  return status;
}

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  const char *slash = strrchr(options->operands[0], '/'), *base = slash ? slash + 1 : options->operands[0];
  const char *dot = strrchr(base, '.');
  struct cairn_forecast_costs costs;
  struct cairn_sweep_table table;
  char path[3100];
  if (options->output)
    snprintf(path, sizeof path, "%.3000s", options->output);
  else
    snprintf(path, sizeof path, "%.*s.forecast.csv", (int)(dot ? dot - base : 2900), base);
  int status = read_costs(options->operands[1], &costs, error);
  if (!status)
    status = cairn_sweep_table_read(options->operands[0], &table, error);
  if (status)
    return status;
  status = forecast_all(options, &table, &costs, path, error);
  cairn_sweep_table_fini(&table);
  return status;
}

const struct cairn_command cairn_command_forecast = {
    .name = "forecast",
    .operands = "MACHINES.csv TASKS.csv",
    .summary = "predict the time of a step on machines that are described, from measured tasks",
    .help =
        "TASKS.csv is what cairn bench wrote as NAME.bench_tasks.csv, with rows of one worker and several sizes of\n"
        "cells. Each row of MACHINES.csv is a machine and a number of bodies: nodes, ranks of a node, workers and\n"
        "cores of a rank, devices, device_speed, latency (s), bandwidth (bytes/s of a node), overhead (s of a task;\n"
        "as measured), speed of a core (1: the measured one), bodies, cell_bodies, and blocks (0: ranks of contact\n"
        "dynamics have stretches of columns instead of blocks). workers and bodies must be given.\n"
        "The tasks of a step are simulated; NAME.forecast.csv gets the columns of cairn bench,\n"
        "NAME.forecast_efficiency.svg is the plot.",
    .options = CAIRN_OPTION_OUTPUT_FILE | CAIRN_OPTION_QUIET,
    .min_operands = 2,
    .max_operands = 2,
    .takes = CAIRN_FILE_UNKNOWN,
    .execute = execute,
};
