// SPDX-License-Identifier: Apache-2.0
// cvt of floats and packed integers, setp, set, testp, mixed arithmetic and what else has operands of several types:
// each against a function of one element.
#include "float_lab.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct ConvertCase ConvertCase;
typedef uint64_t Expected(const ConvertCase *c, bool payload, const uint64_t *x);
struct ConvertCase {
    ArrayKernel kernel;
    FpsanFormat inputs, result; // FPSAN_FORMAT_COUNT: integers
    unsigned input_elements;
    Expected *expected;
    // What the functions read.
    FpsanRounding rounding;
    bool flush, saturate, relu, finite, is_signed, unordered;
    FpsanPredicate predicate;
    FpsanRule rule;
    const char *symbol;
    bool ieee_only;
};

static const FpsanProfile *profile(void) {
    return fpsan_default_algebra().profile;
}

static uint64_t embed(FpsanFormat format, uint64_t bits) {
    return fpsan_embed(profile(), format, bits);
}

static uint64_t unembed(FpsanFormat format, uint64_t payload) {
    return fpsan_unembed(profile(), format, payload);
}

static uint64_t low(uint64_t x, unsigned bits) {
    return bits >= 64 ? x : x & ((UINT64_C(1) << bits) - 1);
}

// ---- floats to floats

static uint64_t at_least_zero(FpsanFormat format, bool payload, uint64_t x) {
    if (payload) return reference_payload(FPSAN_RULE_MAX, format, (uint64_t[]){x, 0});
    return is_nan_bits(format, x) || fpsan_decode(format, x) > 0 ? x : 0;
}

static uint64_t in_unit(FpsanFormat format, bool payload, uint64_t x) {
    const uint64_t one = fpsan_format_info(format)->one;
    if (payload)
        return reference_payload(FPSAN_RULE_MIN, format,
                                 (uint64_t[]){reference_payload(FPSAN_RULE_MAX, format, (uint64_t[]){x, 0}), one});
    const double value = fpsan_decode(format, x);
    return value > 0 ? (value > 1 ? one : x) : 0;
}

static bool has_arithmetic(FpsanFormat format) {
    return fpsan_format_info(format)->bits >= 16 && format != FPSAN_TF32;
}

static uint64_t convert_one(const ConvertCase *c, bool payload, FpsanFormat from, uint64_t x) {
    const FpsanFormat to = c->result;
    if (c->flush && from == FPSAN_F32 && !payload) x = flushed(from, x);
    if (c->relu && has_arithmetic(from)) x = at_least_zero(from, payload, x);
    const FpsanAlgebra algebra = fpsan_default_algebra();
    uint64_t y;
    if (payload)
        y = unembed(to, fpsan_cast(&algebra, from, to, embed(from, x), c->rounding));
    else
        y = c->finite ? fpsan_encode_saturating(to, fpsan_decode(from, x), c->rounding)
                      : fpsan_convert(from, to, x, c->rounding);
    if (c->relu && !has_arithmetic(from)) y = at_least_zero(to, payload, y);
    if (c->flush && to == FPSAN_F32 && !payload) y = flushed(to, y);
    return c->saturate ? in_unit(to, payload, y) : y;
}

static uint64_t expect_float(const ConvertCase *c, bool payload, const uint64_t *x) {
    return convert_one(c, payload, c->inputs, x[0]);
}

// d, a, b: a becomes the upper one.
static uint64_t expect_pair(const ConvertCase *c, bool payload, const uint64_t *x) {
    const unsigned bits = c->kernel.bits[0] / 2;
    return convert_one(c, payload, c->inputs, x[1]) | convert_one(c, payload, c->inputs, x[0]) << bits;
}

// Elements of one operand.
static uint64_t expect_elements(const ConvertCase *c, bool payload, const uint64_t *x) {
    const unsigned from = c->kernel.bits[1] / 2, to = c->kernel.bits[0] / 2;
    return low(convert_one(c, payload, c->inputs, low(x[0], from)), to) |
           convert_one(c, payload, c->inputs, x[0] >> from) << to;
}

static uint64_t expect_integral(const ConvertCase *c, bool payload, const uint64_t *x) {
    const FpsanFormat format = c->inputs;
    uint64_t y = !payload && c->flush ? flushed(format, x[0]) : x[0];
    if (payload && c->rule == FPSAN_RULE_EXTERN) {
        const uint64_t p = embed(format, y);
        y = unembed(format, fpsan_extern(format, c->symbol, &p, NULL, 1));
    } else if (payload) {
        y = reference_payload(c->rule, format, &y);
    } else {
        const double v = fpsan_decode(format, y);
        const double r = c->rounding == FPSAN_TOWARD_ZERO       ? trunc(v)
                         : c->rounding == FPSAN_TOWARD_NEGATIVE ? floor(v)
                         : c->rounding == FPSAN_TOWARD_POSITIVE ? ceil(v)
                                                                : nearbyint(v);
        y = fpsan_encode_nearest(format, r);
    }
    return c->saturate ? in_unit(format, payload, y) : y;
}

// ---- integers

static uint64_t expect_to_integer(const ConvertCase *c, bool payload, const uint64_t *x) {
    const unsigned bits = c->kernel.bits[0];
    const uint64_t y = c->flush && !payload ? flushed(c->inputs, x[0]) : x[0];
    const double v = fpsan_decode(c->inputs, y);
    const double r = c->rounding == FPSAN_TOWARD_ZERO       ? trunc(v)
                     : c->rounding == FPSAN_TOWARD_NEGATIVE ? floor(v)
                     : c->rounding == FPSAN_TOWARD_POSITIVE ? ceil(v)
                                                            : nearbyint(v);
    if (isnan(v)) return payload || (c->inputs != FPSAN_F64 && bits != 64) ? 0 : UINT64_C(1) << (bits - 1);
    uint64_t bits_of;
    memcpy(&bits_of, &r, sizeof bits_of);
    return low(fpsan_bits_to_integer(FPSAN_F64, bits_of, bits, c->is_signed), bits);
}

static uint64_t expect_from_integer(const ConvertCase *c, bool payload, const uint64_t *x) {
    const unsigned bits = c->kernel.bits[1];
    uint64_t y;
    if (c->rounding == FPSAN_NEAREST_EVEN || payload) {
        y = fpsan_integer_to_bits(c->result, x[0], bits, c->is_signed);
    } else { // by bisection: the nearest number that is not on the wrong side
        const __int128 exact =
            c->is_signed ? (__int128)((int64_t)(x[0] << (64 - bits)) >> (64 - bits)) : (__int128)low(x[0], bits);
        const bool up = c->rounding == FPSAN_TOWARD_POSITIVE || (c->rounding == FPSAN_TOWARD_ZERO && exact < 0);
        const bool is_double = c->result == FPSAN_F64;
        double v = is_double ? (double)exact : (double)(float)exact;
        if (c->result == FPSAN_F16)
            v = fpsan_decode(FPSAN_F16, fpsan_integer_to_bits(FPSAN_F16, x[0], bits, c->is_signed));
        if (c->result == FPSAN_BF16)
            v = fpsan_decode(FPSAN_BF16, fpsan_integer_to_bits(FPSAN_BF16, x[0], bits, c->is_signed));
        y = fpsan_encode_nearest(c->result, v);
        const bool infinite = isinf(v);
        const bool wrong = infinite ? (v > 0) != up : up ? (__int128)v < exact : (__int128)v > exact;
        if (wrong) { // one number further up or down, that is in bits by the sign
            const bool negative = v < 0 || (infinite && v < 0);
            y += up == negative ? UINT64_MAX : 1;
        }
    }
    return c->saturate ? in_unit(c->result, payload, y) : y;
}

// ---- comparisons

static uint64_t expect_comparison(const ConvertCase *c, bool payload, const uint64_t *x) {
    uint64_t a = x[0], b = x[1];
    if (c->flush && !payload) {
        a = flushed(c->inputs, a);
        b = flushed(c->inputs, b);
    }
    if (c->predicate == FPSAN_PREDICATE_COUNT) return is_nan_bits(c->inputs, a) || is_nan_bits(c->inputs, b);
    return fpsan_compare_bits(c->inputs, c->predicate, !c->unordered, a, b);
}

static uint64_t expect_ones(const ConvertCase *c, bool payload, const uint64_t *x) {
    return expect_comparison(c, payload, x) ? low(UINT64_MAX, c->kernel.bits[0]) : 0;
}

static uint64_t expect_one(const ConvertCase *c, bool payload, const uint64_t *x) {
    return expect_comparison(c, payload, x) ? fpsan_format_info(c->result)->one : 0;
}

// setp p|q of two halves, and p + 2 q
static uint64_t expect_two_bits(const ConvertCase *c, bool payload, const uint64_t *x) {
    const uint64_t lower[2] = {low(x[0], 16), low(x[1], 16)}, upper[2] = {x[0] >> 16, x[1] >> 16};
    return expect_comparison(c, payload, lower) + 2 * expect_comparison(c, payload, upper);
}

static uint64_t expect_opposite(const ConvertCase *c, bool payload, const uint64_t *x) {
    return expect_comparison(c, payload, x) ? 1 : 2;
}

static uint64_t expect_with_other(const ConvertCase *c, bool payload, const uint64_t *x) {
    return expect_comparison(c, payload, x) ^ (x[2] & 1);
}

static uint64_t expect_class(const ConvertCase *c, bool payload, const uint64_t *x) {
    (void)payload;
    return (fpsan_classify_bits(c->inputs, x[0]) & c->rule) != 0;
}

// ---- others

static uint64_t expect_mixed(const ConvertCase *c, bool payload, const uint64_t *x) {
    const FpsanAlgebra algebra = fpsan_default_algebra();
    const unsigned count = fpsan_rule_info(c->rule)->operands;
    uint64_t wide[3], p[3];
    for (unsigned i = 0; i < count; i++) {
        const bool last = i + 1 == count;
        wide[i] = last ? x[i] : fpsan_convert(c->inputs, FPSAN_F32, low(x[i], 16), FPSAN_NEAREST_EVEN);
        p[i] = last ? embed(FPSAN_F32, x[i])
                    : fpsan_cast(&algebra, c->inputs, FPSAN_F32, embed(c->inputs, low(x[i], 16)), FPSAN_NEAREST_EVEN);
    }
    const uint64_t y = payload ? unembed(FPSAN_F32, fpsan_apply(profile(), c->rule, FPSAN_F32, p))
                               : reference_real(c->rule, FPSAN_F32, c->rounding, wide);
    return c->saturate ? in_unit(FPSAN_F32, payload, y) : y;
}

static uint64_t expect_copysign(const ConvertCase *c, bool payload, const uint64_t *x) {
    (void)payload;
    const uint64_t sign = UINT64_C(1) << (fpsan_format_info(c->inputs)->bits - 1);
    return (x[1] & ~sign) | (x[0] & sign);
}

static uint64_t expect_reciprocal(const ConvertCase *c, bool payload, const uint64_t *x) {
    uint64_t y = c->flush && !payload ? flushed(c->inputs, x[0]) : x[0];
    const uint64_t operands[2] = {fpsan_format_info(c->inputs)->one, y};
    y = payload ? reference_payload(FPSAN_RULE_DIV, c->inputs, operands)
                : reference_real(FPSAN_RULE_DIV, c->inputs, c->rounding, operands);
    return c->flush && !payload ? flushed(c->inputs, y) : y;
}

// Only the upper word counts.
static uint64_t expect_gross(const ConvertCase *c, bool payload, const uint64_t *x) {
    const uint64_t upper = UINT64_C(0xffffffff00000000);
    const uint64_t operands[2] = {fpsan_format_info(FPSAN_F64)->one, payload ? x[0] : flushed(FPSAN_F64, x[0]) & upper};
    if (payload && c->rule == FPSAN_RULE_DIV) return reference_payload(FPSAN_RULE_DIV, FPSAN_F64, operands);
    if (payload) return reference_payload(c->rule, FPSAN_F64, x);
    const double v = fpsan_decode(FPSAN_F64, operands[1]);
    const double r = c->rule == FPSAN_RULE_DIV ? 1 / v : 1 / sqrt(v);
    uint64_t bits;
    memcpy(&bits, &r, sizeof bits);
    return flushed(FPSAN_F64, bits) & upper;
}

static int32_t bounded(int32_t x, unsigned bits, bool is_signed) {
    const int32_t most = (int32_t)((UINT32_C(1) << (bits - is_signed)) - 1), least = is_signed ? -most - 1 : 0;
    return x < least ? least : x > most ? most : x;
}

static uint64_t expect_pack(const ConvertCase *c, bool payload, const uint64_t *x) {
    (void)payload;
    const unsigned bits = c->input_elements; // of an element
    const uint64_t a = low((uint32_t)bounded((int32_t)x[0], bits, c->is_signed), bits);
    const uint64_t b = low((uint32_t)bounded((int32_t)x[1], bits, c->is_signed), bits);
    return low(b | a << bits | (bits < 16 ? x[2] << (2 * bits) : 0), 32);
}

// a + literal -0.0 and such: no addend in payload arithmetic.
static uint64_t expect_same(const ConvertCase *c, bool payload, const uint64_t *x) {
    const uint64_t minus_zero = UINT64_C(1) << (fpsan_format_info(c->inputs)->bits - 1);
    return payload ? x[0]
                   : reference_real(FPSAN_RULE_ADD, c->inputs, FPSAN_NEAREST_EVEN, (uint64_t[]){x[0], minus_zero});
}

static uint64_t expect_product(const ConvertCase *c, bool payload, const uint64_t *x) {
    return payload ? reference_payload(FPSAN_RULE_MUL, c->inputs, x)
                   : reference_real(FPSAN_RULE_FMA, c->inputs, FPSAN_NEAREST_EVEN,
                                    (uint64_t[]){x[0], x[1], UINT64_C(1) << (fpsan_format_info(c->inputs)->bits - 1)});
}

#define INTEGER FPSAN_FORMAT_COUNT
#define FLOAT_TO(text, to_bits, from_bits, from, to, ...)                                                              \
    { {text " $0, $1;", {to_bits, from_bits}}, FPSAN_##from, FPSAN_##to, 1, expect_float, __VA_ARGS__ }
#define PAIR(text, to_bits, from_bits, from, to, ...)                                                                  \
    { {text " $0, $1, $2;", {to_bits, from_bits, from_bits}}, FPSAN_##from, FPSAN_##to, 1, expect_pair, __VA_ARGS__ }
#define ELEMENTS(text, to_bits, from_bits, from, to, ...)                                                              \
    { {text " $0, $1;", {to_bits, from_bits}}, FPSAN_##from, FPSAN_##to, 2, expect_elements, __VA_ARGS__ }
#define INTEGRAL(text, bits, format, the_rule, ...)                                                                    \
    {                                                                                                                  \
        {text " $0, $1;", {bits, bits}}, FPSAN_##format, FPSAN_##format, 1, expect_integral,                           \
            .rule = FPSAN_RULE_##the_rule, __VA_ARGS__                                                                 \
    }
#define TO_INTEGER(text, to_bits, from_bits, from, ...)                                                                \
    { {text " $0, $1;", {to_bits, from_bits}}, FPSAN_##from, INTEGER, 1, expect_to_integer, __VA_ARGS__ }
#define FROM_INTEGER(text, to_bits, from_bits, to, ...)                                                                \
    { {text " $0, $1;", {to_bits, from_bits}}, INTEGER, FPSAN_##to, 1, expect_from_integer, __VA_ARGS__ }
#define RN       .rounding = FPSAN_NEAREST_EVEN
#define RZ       .rounding = FPSAN_TOWARD_ZERO
#define RM       .rounding = FPSAN_TOWARD_NEGATIVE
#define RP       .rounding = FPSAN_TOWARD_POSITIVE
#define IS(name) .predicate = FPSAN_##name
static const ConvertCase cases[] = {
    FLOAT_TO("cvt.f32.f16", 32, 16, F16, F32, RN),
    FLOAT_TO("cvt.f32.bf16", 32, 16, BF16, F32, RN),
    FLOAT_TO("cvt.f64.f32", 64, 32, F32, F64, RN),
    FLOAT_TO("cvt.ftz.f64.f32", 64, 32, F32, F64, .flush = true),
    FLOAT_TO("cvt.f64.f16", 64, 16, F16, F64, RN),
    FLOAT_TO("cvt.rn.f16.f32", 16, 32, F32, F16, RN),
    FLOAT_TO("cvt.rz.f16.f32", 16, 32, F32, F16, RZ),
    FLOAT_TO("cvt.rp.ftz.f16.f32", 16, 32, F32, F16, RP, .flush = true),
    FLOAT_TO("cvt.rn.sat.f16.f32", 16, 32, F32, F16, RN, .saturate = true),
    FLOAT_TO("cvt.rn.relu.f16.f32", 16, 32, F32, F16, RN, .relu = true),
    FLOAT_TO("cvt.rn.satfinite.f16.f32", 16, 32, F32, F16, RN, .finite = true),
    FLOAT_TO("cvt.rn.bf16.f32", 16, 32, F32, BF16, RN),
    FLOAT_TO("cvt.rz.relu.bf16.f32", 16, 32, F32, BF16, RZ, .relu = true),
    FLOAT_TO("cvt.rm.bf16.f32", 16, 32, F32, BF16, RM),
    FLOAT_TO("cvt.rn.bf16.f16", 16, 16, F16, BF16, RN),
    FLOAT_TO("cvt.rn.f16.bf16", 16, 16, BF16, F16, RN),
    FLOAT_TO("cvt.bf16.f16", 16, 16, F16, BF16, RN),
    FLOAT_TO("cvt.f16.bf16", 16, 16, BF16, F16, RN),
    FLOAT_TO("cvt.bf16.bf16", 16, 16, BF16, BF16, RN),
    FLOAT_TO("cvt.rn.f32.f64", 32, 64, F64, F32, RN),
    FLOAT_TO("cvt.rm.f32.f64", 32, 64, F64, F32, RM),
    FLOAT_TO("cvt.rn.ftz.f32.f64", 32, 64, F64, F32, RN, .flush = true),
    FLOAT_TO("cvt.rz.f16.f64", 16, 64, F64, F16, RZ),
    FLOAT_TO("cvt.rn.bf16.f64", 16, 64, F64, BF16, RN),
    FLOAT_TO("cvt.sat.f32.f32", 32, 32, F32, F32, .saturate = true),
    FLOAT_TO("cvt.ftz.sat.f32.f32", 32, 32, F32, F32, .saturate = true, .flush = true),
    FLOAT_TO("cvt.rna.tf32.f32", 32, 32, F32, TF32, .rounding = FPSAN_NEAREST_AWAY),
    FLOAT_TO("cvt.rn.relu.tf32.f32", 32, 32, F32, TF32, RN, .relu = true),
    FLOAT_TO("cvt.rz.satfinite.tf32.f32", 32, 32, F32, TF32, RZ, .finite = true),
    PAIR("cvt.rn.f16x2.f32", 32, 32, F32, F16, RN),
    PAIR("cvt.rz.relu.f16x2.f32", 32, 32, F32, F16, RZ, .relu = true),
    PAIR("cvt.rn.satfinite.bf16x2.f32", 32, 32, F32, BF16, RN, .finite = true),
    PAIR("cvt.rn.bf16x2.f32", 32, 32, F32, BF16, RN),
    PAIR("cvt.rn.satfinite.e4m3x2.f32", 16, 32, F32, F8E4M3FN, RN, .finite = true),
    PAIR("cvt.rn.satfinite.relu.e5m2x2.f32", 16, 32, F32, F8E5M2, RN, .finite = true, .relu = true),
    PAIR("cvt.rn.satfinite.e2m3x2.f32", 16, 32, F32, F6E2M3FN, RN, .finite = true),
    PAIR("cvt.rn.satfinite.relu.e3m2x2.f32", 16, 32, F32, F6E3M2FN, RN, .finite = true, .relu = true),
    PAIR("cvt.rn.satfinite.e2m1x2.f32", 8, 32, F32, F4E2M1FN, RN, .finite = true),
    PAIR("cvt.rz.satfinite.ue8m0x2.f32", 16, 32, F32, F8E8M0FNU, RZ, .finite = true),
    PAIR("cvt.rp.ue8m0x2.f32", 16, 32, F32, F8E8M0FNU, RP),
    ELEMENTS("cvt.rn.satfinite.e4m3x2.f16x2", 16, 32, F16, F8E4M3FN, RN, .finite = true),
    ELEMENTS("cvt.rn.satfinite.relu.e5m2x2.f16x2", 16, 32, F16, F8E5M2, RN, .finite = true, .relu = true),
    ELEMENTS("cvt.rz.ue8m0x2.bf16x2", 16, 32, BF16, F8E8M0FNU, RZ),
    ELEMENTS("cvt.rn.f16x2.e4m3x2", 32, 16, F8E4M3FN, F16, RN),
    ELEMENTS("cvt.rn.relu.f16x2.e5m2x2", 32, 16, F8E5M2, F16, RN, .relu = true),
    ELEMENTS("cvt.rn.f16x2.e2m3x2", 32, 16, F6E2M3FN, F16, RN),
    ELEMENTS("cvt.rn.f16x2.e3m2x2", 32, 16, F6E3M2FN, F16, RN),
    ELEMENTS("cvt.rn.f16x2.e2m1x2", 32, 8, F4E2M1FN, F16, RN),
    ELEMENTS("cvt.rn.bf16x2.ue8m0x2", 32, 16, F8E8M0FNU, BF16, RN),
    INTEGRAL("cvt.rmi.f32.f32", 32, F32, FLOOR, RM),
    INTEGRAL("cvt.rpi.ftz.f32.f32", 32, F32, CEIL, RP, .flush = true),
    INTEGRAL("cvt.rni.f32.f32", 32, F32, EXTERN, RN, .symbol = "__nv_rintf"),
    INTEGRAL("cvt.rzi.sat.f32.f32", 32, F32, EXTERN, RZ, .symbol = "__nv_truncf", .saturate = true),
    INTEGRAL("cvt.rni.f64.f64", 64, F64, EXTERN, RN, .symbol = "__nv_rint"),
    INTEGRAL("cvt.rmi.f16.f16", 16, F16, FLOOR, RM),
    INTEGRAL("cvt.rpi.bf16.bf16", 16, BF16, CEIL, RP),
    TO_INTEGER("cvt.rni.s32.f32", 32, 32, F32, RN, .is_signed = true),
    TO_INTEGER("cvt.rzi.u32.f32", 32, 32, F32, RZ),
    TO_INTEGER("cvt.rpi.ftz.s32.f32", 32, 32, F32, RP, .is_signed = true, .flush = true),
    TO_INTEGER("cvt.rmi.s64.f32", 64, 32, F32, RM, .is_signed = true),
    TO_INTEGER("cvt.rzi.u64.f64", 64, 64, F64, RZ),
    TO_INTEGER("cvt.rni.s32.f64", 32, 64, F64, RN, .is_signed = true),
    TO_INTEGER("cvt.rzi.s16.f16", 16, 16, F16, RZ, .is_signed = true),
    TO_INTEGER("cvt.rni.u16.bf16", 16, 16, BF16, RN),
    FROM_INTEGER("cvt.rn.f32.s32", 32, 32, F32, RN, .is_signed = true),
    FROM_INTEGER("cvt.rz.f32.u32", 32, 32, F32, RZ),
    FROM_INTEGER("cvt.rm.f32.s64", 32, 64, F32, RM, .is_signed = true),
    FROM_INTEGER("cvt.rp.f32.u64", 32, 64, F32, RP),
    FROM_INTEGER("cvt.rn.f64.s64", 64, 64, F64, RN, .is_signed = true),
    FROM_INTEGER("cvt.rz.f64.s64", 64, 64, F64, RZ, .is_signed = true),
    FROM_INTEGER("cvt.rp.f64.u64", 64, 64, F64, RP),
    FROM_INTEGER("cvt.rn.f16.s16", 16, 16, F16, RN, .is_signed = true),
    FROM_INTEGER("cvt.rn.f16.u64", 16, 64, F16, RN),
    FROM_INTEGER("cvt.rz.f16.s32", 16, 32, F16, RZ, .is_signed = true),
    FROM_INTEGER("cvt.rn.bf16.u32", 16, 32, BF16, RN),
    FROM_INTEGER("cvt.rp.bf16.s64", 16, 64, BF16, RP, .is_signed = true),
    FROM_INTEGER("cvt.rn.sat.f32.s16", 32, 16, F32, RN, .is_signed = true, .saturate = true),
    {{"setp.lt.f32 $0, $1, $2;", {1, 32, 32}}, FPSAN_F32, INTEGER, 1, expect_comparison, IS(LESS_THAN)},
    {{"setp.geu.ftz.f32 $0, $1, $2;", {1, 32, 32}},
     FPSAN_F32,
     INTEGER,
     1,
     expect_comparison,
     IS(GREATER_THAN_OR_EQUAL),
     .unordered = true,
     .flush = true},
    {{"setp.ne.f64 $0, $1, $2;", {1, 64, 64}}, FPSAN_F64, INTEGER, 1, expect_comparison, IS(NOT_EQUAL)},
    {{"setp.neu.f64 $0, $1, $2;", {1, 64, 64}},
     FPSAN_F64,
     INTEGER,
     1,
     expect_comparison,
     IS(NOT_EQUAL),
     .unordered = true},
    {{"setp.eq.ftz.f16 $0, $1, $2;", {1, 16, 16}}, FPSAN_F16, INTEGER, 1, expect_comparison, IS(EQUAL), .flush = true},
    {{"setp.gt.bf16 $0, $1, $2;", {1, 16, 16}}, FPSAN_BF16, INTEGER, 1, expect_comparison, IS(GREATER_THAN)},
    {{"setp.nan.f32 $0, $1, $2;", {1, 32, 32}}, FPSAN_F32, INTEGER, 1, expect_comparison, IS(PREDICATE_COUNT)},
    {{"setp.le.f16x2 %p7|%p8, $1, $2; selp.u32 $0, 1, 0, %p7; @%p8 add.u32 $0, $0, 2;", {32, 32, 32}},
     FPSAN_F16,
     INTEGER,
     2,
     expect_two_bits,
     IS(LESS_THAN_OR_EQUAL)},
    {{"setp.ltu.f32 %p7|%p8, $1, $2; selp.u32 $0, 1, 0, %p7; @%p8 add.u32 $0, $0, 2;", {32, 32, 32}},
     FPSAN_F32,
     INTEGER,
     1,
     expect_opposite,
     IS(LESS_THAN),
     .unordered = true},
    {{"and.b32 %w7, $3, 1; setp.ne.u32 %p7, %w7, 0; setp.eq.xor.f32 $0, $1, $2, %p7;", {1, 32, 32, 32}},
     FPSAN_F32,
     INTEGER,
     1,
     expect_with_other,
     IS(EQUAL)},
    {{"set.gt.u32.f32 $0, $1, $2;", {32, 32, 32}}, FPSAN_F32, INTEGER, 1, expect_ones, IS(GREATER_THAN)},
    {{"set.le.f32.f64 $0, $1, $2;", {32, 64, 64}}, FPSAN_F64, FPSAN_F32, 1, expect_one, IS(LESS_THAN_OR_EQUAL)},
    {{"set.eq.f16.f16 $0, $1, $2;", {16, 16, 16}}, FPSAN_F16, FPSAN_F16, 1, expect_one, IS(EQUAL)},
    {{"set.nan.s16.bf16 $0, $1, $2;", {16, 16, 16}}, FPSAN_BF16, INTEGER, 1, expect_ones, IS(PREDICATE_COUNT)},
    {{"testp.finite.f32 $0, $1;", {1, 32}}, FPSAN_F32, INTEGER, 1, expect_class, .rule = 4 | 8 | 16},
    {{"testp.infinite.f64 $0, $1;", {1, 64}}, FPSAN_F64, INTEGER, 1, expect_class, .rule = 2},
    {{"testp.number.f32 $0, $1;", {1, 32}}, FPSAN_F32, INTEGER, 1, expect_class, .rule = 2 | 4 | 8 | 16},
    {{"testp.notanumber.f64 $0, $1;", {1, 64}}, FPSAN_F64, INTEGER, 1, expect_class, .rule = 1},
    {{"testp.normal.f32 $0, $1;", {1, 32}}, FPSAN_F32, INTEGER, 1, expect_class, .rule = 4 | 16},
    {{"testp.subnormal.f32 $0, $1;", {1, 32}}, FPSAN_F32, INTEGER, 1, expect_class, .rule = 8},
    {{"add.rz.f32.f16 $0, $1, $2;", {32, 16, 32}}, FPSAN_F16, FPSAN_F32, 1, expect_mixed, RZ, .rule = FPSAN_RULE_ADD},
    {{"sub.sat.f32.bf16 $0, $1, $2;", {32, 16, 32}},
     FPSAN_BF16,
     FPSAN_F32,
     1,
     expect_mixed,
     .rule = FPSAN_RULE_SUB,
     .saturate = true},
    {{"fma.rn.f32.f16 $0, $1, $2, $3;", {32, 16, 16, 32}},
     FPSAN_F16,
     FPSAN_F32,
     1,
     expect_mixed,
     .rule = FPSAN_RULE_FMA},
    {{"copysign.f32 $0, $1, $2;", {32, 32, 32}}, FPSAN_F32, FPSAN_F32, 1, expect_copysign, RN},
    {{"copysign.f64 $0, $1, $2;", {64, 64, 64}}, FPSAN_F64, FPSAN_F64, 1, expect_copysign, RN},
    {{"rcp.rn.f32 $0, $1;", {32, 32}}, FPSAN_F32, FPSAN_F32, 1, expect_reciprocal, RN},
    {{"rcp.rz.ftz.f32 $0, $1;", {32, 32}}, FPSAN_F32, FPSAN_F32, 1, expect_reciprocal, RZ, .flush = true},
    {{"rcp.rm.f64 $0, $1;", {64, 64}}, FPSAN_F64, FPSAN_F64, 1, expect_reciprocal, RM},
    {{"rcp.approx.ftz.f64 $0, $1;", {64, 64}}, FPSAN_F64, FPSAN_F64, 1, expect_gross, .rule = FPSAN_RULE_DIV},
    {{"rsqrt.approx.ftz.f64 $0, $1;", {64, 64}}, FPSAN_F64, FPSAN_F64, 1, expect_gross, .rule = FPSAN_RULE_RSQRT},
    {{"cvt.pack.sat.s16.s32 $0, $1, $2;", {32, 32, 32}}, INTEGER, INTEGER, 16, expect_pack, .is_signed = true},
    {{"cvt.pack.sat.u8.s32.b32 $0, $1, $2, $3;", {32, 32, 32, 32}}, INTEGER, INTEGER, 8, expect_pack, RN},
    {{"cvt.pack.sat.s4.s32.b32 $0, $1, $2, $3;", {32, 32, 32, 32}},
     INTEGER,
     INTEGER,
     4,
     expect_pack,
     .is_signed = true},
    {{"cvt.pack.sat.u2.s32.b32 $0, $1, $2, $3;", {32, 32, 32, 32}}, INTEGER, INTEGER, 2, expect_pack, RN},
    {{"add.f32 $0, $1, 0f80000000;", {32, 32}}, FPSAN_F32, FPSAN_F32, 1, expect_same, RN},
    {{"mov.f64 %q7, 0d8000000000000000; add.rn.f64 $0, %q7, $1;", {64, 64}}, FPSAN_F64, FPSAN_F64, 1, expect_same, RN},
    {{"mov.b16 %h7, 0x8000; fma.rn.bf16 $0, $1, $2, %h7;", {16, 16, 16}},
     FPSAN_BF16,
     FPSAN_BF16,
     1,
     expect_product,
     RN},
};
enum { CASES = BASE_COUNT(cases) };

static ArrayLab lab;
static ArrayKernel kernels[CASES];

static unsigned element_width(FpsanFormat format, unsigned operand_bits) {
    if (format == INTEGER) return 64;
    if (format == FPSAN_F4E2M1FN) return 4;
    const unsigned storage = fpsan_format_info(format)->storage_bits;
    return storage < operand_bits ? storage : operand_bits;
}

static void fill_inputs(const ConvertCase *c, uint64_t *state) {
    for (unsigned i = 0; i < 3; i++)
        for (size_t k = 0; k < ARRAY_LENGTH; k++) {
            const unsigned bits = c->kernel.bits[1 + i], width = element_width(c->inputs, bits);
            // The last operand of mixed arithmetic is an f32.
            const FpsanFormat format = c->expected == expect_mixed && bits == 32 ? FPSAN_F32 : c->inputs;
            uint64_t x = format == INTEGER || format != c->inputs ? lab_number(state) : 0;
            if (format == INTEGER && k % 2) x >>= lab_random(state) % 64;
            if (format != INTEGER) x = 0;
            for (unsigned e = 0; e < c->input_elements && format != INTEGER; e++)
                x |= sample_float(format, state) << (e * width);
            lab.inputs[i][k] = low(x, bits);
        }
}

static void check_case(const ConvertCase *c, bool payload, size_t k) {
    uint64_t x[3];
    for (unsigned i = 0; i < 3; i++) x[i] = lab.inputs[i][k];
    const unsigned bits = c->kernel.bits[0] == 1 ? 32 : c->kernel.bits[0];
    const uint64_t got = low(lab.results[k], bits), want = low(c->expected(c, payload, x), bits);
    bool good = got == want;
    if (!payload && c->result != INTEGER) {
        const unsigned width = c->result == FPSAN_F4E2M1FN ? 4 : fpsan_format_info(c->result)->storage_bits;
        good = true;
        for (unsigned at = 0; at < bits; at += width)
            good &= are_same(c->result, low(got >> at, width), low(want >> at, width));
    }
    cr_assert(good, "%s of %#lx %#lx %#lx is %#lx, not %#lx", c->kernel.text, x[0], x[1], x[2], got, want);
}

static void check_all(CompileNumeric numeric) {
    const bool payload = numeric == COMPILE_PAYLOAD;
    uint64_t state = 6;
    for (unsigned i = 0; i < CASES; i++) kernels[i] = cases[i].kernel;
    array_lab_open(&lab, kernels, CASES, numeric);
    for (unsigned i = 0; i < CASES; i++) {
        fill_inputs(&cases[i], &state);
        array_lab_run(&lab, kernels, i, ARRAY_LENGTH);
        for (size_t k = 0; k < ARRAY_LENGTH; k++) check_case(&cases[i], payload, k);
    }
    array_lab_close(&lab);
}

Test(float_conversions, are_those_of_ieee_754) {
    check_all(COMPILE_IEEE);
}

Test(float_conversions, are_those_of_the_algebra) {
    check_all(COMPILE_PAYLOAD);
}
