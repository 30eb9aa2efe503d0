// SPDX-License-Identifier: Apache-2.0
// Elements of buffers: reading and writing bits in memory, values, text, distance in representable
// values.
#include "diff/element.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t fpd_type_bytes(ElementType type, uint64_t elements) {
    unsigned bits = element_info(type)->storage_bits;
    return bits == 4 ? elements / 2 + elements % 2 : elements * (bits / 8);
}

uint64_t fpd_element_bits(ElementType type, const uint8_t *bytes, uint64_t index) {
    unsigned bits = element_info(type)->storage_bits;
    if (bits == 4) return bytes[index / 2] >> (index % 2 * 4) & 0xf;
    uint64_t result = 0;
    bytes += index * (bits / 8);
    switch (bits) { // what is most often asked
    case 16: return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8;
    case 32: return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24;
    default: break;
    }
    for (unsigned i = 0; i < bits / 8; i++) result |= (uint64_t)bytes[i] << 8 * i;
    return result;
}

void fpd_element_set(ElementType type, uint8_t *bytes, uint64_t index, uint64_t value) {
    unsigned bits = element_info(type)->storage_bits;
    if (bits == 4) {
        unsigned shift = index % 2 * 4;
        bytes[index / 2] = (uint8_t)((bytes[index / 2] & ~(0xfu << shift)) | (value & 0xf) << shift);
        return;
    }
    bytes += index * (bits / 8);
    for (unsigned i = 0; i < bits / 8; i++) bytes[i] = (uint8_t)(value >> 8 * i);
}

// i1 is a truth value: 0 or 1, where the other integers are signed.
static int64_t element_integer(ElementType type, uint64_t bits) {
    if (type == ELEMENT_I1) return bits & 1;
    unsigned unused = 64 - element_info(type)->storage_bits;
    return (int64_t)(bits << unused) >> unused;
}

double fpd_element_value(ElementType type, uint64_t bits) {
    if (!element_is_float(type)) return (double)element_integer(type, bits);
    return fpsan_decode(element_format(type), bits);
}

double fpd_element_apart(ElementType type, uint64_t a, uint64_t b) {
    if (element_is_float(type)) return fabs(fpd_element_value(type, a) - fpd_element_value(type, b));
    const int64_t x = element_integer(type, a), y = element_integer(type, b); // as doubles they might be one number
    return (double)(x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x);
}

void fpd_element_text(ElementType type, uint64_t bits, char *text) {
    if (!element_is_float(type)) {
        snprintf(text, FPD_TEXT_SIZE, "%lld", (long long)element_integer(type, bits));
        return;
    }
    double value = fpd_element_value(type, bits);
    // 1 + ceil(p log10 2) digits tell any two numbers with p-bit significands apart; p = mantissa bits + 1.
    unsigned digits = 2 + (fpsan_format_info(element_format(type))->mantissa_bits + 1) * 30103 / 100000;
    if (digits > 17) digits = 17;
    if (isnan(value))
        snprintf(text, FPD_TEXT_SIZE, "nan");
    else if (isinf(value))
        snprintf(text, FPD_TEXT_SIZE, value < 0 ? "-inf" : "inf");
    else
        snprintf(text, FPD_TEXT_SIZE, "%.*g", (int)digits, value);
}

static bool parse_float_element(ElementType type, const char *text, uint64_t *bits, const char **expected) {
    FpsanFormat format = element_format(type);
    const FpsanFormatInfo *info = fpsan_format_info(format);
    char *end;
    *expected = "a number";
    if (!*text || strpbrk(text, "( \t\n\v\f\r")) return false;
    double value = strtod(text, &end);
    if (*end) return false;
    *expected = "a number of the type's range";
    if (isinf(value) && strpbrk(text, "0123456789")) return false; // 1e999, not "inf"
    if (!info->is_signed && (value < 0 || (info->specials == FPSAN_POWER && value <= 0))) return false;
    uint64_t all_ones =
        (UINT64_C(1) << (info->exponent_bits + info->mantissa_bits)) - 1; // the largest number of a finite format
    if (info->specials == FPSAN_FINITE && isfinite(value) && fabs(value) > fpsan_decode(format, all_ones)) return false;
    *bits = fpsan_encode_nearest(format, value);
    double kept = fpsan_decode(format, *bits);
    if (isfinite(value)) return isfinite(kept); // else it was rounded beyond the largest number
    *expected = isnan(value) ? "a number, the type has no NaN" : "a finite number, the type has no infinity";
    return isnan(value) ? isnan(kept) : kept == value;
}

static bool parse_integer_element(ElementType type, const char *text, uint64_t *bits, const char **expected) {
    unsigned width = element_info(type)->bits;
    bool negative = *text == '-';
    const char *digits = text + (*text == '-' || *text == '+');
    char *end;
    *expected = type == ELEMENT_I1 ? "0, 1, true or false" : "an integer of the type's range";
    if (type == ELEMENT_I1 && (!strcmp(text, "true") || !strcmp(text, "false"))) {
        *bits = *text == 't';
        return true;
    }
    if (*digits < '0' || *digits > '9') return false;
    errno = 0;
    uint64_t magnitude = strtoull(digits, &end, digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10);
    if (*end || errno) return false;
    // -2^(w-1) .. 2^w - 1: signed or unsigned, as the author means it
    uint64_t limit = negative      ? (width == 1 ? 0 : UINT64_C(1) << (width - 1))
                     : width == 64 ? UINT64_MAX
                                   : (UINT64_C(1) << width) - 1;
    if (magnitude > limit) return false;
    *bits = (negative ? -magnitude : magnitude) & (width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1);
    return true;
}

bool fpd_element_parse(ElementType type, const char *text, uint64_t *bits, const char **expected) {
    return element_is_float(type) ? parse_float_element(type, text, bits, expected)
                                  : parse_integer_element(type, text, bits, expected);
}

// Floats of one sign are ordered as their bits are; so bits with the sign taken out count representable values from
// zero.
uint64_t fpd_element_ulps(ElementType type, uint64_t a, uint64_t b) {
    const FpsanFormatInfo *info = fpsan_format_info(element_format(type));
    unsigned shift = type == ELEMENT_TF32 ? 13 : 0;
    unsigned magnitude_bits = info->exponent_bits + info->mantissa_bits;
    uint64_t mask = (UINT64_C(1) << magnitude_bits) - 1;
    a >>= shift, b >>= shift;
    bool a_negative = info->is_signed && a >> magnitude_bits & 1,
         b_negative = info->is_signed && b >> magnitude_bits & 1;
    a &= mask, b &= mask;
    if (a_negative != b_negative) return a + b;
    return a > b ? a - b : b - a;
}
