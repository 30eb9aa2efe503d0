// SPDX-License-Identifier: Apache-2.0
// tanh of doubles. Tile IR allows 1 ulp, which the C library's misses (glibc: 2). So this one carries e^(2|x|) - 1 and
// the quotient in pairs of doubles, a number and its error: within 0.7 ulp, without branches and on any lanes.
#include "compiler/numeric/numeric_internal.h"

typedef struct Pair {
    LLVMValueRef high, low; // the value is their sum
} Pair;

static LLVMValueRef constant(LLVMValueRef like, double value) {
    return vector_real_like(like, vector_element(LLVMTypeOf(like)), value);
}

static LLVMValueRef fma3(const NumericContext *cx, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    return vector_intrinsic(cx, "llvm.fma", (LLVMValueRef[]){a, b, c}, 3);
}

// a + b exactly: the rounded sum and its error.
static Pair exact_sum(const NumericContext *cx, LLVMValueRef a, LLVMValueRef b) {
    LLVMBuilderRef builder = cx->builder;
    LLVMValueRef sum = LLVMBuildFAdd(builder, a, b, ""), part = LLVMBuildFSub(builder, sum, a, "");
    LLVMValueRef from_a = LLVMBuildFSub(builder, a, LLVMBuildFSub(builder, sum, part, ""), "");
    return (Pair){sum, LLVMBuildFAdd(builder, from_a, LLVMBuildFSub(builder, b, part, ""), "")};
}

// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2, by its series: what is left out is below 2^-56 of r.
static LLVMValueRef series(const NumericContext *cx, LLVMValueRef r) {
    static const double coefficients[] = {0x1.6124613a86d09p-33, 0x1.1eed8eff8d898p-29, 0x1.ae64567f544e4p-26,
                                          0x1.27e4fb7789f5cp-22, 0x1.71de3a556c734p-19, 0x1.a01a01a01a01ap-16,
                                          0x1.a01a01a01a01ap-13, 0x1.6c16c16c16c17p-10, 0x1.1111111111111p-7,
                                          0x1.5555555555555p-5,  0x1.5555555555555p-3,  0x1.p-1};
    LLVMValueRef sum = constant(r, coefficients[0]);
    for (size_t i = 1; i < BASE_COUNT(coefficients); i++) sum = fma3(cx, sum, r, constant(r, coefficients[i]));
    return sum;
}

// e^y - 1 for 0 <= y <= 46. y = n ln(2) + r; ln(2) in two parts, the first short, so that n times it is exact.
static Pair exponential_less_one(const NumericContext *cx, LLVMValueRef y) {
    LLVMBuilderRef b = cx->builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(cx->context), real = vector_element(LLVMTypeOf(y));
    // The nearest integer: adding 1.5 * 2^52 leaves it in the low bits of the sum.
    LLVMValueRef shift = constant(y, 0x1.8p52);
    LLVMValueRef shifted = LLVMBuildFAdd(b, LLVMBuildFMul(b, y, constant(y, 0x1.71547652b82fep0), ""), shift, "");
    LLVMValueRef n = LLVMBuildFSub(b, shifted, shift, ""), bits = vector_bitcast(cx, shifted, i64);
    LLVMValueRef exponent = LLVMBuildAdd(b, bits, vector_integer_like(bits, 64, 1023), "");
    LLVMValueRef power = vector_bitcast(cx, LLVMBuildShl(b, exponent, vector_integer_like(bits, 64, 52), ""), real);
    LLVMValueRef first = fma3(cx, n, constant(y, -0x1.62e42feep-1), y);
    LLVMValueRef second = LLVMBuildFMul(b, n, constant(y, -0x1.a39ef35793c76p-33), "");
    Pair r = exact_sum(cx, first, second);
    LLVMValueRef square = LLVMBuildFMul(b, r.high, r.high, "");
    Pair less_one = exact_sum(cx, r.high, LLVMBuildFMul(b, square, series(cx, r.high), ""));
    LLVMValueRef low = LLVMBuildFAdd(b, less_one.low, fma3(cx, r.low, less_one.high, r.low), "");
    // 2^n e^r - 1 = (2^n - 1) + 2^n (e^r - 1)
    Pair sum = exact_sum(cx, LLVMBuildFSub(b, power, constant(y, 1), ""), LLVMBuildFMul(b, power, less_one.high, ""));
    sum.low = fma3(cx, power, low, sum.low);
    return sum;
}

// tanh(|x|) = e / (e + 2), e = e^(2|x|) - 1: a quotient and what its remainder adds to it.
LLVMValueRef ieee_tanh(const NumericContext *cx, LLVMValueRef x) {
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef magnitude = vector_intrinsic(cx, "llvm.fabs", &x, 1), most = constant(x, 23); // 1 from 19.1
    LLVMValueRef large = LLVMBuildFCmp(b, LLVMRealOGT, magnitude, most, "");
    magnitude = LLVMBuildSelect(b, large, most, magnitude, ""); // NaN stays NaN
    Pair e = exponential_less_one(cx, LLVMBuildFAdd(b, magnitude, magnitude, ""));
    Pair divisor = exact_sum(cx, e.high, constant(x, 2));
    divisor.low = LLVMBuildFAdd(b, divisor.low, e.low, "");
    LLVMValueRef quotient = LLVMBuildFDiv(b, e.high, divisor.high, "");
    LLVMValueRef negative = LLVMBuildFNeg(b, quotient, "");
    LLVMValueRef rest = fma3(cx, negative, divisor.high, e.high);
    rest = LLVMBuildFAdd(b, rest, fma3(cx, negative, divisor.low, e.low), "");
    quotient = LLVMBuildFAdd(b, quotient, LLVMBuildFDiv(b, rest, divisor.high, ""), "");
    return vector_intrinsic(cx, "llvm.copysign", (LLVMValueRef[]){quotient, x}, 2);
}
