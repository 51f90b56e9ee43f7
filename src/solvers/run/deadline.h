/* The end of the time that a batch system grants: the run stops while there is time for one more checkpoint. */
#ifndef CAIRN_SOLVERS_RUN_DEADLINE_H
#define CAIRN_SOLVERS_RUN_DEADLINE_H

#include <stdbool.h>

#include "cairn/error.h"

/* Seconds since 1970. */
double cairn_deadline_clock(void);

/* When the run must be over, on that clock: `walltime` seconds after the program was `started`, else at
 * SLURM_JOB_END_TIME; 0 without either, and with a SLURM_JOB_END_TIME before the start, which is that of another job.
 */
int cairn_deadline_find(double started, double walltime, double *deadline, struct cairn_error *error);

/* What must be left when the run stops, in seconds: twice the slowest checkpoint and the longest stretch of steps so
 * far, because both may take longer the next time, and five seconds to close files, for the report and the requeue. */
double cairn_deadline_reserve(double checkpoint, double stretch);

/* Is less than that left? Never of a deadline of 0. */
bool cairn_deadline_is_near(double deadline, double checkpoint, double stretch);

#endif
