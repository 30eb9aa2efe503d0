// SPDX-License-Identifier: Apache-2.0
// Which instructions write a register.
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
