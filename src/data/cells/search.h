/* Which spheres may touch: all pairs closer than a skin, by one grid per size class. */
#ifndef CAIRN_DATA_CELLS_SEARCH_H
#define CAIRN_DATA_CELLS_SEARCH_H

#include <stdint.h>

#include "cairn/error.h"

struct cairn_sphere {
  double x, y, z, r; /* m */
};

/* A growing pair list of indices, i < j is not implied. */
struct cairn_pairs {
  int64_t n, capacity;
  int32_t (*pair)[2];
};

/* Append to `pairs` every pair of the n spheres whose surfaces are closer than `skin` and of which at least one is
 * among the first n_own, each pair once, in no particular order. Spheres are sorted into classes by octave of radius
 * with a grid each; a sphere looks for partners in its own class and in those of larger spheres, so that the cost stays
 * proportional to n for any ratio of sizes. */
int cairn_search_pairs(const struct cairn_sphere *sphere, int32_t n_own, int32_t n, double skin,
                       struct cairn_pairs *pairs, struct cairn_error *error);

/* The same by testing all pairs: the reference for tests. */
int cairn_search_pairs_brute_force(const struct cairn_sphere *sphere, int32_t n_own, int32_t n, double skin,
                                   struct cairn_pairs *pairs, struct cairn_error *error);

/* Append a pair; -1 if out of memory. */
int cairn_search_pairs_add(struct cairn_pairs *pairs, int32_t i, int32_t j);

void cairn_search_pairs_fini(struct cairn_pairs *pairs);

#endif
