/* Several processes that compute one run together: ranks, started by mpirun or srun. A process that was started alone
 * is rank 0 of one, and none of this does anything. All functions are called from the thread that starts the engine,
 * and those that say so by all ranks, in the same order. */
#ifndef CAIRN_RANKS_H
#define CAIRN_RANKS_H

#include <stddef.h>

#include "cairn/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Join the other processes if a launcher has started more than one; before the engine starts. And leave them, after it
 * has stopped. By all ranks. */
int cairn_ranks_start(struct cairn_error *error);
void cairn_ranks_stop(void);

/* How many there are, and which one this is, from 0. */
int cairn_ranks_n(void);
int cairn_ranks_me(void);

/* By all ranks: 0 if every `status` is 0, else that of the lowest rank that has one, with its error. */
int cairn_ranks_agree(int status, struct cairn_error *error);

/* By all ranks: does each have the same text? `what` names it in the error. */
int cairn_ranks_compare(const char *what, const char *text, struct cairn_error *error);

/* By all ranks: the texts of all ranks one after the other, a line each with the number of its rank, on rank 0; NULL on
 * the others. The caller frees it. */
char *cairn_ranks_list(const char *text);

/* End all ranks at once, with a message: this one cannot go on and the others would wait for it. Does not return where
 * there are others. */
void cairn_ranks_abort(const struct cairn_error *error);

#ifdef __cplusplus
}
#endif
#endif
