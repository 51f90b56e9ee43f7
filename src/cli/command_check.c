#include <stdio.h>

#include "cli/command.h"
#include "cli/format.h"
#include "cli/report.h"
#include "solvers/simulation.h"

static void report_interactions(const struct cairn_scenario *scenario) {
  int first = 1;
  for (int32_t a = 0; a < scenario->n_materials; a++)
    for (int32_t b = a; b < scenario->n_materials; b++, first = 0) {
      const struct cairn_interaction *pair = &scenario->interactions[a * scenario->n_materials + b];
      cairn_report_field(stdout, first ? "pairs" : "",
                         "%s–%s: stiffness %.4g N/m, tangential %.4g N/m, restitution %.4g, friction %.4g, rolling "
                         "%.4g, twisting %.4g",
                         scenario->materials[a].name, scenario->materials[b].name, pair->stiffness,
                         pair->tangential_stiffness, pair->restitution, pair->friction, pair->rolling_friction,
                         pair->twisting_friction);
    }
}

static double least_stiffness(const struct cairn_scenario *scenario) {
  double least = 0;
  for (int32_t i = 0; i < scenario->n_materials * scenario->n_materials; i++)
    if (i == 0 || scenario->interactions[i].stiffness < least)
      least = scenario->interactions[i].stiffness;
  return least;
}

static void report_advice(const struct cairn_scenario *scenario, const struct cairn_plan *plan) {
  cairn_report_field(stdout, "recommended", "step %.4g s%s", plan->recommended_step,
                     plan->step_size > 1.001 * plan->recommended_step ? " (the step in force is longer: results suffer)"
                                                                      : "");
  if (plan->recommended_stiffness > 0)
    cairn_report_field(
        stdout, "", "stiffness %.4g N/m for speeds up to %.4g m/s%s", plan->recommended_stiffness, plan->max_speed,
        least_stiffness(scenario) < 0.999 * plan->recommended_stiffness ? " (a pair is softer: overlaps may grow large)"
                                                                        : "");
}

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  struct cairn_scenario *scenario = NULL;
  struct cairn_plan plan = {0};
  int status = cairn_scenario_load(options->operands[0], options->n_set, options->set, 0, &scenario, error);
  if (!status)
    status = cairn_simulation_plan(scenario, &plan, error);
  if (!status) {
    char text[CAIRN_FORMAT_LENGTH];
    cairn_report_scenario(stdout, scenario, &scenario->initial, &plan);
    report_interactions(scenario);
    report_advice(scenario, &plan);
    cairn_report_field(stdout, "memory", "about %s", cairn_format_bytes(text, plan.memory));
    cairn_report_field(stdout, "time", "about %s on one core", cairn_format_duration(text, plan.seconds));
    cairn_report_field(stdout, "output", "%s.nc, %s.series.nc, %s.ckpt.nc", scenario->output_name,
                       scenario->output_name, scenario->output_name);
    printf("%s is valid\n", options->operands[0]);
  }
  cairn_scenario_free(scenario);
  return status;
}

const struct cairn_command cairn_command_check = {
    .name = "check",
    .operands = "SCENARIO",
    .summary = "validate a scenario and show what the run will be",
    .help = "Prints bodies, materials, cells, the step and stiffness in force and the recommended ones, memory and an\n"
            "estimate of the time. Writes no file.",
    .options = CAIRN_OPTION_SET,
    .min_operands = 1,
    .max_operands = 1,
    .execute = execute,
};
