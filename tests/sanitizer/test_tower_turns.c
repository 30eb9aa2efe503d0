// SPDX-License-Identifier: Apache-2.0
// Tables of cosines and sines of parts of a turn, as programs compute them in double precision from angles that are
// products and not reduced to a turn: every entry is read as the known number, zeros too.
#include "sanitizer/tower.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static void expect_turn(const Tower *t, double value, unsigned digits, TowerPayload expected, const char *what, int j,
                        unsigned n) {
    TowerPayload found = tower_constant(t, value, digits);
    cr_expect(!memcmp(&found, &expected, sizeof found), "chain %u, %s of 2 pi %d / %u in %u bits: %.17g", t->index,
              what, j, n, digits, value);
}

Test(tower_turns, tables_of_products) {
    static const unsigned sizes[] = {5, 12, 16, 30, 32, 60, 64, 120};
    for (unsigned chain = 0; chain < TOWER_CHAINS; chain++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const unsigned n = sizes[i];
            const Tower *t = tower_chain(chain);
            for (unsigned j = 0; j < n; j++)
                for (unsigned k = j; k < n; k += chain + 1) { // fewer of the spare chains
                    const int product = (int)(j * k);
                    const TowerPayload cosine = tower_turn_cosine(t, product, n), sine = tower_turn_sine(t, product, n);
                    // Two ways to write the same angle.
                    const double angles[] = {2 * M_PI * product / n, 2 * M_PI / n * product};
                    for (unsigned a = 0; a < 2; a++) {
                        expect_turn(t, cos(angles[a]), 53, cosine, "cosine", product, n);
                        expect_turn(t, sin(angles[a]), 53, sine, "sine", product, n);
                        if (n % 60 == 0) continue; // one of its zeros, 1.2e-14, is 2^k / n as a float
                        expect_turn(t, (float)cos(angles[a]), 24, cosine, "cosine", product, n);
                        expect_turn(t, (float)sin(angles[a]), 24, sine, "sine", product, n);
                    }
                }
        }
}

Test(tower_turns, parts_that_all_fields_know) {
    static const struct {
        uint32_t parts, missing; // in chain 0: a bit for each field
    } rows[] = {{3, 0}, {5, 0}, {7, 0}, {11, 0}, {8, 0}, {16, 0}, {32, 0}, {64, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(tower_turn_cosine(tower_chain(0), 1, rows[i].parts).state, rows[i].missing, "%u", rows[i].parts);
    for (unsigned chain = 1; chain < TOWER_CHAINS; chain++)
        for (size_t i = 0; i < 5; i++) cr_expect_eq(tower_turn_cosine(tower_chain(chain), 1, rows[i].parts).state, 0);
}

// Of `count` numbers from 6e-19 to 7e-13, as f64 and f32.
static unsigned count_zeros(const Tower *t, unsigned count) {
    unsigned zeros = 0;
    for (unsigned i = 0; i < count; i++) {
        const double x = exp(-42 + i * (14. / count));
        zeros += tower_is_zero(t, tower_constant(t, x, 53)) + tower_is_zero(t, tower_constant(t, (float)x, 24));
    }
    return zeros;
}

// Small numbers are what they are, but for those few.
Test(tower_turns, small_numbers_are_not_zero) {
    const Tower *t = tower_chain(0);
    static const double numbers[] = {0x1p-40, 0x1p-52, 0x1p-54, 1e-16, 2.2e-16, 1e-15, 4.2e-18, 1.234567890123e-14};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        cr_expect_not(tower_is_zero(t, tower_constant(t, numbers[i], 53)), "%g", numbers[i]);
        cr_expect_not(tower_is_zero(t, tower_constant(t, (float)numbers[i], 24)), "%g", numbers[i]);
    }
    const unsigned zeros = count_zeros(t, 10000);
    cr_expect_leq(zeros, 10, "%u of 20000", zeros);
}

Test(tower_turns, many_small_numbers_are_not_zero) {
    const unsigned zeros = count_zeros(tower_chain(0), 100000);
    cr_expect_leq(zeros, 60, "%u of 200000", zeros);
}
