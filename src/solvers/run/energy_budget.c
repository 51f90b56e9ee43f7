#include "solvers/run/energy_budget.h"

#include <math.h>

#include "solvers/method.h"

/* Walls that move, or appear where bodies are. */
static bool walls_work(const struct cairn_scenario *s) {
  bool any = false;
  for (int32_t w = 0; w < s->n_walls; w++) {
    const struct cairn_assembly_rules *rules = &s->assemblies[s->walls[w].assembly].rules;
    any |= rules->kind != CAIRN_ASSEMBLY_FIXED || rules->appears > 0.;
  }
  return any;
}

struct cairn_energy_budget cairn_energy_budget_of(const struct cairn_scenario *s) {
  const double *g = s->gravity;
  const bool outside = s->external.start.has_central || s->external.start.rotates;
  return (struct cairn_energy_budget){
      .closed = cairn_method_of(s)->stores && !walls_work(s) && !outside && s->n_spin_ups == 0,
      .weight = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]),
      .accuracy = s->self_gravity ? s->self_accuracy : 0.,
  };
}

/* J, what the energy may err by: sums of many terms, each of which is as large as the weights times the distances. */
static double error_of(const struct cairn_energy_budget *b, const struct cairn_observables *o) {
  static const double ROUNDING = 1e-9;
  const double *c = o->center_of_mass, far = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]) + o->diameter;
  return ROUNDING * (fabs(o->potential_energy) + o->total_mass * b->weight * far) +
         b->accuracy * fabs(o->potential_energy);
}

double cairn_energy_budget_gain(struct cairn_energy_budget *b, const struct cairn_observables *o) {
  const double motion = o->kinetic_energy + o->rotational_energy + fabs(o->elastic_energy); /* cohesion: negative */
  const double energy = o->kinetic_energy + o->rotational_energy + o->elastic_energy + o->potential_energy;
  if (!b->closed)
    return 0.;
  if (!b->begun || o->n_bodies != b->n_bodies || o->n_held != b->n_held || !(energy > b->least)) {
    b->begun = true;
    b->n_bodies = o->n_bodies;
    b->n_held = o->n_held;
    b->least = energy;
    b->motion = motion;
    return 0.;
  }
  b->motion = fmax(b->motion, motion);
  return energy - b->least > error_of(b, o) ? (energy - b->least) / b->motion : 0.;
}
