#include "cli/report.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cli/format.h"

enum { LABEL_WIDTH = 14 };

void cairn_report_field(FILE *stream, const char *label, const char *format, ...) {
  char text[8192];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *line = text;
  for (int first = 1; first || *line; first = 0) {
    size_t length = strcspn(line, "\n");
    char head[64] = "";
    if (first && *label)
      snprintf(head, sizeof head, "%s:", label);
    fprintf(stream, "%-*s%.*s\n", LABEL_WIDTH, head, (int)length, line);
    line += length + (line[length] == '\n');
  }
}

static void range(const double *values, int64_t n, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (int64_t i = 0; i < n; i++) {
    *low = fmin(*low, values[i]);
    *high = fmax(*high, values[i]);
  }
}

/* "0.5 m" or "0.5 … 1 m". */
static void range_text(char text[64], const double *values, int64_t n, const char *unit) {
  double low, high;
  range(values, n, &low, &high);
  if (n == 0)
    snprintf(text, 64, "none");
  else if (low == high)
    snprintf(text, 64, "%.4g %s", low, unit);
  else
    snprintf(text, 64, "%.4g … %.4g %s", low, high, unit);
}

static const char *method_name(enum cairn_method method) {
  switch (method) {
  case CAIRN_METHOD_SOFT_SPHERES:
    return "soft spheres";
  }
  return "unknown";
}

void cairn_report_scenario(FILE *stream, const struct cairn_scenario *scenario, const struct cairn_state *bodies,
                           const struct cairn_plan *plan) {
  char radii[64], masses[64];
  range_text(radii, bodies->radius, bodies->n, "m");
  range_text(masses, bodies->mass, bodies->n, "kg");
  cairn_report_field(stream, "title", "%s", scenario->title ? scenario->title : "(none)");
  cairn_report_field(stream, "method", "%s", method_name(scenario->method));
  cairn_report_field(stream, "bodies", "%lld, radius %s, mass %s", (long long)bodies->n, radii, masses);
  for (int32_t m = 0; m < scenario->n_materials; m++) {
    int64_t count = 0;
    for (int64_t i = 0; i < bodies->n; i++)
      count += bodies->material[i] == m;
    cairn_report_field(stream, m ? "" : "materials", "%s, %.6g kg/m³, %lld bodies", scenario->materials[m].name,
                       scenario->materials[m].density, (long long)count);
  }
  if (scenario->n_walls)
    cairn_report_field(stream, "walls", "%d", scenario->n_walls);
  cairn_report_field(stream, "gravity", "%.6g %.6g %.6g m/s²", scenario->gravity[0], scenario->gravity[1],
                     scenario->gravity[2]);
  cairn_report_field(stream, "cells", "about %lld of at most %lld bodies", (long long)plan->n_cells,
                     (long long)plan->cells_bodies);
  cairn_report_field(stream, "step", "%.6g s, %lld steps to t = %.6g s", plan->step_size, (long long)plan->n_steps,
                     scenario->time_end);
}

void cairn_report_engine(FILE *stream, const struct cairn_engine_info *info) {
  cairn_report_field(stream, "workers", "%d CPU, %d OpenCL, %d CUDA; scheduler %s", info->n_cpu_workers,
                     info->n_opencl_workers, info->n_cuda_workers, info->scheduler);
  if (info->binding[0])
    cairn_report_field(stream, "binding", "%s", info->binding);
  cairn_report_field(stream, "environment", "%s",
                     info->environment[0] ? info->environment : "no STARPU_* variable set");
}

static void report_energy(FILE *stream, const char *name, double first, double last) {
  fprintf(stream, "  %-12s%16.6g%16.6g J\n", name, first, last);
}

static void report_energies(FILE *stream, const struct cairn_observables *a, const struct cairn_observables *b) {
  fprintf(stream, "%-14s%16s%16s\n", "energy:", "first", "last");
  report_energy(stream, "kinetic", a->kinetic_energy, b->kinetic_energy);
  report_energy(stream, "rotational", a->rotational_energy, b->rotational_energy);
  report_energy(stream, "potential", a->potential_energy, b->potential_energy);
  report_energy(stream, "elastic", a->elastic_energy, b->elastic_energy);
  report_energy(stream, "total", a->kinetic_energy + a->rotational_energy + a->potential_energy + a->elastic_energy,
                b->kinetic_energy + b->rotational_energy + b->potential_energy + b->elastic_energy);
}

static void report_file(FILE *stream, int *any, const char *path, const char *what, const char *opened_by) {
  if (!path[0])
    return;
  cairn_report_field(stream, *any ? "" : "files", "%s: %s; %s", path, what, opened_by);
  *any = 1;
}

void cairn_report_summary(FILE *stream, const struct cairn_run_summary *summary) {
  char speed[CAIRN_FORMAT_LENGTH], elapsed[CAIRN_FORMAT_LENGTH], what[64];
  const struct cairn_observables *last = &summary->last;
  cairn_report_field(stream, "simulated", "%lld bodies from step %lld to step %lld, %.6g s each, to t = %.6g s",
                     (long long)summary->n_bodies, (long long)summary->first_step, (long long)summary->last_step,
                     summary->step_size, summary->time);
  report_energies(stream, &summary->first, last);
  cairn_report_field(stream, "contacts", "%.0f between bodies, %.0f with walls, coordination %.4g", last->n_contacts,
                     last->n_wall_contacts, last->coordination);
  cairn_report_field(stream, "overlap", "largest %.3g %% of the smaller radius at the end", 100 * last->max_overlap);
  if (summary->n_overlap_warnings)
    cairn_report_field(stream, "", "above the limit in %lld steps: use a larger stiffness (see cairn check)",
                       (long long)summary->n_overlap_warnings);
  cairn_report_field(stream, "speed", "%s body-steps/s, %s, %lld cell%s, regridded %lld times",
                     cairn_format_count(speed, summary->body_steps_per_second),
                     cairn_format_duration(elapsed, summary->elapsed), (long long)summary->n_cells,
                     summary->n_cells == 1 ? "" : "s", (long long)summary->n_regrids);
  int any = 0;
  snprintf(what, sizeof what, "%lld frames", (long long)summary->n_frames);
  report_file(stream, &any, summary->trajectory, what, "open in OVITO, VMD or xarray");
  snprintf(what, sizeof what, "%lld rows of diagnostics", (long long)summary->n_rows);
  report_file(stream, &any, summary->series, what, "open in xarray or ncdump");
  report_file(stream, &any, summary->checkpoint, "complete state", "go on with cairn resume");
}
