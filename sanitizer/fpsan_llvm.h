// SPDX-License-Identifier: Apache-2.0
// Triton's payload algebra emitted as LLVM IR. Each function appends instructions at the builder's position and returns
// the result.
//
// Values are integers iN, or vectors <L x iN> of any length L. N is the format's lane_bits: i64 for f64; i32 for f32
// and tf32; i16 for f16 and bf16; i8 for f8, e8m0, fnv8 and f4. An f4 is 0..15: its upper four bits must be zero, and
// are zero in results. All operands of a call have one shape. Emitted code has no undefined behaviour and no LLVM
// poison, whatever the operands, and calls no library. It is integer code but for float instructions whose results do
// not depend on fast-math: f32 and f64 are compared by fcmp, remainders of vectors divide, and conversions between real
// bits and integers use exact operations and additions that round to nearest. What fpsan.h does not define (a rule on a
// format without rules, a wrong number of operands) returns NULL and emits nothing.
#ifndef CONGRUENT_FPSAN_LLVM_H
#define CONGRUENT_FPSAN_LLVM_H

#include <llvm-c/Core.h>

#include "sanitizer/fpsan.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where and what to emit. Everything is borrowed; the builder must be positioned in a function of the module.
typedef struct FpsanEmit {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    FpsanAlgebra algebra;
    bool halves; // vectors of i16 are multiplied in less time than those of i32: where the low halves of products will
                 // do
} FpsanEmit;

// ---- emit_payload.c: embedding and rules ----------------------------------------------------------------------------

// iN of the format, or <lanes x iN> where lanes > 0.
LLVMTypeRef fpsan_emit_type(const FpsanEmit *e, FpsanFormat format, unsigned lanes);
// Real bits to payload and back.
LLVMValueRef fpsan_emit_embed(const FpsanEmit *e, FpsanFormat format, LLVMValueRef bits);
LLVMValueRef fpsan_emit_unembed(const FpsanEmit *e, FpsanFormat format, LLVMValueRef payload);
// Any rule but EXTERN. POWI's exponent may be an integer of any width.
LLVMValueRef fpsan_emit(const FpsanEmit *e, FpsanRule rule, FpsanFormat format, const LLVMValueRef *operands,
                        unsigned count);
// The rule EXTERN. Operands may be integers and payloads of any width; they are sign-extended or truncated.
LLVMValueRef fpsan_emit_extern(const FpsanEmit *e, FpsanFormat format, const char *symbol, const LLVMValueRef *operands,
                               unsigned count);

// ---- emit_convert.c: casts, integers, comparisons, dots -------------------------------------------------------------

// Payload to payload. `rounding` counts only where `to` is e8m0 or fnv8.
LLVMValueRef fpsan_emit_cast(const FpsanEmit *e, FpsanFormat from, FpsanFormat to, LLVMValueRef payload,
                             FpsanRounding rounding);
// From and to integers of 1 to 64 bits. `bits`: the width of the resulting integers.
LLVMValueRef fpsan_emit_from_int(const FpsanEmit *e, FpsanFormat to, LLVMValueRef integer, bool is_signed);
LLVMValueRef fpsan_emit_to_int(const FpsanEmit *e, FpsanFormat from, LLVMValueRef payload, unsigned bits,
                               bool is_signed);
// LLVM's predicates. With a NaN, an ordered comparison is false, an unordered one true.
LLVMRealPredicate fpsan_real_predicate(FpsanPredicate predicate, bool ordered);
LLVMIntPredicate fpsan_integer_predicate(FpsanPredicate predicate, bool is_signed);
// IEEE comparison of the real bits: i1 or <L x i1>.
LLVMValueRef fpsan_emit_compare(const FpsanEmit *e, FpsanFormat format, FpsanPredicate predicate, bool ordered,
                                LLVMValueRef a, LLVMValueRef b);
// Whether the real bits are in one of `classes` (a sum of FPSAN_CLASS_* without NEGATIVE): i1 or <L x i1>.
LLVMValueRef fpsan_emit_is_class(const FpsanEmit *e, FpsanFormat format, unsigned classes, LLVMValueRef payload);

// A dot's operand cast to the accumulator's ring. On such operands a dot is multiplication and addition of integers.
LLVMValueRef fpsan_emit_dot_operand(const FpsanEmit *e, FpsanFormat format, FpsanFormat accumulator_format,
                                    LLVMValueRef payload);
// accumulator + a * b, element by element, in the accumulator's ring; a and b are payloads of their own formats.
LLVMValueRef fpsan_emit_dot_step(const FpsanEmit *e, FpsanFormat a_format, FpsanFormat b_format,
                                 FpsanFormat accumulator_format, LLVMValueRef a, LLVMValueRef b,
                                 LLVMValueRef accumulator);
// A scale cast to the compute format (fpsan_scaled_compute_format); an operand cast to it and multiplied by its scale.
LLVMValueRef fpsan_emit_scale_payload(const FpsanEmit *e, FpsanFormat scale_format, FpsanFormat compute_format,
                                      LLVMValueRef scale);
LLVMValueRef fpsan_emit_scaled_operand(const FpsanEmit *e, FpsanFormat format, FpsanFormat scale_format,
                                       FpsanFormat compute_format, LLVMValueRef payload, LLVMValueRef scale);

// ---- emit_bits.c: conversions of real bits --------------------------------------------------------------------------

// fpsan_convert, fpsan_integer_to_bits and fpsan_bits_to_integer of format.h, in integer code.
LLVMValueRef fpsan_emit_convert_bits(const FpsanEmit *e, FpsanFormat from, FpsanFormat to, LLVMValueRef bits,
                                     FpsanRounding rounding);
LLVMValueRef fpsan_emit_integer_to_bits(const FpsanEmit *e, FpsanFormat to, LLVMValueRef integer, bool is_signed);
LLVMValueRef fpsan_emit_bits_to_integer(const FpsanEmit *e, FpsanFormat from, LLVMValueRef bits, unsigned width,
                                        bool is_signed);

#ifdef __cplusplus
}
#endif
#endif
