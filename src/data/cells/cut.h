/* The cut of bodies that lie in many packets. Each packet has an order of its own, and only counts are compared, never
 * bodies, so that packets may lie anywhere. The octree: in Morton order, halved at the bits of the keys until no part
 * holds more bodies than a cell may. Slices and columns: in the order of a coordinate, split at given numbers. */
#ifndef CAIRN_DATA_CELLS_CUT_H
#define CAIRN_DATA_CELLS_CUT_H

#include "data/cells/packet.h"
#include "kernels/common/exact_sum.h"

/* Bodies of one packet by key; ids are indices into the packet, ascending where keys are the same. */
struct cairn_cut_list {
  const struct cairn_morton *entry;
  int32_t n;
  const struct cairn_body *body; /* of the packet; the octree asks for keys alone */
};

/* A stretch of such a list. */
struct cairn_cut_range {
  int32_t list, from, to;
};

struct cairn_cut_part {
  int64_t n;     /* bodies, in all lists everywhere */
  int32_t first; /* its stretches begin here in `range` */
  int32_t n_ranges;
};

struct cairn_cut {
  int32_t n; /* parts, in the order of the curve */
  struct cairn_cut_part *part;
  struct cairn_cut_range *range;
  int32_t *slice;  /* [n] in which slice each column is; NULL if there are no columns */
  int32_t *number; /* [n] of each among the parts of all ranks, where those of one are left; else NULL */
};

/* Adds up the counts over all ranks; NULL: this process has all bodies. Not 0 on failure. */
typedef int cairn_cut_sum(void *context, int64_t *count, int32_t n);

/* The parts have the bodies that cairn_morton_cut would give them. Not 0 if out of memory. */
int cairn_cut_make(const struct cairn_cut_list *list, int32_t n_lists, int64_t max_bodies, cairn_cut_sum *sum,
                   void *context, struct cairn_cut *cut);

void cairn_cut_fini(struct cairn_cut *cut);

/* How far bodies spread by their reference positions, the removed ones left out: exact sums, to which packets may be
 * added in any order. */
struct cairn_cut_spread {
  struct cairn_exact_sum sum[3], square[3];
  int64_t n;
};
void cairn_cut_note(struct cairn_cut_spread *spread, const struct cairn_packet *packet);
void cairn_cut_join(struct cairn_cut_spread *all, const struct cairn_cut_spread *more);

/* Slices across the longest axis, so that a cell has at most max_bodies (docs/decisions/0007); instead of more than
 * CAIRN_CUT_MOST_SLICES of them columns: slices that are cut once more across the second longest axis, every second
 * one half a column further, as bricks are laid (docs/decisions/0019). */
enum { CAIRN_CUT_MOST_SLICES = 64 };
struct cairn_cut_slices {
  int axis[2]; /* of the two cuts */
  int64_t n_slices;
  int64_t n_columns; /* in every second slice; 0: there are slices alone */
};
struct cairn_cut_slices cairn_cut_plan(const struct cairn_cut_spread *spread, int64_t max_bodies);

/* The bodies of a packet along an axis, by reference positions, as cairn_packet_order; and some of them once more. */
struct cairn_morton *cairn_cut_order(const struct cairn_packet *packet, int axis, int32_t *n);
int cairn_cut_reorder(const struct cairn_packet *packet, int axis, struct cairn_morton *entry, int32_t n);

/* The slices of n_bodies bodies whose lists are in the order of the first axis; then, where there are columns, the
 * columns of these slices, of which each list must be in the order of the second axis. Not 0 if out of memory. */
int cairn_cut_make_slices(const struct cairn_cut_list *list, int32_t n_lists, int64_t n_bodies,
                          const struct cairn_cut_slices *slices, cairn_cut_sum *sum, void *context,
                          struct cairn_cut *cut);
int cairn_cut_make_columns(const struct cairn_cut_list *list, const struct cairn_cut_slices *slices, cairn_cut_sum *sum,
                           void *context, struct cairn_cut *cut);

#endif
