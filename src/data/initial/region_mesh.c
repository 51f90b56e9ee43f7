#include "data/initial/region_mesh.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/path.h"
#include "data/geometry/mesh.h"
#include "data/schema/schema.h"
#include "kernels/common/vec3.h"
#include "kernels/shapes/mesh.h"

/* ---- is the surface closed? ---- */

/* An edge of a triangle with its lesser end first; `sense` says which way the triangle goes along it. */
struct edge {
  double end[6];
  int sense;
};

static int compare_ends(const double *a, const double *b, int n) {
  int k = 0;
  while (k < n - 1 && a[k] == b[k])
    k++;
  return (a[k] > b[k]) - (a[k] < b[k]);
}

static int compare_edges(const void *a, const void *b) {
  return compare_ends(((const struct edge *)a)->end, ((const struct edge *)b)->end, 6);
}

/* Edges along which triangles do not go as often one way as the other: none on the border of a solid. */
static int64_t count_open(struct edge *edge, int64_t n) {
  int64_t open = 0;
  qsort(edge, (size_t)n, sizeof *edge, compare_edges);
  for (int64_t i = 0, next; i < n; i = next) {
    int sum = 0;
    for (next = i; next < n && compare_edges(edge + i, edge + next) == 0; next++)
      sum += edge[next].sense;
    open += sum != 0;
  }
  return open;
}

/* -1 if there is no memory. */
static int64_t open_edges(const struct cairn_mesh *mesh) {
  struct edge *edge = malloc((size_t)mesh->n_triangles * 3 * sizeof *edge);
  if (!edge)
    return -1;
  for (int64_t i = 0; i < 3 * mesh->n_triangles; i++) {
    const double *t = mesh->data + CAIRN_MESH_HEADER + CAIRN_MESH_TRIANGLE * (i / 3);
    const double *a = t + 3 * (i % 3), *b = t + 3 * ((i + 1) % 3);
    const bool ascends = compare_ends(a, b, 3) < 0;
    memcpy(edge[i].end, ascends ? a : b, 3 * sizeof *a);
    memcpy(edge[i].end + 3, ascends ? b : a, 3 * sizeof *a);
    edge[i].sense = ascends ? 1 : -1;
  }
  const int64_t open = count_open(edge, 3 * mesh->n_triangles);
  free(edge);
  return open;
}

/* By the theorem of Gauss, about the middle of the box: far from the origin it would lose its digits. */
static double volume_of(const struct cairn_mesh *mesh) {
  double sum = 0, corner[9], normal[3];
  for (int64_t i = 0; i < mesh->n_triangles; i++) {
    const double *t = mesh->data + CAIRN_MESH_HEADER + CAIRN_MESH_TRIANGLE * i;
    for (int k = 0; k < 9; k++)
      corner[k] = t[k] - 0.5 * (mesh->lower[k % 3] + mesh->upper[k % 3]);
    cairn_vec3_cross(corner + 3, corner + 6, normal);
    sum += cairn_vec3_dot(corner, normal);
  }
  return fabs(sum) / 6;
}

int cairn_region_mesh_read(const struct cairn_node *node, const char *file, struct cairn_region *region,
                           struct cairn_error *error) {
  struct cairn_node *name = cairn_yaml_child(node, "file");
  struct cairn_error cause;
  double shift[3];
  cairn_schema_numbers(node, "shift", 3, shift);
  int status = cairn_path_resolve(file, name, error);
  if (status != CAIRN_OK)
    return status;
  status = cairn_mesh_read(name->text, cairn_schema_number(node, "scale"), shift, &region->mesh, &cause);
  if (status != CAIRN_OK) {
    cairn_yaml_error(error, file, name, "%s", cause.message);
    if (error)
      error->status = (enum cairn_status)status;
    return status;
  }
  for (int k = 0; k < 3; k++) {
    region->origin[k] = region->mesh->lower[k];
    region->size[k] = region->mesh->upper[k] - region->mesh->lower[k];
  }
  region->volume = volume_of(region->mesh);
  const int64_t open = open_edges(region->mesh);
  if (open < 0)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "%s: out of memory for the edges of a mesh", file);
  if (open > 0)
    return cairn_yaml_error(error, file, name,
                            "at %lld edges its triangles do not join, or turn their backs on each other; allowed for a "
                            "region: a closed surface, all of whose triangles face out",
                            (long long)open);
  return CAIRN_OK;
}

/* ---- inside or outside? ---- */

/* Does the edge from a to b pass the height y to the right of x, seen along z? Computed from the same numbers for both
 * triangles at the edge, so that a ray beside it crosses one of them. */
static bool passes(const double *a, const double *b, double x, double y) {
  if ((a[1] > y) == (b[1] > y))
    return false;
  const double *low = a[1] < b[1] ? a : b, *high = a[1] < b[1] ? b : a;
  return low[0] + (y - low[1]) / (high[1] - low[1]) * (high[0] - low[0]) > x;
}

/* Does the ray from x upwards cross the triangle? */
static bool crosses(const double *t, const double x[3]) {
  double a[3], b[3], normal[3];
  if (passes(t, t + 3, x[0], x[1]) == (passes(t + 3, t + 6, x[0], x[1]) != passes(t + 6, t, x[0], x[1])))
    return false;
  for (int k = 0; k < 3; k++) {
    a[k] = t[3 + k] - t[k];
    b[k] = t[6 + k] - t[k];
  }
  cairn_vec3_cross(a, b, normal);
  const double low = fmin(t[2], fmin(t[5], t[8])), high = fmax(t[2], fmax(t[5], t[8]));
  const double z = t[2] - (normal[0] * (x[0] - t[0]) + normal[1] * (x[1] - t[1])) / normal[2];
  return fmin(fmax(z, low), high) > x[2]; /* an upright triangle, where z may be NaN, has its upper end */
}

static bool is_inside(const struct cairn_mesh *mesh, const double x[3]) {
  const double *nodes = mesh->data + (size_t)mesh->data[2];
  int64_t stack[CAIRN_MESH_LEVELS + 1] = {0};
  int depth = 1;
  bool inside = false;
  while (depth > 0) {
    const int64_t i = stack[--depth];
    const double *node = nodes + CAIRN_MESH_NODE * i;
    if (x[0] < node[0] || x[0] > node[3] || x[1] < node[1] || x[1] > node[4] || x[2] > node[5])
      continue;
    const int64_t first = (int64_t)node[6], n = (int64_t)node[7];
    for (int64_t k = first; k < first + n; k++)
      inside ^= crosses(mesh->data + CAIRN_MESH_HEADER + CAIRN_MESH_TRIANGLE * k, x);
    if (n == 0) {
      stack[depth++] = first;
      stack[depth++] = i + 1;
    }
  }
  return inside;
}

/* ---- places ---- */

/* Inside, every part of the surface that is too near pushes; outside, the nearest one pulls. */
void cairn_region_mesh_push(const struct cairn_region *region, const double x[3], double r, double push[3]) {
  struct cairn_nearest touch[CAIRN_MESH_TOUCHES];
  const bool inside = is_inside(region->mesh, x);
  double reach = inside ? r : fmax(r, 1e-3 * cairn_vec3_length(region->size));
  cairn_int n = cairn_mesh_touches(region->mesh->data, x[0], x[1], x[2], reach, touch), nearest = 0;
  for (; !inside && n == 0 && reach < DBL_MAX / 2; reach *= 2)
    n = cairn_mesh_touches(region->mesh->data, x[0], x[1], x[2], 2 * reach, touch);
  for (cairn_int k = 1; k < n; k++)
    nearest = touch[k].distance < touch[nearest].distance ? k : nearest;
  for (cairn_int k = 0; k < n; k++) {
    const double amount = inside ? touch[k].distance - r : k == nearest ? touch[k].distance + r : 0;
    push[0] += amount * touch[k].nx;
    push[1] += amount * touch[k].ny;
    push[2] += amount * touch[k].nz;
  }
}

bool cairn_region_mesh_sample(const struct cairn_region *region, double r, struct cairn_random *random, double x[3]) {
  enum { TRIES = 10000 };
  for (int n = 0; n < TRIES; n++) {
    for (int k = 0; k < 3; k++)
      x[k] = region->origin[k] + region->size[k] * cairn_random_unit(random);
    if (is_inside(region->mesh, x) && !cairn_mesh_is_near(region->mesh->data, x[0], x[1], x[2], r))
      return true;
  }
  return false;
}
