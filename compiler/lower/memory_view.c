// SPDX-License-Identifier: Apache-2.0
// Loads and stores of tiles through views. What was loaded keeps the order of the tensor's memory as the layout of the
// tile. Weak accesses go in vectors; others are atomic accesses of one element each. Elements of four bits are in
// memory_packed.c.
#include "compiler/lower/census.h"
#include "compiler/lower/kernel.h"
#include "compiler/lower/memory_internal.h"
#include "compiler/lower/tiles.h"

static uint64_t padding_bits(FpsanFormat format, TirPadding padding) {
    double value = 0;
    switch (padding) {
    case TIR_PAD_none:
    case TIR_PAD_zero: break;
    case TIR_PAD_neg_zero: value = -0.0; break;
    case TIR_PAD_nan: value = __builtin_nan(""); break;
    case TIR_PAD_pos_inf: value = __builtin_inf(); break;
    case TIR_PAD_neg_inf: value = -__builtin_inf(); break;
    }
    return fpsan_encode_nearest(format, value);
}

// The lanes of a step, which are scalars where the access is atomic.
static LLVMValueRef load_lanes(Emit *e, const ViewAccess *access, const RecordLanes *lanes) {
    LLVMTypeRef storage = code_integer_type(&e->cx, 8 * access->bytes);
    LLVMValueRef pointer = emit_pointer_of(e, lanes->addresses);
    if (access->ordering == LLVMAtomicOrderingNotAtomic)
        return code_masked_load(&e->cx, storage, pointer, lanes->mask, access->bytes);
    CodeGuard guard = code_guard_open(&e->cx, lanes->mask);
    LLVMValueRef one = code_load(&e->cx, storage, pointer, access->bytes);
    LLVMSetOrdering(one, access->ordering);
    code_guard_close(&e->cx, &guard, 1, &one);
    return one;
}

// The value, with padding in lanes that lie outside the tensor.
static NumericValue pad_outside(Emit *e, const ViewAccess *access, LLVMValueRef mask, NumericValue value) {
    if (access->type->padding == TIR_PAD_none)
        return emit_specified_where(e, access->element, mask, &value,
                                    "elements outside the tensor, for which there is no padding value");
    uint64_t pad = access->element.is_float ? padding_bits(access->element.format, access->type->padding) : 0;
    if (!pad) return value; // lanes that were not loaded are the bits 0, and 0 embeds to 0
    NumericValue padding = e->cx.numeric->constant(&e->cx, access->element.format, pad);
    for (unsigned p = 0; p < access->element.parts; p++)
        value.parts[p] = LLVMBuildSelect(e->cx.builder, mask, value.parts[p],
                                         vector_splat(e->cx.builder, padding.parts[p], vector_lanes(mask)), "");
    return value;
}

// What the step loads, and its planes (not of packed elements); elements outside the tensor are padding.
static NumericValue load_step(Emit *e, const ViewAccess *access, const RecordPlace *records, const PackedPlace *packed,
                              const RecordLanes *lanes, LLVMValueRef *bits) {
    NumericValue value;
    if (access->packed) {
        value = e->cx.numeric->from_bits(&e->cx, access->element.format, emit_packed_load(e, packed, lanes));
    } else {
        bits[0] = load_lanes(e, access, lanes);
        record_load(&e->cx, records, lanes, bits);
        value = emit_value_of_bits(e, access->element, records, bits);
    }
    return pad_outside(e, access, lanes->mask, value);
}

// How many bytes further the tile of a loop's next iteration lies, where an index of the view is the loop's own; NULL
// if none is. Without a prefetch of that tile a matrix product waits for memory a quarter of its time: its rows are too
// short for the processor to notice.
static LLVMValueRef next_iteration(Emit *e, const ViewAccess *access) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef distance = NULL;
    const TirValue *indices;
    tir_operands(access->op, "index", &indices);
    for (uint32_t d = 0; d < access->type->rank; d++) {
        const TirValueInfo *index = tir_value(e->function, indices[d]);
        const TirOp *loop = index->block->region->owner;
        if (index->definition || index->index || !loop || loop->kind != TIR_OP_for) continue;
        LLVMValueRef step = emit_scalar_i64(e, tir_operand(loop, "step"), true);
        LLVMValueRef stride = access->view->strides[emit_view_dimension(access->type, d)];
        int64_t bytes = emit_view_step(access->type, d) * access->bytes;
        LLVMValueRef further =
            LLVMBuildMul(builder, LLVMBuildMul(builder, step, stride, ""), code_i64(&e->cx, bytes), "");
        distance = distance ? LLVMBuildAdd(builder, distance, further, "") : further;
    }
    return distance;
}

// Into which cache: the first if the tile of the next iteration is small.
static int prefetched_level(const Emit *e, const ViewAccess *access) {
    enum { SMALL = 2048 }; // bytes
    return tir_tile_elements(e->module, access->tile) * access->bytes <= SMALL ? CODE_FIRST_LEVEL : CODE_SECOND_LEVEL;
}

static void prefetch(Emit *e, const ViewAccess *access, const RecordLanes *lanes, LLVMValueRef distance,
                     CodePrefetch what) {
    LLVMValueRef pointer = emit_pointer_of(e, LLVMBuildAdd(e->cx.builder, lanes->addresses, distance, ""));
    code_prefetch(&e->cx, pointer, what, prefetched_level(e, access));
}

// ---- loads that are evaluated where their one user needs the tile (plan.c says of which that is possible)

static bool may_defer(Emit *e, const TirOp *op, const ViewAccess *access) {
    TirType type;
    return plan_is_lazy(e, op) && access->contiguous && !access->packed && access->rows == TIR_NO_VALUE &&
           tir_tile_elements(e->module, access->tile) > 1 &&
           (access->element.is_float
                ? !e->cx.numeric->has_records || e->cx.numeric->records == HOST_RECORDS_OF_NUMBERS || // little code
                      emit_is_packed_once(e, tir_result(op, 0))
                : !e->cx.numeric->has_records || !plan_float_of_bits(e, tir_result(op, 0), &type));
}

// How far ahead memory is asked for where tiles of one dimension follow one another, as blocks do: a tile, in bytes.
// The processor notices that a row goes on, but not beyond a page. NULL: nowhere.
static LLVMValueRef tile_ahead(Emit *e, const ViewAccess *access) {
    enum { BYTES_MIN = 2048 };
    const int64_t bytes = tir_tile_elements(e->module, access->tile) * access->bytes;
    const bool asks = e->cx.machine.prefetches && !e->cx.numeric->has_records && access->contiguous &&
                      !access->packed && access->ordering == LLVMAtomicOrderingNotAtomic && access->type->rank == 1 &&
                      bytes >= BYTES_MIN;
    return asks ? code_i64(&e->cx, bytes) : NULL;
}

bool emit_load_fits(const Emit *e, const Nest *nest, const ViewAccess *load, const TileMap *map) {
    unsigned most = nest_lanes_bits(e, 8 * load->bytes, map->bits);
    return emit_view_is_contiguous(load, map, nest->vector_fixed ? nest->vector_bits : most);
}

bool emit_eval_load(Emit *e, Nest *nest, const ViewAccess *load, const TileMap *map, NumericValue *lanes) {
    RecordLanes step;
    if (!emit_view_lanes(e, nest, load, map, &step)) return false;
    LLVMValueRef further = step.count && e->cx.machine.prefetches ? next_iteration(e, load) : NULL;
    if (!further && step.count) further = tile_ahead(e, load);
    if (further) prefetch(e, load, &step, further, CODE_PREFETCH_READ);
    LLVMValueRef bits[NUMERIC_PLANES_MAX] = {0};
    *lanes = load_step(e, load, &load->records, NULL, &step, bits);
    return true;
}

// `count` vectors, a power of two, as one: the first `step` apart from the second, ... Interleaved: the first elements
// of all, then the second ones, ...
static LLVMValueRef join_rows(Emit *e, const LLVMValueRef *rows, unsigned step, unsigned count, bool interleaved) {
    enum { LANES_MAX = NEST_ROWS_MAX << NEST_VECTOR_BITS_MAX };
    LLVMValueRef halves[2], order[LANES_MAX];
    if (count == 1) return rows[0];
    for (unsigned i = 0; i < 2; i++)
        halves[i] = interleaved ? join_rows(e, rows + i * step, 2 * step, count / 2, true)
                                : join_rows(e, rows + i * count / 2, 1, count / 2, false);
    const unsigned lanes = vector_lanes(halves[0]);
    for (unsigned i = 0; i < 2 * lanes; i++)
        order[i] = code_i32(&e->cx, (int32_t)(interleaved ? (i & 1) * lanes + i / 2 : i));
    return LLVMBuildShuffleVector(e->cx.builder, halves[0], halves[1], LLVMConstVector(order, 2 * lanes), "");
}

bool emit_eval_load_rows(Emit *e, Nest *nest, const ViewAccess *load, const TileMap *map, bool interleaved,
                         NumericValue *lanes) {
    const EmitPlace outer = emit_enter(e, load->op);
    const unsigned count = 1u << nest->copy_bits;
    LLVMValueRef bits[NEST_ROWS_MAX], masks[NEST_ROWS_MAX];
    LLVMValueRef further = e->cx.machine.prefetches ? next_iteration(e, load) : NULL;
    for (unsigned row = 0; row < count; row++) {
        RecordLanes step;
        nest_copy(e, nest, row);
        if (!emit_view_lanes(e, nest, load, map, &step)) return false;
        if (further) prefetch(e, load, &step, further, CODE_PREFETCH_READ);
        bits[row] = load_lanes(e, load, &step);
        masks[row] = step.mask;
    }
    nest_copy(e, nest, 0);
    const LLVMValueRef planes[NUMERIC_PLANES_MAX] = {join_rows(e, bits, 1, count, interleaved)};
    const NumericValue value = emit_value_of_bits(e, load->element, &load->records, planes);
    *lanes = pad_outside(e, load, join_rows(e, masks, 1, count, interleaved), value);
    emit_leave(e, outer);
    return true;
}

// RecordPlace.ahead: where rows are long. Numbers beside floats are three times as many bytes, which the memory of a
// function of one operand waits for.
static unsigned words_ahead(const Emit *e, const ViewAccess *access) {
    enum { AHEAD = 1024, WORD = 4 };
    const bool asks =
        e->cx.machine.prefetches && e->cx.numeric->records == HOST_RECORDS_OF_NUMBERS && access->contiguous;
    return asks && access->type->shape[access->inner] * WORD >= 4 * AHEAD ? AHEAD : 0;
}

static void store_lanes(Emit *e, const ViewAccess *access, const RecordLanes *lanes, LLVMValueRef bits) {
    LLVMValueRef pointer = emit_pointer_of(e, lanes->addresses);
    if (access->ordering == LLVMAtomicOrderingNotAtomic) {
        code_masked_store(&e->cx, bits, pointer, lanes->mask, access->bytes);
        return;
    }
    CodeGuard guard = code_guard_open(&e->cx, lanes->mask);
    LLVMValueRef store = LLVMBuildStore(e->cx.builder, bits, pointer);
    LLVMSetAlignment(store, access->bytes);
    LLVMSetOrdering(store, access->ordering);
    code_guard_close(&e->cx, &guard, 0, NULL);
}

// Loads the tile of an access that was opened.
static bool load_tile(Emit *e, ViewAccess *access, TirValue tile, EmitVal *result) {
    bool scalar = tir_tile_elements(e->module, access->tile) == 1,
         in_memory = !scalar || emit_one_loads(e, access->ordering);
    TileMap layout = map_invert(&access->order);
    *result = (EmitVal){.kind = EMIT_SCALAR, .origin = -1};
    if (in_memory && !emit_tile_alloc(e, access->tile, &layout, result)) return false;
    Nest nest;
    if (!emit_view_nest(e, &nest, access)) return false;
    TileMap to = map_identity(access->order.bits);
    for (unsigned p = 0; p < access->element.parts; p++)
        nest_need_memory(&nest, code_type_bits(emit_memory_type(e, access->element, p)), &to);
    nest_touch(&nest, EMIT_BUFFERS, in_memory ? EMIT_TILES : 0);
    nest_touch(&nest, 0, emit_ordered_load(access->ordering));
    emit_view_limit_lanes(e, &nest, access);
    RecordPlace records = {0};
    PackedPlace packed = {0};
    if (access->packed)
        packed = emit_packed_place(e, access, false);
    else
        records = emit_record_place(e, access->op, access->element, access->view->origin, false);
    if (!access->packed && !emit_open_float_of_bits(e, tile, access->view->origin, in_memory, &layout, &records))
        return false;
    bool asks = access->contiguous && !access->packed && e->cx.machine.prefetches;
    LLVMValueRef further = asks ? next_iteration(e, access) : NULL;
    if (!further) further = tile_ahead(e, access);
    nest_open(e, &nest, nest.bits);
    RecordLanes lanes;
    if (!emit_view_lanes(e, &nest, access, &access->order, &lanes)) return false;
    if (further) prefetch(e, access, &lanes, further, CODE_PREFETCH_READ);
    LLVMValueRef bits[NUMERIC_PLANES_MAX] = {0};
    NumericValue value = load_step(e, access, &records, &packed, &lanes, bits);
    if (!in_memory)
        result->value = value;
    else
        emit_store_tile(e, &nest, access->element, &to, result, &value);
    if (!access->packed) emit_store_float_of_bits(e, &nest, tile, &to, &value, bits);
    nest_close(e, &nest);
    if (scalar && in_memory) *result = emit_element_value(e, access->element, result);
    return true;
}

bool emit_load_now(Emit *e, TirValue value) {
    EmitVal tile;
    ViewAccess access = *emit_val(e, value)->load;
    const EmitPlace outer = emit_enter(e, access.op);
    if (!load_tile(e, &access, value, &tile)) return false;
    emit_leave(e, outer);
    *emit_val(e, value) = tile;
    return true;
}

bool emit_load_before_store(Emit *e, Nest *nest, int origin) {
    for (size_t i = 0; i < nest->entry_count; i++) {
        const ViewAccess *load = emit_val(e, nest->entries[i].value)->load;
        const bool apart = load && !e->options->overlaps && load->view->origin >= 0 && origin >= 0;
        if (!load || (apart && load->view->origin != origin)) continue;
        if (!emit_load_now(e, nest->entries[i].value)) return false;
        const EmitVal *tile = emit_val(e, nest->entries[i].value);
        TileMap at = map_compose(&nest->entries[i].map, &tile->layout);
        nest_need_memory(nest, 8 * load->bytes, &at);
    }
    return true;
}

bool lower_load_view(Emit *e, const TirOp *op) {
    ViewAccess access;
    if (emit_load_stays(e, op)) return true;
    if (!emit_view_open(e, op, emit_type_of(e, tir_result(op, 0)), &access)) return false;
    if (!emit_log_view(e, &access)) return false;
    access.ordering = emit_ordering(op);
    census_note_load(e, tir_result(op, 0), &access);
    EmitVal *result = emit_val(e, tir_result(op, 0));
    *emit_val(e, tir_result(op, 1)) = (EmitVal){.kind = EMIT_NONE};
    if (!may_defer(e, op, &access)) return load_tile(e, &access, tir_result(op, 0), result);
    ViewAccess *kept = arena_new(e->arena, ViewAccess);
    *kept = access;
    kept->records = emit_record_place(e, op, access.element, access.view->origin, false);
    *result = (EmitVal){.kind = EMIT_LAZY, .origin = -1, .load = kept};
    return true;
}

bool emit_one_device(Emit *e) {
    return !e->options->gpu ||
           emit_fail(e, E_UNSUPPORTED,
                     "memory of several devices is not supported on GPUs, only as that of one device "
                     "on processors");
}

// With one device what a reduction over devices combines is one value. A sum of one value is that value. Any other
// reduction would be as well, so that a comparison could not tell it from a sum: it is refused.
bool lower_multimem_load(Emit *e, const TirOp *op) {
    const uint64_t reduction = tir_attribute_integer(op, "reduction");
    if (!emit_one_device(e)) return false;
    if (reduction != TIR_multimem_reduction_add)
        return emit_fail(e, E_UNSUPPORTED, "reduction %s over devices cannot be told from add on one device",
                         tir_enum_word(&tir_enum_multimem_reduction, reduction));
    return lower_load_view(e, op);
}

typedef struct Storing {
    const ViewAccess *access;
    TirValue tile;
    const RecordPlace *records;
    const PackedPlace *packed;
    LLVMValueRef ahead; // how many bytes further memory is asked for; NULL: nowhere
} Storing;

static bool store_step(Emit *e, Nest *nest, const Storing *storing) {
    const ViewAccess *access = storing->access;
    NumericValue value;
    RecordLanes lanes;
    LLVMValueRef bits[NUMERIC_PLANES_MAX];
    if (!nest_eval(e, nest, storing->tile, &access->order, &value) ||
        !emit_view_lanes(e, nest, access, &access->order, &lanes))
        return false;
    if (access->packed) {
        emit_packed_store(e, storing->packed, &lanes, e->cx.numeric->to_bits(&e->cx, access->element.format, &value));
        return true;
    }
    emit_planes_of_value(e, access->element, &value, bits);
    if (!emit_bits_planes(e, nest, storing->records, storing->tile, &access->order, bits)) return false;
    if (storing->ahead) prefetch(e, access, &lanes, storing->ahead, CODE_PREFETCH_WRITE);
    store_lanes(e, access, &lanes, bits[0]);
    record_store(&e->cx, storing->records, &lanes, bits);
    return true;
}

// Whether some steps are stored at once: those of a tile in memory, which are little code.
static bool is_copied(Emit *e, const ViewAccess *access, TirValue tile) {
    return !e->threads.bits && !access->packed && access->ordering == LLVMAtomicOrderingNotAtomic &&
           !e->cx.numeric->has_records && emit_val(e, tile)->kind == EMIT_MEMORY;
}

// Rows that lie apart: the processor does not notice which comes next.
static LLVMValueRef rows_ahead(Emit *e, const ViewAccess *access) {
    enum { ROWS = 8 };
    const uint32_t rank = access->type->rank;
    if (rank < 2 || !access->contiguous || !e->cx.machine.prefetches || access->inner != rank - 1) return NULL;
    LLVMValueRef stride = access->view->strides[emit_view_dimension(access->type, rank - 2)];
    return LLVMBuildMul(e->cx.builder, stride, code_i64(&e->cx, (int64_t)ROWS * access->bytes), "");
}

bool lower_store_view(Emit *e, const TirOp *op) {
    ViewAccess access;
    TirValue tile = tir_operand(op, "tile");
    if (emit_is_stored(e, op)) {
        *emit_val(e, tir_result(op, 0)) = (EmitVal){.kind = EMIT_NONE};
        return true;
    }
    if (!emit_view_open(e, op, emit_type_of(e, tile), &access)) return false;
    if (!emit_log_view(e, &access)) return false;
    access.ordering = emit_ordering(op);
    *emit_val(e, tir_result(op, 0)) = (EmitVal){.kind = EMIT_NONE};
    Nest nest;
    if (!emit_view_nest(e, &nest, &access)) return false;
    nest_touch(&nest, 0, EMIT_BUFFERS);
    if (!nest_need(e, &nest, tile, &access.order) || !emit_load_before_store(e, &nest, access.view->origin))
        return false;
    emit_view_limit_lanes(e, &nest, &access);
    RecordPlace records = {0};
    PackedPlace packed = {0};
    if (access.packed)
        packed = emit_packed_place(e, &access, true);
    else
        records = emit_bits_place(e, op, access.element, tile, access.view->origin);
    records.ahead = words_ahead(e, &access);
    Storing storing = {.access = &access, .tile = tile, .records = &records, .packed = &packed};
    if (is_copied(e, &access, tile)) {
        nest.copy_bits = NEST_COPY_BITS;
        storing.ahead = rows_ahead(e, &access);
    }
    if (!storing.ahead) storing.ahead = tile_ahead(e, &access);
    nest_open(e, &nest, nest.bits);
    for (unsigned copy = 0; copy < 1u << nest.copy_bits; copy++) {
        nest_copy(e, &nest, copy);
        if (!store_step(e, &nest, &storing)) return false;
    }
    nest_close(e, &nest);
    return true;
}

bool lower_multimem_store(Emit *e, const TirOp *op) {
    return emit_one_device(e) && lower_store_view(e, op);
}
