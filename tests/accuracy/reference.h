// SPDX-License-Identifier: Apache-2.0
// What IEEE results must be, computed with MPFR and with a table of formats of its own: nothing here comes from
// compiler/numeric or libfpsan, which are what is tested.
#ifndef CONGRUENT_ACCURACY_REFERENCE_H
#define CONGRUENT_ACCURACY_REFERENCE_H

#include "compiler/tileir/tir.h"

#include <mpfr.h>

// ---- reference_format.c: the formats, bits to values and back -------------------------------------------------------

typedef enum ReferenceSpecials {
    REFERENCE_IEEE,    // the top exponent is infinities and NaNs
    REFERENCE_ONE_NAN, // all ones is NaN, no infinity
    REFERENCE_FINITE,  // neither
    REFERENCE_SCALE    // powers of two without sign or zero, all ones is NaN
} ReferenceSpecials;

typedef struct ReferenceFormat {
    TirTypeKind kind;
    unsigned precision; // bits of a significand, with the leading one
    int least, most;    // exponents e of the normal numbers 1.x * 2^e
    ReferenceSpecials specials;
    unsigned exponent_bits;
    unsigned low_zeros; // tf32 lies in the upper bits of 32
    double largest;
} ReferenceFormat;

// NULL for types that are no float formats.
const ReferenceFormat *reference_format(TirTypeKind kind);
unsigned reference_bits(TirTypeKind kind); // of an element in a register: tf32 32, f4E2M1FN 4
double reference_decode(const ReferenceFormat *format, uint64_t bits);
bool reference_is_nan(const ReferenceFormat *format, uint64_t bits);
// Bits of a value that the format has. NaN: any of its NaNs.
uint64_t reference_encode(const ReferenceFormat *format, double value);
// The value rounded as a conversion does (a TIR_rounding_*). Overflow: as IEEE 754 says, but formats of 8 bits and less
// end at their largest number, infinities too. A NaN is one, where there is one; in f4E2M1FN the largest number.
// f8E8M0FNU takes magnitudes, and its least number for what is smaller.
uint64_t reference_round(const ReferenceFormat *format, mpfr_srcptr value, uint64_t rounding);
// Equal bits, or NaNs both.
bool reference_same(const ReferenceFormat *format, uint64_t a, uint64_t b);

// ---- reference_op.c: ops --------------------------------------------------------------------------------------------

// addf, subf, mulf, divf, fma, sqrt, remf, floor, ceil, absf, negf, minf, maxf of f64, f32, f16 or bf16, rounded once;
// flush: subnormal operands and results become zeros of their sign.
typedef struct ReferenceOp {
    TirOpKind op;
    TirTypeKind type;
    uint64_t rounding;
    bool flush, propagate_nan;
} ReferenceOp;
uint64_t reference_apply(const ReferenceOp *op, const uint64_t *operands);
bool reference_compare(uint64_t predicate, bool ordered, double a, double b);
// An integer of the low `width` bits; and one from a float, toward zero and saturated, 0 for NaN.
uint64_t reference_from_integer(const ReferenceFormat *to, uint64_t integer, unsigned width, bool is_signed);
uint64_t reference_to_integer(double value, unsigned width, bool is_signed);
// exp, log, pow, ...: the value with the precision of `out`.
void reference_function(mpfr_ptr out, TirOpKind op, double x, double y);
// |got - exact| in units in the last place of the format at `exact` (of the least normal number below it; infinity
// counts as the power of two behind the largest number). A NaN for a number, a number for a NaN, the wrong sign:
// infinite.
double reference_error(const ReferenceFormat *format, double got, mpfr_srcptr exact);

#endif
