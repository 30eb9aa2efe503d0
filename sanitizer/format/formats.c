// SPDX-License-Identifier: Apache-2.0
// The table of float formats.
#include "sanitizer/format/format_internal.h"

#include <string.h>

#define FORMAT(name, text, bits, exponent, mantissa, bias, specials, is_signed, storage, ring, lane, ...)              \
    {text,                                                                                                             \
     bits,                                                                                                             \
     exponent,                                                                                                         \
     mantissa,                                                                                                         \
     bias,                                                                                                             \
     FPSAN_##specials,                                                                                                 \
     is_signed,                                                                                                        \
     storage,                                                                                                          \
     ring,                                                                                                             \
     lane,                                                                                                             \
     (uint64_t)(bias) << ((mantissa) + (storage) - (bits))},
static const FpsanFormatInfo format_table[FPSAN_FORMAT_COUNT] = {
#include "sanitizer/format/formats.def"
};
#undef FORMAT
#define FORMAT(name, text, bits, exponent, mantissa, bias, specials, is_signed, storage, ring, lane, ...)              \
    _Static_assert((bits) == (exponent) + (mantissa) + ((is_signed) ? 1 : 0), text " has as many bits as its fields"); \
    _Static_assert((bits) <= (storage) && (storage) <= (lane) && (ring) <= (lane), text " fits its lane");
#include "sanitizer/format/formats.def"
#undef FORMAT

const FpsanFormatInfo *fpsan_format_info(FpsanFormat format) {
    return &format_table[format];
}

bool fpsan_format_by_name(const char *name, FpsanFormat *format) {
    for (unsigned i = 0; i < FPSAN_FORMAT_COUNT; i++)
        if (!strcmp(format_table[i].name, name)) {
            *format = (FpsanFormat)i;
            return true;
        }
    return false;
}

// f4's nibble is its payload; e8m0 and fnv8 have no ring.
bool fpsan_format_has_rules(FpsanFormat format) {
    return format_table[format].ring_bits >= 8;
}

// Where the fields lie. `magnitude` and `top` (all exponent bits) are masks, `unit` is the lowest bit that counts. In
// order: infinity, nan, nan_above, largest.
#define SPECIALS_IEEE(magnitude, top, unit, sign)   top, (top) | ((magnitude) - (top) + 1) >> 1, top, (top) - (unit)
#define SPECIALS_FN(magnitude, top, unit, sign)     magnitude, magnitude, (magnitude)-1, (magnitude)-1
#define SPECIALS_POWER(magnitude, top, unit, sign)  SPECIALS_FN(magnitude, top, unit, sign)
#define SPECIALS_FINITE(magnitude, top, unit, sign) magnitude, sign, magnitude, magnitude
#define ONES(count)                                 (((uint64_t)1 << (count)) - 1)
#define LAYOUT(specials, bias, exponent, mantissa, padding, sign)                                                      \
    {                                                                                                                  \
        mantissa, padding, bias, 1 - (bias), ONES((exponent) + (mantissa)), sign,                                      \
            SPECIALS_##specials(ONES((exponent) + (mantissa)), ONES(exponent) << (mantissa), (uint64_t)1 << (padding), \
                                sign)                                                                                  \
    }
static const FpsanLayout layouts[FPSAN_FORMAT_COUNT] = {
// tf32 lies in an f32 whose lowest mantissa bits are not its own.
#define FORMAT(name, text, bits, exponent, mantissa, bias, specials, is_signed, storage, ring, lane, ...)              \
    LAYOUT(specials, bias, exponent, (mantissa) + (storage) - (bits), (storage) - (bits),                              \
           (is_signed) ? (uint64_t)1 << ((storage)-1) : 0),
#include "sanitizer/format/formats.def"
#undef FORMAT
};

FpsanLayout fpsan_layout(FpsanFormat format) {
    return layouts[format];
}
