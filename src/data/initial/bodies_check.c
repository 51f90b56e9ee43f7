/* Are the bodies at the start possible? */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/initial/bodies_parts.h"
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
  const struct cairn_bodies_sphere *sphere; /* those whose overlaps are looked for; NULL: scenario->initial */
  int64_t n;                                /* of these */
  double chosen;                            /* overlap.initial, negative for auto */
  double allowed;                           /* for the body whose neighbours are searched */
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
  const struct cairn_state_stretch stretch = {check->scenario->share.first, cairn_scenario_n_bodies(check->scenario)};
  if (cairn_state_check_bodies(state, &stretch, check->scenario->n_materials, check->scenario->n_walls, &body, &cause))
    return cairn_yaml_error(check->error, check->scenario->file, node_of(check, body), "%s", cause.message);
  for (int64_t i = 0; i < state->n; i++) {
    const double *x = state->position + 3 * i, r = state->radius[i];
    if (!cairn_state_check_range(x, 3, most_distance * r))
      return cairn_yaml_error(
          check->error, check->scenario->file, node_of(check, stretch.first + i),
          "body %lld at (%g, %g, %g) is too far from the origin for its radius %g; allowed: %g radii",
          (long long)(stretch.first + i), x[0], x[1], x[2], r, most_distance);
  }
  return CAIRN_OK;
}

static int check_wall(const struct check *check, const struct cairn_walls_present *present) {
  const struct cairn_state *state = &check->scenario->initial;
  /* What is glued to a wall may have any part of its radius in it. */
  bool sticky = present->wall->behavior == CAIRN_WALL_STICKY;
  const struct cairn_scenario_share *share = &check->scenario->share;
  for (int64_t i = 0; i < state->n; i++) {
    const double *x = state->position + 3 * i, r = state->radius[i];
    double distance = cairn_walls_distance_within(present, x, r);
    if (r - distance <= rounding * r)
      continue;
    double allowed = sticky ? r : allowed_of(check, share->first + i) * r;
    if (r - distance > allowed)
      return cairn_yaml_error(check->error, check->scenario->file, node_of(check, share->first + i),
                              "body %lld at (%g, %g, %g) with radius %g reaches %g m %s the wall %.80s; allowed: %g "
                              "m%s",
                              (long long)(share->first + i), x[0], x[1], x[2], r, r - distance,
                              distance < 0 ? "behind" : "into", present->wall->name, allowed,
                              !share->is_shared && cairn_walls_is_facing_away(present, state->position, state->n)
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

static struct cairn_bodies_sphere sphere_of(const struct check *check, int64_t i) {
  const struct cairn_state *state = &check->scenario->initial;
  if (check->sphere)
    return check->sphere[i];
  struct cairn_bodies_sphere sphere = {.radius = state->radius[i], .id = (int32_t)i};
  memcpy(sphere.position, state->position + 3 * i, sizeof sphere.position);
  return sphere;
}

static bool is_allowed(void *context, int32_t other, double part) {
  const struct check *check = context;
  /* Nearly all touching pairs are allowed by the first test; the second has to look up the other body's entry. */
  return part <= rounding || (part <= check->allowed && part <= allowed_of(check, sphere_of(check, other).id));
}

static int refuse_pair(const struct check *check, int64_t i, int64_t j, double part) {
  const struct cairn_bodies_sphere first = sphere_of(check, i), second = sphere_of(check, j), *a = &first, *b = &second,
                                   *low = a->id < b->id ? a : b, *high = a->id < b->id ? b : a;
  const double *x = high->position, *y = low->position;
  const struct cairn_node *node = node_of(check, high->id);
  size_t entry = entry_of(check, low->id);
  const char *kind = check->bodies->child[entry]->child[0]->key;
  if (x[0] == y[0] && x[1] == y[1] && x[2] == y[2])
    return cairn_yaml_error(check->error, check->scenario->file, node,
                            "body %d at (%g, %g, %g) is in the same place as body %d of bodies.%zu.%s; allowed: "
                            "bodies that do not overlap",
                            high->id, x[0], x[1], x[2], low->id, entry, kind);
  return cairn_yaml_error(check->error, check->scenario->file, node,
                          "body %d at (%g, %g, %g) overlaps body %d at (%g, %g, %g) of bodies.%zu.%s by %.3g of the "
                          "smaller radius; allowed: %g (overlap.initial)",
                          high->id, x[0], x[1], x[2], low->id, y[0], y[1], y[2], entry, kind, part,
                          fmin(allowed_of(check, a->id), allowed_of(check, b->id)));
}

/* Indices with the largest classes of sizes first: then a body only ever looks at cells about its own size or larger.
 */
static void sort_by_class(const struct check *check, const struct cairn_overlap *overlap, int32_t *order) {
  int64_t start[CAIRN_OVERLAP_CLASSES + 1] = {0};
  for (int64_t i = 0; i < check->n; i++)
    start[cairn_overlap_class(overlap, sphere_of(check, i).radius) + 1]++;
  for (int c = 0; c < CAIRN_OVERLAP_CLASSES; c++)
    start[c + 1] += start[c];
  for (int64_t i = 0; i < check->n; i++)
    order[start[cairn_overlap_class(overlap, sphere_of(check, i).radius)]++] = (int32_t)i;
}

static int find_overlap(struct check *check, struct cairn_overlap *overlap, int32_t *order) {
  double largest = 0;
  for (int64_t i = 0; i < check->n; i++)
    largest = fmax(largest, sphere_of(check, i).radius);
  cairn_overlap_init(overlap, largest);
  int status = cairn_overlap_reserve(overlap, check->n, check->error);
  if (status == CAIRN_OK)
    sort_by_class(check, overlap, order);
  for (int64_t k = 0; status == CAIRN_OK && k < check->n; k++) {
    const struct cairn_bodies_sphere sphere = sphere_of(check, order[k]);
    double part;
    check->allowed = allowed_of(check, sphere.id);
    int32_t other = cairn_overlap_find(overlap, sphere.position, sphere.radius, is_allowed, check, &part);
    if (other >= 0)
      status = refuse_pair(check, order[k], other, part);
    cairn_overlap_insert(overlap, order[k], sphere.position, sphere.radius);
  }
  return status;
}

static int check_pairs(struct check *check) {
  struct cairn_overlap *overlap = calloc(1, sizeof *overlap);
  int32_t *order = malloc((size_t)(check->n + 1) * sizeof *order);
  int status = overlap && order
                   ? find_overlap(check, overlap, order)
                   : cairn_error_set(check->error, CAIRN_ERR_NUMERIC, "out of memory for the overlap search");
  if (overlap)
    cairn_overlap_fini(overlap);
  free(overlap);
  free(order);
  return status;
}

static struct check begin_check(const struct cairn_scenario *scenario, const int64_t *first,
                                struct cairn_error *error) {
  const struct cairn_node *overlap = cairn_yaml_child(scenario->tree, "overlap");
  const bool is_auto = strcmp(cairn_schema_text(overlap, "initial"), "auto") == 0;
  return (struct check){.scenario = scenario,
                        .bodies = cairn_yaml_child(scenario->tree, "bodies"),
                        .first = first,
                        .n = scenario->initial.n,
                        .chosen = is_auto ? -1 : cairn_schema_number(overlap, "initial"),
                        .error = error};
}

int cairn_bodies_check_initial(const struct cairn_scenario *scenario, const int64_t *first, struct cairn_error *error) {
  struct check check = begin_check(scenario, first, error);
  int status = check_numbers(&check);
  if (status == CAIRN_OK)
    status = check_walls(&check);
  return status == CAIRN_OK && !scenario->share.is_shared ? check_pairs(&check) : status;
}

int cairn_bodies_check_spheres(const struct cairn_scenario *scenario, const struct cairn_bodies_sphere *sphere,
                               int64_t n, struct cairn_error *error) {
  struct check check = begin_check(scenario, scenario->share.entry, error);
  check.sphere = sphere;
  check.n = n;
  return check_pairs(&check);
}

int cairn_bodies_check_room(const struct cairn_scenario *scenario, const struct cairn_node *node, int64_t n,
                            struct cairn_error *error) {
  double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
  if (n > INT32_MAX)
    return cairn_yaml_error(error, scenario->file, node, "found %lld bodies up to here; allowed: at most %d",
                            (long long)n, INT32_MAX);
  if (memory > 0 && (double)n * MEMORY_PER_BODY > memory)
    return cairn_yaml_error(error, scenario->file, node,
                            "found %lld bodies up to here, which need more memory than the %.3g GB of this machine",
                            (long long)n, memory / 1e9);
  return CAIRN_OK;
}

int cairn_bodies_add_room(struct cairn_scenario *scenario, const struct cairn_node *node, int64_t n,
                          struct cairn_error *error) {
  const int64_t total = scenario->initial.n + n;
  const int status = cairn_bodies_check_room(scenario, node, total, error);
  return status == CAIRN_OK ? cairn_state_resize(&scenario->initial, total, error) : status;
}

int cairn_bodies_find_mass(const struct cairn_scenario *scenario, const struct cairn_node *node, double radius,
                           int32_t material, double *mass, struct cairn_error *error) {
  const double r = radius, density = scenario->materials[material].density;
  *mass = 4. / 3 * 3.14159265358979323846 * r * r * r * density;
  if (*mass > 0 && isfinite(*mass))
    return CAIRN_OK;
  return cairn_yaml_error(error, scenario->file, node,
                          "a radius of %g m with a density of %g kg/m³ gives a mass of %g kg, which is not usable", r,
                          density, *mass);
}

int cairn_bodies_set_mass(struct cairn_scenario *scenario, const struct cairn_node *node, int64_t id,
                          struct cairn_error *error) {
  struct cairn_state *state = &scenario->initial;
  return cairn_bodies_find_mass(scenario, node, state->radius[id], state->material[id], state->mass + id, error);
}
