#include "data/storage/run_files.h"

#include <dirent.h>
#include <errno.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/storage/durable.h"
#include "data/storage/nc.h"
#include "data/storage/record_file.h"

static const char *const suffixes[CAIRN_N_RUN_FILES] = {
    [CAIRN_RUN_BREAKS] = ".breaks.nc", [CAIRN_RUN_CONTACTS] = ".contacts.nc", [CAIRN_RUN_TRAJECTORY] = ".nc",
    [CAIRN_RUN_SERIES] = ".series.nc", [CAIRN_RUN_CHECKPOINT] = ".ckpt.nc",   [CAIRN_RUN_PREVIOUS] = ".ckpt.prev.nc"};
enum { LONGEST_NAME = 4000 }; /* leaves room for the suffixes in a path */

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* ---- taking the name ---- */

int cairn_run_files_check_name(const char *name, struct cairn_error *error) {
  for (const char *c = name; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127)
      return cairn_error_set(error, CAIRN_ERR_INPUT,
                             "byte %d of the output name is %d, a control character: choose another name with --output",
                             (int)(c - name) + 1, *c);
  if (!*base_of(name) || strcmp(base_of(name), ".") == 0 || strcmp(base_of(name), "..") == 0)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "the output name '%s' is that of a folder; files need a name in it",
                           name);
  if (strlen(name) > LONGEST_NAME)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "the output name is too long");
  return 0;
}

/* It must be there, and a file can be made in it: better known now than after the last step. */
static int check_folder(const char *path, struct cairn_error *error) {
  char *folder = cairn_durable_folder(path, error);
  if (!folder)
    return CAIRN_ERR_NUMERIC;
  struct stat about;
  int status = 0;
  if (stat(folder, &about))
    status =
        errno == ENOENT
            ? cairn_error_set(error, CAIRN_ERR_INPUT,
                              "the folder '%s' of the output files does not exist: make it first (mkdir -p)", folder)
            : cairn_durable_fail(error, "open the folder", folder, errno);
  else if (!S_ISDIR(about.st_mode))
    status = cairn_error_set(error, CAIRN_ERR_IO, "cannot write '%s': '%s' is not a folder", path, folder);
  free(folder);
  if (status)
    return status;
  char *probe = cairn_durable_temporary(path, error);
  if (!probe)
    return CAIRN_ERR_IO;
  unlink(probe);
  free(probe);
  return 0;
}

/* Temporary files of this name are leftovers of a kill: nobody else writes here. */
static void sweep(const struct cairn_run_files *files) {
  char *folder = cairn_durable_folder(files->path[0], NULL);
  DIR *list = folder ? opendir(folder) : NULL;
  for (struct dirent *entry; list && (entry = readdir(list));)
    for (int i = 0; i < CAIRN_N_RUN_FILES; i++)
      if (cairn_durable_is_temporary(entry->d_name, base_of(files->path[i])))
        unlinkat(dirfd(list), entry->d_name, 0);
  if (list)
    closedir(list);
  free(folder);
}

int cairn_run_files_claim(struct cairn_run_files *files, const char *name, struct cairn_error *error) {
  *files = (struct cairn_run_files){.lock.file = -1};
  int status = cairn_run_files_check_name(name, error);
  for (int i = 0; i < CAIRN_N_RUN_FILES && !status; i++) {
    files->path[i] = cairn_durable_name(name, suffixes[i], error);
    status = files->path[i] ? 0 : CAIRN_ERR_NUMERIC;
  }
  if (!status)
    status = check_folder(files->path[CAIRN_RUN_CHECKPOINT], error);
  char *lock = status ? NULL : cairn_durable_name(name, ".lock", error);
  if (!status)
    status = lock ? cairn_lock_take(&files->lock, lock, name, error) : CAIRN_ERR_NUMERIC;
  free(lock);
  if (!status && files->lock.is_held)
    sweep(files);
  if (status)
    cairn_run_files_release(files);
  return status;
}

/* ---- whose files are they? ---- */

bool cairn_run_files_has(const struct cairn_run_files *files, enum cairn_run_file which) {
  struct stat about;
  return !lstat(files->path[which], &about);
}

const char *cairn_run_files_earlier(const struct cairn_run_files *files) {
  static const enum cairn_run_file order[] = {CAIRN_RUN_CHECKPOINT, CAIRN_RUN_PREVIOUS, CAIRN_RUN_TRAJECTORY,
                                              CAIRN_RUN_SERIES,     CAIRN_RUN_BREAKS,   CAIRN_RUN_CONTACTS};
  for (int i = 0; i < CAIRN_N_RUN_FILES; i++)
    if (cairn_run_files_has(files, order[i]))
      return files->path[order[i]];
  return NULL;
}

int cairn_run_files_start(struct cairn_run_files *files, bool may_replace, struct cairn_error *error) {
  for (int i = 0; i < CAIRN_N_RUN_FILES; i++) {
    struct stat about;
    if (!lstat(files->path[i], &about) && !S_ISREG(about.st_mode) && !S_ISLNK(about.st_mode))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "cannot write '%s': there is something that is not a file",
                             files->path[i]);
  }
  files->is_new = true;
  files->may_replace = may_replace;
  return cairn_durable_token(files->run_id, error);
}

static int read_run_id(const char *path, char id[CAIRN_PROVENANCE_RUN_ID + 1], struct cairn_error *error) {
  /* The file is hostile: its layout is checked before the NetCDF library believes it. */
  struct cairn_record_file *layout;
  int nc, status = cairn_record_file_open(path, false, &layout, error);
  if (status)
    return status;
  cairn_record_file_close(layout, NULL);
  const int nc_status = nc_open(path, NC_NOWRITE, &nc);
  if (nc_status)
    return cairn_nc_fail(error, "read", path, nc_status);
  cairn_nc_run_id(nc, id);
  nc_close(nc);
  return 0;
}

static bool is_same_file(const char *a, const char *b) {
  struct stat about_a, about_b;
  return !stat(a, &about_a) && !stat(b, &about_b) && about_a.st_ino == about_b.st_ino &&
         about_a.st_dev == about_b.st_dev;
}

/* Frames and rows will be cut, so they must be known to be those of this run. Of a checkpoint it is enough that it is
 * not known to be another's: one of an older version beside it is the one that the run went on from. */
static int check_owner(const struct cairn_run_files *files, enum cairn_run_file which, const char *parent,
                       const char *run_id, struct cairn_error *error) {
  const char *path = files->path[which];
  const bool is_checkpoint = which == CAIRN_RUN_CHECKPOINT || which == CAIRN_RUN_PREVIOUS;
  char id[CAIRN_PROVENANCE_RUN_ID + 1];
  struct stat about;
  if (is_checkpoint && (lstat(path, &about) || !S_ISREG(about.st_mode)))
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "'%s' is not a regular file, and a checkpoint is replaced as a whole: choose another name "
                           "with --output NAME",
                           path);
  const int status = read_run_id(path, id, error);
  /* A damaged checkpoint is what the one before is kept for. */
  if (status && which == CAIRN_RUN_CHECKPOINT && is_same_file(parent, files->path[CAIRN_RUN_PREVIOUS]))
    return 0;
  if (status || (!strcmp(id, run_id) && (*id || is_checkpoint)) || (is_checkpoint && !*id))
    return status;
  if (!*run_id)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "'%s' was written by an older version and does not say to which run it belongs, so '%s' is "
                           "left alone: choose another name with --output NAME",
                           parent, path);
  return cairn_error_set(error, CAIRN_ERR_INPUT,
                         "'%s' belongs to another run than the checkpoint '%s' and is left alone: choose another name "
                         "with --output NAME",
                         path, parent);
}

int cairn_run_files_resume(struct cairn_run_files *files, const char *parent, const char *run_id,
                           struct cairn_error *error) {
  int status = 0;
  files->is_new = true;
  for (int i = 0; i < CAIRN_N_RUN_FILES && !status; i++)
    if (cairn_run_files_has(files, (enum cairn_run_file)i)) {
      files->is_new = false;
      status = check_owner(files, (enum cairn_run_file)i, parent, run_id, error);
    }
  if (status)
    return status;
  if (files->is_new || !*run_id)
    return cairn_durable_token(files->run_id, error);
  snprintf(files->run_id, sizeof files->run_id, "%s", run_id);
  return 0;
}

/* ---- new files ---- */

const char *cairn_run_files_reserve(struct cairn_run_files *files, enum cairn_run_file which,
                                    struct cairn_error *error) {
  files->temporary[which] = cairn_durable_temporary(files->path[which], error);
  return files->temporary[which];
}

/* What is in the way of a new file, or was made by the earlier run, goes. */
static int give_way(struct cairn_run_files *files, enum cairn_run_file which, struct cairn_error *error) {
  const char *path = files->path[which];
  struct stat about;
  if (!files->is_new && !files->temporary[which])
    return 0;
  if (lstat(path, &about))
    return errno == ENOENT ? 0 : cairn_durable_fail(error, "replace", path, errno);
  if (!files->may_replace)
    return cairn_error_set(error, CAIRN_ERR_IO, "'%s' was made by somebody else since the start of this run", path);
  /* a rename replaces it in one go */
  if (!files->temporary[which] && unlink(path))
    return cairn_durable_fail(error, "replace", path, errno);
  return 0;
}

int cairn_run_files_begin(struct cairn_run_files *files, struct cairn_trajectory *trajectory,
                          struct cairn_series *series, struct cairn_step_table *const *table,
                          struct cairn_error *error) {
  static const enum cairn_run_file order[] = {CAIRN_RUN_PREVIOUS, CAIRN_RUN_CHECKPOINT, CAIRN_RUN_BREAKS,
                                              CAIRN_RUN_CONTACTS, CAIRN_RUN_SERIES,     CAIRN_RUN_TRAJECTORY};
  int status = 0;
  for (int i = 0; i < CAIRN_N_RUN_FILES && !status; i++) {
    const enum cairn_run_file which = order[i];
    status = give_way(files, which, error);
    if (status || !files->temporary[which])
      continue;
    status = which < CAIRN_N_RUN_TABLES  ? cairn_step_table_rename(table[which], files->path[which], error)
             : which == CAIRN_RUN_SERIES ? cairn_series_rename(series, files->path[which], error)
                                         : cairn_trajectory_rename(trajectory, files->path[which], error);
    if (status)
      break;
    free(files->temporary[which]);
    files->temporary[which] = NULL;
  }
  return status;
}

void cairn_run_files_release(struct cairn_run_files *files) {
  for (int i = 0; i < CAIRN_N_RUN_FILES; i++) {
    if (files->temporary[i])
      unlink(files->temporary[i]);
    free(files->temporary[i]);
    free(files->path[i]);
  }
  cairn_lock_release(&files->lock);
  *files = (struct cairn_run_files){.lock.file = -1};
}
