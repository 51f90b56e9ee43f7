/* Triangle meshes from STL (binary and ASCII) and OBJ files. */
#ifndef CAIRN_DATA_GEOMETRY_MESH_H
#define CAIRN_DATA_GEOMETRY_MESH_H

#include <stddef.h>
#include <stdint.h>

struct cairn_error;

struct cairn_mesh {
  int64_t n_triangles;               /* kept */
  int64_t n_degenerate, n_duplicate; /* dropped */
  double lower[3], upper[3];         /* m, box around it */
  double *data;                      /* as kernels/shapes/mesh.h lays it out; freed with the mesh */
  size_t n_doubles;
};

/* Read a mesh, scale it, then shift it, drop degenerate triangles (a height of at most 1e-9 of the longest edge) and
 * duplicates (the same three corners in any order), and build its tree. A file whose name ends with .obj is OBJ, any
 * other STL, of the kind that its size and content tell. Coordinates are those of the file; they must be finite. An OBJ
 * polygon is cut into triangles at its first corner. Errors name the file with the line or triangle. The caller gives
 * the mesh back with cairn_mesh_free; NULL after an error. */
int cairn_mesh_read(const char *path, double scale, const double shift[3], struct cairn_mesh **mesh,
                    struct cairn_error *error);

/* NULL is allowed. */
void cairn_mesh_free(struct cairn_mesh *mesh);

#endif
