#include "solvers/run/pace.h"

#include <math.h>

struct cairn_pace cairn_pace_start(double time, int64_t step) {
  return (struct cairn_pace){.time = time, .step = step};
}

void cairn_pace_note(struct cairn_pace *pace, double time, int64_t step) {
  static const double MEMORY = 30.; /* s */
  const double span = time - pace->time, keep = exp(-span / MEMORY);
  pace->seconds = keep * pace->seconds + span;
  pace->steps = keep * pace->steps + (double)(step - pace->step);
  pace->time = time;
  pace->step = step;
}

double cairn_pace_each(const struct cairn_pace *pace) { return pace->steps > 0. ? pace->seconds / pace->steps : -1.; }
