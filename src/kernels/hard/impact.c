#include "kernels/hard/impact.h"

#include <string.h>

#include "kernels/shapes/mesh.h"

/* Newton's method halves the distance to a double root, a grazing impact: after so many steps nothing is left. */
enum { NEWTON_STEPS = 100 };
/* Halving an interval this often leaves neighbouring numbers. */
enum { HALVINGS = 60 };
/* Steps of plain advancement on turning shapes that are not convex: a glancing approach takes many. */
enum { ADVANCES = 20000 };

/* A gap of this part of the distances it is computed from is none. */
#define TOUCHING 1e-14

/* ---- paths ---- */

/* Turn a vector by -w t: from the directions at the start to those of the assembly at time t (Rodrigues). */
static void turn_back(const double w[3], double t, double x[3]) {
  const double spin = cairn_vec3_length(w);
  if (spin == 0.)
    return;
  const double axis[3] = {w[0] / spin, w[1] / spin, w[2] / spin}, s = -sin(spin * t), c = cos(spin * t);
  const double along = cairn_vec3_dot(axis, x);
  double across[3];
  cairn_vec3_cross(axis, x, across);
  for (int k = 0; k < 3; k++)
    x[k] = c * x[k] + s * across[k] + (1. - c) * along * axis[k];
}

void cairn_impact_place(const struct cairn_impact_path *path, double t, double x[3]) {
  for (int k = 0; k < 3; k++)
    x[k] = path->x[k] + t * path->u[k];
  turn_back(path->w, t, x);
}

/* Its velocity there. */
static void velocity_of(const struct cairn_impact_path *path, double t, double v[3]) {
  double x[3], swept[3];
  for (int k = 0; k < 3; k++)
    x[k] = path->x[k] + t * path->u[k];
  cairn_vec3_cross(path->w, x, swept);
  for (int k = 0; k < 3; k++)
    v[k] = path->u[k] - swept[k];
  turn_back(path->w, t, v);
}

static int turns(const struct cairn_impact_path *path) {
  return path->w[0] != 0. || path->w[1] != 0. || path->w[2] != 0.;
}

/* Bounds over the whole path: of its speed, and of its acceleration, which is that of the turning frame. */
static double fastest(const struct cairn_impact_path *path) {
  const double speed = cairn_vec3_length(path->u), spin = cairn_vec3_length(path->w);
  return speed + spin * (cairn_vec3_length(path->x) + path->most * speed);
}

static double sharpest(const struct cairn_impact_path *path) {
  const double speed = cairn_vec3_length(path->u), spin = cairn_vec3_length(path->w);
  return spin * (spin * (cairn_vec3_length(path->x) + path->most * speed) + 2. * speed);
}

/* ---- the gap to a shape ---- */

struct gap {
  double gap, rate; /* m; m/s */
};

static struct cairn_nearest nearest_of(const double *shape, const double *triangle, const double x[3]) {
  struct cairn_shapes_foot foot;
  return triangle ? cairn_shapes_triangle(triangle, x[0], x[1], x[2], &foot)
                  : cairn_shapes_nearest(shape, x[0], x[1], x[2]);
}

static struct gap gap_of(const double *shape, const double *triangle, const struct cairn_impact_path *path, double t) {
  double x[3], v[3];
  cairn_impact_place(path, t, x);
  velocity_of(path, t, v);
  struct cairn_nearest n = nearest_of(shape, triangle, x);
  const double side = n.distance < 0. ? -1. : 1.; /* behind a plane */
  return (struct gap){side * n.distance - path->radius, -side * (n.nx * v[0] + n.ny * v[1] + n.nz * v[2])};
}

/* ---- convex shapes ---- */

/* The distance to a convex set is convex along a straight line, and along a curve no less than its tangent minus K t²/2
 * if the curve's acceleration is below K. The root of that bound never lies behind the impact, and the sequence of such
 * roots converges to it: Newton's method where K = 0. Shape or triangle. */
static double impact_convex(const double *shape, const double *triangle, const struct cairn_impact_path *path) {
  const double bound = turns(path) ? sharpest(path) : 0.;
  double t = 0.;
  for (int k = 0; k < NEWTON_STEPS; k++) {
    const struct gap g = gap_of(shape, triangle, path, t);
    if (g.gap <= 0. && g.rate < 0.)
      return t;
    if (g.gap <= 0. && k > 0 && bound == 0.)
      return t;
    if (g.gap <= 0. && !(g.rate > 0. && bound > 0.))
      return INFINITY;
    /* of overlapping bodies that separate, the bound holds from where they touch */
    const double gap = fmax(g.gap, 0.), root = sqrt(g.rate * g.rate + 2. * bound * gap);
    const double step = gap > 0. ? 2. * gap / (root - g.rate) : 2. * g.rate / bound;
    if (!(t + step <= path->most))
      return INFINITY;
    if (!(t + step > t))
      return t;
    t += step;
  }
  return t;
}

/* ---- surfaces of revolution: a segment turned about the axis ---- */

/* A path in the cylinder coordinates of a shape: r² = |q + p t|², height h + l t. */
struct polar {
  double q[3], p[3], h, l;
};

static struct polar polar_of(const double *shape, const struct cairn_impact_path *path) {
  struct polar c;
  const double *n = shape + 4, x[3] = {path->x[0] - shape[1], path->x[1] - shape[2], path->x[2] - shape[3]};
  c.h = cairn_vec3_dot(x, n);
  c.l = cairn_vec3_dot(path->u, n);
  for (int k = 0; k < 3; k++) {
    c.q[k] = x[k] - c.h * n[k];
    c.p[k] = path->u[k] - c.l * n[k];
  }
  return c;
}

/* Distance from the axis and its rate; on the axis the rate is that of a body about to leave it. */
static double radius_at(const struct polar *c, double t, double *rate) {
  const double z[3] = {c->q[0] + t * c->p[0], c->q[1] + t * c->p[1], c->q[2] + t * c->p[2]};
  const double r = cairn_vec3_length(z);
  *rate = r > 0. ? cairn_vec3_dot(z, c->p) / r : cairn_vec3_length(c->p);
  return r;
}

/* Height over the line through the generating segment in the half plane of radius and height, A (r - r₀) + B (h - h₀)
 * with A ≥ 0. The radius is convex in time, so this is too. */
struct flank {
  struct polar path;
  double a, b, r0, h0, length, shrink, slant; /* slant 0: an infinite cylinder */
};

static struct flank flank_of(const double *shape, const struct cairn_impact_path *path) {
  struct flank f = {.path = polar_of(shape, path), .a = 1., .r0 = shape[7]};
  const int kind = (int)shape[0];
  if (kind == CAIRN_SHAPE_CYLINDER)
    return f;
  f.length = kind == CAIRN_SHAPE_CONE ? shape[8] : 0.;
  f.shrink = kind == CAIRN_SHAPE_CONE ? shape[7] - shape[9] : shape[7] - shape[8];
  f.slant = sqrt(f.length * f.length + f.shrink * f.shrink);
  f.h0 = -0.5 * f.length;
  f.a = f.slant > 0. ? f.length / f.slant : 1.;
  f.b = f.slant > 0. ? f.shrink / f.slant : 0.;
  return f;
}

static struct gap height_of(const struct flank *f, double t) {
  double rate;
  const double r = radius_at(&f->path, t, &rate), h = f->path.h + t * f->path.l;
  return (struct gap){f->a * (r - f->r0) + f->b * (h - f->h0), f->a * rate + f->b * f->path.l};
}

/* Is the foot on the segment? */
static int is_on(const struct flank *f, double t) {
  double rate;
  if (f->slant == 0.)
    return f->length == 0. && f->shrink == 0.;
  const double r = radius_at(&f->path, t, &rate) - f->r0, h = f->path.h + t * f->path.l - f->h0;
  const double along = f->length * h - f->shrink * r;
  return along >= 0. && along <= f->slant * f->slant;
}

/* From above: the convex height falls to s. Newton from the left never passes the root. */
static double fall(const struct flank *f, double s, double most) {
  double t = 0.;
  for (int k = 0; k < NEWTON_STEPS; k++) {
    const struct gap g = height_of(f, t);
    const double step = (g.gap - s) / -g.rate;
    if (g.gap <= s)
      return k > 0 ? t : INFINITY;
    if (!(g.rate < 0.) || !(t + step <= most))
      return INFINITY;
    if (!(t + step > t))
      return t;
    t += step;
  }
  return t;
}

/* From below: it rises to -s. Newton from the right never passes the larger root. */
static double rise(const struct flank *f, double s, double most) {
  double t = most;
  for (int k = 0; k < NEWTON_STEPS; k++) {
    const struct gap g = height_of(f, t);
    if (!(g.rate > 0.) || (k == 0 && g.gap < -s))
      return INFINITY;
    const double next = t - (g.gap + s) / g.rate;
    if (!(next < t))
      return t;
    if (!(next > 0.))
      return INFINITY;
    t = next;
  }
  return t;
}

/* ---- rings ---- */

/* Where the sphere touches a ring, (r - R)² + h² = s²: a torus. The squared distance from the ring is the convex
 * quadratic |x|² + R² minus 2 R r, and r is convex: its chord bounds it from above over an interval, and the slope of
 * the square is bounded by those of both parts at the ends. Intervals that cannot hold an impact are left out, others
 * halved until the square falls all over it. */
struct ring {
  struct polar path;
  double radius, reach; /* R, s */
};

struct square {
  double value, r, rate, slope; /* (r - R)² + h² - s², r and its rate, d(|x|²)/dt / 2 */
};

static struct square square_of(const struct ring *c, double t) {
  struct square q;
  q.r = radius_at(&c->path, t, &q.rate);
  const double h = c->path.h + t * c->path.l, out = q.r - c->radius;
  q.value = out * out + h * h - c->reach * c->reach;
  q.slope = q.r * q.rate + h * c->path.l;
  return q;
}

/* Does |x|² + R² - s² - 2 R (chord of r) stay above zero between a and b? */
static int stays_out(const struct ring *c, double a, double b, const struct square *at_a, const struct square *at_b) {
  const double u2 = cairn_vec3_dot(c->path.p, c->path.p) + c->path.l * c->path.l, width = b - a;
  const double chord = c->radius * (at_b->r - at_a->r) / width;
  const double half = at_a->slope - chord; /* value + 2 half τ + u2 τ² */
  if (!(at_a->value > 0.) || !(at_b->value > 0.))
    return 0;
  const double lowest = half < 0. && u2 > 0. ? fmin(-half / u2, width) : 0.;
  return at_a->value + lowest * (2. * half + u2 * lowest) > 0.;
}

/* The root of a falling stretch, by Newton within halvings. */
static double root_between(const struct ring *c, double a, double b) {
  for (int k = 0; k < 2 * HALVINGS; k++) {
    double t = 0.5 * (a + b);
    const struct square at = square_of(c, a);
    const double slope = 2. * (at.slope - c->radius * at.rate), newton = a - at.value / slope;
    if (k % 3 != 2 && newton > a && newton < b)
      t = newton;
    if (!(t > a) || !(t < b))
      break;
    if (square_of(c, t).value > 0.)
      a = t;
    else
      b = t;
  }
  return a;
}

/* The first impact with a ring; `ends` are the right ends of the intervals still to be looked at. */
static double impact_ring(const struct polar *path, double radius, double reach, double most) {
  const struct ring c = {*path, radius, reach};
  double a = 0., ends[HALVINGS + 2];
  int n = 1;
  ends[0] = most;
  while (n > 0) {
    const double b = ends[n - 1], middle = 0.5 * (a + b);
    const struct square at_a = square_of(&c, a), at_b = square_of(&c, b);
    const double on_axis = at_b.r > 0. ? at_b.rate : -at_b.rate; /* the rate of a body that arrives there */
    const int rises = at_a.slope - radius * on_axis >= 0., falls = at_b.slope - radius * at_a.rate < 0.;
    if (falls && at_a.value <= 0.)
      return a;
    if (falls && at_b.value <= 0.)
      return root_between(&c, a, b);
    if (!rises && !falls && !stays_out(&c, a, b, &at_a, &at_b) && middle > a && middle < b && n <= HALVINGS) {
      ends[n++] = middle;
      continue;
    }
    a = b;
    n--;
  }
  return INFINITY;
}

/* ---- all shapes ---- */

static double impact_revolved(const double *shape, const struct cairn_impact_path *path) {
  const struct flank f = flank_of(shape, path);
  const double s = path->radius;
  double first = INFINITY;
  const double from_above = fall(&f, s, path->most), from_below = rise(&f, s, path->most);
  if (from_above < INFINITY && is_on(&f, from_above))
    first = from_above;
  if (from_below < first && is_on(&f, from_below))
    first = from_below;
  if (f.slant == 0. && (int)shape[0] == CAIRN_SHAPE_CYLINDER)
    return first;
  struct polar rim = f.path;
  rim.h = f.path.h - f.h0;
  first = fmin(first, impact_ring(&rim, shape[7], s, fmin(path->most, first)));
  rim.h = f.path.h - f.h0 - f.length;
  return fmin(first, impact_ring(&rim, shape[7] - f.shrink, s, fmin(path->most, first)));
}

/* The distance from the centre of a shell is convex: from outside it falls to R + s, from inside it rises to R - s. A
 * shell is a cylinder without a direction. */
static double impact_shell(const double *shape, const struct cairn_impact_path *path) {
  struct flank f = {.a = 1., .r0 = shape[7]};
  for (int k = 0; k < 3; k++) {
    f.path.q[k] = path->x[k] - shape[1 + k];
    f.path.p[k] = path->u[k];
  }
  return fmin(fall(&f, path->radius, path->most), rise(&f, path->radius, path->most));
}

/* A turning shape that is not convex: no part of it can come nearer faster than the path's largest speed. */
static double impact_turning(const double *shape, const struct cairn_impact_path *path) {
  const double speed = fastest(path), scale = path->radius + cairn_vec3_length(path->x);
  double t = 0.;
  for (int k = 0; k < ADVANCES && speed > 0.; k++) {
    const struct gap g = gap_of(shape, NULL, path, t);
    const double step = fmax(g.gap, 0.) / speed;
    if (g.gap <= 1e-15 * scale && g.rate < 0.)
      return t;
    /* while they separate, at least until the rate may have changed its sign: curvature is below 1/s */
    const double apart = g.rate > 0. ? 0.25 * path->radius * g.rate / (speed * speed) : 0.;
    t += fmax(fmax(step, apart), 1e-15 * path->most);
    if (!(t <= path->most))
      return INFINITY;
  }
  return INFINITY;
}

static int is_convex(const double *shape) {
  switch ((int)shape[0]) {
  case CAIRN_SHAPE_PLANE:
  case CAIRN_SHAPE_RECTANGLE:
  case CAIRN_SHAPE_TRIANGLE:
  case CAIRN_SHAPE_LINE:
  case CAIRN_SHAPE_POINT:
    return 1;
  case CAIRN_SHAPE_DISK:
    return shape[8] == 0.;
  default:
    return 0;
  }
}

double cairn_impact_shape(const double *shape, const struct cairn_impact_path *path) {
  if (is_convex(shape))
    return impact_convex(shape, NULL, path);
  const double o[3] = {path->x[0] - shape[1], path->x[1] - shape[2], path->x[2] - shape[3]};
  const struct gap start = gap_of(shape, NULL, path, 0.);
  /* the formulas below round differently from the nearest point: what touches for one of them touches */
  if (start.gap <= TOUCHING * (path->radius + cairn_vec3_length(o)) && start.rate < 0.)
    return 0.;
  if (turns(path))
    return impact_turning(shape, path);
  if (start.gap > path->most * cairn_vec3_length(path->u))
    return INFINITY;
  if ((int)shape[0] == CAIRN_SHAPE_SPHERE)
    return impact_shell(shape, path);
  if ((int)shape[0] == CAIRN_SHAPE_RING) {
    const struct polar c = polar_of(shape, path);
    return impact_ring(&c, shape[7], path->radius, path->most);
  }
  return impact_revolved(shape, path);
}

double cairn_impact_mesh(const double *mesh, const struct cairn_impact_path *path) {
  struct cairn_mesh_walk walk;
  struct cairn_impact_path rest = *path;
  const double far = 0.5 * path->most * fastest(path);
  double middle[3], first = INFINITY;
  cairn_impact_place(path, 0.5 * path->most, middle);
  cairn_mesh_start(&walk, middle[0], middle[1], middle[2], path->radius + far);
  for (cairn_int i = cairn_mesh_next(mesh, &walk); i >= 0; i = cairn_mesh_next(mesh, &walk)) {
    first = fmin(first, impact_convex(NULL, cairn_mesh_triangle(mesh, i), &rest));
    rest.most = fmin(rest.most, first);
  }
  return first;
}
