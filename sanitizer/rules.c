// SPDX-License-Identifier: Apache-2.0
// The payload rules on one scalar, written from their definitions to be read; emit_payload.c has the fast forms.
#include "sanitizer/fpsan_internal.h"

#include <assert.h>

uint64_t fpsan_inverse(uint64_t odd) {
    uint64_t x = odd * 3 ^ 2; // right in the low 5 bits; each step doubles that
    for (int i = 0; i < 4; i++) x *= 2 - odd * x;
    return x;
}

uint64_t fpsan_fmix64(uint64_t key) {
    key = (key ^ key >> 33) * 0xff51afd7ed558ccd;
    key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53;
    return key ^ key >> 33;
}

uint64_t fpsan_fnv1a64(const char *text) {
    uint64_t hash = 0xcbf29ce484222325;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    return hash;
}

// ---- embedding ------------------------------------------------------------------------------------------------------

FpsanRing fpsan_ring(const FpsanProfile *profile, FpsanFormat format) {
    assert(fpsan_format_has_rules(format));
    const FpsanFormatInfo *info = fpsan_format_info(format);
    FpsanRing ring = {.width = info->ring_bits, .mask = fpsan_mask(info->ring_bits)};
    ring.magnitude = ring.mask >> 1;
    ring.sign = ring.magnitude + 1;
    uint64_t one = info->one;
    ring.shift = (unsigned)__builtin_ctzll(one);
    ring.multiplier = profile->embed_multiplier & ring.magnitude;
    uint64_t y = one * ring.multiplier & ring.magnitude;
    uint64_t z = y ^ y >> ring.shift; // odd, because bit `shift` of `one` is its lowest
    ring.positive = fpsan_inverse(z) & ring.magnitude;
    ring.inverse_multiplier = fpsan_inverse(ring.multiplier) & ring.mask;
    ring.inverse_positive = fpsan_inverse(ring.positive) & ring.mask;
    return ring;
}

unsigned fpsan_sign_distance(FpsanFormat format) {
    const FpsanFormatInfo *info = fpsan_format_info(format);
    return info->is_signed ? info->ring_bits - info->bits - info->padding_bits : 0;
}

// The bits with the sign in the ring's highest bit; what was there comes to where the sign was.
static uint64_t exchange_sign(FpsanFormat format, uint64_t bits) {
    unsigned distance = fpsan_sign_distance(format);
    uint64_t sign = fpsan_layout(format).sign, differ = (bits ^ bits >> distance) & sign;
    return bits ^ differ ^ differ << distance;
}

uint64_t fpsan_embed(const FpsanProfile *profile, FpsanFormat format, uint64_t bits) {
    if (!fpsan_format_has_rules(format)) return bits & fpsan_mask(fpsan_format_info(format)->bits);
    FpsanRing ring = fpsan_ring(profile, format);
    bits = exchange_sign(format, bits);
    uint64_t y = (bits & ring.magnitude) * ring.multiplier & ring.magnitude;
    uint64_t z = y ^ y >> ring.shift;
    uint64_t factor = bits & ring.sign ? -ring.positive & ring.magnitude : ring.positive;
    return (z * factor & ring.magnitude) | (bits & ring.sign);
}

uint64_t fpsan_unembed(const FpsanProfile *profile, FpsanFormat format, uint64_t payload) {
    if (!fpsan_format_has_rules(format)) return payload & fpsan_mask(fpsan_format_info(format)->bits);
    FpsanRing ring = fpsan_ring(profile, format);
    uint64_t factor = payload & ring.sign ? -ring.positive & ring.magnitude : ring.positive;
    uint64_t z = (payload & ring.magnitude) * fpsan_inverse(factor) & ring.magnitude, y = z;
    for (unsigned known = ring.shift; known < ring.width; known += ring.shift) y = z ^ y >> ring.shift;
    return exchange_sign(format, (y * ring.inverse_multiplier & ring.magnitude) | (payload & ring.sign));
}

// ---- the rules ------------------------------------------------------------------------------------------------------

// The low bit of 1/b is b's, so that 1/(1/b) = b for even b too.
static uint64_t payload_reciprocal(uint64_t b) {
    return (fpsan_inverse(b | 1) & ~(uint64_t)1) | (b & 1);
}

static uint64_t payload_remainder(uint64_t a, uint64_t b, unsigned width) {
    int64_t x = (int64_t)fpsan_sign_extend(a, width), y = (int64_t)fpsan_sign_extend(b | 1, width);
    return y == -1 ? 0 : (uint64_t)(x % y); // MIN % -1 overflows in C
}

// (1 + 2^k)^x with k = ceil(w / divisor), so exp2(x + y) = exp2(x) * exp2(y).
static uint64_t payload_exp2(const FpsanProfile *profile, uint64_t x, unsigned width) {
    unsigned k = (width + profile->exp2_shift_divisor - 1) / profile->exp2_shift_divisor;
    uint64_t power = 1 + ((uint64_t)1 << k), result = 1;
    for (unsigned bit = 0; bit < width; bit++, power *= power)
        if (x >> bit & 1) result *= power;
    return result;
}

// u^x with u = (real + i imaginary) / modulus of absolute value 1, so that sums of angles become products.
static void payload_circle(const FpsanProfile *profile, uint64_t x, unsigned width, uint64_t *cosine, uint64_t *sine) {
    uint64_t inverse = fpsan_inverse((uint64_t)(int64_t)profile->circle_modulus);
    uint64_t a = (uint64_t)(int64_t)profile->circle_real * inverse,
             b = (uint64_t)(int64_t)profile->circle_imaginary * inverse;
    uint64_t c = 1, s = 0;
    for (unsigned bit = width; bit-- > 0;) {
        uint64_t c2 = c * c - s * s, s2 = 2 * c * s;
        bool set = x >> bit & 1;
        c = set ? a * c2 - b * s2 : c2;
        s = set ? a * s2 + b * c2 : s2;
    }
    *cosine = c, *sine = s;
}

static uint64_t payload_tag(const FpsanProfile *profile, FpsanRule rule, uint64_t x) {
    return (x * profile->tag_multiplier ^ fpsan_fmix64((uint64_t)profile->tag[rule])) * profile->tag_multiplier;
}

static uint64_t payload_ring(const FpsanProfile *profile, FpsanRule rule, unsigned width, const uint64_t *x) {
    uint64_t sign = (uint64_t)1 << (width - 1), cosine, sine;
    switch (rule) {
    case FPSAN_RULE_ADD: return x[0] + x[1];
    case FPSAN_RULE_SUB: return x[0] - x[1];
    case FPSAN_RULE_MUL: return x[0] * x[1];
    case FPSAN_RULE_NEG: return -x[0];
    case FPSAN_RULE_FMA: return x[0] * x[1] + x[2];
    case FPSAN_RULE_DIV: return x[0] * payload_reciprocal(x[1]);
    case FPSAN_RULE_REM: return payload_remainder(x[0], x[1], width);
    case FPSAN_RULE_MIN: return (x[0] ^ sign) < (x[1] ^ sign) ? x[0] : x[1];
    case FPSAN_RULE_MAX: return (x[0] ^ sign) > (x[1] ^ sign) ? x[0] : x[1];
    case FPSAN_RULE_EXP2: return payload_exp2(profile, x[0], width);
    case FPSAN_RULE_EXP: return payload_exp2(profile, x[0] * profile->exp_scale & fpsan_mask(width), width);
    case FPSAN_RULE_COS: payload_circle(profile, x[0], width, &cosine, &sine); return cosine;
    case FPSAN_RULE_SIN: payload_circle(profile, x[0], width, &cosine, &sine); return sine;
    default: assert(!"a ring rule without code"); return 0;
    }
}

uint64_t fpsan_apply(const FpsanProfile *profile, FpsanRule rule, FpsanFormat format, const uint64_t *operands) {
    assert(fpsan_format_has_rules(format));
    const FpsanRuleInfo *info = fpsan_rule_info(rule);
    unsigned width = fpsan_format_info(format)->ring_bits;
    uint64_t mask = fpsan_mask(width), x[3] = {0, 0, 0};
    for (unsigned i = 0; i < info->operands; i++) x[i] = operands[i] & mask;
    switch (info->kind) {
    case FPSAN_KIND_RING: return payload_ring(profile, rule, width, x) & mask;
    case FPSAN_KIND_TAG: return payload_tag(profile, rule, x[0]) & mask;
    case FPSAN_KIND_BITS:
        return fpsan_embed(profile, format, fpsan_unembed(profile, format, x[0]) & mask & ~fpsan_layout(format).sign);
    case FPSAN_KIND_FUNCTION: return fpsan_extern(format, fpsan_rule_symbol(rule, format), x, NULL, info->operands);
    case FPSAN_KIND_EXTERN: break;
    }
    assert(!"EXTERN takes a symbol: fpsan_extern");
    return 0;
}

uint64_t fpsan_extern(FpsanFormat format, const char *symbol, const uint64_t *operands, const unsigned *widths,
                      size_t count) {
    assert(fpsan_format_has_rules(format));
    unsigned width = fpsan_format_info(format)->ring_bits;
    uint64_t mask = fpsan_mask(width), sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t x = (widths ? fpsan_sign_extend(operands[i], widths[i]) : operands[i]) & mask;
        unsigned turn = i % width;
        sum += turn ? x << turn | x >> (width - turn) : x;
    }
    return (sum ^ fpsan_fnv1a64(symbol)) & mask;
}

bool fpsan_compare(const FpsanProfile *profile, FpsanFormat format, FpsanPredicate predicate, bool ordered, uint64_t a,
                   uint64_t b) {
    return fpsan_compare_bits(format, predicate, ordered, fpsan_unembed(profile, format, a),
                              fpsan_unembed(profile, format, b));
}

unsigned fpsan_classify(const FpsanProfile *profile, FpsanFormat format, uint64_t payload) {
    return fpsan_classify_bits(format, fpsan_unembed(profile, format, payload));
}
