/* The energy of soft spheres may only fall while nothing does work on them: a rise comes from steps that are too long,
 * or from forces without a potential (docs/physics.md, "Energy budget"). */
#ifndef CAIRN_SOLVERS_RUN_ENERGY_BUDGET_H
#define CAIRN_SOLVERS_RUN_ENERGY_BUDGET_H

#include <stdbool.h>

#include "data/scenario/scenario.h"
#include "data/state/observables.h"

struct cairn_energy_budget {
  bool closed;             /* nothing does work on the bodies: the budget applies */
  bool begun;              /* has seen the bodies */
  double weight;           /* N per kg: uniform gravity */
  double accuracy;         /* of the potential energy of self-gravity, relative */
  double n_bodies, n_held; /* a body that is removed or captured takes its energy along: the budget starts again */
  double least;            /* J, the least energy so far */
  double motion;           /* J, the largest kinetic and elastic energy since */
};

struct cairn_energy_budget cairn_energy_budget_of(const struct cairn_scenario *scenario);

/* Take note of the bodies at a later step. Returns what they have gained since their energy was least, over `motion`,
 * where that is more than errors of rounding and of self-gravity; otherwise 0. */
double cairn_energy_budget_gain(struct cairn_energy_budget *budget, const struct cairn_observables *now);

/* A gain beyond this part is an alarm: at the recommended step the energy of a contact errs by less than 0.1 %. */
#define CAIRN_ENERGY_BUDGET_TOLERANCE 0.1

#endif
