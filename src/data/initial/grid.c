#include "data/initial/grid.h"

#include <math.h>
#include <string.h>

#include "data/schema/schema.h"

/* A point of a grid may miss the border of a region by this part of the spacing: rounding must not decide. */
static const double on_border = 1e-9;

int cairn_grid_read(const struct cairn_node *node, const char *file, struct cairn_grid *grid,
                    struct cairn_error *error) {
  const struct cairn_node *counts = cairn_yaml_child(node, "counts"), *in = cairn_yaml_child(node, "in");
  double n[3], lower[3], upper[3];
  if (!counts == !in)
    return cairn_yaml_error(error, file, node, "needs either the key counts or the key in");
  memset(grid, 0, sizeof *grid);
  cairn_schema_numbers(node, "origin", 3, grid->origin);
  cairn_schema_numbers(node, "spacing", 3, grid->spacing);
  cairn_schema_numbers(node, "counts", 3, n);
  grid->has_region = in != NULL;
  if (in) {
    int status = cairn_region_read(in, file, &grid->region, error);
    if (status != CAIRN_OK)
      return status;
    cairn_region_bounds(&grid->region, lower, upper);
    for (int k = 0; k < 3; k++) {
      grid->low[k] = ceil((lower[k] - grid->origin[k]) / grid->spacing[k] - on_border);
      n[k] = fmax(0, floor((upper[k] - grid->origin[k]) / grid->spacing[k] + on_border) - grid->low[k] + 1);
    }
  }
  double total = n[0] * n[1] * n[2];
  if (!(total <= INT32_MAX))
    return cairn_yaml_error(error, file, counts ? counts : in, "found %g %s in all; allowed: at most %d", total,
                            counts ? "bodies" : "points of the grid around the region", INT32_MAX);
  for (int k = 0; k < 3; k++)
    grid->n[k] = (int64_t)n[k];
  return CAIRN_OK;
}

bool cairn_grid_point(const struct cairn_grid *grid, int64_t i, double x[3]) {
  int64_t index[3] = {i % grid->n[0], i / grid->n[0] % grid->n[1], i / grid->n[0] / grid->n[1]};
  double push[3], least = fmin(grid->spacing[0], fmin(grid->spacing[1], grid->spacing[2]));
  for (int k = 0; k < 3; k++)
    x[k] = grid->origin[k] + grid->spacing[k] * (grid->low[k] + (double)index[k]);
  if (!grid->has_region)
    return true;
  cairn_region_push(&grid->region, x, 0, push);
  return fmax(fabs(push[0]), fmax(fabs(push[1]), fabs(push[2]))) <= on_border * least;
}
