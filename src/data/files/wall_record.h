/* The walls in trajectories and series: what they are called and how they look, once, and what they do, per record. A
 * file of a run without walls has nothing of this. */
#ifndef CAIRN_DATA_FILES_WALL_RECORD_H
#define CAIRN_DATA_FILES_WALL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cairn/error.h"
#include "cairn/observables.h"
#include "data/files/wall_triangles.h"
#include "kernels/shapes/shapes.h"

struct cairn_record_file;

/* What a file says of the walls once. */
struct cairn_wall_labels {
  int32_t n;
  const char *const *name;                    /* [n] */
  const double (*shape)[CAIRN_SHAPE_DOUBLES]; /* [n] kernels/shapes/shapes.h, relative to the wall's reference point */
  const struct cairn_wall_triangles *triangles; /* of the meshes, NULL if a file shall not have them */
  bool has_captures;                            /* do some of them hold bodies or take them out? */
  bool has_merging;                             /* do bodies take up others? n may be 0 then */
};

enum cairn_wall_file { CAIRN_WALL_TRAJECTORY = 1, CAIRN_WALL_SERIES = 2 };

/* One row per entry of struct cairn_wall_sample. */
struct cairn_wall_field {
  const char *name;
  const char *unit; /* UDUNITS */
  const char *long_name;
  int components; /* 1, 3 or 4 */
  int offset;     /* byte offset of the double(s) in struct cairn_wall_sample */
  unsigned files; /* enum cairn_wall_file: where it is written */
};

extern const struct cairn_wall_field cairn_wall_fields[];
extern const int cairn_wall_record_n_fields;

/* Define dimensions and variables over (record, wall[, spatial or quaternion]); none without walls (`walls` may be
 * NULL). Returns the status of the NetCDF library, as does the next one. */
int cairn_wall_record_define(int nc, int record, int spatial, const struct cairn_wall_labels *walls,
                             enum cairn_wall_file kind);

/* Write names and shapes, after the definitions have ended. */
int cairn_wall_record_put_labels(int nc, const struct cairn_wall_labels *walls);

/* How many walls an open file has. Its variables must all be there with the right shape. */
int cairn_wall_record_count(int nc, const char *path, const struct cairn_record_file *records,
                            enum cairn_wall_file kind, int32_t *n, struct cairn_error *error);

/* Refuse a file that has another number of walls than the run. */
int cairn_wall_record_check(int nc, const char *path, const struct cairn_record_file *records,
                            enum cairn_wall_file kind, int32_t n, struct cairn_error *error);

/* Give the variables of the record being written their values: `samples` has n entries. */
int cairn_wall_record_put(struct cairn_record_file *records, enum cairn_wall_file kind, int32_t n,
                          const struct cairn_wall_sample *samples, struct cairn_error *error);

/* Read the shapes and one frame of a trajectory with n > 0 walls that cairn_wall_record_count has seen; what is not in
 * trajectories is zero. Shapes that are none are refused. */
int cairn_wall_record_read(int nc, const char *path, size_t frame, int32_t n, double (*shape)[CAIRN_SHAPE_DOUBLES],
                           struct cairn_wall_sample *samples, struct cairn_error *error);

#endif
