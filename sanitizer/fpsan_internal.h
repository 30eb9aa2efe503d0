// SPDX-License-Identifier: Apache-2.0
// Shared by the files of sanitizer/: where the fields of a format lie, and the constants of a ring.
#ifndef CONGRUENT_FPSAN_INTERNAL_H
#define CONGRUENT_FPSAN_INTERNAL_H

#include "sanitizer/fpsan.h"

// ---- formats.c ------------------------------------------------------------------------------------------------------

// The fields of a format's bits. A magnitude above `nan_above` is NaN.
typedef struct FpsanLayout {
    unsigned mantissa;        // mantissa bits as laid out (tf32: f32's 23)
    unsigned padding;         // of these, low bits that rounding makes zero (tf32: 13)
    int bias, emin;           // emin: exponent of the smallest normal number
    uint64_t magnitude, sign; // masks; sign is 0 where there is none
    uint64_t infinity;        // magnitude that an overflow becomes: infinity, or what stands in for it
    uint64_t nan;             // the bits of the quiet NaN without its sign (f4: those of negative zero)
    uint64_t nan_above;       // largest magnitude that is no NaN
    uint64_t largest;         // largest finite magnitude
} FpsanLayout;
FpsanLayout fpsan_layout(FpsanFormat format);

// ---- rules.c ------------------------------------------------------------------------------------------------------

// A ring Z/2^w with the constants of a format's embedding.
typedef struct FpsanRing {
    unsigned width, shift;
    uint64_t mask, magnitude, sign;
    uint64_t multiplier, positive;                 // c and B+
    uint64_t inverse_multiplier, inverse_positive; // mod 2^w
} FpsanRing;
// The ring of a format with rules.
FpsanRing fpsan_ring(const FpsanProfile *profile, FpsanFormat format);

static inline uint64_t fpsan_mask(unsigned width) {
    return width >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
}
// The low `width` bits read as a signed number, width 1..64.
static inline uint64_t fpsan_sign_extend(uint64_t value, unsigned width) {
    uint64_t sign = (uint64_t)1 << (width - 1);
    return ((value & fpsan_mask(width)) ^ sign) - sign;
}
// The inverse of an odd number mod 2^64.
uint64_t fpsan_inverse(uint64_t odd);
// MurmurHash3's 64-bit finaliser and the 64-bit FNV-1a hash of a text.
uint64_t fpsan_fmix64(uint64_t key);
uint64_t fpsan_fnv1a64(const char *text);

// ---- cast.c ---------------------------------------------------------------------------------------------------------

// The format in which the exact value of a scale format (e8m0, fnv8) is embedded on its way to `to`: `to` itself where
// it holds every such value and has a ring of 16 bits or more, else f32, from which the payload is narrowed.
FpsanFormat fpsan_value_format(FpsanFormat to);
// Bits of e8m0 or fnv8 as bits of such a format: the exact value, but e8m0's NaN is infinity, because Triton copies the
// exponent field.
uint64_t fpsan_scale_bits(FpsanFormat from, FpsanFormat to, uint64_t bits);
// The multiplier of the folding in a mixing cast from `width` to `narrow` bits.
uint64_t fpsan_fold_multiplier(const FpsanProfile *profile, unsigned width, unsigned narrow);

#endif
