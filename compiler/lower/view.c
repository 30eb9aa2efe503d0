// SPDX-License-Identifier: Apache-2.0
// Tensor views and the views of tiles on them: making them, their shapes.
#include "compiler/lower/emit.h"
#include "compiler/lower/memory_internal.h"

#include <assert.h>

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
    emit_check_view(e, view, tensor);
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
