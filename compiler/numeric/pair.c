// SPDX-License-Identifier: Apache-2.0
// The numeric `pair` (for tests): a value is its `ieee` part, then its `payload` part. Each half computes its own part;
// what leaves the floats (comparisons, integers, real bits) comes from the ieee half.
#include "compiler/numeric/numeric_internal.h"

enum { PAIR_IEEE, PAIR_PAYLOAD };

static const Numeric *half(unsigned part) {
    return part == PAIR_IEEE ? &numeric_ieee : &numeric_payload;
}

static NumericValue half_value(const NumericValue *value, unsigned part) {
    return (NumericValue){.parts = {value->parts[part]}};
}

static NumericValue both(NumericValue ieee, NumericValue payload) {
    return (NumericValue){.parts = {ieee.parts[0], payload.parts[0]}};
}

static LLVMTypeRef pair_part_type(const NumericContext *cx, FpsanFormat format, unsigned part) {
    return half(part)->part_type(cx, format, 0);
}

static NumericValue pair_constant(const NumericContext *cx, FpsanFormat format, uint64_t bits) {
    return both(numeric_ieee.constant(cx, format, bits), numeric_payload.constant(cx, format, bits));
}

static NumericValue pair_from_planes(const NumericContext *cx, FpsanFormat format, const LLVMValueRef *planes) {
    return both(numeric_ieee.from_planes(cx, format, planes), numeric_payload.from_planes(cx, format, planes + 1));
}

static void pair_to_planes(const NumericContext *cx, FpsanFormat format, const NumericValue *value,
                           LLVMValueRef *planes) {
    for (unsigned part = 0; part < 2; part++) {
        NumericValue mine = half_value(value, part);
        half(part)->to_planes(cx, format, &mine, planes + part);
    }
}

static NumericValue pair_from_bits(const NumericContext *cx, FpsanFormat format, LLVMValueRef bits) {
    return both(numeric_ieee.from_bits(cx, format, bits), numeric_payload.from_bits(cx, format, bits));
}

static LLVMValueRef pair_to_bits(const NumericContext *cx, FpsanFormat format, const NumericValue *value) {
    return numeric_ieee.to_bits(cx, format, value);
}

static bool pair_apply(const NumericContext *cx, FpsanRule rule, FpsanFormat format, const NumericValue *operands,
                       unsigned count, const NumericModifiers *modifiers, NumericValue *result) {
    NumericValue mine[4], results[2];
    if (count > BASE_COUNT(mine)) return numeric_refuse(cx, "%u operands are too many", count);
    for (unsigned part = 0; part < 2; part++) {
        for (unsigned i = 0; i < count; i++) mine[i] = half_value(&operands[i], part);
        if (rule == FPSAN_RULE_POWI && count == 2) mine[1] = operands[1]; // an integer: the same for both
        if (!half(part)->apply(cx, rule, format, mine, count, modifiers, &results[part])) return false;
    }
    *result = both(results[PAIR_IEEE], results[PAIR_PAYLOAD]);
    return true;
}

static bool pair_convert(const NumericContext *cx, FpsanFormat from, FpsanFormat to, const NumericModifiers *modifiers,
                         const NumericValue *value, NumericValue *result) {
    NumericValue results[2];
    for (unsigned part = 0; part < 2; part++) {
        NumericValue mine = half_value(value, part);
        if (!half(part)->convert(cx, from, to, modifiers, &mine, &results[part])) return false;
    }
    *result = both(results[PAIR_IEEE], results[PAIR_PAYLOAD]);
    return true;
}

static bool pair_from_integer(const NumericContext *cx, FpsanFormat format, bool is_signed,
                              const NumericModifiers *modifiers, LLVMValueRef integer, NumericValue *result) {
    NumericValue results[2];
    for (unsigned part = 0; part < 2; part++)
        if (!half(part)->from_integer(cx, format, is_signed, modifiers, integer, &results[part])) return false;
    *result = both(results[PAIR_IEEE], results[PAIR_PAYLOAD]);
    return true;
}

static bool pair_to_integer(const NumericContext *cx, FpsanFormat format, LLVMTypeRef type, bool is_signed,
                            const NumericModifiers *modifiers, const NumericValue *value, LLVMValueRef *result) {
    return numeric_ieee.to_integer(cx, format, type, is_signed, modifiers, value, result);
}

static bool pair_compare(const NumericContext *cx, FpsanFormat format, NumericPredicate predicate, bool unordered,
                         const NumericValue *a, const NumericValue *b, LLVMValueRef *result) {
    return numeric_ieee.compare(cx, format, predicate, unordered, a, b, result);
}

static bool pair_dot_plan(const NumericContext *cx, FpsanFormat operand, FpsanFormat accumulator, unsigned part,
                          NumericDot *plan) {
    return half(part)->dot_plan(cx, operand, accumulator, part, plan);
}

static LLVMValueRef pair_dot_operand(const NumericContext *cx, const NumericDot *plan, LLVMValueRef part) {
    return half(plan->part)->dot_operand(cx, plan, part);
}

static LLVMValueRef pair_dot_begin(const NumericContext *cx, const NumericDot *plan, LLVMValueRef part) {
    return half(plan->part)->dot_begin(cx, plan, part);
}

static LLVMValueRef pair_dot_end(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator) {
    return half(plan->part)->dot_end(cx, plan, accumulator);
}

static LLVMValueRef pair_dot_step(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator,
                                  LLVMValueRef a, LLVMValueRef b) {
    return half(plan->part)->dot_step(cx, plan, accumulator, a, b);
}

const Numeric numeric_pair = {
    .name = "pair",
    .part_count = 2,
    .plane_count = 2,
    .part_type = pair_part_type,
    .constant = pair_constant,
    .from_planes = pair_from_planes,
    .to_planes = pair_to_planes,
    .to_bits = pair_to_bits,
    .from_bits = pair_from_bits,
    .apply = pair_apply,
    .convert = pair_convert,
    .from_integer = pair_from_integer,
    .to_integer = pair_to_integer,
    .compare = pair_compare,
    .dot_plan = pair_dot_plan,
    .dot_operand = pair_dot_operand,
    .dot_begin = pair_dot_begin,
    .dot_end = pair_dot_end,
    .dot_step = pair_dot_step,
};
