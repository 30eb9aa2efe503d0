// SPDX-License-Identifier: Apache-2.0
// Where variables lie in shared memory: those of the module and of functions that are called first, for all kernels
// alike, then those of the kernel itself. Dynamic shared memory follows, aligned like the strictest of them.
#include "compiler/ptx/ptx.h"

enum { SHARED_ALIGNMENT_MIN = 16 };

// Gives a variable its offset behind *end.
static bool place_shared(Diagnostics *diagnostics, const PtxVariable *variable, PtxSharedEnd *end, uint64_t *offset) {
    const uint32_t own = variable->alignment ? variable->alignment : 1;
    if (end->alignment < own) end->alignment = own;
    *offset = PTX_DYNAMIC;
    if (variable->unsized) return true;
    *offset = (end->bytes + own - 1) / own * own;
    end->bytes = *offset + variable->size;
    return end->bytes <= PTX_SHARED_MAX ||
           diag_fail(diagnostics, variable->at, E_LIMIT, "variable %s: more than %d bytes of shared memory",
                     variable->name, PTX_SHARED_MAX);
}

static bool place_variables(Diagnostics *diagnostics, const PtxVariable *variables, uint32_t count, PtxSharedEnd *end,
                            uint64_t *offsets) {
    for (uint32_t i = 0; i < count; i++)
        if (variables[i].space == PTX_SHARED && !place_shared(diagnostics, &variables[i], end, &offsets[i]))
            return false;
    return true;
}

bool ptx_lay_out_shared(Diagnostics *diagnostics, Arena *arena, const PtxModule *module, PtxSharedLayout *layout) {
    PtxSharedEnd common = {.alignment = SHARED_ALIGNMENT_MIN};
    *layout = (PtxSharedLayout){.module = arena_array(arena, uint64_t, module->variable_count + 1u),
                                .functions = arena_array(arena, uint64_t *, module->function_count + 1u),
                                .ends = arena_array(arena, PtxSharedEnd, module->function_count + 1u)};
    if (!place_variables(diagnostics, module->variables, module->variable_count, &common, layout->module)) return false;
    for (int entries = 0; entries < 2; entries++)
        for (uint32_t i = 0; i < module->function_count; i++) {
            const PtxFunction *function = &module->functions[i];
            PtxSharedEnd own = common, *end = entries ? &own : &common;
            if (function->entry != entries) continue;
            layout->functions[i] = arena_array(arena, uint64_t, function->variable_count + 1u);
            if (!place_variables(diagnostics, function->variables, function->variable_count, end, layout->functions[i]))
                return false;
            layout->ends[i] = *end;
        }
    return true;
}
