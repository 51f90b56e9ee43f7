/* Triangles as they are in STL (binary and ASCII) and OBJ files. */
#ifndef CAIRN_DATA_GEOMETRY_MESH_FILE_H
#define CAIRN_DATA_GEOMETRY_MESH_FILE_H

#include <stdint.h>

struct cairn_error;

/* More triangles are refused: positions in the stretch of kernels/shapes/mesh.h are 32-bit numbers. */
enum { CAIRN_MESH_FILE_MAX = 50000000 };

struct cairn_mesh_soup {
  double *corner; /* [n][9]; owned */
  int64_t n, capacity;
};

/* Read all triangles with finite corners in the order of the file; CAIRN_ERR_INPUT names the line or triangle at fault.
 * Afterwards, also after an error, the caller frees `corner`. */
int cairn_mesh_file_read(const char *path, struct cairn_mesh_soup *soup, struct cairn_error *error);

#endif
