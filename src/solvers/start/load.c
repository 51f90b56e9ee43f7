#include "solvers/start/load.h"
#include "kernels/common/vec3.h"
#include "solvers/start/stretch.h"

#include <math.h>

/* N, what drives a free assembly along the directions it may move in, or the force its servo holds. */
static void force_of(const struct cairn_assembly_rules *rules, const double gravity[3], double force[3]) {
  double all[3];
  for (int k = 0; k < 3; k++) {
    all[k] = rules->force[k] + rules->mass * gravity[k];
    force[k] = rules->servo_force * rules->servo_axis[k];
  }
  for (int32_t i = 0; i < rules->n_slides && !(rules->servo_force > 0.); i++)
    for (int k = 0; k < 3; k++)
      force[k] += cairn_vec3_dot(all, rules->slide[i]) * rules->slide[i][k];
}

/* Extent of the bodies along a unit vector, m. */
static double extent(const struct cairn_scenario *s, const double along[3]) {
  const struct cairn_state *bodies = &s->initial;
  double range[2] = {INFINITY, -INFINITY};
  cairn_stretch_take(s, range, sizeof range);
  for (int64_t i = 0; i < bodies->n; i++) {
    const double at = cairn_vec3_dot(bodies->position + 3 * i, along), r = bodies->radius[i];
    range[0] = fmin(range[0], at - r);
    range[1] = fmax(range[1], at + r);
  }
  cairn_stretch_pass(s, range, sizeof range);
  return range[1] - range[0];
}

/* Area of the box around the bodies, m², seen along a unit vector. */
static double cross_section(const struct cairn_scenario *s, const double along[3]) {
  const double x = fabs(along[0]), y = fabs(along[1]), z = fabs(along[2]);
  const double axis[3] = {x <= y && x <= z, y < x && y <= z, z < x && z < y}; /* the one most aslant to it */
  double a[3], b[3], length;
  for (int k = 0; k < 3; k++)
    a[k] = axis[k] - cairn_vec3_dot(axis, along) * along[k];
  length = sqrt(cairn_vec3_dot(a, a));
  for (int k = 0; k < 3; k++)
    a[k] /= length;
  for (int k = 0; k < 3; k++)
    b[k] = along[(k + 1) % 3] * a[(k + 2) % 3] - along[(k + 2) % 3] * a[(k + 1) % 3];
  length = extent(s, a);
  return length * extent(s, b);
}

double cairn_load_shaking(const struct cairn_scenario *s) {
  double most = 0.;
  for (int32_t a = 0; a < s->n_assemblies; a++) {
    const struct cairn_assembly_rules *rules = &s->assemblies[a].rules;
    if (rules->kind == CAIRN_ASSEMBLY_DRIVEN)
      most = fmax(most, cairn_vec3_length(rules->motion.amplitude) * rules->motion.frequency * rules->motion.frequency);
  }
  return most;
}

double cairn_load_pressure(const struct cairn_scenario *s) {
  double sum = 0.;
  for (int32_t a = 0; a < s->n_assemblies && cairn_scenario_n_bodies(s) > 0; a++) {
    double force[3];
    if (s->assemblies[a].rules.kind != CAIRN_ASSEMBLY_FREE)
      continue;
    force_of(&s->assemblies[a].rules, s->gravity, force);
    const double size = sqrt(cairn_vec3_dot(force, force));
    if (!(size > 0.))
      continue;
    const double along[3] = {force[0] / size, force[1] / size, force[2] / size};
    sum += size / cross_section(s, along);
  }
  return sum;
}
