// SPDX-License-Identifier: Apache-2.0
// Dots of the numerics `wide` and `wider`: the IEEE dot, and beside it one of doubles, or one of pairs of doubles,
// which adds product by product.
#include "compiler/numeric/wide.h"

static bool dot_plan(const NumericContext *cx, const FloatOp *op, unsigned part, NumericDot *plan) {
    if (part == WIDE_IEEE) return ieee_dots.plan(cx, op, part, plan);
    LLVMTypeRef real = LLVMDoubleTypeInContext(cx->context);
    *plan = (NumericDot){.operand_format = op->operand,
                         .accumulator_format = op->result,
                         .part = part,
                         .operand_type = real,
                         .accumulator_type = real,
                         .group = 1};
    return true;
}

static LLVMValueRef dot_operand(const NumericContext *cx, const NumericDot *plan, unsigned piece,
                                const NumericValue *value) {
    return plan->part == WIDE_IEEE ? ieee_dots.operand(cx, plan, piece, value) : value->parts[plan->part];
}

static LLVMValueRef dot_begin(const NumericContext *cx, const NumericDot *plan, LLVMValueRef part) {
    return plan->part == WIDE_IEEE ? ieee_dots.begin(cx, plan, part) : part;
}

static LLVMValueRef dot_end(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator) {
    return plan->part == WIDE_IEEE ? ieee_dots.end(cx, plan, accumulator) : accumulator;
}

static NumericValue pair_step(const NumericContext *cx, const NumericValue *accumulator, const NumericValue *a,
                              const NumericValue *b) {
    return wide_value(NULL, wide_fma(cx, wide_number(a), wide_number(b), wide_number(accumulator)));
}

// The product of an operand and its scale.
static bool scaled_operand(const NumericContext *cx, const FloatOp *op, FpsanFormat scale_format,
                           const NumericValue *value, const NumericValue *scale, NumericValue *result) {
    NumericValue product;
    if (!ieee_dots.scaled_operand(cx, op, scale_format, value, scale, &product)) return false;
    Pair a = wide_number(value), b = wide_number(scale);
    Pair exact = a.low ? pair_multiply(cx, a, b) : (Pair){LLVMBuildFMul(cx->builder, a.high, b.high, ""), NULL};
    *result = wide_value(product.parts[0], exact);
    return true;
}

#define WIDE_DOT_HOOKS                                                                                                 \
    .plan = dot_plan, .operand = dot_operand, .begin = dot_begin, .end = dot_end, .step = ieee_dot_step,               \
    .scaled_format = ieee_scaled_format, .scaled_operand = scaled_operand

const NumericDots wide_dots = {WIDE_DOT_HOOKS};
const NumericDots wider_dots = {WIDE_DOT_HOOKS, .value_step = pair_step};
