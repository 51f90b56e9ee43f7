#include "data/initial/bodies_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/initial/bodies.h"
#include "data/initial/overlap.h"
#include "data/schema/schema.h"
#include "data/schema/yaml.h"

/* Overlaps allowed at the start, as part of the smaller radius. Tables and runs hold settled soft spheres; elsewhere
 * only rounding is forgiven. */
static const double settled = 0.05, rounding = 1e-6;

/* Farther out no double resolves a contact as finely as `rounding`. What flies there in a run is lost a little later
 * (data/state/state_check.h). */
static const double most_distance = 1e10;

/* Bytes per body while bodies are made and checked, rounded up. */
enum { MEMORY_PER_BODY = 256 };

struct check {
  const struct cairn_scenario *scenario;
  const struct cairn_node *bodies; /* the list */
  const int64_t *first;
  double chosen;  /* overlap.initial, negative for auto */
  double allowed; /* for the body whose neighbours are searched */
  struct cairn_error *error;
};

/* The entry that made body `id`: the last one that starts at or before it. */
static size_t entry_of(const struct check *check, int64_t id) {
  size_t low = 0, high = check->bodies->n;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (check->first[middle] <= id)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static const struct cairn_node *node_of(const struct check *check, int64_t id) {
  return check->bodies->child[entry_of(check, id)]->child[0];
}

static double allowed_of(const struct check *check, int64_t id) {
  const char *kind = node_of(check, id)->key;
  if (check->chosen >= 0)
    return fmax(check->chosen, rounding);
  return strcmp(kind, "table") == 0 || strcmp(kind, "run") == 0 ? settled : rounding;
}

static int check_numbers(const struct check *check) {
  const struct cairn_state *state = &check->scenario->initial;
  struct cairn_error cause;
  int64_t body = 0;
  if (cairn_state_check_bodies(state, check->scenario->n_materials, check->scenario->n_walls, &body, &cause))
    return cairn_yaml_error(check->error, check->scenario->file, node_of(check, body), "%s", cause.message);
  for (int64_t i = 0; i < state->n; i++) {
    const double *x = state->position + 3 * i, r = state->radius[i];
    if (!cairn_state_check_range(x, 3, most_distance * r))
      return cairn_yaml_error(
          check->error, check->scenario->file, node_of(check, i),
          "body %lld at (%g, %g, %g) is too far from the origin for its radius %g; allowed: %g radii", (long long)i,
          x[0], x[1], x[2], r, most_distance);
  }
  return CAIRN_OK;
}

static int check_wall(const struct check *check, const struct cairn_walls_present *present) {
  const struct cairn_state *state = &check->scenario->initial;
  /* What is glued to a wall may have any part of its radius in it. */
  bool sticky = present->wall->behavior == CAIRN_WALL_STICKY;
  for (int64_t i = 0; i < state->n; i++) {
    const double *x = state->position + 3 * i, r = state->radius[i];
    double distance = cairn_walls_distance_within(present, x, r);
    if (r - distance <= rounding * r)
      continue;
    double allowed = sticky ? r : allowed_of(check, i) * r;
    if (r - distance > allowed)
      return cairn_yaml_error(check->error, check->scenario->file, node_of(check, i),
                              "body %lld at (%g, %g, %g) with radius %g reaches %g m %s the wall %.80s; allowed: %g "
                              "m%s",
                              (long long)i, x[0], x[1], x[2], r, r - distance, distance < 0 ? "behind" : "into",
                              present->wall->name, allowed,
                              cairn_walls_is_facing_away(present, state->position, state->n)
                                  ? "; its normal points away from all bodies: they are behind it"
                                  : "");
  }
  return CAIRN_OK;
}

static int check_walls(const struct check *check) {
  struct cairn_walls_present *present;
  int32_t n;
  int status = cairn_walls_list_present(check->scenario, &present, &n, check->error);
  for (int32_t w = 0; status == CAIRN_OK && w < n; w++)
    status = check_wall(check, &present[w]);
  free(present);
  return status;
}

static bool is_allowed(void *context, int32_t other, double part) {
  const struct check *check = context;
  /* Nearly all touching pairs are allowed by the first test; the second has to look up the other body's entry. */
  return part <= rounding || (part <= check->allowed && part <= allowed_of(check, other));
}

static int refuse_pair(const struct check *check, int64_t a, int64_t b, double part) {
  const struct cairn_state *state = &check->scenario->initial;
  int64_t low = a < b ? a : b, high = a < b ? b : a;
  const double *x = state->position + 3 * high, *y = state->position + 3 * low;
  const struct cairn_node *node = node_of(check, high);
  size_t entry = entry_of(check, low);
  const char *kind = check->bodies->child[entry]->child[0]->key;
  if (x[0] == y[0] && x[1] == y[1] && x[2] == y[2])
    return cairn_yaml_error(check->error, check->scenario->file, node,
                            "body %lld at (%g, %g, %g) is in the same place as body %lld of bodies.%zu.%s; allowed: "
                            "bodies that do not overlap",
                            (long long)high, x[0], x[1], x[2], (long long)low, entry, kind);
  return cairn_yaml_error(
      check->error, check->scenario->file, node,
      "body %lld at (%g, %g, %g) overlaps body %lld at (%g, %g, %g) of bodies.%zu.%s by %.3g of the "
      "smaller radius; allowed: %g (overlap.initial)",
      (long long)high, x[0], x[1], x[2], (long long)low, y[0], y[1], y[2], entry, kind, part,
      fmin(allowed_of(check, a), allowed_of(check, b)));
}

/* Ids with the largest classes of sizes first: then a body only ever looks at cells about its own size or larger. */
static void sort_by_class(const struct cairn_overlap *overlap, const struct cairn_state *state, int32_t *order) {
  int64_t start[CAIRN_OVERLAP_CLASSES + 1] = {0};
  for (int64_t i = 0; i < state->n; i++)
    start[cairn_overlap_class(overlap, state->radius[i]) + 1]++;
  for (int c = 0; c < CAIRN_OVERLAP_CLASSES; c++)
    start[c + 1] += start[c];
  for (int64_t i = 0; i < state->n; i++)
    order[start[cairn_overlap_class(overlap, state->radius[i])]++] = (int32_t)i;
}

static int check_pairs(struct check *check, struct cairn_overlap *overlap, int32_t *order) {
  const struct cairn_state *state = &check->scenario->initial;
  double largest = 0;
  for (int64_t i = 0; i < state->n; i++)
    largest = fmax(largest, state->radius[i]);
  cairn_overlap_init(overlap, largest);
  int status = cairn_overlap_reserve(overlap, state->n, check->error);
  sort_by_class(overlap, state, order);
  for (int64_t i = 0; status == CAIRN_OK && i < state->n; i++) {
    int64_t id = order[i];
    double part;
    check->allowed = allowed_of(check, id);
    int32_t other = cairn_overlap_find(overlap, state->position + 3 * id, state->radius[id], is_allowed, check, &part);
    if (other >= 0)
      status = refuse_pair(check, id, other, part);
    cairn_overlap_insert(overlap, (int32_t)id, state->position + 3 * id, state->radius[id]);
  }
  return status;
}

int cairn_bodies_check_initial(const struct cairn_scenario *scenario, const int64_t *first, struct cairn_error *error) {
  const struct cairn_node *overlap_node = cairn_yaml_child(scenario->tree, "overlap");
  struct check check = {.scenario = scenario,
                        .bodies = cairn_yaml_child(scenario->tree, "bodies"),
                        .first = first,
                        .chosen = cairn_schema_number(overlap_node, "initial"),
                        .error = error};
  if (strcmp(cairn_schema_text(overlap_node, "initial"), "auto") == 0)
    check.chosen = -1;
  int status = check_numbers(&check);
  if (status == CAIRN_OK)
    status = check_walls(&check);
  if (status != CAIRN_OK)
    return status;
  struct cairn_overlap *overlap = calloc(1, sizeof *overlap);
  int32_t *order = malloc((size_t)(scenario->initial.n + 1) * sizeof *order);
  if (!overlap || !order)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the overlap search");
  else
    status = check_pairs(&check, overlap, order);
  if (overlap)
    cairn_overlap_fini(overlap);
  free(overlap);
  free(order);
  return status;
}

int cairn_bodies_add_room(struct cairn_scenario *scenario, const struct cairn_node *node, int64_t n,
                          struct cairn_error *error) {
  int64_t total = scenario->initial.n + n;
  double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
  if (total > INT32_MAX)
    return cairn_yaml_error(error, scenario->file, node, "found %lld bodies up to here; allowed: at most %d",
                            (long long)total, INT32_MAX);
  if (memory > 0 && (double)total * MEMORY_PER_BODY > memory)
    return cairn_yaml_error(error, scenario->file, node,
                            "found %lld bodies up to here, which need more memory than the %.3g GB of this machine",
                            (long long)total, memory / 1e9);
  return cairn_state_resize(&scenario->initial, total, error);
}

int cairn_bodies_set_mass(struct cairn_scenario *scenario, const struct cairn_node *node, int64_t id,
                          struct cairn_error *error) {
  struct cairn_state *state = &scenario->initial;
  double r = state->radius[id], density = scenario->materials[state->material[id]].density;
  state->mass[id] = 4. / 3 * 3.14159265358979323846 * r * r * r * density;
  if (state->mass[id] > 0 && isfinite(state->mass[id]))
    return CAIRN_OK;
  return cairn_yaml_error(error, scenario->file, node,
                          "a radius of %g m with a density of %g kg/m³ gives a mass of %g kg, which is not usable", r,
                          density, state->mass[id]);
}
