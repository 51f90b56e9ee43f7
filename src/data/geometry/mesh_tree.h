/* The tree of boxes over the triangles of a mesh. */
#ifndef CAIRN_DATA_GEOMETRY_MESH_TREE_H
#define CAIRN_DATA_GEOMETRY_MESH_TREE_H

#include <stddef.h>
#include <stdint.h>

struct cairn_error;

/* Lay out n >= 1 triangles, [n][9], with their tree as kernels/shapes/mesh.h says; the caller frees `data`. The same
 * triangles in the same order give the same stretch. */
int cairn_mesh_tree_build(const double *corner, int64_t n, double tolerance, double **data, size_t *n_doubles,
                          struct cairn_error *error);

#endif
