/* What ranks compute together and send each other between steps. All of these are called by all ranks, in the same
 * order; with one rank they do nothing. */
#ifndef CAIRN_TASKS_RANKS_RANKS_H
#define CAIRN_TASKS_RANKS_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "cairn/ranks.h"

/* Sums over all ranks. */
void cairn_ranks_sum(int64_t *count, int32_t n);
double cairn_ranks_max(double value);

/* An array of which each rank has a stretch: all of it, for all. The stretch of rank r is from first[r] to first[r +
 * 1], each entry so many numbers. */
void cairn_ranks_share(double *all, const int32_t *first, int32_t numbers);

/* Join what each rank has; `join` must not depend on the order. */
void cairn_ranks_join(void *all, size_t bytes, void (*join)(void *all, const void *more));

/* One rank after the other: what the rank before has passed on, then, when this one has changed it, what the last one
 * has, for all. Sums have the bits of one loop over all. */
void cairn_ranks_take_turn(void *data, size_t bytes);
void cairn_ranks_pass_turn(void *data, size_t bytes);

/* What rank 0 has. */
void cairn_ranks_tell(void *data, size_t bytes);
int64_t cairn_ranks_decide(int64_t mine);

/* A message to or from each rank; data are freed with free. */
struct cairn_ranks_mail {
  void *data;
  int64_t bytes;
};

/* What each rank has, for all; [n] in the order of ranks. What runs out of memory here ends all ranks. */
struct cairn_ranks_mail *cairn_ranks_gather(const void *mine, int64_t bytes);

/* Send out[q] to rank q, which is freed; returns what came, [n]. */
struct cairn_ranks_mail *cairn_ranks_exchange(struct cairn_ranks_mail *out);

/* Free a list of messages. */
void cairn_ranks_mail_free(struct cairn_ranks_mail *mail);

/* One message, from rank `from` to rank `to`: called by these two alone. On rank `to` the data are new. */
void cairn_ranks_send(const struct cairn_ranks_mail *mail, int to);
void cairn_ranks_receive(struct cairn_ranks_mail *mail, int from);

/* StarPU-MPI, between the start and the stop of StarPU. Not 0 on failure. */
int cairn_ranks_start_tasks(void);
void cairn_ranks_stop_tasks(void);

/* How many ranks, this one among them, may use the same cores of this node. */
int cairn_ranks_sharing(void);

/* Before and after something that the first rank of each node does before the others: what StarPU finds out about a
 * node goes to files, which two processes must not write at once. */
void cairn_ranks_first_of_node(bool before);

/* End all ranks: no memory for `what`. */
void cairn_ranks_out_of_memory(const char *what);

#endif
