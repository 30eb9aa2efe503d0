// SPDX-License-Identifier: Apache-2.0
// Reference results of ops and their errors; see reference.h.
#include "tests/accuracy/reference.h"

#include <math.h>
#include <stdlib.h>

// Results of MPFR with the precision and the range of a format: while these are set, an operation and mpfr_subnormalize
// round once, as IEEE 754 wants.
static void set_range(const ReferenceFormat *format) {
    mpfr_set_emin(format ? format->least - (int)format->precision + 2 : mpfr_get_emin_min()); // 0.1xxx * 2^e
    mpfr_set_emax(format ? format->most + 1 : mpfr_get_emax_max());
}

static mpfr_rnd_t mode_of(uint64_t rounding) {
    switch (rounding) {
    case TIR_rounding_zero: return MPFR_RNDZ;
    case TIR_rounding_negative_inf: return MPFR_RNDD;
    case TIR_rounding_positive_inf: return MPFR_RNDU;
    default: return MPFR_RNDN;
    }
}

static double flushed(const ReferenceFormat *format, double x) {
    return fabs(x) < ldexp(1, format->least) ? copysign(0, x) : x; // false for NaN
}

static double extreme(bool is_maximum, bool propagate_nan, double a, double b) {
    if (isnan(a) && isnan(b)) return NAN;
    if (isnan(a) || isnan(b)) return propagate_nan ? NAN : isnan(a) ? b : a;
    if (a == b) return !!signbit(a) == is_maximum ? b : a; // zeros of unlike sign
    return (a < b) == is_maximum ? b : a;
}

uint64_t reference_apply(const ReferenceOp *op, const uint64_t *operands) {
    const ReferenceFormat *format = reference_format(op->type);
    mpfr_rnd_t mode = mode_of(op->rounding);
    uint32_t count = tir_op_info(op->op)->operand_count;
    double x[3] = {0}, result;
    int inexact = 0;
    for (uint32_t i = 0; i < count; i++) {
        x[i] = reference_decode(format, operands[i]);
        if (op->flush) x[i] = flushed(format, x[i]);
    }
    if (op->op == TIR_OP_minf || op->op == TIR_OP_maxf)
        return reference_encode(format, extreme(op->op == TIR_OP_maxf, op->propagate_nan, x[0], x[1]));
    uint64_t sign = UINT64_C(1) << (reference_bits(op->type) - 1);
    const bool subnormal = op->flush && x[0] == 0;
    if (op->op == TIR_OP_absf) return subnormal ? 0 : operands[0] & ~sign;
    if (op->op == TIR_OP_negf) return (subnormal ? operands[0] & sign : operands[0]) ^ sign;
    MPFR_DECL_INIT(a, 53);
    MPFR_DECL_INIT(b, 53);
    MPFR_DECL_INIT(c, 53);
    mpfr_t out;
    mpfr_init2(out, format->precision);
    set_range(NULL);
    mpfr_set_d(a, x[0], MPFR_RNDN);
    mpfr_set_d(b, x[1], MPFR_RNDN);
    mpfr_set_d(c, x[2], MPFR_RNDN);
    set_range(format);
    switch (op->op) {
    case TIR_OP_addf: inexact = mpfr_add(out, a, b, mode); break;
    case TIR_OP_subf: inexact = mpfr_sub(out, a, b, mode); break;
    case TIR_OP_mulf: inexact = mpfr_mul(out, a, b, mode); break;
    case TIR_OP_divf: inexact = mpfr_div(out, a, b, mode); break;
    case TIR_OP_fma: inexact = mpfr_fma(out, a, b, c, mode); break;
    case TIR_OP_sqrt: inexact = mpfr_sqrt(out, a, mode); break;
    case TIR_OP_remf: inexact = mpfr_fmod(out, a, b, mode); break;
    case TIR_OP_floor: inexact = mpfr_rint(out, a, MPFR_RNDD); break;
    case TIR_OP_ceil: inexact = mpfr_rint(out, a, MPFR_RNDU); break;
    default: abort();
    }
    inexact = mpfr_check_range(out, inexact, mode);
    mpfr_subnormalize(out, inexact, mode);
    result = mpfr_get_d(out, MPFR_RNDN); // exact
    mpfr_clear(out);
    set_range(NULL);
    return reference_encode(format, op->flush ? flushed(format, result) : result);
}

bool reference_compare(uint64_t predicate, bool ordered, double a, double b) {
    if (isnan(a) || isnan(b)) return !ordered;
    switch (predicate) {
    case TIR_predicate_equal: return a == b;
    case TIR_predicate_not_equal: return a != b;
    case TIR_predicate_less_than: return a < b;
    case TIR_predicate_less_than_or_equal: return a <= b;
    case TIR_predicate_greater_than: return a > b;
    case TIR_predicate_greater_than_or_equal: return a >= b;
    default: abort();
    }
}

static uint64_t mask_of(unsigned width) {
    return width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

uint64_t reference_from_integer(const ReferenceFormat *to, uint64_t integer, unsigned width, bool is_signed) {
    MPFR_DECL_INIT(exact, 64);
    integer &= mask_of(width);
    if (is_signed && integer >> (width - 1) & 1) {
        mpfr_set_ui(exact, -(integer | ~mask_of(width)), MPFR_RNDN);
        mpfr_neg(exact, exact, MPFR_RNDN);
    } else {
        mpfr_set_ui(exact, integer, MPFR_RNDN);
    }
    return reference_round(to, exact, TIR_rounding_nearest_even);
}

uint64_t reference_to_integer(double value, unsigned width, bool is_signed) {
    unsigned magnitude = width - is_signed;
    uint64_t most = magnitude ? mask_of(magnitude) : 0;
    if (isnan(value)) return 0;
    value = trunc(value);
    if (value >= ldexp(1, (int)magnitude)) return most;
    if (value >= 0) return (uint64_t)value;
    if (!is_signed) return 0;
    if (value <= -ldexp(1, (int)magnitude)) return UINT64_C(1) << magnitude;
    return -(uint64_t)-value & mask_of(width);
}

void reference_function(mpfr_ptr out, TirOpKind op, double x, double y) {
    MPFR_DECL_INIT(a, 53);
    MPFR_DECL_INIT(b, 53);
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    switch (op) {
    case TIR_OP_divf: mpfr_div(out, a, b, MPFR_RNDN); break;
    case TIR_OP_sqrt: mpfr_sqrt(out, a, MPFR_RNDN); break;
    case TIR_OP_exp: mpfr_exp(out, a, MPFR_RNDN); break;
    case TIR_OP_exp2: mpfr_exp2(out, a, MPFR_RNDN); break;
    case TIR_OP_log: mpfr_log(out, a, MPFR_RNDN); break;
    case TIR_OP_log2: mpfr_log2(out, a, MPFR_RNDN); break;
    case TIR_OP_sin: mpfr_sin(out, a, MPFR_RNDN); break;
    case TIR_OP_cos: mpfr_cos(out, a, MPFR_RNDN); break;
    case TIR_OP_tan: mpfr_tan(out, a, MPFR_RNDN); break;
    case TIR_OP_sinh: mpfr_sinh(out, a, MPFR_RNDN); break;
    case TIR_OP_cosh: mpfr_cosh(out, a, MPFR_RNDN); break;
    case TIR_OP_tanh: mpfr_tanh(out, a, MPFR_RNDN); break;
    case TIR_OP_pow:
    case TIR_OP_fpowi: mpfr_pow(out, a, b, MPFR_RNDN); break;
    case TIR_OP_atan2: mpfr_atan2(out, a, b, MPFR_RNDN); break;
    case TIR_OP_rsqrt:
        mpfr_rec_sqrt(out, a, MPFR_RNDN);
        if (x == 0) mpfr_set_inf(out, signbit(x) ? -1 : 1); // IEEE 754: rSqrt(-0) is minus infinity
        break;
    default: abort();
    }
}

double reference_error(const ReferenceFormat *format, double got, mpfr_srcptr exact) {
    if (mpfr_nan_p(exact) || isnan(got)) return mpfr_nan_p(exact) && isnan(got) ? 0 : INFINITY;
    if (!!signbit(got) != !!mpfr_signbit(exact)) return INFINITY;
    if (mpfr_inf_p(exact)) return isinf(got) ? 0 : INFINITY;
    long exponent = mpfr_zero_p(exact) ? format->least : mpfr_get_exp(exact) - 1;
    bool beyond = exponent > format->most;
    if (isinf(got) && beyond) return 0;
    if (exponent < format->least) exponent = format->least;
    if (beyond) exponent = format->most;
    mpfr_t difference;
    mpfr_init2(difference, mpfr_get_prec(exact) + 64);
    if (isinf(got))
        mpfr_set_si_2exp(difference, got < 0 ? -1 : 1, format->most + 1, MPFR_RNDN);
    else
        mpfr_set_d(difference, got, MPFR_RNDN);
    mpfr_sub(difference, difference, exact, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, (long)format->precision - 1 - exponent, MPFR_RNDN);
    double error = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return error;
}
