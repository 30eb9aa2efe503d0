// SPDX-License-Identifier: Apache-2.0
// How sure "equal" is: degrees of formulas that are known (degrees.mlir), what they make of a bound, and where there is
// none.
#include "tests/diff/session.h"

#include <math.h>

#define MODULE SOURCE_DIR "/tests/diff/degrees.mlir"

static void run_both(Session *s, const char *profile, const char *type_and_fill, const char *entry, const char *other) {
    Arena arena = {0};
    session_run(s, 1, profile,
                arena_format(&arena,
                             "buffers:\n  X: {type: f32, shape: [256], fill: %s}\n  Y: {type: f32, shape: [256]}\n"
                             "variants:\n  a: [{module: " MODULE ", kernel: %s, grid: [1], args: [X, Y]}]\n"
                             "  b: [{module: " MODULE ", kernel: %s, grid: [1], args: [X, Y]}]\ncompare: [Y]\n"
                             "modes: [fpsan]\n",
                             type_and_fill, entry, other));
    const FpdRunner runner = session_runner(s);
    fpd_find_certainty(&runner, &s->outcome);
    arena_reset(&arena);
}

static void run_twice(Session *s, const char *profile, const char *type_and_fill, const char *entry) {
    run_both(s, profile, type_and_fill, entry, entry);
}

// The degree of the difference of two such formulas: of one kernel twice the denominators are the same, so that it is
// that of the numerator.
static const struct {
    const char *entry, *other;
    unsigned degree, fields;
} degree_rows[] = {
    {"cube", "cube", 3, 4},
    {"quotient", "quotient", 1, 4},
    {"sum", "sum", 2, 4},
    {"difference", "difference", 3, 4},
    {"power", "power", 7, 4},
    {"root", "root", 0, 4},
    {"exponential", "exponential", 2, 3},
    {"tangent", "tangent", 2, 3},
    {"largest", "largest", 3, 4},
    {"loop", "loop", 11, 4},
    {"dot", "dot", 33, 4},
    // 1 / (1 - x) + 1 / (1 + x), and 2 / (1 - x x): (1 + 2) of the one over the other's denominator
    {"two_poles", "two_poles_at_once", 3, 4},
    // x / (1 + x) + x x / (1 + x), and (x + x x) / (1 + x): the same denominator
    {"one_pole", "one_pole_at_once", 2, 4},
    // sums of 16 terms, each with a denominator of its own: its row's largest less its smallest element, 2 + 2^x,
    // 2^32 x as a sum of sums
    {"scaled_rows", "scaled_rows", 16, 4},
    {"powers_of_two", "powers_of_two", 16, 3},
    {"doubled", "doubled", 15, 4},
};

Test(certainty, degrees) {
    for (size_t i = 0; i < BASE_COUNT(degree_rows); i++) {
        Session s;
        run_both(&s, "tower", "{uniform: {low: 0.5, high: 2}}", degree_rows[i].entry, degree_rows[i].other);
        const FpdComparison *pair = &s.outcome.comparisons[0];
        const FpdCertainty *found = pair->certainty;
        const uint64_t degree = degree_rows[i].degree ? degree_rows[i].degree : 1;
        cr_assert(pair->verdict == FPD_VERDICT_EQUAL && found, "%s", degree_rows[i].entry);
        cr_expect_null(found->none, "%s: %s", degree_rows[i].entry, found->none);
        cr_expect_eq(found->degree, degree, "%s: degree %llu, expected %llu", degree_rows[i].entry,
                     (unsigned long long)found->degree, (unsigned long long)degree);
        cr_expect_eq(found->fields, degree_rows[i].fields, "%s: %u fields", degree_rows[i].entry, found->fields);
        cr_expect_eq(found->elements, 256);
        double bound = 0;
        for (unsigned f = TOWER_LENGTH - degree_rows[i].fields; f < TOWER_LENGTH; f++)
            bound += log2((double)degree / ((tower_chain(0)->prime[f].p - 1) / 2));
        cr_expect_float_eq(found->log2, bound, 1e-6, "%s: 2^%g, expected 2^%g", degree_rows[i].entry, found->log2,
                           bound);
        session_close(&s);
    }
}

// An exponent that is no constant may be any integer below 2^21 as a formula, whatever its number is.
Test(certainty, powers_of_data) {
    Session s;
    run_twice(&s, "tower", "{uniform: {low: 0.5, high: 2}}", "powers_of_data");
    const FpdComparison *pair = &s.outcome.comparisons[0];
    cr_assert(pair->verdict == FPD_VERDICT_EQUAL && pair->certainty && pair->certainty->none);
    cr_expect(strstr(pair->certainty->none, "the degree is too high"), "%s", pair->certainty->none);
    session_close(&s);
}

Test(certainty, no_bound) {
    static const struct {
        const char *profile, *fill, *why;
    } rows[] = {
        {"tower", "iota", "drawn at random"},
        {"tower", "{constant: 3}", "drawn at random"},
        {"tower", "{uniform: {low: 1, high: 1}}", "drawn at random"},
        {"tower", "{integers: {low: 0, high: 62}}", "drawn at random"},
        {"tower", "{uniform: {low: 1, high: 1.000001}}", "drawn at random"}, // nine numbers of f32
        {"tower", "{normal: {mean: 1, std: 1.0e-7}}", "drawn at random"},
        {"tower", "{uniform: {low: 1, high: 1.0001}}", NULL},
        {"tower", "{integers: {low: 0, high: 63}}", NULL},
        {"tower", "{correlated: {correlation: 0.99999999999999}}", "drawn at random"}, // of one dimension: one number
        {"tower", "{log_uniform: {low: 8, high: 8.00001}}", "drawn at random"},
        {"tower", "{offset: {std: 1.0e-7, mean: 3}}", "drawn at random"},
        {"tower", "{correlated: {std: 0.125}}", NULL},
        {"tower", "{log_uniform: {low: 1, high: 2}}", NULL},
        {"tower", "{offset: {std: 0.125}}", NULL},
        {"triton-3.9", "bits", "zero divisors"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Session s;
        run_twice(&s, rows[i].profile, rows[i].fill, "cube");
        const FpdCertainty *found = s.outcome.comparisons[0].certainty;
        cr_assert(found, "%s", rows[i].fill);
        cr_expect(rows[i].why ? found->none && strstr(found->none, rows[i].why) : !found->none, "%s: %s", rows[i].fill,
                  found->none ? found->none : "a bound");
        session_close(&s);
    }
}

// The second launch computes from constants alone, so that nothing is drawn of what it writes.
Test(certainty, buffers_of_constants) {
    Session s;
    session_run(&s, 1, "tower",
                "buffers:\n  X: {type: f32, shape: [256], fill: {normal: {mean: 0, std: 1}}}\n"
                "  C: {type: f32, shape: [256], fill: iota}\n"
                "  Y: {type: f32, shape: [256]}\n  Z: {type: f32, shape: [256]}\nvariants:\n"
                "  a:\n    - {module: " MODULE ", kernel: cube, grid: [1], args: [X, Y]}\n"
                "    - {module: " MODULE ", kernel: cube, grid: [1], args: [C, Z]}\n"
                "  b:\n    - {module: " MODULE ", kernel: cube, grid: [1], args: [X, Y]}\n"
                "    - {module: " MODULE ", kernel: cube, grid: [1], args: [C, Z]}\ncompare: [Y, Z]\n"
                "modes: [fpsan]\n");
    const FpdRunner runner = session_runner(&s);
    fpd_find_certainty(&runner, &s.outcome);
    const FpdCertainty *found = s.outcome.comparisons[0].certainty;
    cr_assert(found && !found->none);
    cr_expect(found->elements == 256 && found->uncovered == 256, "%llu covered, %llu not",
              (unsigned long long)found->elements, (unsigned long long)found->uncovered);
    session_close(&s);
}

// One launch computes a buffer from drawn data and another from constants.
Test(certainty, elements_of_constants) {
    Session s;
    session_run(&s, 1, "tower",
                "buffers:\n  X: {type: f32, shape: [256], fill: {normal: {mean: 0, std: 1}}}\n"
                "  Y: {type: f32, shape: [256]}\n  Z: {type: f32, shape: [256]}\nvariants:\n"
                "  a: [{module: " MODULE ", kernel: two_outputs, grid: [1], args: [X, Y, Z]}]\n"
                "  b: [{module: " MODULE ", kernel: two_outputs, grid: [1], args: [X, Y, Z]}]\n"
                "compare: [Y, Z]\nmodes: [fpsan]\n");
    const FpdRunner runner = session_runner(&s);
    fpd_find_certainty(&runner, &s.outcome);
    const FpdCertainty *found = s.outcome.comparisons[0].certainty;
    cr_assert(found && !found->none);
    cr_expect(found->elements == 256 && found->uncovered == 256, "%llu covered, %llu not",
              (unsigned long long)found->elements, (unsigned long long)found->uncovered);
    session_close(&s);
}

// Two formulas that agree for all values that the data can have, in every field: there is no chance to speak of.
Test(certainty, formulas_that_agree_on_the_data_only) {
    static const struct {
        const char *fill;
        FpdVerdict verdict;
    } rows[] = {{"{integers: {low: 0, high: 63}}", FPD_VERDICT_EQUAL},
                {"{integers: {low: 0, high: 200}}", FPD_VERDICT_DIVERGED}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Session s;
        Arena arena = {0};
        session_run(&s, 1, "tower",
                    arena_format(&arena,
                                 "buffers:\n  X: {type: f32, shape: [256], fill: %s}\n"
                                 "  Y: {type: f32, shape: [256]}\nvariants:\n"
                                 "  a: [{module: " MODULE ", kernel: identity, grid: [1], args: [X, Y]}]\n"
                                 "  b: [{module: " MODULE ", kernel: vanishing, grid: [1], args: [X, Y]}]\n"
                                 "compare: [Y]\nmodes: [fpsan]\n",
                                 rows[i].fill));
        const FpdRunner runner = session_runner(&s);
        fpd_find_certainty(&runner, &s.outcome);
        const FpdComparison *pair = &s.outcome.comparisons[0];
        cr_expect_eq(pair->verdict, rows[i].verdict, "%s", rows[i].fill);
        if (pair->verdict == FPD_VERDICT_EQUAL)
            cr_expect(pair->certainty && pair->certainty->none && strstr(pair->certainty->none, "such data only"));
        arena_reset(&arena);
        session_close(&s);
    }
}

Test(certainty, products_of_runs) {
    Session s;
    run_twice(&s, "tower", "{normal: {mean: 0, std: 1}}", "quotient");
    FpdOutcome first = s.outcome, other = s.outcome;
    FpdComparison pairs[2] = {first.comparisons[0], first.comparisons[0]};
    FpdCertainty certainties[2] = {*pairs[0].certainty, *pairs[0].certainty};
    for (int i = 0; i < 2; i++) pairs[i].certainty = &certainties[i];
    first.comparisons = &pairs[0], first.comparison_count = 1;
    other.comparisons = &pairs[1], other.comparison_count = 1;
    certainties[1].log2 = -50, certainties[1].degree = 99, certainties[1].fields = 2;
    const double before = certainties[0].log2;
    fpd_add_certainty(&first, &other);
    cr_expect(certainties[0].log2 == before - 50 && certainties[0].degree == 99 && certainties[0].fields == 2);
    cr_expect_eq(certainties[0].runs, 2);
    certainties[1].none = "unknown";
    fpd_add_certainty(&first, &other);
    cr_expect_eq(certainties[0].runs, 2, "a run without a bound multiplies nothing");
    session_close(&s);
}
