/* Which spheres overlap? A hash of cells per class of sizes, so that the cost per body does not depend on how many
 * bodies there are or how much their sizes differ. */
#ifndef CAIRN_DATA_INITIAL_OVERLAP_H
#define CAIRN_DATA_INITIAL_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

#include "data/state/state.h"

/* A class holds radii within a factor of two: class c the radii in (base 2^-(c+1), base 2^-c], negative c above the
 * base. All positive doubles fit. */
enum { CAIRN_OVERLAP_CLASSES = 4400, CAIRN_OVERLAP_BASE_CLASS = 2200 };

struct cairn_overlap_item {
  double position[3], radius;
  int32_t id;
  int32_t next; /* in the same slot of the hash, or -1 */
};

struct cairn_overlap {
  double base;         /* m, a typical largest radius */
  int64_t n, capacity; /* items */
  struct cairn_overlap_item *item;
  uint64_t mask; /* slots of the hash - 1 */
  int32_t *slot; /* first item, or -1 */
  int32_t count[CAIRN_OVERLAP_CLASSES];
  int first_class, last_class; /* between them lie all classes in use */
  int64_t work;                /* cells and items looked at so far: a measure of effort for callers */
};

/* Start without items. The struct is large: keep it on the heap. */
void cairn_overlap_init(struct cairn_overlap *overlap, double base);
void cairn_overlap_fini(struct cairn_overlap *overlap);

/* The class of a radius, 0 … CAIRN_OVERLAP_CLASSES - 1; larger radii have lower classes. */
int cairn_overlap_class(const struct cairn_overlap *overlap, double radius);

/* Make room for n items in all. */
int cairn_overlap_reserve(struct cairn_overlap *overlap, int64_t n, struct cairn_error *error);

/* Add a sphere; there must be room. */
void cairn_overlap_insert(struct cairn_overlap *overlap, int32_t id, const double position[3], double radius);

/* May a sphere overlap the item `id` by `part` of the smaller radius (0: touching)? */
typedef bool cairn_overlap_allowed_t(void *context, int32_t id, double part);

/* The id of an item that a sphere overlaps more than allowed (NULL: at all), and by how much unless `part` is NULL; -1
 * if there is none. */
int32_t cairn_overlap_find(struct cairn_overlap *overlap, const double position[3], double radius,
                           cairn_overlap_allowed_t *allowed, void *context, double *part);

#endif
