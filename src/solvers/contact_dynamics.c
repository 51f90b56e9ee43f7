/* Contact dynamics: rigid spheres with unilateral contacts and Coulomb friction, integrated by the θ-method; the
 * impulses of a step are the solution of a nonsmooth problem, by Gauss–Seidel sweeps over all contacts (Moreau; Jean;
 * Sánchez et al. 2021, section 2; docs/physics.md).
 *
 * One step, each line a task per cell unless it says otherwise:
 *   capture          bodies at sticky and absorbing walls are captured and removed from now on
 *   gather           the neighbours' bodies, at the detection point (1 - θ) h
 *   release          free assemblies, once: their velocities without contact impulses
 *   begin            detect contacts there; velocities of the bodies without contact impulses
 *   warm start       apply the impulses of the step before
 *   until the residual is below the tolerance:
 *     extrapolate    velocities by momentum, before the first of some sweeps
 *     sweep          some times: solve one contact after the other, colour by colour, and extrapolate
 *     residual       which decides on the momentum of the next sweeps
 *   captured loads   what acts on captured bodies
 *   walls            once: the walls at the end of the step
 *   end              move on by θ h with the new velocities
 * Small systems do the loop in one task (solve), which idle workers assist, unless there are several ranks. Cells are
 * slices along one axis, or columns. A contact belongs to the lower of its two cells, so a sweep changes bodies of its
 * cell and of the neighbours above: cells of one colour sweep at the same time, and the access modes order the colours.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/contact_dynamics/cd_control.h"
#include "solvers/contact_dynamics.h"
#include "solvers/simulation/world.h"
#include "solvers/start/speed.h"
#include "solvers/start/stretch.h"
#include "tasks/ranks/links.h"
#include "tasks/ranks/loans.h"
#include "tasks/ranks/ranks.h"

static struct cairn_law_coulomb law_of(const struct cairn_interaction *i) {
  return (struct cairn_law_coulomb){
      .restitution = i->restitution,
      .rebound = i->tangential_rebound,
      .friction = i->friction,
      .rolling = i->rolling_length > 0. ? i->rolling_length : i->rolling_friction,
      .twisting = i->twisting_length > 0. ? i->twisting_length : i->twisting_friction,
      .cohesion = i->cohesion,
      .range = i->cohesion_energy > 0. ? i->cohesion_energy / i->cohesion : i->cohesion_range,
      .bonds = i->cohesion_energy > 0. ? 1. : 0.,
      .lengths = (i->rolling_length > 0. ? CAIRN_CD_ROLLING_LENGTH : 0) +
                 (i->twisting_length > 0. ? CAIRN_CD_TWISTING_LENGTH : 0),
  };
}

/* Largest range of any cohesion, m. */
static double longest_range(const struct cairn_scenario *s) {
  double most = 0.;
  for (int32_t k = 0; k < s->n_materials * s->n_materials; k++)
    if (s->interaction_entry[k] >= 0 && s->interactions[k].cohesion > 0.)
      most = fmax(most, law_of(s->interactions + k).range);
  return most;
}

static bool put_law(const struct cairn_scenario *s, int32_t a, int32_t b, bool frictionless,
                    double law[CAIRN_LAW_DOUBLES]) {
  struct cairn_law_coulomb this = law_of(s->interactions + a * s->n_materials + b);
  _Static_assert(sizeof this <= CAIRN_LAW_DOUBLES * sizeof(double), "a law is as long as the world thinks");
  memset(law, 0, CAIRN_LAW_DOUBLES * sizeof *law);
  if (frictionless)
    this.friction = this.rolling = this.twisting = 0.;
  memcpy(law, &this, sizeof this);
  return this.rolling > 0. || this.twisting > 0.;
}

static int constants(const struct cairn_scenario *s, struct cairn_task_world *world, int32_t *law, int32_t *wall_law,
                     double **block, size_t *n_doubles, struct cairn_error *error) {
  world->cd.step = (struct cairn_cd_step){.h = s->time_step,
                                          .theta = s->solver_theta,
                                          .range = longest_range(s),
                                          .touching = s->solver_touching,
                                          .solver = (int32_t)s->solver,
                                          .tolerance = s->solver_tolerance,
                                          .most_sweeps = s->solver_sweeps};
  world->detection_point = 1. - s->solver_theta;
  world->cd.range = world->cd.range;
  return cairn_world_make(s, put_law, world, law, wall_law, block, n_doubles, error);
}

/* Has any body a cohesion energy with this wall? */
static bool has_bonds(const struct cairn_scenario *s, const struct cairn_wall *wall) {
  bool found = false;
  cairn_stretch_take(s, &found, sizeof found);
  for (int64_t i = 0; i < s->initial.n && !found; i++)
    found = s->interactions[(int64_t)s->initial.material[i] * s->n_materials + wall->material].cohesion_energy > 0.;
  cairn_stretch_pass(s, &found, sizeof found);
  return found;
}

/* Cohesion with a binding energy does not know free assemblies: refused. */
static int refuse_walls(const struct cairn_scenario *s, struct cairn_error *error) {
  for (int32_t w = 0; w < s->n_walls; w++)
    if (s->assemblies[s->walls[w].assembly].rules.kind == CAIRN_ASSEMBLY_FREE && has_bonds(s, s->walls + w))
      return cairn_error_set(error, CAIRN_ERR_INPUT,
                             "%s: the material of the wall %.80s has a cohesion_energy with bodies, but its assembly "
                             "is free; allowed there: cohesion_range",
                             s->file, s->walls[w].name);
  return 0;
}

/* In a step no pair approaches by more than a tenth of the smallest radius and no body moves by more than half of it: a
 * displacement of a radius counts as an error. A common velocity matters only to the latter. */
static double recommended_step(const struct cairn_scenario *s, double impact, double start) {
  double radius = INFINITY;
  cairn_stretch_take(s, &radius, sizeof radius);
  for (int64_t i = 0; i < s->initial.n; i++)
    radius = fmin(radius, s->initial.radius[i]);
  cairn_stretch_pass(s, &radius, sizeof radius);
  if (impact == 0. && start == 0.)
    return s->time_end / 100.;
  return fmin(fmin(0.1 * radius / impact, 0.5 * radius / fmax(impact, start)), s->time_end);
}

static bool has_rotation_friction(const struct cairn_scenario *s) {
  bool found = false;
  for (int32_t k = 0; k < s->n_materials * s->n_materials && !found; k++) {
    const struct cairn_law_coulomb law = law_of(s->interactions + k);
    found = s->interaction_entry[k] >= 0 && (law.rolling > 0. || law.twisting > 0.);
  }
  return found;
}

/* The kernels find the impulse in the first three columns of the history, the torque impulse behind it, and the rest
 * gap in the last one. */
static uint32_t memory(const struct cairn_scenario *s) {
  return CAIRN_CONTACT_REMEMBERS(impulse) | CAIRN_CONTACT_REMEMBERS(rest) |
         (has_rotation_friction(s) ? CAIRN_CONTACT_REMEMBERS(torque) : 0);
}

static size_t velocities_bytes(const struct cairn_cell *cell) {
  return cairn_cd_velocities(cell->size) * sizeof(double);
}

static size_t groups_bytes(const struct cairn_cell *cell) { return cairn_cd_offsets(cell->size).end; }

static size_t free_contacts_bytes(const struct cairn_cell *cell) {
  return cell->n_free_contacts > 0 ? cairn_cd_free_walls_bytes(cell->n_free_contacts) : 0;
}

static const struct cairn_cell_block blocks[] = {{CAIRN_CELL_BLOCK_velocities, velocities_bytes, NULL},
                                                 {CAIRN_CELL_BLOCK_groups, groups_bytes, NULL},
                                                 {CAIRN_CELL_BLOCK_free_contacts, free_contacts_bytes, NULL}};

static int plan(struct cairn_scenario *s, struct cairn_plan *plan, struct cairn_error *error) {
  const struct cairn_speed speed = cairn_speed_expect(s);
  const int status = refuse_walls(s, error);
  if (status)
    return status;
  plan->max_speed = cairn_speed_impact(s, &speed, speed.relative);
  plan->recommended_step = recommended_step(s, plan->max_speed, speed.start);
  if (s->time_step == 0.)
    s->time_step = plan->recommended_step;
  plan->step_size = s->time_step;
  return 0;
}

typedef int submit_contacts(struct cairn_cells *cells, cairn_cell_t c, struct cairn_task_momentum momentum);

/* A task over the contacts of each cell, colour by colour, each followed by that over its contacts with free walls. On
 * several ranks bodies of other ranks are borrowed before and returned after each colour. */
static int submit_by_color(struct cairn_cells *cells, const struct cairn_task_world *world, submit_contacts *submit,
                           enum cairn_task_free_walls what, struct cairn_task_momentum momentum) {
  const bool changes = what != CAIRN_TASK_FREE_WALLS_RESIDUAL;
  const bool pushes = what == CAIRN_TASK_FREE_WALLS_WARM_START || what == CAIRN_TASK_FREE_WALLS_SWEEP;
  const starpu_data_handle_t assemblies = world->walls.free_assemblies_handle;
  for (int32_t color = 0; color < cells->n_colors; color++) {
    if (cairn_loans_lend_submit(cells, color) || (pushes && cairn_loans_take_turn(cells, color, assemblies)))
      return -1;
    for (cairn_cell_t c = 0; c < cells->n_cells; c++)
      if (cells->cell[c].color == color &&
          (submit(cells, c, momentum) || cairn_task_cd_free_walls_submit(cells->cell + c, world, what, momentum.beta)))
        return -1;
    if ((pushes && cairn_loans_pass_turn(cells, color, assemblies)) ||
        (changes && cairn_loans_return_submit(cells, color, momentum.next)))
      return -1;
  }
  return pushes ? cairn_loans_tell_all(cells, assemblies) : 0;
}

static const struct cairn_task_momentum none = {0., -1.};

static int detect(struct cairn_cells *cells, const struct cairn_task_world *world) {
  for (cairn_cell_t c = 0; c < cells->n_cells && world->walls.captures; c++)
    if (cairn_task_cd_capture_submit(cells->cell + c, world))
      return -1;
  if (cairn_task_gather_all_submit(cells, (1. - world->cd.step.theta) * world->h) ||
      cairn_task_cd_release_submit(world))
    return -1;
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    if (cairn_task_cd_begin_submit(cells->cell + c, world) ||
        cairn_task_cd_free_walls_submit(cells->cell + c, world, CAIRN_TASK_FREE_WALLS_BEGIN, 0.))
      return -1;
  return 0;
}

static starpu_data_handle_t measure_of(const void *cells, int32_t c) {
  return ((const struct cairn_cell *)cells)[c].handles->measure;
}

/* Relative residual over all contacts, and their number: sums in the order of the cells of all ranks. All workers wait
 * for it, so the driver waits for the cells at once. */
static int residual_of(struct cairn_cells *cells, struct cairn_cd_outcome *outcome) {
  const cairn_cell_t n = cells->links ? cells->links->first[cairn_ranks_n()] : cells->n_cells;
  struct cairn_cd_measure *all = malloc((size_t)n * sizeof *all + 1), sum = {0., 0., 0.};
  if (!all)
    return -1;
  cairn_task_wait(cells->n_cells, measure_of, cells->cell);
  for (cairn_cell_t c = 0; c < cells->n_cells; c++) {
    const bool is_away = cells->cell[c].size.cd.colored; /* on a device, perhaps */
    if (is_away)
      starpu_data_acquire(cells->cell[c].handles->measure, STARPU_R);
    all[cells->first + c] = cells->cell[c].measure;
    if (is_away)
      starpu_data_release(cells->cell[c].handles->measure);
  }
  if (cells->links)
    cairn_ranks_share((double *)all, cells->links->first, sizeof *all / sizeof(double));
  for (cairn_cell_t c = 0; c < n; c++) {
    const struct cairn_cd_measure *one = all + (cells->links ? cells->links->place[c] : c);
    sum.scale += one->scale;
    sum.residual += one->residual;
    sum.contacts += one->contacts;
  }
  free(all);
  outcome->contacts = sum.contacts;
  outcome->residual = sum.residual == 0. ? 0. : sqrt(sum.residual / sum.scale);
  return 0;
}

static int extrapolate(struct cairn_cells *cells, const struct cairn_task_world *world, double beta) {
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    if (cairn_task_cd_extrapolate_submit(cells->cell + c, beta))
      return -1;
  return cairn_task_cd_free_assemblies_submit(world, beta);
}

/* Sweeps up to the next residual. Their momentum is known, so that a cell may be sweeps ahead of another one; the
 * sweep that is last over the bodies of a cell extrapolates them, unless contacts with free walls follow it. */
static int sweeps(struct cairn_cells *cells, const struct cairn_task_world *world, int64_t n,
                  struct cairn_cd_control *control) {
  double beta = cairn_cd_control_momentum(control);
  const bool fused = !world->walls.has_free_assemblies;
  for (int64_t k = 0; k < n; k++) {
    const double next = k + 1 < n ? cairn_cd_control_momentum(control) : -1.;
    if ((k == 0 || !fused) && extrapolate(cells, world, beta))
      return -1;
    if (submit_by_color(cells, world, cairn_task_cd_sweep_submit, CAIRN_TASK_FREE_WALLS_SWEEP,
                        (struct cairn_task_momentum){beta, fused ? next : -1.}))
      return -1;
    beta = next;
  }
  return submit_by_color(cells, world, cairn_task_cd_residual_submit, CAIRN_TASK_FREE_WALLS_RESIDUAL, none);
}

static int solve(struct cairn_cells *cells, const struct cairn_task_world *world) {
  struct cairn_cd_outcome *outcome = world->cd.outcome;
  struct cairn_cd_control control = cairn_cd_control_start(world->cd.step.solver, &outcome->tuning);
  outcome->sweeps = 0;
  if (submit_by_color(cells, world, cairn_task_cd_warm_start_submit, CAIRN_TASK_FREE_WALLS_WARM_START, none))
    return -1;
  do {
    const int64_t n = cairn_cd_control_sweeps(outcome->sweeps, world->cd.step.most_sweeps);
    if (sweeps(cells, world, n, &control) || residual_of(cells, outcome))
      return -1;
    outcome->sweeps += n;
    cairn_cd_control_residual(&control, outcome->residual);
  } while (outcome->residual > world->cd.step.tolerance && outcome->sweeps < world->cd.step.most_sweeps);
  cairn_cd_outcome_end(outcome, &world->cd.step, &control);
  return 0;
}

/* Are its sweeps too short for tasks of their own? Devices, free walls and ranks know tasks alone. */
static bool is_small(const struct cairn_cells *cells, const struct cairn_task_world *world) {
  return cells->n_cells > 0 && cells->n <= CAIRN_CONTACT_DYNAMICS_SMALL && !world->walls.has_free_assemblies &&
         !cells->cell->size.cd.colored && !cells->links;
}

static int submit(struct cairn_cells *cells, const struct cairn_task_world *world, int32_t n_steps) {
  if (n_steps != 1 || detect(cells, world) ||
      (is_small(cells, world) ? cairn_task_cd_solve_submit(cells, world) : solve(cells, world)))
    return -1;
  if (world->walls.captures &&
      submit_by_color(cells, world, cairn_task_cd_captured_loads_submit, CAIRN_TASK_FREE_WALLS_CAPTURED_LOADS, none))
    return -1;
  if (world->walls.moving && cairn_task_cd_walls_submit(world))
    return -1;
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    if (cairn_task_cd_end_submit(cells->cell + c, world) ||
        cairn_task_cd_free_walls_submit(cells->cell + c, world, CAIRN_TASK_FREE_WALLS_END, 0.))
      return -1;
  return 0;
}

const struct cairn_method_table cairn_method_contact_dynamics = {
    .name = "contact_dynamics",
    .title = "contact dynamics",
    .description = "Rigid spheres with Coulomb friction, impulses by Gauss–Seidel sweeps over all contacts.",
    .plan = plan,
    .advise_overlap = cairn_contact_dynamics_advise_overlap,
    .advise_step = cairn_contact_dynamics_advise_step,
    .describe_pair = cairn_contact_dynamics_describe_pair,
    .body_bytes = 1960.,
    .dense_step = cairn_contact_dynamics_dense_step,
    .memory = memory,
    .partition = CAIRN_CELLS_SLICES,
    .by_reference = true,
    .own_pairs = true,
    .blocks = blocks,
    .n_blocks = sizeof blocks / sizeof *blocks,
    .cell_bodies = cairn_contact_dynamics_cell_bodies,
    .constants = constants,
    .start = cairn_contact_dynamics_start,
    .advance = cairn_contact_dynamics_advance,
    .submit = submit,
    .skin = cairn_contact_dynamics_skin,
    .reach = cairn_contact_dynamics_reach,
    .partitioned = cairn_contact_dynamics_partitioned,
    .solves = true,
};
