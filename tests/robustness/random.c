// SPDX-License-Identifier: Apache-2.0
// Random numbers that follow from a seed, and numbers that tend to break things.
#include "tests/robustness/random.h"

uint64_t random_next(Random *random) { // splitmix64
    uint64_t x = random->state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

uint64_t random_below(Random *random, uint64_t limit) {
    return limit ? random_next(random) % limit : 0;
}

uint64_t random_edge(Random *random) {
    uint64_t power = UINT64_C(1) << random_below(random, 64);
    switch (random_below(random, 6)) {
    case 0: return random_below(random, 9);
    case 1: return power;
    case 2: return power - 1;
    case 3: return -power;
    case 4: return -random_below(random, 9);
    default: return random_next(random) >> random_below(random, 64);
    }
}
