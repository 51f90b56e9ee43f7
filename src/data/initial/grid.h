/* Grids of points, whole or cut by a region: where lattices put their bodies. */
#ifndef CAIRN_DATA_INITIAL_GRID_H
#define CAIRN_DATA_INITIAL_GRID_H

#include <stdbool.h>

#include "data/initial/region.h"

/* Close packings are layers of triangles. Those of the hexagonal one alternate between two places, those of the cubic
 * one go through three. */
enum cairn_grid_arrangement { CAIRN_GRID_RECTANGULAR, CAIRN_GRID_HEXAGONAL, CAIRN_GRID_CUBIC };

/* The part of a grid in which bodies are put: the points from `low` on, `n` of them along each axis, and of these the
 * ones in the region if there is one. */
struct cairn_grid {
  enum cairn_grid_arrangement arrangement;
  double origin[3], spacing[3]; /* m; of a close packing the distances of points, rows and layers */
  double axes[3][3];            /* unit vectors along which the grid lies */
  double low[3];                /* whole numbers */
  int64_t n[3];
  bool has_region;
  struct cairn_region region;
};

/* Read the grid of a validated lattice, and its region as cairn_region_read does: the caller gives that back, also
 * after an error. */
int cairn_grid_read(const struct cairn_node *node, const char *file, bool dry, struct cairn_grid *grid,
                    struct cairn_error *error);

/* The place of point i of the grid; false if it is outside the region. */
bool cairn_grid_point(const struct cairn_grid *grid, int64_t i, double x[3]);

#endif
