// SPDX-License-Identifier: Apache-2.0
// Operands that instructions move without computing with them, in the form in which registers are kept.
#include "compiler/warp/lanes.h"

static unsigned bits_of_register(const LaneCode *code, const PtxOperand *operand) {
    return ptx_type_info(code->function->registers[operand->index].type)->bits;
}

FpsanFormat lane_common_form(const LaneCode *code, const PtxOperand *const *operands, unsigned count) {
    const PtxOperand *first = NULL;
    for (unsigned i = 0; i < count; i++) {
        if (operands[i]->kind != PTX_REGISTER) continue;
        if (!first) first = operands[i];
        if (bits_of_register(code, operands[i]) != bits_of_register(code, first) ||
            code->plan.registers[operands[i]->index].form != code->plan.registers[first->index].form)
            return FPSAN_FORMAT_COUNT;
    }
    return first ? code->plan.registers[first->index].form : FPSAN_FORMAT_COUNT;
}

static unsigned elements_of(unsigned bits, FpsanFormat form) {
    return bits / fpsan_format_info(form)->bits;
}

LLVMValueRef lane_read_form(LaneCode *code, const PtxOperand *operand, FpsanFormat form) {
    const unsigned bits =
        operand->kind == PTX_REGISTER ? bits_of_register(code, operand) : fpsan_format_info(form)->bits;
    return lane_read_float(code, operand, form, elements_of(bits, form)).parts[0];
}

void lane_write_form(LaneCode *code, const PtxOperand *operand, LLVMValueRef value, FpsanFormat form) {
    const NumericValue whole = {.parts = {value}};
    lane_write_float(code, operand, form, vector_lanes(value) / WARP_LANES, &whole);
}

LLVMValueRef lane_read_moved(LaneCode *code, const PtxOperand *operand, PtxType type, FpsanFormat form) {
    const unsigned bits = ptx_type_info(type)->bits;
    if (form == FPSAN_FORMAT_COUNT) return lane_read_type(code, operand, type);
    LLVMValueRef value = lane_read_float(code, operand, form, elements_of(bits, form)).parts[0];
    return LLVMBuildBitCast(code->cx.builder, value, lane_type(code, bits), "");
}

void lane_write_moved(LaneCode *code, const PtxOperand *operand, LLVMValueRef value, PtxType type, FpsanFormat form) {
    if (form == FPSAN_FORMAT_COUNT) {
        lane_write(code, operand, value, type);
        return;
    }
    const unsigned elements = elements_of(ptx_type_info(type)->bits, form);
    LLVMTypeRef kept = LLVMVectorType(code->cx.numeric->part_type(&code->cx, form, 0), WARP_LANES * elements);
    lane_write_form(code, operand, LLVMBuildBitCast(code->cx.builder, value, kept, ""), form);
}
