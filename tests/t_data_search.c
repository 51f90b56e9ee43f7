/* The search for close pairs against the test of all pairs. */
#include "tap/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "data/base/random.h"
#include "data/cells/search.h"

static int compare_keys(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Pairs as sorted numbers, whichever index came first. */
static int64_t *keys_of(const struct cairn_pairs *pairs) {
  int64_t *key = malloc((size_t)pairs->n * sizeof *key + 1);
  if (!key)
    BAIL_OUT("out of memory");
  for (int64_t k = 0; k < pairs->n; k++) {
    const int64_t i = pairs->pair[k][0], j = pairs->pair[k][1];
    key[k] = i < j ? i << 32 | j : j << 32 | i;
  }
  qsort(key, (size_t)pairs->n, sizeof *key, compare_keys);
  return key;
}

static void compare(const struct cairn_sphere *sphere, int32_t n_own, int32_t n, double skin, const char *name) {
  struct cairn_pairs found = {0}, wanted = {0};
  if (cairn_search_pairs(sphere, n_own, n, skin, &found, NULL) ||
      cairn_search_pairs_brute_force(sphere, n_own, n, skin, &wanted, NULL))
    BAIL_OUT("out of memory");
  int64_t *got = keys_of(&found), *want = keys_of(&wanted);
  int same = found.n == wanted.n;
  if (same && found.n > 0)
    same = memcmp(got, want, (size_t)found.n * sizeof *got) == 0;
  ok(same, "%s: %d of %d own, %lld pairs", name, n_own, n, (long long)wanted.n);
  if (!same)
    diag("the grids find %lld pairs", (long long)found.n);
  free(got);
  free(want);
  cairn_search_pairs_fini(&found);
  cairn_search_pairs_fini(&wanted);
}

enum shape { BOX, CLUSTERS, FLAT, LINE, CORNERS };

/* Spheres with radii from 1 to `ratio`, small ones frequent (as many in each octave by number as by dN/dr ∝ r^-2), in a
 * region twice as large as they are. */
static void scatter(struct cairn_sphere *sphere, int32_t n, double ratio, enum shape shape, uint64_t seed) {
  struct cairn_random random;
  cairn_random_init(&random, seed, 0, 0);
  double volume = 0., widest = 0.;
  for (int32_t i = 0; i < n; i++) {
    sphere[i].r = ratio > 1. ? 1. / (1. - cairn_random_unit(&random) * (1. - 1. / ratio)) : 1.;
    volume += 8. * pow(sphere[i].r, 3.);
    widest += 2. * sphere[i].r;
  }
  const double edge = 0.5 * cbrt(volume);
  for (int32_t i = 0; i < n; i++) {
    double x[3];
    for (int k = 0; k < 3; k++)
      x[k] = edge * cairn_random_between(&random, -1., 1.);
    if (shape == CLUSTERS) /* two thirds of the bodies in a few clumps far apart */
      for (int k = 0; k < 3; k++)
        x[k] = i % 3 == 0 ? 50. * x[k] : 0.2 * x[k] + 30. * edge * (double)(i % 5);
    if (shape == FLAT)
      x[2] = 7.;
    if (shape == LINE) {
      x[0] = widest * cairn_random_unit(&random);
      x[1] = x[2] = -3.;
    }
    if (shape == CORNERS) /* on the borders of bins as often as possible */
      for (int k = 0; k < 3; k++)
        x[k] = 2. * floor(0.5 * x[k]);
    sphere[i].x = x[0];
    sphere[i].y = x[1];
    sphere[i].z = x[2];
  }
}

static void test_against_brute_force(void) {
  enum { N = 1500 };
  static struct cairn_sphere sphere[N];
  static const char *const shapes[] = {"box", "clusters", "flat", "line", "grid points"};
  static const double ratios[] = {1., 2., 20., 100., 1e9};
  for (int shape = BOX; shape <= CORNERS; shape++)
    for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++) {
      char name[128];
      scatter(sphere, N, ratios[r], (enum shape)shape, 10 * r + (uint64_t)shape);
      snprintf(name, sizeof name, "%s, radii 1:%g", shapes[shape], ratios[r]);
      compare(sphere, N, N, 0.3, name);
      compare(sphere, N / 3, N, 0.3, name);
      compare(sphere, N, N, 5., name);
    }
}

static void test_degenerate(void) {
  struct cairn_sphere sphere[64] = {{0., 0., 0., 1.}, {0., 0., 2.05, 1.}};
  compare(sphere, 0, 0, 0.1, "no sphere");
  compare(sphere, 1, 1, 0.1, "one sphere");
  compare(sphere, 2, 2, 0.1, "two close ones");
  compare(sphere, 1, 2, 0.1, "two close ones");
  compare(sphere, 0, 2, 0.1, "two of others");
  compare(sphere, 2, 2, 0.01, "two apart");
  for (int i = 0; i < 64; i++)
    sphere[i] = (struct cairn_sphere){1., 2., 3., 1.};
  compare(sphere, 64, 64, 0.1, "all in one place");
  for (int i = 0; i < 64; i++)
    sphere[i] = (struct cairn_sphere){i % 2 ? 1e300 : -1e300, i < 32 ? -1e300 : 1e300, 0., 1.};
  compare(sphere, 64, 64, 0.1, "at the ends of the numbers");
  alarm(100); /* numbers that are none, or whose differences are none, must not keep the search from ending */
  for (int i = 0; i < 64; i++)
    sphere[i] = (struct cairn_sphere){i % 2 ? 1.7e308 : -1.7e308, i < 32 ? -1.7e308 : 1.7e308, 0., 1.};
  compare(sphere, 64, 64, 0.1, "farther apart than any number");
  for (int i = 0; i < 64; i++)
    sphere[i] = (struct cairn_sphere){i, 0., 0., i % 2 ? 1e300 : 1.7e308};
  compare(sphere, 64, 64, 1.7e308, "a reach beyond any number");
  for (int i = 0; i < 64; i++)
    sphere[i] = (struct cairn_sphere){i, 0., 0., 0.};
  compare(sphere, 64, 64, 0., "points");
  sphere[7].x = (double)INFINITY;
  sphere[9].y = (double)NAN;
  for (int i = 0; i < 64; i++)
    sphere[i].r = 1.;
  compare(sphere, 64, 64, 0.1, "two of them nowhere");
  alarm(0);
  sphere[0] = (struct cairn_sphere){0., 0., 0., 1e6};
  for (int i = 1; i < 64; i++)
    sphere[i] = (struct cairn_sphere){1e6 + 1e-3 * i, 0., 0., 1e-3};
  compare(sphere, 64, 64, 1e-3, "dust on a giant");
}

static double seconds_of(const struct cairn_sphere *sphere, int32_t n, double skin, int64_t *n_pairs) {
  struct cairn_pairs pairs = {0};
  struct timespec a, b;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
  if (cairn_search_pairs(sphere, n, n, skin, &pairs, NULL))
    BAIL_OUT("out of memory");
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
  *n_pairs = pairs.n;
  cairn_search_pairs_fini(&pairs);
  return (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}

/* The cost for many sizes next to that for one: printed, since a clock on a busy machine proves nothing. */
static void report_cost(void) {
  enum { N = 50000 };
  struct cairn_sphere *sphere = malloc(N * sizeof *sphere);
  if (!sphere)
    BAIL_OUT("out of memory");
  static const double ratios[] = {1., 2., 20., 100.};
  for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++) {
    int64_t n_pairs;
    scatter(sphere, N, ratios[r], BOX, r);
    const double seconds = seconds_of(sphere, N, 0.1, &n_pairs);
    note("radii 1:%-4g %.0f ns per sphere, %.1f pairs per sphere", ratios[r], 1e9 * seconds / N, (double)n_pairs / N);
  }
  free(sphere);
}

int main(void) {
  plan(NO_PLAN);
  test_against_brute_force();
  test_degenerate();
  report_cost();
  done_testing();
}
