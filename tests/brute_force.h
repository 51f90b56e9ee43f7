/* Soft spheres without cells, lists, tasks or vectors: every pair of bodies in the order of ids, every wall, the same
 * law and the same leapfrog. Too simple to be wrong, and what the engine must reproduce bit by bit. */
#ifndef CAIRN_TESTS_BRUTE_FORCE_H
#define CAIRN_TESTS_BRUTE_FORCE_H

#include "sim.h"

#include "contacts.h"

#include "kernels/walls/walls.h"
#include "solvers/method.h"

struct brute_force {
  const struct cairn_scenario *scenario;
  int64_t n, step;
  int32_t rotation, *law, *wall_law;
  double h, *world;
  const double *laws;
  double *body;                 /* [n][CAIRN_STATE] */
  double *predicted;            /* [n][CAIRN_PREDICTED] */
  double *force;                /* [n][6] */
  double *spring, *wall_spring; /* [n][n][6], [n][n_walls][6]: tangential spring, rolling spring */
  double *wall_normal;          /* [n][n_walls][3] */
  uint32_t *age, *wall_age;     /* [n][n], [n][n_walls] */
};

static inline void *brute_force_memory(size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  if (!memory)
    BAIL_OUT("out of memory");
  return memory;
}

/* The law over one contact; body 2 is a wall where `g` is NULL. */
static inline void brute_force_contact(struct brute_force *b, const struct cairn_contact_pair *pair, int32_t law,
                                       double *spring, uint32_t *age, double *f, double *g) {
  const double old = *age > 0 ? 1. : 0.;
  const struct cairn_contact_history before = {.sx = old * spring[0],
                                               .sy = old * spring[1],
                                               .sz = old * spring[2],
                                               .qx = old * spring[3],
                                               .qy = old * spring[4],
                                               .qz = old * spring[5],
                                               .seconds = (double)*age * b->h};
  const double *constants = cairn_laws_constants(b->laws, law);
  const struct cairn_attraction attraction = cairn_laws_attraction(constants);
  struct cairn_contact_result r =
      cairn_laws_contact((int)b->scenario->law, constants, pair, b->h, &before, b->rotation);
  cairn_attraction_add(&attraction, pair, b->h, &r);
  const double force[3] = {r.fx, r.fy, r.fz}, t1[3] = {r.t1x, r.t1y, r.t1z}, t2[3] = {r.t2x, r.t2y, r.t2z};
  for (int k = 0; k < 3; k++) {
    f[k] += force[k];
    f[3 + k] += t1[k];
    if (g) {
      g[k] -= force[k];
      g[3 + k] += t2[k];
    }
  }
  spring[0] = r.sx;
  spring[1] = r.sy;
  spring[2] = r.sz;
  spring[3] = r.qx;
  spring[4] = r.qy;
  spring[5] = r.qz;
  *age = r.weight > 0. ? *age + 1 : 0;
}

static inline void brute_force_pair(struct brute_force *b, int64_t i, int64_t j) {
  const struct cairn_state *s = &b->scenario->initial;
  const double *p = b->predicted + CAIRN_PREDICTED * i, *q = b->predicted + CAIRN_PREDICTED * j;
  const double dx = q[0] - p[0], dy = q[1] - p[1], dz = q[2] - p[2];
  const double distance = sqrt(dx * dx + dy * dy + dz * dz), inverse = 1. / distance;
  const double r1 = s->radius[i], r2 = s->radius[j], m1 = s->mass[i], m2 = s->mass[j];
  if (distance > 1.5 * (r1 + r2)) { /* far beyond what a body moves in half a step, and beyond any attraction */
    b->age[i * b->n + j] = 0;
    return;
  }
  const double l1 = 0.5 * (distance + (r1 * r1 - r2 * r2) * inverse), rc2 = r1 * r1 - l1 * l1;
  const struct cairn_contact_pair pair = {.x = r1 + r2 - distance,
                                          .nx = dx * inverse,
                                          .ny = dy * inverse,
                                          .nz = dz * inverse,
                                          .vx = q[CAIRN_PREDICTED_V] - p[CAIRN_PREDICTED_V],
                                          .vy = q[CAIRN_PREDICTED_V + 1] - p[CAIRN_PREDICTED_V + 1],
                                          .vz = q[CAIRN_PREDICTED_V + 2] - p[CAIRN_PREDICTED_V + 2],
                                          .w1x = p[CAIRN_PREDICTED_W],
                                          .w1y = p[CAIRN_PREDICTED_W + 1],
                                          .w1z = p[CAIRN_PREDICTED_W + 2],
                                          .w2x = q[CAIRN_PREDICTED_W],
                                          .w2y = q[CAIRN_PREDICTED_W + 1],
                                          .w2z = q[CAIRN_PREDICTED_W + 2],
                                          .l1 = l1,
                                          .l2 = distance - l1,
                                          .rc = sqrt(rc2 > 0. ? rc2 : 0.),
                                          .inverse_distance = inverse,
                                          .root_mass = sqrt(m1 * m2 / (m1 + m2)),
                                          .reduced_radius = r1 * r2 / (r1 + r2),
                                          .inverse_inertia1 = 1. / (0.4 * m1 * r1 * r1),
                                          .inverse_inertia2 = 1. / (0.4 * m2 * r2 * r2)};
  const int32_t law = b->law[s->material[i] * b->scenario->n_materials + s->material[j]];
  brute_force_contact(b, &pair, law, b->spring + 6 * (i * b->n + j), b->age + i * b->n + j, b->force + 6 * i,
                      b->force + 6 * j);
}

/* Planes at rest only. */
static inline void brute_force_wall(struct brute_force *b, int64_t i, int32_t w) {
  static const double still[CAIRN_ASSEMBLY] = {0.};
  const struct cairn_scenario *s = b->scenario;
  const double *p = b->predicted + CAIRN_PREDICTED * i, *n = s->walls[w].shape + 4, *o = s->walls[w].reference;
  const double distance = (p[0] - o[0]) * n[0] + (p[1] - o[1]) * n[1] + (p[2] - o[2]) * n[2];
  const double r = s->initial.radius[i], m = s->initial.mass[i], rc2 = r * r - distance * distance;
  const struct cairn_contact_pair pair = {.x = r - distance,
                                          .nx = -n[0],
                                          .ny = -n[1],
                                          .nz = -n[2],
                                          .vx = 0. - p[CAIRN_PREDICTED_V],
                                          .vy = 0. - p[CAIRN_PREDICTED_V + 1],
                                          .vz = 0. - p[CAIRN_PREDICTED_V + 2],
                                          .w1x = p[CAIRN_PREDICTED_W],
                                          .w1y = p[CAIRN_PREDICTED_W + 1],
                                          .w1z = p[CAIRN_PREDICTED_W + 2],
                                          .l1 = distance,
                                          .rc = sqrt(rc2 > 0. ? rc2 : 0.),
                                          .root_mass = sqrt(m),
                                          .reduced_radius = r,
                                          .inverse_inertia1 = 1. / (0.4 * m * r * r)};
  const int32_t law = b->wall_law[w * s->n_materials + s->initial.material[i]];
  const int64_t at = i * s->n_walls + w;
  double *spring = b->wall_spring + 6 * at, *normal = b->wall_normal + 3 * at;
  const struct cairn_nearest touch = {distance, -n[0], -n[1], -n[2]};
  const struct cairn_wall_memory old = {.spring = {spring[0], spring[1], spring[2]},
                                        .normal = {normal[0], normal[1], normal[2]},
                                        .turn = {spring[3], spring[4], spring[5]},
                                        .age = b->wall_age[at]};
  cairn_walls_turn(&old, touch, still, b->h, spring);
  cairn_walls_turn_rolling(&old, touch, still, b->h, spring + 3);
  brute_force_contact(b, &pair, law, spring, b->wall_age + at, b->force + 6 * i, NULL);
  for (int k = 0; k < 3; k++)
    normal[k] = -n[k];
}

/* Kick, drift, forces, kick. */
static inline void brute_force_step(struct brute_force *b) {
  const struct cairn_state *s = &b->scenario->initial;
  const double half = 0.5 * b->h;
  for (int64_t i = 0; i < b->n; i++) {
    double *body = b->body + CAIRN_STATE * i, *predicted = b->predicted + CAIRN_PREDICTED * i;
    cairn_blocks_predict(body, b->h, predicted);
    for (int k = 0; k < 3; k++) {
      body[CAIRN_STATE_X + k] = predicted[CAIRN_PREDICTED_X + k];
      body[CAIRN_STATE_V + k] += half * body[CAIRN_STATE_A + k];
      body[CAIRN_STATE_W + k] += half * body[CAIRN_STATE_AW + k];
    }
  }
  memset(b->force, 0, 6 * (size_t)b->n * sizeof *b->force);
  for (int64_t i = 0; i < b->n; i++)
    for (int64_t j = i + 1; j < b->n; j++)
      brute_force_pair(b, i, j);
  for (int64_t i = 0; i < b->n; i++)
    for (int32_t w = 0; w < b->scenario->n_walls; w++)
      brute_force_wall(b, i, w);
  for (int64_t i = 0; i < b->n; i++) {
    double *body = b->body + CAIRN_STATE * i;
    const double inertia = 0.4 * s->mass[i] * s->radius[i] * s->radius[i];
    for (int k = 0; k < 3; k++) {
      body[CAIRN_STATE_A + k] = b->force[6 * i + k] * (1. / s->mass[i]) + b->scenario->gravity[k];
      body[CAIRN_STATE_AW + k] = b->force[6 * i + 3 + k] * (1. / inertia);
      body[CAIRN_STATE_V + k] += half * body[CAIRN_STATE_A + k];
      body[CAIRN_STATE_W + k] += half * body[CAIRN_STATE_AW + k];
    }
  }
}

/* The scenario must be resolved: a simulation of it was created, or cairn_simulation_plan called. */
static inline struct brute_force brute_force_create(const struct cairn_scenario *s) {
  const size_t n = (size_t)s->initial.n, walls = (size_t)s->n_walls, materials = (size_t)s->n_materials;
  struct brute_force b = {.scenario = s, .n = s->initial.n};
  struct cairn_task_world world = {0};
  size_t n_doubles;
  b.law = brute_force_memory(materials * materials, sizeof *b.law);
  b.wall_law = brute_force_memory(walls * materials, sizeof *b.wall_law);
  if (cairn_method_of(s)->constants(s, &world, b.law, b.wall_law, &b.world, &n_doubles, NULL))
    BAIL_OUT("no constants");
  b.rotation = world.rotation;
  b.laws = b.world + CAIRN_WORLD_LAWS;
  b.body = brute_force_memory(n * CAIRN_STATE, sizeof(double));
  b.predicted = brute_force_memory(n * CAIRN_PREDICTED, sizeof(double));
  b.force = brute_force_memory(n * 6, sizeof(double));
  b.spring = brute_force_memory(n * n * 6, sizeof(double));
  b.wall_spring = brute_force_memory(n * walls * 6, sizeof(double));
  b.wall_normal = brute_force_memory(n * walls * 3, sizeof(double));
  b.age = brute_force_memory(n * n, sizeof *b.age);
  b.wall_age = brute_force_memory(n * walls, sizeof *b.wall_age);
  for (size_t i = 0; i < n; i++) {
    memcpy(b.body + CAIRN_STATE * i + CAIRN_STATE_X, s->initial.position + 3 * i, 3 * sizeof(double));
    memcpy(b.body + CAIRN_STATE * i + CAIRN_STATE_V, s->initial.velocity + 3 * i, 3 * sizeof(double));
    memcpy(b.body + CAIRN_STATE * i + CAIRN_STATE_W, s->initial.spin + 3 * i, 3 * sizeof(double));
  }
  brute_force_step(&b); /* accelerations at the start: a step of no length */
  b.h = s->time_step;
  return b;
}

static inline void brute_force_advance(struct brute_force *b, int64_t n_steps) {
  for (int64_t k = 0; k < n_steps; k++)
    brute_force_step(b);
  b->step += n_steps;
}

/* The same as cairn_simulation_capture, into a state of the caller's. */
static inline void brute_force_capture(const struct brute_force *b, struct cairn_state *to) {
  const struct cairn_state *s = &b->scenario->initial;
  const int64_t walls = b->scenario->n_walls;
  int64_t n_contacts = 0, n_wall_contacts = 0;
  for (int64_t k = 0; k < b->n * b->n; k++)
    n_contacts += b->age[k] > 0;
  for (int64_t k = 0; k < b->n * walls; k++)
    n_wall_contacts += b->wall_age[k] > 0;
  if (cairn_state_resize(to, b->n, NULL) ||
      cairn_state_remember(to, cairn_method_of(b->scenario)->memory(b->scenario), NULL) ||
      cairn_state_resize_contacts(to, n_contacts, n_wall_contacts, NULL) ||
      cairn_state_resize_assemblies(to, b->scenario->n_assemblies, NULL))
    BAIL_OUT("out of memory");
  for (int32_t a = 0; a < b->scenario->n_assemblies; a++) {
    memcpy(to->assembly_position + 3 * a, b->scenario->assemblies[a].position, 3 * sizeof(double));
    to->assembly_orientation[4 * a + 3] = 1.;
  }
  to->step = b->step;
  to->time = (double)b->step * b->h;
  n_contacts = n_wall_contacts = 0;
  for (int64_t i = 0; i < b->n; i++) {
    const double *body = b->body + CAIRN_STATE * i;
    memcpy(to->position + 3 * i, body + CAIRN_STATE_X, 3 * sizeof(double));
    memcpy(to->velocity + 3 * i, body + CAIRN_STATE_V, 3 * sizeof(double));
    memcpy(to->spin + 3 * i, body + CAIRN_STATE_W, 3 * sizeof(double));
    memcpy(to->acceleration + 3 * i, body + CAIRN_STATE_A, 3 * sizeof(double));
    memcpy(to->angular_acceleration + 3 * i, body + CAIRN_STATE_AW, 3 * sizeof(double));
    to->radius[i] = s->radius[i];
    to->mass[i] = s->mass[i];
    to->material[i] = s->material[i];
    for (int64_t j = i + 1; j < b->n; j++) {
      if (b->age[i * b->n + j] == 0)
        continue;
      *pair_of(to, n_contacts) = (struct cairn_contact){(int32_t)i, (int32_t)j, 0, b->age[i * b->n + j]};
      const double *spring = b->spring + 6 * (i * b->n + j);
      memcpy(PAIR_MEMORY(to, n_contacts, spring), spring, 3 * sizeof(double));
      if (b->rotation == CAIRN_ROLLING_SPRING)
        memcpy(PAIR_MEMORY(to, n_contacts, rolling), spring + 3, 3 * sizeof(double));
      n_contacts++;
    }
    for (int64_t w = 0; w < walls; w++) {
      if (b->wall_age[i * walls + w] == 0)
        continue;
      *touch_of(to, n_wall_contacts) = (struct cairn_contact){(int32_t)i, (int32_t)w, 0, b->wall_age[i * walls + w]};
      memcpy(TOUCH_MEMORY(to, n_wall_contacts, normal), b->wall_normal + 3 * (i * walls + w), 3 * sizeof(double));
      const double *spring = b->wall_spring + 6 * (i * walls + w);
      memcpy(TOUCH_MEMORY(to, n_wall_contacts, spring), spring, 3 * sizeof(double));
      if (b->rotation == CAIRN_ROLLING_SPRING)
        memcpy(TOUCH_MEMORY(to, n_wall_contacts, rolling), spring + 3, 3 * sizeof(double));
      n_wall_contacts++;
    }
  }
}

static inline void brute_force_free(struct brute_force *b) {
  free(b->law);
  free(b->world);
  free(b->body);
  free(b->predicted);
  free(b->force);
  free(b->spring);
  free(b->wall_spring);
  free(b->wall_normal);
  free(b->wall_law);
  free(b->age);
  free(b->wall_age);
}

#endif
