#include "data/cells/morton.h"

#include <math.h>
#include <string.h>

/* Put two zero bits before each of the 21 low bits of x. */
static uint64_t spread(uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x001f00000000ffff;
  x = (x | x << 16) & 0x001f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  x = (x | x << 2) & 0x1249249249249249;
  return x;
}

static uint64_t quantise(double x, double lower, double scale) {
  const double q = (x - lower) * scale, most = (double)((1 << CAIRN_MORTON_BITS) - 1);
  if (!(q > 0.))
    return 0;
  return q < most ? (uint64_t)q : (uint64_t)most;
}

uint64_t cairn_morton_key(const double position[3], const double lower[3], double scale) {
  return spread(quantise(position[0], lower[0], scale)) | spread(quantise(position[1], lower[1], scale)) << 1 |
         spread(quantise(position[2], lower[2], scale)) << 2;
}

enum { RADIX = 11, BUCKETS = 1 << RADIX, PASSES = 6 };

static uint64_t digit(uint64_t key, int pass) { return key >> (pass * RADIX) & (BUCKETS - 1); }

/* For a few: counting would cost more than sorting. */
static void insert(struct cairn_morton *entry, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    const struct cairn_morton moved = entry[i];
    int64_t k = i;
    for (; k > 0 && entry[k - 1].key > moved.key; k--)
      entry[k] = entry[k - 1];
    entry[k] = moved;
  }
}

/* Least significant digit first, all digits counted in one go. A digit that all keys share needs no pass. */
void cairn_morton_sort(struct cairn_morton *entry, struct cairn_morton *scratch, int64_t n) {
  if (n < 100) {
    insert(entry, n);
    return;
  }
  struct cairn_morton *from = entry, *to = scratch;
  int64_t start[PASSES][BUCKETS] = {{0}};
  for (int64_t i = 0; i < n; i++)
    for (int pass = 0; pass < PASSES; pass++)
      start[pass][digit(from[i].key, pass)]++;
  for (int pass = 0; pass < PASSES; pass++) {
    int64_t *place = start[pass], sum = 0;
    if (place[digit(from[0].key, pass)] == n)
      continue;
    for (int b = 0; b < BUCKETS; b++) {
      const int64_t count = place[b];
      place[b] = sum;
      sum += count;
    }
    for (int64_t i = 0; i < n; i++)
      to[place[digit(from[i].key, pass)]++] = from[i];
    struct cairn_morton *swap = from;
    from = to;
    to = swap;
  }
  if (from != entry)
    memcpy(entry, from, (size_t)n * sizeof *entry);
}

double cairn_morton_scale(const double lower[3], const double upper[3]) {
  double edge = 0.;
  for (int k = 0; k < 3; k++)
    edge = fmax(edge, upper[k] - lower[k]);
  return edge > 0. ? (double)(1 << CAIRN_MORTON_BITS) / edge : 0.;
}

void cairn_morton_order(const double *position, struct cairn_morton *entry, struct cairn_morton *scratch, int64_t n) {
  double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int64_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      const double x = position[3 * (int64_t)entry[i].id + k];
      lower[k] = fmin(lower[k], x);
      upper[k] = fmax(upper[k], x);
    }
  const double scale = cairn_morton_scale(lower, upper);
  for (int64_t i = 0; i < n; i++)
    entry[i].key = cairn_morton_key(position + 3 * (int64_t)entry[i].id, lower, scale);
  cairn_morton_sort(entry, scratch, n);
}

/* The part [from, to), whose keys agree above the given bit. */
static int32_t cut(const struct cairn_morton *entry, int64_t from, int64_t to, int bit, int64_t max_bodies,
                   int64_t *end, int32_t n_parts) {
  if (from == to)
    return n_parts;
  if (to - from <= max_bodies || bit < 0) {
    end[n_parts] = to;
    return n_parts + 1;
  }
  int64_t low = from, high = to;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (entry[middle].key >> bit & 1)
      high = middle;
    else
      low = middle + 1;
  }
  n_parts = cut(entry, from, low, bit - 1, max_bodies, end, n_parts);
  return cut(entry, low, to, bit - 1, max_bodies, end, n_parts);
}

int32_t cairn_morton_cut(const struct cairn_morton *entry, int64_t n, int64_t max_bodies, int64_t *end) {
  return cut(entry, 0, n, 3 * CAIRN_MORTON_BITS - 1, max_bodies, end, 0);
}
