/* Groups of bodies: parts of a grid, dense packings, and the motion of a group as a whole. */
#include "bodies_sample.h"
#include "data/files/trajectory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

static double distance(const double *a, const double *b) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* Least distance of two surfaces among the bodies first … n - 1, as part of the larger radius. */
static double least_gap(const struct cairn_state *b, int64_t first, int64_t n) {
  double least = INFINITY;
  for (int64_t i = first; i < n; i++)
    for (int64_t j = first; j < i; j++) {
      double gap = distance(b->position + 3 * i, b->position + 3 * j) - b->radius[i] - b->radius[j];
      least = fmin(least, gap / fmax(b->radius[i], b->radius[j]));
    }
  return least;
}

/* How many whole numbers i, j, k have i² + j² + k² ≤ 10² is known: 4169. In the disk i² + j² ≤ 5² there are 81. */
static void test_grids(void) {
  struct cairn_scenario *s =
      make_good("bodies:\n"
                "  - lattice: {origin: [5, 6, 7], in: {sphere: {center: [5, 6, 7], radius: 20}}, spacing: 2, "
                "radius: {uniform: [0.5, 1]}, material: rock}\n"
                "  - lattice: {origin: [100.05, 0, 0], in: {box: {lower: [100, 0, -0.3], upper: [100.3, 0.3, 0.3]}}, "
                "spacing: 0.1, radius: 0.05, material: rock}\n"
                "  - lattice: {origin: [200, 0, 0], in: {cylinder: {base: [210, 0, 0], axis: [-1, 0, 0], radius: 5, "
                "height: 3}}, spacing: 1, radius: 0.4, material: rock, jitter: 0.1}\n",
                "grids in a sphere, a box and a cylinder");
  const struct cairn_state *b = &s->initial;
  cmp_ok(b->n, "==", 4169 + 3 * 4 * 7 + 4 * 81, "a body at every point of the grid in the regions");
  int inside = 1, on_grid = 1, ordered = 1;
  for (int64_t i = 0; i < 4169; i++) {
    const double *x = b->position + 3 * i, center[3] = {5, 6, 7};
    inside &= distance(x, center) <= 20;
    for (int k = 0; k < 3; k++)
      on_grid &= fabs(remainder(x[k] - center[k], 2)) < 1e-12;
    ordered &= i == 0 || x[2] > x[-1] || (x[2] == x[-1] && (x[1] > x[-2] || (x[1] == x[-2] && x[0] > x[-3])));
  }
  ok(inside && on_grid, "the sphere holds points of the grid only");
  ok(ordered, "x runs fastest, then y, then z: each point once");
  cairn_scenario_free(s);
  refused("bodies: [{lattice: {spacing: 1, radius: 0.1, material: rock}}]\n",
          "^s.yaml:4:[0-9]+: bodies.0.lattice: needs either the key counts or the key in", "a grid without an end");
  refused(
      "bodies: [{lattice: {counts: [1, 1, 1], in: {sphere: {radius: 1}}, spacing: 1, radius: 0.1, material: rock}}]\n",
      "needs either the key counts or the key in", "counts and a region");
  refused("bodies: [{lattice: {in: {sphere: {center: [0.5, 0, 0], radius: 0.4}}, spacing: 1, radius: 0.1, "
          "material: rock}}]\n",
          "bodies.0.lattice.in: no point of the grid is in the region", "a region between the points");
  refused("bodies: [{lattice: {in: {sphere: {radius: 1e4}}, spacing: 1, radius: 0.1, material: rock}}]\n",
          "bodies.0.lattice.in: found 8.*e\\+12 points of the grid around the region in all; allowed: at most",
          "too many");
  refused("bodies: [{lattice: {in: {sphere: {radius: 1}}, spacing: 0, radius: 0.1, material: rock}}]\n",
          "spacing: found 0; allowed: .*> 0", "no mesh");
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The start of the accretion of Sánchez et al. (2021): diameters of 7.5 m to 10 m, the same volume in every interval of
 * diameter, on a grid of 10 m. */
static void test_accretion_start(void) {
  struct cairn_scenario *s = make_good("bodies: [{lattice: {counts: [30, 30, 30], spacing: 10, material: rock, "
                                       "radius: {power_law: {exponent: 3, min: 3.75, max: 5}}}}]\n",
                                       "27 000 boulders on a grid");
  const struct cairn_state *b = &s->initial;
  const double low = 3.75, high = 5, edge = distance(b->position, b->position + 3 * 29);
  cmp_ok(b->n, "==", 27000, "their number");
  tap_near(edge, 290, 1e-12, 0, "the length of a row");
  /* N(<r) of dN/dr ∝ r^-3. The distance of Kolmogorov and Smirnov exceeds 1.95/√n once in a thousand samples. */
  double *r = malloc((size_t)b->n * sizeof *r), n = (double)b->n, farthest = 0, total = 0, below = 0;
  memcpy(r, b->radius, (size_t)b->n * sizeof *r);
  qsort(r, (size_t)b->n, sizeof *r, ascending);
  for (int64_t i = 0; i < b->n; i++) {
    double want = (1 / (low * low) - 1 / (r[i] * r[i])) / (1 / (low * low) - 1 / (high * high));
    farthest = fmax(farthest, fmax(want - (double)i / n, (double)(i + 1) / n - want));
    total += r[i] * r[i] * r[i];
  }
  ok(farthest < 1.95 / sqrt(n), "the radii follow the law: distance %g, allowed %g", farthest, 1.95 / sqrt(n));
  /* Shares of volume: the deviation of one is at most about 0.55/√n, five of them are allowed. */
  int64_t i = 0;
  for (int mark = 1; mark < 10; mark++) {
    for (; r[i] < low + 0.1 * mark * (high - low); i++)
      below += r[i] * r[i] * r[i];
    tap_near(below / total, 0.1 * mark, 2.75 / sqrt(n), 0, "part of the volume up to 0.%d of the range of sizes", mark);
  }
  free(r);
  cairn_scenario_free(s);
}

#define SPHERE "in: {sphere: {center: [10, 20, 30], radius: 7}}, material: rock"

static void test_packing(void) {
  struct cairn_scenario *s =
      make_good("bodies:\n  - packing: {" SPHERE ", fraction: 0.57, radius: {uniform: [0.4, 0.6]}}\n"
                "  - packing: {in: {box: {lower: [20, 0, 0], upper: [28, 6, 5]}}, material: rock, fraction: 0.55, "
                "radius: 0.5}\n"
                "  - packing: {in: {cylinder: {base: [40, 0, 0], axis: [0, 3, 4], radius: 3, height: 8}}, "
                "material: rock, fraction: 0.52, radius: 0.5}\n"
                "  - packing: {in: {sphere: {center: [60, 0, 0], radius: 2}}, material: rock, fraction: 0.6, "
                "radius: {power_law: {exponent: 3, min: 0.05, max: 1}}}\n",
                "packings in a sphere, a box, a cylinder, and of sizes 1:20");
  const struct cairn_state *b = &s->initial;
  const double center[3] = {10, 20, 30}, volume = 4. / 3 * pi * 343;
  double filled = 0, core = 0, outside = 0;
  int64_t n = 0;
  for (; b->position[3 * n] < 18; n++) {
    double out = distance(b->position + 3 * n, center), v = 4. / 3 * pi * pow(b->radius[n], 3);
    filled += v;
    core += out < 3.5 ? v : 0;
    outside = fmax(outside, out + b->radius[n] - 7);
  }
  tap_near(filled / volume, 0.57, 4. / 3 * pi * 0.216 / volume / 2, 0, "as full as asked, to half a body");
  /* About 190 bodies lie in the core. Were they not in each other's way, their volume would vary by 0.08 of itself; the
   * border, where fewer fit, adds a little. */
  tap_near(core / (volume / 8), 0.57, 0.06, 0, "as full in the middle");
  ok(outside < 1e-9, "whole bodies in the sphere: %g m", outside);
  cmp_ok(lround(0.55 * 240 / (pi / 6)), "==", 252, "252 bodies of 1 m fill 0.55 of the box");
  int inside = 1;
  int64_t boxed = 0, i = n;
  for (; b->position[3 * i] < 30; i++, boxed++) {
    const double *x = b->position + 3 * i, e = 1e-9;
    inside &=
        x[0] > 20.5 - e && x[0] < 27.5 + e && x[1] > 0.5 - e && x[1] < 5.5 + e && x[2] > 0.5 - e && x[2] < 4.5 + e;
  }
  cmp_ok(boxed, "==", 252, "and are there");
  ok(inside, "whole bodies in the box");
  inside = 1;
  for (; b->position[3 * i] < 50; i++) {
    const double *x = b->position + 3 * i, along = 0.6 * x[1] + 0.8 * x[2];
    double across = hypot(x[0] - 40, hypot(x[1] - 0.6 * along, x[2] - 0.8 * along));
    inside &= along > 0.5 - 1e-9 && along < 7.5 + 1e-9 && across < 2.5 + 1e-9;
  }
  ok(inside, "whole bodies in the cylinder");
  double gap = least_gap(b, 0, b->n);
  ok(gap > -1e-12, "no two of all %lld overlap: %g", (long long)b->n, gap);
  cairn_scenario_free(s);
}

static void test_packing_seeds(void) {
#define SMALL "bodies: [{packing: {" SPHERE ", fraction: 0.5, radius: 0.8}}]\n"
  char digest[3][40];
  static const char *const text[] = {SMALL, "seed: 1\n" SMALL, "seed: 2\n" SMALL};
  for (int i = 0; i < 3; i++) {
    struct cairn_scenario *s = make_good(text[i], "a packing of equal bodies");
    cairn_state_digest(&s->initial, digest[i]);
    cairn_scenario_free(s);
  }
  is(digest[0], digest[1], "the same seed gives the same packing");
  isnt(digest[0], digest[2], "another seed gives another");
}

/* How many bodies of a state have at least n others, or the border of a sphere about the origin, within `gap`. */
static int64_t count_bearing(const struct cairn_state *b, double border, double gap, int n) {
  static const double origin[3];
  int64_t bearing = 0;
  for (int64_t i = 0; i < b->n; i++) {
    int touching = border - distance(b->position + 3 * i, origin) - b->radius[i] < gap;
    for (int64_t j = 0; j < b->n; j++)
      touching += j != i && distance(b->position + 3 * i, b->position + 3 * j) - b->radius[i] - b->radius[j] < gap;
    bearing += touching >= n;
  }
  return bearing;
}

/* Radii 1:5 and 1:10 with the exponent of Tancredi et al. (2012), whose piles fill 0.69 and 0.78 of spheres of 100 and
 * 250 smallest radii. The border takes its share of the smaller ones here. Pushing jams at 0.636 in the first. */
static void test_tangent_packing(void) {
  static const struct { double ratio, radius, fraction; } cases[] = {{5, 20, 0.65}, {10, 45, 0.73}};
  for (int i = 0; i < 2; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "bodies: [{packing: {in: {sphere: {center: [0, 0, 0], radius: %g}}, fraction: %g, material: rock, "
             "arrangement: tangent,\n  radius: {power_law: {exponent: 3.1, min: 1, max: %g}}}}]\n",
             cases[i].radius, cases[i].fraction, cases[i].ratio);
    struct cairn_scenario *s = make_good(text, "bodies that touch their neighbours");
    const struct cairn_state *b = &s->initial;
    static const double origin[3];
    double cubes = 0, outside = 0;
    for (int64_t k = 0; k < b->n; k++) {
      cubes += pow(b->radius[k], 3);
      outside = fmax(outside, distance(b->position + 3 * k, origin) + b->radius[k] - cases[i].radius);
    }
    /* half of the largest body */
    tap_near(cubes / pow(cases[i].radius, 3), cases[i].fraction, pow(cases[i].ratio / cases[i].radius, 3) / 2, 0,
             "radii 1:%g: as full as asked", cases[i].ratio);
    ok(outside < 1e-9, "whole bodies in the sphere: %g m", outside);
    ok(least_gap(b, 0, b->n) > 0, "no two of %lld overlap", (long long)b->n);
    /* All but the first, which lie anywhere and fill 0.03 of the sphere: at most as many as of the largest fit in. */
    int64_t loose = b->n - count_bearing(b, cases[i].radius, 1e-8 * cases[i].ratio, 3);
    ok((double)loose < 1 + 0.06 * pow(cases[i].radius / cases[i].ratio, 3), "all but %lld touch three others",
       (long long)loose);
    cairn_scenario_free(s);
  }
  refused("bodies: [{packing: {in: {sphere: {radius: 10}}, fraction: 0.6, radius: 1, arrangement: tangent, material: "
          "rock}}]\n",
          "do not fit in; they were packed up to a fraction of 0.4.*; allowed: .*about 0.5 for bodies of similar radii",
          "equal bodies, which leave gaps");
  refused("bodies: [{packing: {in: {sphere: {radius: 10}}, fraction: 0.7, radius: {uniform: [0.5, 2]}, material: "
          "rock}}]\n",
          "lie closer with arrangement: tangent", "bodies that jam where tangent ones may not");
}

static void test_packing_limits(void) {
  struct cairn_scenario *s =
      make_good("bodies: [{packing: {in: {sphere: {radius: 25.543647}}, fraction: 0.6, radius: 1, "
                "material: rock}}]\n",
                "10 000 bodies reach 0.6");
  cmp_ok(s->initial.n, "==", 10000, "10 000 of them");
  cairn_scenario_free(s);
  refused(
      "bodies:\n  - packing: {in: {sphere: {radius: 11.5443}}, fraction: 0.65, radius: 1, material: rock}\n",
      "^s.yaml:5:[0-9]+: bodies.0.packing.fraction: 1000 bodies do not fit in; they were packed up to a fraction of "
      "0\\.(58|59|6)",
      "1000 bodies that jam near 0.59");
  refused("bodies: [{packing: {" SPHERE ", fraction: 0, radius: 1}}]\n", "fraction: found 0; allowed: .*> 0",
          "nothing");
  refused("bodies: [{packing: {" SPHERE ", fraction: -0.1, radius: 1}}]\n", "fraction: found -0.1",
          "less than nothing");
  refused("bodies: [{packing: {" SPHERE ", fraction: 1.1, radius: 1}}]\n", "fraction: found 1.1", "more than all");
  refused("bodies: [{packing: {" SPHERE ", fraction: 1e-6, radius: 1}}]\n",
          "fraction: found 0.00143.* m³ to fill, too little for a body", "too little for a body");
  refused("bodies: [{packing: {" SPHERE ", fraction: 1, radius: 8}}]\n",
          "fraction: 1 bodies do not fit in; they were packed up to a fraction of 0;", "a body larger than the region");
  refused("bodies: [{packing: {" SPHERE ", fraction: 0.5, radius: 1e-6}}]\n",
          "bodies.0.packing: found 2147483648 bodies up to here; allowed: at most", "too many");
  refused("bodies:\n  - packing: {" SPHERE ", fraction: 0.4, radius: 0.9}\n"
          "  - packing: {" SPHERE ", fraction: 0.4, radius: 0.9}\n",
          "^s.yaml:6:[0-9]+: bodies.1.packing: body [0-9]+ .* overlaps body [0-9]+ .* of bodies.0.packing",
          "two in one place");
}

/* Momentum and angular momentum about `center` of the bodies from `first` to n - 1. */
static void sum_momenta(const struct cairn_state *b, int64_t first, int64_t n, const double *center, double p[3],
                        double l[3]) {
  for (int k = 0; k < 3; k++)
    p[k] = l[k] = 0;
  for (int64_t i = first; i < n; i++) {
    const double *x = b->position + 3 * i, *v = b->velocity + 3 * i, m = b->mass[i];
    for (int k = 0; k < 3; k++) {
      int j = (k + 1) % 3, h = (k + 2) % 3;
      p[k] += m * v[k];
      l[k] += m * ((x[j] - center[j]) * v[h] - (x[h] - center[h]) * v[j]) +
              0.4 * m * b->radius[i] * b->radius[i] * b->spin[3 * i + k];
    }
  }
}

static void test_rotation(void) {
  struct cairn_scenario *s = make_good(
      "bodies:\n  - lattice: {origin: [1, 2, 3], counts: [8, 8, 8], spacing: 2, radius: 0.75, material: rock, "
      "velocity: [0, 5, 0], rotation: {spin: [0.1, -0.2, 0.3]}}\n"
      "  - packing: {in: {sphere: {center: [100, 0, 0], radius: 10}}, fraction: 0.57, radius: 0.8, "
      "material: rock, spin: [0, 0, 7], rotation: {spin: [0, 0, 2], pivot: [90, 0, 0]}}\n",
      "a cube that flies and rotates, a ball that orbits a point");
  const struct cairn_state *b = &s->initial;
  const double w[3] = {0.1, -0.2, 0.3}, middle[3] = {8, 9, 10}, mass = 512 * b->mass[0];
  double p[3], l[3];
  sum_momenta(b, 0, 512, middle, p, l);
  tap_near(p[0], 0, 1e-12 * mass, 0, "the cube: rotation brings no momentum");
  tap_near(p[1], 5 * mass, 0, 1e-12, "momentum is mass times velocity");
  /* n³ points of mesh a: the squares of n whole numbers about their mean are (n² - 1)/12 on average. */
  double inertia = mass * (2 * 4 * (64 - 1) / 12. + 0.4 * 0.75 * 0.75);
  for (int k = 0; k < 3; k++)
    tap_near(l[k], inertia * w[k], 0, 1e-12, "angular momentum is I ω of a cube of spheres, along axis %d", k);
  const double *v = b->velocity + 3, *x = b->position + 3;
  tap_near(v[0], w[1] * (x[2] - 10) - w[2] * (x[1] - 9), 1e-12, 0, "v = ω × (x - c)");
  ok(b->spin[0] == 0.1 && b->spin[3 * 511 + 2] == 0.3, "and every body spins with ω");
  double worst = 0, sum = 0, pivot[3] = {90, 0, 0};
  for (int64_t i = 512; i < b->n; i++) {
    double y = b->position[3 * i + 1];
    worst = fmax(worst, fabs(b->velocity[3 * i] + 2 * y) + fabs(b->spin[3 * i + 2] - 9));
    sum += b->mass[i];
  }
  ok(worst < 1e-12, "the ball: about the pivot, on top of the bodies' own spin: %g", worst);
  sum_momenta(b, 512, b->n, pivot, p, l);
  /* Steiner: a uniform ball of radius 10 m at 10 m from the pivot. Its 1100 bodies have a centre and an inertia that
   * miss those by about R/(5n)^½ and less: a few per mille, and the border holds no halves of bodies. */
  tap_near(l[2] / (sum * (100 + 0.4 * 100) * 2), 1, 0.03, 0, "angular momentum near that of a uniform ball");
  cairn_scenario_free(s);
}

static void write_table(const char *name, const char *text) {
  FILE *file = fopen(name, "wb");
  fputs(text, file);
  fclose(file);
}

static void test_placing(void) {
  write_table("pair.txt", "0 0 0 1 1 0 0 0 0 4\n4 0 0 1 0 0 0 0 0 0\n");
#define PAIR "file: pair.txt, material: rock, columns: [x, y, z, radius, vx, vy, vz, wx, wy, wz]"
  struct cairn_scenario *s =
      make_good("bodies:\n  - table: {" PAIR ", turn: {angle: 1.5707963267948966}}\n"
                "  - table: {" PAIR ", turn: {axis: [2, 2, 2], angle: 2.0943951023931953}, at: [50, 60, 70], "
                "shift: [0, 0, 5], velocity: [0, 0, 3]}\n"
                "  - table: {" PAIR ", scale: 0.5, at: [-50, 0, 0], rotation: {spin: [0, 1, 0]}}\n",
                "three times the same table");
  const struct cairn_state *b = &s->initial;
  const double want[6][9] = {/* x, v, ω */
                             {2, -2, 0, 0, 1, 0, 0, 0, 4},   {2, 2, 0, 0, 0, 0, 0, 0, 0},
                             {50, 58, 75, 0, 1, 3, 4, 0, 0}, {50, 62, 75, 0, 0, 3, 0, 0, 0},
                             {-51, 0, 0, 1, 0, 1, 0, 1, 4},  {-49, 0, 0, 0, 0, -1, 0, 1, 0}};
  static const char *const name[] = {"a quarter turn about z", "x to y to z, put somewhere, shifted, moving",
                                     "scaled, put somewhere, rotating"};
  for (int group = 0; group < 3; group++) {
    double worst = 0;
    for (int i = 2 * group; i < 2 * group + 2; i++)
      for (int k = 0; k < 3; k++) {
        worst = fmax(worst, fabs(b->position[3 * i + k] - want[i][k]));
        worst = fmax(worst, fabs(b->velocity[3 * i + k] - want[i][3 + k]));
        worst = fmax(worst, fabs(b->spin[3 * i + k] - want[i][6 + k]));
      }
    ok(worst < 1e-13, "%s: %g", name[group], worst);
  }
  cairn_scenario_free(s);
  refused("bodies: [{table: {" PAIR ", turn: {axis: [0, 0, 0], angle: 1}}}]\n",
          "bodies.0.table.turn.axis: found \\[0, 0, 0\\]; allowed: any other vector", "a turn without an axis");
  refused("bodies:\n  - table: {" PAIR ", at: [0, 0, 0]}\n  - table: {" PAIR ", at: [1, 0, 0]}\n",
          "^s.yaml:6:[0-9]+: bodies.1.table: body 2 .* overlaps body 0", "two groups in one place");
  unlink("pair.txt");
}

/* A run of two bodies that is put to use twice, as two aggregates that will collide. */
static void test_runs(void) {
  struct cairn_state state = {0};
  const double box[2][3] = {{0, 0, 0}, {9, 9, 9}};
  struct cairn_provenance *provenance = calloc(1, sizeof *provenance);
  struct cairn_trajectory *trajectory = NULL;
  struct cairn_observables observables = {0};
  cairn_state_resize(&state, 2, NULL);
  for (int i = 0; i < 2; i++) {
    state.position[3 * i] = 100 + 2 * i;
    state.radius[i] = 1;
    state.mass[i] = i ? 1 : 3;
  }
  int status = cairn_trajectory_create("pair.nc", &state, box, NULL, false, provenance, &trajectory, &error);
  if (status == 0)
    status = cairn_trajectory_append(trajectory, &state, &observables, NULL, NULL, &error);
  if (status == 0)
    status = cairn_trajectory_close(trajectory, &error);
  cmp_ok(status, "==", 0, "a run of two bodies");
  struct cairn_scenario *s =
      make_good("bodies:\n  - run: {file: pair.nc, at: [-5, 0, 0], velocity: [1, 0, 0]}\n"
                "  - run: {file: pair.nc, at: [5, 0, 0], velocity: [-1, 0, 0], turn: {angle: 3.141592653589793}, "
                "rotation: {spin: [0, 0, 0.5]}}\n",
                "two of them that face each other");
  const struct cairn_state *b = &s->initial;
  double p[3], l[3], center[3] = {5, 0, 0};
  tap_near(b->position[0], -5.5, 1e-5, 0, "the heavy one of the first lies left of the centre of mass");
  tap_near(b->position[6], 5.5, 1e-5, 0, "that of the second, turned, right");
  sum_momenta(b, 0, b->n, center, p, l);
  ok(fabs(p[0]) < 1e-12 && fabs(p[1]) < 1e-12, "no momentum in all");
  sum_momenta(b, 2, b->n, center, p, l);
  tap_near(l[2], 0.5 * (3 * 0.25 + 2.25 + 0.4 * 4), 1e-5, 0, "the second rotates about its centre of mass");
  cairn_scenario_free(s);
  cairn_state_fini(&state);
  free(provenance);
  unlink("pair.nc");
}

int main(void) {
  char folder[] = "groups-XXXXXX";
  if (!mkdtemp(folder) || chdir(folder) != 0)
    BAIL_OUT("no temporary folder");
  plan(NO_PLAN);
  test_grids();
  test_accretion_start();
  test_packing();
  test_packing_seeds();
  test_tangent_packing();
  test_packing_limits();
  test_rotation();
  test_placing();
  test_runs();
  if (chdir("..") != 0 || rmdir(folder) != 0)
    diag("the temporary folder %s stays", folder);
  done_testing();
}
