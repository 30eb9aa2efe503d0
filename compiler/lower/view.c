// SPDX-License-Identifier: Apache-2.0
// Tensor views and the views of tiles on them: making them, checking them against their buffer, their shapes.
#include "compiler/lower/emit.h"
#include "compiler/lower/memory_internal.h"

#include <assert.h>

static LLVMTypeRef wide_type(const Emit *e) {
    return emit_integer_type(e, 128);
}

static LLVMValueRef widen(Emit *e, LLVMValueRef value) {
    return LLVMBuildSExt(e->cx.builder, value, wide_type(e), "");
}

// Distances beyond 2^64 elements are as good as that: no buffer is so large, and the sum over all dimensions cannot
// wrap.
static LLVMValueRef clamp_reach(Emit *e, LLVMValueRef reach) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef high =
        LLVMBuildShl(builder, LLVMConstInt(wide_type(e), 1, false), LLVMConstInt(wide_type(e), 64, false), "");
    LLVMValueRef low = LLVMBuildNeg(builder, high, "");
    reach = LLVMBuildSelect(builder, LLVMBuildICmp(builder, LLVMIntSGT, reach, high, ""), high, reach, "");
    return LLVMBuildSelect(builder, LLVMBuildICmp(builder, LLVMIntSLT, reach, low, ""), low, reach, "");
}

static LLVMValueRef minimum(Emit *e, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(e->cx.builder, LLVMBuildICmp(e->cx.builder, LLVMIntSLT, a, b, ""), a, b, "");
}

// No extent is negative: the least of them says so. Only 64-bit numbers can be, others were zero-extended.
static void check_extents(Emit *e, const EmitView *view, uint32_t rank) {
    LLVMValueRef least = NULL;
    for (uint32_t d = 0; d < rank; d++) {
        LLVMValueRef size = view->sizes[d];
        bool known = LLVMIsAConstantInt(size) ? LLVMConstIntGetSExtValue(size) >= 0 : LLVMIsAZExtInst(size) != NULL;
        if (!known) least = least ? minimum(e, least, size) : size;
    }
    if (!least) return;
    LLVMValueRef good = LLVMBuildICmp(e->cx.builder, LLVMIntSGE, least, emit_i64(e, 0), "");
    emit_check(e, good, HOST_SITE_VIEW, NULL, view->base, least, NULL);
}

// A number of 128 bits as an address or a byte count, 0 .. largest.
static LLVMValueRef saturate(Emit *e, LLVMValueRef value, uint64_t largest) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef zero = LLVMConstNull(wide_type(e));
    value = minimum(e, value, LLVMConstInt(wide_type(e), largest, false));
    value = LLVMBuildSelect(builder, LLVMBuildICmp(builder, LLVMIntSLT, value, zero, ""), zero, value, "");
    return LLVMBuildTrunc(builder, value, emit_integer_type(e, 64), "");
}

// The view's elements must lie in the buffer: with 128-bit arithmetic nothing can wrap.
static void check_view(Emit *e, const EmitView *view, const TirTypeInfo *tensor) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef zero = LLVMConstNull(wide_type(e)), low = zero, high = zero;
    LLVMValueRef empty = LLVMConstNull(emit_integer_type(e, 1));
    check_extents(e, view, tensor->rank);
    for (uint32_t d = 0; d < tensor->rank; d++) {
        LLVMValueRef size = view->sizes[d];
        empty = LLVMBuildOr(builder, empty, LLVMBuildICmp(builder, LLVMIntEQ, size, emit_i64(e, 0), ""), "");
        LLVMValueRef last = LLVMBuildSub(builder, size, emit_i64(e, 1), "");
        LLVMValueRef reach = clamp_reach(e, LLVMBuildMul(builder, widen(e, last), widen(e, view->strides[d]), ""));
        LLVMValueRef down = LLVMBuildICmp(builder, LLVMIntSLT, view->strides[d], emit_i64(e, 0), "");
        low = LLVMBuildAdd(builder, low, LLVMBuildSelect(builder, down, reach, zero, ""), "");
        high = LLVMBuildAdd(builder, high, LLVMBuildSelect(builder, down, zero, reach, ""), "");
    }
    const TirTypeRow *element = &tir_type_rows[tir_type(e->module, tensor->element)->kind];
    LLVMValueRef scale = LLVMConstInt(wide_type(e), element->storage_bytes, false),
                 base = LLVMBuildZExt(builder, view->base, wide_type(e), "");
    if (element->bits == 4) { // two in a byte
        LLVMValueRef one = LLVMConstInt(wide_type(e), 1, false), start = widen(e, view->first);
        low = LLVMBuildAShr(builder, LLVMBuildAdd(builder, low, start, ""), one, "");
        high = LLVMBuildAShr(builder, LLVMBuildAdd(builder, high, start, ""), one, "");
    }
    LLVMValueRef first = LLVMBuildAdd(builder, base, LLVMBuildMul(builder, low, scale, ""), "");
    LLVMValueRef end = LLVMBuildAdd(builder, base, LLVMBuildMul(builder, high, scale, ""), "");
    end = LLVMBuildAdd(builder, end, scale, "");
    LLVMValueRef begin_limit, end_limit;
    emit_pointer_range(e, view->base, view->origin, &begin_limit, &end_limit);
    LLVMValueRef inside = LLVMBuildAnd(
        builder, LLVMBuildICmp(builder, LLVMIntSGE, first, LLVMBuildZExt(builder, begin_limit, wide_type(e), ""), ""),
        LLVMBuildICmp(builder, LLVMIntSLE, end, LLVMBuildZExt(builder, end_limit, wide_type(e), ""), ""), "");
    if (view->origin >= 0 && emit_is_local(e, view->origin)) { // whose address says nothing
        LLVMValueRef before =
            LLVMBuildICmp(builder, LLVMIntSLT, first, LLVMBuildZExt(builder, begin_limit, wide_type(e), ""), "");
        LLVMValueRef last = LLVMBuildSub(builder, end, LLVMConstInt(wide_type(e), 1, false), "");
        LLVMValueRef at = LLVMBuildSelect(builder, before, first, last, "");
        at = LLVMBuildSub(builder, at, LLVMBuildZExt(builder, begin_limit, wide_type(e), ""), "");
        emit_check(e, LLVMBuildOr(builder, empty, inside, ""), HOST_SITE_LOCAL, "a tensor view", NULL,
                   LLVMBuildTrunc(builder, minimum(e, at, LLVMConstInt(wide_type(e), INT64_MAX, false)),
                                  emit_integer_type(e, 64), ""),
                   LLVMBuildSub(builder, end_limit, begin_limit, ""));
        return;
    }
    LLVMValueRef address = saturate(e, first, UINT64_MAX);
    emit_check(e, LLVMBuildOr(builder, empty, inside, ""), HOST_SITE_VIEW, NULL, address,
               saturate(e, LLVMBuildSub(builder, end, first, ""), INT64_MAX),
               LLVMBuildSub(builder, end_limit, address, ""));
}

bool lower_make_tensor_view(Emit *e, const TirOp *op) {
    const TirTypeInfo *tensor = tir_type(e->module, emit_type_of(e, tir_result(op, 0)));
    EmitView *view = arena_new(e->arena, EmitView);
    const TirValue *shape, *strides;
    tir_operands(op, "shape", &shape);
    tir_operands(op, "strides", &strides);
    TirValue base = tir_operand(op, "base");
    EmitElement pointer = emit_element(e, emit_type_of(e, base));
    view->base = emit_address_of_pointer(e, pointer, emit_scalar(e, base));
    view->first = pointer.points_to_halves ? LLVMBuildAnd(e->cx.builder, emit_scalar(e, base), emit_i64(e, 1), "")
                                           : emit_i64(e, 0);
    view->origin = emit_val(e, base)->origin;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        view->sizes[d] =
            tensor->shape[d] == TIR_DYNAMIC ? emit_scalar_i64(e, *shape++, false) : emit_i64(e, tensor->shape[d]);
        view->strides[d] =
            tensor->strides[d] == TIR_DYNAMIC ? emit_scalar_i64(e, *strides++, true) : emit_i64(e, tensor->strides[d]);
    }
    check_view(e, view, tensor);
    *emit_val(e, tir_result(op, 0)) = (EmitVal){.kind = EMIT_VIEW, .view = view, .origin = view->origin};
    return true;
}

bool lower_make_tile_view(Emit *e, const TirOp *op) {
    *emit_val(e, tir_result(op, 0)) = *emit_val(e, op->operands[0]);
    return true;
}

// Powers of two need no division.
LLVMValueRef emit_index_space(Emit *e, LLVMValueRef size, int64_t step) {
    LLVMBuilderRef builder = e->cx.builder;
    bool power = (step & (step - 1)) == 0;
    LLVMValueRef by = emit_i64(e, step);
    LLVMValueRef tiles =
        power ? LLVMBuildLShr(builder, size, emit_i64(e, map_log2(step)), "") : LLVMBuildUDiv(builder, size, by, "");
    LLVMValueRef rest =
        power ? LLVMBuildAnd(builder, size, emit_i64(e, step - 1), "") : LLVMBuildURem(builder, size, by, "");
    LLVMValueRef partial = LLVMBuildICmp(builder, LLVMIntNE, rest, emit_i64(e, 0), "");
    return LLVMBuildAdd(builder, tiles, LLVMBuildZExt(builder, partial, emit_integer_type(e, 64), ""), "");
}

static void bind_size(Emit *e, TirValue result, LLVMValueRef size) {
    LLVMTypeRef type = emit_register_type(e, emit_element(e, emit_type_of(e, result)), 0);
    emit_bind_scalar(e, result, LLVMBuildIntCast2(e->cx.builder, size, type, false, ""));
}

bool lower_get_tensor_shape(Emit *e, const TirOp *op) {
    const EmitView *view = emit_val(e, op->operands[0])->view;
    for (uint32_t i = 0; i < op->result_count; i++) bind_size(e, tir_result(op, i), view->sizes[i]);
    return true;
}

bool lower_get_index_space_shape(Emit *e, const TirOp *op) {
    const EmitView *view = emit_val(e, op->operands[0])->view;
    const TirTypeInfo *type = tir_type(e->module, emit_type_of(e, op->operands[0]));
    for (uint32_t i = 0; i < op->result_count; i++) {
        LLVMValueRef size = view->sizes[emit_view_dimension(type, i)];
        bind_size(e, tir_result(op, i), emit_index_space(e, size, emit_view_step(type, i)));
    }
    return true;
}
