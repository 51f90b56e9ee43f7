#include "solvers/run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "data/base/number.h"
#include "solvers/method.h"
#include "solvers/run/deadline.h"
#include "solvers/run/moments.h"
#include "solvers/run/run_describe.h"
#include "solvers/run/run_parts.h"
#include "solvers/run/stage.h"
#include "solvers/run/tables.h"
#include "tasks/ranks/ranks.h"

/* Seconds between two checks of the stop flag and the clock. */
static const double CHECK = 0.2;

void cairn_run_warn(const struct run *run, const char *message) {
  if (run->options->warning)
    run->options->warning(run->options->context, message);
}

static void note_peak(struct cairn_run_summary *summary, const struct cairn_observables *o) {
  const double energy = o->kinetic_energy + o->rotational_energy;
  if (energy <= summary->peak)
    return;
  summary->peak = energy;
  summary->peak_time = o->time;
}

/* Has the total energy of a closed system grown by the latest observation? Steps that are too long cause it: then the
 * run ends here. */
static int watch_energy(struct run *run, struct cairn_error *error) {
  struct cairn_run_summary *summary = run->summary;
  const double gain = cairn_energy_budget_gain(&run->budget, &run->observables);
  const double advised = run->options->recommended_step, h = summary->step_size, before = summary->energy_gain;
  const bool too_long = advised > 0. && h > 1.001 * advised;
  char message[512], advice[160];
  if (gain <= fmax(CAIRN_ENERGY_BUDGET_TOLERANCE, before))
    return 0;
  summary->energy_gain = gain;
  summary->energy_gain_time = run->observables.time;
  if (too_long)
    snprintf(advice, sizeof advice, "time.step, %.4g s, is %.3g times the recommended one: take %.4g s, or auto", h,
             h / advised, advised);
  else
    snprintf(advice, sizeof advice, "the step is as recommended; docs/physics.md, Energy budget, has other causes");
  snprintf(message, sizeof message,
           "t = %.6g s: numerical energy gain of %.2g %% of the kinetic and elastic energy: %s", run->observables.time,
           100. * gain, advice);
  if (too_long && !run->options->force)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s. The state of this step is kept; --force continues", message);
  if (before == 0.)
    cairn_run_warn(run, message); /* once; the summary has the largest */
  return 0;
}

/* Does the run have this file? Only rank 0 can see it. */
static bool has(const struct run *run, const void *file) { return file || !run->leads; }

/* Whatever is due at this step. */
static int write_output(struct run *run, struct cairn_error *error) {
  const int64_t step = cairn_simulation_step(run->sim);
  const int at_end = step >= run->n_steps || run->stage_over;
  const int row = has(run, run->series) && cairn_run_is_due(run, step, run->row_steps, run->last_row, at_end);
  const int frame = has(run, run->trajectory) && cairn_run_is_due(run, step, run->frame_steps, run->last_frame, at_end);
  int status = 0;
  if (row || frame) {
    run->contacts = (struct cairn_contact_rows){run->table[CAIRN_RUN_CONTACTS], -1};
    status = cairn_simulation_observe_frame(run->sim, frame && run->contacts.table ? &run->contacts : NULL,
                                            &run->observables, error);
    if (!status && run->scenario->n_walls > 0)
      status = cairn_simulation_observe_walls(run->sim, run->walls, error);
    run->observed = cairn_run_now();
    note_peak(run->summary, &run->observables);
  }
  if (!status && row)
    status = cairn_run_write_row(run, error);
  if (!status && frame)
    status = cairn_run_write_frame(run, error);
  if (!status && (row || frame))
    status = watch_energy(run, error);
  if (row || frame)
    status = cairn_ranks_agree(status, error);
  const double every = run->scenario->output_checkpoint;
  const bool late = run->has_begun && every > 0. && cairn_ranks_decide(cairn_run_now() - run->checkpointed > every);
  if (!status && late && run->last_checkpoint != step)
    status = cairn_run_write_checkpoint(run, error);
  return status;
}

/* ---- the loop ---- */

/* The next of the moments `every` steps apart, or `target` if that comes before. */
static int64_t next_moment(const struct run *run, int64_t step, double every, int64_t target) {
  const int64_t next = every > 0. ? run->stage_step + cairn_moments_next(every, step - run->stage_step) : target;
  return next < target ? next : target;
}

/* Steps until something is due, at most about CHECK seconds. */
static int64_t next_stretch(const struct run *run) {
  const int64_t step = cairn_simulation_step(run->sim);
  const int64_t end = cairn_stage_next(run->scenario, step, cairn_simulation_step_size(run->sim));
  const int64_t batch = cairn_stage_next_batch(run->sim, run->scenario, step + 1);
  int64_t target = end < run->n_steps ? end : run->n_steps;
  target = batch < target ? batch : target;
  if (has(run, run->series))
    target = next_moment(run, step, run->row_steps, target);
  if (has(run, run->trajectory))
    target = next_moment(run, step, run->frame_steps, target);
  const double steps = run->seconds_per_step > 0. ? CHECK / run->seconds_per_step : 1.;
  const int64_t most = cairn_ranks_decide(steps < 1. ? 1 : steps > 1e15 ? (int64_t)1e15 : (int64_t)steps);
  return target - step < most ? target - step : most;
}

static void report_overlaps(struct run *run) {
  const struct cairn_overlaps o = cairn_simulation_overlaps(run->sim);
  if (o.steps == 0)
    return;
  char message[512], partner[128], advice[256], found[CAIRN_NUMBER_LENGTH], limit[CAIRN_NUMBER_LENGTH];
  if (o.b < 0)
    snprintf(partner, sizeof partner, "wall %.100s", run->scenario->walls[-1 - o.b].name);
  else
    snprintf(partner, sizeof partner, "body %d", o.b);
  cairn_number_apart(100. * o.overlap, 100. * run->scenario->overlap_limit, 2, found, limit);
  cairn_method_of(run->scenario)
      ->advise_overlap(run->scenario, o.overlap, run->options->recommended_step, advice, sizeof advice);
  snprintf(message, sizeof message, "body %d and %s overlap by %s %% of the smaller radius (limit %s %%): %s", o.a,
           partner, found, limit, advice);
  if (o.overlap >
      2. * run->warned_overlap) { /* again where it doubles; the summary counts the steps and has the worst */
    cairn_run_warn(run, message);
    run->warned_overlap = o.overlap;
  }
  run->summary->n_overlap_warnings += o.steps;
  run->summary->worst_overlap = fmax(run->summary->worst_overlap, o.overlap);
}

static void report_escaped(struct run *run) {
  const struct cairn_escaped escaped = cairn_simulation_escaped(run->sim);
  char message[160], others[64] = "";
  if (escaped.n == 0)
    return;
  if (escaped.n > 1)
    snprintf(others, sizeof others, " and %lld others have", (long long)(escaped.n - 1));
  snprintf(message, sizeof message, "t = %.6g s: body %d%s %s the world", cairn_simulation_time(run->sim), escaped.body,
           escaped.n > 1 ? others : " has", cairn_simulation_step(run->sim) > 0 ? "left" : "begun outside");
  cairn_run_warn(run, message);
}

static void report_progress(struct run *run) {
  if (!run->options->progress)
    return;
  const int64_t step = cairn_simulation_step(run->sim);
  const int32_t stage = cairn_stages_current(run->scenario);
  const double time = cairn_run_now();
  cairn_pace_note(&run->pace, time, step);
  const double each = cairn_pace_each(&run->pace);
  const struct cairn_progress progress = {
      .step = step,
      .n_steps = run->n_steps,
      .time = cairn_simulation_time(run->sim),
      .time_end = run->scenario->time_end,
      .stage = stage,
      .n_stages = run->scenario->n_stages,
      .stage_name = stage < run->scenario->n_stages ? run->scenario->stages[stage].name : NULL,
      .elapsed = time - run->started,
      .remaining = each >= 0. ? each * (double)(run->n_steps - step) : -1.,
      .body_steps_per_second = each > 0. ? (double)run->summary->n_bodies / each : 0.,
      .observables = run->observables,
  };
  run->options->progress(run->options->context, &progress);
}

/* A run that writes nothing needs observations now and then, for the progress line and the energy budget. A cheap one
 * leaves out the energy of self-gravity. */
static int refresh(struct run *run, struct cairn_error *error) {
  static const double OLD = 5.; /* s */
  if (cairn_ranks_decide(cairn_run_now() - run->observed < OLD))
    return 0;
  run->observed = cairn_run_now();
  const int status = cairn_simulation_observe_cheaply(run->sim, &run->observables, error);
  return status || run->scenario->self_gravity ? status : watch_energy(run, error);
}

/* The end of a run that writes nothing there. */
static int observe_end(struct run *run, struct cairn_error *error) {
  if (run->observables.step == (double)run->n_steps)
    return 0;
  const int status = cairn_simulation_observe(run->sim, &run->observables, error);
  return status ? status : watch_energy(run, error);
}

/* The first frame and the first row make the run: only now do files of an earlier one give way. */
static int begin(struct run *run, struct cairn_error *error) {
  int status = cairn_run_stages_look(run, error); /* a resumed run may begin where a stage ends */
  if (!status)
    status = write_output(run, error);
  if (!status)
    status = cairn_run_output_status(run, error);
  if (!status && run->trajectory)
    status = cairn_trajectory_persist(run->trajectory, error);
  if (!status && run->series)
    status = cairn_series_persist(run->series, error);
  if (!status && run->leads)
    status = cairn_run_files_begin(run->options->files, run->trajectory, run->series, run->table, error);
  status = cairn_ranks_agree(status, error);
  run->has_begun = !status;
  return status;
}

/* Under a time limit the first checkpoint is written at once: it tells how long one takes. */
static int measure_checkpoint(struct run *run, struct cairn_error *error) {
  if (run->options->deadline == 0.)
    return 0;
  int status = cairn_run_write_checkpoint(run, error);
  if (!status)
    status = cairn_run_output_status(run, error);
  return cairn_ranks_agree(status, error);
}

/* However short the time, every start gets some steps further. A signal may reach one rank alone. */
static bool is_to_stop(const struct run *run) {
  const bool has_stepped = cairn_simulation_step(run->sim) > run->summary->first_step;
  int64_t n_signals = run->options->stop && *run->options->stop;
  cairn_ranks_sum(&n_signals, 1);
  return n_signals > 0 ||
         cairn_ranks_decide(has_stepped && cairn_deadline_is_near(run->options->deadline, run->slowest_checkpoint,
                                                                  run->longest_stretch));
}

static int steps(struct run *run, struct cairn_error *error) {
  int status = begin(run, error);
  if (!status && cairn_simulation_step(run->sim) < run->n_steps)
    status = measure_checkpoint(run, error);
  while (!status && cairn_simulation_step(run->sim) < run->n_steps) {
    if (run->stage_over) {
      status = cairn_run_stages_change(run, error);
      continue;
    }
    if (is_to_stop(run))
      return CAIRN_STOPPED;
    status = cairn_run_stages_insert(run, error); /* checkpoints of this step were written before */
    if (status)
      break;
    const double before = cairn_run_now();
    const int64_t stretch = next_stretch(run);
    status = cairn_simulation_advance(run->sim, stretch, error);
    run->longest_stretch = fmax(run->longest_stretch, cairn_run_now() - before);
    const double each = (cairn_run_now() - before) / (double)stretch;
    run->seconds_per_step = run->seconds_per_step > 0. ? 0.5 * (run->seconds_per_step + each) : each;
    report_overlaps(run);
    report_escaped(run);
    if (!status)
      status = cairn_tables_note(run->table, run->sim, error);
    if (!status)
      status = cairn_run_stages_look(run, error);
    if (!status)
      status = write_output(run, error);
    /* a failed write shows at the latest with the next frame or checkpoint; do not compute hours for nothing */
    if (!status)
      status = cairn_run_output_status_now(run, error);
    status = cairn_ranks_agree(status, error);
    if (!status)
      status = refresh(run, error);
    report_progress(run);
  }
  if (!status)
    cairn_run_stages_report(run);
  return status ? status : observe_end(run, error);
}

static int start(struct run *run, struct cairn_error *error) {
  struct cairn_scenario *s = run->scenario;
  const double h = cairn_simulation_step_size(run->sim);
  run->n_steps = cairn_simulation_n_steps(s->time_end, h);
  cairn_run_stages_set(run);
  run->last_frame = run->last_row = run->last_checkpoint = -1;
  run->started = run->checkpointed = cairn_run_now();
  run->pace = cairn_pace_start(run->started, run->summary->first_step);
  starpu_variable_data_register(&run->output.status_handle, STARPU_MAIN_RAM, (uintptr_t)&run->output.error,
                                sizeof run->output.error);
  run->output.state_handle = cairn_simulation_state_handle(run->sim);
  run->checkpoint.step_size = h;
  run->checkpoint.file = s->file;
  run->checkpoint.text = s->text;
  run->checkpoint.scenario = cairn_scenario_effective(s);
  if (!run->checkpoint.scenario)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  int status = cairn_run_describe(run->scenario, run->options, &run->provenance, error);
  if (!status)
    status = cairn_run_prepare_walls(run, error);
  if (!status)
    status = cairn_run_open_files(run, error);
  status = cairn_ranks_agree(status, error);
  run->last_frame = cairn_ranks_decide(run->last_frame); /* of the files that a resumed run goes on with */
  run->last_row = cairn_ranks_decide(run->last_row);
  if (!status)
    status = cairn_simulation_observe(run->sim, &run->observables, error);
  run->summary->first = run->observables;
  cairn_energy_budget_gain(&run->budget, &run->observables);
  report_escaped(run);
  return status;
}

/* Close what is open; the first failure is the one that counts. */
static int finish(struct run *run, int status, struct cairn_error *error) {
  struct cairn_error later = {0};
  int closing = cairn_run_output_status(run, &later);
  run->summary->n_frames = run->trajectory ? cairn_trajectory_n_frames(run->trajectory) : 0;
  run->summary->n_rows = run->series ? cairn_series_n_rows(run->series) : 0;
  const int trajectory = cairn_trajectory_close(run->trajectory, closing ? NULL : &later);
  closing = closing ? closing : trajectory;
  const int series = cairn_series_close(run->series, closing ? NULL : &later);
  closing = closing ? closing : series;
  const int tables = cairn_tables_close(run->table, closing ? NULL : &later);
  closing = closing ? closing : tables;
  starpu_data_unregister(run->output.status_handle);
  free(run->checkpoint.scenario);
  free(run->walls);
  cairn_labels_fini(&run->labels);
  cairn_provenance_fini(&run->provenance);
  if (closing && (status == 0 || status == CAIRN_STOPPED)) {
    if (error)
      *error = later;
    return closing;
  }
  return status;
}

static void summarise(struct run *run) {
  struct cairn_run_summary *summary = run->summary;
  struct cairn_error ignored;
  struct cairn_state head;
  summary->n_cells = cairn_simulation_n_cells(run->sim);
  summary->n_regrids = cairn_simulation_n_regrids(run->sim);
  cairn_simulation_imbalance(run->sim, &summary->first_imbalance, &summary->imbalance);
  summary->last_step = cairn_simulation_step(run->sim);
  summary->time = cairn_simulation_time(run->sim);
  summary->elapsed = cairn_run_now() - run->started;
  summary->gravity_seconds = cairn_simulation_gravity_seconds(run->sim);
  summary->gravity_share = cairn_simulation_gravity_share(run->sim);
  summary->gravity_received = cairn_simulation_gravity_received(run->sim);
  summary->body_steps_per_second = summary->elapsed > 0. ? (double)(summary->last_step - summary->first_step) *
                                                               (double)summary->n_bodies / summary->elapsed
                                                         : 0.;
  if (cairn_simulation_observe(run->sim, &summary->last, &ignored))
    summary->last = run->observables;
  if (run->scenario->self_gravity)
    cairn_simulation_fragments(run->sim, &summary->fragments, &ignored);
  cairn_simulation_total(run->sim, &head, summary->digest, &ignored);
}

int cairn_run(struct cairn_simulation **simulation, struct cairn_scenario *scenario,
              const struct cairn_run_options *options, struct cairn_run_summary *summary, struct cairn_error *error) {
  struct run run = {
      .leads = cairn_ranks_me() == 0, .sim = *simulation, .scenario = scenario, .options = options, .summary = summary};
  memset(summary, 0, sizeof *summary);
  summary->n_bodies = cairn_simulation_n_bodies(run.sim);
  summary->first_step = cairn_simulation_step(run.sim);
  summary->step_size = cairn_simulation_step_size(run.sim);
  summary->recommended_step = options->recommended_step;
  int status = start(&run, error);
  if (!status)
    status = steps(&run, error);
  if (run.has_begun && (status == 0 || status == CAIRN_STOPPED || status == CAIRN_ERR_NUMERIC)) {
    /* of a run that failed in a step this is the last good state */
    struct cairn_error writing = {0};
    const int written = cairn_run_write_checkpoint(&run, &writing);
    if (written && status == CAIRN_ERR_NUMERIC)
      cairn_run_warn(&run, writing.message);
    if (written && status != CAIRN_ERR_NUMERIC) {
      status = written;
      if (error)
        *error = writing;
    }
  }
  if (status == CAIRN_STOPPED)
    cairn_error_set(error, CAIRN_STOPPED, "stopped at step %lld, with a checkpoint",
                    (long long)cairn_simulation_step(run.sim));
  status = cairn_ranks_agree(finish(&run, status, error), error);
  *simulation = run.sim;
  summarise(&run);
  return status;
}
