/* The fast multipole method for the bodies of one branch (Greengard and Rokhlin 1987; Dehnen 2002, 2014).
 *
 * The walk goes down the sinks, from the root of the whole tree to the leaves of the branch. A sink node gets from its
 * parent a list of source nodes that together hold all mass not yet accounted for. It takes those that are far enough
 * into its local expansion (M2L), opens larger ones, and leaves the others to its children; leaves take sources that
 * are far enough from each of their bodies to these (M2P), and sum over the bodies of the rest. Above the branch only
 * its own ancestors are walked, again for each branch: so branches need nothing from each other but their trees, and
 * what a body feels depends neither on the branches nor on the order in which they are walked.
 *
 * Source B is far from sink A, at a distance r of their centres, if rho_A + rho_B < theta r (expansions converge below
 * r) and if its error is small. Of its pull M_B/r^2, the terms left out make up about
 *   e = max(((rho_A + sigma_B) / r)^p, (sigma_B/rho_B)^2 ((rho_A + rho_B) / r)^p)
 * (cf. Dehnen 2014; instead of the power of the multipoles, the first takes all mass at the spread, the second bounds
 * the mean of s^p, s the distance from the centre, by sigma^2 rho^(p-2), as it takes for a few bodies far out). It must
 * be less than epsilon times the geometric mean of that pull and of f_A, the sum of all pulls. So each of n equal
 * sources may make an error of epsilon f_A / sqrt(n), and together, if the signs are random, one of epsilon f_A. f_A,
 * unlike the acceleration, is not small where accelerations cancel; it is estimated from the list of sources on the way
 * down, so that nothing of an earlier step is needed. */
#ifndef CAIRN_KERNELS_GRAVITY_GRAVITY_WALK_H
#define CAIRN_KERNELS_GRAVITY_GRAVITY_WALK_H

#include "kernels/common/portable.h"
#include "kernels/gravity/gravity_tree.h"

/* Is a source far from a sink of a given radius at a squared distance r2? The limit is epsilon^2 f of the sink. */
CAIRN_INLINE int cairn_gravity_is_far(int order, double theta, double limit, double radius,
                                      const struct cairn_gravity_node *b, double r2) {
  const double reach = radius + b->radius;
  if (reach * reach >= theta * theta * r2)
    return 0;
  const double size = radius + b->spread, ratio2 = size * size / r2, reach2 = reach * reach / r2;
  double error = b->mass / r2, tail = error * b->tail; /* squared and over the acceleration */
  for (int k = 0; k < order; k++) {
    error *= ratio2;
    tail *= reach2;
  }
  return error < limit && tail < limit;
}

/* All there is to walk on. */
struct cairn_gravity_forest {
  int order;
  double epsilon;                        /* error of the acceleration, relative to the sum of all pulls */
  double theta;                          /* largest (rho_A + rho_B) / r, below 1 */
  const struct cairn_gravity_node *top;  /* root first */
  const struct cairn_gravity_node *node; /* of all branches */
  struct cairn_points bodies;
};

/* The fields of the bodies of the branch whose root is the given node, [n][CAIRN_FIELD]. `stack` is scratch; returns
 * 0, or -1 if it is too small. The fields are not right if nodes are missing. */
int cairn_kernel_gravity_walk(const struct cairn_gravity_forest *forest, const struct cairn_gravity_node *root,
                              const struct cairn_gravity_node **stack, int64_t capacity, double *field,
                              struct cairn_gravity_missing *missing);

#endif
