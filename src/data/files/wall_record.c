#include "data/files/wall_record.h"

#include <math.h>
#include <netcdf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "data/storage/nc.h"
#include "data/storage/record_file.h"

#define AT(member) (int)offsetof(struct cairn_wall_sample, member)

enum { BOTH = CAIRN_WALL_TRAJECTORY | CAIRN_WALL_SERIES };

const struct cairn_wall_field cairn_wall_fields[] = {
    {"wall_position", "m", "position of the wall's reference point", 3, AT(position), BOTH},
    {"wall_orientation", "1", "orientation relative to the start, unit quaternion x y z w", 4, AT(orientation),
     CAIRN_WALL_TRAJECTORY},
    {"wall_velocity", "m s-1", "velocity of the reference point", 3, AT(velocity), BOTH},
    {"wall_spin", "rad s-1", "angular velocity of the wall", 3, AT(spin), BOTH},
    {"wall_force", "N", "force of the bodies on the wall", 3, AT(force), CAIRN_WALL_SERIES},
    {"wall_torque", "N m", "torque of the bodies about the reference point", 3, AT(torque), CAIRN_WALL_SERIES},
    {"wall_contacts", "1", "contacts of bodies with the wall; captured bodies not counted", 1, AT(n_contacts),
     CAIRN_WALL_SERIES},
    {"wall_absorbed", "1", "bodies the wall has removed so far", 1, AT(n_absorbed), CAIRN_WALL_SERIES},
    {"wall_held", "1", "bodies the wall has captured", 1, AT(n_held), CAIRN_WALL_SERIES},
    {"wall_active", "1", "1, or 0 while the wall is not there", 1, AT(active), BOTH},
};
const int cairn_wall_record_n_fields = sizeof cairn_wall_fields / sizeof *cairn_wall_fields;

static const char wall_dimension[] = "wall", name_variable[] = "wall_name", shape_variable[] = "wall_shape";

/* ---------------------------------------------------------------- writing */

/* At least 1: to NetCDF a length of 0 means unlimited. */
static size_t longest_name(const struct cairn_wall_labels *walls) {
  size_t longest = 1;
  for (int32_t w = 0; w < walls->n; w++)
    longest = strlen(walls->name[w]) > longest ? strlen(walls->name[w]) : longest;
  return longest;
}

static int define_labels(int nc, int wall, const struct cairn_wall_labels *walls, enum cairn_wall_file kind) {
  int dimension[2] = {wall}, variable;
  CAIRN_NC_TRY(nc_def_dim(nc, "wall_label", longest_name(walls), &dimension[1]));
  CAIRN_NC_TRY(nc_def_var(nc, name_variable, NC_CHAR, 2, dimension, &variable));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, variable, "long_name", "name of the wall in the scenario"));
  if (kind != CAIRN_WALL_TRAJECTORY)
    return NC_NOERR;
  CAIRN_NC_TRY(nc_def_dim(nc, "wall_number", CAIRN_SHAPE_DOUBLES, &dimension[1]));
  CAIRN_NC_TRY(nc_def_var(nc, shape_variable, NC_DOUBLE, 2, dimension, &variable));
  /* Lengths, directions and a kind in one row: the unit is that of the whole only by name. */
  return cairn_nc_put_meaning(nc, variable, "1", "shape relative to the reference point: kind and its numbers, SI");
}

int cairn_wall_record_define(int nc, int record, int spatial, const struct cairn_wall_labels *walls,
                             enum cairn_wall_file kind) {
  int wall, quaternion = 0, variable;
  if (!walls || walls->n == 0)
    return NC_NOERR;
  CAIRN_NC_TRY(nc_def_dim(nc, wall_dimension, (size_t)walls->n, &wall));
  CAIRN_NC_TRY(define_labels(nc, wall, walls, kind));
  if (kind == CAIRN_WALL_TRAJECTORY) {
    CAIRN_NC_TRY(nc_def_dim(nc, "quaternion", 4, &quaternion));
    CAIRN_NC_TRY(cairn_wall_triangles_define(nc, wall, spatial, walls->triangles));
  }
  for (int i = 0; i < cairn_wall_record_n_fields; i++) {
    const struct cairn_wall_field *field = &cairn_wall_fields[i];
    if (!(field->files & kind))
      continue;
    const int dimension[3] = {record, wall, field->components == 4 ? quaternion : spatial};
    CAIRN_NC_TRY(nc_def_var(nc, field->name, NC_DOUBLE, field->components == 1 ? 2 : 3, dimension, &variable));
    CAIRN_NC_TRY(cairn_nc_put_meaning(nc, variable, field->unit, field->long_name));
    if (kind == CAIRN_WALL_SERIES)
      CAIRN_NC_TRY(cairn_nc_put_text(nc, variable, "coverage_content_type", "modelResult"));
  }
  return NC_NOERR;
}

static int put_names(int nc, const struct cairn_wall_labels *walls) {
  int variable;
  CAIRN_NC_TRY(nc_inq_varid(nc, name_variable, &variable));
  size_t length = longest_name(walls);
  char *padded = malloc(length);
  if (!padded)
    return NC_ENOMEM;
  int status = NC_NOERR;
  for (int32_t w = 0; w < walls->n && !status; w++) {
    const size_t start[2] = {(size_t)w, 0}, count[2] = {1, length}, used = strlen(walls->name[w]);
    memset(padded, 0, length);
    memcpy(padded, walls->name[w], used);
    status = nc_put_vara_text(nc, variable, start, count, padded);
  }
  free(padded);
  return status;
}

int cairn_wall_record_put_labels(int nc, const struct cairn_wall_labels *walls) {
  int variable;
  if (!walls || walls->n == 0)
    return NC_NOERR;
  CAIRN_NC_TRY(put_names(nc, walls));
  if (nc_inq_varid(nc, shape_variable, &variable)) /* of a series */
    return NC_NOERR;
  CAIRN_NC_TRY(nc_put_var_double(nc, variable, &walls->shape[0][0]));
  return cairn_wall_triangles_put(nc, walls->triangles);
}

int cairn_wall_record_put(struct cairn_record_file *records, enum cairn_wall_file kind, int32_t n,
                          const struct cairn_wall_sample *samples, struct cairn_error *error) {
  if (n == 0)
    return 0;
  double *values = malloc((size_t)n * 4 * sizeof *values);
  int status = values ? 0 : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for %d walls", n);
  for (int i = 0; i < cairn_wall_record_n_fields && !status; i++) {
    const struct cairn_wall_field *field = &cairn_wall_fields[i];
    if (!(field->files & kind))
      continue;
    for (int32_t w = 0; w < n; w++)
      memcpy(values + (size_t)w * (size_t)field->components, (const char *)&samples[w] + field->offset,
             (size_t)field->components * sizeof *values);
    int variable = cairn_record_file_find(records, field->name, NC_DOUBLE, (int64_t)n * field->components);
    status = cairn_record_file_put(records, variable, values, error);
  }
  free(values);
  return status;
}

/* ---------------------------------------------------------------- reading */

/* Fixed values that a file of this kind holds over (wall, 10)? */
static bool has_shapes(int nc, int wall) {
  int variable, rank, dimension[NC_MAX_VAR_DIMS];
  nc_type type;
  size_t length;
  return !nc_inq_varid(nc, shape_variable, &variable) &&
         !nc_inq_var(nc, variable, NULL, &type, &rank, dimension, NULL) && type == NC_DOUBLE && rank == 2 &&
         dimension[0] == wall && !nc_inq_dimlen(nc, dimension[1], &length) && length == CAIRN_SHAPE_DOUBLES;
}

int cairn_wall_record_count(int nc, const char *path, const struct cairn_record_file *records,
                            enum cairn_wall_file kind, int32_t *n, struct cairn_error *error) {
  int wall;
  size_t length;
  *n = 0;
  if (nc_inq_dimid(nc, wall_dimension, &wall))
    return 0;
  if (nc_inq_dimlen(nc, wall, &length) || length < 1 || length > INT32_MAX)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is damaged: its number of walls is absurd", path);
  for (int i = 0; i < cairn_wall_record_n_fields; i++) {
    const struct cairn_wall_field *field = &cairn_wall_fields[i];
    if (field->files & kind &&
        cairn_record_file_find(records, field->name, NC_DOUBLE, (int64_t)length * field->components) < 0)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is of another version of cairn: it has no '%s' of %zu walls",
                             path, field->name, length);
  }
  if (kind == CAIRN_WALL_TRAJECTORY && !has_shapes(nc, wall))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is of another version of cairn: it has no '%s' of %zu walls",
                           path, shape_variable, length);
  *n = (int32_t)length;
  return 0;
}

int cairn_wall_record_check(int nc, const char *path, const struct cairn_record_file *records,
                            enum cairn_wall_file kind, int32_t n, struct cairn_error *error) {
  int32_t found;
  int status = cairn_wall_record_count(nc, path, records, kind, &found, error);
  if (!status && found != n)
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' holds %d walls, the run has %d", path, found, n);
  return status;
}

static int read_field(int nc, size_t frame, const struct cairn_wall_field *field, int32_t n, double *values,
                      struct cairn_wall_sample *samples) {
  const size_t start[3] = {frame, 0, 0}, count[3] = {1, (size_t)n, (size_t)field->components};
  CAIRN_NC_TRY(cairn_nc_get(nc, field->name, NC_DOUBLE, field->components == 1 ? 2 : 3, start, count, values));
  for (int32_t w = 0; w < n; w++)
    memcpy((char *)&samples[w] + field->offset, values + (size_t)w * (size_t)field->components,
           (size_t)field->components * sizeof *values);
  return NC_NOERR;
}

/* Are the numbers of a wall finite, its kind one of the known ones? A mesh has no numbers but its kind that count. */
static bool is_wall(const double shape[CAIRN_SHAPE_DOUBLES], const struct cairn_wall_sample *sample) {
  bool is_good = shape[0] >= CAIRN_SHAPE_PLANE && shape[0] <= CAIRN_SHAPE_MESH && shape[0] == floor(shape[0]);
  for (int k = 0; k < CAIRN_SHAPE_DOUBLES; k++)
    is_good = is_good && isfinite(shape[k]);
  for (int k = 0; k < 3; k++)
    is_good = is_good && isfinite(sample->position[k]);
  for (int k = 0; k < 4; k++)
    is_good = is_good && isfinite(sample->orientation[k]);
  return is_good;
}

int cairn_wall_record_read(int nc, const char *path, size_t frame, int32_t n, double (*shape)[CAIRN_SHAPE_DOUBLES],
                           struct cairn_wall_sample *samples, struct cairn_error *error) {
  const size_t length[2] = {(size_t)n, CAIRN_SHAPE_DOUBLES};
  double *values = malloc((size_t)n * 4 * sizeof *values);
  if (!values)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the walls of '%s'", path);
  int nc_status = cairn_nc_get_all(nc, shape_variable, NC_DOUBLE, 2, length, &shape[0][0]);
  memset(samples, 0, (size_t)n * sizeof *samples);
  for (int i = 0; i < cairn_wall_record_n_fields && !nc_status; i++)
    if (cairn_wall_fields[i].files & CAIRN_WALL_TRAJECTORY)
      nc_status = read_field(nc, frame, &cairn_wall_fields[i], n, values, samples);
  free(values);
  if (nc_status)
    return cairn_nc_fail(error, "read", path, nc_status);
  for (int32_t w = 0; w < n; w++)
    if (!is_wall(shape[w], &samples[w]))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is damaged: wall %d has no sensible shape or place", path,
                             w);
  return 0;
}
