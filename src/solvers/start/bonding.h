/* The bonds that a run begins with, where each rank has a stretch of the bodies: a bond belongs to the rank of its
 * lower body, and the other one may be elsewhere. By all ranks; what runs out of memory ends all of them. */
#ifndef CAIRN_SOLVERS_START_BONDING_H
#define CAIRN_SOLVERS_START_BONDING_H

#include "data/scenario/scenario.h"

/* As cairn_bonds_make. Bodies of other ranks that have bonds with those here, new or from a checkpoint, are then in
 * scenario->share.others. */
int cairn_bonding_make(struct cairn_scenario *scenario, uint32_t memory, struct cairn_error *error);

/* Count the initial bonds of each entry. After cairn_bonding_make. */
void cairn_bonding_count(struct cairn_scenario *scenario);

/* The stiffest of all initial bonds for its mass; mass 0 if there is none. After cairn_bonding_make. */
struct cairn_bonds_pair cairn_bonding_fastest(const struct cairn_scenario *scenario);

/* The bodies of other ranks that have bonds with those of `state`, a stretch of the ids from `first` on. The caller
 * frees the list. */
struct cairn_bonds_others cairn_bonding_partners(const struct cairn_state *state, int64_t first);

#endif
