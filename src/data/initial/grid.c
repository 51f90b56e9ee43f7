#include "data/initial/grid.h"

#include <math.h>
#include <string.h>

#include "data/initial/bodies_move.h"
#include "data/scenario/walls.h"
#include "data/schema/schema.h"

/* A point of a grid may miss the border of a region by this part of the spacing: rounding must not decide. */
static const double on_border = 1e-9;

/* The axes of the grid, turned where the lattice says so. */
static int read_axes(const struct cairn_node *node, const char *file, struct cairn_grid *grid,
                     struct cairn_error *error) {
  const struct cairn_node *turn = cairn_yaml_child(node, "turn");
  double axis[3];
  for (int k = 0; k < 9; k++)
    grid->axes[k / 3][k % 3] = k % 4 == 0;
  int status = turn ? cairn_walls_read_direction(file, turn, "axis", axis, error) : CAIRN_OK;
  for (int k = 0; k < 3 && turn && status == CAIRN_OK; k++)
    cairn_bodies_turn_vector(axis, cairn_schema_number(turn, "angle"), grid->axes[k]);
  return status;
}

/* Spacing of points, rows and layers. */
static int read_arrangement(const struct cairn_node *node, const char *file, struct cairn_grid *grid,
                            struct cairn_error *error) {
  const char *name = cairn_schema_text(node, "arrangement");
  const double *d = grid->spacing;
  grid->arrangement = strcmp(name, "hexagonal") == 0 ? CAIRN_GRID_HEXAGONAL
                      : strcmp(name, "cubic") == 0   ? CAIRN_GRID_CUBIC
                                                     : CAIRN_GRID_RECTANGULAR;
  if (grid->arrangement == CAIRN_GRID_RECTANGULAR)
    return CAIRN_OK;
  if (d[0] != d[1] || d[1] != d[2])
    return cairn_yaml_error(error, file, cairn_yaml_child(node, "spacing"),
                            "found three distances; allowed with `arrangement: %s`: one", name);
  grid->spacing[1] *= sqrt(3. / 4);
  grid->spacing[2] *= sqrt(2. / 3);
  return CAIRN_OK;
}

/* The points of the grid around the region: its box as the turned axes see it. Points of close packings lie up to two
 * places beyond their own. */
static void surround(struct cairn_grid *grid, double n[3]) {
  const double more = grid->arrangement == CAIRN_GRID_RECTANGULAR ? 0 : 2;
  double lower[3], upper[3];
  cairn_region_bounds(&grid->region, lower, upper);
  for (int a = 0; a < 3; a++) {
    double low = 0, high = 0;
    for (int k = 0; k < 3; k++) {
      const double p = grid->axes[a][k] * (lower[k] - grid->origin[k]);
      const double q = grid->axes[a][k] * (upper[k] - grid->origin[k]);
      low += fmin(p, q);
      high += fmax(p, q);
    }
    grid->low[a] = ceil(low / grid->spacing[a] - on_border) - more;
    n[a] = fmax(0, floor(high / grid->spacing[a] + on_border) - grid->low[a] + 1);
  }
}

int cairn_grid_read(const struct cairn_node *node, const char *file, bool dry, struct cairn_grid *grid,
                    struct cairn_error *error) {
  const struct cairn_node *counts = cairn_yaml_child(node, "counts"), *in = cairn_yaml_child(node, "in");
  double n[3];
  memset(grid, 0, sizeof *grid);
  if (!counts == !in)
    return cairn_yaml_error(error, file, node, "needs either the key counts or the key in");
  cairn_schema_numbers(node, "origin", 3, grid->origin);
  cairn_schema_numbers(node, "spacing", 3, grid->spacing);
  cairn_schema_numbers(node, "counts", 3, n);
  int status = read_axes(node, file, grid, error);
  if (status == CAIRN_OK)
    status = read_arrangement(node, file, grid, error);
  grid->has_region = in != NULL;
  if (in && status == CAIRN_OK)
    status = cairn_region_read(in, file, dry, &grid->region, error);
  if (status != CAIRN_OK || (dry && grid->region.shape == CAIRN_REGION_MESH))
    return status;
  if (in)
    surround(grid, n);
  double total = n[0] * n[1] * n[2];
  if (!(total <= INT32_MAX))
    return cairn_yaml_error(error, file, counts ? counts : in, "found %g %s in all; allowed: at most %d", total,
                            counts ? "bodies" : "points of the grid around the region", INT32_MAX);
  for (int k = 0; k < 3; k++)
    grid->n[k] = (int64_t)n[k];
  return CAIRN_OK;
}

/* Where a layer of a close packing lies and which row of it this is, in parts of the spacing. */
static void shift(const struct cairn_grid *grid, const double at[3], double *x, double *y) {
  const double row = at[1] - 2 * floor(at[1] / 2), cycle = grid->arrangement == CAIRN_GRID_HEXAGONAL ? 2 : 3;
  const double layer = at[2] - cycle * floor(at[2] / cycle);
  *x += (row + layer) / 2;
  *y += layer / 3;
}

bool cairn_grid_point(const struct cairn_grid *grid, int64_t i, double x[3]) {
  const int64_t index[3] = {i % grid->n[0], i / grid->n[0] % grid->n[1], i / grid->n[0] / grid->n[1]};
  double at[3], push[3], least = fmin(grid->spacing[0], fmin(grid->spacing[1], grid->spacing[2]));
  for (int k = 0; k < 3; k++)
    at[k] = grid->low[k] + (double)index[k];
  if (grid->arrangement != CAIRN_GRID_RECTANGULAR)
    shift(grid, at, at, at + 1);
  for (int k = 0; k < 3; k++) {
    x[k] = grid->origin[k];
    for (int a = 0; a < 3; a++)
      x[k] += grid->axes[a][k] * (grid->spacing[a] * at[a]);
  }
  if (!grid->has_region)
    return true;
  cairn_region_push(&grid->region, x, 0, push);
  return fmax(fabs(push[0]), fmax(fabs(push[1]), fabs(push[2]))) <= on_border * least;
}
