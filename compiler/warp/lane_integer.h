// SPDX-License-Identifier: Apache-2.0
// Shared by the files that emit instructions on integers: operands as lanes of elements, and pieces of arithmetic.
#ifndef CONGRUENT_LANE_INTEGER_H
#define CONGRUENT_LANE_INTEGER_H

#include "compiler/warp/lane_emitters.h"

// An instruction of integers. Its operands are vectors of elements: one for each lane, or, of packed types, `elements`
// for each lane, the first in the lowest bits.
typedef struct IntegerJob {
    LaneCode *code;
    const PtxInstruction *instruction;
    LLVMBuilderRef builder;
    unsigned bits; // of an element
    bool is_signed;
    LLVMValueRef a, b, c; // NULL: there is no such operand
} IntegerJob;
typedef LLVMValueRef IntegerFunction(const IntegerJob *job);

// A constant in as many lanes as the operands have.
LLVMValueRef integer_constant(const IntegerJob *job, uint64_t value);
// Each lane with that many bits; wider ones extended by sign or zeros.
LLVMValueRef integer_resize(const IntegerJob *job, LLVMValueRef value, unsigned bits, bool sign);
// Shifts whose counts are lanes of the same width, and may be larger than it: then the result is 0, or all sign.
LLVMValueRef integer_shift_left(const IntegerJob *job, LLVMValueRef value, LLVMValueRef count);
LLVMValueRef integer_shift_right(const IntegerJob *job, LLVMValueRef value, LLVMValueRef count, bool sign);
// The `count` lowest bits; all if count is not less than the width.
LLVMValueRef integer_low_mask(const IntegerJob *job, LLVMValueRef count);
// The value, read as signed, within low .. high.
LLVMValueRef integer_clamp(const IntegerJob *job, LLVMValueRef value, int64_t low, int64_t high);
// llvm.NAME of two operands of one type.
LLVMValueRef integer_call(const IntegerJob *job, const char *name, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef integer_compare(const IntegerJob *job, LLVMIntPredicate predicate, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef integer_choose(const IntegerJob *job, LLVMValueRef condition, LLVMValueRef yes, LLVMValueRef no);
// The job of an instruction whose operands 1, 2, .. have its first type.
IntegerJob integer_job(LaneCode *code, const PtxInstruction *instruction, uint32_t operands);
// Computes and writes a result of the type.
bool integer_emit(LaneCode *code, const PtxInstruction *instruction, uint32_t operands, IntegerFunction *compute);

#endif
