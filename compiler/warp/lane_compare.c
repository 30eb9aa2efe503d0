// SPDX-License-Identifier: Apache-2.0
// Comparisons and properties of floats: setp, set, testp. They look at real bits in every numeric.
#include "compiler/warp/lane_floats.h"

#include <assert.h>

// ---- comparisons

static const struct ComparisonRow {
    PtxWord word;
    FpsanPredicate predicate;
    bool unordered;
} comparison_rows[] = {
    {PTX_WORD_eq, FPSAN_EQUAL, false},        {PTX_WORD_ne, FPSAN_NOT_EQUAL, false},
    {PTX_WORD_lt, FPSAN_LESS_THAN, false},    {PTX_WORD_le, FPSAN_LESS_THAN_OR_EQUAL, false},
    {PTX_WORD_gt, FPSAN_GREATER_THAN, false}, {PTX_WORD_ge, FPSAN_GREATER_THAN_OR_EQUAL, false},
    {PTX_WORD_equ, FPSAN_EQUAL, true},        {PTX_WORD_neu, FPSAN_NOT_EQUAL, true},
    {PTX_WORD_ltu, FPSAN_LESS_THAN, true},    {PTX_WORD_leu, FPSAN_LESS_THAN_OR_EQUAL, true},
    {PTX_WORD_gtu, FPSAN_GREATER_THAN, true}, {PTX_WORD_geu, FPSAN_GREATER_THAN_OR_EQUAL, true},
};

// i1 lanes: whether neither is a NaN.
static bool compare_ordered(LaneCode *code, FloatOp op, const NumericValue *a, const NumericValue *b,
                            LLVMValueRef *result) {
    LLVMValueRef numbers[2];
    op.predicate = FPSAN_EQUAL;
    if (!lane_compare_floats(code, &op, a, a, &numbers[0]) || !lane_compare_floats(code, &op, b, b, &numbers[1]))
        return false;
    *result = LLVMBuildAnd(code->cx.builder, numbers[0], numbers[1], "");
    return true;
}

// The comparison that the instruction names, of values of that format.
static bool compare_as_said(LaneCode *code, const PtxInstruction *instruction, FpsanFormat format,
                            const NumericValue *a, const NumericValue *b, LLVMValueRef *result) {
    const PtxWord word = ptx_find(instruction, PTX_SET_comparison);
    FloatOp op = {.rule = FPSAN_RULE_COUNT, .operand = format, .result = format};
    op.flush_to_zero = ptx_has(instruction, PTX_WORD_ftz) && format != FPSAN_F64;
    for (size_t i = 0; i < BASE_COUNT(comparison_rows); i++) {
        if (comparison_rows[i].word != word) continue;
        op.predicate = comparison_rows[i].predicate;
        op.unordered = comparison_rows[i].unordered;
        return lane_compare_floats(code, &op, a, b, result);
    }
    if (word != PTX_WORD_num && word != PTX_WORD_nan)
        return lane_refuse(code, "floats have no comparison '%s'", ptx_word_text(word));
    if (!compare_ordered(code, op, a, b, result)) return false;
    if (word == PTX_WORD_nan) *result = LLVMBuildNot(code->cx.builder, *result, "");
    return true;
}

// The predicate that a comparison is combined with; NULL: none.
static LLVMValueRef other_predicate(LaneCode *code, const PtxInstruction *instruction) {
    const PtxOperand *operand = instruction->operand_count > 3 ? &instruction->operands[3] : NULL;
    return operand && operand->kind != PTX_NONE ? lane_read_predicate(code, operand) : NULL;
}

static LLVMValueRef combine(LaneCode *code, const PtxInstruction *instruction, LLVMValueRef is, LLVMValueRef other) {
    LLVMBuilderRef builder = code->cx.builder;
    if (!other) return is;
    if (ptx_has(instruction, PTX_WORD_and)) return LLVMBuildAnd(builder, is, other, "");
    if (ptx_has(instruction, PTX_WORD_or)) return LLVMBuildOr(builder, is, other, "");
    assert(ptx_has(instruction, PTX_WORD_xor));
    return LLVMBuildXor(builder, is, other, "");
}

// Element `element` of each lane.
static LLVMValueRef element_of(LaneCode *code, LLVMValueRef lanes, unsigned elements, unsigned element) {
    LLVMValueRef mask[WARP_LANES];
    if (elements == 1) return lanes;
    for (unsigned i = 0; i < WARP_LANES; i++) mask[i] = code_i32(&code->cx, (int32_t)(i * elements + element));
    return LLVMBuildShuffleVector(code->cx.builder, lanes, LLVMGetPoison(LLVMTypeOf(lanes)),
                                  LLVMConstVector(mask, WARP_LANES), "");
}

static bool compare_operands(LaneCode *code, const PtxInstruction *instruction, PtxType type, LLVMValueRef *result) {
    const PtxTypeInfo *info = ptx_type_info(type);
    const NumericValue a = lane_read_float(code, &instruction->operands[1], info->format, info->elements);
    const NumericValue b = lane_read_float(code, &instruction->operands[2], info->format, info->elements);
    return compare_as_said(code, instruction, info->format, &a, &b, result);
}

// p|q: of one comparison it and its opposite; of two comparisons the lower and the upper.
bool lane_emit_float_setp(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType type = (PtxType)instruction->types[0];
    const unsigned elements = ptx_type_info(type)->elements;
    const PtxOperand *to = &instruction->operands[0];
    LLVMValueRef is, results[2], other = other_predicate(code, instruction);
    if (!compare_operands(code, instruction, type, &is)) return false;
    results[0] = element_of(code, is, elements, 0);
    results[1] = elements == 1 ? LLVMBuildNot(code->cx.builder, is, "") : element_of(code, is, elements, 1);
    for (unsigned i = 0; i < 2; i++) results[i] = combine(code, instruction, results[i], other);
    if (to->kind != PTX_PAIR) {
        lane_write_predicate(code, to, results[0]);
        return true;
    }
    for (unsigned i = 0; i < 2; i++) lane_write_predicate(code, &to->items[i], results[i]);
    return true;
}

// Each lane's predicate for each of its elements.
static LLVMValueRef spread(LaneCode *code, LLVMValueRef predicate, unsigned elements) {
    LLVMValueRef mask[2 * WARP_LANES];
    if (!predicate || elements == 1) return predicate;
    for (unsigned i = 0; i < elements * WARP_LANES; i++) mask[i] = code_i32(&code->cx, (int32_t)(i / elements));
    return LLVMBuildShuffleVector(code->cx.builder, predicate, LLVMGetPoison(LLVMTypeOf(predicate)),
                                  LLVMConstVector(mask, elements * WARP_LANES), "");
}

// True is 1.0, or an integer of ones.
bool lane_emit_float_set(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType type = (PtxType)instruction->types[0], compared = (PtxType)instruction->types[1];
    const PtxTypeInfo *info = ptx_type_info(type);
    LLVMValueRef is;
    if (!compare_operands(code, instruction, compared, &is)) return false;
    LLVMValueRef other = spread(code, other_predicate(code, instruction), ptx_type_info(compared)->elements);
    is = combine(code, instruction, is, other);
    if (info->kind != PTX_FLOAT) {
        lane_write(code, &instruction->operands[0],
                   LLVMBuildSExt(code->cx.builder, is, lane_type(code, info->bits), ""), type);
        return true;
    }
    const NumericValue one =
        lane_float_constant(code, info->format, info->elements, fpsan_format_info(info->format)->one);
    const NumericValue zero = lane_float_constant(code, info->format, info->elements, 0);
    const NumericValue result = {.parts = {LLVMBuildSelect(code->cx.builder, is, one.parts[0], zero.parts[0], "")}};
    lane_write_float(code, &instruction->operands[0], info->format, info->elements, &result);
    return true;
}

// ---- properties

// Whether the bits below the sign are above `limit`, unsigned.
static LLVMValueRef is_above(LaneCode *code, LLVMValueRef magnitude, unsigned bits, uint64_t limit) {
    return LLVMBuildICmp(code->cx.builder, LLVMIntUGT, magnitude, lane_constant(code, bits, limit), "");
}

// Zeros are normal numbers here.
bool lane_emit_testp(LaneCode *code, const PtxInstruction *instruction) {
    LLVMBuilderRef builder = code->cx.builder;
    const PtxType type = (PtxType)instruction->types[0];
    const FpsanFormatInfo *info = fpsan_format_info(ptx_type_info(type)->format);
    const unsigned bits = info->bits;
    const uint64_t least = UINT64_C(1) << info->mantissa_bits, end = (UINT64_C(1) << (bits - 1)) - least;
    LLVMValueRef value = lane_read_type(code, &instruction->operands[1], type);
    LLVMValueRef x = LLVMBuildAnd(builder, value, lane_constant(code, bits, (UINT64_C(1) << (bits - 1)) - 1), "");
    LLVMValueRef nan = is_above(code, x, bits, end), not_finite = is_above(code, x, bits, end - 1), is;
    LLVMValueRef subnormal =
        LLVMBuildICmp(builder, LLVMIntULT, LLVMBuildSub(builder, x, lane_constant(code, bits, 1), ""),
                      lane_constant(code, bits, least - 1), "");
    switch (ptx_find(instruction, PTX_SET_property)) {
    case PTX_WORD_finite: is = LLVMBuildNot(builder, not_finite, ""); break;
    case PTX_WORD_infinite: is = LLVMBuildXor(builder, not_finite, nan, ""); break;
    case PTX_WORD_number: is = LLVMBuildNot(builder, nan, ""); break;
    case PTX_WORD_notanumber: is = nan; break;
    case PTX_WORD_normal: is = LLVMBuildNot(builder, LLVMBuildOr(builder, not_finite, subnormal, ""), ""); break;
    case PTX_WORD_subnormal: is = subnormal; break;
    default: return lane_refuse(code, "no property of numbers");
    }
    lane_write_predicate(code, &instruction->operands[0], is);
    return true;
}
