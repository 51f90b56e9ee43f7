#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/error.h"
#include "data/base/lines.h"
#include "data/base/number.h"
#include "data/scenario/walls_parts.h"

/* A table is walked at every step, and a file may be anything. */
enum { MAX_LINE = 1024, MAX_ROWS = 1000000 };

struct reader {
  const char *name;
  FILE *stream;
  long long line; /* of the file, counted from 1 */
  char text[MAX_LINE];
  struct cairn_motion *motion;
  int32_t capacity; /* rows that there is room for */
  struct cairn_error *error;
};

static int refuse(const struct reader *reader, const char *found, const char *allowed) {
  char shown[CAIRN_YAML_SHOWN];
  return cairn_error_set(reader->error, CAIRN_ERR_INPUT, "%s:%lld: found %s; allowed: %s", reader->name, reader->line,
                         cairn_yaml_show(found, shown), allowed);
}

/* The next line into the buffer; 1, 0 at the end of the file, or a negative status. */
static int read_line(struct reader *reader) {
  size_t n;
  const enum cairn_lines kind = cairn_lines_next(reader->stream, reader->text, MAX_LINE, &n);
  reader->line += kind != CAIRN_LINES_END && kind != CAIRN_LINES_FAILED;
  if (kind == CAIRN_LINES_FAILED)
    return cairn_error_set(reader->error, CAIRN_ERR_IO, "%s: cannot read: %s", reader->name, strerror(errno));
  if (kind == CAIRN_LINES_NUL)
    return refuse(reader, "a NUL character", "text");
  if (kind == CAIRN_LINES_LONG)
    return refuse(reader, "a line that does not end", "at most 1023 characters");
  return kind == CAIRN_LINES_TEXT;
}

static int add_room(struct reader *reader) {
  struct cairn_motion *motion = reader->motion;
  if (motion->n_points < reader->capacity)
    return CAIRN_OK;
  if (reader->capacity >= MAX_ROWS)
    return refuse(reader, "one row too many", "at most 1000000 rows");
  int32_t wanted = reader->capacity ? 4 * reader->capacity : 256;
  wanted = wanted < MAX_ROWS ? wanted : MAX_ROWS;
  double **arrays[] = {&motion->time, &motion->displacement, &motion->slope};
  for (int i = 0; i < 3; i++) {
    double *grown = realloc(*arrays[i], (size_t)wanted * (i ? 3 : 1) * sizeof(double));
    if (!grown)
      return cairn_error_set(reader->error, CAIRN_ERR_NUMERIC, "%s: out of memory", reader->name);
    *arrays[i] = grown;
  }
  reader->capacity = wanted;
  return CAIRN_OK;
}

/* The wall begins where the scenario says, and time runs forwards. */
static int check_row(const struct reader *reader, const double row[4]) {
  const struct cairn_motion *motion = reader->motion;
  char found[64], allowed[64];
  if (motion->n_points == 0 && row[0] < 0) {
    snprintf(found, sizeof found, "the time %g", row[0]);
    return refuse(reader, found, "a first time of 0 or later");
  }
  if (motion->n_points == 0 && (row[1] != 0 || row[2] != 0 || row[3] != 0)) {
    snprintf(found, sizeof found, "the displacement %g %g %g", row[1], row[2], row[3]);
    return refuse(reader, found, "0 0 0 in the first row: displacements count from the start");
  }
  if (motion->n_points > 0 && !(row[0] > motion->time[motion->n_points - 1])) {
    snprintf(found, sizeof found, "the time %g", row[0]);
    snprintf(allowed, sizeof allowed, "a time after that of the row before, %g", motion->time[motion->n_points - 1]);
    return refuse(reader, found, allowed);
  }
  return CAIRN_OK;
}

static int take_line(struct reader *reader) {
  static const char blanks[] = " \t\r";
  double row[4];
  int n = 0;
  char *at = reader->text;
  at[strcspn(at, "#")] = '\0';
  for (at += strspn(at, blanks); *at; n++) {
    size_t length = strcspn(at, blanks);
    char *next = at + length + strspn(at + length, blanks);
    at[length] = '\0';
    if (n == 4)
      return refuse(reader, "more than 4 columns", "t x y z");
    if (!cairn_number_parse(at, &row[n]) || !isfinite(row[n]))
      return refuse(reader, at, "a finite number");
    at = next;
  }
  if (n == 0)
    return CAIRN_OK;
  if (n < 4)
    return refuse(reader, "fewer than 4 columns", "t x y z");
  int status = check_row(reader, row);
  if (status == CAIRN_OK)
    status = add_room(reader);
  if (status != CAIRN_OK)
    return status;
  struct cairn_motion *motion = reader->motion;
  motion->time[motion->n_points] = row[0];
  memcpy(motion->displacement + 3 * (size_t)motion->n_points, row + 1, 3 * sizeof(double));
  motion->n_points++;
  return CAIRN_OK;
}

int cairn_walls_read_table(const char *path, const char *name, struct cairn_motion *motion, struct cairn_error *error) {
  struct reader reader = {.name = name, .motion = motion, .error = error};
  reader.stream = cairn_lines_open(path);
  if (!reader.stream)
    return cairn_error_set(error, errno == EACCES || errno == EIO ? CAIRN_ERR_IO : CAIRN_ERR_INPUT,
                           "%s: cannot be read: %s", name, errno == EINVAL ? "not a regular file" : strerror(errno));
  int more, status = CAIRN_OK;
  while (status == CAIRN_OK && (more = read_line(&reader)) != 0)
    status = more > 0 ? take_line(&reader) : more;
  fclose(reader.stream);
  if (status == CAIRN_OK && motion->n_points < 2)
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "%s: found %d rows; allowed: at least 2 rows t x y z", name,
                             motion->n_points);
  return status;
}
