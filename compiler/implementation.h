// SPDX-License-Identifier: Apache-2.0
// How float ops can be computed and how accurate that is (implementations.def): what those need who choose an
// implementation for an op, and who report it. FloatOp.implementation (numeric/numeric.h) carries the choice to the
// numerics. This file knows no LLVM.
#ifndef CONGRUENT_IMPLEMENTATION_H
#define CONGRUENT_IMPLEMENTATION_H

#include "sanitizer/format/format.h"

#include <stdbool.h>

// EXACT is what an op is without any licence; functions that are not correctly rounded have their own bound.
//   APPROXIMATED         by approximate instructions of GPUs, or what stands for them (target/approximate.h)
//   RECIPROCAL           of DIV whose first operand is 1: that of the second, approximated
//   FULL_RANGE_DIVISION  of DIV: approximated, in the whole range of the divisor
//   BY_DOUBLE            a function of floats in doubles, rounded once
#define FLOAT_IMPLEMENTATIONS(KIND)                                                                                    \
    KIND(EXACT, "exact")                                                                                               \
    KIND(APPROXIMATED, "approximate")                                                                                  \
    KIND(RECIPROCAL, "approximate reciprocal")                                                                         \
    KIND(FULL_RANGE_DIVISION, "full range")                                                                            \
    KIND(BY_DOUBLE, "double")
typedef enum FloatImplementation {
#define FLOAT_IMPLEMENTATION(id, text) FLOAT_##id,
    FLOAT_IMPLEMENTATIONS(FLOAT_IMPLEMENTATION)
#undef FLOAT_IMPLEMENTATION
        FLOAT_IMPLEMENTATION_COUNT
} FloatImplementation;

// A row of implementations.def for one kind of machine.
typedef struct Implementation {
    FloatImplementation kind;
    double bound;     // in units in the last place of the result; INFINITY: none
    const char *name; // in reports
} Implementation;

// An op, and what may be chosen for it.
typedef struct ImplementationQuery {
    FpsanRule rule;
    FpsanFormat format; // f64, f32, f16 or bf16
    bool gpu;
    bool of_one;      // of DIV: the first operand is 1 in all elements
    bool approximate; // approximate implementations may be chosen
    double limit;     // the bound that has to be met, in units in the last place
} ImplementationQuery;

// What messages call it: "exact", "approximate", ...
const char *float_implementation_name(FloatImplementation kind);
// The row of the rule, for the format: f16 and bf16 have those of f32 with their own bounds, f64 has exact ones alone.
// Rules that have no rows are exact with bound 0.5. False: there is none of that kind.
bool implementation_of(FpsanRule rule, FpsanFormat format, bool gpu, FloatImplementation kind, Implementation *out);
// The cheapest one that meets the limit. False: there is none, and `out` is the most accurate one.
bool implementation_choose(const ImplementationQuery *query, Implementation *out);

#endif
