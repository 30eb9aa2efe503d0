// SPDX-License-Identifier: Apache-2.0
// Comparisons of integers, and choices between two operands.
#include "compiler/warp/lanes.h"

#include <assert.h>

// ---- comparisons

static const struct ComparisonRow {
    PtxWord word;
    LLVMIntPredicate of_signed, of_unsigned;
} comparison_rows[] = {
    {PTX_WORD_eq, LLVMIntEQ, LLVMIntEQ},   {PTX_WORD_ne, LLVMIntNE, LLVMIntNE},   {PTX_WORD_lt, LLVMIntSLT, LLVMIntULT},
    {PTX_WORD_le, LLVMIntSLE, LLVMIntULE}, {PTX_WORD_gt, LLVMIntSGT, LLVMIntUGT}, {PTX_WORD_ge, LLVMIntSGE, LLVMIntUGE},
    {PTX_WORD_lo, LLVMIntULT, LLVMIntULT}, {PTX_WORD_ls, LLVMIntULE, LLVMIntULE}, {PTX_WORD_hi, LLVMIntUGT, LLVMIntUGT},
    {PTX_WORD_hs, LLVMIntUGE, LLVMIntUGE},
};

LLVMValueRef lane_compare_integers(LaneCode *code, const PtxInstruction *instruction, bool sign, LLVMValueRef a,
                                   LLVMValueRef b) {
    const PtxWord word = ptx_find(instruction, PTX_SET_comparison);
    for (size_t i = 0; i < BASE_COUNT(comparison_rows); i++) {
        const struct ComparisonRow *row = &comparison_rows[i];
        if (row->word == word)
            return LLVMBuildICmp(code->cx.builder, sign ? row->of_signed : row->of_unsigned, a, b, "");
    }
    lane_refuse(code, "integers have no comparison '%s'", ptx_word_text(word));
    return NULL;
}

static LLVMValueRef lane_combine_predicate(LaneCode *code, const PtxInstruction *instruction, LLVMValueRef predicate) {
    const PtxWord word = ptx_find(instruction, PTX_SET_operation);
    if (word == PTX_WORD_NONE) return predicate;
    const LLVMOpcode op = word == PTX_WORD_and ? LLVMAnd : word == PTX_WORD_or ? LLVMOr : LLVMXor;
    LLVMValueRef other = lane_read_predicate(code, &instruction->operands[3]);
    return LLVMBuildBinOp(code->cx.builder, op, predicate, other, "");
}

// The opposite goes to a second destination. Both are combined with operand 3.
static void lane_write_comparison(LaneCode *code, const PtxInstruction *instruction, LLVMValueRef predicate) {
    const PtxOperand *d = &instruction->operands[0];
    const bool pair = d->kind == PTX_PAIR;
    LLVMValueRef opposite = LLVMBuildNot(code->cx.builder, predicate, "");
    LLVMValueRef first = lane_combine_predicate(code, instruction, predicate);
    if (pair) opposite = lane_combine_predicate(code, instruction, opposite);
    lane_write_predicate(code, pair ? &d->items[0] : d, first);
    if (pair) lane_write_predicate(code, &d->items[1], opposite);
}

static LLVMValueRef compare_operands(LaneCode *code, const PtxInstruction *instruction, PtxType type) {
    LLVMValueRef a = lane_read_type(code, &instruction->operands[1], type);
    LLVMValueRef b = lane_read_type(code, &instruction->operands[2], type);
    return lane_compare_integers(code, instruction, ptx_type_info(type)->kind == PTX_SIGNED, a, b);
}

bool lane_emit_setp(LaneCode *code, const PtxInstruction *instruction) {
    LLVMValueRef predicate = compare_operands(code, instruction, instruction->types[0]);
    if (!predicate) return false;
    lane_write_comparison(code, instruction, predicate);
    return true;
}

// What `set` gives where the comparison holds: all bits of an integer, 1 as a float.
static uint64_t true_bits(PtxType type) {
    const PtxTypeInfo *info = ptx_type_info(type);
    if (info->kind != PTX_FLOAT) return UINT64_MAX;
    return fpsan_convert(FPSAN_F32, info->format, 0x3f800000, FPSAN_NEAREST_EVEN);
}

static void lane_write_set(LaneCode *code, const PtxInstruction *instruction, LLVMValueRef predicate) {
    const PtxType type = instruction->types[0];
    const unsigned bits = ptx_type_info(type)->bits;
    predicate = lane_combine_predicate(code, instruction, predicate);
    LLVMValueRef value = LLVMBuildSelect(code->cx.builder, predicate, lane_constant(code, bits, true_bits(type)),
                                         lane_constant(code, bits, 0), "");
    lane_write(code, &instruction->operands[0], value, type);
}

bool lane_emit_set(LaneCode *code, const PtxInstruction *instruction) {
    LLVMValueRef predicate = compare_operands(code, instruction, instruction->types[1]);
    if (!predicate) return false;
    lane_write_set(code, instruction, predicate);
    return true;
}

// ---- choices

static bool choose(LaneCode *code, const PtxInstruction *instruction, LLVMValueRef condition) {
    const PtxOperand *operands = instruction->operands;
    const PtxType type = instruction->types[0];
    const FpsanFormat form =
        lane_common_form(code, (const PtxOperand *[]){&operands[0], &operands[1], &operands[2]}, 3);
    LLVMValueRef yes = lane_read_moved(code, &operands[1], type, form);
    LLVMValueRef no = lane_read_moved(code, &operands[2], type, form);
    lane_write_moved(code, &operands[0], LLVMBuildSelect(code->cx.builder, condition, yes, no, ""), type, form);
    return true;
}

bool lane_emit_selp(LaneCode *code, const PtxInstruction *instruction) {
    return choose(code, instruction, lane_read_predicate(code, &instruction->operands[3]));
}

// c >= 0 of a float, by its bits: -0 is, NaN is not. `ftz`: so are negative subnormal numbers.
static LLVMValueRef is_not_negative(LaneCode *code, LLVMValueRef c, bool ftz) {
    enum { INFINITY_BITS = 0x7f800000, SMALLEST_NORMAL = 0x00800000 };
    LLVMBuilderRef builder = code->cx.builder;
    LLVMValueRef size = LLVMBuildAnd(builder, c, lane_constant(code, 32, INT32_MAX), "");
    LLVMValueRef number = LLVMBuildICmp(builder, LLVMIntULE, size, lane_constant(code, 32, INFINITY_BITS), "");
    LLVMValueRef zero =
        LLVMBuildICmp(builder, LLVMIntULT, size, lane_constant(code, 32, ftz ? SMALLEST_NORMAL : 1), "");
    LLVMValueRef positive = LLVMBuildICmp(builder, LLVMIntSGE, c, lane_constant(code, 32, 0), "");
    return LLVMBuildAnd(builder, number, LLVMBuildOr(builder, zero, positive, ""), "");
}

// d = c >= 0 ? a : b
bool lane_emit_slct(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType type = instruction->types[1];
    LLVMValueRef c = lane_read_type(code, &instruction->operands[3], type);
    LLVMValueRef condition = type == PTX_s32
                                 ? LLVMBuildICmp(code->cx.builder, LLVMIntSGE, c, lane_constant(code, 32, 0), "")
                                 : is_not_negative(code, c, ptx_has(instruction, PTX_WORD_ftz));
    return choose(code, instruction, condition);
}
