#include "data/files/checkpoint.h"

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
#include "data/storage/record_file.h"
#include "data/storage/seal.h"

/* Contacts that are written at a time, and the components of a field at most. */
enum { CHUNK = 1024, MOST_COMPONENTS = 6 };

/* Single numbers and texts, as the fields of cairn_fields are the lists. */
struct scalar {
  const char *name;
  int nc_type; /* NC_INT64 or NC_DOUBLE */
  size_t offset;
  const char *unit, *long_name;
};
static const struct scalar scalars[] = {
    {"step", NC_INT64, offsetof(struct cairn_checkpoint, state.step), "1", "steps done"},
    {"time", NC_DOUBLE, offsetof(struct cairn_checkpoint, state.time), "s", "simulated time"},
    {"refresh_step", NC_INT64, offsetof(struct cairn_checkpoint, state.refresh_step), "1",
     "step at which self-gravity is evaluated again"},
    {"n_refreshes", NC_INT64, offsetof(struct cairn_checkpoint, state.n_refreshes), "1",
     "how often self-gravity was evaluated"},
    {"skin", NC_DOUBLE, offsetof(struct cairn_checkpoint, state.skin), "m", "skin of the cells; 0: none"},
    {"momentum_limit", NC_DOUBLE, offsetof(struct cairn_checkpoint, state.momentum_limit), "1",
     "limit of the momentum of contact dynamics, learned; 0: none"},
    {"pair_sweeps", NC_DOUBLE, offsetof(struct cairn_checkpoint, state.pair_sweeps), "1",
     "sweeps of the first step of a pair that learns it; -1: the next step is the first"},
    {"step_size", NC_DOUBLE, offsetof(struct cairn_checkpoint, step_size), "s", "size of the time step"},
    {"n_unsolved", NC_INT64, offsetof(struct cairn_checkpoint, state.n_unsolved), "1",
     "steps that did not reach the tolerance so far"},
    {"dissipated_energy", NC_DOUBLE, offsetof(struct cairn_checkpoint, state.dissipated_energy), "J",
     "energy lost in contacts so far"},
    {"n_collisions", NC_INT64, offsetof(struct cairn_checkpoint, state.n_collisions), "1",
     "collisions of two bodies so far"},
    {"n_wall_collisions", NC_INT64, offsetof(struct cairn_checkpoint, state.n_wall_collisions), "1",
     "collisions with walls so far"},
    {"n_slow_collisions", NC_INT64, offsetof(struct cairn_checkpoint, state.n_slow_collisions), "1",
     "collisions made elastic because they were slow"},
    {"collision_virial", NC_DOUBLE, offsetof(struct cairn_checkpoint, state.collision_virial), "J",
     "impulse times distance over all collisions of bodies so far"},
    {"n_broken", NC_INT64, offsetof(struct cairn_checkpoint, state.n_broken), "1", "bonds that broke so far"},
    {"n_frames", NC_INT64, offsetof(struct cairn_checkpoint, n_frames), "1", "frames in the trajectory"},
    {"n_rows", NC_INT64, offsetof(struct cairn_checkpoint, n_rows), "1", "rows in the series"},
};
enum { N_SCALARS = sizeof scalars / sizeof *scalars };

struct text {
  const char *name;
  size_t offset; /* of the pointer */
  const char *long_name;
};
static const struct text texts[] = {
    {"scenario_file", offsetof(struct cairn_checkpoint, file), "name of the scenario file"},
    {"scenario", offsetof(struct cairn_checkpoint, scenario), "effective parameters, YAML"},
    {"scenario_text", offsetof(struct cairn_checkpoint, text), "scenario as the user wrote it"},
    {"walls", offsetof(struct cairn_checkpoint, walls), "digest of the geometry of the walls"},
};
enum { N_TEXTS = sizeof texts / sizeof *texts };

enum { BUFFER_SIZE = 1 << 19 }; /* of the NetCDF library, which would take 4 KiB */

static char *text_of(const struct cairn_checkpoint *checkpoint, const struct text *text) {
  char *value;
  memcpy(&value, (const char *)checkpoint + text->offset, sizeof value);
  return value;
}

static void set_text(struct cairn_checkpoint *checkpoint, const struct text *text, char *value) {
  memcpy((char *)checkpoint + text->offset, &value, sizeof value);
}

/* What reading refuses, writing refuses too. How many materials, walls and assemblies there are, only the scenario
 * knows: whoever puts the two together checks that. */
static int check_numbers(const struct cairn_checkpoint *checkpoint, struct cairn_error *error) {
  const int64_t step = checkpoint->state.step;
  int status = cairn_state_check(&checkpoint->state, INT32_MAX, INT32_MAX, -1, error);
  if (!status)
    status = cairn_state_check_step(&checkpoint->state, checkpoint->step_size, error);
  /* at most one in each step, and one at the start */
  if (!status && (checkpoint->n_frames < 0 || checkpoint->n_frames - 1 > step || checkpoint->n_rows < 0 ||
                  checkpoint->n_rows - 1 > step))
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "impossible numbers of frames, %lld, or rows, %lld",
                             (long long)checkpoint->n_frames, (long long)checkpoint->n_rows);
  return status;
}

/* ---------------------------------------------------------------- writing */

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
  for (int i = 0; i < N_SCALARS; i++) {
    CAIRN_NC_TRY(nc_def_var(nc, scalars[i].name, scalars[i].nc_type, 0, NULL, &variable));
    CAIRN_NC_TRY(cairn_nc_put_meaning(nc, variable, scalars[i].unit, scalars[i].long_name));
  }
  return NC_NOERR;
}

/* An empty text has no variable, for the same reason as an empty list. */
static int define_texts(int nc, const struct cairn_checkpoint *checkpoint) {
  for (int i = 0; i < N_TEXTS; i++) {
    const char *value = text_of(checkpoint, &texts[i]);
    char name[NC_MAX_NAME];
    int dimension, variable;
    if (!value || !*value)
      continue;
    snprintf(name, sizeof name, "%s_length", texts[i].name);
    CAIRN_NC_TRY(nc_def_dim(nc, name, strlen(value), &dimension));
    CAIRN_NC_TRY(nc_def_var(nc, texts[i].name, NC_CHAR, 1, &dimension, &variable));
    CAIRN_NC_TRY(cairn_nc_put_text(nc, variable, "long_name", texts[i].long_name));
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
  for (int i = 0; i < N_SCALARS; i++) {
    CAIRN_NC_TRY(nc_inq_varid(w->nc, scalars[i].name, &variable));
    CAIRN_NC_TRY(nc_put_var(w->nc, variable, (const char *)checkpoint + scalars[i].offset));
  }
  for (int i = 0; i < N_TEXTS; i++) {
    const char *value = text_of(checkpoint, &texts[i]);
    if (!value || !*value)
      continue;
    CAIRN_NC_TRY(nc_inq_varid(w->nc, texts[i].name, &variable));
    CAIRN_NC_TRY(nc_put_var_text(w->nc, variable, value));
  }
  return put_lists(w, &checkpoint->state, CAIRN_FIELD_ASSEMBLIES, CAIRN_FIELD_ASSEMBLIES);
}

static int write_head(struct cairn_checkpoint_writer *w, const struct cairn_checkpoint *checkpoint, const char *digest,
                      const struct cairn_provenance *provenance) {
  int old_fill;
  size_t buffer = BUFFER_SIZE;
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
  bare.state.n = bare.state.contacts.n = bare.state.wall_contacts.n = 0;
  *writer = NULL;
  if (check_numbers(&bare, &cause))
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
  if (cairn_state_check_bodies(slab, INT32_MAX, INT32_MAX, &body, &cause))
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
  if (check_numbers(checkpoint, &cause))
    return refuse(path, &cause, error);
  cairn_state_digest(&checkpoint->state, digest);
  int status = cairn_checkpoint_begin(path, checkpoint, digest, provenance, &w, error);
  if (status)
    return status;
  const int nc_status = put_slab(w, &checkpoint->state);
  return cairn_checkpoint_end(w, nc_status ? cairn_nc_fail(error, "write", path, nc_status) : 0, error);
}

/* ---------------------------------------------------------------- reading */

/* The length of each list. Its fields must fit into the file, so that a forged length cannot make cairn ask for more
 * memory than the file has bytes. */
static int read_counts(int nc, const char *path, int64_t count[CAIRN_N_FIELD_LISTS], struct cairn_error *error) {
  struct stat about;
  if (stat(path, &about))
    return cairn_durable_fail(error, "read", path, errno);
  int64_t room = about.st_size;
  for (int list = 0; list < CAIRN_N_FIELD_LISTS; list++) {
    int dimension;
    size_t n = 0;
    int nc_status = nc_inq_dimid(nc, cairn_fields_dimension[list], &dimension);
    if (!nc_status)
      nc_status = nc_inq_dimlen(nc, dimension, &n);
    if (nc_status && nc_status != NC_EBADDIM)
      return cairn_nc_fail(error, "read", path, nc_status);
    int64_t bytes = 0;
    for (int i = 0; i < cairn_fields_n; i++)
      if (cairn_fields[i].list == (enum cairn_field_list)list && cairn_fields[i].flags & CAIRN_FIELD_CHECKPOINT &&
          !(cairn_fields[i].flags & CAIRN_FIELD_MEMORY))
        bytes += cairn_fields[i].components * (int64_t)cairn_fields_size(cairn_fields[i].type);
    if (n > (size_t)(room / bytes))
      return cairn_error_set(error, CAIRN_ERR_INPUT,
                             "checkpoint '%s' is damaged: it says that it holds %zu entries of '%s'", path, n,
                             cairn_fields_dimension[list]);
    count[list] = (int64_t)n;
    room -= count[list] * bytes;
  }
  return 0;
}

/* Read a variable whose type and shape are known: (n), or (n, components), or, with a negative n, a single number. */
static int read_variable(int nc, const char *path, const char *name, int nc_type, int64_t n, int components,
                         void *values, struct cairn_error *error) {
  const size_t length[2] = {(size_t)n, (size_t)components};
  int nc_status = cairn_nc_get_all(nc, name, nc_type, n < 0 ? 0 : components > 1 ? 2 : 1, length, values);
  if (nc_status == NC_ENOTVAR)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "checkpoint '%s' is damaged: '%s' is missing", path, name);
  if (nc_status == NC_EBADTYPE || nc_status == NC_EVARSIZE)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "checkpoint '%s' is damaged: '%s' has the wrong type or shape", path,
                           name);
  return nc_status ? cairn_nc_fail(error, "read", path, nc_status) : 0;
}

static int read_scalars(int nc, const char *path, struct cairn_checkpoint *checkpoint, struct cairn_error *error) {
  for (int i = 0; i < N_SCALARS; i++) {
    int status = read_variable(nc, path, scalars[i].name, scalars[i].nc_type, -1, 1,
                               (char *)checkpoint + scalars[i].offset, error);
    if (status)
      return status;
  }
  return 0;
}

static int read_texts(int nc, const char *path, struct cairn_checkpoint *checkpoint, struct cairn_error *error) {
  for (int i = 0; i < N_TEXTS; i++) {
    int variable, dimension, rank = 0, status = 0, nc_status = NC_NOERR;
    size_t length = 0;
    bool is_empty = nc_inq_varid(nc, texts[i].name, &variable);
    if (!is_empty)
      nc_status = nc_inq_varndims(nc, variable, &rank);
    /* A length above that of the file was refused when the file was opened, another rank is by read_variable. */
    if (!nc_status && rank == 1)
      nc_status = nc_inq_vardimid(nc, variable, &dimension);
    if (!nc_status && rank == 1)
      nc_status = nc_inq_dimlen(nc, dimension, &length);
    char *value = calloc(length + 1, 1);
    if (!value)
      return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for reading '%s'", path);
    set_text(checkpoint, &texts[i], value);
    if (nc_status)
      status = cairn_nc_fail(error, "read", path, nc_status);
    else if (!is_empty)
      status = read_variable(nc, path, texts[i].name, NC_CHAR, (int64_t)length, 1, value, error);
    if (!status && strlen(value) != length)
      status = cairn_error_set(error, CAIRN_ERR_INPUT, "checkpoint '%s' is damaged: '%s' is not a text", path,
                               texts[i].name);
    if (status)
      return status;
  }
  return 0;
}

/* What the contacts of a list remember: whatever the file has. */
static uint32_t memory_of(int nc, enum cairn_field_list list) {
  uint32_t memory = 0;
  int variable;
  for (int i = 0; i < cairn_fields_n; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    if (field->list == list && field->flags & CAIRN_FIELD_MEMORY && !nc_inq_varid(nc, field->checkpoint, &variable))
      memory |= UINT32_C(1) << field->offset;
  }
  return memory;
}

/* Without contacts of either kind the file does not say what they would remember. */
static int read_memory(int nc, const char *path, const int64_t *count, struct cairn_state *state,
                       struct cairn_error *error) {
  const uint32_t normal = CAIRN_CONTACT_REMEMBERS(normal), pairs = memory_of(nc, CAIRN_FIELD_CONTACTS),
                 walls = memory_of(nc, CAIRN_FIELD_WALL_CONTACTS);
  if ((count[CAIRN_FIELD_CONTACTS] > 0 && pairs & normal) ||
      (count[CAIRN_FIELD_WALL_CONTACTS] > 0 && !(walls & normal)) ||
      (count[CAIRN_FIELD_CONTACTS] > 0 && count[CAIRN_FIELD_WALL_CONTACTS] > 0 && walls != (pairs | normal)))
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "checkpoint '%s' is damaged: its contacts and those with walls remember different numbers",
                           path);
  return cairn_state_remember(state, count[CAIRN_FIELD_CONTACTS] > 0 ? pairs : walls & ~normal, error);
}

static int read_records(int nc, const char *path, const struct cairn_field *field, int64_t n, struct cairn_state *state,
                        struct cairn_error *error) {
  const size_t bytes = (size_t)field->components * cairn_fields_size(field->type);
  void *values = malloc((size_t)n * bytes);
  if (!values)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for reading '%s'", path);
  const int status = read_variable(nc, path, field->checkpoint, cairn_fields_nc_type(field->type), n, field->components,
                                   values, error);
  if (!status)
    cairn_fields_set(field, state, 0, n, values);
  free(values);
  return status;
}

static int read_fields(int nc, const char *path, struct cairn_state *state, struct cairn_error *error) {
  int64_t count[CAIRN_N_FIELD_LISTS];
  int status = read_counts(nc, path, count, error);
  if (!status)
    status = cairn_state_resize(state, count[CAIRN_FIELD_BODIES], error);
  if (!status)
    status = read_memory(nc, path, count, state, error);
  if (!status)
    status = cairn_state_resize_contacts(state, count[CAIRN_FIELD_CONTACTS], count[CAIRN_FIELD_WALL_CONTACTS], error);
  if (!status)
    status = cairn_state_resize_assemblies(state, count[CAIRN_FIELD_ASSEMBLIES], error);
  for (int i = 0; i < cairn_fields_n && !status; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    void *values = cairn_fields_values(field, state);
    if (!(field->flags & CAIRN_FIELD_CHECKPOINT) || count[field->list] == 0 || !cairn_fields_has(field, state))
      continue;
    status = values ? read_variable(nc, path, field->checkpoint, cairn_fields_nc_type(field->type), count[field->list],
                                    field->components, values, error)
                    : read_records(nc, path, field, count[field->list], state, error);
  }
  return status;
}

/* Numbers that are in range and that are those whose digest was stored. */
static int check_state(int nc, const char *path, struct cairn_checkpoint *checkpoint, struct cairn_error *error) {
  struct cairn_error cause;
  if (check_numbers(checkpoint, &cause))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "checkpoint '%s' is damaged: %.800s", path, cause.message);
  cairn_state_digest(&checkpoint->state, checkpoint->digest);
  if (!cairn_nc_has_text(nc, NC_GLOBAL, "digest", checkpoint->digest))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "checkpoint '%s' is damaged: the digest of its state does not match",
                           path);
  return 0;
}

static int check_version(const char *path, int64_t version, struct cairn_error *error) {
  if (version == CAIRN_CHECKPOINT_VERSION)
    return 0;
  return cairn_error_set(error, CAIRN_ERR_INPUT,
                         "checkpoint '%s' has version %lld; this is cairn %s, which reads version %d", path,
                         (long long)version, cairn_version_string(), CAIRN_CHECKPOINT_VERSION);
}

static int read_netcdf(int nc, const char *path, struct cairn_checkpoint *checkpoint, struct cairn_error *error) {
  int version = 0;
  size_t length = 0;
  if (!cairn_nc_has_text(nc, NC_GLOBAL, "cairn_file", "checkpoint") ||
      nc_inq_attlen(nc, NC_GLOBAL, "checkpoint_version", &length) || length != 1 ||
      nc_get_att_int(nc, NC_GLOBAL, "checkpoint_version", &version))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is not a checkpoint of cairn", path);
  int status = check_version(path, version, error);
  cairn_nc_run_id(nc, checkpoint->run_id);
  if (!status)
    status = read_scalars(nc, path, checkpoint, error);
  if (!status)
    status = read_fields(nc, path, &checkpoint->state, error);
  if (!status)
    status = read_texts(nc, path, checkpoint, error);
  return status ? status : check_state(nc, path, checkpoint, error);
}

int cairn_checkpoint_read(const char *path, struct cairn_checkpoint *checkpoint, struct cairn_error *error) {
  memset(checkpoint, 0, sizeof *checkpoint);
  uint32_t version = 0;
  int status = cairn_seal_check(path, &version, error);
  if (!status)
    status = check_version(path, version, error);
  /* The seal is no defence against forgery: sizes are checked before the NetCDF library believes them. */
  struct cairn_record_file *layout = NULL;
  if (!status)
    status = cairn_record_file_open(path, false, &layout, error);
  cairn_record_file_close(layout, NULL);
  if (status)
    return status;
  size_t buffer = BUFFER_SIZE;
  int nc, nc_status = nc__open(path, NC_NOWRITE, &buffer, &nc);
  if (nc_status)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "checkpoint '%s' is damaged: %s", path, nc_strerror(nc_status));
  status = read_netcdf(nc, path, checkpoint, error);
  nc_close(nc);
  if (status)
    cairn_checkpoint_fini(checkpoint);
  return status;
}

void cairn_checkpoint_fini(struct cairn_checkpoint *checkpoint) {
  cairn_state_fini(&checkpoint->state);
  for (int i = 0; i < N_TEXTS; i++)
    free(text_of(checkpoint, &texts[i]));
  memset(checkpoint, 0, sizeof *checkpoint);
}
