// SPDX-License-Identifier: Apache-2.0
// The tables of float formats, element types, rules and roundings.
#include "sanitizer/format/format_internal.h"

#include <string.h>

// ---- float formats --------------------------------------------------------------------------------------------------

#define FORMAT(name, text, bits, exponent, mantissa, bias, specials, is_signed, storage, padding, ring, lane, ...)     \
    {text,      bits,    exponent, mantissa, bias, FPSAN_##specials,                                                   \
     is_signed, storage, padding,  ring,     lane, (uint64_t)(bias) << ((mantissa) + (padding))},
static const FpsanFormatInfo format_table[FPSAN_FORMAT_COUNT] = {
#include "sanitizer/format/formats.def"
};
#undef FORMAT
#define FORMAT(name, text, bits, exponent, mantissa, bias, specials, is_signed, storage, padding, ring, lane, ...)     \
    _Static_assert((bits) == (exponent) + (mantissa) + ((is_signed) ? 1 : 0), text " has as many bits as its fields"); \
    _Static_assert((bits) + (padding) <= (storage) && (storage) <= (lane) && (ring) <= (lane), text " fits its lane");
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
#define SPECIALS_FNUZ(magnitude, top, unit, sign)   sign, sign, magnitude, magnitude
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
#define FORMAT(name, text, bits, exponent, mantissa, bias, specials, is_signed, storage, padding, ring, lane, ...)     \
    LAYOUT(specials, bias, exponent, (mantissa) + (padding), padding,                                                  \
           (is_signed) ? (uint64_t)1 << ((bits) + (padding)-1) : 0),
#include "sanitizer/format/formats.def"
#undef FORMAT
};

FpsanLayout fpsan_layout(FpsanFormat format) {
    return layouts[format];
}

// ---- element types: the formats and the integers --------------------------------------------------------------------

#define LOW_BITS(count) (UINT64_MAX >> (64 - (count)))
static const ElementInfo element_infos[ELEMENT_TYPE_COUNT] = {
#define FORMAT(name, text, bits, exponent, mantissa, bias, specials, is_signed, storage, padding, ring, lane, tile_ir, \
               cutile, numpy, triton, ptx, in_cases)                                                                   \
    {text, bits, storage, LOW_BITS(bits) << (padding), in_cases, numpy, cutile, "", triton, ptx},
#include "sanitizer/format/formats.def"
#undef FORMAT
#define INTEGER(name, text, bits, storage, tile_ir, cutile, cutile_unsigned, numpy, in_cases)                          \
    {text, bits, storage, LOW_BITS(bits), in_cases, numpy, cutile, cutile_unsigned, "", ""},
#include "sanitizer/format/integers.def"
#undef INTEGER
};

const ElementInfo *element_info(ElementType type) {
    return &element_infos[type];
}

bool element_by_name(const char *name, ElementType *type) {
    for (unsigned i = 0; i < ELEMENT_TYPE_COUNT; i++)
        if (element_infos[i].in_cases && !strcmp(element_infos[i].name, name)) {
            *type = (ElementType)i;
            return true;
        }
    return false;
}

bool element_is_float(ElementType type) {
    return (unsigned)type < FPSAN_FORMAT_COUNT;
}

// ---- rules and roundings --------------------------------------------------------------------------------------------

static const FpsanRuleInfo rule_table[FPSAN_RULE_COUNT] = {
#define RULE(name, text, operands, kind, tag, library, narrow, wide, fast)                                             \
    {text, operands, FPSAN_KIND_##kind, library, narrow, wide, fast},
#include "sanitizer/format/rules.def"
#undef RULE
};
static const char *const rounding_names[FPSAN_ROUNDING_COUNT] = {
#define ROUNDING(name, text, ...) text,
#include "sanitizer/format/roundings.def"
#undef ROUNDING
};

const FpsanRuleInfo *fpsan_rule_info(FpsanRule rule) {
    return &rule_table[rule];
}

bool fpsan_rule_by_name(const char *name, FpsanRule *rule) {
    for (unsigned i = 0; i < FPSAN_RULE_COUNT; i++)
        if (!strcmp(rule_table[i].name, name)) {
            *rule = (FpsanRule)i;
            return true;
        }
    return false;
}

const char *fpsan_rounding_name(FpsanRounding rounding) {
    return rounding_names[rounding];
}
