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

void lane_call_enter(LaneCode *code, LLVMValueRef frame, uint32_t bytes, uint32_t local) {
    LLVMValueRef arguments[3] = {frame, code_i32(&code->cx, (int32_t)bytes), code_i32(&code->cx, (int32_t)local)};
    call_ops(code, offsetof(WarpOps, enter), NULL, arguments, 3);
}

// ---- constants

LLVMValueRef lane_constant_words(LaneCode *code, LLVMValueRef *words, uint32_t count) {
    LLVMValueRef value = LLVMConstArray2(code_integer_type(&code->cx, 32), words, count);
    LLVMValueRef global = LLVMAddGlobal(code->cx.module, LLVMTypeOf(value), "");
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetAlignment(global, sizeof(uint32_t));
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

// `data` in the slot of the operation, but for registers that are read in the frame.
static void store_data(LaneCode *code, const LaneOperation *operation) {
    NumericContext *cx = &code->cx;
    for (uint32_t i = 0; i < operation->data_count; i++) {
        if (lane_has_home(operation, i)) continue;
        LLVMValueRef at = code_pointer_at(cx, lane_type(code, 32), operation->slot, code_i64(cx, i));
        code_store(cx, LLVMBuildBitCast(cx->builder, operation->data[i], lane_type(code, 32), ""), at, 64);
    }
    lane_copy_homes(code, operation, false);
}

static void reload_data(LaneCode *code, LaneOperation *operation) {
    NumericContext *cx = &code->cx;
    for (uint32_t i = 0; i < operation->written; i++) {
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
    if (operation->reads_data) store_data(code, operation);
    LLVMValueRef arguments[] = {code->mask_bits, spill_operation(code, operation), operands, operation->slot};
    operation->done =
        call_ops(code, offsetof(WarpOps, operate), code_integer_type(&code->cx, 32), arguments, BASE_COUNT(arguments));
    if (count) reload(code, operands, lane_type(code, 64), 1, &operation->result);
    reload_data(code, operation);
}

// ---- faults

void lane_trap_where(LaneCode *code, LLVMValueRef where, WarpTrap kind) {
    lane_trap_lanes(code, lane_bits_of_mask(code, where), kind);
}

void lane_trap_lanes(LaneCode *code, LLVMValueRef bits, WarpTrap kind) {
    lane_trap_at(code, bits, kind, lane_place_word(code));
}

void lane_trap_at(LaneCode *code, LLVMValueRef bits, WarpTrap kind, LLVMValueRef place) {
    NumericContext *cx = &code->cx;
    LLVMBasicBlockRef trap = code_block(cx, "trap"), go_on = code_block(cx, "go_on");
    LLVMBuildCondBr(cx->builder, LLVMBuildIsNull(cx->builder, bits, ""), go_on, trap);
    LLVMPositionBuilderAtEnd(cx->builder, trap);
    LLVMValueRef arguments[] = {bits, code_i32(cx, kind), place};
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
    return lane_constant_words(code, items, plan->block_count);
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
