// SPDX-License-Identifier: Apache-2.0
// Which functions code may come to: those that it calls by name, and, where it calls through a register, all whose
// address something in the module takes.
#include "compiler/ptx/ptx.h"

// Marks the functions that an operand which is no callee names.
static void note_taken(const PtxOperand *operand, bool *taken) {
    if (operand->kind == PTX_FUNCTION) taken[operand->index] = true;
    for (uint32_t i = 0; i < operand->count; i++) note_taken(&operand->items[i], taken);
}

static void note_variables(const PtxVariable *variables, uint32_t count, bool *taken) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < variables[i].relocation_count; k++)
            if (variables[i].relocations[k].function) taken[variables[i].relocations[k].index] = true;
}

static void note_function(const PtxFunction *function, bool *taken) {
    note_variables(function->variables, function->variable_count, taken);
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const PtxInstruction *instruction = &function->instructions[i];
        for (uint32_t k = 0; k < instruction->operand_count; k++)
            if (instruction->op != PTX_OP_call || instruction->operands[k].kind != PTX_FUNCTION)
                note_taken(&instruction->operands[k], taken);
    }
    for (uint32_t i = 0; i < function->table_count; i++)
        for (uint32_t k = 0; function->tables[i].calls && k < function->tables[i].count; k++)
            taken[function->tables[i].targets[k]] = true;
}

PtxReach ptx_reach_open(Arena *arena, const PtxModule *module) {
    PtxReach reach = {.module = module,
                      .reached = arena_array(arena, bool, module->function_count + 1u),
                      .list = arena_array(arena, uint32_t, module->function_count + 1u),
                      .taken = arena_array(arena, uint32_t, module->function_count + 1u)};
    Arena scratch = {0};
    bool *taken = arena_array(&scratch, bool, module->function_count + 1u);
    note_variables(module->variables, module->variable_count, taken);
    for (uint32_t i = 0; i < module->function_count; i++) note_function(&module->functions[i], taken);
    for (uint32_t i = 0; i < module->function_count; i++)
        if (taken[i]) reach.taken[reach.taken_count++] = i;
    arena_reset(&scratch);
    return reach;
}

static void visit(PtxReach *reach, uint32_t function) {
    if (reach->reached[function]) return;
    reach->reached[function] = true;
    reach->list[reach->count++] = function;
}

void ptx_reach_add(PtxReach *reach, uint32_t kernel) {
    uint32_t next = reach->count;
    visit(reach, kernel);
    for (; next < reach->count; next++) {
        const PtxFunction *function = &reach->module->functions[reach->list[next]];
        for (uint32_t i = 0; i < function->instruction_count; i++) {
            const PtxInstruction *instruction = &function->instructions[i];
            if (instruction->op != PTX_OP_call) continue;
            bool named = false;
            for (uint32_t k = 0; k < instruction->operand_count; k++) {
                if (instruction->operands[k].kind != PTX_FUNCTION) continue;
                visit(reach, instruction->operands[k].index);
                named = true;
            }
            for (uint32_t k = 0; k < reach->taken_count && !named; k++) visit(reach, reach->taken[k]);
        }
    }
}

void ptx_reach_clear(PtxReach *reach) {
    while (reach->count) reach->reached[reach->list[--reach->count]] = false;
}
