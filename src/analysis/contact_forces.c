#include "analysis/contact_forces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/scenario/cohesion.h"
#include "data/scenario/contact_laws.h"
#include "kernels/soft/pairs.h"
#include "kernels/soft/soft_forces.h"
#include "kernels/walls/walls.h"

static bool has_springs(const struct cairn_state *state) {
  return (state->contacts.memory & CAIRN_CONTACT_REMEMBERS(spring)) != 0;
}

/* ---- contact dynamics ---- */

/* The normal is that of the configuration at contact detection, θ h before the end of the step. */
static void impulse_between_bodies(const struct cairn_contact_forces *all, int64_t k, struct cairn_contact_force *c) {
  const struct cairn_state *state = all->state;
  const struct cairn_scenario *s = all->scenario;
  const double back = s->solver_theta * s->time_step;
  double d2 = 0.;
  const double *impulse = cairn_contact_recall(&state->contacts, k, CAIRN_CONTACT_impulse);
  const double *rest = cairn_contact_recall(&state->contacts, k, CAIRN_CONTACT_rest);
  for (int i = 0; i < 3; i++) {
    const int64_t p = 3 * (int64_t)c->a + i, q = 3 * (int64_t)c->b + i;
    c->n[i] = (state->position[q] - back * state->velocity[q]) - (state->position[p] - back * state->velocity[p]);
    d2 += c->n[i] * c->n[i];
    c->f[i] = impulse[i] / s->time_step;
  }
  const double distance = sqrt(d2);
  for (int i = 0; i < 3; i++)
    c->n[i] /= distance;
  const struct cairn_interaction *law =
      s->interactions + (int64_t)state->material[c->a] * s->n_materials + state->material[c->b];
  c->friction = law->friction;
  const double gap = distance - state->radius[c->a] - state->radius[c->b];
  const bool acts =
      law->cohesion_energy > 0. ? law->cohesion * (gap - *rest) < law->cohesion_energy : gap <= law->cohesion_range;
  c->cohesion = acts ? law->cohesion : 0.;
  c->overlap = -gap;
  c->arm[0] = state->radius[c->a];
  c->arm[1] = state->radius[c->b];
}

/* A state does not contain the distance to a wall: its cohesion is taken to act. */
static void impulse_at_wall(const struct cairn_contact_forces *all, int64_t k, struct cairn_contact_force *c) {
  const struct cairn_state *state = all->state;
  const struct cairn_scenario *s = all->scenario;
  const double *normal = cairn_contact_recall(&state->wall_contacts, k, CAIRN_CONTACT_normal);
  const double *impulse = cairn_contact_recall(&state->wall_contacts, k, CAIRN_CONTACT_impulse);
  const struct cairn_wall *wall = s->walls + c->b;
  for (int i = 0; i < 3; i++) {
    c->n[i] = normal[i];
    c->f[i] = impulse[i] / s->time_step;
  }
  const struct cairn_interaction *law =
      s->interactions + (int64_t)state->material[c->a] * s->n_materials + wall->material;
  c->friction = wall->behavior == CAIRN_WALL_FRICTIONLESS ? 0. : law->friction;
  c->cohesion = law->cohesion;
  c->overlap = (double)NAN;
  c->arm[0] = state->radius[c->a];
}

/* ---- soft spheres ---- */

static const double *law_between(const struct cairn_contact_forces *all, int32_t a, int32_t b, bool frictionless) {
  const int64_t n = all->scenario->n_materials;
  return all->laws + CAIRN_LAW_DOUBLES * ((frictionless ? n * n : 0) + a * n + b);
}

/* The bond of a contact; of length 0 if it has none. */
static struct cairn_bond bond_of(const struct cairn_contacts *list, int64_t k) {
  const double *length = cairn_contact_recall(list, k, CAIRN_CONTACT_bond_length);
  if (!length || *length == 0.)
    return (struct cairn_bond){0};
  return (struct cairn_bond){*length, *cairn_contact_recall(list, k, CAIRN_CONTACT_bond_stiffness),
                             *cairn_contact_recall(list, k, CAIRN_CONTACT_bond_strain),
                             *cairn_contact_recall(list, k, CAIRN_CONTACT_bond_law)};
}

/* The springs of a beam are half a step ahead (kernels/soft/bond.h). */
static void go_back(const struct cairn_contact_forces *all, const struct cairn_contact_pair *p,
                    struct cairn_contact_history *now) {
  const struct cairn_contact_velocity u = cairn_contact_velocity(p);
  const double part = 0.5 * all->scenario->time_step;
  now->sx -= part * u.x;
  now->sy -= part * u.y;
  now->sz -= part * u.z;
}

/* The law over a step of no length leaves the springs as they are. Its force acts on body a. `full` is the distance at
 * which the surfaces touch, `radius` that of the bond. */
static void respond(const struct cairn_contact_forces *all, const double *constants, struct cairn_contact_pair *pair,
                    const struct cairn_contacts *list, int64_t k, double full, double radius,
                    struct cairn_contact_force *c) {
  const double *spring = cairn_contact_recall(list, k, CAIRN_CONTACT_spring);
  struct cairn_contact_history before = {.sx = spring[0], .sy = spring[1], .sz = spring[2]};
  const struct cairn_attraction attraction = cairn_laws_attraction(constants);
  const struct cairn_neck neck = cairn_laws_neck(constants);
  const struct cairn_bond bond = bond_of(list, k);
  const int kind = (int)all->scenario->law;
  struct cairn_contact_result r = {0};
  if (bond.length != 0.) {
    const struct cairn_bond_law *law = &all->scenario->bonds[(int)bond.law].law;
    if (law->beam != 0. && bond.length > 0. && cairn_contact_at(list, k)->age > 1)
      go_back(all, pair, &before);
    cairn_bond_contact(kind, constants, law, &bond, pair, 0., CAIRN_ROLLING_NONE, full, radius, 0, &before, &r);
  } else {
    r = cairn_laws_contact(kind, constants, pair, 0., &before, CAIRN_ROLLING_NONE);
    cairn_attraction_add(&attraction, pair, 0., &r);
    cairn_neck_add(&neck, pair, 1, 0., &r);
  }
  c->bond = bond.length > 0.;
  const double n[3] = {pair->nx, pair->ny, pair->nz}, f[3] = {-r.fx, -r.fy, -r.fz};
  memcpy(c->n, n, sizeof n);
  memcpy(c->f, f, sizeof f);
  c->overlap = pair->x;
  c->arm[0] = pair->l1;
  c->arm[1] = pair->l2;
  c->cohesion = cairn_attraction_most(&attraction, pair->reduced_radius) +
                cairn_neck_most(&neck, pair->reduced_radius); /* at an overlap */
}

/* What the law reads of a body (kernels/common/blocks.h). */
static void kinematics(const struct cairn_state *state, int64_t i, double out[CAIRN_PREDICTED]) {
  memset(out, 0, CAIRN_PREDICTED * sizeof *out);
  memcpy(out + CAIRN_PREDICTED_X, state->position + 3 * i, 3 * sizeof *out);
  memcpy(out + CAIRN_PREDICTED_V, state->velocity + 3 * i, 3 * sizeof *out);
  memcpy(out + CAIRN_PREDICTED_W, state->spin + 3 * i, 3 * sizeof *out);
  out[CAIRN_PREDICTED_R] = state->radius[i];
  out[CAIRN_PREDICTED_I] = 1. / (0.4 * state->mass[i] * state->radius[i] * state->radius[i]);
}

static void spring_between_bodies(const struct cairn_contact_forces *all, int64_t k, struct cairn_contact_force *c) {
  const struct cairn_state *s = all->state;
  const double m1 = s->mass[c->a], m2 = s->mass[c->b];
  double p[CAIRN_PREDICTED], q[CAIRN_PREDICTED];
  kinematics(s, c->a, p);
  kinematics(s, c->b, q);
  struct cairn_contact_pair pair = cairn_pairs_bodies(p, q, 1, sqrt(m1 * m2 / (m1 + m2)), CAIRN_ROLLING_SPRING);
  const double full = s->radius[c->a] + s->radius[c->b];
  respond(all, law_between(all, s->material[c->a], s->material[c->b], false), &pair, &s->contacts, k, full, 0.5 * full,
          c);
  c->friction =
      all->scenario->interactions[(int64_t)s->material[c->a] * all->scenario->n_materials + s->material[c->b]].friction;
}

static void take_force(const struct cairn_contact_forces *all, const struct cairn_soft_forces *tile, int32_t k,
                       struct cairn_contact_force *c) {
  *c = (struct cairn_contact_force){.a = c->a,
                                    .b = c->b,
                                    .n = {tile->nx[k], tile->ny[k], tile->nz[k]},
                                    .f = {tile->fx[k], tile->fy[k], tile->fz[k]},
                                    .arm = {tile->arm_a[k], tile->arm_b[k]},
                                    .overlap = tile->overlap[k],
                                    .friction = all->scenario->interactions[tile->law[k]].friction,
                                    .cohesion = tile->cohesion[k]};
}

/* Contacts between bodies, as many as a tile holds; bonds are rare beside contacts, or few, and go one by one. */
static void springs_between_bodies(const struct cairn_contact_forces *all, int64_t first, int32_t n,
                                   struct cairn_contact_force *out) {
  const struct cairn_state *s = all->state;
  const struct cairn_contacts *list = &s->contacts;
  const int spring = cairn_contact_offset(list->memory, CAIRN_CONTACT_spring);
  const struct cairn_soft_forces_bodies bodies = {s->position, s->velocity, s->spin, s->radius, s->mass};
  int32_t a[CAIRN_SOFT_FORCES] = {0}, b[CAIRN_SOFT_FORCES] = {0};
  struct cairn_soft_forces tile;
  for (int32_t k = 0; k < n; k++) {
    const struct cairn_contact *record = cairn_contact_at(list, first + k);
    const double *numbers = (const double *)(const void *)(record + 1) + spring;
    out[k].a = a[k] = record->a;
    out[k].b = b[k] = record->b;
    tile.law[k] = s->material[record->a] * all->scenario->n_materials + s->material[record->b];
    tile.sx[k] = numbers[0];
    tile.sy[k] = numbers[1];
    tile.sz[k] = numbers[2];
  }
  cairn_kernel_soft_forces_load(&bodies, a, b, n, &tile);
  cairn_kernel_soft_forces((int)all->scenario->law, all->laws, all->scenario->n_materials == 1, all->attracts, n,
                           &tile);
  for (int32_t k = 0; k < n; k++) {
    take_force(all, &tile, k, out + k);
    if (all->bonded && bond_of(list, first + k).length != 0.)
      spring_between_bodies(all, first + k, out + k);
  }
}

/* The touch of a body and a wall whose normal is nearest to the one that the contact remembers. */
static struct cairn_nearest touch_of(const struct cairn_wall *wall, const double *p, const double *assembly,
                                     const double normal[3]) {
  struct cairn_nearest touch[CAIRN_WALL_TOUCHES], best = {p[CAIRN_PREDICTED_R], normal[0], normal[1], normal[2]};
  double record[CAIRN_WALL] = {0}, nearest = -2.;
  memcpy(record + CAIRN_WALL_SHAPE, wall->shape, sizeof wall->shape);
  if (wall->mesh)
    record[CAIRN_WALL_SHAPE + 1] = 0.; /* the mesh begins where `world` does */
  const int32_t n =
      cairn_walls_touches(wall->mesh ? wall->mesh->data : NULL, record, assembly, p, 1.5 * p[CAIRN_PREDICTED_R], touch);
  for (int32_t j = 0; j < n; j++) {
    const double cosine = normal[0] * touch[j].nx + normal[1] * touch[j].ny + normal[2] * touch[j].nz;
    if (cosine > nearest) {
      nearest = cosine;
      best = touch[j];
    }
  }
  return best;
}

static void spring_at_wall(const struct cairn_contact_forces *all, int64_t k, struct cairn_contact_force *c) {
  const struct cairn_state *s = all->state;
  const struct cairn_scenario *scenario = all->scenario;
  const struct cairn_wall *wall = scenario->walls + c->b;
  const struct cairn_assembly_rules *rules = &scenario->assemblies[wall->assembly].rules;
  const double *assembly = all->walls + (int64_t)CAIRN_ASSEMBLY * wall->assembly;
  const bool frictionless = wall->behavior == CAIRN_WALL_FRICTIONLESS;
  const double m1 = s->mass[c->a];
  const double mass =
      rules->kind == CAIRN_ASSEMBLY_FREE && rules->mass > 0. ? m1 * rules->mass / (m1 + rules->mass) : m1;
  double p[CAIRN_PREDICTED];
  kinematics(s, c->a, p);
  const struct cairn_nearest touch =
      touch_of(wall, p, assembly, cairn_contact_recall(&s->wall_contacts, k, CAIRN_CONTACT_normal));
  struct cairn_contact_pair pair = cairn_walls_pair(p, touch, assembly, sqrt(mass));
  const double r = s->radius[c->a];
  respond(all, law_between(all, s->material[c->a], wall->material, frictionless), &pair, &s->wall_contacts, k, r, r, c);
  c->friction =
      frictionless
          ? 0.
          : scenario->interactions[(int64_t)s->material[c->a] * scenario->n_materials + wall->material].friction;
}

/* The assemblies as the pair law reads them, at the time of the state. */
static void place_walls(const struct cairn_state *s, const struct cairn_scenario *scenario, double *walls) {
  for (int64_t a = 0; a < s->n_assemblies; a++) {
    double *block = walls + CAIRN_ASSEMBLY * a, *at = block + CAIRN_ASSEMBLY_STATE;
    const struct cairn_assembly_rules *rules = &scenario->assemblies[a].rules;
    memcpy(at + CAIRN_ASSEMBLY_STATE_X, s->assembly_position + 3 * a, 3 * sizeof *at);
    memcpy(at + CAIRN_ASSEMBLY_STATE_Q, s->assembly_orientation + 4 * a, 4 * sizeof *at);
    memcpy(at + CAIRN_ASSEMBLY_STATE_V, s->assembly_velocity + 3 * a, 3 * sizeof *at);
    memcpy(at + CAIRN_ASSEMBLY_STATE_W, s->assembly_spin + 3 * a, 3 * sizeof *at);
    memcpy(at + CAIRN_ASSEMBLY_STATE_A, s->assembly_acceleration + 3 * a, 3 * sizeof *at);
    memcpy(at + CAIRN_ASSEMBLY_STATE_AW, s->assembly_angular_acceleration + 3 * a, 3 * sizeof *at);
    block[CAIRN_ASSEMBLY_IS_FREE] = rules->kind == CAIRN_ASSEMBLY_FREE ? 1. : 0.;
    cairn_kernel_assemblies_predict(rules, 1, s->time, 0., block);
  }
}

/* ---- both ---- */

int cairn_contact_forces_init(struct cairn_contact_forces *all, const struct cairn_state *state,
                              const struct cairn_scenario *s, struct cairn_error *error) {
  const int32_t n = s->n_materials;
  *all = (struct cairn_contact_forces){.state = state, .scenario = s};
  if (!has_springs(state))
    return 0;
  all->laws = calloc(2 * (size_t)n * (size_t)n, CAIRN_LAW_DOUBLES * sizeof *all->laws);
  all->walls = calloc((size_t)state->n_assemblies + 1, CAIRN_ASSEMBLY * sizeof *all->walls);
  if (!all->laws || !all->walls) {
    cairn_contact_forces_fini(all);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the forces of contacts");
  }
  for (int32_t k = 0; k < 2 * n * n; k++)
    cairn_contact_laws_constants(s, k / n % n, k % n, k >= n * n, all->laws + (int64_t)CAIRN_LAW_DOUBLES * k);
  for (int32_t k = 0; k < n * n; k++) {
    const struct cairn_attraction attraction = cairn_laws_attraction(all->laws + (int64_t)CAIRN_LAW_DOUBLES * k);
    const struct cairn_neck neck = cairn_laws_neck(all->laws + (int64_t)CAIRN_LAW_DOUBLES * k);
    all->attracts |= cairn_attraction_most(&attraction, 1.) != 0. || cairn_neck_most(&neck, 1.) != 0.;
  }
  all->bonded = (state->contacts.memory & CAIRN_CONTACT_REMEMBERS_BONDS) != 0;
  place_walls(state, s, all->walls);
  return 0;
}

void cairn_contact_forces_fini(struct cairn_contact_forces *all) {
  free(all->laws);
  free(all->walls);
  all->laws = all->walls = NULL;
}

int64_t cairn_contact_forces_n(const struct cairn_contact_forces *all) {
  return all->state->contacts.n + all->state->wall_contacts.n;
}

struct cairn_contact_force cairn_contact_forces_at(const struct cairn_contact_forces *all, int64_t k) {
  const struct cairn_state *state = all->state;
  const bool at_wall = k >= state->contacts.n;
  const int64_t i = at_wall ? k - state->contacts.n : k;
  const struct cairn_contact *record = cairn_contact_at(at_wall ? &state->wall_contacts : &state->contacts, i);
  struct cairn_contact_force c = {.a = record->a, .b = record->b, .at_wall = at_wall};
  if (has_springs(state))
    (at_wall ? spring_at_wall : spring_between_bodies)(all, i, &c);
  else
    (at_wall ? impulse_at_wall : impulse_between_bodies)(all, i, &c);
  return c;
}

void cairn_contact_forces_some(const struct cairn_contact_forces *all, int64_t first, int64_t n,
                               struct cairn_contact_force *out) {
  const int64_t n_pairs = has_springs(all->state) ? all->state->contacts.n : 0;
  int64_t k = 0;
  while (k < n && first + k < n_pairs) {
    int64_t count = n_pairs - first - k < n - k ? n_pairs - first - k : n - k;
    count = count < CAIRN_SOFT_FORCES ? count : CAIRN_SOFT_FORCES;
    springs_between_bodies(all, first + k, (int32_t)count, out + k);
    k += count;
  }
  for (; k < n; k++)
    out[k] = cairn_contact_forces_at(all, first + k);
}

/* One contact as a row. */
static struct cairn_contact_row row_of(const struct cairn_state *state, const struct cairn_contact_force *c) {
  const double push = c->f[0] * c->n[0] + c->f[1] * c->n[1] + c->f[2] * c->n[2];
  struct cairn_contact_row row = {.step = (double)state->step,
                                  .time = state->time,
                                  .a = c->a,
                                  .b = c->at_wall ? -1 - c->b : c->b,
                                  .bond = c->bond,
                                  .push = push};
  for (int k = 0; k < 3; k++) {
    row.normal[k] = c->n[k];
    row.shear[k] = c->f[k] - push * c->n[k];
  }
  return row;
}

void cairn_contact_forces_put(const struct cairn_state *state, const struct cairn_contact_force *some, int64_t n,
                              struct cairn_step_part *part) {
  struct cairn_contact_row rows[CAIRN_SOFT_FORCES];
  for (int64_t k = 0, count; k < n; k += count) {
    count = n - k < CAIRN_SOFT_FORCES ? n - k : CAIRN_SOFT_FORCES;
    for (int64_t i = 0; i < count; i++)
      rows[i] = row_of(state, some + k + i);
    cairn_step_part_put(part, rows, count);
  }
}

int cairn_contact_forces_append(const struct cairn_state *state, const struct cairn_scenario *s,
                                struct cairn_step_table *table, struct cairn_error *error) {
  struct cairn_contact_force some[CAIRN_SOFT_FORCES];
  struct cairn_contact_forces forces;
  struct cairn_step_part part;
  int status = cairn_step_table_begin(table, error);
  if (!status)
    status = cairn_contact_forces_init(&forces, state, s, error);
  if (status)
    return status;
  const int64_t n = cairn_contact_forces_n(&forces);
  cairn_step_part_open(&part, table, 0);
  for (int64_t first = 0; first < n; first += CAIRN_SOFT_FORCES) {
    const int64_t count = n - first < CAIRN_SOFT_FORCES ? n - first : CAIRN_SOFT_FORCES;
    cairn_contact_forces_some(&forces, first, count, some);
    cairn_contact_forces_put(state, some, count, &part);
  }
  cairn_contact_forces_fini(&forces);
  return cairn_step_table_end(table, n, cairn_step_part_close(&part), error);
}
