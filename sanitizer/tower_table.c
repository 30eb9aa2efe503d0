// SPDX-License-Identifier: Apache-2.0
// Tables of inverses and roots of the numbers that short fractions have above and below their bar.
#include "sanitizer/tower_internal.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static struct {
    pthread_mutex_t lock;
    atomic_bool ready[TOWER_CHAINS][TOWER_TABLE_COUNT];
    TowerInverses inverses[TOWER_CHAINS];
    TowerRoots roots[TOWER_CHAINS];
} tables = {.lock = PTHREAD_MUTEX_INITIALIZER}; // each written once, before it is ready

// Entries that fractions ask for.
static uint32_t entries_of(uint32_t p) {
    uint32_t above = tower_numerator_limit(p), below = tower_denominator_limit(p);
    uint32_t count = (above > below ? above : below) + 1;
    assert(count <= TOWER_FRACTION_MAX);
    return count;
}

// p = q n + r: 1/n is -q / r.
static void make_inverses(unsigned chain) {
    for (unsigned i = 0; i < TOWER_LENGTH; i++) {
        uint32_t p = tower_chain(chain)->prime[i].p, *inverse = tables.inverses[chain].inverse[i];
        uint32_t count = entries_of(p);
        inverse[1] = 1;
        for (uint32_t n = 2; n < count; n++) inverse[n] = tower_mul_mod(p - p / n, inverse[p % n], p);
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
        uint32_t p = tower_chain(chain)->prime[i].p, *root = tables.roots[chain].root[i];
        uint32_t *inverse_root = tables.roots[chain].inverse_root[i];
        const uint32_t *inverse = tables.inverses[chain].inverse[i];
        uint32_t count = entries_of(p);
        root[1] = inverse_root[1] = 1;
        for (uint32_t n = 2; n < count; n++) {
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

static void make_table(unsigned chain, TowerTable table) {
    pthread_mutex_lock(&tables.lock);
    if (!tables.ready[chain][table]) {
        if (table == TOWER_TABLE_INVERSES)
            make_inverses(chain);
        else
            make_roots(chain);
        tables.ready[chain][table] = true;
    }
    pthread_mutex_unlock(&tables.lock);
}

const void *tower_numbers(unsigned chain, TowerTable table) {
    if (table == TOWER_TABLE_MULTIPLIERS) return tower_multipliers();
    if (table == TOWER_TABLE_LOGARITHMS) return tower_logarithms(chain);
    if (table == TOWER_TABLE_ROOTS) tower_numbers(chain, TOWER_TABLE_INVERSES);
    if (!atomic_load_explicit(&tables.ready[chain][table], memory_order_acquire)) make_table(chain, table);
    return table == TOWER_TABLE_INVERSES ? (const void *)&tables.inverses[chain] : &tables.roots[chain];
}
