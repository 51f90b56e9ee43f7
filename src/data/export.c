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
#include "data/wall_outline.h"

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
  struct cairn_trajectory_frame frame;
};

static int open_source(struct source *source, const char *path, struct cairn_error *error) {
  memset(source, 0, sizeof *source);
  source->path = path;
  int status = cairn_trajectory_times(path, &source->n_frames, &source->times, error);
  if (!status && source->n_frames == 0)
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' holds no frames to export", path);
  return status;
}

static int read_source(struct source *source, int64_t frame, struct cairn_error *error) {
  cairn_trajectory_frame_fini(&source->frame);
  return cairn_trajectory_read_frame(source->path, frame, &source->frame, error);
}

static void close_source(struct source *source) {
  free(source->times);
  cairn_trajectory_frame_fini(&source->frame);
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
  int status = read_source(source, 0, error);
  if (status)
    return status;
  /* CDF-2 has 32 bits for the size of a variable within a frame. */
  const int64_t n = source->frame.state.n;
  int nc_status =
      nc_create(path, NC_CLOBBER | (12 * n > INT64_C(0xfffffffc) ? NC_64BIT_DATA : NC_64BIT_OFFSET), &amber.nc);
  if (nc_status)
    return cairn_nc_fail(error, "write", path, nc_status);
  nc_status = define_amber(&amber, n);
  for (int64_t frame = 0; frame < source->n_frames && !status && !nc_status; frame++) {
    status = read_source(source, frame, error);
    if (!status)
      nc_status = put_amber_frame(&amber, (size_t)frame, source->times[frame], &source->frame.state);
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

/* Of the bodies that are still there. */
static void put_vtk_field(FILE *file, const struct cairn_field *field, const struct cairn_state *state) {
  const void *values = cairn_fields_values(field, state);
  const char *type = field->type == CAIRN_FIELD_DOUBLE ? "double" : "int";
  if (field->components == 3)
    fprintf(file, "VECTORS %s %s\n", field->trajectory, type);
  else
    fprintf(file, "SCALARS %s %s 1\nLOOKUP_TABLE default\n", field->trajectory, type);
  for (int64_t i = 0; i < state->n; i++) {
    if (state->fate[i] < 0)
      continue;
    if (field->type == CAIRN_FIELD_DOUBLE)
      put_doubles(file, (const double *)values + field->components * i, field->components);
    else
      put_int(file, values ? ((const int32_t *)values)[i] : i);
  }
  fputc('\n', file);
}

static FILE *begin_vtk(const char *path, double time, struct cairn_error *error) {
  FILE *file = fopen(path, "wb");
  if (!file) {
    cairn_durable_fail(error, "write", path, errno);
    return NULL;
  }
  fprintf(file, "# vtk DataFile Version 3.0\ncairn, t = %.17g s\nBINARY\nDATASET POLYDATA\n", time);
  fprintf(file, "FIELD FieldData 1\nTimeValue 1 1 double\n");
  put_doubles(file, &time, 1);
  return file;
}

/* Whether all of it arrived; a file that did not is removed. */
static int end_file(FILE *file, const char *path, struct cairn_error *error) {
  bool is_bad = ferror(file);
  int number = errno;
  if (fclose(file) && !is_bad) {
    is_bad = true;
    number = errno;
  }
  if (!is_bad)
    return 0;
  unlink(path);
  return cairn_durable_fail(error, "write", path, number);
}

static int write_bodies(const char *path, double time, const struct cairn_trajectory_frame *frame,
                        struct cairn_error *error) {
  const struct cairn_state *state = &frame->state;
  FILE *file = begin_vtk(path, time, error);
  if (!file)
    return CAIRN_ERR_IO;
  long long n = 0;
  for (int64_t i = 0; i < state->n; i++)
    n += state->fate[i] >= 0;
  fprintf(file, "\nPOINTS %lld double\n", n);
  for (int64_t i = 0; i < state->n; i++)
    if (state->fate[i] >= 0)
      put_doubles(file, state->position + 3 * i, 3);
  /* Without a vertex at each point ParaView shows nothing until a filter makes one. */
  fprintf(file, "\nVERTICES %lld %lld\n", n, 2 * n);
  for (int64_t i = 0; i < n; i++) {
    put_int(file, 1);
    put_int(file, i);
  }
  fprintf(file, "\nPOINT_DATA %lld\n", n);
  for (int i = 0; i < cairn_n_fields; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    if (field->trajectory && strcmp(field->trajectory, "coordinates") && !(field->flags & CAIRN_FIELD_STRESS) &&
        (frame->has_fates || !(field->flags & CAIRN_FIELD_FATE)))
      put_vtk_field(file, field, state);
  }
  return end_file(file, path, error);
}

/* The walls of a frame, each as a grid of n[0] by n[1] cells: surfaces have both, curves the first only, a point none;
 * what is not to be drawn has no points. */
struct grid {
  int n[2];
  int64_t n_points, n_cells;
  int dimension; /* 0, 1 or 2 */
};

static struct grid grid_of(const struct cairn_trajectory_frame *frame, int32_t wall) {
  struct grid grid = {{0, 0}, 0, 0, 0};
  if (frame->walls[wall].active == 0 || !cairn_wall_outline_cells(frame->shape[wall], grid.n))
    return grid;
  grid.n_points = (int64_t)(grid.n[0] + 1) * (grid.n[1] + 1);
  grid.dimension = (grid.n[0] > 0) + (grid.n[1] > 0);
  grid.n_cells = grid.dimension == 2 ? (int64_t)grid.n[0] * grid.n[1] : 1;
  return grid;
}

static void put_wall_points(FILE *file, const struct cairn_trajectory_frame *frame, int64_t n_points) {
  fprintf(file, "\nPOINTS %lld double\n", (long long)n_points);
  for (int32_t w = 0; w < frame->n_walls; w++) {
    struct grid grid = grid_of(frame, w);
    for (int j = 0; grid.n_points > 0 && j <= grid.n[1]; j++)
      for (int i = 0; i <= grid.n[0]; i++) {
        double point[3];
        cairn_wall_outline_point(frame->shape[w], &frame->walls[w], frame->box, i, j, point);
        put_doubles(file, point, 3);
      }
  }
}

/* One cell: the corners of a patch in turn, or all points of a curve, or the point. */
static void put_wall_cell(FILE *file, const struct grid *grid, int64_t first, int64_t cell) {
  if (grid->dimension < 2) {
    put_int(file, grid->n_points);
    for (int64_t i = 0; i < grid->n_points; i++)
      put_int(file, first + i);
    return;
  }
  int64_t row = grid->n[0] + 1, corner = first + cell / grid->n[0] * row + cell % grid->n[0];
  put_int(file, 4);
  put_int(file, corner);
  put_int(file, corner + 1);
  put_int(file, corner + row + 1);
  put_int(file, corner + row);
}

/* The cells of one dimension; the values of cells follow in the order of dimensions. */
static void put_wall_cells(FILE *file, const struct cairn_trajectory_frame *frame, int dimension) {
  static const char *const name[] = {"VERTICES", "LINES", "POLYGONS"};
  int64_t n_cells = 0, n_numbers = 0, first = 0;
  for (int32_t w = 0; w < frame->n_walls; w++) {
    struct grid grid = grid_of(frame, w);
    if (grid.dimension == dimension) {
      n_cells += grid.n_cells;
      n_numbers += grid.n_cells * (1 + (dimension == 2 ? 4 : grid.n_points));
    }
  }
  if (n_cells == 0)
    return;
  fprintf(file, "\n%s %lld %lld\n", name[dimension], (long long)n_cells, (long long)n_numbers);
  for (int32_t w = 0; w < frame->n_walls; w++) {
    struct grid grid = grid_of(frame, w);
    for (int64_t cell = 0; grid.dimension == dimension && cell < grid.n_cells; cell++)
      put_wall_cell(file, &grid, first, cell);
    first += grid.n_points;
  }
}

static int write_walls(const char *path, double time, const struct cairn_trajectory_frame *frame,
                       struct cairn_error *error) {
  FILE *file = begin_vtk(path, time, error);
  if (!file)
    return CAIRN_ERR_IO;
  int64_t n_points = 0, n_cells = 0;
  for (int32_t w = 0; w < frame->n_walls; w++) {
    struct grid grid = grid_of(frame, w);
    n_points += grid.n_points;
    n_cells += grid.n_cells;
  }
  put_wall_points(file, frame, n_points);
  for (int dimension = 0; dimension < 3; dimension++)
    put_wall_cells(file, frame, dimension);
  fprintf(file, "\nCELL_DATA %lld\nSCALARS wall int 1\nLOOKUP_TABLE default\n", (long long)n_cells);
  for (int dimension = 0; dimension < 3; dimension++)
    for (int32_t w = 0; w < frame->n_walls; w++) {
      struct grid grid = grid_of(frame, w);
      for (int64_t cell = 0; grid.dimension == dimension && cell < grid.n_cells; cell++)
        put_int(file, w);
    }
  fputc('\n', file);
  return end_file(file, path, error);
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
  return end_file(file, path, error);
}

/* One animation: a file per frame, then their index. */
static int write_animation(struct source *source, const char *prefix, bool of_walls, struct cairn_error *error) {
  char path[4096];
  int status = 0;
  for (int64_t frame = 0; frame < source->n_frames && !status; frame++) {
    snprintf(path, sizeof path, "%s_%06lld.vtk", prefix, (long long)frame);
    status = read_source(source, frame, error);
    if (!status)
      status = (of_walls ? write_walls : write_bodies)(path, source->times[frame], &source->frame, error);
  }
  if (!status) {
    const char *slash = strrchr(prefix, '/');
    snprintf(path, sizeof path, "%s.vtk.series", prefix);
    status = write_vtk_index(path, slash ? slash + 1 : prefix, source, error);
  }
  return status;
}

int cairn_export_vtk(const char *from, const char *prefix, struct cairn_error *error) {
  char walls[4096];
  for (const char *letter = prefix; *letter; letter++)
    if ((unsigned char)*letter < ' ')
      return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' cannot begin the name of a VTK file", prefix);
  if (strlen(prefix) + 48 > sizeof walls)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "the name of the VTK files is too long");
  struct source source;
  int status = open_source(&source, from, error);
  if (!status)
    status = write_animation(&source, prefix, false, error);
  snprintf(walls, sizeof walls, "%s_walls", prefix);
  if (!status && source.frame.n_walls > 0)
    status = write_animation(&source, walls, true, error);
  close_source(&source);
  return status;
}
