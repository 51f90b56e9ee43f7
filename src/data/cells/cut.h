/* The octree cut of bodies that lie in many packets, each in Morton order: halved at the bits of the keys until no part
 * holds more bodies than a cell may. Only counts are compared, never bodies, so that packets may lie anywhere. */
#ifndef CAIRN_DATA_CELLS_CUT_H
#define CAIRN_DATA_CELLS_CUT_H

#include <stdint.h>

#include "data/cells/morton.h"

/* Bodies of one packet in Morton order. */
struct cairn_cut_list {
  const struct cairn_morton *entry;
  int32_t n;
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
};

/* Adds up the counts over all ranks; NULL: this process has all bodies. Not 0 on failure. */
typedef int cairn_cut_sum(void *context, int64_t *count, int32_t n);

/* The parts have the bodies that cairn_morton_cut would give them. Not 0 if out of memory. */
int cairn_cut_make(const struct cairn_cut_list *list, int32_t n_lists, int64_t max_bodies, cairn_cut_sum *sum,
                   void *context, struct cairn_cut *cut);

void cairn_cut_fini(struct cairn_cut *cut);

#endif
