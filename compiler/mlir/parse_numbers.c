// SPDX-License-Identifier: Apache-2.0
// Numbers of the text form to bits. A decimal float is read as f64 and rounded from there to its own type, as MLIR does
// it.
#include "compiler/mlir/mlir.h"

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

// The bits of a number that is not negative; false if the format has nothing near it.
static bool round_to_format(FpsanFormat format, double number, uint64_t *bits) {
    const FpsanFormatInfo *info = fpsan_format_info(format);
    // Without a zero what is at most half of the smallest number is near none.
    if (info->specials == FPSAN_POWER && number <= fpsan_decode(format, 0) / 2) return false;
    *bits = fpsan_encode_nearest(format, number) >> info->padding_bits; // tf32 as its 19 bits
    return true;
}

static bool parse_decimal_float(Parser *p, TirTypeKind kind, const Token *start, bool negative, uint64_t *bits) {
    const FpsanFormat format = tir_float_format(kind);
    const FpsanFormatInfo *info = fpsan_format_info(format);
    locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); // a point is a point everywhere
    if (!locale) abort();
    double number = strtod_l(token_text(p, &p->token), NULL, locale);
    freelocale(locale);
    if ((negative && !info->is_signed) || !round_to_format(format, number, bits))
        return parse_fail(p, start, "%s%.*s is no number of %s", negative ? "-" : "",
                          (int)(p->token.length > 40 ? 40 : p->token.length), p->token.start, tir_type_rows[kind].name);
    *bits |= (uint64_t)negative << (info->mantissa_bits + info->exponent_bits);
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
