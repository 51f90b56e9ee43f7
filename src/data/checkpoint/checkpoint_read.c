#include <errno.h>
#include <netcdf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cairn/version.h"
#include "data/checkpoint/checkpoint_parts.h"
#include "data/state/fields.h"
#include "data/storage/durable.h"
#include "data/storage/nc.h"
#include "data/storage/record_file.h"
#include "data/storage/seal.h"

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

static int cannot_read(const char *path, const char *name, int nc_status, struct cairn_error *error) {
  if (nc_status == NC_ENOTVAR)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "checkpoint '%s' is damaged: '%s' is missing", path, name);
  if (nc_status == NC_EBADTYPE || nc_status == NC_EVARSIZE)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "checkpoint '%s' is damaged: '%s' has the wrong type or shape", path,
                           name);
  return nc_status ? cairn_nc_fail(error, "read", path, nc_status) : 0;
}

/* Which entries of a list are read, of how many. */
struct block {
  int64_t first, n, n_all;
};

/* Read a block of a variable whose type and shape are known: (n), or (n, components). */
static int read_block(int nc, const char *path, const char *name, int nc_type, struct block block, int components,
                      void *values, struct cairn_error *error) {
  const size_t length[2] = {(size_t)block.n_all, (size_t)components}, start[2] = {(size_t)block.first, 0},
               count[2] = {(size_t)block.n, (size_t)components};
  const int nc_status = cairn_nc_get_part(nc, name, nc_type, components > 1 ? 2 : 1, length, start, count, values);
  return cannot_read(path, name, nc_status, error);
}

/* The same of all of it, or, with a negative n, of a single number. */
static int read_variable(int nc, const char *path, const char *name, int nc_type, int64_t n, void *values,
                         struct cairn_error *error) {
  const size_t length = (size_t)n;
  return cannot_read(path, name, cairn_nc_get_all(nc, name, nc_type, n < 0 ? 0 : 1, &length, values), error);
}

static int read_scalars(int nc, const char *path, struct cairn_checkpoint *checkpoint, struct cairn_error *error) {
  for (int i = 0; i < CAIRN_CHECKPOINT_SCALARS; i++) {
    int status =
        read_variable(nc, path, cairn_checkpoint_parts_scalars[i].name, cairn_checkpoint_parts_scalars[i].nc_type, -1,
                      (char *)checkpoint + cairn_checkpoint_parts_scalars[i].offset, error);
    if (status)
      return status;
  }
  return 0;
}

static int read_texts(int nc, const char *path, struct cairn_checkpoint *checkpoint, struct cairn_error *error) {
  for (int i = 0; i < CAIRN_CHECKPOINT_TEXTS; i++) {
    int variable, dimension, rank = 0, status = 0, nc_status = NC_NOERR;
    size_t length = 0;
    bool is_empty = nc_inq_varid(nc, cairn_checkpoint_parts_texts[i].name, &variable);
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
    cairn_checkpoint_parts_set_text(checkpoint, &cairn_checkpoint_parts_texts[i], value);
    if (nc_status)
      status = cairn_nc_fail(error, "read", path, nc_status);
    else if (!is_empty)
      status = read_variable(nc, path, cairn_checkpoint_parts_texts[i].name, NC_CHAR, (int64_t)length, value, error);
    if (!status && strlen(value) != length)
      status = cairn_error_set(error, CAIRN_ERR_INPUT, "checkpoint '%s' is damaged: '%s' is not a text", path,
                               cairn_checkpoint_parts_texts[i].name);
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
  const uint32_t memory = count[CAIRN_FIELD_CONTACTS] > 0 ? pairs : walls & ~normal,
                 bonds = memory & CAIRN_CONTACT_REMEMBERS_BONDS;
  if (bonds != 0 && bonds != CAIRN_CONTACT_REMEMBERS_BONDS)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "checkpoint '%s' is damaged: it has a part of what bonds remember",
                           path);
  return cairn_state_remember(state, memory, error);
}

/* Contacts lie in records: their fields go through a buffer. */
static int read_records(int nc, const char *path, const struct cairn_field *field, struct block block,
                        struct cairn_state *state, struct cairn_error *error) {
  enum { CHUNK = 16384, MOST_COMPONENTS = 6 };
  double *values = malloc(CHUNK * MOST_COMPONENTS * sizeof *values);
  int status = values ? 0 : cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for reading '%s'", path);
  for (int64_t k = 0; k < block.n && !status; k += CHUNK) {
    const struct block part = {block.first + k, block.n - k < CHUNK ? block.n - k : CHUNK, block.n_all};
    status = read_block(nc, path, field->checkpoint, cairn_fields_nc_type(field->type), part, field->components, values,
                        error);
    if (!status)
      cairn_fields_set(field, state, k, part.n, values);
  }
  free(values);
  return status;
}

/* The first contact of a list whose lower body is not below `body`: the list is in that order, or whoever reads its
 * part finds one that has no place there. */
static int find_contact(int nc, const char *path, enum cairn_field_list list, int64_t n, int64_t body, int64_t *found,
                        struct cairn_error *error) {
  const char *name = list == CAIRN_FIELD_CONTACTS ? "contact_a" : "wall_contact_body";
  int64_t low = 0, high = n;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    int32_t lower_body;
    const int status = read_block(nc, path, name, NC_INT, (struct block){middle, 1, n}, 1, &lower_body, error);
    if (status)
      return status;
    if (lower_body < body)
      low = middle + 1;
    else
      high = middle;
  }
  *found = low;
  return 0;
}

/* The part of a rank: a stretch of the bodies and the contacts that have one of them as the lower body. The parts of
 * all ranks are all there is, whatever the file says. */
static int find_part(int nc, const char *path, const int64_t *count, int part, int n_parts,
                     struct block block[CAIRN_N_FIELD_LISTS], struct cairn_error *error) {
  const int64_t n = count[CAIRN_FIELD_BODIES], first = n * part / n_parts, end = n * (part + 1) / n_parts;
  for (int list = 0; list < CAIRN_N_FIELD_LISTS; list++)
    block[list] = (struct block){0, count[list], count[list]};
  block[CAIRN_FIELD_BODIES] = (struct block){first, end - first, n};
  for (int list = CAIRN_FIELD_CONTACTS; list <= (int)CAIRN_FIELD_WALL_CONTACTS; list++) {
    int64_t from = 0, to = count[list];
    int status = part > 0 ? find_contact(nc, path, (enum cairn_field_list)list, count[list], first, &from, error) : 0;
    if (!status && part + 1 < n_parts)
      status = find_contact(nc, path, (enum cairn_field_list)list, count[list], end, &to, error);
    if (status)
      return status;
    block[list] = (struct block){from, to - from, count[list]};
  }
  return 0;
}

static int read_fields(int nc, const char *path, int part, int n_parts, struct cairn_checkpoint *checkpoint,
                       struct cairn_error *error) {
  struct cairn_state *state = &checkpoint->state;
  int64_t count[CAIRN_N_FIELD_LISTS];
  struct block block[CAIRN_N_FIELD_LISTS] = {{0}};
  int status = read_counts(nc, path, count, error);
  if (!status)
    status = read_memory(nc, path, count, state, error);
  checkpoint->is_shared = n_parts > 1;
  if (!status)
    status = find_part(nc, path, count, part, n_parts, block, error);
  checkpoint->stretch = (struct cairn_state_stretch){block[CAIRN_FIELD_BODIES].first, block[CAIRN_FIELD_BODIES].n_all};
  if (!status)
    status = cairn_state_resize(state, block[CAIRN_FIELD_BODIES].n, error);
  if (!status)
    status =
        cairn_state_resize_contacts(state, block[CAIRN_FIELD_CONTACTS].n, block[CAIRN_FIELD_WALL_CONTACTS].n, error);
  if (!status)
    status = cairn_state_resize_assemblies(state, count[CAIRN_FIELD_ASSEMBLIES], error);
  for (int i = 0; i < cairn_fields_n && !status; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    void *values = cairn_fields_values(field, state);
    if (!(field->flags & CAIRN_FIELD_CHECKPOINT) || count[field->list] == 0 || !cairn_fields_has(field, state))
      continue;
    status = field->list == CAIRN_FIELD_CONTACTS || field->list == CAIRN_FIELD_WALL_CONTACTS
                 ? read_records(nc, path, field, block[field->list], state, error)
                 : read_block(nc, path, field->checkpoint, cairn_fields_nc_type(field->type), block[field->list],
                              field->components, values, error);
  }
  return status;
}

/* Numbers that are in range, and their part of the digest, that of all being `part` 0. */
static int check_state(int nc, const char *path, int part, struct cairn_checkpoint *checkpoint,
                       struct cairn_error *error) {
  const struct cairn_state *state = &checkpoint->state;
  const struct cairn_contacts *contacts[2] = {&state->contacts, &state->wall_contacts};
  struct cairn_error cause;
  char *digest = cairn_nc_text(nc, NC_GLOBAL, "digest");
  const bool has_digest = digest && strlen(digest) == CAIRN_DIGEST_LENGTH;
  if (has_digest)
    memcpy(checkpoint->digest, digest, sizeof checkpoint->digest);
  free(digest);
  if (cairn_checkpoint_parts_check(checkpoint, &cause))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "checkpoint '%s' is damaged: %.800s", path, cause.message);
  if (part == 0 || !checkpoint->is_shared)
    cairn_state_sum_head(&checkpoint->sum, state);
  cairn_state_sum_stretch(&checkpoint->sum, state, checkpoint->stretch.first);
  for (int l = 0; l < 2; l++)
    for (int64_t i = 0; i < contacts[l]->n; i++)
      cairn_state_sum_contact(&checkpoint->sum, cairn_contact_at(contacts[l], i), contacts[l]->size, l == 1);
  return 0;
}

int cairn_checkpoint_verify(const char *path, const struct cairn_checkpoint *checkpoint,
                            const struct cairn_state_sum *sum, struct cairn_error *error) {
  char digest[CAIRN_DIGEST_LENGTH + 1];
  cairn_state_sum_digest(sum, digest);
  if (strcmp(digest, checkpoint->digest) != 0)
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

static int read_netcdf(int nc, const char *path, int part, int n_parts, struct cairn_checkpoint *checkpoint,
                       struct cairn_error *error) {
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
    status = read_fields(nc, path, part, n_parts, checkpoint, error);
  if (!status)
    status = read_texts(nc, path, checkpoint, error);
  return status ? status : check_state(nc, path, part, checkpoint, error);
}

int cairn_checkpoint_read_part(const char *path, int part, int n_parts, struct cairn_checkpoint *checkpoint,
                               struct cairn_error *error) {
  memset(checkpoint, 0, sizeof *checkpoint);
  uint32_t version = CAIRN_CHECKPOINT_VERSION;
  int status = part == 0 ? cairn_seal_check(path, &version, error) : 0;
  if (!status)
    status = check_version(path, version, error);
  /* The seal is no defence against forgery: sizes are checked before the NetCDF library believes them. */
  struct cairn_record_file *layout = NULL;
  if (!status)
    status = cairn_record_file_open(path, false, &layout, error);
  cairn_record_file_close(layout, NULL);
  if (status)
    return status;
  size_t buffer = CAIRN_CHECKPOINT_BUFFER;
  int nc, nc_status = nc__open(path, NC_NOWRITE, &buffer, &nc);
  if (nc_status)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "checkpoint '%s' is damaged: %s", path, nc_strerror(nc_status));
  status = read_netcdf(nc, path, part, n_parts, checkpoint, error);
  nc_close(nc);
  if (status)
    cairn_checkpoint_fini(checkpoint);
  return status;
}

int cairn_checkpoint_read(const char *path, struct cairn_checkpoint *checkpoint, struct cairn_error *error) {
  int status = cairn_checkpoint_read_part(path, 0, 1, checkpoint, error);
  if (status)
    return status;
  status = cairn_checkpoint_verify(path, checkpoint, &checkpoint->sum, error);
  if (status)
    cairn_checkpoint_fini(checkpoint);
  return status;
}

void cairn_checkpoint_fini(struct cairn_checkpoint *checkpoint) {
  cairn_state_fini(&checkpoint->state);
  for (int i = 0; i < CAIRN_CHECKPOINT_TEXTS; i++)
    free(cairn_checkpoint_parts_text(checkpoint, &cairn_checkpoint_parts_texts[i]));
  memset(checkpoint, 0, sizeof *checkpoint);
}
