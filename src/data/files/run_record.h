/* What the files of a run tell of it, for those who show it: the columns of the series, the times of the frames, the
 * provenance. Read-only, also while the run goes on. Files are hostile until checked. */
#ifndef CAIRN_DATA_FILES_RUN_RECORD_H
#define CAIRN_DATA_FILES_RUN_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "cairn/error.h"
#include "cairn/state.h"

/* One number per row of the series. A vector is three columns. */
struct cairn_run_column {
  char *name;           /* owned: kinetic_energy, momentum_x, wall_force_z */
  const char *unit;     /* UDUNITS */
  const char *meaning;  /* long_name of the whole variable */
  const char *variable; /* its name */
  int component;        /* of it; -1: a single number */
  int components;       /* of the variable */
  int32_t wall;         /* whose it is; -1: of the whole run */
  double *values;       /* [n_rows] owned; NaN where it means nothing */
};

/* A global attribute. */
struct cairn_run_attribute {
  char *name, *value; /* owned */
};

struct cairn_run_record {
  char *name;       /* NAME of the files with its folder */
  char *trajectory; /* path, NULL if there is none */
  char *series;
  int64_t n_rows;
  int n_columns;
  struct cairn_run_column *columns; /* [0] is time, if there is a series */
  int32_t n_walls;                  /* of the series */
  char **wall_names;
  int64_t n_frames;
  double *times; /* s [n_frames] */
  int n_attributes;
  struct cairn_run_attribute *attributes; /* of the series, or else of the trajectory */
  char digest[CAIRN_DIGEST_LENGTH + 1];   /* of the last checkpoint; empty if there is none that is good */
};

/* Read the run `name`: NAME, or the path of its trajectory, series or checkpoint. One of the first two must be there.
 * On failure nothing is allocated. */
int cairn_run_record_read(const char *name, struct cairn_run_record *record, struct cairn_error *error);

void cairn_run_record_fini(struct cairn_run_record *record);

/* NULL if there is none. */
const char *cairn_run_record_attribute(const struct cairn_run_record *record, const char *name);
const struct cairn_run_column *cairn_run_record_column(const struct cairn_run_record *record, const char *name);

#endif
