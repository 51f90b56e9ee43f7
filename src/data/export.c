#include "data/export.h"

#include <endian.h>
#include <errno.h>
#include <netcdf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cairn/version.h"
#include "data/durable.h"
#include "data/fields.h"
#include "data/nc.h"
#include "data/trajectory.h"

/* Fails the enclosing function with the status of the NetCDF library. */
#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    int try_status = (call);                                                                                           \
    if (try_status)                                                                                                    \
      return try_status;                                                                                               \
  } while (0)

/* The frames of a trajectory, one after the other. */
struct source {
  const char *path;
  int64_t n_frames;
  double *times; /* s */
  struct cairn_state state;
};

static int open_source(struct source *source, const char *path, struct cairn_error *error) {
  memset(source, 0, sizeof *source);
  source->path = path;
  int status = cairn_trajectory_times(path, &source->n_frames, &source->times, error);
  if (!status && source->n_frames == 0)
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' holds no frames to export", path);
  return status;
}

static void close_source(struct source *source) {
  free(source->times);
  cairn_state_fini(&source->state);
}

/* The source is still needed while the copy is made. */
static bool is_same_file(const char *a, const char *b) {
  struct stat about_a, about_b;
  return !stat(a, &about_a) && !stat(b, &about_b) && about_a.st_dev == about_b.st_dev &&
         about_a.st_ino == about_b.st_ino;
}

/* ---------------------------------------------------------------- AMBER */

struct amber {
  int nc, time, coordinates, velocities;
};

static int define_amber_variable(const struct amber *amber, const char *name, const char *unit, int rank,
                                 const int *dimension, int *variable) {
  TRY(nc_def_var(amber->nc, name, NC_FLOAT, rank, dimension, variable));
  return cairn_nc_put_text(amber->nc, *variable, "units", unit);
}

/* No cell variables: AMBER asks for them in periodic systems only, and MDAnalysis takes their presence for one. */
static int define_amber(struct amber *amber, int64_t n) {
  int dimension[3], label, old_fill;
  const int nc = amber->nc;
  TRY(nc_set_fill(nc, NC_NOFILL, &old_fill));
  TRY(cairn_nc_put_text(nc, NC_GLOBAL, "Conventions", "AMBER"));
  TRY(cairn_nc_put_text(nc, NC_GLOBAL, "ConventionVersion", "1.0"));
  TRY(cairn_nc_put_text(nc, NC_GLOBAL, "program", "cairn"));
  TRY(cairn_nc_put_text(nc, NC_GLOBAL, "programVersion", cairn_version_string()));
  TRY(cairn_nc_put_text(nc, NC_GLOBAL, "comment", "1 angstrom in this file is 1 m, 1 picosecond is 1 s"));
  TRY(nc_def_dim(nc, "frame", NC_UNLIMITED, &dimension[0]));
  TRY(nc_def_dim(nc, "atom", (size_t)n, &dimension[1]));
  TRY(nc_def_dim(nc, "spatial", 3, &dimension[2]));
  TRY(nc_def_var(nc, "spatial", NC_CHAR, 1, &dimension[2], &label));
  TRY(define_amber_variable(amber, "time", "picosecond", 1, dimension, &amber->time));
  TRY(define_amber_variable(amber, "coordinates", "angstrom", 3, dimension, &amber->coordinates));
  TRY(define_amber_variable(amber, "velocities", "angstrom/picosecond", 3, dimension, &amber->velocities));
  TRY(nc_enddef(nc));
  return nc_put_var_text(nc, label, "xyz");
}

static int put_amber_frame(const struct amber *amber, size_t frame, double time, const struct cairn_state *state) {
  const size_t start[3] = {frame, 0, 0}, count[3] = {1, (size_t)state->n, 3};
  TRY(nc_put_vara_double(amber->nc, amber->time, start, count, &time));
  TRY(nc_put_vara_double(amber->nc, amber->coordinates, start, count, state->position));
  return nc_put_vara_double(amber->nc, amber->velocities, start, count, state->velocity);
}

static int write_amber(struct source *source, const char *path, struct cairn_error *error) {
  struct amber amber;
  int status = cairn_trajectory_read(source->path, 0, &source->state, error);
  if (status)
    return status;
  /* CDF-2 has 32 bits for the size of a variable within a frame. */
  const int64_t n = source->state.n;
  int nc_status =
      nc_create(path, NC_CLOBBER | (12 * n > INT64_C(0xfffffffc) ? NC_64BIT_DATA : NC_64BIT_OFFSET), &amber.nc);
  if (nc_status)
    return cairn_nc_fail(error, "write", path, nc_status);
  nc_status = define_amber(&amber, n);
  for (int64_t frame = 0; frame < source->n_frames && !status && !nc_status; frame++) {
    status = cairn_trajectory_read(source->path, frame, &source->state, error);
    if (!status)
      nc_status = put_amber_frame(&amber, (size_t)frame, source->times[frame], &source->state);
  }
  if (status)
    nc_abort(amber.nc);
  else
    nc_status = cairn_nc_close(amber.nc, nc_status);
  return status || !nc_status ? status : cairn_nc_fail(error, "write", path, nc_status);
}

int cairn_export_amber(const char *from, const char *to, struct cairn_error *error) {
  if (is_same_file(from, to))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "cannot export '%s' to itself", from);
  char *temporary = cairn_durable_name(to, ".tmp", error);
  if (!temporary)
    return CAIRN_ERR_NUMERIC;
  struct source source;
  int status = open_source(&source, from, error);
  if (!status)
    status = write_amber(&source, temporary, error);
  if (!status)
    status = cairn_durable_sync(temporary, error);
  if (!status)
    status = cairn_durable_rename(temporary, to, error);
  if (status)
    unlink(temporary);
  close_source(&source);
  free(temporary);
  return status;
}

/* ---------------------------------------------------------------- VTK */

/* Legacy VTK is big-endian. A failed write is found once, by ferror or fclose. */
static void put_doubles(FILE *file, const double *values, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    uint64_t word;
    memcpy(&word, &values[i], sizeof word);
    word = htobe64(word);
    fwrite(&word, sizeof word, 1, file);
  }
}

static void put_int(FILE *file, int64_t value) {
  uint32_t word = htobe32((uint32_t)(int32_t)value);
  fwrite(&word, sizeof word, 1, file);
}

static void put_vtk_field(FILE *file, const struct cairn_field *field, const struct cairn_state *state) {
  const void *values = cairn_fields_values(field, state);
  const char *type = field->type == CAIRN_FIELD_DOUBLE ? "double" : "int";
  if (field->components == 3)
    fprintf(file, "VECTORS %s %s\n", field->trajectory, type);
  else
    fprintf(file, "SCALARS %s %s 1\nLOOKUP_TABLE default\n", field->trajectory, type);
  if (field->type == CAIRN_FIELD_DOUBLE)
    put_doubles(file, values, field->components * state->n);
  else
    for (int64_t i = 0; i < state->n; i++)
      put_int(file, values ? ((const int32_t *)values)[i] : i);
  fputc('\n', file);
}

static int write_vtk(const char *path, double time, const struct cairn_state *state, struct cairn_error *error) {
  FILE *file = fopen(path, "wb");
  if (!file)
    return cairn_durable_fail(error, "write", path, errno);
  fprintf(file, "# vtk DataFile Version 3.0\ncairn, t = %.17g s\nBINARY\nDATASET POLYDATA\n", time);
  fprintf(file, "FIELD FieldData 1\nTimeValue 1 1 double\n");
  put_doubles(file, &time, 1);
  fprintf(file, "\nPOINTS %lld double\n", (long long)state->n);
  put_doubles(file, state->position, 3 * state->n);
  /* Without a vertex at each point ParaView shows nothing until a filter makes one. */
  fprintf(file, "\nVERTICES %lld %lld\n", (long long)state->n, (long long)(2 * state->n));
  for (int64_t i = 0; i < state->n; i++) {
    put_int(file, 1);
    put_int(file, i);
  }
  fprintf(file, "\nPOINT_DATA %lld\n", (long long)state->n);
  for (int i = 0; i < cairn_n_fields; i++)
    if (cairn_fields[i].trajectory && strcmp(cairn_fields[i].trajectory, "coordinates"))
      put_vtk_field(file, &cairn_fields[i], state);
  bool is_bad = ferror(file);
  int number = errno;
  if (fclose(file) && !is_bad) {
    is_bad = true;
    number = errno;
  }
  if (is_bad) {
    unlink(path);
    return cairn_durable_fail(error, "write", path, number);
  }
  return 0;
}

/* A JSON string; names that need more than quotes and backslashes escaped are refused by the caller. */
static void put_quoted(FILE *file, const char *text) {
  fputc('"', file);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      fputc('\\', file);
    fputc(*text, file);
  }
  fputc('"', file);
}

static int write_vtk_index(const char *path, const char *name, const struct source *source, struct cairn_error *error) {
  FILE *file = fopen(path, "w");
  if (!file)
    return cairn_durable_fail(error, "write", path, errno);
  fprintf(file, "{\"file-series-version\": \"1.0\", \"files\": [\n");
  for (int64_t frame = 0; frame < source->n_frames; frame++) {
    char entry[4096];
    snprintf(entry, sizeof entry, "%s_%06lld.vtk", name, (long long)frame);
    fputs("  {\"name\": ", file);
    put_quoted(file, entry);
    fprintf(file, ", \"time\": %.17g}%s\n", source->times[frame], frame + 1 < source->n_frames ? "," : "");
  }
  fprintf(file, "]}\n");
  bool is_bad = ferror(file);
  if (fclose(file) || is_bad) {
    int number = errno;
    unlink(path);
    return cairn_durable_fail(error, "write", path, number);
  }
  return 0;
}

int cairn_export_vtk(const char *from, const char *prefix, struct cairn_error *error) {
  char path[4096];
  for (const char *letter = prefix; *letter; letter++)
    if ((unsigned char)*letter < ' ')
      return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' cannot begin the name of a VTK file", prefix);
  if (strlen(prefix) + 32 > sizeof path)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "the name of the VTK files is too long");
  struct source source;
  int status = open_source(&source, from, error);
  for (int64_t frame = 0; frame < source.n_frames && !status; frame++) {
    snprintf(path, sizeof path, "%s_%06lld.vtk", prefix, (long long)frame);
    status = cairn_trajectory_read(from, frame, &source.state, error);
    if (!status)
      status = write_vtk(path, source.times[frame], &source.state, error);
  }
  if (!status) {
    const char *slash = strrchr(prefix, '/');
    snprintf(path, sizeof path, "%s.vtk.series", prefix);
    status = write_vtk_index(path, slash ? slash + 1 : prefix, &source, error);
  }
  close_source(&source);
  return status;
}
