#include "data/initial/cloud.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/cells/morton.h"

static const double pi = 3.14159265358979323846;

/* Effort before giving up, in cells and spheres looked at: a try costs 30 to 300 of them. In all, it lets a cloud of
 * equal spheres fill a third of its region and ends after about a minute for a million spheres; a single sphere that
 * finds no place ends it earlier. */
enum { WORK_PER_SPHERE = 20000, WORK_FOR_ONE = 20000000 };

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

/* Bring what lies at entry[i].id to place i, in place: each cycle is followed once. */
static void permute(struct cairn_morton *entry, int64_t n, double *position, double *radius) {
  for (int64_t i = 0; i < n; i++) {
    const double x[3] = {position[3 * i], position[3 * i + 1], position[3 * i + 2]}, r = radius[i];
    int64_t to = i;
    for (int64_t from = entry[i].id; from != i; from = entry[to].id) {
      memcpy(position + 3 * to, position + 3 * from, sizeof x);
      radius[to] = radius[from];
      entry[to].id = (int32_t)to; /* done */
      to = from;
    }
    memcpy(position + 3 * to, x, sizeof x);
    radius[to] = r;
    entry[to].id = (int32_t)to;
  }
}

int cairn_cloud_sort(int64_t n_spheres, double *position, double *radius, struct cairn_error *error) {
  size_t n = (size_t)n_spheres;
  struct cairn_morton *entry = malloc(2 * n * sizeof *entry);
  if (!entry)
    return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the order of %zu bodies", n);
  for (size_t i = 0; i < n; i++)
    entry[i].id = (int32_t)i;
  cairn_morton_order(position, entry, entry + n, n_spheres);
  permute(entry, n_spheres, position, radius);
  free(entry);
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
    if (!cairn_region_sample(cloud->region, r, random, x))
      return CAIRN_OK;
    placed->work += 10 + cloud->n_walls; /* a try costs something even where nothing is near */
    if (!is_clear(cloud, x, r) || cairn_overlap_find(placed, x, r, NULL, NULL, NULL) >= 0)
      continue;
    cairn_overlap_insert(placed, cloud->first + (int32_t)*n_placed, x, r);
    *volume += 4. / 3 * pi * r * r * r;
    ++*n_placed;
    last = placed->work;
  }
  return CAIRN_OK;
}

const char *cairn_cloud_hidden_by(const struct cairn_cloud *cloud, struct cairn_random *random) {
  enum { N_SAMPLES = 64 };
  double sample[N_SAMPLES][3];
  for (int i = 0; i < N_SAMPLES; i++)
    if (!cairn_region_sample(cloud->region, cloud->radius[0], random, sample[i]))
      return NULL;
  for (int32_t w = 0; w < cloud->n_walls; w++)
    if (cairn_walls_is_facing_away(&cloud->walls[w], sample[0], N_SAMPLES))
      return cloud->walls[w].wall->name;
  return NULL;
}
