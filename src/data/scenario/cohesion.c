#include "data/scenario/cohesion.h"

#include <math.h>

static int check_hamaker(const struct cairn_node *node, const struct cairn_interaction *i, const char *file,
                         struct cairn_error *error) {
  const double x0 = i->hamaker_separation;
  if (i->hamaker_constant == 0 && x0 > 0)
    return cairn_yaml_error(error, file, cairn_yaml_child(node, "hamaker_separation"),
                            "found %g m without a force; needed: hamaker_constant greater than 0", x0);
  if (i->hamaker_constant > 0 && x0 == 0)
    return cairn_yaml_error(error, file, cairn_yaml_child(node, "hamaker_constant"),
                            "found %g J without a smallest gap; needed: hamaker_separation greater than 0",
                            i->hamaker_constant);
  if (i->hamaker_constant > 0 && !(i->cohesion_range > x0))
    return cairn_yaml_error(error, file, cairn_yaml_child(node, "cohesion_range"),
                            "found %g m; needed with hamaker_constant: a gap at which the force ends, more than "
                            "hamaker_separation = %g m; 100 times as much leaves 1 %% of the work out",
                            i->cohesion_range, x0);
  return CAIRN_OK;
}

int cairn_cohesion_check(const struct cairn_node *node, const struct cairn_interaction *i, const char *file,
                         struct cairn_error *error) {
  if (i->cohesion_energy > 0 && i->cohesion_range > 0)
    return cairn_yaml_error(
        error, file, cairn_yaml_child(node, "cohesion_range"),
        "found %g m beside cohesion_energy, which sets the range to energy over force; allowed: one "
        "of the two",
        i->cohesion_range);
  if (i->cohesion_energy > 0 && i->cohesion == 0)
    return cairn_yaml_error(error, file, cairn_yaml_child(node, "cohesion_energy"),
                            "found %g J without a force; needed: cohesion greater than 0", i->cohesion_energy);
  if ((i->cohesion > 0) + (i->work_of_adhesion > 0) + (i->hamaker_constant > 0) > 1)
    return cairn_yaml_error(error, file, node,
                            "found more than one of cohesion = %g N, work_of_adhesion = %g J/m² and hamaker_constant "
                            "= %g J; allowed: one of them",
                            i->cohesion, i->work_of_adhesion, i->hamaker_constant);
  return check_hamaker(node, i, file, error);
}

static int attracts(const struct cairn_interaction *i) {
  return i->cohesion > 0. || i->work_of_adhesion > 0. || i->hamaker_constant > 0.;
}

struct cairn_attraction cairn_cohesion_attraction(const struct cairn_interaction *i) {
  static const double pi = 3.14159265358979323846;
  if (!attracts(i))
    return (struct cairn_attraction){0};
  if (i->hamaker_constant == 0.)
    return (struct cairn_attraction){.force = i->cohesion,
                                     .tension = 2. * pi * i->work_of_adhesion,
                                     .separation = i->cohesion_range,
                                     .range = i->cohesion_range};
  return (struct cairn_attraction){.tension =
                                       i->hamaker_constant / (6. * i->hamaker_separation * i->hamaker_separation),
                                   .separation = i->hamaker_separation,
                                   .range = i->cohesion_range};
}

double cairn_cohesion_range(const struct cairn_scenario *s) {
  double most = -1.;
  for (int32_t k = 0; k < s->n_materials * s->n_materials; k++)
    if (s->interaction_entry[k] >= 0 && attracts(s->interactions + k))
      most = fmax(most, s->interactions[k].cohesion_range);
  return most;
}
