/* Bodies that are read from files: tables and frames of earlier runs. */
#include <stdio.h>
#include <string.h>

#include "data/base/path.h"
#include "data/base/table.h"
#include "data/files/trajectory.h"
#include "data/initial/bodies_move.h"
#include "data/initial/bodies_parts.h"
#include "data/initial/region.h"
#include "data/initial/sizes.h"
#include "data/schema/schema.h"
#include "data/state/fields.h"

/* The columns of a table, and whether they and the other keys say everything about a body exactly once. */
static int read_columns(const struct cairn_maker *maker, const struct cairn_node *node, struct cairn_table *table) {
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
static void place_group(struct cairn_maker *maker, const struct cairn_node *node, const struct cairn_group *group,
                        int64_t first) {
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
static int complete_table(struct cairn_maker *maker, const struct cairn_node *node, const struct cairn_table *table,
                          const struct cairn_sizes *sizes, const struct cairn_group *group, int64_t first) {
  struct cairn_state *state = maker->state;
  double scale = cairn_schema_number(node, "scale");
  struct cairn_random random;
  cairn_random_init(&random, maker->scenario->seed, maker->entry, CAIRN_BODIES_SIZES);
  int status = CAIRN_OK;
  for (int64_t i = first; status == CAIRN_OK && i < state->n; i++) {
    for (int64_t k = 0; k < 3; k++)
      state->position[3 * i + k] *= scale;
    state->radius[i] = sizes ? cairn_sizes_draw(sizes, &random) : state->radius[i] * scale;
    if (group->material >= 0)
      state->material[i] = group->material;
    if (!cairn_table_has(table, CAIRN_TABLE_MASS))
      status = cairn_bodies_set_mass(maker->scenario, node, i, maker->error);
  }
  if (status == CAIRN_OK)
    place_group(maker, node, group, first);
  return status;
}

int cairn_bodies_files_table(struct cairn_maker *maker, struct cairn_node *node) {
  const struct cairn_scenario *scenario = maker->scenario;
  struct cairn_node *file = cairn_yaml_child(node, "file"), *radius = cairn_yaml_child(node, "radius");
  struct cairn_table table = {.skip_lines = cairn_schema_integer(node, "skip_lines"),
                              .n_materials = scenario->n_materials,
                              .materials = scenario->materials};
  struct cairn_sizes sizes;
  struct cairn_group group;
  int64_t first = maker->state->n;
  char name[256];
  int status = cairn_bodies_read_group(maker, node, &group);
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
static int append_run(struct cairn_maker *maker, const struct cairn_node *node, const struct cairn_state *run,
                      const struct cairn_group *group, const struct cairn_region *region) {
  struct cairn_state *state = maker->state;
  const bool at_rest = strcmp(cairn_schema_text(node, "at_rest"), "true") == 0;
  int64_t first = state->n, id = first, n = 0;
  for (int64_t i = 0; i < run->n; i++)
    n += !region || cairn_region_has(region, run->position + 3 * i);
  if (n == 0)
    return cairn_yaml_error(maker->error, maker->scenario->file, node, "no body of the frame is in the region");
  int status = cairn_bodies_add_room(maker->scenario, node, n, maker->error);
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

static int make_run_in(struct cairn_maker *maker, struct cairn_node *node, const struct cairn_group *group,
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

int cairn_bodies_files_run(struct cairn_maker *maker, struct cairn_node *node) {
  const struct cairn_node *in = cairn_yaml_child(node, "in");
  struct cairn_region region = {.mesh = NULL};
  struct cairn_group group;
  int status = cairn_bodies_read_group(maker, node, &group);
  if (status == CAIRN_OK && in)
    status = cairn_region_read(in, maker->scenario->file, maker->dry, &region, maker->error);
  if (status == CAIRN_OK && !maker->dry)
    status = make_run_in(maker, node, &group, in ? &region : NULL);
  cairn_region_fini(&region);
  return status;
}
