/* Walls and bodies of a scenario: bodies keep out of walls at the start, clouds keep off them, and the distances and
 * triangles of walls are those of their shapes. */
#include "data/files/wall_triangles.h"
#include "data/scenario/walls.h"
#include "walls_sample.h"

/* A body of radius 0.5 that sinks 0.1 into each wall, and one that just does not touch it. */
static const struct {
  const char *wall;
  double inside[3], outside[3];
} places[] = {
    {"plane: {point: [0, 0, 1], normal: [0, 0, 1]", {3, 4, 1.4}, {3, 4, 1.51}},
    {"disk: {normal: [0, 0, 1], radius: 2", {1, 0, -0.4}, {1, 0, -0.51}},
    {"disk: {normal: [0, 0, 1], radius: 2", {2.4, 0, 0}, {2.51, 0, 0}},
    {"disk: {normal: [0, 0, 1], radius: 2, hole: 1", {0.6, 0, 0}, {0.49, 0, 0}},
    {"rectangle: {corner: [1, 0, 0], edge1: [0, 2, 0], edge2: [0, 0, 3]", {0.6, 1, 1}, {0.49, 1, 1}},
    {"rectangle: {corner: [1, 0, 0], edge1: [0, 2, 0], edge2: [0, 0, 3]", {1, -0.4, 3}, {1, -0.51, 3}},
    {"triangle: {corner: [0, 0, 0], edge1: [2, 0, 0], edge2: [0, 2, 0]", {0.5, 0.5, 0.4}, {1.4, 1.4, 0}},
    {"cylinder: {axis: [0, 1, 0], radius: 2", {1.6, 99, 0}, {1.49, 99, 0}},
    {"cylinder: {axis: [0, 1, 0], radius: 2, length: 4", {-2.4, 1, 0}, {-2.51, 1, 0}},
    {"cylinder: {axis: [0, 1, 0], radius: 2, length: 4", {2, 2.4, 0}, {2, 2.51, 0}},
    {"cylinder: {axis: [0, 0, 1], radius: 2, length: 2, taper: 1", {0, 0, 1.4}, {0, 0, 1.51}},
    {"sphere: {center: [1, 1, 1], radius: 3", {3.6, 1, 1}, {1, 1, 3.49}},
    {"sphere: {center: [1, 1, 1], radius: 3", {4.4, 1, 1}, {1, 1, 4.51}},
    {"ring: {center: [1, 1, 1], normal: [1, 0, 0], radius: 3", {1, 4.4, 1}, {1, 1, 1}},
    {"line: {center: [1, 1, 1], axis: [0, 0, 1], length: 2", {1, 1, 2.4}, {1, 1, 2.51}},
    {"line: {center: [1, 1, 1], axis: [0, 0, 1]", {1.4, 1, 99}, {1.51, 1, 99}},
    {"point: {position: [1, 1, 1]", {1.4, 1, 1}, {1, 1.51, 1}},
    {"mesh: {file: t.stl, shift: [0, 0, 1]", {0.25, 0.25, 0.6}, {0.25, 0.25, 0.49}},
};

static const char *body_at(const double x[3]) {
  static char text[256];
  snprintf(text, sizeof text, "bodies: [{single: {position: [%.17g, %.17g, %.17g], radius: 0.5, material: rock}}]\n",
           x[0], x[1], x[2]);
  return text;
}

static void test_bodies(void) {
  char walls[512];
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(walls, sizeof walls, "walls: [{%s, name: w, material: rock}}]\n", places[i].wall);
    struct cairn_scenario *s = parse(body_at(places[i].inside), walls, NULL);
    ok(!s, "refused at %s", places[i].wall);
    like(error.message, "^s.yaml:4:19: bodies.0.single: body 0 at .* reaches 0.1 m into the wall w; allowed: 5e-07 m",
         "and explained");
    s = parse(body_at(places[i].outside), walls, NULL);
    ok(s != NULL, "and not beside it: %s", error.message);
    /* Exact but for the rounding of coordinates of the order of one. */
    if (s) {
      const double *x = s->assemblies->position;
      tap_near(cairn_walls_distance(s->walls, x, places[i].inside, 1), 0.4, 0, 1e-14, "its distance");
      ok(cairn_walls_distance(s->walls, x, places[i].outside, 1) > 0.5, "that of the other");
    }
    cairn_scenario_free(s);
    snprintf(walls, sizeof walls, "assemblies: [{center: [7, 8, 9], walls: [{%s, name: w, material: rock}}]}]\n",
             places[i].wall);
    s = parse(body_at(places[i].inside), walls, NULL);
    ok(!s, "refused in an assembly too");
    cairn_scenario_free(s);
  }
}

static void test_presence(void) {
  static const char *const floor = "walls: [{plane: {name: w, normal: [0, 0, 1], material: rock}}]\n";
  static const struct {
    const char *set;
    double height;
    bool good;
  } cases[] = {{"walls.0.plane.appears=0.1", 0.4, true},
               {"walls.0.plane.appears=0.1", -9, true},
               {"walls.0.plane.vanishes=0.1", 0.4, false},
               {"walls.0.plane.behavior=frictionless", 0.4, false},
               {"walls.0.plane.behavior=absorbing", 0.4, false},
               {"walls.0.plane.behavior=sticky", 0.4, true},
               {"walls.0.plane.behavior=sticky", 0, true},
               {"walls.0.plane.behavior=sticky", -0.1, false},
               {"overlap.initial=0.3", 0.4, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cairn_scenario *s = parse(body_at((double[]){0, 0, cases[i].height}), floor, cases[i].set);
    ok((s != NULL) == cases[i].good, "a body at %g with %s: %s", cases[i].height, cases[i].set, error.message);
    cairn_scenario_free(s);
  }
  ok(!parse(body_at((double[]){0, 0, -0.1}), floor, NULL), "a body behind a plane");
  like(error.message, "reaches 0.6 m behind the wall w", "is told so");
}

/* A cloud keeps off every kind of wall, and off a hundred of them in little time. */
static void test_clouds(void) {
  static char walls[1 << 16] = "walls:\n";
  static const char bodies[] = "bodies: [{cloud: {count: 1000, in: {box: {lower: [-3, -3, -3], upper: [5, 5, 5]}}, "
                               "radius: {uniform: [0.1, 0.2]}, material: rock}}]\n";
  const char *end = walls + sizeof walls;
  for (size_t i = 1; i < sizeof places / sizeof *places; i++)
    snprintf(walls + strlen(walls), (size_t)(end - walls) - strlen(walls), "  - %s, material: rock}\n", places[i].wall);
  for (int i = 0; i < 100; i++)
    snprintf(walls + strlen(walls), (size_t)(end - walls) - strlen(walls),
             "  - triangle: {corner: [%d, %d, 4], edge1: [0.5, 0, 0], edge2: [0, 0.5, 0.1], material: rock}\n", i % 10,
             i / 10);
  struct cairn_scenario *s = parse(bodies, walls, NULL);
  if (!ok(s != NULL && s->initial.n == 1000, "a cloud between walls"))
    BAIL_OUT("%s", error.message);
  double least = 1;
  int64_t hidden = 0;
  for (int64_t i = 0; i < s->initial.n; i++)
    for (int32_t w = 0; w < s->n_walls; w++) {
      const double *x = s->initial.position + 3 * i, r = s->initial.radius[i];
      double distance = cairn_walls_distance(&s->walls[w], s->assemblies[s->walls[w].assembly].position, x, 2 * r);
      least = fmin(least, distance - r);
      hidden += distance <= 2 * r;
    }
  ok(least >= 0, "whole bodies off all walls: %g m", least);
  cmp_ok(hidden, ">", 100, "many of them next to one");
  cairn_scenario_free(s);
}

/* The boxes that spare the exact distances hold the walls: nothing is missed. */
static void test_boxes(void) {
  char walls[1024];
  static const char *const oblique[] = {"disk: {normal: [1, 2, 3], radius: 2, hole: 1",
                                        "rectangle: {corner: [1, 0, 0], edge1: [2, 2, 0], edge2: [-1, 1, 1]",
                                        "triangle: {corner: [1, 0, 0], edge1: [2, -2, 1], edge2: [-3, 1, 2]",
                                        "cylinder: {axis: [1, -2, 3], radius: 1, length: 4",
                                        "cylinder: {axis: [1, 2, -3], radius: 2, length: 3, taper: 0.6",
                                        "line: {axis: [1, 2, -3], length: 5"};
  const size_t n_places = sizeof places / sizeof *places, n_oblique = sizeof oblique / sizeof *oblique;
  int64_t wrong = 0, inside = 0;
  unsigned seed = 1;
  for (size_t i = 0; i < n_places + n_oblique; i++) {
    snprintf(walls, sizeof walls, "assemblies: [{center: [7, 8, 9], walls: [{%s, material: rock}}]}]\n",
             i < n_places ? places[i].wall : oblique[i - n_places]);
    struct cairn_scenario *s = need(walls, "bodies.0.single.position=[500, 500, 500]");
    struct cairn_walls_present *present;
    int32_t n;
    cairn_walls_list_present(s, &present, &n, &error);
    for (int k = 0; k < 20000; k++) {
      double x[3];
      for (int c = 0; c < 3; c++)
        x[c] = 10. * rand_r(&seed) / RAND_MAX - 4;
      double exact = cairn_walls_distance(s->walls, s->assemblies->position, x, 0.3);
      double found = cairn_walls_distance_within(present, x, 0.3);
      inside += exact <= 0.3;
      wrong += exact <= 0.3 ? found != exact : found <= 0.3;
    }
    free(present);
    cairn_scenario_free(s);
  }
  ok(wrong == 0 && inside > 10000, "%lld of %lld near points missed", (long long)wrong, (long long)inside);
}

/* The triangles that files get: in the order of walls, relative to the reference point of each. */
static void test_triangles(void) {
  struct cairn_wall_triangles t = {0};
  struct cairn_scenario *s = need("walls:\n  - plane: {normal: [0, 0, 1], material: rock}\n"
                                  "  - mesh: {file: t.stl, scale: 2, shift: [0, 0, 4], material: rock}\n"
                                  "assemblies:\n  - walls:\n"
                                  "      - mesh: {file: u.stl, shift: [5, 6, 7], material: rock}\n"
                                  "      - disk: {center: [9, 9, 9], normal: [0, 0, 1], radius: 1, material: rock}\n"
                                  "    center: [4, 4, 4]\n",
                                  NULL);
  ok(cairn_wall_triangles_make(s, &t, &error) == CAIRN_OK && t.n == 2, "two meshes of one triangle each");
  ok(t.count[0] == 0 && t.count[1] == 1 && t.count[2] == 1 && t.count[3] == 0, "which walls they are of");
  ok(near(t.corners, (double[]){0, 0, 0, 2, 0, 0, 0, 2, 0}, 9), "relative to the place of the wall, scaled");
  ok(near(t.corners + 9, (double[]){0, 0, 0, 2, 0, 0, 0, 1, 0}, 9), "also in an assembly that has another place");
  cairn_wall_triangles_fini(&t);
  cairn_scenario_free(s);
  s = need("walls: [{plane: {normal: [0, 0, 1], material: rock}}]\n", NULL);
  ok(cairn_wall_triangles_make(s, &t, &error) == CAIRN_OK && t.n == 0 && !t.count && !t.corners, "none without meshes");
  cairn_scenario_free(s);
}
int main(void) {
  char folder[] = "walls-XXXXXX";
  plan(NO_PLAN);
  walls_enter(folder);
  test_bodies();
  test_presence();
  test_clouds();
  test_boxes();
  test_triangles();
  walls_leave(folder);
  done_testing();
}
