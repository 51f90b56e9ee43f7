/* The triangles of mesh walls in trajectories, so that a file tells all that there is to draw. A file of a run without
 * meshes has nothing of this. */
#ifndef CAIRN_DATA_FILES_WALL_TRIANGLES_H
#define CAIRN_DATA_FILES_WALL_TRIANGLES_H

#include <stdint.h>

#include "cairn/error.h"

struct cairn_scenario;

struct cairn_wall_triangles {
  int64_t n;       /* of all walls; 0: the others are NULL */
  int32_t *count;  /* [walls] how many each wall has, in the order of walls */
  double *corners; /* [n][3][3] m, relative to the wall's reference point, as it stands at the start */
};

/* Of the meshes of a scenario. The caller gives them back with cairn_wall_triangles_fini, also after an error. */
int cairn_wall_triangles_make(const struct cairn_scenario *scenario, struct cairn_wall_triangles *triangles,
                              struct cairn_error *error);

void cairn_wall_triangles_fini(struct cairn_wall_triangles *triangles);

/* Define dimensions and variables; nothing without triangles (NULL is allowed). Returns the status of the NetCDF
 * library, as does the next one. */
int cairn_wall_triangles_define(int nc, int wall, int spatial, const struct cairn_wall_triangles *triangles);

/* Write them, after the definitions have ended. */
int cairn_wall_triangles_put(int nc, const struct cairn_wall_triangles *triangles);

/* Read those of a trajectory with n_walls walls; none if the file has none. The file is hostile until checked. */
int cairn_wall_triangles_read(int nc, const char *path, int32_t n_walls, struct cairn_wall_triangles *triangles,
                              struct cairn_error *error);

#endif
