#include "data/files/wall_triangles.h"

#include <math.h>
#include <netcdf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "data/scenario/scenario.h"
#include "data/storage/nc.h"
#include "kernels/shapes/mesh.h"

static const char triangle_dimension[] = "triangle", count_variable[] = "wall_triangles",
                  corners_variable[] = "triangle_corners";

static int allocate(struct cairn_wall_triangles *triangles, int64_t n, int32_t n_walls, const char *what,
                    struct cairn_error *error) {
  triangles->n = n;
  triangles->count = calloc((size_t)n_walls, sizeof *triangles->count);
  triangles->corners = calloc((size_t)n, CAIRN_MESH_TRIANGLE * sizeof *triangles->corners);
  if (triangles->count && triangles->corners)
    return CAIRN_OK;
  cairn_wall_triangles_fini(triangles);
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the triangles of '%s'", what);
}

int cairn_wall_triangles_make(const struct cairn_scenario *scenario, struct cairn_wall_triangles *triangles,
                              struct cairn_error *error) {
  int64_t n = 0;
  *triangles = (struct cairn_wall_triangles){0};
  for (int32_t w = 0; w < scenario->n_walls; w++)
    n += scenario->walls[w].mesh ? scenario->walls[w].mesh->n_triangles : 0;
  if (n == 0)
    return CAIRN_OK;
  int status = allocate(triangles, n, scenario->n_walls, scenario->file, error);
  double *to = triangles->corners;
  for (int32_t w = 0; w < scenario->n_walls && status == CAIRN_OK; w++) {
    const struct cairn_wall *wall = &scenario->walls[w];
    const double *origin = scenario->assemblies[wall->assembly].position;
    const int64_t count = wall->mesh ? wall->mesh->n_triangles : 0;
    triangles->count[w] = (int32_t)count;
    for (int64_t i = 0; i < 3 * count; i++, to += 3) /* corner by corner, relative to the assembly */
      for (int k = 0; k < 3; k++)
        to[k] = wall->mesh->data[CAIRN_MESH_HEADER + 3 * i + k] + origin[k] - wall->reference[k];
  }
  return status;
}

void cairn_wall_triangles_fini(struct cairn_wall_triangles *triangles) {
  free(triangles->count);
  free(triangles->corners);
  *triangles = (struct cairn_wall_triangles){0};
}

int cairn_wall_triangles_define(int nc, int wall, int spatial, const struct cairn_wall_triangles *triangles) {
  int dimension[3] = {0, 0, spatial}, variable;
  if (!triangles || triangles->n == 0)
    return NC_NOERR;
  CAIRN_NC_TRY(nc_def_dim(nc, triangle_dimension, (size_t)triangles->n, &dimension[0]));
  CAIRN_NC_TRY(nc_def_dim(nc, "corner", 3, &dimension[1]));
  CAIRN_NC_TRY(nc_def_var(nc, count_variable, NC_INT, 1, &wall, &variable));
  CAIRN_NC_TRY(cairn_nc_put_meaning(nc, variable, "1", "triangles of the wall, 0 if it is no mesh"));
  CAIRN_NC_TRY(nc_def_var(nc, corners_variable, NC_DOUBLE, 3, dimension, &variable));
  return cairn_nc_put_meaning(nc, variable, "m",
                              "corners relative to the wall's reference point, one wall after the other");
}

int cairn_wall_triangles_put(int nc, const struct cairn_wall_triangles *triangles) {
  int variable;
  if (!triangles || triangles->n == 0)
    return NC_NOERR;
  CAIRN_NC_TRY(nc_inq_varid(nc, count_variable, &variable));
  CAIRN_NC_TRY(nc_put_var_int(nc, variable, triangles->count));
  CAIRN_NC_TRY(nc_inq_varid(nc, corners_variable, &variable));
  return nc_put_var_double(nc, variable, triangles->corners);
}

/* Counts that add up, corners that are places. */
static bool is_good(const struct cairn_wall_triangles *triangles, int32_t n_walls) {
  int64_t n = 0;
  bool good = true;
  for (int32_t w = 0; w < n_walls; w++) {
    good = good && triangles->count[w] >= 0;
    n += triangles->count[w];
  }
  for (int64_t i = 0; i < CAIRN_MESH_TRIANGLE * triangles->n && good; i++)
    good = isfinite(triangles->corners[i]);
  return good && n == triangles->n;
}

int cairn_wall_triangles_read(int nc, const char *path, int32_t n_walls, struct cairn_wall_triangles *triangles,
                              struct cairn_error *error) {
  struct stat about;
  int dimension;
  size_t n;
  *triangles = (struct cairn_wall_triangles){0};
  if (nc_inq_dimid(nc, triangle_dimension, &dimension) || nc_inq_dimlen(nc, dimension, &n))
    return CAIRN_OK;
  int status = CAIRN_OK, nc_status = NC_EVARSIZE;
  /* A file does not hold more of them than it has bytes for. */
  if (n > 0 && !stat(path, &about) && n <= (size_t)about.st_size / (CAIRN_MESH_TRIANGLE * sizeof(double))) {
    status = allocate(triangles, (int64_t)n, n_walls, path, error);
    if (status != CAIRN_OK)
      return status;
    nc_status = cairn_nc_get_all(nc, count_variable, NC_INT, 1, (size_t[]){(size_t)n_walls}, triangles->count);
    if (!nc_status)
      nc_status = cairn_nc_get_all(nc, corners_variable, NC_DOUBLE, 3, (size_t[]){n, 3, 3}, triangles->corners);
  }
  if (nc_status < 0) /* positive ones are of the system */
    status =
        cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is damaged: it says that its walls have %zu triangles", path, n);
  else if (nc_status)
    status = cairn_nc_fail(error, "read", path, nc_status);
  else if (!is_good(triangles, n_walls))
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is damaged: the triangles of its walls make no sense", path);
  if (status != CAIRN_OK)
    cairn_wall_triangles_fini(triangles);
  return status;
}
