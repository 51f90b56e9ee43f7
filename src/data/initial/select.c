#include "data/initial/select.h"

#include <stdlib.h>

#include "data/initial/bodies.h"
#include "data/initial/region.h"
#include "data/schema/schema.h"
#include "kernels/common/vec3.h"

/* What one entry says. */
struct selection {
  struct cairn_region region;
  int32_t of, material;                   /* -1: any; as it is */
  double velocity[3], spin[3], center[3]; /* m/s, rad/s, m */
  double outward;                         /* m/s, away from `center` */
};

static int read_material(const struct cairn_scenario *scenario, const struct cairn_node *node, const char *key,
                         int32_t *material, struct cairn_error *error) {
  const struct cairn_node *name = cairn_yaml_child(node, key);
  *material = -1;
  return name ? cairn_bodies_find_material(scenario, name, material, error) : CAIRN_OK;
}

static int read_selection(const struct cairn_scenario *scenario, const struct cairn_node *node, bool dry,
                          struct selection *s, struct cairn_error *error) {
  int status = read_material(scenario, node, "of", &s->of, error);
  if (status == CAIRN_OK)
    status = read_material(scenario, node, "material", &s->material, error);
  if (status == CAIRN_OK)
    status = cairn_region_read(cairn_yaml_child(node, "in"), scenario->file, dry, &s->region, error);
  if (status != CAIRN_OK || dry)
    return status;
  cairn_schema_numbers(node, "velocity", 3, s->velocity);
  cairn_schema_numbers(node, "spin", 3, s->spin);
  s->outward = cairn_schema_number(node, "outward");
  if (cairn_yaml_child(node, "center"))
    cairn_schema_numbers(node, "center", 3, s->center);
  else
    cairn_region_middle(&s->region, s->center);
  return CAIRN_OK;
}

static void accelerate(struct cairn_state *state, int64_t id, const struct selection *s) {
  const double *x = state->position + 3 * id, distance = cairn_vec3_distance(s->center, x);
  for (int k = 0; k < 3; k++) {
    const double outward = distance > 0 ? s->outward * (x[k] - s->center[k]) / distance : 0;
    state->velocity[3 * id + k] += s->velocity[k] + outward;
    state->spin[3 * id + k] += s->spin[k];
  }
}

static int apply(struct cairn_scenario *scenario, const struct cairn_node *node, const struct selection *s, int64_t *n,
                 struct cairn_error *error) {
  struct cairn_state *state = &scenario->initial;
  int status = CAIRN_OK;
  for (int64_t i = 0; status == CAIRN_OK && i < state->n; i++) {
    if ((s->of >= 0 && state->material[i] != s->of) || !cairn_region_has(&s->region, state->position + 3 * i))
      continue;
    ++*n;
    accelerate(state, i, s);
    if (s->material >= 0) {
      state->material[i] = s->material;
      status = cairn_bodies_set_mass(scenario, node, i, error);
    }
  }
  return status;
}

int cairn_select_check(const struct cairn_scenario *scenario, const int64_t *n, struct cairn_error *error) {
  const struct cairn_node *list = cairn_yaml_child(scenario->tree, "select");
  for (size_t i = 0; i < list->n; i++) {
    const struct cairn_node *of = cairn_yaml_child(list->child[i], "of");
    if (n[i] == 0)
      return cairn_yaml_error(error, scenario->file, cairn_yaml_child(list->child[i], "in"),
                              "no body%s%.80s has its centre in the region; allowed: at least one",
                              of ? " of the material " : "", of ? of->text : "");
  }
  return CAIRN_OK;
}

int cairn_select_apply(struct cairn_scenario *scenario, bool dry, struct cairn_error *error) {
  const struct cairn_node *list = cairn_yaml_child(scenario->tree, "select");
  int64_t *n = calloc(list->n + 1, sizeof *n);
  int status = n ? CAIRN_OK : cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", scenario->file);
  for (size_t i = 0; status == CAIRN_OK && i < list->n; i++) {
    struct selection selection = {.of = -1};
    status = read_selection(scenario, list->child[i], dry, &selection, error);
    if (status == CAIRN_OK && !dry)
      status = apply(scenario, list->child[i], &selection, n + i, error);
    cairn_region_fini(&selection.region);
  }
  if (scenario->share.is_shared) {
    scenario->share.n_selected = n;
    return status;
  }
  if (status == CAIRN_OK && !dry)
    status = cairn_select_check(scenario, n, error);
  free(n);
  return status;
}
