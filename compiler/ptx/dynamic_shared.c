// SPDX-License-Identifier: Apache-2.0
// Whether a kernel uses dynamic shared memory: an instruction of the kernel, or of a function that it may call, names a
// variable there.
#include "compiler/ptx/ptx.h"

typedef struct SharedSearch {
    const PtxModule *module;
    const PtxFunction *function; // that is looked at
    uint32_t *stack, count;      // functions to look at
    bool *seen;                  // per function
    bool found;
} SharedSearch;

static void visit_function(SharedSearch *s, uint32_t index) {
    if (s->seen[index]) return;
    s->seen[index] = true;
    s->stack[s->count++] = index;
}

static void search_operand(SharedSearch *s, const PtxOperand *operand) {
    switch (operand->kind) {
    case PTX_VARIABLE: {
        const PtxVariable *variables = operand->global ? s->module->variables : s->function->variables;
        const PtxVariable *variable = &variables[operand->index];
        s->found |= variable->space == PTX_SHARED && variable->unsized;
        break;
    }
    case PTX_FUNCTION: visit_function(s, operand->index); break;
    case PTX_TABLE:
    case PTX_PROTOTYPE: // whatever the address of may have been taken
        for (uint32_t i = 0; i < s->module->function_count; i++)
            if (!s->module->functions[i].entry) visit_function(s, i);
        break;
    default: break;
    }
    for (uint32_t i = 0; i < operand->count; i++) search_operand(s, &operand->items[i]);
}

bool ptx_uses_dynamic_shared(const PtxModule *module, const PtxFunction *kernel) {
    Arena arena = {0};
    SharedSearch s = {.module = module,
                      .stack = arena_array(&arena, uint32_t, module->function_count + 1u),
                      .seen = arena_array(&arena, bool, module->function_count + 1u)};
    visit_function(&s, (uint32_t)(kernel - module->functions));
    while (s.count && !s.found) {
        s.function = &module->functions[s.stack[--s.count]];
        for (uint32_t i = 0; i < s.function->instruction_count && !s.found; i++)
            for (uint32_t k = 0; k < s.function->instructions[i].operand_count; k++)
                search_operand(&s, &s.function->instructions[i].operands[k]);
    }
    arena_reset(&arena);
    return s.found;
}
