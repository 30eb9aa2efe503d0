// SPDX-License-Identifier: Apache-2.0
// Emission of casts between payloads, integers, comparisons, classes, scales and dot steps.
#include "sanitizer/fpsan_emit_internal.h"

// ---- casts ----------------------------------------------------------------------------------------------------------

static unsigned ring_bits(FpsanFormat format) {
    return fpsan_format_info(format)->ring_bits;
}

// The low `to` bits of a lane, in the destination's lane.
static LLVMValueRef low_bits(const FpsanEmit *e, unsigned to, unsigned lane, LLVMValueRef x) {
    LLVMValueRef low = fpsan_resize(e, x, lane, false);
    return to < lane ? lane_and_constant(e, low, fpsan_mask(to)) : low;
}

// Mixing, from w to d bits: the excess is zero in its low d bits, so with w = 2d only its upper half E counts, and the
// folded part is E * multiplier mod 2^d. Otherwise the definition is emitted as it is.
static LLVMValueRef emit_narrow(const FpsanEmit *e, unsigned from, unsigned to, unsigned lane, LLVMValueRef x) {
    LLVMValueRef low = low_bits(e, to, lane, x);
    if (e->algebra.casts == FPSAN_CASTS_HOMOMORPHIC) return low;
    LLVMValueRef high;
    if (from == 2 * to && to == lane) {
        LLVMValueRef upper = fpsan_resize(e, lane_lshr_constant(e, x, to), to, false);
        LLVMValueRef excess = lane_xor(e, upper, lane_ashr_constant(e, low, to - 1));
        high = lane_mul_constant(e, excess, e->algebra.profile->cast_multiplier);
    } else {
        LLVMValueRef widened = fpsan_resize(e, low, from, to == lane); // f4 widens by zeros
        LLVMValueRef excess = lane_xor(e, x, widened);
        LLVMValueRef folded = lane_mul_constant(e, excess, fpsan_fold_multiplier(e->algebra.profile, from, to));
        high = fpsan_resize(e, lane_lshr_constant(e, folded, from - to), lane, false);
    }
    return lane_xor(e, low, lane_xor(e, high, lane_lshr_constant(e, high, to / 2)));
}

static LLVMValueRef emit_ring_cast(const FpsanEmit *e, FpsanFormat from, FpsanFormat to, LLVMValueRef x) {
    unsigned width = ring_bits(from), narrow = ring_bits(to), lane = fpsan_format_info(to)->lane_bits;
    if (narrow < width) return emit_narrow(e, width, narrow, lane, x);
    return fpsan_resize(e, x, lane, width != 4);
}

LLVMValueRef fpsan_emit_cast(const FpsanEmit *e, FpsanFormat from, FpsanFormat to, LLVMValueRef payload,
                             FpsanRounding rounding) {
    if (from == to) return payload;
    if (!ring_bits(to)) return fpsan_emit_convert_bits(e, from, to, fpsan_emit_unembed(e, from, payload), rounding);
    if (ring_bits(from)) return emit_ring_cast(e, from, to, payload);
    FpsanFormat through = fpsan_value_format(to);
    LLVMValueRef value = fpsan_emit_embed(e, through, fpsan_emit_scale_bits(e, from, through, payload));
    return emit_ring_cast(e, through, to, value);
}

// ---- integers, comparisons, classes ---------------------------------------------------------------------------------

LLVMValueRef fpsan_emit_from_int(const FpsanEmit *e, FpsanFormat to, LLVMValueRef integer, bool is_signed) {
    return fpsan_emit_embed(e, to, fpsan_emit_integer_to_bits(e, to, integer, is_signed));
}

LLVMValueRef fpsan_emit_to_int(const FpsanEmit *e, FpsanFormat from, LLVMValueRef payload, unsigned bits,
                               bool is_signed) {
    return fpsan_emit_bits_to_integer(e, from, fpsan_emit_unembed(e, from, payload), bits, is_signed);
}

LLVMRealPredicate fpsan_real_predicate(FpsanPredicate predicate, bool ordered) {
    static const LLVMRealPredicate predicates[FPSAN_PREDICATE_COUNT][2] = {
#define PREDICATE(name, tile_ir, real, signed_integer, unsigned_integer) {LLVMRealU##real, LLVMRealO##real},
#include "sanitizer/format/predicates.def"
#undef PREDICATE
    };
    return predicates[predicate][ordered];
}

LLVMIntPredicate fpsan_integer_predicate(FpsanPredicate predicate, bool is_signed) {
    static const LLVMIntPredicate predicates[FPSAN_PREDICATE_COUNT][2] = {
#define PREDICATE(name, tile_ir, real, signed_integer, unsigned_integer)                                               \
    {LLVMInt##unsigned_integer, LLVMInt##signed_integer},
#include "sanitizer/format/predicates.def"
#undef PREDICATE
    };
    return predicates[predicate][is_signed];
}

// f32 and f64 compare as floats.
static LLVMValueRef compare_floats(const FpsanEmit *e, FpsanPredicate predicate, bool ordered, LLVMValueRef a,
                                   LLVMValueRef b) {
    bool is_double = fpsan_element_bits(a) == 64;
    LLVMTypeRef type = is_double ? LLVMDoubleTypeInContext(e->context) : LLVMFloatTypeInContext(e->context);
    type = fpsan_type_like(type, a);
    LLVMValueRef x = LLVMBuildBitCast(e->builder, a, type, ""), y = LLVMBuildBitCast(e->builder, b, type, "");
    return LLVMBuildFCmp(e->builder, fpsan_real_predicate(predicate, ordered), x, y, "");
}

// The bits as a signed integer that orders like the float and takes both zeros to 0 (formats without a sign: the bits).
static LLVMValueRef order_key(const FpsanEmit *e, const FpsanLayout *layout, LLVMValueRef bits,
                              LLVMValueRef magnitude) {
    if (!layout->sign) return bits;
    unsigned lane = fpsan_element_bits(bits), position = (unsigned)__builtin_ctzll(layout->sign);
    LLVMValueRef sign = lane_ashr_constant(e, lane_shl_constant(e, bits, lane - 1 - position), lane - 1);
    return lane_negate_if(e, magnitude, sign);
}

LLVMValueRef fpsan_emit_compare(const FpsanEmit *e, FpsanFormat format, FpsanPredicate predicate, bool ordered,
                                LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef x = fpsan_emit_unembed(e, format, a), y = fpsan_emit_unembed(e, format, b);
    if (fpsan_format_info(format)->lane_bits >= 32) return compare_floats(e, predicate, ordered, x, y);
    FpsanLayout layout = fpsan_layout(format);
    LLVMValueRef x_magnitude = lane_and_constant(e, x, layout.magnitude);
    LLVMValueRef y_magnitude = lane_and_constant(e, y, layout.magnitude);
    LLVMValueRef result = lane_compare(e, fpsan_integer_predicate(predicate, layout.sign != 0),
                                       order_key(e, &layout, x, x_magnitude), order_key(e, &layout, y, y_magnitude));
    if (fpsan_zero_is_unsigned(format)) {
        LLVMValueRef is_nan = lane_or(e, lane_compare_constant(e, LLVMIntEQ, x, layout.nan),
                                      lane_compare_constant(e, LLVMIntEQ, y, layout.nan));
        return lane_select(e, is_nan, fpsan_constant_bits(x, 1, !ordered), result);
    }
    if (layout.nan_above == layout.magnitude) return result; // no NaN
    LLVMValueRef larger = fpsan_binary_intrinsic(e, "llvm.umax", x_magnitude, y_magnitude);
    if (!ordered) return lane_or(e, result, lane_compare_constant(e, LLVMIntUGT, larger, layout.nan_above));
    return lane_and(e, result, lane_compare_constant(e, LLVMIntULE, larger, layout.nan_above));
}

// Whether low <= x < end, unsigned.
static LLVMValueRef in_range(const FpsanEmit *e, LLVMValueRef x, uint64_t low, uint64_t end) {
    return lane_compare_constant(e, LLVMIntULT, lane_sub_constant(e, x, low), end - low);
}

LLVMValueRef fpsan_emit_is_class(const FpsanEmit *e, FpsanFormat format, unsigned classes, LLVMValueRef payload) {
    FpsanLayout layout = fpsan_layout(format);
    FpsanSpecials specials = fpsan_format_info(format)->specials;
    uint64_t normal = specials == FPSAN_POWER ? 0 : (uint64_t)1 << layout.mantissa;    // the smallest normal magnitude
    uint64_t beyond = specials == FPSAN_IEEE ? layout.infinity : layout.nan_above + 1; // the first magnitude not finite
    LLVMValueRef bits = fpsan_emit_unembed(e, format, payload), x = lane_and_constant(e, bits, layout.magnitude);
    LLVMValueRef result = fpsan_constant_bits(x, 1, 0);
    const bool signless = fpsan_zero_is_unsigned(format);
    if (classes & FPSAN_CLASS_ZERO && normal)
        result = lane_or(e, result, lane_compare_constant(e, LLVMIntEQ, signless ? bits : x, 0));
    if (classes & FPSAN_CLASS_SUBNORMAL && normal) result = lane_or(e, result, in_range(e, x, 1, normal));
    if (classes & FPSAN_CLASS_NORMAL) result = lane_or(e, result, in_range(e, x, normal, beyond));
    if (classes & FPSAN_CLASS_INFINITE && specials == FPSAN_IEEE)
        result = lane_or(e, result, lane_compare_constant(e, LLVMIntEQ, x, layout.infinity));
    if (classes & FPSAN_CLASS_NAN && signless)
        return lane_or(e, result, lane_compare_constant(e, LLVMIntEQ, bits, layout.nan));
    if (classes & FPSAN_CLASS_NAN)
        result = lane_or(e, result, lane_compare_constant(e, LLVMIntUGT, x, layout.nan_above));
    return result;
}

// ---- dots -----------------------------------------------------------------------------------------------------------

LLVMValueRef fpsan_emit_dot_operand(const FpsanEmit *e, FpsanFormat format, FpsanFormat accumulator_format,
                                    LLVMValueRef payload) {
    return fpsan_emit_cast(e, format, accumulator_format, payload, FPSAN_NEAREST_EVEN);
}

LLVMValueRef fpsan_emit_dot_step(const FpsanEmit *e, FpsanFormat a_format, FpsanFormat b_format,
                                 FpsanFormat accumulator_format, LLVMValueRef a, LLVMValueRef b,
                                 LLVMValueRef accumulator) {
    LLVMValueRef x = fpsan_emit_dot_operand(e, a_format, accumulator_format, a);
    LLVMValueRef y = fpsan_emit_dot_operand(e, b_format, accumulator_format, b);
    return lane_add(e, accumulator, lane_mul(e, x, y));
}

LLVMValueRef fpsan_emit_scale_payload(const FpsanEmit *e, FpsanFormat scale_format, FpsanFormat compute_format,
                                      LLVMValueRef scale) {
    if (scale_format == FPSAN_F8E8M0FNU && compute_format == FPSAN_F16) {
        // As f32's exponent field, in which 0 makes the whole number 0.
        LLVMValueRef field = fpsan_resize(e, scale, 32, false);
        LLVMValueRef bits = lane_shl_constant(e, field, fpsan_layout(FPSAN_F32).mantissa);
        return emit_ring_cast(e, FPSAN_F32, FPSAN_F16, fpsan_emit_embed(e, FPSAN_F32, bits));
    }
    return fpsan_emit_cast(e, scale_format, compute_format, scale, FPSAN_NEAREST_EVEN);
}

LLVMValueRef fpsan_emit_scaled_operand(const FpsanEmit *e, FpsanFormat format, FpsanFormat scale_format,
                                       FpsanFormat compute_format, LLVMValueRef payload, LLVMValueRef scale) {
    LLVMValueRef value = fpsan_emit_cast(e, format, compute_format, payload, FPSAN_NEAREST_EVEN);
    return lane_mul(e, value, fpsan_emit_scale_payload(e, scale_format, compute_format, scale));
}
