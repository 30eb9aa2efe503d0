// SPDX-License-Identifier: Apache-2.0
// See every_float.h.
#include "tests/accuracy/every_float.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16 }; // floats a call

static double reciprocal_root(double x) {
    return x == 0 ? 1 / x : 1 / sqrt(x); // IEEE 754: rSqrt(-0) is minus infinity
}

const EveryFloat every_float_functions[] = {
    {TIR_OP_exp, exp},   {TIR_OP_exp2, exp2}, {TIR_OP_log, log},   {TIR_OP_log2, log2},
    {TIR_OP_sin, sin},   {TIR_OP_cos, cos},   {TIR_OP_tan, tan},   {TIR_OP_sinh, sinh},
    {TIR_OP_cosh, cosh}, {TIR_OP_tanh, tanh}, {TIR_OP_sqrt, sqrt}, {TIR_OP_rsqrt, reciprocal_root},
};
const size_t every_float_count = BASE_COUNT(every_float_functions);

// One over the unit in the last place that a float of this size has.
static double units_in_one(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    long exponent = (long)(bits >> 52 & 0x7ff) - 1023;
    if (exponent < -126) exponent = -126;
    if (exponent > 127) exponent = 127;
    bits = (uint64_t)(1023 + 23 - exponent) << 52;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double distance(double got, double want) {
    if (isnan(got) || isnan(want)) return isnan(got) && isnan(want) ? 0 : INFINITY;
    if (signbit(got) != signbit(want)) return INFINITY;
    if (isinf(got)) return fabs(want) >= 0x1p128 ? 0 : (0x1p128 - fabs(want)) * 0x1p-104;
    return fabs(got - want) * units_in_one(want); // infinite where `want` is
}

bool every_float_measure(const WholeOps *ops, size_t index, const EveryFloat *function, FunctionError *error) {
    float *operands = malloc(BLOCK * sizeof *operands), *results = malloc(BLOCK * sizeof *results);
    const void *arrays[] = {operands};
    bool good = operands && results;
    for (uint64_t start = 0; good && start >> 32 == 0; start += BLOCK) {
        for (uint32_t i = 0; i < BLOCK; i++) {
            uint32_t bits = (uint32_t)start + i;
            memcpy(&operands[i], &bits, sizeof bits);
        }
        good = whole_op_run(ops, index, arrays, results, BLOCK);
        for (uint32_t i = 0; good && i < BLOCK; i++) {
            double x = (double)operands[i], found = distance((double)results[i], function->function(x));
            error->samples++;
            if (found <= error->worst) continue;
            error->worst = found;
            error->x = x, error->got = (double)results[i];
        }
    }
    free(operands);
    free(results);
    return good;
}
