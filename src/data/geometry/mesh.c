#include "data/geometry/mesh.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/error.h"
#include "data/geometry/mesh_file.h"
#include "data/geometry/mesh_tree.h"
#include "kernels/common/vec3.h"

/* m; beyond, products of coordinates could overflow, and below, lose their digits. */
static const double LARGEST = 1e50, SMALLEST = 1e-50;

/* A triangle is degenerate if its height is at most this part of its longest edge: its normal would be known to seven
 * digits at best. */
static const double FLATTEST = 1e-9;

/* The tolerance as part of the longest side of the box around the mesh: STL files hold coordinates in single precision,
 * so a corner meant to lie on the edge of another triangle misses it by about this. */
static const double TOLERANCE = 0x1p-23;

static bool is_degenerate(const double *t) {
  double e[3][3];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      e[i][k] = t[3 * ((i + 1) % 3) + k] - t[3 * i + k];
  const double longest2 =
      fmax(fmax(cairn_vec3_dot(e[0], e[0]), cairn_vec3_dot(e[1], e[1])), cairn_vec3_dot(e[2], e[2]));
  double area2 = 0.; /* square of the area of the parallelogram, longest edge times height */
  for (int k = 0; k < 3; k++) {
    const double c = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
    area2 += c * c;
  }
  return longest2 <= SMALLEST * SMALLEST || area2 <= FLATTEST * FLATTEST * longest2 * longest2;
}

/* Duplicates */

/* The triangle with its corners in ascending order. */
static void sort_corners(const double *t, double sorted[9]) {
  memcpy(sorted, t, 9 * sizeof *t);
  for (int pass = 0; pass < 3; pass++) {
    double *a = sorted + 3 * (pass % 2), *b = a + 3, other[3];
    int k = 0;
    while (k < 2 && a[k] == b[k])
      k++;
    if (a[k] > b[k]) {
      memcpy(other, a, sizeof other);
      memcpy(a, b, sizeof other);
      memcpy(b, other, sizeof other);
    }
  }
}

static uint64_t hash_of(const double sorted[9]) {
  uint64_t hash = 0;
  for (int k = 0; k < 9; k++) {
    uint64_t bits;
    memcpy(&bits, sorted + k, sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

/* Triangles met so far: open addressing, at most half full; 0 is a free slot, else one more than the index. */
struct seen {
  int32_t *slot;
  uint64_t mask;
};

static bool seen_init(struct seen *seen, int64_t n) {
  uint64_t size = 16;
  while (size < 2 * (uint64_t)n)
    size *= 2;
  seen->mask = size - 1;
  seen->slot = calloc(size, sizeof *seen->slot);
  return seen->slot != NULL;
}

/* Is the triangle `index` one of those before? If not, from now on it is. */
static bool seen_before(struct seen *seen, const double *corner, int64_t index) {
  double sorted[9], other[9];
  sort_corners(corner + 9 * index, sorted);
  for (uint64_t at = hash_of(sorted) & seen->mask;; at = (at + 1) & seen->mask) {
    if (seen->slot[at] == 0) {
      seen->slot[at] = (int32_t)(index + 1);
      return false;
    }
    sort_corners(corner + 9 * (int64_t)(seen->slot[at] - 1), other);
    if (memcmp(sorted, other, sizeof sorted) == 0)
      return true;
  }
}

/* Reading */

static int place(struct cairn_mesh_soup *soup, double scale, const double shift[3], const char *path,
                 struct cairn_error *error) {
  for (int64_t i = 0; i < 9 * soup->n; i++) {
    soup->corner[i] = soup->corner[i] * scale + shift[i % 3] + 0.; /* -0 becomes 0: equal corners have equal bits */
    if (!(fabs(soup->corner[i]) <= LARGEST))
      return cairn_error_set(error, CAIRN_ERR_INPUT,
                             "%s: triangle %lld: found the coordinate %g m after scale and shift; allowed: at most "
                             "%g m from 0",
                             path, (long long)(i / 9 + 1), soup->corner[i], LARGEST);
  }
  return CAIRN_OK;
}

/* Keep what is neither degenerate nor there twice, in order. */
static int clean(struct cairn_mesh *mesh, struct cairn_mesh_soup *soup, const char *path, struct cairn_error *error) {
  struct seen seen;
  if (!seen_init(&seen, soup->n))
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", path);
  int64_t n = 0;
  for (int64_t i = 0; i < soup->n; i++) {
    double *t = soup->corner + 9 * n;
    memmove(t, soup->corner + 9 * i, 9 * sizeof *t);
    if (is_degenerate(t))
      mesh->n_degenerate++;
    else if (seen_before(&seen, soup->corner, n))
      mesh->n_duplicate++;
    else
      n++;
  }
  free(seen.slot);
  soup->n = mesh->n_triangles = n;
  if (n == 0)
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "%s: found no triangle with an area, %lld without; at least one is needed", path,
                           (long long)mesh->n_degenerate);
  return CAIRN_OK;
}

/* The box around the mesh; its longest side. */
static double enclose(struct cairn_mesh *mesh, const struct cairn_mesh_soup *soup) {
  double longest = 0.;
  for (int k = 0; k < 3; k++) {
    mesh->lower[k] = mesh->upper[k] = soup->corner[k];
    for (int64_t i = k; i < 9 * soup->n; i += 3) {
      mesh->lower[k] = fmin(mesh->lower[k], soup->corner[i]);
      mesh->upper[k] = fmax(mesh->upper[k], soup->corner[i]);
    }
    longest = fmax(longest, mesh->upper[k] - mesh->lower[k]);
  }
  return longest;
}

int cairn_mesh_read(const char *path, double scale, const double shift[3], struct cairn_mesh **mesh,
                    struct cairn_error *error) {
  struct cairn_mesh_soup soup;
  int status = cairn_mesh_file_read(path, &soup, error);
  *mesh = calloc(1, sizeof **mesh);
  if (status == CAIRN_OK && !*mesh)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory", path);
  if (status == CAIRN_OK)
    status = place(&soup, scale, shift, path, error);
  if (status == CAIRN_OK)
    status = clean(*mesh, &soup, path, error);
  if (status == CAIRN_OK)
    status = cairn_mesh_tree_build(soup.corner, soup.n, TOLERANCE * enclose(*mesh, &soup), &(*mesh)->data,
                                   &(*mesh)->n_doubles, error);
  free(soup.corner);
  if (status != CAIRN_OK) {
    cairn_mesh_free(*mesh);
    *mesh = NULL;
  }
  return status;
}

void cairn_mesh_free(struct cairn_mesh *mesh) {
  if (!mesh)
    return;
  free(mesh->data);
  free(mesh);
}
