#include "data/base/random.h"

#include <math.h>

/* splitmix64: spreads any seed, even 0 or 1, over all 64 bits. */
static uint64_t split_mix(uint64_t *state) {
  *state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t bits, int by) { return (bits << by) | (bits >> (64 - by)); }

void cairn_random_init(struct cairn_random *random, uint64_t seed, uint64_t entry, uint64_t purpose) {
  uint64_t state = seed;
  /* Each name is mixed before the next one enters: (1, 0) and (0, 1) must not meet. */
  state = split_mix(&state) ^ entry;
  state = split_mix(&state) ^ purpose;
  for (int i = 0; i < 4; i++)
    random->s[i] = split_mix(&state);
}

uint64_t cairn_random_bits(struct cairn_random *random) {
  uint64_t *s = random->s;
  uint64_t result = rotate_left(s[0] + s[3], 23) + s[0];
  uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate_left(s[3], 45);
  return result;
}

double cairn_random_unit(struct cairn_random *random) { return (double)(cairn_random_bits(random) >> 11) * 0x1p-53; }

double cairn_random_between(struct cairn_random *random, double lower, double upper) {
  double x = lower + (upper - lower) * cairn_random_unit(random);
  return x < lower ? lower : x > upper ? upper : x;
}

double cairn_random_normal(struct cairn_random *random) {
  double u = 1 - cairn_random_unit(random); /* in (0, 1]: the logarithm stays finite */
  double angle = 6.283185307179586 * cairn_random_unit(random);
  return sqrt(-2 * log(u)) * cos(angle);
}

void cairn_random_direction(struct cairn_random *random, double direction[3]) {
  double z = cairn_random_between(random, -1, 1);
  double angle = 6.283185307179586 * cairn_random_unit(random);
  double ring = sqrt(1 - z * z);
  direction[0] = ring * cos(angle);
  direction[1] = ring * sin(angle);
  direction[2] = z;
}
