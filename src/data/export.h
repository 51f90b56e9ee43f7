/* Copies of a trajectory for readers that insist on other layouts than NAME.nc. */
#ifndef CAIRN_DATA_EXPORT_H
#define CAIRN_DATA_EXPORT_H

#include "cairn/error.h"

/* Write the trajectory `from` as an AMBER 1.0 trajectory `to` in AMBER's own units, for MDAnalysis, chemfiles, cpptraj:
 * single precision, positions in angstrom, time in picosecond, velocities in angstrom/picosecond. A pile of rocks has
 * no sensible size in these units, so the numbers stay what they are: 1 m is written as 1 angstrom, 1 s as 1
 * picosecond. Only positions, velocities and times are kept. The file is there completely or not at all. */
int cairn_export_amber(const char *from, const char *to, struct cairn_error *error);

/* Write each frame of the trajectory `from` as a binary legacy VTK file PREFIX_000000.vtk, PREFIX_000001.vtk, … (points
 * with id, material, radius, mass, velocity and angular velocity, SI; bodies that were taken out are left out) and
 * their times as PREFIX.vtk.series, which ParaView opens as one animation. The walls of a run that has some follow in
 * the same way as PREFIX_walls_000000.vtk, … and PREFIX_walls.vtk.series: polygons, lines and points with the index of
 * the wall. Meshes are not drawn; a trajectory does not hold their triangles. */
int cairn_export_vtk(const char *from, const char *prefix, struct cairn_error *error);

#endif
