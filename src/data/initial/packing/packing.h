/* Dense random places for spheres that do not overlap: they start anywhere in a region and push each other apart. */
#ifndef CAIRN_DATA_INITIAL_PACKING_H
#define CAIRN_DATA_INITIAL_PACKING_H

#include "cairn/error.h"
#include "data/base/random.h"
#include "data/initial/region.h"

struct cairn_packing {
  const struct cairn_region *region; /* every sphere lies inside as a whole */
  int64_t n;
  double *radius;   /* [n] in: in any order; out: in the order of the places */
  double *position; /* [n][3] out: in Morton order */
};

/* Sort the radii, the largest first. */
void cairn_packing_sort(struct cairn_packing *packing);

/* Find the places. `scale` comes back as 1, or smaller if the spheres jam before that: then only spheres with `scale`
 * times these radii found places, the places are not usable, and the return value is still 0. */
int cairn_packing_place(struct cairn_packing *packing, struct cairn_random *random, double *scale,
                        struct cairn_error *error);

#endif
