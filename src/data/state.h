/* The complete state of a simulation at one step, independent of cells, workers and ranks: bodies by id, contacts by
 * pair, walls by assembly. Checkpoints, frames, digests and initial conditions are all a cairn_state. */
#ifndef CAIRN_DATA_STATE_H
#define CAIRN_DATA_STATE_H

#include <stdint.h>

#include "cairn/error.h"
#include "cairn/state.h"

/* Make the arrays of bodies hold `n` bodies, new ones zero; the old ones are kept. */
int cairn_state_resize(struct cairn_state *state, int64_t n, struct cairn_error *error);

/* The same for the two lists of contacts. */
int cairn_state_resize_contacts(struct cairn_state *state, int64_t n_contacts, int64_t n_wall_contacts,
                                struct cairn_error *error);

/* The same for the assemblies; the orientation of new ones is not a rotation until it is set. */
int cairn_state_resize_assemblies(struct cairn_state *state, int64_t n_assemblies, struct cairn_error *error);

/* Make `to` (zeroed or in use) the same as `from`. */
int cairn_state_copy(struct cairn_state *to, const struct cairn_state *from, struct cairn_error *error);

/* Free every array and zero the struct. */
void cairn_state_fini(struct cairn_state *state);

/* Is every array consistent: ids in range and sorted, numbers finite, radii and masses positive, orientations of unit
 * length, materials below n_materials, walls below n_walls (INT32_MAX for both: not known here), and are there
 * n_assemblies assemblies (-1: any number)? A state read from a file is checked with this before anything uses it. */
int cairn_state_check(const struct cairn_state *state, int32_t n_materials, int32_t n_walls, int64_t n_assemblies,
                      struct cairn_error *error);

#endif
