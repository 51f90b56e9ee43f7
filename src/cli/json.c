#include "cli/json.h"

#include <math.h>

#include "cairn/ranks.h"
#include "data/files/output_size.h"
#include "solvers/method.h"
#include "view/paint/text.h"

/* "name": and a comma before it if it is not the first. */
static void put_key(FILE *file, int *n, const char *name) {
  fputs((*n)++ > 0 ? ", " : "", file);
  cairn_text_json(file, name);
  fputs(": ", file);
}

static void put_text(FILE *file, int *n, const char *name, const char *text) {
  put_key(file, n, name);
  cairn_text_json(file, text ? text : "");
}

/* All digits: a script may compare numbers of two runs. */
static void put_number(FILE *file, int *n, const char *name, double value) {
  put_key(file, n, name);
  if (value - value == 0.)
    fprintf(file, "%.17g", value);
  else
    fputs("null", file);
}

static void put_count(FILE *file, int *n, const char *name, int64_t value) {
  put_key(file, n, name);
  fprintf(file, "%lld", (long long)value);
}

static void put_observables(FILE *file, int *n, const char *name, const struct cairn_observables *o) {
  int inner = 0;
  put_key(file, n, name);
  fputc('{', file);
  for (int i = 0; i < cairn_observables_n_fields; i++) {
    const struct cairn_observable_field *field = &cairn_observables_fields[i];
    const double *values = (const double *)((const char *)o + field->offset);
    if (field->components == 1) {
      put_number(file, &inner, field->name, values[0]);
      continue;
    }
    put_key(file, &inner, field->name);
    for (int k = 0; k < field->components; k++) {
      fputs(k > 0 ? ", " : "[", file);
      if (values[k] - values[k] == 0.)
        fprintf(file, "%.17g", values[k]);
      else
        fputs("null", file);
    }
    fputc(']', file);
  }
  fputc('}', file);
}

void cairn_json_summary(FILE *file, int status, const struct cairn_run_summary *s,
                        const struct cairn_scenario *scenario) {
  int n = 0;
  fputc('{', file);
  put_text(file, &n, "status", status == 0 ? "done" : status == CAIRN_STOPPED ? "stopped" : "failed");
  put_text(file, &n, "name", scenario->output_name);
  put_text(file, &n, "title", scenario->title);
  put_text(file, &n, "method", cairn_method_of(scenario)->name);
  put_text(file, &n, "digest", s->digest);
  put_count(file, &n, "bodies", s->n_bodies);
  put_count(file, &n, "first_step", s->first_step);
  put_count(file, &n, "last_step", s->last_step);
  put_number(file, &n, "step_size", s->step_size);
  put_number(file, &n, "recommended_step", s->recommended_step);
  put_number(file, &n, "time", s->time);
  put_number(file, &n, "elapsed", s->elapsed);
  put_number(file, &n, "body_steps_per_second", s->body_steps_per_second);
  put_count(file, &n, "cells", s->n_cells);
  put_count(file, &n, "regrids", s->n_regrids);
  if (cairn_ranks_n() > 1) {
    put_count(file, &n, "ranks", cairn_ranks_n());
    put_number(file, &n, "first_imbalance", s->first_imbalance);
    put_number(file, &n, "imbalance", s->imbalance);
  }
  put_count(file, &n, "frames", s->n_frames);
  put_count(file, &n, "rows", s->n_rows);
  put_count(file, &n, "checkpoints", s->n_checkpoints);
  put_count(file, &n, "overlap_warnings", s->n_overlap_warnings);
  put_number(file, &n, "worst_overlap", s->worst_overlap);
  put_number(file, &n, "energy_gain", s->energy_gain);
  put_number(file, &n, "peak_kinetic_energy", s->peak);
  put_number(file, &n, "peak_time", s->peak_time);
  if (scenario->self_gravity) {
    put_count(file, &n, "fragments", s->fragments.n);
    put_number(file, &n, "largest_fragment", s->fragments.largest);
  }
  put_text(file, &n, "trajectory", s->trajectory);
  put_text(file, &n, "series", s->series);
  put_text(file, &n, "checkpoint", s->checkpoint);
  put_observables(file, &n, "start", &s->first);
  put_observables(file, &n, "end", &s->last);
  fputs("}\n", file);
}

/* Time of the run as a trial foresees it; null where it is not known. */
static void put_estimate(FILE *file, int *n, const struct cairn_scenario *scenario, const struct cairn_plan *plan,
                         const struct cairn_trial *trial, int workers) {
  struct cairn_trial_estimate estimate = {NAN, {NAN, NAN}};
  if (trial)
    estimate = cairn_trial_estimate(scenario, plan, trial, workers);
  const bool has_dense = estimate.dense[1] > 0.;
  put_number(file, n, "seconds", estimate.all);
  put_number(file, n, "dense_seconds_low", has_dense ? estimate.dense[0] : NAN);
  put_number(file, n, "dense_seconds_high", has_dense ? estimate.dense[1] : NAN);
  put_count(file, n, "workers", workers);
  put_count(file, n, "trial_steps", trial ? trial->steps : 0);
  put_number(file, n, "trial_contacts_per_body", trial ? trial->contacts : NAN);
  put_number(file, n, "trial_sweeps", trial ? trial->sweeps : NAN);
}

static void put_output(FILE *file, int *n, const struct cairn_scenario *scenario) {
  const struct cairn_output_size size = cairn_output_size_of(scenario);
  put_number(file, n, "frames", size.n_frames);
  put_number(file, n, "frame_bytes", size.frame);
  put_number(file, n, "rows", size.n_rows);
  put_number(file, n, "row_bytes", size.row);
  put_number(file, n, "checkpoint_bytes", size.checkpoint);
}

void cairn_json_plan(FILE *file, const struct cairn_scenario *scenario, const struct cairn_plan *plan,
                     const struct cairn_trial *trial, int workers) {
  int n = 0;
  fputc('{', file);
  put_text(file, &n, "title", scenario->title);
  put_text(file, &n, "method", cairn_method_of(scenario)->name);
  put_text(file, &n, "name", scenario->output_name);
  put_count(file, &n, "bodies", cairn_scenario_n_bodies(scenario));
  put_count(file, &n, "walls", scenario->n_walls);
  put_count(file, &n, "materials", scenario->n_materials);
  put_number(file, &n, "end", scenario->time_end);
  put_number(file, &n, "step_size", plan->step_size);
  put_number(file, &n, "recommended_step", plan->recommended_step);
  put_number(file, &n, "stable_step", plan->stable_step);
  put_count(file, &n, "steps", plan->n_steps);
  put_count(file, &n, "cells", plan->n_cells);
  put_number(file, &n, "memory", plan->memory);
  put_number(file, &n, "max_speed", plan->max_speed);
  put_estimate(file, &n, scenario, plan, trial, workers);
  put_output(file, &n, scenario);
  fputs("}\n", file);
}

void cairn_json_info(FILE *file, const struct cairn_provenance *provenance, const struct cairn_engine_info *info) {
  int n = 0;
  fputc('{', file);
  for (int i = 0; i < provenance->n; i++)
    put_text(file, &n, provenance->entry[i].name, provenance->entry[i].value);
  put_count(file, &n, "workers", info->n_cpu_workers);
  put_count(file, &n, "opencl_workers", info->n_opencl_workers);
  put_count(file, &n, "cuda_workers", info->n_cuda_workers);
  put_text(file, &n, "scheduler", info->scheduler);
  put_text(file, &n, "worker_binding", info->binding);
  put_text(file, &n, "starpu_environment", info->environment);
  put_text(file, &n, "notes", info->notes);
  fputs("}\n", file);
}
