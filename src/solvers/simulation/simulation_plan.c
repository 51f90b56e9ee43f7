/* What a scenario means for the run, before anything runs. */
#include <math.h>
#include <string.h>

#include "kernels/common/vec3.h"
#include "solvers/method.h"

/* Write the values chosen for `auto` into the effective parameters. */
static int show_choices(struct cairn_scenario *s, struct cairn_error *error) {
  int status = cairn_scenario_resolve(s, "time.step", s->time_step, error);
  if (!status && !(s->cells_auto && cairn_method_of(s)->tries_cells))
    status = cairn_scenario_resolve(s, "cells.bodies", (double)s->cells_bodies, error);
  return status;
}

/* The plan of the method, for the strongest uniform field of all stages. */
static int plan_method(struct cairn_scenario *s, struct cairn_plan *plan, struct cairn_error *error) {
  double now[3];
  memcpy(now, s->gravity, sizeof now);
  for (int32_t k = 0; k < s->n_stages; k++)
    if (cairn_vec3_length(s->stages[k].gravity) > cairn_vec3_length(s->gravity))
      memcpy(s->gravity, s->stages[k].gravity, sizeof now);
  const int status = cairn_method_of(s)->plan(s, plan, error);
  memcpy(s->gravity, now, sizeof now);
  return status;
}

int cairn_simulation_plan(struct cairn_scenario *scenario, struct cairn_plan *plan, struct cairn_error *error) {
  memset(plan, 0, sizeof *plan);
  plan->stable_step = plan->packed_step = INFINITY;
  int status = plan_method(scenario, plan, error);
  if (status)
    return status;
  const double steps = scenario->time_end / plan->step_size;
  if (!(steps <= CAIRN_MOST_STEPS)) /* the scenario refused it where it is given */
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "time.step: auto is %g s, which makes %g steps up to time.end; allowed: at most %g",
                           plan->step_size, steps, CAIRN_MOST_STEPS);
  if (scenario->cells_bodies == 0) {
    scenario->cells_auto = true;
    scenario->cells_bodies = cairn_method_of(scenario)->cell_bodies(cairn_scenario_n_bodies(scenario));
  }
  status = show_choices(scenario, error);
  if (status)
    return status;
  const double n = (double)cairn_scenario_n_bodies(scenario);
  plan->cells_bodies = scenario->cells_bodies;
  plan->n_steps = cairn_simulation_n_steps(scenario->time_end, plan->step_size);
  plan->n_cells = (int64_t)ceil(n / (0.7 * (double)plan->cells_bodies));
  plan->memory = cairn_method_of(scenario)->body_bytes * n + 60e6; /* the program and StarPU: docs/performance.md */
  for (int32_t w = 0; w < scenario->n_walls; w++) /* meshes are held twice, as read and as the kernels see them */
    plan->memory += scenario->walls[w].mesh ? 2. * sizeof(double) * (double)scenario->walls[w].mesh->n_doubles : 0.;
  return 0;
}
