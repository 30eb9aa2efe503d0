// SPDX-License-Identifier: Apache-2.0
// Exact conversions between float formats, doubles and integers, in integer arithmetic; comparison and classes of real
// bits.
#include "sanitizer/format/format_internal.h"

#include <string.h>

static double double_from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_from_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// 2^exponent for a normal result.
static double power_of_two(int exponent) {
    return double_from_bits((uint64_t)(exponent + 1023) << 52);
}

static bool bits_are_nan(FpsanFormat format, const FpsanLayout *layout, uint64_t bits) {
    uint64_t magnitude = bits & layout->magnitude;
    return magnitude > layout->nan_above || (fpsan_zero_is_unsigned(format) && !magnitude && bits & layout->sign);
}

double fpsan_decode(FpsanFormat format, uint64_t bits) {
    if (format == FPSAN_F64) return double_from_bits(bits);
    FpsanLayout layout = fpsan_layout(format);
    FpsanSpecials specials = fpsan_format_info(format)->specials;
    uint64_t magnitude = bits & layout.magnitude, sign = bits & layout.sign ? (uint64_t)1 << 63 : 0;
    uint64_t mantissa = magnitude & (((uint64_t)1 << layout.mantissa) - 1);
    int exponent = (int)(magnitude >> layout.mantissa);
    if (bits_are_nan(format, &layout, bits))
        return double_from_bits(sign | (uint64_t)0x7ff8 << 48 | mantissa << (52 - layout.mantissa));
    if (specials == FPSAN_IEEE && magnitude == layout.infinity) return double_from_bits(sign | (uint64_t)0x7ff << 52);
    double value;
    if (specials == FPSAN_POWER)
        value = power_of_two(exponent - layout.bias);
    else if (exponent == 0)
        value = (double)mantissa * power_of_two(layout.emin - (int)layout.mantissa);
    else
        value = (double)(mantissa | (uint64_t)1 << layout.mantissa) *
                power_of_two(exponent - layout.bias - (int)layout.mantissa);
    return sign ? -value : value;
}

// Whether a magnitude whose kept part is odd or not, and whose rest compares with a half as `rest`, is rounded up.
static bool rounds_up(FpsanRounding rounding, bool negative, bool odd, bool any, int against_half) {
    switch (rounding) {
    case FPSAN_NEAREST_EVEN: return against_half > 0 || (against_half == 0 && odd);
    case FPSAN_NEAREST_AWAY: return against_half >= 0;
    case FPSAN_TOWARD_ZERO: return false;
    case FPSAN_TOWARD_NEGATIVE: return any && negative;
    case FPSAN_TOWARD_POSITIVE: return any && !negative;
    case FPSAN_ROUNDING_COUNT: break;
    }
    return false;
}

// The magnitude bits of significand * 2^exponent, significand not 0.
static uint64_t round_magnitude(FpsanFormat format, uint64_t significand, int exponent, bool negative,
                                FpsanRounding rounding) {
    FpsanLayout layout = fpsan_layout(format);
    bool power = fpsan_format_info(format)->specials == FPSAN_POWER;
    int kept = (int)fpsan_format_info(format)->mantissa_bits;
    int lead = 63 - __builtin_clzll(significand) + exponent; // exponent of the leading bit
    if (power && lead < -layout.bias) return 0;
    int emin = power ? -layout.bias : layout.emin;
    int base = lead > emin ? lead : emin;
    int drop = base - kept - exponent; // how many low bits of the significand go
    uint64_t quotient;
    if (drop <= 0) {
        quotient = significand << -drop; // fits: its leading bit lies at or below `kept`
    } else if (drop > 64) {
        quotient = rounds_up(rounding, negative, false, true, -1);
    } else {
        quotient = drop == 64 ? 0 : significand >> drop;
        uint64_t rest = significand & fpsan_mask((unsigned)drop), half = (uint64_t)1 << (drop - 1);
        quotient += rounds_up(rounding, negative, quotient & 1, rest != 0, (rest > half) - (rest < half));
    }
    // The implicit bit, where there is one, raises the exponent field from 0 to 1 by itself; e8m0 has no field for it.
    uint64_t step = (uint64_t)(base - emin);
    if (step > layout.magnitude >> layout.mantissa)
        step = layout.magnitude >> layout.mantissa; // far beyond every format
    uint64_t code = ((quotient + (step << kept)) << layout.padding) - (power ? 1 : 0);
    if (code <= layout.largest) return code;
    bool to_finite = rounding == FPSAN_TOWARD_ZERO || (rounding == FPSAN_TOWARD_NEGATIVE && !negative) ||
                     (rounding == FPSAN_TOWARD_POSITIVE && negative);
    return to_finite ? layout.largest : layout.infinity;
}

uint64_t fpsan_encode(FpsanFormat format, double value, FpsanRounding rounding) {
    FpsanLayout layout = fpsan_layout(format);
    uint64_t bits = bits_from_double(value);
    uint64_t magnitude = bits & ~((uint64_t)1 << 63), mantissa = bits & (((uint64_t)1 << 52) - 1);
    bool negative = bits >> 63 && layout.sign;
    uint64_t sign = negative ? layout.sign : 0;
    if (magnitude > (uint64_t)0x7ff << 52) return layout.nan | sign;
    if (magnitude == (uint64_t)0x7ff << 52) return layout.infinity | sign;
    int field = (int)(magnitude >> 52);
    uint64_t significand = field ? mantissa | (uint64_t)1 << 52 : mantissa, code = 0;
    if (magnitude) code = round_magnitude(format, significand, (field ? field : 1) - 1075, negative, rounding);
    return !code && fpsan_zero_is_unsigned(format) ? 0 : code | sign;
}

uint64_t fpsan_encode_nearest(FpsanFormat format, double value) {
    return fpsan_encode(format, value, FPSAN_NEAREST_EVEN);
}

uint64_t fpsan_encode_saturating(FpsanFormat format, double value, FpsanRounding rounding) {
    const double largest = fpsan_decode(format, fpsan_layout(format).largest);
    if (value != value && fpsan_format_info(format)->specials == FPSAN_FINITE) value = largest;
    if (value > largest) value = largest;
    if (value < -largest) value = -largest;
    return fpsan_encode(format, value, rounding);
}

uint64_t fpsan_convert(FpsanFormat from, FpsanFormat to, uint64_t bits, FpsanRounding rounding) {
    return fpsan_encode(to, fpsan_decode(from, bits), rounding);
}

uint64_t fpsan_integer_to_bits(FpsanFormat to, uint64_t integer, unsigned width, bool is_signed) {
    FpsanLayout layout = fpsan_layout(to);
    uint64_t value = is_signed ? fpsan_sign_extend(integer, width) : integer & fpsan_mask(width);
    bool negative = is_signed && value >> 63;
    uint64_t sign = negative ? layout.sign : 0;
    if (value == 0) return 0;
    return round_magnitude(to, negative ? -value : value, 0, sign != 0, FPSAN_NEAREST_EVEN) | sign;
}

uint64_t fpsan_bits_to_integer(FpsanFormat from, uint64_t bits, unsigned width, bool is_signed) {
    double value = fpsan_decode(from, bits);
    if (value != value) return 0;
    double limit = power_of_two((int)(is_signed ? width - 1 : width)); // one more than the largest
    if (value >= limit) return fpsan_mask(is_signed ? width - 1 : width);
    if (is_signed && value < -limit) return (uint64_t)1 << (width - 1);
    if (!is_signed && value <= 0) return 0;
    return (is_signed ? (uint64_t)(int64_t)value : (uint64_t)value) & fpsan_mask(width);
}

bool fpsan_compare_bits(FpsanFormat format, FpsanPredicate predicate, bool ordered, uint64_t a, uint64_t b) {
    double x = fpsan_decode(format, a), y = fpsan_decode(format, b);
    if (x != x || y != y) return !ordered;
    switch (predicate) {
    case FPSAN_EQUAL: return x == y;
    case FPSAN_NOT_EQUAL: return x != y;
    case FPSAN_LESS_THAN: return x < y;
    case FPSAN_LESS_THAN_OR_EQUAL: return x <= y;
    case FPSAN_GREATER_THAN: return x > y;
    case FPSAN_GREATER_THAN_OR_EQUAL: return x >= y;
    case FPSAN_PREDICATE_COUNT: break;
    }
    return false;
}

unsigned fpsan_classify_bits(FpsanFormat format, uint64_t bits) {
    FpsanLayout layout = fpsan_layout(format);
    FpsanSpecials specials = fpsan_format_info(format)->specials;
    uint64_t magnitude = bits & layout.magnitude;
    unsigned sign = bits & layout.sign ? FPSAN_CLASS_NEGATIVE : 0;
    if (bits_are_nan(format, &layout, bits)) return sign | FPSAN_CLASS_NAN;
    if (specials == FPSAN_IEEE && magnitude == layout.infinity) return sign | FPSAN_CLASS_INFINITE;
    if (specials == FPSAN_POWER || magnitude >> layout.mantissa) return sign | FPSAN_CLASS_NORMAL;
    return sign | (magnitude ? FPSAN_CLASS_SUBNORMAL : FPSAN_CLASS_ZERO);
}
