// SPDX-License-Identifier: Apache-2.0
// Arithmetic of `ieee` against MPFR: every rounding of add, sub, mul, div, fma and sqrt on f64, f32, f16 and bf16;
// remainders, floor and ceil, minimum and maximum, signs, comparisons, flush to zero; and what must be refused.
#include "numeric_harness.h"

#include <criterion/criterion.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

typedef struct Operation {
    FpsanRule rule;
    FpsanFormat format;
    FloatOp modifiers;
    unsigned lanes;
    char name[48];
} Operation;

static const FpsanFormat formats[] = {FPSAN_F64, FPSAN_F32, FPSAN_F16, FPSAN_BF16};
static const unsigned some_lanes[] = {16, 0, 8, 32, 3, 1, 16};
enum { OPERATIONS_MAX = 256, COUNT = 96 * 110 };

static unsigned width(FpsanFormat format) {
    return fpsan_format_info(format)->lane_bits;
}

static LLVMValueRef emit_operation(NumericContext *cx, const void *data, const LLVMValueRef *inputs) {
    const Operation *o = data;
    NumericValue operands[3], result;
    unsigned count = fpsan_rule_info(o->rule)->operands;
    for (unsigned i = 0; i < count; i++) operands[i] = cx->numeric->from_bits(cx, o->format, inputs[i]);
    const FloatOp op = harness_rule(o->modifiers, o->rule, o->format);
    if (!cx->numeric->apply(cx, &op, operands, count, &result)) return NULL;
    return cx->numeric->to_bits(cx, o->format, &result);
}

static bool add_operation(Harness *h, Operation *o, size_t number) {
    unsigned bits[] = {width(o->format), width(o->format), width(o->format)};
    o->lanes = some_lanes[number % 7];
    snprintf(o->name, sizeof o->name, "op%zu", number);
    return harness_add(h, o->name, o->lanes, fpsan_rule_info(o->rule)->operands, bits, bits[0], emit_operation, o);
}

static uint64_t arrays[3][COUNT], results[COUNT];

static void run_operation(Harness *h, const Operation *o, size_t count) {
    const void *inputs[] = {arrays[0], arrays[1], arrays[2]};
    harness_function(h, o->name)(inputs, results, count / (o->lanes ? o->lanes : 1));
}

// ---- the reference ------------------------------------------------------------------------------

static mpfr_rnd_t mpfr_rounding(FpsanRounding rounding) {
    return rounding == FPSAN_TOWARD_ZERO       ? MPFR_RNDZ
           : rounding == FPSAN_TOWARD_NEGATIVE ? MPFR_RNDD
           : rounding == FPSAN_TOWARD_POSITIVE ? MPFR_RNDU
                                               : MPFR_RNDN;
}

// rule(x...) of real bits, rounded by MPFR to the format's precision and range, subnormals included.
static uint64_t reference(FpsanRule rule, FpsanFormat format, FpsanRounding rounding, const uint64_t *x) {
    const FpsanFormatInfo *info = fpsan_format_info(format);
    mpfr_rnd_t mode = mpfr_rounding(rounding);
    mpfr_t in[3], out;
    int ternary = 0;
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_init2(out, info->mantissa_bits + 1);
    for (unsigned i = 0; i < 3; i++) {
        mpfr_init2(in[i], 53);
        if (i < fpsan_rule_info(rule)->operands) mpfr_set_d(in[i], fpsan_decode(format, x[i]), MPFR_RNDN);
    }
    mpfr_set_emin(1 - info->bias - (int)info->mantissa_bits + 1);
    mpfr_set_emax(info->bias + 1);
    switch (rule) {
    case FPSAN_RULE_ADD: ternary = mpfr_add(out, in[0], in[1], mode); break;
    case FPSAN_RULE_SUB: ternary = mpfr_sub(out, in[0], in[1], mode); break;
    case FPSAN_RULE_MUL: ternary = mpfr_mul(out, in[0], in[1], mode); break;
    case FPSAN_RULE_DIV: ternary = mpfr_div(out, in[0], in[1], mode); break;
    case FPSAN_RULE_FMA: ternary = mpfr_fma(out, in[0], in[1], in[2], mode); break;
    case FPSAN_RULE_SQRT:
    case FPSAN_RULE_SQRT_RN: ternary = mpfr_sqrt(out, in[0], mode); break;
    case FPSAN_RULE_REM: ternary = mpfr_fmod(out, in[0], in[1], mode); break;
    case FPSAN_RULE_FLOOR: ternary = mpfr_rint(out, in[0], MPFR_RNDD); break;
    case FPSAN_RULE_CEIL: ternary = mpfr_rint(out, in[0], MPFR_RNDU); break;
    default: cr_assert_fail("no reference");
    }
    ternary = mpfr_check_range(out, ternary, mode);
    mpfr_subnormalize(out, ternary, mode);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    uint64_t bits = fpsan_encode_nearest(format, mpfr_get_d(out, MPFR_RNDN)); // exact
    for (unsigned i = 0; i < 3; i++) mpfr_clear(in[i]);
    mpfr_clear(out);
    return bits;
}

// Operands that are hard for the rule: often the second or third is chosen so that the result lies at, or next to, a
// midpoint.
static void fill_operands(FpsanRule rule, FpsanFormat format, size_t count, uint64_t *state) {
    const FpsanFormatInfo *info = fpsan_format_info(format);
    for (size_t i = 0; i < count; i++) {
        uint64_t x[3];
        for (unsigned k = 0; k < 3; k++)
            x[k] = sample_bits(format, i < 1296 && k < 2 ? (k ? i / 36 : i % 36) : 99, state);
        double first = fpsan_decode(format, x[0]), second = fpsan_decode(format, x[1]);
        uint64_t choice = random_bits(state);
        if (i >= 1296 && choice % 4 == 0 && (rule == FPSAN_RULE_ADD || rule == FPSAN_RULE_SUB)) {
            // A power of two half an ulp of the first, give or take.
            int exponent = (isfinite(first) && first != 0 ? ilogb(first) : 0) - (int)info->mantissa_bits - 1 +
                           (int)(choice >> 8 & 0xff) % 3;
            uint64_t sign = x[1] & UINT64_C(1) << (info->bits - 1);
            x[1] = fpsan_encode(format, scalbn(1 + (choice >> 16 & 1) * 0x1p-7, exponent), FPSAN_TOWARD_ZERO) ^ sign;
        }
        if (i >= 1296 && choice % 4 < 3 && rule == FPSAN_RULE_FMA) {
            // Something tiny, the product's negative, or a number near it.
            double product = first * second;
            double third = choice % 4 == 0   ? copysign(scalbn(1, -info->bias + (int)(choice >> 8 & 0xff) % 8),
                                                      choice >> 20 & 1 ? 1 : -1)
                           : choice % 4 == 1 ? -product * (1 + ((choice >> 9) % 3) * 0x1p-10)
                                             : scalbn(product, (int)(choice >> 8 & 0xff) % 32 - 16);
            x[2] = fpsan_encode_nearest(format, third);
        }
        for (unsigned k = 0; k < 3; k++) store_element(arrays[k], width(format), i, x[k]);
    }
}

static void check_operation(Harness *h, const Operation *o, size_t count, uint64_t *state) {
    fill_operands(o->rule, o->format, count, state);
    run_operation(h, o, count);
    for (size_t i = 0; i < count; i++) {
        uint64_t x[3], got = load_element(results, width(o->format), i);
        for (unsigned k = 0; k < 3; k++) x[k] = load_element(arrays[k], width(o->format), i);
        uint64_t want = reference(o->rule, o->format, o->modifiers.rounding, x);
        cr_assert(same_float(o->format, got, want), "%s %s, rounding %d: %#lx %#lx %#lx gives %#lx, not %#lx",
                  fpsan_format_info(o->format)->name, fpsan_rule_info(o->rule)->name, o->modifiers.rounding, x[0], x[1],
                  x[2], got, want);
    }
}

static void check_all_roundings(const FpsanRule *rules, size_t rule_count, unsigned rounding_count,
                                const char *features) {
    static Operation operations[OPERATIONS_MAX];
    Harness h;
    size_t count = 0;
    uint64_t state = 11;
    harness_open(&h, &numeric_ieee, native_machine());
    if (features) harness_restrict(&h, features);
    for (size_t r = 0; r < rule_count; r++)
        for (size_t f = 0; f < BASE_COUNT(formats); f++)
            for (unsigned rounding = 0; rounding < rounding_count; rounding++) {
                operations[count] =
                    (Operation){.rule = rules[r], .format = formats[f], .modifiers = {.rounding = rounding}};
                cr_assert(add_operation(&h, &operations[count], count));
                count++;
            }
    harness_finish(&h);
    for (size_t i = 0; i < count; i++) check_operation(&h, &operations[i], COUNT, &state);
    harness_close(&h);
}

Test(arithmetic, sums_and_products_are_correctly_rounded) {
    check_all_roundings((FpsanRule[]){FPSAN_RULE_ADD, FPSAN_RULE_SUB, FPSAN_RULE_MUL}, 3, 4, NULL);
}

Test(arithmetic, quotients_and_roots_are_correctly_rounded) {
    check_all_roundings((FpsanRule[]){FPSAN_RULE_DIV, FPSAN_RULE_SQRT}, 2, 4, NULL);
}

Test(arithmetic, fma_is_correctly_rounded) {
    check_all_roundings((FpsanRule[]){FPSAN_RULE_FMA}, 1, 4, NULL);
}

Test(arithmetic, remainder_floor_ceil_are_exact) {
    check_all_roundings((FpsanRule[]){FPSAN_RULE_REM, FPSAN_RULE_FLOOR, FPSAN_RULE_CEIL, FPSAN_RULE_SQRT_RN}, 4, 1,
                        NULL);
}

// The same code on the oldest x86-64, where fma, floor and vectors of integers are library calls or emulated.
Test(arithmetic, oldest_processor) {
    check_all_roundings((FpsanRule[]){FPSAN_RULE_ADD, FPSAN_RULE_FMA, FPSAN_RULE_FLOOR}, 3, 1, "");
    check_all_roundings((FpsanRule[]){FPSAN_RULE_MUL, FPSAN_RULE_FMA, FPSAN_RULE_SQRT}, 3, 4, "");
}

// Products of f16 and bf16 numbers at a midpoint of the result, with an addend so small that a sum in float loses it.
Test(arithmetic, fma_does_not_round_twice) {
    static Operation operations[2];
    Harness h;
    harness_open(&h, &numeric_ieee, native_machine());
    for (unsigned i = 0; i < 2; i++) {
        operations[i] = (Operation){.rule = FPSAN_RULE_FMA, .format = i ? FPSAN_BF16 : FPSAN_F16};
        cr_assert(add_operation(&h, &operations[i], i));
    }
    harness_finish(&h);
    for (unsigned i = 0; i < 2; i++) {
        FpsanFormat format = operations[i].format;
        const FpsanFormatInfo *info = fpsan_format_info(format);
        size_t count = 0, traps = 0;
        uint64_t state = 5;
        while (count < COUNT) {
            // One factor is near 2^12, so that f16's small numbers lie below a float's last place.
            uint64_t a = info->one + random_bits(&state) % (UINT64_C(1) << info->mantissa_bits) +
                         (UINT64_C(12) << info->mantissa_bits),
                     b = info->one + 1 + random_bits(&state) % 64;
            double product = fpsan_decode(format, a) * fpsan_decode(format, b),
                   ulp = scalbn(1, ilogb(product) - (int)info->mantissa_bits);
            if (product / ulp - floor(product / ulp) != 0.5) continue;
            int small = -info->bias - (int)(random_bits(&state) % info->mantissa_bits) + 1;
            uint64_t c = fpsan_encode_nearest(format, scalbn(random_bits(&state) & 1 ? 1 : -1, small));
            if (count && random_bits(&state) % 4 == 0) c = 0;
            store_element(arrays[0], 16, count, a);
            store_element(arrays[1], 16, count, b);
            store_element(arrays[2], 16, count++, c);
        }
        run_operation(&h, &operations[i], COUNT);
        for (size_t k = 0; k < COUNT; k++) {
            uint64_t x[3], got = load_element(results, 16, k);
            for (unsigned j = 0; j < 3; j++) x[j] = load_element(arrays[j], 16, k);
            uint64_t want = reference(FPSAN_RULE_FMA, format, FPSAN_NEAREST_EVEN, x);
            float twice = fmaf((float)fpsan_decode(format, x[0]), (float)fpsan_decode(format, x[1]),
                               (float)fpsan_decode(format, x[2]));
            traps += fpsan_encode_nearest(format, twice) != want;
            cr_assert_eq(got, want, "%s: fma(%#lx, %#lx, %#lx) gives %#lx, not %#lx", info->name, x[0], x[1], x[2], got,
                         want);
        }
        cr_assert(traps > COUNT / 16, "the samples do not show what they should: %zu", traps);
    }
    harness_close(&h);
}

// The claim that `ieee` rests on for bf16: rounding a float result once more is harmless, also where float itself has
// only subnormals left. Products and quotients of every two significands, scaled to every exponent near the smallest.
Test(arithmetic, rounding_through_float_is_harmless_for_bf16) {
    for (int a = 1; a < 256; a++)
        for (int b = 1; b < 256; b++)
            for (int exponent = -152; exponent < -122; exponent++) {
                double product = scalbn((double)a * b, exponent); // exact
                // A quotient of such numbers that is no number of few bits is further from one than 2^-18 of itself, so
                // the double is on the right side of every midpoint.
                double quotient = scalbn((double)a / b, exponent);
                cr_assert_eq(fpsan_encode_nearest(FPSAN_BF16, product),
                             fpsan_encode_nearest(FPSAN_BF16, (double)(float)product));
                cr_assert_eq(fpsan_encode_nearest(FPSAN_BF16, quotient),
                             fpsan_encode_nearest(FPSAN_BF16, (double)(float)quotient));
            }
}

// ---- minimum, maximum, signs --------------------------------------------------------------------

static uint64_t reference_extreme(bool maximum, bool nan_wins, FpsanFormat format, uint64_t a, uint64_t b) {
    const FpsanFormatInfo *info = fpsan_format_info(format);
    uint64_t sign = UINT64_C(1) << (info->bits - 1), nan = fpsan_encode_nearest(format, NAN);
    bool a_nan = bits_are_nan(format, a), b_nan = bits_are_nan(format, b);
    if ((a_nan && b_nan) || (nan_wins && (a_nan || b_nan))) return nan & ~sign;
    if (a_nan || b_nan) return a_nan ? b : a;
    double x = fpsan_decode(format, a), y = fpsan_decode(format, b);
    bool a_less = x < y || (x == y && (a & sign) && !(b & sign));
    return a_less == maximum ? b : a;
}

Test(arithmetic, minimum_and_maximum) {
    static Operation operations[16];
    Harness h;
    size_t count = 0;
    uint64_t state = 23;
    harness_open(&h, &numeric_ieee, native_machine());
    for (size_t i = 0; i < 16; i++) {
        operations[i] = (Operation){.rule = i & 1 ? FPSAN_RULE_MAX : FPSAN_RULE_MIN,
                                    .format = formats[i / 4],
                                    .modifiers = {.propagate_nan = i & 2}};
        cr_assert(add_operation(&h, &operations[i], i));
        count++;
    }
    harness_finish(&h);
    for (size_t i = 0; i < count; i++) {
        const Operation *o = &operations[i];
        fill_operands(o->rule, o->format, COUNT, &state);
        run_operation(&h, o, COUNT);
        for (size_t k = 0; k < COUNT; k++) {
            uint64_t a = load_element(arrays[0], width(o->format), k), b = load_element(arrays[1], width(o->format), k);
            uint64_t got = load_element(results, width(o->format), k);
            uint64_t want = reference_extreme(o->rule == FPSAN_RULE_MAX, o->modifiers.propagate_nan, o->format, a, b);
            cr_assert_eq(got, want, "%s %s, nan %d: %#lx %#lx gives %#lx, not %#lx", fpsan_format_info(o->format)->name,
                         fpsan_rule_info(o->rule)->name, o->modifiers.propagate_nan, a, b, got,
                         want); // a NaN is the canonical one
        }
    }
    harness_close(&h);
}

Test(arithmetic, signs_are_bits) {
    static Operation operations[8];
    Harness h;
    uint64_t state = 29;
    harness_open(&h, &numeric_ieee, native_machine());
    for (size_t i = 0; i < 8; i++) {
        operations[i] = (Operation){.rule = i & 1 ? FPSAN_RULE_NEG : FPSAN_RULE_ABS, .format = formats[i / 2]};
        cr_assert(add_operation(&h, &operations[i], i));
    }
    harness_finish(&h);
    for (size_t i = 0; i < 8; i++) {
        const Operation *o = &operations[i];
        uint64_t sign = UINT64_C(1) << (width(o->format) - 1);
        fill_operands(o->rule, o->format, COUNT, &state);
        run_operation(&h, o, COUNT);
        for (size_t k = 0; k < COUNT; k++) {
            uint64_t x = load_element(arrays[0], width(o->format), k);
            cr_assert_eq(load_element(results, width(o->format), k), i & 1 ? x ^ sign : x & ~sign);
        }
    }
    harness_close(&h);
}

// ---- flush to zero ------------------------------------------------------------------------------

static uint64_t flushed(uint64_t bits) {
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

Test(arithmetic, flush_to_zero_keeps_signs) {
    static const FpsanRule rules[] = {FPSAN_RULE_ADD, FPSAN_RULE_SUB, FPSAN_RULE_MUL,
                                      FPSAN_RULE_DIV, FPSAN_RULE_FMA, FPSAN_RULE_SQRT};
    static Operation operations[32];
    Harness h;
    size_t count = 0, flushes = 0;
    uint64_t state = 31;
    harness_open(&h, &numeric_ieee, native_machine());
    for (size_t r = 0; r < BASE_COUNT(rules); r++)
        for (unsigned rounding = 0; rounding < 4; rounding++) {
            operations[count] = (Operation){
                .rule = rules[r], .format = FPSAN_F32, .modifiers = {.rounding = rounding, .flush_to_zero = true}};
            cr_assert(add_operation(&h, &operations[count], count));
            count++;
        }
    for (unsigned i = 0; i < 2; i++, count++) {
        operations[count] = (Operation){
            .rule = i ? FPSAN_RULE_MAX : FPSAN_RULE_MIN, .format = FPSAN_F32, .modifiers = {.flush_to_zero = true}};
        cr_assert(add_operation(&h, &operations[count], count));
    }
    harness_finish(&h);
    for (size_t i = 0; i < count; i++) {
        const Operation *o = &operations[i];
        fill_operands(o->rule, FPSAN_F32, COUNT, &state);
        run_operation(&h, o, COUNT);
        for (size_t k = 0; k < COUNT; k++) {
            uint64_t x[3], got = load_element(results, 32, k), want;
            for (unsigned j = 0; j < 3; j++) x[j] = flushed(load_element(arrays[j], 32, k));
            if (o->rule == FPSAN_RULE_MIN || o->rule == FPSAN_RULE_MAX)
                want = reference_extreme(o->rule == FPSAN_RULE_MAX, false, FPSAN_F32, x[0], x[1]);
            else
                want = reference(o->rule, FPSAN_F32, o->modifiers.rounding, x);
            flushes += want != flushed(want);
            cr_assert(same_float(FPSAN_F32, got, flushed(want)), "%s: %#lx %#lx %#lx gives %#lx, not %#lx",
                      fpsan_rule_info(o->rule)->name, x[0], x[1], x[2], got, flushed(want));
        }
    }
    cr_assert(flushes > 1000, "%zu", flushes);
    harness_close(&h);
}

// ---- comparisons --------------------------------------------------------------------------------

typedef struct Comparison {
    FpsanFormat format;
    FpsanPredicate predicate;
    bool unordered;
    unsigned lanes;
    char name[16];
} Comparison;

static LLVMValueRef emit_comparison(NumericContext *cx, const void *data, const LLVMValueRef *inputs) {
    const Comparison *c = data;
    NumericValue a = cx->numeric->from_bits(cx, c->format, inputs[0]),
                 b = cx->numeric->from_bits(cx, c->format, inputs[1]);
    NumericValue result;
    const FloatOp op = {.operand = c->format, .predicate = (FpsanPredicate)c->predicate, .unordered = c->unordered};
    return cx->numeric->compare(cx, &op, &a, &b, &result) ? result.parts[0] : NULL;
}

Test(arithmetic, comparisons) {
    static Comparison all[FPSAN_FORMAT_COUNT * 12];
    const void *inputs[] = {arrays[0], arrays[1]};
    Harness h;
    size_t count = 0;
    uint64_t state = 37;
    harness_open(&h, &numeric_ieee, native_machine());
    for (unsigned format = 0; format < FPSAN_FORMAT_COUNT; format++)
        for (unsigned k = 0; k < 12; k++) {
            Comparison *c = &all[count];
            unsigned bits[] = {width(format), width(format)};
            *c = (Comparison){.format = format, .predicate = k / 2, .unordered = k % 2, .lanes = some_lanes[count % 7]};
            snprintf(c->name, sizeof c->name, "cmp%zu", count++);
            cr_assert(harness_add(&h, c->name, c->lanes, 2, bits, 1, emit_comparison, c));
        }
    harness_finish(&h);
    for (size_t i = 0; i < count; i++) {
        const Comparison *c = &all[i];
        for (size_t k = 0; k < COUNT; k++) {
            uint64_t a = sample_bits(c->format, k % 36, &state), b = sample_bits(c->format, k / 36 % 40, &state);
            store_element(arrays[0], width(c->format), k, a);
            store_element(arrays[1], width(c->format), k, b);
        }
        harness_function(&h, c->name)(inputs, results, COUNT / (c->lanes ? c->lanes : 1));
        for (size_t k = 0; k < COUNT; k++) {
            uint64_t a = load_element(arrays[0], width(c->format), k), b = load_element(arrays[1], width(c->format), k);
            bool want = fpsan_compare_bits(c->format, (FpsanPredicate)c->predicate, !c->unordered, a, b);
            cr_assert_eq(load_element(results, 1, k), want, "%s %d, unordered %d: %#lx %#lx",
                         fpsan_format_info(c->format)->name, c->predicate, c->unordered, a, b);
        }
    }
    harness_close(&h);
}

// ---- refusals -----------------------------------------------------------------------------------

typedef struct Refusal {
    FpsanRule rule;
    FpsanFormat format;
    FloatOp modifiers;
    const char *text; // in the message
} Refusal;

Test(arithmetic, what_is_not_supported_is_refused) {
    static const Refusal refusals[] = {
        {FPSAN_RULE_ADD, FPSAN_F8E5M2, {0}, "f8e5m2"},
        {FPSAN_RULE_ADD, FPSAN_TF32, {0}, "tf32"},
        {FPSAN_RULE_MUL, FPSAN_F4E2M1FN, {0}, "f4e2m1fn"},
        {FPSAN_RULE_ADD, FPSAN_F32, {.saturating = true}, "saturating"},
        {FPSAN_RULE_SQRT, FPSAN_F32, {.propagate_nan = true}, "propagate_nan"},
        {FPSAN_RULE_NEG, FPSAN_F64, {.flush_to_zero = true}, "flush_to_zero"},
        {FPSAN_RULE_FMA, FPSAN_F64, {.rounding = FPSAN_NEAREST_AWAY}, "nearest_away"},
        {FPSAN_RULE_EXP, FPSAN_F32, {.rounding = FPSAN_TOWARD_ZERO}, "zero"},
        {FPSAN_RULE_REM, FPSAN_F32, {.rounding = FPSAN_TOWARD_NEGATIVE}, "negative_inf"},
        {FPSAN_RULE_ADD, FPSAN_F16, {.flush_to_zero = true}, "flush_to_zero"},
        {FPSAN_RULE_EXTERN, FPSAN_F32, {0}, "extern"},
    };
    for (size_t i = 0; i < BASE_COUNT(refusals); i++) {
        const Refusal *r = &refusals[i];
        Operation o = {.rule = r->rule, .format = r->format, .modifiers = r->modifiers};
        Harness h;
        harness_open(&h, &numeric_ieee, native_machine());
        h.cx.op_name = "someop";
        h.cx.at = (Location){.file = "kernel.py", .line = 12};
        cr_assert(!add_operation(&h, &o, 0), "%zu", i);
        cr_assert_eq(h.diagnostics.count, 1);
        cr_assert_eq(h.diagnostics.items[0].code, E_UNSUPPORTED);
        cr_assert_eq(h.diagnostics.items[0].at.line, 12);
        cr_assert(strstr(h.diagnostics.items[0].message, "someop"), "%s", h.diagnostics.items[0].message);
        cr_assert(strstr(h.diagnostics.items[0].message, r->text), "%s", h.diagnostics.items[0].message);
        LLVMDisposeModule(h.cx.module);
        harness_close(&h);
    }
}

// A numeric that honours no definition refuses each by name, whatever the op.
typedef bool RefusingHook(const NumericContext *cx, const FloatOp *op, const NumericValue *x, NumericValue *result);
static bool refuses_apply(const NumericContext *cx, const FloatOp *op, const NumericValue *x, NumericValue *result) {
    return cx->numeric->apply(cx, op, x, 2, result);
}
static bool refuses_convert(const NumericContext *cx, const FloatOp *op, const NumericValue *x, NumericValue *result) {
    return cx->numeric->convert(cx, op, x, result);
}
static bool refuses_compare(const NumericContext *cx, const FloatOp *op, const NumericValue *x, NumericValue *result) {
    return cx->numeric->compare(cx, op, x, x + 1, result);
}
static bool refuses_integers(const NumericContext *cx, const FloatOp *op, const NumericValue *x, NumericValue *result) {
    NumericValue integer = {.parts = {LLVMConstInt(LLVMInt32TypeInContext(cx->context), 1, 0)}};
    (void)x;
    return cx->numeric->from_integer(cx, op, &integer, result);
}
static bool refuses_numbers(const NumericContext *cx, const FloatOp *op, const NumericValue *x, NumericValue *result) {
    return cx->numeric->to_integer(cx, op, LLVMInt32TypeInContext(cx->context), x, result);
}

Test(arithmetic, what_a_numeric_does_not_honour_is_refused) {
    static const Numeric *const numerics[] = {&numeric_ieee, &numeric_payload, &numeric_shadow};
    static const struct {
        RefusingHook *hook;
        FpsanFormat result;
        FpsanRounding rounding;
    } hooks[] = {{refuses_apply, FPSAN_F32, FPSAN_NEAREST_EVEN},
                 {refuses_convert, FPSAN_F16, FPSAN_NEAREST_EVEN},
                 {refuses_compare, FPSAN_F32, FPSAN_NEAREST_EVEN},
                 {refuses_integers, FPSAN_F32, FPSAN_NEAREST_EVEN},
                 {refuses_numbers, FPSAN_F32, FPSAN_TOWARD_ZERO}};
    static const struct {
        FloatOp said;
        const char *name;
    } definitions[] = {
#define DEFINITION_SAID(id, field) {{.field = true}, #field},
        FLOAT_DEFINITIONS(DEFINITION_SAID)
#undef DEFINITION_SAID
    };
    for (size_t n = 0; n < BASE_COUNT(numerics); n++)
        for (size_t k = 0; k < BASE_COUNT(hooks); k++)
            for (size_t d = 0; d < BASE_COUNT(definitions); d++) {
                Numeric strict = *numerics[n];
                FloatOp op = definitions[d].said;
                Harness h;
                strict.honours = 0;
                op.rule = FPSAN_RULE_MIN, op.operand = FPSAN_F32, op.result = hooks[k].result;
                op.rounding = hooks[k].rounding;
                harness_open(&h, &strict, native_machine());
                const NumericValue one = strict.constant(&h.cx, FPSAN_F32, 0x3f800000), x[] = {one, one};
                NumericValue result;
                cr_expect(!hooks[k].hook(&h.cx, &op, x, &result), "%s, hook %zu: %s", strict.name, k,
                          definitions[d].name);
                cr_expect(h.diagnostics.count && strstr(h.diagnostics.items[0].message, definitions[d].name),
                          "%s, hook %zu: %s", strict.name, k, definitions[d].name);
                LLVMDisposeModule(h.cx.module);
                harness_close(&h);
            }
}
