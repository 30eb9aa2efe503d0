// SPDX-License-Identifier: Apache-2.0
// The functions that need not be correctly rounded: their bounds (bounds.def) and what is measured.
#ifndef CONGRUENT_ACCURACY_FUNCTIONS_H
#define CONGRUENT_ACCURACY_FUNCTIONS_H

#include "tests/accuracy/whole_op.h"

enum { FUNCTION_TYPES = 4 };
extern const TirTypeKind function_types[FUNCTION_TYPES]; // f64, f32, f16, bf16

typedef struct FunctionBound {
    TirOpKind op;
    uint64_t rounding;
    bool flush;
    double bounds[FUNCTION_TYPES]; // in ulps, 0 where there is no such op
} FunctionBound;
extern const FunctionBound function_bounds[];
extern const size_t function_bound_count;

WholeOp function_op(const FunctionBound *bound, size_t type);

typedef struct FunctionError {
    size_t samples;
    double worst, x, y, got; // in ulps, and where
} FunctionError;
// Measures ops->ops[index] on about `samples` operands: over the whole range, and where functions are neither constant
// nor the identity; on all bit patterns of 16-bit types with one operand where `samples` is at least as many. False:
// the kernel stopped.
bool function_measure(const WholeOps *ops, size_t index, size_t samples, FunctionError *error);

#endif
