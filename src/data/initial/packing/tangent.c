/* Spheres inserted where they touch their neighbours, as generators of bonded targets do (Place & Mora 2001): from a
 * random point a search leads to the middle of a gap, which gets the largest sphere that fits and is still left. Small
 * gaps are filled by small spheres from the beginning, so that nearly every sphere fits closely. */
#include "data/initial/packing/tangent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/initial/cloud.h"
#include "data/initial/overlap.h"

/* The largest spheres are put anywhere until they are so many and fill this part of the region: gaps need something
 * around them. From 0.005 to 0.1 it made no difference to what is reached. */
enum { LEAST_SEEDS = 12 };
static const double seeded = 0.03;

/* Searches in a row without success after which no gap is left; most steps of one search; most surfaces around a point.
 */
enum { MOST_SEARCHES = 100000, MOST_STEPS = 16, MOST_NEAR = 256 };

/* Parts of the smallest radius: the middle of a gap is known, a sphere touches, spheres do not overlap. Large enough
 * for regions that are 10⁶ radii away from the origin. */
static const double near_middle = 1e-6, touching = 1e-10, play = 1e-9;

/* Four normals are taken for coplanar where elimination leaves less. */
static const double least_pivot = 1e-3;

struct surface {
  double distance; /* m, from the point; negative inside */
  double normal[3];
  int32_t id; /* -1: the border of the region */
};

struct tangent {
  const struct cairn_region *region;
  const double *radius; /* [n] m, the largest first */
  int32_t *next;        /* [n + 1] the sphere itself if it is left, otherwise one on the way to the next that is */
  int64_t n, n_placed;
  struct cairn_overlap *placed; /* with ids in the order of placing */
  double (*x)[3];               /* [n] places */
  double *r;                    /* [n] radii at these places */
  /* around the point of the search: */
  double point[3];
  struct surface near[MOST_NEAR];
  int n_near;
};

/* ---- spheres that are left ---- */

static int32_t first_left(struct tangent *t, int32_t i) {
  while (t->next[i] != i)
    i = t->next[i] = t->next[t->next[i]];
  return i;
}

/* The largest sphere left that is not larger than `radius`; n if there is none. */
static int32_t largest_left(struct tangent *t, double radius) {
  int64_t low = 0, high = t->n;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (t->radius[middle] <= radius)
      high = middle;
    else
      low = middle + 1;
  }
  return first_left(t, (int32_t)low);
}

static void place(struct tangent *t, int32_t sphere, const double x[3]) {
  memcpy(t->x[t->n_placed], x, sizeof *t->x);
  t->r[t->n_placed] = t->radius[sphere];
  cairn_overlap_insert(t->placed, (int32_t)t->n_placed, x, t->radius[sphere]);
  t->n_placed++;
  t->next[sphere] = sphere + 1;
}

/* ---- surfaces around a point ---- */

static bool note_surface(void *context, int32_t id, double part) {
  struct tangent *t = context;
  double d[3], square = 0;
  (void)part;
  if (t->n_near == MOST_NEAR)
    return true;
  for (int i = 0; i < t->n_near; i++) /* the search may come to the same sphere twice */
    if (t->near[i].id == id)
      return true;
  for (int k = 0; k < 3; k++) {
    d[k] = t->point[k] - t->x[id][k];
    square += d[k] * d[k];
  }
  struct surface *s = &t->near[t->n_near++];
  *s = (struct surface){.distance = sqrt(square) - t->r[id], .id = id};
  for (int k = 0; k < 3 && square > 0; k++)
    s->normal[k] = d[k] / sqrt(square);
  return true;
}

/* List what is within `reach`. Near an edge the border is taken as rounded: nearer than it is. */
static void list_near(struct tangent *t, double reach) {
  double push[3];
  t->n_near = 0;
  cairn_overlap_find(t->placed, t->point, reach, note_surface, t, NULL);
  cairn_region_push(t->region, t->point, reach, push);
  double length = sqrt(push[0] * push[0] + push[1] * push[1] + push[2] * push[2]);
  if (!(length > 0) || t->n_near == MOST_NEAR)
    return;
  struct surface *s = &t->near[t->n_near++];
  *s = (struct surface){.distance = reach - length, .id = -1};
  for (int k = 0; k < 3; k++)
    s->normal[k] = push[k] / length;
}

/* Bring the n nearest surfaces to the front, by distance, then by id: the order in which they were found must not
 * matter. */
static void sort_nearest(struct tangent *t, int n) {
  for (int i = 0; i < n; i++) {
    int best = i;
    for (int j = i + 1; j < t->n_near; j++) {
      const struct surface *a = &t->near[j], *b = &t->near[best];
      if (a->distance < b->distance || (a->distance == b->distance && a->id < b->id))
        best = j;
    }
    struct surface swapped = t->near[i];
    t->near[i] = t->near[best];
    t->near[best] = swapped;
  }
}

/* List surfaces, looking farther where there are four or fewer, up to `farthest`; the nearest four come first. */
static void find_near(struct tangent *t, double reach, double farthest) {
  list_near(t, reach);
  while (t->n_near <= 4 && reach < farthest) {
    reach *= 1.6;
    list_near(t, reach);
  }
  sort_nearest(t, t->n_near < 4 ? t->n_near : 4);
}

/* ---- a search ---- */

/* Gauss–Jordan elimination with pivots; the solution takes the place of the right-hand side. */
static bool solve(int n, double a[4][5]) {
  for (int c = 0; c < n; c++) {
    int pivot = c;
    for (int r = c + 1; r < n; r++)
      if (fabs(a[r][c]) > fabs(a[pivot][c]))
        pivot = r;
    if (!(fabs(a[pivot][c]) > least_pivot))
      return false;
    for (int k = 0; k <= n && pivot != c; k++) {
      double swapped = a[c][k];
      a[c][k] = a[pivot][k];
      a[pivot][k] = swapped;
    }
    for (int r = 0; r < n; r++)
      for (int k = n; r != c && k >= c; k--)
        a[r][k] -= a[r][c] / a[c][c] * a[c][k];
  }
  for (int r = 0; r < n; r++)
    a[r][n] /= a[r][r];
  return true;
}

/* A step of Newton's method. Without a radius it leads towards the point as far from the four nearest surfaces, and
 * `*radius` becomes that distance; with one to where a sphere touches the three nearest. Returns the length of the
 * step, which is at most `longest`; negative if there is none. */
static double step(struct tangent *t, bool has_radius, double *radius, double longest) {
  const int n = has_radius ? 3 : 4;
  double a[4][5], length = 0;
  for (int i = 0; i < n; i++) {
    memcpy(a[i], t->near[i].normal, sizeof t->near[i].normal);
    a[i][n] = -t->near[i].distance;
    if (has_radius)
      a[i][n] += *radius;
    else
      a[i][3] = -1;
  }
  if (!solve(n, a))
    return -1;
  for (int k = 0; k < 3; k++)
    length += a[k][n] * a[k][n];
  length = sqrt(length);
  for (int k = 0; k < 3; k++)
    t->point[k] += a[k][n] * (length > longest ? longest / length : 1);
  if (!has_radius)
    *radius = a[3][4];
  return length;
}

static bool is_free(struct tangent *t, double radius) {
  list_near(t, radius * (1 + play));
  for (int i = 0; i < t->n_near; i++)
    if (t->near[i].distance < radius * (1 - play))
      return false;
  return true;
}

/* Search from t->point; returns the sphere that is to be placed at t->point then, or -1. */
static int32_t search(struct tangent *t) {
  const int32_t largest = first_left(t, 0);
  const double low = t->radius[t->n - 1], high = t->radius[largest];
  int32_t sphere = -1;
  double radius = 0, reach = 2 * low;
  for (int i = 0; i < MOST_STEPS; i++) {
    bool has_radius = sphere >= 0;
    find_near(t, reach, 4 * high);
    if (t->n_near < 3 || t->near[0].distance < -high)
      return -1;
    if (!has_radius && (t->n_near == 3 || t->near[0].distance >= high)) { /* room for any */
      sphere = largest;
      radius = high;
      has_radius = true;
    }
    const double length = step(t, has_radius, &radius, fmax(low, fabs(t->near[0].distance)));
    if (length < 0)
      return -1;
    if (has_radius && length < touching * low)
      return is_free(t, radius) ? sphere : -1;
    if (!has_radius && length < near_middle * low) { /* the middle of a gap: what fits into it? */
      sphere = largest_left(t, radius);
      if (sphere == t->n)
        return -1;
      radius = t->radius[sphere];
    }
    reach = fmin(fmax(1.3 * radius, 2 * low), 4 * high);
  }
  return -1;
}

/* ---- all of them ---- */

static void seed(struct tangent *t, struct cairn_random *random) {
  double filled = 0, x[3];
  for (int i = 0; i < MOST_SEARCHES && t->n_placed < t->n; i++) {
    if (filled >= seeded && t->n_placed >= LEAST_SEEDS)
      return;
    const int32_t sphere = first_left(t, 0);
    const double r = t->radius[sphere];
    if (!cairn_region_sample(t->region, r, random, x))
      return;
    if (cairn_overlap_find(t->placed, x, r, NULL, NULL, NULL) >= 0)
      continue;
    place(t, sphere, x);
    filled += 4. / 3 * 3.14159265358979323846 * r * r * r / t->region->volume;
  }
}

static void fill_gaps(struct tangent *t, struct cairn_random *random) {
  const double low = t->radius[t->n - 1];
  for (int searches = 0; searches < MOST_SEARCHES && t->n_placed < t->n; searches++) {
    if (!cairn_region_sample(t->region, low, random, t->point))
      return;
    const int32_t sphere = search(t);
    if (sphere < 0)
      continue;
    place(t, sphere, t->point);
    searches = 0;
  }
}

/* Cubes of the radii that found a place over those of all. */
static double part_placed(const struct tangent *t) {
  double placed = 0, all = 0;
  for (int64_t i = 0; i < t->n; i++) {
    all += t->radius[i] * t->radius[i] * t->radius[i];
    if (i < t->n_placed)
      placed += t->r[i] * t->r[i] * t->r[i];
  }
  return placed / all;
}

/* The radii shrink by the play, so that rounding leaves no overlap. */
static int finish(struct tangent *t, struct cairn_packing *packing, struct cairn_error *error) {
  for (int64_t i = 0; i < t->n; i++)
    packing->radius[i] = t->r[i] * (1 - play);
  memcpy(packing->position, t->x, (size_t)t->n * sizeof *t->x);
  return cairn_cloud_sort(packing->n, packing->position, packing->radius, error);
}

int cairn_tangent_place(struct cairn_packing *packing, struct cairn_random *random, double *scale,
                        struct cairn_error *error) {
  const size_t n = (size_t)packing->n;
  cairn_packing_sort(packing);
  struct tangent t = {.region = packing->region,
                      .radius = packing->radius,
                      .next = malloc((n + 1) * sizeof *t.next),
                      .n = packing->n,
                      .placed = calloc(1, sizeof *t.placed),
                      .x = malloc(n * sizeof *t.x),
                      .r = malloc(n * sizeof *t.r)};
  int status = CAIRN_OK;
  *scale = 0;
  if (!t.next || !t.placed || !t.x || !t.r)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for a packing of %zu bodies", n);
  if (status == CAIRN_OK) {
    cairn_overlap_init(t.placed, packing->radius[0]);
    status = cairn_overlap_reserve(t.placed, packing->n, error);
  }
  if (status == CAIRN_OK) {
    for (size_t i = 0; i <= n; i++)
      t.next[i] = (int32_t)i;
    seed(&t, random);
    fill_gaps(&t, random);
    *scale = t.n_placed == t.n ? 1 : cbrt(part_placed(&t));
    if (t.n_placed == t.n)
      status = finish(&t, packing, error);
  }
  if (t.placed)
    cairn_overlap_fini(t.placed);
  free(t.placed);
  free(t.next);
  free(t.x);
  free(t.r);
  return status;
}
