/* The inside of a closed surface of triangles as a region. */
#ifndef CAIRN_DATA_INITIAL_REGION_MESH_H
#define CAIRN_DATA_INITIAL_REGION_MESH_H

#include "data/initial/region.h"

/* Read the file that a validated node `mesh` names, find its volume, and refuse a surface that is not closed. */
int cairn_region_mesh_read(const struct cairn_node *node, const char *file, struct cairn_region *region,
                           struct cairn_error *error);

/* As cairn_region_sample and cairn_region_push. */
bool cairn_region_mesh_sample(const struct cairn_region *region, double r, struct cairn_random *random, double x[3]);
void cairn_region_mesh_push(const struct cairn_region *region, const double x[3], double r, double push[3]);

#endif
