// SPDX-License-Identifier: Apache-2.0
// See functions.h.
#include "tests/accuracy/functions.h"

#include "tests/accuracy/reference.h"
#include "tests/accuracy/samples.h"

#include <math.h>
#include <stdlib.h>

const TirTypeKind function_types[FUNCTION_TYPES] = {TIR_TYPE_f64, TIR_TYPE_f32, TIR_TYPE_f16, TIR_TYPE_bf16};

enum { ALL = 15, FLOATS = 14, SINGLE = 2 }; // of function_types
const FunctionBound function_bounds[] = {
#define BOUND(op, rounding, flush, implementation, types)                                                              \
    {TIR_OP_##op, TIR_rounding_##rounding, flush, FLOAT_##implementation, types},
#include "tests/accuracy/bounds.def"
#undef BOUND
};
const size_t function_bound_count = BASE_COUNT(function_bounds);

double function_bound(const FunctionBound *bound, size_t type) {
    Implementation found;
    const FpsanRule rule = tir_op_info(bound->op)->rule;
    if (!(bound->types >> type & 1)) return 0;
    return implementation_of(rule, tir_float_format(function_types[type]), false, bound->implementation, &found)
               ? found.bound
               : 0;
}

WholeOp function_op(const FunctionBound *bound, size_t type) {
    TirTypeKind kind = function_types[type];
    return (WholeOp){.op = bound->op,
                     .from = kind,
                     .to = kind,
                     .rounding = bound->rounding,
                     .flush = bound->flush,
                     .implementation = bound->implementation};
}

// ---- operands -------------------------------------------------------------------------------------------------------

static uint64_t nearest(const ReferenceFormat *format, double value) {
    MPFR_DECL_INIT(exact, 53);
    mpfr_set_d(exact, value, MPFR_RNDN);
    return reference_round(format, exact, TIR_rounding_nearest_even);
}

static double unit(uint64_t *state) { // 0 <= x < 1
    return (double)(samples_random(state) >> 11) * 0x1p-53;
}

// The number of the format next to a random multiple of pi/2, where sin, cos or tan cancel.
static uint64_t near_quadrant(const ReferenceFormat *format, uint64_t *state) {
    long bits = (long)(samples_random(state) % (uint64_t)(format->most - 1));
    mpfr_t angle;
    mpfr_init2(angle, 1200);
    mpfr_const_pi(angle, MPFR_RNDN);
    mpfr_mul_ui(angle, angle, samples_random(state) | 1, MPFR_RNDN);
    mpfr_mul_2si(angle, angle, bits - 64, MPFR_RNDN);
    if (bits < 64) { // a whole multiple
        mpfr_const_pi(angle, MPFR_RNDN);
        mpfr_mul_ui(angle, angle, samples_random(state) >> (63 - bits % 24), MPFR_RNDN);
        mpfr_div_2ui(angle, angle, 1, MPFR_RNDN);
    }
    uint64_t result = reference_round(format, angle, TIR_rounding_zero);
    mpfr_clear(angle);
    return result;
}

// Such that x^y neither over- nor underflows, or hardly.
static double power_for(const ReferenceFormat *format, double x, uint64_t *state) {
    double logarithm = log2(fabs(x)), range = (format->most + 30) * (2 * unit(state) - 1);
    if (samples_random(state) % 4 == 0) return rint(32 * (unit(state) - 0.5)); // a small integer
    return isfinite(logarithm) && logarithm != 0 ? range / logarithm : range;
}

// An exponent of fpowi: small, up to where x^y overflows, or any.
static int32_t integer_power_for(const ReferenceFormat *format, double x, uint64_t *state) {
    uint64_t random = samples_random(state);
    double limit = (format->most + 30) / fabs(log2(fabs(x)));
    if (random % 4 == 0) return (int32_t)(random >> 32);
    if (random % 4 == 1 || !(limit < 0x1p31)) return (int32_t)(random >> 32) % 40;
    return (int32_t)(limit * (2 * unit(state) - 1));
}

static void sample(const ReferenceFormat *format, TirOpKind op, size_t i, size_t samples, uint64_t *state,
                   uint64_t *x) {
    unsigned bits = reference_bits(format->kind);
    uint64_t step = bits == 64 ? UINT64_MAX / samples : (UINT64_C(1) << bits) / samples,
             sign = samples_random(state) & 1;
    bool two = tir_op_info(op)->operand_count == 2;
    double value = 0;
    samples_operands(format, 2, two ? i : i < 40 ? i : 4000 + 4 * i, state, x); // edges first
    if (two ? i >= 1600 : i >= 40) {
        switch (i % 5) {
        case 0: x[0] = i * step + (step ? samples_random(state) % step : 0); break;           // the whole range
        case 1: value = (unit(state) - 0.5) * 2.1 * format->most * 0.6931471805599453; break; // exp, sinh
        case 2: value = 12 * (unit(state) - 0.5); break;
        case 3:
            value = 1 + (unit(state) - 0.5) * ldexp(1, -(int)(samples_random(state) % (format->precision + 1)));
            break;
        default: x[0] = near_quadrant(format, state) | (sign ? UINT64_C(1) << (bits - 1) : 0); break;
        }
        if (i % 5 >= 1 && i % 5 <= 3) x[0] = nearest(format, value);
        if (op == TIR_OP_pow && i % 8) x[1] = nearest(format, power_for(format, reference_decode(format, x[0]), state));
        if (op == TIR_OP_pow && i % 3) x[0] &= (UINT64_C(1) << (bits - 1)) - 1;
    }
    if (op == TIR_OP_divf && i % 3 == 0 && i >= 1600)
        x[1] = nearest(format, reference_decode(format, x[0]) * unit(state));
    if (op == TIR_OP_fpowi) x[1] = (uint32_t)integer_power_for(format, reference_decode(format, x[0]), state);
    for (unsigned k = 0; k < (op == TIR_OP_fpowi ? 1 : 2);
         k++) // a signalling NaN is no operand of a C function: pow(1, it) may be NaN
        if (reference_is_nan(format, x[k])) x[k] |= UINT64_C(1) << (format->precision - 2);
}

// ---- measuring ------------------------------------------------------------------------------------------------------

typedef struct Sampling {
    const WholeOp *op;
    const ReferenceFormat *format;
    bool exhaustive;
    size_t elements;
} Sampling;

static void operands_of(const Sampling *s, size_t i, uint64_t *state, uint64_t *x) {
    x[1] = 0;
    if (s->exhaustive)
        x[0] = i & ((UINT64_C(1) << reference_bits(s->op->from)) - 1);
    else
        sample(s->format, s->op->op, i, s->elements, state, x);
}

static double flushed(const Sampling *s, double x) {
    return s->op->flush && fabs(x) < ldexp(1, s->format->least) ? copysign(0, x) : x;
}

// What flush_to_zero makes of an exact result: nothing is left of a subnormal one.
static void flush_result(const Sampling *s, mpfr_ptr exact) {
    if (!s->op->flush || mpfr_nan_p(exact) || mpfr_zero_p(exact) || mpfr_inf_p(exact)) return;
    MPFR_DECL_INIT(rounded, 24);
    mpfr_set(rounded, exact, MPFR_RNDN);
    if (mpfr_get_exp(rounded) - 1 < s->format->least) mpfr_set_zero(exact, mpfr_signbit(exact) ? -1 : 1);
}

static void note(const Sampling *s, const uint64_t *x, uint64_t bits, FunctionError *error) {
    bool whole = s->op->op == TIR_OP_fpowi;
    double a = reference_decode(s->format, x[0]), b = whole ? (int32_t)x[1] : reference_decode(s->format, x[1]),
           got = reference_decode(s->format, bits);
    mpfr_t exact;
    mpfr_init2(exact, s->format->precision + 40);
    reference_function(exact, s->op->op, flushed(s, a), flushed(s, b));
    flush_result(s, exact);
    double distance = reference_error(s->format, got, exact);
    mpfr_clear(exact);
    if (error->samples++ && distance <= error->worst) return;
    error->worst = distance;
    error->x = a, error->y = b, error->got = got;
}

bool function_measure(const WholeOps *ops, size_t index, size_t samples, FunctionError *error) {
    const WholeOp *op = &ops->ops[index];
    uint32_t count = tir_op_info(op->op)->operand_count;
    unsigned bits = reference_bits(op->from);
    Sampling s = {op, reference_format(op->from), count == 1 && bits <= 16 && samples >> bits, 0};
    s.elements = ((s.exhaustive ? (size_t)1 << bits : samples) + ops->tile - 1) / ops->tile * ops->tile;
    void *arrays[WHOLE_OP_OPERANDS] = {malloc(s.elements * 8), malloc(s.elements * 8)},
         *results = malloc(s.elements * 8);
    uint64_t state = 17, x[2];
    bool good = arrays[0] && arrays[1] && results;
    for (size_t i = 0; good && i < s.elements; i++) {
        operands_of(&s, i, &state, x);
        for (uint32_t k = 0; k < count; k++) whole_op_put(arrays[k], whole_op_operand(op, k), i, x[k]);
    }
    good = good && whole_op_run(ops, index, (const void *const *)arrays, results, s.elements);
    for (size_t i = 0; good && i < s.elements; i++) {
        for (uint32_t k = 0; k < count; k++) x[k] = whole_op_get(arrays[k], whole_op_operand(op, k), i);
        note(&s, x, whole_op_get(results, op->to, i), error);
    }
    free(arrays[0]);
    free(arrays[1]);
    free(results);
    return good;
}
