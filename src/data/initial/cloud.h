/* Random places for spheres that do not overlap: random sequential addition, largest spheres first. */
#ifndef CAIRN_DATA_INITIAL_CLOUD_H
#define CAIRN_DATA_INITIAL_CLOUD_H

#include "data/base/random.h"
#include "data/initial/overlap.h"
#include "data/initial/region.h"
#include "data/scenario/scenario.h"

struct cairn_cloud {
  const struct cairn_region *region;
  int32_t n_walls;
  const struct cairn_walls_present *walls; /* every sphere stays clear of them */
  struct cairn_overlap *placed; /* every sphere stays clear of these; the new ones are added with ids from `first` */
  int32_t first;
  int64_t n;
  double *radius;   /* [n] in: in any order; out: in the order of the places */
  double *position; /* [n][3] out */
};

/* Find the places. If `n_placed` comes back smaller than n, the effort was spent: the return value is still 0. */
int cairn_cloud_place(struct cairn_cloud *cloud, struct cairn_random *random, int64_t *n_placed, double *volume,
                      struct cairn_error *error);

/* For a cloud in which not one sphere found a place: the name of a plane that has the region behind it, NULL if there
 * is none. */
const char *cairn_cloud_hidden_by(const struct cairn_cloud *cloud, struct cairn_random *random);

/* Bring n spheres into Morton order: neighbours in space get neighbouring ids, and everything that walks bodies by id
 * is then kind to the caches. */
int cairn_cloud_sort(int64_t n, double *position, double *radius, struct cairn_error *error);

#endif
