// SPDX-License-Identifier: Apache-2.0
// Loads and stores through tiles of pointers that go up by one element along a dimension, row by row: addresses are
// computed once for a row, its active elements are one range, and lie in the buffer or not. A row for which that does
// not hold (an offset wraps, an element is outside, something is unspecified) goes element by element, so that what
// happens and what is reported is what the pointers say.
#include "compiler/lower/kernel.h"
#include "compiler/lower/memory_pointer.h"
#include "compiler/lower/tiles.h"

enum { ROW_BITS_MIN = 3, SLOT_PLANES = 8 };

// ---- which accesses -------------------------------------------------------------------------------------------------

// Dimension d first, then the others from last to first.
static TileMap order_from(const TirTypeInfo *tile, uint32_t d) {
    TileMap order = {0};
    for (uint32_t k = 0; k <= tile->rank; k++) {
        const uint32_t next = k ? tile->rank - k : d;
        if (k && next == d) continue;
        const unsigned bit = map_dimension_bit(tile, next);
        for (unsigned i = 0; i < map_log2(tile->shape[next]); i++) order.to[order.bits++] = (int8_t)(bit + i);
    }
    return order;
}

static bool are_rows(Emit *e, const PointerAccess *access, const TirTypeInfo *tile, uint32_t d, PointerNest *steps) {
    int64_t step;
    steps->map = order_from(tile, d);
    steps->line = (Line){.e = e, .bits = map_log2(tile->shape[d])};
    if (!line_steps(&steps->line, access->pointers, &steps->map, &step) || step != 1) return false;
    return access->mask == TIR_NO_VALUE || line_bounds(&steps->line, access->mask, &steps->map);
}

// Stores may store to one address twice: they keep the order of the elements.
bool rows_find(Emit *e, const PointerAccess *access, TirType type, PointerNest *steps) {
    const TirTypeInfo *tile = tir_type(e->module, type);
    if (e->options->by_element || e->options->gpu || access->is_packed ||
        access->ordering != LLVMAtomicOrderingNotAtomic)
        return false;
    for (uint32_t d = tile->rank; d-- > 0;) {
        if (map_log2(tile->shape[d]) >= ROW_BITS_MIN && are_rows(e, access, tile, d, steps)) return true;
        if (access->is_store && tile->shape[d] > 1) break;
    }
    return false;
}

// ---- the nest -------------------------------------------------------------------------------------------------------

// After the needs of what is loaded or stored. The others are those of scalars.
static bool need_rows(Emit *e, const PointerAccess *access, PointerNest *steps) {
    Nest *nest = &steps->nest;
    const unsigned widest = nest->widest;
    const TileMap start = line_start(&steps->line, &steps->map);
    if (!nest_need(e, nest, access->pointers, &start) || !nest_need(e, nest, access->pointers, &steps->map) ||
        (access->mask != TIR_NO_VALUE && !nest_need(e, nest, access->mask, &steps->map)) ||
        !line_need(&steps->line, nest) || !emit_load_before_store(e, nest, access->origin))
        return false;
    nest->widest = widest;
    nest->vector_fixed = true;
    nest->vector_bits = 0;
    return true;
}

// Opens the loops from row to row.
static void open_rows(Emit *e, PointerNest *steps) {
    nest_open_bits(e, &steps->nest, steps->line.bits, steps->nest.bits - steps->line.bits, false);
}

// Opens those in a row, by so many lanes.
static void open_row(Emit *e, PointerNest *steps, unsigned lane_bits) {
    steps->nest.vector_bits = lane_bits;
    nest_open_bits(e, &steps->nest, lane_bits, steps->line.bits - lane_bits, false);
}

static void close_row(Emit *e, PointerNest *steps, unsigned loops) {
    nest_close_to(e, &steps->nest, loops);
    steps->nest.vector_bits = 0;
}

static unsigned row_lanes(const Emit *e, const PointerNest *steps) {
    const unsigned lanes = nest_lanes_bits(e, steps->nest.widest, steps->nest.bits);
    return lanes < steps->line.bits ? lanes : steps->line.bits;
}

// The number in its row of the step's first element.
static LLVMValueRef position(Emit *e, const PointerNest *steps) {
    TileMap map = map_identity(steps->map.bits);
    for (unsigned i = steps->line.bits; i < map.bits; i++) map.to[i] = -1;
    return nest_index(e, &steps->nest, &map);
}

// ---- one row --------------------------------------------------------------------------------------------------------

typedef struct Row {
    LLVMValueRef address; // of its first element
    LLVMValueRef good;    // i1: all of it is as the line says, and what is active lies in the buffer
} Row;

static bool open_piece(Emit *e, const PointerAccess *access, PointerNest *steps, Row *row) {
    LLVMBuilderRef b = e->cx.builder;
    Line *line = &steps->line;
    const TileMap start = line_start(line, &steps->map);
    line->holds = NULL;
    if (!line_scalar(line, &steps->nest, access->pointers, &start, &row->address) ||
        !line_conditions(line, &steps->nest) || !line_range(line, &steps->nest))
        return false;
    LLVMValueRef bytes = code_i64(&e->cx, access->bytes), begin = line->begin ? line->begin : code_i64(&e->cx, 0);
    LLVMValueRef first = LLVMBuildAdd(b, row->address, LLVMBuildMul(b, begin, bytes, ""), "");
    LLVMValueRef size = LLVMBuildMul(b, LLVMBuildSub(b, line->end, begin, ""), bytes, "");
    LLVMValueRef inside = emit_may_touch_piece(e, access->origin, first, size);
    if (line->bound_count) {
        LLVMValueRef empty = LLVMBuildICmp(b, LLVMIntEQ, size, code_i64(&e->cx, 0), "");
        inside = LLVMBuildOr(b, inside, empty, "");
    }
    row->good = line->holds ? LLVMBuildAnd(b, inside, line->holds, "") : inside;
    if (!access->log.enabled) return true;
    CodeGuard guard = code_guard_open(&e->cx, row->good);
    LLVMValueRef one = code_i64(&e->cx, 1);
    emit_log_piece(e, &access->log, LLVMBuildShl(b, first, one, ""), LLVMBuildShl(b, size, one, ""));
    code_guard_close(&e->cx, &guard, 0, NULL);
    return true;
}

// Lanes whose numbers `predicate` the bound, of those that begin at `at`.
static LLVMValueRef compare(Emit *e, unsigned count, LLVMValueRef at, LLVMIntPredicate predicate, LLVMValueRef bound) {
    LLVMValueRef numbers[1 << NEST_VECTOR_BITS_MAX];
    for (unsigned i = 0; i < count; i++) numbers[i] = code_i32(&e->cx, (int32_t)i);
    LLVMValueRef left = LLVMBuildSub(e->cx.builder, bound, at, "");
    left = LLVMBuildTrunc(e->cx.builder, left, code_integer_type(&e->cx, 32), "");
    return LLVMBuildICmp(e->cx.builder, predicate, LLVMConstVector(numbers, count),
                         vector_splat(e->cx.builder, left, count), "");
}

// The lanes of a step in a good row.
static PointerLanes neighbours(Emit *e, const PointerAccess *access, const PointerNest *steps, const Row *row) {
    LLVMBuilderRef b = e->cx.builder;
    const Line *line = &steps->line;
    PointerLanes lanes = {.count = 1u << steps->nest.vector_bits, .neighbours = true};
    LLVMValueRef at = position(e, steps);
    LLVMValueRef offset = LLVMBuildMul(b, at, code_i64(&e->cx, access->bytes), "");
    lanes.addresses = LLVMBuildAdd(b, row->address, offset, "");
    if (!line->bound_count) return lanes;
    lanes.mask = compare(e, lanes.count, at, LLVMIntSLT, line->end);
    if (line->begin) lanes.mask = LLVMBuildAnd(b, lanes.mask, compare(e, lanes.count, at, LLVMIntSGE, line->begin), "");
    return lanes;
}

// Code for one of two ways: `first` where the row is good, `second` elsewhere.
typedef struct Fork {
    LLVMBasicBlockRef second, join;
} Fork;

static Fork open_fork(Emit *e, const Row *row) {
    LLVMBasicBlockRef piece = code_block(&e->cx, "piece");
    Fork fork = {code_block(&e->cx, "each_element"), code_block(&e->cx, "accessed")};
    code_set_odds(&e->cx, LLVMBuildCondBr(e->cx.builder, row->good, piece, fork.second), 4096, 1);
    LLVMPositionBuilderAtEnd(e->cx.builder, piece);
    return fork;
}

static void go_on(Emit *e, const Fork *fork, LLVMBasicBlockRef next) {
    LLVMBuildBr(e->cx.builder, fork->join);
    LLVMPositionBuilderAtEnd(e->cx.builder, next);
}

// ---- loads ----------------------------------------------------------------------------------------------------------

static bool load_row(Emit *e, const PointerLoad *load, PointerNest *steps, const Row *row, unsigned lane_bits) {
    const unsigned loops = steps->nest.loop_count;
    PointerLanes lanes;
    NumericValue value;
    open_row(e, steps, lane_bits);
    if (row)
        lanes = neighbours(e, &load->access, steps, row);
    else if (!pointer_lanes(e, &load->access, steps, &lanes))
        return false;
    if (!pointer_load(e, load, steps, &lanes, &value)) return false;
    close_row(e, steps, loops);
    return true;
}

// Rows in another order than the elements': which of them is reported as the first one that is outside?
typedef struct InOrder {
    PointerNest steps;
    bool needed;
} InOrder;

static bool need_in_order(Emit *e, const PointerAccess *access, const PointerNest *steps, InOrder *check) {
    *check = (InOrder){.needed = !map_is_identity(&steps->map)};
    if (!check->needed) return true;
    check->steps.map = map_identity(steps->map.bits);
    nest_init(&check->steps.nest, steps->map.bits);
    return nest_need(e, &check->steps.nest, access->pointers, &check->steps.map) &&
           (access->mask == TIR_NO_VALUE || nest_need(e, &check->steps.nest, access->mask, &check->steps.map));
}

// Where a row is not good: all elements of the tile are checked, in order.
static bool check_in_order(Emit *e, const PointerAccess *access, InOrder *check) {
    PointerLanes lanes;
    Nest *nest = &check->steps.nest;
    if (!check->needed) return true;
    nest_open_bits(e, nest, 0, nest->bits, false);
    if (!pointer_lanes(e, access, &check->steps, &lanes)) return false;
    LLVMValueRef active = lanes.mask ? lanes.mask : LLVMConstAllOnes(code_integer_type(&e->cx, 1));
    CodeGuard guard = code_guard_open(&e->cx, active);
    emit_check_access(e, access->origin, lanes.addresses, access->bytes, access->message);
    code_guard_close(&e->cx, &guard, 0, NULL);
    nest_close_to(e, nest, 0);
    return true;
}

// ---- tiles that need not be copied ----------------------------------------------------------------------------------

// Whether elements lie in buffers as they do in tiles.
static bool is_raw(const Emit *e, EmitElement element) {
    if (element.parts > 1 || element.is_pointer) return false;
    if (!element.is_float) return element.bits >= 8;
    return e->options->numeric == COMPILE_IEEE && (element.format == FPSAN_F32 || element.format == FPSAN_F64);
}

// Whether a row that is the whole tile may be read where it lies: nothing overwrites it before it is read. (The range
// census notes a mask as elements are copied.)
static bool may_stay(const Emit *e, const PointerLoad *load, const PointerNest *steps) {
    const int origin = load->access.origin;
    const TirOp *op = tir_value(e->function, load->result)->definition, *last = plan_last_before_write(e, op);
    if (steps->line.bits != steps->map.bits || !last || !is_raw(e, load->access.element)) return false;
    if (e->census.on && e->census.masked[load->result]) return false;
    if (!tir_op_does(last, TIR_WRITES)) return !last->region_count || last->kind == TIR_OP_reduce;
    if (last->kind != TIR_OP_store_ptr_tko || !e->options->apart || origin < 0 || emit_is_local(e, origin))
        return false;
    const int other = plan_parameter_of(e, tir_operand(last, "destination"));
    return other >= 0 && other != origin;
}

// Code from here to close_stay runs where the row has to be copied.
typedef struct Stay {
    LLVMBasicBlockRef from, join; // join NULL: it always has
    LLVMValueRef place;
} Stay;

static Stay open_stay(Emit *e, const PointerNest *steps, const Row *row) {
    enum { ALIGNMENT = 64 }; // of tiles
    LLVMBuilderRef b = e->cx.builder;
    const Line *line = &steps->line;
    LLVMValueRef low = LLVMBuildAnd(b, row->address, code_i64(&e->cx, ALIGNMENT - 1), "");
    LLVMValueRef whole = LLVMBuildAnd(b, row->good, LLVMBuildICmp(b, LLVMIntEQ, low, code_i64(&e->cx, 0), ""), "");
    LLVMValueRef all = code_i64(&e->cx, (int64_t)1 << line->bits);
    whole = LLVMBuildAnd(b, whole, LLVMBuildICmp(b, LLVMIntEQ, line->end, all, ""), "");
    if (line->begin)
        whole = LLVMBuildAnd(b, whole, LLVMBuildICmp(b, LLVMIntEQ, line->begin, code_i64(&e->cx, 0), ""), "");
    LLVMBasicBlockRef copy = code_block(&e->cx, "copy");
    Stay stay = {LLVMGetInsertBlock(b), code_block(&e->cx, "copied"), emit_pointer_of(e, row->address)};
    LLVMBuildCondBr(b, whole, stay.join, copy);
    LLVMPositionBuilderAtEnd(b, copy);
    return stay;
}

static void close_stay(Emit *e, const Stay *stay, EmitVal *tile) {
    LLVMBuilderRef b = e->cx.builder;
    if (!stay->join) return;
    LLVMBasicBlockRef from[2] = {stay->from, LLVMGetInsertBlock(b)};
    LLVMBuildBr(b, stay->join);
    LLVMPositionBuilderAtEnd(b, stay->join);
    LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(stay->place), "tile");
    LLVMAddIncoming(phi, (LLVMValueRef[]){stay->place, tile->value.parts[0]}, from, 2);
    tile->value.parts[0] = phi;
}

bool rows_load(Emit *e, PointerLoad *load, TirType tile, PointerNest *steps) {
    PointerAccess *access = &load->access;
    Nest *nest = &steps->nest;
    const TileMap layout = map_invert(&steps->map);
    Row row;
    InOrder check;
    if (e->destination && map_is_identity(&layout))
        load->tile = *e->destination;
    else if (!emit_tile_alloc(e, tile, &layout, &load->tile))
        return false;
    if (!emit_open_float_of_bits(e, load->result, access->origin, true, &layout, &access->records)) return false;
    steps->to = map_identity(steps->map.bits);
    nest_init(nest, steps->map.bits);
    nest_need_memory(nest, 8 * access->bytes, &steps->map);
    for (unsigned p = 0; p < access->element.parts; p++)
        nest_need_memory(nest, code_type_bits(emit_memory_type(e, access->element, p)), &steps->to);
    nest_touch(nest, EMIT_BUFFERS, EMIT_TILES);
    if (load->padding != TIR_NO_VALUE && !nest_need(e, nest, load->padding, &steps->map)) return false;
    const unsigned lane_bits = row_lanes(e, steps);
    if (!need_rows(e, access, steps) || !need_in_order(e, access, steps, &check)) return false;
    open_rows(e, steps);
    if (!open_piece(e, access, steps, &row)) return false;
    const Stay stay = may_stay(e, load, steps) ? open_stay(e, steps, &row) : (Stay){0};
    Fork fork = open_fork(e, &row);
    if (!load_row(e, load, steps, &row, lane_bits)) return false;
    go_on(e, &fork, fork.second);
    if (!check_in_order(e, access, &check) || !load_row(e, load, steps, NULL, 0)) return false;
    go_on(e, &fork, fork.join);
    nest_close(e, nest);
    close_stay(e, &stay, &load->tile);
    return true;
}

// ---- stores ---------------------------------------------------------------------------------------------------------

// Element by element what a step of lanes stores.
static bool store_each(Emit *e, const PointerAccess *access, PointerNest *steps, const PointerLanes *stored) {
    Nest *nest = &steps->nest;
    const unsigned loops = nest->loop_count, lane_bits = nest->vector_bits;
    LLVMValueRef slots[NUMERIC_PLANES_MAX] = {0};
    for (unsigned p = 0; p < NUMERIC_PLANES_MAX; p++)
        if (stored->planes[p]) slots[p] = code_spill(&e->cx, stored->planes[p], SLOT_PLANES + p);
    nest->vector_bits = 0;
    nest_open_bits(e, nest, 0, lane_bits, false);
    TileMap map = map_identity(steps->map.bits);
    for (unsigned i = lane_bits; i < map.bits; i++) map.to[i] = -1;
    LLVMValueRef lane = nest_index(e, nest, &map);
    PointerLanes lanes;
    if (!pointer_lanes(e, access, steps, &lanes)) return false;
    for (unsigned p = 0; p < NUMERIC_PLANES_MAX; p++) {
        if (!slots[p]) continue;
        LLVMTypeRef type = vector_element(LLVMTypeOf(stored->planes[p]));
        lanes.planes[p] = code_load(&e->cx, type, code_pointer_at(&e->cx, type, slots[p], lane), 1);
    }
    pointer_access(e, access, true, &lanes);
    nest_close_to(e, nest, loops);
    nest->vector_bits = lane_bits;
    return true;
}

static bool store_row_step(Emit *e, const PointerAccess *access, TirValue value, PointerNest *steps, const Row *row) {
    PointerLanes lanes = neighbours(e, access, steps, row);
    NumericValue stored;
    if (!nest_eval(e, &steps->nest, value, &steps->map, &stored)) return false;
    emit_planes_of_value(e, access->element, &stored, lanes.planes);
    if (!emit_bits_planes(e, &steps->nest, &access->records, value, &steps->map, lanes.planes)) return false;
    PointerLanes planes = lanes;
    Fork fork = open_fork(e, row);
    pointer_access(e, access, true, &lanes);
    go_on(e, &fork, fork.second);
    if (!store_each(e, access, steps, &planes)) return false;
    go_on(e, &fork, fork.join);
    return true;
}

bool rows_store(Emit *e, const PointerAccess *access, TirValue value, PointerNest *steps) {
    Nest *nest = &steps->nest;
    Row row;
    nest_init(nest, steps->map.bits);
    nest_need_memory(nest, 8 * access->bytes, &steps->map);
    nest_touch(nest, 0, EMIT_BUFFERS);
    if (!nest_need(e, nest, value, &steps->map)) return false;
    const unsigned lane_bits = row_lanes(e, steps);
    if (!need_rows(e, access, steps)) return false;
    open_rows(e, steps);
    if (!open_piece(e, access, steps, &row)) return false;
    const unsigned loops = nest->loop_count;
    open_row(e, steps, lane_bits);
    if (!store_row_step(e, access, value, steps, &row)) return false;
    close_row(e, steps, loops);
    nest_close(e, nest);
    return true;
}
