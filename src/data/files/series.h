/* NAME.series.nc: one row of diagnostics per sample on an unlimited time, CF and ACDD metadata. */
#ifndef CAIRN_DATA_FILES_SERIES_H
#define CAIRN_DATA_FILES_SERIES_H

#include "data/files/provenance.h"
#include "data/files/wall_record.h"
#include "data/state/observables.h"

struct cairn_series;

/* As cairn_trajectory_create. The shapes of the walls are not written. */
int cairn_series_create(const char *path, const char *title, const struct cairn_wall_labels *walls,
                        const struct cairn_provenance *provenance, struct cairn_series **series,
                        struct cairn_error *error);

/* As cairn_trajectory_open: go on after the first n_rows rows. */
int cairn_series_open(const char *path, int32_t n_walls, int64_t n_rows, struct cairn_series **series,
                      struct cairn_error *error);

/* `walls` has as many entries as the series has walls. */
int cairn_series_append(struct cairn_series *series, const struct cairn_observables *observables,
                        const struct cairn_wall_sample *walls, struct cairn_error *error);

/* As cairn_trajectory_rename. */
int cairn_series_rename(struct cairn_series *series, const char *to, struct cairn_error *error);

int64_t cairn_series_n_rows(const struct cairn_series *series);

/* Make all rows so far visible to readers. */
int cairn_series_sync(struct cairn_series *series, struct cairn_error *error);

/* The same, and bring them onto the disk: as cairn_trajectory_persist. */
int cairn_series_persist(struct cairn_series *series, struct cairn_error *error);

/* Close and free, with all rows visible; NULL is allowed. */
int cairn_series_close(struct cairn_series *series, struct cairn_error *error);

#endif
