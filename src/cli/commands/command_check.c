#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cairn/engine.h"
#include "cli/advice.h"
#include "cli/command.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/report.h"
#include "cli/scrutiny.h"
#include "cli/trial.h"
#include "solvers/method.h"
#include "solvers/start/stretch.h"

/* Two materials that no body and no wall can bring together have no interaction. */
static int is_pair(const struct cairn_scenario *scenario, int32_t a, int32_t b) {
  return scenario->interaction_entry[a * scenario->n_materials + b] >= 0;
}

static void report_interactions(const struct cairn_scenario *scenario) {
  int first = 1;
  for (int32_t a = 0; a < scenario->n_materials; a++)
    for (int32_t b = a; b < scenario->n_materials; b++) {
      const struct cairn_interaction *pair = &scenario->interactions[a * scenario->n_materials + b];
      if (!is_pair(scenario, a, b))
        continue;
      char values[768];
      cairn_method_of(scenario)->describe_pair(scenario, pair, values, sizeof values);
      cairn_report_field(stdout, first ? "pairs" : "", "%s–%s: %s", scenario->materials[a].name,
                         scenario->materials[b].name, values);
      first = 0;
    }
}

/* A trial of the run, and what has come of it. */
struct attempt {
  struct cairn_engine_info machine;
  struct cairn_trial trial;
  bool is_wanted, is_known;
  struct cairn_error failure; /* why it is not known */
};

/* Fails where a run would not even start; a trial that fails is no failure of the scenario. */
static int try_run(struct cairn_scenario *scenario, const struct cairn_plan *plan, const struct cairn_options *options,
                   struct attempt *attempt, struct cairn_error *error) {
  const struct cairn_engine_options engine = {.workers = options->workers, .device = options->device, .silent = 1};
  attempt->is_wanted = options->trial != 0;
  if (!attempt->is_wanted)
    return 0;
  const int status = cairn_engine_start(&engine, error);
  if (status)
    return status;
  cairn_engine_info(&attempt->machine);
  attempt->is_known = !cairn_trial_run(scenario, plan, options->trial, &attempt->trial, &attempt->failure);
  cairn_engine_stop();
  return 0;
}

static void report_time(const struct cairn_scenario *scenario, const struct cairn_plan *plan,
                        const struct attempt *attempt) {
  if (!attempt->is_wanted) {
    cairn_report_field(stdout, "time", "not tried");
    return;
  }
  if (attempt->is_known)
    cairn_trial_report(stdout, scenario, plan, &attempt->trial, attempt->machine.n_cpu_workers);
  else
    cairn_report_field(stdout, "time", "unknown: %s", attempt->failure.message);
  cairn_report_notes(stdout, &attempt->machine);
}

static int report(const struct cairn_options *options, struct cairn_scenario *scenario, const struct cairn_plan *plan,
                  struct cairn_error *error) {
  char text[CAIRN_FORMAT_LENGTH];
  struct attempt attempt = {0};
  struct cairn_stretch_survey bodies;
  int status = cairn_stretch_survey(scenario, &bodies, error);
  if (status)
    return status;
  cairn_report_scenario(stdout, scenario, &bodies, plan);
  report_interactions(scenario);
  cairn_advice_report(stdout, scenario, plan, true);
  cairn_report_field(stdout, "memory", "about %s", cairn_format_bytes(text, plan->memory));
  status = options->force ? 0 : cairn_advice_refuse(plan, error);
  if (!status)
    status = try_run(scenario, plan, options, &attempt, error);
  if (!status)
    report_time(scenario, plan, &attempt);
  cairn_scrutiny_output(stdout, scenario);
  cairn_scrutiny_keys(stdout, scenario, options);
  cairn_scrutiny_warn(stdout, scenario, &bodies);
  if (!status)
    printf("%s is valid\n", options->operands[0]);
  return status;
}

static int report_json(const struct cairn_options *options, struct cairn_scenario *scenario,
                       const struct cairn_plan *plan, struct cairn_error *error) {
  struct attempt attempt = {0};
  int status = options->force ? 0 : cairn_advice_refuse(plan, error);
  if (!status)
    status = try_run(scenario, plan, options, &attempt, error);
  if (!status)
    cairn_json_plan(stdout, scenario, plan, attempt.is_known ? &attempt.trial : NULL, attempt.machine.n_cpu_workers);
  return status;
}

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  struct cairn_scenario *scenario = NULL;
  struct cairn_plan plan = {0};
  int status = cairn_scenario_load(options->operands[0], options->n_set, options->set, 0, &scenario, error);
  if (!status)
    status = cairn_simulation_plan(scenario, &plan, error);
  if (!status)
    status = (options->json ? report_json : report)(options, scenario, &plan, error);
  cairn_scenario_free(scenario);
  return status;
}

const struct cairn_command cairn_command_check = {
    .name = "check",
    .operands = "SCENARIO",
    .summary = "validate a scenario and show what the run will be",
    .help = "Prints bodies, materials, cells, the step and stiffness in force and the recommended ones, memory and an\n"
            "estimate of the time, for which it does the first steps for some seconds. Writes no file. Fails where "
            "cairn run\n"
            "would refuse the scenario.",
    .options = CAIRN_OPTION_SET | CAIRN_OPTION_WORKERS | CAIRN_OPTION_DEVICE | CAIRN_OPTION_FORCE | CAIRN_OPTION_TRIAL |
               CAIRN_OPTION_JSON,
    .min_operands = 1,
    .max_operands = 1,
    .takes = CAIRN_FILE_SCENARIO,
    .execute = execute,
};
