// SPDX-License-Identifier: Apache-2.0
// Ops whose elements go where integers say: gather and histogram, element by element.
#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

// ---- gather ---------------------------------------------------------------------------------------------------------

// The tile as memory in row-major order.
static bool plain_memory(Emit *e, TirValue value, EmitVal *plain) {
    const EmitVal *val = emit_val(e, value);
    if (val->kind == EMIT_MEMORY && map_is_identity(&val->layout)) {
        *plain = *val;
        return true;
    }
    return emit_tile_alloc(e, emit_type_of(e, value), NULL, plain) && emit_materialise_to(e, value, plain);
}

// From index bits of the result to those of the source's element 0 of the axis. Other extents are the same.
static TileMap start_map(const TirTypeInfo *result, const TirTypeInfo *source, uint32_t axis) {
    TileMap map = {0};
    for (uint32_t d = result->rank; d-- > 0;)
        for (unsigned i = 0; i < map_log2(result->shape[d]); i++)
            map.to[map.bits++] = (int8_t)(d == axis ? -1 : (int)(map_dimension_bit(source, d) + i));
    return map;
}

// The index of the step's element, as an i64 that is checked.
static LLVMValueRef checked_index(Emit *e, const NumericValue *integer, int64_t size) {
    LLVMValueRef index = LLVMBuildSExt(e->cx.builder, integer->parts[0], code_integer_type(&e->cx, 64), "");
    LLVMValueRef limit = code_i64(&e->cx, size);
    emit_check(e, LLVMBuildICmp(e->cx.builder, LLVMIntULT, index, limit, ""),
               &(EmitFault){.kind = HOST_SITE_GATHER, .found = index, .limit = limit});
    return index;
}

static NumericValue load_element(Emit *e, EmitElement element, const EmitVal *tile, LLVMValueRef at) {
    NumericValue value = {0};
    for (unsigned p = 0; p < element.parts; p++) {
        LLVMTypeRef memory = emit_memory_type(e, element, p), type = emit_register_type(e, element, p);
        LLVMValueRef pointer = code_pointer_at(&e->cx, memory, tile->value.parts[p], at);
        LLVMValueRef part = code_load(&e->cx, memory, pointer, code_type_bits(memory) / 8);
        value.parts[p] = memory == type ? part : LLVMBuildTrunc(e->cx.builder, part, type, "");
    }
    return value;
}

// The value with the marks of the integer that chose it.
static NumericValue chosen_by(Emit *e, EmitElement element, NumericValue value, LLVMValueRef marks) {
    if (!marks) return value;
    if (element.is_float) return e->cx.numeric->mark(&e->cx, &value, marks);
    if (element.parts > 1) value.parts[1] = numeric_unite_marks(&e->cx, value.parts[1], marks);
    return value;
}

bool lower_gather(Emit *e, const TirOp *op) {
    const TirValue source = op->operands[0], indices = op->operands[1], result = tir_result(op, 0);
    const TirTypeInfo *whole = tir_type(e->module, emit_type_of(e, source)),
                      *part = tir_type(e->module, emit_type_of(e, result));
    const uint32_t axis = (uint32_t)tir_attribute_integer(op, "dim");
    const EmitElement element = emit_element(e, emit_type_of(e, result));
    EmitVal from, to;
    if (!plain_memory(e, source, &from) || !emit_tile_alloc(e, emit_type_of(e, result), NULL, &to)) return false;
    Nest nest;
    const TileMap map = map_identity(emit_tile_bits(e, emit_type_of(e, result))), start = start_map(part, whole, axis);
    nest_init(&nest, map.bits);
    nest.vector_fixed = true; // element by element
    if (!nest_need(e, &nest, indices, &map)) return false;
    nest_touch(&nest, EMIT_TILES, EMIT_TILES);
    for (unsigned i = 1; i < map.bits; i++) { // other loops where `start` does not go on
        const bool goes_on =
            start.to[i] < 0 ? start.to[i - 1] < 0 : start.to[i - 1] >= 0 && start.to[i] == start.to[i - 1] + 1;
        if (!goes_on) nest.breaks |= UINT64_C(1) << i;
    }
    nest_open(e, &nest, nest.bits);
    NumericValue integer;
    if (!nest_eval(e, &nest, indices, &map, &integer)) return false;
    LLVMValueRef at = checked_index(e, &integer, whole->shape[axis]);
    at = LLVMBuildShl(e->cx.builder, at, code_i64(&e->cx, map_dimension_bit(whole, axis)), "");
    at = LLVMBuildAdd(e->cx.builder, at, nest_index(e, &nest, &start), "");
    NumericValue value = chosen_by(e, element, load_element(e, element, &from, at), integer.parts[1]);
    emit_store_tile(e, &nest, element, &map, &to, &value);
    nest_close(e, &nest);
    if (emit_is_scalar(e, result)) to = emit_element_value(e, element, &to);
    *emit_val(e, result) = to;
    return true;
}

// ---- histogram ------------------------------------------------------------------------------------------------------

// Adds 1 to a count. Threads of a GPU may do so at once.
static void count_one(Emit *e, LLVMValueRef pointer) {
    LLVMTypeRef i32 = code_integer_type(&e->cx, 32);
    if (emit_thread_bits(e)) {
        LLVMValueRef sum = LLVMBuildAtomicRMW(e->cx.builder, LLVMAtomicRMWBinOpAdd, pointer, code_i32(&e->cx, 1),
                                              LLVMAtomicOrderingMonotonic, false);
        LLVMSetAlignment(sum, 4);
        return;
    }
    LLVMValueRef sum = LLVMBuildAdd(e->cx.builder, code_load(&e->cx, i32, pointer, 4), code_i32(&e->cx, 1), "");
    code_store(&e->cx, sum, pointer, 4);
}

// The marks of all elements and masks together become those of each count.
static void see_marks(Emit *e, LLVMValueRef cell, LLVMValueRef marks) {
    if (!cell || !marks) return;
    LLVMValueRef before = LLVMBuildLoad2(e->cx.builder, emit_mark_type(e), cell, "");
    LLVMBuildStore(e->cx.builder, numeric_unite_marks(&e->cx, before, marks), cell);
}

static void write_marks(Emit *e, LLVMValueRef cell, const EmitVal *counts, int64_t bins) {
    if (!cell) return;
    LLVMTypeRef type = emit_mark_type(e);
    LLVMValueRef marks = LLVMBuildLoad2(e->cx.builder, type, cell, "");
    CodeLoop loop = code_loop_open(&e->cx, code_i64(&e->cx, bins));
    code_store(&e->cx, marks, code_pointer_at(&e->cx, type, counts->value.parts[1], loop.index),
               code_type_bits(type) / 8);
    code_loop_close(&e->cx, &loop);
}

bool lower_histogram(Emit *e, const TirOp *op) {
    const TirValue source = op->operands[0], mask = tir_operand(op, "mask"), result = tir_result(op, 0);
    const TirType type = emit_type_of(e, result);
    const EmitElement element = emit_element(e, type);
    const int64_t bins = tir_tile_elements(e->module, type);
    LLVMBuilderRef b = e->cx.builder;
    EmitVal counts;
    if (!emit_tile_alloc(e, type, NULL, &counts)) return false;
    emit_barrier(e, 0, EMIT_TILES);
    emit_fill(e, counts.value.parts[0], (uint64_t)bins * 4, 0);
    LLVMValueRef cell = element.parts > 1 ? code_alloca(&e->cx, emit_mark_type(e), "marks") : NULL;
    if (cell) LLVMBuildStore(b, LLVMConstNull(emit_mark_type(e)), cell);
    Nest nest;
    const TileMap map = map_identity(emit_tile_bits(e, emit_type_of(e, source)));
    nest_init(&nest, map.bits);
    nest.vector_fixed = true; // element by element
    if (!nest_need(e, &nest, source, &map) || (mask != TIR_NO_VALUE && !nest_need(e, &nest, mask, &map))) return false;
    nest_touch(&nest, EMIT_TILES, EMIT_TILES);
    nest_open(e, &nest, nest.bits);
    NumericValue bin, active;
    if (!nest_eval(e, &nest, source, &map, &bin)) return false;
    see_marks(e, cell, bin.parts[1]);
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    LLVMValueRef at = LLVMBuildSExt(b, bin.parts[0], i64, "");
    LLVMValueRef counted = LLVMBuildICmp(b, LLVMIntULT, at, code_i64(&e->cx, bins), "");
    if (mask != TIR_NO_VALUE) {
        if (!nest_eval(e, &nest, mask, &map, &active)) return false;
        see_marks(e, cell, active.parts[1]);
        counted = LLVMBuildAnd(b, counted, active.parts[0], "");
    }
    CodeGuard guard = code_guard_open(&e->cx, counted);
    count_one(e, code_pointer_at(&e->cx, code_integer_type(&e->cx, 32), counts.value.parts[0], at));
    code_guard_close(&e->cx, &guard, 0, NULL);
    nest_close(e, &nest);
    write_marks(e, cell, &counts, bins);
    if (emit_is_scalar(e, result)) counts = emit_element_value(e, element, &counts);
    *emit_val(e, result) = counts;
    return true;
}
