// SPDX-License-Identifier: Apache-2.0
// Functions: their parameters, local memory, direct and indirect calls. A function is called for some lanes of a warp
// and comes back when all of them have returned or ended. Caller and callee share the memory of parameters and results:
// for each lane the bytes of the parameter.
#include "compiler/warp/lanes.h"

#include <stddef.h>

static LLVMTypeRef pointer_of(const LaneCode *code) {
    return LLVMPointerTypeInContext(code->cx.context, 0);
}

LLVMTypeRef lane_function_type(const LaneModule *module, LLVMContextRef context) {
    (void)module;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef types[3] = {pointer, LLVMInt32TypeInContext(context), pointer};
    return LLVMFunctionType(LLVMVoidTypeInContext(context), types, 3, false);
}

// ---- entering and leaving

static LLVMValueRef local_top(LaneCode *code) {
    return lane_state_field(code, offsetof(WarpState, local_top), code_integer_type(&code->cx, 32));
}

// Too deep a nest of calls ends the launch before it touches memory that is not there.
static void check_stacks(LaneCode *code, LLVMValueRef top, LLVMValueRef lanes) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMTypeRef word = code_integer_type(&code->cx, 64);
    LLVMValueRef size = lane_state_field(code, offsetof(WarpState, local_size), code_integer_type(&code->cx, 32));
    LLVMValueRef full = LLVMBuildICmp(builder, LLVMIntUGT, top, size, "");
    LLVMValueRef limit = lane_state_field(code, offsetof(WarpState, stack_limit), word);
    LLVMValueRef frame = LLVMBuildPtrToInt(builder, code->frame, word, "");
    LLVMValueRef low = LLVMBuildICmp(builder, LLVMIntULT, frame, limit, "");
    LLVMValueRef fails =
        LLVMBuildSelect(builder, LLVMBuildOr(builder, full, low, ""), lanes, code_i32(&code->cx, 0), "");
    lane_trap_at(code, fails, WARP_TRAP_STACK,
                 lane_state_field(code, offsetof(WarpState, call_place), code_integer_type(&code->cx, 32)));
}

void lane_enter_function(LaneCode *code, LLVMValueRef lanes) {
    code->local_base = local_top(code);
    LLVMValueRef top =
        LLVMBuildAdd(code->cx.builder, code->local_base, code_i32(&code->cx, (int32_t)code->plan.local_bytes), "");
    check_stacks(code, top, lanes);
    lane_set_state_field(code, offsetof(WarpState, local_top), top);
    LLVMValueRef registers =
        code_pointer_at(&code->cx, code_integer_type(&code->cx, 8), code->frame, code_i64(&code->cx, LANE_FRAME_FIXED));
    lane_call_enter(code, registers, code->plan.frame_bytes - LANE_FRAME_FIXED, code->plan.local_bytes);
}

// What results hold that the function does not store, where they go to registers.
static void leave_unspecified(LaneCode *code, LLVMValueRef memory, uint32_t bytes) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMTypeRef type = code_integer_type(&code->cx, 8 * bytes);
    LLVMValueRef word = lane_state_field(code, offsetof(WarpState, unspecified), code_integer_type(&code->cx, 64));
    word = bytes > 8 ? LLVMBuildZExt(builder, word, type, "") : LLVMBuildTrunc(builder, word, type, "");
    code_store(&code->cx, lane_splat(code, word), memory, bytes > 1 ? 64 : 32);
}

void lane_leave_function(LaneCode *code) {
    lane_set_state_field(code, offsetof(WarpState, local_top), code->local_base);
}

// ---- parameters

LLVMValueRef lane_parameter_memory(LaneCode *code, uint32_t variable) {
    NumericContext *cx = &code->cx;
    const PtxFunction *function = code->function;
    if (variable < function->parameter_count + function->result_count) {
        LLVMValueRef at = code_pointer_at(cx, pointer_of(code), code->arguments, code_i64(cx, variable));
        return code_load(cx, pointer_of(code), at, 8);
    }
    return code_pointer_at(cx, code_integer_type(cx, 8), code->frame,
                           code_i64(cx, code->plan.parameter_offsets[variable]));
}

// ---- calls

typedef struct Call {
    const PtxOperand *results, *parameters; // lists; NULL: none
    const PtxOperand *callee;
    const PtxFunction *form; // what the callee looks like
    LLVMValueRef memory;     // array of pointers
} Call;

static const PtxOperand *item_of(const PtxOperand *list, uint32_t index) {
    return list && index < list->count ? &list->items[index] : NULL;
}

static LLVMTypeRef bytes_type(const LaneCode *code, uint64_t bytes) {
    return lane_type(code, (unsigned)(8 * bytes));
}

// Memory of one parameter or result. A register or literal goes through a slot, as wide as the parameter.
static bool actual_memory(LaneCode *code, const PtxOperand *actual, const PtxVariable *formal, bool result,
                          LLVMValueRef *memory) {
    if (actual->kind == PTX_VARIABLE) {
        *memory = lane_parameter_memory(code, actual->index);
        return true;
    }
    if (formal->rank || formal->size > 16) return lane_refuse(code, "an array is passed in a register");
    *memory = lane_slot(code, (uint32_t)formal->size * WARP_LANES);
    if (result)
        leave_unspecified(code, *memory, (uint32_t)formal->size);
    else
        code_store(&code->cx, lane_read(code, actual, (unsigned)formal->size * 8, false), *memory,
                   formal->size > 1 ? 64 : 32);
    return true;
}

// The array of pointers that the callee gets: parameters, then results.
static bool pass_memory(LaneCode *code, Call *call, LLVMValueRef *memories) {
    NumericContext *cx = &code->cx;
    const PtxFunction *form = call->form;
    const uint32_t given = call->parameters ? call->parameters->count : 0;
    const uint32_t wanted = call->results ? call->results->count : 0;
    if (given != form->parameter_count || wanted > form->result_count)
        return lane_refuse(code, "a call with %u parameters and %u results, the function has %u and %u", given, wanted,
                           form->parameter_count, form->result_count);
    const uint32_t count = form->parameter_count + form->result_count;
    call->memory = lane_slot(code, (count + 1) * sizeof(void *));
    for (uint32_t i = 0; i < count; i++) {
        const bool result = i >= form->parameter_count;
        const PtxOperand *actual =
            result ? item_of(call->results, i - form->parameter_count) : item_of(call->parameters, i);
        if (!actual) // nobody wants it
            memories[i] = lane_slot(code, (uint32_t)form->variables[i].size * WARP_LANES);
        else if (!actual_memory(code, actual, &form->variables[i], result, &memories[i]))
            return false;
        code_store(cx, memories[i], code_pointer_at(cx, pointer_of(code), call->memory, code_i64(cx, i)), 8);
    }
    return true;
}

static void take_results(LaneCode *code, const Call *call, const LLVMValueRef *memories) {
    const PtxFunction *form = call->form;
    for (uint32_t i = 0; call->results && i < call->results->count; i++) {
        const PtxOperand *actual = &call->results->items[i];
        const PtxVariable *formal = &form->variables[form->parameter_count + i];
        if (actual->kind == PTX_VARIABLE || actual->kind == PTX_SINK) continue;
        LLVMValueRef value = code_load(&code->cx, bytes_type(code, formal->size), memories[form->parameter_count + i],
                                       formal->size > 1 ? 64 : 32);
        lane_write(code, actual, value, formal->type);
    }
}

static void call_function(LaneCode *code, const Call *call, uint32_t number, LLVMValueRef lanes) {
    LLVMValueRef arguments[3] = {code->state, lanes, call->memory};
    LLVMTypeRef type = lane_function_type(code->module, code->cx.context);
    lane_set_state_field(code, offsetof(WarpState, call_place), lane_place_word(code));
    LLVMBuildCall2(code->cx.builder, type, code->module->functions[number], arguments, 3, "");
}

static bool same_form(const PtxFunction *a, const PtxFunction *b) {
    if (a->parameter_count != b->parameter_count || a->result_count != b->result_count) return false;
    for (uint32_t i = 0; i < a->parameter_count + a->result_count; i++)
        if (a->variables[i].size != b->variables[i].size) return false;
    return true;
}

// Lanes may call different functions: one after the other.
static void call_indirect(LaneCode *code, const Call *call, LLVMValueRef target) {
    NumericContext *cx = &code->cx;
    LLVMBuilderRef builder = cx->builder;
    const PtxModule *ptx = code->module->ptx;
    LLVMValueRef rest = code->mask;
    for (uint32_t i = 0; i < ptx->function_count; i++) {
        if (!code->module->functions[i] || ptx->functions[i].entry || !same_form(&ptx->functions[i], call->form))
            continue;
        LLVMValueRef same =
            LLVMBuildICmp(builder, LLVMIntEQ, target, lane_constant(code, 64, ptx_function_address(i)), "");
        LLVMValueRef lanes = lane_bits_of_mask(code, LLVMBuildAnd(builder, same, code->mask, ""));
        LLVMBasicBlockRef some = code_block(cx, "call"), next = code_block(cx, "next");
        LLVMBuildCondBr(builder, LLVMBuildIsNull(builder, lanes, ""), next, some);
        LLVMPositionBuilderAtEnd(builder, some);
        call_function(code, call, i, lanes);
        LLVMBuildBr(builder, next);
        LLVMPositionBuilderAtEnd(builder, next);
        rest = LLVMBuildAnd(builder, rest, LLVMBuildNot(builder, same, ""), "");
    }
    lane_trap_where(code, rest, WARP_TRAP_CALL);
}

// call (results), callee, (parameters), prototype: all but the callee may be left out.
static bool read_call(LaneCode *code, const PtxInstruction *instruction, Call *call) {
    const PtxModule *ptx = code->module->ptx;
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        const PtxOperand *operand = &instruction->operands[i];
        if (operand->kind == PTX_LIST && !call->callee)
            call->results = operand;
        else if (operand->kind == PTX_LIST)
            call->parameters = operand;
        else if (operand->kind == PTX_FUNCTION || operand->kind == PTX_REGISTER)
            call->callee = operand;
        else if (operand->kind == PTX_PROTOTYPE)
            call->form = code->function->prototypes[operand->index].form;
        else if (operand->kind == PTX_TABLE && code->function->tables[operand->index].count)
            call->form = &ptx->functions[code->function->tables[operand->index].targets[0]];
    }
    if (call->callee && call->callee->kind == PTX_FUNCTION) call->form = &ptx->functions[call->callee->index];
    return (call->callee && call->form) || lane_refuse(code, "a call of nothing that is known");
}

bool lane_emit_call(LaneCode *code, const PtxInstruction *instruction) {
    Call call = {0};
    LLVMValueRef target = NULL;
    bool known = false;
    if (!read_call(code, instruction, &call)) return false;
    if (call.callee->kind == PTX_FUNCTION) {
        if (!lane_call_known(code, instruction, call.form, call.results, call.parameters, &known)) return false;
        if (known) return true;
        if (!code->module->functions[call.callee->index])
            return lane_refuse(code, "function %s is not in the module", call.form->name);
    }
    LLVMValueRef *memories =
        arena_array(code->module->arena, LLVMValueRef, call.form->parameter_count + call.form->result_count + 1);
    if (!pass_memory(code, &call, memories)) return false;
    if (call.callee->kind != PTX_FUNCTION) target = lane_read(code, call.callee, 64, false);
    LaneGuard guard = lane_guard_open(code);
    if (call.callee->kind == PTX_FUNCTION)
        call_function(code, &call, call.callee->index, code->mask_bits);
    else
        call_indirect(code, &call, target);
    lane_guard_close(code, &guard, 0, NULL);
    take_results(code, &call, memories);
    lane_drop_ended(code);
    return true;
}
