#include "data/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* the hash state on the stack: a digest cannot fail */
#include <xxhash.h>

/* One row per array: where the pointer is, how large an entry is. Everything below walks these tables, so an array
 * cannot be resized but not freed, or checkpointed but not digested. */
struct array {
  size_t offset; /* of the pointer in struct cairn_state */
  size_t entry;  /* bytes per body or contact */
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
};

static const struct array contact_arrays[] = {
    {offsetof(struct cairn_state, contact_a), sizeof(int32_t)},
    {offsetof(struct cairn_state, contact_b), sizeof(int32_t)},
    {offsetof(struct cairn_state, contact_spring), 3 * sizeof(double)},
    {offsetof(struct cairn_state, contact_age), sizeof(uint32_t)},
};

static const struct array wall_contact_arrays[] = {
    {offsetof(struct cairn_state, wall_contact_body), sizeof(int32_t)},
    {offsetof(struct cairn_state, wall_contact_wall), sizeof(int32_t)},
    {offsetof(struct cairn_state, wall_contact_spring), 3 * sizeof(double)},
    {offsetof(struct cairn_state, wall_contact_age), sizeof(uint32_t)},
};

enum {
  N_BODY_ARRAYS = sizeof body_arrays / sizeof *body_arrays,
  N_CONTACT_ARRAYS = sizeof contact_arrays / sizeof *contact_arrays,
  N_WALL_CONTACT_ARRAYS = sizeof wall_contact_arrays / sizeof *wall_contact_arrays
};

static void *pointer_of(const struct cairn_state *state, const struct array *array) {
  void *pointer;
  memcpy(&pointer, (const char *)state + array->offset, sizeof pointer);
  return pointer;
}

static void set_pointer(struct cairn_state *state, const struct array *array, void *pointer) {
  memcpy((char *)state + array->offset, &pointer, sizeof pointer);
}

/* Ids are 32-bit; contacts are only counted, and no machine holds this many. */
static const int64_t most_bodies = INT32_MAX, most_contacts = INT64_C(1) << 40;

static int resize(struct cairn_state *state, const struct array *arrays, int n_arrays, int64_t old, int64_t n,
                  const char *what, struct cairn_error *error) {
  int64_t most = arrays == body_arrays ? most_bodies : most_contacts;
  if (n < 0 || n > most)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%lld %s: the limit is %lld", (long long)n, what, (long long)most);
  for (int i = 0; i < n_arrays; i++) {
    size_t entry = arrays[i].entry;
    char *grown = realloc(pointer_of(state, &arrays[i]), n ? (size_t)n * entry : 1);
    if (!grown)
      return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for %lld %s", (long long)n, what);
    if (n > old)
      memset(grown + (size_t)old * entry, 0, (size_t)(n - old) * entry);
    set_pointer(state, &arrays[i], grown);
  }
  return CAIRN_OK;
}

/* After a failure some arrays are longer than the count says: harmless, the count is what everyone reads. Shrinking
 * sets the count first for the same reason. */
int cairn_state_resize(struct cairn_state *state, int64_t n, struct cairn_error *error) {
  int64_t old = state->n;
  if (n >= 0 && n < old)
    state->n = n;
  int status = resize(state, body_arrays, N_BODY_ARRAYS, old, n, "bodies", error);
  if (status == CAIRN_OK)
    state->n = n;
  return status;
}

int cairn_state_resize_contacts(struct cairn_state *state, int64_t n_contacts, int64_t n_wall_contacts,
                                struct cairn_error *error) {
  int64_t old = state->n_contacts;
  if (n_contacts >= 0 && n_contacts < old)
    state->n_contacts = n_contacts;
  int status = resize(state, contact_arrays, N_CONTACT_ARRAYS, old, n_contacts, "contacts", error);
  if (status != CAIRN_OK)
    return status;
  state->n_contacts = n_contacts;
  old = state->n_wall_contacts;
  if (n_wall_contacts >= 0 && n_wall_contacts < old)
    state->n_wall_contacts = n_wall_contacts;
  status = resize(state, wall_contact_arrays, N_WALL_CONTACT_ARRAYS, old, n_wall_contacts, "wall contacts", error);
  if (status == CAIRN_OK)
    state->n_wall_contacts = n_wall_contacts;
  return status;
}

static void free_arrays(struct cairn_state *state, const struct array *arrays, int n_arrays) {
  for (int i = 0; i < n_arrays; i++)
    free(pointer_of(state, &arrays[i]));
}

void cairn_state_fini(struct cairn_state *state) {
  free_arrays(state, body_arrays, N_BODY_ARRAYS);
  free_arrays(state, contact_arrays, N_CONTACT_ARRAYS);
  free_arrays(state, wall_contact_arrays, N_WALL_CONTACT_ARRAYS);
  memset(state, 0, sizeof *state);
}

static void copy_arrays(struct cairn_state *to, const struct cairn_state *from, const struct array *arrays,
                        int n_arrays, int64_t n) {
  for (int i = 0; i < n_arrays && n > 0; i++)
    memcpy(pointer_of(to, &arrays[i]), pointer_of(from, &arrays[i]), (size_t)n * arrays[i].entry);
}

int cairn_state_copy(struct cairn_state *to, const struct cairn_state *from, struct cairn_error *error) {
  int status = cairn_state_resize(to, from->n, error);
  if (status == CAIRN_OK)
    status = cairn_state_resize_contacts(to, from->n_contacts, from->n_wall_contacts, error);
  if (status != CAIRN_OK)
    return status;
  to->step = from->step;
  to->time = from->time;
  copy_arrays(to, from, body_arrays, N_BODY_ARRAYS, from->n);
  copy_arrays(to, from, contact_arrays, N_CONTACT_ARRAYS, from->n_contacts);
  copy_arrays(to, from, wall_contact_arrays, N_WALL_CONTACT_ARRAYS, from->n_wall_contacts);
  return CAIRN_OK;
}

static int check_vector(const double *vector, const char *what, const char *owner, int64_t index,
                        struct cairn_error *error) {
  if (isfinite(vector[0]) && isfinite(vector[1]) && isfinite(vector[2]))
    return CAIRN_OK;
  return cairn_error_set(error, CAIRN_ERR_INPUT, "%s %lld: %s (%g, %g, %g) is not finite", owner, (long long)index,
                         what, vector[0], vector[1], vector[2]);
}

static int check_bodies(const struct cairn_state *state, int32_t n_materials, struct cairn_error *error) {
  const struct {
    const char *what;
    const double *values;
  } vectors[] = {{"position", state->position},
                 {"velocity", state->velocity},
                 {"spin", state->spin},
                 {"acceleration", state->acceleration},
                 {"angular acceleration", state->angular_acceleration}};
  for (int64_t i = 0; i < state->n; i++) {
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
      int status = check_vector(vectors[k].values + 3 * i, vectors[k].what, "body", i, error);
      if (status != CAIRN_OK)
        return status;
    }
    if (!(state->radius[i] > 0) || !isfinite(state->radius[i]))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "body %lld: radius %g must be positive and finite", (long long)i,
                             state->radius[i]);
    if (!(state->mass[i] > 0) || !isfinite(state->mass[i]))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "body %lld: mass %g must be positive and finite", (long long)i,
                             state->mass[i]);
    if (state->material[i] < 0 || state->material[i] >= n_materials)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "body %lld: material %d is not one of the %d materials",
                             (long long)i, state->material[i], n_materials);
  }
  return CAIRN_OK;
}

/* One of the two lists of contacts: `first` and `second` sorted as pairs, without repeats. */
static int check_contacts(const char *what, int64_t n, const int32_t *first, const int32_t *second,
                          const double *spring, const uint32_t *age, int64_t n_first, int64_t n_second,
                          struct cairn_error *error) {
  for (int64_t i = 0; i < n; i++) {
    if (first[i] < 0 || first[i] >= n_first || second[i] < 0 || second[i] >= n_second)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "%s %lld: the pair (%d, %d) is out of range", what, (long long)i,
                             first[i], second[i]);
    if (i > 0 && (first[i] < first[i - 1] || (first[i] == first[i - 1] && second[i] <= second[i - 1])))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "%s %lld: the pair (%d, %d) is out of order", what, (long long)i,
                             first[i], second[i]);
    if (age[i] == 0)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "%s %lld: its age is zero", what, (long long)i);
    int status = check_vector(spring + 3 * i, "spring", what, i, error);
    if (status != CAIRN_OK)
      return status;
  }
  return CAIRN_OK;
}

static int check_counts(const struct cairn_state *state, struct cairn_error *error) {
  if (state->n < 0 || state->n > most_bodies || state->n_contacts < 0 || state->n_contacts > most_contacts ||
      state->n_wall_contacts < 0 || state->n_wall_contacts > most_contacts)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "impossible counts: %lld bodies, %lld contacts, %lld wall contacts",
                           (long long)state->n, (long long)state->n_contacts, (long long)state->n_wall_contacts);
  if (state->step < 0 || !isfinite(state->time))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "impossible step %lld or time %g", (long long)state->step,
                           state->time);
  const struct {
    const struct array *arrays;
    int n_arrays;
    int64_t n;
  } groups[] = {{body_arrays, N_BODY_ARRAYS, state->n},
                {contact_arrays, N_CONTACT_ARRAYS, state->n_contacts},
                {wall_contact_arrays, N_WALL_CONTACT_ARRAYS, state->n_wall_contacts}};
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
    for (int i = 0; i < groups[g].n_arrays; i++)
      if (groups[g].n > 0 && !pointer_of(state, &groups[g].arrays[i]))
        return cairn_error_set(error, CAIRN_ERR_INPUT, "an array of the state is missing");
  return CAIRN_OK;
}

int cairn_state_check(const struct cairn_state *state, int32_t n_materials, int32_t n_walls,
                      struct cairn_error *error) {
  int status = check_counts(state, error);
  if (status == CAIRN_OK)
    status = check_bodies(state, n_materials, error);
  if (status == CAIRN_OK)
    status = check_contacts("contact", state->n_contacts, state->contact_a, state->contact_b, state->contact_spring,
                            state->contact_age, state->n, state->n, error);
  for (int64_t i = 0; status == CAIRN_OK && i < state->n_contacts; i++)
    if (state->contact_a[i] >= state->contact_b[i])
      status = cairn_error_set(error, CAIRN_ERR_INPUT, "contact %lld: the pair (%d, %d) must be in ascending order",
                               (long long)i, state->contact_a[i], state->contact_b[i]);
  if (status == CAIRN_OK)
    status = check_contacts("wall contact", state->n_wall_contacts, state->wall_contact_body, state->wall_contact_wall,
                            state->wall_contact_spring, state->wall_contact_age, state->n, n_walls, error);
  return status;
}

static void digest_arrays(XXH3_state_t *hash, const struct cairn_state *state, const struct array *arrays, int n_arrays,
                          int64_t n) {
  /* The length first: otherwise entries could move from one list to the next unseen. */
  XXH3_128bits_update(hash, &n, sizeof n);
  for (int i = 0; i < n_arrays && n > 0; i++)
    XXH3_128bits_update(hash, pointer_of(state, &arrays[i]), (size_t)n * arrays[i].entry);
}

void cairn_state_digest(const struct cairn_state *state, char digest[CAIRN_DIGEST_LENGTH + 1]) {
  static const char digits[] = "0123456789abcdef";
  XXH3_state_t hash;
  XXH3_INITSTATE(&hash);
  XXH3_128bits_reset(&hash);
  XXH3_128bits_update(&hash, &state->step, sizeof state->step);
  XXH3_128bits_update(&hash, &state->time, sizeof state->time);
  digest_arrays(&hash, state, body_arrays, N_BODY_ARRAYS, state->n);
  digest_arrays(&hash, state, contact_arrays, N_CONTACT_ARRAYS, state->n_contacts);
  digest_arrays(&hash, state, wall_contact_arrays, N_WALL_CONTACT_ARRAYS, state->n_wall_contacts);
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&hash));
  for (int i = 0; i < CAIRN_DIGEST_LENGTH / 2; i++) {
    digest[2 * i] = digits[canonical.digest[i] >> 4];
    digest[2 * i + 1] = digits[canonical.digest[i] & 15];
  }
  digest[CAIRN_DIGEST_LENGTH] = '\0';
}
