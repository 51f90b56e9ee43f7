/* Morton keys: the order in space that the octree and its cells follow. */
#ifndef CAIRN_DATA_MORTON_H
#define CAIRN_DATA_MORTON_H

#include <stdint.h>

enum { CAIRN_MORTON_BITS = 21 }; /* per axis; a key has three times as many */

/* A body's place on the curve. */
struct cairn_morton {
  uint64_t key;
  int32_t id;
};

/* Key of a point in the cube with the given lower corner; `scale` is 2^21 / edge. Points outside go to its faces. */
uint64_t cairn_morton_key(const double position[3], const double lower[3], double scale);

/* Sort by key, equal keys by the order they came in; `scratch` has room for n entries. */
void cairn_morton_sort(struct cairn_morton *entry, struct cairn_morton *scratch, int64_t n);

#endif
