// SPDX-License-Identifier: Apache-2.0
// Pairs of doubles: a number is the sum of two doubles that do not overlap, about 106 bits. The algorithms are those of
// Dekker (1971), Knuth (two-sum) and Hida, Li and Bailey ("Library for double-double and quad-double arithmetic",
// 2007).
#include "compiler/numeric/pair.h"

static LLVMValueRef fma3(const NumericContext *cx, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    return vector_intrinsic(cx, "llvm.fma", (LLVMValueRef[]){a, b, c}, 3);
}

Pair pair_sum(const NumericContext *cx, LLVMValueRef a, LLVMValueRef b) {
    LLVMBuilderRef builder = cx->builder;
    LLVMValueRef sum = LLVMBuildFAdd(builder, a, b, ""), part = LLVMBuildFSub(builder, sum, a, "");
    LLVMValueRef from_a = LLVMBuildFSub(builder, a, LLVMBuildFSub(builder, sum, part, ""), "");
    return (Pair){sum, LLVMBuildFAdd(builder, from_a, LLVMBuildFSub(builder, b, part, ""), "")};
}

// a * b exactly: the rounded product, and its error.
static Pair exact_product(const NumericContext *cx, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef product = LLVMBuildFMul(cx->builder, a, b, "");
    return (Pair){product, fma3(cx, a, b, LLVMBuildFNeg(cx->builder, product, ""))};
}

// An infinity or NaN has nothing beside it: what the formulas above make of it is NaN.
static LLVMValueRef beside(const NumericContext *cx, LLVMValueRef high, LLVMValueRef low) {
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(high)), nothing = LLVMBuildFSub(b, high, high, "");
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, nothing, zero, ""), low, zero, "");
}

// The pair of high + low, |high| >= |low|. -0 + 0 stays -0.
static Pair settle(const NumericContext *cx, LLVMValueRef high, LLVMValueRef low) {
    LLVMBuilderRef b = cx->builder;
    low = beside(cx, high, low);
    LLVMValueRef sum = LLVMBuildFAdd(b, high, low, "");
    sum = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, low, LLVMConstNull(LLVMTypeOf(low)), ""), high, sum, "");
    LLVMValueRef rest = LLVMBuildFSub(b, low, LLVMBuildFSub(b, sum, high, ""), "");
    return (Pair){sum, beside(cx, sum, rest)};
}

Pair pair_of(LLVMValueRef value) {
    return (Pair){value, LLVMConstNull(LLVMTypeOf(value))};
}

Pair pair_negative(const NumericContext *cx, Pair a) {
    return (Pair){LLVMBuildFNeg(cx->builder, a.high, ""), LLVMBuildFNeg(cx->builder, a.low, "")};
}

Pair pair_select(const NumericContext *cx, LLVMValueRef condition, Pair a, Pair b) {
    return (Pair){LLVMBuildSelect(cx->builder, condition, a.high, b.high, ""),
                  LLVMBuildSelect(cx->builder, condition, a.low, b.low, "")};
}

Pair pair_add(const NumericContext *cx, Pair a, Pair b) {
    LLVMBuilderRef builder = cx->builder;
    Pair high = pair_sum(cx, a.high, b.high), low = pair_sum(cx, a.low, b.low);
    Pair sum = settle(cx, high.high, LLVMBuildFAdd(builder, high.low, low.high, ""));
    return settle(cx, sum.high, LLVMBuildFAdd(builder, sum.low, low.low, ""));
}

Pair pair_multiply(const NumericContext *cx, Pair a, Pair b) {
    Pair product = exact_product(cx, a.high, b.high);
    LLVMValueRef cross = fma3(cx, a.high, b.low, LLVMBuildFMul(cx->builder, a.low, b.high, ""));
    return settle(cx, product.high, LLVMBuildFAdd(cx->builder, product.low, cross, ""));
}

Pair pair_fma(const NumericContext *cx, Pair a, Pair b, Pair c) {
    return pair_add(cx, pair_multiply(cx, a, b), c);
}

// Three quotients of doubles, each of what the ones before leave.
Pair pair_divide(const NumericContext *cx, Pair a, Pair b) {
    LLVMBuilderRef builder = cx->builder;
    LLVMValueRef quotient[3];
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(a.high));
    Pair rest = a;
    for (unsigned i = 0; i < 3; i++) {
        quotient[i] = LLVMBuildFDiv(builder, rest.high, b.high, "");
        if (i) { // of infinities there is no rest
            LLVMValueRef is_number = LLVMBuildFCmp(builder, LLVMRealORD, quotient[i], quotient[i], "");
            quotient[i] = LLVMBuildSelect(builder, is_number, quotient[i], zero, "");
        }
        if (i < 2) rest = pair_add(cx, rest, pair_negative(cx, pair_multiply(cx, pair_of(quotient[i]), b)));
    }
    Pair first = settle(cx, quotient[0], quotient[1]);
    return settle(cx, first.high, LLVMBuildFAdd(builder, first.low, beside(cx, first.high, quotient[2]), ""));
}

// s + (a - s^2) / (2 s), s = sqrt(a): the error of s is squared.
Pair pair_root(const NumericContext *cx, Pair a) {
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef root = vector_intrinsic(cx, "llvm.sqrt", &a.high, 1);
    Pair rest = pair_add(cx, a, pair_negative(cx, exact_product(cx, root, root)));
    LLVMValueRef step = LLVMBuildFDiv(b, rest.high, LLVMBuildFAdd(b, root, root, ""), "");
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(root));
    LLVMValueRef is_zero = LLVMBuildFCmp(b, LLVMRealOEQ, root, zero, "");
    step = LLVMBuildSelect(b, is_zero, root, step, ""); // -0 stays -0
    return settle(cx, root, step);
}
