// SPDX-License-Identifier: Apache-2.0
// The range census: what a kernel compiled with CompileOptions.census counts of the floats that its ops make. Its code
// keeps the counts of a thread in the thread's scratch, which whoever runs it clears before the thread's first block of
// a launch and reads after its last one.
#ifndef CONGRUENT_RANGE_CENSUS_H
#define CONGRUENT_RANGE_CENSUS_H

#include "base/base.h"

// An op that makes floats.
typedef struct KernelCensusSite {
    const char *op; // mnemonic
    Location at;
    uint32_t order;  // of two ops of a kernel, that which comes first in the code has the smaller one
    uint32_t format; // FpsanFormat of the result
    bool cancels;    // it adds: lost bits are counted
} KernelCensusSite;

typedef enum CensusCounter {
    CENSUS_RESULTS,    // how many floats were made
    CENSUS_SUBNORMAL,  // subnormal ones
    CENSUS_NOT_FINITE, // infinities and NaN
    CENSUS_MADE,       // of these, those that were made of finite operands
    CENSUS_CANCELLED,  // zeros that were made by an addition of numbers that are not zero
    CENSUS_COUNTERS
} CensusCounter;

// What one thread counts of a site, in the order of the sites from the census's offset of its scratch on. All is zero
// at first. Magnitudes are bits of a float without the sign.
typedef struct KernelCensusState {
    // The code need not look at a result m for which m - low < own_span (in the width of the lanes): m is a normal
    // number between two that were counted, the larger of which was the op's own. Where m - low < span, only the second
    // of these is missing.
    uint64_t low, span, own_span;
    uint64_t largest, smallest; // of finite results that are not zero; 0: there is none
    uint64_t own;  // the largest of finite results that no operand had: those larger than each operand; of a conversion
                   // and of a dot those that are not the largest number of the type, unless the conversion has all
                   // numbers of its operand's type; 0: there is none
    uint64_t lost; // of sums: how much larger the bits of the exponent of the larger operand are than those of the
                   // result, which is not zero
    uint64_t counters[CENSUS_COUNTERS]; // mod 2^64
} KernelCensusState;

// What all threads of a launch leave of a site.
typedef struct KernelCensusCount {
    uint64_t largest, smallest, own; // 0: there is none
    uint64_t lost;                   // as in a state
    uint64_t counters[CENSUS_COUNTERS];
} KernelCensusCount;

#endif
