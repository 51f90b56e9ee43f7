/* The nearest point of every shape against dense sampling of its surface, and the special cases in closed form
 * (Schwartz 2013, section 2.2; Richardson et al. 2011, section 2.2). */
#include <string.h>

#include "kernels/common/vec3.h"
#include "shape_sampler.h"
#include "tap/tap.h"

static const double EPS = 0x1p-52;

/* Is x far enough from where the nearest point jumps, the axis or the centre of a round shape? */
static int is_unique(const struct model *m, const double *x) {
  double w[3], t[3];
  for (int k = 0; k < 3; k++)
    w[k] = x[k] - m->o[k];
  cairn_vec3_cross(w, m->c, t);
  return !is_round(m->kind) || cairn_vec3_length(m->kind == CAIRN_SHAPE_SPHERE ? w : t) > 0.1;
}

/* Anywhere around, or near the surface down to the last digits. */
static void random_query(struct cairn_random *random, const struct model *m, double *x) {
  const int near = cairn_random_unit(random) < 0.3;
  const int is_infinite = m->kind == CAIRN_SHAPE_PLANE || m->kind == CAIRN_SHAPE_CYLINDER || m->l < 0.;
  const double size = near ? pow(10., -16. * cairn_random_unit(random)) : 3.;
  double base[3];
  if (near)
    surface_point(m, (int)(cairn_random_bits(random) % (uint64_t)N_CHARTS[m->kind]),
                  (m->kind == CAIRN_SHAPE_PLANE ? 0.1 : 1.) * between(random, -1., 1.),
                  (is_infinite ? 0.1 : 1.) * between(random, -1., 1.), base);
  else
    memcpy(base, m->o, sizeof base);
  for (int k = 0; k < 3; k++)
    x[k] = base[k] + size * between(random, -1., 1.);
}

static struct cairn_nearest nearest(const struct model *m, const double *x) {
  return cairn_shapes_nearest(m->shape, x[0], x[1], x[2]);
}

/* 1e5 points for each kind, a tenth in builds that are slow by themselves. */
#if defined __OPTIMIZE__ && !defined __SANITIZE_ADDRESS__
enum { SHAPES = 40, POINTS = 2500 };
#else
enum { SHAPES = 40, POINTS = 250 };
#endif

static void test_against_sampling(int kind) {
  static struct grid g;
  struct cairn_random random;
  double off = 0., above = 0., below = 0., place = 0., unit = 0.;
  cairn_random_init(&random, 1, (uint64_t)kind, 0);
  for (int i = 0; i < SHAPES; i++) {
    const struct model m = random_model(&random, kind, i);
    fill_grid(&g, &m);
    for (int j = 0; j < POINTS; j++) {
      double x[3], found[3], foot[3];
      random_query(&random, &m, x);
      const struct cairn_nearest r = nearest(&m, x);
      const double d = sampled(&m, &g, x, found), n[3] = {r.nx, r.ny, r.nz};
      for (int k = 0; k < 3; k++)
        foot[k] = x[k] + r.distance * n[k];
      off = worse(off, off_surface(&m, foot));
      above = worse(above, fabs(r.distance) - d);
      below = worse(below, d - fabs(r.distance));
      if (r.distance != 0.) /* on a ring, a line or a point there is no direction */
        unit = worse(unit, fabs(cairn_vec3_length(n) - 1.));
      if (is_unique(&m, x))
        place = worse(place, sqrt(square_distance(foot, found)));
    }
  }
  /* positions within 12 m: rounding of some 20 operations on them. The first two together leave no room: a point of the
   * surface that is no farther than any other one is the nearest. */
  tap_near(off, 0., 3e-14, 0., "%s: x + distance n lies on the surface", NAMES[kind]);
  tap_near(above, 0., 1e-14, 0., "%s: no point of the surface is nearer", NAMES[kind]);
  tap_near(below, 0., 1e-9, 0., "%s: some point of the surface is that near", NAMES[kind]);
  /* the sampler cannot tell places apart whose squared distances agree to rounding: √EPS, and some for the curvature */
  tap_near(place, 0., 1e-6, 0., "%s: and it is the one that sampling finds", NAMES[kind]);
  tap_near(unit, 0., 1e-14, 0., "%s: n is a unit vector", NAMES[kind]);
}

/* Turn by the axes q (rows), then shift. */
static void turned(const double q[3][3], const double *v, double *w) {
  for (int k = 0; k < 3; k++)
    w[k] = cairn_vec3_dot(q[k], v);
}

static void test_cd(int kind) {
  struct cairn_random random;
  double distance = 0., direction = 0.;
  cairn_random_init(&random, 2, (uint64_t)kind, 0);
  for (int i = 0; i < 2000; i++) {
    struct model m = random_model(&random, kind, i), moved = m;
    double q[3][3], x[3], y[3], shift[3], n[3];
    random_axes(&random, q[0], q[1], q[2]);
    for (int k = 0; k < 3; k++) {
      shift[k] = between(&random, -5., 5.);
      x[k] = m.o[k] + between(&random, -3., 3.);
    }
    turned(q, x, y);
    turned(q, m.o, moved.o);
    turned(q, m.c, moved.c);
    turned(q, m.e, moved.e);
    turned(q, m.f, moved.f);
    for (int k = 0; k < 3; k++) {
      y[k] += shift[k];
      moved.o[k] += shift[k];
    }
    fill_shape(&moved);
    const struct cairn_nearest before = nearest(&m, x), after = nearest(&moved, y);
    turned(q, (const double[]){before.nx, before.ny, before.nz}, n);
    distance = worse(distance, fabs(after.distance - before.distance));
    const double error = sqrt(square_distance(n, (const double[]){after.nx, after.ny, after.nz}));
    /* the direction is as sharp as the rounding of positions over the distance, or over that from the axis */
    if (is_unique(&m, x))
      direction = worse(direction, error * fmin(fabs(before.distance), 1.));
  }
  /* positions within 10 m, turned and shifted: tens of roundings */
  tap_near(distance, 0., 3e-14, 0., "%s: moved with the point the distance is the same", NAMES[kind]);
  tap_near(direction, 0., 3e-14, 0., "%s: and the direction turns along", NAMES[kind]);
}

/* Exact results: all numbers of these cases are small, up to the last bit or two of a root. */
static void check(const double *shape, double x, double y, double z, double d, double nx, double ny, double nz,
                  const char *what) {
  const struct cairn_nearest r = cairn_shapes_nearest(shape, x, y, z);
  const double error = worse(fabs(r.nx - nx), worse(fabs(r.ny - ny), fabs(r.nz - nz)));
  if (!ok(fabs(r.distance - d) <= 4. * EPS * fabs(d) && error <= 4. * EPS, "%s", what))
    diag("distance %.17g n (%.17g, %.17g, %.17g), not %.17g (%.17g, %.17g, %.17g)", r.distance, r.nx, r.ny, r.nz, d, nx,
         ny, nz);
}

static void test_plane_and_disk(void) {
  const double plane[] = {CAIRN_SHAPE_PLANE, 7, 8, 1, 0, 0, 1, 0, 0, 0};
  check(plane, -3, 5, 3, 2, 0, 0, -1, "plane: the height");
  check(plane, -3, 5, -3, -4, 0, 0, -1, "behind a plane the distance is negative and n still against the normal");
  check(plane, 0, 0, 1, 0, 0, 0, -1, "in the plane too");
  const double disk[] = {CAIRN_SHAPE_DISK, 0, 0, 0, 0, 0, 1, 6, 0, 0};
  check(disk, 1, 2, 3, 3, 0, 0, -1, "disk, case A: the face from above");
  check(disk, 1, 2, -3, 3, 0, 0, 1, "from below");
  check(disk, 0, 0, 3, 3, 0, 0, -1, "on the axis of a disk without hole");
  check(disk, 1, 2, 0, 0, 0, 0, -1, "on the disk n is against the normal");
  check(disk, 0, 0, 0, 0, 0, 0, -1, "in its middle");
  check(disk, 6, 0, 0, 0, 0, 0, -1, "on its rim");
  check(disk, 0, 9, 4, 5, 0, -0.6, -0.8, "case B: the rim");
  check(disk, 9, 0, 0, 3, -1, 0, 0, "beside the rim");
  const double hole[] = {CAIRN_SHAPE_DISK, 0, 0, 1, 0, 0, 1, 6, 3, 0};
  check(hole, 3, 3, 2, 1, 0, 0, -1, "disk with a hole: the face");
  check(hole, 0, 0, 1, 3, 0, 0, 0, "the middle of the hole: no force");
  check(hole, 0, 0, 5, 5, 0, 0, -1, "above the middle: a phantom point as far as the edge");
  check(hole, 0, 0, -3, 5, 0, 0, 1, "below it");
  check(hole, 1, 0, 1, 2, 1, 0, 0, "case C: the edge of the hole, inside");
  check(hole, 0, -1.5, 3, 2.5, 0, -0.6, -0.8, "and from above");
}

static void test_rectangle_and_triangle(void) {
  /* Schwartz 2013, table 2.1; a runs along x to 4, b along y to 2 */
  const double rectangle[] = {CAIRN_SHAPE_RECTANGLE, 1, 1, 1, 4, 0, 0, 0, 2, 0};
  check(rectangle, 2, 2, 4, 3, 0, 0, -1, "rectangle, case A: the face from above");
  check(rectangle, 2, 2, -2, 3, 0, 0, 1, "from below");
  check(rectangle, 2, 2, 1, 0, 0, 0, -1, "on the face");
  check(rectangle, 5, 3, 1, 0, 0, 0, -1, "on a corner");
  check(rectangle, -2, 2, 5, 5, 0.6, 0, -0.8, "case B: an edge");
  check(rectangle, 8, 2, -3, 5, -0.6, 0, 0.8, "case C");
  check(rectangle, 2, -2, 5, 5, 0, 0.6, -0.8, "case D");
  check(rectangle, 2, 6, 5, 5, 0, -0.6, -0.8, "case E");
  check(rectangle, -2, -3, 1, 5, 0.6, 0.8, 0, "case F: a corner");
  check(rectangle, -2, 7, 1, 5, 0.6, -0.8, 0, "case G");
  check(rectangle, 8, -3, 1, 5, -0.6, 0.8, 0, "case H");
  check(rectangle, 6, 5, 3, 3, -1. / 3., -2. / 3., -2. / 3., "case I");
  const double obtuse[] = {CAIRN_SHAPE_TRIANGLE, 0, 0, 0, 4, 0, 0, -3, 1, 0};
  /* p = -0.1 a - 0.05 b, which table 2.2 (case E) gives to the corner at 0.255 */
  check(obtuse, -0.25, -0.05, 0, sqrt(0.016), 0.04 / sqrt(0.016), 0.12 / sqrt(0.016), 0,
        "triangle: behind an obtuse corner the edge is nearest");
  const double right[] = {CAIRN_SHAPE_TRIANGLE, 0, 0, 0, 4, 0, 0, 0, 1, 0};
  /* the other end of the rectangle: case D would give its middle, at 2.06; the height of the triangle is 4/√17 */
  check(right, 4, 1, 0, 4. / sqrt(17.), -1. / sqrt(17.), -4. / sqrt(17.), 0, "and the third edge at a right angle");
  check(right, 1, 0.5, 2, 2, 0, 0, -1, "the face from above");
  check(right, 1, 0.5, -2, 2, 0, 0, 1, "from below");
  check(right, 1, 0.5, 0, 0, 0, 0, -1, "on the face");
  check(right, 0, 0, 0, 0, 0, 0, -1, "on a corner");
  check(right, 2, 0, 0, 0, 0, 0, -1, "on an edge");
}

static void test_cylinder_and_cone(void) {
  const double cylinder[] = {CAIRN_SHAPE_CYLINDER, 1, 0, 0, 0, 0, 1, 5, 0, 0};
  check(cylinder, 4, 4, 1e6, 0, 0.6, 0.8, 0, "on a cylinder n is radial");
  check(cylinder, 2.5, 2, -1e6, 2.5, 0.6, 0.8, 0, "inside, anywhere along it");
  check(cylinder, 7, 8, 0, 5, -0.6, -0.8, 0, "outside");
  check(cylinder, 1, 0, 17, 5, 0, 0, 0, "on its axis: no force");
  const double tube[] = {CAIRN_SHAPE_CONE, 0, 0, 0, 0, 0, 1, 3, 4, 3};
  check(tube, 1, 0, 1, 2, 1, 0, 0, "finite cylinder: the flank from inside");
  check(tube, 0, -4, -2, 1, 0, 1, 0, "from outside, at the height of the end");
  check(tube, 0, 6, 6, 5, 0, -0.6, -0.8, "an end from outside");
  check(tube, 0, 0, 1, 3, 0, 0, 0, "on the axis inside: no force");
  check(tube, 0, 0, 6, 5, 0, 0, -1, "on the axis beyond an end: a phantom point as far as the rim");
  check(tube, 0, 0, -6, 5, 0, 0, 1, "beyond the other");
  check(tube, 0, 3, 1, 0, 0, 1, 0, "on the flank n is radial");
  check(tube, 3, 0, 2, 0, 1, 0, 0, "on the rim too");
  /* slant 5; the flank's normal is (0.8, 0.6) */
  const double cone[] = {CAIRN_SHAPE_CONE, 0, 0, 0, 0, 0, 1, 3, 4, 0};
  check(cone, 1.9, 0, 0.3, 0.5, -0.8, 0, -0.6, "cone: the flank from outside");
  check(cone, 0, 1.1, -0.3, 0.5, 0, 0.8, 0.6, "from inside");
  check(cone, 1.5, 0, 0, 0, 1, 0, 0, "on the flank n is radial");
  check(cone, 0, 0, -2, 2.4, 0, 0, 1, "on the axis inside: pushed out of the wide end");
  check(cone, 0, 0, -6, 5, 0, 0, 1, "on the axis outside: the wide rim");
  check(cone, 0, 0, 3, 1, 0, 0, -1, "beyond the tip: the tip");
  check(cone, 0, 0, 2, 0, 0, 0, 0, "on the tip: no direction");
  check(cone, 0, 3, 6, 5, 0, -0.6, -0.8, "the tip from aside");
  check(cone, 0, 6, -6, 5, 0, -0.6, 0.8, "the wide rim");
  const double funnel[] = {CAIRN_SHAPE_CONE, 0, 0, 0, 0, 0, 1, 6, 4, 3};
  check(funnel, 0, 0, 6, 5, 0, 0, -1, "funnel: a phantom point at the narrow rim");
  check(funnel, 0, 0, -2, 4.8, 0, 0, 1, "and at the flank");
}

static void test_others(void) {
  const double sphere[] = {CAIRN_SHAPE_SPHERE, 1, 0, 0, 0, 0, 0, 6, 0, 0};
  check(sphere, 2, 2, 2, 3, 1. / 3., 2. / 3., 2. / 3., "sphere: from inside");
  check(sphere, 4, 6, 6, 3, -1. / 3., -2. / 3., -2. / 3., "from outside");
  check(sphere, 3, 4, 4, 0, 1. / 3., 2. / 3., 2. / 3., "on it n is radial");
  check(sphere, 1, 0, 0, 6, 0, 0, 0, "in its middle: no force");
  const double ring[] = {CAIRN_SHAPE_RING, 0, 0, 1, 0, 0, 1, 3, 0, 0};
  check(ring, 0, 6, 5, 5, 0, -0.6, -0.8, "ring: from aside");
  check(ring, 0, 0, 5, 5, 0, 0, -1, "on its axis: a phantom point as far as the ring");
  check(ring, 0, 0, -3, 5, 0, 0, 1, "on the other side");
  check(ring, 0, 0, 1, 3, 0, 0, 0, "in its middle: no force");
  check(ring, 3, 0, 1, 0, 0, 0, 0, "on it: no direction");
  const double line[] = {CAIRN_SHAPE_LINE, 0, 0, 0, 0, 0, 1, 0, 4, 0};
  check(line, 3, 4, 2, 5, -0.6, -0.8, 0, "line: from aside");
  check(line, 3, 0, 6, 5, -0.6, 0, -0.8, "its end");
  check(line, 0, 0, -6, 4, 0, 0, 1, "on its axis beyond the end");
  check(line, 0, 0, 1, 0, 0, 0, 0, "on it: no direction");
  const double endless[] = {CAIRN_SHAPE_LINE, 0, 0, 0, 0, 0, 1, 0, -1, 0};
  check(endless, 3, 4, 1e9, 5, -0.6, -0.8, 0, "infinite line: the same anywhere along it");
  check(endless, 0, 0, 1e9, 0, 0, 0, 0, "on it: no direction");
  const double point[] = {CAIRN_SHAPE_POINT, 1, 1, 1, 0, 0, 0, 0, 0, 0};
  check(point, 2, 3, 3, 3, -1. / 3., -2. / 3., -2. / 3., "point: straight to it");
  check(point, 1, 1, 1, 0, 0, 0, 0, "on it: no direction");
}

/* A cylinder without length is a ring, one without radius a line, one without either a point (Richardson et al. 2011,
 * section 2.2.4). */
static void test_degenerate(void) {
  struct cairn_random random;
  double worst = 0.;
  cairn_random_init(&random, 3, 0, 0);
  for (int i = 0; i < 3000; i++) {
    struct model m = random_model(&random, i % 3 == 0 ? CAIRN_SHAPE_RING : CAIRN_SHAPE_LINE, 1), cone = m;
    if (i % 3 == 2)
      m.kind = CAIRN_SHAPE_POINT;
    cone.kind = CAIRN_SHAPE_CONE;
    cone.l = i % 3 == 1 ? m.l : 0.;
    cone.r = cone.r2 = i % 3 == 0 ? m.r : 0.;
    fill_shape(&m);
    fill_shape(&cone);
    const double x[3] = {between(&random, -3., 3.), between(&random, -3., 3.), between(&random, -3., 3.)};
    const struct cairn_nearest a = nearest(&m, x), b = nearest(&cone, x);
    worst = worse(worst, fabs(a.distance - b.distance));
    worst = worse(worst, fabs(a.nx - b.nx) + fabs(a.ny - b.ny) + fabs(a.nz - b.nz));
  }
  /* distances of the order of 1, and of 0.01 at least: rounding of positions over the distance */
  tap_near(worst, 0., 1e-13, 0., "a finite cylinder without length or radius is a ring, a line or a point");
}

/* On a tilted axis rounding leaves a little of the radial direction, which must not count. */
static void test_tilted_axis(void) {
  static const int kinds[] = {CAIRN_SHAPE_DISK, CAIRN_SHAPE_CYLINDER, CAIRN_SHAPE_CONE, CAIRN_SHAPE_RING,
                              CAIRN_SHAPE_LINE};
  struct cairn_random random;
  double along = 0., zero = 0.;
  cairn_random_init(&random, 4, 0, 0);
  for (int i = 0; i < 5000; i++) {
    struct model m = random_model(&random, kinds[i % 5], 1 + i % 2);
    memset(m.o, 0, sizeof m.o);
    fill_shape(&m);
    const double h = between(&random, 2., 4.) * (i % 10 < 5 ? 1. : -1.); /* beyond the ends */
    const double x[3] = {h * m.c[0], h * m.c[1], h * m.c[2]};
    const struct cairn_nearest r = nearest(&m, x);
    const double side = h > 0. ? -1. : 1., n[3] = {r.nx, r.ny, r.nz};
    if (m.kind == CAIRN_SHAPE_CYLINDER)
      zero = worse(zero, cairn_vec3_length(n));
    else
      along = worse(along, sqrt(square_distance(n, (const double[]){side * m.c[0], side * m.c[1], side * m.c[2]})));
  }
  ok(zero == 0., "on the tilted axis of a cylinder there is no force");
  ok(along == 0., "on the tilted axis of the other shapes n is along it");
}

/* One digit above the surface, and far below any digit of the position. */
static void test_tiny_distance(void) {
  const double disk[] = {CAIRN_SHAPE_DISK, 0, 0, 0, 0, 0, 1, 6, 0, 0};
  const double rectangle[] = {CAIRN_SHAPE_RECTANGLE, 0, 0, 0, 4, 0, 0, 0, 4, 0};
  const double triangle[] = {CAIRN_SHAPE_TRIANGLE, 0, 0, 0, 4, 0, 0, 0, 4, 0};
  const double cylinder[] = {CAIRN_SHAPE_CYLINDER, 0, 0, 0, 0, 0, 1, 1, 0, 0};
  const double cone[] = {CAIRN_SHAPE_CONE, 0, 0, 0, 0, 0, 1, 3, 4, 0};
  for (double d = 1e-10; d > 1e-130; d *= 1e-30) {
    check(disk, 1, 1, d, d, 0, 0, -1, "a tiny height over a disk");
    check(rectangle, 1, 1, -d, d, 0, 0, 1, "below a rectangle");
    check(triangle, 1, 1, d, d, 0, 0, -1, "over a triangle");
  }
  check(cylinder, 1. + EPS, 0, 9, EPS, -1, 0, 0, "the last digit outside a cylinder");
  check(cylinder, 1. - EPS, 0, 9, EPS, 1, 0, 0, "and inside");
  check(cone, 1.5 + EPS, 0, 0, 0.8 * EPS, -0.8, 0, -0.6, "the last digit outside a cone: straight to the flank");
  check(cone, 1.5 - EPS, 0, 0, 0.8 * EPS, 0.8, 0, 0.6, "and inside");
}

static double test_place(int i) {
  static const double places[] = {0., 5e-324, 1e-200, 1e-140, 1e-60, 1e-17, 0.3, 1., 1e15, 1e100, 1e200, 1.7e308};
  enum { N = sizeof places / sizeof *places };
  return i < N ? places[i] : -places[i - N];
}

/* Anything finite in, only finite numbers and unit or zero vectors out. */
static void test_any_place(int kind) {
  enum { PLACES = 24 };
  static const double sizes[] = {1e-60, 1., 1e60};
  struct cairn_random random;
  int n_bad = 0;
  cairn_random_init(&random, 5, (uint64_t)kind, 0);
  for (int i = 0; i < 6; i++) {
    struct model m = random_model(&random, kind, i);
    const double size = sizes[i % 3];
    for (int k = 0; k < 3; k++) {
      m.o[k] *= i < 3 ? 0. : size;
      m.e[k] *= size;
      m.f[k] *= size;
    }
    m.r *= size;
    m.l *= size;
    m.r2 *= size;
    fill_shape(&m);
    for (int p = 0; p < PLACES * PLACES * PLACES; p++) {
      const double x[3] = {test_place(p % PLACES), test_place(p / PLACES % PLACES), test_place(p / PLACES / PLACES)};
      const struct cairn_nearest r = nearest(&m, x);
      const double unit = r.nx * r.nx + r.ny * r.ny + r.nz * r.nz;
      const int is_bad = !(fabs(r.distance) <= 1e101) || !(unit == 0. || fabs(unit - 1.) < 1e-14);
      if (is_bad && !n_bad++)
        diag("size %g: from (%g, %g, %g) distance %g n (%g, %g, %g)", size, x[0], x[1], x[2], r.distance, r.nx, r.ny,
             r.nz);
    }
  }
  ok(n_bad == 0, "%s: finite from any finite place, at sizes from 1e-60 to 1e60 m", NAMES[kind]);
}

/* What the feature says about u, v. */
static int is_on_feature(const struct cairn_shapes_foot *foot) {
  const double u = foot->u, v = foot->v, w = 1. - u - v, part[3] = {w, u, v};
  for (int k = 0; k < 3; k++) {
    if (foot->feature == CAIRN_SHAPES_CORNER + k)
      return part[k] == 1.;
    if (foot->feature == CAIRN_SHAPES_EDGE + k)
      return fabs(part[(k + 2) % 3]) <= EPS && part[k] >= 0. && part[(k + 1) % 3] >= 0.;
  }
  return foot->feature == CAIRN_SHAPES_FACE && u >= 0. && v >= 0. && w >= -4. * EPS;
}

/* q is the point of a triangle nearest to x if and only if x - q leads away from every corner: a step towards a corner
 * with (x - q)·(corner - q) > 0 would come nearer. Returns the largest of these products. */
static double gain(const double *corners, const double *x, const double *q) {
  double most = -INFINITY;
  const double d[3] = {x[0] - q[0], x[1] - q[1], x[2] - q[2]};
  for (int i = 0; i < 3; i++) {
    const double c[3] = {corners[3 * i] - q[0], corners[3 * i + 1] - q[1], corners[3 * i + 2] - q[2]};
    most = worse(most, cairn_vec3_dot(d, c));
  }
  return most;
}

static void point_of(const double *corners, double u, double v, double *q) {
  for (int k = 0; k < 3; k++)
    q[k] = corners[k] + u * (corners[3 + k] - corners[k]) + v * (corners[6 + k] - corners[k]);
}

static void test_triangles(void) {
  struct cairn_random random;
  int n_wrong = 0, n_features[7] = {0};
  double off = 0., best = 0.;
  cairn_random_init(&random, 6, 0, 0);
  for (int i = 0; i < 100000; i++) {
    const struct model m = random_model(&random, CAIRN_SHAPE_TRIANGLE, 0);
    double corners[9], x[3], q[3];
    struct cairn_shapes_foot foot;
    for (int k = 0; k < 3; k++) {
      corners[k] = m.o[k];
      corners[3 + k] = m.o[k] + m.e[k];
      corners[6 + k] = m.o[k] + m.f[k];
    }
    const double size = pow(10., between(&random, -9., 0.5)), u = cairn_random_unit(&random);
    point_of(corners, u, between(&random, 0., 1. - u), x);
    for (int k = 0; k < 3; k++)
      x[k] += size * between(&random, -1., 1.);
    const struct cairn_nearest r = cairn_shapes_triangle(corners, x[0], x[1], x[2], &foot);
    const double end[3] = {x[0] + r.distance * r.nx, x[1] + r.distance * r.ny, x[2] + r.distance * r.nz};
    point_of(corners, foot.u, foot.v, q);
    n_features[foot.feature]++;
    n_wrong += !is_on_feature(&foot);
    off = worse(off, sqrt(square_distance(end, q)));
    best = worse(best, gain(corners, x, q));
  }
  ok(n_wrong == 0, "u and v agree with the feature");
  for (int k = 0; k < 7; k++)
    cmp_ok(n_features[k], ">", 100, "feature %d occurs", k);
  /* positions within 8 m, angles above 0.1: tens of roundings */
  tap_near(off, 0., 3e-14, 0., "x + distance n is the foot that u and v tell");
  tap_near(best, 0., 1e-13, 0., "no step from it towards a corner comes nearer");
}

/* Triangles as thin as 1e-7 of their length, with a short edge or an angle of nearly 180°, the corners in any order:
 * the distances of points built over the face and beside the long edge are known. */
static void test_needles(void) {
  struct cairn_random random;
  double distance = 0., direction = 0.;
  int n_wrong = 0;
  cairn_random_init(&random, 7, 0, 0);
  for (int i = 0; i < 100000; i++) {
    double a[3], b[3], c[3], o[3], corners[9], face[3], edge[3], tilt[3];
    struct cairn_shapes_foot foot;
    const double thin = pow(10., between(&random, -7., 0.)), where = i % 2 ? 1. : between(&random, 0., 1.);
    const int first = i % 3, next = (first + 1) % 3, last = (first + 2) % 3;
    random_axes(&random, a, b, c);
    cairn_random_direction(&random, o);
    const double h = pow(10., between(&random, -9., 0.)) * (i % 4 < 2 ? 1. : -1.), along = between(&random, 0.1, 1.9);
    for (int k = 0; k < 3; k++) {
      corners[3 * first + k] = o[k];
      corners[3 * next + k] = o[k] + 2. * a[k];
      corners[3 * last + k] = o[k] + 2. * where * a[k] + thin * b[k];
      edge[k] = o[k] + along * a[k] - 0.6 * fabs(h) * b[k] + 0.8 * h * c[k];
    }
    point_of(corners, between(&random, 0.1, 0.4), between(&random, 0.1, 0.4), face);
    for (int k = 0; k < 3; k++)
      face[k] += h * c[k];
    const struct cairn_nearest r = cairn_shapes_triangle(corners, face[0], face[1], face[2], &foot);
    n_wrong += foot.feature != CAIRN_SHAPES_FACE;
    distance = worse(distance, fabs(r.distance - fabs(h)));
    cairn_vec3_cross((const double[]){r.nx, r.ny, r.nz}, c, tilt);
    direction = worse(direction, thin * cairn_vec3_length(tilt));
    const struct cairn_nearest e = cairn_shapes_triangle(corners, edge[0], edge[1], edge[2], &foot);
    n_wrong += foot.feature != CAIRN_SHAPES_EDGE + first;
    distance = worse(distance, fabs(e.distance - fabs(h)));
  }
  ok(n_wrong == 0, "needles: face and long edge are told apart");
  /* corners within 3 m are rounded to 4e-16 m, which the plane of a needle tilts by that over its width */
  tap_near(distance, 0., 1e-14, 0., "needles: the distance is as sharp as that of any triangle");
  tap_near(direction, 0., 3e-15, 0., "needles: the normal as sharp as the corners allow");
}

/* Three corners on a line, or in one place, are what is left of them: a segment, or a point. */
static void test_flat_triangles(void) {
  struct cairn_random random;
  double worst = 0.;
  cairn_random_init(&random, 8, 0, 0);
  for (int i = 0; i < 3000; i++) {
    static const double parts[][2] = {{1., 2.}, {2., 1.}, {-1., 1.}, {0., 2.}, {2., 0.}, {2., 2.}, {0., 0.}};
    /* odd numbers, so that rounding leaves a face that is none */
    const double p[2] = {parts[i % 7][0] * between(&random, 0.5, 1.5), parts[i % 7][1] * between(&random, 0.5, 1.5)};
    struct model line = random_model(&random, CAIRN_SHAPE_LINE, 1), flat = line;
    const double low = fmin(0., fmin(p[0], p[1])), high = fmax(0., fmax(p[0], p[1]));
    flat.kind = CAIRN_SHAPE_TRIANGLE;
    line.l = high - low;
    for (int k = 0; k < 3; k++) {
      flat.e[k] = p[0] * line.c[k];
      flat.f[k] = p[1] * line.c[k];
      line.o[k] += 0.5 * (low + high) * line.c[k];
    }
    fill_shape(&line);
    fill_shape(&flat);
    const double x[3] = {between(&random, -3., 3.), between(&random, -3., 3.), between(&random, -3., 3.)};
    worst = worse(worst, fabs(nearest(&line, x).distance - nearest(&flat, x).distance));
  }
  tap_near(worst, 0., 1e-14, 0., "a triangle without a face is a line or a point");
}

int main(void) {
  plan(NO_PLAN);
  test_plane_and_disk();
  test_rectangle_and_triangle();
  test_cylinder_and_cone();
  test_others();
  test_degenerate();
  test_tilted_axis();
  test_tiny_distance();
  test_triangles();
  test_needles();
  test_flat_triangles();
  for (int kind = 0; kind < N_KINDS; kind++) {
    test_against_sampling(kind);
    test_cd(kind);
    test_any_place(kind);
  }
  done_testing();
}
