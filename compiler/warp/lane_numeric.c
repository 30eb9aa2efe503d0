// SPDX-License-Identifier: Apache-2.0
// The numeric's operations on lanes. Short ones are emitted where they are needed, the others become functions of the
// module that are called.
#include "compiler/warp/lane_floats.h"

#include "sanitizer/fpsan_llvm.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { SHARED_NAME_SIZE = 160 };

bool lane_in_place(const LaneCode *code) {
    return code->cx.numeric == &numeric_payload;
}

FpsanFormat lane_register_format(const LaneCode *code, FpsanFormat format) {
    return format == FPSAN_TF32 && lane_in_place(code) ? FPSAN_F32 : format;
}

// ---- shared functions

static void add_attribute_of(LLVMValueRef function, const char *name, uint64_t value) {
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAttributeRef attribute =
        LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName(name, strlen(name)), value);
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
}

// Equal calls are merged, and calls whose result nobody reads go.
static void mark_pure(LLVMValueRef function) {
    add_attribute_of(function, "memory", 0);
    add_attribute_of(function, "nounwind", 0);
    add_attribute_of(function, "willreturn", 0);
}

static bool all_constant(const LLVMValueRef *operands, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (!LLVMIsConstant(operands[i])) return false;
    return true;
}

static bool build_shared(NumericContext *cx, const LaneShared *shared, const CodeShared *open, unsigned count) {
    LLVMValueRef parameters[LANE_SHARED_OPERANDS], result;
    mark_pure(open->function);
    for (unsigned i = 0; i < count; i++) parameters[i] = LLVMGetParam(open->function, i);
    const bool good = shared->body(cx, shared->data, parameters, &result);
    LLVMBuildRet(cx->builder, good ? result : LLVMGetUndef(shared->result));
    return good;
}

bool lane_call_shared(LaneCode *code, const LaneShared *shared, const LLVMValueRef *operands, unsigned count,
                      LLVMValueRef *result) {
    NumericContext *cx = &code->cx;
    char name[SHARED_NAME_SIZE];
    LLVMTypeRef types[LANE_SHARED_OPERANDS];
    LLVMValueRef arguments[LANE_SHARED_OPERANDS];
    CodeShared open;
    bool good = true;
    assert(count && count <= LANE_SHARED_OPERANDS);
    if (all_constant(operands, count)) return shared->body(cx, shared->data, operands, result);
    for (unsigned i = 0; i < count; i++) {
        arguments[i] = operands[i];
        types[i] = LLVMTypeOf(operands[i]);
    }
    snprintf(name, sizeof name, "congruent.%s.x%u", shared->name, vector_lanes(operands[0]));
    LLVMTypeRef type = LLVMFunctionType(shared->result, types, count, false);
    if (code_shared_open(cx, name, type, &open)) {
        good = build_shared(cx, shared, &open, count);
        code_shared_close(cx, &open);
    }
    *result = LLVMBuildCall2(cx->builder, type, open.function, arguments, count, "");
    return good;
}

// ---- bits

static LLVMTypeRef lanes_of(LLVMTypeRef scalar, LLVMValueRef like) {
    return LLVMVectorType(scalar, vector_lanes(like));
}

static LLVMTypeRef part_like(const LaneCode *code, FpsanFormat format, LLVMValueRef like) {
    return lanes_of(code->cx.numeric->part_type(&code->cx, format, 0), like);
}

static LLVMTypeRef bits_like(const LaneCode *code, FpsanFormat format, LLVMValueRef like) {
    return lanes_of(code_integer_type(&code->cx, fpsan_format_info(format)->lane_bits), like);
}

static bool body_of_bits(NumericContext *cx, const void *data, const LLVMValueRef *operands, LLVMValueRef *result) {
    *result = cx->numeric->from_bits(cx, *(const FpsanFormat *)data, operands[0]).parts[0];
    return true;
}

static bool body_to_bits(NumericContext *cx, const void *data, const LLVMValueRef *operands, LLVMValueRef *result) {
    *result = cx->numeric->to_bits(cx, *(const FpsanFormat *)data, &(NumericValue){.parts = {operands[0]}});
    return true;
}

// Formats whose payload is their bits need no function.
static bool is_bits(const LaneCode *code, FpsanFormat format) {
    return !lane_in_place(code) || !fpsan_format_has_rules(format);
}

NumericValue lane_float_of_bits(LaneCode *code, FpsanFormat format, LLVMValueRef bits) {
    NumericValue value = {0};
    char name[64];
    if (is_bits(code, format)) return code->cx.numeric->from_bits(&code->cx, format, bits);
    snprintf(name, sizeof name, "embed.%s", fpsan_format_info(format)->name);
    lane_call_shared(code, &(LaneShared){name, part_like(code, format, bits), body_of_bits, &format}, &bits, 1,
                     &value.parts[0]);
    return value;
}

LLVMValueRef lane_bits_of_float(LaneCode *code, FpsanFormat format, const NumericValue *value) {
    LLVMValueRef bits;
    char name[64];
    if (is_bits(code, format)) return code->cx.numeric->to_bits(&code->cx, format, value);
    snprintf(name, sizeof name, "unembed.%s", fpsan_format_info(format)->name);
    lane_call_shared(code, &(LaneShared){name, bits_like(code, format, value->parts[0]), body_to_bits, &format},
                     value->parts, 1, &bits);
    return bits;
}

NumericValue lane_float_constant(const LaneCode *code, FpsanFormat format, unsigned elements, uint64_t bits) {
    NumericValue value = code->cx.numeric->constant(&code->cx, format, bits);
    value.parts[0] = vector_splat(code->cx.builder, value.parts[0], WARP_LANES * elements);
    return value;
}

// ---- operations

// The name of an operation: everything that FloatOp says.
static void name_operation(char *name, const char *what, const FloatOp *op) {
    const unsigned flags = op->flush_to_zero | (unsigned)op->saturating << 1 | (unsigned)op->propagate_nan << 2 |
                           (unsigned)op->unordered << 3 | (unsigned)op->is_signed << 4;
    snprintf(name, SHARED_NAME_SIZE / 2, "%s.%s.%s.%s.%s.%u.%u.%u", what,
             op->rule < FPSAN_RULE_COUNT ? fpsan_rule_info(op->rule)->name : "", fpsan_format_info(op->operand)->name,
             fpsan_format_info(op->result)->name, fpsan_rounding_name(op->rounding), flags, (unsigned)op->predicate,
             (unsigned)op->implementation);
}

static bool is_real(FpsanFormat format) {
    return format == FPSAN_F32 || format == FPSAN_F64;
}

// Rules that are one or two instructions of the machine.
static bool is_short_rule(const LaneCode *code, const FloatOp *op) {
    const bool plain = op->rounding == FPSAN_NEAREST_EVEN && !op->flush_to_zero && op->implementation == FLOAT_EXACT;
    switch (op->rule) {
    case FPSAN_RULE_NEG: return lane_in_place(code) || !op->flush_to_zero;
    case FPSAN_RULE_ABS: return !lane_in_place(code) && !op->flush_to_zero;
    case FPSAN_RULE_ADD:
    case FPSAN_RULE_SUB:
    case FPSAN_RULE_MUL: return lane_in_place(code) || (plain && is_real(op->result));
    case FPSAN_RULE_FMA: return lane_in_place(code) || (plain && is_real(op->result) && code->cx.machine.fuses);
    case FPSAN_RULE_MIN:
    case FPSAN_RULE_MAX: return lane_in_place(code);
    default: return false;
    }
}

NumericValue lane_flush_value(const NumericContext *cx, FpsanFormat format, const NumericValue *value) {
    const FpsanFormatInfo *info = fpsan_format_info(format);
    const uint64_t sign = UINT64_C(1) << (info->bits - 1), exponent = sign - (UINT64_C(1) << info->mantissa_bits);
    LLVMValueRef bits = cx->numeric->to_bits(cx, format, value);
    LLVMValueRef field = LLVMBuildAnd(cx->builder, bits, vector_integer_like(bits, info->bits, exponent), "");
    LLVMValueRef zero = LLVMBuildAnd(cx->builder, bits, vector_integer_like(bits, info->bits, sign), "");
    LLVMValueRef small = LLVMBuildICmp(cx->builder, LLVMIntEQ, field, vector_integer_like(bits, info->bits, 0), "");
    return cx->numeric->from_bits(cx, format, LLVMBuildSelect(cx->builder, small, zero, bits, ""));
}

typedef struct Applied {
    const FloatOp *op;
    unsigned count;
} Applied;

// Tile IR flushes floats of 32 bits only, and so does `ieee`: those of 16 bits are flushed here.
static bool takes_flushing(const NumericContext *cx, FloatOp *op) {
    const bool narrow = op->operand == FPSAN_F16 || op->operand == FPSAN_BF16;
    if (cx->numeric == &numeric_payload || !narrow || !op->flush_to_zero) return false;
    op->flush_to_zero = false;
    return true;
}

static bool body_apply(NumericContext *cx, const void *data, const LLVMValueRef *operands, LLVMValueRef *result) {
    const Applied *applied = data;
    NumericValue values[4] = {0}, out;
    FloatOp op = *applied->op;
    const bool flush = takes_flushing(cx, &op);
    for (unsigned i = 0; i < applied->count; i++) {
        values[i] = (NumericValue){.parts = {operands[i]}};
        if (flush) values[i] = lane_flush_value(cx, op.operand, &values[i]);
    }
    if (!cx->numeric->apply(cx, &op, values, applied->count, &out)) return false;
    if (flush) out = lane_flush_value(cx, op.result, &out);
    *result = out.parts[0];
    return true;
}

bool lane_apply(LaneCode *code, const FloatOp *op, const NumericValue *operands, unsigned count, NumericValue *result) {
    const Applied applied = {op, count};
    LLVMValueRef parts[4];
    char name[SHARED_NAME_SIZE / 2];
    assert(count <= BASE_COUNT(parts));
    if (is_short_rule(code, op)) return code->cx.numeric->apply(&code->cx, op, operands, count, result);
    for (unsigned i = 0; i < count; i++) parts[i] = operands[i].parts[0];
    name_operation(name, "apply", op);
    return lane_call_shared(code, &(LaneShared){name, part_like(code, op->result, parts[0]), body_apply, &applied},
                            parts, count, &result->parts[0]);
}

static bool body_convert(NumericContext *cx, const void *data, const LLVMValueRef *operands, LLVMValueRef *result) {
    NumericValue value = {.parts = {operands[0]}}, out;
    if (!cx->numeric->convert(cx, data, &value, &out)) return false;
    *result = out.parts[0];
    return true;
}

bool lane_convert(LaneCode *code, const FloatOp *op, const NumericValue *value, NumericValue *result) {
    char name[SHARED_NAME_SIZE / 2];
    const bool wider = fpsan_format_info(op->result)->ring_bits >= fpsan_format_info(op->operand)->ring_bits;
    const bool is_cast = fpsan_format_info(op->operand)->ring_bits && fpsan_format_info(op->result)->ring_bits;
    if (lane_in_place(code) && is_cast && wider) return code->cx.numeric->convert(&code->cx, op, value, result);
    name_operation(name, "convert", op);
    return lane_call_shared(code, &(LaneShared){name, part_like(code, op->result, value->parts[0]), body_convert, op},
                            value->parts, 1, &result->parts[0]);
}

static bool body_compare(NumericContext *cx, const void *data, const LLVMValueRef *operands, LLVMValueRef *result) {
    NumericValue values[2] = {0}, out;
    FloatOp op = *(const FloatOp *)data;
    const bool flush = takes_flushing(cx, &op);
    for (unsigned i = 0; i < 2; i++) {
        values[i] = (NumericValue){.parts = {operands[i]}};
        if (flush) values[i] = lane_flush_value(cx, op.operand, &values[i]);
    }
    if (!cx->numeric->compare(cx, &op, &values[0], &values[1], &out)) return false;
    *result = out.parts[0];
    return true;
}

// A bit for each element: where a function returns <n x i1>, LLVM 22 ends the process for some processors.
static bool body_compare_bits(NumericContext *cx, const void *data, const LLVMValueRef *operands,
                              LLVMValueRef *result) {
    if (!body_compare(cx, data, operands, result)) return false;
    *result = LLVMBuildBitCast(cx->builder, *result, code_integer_type(cx, vector_lanes(operands[0])), "");
    return true;
}

bool lane_compare_floats(LaneCode *code, const FloatOp *op, const NumericValue *a, const NumericValue *b,
                         LLVMValueRef *result) {
    char name[SHARED_NAME_SIZE / 2];
    LLVMValueRef operands[2] = {a->parts[0], b->parts[0]};
    if (!lane_in_place(code) && is_real(op->operand) && !op->flush_to_zero)
        return body_compare(&code->cx, op, operands, result);
    name_operation(name, "compare", op);
    LLVMTypeRef bits = code_integer_type(&code->cx, vector_lanes(operands[0]));
    if (!lane_call_shared(code, &(LaneShared){name, bits, body_compare_bits, op}, operands, 2, result)) return false;
    LLVMTypeRef lanes = lanes_of(code_integer_type(&code->cx, 1), operands[0]);
    *result = LLVMBuildBitCast(code->cx.builder, *result, lanes, "");
    return true;
}

NumericValue lane_apply_extern(LaneCode *code, const char *symbol, FpsanFormat format, const NumericValue *operands,
                               unsigned count) {
    FpsanEmit e = {code->cx.context, code->cx.module, code->cx.builder, code->cx.instrumentation.algebra, false};
    LLVMValueRef parts[LANE_SHARED_OPERANDS];
    assert(count <= BASE_COUNT(parts));
    for (unsigned i = 0; i < count; i++) parts[i] = operands[i].parts[0];
    return (NumericValue){.parts = {fpsan_emit_extern(&e, format, symbol, parts, count)}};
}
