#include "data/scenario/scenario.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/base/number.h"
#include "data/base/path.h"
#include "data/gravity/gravity.h"
#include "data/initial/bodies.h"
#include "data/initial/insert.h"
#include "data/scenario/cohesion.h"
#include "data/scenario/contact_laws.h"
#include "data/scenario/external.h"
#include "data/scenario/unused_keys.h"
#include "data/schema/schema.h"
#include "data/schema/yaml.h"

/* The table of pairs grows with the square of it. */

static int out_of_memory(const struct cairn_scenario *scenario, struct cairn_error *error) {
  return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", scenario->file ? scenario->file : "scenario");
}

/* Defaults that depend on other things than the key itself. */

static int default_text(struct cairn_scenario *scenario, struct cairn_node *map, const char *key, const char *text,
                        struct cairn_error *error) {
  if (cairn_yaml_child(map, key) || cairn_yaml_insert_text(map, key, text))
    return CAIRN_OK;
  return out_of_memory(scenario, error);
}

static int default_interval(struct cairn_scenario *scenario, const char *path, double value,
                            struct cairn_error *error) {
  const struct cairn_node *node = cairn_yaml_find(scenario->tree, path);
  return strcmp(node->text, "auto") == 0 ? cairn_scenario_resolve(scenario, path, value, error) : CAIRN_OK;
}

static int fill_computed(struct cairn_scenario *scenario, struct cairn_error *error) {
  struct cairn_node *tree = scenario->tree;
  double end = cairn_schema_number(cairn_yaml_child(tree, "time"), "end");
  char *stem = cairn_path_stem(scenario->file);
  if (!stem)
    return out_of_memory(scenario, error);
  int status = cairn_contact_laws_fill(tree, scenario->file, error);
  if (status == CAIRN_OK)
    status = default_text(scenario, tree, "title", stem, error);
  if (status == CAIRN_OK)
    status = default_text(scenario, cairn_yaml_child(tree, "output"), "name", stem, error);
  free(stem);
  if (status == CAIRN_OK)
    status = default_interval(scenario, "output.frames", end / 100, error);
  if (status == CAIRN_OK)
    status = default_interval(scenario, "output.series", end / 500, error);
  return status == CAIRN_OK ? cairn_walls_fill(tree, scenario->file, error) : status;
}

/* From the tree to numbers */

static int read_time(struct cairn_scenario *scenario, struct cairn_error *error) {
  const struct cairn_node *time = cairn_yaml_child(scenario->tree, "time");
  scenario->time_step = cairn_schema_number(time, "step");
  scenario->time_end = cairn_schema_number(time, "end");
  if (scenario->time_step > scenario->time_end) {
    char found[CAIRN_NUMBER_LENGTH], end[CAIRN_NUMBER_LENGTH];
    cairn_number_apart(scenario->time_step, scenario->time_end, 6, found, end);
    return cairn_yaml_error(error, scenario->file, cairn_yaml_child(time, "step"),
                            "found %s s; allowed: at most time.end = %s s", found, end);
  }
  if (scenario->time_step > 0 && scenario->time_end / scenario->time_step > CAIRN_MOST_STEPS)
    return cairn_yaml_error(error, scenario->file, cairn_yaml_child(time, "step"),
                            "found %g s, which makes %g steps up to time.end; allowed: at most %g steps",
                            scenario->time_step, scenario->time_end / scenario->time_step, CAIRN_MOST_STEPS);
  return CAIRN_OK;
}

static int read_materials(struct cairn_scenario *scenario, struct cairn_error *error) {
  char shown[CAIRN_YAML_SHOWN];
  const struct cairn_node *list = cairn_yaml_child(scenario->tree, "materials");
  const struct cairn_law *law = cairn_laws_table + scenario->law;
  if (list->n > CAIRN_SCENARIO_MOST_MATERIALS)
    return cairn_yaml_error(error, scenario->file, list, "found %zu materials; allowed: at most %d", list->n,
                            CAIRN_SCENARIO_MOST_MATERIALS);
  scenario->materials = calloc(list->n, sizeof *scenario->materials);
  scenario->interactions = calloc(list->n * list->n, sizeof *scenario->interactions);
  scenario->interaction_entry = malloc(list->n * list->n * sizeof *scenario->interaction_entry);
  if (!scenario->materials || !scenario->interactions || !scenario->interaction_entry)
    return out_of_memory(scenario, error);
  memset(scenario->interaction_entry, 0xff, list->n * list->n * sizeof *scenario->interaction_entry);
  for (size_t i = 0; i < list->n; i++) {
    const char *name = cairn_schema_text(list->child[i], "name");
    for (size_t k = 0; k < i; k++)
      if (strcmp(scenario->materials[k].name, name) == 0)
        return cairn_yaml_error(error, scenario->file, cairn_yaml_child(list->child[i], "name"),
                                "found %s, the name of materials.%zu; allowed: each name once",
                                cairn_yaml_show(name, shown), k);
    scenario->materials[i].name = strdup(name);
    scenario->materials[i].density = cairn_schema_number(list->child[i], "density");
    cairn_contact_laws_read(list->child[i], law->material_keys, law->n_material_keys, scenario->materials[i].law);
    if (!scenario->materials[i].name)
      return out_of_memory(scenario, error);
    scenario->n_materials++;
  }
  return CAIRN_OK;
}

/* What goes together in an interaction, and what only rigid bodies know. */
static int check_interaction(const struct cairn_scenario *scenario, const struct cairn_node *node,
                             const struct cairn_interaction *i, struct cairn_error *error) {
  const char *const file = scenario->file;
  const char *key = cairn_unused_keys_refused(scenario, node);
  if (key)
    return cairn_yaml_error(error, file, cairn_yaml_child(node, key),
                            "found %g; allowed with `method: %s`: 0, as another method has it",
                            cairn_schema_number(node, key), cairn_schema_text(scenario->tree, "method"));
  if (i->rolling_length > 0 && i->rolling_friction > 0)
    return cairn_yaml_error(error, file, cairn_yaml_child(node, "rolling_length"),
                            "found %g m beside rolling_friction; allowed: one of the two", i->rolling_length);
  if (i->twisting_length > 0 && i->twisting_friction > 0)
    return cairn_yaml_error(error, file, cairn_yaml_child(node, "twisting_length"),
                            "found %g m beside twisting_friction; allowed: one of the two", i->twisting_length);
  return cairn_cohesion_check(node, i, scenario->law == CAIRN_LAW_hertz, file, error);
}

/* The restitution of hard spheres as a law of the impact speed. */
static void read_restitution(const struct cairn_node *node, struct cairn_interaction *i) {
  const char *law = cairn_schema_text(node, "restitution_law");
  if (strcmp(law, "power") == 0) {
    i->restitution_speed = cairn_schema_number(node, "restitution_speed");
    i->restitution_exponent = cairn_schema_number(node, "restitution_exponent");
  }
  if (strcmp(law, "bridges") == 0) { /* ice: Bridges, Hatzes and Lin 1984 */
    i->restitution = 0.32;
    i->restitution_speed = 0.01;
    i->restitution_exponent = 0.234;
  }
}

static int read_interaction(struct cairn_scenario *scenario, const struct cairn_node *node, size_t entry,
                            struct cairn_error *error) {
  const struct cairn_node *between = cairn_yaml_child(node, "between");
  int32_t m[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    int status = cairn_bodies_find_material(scenario, between->child[i], &m[i], error);
    if (status != CAIRN_OK)
      return status;
  }
  struct cairn_interaction interaction = {
      .restitution = cairn_schema_number(node, "restitution"),
      .transverse_restitution = cairn_schema_number(node, "transverse_restitution"),
      .tangential_rebound = cairn_schema_number(node, "tangential_rebound"),
      .friction = cairn_schema_number(node, "friction"),
      .slip = cairn_schema_number(node, "slip"),
      .rolling_friction = cairn_schema_number(node, "rolling_friction"),
      .twisting_friction = cairn_schema_number(node, "twisting_friction"),
      .cohesion = cairn_schema_number(node, "cohesion"),
      .cohesion_range = cairn_schema_number(node, "cohesion_range"),
      .cohesion_energy = cairn_schema_number(node, "cohesion_energy"),
      .work_of_adhesion = cairn_schema_number(node, "work_of_adhesion"),
      .jkr = strcmp(cairn_schema_text(node, "adhesion_law"), "jkr") == 0,
      .hamaker_constant = cairn_schema_number(node, "hamaker_constant"),
      .hamaker_separation = cairn_schema_number(node, "hamaker_separation"),
      .rolling_length = cairn_schema_number(node, "rolling_length"),
      .twisting_length = cairn_schema_number(node, "twisting_length"),
  };
  read_restitution(node, &interaction);
  const struct cairn_law *law = cairn_laws_table + scenario->law;
  cairn_contact_laws_read(node, law->pair_keys, law->n_pair_keys, interaction.law);
  int status = check_interaction(scenario, node, &interaction, error);
  if (status != CAIRN_OK)
    return status;
  for (int i = 0; i < 2; i++) {
    int32_t pair = m[i] * scenario->n_materials + m[1 - i];
    int32_t before = scenario->interaction_entry[pair];
    if (before >= 0 && before != (int32_t)entry)
      return cairn_yaml_error(error, scenario->file, between,
                              "found the pair of interactions.%d again; allowed: each pair once, in either order",
                              before);
    scenario->interactions[pair] = interaction;
    scenario->interaction_entry[pair] = (int32_t)entry;
  }
  return CAIRN_OK;
}

static int read_world(struct cairn_scenario *scenario, struct cairn_error *error) {
  const struct cairn_node *world = cairn_yaml_child(scenario->tree, "world");
  double *lower = scenario->world_lower, *upper = scenario->world_upper;
  for (int k = 0; k < 3; k++) {
    lower[k] = -INFINITY;
    upper[k] = INFINITY;
  }
  if (world && cairn_yaml_child(world, "lower"))
    cairn_schema_numbers(world, "lower", 3, lower);
  if (world && cairn_yaml_child(world, "upper"))
    cairn_schema_numbers(world, "upper", 3, upper);
  for (int k = 0; k < 3; k++)
    if (!(lower[k] < upper[k]))
      return cairn_yaml_error(error, scenario->file, cairn_yaml_child(world, "upper"),
                              "found %g, not above lower = %g, along %c; allowed: upper > lower on every axis",
                              upper[k], lower[k], "xyz"[k]);
  return CAIRN_OK;
}

static int read_lists(struct cairn_scenario *scenario, struct cairn_error *error) {
  const struct cairn_node *interactions = cairn_yaml_child(scenario->tree, "interactions");
  int status = read_materials(scenario, error);
  for (size_t i = 0; status == CAIRN_OK && i < interactions->n; i++)
    status = read_interaction(scenario, interactions->child[i], i, error);
  return status == CAIRN_OK ? cairn_walls_read(scenario, error) : status;
}

static int read_output(struct cairn_scenario *scenario, struct cairn_error *error) {
  const struct cairn_node *output = cairn_yaml_child(scenario->tree, "output");
  const char *name = cairn_schema_text(output, "name");
  if (name[strlen(name) - 1] == '/')
    return cairn_yaml_error(error, scenario->file, cairn_yaml_child(output, "name"),
                            "found the name of a folder; allowed: the beginning of file names");
  scenario->title = strdup(cairn_schema_text(scenario->tree, "title"));
  scenario->output_name = strdup(name);
  scenario->output_frames = cairn_schema_number(output, "frames");
  scenario->output_series = cairn_schema_number(output, "series");
  scenario->output_checkpoint = cairn_schema_number(output, "checkpoint");
  const char *bodies = cairn_schema_text(output, "bodies");
  const enum cairn_forces forces = cairn_scenario_forces(scenario);
  scenario->output_stress =
      strcmp(bodies, "stress") == 0 || (strcmp(bodies, "auto") == 0 && forces == CAIRN_FORCES_TOLD);
  if (scenario->output_stress && forces == CAIRN_FORCES_NONE)
    return cairn_yaml_error(error, scenario->file, cairn_yaml_child(output, "bodies"),
                            "found stress; allowed with `method: %s`, which has no contact forces: none",
                            cairn_schema_text(scenario->tree, "method"));
  scenario->output_contacts = strcmp(cairn_schema_text(output, "contacts"), "true") == 0;
  if (scenario->output_contacts && forces == CAIRN_FORCES_NONE)
    return cairn_yaml_error(error, scenario->file, cairn_yaml_child(output, "contacts"),
                            "found true; allowed with `method: %s`, whose collisions take no time: false",
                            cairn_schema_text(scenario->tree, "method"));
  scenario->output_report = strcmp(cairn_schema_text(output, "report"), "true") == 0;
  return scenario->title && scenario->output_name ? CAIRN_OK : out_of_memory(scenario, error);
}

/* Can bodies of the materials a and b meet, or bodies of one and walls of the other? */
static bool can_meet(const int64_t *n_bodies, const bool *on_wall, int32_t a, int32_t b) {
  if (a == b ? n_bodies[a] > 1 : n_bodies[a] > 0 && n_bodies[b] > 0)
    return true;
  return (n_bodies[a] > 0 && on_wall[b]) || (n_bodies[b] > 0 && on_wall[a]);
}

int cairn_scenario_check_interactions(const struct cairn_scenario *scenario, const int64_t *n_bodies,
                                      struct cairn_error *error) {
  bool on_wall[CAIRN_SCENARIO_MOST_MATERIALS] = {false};
  for (int32_t w = 0; w < scenario->n_walls; w++)
    on_wall[scenario->walls[w].material] = true;
  for (int32_t a = 0; a < scenario->n_materials; a++)
    for (int32_t b = a; b < scenario->n_materials; b++)
      if (scenario->interaction_entry[a * scenario->n_materials + b] < 0 && can_meet(n_bodies, on_wall, a, b))
        return cairn_yaml_error(error, scenario->file, cairn_yaml_child(scenario->tree, "interactions"),
                                "no entry between [%.80s, %.80s], which meet in this scenario; needed: one entry for "
                                "every pair of materials that can meet",
                                scenario->materials[a].name, scenario->materials[b].name);
  return CAIRN_OK;
}

static int check_interactions(const struct cairn_scenario *scenario, struct cairn_error *error) {
  int64_t n_bodies[CAIRN_SCENARIO_MOST_MATERIALS] = {0};
  for (int64_t i = 0; i < scenario->initial.n; i++)
    n_bodies[scenario->initial.material[i]]++;
  return cairn_scenario_check_interactions(scenario, n_bodies, error);
}

static void read_gravity(struct cairn_scenario *scenario, const struct cairn_node *gravity) {
  const struct cairn_node *self = cairn_yaml_child(gravity, "self");
  cairn_schema_numbers(gravity, "uniform", 3, scenario->gravity);
  scenario->self_gravity = self != NULL;
  scenario->self_constant = CAIRN_GRAVITY_G;
  if (!self)
    return;
  scenario->self_accuracy = cairn_schema_number(self, "accuracy");
  scenario->self_constant = cairn_schema_number(self, "constant");
  scenario->self_order = cairn_schema_integer(self, "order");
  scenario->self_refresh = cairn_schema_integer(self, "refresh");
}

/* The place of a word in a list of names; the schema has checked that it is there. */
static int index_of(const char *const *names, const char *word) {
  int k = 0;
  while (strcmp(names[k], word) != 0)
    k++;
  return k;
}

#define METHOD_NAME(name, forces, laws) #name,
static enum cairn_method method_of(const char *word) {
  static const char *const names[] = {CAIRN_METHODS(METHOD_NAME)};
  return (enum cairn_method)index_of(names, word);
}

#define SOLVER_NAME(upper, name) #name,
static enum cairn_cd_solver solver_of(const char *word) {
  static const char *const names[] = {CAIRN_CD_SOLVERS(SOLVER_NAME)};
  return (enum cairn_cd_solver)index_of(names, word);
}

static void read_collisions(struct cairn_scenario *scenario, const struct cairn_node *node) {
  const bool is_auto = strcmp(cairn_schema_text(node, "elastic_below"), "auto") == 0;
  scenario->collisions_elastic_below = is_auto ? -1. : cairn_schema_number(node, "elastic_below");
  scenario->collisions_merge = strcmp(cairn_schema_text(node, "outcome"), "merge") == 0;
}

static int read_scenario(struct cairn_scenario *scenario, int flags, struct cairn_error *error) {
  const struct cairn_node *tree = scenario->tree, *cells = cairn_yaml_child(tree, "cells");
  const struct cairn_node *solver = cairn_yaml_child(tree, "solver");
  scenario->method = method_of(cairn_schema_text(tree, "method"));
  scenario->law = cairn_contact_laws_kind(cairn_schema_text(tree, "law"));
  scenario->rolling_law =
      strcmp(cairn_schema_text(tree, "rolling_law"), "spring") == 0 ? CAIRN_ROLLING_SPRING : CAIRN_ROLLING_VISCOUS;
  scenario->solver = solver_of(cairn_schema_text(solver, "kind"));
  scenario->solver_tolerance = cairn_schema_number(solver, "tolerance");
  scenario->solver_sweeps = cairn_schema_integer(solver, "sweeps");
  scenario->solver_theta = cairn_schema_number(solver, "theta");
  scenario->solver_touching = strcmp(cairn_schema_text(solver, "gaps"), "touching") == 0;
  scenario->solver_patience = cairn_schema_integer(solver, "patience");
  read_collisions(scenario, cairn_yaml_child(tree, "collisions"));
  scenario->seed = (uint64_t)cairn_schema_integer(tree, "seed");
  read_gravity(scenario, cairn_yaml_child(tree, "gravity"));
  scenario->cells_bodies = cairn_schema_integer(cells, "bodies");
  scenario->cells_skin = cairn_schema_number(cells, "skin");
  scenario->overlap_limit = cairn_schema_number(cairn_yaml_child(tree, "overlap"), "limit");
  int status = read_time(scenario, error);
  if (status == CAIRN_OK)
    status = read_world(scenario, error);
  if (status == CAIRN_OK)
    status = read_output(scenario, error);
  if (status == CAIRN_OK)
    status = cairn_stages_read(scenario, error);
  if (status == CAIRN_OK)
    status = read_lists(scenario, error);
  if (status == CAIRN_OK)
    cairn_stages_enter(scenario);
  if (status == CAIRN_OK)
    status = cairn_external_read(scenario, error);
  if (status == CAIRN_OK)
    status = cairn_spin_up_read(scenario, error);
  if (status == CAIRN_OK)
    status = cairn_bonds_read(scenario, (flags & CAIRN_SCENARIO_NO_BODIES) != 0, error);
  if (status == CAIRN_OK)
    status = cairn_bodies_make(scenario, flags, error);
  if (status == CAIRN_OK && !(flags & CAIRN_SCENARIO_NO_BODIES))
    status = cairn_bonds_read_tables(scenario, error);
  if (status == CAIRN_OK && !(flags & CAIRN_SCENARIO_NO_BODIES) && !scenario->share.is_shared)
    status = check_interactions(scenario, error);
  if (status == CAIRN_OK && !(flags & CAIRN_SCENARIO_NO_BODIES))
    status = cairn_stages_check(scenario, error);
  if (status == CAIRN_OK)
    status = cairn_external_check(scenario, error);
  return status;
}

/* Checkpoints hold the effective parameters, which are longer than what the user wrote: with all defaults up to a few
 * dozen times. They must not be too long to be read again, nor once a run has put numbers for each `auto`. */
static int check_length(const struct cairn_scenario *scenario, size_t length, struct cairn_error *error) {
  const size_t most = CAIRN_YAML_MAX_LENGTH / 4 * 3;
  if (length < most / 64)
    return CAIRN_OK;
  char *effective = cairn_scenario_effective(scenario);
  const size_t full = effective ? strlen(effective) : 0;
  free(effective);
  if (full > 0 && full <= most)
    return CAIRN_OK;
  return full == 0 ? out_of_memory(scenario, error)
                   : cairn_yaml_error(error, scenario->file, scenario->tree,
                                      "with all defaults written out it is %zu MiB long; allowed: %zu MiB; put many "
                                      "bodies into a table",
                                      full >> 20, most >> 20);
}

int cairn_scenario_parse(const char *text, size_t length, const char *file, int n_set, const char *const *set,
                         int flags, struct cairn_scenario **result, struct cairn_error *error) {
  *result = NULL;
  struct cairn_scenario *scenario = calloc(1, sizeof *scenario);
  if (!scenario)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", file);
  int status = cairn_yaml_parse(text, length, file, &scenario->tree, error);
  if (status == CAIRN_OK) {
    /* Only now: a text that is valid YAML holds no NUL and is not too long. */
    scenario->file = strdup(file);
    scenario->text = strndup(text, length);
    if (!scenario->file || !scenario->text)
      status = out_of_memory(scenario, error);
  }
  for (int i = 0; status == CAIRN_OK && i < n_set; i++)
    status = cairn_yaml_override(scenario->tree, set[i], error);
  if (status == CAIRN_OK)
    status = cairn_schema_validate(scenario->tree, file, error);
  if (status == CAIRN_OK)
    status = fill_computed(scenario, error);
  /* Once more: what was computed (from the name of the file, too) obeys the same rules and takes its place in order. */
  if (status == CAIRN_OK)
    status = cairn_schema_validate(scenario->tree, file, error);
  if (status == CAIRN_OK)
    status = read_scenario(scenario, flags, error);
  if (status == CAIRN_OK && !(flags & CAIRN_SCENARIO_NO_BODIES))
    status = check_length(scenario, length, error);
  if (status == CAIRN_OK)
    *result = scenario;
  else
    cairn_scenario_free(scenario);
  return status;
}

static int read_file(const char *path, char **text, size_t *length, struct cairn_error *error) {
  size_t capacity = 1 << 16;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  char *buffer = file >= 0 ? malloc(capacity) : NULL;
  ssize_t n = buffer ? 1 : -1;
  *length = 0;
  /* One byte more than allowed is enough to be refused later. */
  while (n > 0 && *length <= CAIRN_YAML_MAX_LENGTH) {
    if (*length == capacity) {
      char *grown = realloc(buffer, 2 * capacity);
      if (!grown) {
        n = -1;
        break;
      }
      buffer = grown;
      capacity *= 2;
    }
    n = read(file, buffer + *length, capacity - *length);
    if (n < 0 && errno == EINTR)
      n = 1;
    else if (n > 0)
      *length += (size_t)n;
  }
  int cause = errno;
  if (file >= 0)
    close(file);
  *text = buffer;
  if (n >= 0)
    return CAIRN_OK;
  free(buffer);
  bool mistake = cause == ENOENT || cause == ENOTDIR || cause == EISDIR || cause == ENAMETOOLONG || cause == ELOOP;
  return cairn_error_set(error,
                         cause == ENOMEM ? CAIRN_ERR_NUMERIC
                         : mistake       ? CAIRN_ERR_INPUT
                                         : CAIRN_ERR_IO,
                         "%s: cannot read the scenario: %s", path, strerror(cause));
}

int cairn_scenario_load(const char *path, int n_set, const char *const *set, int flags,
                        struct cairn_scenario **scenario, struct cairn_error *error) {
  char *text;
  size_t length;
  *scenario = NULL;
  int status = read_file(path, &text, &length, error);
  if (status != CAIRN_OK)
    return status;
  status = cairn_scenario_parse(text, length, path, n_set, set, flags, scenario, error);
  free(text);
  return status;
}

int64_t cairn_scenario_n_bodies(const struct cairn_scenario *scenario) {
  return scenario->initial.n + scenario->share.n_elsewhere;
}

void cairn_scenario_share_fini(struct cairn_scenario_share *share) {
  free(share->entry);
  free(share->n_selected);
  free(share->others.body);
  *share = (struct cairn_scenario_share){0};
}

void cairn_scenario_free(struct cairn_scenario *scenario) {
  if (!scenario)
    return;
  for (int32_t i = 0; i < scenario->n_materials; i++)
    free(scenario->materials[i].name);
  cairn_walls_fini(scenario);
  cairn_bonds_fini(scenario);
  free(scenario->file);
  free(scenario->title);
  free(scenario->materials);
  free(scenario->interactions);
  free(scenario->interaction_entry);
  free(scenario->output_name);
  free(scenario->spin_ups);
  cairn_stages_fini(scenario);
  cairn_insert_fini(scenario);
  free(scenario->text);
  cairn_state_fini(&scenario->initial);
  cairn_scenario_share_fini(&scenario->share);
  cairn_yaml_free(scenario->tree);
  free(scenario);
}

int cairn_scenario_resolve(struct cairn_scenario *scenario, const char *path, double value, struct cairn_error *error) {
  char text[CAIRN_NUMBER_LENGTH];
  struct cairn_node *node = cairn_yaml_find(scenario->tree, path);
  if (!node || node->kind != CAIRN_NODE_SCALAR)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "%s: %s is not a single value of the scenario", scenario->file,
                           path);
  if (!isfinite(value))
    return cairn_yaml_error(error, scenario->file, node, "the value chosen for it, %g, is not finite", value);
  cairn_number_format(value, text);
  return cairn_yaml_set_text(node, text, false) ? CAIRN_OK : out_of_memory(scenario, error);
}

char *cairn_scenario_effective(const struct cairn_scenario *scenario) { return cairn_yaml_emit(scenario->tree); }

#define METHOD_FORCES(name, forces, laws) forces,
enum cairn_forces cairn_scenario_forces(const struct cairn_scenario *s) {
  static const enum cairn_forces all[] = {CAIRN_METHODS(METHOD_FORCES)};
  return all[s->method];
}

bool cairn_scenario_has_captures(const struct cairn_scenario *s) {
  bool any = s->collisions_merge;
  for (int32_t w = 0; w < s->n_walls; w++)
    any |= s->walls[w].behavior == CAIRN_WALL_STICKY || s->walls[w].behavior == CAIRN_WALL_ABSORBING;
  return any;
}
