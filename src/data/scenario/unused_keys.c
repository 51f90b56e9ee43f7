#include "data/scenario/unused_keys.h"

#include <stdio.h>
#include <string.h>

#include "data/schema/schema.h"
#include "data/schema/yaml.h"

#define USED(name) (1u << CAIRN_METHOD_##name)

const struct cairn_unused_key cairn_unused_keys[] = {
    {"law", USED(soft_spheres), false},
    {"rolling_law", USED(soft_spheres), false},
    {"materials.N.young_modulus", USED(soft_spheres), false},
    {"materials.N.poisson_ratio", USED(soft_spheres), false},
    {"interactions.N.stiffness", USED(soft_spheres), false},
    {"interactions.N.tangential_stiffness", USED(soft_spheres), false},
    {"interactions.N.tangential_restitution", USED(soft_spheres), false},
    {"interactions.N.viscous_time", USED(soft_spheres), false},
    {"interactions.N.shear_ratio", USED(soft_spheres), false},
    {"interactions.N.slip", USED(soft_spheres), false},
    {"interactions.N.friction", USED(soft_spheres) | USED(contact_dynamics), false},
    {"interactions.N.rolling_friction", USED(soft_spheres) | USED(contact_dynamics), false},
    {"interactions.N.twisting_friction", USED(soft_spheres) | USED(contact_dynamics), false},
    {"interactions.N.tangential_rebound", USED(contact_dynamics), true},
    {"interactions.N.rolling_length", USED(contact_dynamics), true},
    {"interactions.N.twisting_length", USED(contact_dynamics), true},
    {"interactions.N.cohesion", USED(soft_spheres) | USED(contact_dynamics), true},
    {"interactions.N.cohesion_range", USED(soft_spheres) | USED(contact_dynamics), true},
    {"interactions.N.work_of_adhesion", USED(soft_spheres), true},
    {"interactions.N.adhesion_law", USED(soft_spheres), false},
    {"interactions.N.hamaker_constant", USED(soft_spheres), true},
    {"interactions.N.hamaker_separation", USED(soft_spheres), true},
    {"interactions.N.cohesion_energy", USED(contact_dynamics), true},
    {"interactions.N.transverse_restitution", USED(hard_spheres), false},
    {"interactions.N.restitution_law", USED(hard_spheres), false},
    {"interactions.N.restitution_speed", USED(hard_spheres), false},
    {"interactions.N.restitution_exponent", USED(hard_spheres), false},
    {"collisions", USED(hard_spheres), false},
    {"bonds", USED(soft_spheres), false},
    {"solver", USED(contact_dynamics), false},
};
const int cairn_unused_keys_n = sizeof cairn_unused_keys / sizeof *cairn_unused_keys;

static bool is_used(const struct cairn_unused_key *row, const struct cairn_scenario *s) {
  return row->methods >> s->method & 1;
}

/* Has the tree the key, in any entry of the list where the path goes through one? */
static bool is_written(const struct cairn_node *tree, const char *path) {
  const char *entry = strstr(path, ".N.");
  char head[64];
  if (!entry)
    return cairn_yaml_child(tree, path) != NULL;
  snprintf(head, sizeof head, "%.*s", (int)(entry - path), path);
  const struct cairn_node *list = cairn_yaml_child(tree, head);
  for (size_t i = 0; list && list->kind == CAIRN_NODE_LIST && i < list->n; i++)
    if (cairn_yaml_child(list->child[i], entry + 3))
      return true;
  return false;
}

static void append(char *text, size_t size, const char *path) {
  const char *entry = strstr(path, ".N.");
  const size_t used = strlen(text);
  snprintf(text + used, size - used, "%s%.*s%s%s", used ? ", " : "", entry ? (int)(entry - path) : 64, path,
           entry ? "." : "", entry ? entry + 3 : "");
}

/* The tree of the scenario has every default in it; what the user wrote is read again from the text. */
void cairn_unused_keys_list(const struct cairn_scenario *s, int n_set, const char *const *set, char *text,
                            size_t size) {
  struct cairn_node *tree = NULL;
  struct cairn_error ignored;
  *text = '\0';
  int status = cairn_yaml_parse(s->text, strlen(s->text), s->file, &tree, &ignored);
  for (int i = 0; i < n_set && status == CAIRN_OK; i++)
    status = cairn_yaml_override(tree, set[i], &ignored);
  for (int k = 0; k < cairn_unused_keys_n && status == CAIRN_OK; k++)
    if (!is_used(cairn_unused_keys + k, s) && is_written(tree, cairn_unused_keys[k].path))
      append(text, size, cairn_unused_keys[k].path);
  cairn_yaml_free(tree);
}

bool cairn_unused_keys_is_used(const struct cairn_scenario *s, const char *path) {
  for (int k = 0; k < cairn_unused_keys_n; k++)
    if (strcmp(cairn_unused_keys[k].path, path) == 0)
      return is_used(cairn_unused_keys + k, s);
  return true;
}

const char *cairn_unused_keys_refused(const struct cairn_scenario *s, const struct cairn_node *interaction) {
  static const char list[] = "interactions.N.";
  for (int k = 0; k < cairn_unused_keys_n; k++) {
    const struct cairn_unused_key *row = cairn_unused_keys + k;
    if (row->refused && !is_used(row, s) && cairn_schema_number(interaction, row->path + strlen(list)) > 0.)
      return row->path + strlen(list);
  }
  return NULL;
}
