#include "cli/report.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cairn/ranks.h"
#include "cli/format.h"
#include "data/base/number.h"
#include "data/initial/insert.h"
#include "solvers/method.h"
#include "solvers/start/stretch.h"

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

static void range_text(char text[64], const double range[2], int64_t n, const char *unit) {
  const double low = range[0], high = range[1];
  if (n == 0)
    snprintf(text, 64, "none");
  else if (low == high)
    snprintf(text, 64, "%.4g %s", low, unit);
  else
    snprintf(text, 64, "%.4g … %.4g %s", low, high, unit);
}

/* Appends "2 planes" to a list; nothing for n = 0. */
static void list_count(char *text, size_t size, int32_t n, const char *one, const char *many) {
  const size_t used = strlen(text);
  if (n > 0)
    snprintf(text + used, size - used, "%s%d %s", used ? ", " : "", n, n == 1 ? one : many);
}

/* A finite cylinder is a cone to the kernels, a cylinder to the user. */
static void shapes_text(char *text, size_t size, const struct cairn_scenario *scenario) {
  static const struct {
    const char *one, *many;
  } names[] = {[CAIRN_SHAPE_PLANE] = {"plane", "planes"},
               [CAIRN_SHAPE_DISK] = {"disk", "disks"},
               [CAIRN_SHAPE_RECTANGLE] = {"rectangle", "rectangles"},
               [CAIRN_SHAPE_TRIANGLE] = {"triangle", "triangles"},
               [CAIRN_SHAPE_CYLINDER] = {"cylinder", "cylinders"},
               [CAIRN_SHAPE_SPHERE] = {"sphere", "spheres"},
               [CAIRN_SHAPE_RING] = {"ring", "rings"},
               [CAIRN_SHAPE_LINE] = {"line", "lines"},
               [CAIRN_SHAPE_POINT] = {"point", "points"},
               [CAIRN_SHAPE_MESH] = {"mesh", "meshes"}};
  for (int kind = 0; kind < (int)(sizeof names / sizeof *names); kind++) {
    int32_t n = 0;
    for (int32_t w = 0; w < scenario->n_walls; w++) {
      const int found = (int)scenario->walls[w].shape[0];
      n += (found == CAIRN_SHAPE_CONE ? CAIRN_SHAPE_CYLINDER : found) == kind;
    }
    list_count(text, size, n, names[kind].one, names[kind].many);
  }
}

static void behaviors_text(char *text, size_t size, const struct cairn_scenario *scenario) {
  static const char *const names[] = {
      [CAIRN_WALL_FRICTIONLESS] = "frictionless", [CAIRN_WALL_STICKY] = "sticky", [CAIRN_WALL_ABSORBING] = "absorbing"};
  for (int behavior = CAIRN_WALL_FRICTIONLESS; behavior <= CAIRN_WALL_ABSORBING; behavior++) {
    int32_t n = 0;
    for (int32_t w = 0; w < scenario->n_walls; w++)
      n += (int)scenario->walls[w].behavior == behavior;
    list_count(text, size, n, names[behavior], names[behavior]);
  }
}

static void changes_text(char *text, size_t size, const struct cairn_scenario *scenario) {
  int32_t driven = 0, passing = 0;
  for (int32_t w = 0; w < scenario->n_walls; w++) {
    const struct cairn_assembly_rules *rules = &scenario->assemblies[scenario->walls[w].assembly].rules;
    driven += rules->kind == CAIRN_ASSEMBLY_DRIVEN;
    const struct cairn_stage_times *times = &scenario->assemblies[scenario->walls[w].assembly].times;
    passing += rules->appears > 0 || isfinite(rules->vanishes) || times->appears_with >= 0 || times->vanishes_with >= 0;
  }
  list_count(text, size, driven, "driven", "driven");
  list_count(text, size, passing, "appears or vanishes", "appear or vanish");
}

static void report_mesh(FILE *stream, const struct cairn_wall *wall) {
  const struct cairn_mesh *mesh = wall->mesh;
  char skipped[96] = "";
  if (mesh->n_degenerate && mesh->n_duplicate)
    snprintf(skipped, sizeof skipped, ", %lld degenerate and %lld duplicate skipped", (long long)mesh->n_degenerate,
             (long long)mesh->n_duplicate);
  else if (mesh->n_degenerate || mesh->n_duplicate)
    snprintf(skipped, sizeof skipped, ", %lld %s skipped", (long long)(mesh->n_degenerate + mesh->n_duplicate),
             mesh->n_degenerate ? "degenerate" : "duplicate");
  cairn_report_field(stream, "", "%s: %lld triangle%s%s", wall->name, (long long)mesh->n_triangles,
                     mesh->n_triangles == 1 ? "" : "s", skipped);
}

static void report_walls(FILE *stream, const struct cairn_scenario *scenario) {
  char shapes[256] = "", behaviors[128] = "", changes[128] = "";
  if (!scenario->n_walls)
    return;
  shapes_text(shapes, sizeof shapes, scenario);
  behaviors_text(behaviors, sizeof behaviors, scenario);
  changes_text(changes, sizeof changes, scenario);
  cairn_report_field(stream, "walls", "%d: %s", scenario->n_walls, shapes);
  if (behaviors[0])
    cairn_report_field(stream, "", "%s", behaviors);
  if (changes[0])
    cairn_report_field(stream, "", "%s", changes);
  for (int32_t w = 0; w < scenario->n_walls; w++)
    if (scenario->walls[w].mesh)
      report_mesh(stream, &scenario->walls[w]);
}

/* Assemblies that the scenario lists as such; the others are single walls and have their names. */
static void report_assemblies(FILE *stream, const struct cairn_scenario *scenario) {
  int first = 1;
  for (int32_t a = 0; a < scenario->n_assemblies; a++) {
    const struct cairn_assembly *assembly = &scenario->assemblies[a];
    const struct cairn_assembly_rules *rules = &assembly->rules;
    if (a < scenario->n_walls && !strcmp(assembly->name, scenario->walls[a].name))
      continue;
    int32_t n = 0;
    for (int32_t w = 0; w < scenario->n_walls; w++)
      n += scenario->walls[w].assembly == a;
    char how[128];
    if (rules->kind == CAIRN_ASSEMBLY_FREE && rules->servo_force > 0)
      snprintf(how, sizeof how, "servo at %.4g N, speed at most %.4g m/s", rules->servo_force, rules->servo_speed);
    else if (rules->kind == CAIRN_ASSEMBLY_FREE)
      snprintf(how, sizeof how, "free, %d of 6 degrees of freedom, %.4g kg", rules->n_slides + rules->n_turns,
               rules->mass);
    else
      snprintf(how, sizeof how, "%s", rules->kind == CAIRN_ASSEMBLY_DRIVEN ? "driven" : "fixed");
    cairn_report_field(stream, first ? "assemblies" : "", "%s: %d wall%s, %s", assembly->name, n, n == 1 ? "" : "s",
                       how);
    first = 0;
  }
}

/* What acts from outside beside the uniform field. */
static void report_external(FILE *stream, const struct cairn_scenario *scenario) {
  const struct cairn_external *e = &scenario->external.start;
  if (e->has_central && scenario->external.falls)
    cairn_report_field(stream, "", "central mass %.4g kg, closest approach %.6g m, in a freely falling frame",
                       e->parameter / scenario->self_constant, cairn_external_closest(&scenario->external));
  else if (e->has_central)
    cairn_report_field(stream, "", "central mass %.4g kg at %.6g %.6g %.6g m", e->parameter / scenario->self_constant,
                       e->at[0], e->at[1], e->at[2]);
  if (e->rotates)
    cairn_report_field(stream, "frame", "rotates at %.6g %.6g %.6g rad/s", e->spin[0], e->spin[1], e->spin[2]);
  for (int32_t i = 0; i < scenario->n_spin_ups; i++) {
    const struct cairn_spin_up *s = scenario->spin_ups + i;
    char times[64] = "";
    if (!s->is_torque && isfinite(s->every))
      snprintf(times, sizeof times, ", every %.6g s", s->every);
    cairn_report_field(stream, i ? "" : "spin-up", "by %.4g %.4g %.4g %s, from t = %.6g s%s", s->amount[0],
                       s->amount[1], s->amount[2], s->is_torque ? "N m" : "rad/s", s->from, times);
  }
}

static int has_uniform_gravity(const struct cairn_scenario *scenario) {
  const double *g = scenario->gravity;
  return g[0] != 0. || g[1] != 0. || g[2] != 0.;
}

/* Do the bodies feel their self-gravity and nothing else? */
static int is_isolated(const struct cairn_scenario *scenario) {
  const struct cairn_external *e = &scenario->external.start;
  return scenario->self_gravity && !scenario->n_walls && !has_uniform_gravity(scenario) && !e->has_central &&
         !e->rotates;
}

static void report_gravity(FILE *stream, const struct cairn_scenario *scenario) {
  const double *g = scenario->gravity;
  const int uniform = has_uniform_gravity(scenario) || !scenario->self_gravity;
  if (uniform)
    cairn_report_field(stream, "gravity", "%.6g %.6g %.6g m/s²", g[0], g[1], g[2]);
  if (scenario->self_gravity)
    cairn_report_field(stream, uniform ? "" : "gravity", "self-gravity, relative RMS error %.3g",
                       scenario->self_accuracy);
}

/* How each stage ends; of those that have, when. */
static void report_stages(FILE *stream, const struct cairn_scenario *scenario) {
  for (int32_t k = 0; k < scenario->n_stages; k++) {
    const struct cairn_stage *stage = scenario->stages + k;
    char end[256];
    cairn_stages_describe(stage, end, sizeof end);
    if (stage->ended >= 0)
      snprintf(end, sizeof end, "t = %.6g s, where it ended", (double)stage->ended * scenario->time_step);
    const double earliest = cairn_stages_earliest(scenario, k);
    if (earliest >= scenario->time_end)
      snprintf(end, sizeof end, "never: the stages before it last %.6g s or more, the run %.6g s", earliest,
               scenario->time_end);
    cairn_report_field(stream, k ? "" : "stages", "%s: %s%s", stage->name,
                       earliest < scenario->time_end ? "until " : "", end);
  }
}

/* What joins bodies at the start, and what comes later. */
static void report_bonds_and_insertions(FILE *stream, const struct cairn_scenario *scenario) {
  int64_t n[2] = {0, 0}, n_inserted = 0;
  for (int32_t e = 0; e < scenario->n_bonds; e++)
    n[scenario->bonds[e].wall >= 0] += scenario->bonds[e].n_made;
  for (int32_t e = 0; e < scenario->n_insertions; e++)
    n_inserted += scenario->insertions[e].count;
  if (scenario->n_bonds > 0)
    cairn_report_field(stream, "bonds", "%lld between bodies, %lld with walls", (long long)n[0], (long long)n[1]);
  if (n_inserted > 0)
    cairn_report_field(stream, "insert", "%lld of these bodies, while the run goes on", (long long)n_inserted);
}

void cairn_report_scenario(FILE *stream, const struct cairn_scenario *scenario,
                           const struct cairn_stretch_survey *bodies, const struct cairn_plan *plan) {
  char radii[64], masses[64];
  range_text(radii, bodies->radius, bodies->n, "m");
  range_text(masses, bodies->mass, bodies->n, "kg");
  cairn_report_field(stream, "title", "%s", scenario->title ? scenario->title : "(none)");
  cairn_report_field(stream, "method", "%s", cairn_method_of(scenario)->title);
  cairn_report_field(stream, "bodies", "%lld, radius %s, mass %s", (long long)bodies->n, radii, masses);
  for (int32_t m = 0; m < scenario->n_materials; m++)
    cairn_report_field(stream, m ? "" : "materials", "%s, %.6g kg/m³, %lld bodies", scenario->materials[m].name,
                       scenario->materials[m].density, (long long)bodies->n_of[m]);
  report_bonds_and_insertions(stream, scenario);
  report_walls(stream, scenario);
  report_assemblies(stream, scenario);
  report_gravity(stream, scenario);
  report_external(stream, scenario);
  report_stages(stream, scenario);
  cairn_report_field(stream, "cells", "%s%lld cell%s (at most %lld bodies each)", plan->n_cells == 1 ? "" : "about ",
                     (long long)plan->n_cells, plan->n_cells == 1 ? "" : "s", (long long)plan->cells_bodies);
  cairn_report_field(stream, "step", "%.6g s, %lld steps to t = %.6g s", plan->step_size, (long long)plan->n_steps,
                     scenario->time_end);
}

void cairn_report_notes(FILE *stream, const struct cairn_engine_info *info) {
  if (info->notes[0])
    cairn_report_field(stream, "note", "%s", info->notes);
}

void cairn_report_engine(FILE *stream, const struct cairn_engine_info *info) {
  cairn_report_field(stream, "workers", "%d CPU, %d OpenCL, %d CUDA; scheduler %s", info->n_cpu_workers,
                     info->n_opencl_workers, info->n_cuda_workers, info->scheduler);
  if (info->binding[0])
    cairn_report_field(stream, "binding", "%s", info->binding);
  cairn_report_field(stream, "environment", "%s",
                     info->environment[0] ? info->environment : "no STARPU_* variable set");
  cairn_report_notes(stream, info);
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

/* "12 of 300 bodies", where it is any. */
static void report_lost(FILE *stream, const char *label, double n, int64_t n_bodies, const char *more) {
  if (n > 0)
    cairn_report_field(stream, label, "%.0f of %lld bodies%s", n, (long long)n_bodies, more);
}

/* Appends ": 10 by tray, 2 by sink"; walls beyond the end of the text are left out. */
static void list_wall(char *text, size_t size, double n, const char *wall) {
  const size_t used = strlen(text);
  if (n > 0)
    snprintf(text + used, size - used, "%s%.0f by %s", used ? ", " : ": ", n, wall);
}

static void report_losses(FILE *stream, const struct cairn_run_summary *summary, const struct cairn_scenario *scenario,
                          const struct cairn_wall_sample *walls) {
  const struct cairn_observables *last = &summary->last;
  char removed[1024] = "", captured[1024] = "";
  for (int32_t w = 0; walls && w < scenario->n_walls; w++) {
    list_wall(removed, sizeof removed, walls[w].n_absorbed, scenario->walls[w].name);
    list_wall(captured, sizeof captured, walls[w].n_held, scenario->walls[w].name);
  }
  report_lost(stream, "removed", last->n_absorbed, summary->n_bodies, removed);
  report_lost(stream, "captured", last->n_held, summary->n_bodies, captured);
  report_lost(stream, "outside", last->n_outside, summary->n_bodies, " beyond the bounds of the world");
}

/* Load-bearing contacts: what methods that solve for impulses report beyond the others. */
static void report_bearing(FILE *stream, const struct cairn_observables *last) {
  cairn_report_field(stream, "", "%.4g per non-rattler, walls counted; %.0f rattler%s; %.3g %% sliding contacts",
                     last->coordination_bearing, last->n_rattlers, last->n_rattlers == 1. ? "" : "s",
                     100 * last->sliding_fraction);
}

static void report_solver(FILE *stream, const struct cairn_observables *last, int64_t n_steps) {
  char restarts[64] = "";
  if (last->solver_restarts > 0)
    snprintf(restarts, sizeof restarts, ", momentum restarted %.0f time%s", last->solver_restarts,
             last->solver_restarts == 1. ? "" : "s");
  cairn_report_field(stream, "solver", "%.0f sweeps to a residual of %.2g in the last step%s", last->solver_sweeps,
                     last->solver_residual, restarts);
  if (last->n_unsolved > 0)
    cairn_report_field(stream, "", "%.0f of %lld steps did not reach solver.tolerance within solver.sweeps",
                       last->n_unsolved, (long long)n_steps);
}

static void report_peak(FILE *stream, const struct cairn_run_summary *summary) {
  char when[CAIRN_FORMAT_LENGTH], since[64] = "";
  if (summary->first_step > 0)
    snprintf(since, sizeof since, " since step %lld", (long long)summary->first_step);
  cairn_report_field(stream, "peak", "kinetic energy%s largest at t = %.6g s (%s): %.4g J, %.4g J per body", since,
                     summary->peak_time, cairn_format_duration(when, summary->peak_time), summary->peak,
                     summary->peak / (double)summary->n_bodies);
}

/* The final aggregate: size, packing fraction, pressure. */
static void report_size(FILE *stream, const struct cairn_observables *last) {
  cairn_report_field(stream, "diameter", "%.4g m, of the enclosing sphere", last->diameter);
  cairn_report_field(stream, "packing",
                     "fraction %.4g in the enclosing sphere, %.4g in the inertia-equivalent ellipsoid",
                     last->packing_fraction, last->packing_fraction_ellipsoid);
  if (isfinite(last->mean_pressure))
    cairn_report_field(stream, "pressure", "%.4g Pa, mean over the enclosing sphere", last->mean_pressure);
}

/* The pressure that self-gravity alone makes. Contact forces in equilibrium with gravity have the virial of the
 * potential energy U, 3 P V = |U|, whatever the shape; a liquid sphere has U = −3/5 G M²/r, so its mean over the volume
 * is 3/5 of its mean over radii, by Sánchez et al. 2021, eq. 23. */
static void report_theory(FILE *stream, const struct cairn_observables *last, double constant) {
  const double r = 0.5 * last->diameter, volume = 4. / 3. * 3.14159265358979323846 * r * r * r;
  const double liquid = constant * last->total_mass * last->total_mass / (3. * r * volume);
  if (!(r > 0. && last->mean_pressure > 0.))
    return;
  cairn_report_field(stream, "", "theory: %.4g Pa for these bodies at rest (virial theorem)",
                     -last->potential_energy / (3. * volume));
  cairn_report_field(
      stream, "", "theory: %.4g Pa for a liquid sphere of this mass and diameter (%.4g Pa if averaged along a radius)",
      0.6 * liquid, liquid);
}

/* Is the aggregate that self-gravity should hold together in one piece and at rest? Packing and pressure mean nothing
 * otherwise; then the fragments are reported instead. */
static int is_settled(FILE *stream, const struct cairn_run_summary *summary, const struct cairn_scenario *scenario) {
  static const double WHOLE = 0.9, STILL = 0.05;
  const struct cairn_cluster_fragments *f = &summary->fragments;
  const double mass = f->largest * summary->last.total_mass;
  const double binding = f->radius > 0. ? 0.6 * scenario->self_constant * mass * mass / f->radius : 0.;
  char unrest[96] = "";
  if (!scenario->self_gravity)
    return 1;
  if (f->largest >= WHOLE && f->unrest <= STILL * binding) {
    if (f->n > 1)
      cairn_report_field(stream, "fragments",
                         "%lld, the largest has %.4g %% of the mass; what follows is of all bodies", (long long)f->n,
                         100. * f->largest);
    return 1;
  }
  if (f->n < summary->n_bodies && f->unrest > STILL * binding)
    snprintf(unrest, sizeof unrest, ", with an internal kinetic energy of %.2g %% of its binding energy",
             100. * f->unrest / binding);
  cairn_report_field(stream, "aggregate", "not at rest: %lld fragment%s, the largest has %.3g %% of the mass%s",
                     (long long)f->n, f->n == 1 ? "" : "s", 100. * f->largest, unrest);
  return 0;
}

/* What hard spheres did; and whether they were few islands, which is exact but serial. */
static void report_collisions(FILE *stream, const struct cairn_observables *last) {
  static const double MANY = 1000.;
  cairn_report_field(stream, "collisions",
                     "%.0f of two bodies, %.0f with walls, %.0f of them slow and elastic; %.4g J lost",
                     last->n_collisions, last->n_wall_collisions, last->n_slow_collisions, last->dissipated_energy);
  if (last->n_merges > 0.)
    cairn_report_field(stream, "", "%.0f times two bodies became one", last->n_merges);
  if (last->n_bodies > MANY && last->largest_island > 0.5 * last->n_bodies)
    cairn_report_field(stream, "",
                       "an island of %.0f bodies was run one event after the other; at the end a drift has "
                       "%.0f windows",
                       last->largest_island, last->n_windows);
}

static void report_bonds(FILE *stream, const struct cairn_observables *last) {
  cairn_report_field(
      stream, "bonds",
      "%.0f hold, %.0f broke; %.0f fragment%s over bonds, the largest has %.3g %% of the mass, the second "
      "%.3g %%",
      last->n_bonds, last->n_broken, last->n_fragments, last->n_fragments == 1. ? "" : "s",
      100. * last->largest_fragment, 100. * last->second_fragment);
}

static void report_aggregate(FILE *stream, const struct cairn_run_summary *summary,
                             const struct cairn_scenario *scenario) {
  const struct cairn_observables *last = &summary->last;
  const bool solves = cairn_method_of(scenario)->solves;
  if (!is_settled(stream, summary, scenario))
    return;
  if (solves)
    report_bearing(stream, last);
  if (solves || scenario->self_gravity)
    report_size(stream, last);
  if (is_isolated(scenario))
    report_theory(stream, last, scenario->self_constant);
}

static void report_overlap(FILE *stream, const struct cairn_run_summary *summary,
                           const struct cairn_scenario *scenario) {
  char advice[256], worst[CAIRN_NUMBER_LENGTH], limit[CAIRN_NUMBER_LENGTH];
  cairn_report_field(stream, "overlap", "largest %.3g %% of the smaller radius at the end",
                     100 * summary->last.max_overlap);
  if (!summary->n_overlap_warnings)
    return;
  cairn_number_apart(100 * summary->worst_overlap, 100 * scenario->overlap_limit, 3, worst, limit);
  cairn_method_of(scenario)->advise_overlap(scenario, summary->worst_overlap, summary->recommended_step, advice,
                                            sizeof advice);
  cairn_report_field(stream, "", "above the limit of %s %% in %lld steps, up to %s %%: %s", limit,
                     (long long)summary->n_overlap_warnings, worst, advice);
}

static void report_file(FILE *stream, int *any, const char *path, const char *what, const char *opened_by) {
  if (!path[0])
    return;
  cairn_report_field(stream, *any ? "" : "files", "%s: %s; %s", path, what, opened_by);
  *any = 1;
}

void cairn_report_summary(FILE *stream, const struct cairn_run_summary *summary, const struct cairn_scenario *scenario,
                          const struct cairn_wall_sample *walls) {
  char speed[CAIRN_FORMAT_LENGTH], elapsed[CAIRN_FORMAT_LENGTH], what[64];
  const struct cairn_observables *last = &summary->last;
  const bool solves = cairn_method_of(scenario)->solves;
  cairn_report_field(stream, "simulated", "%lld bodies from step %lld to step %lld, %.6g s each, to t = %.6g s",
                     (long long)summary->n_bodies, (long long)summary->first_step, (long long)summary->last_step,
                     summary->step_size, summary->time);
  report_energies(stream, &summary->first, last);
  if (summary->energy_gain > 0.)
    cairn_report_field(
        stream, "energy gain",
        "numerical, up to %.2g %% of kinetic and elastic energy, at t = %.6g s: do not trust the results",
        100. * summary->energy_gain, summary->energy_gain_time);
  if (scenario->self_gravity)
    report_peak(stream, summary);
  cairn_report_field(
      stream, "contacts",
      "%.0f between bodies, %.0f with walls; coordination number %.4g (contacts with other bodies per body)",
      last->n_contacts, last->n_wall_contacts, last->coordination);
  if (scenario->n_bonds > 0)
    report_bonds(stream, last);
  report_aggregate(stream, summary, scenario);
  if (scenario->self_gravity)
    cairn_report_field(stream, "self-gravity", "evaluated %.0f times in %lld steps, %.1f %% of the run time",
                       last->n_refreshes, (long long)summary->last_step,
                       summary->elapsed > 0. ? 100. * summary->gravity_seconds / summary->elapsed : 0.);
  if (solves)
    report_solver(stream, last, summary->last_step);
  if (cairn_method_of(scenario)->collides)
    report_collisions(stream, last);
  report_losses(stream, summary, scenario, walls);
  report_overlap(stream, summary, scenario);
  cairn_report_field(stream, "speed", "%s body-steps/s, %s, %lld cell%s, regridded %lld times",
                     cairn_format_count(speed, summary->body_steps_per_second),
                     cairn_format_duration(elapsed, summary->elapsed), (long long)summary->n_cells,
                     summary->n_cells == 1 ? "" : "s", (long long)summary->n_regrids);
  if (cairn_ranks_n() > 1 && scenario->self_gravity)
    cairn_report_field(stream, "gravity",
                       "a rank has at most %.1f %% of the bodies at an evaluation, and gets at most %.3g MB",
                       100. * summary->gravity_share, 1e-6 * summary->gravity_received);
  if (cairn_ranks_n() > 1)
    cairn_report_field(stream, "load",
                       "the busiest of %d ranks has %.1f %% more to do than the mean (%.1f %% with the first cells)",
                       cairn_ranks_n(), 100. * summary->imbalance, 100. * summary->first_imbalance);
  int any = 0;
  snprintf(what, sizeof what, "%lld frames", (long long)summary->n_frames);
  report_file(stream, &any, summary->trajectory, what, "open in OVITO, VMD or xarray");
  snprintf(what, sizeof what, "%lld rows of diagnostics", (long long)summary->n_rows);
  report_file(stream, &any, summary->series, what, "open in xarray or ncdump");
  report_file(stream, &any, summary->contacts, "contacts of each frame with their forces", "open in xarray");
  report_file(stream, &any, summary->breaks, "bonds that broke", "open in xarray");
  report_file(stream, &any, summary->checkpoint, "complete state", "continue with cairn resume");
}
