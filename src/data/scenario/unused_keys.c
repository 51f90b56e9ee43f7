#include "data/scenario/unused_keys.h"

#include <stdio.h>
#include <string.h>

#include "data/schema/schema.h"
#include "data/schema/yaml.h"

const struct cairn_unused_key cairn_unused_keys[] = {
    {"law", CAIRN_METHOD_soft_spheres, false},
    {"rolling_law", CAIRN_METHOD_soft_spheres, false},
    {"materials.N.young_modulus", CAIRN_METHOD_soft_spheres, false},
    {"materials.N.poisson_ratio", CAIRN_METHOD_soft_spheres, false},
    {"interactions.N.stiffness", CAIRN_METHOD_soft_spheres, false},
    {"interactions.N.tangential_stiffness", CAIRN_METHOD_soft_spheres, false},
    {"interactions.N.tangential_restitution", CAIRN_METHOD_soft_spheres, false},
    {"interactions.N.viscous_time", CAIRN_METHOD_soft_spheres, false},
    {"interactions.N.shear_ratio", CAIRN_METHOD_soft_spheres, false},
    {"interactions.N.slip", CAIRN_METHOD_soft_spheres, false},
    {"interactions.N.tangential_rebound", CAIRN_METHOD_contact_dynamics, true},
    {"interactions.N.rolling_length", CAIRN_METHOD_contact_dynamics, true},
    {"interactions.N.twisting_length", CAIRN_METHOD_contact_dynamics, true},
    {"interactions.N.cohesion", CAIRN_METHOD_contact_dynamics, true},
    {"interactions.N.cohesion_range", CAIRN_METHOD_contact_dynamics, true},
    {"interactions.N.cohesion_energy", CAIRN_METHOD_contact_dynamics, true},
    {"interactions.N.transverse_restitution", CAIRN_METHOD_hard_spheres, false},
    {"interactions.N.restitution_law", CAIRN_METHOD_hard_spheres, false},
    {"interactions.N.restitution_speed", CAIRN_METHOD_hard_spheres, false},
    {"interactions.N.restitution_exponent", CAIRN_METHOD_hard_spheres, false},
    {"collisions", CAIRN_METHOD_hard_spheres, false},
    {"solver", CAIRN_METHOD_contact_dynamics, false},
};
const int cairn_unused_keys_n = sizeof cairn_unused_keys / sizeof *cairn_unused_keys;

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
    if (cairn_unused_keys[k].method != s->method && is_written(tree, cairn_unused_keys[k].path))
      append(text, size, cairn_unused_keys[k].path);
  cairn_yaml_free(tree);
}

const char *cairn_unused_keys_refused(const struct cairn_scenario *s, const struct cairn_node *interaction) {
  static const char list[] = "interactions.N.";
  for (int k = 0; k < cairn_unused_keys_n; k++) {
    const struct cairn_unused_key *row = cairn_unused_keys + k;
    if (row->refused && row->method != s->method && cairn_schema_number(interaction, row->path + strlen(list)) > 0.)
      return row->path + strlen(list);
  }
  return NULL;
}
