/* Random places for spheres that do not overlap: random sequential addition, largest spheres first. */
#ifndef CAIRN_DATA_CLOUD_H
#define CAIRN_DATA_CLOUD_H

#include "data/overlap.h"
#include "data/random.h"
#include "data/scenario.h"
#include "data/yaml.h"

enum cairn_cloud_shape { CAIRN_CLOUD_BOX, CAIRN_CLOUD_SPHERE, CAIRN_CLOUD_CYLINDER };

struct cairn_cloud_region {
  enum cairn_cloud_shape shape;
  double origin[3];   /* m: lower corner, centre, or centre of the lower face */
  double size[3];     /* m: edges of the box */
  double radius;      /* m: of sphere and cylinder */
  double height;      /* m: of the cylinder */
  double frame[3][3]; /* of the cylinder: two unit vectors across, one along the axis */
  double volume;      /* m³ */
};

/* Read a validated node `in`. */
int cairn_cloud_read(const struct cairn_node *node, const char *file, struct cairn_cloud_region *region,
                     struct cairn_error *error);

struct cairn_cloud {
  const struct cairn_cloud_region *region;
  int32_t n_walls;
  const struct cairn_walls_present *walls; /* every sphere stays clear of them */
  struct cairn_overlap *placed; /* every sphere stays clear of these; the new ones are added with ids from `first` */
  int32_t first;
  int64_t n;
  double *radius;   /* [n] in: in any order; out: in the order of the places */
  double *position; /* [n][3] out: in Morton order */
};

/* Find the places. If `n_placed` comes back smaller than n, the effort was spent: the return value is still 0. */
int cairn_cloud_place(struct cairn_cloud *cloud, struct cairn_random *random, int64_t *n_placed, double *volume,
                      struct cairn_error *error);

#endif
