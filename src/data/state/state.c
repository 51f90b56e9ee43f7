#include "data/state/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "data/state/fields.h"

/* The lists of a state. Their arrays are those of the field table (data/state/fields.h), so that an array cannot be
 * resized but not freed, or checkpointed but not digested. Ids are 32-bit; contacts are only counted, and no machine
 * has this many. */
static const struct list {
  const char *what;
  size_t count; /* offset of the number of elements in struct cairn_state */
  int64_t most;
} lists[CAIRN_N_FIELD_LISTS] = {
    [CAIRN_FIELD_BODIES] = {"bodies", offsetof(struct cairn_state, n), INT32_MAX},
    [CAIRN_FIELD_CONTACTS] = {"contacts", offsetof(struct cairn_state, contacts.n), INT64_C(1) << 40},
    [CAIRN_FIELD_WALL_CONTACTS] = {"wall contacts", offsetof(struct cairn_state, wall_contacts.n), INT64_C(1) << 40},
    [CAIRN_FIELD_ASSEMBLIES] = {"assemblies", offsetof(struct cairn_state, n_assemblies), INT32_MAX},
};

static void set_count(struct cairn_state *state, enum cairn_field_list list, int64_t count) {
  memcpy((char *)state + lists[list].count, &count, sizeof count);
}

/* Has the field an array of its own in a state? */
static bool is_array(const struct cairn_field *field) {
  return !(field->flags & (CAIRN_FIELD_INDEX | CAIRN_FIELD_STRESS | CAIRN_FIELD_HEAD | CAIRN_FIELD_MEMORY));
}

/* The next array of the list after `field` (NULL: the first), in the order of the table; NULL after the last. */
static const struct cairn_field *next_array(enum cairn_field_list list, const struct cairn_field *field) {
  for (field = field ? field + 1 : cairn_fields; field < cairn_fields + cairn_fields_n; field++)
    if (field->list == list && is_array(field))
      return field;
  return NULL;
}

/* Bytes per element of its list. */
static size_t entry_size(const struct cairn_field *field) {
  return (size_t)field->components * cairn_fields_size(field->type);
}

static void set_values(struct cairn_state *state, const struct cairn_field *field, void *values) {
  memcpy((char *)state + field->offset, &values, sizeof values);
}

static int check_count(enum cairn_field_list list, int64_t n, struct cairn_error *error) {
  return n >= 0 && n <= lists[list].most ? CAIRN_OK
                                         : cairn_error_set(error, CAIRN_ERR_INPUT, "%lld %s: the limit is %lld",
                                                           (long long)n, lists[list].what, (long long)lists[list].most);
}

/* `values` with room for n entries instead of `old`, new ones zero; NULL if out of memory. */
static void *grow(void *values, int64_t old, int64_t n, size_t entry) {
  char *grown = realloc(values, n ? (size_t)n * entry : 1);
  if (grown && n > old)
    memset(grown + (size_t)old * entry, 0, (size_t)(n - old) * entry);
  return grown;
}

static int out_of_memory(enum cairn_field_list list, int64_t n, struct cairn_error *error) {
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for %lld %s", (long long)n, lists[list].what);
}

/* After a failure some arrays are longer than the count says: harmless, the count is what everyone reads. Shrinking
 * sets the count first for the same reason. */
static int resize(struct cairn_state *state, enum cairn_field_list list, int64_t n, struct cairn_error *error) {
  const int64_t old = cairn_fields_count(state, list);
  if (check_count(list, n, error))
    return CAIRN_ERR_INPUT;
  if (n < old)
    set_count(state, list, n);
  for (const struct cairn_field *f = next_array(list, NULL); f; f = next_array(list, f)) {
    void *grown = grow(cairn_fields_values(f, state), old, n, entry_size(f));
    if (!grown)
      return out_of_memory(list, n, error);
    set_values(state, f, grown);
  }
  set_count(state, list, n);
  return CAIRN_OK;
}

static int resize_contacts(struct cairn_contacts *contacts, enum cairn_field_list list, int64_t n,
                           struct cairn_error *error) {
  if (check_count(list, n, error))
    return CAIRN_ERR_INPUT;
  contacts->size = contacts->size ? contacts->size : (uint32_t)sizeof(struct cairn_contact);
  char *grown = grow(contacts->record, contacts->n, n, contacts->size);
  if (!grown)
    return out_of_memory(list, n, error);
  contacts->record = grown;
  contacts->n = n;
  return CAIRN_OK;
}

int cairn_state_resize(struct cairn_state *state, int64_t n, struct cairn_error *error) {
  return resize(state, CAIRN_FIELD_BODIES, n, error);
}

static int remember(struct cairn_contacts *contacts, uint32_t memory, struct cairn_error *error) {
  if (contacts->n > 0 && contacts->memory != memory)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "the contacts of this state remember other numbers than the laws of the run ask for");
  contacts->memory = memory;
  contacts->size = (uint32_t)(sizeof(struct cairn_contact) +
                              (size_t)cairn_contact_offset(memory, CAIRN_CONTACT_N_MEMORIES) * sizeof(double));
  return CAIRN_OK;
}

int cairn_state_remember(struct cairn_state *state, uint32_t memory, struct cairn_error *error) {
  int status = remember(&state->contacts, memory, error);
  return status ? status : remember(&state->wall_contacts, memory | CAIRN_CONTACT_REMEMBERS(normal), error);
}

int cairn_state_resize_contacts(struct cairn_state *state, int64_t n_contacts, int64_t n_wall_contacts,
                                struct cairn_error *error) {
  int status = resize_contacts(&state->contacts, CAIRN_FIELD_CONTACTS, n_contacts, error);
  return status ? status : resize_contacts(&state->wall_contacts, CAIRN_FIELD_WALL_CONTACTS, n_wall_contacts, error);
}

int cairn_state_resize_assemblies(struct cairn_state *state, int64_t n_assemblies, struct cairn_error *error) {
  return resize(state, CAIRN_FIELD_ASSEMBLIES, n_assemblies, error);
}

void cairn_state_fini(struct cairn_state *state) {
  for (int l = 0; l < CAIRN_N_FIELD_LISTS; l++)
    for (const struct cairn_field *f = next_array((enum cairn_field_list)l, NULL); f;
         f = next_array((enum cairn_field_list)l, f))
      free(cairn_fields_values(f, state));
  free(state->contacts.record);
  free(state->wall_contacts.record);
  memset(state, 0, sizeof *state);
}

static int copy_contacts(struct cairn_contacts *to, const struct cairn_contacts *from, enum cairn_field_list list,
                         struct cairn_error *error) {
  to->n = 0;
  to->memory = from->memory;
  to->size = from->size;
  const int status = resize_contacts(to, list, from->n, error);
  if (!status && from->n > 0)
    memcpy(to->record, from->record, (size_t)from->n * from->size);
  return status;
}

void cairn_state_copy_progress(struct cairn_state *to, const struct cairn_state *from) {
  to->step = from->step;
  to->time = from->time;
  to->momentum_limit = from->momentum_limit;
  to->pair_sweeps = from->pair_sweeps;
  to->n_unsolved = from->n_unsolved;
  to->dissipated_energy = from->dissipated_energy;
  to->n_collisions = from->n_collisions;
  to->n_wall_collisions = from->n_wall_collisions;
  to->n_slow_collisions = from->n_slow_collisions;
  to->collision_virial = from->collision_virial;
  to->n_broken = from->n_broken;
}

int cairn_state_copy(struct cairn_state *to, const struct cairn_state *from, struct cairn_error *error) {
  static const enum cairn_field_list arrays[] = {CAIRN_FIELD_BODIES, CAIRN_FIELD_ASSEMBLIES};
  for (int k = 0; k < 2; k++) {
    const int64_t n = cairn_fields_count(from, arrays[k]);
    int status = resize(to, arrays[k], n, error);
    if (status != CAIRN_OK)
      return status;
    for (const struct cairn_field *f = next_array(arrays[k], NULL); f && n > 0; f = next_array(arrays[k], f))
      memcpy(cairn_fields_values(f, to), cairn_fields_values(f, from), (size_t)n * entry_size(f));
  }
  int status = copy_contacts(&to->contacts, &from->contacts, CAIRN_FIELD_CONTACTS, error);
  if (!status)
    status = copy_contacts(&to->wall_contacts, &from->wall_contacts, CAIRN_FIELD_WALL_CONTACTS, error);
  if (status)
    return status;
  to->skin = from->skin;
  to->refresh_step = from->refresh_step;
  to->n_refreshes = from->n_refreshes;
  cairn_state_copy_progress(to, from);
  return CAIRN_OK;
}

/* Records of a size that does not hold what they remember. */
static bool is_torn(const struct cairn_contacts *contacts) {
  const size_t numbers = (size_t)cairn_contact_offset(contacts->memory, CAIRN_CONTACT_N_MEMORIES);
  return contacts->n > 0 && (!contacts->record || contacts->memory >> CAIRN_CONTACT_N_MEMORIES ||
                             contacts->size != sizeof(struct cairn_contact) + numbers * sizeof(double));
}

int cairn_state_check_arrays(const struct cairn_state *state, struct cairn_error *error) {
  for (int l = 0; l < CAIRN_N_FIELD_LISTS; l++) {
    const int64_t n = cairn_fields_count(state, (enum cairn_field_list)l);
    if (n < 0 || n > lists[l].most)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "impossible number of %s: %lld", lists[l].what, (long long)n);
    bool missing = (l == CAIRN_FIELD_CONTACTS && is_torn(&state->contacts)) ||
                   (l == CAIRN_FIELD_WALL_CONTACTS && is_torn(&state->wall_contacts));
    for (const struct cairn_field *f = next_array((enum cairn_field_list)l, NULL); f;
         f = next_array((enum cairn_field_list)l, f))
      missing |= n > 0 && !cairn_fields_values(f, state);
    if (missing)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "an array of the %s is missing", lists[l].what);
  }
  return CAIRN_OK;
}

/* The digest is a sum of hashes, of each body, contact and assembly with its id: any partition of a state can add up
 * its part, in any order. */
static void add(struct cairn_state_sum *sum, const void *bytes, size_t size, enum cairn_field_list list) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, size, (XXH64_hash_t)list);
  cairn_state_sum_join(sum, &(struct cairn_state_sum){hash.low64, hash.high64});
}

/* The entries of a list of arrays, each with its id or, if `id` is NULL, its place from `first` on. */
static void add_arrays(struct cairn_state_sum *sum, const struct cairn_state *state, const int32_t *id, int64_t first,
                       enum cairn_field_list list) {
  enum { MOST_FIELDS = 24, MOST_BYTES = MOST_FIELDS * 6 * sizeof(double) };
  const char *values[MOST_FIELDS];
  size_t size[MOST_FIELDS], n_fields = 0;
  char bytes[sizeof(int64_t) + MOST_BYTES];
  for (const struct cairn_field *f = next_array(list, NULL); f; f = next_array(list, f), n_fields++) {
    values[n_fields] = cairn_fields_values(f, state);
    size[n_fields] = entry_size(f);
  }
  for (int64_t i = 0; i < cairn_fields_count(state, list); i++) {
    const int64_t which = id ? id[i] : first + i;
    size_t at = sizeof which;
    memcpy(bytes, &which, sizeof which);
    for (size_t k = 0; k < n_fields; at += size[k++])
      memcpy(bytes + at, values[k] + (size_t)i * size[k], size[k]);
    add(sum, bytes, at, list);
  }
}

void cairn_state_sum_join(struct cairn_state_sum *sum, const struct cairn_state_sum *more) {
  sum->low += more->low;
  sum->high += more->high + (sum->low < more->low);
}

void cairn_state_sum_bodies(struct cairn_state_sum *sum, const struct cairn_state *state, const int32_t *id) {
  add_arrays(sum, state, id, 0, CAIRN_FIELD_BODIES);
}

void cairn_state_sum_stretch(struct cairn_state_sum *sum, const struct cairn_state *state, int64_t first) {
  add_arrays(sum, state, NULL, first, CAIRN_FIELD_BODIES);
}

void cairn_state_sum_contact(struct cairn_state_sum *sum, const struct cairn_contact *contact, size_t bytes,
                             bool at_wall) {
  add(sum, contact, bytes, at_wall ? CAIRN_FIELD_WALL_CONTACTS : CAIRN_FIELD_CONTACTS);
}

void cairn_state_sum_head(struct cairn_state_sum *sum, const struct cairn_state *state) {
  const struct {
    int64_t step, refresh_step;
    double time, skin;
  } when = {state->step, state->refresh_step, state->time, state->skin};
  const double momentum[2] = {state->momentum_limit, state->pair_sweeps};
  add(sum, &when, sizeof when, CAIRN_N_FIELD_LISTS);
  if (state->momentum_limit > 0.)
    add(sum, momentum, sizeof momentum, CAIRN_N_FIELD_LISTS);
  add_arrays(sum, state, NULL, 0, CAIRN_FIELD_ASSEMBLIES);
}

void cairn_state_sum_digest(const struct cairn_state_sum *sum, char digest[CAIRN_DIGEST_LENGTH + 1]) {
  snprintf(digest, CAIRN_DIGEST_LENGTH + 1, "%016" PRIx64 "%016" PRIx64, sum->high, sum->low);
}

void cairn_state_digest(const struct cairn_state *state, char digest[CAIRN_DIGEST_LENGTH + 1]) {
  const struct cairn_contacts *contacts[2] = {&state->contacts, &state->wall_contacts};
  struct cairn_state_sum sum = {0, 0};
  cairn_state_sum_head(&sum, state);
  cairn_state_sum_stretch(&sum, state, 0);
  for (int l = 0; l < 2; l++)
    for (int64_t i = 0; i < contacts[l]->n; i++)
      cairn_state_sum_contact(&sum, cairn_contact_at(contacts[l], i), contacts[l]->size, l == 1);
  cairn_state_sum_digest(&sum, digest);
}
