#include "data/files/series.h"

#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/version.h"
#include "data/storage/durable.h"
#include "data/storage/nc.h"
#include "data/storage/record_file.h"

struct cairn_series {
  struct cairn_record_file *file;
  int32_t n_walls;
};

static const char kind[] = "series";

static int define_variables(int nc, const struct cairn_wall_labels *walls) {
  int dimension[2], Voigt, variable;
  CAIRN_NC_TRY(nc_def_dim(nc, "time", NC_UNLIMITED, &dimension[0]));
  CAIRN_NC_TRY(nc_def_dim(nc, "spatial", 3, &dimension[1]));
  CAIRN_NC_TRY(nc_def_dim(nc, "Voigt", 6, &Voigt));
  CAIRN_NC_TRY(nc_def_var(nc, "spatial", NC_CHAR, 1, &dimension[1], &variable));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, variable, "long_name", "component of a vector"));
  for (int i = 0; i < cairn_observables_n_fields; i++) {
    const struct cairn_observable_field *field = &cairn_observables_fields[i];
    const int shape[2] = {dimension[0], field->components == 6 ? Voigt : dimension[1]};
    CAIRN_NC_TRY(nc_def_var(nc, field->name, NC_DOUBLE, field->components > 1 ? 2 : 1, shape, &variable));
    CAIRN_NC_TRY(cairn_nc_put_meaning(nc, variable, field->unit, field->long_name));
    CAIRN_NC_TRY(cairn_nc_put_text(nc, variable, "coverage_content_type",
                                   strcmp(field->name, "time") ? "modelResult" : "coordinate"));
  }
  return cairn_wall_record_define(nc, dimension[0], dimension[1], walls, CAIRN_WALL_SERIES);
}

static const char *find_entry(const struct cairn_provenance *provenance, const char *name) {
  for (int i = 0; provenance && i < provenance->n; i++)
    if (!strcmp(provenance->entry[i].name, name))
      return provenance->entry[i].value;
  return "";
}

/* CF and ACDD want what was done when in one line. */
static int put_history(int nc, const struct cairn_provenance *provenance) {
  const char *date = find_entry(provenance, "date_created"), *command = find_entry(provenance, "command_line");
  size_t size = strlen(date) + strlen(command) + 2;
  char *history = malloc(size);
  if (!history)
    return NC_ENOMEM;
  snprintf(history, size, "%s %s", date, command);
  int status = cairn_nc_put_text(nc, NC_GLOBAL, "history", history);
  free(history);
  return status;
}

static int define(int nc, const char *title, const struct cairn_wall_labels *walls,
                  const struct cairn_provenance *provenance) {
  static const char *const text[][2] = {
      {"summary", "Diagnostics of a simulation of granular matter: energies, momenta and contacts of all bodies over "
                  "simulated time."},
      {"keywords", "granular matter, discrete element method, rubble pile, diagnostics"},
      {"cdm_data_type", "Other"},
      {"Conventions", "CF-1.8, ACDD-1.3"},
      {"cairn_file", kind},
  };
  int old_fill;
  CAIRN_NC_TRY(nc_set_fill(nc, NC_NOFILL, &old_fill));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "source", "cairn"));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "program", "cairn"));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "programVersion", cairn_version_string()));
  CAIRN_NC_TRY(cairn_nc_put_provenance(nc, provenance));
  CAIRN_NC_TRY(put_history(nc, provenance));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "title", title ? title : ""));
  for (size_t i = 0; i < sizeof text / sizeof *text; i++)
    CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, text[i][0], text[i][1]));
  CAIRN_NC_TRY(define_variables(nc, walls));
  return nc_enddef(nc);
}

static int write_header(const char *path, const char *title, const struct cairn_wall_labels *walls,
                        const struct cairn_provenance *provenance) {
  int nc, spatial;
  CAIRN_NC_TRY(nc_create(path, NC_CLOBBER | NC_64BIT_OFFSET, &nc));
  int status = define(nc, title, walls, provenance);
  if (!status)
    status = nc_inq_varid(nc, "spatial", &spatial);
  if (!status)
    status = nc_put_var_text(nc, spatial, "xyz");
  if (!status)
    status = cairn_wall_record_put_labels(nc, walls);
  return cairn_nc_close(nc, status);
}

static int attach(const char *path, int32_t n_walls, int64_t n_rows, struct cairn_series **out,
                  struct cairn_error *error) {
  struct cairn_series *series = calloc(1, sizeof *series);
  if (!series)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for '%s'", path);
  series->n_walls = n_walls;
  int status = cairn_record_file_open(path, true, &series->file, error);
  for (int i = 0; i < cairn_observables_n_fields && !status; i++) {
    const struct cairn_observable_field *field = &cairn_observables_fields[i];
    if (cairn_record_file_find(series->file, field->name, NC_DOUBLE, field->components) < 0)
      status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is of another version of cairn: it has no '%s'", path,
                               field->name);
  }
  if (!status && (n_rows < 0 || n_rows > cairn_record_file_n_complete(series->file)))
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' holds %lld rows, the checkpoint needs %lld", path,
                             (long long)cairn_record_file_n_complete(series->file), (long long)n_rows);
  if (!status)
    status = cairn_record_file_cut(series->file, n_rows, error);
  if (status) {
    cairn_record_file_close(series->file, NULL);
    free(series);
    return status;
  }
  *out = series;
  return 0;
}

int cairn_series_create(const char *path, const char *title, const struct cairn_wall_labels *walls,
                        const struct cairn_provenance *provenance, struct cairn_series **series,
                        struct cairn_error *error) {
  *series = NULL;
  int nc_status = write_header(path, title, walls, provenance);
  int status = nc_status ? cairn_nc_fail(error, "write", path, nc_status) : cairn_durable_sync(path, error);
  if (!status)
    status = attach(path, walls ? walls->n : 0, 0, series, error);
  if (status)
    unlink(path);
  return status;
}

int cairn_series_open(const char *path, int32_t n_walls, int64_t n_rows, struct cairn_series **series,
                      struct cairn_error *error) {
  *series = NULL;
  /* The layout is checked without the NetCDF library first: it opens the file only after the sizes were found sane. */
  struct cairn_record_file *records;
  int nc, nc_status, status = cairn_record_file_open(path, false, &records, error);
  if (status)
    return status;
  if ((nc_status = nc_open(path, NC_NOWRITE, &nc)) != NC_NOERR)
    status = cairn_nc_fail(error, "read", path, nc_status);
  else {
    if (!cairn_nc_has_text(nc, NC_GLOBAL, "program", "cairn") || !cairn_nc_has_text(nc, NC_GLOBAL, "cairn_file", kind))
      status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is not a series of cairn", path);
    else
      status = cairn_wall_record_check(nc, path, records, CAIRN_WALL_SERIES, n_walls, error);
    nc_close(nc);
  }
  cairn_record_file_close(records, NULL);
  return status ? status : attach(path, n_walls, n_rows, series, error);
}

int cairn_series_append(struct cairn_series *series, const struct cairn_observables *observables,
                        const struct cairn_wall_sample *walls, struct cairn_error *error) {
  for (int i = 0; i < cairn_observables_n_fields; i++) {
    const struct cairn_observable_field *field = &cairn_observables_fields[i];
    int variable = cairn_record_file_find(series->file, field->name, NC_DOUBLE, field->components);
    int status = cairn_record_file_put(series->file, variable, (const char *)observables + field->offset, error);
    if (status)
      return status;
  }
  int status = cairn_wall_record_put(series->file, CAIRN_WALL_SERIES, series->n_walls, walls, error);
  if (!status)
    cairn_record_file_end(series->file);
  return status;
}

int cairn_series_rename(struct cairn_series *series, const char *to, struct cairn_error *error) {
  return cairn_record_file_rename(series->file, to, error);
}

int64_t cairn_series_n_rows(const struct cairn_series *series) { return cairn_record_file_n_records(series->file); }

int cairn_series_sync(struct cairn_series *series, struct cairn_error *error) {
  return cairn_record_file_commit(series->file, error);
}

int cairn_series_persist(struct cairn_series *series, struct cairn_error *error) {
  int status = cairn_record_file_commit(series->file, error);
  return status ? status : cairn_record_file_sync(series->file, error);
}

int cairn_series_close(struct cairn_series *series, struct cairn_error *error) {
  if (!series)
    return 0;
  int status = cairn_record_file_commit(series->file, error);
  int close_status = cairn_record_file_close(series->file, status ? NULL : error);
  free(series);
  return status ? status : close_status;
}
