/* The forces of the contacts of a step where bodies are shared by ranks: each rank has those that its cells list, and
 * sends them to rank 0 slab by slab. */
#ifndef CAIRN_SOLVERS_SIMULATION_RANKS_FORCES_H
#define CAIRN_SOLVERS_SIMULATION_RANKS_FORCES_H

#include "analysis/contact_forces.h"
#include "tasks/ranks/ranks.h"

/* A contact by the ids of its bodies. */
struct cairn_sim_force {
  struct cairn_contact_force force;
  uint32_t feature;
};

struct cairn_sim_forces {
  struct cairn_sim_force *force; /* [n] by the lower body */
  int64_t n, capacity;
  const struct cairn_sim_force **higher; /* [n_pairs] those between bodies by the higher one */
  int64_t n_pairs;
  int64_t next, next_higher; /* how many have been taken */
};

/* Room for n more contacts; they are sorted once all are there. Both return not 0 if out of memory. */
int cairn_sim_forces_reserve(struct cairn_sim_forces *forces, int64_t n);
int cairn_sim_forces_sort(struct cairn_sim_forces *forces);

/* Rank 0 gets the contacts of all ranks that have a body in the slab of the ids from `first` to `end`: those between
 * bodies first, by both of their ids, then those with walls. *force is NULL on the others, and freed by the caller. By
 * all ranks; slabs follow each other. Returns how many. */
int64_t cairn_sim_forces_take(struct cairn_sim_forces *forces, int64_t first, int64_t end,
                              struct cairn_contact_force **force);

void cairn_sim_forces_fini(struct cairn_sim_forces *forces);

#endif
