/* Contacts between the history of cells and the records of a state. */
#ifndef CAIRN_DATA_CELLS_CELL_CONTACTS_H
#define CAIRN_DATA_CELLS_CELL_CONTACTS_H

#include "data/cells/cells.h"

/* The history of a pair of the list as a record that remembers `memory`, without ids and feature; and back. The only
 * functions that know both. */
void cairn_cell_contacts_pack(const struct cairn_cell *cell, int32_t pair, struct cairn_contact *contact);
void cairn_cell_contacts_unpack(struct cairn_cell *cell, int32_t pair, const struct cairn_contact *contact);

/* Where the contacts of each body begin in a list, [n + 1] by `a`; NULL if out of memory. */
int64_t *cairn_cell_contacts_index(const struct cairn_contacts *contacts, int64_t n);

/* The contact with this partner and feature among those between `first` and `end`; NULL if there is none. */
const struct cairn_contact *cairn_cell_contacts_find(const struct cairn_contacts *contacts, int64_t first, int64_t end,
                                                     int32_t partner, uint32_t feature);

/* Copy the contacts of all cells into the state, whose bodies have been captured. */
int cairn_cell_contacts_capture(const struct cairn_cells *cells, struct cairn_state *state, struct cairn_error *error);

#endif
