/* What is drawn of a wall lies on the wall, reaches its ends and goes with it. */
#include "data/geometry/wall_outline.h"
#include "tap/tap.h"

#include <math.h>
#include <string.h>

/* Lengths here are of the order of 10 m; a few roundings of sines, roots and sums stay well below this. m */
static const double tolerance = 1e-13;

static const double box[2][3] = {{-1, -2, -2}, {3, 2, 2}}; /* its diagonal is 6.93 m, its middle (1, 0, 0) */
static const double diagonal = 6.928203230275509;

/* Where the wall stands: turned by a quarter about z, x becomes y and y becomes -x. */
static const struct cairn_wall_sample turned = {.position = {10, 20, 30},
                                                .orientation = {0, 0, 0.7071067811865476, 0.7071067811865476}};
static const struct cairn_wall_sample at_rest = {.orientation = {0, 0, 0, 1}};

struct extent {
  int n_points;
  double lower[3], upper[3]; /* m */
  double largest;            /* of the deviations from the surface, m */
};

/* How far a point is from the surface that the shape says; ends are not looked at. */
static double deviation(const double *shape, const double p[3]) {
  const double *o = shape + 1, *n = shape + 4, *last = shape + 7;
  const double d[3] = {p[0] - o[0], p[1] - o[1], p[2] - o[2]};
  const double along = d[0] * n[0] + d[1] * n[1] + d[2] * n[2], far2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  const double side = sqrt(fmax(0., far2 - along * along));
  switch ((int)shape[0]) {
  case CAIRN_SHAPE_PLANE:
    return fabs(along);
  case CAIRN_SHAPE_DISK:
    return fmax(fabs(along), fmin(fabs(side - last[0]), fabs(side - last[1])));
  case CAIRN_SHAPE_CYLINDER:
    return fabs(side - last[0]);
  case CAIRN_SHAPE_CONE: /* the radius falls from R to R2 over the length */
    return fabs(side - (last[0] + (last[2] - last[0]) * (along / last[1] + 0.5)));
  case CAIRN_SHAPE_SPHERE:
    return fabs(sqrt(far2) - last[0]);
  case CAIRN_SHAPE_RING:
    return fmax(fabs(along), fabs(side - last[0]));
  case CAIRN_SHAPE_LINE:
    return side;
  default:
    return sqrt(far2);
  }
}

static struct extent measure(const double *shape, const struct cairn_wall_sample *wall) {
  struct extent extent = {0, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};
  int n[2];
  if (!cairn_wall_outline_cells(shape, n))
    return extent;
  for (int j = 0; j <= n[1]; j++)
    for (int i = 0; i <= n[0]; i++) {
      double p[3];
      cairn_wall_outline_point(shape, wall, box, i, j, p);
      for (int k = 0; k < 3; k++) {
        extent.lower[k] = fmin(extent.lower[k], p[k]);
        extent.upper[k] = fmax(extent.upper[k], p[k]);
      }
      extent.largest = fmax(extent.largest, deviation(shape, p));
      extent.n_points++;
    }
  return extent;
}

/* A full turn has 64 segments: its ends reach out to the radius in four directions. */
static void test_surfaces(void) {
  static const struct {
    const char *name;
    double shape[CAIRN_SHAPE_DOUBLES];
    int n_points;
    double lower[3], upper[3]; /* m */
  } cases[] = {
      {"disk", {CAIRN_SHAPE_DISK, 1, 2, 3, 0, 0, 1, 2, 0.5}, 130, {-1, 0, 3}, {3, 4, 3}},
      {"cone", {CAIRN_SHAPE_CONE, 0, 0, 1, 1, 0, 0, 3, 4, 1}, 130, {-2, -3, -2}, {2, 3, 4}},
      {"sphere", {CAIRN_SHAPE_SPHERE, 0, 1, 0, 0, 0, 0, 2}, 65 * 33, {-2, -1, -2}, {2, 3, 2}},
      {"ring", {CAIRN_SHAPE_RING, 0, 0, 0, 0, 1, 0, 5}, 65, {-5, 0, -5}, {5, 0, 5}},
      {"line", {CAIRN_SHAPE_LINE, 0, 0, 2, 0, 0, 1, 0, 6}, 2, {0, 0, -1}, {0, 0, 5}},
      {"point", {CAIRN_SHAPE_POINT, 1, 2, 3}, 1, {1, 2, 3}, {1, 2, 3}},
      /* What has no end is as long as the diagonal of the box, about the place nearest to its middle. */
      {"plane",
       {CAIRN_SHAPE_PLANE, 5, 5, -2, 0, 0, 1},
       4,
       {-2.4641016151377544, -3.4641016151377544, -2},
       {4.464101615137755, 3.4641016151377544, -2}},
      {"cylinder",
       {CAIRN_SHAPE_CYLINDER, 50, 1, 1, 1, 0, 0, 2},
       130,
       {-2.4641016151377544, -1, -1},
       {4.464101615137755, 3, 3}},
      {"endless line",
       {CAIRN_SHAPE_LINE, 50, 1, 1, 1, 0, 0, 0, -1},
       2,
       {-2.4641016151377544, 1, 1},
       {4.464101615137755, 1, 1}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct extent got = measure(cases[i].shape, &at_rest);
    cmp_ok(got.n_points, "==", cases[i].n_points, "%s: points", cases[i].name);
    tap_near(got.largest, 0., tolerance, 0., "%s: all of them on it", cases[i].name);
    for (int k = 0; k < 3; k++) {
      tap_near(got.lower[k], cases[i].lower[k], tolerance, 0., "%s: lower end along %c", cases[i].name, "xyz"[k]);
      tap_near(got.upper[k], cases[i].upper[k], tolerance, 0., "%s: upper end along %c", cases[i].name, "xyz"[k]);
    }
  }
}

static void is_point(const double *shape, const struct cairn_wall_sample *wall, int i, int j, const double want[3]) {
  double p[3];
  cairn_wall_outline_point(shape, wall, box, i, j, p);
  double off = fmax(fabs(p[0] - want[0]), fmax(fabs(p[1] - want[1]), fabs(p[2] - want[2])));
  tap_near(off, 0., tolerance, 0., "corner (%d, %d) at (%g, %g, %g)", i, j, want[0], want[1], want[2]);
}

/* Corners by hand: o + i a + j b, turned and shifted. */
static void test_corners(void) {
  const double rectangle[CAIRN_SHAPE_DOUBLES] = {CAIRN_SHAPE_RECTANGLE, 1, 0, 0, 2, 0, 0, 0, 0, 3};
  const double triangle[CAIRN_SHAPE_DOUBLES] = {CAIRN_SHAPE_TRIANGLE, 1, 0, 0, 2, 0, 0, 0, 3, 0};
  is_point(rectangle, &turned, 0, 0, (double[]){10, 21, 30});
  is_point(rectangle, &turned, 1, 0, (double[]){10, 23, 30});
  is_point(rectangle, &turned, 1, 1, (double[]){10, 23, 33});
  is_point(rectangle, &turned, 0, 1, (double[]){10, 21, 33});
  is_point(triangle, &turned, 1, 0, (double[]){10, 23, 30});
  is_point(triangle, &turned, 1, 1, (double[]){7, 21, 30});
  is_point(triangle, &turned, 0, 1, (double[]){7, 21, 30});
}

/* A plane far away and turned is still drawn where the box is: through (10, 20, 30) with the normal y after turning. */
static void test_turned_plane(void) {
  const double plane[CAIRN_SHAPE_DOUBLES] = {CAIRN_SHAPE_PLANE, 0, 0, 0, 1, 0, 0};
  struct extent got = measure(plane, &turned);
  tap_near(got.lower[1], 20., tolerance, 0., "a turned plane stays in its place");
  tap_near(got.upper[1], 20., tolerance, 0., "and is flat");
  tap_near(0.5 * (got.lower[0] + got.upper[0]), 1., tolerance, 0.,
           "its square is about the middle of the box, along x");
  tap_near(0.5 * (got.lower[2] + got.upper[2]), 0., tolerance, 0., "and along z");
  double a[3], b[3], side = 0.;
  cairn_wall_outline_point(plane, &turned, box, 0, 0, a);
  cairn_wall_outline_point(plane, &turned, box, 1, 0, b);
  for (int k = 0; k < 3; k++)
    side += (a[k] - b[k]) * (a[k] - b[k]);
  tap_near(sqrt(side), diagonal, tolerance, 0., "with sides as long as its diagonal");
}

int main(void) {
  plan(NO_PLAN);
  test_surfaces();
  test_corners();
  test_turned_plane();
  int n[2];
  ok(!cairn_wall_outline_cells((double[CAIRN_SHAPE_DOUBLES]){CAIRN_SHAPE_MESH, 100}, n), "a mesh is not drawn");
  done_testing();
}
