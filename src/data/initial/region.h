/* Regions in which generators place bodies: boxes, spheres, cylinders, ellipsoids. */
#ifndef CAIRN_DATA_INITIAL_REGION_H
#define CAIRN_DATA_INITIAL_REGION_H

#include <stdbool.h>

#include "data/base/random.h"
#include "data/schema/yaml.h"

enum cairn_region_shape { CAIRN_REGION_BOX, CAIRN_REGION_SPHERE, CAIRN_REGION_CYLINDER, CAIRN_REGION_ELLIPSOID };

struct cairn_region {
  enum cairn_region_shape shape;
  double origin[3];   /* m: lower corner, centre, or centre of the lower face */
  double size[3];     /* m: edges of the box, otherwise 0 */
  double radius;      /* m: of sphere and cylinder */
  double height;      /* m: of the cylinder */
  double frame[3][3]; /* of the cylinder: two unit vectors across, one along the axis */
  double axes[3];     /* m: semi-axes of the ellipsoid, otherwise 0 */
  double volume;      /* m³ */
};

/* Read a validated node `in`. */
int cairn_region_read(const struct cairn_node *node, const char *file, struct cairn_region *region,
                      struct cairn_error *error);

/* A random centre such that a sphere of radius r lies inside; false if none exists. */
bool cairn_region_sample(const struct cairn_region *region, double r, struct cairn_random *random, double x[3]);

/* How far a sphere reaches out of the region: the vector that brings it back inside, zero if it is inside. */
void cairn_region_push(const struct cairn_region *region, const double x[3], double r, double push[3]);

/* The smallest box along the axes around the region. */
void cairn_region_bounds(const struct cairn_region *region, double lower[3], double upper[3]);

#endif
