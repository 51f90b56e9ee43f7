#include "cli/advice.h"

#include <math.h>

#include "cli/report.h"
#include "data/base/number.h"

static double least_stiffness(const struct cairn_scenario *scenario) {
  double least = INFINITY;
  for (int32_t i = 0; i < scenario->n_materials * scenario->n_materials; i++)
    if (scenario->interaction_entry[i] >= 0)
      least = fmin(least, scenario->interactions[i].law[CAIRN_LAW_hooke_stiffness]);
  return least;
}

/* What a step longer than the recommended one does. */
static void longer_text(char *text, size_t size, const struct cairn_scenario *scenario, const struct cairn_plan *plan) {
  const double times = plan->step_size / plan->recommended_step;
  if (scenario->method == CAIRN_METHOD_CONTACT_DYNAMICS)
    snprintf(text, size,
             " (the step in force is %.3g times longer: the fastest bodies go more than a tenth of a radius in it)",
             times);
  else if (plan->step_size > plan->stable_step)
    snprintf(text, size, " (the step in force is %.3g times longer: beyond %.4g s contacts gain energy)", times,
             plan->stable_step);
  else if (plan->step_size > plan->packed_step)
    snprintf(text, size,
             " (the step in force is %.3g times longer: results suffer, and beyond about %.4g s a dense packing gains "
             "energy)",
             times, plan->packed_step);
  else
    snprintf(text, size, " (the step in force is %.3g times longer: results suffer)", times);
}

void cairn_advice_report(FILE *stream, const struct cairn_scenario *scenario, const struct cairn_plan *plan, bool all) {
  const bool longer = plan->step_size > 1.001 * plan->recommended_step;
  const bool springs = scenario->law == CAIRN_LAW_hooke && plan->recommended_stiffness > 0;
  const bool softer = springs && least_stiffness(scenario) < 0.999 * plan->recommended_stiffness;
  char text[192] = "";
  if (longer)
    longer_text(text, sizeof text, scenario, plan);
  if (all || longer)
    cairn_report_field(stream, "recommended", "step %.4g s%s", plan->recommended_step, text);
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
