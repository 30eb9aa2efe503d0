// SPDX-License-Identifier: Apache-2.0
// Short fractions are fractions, and short: on random numbers and at the ends of every interval of the tables; and the
// tables of their numbers hold what they say.
#include "sanitizer/tower_internal.h"
#include "tests/sanitizer/random_bits.h"

#include <criterion/criterion.h>

enum { RANDOM = 200000 };

typedef struct Field {
    const TowerMultipliers *multipliers;
    uint32_t p, end;
} Field;

static Field field_of(unsigned chain, unsigned i) {
    const TowerMultipliers *multipliers = &tower_tables(chain, TOWER_TABLE_INVERSES)->multipliers;
    uint32_t p = tower_of_chain(chain)->prime[i].p;
    return (Field){multipliers, p, tower_fraction_end(multipliers, p)};
}

// x s b = +-a.
static bool is_short_fraction(const Field *field, uint32_t x) {
    const uint32_t p = field->p;
    TowerFraction f = tower_find_fraction(field->multipliers, p, x);
    uint32_t product = tower_mul_mod(tower_mul_mod(x, f.s, p), f.b, p);
    bool is_small = f.a && f.a < field->end && f.s && f.s <= TOWER_FIRST_MAX && f.b &&
                    f.b <= tower_denominator_limit(p) && f.b < field->end;
    return is_small && product == (f.negative ? p - f.a : f.a);
}

static void expect_fraction(const Field *field, uint64_t x) {
    if (x < 1 || x >= field->p) return;
    cr_expect(is_short_fraction(field, (uint32_t)x), "%llu mod %u", (unsigned long long)x, field->p);
}

static void each_field(void (*check)(const Field *field)) {
    for (unsigned chain = 0; chain < TOWER_ALL_CHAINS; chain++)
        for (unsigned i = 0; i < tower_of_chain(chain)->length; i++) {
            Field field = field_of(chain, i);
            check(&field);
        }
}

static void check_random(const Field *field) {
    uint64_t state = field->p;
    for (unsigned i = 0; i < RANDOM; i++) expect_fraction(field, 1 + random_next(&state) % (field->p - 1));
}

// Numbers close to 0, p and p/2, close to the ends of the first table's intervals, and close to p times a fraction of
// small numbers, whose first multiple is much smaller than most.
static void check_extremes(const Field *field) {
    const uint64_t p = field->p, intervals = 1 << TOWER_FIRST_BITS;
    for (uint64_t i = 1; i < 5000; i++) {
        expect_fraction(field, i);
        expect_fraction(field, p - i);
        expect_fraction(field, p / 2 + i);
        expect_fraction(field, p / 2 - i);
    }
    for (uint64_t j = 0; j <= intervals; j++)
        for (uint64_t near = 0; near < 3; near++) expect_fraction(field, p * j / intervals + near - 1);
    for (uint64_t below = 2; below <= 2 * TOWER_FIRST_MAX; below++)
        for (uint64_t above = 1; above < below; above++)
            for (uint64_t near = 0; near < 3; near++) expect_fraction(field, p * above / below + near - 1);
}

Test(tower_fraction, random_numbers) {
    each_field(check_random);
}
Test(tower_fraction, extreme_numbers) {
    each_field(check_extremes);
}

// What bounds the numerators depends on the tables: it must fit the memory for them, and be no larger than it need be.
static void check_end(const Field *field) {
    cr_expect(field->end <= TOWER_FRACTION_MAX);
    cr_expect((double)field->end * field->end < 2.8 * field->p, "%u mod %u", field->end, field->p);
}
Test(tower_fraction, ends) {
    each_field(check_end);
}

Test(tower_fraction, tables_of_inverses_and_roots) {
    for (unsigned chain = 0; chain < TOWER_ALL_CHAINS; chain++)
        for (unsigned i = 0; i < tower_of_chain(chain)->length; i++) {
            const Field field = field_of(chain, i);
            const TowerNumbers *numbers = &tower_tables(chain, TOWER_TABLE_ROOTS)->numbers[chain];
            for (uint32_t n = 1; n < field.end; n++) {
                uint32_t root = tower_power(n, (field.p + 1) / 4, field.p);
                cr_expect_eq(tower_mul_mod(numbers->inverse[i][n], n, field.p), 1);
                cr_expect_eq(numbers->root[i][n], root);
                cr_expect_eq(tower_mul_mod(numbers->inverse_root[i][n], root, field.p), 1);
            }
        }
}

// Entries are +-2^x, and what follows from the small ones: log(m n) = log m + log n.
Test(tower_fraction, tables_of_logarithms) {
    const uint32_t sign = (uint32_t)1 << 31;
    for (unsigned chain = 0; chain < TOWER_ALL_CHAINS; chain++)
        for (unsigned i = 0; i + 1 < tower_of_chain(chain)->length; i++) {
            const Field field = field_of(chain, i + 1);
            const uint32_t *log = tower_tables(chain, TOWER_TABLE_LOGARITHMS)->numbers[chain].log[i];
            for (uint32_t n = 1; n < field.end; n += n < 1000 ? 1 : 97) {
                uint32_t power = tower_power(2, log[n] & ~sign, field.p);
                cr_expect_eq(log[n] & sign ? field.p - power : power, n);
            }
        }
}

Test(tower_fraction, all_tables_at_once) {
    for (unsigned chain = 0; chain < TOWER_ALL_CHAINS; chain++) {
        tower_make_tables(chain);
        const TowerTables *tables = congruent_tower_tables(chain, TOWER_TABLE_LOGARITHMS);
        cr_expect_eq(tables, tower_tables(chain, TOWER_TABLE_ROOTS));
        cr_expect_eq(tables->numbers[chain].inverse[0][2], (tower_of_chain(chain)->prime[0].p + 1) / 2);
    }
}
