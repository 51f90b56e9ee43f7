/* Guests: what a rank needs of the branches of others to evaluate its own (kernels/gravity/gravity_essential.h).
 *
 * Every rank has the roots of all branches, closed where the branch is another's, and the top above them. What it is
 * likely to open is offered to it; what it opens beyond that, it asks for. A parcel holds pieces of trees; it can be
 * sent as it is. */
#ifndef CAIRN_DATA_GRAVITY_GRAVITY_GUESTS_H
#define CAIRN_DATA_GRAVITY_GRAVITY_GUESTS_H

#include "data/gravity/gravity.h"
#include "kernels/gravity/gravity_essential.h"

/* A branch as others know it. */
struct cairn_gravity_root {
  uint64_t key;
  struct cairn_gravity_node node;
};

/* The roots of the own branches, [n_branches]. */
void cairn_gravity_show_roots(const struct cairn_gravity *gravity, struct cairn_gravity_root *root);

/* The top above the branches of all ranks, n in their order, the own ones among them; in all[n] stands where their
 * roots are. Not 0 if out of memory. */
int cairn_gravity_meet(struct cairn_gravity *gravity, const struct cairn_gravity_root *root, int32_t n,
                       struct cairn_gravity_branch *all);

struct cairn_gravity_parcel {
  void *data;
  int64_t bytes;
};

/* What the sinks of n branches, from the first on, may open in the own branches. Not 0 if out of memory. */
int cairn_gravity_offer(const struct cairn_gravity *gravity, const struct cairn_gravity_branch *all, int32_t first,
                        int32_t n, struct cairn_gravity_parcel *parcel);

/* A closed node: its branch, where it stands there, and where it stands on the rank that asks. */
struct cairn_gravity_request {
  int32_t branch, node, at;
};

/* All that is missing, each once: [*n], NULL if out of memory. */
struct cairn_gravity_request *cairn_gravity_list_missing(const struct cairn_gravity *gravity, int32_t *n);

/* All that is in these nodes. Not 0 if out of memory. */
int cairn_gravity_answer(const struct cairn_gravity *gravity, const struct cairn_gravity_request *request, int32_t n,
                         struct cairn_gravity_parcel *parcel);

/* Take in n parcels. Not 0 if out of memory. */
int cairn_gravity_admit(struct cairn_gravity *gravity, const struct cairn_gravity_branch *all,
                        const struct cairn_gravity_parcel *parcel, int32_t n);

#endif
