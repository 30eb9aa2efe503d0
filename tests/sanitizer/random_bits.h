// SPDX-License-Identifier: Apache-2.0
// Random inputs of the sanitizer's tests. Bits of a format are often near zero, one, limits, infinity or NaN.
#ifndef CONGRUENT_TESTS_RANDOM_BITS_H
#define CONGRUENT_TESTS_RANDOM_BITS_H

#include "sanitizer/fpsan_internal.h"

// SplitMix64.
static inline uint64_t random_next(uint64_t *state) {
    return fpsan_fmix64(*state += 0x9e3779b97f4a7c15);
}

// Bits of a format: half of them uniform, half near a landmark.
static inline uint64_t random_bits(uint64_t *state, FpsanFormat format) {
    uint64_t r = random_next(state),
             mask = fpsan_mask(format == FPSAN_F4E2M1FN ? 4 : fpsan_format_info(format)->lane_bits);
    if (r & 1) { // uniform, or with zeros below some bit: ties when rounded to a narrower format
        uint64_t value = random_next(state) & mask;
        return r & 2 ? value : value >> (r >> 8) % 56 << (r >> 8) % 56;
    }
    FpsanLayout layout = fpsan_layout(format);
    const uint64_t landmarks[] = {0,
                                  fpsan_format_info(format)->one,
                                  layout.largest,
                                  layout.infinity,
                                  (uint64_t)1 << layout.mantissa,
                                  layout.magnitude,
                                  layout.nan,
                                  layout.infinity / 2};
    uint64_t value = landmarks[r >> 1 & 7] + (r >> 8 & 7) - 4 + ((r >> 16 & 15) << layout.mantissa) * (r >> 20 & 1);
    return (value ^ (r >> 32 & 1 ? layout.sign : 0)) & mask;
}

// An integer of `width` bits, half of them near a power of two.
static inline uint64_t random_integer(uint64_t *state, unsigned width) {
    uint64_t r = random_next(state), value = random_next(state);
    if (r & 1) value = ((uint64_t)1 << (r >> 8) % 64) + (r >> 16 & 3) - 2;
    if (r & 2) value += (uint64_t)1 << (r >> 24) % 64;
    return (r & 4 ? -value : value) & fpsan_mask(width);
}

#endif
