#include "data/state/state.h"

#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* the hash state on the stack: a digest cannot fail */
#include <xxhash.h>

/* One row per array: where the pointer is, how large an entry is. Everything below walks these tables, so an array
 * cannot be resized but not freed, or checkpointed but not digested. */
struct array {
  size_t offset; /* of the pointer in struct cairn_state */
  size_t entry;  /* bytes per body, contact or assembly */
};

static const struct array body_arrays[] = {
    {offsetof(struct cairn_state, position), 3 * sizeof(double)},
    {offsetof(struct cairn_state, velocity), 3 * sizeof(double)},
    {offsetof(struct cairn_state, spin), 3 * sizeof(double)},
    {offsetof(struct cairn_state, acceleration), 3 * sizeof(double)},
    {offsetof(struct cairn_state, angular_acceleration), 3 * sizeof(double)},
    {offsetof(struct cairn_state, radius), sizeof(double)},
    {offsetof(struct cairn_state, mass), sizeof(double)},
    {offsetof(struct cairn_state, material), sizeof(int32_t)},
    {offsetof(struct cairn_state, fate), sizeof(int32_t)},
    {offsetof(struct cairn_state, fate_time), sizeof(double)},
    {offsetof(struct cairn_state, fate_place), 3 * sizeof(double)},
    {offsetof(struct cairn_state, gravity), 3 * sizeof(double)},
    {offsetof(struct cairn_state, reference), 3 * sizeof(double)},
};

static const struct array contact_arrays[] = {
    {offsetof(struct cairn_state, contact_a), sizeof(int32_t)},
    {offsetof(struct cairn_state, contact_b), sizeof(int32_t)},
    {offsetof(struct cairn_state, contact_spring), 3 * sizeof(double)},
    {offsetof(struct cairn_state, contact_age), sizeof(uint32_t)},
    {offsetof(struct cairn_state, contact_rest), sizeof(double)},
};

static const struct array wall_contact_arrays[] = {
    {offsetof(struct cairn_state, wall_contact_body), sizeof(int32_t)},
    {offsetof(struct cairn_state, wall_contact_wall), sizeof(int32_t)},
    {offsetof(struct cairn_state, wall_contact_spring), 3 * sizeof(double)},
    {offsetof(struct cairn_state, wall_contact_normal), 3 * sizeof(double)},
    {offsetof(struct cairn_state, wall_contact_age), sizeof(uint32_t)},
    {offsetof(struct cairn_state, wall_contact_rest), sizeof(double)},
};

static const struct array assembly_arrays[] = {
    {offsetof(struct cairn_state, assembly_position), 3 * sizeof(double)},
    {offsetof(struct cairn_state, assembly_orientation), 4 * sizeof(double)},
    {offsetof(struct cairn_state, assembly_velocity), 3 * sizeof(double)},
    {offsetof(struct cairn_state, assembly_spin), 3 * sizeof(double)},
    {offsetof(struct cairn_state, assembly_acceleration), 3 * sizeof(double)},
    {offsetof(struct cairn_state, assembly_angular_acceleration), 3 * sizeof(double)},
};

/* The lists of a state. Ids are 32-bit; contacts are only counted, and no machine holds this many. */
#define ARRAYS(arrays) arrays, (int)(sizeof(arrays) / sizeof *(arrays))
enum { BODIES, CONTACTS, WALL_CONTACTS, ASSEMBLIES, N_LISTS };
static const struct list {
  const char *what;
  const struct array *arrays;
  int n_arrays;
  size_t count; /* offset of the number of elements in struct cairn_state */
  int64_t most;
} lists[N_LISTS] = {
    [BODIES] = {"bodies", ARRAYS(body_arrays), offsetof(struct cairn_state, n), INT32_MAX},
    [CONTACTS] = {"contacts", ARRAYS(contact_arrays), offsetof(struct cairn_state, n_contacts), INT64_C(1) << 40},
    [WALL_CONTACTS] = {"wall contacts", ARRAYS(wall_contact_arrays), offsetof(struct cairn_state, n_wall_contacts),
                       INT64_C(1) << 40},
    [ASSEMBLIES] = {"assemblies", ARRAYS(assembly_arrays), offsetof(struct cairn_state, n_assemblies), INT32_MAX},
};

static int64_t count_of(const struct cairn_state *state, const struct list *list) {
  int64_t count;
  memcpy(&count, (const char *)state + list->count, sizeof count);
  return count;
}

static void set_count(struct cairn_state *state, const struct list *list, int64_t count) {
  memcpy((char *)state + list->count, &count, sizeof count);
}

static void *pointer_of(const struct cairn_state *state, const struct array *array) {
  void *pointer;
  memcpy(&pointer, (const char *)state + array->offset, sizeof pointer);
  return pointer;
}

static void set_pointer(struct cairn_state *state, const struct array *array, void *pointer) {
  memcpy((char *)state + array->offset, &pointer, sizeof pointer);
}

/* After a failure some arrays are longer than the count says: harmless, the count is what everyone reads. Shrinking
 * sets the count first for the same reason. */
static int resize(struct cairn_state *state, int which, int64_t n, struct cairn_error *error) {
  const struct list *list = &lists[which];
  int64_t old = count_of(state, list);
  if (n < 0 || n > list->most)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%lld %s: the limit is %lld", (long long)n, list->what,
                           (long long)list->most);
  if (n < old)
    set_count(state, list, n);
  for (int i = 0; i < list->n_arrays; i++) {
    size_t entry = list->arrays[i].entry;
    char *grown = realloc(pointer_of(state, &list->arrays[i]), n ? (size_t)n * entry : 1);
    if (!grown)
      return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for %lld %s", (long long)n, list->what);
    if (n > old)
      memset(grown + (size_t)old * entry, 0, (size_t)(n - old) * entry);
    set_pointer(state, &list->arrays[i], grown);
  }
  set_count(state, list, n);
  return CAIRN_OK;
}

int cairn_state_resize(struct cairn_state *state, int64_t n, struct cairn_error *error) {
  return resize(state, BODIES, n, error);
}

int cairn_state_resize_contacts(struct cairn_state *state, int64_t n_contacts, int64_t n_wall_contacts,
                                struct cairn_error *error) {
  int status = resize(state, CONTACTS, n_contacts, error);
  return status == CAIRN_OK ? resize(state, WALL_CONTACTS, n_wall_contacts, error) : status;
}

int cairn_state_resize_assemblies(struct cairn_state *state, int64_t n_assemblies, struct cairn_error *error) {
  return resize(state, ASSEMBLIES, n_assemblies, error);
}

void cairn_state_fini(struct cairn_state *state) {
  for (int l = 0; l < N_LISTS; l++)
    for (int i = 0; i < lists[l].n_arrays; i++)
      free(pointer_of(state, &lists[l].arrays[i]));
  memset(state, 0, sizeof *state);
}

int cairn_state_copy(struct cairn_state *to, const struct cairn_state *from, struct cairn_error *error) {
  for (int l = 0; l < N_LISTS; l++) {
    int64_t n = count_of(from, &lists[l]);
    int status = resize(to, l, n, error);
    if (status != CAIRN_OK)
      return status;
    for (int i = 0; i < lists[l].n_arrays && n > 0; i++) {
      const struct array *array = &lists[l].arrays[i];
      memcpy(pointer_of(to, array), pointer_of(from, array), (size_t)n * array->entry);
    }
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
  for (int l = 0; l < N_LISTS; l++) {
    int64_t n = count_of(state, &lists[l]);
    if (n < 0 || n > lists[l].most)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "impossible number of %s: %lld", lists[l].what, (long long)n);
    for (int i = 0; i < lists[l].n_arrays; i++)
      if (n > 0 && !pointer_of(state, &lists[l].arrays[i]))
        return cairn_error_set(error, CAIRN_ERR_INPUT, "an array of the %s is missing", lists[l].what);
  }
  return CAIRN_OK;
}

static void digest_list(XXH3_state_t *hash, const struct cairn_state *state, const struct list *list) {
  /* The length first: otherwise entries could move from one list to the next unseen. */
  int64_t n = count_of(state, list);
  XXH3_128bits_update(hash, &n, sizeof n);
  for (int i = 0; i < list->n_arrays && n > 0; i++)
    XXH3_128bits_update(hash, pointer_of(state, &list->arrays[i]), (size_t)n * list->arrays[i].entry);
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
  for (int l = 0; l < N_LISTS; l++)
    digest_list(&hash, state, &lists[l]);
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&hash));
  for (int i = 0; i < CAIRN_DIGEST_LENGTH / 2; i++) {
    digest[2 * i] = digits[canonical.digest[i] >> 4];
    digest[2 * i + 1] = digits[canonical.digest[i] & 15];
  }
  digest[CAIRN_DIGEST_LENGTH] = '\0';
}
