#include "solvers/simulation/world.h"

#include <stdlib.h>
#include <string.h>

/* Equal laws are one law: with a single one the kernels keep it in registers. */
static int32_t find_law(double *laws, int32_t *n_laws, const double law[CAIRN_LAW_DOUBLES]) {
  const size_t bytes = CAIRN_LAW_DOUBLES * sizeof *law;
  int32_t k = 0;
  while (k < *n_laws && memcmp(laws + CAIRN_LAW_DOUBLES * k, law, bytes) != 0)
    k++;
  memcpy(laws + CAIRN_LAW_DOUBLES * k, law, bytes);
  if (k == *n_laws)
    *n_laws += 1;
  return k;
}

/* Pairs of materials that never meet have none. */
static void collect_laws(const struct cairn_scenario *s, cairn_world_law *put_law, double *laws, int32_t *law,
                         int32_t *wall_law, struct cairn_task_world *world) {
  const int32_t n = s->n_materials;
  double this[CAIRN_LAW_DOUBLES];
  world->n_laws = world->rotation = 0;
  for (int32_t k = 0; k < n * n; k++) {
    const bool rotates = put_law(s, k / n, k % n, false, this), meets = s->interaction_entry[k] >= 0;
    law[k] = meets ? find_law(laws, &world->n_laws, this) : 0;
    world->rotation |= meets && rotates;
  }
  for (int32_t w = 0; w < s->n_walls; w++)
    for (int32_t m = 0; m < n; m++) {
      const int32_t k = m * n + s->walls[w].material;
      put_law(s, m, s->walls[w].material, s->walls[w].behavior == CAIRN_WALL_FRICTIONLESS, this);
      wall_law[w * n + m] = s->interaction_entry[k] < 0 ? 0 : find_law(laws, &world->n_laws, this);
    }
}

static double capture_of(enum cairn_wall_behavior behavior) {
  return behavior == CAIRN_WALL_STICKY      ? CAIRN_WALL_CAPTURES
         : behavior == CAIRN_WALL_ABSORBING ? CAIRN_WALL_REMOVES
                                            : 0.;
}

/* The walls, and the meshes after them. */
static void put_walls(const struct cairn_scenario *s, double *world, size_t at) {
  size_t mesh = at + CAIRN_WALL * (size_t)s->n_walls;
  for (int32_t w = 0; w < s->n_walls; w++, at += CAIRN_WALL) {
    const struct cairn_wall *wall = s->walls + w;
    memcpy(world + at + CAIRN_WALL_SHAPE, wall->shape, sizeof wall->shape);
    world[at + CAIRN_WALL_ASSEMBLY] = (double)wall->assembly;
    world[at + CAIRN_WALL_CAPTURE] = capture_of(wall->behavior);
    if (!wall->mesh)
      continue;
    world[at + CAIRN_WALL_SHAPE + 1] = (double)mesh;
    memcpy(world + mesh, wall->mesh->data, wall->mesh->n_doubles * sizeof(double));
    mesh += wall->mesh->n_doubles;
  }
}

static size_t walls_size(const struct cairn_scenario *s) {
  size_t doubles = CAIRN_WALL * (size_t)s->n_walls;
  for (int32_t w = 0; w < s->n_walls; w++)
    doubles += s->walls[w].mesh ? s->walls[w].mesh->n_doubles : 0;
  return doubles;
}

int cairn_world_make(const struct cairn_scenario *s, cairn_world_law *put_law, struct cairn_task_world *world,
                     int32_t *law, int32_t *wall_law, double **block, size_t *n_doubles, struct cairn_error *error) {
  const size_t n = (size_t)s->n_materials;
  /* a law of its own at most for every pair of materials, and again for walls without friction */
  const size_t size = CAIRN_WORLD_LAWS + CAIRN_LAW_DOUBLES * 2 * n * n + walls_size(s);
  double *out = calloc(size, sizeof *out);
  if (!out)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the walls");
  for (int k = 0; k < 3; k++)
    out[CAIRN_WORLD_GX + k] = s->gravity[k];
  out[CAIRN_WORLD_LIMIT] = s->overlap_limit;
  out[CAIRN_WORLD_RANGE] = -1.;
  collect_laws(s, put_law, out + CAIRN_WORLD_LAWS, law, wall_law, world);
  put_walls(s, out, CAIRN_WORLD_LAWS + CAIRN_LAW_DOUBLES * (size_t)world->n_laws);
  *block = out;
  *n_doubles = size;
  return 0;
}
