// SPDX-License-Identifier: Apache-2.0
// Emission of conversions of real bits: between formats (through f32 or f64 fields, in integers) and from and to
// integers.
#include "sanitizer/fpsan_emit_internal.h"

static unsigned lane_width(FpsanFormat format) {
    return fpsan_format_info(format)->lane_bits;
}

static LLVMTypeRef float_type_like(const FpsanEmit *e, FpsanFormat wide, LLVMValueRef like) {
    return fpsan_type_like(wide == FPSAN_F64 ? LLVMDoubleTypeInContext(e->context) : LLVMFloatTypeInContext(e->context),
                           like);
}

static LLVMValueRef bits_to_float(const FpsanEmit *e, FpsanFormat wide, LLVMValueRef bits) {
    return LLVMBuildBitCast(e->builder, bits, float_type_like(e, wide, bits), "");
}

static LLVMValueRef float_to_bits(const FpsanEmit *e, FpsanFormat wide, LLVMValueRef value) {
    LLVMTypeRef type = fpsan_type_like(LLVMIntTypeInContext(e->context, lane_width(wide)), value);
    return LLVMBuildBitCast(e->builder, value, type, "");
}

static LLVMValueRef is_above(const FpsanEmit *e, LLVMValueRef a, uint64_t b) {
    return lane_compare_constant(e, LLVMIntUGT, a, b);
}

// 2^exponent as a constant of the wide format, of the lanes of `like` (an integer value of the wide format's lane
// width).
static LLVMValueRef power_constant(const FpsanEmit *e, FpsanFormat wide, int exponent, LLVMValueRef like) {
    const FpsanFormatInfo *info = fpsan_format_info(wide);
    uint64_t bits = (uint64_t)(exponent + info->bias) << info->mantissa_bits;
    return bits_to_float(e, wide, fpsan_constant(like, bits));
}

// e8m0: the exponent field of a wide format; 0 is 2^-127, which f32 and bf16 hold as a subnormal. `nan` is the bits of
// 255.
static LLVMValueRef power_to_wide(const FpsanEmit *e, FpsanFormat wide, uint64_t nan, LLVMValueRef byte) {
    const FpsanFormatInfo *info = fpsan_format_info(wide);
    unsigned mantissa = fpsan_layout(wide).mantissa;
    LLVMValueRef x = fpsan_resize(e, byte, info->lane_bits, false);
    LLVMValueRef bits = lane_shl_constant(e, lane_add_constant(e, x, (uint64_t)(info->bias - 127)), mantissa);
    if (info->bias == 127)
        bits = lane_select(e, lane_compare_constant(e, LLVMIntEQ, x, 0),
                           fpsan_constant(x, (uint64_t)1 << (mantissa - 1)), bits);
    return lane_select(e, lane_compare_constant(e, LLVMIntEQ, x, 255), fpsan_constant(x, nan), bits);
}

// Any format's bits as those of f32 (from any format but f64) or f64, exactly. A NaN stays some NaN.
static LLVMValueRef widen_bits(const FpsanEmit *e, FpsanFormat from, FpsanFormat wide, LLVMValueRef bits) {
    if (from == wide || (from == FPSAN_TF32 && wide == FPSAN_F32)) return bits;
    if (from == FPSAN_F8E8M0FNU) return power_to_wide(e, wide, fpsan_layout(wide).nan, bits);
    FpsanLayout layout = fpsan_layout(from), out = fpsan_layout(wide);
    LLVMValueRef x = fpsan_resize(e, bits, lane_width(wide), false);
    if (from == FPSAN_BF16 && wide == FPSAN_F32) return lane_shl_constant(e, x, 16);
    LLVMValueRef magnitude = lane_and_constant(e, x, layout.magnitude);
    LLVMValueRef shifted = lane_shl_constant(e, magnitude, out.mantissa - layout.mantissa);
    LLVMValueRef result = lane_add_constant(e, shifted, (uint64_t)(out.bias - layout.bias) << out.mantissa);
    // A subnormal is mantissa * 2^(emin - mantissa bits), a normal number of the wide format: the product is exact.
    LLVMValueRef integer = LLVMBuildUIToFP(e->builder, magnitude, float_type_like(e, wide, x), "");
    LLVMValueRef scale = power_constant(e, wide, layout.emin - (int)layout.mantissa, x);
    LLVMValueRef small = float_to_bits(e, wide, LLVMBuildFMul(e->builder, integer, scale, ""));
    LLVMValueRef is_small = lane_compare_constant(e, LLVMIntULT, magnitude, (uint64_t)1 << layout.mantissa);
    result = lane_select(e, is_small, small, result);
    FpsanSpecials specials = fpsan_format_info(from)->specials;
    if (specials == FPSAN_IEEE)
        result = lane_select(e, lane_compare_constant(e, LLVMIntUGE, magnitude, layout.infinity),
                             lane_or_constant(e, shifted, out.infinity), result);
    if (specials == FPSAN_FN)
        result = lane_select(e, is_above(e, magnitude, layout.nan_above), fpsan_constant(x, out.nan), result);
    if (specials == FPSAN_FNUZ)
        result = lane_select(e, lane_compare_constant(e, LLVMIntEQ, x, layout.nan), fpsan_constant(x, out.nan), result);
    if (!layout.sign) return result;
    unsigned distance = (unsigned)__builtin_ctzll(out.sign) - (unsigned)__builtin_ctzll(layout.sign);
    return lane_or(e, result, lane_shl_constant(e, lane_and_constant(e, x, layout.sign), distance));
}

// What is added to a significand before its low n bits are cut off, in each rounding mode. `negative` is all ones or 0.
static LLVMValueRef rounding_addend(const FpsanEmit *e, FpsanRounding rounding, LLVMValueRef significand,
                                    LLVMValueRef n, LLVMValueRef negative) {
    LLVMValueRef one = fpsan_constant(significand, 1);
    LLVMValueRef half = lane_shl(e, one, lane_sub(e, n, one)), ones = lane_sub(e, lane_shl(e, one, n), one);
    switch (rounding) {
    case FPSAN_NEAREST_EVEN: return lane_add(e, lane_sub(e, half, one), lane_and(e, lane_lshr(e, significand, n), one));
    case FPSAN_NEAREST_AWAY: return half;
    case FPSAN_TOWARD_ZERO:
    case FPSAN_ROUNDING_COUNT: break;
    case FPSAN_TOWARD_NEGATIVE: return lane_and(e, ones, negative);
    case FPSAN_TOWARD_POSITIVE: return lane_and(e, ones, lane_xor_constant(e, negative, ~(uint64_t)0));
    }
    return fpsan_constant(significand, 0);
}

// What a finite value beyond the format's range becomes.
static LLVMValueRef overflow_result(const FpsanEmit *e, FpsanRounding rounding, const FpsanLayout *to,
                                    LLVMValueRef negative) {
    LLVMValueRef infinity = fpsan_constant(negative, to->infinity), largest = fpsan_constant(negative, to->largest);
    if (rounding == FPSAN_TOWARD_ZERO) return largest;
    if (rounding == FPSAN_NEAREST_EVEN || rounding == FPSAN_NEAREST_AWAY) return infinity;
    LLVMIntPredicate keeps = rounding == FPSAN_TOWARD_POSITIVE ? LLVMIntNE : LLVMIntEQ;
    return lane_select(e, lane_compare_constant(e, keeps, negative, 0), largest, infinity);
}

static LLVMValueRef lane_minimum(const FpsanEmit *e, LLVMValueRef a, uint64_t b) {
    return fpsan_binary_intrinsic(e, "llvm.umin", a, fpsan_constant(a, b));
}

// The code with its sign (the format's sign bit or 0 in each lane). A format whose negative zero is its NaN has no sign
// on zero.
static LLVMValueRef with_sign(const FpsanEmit *e, FpsanFormat to, LLVMValueRef code, LLVMValueRef sign) {
    LLVMValueRef result = lane_or(e, code, sign);
    if (!fpsan_zero_is_unsigned(to)) return result;
    return lane_select(e, lane_compare_constant(e, LLVMIntEQ, code, 0), code, result);
}

// To nearest even, from f32 or f64 to formats with a zero. Rounding the whole magnitude carries into the exponent field
// as it should, and overflow ends at the code after the largest, which is infinity or what stands in for it. A result
// below the normal numbers is the sum |x| + 2^k whose last place is the format's least number: the addition rounds it.
static LLVMValueRef narrow_nearest(const FpsanEmit *e, FpsanFormat wide, FpsanFormat to, LLVMValueRef x) {
    FpsanLayout in = fpsan_layout(wide), out = fpsan_layout(to);
    unsigned kept = fpsan_format_info(to)->mantissa_bits, drop = in.mantissa - kept, width = lane_width(wide);
    uint64_t below = (uint64_t)(out.emin - in.emin) << in.mantissa; // what exponents differ by
    LLVMValueRef magnitude = lane_and_constant(e, x, in.magnitude);
    LLVMValueRef odd = lane_and_constant(e, lane_lshr_constant(e, magnitude, drop), 1);
    LLVMValueRef sum = lane_add_constant(e, lane_add(e, magnitude, odd), ((uint64_t)1 << (drop - 1)) - 1 - below);
    LLVMValueRef code = lane_lshr_constant(e, sum, drop);
    if (below) {
        LLVMValueRef magic = power_constant(e, wide, out.emin - (int)kept + (int)in.mantissa, x);
        LLVMValueRef added = LLVMBuildFAdd(e->builder, bits_to_float(e, wide, magnitude), magic, "");
        LLVMValueRef small = lane_sub(e, float_to_bits(e, wide, added), float_to_bits(e, wide, magic));
        uint64_t normal = below + ((uint64_t)1 << in.mantissa);
        code = lane_select(e, lane_compare_constant(e, LLVMIntULT, magnitude, normal), small, code);
    }
    code = lane_minimum(e, code, out.infinity >> out.padding);
    if (out.padding) code = lane_shl_constant(e, code, out.padding);
    code = lane_select(e, is_above(e, magnitude, in.infinity), fpsan_constant(x, out.nan), code);
    if (out.sign) {
        LLVMValueRef sign = lane_and_constant(e, x, in.sign);
        unsigned position = (unsigned)__builtin_ctzll(out.sign);
        code = with_sign(e, to, code, lane_lshr_constant(e, sign, width - 1 - position));
    }
    return fpsan_resize(e, code, lane_width(to), false);
}

// The bits of f32 or f64 rounded to a narrower format, in any mode. The significand is cut at the position that the
// result's exponent asks for, so normal and subnormal results take one path; its implicit bit then lifts the exponent
// field from 0 to 1.
static LLVMValueRef narrow_bits(const FpsanEmit *e, FpsanFormat wide, FpsanFormat to, LLVMValueRef x,
                                FpsanRounding rounding) {
    if (rounding == FPSAN_NEAREST_EVEN && to != FPSAN_F8E8M0FNU) return narrow_nearest(e, wide, to, x);
    FpsanLayout in = fpsan_layout(wide), out = fpsan_layout(to);
    bool power = to == FPSAN_F8E8M0FNU;
    unsigned kept = fpsan_format_info(to)->mantissa_bits, drop = in.mantissa - kept, width = lane_width(wide);
    uint64_t implicit = (uint64_t)1 << in.mantissa, base = (uint64_t)((power ? -out.bias : out.emin) + in.bias);
    LLVMValueRef magnitude = lane_and_constant(e, x, in.magnitude);
    LLVMValueRef negative = out.sign ? lane_ashr_constant(e, x, width - 1) : fpsan_constant(x, 0);
    LLVMValueRef field = lane_lshr_constant(e, magnitude, in.mantissa);
    LLVMValueRef hidden = fpsan_binary_intrinsic(e, "llvm.umin", field, fpsan_constant(x, 1));
    LLVMValueRef significand =
        lane_or(e, lane_and_constant(e, magnitude, implicit - 1), lane_shl_constant(e, hidden, in.mantissa));
    LLVMValueRef exponent = fpsan_binary_intrinsic(e, "llvm.umax", field, fpsan_constant(x, 1));
    LLVMValueRef n = fpsan_constant(x, drop), raised = exponent;
    if (base > 1) {
        raised = fpsan_binary_intrinsic(e, "llvm.umax", exponent, fpsan_constant(x, base));
        LLVMValueRef more = lane_add_constant(e, lane_sub(e, raised, exponent), drop);
        n = fpsan_binary_intrinsic(e, "llvm.umin", more,
                                   fpsan_constant(x, in.mantissa + 2)); // further bits change nothing
    }
    LLVMValueRef rounded =
        lane_lshr(e, lane_add(e, significand, rounding_addend(e, rounding, significand, n, negative)), n);
    LLVMValueRef code = lane_add(e, rounded, lane_shl_constant(e, lane_sub_constant(e, raised, base), kept));
    code = lane_shl_constant(e, code, out.padding);
    if (power) // no field for the implicit bit; what is below 2^-127 becomes 2^-127
        code = lane_select(e, lane_compare_constant(e, LLVMIntULT, field, base), fpsan_constant(x, 0),
                           lane_sub_constant(e, code, 1));
    code = lane_select(e, is_above(e, code, out.largest), overflow_result(e, rounding, &out, negative), code);
    LLVMValueRef special = lane_select(e, is_above(e, magnitude, in.infinity), fpsan_constant(x, out.nan),
                                       fpsan_constant(x, out.infinity));
    code = lane_select(e, lane_compare_constant(e, LLVMIntUGE, magnitude, in.infinity), special, code);
    if (out.sign) code = with_sign(e, to, code, lane_and_constant(e, negative, out.sign));
    return fpsan_resize(e, code, lane_width(to), false);
}

// f32 or f64 with every NaN made the quiet one.
static LLVMValueRef quiet_bits(const FpsanEmit *e, FpsanFormat format, LLVMValueRef x) {
    FpsanLayout layout = fpsan_layout(format);
    LLVMValueRef is_nan = is_above(e, lane_and_constant(e, x, layout.magnitude), layout.infinity);
    return lane_select(e, is_nan, lane_or_constant(e, lane_and_constant(e, x, layout.sign), layout.nan), x);
}

LLVMValueRef fpsan_emit_convert_bits(const FpsanEmit *e, FpsanFormat from, FpsanFormat to, LLVMValueRef bits,
                                     FpsanRounding rounding) {
    // e8m0 reaches below f32's normal numbers, which narrow_bits would have to normalise.
    FpsanFormat wide = from == FPSAN_F64 || to == FPSAN_F64 || to == FPSAN_F8E8M0FNU ? FPSAN_F64 : FPSAN_F32;
    LLVMValueRef x = widen_bits(e, from, wide, bits);
    return to == wide ? quiet_bits(e, wide, x) : narrow_bits(e, wide, to, x, rounding);
}

LLVMValueRef fpsan_emit_scale_bits(const FpsanEmit *e, FpsanFormat from, FpsanFormat to, LLVMValueRef bits) {
    if (from != FPSAN_F8E8M0FNU) return fpsan_emit_convert_bits(e, from, to, bits, FPSAN_NEAREST_EVEN);
    if (to == FPSAN_F64) return power_to_wide(e, to, fpsan_layout(to).infinity, bits);
    // The exponent field of formats with 8 exponent bits; 255 makes it infinity, 0 the subnormal 2^-127.
    unsigned mantissa = fpsan_layout(to).mantissa;
    LLVMValueRef x = lane_shl_constant(e, fpsan_resize(e, bits, lane_width(to), false), mantissa);
    return fpsan_binary_intrinsic(e, "llvm.umax", x, fpsan_constant(x, (uint64_t)1 << (mantissa - 1)));
}

// ---- integers -------------------------------------------------------------------------------------------------------

static LLVMValueRef integer_to_float(const FpsanEmit *e, FpsanFormat wide, LLVMValueRef integer, bool is_signed) {
    LLVMTypeRef type = float_type_like(e, wide, integer);
    LLVMValueRef value =
        is_signed ? LLVMBuildSIToFP(e->builder, integer, type, "") : LLVMBuildUIToFP(e->builder, integer, type, "");
    return float_to_bits(e, wide, value);
}

// A 64-bit integer as a double, rounded to odd: of a magnitude of 2^53 or more the low 11 bits become one sticky bit.
// Rounding that to any format of fewer than 52 bits is rounding once.
static LLVMValueRef long_to_double(const FpsanEmit *e, LLVMValueRef integer, bool is_signed) {
    LLVMValueRef x = fpsan_resize(e, integer, 64, is_signed);
    LLVMValueRef sign = is_signed ? lane_ashr_constant(e, x, 63) : fpsan_constant(x, 0);
    LLVMValueRef magnitude = lane_negate_if(e, x, sign);
    LLVMValueRef is_large = lane_compare_constant(e, LLVMIntUGE, magnitude, (uint64_t)1 << 53);
    LLVMValueRef rest = lane_compare_constant(e, LLVMIntNE, lane_and_constant(e, magnitude, 2047), 0);
    LLVMValueRef sticky = LLVMBuildZExt(e->builder, rest, LLVMTypeOf(x), "");
    LLVMValueRef cut = lane_or(e, lane_lshr_constant(e, magnitude, 11), sticky);
    LLVMValueRef bits = integer_to_float(e, FPSAN_F64, lane_select(e, is_large, cut, magnitude), false);
    LLVMValueRef eleven = lane_select(e, is_large, fpsan_constant(x, (uint64_t)11 << 52), fpsan_constant(x, 0));
    return lane_or(e, lane_add(e, bits, eleven), lane_and_constant(e, sign, (uint64_t)1 << 63));
}

LLVMValueRef fpsan_emit_integer_to_bits(const FpsanEmit *e, FpsanFormat to, LLVMValueRef integer, bool is_signed) {
    unsigned width = fpsan_element_bits(integer);
    if (to == FPSAN_F64 || to == FPSAN_F32) return integer_to_float(e, to, integer, is_signed);
    if (width > 53) return narrow_bits(e, FPSAN_F64, to, long_to_double(e, integer, is_signed), FPSAN_NEAREST_EVEN);
    FpsanFormat wide = width > 24 || to == FPSAN_F8E8M0FNU ? FPSAN_F64 : FPSAN_F32;
    return narrow_bits(e, wide, to, integer_to_float(e, wide, integer, is_signed), FPSAN_NEAREST_EVEN);
}

static LLVMValueRef float_constant(LLVMValueRef like, double value) {
    LLVMTypeRef type = LLVMTypeOf(like);
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    return fpsan_splat(LLVMConstReal(is_vector ? LLVMGetElementType(type) : type, value), like);
}

// What llvm.fpto{s,u}i.sat does, which LLVM 22 splits into lanes on x86: a value out of range is converted as 0 and
// then replaced.
static LLVMValueRef saturate_vector(const FpsanEmit *e, LLVMValueRef value, unsigned width, bool is_signed) {
    LLVMBuilderRef b = e->builder;
    double limit = 1; // one more than the largest integer
    for (unsigned i = 0; i < (is_signed ? width - 1 : width); i++) limit *= 2;
    LLVMValueRef zero = float_constant(value, 0), low = float_constant(value, is_signed ? -limit : 0);
    LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGE, value, float_constant(value, limit), "");
    LLVMValueRef below = LLVMBuildFCmp(b, LLVMRealOLT, value, low, "");
    LLVMValueRef number = LLVMBuildFCmp(b, LLVMRealORD, value, zero, "");
    LLVMValueRef outside = LLVMBuildOr(b, LLVMBuildOr(b, above, below, ""), LLVMBuildNot(b, number, ""), "");
    LLVMValueRef safe = LLVMBuildSelect(b, outside, zero, value, "");
    unsigned through = width <= 32 ? 32 : 64; // a narrower conversion would be widened anyway
    LLVMTypeRef type = fpsan_type_like(LLVMIntTypeInContext(e->context, through), value);
    LLVMValueRef result = is_signed ? LLVMBuildFPToSI(b, safe, type, "") : LLVMBuildFPToUI(b, safe, type, "");
    result = fpsan_resize(e, result, width, false);
    result = lane_select(e, above, fpsan_constant(result, fpsan_mask(is_signed ? width - 1 : width)), result);
    if (!is_signed) return result;
    return lane_select(e, below, fpsan_constant(result, (uint64_t)1 << (width - 1)), result);
}

LLVMValueRef fpsan_emit_bits_to_integer(const FpsanEmit *e, FpsanFormat from, LLVMValueRef bits, unsigned width,
                                        bool is_signed) {
    FpsanFormat wide = from == FPSAN_F64 ? FPSAN_F64 : FPSAN_F32;
    LLVMValueRef value = bits_to_float(e, wide, widen_bits(e, from, wide, bits));
    if (LLVMGetTypeKind(LLVMTypeOf(bits)) == LLVMVectorTypeKind) return saturate_vector(e, value, width, is_signed);
    LLVMTypeRef types[2] = {LLVMIntTypeInContext(e->context, width), LLVMTypeOf(value)};
    return fpsan_intrinsic(e, is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat", types, 2, &value, 1);
}
