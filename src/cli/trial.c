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

int cairn_trial_run(struct cairn_scenario *scenario, const struct cairn_plan *plan, double seconds,
                    struct cairn_trial *trial, struct cairn_error *error) {
  static const double ENOUGH = 1., ALIKE = 0.2; /* s, and the part by which two stretches may differ */
  struct cairn_simulation *simulation = NULL;
  *trial = (struct cairn_trial){0};
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

/* s per step of a dense pile of these bodies. */
static double dense_step(const struct cairn_scenario *scenario, const struct cairn_plan *plan, int workers,
                         double sweeps) {
  const int64_t at_work = workers < plan->n_cells ? workers : plan->n_cells;
  return cairn_method_of(scenario)->dense_step(sweeps) * (double)scenario->initial.n /
         (double)(at_work > 0 ? at_work : 1);
}

static void report_range(FILE *stream, const struct cairn_scenario *scenario, const struct cairn_plan *plan,
                         const struct cairn_trial *trial, int workers, const char *first) {
  static const double FEW = 10., MANY = 100.;
  const double left = (double)(plan->n_steps - trial->steps), most = fmin(MANY, (double)scenario->solver_sweeps);
  const double few = dense_step(scenario, plan, workers, fmin(FEW, most)),
               many = dense_step(scenario, plan, workers, most);
  char low[CAIRN_FORMAT_LENGTH], high[CAIRN_FORMAT_LENGTH];
  if (many < 1.25 * trial->each) { /* it is as slow already */
    cairn_report_field(stream, "time", "%s", first);
    return;
  }
  cairn_format_duration(low, trial->seconds + left * fmax(trial->each, few));
  cairn_format_duration(high, trial->seconds + left * fmax(trial->each, many));
  if (cairn_method_of(scenario)->solves)
    cairn_report_field(stream, "time", "%s,\n%s to %s as a dense pile with %.0f to %.0f sweeps in a step", first, low,
                       high, fmin(FEW, most), most);
  else
    cairn_report_field(stream, "time", "%s, %s as a dense pile", first, low);
}

void cairn_trial_report(FILE *stream, const struct cairn_scenario *scenario, const struct cairn_plan *plan,
                        const struct cairn_trial *trial, int workers) {
  char all[CAIRN_FORMAT_LENGTH], first[192], sweeps[48] = "";
  cairn_format_duration(all, trial->seconds + (double)(plan->n_steps - trial->steps) * trial->each);
  if (trial->sweeps > 0.)
    snprintf(sweeps, sizeof sweeps, ", %.0f sweeps", trial->sweeps);
  const int n = snprintf(first, sizeof first, "about %s on %d worker%s", all, workers, workers == 1 ? "" : "s");
  if (trial->steps == plan->n_steps) {
    cairn_report_field(stream, "time", "%s: the trial was the whole run", first);
    return;
  }
  snprintf(first + n, sizeof first - (size_t)n,
           " at the speed of the trial, %lld steps (then %.2g contacts per body%s)", (long long)trial->steps,
           trial->contacts, sweeps);
  if (trial->contacts >= DENSE)
    cairn_report_field(stream, "time", "%s", first);
  else
    report_range(stream, scenario, plan, trial, workers, first);
}
