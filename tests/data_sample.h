/* What the tests of files share: a small state with every field filled, a temporary folder that removes itself, bytes
 * of files. */
#ifndef CAIRN_TESTS_DATA_SAMPLE_H
#define CAIRN_TESTS_DATA_SAMPLE_H

#include "contacts.h"
#include "tap/tap.h"

#include <dirent.h>
#include <math.h>
#include <netcdf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/files/wall_record.h"
#include "data/state/fields.h"
#include "data/state/observables.h"
#include "data/state/state_check.h"

static char sample_folder[2048];

static inline void sample_remove_folder(void) {
  DIR *folder = opendir(sample_folder);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", sample_folder, entry->d_name);
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && remove(path))
      perror(path);
  }
  if (folder)
    closedir(folder);
  rmdir(sample_folder);
}

/* Call first. Children must leave with _exit, which does not remove the folder. */
static inline void sample_make_folder(void) {
  const char *base = getenv("TMPDIR");
  snprintf(sample_folder, sizeof sample_folder, "%s/cairn-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(sample_folder))
    BAIL_OUT("no temporary folder: %s", sample_folder);
  atexit(sample_remove_folder);
}

/* The path of a file in the folder; good until the eighth call after this one. */
static inline const char *sample_path(const char *name) {
  static char path[8][4096];
  static int next;
  char *mine = path[next++ % 8];
  snprintf(mine, sizeof path[0], "%s/%s", sample_folder, name);
  return mine;
}

/* No file of this process grows beyond so many bytes. What was printed so far goes out first: standard output may be a
 * file too. */
static inline void sample_limit_files(rlim_t size) {
  fflush(stdout);
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = size;
  setrlimit(RLIMIT_FSIZE, &limit);
}

static inline int sample_n_files(void) {
  int n = 0;
  DIR *folder = opendir(sample_folder);
  for (struct dirent *entry; folder && (entry = readdir(folder));)
    n += entry->d_name[0] != '.';
  if (folder)
    closedir(folder);
  return n;
}

static inline double sample_number(uint64_t seed) {
  uint64_t z = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline void sample_assemblies(struct cairn_state *state, uint64_t seed) {
  double *vectors[] = {state->assembly_position, state->assembly_velocity, state->assembly_spin,
                       state->assembly_acceleration, state->assembly_angular_acceleration};
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < 3 * 2; i++)
      vectors[k][i] = sample_number(seed * 31 + (uint64_t)(6 * k + i)) - 0.5;
  for (int i = 0; i < 2; i++) {
    const double angle = sample_number(seed + (uint64_t)i);
    state->assembly_orientation[4 * i + 1] = sin(angle);
    state->assembly_orientation[4 * i + 3] = cos(angle);
  }
}

/* n ≥ 4 bodies with numbers that use all bits, different for each seed; `n - 1` contacts, 3 wall contacts, two of
 * them of the same body and wall, and 2 assemblies. All bodies are free. */
static inline void sample_state(struct cairn_state *state, int64_t n, uint64_t seed) {
  struct cairn_error error;
  memset(state, 0, sizeof *state);
  if (cairn_state_resize(state, n, &error) ||
      cairn_state_remember(state, CAIRN_CONTACT_REMEMBERS(spring) | CAIRN_CONTACT_REMEMBERS(rest), &error) ||
      cairn_state_resize_contacts(state, n - 1, 3, &error) || cairn_state_resize_assemblies(state, 2, &error))
    BAIL_OUT("%s", error.message);
  state->step = (int64_t)seed;
  state->time = sample_number(seed);
  state->skin = sample_number(seed + 1);
  state->refresh_step = state->step + 3;
  state->n_refreshes = 2;
  double *vectors[] = {state->position,  state->velocity, state->spin, state->acceleration, state->angular_acceleration,
                       state->reference, state->gravity};
  for (int k = 0; k < 7; k++)
    for (int64_t i = 0; i < 3 * n; i++)
      vectors[k][i] = sample_number(seed * 1000003 + (uint64_t)(k * 3 * n + i)) - 0.5;
  for (int64_t i = 0; i < n; i++) {
    state->radius[i] = 0.1 + sample_number((uint64_t)i);
    state->mass[i] = 1.0 + sample_number((uint64_t)(i + 7));
    state->material[i] = (int32_t)(i % 3);
  }
  for (int64_t i = 0; i < n - 1; i++) {
    *pair_of(state, i) = (struct cairn_contact){(int32_t)i, (int32_t)i + 1, 0, INT32_MAX - (uint32_t)i};
    *PAIR_MEMORY(state, i, rest) = -sample_number(seed + (uint64_t)i);
    for (int k = 0; k < 3; k++)
      PAIR_MEMORY(state, i, spring)[k] = sample_number(seed + (uint64_t)(3 * i + k)) * 1e-9;
  }
  for (int i = 0; i < 3; i++) {
    *touch_of(state, i) = (struct cairn_contact){i > 0, i > 0 ? 0 : 1, i > 1, 1};
    *TOUCH_MEMORY(state, i, rest) = -1e-9 * (double)i;
    for (int k = 0; k < 3; k++)
      TOUCH_MEMORY(state, i, spring)[k] = -0.0;
    TOUCH_MEMORY(state, i, normal)[i] = -1;
  }
  sample_assemblies(state, seed);
}

/* Body 1 is held by wall 0, body 2 was taken out by wall 1. */
static inline void sample_captures(struct cairn_state *state) {
  state->captor[1] = 1;
  state->capture_time[1] = 0.1;
  state->capture_place[4] = 1. / 3;
  state->captor[2] = -2;
  state->capture_time[2] = 0.2;
}

/* Different for each seed and wall. */
static inline void sample_walls(struct cairn_wall_sample *walls, int n, uint64_t seed) {
  double *values = (double *)walls;
  for (size_t i = 0; i < (size_t)n * sizeof *walls / sizeof *values; i++)
    values[i] = sample_number(seed * 10007 + i) - 0.5;
}

/* Two walls, the second of which is a disk with a hole, and their names. */
static const double sample_shapes[2][CAIRN_SHAPE_DOUBLES] = {{CAIRN_SHAPE_PLANE, 0, 0, 0, 0, 0, 1},
                                                             {CAIRN_SHAPE_DISK, 0, 1, 0, 1, 0, 0, 2, 0.5}};
static const struct cairn_wall_labels sample_labels = {
    .n = 2, .name = (const char *const[]){"floor", "große Scheibe"}, .shape = sample_shapes, .has_captures = true};

/* Do the variables of the walls have the values of sample_walls(…, 2, seed) in this record of an open file, and are
 * those of the other kind of file not there? */
static inline int sample_is_wall_record(int nc, size_t record, enum cairn_wall_file kind, uint64_t seed) {
  struct cairn_wall_sample want[2];
  int same = 1;
  sample_walls(want, 2, seed);
  for (int i = 0; i < cairn_wall_record_n_fields; i++) {
    const struct cairn_wall_field *field = &cairn_wall_fields[i];
    size_t n = (size_t)field->components, start[3] = {record, 0, 0}, count[3] = {1, 2, n};
    double got[8] = {0};
    int id, missing = nc_inq_varid(nc, field->name, &id);
    same = same && !missing == !!(field->files & kind);
    if (missing || !(field->files & kind))
      continue;
    same = same && !nc_get_vara_double(nc, id, start, count, got);
    for (int w = 0; w < 2; w++)
      same = same && !memcmp(got + n * (size_t)w, (const char *)&want[w] + field->offset, n * sizeof *got);
  }
  return same;
}

/* Does an open file hold the names of sample_labels? */
static inline int sample_has_names(int nc) {
  int id, dimension[2];
  size_t length = 0;
  char got[64] = "";
  return !nc_inq_varid(nc, "wall_name", &id) && !nc_inq_vardimid(nc, id, dimension) &&
         !nc_inq_dimlen(nc, dimension[1], &length) && length == strlen(sample_labels.name[1]) &&
         !nc_get_var_text(nc, id, got) && !strcmp(got, sample_labels.name[0]) &&
         !memcmp(got + length, sample_labels.name[1], length);
}

/* Has an open file any variable of walls or captures? */
static inline int sample_has_walls(int nc) {
  int n = 0, n_found = 0;
  nc_inq_nvars(nc, &n);
  for (int i = 0; i < n; i++) {
    char name[NC_MAX_NAME + 1] = "";
    nc_inq_varname(nc, i, name);
    n_found += !strncmp(name, "wall", 4) || !strncmp(name, "capt", 4);
  }
  return n_found > 0;
}

static inline int sample_same_contacts(const struct cairn_contacts *a, const struct cairn_contacts *b) {
  return a->n == b->n && (a->n == 0 || a->memory == b->memory) && !memcmp(a->record, b->record, (size_t)a->n * a->size);
}

/* Are all values of all fields with one of these flags the same bits? */
static inline int sample_same(const struct cairn_state *a, const struct cairn_state *b, unsigned flags) {
  if (flags & CAIRN_FIELD_CHECKPOINT && (!sample_same_contacts(&a->contacts, &b->contacts) ||
                                         !sample_same_contacts(&a->wall_contacts, &b->wall_contacts))) {
    diag("contacts differ");
    return 0;
  }
  for (int i = 0; i < cairn_fields_n; i++) {
    const struct cairn_field *field = &cairn_fields[i];
    if (!(field->flags & flags) || !cairn_fields_values(field, a))
      continue;
    int64_t n = cairn_fields_count(a, field->list);
    size_t bytes = (size_t)(n * field->components) * cairn_fields_size(field->type);
    if (n != cairn_fields_count(b, field->list) ||
        memcmp(cairn_fields_values(field, a), cairn_fields_values(field, b), bytes)) {
      diag("field %d (%s) differs", i, field->long_name);
      return 0;
    }
  }
  return 1;
}

static inline void sample_observables(struct cairn_observables *observables, uint64_t seed) {
  for (int i = 0; i < cairn_observables_n_fields; i++) {
    const struct cairn_observable_field *field = &cairn_observables_fields[i];
    for (int k = 0; k < field->components; k++) {
      double value = sample_number(seed * 1000 + (uint64_t)(6 * i + k));
      memcpy((char *)observables + field->offset + (size_t)k * sizeof value, &value, sizeof value);
    }
  }
}

/* The bytes of a file on the heap, with a NUL behind them. */
static inline unsigned char *sample_read(const char *path, size_t *size) {
  struct stat about;
  FILE *file = fopen(path, "rb");
  if (!file || stat(path, &about))
    BAIL_OUT("cannot open %s", path);
  *size = (size_t)about.st_size;
  unsigned char *bytes = calloc(*size + 1, 1);
  if (!bytes || fread(bytes, 1, *size, file) != *size)
    BAIL_OUT("cannot read %s", path);
  fclose(file);
  return bytes;
}

static inline void sample_write(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
    BAIL_OUT("cannot write %s", path);
}

/* Where `needle` first is in the bytes; ends the test if it is not there. */
static inline size_t sample_find(const unsigned char *bytes, size_t size, const void *needle, size_t length) {
  for (size_t at = 0; at + length <= size; at++)
    if (!memcmp(bytes + at, needle, length))
      return at;
  BAIL_OUT("bytes not found");
}

#endif
