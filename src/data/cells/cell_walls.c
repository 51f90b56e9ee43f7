#include "data/cells/cell_walls.h"

#include <math.h>
#include <stdlib.h>

/* Does the surface of a wall come within `reach` of a point? Walls that are not there yet may come. */
static bool is_near(const struct cairn_cells_rules *rules, int32_t w, const double x[3], double reach) {
  const double *wall = cairn_walls_of(rules->world, rules->n_laws) + (int64_t)CAIRN_WALL * w;
  const double *assembly = cairn_walls_assembly(wall, rules->assemblies);
  double local[3];
  cairn_walls_inward(assembly, x, local);
  if (cairn_walls_is_mesh(wall))
    return cairn_mesh_is_near(rules->world + (size_t)wall[CAIRN_WALL_SHAPE + 1], local[0], local[1], local[2], reach);
  return cairn_shapes_nearest(wall + CAIRN_WALL_SHAPE, local[0], local[1], local[2]).distance < reach;
}

/* May it have captured bodies, however far from its surface? */
static bool holds(const struct cairn_cells_rules *rules, int32_t w) {
  const double *wall = cairn_walls_of(rules->world, rules->n_laws) + (int64_t)CAIRN_WALL * w;
  return wall[CAIRN_WALL_CAPTURE] == (double)CAIRN_WALL_CAPTURES;
}

/* The walls that come near the sphere around the cell's box, or may hold bodies. */
static int32_t cull(const struct cairn_cells *cells, const struct cairn_cell *cell, int32_t *wall) {
  double center[3], diagonal2 = 0.;
  int32_t n = 0;
  for (int k = 0; k < 3; k++) {
    const double edge = cell->upper[k] - cell->lower[k];
    center[k] = cell->lower[k] + 0.5 * edge;
    diagonal2 += edge * edge;
  }
  for (int32_t w = 0; w < cells->rules.n_walls; w++)
    if (holds(&cells->rules, w) || is_near(&cells->rules, w, center, 0.5 * sqrt(diagonal2) + cells->wall_skin))
      wall[n++] = w;
  return n;
}

int cairn_cell_walls_find(const struct cairn_cells *cells, const struct cairn_cell *cell,
                          const struct cairn_sphere *sphere, struct cairn_pairs *pairs) {
  const struct cairn_cells_rules *rules = &cells->rules;
  int32_t *wall = malloc((size_t)rules->n_walls * sizeof *wall + 1);
  if (!wall)
    return -1;
  const int32_t n_walls = cull(cells, cell, wall);
  int failed = 0;
  for (int32_t i = 0; i < cell->size.n && n_walls > 0; i++) {
    const double x[3] = {sphere[i].x, sphere[i].y, sphere[i].z};
    const int32_t captor = rules->captures ? cairn_packet_bodies(cell->packet)[i].captor : 0;
    for (int32_t k = 0; k < n_walls; k++) {
      if (captor != 1 + wall[k] && !is_near(rules, wall[k], x, sphere[i].r + cells->wall_skin))
        continue;
      const double *record = cairn_walls_of(rules->world, rules->n_laws) + (int64_t)CAIRN_WALL * wall[k];
      const int n_slots = cairn_walls_is_mesh(record) ? CAIRN_WALL_TOUCHES : 1;
      for (int slot = 0; slot < n_slots; slot++)
        failed |= cairn_search_pairs_add(pairs, i, wall[k]);
    }
  }
  free(wall);
  return failed;
}
