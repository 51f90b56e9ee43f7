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

/* ---- files in portions ---- */

/* Bodies that are read, changed and kept or forgotten together: no rank has room for all where each makes a stretch. */
enum { PORTION = 1 << 15 };

/* A file from its first body to its last, as often as it takes: the centre of mass of all bodies is known only after
 * all of them were read. */
struct source {
  struct cairn_maker *maker;
  const struct cairn_node *node;
  struct cairn_group group;
  int (*rewind)(struct source *source);
  /* The next portion, with everything but `turn` and what comes after it; none at the end. */
  int (*next)(struct source *source, struct cairn_state *portion);
  int64_t n; /* bodies read in this pass */
  struct cairn_bodies_center center;
  bool is_turned;
  double turn_center[3], shift[3]; /* m */
  /* of a table */
  struct cairn_table table;
  struct cairn_table_reader *reader;
  const char *path, *name;
  const struct cairn_sizes *sizes;
  struct cairn_random random;
  /* of a run */
  struct cairn_trajectory_part part;
  int64_t n_seen; /* bodies of its frame, those outside of the region among them */
  const struct cairn_region *region;
};

static int count_portion(struct source *s, struct cairn_state *portion) {
  (void)s;
  (void)portion;
  return CAIRN_OK;
}

static int center_portion(struct source *s, struct cairn_state *portion) {
  for (int64_t i = 0; i < portion->n; i++)
    cairn_bodies_center_add(&s->center, portion->position + 3 * i, portion->mass[i]);
  return CAIRN_OK;
}

/* Everything that a trajectory holds of a body, but for its capture: it starts free. */
static void copy_body(struct cairn_state *to, int64_t at, const struct cairn_state *from, int64_t i) {
  for (int k = 0; k < cairn_fields_n; k++) {
    const struct cairn_field *field = &cairn_fields[k];
    const size_t size = (size_t)field->components * cairn_fields_size(field->type);
    char *values = cairn_fields_values(field, to);
    if (values && field->list == CAIRN_FIELD_BODIES && !(field->flags & CAIRN_FIELD_CAPTURE) &&
        field->flags & (CAIRN_FIELD_STATIC | CAIRN_FIELD_FRAME))
      memcpy(values + (size_t)at * size, (const char *)cairn_fields_values(field, from) + (size_t)i * size, size);
  }
}

/* Put the bodies where the keys of their entry say, add the motion of the group, and keep them. */
static int take_portion(struct source *s, struct cairn_state *portion) {
  const int64_t first = cairn_bodies_n_made(s->maker);
  int status = cairn_bodies_make_room(s->maker, s->node, portion->n);
  for (int64_t i = 0, at = -1; i < portion->n && status == CAIRN_OK; i++) {
    for (int64_t k = 0; k < 3; k++) {
      portion->position[3 * i + k] += s->shift[k];
      portion->velocity[3 * i + k] += s->group.velocity[k];
      portion->spin[3 * i + k] += s->group.spin[k];
    }
    status =
        cairn_bodies_note(s->maker, first + i, portion->position + 3 * i, portion->radius[i], portion->mass[i], &at);
    if (status == CAIRN_OK && at >= 0)
      copy_body(s->maker->state, at, portion, i);
  }
  return status;
}

static int walk(struct source *s, int (*visit)(struct source *source, struct cairn_state *portion)) {
  struct cairn_state portion = {0};
  int status = s->rewind(s);
  s->n = 0;
  do {
    if (status == CAIRN_OK)
      status = s->next(s, &portion);
    if (status == CAIRN_OK && s->is_turned)
      cairn_bodies_turn(&portion, s->turn_center, s->group.axis, s->group.angle);
    s->n += portion.n;
    if (status == CAIRN_OK)
      status = visit(s, &portion);
  } while (status == CAIRN_OK && portion.n > 0);
  cairn_state_fini(&portion);
  return status;
}

static int find_center(struct source *s, double center[3]) {
  s->center = (struct cairn_bodies_center){0};
  const int status = walk(s, center_portion);
  cairn_bodies_center_get(&s->center, center);
  return status;
}

/* Count the bodies of a file, or make them. */
static int make_bodies(struct source *s) {
  double at[3], center[3];
  int status = CAIRN_OK;
  if (s->maker->counting) {
    status = walk(s, count_portion);
    return status == CAIRN_OK ? cairn_bodies_make_room(s->maker, s->node, s->n) : status;
  }
  if (cairn_yaml_child(s->node, "turn")) {
    status = find_center(s, s->turn_center);
    s->is_turned = true;
  }
  cairn_schema_numbers(s->node, "shift", 3, s->shift);
  if (cairn_yaml_child(s->node, "at") && status == CAIRN_OK) {
    cairn_schema_numbers(s->node, "at", 3, at);
    status = find_center(s, center);
    for (int k = 0; k < 3; k++)
      s->shift[k] += at[k] - center[k];
  }
  return status == CAIRN_OK ? walk(s, take_portion) : status;
}

/* ---- tables ---- */

static int rewind_table(struct source *s) {
  cairn_table_close(s->reader);
  s->reader = NULL;
  cairn_random_init(&s->random, s->maker->scenario->seed, s->maker->entry, CAIRN_BODIES_SIZES);
  return cairn_table_open(&s->table, s->path, s->name, &s->reader, s->maker->error);
}

/* The next lines, with what they do not say. */
static int next_of_table(struct source *s, struct cairn_state *portion) {
  const double scale = cairn_schema_number(s->node, "scale");
  const bool has_mass = cairn_table_has(&s->table, CAIRN_TABLE_MASS);
  int status = cairn_table_next(s->reader, PORTION, portion, s->maker->error);
  for (int64_t i = 0; status == CAIRN_OK && i < portion->n; i++) {
    for (int64_t k = 0; k < 3; k++)
      portion->position[3 * i + k] *= scale;
    portion->radius[i] = s->sizes ? cairn_sizes_draw(s->sizes, &s->random) : portion->radius[i] * scale;
    if (s->group.material >= 0)
      portion->material[i] = s->group.material;
    if (!has_mass)
      status = cairn_bodies_find_mass(s->maker->scenario, s->node, portion->radius[i], portion->material[i],
                                      portion->mass + i, s->maker->error);
  }
  return status;
}

int cairn_bodies_files_table(struct cairn_maker *maker, struct cairn_node *node) {
  const struct cairn_scenario *scenario = maker->scenario;
  struct cairn_node *file = cairn_yaml_child(node, "file"), *radius = cairn_yaml_child(node, "radius");
  struct cairn_sizes sizes;
  char name[256];
  struct source s = {.maker = maker,
                     .node = node,
                     .rewind = rewind_table,
                     .next = next_of_table,
                     .table = {.skip_lines = cairn_schema_integer(node, "skip_lines"),
                               .n_materials = scenario->n_materials,
                               .materials = scenario->materials},
                     .name = name,
                     .sizes = radius ? &sizes : NULL};
  int status = cairn_bodies_read_group(maker, node, &s.group);
  if (status == CAIRN_OK && radius)
    status = cairn_sizes_read(radius, scenario->file, &sizes, maker->error);
  if (status == CAIRN_OK)
    status = read_columns(maker, node, &s.table);
  if (status != CAIRN_OK || maker->dry)
    return status;
  snprintf(name, sizeof name, "%.255s", file->text);
  status = cairn_path_resolve(scenario->file, file, maker->error);
  s.path = file->text;
  if (status == CAIRN_OK)
    status = make_bodies(&s);
  cairn_table_close(s.reader);
  return status;
}

/* ---- frames of earlier runs ---- */

static int rewind_run(struct source *s) {
  s->part.first = s->n_seen = 0;
  return CAIRN_OK;
}

/* What is in the region of a part of the frame. */
static int choose(struct source *s, struct cairn_state *portion) {
  const struct cairn_scenario *scenario = s->maker->scenario;
  const bool at_rest = strcmp(cairn_schema_text(s->node, "at_rest"), "true") == 0;
  int64_t n = 0;
  for (int64_t i = 0; i < portion->n; i++, s->n_seen++) {
    if (s->region && !cairn_region_has(s->region, portion->position + 3 * i))
      continue;
    if (n < i)
      copy_body(portion, n, portion, i);
    for (int64_t k = 3 * n; k < 3 * n + 3 && at_rest; k++)
      portion->velocity[k] = portion->spin[k] = 0;
    if (s->group.material >= 0)
      portion->material[n] = s->group.material;
    if (portion->material[n] >= scenario->n_materials)
      return cairn_yaml_error(s->maker->error, scenario->file, s->node,
                              "body %lld of the run has material number %d; allowed: 0 to %d, the materials listed "
                              "here in the same order, or the key material",
                              (long long)s->n_seen, portion->material[n], scenario->n_materials - 1);
    n++;
  }
  return cairn_state_resize(portion, n, s->maker->error);
}

static int next_of_run(struct source *s, struct cairn_state *portion) {
  const struct cairn_node *file = cairn_yaml_child(s->node, "file");
  struct cairn_error cause;
  do {
    s->part.n = PORTION;
    int status = cairn_trajectory_read(s->path, &s->part, portion, &cause);
    if (status != CAIRN_OK) {
      cairn_yaml_error(s->maker->error, s->maker->scenario->file, file, "%s", cause.message);
      if (s->maker->error)
        s->maker->error->status = (enum cairn_status)status;
      return status;
    }
    s->part.first += s->part.n;
    status = choose(s, portion);
    if (status != CAIRN_OK)
      return status;
  } while (portion->n == 0 && s->part.first < s->part.n_all);
  if (s->n + portion->n == 0)
    return cairn_yaml_error(s->maker->error, s->maker->scenario->file, s->node, "%s",
                            s->region ? "no body of the frame is in the region" : "the frame has no bodies");
  return CAIRN_OK;
}

int cairn_bodies_files_run(struct cairn_maker *maker, struct cairn_node *node) {
  const struct cairn_node *in = cairn_yaml_child(node, "in");
  struct cairn_node *file = cairn_yaml_child(node, "file");
  struct cairn_region region = {.mesh = NULL};
  struct source s = {.maker = maker,
                     .node = node,
                     .rewind = rewind_run,
                     .next = next_of_run,
                     .part = {.frame = cairn_schema_integer(node, "frame")},
                     .region = in ? &region : NULL};
  int status = cairn_bodies_read_group(maker, node, &s.group);
  if (status == CAIRN_OK && in)
    status = cairn_region_read(in, maker->scenario->file, maker->dry, &region, maker->error);
  if (status == CAIRN_OK && !maker->dry)
    status = cairn_path_resolve(maker->scenario->file, file, maker->error);
  s.path = file->text;
  if (status == CAIRN_OK && !maker->dry)
    status = make_bodies(&s);
  cairn_region_fini(&region);
  return status;
}
