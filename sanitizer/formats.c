// SPDX-License-Identifier: Apache-2.0
// The table of float formats.
#include "sanitizer/fpsan_internal.h"

#include <string.h>

static const FpsanFormatInfo format_table[] = {
#define FORMAT(name, text, bits, exponent, mantissa, bias, specials, is_signed, storage, ring, lane)                   \
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
     (uint64_t)(bias) << ((mantissa) + ((lane) > (bits) && (lane) == 32 ? (lane) - (bits) : 0))},
#include "sanitizer/formats.def"
#undef FORMAT
};
_Static_assert(sizeof format_table / sizeof *format_table == FPSAN_FORMAT_COUNT, "one row per format");
#define FORMAT(name, text, bits, exponent, mantissa, bias, specials, is_signed, storage, ring, lane)                   \
    _Static_assert((bits) == (exponent) + (mantissa) + ((is_signed) ? 1 : 0), text " has as many bits as its fields"); \
    _Static_assert((bits) <= (lane) && ((ring) == 0 || (ring) <= (lane)), text " fits its lane");
#include "sanitizer/formats.def"
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

FpsanLayout fpsan_layout(FpsanFormat format) {
    const FpsanFormatInfo *info = &format_table[format];
    FpsanLayout layout = {.bias = info->bias, .emin = 1 - info->bias};
    // tf32 lies in an f32 whose lowest mantissa bits are not its own.
    layout.mantissa = format == FPSAN_TF32 ? format_table[FPSAN_F32].mantissa_bits : info->mantissa_bits;
    layout.padding = layout.mantissa - info->mantissa_bits;
    layout.magnitude = ((uint64_t)1 << (info->exponent_bits + layout.mantissa)) - 1;
    layout.sign = info->is_signed ? layout.magnitude + 1 : 0;
    uint64_t top = layout.magnitude & ~(((uint64_t)1 << layout.mantissa) - 1); // all exponent bits
    switch (info->specials) {
    case FPSAN_IEEE:
        layout.infinity = top;
        layout.nan = top | (uint64_t)1 << (layout.mantissa - 1);
        layout.nan_above = top;
        layout.largest = top - ((uint64_t)1 << layout.padding);
        break;
    case FPSAN_FN:
    case FPSAN_POWER:
        layout.infinity = layout.nan = layout.magnitude;
        layout.nan_above = layout.magnitude - 1;
        layout.largest = layout.magnitude - 1;
        break;
    case FPSAN_FINITE:
        layout.infinity = layout.largest = layout.nan_above = layout.magnitude;
        layout.nan = layout.sign;
        break;
    }
    return layout;
}
