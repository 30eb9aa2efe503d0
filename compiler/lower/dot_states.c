// SPDX-License-Identifier: Apache-2.0
// Dots whose parts are not independent. Of numerics with a part that is a state: mostly states are plain and each part
// is a product of matrices of its own; what else they hold is found out at run time, from the union of all states that
// take part.
#include "compiler/lower/dot_internal.h"
#include "compiler/lower/nest.h"

LLVMValueRef dot_open_seen(Emit *e, LLVMTypeRef type) {
    LLVMValueRef seen = code_alloca(&e->cx, type, "seen");
    LLVMBuildStore(e->cx.builder, LLVMConstNull(type), seen);
    return seen;
}

// States are united lane by lane, and the lanes once at the end.
enum { SEEN_LANES = 16 };

static LLVMTypeRef seen_type(Emit *e) {
    return LLVMVectorType(code_integer_type(&e->cx, 32), SEEN_LANES);
}

LLVMValueRef dot_open_seen_states(Emit *e) {
    return dot_open_seen(e, seen_type(e));
}

// `count` lanes, behind which there are zeros.
static LLVMValueRef with_zeros(Emit *e, LLVMValueRef lanes, unsigned count) {
    LLVMValueRef order[SEEN_LANES];
    for (unsigned i = 0; i < SEEN_LANES; i++) order[i] = code_i32(&e->cx, (int32_t)(i < count ? i : count));
    return LLVMBuildShuffleVector(e->cx.builder, lanes, LLVMConstNull(LLVMTypeOf(lanes)),
                                  LLVMConstVector(order, SEEN_LANES), "");
}

void dot_see(Emit *e, LLVMValueRef seen, LLVMValueRef lanes) {
    LLVMBuilderRef b = e->cx.builder;
    LLVMValueRef all = LLVMBuildLoad2(b, seen_type(e), seen, "");
    const unsigned count = vector_lanes(lanes);
    for (unsigned i = 0; i == 0 || i < count; i += SEEN_LANES) {
        LLVMValueRef some = lanes;
        if (!count)
            some = LLVMBuildInsertElement(b, LLVMConstNull(seen_type(e)), lanes, code_i32(&e->cx, 0), "");
        else if (count < SEEN_LANES)
            some = with_zeros(e, lanes, count);
        else if (count > SEEN_LANES)
            some = code_lanes(&e->cx, lanes, i, SEEN_LANES);
        all = LLVMBuildOr(b, all, some, "");
    }
    LLVMBuildStore(b, all, seen);
}

void dot_see_marks(Emit *e, LLVMValueRef seen, LLVMValueRef marks) {
    LLVMValueRef before = LLVMBuildLoad2(e->cx.builder, vector_element(LLVMTypeOf(marks)), seen, "");
    LLVMValueRef all = numeric_unite_marks(&e->cx, before, numeric_unite_lanes(&e->cx, marks));
    LLVMBuildStore(e->cx.builder, all, seen);
}

// ---- elements of the result -----------------------------------------------------------------------------------------

static unsigned result_bits(const DotKernel *kernel) {
    return kernel->batch_bits + kernel->row_bits + kernel->column_bits;
}

// The accumulator's part at the step's elements.
static LLVMValueRef load_start(Emit *e, const Nest *nest, const DotKernel *kernel, const TileMap *map) {
    if (kernel->start) return nest_load(e, nest, kernel->memory, kernel->start, map);
    return vector_splat(e->cx.builder, kernel->start_part, nest->vector_bits ? 1u << nest->vector_bits : 0);
}

// The union of the states of both operands and of the accumulator.
static LLVMValueRef see_all(Emit *e, const DotKernel *state) {
    Nest nest;
    nest_init(&nest, result_bits(state));
    TileMap map = map_identity(nest.bits);
    nest_need_memory(&nest, 32, &map);
    if (state->start) {
        nest_open(e, &nest, nest.bits);
        dot_see(e, state->seen, load_start(e, &nest, state, &map));
        nest_close(e, &nest);
    } else {
        dot_see(e, state->seen, state->start_part);
    }
    LLVMValueRef all = LLVMBuildLoad2(e->cx.builder, seen_type(e), state->seen, "");
    return vector_intrinsic(&e->cx, "llvm.vector.reduce.or", &all, 1);
}

// Every state is the accumulator's and what all have in common.
static void add_common(Emit *e, const DotKernel *state, LLVMValueRef common) {
    Nest nest;
    nest_init(&nest, result_bits(state));
    TileMap map = map_identity(nest.bits);
    nest_need_memory(&nest, 32, &map);
    nest_open(e, &nest, nest.bits);
    LLVMValueRef start = load_start(e, &nest, state, &map);
    LLVMValueRef all = LLVMBuildOr(e->cx.builder, start, vector_splat(e->cx.builder, common, vector_lanes(start)), "");
    nest_store(e, &nest, state->memory, state->result, &map, all);
    nest_close(e, &nest);
}

// ---- product by product ---------------------------------------------------------------------------------------------

// Iteration bits: columns, depths, rows, batch. Where the elements lie in the packed operands and in the result.
typedef struct DotMaps {
    TileMap a, b, result;
} DotMaps;

static DotMaps dot_maps(Emit *e, const DotKernel *kernel) {
    unsigned columns = kernel->column_bits, depths = kernel->depth_bits, rows = kernel->row_bits;
    TileMap packing = dot_packing(e, kernel, 1), place = map_invert(&packing); // [batch][depth][column] to packed b
    DotMaps maps = {.a.bits = 0};
    uint8_t bits = (uint8_t)(columns + depths + rows + kernel->batch_bits);
    maps.a.bits = maps.b.bits = maps.result.bits = bits;
    for (unsigned i = 0; i < bits; i++) {
        bool column = i < columns, depth = !column && i < columns + depths, batch = i >= columns + depths + rows;
        bool row = !column && !depth && !batch;
        int flat_b = batch ? (int)(i - rows) : row ? -1 : (int)i;
        maps.a.to[i] = (int8_t)(column ? -1 : (int)(i - columns)); // [batch][row][depth]
        maps.b.to[i] = (int8_t)(flat_b < 0 ? -1 : place.to[flat_b]);
        maps.result.to[i] = (int8_t)(depth ? -1 : column ? (int)i : (int)(i - depths));
    }
    return maps;
}

// Parts 1 and up of the sums live in cells while the depths go by.
static void emit_values(Emit *e, const DotKernel *kernels, unsigned count) {
    const Numeric *numeric = kernels[0].numeric;
    Nest nest;
    unsigned columns = kernels[0].column_bits, depths = kernels[0].depth_bits;
    nest_init(&nest, columns + depths + kernels[0].row_bits + kernels[0].batch_bits);
    DotMaps maps[NUMERIC_PARTS_MAX];
    for (unsigned p = 0; p < count; p++) {
        maps[p] = dot_maps(e, &kernels[p]);
        nest_need_memory(&nest, 32, &maps[p].a);
        nest_need_memory(&nest, 32, &maps[p].b);
        nest_need_memory(&nest, 32, &maps[p].result);
    }
    nest.vector_fixed = true;
    nest.vector_bits = columns < 4 ? columns : 4;
    unsigned lanes = nest.vector_bits ? 1u << nest.vector_bits : 0;
    nest_open_bits(e, &nest, columns + depths, nest.bits - columns - depths, false);
    nest_open_bits(e, &nest, nest.vector_bits, columns - nest.vector_bits, false);
    LLVMValueRef cells[NUMERIC_PARTS_MAX];
    NumericValue start = {0}, begin;
    for (unsigned p = 1; p < count; p++) start.parts[p] = load_start(e, &nest, &kernels[p], &maps[p].result);
    begin = numeric->dots->value_begin ? numeric->dots->value_begin(&e->cx, &start) : start;
    for (unsigned p = 1; p < count; p++) {
        cells[p] = code_alloca(&e->cx, vector_type(kernels[p].memory, lanes), "sum");
        LLVMBuildStore(e->cx.builder, begin.parts[p], cells[p]);
    }
    unsigned outer = nest.loop_count;
    nest_open_bits(e, &nest, columns, depths, false);
    NumericValue a = {0}, b = {0}, sum = {0};
    for (unsigned p = 0; p < count; p++) {
        LLVMTypeRef operand = kernels[p].plan.operand_type;
        a.parts[p] = nest_load(e, &nest, operand, kernels[p].a[0], &maps[p].a);
        b.parts[p] = nest_load(e, &nest, operand, kernels[p].b[0], &maps[p].b);
        if (p) sum.parts[p] = LLVMBuildLoad2(e->cx.builder, vector_type(kernels[p].memory, lanes), cells[p], "");
    }
    sum = numeric->dots->value_step(&e->cx, &sum, &a, &b);
    for (unsigned p = 1; p < count; p++) LLVMBuildStore(e->cx.builder, sum.parts[p], cells[p]);
    nest_close_to(e, &nest, outer);
    for (unsigned p = 1; p < count; p++)
        sum.parts[p] = LLVMBuildLoad2(e->cx.builder, vector_type(kernels[p].memory, lanes), cells[p], "");
    if (numeric->dots->value_end) sum = numeric->dots->value_end(&e->cx, &start, &sum);
    for (unsigned p = 1; p < count; p++)
        nest_store(e, &nest, kernels[p].memory, kernels[p].result, &maps[p].result, sum.parts[p]);
    nest_close(e, &nest);
}

bool dot_values_emit(Emit *e, const DotKernel *kernels, unsigned count) {
    if (!dot_kernel_emit(e, &kernels[0])) return false;
    emit_values(e, kernels, count);
    return true;
}

// ---- all parts ------------------------------------------------------------------------------------------------------

bool dot_states_emit(Emit *e, const DotKernel *kernels, unsigned count) {
    LLVMBuilderRef builder = e->cx.builder;
    const unsigned state_part = kernels->numeric->dots->state_part;
    const DotKernel *state = &kernels[state_part];
    const Numeric *numeric = state->numeric;
    LLVMValueRef word = see_all(e, state);
    LLVMBasicBlockRef values = code_block(&e->cx, "dot.values"), parts = code_block(&e->cx, "dot.parts"),
                      states = code_block(&e->cx, "dot.states"), common = code_block(&e->cx, "dot.common"),
                      after = code_block(&e->cx, "dot.after");
    bool good = dot_kernel_emit(e, &kernels[0]);
    LLVMBuildCondBr(builder, numeric->dots->values(&e->cx, word), values, parts);
    LLVMPositionBuilderAtEnd(builder, values);
    emit_values(e, kernels, count);
    LLVMBuildBr(builder, after);
    LLVMPositionBuilderAtEnd(builder, parts);
    for (unsigned p = 1; p < count; p++) good = good && (p == state_part || dot_kernel_emit(e, &kernels[p]));
    LLVMBuildCondBr(builder, numeric->dots->states(&e->cx, word), states, common);
    LLVMPositionBuilderAtEnd(builder, states);
    good = good && dot_kernel_emit(e, state);
    LLVMBuildBr(builder, after);
    LLVMPositionBuilderAtEnd(builder, common);
    add_common(e, state, numeric->dots->common(&e->cx, word));
    LLVMBuildBr(builder, after);
    LLVMPositionBuilderAtEnd(builder, after);
    return good;
}
