/* The files of one run: their names, who may write them, and when those of an earlier run give way.
 *
 * NAME.lock is held while a run writes (data/storage/lock.h). Every file says in `run_id` which run it belongs to. A
 * new trajectory, a new series and new tables are written under temporary names until the first frame and the first row
 * are in them; so whatever keeps a run from starting leaves an earlier one complete. Then, in this order: the earlier
 * checkpoints are removed, the older one first, tables get their names, the series gets its name, the trajectory gets
 * its name. A kill in between leaves the earlier run complete, or without checkpoints: never a checkpoint of one run
 * beside the frames of another that would be resumed (and if a power cut mixes the order, the run ids show it). */
#ifndef CAIRN_DATA_STORAGE_RUN_FILES_H
#define CAIRN_DATA_STORAGE_RUN_FILES_H

#include "data/files/series.h"
#include "data/files/trajectory.h"
#include "data/storage/lock.h"
#include "data/storage/step_table.h"

enum cairn_run_file {
  CAIRN_RUN_BREAKS,   /* NAME.breaks.nc; tables come first */
  CAIRN_RUN_CONTACTS, /* NAME.contacts.nc */
  CAIRN_N_RUN_TABLES,
  CAIRN_RUN_TRAJECTORY = CAIRN_N_RUN_TABLES, /* NAME.nc */
  CAIRN_RUN_SERIES,                          /* NAME.series.nc */
  CAIRN_RUN_CHECKPOINT,                      /* NAME.ckpt.nc */
  CAIRN_RUN_PREVIOUS,                        /* NAME.ckpt.prev.nc */
  CAIRN_N_RUN_FILES
};

/* All of it is owned; read-only outside of run_files.c. */
struct cairn_run_files {
  char *path[CAIRN_N_RUN_FILES];
  char *temporary[CAIRN_N_RUN_FILES]; /* of new files until cairn_run_files_begin, else NULL */
  struct cairn_lock lock;
  bool is_new;      /* no file of this run is there yet */
  bool may_replace; /* those of an earlier one may go */
  char run_id[CAIRN_PROVENANCE_RUN_ID + 1];
};

/* Can it be the beginning of file names? Not with control characters: a line break would also end the line in every
 * message and script. */
int cairn_run_files_check_name(const char *name, struct cairn_error *error);

/* Take the name: check that it can be the beginning of file names and that its folder can be written, lock it against
 * other runs, and remove temporary files that a killed run left. On failure nothing is held. Then call start or resume.
 */
int cairn_run_files_claim(struct cairn_run_files *files, const char *name, struct cairn_error *error);

/* The path of a file of an earlier run that has this name, a checkpoint if there is one; NULL if there is none. */
const char *cairn_run_files_earlier(const struct cairn_run_files *files);

bool cairn_run_files_has(const struct cairn_run_files *files, enum cairn_run_file which);

/* The files are those of a new run. With may_replace those of an earlier one give way when it begins. */
int cairn_run_files_start(struct cairn_run_files *files, bool may_replace, struct cairn_error *error);

/* The run `run_id` (empty: of an older version, unknown) goes on from the checkpoint `parent`. Refused if there are
 * files of another run, or if nobody knows whose they are. Under a name that has no files yet it is a new run. */
int cairn_run_files_resume(struct cairn_run_files *files, const char *parent, const char *run_id,
                           struct cairn_error *error);

/* The name under which a new trajectory or series is to be made, an empty file; NULL with `error` filled. */
const char *cairn_run_files_reserve(struct cairn_run_files *files, enum cairn_run_file which,
                                    struct cairn_error *error);

/* The first frame and row are in their files: give them their names, in the order above, tables before them. Any may be
 * NULL, and so may the list of tables. */
int cairn_run_files_begin(struct cairn_run_files *files, struct cairn_trajectory *trajectory,
                          struct cairn_series *series, struct cairn_step_table *const *table,
                          struct cairn_error *error);

/* Remove what is still temporary, give the lock back, free. */
void cairn_run_files_release(struct cairn_run_files *files);

#endif
