// SPDX-License-Identifier: Apache-2.0
// Casts to formats of 8 bits and less, as docs/numeric-modes.md says them, in exact integers: a model that shares
// nothing with sanitizer/format or compiler/numeric.
#ifndef CONGRUENT_ACCURACY_CAST_MODEL_H
#define CONGRUENT_ACCURACY_CAST_MODEL_H

#include "compiler/tileir/tir.h"

typedef enum CastSpecials { CAST_IEEE, CAST_ONE_NAN, CAST_NO_SIGNED_ZERO, CAST_FINITE, CAST_POWER } CastSpecials;

typedef struct CastTarget {
    TirTypeKind kind;
    unsigned precision; // bits of a significand, with the leading one
    int least;          // exponent of the least normal number
    unsigned bits;      // of the encoding
    CastSpecials specials;
    uint32_t largest, infinity, nan; // codes without sign; infinity: 0 if the type has none
} CastTarget;

enum { CAST_TARGETS = 8 };
extern const CastTarget cast_targets[CAST_TARGETS];

// A number as significand * 2^exponent with a sign, an infinity, or a NaN.
typedef struct CastNumber {
    bool negative, infinite, nan;
    uint64_t significand;
    int exponent;
} CastNumber;

// The number with these bits, of f64, f32, f16 or bf16.
CastNumber cast_number(TirTypeKind from, uint64_t bits);
// The number of a code of the target, which is finite.
CastNumber cast_decode(const CastTarget *target, uint32_t code);
bool cast_is_nan(const CastTarget *target, uint32_t code);
// The code that a cast gives: rounding is TIR_rounding_nearest_even, nearest_away, zero or positive_inf. Any NaN stands
// for all.
uint32_t cast_model(const CastTarget *target, CastNumber x, uint64_t rounding, bool satf);

#endif
