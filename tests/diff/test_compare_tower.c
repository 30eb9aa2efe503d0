// SPDX-License-Identifier: Apache-2.0
// The verdict of each element under the profile tower, what is judged as a divergence, and what becomes of the case:
// made-up records, no kernel is run.
#include "tests/diff/tower_sample.h"

#include <criterion/criterion.h>
#include <math.h>

static const Tower *tower(void) {
    return tower_chain(0);
}

static TowerPayload number(double value) {
    return tower_embed_double(tower(), value);
}

// A payload of a value computed in the kernel: like `of` but off by one in the fields of `other`, unknown in those of
// `missing`.
static TowerPayload changed(TowerPayload of, unsigned other, unsigned missing, uint32_t state) {
    for (unsigned i = 0; i < TOWER_LENGTH; i++) {
        if (other >> i & 1) of.component[i] = (of.component[i] + 1) % tower()->prime[i].p;
        if (missing >> i & 1) of.component[i] = 0;
    }
    of.state |= missing << TOWER_MISSING_SHIFT | state;
    return of;
}

static FpdShadowed shadowed(float value, TowerPayload payload) {
    static const HostRecord record = {.state = HOST_RECORD_VALID};
    return (FpdShadowed){float_bits(value), payload, &record, tower()};
}

static FpdElementVerdict verdict_in(const FpdCase *cas, ElementType type, FpdShadowed a, FpdShadowed b, double largest,
                                    bool explained) {
    const FpdElements elements = {cas, tower_chain(0), type, a, b, largest, explained, false};
    return fpd_element_verdict(&elements);
}

static FpdElementVerdict verdict_of(const FpdCase *cas, FpdShadowed a, FpdShadowed b) {
    FpdElementVerdict one = verdict_in(cas, ELEMENT_F32, a, b, 0, true),
                      other = verdict_in(cas, ELEMENT_F32, b, a, 0, true);
    cr_expect_eq(one, other, "%d and %d", one, other);
    return one;
}

// The root of a number that has none in any field: its square is -x, and the numbers tell it from a wrong sign.
Test(compare_tower, verdict_up_to_signs) {
    const FpdCase cas = {.family = FPD_FAMILY_tower},
                  wide = {.family = FPD_FAMILY_tower, .tolerance = {.given = true, .atol = 10}};
    TowerPayload x = number(3), minus = number(-3), some = x;
    some.component[1] = minus.component[1];
    cr_expect_eq(verdict_of(&cas, shadowed(3, minus), shadowed(3, x)), FPD_ELEMENT_ROOTS);
    cr_expect_eq(verdict_of(&cas, shadowed(3, some), shadowed(3, minus)), FPD_ELEMENT_ROOTS);
    cr_expect_eq(verdict_of(&cas, shadowed(-3, minus), shadowed(3, x)), FPD_ELEMENT_DIFFER);
    cr_expect_eq(verdict_of(&wide, shadowed(-3, minus), shadowed(3, x)), FPD_ELEMENT_DIFFER); // whatever the tolerance
    cr_expect_eq(verdict_of(&cas, shadowed(3, changed(minus, 1, 0, 0)), shadowed(3, x)), FPD_ELEMENT_DIFFER);
    cr_expect_eq(verdict_of(&cas, shadowed(3, changed(minus, 1, 1, 0)), shadowed(3, x)), FPD_ELEMENT_ROOTS);
}

Test(compare_tower, verdict_of_payloads) {
    const FpdCase cas = {.family = FPD_FAMILY_tower};
    TowerPayload x = number(3), inf = tower_special(TOWER_POSITIVE_INFINITY), nan = tower_special(TOWER_NAN),
                 minus_inf = tower_special(TOWER_NEGATIVE_INFINITY);
    const struct {
        const char *what;
        TowerPayload a, b;
        FpdElementVerdict verdict;
    } rows[] = {
        {"the same", x, x, FPD_ELEMENT_EQUAL},
        {"every field off", x, changed(x, 15, 0, 0), FPD_ELEMENT_DIFFER},
        {"one field off", x, changed(x, 4, 0, 0), FPD_ELEMENT_ROOTS},
        {"all but one off", x, changed(x, 7, 0, 0), FPD_ELEMENT_ROOTS},
        {"off where nothing is known", changed(x, 0, 3, 0), changed(x, 3, 0, 0), FPD_ELEMENT_EQUAL},
        {"the one known field off", changed(x, 0, 7, 0), changed(x, 8, 0, 0), FPD_ELEMENT_DIFFER},
        {"nothing known in one", changed(x, 0, 15, 0), x, FPD_ELEMENT_UNKNOWN},
        {"nothing known in both", changed(x, 0, 15, 0), changed(x, 0, 15, 0), FPD_ELEMENT_UNKNOWN},
        {"nothing known in common", changed(x, 0, 3, 0), changed(x, 0, 12, 0), FPD_ELEMENT_UNKNOWN},
        {"infinities", inf, inf, FPD_ELEMENT_EQUAL},
        {"two infinities", inf, minus_inf, FPD_ELEMENT_DIFFER},
        {"an infinity and a number", inf, x, FPD_ELEMENT_DIFFER},
        {"a NaN of the algebra and a number", nan, x, FPD_ELEMENT_DIFFER},
        {"two NaN of the algebra", nan, nan, FPD_ELEMENT_UNKNOWN},
        {"a mere weakness decides nothing", changed(x, 1, 14, 0), changed(x, 0, 14, 1 << TOWER_WEAK_SHIFT),
         FPD_ELEMENT_UNKNOWN},
        {"rounded, and the same", changed(x, 0, 0, TOWER_ROUNDED), x, FPD_ELEMENT_EQUAL},
        {"rounded, every field off", changed(x, 15, 0, TOWER_ROUNDED), x, FPD_ELEMENT_ROUNDED},
        {"rounded, one field off", changed(x, 1, 0, TOWER_ROUNDED), x, FPD_ELEMENT_ROOTS},
        {"rounded, an infinity and a number", changed(x, 0, 0, TOWER_ROUNDED), inf, FPD_ELEMENT_ROUNDED},
        {"near, and the same", changed(x, 0, 0, TOWER_NEAR), x, FPD_ELEMENT_EQUAL},
        {"near, every field off", changed(x, 15, 0, TOWER_NEAR), x, FPD_ELEMENT_TIE},
        {"near and rounded", changed(x, 15, 0, TOWER_NEAR | TOWER_ROUNDED), x, FPD_ELEMENT_TIE},
        {"near, one field off", changed(x, 1, 0, TOWER_NEAR), x, FPD_ELEMENT_TIE},
        {"near, nothing known", changed(x, 0, 15, TOWER_NEAR), x, FPD_ELEMENT_UNKNOWN},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        cr_expect_eq(verdict_of(&cas, shadowed(3, rows[i].a), shadowed(3, rows[i].b)), rows[i].verdict, "%s",
                     rows[i].what);
}

// NaN as numbers: one never agrees with a number; two agree whatever their payloads, but are told apart unless those
// agree too.
Test(compare_tower, unspecified_in_one_or_both) {
    const FpdCase cas = {.family = FPD_FAMILY_tower, .tolerance = {.given = true, .atol = 10}};
    FpdShadowed poison = shadowed(3, tower_poison(1)), nan = shadowed(NAN, tower_poison(2));
    cr_expect_eq(verdict_of(&cas, poison, poison), FPD_ELEMENT_UNSPECIFIED);
    cr_expect_eq(verdict_of(&cas, poison, nan), FPD_ELEMENT_UNSPECIFIED);
    cr_expect_eq(verdict_of(&cas, shadowed(3, number(3)), poison), FPD_ELEMENT_UNSPECIFIED);
    cr_expect_eq(verdict_of(&cas, shadowed(NAN, tower_special(TOWER_NAN)), nan), FPD_ELEMENT_UNSPECIFIED);
    cr_expect_eq(verdict_in(&cas, ELEMENT_I32, poison, poison, 0, false), FPD_ELEMENT_UNSPECIFIED);
}

Test(compare_tower, verdict_of_nan) {
    const FpdCase cas = {.family = FPD_FAMILY_tower, .tolerance = {.given = true, .rtol = 1e9}, .allow_roots = true};
    TowerPayload x = number(3), off = changed(x, 15, 0, TOWER_NEAR | TOWER_ROUNDED), nothing = changed(x, 0, 15, 0);
    cr_expect_eq(verdict_of(&cas, shadowed(NAN, x), shadowed(3, x)), FPD_ELEMENT_ONE_NAN);
    cr_expect_eq(verdict_of(&cas, shadowed(NAN, off), shadowed(3, x)), FPD_ELEMENT_ONE_NAN);
    cr_expect_eq(verdict_of(&cas, shadowed(NAN, nothing), shadowed(3, nothing)), FPD_ELEMENT_ONE_NAN);
    cr_expect_eq(verdict_of(&cas, shadowed(NAN, x), shadowed(NAN, x)), FPD_ELEMENT_EQUAL);
    cr_expect_eq(verdict_of(&cas, shadowed(NAN, x), shadowed(NAN, off)), FPD_ELEMENT_BOTH_NAN);
    cr_expect_eq(verdict_of(&cas, shadowed(NAN, x), shadowed(NAN, nothing)), FPD_ELEMENT_BOTH_NAN);
    cr_expect_eq(verdict_of(&cas, shadowed(NAN, x), shadowed(NAN, tower_special(TOWER_NAN))), FPD_ELEMENT_BOTH_NAN);
}

// A close call is one only where the numbers agree: within the tolerance if there is one, else within 16 units of the
// narrowest type on the way.
Test(compare_tower, verdict_of_ties) {
    FpdCase cas = {.family = FPD_FAMILY_tower};
    TowerPayload x = number(3), near = changed(x, 15, 0, TOWER_NEAR), rounded = changed(near, 0, 0, TOWER_ROUNDED);
    const float unit = 0x1p-23f;
    const struct {
        uint32_t passed;
        float within, beyond; // from 1: 16 units of the last place are relative to the larger number
    } rows[] = {
        {0, 1 + 16 * unit, 1 + 17 * unit},
        {TOWER_PASSED_24, 1 + 16 * unit, 1 + 17 * unit},
        {TOWER_PASSED_11, 1 + 0x1p-6f, 1.016f},
        {TOWER_PASSED_24 | TOWER_PASSED_11, 1 + 0x1p-6f, 1.016f},
        {TOWER_PASSED_8 | TOWER_PASSED_11, 1.032f, 1.033f}, // 2^-5 at most
        {TOWER_PASSED_4, 1.032f, 1.033f},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        TowerPayload passed = changed(near, 0, 0, rows[i].passed);
        cr_expect_eq(verdict_of(&cas, shadowed(1, passed), shadowed(rows[i].within, x)), FPD_ELEMENT_TIE, "%zu", i);
        cr_expect_eq(verdict_of(&cas, shadowed(1, passed), shadowed(rows[i].beyond, x)), FPD_ELEMENT_DIFFER, "%zu", i);
    }
    // an f16 is no more exact than that, whatever is known of its way: 0x1p-6 apart from 1
    FpdShadowed half = {0x3c00, changed(near, 0, 0, TOWER_PASSED_24), NULL, tower()},
                other_half = {0x3c10, x, NULL, tower()};
    cr_expect_eq(verdict_in(&cas, ELEMENT_F16, half, other_half, 0, true), FPD_ELEMENT_TIE);
    cr_expect_eq(verdict_of(&cas, shadowed(1, rounded), shadowed(1.5f, x)), FPD_ELEMENT_ROUNDED);
    cr_expect_eq(verdict_of(&cas, shadowed(1, changed(x, 1, 0, TOWER_NEAR)), shadowed(1.5f, x)), FPD_ELEMENT_ROOTS);
    cr_expect_eq(verdict_of(&cas, shadowed(INFINITY, near), shadowed(INFINITY, x)), FPD_ELEMENT_TIE);
    cr_expect_eq(verdict_of(&cas, shadowed(INFINITY, near), shadowed(-INFINITY, x)), FPD_ELEMENT_DIFFER);
    cr_expect_eq(verdict_of(&cas, shadowed(INFINITY, near), shadowed(3e38f, x)), FPD_ELEMENT_DIFFER);
    // what was rounded to an integer: 2^-5, and half as much of the largest in the row
    cr_expect_eq(verdict_of(&cas, shadowed(1, rounded), shadowed(1.032f, x)), FPD_ELEMENT_TIE);
    cr_expect_eq(verdict_in(&cas, ELEMENT_F32, shadowed(0, rounded), shadowed(1, x), 70, true), FPD_ELEMENT_TIE);
    cr_expect_eq(verdict_in(&cas, ELEMENT_F32, shadowed(0, rounded), shadowed(1, x), 60, true), FPD_ELEMENT_ROUNDED);
    // another choice would not have changed the payload
    cr_expect_eq(verdict_in(&cas, ELEMENT_F32, shadowed(1, near), shadowed(1, x), 1, false), FPD_ELEMENT_DIFFER);
    cas.tolerance.given = true, cas.tolerance.rtol = 0, cas.tolerance.atol = 0.25; // the smaller of tolerance and bound
    cr_expect_eq(verdict_of(&cas, shadowed(100, rounded), shadowed(100.25f, x)), FPD_ELEMENT_TIE);
    cr_expect_eq(verdict_of(&cas, shadowed(100, rounded), shadowed(100.5f, x)), FPD_ELEMENT_ROUNDED);
    cr_expect_eq(verdict_of(&cas, shadowed(1, rounded), shadowed(1.25f, x)), FPD_ELEMENT_ROUNDED);
    cas.tolerance.atol = 0; // a tolerance of 0 is one
    cr_expect_eq(verdict_of(&cas, shadowed(1, near), shadowed(1 + unit, x)), FPD_ELEMENT_DIFFER);
}

Test(compare_tower, fields_that_decide) {
    TowerPayload x = number(3);
    unsigned agree;
    cr_expect(fpd_fields(tower(), x, changed(x, 5, 0, 0), &agree) == 4 && agree == 2);
    cr_expect(fpd_fields(tower(), x, changed(x, 1, 8, 0), &agree) == 3 && agree == 2);
    cr_expect(fpd_fields(tower(), changed(x, 0, 3, 0), changed(x, 0, 12, 0), &agree) == 0 && agree == 0);
    cr_expect(fpd_fields(tower(), x, changed(x, 1, 0, 1 << TOWER_WEAK_SHIFT), &agree) == 3 && agree == 3);
    cr_expect(fpd_fields(tower(), x, changed(x, 3, 0, TOWER_WEAK), &agree) == 2 && agree == 2);
    unsigned decided;
    cr_expect(tower_compare(tower(), x, changed(x, 3, 0, TOWER_WEAK), &decided) == TOWER_EQUAL && decided == 2);
}

// A record holds while it is valid and belongs to the bits in memory; without one an element is a value from outside.
Test(compare_tower, records_that_hold) {
    float values[] = {1, 1, 1, 1};
    TowerPayload x = number(7);
    HostRecord records[4];
    for (int i = 0; i < 4; i++) records[i] = record_of(1, x, 2);
    records[1].state &= ~HOST_RECORD_VALID;
    records[2].low ^= 1;
    records[3].high = 1;
    for (uint64_t i = 0; i < 4; i++) {
        FpdShadowed a = fpd_shadowed(tower(), ELEMENT_F32, (const uint8_t *)values, records, i);
        cr_expect(a.bits == float_bits(1) && !a.record == (i > 0));
        cr_expect_eq(tower_compare(tower(), a.payload, i ? number(1) : x, NULL), TOWER_EQUAL, "%d", (int)i);
        cr_expect_eq(a.payload.state & HOST_RECORD_VALID, 0);
    }
    double wide = -0x1.0000000000001p-3;
    HostRecord record = record_of(0, x, 0);
    uint64_t bits;
    memcpy(&bits, &wide, 8);
    record.low = (uint32_t)bits, record.high = (uint32_t)(bits >> 32);
    cr_expect_not_null(fpd_shadowed(tower(), ELEMENT_F64, (const uint8_t *)&wide, &record, 0).record);
    const FpdStore stores[] = {{.by = {.op = "store_a"}}, {.by = {.op = "store_b"}}, {.by = {.op = "store_c"}}};
    const FpdRun run = {.stores = stores, .store_count = 3}, fewer = {.stores = stores, .store_count = 2};
    FpdShadowed a = fpd_shadowed(tower(), ELEMENT_F32, (const uint8_t *)values, records, 0);
    cr_expect(fpd_stored_by(&run, a) == &stores[2] && !fpd_stored_by(&fewer, a));
    a.record = NULL;
    cr_expect_null(fpd_stored_by(&run, a));
}

// ---- buffers and cases

Test(compare_tower, counts_and_first_elements) {
    TowerSample s;
    sample_open(&s, 100);
    for (uint64_t i = 30; i < 37; i++) sample_payload(&s, 1, i, 15, 0);
    sample_payload(&s, 1, 40, 1, 0);
    sample_payload(&s, 1, 41, 15, TOWER_ROUNDED);
    sample_number(&s, 0, 42, NAN);
    sample_number(&s, 0, 43, NAN), sample_number(&s, 1, 43, NAN);
    sample_payload(&s, 1, 43, 15, 0);
    sample_nothing(&s, 1, 44);
    sample_payload(&s, 1, 45, 15, TOWER_NEAR);
    sample_judge(&s);
    const FpdDifference *d = &s.outcome.comparisons[0].differences[0];
    static const uint64_t counts[FPD_ELEMENT_COUNT] = {
        [FPD_ELEMENT_EQUAL] = 100 - 13, [FPD_ELEMENT_BOTH_NAN] = 1, [FPD_ELEMENT_TIE] = 1,
        [FPD_ELEMENT_ROOTS] = 1,        [FPD_ELEMENT_UNKNOWN] = 1,  [FPD_ELEMENT_ROUNDED] = 1,
        [FPD_ELEMENT_ONE_NAN] = 1,      [FPD_ELEMENT_DIFFER] = 7};
    for (int v = 0; v < FPD_ELEMENT_COUNT; v++)
        cr_expect_eq(d->verdicts[v].count, counts[v], "%s: %d", fpd_element_verdict_info((FpdElementVerdict)v)->text,
                     (int)d->verdicts[v].count);
    cr_expect(d->verdicts[FPD_ELEMENT_DIFFER].first_count == FPD_FIRST_MAX);
    for (uint64_t i = 0; i < FPD_FIRST_MAX; i++) cr_expect_eq(d->verdicts[FPD_ELEMENT_DIFFER].first[i], 30 + i);
    cr_expect_eq(d->verdicts[FPD_ELEMENT_ROUNDED].first[0], 41);
    cr_expect_eq(d->verdicts[FPD_ELEMENT_ONE_NAN].first[0], 42);
    // 7 differ, roots, rounded, one NaN, unknown; not: both NaN, and one tie of 100
    cr_expect(d->different == 11 && d->first[0] == 30 && d->low[0] == 30 && d->high[0] == 44, "%d", (int)d->different);
    cr_expect(s.outcome.comparisons[0].different == 11 && s.outcome.comparisons[0].verdict == FPD_VERDICT_DIVERGED);
    cr_expect(d->nothing_known[0] == 0 && d->nothing_known[1] == 1);
    cr_expect(d->distance.known && d->distance.incomparable == 1);
    sample_close(&s);
}

Test(compare_tower, ties_up_to_one_percent) {
    static const struct {
        uint64_t elements, ties;
        bool diverges;
    } rows[] = {{200, 2, false}, {200, 3, true}, {199, 1, false}, {199, 2, true}, {99, 1, true}, {100, 1, false}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        TowerSample s;
        sample_open(&s, rows[i].elements);
        for (uint64_t k = 0; k < rows[i].ties; k++) sample_payload(&s, 1, 10 + k, 15, TOWER_NEAR);
        sample_judge(&s);
        cr_expect_eq(s.outcome.comparisons[0].verdict, rows[i].diverges ? FPD_VERDICT_DIVERGED : FPD_VERDICT_EQUAL,
                     "%zu", i);
        cr_expect_eq(s.outcome.comparisons[0].different, rows[i].diverges ? rows[i].ties : 0, "%zu", i);
        cr_expect_eq(s.outcome.status, rows[i].diverges, "%zu", i);
        sample_close(&s);
    }
}

Test(compare_tower, ties_that_nothing_explains) {
    TowerSample s;
    sample_open(&s, 100);
    s.unexplained = true;
    sample_payload(&s, 1, 10, 15, TOWER_NEAR);
    sample_judge(&s);
    cr_expect(s.outcome.comparisons[0].verdict == FPD_VERDICT_DIVERGED && s.outcome.comparisons[0].different == 1);
    cr_expect(s.outcome.comparisons[0].differences[0].verdict_of[10] == FPD_ELEMENT_DIFFER);
    sample_close(&s);
}

Test(compare_tower, allowed_roots) {
    TowerSample s;
    sample_open(&s, 50);
    sample_payload(&s, 1, 7, 2, 0);
    sample_judge(&s);
    cr_expect(s.outcome.comparisons[0].verdict == FPD_VERDICT_DIVERGED && s.outcome.status == 1);
    s.cas.allow_roots = true;
    sample_judge(&s);
    cr_expect(s.outcome.comparisons[0].verdict == FPD_VERDICT_EQUAL && s.outcome.status == 0);
    cr_expect(s.outcome.comparisons[0].differences[0].verdicts[FPD_ELEMENT_ROOTS].count == 1); // still told
    sample_payload(&s, 1, 8, 15, 0);
    sample_judge(&s);
    cr_expect(s.outcome.comparisons[0].different == 1 && s.outcome.status == 1);
    sample_close(&s);
}

// Makes second runs of both variants without rounding, in which each element is the number that it is.
static void sample_unrounded(TowerSample *s) {
    sample_second(s, FPD_SECOND_unrounded, false);
    for (uint32_t v = 0; v < 2; v++)
        for (uint64_t i = 0; i < s->buffers[0].elements; i++) {
            const double number = (double)sample_values(s, v)[i];
            memcpy(fpd_find_run(&s->runs, FPD_MODE_fpsan, v)->again[FPD_SECOND_unrounded]->records[0][i].component,
                   &number, sizeof number);
        }
}

static HostRecord *second_record(TowerSample *s, FpdSecond second, uint32_t variant, uint64_t index) {
    return &fpd_find_run(&s->runs, FPD_MODE_fpsan, variant)->again[second]->records[0][index];
}

// With signed roots all payloads are the same. That counts where the numbers agree, or do without rounding.
Test(compare_tower, signs_that_numbers_tell) {
    TowerSample s;
    sample_open(&s, 8);
    const FpdRun *left = fpd_find_run(&s.runs, FPD_MODE_fpsan, 0), *right = fpd_find_run(&s.runs, FPD_MODE_fpsan, 1);
    sample_second(&s, FPD_SECOND_signs, false);
    for (uint64_t i = 1; i < 5; i++) sample_payload(&s, 1, i, 15, 0);
    cr_expect(fpd_may_be_signs(&s.cas, left, right) && !fpd_needs_numbers(&s.cas, left, right));
    sample_number(&s, 1, 2, 3.001f), sample_number(&s, 1, 3, 4.001f), sample_number(&s, 1, 4, 9);
    sample_second(&s, FPD_SECOND_signs, false);
    for (uint64_t i = 1; i < 5; i++)
        memcpy(second_record(&s, FPD_SECOND_signs, 1, i)->component, s.records[0][i].component,
               sizeof s.records[0][i].component);
    cr_expect(fpd_may_be_signs(&s.cas, left, right) && fpd_needs_numbers(&s.cas, left, right));
    sample_judge(&s);
    const uint8_t *verdicts = s.outcome.comparisons[0].differences[0].verdict_of;
    for (uint64_t i = 0; i < 8; i++)
        cr_expect_eq(verdicts[i], i > 1 && i < 5 ? FPD_ELEMENT_DIFFER : FPD_ELEMENT_EQUAL, "%d", (int)i);
    sample_unrounded(&s);
    for (uint32_t v = 0; v < 2; v++) {
        const double number = 3;
        memcpy(second_record(&s, FPD_SECOND_unrounded, v, 2)->component, &number, sizeof number);
    }
    sample_judge(&s);
    verdicts = s.outcome.comparisons[0].differences[0].verdict_of;
    for (uint64_t i = 0; i < 8; i++)
        cr_expect_eq(verdicts[i], i > 2 && i < 5 ? FPD_ELEMENT_DIFFER : FPD_ELEMENT_EQUAL, "%d", (int)i);
    // Where most numbers are far apart no second run is worth it.
    for (uint64_t i = 1; i < 3; i++) sample_number(&s, 1, i, 20);
    cr_expect(!fpd_may_be_signs(&s.cas, left, right));
    sample_close(&s);
}

// Where no field tells, numbers that are far apart without rounding do, unless a close call may have made them so.
Test(compare_tower, apart_without_rounding) {
    TowerSample s;
    sample_open(&s, 8);
    const FpdRun *left = fpd_find_run(&s.runs, FPD_MODE_fpsan, 0), *right = fpd_find_run(&s.runs, FPD_MODE_fpsan, 1);
    for (uint64_t i = 1; i < 4; i++) sample_nothing(&s, 1, i);
    cr_expect(!fpd_needs_numbers(&s.cas, left, right));
    for (uint64_t i = 1; i < 4; i++) sample_number(&s, 1, i, 60);
    s.records[1][3].state |= TOWER_NEAR;
    cr_expect(fpd_needs_numbers(&s.cas, left, right));
    sample_judge(&s);
    cr_expect_eq(s.outcome.comparisons[0].verdict, FPD_VERDICT_UNKNOWN);
    sample_unrounded(&s);
    const double number = 3.01; // what rounding has lost is no difference
    memcpy(second_record(&s, FPD_SECOND_unrounded, 1, 2)->component, &number, sizeof number);
    sample_judge(&s);
    const uint8_t *verdicts = s.outcome.comparisons[0].differences[0].verdict_of;
    cr_expect(verdicts[1] == FPD_ELEMENT_APART && verdicts[2] == FPD_ELEMENT_UNKNOWN);
    cr_expect(verdicts[3] == FPD_ELEMENT_UNKNOWN && verdicts[4] == FPD_ELEMENT_EQUAL);
    cr_expect_eq(s.outcome.comparisons[0].verdict, FPD_VERDICT_DIVERGED);
    sample_close(&s);
}

// Unknown elements alone are no divergence, and never equal.
Test(compare_tower, unknown_is_neither) {
    TowerSample s;
    sample_open(&s, 50);
    sample_nothing(&s, 1, 7);
    sample_judge(&s);
    cr_expect(s.outcome.comparisons[0].verdict == FPD_VERDICT_UNKNOWN && s.outcome.comparisons[0].different == 1);
    cr_expect(s.outcome.status == 1 && s.outcome.unknown == 1 && s.outcome.diverged == 0);
    cr_expect(!s.outcome.comparisons[0].lost[0] && !s.outcome.comparisons[0].lost[1]);
    s.cas.expect_diverge = true; // it does not diverge either
    sample_judge(&s);
    cr_expect_eq(s.outcome.status, 1);
    sample_payload(&s, 1, 8, 15, 0);
    sample_judge(&s);
    cr_expect(s.outcome.comparisons[0].verdict == FPD_VERDICT_DIVERGED && s.outcome.status == 0);
    s.cas.expect_diverge = false;
    sample_judge(&s);
    cr_expect(s.outcome.status == 1 && s.outcome.diverged == 1 && s.outcome.unknown == 0);
    sample_close(&s);
}

// A kernel that loses everything is no divergence that a case may expect, whatever else differs.
Test(compare_tower, everything_lost) {
    TowerSample s;
    sample_open(&s, 50);
    for (uint64_t i = 0; i < 50; i++) sample_nothing(&s, 0, i), sample_nothing(&s, 1, i);
    sample_judge(&s);
    cr_expect(s.outcome.comparisons[0].lost[0] && s.outcome.comparisons[0].lost[1]);
    cr_expect(s.outcome.comparisons[0].verdict == FPD_VERDICT_UNKNOWN && s.outcome.status == 1);
    sample_number(&s, 0, 3, NAN), sample_number(&s, 1, 3, NAN); // NaN says nothing either
    sample_number(&s, 1, 4, NAN);                               // a divergence
    s.cas.expect_diverge = true;
    sample_judge(&s);
    cr_expect(s.outcome.comparisons[0].lost[0] && s.outcome.comparisons[0].verdict == FPD_VERDICT_DIVERGED);
    cr_expect(s.outcome.status == 1 && !s.outcome.expectation_met);
    sample_payload(&s, 0, 9, 0, 0); // one element that is known
    sample_judge(&s);
    cr_expect(!s.outcome.comparisons[0].lost[0] && !s.outcome.comparisons[0].lost[1] && s.outcome.status == 0);
    sample_close(&s);
}

// Only one of the two lost everything; integers that agree change nothing about that.
Test(compare_tower, one_side_lost) {
    TowerSample s;
    sample_open(&s, 50);
    s.cas.compare_count = 2;
    for (uint64_t i = 0; i < 50; i++) sample_nothing(&s, 1, i);
    sample_judge(&s);
    cr_expect(!s.outcome.comparisons[0].lost[0] && s.outcome.comparisons[0].lost[1] && s.outcome.status == 1);
    sample_close(&s);
}

Test(compare_tower, integers_by_bits) {
    TowerSample s;
    sample_open(&s, 50);
    s.cas.compare_count = 2;
    sample_judge(&s);
    cr_expect(s.outcome.comparisons[0].verdict == FPD_VERDICT_EQUAL && s.outcome.comparisons[0].elements == 52);
    ((int32_t *)fpd_find_run(&s.runs, FPD_MODE_fpsan, 1)->bytes[1])[1] = 9;
    sample_judge(&s);
    const FpdDifference *d = &s.outcome.comparisons[0].differences[1];
    cr_expect(d->verdicts[FPD_ELEMENT_DIFFER].count == 1 && d->verdicts[FPD_ELEMENT_EQUAL].count == 1);
    cr_expect(d->different == 1 && d->first[0] == 1 && s.outcome.status == 1);
    s.compare[0] = 1, s.cas.compare_count = 1; // no floats at all
    for (int v = 0; v < 2; v++)
        fpd_find_run(&s.runs, FPD_MODE_fpsan, v)->bytes[0] = fpd_find_run(&s.runs, FPD_MODE_fpsan, v)->bytes[1];
    for (int v = 0; v < 2; v++) fpd_find_run(&s.runs, FPD_MODE_fpsan, v)->records = NULL;
    sample_judge(&s);
    cr_expect(s.outcome.comparisons[0].different == 1 && !s.outcome.comparisons[0].lost[0] &&
              !s.outcome.comparisons[0].lost[1]);
    sample_close(&s);
}

// What neither variant wrote is a value from outside, and equal; what one copied as integers has no record, but agrees
// with the other's where that is the number itself.
Test(compare_tower, values_from_outside) {
    TowerSample s;
    sample_open(&s, 50);
    for (uint64_t i = 0; i < 50; i++) s.records[1][i] = (HostRecord){0};
    sample_judge(&s);
    cr_expect_eq(s.outcome.comparisons[0].verdict, FPD_VERDICT_EQUAL);
    sample_payload(&s, 0, 5, 15, 0);
    sample_judge(&s);
    cr_expect(s.outcome.comparisons[0].different == 1 && s.outcome.comparisons[0].differences[0].first[0] == 5);
    sample_close(&s);
}

// A case must be able to fail, as a number: constants, and NaN everywhere.
Test(compare_tower, vacuous_by_numbers) {
    TowerSample s;
    sample_open(&s, 50);
    for (uint64_t i = 0; i < 50; i++)
        for (int v = 0; v < 2; v++) {
            uint32_t bits = 0x7fc00000 + (uint32_t)i;
            float nan;
            memcpy(&nan, &bits, 4);
            sample_number(&s, v, i, nan);
        }
    sample_judge(&s);
    cr_expect(s.outcome.vacuous_count == 1 && s.outcome.vacuous[0].kind == FPD_VACUOUS_CONSTANT);
    cr_expect(!s.outcome.comparisons[0].lost[0] && !s.outcome.comparisons[0].lost[1]); // there is nothing to lose
    cr_expect_eq(s.outcome.status, 1);
    sample_number(&s, 0, 7, 1), sample_number(&s, 1, 7, 1);
    sample_judge(&s);
    cr_expect(s.outcome.vacuous_count == 0 && s.outcome.status == 0);
    sample_close(&s);
}

// Another chain embeds fractions from outside as other components.
Test(compare_tower, chain_of_the_runs) {
    TowerSample s;
    sample_open(&s, 4);
    for (int v = 0; v < 2; v++) sample_values(&s, v)[2] = 0.5f;
    s.records[0][2] = record_of(0.5f, number(0.5), 0);
    s.records[1][2] = (HostRecord){0};
    sample_judge(&s);
    cr_expect_eq(s.outcome.comparisons[0].different, 0);
    for (uint32_t v = 0; v < 2; v++) // the record is still one of chain 0
        fpd_find_run(&s.runs, FPD_MODE_fpsan, v)->tower = tower_chain(1);
    sample_judge(&s);
    cr_expect_eq(s.outcome.comparisons[0].different, 1);
    sample_close(&s);
}

// ---- equal as a formula, and far apart as numbers -------------------------------------------------------------------

// Y is a row of the numbers 1 to 100. How far apart its element 49 is, which variant b has with this value and state.
static double roundings(TowerSample *s, float value, uint32_t state, bool *far_apart) {
    sample_number(s, 1, 49, value);
    s->records[1][49].state = HOST_RECORD_VALID | state;
    sample_judge(s);
    const FpdComparison *comparison = &s->outcome.comparisons[0];
    uint32_t compared = 7;
    const FpdFarthest *farthest = fpd_far_apart(&s->cas, comparison, &compared);
    if (farthest) cr_expect(compared == 0 && farthest->index == 49);
    *far_apart = farthest;
    return comparison->differences[0].farthest.roundings;
}

Test(compare_tower, numbers_far_apart) {
    TowerSample s;
    bool far_apart;
    sample_open(&s, 100);
    cr_expect_eq(roundings(&s, 50, 0, &far_apart), 0);
    cr_expect_not(far_apart);
    cr_expect_float_eq(roundings(&s, 50 + 0x1p-10f, 0, &far_apart), 0x1p14 / 100, 1e-9);
    cr_expect_not(far_apart);
    cr_expect_float_eq(roundings(&s, 50 + 0x1p-9f, 0, &far_apart), 0x1p15 / 100, 1e-9);
    cr_expect(far_apart);
    // What was f16 on its way may be 2^13 times as far; what was rounded to integers as far as it likes.
    cr_expect_float_eq(roundings(&s, 50 + 0x1p-9f, TOWER_PASSED_11, &far_apart), 0x1p2 / 100, 1e-9);
    cr_expect_not(far_apart);
    roundings(&s, 70, TOWER_PASSED_11, &far_apart);
    cr_expect(far_apart);
    cr_expect_eq(roundings(&s, 51, TOWER_ROUNDED, &far_apart), 0);
    // A short row may be all that is left of numbers that cancelled; NaN and infinities are told there, too.
    s.buffers[0].rank = 2;
    s.buffers[0].shape[0] = 50, s.buffers[0].shape[1] = 2;
    cr_expect_eq(roundings(&s, 70, 0, &far_apart), 0);
    cr_expect(isinf(roundings(&s, INFINITY, 0, &far_apart)));
    cr_expect(far_apart);
    // One row of ten may be divided by what nearly cancelled: that says nothing.
    s.buffers[0].shape[0] = 10, s.buffers[0].shape[1] = 10;
    cr_expect_gt(roundings(&s, 70, 0, &far_apart), 1e6);
    cr_expect_not(far_apart);
    s.buffers[0].shape[0] = 2, s.buffers[0].shape[1] = 50;
    cr_expect_gt(roundings(&s, 70, 0, &far_apart), 1e6);
    cr_expect(far_apart);
    // A row that one variant lost altogether is told beside the others; where there are none, nothing is known of it.
    for (uint64_t i = 0; i < 49; i++) sample_number(&s, 1, i, 0);
    cr_expect_float_eq(roundings(&s, 0, 0, &far_apart), 0x1p23, 1e-9);
    cr_expect(far_apart);
    s.buffers[0].shape[0] = 1, s.buffers[0].shape[1] = 100;
    for (uint64_t i = 50; i < 100; i++) sample_number(&s, 1, i, 0);
    cr_expect_eq(roundings(&s, 0, 0, &far_apart), 0);
    s.buffers[0].rank = 1;
    roundings(&s, INFINITY, 0, &far_apart);
    cr_expect(far_apart);
    sample_payload(&s, 1, 3, 15, 0); // a pair that diverges is told otherwise
    roundings(&s, INFINITY, 0, &far_apart);
    cr_expect_not(far_apart);
    sample_close(&s);
}

// ---- comparisons that no case asks for yet: runs of any variants and modes

static FpdComparison judged(TowerSample *s, const FpdRun *left, const FpdRun *right, FpdQuestion question) {
    FpdComparison *comparison = arena_new(&s->arena, FpdComparison);
    for (uint32_t v = 0; v < 2; v++) fpd_share_numbers(fpd_find_run(&s->runs, FPD_MODE_ieee, v));
    *comparison = (FpdComparison){.left = left, .right = right, .question = question};
    s->outcome = (FpdOutcome){
        .cas = &s->cas, .path = s->cas.path, .runs = &s->runs, .comparison_count = 1, .comparisons = comparison};
    fpd_judge(&s->arena, &s->outcome);
    return *comparison;
}

static const char *report_of(TowerSample *s) {
    Buffer text = {0};
    fpd_print_outcome(&s->outcome, false, &text);
    const char *kept = arena_text(&s->arena, text.data, text.size);
    buffer_free(&text);
    return kept;
}

// Two builds of one variant, as a mode beside ieee would make them: the same formula, other numbers.
Test(compare_tower, one_variant_computed_in_two_ways) {
    TowerSample s;
    sample_open(&s, 100);
    FpdRun *ieee = fpd_find_run(&s.runs, FPD_MODE_fpsan, 0), fast = *ieee;
    FpdRun *other = fpd_find_run(&s.runs, FPD_MODE_fpsan, 1);
    fast.bytes = other->bytes, fast.records = other->records; // it is still variant a
    sample_number(&s, 1, 7, 8.0000019f);
    cr_expect_eq(judged(&s, ieee, &fast, FPD_QUESTION_formula).verdict, FPD_VERDICT_EQUAL);
    cr_expect(strstr(report_of(&s), "  a | a  fpsan  EQUAL     100 elements of Y; IEEE at most 1.91e-06 apart"));
    cr_expect_eq(judged(&s, ieee, &fast, FPD_QUESTION_numbers).verdict, FPD_VERDICT_REPORTED);
    s.cas.tolerance.given = true;
    FpdComparison numbers = judged(&s, ieee, &fast, FPD_QUESTION_numbers);
    cr_expect(numbers.verdict == FPD_VERDICT_DIVERGED && numbers.beyond == 1 && numbers.differences[0].first[0] == 7);
    cr_expect(s.outcome.status == 1);
    s.cas.tolerance.rtol = 1e-6;
    cr_expect_eq(judged(&s, ieee, &fast, FPD_QUESTION_numbers).verdict, FPD_VERDICT_EQUAL);
    sample_payload(&s, 1, 9, 15, 0); // a rewrite that changed the formula
    FpdComparison formula = judged(&s, ieee, &fast, FPD_QUESTION_formula);
    cr_expect(formula.verdict == FPD_VERDICT_DIVERGED && formula.differences[0].first[0] == 9);
    sample_close(&s);
}

// Numbers with payloads beside them and numbers without; what cannot be asked is not.
Test(compare_tower, runs_of_different_modes) {
    TowerSample s;
    sample_open(&s, 100);
    const FpdRun *shadow = fpd_find_run(&s.runs, FPD_MODE_fpsan, 0);
    FpdRun *ieee = fpd_find_run(&s.runs, FPD_MODE_ieee, 1), ring = *shadow;
    ring.arithmetic = fpd_arithmetic(FPD_FAMILY_ring, FPD_MODE_fpsan), ring.tower = NULL;
    s.cas.tolerance = (FpdTolerance){true, 0, 0.5};
    cr_expect_eq(judged(&s, shadow, ieee, FPD_QUESTION_numbers).verdict, FPD_VERDICT_EQUAL);
    cr_expect(strstr(report_of(&s), "  a | b  fpsan/ieee  EQUAL     100 elements of Y within rtol 0, atol 0.5;"));
    sample_values(&s, 1)[3] = 9;
    cr_expect_eq(judged(&s, shadow, ieee, FPD_QUESTION_numbers).beyond, 1);
    cr_expect_null(fpd_compare_for(FPD_QUESTION_formula, shadow, ieee));
    cr_expect_null(fpd_compare_for(FPD_QUESTION_formula, shadow, &ring));
    cr_expect_null(fpd_compare_for(FPD_QUESTION_numbers, &ring, ieee));
    cr_expect_null(fpd_compare_for(FPD_QUESTION_formula, ieee, ieee));
    cr_expect_eq(fpd_compare_for(FPD_QUESTION_formula, &ring, &ring), fpd_compare_bits);
    ring = *shadow;
    ring.tower = tower_chain(1);
    cr_expect_null(fpd_compare_for(FPD_QUESTION_formula, shadow, &ring)); // other fields
    sample_close(&s);
}
