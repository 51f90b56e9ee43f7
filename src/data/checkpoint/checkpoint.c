#include "data/checkpoint/checkpoint_parts.h"

#include <errno.h>
#include <math.h>
#include <netcdf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cairn/version.h"
#include "data/state/fields.h"
#include "data/storage/durable.h"
#include "data/storage/nc.h"
#include "data/storage/seal.h"

/* Contacts that are written at a time, and the components of a field at most. */
enum { CHUNK = 1024, MOST_COMPONENTS = 6 };

static int define_attributes(int nc, const char *digest, const struct cairn_provenance *provenance) {
  const int version = CAIRN_CHECKPOINT_VERSION;
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "program", "cairn"));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "programVersion", cairn_version_string()));
  CAIRN_NC_TRY(cairn_nc_put_provenance(nc, provenance));
  CAIRN_NC_TRY(cairn_nc_put_text(nc, NC_GLOBAL, "cairn_file", "checkpoint"));
  CAIRN_NC_TRY(nc_put_att_int(nc, NC_GLOBAL, "checkpoint_version", NC_INT, 1, &version));
  return cairn_nc_put_text(nc, NC_GLOBAL, "digest", digest);
}

static bool is_written(const struct cairn_field *field, const struct cairn_state *state) {
  return field->flags & CAIRN_FIELD_CHECKPOINT && cairn_fields_count(state, field->list) > 0 &&
         cairn_fields_has(field, state);
}

/* A list without elements has neither dimension nor variables: to NetCDF a length of 0 means unlimited. */
static int define_fields(int nc, const struct cairn_state *state) {
  int dimension[CAIRN_N_FIELD_LISTS], spatial, quaternion = 0, variable;
  CAIRN_NC_TRY(nc_def_dim(nc, "spatial", 3, &spatial));
  if (state->n_assemblies > 0)
    CAIRN_NC_TRY(nc_def_dim(nc, "quaternion", 4, &quaternion));
  for (int list = 0; list < CAIRN_N_FIELD_LISTS; list++) {
    int64_t n = cairn_fields_count(state, (enum cairn_field_list)list);
    if (n > 0)
      CAIRN_NC_TRY(nc_def_dim(nc, cairn_fields_dimension[list], (size_t)n, &dimension[list]));
  }
  for (int i = 0; i < cairn_fields_n; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    if (!is_written(field, state))
      continue;
    const int shape[2] = {dimension[field->list], field->components == 4 ? quaternion : spatial};
    CAIRN_NC_TRY(nc_def_var(nc, field->checkpoint, cairn_fields_nc_type(field->type), field->components > 1 ? 2 : 1,
                            shape, &variable));
    CAIRN_NC_TRY(cairn_nc_put_meaning(nc, variable, field->unit, field->long_name));
  }
  return NC_NOERR;
}

static int define_scalars(int nc) {
  int variable;
  for (int i = 0; i < CAIRN_CHECKPOINT_SCALARS; i++) {
    CAIRN_NC_TRY(nc_def_var(nc, cairn_checkpoint_parts_scalars[i].name, cairn_checkpoint_parts_scalars[i].nc_type, 0,
                            NULL, &variable));
    CAIRN_NC_TRY(cairn_nc_put_meaning(nc, variable, cairn_checkpoint_parts_scalars[i].unit,
                                      cairn_checkpoint_parts_scalars[i].long_name));
  }
  return NC_NOERR;
}

/* An empty text has no variable, for the same reason as an empty list. */
static int define_texts(int nc, const struct cairn_checkpoint *checkpoint) {
  for (int i = 0; i < CAIRN_CHECKPOINT_TEXTS; i++) {
    const char *value = cairn_checkpoint_parts_text(checkpoint, &cairn_checkpoint_parts_texts[i]);
    char name[NC_MAX_NAME];
    int dimension, variable;
    if (!value || !*value)
      continue;
    snprintf(name, sizeof name, "%s_length", cairn_checkpoint_parts_texts[i].name);
    CAIRN_NC_TRY(nc_def_dim(nc, name, strlen(value), &dimension));
    CAIRN_NC_TRY(nc_def_var(nc, cairn_checkpoint_parts_texts[i].name, NC_CHAR, 1, &dimension, &variable));
    CAIRN_NC_TRY(cairn_nc_put_text(nc, variable, "long_name", cairn_checkpoint_parts_texts[i].long_name));
  }
  return NC_NOERR;
}

struct cairn_checkpoint_writer {
  char *path, *temporary;
  int nc;
  int64_t next[CAIRN_N_FIELD_LISTS]; /* entries of each list that are written */
};

/* The values of a field in a slab. Contacts lie in records: their fields go through a buffer. */
static int put_field(const struct cairn_checkpoint_writer *w, const struct cairn_field *field,
                     const struct cairn_state *slab) {
  const int64_t n = cairn_fields_count(slab, field->list);
  const size_t at = (size_t)w->next[field->list], components = (size_t)field->components;
  void *values = cairn_fields_values(field, slab);
  double buffer[CHUNK * MOST_COMPONENTS];
  int variable;
  CAIRN_NC_TRY(nc_inq_varid(w->nc, field->checkpoint, &variable));
  if (values)
    return nc_put_vara(w->nc, variable, (size_t[]){at, 0}, (size_t[]){(size_t)n, components}, values);
  for (int64_t first = 0; first < n; first += CHUNK) {
    const size_t start[2] = {at + (size_t)first, 0},
                 count[2] = {(size_t)(n - first < CHUNK ? n - first : CHUNK), components};
    cairn_fields_get(field, slab, first, (int64_t)count[0], buffer);
    CAIRN_NC_TRY(nc_put_vara(w->nc, variable, start, count, buffer));
  }
  return NC_NOERR;
}

/* All fields of some lists; the next slab goes behind them. */
static int put_lists(struct cairn_checkpoint_writer *w, const struct cairn_state *slab, enum cairn_field_list first,
                     enum cairn_field_list last) {
  for (int i = 0; i < cairn_fields_n; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    if (field->list >= first && field->list <= last && is_written(field, slab))
      CAIRN_NC_TRY(put_field(w, field, slab));
  }
  for (int list = (int)first; list <= (int)last; list++)
    w->next[list] += cairn_fields_count(slab, (enum cairn_field_list)list);
  return NC_NOERR;
}

static int put_slab(struct cairn_checkpoint_writer *w, const struct cairn_state *slab) {
  return put_lists(w, slab, CAIRN_FIELD_BODIES, CAIRN_FIELD_WALL_CONTACTS);
}

/* All that is not in slabs. */
static int put_values(struct cairn_checkpoint_writer *w, const struct cairn_checkpoint *checkpoint) {
  int variable;
  for (int i = 0; i < CAIRN_CHECKPOINT_SCALARS; i++) {
    CAIRN_NC_TRY(nc_inq_varid(w->nc, cairn_checkpoint_parts_scalars[i].name, &variable));
    CAIRN_NC_TRY(nc_put_var(w->nc, variable, (const char *)checkpoint + cairn_checkpoint_parts_scalars[i].offset));
  }
  for (int i = 0; i < CAIRN_CHECKPOINT_TEXTS; i++) {
    const char *value = cairn_checkpoint_parts_text(checkpoint, &cairn_checkpoint_parts_texts[i]);
    if (!value || !*value)
      continue;
    CAIRN_NC_TRY(nc_inq_varid(w->nc, cairn_checkpoint_parts_texts[i].name, &variable));
    CAIRN_NC_TRY(nc_put_var_text(w->nc, variable, value));
  }
  return put_lists(w, &checkpoint->state, CAIRN_FIELD_ASSEMBLIES, CAIRN_FIELD_ASSEMBLIES);
}

static int write_head(struct cairn_checkpoint_writer *w, const struct cairn_checkpoint *checkpoint, const char *digest,
                      const struct cairn_provenance *provenance) {
  int old_fill;
  size_t buffer = CAIRN_CHECKPOINT_BUFFER;
  /* CDF-5 and not HDF5: see docs/decisions/0002-checkpoint-trailer.md. */
  const int made = nc__create(w->temporary, NC_CLOBBER | NC_64BIT_DATA, 0, &buffer, &w->nc);
  if (made) {
    w->nc = -1;
    return made;
  }
  CAIRN_NC_TRY(nc_set_fill(w->nc, NC_NOFILL, &old_fill));
  CAIRN_NC_TRY(define_attributes(w->nc, digest, provenance));
  CAIRN_NC_TRY(define_fields(w->nc, &checkpoint->state));
  CAIRN_NC_TRY(define_scalars(w->nc));
  CAIRN_NC_TRY(define_texts(w->nc, checkpoint));
  CAIRN_NC_TRY(nc_enddef(w->nc));
  return put_values(w, checkpoint);
}

/* NAME.nc becomes NAME.prev.nc; the caller frees it. */
static char *previous_name(const char *path, struct cairn_error *error) {
  static const char extension[] = ".nc", inserted[] = ".prev";
  size_t length = strlen(path), stem = length;
  if (length > strlen(extension) && !strcmp(path + length - strlen(extension), extension))
    stem -= strlen(extension);
  char *name = malloc(length + sizeof inserted);
  if (!name)
    cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a file name");
  else
    snprintf(name, length + sizeof inserted, "%.*s%s%s", (int)stem, path, inserted, path + stem);
  return name;
}

/* Let the file at `path` also be the previous checkpoint. A second link and a rename instead of a plain rename: there
 * is no moment without a complete file at `path`. Where links are not possible, the plain rename has to do. */
static int keep_previous(const char *path, struct cairn_error *error) {
  struct stat about;
  if (lstat(path, &about))
    return errno == ENOENT ? 0 : cairn_durable_fail(error, "write", path, errno);
  if (!S_ISREG(about.st_mode))
    return cairn_error_set(error, CAIRN_ERR_IO, "cannot write '%s': there is something that is not a file", path);
  char *previous = previous_name(path, error), *link_name = cairn_durable_temporary_name(path, error);
  int status = previous && link_name ? 0 : CAIRN_ERR_IO;
  if (!status) {
    if (link(path, link_name) ? rename(path, previous) : rename(link_name, previous))
      status = cairn_durable_fail(error, "write", previous, errno);
    unlink(link_name);
  }
  free(previous);
  free(link_name);
  return status;
}

static int refuse(const char *path, const struct cairn_error *cause, struct cairn_error *error) {
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "'%s' is not written, it could not be read again: %.800s", path,
                         cause->message);
}

static void drop_writer(struct cairn_checkpoint_writer *w) {
  if (w && w->nc >= 0)
    nc_abort(w->nc);
  if (w && w->temporary)
    unlink(w->temporary);
  if (w) {
    free(w->temporary);
    free(w->path);
  }
  free(w);
}

int cairn_checkpoint_begin(const char *path, const struct cairn_checkpoint *checkpoint, const char *digest,
                           const struct cairn_provenance *provenance, struct cairn_checkpoint_writer **writer,
                           struct cairn_error *error) {
  struct cairn_error cause;
  struct cairn_checkpoint bare = *checkpoint;
  bare.stretch = (struct cairn_state_stretch){0};
  bare.state.n = bare.state.contacts.n = bare.state.wall_contacts.n = 0;
  *writer = NULL;
  if (cairn_checkpoint_parts_check(&bare, &cause))
    return refuse(path, &cause, error);
  struct cairn_checkpoint_writer *w = calloc(1, sizeof *w);
  if (w) {
    w->nc = -1;
    w->path = strdup(path);
  }
  if (!w || !w->path) {
    drop_writer(w);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for '%s'", path);
  }
  w->temporary = cairn_durable_temporary(path, error);
  const int nc_status = w->temporary ? write_head(w, checkpoint, digest, provenance) : NC_NOERR;
  if (!w->temporary || nc_status) {
    const int status = w->temporary ? cairn_nc_fail(error, "write", path, nc_status) : CAIRN_ERR_IO;
    drop_writer(w);
    return status;
  }
  *writer = w;
  return 0;
}

int cairn_checkpoint_put(struct cairn_checkpoint_writer *w, const struct cairn_state *slab, struct cairn_error *error) {
  struct cairn_error cause;
  int64_t body;
  const struct cairn_state_stretch stretch = {w->next[CAIRN_FIELD_BODIES], INT32_MAX};
  if (cairn_state_check_bodies(slab, &stretch, INT32_MAX, INT32_MAX, &body, &cause))
    return refuse(w->path, &cause, error);
  const int nc_status = put_slab(w, slab);
  return nc_status ? cairn_nc_fail(error, "write", w->path, nc_status) : 0;
}

int cairn_checkpoint_end(struct cairn_checkpoint_writer *w, int status, struct cairn_error *error) {
  if (!status) {
    const int nc_status = cairn_nc_close(w->nc, NC_NOERR);
    w->nc = -1;
    status = nc_status ? cairn_nc_fail(error, "write", w->path, nc_status)
                       : cairn_seal_append(w->temporary, CAIRN_CHECKPOINT_VERSION, error);
  }
  if (!status)
    status = keep_previous(w->path, error);
  if (!status)
    status = cairn_durable_rename(w->temporary, w->path, error);
  if (!status) {
    free(w->temporary);
    w->temporary = NULL;
  }
  drop_writer(w);
  return status;
}

int cairn_checkpoint_write(const char *path, const struct cairn_checkpoint *checkpoint,
                           const struct cairn_provenance *provenance, struct cairn_error *error) {
  struct cairn_checkpoint_writer *w;
  struct cairn_error cause;
  char digest[CAIRN_DIGEST_LENGTH + 1];
  struct cairn_checkpoint whole = *checkpoint;
  whole.stretch = (struct cairn_state_stretch){0, checkpoint->state.n};
  if (cairn_checkpoint_parts_check(&whole, &cause))
    return refuse(path, &cause, error);
  cairn_state_digest(&checkpoint->state, digest);
  int status = cairn_checkpoint_begin(path, checkpoint, digest, provenance, &w, error);
  if (status)
    return status;
  const int nc_status = put_slab(w, &checkpoint->state);
  return cairn_checkpoint_end(w, nc_status ? cairn_nc_fail(error, "write", path, nc_status) : 0, error);
}
