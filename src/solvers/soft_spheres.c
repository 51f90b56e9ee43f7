/* Soft spheres: overlapping spheres push each other apart (Schwartz 2013, chapter 2; docs/physics.md).
 *
 * One step, for every cell:
 *   gather   the neighbours' bodies that may touch, brought to the coming step
 *   advance  kick half a step, drift, forces of all contacts, kick half a step
 * and once, if walls move:
 *   move_walls  the walls to the coming step, those that are free by what has pushed them
 * A cell may run ahead of others as far as its neighbours' data allow; no barrier stands between steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/method.h"
#include "solvers/speed.h"
#include "solvers/world.h"

static const double PI = 3.14159265358979323846;

/* Damping per root of stiffness and reduced mass: C = d √(k μ) (eq. 2.15). */
static double damping(double restitution) {
  const double l = log(restitution);
  return -2. * l / sqrt(PI * PI + l * l);
}

static struct cairn_hooke law_of(const struct cairn_interaction *i) {
  const double xi = 0.5 * damping(i->restitution); /* α_n / ω_0 */
  return (struct cairn_hooke){
      .k_n = i->stiffness,
      .k_t = i->tangential_stiffness,
      .c_n = damping(i->restitution) * sqrt(i->stiffness),
      .c_t = damping(i->tangential_restitution) * sqrt(i->tangential_stiffness),
      .friction = i->friction,
      .slip = i->slip / i->tangential_stiffness,
      .rolling = i->rolling_friction,
      .twisting = i->twisting_friction,
      .tau = PI / sqrt(i->stiffness * (1. - xi * xi)),
  };
}

static double length(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* What the choice of step and stiffness needs to know of the initial bodies. */
struct extremes {
  double *lightest;     /* kg, by material; infinity where there is no body */
  double compact;       /* kg/m², largest m/r² of a body */
  double pressed;       /* kg/m², largest ρ r of a body */
  double radius;        /* m, smallest */
  double height, speed; /* m, how far bodies can fall; m/s, how fast they can become */
};

static int measure(const struct cairn_scenario *s, struct extremes *e, struct cairn_error *error) {
  *e = (struct extremes){.radius = INFINITY};
  e->lightest = malloc((size_t)s->n_materials * sizeof(double));
  if (!e->lightest)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  const struct cairn_speed speed = cairn_speed_expect(s);
  for (int32_t m = 0; m < s->n_materials; m++)
    e->lightest[m] = INFINITY;
  for (int64_t i = 0; i < s->initial.n; i++) {
    const double r = s->initial.radius[i], mass = s->initial.mass[i];
    const int32_t m = s->initial.material[i];
    e->lightest[m] = fmin(e->lightest[m], mass);
    e->compact = fmax(e->compact, mass / (r * r));
    e->pressed = fmax(e->pressed, s->materials[m].density * r);
    e->radius = fmin(e->radius, r);
  }
  e->height = speed.height;
  e->speed = cairn_speed_impact(s, &speed, speed.start);
  return 0;
}

/* k_n such that neither the fastest impact nor the weight of the pile overlaps by more than the limit (eqs. 2.4, 2.5).
 * A pair's reduced mass is at most the mass of its smaller body, whose radius sets the limit of the overlap. */
static double recommended_stiffness(const struct cairn_scenario *s, const struct extremes *e) {
  const double impact = e->compact * (e->speed / s->overlap_limit) * (e->speed / s->overlap_limit);
  const double weight = 0.65 * e->pressed * length(s->gravity) * e->height / s->overlap_limit;
  return fmax(impact, weight);
}

/* Put the numbers in place of the `auto`s of interactions, in the table and in the effective parameters. */
static int resolve_stiffness(struct cairn_scenario *s, double recommended, struct cairn_error *error) {
  int status = 0;
  for (int32_t k = 0; k < s->n_materials * s->n_materials && !status; k++) {
    struct cairn_interaction *i = s->interactions + k;
    if (s->interaction_entry[k] < 0)
      continue;
    if (i->restitution == 0.)
      return cairn_error_set(error, CAIRN_ERR_INPUT,
                             "%s: interactions.%d.restitution: found 0; allowed with soft spheres: greater than 0",
                             s->file, s->interaction_entry[k]);
    if (i->stiffness == 0. && recommended == 0.)
      return cairn_error_set(error, CAIRN_ERR_INPUT,
                             "%s: interactions.%d.stiffness: found auto, but nothing moves and there is no gravity to "
                             "choose it from; allowed: a number greater than 0",
                             s->file, s->interaction_entry[k]);
    if (i->stiffness == 0.)
      i->stiffness = recommended;
    if (i->tangential_stiffness == 0.)
      i->tangential_stiffness = 2. / 7. * i->stiffness;
    char path[64];
    snprintf(path, sizeof path, "interactions.%d.stiffness", s->interaction_entry[k]);
    status = cairn_scenario_resolve(s, path, i->stiffness, error);
    snprintf(path, sizeof path, "interactions.%d.tangential_stiffness", s->interaction_entry[k]);
    if (!status)
      status = cairn_scenario_resolve(s, path, i->tangential_stiffness, error);
  }
  return status;
}

/* τ_overlap/50 of the lightest pair of bodies, or of the lightest body at a wall (eq. 2.39). */
static double recommended_step(const struct cairn_scenario *s, const struct extremes *e) {
  /* with nothing to touch, a step that no body crosses a tenth of its radius in */
  const double free_step = s->time_end / 1000., crossing = e->speed > 0. ? 0.1 * e->radius / e->speed : INFINITY;
  double step = INFINITY;
  for (int32_t a = 0; a < s->n_materials; a++)
    for (int32_t b = 0; b < s->n_materials; b++) {
      const double m1 = e->lightest[a], m2 = e->lightest[b];
      if (isinf(m1) || isinf(m2))
        continue;
      const struct cairn_interaction *i = s->interactions + a * s->n_materials + b;
      if (s->interaction_entry[a * s->n_materials + b] < 0)
        continue;
      const struct cairn_hooke law = law_of(i);
      step = fmin(step, law.tau * sqrt(m1 * m2 / (m1 + m2)) / 50.);
    }
  for (int32_t w = 0; w < s->n_walls; w++)
    for (int32_t a = 0; a < s->n_materials; a++) {
      const struct cairn_assembly_rules *rules = &s->assemblies[s->walls[w].assembly].rules;
      const double m1 = e->lightest[a],
                   m2 = rules->kind == CAIRN_ASSEMBLY_FREE && rules->mass > 0. ? rules->mass : INFINITY;
      if (isinf(m1))
        continue;
      const struct cairn_hooke law = law_of(s->interactions + a * s->n_materials + s->walls[w].material);
      step = fmin(step, law.tau * sqrt(isinf(m2) ? m1 : m1 * m2 / (m1 + m2)) / 50.);
    }
  return isinf(step) ? fmin(free_step, crossing) : step;
}

static int plan(struct cairn_scenario *s, struct cairn_plan *plan, struct cairn_error *error) {
  struct extremes e;
  int status = measure(s, &e, error);
  if (!status) {
    plan->max_speed = e.speed;
    plan->recommended_stiffness = recommended_stiffness(s, &e);
    status = resolve_stiffness(s, plan->recommended_stiffness, error);
  }
  if (!status) {
    plan->recommended_step = recommended_step(s, &e);
    if (s->time_step == 0.)
      s->time_step = plan->recommended_step;
    plan->step_size = s->time_step;
  }
  free(e.lightest);
  return status;
}

static bool put_law(const struct cairn_interaction *i, bool frictionless, double law[CAIRN_LAW_DOUBLES]) {
  struct cairn_hooke this = law_of(i);
  _Static_assert(sizeof this == CAIRN_LAW_DOUBLES * sizeof(double), "a law is as long as the world thinks");
  if (frictionless)
    this.friction = this.rolling = this.twisting = 0.;
  memcpy(law, &this, sizeof this);
  return this.rolling > 0. || this.twisting > 0.;
}

static int constants(const struct cairn_scenario *s, struct cairn_task_world *world, int32_t *law, int32_t *wall_law,
                     double **block, size_t *n_doubles, struct cairn_error *error) {
  world->sight = 1.;
  return cairn_world_make(s, put_law, world, law, wall_law, block, n_doubles, error);
}

static int submit(struct cairn_cells *cells, const struct cairn_task_world *world, int32_t n_steps) {
  if (cairn_task_is_alone(cells, world))
    return cairn_task_advance_alone_submit(cells->cell, world, n_steps);
  for (int32_t step = 0; step < n_steps; step++) {
    for (cairn_cell_t c = 0; c < cells->n_cells; c++)
      if (cairn_task_gather_submit(cells, c, world->h))
        return -1;
    for (cairn_cell_t c = 0; c < cells->n_cells; c++)
      if (cairn_task_advance_submit(cells->cell + c, world, step))
        return -1;
    if (world->moving && cairn_task_move_walls_submit(world, step))
      return -1;
  }
  return 0;
}

const struct cairn_method_table cairn_method_soft_spheres = {
    .name = "soft_spheres",
    .description = "Overlapping spheres with springs, damping and friction (Hooke law), leapfrog in time.",
    .plan = plan,
    .constants = constants,
    .submit = submit,
};
