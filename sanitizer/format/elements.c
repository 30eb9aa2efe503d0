// SPDX-License-Identifier: Apache-2.0
// The table of element types: the float formats and the integers.
#include "sanitizer/format/format.h"

#include <string.h>

#define LOW_BITS(count) (UINT64_MAX >> (64 - (count)))
static const ElementInfo element_infos[ELEMENT_TYPE_COUNT] = {
#define FORMAT(name, text, bits, exponent, mantissa, bias, specials, is_signed, storage, ring, lane, tile_ir, cutile,  \
               numpy, triton, in_cases)                                                                                \
    {text, bits, storage, LOW_BITS(bits) << ((storage) - (bits)), in_cases, numpy, cutile, "", triton},
#include "sanitizer/format/formats.def"
#undef FORMAT
#define INTEGER(name, text, bits, storage, tile_ir, cutile, cutile_unsigned, numpy, in_cases)                          \
    {text, bits, storage, LOW_BITS(bits), in_cases, numpy, cutile, cutile_unsigned, ""},
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
