#include "solvers/run/deadline.h"

#include <stdlib.h>
#include <time.h>

#include "data/base/number.h"

double cairn_deadline_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int cairn_deadline_find(double started, double walltime, double *deadline, struct cairn_error *error) {
  const char *text = getenv("SLURM_JOB_END_TIME");
  double end;
  *deadline = 0.;
  if (walltime > 0.)
    *deadline = started + walltime;
  else if (text && *text && !cairn_number_parse(text, &end))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "SLURM_JOB_END_TIME is '%.64s', expected seconds since 1970", text);
  else if (text && *text && end > started)
    *deadline = end;
  return 0;
}

double cairn_deadline_reserve(double checkpoint, double stretch) { return 5. + 2. * (checkpoint + stretch); }

bool cairn_deadline_is_near(double deadline, double checkpoint, double stretch) {
  return deadline > 0. && cairn_deadline_clock() + cairn_deadline_reserve(checkpoint, stretch) >= deadline;
}
