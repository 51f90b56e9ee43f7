/* Any bytes as a mesh, once as STL, once as OBJ: refused with a message or read. What was read must be finite, within
 * its box, and be touched in unit directions. */
#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cairn/error.h"
#include "data/geometry/mesh.h"
#include "kernels/shapes/mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One file in memory under two names: the ending tells how it is read. */
static int file = -1;
static char as_stl[64], as_obj[4096];

static void check(bool good) {
  if (!good)
    abort();
}

static void remove_name(void) { unlink(as_obj); }

static void open_file(void) {
  const char *folder = getenv("TMPDIR");
  file = memfd_create("mesh", MFD_CLOEXEC);
  snprintf(as_stl, sizeof as_stl, "/proc/self/fd/%d", file);
  snprintf(as_obj, sizeof as_obj, "%s/cairn-fuzz-%ld.obj", folder && *folder ? folder : "/tmp", (long)getpid());
  check(file >= 0 && symlink(as_stl, as_obj) == 0);
  atexit(remove_name);
}

static void check_touches(const struct cairn_mesh *mesh, double x, double y, double z, double reach) {
  struct cairn_nearest touches[CAIRN_MESH_TOUCHES];
  const int n = cairn_mesh_touches(mesh->data, x, y, z, reach, touches);
  check(n >= 0 && n <= CAIRN_MESH_TOUCHES);
  for (int k = 0; k < n; k++) {
    const struct cairn_nearest t = touches[k];
    check(t.distance >= 0. && t.distance <= reach);
    check(fabs(t.nx * t.nx + t.ny * t.ny + t.nz * t.nz - 1.) < 1e-12);
  }
  check(n > 0 || reach < INFINITY);
}

static void check_mesh(const struct cairn_mesh *mesh) {
  const double *a = mesh->lower, *b = mesh->upper, *corner = mesh->data + CAIRN_MESH_HEADER;
  check(mesh->n_triangles > 0 && (double)mesh->n_triangles == mesh->data[0]);
  for (int64_t i = 0; i < 9 * mesh->n_triangles; i++)
    check(corner[i] >= a[i % 3] && corner[i] <= b[i % 3]);
  check_touches(mesh, 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2]), INFINITY);
  check_touches(mesh, a[0], a[1], b[2], b[0] - a[0]);
  check_touches(mesh, corner[0], corner[1], corner[2], INFINITY);
}

static void try_file(const char *path) {
  static const double shift[3] = {0.5, -1., 0.};
  struct cairn_mesh *mesh;
  struct cairn_error error = {.status = CAIRN_OK};
  const int status = cairn_mesh_read(path, 2., shift, &mesh, &error);
  check((status == CAIRN_OK) == (mesh != NULL));
  check(status == CAIRN_OK || (status == CAIRN_ERR_INPUT && error.status == status && error.message[0] &&
                               memchr(error.message, 0, sizeof error.message)));
  if (mesh)
    check_mesh(mesh);
  cairn_mesh_free(mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (file < 0)
    open_file();
  check(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
  try_file(as_stl);
  try_file(as_obj);
  return 0;
}
