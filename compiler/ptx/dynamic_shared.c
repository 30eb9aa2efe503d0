// SPDX-License-Identifier: Apache-2.0
// Whether code uses dynamic shared memory: an instruction names a variable there.
#include "compiler/ptx/ptx.h"

static bool names_dynamic(const PtxModule *module, const PtxFunction *function, const PtxOperand *operand) {
    if (operand->kind == PTX_VARIABLE) {
        const PtxVariable *variables = operand->global ? module->variables : function->variables;
        const PtxVariable *variable = &variables[operand->index];
        if (variable->space == PTX_SHARED && variable->unsized) return true;
    }
    for (uint32_t i = 0; i < operand->count; i++)
        if (names_dynamic(module, function, &operand->items[i])) return true;
    return false;
}

bool ptx_uses_dynamic_shared(const PtxReach *reach) {
    for (uint32_t f = 0; f < reach->count; f++) {
        const PtxFunction *function = &reach->module->functions[reach->list[f]];
        for (uint32_t i = 0; i < function->instruction_count; i++)
            for (uint32_t k = 0; k < function->instructions[i].operand_count; k++)
                if (names_dynamic(reach->module, function, &function->instructions[i].operands[k])) return true;
    }
    return false;
}
