/* Bodies from a plain text file: one body per line, columns separated by blanks or commas, # starts a comment. */
#ifndef CAIRN_DATA_BASE_TABLE_H
#define CAIRN_DATA_BASE_TABLE_H

#include <stdbool.h>

#include "data/scenario/scenario.h"

/* In the order of the words in the schema. */
enum cairn_table_column {
  CAIRN_TABLE_X,
  CAIRN_TABLE_Y,
  CAIRN_TABLE_Z,
  CAIRN_TABLE_VX,
  CAIRN_TABLE_VY,
  CAIRN_TABLE_VZ,
  CAIRN_TABLE_WX,
  CAIRN_TABLE_WY,
  CAIRN_TABLE_WZ,
  CAIRN_TABLE_RADIUS,
  CAIRN_TABLE_MASS,
  CAIRN_TABLE_MATERIAL,
  CAIRN_TABLE_SKIP,
  CAIRN_TABLE_N_KINDS
};

enum { CAIRN_TABLE_MAX_COLUMNS = 64 };

struct cairn_table {
  int n_columns;
  enum cairn_table_column column[CAIRN_TABLE_MAX_COLUMNS];
  int64_t skip_lines;
  int32_t n_materials;
  const struct cairn_material *materials;
};

/* The column called `name`; CAIRN_TABLE_N_KINDS if there is none. */
enum cairn_table_column cairn_table_column_of(const char *name);

bool cairn_table_has(const struct cairn_table *table, enum cairn_table_column column);

/* Read the bodies of a file one portion after the other. `name` stands in messages: "name:line:column: message". */
struct cairn_table_reader;
int cairn_table_open(const struct cairn_table *table, const char *path, const char *name,
                     struct cairn_table_reader **reader, struct cairn_error *error);

/* The next bodies, at most so many, take the place of those in `state`; what has no column is zero. None at the end; a
 * file without any is refused. */
int cairn_table_next(struct cairn_table_reader *reader, int64_t most, struct cairn_state *state,
                     struct cairn_error *error);

/* Close and free; NULL is allowed. */
void cairn_table_close(struct cairn_table_reader *reader);

#endif
