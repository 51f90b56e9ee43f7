/* Times of impact of a sphere with every shape against a reference that knows nothing but the distance to the shape: it
 * advances by the gap over the largest speed, which nothing can beat, and halves the last step. */
#include <stdlib.h>
#include <string.h>

#include "data/geometry/mesh_tree.h"
#include "kernels/hard/impact.h"
#include "kernels/shapes/mesh.h"
#include "shape_sampler.h"
#include "tap/tap.h"

#if defined __OPTIMIZE__ && !defined __SANITIZE_ADDRESS__
enum { SHAPES = 200, PATHS = 500 }; /* 1e5 for each kind */
#else
enum { SHAPES = 40, PATHS = 100 };
#endif

/* Advancement steps at least this far: an impact whose chord is shorter is not deeper than 1e-13. */
static const double LEAST = 1e-6, SHALLOW = 1e-12;

/* A shape, or a mesh with its triangles. */
struct wall {
  const double *shape, *mesh, *triangle;
  int n;
};

static double distance(const struct wall *w, const double *x, double *n) {
  struct cairn_nearest r = {.distance = INFINITY};
  struct cairn_shapes_foot foot;
  if (!w->mesh)
    r = cairn_shapes_nearest(w->shape, x[0], x[1], x[2]);
  for (int i = 0; w->mesh && i < w->n; i++) {
    const struct cairn_nearest other = cairn_shapes_triangle(w->triangle + 9 * i, x[0], x[1], x[2], &foot);
    r = other.distance < r.distance ? other : r;
  }
  const double side = r.distance < 0. ? -1. : 1.;
  n[0] = side * r.nx;
  n[1] = side * r.ny;
  n[2] = side * r.nz;
  return fabs(r.distance);
}

static double gap(const struct wall *w, const struct cairn_impact_path *path, double t, double *rate) {
  double x[3], y[3], n[3];
  const double dt = 1e-7;
  cairn_impact_place(path, t, x);
  const double g = distance(w, x, n) - path->radius;
  if (rate) {
    cairn_impact_place(path, t + dt, y);
    *rate = -(n[0] * (y[0] - x[0]) + n[1] * (y[1] - x[1]) + n[2] * (y[2] - x[2])) / dt;
  }
  return g;
}

static double largest_speed(const struct cairn_impact_path *path) {
  const double u = cairn_vec3_length(path->u);
  return u + cairn_vec3_length(path->w) * (cairn_vec3_length(path->x) + path->most * u);
}

/* The first time at which the gap closes, or INFINITY; the deepest point of what follows says whether it counts. */
static double reference(const struct wall *w, const struct cairn_impact_path *path, double *depth) {
  const double speed = largest_speed(path);
  double t = 0., g = gap(w, path, 0., NULL), first = INFINITY;
  double rate;
  gap(w, path, 0., &rate);
  *depth = g;
  if (g <= 1e-14 && rate < 0.) /* in touch, but for rounding */
    return 0.;
  while (t < path->most && speed > 0.) {
    const double next = fmin(path->most, t + fmax(fabs(g), LEAST) / speed), after = gap(w, path, next, NULL);
    *depth = fmin(*depth, after);
    if (g > 0. && after <= 0.) {
      double a = t, b = next;
      for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (a + b);
        if (gap(w, path, middle, NULL) > 0.)
          a = middle;
        else
          b = middle;
      }
      first = b;
      for (int k = 0; k < 10 && *depth > -1e-9; k++) /* how deep does it get? */
        *depth = fmin(*depth, gap(w, path, fmin(path->most, b + k * 1e-6 / speed), NULL));
      return first;
    }
    t = next;
    g = after;
  }
  return first;
}

struct errors {
  double time, touch; /* largest error of a time, over the crossing time scale; largest gap at an impact */
  int hits, grazes, missed, invented, wrong;
};

static void compare(const struct wall *w, const struct cairn_impact_path *path, struct errors *e) {
  double depth, rate;
  const double speed = largest_speed(path), first = reference(w, path, &depth);
  const double t = w->mesh ? cairn_impact_mesh(w->mesh, path) : cairn_impact_shape(w->shape, path);
  if (t == INFINITY) {
    e->missed += first < INFINITY && depth < -SHALLOW && path->most - first > 1e-12;
    return;
  }
  const double at = gap(w, path, t, &rate), steep = fabs(rate) / speed;
  e->hits++;
  e->touch = worse(e->touch, fabs(at));
  e->invented += first == INFINITY && depth > SHALLOW;
  if (steep < 1e-3) /* the time of a grazing impact is not sharp, but the gap must be closed */
    e->grazes++;
  else if (first < INFINITY)
    e->time = worse(e->time, fabs(t - first) * speed * steep / path->radius);
  e->wrong += first < t && depth < -SHALLOW && steep >= 1e-3 && (t - first) * speed * steep > 1e-9;
}

/* From anywhere around, outside of the wall, towards a point near its surface: most meet it, many pass at a grazing
 * distance. Every eighth starts in touch, every eighth moves along the axis or the normal, every eighth through it. */
static int random_path(struct cairn_random *random, const struct model *m, const struct wall *w, int j, int spins,
                       struct cairn_impact_path *path) {
  double n[3], target[3];
  const int chart = (int)(cairn_random_bits(random) % (uint64_t)N_CHARTS[m->kind]);
  const int is_infinite = m->kind == CAIRN_SHAPE_PLANE || m->kind == CAIRN_SHAPE_CYLINDER || m->l < 0.;
  path->radius = between(random, 0.05, 0.4);
  path->most = between(random, 0.5, 5.);
  surface_point(m, chart, between(random, -1., 1.), (is_infinite ? 0.1 : 1.) * between(random, -1., 1.), target);
  for (int k = 0; k < 3; k++) {
    path->x[k] = m->o[k] + between(random, -3., 3.);
    path->w[k] = spins ? between(random, -1., 1.) : 0.;
  }
  if (j % 8 == 1)
    for (int k = 0; k < 3; k++)
      path->x[k] = m->o[k] + 3. * m->c[k] * between(random, -1., 1.);
  double d = distance(w, path->x, n);
  if (j % 8 == 0) /* pushed along the line of centres until it touches, but for rounding */
    for (int k = 0; k < 3; k++)
      path->x[k] += (d - path->radius) * n[k];
  d = distance(w, path->x, n);
  const double aim = j % 3 == 0 ? path->radius : j % 3 == 1 ? 0.9 * path->radius : 0.;
  double sideways[3];
  cairn_random_direction(random, sideways);
  for (int k = 0; k < 3; k++)
    path->u[k] = target[k] + aim * sideways[k] - path->x[k];
  if (j % 8 == 2)
    for (int k = 0; k < 3; k++)
      path->u[k] = m->c[k] * between(random, -2., 2.);
  if (j % 8 == 3)
    for (int k = 0; k < 3; k++)
      path->u[k] = m->a[k] * between(random, -2., 2.);
  /* a sphere that is too large for the inside of the shape does not count */
  return d > path->radius * (1. - 1e-14);
}

static void verdict(const struct errors *e, const char *name, const char *motion) {
  diag("%s %s: %d impacts, %d grazing, time %.1e, gap %.1e", name, motion, e->hits, e->grazes, e->time, e->touch);
  cmp_ok(e->hits, ">", 0, "%s, %s: some hit", name, motion);
  cmp_ok(e->missed, "==", 0, "%s, %s: none is missed", name, motion);
  cmp_ok(e->invented, "==", 0, "%s, %s: none is invented", name, motion);
  cmp_ok(e->wrong, "==", 0, "%s, %s: none is late", name, motion);
  /* positions within 12 m: rounding of some 20 operations on them, over radii from 0.05 m */
  tap_near(e->time, 0., 1e-12, 0., "%s, %s: times as the reference, over radius / normal speed", name, motion);
  tap_near(e->touch, 0., 1e-12, 0., "%s, %s: at that time they touch", name, motion);
}

static void test_shape(int kind, int spins) {
  struct cairn_random random;
  struct errors e = {0};
  const int paths = spins ? PATHS / 50 : PATHS;
  cairn_random_init(&random, 14, (uint64_t)kind, (uint64_t)spins);
  for (int i = 0; i < SHAPES; i++) {
    const struct model m = random_model(&random, kind, i);
    const struct wall w = {.shape = m.shape};
    for (int j = 0; j < paths; j++) {
      struct cairn_impact_path path;
      if (random_path(&random, &m, &w, spins ? 4 + j % 4 : j, spins, &path))
        compare(&w, &path, &e);
    }
  }
  verdict(&e, NAMES[kind], spins ? "turning" : "straight");
}

static void test_mesh(int spins) {
  enum { N = 40 };
  static double triangle[9 * N];
  struct cairn_random random;
  struct errors e = {0};
  double *mesh;
  size_t n_doubles;
  cairn_random_init(&random, 15, 0, (uint64_t)spins);
  for (int i = 0; i < 20; i++) {
    for (int k = 0; k < 9 * N; k++)
      triangle[k] = k % 9 < 3 ? between(&random, -2., 2.) : triangle[k - 3] + between(&random, -0.7, 0.7);
    if (cairn_mesh_tree_build(triangle, N, 1e-9, &mesh, &n_doubles, NULL))
      BAIL_OUT("no tree");
    const struct wall w = {.mesh = mesh, .triangle = triangle, .n = N};
    for (int j = 0; j < (spins ? PATHS / 10 : 2 * PATHS); j++) {
      struct cairn_impact_path path = {.radius = between(&random, 0.05, 0.4), .most = between(&random, 0.5, 3.)};
      double n[3];
      for (int k = 0; k < 3; k++) {
        path.x[k] = between(&random, -3., 3.);
        path.u[k] = between(&random, -1., 1.) - path.x[k];
        path.w[k] = spins ? between(&random, -1., 1.) : 0.;
      }
      if (distance(&w, path.x, n) > path.radius)
        compare(&w, &path, &e);
    }
    free(mesh);
  }
  verdict(&e, "mesh", spins ? "turning" : "straight");
}

/* |ρ + u t| = s with quad-precision bisection. */
static void test_spheres(void) {
  struct cairn_random random;
  double error = 0.;
  int missed = 0, invented = 0, hits = 0;
  cairn_random_init(&random, 16, 0, 0);
  for (int j = 0; j < SHAPES * PATHS; j++) {
    double rho[3], u[3], target[3];
    const double reach = between(&random, 0.1, 1.), most = between(&random, 0.5, 3.);
    cairn_random_direction(&random, rho);
    cairn_random_direction(&random, target);
    const double far = reach * (1. + pow(10., between(&random, -14., 1.)));
    const double miss = j % 2 ? 0.999 * reach * cairn_random_unit(&random) : reach * between(&random, 0., 2.);
    for (int k = 0; k < 3; k++) {
      rho[k] *= far;
      u[k] = (miss * target[k] - rho[k]) * between(&random, 0.9, 1.1);
    }
    const long double b = (long double)rho[0] * u[0] + (long double)rho[1] * u[1] + (long double)rho[2] * u[2];
    const long double a = (long double)u[0] * u[0] + (long double)u[1] * u[1] + (long double)u[2] * u[2];
    const long double c = (long double)rho[0] * rho[0] + (long double)rho[1] * rho[1] + (long double)rho[2] * rho[2] -
                          (long double)reach * reach;
    const long double disc = b * b - a * c, want = disc >= 0.L && b < 0.L ? c / (sqrtl(disc) - b) : INFINITY;
    const double t = cairn_impact_spheres(rho, u, reach, most), scale = reach / sqrt((double)a);
    const int is_sharp = disc > 1e-6L * b * b;
    hits += t < INFINITY;
    missed += is_sharp && want <= most * (1. - 1e-12) && t == INFINITY;
    invented += is_sharp && !(want <= most * (1. + 1e-12)) && t < INFINITY;
    if (is_sharp && t < INFINITY && want < INFINITY)
      error = worse(error, fabs((double)(t - (want > 0.L ? want : 0.L))) * sqrt((double)(disc / (b * b))) / scale);
  }
  cmp_ok(hits, ">", 1000, "spheres: some hit");
  cmp_ok(missed, "==", 0, "spheres: none is missed");
  cmp_ok(invented, "==", 0, "spheres: none is invented");
  tap_near(error, 0., 1e-12, 0., "spheres: times as in long double");
  const double apart[3] = {1., 0., 0.}, towards[3] = {-1., 0., 0.}, away[3] = {1., 0., 0.}, rest[3] = {0.};
  ok(cairn_impact_spheres(apart, towards, 1., 1.) == 0., "spheres: touching and approaching, at once");
  ok(cairn_impact_spheres(apart, towards, 1.5, 1.) == 0., "spheres: overlapping and approaching, at once");
  ok(cairn_impact_spheres(apart, away, 1.5, 1.) == INFINITY, "spheres: overlapping and separating, never");
  ok(cairn_impact_spheres(apart, rest, 1., 1.) == INFINITY, "spheres: in touch and at rest, never");
}

int main(void) {
  plan(NO_PLAN);
  test_spheres();
  for (int kind = 0; kind < N_KINDS; kind++) {
    test_shape(kind, 0);
    test_shape(kind, 1);
  }
  test_mesh(0);
  test_mesh(1);
  done_testing();
}
