// SPDX-License-Identifier: Apache-2.0
// Buffers as kernels see them: what an address may touch, how a value lies in memory, and lanes under a mask.
#include "compiler/lower/memory_internal.h"

#include <assert.h>
#include <stddef.h>

// ---- what may be touched
// ---------------------------------------------------------------------------------------------------

#define FINDER "congruent.buffer_of"

static LLVMValueRef range_end(Emit *e, LLVMValueRef ranges, LLVMValueRef index, unsigned end) {
    LLVMTypeRef i64 = emit_integer_type(e, 64);
    LLVMValueRef at =
        LLVMBuildAdd(e->cx.builder, LLVMBuildShl(e->cx.builder, index, emit_i64(e, 1), ""), emit_i64(e, end), "");
    return emit_load(e, i64, emit_pointer_at(e, i64, ranges, at), 8);
}

// The body of FINDER(ranges, count, address): how many buffers begin at or before the address, by binary search.
static void emit_finder_body(Emit *e, LLVMValueRef function) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef i64 = emit_integer_type(e, 64);
    LLVMBasicBlockRef entry = LLVMGetInsertBlock(builder), test = emit_block(e, "test"), split = emit_block(e, "split"),
                      found = emit_block(e, "found");
    LLVMValueRef ranges = LLVMGetParam(function, 0), count = LLVMGetParam(function, 1),
                 address = LLVMGetParam(function, 2);
    LLVMBuildBr(builder, test);
    LLVMPositionBuilderAtEnd(builder,
                             test); // buffers below `low` begin at or before the address, those from `high` after it
    LLVMValueRef low = LLVMBuildPhi(builder, i64, "low"), high = LLVMBuildPhi(builder, i64, "high");
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntULT, low, high, ""), split, found);
    LLVMPositionBuilderAtEnd(builder, split);
    LLVMValueRef middle = LLVMBuildLShr(builder, LLVMBuildAdd(builder, low, high, ""), emit_i64(e, 1), "");
    LLVMValueRef before = LLVMBuildICmp(builder, LLVMIntULE, range_end(e, ranges, middle, 0), address, "");
    LLVMValueRef next_low =
        LLVMBuildSelect(builder, before, LLVMBuildAdd(builder, middle, emit_i64(e, 1), ""), low, "");
    LLVMValueRef next_high = LLVMBuildSelect(builder, before, high, middle, "");
    LLVMBuildBr(builder, test);
    LLVMBasicBlockRef from[2] = {entry, split};
    LLVMAddIncoming(low, (LLVMValueRef[]){emit_i64(e, 0), next_low}, from, 2);
    LLVMAddIncoming(high, (LLVMValueRef[]){count, next_high}, from, 2);
    LLVMPositionBuilderAtEnd(builder, found);
    LLVMBuildRet(builder, low);
}

// FINDER, emitted once per module.
static LLVMValueRef buffer_finder(Emit *e) {
    LLVMTypeRef i64 = emit_integer_type(e, 64), parameters[3] = {LLVMPointerTypeInContext(e->cx.context, 0), i64, i64};
    EmitShared shared;
    if (emit_shared_open(e, FINDER, LLVMFunctionType(i64, parameters, 3, false), &shared)) {
        emit_finder_body(e, shared.function);
        emit_shared_close(e, &shared);
    }
    return shared.function;
}

void emit_pointer_range(Emit *e, LLVMValueRef pointer, int origin, LLVMValueRef *begin, LLVMValueRef *end) {
    if (origin >= 0) {
        emit_origin_range(e, origin, begin, end);
        return;
    }
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef i64 = emit_integer_type(e, 64), address = LLVMPointerTypeInContext(e->cx.context, 0);
    LLVMValueRef ranges = emit_launch_field(e, offsetof(HostLaunch, buffers), address);
    LLVMValueRef count = emit_launch_field(e, offsetof(HostLaunch, buffer_count), i64);
    LLVMValueRef finder = buffer_finder(e), arguments[3] = {ranges, count, pointer};
    LLVMValueRef found = LLVMBuildCall2(builder, LLVMGlobalGetValueType(finder), finder, arguments, 3, "");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), some = emit_block(e, "some_buffer"),
                      join = emit_block(e, "buffer");
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntNE, found, emit_i64(e, 0), ""), some, join);
    LLVMPositionBuilderAtEnd(builder, some);
    LLVMValueRef last = LLVMBuildSub(builder, found, emit_i64(e, 1), "");
    LLVMValueRef range[2] = {range_end(e, ranges, last, 0), range_end(e, ranges, last, 1)};
    LLVMBuildBr(builder, join);
    LLVMPositionBuilderAtEnd(builder, join);
    LLVMBasicBlockRef from[2] = {before, some};
    for (int i = 0; i < 2; i++) {
        LLVMValueRef phi = LLVMBuildPhi(builder, i64, i ? "end" : "begin");
        LLVMAddIncoming(phi, (LLVMValueRef[]){emit_i64(e, 0), range[i]}, from, 2);
        *(i ? end : begin) = phi;
    }
    *end = emit_unknown_end(e, ranges, *end);
    if (!e->local_count) return;
    LLVMValueRef local[2] = {emit_local_range(e, 0), emit_local_range(e, 1)}; // not among the buffers
    LLVMValueRef inside = LLVMBuildAnd(builder, LLVMBuildICmp(builder, LLVMIntUGE, pointer, local[0], ""),
                                       LLVMBuildICmp(builder, LLVMIntULT, pointer, local[1], ""), "");
    *begin = LLVMBuildSelect(builder, inside, local[0], *begin, "");
    *end = LLVMBuildSelect(builder, inside, local[1], *end, "");
}

LLVMValueRef emit_may_touch(Emit *e, int origin, LLVMValueRef address, unsigned size) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef begin, end;
    emit_pointer_range(e, address, origin, &begin, &end);
    LLVMValueRef above = LLVMBuildICmp(builder, LLVMIntUGE, address, begin, "");
    LLVMValueRef below = LLVMBuildICmp(builder, LLVMIntULE, address, end, "");
    LLVMValueRef room =
        LLVMBuildICmp(builder, LLVMIntUGE, LLVMBuildSub(builder, end, address, ""), emit_i64(e, size), "");
    return LLVMBuildAnd(builder, LLVMBuildAnd(builder, above, below, ""), room, "");
}

void emit_check_access(Emit *e, int origin, LLVMValueRef address, unsigned size, const char *message) {
    LLVMValueRef inside = emit_may_touch(e, origin, address, size), begin, end;
    if (origin < 0 || !emit_is_local(e, origin)) {
        emit_check(e, inside, HOST_SITE_BOUNDS, message, address, NULL, NULL);
        return;
    }
    emit_origin_range(e, origin, &begin, &end);
    emit_check(e, inside, HOST_SITE_LOCAL, message, NULL, LLVMBuildSub(e->cx.builder, address, begin, ""),
               LLVMBuildSub(e->cx.builder, end, begin, ""));
}

// ---- values in memory
// --------------------------------------------------------------------------------------------------------

LLVMValueRef emit_pointer_of(Emit *e, LLVMValueRef address) {
    unsigned space =
        emit_is_gpu(e) && !e->local_count ? EMIT_GLOBAL : EMIT_GENERIC; // an alloca may be in shared memory
    LLVMTypeRef type = vector_type_like(LLVMPointerTypeInContext(e->cx.context, space), address);
    return LLVMBuildIntToPtr(e->cx.builder, address, type, "");
}

NumericValue emit_value_of_planes(Emit *e, EmitElement element, const LLVMValueRef *planes) {
    if (element.is_float) return e->cx.numeric->from_planes(&e->cx, element.format, planes);
    LLVMValueRef value = planes[0];
    if (element.bits == 1) value = LLVMBuildICmp(e->cx.builder, LLVMIntNE, value, LLVMConstNull(LLVMTypeOf(value)), "");
    NumericValue integer = emit_unmarked(e, element, value);
    if (planes[1] && element.parts > 1) integer.parts[1] = planes[1];
    return integer;
}

void emit_planes_of_value(Emit *e, EmitElement element, const NumericValue *value, LLVMValueRef *planes) {
    if (element.is_float) {
        e->cx.numeric->to_planes(&e->cx, element.format, value, planes);
        return;
    }
    planes[0] = value->parts[0];
    planes[1] = element.parts > 1 ? value->parts[1] : NULL;
    if (element.bits == 1)
        planes[0] = LLVMBuildZExt(e->cx.builder, planes[0], vector_type_like(emit_integer_type(e, 8), planes[0]), "");
}

// ---- lanes in memory of their own
// ------------------------------------------------------------------------------------

LLVMValueRef emit_spill(Emit *e, LLVMValueRef lanes, unsigned index) {
    LLVMTypeRef type = LLVMTypeOf(lanes);
    size_t at = 0;
    while (at < e->lane_slot_count && (e->lane_slots[at].type != type || e->lane_slots[at].index != index)) at++;
    if (at == e->lane_slot_count) {
        e->lane_slots = arena_grow(e->arena, e->lane_slots, at, &e->lane_slot_capacity, sizeof *e->lane_slots);
        e->lane_slots[e->lane_slot_count++] = (EmitLaneSlot){type, index, emit_alloca(e, type, "lanes")};
    }
    LLVMBuildStore(e->cx.builder, lanes, e->lane_slots[at].slot);
    return e->lane_slots[at].slot;
}

// ---- lanes under a mask ---------------------------------------------------------------------------------------------

static LLVMValueRef call_overloaded(Emit *e, const char *name, LLVMTypeRef *types, unsigned type_count,
                                    LLVMValueRef *arguments, unsigned count) {
    unsigned id = LLVMLookupIntrinsicID(name, __builtin_strlen(name));
    assert(id);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->cx.module, id, types, type_count);
    return LLVMBuildCall2(e->cx.builder, LLVMGlobalGetValueType(function), function, arguments, count, "");
}

// llvm.masked.* take the alignment of the pointer argument from an attribute.
static void set_pointer_alignment(Emit *e, LLVMValueRef call, unsigned argument, unsigned bytes) {
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(call, argument + 1, LLVMCreateEnumAttribute(e->cx.context, kind, bytes));
}

// GPUs access vectors at multiples of their size, and have no masks: lane after lane unless all are active and the
// address is one.
typedef struct LanesInTurn {
    LLVMValueRef pointer, mask;
    LLVMTypeRef scalar;
    unsigned lanes;
} LanesInTurn;

static LLVMValueRef is_whole(Emit *e, const LanesInTurn *turn, unsigned *align) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef all = turn->mask;
    all = vector_intrinsic(&e->cx, "llvm.vector.reduce.and", &all, 1);
    *align = turn->lanes * emit_type_bits(turn->scalar) / 8;
    LLVMValueRef address = LLVMBuildPtrToInt(builder, turn->pointer, emit_integer_type(e, 64), "");
    LLVMValueRef low = LLVMBuildAnd(builder, address, emit_i64(e, *align - 1), "");
    return LLVMBuildAnd(builder, all, LLVMBuildIsNull(builder, low, ""), "");
}

static LLVMValueRef lane_of(Emit *e, LLVMValueRef vector, unsigned lane) {
    return LLVMBuildExtractElement(e->cx.builder, vector, emit_i32(e, (int32_t)lane), "");
}

static LLVMValueRef turn_pointer(Emit *e, const LanesInTurn *turn, unsigned lane) {
    if (vector_lanes(turn->pointer)) return lane_of(e, turn->pointer, lane);
    return emit_pointer_at(e, turn->scalar, turn->pointer, emit_i64(e, lane));
}

static LLVMValueRef load_in_turn(Emit *e, const LanesInTurn *turn, unsigned align) {
    LLVMValueRef result = LLVMGetUndef(LLVMVectorType(turn->scalar, turn->lanes));
    for (unsigned lane = 0; lane < turn->lanes; lane++) {
        EmitGuard guard = emit_guard_open(e, lane_of(e, turn->mask, lane));
        LLVMValueRef one = emit_load(e, turn->scalar, turn_pointer(e, turn, lane), align);
        emit_guard_close(e, &guard, 1, &one);
        result = LLVMBuildInsertElement(e->cx.builder, result, one, emit_i32(e, (int32_t)lane), "");
    }
    return result;
}

static LLVMValueRef masked_load_gpu(Emit *e, LLVMTypeRef type, LLVMValueRef pointer, LLVMValueRef mask,
                                    unsigned align) {
    LLVMBuilderRef builder = e->cx.builder;
    LanesInTurn turn = {pointer, mask, LLVMGetElementType(type), vector_lanes(mask)};
    if (vector_lanes(pointer)) return load_in_turn(e, &turn, align);
    LLVMBasicBlockRef from[2] = {emit_block(e, "whole"), emit_block(e, "in_turn")}, join = emit_block(e, "loaded");
    LLVMValueRef loaded[2];
    unsigned whole_align;
    LLVMBuildCondBr(builder, is_whole(e, &turn, &whole_align), from[0], from[1]);
    for (int i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(builder, from[i]);
        loaded[i] = i ? load_in_turn(e, &turn, align) : emit_load(e, type, pointer, whole_align);
        from[i] = LLVMGetInsertBlock(builder);
        LLVMBuildBr(builder, join);
    }
    LLVMPositionBuilderAtEnd(builder, join);
    LLVMValueRef phi = LLVMBuildPhi(builder, type, "");
    LLVMAddIncoming(phi, loaded, from, 2);
    return phi;
}

static void store_in_turn(Emit *e, const LanesInTurn *turn, LLVMValueRef value, unsigned align) {
    for (unsigned lane = 0; lane < turn->lanes; lane++) {
        EmitGuard guard = emit_guard_open(e, lane_of(e, turn->mask, lane));
        emit_store(e, lane_of(e, value, lane), turn_pointer(e, turn, lane), align);
        emit_guard_close(e, &guard, 0, NULL);
    }
}

static void masked_store_gpu(Emit *e, LLVMValueRef value, LLVMValueRef pointer, LLVMValueRef mask, unsigned align) {
    LLVMBuilderRef builder = e->cx.builder;
    LanesInTurn turn = {pointer, mask, LLVMGetElementType(LLVMTypeOf(value)), vector_lanes(mask)};
    if (vector_lanes(pointer)) {
        store_in_turn(e, &turn, value, align);
        return;
    }
    LLVMBasicBlockRef whole = emit_block(e, "whole"), each = emit_block(e, "in_turn"), join = emit_block(e, "stored");
    unsigned whole_align;
    LLVMBuildCondBr(builder, is_whole(e, &turn, &whole_align), whole, each);
    LLVMPositionBuilderAtEnd(builder, whole);
    emit_store(e, value, pointer, whole_align);
    LLVMBuildBr(builder, join);
    LLVMPositionBuilderAtEnd(builder, each);
    store_in_turn(e, &turn, value, align);
    LLVMBuildBr(builder, join);
    LLVMPositionBuilderAtEnd(builder, join);
}

LLVMValueRef emit_masked_load(Emit *e, LLVMTypeRef scalar, LLVMValueRef pointer, LLVMValueRef mask, unsigned align) {
    unsigned lanes = vector_lanes(mask);
    if (!lanes) {
        EmitGuard guard = emit_guard_open(e, mask);
        LLVMValueRef one = emit_load(e, scalar, pointer, align);
        emit_guard_close(e, &guard, 1, &one);
        return one;
    }
    LLVMTypeRef type = LLVMVectorType(scalar, lanes);
    if (emit_is_gpu(e)) return masked_load_gpu(e, type, pointer, mask, align);
    LLVMTypeRef types[2] = {type, LLVMTypeOf(pointer)};
    LLVMValueRef arguments[3] = {pointer, mask, LLVMConstNull(type)};
    const char *name = vector_lanes(pointer) ? "llvm.masked.gather" : "llvm.masked.load";
    LLVMValueRef call = call_overloaded(e, name, types, 2, arguments, 3);
    set_pointer_alignment(e, call, 0, align);
    return call;
}

void emit_masked_store(Emit *e, LLVMValueRef value, LLVMValueRef pointer, LLVMValueRef mask, unsigned align) {
    if (!vector_lanes(mask)) {
        EmitGuard guard = emit_guard_open(e, mask);
        emit_store(e, value, pointer, align);
        emit_guard_close(e, &guard, 0, NULL);
        return;
    }
    if (emit_is_gpu(e)) {
        masked_store_gpu(e, value, pointer, mask, align);
        return;
    }
    LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(pointer)};
    LLVMValueRef arguments[3] = {value, pointer, mask};
    const char *name = vector_lanes(pointer) ? "llvm.masked.scatter" : "llvm.masked.store";
    LLVMValueRef call = call_overloaded(e, name, types, 2, arguments, 3);
    set_pointer_alignment(e, call, 1, align);
}

unsigned emit_ordered_load(LLVMAtomicOrdering ordering) {
    return ordering == LLVMAtomicOrderingNotAtomic ? 0 : EMIT_BUFFERS;
}

bool emit_one_loads(const Emit *e, LLVMAtomicOrdering ordering) {
    return emit_is_gpu(e) && ordering != LLVMAtomicOrderingNotAtomic && !e->threads.alone;
}

LLVMAtomicOrdering emit_ordering(const TirOp *op) {
    switch (tir_attribute_integer(op, "ordering")) {
    case TIR_memory_ordering_weak: return LLVMAtomicOrderingNotAtomic;
    case TIR_memory_ordering_acquire: return LLVMAtomicOrderingAcquire;
    case TIR_memory_ordering_release: return LLVMAtomicOrderingRelease;
    default: return LLVMAtomicOrderingMonotonic;
    }
}
