/* The touches of a sphere with a mesh against geometry and against the test of all triangles. */
#include "tap/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/random.h"
#include "data/geometry/mesh_tree.h"
#include "kernels/common/vec3.h"
#include "kernels/shapes/mesh.h"

/* A mesh with the triangles it was made of, [n][9]. */
struct made {
  double *corner, *data;
  int64_t n;
};

static void add(struct made *m, const double *a, const double *b, const double *c) {
  m->corner = realloc(m->corner, (size_t)(m->n + 1) * 9 * sizeof *m->corner);
  if (!m->corner)
    BAIL_OUT("out of memory");
  memcpy(m->corner + 9 * m->n, a, 3 * sizeof *a);
  memcpy(m->corner + 9 * m->n + 3, b, 3 * sizeof *b);
  memcpy(m->corner + 9 * m->n + 6, c, 3 * sizeof *c);
  m->n++;
}

/* Tolerance as the reader sets it for a mesh of size 1. */
static const double TOLERANCE = 0x1p-23;

static void finish(struct made *m) {
  size_t n_doubles;
  if (cairn_mesh_tree_build(m->corner, m->n, TOLERANCE, &m->data, &n_doubles, NULL))
    BAIL_OUT("no tree");
}

static void drop(struct made *m) {
  free(m->corner);
  free(m->data);
  *m = (struct made){0};
}

static int free_contacts_at(const struct made *m, const double *x, double reach, struct cairn_nearest *touches) {
  return cairn_mesh_touches(m->data, x[0], x[1], x[2], reach, touches);
}

enum { GRID = 12 };

/* A square of 2 GRID² triangles over [0, 1]², its inner corners moved by up to `jitter` of their spacing and raised by
 * up to `rise`; diagonals run either way. */
static struct made make_sheet(double jitter, double rise, uint64_t seed) {
  static double p[GRID + 1][GRID + 1][3];
  struct made m = {0};
  struct cairn_random random;
  cairn_random_init(&random, seed, 0, 0);
  for (int i = 0; i <= GRID; i++)
    for (int j = 0; j <= GRID; j++) {
      const int inner = i > 0 && i < GRID && j > 0 && j < GRID;
      const double size = inner ? jitter : 0.;
      p[i][j][0] = (i + cairn_random_between(&random, -size, size)) / GRID;
      p[i][j][1] = (j + cairn_random_between(&random, -size, size)) / GRID;
      p[i][j][2] = rise > 0. ? cairn_random_between(&random, 0., rise) : 0.;
    }
  for (int i = 0; i < GRID; i++)
    for (int j = 0; j < GRID; j++) {
      const int turned = cairn_random_unit(&random) < 0.5;
      const double *a = p[i][j], *b = p[i + 1][j], *c = p[i + 1][j + 1], *d = p[i][j + 1];
      add(&m, a, b, turned ? d : c);
      add(&m, turned ? d : a, turned ? b : c, turned ? c : d);
    }
  finish(&m);
  return m;
}

/* Cube [0, 1]³ of 12 triangles. */
static struct made make_cube(void) {
  struct made m = {0};
  for (int axis = 0; axis < 3; axis++)
    for (int side = 0; side < 2; side++) {
      double p[4][3];
      for (int k = 0; k < 4; k++) {
        p[k][axis] = side;
        p[k][(axis + 1) % 3] = k == 1 || k == 2;
        p[k][(axis + 2) % 3] = k >= 2;
      }
      add(&m, p[0], p[1], p[2]);
      add(&m, p[0], p[2], p[3]);
    }
  finish(&m);
  return m;
}

/* Flat patches */

static double off_normal(struct cairn_nearest t, double side) {
  return sqrt(t.nx * t.nx + t.ny * t.ny + (t.nz - side) * (t.nz - side));
}

/* Points beside the corners and edges of the triangles, `beside` away in the plane. The sheet lies in z = 0, so its
 * normal is exact; the distance of a point straightened to the normal may be too long by half of 1e-14, the square of
 * the angle. */
static void test_flat(double beside) {
  struct made m = make_sheet(0.4, 0., 1);
  struct cairn_random random;
  cairn_random_init(&random, 2, 0, 0);
  int n_wrong = 0, n_tried = 0;
  double worst_normal = 0., worst_distance = 0.;
  for (int64_t i = 0; i < 9 * m.n; i += 3)
    for (int kind = 0; kind < 4; kind++) {
      static const double heights[] = {0.3, -0.04, 1e-3, -2.};
      const double *a = m.corner + i, *b = m.corner + 9 * (i / 9) + (i + 3) % 9;
      const double part = kind == 0 ? 0. : kind == 1 ? 0.5 : cairn_random_unit(&random);
      const double angle = cairn_random_between(&random, 0., 6.3), h = heights[(i / 3 + kind) % 4];
      const double x[3] = {a[0] + part * (b[0] - a[0]) + beside * cos(angle),
                           a[1] + part * (b[1] - a[1]) + beside * sin(angle), h};
      if (fmin(fmin(x[0], 1. - x[0]), fmin(x[1], 1. - x[1])) < 0.01)
        continue; /* the rim is an edge of its own */
      struct cairn_nearest t[CAIRN_MESH_TOUCHES];
      n_tried++;
      n_wrong += free_contacts_at(&m, x, 1.05 * fabs(h), t) != 1;
      worst_normal = fmax(worst_normal, off_normal(t[0], h > 0. ? -1. : 1.));
      worst_distance = fmax(worst_distance, fabs(t[0].distance / fabs(h) - 1.));
    }
  ok(n_tried > 1000 && n_wrong == 0, "flat sheet, %g beside edges and corners: one touch each", beside);
  tap_near(worst_normal, 0., 1e-15, 0., "flat sheet, %g beside edges and corners: its normal", beside);
  tap_near(worst_distance, 0., 1e-14, 0., "flat sheet, %g beside edges and corners: its distance", beside);
  drop(&m);
}

/* A square whose left half has more corners on the common edge than its right half. Two of three are thirds: they miss
 * the edge by rounding. */
static void test_unshared_corners(void) {
  struct made m = {0};
  double far_left[3] = {-1., 0.3, 0.}, right[3][3] = {{0., 0., 0.}, {1., 0.5, 0.}, {0.1, 1., 0.}}, p[4][3];
  add(&m, right[0], right[1], right[2]);
  for (int k = 0; k < 4; k++)
    for (int c = 0; c < 3; c++)
      p[k][c] = (double)(float)(right[0][c] + k / 3. * (right[2][c] - right[0][c]));
  for (int k = 0; k < 3; k++)
    add(&m, p[k + 1], far_left, p[k]);
  finish(&m);
  struct cairn_random random;
  cairn_random_init(&random, 3, 0, 0);
  int n_wrong = 0;
  for (int i = 0; i < 2000; i++) {
    const double v = cairn_random_between(&random, 0.4, 0.6),
                 x[3] = {0.1 * v + cairn_random_between(&random, -0.1, 0.1), v, 0.2};
    struct cairn_nearest t[CAIRN_MESH_TOUCHES];
    n_wrong += free_contacts_at(&m, x, 0.25, t) != 1 || off_normal(t[0], -1.) > 1e-15;
  }
  cmp_ok(n_wrong, "==", 0, "a flat patch whose triangles do not share their corners: one touch");
  drop(&m);
}

/* Cube */

/* From inside at the given distances from three walls, all within reach or none. */
static void test_inside_cube(void) {
  struct made m = make_cube();
  struct cairn_nearest t[CAIRN_MESH_TOUCHES];
  for (int n_walls = 0; n_walls <= 3; n_walls++)
    for (int side = 0; side < 2; side++) {
      const double d[3] = {n_walls > 0 ? 0.09 : 0.4, n_walls > 1 ? 0.08 : 0.45, n_walls > 2 ? 0.07 : 0.35};
      const double x[3] = {side ? 1. - d[0] : d[0], side ? 1. - d[1] : d[1], side ? 1. - d[2] : d[2]};
      const int n = free_contacts_at(&m, x, 0.1, t);
      double seen[3] = {0., 0., 0.};
      for (int k = 0; k < n; k++) {
        seen[0] += t[k].distance * t[k].nx;
        seen[1] += t[k].distance * t[k].ny;
        seen[2] += t[k].distance * t[k].nz;
      }
      double error = 0.;
      for (int k = 0; k < 3; k++)
        error = fmax(error, fabs(seen[k] - (k < n_walls ? (side ? d[k] : -d[k]) : 0.)));
      cmp_ok(n, "==", n_walls, "%d walls of a cube from inside", n_walls);
      tap_near(error, 0., 1e-15, 0., "each straight across"); /* the subtraction 1 - d */
    }
  const double middle[3] = {0.4, 0.5, 0.55}, wanted[] = {0.4, 0.45, 0.5, 0.5};
  cmp_ok(free_contacts_at(&m, middle, 2., t), "==", 4, "of six walls within reach the four nearest");
  double distance[4] = {t[0].distance, t[1].distance, t[2].distance, t[3].distance};
  for (int k = 0; k < 4; k++)
    for (int l = k + 1; l < 4; l++)
      if (distance[l] < distance[k]) {
        const double other = distance[k];
        distance[k] = distance[l];
        distance[l] = other;
      }
  for (int k = 0; k < 4; k++)
    tap_near(distance[k], wanted[k], 1e-15, 0., "number %d of them", k + 1);
  drop(&m);
}

/* From outside, beyond one to three walls: face, edge, corner. The nearest point is the clamped one. */
static void test_outside_cube(void) {
  struct made m = make_cube();
  struct cairn_random random;
  cairn_random_init(&random, 4, 0, 0);
  int n_wrong[4] = {0}, n_tried[4] = {0};
  double worst = 0.;
  for (int i = 0; i < 20000; i++) {
    double x[3], v[3], d = 0.;
    int beyond = 0;
    for (int k = 0; k < 3; k++) {
      x[k] = cairn_random_between(&random, -0.4, 1.4);
      v[k] = fmin(fmax(x[k], 0.), 1.) - x[k];
      d += v[k] * v[k];
      beyond += v[k] != 0.;
    }
    d = sqrt(d);
    if (beyond == 0)
      continue;
    struct cairn_nearest t[CAIRN_MESH_TOUCHES];
    n_tried[beyond]++;
    if (free_contacts_at(&m, x, 1.01 * d, t) != 1)
      n_wrong[beyond]++;
    const double error[3] = {t[0].distance * t[0].nx - v[0], t[0].distance * t[0].ny - v[1],
                             t[0].distance * t[0].nz - v[2]};
    for (int k = 0; k < 3; k++)
      worst = fmax(worst, fabs(error[k]));
  }
  for (int k = 1; k <= 3; k++)
    ok(n_tried[k] > 500 && n_wrong[k] == 0, "a %s of a cube from outside: one touch",
       k == 1   ? "face"
       : k == 2 ? "edge"
                : "corner");
  tap_near(worst, 0., 2e-15, 0., "in the nearest point"); /* a few roundings of lengths of 1 */
  drop(&m);
}

/* Who reaches through a plate still touches it once, on the near side. */
static void test_plate(void) {
  struct made m = {0};
  for (int k = 0; k < 2; k++) {
    const double z = -0.01 * k, p[4][3] = {{0, 0, z}, {1, 0, z}, {1, 1, z}, {0, 1, z}};
    add(&m, p[0], p[1], p[2]);
    add(&m, p[2], p[3], p[0]);
  }
  finish(&m);
  struct cairn_nearest t[CAIRN_MESH_TOUCHES];
  cmp_ok(free_contacts_at(&m, (double[]){0.4, 0.5, 0.1}, 0.2, t), "==", 1, "a thin plate touches once");
  tap_near(t[0].distance, 0.1, 0., 0., "with its upper side");
  cmp_ok(free_contacts_at(&m, (double[]){0.4, 0.5, -0.1}, 0.2, t), "==", 1, "also from below");
  tap_near(t[0].distance, 0.09, 1e-16, 0., "with its lower side");
  drop(&m);
}

/* On the surface, and where numbers end */
static void test_on_surface(void) {
  struct made m = make_sheet(0.4, 0., 5);
  struct cairn_nearest t[CAIRN_MESH_TOUCHES];
  int n_wrong = 0;
  for (int64_t i = 0; i < m.n; i += 2) /* triangles wound the other way: no side is the right one */
    for (int k = 0; k < 3; k++) {
      double *b = m.corner + 9 * i + 3 + k, other = b[0];
      b[0] = b[3];
      b[3] = other;
    }
  free(m.data);
  finish(&m);
  for (int64_t i = 0; i < 9 * m.n; i += 3) {
    static const double heights[] = {0., 1e-300, -1e-170, 1e-150, -1e-20};
    const double *a = m.corner + i, *b = m.corner + 9 * (i / 9) + (i + 3) % 9;
    const double part = (double)(i % 5) / 4.,
                 x[3] = {a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]), heights[i / 3 % 5]};
    if (fmin(fmin(x[0], 1. - x[0]), fmin(x[1], 1. - x[1])) < 0.01)
      continue;
    n_wrong += free_contacts_at(&m, x, 0.01, t) != 1 || !(t[0].distance <= 1e-16) || fabs(fabs(t[0].nz) - 1.) > 1e-15;
  }
  cmp_ok(n_wrong, "==", 0, "on the surface: one touch along the normal, whichever way triangles are wound");
  cmp_ok(free_contacts_at(&m, (double[]){0.5, 0.5, 0.1}, -1., t), "==", 0, "no touch within a negative reach");
  cmp_ok(free_contacts_at(&m, (double[]){0.5, 0.5, 0.1}, (double)NAN, t), "==", 0, "nor within none");
  cmp_ok(free_contacts_at(&m, (double[]){0.5, (double)NAN, 0.1}, 1., t), "==", 0, "nor with a point that is nowhere");
  cmp_ok(free_contacts_at(&m, (double[]){0.5, 0.5, 1e300}, INFINITY, t), "<=", 1, "at the end of numbers at most one");
  cmp_ok(free_contacts_at(&m, (double[]){0.5, 0.5, 7.}, INFINITY, t), "==", 1, "one within any reach");
  drop(&m);
}

/* All triangles */

/* Vector from x to the nearest point of a triangle: the foot on its plane if all edges see it on the inner side, else
 * the nearest of the nearest points of the edges. */
static void nearest_of(const double *t, const double *x, double *v) {
  double best = INFINITY, n[3], e[3][3], inside = 1.;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      e[i][k] = t[3 * ((i + 1) % 3) + k] - t[3 * i + k];
  for (int k = 0; k < 3; k++)
    n[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
  for (int i = 0; i < 3; i++) {
    double p[3], pe = 0., ee = 0., area = 0., d2 = 0., r[3];
    for (int k = 0; k < 3; k++)
      p[k] = t[3 * i + k] - x[k];
    for (int k = 0; k < 3; k++) {
      pe += p[k] * e[i][k];
      ee += e[i][k] * e[i][k];
      area += n[k] * (p[(k + 1) % 3] * e[i][(k + 2) % 3] - p[(k + 2) % 3] * e[i][(k + 1) % 3]);
    }
    const double part = fmin(fmax(-pe / ee, 0.), 1.);
    inside = area < 0. ? 0. : inside;
    for (int k = 0; k < 3; k++) {
      r[k] = p[k] + part * e[i][k];
      d2 += r[k] * r[k];
    }
    if (d2 < best) {
      best = d2;
      memcpy(v, r, sizeof r);
    }
  }
  double pn = 0., nn = 0.;
  for (int k = 0; k < 3; k++) {
    pn += (t[k] - x[k]) * n[k];
    nn += n[k] * n[k];
  }
  for (int k = 0; k < 3 && inside > 0.; k++)
    v[k] = pn / nn * n[k];
}

/* Local minima by the definition: no triangle that contains the point comes nearer. Containing is being within 1e-10,
 * coming nearer by 1e-12: both far from what the seeds below produce. Those of one direction counted once, nearest
 * first; as many as fit. */
static int brute_force(const struct made *m, const double *x, double reach, struct cairn_nearest *touches) {
  int n = 0;
  double last = -1.;
  while (n < CAIRN_MESH_TOUCHES) {
    struct cairn_nearest best = {.distance = INFINITY};
    for (int64_t i = 0; i < m->n; i++) {
      double v[3], p[3], w[3], d;
      nearest_of(m->corner + 9 * i, x, v);
      d = cairn_vec3_length(v);
      if (d > reach || d < last || d >= best.distance)
        continue;
      const struct cairn_nearest touch = {d, v[0] / d, v[1] / d, v[2] / d};
      int counts = 1;
      for (int k = 0; k < n && counts; k++)
        counts = touch.nx * touches[k].nx + touch.ny * touches[k].ny + touch.nz * touches[k].nz < 1. - 1e-8;
      for (int k = 0; k < 3; k++)
        p[k] = x[k] + v[k];
      for (int64_t j = 0; j < m->n && counts; j++) {
        nearest_of(m->corner + 9 * j, x, w);
        if (cairn_vec3_length(w) < d - 1e-12) {
          nearest_of(m->corner + 9 * j, p, w);
          counts = cairn_vec3_length(w) > 1e-10;
        }
      }
      if (counts)
        best = touch;
    }
    if (best.distance > reach)
      break;
    touches[n++] = best;
    last = best.distance;
  }
  return n;
}

static int by_distance(const void *a, const void *b) {
  const struct cairn_nearest *s = a, *t = b;
  return (s->distance > t->distance) - (s->distance < t->distance);
}

static void compare(struct made *m, double height, double reach, int n_points, const char *name) {
  struct cairn_random random;
  cairn_random_init(&random, 6, 0, 0);
  int n_wrong = 0, n_near_wrong = 0, n_of[CAIRN_MESH_TOUCHES + 1] = {0};
  for (int i = 0; i < n_points; i++) {
    struct cairn_nearest got[CAIRN_MESH_TOUCHES], want[CAIRN_MESH_TOUCHES];
    const double x[3] = {cairn_random_between(&random, -0.1, 1.1), cairn_random_between(&random, -0.1, 1.1),
                         cairn_random_between(&random, -height, height)};
    const int n = free_contacts_at(m, x, reach, got), n_want = brute_force(m, x, reach, want);
    qsort(got, (size_t)n, sizeof *got, by_distance);
    int same = n == n_want;
    /* lengths up to 1: rounding, and at edges the angle within which a direction is straightened */
    for (int k = 0; k < n && same; k++)
      same = fabs(got[k].distance - want[k].distance) < 1e-14 && fabs(got[k].nx - want[k].nx) < 1e-7 &&
             fabs(got[k].ny - want[k].ny) < 1e-7 && fabs(got[k].nz - want[k].nz) < 1e-7;
    n_wrong += !same;
    n_of[n_want]++;
    n_near_wrong += cairn_mesh_is_near(m->data, x[0], x[1], x[2], reach) != (n_want > 0);
  }
  cmp_ok(n_wrong, "==", 0, "%s: touches as from the test of all triangles", name);
  cmp_ok(n_near_wrong, "==", 0, "%s: near where there is a touch", name);
  note("0 to 4 touches: %d %d %d %d %d times", n_of[0], n_of[1], n_of[2], n_of[3], n_of[4]);
  drop(m);
}

static struct made make_soup(int n, double size) {
  struct made m = {0};
  struct cairn_random random;
  cairn_random_init(&random, 7, (uint64_t)n, 0);
  for (int i = 0; i < n; i++) {
    double p[9];
    for (int k = 0; k < 9; k++)
      p[k] = k < 3 ? cairn_random_unit(&random) : p[k % 3] + size * cairn_random_between(&random, -1., 1.);
    add(&m, p, p + 3, p + 6);
  }
  finish(&m);
  return m;
}

static void test_against_all_triangles(void) {
  struct made m = make_sheet(0.3, 0.03, 8);
  compare(&m, 0.1, 0.06, 400, "a rough sheet");
  m = make_sheet(0.3, 0.3, 9);
  compare(&m, 0.4, 0.15, 150, "a rugged sheet");
  m = make_sheet(0.3, 0.001, 10);
  compare(&m, 1., 0.8, 60, "a sheet of triangles much smaller than the sphere");
  m = make_soup(150, 0.2);
  compare(&m, 1., 0.12, 400, "loose triangles");
  m = make_soup(1, 0.5);
  compare(&m, 1., 0.5, 200, "one triangle");
  m = make_soup(5, 0.5);
  compare(&m, 1., 0.5, 200, "five triangles");
}

/* The first triangle with the touch. */
static int64_t owner_of(const struct made *m, const double *x, struct cairn_nearest touch) {
  struct cairn_shapes_foot foot;
  for (cairn_int i = 0; i < m->n; i++) {
    const struct cairn_nearest found = cairn_shapes_triangle(cairn_mesh_triangle(m->data, i), x[0], x[1], x[2], &foot);
    if (found.distance == touch.distance && cairn_mesh_is_same(found, touch, TOLERANCE))
      return i;
  }
  return -1;
}

/* In a cube, with three walls in reach and with six, of which far ones have to make room. */
static void test_order(void) {
  struct made m = make_cube();
  int n_wrong = 0;
  for (int i = 0; i < 16; i++) {
    const double d = i & 8 ? 0.4 : 0.07;
    const double x[3] = {i & 1 ? 1. - d : d, i & 2 ? 0.99 - d : d + 0.01, i & 4 ? 0.98 - d : d + 0.02};
    const double reach = i & 8 ? 1. : 0.1;
    struct cairn_nearest t[CAIRN_MESH_TOUCHES], again[CAIRN_MESH_TOUCHES];
    const int n = free_contacts_at(&m, x, reach, t), n_again = free_contacts_at(&m, x, reach, again);
    n_wrong += n != (i & 8 ? 4 : 3) || n_again != n || memcmp(t, again, (size_t)n * sizeof *t) != 0;
    for (int k = 0; k < n; k++)
      n_wrong += owner_of(&m, x, t[k]) <= (k > 0 ? owner_of(&m, x, t[k - 1]) : -1);
  }
  cmp_ok(n_wrong, "==", 0, "touches come in the order of triangles, the same each time");
  drop(&m);
}

int main(void) {
  plan(NO_PLAN);
  test_flat(0.);
  for (double beside = 1e-16; beside < 1e-5; beside *= 10.)
    test_flat(beside);
  test_flat(1e-3);
  test_unshared_corners();
  test_inside_cube();
  test_outside_cube();
  test_plate();
  test_on_surface();
  test_against_all_triangles();
  test_order();
  done_testing();
}
