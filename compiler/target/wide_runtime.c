// SPDX-License-Identifier: Apache-2.0
// Functions of pairs of doubles, by the C library's functions of 113 bits.
#include "compiler/target/wide_runtime.h"

#include "sanitizer/fpsan.h"

#include <math.h>

// The C library has these functions, but declares them for some compilers only.
#ifdef __x86_64__
typedef __float128 Quad;
#else
typedef long double Quad;
#endif
typedef Quad Function1(Quad);
typedef Quad Function2(Quad, Quad);
Function1 expf128, exp2f128, sinf128, cosf128, logf128, log2f128, erff128, tanf128, sinhf128, coshf128, tanhf128;
Function2 powf128, atan2f128;

typedef struct FunctionRow {
    Function1 *one;
    Function2 *two;
} FunctionRow;
static const FunctionRow functions[FPSAN_RULE_COUNT] = {
    [FPSAN_RULE_EXP] = {expf128, 0},   [FPSAN_RULE_EXP2] = {exp2f128, 0},   [FPSAN_RULE_SIN] = {sinf128, 0},
    [FPSAN_RULE_COS] = {cosf128, 0},   [FPSAN_RULE_LOG] = {logf128, 0},     [FPSAN_RULE_LOG2] = {log2f128, 0},
    [FPSAN_RULE_ERF] = {erff128, 0},   [FPSAN_RULE_TAN] = {tanf128, 0},     [FPSAN_RULE_SINH] = {sinhf128, 0},
    [FPSAN_RULE_COSH] = {coshf128, 0}, [FPSAN_RULE_TANH] = {tanhf128, 0},   [FPSAN_RULE_POW] = {0, powf128},
    [FPSAN_RULE_POWI] = {0, powf128},  [FPSAN_RULE_ATAN2] = {0, atan2f128},
};

// A sum with 0 would lose the sign of -0, which atan2 and powers know.
static Quad number_of(double high, double low) {
    return low == 0 ? (Quad)high : (Quad)high + (Quad)low;
}

void congruent_wide_function(uint32_t rule, uint32_t lanes, const double *operands, double *results) {
    const FunctionRow *row = &functions[rule];
    for (uint32_t i = 0; i < lanes; i++) {
        const double *x = operands + i;
        const Quad a = number_of(x[0], x[lanes]);
        const Quad result = row->one ? row->one(a) : row->two(a, number_of(x[2 * lanes], x[3 * lanes]));
        const double high = (double)result;
        results[i] = high;
        results[lanes + i] = isfinite(high) ? (double)(result - (Quad)high) : 0;
    }
}
