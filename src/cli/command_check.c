#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cairn/engine.h"
#include "cli/advice.h"
#include "cli/command.h"
#include "cli/format.h"
#include "cli/report.h"
#include "cli/scrutiny.h"
#include "solvers/simulation.h"

/* Two materials that no body and no wall can bring together have no interaction. */
static int is_pair(const struct cairn_scenario *scenario, int32_t a, int32_t b) {
  return scenario->interaction_entry[a * scenario->n_materials + b] >= 0;
}

static void report_rigid_interactions(const struct cairn_scenario *scenario) {
  int first = 1;
  for (int32_t a = 0; a < scenario->n_materials; a++)
    for (int32_t b = a; b < scenario->n_materials; b++) {
      const struct cairn_interaction *pair = &scenario->interactions[a * scenario->n_materials + b];
      if (!is_pair(scenario, a, b))
        continue;
      char range[64] = "";
      if (pair->cohesion > 0 && pair->cohesion_energy > 0)
        snprintf(range, sizeof range, " up to a work of %.4g J", pair->cohesion_energy);
      else if (pair->cohesion > 0)
        snprintf(range, sizeof range, " within %.4g m", pair->cohesion_range);
      cairn_report_field(stdout, first ? "pairs" : "",
                         "%s–%s: restitution %.4g, friction %.4g, rolling %.4g%s, twisting %.4g%s, cohesion %.4g N%s",
                         scenario->materials[a].name, scenario->materials[b].name, pair->restitution, pair->friction,
                         fmax(pair->rolling_friction, pair->rolling_length), pair->rolling_length > 0 ? " m" : "",
                         fmax(pair->twisting_friction, pair->twisting_length), pair->twisting_length > 0 ? " m" : "",
                         pair->cohesion, range);
      first = 0;
    }
}

/* "stiffness 1e+05 N/m, restitution 0.5, ": what the law asks of an interaction. */
static void describe_law(const struct cairn_law *law, const struct cairn_interaction *pair, char *text, size_t size) {
  text[0] = '\0';
  for (int k = 0; k < law->n_pair_keys; k++) {
    const char *unit = law->pair_keys[k].unit;
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s %.4g%s%s, ", law->pair_keys[k].name, pair->law[k], unit ? " " : "",
             unit ? unit : "");
  }
  for (char *c = text; *c; c++)
    *c = *c == '_' ? ' ' : *c;
}

static void report_interactions(const struct cairn_scenario *scenario) {
  const struct cairn_law *law = cairn_laws_table + scenario->law;
  int first = 1;
  if (scenario->method == CAIRN_METHOD_CONTACT_DYNAMICS) {
    report_rigid_interactions(scenario);
    return;
  }
  for (int32_t a = 0; a < scenario->n_materials; a++)
    for (int32_t b = a; b < scenario->n_materials; b++) {
      const struct cairn_interaction *pair = &scenario->interactions[a * scenario->n_materials + b];
      if (!is_pair(scenario, a, b))
        continue;
      char values[512];
      describe_law(law, pair, values, sizeof values);
      cairn_report_field(stdout, first ? "pairs" : "", "%s–%s: %sfriction %.4g, rolling %.4g, twisting %.4g",
                         scenario->materials[a].name, scenario->materials[b].name, values, pair->friction,
                         pair->rolling_friction, pair->twisting_friction);
      first = 0;
    }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds per step, from the first steps of the run itself: stretches of 1, 2, 4, … steps, the fastest of which counts,
 * because the first ones pay for cold caches and any of them may meet other work on the machine. */
static int time_steps(struct cairn_scenario *scenario, int64_t n_steps, double *seconds, struct cairn_error *error) {
  static const double enough = 0.25, too_long = 5; /* s */
  enum { LEAST_STRETCHES = 6 };
  struct cairn_simulation *simulation = NULL;
  int status = cairn_simulation_create(scenario, NULL, &simulation, error);
  double total = 0;
  int64_t steps = 1, done = 0;
  *seconds = INFINITY;
  for (int i = 0; !status && done < n_steps && (total < enough || (i < LEAST_STRETCHES && total < too_long)); i++) {
    double start = now();
    steps = steps < n_steps - done ? steps : n_steps - done;
    status = cairn_simulation_advance(simulation, steps, error);
    double elapsed = now() - start;
    *seconds = fmin(*seconds, elapsed / (double)steps);
    total += elapsed;
    done += steps;
    steps *= 2;
  }
  cairn_simulation_free(simulation);
  return status;
}

/* The first steps tell the time of a run whose bodies touch already. Where they are still apart the run will slow down
 * as contacts form, so the time of a dense pile stands beside it; with contact dynamics nobody knows how many sweeps
 * that will take. */
static void report_estimate(const struct cairn_scenario *scenario, const struct cairn_plan *plan, double each,
                            int workers) {
  static const double dense = 100e-9; /* s per body, step and worker in a settled bed (docs/performance.md) */
  char low[CAIRN_FORMAT_LENGTH], high[CAIRN_FORMAT_LENGTH];
  int64_t at_work = workers < plan->n_cells ? workers : plan->n_cells;
  double settled = dense * (double)scenario->initial.n / (double)(at_work > 0 ? at_work : 1);
  const char *plural = workers == 1 ? "" : "s";
  cairn_format_duration(low, each * (double)plan->n_steps);
  cairn_format_duration(high, settled * (double)plan->n_steps);
  if (scenario->method == CAIRN_METHOD_CONTACT_DYNAMICS)
    cairn_report_field(stdout, "time",
                       "about %s on %d worker%s at the speed of the first steps, more once bodies touch", low, workers,
                       plural);
  else if (settled < 1.25 * each)
    cairn_report_field(stdout, "time", "about %s on %d worker%s", low, workers, plural);
  else
    cairn_report_field(stdout, "time", "about %s on %d worker%s at the speed of the first steps, %s as a dense pile",
                       low, workers, plural, high);
}

static void report_time(struct cairn_scenario *scenario, const struct cairn_plan *plan,
                        const struct cairn_options *options) {
  struct cairn_error error = {0};
  struct cairn_engine_options engine = {.workers = options->workers, .device = options->device};
  double each = 0;
  setenv("STARPU_SILENT", "1", 0); /* StarPU tells about its calibrations unless it is told not to */
  int status = cairn_engine_start(&engine, &error);
  struct cairn_engine_info info = {0};
  if (!status) {
    cairn_engine_info(&info);
    status = time_steps(scenario, plan->n_steps, &each, &error);
    cairn_engine_stop();
  }
  if (status)
    cairn_report_field(stdout, "time", "unknown: %s", error.message);
  else
    report_estimate(scenario, plan, each, info.n_cpu_workers);
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
    cairn_advice_report(stdout, scenario, &plan, true);
    cairn_report_field(stdout, "memory", "about %s", cairn_format_bytes(text, plan.memory));
    status = options->force ? 0 : cairn_advice_refuse(&plan, error);
    if (!status)
      report_time(scenario, &plan, options);
    cairn_scrutiny_output(stdout, scenario);
    cairn_scrutiny_keys(stdout, scenario, options);
    cairn_scrutiny_warn(stdout, scenario, &scenario->initial);
    if (!status)
      printf("%s is valid\n", options->operands[0]);
  }
  cairn_scenario_free(scenario);
  return status;
}

const struct cairn_command cairn_command_check = {
    .name = "check",
    .operands = "SCENARIO",
    .summary = "validate a scenario and show what the run will be",
    .help =
        "Prints bodies, materials, cells, the step and stiffness in force and the recommended ones, memory and an\n"
        "estimate of the time, for which it tries the first steps. Writes no file. Fails where cairn run would refuse.",
    .options = CAIRN_OPTION_SET | CAIRN_OPTION_WORKERS | CAIRN_OPTION_DEVICE | CAIRN_OPTION_FORCE,
    .min_operands = 1,
    .max_operands = 1,
    .takes = CAIRN_FILE_SCENARIO,
    .execute = execute,
};
