// SPDX-License-Identifier: Apache-2.0
// See cast_model.h.
#include "tests/accuracy/cast_model.h"

#include <stdlib.h>

const CastTarget cast_targets[CAST_TARGETS] = {
    {TIR_TYPE_f8E4M3FN, 4, -6, 8, CAST_ONE_NAN, 0x7e, 0, 0x7f},
    {TIR_TYPE_f8E4M3FNUZ, 4, -7, 8, CAST_NO_SIGNED_ZERO, 0x7f, 0, 0x80},
    {TIR_TYPE_f8E5M2, 3, -14, 8, CAST_IEEE, 0x7b, 0x7c, 0x7e},
    {TIR_TYPE_f8E5M2FNUZ, 3, -15, 8, CAST_NO_SIGNED_ZERO, 0x7f, 0, 0x80},
    {TIR_TYPE_f6E2M3FN, 4, 0, 6, CAST_FINITE, 0x1f, 0, 0},
    {TIR_TYPE_f6E3M2FN, 3, -2, 6, CAST_FINITE, 0x1f, 0, 0},
    {TIR_TYPE_f4E2M1FN, 2, 0, 4, CAST_FINITE, 0x7, 0, 0},
    {TIR_TYPE_f8E8M0FNU, 1, -127, 8, CAST_POWER, 254, 0, 255},
};

static CastNumber number_of(uint64_t bits, unsigned exponent_bits, unsigned fraction_bits) {
    const uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1), top = (UINT64_C(1) << exponent_bits) - 1,
                   field = bits >> fraction_bits & top;
    const int bias = (int)(top >> 1);
    CastNumber x = {.negative = bits >> (fraction_bits + exponent_bits) & 1,
                    .infinite = field == top && !fraction,
                    .nan = field == top && fraction,
                    .significand = field ? fraction | UINT64_C(1) << fraction_bits : fraction,
                    .exponent = (int)(field ? field : 1) - bias - (int)fraction_bits};
    return x;
}

CastNumber cast_number(TirTypeKind from, uint64_t bits) {
    switch (from) {
    case TIR_TYPE_f64: return number_of(bits, 11, 52);
    case TIR_TYPE_f32: return number_of(bits, 8, 23);
    case TIR_TYPE_f16: return number_of(bits, 5, 10);
    case TIR_TYPE_bf16: return number_of(bits, 8, 7);
    default: abort();
    }
}

CastNumber cast_decode(const CastTarget *target, uint32_t code) {
    const unsigned fraction_bits = target->precision - 1;
    if (target->specials == CAST_POWER) return (CastNumber){.significand = 1, .exponent = (int)code - 127};
    const uint32_t magnitude = code & ((1u << (target->bits - 1)) - 1), field = magnitude >> fraction_bits,
                   fraction = magnitude & ((1u << fraction_bits) - 1);
    return (CastNumber){.negative = code >> (target->bits - 1),
                        .significand = field ? fraction | 1u << fraction_bits : fraction,
                        .exponent = target->least + (int)(field ? field - 1 : 0) - (int)fraction_bits};
}

bool cast_is_nan(const CastTarget *target, uint32_t code) {
    const uint32_t magnitude = code & 0x7f;
    switch (target->specials) {
    case CAST_IEEE: return magnitude > target->infinity;
    case CAST_ONE_NAN: return magnitude == target->nan;
    case CAST_NO_SIGNED_ZERO:
    case CAST_POWER: return code == target->nan;
    case CAST_FINITE: return false;
    }
    abort();
}

// The number of bits of an integer that is not 0.
static int length_of(uint64_t x) {
    int length = 0;
    for (; x; x >>= 1) length++;
    return length;
}

// significand * 2^exponent in units of 2^unit, as an integer, rounded.
static uint64_t in_units(CastNumber x, int unit, uint64_t rounding) {
    if (x.exponent >= unit) return x.significand << (x.exponent - unit); // at most `precision` bits long
    const int cut = unit - x.exponent;
    const uint64_t whole = cut < 64 ? x.significand >> cut : 0;
    // The rest against a half of the unit: both times 2.
    const __uint128_t one = (__uint128_t)1 << (cut < 70 ? cut : 70),
                      rest = x.significand - ((__uint128_t)whole << cut % 128), twice = 2 * rest;
    bool up = false;
    switch (rounding) {
    case TIR_rounding_nearest_even: up = twice > one || (twice == one && whole % 2); break;
    case TIR_rounding_nearest_away: up = twice >= one; break;
    case TIR_rounding_zero: break;
    case TIR_rounding_positive_inf: up = rest && !x.negative; break;
    default: abort();
    }
    return whole + up;
}

uint32_t cast_model(const CastTarget *target, CastNumber x, uint64_t rounding, bool satf) {
    const uint32_t sign_bit = target->specials == CAST_POWER ? 0 : 1u << (target->bits - 1);
    const bool power = target->specials == CAST_POWER, one_zero = target->specials == CAST_NO_SIGNED_ZERO;
    if (power) x.negative = false;
    const uint32_t sign = x.negative ? sign_bit : 0;
    const uint32_t beyond = target->infinity ? target->infinity | sign : one_zero ? target->nan : target->nan | sign;
    if (x.nan) return target->specials == CAST_FINITE ? target->largest : one_zero ? target->nan : target->nan | sign;
    if (x.infinite) return satf ? target->largest | sign : beyond;
    // The last place of a number of that size.
    const int lead = x.significand ? x.exponent + length_of(x.significand) - 1 : target->least;
    if (power && (!x.significand || lead < target->least)) return 0;
    int unit = (lead > target->least ? lead : target->least) - (int)target->precision + 1;
    uint64_t count = in_units(x, unit, rounding);
    if (count >> target->precision) count >>= 1, unit++;
    const bool normal = count >> (target->precision - 1);
    const int64_t field = normal ? unit + (int)target->precision - 1 - target->least + !power : 0;
    const int64_t code = (field << (target->precision - 1)) + (int64_t)(count & ((1u << (target->precision - 1)) - 1));
    if (code > target->largest) {
        const bool inward = rounding == TIR_rounding_zero || (rounding == TIR_rounding_positive_inf && x.negative);
        return satf || inward ? target->largest | sign : beyond;
    }
    return !code && one_zero ? 0 : (uint32_t)code | sign;
}
