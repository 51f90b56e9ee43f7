/* The time a run will take, from a trial of its first steps. */
#ifndef CAIRN_CLI_TRIAL_H
#define CAIRN_CLI_TRIAL_H

#include <stdio.h>

#include "solvers/simulation/simulation.h"

/* What a trial has come to. */
struct cairn_trial {
  int64_t steps;   /* done at first: those that a run does first */
  double each;     /* s per step, in the last stretch of them, or at the last moment looked at */
  double seconds;  /* of the first steps together */
  double contacts; /* per body, those with walls counted, at its end */
  double sweeps;   /* in the last step; 0 with soft spheres */
  double seen;     /* part of the run that was looked at; 0: the first steps only */
  double whole;    /* s, of all steps, where more was looked at */
};

/* Do steps of the scenario for up to `seconds` of the wall clock: fewer once bodies touch and the speed stays the same.
 * A method that solves for impulses takes more sweeps once the bodies have met. There the first steps get a fifth of
 * the time; then the same run goes ahead in a hurry, with long steps and few sweeps, and real steps are timed at some
 * moments of it. Needs a running engine. */
int cairn_trial_run(struct cairn_scenario *scenario, const struct cairn_plan *plan, double seconds,
                    struct cairn_trial *trial, struct cairn_error *error);

/* What follows from a trial, in s of the wall clock. */
struct cairn_trial_estimate {
  double all;      /* of the run, at the speeds of the trial */
  double dense[2]; /* as a dense pile, with few and with many sweeps, where the trial may not have seen the slowest part
                      of the run; else 0 */
};

struct cairn_trial_estimate cairn_trial_estimate(const struct cairn_scenario *scenario, const struct cairn_plan *plan,
                                                 const struct cairn_trial *trial, int workers);

/* The line "time: …" with the estimate and what it rests on. */
void cairn_trial_report(FILE *stream, const struct cairn_scenario *scenario, const struct cairn_plan *plan,
                        const struct cairn_trial *trial, int workers);

#endif
