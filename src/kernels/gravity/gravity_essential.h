/* What the sinks of another process need of a branch: its essential part (Warren and Salmon 1992). From the box around
 * these sinks it is estimated which nodes they open; the others are sent closed, without what is in them. If a walk
 * has to open one all the same, it says so (cairn_gravity_missing), the rest of that node is sent, and the walk is done
 * again. So the estimate decides what is sent, and never what is computed.
 *
 * A node that came from another process is a guest. */
#ifndef CAIRN_KERNELS_GRAVITY_GRAVITY_ESSENTIAL_H
#define CAIRN_KERNELS_GRAVITY_GRAVITY_ESSENTIAL_H

#include "kernels/gravity/gravity_walk.h"

/* The sinks of a branch. */
struct cairn_gravity_sinks {
  double lower[3], upper[3]; /* m, box around them */
  double radius, leaf;       /* m, of the whole branch; of its leaves, about */
  double limit;              /* m/s^2, epsilon^2 f */
};

/* Those of a branch, from its root and the top of the tree, of which f is estimated. */
struct cairn_gravity_sinks cairn_kernel_gravity_sinks(double epsilon, const struct cairn_gravity_node *root,
                                                      const struct cairn_gravity_node *top);

/* Sinks that open whatever one of the two opens, and more. */
struct cairn_gravity_sinks cairn_kernel_gravity_join_sinks(const struct cairn_gravity_sinks *a,
                                                           const struct cairn_gravity_sinks *b);

/* May these sinks open a node? */
int cairn_kernel_gravity_opens(int order, double theta, const struct cairn_gravity_sinks *sinks,
                               const struct cairn_gravity_node *node);

/* Set open[i] for the nodes of a branch, root first, that these sinks may open. */
void cairn_kernel_gravity_mark(int order, double theta, const struct cairn_gravity_sinks *sinks,
                               const struct cairn_gravity_node *root, uint8_t *open);

/* A node of a branch with what is in it, as far as it is open: the nodes, the given one first, closed ones without
 * children or bodies, and the bodies of open leaves, which are counted from 0. */
struct cairn_gravity_piece {
  int32_t n_nodes, n_bodies;
  struct cairn_gravity_node *node; /* NULL: only count */
  double (*body)[4];               /* position and mass */
};

/* That of the node number `from` of a branch with n_nodes nodes and these bodies. `place` is scratch, [n_nodes]. */
void cairn_kernel_gravity_take(const struct cairn_gravity_node *root, int32_t n_nodes, int32_t from,
                               const uint8_t *open, const struct cairn_points *bodies, int32_t *place,
                               struct cairn_gravity_piece *piece);

/* Put it in the place of the node `at`; its other nodes go to the end, after n_nodes of them, and its bodies stand from
 * first_body on. Returns how many nodes there are. */
int32_t cairn_kernel_gravity_admit(const struct cairn_gravity_piece *piece, int32_t first_body, int32_t at,
                                   int32_t n_nodes, struct cairn_gravity_node *node);

#endif
