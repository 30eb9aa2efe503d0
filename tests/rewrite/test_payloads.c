// SPDX-License-Identifier: Apache-2.0
// Payloads judge the rewrites: kernels are compiled as they are and rewritten, and run on the same numbers. Rules whose
// column says so keep the payloads of triton-3.9 and of the tower; a rule whose column says NO shows a difference.
#include "tests/lower/lab.h"
#include "tests/rewrite/formulas.h"

#include <math.h>
#include <string.h>

typedef struct Numbers {
    uint64_t bits[FORMULA_BUFFERS][FORMULA_ELEMENTS];
} Numbers;

typedef struct Result {
    uint64_t bits[FORMULA_ELEMENTS];
    TowerPayload payloads[FORMULA_ELEMENTS];
} Result;

// Flags and bounds would have the compiler rewrite the module once more.
static void drop_licences(TirModule *module) {
    const TirRegion *body = &module->functions[0].body;
    for (TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op)) {
        op->math.flags = 0;
        op->math.max_error = 0;
    }
}

// Compiles and runs a module, which is closed. `payload` (or NULL): of the numbers of buffer 0.
static Result run(TirModule *module, TirTypeKind kind, CompileNumeric numeric, const Numbers *numbers,
                  const TowerPayload *payload) {
    TirTypeKind kinds[FORMULA_BUFFERS];
    for (unsigned b = 0; b < FORMULA_BUFFERS; b++) kinds[b] = kind;
    drop_licences(module);
    Lab lab = lab_open_module(module, FORMULA_BUFFERS, kinds);
    for (unsigned b = 0; b < FORMULA_BUFFERS; b++)
        for (unsigned i = 0; i < FORMULA_ELEMENTS; i++) lab_put(&lab, b, kind, i, numbers->bits[b][i]);
    if (payload)
        for (unsigned i = 0; i < FORMULA_ELEMENTS; i++) lab_put_record(&lab, 0, kind, i, *payload);
    cr_assert(lab_compile(&lab, numeric, FPSAN_CASTS_MIX, NULL), "%s",
              lab.diagnostics.count ? lab.diagnostics.items[0].message : "");
    cr_assert(lab_run(&lab));
    Result result = {0};
    for (unsigned i = 0; i < FORMULA_ELEMENTS; i++) {
        result.bits[i] = lab_get(&lab, FORMULA_RESULT, kind, i);
        if (numeric == COMPILE_SHADOW) result.payloads[i] = lab_payload(&lab, FORMULA_RESULT, kind, i);
    }
    lab_close(&lab);
    return result;
}

static uint8_t flags_of(RewriteRuleId rule) {
    return rewrite_rules[rule].flags | (rewrite_rules[rule].either & MATH_FLAG_nnan);
}

// The kernel of the rule's formula as it is and rewritten. `after` has to be closed first.
static void make_sides(RewriteRuleId rule, TirTypeKind kind, TirModule **before, TirModule **after) {
    FormulaKernel k = formula_open(kind);
    RewriteFirings firings = {0};
    formula_build(&k, formula_from(rule), flags_of(rule));
    formula_end(&k);
    TirModule *copy = formula_rewrite(k.module, REWRITE_ALL, &firings);
    cr_assert(formula_fired(&firings, rule));
    *before = k.module;
    *after = copy;
}

// ---- triton-3.9 -----------------------------------------------------------------------------------------------------

// Any bits: payloads are any integers, and so are the bits behind them: -0, NaN and infinities, too. `odd`: payloads
// are.
static Numbers ring_numbers(TirTypeKind kind, bool odd, uint64_t *state) {
    const FpsanFormat format = lab_format(kind);
    Numbers numbers;
    for (unsigned b = 0; b < FORMULA_BUFFERS; b++)
        for (unsigned i = 0; i < FORMULA_ELEMENTS; i++) {
            uint64_t payload = lab_random(state);
            if (odd) payload |= 1;
            if (!odd && i < 4) payload = i * 2; // even ones have no inverse
            numbers.bits[b][i] = fpsan_unembed(fpsan_profile_at(0), format, payload);
            const double special = i == 4 ? -0.0 : i == 5 ? NAN : i == 6 ? -NAN : INFINITY;
            if (!odd && i >= 4 && i < 8) numbers.bits[b][i] = fpsan_encode_nearest(format, special);
        }
    return numbers;
}

// How many elements differ.
static unsigned ring_differences(RewriteRuleId rule, TirTypeKind kind, bool odd) {
    TirModule *before, *after;
    uint64_t state = 1000 + rule;
    make_sides(rule, kind, &before, &after);
    const Numbers numbers = ring_numbers(kind, odd, &state);
    const Result b = run(after, kind, COMPILE_PAYLOAD, &numbers, NULL),
                 a = run(before, kind, COMPILE_PAYLOAD, &numbers, NULL);
    unsigned count = 0;
    for (unsigned i = 0; i < FORMULA_ELEMENTS; i++) count += a.bits[i] != b.bits[i];
    return count;
}

Test(payloads, of_the_ring_are_as_the_column_says) {
    for (int r = 0; r < REWRITE_RULE_COUNT; r++) {
        const RewriteRuleId rule = (RewriteRuleId)r;
        const unsigned any = ring_differences(rule, TIR_TYPE_f16, false);
        cr_expect_eq(any == 0, rewrite_rules[r].in_ring, "%s: %u payloads differ", rewrite_rules[r].name, any);
        if (rewrite_rules[r].in_ring)
            cr_expect_eq(ring_differences(rule, TIR_TYPE_f32, false), 0, "%s", rewrite_rules[r].name);
    }
}

// The table's "only odd ones".
Test(payloads, of_the_ring_stay_where_divisors_have_inverses) {
    static const RewriteRuleId rules[] = {REWRITE_A2, REWRITE_V1_quotient};
    for (size_t i = 0; i < BASE_COUNT(rules); i++) {
        cr_expect_eq(ring_differences(rules[i], TIR_TYPE_f32, true), 0, "%s", rewrite_rules[rules[i]].name);
        cr_expect_gt(ring_differences(rules[i], TIR_TYPE_f32, false), 0, "%s", rewrite_rules[rules[i]].name);
    }
}

// ---- the tower ------------------------------------------------------------------------------------------------------

static Numbers tower_numbers(TirTypeKind kind, bool positive, uint64_t *state) {
    Numbers numbers;
    for (unsigned b = 0; b < FORMULA_BUFFERS; b++)
        for (unsigned i = 0; i < FORMULA_ELEMENTS; i++) {
            const uint64_t random = lab_random(state);
            double x = (double)(1 + random % 4096) / 64;
            if (!positive && random >> 32 & 1) x = -x;
            numbers.bits[b][i] = fpsan_encode_nearest(lab_format(kind), x);
        }
    return numbers;
}

// Components that both know are equal, and so are the kinds. *known: how many components were compared.
static bool same_formula(TowerPayload a, TowerPayload b, unsigned *known) {
    if ((a.state ^ b.state) & TOWER_KIND) return false;
    for (unsigned c = 0; c < TOWER_LENGTH; c++) {
        if ((a.state | b.state) >> TOWER_MISSING_SHIFT >> c & 1) continue;
        if (a.component[c] != b.component[c]) return false;
        ++*known;
    }
    return true;
}

Test(payloads, of_the_tower_stay) {
    for (int r = 0; r < REWRITE_RULE_COUNT; r++) {
        const RewriteRuleId rule = (RewriteRuleId)r;
        TirModule *before, *after;
        uint64_t state = 2000 + (uint64_t)rule;
        unsigned known = 0, different = 0;
        make_sides(rule, TIR_TYPE_f32, &before, &after);
        const Numbers numbers = tower_numbers(TIR_TYPE_f32, rewrite_rules[r].row[0] == 'F', &state);
        const Result b = run(after, TIR_TYPE_f32, COMPILE_SHADOW, &numbers, NULL),
                     a = run(before, TIR_TYPE_f32, COMPILE_SHADOW, &numbers, NULL);
        for (unsigned i = 0; i < FORMULA_ELEMENTS; i++)
            different += !same_formula(a.payloads[i], b.payloads[i], &known);
        cr_expect_eq(different == 0, rewrite_rules[r].in_tower, "%s: %u payloads differ", rewrite_rules[r].name,
                     different);
        cr_expect_geq(known, 2 * FORMULA_ELEMENTS, "%s: only %u components are known", rewrite_rules[r].name, known);
    }
}

// Numbers that became -0 by rounding have payloads that are not 0: where select(x < 0, -x, x) does not negate one,
// neither does the absf that it becomes. A NaN is not less than 0 either.
Test(payloads, of_minus_zero_are_not_negated) {
    const double numbers_of[] = {-0.0, 0.0, -NAN, NAN, -2, 3};
    TirModule *before, *after;
    Numbers numbers = {0};
    make_sides(REWRITE_V3, TIR_TYPE_f32, &before, &after);
    for (unsigned i = 0; i < FORMULA_ELEMENTS; i++)
        numbers.bits[0][i] = fpsan_encode_nearest(FPSAN_F32, numbers_of[i % BASE_COUNT(numbers_of)]);
    const TowerPayload payload = tower_embed(tower_chain(0), FPSAN_F32, fpsan_encode_nearest(FPSAN_F32, 5));
    const Result b = run(after, TIR_TYPE_f32, COMPILE_SHADOW, &numbers, &payload),
                 a = run(before, TIR_TYPE_f32, COMPILE_SHADOW, &numbers, &payload);
    for (unsigned i = 0; i < FORMULA_ELEMENTS; i++) {
        unsigned known = 0;
        cr_expect(same_formula(a.payloads[i], b.payloads[i], &known), "element %u", i);
        cr_expect_eq(known, TOWER_LENGTH);
        const bool negated = numbers_of[i % BASE_COUNT(numbers_of)] == -2;
        cr_expect_eq(a.payloads[i].component[0] != payload.component[0], negated, "element %u", i);
    }
}

// ---- random trees ---------------------------------------------------------------------------------------------------

static TirModule *rewritten(const TirModule *module, RewritePayloads payloads, size_t *fired) {
    RewriteFirings firings = {0};
    TirModule *copy = formula_rewrite(module, payloads, &firings);
    *fired += firings.count;
    return copy;
}

static void check_ring_trees(TirTypeKind kind, uint64_t first, uint64_t count) {
    size_t fired = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        uint64_t state = seed;
        FormulaKernel k = random_kernel(seed, kind, ALL_FLAGS);
        TirModule *copy = rewritten(k.module, REWRITE_FOR_RING, &fired);
        const Numbers numbers = ring_numbers(kind, false, &state);
        const Result b = run(copy, kind, COMPILE_PAYLOAD, &numbers, NULL),
                     a = run(k.module, kind, COMPILE_PAYLOAD, &numbers, NULL);
        for (unsigned i = 0; i < FORMULA_ELEMENTS; i++)
            cr_assert_eq(a.bits[i], b.bits[i], "%s, seed %lu, element %u", tir_type_rows[kind].name,
                         (unsigned long)seed, i);
    }
    cr_expect_gt(fired, count);
}

// A number that value flags exclude, or a decision that the rounding may have turned.
static bool is_odd(TowerPayload payload, uint64_t bits) {
    const unsigned odd = FPSAN_CLASS_NAN | FPSAN_CLASS_INFINITE | FPSAN_CLASS_SUBNORMAL | FPSAN_CLASS_ZERO;
    return payload.state & (TOWER_KIND | TOWER_NEAR) || fpsan_classify_bits(FPSAN_F32, bits) & odd;
}

static void check_tower_trees(uint64_t first, uint64_t count) {
    size_t fired = 0;
    unsigned known = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        uint64_t state = seed;
        FormulaKernel k = random_kernel(seed, TIR_TYPE_f32, ALL_FLAGS);
        TirModule *copy = rewritten(k.module, REWRITE_ALL, &fired);
        const Numbers numbers = tower_numbers(TIR_TYPE_f32, false, &state);
        const Result b = run(copy, TIR_TYPE_f32, COMPILE_SHADOW, &numbers, NULL),
                     a = run(k.module, TIR_TYPE_f32, COMPILE_SHADOW, &numbers, NULL),
                     witness = run(random_kernel(seed, TIR_TYPE_f32, WITNESS).module, TIR_TYPE_f32, COMPILE_IEEE,
                                   &numbers, NULL);
        for (unsigned i = 0; i < FORMULA_ELEMENTS; i++) {
            if (fpsan_classify_bits(FPSAN_F32, witness.bits[i]) & FPSAN_CLASS_NAN) continue;
            if (is_odd(a.payloads[i], a.bits[i]) || is_odd(b.payloads[i], b.bits[i])) continue;
            cr_expect(same_formula(a.payloads[i], b.payloads[i], &known), "seed %lu, element %u: %08lx, %08lx",
                      (unsigned long)seed, i, (unsigned long)a.bits[i], (unsigned long)b.bits[i]);
        }
    }
    cr_expect_gt(fired, count);
    cr_expect_gt(known, count); // in many trees something is odd everywhere
}

Test(payloads, of_the_ring_stay_in_random_trees) {
    check_ring_trees(TIR_TYPE_f32, 0, 5);
    check_ring_trees(TIR_TYPE_f16, 100, 3);
}

Test(payloads, of_the_tower_stay_in_random_trees) {
    check_tower_trees(0, 6);
}

Test(payloads, more_of_all) { // takes long
    check_ring_trees(TIR_TYPE_f32, 1000, 150);
    check_ring_trees(TIR_TYPE_bf16, 2000, 50);
    check_ring_trees(TIR_TYPE_f64, 3000, 50);
    check_tower_trees(4000, 150);
}
