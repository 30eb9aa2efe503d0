// SPDX-License-Identifier: Apache-2.0
// Emission of the embedding and of the rules, in closed forms that rules.c states as definitions.
#include "sanitizer/fpsan_emit_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// ---- values ---------------------------------------------------------------------------------------------------------

static LLVMTypeRef fpsan_element_type(LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

LLVMTypeRef fpsan_type_like(LLVMTypeRef element, LLVMValueRef like) {
    LLVMTypeRef type = LLVMTypeOf(like);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMVectorType(element, LLVMGetVectorSize(type)) : element;
}

unsigned fpsan_element_bits(LLVMValueRef value) {
    return LLVMGetIntTypeWidth(fpsan_element_type(value));
}

LLVMValueRef fpsan_splat(LLVMValueRef element, LLVMValueRef like) {
    LLVMTypeRef type = LLVMTypeOf(like);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return element;
    LLVMValueRef few[64], *lanes = few;
    unsigned count = LLVMGetVectorSize(type);
    if (count > 64) lanes = malloc(count * sizeof *lanes);
    if (!lanes) abort();
    for (unsigned i = 0; i < count; i++) lanes[i] = element;
    LLVMValueRef result = LLVMConstVector(lanes, count);
    if (lanes != few) free(lanes);
    return result;
}

LLVMValueRef fpsan_constant_bits(LLVMValueRef like, unsigned bits, uint64_t value) {
    LLVMTypeRef element = LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(like)), bits);
    return fpsan_splat(LLVMConstInt(element, value & fpsan_mask(bits), false), like);
}

LLVMValueRef fpsan_constant(LLVMValueRef like, uint64_t value) {
    return fpsan_constant_bits(like, fpsan_element_bits(like), value);
}

LLVMValueRef fpsan_resize(const FpsanEmit *e, LLVMValueRef value, unsigned bits, bool is_signed) {
    unsigned have = fpsan_element_bits(value);
    LLVMTypeRef type = fpsan_type_like(LLVMIntTypeInContext(e->context, bits), value);
    if (bits == have) return value;
    if (bits < have) return LLVMBuildTrunc(e->builder, value, type, "");
    return is_signed ? LLVMBuildSExt(e->builder, value, type, "") : LLVMBuildZExt(e->builder, value, type, "");
}

LLVMValueRef fpsan_intrinsic(const FpsanEmit *e, const char *name, LLVMTypeRef *overloads, unsigned overload_count,
                             LLVMValueRef *operands, unsigned count) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, overloads, overload_count);
    LLVMTypeRef type = LLVMIntrinsicGetType(e->context, id, overloads, overload_count);
    return LLVMBuildCall2(e->builder, type, function, operands, count, "");
}

LLVMValueRef fpsan_binary_intrinsic(const FpsanEmit *e, const char *name, LLVMValueRef a, LLVMValueRef b) {
    LLVMTypeRef type = LLVMTypeOf(a);
    return fpsan_intrinsic(e, name, &type, 1, (LLVMValueRef[]){a, b}, 2);
}

LLVMTypeRef fpsan_emit_type(const FpsanEmit *e, FpsanFormat format, unsigned lanes) {
    LLVMTypeRef element = LLVMIntTypeInContext(e->context, fpsan_format_info(format)->lane_bits);
    return lanes ? LLVMVectorType(element, lanes) : element;
}

// ---- embedding ------------------------------------------------------------------------------------------------------

// The sign and the ring's highest bit exchanged (fpsan_sign_distance).
static LLVMValueRef exchange_sign(const FpsanEmit *e, FpsanFormat format, LLVMValueRef bits) {
    unsigned distance = fpsan_sign_distance(format);
    if (!distance) return bits;
    LLVMValueRef differ = lane_xor(e, bits, lane_lshr_constant(e, bits, distance));
    differ = lane_and_constant(e, differ, fpsan_layout(format).sign);
    return lane_xor(e, bits, lane_or(e, differ, lane_shl_constant(e, differ, distance)));
}

// B- = -B+ mod 2^(w-1), so the two signs differ by a negation.
LLVMValueRef fpsan_emit_embed(const FpsanEmit *e, FpsanFormat format, LLVMValueRef bits) {
    if (!fpsan_format_has_rules(format)) return bits;
    FpsanRing ring = fpsan_ring(e->algebra.profile, format);
    bits = exchange_sign(e, format, bits);
    LLVMValueRef y = lane_and_constant(e, lane_mul_constant(e, bits, ring.multiplier), ring.magnitude);
    LLVMValueRef z = lane_xor(e, y, lane_lshr_constant(e, y, ring.shift));
    LLVMValueRef sign = lane_ashr_constant(e, bits, ring.width - 1);
    LLVMValueRef product = lane_negate_if(e, lane_mul_constant(e, z, ring.positive), sign);
    return lane_or(e, lane_and_constant(e, product, ring.magnitude), lane_and_constant(e, bits, ring.sign));
}

// y ^ y >> s is undone by y ^= y >> s, y ^= y >> 2s, y ^= y >> 4s, ...: (1 + X)(1 + X^2)(1 + X^4)... = 1 / (1 + X)
// mod 2.
LLVMValueRef fpsan_emit_unembed(const FpsanEmit *e, FpsanFormat format, LLVMValueRef payload) {
    if (!fpsan_format_has_rules(format)) return payload;
    FpsanRing ring = fpsan_ring(e->algebra.profile, format);
    LLVMValueRef sign = lane_ashr_constant(e, payload, ring.width - 1);
    LLVMValueRef y = lane_mul_constant(e, lane_negate_if(e, payload, sign), ring.inverse_positive);
    y = lane_and_constant(e, y, ring.magnitude);
    for (unsigned shift = ring.shift; shift < ring.width - 1; shift *= 2)
        y = lane_xor(e, y, lane_lshr_constant(e, y, shift));
    LLVMValueRef magnitude = lane_and_constant(e, lane_mul_constant(e, y, ring.inverse_multiplier), ring.magnitude);
    return exchange_sign(e, format, lane_or(e, magnitude, lane_and_constant(e, payload, ring.sign)));
}

// ---- the rules ------------------------------------------------------------------------------------------------------

static bool has_halves(const FpsanEmit *e, unsigned width, LLVMValueRef value) {
    return e->halves && width == 32 && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

// A number whose low half is that of a * b. Its high half is of no use.
static LLVMValueRef mul_low(const FpsanEmit *e, LLVMValueRef a, LLVMValueRef b) {
    LLVMTypeRef type = LLVMTypeOf(a), half = LLVMIntTypeInContext(e->context, fpsan_element_bits(a) / 2);
    LLVMTypeRef halves = LLVMVectorType(half, 2 * LLVMGetVectorSize(type));
    LLVMValueRef x = LLVMBuildBitCast(e->builder, a, halves, ""), y = LLVMBuildBitCast(e->builder, b, halves, "");
    return LLVMBuildBitCast(e->builder, lane_mul(e, x, y), type, "");
}

// a * r(b). Newton's step doubles the right low bits of an inverse; 3b ^ 2 has five. r(b) = inverse & (b | ~1): the
// inverse is odd.
static LLVMValueRef emit_div(const FpsanEmit *e, unsigned width, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef odd = lane_or_constant(e, b, 1), two = fpsan_constant(b, 2);
    LLVMValueRef x = lane_xor_constant(e, lane_mul_constant(e, odd, 3), 2);
    for (unsigned right = 5, next; right < width; right = next) {
        const bool low = right < width / 2 && has_halves(e, width, b); // of which the last step makes all bits right
        LLVMValueRef (*const mul)(const FpsanEmit *, LLVMValueRef, LLVMValueRef) = low ? mul_low : lane_mul;
        x = mul(e, x, lane_sub(e, two, mul(e, odd, x)));
        next = low && 2 * right > width / 2 ? width / 2 : 2 * right;
    }
    return lane_mul(e, a, lane_and(e, x, lane_or_constant(e, b, ~(uint64_t)1)));
}

// The sign of the divisor does not matter, so it is made positive: then no quotient overflows. Vectors of integers
// below 64 bits divide as floats: a quotient that is no integer misses the next one by at least 1 / divisor, and
// rounding moves it by less, so that it truncates to the integer quotient (8 bits of 24, 16 of 24, 32 of 53).
static LLVMValueRef emit_rem(const FpsanEmit *e, unsigned width, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef odd = lane_or_constant(e, b, 1);
    LLVMValueRef divisor = lane_negate_if(e, odd, lane_ashr_constant(e, odd, width - 1));
    if (width == 64 || LLVMGetTypeKind(LLVMTypeOf(a)) != LLVMVectorTypeKind)
        return LLVMBuildSRem(e->builder, a, divisor, "");
    LLVMTypeRef element = width < 32 ? LLVMFloatTypeInContext(e->context) : LLVMDoubleTypeInContext(e->context);
    LLVMTypeRef type = fpsan_type_like(element, a);
    LLVMValueRef x = LLVMBuildSIToFP(e->builder, a, type, ""), y = LLVMBuildSIToFP(e->builder, divisor, type, "");
    LLVMValueRef quotient = LLVMBuildFPToSI(e->builder, LLVMBuildFDiv(e->builder, x, y, ""), LLVMTypeOf(a), "");
    return lane_sub(e, a, lane_mul(e, quotient, divisor));
}

// g^x with g = 1 + 2^k and 4k >= w: the binomial series ends after 1 + x 2^k + C(x,2) 2^2k + C(x,3) 2^3k.
// C(x,3) = C(x,2) (x - 2) / 3, so the last two terms share h = C(x,2): (h << 2k) * (1 + ((x - 2) / 3 << k)).
static LLVMValueRef emit_exp2(const FpsanEmit *e, unsigned width, LLVMValueRef x) {
    unsigned divisor = e->algebra.profile->exp2_shift_divisor, k = (width + divisor - 1) / divisor;
    assert(4 * k >= width);
    uint64_t third = fpsan_inverse(3) << k;
    LLVMValueRef linear = lane_add_constant(e, lane_shl_constant(e, x, k), 1);
    if (has_halves(e, width, x)) { // 2k is half the width or more
        // The low halves of h and inner do. x (x - 1) / 2 = (x >> 1) ((x - 1) | 1), whether x is even or odd.
        LLVMValueRef odd = lane_or_constant(e, lane_sub_constant(e, x, 1), 1);
        LLVMValueRef low = mul_low(e, lane_lshr_constant(e, x, 1), odd);
        LLVMValueRef inner = lane_add_constant(e, mul_low(e, x, fpsan_constant(x, third)), 1 - 2 * third);
        return lane_add(e, linear, lane_shl_constant(e, mul_low(e, low, inner), 2 * k));
    }
    LLVMValueRef h = lane_lshr_constant(e, lane_mul(e, x, lane_sub_constant(e, x, 1)), 1);
    LLVMValueRef inner = lane_add_constant(e, lane_mul_constant(e, x, third), 1 - 2 * third);
    return lane_add(e, linear, lane_mul(e, lane_shl_constant(e, h, 2 * k), inner));
}

// 2^shift / divisor for an integer with the given number of factors 2; shift says how many factors 2 the numerator has.
static uint64_t power_over(unsigned shift, unsigned twos, uint64_t odd) {
    return shift - twos >= 64 ? 0 : fpsan_inverse(odd) << (shift - twos);
}

// theta / 4 mod 2^64 where exp(i theta) is the circle's generator u = 1 + 4v (2-adic exponential and logarithm):
// log(u) / 4 = sum over n of (-1)^(n+1) 4^(n-1) / n v^n, whose real part is 0 because |u| = 1.
static uint64_t circle_angle(const FpsanProfile *profile) {
    int real = profile->circle_real - profile->circle_modulus, imaginary = profile->circle_imaginary;
    assert(real % 4 == 0 && imaginary % 4 == 0);
    uint64_t inverse = fpsan_inverse((uint64_t)(int64_t)profile->circle_modulus);
    uint64_t v_re = (uint64_t)(int64_t)(real / 4) * inverse, v_im = (uint64_t)(int64_t)(imaginary / 4) * inverse;
    uint64_t re = v_re, im = v_im, angle = 0;
    for (unsigned n = 1; n < 40; n++) {
        unsigned twos = (unsigned)__builtin_ctz(n);
        uint64_t term = im * power_over(2 * (n - 1), twos, n >> twos);
        angle += n % 2 ? term : -term;
        uint64_t next = re * v_re - im * v_im;
        im = re * v_im + im * v_re;
        re = next;
    }
    return angle;
}

enum { CIRCLE_TERMS = 32 }; // at 64 bits cos has 31 terms, sin 30

// Coefficients mod 2^w of cos(theta x) or sin(theta x) / x as polynomials in x^2: (-1)^n theta^m / m!, m = 2n or 2n
// + 1. theta is divisible by 4 and m! by fewer than m twos, so they are integers and vanish mod 2^w from some n on.
// Returns how many do not.
static unsigned circle_series(const FpsanProfile *profile, unsigned width, bool sine,
                              uint64_t coefficients[CIRCLE_TERMS]) {
    uint64_t angle = circle_angle(profile), power = 1, odd = 1; // power = angle^m, factorial m! = odd * 2^twos
    unsigned twos = 0, count = 0;
    for (unsigned m = 0; count < CIRCLE_TERMS; m++) {
        if (m) {
            unsigned factor_twos = (unsigned)__builtin_ctz(m);
            twos += factor_twos;
            odd *= m >> factor_twos;
            power *= angle;
        }
        if (2 * m - twos >= width) break;
        if (m % 2 != (sine ? 1 : 0)) continue;
        uint64_t term = power * power_over(2 * m, twos, odd);
        coefficients[count++] = m / 2 % 2 ? -term : term;
    }
    return count;
}

// Horner's scheme on the even and the odd coefficients, two shorter chains.
static LLVMValueRef emit_polynomial(const FpsanEmit *e, const uint64_t *coefficients, unsigned count, LLVMValueRef t) {
    LLVMValueRef t2 = lane_mul(e, t, t), part[2];
    for (unsigned parity = 0; parity < 2; parity++) {
        unsigned i = (count - 1) % 2 == parity ? count - 1 : count - 2;
        LLVMValueRef sum = fpsan_constant(t, coefficients[i]);
        for (; i >= 2; i -= 2) sum = lane_add_constant(e, lane_mul(e, sum, t2), coefficients[i - 2]);
        part[parity] = sum;
    }
    return lane_add(e, part[0], lane_mul(e, part[1], t));
}

static LLVMValueRef emit_circle(const FpsanEmit *e, unsigned width, bool sine, LLVMValueRef x) {
    uint64_t coefficients[CIRCLE_TERMS];
    unsigned count = circle_series(e->algebra.profile, width, sine, coefficients);
    LLVMValueRef series = emit_polynomial(e, coefficients, count, lane_mul(e, x, x));
    return sine ? lane_mul(e, x, series) : series;
}

static LLVMValueRef emit_tag(const FpsanEmit *e, FpsanRule rule, LLVMValueRef x) {
    uint64_t multiplier = e->algebra.profile->tag_multiplier;
    LLVMValueRef mixed = lane_xor_constant(e, lane_mul_constant(e, x, multiplier),
                                           fpsan_fmix64((uint64_t)e->algebra.profile->tag[rule]));
    return lane_mul_constant(e, mixed, multiplier);
}

static LLVMValueRef emit_ring(const FpsanEmit *e, FpsanRule rule, unsigned width, const LLVMValueRef *x) {
    switch (rule) {
    case FPSAN_RULE_ADD: return lane_add(e, x[0], x[1]);
    case FPSAN_RULE_SUB: return lane_sub(e, x[0], x[1]);
    case FPSAN_RULE_MUL: return lane_mul(e, x[0], x[1]);
    case FPSAN_RULE_NEG: return lane_sub(e, fpsan_constant(x[0], 0), x[0]);
    case FPSAN_RULE_FMA: return lane_add(e, lane_mul(e, x[0], x[1]), x[2]);
    case FPSAN_RULE_DIV: return emit_div(e, width, x[0], x[1]);
    case FPSAN_RULE_REM: return emit_rem(e, width, x[0], x[1]);
    case FPSAN_RULE_MIN: return fpsan_binary_intrinsic(e, "llvm.smin", x[0], x[1]);
    case FPSAN_RULE_MAX: return fpsan_binary_intrinsic(e, "llvm.smax", x[0], x[1]);
    case FPSAN_RULE_EXP2: return emit_exp2(e, width, x[0]);
    case FPSAN_RULE_EXP: return emit_exp2(e, width, lane_mul_constant(e, x[0], e->algebra.profile->exp_scale));
    case FPSAN_RULE_SIN: return emit_circle(e, width, true, x[0]);
    case FPSAN_RULE_COS: return emit_circle(e, width, false, x[0]);
    default: assert(!"a ring rule without emission"); return NULL;
    }
}

// Embedded, the two signs of a magnitude are p and -p up to the sign bit.
static LLVMValueRef emit_abs(const FpsanEmit *e, unsigned width, LLVMValueRef x) {
    LLVMValueRef positive = lane_negate_if(e, x, lane_ashr_constant(e, x, width - 1));
    return lane_and_constant(e, positive, fpsan_mask(width - 1));
}

LLVMValueRef fpsan_emit(const FpsanEmit *e, FpsanRule rule, FpsanFormat format, const LLVMValueRef *operands,
                        unsigned count) {
    if (rule >= FPSAN_RULE_COUNT || !fpsan_format_has_rules(format)) return NULL;
    const FpsanRuleInfo *info = fpsan_rule_info(rule);
    if (info->kind == FPSAN_KIND_EXTERN || count != info->operands) return NULL;
    unsigned width = fpsan_format_info(format)->ring_bits;
    switch (info->kind) {
    case FPSAN_KIND_RING: return emit_ring(e, rule, width, operands);
    case FPSAN_KIND_TAG: return emit_tag(e, rule, operands[0]);
    case FPSAN_KIND_BITS: return emit_abs(e, width, operands[0]);
    case FPSAN_KIND_FUNCTION: return fpsan_emit_extern(e, format, fpsan_rule_symbol(rule, format), operands, count);
    case FPSAN_KIND_EXTERN: break;
    }
    return NULL;
}

LLVMValueRef fpsan_emit_extern(const FpsanEmit *e, FpsanFormat format, const char *symbol, const LLVMValueRef *operands,
                               unsigned count) {
    if (!fpsan_format_has_rules(format) || !count) return NULL;
    unsigned width = fpsan_format_info(format)->ring_bits;
    LLVMValueRef sum = NULL;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef x = fpsan_resize(e, operands[i], width, true);
        unsigned turn = i % width;
        if (turn) x = lane_or(e, lane_shl_constant(e, x, turn), lane_lshr_constant(e, x, width - turn));
        sum = sum ? lane_add(e, sum, x) : x;
    }
    return lane_xor_constant(e, sum, fpsan_fnv1a64(symbol));
}
