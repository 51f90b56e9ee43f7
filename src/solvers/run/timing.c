#include "solvers/run/timing.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "cairn/engine.h"
#include "cairn/simulation.h"
#include "tasks/ranks/ranks.h"

/* Sums over the workers of all ranks; `own` are the kernels of this one, for each worker. */
static struct cairn_engine_times times_of_all(int64_t *n_workers, double *own) {
  struct cairn_engine_times times;
  struct cairn_engine_info info;
  cairn_engine_times(&times);
  cairn_engine_info(&info);
  *own = times.kernels / (info.n_cpu_workers + info.n_opencl_workers);
  int64_t sum[] = {(int64_t)(1e9 * times.kernels), (int64_t)(1e9 * times.idle), (int64_t)(1e9 * times.communication),
                   info.n_cpu_workers + info.n_opencl_workers};
  cairn_ranks_sum(sum, 4);
  times.kernels = 1e-9 * (double)sum[0];
  times.idle = 1e-9 * (double)sum[1];
  times.communication = 1e-9 * (double)sum[2];
  *n_workers = sum[3];
  return times;
}

static double now(void) {
  struct cairn_engine_times times;
  cairn_engine_times(&times);
  return times.clock;
}

/* Processor time of this thread. */
static double driven(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Leave out of the kinds what had been done before. */
static void subtract(struct cairn_timing *timing, const struct cairn_engine_kind *before, int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < timing->n_kinds; k++)
      if (strcmp(timing->kind[k].name, before[i].name) == 0) {
        timing->kind[k].n -= before[i].n;
        timing->kind[k].seconds -= before[i].seconds;
        timing->kind[k].squares -= before[i].squares;
      }
}

int cairn_timing_measure(struct cairn_simulation *simulation, double seconds, int64_t steps,
                         struct cairn_timing *timing, struct cairn_error *error) {
  int64_t n_workers, done = 1;
  const double start = now();
  int status = cairn_simulation_advance(simulation, 1, error);
  for (; !status && cairn_ranks_decide(steps > 0 ? done < steps / 3 : now() - start < 0.25 * seconds); done++)
    status = cairn_simulation_advance(simulation, 1, error);
  if (status)
    return status;
  timing->steps = steps > 0 ? steps : 3 * done;
  struct cairn_engine_kind before[CAIRN_ENGINE_KINDS];
  const int n_before = cairn_engine_kinds(before);
  const double driven_before = driven();
  double own_begin, own_end;
  const struct cairn_engine_times begin = times_of_all(&n_workers, &own_begin);
  status = cairn_simulation_advance(simulation, timing->steps, error);
  const double end_clock = now();
  const struct cairn_engine_times end = times_of_all(&n_workers, &own_end);
  timing->driver = (driven() - driven_before) / (double)timing->steps;
  timing->n_tasks = end.n_tasks - begin.n_tasks;
  timing->n_kinds = cairn_engine_kinds(timing->kind);
  subtract(timing, before, n_before);
  const double per = 1. / ((double)timing->steps * (double)n_workers);
  timing->n_workers = (int)n_workers;
  timing->each = (end_clock - begin.clock) / (double)timing->steps;
  timing->kernels = per * (end.kernels - begin.kernels);
  timing->imbalance =
      cairn_ranks_max(own_end - own_begin) / ((double)timing->steps * fmax(timing->kernels, 1e-300)) - 1.;
  timing->communication = per * (end.communication - begin.communication);
  timing->idle = fmax(0., per * (end.idle - begin.idle) - timing->communication);
  timing->runtime = fmax(0., timing->each - timing->kernels - timing->idle - timing->communication);
  return status;
}
