/* A run from its first step to its last, with files, checkpoints, progress and early stops. */
#ifndef CAIRN_SOLVERS_RUN_RUN_H
#define CAIRN_SOLVERS_RUN_RUN_H

#include <signal.h>

#include "analysis/cluster.h"
#include "data/checkpoint/checkpoint.h"
#include "data/storage/run_files.h"
#include "solvers/simulation/simulation.h"

struct cairn_progress {
  int64_t step, n_steps;
  double time, time_end;                /* s, simulated */
  int32_t stage, n_stages;              /* from 0 */
  const char *stage_name;               /* NULL without stages */
  double elapsed, remaining;            /* s, wall clock; remaining < 0 while unknown */
  double body_steps_per_second;         /* of late, as the remaining time */
  struct cairn_observables observables; /* of the latest sample */
};

struct cairn_run_options {
  struct cairn_run_files *files;         /* claimed, and started or resumed; NULL on all ranks but the first */
  const char *command_line;              /* for provenance */
  const char *parent;                    /* path of the checkpoint this run resumes, or NULL */
  const struct cairn_checkpoint *resume; /* that checkpoint, or NULL */
  double recommended_step;               /* s; with a longer one a numerical energy gain ends the run. 0: warn only */
  bool force;                            /* warn only, whatever the step */
  const volatile sig_atomic_t *stop;     /* not zero: end the step, write a checkpoint, return CAIRN_STOPPED */
  double deadline; /* s since 1970; stop in time for a checkpoint before, return CAIRN_STOPPED. 0: none */
  void (*progress)(void *context,
                   const struct cairn_progress *progress); /* called several times a second; may be NULL */
  void (*warning)(void *context, const char *message);     /* may be NULL */
  void *context;
};

struct cairn_run_summary {
  int64_t n_bodies, n_cells, n_regrids;
  int64_t first_step, last_step;
  double time, step_size, recommended_step;
  double first_imbalance, imbalance; /* of the work of ranks (cairn_simulation_imbalance); 0: one rank */
  double elapsed;                    /* s, wall clock */
  double gravity_seconds;            /* of them, to evaluate self-gravity */
  double gravity_share;              /* of all bodies, the most that one of several ranks has had to do so */
  double gravity_received;           /* the most bytes that it got for that */
  double body_steps_per_second;
  int64_t n_frames, n_rows, n_checkpoints;
  int64_t n_overlap_warnings; /* steps in which an overlap exceeded the limit */
  double worst_overlap;       /* the largest of them, over the smaller radius */
  double energy_gain,
      energy_gain_time; /* the largest numerical gain, over kinetic and elastic energy, and s; 0: none */
  struct cairn_observables first, last;
  struct cairn_cluster_fragments fragments; /* at the end, with self-gravity; else 0 */
  double peak, peak_time;                   /* J and s, the largest kinetic energy that was seen, rotation included */
  char trajectory[4096], series[4096], checkpoint[4096], contacts[4096], breaks[4096]; /* paths; empty if not written */
  char digest[CAIRN_DIGEST_LENGTH + 1];
};

/* Returns 0 when the end was reached, CAIRN_STOPPED when stopped with a checkpoint; the summary is filled in both
 * cases. Where a new stage begins, the simulation is replaced by that of the stage. */
int cairn_run(struct cairn_simulation **simulation, struct cairn_scenario *scenario,
              const struct cairn_run_options *options, struct cairn_run_summary *summary, struct cairn_error *error);

#endif
