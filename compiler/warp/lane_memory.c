// SPDX-License-Identifier: Apache-2.0
// Loads and stores: of memory through WarpOps, of parameters directly.
#include "compiler/warp/lanes.h"

#include <stddef.h>

// ---- what the words say

PtxSpace lane_space(const PtxInstruction *instruction) {
    switch (ptx_find(instruction, PTX_SET_space)) {
    case PTX_WORD_shared:
    case PTX_WORD_shared_cta: return PTX_SHARED;
    case PTX_WORD_shared_cluster: return PTX_SHARED_CLUSTER;
    case PTX_WORD_local: return PTX_LOCAL;
    case PTX_WORD_global: return PTX_GLOBAL;
    case PTX_WORD_const: return PTX_CONSTANT;
    case PTX_WORD_param:
    case PTX_WORD_param_entry:
    case PTX_WORD_param_func: return PTX_PARAMETER;
    default: return PTX_GENERIC;
    }
}

static const struct SpaceRow {
    uint8_t space, flags;
} space_rows[] = {
    [PTX_GENERIC] = {WARP_GENERIC, 0},
    [PTX_REGISTERS] = {WARP_GENERIC, 0},
    [PTX_GLOBAL] = {WARP_GLOBAL, 0},
    [PTX_SHARED] = {WARP_SHARED, 0},
    [PTX_SHARED_CLUSTER] = {WARP_SHARED, WARP_CLUSTER_SHARED},
    [PTX_LOCAL] = {WARP_LOCAL, 0},
    [PTX_CONSTANT] = {WARP_GLOBAL, WARP_READ_ONLY},
    [PTX_PARAMETER] = {WARP_PARAMETER, 0},
};
_Static_assert(BASE_COUNT(space_rows) == PTX_SPACE_COUNT, "a row for each space");

static uint8_t order_flags(const PtxInstruction *instruction) {
    switch (ptx_find(instruction, PTX_SET_order)) {
    case PTX_WORD_acquire: return WARP_ACQUIRE;
    case PTX_WORD_release: return WARP_RELEASE;
    case PTX_WORD_acq_rel:
    case PTX_WORD_sc: return WARP_ACQUIRE | WARP_RELEASE;
    case PTX_WORD_relaxed:
    case PTX_WORD_volatile:
    case PTX_WORD_mmio: return WARP_RELAXED;
    default: return 0;
    }
}

static uint8_t scope_of(const PtxInstruction *instruction) {
    switch (ptx_find(instruction, PTX_SET_scope)) {
    case PTX_WORD_cta: return WARP_SCOPE_BLOCK;
    case PTX_WORD_cluster: return WARP_SCOPE_CLUSTER;
    case PTX_WORD_gpu: return WARP_SCOPE_GPU;
    default: return WARP_SCOPE_SYSTEM;
    }
}

WarpAccess lane_access(LaneCode *code, const PtxInstruction *instruction, PtxType type) {
    const struct SpaceRow *row = &space_rows[lane_space(instruction)];
    const PtxWord vector = ptx_find(instruction, PTX_SET_vector);
    return (WarpAccess){
        .place = code->place,
        .space = row->space,
        .bytes = (uint8_t)(ptx_type_info(type)->bits / 8),
        .count = vector == PTX_WORD_v2   ? 2
                 : vector == PTX_WORD_v4 ? 4
                 : vector == PTX_WORD_v8 ? 8
                                         : 1,
        .flags =
            (uint8_t)(row->flags | order_flags(instruction) | (ptx_has(instruction, PTX_WORD_nc) ? WARP_READ_ONLY : 0)),
        .scope = scope_of(instruction),
    };
}

// ---- registers that are loaded and stored

static const PtxOperand *item_of(const PtxOperand *operand, uint32_t index) {
    return operand->kind == PTX_LIST ? &operand->items[index] : operand;
}

static bool check_items(LaneCode *code, const PtxOperand *operand, unsigned count) {
    if (count == 1 ? operand->kind != PTX_LIST : operand->kind == PTX_LIST && operand->count == count) return true;
    return lane_refuse(code, "its registers are not %u", count);
}

// ---- parameters of kernels: the same for all lanes

static bool load_kernel_parameter(LaneCode *code, const PtxInstruction *instruction, const PtxOperand *base,
                                  const WarpAccess *access, PtxType type) {
    NumericContext *cx = &code->cx;
    const PtxVariable *parameter = &code->function->variables[base->index];
    const int64_t first = instruction->operands[1].offset + base->offset;
    const int64_t bytes = (int64_t)access->bytes * access->count;
    if (first < 0 || first + bytes > (int64_t)parameter->size)
        return lane_refuse(code, "bytes %lld to %lld of parameter %s, which has %llu", (long long)first,
                           (long long)(first + bytes - 1), parameter->name, (unsigned long long)parameter->size);
    LLVMValueRef block =
        lane_state_field(code, offsetof(WarpState, parameters), LLVMPointerTypeInContext(cx->context, 0));
    for (unsigned i = 0; i < access->count; i++) {
        const int64_t at = lane_parameter_offset(code->function, base->index) + first + (int64_t)i * access->bytes;
        LLVMValueRef value = code_load(cx, code_integer_type(cx, access->bytes * 8u),
                                       code_pointer_at(cx, code_integer_type(cx, 8), block, code_i64(cx, at)), 1);
        lane_write(code, item_of(&instruction->operands[0], i), lane_splat(code, value), type);
    }
    return true;
}

// ---- parameters of functions: memory of this function or its caller

// Pointers to the bytes of each lane; NULL: the lanes are one vector at *whole.
static bool parameter_pointers(LaneCode *code, const PtxOperand *address, const WarpAccess *access, unsigned element,
                               LLVMValueRef *whole, LLVMValueRef *pointers) {
    NumericContext *cx = &code->cx;
    const PtxOperand *base = &address->items[0];
    const PtxVariable *variable = &code->function->variables[base->index];
    const int64_t at = address->offset + base->offset + (int64_t)element * access->bytes;
    if (at < 0 || at + access->bytes > (int64_t)variable->size)
        return lane_refuse(code, "bytes beyond parameter %s, which has %llu", variable->name,
                           (unsigned long long)variable->size);
    LLVMValueRef memory = lane_parameter_memory(code, base->index);
    *whole = memory;
    *pointers = NULL;
    if (variable->size == access->bytes) return true;
    LLVMValueRef distance =
        LLVMBuildMul(cx->builder, LLVMBuildZExt(cx->builder, lane_numbers(code), lane_type(code, 64), ""),
                     lane_constant(code, 64, variable->size), "");
    distance = LLVMBuildAdd(cx->builder, distance, lane_constant(code, 64, (uint64_t)at), "");
    *pointers = LLVMBuildGEP2(cx->builder, code_integer_type(cx, 8), memory, &distance, 1, "");
    return true;
}

static unsigned whole_alignment(const WarpAccess *access) {
    return access->bytes > 1 ? 64 : 32;
}

static bool access_parameter(LaneCode *code, const PtxOperand *address, const PtxOperand *registers,
                             const WarpAccess *access, PtxType type, bool store) {
    NumericContext *cx = &code->cx;
    LLVMTypeRef scalar = code_integer_type(cx, access->bytes * 8u), vector = lane_type(code, access->bytes * 8u);
    for (unsigned i = 0; i < access->count; i++) {
        LLVMValueRef whole = NULL, pointers = NULL;
        if (!parameter_pointers(code, address, access, i, &whole, &pointers)) return false;
        const PtxOperand *item = item_of(registers, i);
        if (!store) {
            LLVMValueRef value = pointers ? code_masked_load(cx, scalar, pointers, code->mask, 1)
                                          : code_load(cx, vector, whole, whole_alignment(access));
            lane_write(code, item, value, type);
            continue;
        }
        LLVMValueRef value = lane_read_type(code, item, type);
        if (pointers) {
            code_masked_store(cx, value, pointers, code->mask, 1);
            continue;
        }
        LLVMValueRef old = code_load(cx, vector, whole, whole_alignment(access));
        code_store(cx, LLVMBuildSelect(cx->builder, code->mask, value, old, ""), whole, whole_alignment(access));
    }
    return true;
}

static bool is_parameter(const LaneCode *code, const PtxOperand *address) {
    const PtxOperand *base = &address->items[0];
    return base->kind == PTX_VARIABLE && !base->global && code->function->variables[base->index].space == PTX_PARAMETER;
}

static bool is_kernels(const LaneCode *code, const PtxOperand *address) {
    return code->function->entry && address->items[0].index < code->function->parameter_count;
}

// ---- instructions

static PtxType element_type(const PtxInstruction *instruction) {
    return instruction->types[instruction->type_count - 1];
}

bool lane_emit_load(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType type = element_type(instruction);
    WarpAccess access = lane_access(code, instruction, type);
    const PtxOperand *registers = &instruction->operands[0], *address = &instruction->operands[1];
    if (lane_is_validated(code, instruction)) access.flags |= WARP_RELAXED;
    if (!check_items(code, registers, access.count)) return false;
    if (is_parameter(code, address) && is_kernels(code, address))
        return load_kernel_parameter(code, instruction, &address->items[0], &access, type);
    if (is_parameter(code, address)) return access_parameter(code, address, registers, &access, type, false);
    LLVMValueRef values[8];
    LLVMValueRef addresses = lane_address(code, address, lane_space(instruction));
    const bool guarded = instruction->guard.kind != PTX_NONE;
    LaneGuard guard = {0};
    if (guarded) guard = lane_guard_open(code);
    lane_load(code, &access, addresses, values);
    if (guarded) lane_guard_close(code, &guard, access.count, values);
    for (unsigned i = 0; i < access.count; i++) lane_write(code, item_of(registers, i), values[i], type);
    return true;
}

bool lane_emit_store(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType type = element_type(instruction);
    const WarpAccess access = lane_access(code, instruction, type);
    const PtxOperand *address = &instruction->operands[0], *registers = &instruction->operands[1];
    if (!check_items(code, registers, access.count)) return false;
    if (is_parameter(code, address)) {
        if (is_kernels(code, address)) return lane_refuse(code, "parameters of kernels are read-only");
        return access_parameter(code, address, registers, &access, type, true);
    }
    LLVMValueRef values[8];
    LLVMValueRef addresses = lane_address(code, address, lane_space(instruction));
    for (unsigned i = 0; i < access.count; i++) values[i] = lane_read_type(code, item_of(registers, i), type);
    const bool guarded = instruction->guard.kind != PTX_NONE;
    LaneGuard guard = {0};
    if (guarded) guard = lane_guard_open(code);
    lane_store(code, &access, addresses, values);
    if (guarded) lane_guard_close(code, &guard, 0, NULL);
    return true;
}
