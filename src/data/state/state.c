#include "data/state/state.h"

#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* the hash state on the stack: a digest cannot fail */
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
    [CAIRN_FIELD_CONTACTS] = {"contacts", offsetof(struct cairn_state, n_contacts), INT64_C(1) << 40},
    [CAIRN_FIELD_WALL_CONTACTS] = {"wall contacts", offsetof(struct cairn_state, n_wall_contacts), INT64_C(1) << 40},
    [CAIRN_FIELD_ASSEMBLIES] = {"assemblies", offsetof(struct cairn_state, n_assemblies), INT32_MAX},
};

static void set_count(struct cairn_state *state, int list, int64_t count) {
  memcpy((char *)state + lists[list].count, &count, sizeof count);
}

/* The next array of the list after `field` (NULL: the first), in the order of the table; NULL after the last. */
static const struct cairn_field *next_array(int list, const struct cairn_field *field) {
  for (field = field ? field + 1 : cairn_fields; field < cairn_fields + cairn_fields_n; field++)
    if ((int)field->list == list && !(field->flags & (CAIRN_FIELD_INDEX | CAIRN_FIELD_STRESS)))
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

/* After a failure some arrays are longer than the count says: harmless, the count is what everyone reads. Shrinking
 * sets the count first for the same reason. */
static int resize(struct cairn_state *state, enum cairn_field_list list, int64_t n, struct cairn_error *error) {
  const int64_t old = cairn_fields_count(state, list);
  if (n < 0 || n > lists[list].most)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%lld %s: the limit is %lld", (long long)n, lists[list].what,
                           (long long)lists[list].most);
  if (n < old)
    set_count(state, list, n);
  for (const struct cairn_field *f = next_array(list, NULL); f; f = next_array(list, f)) {
    const size_t entry = entry_size(f);
    char *grown = realloc(cairn_fields_values(f, state), n ? (size_t)n * entry : 1);
    if (!grown)
      return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for %lld %s", (long long)n, lists[list].what);
    if (n > old)
      memset(grown + (size_t)old * entry, 0, (size_t)(n - old) * entry);
    set_values(state, f, grown);
  }
  set_count(state, list, n);
  return CAIRN_OK;
}

int cairn_state_resize(struct cairn_state *state, int64_t n, struct cairn_error *error) {
  return resize(state, CAIRN_FIELD_BODIES, n, error);
}

int cairn_state_resize_contacts(struct cairn_state *state, int64_t n_contacts, int64_t n_wall_contacts,
                                struct cairn_error *error) {
  int status = resize(state, CAIRN_FIELD_CONTACTS, n_contacts, error);
  return status == CAIRN_OK ? resize(state, CAIRN_FIELD_WALL_CONTACTS, n_wall_contacts, error) : status;
}

int cairn_state_resize_assemblies(struct cairn_state *state, int64_t n_assemblies, struct cairn_error *error) {
  return resize(state, CAIRN_FIELD_ASSEMBLIES, n_assemblies, error);
}

void cairn_state_fini(struct cairn_state *state) {
  for (int l = 0; l < CAIRN_N_FIELD_LISTS; l++)
    for (const struct cairn_field *f = next_array(l, NULL); f; f = next_array(l, f))
      free(cairn_fields_values(f, state));
  memset(state, 0, sizeof *state);
}

int cairn_state_copy(struct cairn_state *to, const struct cairn_state *from, struct cairn_error *error) {
  for (int l = 0; l < CAIRN_N_FIELD_LISTS; l++) {
    const int64_t n = cairn_fields_count(from, (enum cairn_field_list)l);
    int status = resize(to, (enum cairn_field_list)l, n, error);
    if (status != CAIRN_OK)
      return status;
    for (const struct cairn_field *f = next_array(l, NULL); f && n > 0; f = next_array(l, f))
      memcpy(cairn_fields_values(f, to), cairn_fields_values(f, from), (size_t)n * entry_size(f));
  }
  to->step = from->step;
  to->time = from->time;
  to->skin = from->skin;
  to->refresh_step = from->refresh_step;
  to->n_refreshes = from->n_refreshes;
  to->n_unsolved = from->n_unsolved;
  to->dissipated_energy = from->dissipated_energy;
  return CAIRN_OK;
}

int cairn_state_check_arrays(const struct cairn_state *state, struct cairn_error *error) {
  for (int l = 0; l < CAIRN_N_FIELD_LISTS; l++) {
    const int64_t n = cairn_fields_count(state, (enum cairn_field_list)l);
    if (n < 0 || n > lists[l].most)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "impossible number of %s: %lld", lists[l].what, (long long)n);
    for (const struct cairn_field *f = next_array(l, NULL); f; f = next_array(l, f))
      if (n > 0 && !cairn_fields_values(f, state))
        return cairn_error_set(error, CAIRN_ERR_INPUT, "an array of the %s is missing", lists[l].what);
  }
  return CAIRN_OK;
}

static void digest_list(XXH3_state_t *hash, const struct cairn_state *state, enum cairn_field_list list) {
  /* The length first: otherwise entries could move from one list to the next unseen. */
  const int64_t n = cairn_fields_count(state, list);
  XXH3_128bits_update(hash, &n, sizeof n);
  for (const struct cairn_field *f = next_array(list, NULL); f && n > 0; f = next_array(list, f))
    XXH3_128bits_update(hash, cairn_fields_values(f, state), (size_t)n * entry_size(f));
}

void cairn_state_digest(const struct cairn_state *state, char digest[CAIRN_DIGEST_LENGTH + 1]) {
  static const char digits[] = "0123456789abcdef";
  XXH3_state_t hash;
  XXH3_INITSTATE(&hash);
  XXH3_128bits_reset(&hash);
  XXH3_128bits_update(&hash, &state->step, sizeof state->step);
  XXH3_128bits_update(&hash, &state->time, sizeof state->time);
  XXH3_128bits_update(&hash, &state->skin, sizeof state->skin);
  XXH3_128bits_update(&hash, &state->refresh_step, sizeof state->refresh_step);
  for (int l = 0; l < CAIRN_N_FIELD_LISTS; l++)
    digest_list(&hash, state, (enum cairn_field_list)l);
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&hash));
  for (int i = 0; i < CAIRN_DIGEST_LENGTH / 2; i++) {
    digest[2 * i] = digits[canonical.digest[i] >> 4];
    digest[2 * i + 1] = digits[canonical.digest[i] & 15];
  }
  digest[CAIRN_DIGEST_LENGTH] = '\0';
}
