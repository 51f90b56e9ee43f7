/* Which bodies of a cell may meet in a window: one grid of bins for each octave of radius, made anew at its start.
 *
 * Most bodies meet nothing. So every pair is looked at once, several together in single precision, and only those that
 * may meet on their paths as they are go on to the exact time of impact. A body that gets a record gets a list too: of
 * all that are so near that they may be met on whatever path. A body that moves farther than the list allows is
 * noticed, and the step repeated.
 *
 * Places are in units of the largest radius with its reach; radii are larger by more than the rounding of the places.
 */
#include <string.h>

#include "kernels/common/vector.h"
#include "kernels/hard/drift.h"

enum { LANES = CAIRN_HARD_LANES };

/* Where a body is in the bins, its radius, and how far it moves. */
enum { X, Y, Z, R, DX, DY, DZ };

struct frame {
  double origin[3], unit;   /* m, 1/m */
  float size[3];            /* of the box around the own bodies, which begins at the origin */
  float lower[3], upper[3]; /* where bins are laid out; who is outside lies in the bins at the edge */
  double reach;             /* m */
  double radius;            /* m, largest */
  double from, span;        /* s, the window */
};

/* A body may become faster by a collision; one that takes up another is moved and grows. */
static double reach_of(const struct cairn_hard_scope *s, double speed2, double radius) {
  const double reach =
      s->reach > 0. ? s->reach : 1.3 * sqrt(speed2) * (s->end - s->from) + (s->merge ? 1.3 * radius : 0.);
  return fmax(reach, s->drift);
}

static int is_gone(const struct cairn_hard_cell *c, int32_t i) { return c->flags[i] & CAIRN_HARD_GONE; }

/* Sums over the own bodies. */
struct spread {
  double first[3], low[3], high[3], sum[3], squares[3], speed2, n;
};

static struct spread spread_of(const struct cairn_hard_scope *s) {
  const struct cairn_hard_cell *c = s->cell;
  struct spread a = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
  for (int32_t i = 0; i < c->blocks.size.n; i++) {
    const struct cairn_hard_path *p = c->path + i;
    const double v2 = cairn_vec3_dot(p->v, p->v);
    if (is_gone(c, i))
      continue;
    if (a.n == 0.)
      memcpy(a.first, p->x, sizeof a.first);
    a.n += 1.;
    a.speed2 = v2 > a.speed2 ? v2 : a.speed2;
    for (int k = 0; k < 3; k++) {
      const double d = p->x[k] + p->v[k] * (s->from - p->t) - a.first[k];
      a.low[k] = d < a.low[k] ? d : a.low[k];
      a.high[k] = d > a.high[k] ? d : a.high[k];
      a.sum[k] += d;
      a.squares[k] += d * d;
    }
  }
  return a;
}

static struct frame frame_of(const struct cairn_hard_scope *s) {
  const struct cairn_hard_cell *c = s->cell;
  const struct spread a = spread_of(s);
  struct frame f = {.from = s->from, .span = s->end - s->from};
  for (int32_t i = 0; i < c->blocks.size.n + c->blocks.size.n_halo; i++)
    if (!is_gone(c, i) && c->path[i].r > f.radius)
      f.radius = c->path[i].r;
  f.reach = reach_of(s, a.speed2, f.radius);
  f.unit = a.n > 0. ? 1. / (f.radius + f.reach) : 0.;
  const double beside = c->blocks.size.n_halo > 0 ? 2. : 0.; /* the halo lies around the own bodies */
  /* a few far away shall not make the bins of the others wide */
  for (int k = 0; k < 3; k++) {
    const double mean = a.sum[k] / a.n, width = 4. * sqrt(fmax(a.squares[k] / a.n - mean * mean, 0.));
    f.origin[k] = a.first[k] + a.low[k];
    f.size[k] = (float)((a.high[k] - a.low[k]) * f.unit);
    f.lower[k] = (float)(fmax(0., mean - width - a.low[k]) * f.unit - beside);
    f.upper[k] = (float)(fmin(a.high[k] - a.low[k], mean + width - a.low[k]) * f.unit + beside);
  }
  return f;
}

static int class_of(double radius, double most) {
  int class = 0;
  for (double bound = 0.5 * most; radius <= bound && class < CAIRN_HARD_CLASSES - 1; bound *= 0.5)
    class ++;
  return class;
}

/* Where a body is, and its radius with what is lost by rounding. */
static void place_of(const struct frame *f, const struct cairn_hard_path *p, float place[4]) {
  double most = 0.;
  for (int k = 0; k < 3; k++) {
    const double x = (p->x[k] + p->v[k] * (f->from - p->t) - f->origin[k]) * f->unit;
    place[k] = (float)x;
    most = fabs(x) > most ? fabs(x) : most;
  }
  place[R] = (float)(p->r * f->unit * (1. + 1e-5) + 3e-7 * most);
}

/* A halo body that is too far from all own ones to be met. */
static int is_far(const struct frame *f, const float place[4]) {
  for (int k = 0; k < 3; k++) {
    const float most = 2.01f + 1e-6f * f->size[k]; /* for rounding */
    if (place[k] < -most || place[k] > f->size[k] + most)
      return 1;
  }
  return 0;
}

static int32_t bin_along(const struct cairn_hard_grid *g, int axis, float x) {
  const float bin = (x - g->lower[axis]) * g->per_width;
  if (!(bin > 0.f))
    return 0;
  return bin < (float)g->bins[axis] ? (int32_t)bin : g->bins[axis] - 1;
}

/* Bins as wide as two spheres of the class with their paths, wider where that would make more bins than two for each
 * sphere. */
static void lay_out(struct cairn_hard_grid *g, const struct frame *f, double moved) {
  double width = 2.001 * g->radius + 1.5 * moved, count[3];
  for (;; width *= 1.26) {
    for (int k = 0; k < 3; k++) {
      const double n = floor(((double)f->upper[k] - f->lower[k]) / width) + 1.;
      count[k] = n >= 1. && n < INFINITY ? n : 1.; /* places that are no numbers are found at the end of the drift */
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

/* Who moves farther on its path than the lists allow, if the drift does not end with this window. */
static void note_far(struct cairn_hard_scope *s, const struct frame *f, int32_t i, double moved2) {
  if (i >= s->cell->blocks.size.n || s->end == s->h || moved2 <= f->reach * f->reach)
    return;
  s->cell->flags[i] |= CAIRN_HARD_FAR;
  s->longest = cairn_drift_higher(s->longest, sqrt(moved2));
}

/* Where each body is, its class, and the bins of each class. Returns how many bins there are. */
static int32_t lay_out_all(struct cairn_hard_scope *s, const struct frame *f) {
  const struct cairn_hard_cell *c = s->cell;
  const int32_t n = c->blocks.size.n, all = n + c->blocks.size.n_halo;
  int32_t n_bins = 0;
  double most2 = 0.;
  memset(c->grid, 0, CAIRN_HARD_CLASSES * sizeof *c->grid);
  for (int32_t i = 0; i < all; i++) {
    c->key[i] = -1;
    if (is_gone(c, i))
      continue;
    place_of(f, c->path + i, c->spot[i]);
    if (i >= n && is_far(f, c->spot[i]))
      continue;
    c->key[i] = class_of(c->path[i].r, f->radius);
    struct cairn_hard_grid *g = c->grid + c->key[i];
    g->n++;
    g->radius = c->spot[i][R] > g->radius ? c->spot[i][R] : g->radius;
    const double moved2 = cairn_vec3_dot(c->path[i].v, c->path[i].v) * f->span * f->span;
    most2 = moved2 > most2 ? moved2 : most2;
    note_far(s, f, i, moved2);
  }
  c->head->reach = f->reach;
  c->head->range = (float)(f->reach * f->unit * (1. + 1e-5));
  c->head->moved = (float)(sqrt(most2) * f->unit * (1. + 1e-5));
  const double extent = fmax(fmax(f->size[0], f->size[1]), f->size[2]) + 4., path = 1. + c->head->moved;
  c->head->tolerance = (float)((1e-4 + 4e-6 * extent) * path * path);
  for (struct cairn_hard_grid *g = c->grid; g < c->grid + CAIRN_HARD_CLASSES; g++) {
    g->first = n_bins;
    if (g->n > 0) {
      lay_out(g, f, fmin(c->head->moved, c->head->range));
      n_bins += g->bins[0] * g->bins[1] * g->bins[2];
    }
  }
  return n_bins;
}

/* Counting sort of the bodies into the bins of all classes. */
static void fill(struct cairn_hard_scope *s, const struct frame *f) {
  const struct cairn_hard_cell *c = s->cell;
  const int32_t all = c->blocks.size.n + c->blocks.size.n_halo, n_bins = lay_out_all(s, f);
  memset(c->start, 0, ((size_t)n_bins + 2) * sizeof *c->start);
  for (int32_t i = 0; i < all; i++) {
    const float *at = c->spot[i];
    if (c->key[i] < 0)
      continue;
    const struct cairn_hard_grid *g = c->grid + c->key[i];
    c->key[i] =
        g->first + (bin_along(g, Z, at[Z]) * g->bins[Y] + bin_along(g, Y, at[Y])) * g->bins[X] + bin_along(g, X, at[X]);
    c->start[c->key[i] + 2]++;
  }
  for (int32_t b = 2; b < n_bins + 2; b++)
    c->start[b] += c->start[b - 1];
  c->head->n_sorted = c->start[n_bins + 1];
  for (int32_t i = 0; i < all; i++) {
    if (c->key[i] < 0)
      continue;
    const int32_t at = c->start[c->key[i] + 1]++;
    c->sorted[at] = i;
    for (int k = 0; k < 4; k++)
      c->place[k][at] = c->spot[i][k];
    for (int k = 0; k < 3; k++)
      c->place[DX + k][at] = (float)(c->path[i].v[k] * f->span * f->unit);
  }
}

/* ---- who may meet on the paths as they are ---- */

/* Of any address. */
typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t marks __attribute__((vector_size(4 * LANES)));

struct looker {
  float place[7];
  float tolerance; /* of products of places and paths */
};

/* Those from..to that may meet the one at `me`: they approach, and the gap, which closes slower than c + 2 b t, is
 * closed at the end of the window. */
static inline __attribute__((always_inline)) void scan(struct cairn_hard_scope *s, int32_t me, const struct looker *l,
                                                       int32_t from, int32_t to) {
  const struct cairn_hard_cell *c = s->cell;
  for (int32_t k = from; k < to; k += LANES) {
    lanes b = {0.f}, gap = {0.f};
    for (int axis = 0; axis < 3; axis++) {
      const lanes d = *(const lanes *)(c->place[axis] + k) - l->place[axis];
      b += d * (*(const lanes *)(c->place[DX + axis] + k) - l->place[DX + axis]);
      gap += d * d;
    }
    const lanes sum = *(const lanes *)(c->place[R] + k) + l->place[R];
    const union {
      marks each;
      int64_t two[LANES / 2];
    } may = {(b < l->tolerance) & (gap - sum * sum + 2.f * b < l->tolerance)};
    if (!(may.two[0] | may.two[1] | may.two[2] | may.two[3]))
      continue;
    for (int32_t j = 0; j < LANES && k + j < to; j++)
      if (may.each[j])
        cairn_drift_queue_meet(s, c->sorted[me], c->sorted[k + j]);
  }
}

/* All that come after the body at `me`: so every pair is looked at once. */
static inline __attribute__((always_inline)) void look(struct cairn_hard_scope *s, int32_t me) {
  const struct cairn_hard_cell *c = s->cell;
  const int32_t i = c->sorted[me];
  struct looker l = {.tolerance = c->head->tolerance};
  for (int k = 0; k < 7; k++)
    l.place[k] = c->place[k][me];
  const float *h = l.place, path = sqrtf(h[DX] * h[DX] + h[DY] * h[DY] + h[DZ] * h[DZ]),
              apart = fminf((path + c->head->moved) * 1.00001f, 2.f * c->head->range);
  for (const struct cairn_hard_grid *g = c->grid; g < c->grid + CAIRN_HARD_CLASSES; g++) {
    const float range = (h[R] + g->radius) * 1.00001f + apart;
    if (g->n == 0 || c->key[i] >= g->first + g->bins[0] * g->bins[1] * g->bins[2]) /* of larger ones: they look */
      continue;
    const int is_own = c->key[i] >= g->first;
    const int32_t x0 = bin_along(g, X, h[X] - range), x1 = bin_along(g, X, h[X] + range),
                  y0 = bin_along(g, Y, h[Y] - range), y1 = bin_along(g, Y, h[Y] + range),
                  z0 = bin_along(g, Z, h[Z] - (is_own ? 0.f : range)), z1 = bin_along(g, Z, h[Z] + range),
                  mine = is_own ? (c->key[i] - g->first) / g->bins[X] : -1;
    for (int32_t z = z0; z <= z1; z++)
      for (int32_t y = y0; y <= y1; y++) {
        const int32_t row = z * g->bins[Y] + y, *start = c->start + g->first + row * g->bins[X];
        if (row >= mine)
          scan(s, me, &l, row == mine ? me + 1 : start[x0], start[x1 + 1]);
      }
  }
}

CAIRN_CLONES void cairn_drift_grid_meet(struct cairn_hard_scope *s) {
  const struct cairn_hard_cell *c = s->cell;
  const struct frame f = frame_of(s);
  c->head->reach = f.reach;
  c->head->n_sorted = c->head->n_near = 0;
  if (!(f.unit > 0. && f.unit < INFINITY)) /* nobody, or speeds that are no numbers: found at the end of the drift */
    return;
  fill(s, &f);
  for (int32_t at = 0; at < c->head->n_sorted; at++)
    look(s, at);
}

/* ---- lists ---- */

/* Bodies of a row of bins that are near, after the m found so far. */
static inline __attribute__((always_inline)) int32_t collect(const struct cairn_hard_cell *c, const float here[4],
                                                             int32_t from, int32_t to, int32_t m) {
  for (int32_t k = from; k < to; k += LANES) {
    const lanes dx = *(const lanes *)(c->place[X] + k) - here[X], dy = *(const lanes *)(c->place[Y] + k) - here[Y],
                dz = *(const lanes *)(c->place[Z] + k) - here[Z], sum = *(const lanes *)(c->place[R] + k) + here[R];
    const marks is_near = dx * dx + dy * dy + dz * dz < sum * sum; /* -1 where they are */
    const int32_t n = to - k < LANES ? to - k : LANES;
    for (int32_t j = 0; j < n; j++) {
      c->near[m] = c->sorted[k + j];
      m -= is_near[j];
    }
  }
  return m;
}

/* List those near a place, after the m found so far; -1 if there is no room. */
static inline __attribute__((always_inline)) int32_t search(const struct cairn_hard_cell *c, const float here[4],
                                                            int32_t m) {
  for (const struct cairn_hard_grid *g = c->grid; g < c->grid + CAIRN_HARD_CLASSES; g++) {
    const float range = (here[R] + g->radius) * 1.00001f;
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
        m = collect(c, here, row[low[0]], row[high[0] + 1], m);
      }
  }
  return m;
}

CAIRN_CLONES void cairn_drift_grid_list(const struct cairn_hard_cell *c, int32_t i) {
  const int32_t n = c->blocks.size.n, begin = c->head->n_near;
  const float *spot = c->spot[i], here[4] = {spot[X], spot[Y], spot[Z], spot[R] + 2.f * c->head->range};
  int32_t m = begin, end = c->head->n_sorted > 0 ? search(c, here, m) : m;
  if (end < 0) {
    c->head->overflow = 1;
    end = begin;
  }
  c->beside[i] = 0;
  for (int32_t e = begin; e < end; e++) {
    const int32_t j = c->near[e];
    const int is_lower = j < n ? j < i : c->halo_id[j - n] < c->id[i];
    c->beside[i] |= (uint8_t)(j >= n);
    c->near[m] = 2 * j + is_lower;
    m += j != i;
  }
  c->near_begin[i] = begin;
  c->near_end[i] = c->head->n_near = m;
}
