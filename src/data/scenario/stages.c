#include "data/scenario/stages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/scenario/scenario.h"
#include "data/schema/schema.h"
#include "data/schema/yaml.h"

int32_t cairn_stages_current(const struct cairn_scenario *s) {
  int32_t k = 0;
  while (k < s->n_stages && s->stages[k].ended >= 0)
    k++;
  return k;
}

int64_t cairn_stages_begin(const struct cairn_scenario *s, int32_t stage) {
  return stage > 0 ? s->stages[stage - 1].ended : 0;
}

bool cairn_stages_are_over(const struct cairn_scenario *s) {
  return s->n_stages > 0 && cairn_stages_current(s) == s->n_stages;
}

static bool has_condition(const struct cairn_stage *stage) {
  return stage->kinetic_energy > 0 || stage->speed > 0 || stage->escaped > 0;
}

void cairn_stages_describe(const struct cairn_stage *stage, char *text, size_t size) {
  char part[4][64] = {"", "", "", ""};
  size_t used = 0;
  if (stage->kinetic_energy > 0)
    snprintf(part[0], sizeof part[0], "a kinetic energy below %.6g J", stage->kinetic_energy);
  if (stage->speed > 0)
    snprintf(part[1], sizeof part[1], "speeds below %.6g m/s", stage->speed);
  if (stage->escaped > 0)
    snprintf(part[2], sizeof part[2], "%lld escaped bodies", (long long)stage->escaped);
  if (isfinite(stage->time))
    snprintf(part[3], sizeof part[3], "%.6g s", stage->time);
  snprintf(text, size, "the end of the run");
  for (int k = 0; k < 4 && used < size; k++)
    if (part[k][0])
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", or " : "", part[k]);
}

double cairn_stages_earliest(const struct cairn_scenario *s, int32_t stage) {
  double time = 0;
  for (int32_t k = 0; k < stage; k++)
    time += has_condition(s->stages + k) ? s->stages[k].after : s->stages[k].time;
  return time;
}

/* Reading */

static double number_or(const struct cairn_node *map, const char *key, double fallback) {
  return cairn_yaml_child(map, key) ? cairn_schema_number(map, key) : fallback;
}

static int read_stage(const struct cairn_scenario *s, const struct cairn_node *node, struct cairn_stage *stage,
                      struct cairn_error *error) {
  const struct cairn_node *until = cairn_yaml_child(node, "until"), *output = cairn_yaml_child(node, "output");
  *stage = (struct cairn_stage){.name = strdup(cairn_schema_text(node, "name")),
                                .time = number_or(until, "time", INFINITY),
                                .kinetic_energy = number_or(until, "kinetic_energy", 0),
                                .speed = number_or(until, "speed", 0),
                                .after = cairn_schema_number(until, "after"),
                                .every = cairn_schema_number(until, "every"),
                                .frames = number_or(output, "frames", s->output_frames),
                                .series = number_or(output, "series", s->output_series),
                                .ended = -1};
  if (cairn_yaml_child(until, "escaped"))
    stage->escaped = cairn_schema_integer(until, "escaped");
  if (cairn_yaml_child(node, "ended"))
    stage->ended = cairn_schema_integer(node, "ended");
  memcpy(stage->gravity, s->gravity, sizeof stage->gravity);
  if (cairn_yaml_child(node, "gravity"))
    cairn_schema_numbers(node, "gravity", 3, stage->gravity);
  if (stage->every == 0)
    stage->every = fmin(stage->time, s->time_end) / 1000;
  return stage->name ? CAIRN_OK : cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", s->file);
}

/* Can the stage end? */
static int check_end(const struct cairn_scenario *s, const struct cairn_node *node, int32_t k,
                     struct cairn_error *error) {
  const struct cairn_stage *stage = s->stages + k;
  const struct cairn_node *until = cairn_yaml_child(node, "until");
  const bool is_bounded = cairn_yaml_child(s->tree, "world") != NULL;
  if (stage->escaped > 0 && !is_bounded)
    return cairn_yaml_error(error, s->file, cairn_yaml_child(until, "escaped"),
                            "found %lld bodies, but none can escape: the scenario has no `world`",
                            (long long)stage->escaped);
  if (k + 1 < s->n_stages && !has_condition(stage) && isinf(stage->time))
    return cairn_yaml_error(error, s->file, until,
                            "found no end: the stage after it can never begin; needed: time, kinetic_energy, speed or "
                            "escaped");
  if (has_condition(stage) && stage->after >= stage->time)
    return cairn_yaml_error(error, s->file, cairn_yaml_child(until, "after"),
                            "found %g s, but the stage is over after %g s: its conditions never count; allowed: less",
                            stage->after, stage->time);
  return CAIRN_OK;
}

/* Stages end one after the other. */
static int check_ended(const struct cairn_scenario *s, const struct cairn_node *node, int32_t k,
                       struct cairn_error *error) {
  const int64_t ended = s->stages[k].ended, begin = cairn_stages_begin(s, k);
  if (ended < 0 || (begin >= 0 && ended > begin && s->time_step > 0))
    return CAIRN_OK;
  return cairn_yaml_error(error, s->file, cairn_yaml_child(node, "ended"),
                          "found step %lld; allowed: a step after the end of the stage before it, and only with a "
                          "number for time.step",
                          (long long)ended);
}

int cairn_stages_read(struct cairn_scenario *s, struct cairn_error *error) {
  const struct cairn_node *list = cairn_yaml_child(s->tree, "stages");
  s->stages = calloc(list->n + 1, sizeof *s->stages);
  if (!s->stages)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", s->file);
  int status = CAIRN_OK;
  for (size_t i = 0; status == CAIRN_OK && i < list->n; i++, s->n_stages++)
    status = read_stage(s, list->child[i], s->stages + i, error);
  for (int32_t k = 0; status == CAIRN_OK && k < s->n_stages; k++) {
    const struct cairn_node *node = list->child[k];
    for (int32_t before = 0; before < k; before++)
      if (strcmp(s->stages[before].name, s->stages[k].name) == 0)
        return cairn_yaml_error(error, s->file, cairn_yaml_child(node, "name"),
                                "found the name of stages.%d; allowed: each name once", before);
    status = check_end(s, node, k, error);
    if (status == CAIRN_OK)
      status = check_ended(s, node, k, error);
  }
  return status;
}

int cairn_stages_check(const struct cairn_scenario *s, struct cairn_error *error) {
  const struct cairn_node *list = cairn_yaml_child(s->tree, "stages");
  for (int32_t k = 0; k < s->n_stages; k++)
    if (s->stages[k].escaped > cairn_scenario_n_bodies(s))
      return cairn_yaml_error(error, s->file, cairn_yaml_child(cairn_yaml_child(list->child[k], "until"), "escaped"),
                              "found %lld bodies, but there are %lld: the stage can never end so",
                              (long long)s->stages[k].escaped, (long long)cairn_scenario_n_bodies(s));
  return CAIRN_OK;
}

int cairn_stages_find(const struct cairn_scenario *s, const struct cairn_node *map, const char *key, int32_t *stage,
                      struct cairn_error *error) {
  char shown[CAIRN_YAML_SHOWN], names[256] = "";
  const struct cairn_node *name = cairn_yaml_child(map, key);
  size_t used = 0;
  *stage = -1;
  if (!name)
    return CAIRN_OK;
  for (int32_t k = 0; k < s->n_stages; k++) {
    if (strcmp(s->stages[k].name, name->text) == 0)
      *stage = k;
    if (used < sizeof names)
      used += (size_t)snprintf(names + used, sizeof names - used, "%s%.60s", k ? ", " : "", s->stages[k].name);
  }
  if (*stage >= 0)
    return CAIRN_OK;
  return cairn_yaml_error(error, s->file, name, "found %s, which is not in stages; allowed: %s",
                          cairn_yaml_show(name->text, shown), used ? names : "none, as there are no stages");
}

void cairn_stages_fini(struct cairn_scenario *s) {
  for (int32_t k = 0; s->stages && k <= s->n_stages; k++)
    free(s->stages[k].name);
  free(s->stages);
  s->stages = NULL;
  s->n_stages = 0;
}

/* In force */

/* s, when the stage begins; infinite while that is not known. */
static double time_of(const struct cairn_scenario *s, int32_t stage) {
  const int64_t begin = stage < 0 ? 0 : cairn_stages_begin(s, stage);
  return begin < 0 ? INFINITY : begin == 0 ? 0. : (double)begin * s->time_step;
}

void cairn_stages_enter(struct cairn_scenario *s) {
  const int32_t current = cairn_stages_current(s);
  if (current < s->n_stages) {
    const struct cairn_stage *stage = s->stages + current;
    memcpy(s->gravity, stage->gravity, sizeof s->gravity);
    s->output_frames = stage->frames;
    s->output_series = stage->series;
  }
  for (int32_t a = 0; a < s->n_assemblies; a++) {
    const struct cairn_stage_times *times = &s->assemblies[a].times;
    struct cairn_assembly_rules *rules = &s->assemblies[a].rules;
    rules->appears = time_of(s, times->appears_with) + times->appears;
    rules->vanishes = time_of(s, times->vanishes_with) + times->vanishes;
    if (rules->kind != CAIRN_ASSEMBLY_DRIVEN)
      continue;
    rules->motion.from = time_of(s, times->motion_with) + times->from;
    rules->motion.until = time_of(s, times->motion_with) + times->until;
  }
}

int cairn_stages_end(struct cairn_scenario *s, int64_t step, struct cairn_error *error) {
  const int32_t current = cairn_stages_current(s);
  struct cairn_node *node = cairn_yaml_child(s->tree, "stages")->child[current];
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)step);
  if (!cairn_yaml_insert(node, "ended", text))
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", s->file);
  s->stages[current].ended = step;
  cairn_stages_enter(s);
  return CAIRN_OK;
}
