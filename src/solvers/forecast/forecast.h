/* How fast a run would be on a machine that is described, from task times that were measured on another: the tasks of
 * a step with the data they share, on a regular arrangement of cells, simulated (graph.h). */
#ifndef CAIRN_SOLVERS_FORECAST_FORECAST_H
#define CAIRN_SOLVERS_FORECAST_FORECAST_H

#include <stdint.h>

#include "cairn/error.h"
#include "solvers/forecast/graph.h"

/* A row of what cairn bench has measured: all that the workers of a run did under one name. */
struct cairn_forecast_row {
  double workers, bodies, cells, steps;
  char task[32];
  double count, seconds, deviation; /* the standard deviation of one, s */
};

/* Tasks whose time is needed; both methods regrid. */
#define CAIRN_FORECAST_TASKS(TASK)                                                                                     \
  TASK(gather)                                                                                                         \
  TASK(advance)                                                                                                        \
  TASK(cd_begin)                                                                                                       \
  TASK(cd_warm_start)                                                                                                  \
  TASK(cd_extrapolate)                                                                                                 \
  TASK(cd_sweep)                                                                                                       \
  TASK(cd_residual)                                                                                                    \
  TASK(cd_end)                                                                                                         \
  TASK(snapshot)                                                                                                       \
  TASK(order)                                                                                                          \
  TASK(adopt)                                                                                                          \
  TASK(build)
#define CAIRN_FORECAST_ROW(name) CAIRN_FORECAST_##name,
enum cairn_forecast_task { CAIRN_FORECAST_TASKS(CAIRN_FORECAST_ROW) CAIRN_FORECAST_N_TASKS };

/* What was measured, as a model. */
struct cairn_forecast_costs {
  struct {
    double base, per_body; /* s: base + per_body × bodies of the cell */
  } task[CAIRN_FORECAST_N_TASKS];
  double deviation;         /* of the longest task, over its mean: how unequal cells are */
  double overhead;          /* s that a worker spends around a task */
  double submission;        /* s of the driving thread for a task */
  double pause;             /* s without tasks where the driver waits for all */
  double regrid;            /* s of the driver, per cell, in which no task runs at a regrid */
  double regrids;           /* per step */
  double sweeps, residuals; /* per step; 0 where contacts are not solved by sweeps */
};

struct cairn_forecast_machine {
  double nodes, ranks; /* ranks of a node */
  double workers;      /* of a rank */
  double cores;        /* of a rank: with more than workers the driving thread has one for itself */
  double devices, device_speed;
  double latency, bandwidth; /* s; bytes/s of a node */
  double overhead;           /* s; negative: as measured */
  double speed;              /* of a core, over that of the measurement */
  double bodies, cell_bodies;
  double blocks; /* 1: a rank of contact dynamics has a block of columns, as cairn does; 0: a stretch, slice by slice */
};

struct cairn_forecast {
  double workers, cells;                        /* of all ranks */
  double seconds;                               /* per step */
  double kernels, runtime, idle, communication; /* s per step, the mean of the workers; their sum is `seconds` */
  double efficiency;                            /* over one worker with the same cells */
};

/* The model of these rows; those of runs with more than one worker do not count. */
int cairn_forecast_fit(const struct cairn_forecast_row *row, int64_t n, struct cairn_forecast_costs *costs,
                       struct cairn_error *error);

int cairn_forecast_make(const struct cairn_forecast_costs *costs, const struct cairn_forecast_machine *machine,
                        struct cairn_forecast *forecast, struct cairn_error *error);

#endif
