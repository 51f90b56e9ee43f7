#include "data/base/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/lines.h"
#include "data/base/number.h"
#include "data/schema/yaml.h"

enum { MAX_LINE = 4096 };

static const char *const column_names[CAIRN_TABLE_N_KINDS] = {"x",  "y",  "z",      "vx",   "vy",       "vz",  "wx",
                                                              "wy", "wz", "radius", "mass", "material", "skip"};

enum cairn_table_column cairn_table_column_of(const char *name) {
  int column = 0;
  while (column < CAIRN_TABLE_N_KINDS && strcmp(column_names[column], name) != 0)
    column++;
  return (enum cairn_table_column)column;
}

bool cairn_table_has(const struct cairn_table *table, enum cairn_table_column column) {
  for (int i = 0; i < table->n_columns; i++)
    if (table->column[i] == column)
      return true;
  return false;
}

struct cairn_table_reader {
  const struct cairn_table *table;
  const char *name;
  FILE *stream;
  int64_t line;  /* of the file, counted from 1 */
  int64_t n_all; /* bodies in all portions so far */
  char text[MAX_LINE];
  struct cairn_state *state;
  int64_t n; /* bodies of the portion so far; its arrays are longer */
  struct cairn_error *error;
};

static int refuse(const struct cairn_table_reader *reader, const char *at, const char *what, const char *allowed) {
  char shown[CAIRN_YAML_SHOWN];
  return cairn_error_set(reader->error, CAIRN_ERR_INPUT, "%s:%lld:%zu: found %s; allowed: %s", reader->name,
                         (long long)reader->line, (size_t)(at - reader->text) + 1, cairn_yaml_show(what, shown),
                         allowed);
}

/* The next line into the buffer; 1, 0 at the end of the file, or a negative status. */
static int read_line(struct cairn_table_reader *reader) {
  size_t n;
  const enum cairn_lines kind = cairn_lines_next(reader->stream, reader->text, MAX_LINE, &n);
  reader->line += kind != CAIRN_LINES_END && kind != CAIRN_LINES_FAILED;
  if (kind == CAIRN_LINES_FAILED)
    return cairn_error_set(reader->error, CAIRN_ERR_IO, "%s: cannot read: %s", reader->name, strerror(errno));
  if (kind == CAIRN_LINES_NUL)
    return refuse(reader, reader->text + n, "a NUL character", "text");
  if (kind == CAIRN_LINES_LONG)
    return refuse(reader, reader->text, "a line that does not end", "at most 4095 characters");
  return kind == CAIRN_LINES_TEXT;
}

static bool find_material(const struct cairn_table *table, const char *field, int32_t *material) {
  int64_t index;
  for (int32_t m = 0; m < table->n_materials; m++)
    if (strcmp(table->materials[m].name, field) == 0) {
      *material = m;
      return true;
    }
  if (!cairn_number_parse_integer(field, &index) || index < 0 || index >= table->n_materials)
    return false;
  *material = (int32_t)index;
  return true;
}

static int take_field(struct cairn_table_reader *reader, enum cairn_table_column column, const char *at,
                      const char *field) {
  struct cairn_state *state = reader->state;
  int64_t i = reader->n;
  if (column == CAIRN_TABLE_SKIP)
    return CAIRN_OK;
  if (column == CAIRN_TABLE_MATERIAL)
    return find_material(reader->table, field, &state->material[i])
               ? CAIRN_OK
               : refuse(reader, at, field, "the name of a material, or its number from 0");
  double value;
  if (!cairn_number_parse(field, &value) || !isfinite(value))
    return refuse(reader, at, field, "a finite number");
  if ((column == CAIRN_TABLE_RADIUS || column == CAIRN_TABLE_MASS) && !(value > 0))
    return refuse(reader, at, field, column == CAIRN_TABLE_MASS ? "a mass > 0" : "a radius > 0");
  int k = (int)column % 3;
  if (column <= CAIRN_TABLE_Z)
    state->position[3 * i + k] = value;
  else if (column <= CAIRN_TABLE_VZ)
    state->velocity[3 * i + k] = value;
  else if (column <= CAIRN_TABLE_WZ)
    state->spin[3 * i + k] = value;
  else if (column == CAIRN_TABLE_RADIUS)
    state->radius[i] = value;
  else
    state->mass[i] = value;
  return CAIRN_OK;
}

/* The start of the next field, or of the end of the line. At most one comma separates two fields. */
static char *skip_separator(char *text, int field) {
  static const char blanks[] = " \t\r";
  text += strspn(text, blanks);
  if (field > 0 && *text == ',') {
    text++;
    text += strspn(text, blanks);
  }
  return text;
}

static int take_line(struct cairn_table_reader *reader) {
  const struct cairn_table *table = reader->table;
  reader->text[strcspn(reader->text, "#")] = '\0';
  char *at = reader->text;
  if (reader->line == 1 && strncmp(at, "\xef\xbb\xbf", 3) == 0)
    memset(at, ' ', 3);
  at = skip_separator(at, 0);
  if (*at == '\0')
    return CAIRN_OK;
  int n = 0;
  for (; *at; n++, at = skip_separator(at, n)) {
    size_t length = strcspn(at, " \t\r,");
    char field[MAX_LINE];
    memcpy(field, at, length);
    field[length] = '\0';
    if (n == table->n_columns) {
      char allowed[64];
      snprintf(allowed, sizeof allowed, "%d columns, as `columns` says", table->n_columns);
      return refuse(reader, at, field, allowed);
    }
    int status = take_field(reader, table->column[n], at, field);
    if (status != CAIRN_OK)
      return status;
    at += length;
  }
  if (n < table->n_columns) {
    char what[64], allowed[64];
    snprintf(what, sizeof what, "%d columns", n);
    snprintf(allowed, sizeof allowed, "%d columns, as `columns` says", table->n_columns);
    return refuse(reader, at, what, allowed);
  }
  reader->n++;
  return CAIRN_OK;
}

static int read_lines(struct cairn_table_reader *reader) {
  int more = 1;
  while (reader->n < reader->state->n && (more = read_line(reader)) > 0) {
    int status = reader->line > reader->table->skip_lines ? take_line(reader) : CAIRN_OK;
    if (status != CAIRN_OK)
      return status;
  }
  return more < 0 ? more : CAIRN_OK;
}

int cairn_table_open(const struct cairn_table *table, const char *path, const char *name,
                     struct cairn_table_reader **reader, struct cairn_error *error) {
  *reader = calloc(1, sizeof **reader);
  if (!*reader)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", name);
  (*reader)->table = table;
  (*reader)->name = name;
  (*reader)->stream = cairn_lines_open(path);
  if ((*reader)->stream)
    return CAIRN_OK;
  const int status =
      cairn_error_set(error, errno == EACCES || errno == EIO ? CAIRN_ERR_IO : CAIRN_ERR_INPUT, "%s: cannot be read: %s",
                      name, errno == EINVAL ? "not a regular file" : strerror(errno));
  free(*reader);
  *reader = NULL;
  return status;
}

int cairn_table_next(struct cairn_table_reader *reader, int64_t most, struct cairn_state *state,
                     struct cairn_error *error) {
  reader->state = state;
  reader->error = error;
  reader->n = 0;
  int status = cairn_state_resize(state, 0, error);
  if (status == CAIRN_OK)
    status = cairn_state_resize(state, most, error); /* all zero */
  if (status == CAIRN_OK)
    status = read_lines(reader);
  if (status == CAIRN_OK)
    status = cairn_state_resize(state, reader->n, error);
  reader->n_all += reader->n;
  if (status == CAIRN_OK && reader->n_all == 0)
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "%s:%lld:1: found no body in the table", reader->name,
                             (long long)reader->line);
  return status;
}

void cairn_table_close(struct cairn_table_reader *reader) {
  if (reader)
    fclose(reader->stream);
  free(reader);
}
