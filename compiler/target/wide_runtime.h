// SPDX-License-Identifier: Apache-2.0
// What code of the numeric `wider` calls: functions of pairs of doubles.
#ifndef CONGRUENT_WIDE_RUNTIME_H
#define CONGRUENT_WIDE_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#define WIDE_FUNCTION_NAME "congruent_wide_function"

// For `lanes` numbers the function of an FpsanRule (exp, exp2, sin, cos, log, log2, erf, tan, sinh, cosh, tanh, pow,
// atan2, powi, whose exponent is a number too). A number is the sum of two doubles, its high and its low part.
// `operands` holds the highs of all lanes, then the lows, of the first operand, then those of the second; `results`
// the same of the result, whose low part is 0 where its high part is not finite. Within 2^-104 of the exact value where
// that is a normal double: glibc's functions of 113 bits, which are within 2 units in the last place
// (glibc manual, "Known Maximum Errors in Math Functions").
// `rule` may also be WIDE_FUNCTIONS_BY_NAME and the number of a function by name, if congruent_wide_knows it. Integers
// are numbers too.
enum { WIDE_FUNCTIONS_BY_NAME = 1000 };
bool congruent_wide_knows(uint32_t rule);
void congruent_wide_function(uint32_t rule, uint32_t lanes, const double *operands, double *results);

#endif
