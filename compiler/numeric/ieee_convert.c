// SPDX-License-Identifier: Apache-2.0
// Conversions of `ieee`: between float formats, and between floats and integers. Small formats are integer code on
// every target.
#include "compiler/numeric/numeric_internal.h"

#include <assert.h>

static LLVMTypeRef single_type(const NumericContext *cx) {
    return LLVMFloatTypeInContext(cx->context);
}
static LLVMTypeRef double_type(const NumericContext *cx) {
    return LLVMDoubleTypeInContext(cx->context);
}

static LLVMValueRef i32_like(LLVMValueRef like, uint32_t value) {
    return vector_integer_like(like, 32, value);
}

static bool is_single(FpsanFormat format) {
    return format == FPSAN_F32 || format == FPSAN_TF32;
}

// ---- widening -----------------------------------------------------------------------------------

// e8m0 byte b: 2^(b-127), a subnormal float for b = 0; 255 is NaN.
static LLVMValueRef widen_power(const NumericContext *cx, LLVMValueRef value) {
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef wide = vector_zext_or_trunc(cx, value, 32);
    LLVMValueRef bits = LLVMBuildShl(b, wide, i32_like(wide, 23), "");
    LLVMValueRef zero = LLVMBuildICmp(b, LLVMIntEQ, wide, i32_like(wide, 0), "");
    LLVMValueRef nan = LLVMBuildICmp(b, LLVMIntEQ, wide, i32_like(wide, 255), "");
    bits = LLVMBuildSelect(b, zero, i32_like(wide, 0x00400000), bits, "");
    bits = LLVMBuildSelect(b, nan, i32_like(wide, 0x7fc00000), bits, "");
    return vector_bitcast(cx, bits, single_type(cx));
}

// Formats with fewer exponent bits than float: the magnitude is moved so that its mantissa is a float's, and its
// exponent gets the other bias. Subnormal numbers get the exponent of the smallest normal one and so a leading one,
// which is subtracted. (Multiplying what was moved by a power of two is shorter, but slow: processors take long over
// subnormals, of which small formats have many.) Then infinities, NaNs and the sign.
static LLVMValueRef widen_small(const NumericContext *cx, FpsanFormat format, LLVMValueRef value) {
    LLVMBuilderRef b = cx->builder;
    const FpsanFormatInfo *info = fpsan_format_info(format);
    uint32_t magnitude_mask = (UINT32_C(1) << (info->exponent_bits + info->mantissa_bits)) - 1;
    uint32_t infinity = magnitude_mask >> info->mantissa_bits << info->mantissa_bits;
    unsigned shift = 23 - info->mantissa_bits;
    LLVMValueRef wide = vector_zext_or_trunc(cx, value, 32);
    LLVMValueRef magnitude = LLVMBuildAnd(b, wide, i32_like(wide, magnitude_mask), "");
    LLVMValueRef moved = LLVMBuildShl(b, magnitude, i32_like(wide, shift), "");
    uint32_t rebias = (uint32_t)(127 - info->bias) << 23, next = UINT32_C(1) << 23;
    LLVMValueRef bits = LLVMBuildAdd(b, moved, i32_like(wide, rebias), "");
    LLVMValueRef is_subnormal =
        LLVMBuildICmp(b, LLVMIntULT, magnitude, i32_like(wide, UINT32_C(1) << info->mantissa_bits), "");
    LLVMValueRef raised = LLVMBuildAdd(b, moved, i32_like(wide, rebias + next), "");
    LLVMValueRef one = vector_real_like(wide, single_type(cx), __builtin_ldexp(1.0, 1 - info->bias));
    LLVMValueRef small = LLVMBuildFSub(b, vector_bitcast(cx, raised, single_type(cx)), one, "");
    bits = LLVMBuildSelect(b, is_subnormal, vector_bitcast(cx, small, LLVMInt32TypeInContext(cx->context)), bits, "");
    if (info->specials == FPSAN_IEEE) {
        LLVMValueRef is_infinity = LLVMBuildICmp(b, LLVMIntEQ, magnitude, i32_like(wide, infinity), "");
        bits = LLVMBuildSelect(b, is_infinity, i32_like(wide, 0x7f800000), bits, "");
    }
    if (info->specials == FPSAN_IEEE || info->specials == FPSAN_FN) {
        uint32_t last_number = info->specials == FPSAN_IEEE ? infinity : magnitude_mask - 1;
        LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntUGT, magnitude, i32_like(wide, last_number), "");
        LLVMValueRef nan = LLVMBuildOr(b, moved, i32_like(wide, 0x7fc00000), "");
        bits = LLVMBuildSelect(b, is_nan, nan, bits, "");
    }
    if (info->specials == FPSAN_FNUZ) {
        LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntEQ, wide, i32_like(wide, magnitude_mask + 1), "");
        bits = LLVMBuildSelect(b, is_nan, i32_like(wide, 0x7fc00000), bits, "");
    }
    if (info->is_signed) {
        LLVMValueRef sign = LLVMBuildAnd(b, wide, i32_like(wide, magnitude_mask + 1), "");
        sign = LLVMBuildShl(b, sign, i32_like(wide, 31 - info->exponent_bits - info->mantissa_bits), "");
        bits = LLVMBuildOr(b, bits, sign, "");
    }
    return vector_bitcast(cx, bits, single_type(cx));
}

LLVMValueRef ieee_to_single(const NumericContext *cx, FpsanFormat format, LLVMValueRef value) {
    assert(format != FPSAN_F64);
    if (is_single(format)) return value;
    if (format == FPSAN_F8E8M0FNU) return widen_power(cx, value);
    if (format == FPSAN_BF16) {
        LLVMValueRef wide = vector_zext_or_trunc(cx, value, 32);
        return vector_bitcast(cx, LLVMBuildShl(cx->builder, wide, i32_like(wide, 16), ""), single_type(cx));
    }
    return widen_small(cx, format, value);
}

LLVMValueRef ieee_to_double(const NumericContext *cx, FpsanFormat format, LLVMValueRef value) {
    if (format == FPSAN_F64) return value;
    return LLVMBuildFPExt(cx->builder, ieee_to_single(cx, format, value), vector_type_like(double_type(cx), value), "");
}

// ---- narrowing ----------------------------------------------------------------------------------

// bf16 and tf32 are floats without their low `drop` bits: add what carries into the kept bits, then drop. The carry out
// of a mantissa raises the exponent, up to infinity. NaN: quiet, and its low bits cleared so that nothing carries.
static LLVMValueRef narrow_top(const NumericContext *cx, LLVMValueRef bits, unsigned drop, FpsanRounding rounding) {
    LLVMBuilderRef b = cx->builder;
    uint32_t low = (UINT32_C(1) << drop) - 1, half = UINT32_C(1) << (drop - 1);
    LLVMValueRef magnitude = LLVMBuildAnd(b, bits, i32_like(bits, 0x7fffffff), "");
    LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntUGT, magnitude, i32_like(bits, 0x7f800000), "");
    LLVMValueRef carry = NULL;
    switch (rounding) {
    case FPSAN_NEAREST_EVEN:
        carry = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, i32_like(bits, drop), ""), i32_like(bits, 1), "");
        carry = LLVMBuildAdd(b, carry, i32_like(bits, half - 1), "");
        break;
    case FPSAN_NEAREST_AWAY: carry = i32_like(bits, half); break;
    case FPSAN_ROUNDING_COUNT:
    case FPSAN_TOWARD_ZERO: break;
    case FPSAN_TOWARD_NEGATIVE:
    case FPSAN_TOWARD_POSITIVE: {
        LLVMValueRef sign = LLVMBuildAShr(b, bits, i32_like(bits, 31), "");
        if (rounding == FPSAN_TOWARD_POSITIVE) sign = LLVMBuildNot(b, sign, "");
        carry = LLVMBuildAnd(b, sign, i32_like(bits, low), "");
        break;
    }
    }
    LLVMValueRef rounded = carry ? LLVMBuildAdd(b, bits, carry, "") : bits;
    LLVMValueRef sign = LLVMBuildAnd(b, bits, i32_like(bits, 0x80000000), "");
    LLVMValueRef nan = LLVMBuildOr(b, sign, i32_like(bits, 0x7fc00000), "");
    return LLVMBuildSelect(b, is_nan, nan, rounded, "");
}

// Float bits to f16 bits (in 32), to nearest even. Normal results: rebias, add half an ulp (less a bit if even), shift;
// the carry may make an infinity. Subnormal results: adding 0.5 puts the f16 ulp at the float's last place, so the
// addition itself rounds.
static LLVMValueRef narrow_half(const NumericContext *cx, LLVMValueRef bits) {
    LLVMBuilderRef b = cx->builder;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(cx->context);
    LLVMValueRef magnitude = LLVMBuildAnd(b, bits, i32_like(bits, 0x7fffffff), "");
    LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, i32_like(bits, 13), ""), i32_like(bits, 1), "");
    LLVMValueRef normal = LLVMBuildAdd(b, magnitude, i32_like(bits, ((UINT32_C(15) - 127) << 23) + 0xfff), "");
    normal = LLVMBuildLShr(b, LLVMBuildAdd(b, normal, odd, ""), i32_like(bits, 13), "");
    LLVMValueRef half = vector_real_like(bits, single_type(cx), 0.5);
    LLVMValueRef small = LLVMBuildFAdd(b, vector_bitcast(cx, magnitude, single_type(cx)), half, "");
    small = LLVMBuildSub(b, vector_bitcast(cx, small, i32), i32_like(bits, 0x3f000000), "");
    LLVMValueRef is_small = LLVMBuildICmp(b, LLVMIntULT, magnitude, i32_like(bits, 0x38800000), ""); // 2^-14
    LLVMValueRef result = LLVMBuildSelect(b, is_small, small, normal, "");
    LLVMValueRef is_large = LLVMBuildICmp(b, LLVMIntUGE, magnitude, i32_like(bits, 0x47800000), ""); // 2^16
    result = LLVMBuildSelect(b, is_large, i32_like(bits, 0x7c00), result, "");
    LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntUGT, magnitude, i32_like(bits, 0x7f800000), "");
    result = LLVMBuildSelect(b, is_nan, i32_like(bits, 0x7e00), result, "");
    LLVMValueRef sign = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, i32_like(bits, 16), ""), i32_like(bits, 0x8000), "");
    return LLVMBuildOr(b, result, sign, "");
}

LLVMValueRef ieee_from_single(const NumericContext *cx, FpsanFormat format, LLVMValueRef single,
                              FpsanRounding rounding) {
    LLVMValueRef bits = ieee_bits(cx, FPSAN_F32, single);
    FpsanEmit e = numeric_emit(cx);
    switch (format) {
    case FPSAN_F32: return single;
    case FPSAN_F64: return LLVMBuildFPExt(cx->builder, single, vector_type_like(double_type(cx), single), "");
    case FPSAN_TF32: return ieee_value(cx, FPSAN_TF32, narrow_top(cx, bits, 13, rounding));
    case FPSAN_BF16: {
        LLVMValueRef top = narrow_top(cx, bits, 16, rounding);
        return vector_zext_or_trunc(cx, LLVMBuildLShr(cx->builder, top, i32_like(bits, 16), ""), 16);
    }
    case FPSAN_F16:
        if (rounding == FPSAN_NEAREST_EVEN) return vector_zext_or_trunc(cx, narrow_half(cx, bits), 16);
        break;
    default: break;
    }
    return ieee_value(cx, format, fpsan_emit_convert_bits(&e, FPSAN_F32, format, bits, rounding));
}

LLVMValueRef ieee_from_double(const NumericContext *cx, FpsanFormat format, LLVMValueRef value,
                              FpsanRounding rounding) {
    FpsanEmit e = numeric_emit(cx);
    if (format == FPSAN_F64) return value;
    if (format == FPSAN_F32 && rounding == FPSAN_NEAREST_EVEN)
        return LLVMBuildFPTrunc(cx->builder, value, vector_type_like(single_type(cx), value), "");
    return ieee_value(cx, format,
                      fpsan_emit_convert_bits(&e, FPSAN_F64, format, ieee_bits(cx, FPSAN_F64, value), rounding));
}

// ---- saturation ---------------------------------------------------------------------------------

static double largest_number(FpsanFormat format) {
    return fpsan_decode(format, fpsan_encode_saturating(format, __builtin_inf(), FPSAN_TOWARD_ZERO));
}

// A float or double within the range of the format, which must have all numbers of the format. Rounding it then cannot
// leave the range. A NaN stays one; formats without NaN have their largest number for it.
static LLVMValueRef saturate(const NumericContext *cx, FpsanFormat to, LLVMValueRef x) {
    LLVMBuilderRef b = cx->builder;
    LLVMTypeRef type = vector_element(LLVMTypeOf(x));
    LLVMValueRef most = vector_real_like(x, type, largest_number(to)),
                 least = vector_real_like(x, type, -largest_number(to));
    bool has_nan = fpsan_format_info(to)->specials != FPSAN_FINITE;
    x = LLVMBuildSelect(b, LLVMBuildFCmp(b, has_nan ? LLVMRealOGT : LLVMRealUGT, x, most, ""), most, x, "");
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, x, least, ""), least, x, "");
}

static LLVMValueRef saturate_integer(const NumericContext *cx, FpsanFormat to, LLVMValueRef x, bool is_signed) {
    LLVMBuilderRef b = cx->builder;
    unsigned bits = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(x)));
    // What rounds to more than the largest number ends there in formats without NaN, the only ones whose largest number
    // is no integer.
    double largest = __builtin_ceil(largest_number(to));
    assert(largest == largest_number(to) || fpsan_format_info(to)->specials == FPSAN_FINITE);
    if (largest < __builtin_ldexp(1, (int)(bits - is_signed))) {
        LLVMValueRef most = vector_integer_like(x, bits, (uint64_t)largest);
        x = LLVMBuildSelect(b, LLVMBuildICmp(b, is_signed ? LLVMIntSGT : LLVMIntUGT, x, most, ""), most, x, "");
    }
    if (is_signed && largest <= __builtin_ldexp(1, (int)bits - 1)) {
        LLVMValueRef least = vector_integer_like(x, bits, -(uint64_t)largest);
        x = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, x, least, ""), least, x, "");
    }
    return x;
}

// ---- between floats -----------------------------------------------------------------------------

// A pair of lanes as the i16 that the instruction makes of it; `high` NULL: of one lane.
static LLVMValueRef narrow_pair(const NumericContext *cx, const char *name, LLVMValueRef low, LLVMValueRef high) {
    LLVMTypeRef type = LLVMTypeOf(low);
    if (!high) high = LLVMConstNull(type);
    if (LLVMGetTypeKind(type) == LLVMFloatTypeKind)
        return vector_intrinsic_of(cx, name, NULL, 0, (LLVMValueRef[]){high, low}, 2);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(cx->context);
    LLVMValueRef pair = LLVMGetUndef(LLVMVectorType(type, 2));
    pair = LLVMBuildInsertElement(cx->builder, pair, low, LLVMConstInt(i32, 0, 0), "");
    pair = LLVMBuildInsertElement(cx->builder, pair, high, LLVMConstInt(i32, 1, 0), "");
    return vector_intrinsic_of(cx, name, NULL, 0, &pair, 1);
}

// Where the machine has an instruction for the conversion of pairs: the bits of the result in place of *value.
static bool narrow_by_instruction(const NumericContext *cx, const FloatOp *op, LLVMValueRef *value) {
    const FpsanFormat through =
        op->operand == FPSAN_F16 ? FPSAN_F16 : FPSAN_F32; // which has all numbers of the operand
    const char *name = machine_narrowing(&cx->machine, through, op->result);
    if (!name || op->operand == FPSAN_F64 || op->rounding != FPSAN_NEAREST_EVEN || !op->saturating) return false;
    LLVMBuilderRef b = cx->builder;
    LLVMTypeRef i8 = LLVMInt8TypeInContext(cx->context), i16 = LLVMInt16TypeInContext(cx->context),
                i32 = LLVMInt32TypeInContext(cx->context);
    LLVMValueRef x = through == FPSAN_F16 ? vector_bitcast(cx, *value, LLVMHalfTypeInContext(cx->context))
                                          : ieee_to_single(cx, op->operand, *value);
    const unsigned lanes = vector_lanes(x);
    if (!lanes) {
        *value = LLVMBuildTrunc(b, narrow_pair(cx, name, x, NULL), i8, "");
        return true;
    }
    LLVMValueRef result = LLVMGetUndef(LLVMVectorType(i8, lanes));
    for (unsigned i = 0; i < lanes; i += 2) {
        LLVMValueRef high = NULL, low = LLVMBuildExtractElement(b, x, LLVMConstInt(i32, i, 0), "");
        if (i + 1 < lanes) high = LLVMBuildExtractElement(b, x, LLVMConstInt(i32, i + 1, 0), "");
        LLVMValueRef bytes = narrow_pair(cx, name, low, high);
        for (unsigned k = 0; k < 2 && i + k < lanes; k++) {
            LLVMValueRef byte = LLVMBuildLShr(b, bytes, LLVMConstInt(i16, 8 * k, 0), "");
            byte = LLVMBuildTrunc(b, byte, i8, "");
            result = LLVMBuildInsertElement(b, result, byte, LLVMConstInt(i32, i + k, 0), "");
        }
    }
    *value = result;
    return true;
}

bool ieee_convert(const NumericContext *cx, const FloatOp *op, const NumericValue *value, NumericValue *result) {
    const FpsanFormat from = op->operand, to = op->result;
    LLVMValueRef x = value->parts[0];
    if (!numeric_honours(cx, op, "conversions", ROUNDINGS_ALL, FLOAT_FLUSH_TO_ZERO | FLOAT_SATURATING)) return false;
    if (op->flush_to_zero && !(from == FPSAN_F32 && to == FPSAN_F64) && !(from == FPSAN_F64 && to == FPSAN_F32))
        return numeric_refuse(cx, "flush_to_zero is for conversions between f32 and f64, not from %s to %s",
                              fpsan_format_info(from)->name, fpsan_format_info(to)->name);
    if (op->flush_to_zero && from == FPSAN_F32) x = ieee_flush(cx, x);
    const bool changes = from != to || (op->saturating && fpsan_format_info(to)->specials == FPSAN_IEEE);
    if (changes && !narrow_by_instruction(cx, op, &x)) {
        const bool wide = from == FPSAN_F64 || (to == FPSAN_F64 && op->saturating);
        x = wide ? ieee_to_double(cx, from, x) : ieee_to_single(cx, from, x);
        if (op->saturating) x = saturate(cx, to, x);
        x = wide ? ieee_from_double(cx, to, x, op->rounding) : ieee_from_single(cx, to, x, op->rounding);
    }
    if (op->flush_to_zero && to == FPSAN_F32) x = ieee_flush(cx, x);
    *result = (NumericValue){.parts = {x}};
    return true;
}

// ---- integers -----------------------------------------------------------------------------------

bool ieee_from_integer(const NumericContext *cx, const FloatOp *op, const NumericValue *value, NumericValue *result) {
    FpsanEmit e = numeric_emit(cx);
    const FpsanFormat format = op->result;
    const bool is_signed = op->is_signed;
    if (!numeric_honours(cx, op, "conversions from integer to float", ROUNDING_NEAREST, 0)) return false;
    LLVMValueRef integer = value->parts[0], real;
    if (format == FPSAN_F32 || format == FPSAN_F64) {
        LLVMTypeRef type = vector_type_like(format == FPSAN_F32 ? single_type(cx) : double_type(cx), integer);
        real = is_signed ? LLVMBuildSIToFP(cx->builder, integer, type, "")
                         : LLVMBuildUIToFP(cx->builder, integer, type, "");
    } else {
        if (float_conversion(format, format).saturating) integer = saturate_integer(cx, format, integer, is_signed);
        real = fpsan_emit_integer_to_bits(&e, format, integer, is_signed);
        if (!real) return numeric_refuse(cx, "no conversion from integer to %s", fpsan_format_info(format)->name);
        real = ieee_value(cx, format, real);
    }
    *result = (NumericValue){.parts = {real}};
    return true;
}

bool ieee_to_integer(const NumericContext *cx, const FloatOp *op, LLVMTypeRef type, const NumericValue *value,
                     NumericValue *result) {
    if (!numeric_honours(cx, op, "conversions from float to integer", 1u << FPSAN_TOWARD_ZERO, FLOAT_SATURATING))
        return false;
    FpsanEmit e = numeric_emit(cx);
    LLVMValueRef bits = ieee_bits(cx, op->operand, value->parts[0]);
    result->parts[0] = fpsan_emit_bits_to_integer(&e, op->operand, bits, LLVMGetIntTypeWidth(type), op->is_signed);
    return true;
}

// x > lowest - 1 and x < highest + 1; where the format has no number between lowest - 1 and lowest, x >= lowest.
LLVMValueRef ieee_fits_integer(const NumericContext *cx, const FloatOp *op, LLVMTypeRef type,
                               const NumericValue *value) {
    LLVMBuilderRef b = cx->builder;
    const FpsanFormat format = op->operand;
    const bool is_signed = op->is_signed;
    LLVMValueRef x = format == FPSAN_F64 ? value->parts[0] : ieee_to_single(cx, format, value->parts[0]);
    LLVMTypeRef real = vector_element(LLVMTypeOf(x));
    int bits = (int)LLVMGetIntTypeWidth(type);
    double lowest = is_signed ? -__builtin_ldexp(1, bits - 1) : 0, end = __builtin_ldexp(1, bits - is_signed);
    bool exact = bits < (format == FPSAN_F64 ? 53 : 24);
    LLVMValueRef above = LLVMBuildFCmp(b, exact ? LLVMRealOGT : LLVMRealOGE, x,
                                       vector_real_like(x, real, exact ? lowest - 1 : lowest), "");
    if (!is_signed) above = LLVMBuildFCmp(b, LLVMRealOGT, x, vector_real_like(x, real, -1), "");
    return LLVMBuildAnd(b, above, LLVMBuildFCmp(b, LLVMRealOLT, x, vector_real_like(x, real, end), ""), "");
}
