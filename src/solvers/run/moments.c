#include "solvers/run/moments.h"

#include <math.h>

static int64_t moment(double every, int64_t k) { return (int64_t)floor((double)k * every + 0.5); }

/* The number of the last one that is not after `step`. */
static int64_t last_moment(double every, int64_t step) {
  int64_t k = (int64_t)(((double)step + 0.5) / every);
  while (moment(every, k) > step)
    k--;
  while (moment(every, k + 1) <= step)
    k++;
  return k;
}

double cairn_moments_steps(double interval, double step_size) {
  return interval > 0. ? fmin(fmax(interval / step_size, 1.), 1e15) : 0.;
}

bool cairn_moments_has(double every, int64_t step) { return moment(every, last_moment(every, step)) == step; }

int64_t cairn_moments_next(double every, int64_t step) { return moment(every, last_moment(every, step) + 1); }
