// SPDX-License-Identifier: Apache-2.0
// Dots of `ieee`: operands of every format up to f32 are multiplied and summed in float (one rounding a step where the
// machine has fused multiply-add), f64 in double. An f16 or bf16 accumulator is kept in float and rounded once at the
// end.
#include "compiler/numeric/numeric_internal.h"

bool ieee_dot_plan(const NumericContext *cx, const FloatOp *op, unsigned part, NumericDot *plan) {
    const FpsanFormat operand = op->operand, accumulator = op->result;
    bool wide = accumulator == FPSAN_F64;
    bool known = wide || accumulator == FPSAN_F32 || accumulator == FPSAN_F16 || accumulator == FPSAN_BF16;
    if (!known || (operand == FPSAN_F64 && !wide))
        return numeric_refuse(cx, "no dot of %s into %s", fpsan_format_info(operand)->name,
                              fpsan_format_info(accumulator)->name);
    if (!numeric_honours(cx, op, "dots", ROUNDING_NEAREST, 0)) return false;
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

bool ieee_dot_matrix(const NumericContext *cx, NumericDot *plan) {
    const MachineMatrix *unit = machine_matrix(&cx->machine, plan->operand_format);
    if (!unit || plan->accumulator_format == FPSAN_F64) return false;
    plan->matrix = NUMERIC_MATRIX_FLOATS;
    plan->matrix_format = unit->multiplied;
    plan->matrix_instruction = unit->name;
    plan->operand_type = LLVMIntTypeInContext(cx->context, fpsan_format_info(unit->multiplied)->storage_bits);
    return true;
}

// The bits that a matrix unit reads.
static LLVMValueRef matrix_operand(const NumericContext *cx, const NumericDot *plan, LLVMValueRef value) {
    FpsanFormat format = plan->operand_format;
    if (plan->matrix_format != format)
        value = ieee_from_single(cx, plan->matrix_format, ieee_to_single(cx, format, value), FPSAN_NEAREST_EVEN);
    return format == FPSAN_TF32 ? vector_bitcast(cx, value, plan->operand_type) : value;
}

LLVMValueRef ieee_dot_operand(const NumericContext *cx, const NumericDot *plan, unsigned piece,
                              const NumericValue *value) {
    (void)piece;
    if (plan->matrix) return matrix_operand(cx, plan, value->parts[0]);
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
    if (!cx->machine.fuses) return LLVMBuildFAdd(cx->builder, accumulator, LLVMBuildFMul(cx->builder, a, b, ""), "");
    return vector_intrinsic(cx, "llvm.fma", (LLVMValueRef[]){a, b, accumulator}, 3);
}

// ---- block-scaled dots ----------------------------------------------------------------------------------------------

// bf16 has the range of f32, and eight bits hold every product of an operand and its scale: GPUs multiply that fastest.
// Bits below 2^-133 are lost (docs/limits.md).
FpsanFormat ieee_scaled_format(const NumericContext *cx, FpsanFormat a, FpsanFormat b) {
    (void)a;
    (void)b;
    return cx->machine.scaled_format;
}

// An f8 or f4 number times a power of two from 2^-127 on, or an f4 number times an e4m3 scale, is a float exactly,
// unless it is too large for one: then it is an infinity.
bool ieee_scaled_operand(const NumericContext *cx, const FloatOp *op, FpsanFormat scale_format,
                         const NumericValue *value, const NumericValue *scale, NumericValue *result) {
    LLVMValueRef x = ieee_to_single(cx, op->operand, value->parts[0]),
                 factor = ieee_to_single(cx, scale_format, scale->parts[0]);
    LLVMValueRef product = LLVMBuildFMul(cx->builder, x, factor, "");
    if (op->result != FPSAN_F32)
        product = ieee_from_single(cx, op->result, product, FPSAN_NEAREST_EVEN); // exact from 2^-126 on
    *result = (NumericValue){.parts = {product}};
    return true;
}
