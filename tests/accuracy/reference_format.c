// SPDX-License-Identifier: Apache-2.0
// The float formats for the reference: a table written from their standards, decoding, encoding, and one rounding.
#include "tests/accuracy/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ReferenceFormat formats[] = {
    // kind, precision, least, most, specials, exponent bits, low zeros, largest
    {TIR_TYPE_f64, 53, -1022, 1023, REFERENCE_IEEE, 11, 0, 0x1.fffffffffffffp1023},
    {TIR_TYPE_f32, 24, -126, 127, REFERENCE_IEEE, 8, 0, 0x1.fffffep127},
    {TIR_TYPE_tf32, 11, -126, 127, REFERENCE_IEEE, 8, 13, 0x1.ffcp127},
    {TIR_TYPE_f16, 11, -14, 15, REFERENCE_IEEE, 5, 0, 65504},
    {TIR_TYPE_bf16, 8, -126, 127, REFERENCE_IEEE, 8, 0, 0x1.fep127},
    {TIR_TYPE_f8E4M3FN, 4, -6, 8, REFERENCE_ONE_NAN, 4, 0, 448},
    {TIR_TYPE_f8E5M2, 3, -14, 15, REFERENCE_IEEE, 5, 0, 57344},
    {TIR_TYPE_f8E8M0FNU, 1, -127, 127, REFERENCE_SCALE, 8, 0, 0x1p127},
    {TIR_TYPE_f4E2M1FN, 2, 0, 2, REFERENCE_FINITE, 2, 0, 6},
    {TIR_TYPE_f8E4M3FNUZ, 4, -7, 7, REFERENCE_UNSIGNED_ZERO, 4, 0, 240},
    {TIR_TYPE_f8E5M2FNUZ, 3, -15, 15, REFERENCE_UNSIGNED_ZERO, 5, 0, 57344},
    {TIR_TYPE_f6E2M3FN, 4, 0, 2, REFERENCE_FINITE, 2, 0, 7.5},
    {TIR_TYPE_f6E3M2FN, 3, -2, 4, REFERENCE_FINITE, 3, 0, 28},
};

const ReferenceFormat *reference_format(TirTypeKind kind) {
    for (size_t i = 0; i < BASE_COUNT(formats); i++)
        if (formats[i].kind == kind) return &formats[i];
    return NULL;
}

// Bits below the sign.
static unsigned magnitude_bits(const ReferenceFormat *format) {
    return format->exponent_bits + format->precision - 1;
}

unsigned reference_bits(TirTypeKind kind) {
    const ReferenceFormat *format = reference_format(kind);
    if (!format) return tir_type_rows[kind].bits;
    return magnitude_bits(format) + (format->specials != REFERENCE_SCALE) + format->low_zeros;
}

double reference_decode(const ReferenceFormat *format, uint64_t bits) {
    if (format->specials == REFERENCE_SCALE) return bits == 255 ? NAN : ldexp(1, (int)bits - 127);
    bits >>= format->low_zeros;
    unsigned fraction_bits = format->precision - 1;
    uint64_t top = (UINT64_C(1) << format->exponent_bits) - 1, fraction = bits & ((UINT64_C(1) << fraction_bits) - 1),
             exponent = bits >> fraction_bits & top;
    double sign = bits >> magnitude_bits(format) & 1 ? -1 : 1;
    if (format->specials == REFERENCE_UNSIGNED_ZERO && bits == UINT64_C(1) << magnitude_bits(format)) return NAN;
    if (exponent == top && format->specials == REFERENCE_IEEE) return copysign(fraction ? NAN : INFINITY, sign);
    if (exponent == top && format->specials == REFERENCE_ONE_NAN && fraction + 1 == UINT64_C(1) << fraction_bits)
        return copysign(NAN, sign);
    if (!exponent) return sign * ldexp((double)fraction, format->least - (int)fraction_bits);
    return sign * ldexp((double)(fraction | UINT64_C(1) << fraction_bits),
                        format->least + (int)exponent - 1 - (int)fraction_bits);
}

bool reference_is_nan(const ReferenceFormat *format, uint64_t bits) {
    return isnan(reference_decode(format, bits));
}

static uint64_t nan_bits(const ReferenceFormat *format, bool negative) {
    uint64_t sign = (uint64_t)negative << magnitude_bits(format);
    switch (format->specials) {
    case REFERENCE_IEEE:
        return (sign | ((UINT64_C(2) << format->exponent_bits) - 1) << (format->precision - 2)) << format->low_zeros;
    case REFERENCE_ONE_NAN: return sign | ((UINT64_C(1) << magnitude_bits(format)) - 1);
    case REFERENCE_SCALE: return 255;
    case REFERENCE_UNSIGNED_ZERO: return UINT64_C(1) << magnitude_bits(format);
    case REFERENCE_FINITE: return reference_encode(format, format->largest);
    }
    abort();
}

uint64_t reference_encode(const ReferenceFormat *format, double value) {
    unsigned fraction_bits = format->precision - 1;
    if (format->specials == REFERENCE_UNSIGNED_ZERO && value == 0) return 0;
    uint64_t bits = (uint64_t) !!signbit(value) << magnitude_bits(format);
    if (isnan(value)) return nan_bits(format, signbit(value));
    if (format->specials == REFERENCE_SCALE) return (uint64_t)(ilogb(value) + 127);
    if (isinf(value)) {
        if (format->specials != REFERENCE_IEEE) abort();
        return (bits | ((UINT64_C(1) << format->exponent_bits) - 1) << fraction_bits) << format->low_zeros;
    }
    double magnitude = fabs(value);
    int exponent = value == 0 || magnitude < ldexp(1, format->least) ? format->least : ilogb(magnitude);
    double scaled = ldexp(magnitude, (int)fraction_bits - exponent);
    uint64_t significand = (uint64_t)scaled; // below 2^fraction_bits for subnormals: the exponent field stays 0
    if ((double)significand != scaled || exponent > format->most) abort(); // not a value of the format
    uint64_t field = significand >> fraction_bits ? (uint64_t)(exponent - format->least + 1) : 0;
    significand &= (UINT64_C(1) << fraction_bits) - 1;
    return (bits | field << fraction_bits | significand) << format->low_zeros;
}

static int round_to_integer(mpfr_ptr x, uint64_t rounding) {
    switch (rounding) {
    case TIR_rounding_nearest_even: return mpfr_rint(x, x, MPFR_RNDN);
    case TIR_rounding_zero: return mpfr_rint(x, x, MPFR_RNDZ);
    case TIR_rounding_negative_inf: return mpfr_rint(x, x, MPFR_RNDD);
    case TIR_rounding_positive_inf: return mpfr_rint(x, x, MPFR_RNDU);
    case TIR_rounding_nearest_away: return mpfr_round(x, x);
    default: abort();
    }
}

// Beyond the largest number: infinity or the largest number; formats of 8 bits and less have the largest number always.
static uint64_t overflow(const ReferenceFormat *format, bool negative, bool infinite, uint64_t rounding) {
    bool inward =
        rounding == TIR_rounding_zero || rounding == (negative ? TIR_rounding_positive_inf : TIR_rounding_negative_inf);
    if (magnitude_bits(format) < 8 || format->specials == REFERENCE_SCALE || (inward && !infinite))
        return reference_encode(format, negative ? -format->largest : format->largest);
    return reference_encode(format, negative ? -INFINITY : INFINITY);
}

uint64_t reference_round(const ReferenceFormat *format, mpfr_srcptr value, uint64_t rounding) {
    bool negative = mpfr_signbit(value);
    if (mpfr_nan_p(value)) return nan_bits(format, negative);
    if (format->specials == REFERENCE_SCALE) negative = false;
    if (mpfr_inf_p(value)) return overflow(format, negative, true, rounding);
    if (mpfr_zero_p(value) && format->specials != REFERENCE_SCALE)
        return reference_encode(format, negative ? -0.0 : 0.0);
    // The value in units of the last place that a result of its size has, as an integer.
    mpfr_t units;
    mpfr_init2(units, mpfr_get_prec(value) + 2);
    mpfr_set(units, value, MPFR_RNDN);
    if (format->specials == REFERENCE_SCALE) mpfr_abs(units, units, MPFR_RNDN);
    long exponent = mpfr_zero_p(value) ? format->least : mpfr_get_exp(value) - 1;
    if (exponent < format->least) exponent = format->least;
    mpfr_mul_2si(units, units, (long)format->precision - 1 - exponent, MPFR_RNDN);
    round_to_integer(units, rounding);
    if (format->specials == REFERENCE_SCALE && mpfr_zero_p(units)) mpfr_set_ui(units, 1, MPFR_RNDN);
    mpfr_mul_2si(units, units, exponent - (long)format->precision + 1, MPFR_RNDN);
    double result = mpfr_get_d(units, MPFR_RNDN); // exact, or infinite
    mpfr_clear(units);
    if (fabs(result) > format->largest) return overflow(format, negative, false, rounding);
    if (result == 0) result = negative ? -0.0 : 0.0;
    return reference_encode(format, result);
}

bool reference_same(const ReferenceFormat *format, uint64_t a, uint64_t b) {
    return a == b || (format && reference_is_nan(format, a) && reference_is_nan(format, b));
}
