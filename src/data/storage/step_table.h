/* A NetCDF file with one row after the other on an unlimited dimension, in the order of steps: what happened when, or
 * what was there when. A run that is resumed cuts the rows that came after its checkpoint. */
#ifndef CAIRN_DATA_STORAGE_STEP_TABLE_H
#define CAIRN_DATA_STORAGE_STEP_TABLE_H

#include <stddef.h>

#include "data/files/provenance.h"

/* A column: a member of the row, int32_t or doubles. */
struct cairn_step_column {
  const char *name, *unit, *long_name;
  int is_integer, components; /* 1 or 3 */
  size_t offset;
};

/* A kind of table. The first member of its rows is the step, a double, and so is its first column. */
struct cairn_step_kind {
  const char *name;      /* what `cairn_file` says */
  const char *dimension; /* of the rows */
  const char *summary;
  const struct cairn_step_column *column; /* [n_columns] */
  int n_columns;
  size_t row_size;
};

struct cairn_step_table;

/* As cairn_series_create. */
int cairn_step_table_create(const char *path, const struct cairn_step_kind *kind, const char *title,
                            const struct cairn_provenance *provenance, struct cairn_step_table **table,
                            struct cairn_error *error);

/* Go on after the last row of a step up to `last`. */
int cairn_step_table_open(const char *path, const struct cairn_step_kind *kind, double last,
                          struct cairn_step_table **table, struct cairn_error *error);

int cairn_step_table_append(struct cairn_step_table *table, const void *rows, int64_t n, struct cairn_error *error);

/* Rows that several threads write at once. Begin, with nothing appended since the last sync. Each thread opens a part
 * at its place among these rows, puts its own there one after the other, and closes it, which returns an error number.
 * In the end, with the first of these, all n rows count and readers see them; if it is not 0, none do. */
struct cairn_step_part {
  const struct cairn_step_table *table;
  int64_t first, n, room; /* where the rows that wait for being written go; rows */
  unsigned char *bytes;   /* those, as the file has them */
  int number;
};
int cairn_step_table_begin(struct cairn_step_table *table, struct cairn_error *error);
void cairn_step_part_open(struct cairn_step_part *part, const struct cairn_step_table *table, int64_t first);
void cairn_step_part_put(struct cairn_step_part *part, const void *rows, int64_t n);
int cairn_step_part_close(struct cairn_step_part *part);
int cairn_step_table_end(struct cairn_step_table *table, int64_t n, int number, struct cairn_error *error);

/* As those of a series. */
int64_t cairn_step_table_n_rows(const struct cairn_step_table *table);
int cairn_step_table_rename(struct cairn_step_table *table, const char *to, struct cairn_error *error);
int cairn_step_table_sync(struct cairn_step_table *table, struct cairn_error *error);
int cairn_step_table_persist(struct cairn_step_table *table, struct cairn_error *error);
int cairn_step_table_close(struct cairn_step_table *table, struct cairn_error *error);

/* All rows of a file of this kind, which may be anything: steps are checked to be whole numbers that do not fall, all
 * else is left to the caller. *rows is allocated; on failure nothing is. */
int cairn_step_table_read(const char *path, const struct cairn_step_kind *kind, void **rows, int64_t *n,
                          struct cairn_error *error);

#endif
