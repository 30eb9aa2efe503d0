// SPDX-License-Identifier: Apache-2.0
// Integer division and remainder. They are evaluated where they stand, because dividing by zero, or a quotient too
// large for the type, stops the block. (The dialect leaves both undefined; the remainder of the smallest integer by -1
// is 0.) In Triton, where lanes that are masked off are divided, too, such a quotient is an unspecified value
// (tir_divides_elements), and where those are zeros what the instructions of NVIDIA's GPUs give: all bits of quotients
// and remainders by zero are 1, and the smallest integer divided by -1 is itself (as in lane_integer.c).
#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

#include <assert.h>

typedef struct Division {
    bool remainder, is_signed;
    bool unspecified;  // what has no quotient is an unspecified value
    uint64_t rounding; // TIR_rounding_zero, _negative_inf or _positive_inf
    unsigned bits;     // of the elements
} Division;

static LLVMValueRef integer_like(LLVMValueRef like, int64_t value) {
    return vector_integer_like(like, LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(like))), (uint64_t)value);
}

static LLVMValueRef is_equal(Emit *e, LLVMValueRef value, int64_t constant) {
    return LLVMBuildICmp(e->cx.builder, LLVMIntEQ, value, integer_like(value, constant), "");
}

static LLVMValueRef smallest(LLVMValueRef like) {
    unsigned bits = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(like)));
    return vector_integer_like(like, bits, 1ull << (bits - 1));
}

// ---- checks ---------------------------------------------------------------------------------------------------------

static LLVMValueRef emit_none(Emit *e, LLVMValueRef bad) {
    unsigned lanes = vector_lanes(bad);
    if (!lanes) return LLVMBuildNot(e->cx.builder, bad, "");
    LLVMTypeRef bits = code_integer_type(&e->cx, lanes);
    return LLVMBuildICmp(e->cx.builder, LLVMIntEQ, LLVMBuildBitCast(e->cx.builder, bad, bits, ""), LLVMConstNull(bits),
                         "");
}

// The number of the first bad element; `index`: of the step's first lane.
static LLVMValueRef first_bad(Emit *e, LLVMValueRef bad, LLVMValueRef index) {
    unsigned lanes = vector_lanes(bad);
    if (!lanes) return index;
    LLVMValueRef bits =
        LLVMBuildZExt(e->cx.builder, LLVMBuildBitCast(e->cx.builder, bad, code_integer_type(&e->cx, lanes), ""),
                      code_integer_type(&e->cx, 64), "");
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64), i1 = code_integer_type(&e->cx, 1), types[2] = {i64, i1};
    unsigned id = LLVMLookupIntrinsicID("llvm.cttz", 9);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->cx.module, id, &i64, 1),
                 arguments[2] = {bits, LLVMConstNull(i1)};
    LLVMValueRef lane =
        LLVMBuildCall2(e->cx.builder, LLVMFunctionType(i64, types, 2, false), function, arguments, 2, "");
    return LLVMBuildAdd(e->cx.builder, index, lane, "");
}

// Where there is no quotient.
static LLVMValueRef has_none(Emit *e, const Division *division, LLVMValueRef a, LLVMValueRef b) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef bad = is_equal(e, b, 0);
    if (!division->is_signed || division->remainder) return bad;
    LLVMValueRef overflow =
        LLVMBuildAnd(builder, is_equal(e, b, -1), LLVMBuildICmp(builder, LLVMIntEQ, a, smallest(a), ""), "");
    return LLVMBuildOr(builder, bad, overflow, "");
}

static void check_division(Emit *e, LLVMValueRef bad, LLVMValueRef index) {
    if (LLVMIsConstant(bad) && LLVMIsNull(bad)) return;
    emit_check(e, emit_none(e, bad), &(EmitFault){.kind = HOST_SITE_DIVIDE, .found = first_bad(e, bad, index)});
}

// ---- quotients ------------------------------------------------------------------------------------------------------

// The quotient toward zero, all lanes at once. In floats of more than twice the integers' precision the rounded
// quotient never reaches the next integer: a / b is below it by at least 1 / b, relatively 1 / a, and half an ulp is
// less.
static LLVMValueRef quotient_in_floats(Emit *e, const Division *division, LLVMValueRef a, LLVMValueRef b) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef real =
        division->bits <= 16 ? LLVMFloatTypeInContext(e->cx.context) : LLVMDoubleTypeInContext(e->cx.context);
    LLVMTypeRef type = vector_type_like(real, a);
    bool is_signed = division->is_signed;
    LLVMValueRef x = is_signed ? LLVMBuildSIToFP(builder, a, type, "") : LLVMBuildUIToFP(builder, a, type, "");
    LLVMValueRef y = is_signed ? LLVMBuildSIToFP(builder, b, type, "") : LLVMBuildUIToFP(builder, b, type, "");
    LLVMValueRef q = LLVMBuildFDiv(builder, x, y, "");
    return is_signed ? LLVMBuildFPToSI(builder, q, LLVMTypeOf(a), "") : LLVMBuildFPToUI(builder, q, LLVMTypeOf(a), "");
}

static LLVMValueRef quotient(Emit *e, const Division *division, LLVMValueRef a, LLVMValueRef b) {
    if (vector_lanes(a) && division->bits <= 32 && !LLVMIsConstant(b)) return quotient_in_floats(e, division, a, b);
    return division->is_signed ? LLVMBuildSDiv(e->cx.builder, a, b, "") : LLVMBuildUDiv(e->cx.builder, a, b, "");
}

// From the quotient toward zero to the rounding asked for. The exact quotient is positive where a and b have one sign.
static LLVMValueRef round_quotient(Emit *e, const Division *division, LLVMValueRef a, LLVMValueRef b, LLVMValueRef q) {
    LLVMBuilderRef builder = e->cx.builder;
    if (division->rounding == TIR_rounding_zero) return q;
    bool up = division->rounding == TIR_rounding_positive_inf;
    LLVMValueRef rest = LLVMBuildSub(builder, a, LLVMBuildMul(builder, q, b, ""), "");
    LLVMValueRef away =
        LLVMBuildNot(builder, is_equal(e, rest, 0), ""); // the quotient was cut, and toward the wrong side
    if (division->is_signed) {
        LLVMValueRef signs = LLVMBuildXor(builder, a, b, "");
        away = LLVMBuildAnd(
            builder, away, LLVMBuildICmp(builder, up ? LLVMIntSGE : LLVMIntSLT, signs, integer_like(signs, 0), ""), "");
    } else if (!up) {
        return q;
    }
    LLVMValueRef step = LLVMBuildZExt(builder, away, LLVMTypeOf(q), "");
    return up ? LLVMBuildAdd(builder, q, step, "") : LLVMBuildSub(builder, q, step, "");
}

// `bad`: where there is no quotient; NULL: nowhere.
static LLVMValueRef divide(Emit *e, const Division *division, LLVMValueRef a, LLVMValueRef b, LLVMValueRef bad) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef type = LLVMTypeOf(a);
    if (division->bits < 8) { // i1: a signed 1 is -1
        LLVMTypeRef wide = vector_type_like(code_integer_type(&e->cx, 8), a);
        a = division->is_signed ? LLVMBuildSExt(builder, a, wide, "") : LLVMBuildZExt(builder, a, wide, "");
        b = division->is_signed ? LLVMBuildSExt(builder, b, wide, "") : LLVMBuildZExt(builder, b, wide, "");
    }
    LLVMValueRef by_zero = bad ? is_equal(e, b, 0) : NULL, ones = integer_like(b, -1), divisor = b;
    if (bad) divisor = LLVMBuildSelect(builder, bad, integer_like(b, 1), divisor, "");
    if (division->remainder && division->is_signed) // x rem -1 = x rem 1 = 0, without overflow
        divisor = LLVMBuildSelect(builder, is_equal(e, b, -1), integer_like(b, 1), divisor, "");
    LLVMValueRef q = quotient(e, division, a, divisor), result;
    if (division->remainder) {
        result = LLVMBuildSub(builder, a, LLVMBuildMul(builder, q, divisor, ""), "");
        if (bad) result = LLVMBuildSelect(builder, by_zero, ones, result, "");
    } else {
        if (bad) q = LLVMBuildSelect(builder, by_zero, ones, q, "");
        result = round_quotient(e, division, a, b, q);
    }
    return LLVMTypeOf(result) == type ? result : LLVMBuildTrunc(builder, result, type, "");
}

// With what unspecified operands make of it. `index`: the number of the first lane's element.
static NumericValue divide_numbers(Emit *e, const Division *division, EmitElement element, const NumericValue *a,
                                   const NumericValue *b, LLVMValueRef index) {
    LLVMValueRef bad = has_none(e, division, a->parts[0], b->parts[0]);
    if (!division->unspecified) check_division(e, bad, index);
    NumericValue value = {.parts = {divide(e, division, a->parts[0], b->parts[0], division->unspecified ? bad : NULL)}};
    if (element.parts > 1) value.parts[1] = numeric_unite_marks(&e->cx, a->parts[1], b->parts[1]);
    if (!division->unspecified) return value;
    return emit_specified_where(e, element, LLVMBuildNot(e->cx.builder, bad, ""), &value,
                                "quotients by zero, or too large for their type");
}

// ---- the ops --------------------------------------------------------------------------------------------------------

static bool divide_tile(Emit *e, const TirOp *op, const Division *division, EmitElement element) {
    TirType type = emit_type_of(e, tir_result(op, 0));
    EmitVal tile;
    if (!emit_tile_alloc(e, type, NULL, &tile)) return false;
    Nest nest;
    nest_init(&nest, emit_tile_bits(e, type));
    TileMap map = map_identity(nest.bits);
    for (uint32_t i = 0; i < 2; i++)
        if (!nest_need(e, &nest, op->operands[i], &map)) return false;
    nest_need_memory(&nest, division->bits <= 16 ? 32 : 64, &map); // floats of quotient_in_floats
    nest_touch(&nest, 0, EMIT_TILES);
    nest_open(e, &nest, nest.bits);
    NumericValue a, b;
    if (!nest_eval(e, &nest, op->operands[0], &map, &a) || !nest_eval(e, &nest, op->operands[1], &map, &b))
        return false;
    NumericValue value = divide_numbers(e, division, element, &a, &b, nest_index(e, &nest, &map));
    emit_store_tile(e, &nest, element, &map, &tile, &value);
    nest_close(e, &nest);
    *emit_val(e, tir_result(op, 0)) = tile;
    return true;
}

bool lower_division(Emit *e, const TirOp *op) {
    TirValue result = tir_result(op, 0);
    EmitElement element = emit_element(e, emit_type_of(e, result));
    Division division = {.remainder = op->kind == TIR_OP_remi,
                         .unspecified = tir_divides_elements(op),
                         .is_signed = tir_attribute_integer(op, "signedness") == TIR_signedness_signed,
                         .rounding =
                             op->kind == TIR_OP_remi ? TIR_rounding_zero : tir_attribute_integer(op, "rounding"),
                         .bits = element.bits};
    const EmitVal *a = emit_val(e, op->operands[0]), *b = emit_val(e, op->operands[1]);
    if (a->kind != EMIT_SCALAR || b->kind != EMIT_SCALAR) return divide_tile(e, op, &division, element);
    NumericValue q = divide_numbers(e, &division, element, &a->value, &b->value, code_i64(&e->cx, 0));
    emit_bind_scalar(e, result, q.parts[0]);
    if (element.parts > 1) emit_val(e, result)->value.parts[1] = q.parts[1];
    return true;
}
