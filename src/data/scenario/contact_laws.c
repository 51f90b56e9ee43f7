#include "data/scenario/contact_laws.h"

#include <stdbool.h>
#include <string.h>

#include "data/scenario/cohesion.h"
#include "data/scenario/methods.h"
#include "data/schema/schema.h"

enum cairn_law_kind cairn_contact_laws_kind(const char *name) {
  int kind = 0;
  while (strcmp(cairn_laws_table[kind].name, name) != 0)
    kind++;
  return (enum cairn_law_kind)kind;
}

/* Which of a law's lists of keys. */
enum list { MATERIALS, INTERACTIONS };

static const struct cairn_law_key *keys_of(const struct cairn_law *law, enum list list) {
  return list == MATERIALS ? law->material_keys : law->pair_keys;
}

static int fill(struct cairn_node *map, enum list list, const struct cairn_law *law, const char *file,
                struct cairn_error *error) {
  for (const struct cairn_law_key *key = keys_of(law, list); key->name; key++) {
    if (cairn_yaml_child(map, key->name))
      continue;
    if (!key->fallback)
      return cairn_yaml_error(error, file, map, "the key %s is missing, which `law: %s` needs", key->name, law->name);
    if (!cairn_yaml_insert(map, key->name, key->fallback))
      return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", file);
  }
  return CAIRN_OK;
}

static int refuse_others(const struct cairn_node *map, enum list list, const struct cairn_law *law, const char *file,
                         struct cairn_error *error) {
  for (int other = 0; other < CAIRN_N_LAWS; other++)
    for (const struct cairn_law_key *key = keys_of(cairn_laws_table + other, list); key->name; key++) {
      const struct cairn_node *node = cairn_yaml_child(map, key->name);
      if (node && law != cairn_laws_table + other)
        return cairn_yaml_key_error(error, file, node, "this key belongs to `law: %s`; the scenario has `law: %s`",
                                    cairn_laws_table[other].name, law->name);
    }
  return CAIRN_OK;
}

static int fill_list(struct cairn_node *tree, enum list list, const char *name, const struct cairn_law *law,
                     const char *file, struct cairn_error *error) {
  struct cairn_node *maps = cairn_yaml_child(tree, name);
  int status = CAIRN_OK;
  for (size_t i = 0; status == CAIRN_OK && i < maps->n; i++) {
    status = refuse_others(maps->child[i], list, law, file, error);
    if (status == CAIRN_OK)
      status = fill(maps->child[i], list, law, file, error);
  }
  return status;
}

/* Is `law` for this method? */
static bool takes_laws(const char *method) {
#define TAKES(name, forces, laws) ((laws) && strcmp(method, #name) == 0) ||
  return CAIRN_METHODS(TAKES) false;
#undef TAKES
}

int cairn_contact_laws_fill(struct cairn_node *tree, const char *file, struct cairn_error *error) {
  const struct cairn_law *law = cairn_laws_table + cairn_contact_laws_kind(cairn_schema_text(tree, "law"));
  if (law != cairn_laws_table && !takes_laws(cairn_schema_text(tree, "method")))
    return cairn_yaml_error(error, file, cairn_yaml_child(tree, "law"),
                            "found %s; contact laws are for soft spheres, and this scenario has `method: %s`",
                            law->name, cairn_schema_text(tree, "method"));
  const int status = fill_list(tree, MATERIALS, "materials", law, file, error);
  return status == CAIRN_OK ? fill_list(tree, INTERACTIONS, "interactions", law, file, error) : status;
}

void cairn_contact_laws_read(const struct cairn_node *map, const struct cairn_law_key *keys, int n, double *values) {
  for (int i = 0; i < n; i++)
    values[i] = cairn_schema_number(map, keys[i].name);
}

void cairn_contact_laws_constants(const struct cairn_scenario *s, int32_t a, int32_t b, bool frictionless,
                                  double constants[CAIRN_LAW_DOUBLES]) {
  const struct cairn_interaction *i = s->interactions + a * s->n_materials + b;
  const struct cairn_law_friction all = {.friction = i->friction,
                                         .slip = i->slip,
                                         .rolling = i->rolling_friction,
                                         .twisting = i->twisting_friction},
                                  none = {.slip = i->slip};
  const struct cairn_attraction attraction = cairn_cohesion_attraction(i);
  cairn_laws_table[s->law].constants(s->materials[a].law, s->materials[b].law, i->law, frictionless ? &none : &all,
                                     constants);
  memcpy(constants + CAIRN_LAW_ATTRACTION, &attraction, sizeof attraction);
  const double k = ((const struct cairn_law_hertz *)(const void *)constants)->k; /* 4/3 of the effective modulus */
  const struct cairn_neck neck = cairn_cohesion_neck(i, 0.75 * k);
  memcpy(constants + CAIRN_LAW_NECK, &neck, sizeof neck);
}
