/* Packets: bodies with their contact history at one moment, in one contiguous buffer. A cell is built from a packet and
 * rolled back to one; at a regrid bodies go from old cells to new ones in packets. */
#ifndef CAIRN_DATA_CELLS_PACKET_H
#define CAIRN_DATA_CELLS_PACKET_H

#include <stdbool.h>

#include "data/cells/morton.h"
#include "data/state/state.h"
#include "kernels/common/blocks.h"

/* What every body has. */
struct cairn_body {
  double state[CAIRN_STATE]; /* as in the block of a cell */
  double radius, mass;
  int32_t id, material;
  int32_t captor;     /* as in a cairn_state */
  int32_t is_outside; /* has been seen outside the world */
};

/* What it has in some runs: captures, self-gravity, contact dynamics. */
struct cairn_body_extra {
  double capture_time, capture_place[3], gravity[3], reference[3];
};

/* Contacts between bodies, and with walls. A contact is filed under one of its bodies: that of lower id, unless the
 * cell that lists the pair does not own that one. */
enum cairn_packet_list { CAIRN_PACKET_PAIRS, CAIRN_PACKET_WALLS, CAIRN_PACKET_LISTS };

/* The head; behind it the bodies in the order of ids, what some runs have of them, where the contacts of each begin,
 * and the contacts. */
struct cairn_packet {
  int64_t bytes; /* of all of it */
  int32_t n;
  int32_t n_extra; /* n or 0 */
  double cost;     /* ns that a body takes in a step, the mean of all; 0: unknown */
  int64_t n_contacts[CAIRN_PACKET_LISTS];
  int64_t contact_bytes[CAIRN_PACKET_LISTS]; /* of one record */
};

/* A packet with room for so many, of which the head is set and both lists of contacts begin at 0; NULL if out of
 * memory. Freed with free. */
struct cairn_packet *cairn_packet_create(int32_t n, bool has_extra, const int64_t n_contacts[CAIRN_PACKET_LISTS],
                                         uint32_t memory);

/* Its parts. */
struct cairn_body *cairn_packet_bodies(const struct cairn_packet *packet);
struct cairn_body_extra *cairn_packet_extras(const struct cairn_packet *packet); /* NULL if there are none */
int32_t *cairn_packet_first(const struct cairn_packet *packet, enum cairn_packet_list list); /* [n + 1] */
struct cairn_contact *cairn_packet_contact(const struct cairn_packet *packet, enum cairn_packet_list list, int64_t i);

/* The contact with this partner and feature among those filed under body i; NULL if there is none. */
const struct cairn_contact *cairn_packet_find(const struct cairn_packet *packet, enum cairn_packet_list list, int32_t i,
                                              int32_t a, int32_t b, uint32_t feature);

/* n bodies of a state, from index `first` on or, if `index` is not NULL, these, in ascending order, with the ids from
 * `offset` on; their contacts are filed under the lower id. *packet is NULL if out of memory. */
void cairn_packet_of_state(const struct cairn_state *state, int64_t offset, const int32_t *index, int64_t first,
                           int32_t n, bool has_extra, uint32_t memory, struct cairn_packet **packet);

/* A part of a packet: all of its bodies, or those at the indices `entry[].id`. */
struct cairn_packet_part {
  const struct cairn_packet *packet;
  const struct cairn_morton *entry; /* NULL: all */
  int32_t n;
};

/* One packet of all these; NULL if out of memory. */
struct cairn_packet *cairn_packet_merge(const struct cairn_packet_part *part, int32_t n_parts, bool has_extra,
                                        uint32_t memory);

/* Copy one body of a packet to an index of a state. */
void cairn_packet_put_body(const struct cairn_packet *packet, int32_t i, struct cairn_state *state, int64_t to);

/* Copy bodies and contacts of n packets into a state that has room for them; NULL among them is skipped. Contacts of
 * bodies that were removed are dropped. */
int cairn_packet_capture(struct cairn_packet *const *packet, int32_t n, struct cairn_state *state, uint32_t memory,
                         struct cairn_error *error);

/* Ids of bodies that were removed, ascending once they are sorted. */
struct cairn_packet_gone {
  int32_t *id;
  int64_t n;
};
int32_t *cairn_packet_list_gone(struct cairn_packet *const *packet, int32_t n, int64_t *n_gone); /* NULL: no memory */
void cairn_packet_sort_gone(struct cairn_packet_gone *gone);
bool cairn_packet_is_gone(const struct cairn_packet_gone *gone, int32_t id);

/* A slab: the bodies of a stretch of ids in a state of their own, with the contacts that have them as the lower body;
 * others among those of the packets are left out. Contacts keep the ids of both bodies. */
struct cairn_packet_slab {
  int64_t first; /* id of the body at index 0 */
  struct cairn_state *state;
  const struct cairn_packet_gone *gone; /* for partners beyond the slab; NULL: there are none */
};
int cairn_packet_capture_slab(struct cairn_packet *const *packet, int32_t n, const struct cairn_packet_slab *slab,
                              uint32_t memory, struct cairn_error *error);

/* Of n packets, NULL among them allowed, the bodies with ids below `end` in one packet, from those at next[n] on, which
 * moves on. NULL if out of memory. */
struct cairn_packet *cairn_packet_take_slab(struct cairn_packet *const *packet, int32_t n, int64_t end, int32_t *next,
                                            bool has_extra, uint32_t memory);

/* Contacts of n packets that are filed under their body of higher id, by the lower one. */
struct cairn_packet_strays {
  const struct cairn_contact **contact;
  int64_t n, next; /* in all; of them, how many have been taken */
};
int cairn_packet_find_strays(struct cairn_packet *const *packet, int32_t n, struct cairn_packet_strays *strays);

/* A packet without bodies of the next of them: those whose lower body is before `end` and the other one is not. NULL if
 * out of memory. */
struct cairn_packet *cairn_packet_take_strays(struct cairn_packet_strays *strays, int64_t end, uint32_t memory);

/* The first body whose id is not below this one, n if there is none; bodies are in the order of ids. */
int32_t cairn_packet_find_id(const struct cairn_packet *packet, int32_t id);

/* What the driver of a simulation asks of all bodies but the removed ones. The order in which they are noted does not
 * matter. */
struct cairn_packet_summary {
  double lower[3], upper[3]; /* m, box around the centres */
  double near[3], far[3];    /* m, box around spheres of twice the radius */
  double speed2;             /* m²/s², largest at the coming step */
  double displacement2;      /* m², largest from the reference positions, where there are such */
  int64_t n_outside;         /* bodies beyond the bounds of the world */
  int64_t n_escaped;         /* of these, those not seen there before */
  int32_t first_escaped;     /* lowest id of them */
  int64_t n_removed;         /* bodies that were removed */
};
struct cairn_packet_summary cairn_packet_summary_of_none(void);
void cairn_packet_note(struct cairn_packet_summary *summary, const double *x, const double *v, const double *a,
                       double radius, double h);
void cairn_packet_join(struct cairn_packet_summary *all, const struct cairn_packet_summary *more);

/* Note all bodies of a packet, for a step of h; `bounds` are those of the world, lower and upper, or NULL. Marks bodies
 * that are outside. */
struct cairn_packet_summary cairn_packet_summarise(struct cairn_packet *packet, double h, const double bounds[2][3]);

/* The bodies of a packet but the removed ones in Morton order, ids being indices into the packet, in a cube with this
 * corner; `scale` as for cairn_morton_key. NULL if out of memory. */
struct cairn_morton *cairn_packet_order(const struct cairn_packet *packet, const double lower[3], double scale,
                                        int32_t *n);

#endif
