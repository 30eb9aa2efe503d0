// SPDX-License-Identifier: Apache-2.0
// Shared by the files that emit float instructions of PTX through the numeric. Floats are NumericValues of 32 *
// elements lanes (lane_read_float). What is longer than a few instructions becomes a function of the LLVM module, which
// all instructions that need it call: vectors are passed in registers, and a kernel with a thousand instructions
// compiles in a tenth of a second.
#ifndef CONGRUENT_LANE_FLOATS_H
#define CONGRUENT_LANE_FLOATS_H

#include "compiler/warp/lanes.h"

// ---- lane_numeric.c: operations of the numeric
// -----------------------------------------------------------------------

// Whether floats in registers are not their bits: arithmetic is on payloads.
bool lane_in_place(const LaneCode *code);

// The format in which registers keep floats of `format`: the payload of a tf32 is that of an f32.
FpsanFormat lane_register_format(const LaneCode *code, FpsanFormat format);

// Builds the body of a shared function: its result of its operands. False with a diagnostic.
typedef bool LaneBody(NumericContext *cx, const void *data, const LLVMValueRef *operands, LLVMValueRef *result);
enum { LANE_SHARED_OPERANDS = 24 };
// Calls the shared function of that name, for the lanes that operands[0] has, and builds it first if the module has
// none yet. `data` must be told by the name. Functions have no effect but their result. Constants are computed at once.
typedef struct LaneShared {
    const char *name;
    LLVMTypeRef result;
    LaneBody *body;
    const void *data;
} LaneShared;
bool lane_call_shared(LaneCode *code, const LaneShared *shared, const LLVMValueRef *operands, unsigned count,
                      LLVMValueRef *result);

// The hooks of Numeric, and what bits have to do with it.
NumericValue lane_float_of_bits(LaneCode *code, FpsanFormat format, LLVMValueRef bits);
LLVMValueRef lane_bits_of_float(LaneCode *code, FpsanFormat format, const NumericValue *value);
NumericValue lane_float_constant(const LaneCode *code, FpsanFormat format, unsigned elements, uint64_t bits);
bool lane_apply(LaneCode *code, const FloatOp *op, const NumericValue *operands, unsigned count, NumericValue *result);
bool lane_convert(LaneCode *code, const FloatOp *op, const NumericValue *value, NumericValue *result);
bool lane_compare_floats(LaneCode *code, const FloatOp *op, const NumericValue *a, const NumericValue *b,
                         LLVMValueRef *result);
// Subnormal numbers become zeros of their sign; looks at the real bits.
NumericValue lane_flush_value(const NumericContext *cx, FpsanFormat format, const NumericValue *value);
// The rule EXTERN: a hash of the operands with the symbol, in payload arithmetic only.
NumericValue lane_apply_extern(LaneCode *code, const char *symbol, FpsanFormat format, const NumericValue *operands,
                               unsigned count);

// ---- lane_float.c: arithmetic
// ----------------------------------------------------------------------------------------

// Literal bits of an operand: of a literal, or of a register that nothing but a `mov` of one writes. `bits`: as wide as
// the type.
bool lane_literal(LaneCode *code, const PtxOperand *operand, PtxType type, uint64_t *bits);
// What the words of the instruction say of its operation.
FpsanRounding lane_rounding(const PtxInstruction *instruction);
// max(0, x), and NaN stays NaN; x in [0, 1], and NaN becomes 0.
bool lane_relu(LaneCode *code, FpsanFormat format, NumericValue *value);
bool lane_saturate(LaneCode *code, FpsanFormat format, NumericValue *value);
// Where the numeric computes with real floats: subnormal numbers become zeros of their sign.
NumericValue lane_flush_subnormals(LaneCode *code, FpsanFormat format, const NumericValue *value);
// Whether the instruction multiplies what lane_find_exponential finds, in payload arithmetic.
bool lane_is_exponential(LaneCode *code, const PtxInstruction *instruction, const PtxOperand **x, bool *negated);
// Emitters of lowering.def.
LaneEmitter lane_emit_arithmetic, lane_emit_mixed, lane_emit_extreme, lane_emit_reciprocal, lane_emit_copysign;

// ---- lane_expf.c: an idiom
// --------------------------------------------------------------------------------------------

// Whether the product of the instruction's first two operands is exp(x), or exp(-x), as CUDA's compilers write it out.
bool lane_find_exponential(LaneCode *code, const PtxInstruction *product, const PtxOperand **x, bool *negated);

// ---- lane_compare.c: comparisons and properties
// ----------------------------------------------------------------------

LaneEmitter lane_emit_float_setp, lane_emit_float_set, lane_emit_testp;

// ---- lane_convert.c: conversions
// -------------------------------------------------------------------------------------

LaneEmitter lane_emit_float_to_integer, lane_emit_integer_to_float, lane_emit_float_to_float, lane_emit_pair_convert,
    lane_emit_random_convert, lane_emit_pack;

#endif
