// SPDX-License-Identifier: Apache-2.0
// Numbers of the text form to bits. A decimal float is read as f64 and rounded from there to its own type, as MLIR does
// it.
#include "compiler/tileir/parse_internal.h"
#include "compiler/tileir/print_internal.h"

#include <locale.h>
#include <stdlib.h>

// ---- integers -------------------------------------------------------------------------------------------------------

static bool token_is_hexadecimal(const Token *token) {
    return token->kind == TOKEN_INTEGER && token->length > 2 && token->start[1] == 'x';
}

// The digits of an integer token; false if they do not fit in 64 bits.
static bool read_digits(const Token *token, uint64_t *value) {
    bool hexadecimal = token_is_hexadecimal(token);
    uint64_t base = hexadecimal ? 16 : 10;
    *value = 0;
    for (size_t i = hexadecimal ? 2 : 0; i < token->length; i++) {
        char c = token->start[i];
        uint64_t digit = (uint64_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        if (__builtin_mul_overflow(*value, base, value) || __builtin_add_overflow(*value, digit, value)) return false;
    }
    return true;
}

bool parse_unsigned(Parser *p, uint64_t *value, const char *what) {
    Token token = p->token;
    if (!parse_need(p, TOKEN_INTEGER, what)) return false;
    return read_digits(&token, value) || parse_fail(p, &token, "the number does not fit in 64 bits, expected %s", what);
}

bool parse_integer(Parser *p, int64_t *value, const char *what) {
    Token start = p->token;
    bool negative = parse_take(p, '-');
    uint64_t digits;
    if (!parse_unsigned(p, &digits, what)) return false;
    if (digits > (uint64_t)INT64_MAX + negative)
        return parse_fail(p, &start, "the number does not fit in 64 bits with a sign, expected %s", what);
    *value = negative ? (int64_t)-digits : (int64_t)digits;
    return true;
}

static bool parse_integer_number(Parser *p, TirTypeKind kind, uint64_t *bits) {
    Token start = p->token;
    uint32_t width = tir_type_rows[kind].bits;
    if (kind == TIR_TYPE_i1 && (parse_at_word(p, "true") || parse_at_word(p, "false"))) {
        *bits = parse_at_word(p, "true");
        parse_advance(p);
        return true;
    }
    int64_t value = 0;
    if (!parse_integer(p, &value, "an integer")) return false;
    if (width < 64 && (value < -(INT64_C(1) << (width - 1)) || value >= INT64_C(1) << width))
        return parse_fail(p, &start, "the number %lld does not fit in %s", (long long)value, tir_type_rows[kind].name);
    *bits = width < 64 ? (uint64_t)value & ((UINT64_C(1) << width) - 1) : (uint64_t)value;
    return true;
}

// ---- floats ---------------------------------------------------------------------------------------------------------

// value >> shift, rounded to nearest, ties to even.
static uint64_t shift_rounded(uint64_t value, int shift) {
    if (shift <= 0) return value << -shift;
    if (shift > 63) return 0; // the value has at most 53 bits
    uint64_t kept = value >> shift, dropped = value & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    return kept + (dropped > half || (dropped == half && kept & 1));
}

static int bit_length(uint64_t value) {
    return value ? 64 - __builtin_clzll(value) : 0;
}

// What is beyond the largest number: infinity, NaN, or the largest number itself.
static uint64_t overflow_bits(const LiteralFormat *format) {
    uint64_t exponents = (UINT64_C(1) << format->exponent) - 1, mantissas = (UINT64_C(1) << format->mantissa) - 1;
    return exponents << format->mantissa | (format->specials == SPECIAL_IEEE ? 0 : mantissas);
}

// The bits of a finite or infinite, not negative f64; false if the format has nothing near it.
static bool round_to_format(const LiteralFormat *format, uint64_t f64, uint64_t *bits) {
    uint64_t fraction = f64 & ((UINT64_C(1) << 52) - 1);
    int field = (int)(f64 >> 52), lowest = (format->has_zero ? 1 : 0) - format->bias;
    if (field == 0x7FF) {
        *bits = overflow_bits(format);
        return true;
    }
    uint64_t value = field ? fraction | UINT64_C(1) << 52 : fraction;
    int exponent = (field ? field : 1) - 1075, top = exponent + bit_length(value) - 1;
    int quantum = (top > lowest ? top : lowest) - format->mantissa;
    uint64_t rounded = shift_rounded(value, quantum - exponent);
    if (bit_length(rounded) > format->mantissa + 1) rounded >>= 1, quantum++;
    bool normal = rounded >> format->mantissa;
    if (!normal) {
        *bits = rounded;
        return format->has_zero;
    }
    int64_t stored = quantum + format->mantissa + format->bias, largest = (1 << format->exponent) - 1;
    *bits = (uint64_t)stored << format->mantissa | (rounded & ((UINT64_C(1) << format->mantissa) - 1));
    if (stored > largest || (format->specials != SPECIAL_NONE && *bits >= overflow_bits(format)))
        *bits = overflow_bits(format);
    return true;
}

static bool parse_decimal_float(Parser *p, TirTypeKind kind, const Token *start, bool negative, uint64_t *bits) {
    const LiteralFormat *format = &tir_literal_formats[kind];
    locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); // a point is a point everywhere
    if (!locale) abort();
    double number = strtod_l(token_text(p, &p->token), NULL, locale);
    freelocale(locale);
    uint64_t f64;
    memcpy(&f64, &number, sizeof f64);
    if ((negative && !format->has_sign) || !round_to_format(format, f64, bits))
        return parse_fail(p, start, "%s%.*s is no number of %s", negative ? "-" : "",
                          (int)(p->token.length > 40 ? 40 : p->token.length), p->token.start, tir_type_rows[kind].name);
    *bits |= (uint64_t)negative << (format->mantissa + format->exponent);
    parse_advance(p);
    return true;
}

static bool parse_float_number(Parser *p, TirTypeKind kind, uint64_t *bits) {
    Token start = p->token;
    bool negative = parse_take(p, '-');
    if (parse_at(p, TOKEN_FLOAT)) return parse_decimal_float(p, kind, &start, negative, bits);
    if (!parse_at(p, TOKEN_INTEGER) || negative || !token_is_hexadecimal(&p->token))
        return parse_expected(p, "a float with a point or its bits in hexadecimal");
    if (!parse_unsigned(p, bits, "the bits of a float")) return false;
    uint32_t width = tir_type_rows[kind].bits;
    return width == 64 || !(*bits >> width) ||
           parse_fail(p, &start, "the bits do not fit in %s", tir_type_rows[kind].name);
}

bool parse_number(Parser *p, TirTypeKind kind, uint64_t *bits) {
    return tir_type_rows[kind].class == TIR_CLASS_FLOAT ? parse_float_number(p, kind, bits)
                                                        : parse_integer_number(p, kind, bits);
}
