// SPDX-License-Identifier: Apache-2.0
// The numerics `wide` and `wider`: a value is its `ieee` part and beside it the number that it would be without
// rounding, as a double or as a pair of doubles. Constants and what comes from outside are exact. What leaves the
// floats (comparisons, integers, real bits) comes from the IEEE part.
#include "compiler/numeric/wide.h"

Pair wide_number(const NumericValue *value) {
    return (Pair){value->parts[WIDE_HIGH], value->parts[WIDE_LOW]};
}

NumericValue wide_value(LLVMValueRef ieee, Pair number) {
    return (NumericValue){.parts = {ieee, number.high, number.low}};
}

Pair wide_exact(const NumericContext *cx, FpsanFormat format, LLVMValueRef ieee) {
    const bool has_low = cx->numeric->part_count > WIDE_LOW;
    LLVMValueRef high = ieee_to_double(cx, format, ieee);
    return (Pair){high, has_low ? LLVMConstNull(LLVMTypeOf(high)) : NULL};
}

// Of vectors every other word (little endian): one shuffle of two registers, where a shift and a truncation are many.
LLVMValueRef wide_word(const NumericContext *cx, LLVMValueRef number, unsigned word) {
    const unsigned lanes = vector_lanes(number);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(cx->context);
    if (lanes)
        return vector_stride(cx, LLVMBuildBitCast(cx->builder, number, LLVMVectorType(i32, 2 * lanes), ""), word, 2);
    LLVMValueRef bits = vector_bitcast(cx, number, LLVMInt64TypeInContext(cx->context));
    return word ? numeric_high_word(cx, bits) : vector_zext_or_trunc(cx, bits, 32);
}

Pair wide_select(const NumericContext *cx, LLVMValueRef condition, Pair a, Pair b) {
    if (a.low) return pair_select(cx, condition, a, b);
    return (Pair){LLVMBuildSelect(cx->builder, condition, a.high, b.high, ""), NULL};
}

static LLVMTypeRef wide_part_type(const NumericContext *cx, FpsanFormat format, unsigned part) {
    return part == WIDE_IEEE ? numeric_ieee.part_type(cx, format, 0) : LLVMDoubleTypeInContext(cx->context);
}

static NumericValue wide_constant(const NumericContext *cx, FpsanFormat format, uint64_t bits) {
    LLVMValueRef ieee = numeric_ieee.constant(cx, format, bits).parts[0];
    const double number = fpsan_decode(format, bits);
    Pair exact = pair_of(LLVMConstReal(LLVMDoubleTypeInContext(cx->context), number));
    if (cx->numeric->part_count == WIDE_LOW) exact.low = NULL;
    return wide_value(ieee, exact);
}

static NumericValue wide_from_bits(const NumericContext *cx, FpsanFormat format, LLVMValueRef bits) {
    LLVMValueRef ieee = numeric_ieee.from_bits(cx, format, bits).parts[0];
    return wide_value(ieee, wide_exact(cx, format, ieee));
}

static LLVMValueRef wide_to_bits(const NumericContext *cx, FpsanFormat format, const NumericValue *value) {
    return numeric_ieee.to_bits(cx, format, value);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// A double is two components of a record, the low word first.
static LLVMValueRef load_double(const NumericContext *cx, const LLVMValueRef *components) {
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef low = vector_zext_or_trunc(cx, components[0], 64), high = vector_zext_or_trunc(cx, components[1], 64);
    high = LLVMBuildShl(b, high, vector_integer_like(high, 64, 32), "");
    return vector_bitcast(cx, LLVMBuildOr(b, high, low, ""), LLVMDoubleTypeInContext(cx->context));
}

static void store_double(const NumericContext *cx, LLVMValueRef number, LLVMValueRef *components) {
    for (unsigned word = 0; word < 2; word++) components[word] = wide_word(cx, number, word);
}

// The record where it holds, else the float itself.
static NumericValue wide_from_planes(const NumericContext *cx, FpsanFormat format, const LLVMValueRef *planes) {
    LLVMValueRef holds = numeric_record_holds(cx, planes), ieee = numeric_ieee.from_planes(cx, format, planes).parts[0];
    Pair exact = wide_exact(cx, format, ieee), record = {load_double(cx, planes + NUMERIC_PLANE_COMPONENT), NULL};
    if (exact.low) record.low = load_double(cx, planes + NUMERIC_PLANE_COMPONENT + 2);
    return wide_value(ieee, wide_select(cx, holds, record, exact));
}

static void wide_to_planes(const NumericContext *cx, FpsanFormat format, const NumericValue *value,
                           LLVMValueRef *planes) {
    LLVMValueRef bits = wide_to_bits(cx, format, value);
    numeric_record_open(cx, bits, planes);
    store_double(cx, value->parts[WIDE_HIGH], planes + NUMERIC_PLANE_COMPONENT);
    if (value->parts[WIDE_LOW]) store_double(cx, value->parts[WIDE_LOW], planes + NUMERIC_PLANE_COMPONENT + 2);
}

// ---- conversions and comparisons ------------------------------------------------------------------------------------

// A conversion that saturates is a formula, too: where the float was cut to the largest number, so is what is beside
// it.
static Pair saturated(const NumericContext *cx, const FloatOp *op, const NumericValue *value) {
    LLVMBuilderRef b = cx->builder;
    LLVMTypeRef real = LLVMDoubleTypeInContext(cx->context);
    Pair number = wide_number(value);
    LLVMValueRef x = ieee_to_double(cx, op->operand, value->parts[WIDE_IEEE]);
    const double largest =
        fpsan_decode(op->result, fpsan_encode_saturating(op->result, __builtin_inf(), FPSAN_TOWARD_ZERO));
    for (int sign = -1; sign <= 1; sign += 2) {
        Pair end = pair_of(vector_real_like(x, real, sign * largest));
        if (!number.low) end.low = NULL;
        LLVMValueRef beyond = LLVMBuildFCmp(b, sign > 0 ? LLVMRealOGT : LLVMRealOLT, x, end.high, "");
        number = wide_select(cx, beyond, end, number);
    }
    return number;
}

static bool wide_convert(const NumericContext *cx, const FloatOp *op, const NumericValue *value, NumericValue *result) {
    NumericValue after;
    if (!numeric_ieee.convert(cx, op, value, &after)) return false;
    *result = wide_value(after.parts[0], op->saturating ? saturated(cx, op, value) : wide_number(value));
    return true;
}

// An integer of 64 bits is two numbers of 32, each of which is a double exactly.
static bool wide_from_integer(const NumericContext *cx, const FloatOp *op, const NumericValue *integer,
                              NumericValue *result) {
    LLVMBuilderRef b = cx->builder;
    NumericValue ieee;
    if (!numeric_ieee.from_integer(cx, op, integer, &ieee)) return false;
    LLVMValueRef x = integer->parts[0];
    const unsigned bits = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(x)));
    LLVMTypeRef type = vector_type_like(LLVMDoubleTypeInContext(cx->context), x);
    const LLVMOpcode to_double = op->is_signed ? LLVMSIToFP : LLVMUIToFP;
    Pair number = {LLVMBuildCast(b, to_double, x, type, ""), NULL};
    if (cx->numeric->part_count > WIDE_LOW && bits <= 32) number = pair_of(number.high);
    if (cx->numeric->part_count > WIDE_LOW && bits > 32) {
        LLVMValueRef half = vector_integer_like(x, bits, 32), mask = vector_integer_like(x, bits, UINT32_MAX);
        LLVMValueRef top = op->is_signed ? LLVMBuildAShr(b, x, half, "") : LLVMBuildLShr(b, x, half, "");
        top = LLVMBuildFMul(b, LLVMBuildCast(b, to_double, top, type, ""),
                            vector_real_like(x, LLVMDoubleTypeInContext(cx->context), 0x1p32), "");
        number = pair_sum(cx, top, LLVMBuildUIToFP(b, LLVMBuildAnd(b, x, mask, ""), type, ""));
    }
    *result = wide_value(ieee.parts[0], number);
    return true;
}

static NumericValue wide_choose(const NumericContext *cx, FpsanFormat format, LLVMValueRef result, LLVMValueRef is_a,
                                LLVMValueRef is_b, const NumericValue *a, const NumericValue *b) {
    Pair other = wide_select(cx, is_b, wide_number(b), wide_exact(cx, format, result));
    return wide_value(result, wide_select(cx, is_a, wide_number(a), other));
}

#define WIDE_HOOKS                                                                                                     \
    .honours = FLOAT_FLUSH_TO_ZERO | FLOAT_SATURATING | FLOAT_PROPAGATE_NAN, .integer_parts = 1, .has_records = true,  \
    .records = HOST_RECORDS_OF_NUMBERS, .part_type = wide_part_type, .constant = wide_constant,                        \
    .from_planes = wide_from_planes, .to_planes = wide_to_planes, .to_bits = wide_to_bits,                             \
    .from_bits = wide_from_bits, .apply = wide_apply, .convert = wide_convert, .from_integer = wide_from_integer,      \
    .to_integer = ieee_to_integer, .fits_integer = ieee_fits_integer, .choose = wide_choose, .compare = ieee_compare

const Numeric numeric_wide = {
    .name = "wide", .part_count = WIDE_LOW, .component_words = 2, .lane_bits = 32, .dots = &wide_dots, WIDE_HOOKS};
const Numeric numeric_wider = {
    .name = "wider", .part_count = WIDE_PARTS, .component_words = 4, .dots = &wider_dots, WIDE_HOOKS};
