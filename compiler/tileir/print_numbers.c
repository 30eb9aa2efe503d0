// SPDX-License-Identifier: Apache-2.0
// Numbers as literals of the text form. Floats follow the way of LLVM: six significant digits where they name the same
// bits, else about as many as the precision holds, else hexadecimal; all in exact integer arithmetic, so no locale and
// no rounding of the C library has a say.
#include "compiler/tileir/print_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

// ---- formats --------------------------------------------------------------------------------------------------------

typedef struct FloatValue {
    enum { FLOAT_FINITE, FLOAT_INFINITE, FLOAT_NAN } class;
    bool negative;
    uint64_t significand; // value = significand * 2^exponent
    int exponent;
    bool lowest_binade; // the next smaller value is as far away as the next larger one although significand is a power
                        // of two
} FloatValue;

static FloatValue take_apart(TirTypeKind kind, uint64_t bits) {
    assert(tir_type_rows[kind].class == TIR_CLASS_FLOAT);
    const FpsanFormatInfo *format = fpsan_format_info(tir_float_format(kind)); // tf32 has its 19 bits here
    const bool has_zero = format->specials != FPSAN_POWER;                     // and subnormals
    uint64_t mantissa = bits & ((UINT64_C(1) << format->mantissa_bits) - 1);
    uint64_t exponent_mask = (UINT64_C(1) << format->exponent_bits) - 1;
    uint64_t exponent = bits >> format->mantissa_bits & exponent_mask;
    FloatValue value = {.negative = format->is_signed && bits >> (format->mantissa_bits + format->exponent_bits) & 1};
    bool top = exponent == exponent_mask, all_ones = top && mantissa == (UINT64_C(1) << format->mantissa_bits) - 1;
    if (format->specials == FPSAN_IEEE && top) value.class = mantissa ? FLOAT_NAN : FLOAT_INFINITE;
    if ((format->specials == FPSAN_FN || format->specials == FPSAN_POWER) && all_ones) value.class = FLOAT_NAN;
    if (format->specials == FPSAN_FNUZ && value.negative && !exponent && !mantissa) value.class = FLOAT_NAN;
    bool normal = exponent || !has_zero;
    value.significand = mantissa | (uint64_t)normal << format->mantissa_bits;
    value.exponent = (int)(exponent + (has_zero && !exponent)) - format->bias - (int)format->mantissa_bits;
    value.lowest_binade = exponent <= (has_zero ? 1 : 0);
    return value;
}

bool tir_float_is_nan(TirTypeKind kind, uint64_t bits) {
    return take_apart(kind, bits).class == FLOAT_NAN;
}

bool tir_float_is_integer(TirTypeKind kind, uint64_t bits, uint64_t *value) {
    FloatValue number = take_apart(kind, bits);
    *value = 0;
    if (number.class != FLOAT_FINITE || number.negative) return false;
    if (!number.significand) return true;
    int zeros = __builtin_ctzll(number.significand);
    number.significand >>= zeros;
    number.exponent += zeros;
    if (number.exponent < 0 || 64 - __builtin_clzll(number.significand) + number.exponent > 64) return false;
    *value = number.significand << number.exponent;
    return true;
}

// ---- big unsigned integers, little endian limbs ---------------------------------------------------------------------

// The largest: a 53-bit significand times 5^1074, or 2^971; comparisons stay below 2^2100.
enum { BIG_LIMBS = 96 };
typedef struct Big {
    uint32_t limbs[BIG_LIMBS];
    uint32_t count; // the highest limb is not zero
} Big;

static void big_set(Big *big, uint64_t value) {
    big->count = 0;
    for (; value; value >>= 32) big->limbs[big->count++] = (uint32_t)value;
}

static void big_multiply(Big *big, uint32_t factor) {
    uint64_t carry = 0;
    for (uint32_t i = 0; i < big->count; i++) {
        carry += (uint64_t)big->limbs[i] * factor;
        big->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    assert(big->count < BIG_LIMBS);
    if (carry) big->limbs[big->count++] = (uint32_t)carry;
}

// Divides in place and returns the remainder.
static uint32_t big_divide(Big *big, uint32_t divisor) {
    uint64_t rest = 0;
    for (uint32_t i = big->count; i-- > 0;) {
        rest = rest << 32 | big->limbs[i];
        big->limbs[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (big->count && !big->limbs[big->count - 1]) big->count--;
    return (uint32_t)rest;
}

static void big_shift_left(Big *big, uint32_t by) {
    if (!big->count) return;
    uint32_t words = by / 32, part = by % 32;
    assert(big->count + words + 1 <= BIG_LIMBS);
    memmove(big->limbs + words, big->limbs, big->count * sizeof big->limbs[0]);
    memset(big->limbs, 0, words * sizeof big->limbs[0]);
    big->count += words;
    if (part) big_multiply(big, UINT32_C(1) << part);
}

static void big_multiply_power(Big *big, uint32_t base, uint32_t exponent) { // base 5 or 10
    static const uint32_t five_13 = 1220703125, ten_9 = 1000000000;
    uint32_t step = base == 5 ? 13 : 9, power = base == 5 ? five_13 : ten_9;
    for (; exponent >= step; exponent -= step) big_multiply(big, power);
    for (; exponent; exponent--) big_multiply(big, base);
}

static void big_divide_ten(Big *big, uint32_t exponent) {
    for (; exponent >= 9; exponent -= 9) big_divide(big, 1000000000);
    for (; exponent; exponent--) big_divide(big, 10);
}

static uint32_t big_bits(const Big *big) {
    return big->count ? 32 * big->count - (uint32_t)__builtin_clz(big->limbs[big->count - 1]) : 0;
}

static int big_compare(const Big *a, const Big *b) {
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (uint32_t i = a->count; i-- > 0;)
        if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

// ---- decimal digits -------------------------------------------------------------------------------------------------

enum { DIGITS_MAX = 32 };
typedef struct Decimal { // the number that the digits spell, most significant first, times 10^exponent
    uint8_t digits[DIGITS_MAX];
    uint32_t count;
    int exponent;
} Decimal;

static void drop_trailing_zeros(Decimal *decimal) {
    while (decimal->count > 1 && decimal->digits[decimal->count - 1] == 0) {
        decimal->count--;
        decimal->exponent++;
    }
}

// At most `precision` digits. Rounds half up on the digit after the last, as LLVM does, not half to even.
static void round_decimal(Decimal *decimal, uint32_t precision) {
    if (decimal->count <= precision) return;
    bool up = decimal->digits[precision] >= 5;
    decimal->exponent += (int)(decimal->count - precision);
    decimal->count = precision;
    if (up) {
        uint32_t at = precision;
        while (at > 0 && decimal->digits[at - 1] == 9) decimal->digits[--at] = 0;
        if (at > 0)
            decimal->digits[at - 1]++;
        else {
            decimal->digits[0] = 1;
            decimal->count = 1;
            decimal->exponent += (int)precision;
        }
    }
    drop_trailing_zeros(decimal);
}

// The digits of significand * 2^exponent, not zero, cut to `precision`. Digits far below are cut, not rounded, before
// the last rounding: 196 / 59 stands for log2(10), and which digits go is part of the text form.
static Decimal to_decimal(uint64_t significand, int exponent, uint32_t precision) {
    int zeros = __builtin_ctzll(significand);
    significand >>= zeros;
    exponent += zeros;
    Big big;
    Decimal decimal = {0};
    big_set(&big, significand);
    if (exponent >= 0) {
        big_shift_left(&big, (uint32_t)exponent);
    } else {
        big_multiply_power(&big, 5, (uint32_t)-exponent); // n * 2^-e = n * 5^e * 10^-e
        decimal.exponent = exponent;
    }
    uint32_t bits = big_bits(&big), needed = (precision * 196 + 58) / 59;
    if (bits > needed) {
        uint32_t removed = (bits - needed) * 59 / 196;
        big_divide_ten(&big, removed);
        decimal.exponent += (int)removed;
    }
    uint8_t reversed[DIGITS_MAX];
    uint32_t count = 0;
    while (big.count) {
        assert(count < DIGITS_MAX);
        reversed[count++] = (uint8_t)big_divide(&big, 10);
    }
    decimal.count = count;
    for (uint32_t i = 0; i < count; i++) decimal.digits[i] = reversed[count - 1 - i];
    drop_trailing_zeros(&decimal);
    round_decimal(&decimal, precision);
    return decimal;
}

// Sign of decimal - number * 2^exponent.
static int compare_decimal(const Decimal *decimal, uint64_t number, int exponent) {
    Big left, right;
    uint64_t digits = 0;
    for (uint32_t i = 0; i < decimal->count; i++) digits = digits * 10 + decimal->digits[i];
    big_set(&left, digits);
    big_set(&right, number);
    int tens = decimal->exponent;
    big_multiply_power(tens >= 0 ? &left : &right, 5, (uint32_t)(tens >= 0 ? tens : -tens));
    int shift = tens - exponent; // left * 2^shift against right
    big_shift_left(shift >= 0 ? &left : &right, (uint32_t)(shift >= 0 ? shift : -shift));
    return big_compare(&left, &right);
}

// Whether the decimal rounds (to nearest, ties to even) to this very value; `decimal` has at most 18 digits.
static bool reads_back(const Decimal *decimal, const FloatValue *value, uint32_t mantissa_bits) {
    bool even = !(value->significand & 1);
    bool narrow_below = value->significand == UINT64_C(1) << mantissa_bits && !value->lowest_binade;
    int above = compare_decimal(decimal, 2 * value->significand + 1, value->exponent - 1);
    int below = narrow_below ? compare_decimal(decimal, 4 * value->significand - 1, value->exponent - 2)
                             : compare_decimal(decimal, 2 * value->significand - 1, value->exponent - 1);
    return (above < 0 || (above == 0 && even)) && (below > 0 || (below == 0 && even));
}

// ---- literals -------------------------------------------------------------------------------------------------------

static void print_digits(const Decimal *decimal, uint32_t from, uint32_t to, Buffer *out) {
    for (uint32_t i = from; i < to; i++) buffer_print(out, "%c", '0' + decimal->digits[i]);
}

// 3.141590e+00: always six decimals.
static void print_six_decimals(const Decimal *decimal, Buffer *out) {
    buffer_print(out, "%c.", '0' + decimal->digits[0]);
    print_digits(decimal, 1, decimal->count, out);
    for (uint32_t i = decimal->count; i < 7; i++) buffer_print(out, "0");
    int exponent = decimal->exponent + (int)decimal->count - 1;
    buffer_print(out, "e%c%02d", exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent);
}

// The form of all digits: plain where at most three zeros pad it, else 1.23E+10. Returns false (and prints nothing) if
// it has no point.
static bool print_all_digits(const Decimal *decimal, uint32_t precision, Buffer *out) {
    enum { PADDING_MAX = 3 };
    int exponent = decimal->exponent, count = (int)decimal->count,
        top = exponent + count - 1; // power of the first digit
    bool scientific = exponent >= 0 ? exponent > PADDING_MAX || count + exponent > (int)precision : top < -PADDING_MAX;
    if (scientific) {
        buffer_print(out, "%c.", '0' + decimal->digits[0]);
        print_digits(decimal, 1, decimal->count, out);
        if (count == 1) buffer_print(out, "0");
        buffer_print(out, "E%c%d", top < 0 ? '-' : '+', top < 0 ? -top : top);
        return true;
    }
    if (exponent >= 0) return false;
    uint32_t whole = top >= 0 ? (uint32_t)top + 1 : 0;
    if (!whole) buffer_print(out, "0");
    print_digits(decimal, 0, whole, out);
    buffer_print(out, ".");
    for (int i = top; i < -1; i++) buffer_print(out, "0");
    print_digits(decimal, whole, decimal->count, out);
    return true;
}

static bool print_hexadecimal(TirTypeKind kind, uint64_t bits, Buffer *out) {
    uint32_t width = tir_type_rows[kind].bits;
    if (width < 64) bits &= (UINT64_C(1) << width) - 1;
    buffer_print(out, "0x%0*" PRIX64, (int)((width + 3) / 4), bits);
    return true;
}

static bool print_float(TirTypeKind kind, uint64_t bits, Buffer *out) {
    FloatValue value = take_apart(kind, bits);
    if (value.class != FLOAT_FINITE) return print_hexadecimal(kind, bits, out);
    size_t start = out->size;
    if (value.negative) buffer_print(out, "-");
    if (!value.significand) {
        buffer_print(out, "0.000000e+00");
        return false;
    }
    uint32_t mantissa = fpsan_format_info(tir_float_format(kind))->mantissa_bits;
    Decimal six = to_decimal(value.significand, value.exponent, 6);
    if (reads_back(&six, &value, mantissa)) {
        print_six_decimals(&six, out);
        return false;
    }
    uint32_t precision = 2 + (mantissa + 1) * 59 / 196;
    Decimal all = to_decimal(value.significand, value.exponent, precision);
    if (print_all_digits(&all, precision, out)) return false;
    out->size = start;
    return print_hexadecimal(kind, bits, out);
}

bool tir_print_literal(TirTypeKind kind, uint64_t bits, Buffer *out) {
    if (tir_type_rows[kind].class == TIR_CLASS_FLOAT) return print_float(kind, bits, out);
    if (kind == TIR_TYPE_i1) {
        buffer_print(out, "%s", bits & 1 ? "true" : "false");
        return false;
    }
    uint32_t unused = 64 - tir_type_rows[kind].bits;
    buffer_print(out, "%" PRId64, (int64_t)(bits << unused) >> unused);
    return false;
}
