// SPDX-License-Identifier: Apache-2.0
// Marks of integer dots. An element has those of its row of lhs, of its column of rhs and of the accumulator. They are
// packed beside the operands and united where some operand has one. Where close calls flip, what the dot would be then
// is a second dot, of the operands that there would be.
#include "compiler/lower/dot_internal.h"
#include "compiler/lower/tiles.h"

void dot_open_marks(Emit *e, DotMarks *marks) {
    *marks = (DotMarks){.seen = dot_open_seen(e, emit_mark_type(e))};
}

static LLVMValueRef convert_marks(Emit *e, const void *data, const NumericValue *lanes) {
    const DotMarks *marks = data;
    dot_see_marks(e, marks->seen, lanes->parts[1]);
    return lanes->parts[1];
}

bool dot_pack_marks(Emit *e, DotMarks *marks, unsigned side, const TileMap *packing, EmitPacked *array) {
    marks->operands[side] = emit_mark_scratch(e, packing->bits);
    *array =
        (EmitPacked){.type = emit_mark_type(e), .base = marks->operands[side], .convert = convert_marks, .data = marks};
    return marks->operands[side];
}

// Code that runs only where some operand has a mark.
static CodeGuard open_marked(Emit *e, const DotMarks *marks) {
    LLVMValueRef seen = LLVMBuildLoad2(e->cx.builder, emit_mark_type(e), marks->seen, "");
    return code_guard_open(&e->cx, LLVMBuildIsNotNull(e->cx.builder, seen, ""));
}

// ---- the second dot -------------------------------------------------------------------------------------------------

bool dot_open_flipped(Emit *e, const DotKernel *kernel, DotMarks *marks, DotKernel *flipped) {
    const unsigned bits = kernel->batch_bits + kernel->row_bits + kernel->column_bits;
    *flipped = *kernel;
    flipped->result = marks->flipped = emit_scratch(e, (size_t)code_type_bits(kernel->memory) / 8 << bits);
    return flipped->result;
}

bool dot_emit_flipped(Emit *e, const DotKernel *flipped, const DotMarks *marks) {
    CodeGuard marked = open_marked(e, marks);
    bool good = dot_kernel_emit(e, flipped);
    code_guard_close(&e->cx, &marked, 0, NULL);
    return good;
}

// ---- rows and columns -----------------------------------------------------------------------------------------------

// Marks of [batch][row], or of [batch][column]: over all depths. NULL if scratch runs out. Lanes are rhs's columns, or
// else depths, which are united at the end.
static LLVMValueRef unite_depths(Emit *e, const DotKernel *kernel, const DotMarks *marks, unsigned side) {
    LLVMBuilderRef builder = e->cx.builder;
    const TileMap packing = dot_packing(e, kernel, side), from = map_invert(&packing);
    const unsigned first = side ? kernel->column_bits : 0, last = first + kernel->depth_bits; // bits of the depth
    const unsigned inner = first ? first : last;
    LLVMValueRef united = emit_mark_scratch(e, from.bits - kernel->depth_bits);
    if (!united) return NULL;
    TileMap to = map_identity(from.bits);
    for (unsigned i = first; i < to.bits; i++) to.to[i] = (int8_t)(i < last ? -1 : (int)(i - kernel->depth_bits));
    Nest nest;
    nest_init(&nest, from.bits);
    nest_need_memory(&nest, numeric_mark_bits(&e->cx), &from);
    nest_need_memory(&nest, numeric_mark_bits(&e->cx), &to);
    nest.vector_fixed = true;
    nest.vector_bits = nest_lanes_bits(e, numeric_mark_bits(&e->cx), inner);
    LLVMTypeRef type = vector_type(emit_mark_type(e), nest.vector_bits ? 1u << nest.vector_bits : 0);
    nest_open_bits(e, &nest, last, nest.bits - last, false);
    if (first) nest_open_bits(e, &nest, nest.vector_bits, first - nest.vector_bits, false);
    LLVMValueRef cell = code_alloca(&e->cx, type, "marks"), place = nest_index(e, &nest, &to);
    LLVMBuildStore(builder, LLVMConstNull(type), cell);
    const unsigned outer = nest.loop_count, depth = first ? first : nest.vector_bits;
    nest_open_bits(e, &nest, depth, last - depth, false);
    LLVMValueRef some = nest_load(e, &nest, emit_mark_type(e), marks->operands[side], &from);
    some = numeric_unite_marks(&e->cx, LLVMBuildLoad2(builder, type, cell, ""), some);
    LLVMBuildStore(builder, some, cell);
    nest_close_to(e, &nest, outer);
    LLVMValueRef all = LLVMBuildLoad2(builder, type, cell, "");
    if (!first) all = numeric_unite_lanes(&e->cx, all);
    code_store(&e->cx, all, code_pointer_at(&e->cx, emit_mark_type(e), united, place), 1);
    nest_close(e, &nest);
    return united;
}

// ---- elements of the result -----------------------------------------------------------------------------------------

// The marks of the accumulator, unless they are there already.
static void copy_start(Emit *e, const EmitVal *start, const EmitVal *result) {
    if (start->value.parts[1] == result->value.parts[1]) return;
    Nest nest;
    TileMap map = map_identity(result->layout.bits);
    nest_init(&nest, map.bits);
    nest_need_memory(&nest, numeric_mark_bits(&e->cx), &map);
    nest_open(e, &nest, map.bits);
    const unsigned lanes = nest.vector_bits ? 1u << nest.vector_bits : 0;
    LLVMValueRef marks = start->value.parts[1];
    marks = start->kind == EMIT_SCALAR ? vector_splat(e->cx.builder, marks, lanes)
                                       : nest_load(e, &nest, emit_mark_type(e), marks, &map);
    nest_store(e, &nest, emit_mark_type(e), result->value.parts[1], &map, marks);
    nest_close(e, &nest);
}

// `united`: of rows and of columns.
static void mark_elements(Emit *e, const DotKernel *kernel, const DotMarks *marks, const LLVMValueRef *united,
                          const EmitVal *result) {
    const unsigned columns = kernel->column_bits, rows = kernel->row_bits;
    TileMap map = map_identity(result->layout.bits), of_row = map, of_column = map;
    for (unsigned i = 0; i < map.bits; i++) {
        of_row.to[i] = (int8_t)(i < columns ? -1 : (int)(i - columns));
        of_column.to[i] = (int8_t)(i < columns ? (int)i : i < columns + rows ? -1 : (int)(i - rows));
    }
    Nest nest;
    nest_init(&nest, map.bits);
    nest_need_memory(&nest, code_type_bits(kernel->memory), &of_row);
    nest_need_memory(&nest, numeric_mark_bits(&e->cx), &of_column);
    nest_open(e, &nest, map.bits);
    NumericValue value = {.parts = {NULL, nest_load(e, &nest, emit_mark_type(e), result->value.parts[1], &map)}};
    LLVMValueRef all = numeric_unite_marks(&e->cx, nest_load(e, &nest, emit_mark_type(e), united[0], &of_row),
                                           nest_load(e, &nest, emit_mark_type(e), united[1], &of_column));
    all = numeric_unite_marks(&e->cx, all, value.parts[1]);
    if (marks->flipped) {
        value.parts[0] = nest_load(e, &nest, kernel->memory, marks->flipped, &map);
        LLVMValueRef is = nest_load(e, &nest, kernel->memory, kernel->result, &map);
        all = numeric_with_step(&e->cx, all, is, emit_flipped(e, &value));
    }
    nest_store(e, &nest, emit_mark_type(e), result->value.parts[1], &map, all);
    nest_close(e, &nest);
}

bool dot_mark_result(Emit *e, const DotKernel *kernel, const DotMarks *marks, const EmitVal *start,
                     const EmitVal *result) {
    copy_start(e, start, result);
    CodeGuard marked = open_marked(e, marks);
    LLVMValueRef united[2];
    for (unsigned side = 0; side < 2; side++)
        if (!(united[side] = unite_depths(e, kernel, marks, side))) return false;
    mark_elements(e, kernel, marks, united, result);
    code_guard_close(&e->cx, &marked, 0, NULL);
    return true;
}
