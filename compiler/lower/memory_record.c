// SPDX-License-Identifier: Apache-2.0
// The records of floats in memory (host_abi.h): loading and storing them beside the floats, and making those invalid
// that a store overwrites.
#include "compiler/lower/memory_internal.h"

#include <stddef.h>

enum { LANES_MAX = 64 };

static LLVMTypeRef i32_type(const Emit *e) {
    return emit_integer_type(e, 32);
}

static LLVMValueRef shadow_field(Emit *e, size_t offset, LLVMTypeRef type) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0);
    LLVMValueRef shadow = emit_launch_field(e, offsetof(HostLaunch, shadow), pointer);
    LLVMValueRef at = emit_pointer_at(e, emit_integer_type(e, 8), shadow, emit_i64(e, (int64_t)offset));
    return emit_load(e, type, at, 8);
}

static LLVMValueRef widths_of(Emit *e, int origin) {
    const uint32_t local = emit_local_widths(e, origin);
    if (origin >= 0 && emit_is_local(e, origin)) return emit_i32(e, (int32_t)local);
    if (origin < 0) {
        LLVMValueRef at =
            emit_pointer_at(e, emit_integer_type(e, 8), e->launch, emit_i64(e, offsetof(HostLaunch, all_widths)));
        return LLVMBuildOr(e->cx.builder, emit_load(e, i32_type(e), at, 4), emit_i32(e, (int32_t)local), "");
    }
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0);
    LLVMValueRef all = emit_launch_field(e, offsetof(HostLaunch, argument_widths), pointer);
    return emit_load(e, i32_type(e), emit_pointer_at(e, i32_type(e), all, emit_i64(e, origin)), 4);
}

// What the launch must know before it runs.
static void note_widths(Emit *e, uint32_t widths, int origin) {
    if (origin < 0)
        e->stored_widths_unknown |= widths;
    else if (!emit_is_local(e, origin))
        e->stored_widths[origin] |= widths;
}

// The same, and who stored what.
static LLVMValueRef note_store(Emit *e, const TirOp *op, unsigned width, int origin) {
    note_widths(e, 1u << width, origin);
    e->stores = arena_grow(e->arena, e->stores, e->store_count, &e->store_capacity, sizeof *e->stores);
    e->stores[e->store_count] = (KernelStore){.op = tir_op_info(op->kind)->name, .at = op->at};
    LLVMValueRef at =
        emit_pointer_at(e, emit_integer_type(e, 8), e->launch, emit_i64(e, offsetof(HostLaunch, store_base)));
    LLVMValueRef base = emit_load(e, i32_type(e), at, 4);
    return LLVMBuildAdd(e->cx.builder, base, emit_i32(e, (int32_t)e->store_count++), "");
}

RecordPlace emit_record_place(Emit *e, const TirOp *op, EmitElement element, int origin, bool is_store) {
    RecordPlace place = {.element = element, .planes = 1, .op = op};
    const bool marked = e->poison && !element.is_float && element.parts > 1;
    if (!e->cx.numeric->has_records || (!element.is_float && !is_store && !marked)) return place;
    place.width = map_log2(emit_storage_bytes(element));
    place.widths = widths_of(e, origin);
    place.marked = marked;
    if (marked && is_store) note_widths(e, HOST_MAY_BE_UNSPECIFIED, origin);
    if (!element.is_float) return place;
    place.planes = numeric_planes(e->cx.numeric, element.format);
    if (is_store) place.store = note_store(e, op, place.width, origin);
    LLVMTypeRef i64 = emit_integer_type(e, 64);
    LLVMValueRef bytes = shadow_field(e, offsetof(HostShadow, plane_bytes), i64);
    place.arrays = shadow_field(e, offsetof(HostShadow, planes) + 8 * place.width, i64);
    place.distance = LLVMBuildLShr(e->cx.builder, bytes, emit_i64(e, place.width), "");
    return place;
}

// Pointers to a word of the records.
static LLVMValueRef word_pointer(Emit *e, const RecordPlace *place, LLVMValueRef addresses, unsigned plane) {
    LLVMBuilderRef b = e->cx.builder;
    unsigned lanes = vector_lanes(addresses);
    LLVMValueRef base =
        LLVMBuildAdd(b, place->arrays, LLVMBuildMul(b, place->distance, emit_i64(e, plane - 1), ""), "");
    LLVMValueRef index = LLVMBuildLShr(b, addresses, vector_splat(b, emit_i64(e, place->width), lanes), "");
    LLVMValueRef offset = LLVMBuildShl(b, index, vector_splat(b, emit_i64(e, 2), lanes), "");
    return emit_pointer_of(e, LLVMBuildAdd(b, vector_splat(b, base, lanes), offset, ""));
}

// i1 or a vector of them: addresses that are multiples of the width; others have no records. Of neighbours the first
// answers for all.
static LLVMValueRef is_aligned(Emit *e, const RecordPlace *place, LLVMValueRef addresses) {
    LLVMBuilderRef b = e->cx.builder;
    unsigned lanes = vector_lanes(addresses);
    LLVMValueRef low =
        LLVMBuildAnd(b, addresses, vector_splat(b, emit_i64(e, ((int64_t)1 << place->width) - 1), lanes), "");
    return LLVMBuildICmp(b, LLVMIntEQ, low, LLVMConstNull(LLVMTypeOf(low)), "");
}

static LLVMValueRef where_aligned(Emit *e, const RecordPlace *place, const RecordLanes *lanes, LLVMValueRef state) {
    LLVMValueRef aligned = is_aligned(e, place, lanes->addresses); // a scalar selects whole vectors
    return LLVMBuildSelect(e->cx.builder, aligned, state, LLVMConstNull(LLVMTypeOf(state)), "");
}

static LLVMValueRef mask_of(Emit *e, const RecordLanes *lanes) {
    LLVMValueRef all = LLVMConstAllOnes(emit_integer_type(e, 1));
    return lanes->mask ? lanes->mask : vector_splat(e->cx.builder, all, lanes->count);
}

// ---- invalidation ---------------------------------------------------------------------------------------------------

// The addresses of all lanes.
static LLVMValueRef every_address(Emit *e, const RecordPlace *place, const RecordLanes *lanes) {
    unsigned count = lanes->count;
    if (!count || vector_lanes(lanes->addresses)) return lanes->addresses;
    LLVMValueRef offsets[LANES_MAX];
    for (unsigned i = 0; i < count; i++) offsets[i] = emit_i64(e, (int64_t)i << place->width);
    return LLVMBuildAdd(e->cx.builder, vector_splat(e->cx.builder, lanes->addresses, count),
                        LLVMConstVector(offsets, count), "");
}

// The mask as bits of an i64.
static LLVMValueRef mask_bits(Emit *e, const RecordLanes *lanes) {
    LLVMValueRef mask = mask_of(e, lanes);
    if (lanes->count) mask = LLVMBuildBitCast(e->cx.builder, mask, emit_integer_type(e, lanes->count), "");
    return LLVMGetIntTypeWidth(LLVMTypeOf(mask)) == 64
               ? mask
               : LLVMBuildZExt(e->cx.builder, mask, emit_integer_type(e, 64), "");
}

// HostShadow.forget for `count` addresses.
static void call_forget_bytes(Emit *e, LLVMValueRef addresses, unsigned count, LLVMValueRef mask, uint32_t bytes,
                              LLVMValueRef widths) {
    LLVMBuilderRef b = e->cx.builder;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0), i32 = i32_type(e), i64 = emit_integer_type(e, 64);
    LLVMTypeRef parameters[] = {pointer, i32, i32, i32, pointer, i64};
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(e->cx.context), parameters, BASE_COUNT(parameters), false);
    LLVMValueRef slot = emit_spill(e, addresses, 0);
    LLVMValueRef arguments[] = {emit_launch_field(e, offsetof(HostLaunch, shadow), pointer),
                                widths,
                                emit_i32(e, (int32_t)bytes),
                                emit_i32(e, (int32_t)count),
                                slot,
                                mask};
    LLVMBuildCall2(b, type, shadow_field(e, offsetof(HostShadow, forget), pointer), arguments, BASE_COUNT(arguments),
                   "");
}

static void call_forget(Emit *e, const RecordPlace *place, const RecordLanes *lanes, LLVMValueRef widths) {
    call_forget_bytes(e, every_address(e, place, lanes), lanes->count ? lanes->count : 1, mask_bits(e, lanes),
                      1u << place->width, widths);
}

void emit_forget_records(Emit *e, LLVMValueRef address, uint32_t bytes, uint32_t widths) {
    if (!e->cx.numeric->has_records || !widths || !bytes) return;
    call_forget_bytes(e, address, 1, emit_i64(e, 1), bytes, emit_i32(e, (int32_t)widths));
}

// HostShadow.spoil; `origins` has the lanes of `addresses`.
static void call_spoil(Emit *e, LLVMValueRef addresses, unsigned count, LLVMValueRef mask, uint64_t bytes,
                       LLVMValueRef widths, LLVMValueRef origins) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0), i32 = i32_type(e), i64 = emit_integer_type(e, 64);
    LLVMTypeRef parameters[] = {pointer, i32, i64, i32, pointer, i64, pointer};
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(e->cx.context), parameters, BASE_COUNT(parameters), false);
    LLVMValueRef arguments[] = {emit_launch_field(e, offsetof(HostLaunch, shadow), pointer),
                                widths,
                                emit_i64(e, (int64_t)bytes),
                                emit_i32(e, (int32_t)count),
                                emit_spill(e, addresses, 0),
                                mask,
                                emit_spill(e, origins, 1)};
    LLVMBuildCall2(e->cx.builder, type, shadow_field(e, offsetof(HostShadow, spoil), pointer), arguments,
                   BASE_COUNT(arguments), "");
}

void emit_spoil_memory(Emit *e, LLVMValueRef address, uint64_t bytes, uint32_t widths) {
    if (bytes)
        call_spoil(e, address, 1, emit_i64(e, 1), bytes, emit_i32(e, (int32_t)widths),
                   emit_origin(e, "memory of an alloca that nothing wrote", false));
}

// Code for where some bit of `bits` (i64) is set.
static EmitGuard open_where_any(Emit *e, LLVMValueRef bits) {
    return emit_guard_open(e, LLVMBuildICmp(e->cx.builder, LLVMIntNE, bits, emit_i64(e, 0), ""));
}

// i1 lanes as bits of an i64, and back.
static LLVMValueRef bits_of(Emit *e, LLVMValueRef lanes) {
    unsigned count = vector_lanes(lanes);
    if (count) lanes = LLVMBuildBitCast(e->cx.builder, lanes, emit_integer_type(e, count), "");
    return count == 64 ? lanes : LLVMBuildZExt(e->cx.builder, lanes, emit_integer_type(e, 64), "");
}

static LLVMValueRef lanes_of(Emit *e, LLVMValueRef bits, unsigned count) {
    LLVMTypeRef type = emit_integer_type(e, count ? count : 1);
    if (count != 64) bits = LLVMBuildTrunc(e->cx.builder, bits, type, "");
    return count ? LLVMBuildBitCast(e->cx.builder, bits, LLVMVectorType(emit_integer_type(e, 1), count), "") : bits;
}

// Integers whose marks say that they are unspecified, and that were just stored.
static void spoil_marked(Emit *e, const RecordPlace *place, const RecordLanes *lanes, LLVMValueRef marks) {
    LLVMBuilderRef b = e->cx.builder;
    if (LLVMIsConstant(marks) && LLVMIsNull(marks)) return;
    LLVMValueRef poison = numeric_has_mark(&e->cx, marks, NUMERIC_MARK_POISON);
    LLVMValueRef bits = bits_of(e, LLVMBuildAnd(b, poison, mask_of(e, lanes), ""));
    EmitGuard guard = open_where_any(e, bits);
    LLVMValueRef origins;
    if (e->cx.origins)
        origins = numeric_mark_origins(&e->cx, marks);
    else
        origins = vector_splat(b, emit_origin(e, "integers that depend on something unspecified", true), lanes->count);
    call_spoil(e, every_address(e, place, lanes), lanes->count ? lanes->count : 1, bits, UINT64_C(1) << place->width,
               place->widths, origins);
    emit_guard_close(e, &guard, 0, NULL);
}

// HostShadow.unspecified of the lanes of `mask` (bits); *origins: i32 lanes.
static LLVMValueRef ask_unspecified(Emit *e, const RecordPlace *place, const RecordLanes *lanes, LLVMValueRef mask,
                                    LLVMValueRef *origins) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0), i32 = i32_type(e), i64 = emit_integer_type(e, 64);
    LLVMTypeRef parameters[] = {pointer, i32, i32, i32, pointer, i64, pointer};
    LLVMTypeRef type = LLVMFunctionType(i64, parameters, BASE_COUNT(parameters), false);
    LLVMTypeRef words = lanes->count ? LLVMVectorType(i32, lanes->count) : i32;
    LLVMValueRef slot = emit_spill(e, LLVMConstNull(words), 0);
    LLVMValueRef arguments[] = {emit_launch_field(e, offsetof(HostLaunch, shadow), pointer),
                                place->widths,
                                emit_i32(e, 1 << place->width),
                                emit_i32(e, lanes->count ? (int32_t)lanes->count : 1),
                                emit_spill(e, every_address(e, place, lanes), 0),
                                mask,
                                slot};
    LLVMValueRef found =
        LLVMBuildCall2(e->cx.builder, type, shadow_field(e, offsetof(HostShadow, unspecified), pointer), arguments,
                       BASE_COUNT(arguments), "");
    *origins = LLVMBuildLoad2(e->cx.builder, words, slot, "");
    // What nobody knows was made where it is loaded.
    LLVMValueRef none = LLVMBuildICmp(e->cx.builder, LLVMIntEQ, *origins, LLVMConstNull(words), "");
    LLVMValueRef own = vector_splat(
        e->cx.builder, emit_origin(e, "memory that was not written, or holds something unspecified", false),
        lanes->count);
    *origins = LLVMBuildSelect(e->cx.builder, none, own, *origins, "");
    return found;
}

static LLVMValueRef may_be_unspecified(Emit *e, const RecordPlace *place) {
    LLVMValueRef bit = LLVMBuildAnd(e->cx.builder, place->widths, emit_i32(e, (int32_t)HOST_MAY_BE_UNSPECIFIED), "");
    return LLVMBuildICmp(e->cx.builder, LLVMIntNE, bit, emit_i32(e, 0), "");
}

// Lanes without a valid record may be unspecified: then they get one that says so.
static void add_poison(Emit *e, const RecordPlace *place, const RecordLanes *lanes, LLVMValueRef *planes) {
    LLVMBuilderRef b = e->cx.builder;
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(planes[1]));
    LLVMValueRef lacking = LLVMBuildICmp(b, LLVMIntSGE, planes[1], zero, "");
    lacking = bits_of(e, LLVMBuildAnd(b, lacking, mask_of(e, lanes), ""));
    lacking = LLVMBuildSelect(b, may_be_unspecified(e, place), lacking, emit_i64(e, 0), "");
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(b), emit_block(e, "no_record")}, join = emit_block(e, "recorded");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, lacking, emit_i64(e, 0), ""), from[1], join);
    LLVMPositionBuilderAtEnd(b, from[1]);
    LLVMValueRef origins, found = lanes_of(e, ask_unspecified(e, place, lanes, lacking, &origins), lanes->count);
    LLVMValueRef poison[NUMERIC_PLANES_MAX];
    e->cx.numeric->poison_planes(&e->cx, planes[0], origins, poison);
    for (unsigned p = 1; p < place->planes; p++) poison[p] = LLVMBuildSelect(b, found, poison[p], planes[p], "");
    from[1] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, join);
    LLVMPositionBuilderAtEnd(b, join);
    for (unsigned p = 1; p < place->planes; p++) {
        LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(planes[p]), "");
        LLVMAddIncoming(phi, (LLVMValueRef[]){planes[p], poison[p]}, from, 2);
        planes[p] = phi;
    }
}

// Marks of integers.
static LLVMValueRef load_marks(Emit *e, const RecordPlace *place, const RecordLanes *lanes) {
    EmitGuard guard = emit_guard_open(e, may_be_unspecified(e, place));
    LLVMValueRef origins,
        found = lanes_of(e, ask_unspecified(e, place, lanes, mask_bits(e, lanes), &origins), lanes->count);
    LLVMValueRef marks = numeric_poison_marks(&e->cx, found, origins);
    emit_guard_close(e, &guard, 1, &marks);
    return marks;
}

void emit_load_records(Emit *e, const RecordPlace *place, const RecordLanes *lanes, LLVMValueRef *planes) {
    if (place->planes == 1) {
        planes[1] = place->marked ? load_marks(e, place, lanes) : NULL;
        return;
    }
    LLVMBuilderRef b = e->cx.builder;
    uint32_t asked = 1u << place->width | (e->poison ? HOST_MAY_BE_UNSPECIFIED : 0);
    LLVMValueRef here = LLVMBuildAnd(b, place->widths, emit_i32(e, (int32_t)asked), "");
    LLVMValueRef may_have = LLVMBuildICmp(b, LLVMIntNE, here, emit_i32(e, 0), "");
    EmitGuard guard = emit_guard_open(e, may_have);
    LLVMValueRef mask = mask_of(e, lanes);
    for (unsigned p = 1; p < place->planes; p++)
        planes[p] = emit_masked_load(e, i32_type(e), word_pointer(e, place, lanes->addresses, p), mask, 4);
    planes[1] = where_aligned(e, place, lanes, planes[1]);
    if (e->poison) add_poison(e, place, lanes, planes);
    emit_guard_close(e, &guard, place->planes - 1, planes + 1);
}

// Records of other widths, and all where an address is no multiple of the width.
static LLVMValueRef widths_to_forget(Emit *e, const RecordPlace *place, const RecordLanes *lanes) {
    LLVMBuilderRef b = e->cx.builder;
    if (!place->element.is_float) return place->widths;
    LLVMValueRef aligned = is_aligned(e, place, lanes->addresses);
    if (vector_lanes(aligned)) {
        LLVMValueRef ignored = LLVMBuildOr(b, aligned, LLVMBuildNot(b, mask_of(e, lanes), ""), "");
        aligned = vector_intrinsic(&e->cx, "llvm.vector.reduce.and", &ignored, 1);
    }
    uint32_t own = 1u << place->width | HOST_MAY_BE_UNSPECIFIED; // a valid record says that something was written
    LLVMValueRef others = LLVMBuildAnd(b, place->widths, emit_i32(e, (int32_t)~own), "");
    return LLVMBuildSelect(b, aligned, others, place->widths, "");
}

void emit_store_records(Emit *e, const RecordPlace *place, const RecordLanes *lanes, LLVMValueRef *planes) {
    if (!place->widths) return;
    LLVMBuilderRef b = e->cx.builder;
    LLVMValueRef widths = widths_to_forget(e, place, lanes);
    EmitGuard guard = emit_guard_open(e, LLVMBuildICmp(b, LLVMIntNE, widths, emit_i32(e, 0), ""));
    call_forget(e, place, lanes, widths);
    emit_guard_close(e, &guard, 0, NULL);
    if (place->marked && planes && planes[1]) spoil_marked(e, place, lanes, planes[1]);
    if (place->planes == 1) return;
    LLVMValueRef mask = mask_of(e, lanes);
    planes[numeric_store_plane(e->cx.numeric)] = vector_splat(b, place->store, lanes->count);
    planes[1] = where_aligned(e, place, lanes, planes[1]);
    for (unsigned p = 1; p < place->planes; p++)
        emit_masked_store(e, planes[p], word_pointer(e, place, lanes->addresses, p), mask, 4);
}
