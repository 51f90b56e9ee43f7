/* What soft spheres say in words: advice about overlaps and steps, the values of an interaction. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solvers/soft_spheres.h"

/* With two digits, never less than it is. */
static double round_up(double x) {
  const double unit = pow(10., floor(log10(x)) - 1.);
  return unit * ceil(x / unit * (1. - 1e-12));
}

/* With an elastic force ~ x^p an impact ½ μ v² becomes an energy ~ x^(p + 1), a weight a force. */
void cairn_soft_spheres_advise_overlap(const struct cairn_scenario *s, double overlap, double recommended, char *text,
                                       size_t size) {
  const struct cairn_law *law = cairn_laws_table + s->law;
  const double ratio = overlap / s->overlap_limit, impact = pow(ratio, law->elastic_power + 1.),
               weight = pow(ratio, law->elastic_power);
  if (recommended > 0. && s->time_step > 1.001 * recommended)
    snprintf(text, size, "take the recommended time.step of %.4g s first", recommended);
  else
    snprintf(text, size,
             "a %s %.3g times larger keeps impacts like this one within the limit (%.3g times if it is weight), with "
             "steps %.3g times shorter",
             law->elastic_key, round_up(impact), round_up(weight), round_up(sqrt(impact)));
}

void cairn_soft_spheres_advise_step(const struct cairn_plan *plan, char *text, size_t size) {
  if (plan->step_size > plan->stable_step)
    snprintf(text, size, "beyond %.4g s contacts gain energy", plan->stable_step);
  else if (plan->step_size > plan->packed_step)
    snprintf(text, size, "contacts are resolved less accurately, and beyond about %.4g s a dense packing gains energy",
             plan->packed_step);
  else
    snprintf(text, size, "contacts are resolved less accurately");
}

/* "stiffness 1e+05 N/m, restitution 0.5, ": what the law asks of an interaction. */
static void describe_law(const struct cairn_law *law, const struct cairn_interaction *pair, char *text, size_t size) {
  text[0] = '\0';
  for (int k = 0; k < law->n_pair_keys; k++) {
    const char *unit = law->pair_keys[k].unit;
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s %.4g%s%s, ", law->pair_keys[k].name, pair->law[k], unit ? " " : "",
             unit ? unit : "");
  }
  for (char *c = text; *c; c++)
    *c = *c == '_' ? ' ' : *c;
}

/* ", cohesion 3 N within 0.01 m", or nothing. */
static void describe_cohesion(const struct cairn_interaction *pair, char *text, size_t size) {
  text[0] = '\0';
  if (pair->cohesion > 0.)
    snprintf(text, size, ", cohesion %.4g N within %.4g m", pair->cohesion, pair->cohesion_range);
  if (pair->jkr)
    snprintf(text, size, ", work of adhesion %.4g J/m² (JKR)", pair->work_of_adhesion);
  else if (pair->work_of_adhesion > 0.)
    snprintf(text, size, ", work of adhesion %.4g J/m² within %.4g m", pair->work_of_adhesion, pair->cohesion_range);
  if (pair->hamaker_constant > 0.)
    snprintf(text, size, ", Hamaker constant %.4g J from %.4g m to %.4g m", pair->hamaker_constant,
             pair->hamaker_separation, pair->cohesion_range);
}

void cairn_soft_spheres_describe_pair(const struct cairn_scenario *s, const struct cairn_interaction *pair, char *text,
                                      size_t size) {
  char values[512], cohesion[128];
  describe_law(cairn_laws_table + s->law, pair, values, sizeof values);
  describe_cohesion(pair, cohesion, sizeof cohesion);
  snprintf(text, size, "%sfriction %.4g, rolling %.4g, twisting %.4g%s", values, pair->friction, pair->rolling_friction,
           pair->twisting_friction, cohesion);
}

double cairn_soft_spheres_dense_step(double sweeps) {
  (void)sweeps; /* it has none */
  return 100e-9;
}
