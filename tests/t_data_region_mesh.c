/* Bodies inside a shape model: a solid with an edge that goes in, of which everything is known. */
#include "bodies_sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An L of three unit cubes: x or y below 1. Polygons are cut at their first corner: of the caps that of the edge that
 * goes in, from which all of them is seen. */
static const char solid[] = "v 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 0\nv 2 0 0\nv 2 1 0\n"
                            "v 1 1 1\nv 1 2 1\nv 0 2 1\nv 0 0 1\nv 2 0 1\nv 2 1 1\n"
                            "f 1 6 5 4 3 2\nf 7 8 9 10 11 12\n"
                            "f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\n";
static const char last[] = "f 6 1 7 12\n", turned[] = "f 12 7 1 6\n";

static char path[4096];

static void write_solid(const char *end) {
  FILE *file = fopen(path, "w");
  if (!file || fprintf(file, "%s%s", solid, end) < 0 || fclose(file))
    BAIL_OUT("cannot write '%s'", path);
}

static bool is_inside(const double x[3]) {
  return x[2] >= 0 && x[2] <= 1 && x[0] >= 0 && x[1] >= 0 && x[0] <= 2 && x[1] <= 2 && (x[0] <= 1 || x[1] <= 1);
}

/* The largest part of a radius by which a body reaches out: over points of shrinking copies of its surface. */
static double sticks_out(const struct cairn_state *b, int64_t i) {
  for (int shrink = 0; shrink <= 100; shrink++) {
    bool all = true;
    for (int n = 0; n < 400 && all; n++) { /* points of a spiral */
      const double z = 1 - 2 * (n + 0.5) / 400, across = sqrt(1 - z * z), angle = 2.399963229728653 * n;
      const double u[3] = {across * cos(angle), across * sin(angle), z};
      double x[3];
      for (int k = 0; k < 3; k++)
        x[k] = (b->position[3 * i + k] - 10 * (k == 0) + 0.01 * (100 - shrink) * b->radius[i] * u[k]) / 2;
      all = is_inside(x);
    }
    if (all)
      return 0.01 * shrink;
  }
  return 1;
}

/* A scenario with `kind` in the solid, twice as large and 10 m along x. */
static const char *with(const char *kind) {
  static char text[6000];
  char region[4500];
  snprintf(region, sizeof region, "in: {mesh: {file: %s, scale: 2, shift: [10, 0, 0]}}", path);
  snprintf(text, sizeof text, kind, region);
  return text;
}

static void test_lattice(void) {
  /* 24 m³ of cells of 0.2 m, one point in the middle of each: 3000; the grid is turned no way, borders lie between */
  struct cairn_scenario *s = make_good(
      with("bodies:\n  - lattice: {origin: [10.1, 0.1, 0.1], %s, spacing: 0.2, radius: 0.05, material: rock}\n"),
      "a lattice in a mesh");
  bool inside = true;
  for (int64_t i = 0; i < s->initial.n; i++) {
    const double *x = s->initial.position + 3 * i, y[3] = {(x[0] - 10) / 2, x[1] / 2, x[2] / 2};
    inside &= is_inside(y);
  }
  cmp_ok(s->initial.n, "==", 3000, "a body in every cell of the solid");
  ok(inside, "and none beside it");
  cairn_scenario_free(s);
}

static void test_filling(void) {
  struct cairn_scenario *s =
      make_good(with("bodies:\n  - cloud: {count: 300, %s, radius: {uniform: [0.1, 0.2]}, material: rock}\n"),
                "a cloud in a mesh");
  double most = 0, far = 0;
  for (int64_t i = 0; i < s->initial.n; i++) {
    most = fmax(most, sticks_out(&s->initial, i));
    far = fmax(far, s->initial.position[3 * i] - 10 + s->initial.radius[i]);
  }
  ok(most == 0, "all of each body is inside (%g)", most);
  ok(far > 3.9, "up to the far end (%g)", far);
  cairn_scenario_free(s);

  s = make_good(with("bodies:\n  - packing: {%s, fraction: 0.55, radius: {uniform: [0.1, 0.15]}, material: rock}\n"),
                "a packing in one");
  double volume = 0;
  most = 0;
  for (int64_t i = 0; i < s->initial.n; i++) {
    most = fmax(most, sticks_out(&s->initial, i));
    volume += 4 * acos(-1.) / 3 * pow(s->initial.radius[i], 3);
  }
  ok(most <= 0.01, "stays inside (%g)", most);
  tap_near(volume / 24, 0.55, 0., 1e-3, "and fills the part of its volume that was asked for");
  cairn_scenario_free(s);
}

static void test_refused(void) {
  refused(with("bodies:\n  - cloud: {count: 1, %s, radius: 1.1, material: rock}\n"), "only 0 of 1 bodies found a place",
          "a body that fits nowhere");
  write_solid("");
  refused(with("bodies:\n  - cloud: {count: 1, %s, radius: 0.1, material: rock}\n"),
          "cloud.in.mesh.file: at 4 edges its triangles do not join.*allowed for a region: a closed surface", "a hole");
  write_solid(turned);
  refused(with("bodies:\n  - cloud: {count: 1, %s, radius: 0.1, material: rock}\n"), "at 4 edges its triangles",
          "a side that faces in");
  unlink(path);
  refused(with("bodies:\n  - cloud: {count: 1, %s, radius: 0.1, material: rock}\n"), "cannot find the file", "no file");
}

int main(void) {
  plan(NO_PLAN);
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/region_mesh_%ld.obj", folder ? folder : ".", (long)getpid());
  write_solid(last);
  test_lattice();
  test_filling();
  test_refused();
  done_testing();
}
