/* Reading a mesh and asking where spheres touch it, on one core.
 *
 *   mesh_read make FILE.stl SIDE   write a binary STL file of 2 SIDE² triangles, a rough square of SIDE m
 *   mesh_read FILE                 read a mesh, then ask at random points above it */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/error.h"
#include "clocks.h"
#include "data/base/random.h"
#include "data/geometry/mesh.h"
#include "kernels/shapes/mesh.h"

enum { QUERIES = 200000 };

/* Seconds of this processor: others may be busy. */
static double now(void) { return clock_seconds(CLOCK_PROCESS_CPUTIME_ID); }

/* The height of a corner, from 0 to 0.3. */
static float height_of(uint32_t i, uint32_t j) {
  struct cairn_random random;
  cairn_random_init(&random, 1, i, j);
  return (float)cairn_random_between(&random, 0., 0.3);
}

static int make(const char *path, uint32_t side) {
  static const uint32_t corners[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
  const uint32_t n = 2 * side * side;
  unsigned char record[50] = {0};
  const char header[80] = "rough square";
  FILE *file = fopen(path, "wb");
  int failed = !file || fwrite(header, sizeof header, 1, file) != 1 || fwrite(&n, sizeof n, 1, file) != 1;
  for (uint32_t t = 0; t < n && !failed; t++) {
    for (uint32_t k = 0; k < 3; k++) {
      const uint32_t i = t / 2 / side + corners[t % 2][k][0], j = t / 2 % side + corners[t % 2][k][1];
      const float corner[3] = {(float)i, (float)j, height_of(i, j)};
      memcpy(record + 12 + 12 * k, corner, sizeof corner);
    }
    failed = fwrite(record, sizeof record, 1, file) != 1;
  }
  return (file && fclose(file)) || failed;
}

/* Spheres that are just about to touch the middle of the mesh, or overlap with it by up to a tenth of their radius. */
static void ask(const struct cairn_mesh *mesh, double radius) {
  struct cairn_random random;
  struct cairn_nearest touches[CAIRN_MESH_TOUCHES];
  const double *a = mesh->lower, *b = mesh->upper, z = 0.5 * (a[2] + b[2]);
  static double x[QUERIES][3];
  int64_t n = 0, n_near = 0;
  cairn_random_init(&random, 2, 0, 0);
  for (int i = 0; i < QUERIES; i++) {
    x[i][0] = cairn_random_between(&random, a[0], b[0]);
    x[i][1] = cairn_random_between(&random, a[1], b[1]);
    x[i][2] = z + radius * cairn_random_between(&random, 0.9, 1.);
  }
  const double start = now();
  for (int i = 0; i < QUERIES; i++)
    n += cairn_mesh_touches(mesh->data, x[i][0], x[i][1], x[i][2], radius, touches);
  const double asked = now();
  for (int i = 0; i < QUERIES; i++)
    n_near += cairn_mesh_is_near(mesh->data, x[i][0], x[i][1], x[i][2], radius);
  const double done = now();
  printf("radius %-6g touches %.2f us (%.2f each), is near %.2f us (%.0f %%)\n", radius,
         1e6 * (asked - start) / QUERIES, (double)n / QUERIES, 1e6 * (done - asked) / QUERIES,
         100. * (double)n_near / QUERIES);
}

int main(int argc, char **argv) {
  static const double shift[3] = {0., 0., 0.};
  struct cairn_error error = {0};
  struct cairn_mesh *mesh;
  if (argc == 4 && strcmp(argv[1], "make") == 0)
    return make(argv[2], (uint32_t)atoi(argv[3]));
  if (argc != 2) {
    fprintf(stderr, "usage: mesh_read make FILE.stl SIDE | mesh_read FILE\n");
    return 2;
  }
  const double start = now();
  if (cairn_mesh_read(argv[1], 1., shift, &mesh, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  const double seconds = now() - start;
  printf("%lld triangles read in %.2f s, %.0f bytes each\n", (long long)mesh->n_triangles, seconds,
         (double)mesh->n_doubles * sizeof(double) / (double)mesh->n_triangles);
  for (double radius = 0.1; radius < 5.; radius *= 3.)
    ask(mesh, radius);
  cairn_mesh_free(mesh);
  return 0;
}
