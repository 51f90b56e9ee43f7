#include "data/geometry/mesh_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cairn/error.h"
#include "data/base/number.h"
#include "data/schema/yaml.h"

enum { MAX_LINE = 1 << 16, STL_HEADER = 84, STL_RECORD = 50, STL_BATCH = 1024 };

struct reader {
  const char *path;
  FILE *stream;
  int64_t size; /* bytes in the file */
  int64_t line;
  char *text; /* the line, cut into words as it is read */
  char *rest; /* what is left of it */
  struct cairn_mesh_soup *soup;
  double *vertex; /* [n_vertices][3] of an OBJ file */
  int64_t n_vertices, vertex_capacity;
  struct cairn_error *error;
};

static int fail_memory(const struct reader *reader) {
  return cairn_error_set(reader->error, CAIRN_ERR_NUMERIC, "%s: out of memory", reader->path);
}

static int fail_read(const struct reader *reader) {
  return cairn_error_set(reader->error, CAIRN_ERR_IO, "%s: cannot be read: %s", reader->path, strerror(errno));
}

static int refuse(const struct reader *reader, const char *found, const char *allowed) {
  char shown[CAIRN_YAML_SHOWN];
  return cairn_error_set(reader->error, CAIRN_ERR_INPUT, "%s:%lld: found %s; allowed: %s", reader->path,
                         (long long)reader->line, cairn_yaml_show(found, shown), allowed);
}

/* Room for one more record of `width` doubles, at most `limit` in all. */
static int reserve(const struct reader *reader, double **array, int64_t n, int64_t *capacity, size_t width,
                   int64_t limit) {
  if (n < *capacity)
    return CAIRN_OK;
  if (n >= limit)
    return cairn_error_set(reader->error, CAIRN_ERR_INPUT, "%s: a mesh may have at most %lld %s", reader->path,
                           (long long)limit, width == 9 ? "triangles" : "vertices");
  int64_t larger = *capacity ? 2 * *capacity : 256;
  double *grown = realloc(*array, (size_t)larger * width * sizeof **array);
  if (!grown)
    return fail_memory(reader);
  *array = grown;
  *capacity = larger;
  return CAIRN_OK;
}

static int add_triangle(const struct reader *reader, const double *a, const double *b, const double *c) {
  struct cairn_mesh_soup *soup = reader->soup;
  int status = reserve(reader, &soup->corner, soup->n, &soup->capacity, 9, CAIRN_MESH_FILE_MAX);
  if (status)
    return status;
  double *corner = soup->corner + 9 * soup->n++;
  memcpy(corner, a, 3 * sizeof *a);
  memcpy(corner + 3, b, 3 * sizeof *b);
  memcpy(corner + 6, c, 3 * sizeof *c);
  return CAIRN_OK;
}

/* Text */

/* Read one line without its end; 1, 0 at the end of the file, or a negative status. */
static int read_line(struct reader *reader) {
  size_t n = 0;
  int c = getc_unlocked(reader->stream);
  if (c == EOF)
    return ferror(reader->stream) ? fail_read(reader) : 0;
  reader->line++;
  for (; c != EOF && c != '\n'; c = getc_unlocked(reader->stream)) {
    if (c == '\0')
      return refuse(reader, "a NUL character", "text");
    if (n == MAX_LINE - 1)
      return refuse(reader, "a line that does not end", "at most 65535 characters");
    reader->text[n++] = (char)c;
  }
  reader->text[n] = '\0';
  reader->rest = reader->text;
  return 1;
}

/* The next word of the line, or NULL. */
static char *next_word(struct reader *reader) {
  static const char blanks[] = " \t\r\v\f";
  char *word = reader->rest + strspn(reader->rest, blanks);
  char *end = word + strcspn(word, blanks);
  reader->rest = *end ? end + 1 : end;
  *end = '\0';
  return end > word ? word : NULL;
}

static int read_corner(struct reader *reader, double corner[3]) {
  for (int k = 0; k < 3; k++) {
    const char *word = next_word(reader);
    if (!word)
      return refuse(reader, "the end of the line", "three coordinates");
    if (!cairn_number_parse(word, &corner[k]) || !isfinite(corner[k]))
      return refuse(reader, word, "a finite number");
  }
  return CAIRN_OK;
}

/* ASCII STL */

/* The lines of a facet in their order; the one with which each begins. Between facets solids begin and end. */
static const char *const facet_lines[] = {"facet", "outer", "vertex", "vertex", "vertex", "endloop", "endfacet"};
enum { FACET_LINES = sizeof facet_lines / sizeof *facet_lines };

/* What may follow in that state. */
static const char *allowed_in(int state, bool in_solid) {
  return state > 0 ? facet_lines[state] : in_solid ? "facet or endsolid" : "solid";
}

static int read_ascii_stl(struct reader *reader) {
  double corner[3][3];
  int status, state = 0;
  bool in_solid = false;
  while ((status = read_line(reader)) > 0) {
    const char *word = next_word(reader);
    if (!word)
      continue;
    if (state == 0 && strcasecmp(word, in_solid ? "endsolid" : "solid") == 0) {
      in_solid = !in_solid;
      continue;
    }
    if (!in_solid || strcasecmp(word, facet_lines[state]) != 0)
      return refuse(reader, word, allowed_in(state, in_solid));
    if (state >= 2 && state <= 4 && (status = read_corner(reader, corner[state - 2])) != CAIRN_OK)
      return status;
    state = (state + 1) % FACET_LINES;
    if (state == 0 && (status = add_triangle(reader, corner[0], corner[1], corner[2])) != CAIRN_OK)
      return status;
  }
  if (status == CAIRN_OK && in_solid)
    return refuse(reader, "the end of the file", allowed_in(state, in_solid));
  return status;
}

/* OBJ */

static int read_vertex(struct reader *reader) {
  int status = reserve(reader, &reader->vertex, reader->n_vertices, &reader->vertex_capacity, 3,
                       3 * (int64_t)CAIRN_MESH_FILE_MAX);
  if (status == CAIRN_OK)
    status = read_corner(reader, reader->vertex + 3 * reader->n_vertices);
  if (status == CAIRN_OK)
    reader->n_vertices++;
  return status;
}

/* A corner of a face is V, V/T, V//N or V/T/N; V counts from 1, or from the last vertex so far if negative. */
static int find_vertex(struct reader *reader, const char *word, int64_t *index) {
  char digits[24], allowed[96];
  const size_t length = strcspn(word, "/");
  int64_t v = 0;
  if (length < sizeof digits) {
    memcpy(digits, word, length);
    digits[length] = '\0';
    if (strspn(digits, "+-0123456789") == length && cairn_number_parse_integer(digits, &v) && v != 0 &&
        v >= -reader->n_vertices && v <= reader->n_vertices) {
      *index = v > 0 ? v - 1 : reader->n_vertices + v;
      return CAIRN_OK;
    }
  }
  snprintf(allowed, sizeof allowed, "the number of one of the %lld vertices so far, 1 for the first, -1 for the last",
           (long long)reader->n_vertices);
  return refuse(reader, word, allowed);
}

/* A polygon becomes the triangles of its first corner with each of the other edges. */
static int read_face(struct reader *reader) {
  int64_t first = 0, last = 0, v = 0;
  int n = 0, status = CAIRN_OK;
  for (const char *word = next_word(reader); word && status == CAIRN_OK; word = next_word(reader), n++) {
    if ((status = find_vertex(reader, word, &v)) != CAIRN_OK)
      return status;
    if (n == 0)
      first = v;
    if (n >= 2)
      status = add_triangle(reader, reader->vertex + 3 * first, reader->vertex + 3 * last, reader->vertex + 3 * v);
    last = v;
  }
  if (status == CAIRN_OK && n < 3)
    return refuse(reader, "the end of the line", "a face with at least three corners");
  return status;
}

/* Vertices and faces; everything else (normals, textures, groups, comments) says nothing about the shape. */
static int read_obj(struct reader *reader) {
  int status;
  while ((status = read_line(reader)) > 0) {
    const char *word = next_word(reader);
    status = CAIRN_OK;
    if (word && strcmp(word, "v") == 0)
      status = read_vertex(reader);
    else if (word && strcmp(word, "f") == 0)
      status = read_face(reader);
    if (status != CAIRN_OK)
      break;
  }
  return status;
}

/* Binary STL: 80 bytes of anything, the number of triangles, then for each its normal, three corners and two bytes,
 * all numbers little-endian and of 4 bytes. */

static uint32_t number_at(const unsigned char *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static int add_record(const struct reader *reader, const unsigned char *record) {
  double corner[9];
  for (int k = 0; k < 9; k++) {
    const uint32_t bits = number_at(record + 12 + 4 * k);
    float value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value))
      return cairn_error_set(reader->error, CAIRN_ERR_INPUT,
                             "%s: triangle %lld of the file has a corner that is not finite", reader->path,
                             (long long)reader->soup->n + 1);
    corner[k] = value;
  }
  return add_triangle(reader, corner, corner + 3, corner + 6);
}

static int read_binary_stl(const struct reader *reader, int64_t count) {
  static const size_t record = STL_RECORD;
  int status = CAIRN_OK;
  unsigned char *batch = malloc(STL_BATCH * record);
  if (!batch)
    return fail_memory(reader);
  while (count > 0 && status == CAIRN_OK) {
    const size_t wanted = count < STL_BATCH ? (size_t)count : STL_BATCH;
    if (fread(batch, record, wanted, reader->stream) != wanted)
      status = ferror(reader->stream) ? fail_read(reader)
                                      : cairn_error_set(reader->error, CAIRN_ERR_INPUT,
                                                        "%s: became shorter while it was read", reader->path);
    for (size_t i = 0; i < wanted && status == CAIRN_OK; i++)
      status = add_record(reader, batch + i * record);
    count -= (int64_t)wanted;
  }
  free(batch);
  return status;
}

/* STL of either kind. Binary files may begin with "solid" as well: the size decides. */
static int read_stl(struct reader *reader) {
  unsigned char head[STL_HEADER];
  const size_t n = fread(head, 1, sizeof head, reader->stream);
  if (ferror(reader->stream))
    return fail_read(reader);
  const int64_t count = n == STL_HEADER ? (int64_t)number_at(head + 80) : -1;
  const bool fits = count >= 0 && reader->size == STL_HEADER + STL_RECORD * count;
  if (fits && count > CAIRN_MESH_FILE_MAX)
    return cairn_error_set(reader->error, CAIRN_ERR_INPUT, "%s: found %lld triangles; allowed: at most %d",
                           reader->path, (long long)count, CAIRN_MESH_FILE_MAX);
  if (fits)
    return read_binary_stl(reader, count);
  size_t blanks = 0;
  while (blanks < n && strchr(" \t\r\n\v\f", head[blanks]) && head[blanks])
    blanks++;
  if (n - blanks >= 5 && strncasecmp((const char *)head + blanks, "solid", 5) == 0 && !memchr(head, '\0', n)) {
    rewind(reader->stream);
    return read_ascii_stl(reader);
  }
  if (count < 0)
    return cairn_error_set(reader->error, CAIRN_ERR_INPUT,
                           "%s: found neither STL (too short, %lld bytes) nor a name that ends with .obj", reader->path,
                           (long long)reader->size);
  return cairn_error_set(reader->error, CAIRN_ERR_INPUT,
                         "%s: found %lld bytes; a binary STL file of %lld triangles, as it says, has %lld (an ASCII "
                         "one begins with \"solid\", the name of an OBJ file ends with .obj)",
                         reader->path, (long long)reader->size, (long long)count,
                         (long long)(STL_HEADER + STL_RECORD * count));
}

/* Files */

static bool is_obj(const char *path) {
  const size_t n = strlen(path);
  return n >= 4 && strcasecmp(path + n - 4, ".obj") == 0;
}

/* Without waiting for a writer if it is a pipe. */
static FILE *open_mesh(const char *path, int64_t *size) {
  struct stat info;
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return NULL;
  int cause = fstat(file, &info) ? errno : S_ISREG(info.st_mode) ? 0 : EINVAL;
  FILE *stream = cause ? NULL : fdopen(file, "rb");
  if (stream) {
    *size = info.st_size;
    return stream;
  }
  cause = cause ? cause : errno;
  close(file);
  errno = cause;
  return NULL;
}

int cairn_mesh_file_read(const char *path, struct cairn_mesh_soup *soup, struct cairn_error *error) {
  struct reader reader = {.path = path, .soup = soup, .error = error};
  int status;
  *soup = (struct cairn_mesh_soup){0};
  reader.stream = open_mesh(path, &reader.size);
  if (!reader.stream)
    return cairn_error_set(error, errno == EACCES || errno == EIO ? CAIRN_ERR_IO : CAIRN_ERR_INPUT,
                           "%s: cannot be read: %s", path, errno == EINVAL ? "not a regular file" : strerror(errno));
  reader.text = malloc(MAX_LINE);
  if (!reader.text)
    status = fail_memory(&reader);
  else if (reader.size == 0)
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "%s: the file is empty", path);
  else
    status = is_obj(path) ? read_obj(&reader) : read_stl(&reader);
  fclose(reader.stream);
  free(reader.text);
  free(reader.vertex);
  return status;
}
