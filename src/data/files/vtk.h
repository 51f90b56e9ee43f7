/* Frames of a trajectory as binary legacy VTK files, for ParaView. */
#ifndef CAIRN_DATA_FILES_VTK_H
#define CAIRN_DATA_FILES_VTK_H

#include <stdint.h>

#include "data/files/trajectory.h"

/* Points with every field of the frame, SI: id, material, radius, mass, velocity, angular velocity and, where the
 * trajectory has them, the captor, pressure and stress (as a tensor). Bodies that were taken out are left out. Of all
 * three functions: `path` must not exist yet; it is removed again if not all of it arrives. */
int cairn_vtk_write_bodies(const char *path, double time, const struct cairn_trajectory_frame *frame,
                           struct cairn_error *error);

/* The walls that are there as polygons, lines and points, with the index of the wall; meshes as their triangles, where
 * the trajectory has them. */
int cairn_vtk_write_walls(const char *path, double time, const struct cairn_trajectory_frame *frame,
                          struct cairn_error *error);

/* The index that ParaView opens as one animation: files NAME_000000.vtk, … beside it and their times. */
int cairn_vtk_write_index(const char *path, const char *name, int64_t n_frames, const double *times,
                          struct cairn_error *error);

#endif
