// SPDX-License-Identifier: Apache-2.0
// Unspecified values of COMPILE_LARGEST and COMPILE_SMALLEST: the largest and smallest numbers of their type, and such
// that differ a little from each other by `at`, the number of an element.
#ifndef CONGRUENT_EXTREMES_H
#define CONGRUENT_EXTREMES_H

#include "compiler/compiler.h"

enum { EXTREMES_APART = 64 }; // so many elements differ, if the type has so many numbers

static inline bool extremes_are(CompileUnspecified unspecified) {
    return unspecified == COMPILE_LARGEST || unspecified == COMPILE_SMALLEST;
}

// The bits of a float, a finite one.
static inline uint64_t extreme_float(FpsanFormat format, CompileUnspecified unspecified, uint64_t at) {
    const double infinity = __builtin_inf(), part = 1 - (double)(at % EXTREMES_APART) / (2 * EXTREMES_APART);
    const double largest = fpsan_decode(format, fpsan_encode_saturating(format, infinity, FPSAN_NEAREST_EVEN));
    if (unspecified == COMPILE_LARGEST) return fpsan_encode_nearest(format, part * largest);
    return fpsan_encode_nearest(format, fpsan_format_info(format)->is_signed ? -part * largest : 0);
}

// Of an integer of so many bits, as a signed one.
static inline uint64_t extreme_integer(unsigned bits, CompileUnspecified unspecified, uint64_t at) {
    const uint64_t smallest = UINT64_C(1) << (bits - 1), all = smallest | (smallest - 1), from = at % EXTREMES_APART;
    return (unspecified == COMPILE_LARGEST ? smallest - 1 - from : smallest + from) & all;
}

#endif
