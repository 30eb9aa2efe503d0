// SPDX-License-Identifier: Apache-2.0
// LLVM IR on "a scalar or a vector of lanes": types, constant splats, bitcasts, slices, intrinsic calls; and refusals.
#include "compiler/numeric/numeric_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

unsigned vector_lanes(LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 0;
}

LLVMTypeRef vector_type(LLVMTypeRef scalar, unsigned lanes) {
    return lanes ? LLVMVectorType(scalar, lanes) : scalar;
}

LLVMTypeRef vector_type_like(LLVMTypeRef scalar, LLVMValueRef like) {
    return vector_type(scalar, vector_lanes(like));
}

LLVMTypeRef vector_element(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static LLVMValueRef splat_constant(LLVMValueRef scalar, unsigned lanes) {
    if (!lanes) return scalar;
    assert(lanes <= NUMERIC_LANES_MAX);
    LLVMValueRef items[NUMERIC_LANES_MAX];
    for (unsigned i = 0; i < lanes; i++) items[i] = scalar;
    return LLVMConstVector(items, lanes);
}

LLVMValueRef vector_integer_like(LLVMValueRef like, unsigned bits, uint64_t value) {
    LLVMTypeRef type = LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(like)), bits);
    if (bits < 64) value &= (UINT64_C(1) << bits) - 1;
    return splat_constant(LLVMConstInt(type, value, 0), vector_lanes(like));
}

LLVMValueRef vector_real_like(LLVMValueRef like, LLVMTypeRef scalar, double value) {
    return splat_constant(LLVMConstReal(scalar, value), vector_lanes(like));
}

LLVMValueRef vector_splat(LLVMBuilderRef builder, LLVMValueRef scalar, unsigned lanes) {
    if (!lanes) return scalar;
    if (LLVMIsConstant(scalar)) return splat_constant(scalar, lanes);
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), lanes);
    LLVMTypeRef index = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef vector = LLVMBuildInsertElement(builder, LLVMGetPoison(type), scalar, LLVMConstInt(index, 0, 0), "");
    return LLVMBuildShuffleVector(builder, vector, LLVMGetPoison(type), LLVMConstNull(LLVMVectorType(index, lanes)),
                                  "");
}

LLVMValueRef vector_bitcast(const NumericContext *cx, LLVMValueRef value, LLVMTypeRef scalar) {
    return LLVMBuildBitCast(cx->builder, value, vector_type_like(scalar, value), "");
}

LLVMValueRef vector_zext_or_trunc(const NumericContext *cx, LLVMValueRef value, unsigned bits) {
    unsigned now = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(value)));
    LLVMTypeRef type = vector_type_like(LLVMIntTypeInContext(cx->context, bits), value);
    if (now < bits) return LLVMBuildZExt(cx->builder, value, type, "");
    return now > bits ? LLVMBuildTrunc(cx->builder, value, type, "") : value;
}

// Lanes mask[0..count-1] of a and b one after the other.
static LLVMValueRef shuffle(const NumericContext *cx, LLVMValueRef a, LLVMValueRef b, const unsigned *mask,
                            unsigned count) {
    assert(count <= NUMERIC_LANES_MAX);
    LLVMValueRef items[NUMERIC_LANES_MAX];
    LLVMTypeRef index = LLVMInt32TypeInContext(cx->context);
    for (unsigned i = 0; i < count; i++) items[i] = LLVMConstInt(index, mask[i], 0);
    return LLVMBuildShuffleVector(cx->builder, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)), LLVMConstVector(items, count),
                                  "");
}

LLVMValueRef vector_slice(const NumericContext *cx, LLVMValueRef value, unsigned first, unsigned count) {
    unsigned mask[NUMERIC_LANES_MAX];
    if (!first && vector_lanes(value) == count) return value;
    for (unsigned i = 0; i < count; i++) mask[i] = first + i;
    return shuffle(cx, value, NULL, mask, count);
}

LLVMValueRef vector_pad(const NumericContext *cx, LLVMValueRef value, unsigned lanes) {
    unsigned mask[NUMERIC_LANES_MAX], have = vector_lanes(value);
    for (unsigned i = 0; i < lanes; i++) mask[i] = i < have ? i : 0;
    return have == lanes ? value : shuffle(cx, value, NULL, mask, lanes);
}

LLVMValueRef vector_join(const NumericContext *cx, const LLVMValueRef *pieces, unsigned count) {
    unsigned mask[NUMERIC_LANES_MAX];
    LLVMValueRef all = pieces[0];
    for (unsigned i = 1; i < count; i++) {
        unsigned have = vector_lanes(all), more = vector_lanes(pieces[i]);
        LLVMValueRef next = vector_pad(cx, pieces[i], have);
        for (unsigned k = 0; k < have + more; k++) mask[k] = k;
        all = shuffle(cx, all, next, mask, have + more);
    }
    return all;
}

LLVMValueRef vector_stride(const NumericContext *cx, LLVMValueRef value, unsigned first, unsigned stride) {
    unsigned mask[NUMERIC_LANES_MAX], count = vector_lanes(value) / stride;
    for (unsigned i = 0; i < count; i++) mask[i] = first + i * stride;
    return shuffle(cx, value, NULL, mask, count);
}

LLVMValueRef vector_intrinsic_of(const NumericContext *cx, const char *name, LLVMTypeRef *overloads,
                                 unsigned overload_count, const LLVMValueRef *operands, unsigned count) {
    LLVMValueRef copy[16]; // mma has 10
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    assert(id && count <= BASE_COUNT(copy));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(cx->module, id, overloads, overload_count);
    for (unsigned i = 0; i < count; i++) copy[i] = operands[i];
    return LLVMBuildCall2(cx->builder, LLVMGlobalGetValueType(function), function, copy, count, "");
}

LLVMValueRef vector_intrinsic(const NumericContext *cx, const char *name, const LLVMValueRef *operands,
                              unsigned count) {
    LLVMTypeRef type = LLVMTypeOf(operands[0]);
    return vector_intrinsic_of(cx, name, &type, 1, operands, count);
}

bool numeric_refuse(const NumericContext *cx, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return diag_fail(cx->diagnostics, cx->at, E_UNSUPPORTED, "'%s': %s", cx->op_name ? cx->op_name : "?", text);
}

FpsanEmit numeric_emit(const NumericContext *cx) {
    return (FpsanEmit){cx->context, cx->module, cx->builder, cx->instrumentation.algebra,
                       cx->machine.kind == MACHINE_X86_64};
}

bool numeric_honours(const NumericContext *cx, const FloatOp *op, const char *what, unsigned roundings,
                     unsigned flags) {
    const struct {
        unsigned flag;
        bool set;
        const char *name;
    } definitions[] = {
#define DEFINITION_SET(id, field) {FLOAT_##id, op->field, #field},
        FLOAT_DEFINITIONS(DEFINITION_SET)
#undef DEFINITION_SET
    };
    flags &= cx->numeric->honours;
    if (!(roundings >> op->rounding & 1))
        return numeric_refuse(cx, "rounding %s is not supported for %s", fpsan_rounding_name(op->rounding), what);
    for (unsigned i = 0; i < BASE_COUNT(definitions); i++)
        if (definitions[i].set && !(flags & definitions[i].flag))
            return numeric_refuse(cx, "%s is not supported for %s", definitions[i].name, what);
    return true;
}
