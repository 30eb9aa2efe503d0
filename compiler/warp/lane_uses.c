// SPDX-License-Identifier: Apache-2.0
// How instructions use their operands: as floats of which format, if at all. What looks at real bits (comparisons,
// conversions to integers, moves) does not count as such a use.
#include "compiler/warp/lane_floats.h"

typedef enum OperandUse {
    USE_FIRST,   // all operands are floats of the instruction's first type
    USE_MIXED,   // the first and the last one are, the others of the second type
    USE_CONVERT, // the result is of the first type, operands are of the second
    USE_RESULT,  // the result is a float
    USE_MATRIX,  // d, a, b, c of types 0, 1, 2, 3
    USE_WMMA,    // d, a, b, c, of which two or four types are named
    USE_SUMS,    // operand 0 is a list of sums
} OperandUse;

static const struct UseRow {
    PtxOp op;
    OperandUse use;
} use_rows[] = {
    {PTX_OP_add_float, USE_FIRST},
    {PTX_OP_sub_float, USE_FIRST},
    {PTX_OP_mul_float, USE_FIRST},
    {PTX_OP_fma, USE_FIRST},
    {PTX_OP_mad_float, USE_FIRST},
    {PTX_OP_neg_float, USE_FIRST},
    {PTX_OP_abs_float, USE_FIRST},
    {PTX_OP_div_float, USE_FIRST},
    {PTX_OP_sqrt, USE_FIRST},
    {PTX_OP_rsqrt, USE_FIRST},
    {PTX_OP_sin, USE_FIRST},
    {PTX_OP_cos, USE_FIRST},
    {PTX_OP_lg2, USE_FIRST},
    {PTX_OP_ex2, USE_FIRST},
    {PTX_OP_tanh, USE_FIRST},
    {PTX_OP_rcp, USE_FIRST},
    {PTX_OP_min_float, USE_FIRST},
    {PTX_OP_max_float, USE_FIRST},
    {PTX_OP_add_mixed, USE_MIXED},
    {PTX_OP_sub_mixed, USE_MIXED},
    {PTX_OP_fma_mixed, USE_MIXED},
    {PTX_OP_cvt_float, USE_CONVERT},
    {PTX_OP_cvt_tf32, USE_CONVERT},
    {PTX_OP_cvt_pair, USE_CONVERT},
    {PTX_OP_cvt_to_small, USE_CONVERT},
    {PTX_OP_cvt_from_small, USE_CONVERT},
    {PTX_OP_cvt_random, USE_CONVERT},
    {PTX_OP_cvt_from_integer, USE_RESULT},
    {PTX_OP_mma_float, USE_MATRIX},
    {PTX_OP_mma_scaled, USE_MATRIX},
    {PTX_OP_wmma_mma, USE_WMMA},
    {PTX_OP_wgmma_float, USE_SUMS},
    {PTX_OP_redux_float, USE_FIRST},
};

// The format of a type; payloads of tf32 are those of f32.
static FpsanFormat format_of(PtxType type) {
    const FpsanFormat format = ptx_type_info(type)->format;
    return format == FPSAN_TF32 ? FPSAN_F32 : format;
}

static FpsanFormat wmma_format(const PtxInstruction *instruction, uint32_t operand) {
    if (instruction->type_count == 4)
        return operand < 4 ? format_of((PtxType)instruction->types[operand]) : FPSAN_FORMAT_COUNT;
    return operand == 1 || operand == 2 ? FPSAN_F16 : format_of((PtxType)instruction->types[0]);
}

static FpsanFormat used_format(const PtxInstruction *instruction, OperandUse use, uint32_t operand) {
    const PtxType first = (PtxType)instruction->types[0], second = (PtxType)instruction->types[1];
    switch (use) {
    case USE_FIRST: return format_of(first);
    case USE_MIXED: return format_of(operand == 0 || operand + 1 == instruction->operand_count ? first : second);
    case USE_CONVERT: return format_of(operand ? second : first);
    case USE_RESULT: return operand ? FPSAN_FORMAT_COUNT : format_of(first);
    case USE_MATRIX: return operand < 4 ? format_of((PtxType)instruction->types[operand]) : FPSAN_FORMAT_COUNT;
    case USE_WMMA: return wmma_format(instruction, operand);
    case USE_SUMS: return operand ? FPSAN_FORMAT_COUNT : format_of(first);
    }
    return FPSAN_FORMAT_COUNT;
}

FpsanFormat lane_operand_form(const PtxInstruction *instruction, uint32_t operand) {
    for (size_t i = 0; i < BASE_COUNT(use_rows); i++)
        if (use_rows[i].op == instruction->op) return used_format(instruction, use_rows[i].use, operand);
    return FPSAN_FORMAT_COUNT;
}
