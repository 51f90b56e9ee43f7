#include "data/files/vtk.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "data/geometry/wall_outline.h"
#include "data/state/fields.h"
#include "data/storage/durable.h"
#include "kernels/shapes/mesh.h"

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

/* xx yy zz yz xz xy as all nine numbers. */
static void put_tensor(FILE *file, const double v[6]) {
  put_doubles(file, (double[]){v[0], v[5], v[4], v[5], v[1], v[3], v[4], v[3], v[2]}, 9);
}

/* Of the bodies that are still there. */
static void put_field(FILE *file, const struct cairn_field *field, const struct cairn_trajectory_frame *frame) {
  const struct cairn_state *state = &frame->state;
  const void *values = field->flags & CAIRN_FIELD_STRESS ? cairn_fields_stress(field, &frame->stress)
                                                         : cairn_fields_values(field, state);
  const char *type = field->type == CAIRN_FIELD_DOUBLE ? "double" : "int";
  if (field->components > 1)
    fprintf(file, "%s %s %s\n", field->components == 3 ? "VECTORS" : "TENSORS", field->trajectory, type);
  else
    fprintf(file, "SCALARS %s %s 1\nLOOKUP_TABLE default\n", field->trajectory, type);
  for (int64_t i = 0; i < state->n; i++) {
    if (state->captor[i] < 0)
      continue;
    if (field->components == 6)
      put_tensor(file, (const double *)values + 6 * i);
    else if (field->type == CAIRN_FIELD_DOUBLE)
      put_doubles(file, (const double *)values + field->components * i, field->components);
    else
      put_int(file, values ? ((const int32_t *)values)[i] : i);
  }
  fputc('\n', file);
}

static FILE *begin_vtk(const char *path, double time, struct cairn_error *error) {
  FILE *file = fopen(path, "wbx");
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

int cairn_vtk_write_bodies(const char *path, double time, const struct cairn_trajectory_frame *frame,
                           struct cairn_error *error) {
  const struct cairn_state *state = &frame->state;
  FILE *file = begin_vtk(path, time, error);
  if (!file)
    return CAIRN_ERR_IO;
  long long n = 0;
  for (int64_t i = 0; i < state->n; i++)
    n += state->captor[i] >= 0;
  fprintf(file, "\nPOINTS %lld double\n", n);
  for (int64_t i = 0; i < state->n; i++)
    if (state->captor[i] >= 0)
      put_doubles(file, state->position + 3 * i, 3);
  /* Without a vertex at each point ParaView shows nothing until a filter makes one. */
  fprintf(file, "\nVERTICES %lld %lld\n", n, 2 * n);
  for (int64_t i = 0; i < n; i++) {
    put_int(file, 1);
    put_int(file, i);
  }
  fprintf(file, "\nPOINT_DATA %lld\n", n);
  for (int i = 0; i < cairn_fields_n; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    if (field->trajectory && strcmp(field->trajectory, "coordinates") &&
        (frame->stress.stress || !(field->flags & CAIRN_FIELD_STRESS)) &&
        (frame->has_captures || !(field->flags & CAIRN_FIELD_CAPTURE)))
      put_field(file, field, frame);
  }
  return end_file(file, path, error);
}

/* The walls of a frame, each as a grid of n[0] by n[1] cells: surfaces have both, curves the first only, a point none;
 * a mesh is its triangles instead. What is not to be drawn has no points. */
struct grid {
  int n[2];
  int64_t n_points, n_cells;
  int dimension; /* 0, 1 or 2 */
  bool is_mesh;
};

static struct grid grid_of(const struct cairn_trajectory_frame *frame, int32_t wall) {
  struct grid grid = {{0, 0}, 0, 0, 0, false};
  if (frame->walls[wall].active == 0)
    return grid;
  if (!cairn_wall_outline_cells(frame->shape[wall], grid.n)) {
    const int64_t n = frame->triangles.n > 0 ? frame->triangles.count[wall] : 0;
    return (struct grid){{0, 0}, 3 * n, n, 2, true};
  }
  grid.n_points = (int64_t)(grid.n[0] + 1) * (grid.n[1] + 1);
  grid.dimension = (grid.n[0] > 0) + (grid.n[1] > 0);
  grid.n_cells = grid.dimension == 2 ? (int64_t)grid.n[0] * grid.n[1] : 1;
  return grid;
}

static void put_wall_points(FILE *file, const struct cairn_trajectory_frame *frame, int64_t n_points) {
  int64_t first = 0; /* of the triangles */
  double point[3];
  fprintf(file, "\nPOINTS %lld double\n", (long long)n_points);
  for (int32_t w = 0; w < frame->n_walls; w++) {
    struct grid grid = grid_of(frame, w);
    for (int64_t i = 0; grid.is_mesh && i < grid.n_points; i++) {
      cairn_wall_outline_place(&frame->walls[w], frame->triangles.corners + CAIRN_MESH_TRIANGLE * first + 3 * i, point);
      put_doubles(file, point, 3);
    }
    first += frame->triangles.n > 0 ? frame->triangles.count[w] : 0;
    for (int j = 0; !grid.is_mesh && grid.n_points > 0 && j <= grid.n[1]; j++)
      for (int i = 0; i <= grid.n[0]; i++) {
        cairn_wall_outline_point(frame->shape[w], &frame->walls[w], frame->box, i, j, point);
        put_doubles(file, point, 3);
      }
  }
}

/* One cell: the corners of a triangle or of a patch in turn, or all points of a curve, or the point. */
static void put_wall_cell(FILE *file, const struct grid *grid, int64_t first, int64_t cell) {
  if (grid->is_mesh) {
    put_int(file, 3);
    for (int64_t i = 0; i < 3; i++)
      put_int(file, first + 3 * cell + i);
    return;
  }
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
      n_numbers += grid.n_cells * (1 + (grid.is_mesh ? 3 : dimension == 2 ? 4 : grid.n_points));
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

int cairn_vtk_write_walls(const char *path, double time, const struct cairn_trajectory_frame *frame,
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

int cairn_vtk_write_index(const char *path, const char *name, int64_t n_frames, const double *times,
                          struct cairn_error *error) {
  FILE *file = fopen(path, "wx");
  if (!file)
    return cairn_durable_fail(error, "write", path, errno);
  fprintf(file, "{\"file-series-version\": \"1.0\", \"files\": [\n");
  for (int64_t frame = 0; frame < n_frames; frame++) {
    char entry[4096];
    snprintf(entry, sizeof entry, "%s_%06lld.vtk", name, (long long)frame);
    fputs("  {\"name\": ", file);
    put_quoted(file, entry);
    fprintf(file, ", \"time\": %.17g}%s\n", times[frame], frame + 1 < n_frames ? "," : "");
  }
  fprintf(file, "]}\n");
  return end_file(file, path, error);
}
