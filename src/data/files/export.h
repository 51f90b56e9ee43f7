/* Copies of a trajectory for readers that insist on other layouts than NAME.nc. */
#ifndef CAIRN_DATA_FILES_EXPORT_H
#define CAIRN_DATA_FILES_EXPORT_H

#include <stdbool.h>

#include "cairn/error.h"

/* Write the trajectory `from` as an AMBER 1.0 trajectory `to` in AMBER's own units, for MDAnalysis, chemfiles, cpptraj:
 * single precision, positions in angstrom, time in picosecond, velocities in angstrom/picosecond. A pile of rocks has
 * no sensible size in these units, so the numbers stay what they are: 1 m is written as 1 angstrom, 1 s as 1
 * picosecond. Only positions, velocities and times are kept. The file is there completely or not at all; one that is
 * there before is refused without `overwrite`. */
int cairn_export_amber(const char *from, const char *to, bool overwrite, struct cairn_error *error);

/* Write each frame of the trajectory `from` as a VTK file PREFIX_000000.vtk, PREFIX_000001.vtk, … (data/files/vtk.h)
 * and their times as PREFIX.vtk.series, which ParaView opens as one animation. The walls of a run that has some follow
 * in the same way as PREFIX_walls_000000.vtk, … and PREFIX_walls.vtk.series. All of them are there at the end or, after
 * a failure, none; those that are there before are refused without `overwrite`. */
int cairn_export_vtk(const char *from, const char *prefix, bool overwrite, struct cairn_error *error);

#endif
