// SPDX-License-Identifier: Apache-2.0
// The numerics `wide` and `wider`: IEEE bits as in `ieee`, and beside them MPFR's results on the numbers beside the
// operands.
#include "tests/numeric/numeric_harness.h"

#include <criterion/criterion.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

enum { PRECISION = 260, SAMPLES = 640, WORDS = 3 }; // words of a value: IEEE bits, high, low

static unsigned width(FpsanFormat format) {
    return fpsan_format_info(format)->storage_bits;
}

// ---- what MPFR computes ---------------------------------------------------------------------------------------------

typedef int Exact1(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int Exact2(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

static int exact_rsqrt(mpfr_t result, const mpfr_t x, mpfr_rnd_t rounding) {
    return mpfr_rec_sqrt(result, x, rounding);
}

typedef struct ExactRow {
    FpsanRule rule;
    Exact1 *one;
    Exact2 *two;
    double low, high; // of operands
} ExactRow;
static const ExactRow exact_rows[] = {
    {FPSAN_RULE_ADD, NULL, mpfr_add, -4, 4},           {FPSAN_RULE_SUB, NULL, mpfr_sub, -4, 4},
    {FPSAN_RULE_MUL, NULL, mpfr_mul, -4, 4},           {FPSAN_RULE_DIV, NULL, mpfr_div, -4, 4},
    {FPSAN_RULE_NEG, mpfr_neg, NULL, -4, 4},           {FPSAN_RULE_SQRT, mpfr_sqrt, NULL, 0.0001, 40},
    {FPSAN_RULE_SQRT_RN, mpfr_sqrt, NULL, 0.0001, 40}, {FPSAN_RULE_RSQRT, exact_rsqrt, NULL, 0.0001, 40},
    {FPSAN_RULE_EXP, mpfr_exp, NULL, -20, 20},         {FPSAN_RULE_EXP2, mpfr_exp2, NULL, -20, 20},
    {FPSAN_RULE_SIN, mpfr_sin, NULL, -60, 60},         {FPSAN_RULE_COS, mpfr_cos, NULL, -60, 60},
    {FPSAN_RULE_TAN, mpfr_tan, NULL, -60, 60},         {FPSAN_RULE_LOG, mpfr_log, NULL, 0.0001, 40},
    {FPSAN_RULE_LOG2, mpfr_log2, NULL, 0.0001, 40},    {FPSAN_RULE_SINH, mpfr_sinh, NULL, -10, 10},
    {FPSAN_RULE_COSH, mpfr_cosh, NULL, -10, 10},       {FPSAN_RULE_TANH, mpfr_tanh, NULL, -10, 10},
    {FPSAN_RULE_POW, NULL, mpfr_pow, 0.01, 6},         {FPSAN_RULE_ATAN2, NULL, mpfr_atan2, -4, 4},
};

static void set_pair(mpfr_t number, double high, double low) {
    mpfr_set_d(number, high, MPFR_RNDN);
    mpfr_add_d(number, number, low, MPFR_RNDN);
}

// |found - exact| relative to |exact|; where that is 0, the difference itself.
static double error_of(double high, double low, const mpfr_t exact) {
    mpfr_t difference;
    mpfr_init2(difference, PRECISION);
    set_pair(difference, high, low);
    mpfr_sub(difference, difference, exact, MPFR_RNDN);
    if (!mpfr_zero_p(exact)) mpfr_div(difference, difference, exact, MPFR_RNDN);
    const double error = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return error;
}

// ---- code -----------------------------------------------------------------------------------------------------------

typedef struct WideCase {
    FpsanRule rule;
    FpsanFormat format, to;
    unsigned lanes;
    char name[32];
    bool flush;
} WideCase;

static NumericValue operand_of(NumericContext *cx, FpsanFormat format, const LLVMValueRef *inputs, unsigned index) {
    const LLVMValueRef *words = inputs + index * WORDS;
    NumericValue value = numeric_ieee.from_bits(cx, format, words[0]);
    LLVMTypeRef real = vector_type_like(LLVMDoubleTypeInContext(cx->context), words[1]);
    for (unsigned p = 1; p < cx->numeric->part_count; p++)
        value.parts[p] = LLVMBuildBitCast(cx->builder, words[p], real, "");
    return value;
}

static void give_result(NumericContext *cx, FpsanFormat format, const NumericValue *value, LLVMValueRef *outputs) {
    LLVMTypeRef bits;
    outputs[0] = cx->numeric->to_bits(cx, format, value);
    bits = vector_type_like(LLVMInt64TypeInContext(cx->context), outputs[0]);
    outputs[1] = LLVMBuildBitCast(cx->builder, value->parts[1], bits, "");
    outputs[2] =
        cx->numeric->part_count > 2 ? LLVMBuildBitCast(cx->builder, value->parts[2], bits, "") : LLVMConstNull(bits);
}

static bool emit_rule(NumericContext *cx, const void *data, const LLVMValueRef *inputs, LLVMValueRef *outputs) {
    const WideCase *c = data;
    const unsigned count = fpsan_rule_info(c->rule)->operands;
    FloatOp op = float_rule(c->rule, c->format);
    NumericValue operands[3], result, alone;
    op.flush_to_zero = c->flush;
    for (unsigned i = 0; i < count; i++) operands[i] = operand_of(cx, c->format, inputs, i);
    if (!cx->numeric->apply(cx, &op, operands, count, &result)) return false;
    if (!numeric_ieee.apply(cx, &op, operands, count, &alone)) return false;
    give_result(cx, c->format, &result, outputs);
    outputs[3] = numeric_ieee.to_bits(cx, c->format, &alone);
    return true;
}

// ---- operands -------------------------------------------------------------------------------------------------------

typedef struct Sample {
    uint64_t bits;
    double high, low;
} Sample;

static double random_double(uint64_t *state) {
    return (double)(random_bits(state) >> 11) * 0x1p-53;
}

// A float, and beside it a number that is up to 2^-12 of it away.
static Sample random_sample(FpsanFormat format, double least, double most, bool has_low, uint64_t *state) {
    Sample s;
    s.bits = fpsan_encode_nearest(format, least + (most - least) * random_double(state));
    s.high = fpsan_decode(format, s.bits) * (1 + 0x1p-12 * (random_double(state) - 0.5));
    s.low = has_low ? s.high * 0x1p-54 * (random_double(state) - 0.5) : 0;
    if (random_bits(state) % 8 == 0) s.high = fpsan_decode(format, s.bits), s.low = 0;
    return s;
}

static uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double bits_double(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

typedef struct Arrays {
    uint64_t inputs[3 * WORDS][SAMPLES], outputs[WORDS + 1][SAMPLES];
    Sample samples[3][SAMPLES];
} Arrays;

static void fill(Arrays *arrays, const WideCase *c, unsigned operands, double least, double most, bool has_low,
                 uint64_t *state) {
    for (unsigned i = 0; i < operands; i++)
        for (size_t k = 0; k < SAMPLES; k++) {
            const Sample s = arrays->samples[i][k] = random_sample(c->format, least, most, has_low, state);
            store_element(arrays->inputs[i * WORDS], width(c->format), k, s.bits);
            arrays->inputs[i * WORDS + 1][k] = double_bits(s.high);
            arrays->inputs[i * WORDS + 2][k] = double_bits(s.low);
        }
}

static void call(Harness *h, const WideCase *c, Arrays *arrays, unsigned inputs, unsigned outputs) {
    const void *in[3 * WORDS];
    void *out[WORDS + 1];
    for (unsigned i = 0; i < inputs; i++) in[i] = arrays->inputs[i];
    for (unsigned i = 0; i < outputs; i++) out[i] = arrays->outputs[i];
    harness_function(h, c->name)(in, out, SAMPLES / (c->lanes ? c->lanes : 1));
}

static void check_ieee(const WideCase *c, const Arrays *arrays, FpsanFormat format) {
    for (size_t k = 0; k < SAMPLES; k++) {
        const uint64_t found = load_element(arrays->outputs[0], width(format), k),
                       alone = load_element(arrays->outputs[WORDS], width(format), k);
        cr_assert(same_float(format, found, alone), "%s %zu", c->name, k);
    }
}

// ---- functions and arithmetic ---------------------------------------------------------------------------------------

static void add_rule(Harness *h, WideCase *c) {
    unsigned input_bits[3 * WORDS], output_bits[WORDS + 1];
    const unsigned operands = fpsan_rule_info(c->rule)->operands;
    for (unsigned i = 0; i < operands * WORDS; i++) input_bits[i] = i % WORDS ? 64 : width(c->format);
    for (unsigned i = 0; i <= WORDS; i++) output_bits[i] = i % WORDS ? 64 : width(c->format);
    cr_assert(
        harness_add_many(h, c->name, c->lanes, operands * WORDS, input_bits, WORDS + 1, output_bits, emit_rule, c),
        "%s", fpsan_rule_info(c->rule)->name);
}

static void check_exact(const Numeric *numeric, FpsanFormat format) {
    static const unsigned some_lanes[] = {16, 0, 8, 32, 4, 1, 16};
    static WideCase cases[BASE_COUNT(exact_rows)];
    static Arrays arrays;
    const bool has_low = numeric == &numeric_wider;
    const double bound = has_low ? 0x1p-98 : 0x1p-49;
    uint64_t state = 7;
    Harness h;
    mpfr_t x, y, exact;
    mpfr_inits2(PRECISION, x, y, exact, (mpfr_ptr)NULL);
    harness_open(&h, numeric, native_machine());
    for (size_t r = 0; r < BASE_COUNT(exact_rows); r++) {
        cases[r] = (WideCase){.rule = exact_rows[r].rule, .format = format, .lanes = some_lanes[r % 7]};
        snprintf(cases[r].name, sizeof cases[r].name, "rule%zu", r);
        add_rule(&h, &cases[r]);
    }
    harness_finish(&h);
    for (size_t r = 0; r < BASE_COUNT(exact_rows); r++) {
        const ExactRow *row = &exact_rows[r];
        const unsigned operands = row->two ? 2 : 1;
        fill(&arrays, &cases[r], operands, row->low, row->high, has_low, &state);
        call(&h, &cases[r], &arrays, operands * WORDS, WORDS + 1);
        check_ieee(&cases[r], &arrays, format);
        for (size_t k = 0; k < SAMPLES; k++) {
            set_pair(x, arrays.samples[0][k].high, arrays.samples[0][k].low);
            if (row->two) set_pair(y, arrays.samples[1][k].high, arrays.samples[1][k].low);
            if (row->two)
                row->two(exact, x, y, MPFR_RNDN);
            else
                row->one(exact, x, MPFR_RNDN);
            const double high = bits_double(arrays.outputs[1][k]), low = bits_double(arrays.outputs[2][k]);
            double error = error_of(high, low, exact);
            // Near its zeros a function of doubles knows its operand's last place only: sums, and sin, cos, tan, log.
            if (!has_low) error *= fmin(1, fabs(mpfr_get_d(exact, MPFR_RNDN)));
            cr_assert(error <= bound, "%s of %s %zu: %.17g %.17g is off by %g", fpsan_rule_info(row->rule)->name,
                      fpsan_format_info(format)->name, k, high, low, error);
        }
    }
    harness_close(&h);
    mpfr_clears(x, y, exact, (mpfr_ptr)NULL);
}

Test(wide, doubles_are_within_a_few_units) {
    check_exact(&numeric_wide, FPSAN_F32);
    check_exact(&numeric_wide, FPSAN_F16);
    check_exact(&numeric_wide, FPSAN_BF16);
}

Test(wide, pairs_are_within_a_few_units) {
    check_exact(&numeric_wider, FPSAN_F32);
    check_exact(&numeric_wider, FPSAN_F64);
}

// ---- fma, and what floats decide ------------------------------------------------------------------------------------

static void check_decided(const Numeric *numeric, FpsanFormat format) {
    static const FpsanRule decided[] = {FPSAN_RULE_FMA, FPSAN_RULE_MIN,   FPSAN_RULE_MAX,
                                        FPSAN_RULE_ABS, FPSAN_RULE_FLOOR, FPSAN_RULE_CEIL};
    static WideCase cases[BASE_COUNT(decided)];
    static Arrays arrays;
    const bool has_low = numeric == &numeric_wider;
    uint64_t state = 11;
    Harness h;
    mpfr_t x, y, exact;
    mpfr_inits2(PRECISION, x, y, exact, (mpfr_ptr)NULL);
    harness_open(&h, numeric, native_machine());
    for (size_t r = 0; r < BASE_COUNT(decided); r++) {
        cases[r] = (WideCase){.rule = decided[r], .format = format, .lanes = r % 2 ? 16 : 0};
        snprintf(cases[r].name, sizeof cases[r].name, "rule%zu", r);
        add_rule(&h, &cases[r]);
    }
    harness_finish(&h);
    for (size_t r = 0; r < BASE_COUNT(decided); r++) {
        const unsigned operands = fpsan_rule_info(decided[r])->operands;
        fill(&arrays, &cases[r], operands, -4, 4, has_low, &state);
        call(&h, &cases[r], &arrays, operands * WORDS, WORDS + 1);
        check_ieee(&cases[r], &arrays, format);
        for (size_t k = 0; k < SAMPLES; k++) {
            const Sample *a = &arrays.samples[0][k], *b = &arrays.samples[1][k], *c = &arrays.samples[2][k];
            const double high = bits_double(arrays.outputs[1][k]), low = bits_double(arrays.outputs[2][k]),
                         real = fpsan_decode(format, load_element(arrays.outputs[0], width(format), k)),
                         float_a = fpsan_decode(format, a->bits), float_b = fpsan_decode(format, b->bits);
            switch (decided[r]) {
            case FPSAN_RULE_FMA:
                set_pair(x, a->high, a->low);
                set_pair(y, b->high, b->low);
                mpfr_mul(exact, x, y, MPFR_RNDN);
                set_pair(x, c->high, c->low);
                mpfr_add(exact, exact, x, MPFR_RNDN);
                cr_assert(error_of(high, low, exact) * fmin(1, fabs(mpfr_get_d(exact, MPFR_RNDN))) <=
                          (has_low ? 0x1p-98 : 0x1p-49));
                break;
            case FPSAN_RULE_MIN:
            case FPSAN_RULE_MAX: {
                const bool first = decided[r] == FPSAN_RULE_MIN ? float_a <= float_b : float_a >= float_b;
                cr_assert_eq(high, first ? a->high : b->high);
                cr_assert_eq(low, first ? a->low : b->low);
                break;
            }
            case FPSAN_RULE_ABS:
                cr_assert_eq(high, float_a < 0 ? -a->high : a->high);
                cr_assert_eq(low, float_a < 0 ? -a->low : a->low);
                break;
            default: cr_assert(high == real && low == 0);
            }
        }
    }
    harness_close(&h);
    mpfr_clears(x, y, exact, (mpfr_ptr)NULL);
}

Test(wide, floats_decide) {
    check_decided(&numeric_wide, FPSAN_F32);
    check_decided(&numeric_wide, FPSAN_BF16);
    check_decided(&numeric_wider, FPSAN_F64);
}

static void set_operand(Arrays *arrays, FpsanFormat format, unsigned operand, size_t k, double value, double beside) {
    const uint64_t bits = fpsan_encode_nearest(format, value);
    store_element(arrays->inputs[operand * WORDS], width(format), k, bits);
    arrays->samples[operand][k] = (Sample){bits, beside, 0};
    arrays->inputs[operand * WORDS + 1][k] = double_bits(beside);
    arrays->inputs[operand * WORDS + 2][k] = 0;
}

// a - q b, with the quotient q of the floats, which may have any number of digits.
static void check_remainder(const Numeric *numeric, FpsanFormat format) {
    enum { DIGITS = 2400 };
    static Arrays arrays;
    WideCase c = {.rule = FPSAN_RULE_REM, .format = format, .lanes = 16, .name = "remainder"};
    const bool has_low = numeric == &numeric_wider;
    uint64_t state = 5;
    Harness h;
    mpfr_t a, b, q, r;
    mpfr_inits2(DIGITS, a, b, q, r, (mpfr_ptr)NULL);
    harness_open(&h, numeric, native_machine());
    add_rule(&h, &c);
    harness_finish(&h);
    fill(&arrays, &c, 2, 1, 4, has_low, &state);
    for (size_t k = 0; k < SAMPLES; k += 2) { // quotients up to 2^100
        const double x = ldexp(1 + random_double(&state), (int)(random_bits(&state) % 100)),
                     exact = fpsan_decode(format, fpsan_encode_nearest(format, x));
        set_operand(&arrays, format, 0, k, exact, k % 4 ? exact : exact * (1 + 0x1p-30));
    }
    set_operand(&arrays, format, 1, 0, INFINITY, INFINITY);
    call(&h, &c, &arrays, 2 * WORDS, WORDS + 1);
    check_ieee(&c, &arrays, format);
    cr_assert_eq(bits_double(arrays.outputs[1][0]), arrays.samples[0][0].high);
    for (size_t k = 1; k < SAMPLES; k++) {
        const Sample *x = &arrays.samples[0][k], *y = &arrays.samples[1][k];
        const double high = bits_double(arrays.outputs[1][k]), low = bits_double(arrays.outputs[2][k]),
                     real_y = fpsan_decode(format, y->bits),
                     real_r = fpsan_decode(format, load_element(arrays.outputs[0], width(format), k));
        mpfr_set_d(q, fpsan_decode(format, x->bits), MPFR_RNDN);
        mpfr_sub_d(q, q, real_r, MPFR_RNDN);
        mpfr_div_d(q, q, real_y, MPFR_RNDN);
        cr_assert(mpfr_integer_p(q), "%zu", k);
        set_pair(a, x->high, x->low);
        set_pair(b, y->high, y->low);
        const double terms =
            fabs(real_r) + fabs(mpfr_get_d(a, MPFR_RNDN)) * 0x1p-11 + fabs(mpfr_get_d(q, MPFR_RNDN) * real_y) * 0x1p-12;
        mpfr_mul(r, q, b, MPFR_RNDN);
        mpfr_sub(r, a, r, MPFR_RNDN);
        set_pair(a, high, low);
        mpfr_sub(r, r, a, MPFR_RNDN);
        const bool exact = x->high == fpsan_decode(format, x->bits) && y->high == real_y && !x->low && !y->low;
        cr_assert(fabs(mpfr_get_d(r, MPFR_RNDN)) <= (exact ? 0 : terms * 0x1p-49), "%s %zu: %.17g %.17g is off by %g",
                  numeric->name, k, high, low, mpfr_get_d(r, MPFR_RNDN));
    }
    harness_close(&h);
    mpfr_clears(a, b, q, r, (mpfr_ptr)NULL);
}

Test(wide, remainders_of_any_quotient) {
    check_remainder(&numeric_wide, FPSAN_F32);
    check_remainder(&numeric_wider, FPSAN_F32);
    check_remainder(&numeric_wider, FPSAN_F64);
}

// Where the larger one is flushed, the number beside it stays.
Test(wide, flushed_maximum) {
    static Arrays arrays;
    WideCase c = {.rule = FPSAN_RULE_MAX, .format = FPSAN_F32, .lanes = 16, .name = "flushed", .flush = true};
    Harness h;
    harness_open(&h, &numeric_wide, native_machine());
    add_rule(&h, &c);
    harness_finish(&h);
    for (size_t k = 0; k < SAMPLES; k++) {
        set_operand(&arrays, FPSAN_F32, k % 2, k, 1e-40, 1.5e-40);
        set_operand(&arrays, FPSAN_F32, !(k % 2), k, -1, -1.5);
    }
    call(&h, &c, &arrays, 2 * WORDS, WORDS + 1);
    check_ieee(&c, &arrays, FPSAN_F32);
    for (size_t k = 0; k < SAMPLES; k++) {
        cr_assert_eq(load_element(arrays.outputs[0], 32, k), 0);
        cr_assert_eq(bits_double(arrays.outputs[1][k]), 1.5e-40, "%zu", k);
    }
    harness_close(&h);
}

// ---- infinities -----------------------------------------------------------------------------------------------------

// An infinity has nothing beside it, and what IEEE arithmetic makes of it is what doubles make of it.
Test(wide, infinities_stay) {
    static const double numbers[] = {INFINITY, -INFINITY, 0, -0.0, 1, -2, NAN, 0x1p1000, -0x1p1000};
    enum { COUNT = BASE_COUNT(numbers) };
    static const FpsanRule rules[] = {FPSAN_RULE_ADD, FPSAN_RULE_SUB,  FPSAN_RULE_MUL,
                                      FPSAN_RULE_DIV, FPSAN_RULE_SQRT, FPSAN_RULE_EXP};
    static WideCase cases[BASE_COUNT(rules)];
    static Arrays arrays;
    Harness h;
    harness_open(&h, &numeric_wider, native_machine());
    for (size_t r = 0; r < BASE_COUNT(rules); r++) {
        cases[r] = (WideCase){.rule = rules[r], .format = FPSAN_F64};
        snprintf(cases[r].name, sizeof cases[r].name, "rule%zu", r);
        add_rule(&h, &cases[r]);
    }
    harness_finish(&h);
    for (size_t r = 0; r < BASE_COUNT(rules); r++) {
        const unsigned operands = fpsan_rule_info(rules[r])->operands;
        for (size_t k = 0; k < SAMPLES; k++)
            for (unsigned i = 0; i < operands; i++)
                arrays.inputs[i * WORDS][k] = arrays.inputs[i * WORDS + 1][k] =
                    double_bits(numbers[(i ? k / COUNT : k) % COUNT]);
        call(&h, &cases[r], &arrays, operands * WORDS, WORDS + 1);
        for (size_t k = 0; k < SAMPLES; k++) {
            const double real = bits_double(arrays.outputs[0][k]), high = bits_double(arrays.outputs[1][k]),
                         low = bits_double(arrays.outputs[2][k]);
            if (isnan(real))
                cr_assert(isnan(high), "%s %zu", fpsan_rule_info(rules[r])->name, k);
            else
                cr_assert(fabs(high - real) <= 0x1p-50 * fabs(real) || high == real, "%s %zu: %g %g, not %g",
                          fpsan_rule_info(rules[r])->name, k, high, low, real);
            cr_assert(isfinite(high) || low == 0);
        }
    }
    harness_close(&h);
}

// The sign of a zero decides what atan2, an odd power and a reciprocal root are.
Test(wide, zeros_keep_their_signs) {
    static const FpsanRule rules[] = {FPSAN_RULE_ATAN2, FPSAN_RULE_POW, FPSAN_RULE_RSQRT};
    static WideCase cases[BASE_COUNT(rules)];
    static Arrays arrays;
    Harness h;
    harness_open(&h, &numeric_wider, native_machine());
    for (size_t r = 0; r < BASE_COUNT(rules); r++) {
        cases[r] = (WideCase){.rule = rules[r], .format = FPSAN_F32};
        snprintf(cases[r].name, sizeof cases[r].name, "rule%zu", r);
        add_rule(&h, &cases[r]);
    }
    harness_finish(&h);
    for (size_t r = 0; r < BASE_COUNT(rules); r++) {
        for (size_t k = 0; k < SAMPLES; k++) {
            const double zero = k % 2 ? -0.0 : 0.0;
            set_operand(&arrays, FPSAN_F32, 0, k, zero, zero);
            set_operand(&arrays, FPSAN_F32, 1, k, -1, -1);
        }
        call(&h, &cases[r], &arrays, fpsan_rule_info(rules[r])->operands * WORDS, WORDS + 1);
        for (size_t k = 0; k < SAMPLES; k++) {
            const double real = fpsan_decode(FPSAN_F32, load_element(arrays.outputs[0], 32, k)),
                         high = bits_double(arrays.outputs[1][k]);
            cr_assert(real == high || fabs(real - high) < 1e-6, "%s of %s 0: %g, not %g",
                      fpsan_rule_info(rules[r])->name, k % 2 ? "-" : "+", high, real);
        }
    }
    harness_close(&h);
}

// Nor does what was computed lose it: -0 + -0, -0 * 1, -0 / 1, -0 * 1 + -0 and the root of -0.
Test(wide, computed_zeros_keep_their_signs) {
    static const struct {
        FpsanRule rule;
        double second;
    } rows[] = {
        {FPSAN_RULE_ADD, -0.0}, {FPSAN_RULE_MUL, 1}, {FPSAN_RULE_DIV, 1}, {FPSAN_RULE_FMA, 1}, {FPSAN_RULE_SQRT, 1}};
    static WideCase cases[BASE_COUNT(rows)];
    static Arrays arrays;
    Harness h;
    harness_open(&h, &numeric_wider, native_machine());
    for (size_t r = 0; r < BASE_COUNT(rows); r++) {
        cases[r] = (WideCase){.rule = rows[r].rule, .format = FPSAN_F32};
        snprintf(cases[r].name, sizeof cases[r].name, "rule%zu", r);
        add_rule(&h, &cases[r]);
    }
    harness_finish(&h);
    for (size_t r = 0; r < BASE_COUNT(rows); r++) {
        for (size_t k = 0; k < SAMPLES; k++) {
            set_operand(&arrays, FPSAN_F32, 0, k, -0.0, -0.0);
            set_operand(&arrays, FPSAN_F32, 1, k, rows[r].second, rows[r].second);
            set_operand(&arrays, FPSAN_F32, 2, k, -0.0, -0.0);
        }
        call(&h, &cases[r], &arrays, fpsan_rule_info(rows[r].rule)->operands * WORDS, WORDS + 1);
        for (size_t k = 0; k < SAMPLES; k++) {
            const double high = bits_double(arrays.outputs[1][k]);
            cr_assert(high == 0 && signbit(high), "%s: %g", fpsan_rule_info(rows[r].rule)->name, high);
        }
    }
    harness_close(&h);
}
