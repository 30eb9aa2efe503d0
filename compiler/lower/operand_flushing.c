// SPDX-License-Identifier: Apache-2.0
// Flushing that costs nothing: where the processor can read subnormal operands of its float instructions as zeros
// (Machine.flushes_operands), a kernel whose floats are all flushed runs in that state, and integer code flushes only
// what leaves it: results that something else than such an instruction reads.
//
// Only operands: the state that flushes results does so before they are rounded to a float's smallest numbers, so that
// what would round up to 2^-126 is 0 there.
//
// LLVM knows of the state by an attribute of the function, and folds operations on constants as the state does; but
// not calls of intrinsics, whose operands are hidden from it (ieee_arithmetic.c). The state is set in a function of its
// own, around a call that is never inlined, so that no float operation can move out of it or into it.
#include "compiler/lower/kernel.h"

#include <string.h>

static bool is_float(const Emit *e, TirValue value) {
    const TirTypeInfo *type = tir_type(e->module, emit_type_of(e, value));
    return type->kind == TIR_TYPE_tile &&
           tir_type_rows[tir_tile_element_kind(e->module, emit_type_of(e, value))].class == TIR_CLASS_FLOAT;
}

static bool has_floats(const Emit *e, const TirOp *op) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (is_float(e, op->operands[i])) return true;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (is_float(e, tir_result(op, i))) return true;
    return false;
}

// ---- which kernels run so -------------------------------------------------------------------------------------------

// How ops on floats that are not element-wise go with the state.
static bool is_move(TirOpKind kind) {
    switch (kind) {
    case TIR_OP_select:
    case TIR_OP_bitcast:
    case TIR_OP_constant:
    case TIR_OP_cat:
    case TIR_OP_extract:
    case TIR_OP_insert:
    case TIR_OP_pack:
    case TIR_OP_unpack:
    case TIR_OP_load_ptr_tko:
    case TIR_OP_load_view_tko:
    case TIR_OP_store_ptr_tko:
    case TIR_OP_store_view_tko:
    case TIR_OP_multimem_load_reduce_view_tko:
    case TIR_OP_multimem_store_view_tko:
    case TIR_OP_reduce:
    case TIR_OP_scan:
    case TIR_OP_for:
    case TIR_OP_loop:
    case TIR_OP_if:
    case TIR_OP_break:
    case TIR_OP_continue:
    case TIR_OP_yield: return true;
    default: return false;
    }
}

// Products run outside of it, in functions of their own (dot_call); what scales multiply does not.
static bool is_product(const TirOp *op) {
    return op->kind == TIR_OP_mmaf || (op->kind == TIR_OP_dot && tir_operand(op, "lhs_scale") == TIR_NO_VALUE);
}

static bool goes_with_flushing(Emit *e, const TirOp *op, bool *flushes) {
    const EmitClass class = emit_row(op->kind)->class;
    FloatOp f;
    if (!has_floats(e, op) || class == EMIT_CLASS_MAP || is_move(op->kind) || is_product(op)) return true;
    if (class != EMIT_CLASS_ELEMENT || op->kind == TIR_OP_function || !emit_float_op(e, op, &f)) return false;
    *flushes |= f.flush_to_zero;
    return e->cx.numeric->goes_with_flushing(&f, op->kind == TIR_OP_cmpf);
}

static bool chooses_flushing(Emit *e) {
    const TirRegion *body = &e->function->body;
    bool flushes = false;
    if (!e->cx.machine.flushes_operands || !e->cx.numeric->goes_with_flushing) return false;
    for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
        if (!goes_with_flushing(e, op, &flushes)) return false;
    return flushes;
}

// ---- which results are seen as they are -----------------------------------------------------------------------------

// Whether the op, on floats, reads each as zero if it is subnormal. An approximate tanh hands them on.
static bool reads_flushed(Emit *e, const TirOp *op) {
    FloatOp f;
    const bool computes = op->kind == TIR_OP_cmpf || tir_op_info(op->kind)->rule != FPSAN_RULE_COUNT;
    return computes && emit_float_op(e, op, &f) && f.flush_to_zero &&
           !(f.rule == FPSAN_RULE_TANH && f.implementation == FLOAT_APPROXIMATED);
}

static bool any_escapes(const Emit *e, TirValue a, TirValue b) {
    return e->escapes[a] || e->escapes[b];
}

static const TirOp *enclosing_loop(const TirOp *op) {
    const TirOp *owner = op->block->region->owner;
    while (owner->kind != TIR_OP_for && owner->kind != TIR_OP_loop) owner = owner->block->region->owner;
    return owner;
}

// Of the operand of a reduce or scan, or of its body's yield: that is the accumulator, an element, a result.
static bool folded_escapes(const Emit *e, const TirOp *fold, uint32_t i) {
    const TirValue argument = fold->regions[0].first->first_argument + 2 * i;
    return any_escapes(e, argument, argument + 1) || e->escapes[tir_result(fold, i)];
}

// Of carried value i of a loop. Results of `loop` come from its breaks.
static bool carried_escapes(const Emit *e, const TirOp *loop, uint32_t i) {
    const TirValue first = loop->regions[0].first->first_argument;
    return loop->kind == TIR_OP_for ? any_escapes(e, first + 1 + i, tir_result(loop, i)) : e->escapes[first + i];
}

// Whether the op gives operand i to something that sees a subnormal float in it.
static bool lets_escape(Emit *e, const TirOp *op, uint32_t i) {
    const TirOp *owner = op->block->region->owner;
    switch (op->kind) {
    case TIR_OP_select: return e->escapes[tir_result(op, 0)];
    case TIR_OP_reduce:
    case TIR_OP_scan: return folded_escapes(e, op, i);
    case TIR_OP_yield: return owner->kind == TIR_OP_if ? e->escapes[tir_result(owner, i)] : folded_escapes(e, owner, i);
    case TIR_OP_for: return i < 3 || carried_escapes(e, op, i - 3); // behind the bounds and the step
    case TIR_OP_loop: return carried_escapes(e, op, i);
    case TIR_OP_continue: return carried_escapes(e, enclosing_loop(op), i);
    case TIR_OP_break: return e->escapes[tir_result(enclosing_loop(op), i)];
    default:
        if (emit_row(op->kind)->class == EMIT_CLASS_MAP) return e->escapes[tir_result(op, 0)];
        return !reads_flushed(e, op);
    }
}

// Later ops first: what reads a value stands behind it, but in loops and bodies.
static void find_escapes(Emit *e) {
    const TirRegion *body = &e->function->body;
    const TirOp **ops = arena_array(e->arena, const TirOp *, e->function->op_count + 1u);
    size_t count = 0;
    for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
        if (has_floats(e, op)) ops[count++] = op;
    e->escapes = arena_array(e->arena, bool, e->function->value_count + 1u);
    for (bool again = true; again;) {
        again = false;
        for (size_t at = count; at-- > 0;)
            for (uint32_t i = 0; i < ops[at]->operand_count; i++) {
                const TirValue value = ops[at]->operands[i];
                if (e->escapes[value] || !is_float(e, value) || !lets_escape(e, ops[at], i)) continue;
                e->escapes[value] = true;
                again = true;
            }
    }
}

void emit_choose_flushing(Emit *e) {
    e->cx.flushes_operands = chooses_flushing(e);
    if (e->cx.flushes_operands) find_escapes(e);
}

// ---- the state ------------------------------------------------------------------------------------------------------

void emit_set_flushing(Emit *e, LLVMValueRef function, bool flushes) {
    static const char key[] = "denormal-fp-math-f32", value[] = "ieee,preserve-sign"; // of results, of operands
    LLVMContextRef context = e->cx.context;
    const LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMAddAttributeAtIndex(function, at,
                            LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName("noinline", 8), 0));
    if (flushes)
        LLVMAddAttributeAtIndex(function, at,
                                LLVMCreateStringAttribute(context, key, sizeof key - 1, value, sizeof value - 1));
}

static void access_control(const NumericContext *cx, MachineInstruction instruction, LLVMValueRef memory) {
    vector_intrinsic_of(cx, machine_instruction(instruction), NULL, 0, &memory, 1);
}

void emit_call_with_flushing(Emit *e, LLVMValueRef outer, LLVMValueRef inner, bool flushes) {
    enum { DENORMALS_ARE_ZEROS = 0x40 }; // of MXCSR
    LLVMTypeRef i32 = code_integer_type(&e->cx, 32), type = LLVMGlobalGetValueType(inner);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(e->cx.context); // the lowering's stays where it is
    NumericContext cx = e->cx;
    const unsigned count = LLVMCountParams(outer);
    LLVMValueRef *arguments = arena_array(e->arena, LLVMValueRef, count + 1u);
    cx.builder = builder;
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(e->cx.context, outer, "entry"));
    LLVMGetParams(outer, arguments);
    LLVMValueRef before = LLVMBuildAlloca(builder, i32, ""), changed = LLVMBuildAlloca(builder, i32, "");
    access_control(&cx, MACHINE_GET_CONTROL, before);
    LLVMValueRef word = LLVMBuildLoad2(builder, i32, before, "");
    word = flushes ? LLVMBuildOr(builder, word, code_i32(&e->cx, DENORMALS_ARE_ZEROS), "")
                   : LLVMBuildAnd(builder, word, code_i32(&e->cx, ~DENORMALS_ARE_ZEROS), "");
    LLVMBuildStore(builder, word, changed);
    access_control(&cx, MACHINE_SET_CONTROL, changed);
    LLVMValueRef result = LLVMBuildCall2(builder, type, inner, arguments, count, "");
    access_control(&cx, MACHINE_SET_CONTROL, before);
    if (LLVMGetReturnType(type) == LLVMVoidTypeInContext(e->cx.context))
        LLVMBuildRetVoid(builder);
    else
        LLVMBuildRet(builder, result);
    LLVMDisposeBuilder(builder);
}
