/* Hard spheres: instantaneous collisions, predicted and resolved in their exact order (Richardson et al. 2011;
 * docs/physics.md, docs/decisions/0013).
 *
 * One step is kick–drift–kick with the collisions inside the drift, for every cell:
 *   gather       the neighbours' bodies that may be met, at the start of the drift
 *   hard_begin   kick half a step; predict who meets whom; run the events of the cell in their order
 *   hard_join    once: run again, in one queue, the islands that reach across cells; with other ranks those that reach
 *                across ranks
 *                these two for each window of the drift, in which islands stay small
 *   hard_end     to the end of the drift; kick half a step
 * and once, if walls move:
 *   move_walls   the walls to the coming step */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/common/vec3.h"
#include "solvers/hard_spheres.h"
#include "solvers/simulation/world.h"
#include "solvers/soft_spheres.h"
#include "solvers/start/speed.h"
#include "solvers/start/stretch.h"

/* What the step is chosen from. */
struct gas {
  double radius;    /* m, smallest */
  double frequency; /* 1/s, collisions of a body, if all bodies were a gas in the box around them */
};

/* Enskog's collision frequency 4 √π n d² χ √T of equal spheres, with √T from a typical speed and χ of Carnahan and
 * Starling. Bodies that touch each other are no gas: the filling is cut off where spheres jam. */
static struct gas gas_of(const struct cairn_scenario *s, double speed) {
  struct {
    double radius, lower[3], upper[3], cubes, mean;
  } all = {INFINITY, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0., 0.};
  const double n = (double)cairn_scenario_n_bodies(s);
  cairn_stretch_take(s, &all, sizeof all);
  for (int64_t i = 0; i < s->initial.n; i++) {
    const double r = s->initial.radius[i];
    all.radius = fmin(all.radius, r);
    all.cubes += r * r * r;
    all.mean += r / n;
    for (int k = 0; k < 3; k++) {
      all.lower[k] = fmin(all.lower[k], s->initial.position[3 * i + k] - r);
      all.upper[k] = fmax(all.upper[k], s->initial.position[3 * i + k] + r);
    }
  }
  cairn_stretch_pass(s, &all, sizeof all);
  struct gas gas = {.radius = all.radius};
  const double mean = all.mean, *lower = all.lower, *upper = all.upper,
               volume = (upper[0] - lower[0]) * (upper[1] - lower[1]) * (upper[2] - lower[2]);
  const double pi = 3.14159265358979323846, filling = fmin(4. / 3. * pi * all.cubes / volume, 0.5);
  const double chi = (1. - 0.5 * filling) / ((1. - filling) * (1. - filling) * (1. - filling));
  gas.frequency = 16. * sqrt(pi) * n / volume * mean * mean * chi * speed / sqrt(3.);
  return gas;
}

/* The root mean square speed about the mean, m/s; what bodies fall with if they start at rest. */
static double typical_speed(const struct cairn_scenario *s, double most) {
  const double n = (double)cairn_scenario_n_bodies(s);
  struct {
    double sum, mean[3];
  } all = {0., {0., 0., 0.}};
  cairn_stretch_take(s, &all, sizeof all);
  for (int64_t i = 0; i < 3 * s->initial.n; i++) {
    all.sum += s->initial.velocity[i] * s->initial.velocity[i];
    all.mean[i % 3] += s->initial.velocity[i] / n;
  }
  cairn_stretch_pass(s, &all, sizeof all);
  const double square = all.sum / n - cairn_vec3_dot(all.mean, all.mean);
  return square > 1e-12 * most * most ? sqrt(square) : 0.5 * most;
}

/* In a step the fastest body moves by the smallest radius, and a body has 0.45 collisions: islands stay
 * small. */
static double recommended_step(const struct cairn_scenario *s, double speed) {
  const struct gas gas = gas_of(s, typical_speed(s, speed));
  const double crossing = speed > 0. ? gas.radius / speed : INFINITY,
               meeting = cairn_scenario_n_bodies(s) > 1 && gas.frequency > 0. ? 0.45 / gas.frequency : INFINITY;
  const double step = fmin(crossing, meeting);
  return isinf(step) ? s->time_end / 100. : fmin(step, s->time_end);
}

/* Walls of free assemblies would be pushed by impulses: refused. */
static int refuse(const struct cairn_scenario *s, double speed, struct cairn_error *error) {
  double radius = 0.;
  for (int32_t a = 0; a < s->n_assemblies; a++)
    if (s->assemblies[a].rules.kind == CAIRN_ASSEMBLY_FREE)
      return cairn_error_set(error, CAIRN_ERR_INPUT,
                             "%s: the assembly %.80s is free; allowed with `method: hard_spheres`: walls at rest or "
                             "with a prescribed motion",
                             s->file, s->assemblies[a].name);
  cairn_stretch_take(s, &radius, sizeof radius);
  for (int64_t i = 0; i < s->initial.n; i++)
    radius = fmax(radius, s->initial.radius[i]);
  cairn_stretch_pass(s, &radius, sizeof radius);
  if (cairn_scenario_n_bodies(s) > 1 && speed * s->time_step > 50. * radius)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "%s: time.step: found %g s, in which the fastest body, at %.3g m/s, moves by %.3g of the "
                           "largest radius, and everything may meet everything; allowed with `method: hard_spheres`: "
                           "up to 50, that is %.3g s",
                           s->file, s->time_step, speed, speed * s->time_step / radius, 50. * radius / speed);
  return 0;
}

static int plan(struct cairn_scenario *s, struct cairn_plan *plan, struct cairn_error *error) {
  const struct cairn_speed speed = cairn_speed_expect(s);
  plan->max_speed = fmax(cairn_speed_impact(s, &speed, speed.start), speed.start);
  plan->stable_step = plan->packed_step = INFINITY;
  plan->recommended_step = recommended_step(s, plan->max_speed);
  if (s->time_step == 0.)
    s->time_step = plan->recommended_step;
  plan->step_size = s->time_step;
  const int status = refuse(s, plan->max_speed, error);
  if (status || s->collisions_elastic_below >= 0.)
    return status;
  s->collisions_elastic_below = fmax(2. * cairn_vec3_length(s->gravity) * s->time_step, 1e-6 * plan->max_speed);
  return cairn_scenario_resolve(s, "collisions.elastic_below", s->collisions_elastic_below, error);
}

static bool put_law(const struct cairn_scenario *s, int32_t a, int32_t b, bool frictionless,
                    double law[CAIRN_LAW_DOUBLES]) {
  const struct cairn_interaction *i = s->interactions + a * s->n_materials + b;
  const struct cairn_collide_law this = {.normal = i->restitution,
                                         .tangential = frictionless ? 1. : i->transverse_restitution,
                                         .speed = i->restitution_speed,
                                         .exponent = i->restitution_exponent};
  _Static_assert(sizeof this <= CAIRN_LAW_DOUBLES * sizeof(double), "a law is as long as the world thinks");
  memset(law, 0, CAIRN_LAW_DOUBLES * sizeof *law);
  memcpy(law, &this, sizeof this);
  return false;
}

static int constants(const struct cairn_scenario *s, struct cairn_task_world *world, int32_t *law, int32_t *wall_law,
                     double **block, size_t *n_doubles, struct cairn_error *error) {
  world->detection_point = 1.;
  world->hard.slow = s->collisions_elastic_below;
  world->hard.merge = s->collisions_merge;
  return cairn_world_make(s, put_law, world, law, wall_law, block, n_doubles, error);
}

static int submit_window(struct cairn_cells *cells, const struct cairn_task_world *world, int32_t step,
                         int32_t window) {
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    if (cairn_task_hard_begin_submit(cells->cell + c, world, step, window))
      return -1;
  return cells->n_cells > 1 || cells->links ? cairn_task_hard_join_submit(cells, world, step, window) : 0;
}

static int submit(struct cairn_cells *cells, const struct cairn_task_world *world, int32_t n_steps) {
  if (cairn_task_advance_is_alone(cells, world))
    return cairn_task_hard_alone_submit(cells->cell, world, n_steps);
  for (int32_t step = 0; step < n_steps; step++) {
    if (cairn_task_gather_kicked_submit(cells, world->h))
      return -1;
    for (int32_t window = 0; window < world->hard.n_windows; window++)
      if (submit_window(cells, world, step, window))
        return -1;
    for (cairn_cell_t c = 0; c < cells->n_cells; c++)
      if (cairn_task_hard_end_submit(cells->cell + c, world, step))
        return -1;
    if (world->walls.moving && cairn_task_move_walls_submit(world, step))
      return -1;
  }
  return 0;
}

static void advise_overlap(const struct cairn_scenario *s, double overlap, double recommended, char *text,
                           size_t size) {
  (void)s, (void)overlap, (void)recommended; /* only bodies that overlap at the start, or rounding */
  snprintf(text, size, "bodies that overlapped at the start; overlap.initial refuses them");
}

static void advise_step(const struct cairn_plan *plan, char *text, size_t size) {
  (void)plan;
  snprintf(text, size, "many bodies meet in one step and form large islands, which is exact but slow");
}

static void describe_pair(const struct cairn_scenario *s, const struct cairn_interaction *pair, char *text,
                          size_t size) {
  char law[96] = "";
  (void)s;
  if (pair->restitution_speed > 0.)
    snprintf(law, sizeof law, " at %.4g m/s, falling with the power %.4g", pair->restitution_speed,
             pair->restitution_exponent);
  snprintf(text, size, "restitution %.4g%s, transverse restitution %.4g", pair->restitution, law,
           pair->transverse_restitution);
}

/* s per body and step of a dense pile (docs/performance.md). */
static double dense_step(double sweeps) {
  (void)sweeps;
  return 400e-9;
}

/* A collision is over at once: nothing is remembered. */
static uint32_t memory(const struct cairn_scenario *s) {
  (void)s;
  return 0;
}

static size_t hard_bytes(const struct cairn_cell *cell) { return cairn_drift_offsets(cell->size).end; }

/* Where the halo bodies live, for events across cells. */
static void hard_init(struct cairn_cell *cell) {
  struct cairn_hard_ref *owner = (struct cairn_hard_ref *)((char *)cell->hard + cairn_drift_offsets(cell->size).owner);
  for (int32_t i = 0; i < cell->size.n_halo; i++)
    owner[i] = (struct cairn_hard_ref){cell->neighbor[cell->halo[i].neighbor], cell->halo[i].index};
}

static const struct cairn_cell_block blocks[] = {{CAIRN_CELL_BLOCK_hard, hard_bytes, hard_init}};

const struct cairn_method_table cairn_method_hard_spheres = {
    .name = "hard_spheres",
    .title = "hard spheres",
    .description = "Rigid spheres with instantaneous collisions in exact order, for dilute systems.",
    .plan = plan,
    .advise_overlap = advise_overlap,
    .advise_step = advise_step,
    .describe_pair = describe_pair,
    .body_bytes = 1200.,
    .dense_step = dense_step,
    .memory = memory,
    .partition = CAIRN_CELLS_OCTREE,
    .pairs_by_body = true,
    .near = 40.,
    .blocks = blocks,
    .n_blocks = sizeof blocks / sizeof *blocks,
    .cell_bodies = cairn_hard_spheres_cell_bodies,
    .constants = constants,
    .start = cairn_soft_spheres_start,
    .advance = cairn_hard_spheres_advance,
    .submit = submit,
    .skin = cairn_hard_spheres_skin,
    .reach = cairn_soft_spheres_reach,
    .partitioned = cairn_hard_spheres_partitioned,
    .accelerated = cairn_soft_spheres_accelerated,
    .collides = true,
};
