/* Friends of friends: bodies that are closer than some gap, directly or through others, are one cluster. */
#ifndef CAIRN_DATA_CLUSTER_H
#define CAIRN_DATA_CLUSTER_H

#include <stdbool.h>

#include "data/state.h"

/* Set member[i] for the bodies of the cluster with the largest mass, of two equal ones that with the lowest id. Bodies
 * that walls hold or have taken out are in none. */
int cairn_cluster_largest(const struct cairn_state *state, double gap, bool *member, struct cairn_error *error);

#endif
