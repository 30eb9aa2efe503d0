// SPDX-License-Identifier: Apache-2.0
// Element-wise float ops, comparisons and conversions: the numeric does the work.
#include "compiler/lower/census.h"
#include "compiler/lower/tiles.h"

bool element_float(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    FloatOp f;
    return emit_float_op(e, op, &f) && e->cx.numeric->apply(&e->cx, &f, operands, op->operand_count, result);
}

// The exponent is read as signed, so one of one bit is 0 or -1.
bool element_integer_power(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    LLVMTypeRef i32 = vector_type_like(code_integer_type(&e->cx, 32), operands[1].parts[0]);
    FloatOp f;
    if (!emit_float_op(e, op, &f)) return false;
    LLVMValueRef exponents[2] = {operands[1].parts[0], emit_flipped(e, &operands[1])};
    for (unsigned i = 0; i < 2 && exponents[i]; i++) { // the number of the first, the payload of the last
        NumericValue power, exponent = {.parts = {LLVMBuildSExt(e->cx.builder, exponents[i], i32, "")}};
        const NumericValue values[2] = {operands[0], exponent};
        if (!e->cx.numeric->apply(&e->cx, &f, values, 2, &power)) return false;
        if (i) power.parts[0] = result->parts[0];
        *result = power;
    }
    if (operands[1].parts[1]) *result = e->cx.numeric->mark(&e->cx, result, operands[1].parts[1]);
    return true;
}

bool element_function(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    FloatOp f;
    if (!emit_float_op(e, op, &f) || !e->cx.numeric->apply(&e->cx, &f, operands, op->operand_count, result))
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!emit_element(e, emit_type_of(e, op->operands[i])).is_float && operands[i].parts[1])
            *result = e->cx.numeric->mark(&e->cx, result, operands[i].parts[1]);
    return true;
}

bool element_compare_float(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    FloatOp f;
    return emit_float_op(e, op, &f) && e->cx.numeric->compare(&e->cx, &f, &operands[0], &operands[1], result);
}

bool element_convert(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    FloatOp f;
    return emit_float_op(e, op, &f) && e->cx.numeric->convert(&e->cx, &f, operands, result);
}

bool element_to_integer(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    FloatOp f;
    if (!emit_float_op(e, op, &f)) return false;
    LLVMTypeRef type = code_integer_type(&e->cx, emit_element(e, emit_type_of(e, tir_result(op, 0))).bits);
    const Numeric *numeric = e->cx.numeric;
    if (!numeric->to_integer(&e->cx, &f, type, operands, result)) return false;
    if (e->options->unspecified < COMPILE_RANDOM || f.saturating || !numeric->fits_integer) return true;
    // What overflows has no value; else it is that of GPUs, the nearest.
    LLVMValueRef fits = numeric->fits_integer(&e->cx, &f, type, operands);
    NumericValue any = emit_unspecified(e, emit_element(e, emit_type_of(e, tir_result(op, 0))),
                                        vector_lanes(result->parts[0]), "floats outside the range of the integer type");
    result->parts[0] = LLVMBuildSelect(e->cx.builder, fits, result->parts[0], any.parts[0], "");
    return true;
}

bool element_from_integer(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    FloatOp f;
    return emit_float_op(e, op, &f) && e->cx.numeric->from_integer(&e->cx, &f, &operands[0], result);
}

bool element_bitcast(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    EmitElement from = emit_element(e, emit_type_of(e, op->operands[0]));
    EmitElement to = emit_element(e, emit_type_of(e, tir_result(op, 0)));
    LLVMValueRef bits = from.is_float ? e->cx.numeric->to_bits(&e->cx, from.format, operands) : operands[0].parts[0];
    if (!to.is_float) {
        result->parts[0] = bits;
        if (from.is_float && to.parts > 1 && e->cx.poison) result->parts[1] = e->cx.numeric->marks(&e->cx, operands);
        return true;
    }
    LLVMValueRef flipped = from.is_float ? NULL : emit_flipped(e, operands);
    *result = e->cx.numeric->from_bits(&e->cx, to.format, bits);
    if (flipped) {
        NumericValue other = e->cx.numeric->from_bits(&e->cx, to.format, flipped);
        other.parts[0] = result->parts[0];
        *result = other;
    }
    if (!from.is_float && from.parts > 1 && e->cx.poison)
        *result = e->cx.numeric->mark(&e->cx, result, operands[0].parts[1]);
    return true;
}

TirValue emit_restored(const Emit *e, const TirOp *op) {
    if (op->kind != TIR_OP_bitcast || e->values[op->operands[0]].kind == EMIT_MEMORY) return TIR_NO_VALUE;
    const TirOp *first = tir_value(e->function, op->operands[0])->definition;
    if (!first || first->kind != TIR_OP_bitcast) return TIR_NO_VALUE;
    TirType type = emit_type_of(e, tir_result(op, 0));
    bool same = emit_element(e, type).is_float && emit_type_of(e, first->operands[0]) == type;
    return same ? first->operands[0] : TIR_NO_VALUE;
}

// What flips is all but the number.
void emit_select_float(Emit *e, const NumericValue *condition, const NumericValue *a, const NumericValue *b,
                       NumericValue *result) {
    LLVMValueRef flipped = emit_flipped(e, condition), chosen[2];
    for (unsigned p = 0; p < e->cx.numeric->part_count; p++) {
        chosen[0] = a->parts[p], chosen[1] = b->parts[p];
        // A minimum instruction would flush: LLVM is not to see that the operands are those that were compared.
        for (unsigned i = 0; e->cx.flushes_operands && i < 2; i++)
            if (LLVMGetTypeKind(vector_element(LLVMTypeOf(chosen[i]))) == LLVMFloatTypeKind)
                chosen[i] = vector_intrinsic(&e->cx, "llvm.arithmetic.fence", &chosen[i], 1);
        result->parts[p] =
            LLVMBuildSelect(e->cx.builder, p && flipped ? flipped : condition->parts[0], chosen[0], chosen[1], "");
    }
    if (e->cx.numeric->mark) *result = e->cx.numeric->mark(&e->cx, result, condition->parts[1]);
}

bool element_select(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    EmitElement element = emit_element(e, emit_type_of(e, tir_result(op, 0)));
    if (element.is_float) {
        emit_select_float(e, &operands[0], &operands[1], &operands[2], result);
        return true;
    }
    for (unsigned p = 0; p < element.parts; p++)
        result->parts[p] =
            LLVMBuildSelect(e->cx.builder, operands[0].parts[0], operands[1].parts[p], operands[2].parts[p], "");
    if (element.parts > 1) result->parts[1] = numeric_unite_marks(&e->cx, result->parts[1], operands[0].parts[1]);
    return true;
}

// Lanes (i1) in which one of two booleans, for which nothing speaks otherwise, decides alone: a false of `and`, a true
// of `or`. NULL: the op has no such lanes.
static LLVMValueRef decided_by_one(const Emit *e, const TirOp *op, EmitElement element, const NumericValue *operands) {
    if ((op->kind != TIR_OP_andi && op->kind != TIR_OP_ori) || element.bits != 1) return NULL;
    LLVMBuilderRef b = e->cx.builder;
    LLVMValueRef decided = NULL;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        LLVMValueRef value = operands[i].parts[0], marks = operands[i].parts[1];
        if (op->kind == TIR_OP_andi) value = LLVMBuildNot(b, value, "");
        LLVMValueRef known = LLVMBuildICmp(b, LLVMIntEQ, marks, numeric_marks_like(&e->cx, marks, 0), "");
        known = LLVMBuildAnd(b, known, value, "");
        decided = decided ? LLVMBuildOr(b, decided, known, "") : known;
    }
    return decided;
}

// The marks of all integer operands together, but for booleans that do not matter.
static void unite_marks(Emit *e, const TirOp *op, EmitElement element, const NumericValue *operands,
                        NumericValue *result) {
    *result = emit_unmarked(e, element, result->parts[0]);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        EmitElement operand = emit_element(e, emit_type_of(e, op->operands[i]));
        if (!operand.is_float && operand.parts > 1)
            result->parts[1] = numeric_unite_marks(&e->cx, result->parts[1], operands[i].parts[1]);
    }
    LLVMValueRef marks = result->parts[1], decided = decided_by_one(e, op, element, operands);
    if (decided)
        result->parts[1] = LLVMBuildSelect(e->cx.builder, decided, numeric_marks_like(&e->cx, marks, 0), marks, "");
}

LLVMValueRef emit_flipped(const Emit *e, const NumericValue *integer) {
    return e->cx.numeric->flipped ? e->cx.numeric->flipped(&e->cx, integer) : NULL;
}

// What the result of an op on integers would be if they were what their marks say: by how much it is another one.
static bool flip_result(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    NumericValue flipped[TIR_OPERANDS_MAX], other = {0};
    bool any = false;
    if (op->kind == TIR_OP_divi || op->kind == TIR_OP_remi) return true; // may fail; the union of the operands' will do
    for (uint32_t i = 0; i < op->operand_count; i++) {
        EmitElement operand = emit_element(e, emit_type_of(e, op->operands[i]));
        bool marked = !operand.is_float && operand.parts > 1;
        LLVMValueRef integer = marked ? emit_flipped(e, &operands[i]) : NULL;
        flipped[i] = operands[i];
        if (integer) flipped[i].parts[0] = integer;
        any |= integer != NULL;
    }
    if (!any) return true;
    if (!emit_row(op->kind)->element(e, op, flipped, &other)) return false;
    result->parts[1] = numeric_with_step(&e->cx, result->parts[1], result->parts[0], other.parts[0]);
    return true;
}

bool emit_call_element(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    EmitElement element = emit_element(e, emit_type_of(e, tir_result(op, 0)));
    TirValue restored = emit_restored(e, op);
    *result = (NumericValue){0};
    if (restored != TIR_NO_VALUE && emit_val(e, restored)->kind == EMIT_SCALAR) {
        *result = emit_val(e, restored)->value;
        return true;
    }
    FpsanFormat format;
    bool alone = operands[0].parts[0] && !vector_lanes(operands[0].parts[0]); // not in the body of a reduction
    if (alone && emit_val(e, op->operands[0])->kind == EMIT_SCALAR && emit_is_float_of_bits(e, op, &format)) {
        Nest nest;
        TileMap map = map_identity(0);
        nest_init(&nest, 0);
        return emit_eval_bits(e, &nest, op->operands[0], &map, format, result);
    }
    if (!emit_row(op->kind)->element(e, op, operands, result)) return false;
    census_element(e, op, operands, result);
    census_replace(e, op, operands, result);
    if (element.is_float || element.parts == 1) return true;
    if (!result->parts[1]) unite_marks(e, op, element, operands, result);
    return flip_result(e, op, operands, result);
}
