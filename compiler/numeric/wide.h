// SPDX-License-Identifier: Apache-2.0
// What the files of the numerics `wide` and `wider` share: their parts, and the rules. `wide` has a double beside each
// float, `wider` a pair of doubles (pair.h).
#ifndef CONGRUENT_WIDE_H
#define CONGRUENT_WIDE_H

#include "compiler/numeric/pair.h"

enum { WIDE_IEEE, WIDE_HIGH, WIDE_LOW, WIDE_PARTS };

// ---- wide.c ---------------------------------------------------------------------------------------------------------

// What is beside the float; `low` is NULL in `wide`.
Pair wide_number(const NumericValue *value);
// A value of part 0 and what is beside it.
NumericValue wide_value(LLVMValueRef ieee, Pair number);
// The number of a float itself, which is exact.
Pair wide_exact(const NumericContext *cx, FpsanFormat format, LLVMValueRef ieee);
// The low (0) or high (1) words of doubles.
LLVMValueRef wide_word(const NumericContext *cx, LLVMValueRef number, unsigned word);
// a where the condition (i1 lanes) holds, else b.
Pair wide_select(const NumericContext *cx, LLVMValueRef condition, Pair a, Pair b);

// ---- wide_rules.c ---------------------------------------------------------------------------------------------------

// Arithmetic on what is beside floats; without `low` of any operand on doubles.
Pair wide_fma(const NumericContext *cx, Pair a, Pair b, Pair c);
// Numeric.apply.
bool wide_apply(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                NumericValue *result);

// ---- wide_functions.c -----------------------------------------------------------------------------------------------

// A function of the C library on doubles, POWI's exponent among them: within 4 units in the last place.
LLVMValueRef wide_function(const NumericContext *cx, FpsanRule rule, const LLVMValueRef *operands);

// ---- wide_dot.c -----------------------------------------------------------------------------------------------------

extern const NumericDots wide_dots, wider_dots;

#endif
