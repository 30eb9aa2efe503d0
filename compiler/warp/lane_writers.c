// SPDX-License-Identifier: Apache-2.0
// Which instructions write a register, and whether anything depends on what they write.
#include "compiler/warp/lanes.h"

// Counts the writers of each register in ends[]; or with a list, in which ends[] says where they stand, keeps them.
static void note_operand(const PtxOperand *operand, uint32_t instruction, uint32_t *ends, uint32_t *list) {
    if (operand->kind == PTX_REGISTER) {
        if (list) list[ends[operand->index]] = instruction;
        ends[operand->index]++;
    }
    for (uint32_t i = 0; operand->kind == PTX_LIST && i < operand->count; i++)
        note_operand(&operand->items[i], instruction, ends, list);
}

static void note_writers(const PtxFunction *function, uint32_t *ends, uint32_t *list) {
    for (uint32_t i = 0; i < function->instruction_count; i++)
        for (uint32_t k = 0; k < function->instructions[i].operand_count; k++)
            if (ptx_writes(&function->instructions[i], k))
                note_operand(&function->instructions[i].operands[k], i, ends, list);
}

LaneWriters lane_find_writers(const PtxFunction *function, Arena *arena) {
    const uint32_t registers = function->register_count;
    uint32_t *begin = arena_array(arena, uint32_t, registers + 1u),
             *ends = arena_array(arena, uint32_t, registers + 1u);
    uint32_t total = 0;
    note_writers(function, ends, NULL);
    for (uint32_t i = 0; i <= registers; i++) {
        const uint32_t count = ends[i];
        begin[i] = ends[i] = total;
        total += count;
    }
    uint32_t *list = arena_array(arena, uint32_t, total + 1u);
    note_writers(function, ends, list);
    return (LaneWriters){begin, list};
}

uint32_t lane_writers_before(const LaneWriters *writers, uint32_t index, uint32_t instruction) {
    uint32_t low = writers->begin[index], high = writers->begin[index + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (writers->instructions[middle] < instruction)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// ---- readers

// Instructions that do nothing but write a register.
static bool only_computes(const PtxInstruction *instruction) {
    static const PtxOp ops[] = {PTX_OP_selp, PTX_OP_mov, PTX_OP_setp_integer, PTX_OP_cvt_integer,
                                PTX_OP_and,  PTX_OP_or,  PTX_OP_xor,          PTX_OP_not};
    for (size_t i = 0; i < BASE_COUNT(ops); i++)
        if (instruction->op == ops[i]) return true;
    return false;
}

static bool has_read(const PtxOperand *operand, const bool *read) {
    if (operand->kind == PTX_REGISTER) return read[operand->index];
    for (uint32_t i = 0; i < operand->count; i++)
        if (has_read(&operand->items[i], read)) return true;
    return false;
}

static bool needs_result(const PtxInstruction *instruction, const bool *read) {
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        if (ptx_writes(instruction, i) && has_read(&instruction->operands[i], read)) return true;
    return false;
}

// True: a register counts as read that did not before.
static bool note_read(const PtxOperand *operand, bool *read) {
    bool more = false;
    if (operand->kind == PTX_REGISTER) {
        more = !read[operand->index];
        read[operand->index] = true;
    }
    for (uint32_t i = 0; i < operand->count; i++) more |= note_read(&operand->items[i], read);
    return more;
}

static bool note_reads(const PtxInstruction *instruction, bool *read) {
    bool more = note_read(&instruction->guard, read);
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        if (!ptx_writes(instruction, i) || instruction->operands[i].kind == PTX_ADDRESS)
            more |= note_read(&instruction->operands[i], read);
    return more;
}

const bool *lane_find_read(const PtxFunction *function, Arena *arena) {
    enum { PASSES_MAX = 8 };
    bool *read = arena_array(arena, bool, function->register_count + 1u), more = true;
    for (uint32_t i = 0; i < function->variable_count; i++)
        if (function->variables[i].space == PTX_REGISTERS) read[function->variables[i].number] = true;
    // Backwards, since most registers are written before they are read.
    for (unsigned pass = 0; more && pass < PASSES_MAX; pass++) {
        more = false;
        for (uint32_t i = function->instruction_count; i--;)
            if (!only_computes(&function->instructions[i]) || needs_result(&function->instructions[i], read))
                more |= note_reads(&function->instructions[i], read);
    }
    for (uint32_t i = 0; more && i < function->register_count; i++) read[i] = true;
    return read;
}

bool lane_is_wait_read(const LaneCode *code, const PtxInstruction *wait) {
    const PtxOperand *done = &wait->operands[0];
    return done->kind == PTX_REGISTER && code->plan.read[done->index];
}

uint32_t lane_part_count(const PtxOperand *operand) {
    return operand->kind == PTX_LIST ? operand->count : operand->kind == PTX_REGISTER;
}

const PtxOperand *lane_part_of(const PtxOperand *operand, uint32_t part) {
    return operand->kind == PTX_LIST ? &operand->items[part] : operand;
}
