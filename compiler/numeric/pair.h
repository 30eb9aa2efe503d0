// SPDX-License-Identifier: Apache-2.0
// Emission of arithmetic on pairs of doubles: a number is the unevaluated sum of two doubles, `low` no more than half a
// unit in the last place of `high`; about 106 bits, with the range of doubles. Results are within a few units of
// 2^-104. Where `high` is not finite, `low` is 0. Scalars, or vectors of equal lanes.
#ifndef CONGRUENT_PAIR_H
#define CONGRUENT_PAIR_H

#include "compiler/numeric/numeric_internal.h"

typedef struct Pair {
    LLVMValueRef high, low;
} Pair;

// a + b of two doubles exactly: the rounded sum, and its error.
Pair pair_sum(const NumericContext *cx, LLVMValueRef a, LLVMValueRef b);

Pair pair_of(LLVMValueRef value); // a double
Pair pair_negative(const NumericContext *cx, Pair a);
Pair pair_select(const NumericContext *cx, LLVMValueRef condition, Pair a, Pair b); // `condition`: i1 lanes
Pair pair_add(const NumericContext *cx, Pair a, Pair b);
Pair pair_multiply(const NumericContext *cx, Pair a, Pair b);
Pair pair_fma(const NumericContext *cx, Pair a, Pair b, Pair c); // a * b + c
Pair pair_divide(const NumericContext *cx, Pair a, Pair b);
Pair pair_root(const NumericContext *cx, Pair a); // the square root

#endif
