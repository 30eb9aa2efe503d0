// SPDX-License-Identifier: Apache-2.0
// Approximate implementations of `ieee`, on floats. A rule is a few approximate instructions of GPUs; on processors
// each of them is a formula (compiler/target/approximate.h), emitted here for lanes.
#include "compiler/numeric/numeric_internal.h"
#include "compiler/target/approximate.h"

#include <math.h>

static LLVMTypeRef single_type(const NumericContext *cx) {
    return LLVMFloatTypeInContext(cx->context);
}

static LLVMValueRef single(const NumericContext *cx, LLVMValueRef like, double value) {
    return vector_real_like(like, single_type(cx), value);
}

static LLVMValueRef magnitude_of(const NumericContext *cx, LLVMValueRef x) {
    return vector_intrinsic(cx, "llvm.fabs", &x, 1);
}

static LLVMValueRef with_sign_of(const NumericContext *cx, LLVMValueRef magnitude, LLVMValueRef signed_one) {
    return vector_intrinsic(cx, "llvm.copysign", (LLVMValueRef[]){magnitude, signed_one}, 2);
}

// ---- the formulas of processors -------------------------------------------------------------------------------------

static LLVMValueRef clear_last_bit(const NumericContext *cx, LLVMValueRef x) {
    LLVMValueRef bits = ieee_bits(cx, FPSAN_F32, x);
    return ieee_value(cx, FPSAN_F32, LLVMBuildAnd(cx->builder, bits, vector_integer_like(bits, 32, ~UINT64_C(1)), ""));
}

static LLVMValueRef emit_div(const NumericContext *cx, const LLVMValueRef *x) {
    return clear_last_bit(cx, LLVMBuildFDiv(cx->builder, x[0], x[1], ""));
}

static LLVMValueRef emit_rcp(const NumericContext *cx, const LLVMValueRef *x) {
    return clear_last_bit(cx, LLVMBuildFDiv(cx->builder, single(cx, x[0], 1), x[0], ""));
}

static LLVMValueRef emit_sqrt(const NumericContext *cx, const LLVMValueRef *x) {
    return clear_last_bit(cx, vector_intrinsic(cx, "llvm.sqrt", x, 1));
}

static LLVMValueRef emit_rsqrt(const NumericContext *cx, const LLVMValueRef *x) {
    LLVMValueRef root = vector_intrinsic(cx, "llvm.sqrt", x, 1);
    return emit_rcp(cx, &root);
}

// Flushed, what is below 2^-126 is 0: exactly where x is below -126.
static LLVMValueRef power_of_two(const NumericContext *cx, LLVMValueRef x, bool flush) {
    LLVMValueRef n, bounded = ieee_clamp(cx, x, flush ? -126 : -160, 130);
    LLVMValueRef f = LLVMBuildFSub(cx->builder, bounded, ieee_nearest_integer(cx, bounded, &n), "");
    LLVMValueRef sum = single(cx, f, (double)approximate_ex2[0]);
    for (size_t i = 1; i <= EX2_TERMS; i++) {
        LLVMValueRef next = single(cx, f, i < EX2_TERMS ? (double)approximate_ex2[i] : 1);
        sum = vector_intrinsic(cx, "llvm.fma", (LLVMValueRef[]){sum, f, next}, 3);
    }
    LLVMValueRef result = ieee_scale(cx, sum, n);
    if (!flush) return result;
    LLVMValueRef small = LLVMBuildFCmp(cx->builder, LLVMRealOLT, x, single(cx, x, -126), "");
    return LLVMBuildSelect(cx->builder, small, single(cx, x, 0), result, "");
}

static LLVMValueRef emit_ex2(const NumericContext *cx, const LLVMValueRef *x) {
    return power_of_two(cx, x[0], false);
}

// The polynomial in x, each product and sum rounded: processors without fma are to be as fast.
static LLVMValueRef horner(const NumericContext *cx, LLVMValueRef x, const float *coefficients, size_t count) {
    LLVMValueRef sum = single(cx, x, (double)coefficients[0]);
    for (size_t i = 1; i < count; i++) {
        sum = LLVMBuildFMul(cx->builder, sum, x, "");
        sum = LLVMBuildFAdd(cx->builder, sum, single(cx, x, (double)coefficients[i]), "");
    }
    return sum;
}

static LLVMValueRef emit_lg2(const NumericContext *cx, const LLVMValueRef *x) {
    LLVMBuilderRef b = cx->builder;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(cx->context);
    LLVMValueRef zero = single(cx, x[0], 0), infinity = single(cx, x[0], (double)INFINITY);
    LLVMValueRef is_small = LLVMBuildFCmp(b, LLVMRealOLT, x[0], single(cx, x[0], 0x1p-126), "");
    LLVMValueRef scaled = LLVMBuildFMul(b, x[0], single(cx, x[0], 0x1p24), "");
    LLVMValueRef bits = vector_bitcast(cx, LLVMBuildSelect(b, is_small, scaled, x[0], ""), i32);
    LLVMValueRef shift = vector_integer_like(bits, 32, 23);
    LLVMValueRef above = LLVMBuildSub(b, bits, vector_integer_like(bits, 32, APPROXIMATE_LEAST_OF_LOG2), "");
    LLVMValueRef n = LLVMBuildAShr(b, above, shift, "");
    LLVMValueRef mantissa = LLVMBuildSub(b, bits, LLVMBuildShl(b, n, shift, ""), "");
    LLVMValueRef f = LLVMBuildFSub(b, vector_bitcast(cx, mantissa, single_type(cx)), single(cx, x[0], 1), "");
    LLVMValueRef less = vector_integer_like(bits, 32, (uint64_t)-24), none = vector_integer_like(bits, 32, 0);
    n = LLVMBuildAdd(b, n, LLVMBuildSelect(b, is_small, less, none, ""), "");
    LLVMValueRef part = LLVMBuildFMul(b, f, horner(cx, f, approximate_lg2, LG2_TERMS), "");
    LLVMValueRef result = LLVMBuildFAdd(b, LLVMBuildSIToFP(b, n, LLVMTypeOf(x[0]), ""), part, "");
    // 0, infinity, what is neither positive nor 0.
    LLVMValueRef is_infinite = LLVMBuildFCmp(b, LLVMRealOEQ, x[0], infinity, "");
    result = LLVMBuildSelect(b, is_infinite, infinity, result, "");
    LLVMValueRef is_zero = LLVMBuildFCmp(b, LLVMRealOEQ, x[0], zero, "");
    LLVMValueRef other =
        LLVMBuildSelect(b, is_zero, single(cx, x[0], (double)-INFINITY), single(cx, x[0], (double)NAN), "");
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, x[0], zero, ""), result, other, "");
}

// x / (2 pi) less the nearest integer.
static LLVMValueRef turn(const NumericContext *cx, LLVMValueRef x) {
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef n, t = LLVMBuildFMul(b, x, single(cx, x, (double)APPROXIMATE_PER_TURN), "");
    LLVMValueRef rest = LLVMBuildFSub(b, t, ieee_nearest_integer(cx, t, &n), "");
    LLVMValueRef near = LLVMBuildFCmp(b, LLVMRealOLT, magnitude_of(cx, t), single(cx, t, 0x1p22), "");
    return LLVMBuildSelect(b, near, rest, LLVMBuildFMul(b, t, single(cx, t, 0), ""), "");
}

static LLVMValueRef sine_of_turn(const NumericContext *cx, LLVMValueRef s) {
    LLVMValueRef square = LLVMBuildFMul(cx->builder, s, s, "");
    return LLVMBuildFMul(cx->builder, s, horner(cx, square, approximate_sine, SINE_TERMS), "");
}

static LLVMValueRef emit_sin(const NumericContext *cx, const LLVMValueRef *x) {
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef r = turn(cx, x[0]), magnitude = magnitude_of(cx, r);
    LLVMValueRef mirrored = with_sign_of(cx, LLVMBuildFSub(b, single(cx, r, 0.5), magnitude, ""), r);
    LLVMValueRef beyond = LLVMBuildFCmp(b, LLVMRealOGT, magnitude, single(cx, r, 0.25), "");
    return sine_of_turn(cx, LLVMBuildSelect(b, beyond, mirrored, r, ""));
}

static LLVMValueRef emit_cos(const NumericContext *cx, const LLVMValueRef *x) {
    LLVMValueRef magnitude = magnitude_of(cx, turn(cx, x[0]));
    return sine_of_turn(cx, LLVMBuildFSub(cx->builder, single(cx, x[0], 0.25), magnitude, ""));
}

// 1 + ..., in x^2.
static LLVMValueRef of_square(const NumericContext *cx, LLVMValueRef square, const float *coefficients) {
    LLVMValueRef sum = LLVMBuildFMul(cx->builder, horner(cx, square, coefficients, TANH_TERMS), square, "");
    return LLVMBuildFAdd(cx->builder, sum, single(cx, square, 1), "");
}

static LLVMValueRef emit_tanh(const NumericContext *cx, const LLVMValueRef *x) {
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef square = LLVMBuildFMul(b, x[0], x[0], ""), magnitude = magnitude_of(cx, x[0]);
    LLVMValueRef quotient = LLVMBuildFDiv(b, of_square(cx, square, approximate_tanh_over),
                                          of_square(cx, square, approximate_tanh_under), "");
    LLVMValueRef bits = ieee_bits(cx, FPSAN_F32, LLVMBuildFMul(b, x[0], quotient, ""));
    bits = LLVMBuildAdd(b, bits, vector_integer_like(bits, 32, 0x800), "");
    bits = LLVMBuildAnd(b, bits, vector_integer_like(bits, 32, 0xfffff000), "");
    LLVMValueRef end = single(cx, x[0], (double)APPROXIMATE_TANH_END);
    LLVMValueRef large = LLVMBuildFCmp(b, LLVMRealOGT, magnitude, end, "");
    LLVMValueRef one = with_sign_of(cx, single(cx, x[0], 1), x[0]);
    LLVMValueRef result = LLVMBuildSelect(b, large, one, ieee_value(cx, FPSAN_F32, bits), "");
    LLVMValueRef normal = LLVMBuildFCmp(b, LLVMRealOGE, magnitude, single(cx, x[0], 0x1p-126), "");
    return LLVMBuildSelect(b, normal, result, x[0], "");
}

// ---- instructions and rules -----------------------------------------------------------------------------------------

static LLVMValueRef instruction(const NumericContext *cx, Approximation which, bool flush, const LLVMValueRef *x) {
    static LLVMValueRef (*const formulas[])(const NumericContext *, const LLVMValueRef *) = {
        [APPROXIMATE_DIV] = emit_div,   [APPROXIMATE_DIV_FULL] = emit_div, [APPROXIMATE_RCP] = emit_rcp,
        [APPROXIMATE_SQRT] = emit_sqrt, [APPROXIMATE_RSQRT] = emit_rsqrt,  [APPROXIMATE_EX2] = emit_ex2,
        [APPROXIMATE_LG2] = emit_lg2,   [APPROXIMATE_SIN] = emit_sin,      [APPROXIMATE_COS] = emit_cos,
        [APPROXIMATE_TANH] = emit_tanh,
    };
    _Static_assert(BASE_COUNT(formulas) == APPROXIMATION_COUNT, "a formula for each");
    if (!cx->machine.names_rounding)
        return which == APPROXIMATE_EX2 ? power_of_two(cx, x[0], flush) : formulas[which](cx, x);
    const char *name = approximate_instruction(which, flush);
    return ieee_each_lane(cx, name ? name : approximate_instruction(which, false), x, approximate_operands(which));
}

// A product inside an approximation.
static LLVMValueRef multiply(const NumericContext *cx, bool flush, LLVMValueRef a, LLVMValueRef b) {
    if (flush && cx->machine.names_rounding)
        return ieee_instruction(cx, FPSAN_RULE_MUL, FPSAN_NEAREST_EVEN, true, (LLVMValueRef[]){a, b}, 2);
    return LLVMBuildFMul(cx->builder, a, b, "");
}

static LLVMValueRef quotient(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *x) {
    switch (op->implementation) {
    case FLOAT_RECIPROCAL: return instruction(cx, APPROXIMATE_RCP, op->flush_to_zero, &x[1]);
    case FLOAT_FULL_RANGE_DIVISION: return instruction(cx, APPROXIMATE_DIV_FULL, op->flush_to_zero, x);
    default: return instruction(cx, APPROXIMATE_DIV, op->flush_to_zero, x);
    }
}

LLVMValueRef ieee_approximate(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *operands) {
    const bool flush = op->flush_to_zero;
    LLVMValueRef x = operands[0], part[2];
    switch (op->rule) {
    case FPSAN_RULE_DIV: return quotient(cx, op, operands);
    case FPSAN_RULE_SQRT: return instruction(cx, APPROXIMATE_SQRT, flush, &x);
    case FPSAN_RULE_RSQRT: return instruction(cx, APPROXIMATE_RSQRT, flush, &x);
    case FPSAN_RULE_EXP2: return instruction(cx, APPROXIMATE_EX2, flush, &x);
    case FPSAN_RULE_EXP:
        part[0] = multiply(cx, flush, x, single(cx, x, (double)APPROXIMATE_LOG2_E));
        return instruction(cx, APPROXIMATE_EX2, flush, part);
    case FPSAN_RULE_LOG2: return instruction(cx, APPROXIMATE_LG2, flush, &x);
    case FPSAN_RULE_LOG:
        part[0] = instruction(cx, APPROXIMATE_LG2, flush, &x);
        return multiply(cx, flush, part[0], single(cx, x, (double)APPROXIMATE_LN_2));
    case FPSAN_RULE_SIN: return instruction(cx, APPROXIMATE_SIN, flush, &x);
    case FPSAN_RULE_COS: return instruction(cx, APPROXIMATE_COS, flush, &x);
    case FPSAN_RULE_TAN:
        part[0] = instruction(cx, APPROXIMATE_SIN, flush, &x);
        part[1] = instruction(cx, APPROXIMATE_COS, flush, &x);
        return instruction(cx, APPROXIMATE_DIV, flush, part);
    case FPSAN_RULE_TANH: return instruction(cx, APPROXIMATE_TANH, flush, &x);
    case FPSAN_RULE_POW:
        part[0] = multiply(cx, flush, instruction(cx, APPROXIMATE_LG2, flush, &x), operands[1]);
        return instruction(cx, APPROXIMATE_EX2, flush, part);
    default: return NULL;
    }
}
