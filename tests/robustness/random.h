// SPDX-License-Identifier: Apache-2.0
// Random numbers that follow from a seed, and numbers that tend to break things.
#ifndef CONGRUENT_TEST_RANDOM_H
#define CONGRUENT_TEST_RANDOM_H

#include <stdint.h>

typedef struct Random {
    uint64_t state;
} Random;
uint64_t random_next(Random *random);
uint64_t random_below(Random *random, uint64_t limit); // 0 .. limit - 1; 0 if the limit is 0
// A number from where things go wrong: small ones, powers of two and their neighbours, the ends of types.
uint64_t random_edge(Random *random);

#endif
