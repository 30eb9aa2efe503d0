// SPDX-License-Identifier: Apache-2.0
// Tensor views and the views of tiles on them: making them, their shapes, and whether their elements lie in a buffer,
// in 128-bit arithmetic, where nothing can wrap.
#include "compiler/lower/kernel.h"
#include "compiler/lower/memory_internal.h"

#include <assert.h>

// ---- views and their buffers ----------------------------------------------------------------------------------------

// One function for all views of as many dimensions and as wide elements.

static LLVMTypeRef wide_type(const Emit *e) {
    return code_integer_type(&e->cx, 128);
}

static LLVMValueRef wide(const Emit *e, uint64_t value) {
    return LLVMConstInt(wide_type(e), value, false);
}

static LLVMValueRef widen(Emit *e, LLVMValueRef value) {
    return LLVMBuildSExt(e->cx.builder, value, wide_type(e), "");
}

static LLVMValueRef widen_address(Emit *e, LLVMValueRef value) {
    return LLVMBuildZExt(e->cx.builder, value, wide_type(e), "");
}

static LLVMValueRef minimum(Emit *e, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(e->cx.builder, LLVMBuildICmp(e->cx.builder, LLVMIntSLT, a, b, ""), a, b, "");
}

static LLVMValueRef maximum(Emit *e, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(e->cx.builder, LLVMBuildICmp(e->cx.builder, LLVMIntSGT, a, b, ""), a, b, "");
}

// Distances beyond 2^64 elements are as good as that: no buffer is so large, and the sum over all dimensions cannot
// wrap.
static LLVMValueRef clamp_reach(Emit *e, LLVMValueRef reach) {
    LLVMValueRef high = LLVMBuildShl(e->cx.builder, wide(e, 1), wide(e, 64), "");
    return maximum(e, minimum(e, reach, high), LLVMBuildNeg(e->cx.builder, high, ""));
}

// A number of 128 bits as an address or a byte count, 0 .. largest.
static LLVMValueRef saturate(Emit *e, LLVMValueRef value, uint64_t largest) {
    value = maximum(e, minimum(e, value, wide(e, largest)), wide(e, 0));
    return LLVMBuildTrunc(e->cx.builder, value, code_integer_type(&e->cx, 64), "");
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
    LLVMValueRef good = LLVMBuildICmp(e->cx.builder, LLVMIntSGE, least, code_i64(&e->cx, 0), "");
    emit_check(e, good, &(EmitFault){.kind = HOST_SITE_VIEW, .address = view->base, .found = least});
}

// Parameters of the function; then size and stride of each dimension. FIRST: of elements in halves of bytes, the first
// one's half.
enum { FAULT, BASE, FIRST, BEGIN, END, DIMENSIONS };

typedef struct ViewShape {
    uint32_t rank;
    unsigned bytes; // of an element
    bool packed;    // two elements in a byte
    bool local;     // in an alloca, whose address says nothing
} ViewShape;

// The bytes from `first` up to `end` that the view's elements take, and whether there are none.
typedef struct ViewReach {
    LLVMValueRef first, end, empty;
} ViewReach;

static ViewReach measure_view(Emit *e, const ViewShape *shape, const LLVMValueRef *parameters) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef zero = wide(e, 0), low = zero, high = zero, empty = LLVMConstNull(code_integer_type(&e->cx, 1));
    for (uint32_t d = 0; d < shape->rank; d++) {
        LLVMValueRef size = parameters[DIMENSIONS + 2 * d], stride = parameters[DIMENSIONS + 2 * d + 1];
        empty = LLVMBuildOr(builder, empty, LLVMBuildICmp(builder, LLVMIntEQ, size, code_i64(&e->cx, 0), ""), "");
        LLVMValueRef last = LLVMBuildSub(builder, size, code_i64(&e->cx, 1), "");
        LLVMValueRef reach = clamp_reach(e, LLVMBuildMul(builder, widen(e, last), widen(e, stride), ""));
        LLVMValueRef down = LLVMBuildICmp(builder, LLVMIntSLT, stride, code_i64(&e->cx, 0), "");
        low = LLVMBuildAdd(builder, low, LLVMBuildSelect(builder, down, reach, zero, ""), "");
        high = LLVMBuildAdd(builder, high, LLVMBuildSelect(builder, down, zero, reach, ""), "");
    }
    if (shape->packed) {
        LLVMValueRef start = widen(e, parameters[FIRST]);
        low = LLVMBuildAShr(builder, LLVMBuildAdd(builder, low, start, ""), wide(e, 1), "");
        high = LLVMBuildAShr(builder, LLVMBuildAdd(builder, high, start, ""), wide(e, 1), "");
    }
    LLVMValueRef scale = wide(e, shape->bytes), base = widen_address(e, parameters[BASE]);
    LLVMValueRef first = LLVMBuildAdd(builder, base, LLVMBuildMul(builder, low, scale, ""), "");
    LLVMValueRef last = LLVMBuildAdd(builder, base, LLVMBuildMul(builder, high, scale, ""), "");
    return (ViewReach){first, LLVMBuildAdd(builder, last, scale, ""), empty};
}

// What a fault says: the place and how many bytes there were from it on, or the byte of an alloca and its size.
static void store_fault(Emit *e, const ViewShape *shape, const LLVMValueRef *parameters, const ViewReach *reach) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef address = code_i64(&e->cx, 0), found, limit;
    if (shape->local) {
        LLVMValueRef begin = widen_address(e, parameters[BEGIN]);
        LLVMValueRef before = LLVMBuildICmp(builder, LLVMIntSLT, reach->first, begin, "");
        LLVMValueRef last = LLVMBuildSub(builder, reach->end, wide(e, 1), "");
        LLVMValueRef at = LLVMBuildSub(builder, LLVMBuildSelect(builder, before, reach->first, last, ""), begin, "");
        found = LLVMBuildTrunc(builder, minimum(e, at, wide(e, INT64_MAX)), code_integer_type(&e->cx, 64), "");
        limit = LLVMBuildSub(builder, parameters[END], parameters[BEGIN], "");
    } else {
        address = saturate(e, reach->first, UINT64_MAX);
        found = saturate(e, LLVMBuildSub(builder, reach->end, reach->first, ""), INT64_MAX);
        limit = LLVMBuildSub(builder, parameters[END], address, "");
    }
    emit_store_fault(e, parameters[FAULT], (LLVMValueRef[]){address, found, limit});
}

static void emit_body(Emit *e, const ViewShape *shape, const LLVMValueRef *parameters) {
    LLVMBuilderRef builder = e->cx.builder;
    ViewReach reach = measure_view(e, shape, parameters);
    LLVMValueRef begun = LLVMBuildICmp(builder, LLVMIntSGE, reach.first, widen_address(e, parameters[BEGIN]), "");
    LLVMValueRef ended = LLVMBuildICmp(builder, LLVMIntSLE, reach.end, widen_address(e, parameters[END]), "");
    LLVMValueRef good = LLVMBuildOr(builder, reach.empty, LLVMBuildAnd(builder, begun, ended, ""), "");
    LLVMBasicBlockRef outside = code_block(&e->cx, "outside"), done = code_block(&e->cx, "done");
    LLVMBuildCondBr(builder, good, done, outside);
    LLVMPositionBuilderAtEnd(builder, outside);
    store_fault(e, shape, parameters, &reach);
    LLVMBuildBr(builder, done);
    LLVMPositionBuilderAtEnd(builder, done);
    LLVMBuildRet(builder, good);
}

static LLVMValueRef view_checker(Emit *e, const ViewShape *shape) {
    LLVMTypeRef types[DIMENSIONS + 2 * TIR_RANK_MAX];
    unsigned count = DIMENSIONS + 2 * shape->rank;
    for (unsigned i = 0; i < count; i++) types[i] = code_integer_type(&e->cx, 64);
    types[FAULT] = LLVMPointerTypeInContext(e->cx.context, 0);
    const char *name = arena_format(e->arena, "congruent.view.%u.%u%s%s", shape->rank, shape->bytes,
                                    shape->packed ? ".packed" : "", shape->local ? ".local" : "");
    CodeShared shared;
    if (code_shared_open(&e->cx, name, LLVMFunctionType(code_integer_type(&e->cx, 1), types, count, false), &shared)) {
        LLVMValueRef parameters[DIMENSIONS + 2 * TIR_RANK_MAX];
        LLVMGetParams(shared.function, parameters);
        emit_body(e, shape, parameters);
        code_shared_close(&e->cx, &shared);
    }
    return shared.function;
}

void emit_view_function(Emit *e, unsigned rank, unsigned bytes) {
    view_checker(e, &(ViewShape){.rank = rank, .bytes = bytes});
}

static void check_view(Emit *e, const EmitView *view, const TirTypeInfo *tensor) {
    check_extents(e, view, tensor->rank);
    const TirTypeRow *element = &tir_type_rows[tir_type(e->module, tensor->element)->kind];
    ViewShape shape = {.rank = tensor->rank,
                       .bytes = element->storage_bytes,
                       .packed = element->bits == 4,
                       .local = view->origin >= 0 && emit_is_local(e, view->origin)};
    LLVMValueRef arguments[DIMENSIONS + 2 * TIR_RANK_MAX] = {
        [FAULT] = e->fault, [BASE] = view->base, [FIRST] = view->first};
    emit_pointer_range(e, view->base, view->origin, &arguments[BEGIN], &arguments[END]);
    for (uint32_t d = 0; d < shape.rank; d++) {
        arguments[DIMENSIONS + 2 * d] = view->sizes[d];
        arguments[DIMENSIONS + 2 * d + 1] = view->strides[d];
    }
    LLVMValueRef function = view_checker(e, &shape);
    LLVMValueRef good = LLVMBuildCall2(e->cx.builder, LLVMGlobalGetValueType(function), function, arguments,
                                       DIMENSIONS + 2 * shape.rank, "");
    emit_check_stored(e, good, shape.local ? HOST_SITE_LOCAL : HOST_SITE_VIEW, shape.local ? "a tensor view" : NULL);
}

// ---- the ops --------------------------------------------------------------------------------------------------------

bool lower_make_tensor_view(Emit *e, const TirOp *op) {
    const TirTypeInfo *tensor = tir_type(e->module, emit_type_of(e, tir_result(op, 0)));
    EmitView *view = arena_new(e->arena, EmitView);
    const TirValue *shape, *strides;
    tir_operands(op, "shape", &shape);
    tir_operands(op, "strides", &strides);
    TirValue base = tir_operand(op, "base");
    EmitElement pointer = emit_element(e, emit_type_of(e, base));
    view->base = emit_address_of_pointer(e, pointer, emit_scalar(e, base));
    view->first = pointer.points_to_halves ? LLVMBuildAnd(e->cx.builder, emit_scalar(e, base), code_i64(&e->cx, 1), "")
                                           : code_i64(&e->cx, 0);
    view->origin = emit_val(e, base)->origin;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        view->sizes[d] =
            tensor->shape[d] == TIR_DYNAMIC ? emit_scalar_i64(e, *shape++, false) : code_i64(&e->cx, tensor->shape[d]);
        view->strides[d] = tensor->strides[d] == TIR_DYNAMIC ? emit_scalar_i64(e, *strides++, true)
                                                             : code_i64(&e->cx, tensor->strides[d]);
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
    LLVMValueRef by = code_i64(&e->cx, step);
    LLVMValueRef tiles = power ? LLVMBuildLShr(builder, size, code_i64(&e->cx, map_log2(step)), "")
                               : LLVMBuildUDiv(builder, size, by, "");
    LLVMValueRef rest =
        power ? LLVMBuildAnd(builder, size, code_i64(&e->cx, step - 1), "") : LLVMBuildURem(builder, size, by, "");
    LLVMValueRef partial = LLVMBuildICmp(builder, LLVMIntNE, rest, code_i64(&e->cx, 0), "");
    return LLVMBuildAdd(builder, tiles, LLVMBuildZExt(builder, partial, code_integer_type(&e->cx, 64), ""), "");
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
