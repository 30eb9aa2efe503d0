// SPDX-License-Identifier: Apache-2.0
// The code builder: types, constants, memory, control flow.
#include "compiler/lower/code.h"

#include <assert.h>

// ---- types and constants --------------------------------------------------------------------------------------------

LLVMTypeRef code_integer_type(const NumericContext *cx, unsigned bits) {
    return LLVMIntTypeInContext(cx->context, bits);
}

LLVMValueRef code_i64(const NumericContext *cx, int64_t value) {
    return LLVMConstInt(code_integer_type(cx, 64), (uint64_t)value, true);
}

LLVMValueRef code_i32(const NumericContext *cx, int32_t value) {
    return LLVMConstInt(code_integer_type(cx, 32), (uint64_t)(int64_t)value, true);
}

unsigned code_type_bits(LLVMTypeRef type) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMDoubleTypeKind ? 64 : kind == LLVMFloatTypeKind ? 32 : LLVMGetIntTypeWidth(type);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

void code_prefetch(const NumericContext *cx, LLVMValueRef pointer, CodePrefetch what, int level) {
    enum { DATA = 1 }; // an operand of llvm.prefetch
    LLVMTypeRef type = LLVMTypeOf(pointer);
    LLVMValueRef operands[] = {pointer, code_i32(cx, what), code_i32(cx, level), code_i32(cx, DATA)};
    vector_intrinsic_of(cx, "llvm.prefetch", &type, 1, operands, BASE_COUNT(operands));
}

LLVMValueRef code_alloca(const NumericContext *cx, LLVMTypeRef type, const char *name) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(cx->builder);
    LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(cx->builder); // which another position changes
    LLVMValueRef first = LLVMGetFirstInstruction(cx->entry_block);
    if (first)
        LLVMPositionBuilderBefore(cx->builder, first);
    else
        LLVMPositionBuilderAtEnd(cx->builder, cx->entry_block);
    LLVMValueRef slot = LLVMBuildAlloca(cx->builder, type, name);
    LLVMPositionBuilderAtEnd(cx->builder, here);
    LLVMSetCurrentDebugLocation2(cx->builder, line);
    return slot;
}

LLVMValueRef code_pointer_at(const NumericContext *cx, LLVMTypeRef element, LLVMValueRef base, LLVMValueRef index) {
    return LLVMBuildInBoundsGEP2(cx->builder, element, base, &index, 1, "");
}

LLVMValueRef code_load(const NumericContext *cx, LLVMTypeRef type, LLVMValueRef pointer, unsigned align) {
    LLVMValueRef load = LLVMBuildLoad2(cx->builder, type, pointer, "");
    LLVMSetAlignment(load, align);
    return load;
}

void code_store(const NumericContext *cx, LLVMValueRef value, LLVMValueRef pointer, unsigned align) {
    LLVMSetAlignment(LLVMBuildStore(cx->builder, value, pointer), align);
}

LLVMValueRef code_launch_field(const NumericContext *cx, LLVMValueRef launch, size_t offset, LLVMTypeRef type) {
    LLVMValueRef at = code_pointer_at(cx, code_integer_type(cx, 8), launch, code_i64(cx, (int64_t)offset));
    LLVMValueRef load = code_load(cx, type, at, 8);
    LLVMSetMetadata(load, LLVMGetMDKindIDInContext(cx->context, "invariant.load", 14),
                    LLVMMetadataAsValue(cx->context, LLVMMDNodeInContext2(cx->context, NULL, 0)));
    return load;
}

LLVMValueRef code_pointer_of(const NumericContext *cx, LLVMValueRef address) {
    LLVMTypeRef type = vector_type_like(LLVMPointerTypeInContext(cx->context, 0), address);
    return LLVMBuildIntToPtr(cx->builder, address, type, "");
}

LLVMValueRef code_lanes(const NumericContext *cx, LLVMValueRef vector, unsigned first, unsigned count) {
    enum { LANES_MAX = 64 };
    LLVMValueRef order[LANES_MAX];
    assert(count <= LANES_MAX);
    if (!vector_lanes(vector)) return vector;
    if (count == 1) return LLVMBuildExtractElement(cx->builder, vector, code_i32(cx, (int32_t)first), "");
    for (unsigned i = 0; i < count; i++) order[i] = code_i32(cx, (int32_t)(first + i));
    LLVMValueRef all = LLVMConstVector(order, count);
    return LLVMBuildShuffleVector(cx->builder, vector, LLVMGetUndef(LLVMTypeOf(vector)), all, "");
}

LLVMValueRef code_spill(const NumericContext *cx, LLVMValueRef lanes, unsigned index) {
    CodeSlots *slots = cx->slots;
    LLVMTypeRef type = LLVMTypeOf(lanes);
    size_t at = 0;
    while (at < slots->count && (slots->items[at].type != type || slots->items[at].index != index)) at++;
    if (at == slots->count) {
        slots->items = arena_grow(slots->arena, slots->items, at, &slots->capacity, sizeof *slots->items);
        slots->items[slots->count++] = (CodeSlot){type, index, code_alloca(cx, type, "lanes")};
    }
    LLVMBuildStore(cx->builder, lanes, slots->items[at].slot);
    return slots->items[at].slot;
}

// ---- control flow ---------------------------------------------------------------------------------------------------

LLVMBasicBlockRef code_block(const NumericContext *cx, const char *name) {
    return LLVMAppendBasicBlockInContext(cx->context, cx->function, name);
}

void code_set_odds(const NumericContext *cx, LLVMValueRef branch, unsigned first, unsigned second) {
    LLVMMetadataRef weights[3] = {LLVMMDStringInContext2(cx->context, "branch_weights", 14),
                                  LLVMValueAsMetadata(code_i32(cx, (int32_t)first)),
                                  LLVMValueAsMetadata(code_i32(cx, (int32_t)second))};
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(cx->context, "prof", 4),
                    LLVMMetadataAsValue(cx->context, LLVMMDNodeInContext2(cx->context, weights, 3)));
}

CodeLoop code_loop_open(const NumericContext *cx, LLVMValueRef count) {
    LLVMBuilderRef builder = cx->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder);
    CodeLoop loop = {.body = code_block(cx, "loop"), .count = count};
    LLVMBuildBr(builder, loop.body);
    LLVMPositionBuilderAtEnd(builder, loop.body);
    loop.index = LLVMBuildPhi(builder, code_integer_type(cx, 64), "i");
    LLVMValueRef zero = code_i64(cx, 0);
    LLVMAddIncoming(loop.index, &zero, &before, 1);
    return loop;
}

void code_loop_close(const NumericContext *cx, const CodeLoop *loop) {
    LLVMBuilderRef builder = cx->builder;
    LLVMValueRef next = LLVMBuildNUWAdd(builder, loop->index, code_i64(cx, 1), "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(builder), after = code_block(cx, "done");
    LLVMAddIncoming(loop->index, &next, &latch, 1);
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntULT, next, loop->count, ""), loop->body, after);
    LLVMPositionBuilderAtEnd(builder, after);
}

CodeGuard code_guard_open(const NumericContext *cx, LLVMValueRef condition) {
    CodeGuard guard = {LLVMGetInsertBlock(cx->builder), code_block(cx, "guard.join")};
    LLVMBasicBlockRef inside = code_block(cx, "guarded");
    LLVMBuildCondBr(cx->builder, condition, inside, guard.join);
    LLVMPositionBuilderAtEnd(cx->builder, inside);
    return guard;
}

void code_guard_close(const NumericContext *cx, const CodeGuard *guard, unsigned count, LLVMValueRef *values) {
    LLVMBasicBlockRef from[2] = {guard->before, LLVMGetInsertBlock(cx->builder)};
    LLVMBuildBr(cx->builder, guard->join);
    LLVMPositionBuilderAtEnd(cx->builder, guard->join);
    for (unsigned i = 0; i < count; i++) {
        LLVMTypeRef type = LLVMTypeOf(values[i]);
        LLVMValueRef phi = LLVMBuildPhi(cx->builder, type, "");
        LLVMAddIncoming(phi, (LLVMValueRef[]){LLVMConstNull(type), values[i]}, from, 2);
        values[i] = phi;
    }
}

bool code_shared_open(NumericContext *cx, const char *name, LLVMTypeRef type, CodeShared *shared) {
    LLVMBuilderRef builder = cx->builder;
    *shared = (CodeShared){.function = LLVMGetNamedFunction(cx->module, name),
                           .caller = cx->function,
                           .here = LLVMGetInsertBlock(builder),
                           .line = LLVMGetCurrentDebugLocation2(builder)};
    if (shared->function) return false;
    shared->function = LLVMAddFunction(cx->module, name, type);
    if (machine_function(&cx->machine, name)) return false;
    LLVMSetLinkage(shared->function, LLVMInternalLinkage);
    cx->function = shared->function;
    LLVMSetCurrentDebugLocation2(builder, NULL); // it belongs to no line
    LLVMPositionBuilderAtEnd(builder, code_block(cx, "entry"));
    return true;
}

void code_shared_close(NumericContext *cx, const CodeShared *shared) {
    cx->function = shared->caller;
    LLVMPositionBuilderAtEnd(cx->builder, shared->here);
    LLVMSetCurrentDebugLocation2(cx->builder, shared->line);
}

// ---- lanes under a mask ---------------------------------------------------------------------------------------------

static LLVMValueRef call_overloaded(const NumericContext *cx, const char *name, LLVMTypeRef *types, unsigned type_count,
                                    LLVMValueRef *arguments, unsigned count) {
    unsigned id = LLVMLookupIntrinsicID(name, __builtin_strlen(name));
    assert(id);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(cx->module, id, types, type_count);
    return LLVMBuildCall2(cx->builder, LLVMGlobalGetValueType(function), function, arguments, count, "");
}

// llvm.masked.* take the alignment of the pointer argument from an attribute.
static void set_pointer_alignment(const NumericContext *cx, LLVMValueRef call, unsigned argument, unsigned bytes) {
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(call, argument + 1, LLVMCreateEnumAttribute(cx->context, kind, bytes));
}

// GPUs access vectors at multiples of their size, and have no masks: lane after lane unless all are active and the
// address is one.
typedef struct LanesInTurn {
    LLVMValueRef pointer, mask;
    LLVMTypeRef scalar;
    unsigned lanes;
} LanesInTurn;

static LLVMValueRef is_whole(const NumericContext *cx, const LanesInTurn *turn, unsigned *align) {
    LLVMBuilderRef builder = cx->builder;
    LLVMValueRef all = turn->mask;
    all = vector_intrinsic(cx, "llvm.vector.reduce.and", &all, 1);
    *align = turn->lanes * code_type_bits(turn->scalar) / 8;
    LLVMValueRef address = LLVMBuildPtrToInt(builder, turn->pointer, code_integer_type(cx, 64), "");
    LLVMValueRef low = LLVMBuildAnd(builder, address, code_i64(cx, *align - 1), "");
    return LLVMBuildAnd(builder, all, LLVMBuildIsNull(builder, low, ""), "");
}

static LLVMValueRef lane_of(const NumericContext *cx, LLVMValueRef vector, unsigned lane) {
    return LLVMBuildExtractElement(cx->builder, vector, code_i32(cx, (int32_t)lane), "");
}

static LLVMValueRef turn_pointer(const NumericContext *cx, const LanesInTurn *turn, unsigned lane) {
    if (vector_lanes(turn->pointer)) return lane_of(cx, turn->pointer, lane);
    return code_pointer_at(cx, turn->scalar, turn->pointer, code_i64(cx, lane));
}

static LLVMValueRef load_in_turn(const NumericContext *cx, const LanesInTurn *turn, unsigned align) {
    LLVMValueRef result = LLVMGetUndef(LLVMVectorType(turn->scalar, turn->lanes));
    for (unsigned lane = 0; lane < turn->lanes; lane++) {
        CodeGuard guard = code_guard_open(cx, lane_of(cx, turn->mask, lane));
        LLVMValueRef one = code_load(cx, turn->scalar, turn_pointer(cx, turn, lane), align);
        code_guard_close(cx, &guard, 1, &one);
        result = LLVMBuildInsertElement(cx->builder, result, one, code_i32(cx, (int32_t)lane), "");
    }
    return result;
}

static LLVMValueRef masked_load_gpu(const NumericContext *cx, LLVMTypeRef type, LLVMValueRef pointer, LLVMValueRef mask,
                                    unsigned align) {
    LLVMBuilderRef builder = cx->builder;
    LanesInTurn turn = {pointer, mask, LLVMGetElementType(type), vector_lanes(mask)};
    if (vector_lanes(pointer)) return load_in_turn(cx, &turn, align);
    LLVMBasicBlockRef from[2] = {code_block(cx, "whole"), code_block(cx, "in_turn")}, join = code_block(cx, "loaded");
    LLVMValueRef loaded[2];
    unsigned whole_align;
    LLVMBuildCondBr(builder, is_whole(cx, &turn, &whole_align), from[0], from[1]);
    for (int i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(builder, from[i]);
        loaded[i] = i ? load_in_turn(cx, &turn, align) : code_load(cx, type, pointer, whole_align);
        from[i] = LLVMGetInsertBlock(builder);
        LLVMBuildBr(builder, join);
    }
    LLVMPositionBuilderAtEnd(builder, join);
    LLVMValueRef phi = LLVMBuildPhi(builder, type, "");
    LLVMAddIncoming(phi, loaded, from, 2);
    return phi;
}

static void store_in_turn(const NumericContext *cx, const LanesInTurn *turn, LLVMValueRef value, unsigned align) {
    for (unsigned lane = 0; lane < turn->lanes; lane++) {
        CodeGuard guard = code_guard_open(cx, lane_of(cx, turn->mask, lane));
        code_store(cx, lane_of(cx, value, lane), turn_pointer(cx, turn, lane), align);
        code_guard_close(cx, &guard, 0, NULL);
    }
}

static void masked_store_gpu(const NumericContext *cx, LLVMValueRef value, LLVMValueRef pointer, LLVMValueRef mask,
                             unsigned align) {
    LLVMBuilderRef builder = cx->builder;
    LanesInTurn turn = {pointer, mask, LLVMGetElementType(LLVMTypeOf(value)), vector_lanes(mask)};
    if (vector_lanes(pointer)) {
        store_in_turn(cx, &turn, value, align);
        return;
    }
    LLVMBasicBlockRef whole = code_block(cx, "whole"), each = code_block(cx, "in_turn"),
                      join = code_block(cx, "stored");
    unsigned whole_align;
    LLVMBuildCondBr(builder, is_whole(cx, &turn, &whole_align), whole, each);
    LLVMPositionBuilderAtEnd(builder, whole);
    code_store(cx, value, pointer, whole_align);
    LLVMBuildBr(builder, join);
    LLVMPositionBuilderAtEnd(builder, each);
    store_in_turn(cx, &turn, value, align);
    LLVMBuildBr(builder, join);
    LLVMPositionBuilderAtEnd(builder, join);
}

// A scalar that is known to be.
static bool is_true(LLVMValueRef mask) {
    return LLVMIsAConstantInt(mask) && LLVMConstIntGetZExtValue(mask);
}

LLVMValueRef code_masked_load(const NumericContext *cx, LLVMTypeRef scalar, LLVMValueRef pointer, LLVMValueRef mask,
                              unsigned align) {
    unsigned lanes = vector_lanes(mask);
    if (is_true(mask)) return code_load(cx, scalar, pointer, align);
    if (!lanes) {
        CodeGuard guard = code_guard_open(cx, mask);
        LLVMValueRef one = code_load(cx, scalar, pointer, align);
        code_guard_close(cx, &guard, 1, &one);
        return one;
    }
    LLVMTypeRef type = LLVMVectorType(scalar, lanes);
    if (!cx->machine.masks_lanes) return masked_load_gpu(cx, type, pointer, mask, align);
    LLVMTypeRef types[2] = {type, LLVMTypeOf(pointer)};
    LLVMValueRef arguments[3] = {pointer, mask, LLVMConstNull(type)};
    const char *name = vector_lanes(pointer) ? "llvm.masked.gather" : "llvm.masked.load";
    LLVMValueRef call = call_overloaded(cx, name, types, 2, arguments, 3);
    set_pointer_alignment(cx, call, 0, align);
    return call;
}

void code_masked_store(const NumericContext *cx, LLVMValueRef value, LLVMValueRef pointer, LLVMValueRef mask,
                       unsigned align) {
    if (is_true(mask)) {
        code_store(cx, value, pointer, align);
        return;
    }
    if (!vector_lanes(mask)) {
        CodeGuard guard = code_guard_open(cx, mask);
        code_store(cx, value, pointer, align);
        code_guard_close(cx, &guard, 0, NULL);
        return;
    }
    if (!cx->machine.masks_lanes) {
        masked_store_gpu(cx, value, pointer, mask, align);
        return;
    }
    LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(pointer)};
    LLVMValueRef arguments[3] = {value, pointer, mask};
    const char *name = vector_lanes(pointer) ? "llvm.masked.scatter" : "llvm.masked.store";
    LLVMValueRef call = call_overloaded(cx, name, types, 2, arguments, 3);
    set_pointer_alignment(cx, call, 1, align);
}
