#include "data/files/run_record.h"

#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/checkpoint/checkpoint.h"
#include "data/files/trajectory.h"
#include "data/files/wall_record.h"
#include "data/state/observables.h"
#include "data/storage/durable.h"
#include "data/storage/nc.h"
#include "data/storage/record_file.h"

enum { MOST_ATTRIBUTES = 256, MOST_WALLS = 4096 };

static int out_of_memory(const char *path, struct cairn_error *error) {
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for '%s'", path);
}

/* ---------------------------------------------------------------- names */

static bool cut_ending(char *name, const char *ending) {
  const size_t length = strlen(name), cut = strlen(ending);
  const bool has = length > cut && strcmp(name + length - cut, ending) == 0;
  if (has)
    name[length - cut] = '\0';
  return has;
}

static int find_files(const char *name, struct cairn_run_record *record, struct cairn_error *error) {
  record->name = strdup(name);
  if (!record->name)
    return out_of_memory(name, error);
  static const char *const endings[] = {".series.nc", ".ckpt.prev.nc", ".ckpt.nc", ".nc"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings && !cut_ending(record->name, endings[i]); i++)
    ;
  record->trajectory = cairn_durable_name(record->name, ".nc", error);
  record->series = cairn_durable_name(record->name, ".series.nc", error);
  if (!record->trajectory || !record->series)
    return CAIRN_ERR_NUMERIC;
  char **paths[] = {&record->trajectory, &record->series};
  for (int i = 0; i < 2; i++)
    if (access(*paths[i], F_OK)) {
      free(*paths[i]);
      *paths[i] = NULL;
    }
  if (!record->trajectory && !record->series)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "there is no run '%.400s': neither %.200s.nc nor %.200s.series.nc exists", record->name,
                           record->name, record->name);
  return 0;
}

/* ---------------------------------------------------------------- what the header tells */

static int read_attributes(int nc, const char *path, struct cairn_run_record *record, struct cairn_error *error) {
  int n = 0;
  if (nc_inq_natts(nc, &n) || n < 0 || n > MOST_ATTRIBUTES)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is damaged: it has %d attributes", path, n);
  record->attributes = calloc((size_t)n + 1, sizeof *record->attributes);
  if (!record->attributes)
    return out_of_memory(path, error);
  for (int i = 0; i < n; i++) {
    char name[NC_MAX_NAME + 1];
    if (nc_inq_attname(nc, NC_GLOBAL, i, name))
      continue;
    char *value = cairn_nc_text(nc, NC_GLOBAL, name);
    if (!value)
      continue; /* a number, such as the box of a trajectory */
    struct cairn_run_attribute *attribute = &record->attributes[record->n_attributes++];
    attribute->value = value;
    attribute->name = strdup(name);
    if (!attribute->name)
      return out_of_memory(path, error);
  }
  return 0;
}

static int read_wall_names(int nc, const char *path, int32_t n, struct cairn_run_record *record,
                           struct cairn_error *error) {
  int label;
  size_t length = 0;
  if (n == 0)
    return 0;
  if (n > MOST_WALLS || nc_inq_dimid(nc, "wall_label", &label) || nc_inq_dimlen(nc, label, &length) || length < 1 ||
      length > 1 << 16)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' does not tell the names of its %d walls", path, n);
  record->wall_names = calloc((size_t)n, sizeof *record->wall_names);
  char *all = calloc((size_t)n, length + 1);
  int status = record->wall_names && all ? 0 : out_of_memory(path, error);
  const size_t lengths[2] = {(size_t)n, length};
  const int nc_status = status ? 0 : cairn_nc_get_all(nc, "wall_name", NC_CHAR, 2, lengths, all);
  if (nc_status)
    status = cairn_nc_fail(error, "read the names of the walls in", path, nc_status);
  for (int32_t w = 0; w < n && !status; w++) {
    record->wall_names[w] = strndup(all + (size_t)w * length, length);
    record->n_walls = w + 1;
    if (!record->wall_names[w])
      status = out_of_memory(path, error);
  }
  free(all);
  return status;
}

/* ---------------------------------------------------------------- columns */

/* A variable of the series: what it is called and how many numbers it has in a row. */
struct variable {
  const char *name, *unit, *meaning;
  int components;
  int32_t n_walls; /* 0: of the whole run */
};

static int add_column(struct cairn_run_record *record, const struct variable *v, int component, int32_t wall,
                      struct cairn_error *error) {
  static const char *const suffix[2][6] = {{"_x", "_y", "_z", "", "", ""}, {"_xx", "_yy", "_zz", "_yz", "_xz", "_xy"}};
  struct cairn_run_column *column = &record->columns[record->n_columns++];
  *column = (struct cairn_run_column){.unit = v->unit,
                                      .meaning = v->meaning,
                                      .variable = v->name,
                                      .component = v->components > 1 ? component : -1,
                                      .components = v->components,
                                      .wall = wall,
                                      .values = calloc((size_t)record->n_rows + 1, sizeof(double))};
  const char *end = v->components > 1 ? suffix[v->components == 6][component] : "";
  const char *owner = wall >= 0 ? record->wall_names[wall] : "";
  const size_t size = strlen(v->name) + strlen(end) + strlen(owner) + 3;
  column->name = malloc(size);
  if (!column->name || !column->values)
    return out_of_memory(record->series, error);
  snprintf(column->name, size, "%s%s%s%s%s", v->name, end, wall >= 0 ? "[" : "", owner, wall >= 0 ? "]" : "");
  return 0;
}

/* A variable of an earlier version of cairn may be missing: then there are no columns. */
static int read_variable(int nc, const struct cairn_record_file *records, const struct variable *v,
                         struct cairn_run_record *record, struct cairn_error *error) {
  const int32_t owners = v->n_walls > 0 ? v->n_walls : 1;
  const int64_t width = (int64_t)owners * v->components;
  if (cairn_record_file_find(records, v->name, NC_DOUBLE, width) < 0)
    return 0;
  double *all = calloc((size_t)record->n_rows * (size_t)width + 1, sizeof *all);
  if (!all)
    return out_of_memory(record->series, error);
  const size_t start[3] = {0, 0, 0}, rows = (size_t)record->n_rows, parts = (size_t)v->components;
  const size_t of_walls[3] = {rows, (size_t)owners, parts}, of_run[2] = {rows, parts};
  const int rank = 1 + (v->n_walls > 0) + (v->components > 1);
  const int nc_status =
      rows == 0 ? 0 : cairn_nc_get(nc, v->name, NC_DOUBLE, rank, start, v->n_walls > 0 ? of_walls : of_run, all);
  int status = nc_status ? cairn_nc_fail(error, "read", record->series, nc_status) : 0;
  const int first = record->n_columns;
  for (int64_t k = 0; k < width && !status; k++)
    status = add_column(record, v, (int)(k % v->components), v->n_walls > 0 ? (int32_t)(k / v->components) : -1, error);
  for (int64_t k = 0; k < width && !status; k++)
    for (int64_t i = 0; i < record->n_rows; i++)
      record->columns[first + k].values[i] = all[i * width + k];
  free(all);
  return status;
}

static int read_columns(int nc, const struct cairn_record_file *records, int32_t n_walls,
                        struct cairn_run_record *record, struct cairn_error *error) {
  size_t room = 0;
  for (int i = 0; i < cairn_observables_n_fields; i++)
    room += (size_t)cairn_observables_fields[i].components;
  for (int i = 0; i < cairn_wall_record_n_fields; i++)
    room += (size_t)n_walls * (size_t)cairn_wall_fields[i].components;
  record->columns = calloc(room, sizeof *record->columns);
  int status = record->columns ? 0 : out_of_memory(record->series, error);
  for (int i = 0; i < cairn_observables_n_fields && !status; i++) {
    const struct cairn_observable_field *f = &cairn_observables_fields[i];
    status =
        read_variable(nc, records, &(struct variable){f->name, f->unit, f->long_name, f->components, 0}, record, error);
  }
  for (int i = 0; i < cairn_wall_record_n_fields && !status && n_walls > 0; i++) {
    const struct cairn_wall_field *f = &cairn_wall_fields[i];
    if (f->files & CAIRN_WALL_SERIES)
      status = read_variable(nc, records, &(struct variable){f->name, f->unit, f->long_name, f->components, n_walls},
                             record, error);
  }
  if (!status && (record->n_columns == 0 || strcmp(record->columns[0].name, "time")))
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' has no variable 'time' over its rows", record->series);
  return status;
}

/* ---------------------------------------------------------------- files */

static int read_open_series(int nc, const struct cairn_record_file *records, struct cairn_run_record *record,
                            struct cairn_error *error) {
  int32_t n_walls = 0;
  if (!cairn_nc_has_text(nc, NC_GLOBAL, "program", "cairn") ||
      !cairn_nc_has_text(nc, NC_GLOBAL, "cairn_file", "series"))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is not a series of cairn", record->series);
  record->n_rows = cairn_record_file_n_complete(records);
  int status = cairn_wall_record_count(nc, record->series, records, CAIRN_WALL_SERIES, &n_walls, error);
  if (!status)
    status = read_attributes(nc, record->series, record, error);
  if (!status)
    status = read_wall_names(nc, record->series, n_walls, record, error);
  return status ? status : read_columns(nc, records, n_walls, record, error);
}

static int read_series(struct cairn_run_record *record, struct cairn_error *error) {
  struct cairn_record_file *records;
  int nc, status = cairn_record_file_open(record->series, false, &records, error);
  if (status)
    return status;
  const int nc_status = nc_open(record->series, NC_NOWRITE, &nc);
  if (nc_status)
    status = cairn_nc_fail(error, "read", record->series, nc_status);
  else {
    status = read_open_series(nc, records, record, error);
    nc_close(nc);
  }
  cairn_record_file_close(records, NULL);
  return status;
}

static int read_trajectory(struct cairn_run_record *record, struct cairn_error *error) {
  int status = cairn_trajectory_times(record->trajectory, &record->n_frames, &record->times, error);
  if (status || record->n_attributes > 0)
    return status;
  int nc;
  const int nc_status = nc_open(record->trajectory, NC_NOWRITE, &nc);
  if (nc_status)
    return cairn_nc_fail(error, "read", record->trajectory, nc_status);
  status = read_attributes(nc, record->trajectory, record, error);
  nc_close(nc);
  return status;
}

/* A run that goes on, or one whose checkpoint was removed, has no digest to show. */
static void read_digest(struct cairn_run_record *record) {
  struct cairn_error ignored;
  struct cairn_checkpoint checkpoint;
  char *path = cairn_durable_name(record->name, ".ckpt.nc", &ignored);
  const char *run_id = cairn_run_record_attribute(record, "run_id");
  if (path && !access(path, F_OK) && !cairn_checkpoint_read(path, &checkpoint, &ignored)) {
    if (run_id && strcmp(run_id, checkpoint.run_id) == 0)
      memcpy(record->digest, checkpoint.digest, sizeof record->digest);
    cairn_checkpoint_fini(&checkpoint);
  }
  free(path);
}

int cairn_run_record_read(const char *name, struct cairn_run_record *record, struct cairn_error *error) {
  memset(record, 0, sizeof *record);
  int status = find_files(name, record, error);
  if (!status && record->series)
    status = read_series(record, error);
  if (!status && record->trajectory)
    status = read_trajectory(record, error);
  if (status)
    cairn_run_record_fini(record);
  else
    read_digest(record);
  return status;
}

void cairn_run_record_fini(struct cairn_run_record *record) {
  for (int i = 0; i < record->n_columns; i++) {
    free(record->columns[i].name);
    free(record->columns[i].values);
  }
  for (int i = 0; i < record->n_attributes; i++) {
    free(record->attributes[i].name);
    free(record->attributes[i].value);
  }
  for (int32_t w = 0; w < record->n_walls; w++)
    free(record->wall_names[w]);
  free(record->wall_names);
  free(record->columns);
  free(record->attributes);
  free(record->times);
  free(record->name);
  free(record->trajectory);
  free(record->series);
  memset(record, 0, sizeof *record);
}

const char *cairn_run_record_attribute(const struct cairn_run_record *record, const char *name) {
  for (int i = 0; i < record->n_attributes; i++)
    if (strcmp(record->attributes[i].name, name) == 0)
      return record->attributes[i].value;
  return NULL;
}

const struct cairn_run_column *cairn_run_record_column(const struct cairn_run_record *record, const char *name) {
  for (int i = 0; i < record->n_columns; i++)
    if (strcmp(record->columns[i].name, name) == 0)
      return &record->columns[i];
  return NULL;
}
