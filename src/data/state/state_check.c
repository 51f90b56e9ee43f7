#include "data/state/state_check.h"

#include <string.h>

/* One array of vectors of a list, and what bounds them. */
struct vectors {
  const char *what;
  const double *values;
  double most;
};

static int check_vector(const struct vectors *v, const char *owner, int64_t first, int64_t index,
                        struct cairn_error *error) {
  const double *x = v->values + 3 * (index - first);
  if (cairn_state_check_range(x, 3, v->most))
    return CAIRN_OK;
  if (cairn_state_check_range(x, 3, INFINITY) && !isinf(x[0]) && !isinf(x[1]) && !isinf(x[2]))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%s %lld: %s (%g, %g, %g) is too large; allowed: up to %g", owner,
                           (long long)index, v->what, x[0], x[1], x[2], v->most);
  return cairn_error_set(error, CAIRN_ERR_INPUT, "%s %lld: %s (%g, %g, %g) is not finite", owner, (long long)index,
                         v->what, x[0], x[1], x[2]);
}

/* The vectors of one body or assembly; those of `first` come first. */
static int check_vectors(const struct vectors *vectors, size_t n, const char *owner, int64_t first, int64_t index,
                         struct cairn_error *error) {
  int status = CAIRN_OK;
  for (size_t k = 0; k < n && status == CAIRN_OK; k++)
    status = check_vector(vectors + k, owner, first, index, error);
  return status;
}

static int check_captor(const struct cairn_state *state, const struct cairn_state_stretch *stretch, int64_t i,
                        int32_t n_walls, struct cairn_error *error) {
  const int64_t captor = state->captor[i], most = n_walls + (captor < 0 ? stretch->n_all : 0); /* merged into a body */
  if (captor == INT32_MIN || (captor != 0 && (captor > 0 ? captor - 1 : -1 - captor) >= most))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "body %lld: its captor %lld is not one of the %d walls%s",
                           (long long)(stretch->first + i), (long long)captor, n_walls,
                           captor < 0 ? " and no body" : "");
  if (!cairn_state_check_range(state->capture_time + i, 1, CAIRN_STATE_MOST_TIME))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "body %lld: the time of its capture, %g, is not finite or too large",
                           (long long)(stretch->first + i), state->capture_time[i]);
  return CAIRN_OK;
}

static int check_positive(double value, double most, const char *what, int64_t i, struct cairn_error *error) {
  if (value > 0 && isinf(value) == 0 && value <= most && value >= 1 / most)
    return CAIRN_OK;
  if (!(value > 0) || isinf(value))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "body %lld: %s %g must be positive and finite", (long long)i, what,
                           value);
  return cairn_error_set(error, CAIRN_ERR_INPUT, "body %lld: %s %g is out of range; allowed: %g to %g", (long long)i,
                         what, value, 1 / most, most);
}

static int check_body(const struct cairn_state *state, const struct cairn_state_stretch *stretch, int64_t i,
                      int32_t n_materials, int32_t n_walls, struct cairn_error *error) {
  const double *x = state->position + 3 * i;
  const int64_t id = stretch->first + i;
  int status = check_captor(state, stretch, i, n_walls, error);
  if (status == CAIRN_OK)
    status = check_positive(state->radius[i], CAIRN_STATE_MOST_LENGTH, "radius", id, error);
  if (status == CAIRN_OK)
    status = check_positive(state->mass[i], CAIRN_STATE_MOST_MASS, "mass", id, error);
  if (status == CAIRN_OK && (state->material[i] < 0 || state->material[i] >= n_materials))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "body %lld: material %d is not one of the %d materials",
                           (long long)id, state->material[i], n_materials);
  if (status == CAIRN_OK && !cairn_state_check_place(x, state->radius[i]))
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "body %lld at (%g, %g, %g) is too far from the origin for its radius %g; allowed: %g radii",
                           (long long)id, x[0], x[1], x[2], state->radius[i], CAIRN_STATE_MOST_RADII);
  return status;
}

int cairn_state_check_radii(int64_t smallest, double least, int64_t largest, double most, struct cairn_error *error) {
  const double ratio = most / least;
  if (ratio <= CAIRN_STATE_MOST_RATIO)
    return CAIRN_OK;
  return cairn_error_set(error, CAIRN_ERR_INPUT,
                         "the radii of body %lld (%g) and body %lld (%g) differ by a factor of %g; allowed: %g",
                         (long long)smallest, least, (long long)largest, most, ratio, CAIRN_STATE_MOST_RATIO);
}

int cairn_state_check_bodies(const struct cairn_state *state, const struct cairn_state_stretch *stretch,
                             int32_t n_materials, int32_t n_walls, int64_t *body, struct cairn_error *error) {
  const struct vectors vectors[] = {{"position", state->position, CAIRN_STATE_MOST_LENGTH},
                                    {"velocity", state->velocity, CAIRN_STATE_MOST_RATE},
                                    {"spin", state->spin, CAIRN_STATE_MOST_RATE},
                                    {"acceleration", state->acceleration, CAIRN_STATE_MOST_RATE},
                                    {"angular acceleration", state->angular_acceleration, CAIRN_STATE_MOST_RATE},
                                    {"place on its wall", state->capture_place, CAIRN_STATE_MOST_LENGTH},
                                    {"reference", state->reference, CAIRN_STATE_MOST_LENGTH},
                                    {"gravity", state->gravity, CAIRN_STATE_MOST_RATE}};
  const int64_t first = stretch->first;
  int64_t smallest = 0, largest = 0;
  int status = CAIRN_OK;
  for (int64_t i = 0; i < state->n && status == CAIRN_OK; i++) {
    *body = first + i;
    status = check_vectors(vectors, sizeof vectors / sizeof *vectors, "body", first, first + i, error);
    if (status == CAIRN_OK)
      status = check_body(state, stretch, i, n_materials, n_walls, error);
    smallest = state->radius[i] < state->radius[smallest] ? i : smallest;
    largest = state->radius[i] > state->radius[largest] ? i : largest;
  }
  if (status != CAIRN_OK || state->n == 0)
    return status;
  *body = first + smallest;
  return cairn_state_check_radii(first + smallest, state->radius[smallest], first + largest, state->radius[largest],
                                 error);
}

static int check_assemblies(const struct cairn_state *state, int64_t n_assemblies, struct cairn_error *error) {
  const struct vectors vectors[] = {
      {"position", state->assembly_position, CAIRN_STATE_MOST_LENGTH},
      {"velocity", state->assembly_velocity, CAIRN_STATE_MOST_RATE},
      {"spin", state->assembly_spin, CAIRN_STATE_MOST_RATE},
      {"acceleration", state->assembly_acceleration, CAIRN_STATE_MOST_RATE},
      {"angular acceleration", state->assembly_angular_acceleration, CAIRN_STATE_MOST_RATE}};
  const double tolerance = 1e-6; /* rounding is far below; anything above would stretch what it turns */
  if (n_assemblies >= 0 && state->n_assemblies != n_assemblies)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%lld assemblies where there must be %lld",
                           (long long)state->n_assemblies, (long long)n_assemblies);
  for (int64_t i = 0; i < state->n_assemblies; i++) {
    int status = check_vectors(vectors, sizeof vectors / sizeof *vectors, "assembly", 0, i, error);
    if (status != CAIRN_OK)
      return status;
    const double *q = state->assembly_orientation + 4 * i;
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(length - 1.) <= tolerance))
      return cairn_error_set(error, CAIRN_ERR_INPUT, "assembly %lld: orientation (%g, %g, %g, %g) is not of length 1",
                             (long long)i, q[0], q[1], q[2], q[3]);
  }
  return CAIRN_OK;
}

/* One of the two lists of contacts: sorted by pair and feature, a pair has up to `touches` of them. */
struct contacts {
  const char *what;
  const struct cairn_contacts *list;
  int64_t first, n_first, n_second; /* the lower body is from `first` on, n_first of them */
  int touches;
};

/* Bounds of what contacts remember. */
static const double most_remembered[CAIRN_CONTACT_N_MEMORIES] = {
    [CAIRN_CONTACT_spring] = CAIRN_STATE_MOST_SPRING,
    [CAIRN_CONTACT_impulse] = CAIRN_STATE_MOST_SPRING,
    [CAIRN_CONTACT_torque] = CAIRN_STATE_MOST_SPRING,
    [CAIRN_CONTACT_rest] = CAIRN_STATE_MOST_LENGTH,
    [CAIRN_CONTACT_rolling] = CAIRN_STATE_MOST_SPRING,
    [CAIRN_CONTACT_bond_length] = CAIRN_STATE_MOST_LENGTH,
    [CAIRN_CONTACT_bond_stiffness] = CAIRN_STATE_MOST_SPRING,
    [CAIRN_CONTACT_bond_strain] = CAIRN_STATE_MOST_LENGTH,
    [CAIRN_CONTACT_bond_law] = INT32_MAX,
    [CAIRN_CONTACT_normal] = 1. + 1e-6, /* unit vectors, but for rounding */
};

double cairn_state_most_remembered(enum cairn_contact_memory row) { return most_remembered[row]; }

bool cairn_state_check_memory(uint32_t memory, const double *numbers, int *row) {
  for (*row = 0; *row < CAIRN_CONTACT_N_MEMORIES; *row += 1) {
    const int n = cairn_contact_offset(memory, *row + 1) - cairn_contact_offset(memory, *row);
    if (!cairn_state_check_range(numbers + cairn_contact_offset(memory, *row), n, most_remembered[*row]))
      return false;
  }
  return true;
}

static int check_memory(const struct contacts *c, int64_t i, struct cairn_error *error) {
#define NAME(name, numbers, unit, meaning) #name,
  static const char *const names[] = {CAIRN_CONTACT_MEMORIES(NAME)};
#undef NAME
  struct cairn_contact *contact = cairn_contact_at(c->list, i);
  const double *numbers = cairn_contact_numbers(contact);
  int row;
  if (contact->age == 0 || contact->age > INT32_MAX) /* it stops there: kernels/common/blocks.h */
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%s %lld: its age is zero or too large: %lu", c->what, (long long)i,
                           (unsigned long)contact->age);
  if (!cairn_state_check_memory(c->list->memory, numbers, &row))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%s %lld: its %s, %g …, is not finite or too large", c->what,
                           (long long)i, names[row], numbers[cairn_contact_offset(c->list->memory, row)]);
  return CAIRN_OK;
}

/* The place of a pair in the order of the list, without its feature. */
static int64_t key_of(const struct cairn_contact *contact) { return (int64_t)contact->a << 32 | contact->b; }

static int check_contacts(const struct contacts *c, struct cairn_error *error) {
  uint32_t feature = 0;
  int64_t last = -1;
  for (int64_t i = 0; i < c->list->n; i++) {
    const struct cairn_contact *contact = cairn_contact_at(c->list, i);
    const int32_t a = contact->a, b = contact->b;
    if (a < c->first || a - c->first >= c->n_first || b < 0 || b >= c->n_second)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "%s %lld: the pair (%d, %d) is out of range", c->what,
                             (long long)i, a, b);
    if (key_of(contact) < last)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "%s %lld: the pair (%d, %d) is out of order", c->what,
                             (long long)i, a, b);
    feature = key_of(contact) == last ? feature + 1 : 0;
    last = key_of(contact);
    if (feature >= (uint32_t)c->touches)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "%s %lld: the pair (%d, %d) comes more often than allowed, %d",
                             c->what, (long long)i, a, b, c->touches);
    if (contact->feature != feature)
      return cairn_error_set(error, CAIRN_ERR_INPUT, "%s %lld: the feature of the pair (%d, %d) is %lu instead of %lu",
                             c->what, (long long)i, a, b, (unsigned long)contact->feature, (unsigned long)feature);
    int status = check_memory(c, i, error);
    if (status != CAIRN_OK)
      return status;
  }
  return CAIRN_OK;
}

static int check_pairs(const struct cairn_state *state, const struct cairn_state_stretch *stretch,
                       struct cairn_error *error) {
  const struct contacts contacts = {"contact", &state->contacts, stretch->first, state->n, stretch->n_all, 1};
  int status = check_contacts(&contacts, error);
  for (int64_t i = 0; status == CAIRN_OK && i < state->contacts.n; i++) {
    const struct cairn_contact *contact = cairn_contact_at(&state->contacts, i);
    if (contact->a >= contact->b)
      status = cairn_error_set(error, CAIRN_ERR_INPUT, "contact %lld: the pair (%d, %d) must be in ascending order",
                               (long long)i, contact->a, contact->b);
  }
  return status;
}

static int check_touches(const struct cairn_state *state, const struct cairn_state_stretch *stretch, int32_t n_walls,
                         struct cairn_error *error) {
  const struct contacts contacts = {"wall contact", &state->wall_contacts, stretch->first, state->n,
                                    n_walls,        CAIRN_STATE_TOUCHES};
  return check_contacts(&contacts, error);
}

static bool counts(int64_t value, int64_t most) { return value >= 0 && value <= most; }

/* Gravity is kept for 10⁹ steps at most (solvers/simulation/gravity.c). */
static int check_counters(const struct cairn_state *state, struct cairn_error *error) {
  const int64_t most = (int64_t)CAIRN_MOST_STEPS, longest_hold = 1000000000;
  if (!counts(state->step, most) || !(fabs(state->time) <= CAIRN_STATE_MOST_TIME))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "impossible step %lld or time %g", (long long)state->step,
                           state->time);
  if (!counts(state->refresh_step, state->step + longest_hold) || !counts(state->n_refreshes, most))
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "impossible numbers of self-gravity at step %lld: found %lld times, next at step %lld",
                           (long long)state->step, (long long)state->n_refreshes, (long long)state->refresh_step);
  if (!counts(state->n_unsolved, state->step))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "impossible number of unsolved steps, %lld, at step %lld",
                           (long long)state->n_unsolved, (long long)state->step);
  if (!(state->momentum_limit >= 0 && state->momentum_limit <= CAIRN_STATE_MOST_MOMENTUM) ||
      !(state->pair_sweeps >= -1 && state->pair_sweeps <= CAIRN_STATE_MOST_SWEEPS))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "impossible limit of momentum %g or number of sweeps %g",
                           state->momentum_limit, state->pair_sweeps);
  if (!(state->skin >= 0 && state->skin <= CAIRN_STATE_MOST_LENGTH) ||
      !(fabs(state->dissipated_energy) <= CAIRN_STATE_MOST_ENERGY))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "impossible skin %g or dissipated energy %g", state->skin,
                           state->dissipated_energy);
  if (state->n_collisions < 0 || state->n_wall_collisions < 0 || state->n_slow_collisions < 0 ||
      !(fabs(state->collision_virial) <= CAIRN_STATE_MOST_ENERGY))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "impossible numbers of collisions or virial %g",
                           state->collision_virial);
  if (state->n_broken < 0)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "impossible number of broken bonds, %lld",
                           (long long)state->n_broken);
  return CAIRN_OK;
}

int cairn_state_check_step(const struct cairn_state *state, double h, struct cairn_error *error) {
  const double rounding = 1e-12; /* of the product, far above that of a double */
  const double time = (double)state->step * h;
  if (!(h >= 1 / CAIRN_STATE_MOST_TIME / CAIRN_MOST_STEPS && h <= CAIRN_STATE_MOST_TIME))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "impossible size of a step: %g s", h);
  if (!(fabs(state->time - time) <= rounding * fabs(time)))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "the time is %.9g s, but %lld steps of %g s make %.9g s",
                           state->time, (long long)state->step, h, time);
  return CAIRN_OK;
}

int cairn_state_check_stretch(const struct cairn_state *state, const struct cairn_state_stretch *stretch,
                              int32_t n_materials, int32_t n_walls, int64_t n_assemblies, struct cairn_error *error) {
  int64_t body;
  int status = cairn_state_check_arrays(state, error);
  if (status == CAIRN_OK)
    status = check_counters(state, error);
  if (status == CAIRN_OK)
    status = cairn_state_check_bodies(state, stretch, n_materials, n_walls, &body, error);
  if (status == CAIRN_OK)
    status = check_pairs(state, stretch, error);
  if (status == CAIRN_OK)
    status = check_touches(state, stretch, n_walls, error);
  return status == CAIRN_OK ? check_assemblies(state, n_assemblies, error) : status;
}

int cairn_state_check(const struct cairn_state *state, int32_t n_materials, int32_t n_walls, int64_t n_assemblies,
                      struct cairn_error *error) {
  const struct cairn_state_stretch all = {0, state->n};
  return cairn_state_check_stretch(state, &all, n_materials, n_walls, n_assemblies, error);
}
