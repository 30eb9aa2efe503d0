// SPDX-License-Identifier: Apache-2.0
// Discrete logarithms to base 2 in the fields of a chain.
//
// Every y mod p is +-a/(s b) with small a, b and s (tower_fraction.c). So log y = log a - log b - log s, and a table of
// the logarithms of small numbers (some 13000 of them in the largest field) answers every question. In F*, of order 2
// p_i, the powers of 2 are the squares, and -1 is none: with y = (-1)^s 2^x both x mod p_i and s add up under
// multiplication, and -1 has x = 0, s = 1. Table entries hold both.
//
// The table: logarithms are additive, so primes r suffice. p = r t + s for t near p/r gives log r = log(-s) - log t,
// which is known when s and t have only prime factors below r; some t soon has. Small r are found by baby steps, giant
// steps.
#include "sanitizer/tower_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    SIEVE = 1 << 16,   // numbers below it are factored by table
    STEPS_BELOW = 128, // primes below it by baby steps, giant steps
    BABY_STEPS = 1 << 15,
    HASH_BITS = 17,
};

// x in the low bits, s in the highest.
static const uint32_t negative = (uint32_t)1 << 31;

typedef struct LogTable {
    uint32_t p, order; // p_{i+1}, p_i
    uint32_t *log;     // by number
} LogTable;

static uint32_t log_add(const LogTable *table, uint32_t a, uint32_t b) {
    return ((a ^ b) & negative) | tower_add_mod(a & ~negative, b & ~negative, table->order);
}

static uint32_t log_invert(const LogTable *table, uint32_t a) {
    return (a & negative) | tower_neg_mod(a & ~negative, table->order);
}

// ---- baby steps, giant steps ----------------------------------------------------------------------------------------

typedef struct Steps {
    uint32_t value[1 << HASH_BITS], exponent[1 << HASH_BITS]; // open addressing; value 0: empty
} Steps;

static uint32_t *find_step(Steps *steps, uint32_t value, uint32_t **exponent) {
    uint32_t at = value * 0x9e3779b1u >> (32 - HASH_BITS);
    while (steps->value[at] && steps->value[at] != value) at = (at + 1) % (1 << HASH_BITS);
    *exponent = &steps->exponent[at];
    return &steps->value[at];
}

static void make_steps(Steps *steps, uint32_t p) {
    memset(steps, 0, sizeof *steps);
    uint32_t power = 1, *exponent;
    for (uint32_t j = 0; j < BABY_STEPS; j++, power = tower_mul_mod(power, 2, p)) {
        *find_step(steps, power, &exponent) = power;
        *exponent = j;
    }
}

static uint32_t walk_steps(Steps *steps, const LogTable *table, uint32_t y) {
    uint32_t p = table->p, sign = 0;
    if (tower_power(y, table->order, p) != 1) y = p - y, sign = negative;
    uint32_t giant = tower_power((p + 1) / 2, BABY_STEPS, p), *exponent;
    for (uint32_t k = 0;; k++, y = tower_mul_mod(y, giant, p))
        if (*find_step(steps, y, &exponent))
            return sign | (uint32_t)(((uint64_t)k * BABY_STEPS + *exponent) % table->order);
}

// ---- the table ------------------------------------------------------------------------------------------------------

// The smallest prime factor of each number below SIEVE.
static void make_sieve(uint16_t *factor) {
    memset(factor, 0, SIEVE * sizeof *factor);
    for (uint32_t r = 2; r < SIEVE; r++)
        for (uint32_t n = r; !factor[r] && n < SIEVE; n += r)
            if (!factor[n] && n != r) factor[n] = (uint16_t)r;
    for (uint32_t r = 2; r < SIEVE; r++)
        if (!factor[r]) factor[r] = (uint16_t)r;
}

// The logarithm of n > 0 if its prime factors are below r.
static bool smooth_log(const LogTable *table, const uint16_t *factor, uint32_t n, uint32_t r, uint32_t *log) {
    *log = 0;
    for (uint32_t q = 2; n >= SIEVE; q++) {
        if (q == r) return false;
        if (factor[q] != q) continue;
        for (; n % q == 0; n /= q) *log = log_add(table, *log, table->log[q]);
    }
    for (; n > 1; n /= factor[n]) {
        if (factor[n] >= r) return false;
        *log = log_add(table, *log, table->log[factor[n]]);
    }
    return true;
}

// r t = -s mod p for t = p/r - j and s = p - r t > 0, or r t = s for t = p/r + 1 + j and s = r t - p > 0.
static uint32_t prime_log(const LogTable *table, const uint16_t *factor, uint32_t r) {
    uint32_t p = table->p, numerator, denominator;
    for (uint32_t j = 0;; j++) {
        uint32_t below = p / r - j, above = p / r + 1 + j;
        if (smooth_log(table, factor, p - r * below, r, &numerator) &&
            smooth_log(table, factor, below, r, &denominator))
            return log_add(table, numerator, log_invert(table, denominator)) ^ negative;
        if (smooth_log(table, factor, r * above - p, r, &numerator) &&
            smooth_log(table, factor, above, r, &denominator))
            return log_add(table, numerator, log_invert(table, denominator));
    }
}

static void fill_table(const LogTable *table, uint32_t count, Steps *steps, const uint16_t *factor) {
    uint32_t p = table->p;
    make_steps(steps, p);
    for (uint32_t n = 2; n < count; n++)
        table->log[n] = factor[n] != n    ? log_add(table, table->log[factor[n]], table->log[n / factor[n]])
                        : n < STEPS_BELOW ? walk_steps(steps, table, n)
                                          : prime_log(table, factor, n);
}

static LogTable log_table(const Tower *t, unsigned i, uint32_t *log) {
    return (LogTable){t->prime[i + 1].p, t->prime[i].p, log};
}

void tower_make_logarithms(const TowerMultipliers *multipliers, unsigned chain,
                           uint32_t log[TOWER_LENGTH_MAX - 1][TOWER_FRACTION_MAX]) {
    const Tower *t = tower_of_chain(chain);
    Steps *steps = malloc(sizeof *steps);
    uint16_t *factor = malloc(SIEVE * sizeof *factor);
    if (!steps || !factor) abort(); // as arenas do
    make_sieve(factor);
    for (unsigned i = 0; i + 1 < t->length; i++) {
        LogTable table = log_table(t, i, log[i]);
        fill_table(&table, tower_fraction_end(multipliers, table.p), steps, factor);
    }
    free(steps);
    free(factor);
}

uint32_t tower_discrete_log2(const Tower *t, unsigned i, uint32_t y, bool *is_negative) {
    TowerTables *tables = tower_tables(t->index, TOWER_TABLE_LOGARITHMS);
    LogTable table = log_table(t, i, tables->numbers[t->index].log[i]);
    TowerFraction f = tower_find_fraction(&tables->multipliers, table.p, y);
    uint32_t below = log_add(&table, table.log[f.s], table.log[f.b]);
    uint32_t log = log_add(&table, table.log[f.a], log_invert(&table, below));
    if (f.negative) log ^= negative;
    *is_negative = log & negative;
    return log & ~negative;
}
