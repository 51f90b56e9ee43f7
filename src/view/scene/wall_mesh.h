/* All walls of a trajectory as triangles, for whoever draws them. */
#ifndef CAIRN_VIEW_SCENE_WALL_MESH_H
#define CAIRN_VIEW_SCENE_WALL_MESH_H

#include "data/files/run_record.h"
#include "data/files/trajectory.h"

struct cairn_wall_mesh {
  int64_t n;
  double (*corner)[3][3]; /* m [n] in the coordinates of the wall, relative to its reference point */
  int32_t *wall;          /* [n] whose it is */
  int32_t n_walls;
  unsigned char *solid; /* [n_walls] 1: a thing among the bodies that holds none, drawn opaque from all sides */
  bool lacks_meshes;    /* a mesh of a trajectory without triangles (earlier versions) is missing */
};

/* Of the walls of `frame`. What has no end is as large as the diagonal of `box`, its two corners; curves and points are
 * `thin` thick. On failure nothing is allocated. */
int cairn_wall_mesh_make(const struct cairn_trajectory_frame *frame, const double (*box)[3], double thin,
                         struct cairn_wall_mesh *mesh, struct cairn_error *error);

/* Look at the first frame and one in the middle too: a container may be empty at the end. */
int cairn_wall_mesh_look_at(struct cairn_wall_mesh *mesh, const struct cairn_run_record *run,
                            struct cairn_error *error);

void cairn_wall_mesh_fini(struct cairn_wall_mesh *mesh);

/* The lower and upper corner of nearly all bodies in it: one in a hundred may be outside on each side, so that a few
 * that flew away do not count. */
void cairn_wall_mesh_box(const struct cairn_state *state, double box[2][3]);

#endif
