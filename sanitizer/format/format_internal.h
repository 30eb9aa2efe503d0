// SPDX-License-Identifier: Apache-2.0
// Shared by the files of sanitizer/: the layout of a format's bits, and integers of any width.
#ifndef CONGRUENT_FORMAT_INTERNAL_H
#define CONGRUENT_FORMAT_INTERNAL_H

#include "sanitizer/format/format.h"

// ---- tables.c -------------------------------------------------------------------------------------------------------

// The layout of a format's bits: the sign and the magnitude, which is exponent and mantissa.
typedef struct FpsanLayout {
    unsigned mantissa;        // bits of the mantissa (tf32: f32's 23)
    unsigned padding;         // how many of these, the lowest, rounding makes zero (tf32: 13)
    int bias, emin;           // emin: exponent of the smallest normal number
    uint64_t magnitude, sign; // masks; sign is 0 if the format has none
    // What an overflow becomes, without its sign: infinity, or what stands in for it. It follows `largest`, but in f4
    // and f6. Of FNUZ formats it is `sign`, with which both signs make the NaN.
    uint64_t infinity;
    uint64_t nan;       // the bits of the quiet NaN without its sign (f4, f6: those of negative zero)
    uint64_t nan_above; // the largest magnitude that is no NaN (FNUZ: magnitudes are none)
    uint64_t largest;   // largest finite magnitude
} FpsanLayout;
FpsanLayout fpsan_layout(FpsanFormat format);
// Whether the format's negative zero is its NaN.
static inline bool fpsan_zero_is_unsigned(FpsanFormat format) {
    return fpsan_format_info(format)->specials == FPSAN_FNUZ;
}

static inline uint64_t fpsan_mask(unsigned width) {
    return width >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
}
// The low `width` bits read as a signed number, width 1..64.
static inline uint64_t fpsan_sign_extend(uint64_t value, unsigned width) {
    uint64_t sign = (uint64_t)1 << (width - 1);
    return ((value & fpsan_mask(width)) ^ sign) - sign;
}

#endif
