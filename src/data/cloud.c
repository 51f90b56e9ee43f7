#include "data/cloud.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/morton.h"
#include "data/schema.h"

static const double pi = 3.14159265358979323846;

/* Effort before giving up, in cells and spheres looked at: a try costs 30 to 300 of them. In all, it lets a cloud of
 * equal spheres fill a third of its region and ends after about a minute for a million spheres; a single sphere that
 * finds no place ends it earlier. */
enum { WORK_PER_SPHERE = 20000, WORK_FOR_ONE = 20000000 };

static int read_box(const struct cairn_node *node, const char *file, struct cairn_cloud_region *region,
                    struct cairn_error *error) {
  double upper[3];
  cairn_schema_numbers(node, "lower", 3, region->origin);
  cairn_schema_numbers(node, "upper", 3, upper);
  for (int k = 0; k < 3; k++) {
    region->size[k] = upper[k] - region->origin[k];
    if (!(region->size[k] > 0))
      return cairn_yaml_error(error, file, cairn_yaml_child(node, "upper"),
                              "found %g, not above lower = %g, along %c; allowed: upper > lower on every axis",
                              upper[k], region->origin[k], "xyz"[k]);
  }
  region->volume = region->size[0] * region->size[1] * region->size[2];
  return CAIRN_OK;
}

/* Unit vectors across the axis, from the coordinate axis that is farthest from it. */
static void complete_frame(double frame[3][3]) {
  const double *a = frame[2];
  int least = fabs(a[0]) <= fabs(a[1]) ? (fabs(a[0]) <= fabs(a[2]) ? 0 : 2) : (fabs(a[1]) <= fabs(a[2]) ? 1 : 2);
  double length = 0;
  for (int k = 0; k < 3; k++) {
    frame[0][k] = (k == least) - a[least] * a[k];
    length += frame[0][k] * frame[0][k];
  }
  for (int k = 0; k < 3; k++)
    frame[0][k] /= sqrt(length);
  for (int k = 0; k < 3; k++)
    frame[1][k] = a[(k + 1) % 3] * frame[0][(k + 2) % 3] - a[(k + 2) % 3] * frame[0][(k + 1) % 3];
}

static int read_cylinder(const struct cairn_node *node, const char *file, struct cairn_cloud_region *region,
                         struct cairn_error *error) {
  cairn_schema_numbers(node, "base", 3, region->origin);
  cairn_schema_numbers(node, "axis", 3, region->frame[2]);
  region->radius = cairn_schema_number(node, "radius");
  region->height = cairn_schema_number(node, "height");
  region->volume = pi * region->radius * region->radius * region->height;
  double *axis = region->frame[2];
  double largest = fmax(fabs(axis[0]), fmax(fabs(axis[1]), fabs(axis[2])));
  if (!(largest > 0))
    return cairn_yaml_error(error, file, cairn_yaml_child(node, "axis"), "found [0, 0, 0]; allowed: any other vector");
  /* Scaled first: the squares of very long or short vectors would not be numbers. */
  double length = sqrt(pow(axis[0] / largest, 2) + pow(axis[1] / largest, 2) + pow(axis[2] / largest, 2));
  for (int k = 0; k < 3; k++)
    axis[k] = axis[k] / largest / length;
  complete_frame(region->frame);
  return CAIRN_OK;
}

int cairn_cloud_read(const struct cairn_node *node, const char *file, struct cairn_cloud_region *region,
                     struct cairn_error *error) {
  const struct cairn_node *shape = node->child[0];
  int status = CAIRN_OK;
  memset(region, 0, sizeof *region);
  if (strcmp(shape->key, "box") == 0) {
    region->shape = CAIRN_CLOUD_BOX;
    status = read_box(shape, file, region, error);
  } else if (strcmp(shape->key, "sphere") == 0) {
    region->shape = CAIRN_CLOUD_SPHERE;
    cairn_schema_numbers(shape, "center", 3, region->origin);
    region->radius = cairn_schema_number(shape, "radius");
    region->volume = 4. / 3 * pi * region->radius * region->radius * region->radius;
  } else {
    region->shape = CAIRN_CLOUD_CYLINDER;
    status = read_cylinder(shape, file, region, error);
  }
  if (status == CAIRN_OK && (!(region->volume > 0) || !isfinite(region->volume)))
    status = cairn_yaml_error(error, file, shape, "its volume %g is not a usable number", region->volume);
  return status;
}

/* A random centre such that a sphere of radius r lies inside; false if none exists. */
static bool sample(const struct cairn_cloud_region *region, double r, struct cairn_random *random, double x[3]) {
  if (region->shape == CAIRN_CLOUD_BOX) {
    for (int k = 0; k < 3; k++) {
      if (2 * r > region->size[k])
        return false;
      x[k] = region->origin[k] + r + (region->size[k] - 2 * r) * cairn_random_unit(random);
    }
    return true;
  }
  if (r > region->radius)
    return false;
  if (region->shape == CAIRN_CLOUD_SPHERE) {
    double direction[3], distance = (region->radius - r) * cbrt(cairn_random_unit(random));
    cairn_random_direction(random, direction);
    for (int k = 0; k < 3; k++)
      x[k] = region->origin[k] + distance * direction[k];
    return true;
  }
  if (2 * r > region->height)
    return false;
  double across = (region->radius - r) * sqrt(cairn_random_unit(random)), angle = 2 * pi * cairn_random_unit(random);
  double along = r + (region->height - 2 * r) * cairn_random_unit(random);
  for (int k = 0; k < 3; k++)
    x[k] = region->origin[k] + across * (cos(angle) * region->frame[0][k] + sin(angle) * region->frame[1][k]) +
           along * region->frame[2][k];
  return true;
}

static bool is_clear(const struct cairn_cloud *cloud, const double x[3], double r) {
  for (int32_t w = 0; w < cloud->n_walls; w++)
    if (!(cairn_walls_distance_within(&cloud->walls[w], x, r) >= r))
      return false;
  return true;
}

static int larger_first(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/* Neighbours in space get neighbouring ids: everything that walks bodies by id is then kind to the caches. */
static int sort_places(struct cairn_cloud *cloud, struct cairn_error *error) {
  size_t n = (size_t)cloud->n;
  struct cairn_morton *entry = malloc(2 * n * sizeof *entry);
  double *copy = malloc(4 * n * sizeof *copy);
  if (!entry || !copy) {
    free(entry);
    free(copy);
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a cloud of %zu bodies", n);
  }
  double lower[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, edge = 0;
  for (size_t i = 0; i < 3 * n; i++)
    lower[i % 3] = fmin(lower[i % 3], cloud->position[i]);
  for (size_t i = 0; i < 3 * n; i++)
    edge = fmax(edge, cloud->position[i] - lower[i % 3]);
  double scale = edge > 0 ? (1 << CAIRN_MORTON_BITS) / edge : 0;
  for (size_t i = 0; i < n; i++) {
    entry[i].key = cairn_morton_key(cloud->position + 3 * i, lower, scale);
    entry[i].id = (int32_t)i;
  }
  cairn_morton_sort(entry, entry + n, cloud->n);
  memcpy(copy, cloud->position, 3 * n * sizeof *copy);
  memcpy(copy + 3 * n, cloud->radius, n * sizeof *copy);
  for (size_t i = 0; i < n; i++) {
    size_t from = (size_t)entry[i].id;
    memcpy(cloud->position + 3 * i, copy + 3 * from, 3 * sizeof *copy);
    cloud->radius[i] = copy[3 * n + from];
  }
  free(entry);
  free(copy);
  return CAIRN_OK;
}

int cairn_cloud_place(struct cairn_cloud *cloud, struct cairn_random *random, int64_t *n_placed, double *volume,
                      struct cairn_error *error) {
  struct cairn_overlap *placed = cloud->placed;
  int status = cairn_overlap_reserve(placed, placed->n + cloud->n, error);
  if (status != CAIRN_OK)
    return status;
  qsort(cloud->radius, (size_t)cloud->n, sizeof *cloud->radius, larger_first);
  int64_t last = placed->work, end = last + WORK_FOR_ONE + (int64_t)WORK_PER_SPHERE * cloud->n;
  *n_placed = 0;
  *volume = 0;
  while (*n_placed < cloud->n && placed->work < end && placed->work - last < WORK_FOR_ONE) {
    double r = cloud->radius[*n_placed], *x = cloud->position + 3 * *n_placed;
    if (!sample(cloud->region, r, random, x))
      return CAIRN_OK;
    placed->work += 10 + cloud->n_walls; /* a try costs something even where nothing is near */
    if (!is_clear(cloud, x, r) || cairn_overlap_find(placed, x, r, NULL, NULL, NULL) >= 0)
      continue;
    cairn_overlap_insert(placed, cloud->first + (int32_t)*n_placed, x, r);
    *volume += 4. / 3 * pi * r * r * r;
    ++*n_placed;
    last = placed->work;
  }
  return *n_placed == cloud->n ? sort_places(cloud, error) : CAIRN_OK;
}
