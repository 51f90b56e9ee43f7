/* Friends of friends: bodies that are closer than some gap, directly or through others, are one cluster. */
#ifndef CAIRN_ANALYSIS_CLUSTER_H
#define CAIRN_ANALYSIS_CLUSTER_H

#include <stdbool.h>

#include "data/state/state.h"
#include "kernels/common/exact_sum.h"

/* Gap that still links two bodies of an aggregate: a tenth of the mean radius. */
double cairn_cluster_gap(const struct cairn_state *state);
double cairn_cluster_gap_of(const struct cairn_exact_sum *radii, int64_t n); /* of n bodies */

/* Set member[i] for the bodies of the cluster with the largest mass, of two equal ones that with the lowest id. Bodies
 * that walls have captured or removed are in none. */
int cairn_cluster_largest(const struct cairn_state *state, double gap, bool *member, struct cairn_error *error);

/* Set rank[i] to that of the cluster of body i among all of them, by mass: 0 is the largest, of two equal ones that
 * with the lowest id. -1: captured or removed. Returns the number of clusters, or a negative status. */
int64_t cairn_cluster_ranks(const struct cairn_state *state, double gap, int32_t *rank, struct cairn_error *error);

/* Pairs of bodies that are linked, whatever their gap. */
struct cairn_cluster_links {
  int64_t n;
  int32_t (*pair)[2]; /* ids */
};

/* As cairn_cluster_ranks, of the clusters that these links make. */
int64_t cairn_cluster_ranks_linked(const struct cairn_state *state, const struct cairn_cluster_links *links,
                                   int32_t *rank, struct cairn_error *error);

/* The pairs of bodies that bonds of the state hold; the caller frees `pair`. */
int cairn_cluster_bonds(const struct cairn_state *state, struct cairn_cluster_links *out, struct cairn_error *error);

/* A mass as a whole number of 2^(scale - 93) kg, in pieces of 31 bits: sums do not depend on the order, and are exact
 * where no body has less than 2^-40 of the mass of the largest one. Room for 2^31 bodies. */
struct cairn_cluster_mass {
  int64_t piece[3]; /* the highest first; the others may have carries */
};
int cairn_cluster_mass_scale(double largest); /* kg, of all bodies */
void cairn_cluster_mass_add(struct cairn_cluster_mass *sum, double mass, int scale);
void cairn_cluster_mass_join(struct cairn_cluster_mass *sum, const struct cairn_cluster_mass *more);
double cairn_cluster_mass_value(const struct cairn_cluster_mass *sum, int scale);

/* Bodies as pieces of what may have been one aggregate. */
struct cairn_cluster_fragments {
  int64_t n;      /* clusters, single bodies counted */
  double largest; /* mass of the largest one over that of all bodies */
  double second;  /* the same of the second largest; 0 if there is none */
  double radius;  /* m, of a sphere that its bodies fill to 0.6 */
  double unrest;  /* J, kinetic energy in it beside that of a rigid body with its momentum and angular momentum */
};

/* By gaps, or by links if they are not NULL. */
int cairn_cluster_count(const struct cairn_state *state, double gap, const struct cairn_cluster_links *links,
                        struct cairn_cluster_fragments *fragments, struct cairn_error *error);

/* Add the cubes of the radii (m³) of bodies with member[i], in the order of ids, and the radius that a sum of them
 * gives a fragment. */
void cairn_cluster_add_cubes(const struct cairn_state *state, const bool *member, double *cubes);
double cairn_cluster_radius(double cubes);

#endif
