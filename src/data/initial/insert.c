#include "data/initial/insert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/initial/bodies_parts.h"
#include "data/initial/overlap.h"
#include "data/initial/sizes.h"
#include "data/schema/schema.h"

/* Streams of random numbers: entries are counted on from those of `bodies`, of which there are fewer. */
enum { FIRST_ENTRY = 1 << 20, RANDOM_SIZES = 0, RANDOM_BATCHES = 1 };

/* Places tried for one body before it waits for the next batch. */
enum { MOST_TRIES = 200 };

static int32_t waiting(const struct cairn_scenario *s, int64_t i) { return (int32_t)(-1 - s->n_walls - i); }

bool cairn_insert_waits(const struct cairn_scenario *s, int32_t captor, int64_t id) {
  return s->n_insertions > 0 && captor == waiting(s, id);
}

void cairn_insert_fini(struct cairn_scenario *s) {
  for (int32_t k = 0; k < s->n_insertions; k++)
    cairn_region_fini(&s->insertions[k].region);
  free(s->insertions);
  s->insertions = NULL;
  s->n_insertions = 0;
}

/* ---- reading ---- */

static int read_insertion(struct cairn_scenario *s, const struct cairn_node *node, struct cairn_insertion *insertion,
                          struct cairn_error *error) {
  insertion->count = cairn_schema_integer(node, "count");
  insertion->batch = cairn_schema_integer(node, "batch");
  insertion->from = cairn_schema_number(node, "from");
  insertion->every = cairn_schema_number(node, "every");
  insertion->speed = cairn_schema_number(node, "speed");
  cairn_schema_numbers(node, "velocity", 3, insertion->velocity);
  cairn_schema_numbers(node, "spin", 3, insertion->spin);
  const int status = cairn_stages_find(s, node, "with", &insertion->stage, error);
  return status == CAIRN_OK ? cairn_region_read(cairn_yaml_child(node, "in"), s->file, false, &insertion->region, error)
                            : status;
}

static int check_room(const struct cairn_scenario *s, const struct cairn_node *node,
                      const struct cairn_insertion *insertion, double largest, struct cairn_error *error) {
  struct cairn_random random;
  double x[3];
  cairn_random_init(&random, s->seed, FIRST_ENTRY, RANDOM_SIZES);
  if (cairn_region_sample(&insertion->region, largest, &random, x))
    return CAIRN_OK;
  return cairn_yaml_error(error, s->file, cairn_yaml_child(node, "in"),
                          "a body with a radius of %g m does not fit in; allowed: a region that holds every body",
                          largest);
}

int64_t cairn_insert_count(const struct cairn_scenario *s) {
  const struct cairn_node *list = cairn_yaml_child(s->tree, "insert");
  int64_t n = 0;
  for (size_t i = 0; i < list->n; i++)
    n += cairn_schema_integer(list->child[i], "count");
  return n;
}

/* Room for the bodies of an entry, ids from `id` on, that are of the stretch of this rank. */
static int add_room(struct cairn_scenario *s, const struct cairn_node *node, int64_t id, int64_t count,
                    struct cairn_error *error) {
  struct cairn_scenario_share *share = &s->share;
  const int64_t from = id > share->first ? id : share->first, end = id + count < share->end ? id + count : share->end;
  const int64_t n = !share->is_shared ? count : end > from ? end - from : 0;
  if (share->is_shared && id + count > INT32_MAX)
    return cairn_bodies_check_room(s, node, id + count, error);
  const int status = cairn_bodies_add_room(s, node, n, error);
  share->n_elsewhere -= share->is_shared && status == CAIRN_OK ? n : 0;
  return status;
}

/* The bodies of an entry, ids from `id` on. */
static int append(struct cairn_scenario *s, const struct cairn_node *node, int32_t entry, int64_t id,
                  const struct cairn_sizes *sizes, int32_t material, struct cairn_error *error) {
  const struct cairn_insertion *insertion = s->insertions + entry;
  struct cairn_state *state = &s->initial;
  struct cairn_random random;
  const int64_t first = state->n;
  double largest = 0, mass;
  int status = add_room(s, node, id, insertion->count, error);
  cairn_random_init(&random, s->seed, (uint64_t)(FIRST_ENTRY + entry), RANDOM_SIZES);
  for (int64_t k = 0; status == CAIRN_OK && k < insertion->count; k++) {
    const double radius = cairn_sizes_draw(sizes, &random);
    const int64_t i = id + k - s->share.first;
    largest = fmax(largest, radius);
    status = cairn_bodies_find_mass(s, node, radius, material, &mass, error);
    if (i < first || i >= state->n)
      continue; /* of another rank */
    cairn_region_middle(&insertion->region, state->position + 3 * i);
    state->radius[i] = radius;
    state->mass[i] = mass;
    state->material[i] = material;
    state->captor[i] = waiting(s, id + k);
  }
  return status == CAIRN_OK ? check_room(s, node, insertion, largest, error) : status;
}

int cairn_insert_read(struct cairn_scenario *s, bool dry, struct cairn_error *error) {
  const struct cairn_node *list = cairn_yaml_child(s->tree, "insert");
  s->insertions = calloc(list->n + 1, sizeof *s->insertions);
  if (!s->insertions)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", s->file);
  const size_t n_entries = cairn_yaml_child(s->tree, "bodies")->n;
  int64_t id = s->share.is_shared ? s->share.entry[n_entries] : s->initial.n;
  int status = CAIRN_OK;
  for (size_t i = 0; status == CAIRN_OK && i < list->n; i++) {
    const struct cairn_node *node = list->child[i];
    struct cairn_sizes sizes;
    int32_t material = 0;
    s->n_insertions++;
    status = read_insertion(s, node, s->insertions + i, error);
    if (status == CAIRN_OK)
      status = cairn_sizes_read(cairn_yaml_child(node, "radius"), s->file, &sizes, error);
    if (status == CAIRN_OK)
      status = cairn_bodies_find_material(s, cairn_yaml_child(node, "material"), &material, error);
    if (status == CAIRN_OK && !dry)
      status = append(s, node, (int32_t)i, id, &sizes, material, error);
    id += s->insertions[i].count;
  }
  return status;
}

/* ---- when ---- */

/* The step of the first batch; -1 if it is not known yet. Batches come every `period` steps from there. */
static int64_t first_step(const struct cairn_scenario *s, const struct cairn_insertion *insertion, double h,
                          int64_t *period) {
  const int64_t begin = insertion->stage < 0 ? 0 : cairn_stages_begin(s, insertion->stage);
  const double steps = rint(insertion->from / h), each = rint(insertion->every / h);
  *period = each < 1 ? 1 : each > 1e15 ? (int64_t)1e15 : (int64_t)each;
  return begin < 0 || steps > 1e15 ? -1 : begin + (int64_t)steps;
}

int64_t cairn_insert_next(const struct cairn_scenario *s, int64_t step, double h) {
  int64_t next = INT64_MAX;
  for (int32_t k = 0; k < s->n_insertions; k++) {
    int64_t period, first = first_step(s, s->insertions + k, h, &period);
    if (first < 0)
      continue;
    if (first < step)
      first += (step - first + period - 1) / period * period;
    next = first < next ? first : next;
  }
  return next;
}

/* ---- where ---- */

/* A point in the coordinates of an assembly: relative to its position, turned back. */
static void into_assembly(const struct cairn_state *state, int32_t a, const double x[3], double y[3]) {
  const double *q = state->assembly_orientation + 4 * a, *p = state->assembly_position + 3 * a;
  double d[3], u[3], v[3];
  for (int k = 0; k < 3; k++)
    d[k] = x[k] - p[k];
  for (int k = 0; k < 3; k++)
    u[k] = 2 * (d[(k + 1) % 3] * q[(k + 2) % 3] - d[(k + 2) % 3] * q[(k + 1) % 3]);
  for (int k = 0; k < 3; k++)
    v[k] = u[(k + 1) % 3] * q[(k + 2) % 3] - u[(k + 2) % 3] * q[(k + 1) % 3];
  for (int k = 0; k < 3; k++)
    y[k] = d[k] + q[3] * u[k] + v[k];
}

static bool touches_wall(const struct cairn_scenario *s, const struct cairn_state *state, const double x[3], double r) {
  static const double origin[3] = {0, 0, 0};
  for (int32_t w = 0; w < s->n_walls; w++) {
    const struct cairn_assembly_rules *rules = &s->assemblies[s->walls[w].assembly].rules;
    double y[3];
    if (rules->appears > state->time || rules->vanishes <= state->time)
      continue;
    into_assembly(state, s->walls[w].assembly, x, y);
    if (!(cairn_walls_distance(&s->walls[w], origin, y, r) >= r))
      return true;
  }
  return false;
}

/* The number of the batch of an entry that is due at this step; -1: none is. */
static int64_t batch_of(const struct cairn_scenario *s, int32_t entry, int64_t step, double h) {
  int64_t period;
  const int64_t begin = first_step(s, s->insertions + entry, h, &period);
  return begin >= 0 && step >= begin && (step - begin) % period == 0 ? (step - begin) / period : -1;
}

/* May a sphere inside of the region touch this one? */
static bool is_near(const double lower[3], const double upper[3], const double x[3], double r) {
  bool near = true;
  for (int k = 0; k < 3; k++) {
    const double reach = r + 1e-9 * (r + fabs(x[k]) + fabs(lower[k]) + fabs(upper[k])); /* rounding must not lose one */
    near &= x[k] + reach >= lower[k] && x[k] - reach <= upper[k];
  }
  return near;
}

static int append_body(struct cairn_insert_list *list, struct cairn_insert_body body, struct cairn_error *error) {
  if (list->n == list->capacity) {
    const int64_t capacity = 2 * list->capacity + 64;
    void *longer = realloc(list->body, (size_t)capacity * sizeof *list->body);
    if (!longer)
      return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for bodies to be inserted");
    list->body = longer;
    list->capacity = capacity;
  }
  list->body[list->n++] = body;
  return CAIRN_OK;
}

/* What the batch of an entry depends on, of a stretch of the bodies: `first` is the id of the entry's first one. */
static int list_entry(const struct cairn_scenario *s, int32_t entry, int64_t first, const struct cairn_state *state,
                      int64_t offset, struct cairn_insert_list *list, struct cairn_error *error) {
  const struct cairn_insertion *insertion = s->insertions + entry;
  double lower[3], upper[3];
  int64_t n_waiting = 0;
  int status = CAIRN_OK;
  cairn_region_bounds(&insertion->region, lower, upper);
  for (int64_t i = 0; i < state->n && status == CAIRN_OK; i++) {
    const double *x = state->position + 3 * i, r = state->radius[i];
    const int64_t id = offset + i;
    const bool waits = id >= first && id < first + insertion->count && cairn_insert_waits(s, state->captor[i], id);
    if (waits ? n_waiting++ < insertion->batch : state->captor[i] >= 0 && is_near(lower, upper, x, r))
      status =
          append_body(list,
                      (struct cairn_insert_body){
                          .position = {x[0], x[1], x[2]}, .radius = r, .id = (int32_t)id, .entry = waits ? entry : -1},
                      error);
  }
  return status;
}

int cairn_insert_look(const struct cairn_scenario *s, const struct cairn_state *state,
                      const struct cairn_state_stretch *stretch, double h, struct cairn_insert_list *list,
                      struct cairn_error *error) {
  int64_t first = stretch->n_all;
  int status = CAIRN_OK;
  *list = (struct cairn_insert_list){0};
  for (int32_t k = 0; k < s->n_insertions; k++)
    first -= s->insertions[k].count;
  for (int32_t k = 0; k < s->n_insertions && status == CAIRN_OK; first += s->insertions[k++].count)
    if (batch_of(s, k, state->step, h) >= 0)
      status = list_entry(s, k, first, state, stretch->first, list, error);
  return status;
}

/* Find a place for a body of an entry; false if there is none. */
static bool place_body(const struct cairn_scenario *s, const struct cairn_state *head, struct cairn_random *random,
                       struct cairn_overlap *placed, struct cairn_insert_body *body) {
  const struct cairn_insertion *insertion = s->insertions + body->entry;
  const double r = body->radius;
  for (int tries = 0; tries < MOST_TRIES; tries++) {
    double x[3], direction[3];
    if (!cairn_region_sample(&insertion->region, r, random, x) || touches_wall(s, head, x, r) ||
        cairn_overlap_find(placed, x, r, NULL, NULL, NULL) >= 0)
      continue;
    cairn_overlap_insert(placed, body->id, x, r);
    cairn_random_direction(random, direction);
    memcpy(body->position, x, sizeof x);
    for (int k = 0; k < 3; k++)
      body->velocity[k] = insertion->velocity[k] + insertion->speed * direction[k];
    return true;
  }
  return false;
}

static int64_t place_batch(const struct cairn_scenario *s, int32_t entry, int64_t number,
                           const struct cairn_state *head, struct cairn_overlap *placed,
                           struct cairn_insert_list *list) {
  struct cairn_random random;
  int64_t n = 0, tried = 0;
  cairn_random_init(&random, s->seed, (uint64_t)(FIRST_ENTRY + entry), (uint64_t)(RANDOM_BATCHES + number));
  for (int64_t i = 0; i < list->n && tried < s->insertions[entry].batch; i++) {
    if (list->body[i].entry != entry)
      continue;
    tried++;
    list->body[i].is_placed = place_body(s, head, &random, placed, list->body + i);
    n += list->body[i].is_placed;
  }
  return n;
}

int64_t cairn_insert_place(const struct cairn_scenario *s, const struct cairn_state *head, double h,
                           struct cairn_insert_list *list, struct cairn_error *error) {
  struct cairn_overlap *placed = calloc(1, sizeof *placed);
  if (!placed)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for bodies to be inserted");
  double largest = 0;
  int64_t n = 0;
  for (int64_t i = 0; i < list->n; i++)
    largest = fmax(largest, list->body[i].radius);
  cairn_overlap_init(placed, largest);
  const int status = cairn_overlap_reserve(placed, list->n, error);
  for (int64_t i = 0; i < list->n && status == CAIRN_OK; i++)
    if (list->body[i].entry < 0)
      cairn_overlap_insert(placed, list->body[i].id, list->body[i].position, list->body[i].radius);
  for (int32_t k = 0; k < s->n_insertions && status == CAIRN_OK; k++) {
    const int64_t number = batch_of(s, k, head->step, h);
    n += number < 0 ? 0 : place_batch(s, k, number, head, placed, list);
  }
  cairn_overlap_fini(placed);
  free(placed);
  return status == CAIRN_OK ? n : status;
}

void cairn_insert_release(const struct cairn_scenario *s, const struct cairn_insert_list *list,
                          struct cairn_state *state, int64_t offset) {
  for (int64_t n = 0; n < list->n; n++) {
    const struct cairn_insert_body *body = list->body + n;
    const int64_t i = body->id - offset;
    if (!body->is_placed || i < 0 || i >= state->n)
      continue;
    state->captor[i] = 0;
    for (int k = 0; k < 3; k++) {
      state->position[3 * i + k] = body->position[k];
      state->velocity[3 * i + k] = body->velocity[k];
      state->spin[3 * i + k] = s->insertions[body->entry].spin[k];
      state->acceleration[3 * i + k] = s->gravity[k];
      state->reference[3 * i + k] = 0;
    }
  }
  state->skin = 0; /* rigid bodies: cells from the positions of all */
}
