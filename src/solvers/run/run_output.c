/* The files of a run: what is opened, when something is due, what is written. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/aggregate.h"
#include "solvers/run/moments.h"
#include "solvers/run/run_parts.h"
#include "solvers/run/tables.h"
#include "tasks/ranks/ranks.h"

double cairn_run_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Does a resumed run find the file it should go on with? */
static bool goes_on(const struct run *run, enum cairn_run_file which) {
  const struct cairn_run_files *files = run->options->files;
  if (files->is_new)
    return false;
  if (cairn_run_files_has(files, which))
    return true;
  char message[4200];
  snprintf(message, sizeof message, "%s is gone: a new one is started", files->path[which]);
  cairn_run_warn(run, message);
  return false;
}

/* A checkpoint counts what was written at regular moments; the frame and the row of the very last step, which
 * may be extra, are written again by a run that goes on from there. */
static bool is_regular(const struct run *run, int64_t step, double every) {
  /* a stage that writes nothing begins with what the one before it wrote last */
  return every > 0. ? cairn_moments_has(every, step - run->stage_step) : step == run->stage_step;
}

static int64_t written_at(const struct run *run, int64_t step, double every) {
  return is_regular(run, step, every) ? step : -1;
}

/* Of a resumed run that has written nothing yet, `last` is -1 or regular: all that is there counts. */
static int64_t regular(const struct run *run, int64_t n, int64_t last, double every) {
  return n - (n > 0 && last >= 0 && !is_regular(run, last, every));
}

int cairn_run_prepare_walls(struct run *run, struct cairn_error *error) {
  const struct cairn_scenario *s = run->scenario;
  run->walls = calloc((size_t)s->n_walls + 1, sizeof *run->walls);
  if (!run->walls)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  const int status = cairn_labels_make(s, &run->labels, error);
  if (status)
    return status;
  cairn_walls_digest(s, run->walls_digest);
  const struct cairn_checkpoint *resume = run->options->resume;
  if (resume && resume->walls && strcmp(resume->walls, run->walls_digest) != 0)
    return cairn_error_set(
        error, CAIRN_ERR_INPUT,
        "%s: the walls are not those the checkpoint was made with: has a mesh or a table of a motion "
        "changed since?",
        run->options->parent ? run->options->parent : "checkpoint");
  run->checkpoint.walls = run->walls_digest;
  return 0;
}

/* By all ranks. */
static int make_trajectory(struct run *run, struct cairn_error *error) {
  const char *path = run->leads ? cairn_run_files_reserve(run->options->files, CAIRN_RUN_TRAJECTORY, error) : NULL;
  const int status = cairn_ranks_agree(path || !run->leads ? 0 : CAIRN_ERR_IO, error);
  return status ? status
                : cairn_labels_trajectory(path, run->sim, run->scenario, &run->labels, &run->provenance,
                                          &run->trajectory, error);
}

static int reopen_trajectory(struct run *run, struct cairn_error *error) {
  const struct cairn_checkpoint *resume = run->options->resume;
  int status = cairn_trajectory_open(run->summary->trajectory, cairn_simulation_n_bodies(run->sim), run->labels.walls.n,
                                     resume->n_frames, &run->trajectory, error);
  run->last_frame = written_at(run, resume->state.step, run->frame_steps);
  /* One is the extra frame at the end of a run that now goes further. */
  const int64_t n_dropped = status ? 0 : cairn_trajectory_n_dropped(run->trajectory);
  if (n_dropped > 1) {
    char message[4200];
    snprintf(message, sizeof message, "%s: its last %lld frames are later than the checkpoint and are computed again",
             run->summary->trajectory, (long long)n_dropped);
    cairn_run_warn(run, message);
  }
  return status;
}

/* By all ranks: a new file gets the bodies of all. */
static int open_trajectory(struct run *run, struct cairn_error *error) {
  if (run->leads)
    snprintf(run->summary->trajectory, sizeof run->summary->trajectory, "%s",
             run->options->files->path[CAIRN_RUN_TRAJECTORY]);
  if (!cairn_ranks_decide(run->leads && goes_on(run, CAIRN_RUN_TRAJECTORY)))
    return make_trajectory(run, error);
  return cairn_ranks_agree(run->leads ? reopen_trajectory(run, error) : 0, error);
}

static int open_series(struct run *run, struct cairn_error *error) {
  struct cairn_run_files *files = run->options->files;
  const struct cairn_checkpoint *resume = run->options->resume;
  snprintf(run->summary->series, sizeof run->summary->series, "%s", files->path[CAIRN_RUN_SERIES]);
  if (!goes_on(run, CAIRN_RUN_SERIES)) {
    const char *path = cairn_run_files_reserve(files, CAIRN_RUN_SERIES, error);
    return path ? cairn_series_create(path, run->scenario->title, cairn_labels_walls(&run->labels), &run->provenance,
                                      &run->series, error)
                : CAIRN_ERR_IO;
  }
  run->last_row = written_at(run, resume->state.step, run->row_steps);
  return cairn_series_open(run->summary->series, run->labels.walls.n, resume->n_rows, &run->series, error);
}

int cairn_run_open_files(struct run *run, struct cairn_error *error) {
  const struct cairn_run_files *files = run->options->files;
  bool frames = run->frame_steps > 0., rows = run->row_steps > 0.;
  for (int32_t k = 0; k < run->scenario->n_stages; k++) {
    frames |= run->scenario->stages[k].frames > 0.;
    rows |= run->scenario->stages[k].series > 0.;
  }
  if (run->leads)
    snprintf(run->summary->checkpoint, sizeof run->summary->checkpoint, "%s", files->path[CAIRN_RUN_CHECKPOINT]);
  if (run->leads && !files->lock.is_held)
    cairn_run_warn(run,
                   "the file system of the output has no locks: another run of the same name would not be noticed");
  int status = frames ? open_trajectory(run, error) : 0;
  if (!status && run->leads && rows)
    status = open_series(run, error);
  return status || !run->leads ? status : cairn_tables_open(run->table, run, error);
}

/* The first failure of the writers. Their status is acquired. */
static int release_status(struct run *run, struct cairn_error *error) {
  const struct cairn_error written = run->output.error;
  run->slowest_checkpoint = fmax(run->slowest_checkpoint, run->preparing + run->output.checkpoint_seconds);
  starpu_data_release(run->output.status_handle);
  if (written.status == CAIRN_OK)
    return 0;
  if (error)
    *error = written;
  return written.status;
}

int cairn_run_output_status(struct run *run, struct cairn_error *error) {
  starpu_data_acquire(run->output.status_handle, STARPU_R);
  return release_status(run, error);
}

int cairn_run_output_status_now(struct run *run, struct cairn_error *error) {
  return starpu_data_acquire_try(run->output.status_handle, STARPU_R) ? 0 : release_status(run, error);
}

bool cairn_run_is_due(const struct run *run, int64_t step, double every, int64_t last, bool at_end) {
  return every > 0. && last != step && (at_end || is_regular(run, step, every));
}

int cairn_run_write_row(struct run *run, struct cairn_error *error) {
  const int64_t step = cairn_simulation_step(run->sim);
  int status = run->series ? cairn_series_append(run->series, &run->observables, run->walls, error) : 0;
  run->last_row = step;
  if (run->series && !status && cairn_run_now() - run->synced > 1. && (run->synced = cairn_run_now()) > 0.)
    status = cairn_series_sync(run->series, error);
  return status;
}

/* A frame that rank 0 writes slab by slab. */
struct frame {
  struct run *run;
  struct cairn_step_part pairs, walls; /* of the table of contacts: rows between bodies come first */
  bool has_rows;                       /* are these open? */
  int64_t n_rows;
};

static int begin_frame(struct frame *frame, const struct cairn_simulation_slab *slab, struct cairn_error *error) {
  const struct run *run = frame->run;
  struct cairn_step_table *table = run->table[CAIRN_RUN_CONTACTS];
  int status = cairn_trajectory_frame(run->trajectory, &run->observables, run->walls, error);
  if (status || !table)
    return status;
  status = cairn_step_table_begin(table, error);
  if (status)
    return status;
  cairn_step_part_open(&frame->pairs, table, 0);
  cairn_step_part_open(&frame->walls, table, slab->n_pairs);
  frame->has_rows = true;
  return 0;
}

/* The contacts that have a body of the slab as the lower one. */
static void put_contacts(struct frame *frame, const struct cairn_simulation_slab *slab) {
  int64_t first = 0, walls = slab->n_forces;
  while (first < walls && slab->force[first].a < slab->first)
    first++;
  while (walls > first && slab->force[walls - 1].at_wall)
    walls--;
  cairn_contact_forces_put(slab->state, slab->force + first, walls - first, &frame->pairs);
  cairn_contact_forces_put(slab->state, slab->force + walls, slab->n_forces - walls, &frame->walls);
  frame->n_rows += slab->n_forces - first;
}

static int put_frame(void *context, const struct cairn_simulation_slab *slab, struct cairn_error *error) {
  struct frame *frame = context;
  const struct run *run = frame->run;
  const bool has_stress = run->scenario->output_stress;
  struct cairn_body_stress stress = {0};
  int status = slab->first == 0 ? begin_frame(frame, slab, error) : 0;
  if (!status && has_stress)
    status = cairn_aggregate_slab_stress(slab->state, slab->first, slab->force, slab->n_forces, &stress, error);
  if (!status)
    status = cairn_trajectory_put(run->trajectory, slab->state, slab->first, has_stress ? &stress : NULL, error);
  cairn_fields_stress_fini(&stress);
  if (!status && frame->has_rows)
    put_contacts(frame, slab);
  if (!status && slab->first + slab->state->n == cairn_simulation_n_bodies(run->sim))
    status = cairn_trajectory_end(run->trajectory, error);
  return status;
}

/* All rows are in the table, or none. */
static int end_rows(struct frame *frame, int status, struct cairn_error *error) {
  if (!frame->has_rows)
    return status;
  const int pairs = cairn_step_part_close(&frame->pairs), walls = cairn_step_part_close(&frame->walls);
  const int number = status ? ECANCELED : pairs ? pairs : walls;
  const int ended =
      cairn_step_table_end(frame->run->table[CAIRN_RUN_CONTACTS], frame->n_rows, number, status ? NULL : error);
  return status ? status : ended;
}

static int write_frame_slabs(struct run *run, struct cairn_error *error) {
  const struct cairn_scenario *s = run->scenario;
  struct frame frame = {.run = run};
  const int status =
      cairn_simulation_visit_slabs(run->sim, s->output_stress || s->output_contacts, put_frame, &frame, error);
  return cairn_ranks_agree(end_rows(&frame, status, error), error);
}

int cairn_run_write_frame(struct run *run, struct cairn_error *error) {
  const struct cairn_scenario *s = run->scenario;
  run->last_frame = cairn_simulation_step(run->sim);
  if (cairn_ranks_n() > 1)
    return write_frame_slabs(run, error);
  const struct cairn_state *state = cairn_simulation_capture(run->sim, error);
  if (!state)
    return CAIRN_ERR_NUMERIC;
  if (run->trajectory && cairn_task_write_frame_submit(&run->output, run->trajectory, state, s, &run->observables,
                                                       run->walls, &run->contacts))
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "StarPU refused a task");
  return 0;
}

/* Frames and rows before the checkpoint must be safe in their files before it counts them. */
static int persist(struct run *run, struct cairn_error *error) {
  int status = cairn_run_output_status(run, error);
  if (!status && run->trajectory)
    status = cairn_trajectory_persist(run->trajectory, error);
  if (!status && run->series)
    status = cairn_series_persist(run->series, error);
  if (!status)
    status = cairn_tables_persist(run->table, error);
  return cairn_ranks_agree(status, error);
}

static int put_checkpoint(void *context, const struct cairn_simulation_slab *slab, struct cairn_error *error) {
  return cairn_checkpoint_put(context, slab->state, error);
}

/* By all ranks; rank 0 writes. */
static int write_slabs(struct run *run, const char *digest, struct cairn_error *error) {
  struct cairn_checkpoint_writer *writer = NULL;
  int status = run->leads ? cairn_checkpoint_begin(run->summary->checkpoint, &run->checkpoint, digest, &run->provenance,
                                                   &writer, error)
                          : 0;
  status = cairn_ranks_agree(status, error);
  if (!status)
    status = cairn_simulation_visit_slabs(run->sim, false, put_checkpoint, writer, error);
  if (writer)
    status = cairn_checkpoint_end(writer, status, error);
  return cairn_ranks_agree(status, error);
}

static int submit_checkpoint(struct run *run, struct cairn_error *error) {
  const struct cairn_state *state = cairn_simulation_capture(run->sim, error);
  if (!state)
    return CAIRN_ERR_NUMERIC;
  run->checkpoint.state = *state;
  if (run->leads &&
      cairn_task_write_checkpoint_submit(&run->output, run->summary->checkpoint, &run->checkpoint, &run->provenance))
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "StarPU refused a task");
  return 0;
}

int cairn_run_write_checkpoint(struct run *run, struct cairn_error *error) {
  const bool shared = cairn_ranks_n() > 1;
  const double begun = cairn_run_now();
  char digest[CAIRN_DIGEST_LENGTH + 1];
  int status = persist(run, error);
  if (!status && shared)
    status = cairn_simulation_total(run->sim, &run->checkpoint.state, digest, error);
  if (status)
    return status;
  run->checkpoint.n_frames = 0;
  run->checkpoint.n_rows = 0;
  if (run->trajectory)
    run->checkpoint.n_frames =
        regular(run, cairn_trajectory_n_frames(run->trajectory), run->last_frame, run->frame_steps);
  if (run->series)
    run->checkpoint.n_rows = regular(run, cairn_series_n_rows(run->series), run->last_row, run->row_steps);
  status = shared ? write_slabs(run, digest, error) : submit_checkpoint(run, error);
  if (status)
    return status;
  run->checkpointed = cairn_run_now();
  run->last_checkpoint = cairn_simulation_step(run->sim);
  run->summary->n_checkpoints++;
  run->preparing = run->checkpointed - begun;
  return 0;
}
