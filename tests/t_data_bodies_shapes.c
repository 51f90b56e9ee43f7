/* Lattices as close packings, turned lattices, and what fills an ellipsoid. */
#include "bodies_sample.h"

#include <math.h>
#include <stdio.h>

static double gap(const struct cairn_state *b, int64_t i, int64_t j) {
  double d = 0;
  for (int k = 0; k < 3; k++)
    d += pow(b->position[3 * i + k] - b->position[3 * j + k], 2);
  return sqrt(d) - b->radius[i] - b->radius[j];
}

static double gap_from_origin(const struct cairn_state *b, int64_t i) {
  const double *x = b->position + 3 * i;
  return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

/* Neighbours of the body nearest to the origin that it touches, and how many of them have one opposite. */
static void count_neighbors(const struct cairn_state *b, int *touching, int *opposite) {
  double at[32][3];
  int64_t middle = 0;
  for (int64_t i = 1; i < b->n; i++)
    middle = gap_from_origin(b, i) < gap_from_origin(b, middle) ? i : middle;
  *touching = *opposite = 0;
  for (int64_t i = 0; i < b->n && *touching < 32; i++)
    if (i != middle && fabs(gap(b, i, middle)) < 1e-9) {
      for (int k = 0; k < 3; k++)
        at[*touching][k] = b->position[3 * i + k] - b->position[3 * middle + k];
      *touching += 1;
    }
  for (int i = 0; i < *touching; i++)
    for (int j = 0; j < *touching; j++)
      *opposite += fabs(at[i][0] + at[j][0]) + fabs(at[i][1] + at[j][1]) + fabs(at[i][2] + at[j][2]) < 1e-9;
}

static void test_close_packings(void) {
  static const char *const names[] = {"hexagonal", "cubic"}, *const turns[] = {"{angle: 0}",
                                                                               "{axis: [0.3, -2, 1], angle: 0.7}"};
  for (int k = 0; k < 4; k++) {
    char text[512];
    int touching, opposite;
    snprintf(text, sizeof text,
             "bodies:\n  - lattice: {in: {sphere: {radius: 12}}, spacing: 1, arrangement: %s, turn: %s, radius: 0.5, "
             "material: rock}\n",
             names[k % 2], turns[k / 2]);
    struct cairn_scenario *s = make_good(text, names[k % 2]);
    count_neighbors(&s->initial, &touching, &opposite);
    cmp_ok(touching, "==", 12, "%s, turned by %s: twelve neighbours", names[k % 2], turns[k / 2]);
    /* a layer between two that lie alike is no centre of symmetry: six neighbours in the layer are */
    cmp_ok(opposite, "==", k % 2 ? 12 : 6, "as the arrangement has them");
    /* what a sphere holds differs from its volume by the lattice of its surface, 1 % of these 10 000 bodies */
    tap_near((double)s->initial.n / (8. * 12 * 12 * 12), acos(-1.) / sqrt(18.), 0., 0.01, "and the densest packing");
    cairn_scenario_free(s);
  }
  struct cairn_scenario *s =
      make_good("bodies:\n  - lattice: {origin: [5, 0, 0], counts: [2, 1, 2], spacing: [1, 2, 3], turn: {angle: "
                "1.5707963267948966}, radius: 0.5, material: rock}\n",
                "a turned lattice");
  const double *x = s->initial.position;
  ok(fabs(x[0] - 5.) + fabs(x[3] - 5.) < 1e-12 && fabs(x[4] - 1.) < 1e-12 && fabs(x[8] - 3.) < 1e-12,
     "x has become y, z has stayed");
  cairn_scenario_free(s);
  refused("bodies:\n  - lattice: {counts: [3, 3, 3], spacing: [1, 1, 2], arrangement: cubic, radius: 0.5, material: "
          "rock}\n",
          "lattice.spacing: found three distances; allowed with `arrangement: cubic`: one", "a close packing of three");
}

/* How far a body reaches out of an ellipsoid around the origin, as the largest of (x/a)² + (y/b)² + (z/c)² - 1 over 400
 * points of its surface. */
static double sticks_out(const struct cairn_state *b, int64_t i, const double axes[3]) {
  double most = -1;
  for (int n = 0; n < 400; n++) { /* points of a spiral */
    const double z = 1 - 2 * (n + 0.5) / 400, across = sqrt(1 - z * z), angle = 2.399963229728653 * n;
    const double u[3] = {across * cos(angle), across * sin(angle), z};
    double sum = -1;
    for (int k = 0; k < 3; k++) {
      const double x = (b->position[3 * i + k] + b->radius[i] * u[k]) / axes[k];
      sum += x * x;
    }
    most = fmax(most, sum);
  }
  return most;
}

static void test_ellipsoid(void) {
  static const double axes[3] = {3, 2, 1};
  struct cairn_scenario *s =
      make_good("bodies:\n  - cloud: {count: 400, in: {ellipsoid: {semi_axes: [3, 2, 1]}}, radius: {uniform: [0.05, "
                "0.2]}, material: rock}\n",
                "a cloud in an ellipsoid");
  double most = -1, second[3] = {0};
  for (int64_t i = 0; i < s->initial.n; i++) {
    most = fmax(most, sticks_out(&s->initial, i, axes));
    for (int k = 0; k < 3; k++)
      second[k] += pow(s->initial.position[3 * i + k], 2) / 400;
  }
  ok(most < 1e-9 && most > -0.05, "all of each body is inside, up to the surface (%g)", most);
  ok(second[0] > 1.5 * second[1] && second[1] > 2 * second[2], "all of the ellipsoid is filled");
  cairn_scenario_free(s);

  s = make_good("bodies:\n  - lattice: {in: {ellipsoid: {semi_axes: [30, 20, 10]}}, spacing: 1, radius: 0.5, material: "
                "rock}\n",
                "a lattice in one");
  int64_t wanted = 0;
  for (int x = -30; x <= 30; x++)
    for (int y = -20; y <= 20; y++)
      for (int z = -10; z <= 10; z++)
        wanted += 4 * x * x + 9 * y * y + 36 * z * z <= 3600;
  cmp_ok(s->initial.n, "==", wanted, "has a body at every point inside");
  cairn_scenario_free(s);

  s = make_good("bodies:\n  - packing: {in: {ellipsoid: {center: [0, 0, 0], semi_axes: [3, 2, 1]}}, fraction: 0.5, "
                "radius: 0.15, material: rock}\n",
                "a packing in one");
  most = -1;
  for (int64_t i = 0; i < s->initial.n; i++)
    most = fmax(most, sticks_out(&s->initial, i, axes));
  ok(most < 0.01, "stays inside (%g)", most);
  cairn_scenario_free(s);
  refused("bodies:\n  - cloud: {count: 1, in: {ellipsoid: {semi_axes: [1, 1, 0.1]}}, radius: 0.2, material: rock}\n",
          "only 0 of 1 bodies found a place", "a body that fits nowhere");
}

int main(void) {
  plan(NO_PLAN);
  test_close_packings();
  test_ellipsoid();
  done_testing();
}
