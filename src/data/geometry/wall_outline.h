/* Walls as grids of points, for programs that draw them. */
#ifndef CAIRN_DATA_GEOMETRY_WALL_OUTLINE_H
#define CAIRN_DATA_GEOMETRY_WALL_OUTLINE_H

#include <stdbool.h>

#include "cairn/observables.h"
#include "kernels/shapes/shapes.h"

/* How many cells the grid of a shape has along each of its two parameters: none for a point, along the first only for a
 * curve. False for a mesh, which is drawn by its triangles. */
bool cairn_wall_outline_cells(const double shape[CAIRN_SHAPE_DOUBLES], int n[2]);

/* The corner (i, j) of that grid in the world, where the wall stands as the sample says; the shape is relative to the
 * wall's reference point. What has no end is drawn as long or wide as the diagonal of `box`, about the place nearest to
 * its middle. */
void cairn_wall_outline_point(const double shape[CAIRN_SHAPE_DOUBLES], const struct cairn_wall_sample *wall,
                              const double box[2][3], int i, int j, double point[3]);

/* A point in the coordinates of the wall, relative to its reference point, in the world. */
void cairn_wall_outline_place(const struct cairn_wall_sample *wall, const double local[3], double point[3]);

#endif
