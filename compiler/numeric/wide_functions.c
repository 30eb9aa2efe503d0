// SPDX-License-Identifier: Apache-2.0
// Functions of the doubles beside floats: exp, exp2 and tanh without calls, within a few units in the last place. More
// is not asked of them: the error of a double is looked at beside a pair of doubles (diff/accuracy.c).
#include "compiler/numeric/wide.h"

static LLVMValueRef constant(LLVMValueRef like, double value) {
    return vector_real_like(like, vector_element(LLVMTypeOf(like)), value);
}

static LLVMValueRef fma3(const NumericContext *cx, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    return vector_intrinsic(cx, "llvm.fma", (LLVMValueRef[]){a, b, c}, 3);
}

// An integer, and the same in the low bits of a double: adding 1.5 * 2^52 leaves it there.
typedef struct Whole {
    LLVMValueRef number, sum;
} Whole;
#define WHOLE_SHIFT 0x1.8p52

// The integer nearest to x * factor, |x * factor| < 2^31.
static Whole nearest_whole(const NumericContext *cx, LLVMValueRef x, double factor) {
    LLVMValueRef shift = constant(x, WHOLE_SHIFT);
    LLVMValueRef sum = factor == 1 ? LLVMBuildFAdd(cx->builder, x, shift, "") : fma3(cx, x, constant(x, factor), shift);
    return (Whole){LLVMBuildFSub(cx->builder, sum, shift, ""), sum};
}

// NaN stays NaN.
static LLVMValueRef clamp(const NumericContext *cx, LLVMValueRef x, double most) {
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef high = constant(x, most), low = constant(x, -most);
    x = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, x, high, ""), high, x, "");
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, x, low, ""), low, x, "");
}

// 2^n of an integer |n| <= 1022.
static LLVMValueRef power_of_two(const NumericContext *cx, Whole n) {
    LLVMBuilderRef b = cx->builder;
    LLVMTypeRef real = vector_element(LLVMTypeOf(n.sum));
    LLVMValueRef bits = vector_bitcast(cx, n.sum, LLVMInt64TypeInContext(cx->context));
    LLVMValueRef exponent = LLVMBuildAdd(b, bits, vector_integer_like(bits, 64, 1023), "");
    return vector_bitcast(cx, LLVMBuildShl(b, exponent, vector_integer_like(bits, 64, 52), ""), real);
}

// The terms r^k / k! for k = last, last - 2, ... 2 or 3, without the power of the last of them.
static LLVMValueRef series(const NumericContext *cx, LLVMValueRef square, int last) {
    double factorial = 1;
    for (int k = 2; k <= last; k++) factorial *= k;
    LLVMValueRef sum = constant(square, 1 / factorial);
    for (int k = last; k >= 4; k -= 2) {
        factorial /= k * (k - 1);
        sum = fma3(cx, sum, square, constant(square, 1 / factorial));
    }
    return sum;
}

// e^r - 1 for |r| <= ln(2) / 2, by its series: even and odd powers apart, which are computed at the same time. What is
// left out is below 2^-51 of r.
static LLVMValueRef less_one(const NumericContext *cx, LLVMValueRef r) {
    LLVMValueRef square = LLVMBuildFMul(cx->builder, r, r, "");
    LLVMValueRef sum = fma3(cx, series(cx, square, 11), r, series(cx, square, 12));
    return fma3(cx, square, sum, r);
}

// x = n ln(2) + r; ln(2) in two parts, the first short, so that n times it is exact.
static LLVMValueRef reduce(const NumericContext *cx, LLVMValueRef x, Whole *n) {
    *n = nearest_whole(cx, x, 0x1.71547652b82fep0);
    LLVMValueRef first = fma3(cx, n->number, constant(x, -0x1.62e42feep-1), x);
    return fma3(cx, n->number, constant(x, -0x1.a39ef35793c76p-33), first);
}

// x 2^n, rounded once: by an instruction where there is one (of vectors), else as two powers.
static LLVMValueRef scale(const NumericContext *cx, LLVMValueRef x, Whole n) {
    LLVMBuilderRef b = cx->builder;
    const MachineVector *instruction = machine_vector(&cx->machine, MACHINE_SCALE, NULL);
    if (instruction && vector_lanes(x) >= instruction->lanes / 2) {
        LLVMValueRef operands[2] = {x, wide_word(cx, n.sum, 0)};
        return vector_intrinsic_of(cx, instruction->name, (LLVMTypeRef[]){LLVMTypeOf(x), LLVMTypeOf(operands[1])}, 2,
                                   operands, 2);
    }
    const Whole half = nearest_whole(cx, n.number, 0.5),
                rest = nearest_whole(cx, LLVMBuildFSub(b, n.number, half.number, ""), 1);
    x = LLVMBuildFMul(b, x, power_of_two(cx, half), "");
    return LLVMBuildFMul(b, x, power_of_two(cx, rest), "");
}

// 2^n e^r
static LLVMValueRef scaled_power(const NumericContext *cx, Whole n, LLVMValueRef r) {
    return scale(cx, LLVMBuildFAdd(cx->builder, less_one(cx, r), constant(r, 1), ""), n);
}

enum { BEYOND = 1400 }; // e^x and 2^x are 0 and infinity there

static LLVMValueRef near_exp(const NumericContext *cx, LLVMValueRef x) {
    Whole n;
    LLVMValueRef r = reduce(cx, clamp(cx, x, BEYOND), &n);
    return scaled_power(cx, n, r);
}

static LLVMValueRef near_exp2(const NumericContext *cx, LLVMValueRef x) {
    x = clamp(cx, x, BEYOND);
    const Whole n = nearest_whole(cx, x, 1);
    LLVMValueRef part = LLVMBuildFSub(cx->builder, x, n.number, "");
    return scaled_power(cx, n, LLVMBuildFMul(cx->builder, part, constant(x, 0x1.62e42fefa39efp-1), ""));
}

// tanh(|x|) = t / (t + 2), t = e^(2|x|) - 1 = (2^n - 1) + 2^n (e^r - 1); 1 from 23 on.
static LLVMValueRef near_tanh(const NumericContext *cx, LLVMValueRef x) {
    LLVMBuilderRef b = cx->builder;
    Whole n;
    LLVMValueRef size = clamp(cx, vector_intrinsic(cx, "llvm.fabs", &x, 1), 23);
    LLVMValueRef r = reduce(cx, LLVMBuildFAdd(b, size, size, ""), &n), power = power_of_two(cx, n);
    LLVMValueRef t = fma3(cx, power, less_one(cx, r), LLVMBuildFSub(b, power, constant(x, 1), ""));
    LLVMValueRef quotient = LLVMBuildFDiv(b, t, LLVMBuildFAdd(b, t, constant(x, 2), ""), "");
    return vector_intrinsic(cx, "llvm.copysign", (LLVMValueRef[]){quotient, x}, 2);
}

LLVMValueRef wide_function(const NumericContext *cx, FpsanRule rule, const LLVMValueRef *operands) {
    switch (rule) {
    case FPSAN_RULE_EXP: return near_exp(cx, operands[0]);
    case FPSAN_RULE_EXP2: return near_exp2(cx, operands[0]);
    case FPSAN_RULE_TANH: return near_tanh(cx, operands[0]);
    default: return ieee_function_near(cx, rule, operands);
    }
}
