// SPDX-License-Identifier: Apache-2.0
// Functions of pairs of doubles, by the C library's functions of 113 bits.
#include "compiler/target/wide_runtime.h"

#include "sanitizer/fpsan.h"

#include <math.h>
#include <string.h>

// The C library has these functions, but declares them for some compilers only.
#ifdef __x86_64__
typedef __float128 Quad;
#else
typedef long double Quad;
#endif
typedef Quad Function1(Quad);
typedef Quad Function2(Quad, Quad);
Function1 expf128, exp2f128, sinf128, cosf128, logf128, log2f128, erff128, tanf128, sinhf128, coshf128, tanhf128;
Function1 acosf128, acoshf128, asinf128, asinhf128, atanf128, atanhf128, cbrtf128, erfcf128, exp10f128, expm1f128,
    log10f128, log1pf128, logbf128, lgammaf128, tgammaf128, j0f128, j1f128, y0f128, y1f128;
Function1 floorf128, sqrtf128, fabsf128;
Function2 powf128, atan2f128, hypotf128;
Quad scalbnf128(Quad, int), jnf128(int, Quad), ynf128(int, Quad);

static Quad rcbrt(Quad x) {
    return 1 / cbrtf128(x);
}

static Quad rhypot(Quad x, Quad y) {
    return 1 / hypotf128(x, y);
}

static Quad normcdf(Quad x) {
    return erfcf128(-x / sqrtf128(2)) / 2;
}

static Quad half_turn(void) { // pi
    return 2 * acosf128(0);
}

// sin(pi r) = sin(pi (1 - r)): the sine is of a quarter of a turn at most.
static Quad sinpi(Quad x) {
    const Quad r = x - 2 * floorf128(x / 2 + 0.5), size = fabsf128(r);
    const Quad sine = sinf128(half_turn() * (size > 0.5 ? 1 - size : size));
    return r < 0 ? -sine : sine;
}

static Quad cospi(Quad x) {
    const Quad size = fabsf128(x - 2 * floorf128(x / 2 + 0.5));
    return sinf128(half_turn() * (0.5 - size));
}

// Where the power overflows the series (1 - 1/(2x^2) + 3/(2x^2)^2 - ..) / (x sqrt(pi)).
static Quad erfcx(Quad x) {
    if (!(x > 100)) return expf128(x * x) * erfcf128(x);
    Quad sum = 1;
    for (int k = 12; k > 0; k--) sum = 1 - sum * (2 * k - 1) / (2 * x * x);
    return sum / (x * sqrtf128(half_turn()));
}

// The y with erf(y) = t and erfc(|y|) = q, by Newton's method: for t where it is small, else for the logarithm of q.
static Quad inverse_erf(Quad t, Quad q) {
    const Quad root = sqrtf128(half_turn());
    if (!(q >= 0)) return q; // NaN
    Quad y = t * root / 2;
    if (fabsf128(t) <= 0.5) {
        for (int i = 0; i < 7; i++) y -= (erff128(y) - t) * root / 2 * expf128(y * y);
        return y;
    }
    if (q == 0) return t * INFINITY;
    y = sqrtf128(-logf128(q) - logf128(-logf128(q) * half_turn()) / 2);
    for (int i = 0; i < 7; i++) {
        const Quad value = erfcf128(y);
        y += value * root / 2 * expf128(y * y) * logf128(value / q);
    }
    return t < 0 ? -y : y;
}

static Quad erfinv(Quad x) {
    return fabsf128(x) <= 1 ? inverse_erf(x, 1 - fabsf128(x)) : (Quad)NAN;
}

static Quad erfcinv(Quad x) {
    return x >= 0 && x <= 2 ? inverse_erf(1 - x, x < 1 ? x : 2 - x) : (Quad)NAN;
}

static Quad normcdfinv(Quad x) {
    return -sqrtf128(2) * erfcinv(2 * x);
}

static Quad bessel_j(Quad n, Quad x) {
    return jnf128((int)n, x);
}

static Quad bessel_y(Quad n, Quad x) {
    return ynf128((int)n, x);
}

static Quad scaled(Quad x, Quad exponent) {
    const double most = 1 << 16, n = (double)exponent;
    return scalbnf128(x, (int)(n > most ? most : n < -most ? -most : n));
}

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

static const struct NamedRow {
    const char *name;
    FunctionRow row;
} named_functions[] = {
    {"acos", {acosf128, 0}},
    {"acosh", {acoshf128, 0}},
    {"asin", {asinf128, 0}},
    {"asinh", {asinhf128, 0}},
    {"atan", {atanf128, 0}},
    {"atanh", {atanhf128, 0}},
    {"cbrt", {cbrtf128, 0}},
    {"erfc", {erfcf128, 0}},
    {"exp10", {exp10f128, 0}},
    {"expm1", {expm1f128, 0}},
    {"log10", {log10f128, 0}},
    {"log1p", {log1pf128, 0}},
    {"logb", {logbf128, 0}},
    {"lgamma", {lgammaf128, 0}},
    {"tgamma", {tgammaf128, 0}},
    {"j0", {j0f128, 0}},
    {"j1", {j1f128, 0}},
    {"y0", {y0f128, 0}},
    {"y1", {y1f128, 0}},
    {"hypot", {0, hypotf128}},
    {"rhypot", {0, rhypot}},
    {"rcbrt", {rcbrt, 0}},
    {"normcdf", {normcdf, 0}},
    {"fast_exp10f", {exp10f128, 0}},
    {"fast_log10f", {log10f128, 0}},
    {"ldexp", {0, scaled}},
    {"scalbn", {0, scaled}},
    {"sinpi", {sinpi, 0}},
    {"cospi", {cospi, 0}},
    {"erfcx", {erfcx, 0}},
    {"erfinv", {erfinv, 0}},
    {"erfcinv", {erfcinv, 0}},
    {"normcdfinv", {normcdfinv, 0}},
    {"jn", {0, bessel_j}},
    {"yn", {0, bessel_y}},
};

// NULL: it is not known.
static const FunctionRow *row_of(uint32_t rule) {
    if (rule < FPSAN_RULE_COUNT) return &functions[rule];
    const FpsanFunction *function = fpsan_function_row(rule - WIDE_FUNCTIONS_BY_NAME);
    for (size_t i = 0; function && i < sizeof named_functions / sizeof *named_functions; i++)
        if (!strcmp(named_functions[i].name, function->name)) return &named_functions[i].row;
    return NULL;
}

bool congruent_wide_knows(uint32_t rule) {
    return row_of(rule);
}

void congruent_wide_function(uint32_t rule, uint32_t lanes, const double *operands, double *results) {
    const FunctionRow *row = row_of(rule);
    for (uint32_t i = 0; i < lanes; i++) {
        const double *x = operands + i;
        const Quad a = number_of(x[0], x[lanes]);
        const Quad result = row->one ? row->one(a) : row->two(a, number_of(x[2 * lanes], x[3 * lanes]));
        const double high = (double)result;
        results[i] = high;
        results[lanes + i] = isfinite(high) ? (double)(result - (Quad)high) : 0;
    }
}
