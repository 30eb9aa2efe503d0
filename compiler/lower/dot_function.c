// SPDX-License-Identifier: Apache-2.0
// Dots of one kernel that are alike share a function: most of what a kernel with many of them takes to compile.
#include "compiler/lower/dot_internal.h"

#include <string.h>

struct EmitDot {
    DotKernel kernel;
    LLVMTypeRef start; // of the start parameter
    LLVMValueRef function;
    const EmitDot *next;
};

// Parameters of the function; behind them the operands' pieces.
enum { RESULT, START, SUMS, OPERANDS };
enum { PIECES = BASE_COUNT(((DotKernel *)0)->a), PARAMETERS = OPERANDS + 2 * PIECES };

static bool is_alike(const DotKernel *a, const DotKernel *b) {
    return a->numeric == b->numeric && !memcmp(&a->plan, &b->plan, sizeof a->plan) && a->batch_bits == b->batch_bits &&
           a->row_bits == b->row_bits && a->column_bits == b->column_bits && a->depth_bits == b->depth_bits &&
           a->panel_bits == b->panel_bits && a->memory == b->memory && !a->start == !b->start &&
           a->is_unsigned[0] == b->is_unsigned[0] && a->is_unsigned[1] == b->is_unsigned[1];
}

static void fill_function(Emit *e, const DotKernel *kernel, LLVMValueRef function, DotBody *body) {
    LLVMValueRef parameters[PARAMETERS];
    LLVMGetParams(function, parameters);
    DotKernel inside = *kernel;
    inside.result = parameters[RESULT];
    if (kernel->start)
        inside.start = parameters[START];
    else
        inside.start_part = parameters[START];
    if (kernel->sums) inside.sums = parameters[SUMS];
    memcpy(inside.a, parameters + OPERANDS, sizeof inside.a);
    memcpy(inside.b, parameters + OPERANDS + PIECES, sizeof inside.b);
    body(e, &inside);
    LLVMBuildRetVoid(e->cx.builder);
}

static const EmitDot *function_for(Emit *e, const DotKernel *kernel, LLVMTypeRef start, DotBody *body) {
    for (const EmitDot *dot = e->dots; dot; dot = dot->next)
        if (dot->start == start && is_alike(&dot->kernel, kernel)) return dot;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0), types[PARAMETERS];
    for (unsigned i = 0; i < PARAMETERS; i++) types[i] = i == START ? start : pointer;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->cx.context), types, PARAMETERS, false);
    CodeShared shared;
    for (unsigned number = 0;; number++)
        if (code_shared_open(&e->cx, arena_format(e->arena, "congruent.product.%u", number), type, &shared)) break;
    fill_function(e, kernel, shared.function, body);
    code_shared_close(&e->cx, &shared);
    EmitDot *dot = arena_new(e->arena, EmitDot);
    *dot = (EmitDot){*kernel, start, shared.function, e->dots};
    return e->dots = dot;
}

void dot_call(Emit *e, const DotKernel *kernel, DotBody *body) {
    if (!e->many_dots) {
        body(e, kernel);
        return;
    }
    LLVMValueRef none = LLVMConstNull(LLVMPointerTypeInContext(e->cx.context, 0));
    LLVMValueRef arguments[PARAMETERS] = {[RESULT] = kernel->result,
                                          [START] = kernel->start ? kernel->start : kernel->start_part,
                                          [SUMS] = kernel->sums ? kernel->sums : none};
    for (unsigned i = 0; i < PIECES; i++) {
        arguments[OPERANDS + i] = kernel->a[i] ? kernel->a[i] : none;
        arguments[OPERANDS + PIECES + i] = kernel->b[i] ? kernel->b[i] : none;
    }
    LLVMValueRef function = function_for(e, kernel, LLVMTypeOf(arguments[START]), body)->function;
    LLVMBuildCall2(e->cx.builder, LLVMGlobalGetValueType(function), function, arguments, PARAMETERS, "");
}
