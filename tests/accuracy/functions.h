// SPDX-License-Identifier: Apache-2.0
// Functions that need not be correctly rounded: bounds of their errors (bounds.def), and measuring these.
#ifndef CONGRUENT_ACCURACY_FUNCTIONS_H
#define CONGRUENT_ACCURACY_FUNCTIONS_H

#include "tests/accuracy/whole_op.h"

enum { FUNCTION_TYPES = 4 };
extern const TirTypeKind function_types[FUNCTION_TYPES]; // f64, f32, f16, bf16

typedef struct FunctionBound { // a row of bounds.def
    TirOpKind op;
    uint64_t rounding;
    bool flush;
    FloatImplementation implementation;
    unsigned types; // bit per function_types
} FunctionBound;
extern const FunctionBound function_bounds[];
extern const size_t function_bound_count;

// The bound in ulps; 0 where there is no such op.
double function_bound(const FunctionBound *bound, size_t type);
WholeOp function_op(const FunctionBound *bound, size_t type);

typedef struct FunctionError {
    size_t samples;
    double worst, x, y, got; // the largest error in ulps, and its operands and result
} FunctionError;
// Measures ops->ops[index] on about `samples` operands over the whole range, most where the function is neither
// constant nor the identity. One with one operand of 16 bits runs on all bit patterns, if these are not more than
// `samples`. False if the kernel stopped.
bool function_measure(const WholeOps *ops, size_t index, size_t samples, FunctionError *error);

#endif
