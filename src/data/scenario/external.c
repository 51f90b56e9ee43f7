#include "data/scenario/external.h"

#include <math.h>

#include "data/schema/schema.h"

static void read_central(const struct cairn_node *central, double constant, struct cairn_external_rules *rules) {
  rules->start.has_central = 1;
  rules->start.parameter = constant * cairn_schema_number(central, "mass");
  rules->falls = cairn_yaml_child(central, "velocity") != NULL;
  cairn_schema_numbers(central, "position", 3, rules->start.at);
  if (rules->falls)
    cairn_schema_numbers(central, "velocity", 3, rules->velocity);
}

static void read_frame(const struct cairn_node *frame, struct cairn_external_rules *rules) {
  rules->start.rotates = 1;
  cairn_schema_numbers(frame, "spin", 3, rules->start.spin);
  cairn_schema_numbers(frame, "pivot", 3, rules->start.pivot);
}

/* Assemblies that are free to move know the uniform field alone. */
static int check_assemblies(const struct cairn_scenario *s, const struct cairn_node *node, struct cairn_error *error) {
  for (int32_t a = 0; a < s->n_assemblies; a++)
    if (s->assemblies[a].rules.kind == CAIRN_ASSEMBLY_FREE)
      return cairn_yaml_key_error(error, s->file, node,
                                  "acts on bodies, but not on walls that are free to move, and %.80s is; allowed: "
                                  "walls that stay or are moved",
                                  s->assemblies[a].name);
  return CAIRN_OK;
}

int cairn_external_read(struct cairn_scenario *s, struct cairn_error *error) {
  const struct cairn_node *central = cairn_yaml_child(cairn_yaml_child(s->tree, "gravity"), "central");
  const struct cairn_node *frame = cairn_yaml_child(s->tree, "frame");
  struct cairn_external_rules *rules = &s->external;
  int status = CAIRN_OK;
  if (central) {
    read_central(central, s->self_constant, rules);
    status = check_assemblies(s, central, error);
  }
  if (status == CAIRN_OK && frame) {
    read_frame(frame, rules);
    status = check_assemblies(s, frame, error);
  }
  if (status == CAIRN_OK && rules->falls && frame)
    return cairn_yaml_key_error(error, s->file, frame,
                                "the frame cannot turn and fall past gravity.central at once; allowed: one of the two, "
                                "or a central mass without velocity, at rest in the turning frame");
  return status;
}

int cairn_external_check(const struct cairn_scenario *s, struct cairn_error *error) {
  const struct cairn_node *central = cairn_yaml_child(cairn_yaml_child(s->tree, "gravity"), "central");
  const double *at = s->external.start.at, closest = cairn_external_closest(&s->external);
  for (int64_t i = 0; i < s->initial.n && central; i++) {
    const double *x = s->initial.position + 3 * i, reach = hypot(hypot(x[0], x[1]), x[2]) + s->initial.radius[i];
    if (s->external.falls && !(closest > reach))
      return cairn_yaml_error(error, s->file, cairn_yaml_child(central, "velocity"),
                              "leads the mass to %g m from the origin, and body %lld is %g m from it; needed: an orbit "
                              "that passes all bodies",
                              closest, (long long)(s->share.first + i), reach);
    if (!(hypot(hypot(x[0] - at[0], x[1] - at[1]), x[2] - at[2]) > s->initial.radius[i]))
      return cairn_yaml_error(error, s->file, cairn_yaml_child(central, "position"),
                              "is inside of body %lld; needed: a place outside of all bodies",
                              (long long)(s->share.first + i));
  }
  return CAIRN_OK;
}
