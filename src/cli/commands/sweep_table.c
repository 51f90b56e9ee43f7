#include "cli/commands/sweep_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 16 << 20 };

/* Where the reader is in the text. */
struct reader {
  const char *path;
  char *at;
  int line;
};

static char *read_text(const char *path, struct cairn_error *error) {
  FILE *file = fopen(path, "rb");
  char *text = file ? malloc(MOST_BYTES + 1) : NULL;
  if (!file || !text) {
    cairn_error_set(error, file ? CAIRN_ERR_NUMERIC : CAIRN_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
    if (file)
      fclose(file);
    return NULL;
  }
  const size_t n = fread(text, 1, MOST_BYTES + 1, file);
  const int failed = ferror(file);
  fclose(file);
  if (failed || n > MOST_BYTES || memchr(text, '\0', n)) {
    cairn_error_set(error, failed ? CAIRN_ERR_IO : CAIRN_ERR_INPUT, "'%s' is no table of text of up to %d bytes", path,
                    MOST_BYTES);
    free(text);
    return NULL;
  }
  text[n] = '\0';
  return text;
}

/* The next cell, in place; `last` is set at the end of a row. */
static int take_cell(struct reader *r, char **cell, int *last, struct cairn_error *error) {
  char *to = r->at;
  const int begin = r->line;
  *cell = r->at;
  if (*r->at == '"') {
    for (r->at++; *r->at && (*r->at != '"' || r->at[1] == '"'); r->at++) {
      r->line += *r->at == '\n';
      r->at += *r->at == '"';
      *to++ = *r->at;
    }
    if (*r->at != '"')
      return cairn_error_set(error, CAIRN_ERR_INPUT, "%s:%d: a quote is not closed", r->path, begin);
    r->at++;
  } else
    while (*r->at && !strchr(",\r\n", *r->at))
      *to++ = *r->at++;
  r->at += *r->at == '\r';
  const char end = *r->at;
  if (end && end != ',' && end != '\n')
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%s:%d: text after a closed quote", r->path, r->line);
  *last = end != ',';
  r->line += end == '\n';
  r->at += end != '\0';
  *to = '\0';
  return 0;
}

static void skip_comments(struct reader *r) {
  while (*r->at == '#' || *r->at == '\n' || *r->at == '\r') {
    const char *end = strchr(r->at, '\n');
    r->at = end ? r->at + (end - r->at) + 1 : r->at + strlen(r->at);
    r->line++;
  }
}

static int take_row(struct reader *r, struct cairn_sweep_table *table, int row, struct cairn_error *error) {
  char *cells[CAIRN_SWEEP_COLUMNS];
  int n = 0, last = 0;
  const int line = r->line;
  while (!last) {
    if (n == CAIRN_SWEEP_COLUMNS)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "%s:%d: more than %d columns", r->path, line, CAIRN_SWEEP_COLUMNS);
    int status = take_cell(r, &cells[n++], &last, error);
    if (status)
      return status;
  }
  if (row == 0)
    table->n_columns = n;
  if (n != table->n_columns)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%s:%d: %d cells, the first row has %d", r->path, line, n,
                           table->n_columns);
  char **grown = realloc(table->cells, (size_t)(row + 1) * (size_t)n * sizeof *grown);
  if (!grown)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for '%s'", r->path);
  table->cells = grown;
  for (int c = 0; c < n; c++) {
    table->cells[row * n + c] = strdup(cells[c]);
    if (!table->cells[row * n + c])
      return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for '%s'", r->path);
    if (row == 0 && (!cells[c][0] || strchr(cells[c], '=')))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "%s:%d: '%.80s' is no key of a scenario", r->path, line, cells[c]);
  }
  table->n_rows = row;
  return 0;
}

int cairn_sweep_table_read(const char *path, struct cairn_sweep_table *table, struct cairn_error *error) {
  *table = (struct cairn_sweep_table){0};
  char *text = read_text(path, error);
  if (!text)
    return error->status;
  struct reader reader = {path, text, 1};
  int status = 0, row = 0;
  for (skip_comments(&reader); *reader.at && !status; skip_comments(&reader)) {
    if (row > CAIRN_SWEEP_ROWS)
      status = cairn_error_set(error, CAIRN_ERR_INPUT, "%s: more than %d rows", path, CAIRN_SWEEP_ROWS);
    else
      status = take_row(&reader, table, row++, error);
  }
  if (!status && row < 2)
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "%s: a table has a row of keys and at least one of values", path);
  free(text);
  if (status)
    cairn_sweep_table_fini(table);
  return status;
}

void cairn_sweep_table_fini(struct cairn_sweep_table *table) {
  for (int i = 0; table->cells && i < (table->n_rows + 1) * table->n_columns; i++)
    free(table->cells[i]);
  free(table->cells);
  *table = (struct cairn_sweep_table){0};
}

const char *cairn_sweep_table_cell(const struct cairn_sweep_table *table, int row, int column) {
  return table->cells[(row + 1) * table->n_columns + column];
}

void cairn_sweep_table_put(FILE *file, const char *text) {
  if (!strpbrk(text, ",\"\n\r")) {
    fputs(text, file);
    return;
  }
  fputc('"', file);
  for (; *text; text++) {
    fputs(*text == '"' ? "\"" : "", file);
    fputc(*text, file);
  }
  fputc('"', file);
}
