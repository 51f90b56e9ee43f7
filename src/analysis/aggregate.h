/* The bodies of a state as one heap: its shape, who bears it and the stress in it (docs/physics.md). All sums run in
 * the order of ids and pairs, so that they do not depend on cells.
 *
 * What needs the forces of contacts (analysis/contact_forces.h) is NaN with hard spheres, which have none; whether a
 * contact slides is NaN with soft spheres too. */
#ifndef CAIRN_ANALYSIS_AGGREGATE_H
#define CAIRN_ANALYSIS_AGGREGATE_H

#include "data/scenario/scenario.h"
#include "data/state/fields.h"
#include "data/state/observables.h"

/* Fill the observables of the aggregate: from coordination_bearing to sliding_fraction and from diameter on. */
int cairn_aggregate_observe(const struct cairn_state *state, const struct cairn_scenario *scenario,
                            struct cairn_observables *out, struct cairn_error *error);

/* Allocate and fill; zero for bodies without contact. Only for a method whose states contain forces. */
int cairn_aggregate_stress(const struct cairn_state *state, const struct cairn_scenario *scenario,
                           struct cairn_body_stress *out, struct cairn_error *error);

/* Semi-axes (m), the longest first, of the homogeneous ellipsoid of this mass (kg) with these second moments (kg m²),
 * which are overwritten. */
void cairn_aggregate_semi_axes(double second[3][3], double mass, double axes[3]);

#endif
