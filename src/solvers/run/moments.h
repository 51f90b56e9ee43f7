/* Regular moments of a run: frames and rows come at the steps nearest to multiples of their interval, `every` steps (at
 * least one; 0: never). */
#ifndef CAIRN_SOLVERS_RUN_MOMENTS_H
#define CAIRN_SOLVERS_RUN_MOMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Steps in an interval, at least one; 0 for an interval of 0. */
double cairn_moments_steps(double interval, double step_size);

bool cairn_moments_has(double every, int64_t step);

/* The first one after `step`. */
int64_t cairn_moments_next(double every, int64_t step);

#endif
