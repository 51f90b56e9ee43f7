/* Self-gravity of n bodies by the fast multipole method (kernels/gravity/gravity_walk.h), cut into pieces of work that
 * can run at once:
 *
 *   cairn_gravity_cut        the bodies in Morton order, and the curve in branches: the work that one task does
 *   cairn_gravity_build      of each branch: its tree, with multipoles; branches in any order, at once
 *   cairn_gravity_join       after all of them: the top of the tree, small
 *   cairn_gravity_evaluate   of each branch: accelerations and potentials; reads all trees; in any order, at once
 *   cairn_gravity_drift      after all of them: the mean acceleration, which the caller subtracts from every body
 *
 * The acceleration of a body depends on the masses and positions of the bodies alone, to the last bit: not on an
 * earlier state, nor on the size of branches or the order in which they are done. */
#ifndef CAIRN_DATA_CELLS_GRAVITY_H
#define CAIRN_DATA_CELLS_GRAVITY_H

#include <stddef.h>
#include <stdint.h>

#include "cairn/error.h"
#include "data/cells/morton.h"
#include "kernels/gravity/gravity_walk.h"

#define CAIRN_GRAVITY_G 6.67430e-11 /* m^3/(kg s^2), CODATA 2018 */

/* How to treat the bodies. */
struct cairn_gravity_rules {
  double G;           /* gravitational constant in the caller's units */
  double accuracy;    /* RMS error of the acceleration over the RMS acceleration; 1e-6 … 0.1 is measured */
  int order;          /* of the expansions, 1 … 5; 0: the fastest for the accuracy, few bodies by direct sums */
  int32_t max_bodies; /* of a branch, at least CAIRN_GRAVITY_LEAF; 0: enough branches for some workers, none so small
                         that it costs much more */
};

/* What a task on one branch needs. Nodes and stack grow as needed and are kept for the next time. */
struct cairn_gravity_branch {
  int32_t first, n; /* its bodies in Morton order */
  int32_t n_nodes, node_capacity;
  struct cairn_gravity_node *node;
  int64_t stack_capacity;
  const struct cairn_gravity_node **stack;
};

struct cairn_gravity {
  struct cairn_gravity_rules rules;
  int32_t n, n_branches, n_top;
  int32_t most_direct; /* so many bodies are summed directly: no trees */
  struct cairn_gravity_branch *branch;
  struct cairn_gravity_node *top;
  const struct cairn_gravity_node **root; /* [n_branches] */
  /* [n] in Morton order: */
  struct cairn_morton *entry, *scratch; /* `id` is the index in the caller's arrays */
  uint64_t *key;
  double *x, *y, *z, *m;
  double *field; /* [n][CAIRN_FIELD] */
  int32_t body_capacity, branch_capacity;
};

void cairn_gravity_init(struct cairn_gravity *gravity, const struct cairn_gravity_rules *rules);

/* Put n bodies at position [n][3] in order and cut them into branches. Equal keys keep the caller's order. */
int cairn_gravity_cut(struct cairn_gravity *gravity, int32_t n, const double *position, struct cairn_error *error);

/* Build the tree of one branch from the same positions [n][3] and masses [n], all above 0. */
int cairn_gravity_build(struct cairn_gravity *gravity, int32_t branch, const double *position, const double *mass,
                        struct cairn_error *error);

void cairn_gravity_join(struct cairn_gravity *gravity);

/* Accelerations [n][3] and potentials [n]: writes those of the bodies of one branch. */
int cairn_gravity_evaluate(struct cairn_gravity *gravity, int32_t branch, double *acceleration, double *potential,
                           struct cairn_error *error);

/* The same from gravity->field, where another rank evaluated the branch. */
void cairn_gravity_deliver(const struct cairn_gravity *gravity, int32_t branch, double *acceleration,
                           double *potential);

/* Mean acceleration by mass. The forces are not exactly mutual, so it is not zero but of the order of the error; with
 * it subtracted the total momentum is kept to rounding. */
void cairn_gravity_drift(const struct cairn_gravity *gravity, double drift[3]);

/* Bytes held. */
size_t cairn_gravity_memory(const struct cairn_gravity *gravity);

void cairn_gravity_fini(struct cairn_gravity *gravity);

#endif
