/* Soft spheres: overlapping spheres with contact forces (Schwartz 2013, chapter 2; docs/physics.md).
 *
 * One step, for every cell:
 *   gather      predicted kinematics of the neighbours' bodies that may touch, at the coming step
 *   advance     kick half a step, drift, forces of all contacts, kick half a step
 * and once, if walls move:
 *   move_walls  the walls to the coming step, free assemblies by the forces on them
 * A cell may run ahead of others as far as its neighbours' data allow; no barrier stands between steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/scenario/cohesion.h"
#include "data/scenario/contact_laws.h"
#include "kernels/common/vec3.h"
#include "solvers/simulation/world.h"
#include "solvers/soft_spheres.h"
#include "solvers/start/bonding.h"
#include "solvers/start/load.h"
#include "solvers/start/speed.h"
#include "solvers/start/stretch.h"

static const struct cairn_law *law_of(const struct cairn_scenario *s) { return cairn_laws_table + s->law; }

/* Extremes of the initial bodies, from which step and stiffness are chosen. */
struct extremes {
  double lightest[CAIRN_SCENARIO_MOST_MATERIALS];  /* kg, by material; infinity where there is no body */
  double slightest[CAIRN_SCENARIO_MOST_MATERIALS]; /* m, by material: the radius of that body */
  double count[CAIRN_SCENARIO_MOST_MATERIALS];     /* bodies, by material */
  double compact;                                  /* kg/m², largest m/r² of a body */
  double pressed;                                  /* kg/m², largest ρ r of a body */
  double radius;                                   /* m, smallest */
  double largest;                                  /* m, largest */
  double height, speed;                            /* m, largest height of fall; m/s, largest speed */
};

static int measure(const struct cairn_scenario *s, struct extremes *e, struct cairn_error *error) {
  *e = (struct extremes){.radius = INFINITY};
  struct cairn_speed speed = cairn_speed_expect(s);
  for (int32_t m = 0; m < s->n_materials; m++) {
    e->lightest[m] = INFINITY;
    e->count[m] = 0.;
  }
  cairn_stretch_take(s, e, sizeof *e);
  for (int64_t i = 0; i < s->initial.n; i++) {
    const double r = s->initial.radius[i], mass = s->initial.mass[i];
    const int32_t m = s->initial.material[i];
    e->count[m] += 1.;
    if (mass < e->lightest[m]) {
      e->lightest[m] = mass;
      e->slightest[m] = r;
    }
    e->compact = fmax(e->compact, mass / (r * r));
    e->pressed = fmax(e->pressed, s->materials[m].density * r);
    e->radius = fmin(e->radius, r);
    e->largest = fmax(e->largest, r);
  }
  cairn_stretch_pass(s, e, sizeof *e);
  e->height = speed.height;
  const int status = speed.height > 0. ? cairn_speed_fall(s, &speed, &speed.height, error) : 0;
  e->speed = cairn_speed_impact(s, &speed, speed.start);
  return status;
}

/* k_n such that no pair that attraction draws together overlaps by more than the limit: half k_n x² is the work of the
 * attraction up to the overlap x. The smallest radius is the worst case. */
static double cohesive_stiffness(const struct cairn_scenario *s, const struct extremes *e) {
  const double x = s->overlap_limit * e->radius;
  double most = 0.;
  for (int32_t k = 0; k < s->n_materials * s->n_materials; k++) {
    const struct cairn_attraction attraction = cairn_cohesion_attraction(s->interactions + k);
    if (s->interaction_entry[k] >= 0 && e->radius < INFINITY)
      most = fmax(most, -2. * cairn_attraction_energy(&attraction, -x, e->radius) / (x * x));
  }
  return most;
}

/* k_n such that neither the fastest impact nor the weight of the pile, with the walls that press on it, overlaps by
 * more than the limit (eqs. 2.4, 2.5: a pressure p takes k_n = p r over the limit). A pair's reduced mass is at most
 * the mass of its smaller body, whose radius sets the limit of the overlap. */
static double recommended_stiffness(const struct cairn_scenario *s, const struct extremes *e) {
  const double impact = e->compact * (e->speed / s->overlap_limit) * (e->speed / s->overlap_limit);
  const double g = cairn_vec3_length(s->gravity) + cairn_load_shaking(s);
  const double weight = 0.65 * e->pressed * g * e->height / s->overlap_limit;
  const double load = weight + e->largest * cairn_load_pressure(s) / s->overlap_limit;
  return fmax(fmax(impact, load), cohesive_stiffness(s, e));
}

/* Put the numbers in place of the `auto`s of one interaction, in the table and in the effective parameters. */
static int resolve_interaction(struct cairn_scenario *s, int32_t k, double recommended, struct cairn_error *error) {
  const struct cairn_law *law = law_of(s);
  struct cairn_interaction *i = s->interactions + k;
  int status = 0;
  law->resolve(i->law, recommended);
  for (int n = 0; n < law->n_pair_keys && !status; n++) {
    char path[128];
    if (!(law->pair_keys[n].flags & CAIRN_LAW_OR_AUTO))
      continue;
    if (i->law[n] == 0.)
      return cairn_error_set(error, CAIRN_ERR_INPUT,
                             "%s: interactions.%d.%s: found auto, but nothing moves and there is no gravity to "
                             "choose it from; allowed: a number greater than 0",
                             s->file, s->interaction_entry[k], law->pair_keys[n].name);
    snprintf(path, sizeof path, "interactions.%d.%s", s->interaction_entry[k], law->pair_keys[n].name);
    status = cairn_scenario_resolve(s, path, i->law[n], error);
  }
  return status;
}

static int resolve_interactions(struct cairn_scenario *s, double recommended, struct cairn_error *error) {
  int status = 0;
  for (int32_t k = 0; k < s->n_materials * s->n_materials && !status; k++) {
    if (s->interaction_entry[k] < 0)
      continue;
    if (s->law == CAIRN_LAW_hooke && s->interactions[k].restitution == 0.)
      return cairn_error_set(error, CAIRN_ERR_INPUT,
                             "%s: interactions.%d.restitution: found 0; allowed with soft spheres: greater than 0",
                             s->file, s->interaction_entry[k]);
    status = resolve_interaction(s, k, recommended, error);
  }
  return status;
}

/* A time of a pair of bodies, or of a body and a wall, with its reduced mass and radius. */
typedef double pair_time(const struct cairn_law *law, const double *constants, double mass, double radius,
                         double speed);

static double recommended_time(const struct cairn_law *law, const double *constants, double mass, double radius,
                               double speed) {
  return law->duration(constants, mass, radius, speed) / law->steps; /* eq. 2.39 */
}

static double stable_alone(const struct cairn_law *law, const double *constants, double mass, double radius,
                           double speed) {
  return law->stable(constants, mass, radius, speed, 1.);
}

/* In a closest packing of equal spheres the fastest vibration has four times the squared frequency of a pair. */
static double stable_packed(const struct cairn_law *law, const double *constants, double mass, double radius,
                            double speed) {
  return law->stable(constants, mass, radius, speed, 4.);
}

/* The speed of an impact that goes as deep as one at `speed` of bodies that attract each other: the contact stores what
 * both bring, and the attraction goes on until the deepest overlap, found by halving. */
static double deepening_speed(const struct cairn_scenario *s, const double *constants, double mass, double radius,
                              double speed) {
  const struct cairn_attraction attraction = cairn_laws_attraction(constants);
  const struct cairn_neck neck = cairn_laws_neck(constants);
  const double brought = 0.5 * mass * speed * speed, touching = cairn_neck_energy(&neck, 0., radius);
  double low = 0., high = radius;
  if (cairn_attraction_most(&attraction, radius) == 0. && touching == 0.)
    return speed;
  for (int k = 0; k < 64; k++) {
    const double x = 0.5 * (low + high), pulled = touching - cairn_neck_energy(&neck, -x, radius);
    const double work = brought + pulled - cairn_attraction_energy(&attraction, -x, radius);
    *(law_of(s)->energy(constants, x, 0., 0., radius) < work ? &low : &high) = x;
  }
  return sqrt(2. * law_of(s)->energy(constants, high, 0., 0., radius) / mass);
}

/* A tenth of the time in which a pair crosses the gap over which the attraction changes, at the speed that it gives
 * them itself: faster ones do not notice it. */
static double attraction_time(const struct cairn_law *law, const double *constants, double mass, double radius,
                              double speed) {
  const struct cairn_attraction attraction = cairn_laws_attraction(constants);
  const struct cairn_neck neck = cairn_laws_neck(constants);
  const double work = -cairn_attraction_energy(&attraction, 0., radius),
               parting = -cairn_neck_energy(&neck, 0., radius);
  (void)law;
  (void)speed;
  if (parting > 0.)
    return 0.1 * cairn_neck_range(&neck, radius) / sqrt(2. * parting / mass);
  return work > 0. ? 0.1 * attraction.separation / sqrt(2. * work / mass) : INFINITY;
}

/* That of a body of material a with one of mass and radius m2 and r2 (infinite: a wall at rest) and material b. */
static double time_of(const struct cairn_scenario *s, const struct extremes *e, int32_t a, int32_t b, double m2,
                      double r2, pair_time *of) {
  const double m1 = e->lightest[a], r1 = e->slightest[a];
  const double mass = isinf(m2) ? m1 : m1 * m2 / (m1 + m2), radius = isinf(r2) ? r1 : r1 * r2 / (r1 + r2);
  double constants[CAIRN_LAW_DOUBLES];
  cairn_contact_laws_constants(s, a, b, false, constants);
  return of(law_of(s), constants, mass, radius, deepening_speed(s, constants, mass, radius, e->speed));
}

/* The shortest: that of the lightest pair of bodies, or of the lightest body at a wall; infinite if nothing can touch.
 * `least` bodies of one material meet their like. */
static double shortest(const struct cairn_scenario *s, const struct extremes *e, double least, pair_time *of) {
  double time = INFINITY;
  for (int32_t a = 0; a < s->n_materials; a++)
    for (int32_t b = 0; b < s->n_materials; b++)
      if (e->count[a] > 0. && e->count[b] >= (a == b ? least : 1.) && s->interaction_entry[a * s->n_materials + b] >= 0)
        time = fmin(time, time_of(s, e, a, b, e->lightest[b], e->slightest[b], of));
  for (int32_t w = 0; w < s->n_walls; w++)
    for (int32_t a = 0; a < s->n_materials; a++) {
      const struct cairn_assembly_rules *rules = &s->assemblies[s->walls[w].assembly].rules;
      const double m2 = rules->kind == CAIRN_ASSEMBLY_FREE && rules->mass > 0. ? rules->mass : INFINITY;
      if (e->count[a] > 0.)
        time = fmin(time, time_of(s, e, a, s->walls[w].material, m2, INFINITY, of));
    }
  return time;
}

/* A fraction of the shortest collision, as if each material had two bodies: somewhat too short where it has one. */
static double recommended_step(const struct cairn_scenario *s, const struct extremes *e) {
  /* with nothing to touch, a step that no body crosses a tenth of its radius in */
  const double free_step = s->time_end / 1000., crossing = e->speed > 0. ? 0.1 * e->radius / e->speed : INFINITY;
  const double step = fmin(shortest(s, e, 1., recommended_time), shortest(s, e, 1., attraction_time));
  return isinf(step) ? fmin(free_step, crossing) : step;
}

static bool has_rolling_springs(const struct cairn_scenario *s) {
  bool found = false;
  for (int32_t k = 0; k < s->n_materials * s->n_materials && !found; k++)
    found = s->interaction_entry[k] >= 0 &&
            (s->interactions[k].rolling_friction > 0. || s->interactions[k].twisting_friction > 0.);
  return found && s->rolling_law == CAIRN_ROLLING_SPRING;
}

/* The kernels find the tangential spring in the first three columns of the history, the rolling spring behind it, the
 * bond behind both. */
static uint32_t memory(const struct cairn_scenario *s) {
  return CAIRN_CONTACT_REMEMBERS(spring) |
         (has_rolling_springs(s) || cairn_bonds_have_beams(s) ? CAIRN_CONTACT_REMEMBERS(rolling) : 0) |
         (s->n_bonds > 0 ? CAIRN_CONTACT_REMEMBERS_BONDS : 0);
}

/* Bonds are springs too: the longest stable step among closely packed bodies, and the one recommended. */
static void limit_by_bonds(const struct cairn_scenario *s, struct cairn_plan *plan) {
  static const double pi = 3.14159265358979323846;
  const struct cairn_bonds_pair b = cairn_bonding_fastest(s);
  if (b.mass == 0.)
    return;
  plan->stable_step = fmin(plan->stable_step, cairn_law_stable(b.stiffness, b.damping, 0., 0., 0, 0, b.mass, 1.));
  plan->packed_step = fmin(plan->packed_step, cairn_law_stable(b.stiffness, b.damping, 0., 0., 0, 0, b.mass, 4.));
  plan->recommended_step = fmin(plan->recommended_step, pi * sqrt(b.mass / b.stiffness) / law_of(s)->steps);
}

static int plan(struct cairn_scenario *s, struct cairn_plan *plan, struct cairn_error *error) {
  struct extremes e;
  int status = measure(s, &e, error);
  if (!status) {
    plan->max_speed = e.speed;
    plan->recommended_stiffness = recommended_stiffness(s, &e);
    status = resolve_interactions(s, plan->recommended_stiffness, error);
  }
  if (!status)
    status = cairn_bonding_make(s, memory(s), error);
  if (!status) {
    cairn_bonding_count(s);
    plan->stable_step = shortest(s, &e, 2., stable_alone);
    plan->packed_step = shortest(s, &e, 2., stable_packed);
    plan->recommended_step = recommended_step(s, &e);
    limit_by_bonds(s, plan);
    plan->recommended_step = fmin(plan->recommended_step, plan->packed_step);
    if (s->time_step == 0.)
      s->time_step = fmin(plan->recommended_step, s->time_end);
    plan->step_size = s->time_step;
  }
  return status;
}

static bool put_law(const struct cairn_scenario *s, int32_t a, int32_t b, bool frictionless,
                    double law[CAIRN_LAW_DOUBLES]) {
  const struct cairn_interaction *i = s->interactions + a * s->n_materials + b;
  cairn_contact_laws_constants(s, a, b, frictionless, law);
  return !frictionless && (i->rolling_friction > 0. || i->twisting_friction > 0.);
}

/* The laws of bonds behind all else. */
static int put_bonds(const struct cairn_scenario *s, double **block, size_t *n_doubles) {
  const size_t n = CAIRN_BOND_LAW_DOUBLES * (size_t)s->n_bonds;
  double *grown = realloc(*block, (*n_doubles + n) * sizeof *grown);
  if (!grown)
    return -1;
  grown[CAIRN_WORLD_BONDS] = (double)*n_doubles;
  grown[CAIRN_WORLD_N_BONDS] = (double)s->n_bonds;
  for (int32_t k = 0; k < s->n_bonds; k++)
    memcpy(grown + *n_doubles + CAIRN_BOND_LAW_DOUBLES * (size_t)k, &s->bonds[k].law, sizeof s->bonds[k].law);
  *block = grown;
  *n_doubles += n;
  return 0;
}

static int constants(const struct cairn_scenario *s, struct cairn_task_world *world, int32_t *law, int32_t *wall_law,
                     double **block, size_t *n_doubles, struct cairn_error *error) {
  world->detection_point = 1.;
  world->law_kind = (int32_t)s->law;
  const int status = cairn_world_make(s, put_law, world, law, wall_law, block, n_doubles, error);
  if (!status)
    (*block)[CAIRN_WORLD_RANGE] = cairn_cohesion_range(s, world->largest_radius);
  if (!status)
    (*block)[CAIRN_WORLD_NECKS] = cairn_cohesion_has_necks(s) ? 1. : 0.;
  if (!status && put_bonds(s, block, n_doubles))
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the bonds");
  world->rotation = world->rotation ? (int32_t)s->rolling_law : CAIRN_ROLLING_NONE;
  return status;
}

static int submit(struct cairn_cells *cells, const struct cairn_task_world *world, int32_t n_steps) {
  if (cairn_task_advance_is_alone(cells, world))
    return cairn_task_advance_alone_submit(cells->cell, world, n_steps);
  for (int32_t step = 0; step < n_steps; step++) {
    if (cairn_task_gather_all_submit(cells, world->h))
      return -1;
    for (cairn_cell_t c = 0; c < cells->n_cells; c++)
      if (cairn_task_advance_submit(cells->cell + c, world, step))
        return -1;
    if (world->walls.moving && cairn_task_move_walls_submit(world, step))
      return -1;
  }
  return 0;
}

const struct cairn_method_table cairn_method_soft_spheres = {
    .name = "soft_spheres",
    .title = "soft spheres",
    .description = "Overlapping spheres with a contact law and friction, leapfrog in time.",
    .plan = plan,
    .advise_overlap = cairn_soft_spheres_advise_overlap,
    .advise_step = cairn_soft_spheres_advise_step,
    .describe_pair = cairn_soft_spheres_describe_pair,
    .body_bytes = 1070.,
    .dense_step = cairn_soft_spheres_dense_step,
    .memory = memory,
    .partition = CAIRN_CELLS_OCTREE,
    .cell_bodies = cairn_soft_spheres_cells_bodies,
    .tries_cells = true,
    .constants = constants,
    .start = cairn_soft_spheres_start,
    .advance = cairn_soft_spheres_advance,
    .submit = submit,
    .skin = cairn_soft_spheres_skin,
    .reach = cairn_soft_spheres_reach,
    .partitioned = cairn_soft_spheres_partitioned,
    .accelerated = cairn_soft_spheres_accelerated,
    .stores = true,
};
