/* A model of task times and of what the driver costs, from the table of a bench. */
#include <math.h>
#include <string.h>

#include "solvers/forecast/forecast_parts.h"

/* Between two residuals; a solver has 8 of them at most (kernels/contact_dynamics/cd_control.h). */
enum { MOST_SWEEPS = 64 };

/* Sums for the least squares of y = base + slope x. */
struct line {
  double n, x, y, xx, xy;
};

/* Deviations count in proportion to x, which spans decades. */
static void add_point(struct line *line, double x, double y) {
  const double weight = 1. / (x * x);
  line->n += weight;
  line->x += weight * x;
  line->y += weight * y;
  line->xx += weight * x * x;
  line->xy += weight * x * y;
}

/* Neither may be negative. */
static void solve(const struct line *line, double *base, double *slope) {
  const double determinant = line->n * line->xx - line->x * line->x;
  *base = *slope = 0.;
  if (line->n == 0.)
    return;
  if (determinant > 1e-6 * line->n * line->xx) {
    *slope = (line->n * line->xy - line->x * line->y) / determinant;
    *base = (line->y - *slope * line->x) / line->n;
  }
  if (*slope < 0.) {
    *slope = 0.;
    *base = line->y / line->n;
  } else if (*base < 0. || determinant <= 1e-6 * line->n * line->xx) {
    *base = 0.;
    *slope = line->xy / line->xx;
  }
}

static bool counts(const struct cairn_forecast_row *row, const char *task) {
  return row->workers == 1. && row->count > 0. && (!task || strcmp(row->task, task) == 0);
}

static void fit_tasks(const struct cairn_forecast_row *row, int64_t n, struct cairn_forecast_costs *costs) {
#define NAME(name) #name,
  static const char *const names[] = {CAIRN_FORECAST_TASKS(NAME)};
  for (int k = 0; k < CAIRN_FORECAST_N_TASKS; k++) {
    struct line line = {0};
    for (int64_t i = 0; i < n; i++)
      if (counts(row + i, names[k]))
        add_point(&line, row[i].bodies / row[i].cells, row[i].seconds / row[i].count);
    solve(&line, &costs->task[k].base, &costs->task[k].per_body);
  }
}

/* How often a task is done, for each cell and step. */
static double rate_of(const struct cairn_forecast_row *row, int64_t n, const char *task) {
  double count = 0., steps = 0.;
  for (int64_t i = 0; i < n; i++)
    if (counts(row + i, "runtime"))
      steps += row[i].steps;
  for (int64_t i = 0; i < n; i++)
    if (counts(row + i, task))
      count += row[i].count / row[i].cells;
  return steps > 0. ? count / steps : 0.;
}

/* Sums of seconds and counts of a name. */
static double seconds_of(const struct cairn_forecast_row *row, int64_t n, const char *task, double *count) {
  double seconds = 0.;
  *count = 0.;
  for (int64_t i = 0; i < n; i++)
    if (counts(row + i, task)) {
      seconds += row[i].seconds;
      *count += row[i].count;
    }
  return seconds;
}

/* How often the driver of one process waits for all, per step. */
static double waits_of(const struct cairn_forecast_costs *costs, double cells) {
  return costs->sweeps > 0. ? costs->residuals + 1. + CAIRN_FORECAST_REGRID_WAITS * costs->regrids
                            : 1. / cairn_forecast_batch(costs, cells) + CAIRN_FORECAST_REGRID_WAITS * costs->regrids;
}

/* A single worker is idle where the driver waits for all and then goes on, and in the driver's part of regrids:
 * idle / waits = pause + regrid × (regrids × cells / waits). */
static void fit_driver(const struct cairn_forecast_row *row, int64_t n, struct cairn_forecast_costs *costs) {
  struct line line = {0};
  for (int64_t i = 0; i < n; i++)
    if (counts(row + i, "idle")) {
      const double waits = waits_of(costs, row[i].cells), x = costs->regrids * row[i].cells / waits;
      add_point(&line, x > 0. ? x : 1e-9, row[i].seconds / row[i].steps / waits);
    }
  solve(&line, &costs->pause, &costs->regrid);
  if (costs->regrids == 0.) {
    costs->pause = line.n > 0. ? line.y / line.n : 0.;
    costs->regrid = 0.;
  }
}

int cairn_forecast_fit(const struct cairn_forecast_row *row, int64_t n, struct cairn_forecast_costs *costs,
                       struct cairn_error *error) {
  double tasks, n_idle, n_driver, weight = 0., sum = 0.;
  *costs = (struct cairn_forecast_costs){0};
  fit_tasks(row, n, costs);
  costs->sweeps = rate_of(row, n, "cd_sweep");
  costs->residuals = rate_of(row, n, "cd_residual");
  costs->regrids = rate_of(row, n, "build");
  const double runtime = seconds_of(row, n, "runtime", &tasks), idle = seconds_of(row, n, "idle", &n_idle);
  const double driver = seconds_of(row, n, "driver", &n_driver);
  const char *longest = costs->sweeps > 0. ? "cd_sweep" : "advance";
  for (int64_t i = 0; i < n; i++)
    if (counts(row + i, longest)) {
      weight += row[i].count;
      sum += row[i].deviation * row[i].count * row[i].count / row[i].seconds;
    }
  if (tasks == 0. || weight == 0.)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "the tasks are those of no run with one worker and several cells, of soft spheres or of "
                           "contact dynamics with more than 20 000 bodies");
  if (costs->sweeps > MOST_SWEEPS * costs->residuals)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%g sweeps and %g residuals in a step are none of contact dynamics",
                           costs->sweeps, costs->residuals);
  costs->deviation = sum / weight;
  costs->overhead = runtime / tasks;
  costs->submission = fmax(0., driver - idle) / tasks;
  fit_driver(row, n, costs);
  return 0;
}
