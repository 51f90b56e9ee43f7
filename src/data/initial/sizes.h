/* Distributions of radii. */
#ifndef CAIRN_DATA_INITIAL_SIZES_H
#define CAIRN_DATA_INITIAL_SIZES_H

#include "data/base/random.h"
#include "data/schema/yaml.h"

enum cairn_sizes_kind {
  CAIRN_SIZES_UNIFORM,        /* by radius; min = max is a constant */
  CAIRN_SIZES_UNIFORM_VOLUME, /* by volume */
  CAIRN_SIZES_NORMAL,         /* cut at min and max */
  CAIRN_SIZES_POWER_LAW       /* dN/dr ∝ r^-exponent */
};

struct cairn_sizes {
  enum cairn_sizes_kind kind;
  double min, max;        /* m */
  double mean, deviation; /* m, of CAIRN_SIZES_NORMAL before the cut */
  double exponent;        /* of CAIRN_SIZES_POWER_LAW */
};

/* Read a validated node `radius`: a number or a map with one distribution. */
int cairn_sizes_read(const struct cairn_node *node, const char *file, struct cairn_sizes *sizes,
                     struct cairn_error *error);

/* One radius, in m. */
double cairn_sizes_draw(const struct cairn_sizes *sizes, struct cairn_random *random);

#endif
