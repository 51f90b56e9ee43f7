#include "data/initial/bodies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/path.h"
#include "data/base/table.h"
#include "data/files/trajectory.h"
#include "data/initial/bodies_check.h"
#include "data/initial/bodies_move.h"
#include "data/initial/cloud.h"
#include "data/initial/grid.h"
#include "data/initial/insert.h"
#include "data/initial/packing/packing.h"
#include "data/initial/packing/tangent.h"
#include "data/initial/select.h"
#include "data/initial/sizes.h"
#include "data/scenario/walls.h"
#include "data/schema/schema.h"
#include "data/state/fields.h"

/* What the random numbers of an entry are for: each has its own stream. */
enum { RANDOM_SIZES, RANDOM_PLACES, RANDOM_VELOCITIES };

struct maker {
  struct cairn_scenario *scenario;
  struct cairn_state *state;         /* the scenario's */
  struct cairn_overlap *placed;      /* bodies that clouds must avoid; those up to placed->n are in it */
  struct cairn_walls_present *walls; /* walls that clouds must avoid */
  int32_t n_walls;
  size_t entry; /* number of the entry being made */
  bool dry;
  struct cairn_error *error;
};

/* What the keys shared by all kinds of entries say. */
struct group {
  int32_t material;
  double velocity[3], spin[3];
  double axis[3], angle; /* of `turn`; without it the angle is 0 */
};

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

static int read_group(const struct maker *maker, const struct cairn_node *node, struct group *group) {
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

static int add_room(struct maker *maker, const struct cairn_node *node, int64_t n) {
  return cairn_bodies_add_room(maker->scenario, node, n, maker->error);
}

static double sphere_volume(double r) { return 4. / 3 * 3.14159265358979323846 * r * r * r; }

static int set_mass(struct maker *maker, const struct cairn_node *node, int64_t id) {
  return cairn_bodies_set_mass(maker->scenario, node, id, maker->error);
}

static int set_body(struct maker *maker, const struct cairn_node *node, int64_t id, const struct group *group,
                    const double position[3], double radius) {
  struct cairn_state *state = maker->state;
  memcpy(state->position + 3 * id, position, 3 * sizeof(double));
  memcpy(state->velocity + 3 * id, group->velocity, 3 * sizeof(double));
  memcpy(state->spin + 3 * id, group->spin, 3 * sizeof(double));
  state->radius[id] = radius;
  state->material[id] = group->material;
  return set_mass(maker, node, id);
}

static int make_single(struct maker *maker, struct cairn_node *node) {
  struct group group;
  double position[3];
  int64_t id = maker->state->n;
  int status = read_group(maker, node, &group);
  if (status != CAIRN_OK || maker->dry)
    return status;
  cairn_schema_numbers(node, "position", 3, position);
  status = add_room(maker, node, 1);
  return status == CAIRN_OK ? set_body(maker, node, id, &group, position, cairn_schema_number(node, "radius")) : status;
}

static int fill_grid(struct maker *maker, const struct cairn_node *node, const struct cairn_grid *grid,
                     const struct cairn_sizes *sizes, const struct group *group) {
  const struct cairn_scenario *scenario = maker->scenario;
  int64_t id = maker->state->n, points = grid->n[0] * grid->n[1] * grid->n[2], n = 0;
  double x[3], jitter = cairn_schema_number(node, "jitter");
  struct cairn_random sizes_random, places_random;
  for (int64_t i = 0; i < points; i++)
    n += cairn_grid_point(grid, i, x);
  if (n == 0)
    return cairn_yaml_error(maker->error, scenario->file, cairn_yaml_child(node, "in"),
                            "no point of the grid is in the region; allowed: at least one");
  int status = add_room(maker, node, n);
  cairn_random_init(&sizes_random, scenario->seed, maker->entry, RANDOM_SIZES);
  cairn_random_init(&places_random, scenario->seed, maker->entry, RANDOM_PLACES);
  for (int64_t i = 0; status == CAIRN_OK && i < points; i++) {
    if (!cairn_grid_point(grid, i, x))
      continue;
    for (int k = 0; k < 3; k++)
      x[k] += cairn_random_between(&places_random, -jitter, jitter);
    status = set_body(maker, node, id++, group, x, cairn_sizes_draw(sizes, &sizes_random));
  }
  return status;
}

static int make_lattice(struct maker *maker, struct cairn_node *node) {
  struct cairn_sizes sizes;
  struct group group;
  struct cairn_grid grid = {.has_region = false};
  int status = read_group(maker, node, &group);
  if (status == CAIRN_OK)
    status = cairn_sizes_read(cairn_yaml_child(node, "radius"), maker->scenario->file, &sizes, maker->error);
  if (status == CAIRN_OK)
    status = cairn_grid_read(node, maker->scenario->file, maker->dry, &grid, maker->error);
  if (status == CAIRN_OK && !maker->dry)
    status = fill_grid(maker, node, &grid, &sizes, &group);
  cairn_region_fini(&grid.region);
  return status;
}

/* Bring the search structure up to date with all bodies made so far. */
static int note_placed(struct maker *maker, double largest) {
  struct cairn_overlap *placed = maker->placed;
  const struct cairn_state *state = maker->state;
  if (placed->n == 0) {
    for (int64_t i = 0; i < state->n; i++)
      largest = fmax(largest, state->radius[i]);
    cairn_overlap_init(placed, largest);
  }
  int status = cairn_overlap_reserve(placed, state->n, maker->error);
  for (int64_t i = placed->n; status == CAIRN_OK && i < state->n; i++)
    cairn_overlap_insert(placed, (int32_t)i, state->position + 3 * i, state->radius[i]);
  return status;
}

static int place_cloud(struct maker *maker, const struct cairn_node *node, struct cairn_cloud *cloud) {
  struct cairn_random random;
  const struct cairn_scenario *scenario = maker->scenario;
  int64_t placed = 0;
  double volume = 0;
  cairn_random_init(&random, scenario->seed, maker->entry, RANDOM_PLACES);
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

static int fill_cloud(struct maker *maker, const struct cairn_node *node, const struct group *group,
                      const struct cairn_cloud *cloud) {
  double speed = cairn_schema_number(node, "speed");
  struct cairn_random random;
  cairn_random_init(&random, maker->scenario->seed, maker->entry, RANDOM_VELOCITIES);
  int status = CAIRN_OK;
  for (int64_t i = 0; status == CAIRN_OK && i < cloud->n; i++) {
    int64_t id = cloud->first + i;
    double direction[3];
    status = set_body(maker, node, id, group, cloud->position + 3 * i, cloud->radius[i]);
    cairn_random_direction(&random, direction);
    for (int k = 0; k < 3; k++)
      maker->state->velocity[3 * id + k] += speed * direction[k];
  }
  return status;
}

/* What entries that fill a region have in common. */
static int read_filling(struct maker *maker, struct cairn_node *node, struct group *group, struct cairn_sizes *sizes,
                        struct cairn_region *region) {
  int status = read_group(maker, node, group);
  region->mesh = NULL;
  if (status == CAIRN_OK)
    status = cairn_sizes_read(cairn_yaml_child(node, "radius"), maker->scenario->file, sizes, maker->error);
  if (status == CAIRN_OK)
    status = cairn_region_read(cairn_yaml_child(node, "in"), maker->scenario->file, maker->dry, region, maker->error);
  return status;
}

static int make_cloud_in(struct maker *maker, struct cairn_node *node, const struct group *group,
                         const struct cairn_sizes *sizes, const struct cairn_region *region) {
  const struct cairn_scenario *scenario = maker->scenario;
  struct cairn_random random;
  int status = note_placed(maker, sizes->max);
  if (status != CAIRN_OK)
    return status;
  struct cairn_cloud cloud = {.region = region,
                              .n_walls = maker->n_walls,
                              .walls = maker->walls,
                              .placed = maker->placed,
                              .first = (int32_t)maker->state->n,
                              .n = cairn_schema_integer(node, "count")};
  status = add_room(maker, cairn_yaml_child(node, "count"), cloud.n);
  if (status != CAIRN_OK)
    return status;
  cloud.radius = malloc((size_t)cloud.n * sizeof(double));
  cloud.position = malloc((size_t)cloud.n * 3 * sizeof(double));
  if (!cloud.radius || !cloud.position)
    status = cairn_error_set(maker->error, CAIRN_ERR_NUMERIC, "out of memory for %lld bodies", (long long)cloud.n);
  cairn_random_init(&random, scenario->seed, maker->entry, RANDOM_SIZES);
  for (int64_t i = 0; status == CAIRN_OK && i < cloud.n; i++)
    cloud.radius[i] = cairn_sizes_draw(sizes, &random);
  if (status == CAIRN_OK)
    status = place_cloud(maker, node, &cloud);
  if (status == CAIRN_OK)
    status = fill_cloud(maker, node, group, &cloud);
  free(cloud.radius);
  free(cloud.position);
  return status;
}

static int make_cloud(struct maker *maker, struct cairn_node *node) {
  struct cairn_sizes sizes;
  struct cairn_region region;
  struct group group;
  int status = read_filling(maker, node, &group, &sizes, &region);
  if (status == CAIRN_OK && !maker->dry)
    status = make_cloud_in(maker, node, &group, &sizes, &region);
  cairn_region_fini(&region);
  return status;
}

/* Draw radii until they fill `volume` as closely as whole bodies can; keep them if `radius` is not NULL. */
static int64_t draw_volume(struct maker *maker, const struct cairn_sizes *sizes, double volume, double *radius) {
  struct cairn_random random;
  double filled = 0;
  int64_t n = 0;
  cairn_random_init(&random, maker->scenario->seed, maker->entry, RANDOM_SIZES);
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

static int place_packing(struct maker *maker, const struct cairn_node *node, struct cairn_packing *packing) {
  struct cairn_random random;
  const struct cairn_scenario *scenario = maker->scenario;
  double scale, fraction = 0;
  for (int64_t i = 0; i < packing->n; i++)
    fraction += sphere_volume(packing->radius[i]) / packing->region->volume;
  cairn_random_init(&random, scenario->seed, maker->entry, RANDOM_PLACES);
  const bool is_tangent = strcmp(cairn_schema_text(node, "arrangement"), "tangent") == 0;
  int status = (is_tangent ? cairn_tangent_place : cairn_packing_place)(packing, &random, &scale, maker->error);
  if (status != CAIRN_OK || scale == 1)
    return status;
  return cairn_yaml_error(maker->error, scenario->file, cairn_yaml_child(node, "fraction"),
                          "%lld bodies do not fit in; they were packed up to a fraction of %.3g; allowed: what random "
                          "packings reach, %s",
                          (long long)packing->n, fraction * scale * scale * scale,
                          is_tangent ? "about 0.5 for bodies of similar radii, 0.69 for radii 1:5, 0.78 for 1:10"
                                     : "about 0.6 for many bodies of similar radii, less for few; bodies of very "
                                       "different radii lie closer with arrangement: tangent");
}

static int fill_packing(struct maker *maker, const struct cairn_node *node, const struct group *group,
                        const struct cairn_sizes *sizes, struct cairn_packing *packing, double volume) {
  int64_t first = maker->state->n;
  int status = add_room(maker, node, packing->n);
  if (status != CAIRN_OK)
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

static int make_packing_in(struct maker *maker, struct cairn_node *node, const struct group *group,
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

static int make_packing(struct maker *maker, struct cairn_node *node) {
  struct cairn_sizes sizes;
  struct cairn_region region;
  struct group group;
  int status = read_filling(maker, node, &group, &sizes, &region);
  if (status == CAIRN_OK && !maker->dry)
    status = make_packing_in(maker, node, &group, &sizes, &region);
  cairn_region_fini(&region);
  return status;
}

/* The columns of a table, and whether they and the other keys say everything about a body exactly once. */
static int read_columns(const struct maker *maker, const struct cairn_node *node, struct cairn_table *table) {
  const char *file = maker->scenario->file;
  const struct cairn_node *columns = cairn_yaml_child(node, "columns");
  if (columns->n > CAIRN_TABLE_MAX_COLUMNS)
    return cairn_yaml_error(maker->error, file, columns, "found %zu columns; allowed: at most %d", columns->n,
                            CAIRN_TABLE_MAX_COLUMNS);
  for (size_t i = 0; i < columns->n; i++) {
    enum cairn_table_column column = cairn_table_column_of(columns->child[i]->text);
    if (column != CAIRN_TABLE_SKIP && cairn_table_has(table, column))
      return cairn_yaml_error(maker->error, file, columns->child[i], "found %s a second time; allowed: once",
                              columns->child[i]->text);
    table->column[table->n_columns++] = column;
  }
  for (int k = 0; k < 3; k++)
    if (!cairn_table_has(table, (enum cairn_table_column)k))
      return cairn_yaml_error(maker->error, file, columns, "the column %c is missing; x, y and z are needed", "xyz"[k]);
  const struct {
    const char *key;
    enum cairn_table_column column;
  } either[] = {{"radius", CAIRN_TABLE_RADIUS}, {"material", CAIRN_TABLE_MATERIAL}};
  for (int i = 0; i < 2; i++)
    if (cairn_table_has(table, either[i].column) == (cairn_yaml_child(node, either[i].key) != NULL))
      return cairn_yaml_error(maker->error, file, node, "needs either the key %s or a column of that name",
                              either[i].key);
  return CAIRN_OK;
}

/* Put the bodies of a file, from `first` on, where the keys of their entry say, and add the motion of the group. */
static void place_group(struct maker *maker, const struct cairn_node *node, const struct group *group, int64_t first) {
  struct cairn_state *state = maker->state;
  double shift[3], at[3], center[3];
  if (cairn_yaml_child(node, "turn"))
    cairn_bodies_turn(state, first, group->axis, group->angle);
  cairn_schema_numbers(node, "shift", 3, shift);
  if (cairn_yaml_child(node, "at")) {
    cairn_schema_numbers(node, "at", 3, at);
    cairn_bodies_center(state, first, center);
    for (int k = 0; k < 3; k++)
      shift[k] += at[k] - center[k];
  }
  for (int64_t i = first; i < state->n; i++)
    for (int64_t k = 0; k < 3; k++) {
      state->position[3 * i + k] += shift[k];
      state->velocity[3 * i + k] += group->velocity[k];
      state->spin[3 * i + k] += group->spin[k];
    }
}

/* Give the bodies of a table from `first` on what their lines do not say. */
static int complete_table(struct maker *maker, const struct cairn_node *node, const struct cairn_table *table,
                          const struct cairn_sizes *sizes, const struct group *group, int64_t first) {
  struct cairn_state *state = maker->state;
  double scale = cairn_schema_number(node, "scale");
  struct cairn_random random;
  cairn_random_init(&random, maker->scenario->seed, maker->entry, RANDOM_SIZES);
  int status = CAIRN_OK;
  for (int64_t i = first; status == CAIRN_OK && i < state->n; i++) {
    for (int64_t k = 0; k < 3; k++)
      state->position[3 * i + k] *= scale;
    state->radius[i] = sizes ? cairn_sizes_draw(sizes, &random) : state->radius[i] * scale;
    if (group->material >= 0)
      state->material[i] = group->material;
    if (!cairn_table_has(table, CAIRN_TABLE_MASS))
      status = set_mass(maker, node, i);
  }
  if (status == CAIRN_OK)
    place_group(maker, node, group, first);
  return status;
}

static int make_table(struct maker *maker, struct cairn_node *node) {
  const struct cairn_scenario *scenario = maker->scenario;
  struct cairn_node *file = cairn_yaml_child(node, "file"), *radius = cairn_yaml_child(node, "radius");
  struct cairn_table table = {.skip_lines = cairn_schema_integer(node, "skip_lines"),
                              .n_materials = scenario->n_materials,
                              .materials = scenario->materials};
  struct cairn_sizes sizes;
  struct group group;
  int64_t first = maker->state->n;
  char name[256];
  int status = read_group(maker, node, &group);
  if (status == CAIRN_OK && radius)
    status = cairn_sizes_read(radius, scenario->file, &sizes, maker->error);
  if (status == CAIRN_OK)
    status = read_columns(maker, node, &table);
  if (status != CAIRN_OK || maker->dry)
    return status;
  snprintf(name, sizeof name, "%.255s", file->text);
  status = cairn_path_resolve(scenario->file, file, maker->error);
  if (status == CAIRN_OK)
    status = cairn_table_read(&table, file->text, name, maker->state, maker->error);
  return status == CAIRN_OK ? complete_table(maker, node, &table, radius ? &sizes : NULL, &group, first) : status;
}

/* Everything that a trajectory holds of a body, but for its capture: it starts free. */
static void copy_body(struct cairn_state *to, int64_t id, const struct cairn_state *from, int64_t i) {
  for (int k = 0; k < cairn_fields_n; k++) {
    const struct cairn_field *field = &cairn_fields[k];
    const size_t size = (size_t)field->components * cairn_fields_size(field->type);
    char *values = cairn_fields_values(field, to);
    if (values && field->list == CAIRN_FIELD_BODIES && !(field->flags & CAIRN_FIELD_CAPTURE) &&
        field->flags & (CAIRN_FIELD_STATIC | CAIRN_FIELD_FRAME))
      memcpy(values + (size_t)id * size, (const char *)cairn_fields_values(field, from) + (size_t)i * size, size);
  }
}

/* Append the bodies of an earlier run, those in the region if there is one. */
static int append_run(struct maker *maker, const struct cairn_node *node, const struct cairn_state *run,
                      const struct group *group, const struct cairn_region *region) {
  struct cairn_state *state = maker->state;
  const bool at_rest = strcmp(cairn_schema_text(node, "at_rest"), "true") == 0;
  int64_t first = state->n, id = first, n = 0;
  for (int64_t i = 0; i < run->n; i++)
    n += !region || cairn_region_has(region, run->position + 3 * i);
  if (n == 0)
    return cairn_yaml_error(maker->error, maker->scenario->file, node, "no body of the frame is in the region");
  int status = add_room(maker, node, n);
  for (int64_t i = 0; status == CAIRN_OK && i < run->n; i++) {
    if (region && !cairn_region_has(region, run->position + 3 * i))
      continue;
    copy_body(state, id, run, i);
    for (int64_t k = 3 * id; k < 3 * id + 3 && at_rest; k++)
      state->velocity[k] = state->spin[k] = 0;
    state->material[id] = group->material >= 0 ? group->material : run->material[i];
    if (state->material[id] >= maker->scenario->n_materials)
      status = cairn_yaml_error(maker->error, maker->scenario->file, node,
                                "body %lld of the run has material number %d; allowed: 0 to %d, the materials listed "
                                "here in the same order, or the key material",
                                (long long)i, state->material[id], maker->scenario->n_materials - 1);
    id++;
  }
  if (status == CAIRN_OK)
    place_group(maker, node, group, first);
  return status;
}

static int make_run_in(struct maker *maker, struct cairn_node *node, const struct group *group,
                       const struct cairn_region *region) {
  const struct cairn_scenario *scenario = maker->scenario;
  struct cairn_node *file = cairn_yaml_child(node, "file");
  struct cairn_state run = {0};
  struct cairn_error cause;
  int status = cairn_path_resolve(scenario->file, file, maker->error);
  if (status != CAIRN_OK)
    return status;
  status = cairn_trajectory_read(file->text, cairn_schema_integer(node, "frame"), &run, &cause);
  if (status != CAIRN_OK) {
    cairn_yaml_error(maker->error, scenario->file, file, "%s", cause.message);
    if (maker->error)
      maker->error->status = (enum cairn_status)status;
    return status;
  }
  status = append_run(maker, node, &run, group, region);
  cairn_state_fini(&run);
  return status;
}

static int make_run(struct maker *maker, struct cairn_node *node) {
  const struct cairn_node *in = cairn_yaml_child(node, "in");
  struct cairn_region region = {.mesh = NULL};
  struct group group;
  int status = read_group(maker, node, &group);
  if (status == CAIRN_OK && in)
    status = cairn_region_read(in, maker->scenario->file, maker->dry, &region, maker->error);
  if (status == CAIRN_OK && !maker->dry)
    status = make_run_in(maker, node, &group, in ? &region : NULL);
  cairn_region_fini(&region);
  return status;
}

/* The key `rotation` of an entry, for its bodies from `first` on. */
static void rotate_group(struct maker *maker, const struct cairn_node *node, int64_t first) {
  const struct cairn_node *rotation = cairn_yaml_child(node, "rotation");
  double spin[3], pivot[3];
  if (!rotation)
    return;
  cairn_schema_numbers(rotation, "spin", 3, spin);
  if (cairn_yaml_child(rotation, "pivot"))
    cairn_schema_numbers(rotation, "pivot", 3, pivot);
  else
    cairn_bodies_center(maker->state, first, pivot);
  cairn_bodies_rotate(maker->state, first, spin, pivot);
}

static int make_entries(struct maker *maker, int64_t *first) {
  static const struct {
    const char *key;
    int (*make)(struct maker *maker, struct cairn_node *node);
  } kinds[] = {{"single", make_single},   {"lattice", make_lattice}, {"cloud", make_cloud},
               {"packing", make_packing}, {"table", make_table},     {"run", make_run}};
  const struct cairn_node *bodies = cairn_yaml_child(maker->scenario->tree, "bodies");
  int status = CAIRN_OK;
  for (size_t i = 0; status == CAIRN_OK && i < bodies->n; i++) {
    struct cairn_node *node = bodies->child[i]->child[0];
    first[i] = maker->state->n;
    maker->entry = i;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
      if (strcmp(node->key, kinds[k].key) == 0)
        status = kinds[k].make(maker, node);
    if (status == CAIRN_OK && !maker->dry)
      rotate_group(maker, node, first[i]);
  }
  first[bodies->n] = maker->state->n;
  return status;
}

int cairn_bodies_make(struct cairn_scenario *scenario, bool dry, struct cairn_error *error) {
  const struct cairn_node *bodies = cairn_yaml_child(scenario->tree, "bodies");
  struct maker maker = {.scenario = scenario, .state = &scenario->initial, .dry = dry, .error = error};
  int64_t *first = calloc(bodies->n + 1, sizeof *first);
  maker.placed = calloc(1, sizeof *maker.placed);
  int status = CAIRN_OK;
  if (!first || !maker.placed)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory");
  if (status == CAIRN_OK)
    status = cairn_walls_list_present(scenario, &maker.walls, &maker.n_walls, error);
  if (status == CAIRN_OK)
    status = make_entries(&maker, first);
  if (status == CAIRN_OK)
    status = cairn_select_apply(scenario, dry, error);
  free(maker.walls);
  if (maker.placed)
    cairn_overlap_fini(maker.placed);
  free(maker.placed);
  if (status == CAIRN_OK && !dry)
    status = cairn_bodies_check_initial(scenario, first, error);
  if (status == CAIRN_OK)
    status = cairn_insert_read(scenario, dry, error);
  if (status == CAIRN_OK && !dry && scenario->initial.n == 0)
    status = cairn_yaml_error(error, scenario->file, bodies, "found none; needed: at least one, here or in insert");
  free(first);
  return status;
}
