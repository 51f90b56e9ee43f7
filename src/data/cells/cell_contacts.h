/* Contacts between the history of cells and the records of packets and states. */
#ifndef CAIRN_DATA_CELLS_CELL_CONTACTS_H
#define CAIRN_DATA_CELLS_CELL_CONTACTS_H

#include "data/cells/cells.h"

/* The history of a pair of the list as a record that remembers `memory`, without ids and feature; and back. The only
 * functions that know both. */
void cairn_cell_contacts_pack(const struct cairn_cell *cell, int32_t pair, struct cairn_contact *contact);
void cairn_cell_contacts_unpack(struct cairn_cell *cell, int32_t pair, const struct cairn_contact *contact);

#endif
