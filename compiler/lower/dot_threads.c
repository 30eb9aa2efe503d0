// SPDX-License-Identifier: Apache-2.0
// Dots on GPUs: each thread sums its fragment of the result in registers, on matrix units where they can compute it,
// else product by product.
#include "compiler/lower/dot_internal.h"
#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

// ---- where the fragment is ------------------------------------------------------------------------------------------

// Iteration bits to those of the row, column or batch that they are: of flat index bits first .. first + count - 1.
// Lanes of a warp do not count for matrix units, whose instructions know them.
static TileMap coordinate(const DotKernel *kernel, const DotFragment *fragment, unsigned first, unsigned count) {
    TileMap map = {.bits = fragment->layout.bits};
    unsigned own = fragment->register_bits + (kernel->plan.matrix ? EMIT_WARP_BITS : 0);
    for (unsigned i = 0; i < map.bits; i++) {
        unsigned bit = (unsigned)fragment->layout.to[i];
        map.to[i] = (int8_t)(i >= own && bit >= first && bit < first + count ? (int)(bit - first) : -1);
    }
    return map;
}

typedef struct Coordinates {
    TileMap row, column, batch;
} Coordinates;

static Coordinates open_coordinates(const DotKernel *kernel, const DotFragment *fragment, Nest *nest) {
    unsigned columns = kernel->column_bits, rows = kernel->row_bits;
    Coordinates maps = {coordinate(kernel, fragment, columns, rows), coordinate(kernel, fragment, 0, columns),
                        coordinate(kernel, fragment, columns + rows, kernel->batch_bits)};
    nest_need_memory(nest, 8, &maps.row); // so that loops and threads part where they do
    nest_need_memory(nest, 8, &maps.column);
    nest_need_memory(nest, 8, &maps.batch);
    return maps;
}

// ---- lanes of the fragment ------------------------------------------------------------------------------------------

static LLVMValueRef join_lanes(Emit *e, const LLVMValueRef *parts, unsigned count) {
    unsigned lanes = vector_lanes(parts[0]) ? vector_lanes(parts[0]) : 1;
    if (count == 1) return parts[0];
    LLVMValueRef result = LLVMGetUndef(LLVMVectorType(vector_element(LLVMTypeOf(parts[0])), count * lanes));
    for (unsigned i = 0; i < count * lanes; i++) {
        LLVMValueRef one = code_lanes(&e->cx, parts[i / lanes], i % lanes, 1);
        result = LLVMBuildInsertElement(e->cx.builder, result, one, code_i32(&e->cx, (int32_t)i), "");
    }
    return result;
}

// ---- product by product ---------------------------------------------------------------------------------------------

// A thread has `rows` rows of neighbouring columns each.
static LLVMValueRef sum_products(Emit *e, const DotKernel *kernel, const DotFragment *fragment, const DotPlace *place,
                                 LLVMValueRef start) {
    LLVMBuilderRef builder = e->cx.builder;
    unsigned rows = 1u << fragment->row_bits, columns = 1u << fragment->column_bits, depths = kernel->depth_bits;
    unsigned bytes = code_type_bits(kernel->plan.operand_type) / 8, lanes = columns > 1 ? columns : 0;
    LLVMTypeRef type = kernel->plan.operand_type, vector = vector_type(type, lanes);
    LLVMValueRef sums[DOT_SUMS_MAX];
    LLVMValueRef row = LLVMBuildShl(builder, place->batch, code_i64(&e->cx, kernel->row_bits), "");
    row = LLVMBuildShl(builder, LLVMBuildAdd(builder, row, place->row, ""), code_i64(&e->cx, depths), "");
    LLVMValueRef first = LLVMBuildShl(builder, place->batch, code_i64(&e->cx, depths), "");
    DotSums loop;
    for (unsigned r = 0; r < rows; r++) sums[r] = code_lanes(&e->cx, start, r * columns, columns);
    dot_open_sums(e, &loop, 1u << depths, sums, rows);
    LLVMValueRef step = loop.loop.index;
    LLVMValueRef at =
        LLVMBuildShl(builder, LLVMBuildAdd(builder, first, step, ""), code_i64(&e->cx, kernel->column_bits), "");
    at = LLVMBuildAdd(builder, at, place->column, "");
    LLVMValueRef b = code_load(&e->cx, vector, code_pointer_at(&e->cx, type, kernel->b[0], at), bytes * columns);
    for (unsigned r = 0; r < rows; r++) {
        LLVMValueRef from = LLVMBuildAdd(builder, row, code_i64(&e->cx, (int64_t)r << depths), "");
        from = LLVMBuildAdd(builder, from, step, "");
        LLVMValueRef a = code_load(&e->cx, type, code_pointer_at(&e->cx, type, kernel->a[0], from), bytes);
        a = vector_splat(builder, a, lanes);
        sums[r] = kernel->numeric->dots->step(&e->cx, &kernel->plan, sums[r], a, b);
    }
    dot_close_sums(e, &loop, sums, rows);
    return join_lanes(e, sums, rows);
}

// ---- on matrix units ------------------------------------------------------------------------------------------------

static LLVMValueRef sum_matrices(Emit *e, const DotKernel *kernel, const DotFragment *fragment, const DotPlace *place,
                                 LLVMValueRef start) {
    LLVMValueRef sums[DOT_SUMS_MAX];
    unsigned count = 1u << fragment->register_bits;
    for (unsigned i = 0; i < count; i++) sums[i] = code_lanes(&e->cx, start, i, 1);
    dot_matrix_emit(e, kernel, fragment, place, sums);
    return join_lanes(e, sums, count);
}

// ---- all of it ------------------------------------------------------------------------------------------------------

// Threads beyond those of the fragment sum what others do, and do not store it.
static CodeGuard working_thread_open(Emit *e, const DotFragment *fragment) {
    if (e->threads.alone || fragment->thread_bits == e->threads.bits) return (CodeGuard){0};
    return emit_some_threads_open(e, fragment->thread_bits);
}

bool dot_threads_emit(Emit *e, const DotKernel *kernel, const DotFragment *fragment, TirValue accumulator,
                      EmitVal *result) {
    EmitElement element = emit_element(e, emit_type_of(e, accumulator));
    Nest nest;
    NumericValue sum;
    nest_init(&nest, fragment->layout.bits);
    nest.vector_fixed = true;
    nest.vector_bits = fragment->register_bits;
    nest.collective = true;
    if (!nest_need(e, &nest, accumulator, &fragment->layout)) return false;
    Coordinates maps = open_coordinates(kernel, fragment, &nest);
    if (fragment->step_bits) nest_need_memory(&nest, 8, &fragment->layout); // of the result
    nest_touch(&nest, EMIT_TILES, fragment->step_bits ? EMIT_TILES : 0);
    nest_open(e, &nest, nest.bits);
    if (!nest_eval(e, &nest, accumulator, &fragment->layout, &sum)) return false;
    DotPlace place = {nest_index(e, &nest, &maps.batch), nest_index(e, &nest, &maps.row),
                      nest_index(e, &nest, &maps.column)};
    bool bytes = kernel->plan.matrix == NUMERIC_MATRIX_BYTES;
    LLVMValueRef start = bytes ? sum.parts[0] : kernel->numeric->dots->begin(&e->cx, &kernel->plan, sum.parts[0]);
    LLVMValueRef all = (kernel->plan.matrix ? sum_matrices : sum_products)(e, kernel, fragment, &place, start);
    sum.parts[0] = bytes ? all : kernel->numeric->dots->end(&e->cx, &kernel->plan, all);
    if (fragment->step_bits) {
        CodeGuard guard = working_thread_open(e, fragment);
        emit_store_tile(e, &nest, element, &fragment->layout, result, &sum);
        if (guard.join) code_guard_close(&e->cx, &guard, 0, NULL);
    }
    nest_close(e, &nest);
    if (fragment->step_bits) return true;
    *result = (EmitVal){.kind = fragment->layout.bits ? EMIT_REGISTERS : EMIT_SCALAR,
                        .value = sum,
                        .layout = fragment->layout,
                        .register_bits = fragment->register_bits,
                        .origin = -1};
    return true;
}
