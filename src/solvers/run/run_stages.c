/* The stages of a run, as far as they concern its files. */
#include <stdio.h>
#include <stdlib.h>

#include "cairn/ranks.h"
#include "solvers/run/moments.h"
#include "solvers/run/run_parts.h"
#include "solvers/run/stage.h"

int cairn_run_stages_look(struct run *run, struct cairn_error *error) {
  char message[256];
  const int status = cairn_stage_is_over(run->sim, run->scenario, &run->stage_over, message, error);
  if (!status && message[0])
    cairn_run_warn(run, message);
  return status;
}

void cairn_run_stages_set(struct run *run) {
  const struct cairn_scenario *s = run->scenario;
  const double h = cairn_simulation_step_size(run->sim);
  run->stage_step = cairn_stages_begin(s, cairn_stages_current(s));
  run->stage_over = false;
  run->frame_steps = cairn_moments_steps(s->output_frames, h);
  run->row_steps = cairn_moments_steps(s->output_series, h);
  run->budget = cairn_energy_budget_of(s);
}

int cairn_run_stages_change(struct run *run, struct cairn_error *error) {
  int status = cairn_run_output_status(run, error); /* writers use the state and the scenario's text */
  status = cairn_ranks_agree(status, error);
  if (!status)
    status = cairn_stages_end(run->scenario, cairn_simulation_step(run->sim), error);
  char *text = status ? NULL : cairn_scenario_effective(run->scenario);
  if (!status && !text)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  if (status)
    return status;
  free(run->checkpoint.scenario);
  run->checkpoint.scenario = text;
  cairn_walls_digest(run->scenario, run->walls_digest);
  cairn_run_stages_set(run);
  if (cairn_stages_are_over(run->scenario)) {
    run->n_steps = cairn_simulation_step(run->sim);
    return 0;
  }
  status = cairn_stage_renew(&run->sim, run->scenario, error);
  run->output.state_handle = cairn_simulation_state_handle(run->sim);
  return status;
}

int cairn_run_stages_insert(struct run *run, struct cairn_error *error) {
  const int64_t step = cairn_simulation_step(run->sim);
  if (cairn_stage_next_batch(run->sim, run->scenario, step) != step)
    return 0;
  int status = cairn_run_output_status(run, error); /* writers use the state */
  status = cairn_ranks_agree(status, error);
  if (!status)
    status = cairn_stage_insert(&run->sim, run->scenario, error);
  run->output.state_handle = cairn_simulation_state_handle(run->sim);
  run->budget = cairn_energy_budget_of(run->scenario);
  return status;
}

void cairn_run_stages_report(struct run *run) {
  const struct cairn_scenario *s = run->scenario;
  const int32_t current = cairn_stages_current(s);
  const int64_t n_waiting = cairn_simulation_n_waiting(run->sim);
  char message[256];
  if (n_waiting > 0) {
    snprintf(message, sizeof message, "%lld bodies were never inserted: the run ended before, or they found no place",
             (long long)n_waiting);
    cairn_run_warn(run, message);
  }
  if (current + 1 >= s->n_stages || run->stage_over)
    return;
  snprintf(message, sizeof message, "the run ended at time.end, %.6g s, in stage %.60s: stage %.60s never began",
           s->time_end, s->stages[current].name, s->stages[current + 1].name);
  cairn_run_warn(run, message);
}
