#include "cli/trial.h"

#include <math.h>
#include <time.h>

#include "cli/format.h"
#include "cli/report.h"
#include "solvers/method.h"

/* Contacts per body from which on bodies count as a dense pile: a pile at rest has two to three. */
static const double DENSE = 2.;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A cheap observation of the state of the trial. */
static int observe(struct cairn_simulation *simulation, struct cairn_trial *trial, struct cairn_error *error) {
  struct cairn_observables seen;
  const int status = cairn_simulation_observe_cheaply(simulation, &seen, error);
  if (status)
    return status;
  trial->contacts = seen.n_bodies > 0. ? (seen.n_contacts + seen.n_wall_contacts) / seen.n_bodies : 0.;
  trial->sweeps = seen.solver_sweeps;
  return 0;
}

/* The steps of the next stretch: twice as many as before, as far as time and steps last. */
static int64_t next_stretch(const struct cairn_trial *trial, int64_t before, int64_t n_steps, double left) {
  const int64_t rest = n_steps - trial->steps;
  const double room = trial->each > 0. ? left / trial->each : 1.;
  int64_t steps = before == 0 ? 1 : 2 * before;
  steps = room < (double)steps ? (int64_t)room : steps;
  return steps < 1 ? 1 : steps < rest ? steps : rest;
}

/* Steps from the start, for up to `seconds`. */
static int try_first_steps(struct cairn_scenario *scenario, const struct cairn_plan *plan, double seconds,
                           struct cairn_trial *trial, struct cairn_error *error) {
  static const double ENOUGH = 1., ALIKE = 0.2; /* s, and the part by which two stretches may differ */
  struct cairn_simulation *simulation = NULL;
  int status = cairn_simulation_create(scenario, NULL, &simulation, error);
  bool settled = false;
  for (int64_t steps = 0; !status && trial->steps < plan->n_steps && trial->seconds < seconds && !settled;) {
    const double before = trial->each, start = now();
    steps = next_stretch(trial, steps, plan->n_steps, seconds - trial->seconds);
    status = cairn_simulation_advance(simulation, steps, error);
    const double elapsed = now() - start;
    trial->each = elapsed / (double)steps;
    trial->seconds += elapsed;
    trial->steps += steps;
    if (!status)
      status = observe(simulation, trial, error);
    settled = trial->seconds >= ENOUGH && trial->contacts >= DENSE && fabs(trial->each - before) < ALIKE * trial->each;
  }
  cairn_simulation_free(simulation);
  return status;
}

/* The same run in a hurry: steps as long as bodies may go in one, and few sweeps. */
struct hurry {
  struct cairn_scenario scenario; /* but for step and solver that of the run */
  struct cairn_simulation *simulation;
  int64_t stride;      /* steps of the run in one of these */
  double begin, until; /* s on the clock */
};

/* A step may be four times the recommended one: then a body moves by less than half a radius in it. */
static int begin_hurry(const struct cairn_scenario *scenario, const struct cairn_plan *plan, double seconds,
                       struct hurry *hurry, struct cairn_error *error) {
  static const double LONGER = 4., LOOSE = 1e-2;
  static const int64_t FEW = 5;
  const double ratio = LONGER * plan->recommended_step / plan->step_size, most = 0.01 * (double)plan->n_steps;
  *hurry = (struct hurry){.scenario = *scenario, .begin = now()};
  hurry->until = hurry->begin + seconds;
  hurry->stride = (int64_t)fmax(1., fmin(ratio, most));
  hurry->scenario.time_step = (double)hurry->stride * scenario->time_step;
  hurry->scenario.solver_tolerance = fmax(LOOSE, scenario->solver_tolerance);
  hurry->scenario.solver_sweeps = FEW < scenario->solver_sweeps ? FEW : scenario->solver_sweeps;
  hurry->scenario.solver_patience = 0;
  return cairn_simulation_create(&hurry->scenario, NULL, &hurry->simulation, error);
}

/* On to a step of the run, while time lasts; false where it fails or has no time left. */
static bool hurry_to(struct hurry *hurry, int64_t step) {
  struct cairn_error ignored = {0};
  int status = 0;
  while (!status && hurry->stride * cairn_simulation_step(hurry->simulation) < step && now() < hurry->until)
    status = cairn_simulation_advance(hurry->simulation, 1, &ignored);
  return !status && now() < hurry->until;
}

/* The state at this moment as one of the run: impulses belong to its shorter step. */
static int state_of(struct hurry *hurry, double step_size, struct cairn_state *state, struct cairn_error *error) {
  const struct cairn_state *now_there = cairn_simulation_capture(hurry->simulation, error);
  const int status = now_there ? cairn_state_copy(state, now_there, error) : CAIRN_ERR_NUMERIC;
  struct cairn_contacts *lists[2] = {&state->contacts, &state->wall_contacts};
  for (int k = 0; k < 2 && !status; k++)
    for (int64_t i = 0; i < lists[k]->n; i++) {
      double *impulse = cairn_contact_recall(lists[k], i, CAIRN_CONTACT_impulse),
             *torque = cairn_contact_recall(lists[k], i, CAIRN_CONTACT_torque);
      for (int j = 0; j < 3; j++) {
        if (impulse)
          impulse[j] /= (double)hurry->stride;
        if (torque)
          torque[j] /= (double)hurry->stride;
      }
    }
  state->step *= hurry->stride;
  state->time = (double)state->step * step_size;
  return status;
}

/* s of a step of the run at this moment: the mean of some, after a few that forget the hurry, within `seconds`. */
static int sample(struct cairn_scenario *scenario, struct hurry *hurry, double seconds, struct cairn_trial *trial,
                  struct cairn_error *error) {
  enum { FORGET = 4, LEAST = 2, MOST = 20 };
  struct cairn_simulation *simulation = NULL;
  struct cairn_state state = {0};
  int status = state_of(hurry, scenario->time_step, &state, error);
  if (!status)
    status = cairn_simulation_create(scenario, &state, &simulation, error);
  const double begin = now();
  double start = begin;
  int steps = 0;
  for (int k = 0; !status && k < FORGET + MOST && (steps < LEAST || now() - begin < seconds); k++) {
    status = cairn_simulation_advance(simulation, 1, error);
    steps += k >= FORGET;
    if (k + 1 == FORGET)
      start = now();
  }
  if (!status) {
    trial->each = (now() - start) / (double)steps;
    status = observe(simulation, trial, error);
  }
  cairn_simulation_free(simulation);
  cairn_state_fini(&state);
  return status;
}

/* Samples at moments of the whole run, as far as `seconds` last; the time of all steps is the integral over them. What
 * was not reached is taken to go on as the last sample. */
static int look_ahead(struct cairn_scenario *scenario, const struct cairn_plan *plan, double seconds,
                      struct cairn_trial *trial, struct cairn_error *error) {
  static const double moments[] = {0.03, 0.06, 0.12, 0.25, 0.5, 0.75, 1.}; /* of the run */
  enum { MOMENTS = sizeof moments / sizeof *moments };
  struct hurry hurry;
  double sum = 0., before = trial->each;
  int64_t seen = 0;
  int status = begin_hurry(scenario, plan, seconds, &hurry, error);
  bool goes_on = !status;
  for (int k = 0; k < MOMENTS && goes_on && !status; k++) {
    goes_on = hurry_to(&hurry, (int64_t)(moments[k] * (double)plan->n_steps));
    const int64_t step = hurry.stride * cairn_simulation_step(hurry.simulation);
    if (step <= seen)
      break;
    hurry.until += seconds / MOMENTS; /* samples take their own time */
    status = sample(scenario, &hurry, seconds / MOMENTS, trial, error);
    sum += 0.5 * (before + trial->each) * (double)(step - seen);
    seen = step;
    before = trial->each;
  }
  cairn_simulation_free(hurry.simulation);
  trial->seen = fmin(1., (double)seen / (double)plan->n_steps);
  trial->whole = sum + trial->each * (double)(plan->n_steps - (seen < plan->n_steps ? seen : plan->n_steps));
  return status;
}

int cairn_trial_run(struct cairn_scenario *scenario, const struct cairn_plan *plan, double seconds,
                    struct cairn_trial *trial, struct cairn_error *error) {
  const bool ahead = cairn_method_of(scenario)->solves;
  *trial = (struct cairn_trial){0};
  int status = try_first_steps(scenario, plan, ahead ? 0.2 * seconds : seconds, trial, error);
  if (!status && ahead && trial->steps < plan->n_steps) {
    struct cairn_trial late = *trial;
    struct cairn_error ignored = {0};
    if (look_ahead(scenario, plan, 0.8 * seconds, &late, &ignored) == 0)
      *trial = late;
  }
  return status;
}

/* s per step of a dense pile of these bodies. */
static double dense_step(const struct cairn_scenario *scenario, const struct cairn_plan *plan, int workers,
                         double sweeps) {
  const int64_t at_work = workers < plan->n_cells ? workers : plan->n_cells;
  return cairn_method_of(scenario)->dense_step(sweeps) * (double)cairn_scenario_n_bodies(scenario) /
         (double)(at_work > 0 ? at_work : 1);
}

static const double FEW = 10., MANY = 100.; /* sweeps of a dense pile */

struct cairn_trial_estimate cairn_trial_estimate(const struct cairn_scenario *scenario, const struct cairn_plan *plan,
                                                 const struct cairn_trial *trial, int workers) {
  const double left = (double)(plan->n_steps - trial->steps), most = fmin(MANY, (double)scenario->solver_sweeps);
  const double each[] = {dense_step(scenario, plan, workers, fmin(FEW, most)),
                         dense_step(scenario, plan, workers, most)};
  struct cairn_trial_estimate estimate = {trial->seen > 0. ? trial->whole : trial->seconds + left * trial->each, {0.}};
  if (left > 0. && trial->contacts < DENSE && trial->seen < 0.5 && each[1] >= 1.25 * trial->each)
    for (int i = 0; i < 2; i++)
      estimate.dense[i] = trial->seconds + left * fmax(trial->each, each[i]);
  return estimate;
}

static void report_dense(FILE *stream, const struct cairn_scenario *scenario, const double dense[2],
                         const char *first) {
  const double most = fmin(MANY, (double)scenario->solver_sweeps);
  char low[CAIRN_FORMAT_LENGTH], high[CAIRN_FORMAT_LENGTH];
  cairn_format_duration(low, dense[0]);
  cairn_format_duration(high, dense[1]);
  if (cairn_method_of(scenario)->solves)
    cairn_report_field(stream, "time", "%s,\n%s to %s as a dense pile with %.0f to %.0f sweeps in a step", first, low,
                       high, fmin(FEW, most), most);
  else
    cairn_report_field(stream, "time", "%s, %s as a dense pile", first, low);
}

void cairn_trial_report(FILE *stream, const struct cairn_scenario *scenario, const struct cairn_plan *plan,
                        const struct cairn_trial *trial, int workers) {
  char all[CAIRN_FORMAT_LENGTH], first[192], sweeps[48] = "";
  const struct cairn_trial_estimate estimate = cairn_trial_estimate(scenario, plan, trial, workers);
  cairn_format_duration(all, estimate.all);
  if (trial->sweeps > 0.)
    snprintf(sweeps, sizeof sweeps, ", %.0f sweeps", trial->sweeps);
  const int n = snprintf(first, sizeof first, "about %s on %d worker%s", all, workers, workers == 1 ? "" : "s");
  if (trial->steps == plan->n_steps)
    snprintf(first + n, sizeof first - (size_t)n, ": the trial was the whole run%s",
             scenario->n_insertions > 0 ? ", without the bodies that are inserted, which take longer" : "");
  else if (trial->seen > 0.)
    snprintf(first + n, sizeof first - (size_t)n,
             " by steps tried up to %.2g of %.4g s (then %.2g contacts per body%s)", trial->seen * scenario->time_end,
             scenario->time_end, trial->contacts, sweeps);
  else
    snprintf(first + n, sizeof first - (size_t)n,
             " at the speed of the trial, %lld steps (then %.2g contacts per body%s)", (long long)trial->steps,
             trial->contacts, sweeps);
  if (estimate.dense[1] > 0.)
    report_dense(stream, scenario, estimate.dense, first);
  else
    cairn_report_field(stream, "time", "%s", first);
}
