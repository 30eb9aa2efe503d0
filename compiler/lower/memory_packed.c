// SPDX-License-Identifier: Apache-2.0
// Elements of four bits in memory: two share a byte, the even one in its low half. A step of whole bytes through a view
// is one vector access; any other goes element by element, and stores change the element's half alone, so that blocks
// may store to both halves at once. Halves of bytes have no records: what is loaded is a value from outside.
#include "compiler/lower/memory_internal.h"

enum { HALF_BITS = 4, HALF_MASK = 15 };
enum { SLOT_BITS, SLOT_ELEMENTS, SLOT_MASK, SLOT_COUNT };

static const EmitElement byte_element = {.bits = 8, .parts = 1};

PackedPlace emit_packed_place(Emit *e, const ViewAccess *access, bool is_store) {
    LLVMBuilderRef builder = e->cx.builder;
    PackedPlace place = {.base = access->view->base, .ordering = access->ordering};
    LLVMValueRef odd = access->start;
    for (uint32_t d = 0; d < access->type->rank; d++)
        if (d != access->inner && (access->type->shape[d] > 1 || access->rows != TIR_NO_VALUE))
            odd = LLVMBuildOr(builder, odd, access->view->strides[emit_view_dimension(access->type, d)], "");
    odd = LLVMBuildTrunc(builder, odd, code_integer_type(&e->cx, 1), "");
    place.even = access->contiguous ? LLVMBuildNot(builder, odd, "") : NULL;
    place.records = emit_record_place(e, access->op, byte_element, access->view->origin, is_store);
    return place;
}

// Pointers are numbers of elements from address 0.
PackedPlace emit_packed_pointers(Emit *e, const TirOp *op, int origin, const char *message, bool is_store) {
    return (PackedPlace){.base = code_i64(&e->cx, 0),
                         .ordering = emit_ordering(op),
                         .message = message,
                         .origin = origin,
                         .records = emit_record_place(e, op, byte_element, origin, is_store)};
}

// ---- where elements are ---------------------------------------------------------------------------------------------

// The addresses of the bytes of elements, one or many.
static LLVMValueRef byte_addresses(Emit *e, const PackedPlace *place, LLVMValueRef elements) {
    LLVMBuilderRef builder = e->cx.builder;
    unsigned lanes = vector_lanes(elements);
    LLVMValueRef byte = LLVMBuildAShr(builder, elements, vector_splat(builder, code_i64(&e->cx, 1), lanes), "");
    return LLVMBuildAdd(builder, vector_splat(builder, place->base, lanes), byte, "");
}

// A pointer to the byte of one element, which may be touched.
static LLVMValueRef checked_byte(Emit *e, const PackedPlace *place, LLVMValueRef element) {
    LLVMValueRef address = byte_addresses(e, place, element);
    if (place->message) emit_check_access(e, place->origin, address, 1, place->message);
    emit_log_piece(e, &place->log, element, code_i64(&e->cx, 1));
    return emit_pointer_of(e, address);
}

// By how many bits (i8) elements are shifted in their bytes.
static LLVMValueRef shifts(Emit *e, LLVMValueRef elements) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef i8 = vector_type_like(code_integer_type(&e->cx, 8), elements);
    LLVMValueRef one = vector_integer_like(LLVMConstNull(i8), 8, 1),
                 four = vector_integer_like(LLVMConstNull(i8), 8, 2);
    LLVMValueRef odd = LLVMBuildAnd(builder, LLVMBuildTrunc(builder, elements, i8, ""), one, "");
    return LLVMBuildShl(builder, odd, four, "");
}

// The element of each lane: lanes of a contiguous access follow the first one.
static LLVMValueRef every_element(Emit *e, const RecordLanes *lanes) {
    if (!lanes->count || vector_lanes(lanes->addresses)) return lanes->addresses;
    LLVMValueRef offsets[64];
    for (unsigned i = 0; i < lanes->count; i++) offsets[i] = code_i64(&e->cx, i);
    return LLVMBuildAdd(e->cx.builder, vector_splat(e->cx.builder, lanes->addresses, lanes->count),
                        LLVMConstVector(offsets, lanes->count), "");
}

// Every other lane, from `first` on.
static LLVMValueRef every_other(Emit *e, LLVMValueRef lanes, unsigned first) {
    LLVMValueRef order[32];
    unsigned count = vector_lanes(lanes) / 2;
    for (unsigned i = 0; i < count; i++) order[i] = code_i32(&e->cx, (int32_t)(2 * i + first));
    return LLVMBuildShuffleVector(e->cx.builder, lanes, LLVMGetUndef(LLVMTypeOf(lanes)), LLVMConstVector(order, count),
                                  "");
}

// The lanes of both, in turn.
static LLVMValueRef interleave(Emit *e, LLVMValueRef low, LLVMValueRef high) {
    LLVMValueRef order[64];
    unsigned count = vector_lanes(low);
    for (unsigned i = 0; i < 2 * count; i++) order[i] = code_i32(&e->cx, (int32_t)(i / 2 + (i % 2) * count));
    return LLVMBuildShuffleVector(e->cx.builder, low, high, LLVMConstVector(order, 2 * count), "");
}

static LLVMValueRef all_of(Emit *e, LLVMValueRef lanes) {
    return vector_intrinsic(&e->cx, "llvm.vector.reduce.and", &lanes, 1);
}

// ---- one element after the other ------------------------------------------------------------------------------------

// A loop over the active lanes of a step: their elements and bits.
typedef struct LaneLoop {
    LLVMValueRef slots[SLOT_COUNT], element, cell; // cell: the lane's bits
    CodeLoop count;
    CodeGuard guard;
} LaneLoop;

static LaneLoop open_lanes(Emit *e, const RecordLanes *lanes, LLVMValueRef bits) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef i8 = code_integer_type(&e->cx, 8), i64 = code_integer_type(&e->cx, 64);
    LaneLoop loop;
    LLVMValueRef mask = LLVMBuildZExt(builder, lanes->mask, LLVMVectorType(i8, lanes->count), "");
    loop.slots[SLOT_BITS] = code_spill(&e->cx, bits, SLOT_BITS);
    loop.slots[SLOT_ELEMENTS] = code_spill(&e->cx, every_element(e, lanes), SLOT_ELEMENTS);
    loop.slots[SLOT_MASK] = code_spill(&e->cx, mask, SLOT_MASK);
    loop.count = code_loop_open(&e->cx, code_i64(&e->cx, lanes->count));
    LLVMValueRef active =
        code_load(&e->cx, i8, code_pointer_at(&e->cx, i8, loop.slots[SLOT_MASK], loop.count.index), 1);
    loop.guard = code_guard_open(&e->cx, LLVMBuildICmp(builder, LLVMIntNE, active, LLVMConstNull(i8), ""));
    loop.element = code_load(&e->cx, i64, code_pointer_at(&e->cx, i64, loop.slots[SLOT_ELEMENTS], loop.count.index), 8);
    loop.cell = code_pointer_at(&e->cx, i8, loop.slots[SLOT_BITS], loop.count.index);
    return loop;
}

static void close_lanes(Emit *e, const LaneLoop *loop) {
    code_guard_close(&e->cx, &loop->guard, 0, NULL);
    code_loop_close(&e->cx, &loop->count);
}

// ---- loads ----------------------------------------------------------------------------------------------------------

static LLVMValueRef halves(Emit *e, LLVMValueRef bytes, LLVMValueRef shift) {
    LLVMValueRef low = shift ? LLVMBuildLShr(e->cx.builder, bytes, shift, "") : bytes;
    return LLVMBuildAnd(e->cx.builder, low, vector_integer_like(low, 8, HALF_MASK), "");
}

static LLVMValueRef load_half(Emit *e, const PackedPlace *place, LLVMValueRef element) {
    LLVMValueRef byte = code_load(&e->cx, code_integer_type(&e->cx, 8), checked_byte(e, place, element), 1);
    if (place->ordering != LLVMAtomicOrderingNotAtomic) LLVMSetOrdering(byte, place->ordering);
    return halves(e, byte, shifts(e, element));
}

static LLVMValueRef load_each(Emit *e, const PackedPlace *place, const RecordLanes *lanes) {
    if (!lanes->count) {
        CodeGuard guard = code_guard_open(&e->cx, lanes->mask);
        LLVMValueRef bits = load_half(e, place, lanes->addresses);
        code_guard_close(&e->cx, &guard, 1, &bits);
        return bits;
    }
    LLVMTypeRef type = LLVMVectorType(code_integer_type(&e->cx, 8), lanes->count);
    LaneLoop loop = open_lanes(e, lanes, LLVMConstNull(type));
    code_store(&e->cx, load_half(e, place, loop.element), loop.cell, 1);
    close_lanes(e, &loop);
    return LLVMBuildLoad2(e->cx.builder, type, loop.slots[SLOT_BITS], "");
}

// From an even element on.
static LLVMValueRef load_bytes(Emit *e, const PackedPlace *place, const RecordLanes *lanes) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef some = LLVMBuildOr(builder, every_other(e, lanes->mask, 0), every_other(e, lanes->mask, 1), "");
    LLVMValueRef pointer = emit_pointer_of(e, byte_addresses(e, place, lanes->addresses));
    LLVMValueRef bytes = code_masked_load(&e->cx, code_integer_type(&e->cx, 8), pointer, some, 1);
    LLVMValueRef high = LLVMBuildLShr(builder, bytes, vector_integer_like(bytes, 8, HALF_BITS), "");
    LLVMValueRef bits = interleave(e, halves(e, bytes, NULL), high);
    return LLVMBuildSelect(builder, lanes->mask, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

LLVMValueRef emit_packed_load(Emit *e, const PackedPlace *place, const RecordLanes *lanes) {
    LLVMBuilderRef builder = e->cx.builder;
    if (!place->even) return load_each(e, place, lanes);
    LLVMBasicBlockRef whole = code_block(&e->cx, "whole_bytes"), each = code_block(&e->cx, "each_half"),
                      join = code_block(&e->cx, "loaded");
    LLVMBuildCondBr(builder, place->even, whole, each);
    LLVMPositionBuilderAtEnd(builder, whole);
    LLVMValueRef bits[2] = {load_bytes(e, place, lanes)};
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(builder)};
    LLVMBuildBr(builder, join);
    LLVMPositionBuilderAtEnd(builder, each);
    bits[1] = load_each(e, place, lanes);
    from[1] = LLVMGetInsertBlock(builder);
    LLVMBuildBr(builder, join);
    LLVMPositionBuilderAtEnd(builder, join);
    LLVMValueRef phi = LLVMBuildPhi(builder, LLVMTypeOf(bits[0]), "");
    LLVMAddIncoming(phi, bits, from, 2);
    return phi;
}

// ---- stores ---------------------------------------------------------------------------------------------------------

// Changes half a byte.
static void store_half(Emit *e, const PackedPlace *place, LLVMValueRef element, LLVMValueRef bits) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef i8 = code_integer_type(&e->cx, 8);
    LLVMAtomicOrdering ordering =
        place->ordering == LLVMAtomicOrderingNotAtomic ? LLVMAtomicOrderingMonotonic : place->ordering;
    LLVMValueRef pointer = checked_byte(e, place, element), shift = shifts(e, element);
    LLVMValueRef others =
        LLVMBuildNot(builder, LLVMBuildShl(builder, LLVMConstInt(i8, HALF_MASK, false), shift, ""), "");
    LLVMValueRef set = LLVMBuildShl(builder, halves(e, bits, NULL), shift, "");
    LLVMBuildAtomicRMW(builder, LLVMAtomicRMWBinOpAnd, pointer, others, ordering, false);
    LLVMBuildAtomicRMW(builder, LLVMAtomicRMWBinOpOr, pointer, set, ordering, false);
}

static void store_each(Emit *e, const PackedPlace *place, const RecordLanes *lanes, LLVMValueRef bits) {
    if (!lanes->count) {
        CodeGuard guard = code_guard_open(&e->cx, lanes->mask);
        store_half(e, place, lanes->addresses, bits);
        code_guard_close(&e->cx, &guard, 0, NULL);
        return;
    }
    LaneLoop loop = open_lanes(e, lanes, bits);
    store_half(e, place, loop.element, code_load(&e->cx, code_integer_type(&e->cx, 8), loop.cell, 1));
    close_lanes(e, &loop);
}

// From an even element on; both halves of each byte, or none.
static void store_bytes(Emit *e, const PackedPlace *place, const RecordLanes *lanes, LLVMValueRef bits) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef low = halves(e, every_other(e, bits, 0), NULL), high = every_other(e, bits, 1);
    high = LLVMBuildShl(builder, high, vector_integer_like(high, 8, HALF_BITS), "");
    LLVMValueRef pointer = emit_pointer_of(e, byte_addresses(e, place, lanes->addresses));
    code_masked_store(&e->cx, LLVMBuildOr(builder, low, high, ""), pointer, every_other(e, lanes->mask, 0), 1);
}

static void store_step(Emit *e, const PackedPlace *place, const RecordLanes *lanes, LLVMValueRef bits) {
    LLVMBuilderRef builder = e->cx.builder;
    if (!place->even) {
        store_each(e, place, lanes, bits);
        return;
    }
    LLVMValueRef low = every_other(e, lanes->mask, 0), high = every_other(e, lanes->mask, 1);
    LLVMValueRef pairs = all_of(e, LLVMBuildICmp(builder, LLVMIntEQ, low, high, ""));
    LLVMBasicBlockRef whole = code_block(&e->cx, "whole_bytes"), each = code_block(&e->cx, "each_half"),
                      join = code_block(&e->cx, "stored");
    LLVMBuildCondBr(builder, LLVMBuildAnd(builder, place->even, pairs, ""), whole, each);
    LLVMPositionBuilderAtEnd(builder, whole);
    store_bytes(e, place, lanes, bits);
    LLVMBuildBr(builder, join);
    LLVMPositionBuilderAtEnd(builder, each);
    store_each(e, place, lanes, bits);
    LLVMBuildBr(builder, join);
    LLVMPositionBuilderAtEnd(builder, join);
}

void emit_packed_store(Emit *e, const PackedPlace *place, const RecordLanes *lanes, LLVMValueRef bits) {
    store_step(e, place, lanes, bits);
    if (!place->records.widths) return;
    RecordLanes bytes = {lanes->count, byte_addresses(e, place, every_element(e, lanes)), lanes->mask};
    record_store(&e->cx, &place->records, &bytes, NULL);
}
