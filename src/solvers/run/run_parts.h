/* What the files of a run share: run.c (the loop), run_output.c (its files) and run_stages.c. */
#ifndef CAIRN_SOLVERS_RUN_RUN_PARTS_H
#define CAIRN_SOLVERS_RUN_RUN_PARTS_H

#include "analysis/contact_forces.h"
#include "data/files/series.h"
#include "solvers/run/energy_budget.h"
#include "solvers/run/labels.h"
#include "solvers/run/pace.h"
#include "solvers/run/run.h"
#include "tasks/tasks.h"

/* A run in progress: the simulation, its files and its clock. Rank 0 leads: it alone has files, and what depends on its
 * clock it decides for all. */
struct run {
  bool leads;
  struct cairn_simulation *sim;
  struct cairn_scenario *scenario;
  const struct cairn_run_options *options;
  struct cairn_run_summary *summary;
  struct cairn_provenance provenance;
  struct cairn_trajectory *trajectory;
  struct cairn_series *series;
  struct cairn_step_table *table[CAIRN_N_RUN_TABLES];
  struct cairn_contact_rows contacts; /* of the frame that is due */
  struct cairn_task_output output;
  struct cairn_checkpoint checkpoint; /* what the latest checkpoint task writes */
  int64_t n_steps;
  bool has_begun;     /* its files have their names, those of an earlier run are gone */
  int64_t stage_step; /* at which the current stage began: frames and rows count from there */
  bool stage_over;    /* it ends with this step */
  double frame_steps, row_steps;
  int64_t last_frame, last_row; /* steps at which they were written; -1: not yet */
  int64_t last_checkpoint;
  double started, checkpointed;                          /* s on the clock */
  double preparing, slowest_checkpoint, longest_stretch; /* s; the first is what precedes the task of the latest one */
  double seconds_per_step;
  struct cairn_pace pace;
  double synced;   /* s on the clock, when readers last saw new rows */
  double observed; /* s on the clock, when the observables below were taken */
  struct cairn_observables observables;
  struct cairn_energy_budget budget;
  double warned_overlap;           /* the largest that was warned of, over the smaller radius */
  struct cairn_wall_sample *walls; /* [n_walls] taken with them */
  struct cairn_labels labels;
  char walls_digest[CAIRN_DIGEST_LENGTH + 1];
};

void cairn_run_warn(const struct run *run, const char *message);

/* s on a clock that no one sets. */
double cairn_run_now(void);

/* Names and digest of the walls, and the files; by all ranks. */
int cairn_run_prepare_walls(struct run *run, struct cairn_error *error);
int cairn_run_open_files(struct run *run, struct cairn_error *error);

/* The first failure of the writers: wait for them, or do not: while they are at work nothing has failed as far as this
 * can tell. */
int cairn_run_output_status(struct run *run, struct cairn_error *error);
int cairn_run_output_status_now(struct run *run, struct cairn_error *error);

/* Is what is written every so many steps, and was last at `last`, due at this one? */
bool cairn_run_is_due(const struct run *run, int64_t step, double every, int64_t last, bool at_end);

/* A row or a frame of the observables that were just taken, a checkpoint; the latter two by all ranks. */
int cairn_run_write_row(struct run *run, struct cairn_error *error);
int cairn_run_write_frame(struct run *run, struct cairn_error *error);
int cairn_run_write_checkpoint(struct run *run, struct cairn_error *error);

/* Does the current stage end with this step? Sets stage_over. */
int cairn_run_stages_look(struct run *run, struct cairn_error *error);

/* Take over what the current stage says of the run. */
void cairn_run_stages_set(struct run *run);

/* The current stage ends with this step: begin the next one, or end the run. */
int cairn_run_stages_change(struct run *run, struct cairn_error *error);

/* Insert the bodies that are due at this step. */
int cairn_run_stages_insert(struct run *run, struct cairn_error *error);

/* The run is over: warn of stages that never began, and of bodies that were never inserted. */
void cairn_run_stages_report(struct run *run);

#endif
