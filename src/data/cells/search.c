#include "data/cells/search.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CLASSES = 24 };

/* One size class: its spheres sorted by bin. */
struct class_grid {
  int32_t n;
  double r_max;
  double lower[3], inverse_width;
  int32_t bins[3];
  int32_t *start;              /* [bins + 1] */
  struct cairn_sphere *sphere; /* [n] in the order of bins, so that a row of bins is one stretch of memory */
  int32_t *index;              /* [n] where each came from */
};

int cairn_search_pairs_add(struct cairn_pairs *pairs, int32_t i, int32_t j) {
  if (pairs->n == pairs->capacity) {
    const int64_t capacity = pairs->capacity > 0 ? 2 * pairs->capacity : 1024;
    void *bigger = realloc(pairs->pair, (size_t)capacity * sizeof *pairs->pair);
    if (!bigger)
      return -1;
    pairs->pair = bigger;
    pairs->capacity = capacity;
  }
  pairs->pair[pairs->n][0] = i;
  pairs->pair[pairs->n][1] = j;
  pairs->n++;
  return 0;
}

static int near_enough(const struct cairn_sphere *p, const struct cairn_sphere *q, double skin) {
  const double dx = q->x - p->x, dy = q->y - p->y, dz = q->z - p->z, reach = p->r + q->r + skin;
  return dx * dx + dy * dy + dz * dz < reach * reach;
}

void cairn_search_pairs_fini(struct cairn_pairs *pairs) {
  free(pairs->pair);
  memset(pairs, 0, sizeof *pairs);
}

int cairn_search_pairs_brute_force(const struct cairn_sphere *sphere, int32_t n_own, int32_t n, double skin,
                                   struct cairn_pairs *pairs, struct cairn_error *error) {
  for (int32_t i = 0; i < n_own; i++)
    for (int32_t j = i + 1; j < n; j++)
      if (near_enough(sphere + i, sphere + j, skin) && cairn_search_pairs_add(pairs, i, j))
        return cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the pair list");
  return 0;
}

static int class_of(double r, double r_max) {
  int class = 0;
  for (double bound = 0.5 * r_max; r <= bound && class < MAX_CLASSES - 1; bound *= 0.5)
    class ++;
  return class;
}

static int32_t bin_along(const struct class_grid *grid, int axis, double x) {
  const double bin = (x - grid->lower[axis]) * grid->inverse_width;
  if (!(bin > 0.))
    return 0;
  return bin < grid->bins[axis] ? (int32_t)bin : grid->bins[axis] - 1;
}

static int32_t bin_of(const struct class_grid *grid, const struct cairn_sphere *s) {
  return (bin_along(grid, 2, s->z) * grid->bins[1] + bin_along(grid, 1, s->y)) * grid->bins[0] +
         bin_along(grid, 0, s->x);
}

/* Bins of this width along an extent. Infinite ones fit into one bin of infinite width. */
static double count_bins(double extent, double width) {
  const double n = floor(extent / width) + 1.;
  return n >= 1. ? n : 1.;
}

/* Bins as wide as two spheres of the class, wider where that would make more bins than spheres. Ends whatever the
 * spheres are: a width grows until it is infinite. */
static void choose_bins(struct class_grid *grid, const double lower[3], const double upper[3], double skin) {
  double width = fmax(2. * grid->r_max + skin, DBL_MIN);
  const double most = fmin(2. * grid->n + 8., 1e9);
  for (;;) {
    double count = 1.;
    for (int k = 0; k < 3; k++)
      count *= count_bins(upper[k] - lower[k], width);
    if (count <= most)
      break;
    width *= 1.26;
  }
  grid->inverse_width = 1. / width;
  for (int k = 0; k < 3; k++) {
    grid->lower[k] = lower[k];
    grid->bins[k] = (int32_t)count_bins(upper[k] - lower[k], width);
  }
}

/* Counting sort of the spheres of one class into its bins. */
static int fill_grid(struct class_grid *grid, const struct cairn_sphere *sphere, const uint8_t *class, int32_t n,
                     uint8_t this_class) {
  const int32_t n_bins = grid->bins[0] * grid->bins[1] * grid->bins[2];
  grid->start = calloc((size_t)n_bins + 2, sizeof *grid->start);
  grid->sphere = malloc((size_t)grid->n * sizeof *grid->sphere);
  grid->index = malloc((size_t)grid->n * sizeof *grid->index);
  if (!grid->start || !grid->sphere || !grid->index)
    return -1;
  for (int32_t i = 0; i < n; i++)
    if (class[i] == this_class)
      grid->start[bin_of(grid, sphere + i) + 2]++;
  for (int32_t b = 2; b < n_bins + 2; b++)
    grid->start[b] += grid->start[b - 1];
  for (int32_t i = 0; i < n; i++) {
    if (class[i] != this_class)
      continue;
    const int32_t at = grid->start[bin_of(grid, sphere + i) + 1]++;
    grid->sphere[at] = sphere[i];
    grid->index[at] = i;
  }
  return 0;
}

static int build_grids(struct class_grid grids[MAX_CLASSES], const struct cairn_sphere *sphere, uint8_t *class,
                       int32_t n, double skin) {
  double r_max = 0., lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int32_t i = 0; i < n; i++) {
    const double x[3] = {sphere[i].x, sphere[i].y, sphere[i].z};
    r_max = fmax(r_max, sphere[i].r);
    for (int k = 0; k < 3; k++) {
      lower[k] = fmin(lower[k], x[k]);
      upper[k] = fmax(upper[k], x[k]);
    }
  }
  for (int32_t i = 0; i < n; i++) {
    class[i] = (uint8_t)class_of(sphere[i].r, r_max);
    struct class_grid *grid = grids + class[i];
    grid->n++;
    grid->r_max = fmax(grid->r_max, sphere[i].r);
  }
  for (int c = 0; c < MAX_CLASSES; c++) {
    if (grids[c].n == 0)
      continue;
    choose_bins(grids + c, lower, upper, skin);
    if (fill_grid(grids + c, sphere, class, n, (uint8_t)c))
      return -1;
  }
  return 0;
}

/* A pair within reach: both spheres' own places, unless neither belongs to the caller. */
static int add_pair(int32_t i, int32_t j, int32_t n_own, struct cairn_pairs *pairs) {
  return i >= n_own && j >= n_own ? 0 : cairn_search_pairs_add(pairs, i, j);
}

/* Partners of a sphere among the entries from … to - 1 of a grid. */
static int search_stretch(const struct class_grid *grid, const struct cairn_sphere *s, int32_t i, int32_t from,
                          int32_t to, int32_t n_own, double skin, struct cairn_pairs *pairs) {
  for (int32_t k = from; k < to; k++)
    if (near_enough(s, grid->sphere + k, skin) && add_pair(i, grid->index[k], n_own, pairs))
      return -1;
  return 0;
}

/* Stretches of a grid that come after a bin in the order of bins and touch it: the next bin of its row, then the rows
 * above and behind. */
struct after {
  int32_t n, end; /* `end`: of the next bin in the row */
  int32_t from[4], to[4];
};

static struct after after_bin(const struct class_grid *grid, int32_t x, int32_t y, int32_t z) {
  const int32_t nx = grid->bins[0], ny = grid->bins[1];
  const int32_t x0 = x > 0 ? x - 1 : 0, x1 = x < nx - 1 ? x + 1 : x;
  struct after after = {.n = 0, .end = grid->start[(z * ny + y) * nx + x1 + 1]};
  for (int32_t zz = z; zz <= z + 1 && zz < grid->bins[2]; zz++)
    for (int32_t yy = zz == z ? y + 1 : y > 0 ? y - 1 : 0; yy <= y + 1 && yy < ny; yy++) {
      const int32_t row = (zz * ny + yy) * nx;
      after.from[after.n] = grid->start[row + x0];
      after.to[after.n++] = grid->start[row + x1 + 1];
    }
  return after;
}

/* Pairs within a class: each sphere with those after it in the order of bins, so that a pair appears once. Bins are at
 * least as wide as the reach. */
static int search_own_class(const struct class_grid *grid, int32_t n_own, double skin, struct cairn_pairs *pairs) {
  int32_t bin = 0, failed = 0;
  for (int32_t z = 0; z < grid->bins[2]; z++)
    for (int32_t y = 0; y < grid->bins[1]; y++)
      for (int32_t x = 0; x < grid->bins[0]; x++, bin++) {
        if (grid->start[bin] == grid->start[bin + 1])
          continue;
        const struct after after = after_bin(grid, x, y, z);
        for (int32_t k = grid->start[bin]; k < grid->start[bin + 1] && !failed; k++) {
          const struct cairn_sphere *s = grid->sphere + k;
          failed = search_stretch(grid, s, grid->index[k], k + 1, after.end, n_own, skin, pairs);
          for (int32_t r = 0; r < after.n && !failed; r++)
            failed = search_stretch(grid, s, grid->index[k], after.from[r], after.to[r], n_own, skin, pairs);
        }
      }
  return failed;
}

/* Partners in a class of larger spheres: all bins within reach. */
static int search_larger_class(const struct class_grid *grid, const struct cairn_sphere *s, int32_t i, int32_t n_own,
                               double skin, struct cairn_pairs *pairs) {
  const double reach = s->r + grid->r_max + skin;
  const int32_t x0 = bin_along(grid, 0, s->x - reach), x1 = bin_along(grid, 0, s->x + reach);
  const int32_t y0 = bin_along(grid, 1, s->y - reach), y1 = bin_along(grid, 1, s->y + reach);
  const int32_t z0 = bin_along(grid, 2, s->z - reach), z1 = bin_along(grid, 2, s->z + reach);
  for (int32_t z = z0; z <= z1; z++)
    for (int32_t y = y0; y <= y1; y++) {
      const int32_t row = (z * grid->bins[1] + y) * grid->bins[0];
      if (search_stretch(grid, s, i, grid->start[row + x0], grid->start[row + x1 + 1], n_own, skin, pairs))
        return -1;
    }
  return 0;
}

int cairn_search_pairs(const struct cairn_sphere *sphere, int32_t n_own, int32_t n, double skin,
                       struct cairn_pairs *pairs, struct cairn_error *error) {
  struct class_grid grids[MAX_CLASSES];
  memset(grids, 0, sizeof grids);
  uint8_t *class = malloc((size_t)n + 1);
  int failed = !class || build_grids(grids, sphere, class, n, skin);
  for (int c = 0; c < MAX_CLASSES && !failed; c++) {
    if (grids[c].n > 0)
      failed = search_own_class(grids + c, n_own, skin, pairs);
    for (int larger = 0; larger < c; larger++)
      for (int32_t k = 0; k < grids[c].n && grids[larger].n > 0 && !failed; k++)
        failed = search_larger_class(grids + larger, grids[c].sphere + k, grids[c].index[k], n_own, skin, pairs);
  }
  for (int c = 0; c < MAX_CLASSES; c++) {
    free(grids[c].start);
    free(grids[c].sphere);
    free(grids[c].index);
  }
  free(class);
  return failed ? cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the pair list") : 0;
}
