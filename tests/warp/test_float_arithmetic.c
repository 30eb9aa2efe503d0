// SPDX-License-Identifier: Apache-2.0
// Float arithmetic of PTX, every instruction on every type, against MPFR and against the scalar code of the algebra.
#include "float_lab.h"

#include "compiler/target/approximate.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct FloatCase {
    const char *op; // "add.rz.ftz.f32"
    FpsanRule rule;
    const char *type; // of the last word
    FpsanRounding rounding;
    bool flush, saturate, relu, nan_wins, of_magnitudes, xor_signs;
    int approximation; // 1 + an Approximation: what it is in IEEE arithmetic; 0: rounded once
    unsigned operands; // 0: as the rule
} FloatCase;

#define RN              .rounding = FPSAN_NEAREST_EVEN
#define RZ              .rounding = FPSAN_TOWARD_ZERO
#define RM              .rounding = FPSAN_TOWARD_NEGATIVE
#define RP              .rounding = FPSAN_TOWARD_POSITIVE
#define FLUSH           .flush = true
#define APPROXIMATE(id) .approximation = 1 + APPROXIMATE_##id
static const FloatCase cases[] = {
    {"add.f32", FPSAN_RULE_ADD, "f32", RN},
    {"add.rz.ftz.f32", FPSAN_RULE_ADD, "f32", RZ, FLUSH},
    {"add.rm.sat.f32", FPSAN_RULE_ADD, "f32", RM, .saturate = true},
    {"add.rp.f64", FPSAN_RULE_ADD, "f64", RP},
    {"add.f64", FPSAN_RULE_ADD, "f64", RN},
    {"add.f16", FPSAN_RULE_ADD, "f16", RN},
    {"add.ftz.f16x2", FPSAN_RULE_ADD, "f16x2", FLUSH},
    {"add.rn.ftz.sat.f16x2", FPSAN_RULE_ADD, "f16x2", FLUSH, .saturate = true},
    {"add.bf16", FPSAN_RULE_ADD, "bf16", RN},
    {"add.rn.bf16x2", FPSAN_RULE_ADD, "bf16x2", RN},
    {"add.rn.f32x2", FPSAN_RULE_ADD, "f32x2", RN},
    {"add.rm.ftz.f32x2", FPSAN_RULE_ADD, "f32x2", RM, FLUSH},
    {"sub.f32", FPSAN_RULE_SUB, "f32", RN},
    {"sub.rp.ftz.sat.f32", FPSAN_RULE_SUB, "f32", RP, FLUSH, .saturate = true},
    {"sub.rz.f64", FPSAN_RULE_SUB, "f64", RZ},
    {"sub.sat.f16", FPSAN_RULE_SUB, "f16", .saturate = true},
    {"sub.f16x2", FPSAN_RULE_SUB, "f16x2", RN},
    {"sub.bf16x2", FPSAN_RULE_SUB, "bf16x2", RN},
    {"sub.f32x2", FPSAN_RULE_SUB, "f32x2", RN},
    {"mul.f32", FPSAN_RULE_MUL, "f32", RN},
    {"mul.rm.ftz.f32", FPSAN_RULE_MUL, "f32", RM, FLUSH},
    {"mul.rp.f64", FPSAN_RULE_MUL, "f64", RP},
    {"mul.f64", FPSAN_RULE_MUL, "f64", RN},
    {"mul.ftz.f16", FPSAN_RULE_MUL, "f16", FLUSH},
    {"mul.f16x2", FPSAN_RULE_MUL, "f16x2", RN},
    {"mul.bf16", FPSAN_RULE_MUL, "bf16", RN},
    {"mul.bf16x2", FPSAN_RULE_MUL, "bf16x2", RN},
    {"mul.rz.f32x2", FPSAN_RULE_MUL, "f32x2", RZ},
    {"fma.rn.f32", FPSAN_RULE_FMA, "f32", RN},
    {"fma.rm.f32", FPSAN_RULE_FMA, "f32", RM},
    {"fma.rz.ftz.sat.f32", FPSAN_RULE_FMA, "f32", RZ, FLUSH, .saturate = true},
    {"fma.rn.f64", FPSAN_RULE_FMA, "f64", RN},
    {"fma.rp.f64", FPSAN_RULE_FMA, "f64", RP},
    {"fma.rn.f16", FPSAN_RULE_FMA, "f16", RN},
    {"fma.rn.ftz.f16x2", FPSAN_RULE_FMA, "f16x2", FLUSH},
    {"fma.rn.ftz.relu.f16", FPSAN_RULE_FMA, "f16", FLUSH, .relu = true},
    {"fma.rn.sat.f16x2", FPSAN_RULE_FMA, "f16x2", .saturate = true},
    {"fma.rn.bf16", FPSAN_RULE_FMA, "bf16", RN},
    {"fma.rn.relu.bf16x2", FPSAN_RULE_FMA, "bf16x2", .relu = true},
    {"fma.rn.f32x2", FPSAN_RULE_FMA, "f32x2", RN},
    {"mad.rn.f32", FPSAN_RULE_FMA, "f32", RN},
    {"mad.rz.f64", FPSAN_RULE_FMA, "f64", RZ},
    {"neg.f32", FPSAN_RULE_NEG, "f32", RN},
    {"neg.ftz.f32", FPSAN_RULE_NEG, "f32", FLUSH},
    {"neg.f64", FPSAN_RULE_NEG, "f64", RN},
    {"neg.ftz.f16", FPSAN_RULE_NEG, "f16", FLUSH},
    {"neg.f16x2", FPSAN_RULE_NEG, "f16x2", RN},
    {"neg.bf16x2", FPSAN_RULE_NEG, "bf16x2", RN},
    {"abs.f32", FPSAN_RULE_ABS, "f32", RN},
    {"abs.ftz.f32", FPSAN_RULE_ABS, "f32", FLUSH},
    {"abs.f64", FPSAN_RULE_ABS, "f64", RN},
    {"abs.f16x2", FPSAN_RULE_ABS, "f16x2", RN},
    {"abs.bf16", FPSAN_RULE_ABS, "bf16", RN},
    {"min.f32", FPSAN_RULE_MIN, "f32", RN},
    {"min.ftz.NaN.f32", FPSAN_RULE_MIN, "f32", FLUSH, .nan_wins = true},
    {"min.f64", FPSAN_RULE_MIN, "f64", RN},
    {"min.ftz.f16x2", FPSAN_RULE_MIN, "f16x2", FLUSH},
    {"min.NaN.bf16", FPSAN_RULE_MIN, "bf16", .nan_wins = true},
    {"min.NaN.abs.f32", FPSAN_RULE_MIN, "f32", .nan_wins = true, .of_magnitudes = true, .operands = 3},
    {"min.xorsign.abs.f32", FPSAN_RULE_MIN, "f32", .of_magnitudes = true, .xor_signs = true},
    {"min.NaN.xorsign.abs.bf16x2", FPSAN_RULE_MIN, "bf16x2", .nan_wins = true, .of_magnitudes = true,
     .xor_signs = true},
    {"max.f32", FPSAN_RULE_MAX, "f32", RN},
    {"max.ftz.f32", FPSAN_RULE_MAX, "f32", FLUSH},
    {"max.f32", FPSAN_RULE_MAX, "f32", .operands = 3},
    {"max.f64", FPSAN_RULE_MAX, "f64", RN},
    {"max.NaN.f16", FPSAN_RULE_MAX, "f16", .nan_wins = true},
    {"max.NaN.bf16x2", FPSAN_RULE_MAX, "bf16x2", .nan_wins = true},
    {"max.ftz.NaN.xorsign.abs.f16x2", FPSAN_RULE_MAX, "f16x2", FLUSH, .nan_wins = true, .of_magnitudes = true,
     .xor_signs = true},
    {"div.rn.f32", FPSAN_RULE_DIV, "f32", RN},
    {"div.rm.ftz.f32", FPSAN_RULE_DIV, "f32", RM, FLUSH},
    {"div.rz.f64", FPSAN_RULE_DIV, "f64", RZ},
    {"div.rn.f64", FPSAN_RULE_DIV, "f64", RN},
    {"div.approx.f32", FPSAN_RULE_DIV, "f32", APPROXIMATE(DIV)},
    {"div.full.ftz.f32", FPSAN_RULE_DIV, "f32", FLUSH, APPROXIMATE(DIV_FULL)},
    {"sqrt.rn.f32", FPSAN_RULE_SQRT_RN, "f32", RN},
    {"sqrt.rn.ftz.f32", FPSAN_RULE_SQRT_RN, "f32", FLUSH},
    {"sqrt.rp.f32", FPSAN_RULE_SQRT, "f32", RP},
    {"sqrt.rn.f64", FPSAN_RULE_SQRT, "f64", RN},
    {"sqrt.rz.f64", FPSAN_RULE_SQRT, "f64", RZ},
    {"sqrt.approx.f32", FPSAN_RULE_SQRT, "f32", APPROXIMATE(SQRT)},
    {"sqrt.approx.ftz.f32", FPSAN_RULE_SQRT, "f32", FLUSH, APPROXIMATE(SQRT)},
    {"rsqrt.approx.f32", FPSAN_RULE_RSQRT, "f32", APPROXIMATE(RSQRT)},
    {"rsqrt.approx.ftz.f32", FPSAN_RULE_RSQRT, "f32", FLUSH, APPROXIMATE(RSQRT)},
    {"sin.approx.f32", FPSAN_RULE_SIN, "f32", APPROXIMATE(SIN)},
    {"sin.approx.ftz.f32", FPSAN_RULE_SIN, "f32", FLUSH, APPROXIMATE(SIN)},
    {"cos.approx.f32", FPSAN_RULE_COS, "f32", APPROXIMATE(COS)},
    {"lg2.approx.f32", FPSAN_RULE_LOG2, "f32", APPROXIMATE(LG2)},
    {"lg2.approx.ftz.f32", FPSAN_RULE_LOG2, "f32", FLUSH, APPROXIMATE(LG2)},
    {"ex2.approx.f32", FPSAN_RULE_EXP2, "f32", APPROXIMATE(EX2)},
    {"ex2.approx.ftz.f32", FPSAN_RULE_EXP2, "f32", FLUSH, APPROXIMATE(EX2)},
    {"ex2.approx.f16", FPSAN_RULE_EXP2, "f16", APPROXIMATE(EX2)},
    {"ex2.approx.f16x2", FPSAN_RULE_EXP2, "f16x2", APPROXIMATE(EX2)},
    {"ex2.approx.ftz.bf16x2", FPSAN_RULE_EXP2, "bf16x2", FLUSH, APPROXIMATE(EX2)},
    {"tanh.approx.f32", FPSAN_RULE_TANH, "f32", APPROXIMATE(TANH)},
    {"tanh.approx.f16x2", FPSAN_RULE_TANH, "f16x2", APPROXIMATE(TANH)},
    {"tanh.approx.bf16", FPSAN_RULE_TANH, "bf16", APPROXIMATE(TANH)},
};
enum { CASES = BASE_COUNT(cases) };

// ---- types

typedef struct TypeOfCase {
    const char *name;
    FpsanFormat format;
    unsigned elements;
} TypeOfCase;

static TypeOfCase type_of(const char *name) {
    static const TypeOfCase all[] = {{"f32", FPSAN_F32, 1},   {"f64", FPSAN_F64, 1},   {"f16", FPSAN_F16, 1},
                                     {"bf16", FPSAN_BF16, 1}, {"f16x2", FPSAN_F16, 2}, {"bf16x2", FPSAN_BF16, 2},
                                     {"f32x2", FPSAN_F32, 2}};
    for (size_t i = 0; i < BASE_COUNT(all); i++)
        if (!strcmp(all[i].name, name)) return all[i];
    cr_assert_fail("no type %s", name);
    return all[0];
}

static unsigned operands_of(const FloatCase *c) {
    return c->operands ? c->operands : fpsan_rule_info(c->rule)->operands;
}

static void make_kernel(const FloatCase *c, ArrayKernel *kernel, char *text, size_t size) {
    const TypeOfCase type = type_of(c->type);
    int at = snprintf(text, size, "%s $0", c->op);
    *kernel = (ArrayKernel){.text = text};
    for (unsigned i = 0; i <= operands_of(c); i++) {
        if (i) at += snprintf(text + at, size - (size_t)at, ", $%u", i);
        kernel->bits[i] = fpsan_format_info(type.format)->bits * type.elements;
    }
    snprintf(text + at, size - (size_t)at, ";");
}

// ---- what IEEE 754 says of one element

static uint64_t sign_of(FpsanFormat format) {
    return UINT64_C(1) << (fpsan_format_info(format)->bits - 1);
}

static uint64_t real_extreme(const FloatCase *c, FpsanFormat format, uint64_t a, uint64_t b) {
    const bool is_max = c->rule == FPSAN_RULE_MAX;
    const uint64_t nan = fpsan_encode_nearest(format, (double)NAN);
    if (is_nan_bits(format, a) && is_nan_bits(format, b)) return nan;
    if (is_nan_bits(format, a)) return c->nan_wins ? nan : b;
    if (is_nan_bits(format, b)) return c->nan_wins ? nan : a;
    const double x = fpsan_decode(format, a), y = fpsan_decode(format, b);
    if (x == y) return (a & sign_of(format) ? true : false) == is_max ? b : a;
    return (x > y) == is_max ? a : b;
}

// Half floats are computed as floats and rounded once more.
static uint64_t real_approximate(const FloatCase *c, FpsanFormat format, const uint64_t *x) {
    const Approximation which = (Approximation)(c->approximation - 1);
    float operands[2] = {0};
    for (unsigned i = 0; i < operands_of(c); i++) operands[i] = (float)fpsan_decode(format, x[i]);
    return fpsan_encode_nearest(format, (double)approximate(which, operands[0], operands[1]));
}

static uint64_t real_plain(const FloatCase *c, FpsanFormat format, const uint64_t *x) {
    if (c->approximation) return real_approximate(c, format, x);
    switch (c->rule) {
    case FPSAN_RULE_NEG: return x[0] ^ sign_of(format);
    case FPSAN_RULE_ABS: return x[0] & ~sign_of(format);
    case FPSAN_RULE_MIN:
    case FPSAN_RULE_MAX: {
        uint64_t result = real_extreme(c, format, x[0], x[1]);
        return operands_of(c) == 3 ? real_extreme(c, format, result, x[2]) : result;
    }
    default: return reference_real(c->rule, format, c->rounding, x);
    }
}

static uint64_t real_result(const FloatCase *c, FpsanFormat format, const uint64_t *inputs) {
    const bool flush = c->flush && c->rule != FPSAN_RULE_TANH;
    uint64_t x[3];
    for (unsigned i = 0; i < 3; i++) {
        x[i] = flush ? flushed(format, inputs[i]) : inputs[i];
        if (c->of_magnitudes) x[i] &= ~sign_of(format);
    }
    uint64_t result = real_plain(c, format, x);
    if (flush) result = flushed(format, result);
    const double value = fpsan_decode(format, result);
    if (c->xor_signs) result = (result & ~sign_of(format)) | ((inputs[0] ^ inputs[1]) & sign_of(format));
    if (c->relu && !is_nan_bits(format, result) && !(value > 0)) result = 0;
    if (c->saturate) result = value > 0 ? (value > 1 ? fpsan_format_info(format)->one : result) : 0;
    return result;
}

// ---- and what the algebra says

static uint64_t payload_result(const FloatCase *c, FpsanFormat format, const uint64_t *inputs) {
    const uint64_t one = fpsan_format_info(format)->one;
    uint64_t x[3];
    for (unsigned i = 0; i < 3; i++) x[i] = c->of_magnitudes ? inputs[i] & ~sign_of(format) : inputs[i];
    uint64_t result = reference_payload(c->rule, format, x);
    if (operands_of(c) == 3 && fpsan_rule_info(c->rule)->operands == 2)
        result = reference_payload(c->rule, format, (uint64_t[]){result, x[2]});
    if (c->xor_signs) result = (result & ~sign_of(format)) | ((inputs[0] ^ inputs[1]) & sign_of(format));
    if (c->relu || c->saturate) result = reference_payload(FPSAN_RULE_MAX, format, (uint64_t[]){result, 0});
    if (c->saturate) result = reference_payload(FPSAN_RULE_MIN, format, (uint64_t[]){result, one});
    return result;
}

// ---- comparing

static ArrayLab lab;
static ArrayKernel kernels[CASES];
static char texts[CASES][96];

static void fill_inputs(FpsanFormat format, unsigned elements, uint64_t *state) {
    const unsigned bits = fpsan_format_info(format)->bits;
    for (unsigned i = 0; i < 3; i++)
        for (size_t k = 0; k < ARRAY_LENGTH; k++) {
            lab.inputs[i][k] = 0;
            for (unsigned e = 0; e < elements; e++) lab.inputs[i][k] |= sample_float(format, state) << (e * bits);
        }
}

typedef uint64_t Reference(const FloatCase *c, FpsanFormat format, const uint64_t *inputs);
static void check_element(const FloatCase *c, FpsanFormat format, unsigned shift, size_t k, Reference *reference) {
    const unsigned bits = fpsan_format_info(format)->bits;
    const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    uint64_t x[3];
    for (unsigned i = 0; i < 3; i++) x[i] = lab.inputs[i][k] >> shift & mask;
    const uint64_t got = lab.results[k] >> shift & mask, want = reference(c, format, x);
    cr_assert(reference == real_result ? are_same(format, got, want) : got == want,
              "%s of %#lx %#lx %#lx is %#lx, not %#lx", c->op, x[0], x[1], x[2], got, want);
}

static void check_all(CompileNumeric numeric, Reference *reference) {
    uint64_t state = 5;
    for (unsigned i = 0; i < CASES; i++) make_kernel(&cases[i], &kernels[i], texts[i], sizeof texts[i]);
    array_lab_open(&lab, kernels, CASES, numeric);
    for (unsigned i = 0; i < CASES; i++) {
        const TypeOfCase type = type_of(cases[i].type);
        fill_inputs(type.format, type.elements, &state);
        array_lab_run(&lab, kernels, i, ARRAY_LENGTH);
        for (size_t k = 0; k < ARRAY_LENGTH; k++)
            for (unsigned e = 0; e < type.elements; e++)
                check_element(&cases[i], type.format, e * fpsan_format_info(type.format)->bits, k, reference);
    }
    array_lab_close(&lab);
}

Test(float_arithmetic, is_that_of_ieee_754) {
    check_all(COMPILE_IEEE, real_result);
}

Test(float_arithmetic, is_that_of_the_algebra) {
    check_all(COMPILE_PAYLOAD, payload_result);
}

// ---- the exponential function as compilers write it out

#define MANY(text) text text text text text text text text
// Between the last use of x and the product that is exp(x) other registers get places in the frame, for long.
static const char far_exponential[] = LAB_HEADER LAB_KERNEL(
    "exponential",
    "ld.global.b32 %r0, [%in];\n" MANY(
        "add.u32 %r15, %r0, %lane; xor.b32 %r14, %r15, %r0;\n") "fma.rn.f32 %r1, %r0, 0f3BBB989D, 0f3F000000; "
                                                                "cvt.sat.f32.f32 %r2, %r1;\n"
                                                                "fma.rm.f32 %r3, %r2, 0f437C0000, 0f4B400001; add.f32 "
                                                                "%r4, %r3, 0fCB40007F;\n"
                                                                "neg.f32 %r5, %r4; fma.rn.f32 %r6, %r0, 0f3FB8AA3B, "
                                                                "%r5;\n"
                                                                "fma.rn.f32 %r7, %r0, 0f32A57060, %r6; shl.b32 %r8, "
                                                                "%r3, 23; ex2.approx.ftz.f32 %r9, %r7;\n"
                                                                "add.u32 %r10, %lane, 10; add.u32 %r11, %lane, 11; "
                                                                "add.u32 %r12, %lane, 12;\n"
                                                                "add.u32 %r13, %lane, 13;\n" MANY(
                                                                    "add.u32 %r16, %lane, 1; xor.b32 %r17, %r16, "
                                                                    "%lane;\n") "mul.f32 %r18, %r9, %r8;\n"
                                                                                "add.u32 %r10, %r10, %r11; add.u32 "
                                                                                "%r10, %r10, %r12; add.u32 %r10, %r10, "
                                                                                "%r13;\n"
                                                                                "st.global.v2.b32 [%out], {%r18, "
                                                                                "%r10};");

Test(float_arithmetic, exponential_of_a_register_used_long_before) {
    static LabRun run;
    LabWords in = {{0}}, out = {{0}};
    Lab one;
    uint64_t state = 7;
    cr_assert(lab_open(&one, far_exponential, COMPILE_PAYLOAD), "%s", lab_problem(&one));
    for (int l = 0; l < WARP_LANES; l++) in[l][0] = sample_float(FPSAN_F32, &state);
    cr_assert(lab_run_words(&one, "exponential", &run, in, out));
    for (unsigned l = 0; l < WARP_LANES; l++) {
        cr_assert_eq((uint32_t)out[l][0], reference_payload(FPSAN_RULE_EXP, FPSAN_F32, in[l]), "lane %u", l);
        cr_assert_eq(out[l][0] >> 32, 4 * l + 46);
    }
    lab_close(&one);
}
