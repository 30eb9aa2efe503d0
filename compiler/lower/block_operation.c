// SPDX-License-Identifier: Apache-2.0
// Operations of blocks whose parts run concurrently: calls of the runtime (base/block_abi.h).
#include "base/block_abi.h"
#include "compiler/lower/kernel.h"

#include <stddef.h>
#include <string.h>

// The most operands that an operation of the function has.
static uint32_t most_operands(const Emit *e) {
    const TirRegion *body = &e->function->body;
    uint32_t most = 1;
    for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op)) {
        const uint32_t count = op->kind == TIR_OP_block_operation ? tir_operands(op, "operands", NULL) : 0;
        if (count > most) most = count;
    }
    return most;
}

static LLVMValueRef word_of(Emit *e, TirValue value) {
    const EmitElement element = emit_element(e, emit_type_of(e, value));
    if (!element.is_pointer) return emit_scalar_i64(e, value, element.bits > 1);
    e->gives_unknown |= emit_pointer_origin(e, value) < 0;
    return emit_address_of_pointer(e, element, emit_scalar(e, value));
}

// Stores the words for the call; their address.
static LLVMValueRef store_words(Emit *e, const TirValue *operands, uint32_t count) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    if (!e->words) e->words = code_alloca(&e->cx, LLVMArrayType2(i64, most_operands(e)), "words");
    for (uint32_t i = 0; i < count; i++)
        code_store(&e->cx, word_of(e, operands[i]), code_pointer_at(&e->cx, i64, e->words, code_i64(&e->cx, i)), 8);
    return e->words;
}

// ---- the call -------------------------------------------------------------------------------------------------------

enum { LAUNCH, OPERATION, PLACE, WORDS, COUNT, PARAMETERS }; // of HostLaunch.operate

static LLVMTypeRef operate_type(const Emit *e) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0), i32 = code_integer_type(&e->cx, 32);
    LLVMTypeRef parameters[PARAMETERS] = {pointer, i32, i32, pointer, i32};
    return LLVMFunctionType(code_integer_type(&e->cx, 64), parameters, PARAMETERS, false);
}

static LLVMValueRef call_launch(Emit *e, LLVMValueRef *arguments) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0);
    LLVMValueRef function = code_launch_field(&e->cx, arguments[LAUNCH], offsetof(HostLaunch, operate), pointer);
    return LLVMBuildCall2(e->cx.builder, operate_type(e), function, arguments, PARAMETERS, "");
}

// The same as a function that runs while operands are not flushed: other parts run in it, each in a state of its own.
static LLVMValueRef keeping_function(Emit *e) {
    static const char name[] = "congruent.operate.keeping";
    LLVMValueRef outer = LLVMGetNamedFunction(e->cx.module, name), parameters[PARAMETERS];
    CodeShared shared;
    if (outer) return outer;
    outer = LLVMAddFunction(e->cx.module, name, operate_type(e));
    LLVMSetLinkage(outer, LLVMInternalLinkage);
    if (code_shared_open(&e->cx, "congruent.operate", operate_type(e), &shared)) {
        LLVMGetParams(shared.function, parameters);
        LLVMBuildRet(e->cx.builder, call_launch(e, parameters));
        code_shared_close(&e->cx, &shared);
    }
    emit_set_flushing(e, outer, false);
    emit_set_flushing(e, shared.function, false);
    emit_call_with_flushing(e, outer, shared.function, false);
    return outer;
}

static LLVMValueRef call_operate(Emit *e, LLVMValueRef *arguments) {
    if (!e->cx.flushes_operands) return call_launch(e, arguments);
    return LLVMBuildCall2(e->cx.builder, operate_type(e), keeping_function(e), arguments, PARAMETERS, "");
}

// ---- the op ---------------------------------------------------------------------------------------------------------

static uint32_t operation_number(const TirOp *op) {
    const char *name = tir_attribute(op, "operation")->text;
    uint32_t number = 0;
    while (strcmp(block_operation_rows[number].name, name)) number++; // the verifier saw it
    return number;
}

bool lower_block_operation(Emit *e, const TirOp *op) {
    const TirValue *operands;
    const uint32_t count = tir_operands(op, "operands", &operands), number = operation_number(op);
    if (e->options->gpu) return emit_fail(e, E_UNSUPPORTED, "blocks that have parts run on processors only");
    e->kernel->cancels |= number == BLOCK_TRY_CANCEL;
    LLVMValueRef arguments[PARAMETERS] = {
        [LAUNCH] = e->launch,
        [OPERATION] = code_i32(&e->cx, (int32_t)number),
        [PLACE] = code_i32(&e->cx, (int32_t)e->place),
        [WORDS] = store_words(e, operands, count),
        [COUNT] = code_i32(&e->cx, (int32_t)count),
    };
    emit_bind_scalar(e, tir_result(op, 0), call_operate(e, arguments));
    *emit_val(e, tir_result(op, 1)) = (EmitVal){.kind = EMIT_NONE};
    return true;
}
