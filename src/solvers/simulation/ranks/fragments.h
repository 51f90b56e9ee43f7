/* The clusters of the bodies of a step, where ranks share them. By all ranks. */
#ifndef CAIRN_SOLVERS_SIMULATION_RANKS_FRAGMENTS_H
#define CAIRN_SOLVERS_SIMULATION_RANKS_FRAGMENTS_H

#include "analysis/cluster.h"
#include "analysis/equivalent_body.h"

struct cairn_simulation;

/* How many there are and what the largest two weigh, over bonds or by gaps; not radius and unrest. */
int cairn_sim_fragments_count(struct cairn_simulation *sim, bool bonds, struct cairn_cluster_fragments *fragments,
                              struct cairn_error *error);

/* The largest cluster by gaps, whose sums are those of one process, bit by bit. */
struct cairn_sim_fragment {
  struct cairn_cluster_fragments fragments;
  struct cairn_equivalent_body body;
  bool
      *member; /* of the bodies of this rank's stretch of ids (solvers/simulation/ranks/notes.h); freed by the caller */
};
int cairn_sim_fragments_largest(struct cairn_simulation *sim, struct cairn_sim_fragment *largest,
                                struct cairn_error *error);

/* Which of n bodies, in the order of ids, are members: [n]; freed by the caller. */
bool *cairn_sim_fragments_ask(const struct cairn_simulation *sim, const bool *member, const int32_t *id, int64_t n);

#endif
