/* Morton keys: the order in space that the octree and its cells follow. */
#ifndef CAIRN_DATA_CELLS_MORTON_H
#define CAIRN_DATA_CELLS_MORTON_H

#include <stdint.h>

enum { CAIRN_MORTON_BITS = 21 }; /* per axis; a key has three times as many */

/* A body's place on the curve. */
struct cairn_morton {
  uint64_t key;
  int32_t id;
};

/* Key of a point in the cube with the given lower corner; `scale` is 2^21 / edge. Points outside go to its faces. */
uint64_t cairn_morton_key(const double position[3], const double lower[3], double scale);

/* That scale for the cube around points between these corners; 0 if it has no size. */
double cairn_morton_scale(const double lower[3], const double upper[3]);

/* Sort by key, equal keys by the order they came in; `scratch` has room for n entries. */
void cairn_morton_sort(struct cairn_morton *entry, struct cairn_morton *scratch, int64_t n);

/* Put n bodies, given by their ids in `entry`, in Morton order; the cube around them is the root of the octree. */
void cairn_morton_order(const double *position, struct cairn_morton *entry, struct cairn_morton *scratch, int64_t n);

/* Halve n sorted entries at the bits of the keys until no part holds more than max_bodies: a part is a node of the
 * octree, or two or four sibling nodes that fit into one part together. Writes the ends of the parts and returns their
 * number, at most n. */
int32_t cairn_morton_cut(const struct cairn_morton *entry, int64_t n, int64_t max_bodies, int64_t *end);

#endif
