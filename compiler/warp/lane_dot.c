// SPDX-License-Identifier: Apache-2.0
// The arithmetic of products of matrices: elements to units, steps, sums.
#include "compiler/warp/lane_products.h"

#include "compiler/numeric/numeric_dot.h"
#include "sanitizer/fpsan_llvm.h"

#include <assert.h>

LaneElement lane_element(PtxType type) {
    const PtxTypeInfo *info = ptx_type_info(type);
    return (LaneElement){.format = info->format, .bits = info->bits, .is_signed = info->kind == PTX_SIGNED};
}

static bool is_float(LaneElement element) {
    return element.format != FPSAN_FORMAT_COUNT;
}

static LLVMTypeRef integer_type(const NumericContext *cx, unsigned bits) {
    return LLVMIntTypeInContext(cx->context, bits);
}

static LLVMTypeRef double_type(const NumericContext *cx) {
    return LLVMDoubleTypeInContext(cx->context);
}

static LLVMTypeRef float_type(const NumericContext *cx) {
    return LLVMFloatTypeInContext(cx->context);
}

static LLVMValueRef cast_lanes(const NumericContext *cx, LLVMValueRef value, LLVMTypeRef scalar, unsigned lanes) {
    return LLVMBuildBitCast(cx->builder, value, LLVMVectorType(scalar, lanes), "");
}

static FpsanEmit emit_algebra(const NumericContext *cx) {
    return (FpsanEmit){cx->context, cx->module, cx->builder, cx->instrumentation.algebra, false};
}

// ---- plans

static bool plan_payloads(LaneCode *code, LaneDot *dot) {
    const NumericContext *cx = &code->cx;
    const unsigned ring = fpsan_format_info(dot->sum.format)->ring_bits;
    const unsigned widest = fpsan_format_info(dot->a.format)->ring_bits > fpsan_format_info(dot->b.format)->ring_bits
                                ? fpsan_format_info(dot->a.format)->ring_bits
                                : fpsan_format_info(dot->b.format)->ring_bits;
    if (!widest || ring < 16)
        return lane_refuse(code, "no product of %s and %s", fpsan_format_info(dot->a.format)->name,
                           fpsan_format_info(dot->b.format)->name);
    dot->kind = ring == 32 && widest <= 16 ? LANE_DOT_PAIRS : LANE_DOT_RING;
    dot->group = dot->kind == LANE_DOT_PAIRS ? 2 : 1;
    dot->unit = integer_type(cx, dot->kind == LANE_DOT_PAIRS ? 32 : ring);
    dot->number = integer_type(cx, ring);
    return true;
}

static void plan_integers(const NumericContext *cx, LaneDot *dot) {
    dot->kind = LANE_DOT_PAIRS;
    dot->group = 2;
    dot->unit = dot->number = integer_type(cx, 32);
}

bool lane_dot_plan(LaneCode *code, LaneElement a, LaneElement b, LaneElement sum, bool scaled, LaneDot *dot) {
    const NumericContext *cx = &code->cx;
    *dot = (LaneDot){.a = a, .b = b, .sum = sum, .group = 1};
    if (!is_float(sum)) {
        plan_integers(cx, dot);
        return true;
    }
    if (lane_in_place(code)) return plan_payloads(code, dot);
    dot->kind = LANE_DOT_REALS;
    dot->unit = scaled || a.format == FPSAN_F64 ? double_type(cx) : float_type(cx);
    dot->number = double_type(cx);
    return true;
}

unsigned lane_dot_units(const LaneDot *dot, LaneElement element, unsigned register_bits) {
    if (element.bits == 1) return 1;
    return register_bits / element.bits / dot->group;
}

// ---- units

// Element `index` of each lane's register, in the low bits of a lane.
static LLVMValueRef element_bits(const NumericContext *cx, LaneElement element, LLVMValueRef value, unsigned index) {
    const unsigned register_bits = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(value)));
    const unsigned distance = index * element.bits;
    if (distance) value = LLVMBuildLShr(cx->builder, value, vector_integer_like(value, register_bits, distance), "");
    return value;
}

// Bits of elements, in the low bits of lanes, as lanes of the format's integer.
static LLVMValueRef narrow_bits(const NumericContext *cx, LaneElement element, LLVMValueRef value) {
    const FpsanFormatInfo *info = fpsan_format_info(element.format);
    unsigned bits = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(value)));
    if (element.shift) value = LLVMBuildLShr(cx->builder, value, vector_integer_like(value, bits, element.shift), "");
    if (bits > info->lane_bits) {
        value = LLVMBuildTrunc(cx->builder, value, vector_type_like(integer_type(cx, info->lane_bits), value), "");
        bits = info->lane_bits;
    }
    if (info->bits < 8)
        value = LLVMBuildAnd(cx->builder, value, vector_integer_like(value, bits, (1u << info->bits) - 1), "");
    return value;
}

static LLVMValueRef real_unit(const NumericContext *cx, const LaneDot *dot, LaneElement element, LLVMValueRef bits) {
    const bool is_double = LLVMGetTypeKind(dot->unit) == LLVMDoubleTypeKind;
    const FpsanFormat to = is_double ? FPSAN_F64 : FPSAN_F32;
    const FloatOp op = {.rule = FPSAN_RULE_COUNT, .operand = element.format, .result = to};
    NumericValue value = cx->numeric->from_bits(cx, element.format, narrow_bits(cx, element, bits));
    if (element.format != to) cx->numeric->convert(cx, &op, &value, &value); // exact: it has nothing to refuse
    return value.parts[0];
}

// An integer of `bits` bits that begins at bit `at` of each half of the lanes' words, extended to the half.
static LLVMValueRef pair_of_integers(const NumericContext *cx, LLVMValueRef halves, unsigned at, unsigned bits,
                                     bool is_signed) {
    LLVMBuilderRef b = cx->builder;
    const unsigned left = 16 - bits - at;
    if (left) halves = LLVMBuildShl(b, halves, vector_integer_like(halves, 16, left), "");
    LLVMValueRef right = vector_integer_like(halves, 16, 16 - bits);
    return is_signed ? LLVMBuildAShr(b, halves, right, "") : LLVMBuildLShr(b, halves, right, "");
}

// Payloads of a format of 16 bits or less as signed halves, pairs of the elements that are 16 bits apart.
static LLVMValueRef pair_of_payloads(const NumericContext *cx, LaneElement element, LLVMValueRef value, bool embedded,
                                     unsigned index) {
    const unsigned lanes = vector_lanes(value) * LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(value))) / 16;
    LLVMValueRef halves = cast_lanes(cx, value, integer_type(cx, 16), lanes);
    if (element.bits == 4) // a payload that is its bits
        return pair_of_integers(cx, halves, 4 * index, 4, false);
    if (element.bits == 16) return embedded ? halves : cx->numeric->from_bits(cx, element.format, halves).parts[0];
    // Bytes are embedded all at once; LLVM finds that both units do the same.
    LaneElement bytes = {.format = element.format, .bits = 8, .shift = element.shift};
    LLVMValueRef all = cast_lanes(cx, value, integer_type(cx, 8), 2 * lanes);
    all = cx->numeric->from_bits(cx, element.format, narrow_bits(cx, bytes, all)).parts[0];
    return pair_of_integers(cx, cast_lanes(cx, all, integer_type(cx, 16), lanes), 8 * index, 8, true);
}

static LLVMValueRef ring_unit(const NumericContext *cx, const LaneDot *dot, LaneElement element, LLVMValueRef value,
                              bool embedded, unsigned index) {
    const FpsanEmit e = emit_algebra(cx);
    const FpsanFormat format = element.format == FPSAN_TF32 ? FPSAN_F32 : element.format;
    const unsigned register_bits = element.bits == 64 ? 64 : 32;
    const unsigned lanes = vector_lanes(value) * LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(value))) / register_bits;
    value = cast_lanes(cx, value, integer_type(cx, register_bits), lanes);
    value = narrow_bits(cx, element, element_bits(cx, element, value, index));
    if (!embedded) value = cx->numeric->from_bits(cx, format, value).parts[0];
    return fpsan_emit_dot_operand(&e, format, dot->sum.format, value);
}

void lane_dot_unpack(NumericContext *cx, const LaneDot *dot, LaneElement element, LLVMValueRef value, bool embedded,
                     LLVMValueRef *units) {
    const unsigned register_bits = element.bits == 64 ? 64 : 32, count = lane_dot_units(dot, element, register_bits);
    const unsigned lanes =
        LLVMGetTypeKind(vector_element(LLVMTypeOf(value))) == LLVMIntegerTypeKind
            ? vector_lanes(value) * LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(value))) / register_bits
            : vector_lanes(value);
    for (unsigned i = 0; i < count; i++) {
        switch (dot->kind) {
        case LANE_DOT_REALS: units[i] = real_unit(cx, dot, element, element_bits(cx, element, value, i)); break;
        case LANE_DOT_RING: units[i] = ring_unit(cx, dot, element, value, embedded, i); break;
        case LANE_DOT_AND_BITS:
        case LANE_DOT_XOR_BITS: units[i] = value; break;
        case LANE_DOT_PAIRS:
            if (is_float(element))
                units[i] = pair_of_payloads(cx, element, value, embedded, i);
            else
                units[i] = pair_of_integers(cx, cast_lanes(cx, value, integer_type(cx, 16), 2 * lanes),
                                            element.bits * i, element.bits, element.is_signed);
            units[i] = cast_lanes(cx, units[i], integer_type(cx, 32), lanes);
            break;
        }
    }
}

// The algebra's rule: element and scale, both cast to bf16 (f16 if a factor is f16), multiplied there.
LLVMValueRef lane_dot_scale(NumericContext *cx, const LaneDot *dot, FpsanFormat scale, LLVMValueRef unit,
                            LLVMValueRef scales) {
    LLVMBuilderRef b = cx->builder;
    const unsigned lanes = vector_lanes(scales);
    NumericValue factor = cx->numeric->from_bits(cx, scale, scales);
    if (dot->kind == LANE_DOT_REALS) {
        const FloatOp op = {.rule = FPSAN_RULE_COUNT, .operand = scale, .result = FPSAN_F64};
        cx->numeric->convert(cx, &op, &factor, &factor); // exact
        return LLVMBuildFMul(b, unit, factor.parts[0], "");
    }
    assert(dot->kind == LANE_DOT_PAIRS);
    const FpsanEmit e = emit_algebra(cx);
    const FpsanFormat compute = fpsan_scaled_compute_format(dot->a.format, dot->b.format);
    LLVMValueRef half = fpsan_emit_scale_payload(&e, scale, compute, factor.parts[0]);
    LLVMValueRef word = LLVMBuildZExt(b, half, LLVMVectorType(integer_type(cx, 32), lanes), "");
    word = LLVMBuildOr(b, word, LLVMBuildShl(b, word, vector_integer_like(word, 32, 16), ""), "");
    LLVMTypeRef i16 = integer_type(cx, 16);
    LLVMValueRef product =
        LLVMBuildMul(b, cast_lanes(cx, unit, i16, 2 * lanes), cast_lanes(cx, word, i16, 2 * lanes), "");
    return cast_lanes(cx, product, integer_type(cx, 32), lanes);
}

// ---- steps and sums

static LLVMValueRef step_of_pairs(NumericContext *cx, LLVMValueRef sums, LLVMValueRef a, LLVMValueRef b) {
    const unsigned lanes = vector_lanes(sums);
    const NumericDot plan = {
        .operand_type = integer_type(cx, 16), .accumulator_type = integer_type(cx, 32), .group = 2};
    LLVMTypeRef i16 = integer_type(cx, 16);
    // Integers are multiplied as payloads are, in every numeric.
    return numeric_payload.dots->step(cx, &plan, sums, cast_lanes(cx, a, i16, 2 * lanes),
                                      cast_lanes(cx, b, i16, 2 * lanes));
}

static LLVMValueRef step_of_reals(const NumericContext *cx, LaneElement element, LLVMValueRef sums, LLVMValueRef a,
                                  LLVMValueRef b) {
    LLVMTypeRef type = LLVMTypeOf(sums);
    if (LLVMTypeOf(a) != type) a = LLVMBuildFPExt(cx->builder, a, type, "");
    if (LLVMTypeOf(b) != type) b = LLVMBuildFPExt(cx->builder, b, type, "");
    if (element.format == FPSAN_F64 || cx->machine.fuses)
        return vector_intrinsic(cx, "llvm.fma", (LLVMValueRef[]){a, b, sums}, 3);
    return LLVMBuildFAdd(cx->builder, sums, LLVMBuildFMul(cx->builder, a, b, ""), "");
}

LLVMValueRef lane_dot_step(NumericContext *cx, const LaneDot *dot, LLVMValueRef sums, LLVMValueRef a, LLVMValueRef b) {
    switch (dot->kind) {
    case LANE_DOT_PAIRS: return step_of_pairs(cx, sums, a, b);
    case LANE_DOT_REALS: return step_of_reals(cx, dot->a, sums, a, b);
    case LANE_DOT_AND_BITS:
    case LANE_DOT_XOR_BITS: {
        LLVMValueRef bits =
            dot->kind == LANE_DOT_AND_BITS ? LLVMBuildAnd(cx->builder, a, b, "") : LLVMBuildXor(cx->builder, a, b, "");
        return LLVMBuildAdd(cx->builder, sums, vector_intrinsic(cx, "llvm.ctpop", &bits, 1), "");
    }
    case LANE_DOT_RING: break;
    }
    return LLVMBuildAdd(cx->builder, sums, LLVMBuildMul(cx->builder, a, b, ""), "");
}

LLVMValueRef lane_dot_begin(NumericContext *cx, const LaneDot *dot, LLVMValueRef value) {
    const FloatOp op = {.rule = FPSAN_RULE_COUNT, .operand = dot->sum.format, .result = FPSAN_F64};
    NumericValue sum = {.parts = {value}};
    if (dot->kind == LANE_DOT_REALS && dot->sum.format != FPSAN_F64) cx->numeric->convert(cx, &op, &sum, &sum); // exact
    return sum.parts[0];
}

LLVMValueRef lane_dot_end(NumericContext *cx, const LaneDot *dot, LLVMValueRef sums) {
    const FloatOp op = {.rule = FPSAN_RULE_COUNT, .operand = FPSAN_F64, .result = dot->sum.format};
    NumericValue sum = {.parts = {sums}};
    if (dot->kind == LANE_DOT_REALS && dot->sum.format != FPSAN_F64) cx->numeric->convert(cx, &op, &sum, &sum);
    return sum.parts[0];
}
