#include "data/files/export.h"

#include <errno.h>
#include <netcdf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cairn/version.h"
#include "data/files/trajectory.h"
#include "data/files/vtk.h"
#include "data/storage/durable.h"
#include "data/storage/nc.h"

/* The frames of a trajectory, one after the other. */
struct source {
  const char *path;
  int64_t n_frames;
  double *times; /* s */
  struct cairn_trajectory_frame frame;
};

static int open_source(struct source *source, const char *path, struct cairn_error *error) {
  memset(source, 0, sizeof *source);
  source->path = path;
  int status = cairn_trajectory_times(path, &source->n_frames, &source->times, error);
  if (!status && source->n_frames == 0)
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' holds no frames to export", path);
  return status;
}

static int read_source(struct source *source, int64_t frame, struct cairn_error *error) {
  cairn_trajectory_frame_fini(&source->frame);
  return cairn_trajectory_read_frame(source->path, frame, &source->frame, error);
}

static void close_source(struct source *source) {
  free(source->times);
  cairn_trajectory_frame_fini(&source->frame);
}

/* The source is still needed while the copy is made. */
static bool is_same_file(const char *a, const char *b) {
  struct stat about_a, about_b;
  return !stat(a, &about_a) && !stat(b, &about_b) && about_a.st_dev == about_b.st_dev &&
         about_a.st_ino == about_b.st_ino;
}

/* ---------------------------------------------------------------- AMBER */

struct amber {
  int nc, time, coordinates, velocities;
};

static int define_amber_variable(const struct amber *amber, const char *name, const char *unit, int rank,
                                 const int *dimension, int *variable) {
  CAIRN_NC_TRY(nc_def_var(amber->nc, name, NC_FLOAT, rank, dimension, variable));
  return cairn_nc_put_text(amber->nc, *variable, "units", unit);
}

/* No cell variables: AMBER asks for them in periodic systems only, and MDAnalysis takes their presence for one. */
static int define_amber(struct amber *amber, int64_t n) {
  int dimension[3], label, old_fill;
  const int nc = amber->nc;
  CAIRN_NC_TRY(nc_set_fill(nc, NC_NOFILL, &old_fill));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "Conventions", "AMBER"));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "ConventionVersion", "1.0"));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "program", "cairn"));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "programVersion", cairn_version_string()));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "comment", "1 angstrom in this file is 1 m, 1 picosecond is 1 s"));
  CAIRN_NC_TRY(nc_def_dim(nc, "frame", NC_UNLIMITED, &dimension[0]));
  CAIRN_NC_TRY(nc_def_dim(nc, "atom", (size_t)n, &dimension[1]));
  CAIRN_NC_TRY(nc_def_dim(nc, "spatial", 3, &dimension[2]));
  CAIRN_NC_TRY(nc_def_var(nc, "spatial", NC_CHAR, 1, &dimension[2], &label));
  CAIRN_NC_TRY(define_amber_variable(amber, "time", "picosecond", 1, dimension, &amber->time));
  CAIRN_NC_TRY(define_amber_variable(amber, "coordinates", "angstrom", 3, dimension, &amber->coordinates));
  CAIRN_NC_TRY(define_amber_variable(amber, "velocities", "angstrom/picosecond", 3, dimension, &amber->velocities));
  CAIRN_NC_TRY(nc_enddef(nc));
  return nc_put_var_text(nc, label, "xyz");
}

static int put_amber_frame(const struct amber *amber, size_t frame, double time, const struct cairn_state *state) {
  const size_t start[3] = {frame, 0, 0}, count[3] = {1, (size_t)state->n, 3};
  CAIRN_NC_TRY(nc_put_vara_double(amber->nc, amber->time, start, count, &time));
  CAIRN_NC_TRY(nc_put_vara_double(amber->nc, amber->coordinates, start, count, state->position));
  return nc_put_vara_double(amber->nc, amber->velocities, start, count, state->velocity);
}

static int write_amber(struct source *source, const char *path, struct cairn_error *error) {
  struct amber amber;
  int status = read_source(source, 0, error);
  if (status)
    return status;
  /* CDF-2 has 32 bits for the size of a variable within a frame. */
  const int64_t n = source->frame.state.n;
  int nc_status =
      nc_create(path, NC_CLOBBER | (12 * n > INT64_C(0xfffffffc) ? NC_64BIT_DATA : NC_64BIT_OFFSET), &amber.nc);
  if (nc_status)
    return cairn_nc_fail(error, "write", path, nc_status);
  nc_status = define_amber(&amber, n);
  for (int64_t frame = 0; frame < source->n_frames && !status && !nc_status; frame++) {
    status = read_source(source, frame, error);
    if (!status)
      nc_status = put_amber_frame(&amber, (size_t)frame, source->times[frame], &source->frame.state);
  }
  if (status)
    nc_abort(amber.nc);
  else
    nc_status = cairn_nc_close(amber.nc, nc_status);
  return status || !nc_status ? status : cairn_nc_fail(error, "write", path, nc_status);
}

/* What someone made before must not vanish because a name was typed twice. */
static int refuse_existing(const char *path, struct cairn_error *error) {
  struct stat about;
  if (lstat(path, &about))
    return 0;
  return cairn_error_set(error, CAIRN_ERR_INPUT, "%s exists: choose another name, or replace it with --overwrite",
                         path);
}

int cairn_export_amber(const char *from, const char *to, bool overwrite, struct cairn_error *error) {
  if (is_same_file(from, to))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "cannot export '%s' to itself", from);
  if (!overwrite && refuse_existing(to, error))
    return CAIRN_ERR_INPUT;
  char *temporary = cairn_durable_temporary(to, error);
  if (!temporary)
    return CAIRN_ERR_IO;
  struct source source;
  int status = open_source(&source, from, error);
  if (!status)
    status = write_amber(&source, temporary, error);
  if (!status)
    status = cairn_durable_sync(temporary, error);
  if (!status)
    status = cairn_durable_rename(temporary, to, error);
  if (status)
    unlink(temporary);
  close_source(&source);
  free(temporary);
  return status;
}

/* ---------------------------------------------------------------- VTK */

/* The files of an export. Of each frame there is one of the bodies and, in a run with walls, one of the walls; after
 * the last frame come their indices. */
struct animation {
  const char *prefix;
  int64_t n_frames;
  int n_kinds; /* 2 with walls */
};

static int64_t n_files(const struct animation *animation) { return (animation->n_frames + 1) * animation->n_kinds; }

static void name_file(const struct animation *animation, int64_t file, const char *suffix, char path[4096]) {
  const int64_t frame = file / animation->n_kinds;
  const char *kind = file % animation->n_kinds ? "_walls" : "";
  if (frame < animation->n_frames)
    snprintf(path, 4096, "%s%s_%06lld.vtk%s", animation->prefix, kind, (long long)frame, suffix);
  else
    snprintf(path, 4096, "%s%s.vtk.series%s", animation->prefix, kind, suffix);
}

static int write_file(struct source *source, const struct animation *animation, int64_t file,
                      struct cairn_error *error) {
  char path[4096], name[4096];
  const int64_t frame = file / animation->n_kinds;
  const bool of_walls = file % animation->n_kinds;
  name_file(animation, file, ".tmp", path);
  unlink(path); /* left by a kill, or a link that would lead elsewhere: the file is made anew, and by us */
  if (frame == animation->n_frames) {
    const char *slash = strrchr(animation->prefix, '/');
    snprintf(name, sizeof name, "%s%s", slash ? slash + 1 : animation->prefix, of_walls ? "_walls" : "");
    return cairn_vtk_write_index(path, name, source->n_frames, source->times, error);
  }
  int status = of_walls ? 0 : read_source(source, frame, error);
  if (status)
    return status;
  return (of_walls ? cairn_vtk_write_walls : cairn_vtk_write_bodies)(path, source->times[frame], &source->frame, error);
}

/* Give all files their names, or none. */
static int rename_files(const struct animation *animation, struct cairn_error *error) {
  char path[4096], temporary[4096];
  for (int64_t file = 0; file < n_files(animation); file++) {
    name_file(animation, file, "", path);
    name_file(animation, file, ".tmp", temporary);
    if (!rename(temporary, path))
      continue;
    int status = cairn_durable_fail(error, "write", path, errno);
    while (file-- > 0) {
      name_file(animation, file, "", path);
      unlink(path);
    }
    return status;
  }
  return 0;
}

static int write_animation(struct source *source, const struct animation *animation, bool overwrite,
                           struct cairn_error *error) {
  char path[4096];
  int status = 0;
  for (int64_t file = 0; file < n_files(animation) && !overwrite && !status; file++) {
    name_file(animation, file, "", path);
    status = refuse_existing(path, error);
  }
  if (status)
    return status;
  for (int64_t file = 0; file < n_files(animation) && !status; file++)
    status = write_file(source, animation, file, error);
  if (!status)
    status = rename_files(animation, error);
  for (int64_t file = 0; file < n_files(animation) && status; file++) {
    name_file(animation, file, ".tmp", path);
    unlink(path);
  }
  return status;
}

int cairn_export_vtk(const char *from, const char *prefix, bool overwrite, struct cairn_error *error) {
  for (const char *letter = prefix; *letter; letter++)
    if ((unsigned char)*letter < ' ')
      return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' cannot begin the name of a VTK file", prefix);
  if (strlen(prefix) + 48 > 4096)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "the name of the VTK files is too long");
  struct source source;
  int status = open_source(&source, from, error);
  if (!status)
    status = read_source(&source, 0, error);
  if (!status) {
    const struct animation animation = {prefix, source.n_frames, source.frame.n_walls > 0 ? 2 : 1};
    status = write_animation(&source, &animation, overwrite, error);
  }
  close_source(&source);
  return status;
}
