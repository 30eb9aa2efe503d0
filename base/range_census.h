// SPDX-License-Identifier: Apache-2.0
// The range census: what a kernel compiled with CompileOptions.census counts of the floats that its ops make. Its code
// keeps the counts of a block in the block's scratch, which whoever runs it clears before the block and reads after it.
#ifndef CONGRUENT_RANGE_CENSUS_H
#define CONGRUENT_RANGE_CENSUS_H

#include "base/base.h"

// An op that makes floats. Cells name it by its number.
typedef struct KernelCensusSite {
    const char *op; // mnemonic
    Location at;
    uint32_t order;  // of two ops of a kernel, that which comes first in the code has the smaller one
    uint32_t format; // FpsanFormat of the result
    bool cancels;    // it adds: lost bits are counted
} KernelCensusSite;

// What lanes of one site leave, from `offset` of the block's scratch on. An op that is computed in vectors of different
// lengths has several cells. All is zero at first:
//   u<8 width> largest[lanes]   magnitudes of finite results: their bits without the sign
//   u<8 width> smallest[lanes]  of those that are not zero, negated, so that the largest of these is the smallest
//   u<8 width> own[lanes]       of finite results that no operand had: those larger than each operand; of a conversion
//                               and of a dot those that are not the largest number of the type, unless the conversion
//                               has all numbers of its operand's type
//   u<8 width> lost[lanes]      only of sites that cancel: how much larger the bits of the exponent of the larger
//                               operand are than those of the result, which is not zero
//   u64 counters[CENSUS_COUNTERS]
typedef struct KernelCensusCell {
    uint32_t site, offset;
    uint32_t lanes, width; // `width`: bytes of an element
} KernelCensusCell;
typedef enum CensusCounter {
    CENSUS_RESULTS,    // how many floats were made
    CENSUS_SUBNORMAL,  // subnormal ones
    CENSUS_NOT_FINITE, // infinities and NaN
    CENSUS_MADE,       // of these, those that were made of finite operands
    CENSUS_CANCELLED,  // zeros that were made by an addition of numbers that are not zero
    CENSUS_COUNTERS
} CensusCounter;

// What all blocks of a launch leave of a site. Magnitudes are bits without the sign.
typedef struct KernelCensusCount {
    uint64_t largest, smallest, own; // 0: there is none
    uint64_t lost;                   // as in a cell
    uint64_t counters[CENSUS_COUNTERS];
} KernelCensusCount;

static inline uint32_t kernel_census_arrays(const KernelCensusSite *site) {
    return site->cancels ? 4 : 3;
}

#endif
