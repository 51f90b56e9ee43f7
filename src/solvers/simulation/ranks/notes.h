/* What ranks tell each other of bodies, whoever has them: each rank keeps what is known of those of its stretch of the
 * ids. By all ranks; what runs out of memory ends all of them. */
#ifndef CAIRN_SOLVERS_SIMULATION_RANKS_NOTES_H
#define CAIRN_SOLVERS_SIMULATION_RANKS_NOTES_H

#include "tasks/ranks/ranks.h"

/* Of a body: a number that ranks have agreed on, or another body. */
struct cairn_sim_note {
  int32_t body, other;
};

/* Notes for each rank. */
struct cairn_sim_notes {
  int64_t n_bodies; /* in all */
  struct cairn_ranks_mail *mail;
  int64_t *room; /* bytes */
};

/* The first id of the stretch of a rank; that of rank n is the number of bodies. */
int64_t cairn_sim_notes_first(int64_t n_bodies, int rank);

/* Open, post notes, deliver them: each rank gets those of its stretch, one after the other in the order of the ranks
 * that posted them. Returns how many all ranks have got. */
void cairn_sim_notes_open(struct cairn_sim_notes *notes, int64_t n_bodies);
void cairn_sim_notes_post(struct cairn_sim_notes *notes, int32_t body, int32_t other);
int64_t cairn_sim_notes_deliver(struct cairn_sim_notes *notes, void (*take)(void *context, struct cairn_sim_note note),
                                void *context);

#endif
