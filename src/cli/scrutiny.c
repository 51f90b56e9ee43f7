#include "cli/scrutiny.h"

#include <math.h>
#include <string.h>
#include <sys/statvfs.h>

#include "cli/format.h"
#include "cli/report.h"
#include "data/files/output_size.h"
#include "data/initial/insert.h"
#include "data/scenario/stages.h"
#include "data/scenario/unused_keys.h"
#include "solvers/method.h"
#include "solvers/start/stretch.h"

void cairn_scrutiny_keys(FILE *stream, const struct cairn_scenario *scenario, const struct cairn_options *options) {
  char keys[512];
  cairn_unused_keys_list(scenario, options->n_set, options->set, keys, sizeof keys);
  if (*keys)
    cairn_report_field(stream, "unused", "%s: no effect with %s", keys, cairn_method_of(scenario)->title);
}

static void warn_of_densities(FILE *stream, const struct cairn_scenario *s, const struct cairn_stretch_survey *bodies) {
  static const double LIGHT = 10., HEAVY = 3e4; /* kg/m³: foams and powders, the heaviest metals */
  for (int32_t m = 0; m < s->n_materials; m++) {
    const double density = s->materials[m].density;
    if (bodies->n_of[m] > 0 && (density < LIGHT || density > HEAVY))
      cairn_report_field(stream, "warning", "the density of %.80s, %.4g kg/m³, is %s: is it in kg/m³?",
                         s->materials[m].name, density,
                         density < LIGHT ? "that of a gas or a foam" : "above that of any solid");
  }
}

/* How far the points of a shape may be from its own point, m; infinite where it has no end. */
static double reach(const double *shape) {
  switch ((int)shape[0]) {
  case CAIRN_SHAPE_DISK:
  case CAIRN_SHAPE_SPHERE:
  case CAIRN_SHAPE_RING:
    return shape[7];
  case CAIRN_SHAPE_RECTANGLE:
  case CAIRN_SHAPE_TRIANGLE:
    return hypot(hypot(shape[4], shape[5]), shape[6]) + hypot(hypot(shape[7], shape[8]), shape[9]);
  case CAIRN_SHAPE_CONE:
    return hypot(shape[7], 0.5 * shape[8]);
  case CAIRN_SHAPE_LINE:
    return shape[8] < 0. ? INFINITY : 0.5 * shape[8];
  case CAIRN_SHAPE_POINT:
    return 0.;
  default:
    return INFINITY;
  }
}

/* Can a body that falls along the unit vector `down` from the level `top` on meet the wall? One that moves may come to
 * be anywhere. */
static int may_catch(const struct cairn_scenario *s, const struct cairn_wall *wall, const double down[3], double top) {
  const struct cairn_assembly *assembly = &s->assemblies[wall->assembly];
  const double *shape = wall->shape, *n = shape + 4;
  if (assembly->rules.kind != CAIRN_ASSEMBLY_FIXED)
    return 1;
  if ((int)shape[0] == CAIRN_SHAPE_PLANE)
    return n[0] * down[0] + n[1] * down[1] + n[2] * down[2] < -1e-9;
  double level = reach(shape);
  for (int k = 0; k < 3; k++)
    level += wall->reference[k] * down[k];
  return !(level < top);
}

static void warn_of_gravity(FILE *stream, const struct cairn_scenario *s, const struct cairn_stretch_survey *bodies) {
  const double *g = s->gravity, size = hypot(hypot(g[0], g[1]), g[2]);
  if (!(size > 0.) || s->n_walls == 0 || s->self_gravity)
    return;
  const double down[3] = {g[0] / size, g[1] / size, g[2] / size};
  for (int32_t w = 0; w < s->n_walls; w++)
    if (may_catch(s, &s->walls[w], down, bodies->top))
      return;
  cairn_report_field(stream, "warning",
                     "gravity, %.4g %.4g %.4g m/s², accelerates the bodies away from every wall: is its sign right?",
                     g[0], g[1], g[2]);
}

/* A settled bed of hard spheres collides without end: a step of scenarios/tumbler.yaml takes hundreds of times as
 * long at 0.1 s as at the start, which no trial of the first steps can see. */
static void warn_of_settling(FILE *stream, const struct cairn_scenario *s) {
  const double *g = s->gravity;
  const int32_t n = s->n_materials;
  bool loses_energy = false;
  for (int32_t i = 0; i < n * n; i++)
    loses_energy |= s->interaction_entry[i] >= 0 && s->interactions[i].restitution < 1.;
  if (cairn_method_of(s)->collides && s->n_walls > 0 && loses_energy && !s->collisions_merge &&
      (g[0] != 0. || g[1] != 0. || g[2] != 0.))
    cairn_report_field(
        stream, "warning",
        "hard spheres that settle under gravity collide without end: steps may take hundreds of times as "
        "long then; contact_dynamics is made for beds");
}

/* Bytes that are free where the files go; infinite if that is not known. */
static double free_space(const char *name) {
  char folder[4096] = ".";
  struct statvfs disk;
  const char *slash = strrchr(name, '/');
  if (slash && slash - name < (long)sizeof folder - 1)
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - name) + 1, name);
  return statvfs(folder, &disk) ? INFINITY : (double)disk.f_bavail * (double)disk.f_frsize;
}

static void warn_of_output(FILE *stream, const struct cairn_scenario *s) {
  static const double MANY = 1e5, MANY_ROWS = 1e7;
  char bytes[CAIRN_FORMAT_LENGTH], room[CAIRN_FORMAT_LENGTH];
  const struct cairn_output_size o = cairn_output_size_of(s);
  const double total = cairn_output_size_total(&o), space = free_space(s->output_name);
  if (o.n_frames > MANY)
    cairn_report_field(stream, "warning", "output.frames, %.4g s, makes %.4g frames, %s in all", s->output_frames,
                       o.n_frames, cairn_format_bytes(bytes, o.n_frames * o.frame));
  if (o.n_rows > MANY_ROWS)
    cairn_report_field(stream, "warning", "output.series, %.4g s, makes %.4g rows, %s in all", s->output_series,
                       o.n_rows, cairn_format_bytes(bytes, o.n_rows * o.row));
  if (total > space)
    cairn_report_field(stream, "warning", "the files will take %s, and %s are free there",
                       cairn_format_bytes(bytes, total), cairn_format_bytes(room, space));
}

/* What is given and never happens. */
static void warn_of_nothing(FILE *stream, const struct cairn_scenario *s) {
  for (int32_t e = 0; e < s->n_bonds; e++)
    if (s->bonds[e].n_made == 0)
      cairn_report_field(stream, "warning", "bonds.%d bonds nothing: no %s touch within its gap", e,
                         s->bonds[e].wall >= 0 ? "body and wall" : "two bodies");
  for (int32_t e = 0; e < s->n_insertions; e++) {
    const struct cairn_insertion *i = s->insertions + e;
    const double begin = i->stage >= 0 ? cairn_stages_earliest(s, i->stage) : 0.;
    const double n = i->batch > 0 ? ceil((double)i->count / (double)i->batch) - 1. : 0.;
    if (begin + i->from + n * i->every > s->time_end)
      cairn_report_field(stream, "warning", "insert.%d: its last bodies are due at t = %.4g s, the run ends at %.4g s",
                         e, begin + i->from + n * i->every, s->time_end);
  }
}

void cairn_scrutiny_warn(FILE *stream, const struct cairn_scenario *s, const struct cairn_stretch_survey *bodies) {
  warn_of_densities(stream, s, bodies);
  warn_of_gravity(stream, s, bodies);
  warn_of_settling(stream, s);
  if (cairn_scenario_n_bodies(s) > 0) { /* a resumed run has its files and its bonds already */
    warn_of_nothing(stream, s);
    warn_of_output(stream, s);
  }
}

void cairn_scrutiny_output(FILE *stream, const struct cairn_scenario *s) {
  char each[CAIRN_FORMAT_LENGTH], all[CAIRN_FORMAT_LENGTH];
  const struct cairn_output_size o = cairn_output_size_of(s);
  const char *name = s->output_name, *label = "output";
  if (o.n_frames > 0) {
    cairn_report_field(stream, label, "%s.nc: %.10g frames of %s, %s", name, o.n_frames,
                       cairn_format_bytes(each, o.frame), cairn_format_bytes(all, o.n_frames * o.frame));
    label = "";
  }
  if (o.n_rows > 0) {
    cairn_report_field(stream, label, "%s.series.nc: %.10g rows of %s, %s", name, o.n_rows,
                       cairn_format_bytes(each, o.row), cairn_format_bytes(all, o.n_rows * o.row));
    label = "";
  }
  if (s->output_contacts && o.n_frames > 0)
    cairn_report_field(stream, "", "%s.contacts.nc: the contacts of each frame, some 80 bytes each", name);
  if (s->n_bonds > 0) {
    cairn_report_field(stream, label, "%s.breaks.nc: a row for each bond that breaks", name);
    label = "";
  }
  cairn_report_field(stream, label, "%s.ckpt.nc: about %s, and the one before it", name,
                     cairn_format_bytes(all, o.checkpoint));
}
