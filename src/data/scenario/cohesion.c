#include "data/scenario/cohesion.h"

#include <math.h>

#include "data/scenario/contact_laws.h"

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

static int check_jkr(const struct cairn_node *node, const struct cairn_interaction *i, bool is_hertz, const char *file,
                     struct cairn_error *error) {
  if (i->jkr && !is_hertz)
    return cairn_yaml_error(error, file, cairn_yaml_child(node, "adhesion_law"),
                            "found jkr, which is a law of elastic spheres; needed: `law: hertz`");
  if (i->jkr && i->work_of_adhesion == 0)
    return cairn_yaml_error(error, file, cairn_yaml_child(node, "adhesion_law"),
                            "found jkr without a work; needed: work_of_adhesion greater than 0");
  if (i->jkr && i->cohesion_range > 0)
    return cairn_yaml_error(error, file, cairn_yaml_child(node, "cohesion_range"),
                            "found %g m beside `adhesion_law: jkr`, whose necks snap at a gap of their own; allowed: 0",
                            i->cohesion_range);
  return CAIRN_OK;
}

int cairn_cohesion_check(const struct cairn_node *node, const struct cairn_interaction *i, bool is_hertz,
                         const char *file, struct cairn_error *error) {
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
  const int status = check_jkr(node, i, is_hertz, file, error);
  return status == CAIRN_OK ? check_hamaker(node, i, file, error) : status;
}

static int attracts(const struct cairn_interaction *i) {
  return i->cohesion > 0. || i->work_of_adhesion > 0. || i->hamaker_constant > 0.;
}

struct cairn_attraction cairn_cohesion_attraction(const struct cairn_interaction *i) {
  static const double pi = 3.14159265358979323846;
  if (!attracts(i) || i->jkr)
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

struct cairn_neck cairn_cohesion_neck(const struct cairn_interaction *i, double modulus) {
  static const double pi = 3.14159265358979323846;
  if (!i->jkr)
    return (struct cairn_neck){0};
  const double c2 = 2. * pi * i->work_of_adhesion / modulus;
  return (struct cairn_neck){.length = cbrt(c2 * c2), .tension = modulus * c2};
}

bool cairn_cohesion_has_necks(const struct cairn_scenario *s) {
  bool found = false;
  for (int32_t k = 0; k < s->n_materials * s->n_materials; k++)
    found = found || (s->interaction_entry[k] >= 0 && s->interactions[k].jkr);
  return found;
}

/* m, at which the longest neck of any two bodies, or of one and a wall, snaps: that of the largest. */
static double longest_neck(const struct cairn_scenario *s, int32_t a, int32_t b, double largest_radius) {
  double constants[CAIRN_LAW_DOUBLES];
  cairn_contact_laws_constants(s, a, b, false, constants);
  const struct cairn_neck neck = cairn_laws_neck(constants);
  return largest_radius > 0. ? cairn_neck_range(&neck, largest_radius) : 0.;
}

double cairn_cohesion_range(const struct cairn_scenario *s, double largest_radius) {
  double most = -1.;
  for (int32_t k = 0; k < s->n_materials * s->n_materials; k++)
    if (s->interaction_entry[k] >= 0 && attracts(s->interactions + k))
      most = fmax(most, s->interactions[k].jkr ? longest_neck(s, k / s->n_materials, k % s->n_materials, largest_radius)
                                               : s->interactions[k].cohesion_range);
  return most;
}
