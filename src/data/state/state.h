/* The complete state of a simulation at one step, independent of cells, workers and ranks: bodies by id, contacts by
 * pair, walls by assembly. Checkpoints, frames, digests and initial conditions are all a cairn_state. */
#ifndef CAIRN_DATA_STATE_STATE_H
#define CAIRN_DATA_STATE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cairn/error.h"
#include "cairn/state.h"

/* Make the arrays of bodies hold `n` bodies, new ones zero; the old ones are kept. */
int cairn_state_resize(struct cairn_state *state, int64_t n, struct cairn_error *error);

/* What contacts between bodies shall remember, a set of enum cairn_contact_memory; those with walls also have the
 * normal. Contacts that remember something else are refused. */
int cairn_state_remember(struct cairn_state *state, uint32_t memory, struct cairn_error *error);

/* The same as cairn_state_resize for the two lists of contacts. */
int cairn_state_resize_contacts(struct cairn_state *state, int64_t n_contacts, int64_t n_wall_contacts,
                                struct cairn_error *error);

/* The same for the assemblies; the orientation of new ones is not a rotation until it is set. */
int cairn_state_resize_assemblies(struct cairn_state *state, int64_t n_assemblies, struct cairn_error *error);

/* Make `to` (zeroed or in use) the same as `from`. */
int cairn_state_copy(struct cairn_state *to, const struct cairn_state *from, struct cairn_error *error);

/* Copy what has come of the steps so far beside bodies, contacts and assemblies: step, time, momentum, totals. */
void cairn_state_copy_progress(struct cairn_state *to, const struct cairn_state *from);

/* Free every array and zero the struct. */
void cairn_state_fini(struct cairn_state *state);

/* Are the lengths of all lists possible and their arrays there? What is in them: data/state/state_check.h. */
int cairn_state_check_arrays(const struct cairn_state *state, struct cairn_error *error);

/* The digest of a state in parts: the sum of what is added for each body, each contact and the rest, in any order.
 * Bodies have these ids, or those from `first` on. */
struct cairn_state_sum {
  uint64_t low, high;
};
void cairn_state_sum_bodies(struct cairn_state_sum *sum, const struct cairn_state *state, const int32_t *id);
void cairn_state_sum_stretch(struct cairn_state_sum *sum, const struct cairn_state *state, int64_t first);
void cairn_state_sum_contact(struct cairn_state_sum *sum, const struct cairn_contact *contact, size_t bytes,
                             bool at_wall);
void cairn_state_sum_head(struct cairn_state_sum *sum, const struct cairn_state *state);
void cairn_state_sum_join(struct cairn_state_sum *sum, const struct cairn_state_sum *more);
void cairn_state_sum_digest(const struct cairn_state_sum *sum, char digest[CAIRN_DIGEST_LENGTH + 1]);

#endif
