// SPDX-License-Identifier: Apache-2.0
// Shared by the files of sanitizer/: the constants of a ring.
#ifndef CONGRUENT_FPSAN_INTERNAL_H
#define CONGRUENT_FPSAN_INTERNAL_H

#include "sanitizer/format/format_internal.h"
#include "sanitizer/fpsan.h"

// ---- rules.c ------------------------------------------------------------------------------------------------------

// A ring Z/2^w with the constants of a format's embedding (docs/algebra.md).
typedef struct FpsanRing {
    unsigned width, shift;
    uint64_t mask, magnitude, sign;
    uint64_t multiplier, positive;                 // c and B+
    uint64_t inverse_multiplier, inverse_positive; // mod 2^w
} FpsanRing;
// The ring of a format that has rules.
FpsanRing fpsan_ring(const FpsanProfile *profile, FpsanFormat format);
// How far the sign of the format's bits lies below the ring's highest bit (f6: 2). Embedding exchanges the two, so that
// -x has the negated payload of x in formats that are narrower than their ring, too.
unsigned fpsan_sign_distance(FpsanFormat format);

// The inverse of an odd number mod 2^64.
uint64_t fpsan_inverse(uint64_t odd);
// MurmurHash3's 64-bit finaliser and the 64-bit FNV-1a hash of a text.
uint64_t fpsan_fmix64(uint64_t key);
uint64_t fpsan_fnv1a64(const char *text);

// ---- cast.c ---------------------------------------------------------------------------------------------------------

// The format in which the exact value of a scale (e8m0, fnv8) is embedded on its way to `to`: `to` itself if it holds
// every such value and has a ring of 16 bits or more; else f32, from whose payload it is cast.
FpsanFormat fpsan_value_format(FpsanFormat to);
// The multiplier of the mixing cast from `width` to `narrow` bits.
uint64_t fpsan_fold_multiplier(const FpsanProfile *profile, unsigned width, unsigned narrow);

#endif
