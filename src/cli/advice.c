#include "cli/advice.h"

#include <math.h>

#include "cli/report.h"
#include "data/base/number.h"
#include "solvers/method.h"

static double least_stiffness(const struct cairn_scenario *scenario) {
  double least = INFINITY;
  for (int32_t i = 0; i < scenario->n_materials * scenario->n_materials; i++)
    if (scenario->interaction_entry[i] >= 0)
      least = fmin(least, scenario->interactions[i].law[CAIRN_LAW_hooke_stiffness]);
  return least;
}

void cairn_advice_report(FILE *stream, const struct cairn_scenario *scenario, const struct cairn_plan *plan, bool all) {
  const bool longer = plan->step_size > 1.001 * plan->recommended_step;
  const bool springs = scenario->law == CAIRN_LAW_hooke && plan->recommended_stiffness > 0;
  const bool softer = springs && least_stiffness(scenario) < 0.999 * plan->recommended_stiffness;
  char effect[160];
  cairn_method_of(scenario)->advise_step(plan, effect, sizeof effect);
  if (longer)
    cairn_report_field(stream, "recommended", "step %.4g s (the step in force is %.3g times longer: %s)",
                       plan->recommended_step, plan->step_size / plan->recommended_step, effect);
  else if (all)
    cairn_report_field(stream, "recommended", "step %.4g s", plan->recommended_step);
  if (softer || (all && springs))
    cairn_report_field(stream, all || longer ? "" : "recommended", "stiffness %.4g N/m for speeds up to %.4g m/s%s",
                       plan->recommended_stiffness, plan->max_speed,
                       softer ? " (a pair is softer: overlaps may grow large)" : "");
}

int cairn_advice_refuse(const struct cairn_plan *plan, struct cairn_error *error) {
  if (!(plan->step_size > plan->stable_step))
    return 0;
  char found[CAIRN_NUMBER_LENGTH], limit[CAIRN_NUMBER_LENGTH];
  cairn_number_apart(plan->step_size, plan->stable_step, 4, found, limit);
  return cairn_error_set(error, CAIRN_ERR_INPUT,
                         "time.step: found %s s, %.3g times the recommended step; beyond %s s contacts gain energy "
                         "in every step. Take %.4g s, or auto; --force runs it all the same",
                         found, plan->step_size / plan->recommended_step, limit, plan->recommended_step);
}
