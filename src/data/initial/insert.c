#include "data/initial/insert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/initial/bodies.h"
#include "data/initial/overlap.h"
#include "data/initial/sizes.h"
#include "data/schema/schema.h"

/* Streams of random numbers: entries are counted on from those of `bodies`, of which there are fewer. */
enum { FIRST_ENTRY = 1 << 20, RANDOM_SIZES = 0, RANDOM_BATCHES = 1 };

/* Places tried for one body before it waits for the next batch. */
enum { MOST_TRIES = 200 };

static int32_t waiting(const struct cairn_scenario *s, int64_t i) { return (int32_t)(-1 - s->n_walls - i); }

bool cairn_insert_waits(const struct cairn_scenario *s, const struct cairn_state *state, int64_t i) {
  return s->n_insertions > 0 && state->captor[i] == waiting(s, i);
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

static int append(struct cairn_scenario *s, const struct cairn_node *node, int32_t entry,
                  const struct cairn_sizes *sizes, int32_t material, struct cairn_error *error) {
  const struct cairn_insertion *insertion = s->insertions + entry;
  struct cairn_state *state = &s->initial;
  struct cairn_random random;
  int64_t first = state->n;
  double largest = 0;
  int status = cairn_bodies_add_room(s, node, insertion->count, error);
  cairn_random_init(&random, s->seed, (uint64_t)(FIRST_ENTRY + entry), RANDOM_SIZES);
  for (int64_t i = first; status == CAIRN_OK && i < state->n; i++) {
    cairn_region_middle(&insertion->region, state->position + 3 * i);
    state->radius[i] = cairn_sizes_draw(sizes, &random);
    state->material[i] = material;
    state->captor[i] = waiting(s, i);
    largest = fmax(largest, state->radius[i]);
    status = cairn_bodies_set_mass(s, node, i, error);
  }
  return status == CAIRN_OK ? check_room(s, node, insertion, largest, error) : status;
}

int cairn_insert_read(struct cairn_scenario *s, bool dry, struct cairn_error *error) {
  const struct cairn_node *list = cairn_yaml_child(s->tree, "insert");
  s->insertions = calloc(list->n + 1, sizeof *s->insertions);
  if (!s->insertions)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", s->file);
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
      status = append(s, node, (int32_t)i, &sizes, material, error);
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

static void release(const struct cairn_scenario *s, struct cairn_state *state, int64_t i,
                    const struct cairn_insertion *insertion, struct cairn_random *random) {
  double direction[3];
  cairn_random_direction(random, direction);
  state->captor[i] = 0;
  for (int k = 0; k < 3; k++) {
    state->velocity[3 * i + k] = insertion->velocity[k] + insertion->speed * direction[k];
    state->spin[3 * i + k] = insertion->spin[k];
    state->acceleration[3 * i + k] = s->gravity[k];
    state->reference[3 * i + k] = 0;
  }
}

/* One batch of an entry whose bodies are `first` … `first + count - 1`. */
static int64_t place_batch(const struct cairn_scenario *s, int32_t entry, int64_t first, int64_t number,
                           struct cairn_state *state, struct cairn_overlap *placed) {
  const struct cairn_insertion *insertion = s->insertions + entry;
  struct cairn_random random;
  int64_t n = 0, tried = 0;
  cairn_random_init(&random, s->seed, (uint64_t)(FIRST_ENTRY + entry), (uint64_t)(RANDOM_BATCHES + number));
  for (int64_t i = first; i < first + insertion->count && tried < insertion->batch; i++) {
    double *x = state->position + 3 * i, r = state->radius[i];
    if (!cairn_insert_waits(s, state, i))
      continue;
    tried++;
    for (int k = 0; k < MOST_TRIES; k++) {
      if (!cairn_region_sample(&insertion->region, r, &random, x) || touches_wall(s, state, x, r) ||
          cairn_overlap_find(placed, x, r, NULL, NULL, NULL) >= 0)
        continue;
      cairn_overlap_insert(placed, (int32_t)i, x, r);
      release(s, state, i, insertion, &random);
      n++;
      break;
    }
    if (cairn_insert_waits(s, state, i))
      cairn_region_middle(&insertion->region, x);
  }
  return n;
}

/* All bodies that are there. */
static int list_present(const struct cairn_state *state, struct cairn_overlap *placed, struct cairn_error *error) {
  double largest = 0;
  for (int64_t i = 0; i < state->n; i++)
    largest = fmax(largest, state->radius[i]);
  cairn_overlap_init(placed, largest);
  const int status = cairn_overlap_reserve(placed, state->n, error);
  for (int64_t i = 0; status == CAIRN_OK && i < state->n; i++)
    if (state->captor[i] >= 0)
      cairn_overlap_insert(placed, (int32_t)i, state->position + 3 * i, state->radius[i]);
  return status;
}

int64_t cairn_insert_place(const struct cairn_scenario *s, struct cairn_state *state, double h,
                           struct cairn_error *error) {
  struct cairn_overlap *placed = calloc(1, sizeof *placed);
  if (!placed)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for bodies to be inserted");
  int64_t n = 0, first = state->n;
  const int status = list_present(state, placed, error);
  for (int32_t k = 0; k < s->n_insertions; k++)
    first -= s->insertions[k].count;
  for (int32_t k = 0; k < s->n_insertions && status == CAIRN_OK; first += s->insertions[k++].count) {
    int64_t period, begin = first_step(s, s->insertions + k, h, &period);
    if (begin >= 0 && state->step >= begin && (state->step - begin) % period == 0)
      n += place_batch(s, k, first, (state->step - begin) / period, state, placed);
  }
  if (n > 0)
    state->skin = 0; /* rigid bodies: cells from the positions of all */
  cairn_overlap_fini(placed);
  free(placed);
  return status == CAIRN_OK ? n : status;
}
