// SPDX-License-Identifier: Apache-2.0
// How a numeric computes products of matrices on a machine: plans for the micro-kernels of the lowering, part by part.
#ifndef CONGRUENT_NUMERIC_DOT_H
#define CONGRUENT_NUMERIC_DOT_H

#include "compiler/numeric/numeric.h"

// What the matrix units of GPUs multiply (mma.sync): the bits of floats, whose products are summed as f32, or bytes of
// integers, whose products are summed mod 2^32.
typedef enum NumericMatrix { NUMERIC_MATRIX_NONE, NUMERIC_MATRIX_FLOATS, NUMERIC_MATRIX_BYTES } NumericMatrix;

// One part of a dot product acc[m][n] += sum over k of a[m][k] * b[k][n], as the lowering's micro-kernel computes it.
typedef struct NumericDot {
    FpsanFormat operand_format, accumulator_format;
    unsigned part;
    LLVMTypeRef operand_type;     // scalar type of packed operands (i16, i32, i64, float, double)
    LLVMTypeRef accumulator_type; // scalar type of an accumulator lane (i32, i16, i64, float, double)
    unsigned group;               // how many k one step combines in an accumulator lane: 1, or 2 (multiply-add-pairs)
    // Set where code is worth sharing, among parts and among dots of one shape: the kernel then sums from 0, what it
    // leaves goes through `finish`, and a part tells itself from others only by `parameter`.
    bool shared;
    unsigned fold_every; // of shared kernels: steps after which `fold` is due, a power of two; 0: never
    // How many numbers of operand_type an operand is packed as, the lowest first; 0: one. Two are the halves of 32
    // bits: the kernel sums high * low and low * high from 0, and what `carry` makes of that gets low * low.
    unsigned pieces;
    NumericMatrix matrix; // after `matrix`: what the operands are; of floats their format and LLVM's intrinsic
    FpsanFormat matrix_format;
    const char *matrix_instruction;
    bool tiles;  // after `tiles`: the pieces are bytes, the last one signed
    bool merged; // of tiles, for the caller to set: `operand` makes an i32 of four lanes, a quarter of all lanes apart
} NumericDot;

enum { NUMERIC_PIECES = 8 }; // the most that NumericDot.pieces says

// Hooks that can fail record a diagnostic, as those of Numeric do.
struct NumericDots {
    // Dots. `plan` says for one part how the micro-kernel computes; `operand` converts a vector of values to
    // operand_type (before packing), `piece` being the number of the piece; `begin` and `end` convert
    // accumulators between the part's register form and accumulator_type; `step` returns acc + a * b: acc is <L x
    // accumulator_type>; a and b are <L * group x operand_type>, lane l of acc taking elements l * group .. of both.
    bool (*plan)(const NumericContext *cx, const FloatOp *op, unsigned part, NumericDot *plan);
    LLVMValueRef (*operand)(const NumericContext *cx, const NumericDot *plan, unsigned piece,
                            const NumericValue *value);
    LLVMValueRef (*begin)(const NumericContext *cx, const NumericDot *plan, LLVMValueRef part);
    LLVMValueRef (*end)(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator);
    LLVMValueRef (*step)(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator, LLVMValueRef a,
                         LLVMValueRef b);
    // Where operands are two halves (else NULL): the sum of the products of different halves where it belongs, plus
    // `start`. Where they may be bytes (else NULL), `tiles` changes a plan to that, if the machine multiplies tiles
    // and sums mod 2^32 will do: accumulators are integers of that many bits, or fewer.
    LLVMValueRef (*carry)(const NumericContext *cx, LLVMValueRef accumulator, LLVMValueRef start);
    bool (*tiles)(const NumericContext *cx, NumericDot *plan);
    // Where GPUs have matrix units (else NULL): changes a plan to them, if they compute the dot. Of integers the pieces
    // are bytes, the last one signed, and accumulators have accumulator_type's bits, or 64 or 16.
    bool (*matrix)(const NumericContext *cx, NumericDot *plan);
    // Of shared kernels (NULL where there are none): a constant of accumulator_type; a smaller accumulator that stands
    // for the same, `parameter` being that number; and the part's register form of an accumulator plus `start`, which
    // is in register form.
    LLVMValueRef (*parameter)(const NumericContext *cx, const NumericDot *plan);
    LLVMValueRef (*fold)(const NumericContext *cx, LLVMValueRef parameter, LLVMValueRef accumulator);
    LLVMValueRef (*finish)(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator,
                           LLVMValueRef start);
    // Block-scaled dots: the format in which operands of formats a and b are multiplied after scaling, and the
    // product of a value and its scale in it.
    FpsanFormat (*scaled_format)(const NumericContext *cx, FpsanFormat a, FpsanFormat b);
    bool (*scaled_operand)(const NumericContext *cx, const FloatOp *op, FpsanFormat scale_format,
                           const NumericValue *value, const NumericValue *scale, NumericValue *result);
    // Numerics whose last part is a state (NULL in others): what the OR of the packed state words of both operands and
    // of the accumulator's states asks for. states: i1, the last part's kernel has to run, else every result gets
    // the accumulator's state and common. values: i1, kernels of parts will not do; each product is added with
    // value_step instead (parts 1 and up; part 0 of a and b is float or double, of the accumulator not there).
    LLVMValueRef (*states)(const NumericContext *cx, LLVMValueRef word);
    LLVMValueRef (*common)(const NumericContext *cx, LLVMValueRef word);
    LLVMValueRef (*values)(const NumericContext *cx, LLVMValueRef word);
    NumericValue (*value_step)(const NumericContext *cx, const NumericValue *accumulator, const NumericValue *a,
                               const NumericValue *b);
};

#endif
