// SPDX-License-Identifier: Apache-2.0
// How a numeric computes dots (products of matrices) on a machine. For each part of its floats it makes a plan, which
// the micro-kernels of the lowering follow.
#ifndef CONGRUENT_NUMERIC_DOT_H
#define CONGRUENT_NUMERIC_DOT_H

#include "compiler/numeric/numeric.h"

// What the matrix units of GPUs multiply (mma.sync): the bits of floats, whose products are summed as f32, or bytes of
// integers, whose products are summed mod 2^32.
typedef enum NumericMatrix { NUMERIC_MATRIX_NONE, NUMERIC_MATRIX_FLOATS, NUMERIC_MATRIX_BYTES } NumericMatrix;

// The plan of one part of a dot, acc[m][n] += sum over k of a[m][k] * b[k][n].
typedef struct NumericDot {
    FpsanFormat operand_format, accumulator_format;
    unsigned part;
    LLVMTypeRef operand_type;     // scalar type of packed operands (i16, i32, i64, float, double)
    LLVMTypeRef accumulator_type; // scalar type of an accumulator lane (i32, i16, i64, float, double)
    unsigned lane_bits;           // of operand_type, how many bits `operand` sets at most; 0: all
    // How many k one step combines in an accumulator lane: 1; 2 for multiply-add-pairs; 4 in AMX tiles.
    unsigned group;
    // All parts and all dots of one shape call one function. It sums from 0 and knows its part by `parameter` only;
    // `finish` makes the part's results of its sums.
    bool shared;
    unsigned kind;       // of shared kernels: those of different kinds have different steps
    unsigned fold_every; // of shared kernels: `fold` after that many steps, a power of two; 0: never
    // Into how many numbers of operand_type an operand is packed, the lowest first; 0: it stays one number. In AMX
    // tiles and matrix units they are bytes. In vector kernels there are 2, the halves of 32 bits: the kernel sums
    // high * low + low * high from 0, `carry` moves that sum up 16 bits and adds the accumulator, and the kernel then
    // adds low * low.
    unsigned pieces;
    NumericMatrix matrix;           // set by `matrix`: what the operands are
    FpsanFormat matrix_format;      // of floats: the format that the unit reads
    const char *matrix_instruction; // of floats: LLVM's intrinsic
    bool tiles; // set by `tiles`: multiplied in AMX tiles; the pieces are bytes, the last one signed
    // Of `tiles`, set by the caller: with 4 n lanes, `operand` packs the bytes of lanes i, i + n, i + 2n and i + 3n
    // into lane i of n integers of 32 bits.
    bool merged;
} NumericDot;

enum { NUMERIC_PIECES = 8 }; // the largest NumericDot.pieces

// Hooks that can fail record a diagnostic, as those of Numeric do.
struct NumericDots {
    // Says for one part how the micro-kernel computes it.
    bool (*plan)(const NumericContext *cx, const FloatOp *op, unsigned part, NumericDot *plan);
    // Converts lanes of an operand to piece number `piece`, in operand_type. The caller packs them.
    LLVMValueRef (*operand)(const NumericContext *cx, const NumericDot *plan, unsigned piece,
                            const NumericValue *value);
    // Convert an accumulator from the part's register form to accumulator_type, and back.
    LLVMValueRef (*begin)(const NumericContext *cx, const NumericDot *plan, LLVMValueRef part);
    LLVMValueRef (*end)(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator);
    // accumulator + a * b. With L lanes of accumulator_type, a and b have L * group lanes of operand_type; the products
    // of their lanes l * group .. l * group + group - 1 are added to lane l.
    LLVMValueRef (*step)(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator, LLVMValueRef a,
                         LLVMValueRef b);
    // The sum of high * low + low * high (NumericDot.pieces), moved up 16 bits, plus `start`. NULL: never in halves.
    LLVMValueRef (*carry)(const NumericContext *cx, LLVMValueRef accumulator, LLVMValueRef start);
    // Changes a plan to AMX tiles; false where the machine has none or sums of 32 bits are too narrow. NULL: no numbers
    // of this numeric are bytes.
    bool (*tiles)(const NumericContext *cx, NumericDot *plan);
    // Changes a plan to the matrix units of GPUs; false where they do not compute the dot. Integers are then packed as
    // bytes, the last one signed; the lowering may make 16 or 64 bits of their sums of 32. NULL: never.
    bool (*matrix)(const NumericContext *cx, NumericDot *plan);
    // Of plans that are `shared`; NULL where there are none. The constant of accumulator_type that stands for the part.
    LLVMValueRef (*parameter)(const NumericContext *cx, const NumericDot *plan);
    // A smaller accumulator that stands for the same value, in the part with that parameter.
    LLVMValueRef (*fold)(const NumericContext *cx, LLVMValueRef parameter, LLVMValueRef accumulator);
    // The result of the part: the kernel's sum plus `start`. `start` and result are in register form.
    LLVMValueRef (*finish)(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator,
                           LLVMValueRef start);
    // Block-scaled dots: the format in which scaled operands of formats a and b are multiplied, and an operand times
    // its scale in that format (op->result).
    FpsanFormat (*scaled_format)(const NumericContext *cx, FpsanFormat a, FpsanFormat b);
    bool (*scaled_operand)(const NumericContext *cx, const FloatOp *op, FpsanFormat scale_format,
                           const NumericValue *value, const NumericValue *scale, NumericValue *result);
    // Of numerics one of whose parts is a state, `state_part`; NULL in others, but for value_step: there every product
    // is added with it if it is not NULL. `word` (i32) is the OR of all states of accumulators and of all packed states
    // of operands.
    unsigned state_part;
    // i1, true: every product is added with value_step, because the parts are not independent. False: parts 1 and up
    // have kernels of their own.
    LLVMValueRef (*values)(const NumericContext *cx, LLVMValueRef word);
    // i1, true: the part of states has a kernel, too. False: the state of each result is the accumulator's OR `common`.
    LLVMValueRef (*states)(const NumericContext *cx, LLVMValueRef word);
    LLVMValueRef (*common)(const NumericContext *cx, LLVMValueRef word); // i32
    // Parts 1 and up of accumulator + a * b. Part 0 of a and b is a float or double; the accumulator and the result
    // have no part 0.
    NumericValue (*value_step)(const NumericContext *cx, const NumericValue *accumulator, const NumericValue *a,
                               const NumericValue *b);
    // What the first such step adds to, and what came of the last. NULL: the accumulator, and the result itself.
    NumericValue (*value_begin)(const NumericContext *cx, const NumericValue *accumulator);
    NumericValue (*value_end)(const NumericContext *cx, const NumericValue *accumulator, const NumericValue *sum);
};

#endif
