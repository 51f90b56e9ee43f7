/* A table of overrides: one key per column, one run per row. */
#ifndef CAIRN_CLI_COMMANDS_SWEEP_TABLE_H
#define CAIRN_CLI_COMMANDS_SWEEP_TABLE_H

#include <stdio.h>

#include "cairn/error.h"

enum { CAIRN_SWEEP_COLUMNS = 64, CAIRN_SWEEP_ROWS = 100000 };

struct cairn_sweep_table {
  int n_columns, n_rows;
  char **cells; /* [1 + n_rows][n_columns]: keys, then values; owned */
};

/* Comma-separated values as spreadsheets write them: cells with commas, quotes or line breaks in quotes. Empty lines
 * and lines that begin with # are left out. Messages are file:line: message. */
int cairn_sweep_table_read(const char *path, struct cairn_sweep_table *table, struct cairn_error *error);

void cairn_sweep_table_fini(struct cairn_sweep_table *table);

/* Cell of a row, from 0 on; row -1 is that of the keys. */
const char *cairn_sweep_table_cell(const struct cairn_sweep_table *table, int row, int column);

/* Write a cell, in quotes where it needs them. */
void cairn_sweep_table_put(FILE *file, const char *text);

#endif
