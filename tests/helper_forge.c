/* Give a checkpoint other numbers with a valid digest and a valid seal: the file that a liar might hand over.
 * usage: helper_forge FILE NAME[INDEX]=VALUE … where NAME is a variable of the checkpoint and INDEX counts its numbers
 * from 0; a single number needs none. -NAME hides a variable. */
#include <inttypes.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/checkpoint/checkpoint.h"
#include "data/state/fields.h"
#include "data/storage/nc.h"
#include "data/storage/seal.h"

/* Give a variable a name that nobody asks for. */
static int hide(int nc, const char *name) {
  char hidden[64];
  int variable;
  snprintf(hidden, sizeof hidden, "%s", name);
  *hidden = 'x';
  return nc_inq_varid(nc, name, &variable) || nc_rename_var(nc, variable, hidden);
}

/* Put one number; returns 0 on success. */
static int put(int nc, const char *edit) {
  char name[64], *bracket;
  const char *equals = strchr(edit, '=');
  int variable, type, rank, dimension[2];
  size_t index = 0, at[2] = {0, 0}, width = 1;
  if (!equals || (size_t)(equals - edit) >= sizeof name)
    return -1;
  snprintf(name, sizeof name, "%.*s", (int)(equals - edit), edit);
  if ((bracket = strchr(name, '['))) {
    *bracket = '\0';
    index = strtoul(bracket + 1, NULL, 10);
  }
  if (nc_inq_varid(nc, name, &variable) || nc_inq_vartype(nc, variable, &type) ||
      nc_inq_varndims(nc, variable, &rank) || rank > 2 || nc_inq_vardimid(nc, variable, dimension) ||
      (rank == 2 && nc_inq_dimlen(nc, dimension[1], &width)))
    return -1;
  at[0] = index / width;
  at[1] = index % width;
  const double number = strtod(equals + 1, NULL);
  const long long whole = strtoll(equals + 1, NULL, 10);
  return type == NC_DOUBLE ? nc_put_var1_double(nc, variable, at, &number)
                           : nc_put_var1_longlong(nc, variable, at, &whole);
}

static int64_t length_of(int nc, enum cairn_field_list list) {
  int dimension;
  size_t n = 0;
  if (nc_inq_dimid(nc, cairn_fields_dimension[list], &dimension) == NC_NOERR)
    nc_inq_dimlen(nc, dimension, &n);
  return (int64_t)n;
}

/* What its contacts remember. */
static uint32_t memory_of(int nc) {
  uint32_t memory = 0;
  int variable;
  for (int i = 0; i < cairn_fields_n; i++)
    if (cairn_fields[i].flags & CAIRN_FIELD_MEMORY && cairn_fields[i].offset != CAIRN_CONTACT_normal &&
        nc_inq_varid(nc, cairn_fields[i].checkpoint, &variable) == NC_NOERR)
      memory |= UINT32_C(1) << cairn_fields[i].offset;
  return memory;
}

/* The digest of what the file holds now. */
static int put_digest(int nc) {
  struct cairn_state state = {0};
  char digest[CAIRN_DIGEST_LENGTH + 1];
  int variable, failed = cairn_state_resize(&state, length_of(nc, CAIRN_FIELD_BODIES), NULL) ||
                         cairn_state_remember(&state, memory_of(nc), NULL) ||
                         cairn_state_resize_contacts(&state, length_of(nc, CAIRN_FIELD_CONTACTS),
                                                     length_of(nc, CAIRN_FIELD_WALL_CONTACTS), NULL) ||
                         cairn_state_resize_assemblies(&state, length_of(nc, CAIRN_FIELD_ASSEMBLIES), NULL);
  for (int i = 0; i < cairn_fields_n && !failed; i++) {
    const struct cairn_field *field = cairn_fields + i;
    const int64_t n = cairn_fields_count(&state, field->list);
    if (!(field->flags & CAIRN_FIELD_CHECKPOINT) || n == 0 || !cairn_fields_has(field, &state))
      continue;
    void *values = cairn_fields_values(field, &state), *buffer = malloc((size_t)(8 * n * field->components));
    failed =
        !buffer || nc_inq_varid(nc, field->checkpoint, &variable) || nc_get_var(nc, variable, values ? values : buffer);
    if (!failed && !values)
      cairn_fields_set(field, &state, 0, n, buffer);
    free(buffer);
  }
  const struct {
    const char *name;
    void *value;
  } scalars[] = {
      {"step", &state.step}, {"time", &state.time}, {"skin", &state.skin}, {"refresh_step", &state.refresh_step}};
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars && !failed; i++)
    failed = nc_inq_varid(nc, scalars[i].name, &variable) || nc_get_var(nc, variable, scalars[i].value);
  cairn_state_digest(&state, digest);
  cairn_state_fini(&state);
  return failed ? -1 : cairn_nc_put_text(nc, NC_GLOBAL, "digest", digest);
}

int main(int argc, char **argv) {
  struct stat info;
  struct cairn_error error;
  int nc;
  if (argc < 3 || stat(argv[1], &info) || info.st_size <= CAIRN_SEAL_SIZE ||
      truncate(argv[1], info.st_size - CAIRN_SEAL_SIZE) || nc_open(argv[1], NC_WRITE, &nc))
    return 2;
  for (int i = 2; i < argc; i++)
    if (*argv[i] == '-' ? hide(nc, argv[i] + 1) : put(nc, argv[i])) {
      fprintf(stderr, "cannot put %s\n", argv[i]);
      return 2;
    }
  if (put_digest(nc) || nc_close(nc) || cairn_seal_append(argv[1], CAIRN_CHECKPOINT_VERSION, &error))
    return 2;
  return 0;
}
