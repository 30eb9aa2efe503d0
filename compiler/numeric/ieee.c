// SPDX-License-Identifier: Apache-2.0
// The numeric `ieee`: real floats in registers, constants, real bits. Arithmetic, conversions, functions and dots are
// in ieee_*.c.
#include "compiler/numeric/numeric_internal.h"

// f32 and tf32 are float, f64 is double, the small formats are integers that hold their bits.
static LLVMTypeRef ieee_part_type(const NumericContext *cx, FpsanFormat format, unsigned part) {
    (void)part;
    switch (format) {
    case FPSAN_F64: return LLVMDoubleTypeInContext(cx->context);
    case FPSAN_F32:
    case FPSAN_TF32: return LLVMFloatTypeInContext(cx->context);
    default: return LLVMIntTypeInContext(cx->context, fpsan_format_info(format)->lane_bits);
    }
}

LLVMValueRef ieee_bits(const NumericContext *cx, FpsanFormat format, LLVMValueRef value) {
    return vector_bitcast(cx, value, LLVMIntTypeInContext(cx->context, fpsan_format_info(format)->lane_bits));
}

LLVMValueRef ieee_value(const NumericContext *cx, FpsanFormat format, LLVMValueRef bits) {
    // tf32 has no more than its upper 19 bits; whatever memory holds below them is no part of the number.
    if (format == FPSAN_TF32) bits = LLVMBuildAnd(cx->builder, bits, vector_integer_like(bits, 32, 0xffffe000), "");
    return vector_bitcast(cx, bits, ieee_part_type(cx, format, 0));
}

static NumericValue ieee_from_bits(const NumericContext *cx, FpsanFormat format, LLVMValueRef bits) {
    return (NumericValue){.parts = {ieee_value(cx, format, bits)}};
}

static LLVMValueRef ieee_to_bits(const NumericContext *cx, FpsanFormat format, const NumericValue *value) {
    return ieee_bits(cx, format, value->parts[0]);
}

static NumericValue ieee_constant(const NumericContext *cx, FpsanFormat format, uint64_t bits) {
    LLVMTypeRef type = LLVMIntTypeInContext(cx->context, fpsan_format_info(format)->lane_bits);
    return ieee_from_bits(cx, format, LLVMConstInt(type, bits, 0));
}

static NumericValue ieee_from_planes(const NumericContext *cx, FpsanFormat format, const LLVMValueRef *planes) {
    return ieee_from_bits(cx, format, planes[0]);
}

static void ieee_to_planes(const NumericContext *cx, FpsanFormat format, const NumericValue *value,
                           LLVMValueRef *planes) {
    planes[0] = ieee_to_bits(cx, format, value);
}

const NumericDots ieee_dots = {
    .plan = ieee_dot_plan,
    .operand = ieee_dot_operand,
    .begin = ieee_dot_begin,
    .end = ieee_dot_end,
    .step = ieee_dot_step,
    .matrix = ieee_dot_matrix,
    .scaled_format = ieee_scaled_format,
    .scaled_operand = ieee_scaled_operand,
};

const Numeric numeric_ieee = {
    .name = "ieee",
    .honours = FLOAT_FLUSH_TO_ZERO | FLOAT_SATURATING | FLOAT_PROPAGATE_NAN,
    .part_count = 1,
    .integer_parts = 1,
    .part_type = ieee_part_type,
    .constant = ieee_constant,
    .from_planes = ieee_from_planes,
    .to_planes = ieee_to_planes,
    .to_bits = ieee_to_bits,
    .from_bits = ieee_from_bits,
    .apply = ieee_apply,
    .convert = ieee_convert,
    .from_integer = ieee_from_integer,
    .to_integer = ieee_to_integer,
    .fits_integer = ieee_fits_integer,
    .compare = ieee_compare,
    .goes_with_flushing = ieee_goes_with_flushing,
    .dots = &ieee_dots,
};
