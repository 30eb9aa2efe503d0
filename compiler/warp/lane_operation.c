// SPDX-License-Identifier: Apache-2.0
// Calls of those who run warps (WarpOps): memory, operations, waiting, ends. Operands and results go through slots,
// memory of the function that each instruction uses anew.
#include "compiler/warp/lanes.h"

#include <assert.h>
#include <stddef.h>

// ---- WarpState

LLVMValueRef lane_state_pointer(const LaneCode *code, size_t offset) {
    return code_pointer_at(&code->cx, code_integer_type(&code->cx, 8), code->state,
                           code_i64(&code->cx, (int64_t)offset));
}

static unsigned type_bytes(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind ? 8 : code_type_bits(type) / 8;
}

LLVMValueRef lane_state_field(LaneCode *code, size_t offset, LLVMTypeRef type) {
    return code_load(&code->cx, type, lane_state_pointer(code, offset), type_bytes(type));
}

void lane_set_state_field(LaneCode *code, size_t offset, LLVMValueRef value) {
    code_store(&code->cx, value, lane_state_pointer(code, offset), type_bytes(LLVMTypeOf(value)));
}

// ---- calls

static LLVMTypeRef pointer_type(const LaneCode *code) {
    return LLVMPointerTypeInContext(code->cx.context, 0);
}

enum { CALL_ARGUMENTS_MAX = 8 };

// Calls a function of WarpOps with the warp and these arguments. `result`: NULL for none.
static LLVMValueRef call_ops(LaneCode *code, size_t offset, LLVMTypeRef result, const LLVMValueRef *arguments,
                             unsigned count) {
    NumericContext *cx = &code->cx;
    LLVMValueRef all[CALL_ARGUMENTS_MAX + 1] = {code->state};
    LLVMTypeRef types[CALL_ARGUMENTS_MAX + 1] = {pointer_type(code)};
    assert(count <= CALL_ARGUMENTS_MAX);
    for (unsigned i = 0; i < count; i++) {
        all[i + 1] = arguments[i];
        types[i + 1] = LLVMTypeOf(arguments[i]);
    }
    LLVMValueRef ops = lane_state_field(code, offsetof(WarpState, ops), pointer_type(code));
    LLVMValueRef at = code_pointer_at(cx, code_integer_type(cx, 8), ops, code_i64(cx, (int64_t)offset));
    LLVMValueRef function = code_load(cx, pointer_type(code), at, 8);
    LLVMTypeRef type = LLVMFunctionType(result ? result : LLVMVoidTypeInContext(cx->context), types, count + 1, false);
    return LLVMBuildCall2(cx->builder, type, function, all, count + 1, "");
}

void lane_call_loop(LaneCode *code, uint32_t place) {
    call_ops(code, offsetof(WarpOps, loop), NULL, (LLVMValueRef[]){code_i32(&code->cx, (int32_t)place)}, 1);
}

void lane_call_yield(LaneCode *code) {
    call_ops(code, offsetof(WarpOps, yield), NULL, NULL, 0);
}

void lane_call_exit(LaneCode *code) {
    call_ops(code, offsetof(WarpOps, exit), NULL, &code->mask_bits, 1);
}

// ---- constants

static LLVMValueRef constant_global(LaneCode *code, LLVMValueRef value) {
    LLVMValueRef global = LLVMAddGlobal(code->cx.module, LLVMTypeOf(value), "");
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetAlignment(global, 8);
    return global;
}

// The instruction's place, then these 32-bit words, then `pointer`, if there is one: in a slot.
static LLVMValueRef spill_words(LaneCode *code, const uint32_t *words, unsigned count, LLVMValueRef pointer) {
    NumericContext *cx = &code->cx;
    LLVMTypeRef word = code_integer_type(cx, 32);
    const unsigned bytes = (count + 1) * (unsigned)sizeof *words;
    LLVMValueRef slot = lane_slot(code, bytes + (pointer ? sizeof(void *) : 0));
    code_store(cx, lane_place_word(code), slot, 4);
    for (unsigned i = 0; i < count; i++)
        code_store(cx, code_i32(cx, (int32_t)words[i]), code_pointer_at(cx, word, slot, code_i64(cx, i + 1)), 4);
    if (pointer) code_store(cx, pointer, code_pointer_at(cx, code_integer_type(cx, 8), slot, code_i64(cx, bytes)), 8);
    return slot;
}

_Static_assert(offsetof(WarpAccess, place) == 0 && sizeof(WarpAccess) == 12 && offsetof(WarpAccess, scope) == 8,
               "written as words below");
static LLVMValueRef spill_access(LaneCode *code, const WarpAccess *access) {
    const uint32_t words[2] = {access->space | (uint32_t)access->bytes << 8 | (uint32_t)access->count << 16 |
                                   (uint32_t)access->flags << 24,
                               access->scope};
    return spill_words(code, words, BASE_COUNT(words), NULL);
}

_Static_assert(offsetof(WarpOperation, place) == 0 && offsetof(WarpOperation, detail) == 8 &&
                   offsetof(WarpOperation, combine) == 8 + 4 * WARP_DETAILS,
               "written as words below");
static LLVMValueRef spill_operation(LaneCode *code, const LaneOperation *operation) {
    uint32_t words[1 + WARP_DETAILS] = {operation->kind | operation->operand_count << 16};
    for (unsigned i = 0; i < WARP_DETAILS; i++) words[1 + i] = operation->detail[i];
    return spill_words(code, words, BASE_COUNT(words),
                       operation->function ? operation->function : LLVMConstNull(pointer_type(code)));
}

// ---- slots

LLVMValueRef lane_slot(LaneCode *code, uint32_t bytes) {
    enum { ALIGNMENT = 64 };
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    LLVMValueRef at =
        code_pointer_at(&code->cx, code_integer_type(&code->cx, 8), code->slots, code_i64(&code->cx, code->slots_used));
    code->slots_used += bytes;
    if (code->slots_bytes < code->slots_used) code->slots_bytes = code->slots_used;
    return at;
}

void lane_slot_release(LaneCode *code) {
    code->slots_used = 0;
}

// How much memory is known when the function is whole.
void lane_open_slots(LaneCode *code) {
    NumericContext *cx = &code->cx;
    code->slots = LLVMBuildArrayAlloca(cx->builder, code_integer_type(cx, 8), code_i32(cx, 64), "slots");
    LLVMSetAlignment(code->slots, 64);
    code->slots_used = code->slots_bytes = 0;
}

void lane_close_slots(LaneCode *code) {
    if (code->slots_bytes)
        LLVMSetOperand(code->slots, 0, code_i32(&code->cx, (int32_t)code->slots_bytes));
    else if (!LLVMGetFirstUse(code->slots))
        LLVMInstructionEraseFromParent(code->slots);
}

static unsigned vector_bytes(LLVMValueRef value) {
    return vector_lanes(value) * code_type_bits(vector_element(LLVMTypeOf(value))) / 8;
}

// The vectors one after the other in a slot.
static LLVMValueRef spill(LaneCode *code, const LLVMValueRef *values, unsigned count) {
    NumericContext *cx = &code->cx;
    const unsigned bytes = vector_bytes(values[0]);
    LLVMValueRef slot = lane_slot(code, bytes * count);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef at = code_pointer_at(cx, code_integer_type(cx, 8), slot, code_i64(cx, (int64_t)i * bytes));
        code_store(cx, values[i], at, bytes < 64 ? bytes : 64);
    }
    return slot;
}

static void reload(LaneCode *code, LLVMValueRef slot, LLVMTypeRef type, unsigned count, LLVMValueRef *values) {
    NumericContext *cx = &code->cx;
    const unsigned bytes = LLVMGetVectorSize(type) * code_type_bits(vector_element(type)) / 8;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef at = code_pointer_at(cx, code_integer_type(cx, 8), slot, code_i64(cx, (int64_t)i * bytes));
        values[i] = code_load(cx, type, at, bytes < 64 ? bytes : 64);
    }
}

// ---- memory

void lane_load(LaneCode *code, const WarpAccess *access, LLVMValueRef addresses, LLVMValueRef *values) {
    LLVMValueRef slot = lane_slot(code, (uint32_t)access->bytes * access->count * WARP_LANES);
    LLVMValueRef arguments[] = {code->mask_bits, spill_access(code, access), spill(code, &addresses, 1), slot};
    call_ops(code, offsetof(WarpOps, load), NULL, arguments, BASE_COUNT(arguments));
    reload(code, slot, lane_type(code, access->bytes * 8u), access->count, values);
}

void lane_store(LaneCode *code, const WarpAccess *access, LLVMValueRef addresses, const LLVMValueRef *values) {
    LLVMValueRef arguments[] = {code->mask_bits, spill_access(code, access), spill(code, &addresses, 1),
                                spill(code, values, access->count)};
    call_ops(code, offsetof(WarpOps, store), NULL, arguments, BASE_COUNT(arguments));
}

void lane_atomic(LaneCode *code, const WarpAccess *access, LLVMValueRef combine, LLVMValueRef addresses,
                 const LLVMValueRef *operands, const LLVMValueRef *swap, LLVMValueRef *old) {
    LLVMValueRef none = LLVMConstNull(pointer_type(code));
    LLVMValueRef slot = old ? lane_slot(code, (uint32_t)access->bytes * access->count * WARP_LANES) : none;
    LLVMValueRef arguments[] = {code->mask_bits,
                                spill_access(code, access),
                                combine,
                                spill(code, &addresses, 1),
                                spill(code, operands, access->count),
                                swap ? spill(code, swap, access->count) : none,
                                slot};
    call_ops(code, offsetof(WarpOps, atomic), NULL, arguments, BASE_COUNT(arguments));
    if (old) reload(code, slot, lane_type(code, access->bytes * 8u), access->count, old);
}

// ---- operations

static LLVMValueRef as_word(LaneCode *code, LLVMValueRef operand) {
    const unsigned bits = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(operand)));
    assert(bits <= 64);
    return bits == 64 ? operand : LLVMBuildZExt(code->cx.builder, operand, lane_type(code, 64), "");
}

// The elements of `data` that lie in the frame, as a constant of pairs: the word that says where, the element's number.
static uint32_t constant_homes(LaneCode *code, const LaneOperation *operation, LLVMValueRef *table) {
    NumericContext *cx = &code->cx;
    LLVMValueRef *words = arena_array(code->module->arena, LLVMValueRef, 2 * (size_t)operation->data_count);
    uint32_t count = 0;
    for (uint32_t i = 0; operation->homes && i < operation->data_count; i++) {
        if (!operation->homes[i]) continue;
        words[count++] = code_i32(cx, (int32_t)operation->homes[i]);
        words[count++] = code_i32(cx, (int32_t)i);
    }
    if (!count) return 0;
    *table = constant_global(code, LLVMConstArray2(code_integer_type(cx, 32), words, count));
    return count / 2;
}

static LLVMValueRef aligned_load(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef at, unsigned alignment) {
    LLVMValueRef value = LLVMBuildLoad2(builder, type, at, "");
    LLVMSetAlignment(value, alignment);
    return value;
}

// void (frame, words, slot, pairs, how many, mask): a loop that copies registers of 32 bits from their places in the frame
// to a slot, or the other way the lanes of the mask. Lists of registers are long: code for each of them takes long to
// compile.
static LLVMValueRef copy_function(LaneCode *code, bool to_frame) {
    NumericContext *cx = &code->cx;
    const char *name = to_frame ? "congruent.registers.write" : "congruent.registers.read";
    LLVMValueRef function = LLVMGetNamedFunction(cx->module, name);
    if (function) return function;
    LLVMTypeRef pointer = pointer_type(code), word = code_integer_type(cx, 32), byte = code_integer_type(cx, 8),
                vector = lane_type(code, 32);
    LLVMTypeRef types[] = {pointer, pointer, pointer, pointer, word, word};
    function = LLVMAddFunction(
        cx->module, name, LLVMFunctionType(LLVMVoidTypeInContext(cx->context), types, BASE_COUNT(types), false));
    LLVMSetLinkage(function, LLVMInternalLinkage);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(cx->context);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(cx->context, function, "entry"),
                      loop = LLVMAppendBasicBlockInContext(cx->context, function, "loop"),
                      end = LLVMAppendBasicBlockInContext(cx->context, function, "end");
    LLVMPositionBuilderAtEnd(builder, entry);
    LLVMValueRef lanes = LLVMBuildBitCast(builder, LLVMGetParam(function, 5), lane_type(code, 1), "");
    LLVMBuildBr(builder, loop);
    LLVMPositionBuilderAtEnd(builder, loop);
    LLVMValueRef number = LLVMBuildPhi(builder, word, "");
    LLVMValueRef pair[2], first = LLVMBuildShl(builder, number, code_i32(cx, 1), "");
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef index = LLVMBuildOr(builder, first, code_i32(cx, (int32_t)i), "");
        LLVMValueRef at = LLVMBuildGEP2(builder, word, LLVMGetParam(function, 3), &index, 1, "");
        pair[i] = aligned_load(builder, word, at, 4);
    }
    LLVMValueRef at = LLVMBuildGEP2(builder, word, LLVMGetParam(function, 1), &pair[0], 1, "");
    pair[0] = aligned_load(builder, word, at, 4);
    LLVMValueRef home = LLVMBuildGEP2(builder, byte, LLVMGetParam(function, 0), &pair[0], 1, "");
    LLVMValueRef place = LLVMBuildGEP2(builder, vector, LLVMGetParam(function, 2), &pair[1], 1, "");
    LLVMValueRef value = aligned_load(builder, vector, to_frame ? place : home, 64);
    if (to_frame) value = LLVMBuildSelect(builder, lanes, value, aligned_load(builder, vector, home, 64), "");
    LLVMSetAlignment(LLVMBuildStore(builder, value, to_frame ? home : place), 64);
    LLVMValueRef next = LLVMBuildAdd(builder, number, code_i32(cx, 1), ""), start = code_i32(cx, 0);
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntULT, next, LLVMGetParam(function, 4), ""), loop, end);
    LLVMAddIncoming(number, &start, &entry, 1);
    LLVMAddIncoming(number, &next, &loop, 1);
    LLVMPositionBuilderAtEnd(builder, end);
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
    return function;
}

static void copy_homes(LaneCode *code, const LaneOperation *operation, bool to_frame) {
    NumericContext *cx = &code->cx;
    LLVMValueRef table, function;
    const uint32_t count = constant_homes(code, operation, &table);
    if (!count) return;
    function = copy_function(code, to_frame);
    LLVMValueRef arguments[] = {code->frame, code->words,  operation->slot, table, code_i32(cx, (int32_t)count),
                                code->mask_bits};
    LLVMBuildCall2(cx->builder, LLVMGlobalGetValueType(function), function, arguments, BASE_COUNT(arguments), "");
}

void lane_write_homes(LaneCode *code, const LaneOperation *operation) {
    if (operation->writes_data) copy_homes(code, operation, true);
}

bool lane_has_home(const LaneOperation *operation, uint32_t i) {
    return operation->homes && operation->homes[i];
}

// `data` as it is in the slot of the operation, but for what lies in the frame.
static void store_data(LaneCode *code, const LaneOperation *operation) {
    NumericContext *cx = &code->cx;
    for (uint32_t i = 0; i < operation->data_count; i++) {
        if (lane_has_home(operation, i)) continue;
        LLVMValueRef at = code_pointer_at(cx, lane_type(code, 32), operation->slot, code_i64(cx, i));
        code_store(cx, LLVMBuildBitCast(cx->builder, operation->data[i], lane_type(code, 32), ""), at, 64);
    }
}

static void reload_data(LaneCode *code, LaneOperation *operation) {
    NumericContext *cx = &code->cx;
    for (uint32_t i = 0; i < operation->data_count; i++) {
        if (lane_has_home(operation, i)) continue;
        LLVMValueRef at = code_pointer_at(cx, lane_type(code, 32), operation->slot, code_i64(cx, i));
        operation->data[i] = code_load(cx, lane_type(code, 32), at, 64);
    }
}

void lane_operate(LaneCode *code, LaneOperation *operation) {
    LLVMValueRef none = LLVMConstNull(pointer_type(code)), operands = none;
    const uint32_t count = operation->operand_count;
    for (uint32_t i = 0; i < count; i++) operation->operands[i] = as_word(code, operation->operands[i]);
    if (count) operands = spill(code, operation->operands, count);
    operation->slot = none;
    if (operation->data_count) operation->slot = lane_slot(code, operation->data_count * sizeof(uint32_t) * WARP_LANES);
    if (operation->reads_data) {
        store_data(code, operation);
        copy_homes(code, operation, false);
    }
    LLVMValueRef arguments[] = {code->mask_bits, spill_operation(code, operation), operands, operation->slot};
    operation->done =
        call_ops(code, offsetof(WarpOps, operate), code_integer_type(&code->cx, 32), arguments, BASE_COUNT(arguments));
    if (count) reload(code, operands, lane_type(code, 64), count, operation->results);
    if (operation->writes_data) reload_data(code, operation);
}

// ---- faults

void lane_trap_where(LaneCode *code, LLVMValueRef where, WarpTrap kind) {
    lane_trap_lanes(code, lane_bits_of_mask(code, where), kind);
}

void lane_trap_lanes(LaneCode *code, LLVMValueRef bits, WarpTrap kind) {
    NumericContext *cx = &code->cx;
    LLVMBasicBlockRef trap = code_block(cx, "trap"), go_on = code_block(cx, "go_on");
    LLVMBuildCondBr(cx->builder, LLVMBuildIsNull(cx->builder, bits, ""), go_on, trap);
    LLVMPositionBuilderAtEnd(cx->builder, trap);
    LLVMValueRef arguments[] = {bits, code_i32(cx, kind), lane_place_word(code)};
    call_ops(code, offsetof(WarpOps, trap), NULL, arguments, BASE_COUNT(arguments));
    LLVMBuildBr(cx->builder, go_on);
    LLVMPositionBuilderAtEnd(cx->builder, go_on);
}

// The place of the first instruction of each block, by the number that `pc` has.
static LLVMValueRef block_places(LaneCode *code) {
    NumericContext *cx = &code->cx;
    const LanePlan *plan = &code->plan;
    LLVMValueRef *items = arena_array(code->module->arena, LLVMValueRef, plan->block_count);
    for (uint32_t i = 0; i < plan->block_count; i++) {
        const LaneBlock *block = &plan->blocks[i];
        const uint32_t place = block->count ? lane_place(code, &code->function->instructions[block->first]) : 0;
        items[i] = code_i32(cx, (int32_t)place);
    }
    return constant_global(code, LLVMConstArray2(code_integer_type(cx, 32), items, plan->block_count));
}

void lane_call_stuck(LaneCode *code, LLVMValueRef waiting, LLVMValueRef blocks) {
    NumericContext *cx = &code->cx;
    LLVMTypeRef word = code_integer_type(cx, 32);
    LLVMValueRef table = block_places(code), slot = lane_slot(code, sizeof(uint32_t) * WARP_LANES);
    LLVMValueRef waits = lane_mask_of_bits(code, waiting);
    blocks = LLVMBuildSelect(cx->builder, waits, blocks, lane_constant(code, 32, 0), "");
    LLVMValueRef from = spill(code, &blocks, 1);
    CodeLoop lane = code_loop_open(cx, code_i64(cx, WARP_LANES));
    LLVMValueRef block = code_load(cx, word, code_pointer_at(cx, word, from, lane.index), 4);
    LLVMValueRef at =
        code_pointer_at(cx, word, table, LLVMBuildZExt(cx->builder, block, code_integer_type(cx, 64), ""));
    code_store(cx, code_load(cx, word, at, 4), code_pointer_at(cx, word, slot, lane.index), 4);
    code_loop_close(cx, &lane);
    call_ops(code, offsetof(WarpOps, stuck), NULL, (LLVMValueRef[]){waiting, slot}, 2);
}
