// SPDX-License-Identifier: Apache-2.0
// Dots of `ieee`: operands of every format up to f32 are multiplied and summed in float (one rounding a step where the
// machine has fused multiply-add), f64 in double. An f16 or bf16 accumulator is kept in float and rounded once at the
// end.
#include "compiler/numeric/numeric_internal.h"

bool ieee_dot_plan(const NumericContext *cx, FpsanFormat operand, FpsanFormat accumulator, unsigned part,
                   NumericDot *plan) {
    bool wide = accumulator == FPSAN_F64;
    bool known = wide || accumulator == FPSAN_F32 || accumulator == FPSAN_F16 || accumulator == FPSAN_BF16;
    if (!known || (operand == FPSAN_F64 && !wide))
        return numeric_refuse(cx, "no dot of %s into %s", fpsan_format_info(operand)->name,
                              fpsan_format_info(accumulator)->name);
    LLVMTypeRef type = wide ? LLVMDoubleTypeInContext(cx->context) : LLVMFloatTypeInContext(cx->context);
    *plan = (NumericDot){.operand_format = operand,
                         .accumulator_format = accumulator,
                         .part = part,
                         .operand_type = type,
                         .accumulator_type = type,
                         .group = 1};
    return true;
}

static LLVMValueRef widen(const NumericContext *cx, const NumericDot *plan, FpsanFormat format, LLVMValueRef part) {
    return plan->accumulator_format == FPSAN_F64 ? ieee_to_double(cx, format, part) : ieee_to_single(cx, format, part);
}

LLVMValueRef ieee_dot_operand(const NumericContext *cx, const NumericDot *plan, unsigned piece,
                              const NumericValue *value) {
    (void)piece;
    return widen(cx, plan, plan->operand_format, value->parts[0]);
}

LLVMValueRef ieee_dot_begin(const NumericContext *cx, const NumericDot *plan, LLVMValueRef part) {
    return widen(cx, plan, plan->accumulator_format, part);
}

LLVMValueRef ieee_dot_end(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator) {
    if (plan->accumulator_format == FPSAN_F64) return accumulator;
    return ieee_from_single(cx, plan->accumulator_format, accumulator, FPSAN_NEAREST_EVEN);
}

LLVMValueRef ieee_dot_step(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator, LLVMValueRef a,
                           LLVMValueRef b) {
    (void)plan;
    // Without the instruction llvm.fma is a library call per lane; a rounded product keeps the usual bound of a sum.
    if (cx->machine.x86 && !cx->machine.fma)
        return LLVMBuildFAdd(cx->builder, accumulator, LLVMBuildFMul(cx->builder, a, b, ""), "");
    return vector_intrinsic(cx, "llvm.fma", (LLVMValueRef[]){a, b, accumulator}, 3);
}

// ---- block-scaled dots ----------------------------------------------------------------------------------------------

FpsanFormat ieee_scaled_format(FpsanFormat a, FpsanFormat b) {
    (void)a;
    (void)b;
    return FPSAN_F32;
}

// An f8 or f4 number times a power of two from 2^-127 on, or an f4 number times an e4m3 scale, is a float exactly,
// unless it is too large for one: then it is an infinity.
bool ieee_scaled_operand(const NumericContext *cx, FpsanFormat format, FpsanFormat scale_format, FpsanFormat compute,
                         const NumericValue *value, const NumericValue *scale, NumericValue *result) {
    (void)compute;
    LLVMValueRef x = ieee_to_single(cx, format, value->parts[0]),
                 factor = ieee_to_single(cx, scale_format, scale->parts[0]);
    *result = (NumericValue){.parts = {LLVMBuildFMul(cx->builder, x, factor, "")}};
    return true;
}
