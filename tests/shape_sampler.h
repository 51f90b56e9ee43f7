/* Random walls, points of their surfaces, and the nearest of these by sampling, which knows no formula of the nearest
 * point. */
#ifndef CAIRN_TESTS_SHAPE_SAMPLER_H
#define CAIRN_TESTS_SHAPE_SAMPLER_H

#include "data/base/random.h"
#include "kernels/common/vec3.h"
#include "kernels/shapes/shapes.h"

enum { N_KINDS = CAIRN_SHAPE_MESH };
static const char *const NAMES[N_KINDS] = {"plane", "disk",   "rectangle", "triangle", "cylinder",
                                           "cone",  "sphere", "ring",      "line",     "point"};

/* The larger of two errors; unlike fmax it keeps a number that is none. */
static double worse(double a, double b) { return a >= b || a != a ? a : b; }
static double between(struct cairn_random *random, double lower, double upper) {
  return cairn_random_between(random, lower, upper);
}

/* A shape with what the sampler wants to know: axes a, b at right angles to the axis or normal c; edges e, f. */
struct model {
  int kind;
  double o[3], a[3], b[3], c[3], e[3], f[3];
  double r, l, r2; /* as in kernels/shapes/shapes.h: radius; length or hole; narrow radius */
  double shape[CAIRN_SHAPE_DOUBLES];
};

static void fill_shape(struct model *m) {
  const int has_edges = m->kind == CAIRN_SHAPE_RECTANGLE || m->kind == CAIRN_SHAPE_TRIANGLE;
  m->shape[0] = m->kind;
  for (int k = 0; k < 3; k++) {
    m->shape[1 + k] = m->o[k];
    m->shape[4 + k] = has_edges ? m->e[k] : m->c[k];
    m->shape[7 + k] = has_edges ? m->f[k] : (const double[]){m->r, m->l, m->r2}[k];
  }
}

/* Three unit vectors at right angles. */
static void random_axes(struct cairn_random *random, double *a, double *b, double *c) {
  double other[3];
  cairn_random_direction(random, c);
  do {
    cairn_random_direction(random, other);
    cairn_vec3_cross(c, other, a);
  } while (cairn_vec3_length(a) < 0.1);
  const double scale = 1. / cairn_vec3_length(a);
  for (int k = 0; k < 3; k++)
    a[k] *= scale;
  cairn_vec3_cross(c, a, b);
}

/* A shape of size about 1 somewhere near the origin; every variant of a kind turns up among the first few. */
static struct model random_model(struct cairn_random *random, int kind, int variant) {
  struct model m = {.kind = kind};
  random_axes(random, m.a, m.b, m.c);
  for (int k = 0; k < 3; k++)
    m.o[k] = between(random, -2., 2.);
  m.r = between(random, 0.3, 2.);
  const double part = variant % 3 == 0 ? 0. : between(random, 0.1, 0.9);
  if (kind == CAIRN_SHAPE_DISK)
    m.l = part * m.r;
  if (kind == CAIRN_SHAPE_CONE) {
    m.l = between(random, 0.3, 3.);
    m.r2 = variant % 4 == 3 ? m.r : part * m.r;
  }
  if (kind == CAIRN_SHAPE_LINE)
    m.l = variant % 3 == 0 ? -1. : between(random, 0.3, 3.);
  const double x = between(random, 0.3, 2.), y = between(random, 0.3, 2.);
  const double lean = kind == CAIRN_SHAPE_TRIANGLE ? between(random, -2., 2.) : 0.; /* acute and obtuse */
  for (int k = 0; k < 3; k++) {
    m.e[k] = x * m.a[k];
    m.f[k] = y * m.b[k] + lean * m.a[k];
  }
  fill_shape(&m);
  return m;
}

/* The surface as charts of two coordinates within [-1, 1], which may reach farther where the surface goes on. */
static const int N_CHARTS[N_KINDS] = {1, 4, 1, 3, 4, 4, 6, 4, 1, 1};
static const double WINDOW = 12.; /* m, half of what is sampled of an infinite shape */

static int is_round(int kind) { return N_CHARTS[kind] > 3; }

/* A quarter of the unit circle, or more, without the cost of sine and cosine. */
static void quarter(int chart, double s, double *x, double *y) {
  const double scale = 1. / sqrt(1. + s * s), u = scale, v = s * scale;
  *x = chart == 0 ? u : chart == 1 ? -v : chart == 2 ? -u : v;
  *y = chart == 0 ? v : chart == 1 ? u : chart == 2 ? -v : -u;
}

/* (x, y, z) along a, b, c of the surface point. */
static void local_point(const struct model *m, int chart, double s, double t, double *x, double *y, double *z) {
  const double half = 0.5 * (1. + t);
  double radius = m->r;
  *z = 0.;
  if (m->kind == CAIRN_SHAPE_PLANE) {
    *x = WINDOW * s;
    *y = WINDOW * t;
    return;
  }
  if (m->kind == CAIRN_SHAPE_LINE || m->kind == CAIRN_SHAPE_POINT) {
    *x = *y = 0.;
    *z = m->kind == CAIRN_SHAPE_POINT ? 0. : t * (m->l < 0. ? WINDOW : 0.5 * m->l);
    return;
  }
  if (m->kind == CAIRN_SHAPE_SPHERE) { /* the faces of a cube, blown up */
    const double scale = (chart % 2 ? -radius : radius) / sqrt(1. + s * s + t * t);
    const double cube[3] = {scale, scale * s, scale * t};
    *x = cube[chart / 2];
    *y = cube[(chart / 2 + 1) % 3];
    *z = cube[(chart / 2 + 2) % 3];
    return;
  }
  if (m->kind == CAIRN_SHAPE_DISK)
    radius = m->l + half * (m->r - m->l);
  else if (m->kind == CAIRN_SHAPE_CYLINDER)
    *z = WINDOW * t;
  else if (m->kind == CAIRN_SHAPE_CONE) {
    radius = m->r + half * (m->r2 - m->r);
    *z = 0.5 * m->l * t;
  }
  quarter(chart, s, x, y);
  *x *= radius;
  *y *= radius;
}

/* u, v of a triangle: a chart is the part nearest to one corner, between its edges' middles and the middle of all. */
static void third_of_triangle(int chart, double s, double t, double *u, double *v) {
  const double p = 0.5 * (1. + s), q = 0.5 * (1. + t);
  const double a = 0.5 * p * (1. - q) + p * q / 3., b = 0.5 * q * (1. - p) + p * q / 3.; /* away from the corner */
  *u = chart == 0 ? a : chart == 1 ? 1. - a - b : b;
  *v = chart == 0 ? b : chart == 1 ? a : 1. - a - b;
}

static void surface_point(const struct model *m, int chart, double s, double t, double *point) {
  if (m->kind == CAIRN_SHAPE_RECTANGLE || m->kind == CAIRN_SHAPE_TRIANGLE) {
    double u = 0.5 * (1. + s), v = 0.5 * (1. + t);
    if (m->kind == CAIRN_SHAPE_TRIANGLE)
      third_of_triangle(chart, s, t, &u, &v);
    for (int k = 0; k < 3; k++)
      point[k] = m->o[k] + u * m->e[k] + v * m->f[k];
    return;
  }
  double x, y, z;
  local_point(m, chart, s, t, &x, &y, &z);
  for (int k = 0; k < 3; k++)
    point[k] = m->o[k] + x * m->a[k] + y * m->b[k] + z * m->c[k];
}

/* The coarse grid, without the ends of the charts, where all places of one coordinate may be the same point. */
enum { SIDE = 9, MOST_CHARTS = 6 };
struct grid {
  double points[MOST_CHARTS * SIDE * SIDE][3];
  int n;
};

static double coordinate(int i) { return -1. + (2. * i + 1.) / SIDE; }

static inline void fill_grid(struct grid *g, const struct model *m) {
  g->n = N_CHARTS[m->kind] * SIDE * SIDE;
  for (int i = 0; i < g->n; i++)
    surface_point(m, i / (SIDE * SIDE), coordinate(i / SIDE % SIDE), coordinate(i % SIDE), g->points[i]);
}

/* A place on a chart, and its distance from x squared. */
struct place {
  int chart;
  double s, t, f;
};

static double square_distance(const double *x, const double *y) {
  const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
  return cairn_vec3_dot(d, d);
}

static double evaluate(const struct model *m, const double *x, int chart, double s, double t) {
  double point[3];
  surface_point(m, chart, s, t, point);
  return square_distance(point, x);
}

/* Where g p + H p²/2 is smallest within [lower, upper]. */
static double best_on_segment(double g, double h, double lower, double upper) {
  if (h > 0.)
    return fmin(fmax(-g / h, lower), upper);
  return g * lower + 0.5 * h * lower * lower < g * upper + 0.5 * h * upper * upper ? lower : upper;
}

/* A parabola through 3 × 3 places a step apart: where it is smallest within the step and the chart. */
static void best_of_parabola(const struct model *m, const double *x, const struct place *at, double step,
                             const double bound[2], double *ds, double *dt) {
  double f[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      f[i][j] = i == 1 && j == 1 ? at->f : evaluate(m, x, at->chart, at->s + (i - 1) * step, at->t + (j - 1) * step);
  const double gs = 0.5 * (f[2][1] - f[0][1]), gt = 0.5 * (f[1][2] - f[1][0]);
  const double hs = f[2][1] - 2. * f[1][1] + f[0][1], ht = f[1][2] - 2. * f[1][1] + f[1][0];
  const double hst = 0.25 * (f[2][2] - f[2][0] - f[0][2] + f[0][0]);
  const double low[2] = {fmax(-1., (-bound[0] - at->s) / step), fmax(-1., (-bound[1] - at->t) / step)};
  const double high[2] = {fmin(1., (bound[0] - at->s) / step), fmin(1., (bound[1] - at->t) / step)};
  const double det = hs * ht - hst * hst;
  double p[5][2];
  int n = 0;
  if (hs > 0. && det > 0.) {
    p[n][0] = (hst * gt - ht * gs) / det;
    p[n][1] = (hst * gs - hs * gt) / det;
    n = p[0][0] >= low[0] && p[0][0] <= high[0] && p[0][1] >= low[1] && p[0][1] <= high[1];
  }
  for (int side = 0; n != 1 && side < 4; side++) {
    const double fixed = (side & 1 ? high : low)[side / 2];
    const double along = side / 2 ? best_on_segment(gs + hst * fixed, hs, low[0], high[0])
                                  : best_on_segment(gt + hst * fixed, ht, low[1], high[1]);
    p[side][0] = side / 2 ? along : fixed;
    p[side][1] = side / 2 ? fixed : along;
    if (side == 3)
      n = 4;
  }
  double best = INFINITY;
  for (int i = 0; i < n; i++) {
    const double s = p[i][0], t = p[i][1], value = gs * s + gt * t + 0.5 * (hs * s * s + ht * t * t) + hst * s * t;
    if (value < best) {
      best = value;
      *ds = s * step;
      *dt = t * step;
    }
  }
}

/* From a place down to the smallest distance on its chart by ever smaller parabolas. The first ones stay off the ends
 * of the chart, from where, at the tip of a cone, no step to another side leads nearer. */
static void polish(const struct model *m, const double *x, struct place *at) {
  const double bound[2] = {is_round(m->kind) ? 1.5 : 1., m->kind == CAIRN_SHAPE_SPHERE ? 1.5 : 1.};
  double step = 2. / SIDE, off = 0.1;
  for (int i = 0; i < 60 && step > 1e-6; i++) {
    const double end[2] = {bound[0] - off, bound[1] - off};
    double ds = 0., dt = 0.;
    best_of_parabola(m, x, at, step, end, &ds, &dt);
    const double s = fmin(fmax(at->s + ds, -end[0]), end[0]), t = fmin(fmax(at->t + dt, -end[1]), end[1]);
    const double f = evaluate(m, x, at->chart, s, t);
    const int better = f < at->f;
    off = i < 6 ? 0.1 * off : 0.;
    if (better)
      *at = (struct place){at->chart, s, t, f};
    if (!better || fmax(fabs(ds), fabs(dt)) < 0.5 * step)
      step /= better ? 6. : 3.;
  }
}

/* The nearest point by sampling: from the best of the grid on. Where charts meet in the middle of a disk, at the tip of
 * a cone or within a triangle, the best of the grid may be on the wrong one: there all are tried. */
static inline double sampled(const struct model *m, const struct grid *g, const double *x, double *point) {
  const int all = m->kind == CAIRN_SHAPE_DISK || m->kind == CAIRN_SHAPE_CONE || m->kind == CAIRN_SHAPE_TRIANGLE;
  const int n_starts = all ? N_CHARTS[m->kind] : 1, n = g->n / n_starts;
  struct place best = {.f = INFINITY};
  for (int i = 0; i < n_starts; i++) {
    int start = 0;
    double least = INFINITY;
    for (int j = i * n; j < (i + 1) * n; j++) {
      const double f = square_distance(g->points[j], x);
      if (f < least) {
        least = f;
        start = j;
      }
    }
    struct place at = {start / (SIDE * SIDE), coordinate(start / SIDE % SIDE), coordinate(start % SIDE), least};
    polish(m, x, &at);
    if (at.f < best.f)
      best = at;
  }
  surface_point(m, best.chart, best.s, best.t, point);
  return sqrt(best.f);
}

/* How far off the surface a point is, from the equations of the surface; 0 on it. */
static inline double off_surface(const struct model *m, const double *point) {
  double w[3], t[3];
  for (int k = 0; k < 3; k++)
    w[k] = point[k] - m->o[k];
  const double h = cairn_vec3_dot(w, m->c);
  for (int k = 0; k < 3; k++)
    t[k] = w[k] - h * m->c[k];
  const double r = cairn_vec3_length(t);
  const double v = cairn_vec3_dot(w, m->b) / cairn_vec3_dot(m->f, m->b),
               u = (cairn_vec3_dot(w, m->a) - v * cairn_vec3_dot(m->f, m->a)) / cairn_vec3_dot(m->e, m->a);
  const double corner = worse(worse(-u, -v), 0.);
  switch (m->kind) {
  case CAIRN_SHAPE_PLANE:
    return fabs(h);
  case CAIRN_SHAPE_DISK:
    return worse(fabs(h), worse(m->l - r, r - m->r));
  case CAIRN_SHAPE_RECTANGLE:
    return worse(fabs(h), worse(corner, worse(u, v) - 1.));
  case CAIRN_SHAPE_TRIANGLE:
    return worse(fabs(h), worse(corner, u + v - 1.));
  case CAIRN_SHAPE_CYLINDER:
    return fabs(r - m->r);
  case CAIRN_SHAPE_CONE:
    return worse(fabs(h) - 0.5 * m->l, fabs(r - m->r - (h / m->l + 0.5) * (m->r2 - m->r)));
  case CAIRN_SHAPE_SPHERE:
    return fabs(cairn_vec3_length(w) - m->r);
  case CAIRN_SHAPE_RING:
    return worse(fabs(h), fabs(r - m->r));
  case CAIRN_SHAPE_LINE:
    return worse(r, m->l < 0. ? 0. : fabs(h) - 0.5 * m->l);
  default:
    return cairn_vec3_length(w);
  }
}

#endif
