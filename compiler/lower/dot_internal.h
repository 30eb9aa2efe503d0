// SPDX-License-Identifier: Apache-2.0
// What dot.c and dot_kernel.c share: one part of a dot product on packed operands.
#ifndef CONGRUENT_DOT_INTERNAL_H
#define CONGRUENT_DOT_INTERNAL_H

#include "compiler/lower/emit.h"

// result[b][m][n] = start[b][m][n] + sum over k of a[b][m][k] * b[b][k][n]; extents are powers of two, given as
// exponents.
typedef struct DotKernel {
    const Numeric *numeric; // whose dot_begin, dot_step and dot_end are meant
    NumericDot plan;
    unsigned batch_bits, row_bits, column_bits, depth_bits;
    unsigned panel_bits; // columns that are computed at once: the same for all parts, so that all are packed alike
    // Of each half, where operands have halves (plan.halves):
    LLVMValueRef a[NUMERIC_HALVES]; // [batch][row][depth] of plan.operand_type
    LLVMValueRef b[NUMERIC_HALVES]; // dot_packing of [batch][depth][column] of plan.operand_type
    LLVMTypeRef memory;             // scalar type of accumulators in tile memory
    LLVMValueRef start;             // [batch][row][column] of `memory`; may be the result; NULL: start_part everywhere
    LLVMValueRef start_part;
    LLVMValueRef result;    // [batch][row][column] of `memory`
    LLVMValueRef parameter; // of a shared kernel, inside of it
    LLVMValueRef seen;      // of a part of states: memory where the words of both operands are ORed; else NULL
} DotKernel;

// ---- dot_kernel.c ---------------------------------------------------------------------------------------------------

// panel_bits by the first part's plan.
unsigned dot_panel_bits(const Emit *e, const DotKernel *kernel);
// Where packed b keeps its elements: array index bits to flat index bits of the tile [batch][depth][column]. Panels of
// as many columns as the kernel computes at once, in each all depths, in each of those the columns, in each of those
// the depths of one step.
TileMap dot_packing(const Emit *e, const DotKernel *kernel);
// Emits the loops, or calls a function of them where the plan is to share it. False if scratch runs out.
bool dot_kernel_emit(Emit *e, const DotKernel *kernel);

// ---- dot_states.c: numerics whose last part is a state (numeric.h) --------------------------------------------------

// A cell that is 0, and ORing lanes into it.
LLVMValueRef dot_open_seen(Emit *e, LLVMTypeRef type);
void dot_see(Emit *e, LLVMValueRef seen, LLVMValueRef lanes);
// All parts: with kernels where those will do, product by product where not.
bool dot_states_emit(Emit *e, const DotKernel *kernels, unsigned count);

#endif
