/* The loop around the sweeps: momentum, when the residual is evaluated, when it ends. One for a cell alone, for many
 * cells and for problems in files (solvers/friction). It knows nothing but residuals, so that the momentum of the
 * sweeps up to the next residual is known beforehand and nothing waits in between. */
#ifndef CAIRN_KERNELS_CONTACT_DYNAMICS_CD_CONTROL_H
#define CAIRN_KERNELS_CONTACT_DYNAMICS_CD_CONTROL_H

#include <math.h>
#include <stdint.h>

#include "kernels/contact_dynamics/cd_cell.h"

/* Residual evaluations without a new least one after which the momentum starts anew; and a residual that is so many
 * times the least one starts it anew at once. docs/decisions/0012-momentum-that-restarts.md has the numbers. */
enum { CAIRN_CD_CONTROL_PATIENCE = 12 };
#define CAIRN_CD_CONTROL_GROWTH 1.2

/* The two steps of a pair differ by this factor to both sides in the limit of their momentum, and the better one draws
 * it to its side by half as much. More momentum has to be worth it: above what a scene bears it makes no difference
 * most of the time, and restarts at others. docs/decisions/0017-momentum-that-scenes-bear.md. */
#define CAIRN_CD_TUNING_TRIAL 1.3
#define CAIRN_CD_TUNING_PULL 1.15
#define CAIRN_CD_TUNING_GAIN 0.95
#define CAIRN_CD_TUNING_START 30.
#define CAIRN_CD_TUNING_LEAST 4.
#define CAIRN_CD_TUNING_MOST 100.

/* From sweep to sweep. */
struct cairn_cd_control {
  double t;         /* Nesterov's sequence of 1983 */
  double most_t;    /* its upper limit; plain sweeps have 1 */
  double limit;     /* the upper limit of that */
  double best;      /* least residual since the momentum started */
  int64_t since;    /* residuals evaluated since then */
  int64_t restarts; /* of the momentum, in this problem */
  int32_t plain;    /* no momentum at all */
};

/* At the beginning of a problem; without tuning there is no limit to the momentum. */
static inline struct cairn_cd_control cairn_cd_control_start(int32_t solver, const struct cairn_cd_tuning *tuning) {
  const int32_t plain = solver == CAIRN_CD_NSGS;
  double limit = 1e9;
  if (tuning && tuning->limit > 0.)
    limit = tuning->sweeps < 0. ? tuning->limit / CAIRN_CD_TUNING_TRIAL : tuning->limit * CAIRN_CD_TUNING_TRIAL;
  limit = plain ? 1. : limit;
  return (struct cairn_cd_control){.t = 1., .most_t = limit, .limit = limit, .best = INFINITY, .plain = plain};
}

/* Learn from a step. */
static inline void cairn_cd_tuning_learn(struct cairn_cd_tuning *tuning, double sweeps) {
  if (tuning->limit == 0.) {
    *tuning = (struct cairn_cd_tuning){CAIRN_CD_TUNING_START, -1.};
    return;
  }
  if (tuning->sweeps >= 0.) {
    const int more = sweeps < CAIRN_CD_TUNING_GAIN * tuning->sweeps;
    const double limit = tuning->limit * (more ? CAIRN_CD_TUNING_PULL : 1. / CAIRN_CD_TUNING_PULL);
    tuning->limit = fmin(fmax(limit, CAIRN_CD_TUNING_LEAST), CAIRN_CD_TUNING_MOST);
  }
  tuning->sweeps = tuning->sweeps < 0. ? sweeps : -1.;
}

/* Fraction of the latest change by which the next sweep extrapolates: from 0 towards 1. */
static inline double cairn_cd_control_momentum(struct cairn_cd_control *control) {
  const double next = 0.5 * (1. + sqrt(1. + 4. * control->t * control->t)), beta = (control->t - 1.) / next;
  control->t = fmin(next, control->most_t);
  return beta;
}

/* Adapt to a residual. Friction derives from no potential: with too much momentum the impulses cycle, and the residual
 * stays or grows. Momentum then starts anew, with half of it as the upper limit, which is raised slowly afterwards; the
 * plain sweeps at the start damp what has built up. Returns whether it did. */
static inline int cairn_cd_control_residual(struct cairn_cd_control *control, double residual) {
  control->since = residual < 0.97 * control->best ? 0 : control->since + 1;
  const int restart = residual > CAIRN_CD_CONTROL_GROWTH * control->best || control->since >= CAIRN_CD_CONTROL_PATIENCE;
  if (restart) {
    control->most_t = fmax(0.5 * control->t, 4.);
    control->t = 1.;
    control->best = residual;
    control->since = 0;
    control->restarts += !control->plain;
  } else {
    control->most_t *= 1.1;
  }
  control->most_t = fmin(control->most_t, control->limit);
  control->best = fmin(control->best, residual);
  return restart;
}

/* The end of a step, solved or not. */
static inline void cairn_cd_outcome_end(struct cairn_cd_outcome *outcome, const struct cairn_cd_step *step,
                                        const struct cairn_cd_control *control) {
  outcome->restarts = control->restarts;
  outcome->unsolved += !(outcome->residual <= step->tolerance);
  cairn_cd_tuning_learn(&outcome->tuning, (double)outcome->sweeps);
}

/* Sweeps until the residual is evaluated again: that costs half a sweep, and warm starts are soon done. */
static inline int64_t cairn_cd_control_sweeps(int64_t sweeps, int64_t most) {
  const int64_t more = sweeps < 6 ? 2 : sweeps < 24 ? sweeps / 3 : 8, left = most - sweeps;
  return more < left ? more : left;
}

#endif
