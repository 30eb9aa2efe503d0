// SPDX-License-Identifier: Apache-2.0
// Buffers as kernels see them: what an address may touch, how a value lies in memory, and which records there may be.
#include "compiler/lower/kernel.h"
#include "compiler/lower/memory_internal.h"

#include <assert.h>
#include <stddef.h>

// ---- what may be touched --------------------------------------------------------------------------------------------

#define FINDER "congruent.buffer_of"

static LLVMValueRef range_end(Emit *e, LLVMValueRef ranges, LLVMValueRef index, unsigned end) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    LLVMValueRef at = LLVMBuildAdd(e->cx.builder, LLVMBuildShl(e->cx.builder, index, code_i64(&e->cx, 1), ""),
                                   code_i64(&e->cx, end), "");
    return code_load(&e->cx, i64, code_pointer_at(&e->cx, i64, ranges, at), 8);
}

// The body of FINDER(ranges, count, address): how many buffers begin at or before the address, by binary search.
static void emit_finder_body(Emit *e, LLVMValueRef function) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    LLVMBasicBlockRef entry = LLVMGetInsertBlock(builder), test = code_block(&e->cx, "test"),
                      split = code_block(&e->cx, "split"), found = code_block(&e->cx, "found");
    LLVMValueRef ranges = LLVMGetParam(function, 0), count = LLVMGetParam(function, 1),
                 address = LLVMGetParam(function, 2);
    LLVMBuildBr(builder, test);
    LLVMPositionBuilderAtEnd(builder,
                             test); // buffers below `low` begin at or before the address, those from `high` after it
    LLVMValueRef low = LLVMBuildPhi(builder, i64, "low"), high = LLVMBuildPhi(builder, i64, "high");
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntULT, low, high, ""), split, found);
    LLVMPositionBuilderAtEnd(builder, split);
    LLVMValueRef middle = LLVMBuildLShr(builder, LLVMBuildAdd(builder, low, high, ""), code_i64(&e->cx, 1), "");
    LLVMValueRef before = LLVMBuildICmp(builder, LLVMIntULE, range_end(e, ranges, middle, 0), address, "");
    LLVMValueRef next_low =
        LLVMBuildSelect(builder, before, LLVMBuildAdd(builder, middle, code_i64(&e->cx, 1), ""), low, "");
    LLVMValueRef next_high = LLVMBuildSelect(builder, before, high, middle, "");
    LLVMBuildBr(builder, test);
    LLVMBasicBlockRef from[2] = {entry, split};
    LLVMAddIncoming(low, (LLVMValueRef[]){code_i64(&e->cx, 0), next_low}, from, 2);
    LLVMAddIncoming(high, (LLVMValueRef[]){count, next_high}, from, 2);
    LLVMPositionBuilderAtEnd(builder, found);
    LLVMBuildRet(builder, low);
}

// FINDER, emitted once per module.
static LLVMValueRef buffer_finder(Emit *e) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64),
                parameters[3] = {LLVMPointerTypeInContext(e->cx.context, 0), i64, i64};
    CodeShared shared;
    if (code_shared_open(&e->cx, FINDER, LLVMFunctionType(i64, parameters, 3, false), &shared)) {
        emit_finder_body(e, shared.function);
        code_shared_close(&e->cx, &shared);
    }
    return shared.function;
}

void emit_pointer_range(Emit *e, LLVMValueRef pointer, int origin, LLVMValueRef *begin, LLVMValueRef *end) {
    if (origin >= 0) {
        emit_origin_range(e, origin, begin, end);
        return;
    }
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64), address = LLVMPointerTypeInContext(e->cx.context, 0);
    LLVMValueRef ranges = emit_launch_field(e, offsetof(HostLaunch, buffers), address);
    LLVMValueRef count = emit_launch_field(e, offsetof(HostLaunch, buffer_count), i64);
    LLVMValueRef finder = buffer_finder(e), arguments[3] = {ranges, count, pointer};
    LLVMValueRef found = LLVMBuildCall2(builder, LLVMGlobalGetValueType(finder), finder, arguments, 3, "");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), some = code_block(&e->cx, "some_buffer"),
                      join = code_block(&e->cx, "buffer");
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntNE, found, code_i64(&e->cx, 0), ""), some, join);
    LLVMPositionBuilderAtEnd(builder, some);
    LLVMValueRef last = LLVMBuildSub(builder, found, code_i64(&e->cx, 1), "");
    LLVMValueRef range[2] = {range_end(e, ranges, last, 0), range_end(e, ranges, last, 1)};
    LLVMBuildBr(builder, join);
    LLVMPositionBuilderAtEnd(builder, join);
    LLVMBasicBlockRef from[2] = {before, some};
    for (int i = 0; i < 2; i++) {
        LLVMValueRef phi = LLVMBuildPhi(builder, i64, i ? "end" : "begin");
        LLVMAddIncoming(phi, (LLVMValueRef[]){code_i64(&e->cx, 0), range[i]}, from, 2);
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
    return emit_may_touch_piece(e, origin, address, code_i64(&e->cx, size));
}

LLVMValueRef emit_may_touch_piece(Emit *e, int origin, LLVMValueRef address, LLVMValueRef size) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef begin, end;
    emit_pointer_range(e, address, origin, &begin, &end);
    LLVMValueRef above = LLVMBuildICmp(builder, LLVMIntUGE, address, begin, "");
    LLVMValueRef below = LLVMBuildICmp(builder, LLVMIntULE, address, end, "");
    LLVMValueRef room = LLVMBuildICmp(builder, LLVMIntUGE, LLVMBuildSub(builder, end, address, ""), size, "");
    return LLVMBuildAnd(builder, LLVMBuildAnd(builder, above, below, ""), room, "");
}

void emit_check_access(Emit *e, int origin, LLVMValueRef address, unsigned size, const char *message) {
    LLVMValueRef inside = emit_may_touch(e, origin, address, size), begin, end;
    if (origin < 0 || !emit_is_local(e, origin)) {
        emit_check(e, inside, &(EmitFault){.kind = HOST_SITE_BOUNDS, .message = message, .address = address});
        return;
    }
    emit_origin_range(e, origin, &begin, &end);
    LLVMValueRef size_of_local = LLVMBuildSub(e->cx.builder, end, begin, ""),
                 offset = LLVMBuildSub(e->cx.builder, address, begin, "");
    emit_check(e, inside,
               &(EmitFault){.kind = HOST_SITE_LOCAL, .message = message, .found = offset, .limit = size_of_local});
}

// ---- values in memory -----------------------------------------------------------------------------------------------

LLVMValueRef emit_pointer_of(Emit *e, LLVMValueRef address) {
    unsigned space = e->local_count ? EMIT_GENERIC : e->target->buffer_space; // an alloca may be in shared memory
    LLVMTypeRef type = vector_type_like(LLVMPointerTypeInContext(e->cx.context, space), address);
    return LLVMBuildIntToPtr(e->cx.builder, address, type, "");
}

NumericValue emit_value_of_planes(Emit *e, EmitElement element, const LLVMValueRef *planes) {
    if (element.kept) return numeric_kept_value(&e->cx, element.format, planes);
    if (element.is_float) return e->cx.numeric->from_planes(&e->cx, element.format, planes);
    LLVMValueRef value = planes[0];
    if (element.bits == 1) value = LLVMBuildICmp(e->cx.builder, LLVMIntNE, value, LLVMConstNull(LLVMTypeOf(value)), "");
    NumericValue integer = emit_unmarked(e, element, value);
    if (planes[1] && element.parts > 1) integer.parts[1] = planes[1];
    return integer;
}

void emit_planes_of_value(Emit *e, EmitElement element, const NumericValue *value, LLVMValueRef *planes) {
    if (element.kept) {
        numeric_kept_planes(&e->cx, element.format, value, planes);
        return;
    }
    if (element.is_float) {
        e->cx.numeric->to_planes(&e->cx, element.format, value, planes);
        return;
    }
    planes[0] = value->parts[0];
    planes[1] = element.parts > 1 ? value->parts[1] : NULL;
    if (element.bits == 1)
        planes[0] =
            LLVMBuildZExt(e->cx.builder, planes[0], vector_type_like(code_integer_type(&e->cx, 8), planes[0]), "");
}

// ---- lanes in memory of their own -----------------------------------------------------------------------------------

// ---- lanes under a mask ---------------------------------------------------------------------------------------------

unsigned emit_ordered_load(LLVMAtomicOrdering ordering) {
    return ordering == LLVMAtomicOrderingNotAtomic ? 0 : EMIT_BUFFERS;
}

bool emit_one_loads(const Emit *e, LLVMAtomicOrdering ordering) {
    return emit_thread_bits(e) && ordering != LLVMAtomicOrderingNotAtomic;
}

LLVMAtomicOrdering emit_ordering(const TirOp *op) {
    static const LLVMAtomicOrdering orderings[] = {
        [TIR_memory_ordering_weak] = LLVMAtomicOrderingNotAtomic,
        [TIR_memory_ordering_relaxed] = LLVMAtomicOrderingMonotonic,
        [TIR_memory_ordering_acquire] = LLVMAtomicOrderingAcquire,
        [TIR_memory_ordering_release] = LLVMAtomicOrderingRelease,
        [TIR_memory_ordering_acq_rel] = LLVMAtomicOrderingAcquireRelease, // of atomics alone
    };
    _Static_assert(BASE_COUNT(orderings) == TIR_memory_ordering_COUNT, "a row for each ordering");
    return orderings[tir_attribute_integer(op, "ordering")];
}

// ---- records --------------------------------------------------------------------------------------------------------

static LLVMValueRef widths_of(Emit *e, int origin) {
    const uint32_t local = emit_local_widths(e, origin);
    if (origin >= 0 && emit_is_local(e, origin)) return code_i32(&e->cx, (int32_t)local);
    if (origin < 0) {
        LLVMValueRef at = code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), e->launch,
                                          code_i64(&e->cx, offsetof(HostLaunch, all_widths)));
        return LLVMBuildOr(e->cx.builder, code_load(&e->cx, code_integer_type(&e->cx, 32), at, 4),
                           code_i32(&e->cx, (int32_t)local), "");
    }
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0);
    LLVMValueRef all = emit_launch_field(e, offsetof(HostLaunch, argument_widths), pointer);
    return code_load(&e->cx, code_integer_type(&e->cx, 32),
                     code_pointer_at(&e->cx, code_integer_type(&e->cx, 32), all, code_i64(&e->cx, origin)), 4);
}

// What the launch must know before it runs.
static void note_widths(Emit *e, uint32_t widths, int origin) {
    if (origin < 0)
        e->kernel->stored_widths_unknown |= widths;
    else if (!emit_is_local(e, origin))
        e->stored_widths[origin] |= widths;
}

// The same, and who stored what.
static LLVMValueRef note_store(Emit *e, const TirOp *op, unsigned width, int origin) {
    note_widths(e, 1u << width, origin);
    const uint32_t store = emit_add_store(e, (KernelStore){.op = tir_op_name(op), .at = op->at});
    LLVMValueRef at = code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), e->launch,
                                      code_i64(&e->cx, offsetof(HostLaunch, store_base)));
    LLVMValueRef base = code_load(&e->cx, code_integer_type(&e->cx, 32), at, 4);
    return LLVMBuildAdd(e->cx.builder, base, code_i32(&e->cx, (int32_t)store), "");
}

// A block's memory whose places hold values of one type each: there are no records of other widths.
static bool holds_one_type(const Emit *e, int origin) {
    const TirTypeInfo *type = tir_type(e->module, e->function->type);
    return e->function->uniform_memory && origin == (int)type->parameter_count - 1;
}

bool emit_keeps_words(const Emit *e) {
    return e->function->uniform_memory && numeric_keeps(&e->cx, FPSAN_F32);
}

EmitElement emit_element_at(const Emit *e, TirType tile, int origin) {
    EmitElement element = emit_element(e, tile);
    element.kept = element.is_float && holds_one_type(e, origin) && numeric_keeps(&e->cx, element.format);
    return element;
}

static LLVMValueRef own_widths(const Emit *e, EmitElement element, unsigned width) {
    const uint32_t own = element.is_float ? 1u << width : 0;
    return code_i32(&e->cx, (int32_t)(own | (e->cx.poison ? HOST_MAY_BE_UNSPECIFIED : 0)));
}

RecordPlace emit_record_place(Emit *e, const TirOp *op, EmitElement element, int origin, bool is_store) {
    RecordPlace place = {.is_float = element.is_float, .planes = 1, .launch = e->launch};
    const bool marked = e->cx.poison && !element.is_float && element.parts > 1;
    if (!e->cx.numeric->has_records || (!element.is_float && !is_store && !marked)) return place;
    place.width = map_log2(emit_storage_bytes(element));
    place.widths = holds_one_type(e, origin) ? own_widths(e, element, place.width) : widths_of(e, origin);
    place.marked = marked;
    if (marked && is_store) note_widths(e, HOST_MAY_BE_UNSPECIFIED, origin);
    if (!element.is_float) return place;
    if (is_store) place.store = note_store(e, op, place.width, origin);
    record_open(&e->cx, element.format, &place);
    if (element.kept) place.kept = true, place.planes = e->cx.numeric->part_count;
    return place;
}
