// SPDX-License-Identifier: Apache-2.0
// Functions of `ieee` against MPFR: the largest error in ulps of those that tests/accuracy does not reach; results that
// must be exact; every machine's variant of the library calls.
#include "numeric_harness.h"

#include <criterion/criterion.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>

typedef struct MathCase {
    FpsanRule rule;
    FpsanFormat format;
    FloatOp modifiers;
    unsigned lanes;
    char name[32];
} MathCase;

enum { SWEEP = 96 * 100, ELEMENTS_MAX = 96 * 683 }; // 96 * 683 = 65568 > 2^16

static uint64_t first[ELEMENTS_MAX], second[ELEMENTS_MAX], results[ELEMENTS_MAX];

static unsigned width(FpsanFormat format) {
    return fpsan_format_info(format)->lane_bits;
}
static unsigned operands_of(FpsanRule rule) {
    return fpsan_rule_info(rule)->operands;
}

static LLVMValueRef emit_math(NumericContext *cx, const void *data, const LLVMValueRef *inputs) {
    const MathCase *m = data;
    NumericValue operands[2], result;
    operands[0] = cx->numeric->from_bits(cx, m->format, inputs[0]);
    if (m->rule == FPSAN_RULE_POWI)
        operands[1].parts[0] = inputs[1];
    else if (operands_of(m->rule) == 2)
        operands[1] = cx->numeric->from_bits(cx, m->format, inputs[1]);
    const FloatOp op = harness_rule(m->modifiers, m->rule, m->format);
    if (!cx->numeric->apply(cx, &op, operands, operands_of(m->rule), &result)) return NULL;
    return cx->numeric->to_bits(cx, m->format, &result);
}

static void add_math(Harness *h, MathCase *m, const char *name) {
    unsigned bits[] = {width(m->format), m->rule == FPSAN_RULE_POWI ? 32 : width(m->format)};
    snprintf(m->name, sizeof m->name, "%s", name);
    cr_assert(harness_add(h, m->name, m->lanes, operands_of(m->rule), bits, bits[0], emit_math, m));
}

static void run_math(Harness *h, const MathCase *m, size_t count) {
    const void *inputs[] = {first, second};
    harness_function(h, m->name)(inputs, results, count / (m->lanes ? m->lanes : 1));
}

// ---- the reference ------------------------------------------------------------------------------

static void exact_value(mpfr_t out, FpsanRule rule, double x, double y) {
    static mpfr_t a, b;
    if (!a->_mpfr_d) mpfr_inits2(64, a, b, (mpfr_ptr)0);
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    switch (rule) {
    case FPSAN_RULE_EXP: mpfr_exp(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_EXP2: mpfr_exp2(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_LOG: mpfr_log(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_LOG2: mpfr_log2(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_SIN: mpfr_sin(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_COS: mpfr_cos(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_TAN: mpfr_tan(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_SINH: mpfr_sinh(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_COSH: mpfr_cosh(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_TANH: mpfr_tanh(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_ERF: mpfr_erf(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_POW: mpfr_pow(out, a, b, MPFR_RNDN); break;
    case FPSAN_RULE_POWI: mpfr_pow_si(out, a, (long)y, MPFR_RNDN); break;
    case FPSAN_RULE_ATAN2: mpfr_atan2(out, a, b, MPFR_RNDN); break;
    case FPSAN_RULE_RSQRT:
        mpfr_rec_sqrt(out, a, MPFR_RNDN);
        if (x == 0) mpfr_set_inf(out, signbit(x) ? -1 : 1); // IEEE 754: rSqrt(-0) is minus infinity
        break;
    default: cr_assert_fail("no reference");
    }
}

// |got - exact| in ulps of the format at `exact`; infinity counts as the power of two after the largest number. A NaN
// for a number, a number for a NaN, and a zero or infinity for the other sign's, are infinitely wrong.
static double error_in_ulps(FpsanFormat format, double got, mpfr_t exact) {
    static mpfr_t difference;
    const FpsanFormatInfo *info = fpsan_format_info(format);
    if (!difference->_mpfr_d) mpfr_init2(difference, 128);
    if (mpfr_nan_p(exact) || isnan(got)) return mpfr_nan_p(exact) && isnan(got) ? 0 : INFINITY;
    if (!!signbit(got) != !!mpfr_signbit(exact)) return INFINITY;
    if (isinf(got) && mpfr_inf_p(exact)) return 0;
    long bias = info->bias, exponent = mpfr_zero_p(exact)  ? 1 - bias
                                       : mpfr_inf_p(exact) ? bias + 1
                                                           : mpfr_get_exp(exact) - 1;
    if (exponent < 1 - bias) exponent = 1 - bias;
    if (isinf(got) || exponent > bias) exponent = bias;
    mpfr_set_ui_2exp(difference, 1, bias + 1, MPFR_RNDN); // stands for infinity
    bool too_large = mpfr_inf_p(exact) || mpfr_cmpabs(exact, difference) >= 0;
    if (isinf(got) && too_large) return 0;
    if (!isinf(got)) mpfr_set_d(difference, fabs(got), MPFR_RNDN);
    if (mpfr_inf_p(exact)) return INFINITY;
    mpfr_sub(difference, difference, exact, MPFR_RNDN);
    if (mpfr_signbit(exact)) {
        mpfr_set_d(difference, isinf(got) ? scalbn(1, (int)bias + 1) : fabs(got), MPFR_RNDN);
        mpfr_add(difference, difference, exact, MPFR_RNDN);
    }
    mpfr_mul_2si(difference, difference, info->mantissa_bits - exponent, MPFR_RNDN);
    return fabs(mpfr_get_d(difference, MPFR_RNDN));
}

// ---- inputs -------------------------------------------------------------------------------------

// All bits of 16-bit formats; of wider ones specials, a sweep over all bit patterns, and numbers where functions are
// neither 0 nor 1.
static size_t fill_math(FpsanRule rule, FpsanFormat format, size_t stride, uint64_t *state) {
    bool small = width(format) == 16;
    size_t count = small ? (size_t)65536 / stride / 96 * 96 + 96 : SWEEP;
    for (size_t i = 0; i < count; i++) {
        uint64_t random = random_bits(state), x = (i * stride) & 0xffff,
                 y = sample_bits(format, i < 1296 ? i % 36 : 99, state);
        double unit = (double)(random >> 11) * 0x1p-53;
        if (!small) {
            if (i < 1296)
                x = sample_bits(format, i / 36, state);
            else if (i % 4 == 0)
                x = (UINT64_MAX / SWEEP * i + random % (UINT64_MAX / SWEEP)) >> (64 - width(format));
            else if (i % 4 == 1)
                x = fpsan_encode_nearest(format, (unit - 0.5) * (width(format) == 64 ? 1500 : 220));
            else if (i % 4 == 2)
                x = fpsan_encode_nearest(format, (unit - 0.5) * 12);
            else
                x = fpsan_encode_nearest(format, 1 + (unit - 0.5) * scalbn(1, -(int)(random % 20)));
        }
        if (operands_of(rule) == 2 && i >= 1296 && i % 2)
            y = fpsan_encode_nearest(format, (double)(int64_t)random * 0x1p-63 * 16);
        uint64_t quiet =
            UINT64_C(1) << (fpsan_format_info(format)->mantissa_bits - 1); // pow(1, x) is 1 for quiet NaNs only
        if (bits_are_nan(format, x)) x |= quiet;
        if (bits_are_nan(format, y)) y |= quiet;
        if (rule == FPSAN_RULE_POWI) y = (uint64_t)((int64_t)random >> (i % 2 ? 60 : 32 + i % 31));
        store_element(first, width(format), i, x);
        store_element(second, rule == FPSAN_RULE_POWI ? 32 : width(format), i, y);
    }
    return count;
}

static double largest_error(Harness *h, const MathCase *m, size_t stride) {
    mpfr_t exact;
    double worst = 0;
    uint64_t state = 17;
    size_t count = fill_math(m->rule, m->format, stride, &state);
    mpfr_init2(exact, 100);
    run_math(h, m, count);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = load_element(first, width(m->format), i);
        double x = fpsan_decode(m->format, bits), y = 0;
        if (m->rule == FPSAN_RULE_POWI)
            y = (int32_t)load_element(second, 32, i);
        else if (operands_of(m->rule) == 2)
            y = fpsan_decode(m->format, load_element(second, width(m->format), i));
        exact_value(exact, m->rule, x, y);
        double got = fpsan_decode(m->format, load_element(results, width(m->format), i)),
               error = error_in_ulps(m->format, got, exact);
        cr_assert(error < 1e6, "%s %s(%a, %a) gives %a, not %a", fpsan_format_info(m->format)->name,
                  fpsan_rule_info(m->rule)->name, x, y, got, mpfr_get_d(exact, MPFR_RNDN));
        if (error > worst) worst = error;
    }
    mpfr_clear(exact);
    return worst;
}

// Those that are no ops of Tile IR; tests/accuracy measures the others as whole ops.
static const FpsanRule functions[] = {FPSAN_RULE_ERF};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static void check_functions(FpsanFormat format, unsigned lanes, size_t stride, double bound) {
    static MathCase cases[FUNCTIONS];
    char name[32];
    Harness h;
    harness_open(&h, &numeric_ieee, native_machine());
    for (size_t i = 0; i < FUNCTIONS; i++) {
        cases[i] = (MathCase){.rule = functions[i], .format = format, .lanes = lanes};
        snprintf(name, sizeof name, "function%zu", i);
        add_math(&h, &cases[i], name);
    }
    harness_finish(&h);
    for (size_t i = 0; i < FUNCTIONS; i++) {
        double worst = largest_error(&h, &cases[i], stride);
        cr_log_info("%s %s: %.4f ulp", fpsan_format_info(format)->name, fpsan_rule_info(functions[i])->name, worst);
        cr_expect(worst <= bound, "%s %s: %.4f ulp", fpsan_format_info(format)->name,
                  fpsan_rule_info(functions[i])->name, worst);
    }
    harness_close(&h);
}

Test(math, f32_within_2_ulp) {
    check_functions(FPSAN_F32, 16, 1, 1.5);
}
Test(math, f64_within_2_ulp) {
    check_functions(FPSAN_F64, 8, 1, 2);
}
Test(math, f16_within_1_ulp) {
    check_functions(FPSAN_F16, 32, 3, 1);
}
Test(math, bf16_within_1_ulp) {
    check_functions(FPSAN_BF16, 16, 3, 1);
}

// exp and exp2 are hot and are code of this project: more samples.
Test(math, polynomials_of_f32) {
    static const FpsanRule rules[] = {FPSAN_RULE_EXP, FPSAN_RULE_EXP2};
    Harness h;
    MathCase cases[2];
    harness_open(&h, &numeric_ieee, native_machine());
    for (unsigned i = 0; i < 2; i++) {
        cases[i] = (MathCase){.rule = rules[i], .format = FPSAN_F32, .lanes = 16};
        add_math(&h, &cases[i], i ? "exp2" : "exp");
    }
    harness_finish(&h);
    for (unsigned i = 0; i < 2; i++) {
        double worst = 0;
        for (uint32_t base = 0; base < 4; base++) { // against the C library's double function: every 997th float
            for (uint64_t start = base << 30; start < (base + 1ull) << 30; start += 997ull * ELEMENTS_MAX) {
                for (size_t k = 0; k < ELEMENTS_MAX; k++) store_element(first, 32, k, start + 997 * k);
                run_math(&h, &cases[i], ELEMENTS_MAX);
                for (size_t k = 0; k < ELEMENTS_MAX; k++) {
                    double x = fpsan_decode(FPSAN_F32, load_element(first, 32, k)), want = i ? exp2(x) : exp(x);
                    double got = fpsan_decode(FPSAN_F32, load_element(results, 32, k));
                    if (isnan(x)) {
                        cr_assert(isnan(got));
                        continue;
                    }
                    int exponent = want > 0 && isfinite(want) ? ilogb(want) : -126;
                    double ulp = scalbn(1, (exponent < -126 ? -126 : exponent > 127 ? 127 : exponent) - 23);
                    double error = want >= 0x1p128 - 0x1p103 ? (isinf(got) ? 0 : INFINITY) : fabs(got - want) / ulp;
                    cr_assert(error < 1, "%s(%a) gives %a, not %a", cases[i].name, x, got, want);
                    if (error > worst) worst = error;
                }
            }
        }
        cr_log_info("f32 %s: %.4f ulp", cases[i].name, worst);
    }
    harness_close(&h);
}

Test(math, exact_results) {
    static const struct {
        FpsanRule rule;
        double x, y, want;
    } rows[] = {
        {FPSAN_RULE_EXP, 0, 0, 1},
        {FPSAN_RULE_EXP, -0.0, 0, 1},
        {FPSAN_RULE_EXP, -INFINITY, 0, 0},
        {FPSAN_RULE_EXP, INFINITY, 0, INFINITY},
        {FPSAN_RULE_EXP, -1e4, 0, 0},
        {FPSAN_RULE_EXP, 1e4, 0, INFINITY},
        {FPSAN_RULE_EXP2, -INFINITY, 0, 0},
        {FPSAN_RULE_EXP2, INFINITY, 0, INFINITY},
        {FPSAN_RULE_EXP2, 3, 0, 8},
        {FPSAN_RULE_EXP2, -14, 0, 0x1p-14},
        {FPSAN_RULE_EXP2, -24, 0, 0x1p-24},
        {FPSAN_RULE_EXP2, 15, 0, 0x1p15},
        {FPSAN_RULE_LOG, 1, 0, 0},
        {FPSAN_RULE_LOG, 0, 0, -INFINITY},
        {FPSAN_RULE_LOG, -0.0, 0, -INFINITY},
        {FPSAN_RULE_LOG, -1, 0, NAN},
        {FPSAN_RULE_LOG, INFINITY, 0, INFINITY},
        {FPSAN_RULE_LOG2, 8, 0, 3},
        {FPSAN_RULE_LOG2, 0x1p-14, 0, -14},
        {FPSAN_RULE_LOG2, 0, 0, -INFINITY},
        {FPSAN_RULE_SIN, -0.0, 0, -0.0},
        {FPSAN_RULE_SIN, INFINITY, 0, NAN},
        {FPSAN_RULE_COS, 0, 0, 1},
        {FPSAN_RULE_TANH, -INFINITY, 0, -1},
        {FPSAN_RULE_TANH, 50, 0, 1},
        {FPSAN_RULE_ERF, INFINITY, 0, 1},
        {FPSAN_RULE_COSH, -INFINITY, 0, INFINITY},
        {FPSAN_RULE_SINH, -INFINITY, 0, -INFINITY},
        {FPSAN_RULE_POW, 2, 10, 1024},
        {FPSAN_RULE_POW, -2, 3, -8},
        {FPSAN_RULE_POW, -2, 0.5, NAN},
        {FPSAN_RULE_POW, 0, -1, INFINITY},
        {FPSAN_RULE_POW, NAN, 0, 1},
        {FPSAN_RULE_POW, 1, NAN, 1},
        {FPSAN_RULE_POW, -0.0, 3, -0.0},
        {FPSAN_RULE_POWI, -2, 3, -8},
        {FPSAN_RULE_POWI, 2, -14, 0x1p-14},
        {FPSAN_RULE_POWI, NAN, 0, 1},
        {FPSAN_RULE_POWI, -0.0, -1, -INFINITY},
        {FPSAN_RULE_ATAN2, 0, 1, 0},
        {FPSAN_RULE_ATAN2, -0.0, 1, -0.0},
        {FPSAN_RULE_RSQRT, 4, 0, 0.5},
        {FPSAN_RULE_RSQRT, 0, 0, INFINITY},
        {FPSAN_RULE_RSQRT, -0.0, 0, -INFINITY},
        {FPSAN_RULE_RSQRT, -1, 0, NAN},
        {FPSAN_RULE_RSQRT, INFINITY, 0, 0},
    };
    static const FpsanFormat formats[] = {FPSAN_F64, FPSAN_F32, FPSAN_F16, FPSAN_BF16};
    for (size_t f = 0; f < BASE_COUNT(formats); f++) {
        static MathCase cases[BASE_COUNT(rows)];
        char name[32];
        Harness h;
        harness_open(&h, &numeric_ieee, native_machine());
        for (size_t i = 0; i < BASE_COUNT(rows); i++) {
            cases[i] = (MathCase){.rule = rows[i].rule, .format = formats[f], .lanes = f % 2 ? 4 : 0};
            snprintf(name, sizeof name, "exact%zu", i);
            add_math(&h, &cases[i], name);
        }
        harness_finish(&h);
        for (size_t i = 0; i < BASE_COUNT(rows); i++) {
            for (size_t k = 0; k < 4; k++) {
                store_element(first, width(formats[f]), k, fpsan_encode_nearest(formats[f], rows[i].x));
                if (rows[i].rule == FPSAN_RULE_POWI)
                    store_element(second, 32, k, (uint64_t)(int64_t)rows[i].y);
                else
                    store_element(second, width(formats[f]), k, fpsan_encode_nearest(formats[f], rows[i].y));
            }
            run_math(&h, &cases[i], 4);
            for (size_t k = 0; k < 4; k++) {
                uint64_t got = load_element(results, width(formats[f]), k),
                         want = fpsan_encode_nearest(formats[f], rows[i].want);
                cr_expect(same_float(formats[f], got, want), "%s row %zu: %s(%g, %g) gives %g, not %g",
                          fpsan_format_info(formats[f])->name, i, fpsan_rule_info(rows[i].rule)->name, rows[i].x,
                          rows[i].y, fpsan_decode(formats[f], got), rows[i].want);
            }
        }
        harness_close(&h);
    }
}

// Each machine calls its own library functions, for any lane count.
Test(math, every_machine_and_lane_count) {
    static const unsigned lane_counts[] = {0, 1, 2, 3, 4, 6, 8, 16, 32};
    for (size_t row = 0; machine_row(row); row++) {
        static MathCase cases[32];
        size_t count = 0;
        char name[32];
        Harness h;
        if (!machine_row(row)->runs) continue;
        harness_open(&h, &numeric_ieee, machine_row(row)->machine);
        for (size_t i = 0; i < BASE_COUNT(lane_counts); i++)
            for (unsigned k = 0; k < 3; k++) {
                static const FpsanRule rules[] = {FPSAN_RULE_TANH, FPSAN_RULE_POW, FPSAN_RULE_EXP};
                cases[count] = (MathCase){.rule = rules[k], .format = FPSAN_F32, .lanes = lane_counts[i]};
                snprintf(name, sizeof name, "lanes%zu", count);
                add_math(&h, &cases[count++], name);
            }
        harness_finish(&h);
        for (size_t i = 0; i < count; i++) {
            uint64_t state = 3 + i;
            size_t elements = 96;
            mpfr_t exact;
            mpfr_init2(exact, 100);
            for (size_t k = 0; k < elements; k++) {
                store_element(first, 32, k,
                              fpsan_encode_nearest(FPSAN_F32, (double)(random_bits(&state) >> 40) * 0x1p-22));
                store_element(second, 32, k,
                              fpsan_encode_nearest(FPSAN_F32, (double)(random_bits(&state) >> 40) * 0x1p-22 - 2));
            }
            run_math(&h, &cases[i], elements);
            for (size_t k = 0; k < elements; k++) {
                exact_value(exact, cases[i].rule, fpsan_decode(FPSAN_F32, load_element(first, 32, k)),
                            fpsan_decode(FPSAN_F32, load_element(second, 32, k)));
                double got = fpsan_decode(FPSAN_F32, load_element(results, 32, k));
                cr_assert(error_in_ulps(FPSAN_F32, got, exact) < 1, "%s, %u lanes, %s", machine_row(row)->name,
                          cases[i].lanes, fpsan_rule_info(cases[i].rule)->name);
            }
            mpfr_clear(exact);
        }
        harness_close(&h);
    }
}

// Each feature that an instruction asks for is that of one of the machines here.
Test(math, machines_have_every_feature) {
    const Machine all = {.features = UINT32_MAX};
    const MachineVector *row = NULL;
    while ((row = machine_vector(&all, ~0u, row))) {
        size_t i = 0;
        while (machine_row(i) && !machine_has(&machine_row(i)->machine, row->feature)) i++;
        cr_expect(machine_row(i), "no machine of the tests has what %s of %u lanes needs", row->name, row->lanes);
    }
}
