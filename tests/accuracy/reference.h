// SPDX-License-Identifier: Apache-2.0
// The right results of IEEE arithmetic, computed with MPFR and a table of formats of its own. Nothing here comes from
// compiler/numeric or libfpsan, which are tested with it.
#ifndef CONGRUENT_ACCURACY_REFERENCE_H
#define CONGRUENT_ACCURACY_REFERENCE_H

#include "compiler/tileir/tir.h"

#include <mpfr.h>

// ---- reference_format.c: the formats, bits to values and back -------------------------------------------------------

typedef enum ReferenceSpecials {
    REFERENCE_IEEE,          // the top exponent is infinities and NaNs
    REFERENCE_ONE_NAN,       // all ones is NaN, no infinity
    REFERENCE_UNSIGNED_ZERO, // no infinity, and NaN in the place of negative zero
    REFERENCE_FINITE,        // neither
    REFERENCE_SCALE          // powers of two without sign or zero, all ones is NaN
} ReferenceSpecials;

typedef struct ReferenceFormat {
    TirTypeKind kind;
    unsigned precision; // bits of a significand, with the leading one
    int least, most;    // least and largest exponent e of normal numbers 1.x * 2^e
    ReferenceSpecials specials;
    unsigned exponent_bits;
    unsigned low_zeros; // unused low bits: tf32 lies in the upper 19 bits of 32
    double largest;
} ReferenceFormat;

// NULL for types that are no float formats.
const ReferenceFormat *reference_format(TirTypeKind kind);
unsigned reference_bits(TirTypeKind kind); // of an element in a register: tf32 32, f4E2M1FN 4
double reference_decode(const ReferenceFormat *format, uint64_t bits);
bool reference_is_nan(const ReferenceFormat *format, uint64_t bits);
// The bits of a value that the format has; of NaN those of any NaN.
uint64_t reference_encode(const ReferenceFormat *format, double value);
// The value rounded as a conversion does it (TIR_rounding_*). Overflow is as IEEE 754 says; but in formats of 8 bits
// and less it gives the largest number, and so does infinity. NaN stays NaN; in formats that have none it becomes
// the largest number. f8E8M0FNU takes the magnitude; smaller values become its least number.
uint64_t reference_round(const ReferenceFormat *format, mpfr_srcptr value, uint64_t rounding);
// Whether the bits are equal, or both are NaNs.
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
// An integer, of `width` bits, to a float; a float to such an integer, toward zero and saturated, NaN to 0.
uint64_t reference_from_integer(const ReferenceFormat *to, uint64_t integer, unsigned width, bool is_signed);
uint64_t reference_to_integer(double value, unsigned width, bool is_signed);
// exp, log, pow, ...: the value with the precision of `out`.
void reference_function(mpfr_ptr out, TirOpKind op, double x, double y);
// |got - exact| in units in the last place that the format has at `exact`; below the least normal number those of that.
// Infinity counts as the power of two after the largest number. The error is infinite if only one of the two is NaN, or
// if the signs differ.
double reference_error(const ReferenceFormat *format, double got, mpfr_srcptr exact);

#endif
