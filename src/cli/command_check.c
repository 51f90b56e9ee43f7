#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/command.h"
#include "cli/format.h"
#include "cli/report.h"
#include "solvers/simulation.h"
#include "tasks/engine.h"

/* Two materials that no body and no wall can bring together have no interaction. */
static int is_pair(const struct cairn_interaction *pair) { return pair->stiffness > 0; }

static void report_interactions(const struct cairn_scenario *scenario) {
  int first = 1;
  for (int32_t a = 0; a < scenario->n_materials; a++)
    for (int32_t b = a; b < scenario->n_materials; b++) {
      const struct cairn_interaction *pair = &scenario->interactions[a * scenario->n_materials + b];
      if (!is_pair(pair))
        continue;
      cairn_report_field(stdout, first ? "pairs" : "",
                         "%s–%s: stiffness %.4g N/m, tangential %.4g N/m, restitution %.4g, friction %.4g, rolling "
                         "%.4g, twisting %.4g",
                         scenario->materials[a].name, scenario->materials[b].name, pair->stiffness,
                         pair->tangential_stiffness, pair->restitution, pair->friction, pair->rolling_friction,
                         pair->twisting_friction);
      first = 0;
    }
}

static double least_stiffness(const struct cairn_scenario *scenario) {
  double least = INFINITY;
  for (int32_t i = 0; i < scenario->n_materials * scenario->n_materials; i++)
    if (is_pair(&scenario->interactions[i]))
      least = fmin(least, scenario->interactions[i].stiffness);
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

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds per step, from the first steps of the run itself. */
static int time_steps(struct cairn_scenario *scenario, int64_t n_steps, double *seconds, struct cairn_error *error) {
  static const double enough = 0.25; /* s */
  struct cairn_simulation *simulation = NULL;
  int status = cairn_simulation_create(scenario, NULL, &simulation, error);
  double elapsed = 0;
  int64_t steps = 1, done = 0;
  while (!status && elapsed < enough && done < n_steps) {
    double start = now();
    steps = steps < n_steps - done ? steps : n_steps - done;
    status = cairn_simulation_advance(simulation, steps, error);
    elapsed = now() - start; /* of the last stretch alone: the first ones pay for cold caches */
    *seconds = elapsed / (double)steps;
    done += steps;
    steps *= 2;
  }
  cairn_simulation_free(simulation);
  return status;
}

static void report_time(struct cairn_scenario *scenario, const struct cairn_plan *plan, int workers) {
  struct cairn_error error = {0};
  struct cairn_engine_options options = {.workers = workers};
  double each = 0;
  setenv("STARPU_SILENT", "1", 0);
  int status = cairn_engine_start(&options, &error);
  struct cairn_engine_info info = {0};
  if (!status) {
    cairn_engine_info(&info);
    status = time_steps(scenario, plan->n_steps, &each, &error);
    cairn_engine_stop();
  }
  char text[CAIRN_FORMAT_LENGTH];
  if (status)
    cairn_report_field(stdout, "time", "unknown: %s", error.message);
  else
    cairn_report_field(stdout, "time", "about %s on %d worker%s at the speed of the first steps",
                       cairn_format_duration(text, each * (double)plan->n_steps), info.n_cpu_workers,
                       info.n_cpu_workers == 1 ? "" : "s");
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
    report_time(scenario, &plan, options->workers);
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
            "estimate of the time, for which it does a quarter of a second of the run. Writes no file.",
    .options = CAIRN_OPTION_SET | CAIRN_OPTION_WORKERS,
    .min_operands = 1,
    .max_operands = 1,
    .execute = execute,
};
