// SPDX-License-Identifier: Apache-2.0
// The tables of the process: multipliers, and inverses, roots and logarithms of the numbers in short fractions.
#include "sanitizer/tower_internal.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static struct {
    pthread_mutex_t lock;
    atomic_bool multipliers_ready, ready[TOWER_CHAINS][TOWER_TABLE_COUNT];
    TowerTables tables;
} once = {.lock = PTHREAD_MUTEX_INITIALIZER}; // each table written once, before it is ready

// The numbers that fractions have.
static uint32_t end_of(uint32_t p) {
    uint32_t end = tower_fraction_end(&once.tables.multipliers, p);
    assert(end <= TOWER_FRACTION_MAX);
    return end;
}

// p = q n + r: 1/n is -q / r.
static void make_inverses(unsigned chain) {
    for (unsigned i = 0; i < TOWER_LENGTH; i++) {
        uint32_t p = tower_chain(chain)->prime[i].p, *inverse = once.tables.numbers[chain].inverse[i];
        uint32_t end = end_of(p);
        inverse[1] = 1;
        for (uint32_t n = 2; n < end; n++) inverse[n] = tower_mul_mod(p - p / n, inverse[p % n], p);
    }
}

// The smallest prime factor of each number.
static void make_factors(uint16_t *factor) {
    for (uint32_t n = 2; n < TOWER_FRACTION_MAX; n++) factor[n] = (uint16_t)n;
    for (uint32_t r = 2; r * r < TOWER_FRACTION_MAX; r++)
        for (uint32_t n = r * r; factor[r] == r && n < TOWER_FRACTION_MAX; n += r)
            if (factor[n] == n) factor[n] = (uint16_t)r;
}

// Roots are multiplicative. The square of a prime's root is that prime or its negative.
static void make_roots(unsigned chain) {
    uint16_t *factor = malloc(TOWER_FRACTION_MAX * sizeof *factor);
    if (!factor) abort(); // as arenas do
    make_factors(factor);
    for (unsigned i = 0; i < TOWER_LENGTH; i++) {
        uint32_t p = tower_chain(chain)->prime[i].p, *root = once.tables.numbers[chain].root[i];
        uint32_t *inverse_root = once.tables.numbers[chain].inverse_root[i];
        const uint32_t *inverse = once.tables.numbers[chain].inverse[i];
        uint32_t end = end_of(p);
        root[1] = inverse_root[1] = 1;
        for (uint32_t n = 2; n < end; n++) {
            uint32_t q = factor[n], rest = n / q;
            if (rest > 1) {
                root[n] = tower_mul_mod(root[q], root[rest], p);
                inverse_root[n] = tower_mul_mod(inverse_root[q], inverse_root[rest], p);
            } else {
                root[n] = tower_power(n, (p + 1) / 4, p);
                inverse_root[n] = tower_mul_mod(root[n], inverse[n], p);
                if (tower_mul_mod(root[n], root[n], p) != n) inverse_root[n] = p - inverse_root[n];
            }
        }
    }
    free(factor);
}

static void make_table(unsigned chain, TowerTable function) {
    pthread_mutex_lock(&once.lock);
    if (!once.multipliers_ready) tower_make_multipliers(&once.tables.multipliers);
    once.multipliers_ready = true;
    if (!once.ready[chain][function]) {
        if (function == TOWER_TABLE_INVERSES) make_inverses(chain);
        if (function == TOWER_TABLE_ROOTS) make_roots(chain);
        if (function == TOWER_TABLE_LOGARITHMS)
            tower_make_logarithms(&once.tables.multipliers, chain, once.tables.numbers[chain].log);
        once.ready[chain][function] = true;
    }
    pthread_mutex_unlock(&once.lock);
}

TowerTables *tower_tables(unsigned chain, TowerTable function) {
    if (!atomic_load_explicit(&once.ready[chain][function], memory_order_acquire)) {
        if (function == TOWER_TABLE_ROOTS) tower_tables(chain, TOWER_TABLE_INVERSES); // roots are made with them
        make_table(chain, function);
    }
    return &once.tables;
}

void tower_make_tables(unsigned chain) {
    for (unsigned table = 0; table < TOWER_TABLE_COUNT; table++) tower_tables(chain, (TowerTable)table);
}
