/* The bodies of a state as one heap: its shape, who bears it and the stress in it (docs/physics.md). All sums are
 * exact, so that they depend neither on cells nor on ranks.
 *
 * What needs the forces of contacts (analysis/contact_forces.h) is NaN with hard spheres, which have none; whether a
 * contact slides is NaN with soft spheres too. */
#ifndef CAIRN_ANALYSIS_AGGREGATE_H
#define CAIRN_ANALYSIS_AGGREGATE_H

#include "analysis/bearing.h"
#include "analysis/contact_forces.h"
#include "analysis/regime.h"
#include "data/scenario/scenario.h"
#include "data/state/fields.h"
#include "data/state/observables.h"
#include "kernels/common/exact_sum.h"

/* Fill the observables of the aggregate: from coordination_bearing to sliding_fraction and from diameter on. */
int cairn_aggregate_observe(const struct cairn_state *state, const struct cairn_scenario *scenario,
                            struct cairn_observables *out, struct cairn_error *error);

/* The same of bodies in several parts: weigh all of them, join the weights; add up all parts, join these sums; tell.
 * Bearing is counted by analysis/bearing.h. */
struct cairn_aggregate_weight {
  int64_t n;                                /* bodies */
  struct cairn_exact_sum mass, moment[3];   /* kg, kg m */
  struct cairn_exact_sum momentum[3];       /* kg m/s */
  struct cairn_exact_sum weight, diameters; /* N, m */
};
struct cairn_aggregate_sums {
  struct cairn_exact_sum place[6],
      flow[9]; /* kg m², kg m²/s about the centre of mass: d ⊗ d (xx yy zz yz xz xy), v ⊗ d */
  struct cairn_exact_sum spheres, filled; /* kg m², m³: moments and volumes of the spheres themselves */
  struct cairn_exact_sum moment[6];       /* N m, of the forces; xx yy zz yz xz xy */
  struct cairn_exact_sum cohesion;        /* N */
  double reach;                           /* m, from the centre of mass */
  int64_t n_contacts, n_rough, n_sliding;
};
void cairn_aggregate_weigh(struct cairn_aggregate_weight *weight, const struct cairn_state *state, int64_t first,
                           int64_t n, const struct cairn_scenario *scenario);
void cairn_aggregate_join_weights(void *all, const void *more);

/* n bodies of a state from the one numbered `first` on; so many of its contacts, for a method that has forces, which
 * also go to a part of the table of contacts unless that is NULL. */
void cairn_aggregate_add_bodies(struct cairn_aggregate_sums *sums, const struct cairn_aggregate_weight *weight,
                                const struct cairn_state *state, int64_t first, int64_t n);
void cairn_aggregate_add_contacts(struct cairn_aggregate_sums *sums, const struct cairn_contact_forces *forces,
                                  int64_t first, int64_t n, struct cairn_step_part *part);

/* The first n bodies of a state and all of its contacts, whose bodies must be there. */
int cairn_aggregate_add(struct cairn_aggregate_sums *sums, const struct cairn_aggregate_weight *weight,
                        const struct cairn_state *state, int64_t n, const struct cairn_scenario *scenario,
                        struct cairn_error *error);
void cairn_aggregate_join(void *all, const void *more);
struct cairn_regime_motion cairn_aggregate_motion(const struct cairn_aggregate_sums *sums,
                                                  const struct cairn_aggregate_weight *weight);
void cairn_aggregate_tell(const struct cairn_aggregate_sums *sums, const struct cairn_aggregate_weight *weight,
                          const struct cairn_scenario *scenario, struct cairn_observables *out);
void cairn_aggregate_tell_bearing(const int64_t count[CAIRN_BEARING_COUNTS], struct cairn_observables *out);

/* Who bears, of all bodies at once. */
int cairn_aggregate_observe_bearing(const struct cairn_state *state, struct cairn_observables *out,
                                    struct cairn_error *error);

/* Allocate and fill; zero for bodies without contact. Only for a method whose states contain forces. */
int cairn_aggregate_stress(const struct cairn_state *state, const struct cairn_scenario *scenario,
                           struct cairn_body_stress *out, struct cairn_error *error);

/* The same of the bodies first, first + 1, …, with the forces of all their contacts, numbered by ids: those between
 * bodies first, each list in the order of both ids. */
int cairn_aggregate_slab_stress(const struct cairn_state *slab, int64_t first, const struct cairn_contact_force *force,
                                int64_t n, struct cairn_body_stress *out, struct cairn_error *error);

/* Semi-axes (m), the longest first, of the homogeneous ellipsoid of this mass (kg) with these second moments (kg m²),
 * which are overwritten. */
void cairn_aggregate_semi_axes(double second[3][3], double mass, double axes[3]);

#endif
