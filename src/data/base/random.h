/* Random numbers for the generators of bodies: xoshiro256++ (Blackman and Vigna 2021), one stream per purpose. */
#ifndef CAIRN_DATA_BASE_RANDOM_H
#define CAIRN_DATA_BASE_RANDOM_H

#include <stdint.h>

struct cairn_random {
  uint64_t s[4];
};

/* Start the stream named by three numbers. Different names give unrelated streams, so that one more entry in `bodies`,
 * or one more random property of an entry, changes nothing else. */
void cairn_random_init(struct cairn_random *random, uint64_t seed, uint64_t entry, uint64_t purpose);

uint64_t cairn_random_bits(struct cairn_random *random);

/* Uniform in [0, 1): 53 bits. */
double cairn_random_unit(struct cairn_random *random);

/* Uniform in [lower, upper]. */
double cairn_random_between(struct cairn_random *random, double lower, double upper);

/* Standard normal. */
double cairn_random_normal(struct cairn_random *random);

/* A unit vector, uniform over the sphere. */
void cairn_random_direction(struct cairn_random *random, double direction[3]);

#endif
