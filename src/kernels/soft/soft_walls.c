/* What walls do to soft spheres. They act after the neighbours, in the order (body, wall, touch). */
#include <stddef.h>

#include "kernels/common/vector.h"
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

/* ---- many touches at once ---- */

/* Touches are computed a tile at a time, as pairs of bodies are (soft_spheres.c): what the law needs of each stands in
 * arrays, a vector loop computes it, and its results go to bodies and walls in the order of the list. */
enum { TILE = 32 };

struct tile {
  int32_t n, pair[TILE], row[TILE]; /* which pair, and where the constants of its law begin */
  uint32_t age[TILE];
  _Alignas(64) double body[CAIRN_PREDICTED][TILE];
  double distance[TILE], normal[3][TILE], root_mass[TILE];
  double place[3][TILE], velocity[3][TILE], spin[3][TILE]; /* of the assembly */
  double spring[3][TILE], turn[3][TILE];                   /* remembered, then new */
  double before[3][TILE];                                  /* the normal that is remembered */
  double force[6][TILE], load[6][TILE], weight[TILE], overlap[TILE];
};

CAIRN_INLINE void tile_law(const struct cairn_soft_spheres *c, int kind, int rotation, struct tile *restrict t) {
  const double *restrict laws = c->world + CAIRN_WORLD_LAWS;
  const double h = c->h;
#pragma GCC ivdep
  for (int32_t k = 0; k < t->n; k++) {
    const struct cairn_nearest touch = {t->distance[k], t->normal[0][k], t->normal[1][k], t->normal[2][k]};
    double p[CAIRN_PREDICTED], constants[CAIRN_LAW_DOUBLES], assembly[CAIRN_ASSEMBLY_W + 3], load[6];
    struct cairn_wall_memory old = {.age = t->age[k]};
    for (int j = 0; j < CAIRN_PREDICTED; j++)
      p[j] = t->body[j][k];
    for (int j = 0; j < CAIRN_LAW_DOUBLES; j++)
      constants[j] = laws[t->row[k] + j];
    for (int j = 0; j < 3; j++) {
      assembly[CAIRN_ASSEMBLY_X + j] = t->place[j][k];
      assembly[CAIRN_ASSEMBLY_V + j] = t->velocity[j][k];
      assembly[CAIRN_ASSEMBLY_W + j] = t->spin[j][k];
      old.spring[j] = t->spring[j][k];
      old.normal[j] = t->before[j][k];
      old.turn[j] = rotation == CAIRN_ROLLING_SPRING ? t->turn[j][k] : 0.;
    }
    const struct cairn_contact_pair pair = cairn_walls_pair(p, touch, assembly, t->root_mass[k]);
    const struct cairn_contact_history history = cairn_walls_history(&old, touch, assembly, h);
    const struct cairn_contact_result r = cairn_laws_contact(kind, constants, &pair, h, &history, rotation);
    cairn_walls_load(p, touch, assembly, &r, load);
    const double force[6] = {r.fx, r.fy, r.fz, r.t1x, r.t1y, r.t1z}, s[3] = {r.sx, r.sy, r.sz},
                 q[3] = {r.qx, r.qy, r.qz};
    for (int j = 0; j < 6; j++) {
      t->force[j][k] = force[j];
      t->load[j][k] = load[j];
    }
    for (int j = 0; j < 3; j++)
      t->spring[j][k] = s[j];
    for (int j = 0; j < 3 && rotation == CAIRN_ROLLING_SPRING; j++)
      t->turn[j][k] = q[j];
    t->weight[k] = r.weight;
    t->overlap[k] = pair.x;
  }
}

/* One clone set for each law and kind of rolling friction. */
typedef void tile_loop(const struct cairn_soft_spheres *c, struct tile *tile);

#define TILE_LOOP(law, name, rotation)                                                                                 \
  CAIRN_CLONES static void law##_tile_##name(const struct cairn_soft_spheres *c, struct tile *tile) {                  \
    tile_law(c, CAIRN_LAW_##law, rotation, tile);                                                                      \
  }
#define TILE_LOOPS(law)                                                                                                \
  TILE_LOOP(law, none, CAIRN_ROLLING_NONE)                                                                             \
  TILE_LOOP(law, spring, CAIRN_ROLLING_SPRING)                                                                         \
  TILE_LOOP(law, viscous, CAIRN_ROLLING_VISCOUS)
CAIRN_LAWS(TILE_LOOPS)
#define TILE_LOOP_ROW(law) [CAIRN_LAW_##law] = {law##_tile_none, law##_tile_spring, law##_tile_viscous},

/* Is the law all that acts at the touches of this cell? Bonds, attraction and necks are computed one by one. */
static int is_plain(const struct cairn_soft_spheres *c) {
  return !cairn_laws_attract(c->world) && !cairn_laws_necks(c->world) && !c->bond[CAIRN_BOND_LENGTH] &&
         !c->qx == (c->rotation != CAIRN_ROLLING_SPRING);
}

static void tile_put(struct tile *t, const struct cairn_soft_spheres *c, int32_t k, const struct cairn_wall_memory *old,
                     struct cairn_nearest touch, const double *assembly) {
  const int32_t i = t->n++;
  const double *p = c->predicted + (int64_t)CAIRN_PREDICTED * c->a[k];
  const double normal[3] = {touch.nx, touch.ny, touch.nz};
  t->pair[i] = k;
  t->row[i] = CAIRN_LAW_DOUBLES * c->law[k];
  t->age[i] = old->age;
  t->distance[i] = touch.distance;
  t->root_mass[i] = c->root_mass[k];
  for (int j = 0; j < CAIRN_PREDICTED; j++)
    t->body[j][i] = p[j];
  for (int j = 0; j < 3; j++) {
    t->normal[j][i] = normal[j];
    t->place[j][i] = assembly[CAIRN_ASSEMBLY_X + j];
    t->velocity[j][i] = assembly[CAIRN_ASSEMBLY_V + j];
    t->spin[j][i] = assembly[CAIRN_ASSEMBLY_W + j];
    t->spring[j][i] = old->spring[j];
    t->turn[j][i] = old->turn[j];
    t->before[j][i] = old->normal[j];
  }
}

/* Compute the law at all touches of a tile, which is empty then; returns how many overlap beyond the limit. */
static int32_t tile_flush(const struct cairn_soft_spheres *c, struct tile *t, struct cairn_report *report) {
  static tile_loop *const loops[CAIRN_N_LAWS][3] = {CAIRN_LAWS(TILE_LOOP_ROW)};
  int32_t beyond = 0;
  loops[c->law_kind][c->rotation](c, t);
  for (int32_t i = 0; i < t->n; i++) {
    const int32_t k = t->pair[i];
    const int64_t w = k - c->size.n_pairs;
    double *f = c->force + (int64_t)CAIRN_FORCE * c->a[k];
    for (int j = 0; j < 6; j++) {
      f[j] += t->force[j][i];
      c->wall_load[6 * w + j] = t->load[j][i];
    }
    const struct cairn_contact_result r = {.sx = t->spring[0][i],
                                           .sy = t->spring[1][i],
                                           .sz = t->spring[2][i],
                                           .qx = t->turn[0][i],
                                           .qy = t->turn[1][i],
                                           .qz = t->turn[2][i],
                                           .weight = t->weight[i]};
    remember(c, k, &r, t->age[i]);
    for (int j = 0; j < 3; j++)
      c->normal[3 * w + j] = t->normal[j][i];
    beyond += note_overlap(c, k, t->overlap[i], report);
  }
  t->n = 0;
  return beyond;
}

/* ---- one touch ---- */

/* The law at one touch; `memory` is what it goes on with. */
CAIRN_INLINE void act(const struct cairn_soft_spheres *c, int kind, int32_t k, const struct cairn_wall_memory *memory,
                      struct cairn_nearest touch, const double *assembly, int32_t *beyond,
                      struct cairn_report *report) {
  const int64_t w = k - c->size.n_pairs;
  const double *p = c->predicted + (int64_t)CAIRN_PREDICTED * c->a[k];
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

/* Pairs k, k + 1, … of one body and one wall; returns how many they are. With a tile, which has room for them, their
 * touches go there. */
CAIRN_INLINE int32_t act_all(const struct cairn_soft_spheres *c, int kind, int32_t k, double time, struct tile *tile,
                             int32_t *beyond, struct cairn_report *report) {
  const double *wall = wall_of(c, k), *assembly = cairn_walls_assembly(wall, c->assemblies);
  const double *p = c->predicted + (int64_t)CAIRN_PREDICTED * c->a[k];
  const int is_mesh = cairn_walls_is_mesh(wall);
  const int32_t n_slots = is_mesh ? CAIRN_WALL_TOUCHES : 1;
  struct cairn_wall_memory old[CAIRN_WALL_TOUCHES];
  struct cairn_nearest touch[CAIRN_WALL_TOUCHES];
  int32_t n = 0, heir[CAIRN_WALL_TOUCHES] = {0};
  if (wall[CAIRN_WALL_CAPTURE] != 0.)
    cairn_kernel_capture_bodies(c, k, time);
  else if (!(code_of(c, k) < 0.))
    n = cairn_walls_touches(c->world, wall, assembly, p,
                            is_mesh ? cairn_walls_attracted(c->world, p, assembly, c->h) : 0., touch);
  for (int32_t j = 0; j < n_slots; j++)
    old[j] = recall(c, k + j);
  if (n_slots > 1)
    cairn_walls_heirs(old, touch, n, heir);
  for (int32_t j = 0; j < n; j++) {
    static const struct cairn_wall_memory none = {.age = 0};
    const struct cairn_wall_memory *memory = heir[j] < 0 ? &none : old + heir[j];
    if (tile)
      tile_put(tile, c, k + j, memory, touch[j], assembly);
    else
      act(c, kind, k + j, memory, touch[j], assembly, beyond, report);
  }
  for (int32_t j = n; j < n_slots; j++)
    clear(c, k + j);
  return n_slots;
}

/* One loop for each law, where touches are computed one by one. */
typedef int32_t wall_loop(const struct cairn_soft_spheres *c, double time, struct cairn_report *report);

#define WALL_LOOP(law)                                                                                                 \
  static int32_t law##_walls(const struct cairn_soft_spheres *c, double time, struct cairn_report *report) {           \
    const int32_t begin = c->size.n_pairs, end = begin + c->size.n_wall_pairs;                                         \
    int32_t beyond = 0;                                                                                                \
    for (int32_t k = begin; k < end;)                                                                                  \
      k += act_all(c, CAIRN_LAW_##law, k, time, NULL, &beyond, report);                                                \
    return beyond;                                                                                                     \
  }
CAIRN_LAWS(WALL_LOOP)

#define WALL_LOOP_ROW(law) [CAIRN_LAW_##law] = law##_walls,

/* And one for all, where they are computed in tiles. */
static int32_t plain_walls(const struct cairn_soft_spheres *c, double time, struct cairn_report *report) {
  const int32_t begin = c->size.n_pairs, end = begin + c->size.n_wall_pairs;
  int32_t beyond = 0;
  struct tile tile;
  tile.n = 0;
  for (int32_t k = begin; k < end;) {
    if (tile.n > TILE - CAIRN_WALL_TOUCHES)
      beyond += tile_flush(c, &tile, report);
    k += act_all(c, 0, k, time, &tile, &beyond, report);
  }
  return beyond + tile_flush(c, &tile, report);
}

int32_t cairn_kernel_soft_walls_forces(const struct cairn_soft_spheres *c, double time, struct cairn_report *report) {
  static wall_loop *const loops[CAIRN_N_LAWS] = {CAIRN_LAWS(WALL_LOOP_ROW)};
  const int32_t begin = c->size.n_pairs, end = begin + c->size.n_wall_pairs;
  const int32_t beyond = (is_plain(c) ? plain_walls : loops[c->law_kind])(c, time, report);
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
