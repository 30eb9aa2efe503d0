// SPDX-License-Identifier: Apache-2.0
// Formats what a kernel prints: the text of print_tko with its tiles.
#include "base/host_print.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { FIELD_MAX = 99, SPEC_SIZE = 24 };

typedef struct Conversion {
    char flags[6];        // of "-+ #0", each at most once
    int width, precision; // -1: none
    char letter;
} Conversion;

static bool is_one_of(char letter, const char *set) {
    return letter && strchr(set, letter);
}

static void add_flag(Conversion *conversion, char flag) {
    size_t count = strlen(conversion->flags);
    if (!strchr(conversion->flags, flag) && count + 1 < sizeof conversion->flags) conversion->flags[count] = flag;
}

static int add_digit(int number, char digit) {
    if (number < 0) number = 0;
    number = 10 * number + (digit - '0');
    return number > FIELD_MAX ? FIELD_MAX : number;
}

// The conversion whose % stands before *at; *at then is behind it.
static Conversion read_conversion(const HostPrint *print, uint64_t *at) {
    Conversion conversion = {.width = -1, .precision = -1};
    bool point = false;
    for (; *at < print->length && !conversion.letter; ++*at) {
        char letter = print->format[*at];
        if (is_one_of(letter, "diuoxXeEfFgGaAcsSpn%"))
            conversion.letter = letter;
        else if (letter == '.') {
            point = true;
            conversion.precision = 0;
        } else if (is_one_of(letter, "-+ #") || (letter == '0' && !point && conversion.width < 0))
            add_flag(&conversion, letter);
        else if (is_one_of(letter, "0123456789")) {
            int *number = point ? &conversion.precision : &conversion.width;
            *number = add_digit(*number, letter);
        }
    }
    return conversion;
}

// "%" flags width precision length letter; flags only of those in `allowed`, as C leaves others undefined.
static void make_spec(const Conversion *conversion, const char *allowed, bool precision, const char *length,
                      char letter, char spec[SPEC_SIZE]) {
    char *end = spec;
    *end++ = '%';
    for (const char *flag = conversion->flags; *flag; flag++)
        if (strchr(allowed, *flag)) *end++ = *flag;
    if (conversion->width >= 0) end += snprintf(end, 4, "%d", conversion->width);
    if (precision && conversion->precision >= 0) end += snprintf(end, 5, ".%d", conversion->precision);
    snprintf(end, (size_t)(spec + SPEC_SIZE - end), "%s%c", length, letter);
}

// ---- elements -------------------------------------------------------------------------------------------------------

static uint64_t element_bits(const HostPrintValue *value, uint64_t index) {
    unsigned bytes = value->bits < 8 ? 1 : value->bits / 8;
    const uint8_t *at = (const uint8_t *)value->elements + index * bytes;
    uint64_t bits = 0;
    for (unsigned i = 0; i < bytes; i++) bits |= (uint64_t)at[i] << 8 * i;
    return bits;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" // made by make_spec

static void print_integer(FILE *out, const Conversion *conversion, unsigned width, uint64_t bits) {
    char spec[SPEC_SIZE];
    bool is_unsigned = is_one_of(conversion->letter, "ouxX");
    make_spec(conversion,
              is_one_of(conversion->letter, "oxX") ? "-#0"
              : is_unsigned                        ? "-0"
                                                   : "-+ 0",
              true, "ll", is_unsigned ? conversion->letter : 'd', spec);
    if (is_unsigned || width == 1)
        fprintf(out, spec, (unsigned long long)bits);
    else
        fprintf(out, spec, (long long)(bits << (64 - width)) >> (64 - width));
}

static void print_float(FILE *out, const Conversion *conversion, unsigned width, uint64_t bits) {
    char spec[SPEC_SIZE], letter = is_one_of(conversion->letter, "eEfFgGaA") ? conversion->letter : 'g';
    double number;
    if (width == 32) {
        uint32_t low = (uint32_t)bits;
        float single;
        memcpy(&single, &low, sizeof single);
        number = (double)single;
    } else {
        memcpy(&number, &bits, sizeof number);
    }
    if (isnan(number)) number = (double)NAN; // the sign of a NaN is no result
    make_spec(conversion, "-+ #0", true, "", letter, spec);
    fprintf(out, spec, number);
}

static void print_hexadecimal(FILE *out, const Conversion *conversion, unsigned digits, uint64_t bits) {
    char spec[SPEC_SIZE], text[24];
    snprintf(text, sizeof text, "0x%0*llx", (int)digits, (unsigned long long)bits);
    make_spec(conversion, "-", false, "", 's', spec);
    fprintf(out, spec, text);
}

#pragma GCC diagnostic pop

static void print_element(FILE *out, const Conversion *conversion, const HostPrintValue *value, uint64_t index) {
    uint64_t bits = element_bits(value, index);
    switch (value->kind) {
    case HOST_PRINT_INTEGER: print_integer(out, conversion, value->bits, bits); break;
    case HOST_PRINT_FLOAT: print_float(out, conversion, value->bits, bits); break;
    case HOST_PRINT_PAYLOAD: print_hexadecimal(out, conversion, (value->bits + 3) / 4, bits); break;
    default: print_hexadecimal(out, conversion, 1, bits); break;
    }
}

// ---- tiles ----------------------------------------------------------------------------------------------------------

// How many dimensions begin or end at element `index`: those whose inner elements are a divisor of it.
static uint32_t edges(const HostPrintValue *value, uint64_t index) {
    uint64_t inner = 1;
    uint32_t count = 0;
    for (uint32_t d = value->rank; d-- > 0; count++) {
        inner *= (uint64_t)value->shape[d];
        if (index % inner) break;
    }
    return count;
}

static void print_repeated(FILE *out, char letter, uint32_t count) {
    for (; count; count--) fputc(letter, out);
}

static void print_value(FILE *out, const Conversion *conversion, const HostPrintValue *value) {
    uint64_t count = 1;
    for (uint32_t d = 0; d < value->rank; d++) count *= (uint64_t)value->shape[d];
    for (uint64_t i = 0; i < count; i++) {
        if (i) fputs(", ", out);
        print_repeated(out, '[', edges(value, i));
        print_element(out, conversion, value, i);
        print_repeated(out, ']', edges(value, i + 1));
    }
}

void host_print(FILE *out, const HostPrint *print) {
    uint64_t value = 0;
    for (uint64_t at = 0; at < print->length;) {
        char letter = print->format[at++];
        if (letter != '%') {
            fputc(letter, out);
        } else if (at < print->length && print->format[at] == '%') {
            fputc('%', out);
            at++;
        } else {
            Conversion conversion = read_conversion(print, &at);
            if (value < print->value_count) print_value(out, &conversion, &print->values[value++]);
        }
    }
}
