// SPDX-License-Identifier: Apache-2.0
// Float arithmetic: sums, products, quotients, roots, functions, minima and maxima, signs.
//
// Payload arithmetic has a rule for each, whatever the modifiers say of rounding and subnormal numbers. A literal -0.0
// that is added is no addend there: compilers write a * b as fma(a, b, -0.0), and the payload of -0.0 is not 0.
#include "compiler/warp/lane_floats.h"

#include <assert.h>

// ---- what words say

FpsanRounding lane_rounding(const PtxInstruction *instruction) {
    switch (ptx_find(instruction, PTX_SET_rounding)) {
    case PTX_WORD_rz: return FPSAN_TOWARD_ZERO;
    case PTX_WORD_rm: return FPSAN_TOWARD_NEGATIVE;
    case PTX_WORD_rp: return FPSAN_TOWARD_POSITIVE;
    case PTX_WORD_rna: return FPSAN_NEAREST_AWAY;
    default: return FPSAN_NEAREST_EVEN;
    }
}

static FloatImplementation implementation_said(const PtxInstruction *instruction) {
    if (ptx_has(instruction, PTX_WORD_full)) return FLOAT_FULL_RANGE_DIVISION;
    return ptx_has(instruction, PTX_WORD_approx) ? FLOAT_APPROXIMATED : FLOAT_EXACT;
}

static FloatOp lane_float_op(const PtxInstruction *instruction, FpsanRule rule, FpsanFormat format) {
    FloatOp op = float_rule(rule, format);
    op.rounding = lane_rounding(instruction);
    op.flush_to_zero = ptx_has(instruction, PTX_WORD_ftz) && format != FPSAN_F64;
    op.propagate_nan = ptx_has(instruction, PTX_WORD_NaN);
    // Doubles have no approximate implementation: theirs is exact.
    if (format != FPSAN_F64) op.implementation = implementation_said(instruction);
    return op;
}

// ---- operands

bool lane_literal(LaneCode *code, const PtxOperand *operand, PtxType type, uint64_t *bits) {
    if (operand->kind != PTX_REGISTER) return lane_literal_bits(operand, type, bits);
    *bits = code->plan.registers[operand->index].literal;
    return code->plan.registers[operand->index].is_literal;
}

static NumericValue read_operand(LaneCode *code, const PtxOperand *operand, PtxType type) {
    const PtxTypeInfo *info = ptx_type_info(type);
    return lane_read_float(code, operand, info->format, info->elements);
}

// Elements that are -0.0 become +0.0, whose payload is 0.
static NumericValue read_addend(LaneCode *code, const PtxOperand *operand, PtxType type) {
    const PtxTypeInfo *info = ptx_type_info(type);
    const unsigned width = info->bits / info->elements;
    const uint64_t minus_zero = UINT64_C(1) << (width - 1);
    uint64_t bits, mask = minus_zero | (minus_zero - 1);
    bool changed = false;
    if (!lane_in_place(code) || !lane_literal(code, operand, type, &bits)) return read_operand(code, operand, type);
    for (unsigned i = 0; i < info->elements; i++)
        if ((bits >> (i * width) & mask) == minus_zero) {
            bits ^= minus_zero << (i * width);
            changed = true;
        }
    if (!changed) return read_operand(code, operand, type);
    const PtxOperand zero = {.kind = PTX_INTEGER, .bits = bits};
    return lane_read_float(code, &zero, info->format, info->elements);
}

// ---- modifiers of results

static bool apply_constant(LaneCode *code, FpsanRule rule, bool nan_wins, FpsanFormat format, uint64_t bits,
                           NumericValue *value) {
    const unsigned elements = vector_lanes(value->parts[0]) / WARP_LANES;
    const NumericValue operands[2] = {*value, lane_float_constant(code, format, elements, bits)};
    FloatOp op = float_rule(rule, format);
    op.propagate_nan = nan_wins;
    return lane_apply(code, &op, operands, 2, value);
}

bool lane_relu(LaneCode *code, FpsanFormat format, NumericValue *value) {
    return apply_constant(code, FPSAN_RULE_MAX, true, format, 0, value);
}

bool lane_saturate(LaneCode *code, FpsanFormat format, NumericValue *value) {
    return apply_constant(code, FPSAN_RULE_MAX, false, format, 0, value) &&
           apply_constant(code, FPSAN_RULE_MIN, false, format, fpsan_format_info(format)->one, value);
}

NumericValue lane_flush_subnormals(LaneCode *code, FpsanFormat format, const NumericValue *value) {
    return lane_in_place(code) ? *value : lane_flush_value(&code->cx, format, value);
}

static bool finish_result(LaneCode *code, const PtxInstruction *instruction, PtxType type, NumericValue *value) {
    const PtxTypeInfo *info = ptx_type_info(type);
    if (ptx_has(instruction, PTX_WORD_relu) && !lane_relu(code, info->format, value)) return false;
    if (ptx_has(instruction, PTX_WORD_sat) && !lane_saturate(code, info->format, value)) return false;
    lane_write_float(code, &instruction->operands[0], info->format, info->elements, value);
    return true;
}

// ---- rules with one operand for each of the instruction

// `add`: which operands are added, bits by their number among those of the rule.
static const struct ArithmeticRow {
    PtxOp op;
    FpsanRule rule;
    unsigned added;
} arithmetic_rows[] = {
    {PTX_OP_add_float, FPSAN_RULE_ADD, 3}, {PTX_OP_add_mixed, FPSAN_RULE_ADD, 3}, {PTX_OP_sub_float, FPSAN_RULE_SUB, 3},
    {PTX_OP_sub_mixed, FPSAN_RULE_SUB, 3}, {PTX_OP_mul_float, FPSAN_RULE_MUL, 0}, {PTX_OP_fma, FPSAN_RULE_FMA, 4},
    {PTX_OP_fma_mixed, FPSAN_RULE_FMA, 4}, {PTX_OP_mad_float, FPSAN_RULE_FMA, 4}, {PTX_OP_neg_float, FPSAN_RULE_NEG, 0},
    {PTX_OP_abs_float, FPSAN_RULE_ABS, 0}, {PTX_OP_div_float, FPSAN_RULE_DIV, 0}, {PTX_OP_rsqrt, FPSAN_RULE_RSQRT, 0},
    {PTX_OP_sqrt, FPSAN_RULE_SQRT, 0},     {PTX_OP_sin, FPSAN_RULE_SIN, 0},       {PTX_OP_cos, FPSAN_RULE_COS, 0},
    {PTX_OP_lg2, FPSAN_RULE_LOG2, 0},      {PTX_OP_ex2, FPSAN_RULE_EXP2, 0},      {PTX_OP_tanh, FPSAN_RULE_TANH, 0},
};

static const struct ArithmeticRow *row_of(PtxOp op) {
    for (size_t i = 0; i < BASE_COUNT(arithmetic_rows); i++)
        if (arithmetic_rows[i].op == op) return &arithmetic_rows[i];
    assert(!"an instruction of arithmetic without a row");
    return arithmetic_rows;
}

// The algebra has two tags for roots: one for the float instruction that is correctly rounded, which programs ask for
// by name, one for all others.
static FpsanRule rule_said(const PtxInstruction *instruction, const struct ArithmeticRow *row, FpsanFormat format) {
    const bool exact_root = row->rule == FPSAN_RULE_SQRT && format == FPSAN_F32 && ptx_has(instruction, PTX_WORD_rn);
    return exact_root ? FPSAN_RULE_SQRT_RN : row->rule;
}

// 1.11.20: doubles of which the upper word counts, subnormal numbers are zeros. Of the operand, and of the result.
static NumericValue keep_upper_word(LaneCode *code, const NumericValue *value) {
    NumericValue flushed = lane_flush_subnormals(code, FPSAN_F64, value);
    LLVMValueRef bits = lane_bits_of_float(code, FPSAN_F64, &flushed);
    bits = LLVMBuildAnd(code->cx.builder, bits, lane_constant(code, 64, UINT64_C(0xffffffff00000000)), "");
    return lane_float_of_bits(code, FPSAN_F64, bits);
}

static bool is_gross(const LaneCode *code, const PtxInstruction *instruction) {
    return !lane_in_place(code) && instruction->types[0] == PTX_f64 && ptx_has(instruction, PTX_WORD_approx) &&
           ptx_has(instruction, PTX_WORD_ftz);
}

bool lane_is_exponential(LaneCode *code, const PtxInstruction *instruction, const PtxOperand **x, bool *negated) {
    if (!lane_in_place(code) || lane_lowering(instruction->op)->emit != lane_emit_arithmetic) return false;
    const FpsanRule rule = row_of(instruction->op)->rule;
    return (rule == FPSAN_RULE_MUL || rule == FPSAN_RULE_FMA) && instruction->types[0] == PTX_f32 &&
           lane_find_exponential(code, instruction, x, negated);
}

// A product that is exp(x): the first factor becomes that, the second 1.
static bool take_exponential(LaneCode *code, const PtxInstruction *instruction, NumericValue *factors) {
    const FloatOp negate = float_rule(FPSAN_RULE_NEG, FPSAN_F32), power = float_rule(FPSAN_RULE_EXP, FPSAN_F32);
    const PtxOperand *operand;
    bool negated;
    if (!lane_is_exponential(code, instruction, &operand, &negated)) return true;
    NumericValue x = lane_read_float(code, operand, FPSAN_F32, 1);
    if (negated && !lane_apply(code, &negate, &x, 1, &x)) return false;
    factors[1] = lane_float_constant(code, FPSAN_F32, 1, fpsan_format_info(FPSAN_F32)->one);
    return lane_apply(code, &power, &x, 1, &factors[0]);
}

bool lane_emit_arithmetic(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType type = (PtxType)instruction->types[0];
    const FpsanFormat format = ptx_type_info(type)->format;
    const struct ArithmeticRow *row = row_of(instruction->op);
    const FloatOp op = lane_float_op(instruction, rule_said(instruction, row, format), format);
    const unsigned count = fpsan_rule_info(op.rule)->operands;
    NumericValue operands[3], result;
    if (ptx_has(instruction, PTX_WORD_oob)) return lane_refuse(code, "the NaN that .oob looks for is not documented");
    for (unsigned i = 0; i < count; i++)
        operands[i] = row->added >> i & 1 ? read_addend(code, &instruction->operands[1 + i], type)
                                          : read_operand(code, &instruction->operands[1 + i], type);
    if (!take_exponential(code, instruction, operands)) return false;
    const bool gross = is_gross(code, instruction);
    if (gross) operands[0] = keep_upper_word(code, &operands[0]);
    if (!lane_apply(code, &op, operands, count, &result)) return false;
    if (gross) result = keep_upper_word(code, &result);
    return finish_result(code, instruction, type, &result);
}

bool lane_emit_reciprocal(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType type = (PtxType)instruction->types[0];
    const FpsanFormat format = ptx_type_info(type)->format;
    FloatOp op = lane_float_op(instruction, FPSAN_RULE_DIV, format);
    NumericValue operands[2] = {lane_float_constant(code, format, 1, fpsan_format_info(format)->one)}, result;
    if (op.implementation == FLOAT_APPROXIMATED) op.implementation = FLOAT_RECIPROCAL;
    operands[1] = read_operand(code, &instruction->operands[1], type);
    const bool gross = is_gross(code, instruction);
    if (gross) operands[1] = keep_upper_word(code, &operands[1]);
    if (!lane_apply(code, &op, operands, 2, &result)) return false;
    if (gross) result = keep_upper_word(code, &result);
    return finish_result(code, instruction, type, &result);
}

// ---- f32 arithmetic on operands of 16 bits

// All operands but the last are of the second type.
bool lane_emit_mixed(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType type = (PtxType)instruction->types[0], narrow = (PtxType)instruction->types[1];
    const struct ArithmeticRow *row = row_of(instruction->op);
    const FloatOp op = lane_float_op(instruction, row->rule, FPSAN_F32);
    const FloatOp widen = {.rule = FPSAN_RULE_COUNT, .operand = ptx_type_info(narrow)->format, .result = FPSAN_F32};
    const unsigned count = fpsan_rule_info(op.rule)->operands;
    NumericValue operands[3], result;
    for (unsigned i = 0; i + 1 < count; i++) {
        NumericValue value = read_operand(code, &instruction->operands[1 + i], narrow);
        if (!lane_convert(code, &widen, &value, &operands[i])) return false;
    }
    operands[count - 1] = read_addend(code, &instruction->operands[count], type);
    if (!lane_apply(code, &op, operands, count, &result)) return false;
    return finish_result(code, instruction, type, &result);
}

// ---- signs

// The magnitude of `magnitude` with the sign bit of `sign`, on real bits.
static bool body_copysign(NumericContext *cx, const void *data, const LLVMValueRef *operands, LLVMValueRef *result) {
    const FpsanFormat format = *(const FpsanFormat *)data;
    const unsigned width = fpsan_format_info(format)->bits;
    LLVMValueRef bits[2];
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t sign = UINT64_C(1) << (width - 1);
        bits[i] = cx->numeric->to_bits(cx, format, &(NumericValue){.parts = {operands[i]}});
        bits[i] = LLVMBuildAnd(cx->builder, bits[i], vector_integer_like(bits[i], width, i ? sign : sign - 1), "");
    }
    *result = cx->numeric->from_bits(cx, format, LLVMBuildOr(cx->builder, bits[0], bits[1], "")).parts[0];
    return true;
}

static NumericValue with_sign(LaneCode *code, FpsanFormat format, const NumericValue *magnitude,
                              const NumericValue *sign) {
    const char *name = format == FPSAN_F64   ? "copysign.f64"
                       : format == FPSAN_F32 ? "copysign.f32"
                       : format == FPSAN_F16 ? "copysign.f16"
                                             : "copysign.bf16";
    LLVMValueRef operands[2] = {magnitude->parts[0], sign->parts[0]};
    NumericValue result = {0};
    lane_call_shared(code, &(LaneShared){name, LLVMTypeOf(operands[0]), body_copysign, &format}, operands, 2,
                     &result.parts[0]);
    return result;
}

// copysign d, a, b: b with the sign of a.
bool lane_emit_copysign(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType type = (PtxType)instruction->types[0];
    const NumericValue sign = read_operand(code, &instruction->operands[1], type);
    const NumericValue magnitude = read_operand(code, &instruction->operands[2], type);
    NumericValue result = with_sign(code, ptx_type_info(type)->format, &magnitude, &sign);
    return finish_result(code, instruction, type, &result);
}

// ---- minima and maxima

// The xor of the signs of two values; the other bits of the result mean nothing. Payloads have the sign bit of the
// bits.
static NumericValue xor_signs(LaneCode *code, FpsanFormat format, const NumericValue *values) {
    LLVMValueRef bits[2];
    if (lane_in_place(code))
        return (NumericValue){.parts = {LLVMBuildXor(code->cx.builder, values[0].parts[0], values[1].parts[0], "")}};
    for (unsigned i = 0; i < 2; i++) bits[i] = lane_bits_of_float(code, format, &values[i]);
    return lane_float_of_bits(code, format, LLVMBuildXor(code->cx.builder, bits[0], bits[1], ""));
}

bool lane_emit_extreme(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType type = (PtxType)instruction->types[0];
    const FpsanFormat format = ptx_type_info(type)->format;
    const FpsanRule rule = instruction->op == PTX_OP_max_float ? FPSAN_RULE_MAX : FPSAN_RULE_MIN;
    const FloatOp op = lane_float_op(instruction, rule, format), magnitude = float_rule(FPSAN_RULE_ABS, format);
    const unsigned count = instruction->operand_count - 1u;
    NumericValue operands[3], sign = {0};
    assert(count == 2 || count == 3);
    for (unsigned i = 0; i < count; i++) operands[i] = read_operand(code, &instruction->operands[1 + i], type);
    if (ptx_has(instruction, PTX_WORD_xorsign)) sign = xor_signs(code, format, operands);
    for (unsigned i = 0; i < count && ptx_has(instruction, PTX_WORD_abs); i++)
        if (!lane_apply(code, &magnitude, &operands[i], 1, &operands[i])) return false;
    for (unsigned i = 1; i < count; i++) {
        const NumericValue pair[2] = {operands[0], operands[i]};
        if (!lane_apply(code, &op, pair, 2, &operands[0])) return false;
    }
    if (sign.parts[0]) operands[0] = with_sign(code, format, &operands[0], &sign);
    return finish_result(code, instruction, type, &operands[0]);
}
