// SPDX-License-Identifier: Apache-2.0
// The approximate instructions of GPUs as scalar code; see approximate.h.
#include "compiler/target/approximate.h"

#include <math.h>
#include <string.h>

// ---- the table ------------------------------------------------------------------------------------------------------

static const struct ApproximationRow {
    unsigned operands;
    const char *forms[2]; // by whether it flushes
} approximation_rows[] = {
#define APPROXIMATION(id, operands, plain, flushing) {operands, {plain, flushing}},
#include "compiler/target/approximations.def"
#undef APPROXIMATION
};

unsigned approximate_operands(Approximation which) {
    return approximation_rows[which].operands;
}

const char *approximate_instruction(Approximation which, bool flush) {
    const char *form = approximation_rows[which].forms[flush];
    return *form ? form : NULL;
}

bool approximate_find(const char *instruction, Approximation *which, bool *flush) {
    for (unsigned i = 0; i < 2 * APPROXIMATION_COUNT; i++) {
        if (!*instruction || strcmp(instruction, approximation_rows[i / 2].forms[i % 2]) != 0) continue;
        *which = (Approximation)(i / 2);
        *flush = i % 2;
        return true;
    }
    return false;
}

// ---- the formulas ---------------------------------------------------------------------------------------------------

// Fitted for the least error: of 2^f on [-1/2, 1/2] relative, 2^-23.4; of log2(1 + f) absolute, 2^-24.3; of sin(2 pi s)
// on [-1/4, 1/4] absolute, 2^-28; of tanh below 4.2 relative, 2^-15.6.
const float approximate_ex2[] = {0x1.5bb9fep-10F, 0x1.3cea8ap-7F, 0x1.c6b754p-5F, 0x1.ebf9bcp-3F, 0x1.62e42ap-1F};
const float approximate_lg2[] = {-0x1.2a7b4ep-3F, 0x1.e5267cp-3F, -0x1.00122ap-2F, 0x1.2596aap-2F,
                                 -0x1.70bab2p-2F, 0x1.ec7b64p-2F, -0x1.7155bap-1F, 0x1.715472p+0F};
const float approximate_sine[] = {0x1.3c4b2ep+5F, -0x1.3232fap+6F, 0x1.46676ep+6F, -0x1.4abbb6p+5F, 0x1.921fb4p+2F};
const float approximate_tanh_over[] = {0x1.8c48f0p-11F, 0x1.ae0448p-4F};
const float approximate_tanh_under[] = {0x1.be9f54p-7F, 0x1.c0be62p-2F};

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

float approximate_flush(float x) {
    return fabsf(x) < 0x1p-126F ? copysignf(0, x) : x; // false for NaN
}

static float cleared(float x) {
    return float_of(bits_of(x) & ~UINT32_C(1));
}

static float horner(float x, const float *coefficients, size_t count) {
    float sum = coefficients[0];
    for (size_t i = 1; i < count; i++) sum = sum * x + coefficients[i];
    return sum;
}

static float nearest_integer(float x) { // of |x| < 2^22
    return (x + 0x1.8p23F) - 0x1.8p23F;
}

static float exponential(float x) {
    x = x < -160 ? -160 : x > 130 ? 130 : x; // 0 below -150, infinity from 128
    float n = nearest_integer(x), f = x - n, sum = approximate_ex2[0];
    if (isnan(x)) return x;
    for (size_t i = 1; i < EX2_TERMS; i++) sum = fmaf(sum, f, approximate_ex2[i]);
    return ldexpf(fmaf(sum, f, 1), (int)n);
}

static float logarithm(float x) {
    bool is_small = x < 0x1p-126F;
    float scaled = is_small ? x * 0x1p24F : x;
    if (!(x > 0)) return x == 0 ? -INFINITY : NAN;
    if (isinf(x)) return x;
    int32_t above = (int32_t)(bits_of(scaled) - APPROXIMATE_LEAST_OF_LOG2), n = above >> 23;
    float f = float_of(bits_of(scaled) - ((uint32_t)n << 23)) - 1;
    return (float)(is_small ? n - 24 : n) + f * horner(f, approximate_lg2, LG2_TERMS);
}

// x / (2 pi), less the nearest integer.
static float turn(float x) {
    float t = x * APPROXIMATE_PER_TURN;
    return fabsf(t) < 0x1p22F ? t - nearest_integer(t) : t * 0;
}

static float sine_of_turn(float s) {
    return s * horner(s * s, approximate_sine, SINE_TERMS);
}

static float sine(float x) {
    float r = turn(x);
    return sine_of_turn(fabsf(r) > 0.25F ? copysignf(0.5F - fabsf(r), r) : r);
}

static float hyperbolic_tangent(float x) {
    float square = x * x, over = 1, under = 1;
    if (!(fabsf(x) >= 0x1p-126F)) return x; // NaN too
    if (fabsf(x) > APPROXIMATE_TANH_END) return copysignf(1, x);
    over = horner(square, approximate_tanh_over, TANH_TERMS) * square + 1;
    under = horner(square, approximate_tanh_under, TANH_TERMS) * square + 1;
    return float_of((bits_of(x * (over / under)) + 0x800) & 0xfffff000);
}

float approximate(Approximation which, float x, float y) {
    switch (which) {
    case APPROXIMATE_DIV:
    case APPROXIMATE_DIV_FULL: return cleared(x / y);
    case APPROXIMATE_RCP: return cleared(1 / x);
    case APPROXIMATE_SQRT: return cleared(sqrtf(x));
    case APPROXIMATE_RSQRT: return cleared(1 / sqrtf(x));
    case APPROXIMATE_EX2: return exponential(x);
    case APPROXIMATE_LG2: return logarithm(x);
    case APPROXIMATE_SIN: return sine(x);
    case APPROXIMATE_COS: return sine_of_turn(0.25F - fabsf(turn(x)));
    case APPROXIMATE_TANH: return hyperbolic_tangent(x);
    case APPROXIMATION_COUNT: break;
    }
    return NAN;
}
