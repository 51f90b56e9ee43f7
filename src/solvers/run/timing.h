/* How long the steps of a simulation take and what its workers do meanwhile, over all ranks. */
#ifndef CAIRN_SOLVERS_RUN_TIMING_H
#define CAIRN_SOLVERS_RUN_TIMING_H

#include <stdint.h>

#include "cairn/engine.h"

struct cairn_simulation;

struct cairn_timing {
  int64_t steps;
  int n_workers; /* of all ranks */
  double each;   /* s of the clock per step */
  /* s per step, the mean of the workers; their sum is `each` */
  double kernels, runtime, idle, communication;
  double imbalance; /* of the kernels: the busiest rank over the mean of all, less 1 */
  int64_t n_tasks;  /* of this rank, as all that follows */
  double driver;    /* s of processor time of the thread that submits the tasks, per step */
  int n_kinds;
  struct cairn_engine_kind kind[CAIRN_ENGINE_KINDS];
};

/* Advance: for a quarter of `seconds` to warm up, and then three times as many steps that are measured; or `steps`
 * steps after a third of them, if that is not 0. By all ranks; the clock is that of rank 0. */
int cairn_timing_measure(struct cairn_simulation *simulation, double seconds, int64_t steps,
                         struct cairn_timing *timing, struct cairn_error *error);

#endif
