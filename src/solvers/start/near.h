/* Which bodies are near each other, where ranks share them: space is cut into as many slabs as there are ranks,
 * and each gets the bodies in its slab and those near to it. By all ranks; what runs out of memory ends all of them. */
#ifndef CAIRN_SOLVERS_START_NEAR_H
#define CAIRN_SOLVERS_START_NEAR_H

#include "data/initial/bodies.h"

struct cairn_near {
  int64_t n, n_own;                   /* all; those in the slab, which come first */
  struct cairn_bodies_sphere *sphere; /* [n]; the caller frees it */
};

/* Of the bodies of all ranks, of which this one has n, those in the slab, and those that are closer than `reach` (m) to
 * it. */
struct cairn_near cairn_near_gather_spheres(const struct cairn_bodies_sphere *sphere, int64_t n, double reach);

/* The same of scenario->initial, but for bodies that wait to be inserted or were removed. */
struct cairn_near cairn_near_gather(const struct cairn_scenario *scenario, double reach);

/* Do bodies overlap more than the scenario allows? */
int cairn_near_check(const struct cairn_scenario *scenario, struct cairn_error *error);

#endif
