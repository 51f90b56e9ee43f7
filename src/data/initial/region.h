/* Regions in which generators place bodies: boxes, spheres, cylinders, ellipsoids, the inside of a mesh. */
#ifndef CAIRN_DATA_INITIAL_REGION_H
#define CAIRN_DATA_INITIAL_REGION_H

#include <stdbool.h>

#include "data/base/random.h"
#include "data/schema/yaml.h"

struct cairn_mesh;

enum cairn_region_shape {
  CAIRN_REGION_BOX,
  CAIRN_REGION_SPHERE,
  CAIRN_REGION_CYLINDER,
  CAIRN_REGION_ELLIPSOID,
  CAIRN_REGION_MESH
};

struct cairn_region {
  enum cairn_region_shape shape;
  double origin[3];   /* m: lower corner, centre, or centre of the lower face */
  double size[3];     /* m: edges of the box, also of that around a mesh, otherwise 0 */
  double radius;      /* m: of sphere and cylinder */
  double height;      /* m: of the cylinder */
  double frame[3][3]; /* of the cylinder: two unit vectors across, one along the axis */
  double axes[3];     /* m: semi-axes of the ellipsoid, otherwise 0 */
  double volume;      /* m³ */
  struct cairn_mesh *mesh;
};

/* Read a validated node `in`. With `dry` the file of a mesh is not opened, and the region is not usable. Afterwards,
 * also after an error, the caller gives it back with cairn_region_fini. */
int cairn_region_read(const struct cairn_node *node, const char *file, bool dry, struct cairn_region *region,
                      struct cairn_error *error);
void cairn_region_fini(struct cairn_region *region);

/* A random centre such that a sphere of radius r lies inside; false if none exists. */
bool cairn_region_sample(const struct cairn_region *region, double r, struct cairn_random *random, double x[3]);

/* Is the point in it, or on its border? */
bool cairn_region_has(const struct cairn_region *region, const double x[3]);

/* The middle of the region's box, of spheres and ellipsoids the centre. */
void cairn_region_middle(const struct cairn_region *region, double x[3]);

/* How far a sphere reaches out of the region: the vector that brings it back inside, zero if it is inside. */
void cairn_region_push(const struct cairn_region *region, const double x[3], double r, double push[3]);

/* The smallest box along the axes around the region. */
void cairn_region_bounds(const struct cairn_region *region, double lower[3], double upper[3]);

#endif
