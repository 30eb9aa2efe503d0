// SPDX-License-Identifier: Apache-2.0
// What the files of the range census share. Numbers are lanes of bits or a scalar; masks are i1 lanes or i1, NULL: it
// holds in all.
#ifndef CONGRUENT_CENSUS_INTERNAL_H
#define CONGRUENT_CENSUS_INTERNAL_H

#include "compiler/lower/census.h"

// ---- census_numbers.c -----------------------------------------------------------------------------------------------

// What the bits of a format mean, as they stand in a lane.
typedef struct CensusLayout {
    unsigned lane_bits, fraction_bits; // `fraction_bits`: below the exponent
    uint64_t magnitude, infinity;      // masks the sign; the smallest magnitude that is not finite, 0: there is none
    uint64_t nan;                      // of FNUZ its bits; else 0
    unsigned bias;
} CensusLayout;

// False: of such numbers nothing is counted.
bool census_layout(FpsanFormat format, CensusLayout *layout);
LLVMValueRef census_bits(Emit *e, const CensusLayout *layout, const NumericValue *value);
LLVMValueRef census_like(const CensusLayout *layout, LLVMValueRef bits, uint64_t value);
LLVMValueRef census_magnitude(Emit *e, const CensusLayout *layout, LLVMValueRef bits);
LLVMValueRef census_exponent(Emit *e, const CensusLayout *layout, LLVMValueRef magnitude);
LLVMValueRef census_is_finite(Emit *e, const CensusLayout *layout, LLVMValueRef bits, LLVMValueRef magnitude);
LLVMValueRef census_is_zero(Emit *e, LLVMValueRef value);
LLVMValueRef census_greater(Emit *e, LLVMValueRef a, LLVMValueRef b);
// Of masks in as many lanes.
LLVMValueRef census_and(Emit *e, LLVMValueRef a, LLVMValueRef b);

// The exponents of the two terms of a sum, where they stand in the bits; that of a product is as if no factor were 0.
// Those of a fused sum are larger by `above`, at least: so none is negative.
typedef struct CensusTerms {
    LLVMValueRef exponents[2], above; // `above` NULL: 0
} CensusTerms;
// Of two or three operands' bits.
void census_open_terms(Emit *e, const CensusLayout *layout, unsigned count, const LLVMValueRef *operands,
                       CensusTerms *terms);

// The lanes of a vector register.
unsigned census_register_lanes(const Emit *e, const CensusLayout *layout);
// Halves of lanes combined until a register holds them; by `or` if `intrinsic` is NULL.
LLVMValueRef census_combine(Emit *e, const CensusLayout *layout, LLVMValueRef lanes, const char *intrinsic);
LLVMValueRef census_is_any(Emit *e, LLVMValueRef mask);
// The mask as bits of an i64. NULL: all of `lanes`.
LLVMValueRef census_mask_bits(Emit *e, LLVMValueRef mask, unsigned lanes);
LLVMValueRef census_count_bits(Emit *e, LLVMValueRef bits);

// Fields of a KernelCensusState as integers of the width of the lanes.
LLVMValueRef census_field_at(Emit *e, LLVMValueRef state, size_t offset);
LLVMValueRef census_load_field(Emit *e, const CensusLayout *layout, LLVMValueRef state, size_t offset);
void census_store_field(Emit *e, LLVMValueRef state, size_t offset, LLVMValueRef value);
void census_add(Emit *e, LLVMValueRef at, LLVMValueRef count);
void census_add_counter(Emit *e, LLVMValueRef state, CensusCounter counter, LLVMValueRef count);
// Not in the span of a state (the field at the offset `span`). In as many lanes as a register has: of several one.
// `but`: not where this is 0; NULL: everywhere.
LLVMValueRef census_is_beyond(Emit *e, const CensusLayout *layout, LLVMValueRef state, size_t span,
                              LLVMValueRef magnitude, LLVMValueRef but);

// ---- census_look.c --------------------------------------------------------------------------------------------------

// Which results are the op's own (KernelCensusState.own).
typedef enum CensusOwn {
    CENSUS_OWN_ALL,
    CENSUS_OWN_NONE,
    CENSUS_OWN_NOT_LARGEST, // but the largest number of the format
    CENSUS_OWN_GREATER      // those that are larger than each operand, which all have the format
} CensusOwn;

// One evaluation of an op: what is counted, and of what.
typedef struct CensusStep {
    FpsanFormat format;
    CensusLayout layout;
    CensusOwn own;
    LLVMValueRef bits;      // of the result
    bool adds;              // the operands are summands, of the same format; of three the first two are factors
    bool flushes;           // a subnormal result is a zero
    unsigned operand_count; // of floats
    LLVMValueRef operands[TIR_OPERANDS_MAX]; // their bits
    FpsanFormat formats[TIR_OPERANDS_MAX];
    LLVMValueRef finite; // i1: other operands are; NULL: there are none
} CensusStep;
// Lanes in which all operands are finite.
LLVMValueRef census_finite_operands(Emit *e, const CensusStep *step);
// Lanes in which the result, if it is finite, is the op's own and larger than all of its own before. Not for ops of
// which all results or none are.
LLVMValueRef census_is_own(Emit *e, const CensusStep *step, LLVMValueRef state, LLVMValueRef magnitude);
// Calls code that looks at all lanes of a step and counts those whose bits are set in `counts` (i64). With
// EmitCensus.by_calls it is called for every step, and looks where it must.
void census_look(Emit *e, const CensusStep *step, LLVMValueRef state, LLVMValueRef counts);

// ---- census.c -------------------------------------------------------------------------------------------------------

// Calls `look_at` to emit code for where numbers of a step, in a register, are to be looked at. `all` (i1): whether all
// its lanes count.
void census_look_seldom(Emit *e, const CensusStep *step, LLVMValueRef state, LLVMValueRef all,
                        void (*look_at)(Emit *e, void *data), void *data);

#endif
