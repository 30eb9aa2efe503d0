// SPDX-License-Identifier: Apache-2.0
// Loads and stores through tiles of pointers. Where rows of a tile are known to be pieces of memory, memory_rows.c goes
// from row to row. Else a step whose addresses follow one another, are all active and lie in one buffer is one vector
// access; any other goes lane by lane, in order, each active lane checked against its buffer.
#include "compiler/lower/census.h"
#include "compiler/lower/kernel.h"
#include "compiler/lower/memory_pointer.h"
#include "compiler/lower/tiles.h"

enum { SLOT_BITS, SLOT_ADDRESSES, SLOT_MASK };

// ---- one access -----------------------------------------------------------------------------------------------------

// Buffers may be used at addresses that are not multiples of the element's size; atomics then are not, as on x86 they
// need not be.
static unsigned access_align(const PointerAccess *access) {
    return access->ordering == LLVMAtomicOrderingNotAtomic ? 1 : access->bytes;
}

// Loads or stores (is_store) `type` at the address.
static void access_at(Emit *e, const PointerAccess *access, bool is_store, LLVMTypeRef type, LLVMValueRef address,
                      LLVMValueRef *bits) {
    LLVMValueRef pointer = emit_pointer_of(e, address), done;
    if (is_store)
        done = LLVMBuildStore(e->cx.builder, *bits, pointer);
    else
        done = *bits = LLVMBuildLoad2(e->cx.builder, type, pointer, "");
    LLVMSetAlignment(done, access_align(access));
    if (access->ordering != LLVMAtomicOrderingNotAtomic) LLVMSetOrdering(done, access->ordering);
}

static void access_checked(Emit *e, const PointerAccess *access, bool is_store, LLVMValueRef address,
                           LLVMValueRef *bits) {
    emit_check_access(e, access->origin, address, access->bytes, access->message);
    emit_log_bytes(e, &access->log, address, access->bytes);
    access_at(e, access, is_store, access->plane, address, bits);
}

// ---- lanes in vectors -----------------------------------------------------------------------------------------------

// Whether all lanes are active, follow one another in memory, and lie in one buffer.
static LLVMValueRef emit_is_one_piece(Emit *e, const PointerAccess *access, const PointerLanes *lanes,
                                      LLVMValueRef first) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef offsets[1 << EMIT_POINTER_LANES_BITS_MAX];
    for (unsigned i = 0; i < lanes->count; i++) offsets[i] = code_i64(&e->cx, (int64_t)i * access->bytes);
    LLVMValueRef expected =
        LLVMBuildAdd(builder, vector_splat(builder, first, lanes->count), LLVMConstVector(offsets, lanes->count), "");
    LLVMValueRef good = LLVMBuildICmp(builder, LLVMIntEQ, lanes->addresses, expected, "");
    if (lanes->mask) good = LLVMBuildAnd(builder, good, lanes->mask, "");
    LLVMTypeRef bits = code_integer_type(&e->cx, lanes->count);
    LLVMValueRef all =
        LLVMBuildICmp(builder, LLVMIntEQ, LLVMBuildBitCast(builder, good, bits, ""), LLVMConstAllOnes(bits), "");
    return LLVMBuildAnd(builder, all, emit_may_touch(e, access->origin, first, lanes->count * access->bytes), "");
}

// Lane by lane. Loads: inactive lanes become zero.
static void access_each(Emit *e, const PointerAccess *access, bool is_store, PointerLanes *lanes) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef i8 = code_integer_type(&e->cx, 8), i64 = code_integer_type(&e->cx, 64);
    LLVMValueRef bits;
    LLVMTypeRef type = LLVMVectorType(access->plane, lanes->count);
    LLVMValueRef slot = code_spill(&e->cx, is_store ? lanes->planes[0] : LLVMConstNull(type), SLOT_BITS);
    LLVMValueRef addresses = code_spill(&e->cx, lanes->addresses, SLOT_ADDRESSES);
    LLVMValueRef mask =
        lanes->mask
            ? code_spill(&e->cx, LLVMBuildZExt(builder, lanes->mask, LLVMVectorType(i8, lanes->count), ""), SLOT_MASK)
            : NULL;
    CodeLoop loop = code_loop_open(&e->cx, code_i64(&e->cx, lanes->count));
    LLVMBasicBlockRef next = code_block(&e->cx, "next_lane");
    if (mask) {
        LLVMBasicBlockRef active = code_block(&e->cx, "active");
        LLVMValueRef one = code_load(&e->cx, i8, code_pointer_at(&e->cx, i8, mask, loop.index), 1);
        LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntNE, one, LLVMConstNull(i8), ""), active, next);
        LLVMPositionBuilderAtEnd(builder, active);
    }
    LLVMValueRef address = code_load(&e->cx, i64, code_pointer_at(&e->cx, i64, addresses, loop.index), 8);
    LLVMValueRef cell = code_pointer_at(&e->cx, access->plane, slot, loop.index);
    if (is_store) bits = code_load(&e->cx, access->plane, cell, access->bytes);
    access_checked(e, access, is_store, address, &bits);
    if (!is_store) code_store(&e->cx, bits, cell, access->bytes);
    LLVMBuildBr(builder, next);
    LLVMPositionBuilderAtEnd(builder, next);
    code_loop_close(&e->cx, &loop);
    if (!is_store) lanes->planes[0] = LLVMBuildLoad2(builder, type, slot, "");
}

static void access_lanes(Emit *e, const PointerAccess *access, bool is_store, PointerLanes *lanes) {
    LLVMBuilderRef builder = e->cx.builder;
    if (access->ordering != LLVMAtomicOrderingNotAtomic) {
        access_each(e, access, is_store, lanes);
        return;
    }
    LLVMBasicBlockRef fast = code_block(&e->cx, "one_piece"), slow = code_block(&e->cx, "each_lane"),
                      join = code_block(&e->cx, "joined");
    LLVMValueRef first = LLVMBuildExtractElement(builder, lanes->addresses, code_i32(&e->cx, 0), "");
    LLVMBuildCondBr(builder, emit_is_one_piece(e, access, lanes, first), fast, slow);
    LLVMTypeRef type = LLVMVectorType(access->plane, lanes->count);
    LLVMValueRef quick = lanes->planes[0];
    LLVMPositionBuilderAtEnd(builder, fast);
    emit_log_bytes(e, &access->log, first, lanes->count * access->bytes);
    access_at(e, access, is_store, type, first, &quick);
    fast = LLVMGetInsertBlock(builder);
    LLVMBuildBr(builder, join);
    LLVMPositionBuilderAtEnd(builder, slow);
    access_each(e, access, is_store, lanes);
    LLVMBasicBlockRef from[2] = {fast, LLVMGetInsertBlock(builder)};
    LLVMBuildBr(builder, join);
    LLVMPositionBuilderAtEnd(builder, join);
    if (is_store) return;
    LLVMValueRef phi = LLVMBuildPhi(builder, type, "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){quick, lanes->planes[0]}, from, 2);
    lanes->planes[0] = phi;
}

// Neighbours that are known to lie in their buffer where they are active.
static void access_neighbours(Emit *e, const PointerAccess *access, bool is_store, PointerLanes *lanes) {
    LLVMTypeRef type = LLVMVectorType(access->plane, lanes->count);
    LLVMValueRef pointer = emit_pointer_of(e, lanes->addresses);
    if (!lanes->mask)
        access_at(e, access, is_store, type, lanes->addresses, lanes->planes);
    else if (is_store)
        code_masked_store(&e->cx, lanes->planes[0], pointer, lanes->mask, 1);
    else
        lanes->planes[0] = code_masked_load(&e->cx, access->plane, pointer, lanes->mask, 1);
}

// After it every active lane is known to lie in a buffer, and its record in the buffer's shadow.
static void access_all(Emit *e, const PointerAccess *access, bool is_store, PointerLanes *lanes) {
    emit_note_use(e, lanes->marks, lanes->mask, "an address depends on something unspecified");
    RecordLanes records = {lanes->count, lanes->addresses, lanes->mask};
    if (lanes->neighbours)
        access_neighbours(e, access, is_store, lanes);
    else if (lanes->count)
        access_lanes(e, access, is_store, lanes);
    else
        access_checked(e, access, is_store, lanes->addresses, lanes->planes);
    (is_store ? record_store : record_load)(&e->cx, &access->records, &records, lanes->planes);
}

void pointer_access(Emit *e, const PointerAccess *access, bool is_store, PointerLanes *lanes) {
    if (lanes->count || !lanes->mask) {
        access_all(e, access, is_store, lanes);
        return;
    }
    // One element: nothing is done if it is masked off, and what a load gives is zero.
    PointerLanes one = *lanes;
    LLVMValueRef loaded[NUMERIC_PLANES_MAX];
    unsigned count = 0;
    one.mask = NULL;
    CodeGuard guard = code_guard_open(&e->cx, lanes->mask);
    access_all(e, access, is_store, &one);
    for (unsigned p = 0; p < NUMERIC_PLANES_MAX && !is_store; p++)
        if (one.planes[p]) loaded[count++] = one.planes[p];
    code_guard_close(&e->cx, &guard, count, loaded);
    for (unsigned p = NUMERIC_PLANES_MAX; p-- > 0 && !is_store;)
        if (one.planes[p]) lanes->planes[p] = loaded[--count];
}

// ---- the ops --------------------------------------------------------------------------------------------------------

static const char *describe_access(Emit *e, const char *what, TirType type) {
    const TirTypeInfo *tile = tir_type(e->module, type);
    const char *text = arena_format(e->arena, "%s of tile (", what);
    for (uint32_t d = 0; d < tile->rank; d++)
        text = arena_format(e->arena, "%s%s%lld", text, d ? "x" : "", (long long)tile->shape[d]);
    return tile->rank ? arena_format(e->arena, "%s) through pointers", text)
                      : arena_format(e->arena, "%s through a pointer", what);
}

// `value`: the type of the tile that is loaded or stored.
static void open_access(Emit *e, const TirOp *op, const char *what, TirValue pointers, TirType value,
                        PointerAccess *access) {
    const int origin = emit_pointer_origin(e, pointers);
    EmitElement element = emit_element_at(e, value, origin);
    bool is_store = op->kind == TIR_OP_store_ptr_tko;
    *access = (PointerAccess){.pointers = pointers,
                              .mask = tir_operand(op, "mask"),
                              .element = element,
                              .bytes = emit_storage_bytes(element),
                              .is_store = is_store,
                              .is_packed = emit_element(e, emit_type_of(e, pointers)).points_to_halves,
                              .ordering = emit_ordering(op),
                              .origin = origin,
                              .message = describe_access(e, what, value)};
    access->plane = code_integer_type(&e->cx, 8 * access->bytes);
    access->log = emit_race_log(e, op, access->origin);
    if (access->is_packed)
        access->packed = emit_packed_pointers(e, op, access->origin, access->message, is_store),
        access->packed.log = access->log;
    else
        access->records = is_store ? emit_bits_place(e, op, element, tir_operand(op, "value"), access->origin)
                                   : emit_record_place(e, op, element, access->origin, false);
}

static bool open_nest(Emit *e, const PointerAccess *access, TirValue other, TirType value, PointerNest *steps) {
    unsigned bits = emit_tile_bits(e, value);
    Nest *nest = &steps->nest;
    steps->map = steps->to = map_identity(bits);
    nest_init(nest, bits);
    nest->vector_fixed = true; // on GPUs it is neighbouring threads that access neighbours
    nest->vector_bits = bits < e->target->pointer_lanes_bits ? bits : e->target->pointer_lanes_bits;
    if (access->is_store)
        nest_touch(nest, 0, EMIT_BUFFERS);
    else
        nest_touch(nest, EMIT_BUFFERS, access->to_tile ? EMIT_TILES : 0);
    if (access->to_tile) nest_touch(nest, 0, emit_ordered_load(access->ordering));
    const TirValue needed[] = {access->pointers, access->mask, other};
    for (unsigned i = 0; i < BASE_COUNT(needed); i++)
        if (needed[i] != TIR_NO_VALUE && !nest_need(e, nest, needed[i], &steps->map)) return false;
    if (!emit_load_before_store(e, nest, access->origin)) return false;
    nest_open(e, nest, bits);
    return true;
}

bool pointer_lanes(Emit *e, const PointerAccess *access, PointerNest *steps, PointerLanes *lanes) {
    Nest *nest = &steps->nest;
    const TileMap *map = &steps->map;
    NumericValue value;
    *lanes = (PointerLanes){.count = nest->vector_bits ? 1u << nest->vector_bits : 0};
    if (!nest_eval(e, nest, access->pointers, map, &value)) return false;
    lanes->addresses = value.parts[0];
    lanes->marks = value.parts[1];
    if (access->mask == TIR_NO_VALUE) return true;
    if (!nest_eval(e, nest, access->mask, map, &value)) return false;
    lanes->mask = value.parts[0];
    emit_note_use(e, value.parts[1], NULL, "its mask depends on something unspecified");
    return true;
}

// The lanes as numbers of elements of four bits.
static RecordLanes packed_lanes(Emit *e, const PointerLanes *lanes) {
    LLVMValueRef all = vector_splat(e->cx.builder, LLVMConstAllOnes(code_integer_type(&e->cx, 1)), lanes->count);
    return (RecordLanes){lanes->count, lanes->addresses, lanes->mask ? lanes->mask : all};
}

static NumericValue load_step(Emit *e, const PointerAccess *access, PointerLanes *lanes) {
    if (access->is_packed) {
        RecordLanes elements = packed_lanes(e, lanes);
        LLVMValueRef bits = emit_packed_load(e, &access->packed, &elements);
        return e->cx.numeric->from_bits(&e->cx, access->element.format, bits);
    }
    pointer_access(e, access, false, lanes);
    return emit_value_of_bits(e, access->element, &access->records, lanes->planes);
}

static bool store_step(Emit *e, const PointerAccess *access, TirValue tile, PointerNest *steps,
                       const NumericValue *value, PointerLanes *lanes) {
    if (access->is_packed) {
        RecordLanes elements = packed_lanes(e, lanes);
        emit_packed_store(e, &access->packed, &elements, e->cx.numeric->to_bits(&e->cx, access->element.format, value));
        return true;
    }
    emit_planes_of_value(e, access->element, value, lanes->planes);
    if (!emit_bits_planes(e, &steps->nest, &access->records, tile, &steps->map, lanes->planes)) return false;
    pointer_access(e, access, true, lanes);
    return true;
}

// Whether masked elements without padding are 0, as Triton makes them: in its own algebra, and where options say so.
static bool masked_are_zeros(const Emit *e) {
    return e->module->triton && (e->options->numeric == COMPILE_PAYLOAD || e->options->masked_zeros);
}

// Lanes that are masked off get the padding; without one they are unspecified, or the bits 0, which embed to 0.
static bool pad_lanes(Emit *e, const PointerAccess *access, TirValue padding, PointerNest *steps,
                      const PointerLanes *lanes, NumericValue *value) {
    NumericValue other;
    if (!lanes->mask) return true;
    if (padding == TIR_NO_VALUE) {
        if (masked_are_zeros(e)) return true;
        *value = emit_specified_where(e, access->element, lanes->mask, value,
                                      "masked elements, for which there is no padding value");
        return true;
    }
    if (!nest_eval(e, &steps->nest, padding, &steps->map, &other)) return false;
    for (unsigned p = 0; p < access->element.parts; p++)
        value->parts[p] = LLVMBuildSelect(e->cx.builder, lanes->mask, value->parts[p], other.parts[p], "");
    return true;
}

bool pointer_load(Emit *e, const PointerLoad *load, PointerNest *steps, PointerLanes *lanes, NumericValue *value) {
    const PointerAccess *access = &load->access;
    *value = load_step(e, access, lanes);
    if (!pad_lanes(e, access, load->padding, steps, lanes, value)) return false;
    if (access->to_tile) emit_store_tile(e, &steps->nest, access->element, &steps->to, &load->tile, value);
    if (lanes->mask) census_note_mask(e, &steps->nest, load->result, &steps->map, lanes->mask);
    emit_store_float_of_bits(e, &steps->nest, load->result, &steps->to, value, lanes->planes);
    return true;
}

static bool load_steps(Emit *e, PointerLoad *load, PointerNest *steps, TirType type) {
    PointerAccess *access = &load->access;
    PointerLanes lanes;
    NumericValue value;
    if (access->to_tile && e->destination)
        load->tile = *e->destination;
    else if (access->to_tile && !emit_tile_alloc(e, type, NULL, &load->tile))
        return false;
    if (!emit_open_float_of_bits(e, load->result, access->origin, access->to_tile, NULL, &access->records))
        return false;
    if (!open_nest(e, access, load->padding, type, steps) || !pointer_lanes(e, access, steps, &lanes)) return false;
    if (!pointer_load(e, load, steps, &lanes, &value)) return false;
    if (!access->to_tile) load->tile.value = value;
    nest_close(e, &steps->nest);
    return true;
}

bool lower_load_ptr(Emit *e, const TirOp *op) {
    const TirValue result = tir_result(op, 0);
    const TirType type = emit_type_of(e, result);
    const bool scalar = emit_is_scalar(e, result);
    PointerLoad load = {
        .result = result, .padding = tir_operand(op, "padding"), .tile = {.kind = EMIT_SCALAR, .origin = -1}};
    PointerNest steps;
    open_access(e, op, "load", tir_operand(op, "source"), type, &load.access);
    load.access.to_tile = !scalar || emit_one_loads(e, load.access.ordering);
    const bool by_rows = rows_find(e, &load.access, type, &steps);
    if (!(by_rows ? rows_load(e, &load, type, &steps) : load_steps(e, &load, &steps, type))) return false;
    census_end_mask(e, result);
    emit_log_end(e, &load.access.log);
    if (scalar && load.access.to_tile) load.tile = emit_element_value(e, load.access.element, &load.tile);
    *emit_val(e, result) = load.tile;
    *emit_val(e, tir_result(op, 1)) = (EmitVal){.kind = EMIT_NONE, .origin = -1};
    return true;
}

static bool store_steps(Emit *e, const PointerAccess *access, TirValue value, TirType type, PointerNest *steps) {
    PointerLanes lanes;
    NumericValue stored;
    if (!open_nest(e, access, value, type, steps) || !pointer_lanes(e, access, steps, &lanes) ||
        !nest_eval(e, &steps->nest, value, &steps->map, &stored))
        return false;
    if (!store_step(e, access, value, steps, &stored, &lanes)) return false;
    nest_close(e, &steps->nest);
    return true;
}

bool lower_store_ptr(Emit *e, const TirOp *op) {
    const TirValue value = tir_operand(op, "value");
    const TirType type = emit_type_of(e, value);
    PointerAccess access;
    PointerNest steps;
    open_access(e, op, "store", tir_operand(op, "destination"), type, &access);
    const bool by_rows = rows_find(e, &access, type, &steps);
    if (!(by_rows ? rows_store(e, &access, value, &steps) : store_steps(e, &access, value, type, &steps))) return false;
    emit_log_end(e, &access.log);
    *emit_val(e, tir_result(op, 0)) = (EmitVal){.kind = EMIT_NONE, .origin = -1};
    return true;
}
