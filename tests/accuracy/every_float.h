// SPDX-License-Identifier: Apache-2.0
// A function of f32 over all 2^32 floats, against the C library's function of doubles, whose own error is a billionth
// of a float's last place.
#ifndef CONGRUENT_ACCURACY_EVERY_FLOAT_H
#define CONGRUENT_ACCURACY_EVERY_FLOAT_H

#include "tests/accuracy/functions.h"

typedef struct EveryFloat {
    TirOpKind op;
    double (*function)(double);
} EveryFloat;
extern const EveryFloat every_float_functions[];
extern const size_t every_float_count;

// Measures ops->ops[index], which is function->op on f32. False if the kernel stopped.
bool every_float_measure(const WholeOps *ops, size_t index, const EveryFloat *function, FunctionError *error);

#endif
