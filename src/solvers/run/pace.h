/* How fast a run goes now: its mean over the last half minute or so, not over all that was. */
#ifndef CAIRN_SOLVERS_RUN_PACE_H
#define CAIRN_SOLVERS_RUN_PACE_H

#include <stdint.h>

struct cairn_pace {
  double seconds, steps; /* each time span weighed with e^(-age/30 s) */
  double time;           /* s on the clock, and the step, at the latest note */
  int64_t step;
};

/* Begin at this time and step. */
struct cairn_pace cairn_pace_start(double time, int64_t step);

/* The run has come to this step at this time. */
void cairn_pace_note(struct cairn_pace *pace, double time, int64_t step);

/* s per step; negative while no step was done. */
double cairn_pace_each(const struct cairn_pace *pace);

#endif
