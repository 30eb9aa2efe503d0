// SPDX-License-Identifier: Apache-2.0
// assume: what the program promises of a value. Nothing here needs the promise; it is checked where the options say so.
#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

// A value that is checked element by element.
typedef struct Assumption {
    const TirOp *op;
    const TirAttribute *predicate;
    const TirTypeInfo *type;
    EmitElement element;
    EmitVal tile; // in memory, in order; or one element
    const char *message;
} Assumption;

// ---- what the message says of it ------------------------------------------------------------------------------------

static const char *describe_numbers(Emit *e, const TirAttribute *predicate) {
    const char *text = "";
    for (size_t i = 0; i < predicate->length; i++)
        text = arena_format(e->arena, "%s%s%lld", text, i ? ", " : "", (long long)predicate->numbers[i]);
    return text;
}

static const char *describe_bound(Emit *e, const TirAttribute *predicate, unsigned i) {
    return predicate->flags >> i & 1 ? arena_format(e->arena, "%lld", (long long)predicate->numbers[i]) : "?";
}

static const char *describe(Emit *e, const TirAttribute *predicate) {
    const int64_t *numbers = predicate->numbers;
    switch (predicate->tag) {
    case TIR_TAG_SAME_ELEMENTS: return arena_format(e->arena, "same_elements<[%s]>", describe_numbers(e, predicate));
    case TIR_TAG_BOUNDED:
        return arena_format(e->arena, "bounded<%s, %s>", describe_bound(e, predicate, 0),
                            describe_bound(e, predicate, 1));
    default: break;
    }
    if (!(predicate->flags & 1)) return arena_format(e->arena, "div_by<%llu>", (unsigned long long)numbers[0]);
    if (predicate->flags & TIR_ASSUMES_FIRST)
        return arena_format(e->arena, "div_by<%llu> where index %lld is 0", (unsigned long long)numbers[0],
                            (long long)numbers[2]);
    return arena_format(e->arena, "div_by<%llu, every %lld along %lld>", (unsigned long long)numbers[0],
                        (long long)numbers[1], (long long)numbers[2]);
}

// ---- one element ----------------------------------------------------------------------------------------------------

// Element `index` as i64, an integer as the signed number that it is.
static LLVMValueRef element_at(Emit *e, const Assumption *assumption, LLVMValueRef index) {
    LLVMBuilderRef builder = e->cx.builder;
    EmitElement element = assumption->element;
    LLVMTypeRef type = emit_register_type(e, element, 0);
    LLVMValueRef value = assumption->tile.value.parts[0];
    if (assumption->tile.kind == EMIT_MEMORY) {
        LLVMTypeRef memory = emit_memory_type(e, element, 0);
        value = code_load(&e->cx, memory, code_pointer_at(&e->cx, memory, value, index), code_type_bits(memory) / 8);
        if (memory != type) value = LLVMBuildTrunc(builder, value, type, "");
    }
    return LLVMBuildIntCast2(builder, value, code_integer_type(&e->cx, 64), true, "");
}

static void check_element(Emit *e, const Assumption *assumption, LLVMValueRef good, LLVMValueRef value,
                          LLVMValueRef index, LLVMValueRef rest) {
    if (!assumption->element.is_pointer) {
        emit_check(
            e, good,
            &(EmitFault){.kind = HOST_SITE_ASSUME, .message = assumption->message, .found = value, .limit = index});
        return;
    }
    LLVMValueRef address = emit_address_of_pointer(e, assumption->element, value);
    emit_check(e, good,
               &(EmitFault){.kind = HOST_SITE_ASSUME,
                            .message = assumption->message,
                            .address = address,
                            .found = rest,
                            .limit = index});
}

static LLVMValueRef remainder_of(Emit *e, const Assumption *assumption, LLVMValueRef value) {
    LLVMValueRef address = emit_address_of_pointer(e, assumption->element, value);
    return LLVMBuildAnd(e->cx.builder, address, code_i64(&e->cx, assumption->predicate->numbers[0] - 1), "");
}

// The position of element `index` in its group of `size` along a dimension.
static LLVMValueRef place_in_group(Emit *e, const Assumption *assumption, LLVMValueRef index, uint32_t d,
                                   int64_t size) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef at = LLVMBuildLShr(builder, index, code_i64(&e->cx, map_dimension_bit(assumption->type, d)), "");
    at = LLVMBuildAnd(builder, at, code_i64(&e->cx, assumption->type->shape[d] - 1), "");
    return LLVMBuildURem(builder, at, code_i64(&e->cx, size), "");
}

static LLVMValueRef step_back(Emit *e, const Assumption *assumption, LLVMValueRef index, uint32_t d, LLVMValueRef by) {
    LLVMValueRef shift = code_i64(&e->cx, map_dimension_bit(assumption->type, d));
    return LLVMBuildSub(e->cx.builder, index, LLVMBuildShl(e->cx.builder, by, shift, ""), "");
}

// Bytes from one element of a group to the next, for integers 1. (Pointers to halves of bytes count those.)
static int64_t group_step(const Emit *e, const Assumption *assumption) {
    if (!assumption->element.is_pointer || assumption->element.points_to_halves) return 1;
    TirTypeKind pointee = tir_type(e->module, tir_type(e->module, assumption->type->element)->element)->kind;
    return tir_type_rows[pointee].storage_bytes;
}

// The first of each group is divisible, the others follow it without wrapping.
static void check_groups(Emit *e, const Assumption *assumption, LLVMValueRef index, LLVMValueRef value) {
    LLVMBuilderRef builder = e->cx.builder;
    const int64_t *numbers = assumption->predicate->numbers;
    uint32_t d = (uint32_t)numbers[2];
    LLVMValueRef at = place_in_group(e, assumption, index, d, numbers[1]);
    LLVMValueRef first = element_at(e, assumption, step_back(e, assumption, index, d, at));
    LLVMValueRef rest = remainder_of(e, assumption, value), zero = code_i64(&e->cx, 0);
    LLVMValueRef leads = LLVMBuildICmp(builder, LLVMIntEQ, at, zero, "");
    LLVMValueRef divisible = LLVMBuildICmp(builder, LLVMIntEQ, rest, zero, "");
    LLVMValueRef next =
        LLVMBuildAdd(builder, first, LLVMBuildMul(builder, at, code_i64(&e->cx, group_step(e, assumption)), ""), "");
    LLVMIntPredicate order = assumption->element.is_pointer ? LLVMIntUGE : LLVMIntSGE;
    LLVMValueRef follows = LLVMBuildAnd(builder, LLVMBuildICmp(builder, LLVMIntEQ, value, next, ""),
                                        LLVMBuildICmp(builder, order, value, first, ""), "");
    if (assumption->predicate->flags & TIR_ASSUMES_FIRST) follows = LLVMConstAllOnes(LLVMTypeOf(leads));
    check_element(e, assumption, LLVMBuildSelect(builder, leads, divisible, follows, ""), value, index,
                  LLVMBuildSelect(builder, leads, rest, zero, ""));
}

static void check_divisor(Emit *e, const Assumption *assumption, LLVMValueRef index, LLVMValueRef value) {
    const TirAttribute *predicate = assumption->predicate;
    if (predicate->flags & 1 && predicate->numbers[1] > 1) {
        check_groups(e, assumption, index, value);
        return;
    }
    LLVMValueRef rest = remainder_of(e, assumption, value);
    check_element(e, assumption, LLVMBuildICmp(e->cx.builder, LLVMIntEQ, rest, code_i64(&e->cx, 0), ""), value, index,
                  rest);
}

static void check_same(Emit *e, const Assumption *assumption, LLVMValueRef index, LLVMValueRef value) {
    LLVMValueRef first = index;
    for (uint32_t d = 0; d < assumption->type->rank; d++)
        first = step_back(e, assumption, first, d,
                          place_in_group(e, assumption, index, d, assumption->predicate->numbers[d]));
    LLVMValueRef good = LLVMBuildICmp(e->cx.builder, LLVMIntEQ, value, element_at(e, assumption, first), "");
    check_element(e, assumption, good, value, index, NULL);
}

static void check_bounds(Emit *e, const Assumption *assumption, LLVMValueRef index, LLVMValueRef value) {
    static const LLVMIntPredicate orders[2] = {LLVMIntSGE, LLVMIntSLE};
    for (unsigned i = 0; i < 2; i++) {
        if (!(assumption->predicate->flags >> i & 1)) continue;
        LLVMValueRef limit = code_i64(&e->cx, assumption->predicate->numbers[i]);
        check_element(e, assumption, LLVMBuildICmp(e->cx.builder, orders[i], value, limit, ""), value, index, NULL);
    }
}

// ---- the op ---------------------------------------------------------------------------------------------------------

// Groups of no elements say nothing.
static bool says_nothing(const TirAttribute *predicate) {
    if (predicate->tag == TIR_TAG_BOUNDED) return !predicate->flags;
    if (predicate->tag == TIR_TAG_DIV_BY) return predicate->flags & 1 && !predicate->numbers[1];
    for (size_t i = 0; i < predicate->length; i++)
        if (!predicate->numbers[i]) return true;
    return false;
}

static bool check_tile(Emit *e, Assumption *assumption) {
    TirValue value = assumption->op->operands[0];
    TirType type = emit_type_of(e, value);
    assumption->element = emit_element(e, type);
    assumption->tile = *emit_val(e, tir_result(assumption->op, 0));
    EmitScratch mark = emit_open_temporary(e);
    bool in_order = assumption->tile.kind == EMIT_SCALAR || map_is_identity(&assumption->tile.layout);
    if (!in_order &&
        (!emit_tile_alloc(e, type, NULL, &assumption->tile) || !emit_materialise_to(e, value, &assumption->tile)))
        return false;
    emit_barrier(e, EMIT_TILES, 0);
    CodeLoop loop = code_loop_open(&e->cx, code_i64(&e->cx, tir_tile_elements(e->module, type)));
    LLVMValueRef element = element_at(e, assumption, loop.index);
    switch (assumption->predicate->tag) {
    case TIR_TAG_DIV_BY: check_divisor(e, assumption, loop.index, element); break;
    case TIR_TAG_SAME_ELEMENTS: check_same(e, assumption, loop.index, element); break;
    default: check_bounds(e, assumption, loop.index, element); break;
    }
    code_loop_close(&e->cx, &loop);
    emit_close_temporary(e, mark);
    return true;
}

// Of Triton's kernels: hints of an op's result.
static bool is_hint(const Emit *e, const TirOp *op) {
    return e->module->triton && tir_value(e->function, op->operands[0])->definition &&
           tir_attribute(op, "predicate")->tag != TIR_TAG_BOUNDED;
}

// Of Triton's kernels: the argument that it is said of, the condition that tl.assume says, or what a hint says.
static const char *describe_in_triton(Emit *e, const TirOp *op, const char *message) {
    const TirFunction *entry = tir_op_function(op);
    const TirValueInfo *value = tir_value(entry, op->operands[0]);
    const TirAttribute *predicate = tir_attribute(op, "predicate");
    if (!e->module->triton) return message;
    if (!value->definition && value->block == entry->body.first && entry->parameter_names)
        return arena_format(e->arena, "%s of argument %s", message, entry->parameter_names[value->index]);
    if (!is_hint(e, op)) return value->definition && value->definition->kind == TIR_OP_exti ? "true" : message;
    if (predicate->tag == TIR_TAG_SAME_ELEMENTS) return arena_format(e->arena, "tl.max_constancy: %s", message);
    if (predicate->numbers[0] == 1) return arena_format(e->arena, "tl.max_contiguous: %s", message);
    return arena_format(e->arena, "tl.multiple_of: %s", message);
}

static bool check_assumption(Emit *e, const TirOp *op) {
    Assumption assumption = {.op = op, .predicate = tir_attribute(op, "predicate")};
    assumption.type = tir_type(e->module, emit_type_of(e, op->operands[0]));
    if (says_nothing(assumption.predicate)) return true;
    assumption.message = describe_in_triton(e, op, describe(e, assumption.predicate));
    if (assumption.type->kind == TIR_TYPE_tile) return check_tile(e, &assumption);
    assumption.element = (EmitElement){.is_pointer = true, .bits = 64, .parts = 1}; // the base of a view
    check_divisor(e, &assumption, code_i64(&e->cx, 0), emit_val(e, op->operands[0])->view->base);
    return true;
}

// What is said of a constant is the compiler's that made the kernel: no launch can make it wrong. (cuTile says of a stride
// of 1 of a dimension of size 1 that it is divisible as other strides are.)
static bool is_of_constant(const Emit *e, const TirOp *op) {
    const TirOp *of = op;
    while (of && of->kind == TIR_OP_assume) of = tir_value(e->function, of->operands[0])->definition;
    return of && of->kind == TIR_OP_constant;
}

static bool is_checked(const Emit *e, const TirOp *op) {
    return e->options->check_assume && (e->options->check_hints || (!is_hint(e, op) && !is_of_constant(e, op)));
}

bool assume_is_idle(const Emit *e, const TirOp *op) {
    return op->kind == TIR_OP_assume && e->module->triton && !is_checked(e, op);
}

bool lower_assume(Emit *e, const TirOp *op) {
    if (assume_is_idle(e, op)) return true;
    const EmitVal *val = emit_val(e, op->operands[0]);
    if (val->kind == EMIT_LAZY) val = emit_materialise(e, op->operands[0]); // it belongs to the op that defines it
    if (!val) return false;
    *emit_val(e, tir_result(op, 0)) = *val;
    return !is_checked(e, op) || check_assumption(e, op);
}
