/* Which bodies of a cell may meet in a drift: all that are near at its start, by one grid for each octave of radius.
 * The list is made anew in every drift. It is short, because bodies move little in one; and a body that moves farther
 * than it allows is noticed, and the step repeated.
 *
 * Places are single precision, in units of the largest radius with its reach; radii are larger by more than the
 * rounding of the places. */
#include <string.h>

#include "kernels/common/vector.h"
#include "kernels/hard/drift.h"

enum { LANES = CAIRN_HARD_LANES };

struct frame {
  double origin[3], unit;   /* m, 1/m */
  float lower[3], upper[3]; /* where bins are laid out; who is outside lies in the bins at the edge */
  double reach;             /* m */
  double radius;            /* m, largest */
};

/* A body may become faster by a collision; one that takes up another is moved and grows. */
static double reach_of(const struct cairn_hard_scope *s, double speed2, double radius) {
  const double reach = s->reach > 0. ? s->reach : 1.3 * sqrt(speed2) * s->h + (s->merge ? 1.3 * radius : 0.);
  return fmax(reach, s->drift);
}

static int is_gone(const struct cairn_hard_cell *c, int32_t i) { return c->flags[i] & CAIRN_HARD_GONE; }

static struct frame frame_of(const struct cairn_hard_scope *s) {
  const struct cairn_hard_cell *c = s->cell;
  const int32_t all = c->blocks.size.n + c->blocks.size.n_halo;
  int32_t someone = 0;
  while (someone < all && is_gone(c, someone))
    someone++;
  const double *first = c->path[someone < all ? someone : 0].x;
  struct frame f = {.unit = 0.};
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, sum[3] = {0.},
         squares[3] = {0.}, speed2 = 0., n = 0.;
  for (int32_t i = 0; i < all; i++) {
    const struct cairn_hard_path *p = c->path + i;
    const double v2 = cairn_vec3_dot(p->v, p->v);
    if (is_gone(c, i))
      continue;
    n += 1.;
    speed2 = v2 > speed2 ? v2 : speed2;
    f.radius = p->r > f.radius ? p->r : f.radius;
    for (int k = 0; k < 3; k++) {
      const double d = p->x[k] - first[k];
      low[k] = d < low[k] ? d : low[k];
      high[k] = d > high[k] ? d : high[k];
      sum[k] += d;
      squares[k] += d * d;
    }
  }
  f.reach = reach_of(s, speed2, f.radius);
  f.unit = 1. / (f.radius + f.reach);
  /* a few far away shall not make the bins of the others wide */
  for (int k = 0; k < 3; k++) {
    const double mean = sum[k] / n, width = 4. * sqrt(fmax(squares[k] / n - mean * mean, 0.));
    f.origin[k] = first[k] + low[k];
    f.lower[k] = (float)(fmax(0., mean - width - low[k]) * f.unit);
    f.upper[k] = (float)(fmin(high[k] - low[k], mean + width - low[k]) * f.unit);
  }
  return f;
}

static int class_of(double radius, double most) {
  int class = 0;
  for (double bound = 0.5 * most; radius <= bound && class < CAIRN_HARD_CLASSES - 1; bound *= 0.5)
    class ++;
  return class;
}

/* Where a body is, and its radius with reach and rounding. */
static void place_of(const struct frame *f, const struct cairn_hard_path *p, float place[4]) {
  double most = 0.;
  for (int k = 0; k < 3; k++) {
    const double x = (p->x[k] - f->origin[k]) * f->unit;
    place[k] = (float)x;
    most = x > most ? x : most;
  }
  place[3] = (float)((p->r + f->reach) * f->unit * (1. + 1e-5) + 3e-7 * most);
}

static int32_t bin_along(const struct cairn_hard_grid *g, int axis, float x) {
  const float bin = (x - g->lower[axis]) * g->per_width;
  if (!(bin > 0.f))
    return 0;
  return bin < (float)g->bins[axis] ? (int32_t)bin : g->bins[axis] - 1;
}

/* Bins as wide as two spheres of the class, wider where that would make more bins than two for each sphere. */
static void lay_out(struct cairn_hard_grid *g, const struct frame *f) {
  double width = 2.001 * g->radius, count[3];
  for (;; width *= 1.26) {
    for (int k = 0; k < 3; k++) {
      const double n = floor(((double)f->upper[k] - f->lower[k]) / width) + 1.;
      count[k] = n >= 1. ? n : 1.;
    }
    if (count[0] * count[1] * count[2] <= 2. * g->n + 8.)
      break;
  }
  g->per_width = (float)(1. / width);
  for (int k = 0; k < 3; k++) {
    g->lower[k] = f->lower[k];
    g->bins[k] = (int32_t)count[k];
  }
}

/* Where each body is, and the bins of each class. Returns how many bins there are. */
static int32_t lay_out_all(const struct cairn_hard_cell *c, const struct frame *f) {
  const int32_t all = c->blocks.size.n + c->blocks.size.n_halo;
  int32_t n_bins = 0;
  memset(c->grid, 0, CAIRN_HARD_CLASSES * sizeof *c->grid);
  for (int32_t i = 0; i < all; i++) {
    if (is_gone(c, i))
      continue;
    struct cairn_hard_grid *g = c->grid + class_of(c->path[i].r, f->radius);
    place_of(f, c->path + i, c->spot[i]);
    g->n++;
    g->radius = c->spot[i][3] > g->radius ? c->spot[i][3] : g->radius;
  }
  for (struct cairn_hard_grid *g = c->grid; g < c->grid + CAIRN_HARD_CLASSES; g++) {
    g->first = n_bins;
    if (g->n > 0) {
      lay_out(g, f);
      n_bins += g->bins[0] * g->bins[1] * g->bins[2];
    }
  }
  return n_bins;
}

/* Counting sort of the bodies into the bins of all classes. Returns how many bodies there are. */
static int32_t fill(const struct cairn_hard_cell *c, const struct frame *f) {
  const int32_t all = c->blocks.size.n + c->blocks.size.n_halo, n_bins = lay_out_all(c, f);
  int32_t n = 0;
  memset(c->start, 0, ((size_t)n_bins + 2) * sizeof *c->start);
  for (int32_t i = 0; i < all; i++) {
    const float *at = c->spot[i];
    if (is_gone(c, i))
      continue;
    const struct cairn_hard_grid *g = c->grid + class_of(c->path[i].r, f->radius);
    c->key[i] =
        g->first + (bin_along(g, 2, at[2]) * g->bins[1] + bin_along(g, 1, at[1])) * g->bins[0] + bin_along(g, 0, at[0]);
    c->start[c->key[i] + 2]++;
    n++;
  }
  for (int32_t b = 2; b < n_bins + 2; b++)
    c->start[b] += c->start[b - 1];
  for (int32_t i = 0; i < all; i++) {
    if (is_gone(c, i))
      continue;
    const int32_t at = c->start[c->key[i] + 1]++;
    c->sorted[at] = i;
    for (int k = 0; k < 4; k++)
      c->place[k][at] = c->spot[i][k];
  }
  return n;
}

/* Of any address. */
typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t marks __attribute__((vector_size(4 * LANES)));

/* Bodies of a row of bins that are near the one at `me`, itself among them, after the m found so far. */
static inline __attribute__((always_inline)) int32_t scan(const struct cairn_hard_cell *c, const float here[4],
                                                          int32_t from, int32_t to, int32_t m) {
  for (int32_t k = from; k < to; k += LANES) {
    const lanes dx = *(const lanes *)(c->place[0] + k) - here[0], dy = *(const lanes *)(c->place[1] + k) - here[1],
                dz = *(const lanes *)(c->place[2] + k) - here[2], sum = *(const lanes *)(c->place[3] + k) + here[3];
    const marks is_near = dx * dx + dy * dy + dz * dz < sum * sum; /* -1 where they are */
    const int32_t n = to - k < LANES ? to - k : LANES;
    for (int32_t j = 0; j < n; j++) {
      c->near[m] = c->sorted[k + j];
      m -= is_near[j];
    }
  }
  return m;
}

/* List those near the body at `me`; -1 if there is no room. */
static inline __attribute__((always_inline)) int32_t search(const struct cairn_hard_cell *c, int32_t me, int32_t m) {
  const float here[4] = {c->place[0][me], c->place[1][me], c->place[2][me], c->place[3][me]};
  for (const struct cairn_hard_grid *g = c->grid; g < c->grid + CAIRN_HARD_CLASSES; g++) {
    const float range = (here[3] + g->radius) * 1.00001f;
    int32_t low[3], high[3];
    for (int k = 0; k < 3 && g->n > 0; k++) {
      low[k] = bin_along(g, k, here[k] - range);
      high[k] = bin_along(g, k, here[k] + range);
    }
    for (int32_t z = low[2]; g->n > 0 && z <= high[2]; z++)
      for (int32_t y = low[1]; y <= high[1]; y++) {
        const int32_t *row = c->start + g->first + (z * g->bins[1] + y) * g->bins[0];
        if (row[high[0] + 1] - row[low[0]] >= c->blocks.size.n_near - m)
          return -1;
        m = scan(c, here, row[low[0]], row[high[0] + 1], m);
      }
  }
  return m;
}

CAIRN_CLONES void cairn_drift_grid_list(const struct cairn_hard_scope *s) {
  const struct cairn_hard_cell *c = s->cell;
  const int32_t n = c->blocks.size.n;
  const struct frame f = frame_of(s);
  int32_t m = 0;
  c->head->reach = f.reach;
  c->head->n_sorted = 0;
  memset(c->near_begin, 0, (size_t)n * sizeof *c->near_begin);
  memset(c->near_end, 0, (size_t)n * sizeof *c->near_end);
  memset(c->beside, 0, (size_t)n);
  if (!(f.unit > 0. && f.unit < INFINITY)) /* nobody, or speeds that are no numbers: found at the end of the drift */
    return;
  const int32_t all = c->head->n_sorted = fill(c, &f);
  for (int32_t at = 0; at < all; at++) {
    const int32_t i = c->sorted[at];
    if (i >= n)
      continue;
    const int32_t begin = m, end = search(c, at, m);
    if (end < 0) {
      c->head->overflow = 1;
      return;
    }
    for (int32_t e = begin; e < end; e++) {
      const int32_t j = c->near[e];
      const int is_lower = j < n ? j < i : c->halo_id[j - n] < c->id[i];
      c->beside[i] |= (uint8_t)(j >= n);
      c->near[m] = 2 * j + is_lower;
      m += j != i;
    }
    c->near_begin[i] = begin;
    c->near_end[i] = m;
  }
}
