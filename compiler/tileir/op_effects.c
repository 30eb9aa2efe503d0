// SPDX-License-Identifier: Apache-2.0
// What an op does with memory and pointers: column `effects` of its row, asked of one op.
#include "compiler/tileir/tir.h"

TirValue tir_op_address(const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    return info->address < 0 ? TIR_NO_VALUE : tir_operand(op, info->operands[info->address].name);
}

bool tir_op_passes(const TirOp *op, uint32_t operand) {
    const TirOpInfo *info = tir_op_info(op->kind);
    uint32_t end = 0;
    for (uint8_t i = 0; i < info->operand_count; i++) {
        end += op->segments[i];
        if (operand < end) return info->passed >> i & 1;
    }
    return false;
}

TirValue tir_op_passed(const TirOp *op) {
    TirValue passed = TIR_NO_VALUE;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (!tir_op_passes(op, i)) continue;
        if (passed != TIR_NO_VALUE) return TIR_NO_VALUE;
        passed = op->operands[i];
    }
    return passed;
}

bool tir_op_is_weak(const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    if (!(info->effects & (TIR_READS | TIR_WRITES))) return false;
    for (uint8_t i = 0; i < info->attribute_count; i++)
        if (info->attributes[i].enumeration == &tir_enum_memory_ordering)
            return op->attributes[i].integer == TIR_memory_ordering_weak;
    return false;
}
