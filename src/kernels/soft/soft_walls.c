/* What walls do to soft spheres. They act after the neighbours, in the order (body, wall, touch). */
#include <stddef.h>

#include "kernels/walls/capture.h"

static const double *wall_of(const struct cairn_soft_spheres *c, int32_t k) {
  return cairn_walls_of(c->world, c->n_laws) + (int64_t)CAIRN_WALL * c->b[k];
}

static struct cairn_wall_memory recall(const struct cairn_soft_spheres *c, int32_t k) {
  const double *n = c->normal + 3 * (int64_t)(k - c->size.n_pairs);
  struct cairn_wall_memory memory = {
      .spring = {c->sx[k], c->sy[k], c->sz[k]}, .normal = {n[0], n[1], n[2]}, .age = c->age[k]};
  if (c->qx) {
    memory.turn[0] = c->qx[k];
    memory.turn[1] = c->qy[k];
    memory.turn[2] = c->qz[k];
  }
  return memory;
}

/* A pair that does not touch. */
static void clear(const struct cairn_soft_spheres *c, int32_t k) {
  double *wall_load = c->wall_load + 6 * (int64_t)(k - c->size.n_pairs);
  c->age[k] = 0;
  for (int i = 0; i < CAIRN_BOND && c->bond[i]; i++)
    c->bond[i][k] = 0.; /* a wall that is gone lets go */
  for (int i = 0; i < 6; i++)
    wall_load[i] = 0.;
}

static int note_overlap(const struct cairn_soft_spheres *c, int32_t k, double overlap, struct cairn_report *report) {
  const double part = overlap / c->predicted[(int64_t)CAIRN_PREDICTED * c->a[k] + CAIRN_PREDICTED_R];
  if (!(part > c->world[CAIRN_WORLD_LIMIT]))
    return 0;
  if (part > report->overlap) {
    report->overlap = part;
    report->overlap_a = c->a[k];
    report->overlap_b = -1 - c->b[k];
  }
  return 1;
}

static void remember(const struct cairn_soft_spheres *c, int32_t k, const struct cairn_contact_result *r,
                     cairn_uint age) {
  c->sx[k] = r->sx;
  c->sy[k] = r->sy;
  c->sz[k] = r->sz;
  if (c->qx) {
    c->qx[k] = r->qx;
    c->qy[k] = r->qy;
    c->qz[k] = r->qz;
  }
  c->age[k] = cairn_blocks_age(age, r->weight);
}

/* The law at one touch; `old` is the memory it goes on with, or NULL. */
CAIRN_INLINE void act(const struct cairn_soft_spheres *c, int kind, int32_t k, const struct cairn_wall_memory *old,
                      struct cairn_nearest touch, const double *assembly, int32_t *beyond,
                      struct cairn_report *report) {
  static const struct cairn_wall_memory none = {.age = 0};
  const int64_t w = k - c->size.n_pairs;
  const double *p = c->predicted + (int64_t)CAIRN_PREDICTED * c->a[k];
  const struct cairn_wall_memory *memory = old ? old : &none;
  struct cairn_contact_pair pair = cairn_walls_pair(p, touch, assembly, c->root_mass[k]);
  struct cairn_contact_history before = cairn_walls_history(memory, touch, assembly, c->h);
  const int bonded = cairn_soft_spheres_is_bonded(c, k);
  const double *constants = cairn_laws_constants(c->world + CAIRN_WORLD_LAWS, c->law[k]);
  const struct cairn_attraction attraction = cairn_laws_attraction(constants);
  const struct cairn_neck neck = cairn_laws_neck(constants);
  struct cairn_contact_result r = bonded ? cairn_kernel_soft_bonds_wall(c, k, &pair, &before, report)
                                         : cairn_laws_contact(kind, constants, &pair, c->h, &before, c->rotation);
  if (!bonded)
    cairn_attraction_add(&attraction, &pair, c->h, &r);
  if (!bonded && cairn_laws_necks(c->world))
    cairn_neck_add(&neck, &pair, memory->age > 0, c->h, &r);
  double *f = c->force + (int64_t)CAIRN_FORCE * c->a[k];
  f[0] += r.fx;
  f[1] += r.fy;
  f[2] += r.fz;
  f[3] += r.t1x;
  f[4] += r.t1y;
  f[5] += r.t1z;
  if (!bonded)
    remember(c, k, &r, memory->age);
  c->normal[3 * w] = touch.nx;
  c->normal[3 * w + 1] = touch.ny;
  c->normal[3 * w + 2] = touch.nz;
  cairn_walls_load(p, touch, assembly, &r, c->wall_load + 6 * w);
  *beyond += bonded ? 0 : note_overlap(c, k, pair.x, report);
}

/* A captured body loads its wall with gravity, its contact forces, and its inertia where the wall is
 * accelerated; in the step that catches it with the momentum it loses. */
static void weigh(const struct cairn_soft_spheres *c, int32_t k, const double *assembly, double time) {
  const int32_t i = c->a[k];
  const double *f = c->force + (int64_t)CAIRN_FORCE * i;
  const double *captor = c->captor + (int64_t)CAIRN_CAPTURE * i, *before = c->state + (int64_t)CAIRN_STATE * i;
  const double m = 1. / c->inverse_mass[i], inertia = 1. / c->inverse_inertia[i];
  const int caught = captor[CAIRN_CAPTURE_TIME] == time && c->h > 0.;
  double *wall_load = c->wall_load + 6 * (int64_t)(k - c->size.n_pairs), captured[CAIRN_STATE], arm[3], load[6], g[3];
  cairn_kernel_capture_carry(assembly, captor + CAIRN_CAPTURE_PLACE, captured);
  cairn_soft_spheres_weight(c, i, captured + CAIRN_STATE_X, captured + CAIRN_STATE_V, g);
  for (int j = 0; j < 3; j++) {
    const double a =
        caught ? (captured[CAIRN_STATE_V + j] - before[CAIRN_STATE_V + j]) / c->h : captured[CAIRN_STATE_A + j];
    const double turn =
        caught ? (captured[CAIRN_STATE_W + j] - before[CAIRN_STATE_W + j]) / c->h : captured[CAIRN_STATE_AW + j];
    arm[j] = captured[CAIRN_STATE_X + j] - assembly[CAIRN_ASSEMBLY_X + j];
    load[j] = f[j] + m * (g[j] - a);
    load[3 + j] = f[3 + j] - inertia * turn;
  }
  for (int j = 0; j < 3; j++) {
    wall_load[j] = load[j];
    wall_load[3 + j] = arm[(j + 1) % 3] * load[(j + 2) % 3] - arm[(j + 2) % 3] * load[(j + 1) % 3] + load[3 + j];
  }
}

static double code_of(const struct cairn_soft_spheres *c, int32_t k) {
  return c->captor ? c->captor[(int64_t)CAIRN_CAPTURE * c->a[k] + CAIRN_CAPTURE_CAPTOR] : 0.;
}

/* Pairs k, k + 1, … of one body and one wall; returns how many they are. */
CAIRN_INLINE int32_t act_all(const struct cairn_soft_spheres *c, int kind, int32_t k, double time, int32_t *beyond,
                             struct cairn_report *report) {
  const double *wall = wall_of(c, k), *assembly = cairn_walls_assembly(wall, c->assemblies);
  const double *p = c->predicted + (int64_t)CAIRN_PREDICTED * c->a[k];
  const int32_t n_slots = cairn_walls_is_mesh(wall) ? CAIRN_WALL_TOUCHES : 1;
  struct cairn_wall_memory old[CAIRN_WALL_TOUCHES];
  struct cairn_nearest touch[CAIRN_WALL_TOUCHES];
  int32_t n = 0, heir[CAIRN_WALL_TOUCHES] = {0};
  if (wall[CAIRN_WALL_CAPTURE] != 0.)
    cairn_kernel_capture_bodies(c, k, time);
  else if (!(code_of(c, k) < 0.))
    n = cairn_walls_touches(c->world, wall, assembly, p, cairn_walls_attracted(c->world, p, assembly, c->h), touch);
  for (int32_t j = 0; j < n_slots; j++)
    old[j] = recall(c, k + j);
  if (n_slots > 1)
    cairn_walls_heirs(old, touch, n, heir);
  for (int32_t j = 0; j < n; j++)
    act(c, kind, k + j, heir[j] < 0 ? NULL : old + heir[j], touch[j], assembly, beyond, report);
  for (int32_t j = n; j < n_slots; j++)
    clear(c, k + j);
  return n_slots;
}

/* One loop for each law. */
typedef int32_t wall_loop(const struct cairn_soft_spheres *c, double time, struct cairn_report *report);

#define WALL_LOOP(law)                                                                                                 \
  static int32_t law##_walls(const struct cairn_soft_spheres *c, double time, struct cairn_report *report) {           \
    const int32_t begin = c->size.n_pairs, end = begin + c->size.n_wall_pairs;                                         \
    int32_t beyond = 0;                                                                                                \
    for (int32_t k = begin; k < end;)                                                                                  \
      k += act_all(c, CAIRN_LAW_##law, k, time, &beyond, report);                                                      \
    return beyond;                                                                                                     \
  }
CAIRN_LAWS(WALL_LOOP)

#define WALL_LOOP_ROW(law) [CAIRN_LAW_##law] = law##_walls,

int32_t cairn_kernel_soft_walls_forces(const struct cairn_soft_spheres *c, double time, struct cairn_report *report) {
  static wall_loop *const loops[CAIRN_N_LAWS] = {CAIRN_LAWS(WALL_LOOP_ROW)};
  const int32_t begin = c->size.n_pairs, end = begin + c->size.n_wall_pairs;
  const int32_t beyond = loops[c->law_kind](c, time, report);
  /* after the forces of all walls: captured bodies pass them on to theirs */
  for (int32_t k = begin; k < end && c->captor; k++) {
    const double *wall = wall_of(c, k), *assembly = cairn_walls_assembly(wall, c->assemblies);
    const int first = k == begin || c->a[k] != c->a[k - 1] || c->b[k] != c->b[k - 1];
    if (first && code_of(c, k) == 1. + (double)c->b[k] && assembly[CAIRN_ASSEMBLY_ACTIVE] != 0.)
      weigh(c, k, assembly, time);
  }
  return beyond;
}

struct cairn_contact_pair cairn_kernel_soft_walls_geometry(const struct cairn_soft_spheres *c, int32_t k) {
  const double *wall = wall_of(c, k), *assembly = cairn_walls_assembly(wall, c->assemblies);
  const double *p = c->predicted + (int64_t)CAIRN_PREDICTED * c->a[k],
               *n = c->normal + 3 * (int64_t)(k - c->size.n_pairs);
  struct cairn_nearest touch[CAIRN_WALL_TOUCHES];
  struct cairn_nearest nearest = {p[CAIRN_PREDICTED_R], n[0], n[1], n[2]};
  double best = -2.;
  const int32_t n_touches = cairn_walls_touches(c->world, wall, assembly, p, 1.5 * p[CAIRN_PREDICTED_R], touch);
  for (int32_t j = 0; j < n_touches; j++) {
    const double cosine = n[0] * touch[j].nx + n[1] * touch[j].ny + n[2] * touch[j].nz;
    if (cosine > best) {
      best = cosine;
      nearest = touch[j];
    }
  }
  return cairn_walls_pair(p, nearest, assembly, c->root_mass[k]);
}

double cairn_kernel_soft_walls_overlap(const struct cairn_soft_spheres *c, int32_t k) {
  return cairn_kernel_soft_walls_geometry(c, k).x;
}

void cairn_kernel_soft_walls_attraction(const struct cairn_soft_spheres *c, struct cairn_exact_sum *energy) {
  const int32_t begin = c->size.n_pairs, end = begin + c->size.n_wall_pairs;
  for (int32_t k = begin; k < end; k++) {
    const double *wall = wall_of(c, k), *assembly = cairn_walls_assembly(wall, c->assemblies);
    const double *p = c->predicted + (int64_t)CAIRN_PREDICTED * c->a[k];
    const int again = k > begin && c->a[k] == c->a[k - 1] && c->b[k] == c->b[k - 1];
    const double *constants = cairn_laws_constants(c->world + CAIRN_WORLD_LAWS, c->law[k]), r = p[CAIRN_PREDICTED_R];
    const struct cairn_attraction attraction = cairn_laws_attraction(constants);
    const struct cairn_neck neck = cairn_laws_neck(constants);
    struct cairn_nearest touch[CAIRN_WALL_TOUCHES];
    if (again || wall[CAIRN_WALL_CAPTURE] != 0. || code_of(c, k) < 0. || cairn_soft_spheres_is_bonded(c, k))
      continue;
    const double reach = cairn_walls_attracted(c->world, p, assembly, 0.);
    const int32_t n = cairn_walls_touches(c->world, wall, assembly, p, reach, touch);
    for (int32_t j = 0; j < n; j++) {
      cairn_exact_sum_add(energy, cairn_attraction_energy(&attraction, touch[j].distance - r, r));
      if (c->age[k + j] > 0)
        cairn_exact_sum_add(energy, cairn_neck_energy(&neck, touch[j].distance - r, r));
    }
  }
}

struct cairn_body_step cairn_kernel_soft_walls_carry(const struct cairn_soft_spheres *c, int32_t i) {
  double *state = c->state + (int64_t)CAIRN_STATE * i, *predicted = c->predicted + (int64_t)CAIRN_PREDICTED * i;
  double *captor = c->captor + (int64_t)CAIRN_CAPTURE * i;
  struct cairn_body_step result = {0., 0., 0};
  if (captor[CAIRN_CAPTURE_CAPTOR] < 0.) {
    cairn_kernel_capture_park(c, i);
    cairn_blocks_predict(state, c->h, predicted);
    return result;
  }
  const double *assembly = cairn_kernel_capture_assembly(c, i);
  if (assembly[CAIRN_ASSEMBLY_ACTIVE] == 0.) { /* the wall is gone: it lets go */
    for (int k = 0; k < CAIRN_CAPTURE; k++)
      captor[k] = 0.;
    return cairn_blocks_step(state, predicted, c->force + (int64_t)CAIRN_FORCE * i, c->inverse_mass[i],
                             c->inverse_inertia[i], c->reference + 3 * (int64_t)i, cairn_soft_spheres_field(c, i),
                             &c->external, c->h);
  }
  cairn_kernel_capture_carry(assembly, captor + CAIRN_CAPTURE_PLACE, state);
  cairn_blocks_predict(state, c->h, predicted);
  for (int k = 0; k < 3; k++) {
    const double d = predicted[CAIRN_PREDICTED_X + k] - c->reference[3 * (int64_t)i + k];
    result.displacement2 += d * d;
    result.speed2 += predicted[CAIRN_PREDICTED_V + k] * predicted[CAIRN_PREDICTED_V + k];
  }
  result.bad = !(result.displacement2 < INFINITY);
  return result;
}
