#include "data/storage/step_table.h"

#include <errno.h>
#include <math.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/version.h"
#include "data/storage/durable.h"
#include "data/storage/nc.h"
#include "data/storage/record_file.h"

enum { MAX_COLUMNS = 16 };

struct cairn_step_table {
  const struct cairn_step_kind *kind;
  struct cairn_record_file *file;
  struct cairn_record_column column[MAX_COLUMNS]; /* [n_columns] where they are in the file and in a row */
};

static int type_of(const struct cairn_step_column *column) { return column->is_integer ? NC_INT : NC_DOUBLE; }

/* ---- making ---- */

static int define(int nc, const struct cairn_step_kind *kind, const char *title,
                  const struct cairn_provenance *provenance) {
  int dimension[2], old_fill, variable;
  CAIRN_NC_TRY(nc_set_fill(nc, NC_NOFILL, &old_fill));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "source", "cairn"));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "program", "cairn"));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "programVersion", cairn_version_string()));
  CAIRN_NC_TRY(cairn_nc_put_provenance(nc, provenance));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "title", title ? title : ""));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "summary", kind->summary));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "Conventions", "CF-1.8, ACDD-1.3"));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "cairn_file", kind->name));
  CAIRN_NC_TRY(nc_def_dim(nc, kind->dimension, NC_UNLIMITED, &dimension[0]));
  CAIRN_NC_TRY(nc_def_dim(nc, "spatial", 3, &dimension[1]));
  for (int i = 0; i < kind->n_columns; i++) {
    const struct cairn_step_column *column = kind->column + i;
    CAIRN_NC_TRY(nc_def_var(nc, column->name, type_of(column), column->components > 1 ? 2 : 1, dimension, &variable));
    CAIRN_NC_TRY(cairn_nc_put_meaning(nc, variable, column->unit, column->long_name));
  }
  return nc_enddef(nc);
}

static int write_header(const char *path, const struct cairn_step_kind *kind, const char *title,
                        const struct cairn_provenance *provenance) {
  int nc;
  CAIRN_NC_TRY(nc_create(path, NC_CLOBBER | NC_64BIT_OFFSET, &nc));
  return cairn_nc_close(nc, define(nc, kind, title, provenance));
}

/* Open the records of a file whose columns are all there, and keep the first n rows. */
static int attach(const char *path, const struct cairn_step_kind *kind, int64_t n, struct cairn_step_table **out,
                  struct cairn_error *error) {
  struct cairn_step_table *table = kind->n_columns <= MAX_COLUMNS ? calloc(1, sizeof *table) : NULL;
  if (!table)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for '%s'", path);
  table->kind = kind;
  int status = cairn_record_file_open(path, true, &table->file, error);
  for (int i = 0; i < kind->n_columns && !status; i++) {
    const struct cairn_step_column *c = kind->column + i;
    table->column[i] = (struct cairn_record_column){
        cairn_record_file_find(table->file, c->name, type_of(c), c->components), c->offset};
    if (table->column[i].variable < 0)
      status = cairn_error_set(error, CAIRN_ERR_IO, "cannot write '%s': it has no '%s'", path, c->name);
  }
  if (!status)
    status = cairn_record_file_cut(table->file, n, error);
  if (status) {
    cairn_record_file_close(table->file, NULL);
    free(table);
    return status;
  }
  *out = table;
  return 0;
}

int cairn_step_table_create(const char *path, const struct cairn_step_kind *kind, const char *title,
                            const struct cairn_provenance *provenance, struct cairn_step_table **table,
                            struct cairn_error *error) {
  *table = NULL;
  const int nc_status = write_header(path, kind, title, provenance);
  int status = nc_status ? cairn_nc_fail(error, "write", path, nc_status) : cairn_durable_sync(path, error);
  if (!status)
    status = attach(path, kind, 0, table, error);
  if (status)
    unlink(path);
  return status;
}

/* ---- reading ---- */

/* Check the layout without the NetCDF library, which then opens the file. Returns how many rows it holds in full. */
static int open_checked(const char *path, const struct cairn_step_kind *kind, int *nc, int64_t *n,
                        struct cairn_error *error) {
  struct cairn_record_file *records;
  int status = cairn_record_file_open(path, false, &records, error);
  if (status)
    return status;
  *n = cairn_record_file_n_complete(records);
  for (int i = 0; i < kind->n_columns && !status; i++)
    if (cairn_record_file_find(records, kind->column[i].name, type_of(kind->column + i), kind->column[i].components) <
        0)
      status =
          cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is no list of %ss of this version of cairn: '%s' is missing",
                          path, kind->dimension, kind->column[i].name);
  cairn_record_file_close(records, NULL);
  if (status)
    return status;
  const int nc_status = nc_open(path, NC_NOWRITE, nc);
  if (nc_status)
    return cairn_nc_fail(error, "read", path, nc_status);
  if (cairn_nc_has_text(*nc, NC_GLOBAL, "program", "cairn") &&
      cairn_nc_has_text(*nc, NC_GLOBAL, "cairn_file", kind->name))
    return 0;
  nc_close(*nc);
  return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is not a list of %ss of cairn", path, kind->dimension);
}

/* The number of rows whose step is at most `last`; steps do not fall. */
static int count_to(int nc, double last, int64_t n, int64_t *count) {
  int64_t low = 0, high = n;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    const size_t at = (size_t)middle, one = 1;
    double step;
    CAIRN_NC_TRY(cairn_nc_get(nc, "step", NC_DOUBLE, 1, &at, &one, &step));
    if (step <= last)
      low = middle + 1;
    else
      high = middle;
  }
  *count = low;
  return NC_NOERR;
}

int cairn_step_table_open(const char *path, const struct cairn_step_kind *kind, double last,
                          struct cairn_step_table **table, struct cairn_error *error) {
  int64_t n, kept = 0;
  int nc;
  *table = NULL;
  const int status = open_checked(path, kind, &nc, &n, error);
  if (status)
    return status;
  const int nc_status = count_to(nc, last, n, &kept);
  nc_close(nc);
  return nc_status ? cairn_nc_fail(error, "read", path, nc_status) : attach(path, kind, kept, table, error);
}

/* One column into its place in the rows. */
static int read_column(int nc, const struct cairn_step_kind *kind, const struct cairn_step_column *column, int64_t n,
                       char *rows) {
  enum { CHUNK = 4096 };
  const size_t size = column->is_integer ? sizeof(int32_t) : sizeof(double);
  double buffer[CHUNK * 3];
  for (int64_t first = 0; first < n; first += CHUNK) {
    const size_t start[2] = {(size_t)first, 0},
                 count[2] = {(size_t)(n - first < CHUNK ? n - first : CHUNK), (size_t)column->components};
    CAIRN_NC_TRY(cairn_nc_get(nc, column->name, type_of(column), column->components > 1 ? 2 : 1, start, count, buffer));
    for (size_t k = 0; k < count[0]; k++)
      memcpy(rows + ((size_t)first + k) * kind->row_size + column->offset,
             (char *)buffer + k * size * (size_t)column->components, size * (size_t)column->components);
  }
  return NC_NOERR;
}

int cairn_step_table_read(const char *path, const struct cairn_step_kind *kind, void **rows, int64_t *n,
                          struct cairn_error *error) {
  int nc, nc_status = NC_NOERR;
  *rows = NULL;
  int status = open_checked(path, kind, &nc, n, error);
  if (status)
    return status;
  *rows = calloc((size_t)*n + 1, kind->row_size);
  if (!*rows)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for '%s'", path);
  for (int i = 0; i < kind->n_columns && !status && !nc_status; i++)
    nc_status = read_column(nc, kind, kind->column + i, *n, *rows);
  nc_close(nc);
  if (nc_status)
    status = cairn_nc_fail(error, "read", path, nc_status);
  double last = 0.;
  for (int64_t k = 0; k < *n && !status; k++) {
    double step;
    memcpy(&step, (const char *)*rows + (size_t)k * kind->row_size, sizeof step);
    if (!(step >= last && step == floor(step) && step < 9e15))
      status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is damaged: row %lld is of step %g, after step %g", path,
                               (long long)k, step, last);
    last = step;
  }
  if (status) {
    free(*rows);
    *rows = NULL;
  }
  return status;
}

/* ---- writing ---- */

int cairn_step_table_append(struct cairn_step_table *table, const void *rows, int64_t n, struct cairn_error *error) {
  return cairn_record_file_put_rows(table->file, table->column, table->kind->n_columns, rows, table->kind->row_size, n,
                                    error);
}

int cairn_step_table_begin(struct cairn_step_table *table, struct cairn_error *error) {
  return cairn_record_file_begin_rows(table->file, error);
}

void cairn_step_part_open(struct cairn_step_part *part, const struct cairn_step_table *table, int64_t first) {
  enum { BYTES = 1 << 17 }; /* at a time: a system call costs little beside them, and they stay in the cache */
  const int64_t size = cairn_record_file_record_size(table->file);
  *part = (struct cairn_step_part){
      .table = table, .first = first, .room = size < BYTES ? BYTES / size : 1, .number = ENOMEM};
  part->bytes = malloc((size_t)(part->room * size));
  if (part->bytes)
    part->number = 0;
}

static void write_part(struct cairn_step_part *part) {
  if (!part->number && part->n > 0)
    part->number = cairn_record_file_write_rows(part->table->file, part->first, part->n, part->bytes);
  part->first += part->n;
  part->n = 0;
}

void cairn_step_part_put(struct cairn_step_part *part, const void *rows, int64_t n) {
  const struct cairn_step_table *table = part->table;
  const int64_t size = cairn_record_file_record_size(table->file);
  for (int64_t k = 0, count; k < n && !part->number; k += count) {
    count = n - k < part->room - part->n ? n - k : part->room - part->n;
    cairn_record_file_encode_rows(table->file, table->column, table->kind->n_columns,
                                  (const char *)rows + (size_t)k * table->kind->row_size, table->kind->row_size, count,
                                  part->bytes + part->n * size);
    part->n += count;
    if (part->n == part->room)
      write_part(part);
  }
}

int cairn_step_part_close(struct cairn_step_part *part) {
  write_part(part);
  free(part->bytes);
  part->bytes = NULL;
  return part->number;
}

int cairn_step_table_end(struct cairn_step_table *table, int64_t n, int number, struct cairn_error *error) {
  const int status = cairn_record_file_end_rows(table->file, n, number, error);
  return status ? status : cairn_record_file_commit(table->file, error);
}

int64_t cairn_step_table_n_rows(const struct cairn_step_table *table) {
  return cairn_record_file_n_records(table->file);
}

int cairn_step_table_rename(struct cairn_step_table *table, const char *to, struct cairn_error *error) {
  return cairn_record_file_rename(table->file, to, error);
}

int cairn_step_table_sync(struct cairn_step_table *table, struct cairn_error *error) {
  return cairn_record_file_commit(table->file, error);
}

int cairn_step_table_persist(struct cairn_step_table *table, struct cairn_error *error) {
  const int status = cairn_record_file_commit(table->file, error);
  return status ? status : cairn_record_file_sync(table->file, error);
}

int cairn_step_table_close(struct cairn_step_table *table, struct cairn_error *error) {
  if (!table)
    return 0;
  const int status = cairn_record_file_commit(table->file, error);
  const int closed = cairn_record_file_close(table->file, status ? NULL : error);
  free(table);
  return status ? status : closed;
}
