/* The tree of self-gravity: nodes over bodies in Morton order, each with the multipole of its bodies.
 *
 * A node is a stretch of the sorted keys that share their leading bits; where it holds more than a leaf may, it is cut
 * in two at the first bit in which they differ. A branch is a subtree that is built by itself, a stretch of keys with
 * common leading bits too; the top joins the branches' roots. So the tree depends on the bodies alone, not on the
 * branches, as long as a branch may hold as many bodies as a leaf. */
#ifndef CAIRN_KERNELS_GRAVITY_GRAVITY_TREE_H
#define CAIRN_KERNELS_GRAVITY_GRAVITY_TREE_H

#include <stdint.h>

#include "kernels/gravity/gravity_expansion.h"

enum { CAIRN_GRAVITY_LEAF = 24 }; /* most bodies of a leaf; measured, bench/gravity.c */

/* Nodes that a walk would have opened and that are not here, the first of them. */
enum { CAIRN_GRAVITY_MISSING = 32 };
struct cairn_gravity_missing {
  int32_t n, node[CAIRN_GRAVITY_MISSING];
};

/* A branch. */
struct cairn_gravity_branch {
  uint64_t key;            /* of its first body */
  int32_t first, n;        /* its bodies in Morton order */
  int32_t node, n_nodes;   /* its nodes among those of all branches, root first */
  int32_t range, n_ranges; /* where its bodies come from (data/gravity/gravity.h) */
  int32_t failed;          /* was there no memory for work on it? */
  int32_t is_done;         /* has its field been evaluated, with nothing missing? */
  struct cairn_gravity_missing missing;
};

struct cairn_gravity_node {
  double centre[3];   /* m, of mass; that of the expansions too */
  double mass;        /* kg */
  double radius;      /* m, no body is farther from the centre */
  double spread;      /* m, root of the mean squared distance of the mass from the centre */
  double tail;        /* (spread/radius)^4, or 0 for a single place */
  int32_t first, n;   /* its bodies; in the top, its first branch and how many bodies; first is -1 for a leaf whose
                         bodies are not here */
  int32_t child;      /* where the first of its two children stands, counted from the node itself; 0 for a leaf, -1 if
                         they are not here */
  int32_t branch;     /* the branch it belongs to, or -1 in the top */
  int32_t n_branches; /* in the top */
  int32_t root;       /* where the root of its branch stands among the nodes of all; in the top's leaves. In a guest
                         (gravity_essential.h) where it stands in its branch */
  double lower[3], upper[3]; /* m, box around the bodies' centres */
  double multipole[CAIRN_GRAVITY_COEFFICIENTS];
};

/* How many nodes n sorted keys are cut into. */
int32_t cairn_kernel_gravity_tree_count(int32_t n, const uint64_t *key, int32_t leaf);

/* Cut n sorted keys, those of the bodies from `first` on, into nodes of at most `leaf` keys, or of equal keys; node 0
 * is the root, children stand after their parents. Sets first and n (of keys), child and branch. Returns how many nodes
 * there are; `node` must have room for them, 2n - 1 at most. */
int32_t cairn_kernel_gravity_tree_cut(int32_t first, int32_t n, const uint64_t *key, int32_t leaf, int32_t branch,
                                      struct cairn_gravity_node *node);

/* Everything else in the nodes of a branch, from its own bodies: P2M in leaves, M2M above. */
void cairn_kernel_gravity_tree_fill(int order, const struct cairn_points *own, int32_t n_nodes,
                                    struct cairn_gravity_node *node);

/* The same in the top, cut with a key of each branch and leaves of one: each becomes a copy of that branch's root. */
void cairn_kernel_gravity_tree_join(int order, const struct cairn_gravity_branch *branch,
                                    const struct cairn_gravity_node *node, int32_t n_top,
                                    struct cairn_gravity_node *top);

#endif
