#include "data/initial/bodies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/ranks.h"
#include "data/initial/bodies_parts.h"
#include "data/initial/cloud.h"
#include "data/initial/grid.h"
#include "data/initial/insert.h"
#include "data/initial/packing/packing.h"
#include "data/initial/packing/tangent.h"
#include "data/initial/select.h"
#include "data/initial/sizes.h"
#include "data/scenario/walls.h"
#include "data/schema/schema.h"

int cairn_bodies_find_material(const struct cairn_scenario *scenario, const struct cairn_node *node, int32_t *material,
                               struct cairn_error *error) {
  char shown[CAIRN_YAML_SHOWN], names[256] = "", hint[128] = "";
  const char *words[64];
  size_t n = 0, length = 0;
  for (int32_t m = 0; m < scenario->n_materials; m++) {
    const char *name = scenario->materials[m].name;
    if (strcmp(name, node->text) == 0) {
      *material = m;
      return CAIRN_OK;
    }
    if (n < 64)
      words[n++] = name;
    if (length < sizeof names)
      length += (size_t)snprintf(names + length, sizeof names - length, "%s%.60s", m ? ", " : "", name);
  }
  const char *nearest = cairn_schema_nearest(node->text, words, n);
  if (nearest)
    snprintf(hint, sizeof hint, " (did you mean %.80s?)", nearest);
  return cairn_yaml_error(error, scenario->file, node, "found %s, which is not in materials%s; allowed: %s",
                          cairn_yaml_show(node->text, shown), hint, names);
}

int cairn_bodies_read_group(const struct cairn_maker *maker, const struct cairn_node *node, struct cairn_group *group) {
  const struct cairn_node *material = cairn_yaml_child(node, "material"), *turn = cairn_yaml_child(node, "turn");
  cairn_schema_numbers(node, "velocity", 3, group->velocity);
  cairn_schema_numbers(node, "spin", 3, group->spin);
  group->material = -1;
  group->angle = 0;
  if (turn) {
    group->angle = cairn_schema_number(turn, "angle");
    int status = cairn_walls_read_direction(maker->scenario->file, turn, "axis", group->axis, maker->error);
    if (status != CAIRN_OK)
      return status;
  }
  return material ? cairn_bodies_find_material(maker->scenario, material, &group->material, maker->error) : CAIRN_OK;
}

int64_t cairn_bodies_n_made(const struct cairn_maker *maker) { return maker->shared ? maker->n : maker->state->n; }

int cairn_bodies_make_room(struct cairn_maker *maker, const struct cairn_node *node, int64_t n) {
  static const char *const streamed[] = {"lattice", "table",
                                         "run"}; /* the others hold all places while they are made */
  if (!maker->shared)
    return cairn_bodies_add_room(maker->scenario, node, n, maker->error);
  maker->n += n;
  for (size_t k = 0; k < sizeof streamed / sizeof *streamed && maker->n <= INT32_MAX; k++)
    if (strcmp(node->key, streamed[k]) == 0 && !maker->is_avoided)
      return CAIRN_OK;
  return cairn_bodies_check_room(maker->scenario, node, maker->n, maker->error);
}

static int add_obstacle(struct cairn_maker *maker, const double x[3], double radius) {
  struct cairn_bodies_obstacles *o = &maker->obstacles;
  if (o->n == o->capacity) {
    const int64_t capacity = 2 * o->capacity + 1024;
    void *grown = realloc(o->sphere, (size_t)capacity * sizeof *o->sphere);
    if (!grown)
      return cairn_error_set(maker->error, CAIRN_ERR_NUMERIC, "out of memory for the places of %lld bodies",
                             (long long)capacity);
    o->sphere = grown;
    o->capacity = capacity;
  }
  memcpy(o->sphere[o->n], x, 3 * sizeof *x);
  o->sphere[o->n++][3] = radius;
  return CAIRN_OK;
}

int cairn_bodies_note(struct cairn_maker *maker, int64_t id, const double position[3], double radius, double mass,
                      int64_t *index) {
  const int64_t at = id - maker->scenario->share.first;
  *index = at >= 0 && at < maker->state->n ? at : -1;
  cairn_bodies_center_add(&maker->center, position, mass);
  return maker->is_avoided ? add_obstacle(maker, position, radius) : CAIRN_OK;
}

static double sphere_volume(double r) { return 4. / 3 * 3.14159265358979323846 * r * r * r; }

static int set_body(struct cairn_maker *maker, const struct cairn_node *node, int64_t id,
                    const struct cairn_group *group, const double position[3], double radius) {
  struct cairn_state *state = maker->state;
  double mass;
  int64_t i = -1;
  int status = cairn_bodies_find_mass(maker->scenario, node, radius, group->material, &mass, maker->error);
  if (status == CAIRN_OK)
    status = cairn_bodies_note(maker, id, position, radius, mass, &i);
  if (status != CAIRN_OK || i < 0)
    return status;
  memcpy(state->position + 3 * i, position, 3 * sizeof(double));
  memcpy(state->velocity + 3 * i, group->velocity, 3 * sizeof(double));
  memcpy(state->spin + 3 * i, group->spin, 3 * sizeof(double));
  state->radius[i] = radius;
  state->mass[i] = mass;
  state->material[i] = group->material;
  return CAIRN_OK;
}

static int make_single(struct cairn_maker *maker, struct cairn_node *node) {
  struct cairn_group group;
  double position[3];
  int64_t id = cairn_bodies_n_made(maker);
  int status = cairn_bodies_read_group(maker, node, &group);
  if (status != CAIRN_OK || maker->dry)
    return status;
  cairn_schema_numbers(node, "position", 3, position);
  status = cairn_bodies_make_room(maker, node, 1);
  return status == CAIRN_OK && !maker->counting
             ? set_body(maker, node, id, &group, position, cairn_schema_number(node, "radius"))
             : status;
}

static int fill_grid(struct cairn_maker *maker, const struct cairn_node *node, const struct cairn_grid *grid,
                     const struct cairn_sizes *sizes, const struct cairn_group *group) {
  const struct cairn_scenario *scenario = maker->scenario;
  int64_t id = cairn_bodies_n_made(maker), points = grid->n[0] * grid->n[1] * grid->n[2], n = 0;
  double x[3], jitter = cairn_schema_number(node, "jitter");
  struct cairn_random sizes_random, places_random;
  for (int64_t i = 0; i < points; i++)
    n += cairn_grid_point(grid, i, x);
  if (n == 0)
    return cairn_yaml_error(maker->error, scenario->file, cairn_yaml_child(node, "in"),
                            "no point of the grid is in the region; allowed: at least one");
  int status = cairn_bodies_make_room(maker, node, n);
  cairn_random_init(&sizes_random, scenario->seed, maker->entry, CAIRN_BODIES_SIZES);
  cairn_random_init(&places_random, scenario->seed, maker->entry, CAIRN_BODIES_PLACES);
  for (int64_t i = 0; status == CAIRN_OK && i < points && !maker->counting; i++) {
    if (!cairn_grid_point(grid, i, x))
      continue;
    for (int k = 0; k < 3; k++)
      x[k] += cairn_random_between(&places_random, -jitter, jitter);
    status = set_body(maker, node, id++, group, x, cairn_sizes_draw(sizes, &sizes_random));
  }
  return status;
}

static int make_lattice(struct cairn_maker *maker, struct cairn_node *node) {
  struct cairn_sizes sizes;
  struct cairn_group group;
  struct cairn_grid grid = {.has_region = false};
  int status = cairn_bodies_read_group(maker, node, &group);
  if (status == CAIRN_OK)
    status = cairn_sizes_read(cairn_yaml_child(node, "radius"), maker->scenario->file, &sizes, maker->error);
  if (status == CAIRN_OK)
    status = cairn_grid_read(node, maker->scenario->file, maker->dry, &grid, maker->error);
  if (status == CAIRN_OK && !maker->dry)
    status = fill_grid(maker, node, &grid, &sizes, &group);
  cairn_region_fini(&grid.region);
  return status;
}

/* Bring the search structure up to date with all bodies made so far. Where a rank makes a stretch, those of other
 * entries than clouds were noted. */
static int note_placed(struct cairn_maker *maker, double largest) {
  struct cairn_overlap *placed = maker->placed;
  const struct cairn_state *state = maker->state;
  struct cairn_bodies_obstacles *o = &maker->obstacles;
  const int64_t n_new = maker->shared ? o->n : state->n - placed->n;
  if (placed->n == 0) {
    for (int64_t i = 0; i < n_new; i++)
      largest = fmax(largest, maker->shared ? o->sphere[i][3] : state->radius[i]);
    cairn_overlap_init(placed, largest);
  }
  int status = cairn_overlap_reserve(placed, placed->n + n_new, maker->error);
  for (int64_t k = 0, i = placed->n; status == CAIRN_OK && k < n_new; k++, i++)
    if (maker->shared)
      cairn_overlap_insert(placed, (int32_t)i, o->sphere[k], o->sphere[k][3]);
    else
      cairn_overlap_insert(placed, (int32_t)i, state->position + 3 * i, state->radius[i]);
  free(o->sphere);
  *o = (struct cairn_bodies_obstacles){0};
  return status;
}

static int place_cloud(struct cairn_maker *maker, const struct cairn_node *node, struct cairn_cloud *cloud) {
  struct cairn_random random;
  const struct cairn_scenario *scenario = maker->scenario;
  int64_t placed = 0;
  double volume = 0;
  cairn_random_init(&random, scenario->seed, maker->entry, CAIRN_BODIES_PLACES);
  int status = cairn_cloud_place(cloud, &random, &placed, &volume, maker->error);
  if (status != CAIRN_OK || placed == cloud->n)
    return status;
  const char *plane = placed == 0 ? cairn_cloud_hidden_by(cloud, &random) : NULL;
  if (plane)
    return cairn_yaml_error(maker->error, scenario->file, node,
                            "no body found a place: all of the region is behind the wall %.80s, whose normal points "
                            "away from it",
                            plane);
  return cairn_yaml_error(maker->error, scenario->file, node,
                          "only %lld of %lld bodies found a place, filling %.3g of the region; allowed: what random "
                          "places can hold, about 0.3 for equal radii; make the region larger, or count or radius "
                          "smaller",
                          (long long)placed, (long long)cloud->n, volume / cloud->region->volume);
}

static int fill_cloud(struct cairn_maker *maker, const struct cairn_node *node, const struct cairn_group *group,
                      const struct cairn_cloud *cloud) {
  double speed = cairn_schema_number(node, "speed");
  struct cairn_random random;
  cairn_random_init(&random, maker->scenario->seed, maker->entry, CAIRN_BODIES_VELOCITIES);
  int status = CAIRN_OK;
  for (int64_t i = 0; status == CAIRN_OK && i < cloud->n; i++) {
    struct cairn_group own = *group;
    double direction[3];
    cairn_random_direction(&random, direction);
    for (int k = 0; k < 3; k++)
      own.velocity[k] += speed * direction[k];
    status = set_body(maker, node, cloud->first + i, &own, cloud->position + 3 * i, cloud->radius[i]);
  }
  return status;
}

/* What entries that fill a region have in common. */
static int read_filling(struct cairn_maker *maker, struct cairn_node *node, struct cairn_group *group,
                        struct cairn_sizes *sizes, struct cairn_region *region) {
  int status = cairn_bodies_read_group(maker, node, group);
  region->mesh = NULL;
  if (status == CAIRN_OK)
    status = cairn_sizes_read(cairn_yaml_child(node, "radius"), maker->scenario->file, sizes, maker->error);
  if (status == CAIRN_OK)
    status = cairn_region_read(cairn_yaml_child(node, "in"), maker->scenario->file, maker->dry, region, maker->error);
  return status;
}

static int make_cloud_in(struct cairn_maker *maker, struct cairn_node *node, const struct cairn_group *group,
                         const struct cairn_sizes *sizes, const struct cairn_region *region) {
  const struct cairn_scenario *scenario = maker->scenario;
  struct cairn_random random;
  if (maker->counting)
    return cairn_bodies_make_room(maker, cairn_yaml_child(node, "count"), cairn_schema_integer(node, "count"));
  int status = note_placed(maker, sizes->max);
  if (status != CAIRN_OK)
    return status;
  struct cairn_cloud cloud = {.region = region,
                              .n_walls = maker->n_walls,
                              .walls = maker->walls,
                              .placed = maker->placed,
                              .first = (int32_t)cairn_bodies_n_made(maker),
                              .n = cairn_schema_integer(node, "count")};
  status = cairn_bodies_make_room(maker, cairn_yaml_child(node, "count"), cloud.n);
  if (status != CAIRN_OK)
    return status;
  cloud.radius = malloc((size_t)cloud.n * sizeof(double));
  cloud.position = malloc((size_t)cloud.n * 3 * sizeof(double));
  if (!cloud.radius || !cloud.position)
    status = cairn_error_set(maker->error, CAIRN_ERR_NUMERIC, "out of memory for %lld bodies", (long long)cloud.n);
  cairn_random_init(&random, scenario->seed, maker->entry, CAIRN_BODIES_SIZES);
  for (int64_t i = 0; status == CAIRN_OK && i < cloud.n; i++)
    cloud.radius[i] = cairn_sizes_draw(sizes, &random);
  if (status == CAIRN_OK)
    status = place_cloud(maker, node, &cloud);
  if (maker->entry >= maker->n_avoided) /* no other cloud comes */
    cairn_overlap_fini(maker->placed);
  if (status == CAIRN_OK)
    status = cairn_cloud_sort(cloud.n, cloud.position, cloud.radius, maker->error);
  if (status == CAIRN_OK)
    status = fill_cloud(maker, node, group, &cloud);
  free(cloud.radius);
  free(cloud.position);
  return status;
}

static int make_cloud(struct cairn_maker *maker, struct cairn_node *node) {
  struct cairn_sizes sizes;
  struct cairn_region region;
  struct cairn_group group;
  int status = read_filling(maker, node, &group, &sizes, &region);
  if (status == CAIRN_OK && !maker->dry)
    status = make_cloud_in(maker, node, &group, &sizes, &region);
  cairn_region_fini(&region);
  return status;
}

/* Draw radii until they fill `volume` as closely as whole bodies can; keep them if `radius` is not NULL. */
static int64_t draw_volume(struct cairn_maker *maker, const struct cairn_sizes *sizes, double volume, double *radius) {
  struct cairn_random random;
  double filled = 0;
  int64_t n = 0;
  cairn_random_init(&random, maker->scenario->seed, maker->entry, CAIRN_BODIES_SIZES);
  for (; n <= INT32_MAX; n++) {
    double r = cairn_sizes_draw(sizes, &random), more = sphere_volume(r);
    if (filled + more / 2 > volume)
      break;
    filled += more;
    if (radius)
      radius[n] = r;
  }
  return n;
}

static int place_packing(struct cairn_maker *maker, const struct cairn_node *node, struct cairn_packing *packing) {
  struct cairn_random random;
  const struct cairn_scenario *scenario = maker->scenario;
  double scale, fraction = 0;
  for (int64_t i = 0; i < packing->n; i++)
    fraction += sphere_volume(packing->radius[i]) / packing->region->volume;
  cairn_random_init(&random, scenario->seed, maker->entry, CAIRN_BODIES_PLACES);
  const bool is_tangent = strcmp(cairn_schema_text(node, "arrangement"), "tangent") == 0;
  int status = (is_tangent ? cairn_tangent_place : cairn_packing_place)(packing, &random, &scale, maker->error);
  if (status != CAIRN_OK || scale == 1)
    return status;
  return cairn_yaml_error(maker->error, scenario->file, cairn_yaml_child(node, "fraction"),
                          "%lld bodies do not fit in; they were packed up to a fraction of %.3g; allowed: what random "
                          "packings reach, %s",
                          (long long)packing->n, fraction * scale * scale * scale,
                          is_tangent ? "about 0.5 for bodies of similar radii, 0.69 for radii 1:5, 0.76 for 1:10"
                                     : "about 0.6 for many bodies of similar radii, less for few; bodies of very "
                                       "different radii lie closer with arrangement: tangent");
}

static int fill_packing(struct cairn_maker *maker, const struct cairn_node *node, const struct cairn_group *group,
                        const struct cairn_sizes *sizes, struct cairn_packing *packing, double volume) {
  int64_t first = cairn_bodies_n_made(maker);
  int status = cairn_bodies_make_room(maker, node, packing->n);
  if (status != CAIRN_OK || maker->counting)
    return status;
  packing->radius = malloc((size_t)packing->n * sizeof(double));
  packing->position = malloc((size_t)packing->n * 3 * sizeof(double));
  if (!packing->radius || !packing->position)
    status = cairn_error_set(maker->error, CAIRN_ERR_NUMERIC, "out of memory for %lld bodies", (long long)packing->n);
  if (status == CAIRN_OK) {
    draw_volume(maker, sizes, volume, packing->radius);
    status = place_packing(maker, node, packing);
  }
  for (int64_t i = 0; status == CAIRN_OK && i < packing->n; i++)
    status = set_body(maker, node, first + i, group, packing->position + 3 * i, packing->radius[i]);
  free(packing->radius);
  free(packing->position);
  return status;
}

static int make_packing_in(struct cairn_maker *maker, struct cairn_node *node, const struct cairn_group *group,
                           const struct cairn_sizes *sizes, const struct cairn_region *region) {
  double volume = cairn_schema_number(node, "fraction") * region->volume;
  struct cairn_packing packing = {.region = region};
  /* What cannot be is refused before that many radii are drawn. */
  if (volume / sphere_volume(sizes->max) > INT32_MAX)
    packing.n = (int64_t)INT32_MAX + 1;
  else
    packing.n = draw_volume(maker, sizes, volume, NULL);
  if (packing.n == 0)
    return cairn_yaml_error(maker->error, maker->scenario->file, cairn_yaml_child(node, "fraction"),
                            "found %g m³ to fill, too little for a body; allowed: at least one body", volume);
  return fill_packing(maker, node, group, sizes, &packing, volume);
}

static int make_packing(struct cairn_maker *maker, struct cairn_node *node) {
  struct cairn_sizes sizes;
  struct cairn_region region;
  struct cairn_group group;
  int status = read_filling(maker, node, &group, &sizes, &region);
  if (status == CAIRN_OK && !maker->dry)
    status = make_packing_in(maker, node, &group, &sizes, &region);
  cairn_region_fini(&region);
  return status;
}

/* Where the body of this id is among those that are here, or would be. */
static int64_t index_of(const struct cairn_maker *maker, int64_t id) {
  const int64_t at = id - maker->scenario->share.first;
  return at < 0 ? 0 : at > maker->state->n ? maker->state->n : at;
}

/* The key `rotation` of an entry, for its bodies from the id `first` on. */
static void rotate_group(struct cairn_maker *maker, const struct cairn_node *node, int64_t first) {
  const struct cairn_node *rotation = cairn_yaml_child(node, "rotation");
  double spin[3], pivot[3];
  if (!rotation)
    return;
  cairn_schema_numbers(rotation, "spin", 3, spin);
  if (cairn_yaml_child(rotation, "pivot"))
    cairn_schema_numbers(rotation, "pivot", 3, pivot);
  else
    cairn_bodies_center_get(&maker->center, pivot);
  cairn_bodies_rotate(maker->state, index_of(maker, first), index_of(maker, cairn_bodies_n_made(maker)), spin, pivot);
}

static int make_entries(struct cairn_maker *maker, int64_t *first) {
  static const struct {
    const char *key;
    int (*make)(struct cairn_maker *maker, struct cairn_node *node);
  } kinds[] = {{"single", make_single},   {"lattice", make_lattice},           {"cloud", make_cloud},
               {"packing", make_packing}, {"table", cairn_bodies_files_table}, {"run", cairn_bodies_files_run}};
  const struct cairn_node *bodies = cairn_yaml_child(maker->scenario->tree, "bodies");
  int status = CAIRN_OK;
  for (size_t i = 0; status == CAIRN_OK && i < bodies->n; i++) {
    struct cairn_node *node = bodies->child[i]->child[0];
    first[i] = cairn_bodies_n_made(maker);
    maker->entry = i;
    maker->center = (struct cairn_bodies_center){0};
    maker->is_avoided = maker->shared && i < maker->n_avoided && strcmp(node->key, "cloud") != 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
      if (strcmp(node->key, kinds[k].key) == 0)
        status = kinds[k].make(maker, node);
    if (status == CAIRN_OK && !maker->dry && !maker->counting)
      rotate_group(maker, node, first[i]);
  }
  first[bodies->n] = cairn_bodies_n_made(maker);
  return status;
}

/* Count the bodies of all entries and take the stretch of this rank. */
static int take_share(struct cairn_maker *maker, int64_t *first) {
  struct cairn_scenario_share *share = &maker->scenario->share;
  const struct cairn_node *bodies = cairn_yaml_child(maker->scenario->tree, "bodies");
  const size_t n_entries = bodies->n;
  maker->shared = maker->counting = true;
  int status = make_entries(maker, first);
  if (status != CAIRN_OK)
    return status;
  const int64_t n_listed = maker->n, n = n_listed + cairn_insert_count(maker->scenario), me = cairn_ranks_me(),
                n_ranks = cairn_ranks_n();
  maker->counting = false;
  maker->n = 0;
  share->is_shared = true;
  share->first = n * me / n_ranks;
  share->end = n * (me + 1) / n_ranks;
  share->entry = malloc((n_entries + 1) * sizeof *first);
  if (!share->entry)
    return cairn_error_set(maker->error, CAIRN_ERR_NUMERIC, "out of memory");
  memcpy(share->entry, first, (n_entries + 1) * sizeof *first);
  const int64_t end = share->end < n_listed ? share->end : n_listed, n_here = end - share->first;
  status = cairn_bodies_add_room(maker->scenario, bodies, n_here > 0 ? n_here : 0, maker->error);
  share->n_elsewhere = n - maker->state->n;
  return status;
}

int cairn_bodies_make(struct cairn_scenario *scenario, int flags, struct cairn_error *error) {
  const struct cairn_node *bodies = cairn_yaml_child(scenario->tree, "bodies");
  const bool dry = flags & CAIRN_SCENARIO_NO_BODIES;
  struct cairn_maker maker = {.scenario = scenario, .state = &scenario->initial, .dry = dry, .error = error};
  int64_t *first = calloc(bodies->n + 1, sizeof *first);
  for (size_t i = 0; i < bodies->n; i++)
    if (strcmp(bodies->child[i]->child[0]->key, "cloud") == 0)
      maker.n_avoided = i;
  maker.placed = calloc(1, sizeof *maker.placed);
  int status = CAIRN_OK;
  if (!first || !maker.placed)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  if (status == CAIRN_OK)
    status = cairn_walls_list_present(scenario, &maker.walls, &maker.n_walls, error);
  if (status == CAIRN_OK && !dry && flags & CAIRN_SCENARIO_SHARED && cairn_ranks_n() > 1)
    status = take_share(&maker, first);
  if (status == CAIRN_OK)
    status = make_entries(&maker, first);
  if (status == CAIRN_OK && maker.shared && memcmp(first, scenario->share.entry, (bodies->n + 1) * sizeof *first) != 0)
    status = cairn_yaml_error(error, scenario->file, bodies, "a file of bodies has changed while it was read");
  if (status == CAIRN_OK)
    status = cairn_select_apply(scenario, dry, error);
  free(maker.walls);
  if (maker.placed)
    cairn_overlap_fini(maker.placed);
  free(maker.placed);
  free(maker.obstacles.sphere);
  if (status == CAIRN_OK && !dry)
    status = cairn_bodies_check_initial(scenario, first, error);
  if (status == CAIRN_OK)
    status = cairn_insert_read(scenario, dry, error);
  if (status == CAIRN_OK && !dry && cairn_scenario_n_bodies(scenario) == 0)
    status = cairn_yaml_error(error, scenario->file, bodies, "found none; needed: at least one, here or in insert");
  free(first);
  return status;
}
