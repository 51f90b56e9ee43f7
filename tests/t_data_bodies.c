/* The generators of bodies: distributions against their formulas, places against brute force, files, refusals. */
#include "bodies_sample.h"
#include "data/base/random.h"
#include "data/files/trajectory.h"
#include "data/initial/overlap.h"
#include "data/initial/sizes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_random(void) {
  /* The published generator from the state 1, 2, 3, 4. */
  static const uint64_t known[] = {UINT64_C(41943041),
                                   UINT64_C(58720359),
                                   UINT64_C(3588806011781223),
                                   UINT64_C(3591011842654386),
                                   UINT64_C(9228616714210784205),
                                   UINT64_C(9973669472204895162)};
  struct cairn_random random = {{1, 2, 3, 4}}, other;
  int same = 1;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    same &= cairn_random_bits(&random) == known[i];
  ok(same, "xoshiro256++ gives the published numbers");
  cairn_random_init(&random, 1, 0, 0);
  int meets = 0;
  for (uint64_t name = 1; name < 8; name++) {
    cairn_random_init(&other, name & 1, name >> 1 & 1, name >> 2);
    meets += other.s[0] == random.s[0] && name != 1;
  }
  cmp_ok(meets, "==", 0, "streams with other names are other streams");
  double mean = 0, square = 0, sum[3] = {0};
  const int n = 100000;
  for (int i = 0; i < n; i++) {
    double z = cairn_random_normal(&random), direction[3];
    mean += z / n;
    square += z * z / n;
    cairn_random_direction(&random, direction);
    for (int k = 0; k < 3; k++)
      sum[k] += direction[k] * direction[k] / n;
  }
  tap_near(mean, 0, 0.015, 0, "normal: mean");
  tap_near(square, 1, 0.02, 0, "normal: variance");
  for (int k = 0; k < 3; k++)
    tap_near(sum[k], 1. / 3, 0.005, 0, "directions are even along axis %d", k);
}

static double normal_below(double x) { return 0.5 * erfc(-x / sqrt(2.)); }

/* The distribution function P(< r) as the documentation states it. */
static double probability(const struct cairn_sizes *sizes, double r) {
  double a = sizes->min, b = sizes->max, q = sizes->exponent;
  switch (sizes->kind) {
  case CAIRN_SIZES_UNIFORM_VOLUME:
    return (r * r * r - a * a * a) / (b * b * b - a * a * a);
  case CAIRN_SIZES_NORMAL: {
    double low = normal_below((a - sizes->mean) / sizes->deviation);
    return (normal_below((r - sizes->mean) / sizes->deviation) - low) /
           (normal_below((b - sizes->mean) / sizes->deviation) - low);
  }
  case CAIRN_SIZES_POWER_LAW:
    return q == 1 ? log(r / a) / log(b / a) : (pow(r, 1 - q) - pow(a, 1 - q)) / (pow(b, 1 - q) - pow(a, 1 - q));
  default:
    return (r - a) / (b - a);
  }
}

static void test_sizes(void) {
  const struct {
    const char *name;
    struct cairn_sizes sizes;
  } cases[] = {{"uniform", {CAIRN_SIZES_UNIFORM, 0.1, 0.4, 0, 0, 0}},
               {"uniform by volume", {CAIRN_SIZES_UNIFORM_VOLUME, 0.1, 0.4, 0, 0, 0}},
               {"normal", {CAIRN_SIZES_NORMAL, 0.15, 0.4, 0.2, 0.05, 0}},
               {"power law 3.5", {CAIRN_SIZES_POWER_LAW, 0.1, 2, 0, 0, 3.5}},
               {"power law 1", {CAIRN_SIZES_POWER_LAW, 0.1, 2, 0, 0, 1}},
               {"power law -2", {CAIRN_SIZES_POWER_LAW, 0.1, 2, 0, 0, -2}}};
  const int n = 100000;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const struct cairn_sizes *sizes = &cases[c].sizes;
    struct cairn_random random;
    double marks[] = {0.05, 0.2, 0.5, 0.8}, below[4] = {0};
    int outside = 0;
    cairn_random_init(&random, 5, c, 0);
    for (int i = 0; i < n; i++) {
      double r = cairn_sizes_draw(sizes, &random);
      outside += r < sizes->min || r > sizes->max;
      for (int m = 0; m < 4; m++)
        below[m] += (r < sizes->min + marks[m] * (sizes->max - sizes->min)) / (double)n;
    }
    cmp_ok(outside, "==", 0, "%s: within its limits", cases[c].name);
    for (int m = 0; m < 4; m++)
      tap_near(below[m], probability(sizes, sizes->min + marks[m] * (sizes->max - sizes->min)), 0.007, 0,
               "%s: share below mark %d", cases[c].name, m);
  }
}

static void test_single_and_lattice(void) {
  struct cairn_scenario *s = make_good(
      "bodies:\n"
      "  - single: {position: [1, 2, 3], radius: 0.5, material: ice, velocity: [4, 5, 6], spin: [7, 8, 9]}\n"
      "  - lattice: {origin: [10, 20, 30], counts: [2, 3, 4], spacing: [1, 2, 3], radius: 0.5, material: rock}\n"
      "  - lattice: {origin: [50, 0, 0], counts: [10, 10, 10], spacing: 1, jitter: 0.1, radius: {uniform: [0.2, 0.4]}, "
      "material: rock, velocity: [0, 0, 1]}\n",
      "single and lattice");
  const struct cairn_state *b = &s->initial;
  cmp_ok(b->n, "==", 1 + 24 + 1000, "all bodies are there");
  ok(b->position[2] == 3 && b->velocity[1] == 5 && b->spin[0] == 7 && b->radius[0] == 0.5 && b->material[0] == 1,
     "the single body is as written");
  tap_near(b->mass[0], 917 * 4. / 3 * acos(-1.) * 0.125, 0, 1e-15, "its mass comes from density and radius");
  ok(b->position[3] == 10 && b->position[6] == 11 && b->position[3 * 3 + 1] == 22 && b->position[3 * 7 + 2] == 33,
     "x runs fastest, then y, then z");
  double most = 0, mean = 0, low = 1, high = 0;
  for (int i = 0; i < 1000; i++) {
    const double *x = b->position + 3 * (25 + i);
    double shift[3] = {x[0] - 50 - i % 10, x[1] - i / 10 % 10, x[2] - i / 100};
    for (int k = 0; k < 3; k++) {
      most = fmax(most, fabs(shift[k]));
      mean += shift[k] / 3000;
    }
    low = fmin(low, b->radius[25 + i]);
    high = fmax(high, b->radius[25 + i]);
  }
  ok(most <= 0.1 && most > 0.095, "jitter moves up to its amount, no further: %g", most);
  tap_near(mean, 0, 0.005, 0, "either way");
  ok(low >= 0.2 && low < 0.21 && high <= 0.4 && high > 0.39, "radii follow the distribution");
  cairn_scenario_free(s);
}

static double gap(const struct cairn_state *b, int64_t i, int64_t j) {
  double d = 0;
  for (int k = 0; k < 3; k++)
    d += pow(b->position[3 * i + k] - b->position[3 * j + k], 2);
  return sqrt(d) - b->radius[i] - b->radius[j];
}

static double least_gap(const struct cairn_state *b) {
  double least = 1e300;
  for (int64_t i = 0; i < b->n; i++)
    for (int64_t j = 0; j < i; j++)
      least = fmin(least, gap(b, i, j));
  return least;
}

static void test_clouds(void) {
  struct cairn_scenario *s =
      make_good("bodies:\n"
                "  - single: {position: [0.5, 0.5, 0.5], radius: 0.3, material: rock}\n"
                "  - cloud: {count: 500, in: {box: {lower: [0, 0, -1], upper: [1, 1, 1]}}, material: rock, "
                "radius: {power_law: {exponent: 3, min: 0.01, max: 0.2}}, speed: 2, velocity: [10, 0, 0]}\n"
                "  - cloud: {count: 300, in: {sphere: {center: [5, 5, 5], radius: 1}}, radius: 0.08, material: ice}\n"
                "  - cloud: {count: 300, in: {cylinder: {base: [9, 0, 5], axis: [0, 3, 4], radius: 0.5, height: 3}}, "
                "radius: {uniform: [0.05, 0.08]}, material: ice}\n"
                "walls: [{plane: {normal: [0, 0, 1], material: rock}}]\n",
                "three clouds");
  const struct cairn_state *b = &s->initial;
  ok(least_gap(b) > 0, "no two bodies touch, brute force: %g", least_gap(b));
  int inside = 1;
  double speed_error = 0, mean[3] = {0};
  for (int64_t i = 1; i <= 500; i++) {
    const double *x = b->position + 3 * i, *v = b->velocity + 3 * i, r = b->radius[i];
    for (int k = 0; k < 3; k++) {
      inside &= x[k] >= r && x[k] <= 1 - r;
      mean[k] += v[k] / 500;
    }
    speed_error = fmax(speed_error, fabs(hypot(v[0] - 10, hypot(v[1], v[2])) - 2));
  }
  ok(inside, "whole bodies inside the box and in front of the wall that cuts it");
  ok(speed_error < 1e-12, "all random velocities have the given speed");
  ok(fabs(mean[0] - 10) < 0.2 && fabs(mean[1]) < 0.2 && fabs(mean[2]) < 0.2, "in all directions");
  inside = 1;
  for (int64_t i = 501; i <= 800; i++) {
    const double *x = b->position + 3 * i;
    inside &= hypot(x[0] - 5, hypot(x[1] - 5, x[2] - 5)) <= 1 - 0.08 + 1e-12;
  }
  ok(inside, "whole bodies inside the sphere");
  inside = 1;
  double lowest = 9, highest = -9;
  for (int64_t i = 801; i <= 1100; i++) {
    const double *x = b->position + 3 * i, r = b->radius[i];
    double along = 0.6 * x[1] + 0.8 * (x[2] - 5);
    double across = hypot(x[0] - 9, hypot(x[1] - 0.6 * along, x[2] - 5 - 0.8 * along));
    inside &= along >= r - 1e-12 && along <= 3 - r + 1e-12 && across <= 0.5 - r + 1e-12;
    lowest = fmin(lowest, along);
    highest = fmax(highest, along);
  }
  ok(inside, "whole bodies inside the cylinder");
  ok(lowest < 0.2 && highest > 2.8, "all of it is used");
  double hop = 0;
  for (int64_t i = 802; i <= 1100; i++)
    hop += (gap(b, i, i - 1) + b->radius[i] + b->radius[i - 1]) / 299;
  ok(hop < 0.6, "neighbouring ids are neighbours in space: mean distance %g of a mean of about 1.1", hop);
  cairn_scenario_free(s);
}

static void digest_of(const char *rest, int64_t first, int64_t n, int with_velocity, char *digest) {
  struct cairn_scenario *s = make(rest);
  struct cairn_state part = {0};
  digest[0] = '\0';
  if (!s)
    return;
  cairn_state_resize(&part, n, NULL);
  memcpy(part.position, s->initial.position + 3 * first, (size_t)n * 24);
  memcpy(part.radius, s->initial.radius + first, (size_t)n * 8);
  if (with_velocity)
    memcpy(part.velocity, s->initial.velocity + 3 * first, (size_t)n * 24);
  cairn_state_digest(&part, digest);
  cairn_state_fini(&part);
  cairn_scenario_free(s);
}

#define CLOUD                                                                                                          \
  "  - cloud: {count: 200, in: {box: {lower: [0, 0, 0], upper: [1, 1, 1]}}, radius: {uniform: [0.02, 0.05]}, "         \
  "material: rock, "

static void test_seeds(void) {
  char a[40], b[40];
  digest_of("bodies:\n" CLOUD "speed: 1}\n", 0, 200, 1, a);
  digest_of("seed: 1\nbodies:\n" CLOUD "speed: 1}\n", 0, 200, 1, b);
  is(a, b, "the same seed gives the same bodies");
  digest_of("seed: 2\nbodies:\n" CLOUD "speed: 1}\n", 0, 200, 1, b);
  isnt(a, b, "another seed gives others");
#define EQUAL "bodies: [{cloud: {count: 50, in: {sphere: {radius: 1}}, radius: 0.1, material: rock}}]\n"
  char c[40], d[40];
  digest_of(EQUAL, 0, 50, 0, c);
  digest_of("seed: 2\n" EQUAL, 0, 50, 0, d);
  isnt(c, d, "other places, even where sizes are the same");
  digest_of("bodies:\n" CLOUD "speed: 1}\n  - single: {position: [5, 5, 5], radius: 1, material: rock}\n", 0, 200, 1,
            b);
  is(a, b, "one more entry changes nothing");
  digest_of("bodies:\n" CLOUD "speed: 1}\n", 0, 200, 0, a);
  digest_of("bodies:\n" CLOUD "speed: 0, spin: [1, 1, 1]}\n", 0, 200, 0, b);
  is(a, b, "places and sizes do not depend on velocities");
}

/* Does the search find an overlap exactly where brute force does? */
static void test_search(void) {
  enum { N = 3000, PROBES = 3000 };
  struct cairn_overlap *overlap = calloc(1, sizeof *overlap);
  static double x[N][3], r[N];
  struct cairn_random random;
  struct cairn_sizes sizes = {CAIRN_SIZES_POWER_LAW, 0.005, 0.1, 0, 0, 1};
  cairn_random_init(&random, 3, 0, 0);
  cairn_overlap_init(overlap, 0.07);
  for (int i = 0; i < N; i++) {
    r[i] = cairn_sizes_draw(&sizes, &random);
    for (int k = 0; k < 3; k++)
      x[i][k] = cairn_random_between(&random, -1, 1);
    cairn_overlap_reserve(overlap, i + 1, NULL);
    cairn_overlap_insert(overlap, i, x[i], r[i]);
  }
  int agree = 0, hits = 0;
  for (int p = 0; p < PROBES; p++) {
    double at[3], radius = cairn_sizes_draw(&sizes, &random), nearest = 1;
    for (int k = 0; k < 3; k++)
      at[k] = cairn_random_between(&random, -1.2, 1.2);
    for (int i = 0; i < N; i++)
      nearest = fmin(nearest, hypot(at[0] - x[i][0], hypot(at[1] - x[i][1], at[2] - x[i][2])) - radius - r[i]);
    int32_t found = cairn_overlap_find(overlap, at, radius, NULL, NULL, NULL);
    hits += nearest < 0;
    agree += (found >= 0) == (nearest < 0);
  }
  cmp_ok(agree, "==", PROBES, "the search agrees with brute force");
  ok(hits > PROBES / 20 && hits < PROBES * 19 / 20, "in both kinds of cases (%d of %d overlap)", hits, PROBES);
  cairn_overlap_fini(overlap);
  free(overlap);
}

/* Work per body of the check that every scenario ends with, for radii 1:20 in a cube filled to 0.2. */
static double work_per_body(int n) {
  struct cairn_overlap *overlap = calloc(1, sizeof *overlap);
  struct cairn_random random;
  struct cairn_sizes sizes = {CAIRN_SIZES_POWER_LAW, 0.05, 1, 0, 0, 3};
  double edge = cbrt(n * 4.19 * 0.0085 / 0.2);
  cairn_random_init(&random, 3, 0, 0);
  cairn_overlap_init(overlap, 1);
  cairn_overlap_reserve(overlap, n, NULL);
  double *radius = malloc((size_t)n * sizeof *radius);
  for (int i = 0; i < n; i++)
    radius[i] = cairn_sizes_draw(&sizes, &random);
  for (int class = 0; class < CAIRN_OVERLAP_CLASSES; class ++)
    for (int i = 0; i < n && class >= CAIRN_OVERLAP_BASE_CLASS - 1 && class < CAIRN_OVERLAP_BASE_CLASS + 6; i++)
      if (cairn_overlap_class(overlap, radius[i]) == class) {
        double at[3];
        for (int k = 0; k < 3; k++)
          at[k] = edge * cairn_random_unit(&random);
        cairn_overlap_find(overlap, at, radius[i], NULL, NULL, NULL);
        cairn_overlap_insert(overlap, i, at, radius[i]);
      }
  double work = (double)overlap->work / n;
  cmp_ok(overlap->n, "==", n, "all inserted");
  free(radius);
  cairn_overlap_fini(overlap);
  free(overlap);
  return work;
}

static void test_linear(void) {
  double small = work_per_body(5000), large = work_per_body(80000);
  ok(large < 1.2 * small, "16 times the bodies, the same work per body: %.1f and %.1f", small, large);
  ok(large < 200, "radii from 1 to 20 cost little");
}

static void test_refusals(void) {
  refused("bodies:\n  - single: {position: [0, 0, 0], radius: 1, material: rock}\n"
          "  - single: {position: [1.5, 0, 0], radius: 1, material: rock}\n",
          "^s.yaml:6:13: bodies.1.single: body 1 at \\(1.5, 0, 0\\) overlaps body 0 at \\(0, 0, 0\\) of "
          "bodies.0.single by 0.5 of the smaller radius; allowed: 1e-06",
          "overlapping bodies");
  refused("bodies:\n  - single: {position: [0, 0, 0], radius: 1, material: rock}\n"
          "  - single: {position: [0, 0, 0], radius: 0.1, material: rock}\n",
          "^s.yaml:6:13: .*body 1 .* same place as body 0", "bodies in one place");
  refused("bodies:\n  - lattice: {counts: [3, 3, 3], spacing: 0.9, radius: 0.5, material: rock}\n",
          "^s.yaml:5:14: bodies.0.lattice: .*by 0.2 of", "a lattice that is too tight");
  refused("bodies:\n  - single: {position: [0, 0, 0.5], radius: 1, material: rock}\n"
          "walls: [{plane: {name: floor, normal: [0, 0, 2], material: rock}}]\n",
          "^s.yaml:5:13: .*body 0 at .* reaches 0.5 m into the wall floor; allowed: 1e-06 m", "a body in a wall");
  refused("bodies:\n  - single: {position: [0, 0, -5], radius: 1, material: rock}\n"
          "walls: [{plane: {name: floor, normal: [0, 0, 2], material: rock}}]\n",
          "reaches 6 m behind the wall floor.*; its normal points away from all bodies: they are behind it$",
          "a body behind a wall");
  refused("bodies:\n  - single: {position: [0, 0, -5], radius: 1, material: rock}\n"
          "  - single: {position: [0, 0, 5], radius: 1, material: rock}\n"
          "walls: [{plane: {name: floor, normal: [0, 0, 2], material: rock}}]\n",
          "reaches 6 m behind the wall floor; allowed: 1e-06 m$", "one of two behind a wall");
  refused(
      "bodies:\n  - cloud: {count: 5, in: {sphere: {center: [0, 0, 3], radius: 1}}, radius: 0.1, material: rock}\n"
      "walls: [{plane: {name: floor, normal: [0, 0, -1], material: rock}}]\n",
      "^s.yaml:5:12: bodies.0.cloud: no body found a place: all of the region is behind the wall floor, whose normal "
      "points away from it$",
      "a cloud behind a wall");
  refused("bodies:\n" CLOUD "speed: 0}\n  - cloud: {count: 5000, in: {box: {lower: [0, 0, 0], upper: [1, 1, 1]}}, "
          "radius: 0.04, material: rock}\n",
          "^s.yaml:6:12: bodies.1.cloud: only [0-9]+ of 5000 bodies found a place, filling 0.[0-9]+ of the region",
          "a cloud that does not fit");
  refused("bodies:\n  - cloud: {count: 1, in: {sphere: {radius: 1}}, radius: 1.1, material: rock}\n",
          "only 0 of 1 bodies", "a body larger than its region");
  refused(
      "bodies:\n  - cloud: {count: 1, in: {box: {lower: [0, 0, 0], upper: [1, -1, 1]}}, radius: 0.1, material: rock}\n",
      "^s.yaml:5:[0-9]+: bodies.0.cloud.in.box.upper: found -1, not above lower = 0, along y", "a box turned over");
  refused("bodies:\n  - cloud: {count: 2147483647, in: {sphere: {radius: 1}}, radius: 0.1, material: rock}\n",
          "^s.yaml:5:20: bodies.0.cloud.count: found 2147483647 bodies up to here, which need more memory", "too many");
  refused("bodies:\n  - lattice: {counts: [100000, 100000, 2], spacing: 1, radius: 0.1, material: rock}\n",
          "^s.yaml:5:23: bodies.0.lattice.counts: found 2e\\+10 bodies in all; allowed: at most 2147483647",
          "far too many");
  refused(
      "bodies:\n  - single: {position: [0, 0, 0], radius: 1, material: rocks}\n",
      "^s.yaml:5:[0-9]+: bodies.0.single.material: found rocks, which is not in materials \\(did you mean rock\\?\\); "
      "allowed: rock, ice",
      "an unknown material");
  refused("bodies:\n  - single: {position: [0, 0, 0], radius: 1e-200, material: rock}\n", "gives a mass of 0 kg",
          "a mass that underflows");
  refused("bodies:\n  - single: {position: [1e11, 0, 0], radius: 1, material: rock}\n",
          "too far from the origin.*1e\\+10 radii", "a body too far away");
  refused("bodies:\n  - single: {position: [1e300, 0, 0], radius: 1, material: rock}\n",
          "body 0: position .* too large", "a body beyond all bounds");
  refused("bodies:\n  - single: {position: [0, 0, 0], radius: 1e-4, material: rock}\n"
          "  - single: {position: [1e4, 0, 0], radius: 1000, material: rock}\n",
          "differ by a factor of 1e\\+07; allowed: 1e\\+06", "sizes too different");
  refused("bodies:\n  - cloud: {count: 1, in: {sphere: {radius: 1}}, radius: {uniform: [2, 1]}, material: rock}\n",
          "radius.uniform: found min 2 above max 1", "limits in the wrong order");
  refused(
      "bodies:\n  - cloud: {count: 1, in: {sphere: {radius: 9}}, radius: {normal: {mean: 1, deviation: 0.1, min: 3, "
      "max: 4}}, material: rock}\n",
      "between which only .* of the distribution lies", "limits in the tail");
  refused("bodies:\n  - cloud: {count: 1, in: {cylinder: {axis: [0, 0, 0], radius: 1, height: 1}}, radius: 0.1, "
          "material: rock}\n",
          "cylinder.axis: found \\[0, 0, 0\\]", "a cylinder without direction");
  struct cairn_scenario *s = make_good("overlap: {initial: 0.5}\nbodies:\n"
                                       "  - single: {position: [0, 0, 0], radius: 1, material: rock}\n"
                                       "  - single: {position: [1.5, 0, 0], radius: 1, material: rock}\n",
                                       "overlap.initial allows an overlap of half a radius");
  cairn_scenario_free(s);
}

static void write_file(const char *name, const char *text, size_t length) {
  FILE *file = fopen(name, "wb");
  fwrite(text, 1, length, file);
  fclose(file);
}

static void refused_table(const char *text, size_t length, const char *keys, const char *pattern, const char *name) {
  char rest[512];
  write_file("bad.txt", text, length);
  snprintf(rest, sizeof rest, "bodies:\n  - table: {file: bad.txt, material: rock%s}\n", keys);
  refused(rest, pattern, name);
}

static void test_tables(void) {
  static const char text[] =
      "N 3\n# x y z radius name vx mass\n0 0 0 1 rock 5 100\r\n\n1.95,0,0,1,ice,6,200 # touches\n"
      "  -1e1\t0 , 0 2 1 -7 300\n";
  write_file("bed.txt", text, strlen(text));
  struct cairn_scenario *s = make_good(
      "bodies:\n  - table: {file: bed.txt, skip_lines: 1, columns: [x, y, z, radius, material, vx, mass], scale: 2, "
      "shift: [100, 0, 0], velocity: [1, 0, 0], spin: [0, 0, 3]}\n",
      "a table with comments, commas, tabs and material names");
  const struct cairn_state *b = &s->initial;
  cmp_ok(b->n, "==", 3, "three bodies");
  ok(b->position[0] == 100 && b->position[3] == 103.9 && b->position[6] == 80, "positions are scaled, then shifted");
  ok(b->radius[0] == 2 && b->radius[2] == 4, "radii are scaled");
  ok(b->mass[0] == 100 && b->mass[2] == 300, "masses are taken as they are");
  ok(b->material[0] == 0 && b->material[1] == 1 && b->material[2] == 1, "materials by name and by number");
  ok(b->velocity[0] == 6 && b->velocity[6] == -6 && b->spin[2] == 3, "velocity and spin are added");
  cairn_scenario_free(s);

  write_file("bed.txt", "0 0 0 9\n3 0 0 9\n", 16);
  s = make_good(
      "bodies:\n  - table: {file: bed.txt, columns: [x, y, z, skip], radius: {uniform: [1, 1.2]}, material: ice}\n",
      "a table without radii");
  ok(s->initial.radius[1] >= 1 && s->initial.radius[1] <= 1.2, "radii from a distribution");
  tap_near(s->initial.mass[0], 917 * 4. / 3 * acos(-1.) * pow(s->initial.radius[0], 3), 0, 1e-14,
           "masses from density");
  cairn_scenario_free(s);

#define TABLE(text, keys, pattern) refused_table(text, sizeof text - 1, keys, pattern, text)
#define MASSES ", columns: [x, y, z, radius, mass]"
  TABLE("0 0 0 1\n5 x 0 1\n", "", "^bad.txt:2:3: found x; allowed: a finite number");
  TABLE("0 0 0 1\n5 nan 0 1\n", "", "^bad.txt:2:3: found nan");
  TABLE("0 0 0 1\n5 1e999 0 1\n", "", "^bad.txt:2:3: found 1e999");
  TABLE("0 0 0 -1\n", "", "^bad.txt:1:7: found -1; allowed: a radius > 0");
  TABLE("0 0 0 0\n", "", "^bad.txt:1:7: found 0; allowed: a radius > 0");
  TABLE("0 0 0 1 2\n5 0 0 1 0\n", MASSES, "^bad.txt:2:9: found 0; allowed: a mass > 0");
  TABLE("0 0 0 1 -2\n", MASSES, "^bad.txt:1:9: found -2; allowed: a mass > 0");
  TABLE("0 0 0 1 nan\n", MASSES, "^bad.txt:1:9: found nan; allowed: a finite number");
  TABLE("0 0 0 1\n0 0 0 1\n", "", "^s.yaml:5:12: bodies.0.table: body 1 .* in the same place as body 0");
  TABLE("0 0 0\n", "", "^bad.txt:1:6: found 3 columns; allowed: 4 columns");
  TABLE("0 0 0 1 2\n", "", "^bad.txt:1:9: found 2; allowed: 4 columns");
  TABLE("0 0,,0 1\n", "", "^bad.txt:1:5: found ; allowed: a finite number");
  TABLE("0 0 0\0 1\n", "", "^bad.txt:1:6: found a NUL");
  TABLE("# nothing\n", "", "^bad.txt:1:1: found no body");
  TABLE("", "", "^bad.txt:0:1: found no body");
  TABLE("\xff\xfe"
        "0\n",
        "", "^bad.txt:1:1: found");
  TABLE("0 0 0 1\n1.8 0 0 1\n", "",
        "^s.yaml:5:12: bodies.0.table: body 1 .* overlaps body 0 .* by 0.2 of .*allowed: 0.05");
  TABLE("0 0 0 1\n", ", columns: [x, y, radius]", "bodies.0.table.columns: the column z is missing");
  TABLE("0 0 0 1\n", ", columns: [x, y, z, x]", "bodies.0.table.columns.3: found x a second time");
  TABLE("0 0 0 1\n", ", columns: [x, y, z]", "needs either the key radius or a column");
  TABLE("0 0 0 1\n", ", radius: 1", "needs either the key radius or a column");
  TABLE("0 0 0 1\n", ", columns: [x, y, z, r]", "columns.3: found r; allowed: list of words: x, y, z, vx");
  char line[5000];
  memset(line, '1', sizeof line);
  refused_table(line, sizeof line, "", "^bad.txt:1:1: found a line that does not end", "an endless line");
  refused("bodies:\n  - table: {file: none.txt, material: rock}\n",
          "^s.yaml:5:[0-9]+: bodies.0.table.file: cannot find the file none.txt: No such file", "a missing file");
  refused("bodies:\n  - table: {file: ., material: rock}\n", "cannot be read: not a regular file", "a folder");
  mkfifo("pipe", 0600);
  refused("bodies:\n  - table: {file: pipe, material: rock}\n", "pipe: cannot be read: not a regular file",
          "a pipe nobody writes to");
  unlink("pipe");
}

/* Two touching bodies as an earlier run leaves them. */
static void write_run(const char *path) {
  struct cairn_state state = {0};
  const double box[2][3] = {{0, 0, 0}, {9, 9, 9}};
  struct cairn_provenance *provenance = calloc(1, sizeof *provenance);
  struct cairn_trajectory *trajectory = NULL;
  struct cairn_observables observables = {0};
  cairn_state_resize(&state, 2, NULL);
  for (int i = 0; i < 2; i++) {
    state.position[3 * i] = 1.97 * i;
    state.velocity[3 * i + 1] = 5;
    state.spin[3 * i + 2] = 6;
    state.radius[i] = 1;
    state.mass[i] = 10 + i;
    state.material[i] = i;
  }
  int status = cairn_trajectory_create(path, &state, box, NULL, false, provenance, &trajectory, &error);
  for (int frame = 0; status == 0 && frame < 2; frame++) {
    status = cairn_trajectory_append(trajectory, &state, &observables, NULL, NULL, &error);
    state.position[2] += 0.1;
    observables.time += 1;
  }
  if (status == 0)
    status = cairn_trajectory_close(trajectory, &error);
  if (status)
    diag("%s", error.message);
  cairn_state_fini(&state);
  free(provenance);
}

static void test_runs(void) {
  write_run("earlier.nc");
  struct cairn_scenario *s = make_good("bodies:\n  - single: {position: [0, 0, 9], radius: 1, material: rock}\n"
                                       "  - run: {file: earlier.nc, shift: [0, 0, 1], velocity: [3, 0, 0]}\n",
                                       "bodies of an earlier run after a single one");
  const struct cairn_state *b = &s->initial;
  cmp_ok(b->n, "==", 3, "three bodies");
  tap_near(b->position[3 + 2], 1.1, 1e-6, 0, "the last frame, shifted");
  tap_near(b->position[6], 1.97, 1e-6, 0, "the overlap of a settled pair is allowed");
  ok(b->velocity[3] == 3 && b->velocity[4] == 5 && b->spin[8] == 6, "velocity is added, spin kept");
  ok(b->mass[2] == 11 && b->material[1] == 0 && b->material[2] == 1, "masses and materials are kept");
  ok(b->acceleration[3] == 0, "accelerations start at zero");
  cairn_scenario_free(s);
  s = make_good("bodies:\n  - run: {file: earlier.nc, frame: 0, material: ice}\n",
                "the first frame, in another material");
  ok(s->initial.position[2] == 0 && s->initial.material[0] == 1 && s->initial.mass[0] == 10, "is what is read");
  cairn_scenario_free(s);
  refused("bodies:\n  - run: {file: earlier.nc, frame: 2}\n", "^s.yaml:5:17: bodies.0.run.file: .*frame",
          "no such frame");
  refused("bodies:\n  - run: {file: bed.txt}\n", "^s.yaml:5:17: bodies.0.run.file: ", "not a trajectory");
  struct cairn_scenario *one = NULL;
  static const char text[] = "time: {end: 1}\nmaterials: [{name: a, density: 1}]\ninteractions: [{between: [a, a]}]\n"
                             "bodies: [{run: {file: earlier.nc}}]\n";
  cmp_ok(cairn_scenario_parse(text, sizeof text - 1, "s.yaml", 0, NULL, 0, &one, &error), "==", CAIRN_ERR_INPUT,
         "a material number without a material");
  like(error.message, "body 1 of the run has material number 1; allowed: 0 to 0", "is named");
}

int main(void) {
  char folder[] = "bodies-XXXXXX";
  if (!mkdtemp(folder) || chdir(folder) != 0)
    BAIL_OUT("no temporary folder");
  plan(NO_PLAN);
  test_random();
  test_sizes();
  test_single_and_lattice();
  test_clouds();
  test_seeds();
  test_search();
  test_linear();
  test_refusals();
  test_tables();
  test_runs();
  if (system("rm -f bed.txt bad.txt earlier.nc") != 0 || chdir("..") != 0 || rmdir(folder) != 0)
    diag("the temporary folder %s stays", folder);
  done_testing();
}
