// SPDX-License-Identifier: Apache-2.0
// Payload casts, integers, scales and dots on scalars.
#include "sanitizer/fpsan_internal.h"

uint64_t fpsan_fold_multiplier(const FpsanProfile *profile, unsigned width, unsigned narrow) {
    uint64_t fold = 0, digit = profile->cast_multiplier & fpsan_mask(narrow);
    for (unsigned shift = 0; shift < width; shift += narrow) fold += digit << shift;
    return fold & fpsan_mask(width);
}

// From a ring of `width` bits to a narrower one: what was widened comes back unchanged, anything else is mixed.
static uint64_t cast_narrow(const FpsanAlgebra *algebra, unsigned width, unsigned narrow, uint64_t payload) {
    uint64_t low = payload & fpsan_mask(narrow);
    if (algebra->casts == FPSAN_CASTS_HOMOMORPHIC) return low;
    uint64_t widened = narrow == 4 ? low : fpsan_sign_extend(low, narrow); // f4 widens by zeros
    uint64_t excess = (payload ^ widened) & fpsan_mask(width);
    uint64_t folded = excess * fpsan_fold_multiplier(algebra->profile, width, narrow) & fpsan_mask(width);
    uint64_t high = folded >> (width - narrow);
    return (low ^ high ^ high >> narrow / 2) & fpsan_mask(narrow);
}

static uint64_t cast_ring(const FpsanAlgebra *algebra, unsigned from, unsigned to, uint64_t payload) {
    payload &= fpsan_mask(from);
    if (to < from) return cast_narrow(algebra, from, to, payload);
    return (from == 4 ? payload : fpsan_sign_extend(payload, from)) & fpsan_mask(to);
}

FpsanFormat fpsan_value_format(FpsanFormat to) {
    // 8 exponent bits hold every e8m0 and fnv8 value.
    return to == FPSAN_F64 || to == FPSAN_F32 || to == FPSAN_TF32 || to == FPSAN_BF16 ? to : FPSAN_F32;
}

// Bits of e8m0 or fnv8 as bits of such a format: the exact value, but e8m0's NaN is infinity, because Triton copies the
// exponent field.
static uint64_t scale_bits(FpsanFormat from, FpsanFormat to, uint64_t bits) {
    if (from == FPSAN_F8E8M0FNU && (bits & 255) == 255) return fpsan_layout(to).infinity;
    return fpsan_convert(from, to, bits, FPSAN_NEAREST_EVEN);
}

uint64_t fpsan_cast(const FpsanAlgebra *algebra, FpsanFormat from, FpsanFormat to, uint64_t payload,
                    FpsanRounding rounding) {
    unsigned from_ring = fpsan_format_info(from)->ring_bits, to_ring = fpsan_format_info(to)->ring_bits;
    if (from == to) return payload & fpsan_mask(fpsan_format_info(from)->lane_bits);
    if (!to_ring) return fpsan_convert(from, to, fpsan_unembed(algebra->profile, from, payload), rounding);
    if (from_ring) return cast_ring(algebra, from_ring, to_ring, payload);
    FpsanFormat through = fpsan_value_format(to);
    uint64_t value = fpsan_embed(algebra->profile, through, scale_bits(from, through, payload));
    return cast_ring(algebra, fpsan_format_info(through)->ring_bits, to_ring, value);
}

uint64_t fpsan_from_integer(const FpsanProfile *profile, FpsanFormat to, uint64_t integer, unsigned width,
                            bool is_signed) {
    return fpsan_embed(profile, to, fpsan_integer_to_bits(to, integer, width, is_signed));
}

uint64_t fpsan_to_integer(const FpsanProfile *profile, FpsanFormat from, uint64_t payload, unsigned width,
                          bool is_signed) {
    return fpsan_bits_to_integer(from, fpsan_unembed(profile, from, payload), width, is_signed);
}

uint64_t fpsan_dot(const FpsanAlgebra *algebra, FpsanFormat a_format, FpsanFormat b_format,
                   FpsanFormat accumulator_format, size_t length, const uint64_t *a, size_t a_stride, const uint64_t *b,
                   size_t b_stride, uint64_t accumulator) {
    for (size_t i = 0; i < length; i++)
        accumulator += fpsan_cast(algebra, a_format, accumulator_format, a[i * a_stride], FPSAN_NEAREST_EVEN) *
                       fpsan_cast(algebra, b_format, accumulator_format, b[i * b_stride], FPSAN_NEAREST_EVEN);
    return accumulator & fpsan_mask(fpsan_format_info(accumulator_format)->ring_bits);
}

FpsanFormat fpsan_scaled_compute_format(FpsanFormat a_format, FpsanFormat b_format) {
    return a_format == FPSAN_F16 || b_format == FPSAN_F16 ? FPSAN_F16 : FPSAN_BF16;
}

uint64_t fpsan_scale_payload(const FpsanAlgebra *algebra, FpsanFormat scale_format, FpsanFormat compute_format,
                             uint64_t scale) {
    if (scale_format == FPSAN_F8E8M0FNU && compute_format == FPSAN_F16 && (scale & 255) == 0) return 0;
    return fpsan_cast(algebra, scale_format, compute_format, scale, FPSAN_NEAREST_EVEN);
}

uint64_t fpsan_scaled_operand(const FpsanAlgebra *algebra, FpsanFormat format, FpsanFormat scale_format,
                              FpsanFormat compute_format, uint64_t payload, uint64_t scale) {
    uint64_t x[2] = {fpsan_cast(algebra, format, compute_format, payload, FPSAN_NEAREST_EVEN),
                     fpsan_scale_payload(algebra, scale_format, compute_format, scale)};
    return fpsan_apply(algebra->profile, FPSAN_RULE_MUL, compute_format, x);
}

static uint64_t scaled_element(const FpsanAlgebra *algebra, const FpsanScaled *side, FpsanFormat compute, size_t i) {
    uint64_t payload = side->data[i * side->stride];
    if (!side->scales) return fpsan_cast(algebra, side->format, compute, payload, FPSAN_NEAREST_EVEN);
    return fpsan_scaled_operand(algebra, side->format, side->scale_format, compute, payload,
                                side->scales[i / side->block * side->scale_stride]);
}

uint64_t fpsan_scaled_dot(const FpsanAlgebra *algebra, const FpsanScaled *a, const FpsanScaled *b,
                          FpsanFormat accumulator_format, size_t length, uint64_t accumulator) {
    FpsanFormat compute = fpsan_scaled_compute_format(a->format, b->format);
    for (size_t i = 0; i < length; i++) {
        uint64_t x = scaled_element(algebra, a, compute, i), y = scaled_element(algebra, b, compute, i);
        accumulator = fpsan_dot(algebra, compute, compute, accumulator_format, 1, &x, 1, &y, 1, accumulator);
    }
    return accumulator;
}
