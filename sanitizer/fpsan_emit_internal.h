// SPDX-License-Identifier: Apache-2.0
// Shared by the emission files: LLVM instructions on values that are an integer or a vector of integers; constants are
// spread over the lanes.
#ifndef CONGRUENT_FPSAN_EMIT_INTERNAL_H
#define CONGRUENT_FPSAN_EMIT_INTERNAL_H

#include "sanitizer/fpsan_internal.h"
#include "sanitizer/fpsan_llvm.h"

// ---- emit_payload.c -------------------------------------------------------------------------------------------------

// The scalar type, or the vector of it with the lanes of `like`.
LLVMTypeRef fpsan_type_like(LLVMTypeRef element, LLVMValueRef like);
unsigned fpsan_element_bits(LLVMValueRef value);
// A scalar constant in every lane that `like` has; if `like` is a scalar, the constant itself.
LLVMValueRef fpsan_splat(LLVMValueRef element, LLVMValueRef like);
// An integer constant of the type of `like`; one of iBITS with the lanes of `like`.
LLVMValueRef fpsan_constant(LLVMValueRef like, uint64_t value);
LLVMValueRef fpsan_constant_bits(LLVMValueRef like, unsigned bits, uint64_t value);
// The value sign-extended (or zero-extended) or truncated to elements of iBITS.
LLVMValueRef fpsan_resize(const FpsanEmit *e, LLVMValueRef value, unsigned bits, bool is_signed);
// A call of an intrinsic overloaded on the given types.
LLVMValueRef fpsan_intrinsic(const FpsanEmit *e, const char *name, LLVMTypeRef *overloads, unsigned overload_count,
                             LLVMValueRef *operands, unsigned count);
LLVMValueRef fpsan_binary_intrinsic(const FpsanEmit *e, const char *name, LLVMValueRef a, LLVMValueRef b);

// ---- emit_bits.c ----------------------------------------------------------------------------------------------------

// The bits of e8m0 or fnv8 as bits of `to` (f64, f32, tf32, bf16), with the value that the payload algebra gives them:
// see scale_bits in cast.c.
LLVMValueRef fpsan_emit_scale_bits(const FpsanEmit *e, FpsanFormat from, FpsanFormat to, LLVMValueRef bits);

// NAME(e, a, b), and NAME_constant(e, a, 5) with a constant as second operand.
#define FPSAN_BINARY(name, Build)                                                                                      \
    static inline LLVMValueRef name(const FpsanEmit *e, LLVMValueRef a, LLVMValueRef b) {                              \
        return Build(e->builder, a, b, "");                                                                            \
    }                                                                                                                  \
    static inline LLVMValueRef name##_constant(const FpsanEmit *e, LLVMValueRef a, uint64_t b) {                       \
        return Build(e->builder, a, fpsan_constant(a, b), "");                                                         \
    }
FPSAN_BINARY(lane_add, LLVMBuildAdd)
FPSAN_BINARY(lane_sub, LLVMBuildSub)
FPSAN_BINARY(lane_mul, LLVMBuildMul)
FPSAN_BINARY(lane_and, LLVMBuildAnd)
FPSAN_BINARY(lane_or, LLVMBuildOr)
FPSAN_BINARY(lane_xor, LLVMBuildXor)
FPSAN_BINARY(lane_shl, LLVMBuildShl)
FPSAN_BINARY(lane_lshr, LLVMBuildLShr)
FPSAN_BINARY(lane_ashr, LLVMBuildAShr)
#undef FPSAN_BINARY

static inline LLVMValueRef lane_select(const FpsanEmit *e, LLVMValueRef condition, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(e->builder, condition, a, b, "");
}
static inline LLVMValueRef lane_compare(const FpsanEmit *e, LLVMIntPredicate predicate, LLVMValueRef a,
                                        LLVMValueRef b) {
    return LLVMBuildICmp(e->builder, predicate, a, b, "");
}
static inline LLVMValueRef lane_compare_constant(const FpsanEmit *e, LLVMIntPredicate predicate, LLVMValueRef a,
                                                 uint64_t b) {
    return LLVMBuildICmp(e->builder, predicate, a, fpsan_constant(a, b), "");
}
// -a where the sign mask (0 or all ones) is set, else a.
static inline LLVMValueRef lane_negate_if(const FpsanEmit *e, LLVMValueRef a, LLVMValueRef mask) {
    return lane_sub(e, lane_xor(e, a, mask), mask);
}

#endif
