/* The rigid body that has the mass, the centre, the inertia and the momenta of some bodies together. */
#ifndef CAIRN_ANALYSIS_EQUIVALENT_BODY_H
#define CAIRN_ANALYSIS_EQUIVALENT_BODY_H

#include <stdbool.h>

#include "data/state/state.h"

struct cairn_equivalent_body {
  double mass, center[3]; /* kg, m */
  double velocity[3];     /* m/s, of the centre */
  double inertia[3][3];   /* kg m² about the centre, the spheres' own included */
  double momentum[3];     /* kg m²/s, angular momentum about the centre, spins included */
};

/* Of the bodies with member[i]. All sums in the order of ids, so that they do not depend on cells. */
struct cairn_equivalent_body cairn_equivalent_body_of(const struct cairn_state *state, const bool *member);

/* The same of bodies in several states: weigh all of them, find the centre, add those with member[i]. */
void cairn_equivalent_body_weigh(struct cairn_equivalent_body *body, const struct cairn_state *state,
                                 const bool *member);
void cairn_equivalent_body_center(struct cairn_equivalent_body *body);

/* Add inertia and angular momentum of body i to those of `body`, whose centre and velocity are known. */
void cairn_equivalent_body_add(struct cairn_equivalent_body *body, const struct cairn_state *state, int64_t i);

/* Add the spin that the angular momentum l gives it, I⁻¹ l; none if the inertia is singular. */
void cairn_equivalent_body_respond(const struct cairn_equivalent_body *body, const double l[3], double spin[3]);

/* Add the kinetic energy of these bodies beside that of the rigid body, J. */
void cairn_equivalent_body_add_unrest(const struct cairn_equivalent_body *body, const struct cairn_state *state,
                                      const bool *member, double *energy);

#endif
