#include "data/scenario/walls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* the hash state on the stack: a digest cannot fail */
#include <xxhash.h>

#include "data/initial/bodies.h"
#include "data/scenario/scenario.h"
#include "data/scenario/walls_parts.h"
#include "data/schema/schema.h"

/* The time of every step grows with their number. */
enum { MAX_WALLS = 4096 };

/* Vectors may miss a direction, and moments of inertia the triangle inequality, by this part: rounding. */
static const double rounding = 1e-9;

struct reader {
  struct cairn_scenario *scenario;
  int32_t n_single; /* walls of the list `walls` */
  struct cairn_error *error;
};

static int refuse(const struct reader *reader, const struct cairn_node *node, const char *message) {
  return cairn_yaml_error(reader->error, reader->scenario->file, node, "%s", message);
}

static int out_of_memory(const char *file, struct cairn_error *error) {
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", file);
}

/* Defaults */

static bool fill_wall(struct cairn_node *node, size_t number, bool alone) {
  char name[32];
  snprintf(name, sizeof name, "wall %zu", number);
  return (cairn_yaml_child(node, "name") || cairn_yaml_insert_text(node, "name", name)) &&
         (!alone || cairn_yaml_child(node, "appears") || cairn_yaml_insert(node, "appears", "0"));
}

int cairn_walls_fill(struct cairn_node *tree, const char *file, struct cairn_error *error) {
  const struct cairn_node *walls = cairn_yaml_child(tree, "walls"), *assemblies = cairn_yaml_child(tree, "assemblies");
  size_t number = 0;
  bool good = true;
  for (; good && number < walls->n; number++)
    good = fill_wall(walls->child[number]->child[0], number, true);
  for (size_t i = 0; good && i < assemblies->n; i++) {
    struct cairn_node *node = assemblies->child[i];
    const struct cairn_node *parts = cairn_yaml_child(node, "walls");
    char name[32];
    snprintf(name, sizeof name, "assembly %zu", i);
    good = (cairn_yaml_child(node, "name") || cairn_yaml_insert_text(node, "name", name)) &&
           (cairn_yaml_child(node, "appears") || cairn_yaml_insert(node, "appears", "0"));
    for (size_t k = 0; good && k < parts->n; k++)
      good = fill_wall(parts->child[k]->child[0], number++, false);
  }
  return good ? CAIRN_OK : out_of_memory(file, error);
}

/* Names */

static int refuse_name(const struct reader *reader, const struct cairn_node *name, const char *owner) {
  char shown[CAIRN_YAML_SHOWN];
  return cairn_yaml_error(reader->error, reader->scenario->file, name,
                          "found %s, the name of %s; allowed: each name once", cairn_yaml_show(name->text, shown),
                          owner);
}

/* The name of a wall or assembly as a new string, if none before it has it. */
static int take_name(const struct reader *reader, const struct cairn_node *node, char **result) {
  const struct cairn_scenario *scenario = reader->scenario;
  const struct cairn_node *name = cairn_yaml_child(node, "name");
  char owner[64];
  int32_t part = 0;
  for (int32_t w = 0; w < scenario->n_walls; w++) {
    int32_t assembly = scenario->walls[w].assembly - reader->n_single;
    part = w > 0 && scenario->walls[w - 1].assembly == scenario->walls[w].assembly ? part + 1 : 0;
    if (strcmp(scenario->walls[w].name, name->text) != 0)
      continue;
    if (assembly < 0)
      snprintf(owner, sizeof owner, "walls.%d", w);
    else
      snprintf(owner, sizeof owner, "assemblies.%d.walls.%d", assembly, part);
    return refuse_name(reader, name, owner);
  }
  for (int32_t a = reader->n_single; a < scenario->n_assemblies; a++)
    if (strcmp(scenario->assemblies[a].name, name->text) == 0) {
      snprintf(owner, sizeof owner, "assemblies.%d", a - reader->n_single);
      return refuse_name(reader, name, owner);
    }
  *result = strdup(name->text);
  return *result ? CAIRN_OK : out_of_memory(scenario->file, reader->error);
}

/* Parts that walls and assemblies share */

static int read_times(const struct reader *reader, const struct cairn_node *node, struct cairn_stage_times *times) {
  const struct cairn_node *vanishes = cairn_yaml_child(node, "vanishes"), *with;
  int status = cairn_stages_find(reader->scenario, node, "appears_with", &times->appears_with, reader->error);
  if (status == CAIRN_OK)
    status = cairn_stages_find(reader->scenario, node, "vanishes_with", &times->vanishes_with, reader->error);
  if (status != CAIRN_OK)
    return status;
  with = cairn_yaml_child(node, "vanishes_with");
  times->motion_with = -1;
  times->until = INFINITY;
  times->appears = cairn_schema_number(node, "appears");
  times->vanishes = vanishes ? cairn_schema_number(node, "vanishes") : with ? 0 : INFINITY;
  if (times->vanishes_with == times->appears_with && times->vanishes <= times->appears)
    return cairn_yaml_error(reader->error, reader->scenario->file, vanishes ? vanishes : with,
                            "found %g s; allowed: after appears = %g s", times->vanishes, times->appears);
  if (times->vanishes_with >= 0 && times->vanishes_with < times->appears_with)
    return cairn_yaml_error(reader->error, reader->scenario->file, with,
                            "found a stage before that of appears_with; allowed: a later one");
  return CAIRN_OK;
}

static int read_motion(const struct reader *reader, const struct cairn_node *node, const double axis[3],
                       struct cairn_assembly *assembly) {
  const struct cairn_node *motion = cairn_yaml_child(node, "motion");
  if (!motion)
    return CAIRN_OK;
  assembly->rules.kind = CAIRN_ASSEMBLY_DRIVEN;
  int status = cairn_stages_find(reader->scenario, motion, "with", &assembly->times.motion_with, reader->error);
  if (status == CAIRN_OK)
    status = cairn_walls_read_motion(reader->scenario->file, motion, axis, assembly->position, &assembly->rules.motion,
                                     reader->error);
  assembly->times.from = assembly->rules.motion.from;
  assembly->times.until = assembly->rules.motion.until;
  return status;
}

static enum cairn_wall_behavior behavior_of(const char *word) {
  static const char *const words[] = {[CAIRN_WALL_SOLID] = "solid",
                                      [CAIRN_WALL_FRICTIONLESS] = "frictionless",
                                      [CAIRN_WALL_STICKY] = "sticky",
                                      [CAIRN_WALL_ABSORBING] = "absorbing"};
  int behavior = 0;
  while (strcmp(words[behavior], word) != 0)
    behavior++;
  return (enum cairn_wall_behavior)behavior;
}

/* A wall of the last assembly. */
static int read_wall(const struct reader *reader, const struct cairn_node *node, char *name, double axis[3]) {
  struct cairn_scenario *scenario = reader->scenario;
  struct cairn_wall *wall = &scenario->walls[scenario->n_walls++];
  wall->name = name;
  wall->assembly = scenario->n_assemblies - 1;
  wall->behavior = behavior_of(cairn_schema_text(node, "behavior"));
  int status = cairn_bodies_find_material(scenario, cairn_yaml_child(node, "material"), &wall->material, reader->error);
  if (status != CAIRN_OK)
    return status;
  return cairn_walls_read_shape(scenario->file, node, scenario->assemblies[wall->assembly].position, wall, axis,
                                reader->error);
}

/* Do all walls from `first` on stay the same under the turning that their assembly, the last one, can do? */
static bool is_symmetric(const struct cairn_scenario *scenario, int32_t first) {
  static const double center[3] = {0, 0, 0}, axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const struct cairn_assembly_rules *rules = &scenario->assemblies[scenario->n_assemblies - 1].rules;
  bool symmetric = true;
  for (int32_t w = first; w < scenario->n_walls; w++) {
    const double *shape = scenario->walls[w].shape;
    if (rules->kind == CAIRN_ASSEMBLY_DRIVEN && rules->motion.spin != 0)
      symmetric = symmetric && cairn_walls_is_round(shape, rules->motion.axis, rules->motion.pivot);
    else if (rules->kind == CAIRN_ASSEMBLY_FREE && rules->n_turns == 1)
      symmetric = symmetric && cairn_walls_is_round(shape, rules->turn[0], center);
    else if (rules->kind == CAIRN_ASSEMBLY_FREE && rules->n_turns > 1)
      for (int k = 0; k < 3; k++)
        symmetric = symmetric && cairn_walls_is_round(shape, axes[k], center);
  }
  return symmetric;
}

/* The list `walls` */

static int read_single(const struct reader *reader, const struct cairn_node *node) {
  struct cairn_scenario *scenario = reader->scenario;
  struct cairn_assembly *assembly = &scenario->assemblies[scenario->n_assemblies];
  double axis[3];
  char *name = NULL;
  int status = take_name(reader, node, &name);
  if (status != CAIRN_OK)
    return status;
  scenario->n_assemblies++;
  cairn_walls_read_reference(node, assembly->position);
  memcpy(assembly->rules.start, assembly->position, sizeof assembly->position);
  status = read_wall(reader, node, name, axis);
  if (status == CAIRN_OK && !(assembly->name = strdup(name)))
    status = out_of_memory(scenario->file, reader->error);
  if (status == CAIRN_OK)
    status = read_times(reader, node, &assembly->times);
  if (status == CAIRN_OK)
    status = read_motion(reader, node, axis, assembly);
  if (status == CAIRN_OK)
    assembly->symmetric = is_symmetric(scenario, scenario->n_walls - 1);
  return status;
}

/* The list `assemblies` */

/* The words of `free`: three axes and the one of the key `axis`, for each kind of motion. */
static const char *const freedoms[2][4] = {{"x", "y", "z", "along"}, {"turn_x", "turn_y", "turn_z", "turn"}};

/* The entry of a list that is this word; NULL if there is none. */
static const struct cairn_node *find_word(const struct cairn_node *list, const char *word) {
  for (size_t i = 0; i < list->n; i++)
    if (strcmp(list->child[i]->text, word) == 0)
      return list->child[i];
  return NULL;
}

/* The directions of one kind that `free` lists; n of them. */
static int read_directions(const struct reader *reader, const struct cairn_node *list, int kind, const double axis[3],
                           int32_t *n, double direction[3][3]) {
  const char *const *words = freedoms[kind];
  const struct cairn_node *own = find_word(list, words[3]);
  for (int k = 0; k < 3; k++) {
    if (!find_word(list, words[k]))
      continue;
    if (own)
      return cairn_yaml_error(reader->error, reader->scenario->file, own,
                              "found %s besides %s; allowed: either %s or some of %s, %s, %s", words[3], words[k],
                              words[3], words[0], words[1], words[2]);
    direction[(*n)++][k] = 1;
  }
  if (own)
    memcpy(direction[(*n)++], axis, 3 * sizeof *axis);
  return CAIRN_OK;
}

static int read_free(const struct reader *reader, const struct cairn_node *list, const double axis[3],
                     struct cairn_assembly_rules *rules) {
  for (size_t i = 0; i < list->n; i++)
    if (find_word(list, list->child[i]->text) != list->child[i])
      return cairn_yaml_error(reader->error, reader->scenario->file, list->child[i],
                              "found %s a second time; allowed: once", list->child[i]->text);
  int status = read_directions(reader, list, 0, axis, &rules->n_slides, rules->slide);
  if (status == CAIRN_OK)
    status = read_directions(reader, list, 1, axis, &rules->n_turns, rules->turn);
  if (list->n > 0)
    rules->kind = CAIRN_ASSEMBLY_FREE;
  return status;
}

/* Keep of a vector what lies in the n given directions; there must not be anything else. */
static int read_within(const struct reader *reader, const struct cairn_node *node, const char *key, int32_t n,
                       const double direction[3][3], double vector[3]) {
  double given[3], inside[3] = {0, 0, 0}, outside = 0, largest = 0;
  cairn_schema_numbers(node, key, 3, given);
  for (int32_t i = 0; i < n; i++) {
    double part = given[0] * direction[i][0] + given[1] * direction[i][1] + given[2] * direction[i][2];
    for (int k = 0; k < 3; k++)
      inside[k] += part * direction[i][k];
  }
  for (int k = 0; k < 3; k++) {
    outside = fmax(outside, fabs(given[k] - inside[k]));
    largest = fmax(largest, fabs(given[k]));
    vector[k] = inside[k];
  }
  if (outside <= rounding * largest)
    return CAIRN_OK;
  return cairn_yaml_error(reader->error, reader->scenario->file, cairn_yaml_child(node, key),
                          "found [%g, %g, %g], but the assembly is not free in that direction; allowed: directions "
                          "listed in free",
                          given[0], given[1], given[2]);
}

static int read_inertia(const struct reader *reader, const struct cairn_node *node,
                        struct cairn_assembly_rules *rules) {
  const struct cairn_node *inertia = cairn_yaml_child(node, "inertia");
  double *m = rules->inertia;
  if (!inertia)
    return rules->n_turns ? refuse(reader, cairn_yaml_child(node, "free"),
                                   "found a rotation without the key inertia; allowed: with inertia")
                          : CAIRN_OK;
  cairn_schema_numbers(node, "inertia", 3, m);
  for (int k = 0; k < 3; k++)
    if (m[k] > (m[(k + 1) % 3] + m[(k + 2) % 3]) * (1 + rounding))
      return cairn_yaml_error(reader->error, reader->scenario->file, inertia,
                              "found %g about %c, more than the other two together (%g); allowed: at most their sum, "
                              "as of any body",
                              m[k], "xyz"[k], m[(k + 1) % 3] + m[(k + 2) % 3]);
  return CAIRN_OK;
}

static int read_servo(const struct reader *reader, const struct cairn_node *node, const double axis[3],
                      struct cairn_assembly_rules *rules) {
  const struct cairn_node *servo = cairn_yaml_child(node, "servo"), *list = cairn_yaml_child(node, "free");
  if (!servo)
    return CAIRN_OK;
  if (!find_word(list, "along"))
    return refuse(reader, servo, "found a servo, but the assembly cannot follow it; allowed: with along in free");
  rules->servo_force = cairn_schema_number(servo, "force");
  rules->servo_speed = cairn_schema_number(servo, "speed");
  memcpy(rules->servo_axis, axis, sizeof rules->servo_axis);
  return CAIRN_OK;
}

/* How bodies can move the assembly. */
static int read_freedom(const struct reader *reader, const struct cairn_node *node, const double axis[3],
                        struct cairn_assembly *assembly) {
  struct cairn_assembly_rules *rules = &assembly->rules;
  const struct cairn_node *list = cairn_yaml_child(node, "free"), *motion = cairn_yaml_child(node, "motion");
  int status = read_free(reader, list, axis, rules);
  if (status == CAIRN_OK && list->n > 0 && motion)
    status = refuse(reader, motion, "found a motion besides free; allowed: either motion or free");
  if (status == CAIRN_OK && list->n > 0 && !cairn_yaml_child(node, "mass"))
    status = refuse(reader, list, "found directions without the key mass; allowed: with mass");
  if (status == CAIRN_OK)
    status = read_inertia(reader, node, rules);
  if (status == CAIRN_OK)
    status = read_servo(reader, node, axis, rules);
  if (status == CAIRN_OK)
    status = read_within(reader, node, "velocity", rules->n_slides, rules->slide, assembly->velocity);
  if (status == CAIRN_OK)
    status = read_within(reader, node, "spin", rules->n_turns, rules->turn, assembly->spin);
  cairn_schema_numbers(node, "force", 3, rules->force);
  rules->mass = cairn_schema_number(node, "mass");
  if (status == CAIRN_OK && list->n == 0 && (rules->force[0] != 0 || rules->force[1] != 0 || rules->force[2] != 0))
    status = refuse(reader, cairn_yaml_child(node, "force"),
                    "found a force on an assembly that nothing can move; allowed: with free");
  return status;
}

/* A wall of an assembly has no life of its own. */
static int check_part(const struct reader *reader, const struct cairn_node *node) {
  static const char *const keys[] = {"appears", "appears_with", "vanishes", "vanishes_with", "motion"};
  for (int i = 0; i < 5; i++) {
    const struct cairn_node *own = cairn_yaml_child(node, keys[i]);
    if (own)
      return cairn_yaml_key_error(reader->error, reader->scenario->file, own,
                                  "found on a wall of an assembly, which moves as one; give it to the assembly");
  }
  const struct cairn_assembly_rules *rules = &reader->scenario->assemblies[reader->scenario->n_assemblies - 1].rules;
  if (rules->kind == CAIRN_ASSEMBLY_FREE && strcmp(cairn_schema_text(node, "behavior"), "sticky") == 0)
    return refuse(reader, cairn_yaml_child(node, "behavior"),
                  "found sticky in an assembly that is free; allowed: solid, frictionless, absorbing");
  return CAIRN_OK;
}

static int read_parts(const struct reader *reader, const struct cairn_node *node) {
  struct cairn_scenario *scenario = reader->scenario;
  struct cairn_assembly *assembly = &scenario->assemblies[scenario->n_assemblies - 1];
  const struct cairn_node *walls = cairn_yaml_child(node, "walls");
  int32_t first = scenario->n_walls;
  int status = CAIRN_OK;
  for (size_t i = 0; status == CAIRN_OK && i < walls->n; i++) {
    const struct cairn_node *wall = walls->child[i]->child[0];
    double axis[3];
    char *name = NULL;
    status = check_part(reader, wall);
    if (status == CAIRN_OK)
      status = take_name(reader, wall, &name);
    if (status == CAIRN_OK)
      status = read_wall(reader, wall, name, axis);
  }
  if (status == CAIRN_OK)
    assembly->symmetric = is_symmetric(scenario, first);
  return status;
}

static int read_assembly(const struct reader *reader, const struct cairn_node *node) {
  struct cairn_scenario *scenario = reader->scenario;
  struct cairn_assembly *assembly = &scenario->assemblies[scenario->n_assemblies];
  double axis[3];
  int status = take_name(reader, node, &assembly->name);
  if (status != CAIRN_OK)
    return status;
  scenario->n_assemblies++;
  cairn_schema_numbers(node, "center", 3, assembly->position);
  memcpy(assembly->rules.start, assembly->position, sizeof assembly->position);
  status = cairn_walls_read_direction(scenario->file, node, "axis", axis, reader->error);
  if (status == CAIRN_OK)
    status = read_times(reader, node, &assembly->times);
  if (status == CAIRN_OK)
    status = read_freedom(reader, node, axis, assembly);
  if (status == CAIRN_OK)
    status = read_motion(reader, node, axis, assembly);
  return status == CAIRN_OK ? read_parts(reader, node) : status;
}

int cairn_walls_read(struct cairn_scenario *scenario, struct cairn_error *error) {
  const struct cairn_node *walls = cairn_yaml_child(scenario->tree, "walls");
  const struct cairn_node *assemblies = cairn_yaml_child(scenario->tree, "assemblies");
  size_t total = walls->n;
  for (size_t i = 0; i < assemblies->n; i++)
    total += cairn_yaml_child(assemblies->child[i], "walls")->n;
  if (total > MAX_WALLS)
    return cairn_yaml_error(error, scenario->file, walls->n ? walls : assemblies,
                            "found %zu walls in all; allowed: at most %d", total, MAX_WALLS);
  scenario->walls = calloc(total + 1, sizeof *scenario->walls);
  scenario->assemblies = calloc(walls->n + assemblies->n + 1, sizeof *scenario->assemblies);
  if (!scenario->walls || !scenario->assemblies)
    return out_of_memory(scenario->file, error);
  const struct reader reader = {scenario, (int32_t)walls->n, error};
  int status = CAIRN_OK;
  for (size_t i = 0; status == CAIRN_OK && i < walls->n; i++)
    status = read_single(&reader, walls->child[i]->child[0]);
  for (size_t i = 0; status == CAIRN_OK && i < assemblies->n; i++)
    status = read_assembly(&reader, assemblies->child[i]);
  return status;
}

void cairn_walls_fini(struct cairn_scenario *scenario) {
  for (int32_t w = 0; w < scenario->n_walls; w++) {
    free(scenario->walls[w].name);
    cairn_mesh_free(scenario->walls[w].mesh);
  }
  for (int32_t a = 0; a < scenario->n_assemblies; a++) {
    struct cairn_motion *motion = &scenario->assemblies[a].rules.motion;
    free(scenario->assemblies[a].name);
    free(motion->time);
    free(motion->displacement);
    free(motion->slope);
  }
  free(scenario->walls);
  free(scenario->assemblies);
  scenario->walls = NULL;
  scenario->assemblies = NULL;
  scenario->n_walls = scenario->n_assemblies = 0;
}

/* Digest. Numbers go in one by one: structures have gaps of any content. */

static void add_bytes(XXH3_state_t *hash, const void *bytes, size_t n) {
  if (n > 0)
    XXH3_128bits_update(hash, bytes, n);
}

static void add_integer(XXH3_state_t *hash, int64_t value) { add_bytes(hash, &value, sizeof value); }

static void add_numbers(XXH3_state_t *hash, const double *values, size_t n) {
  /* The length first: otherwise numbers could move from one list to the next unseen. */
  add_integer(hash, (int64_t)n);
  add_bytes(hash, values, n * sizeof *values);
}

static void add_text(XXH3_state_t *hash, const char *text) {
  add_integer(hash, (int64_t)strlen(text));
  add_bytes(hash, text, strlen(text));
}

static void add_wall(XXH3_state_t *hash, const struct cairn_wall *wall) {
  add_text(hash, wall->name);
  add_integer(hash, wall->material);
  add_integer(hash, wall->assembly);
  add_integer(hash, wall->behavior);
  add_numbers(hash, wall->reference, 3);
  add_numbers(hash, wall->shape, CAIRN_SHAPE_DOUBLES);
  add_numbers(hash, wall->mesh ? wall->mesh->data : NULL, wall->mesh ? wall->mesh->n_doubles : 0);
}

static void add_motion(XXH3_state_t *hash, const struct cairn_motion *m) {
  const double times[] = {m->from, m->until, m->frequency, m->phase, m->spin, m->knock_duration, m->knock_period};
  size_t n = (size_t)m->n_points;
  add_numbers(hash, times, sizeof times / sizeof *times);
  add_numbers(hash, m->velocity, 3);
  add_numbers(hash, m->amplitude, 3);
  add_numbers(hash, m->axis, 3);
  add_numbers(hash, m->pivot, 3);
  add_numbers(hash, m->knock_velocity, 3);
  add_integer(hash, m->knock_ramp);
  add_numbers(hash, m->time, n);
  add_numbers(hash, m->displacement, 3 * n);
}

static void add_assembly(XXH3_state_t *hash, const struct cairn_assembly *assembly) {
  const struct cairn_assembly_rules *rules = &assembly->rules;
  const double numbers[] = {rules->appears, rules->vanishes, rules->mass, rules->servo_force, rules->servo_speed};
  add_text(hash, assembly->name);
  add_numbers(hash, assembly->position, 3);
  add_numbers(hash, assembly->velocity, 3);
  add_numbers(hash, assembly->spin, 3);
  add_integer(hash, rules->kind);
  add_numbers(hash, numbers, sizeof numbers / sizeof *numbers);
  add_motion(hash, &rules->motion);
  add_numbers(hash, rules->inertia, 3);
  add_integer(hash, rules->n_slides);
  add_integer(hash, rules->n_turns);
  add_numbers(hash, rules->slide[0], 9);
  add_numbers(hash, rules->turn[0], 9);
  add_numbers(hash, rules->force, 3);
  add_numbers(hash, rules->servo_axis, 3);
}

void cairn_walls_digest(const struct cairn_scenario *scenario, char digest[CAIRN_WALLS_DIGEST + 1]) {
  static const char digits[] = "0123456789abcdef";
  XXH3_state_t hash;
  XXH3_INITSTATE(&hash);
  XXH3_128bits_reset(&hash);
  add_integer(&hash, scenario->n_walls);
  for (int32_t w = 0; w < scenario->n_walls; w++)
    add_wall(&hash, &scenario->walls[w]);
  add_integer(&hash, scenario->n_assemblies);
  for (int32_t a = 0; a < scenario->n_assemblies; a++)
    add_assembly(&hash, &scenario->assemblies[a]);
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&hash));
  for (int i = 0; i < CAIRN_WALLS_DIGEST / 2; i++) {
    digest[2 * i] = digits[canonical.digest[i] >> 4];
    digest[2 * i + 1] = digits[canonical.digest[i] & 15];
  }
  digest[CAIRN_WALLS_DIGEST] = '\0';
}
