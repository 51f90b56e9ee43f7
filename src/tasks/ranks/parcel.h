/* Packets of bodies in messages between ranks. */
#ifndef CAIRN_TASKS_RANKS_PARCEL_H
#define CAIRN_TASKS_RANKS_PARCEL_H

#include "data/cells/packet.h"
#include "tasks/ranks/ranks.h"

/* Add a packet and a number that goes with it to a message. Runs out of memory with all ranks. */
void cairn_parcel_add(struct cairn_ranks_mail *mail, int64_t number, const struct cairn_packet *packet);

/* The next packet of a message, from *at on, as a copy that the caller frees; NULL at its end. */
struct cairn_packet *cairn_parcel_next(const struct cairn_ranks_mail *mail, int64_t *at, int64_t *number);

#endif
