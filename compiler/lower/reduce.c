// SPDX-License-Identifier: Apache-2.0
// reduce and scan. The body gets, of each operand, the accumulator first and the element second: what comes earlier in
// the sequence is the first argument. The sequence is increasing index, decreasing in a reverse scan. The order of
// combination depends on the tile's type and the body alone, so it is the same on every target:
// - in scans, and in reductions along any but the innermost dimension: in the elements' sequence;
// - in reductions along the innermost dimension, with L = 64 lanes (32 of 64 bits):
//   - by a body that commutes (emit_commutes), and in Triton's algebra by one of floats without identities, each lane
//     folds every L-th element in increasing index, then the lanes are folded in halves;
//   - by any other, of each L elements in a row neighbours are combined, then neighbouring results, until one is left;
//     those are folded in increasing index.
// The identity is never combined in.
#include "compiler/lower/census.h"
#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

#include <assert.h>

typedef LLVMValueRef Cells[NUMERIC_PARTS_MAX];

typedef struct Fold {
    const TirOp *op;
    uint32_t count; // operands
    EmitElement *elements;
    Cells *cells;                               // accumulators, of a step
    Cells *arrays;                              // with register_bits: 2^register_bits accumulators each
    NumericValue *x;                            // an element of each operand, then a result
    NumericValue *arguments, *results;          // of the body
    unsigned axis_bits, inner_bits, other_bits; // of the reduced dimension; below it; all others
    unsigned cell_bits;                         // log2 of the lanes of the accumulators
    unsigned register_bits;                     // log2 of how many registers of lanes take turns, or 0
    bool in_sequence;                           // the body does not commute
} Fold;

static void open_fold(Emit *e, const TirOp *op, Fold *fold) {
    const TirTypeInfo *tile = tir_type(e->module, emit_type_of(e, op->operands[0]));
    uint32_t dimension = (uint32_t)tir_attribute_integer(op, "dim");
    *fold = (Fold){.op = op, .count = op->operand_count};
    fold->elements = arena_array(e->arena, EmitElement, fold->count);
    fold->cells = arena_array(e->arena, Cells, fold->count);
    fold->arrays = arena_array(e->arena, Cells, fold->count);
    fold->x = arena_array(e->arena, NumericValue, fold->count);
    fold->arguments = arena_array(e->arena, NumericValue, 2 * (size_t)fold->count);
    fold->results = arena_array(e->arena, NumericValue, fold->count);
    fold->axis_bits = map_log2(tile->shape[dimension]);
    fold->inner_bits = map_dimension_bit(tile, dimension);
    fold->other_bits = emit_tile_bits(e, emit_type_of(e, op->operands[0])) - fold->axis_bits;
    // Without identities it is Triton's, which combines floats in halves, whatever the body: in its own algebra that
    // decides about payloads that no law holds for.
    const bool any_order = op->kind == TIR_OP_reduce && !tir_attribute(op, "identities")->length &&
                           e->options->numeric == COMPILE_PAYLOAD &&
                           emit_element(e, emit_type_of(e, op->operands[0])).is_float;
    fold->in_sequence = !any_order && !emit_commutes(e, &op->regions[0]);
    for (uint32_t i = 0; i < fold->count; i++) fold->elements[i] = emit_element(e, emit_type_of(e, op->operands[i]));
}

static void store_cells(Emit *e, const Fold *fold, const NumericValue *values) {
    for (uint32_t i = 0; i < fold->count; i++)
        for (unsigned p = 0; p < fold->elements[i].parts; p++)
            LLVMBuildStore(e->cx.builder, values[i].parts[p], fold->cells[i][p]);
}

static void load_cells(Emit *e, const Fold *fold, const NumericValue *x, NumericValue *arguments) {
    for (uint32_t i = 0; i < fold->count; i++) {
        for (unsigned p = 0; p < fold->elements[i].parts; p++)
            arguments[2 * i].parts[p] = LLVMBuildLoad2(e->cx.builder, LLVMTypeOf(x[i].parts[p]), fold->cells[i][p], "");
        arguments[2 * i + 1] = x[i];
    }
}

// x combined into the accumulators, which start as the first x. `counts`: the lanes that the census counts.
static bool fold_step(Emit *e, Fold *fold, const NumericValue *x, LLVMValueRef is_first, CensusMask counts) {
    LLVMBuilderRef builder = e->cx.builder;
    NumericValue *arguments = fold->arguments, *results = fold->results;
    const TirRegion *body = &fold->op->regions[0];
    const bool lanewise = emit_is_lanewise(e, body);
    if (!lanewise || fold->register_bits) { // may fail, or is long: it runs only where there are two values
        CodeGuard guard = code_guard_open(&e->cx, LLVMBuildNot(builder, is_first, ""));
        load_cells(e, fold, x, arguments);
        const CensusMask before = lanewise ? census_set_mask(e, counts) : e->census.mask;
        if (!emit_combine(e, body, arguments, results)) return false;
        census_set_mask(e, before);
        store_cells(e, fold, results);
        code_guard_close(&e->cx, &guard, 0, NULL);
        guard = code_guard_open(&e->cx, is_first);
        store_cells(e, fold, x);
        code_guard_close(&e->cx, &guard, 0, NULL);
        return true;
    }
    load_cells(e, fold, x, arguments);
    if (e->census.on) counts = census_both(e, counts, (CensusMask){.scalar = LLVMBuildNot(builder, is_first, "")});
    const CensusMask before = census_set_mask(e, counts);
    if (!emit_combine(e, body, arguments, results)) return false;
    census_set_mask(e, before);
    for (uint32_t i = 0; i < fold->count; i++)
        for (unsigned p = 0; p < fold->elements[i].parts; p++)
            results[i].parts[p] = LLVMBuildSelect(builder, is_first, x[i].parts[p], results[i].parts[p], "");
    store_cells(e, fold, results);
    return true;
}

// True in the first step of the loops from `from` to `end`.
static LLVMValueRef first_step(Emit *e, const Nest *nest, unsigned from, unsigned end) {
    LLVMValueRef any = code_i64(&e->cx, 0);
    for (unsigned i = from; i < end; i++) any = LLVMBuildOr(e->cx.builder, any, nest->loops[i].loop.index, "");
    return LLVMBuildICmp(e->cx.builder, LLVMIntEQ, any, code_i64(&e->cx, 0), "");
}

static bool need_operands(Emit *e, Nest *nest, const Fold *fold, const TileMap *map) {
    for (uint32_t i = 0; i < fold->count; i++)
        if (!nest_need(e, nest, fold->op->operands[i], map)) return false;
    return true;
}

// The step's lanes in which all operands lie in their tensors.
static CensusMask counted_lanes(Emit *e, Nest *nest, const Fold *fold, const TileMap *map) {
    CensusMask mask = {0};
    for (uint32_t i = 0; i < fold->count; i++)
        mask = census_both(e, mask, census_mask(e, nest, fold->op->operands[i], map));
    return mask;
}

static bool eval_operands(Emit *e, Nest *nest, const Fold *fold, const TileMap *map, NumericValue *x) {
    for (uint32_t i = 0; i < fold->count; i++)
        if (!nest_eval(e, nest, fold->op->operands[i], map, &x[i])) return false;
    return true;
}

// The type of a part of an accumulator.
static LLVMTypeRef cell_type(Emit *e, const Fold *fold, uint32_t i, unsigned part) {
    LLVMTypeRef type = emit_register_type(e, fold->elements[i], part);
    return fold->cell_bits ? LLVMVectorType(type, 1u << fold->cell_bits) : type;
}

static void open_cells(Emit *e, Fold *fold, unsigned cell_bits) {
    fold->cell_bits = cell_bits;
    for (uint32_t i = 0; i < fold->count; i++)
        for (unsigned p = 0; p < fold->elements[i].parts; p++) {
            LLVMTypeRef type = cell_type(e, fold, i, p);
            if (fold->register_bits) { // written before they are read
                fold->arrays[i][p] =
                    code_alloca(&e->cx, LLVMArrayType2(type, UINT64_C(1) << fold->register_bits), "registers");
                continue;
            }
            fold->cells[i][p] = code_alloca(&e->cx, type, "fold");
            LLVMBuildStore(e->cx.builder, LLVMConstNull(type),
                           fold->cells[i][p]); // read, but not used, in the first step
        }
}

static NumericValue read_cells(Emit *e, const Fold *fold, uint32_t i) {
    NumericValue value = {0};
    for (unsigned p = 0; p < fold->elements[i].parts; p++)
        value.parts[p] = LLVMBuildLoad2(e->cx.builder, cell_type(e, fold, i, p), fold->cells[i][p], "");
    return value;
}

// Stores a value of result i at the step's position under `map`, or binds it if the result is one element.
static void write_result(Emit *e, const Nest *nest, const Fold *fold, uint32_t i, const TileMap *map,
                         NumericValue value) {
    EmitVal *val = emit_val(e, tir_result(fold->op, i));
    if (val->kind == EMIT_SCALAR) {
        val->value = value;
        return;
    }
    emit_store_tile(e, nest, fold->elements[i], map, val, &value);
}

// `broadcast`: one thread has the result, which the others read from memory.
static bool open_results(Emit *e, const Fold *fold, bool broadcast) {
    for (uint32_t i = 0; i < fold->count; i++) {
        EmitVal *val = emit_val(e, tir_result(fold->op, i));
        TirType type = emit_type_of(e, tir_result(fold->op, i));
        if (tir_tile_elements(e->module, type) == 1 && !broadcast)
            *val = (EmitVal){.kind = EMIT_SCALAR, .origin = -1};
        else if (!emit_tile_alloc(e, type, NULL, val))
            return false;
    }
    return true;
}

static bool fold_has_tiles(Emit *e, const Fold *fold) {
    return emit_val(e, tir_result(fold->op, 0))->kind == EMIT_MEMORY;
}

// Iteration bits: the other dimensions in flat order, then the axis. Lanes run along the others.
static TileMap across_map(const Fold *fold) {
    TileMap map = {.bits = (uint8_t)(fold->other_bits + fold->axis_bits)};
    for (unsigned i = 0; i < fold->other_bits; i++)
        map.to[i] = (int8_t)(i < fold->inner_bits ? i : i + fold->axis_bits);
    for (unsigned i = 0; i < fold->axis_bits; i++) map.to[fold->other_bits + i] = (int8_t)(fold->inner_bits + i);
    return map;
}

static bool reduce_across(Emit *e, Fold *fold) {
    if (!open_results(e, fold, false)) return false;
    Nest nest;
    nest_init(&nest, fold->other_bits + fold->axis_bits);
    TileMap map = across_map(fold), out = map_identity(nest.bits);
    for (unsigned i = fold->other_bits; i < nest.bits; i++) out.to[i] = -1;
    if (!need_operands(e, &nest, fold, &map)) return false;
    nest_touch(&nest, 0, EMIT_TILES);
    nest_open(e, &nest, fold->other_bits);
    open_cells(e, fold, nest.vector_bits);
    unsigned outer = nest.loop_count;
    NumericValue *x = fold->x;
    nest_open_bits(e, &nest, fold->other_bits, fold->axis_bits, false);
    if (!eval_operands(e, &nest, fold, &map, x) ||
        !fold_step(e, fold, x, first_step(e, &nest, outer, nest.loop_count), counted_lanes(e, &nest, fold, &map)))
        return false;
    nest_close_to(e, &nest, outer);
    for (uint32_t i = 0; i < fold->count; i++) write_result(e, &nest, fold, i, &out, read_cells(e, fold, i));
    nest_close(e, &nest);
    return true;
}

// ---- the lanes of one value -----------------------------------------------------------------------------------------

// Some lanes of a value, in an order.
static LLVMValueRef choose_lanes(Emit *e, LLVMValueRef from, const unsigned *lanes, unsigned count) {
    LLVMValueRef order[64];
    for (unsigned l = 0; l < count; l++) order[l] = code_i32(&e->cx, (int32_t)lanes[l]);
    if (count == 1) return LLVMBuildExtractElement(e->cx.builder, from, order[0], "");
    return LLVMBuildShuffleVector(e->cx.builder, from, LLVMGetUndef(LLVMTypeOf(from)), LLVMConstVector(order, count),
                                  "");
}

// The arguments of the body: of each operand's lanes these.
static void choose_arguments(Emit *e, const Fold *fold, const NumericValue *x, const unsigned (*lanes)[64],
                             unsigned count) {
    for (uint32_t i = 0; i < fold->count; i++)
        for (unsigned p = 0; p < fold->elements[i].parts; p++)
            for (unsigned later = 0; later < 2; later++)
                fold->arguments[2 * i + later].parts[p] = choose_lanes(e, x[i].parts[p], lanes[later], count);
}

// Values whose parts are many make long code: folding the lanes that are left of a register is a loop then, whose steps
// all have the same lanes. Not where bodies say what they ask, which copies of lanes must not.
static bool folds_in_loop(const Emit *e, const Fold *fold, unsigned vector_bits) {
    return e->cx.numeric->has_records && !e->options->gpu && !fold->in_sequence && !e->cx.decide && vector_bits > 1 &&
           emit_is_lanewise(e, &fold->op->regions[0]);
}

// log2 of the lanes of a register.
static unsigned register_lane_bits(const Emit *e) {
    enum { WORD = 32 }; // bits of most parts of a value that has many
    return map_log2(e->cx.machine.vector_bits / WORD);
}

typedef struct FoldLoop {
    unsigned bits; // log2 of the lanes of a register
    Cells *cells;  // the next arguments of the body
} FoldLoop;

static void keep_arguments(Emit *e, const Fold *fold, const FoldLoop *loop, bool opens) {
    for (uint32_t i = 0; i < 2 * fold->count; i++)
        for (unsigned p = 0; p < fold->elements[i / 2].parts; p++) {
            LLVMValueRef part = fold->arguments[i].parts[p];
            if (opens) loop->cells[i][p] = code_alloca(&e->cx, LLVMTypeOf(part), "lanes");
            LLVMBuildStore(e->cx.builder, part, loop->cells[i][p]);
        }
}

static void take_arguments(Emit *e, const Fold *fold, const FoldLoop *loop) {
    for (uint32_t i = 0; i < 2 * fold->count; i++)
        for (unsigned p = 0; p < fold->elements[i / 2].parts; p++) {
            LLVMTypeRef type = LLVMTypeOf(fold->arguments[i].parts[p]);
            fold->arguments[i].parts[p] = LLVMBuildLoad2(e->cx.builder, type, loop->cells[i][p], "");
        }
}

// Of 2^bits lanes, what step `step` (i64) folds: one lane of each run of 2^step in the lower half.
static LLVMValueRef distinct_lanes(Emit *e, const FoldLoop *loop, LLVMValueRef step) {
    LLVMBuilderRef b = e->cx.builder;
    const unsigned lanes = 1u << loop->bits;
    LLVMValueRef numbers[64];
    for (unsigned l = 0; l < lanes; l++) numbers[l] = code_i32(&e->cx, (int32_t)(l < lanes / 2 ? l : lanes - 1));
    LLVMValueRef copies =
        LLVMBuildShl(b, code_i32(&e->cx, 1), LLVMBuildTrunc(b, step, code_integer_type(&e->cx, 32), ""), "");
    copies = vector_splat(b, LLVMBuildSub(b, copies, code_i32(&e->cx, 1), ""), lanes);
    copies = LLVMBuildAnd(b, LLVMConstVector(numbers, lanes), copies, "");
    LLVMValueRef upper[64];
    for (unsigned l = 0; l < lanes; l++) upper[l] = LLVMConstInt(code_integer_type(&e->cx, 1), l < lanes / 2, false);
    LLVMValueRef first = LLVMBuildICmp(b, LLVMIntEQ, copies, LLVMConstNull(LLVMTypeOf(copies)), "");
    return LLVMBuildAnd(b, first, LLVMConstVector(upper, lanes), "");
}

// Folds the upper half of 2^vector_bits lanes, of a register at most, into the lower one until one lane is left. In
// step k of a register's lanes the first argument of pair j is in the lanes [j 2^k, (j + 1) 2^k) of its lower half and
// again in the upper one. So lane i of the next step's first argument is lane i/2 of the result, and of its second one
// the lane a quarter further.
static bool fold_register(Emit *e, const Fold *fold, unsigned register_bits, unsigned vector_bits, NumericValue *x) {
    FoldLoop loop = {.bits = register_bits, .cells = arena_array(e->arena, Cells, 2 * (size_t)fold->count)};
    const unsigned lanes = 1u << register_bits, before = register_bits - vector_bits;
    unsigned opening[2][64], next[2][64];
    for (unsigned i = 0; i < lanes; i++) {
        const unsigned lower = i % (lanes / 2);
        opening[0][i] = lower >> before;
        opening[1][i] = opening[0][i] + (1u << vector_bits) / 2;
        next[0][i] = lower / 2;
        next[1][i] = lower / 2 + lanes / 4;
    }
    choose_arguments(e, fold, x, (const unsigned(*)[64])opening, lanes);
    keep_arguments(e, fold, &loop, true);
    CodeLoop steps = code_loop_open(&e->cx, code_i64(&e->cx, vector_bits));
    take_arguments(e, fold, &loop);
    CensusMask mask = e->census.mask;
    if (e->census.on) {
        const LLVMValueRef step = LLVMBuildAdd(e->cx.builder, steps.index, code_i64(&e->cx, before), "");
        mask = (CensusMask){.scalar = mask.scalar, .lanes = distinct_lanes(e, &loop, step)};
    }
    mask = census_set_mask(e, mask);
    if (!emit_combine(e, &fold->op->regions[0], fold->arguments, x)) return false;
    census_set_mask(e, mask);
    choose_arguments(e, fold, x, (const unsigned(*)[64])next, lanes);
    keep_arguments(e, fold, &loop, false);
    code_loop_close(&e->cx, &steps);
    take_arguments(e, fold, &loop);
    for (uint32_t i = 0; i < fold->count; i++)
        for (unsigned p = 0; p < fold->elements[i].parts; p++) // lane 0 of the last result
            x[i].parts[p] = choose_lanes(e, fold->arguments[2 * i].parts[p], (const unsigned[]){0}, 1);
    return true;
}

// The accumulators of that register (i64).
static void choose_register(Emit *e, const Fold *fold, LLVMValueRef which, Cells *cells) {
    for (uint32_t i = 0; i < fold->count; i++)
        for (unsigned p = 0; p < fold->elements[i].parts; p++)
            cells[i][p] = code_pointer_at(&e->cx, cell_type(e, fold, i, p), fold->arrays[i][p], which);
}

// Folds the registers into the first: those of the upper half into those of the lower one.
static bool fold_registers(Emit *e, Fold *fold, NumericValue *x) {
    LLVMBuilderRef b = e->cx.builder;
    Cells *others = arena_array(e->arena, Cells, fold->count);
    CodeLoop levels = code_loop_open(&e->cx, code_i64(&e->cx, fold->register_bits));
    LLVMValueRef half = LLVMBuildLShr(b, code_i64(&e->cx, INT64_C(1) << fold->register_bits >> 1), levels.index, "");
    CodeLoop pairs = code_loop_open(&e->cx, half);
    choose_register(e, fold, pairs.index, fold->cells);
    choose_register(e, fold, LLVMBuildAdd(b, pairs.index, half, ""), others);
    for (uint32_t i = 0; i < fold->count; i++)
        for (unsigned p = 0; p < fold->elements[i].parts; p++) {
            LLVMTypeRef type = cell_type(e, fold, i, p);
            fold->arguments[2 * i].parts[p] = LLVMBuildLoad2(b, type, fold->cells[i][p], "");
            fold->arguments[2 * i + 1].parts[p] = LLVMBuildLoad2(b, type, others[i][p], "");
        }
    if (!emit_combine(e, &fold->op->regions[0], fold->arguments, x)) return false;
    store_cells(e, fold, x);
    code_loop_close(&e->cx, &pairs);
    code_loop_close(&e->cx, &levels);
    choose_register(e, fold, code_i64(&e->cx, 0), fold->cells);
    for (uint32_t i = 0; i < fold->count; i++) x[i] = read_cells(e, fold, i);
    return true;
}

// The lanes folded: the upper half into the lower one, or, in sequence, each odd lane into the one before.
static bool fold_lanes(Emit *e, const Fold *fold, unsigned vector_bits, NumericValue *x) {
    const unsigned lane_bits = register_lane_bits(e);
    for (unsigned bits = vector_bits; bits; bits--) {
        if (bits <= lane_bits && folds_in_loop(e, fold, bits)) return fold_register(e, fold, lane_bits, bits, x);
        const unsigned half = 1u << (bits - 1);
        unsigned lanes[2][64];
        for (unsigned l = 0; l < half; l++)
            for (unsigned later = 0; later < 2; later++)
                lanes[later][l] = fold->in_sequence ? 2 * l + later : l + later * half;
        choose_arguments(e, fold, x, (const unsigned(*)[64])lanes, half);
        if (!emit_combine(e, &fold->op->regions[0], fold->arguments, x)) return false;
    }
    return true;
}

// The same of values that 2^thread_bits neighbouring threads have: the first of them gets the result, in sequence all.
static bool fold_threads(Emit *e, const Fold *fold, unsigned thread_bits, NumericValue *x) {
    LLVMBuilderRef builder = e->cx.builder;
    for (unsigned step = 0; step < thread_bits; step++) {
        unsigned bit = fold->in_sequence ? step : thread_bits - 1 - step;
        LLVMValueRef second = LLVMBuildAnd(builder, e->threads.index, code_i64(&e->cx, INT64_C(1) << bit), "");
        second = LLVMBuildICmp(builder, LLVMIntNE, second, code_i64(&e->cx, 0), "");
        for (uint32_t i = 0; i < fold->count; i++)
            for (unsigned p = 0; p < fold->elements[i].parts; p++) {
                LLVMValueRef own = x[i].parts[p], other = emit_exchange(e, own, 1u << bit);
                bool swaps = fold->in_sequence; // else only the first thread's matters
                fold->arguments[2 * i].parts[p] = swaps ? LLVMBuildSelect(builder, second, other, own, "") : own;
                fold->arguments[2 * i + 1].parts[p] = swaps ? LLVMBuildSelect(builder, second, own, other, "") : other;
            }
        if (!emit_combine(e, &fold->op->regions[0], fold->arguments, x)) return false;
    }
    return true;
}

static bool fold_chunk(Emit *e, const Fold *fold, unsigned vector_bits, unsigned thread_bits, NumericValue *x) {
    if (fold->in_sequence) // threads have neighbours
        return fold_threads(e, fold, thread_bits, x) && fold_lanes(e, fold, vector_bits, x);
    return fold_lanes(e, fold, vector_bits, x) && fold_threads(e, fold, thread_bits, x);
}

// Whether the census counts what the step's row gives.
static CensusMask counted_rows(Emit *e, Nest *nest, const Fold *fold, const TileMap *out) {
    const unsigned vector_bits = nest->vector_bits;
    nest->vector_bits = 0;
    const CensusMask mask = census_mask(e, nest, tir_result(fold->op, 0), out);
    nest->vector_bits = vector_bits;
    return mask;
}

static bool fold_rows(Emit *e, Nest *nest, Fold *fold, const TileMap *out, unsigned vector_bits, unsigned thread_bits) {
    const CensusMask before = census_set_mask(e, counted_rows(e, nest, fold, out));
    const bool good = (!fold->register_bits || fold_registers(e, fold, fold->x)) &&
                      fold_chunk(e, fold, vector_bits, thread_bits, fold->x);
    census_set_mask(e, before);
    return good;
}

// The first of 2^thread_bits neighbours, of threads with work of their own.
static CodeGuard first_neighbour_open(Emit *e, const Nest *nest, unsigned thread_bits) {
    LLVMBuilderRef builder = e->cx.builder;
    uint64_t used = 0;
    for (unsigned i = 0; i < nest->loop_count; i++)
        if (nest->loops[i].is_fixed) used += nest->loops[i].count;
    uint64_t idle = ~((UINT64_C(1) << used) - (UINT64_C(1) << thread_bits));
    LLVMValueRef others = LLVMBuildAnd(builder, e->threads.index, code_i64(&e->cx, (int64_t)idle), "");
    return code_guard_open(&e->cx, LLVMBuildICmp(builder, LLVMIntEQ, others, code_i64(&e->cx, 0), ""));
}

// A step of the accumulators of the registers in turn; `map` finds the register's number. `has_first`: the loops from
// `from` to `end` have a first step, in which accumulators start; else there is no other.
static bool fold_turn(Emit *e, Nest *nest, Fold *fold, const TileMap *map, unsigned from, unsigned end,
                      CensusMask counts) {
    choose_register(e, fold, nest_index(e, nest, map), fold->cells);
    if (end > from) return fold_step(e, fold, fold->x, first_step(e, nest, from, end), counts);
    store_cells(e, fold, fold->x);
    return true;
}

// Iteration bits: low bits of the axis (the lanes: on GPUs the upper ones are of vectors, the lower ones threads of a
// warp), the other dimensions, the rest of the axis. Where registers take turns, lanes are those of one, and the bits
// that choose it are the last: the innermost loop.
static bool reduce_along(Emit *e, Fold *fold) {
    EmitElement first = fold->elements[0];
    unsigned width = first.is_float ? fpsan_format_info(first.format)->storage_bits : first.bits;
    unsigned lanes = width == 64 ? 5 : 6, // four registers of AVX-512, so that no step waits for the one before
        bits = fold->other_bits + fold->axis_bits;
    if (lanes > fold->axis_bits) lanes = fold->axis_bits;
    unsigned threads = !emit_thread_bits(e)     ? 0
                       : lanes < EMIT_WARP_BITS ? lanes
                                                : EMIT_WARP_BITS,
             own = lanes - threads;
    if (folds_in_loop(e, fold, own) && own > register_lane_bits(e)) fold->register_bits = own - register_lane_bits(e);
    own -= fold->register_bits;
    if (!open_results(e, fold, threads)) return false;
    Nest nest;
    nest_init(&nest, bits);
    nest.vector_fixed = true;
    nest.vector_bits = own;
    const unsigned step = own + threads, others = step + fold->other_bits, turns = bits - fold->register_bits;
    TileMap map = {.bits = (uint8_t)bits}, out = map, turn = map;
    for (unsigned i = 0; i < bits; i++) {
        map.to[i] = (int8_t)(i < own      ? i + threads
                             : i < step   ? i - own
                             : i < others ? i - step + fold->axis_bits
                             : i < turns  ? i - others + lanes
                                          : i - turns + own);
        out.to[i] = (int8_t)(i >= step && i < others ? (int)(i - step) : -1);
        turn.to[i] = (int8_t)(i >= turns ? (int)(i - turns) : -1);
    }
    if (!need_operands(e, &nest, fold, &map)) return false;
    // `out` is another map there, and so is `turn`
    nest.breaks |= UINT64_C(1) << step | UINT64_C(1) << others | UINT64_C(1) << turns;
    census_need(e, &nest, tir_result(fold->op, 0), &out);
    nest.collective = threads;
    nest_touch(&nest, 0, fold_has_tiles(e, fold) ? EMIT_TILES : 0);
    nest_open(e, &nest, others);
    open_cells(e, fold, fold->in_sequence ? 0 : own);
    unsigned outer = nest.loop_count;
    NumericValue *x = fold->x;
    nest_open_bits(e, &nest, others, turns - others, false);
    const unsigned inner = nest.loop_count;
    bool loops = inner > outer;
    nest_open_bits(e, &nest, turns, fold->register_bits, false);
    if (!eval_operands(e, &nest, fold, &map, x)) return false;
    if (fold->in_sequence && !fold_rows(e, &nest, fold, &out, own, threads)) return false;
    if (fold->register_bits) {
        if (!fold_turn(e, &nest, fold, &turn, outer, inner, counted_lanes(e, &nest, fold, &map))) return false;
    } else if (loops) { // in sequence a chunk counts where its row does
        const CensusMask counts =
            fold->in_sequence ? counted_rows(e, &nest, fold, &out) : counted_lanes(e, &nest, fold, &map);
        if (!fold_step(e, fold, x, first_step(e, &nest, outer, inner), counts)) return false;
    }
    nest_close_to(e, &nest, outer);
    for (uint32_t i = 0; loops && !fold->register_bits && i < fold->count; i++) x[i] = read_cells(e, fold, i);
    if (!fold->in_sequence && !fold_rows(e, &nest, fold, &out, own, threads)) return false;
    nest.vector_bits = 0; // one element per step now
    CodeGuard alone = {0};
    if (threads) alone = first_neighbour_open(e, &nest, threads);
    for (uint32_t i = 0; i < fold->count; i++) write_result(e, &nest, fold, i, &out, x[i]);
    if (threads) code_guard_close(&e->cx, &alone, 0, NULL);
    nest_close(e, &nest);
    for (uint32_t i = 0; i < fold->count; i++) {
        EmitVal *val = emit_val(e, tir_result(fold->op, i));
        if (emit_is_scalar(e, tir_result(fold->op, i)) && val->kind == EMIT_MEMORY)
            *val = emit_element_value(e, fold->elements[i], val);
    }
    return true;
}

bool lower_reduce(Emit *e, const TirOp *op) {
    Fold fold;
    open_fold(e, op, &fold);
    return fold.inner_bits ? reduce_across(e, &fold) : reduce_along(e, &fold);
}

bool lower_scan(Emit *e, const TirOp *op) {
    Fold fold;
    open_fold(e, op, &fold);
    if (!open_results(e, &fold, false)) return false;
    Nest nest;
    nest_init(&nest, fold.other_bits + fold.axis_bits);
    TileMap map = across_map(&fold);
    if (!need_operands(e, &nest, &fold, &map)) return false;
    nest_need_memory(&nest, 8, &map);
    nest_touch(&nest, 0, fold_has_tiles(e, &fold) ? EMIT_TILES : 0);
    nest_open(e, &nest, fold.other_bits);
    open_cells(e, &fold, nest.vector_bits);
    unsigned outer = nest.loop_count;
    NumericValue *x = fold.x;
    nest_open_bits(e, &nest, fold.other_bits, fold.axis_bits, tir_attribute_integer(op, "reverse"));
    if (!eval_operands(e, &nest, &fold, &map, x) ||
        !fold_step(e, &fold, x, first_step(e, &nest, outer, nest.loop_count), counted_lanes(e, &nest, &fold, &map)))
        return false;
    for (uint32_t i = 0; i < fold.count; i++) write_result(e, &nest, &fold, i, &map, read_cells(e, &fold, i));
    nest_close(e, &nest);
    return true;
}
