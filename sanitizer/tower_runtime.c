// SPDX-License-Identifier: Apache-2.0
// What emitted code looks up and calls. The tables of the process: multipliers, and inverses, roots and logarithms of
// the numbers in short fractions. The functions: rules with tables, or with loops of their own length in every lane.
#include "sanitizer/tower_internal.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// ---- tables ---------------------------------------------------------------------------------------------------------

static struct {
    pthread_mutex_t lock;
    atomic_bool multipliers_ready, ready[TOWER_ALL_CHAINS][TOWER_TABLE_COUNT];
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
    const Tower *t = tower_of_chain(chain);
    for (unsigned i = 0; i < t->length; i++) {
        uint32_t p = t->prime[i].p, *inverse = once.tables.numbers[chain].inverse[i];
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
    const Tower *t = tower_of_chain(chain);
    for (unsigned i = 0; i < t->length; i++) {
        uint32_t p = t->prime[i].p, *root = once.tables.numbers[chain].root[i];
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

// The lock is held.
static void need_multipliers(void) {
    if (!once.multipliers_ready) tower_make_multipliers(&once.tables.multipliers);
    once.multipliers_ready = true;
}

void tower_prepare(void) {
    tower_chain(0);
    pthread_mutex_lock(&once.lock);
    need_multipliers();
    pthread_mutex_unlock(&once.lock);
}

static void make_table(unsigned chain, TowerTable function) {
    pthread_mutex_lock(&once.lock);
    need_multipliers();
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

// ---- functions ------------------------------------------------------------------------------------------------------

#define EXPORTED __attribute__((visibility("default")))

static TowerPayload load_lane(const Tower *t, const uint32_t *values, uint32_t lanes, uint32_t lane) {
    TowerPayload a = {0};
    for (unsigned i = 0; i < t->length; i++) a.component[i] = values[i * lanes + lane];
    a.state = values[t->length * lanes + lane];
    return a;
}

static void store_lane(const Tower *t, uint32_t *values, uint32_t lanes, uint32_t lane, TowerPayload a) {
    for (unsigned i = 0; i < t->length; i++) values[i * lanes + lane] = a.component[i];
    values[t->length * lanes + lane] = a.state;
}

EXPORTED void congruent_tower_powi(uint32_t tower, uint32_t lanes, const uint32_t *a, const int32_t *exponents,
                                   uint32_t *result) {
    const Tower *t = tower_chain(tower);
    for (uint32_t lane = 0; lane < lanes; lane++)
        store_lane(t, result, lanes, lane, tower_powi(t, load_lane(t, a, lanes, lane), exponents[lane]));
}

#define BINARY(name)                                                                                                   \
    EXPORTED void congruent_tower_##name(uint32_t tower, uint32_t lanes, const uint32_t *a, const uint32_t *b,         \
                                         const int32_t *ieee_signs, uint32_t *result) {                                \
        const Tower *t = tower_chain(tower);                                                                           \
        for (uint32_t lane = 0; lane < lanes; lane++)                                                                  \
            store_lane(t, result, lanes, lane,                                                                         \
                       tower_##name(t, load_lane(t, a, lanes, lane), load_lane(t, b, lanes, lane), ieee_signs[lane])); \
    }
#define UNARY(name)                                                                                                    \
    EXPORTED void congruent_tower_##name(uint32_t tower, uint32_t lanes, const uint32_t *a, uint32_t *result) {        \
        const Tower *t = tower_chain(tower);                                                                           \
        for (uint32_t lane = 0; lane < lanes; lane++)                                                                  \
            store_lane(t, result, lanes, lane, tower_##name(t, load_lane(t, a, lanes, lane)));                         \
    }
BINARY(pow)
BINARY(mul)
BINARY(div)
UNARY(sqrt)
UNARY(rsqrt)

EXPORTED const void *congruent_tower_tables(uint32_t chain, uint32_t function) {
    return tower_tables(chain, (TowerTable)function);
}

void *tower_runtime_address(const char *name) {
    static const struct {
        const char *name;
        void *address;
    } functions[] = {{"congruent_tower_pow", (void *)congruent_tower_pow},
                     {"congruent_tower_powi", (void *)congruent_tower_powi},
                     {"congruent_tower_mul", (void *)congruent_tower_mul},
                     {"congruent_tower_div", (void *)congruent_tower_div},
                     {"congruent_tower_sqrt", (void *)congruent_tower_sqrt},
                     {"congruent_tower_rsqrt", (void *)congruent_tower_rsqrt},
                     {"congruent_tower_tables", (void *)congruent_tower_tables}};
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name)) return functions[i].address;
    return NULL;
}
