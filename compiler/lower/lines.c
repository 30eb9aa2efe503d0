// SPDX-License-Identifier: Apache-2.0
// What is known of the elements of a tile along a line: those that some iteration bits of a nest give. Pointers that go
// up evenly there, and a mask that begins and ends there, make an access one piece of memory (memory_rows.c).
//
// Integers wrap as the kernel's do. So where one is extended, or compared, it goes up evenly only if it does not wrap
// on that line. That is no fact but a condition, which code asks for each line by its first element.
#include "compiler/lower/lines.h"

#include "compiler/lower/tiles.h"

enum { WALK_MAX = 64, STEP_MAX = 1 << 30 };

static bool walk(Line *line, TirValue value, const TileMap *at, int64_t *step);

TileMap line_start(const Line *line, const TileMap *at) {
    TileMap start = *at;
    for (unsigned i = 0; i < line->bits; i++) start.to[i] = -1;
    return start;
}

// Whether all elements of the line are one, by where they lie.
static bool is_one(const Line *line, const TileMap *at) {
    for (unsigned i = 0; i < line->bits; i++)
        if (at->to[i] >= 0) return false;
    return true;
}

static bool add_condition(Line *line, LineConditionKind kind, TirValue value, const TileMap *at, int64_t step) {
    if (line->condition_count == LINE_CONDITIONS_MAX) return false;
    line->conditions[line->condition_count++] = (LineCondition){kind, value, line_start(line, at), step};
    return true;
}

static unsigned width_of(const Line *line, TirValue value) {
    return emit_element(line->e, emit_type_of(line->e, value)).bits;
}

// By how much the last element of a line is more than its first.
static int64_t rise(const Line *line, int64_t step) {
    return step * (((int64_t)1 << line->bits) - 1);
}

// Whether an integer of that many bits can go up like this at all.
static bool fits(const Line *line, unsigned bits, int64_t step) {
    const int64_t most = rise(line, step < 0 ? -step : step);
    return bits >= 64 || most < (int64_t)1 << (bits - 1);
}

// `value` goes up by `step`: the condition that it does not wrap.
static bool must_not_wrap(Line *line, bool is_signed, TirValue value, const TileMap *at, int64_t step) {
    if (!step) return true;
    if (!fits(line, width_of(line, value), step)) return false;
    return add_condition(line, is_signed ? LINE_NO_SIGNED_WRAP : LINE_NO_UNSIGNED_WRAP, value, at, step);
}

static bool is_signed_op(const TirOp *op) {
    return tir_attribute_integer(op, "signedness") == TIR_signedness_signed;
}

// ---- single ops -----------------------------------------------------------------------------------------------------

static bool walk_iota(const Line *line, const TileMap *at, int64_t *step) {
    for (unsigned i = 0; i < line->bits; i++)
        if (at->to[i] < 0 || at->to[i] != at->to[0] + (int)i) return false;
    *step = (int64_t)1 << at->to[0];
    return true;
}

static bool walk_sum(Line *line, const TirOp *op, const TileMap *at, int64_t *step) {
    int64_t a, b;
    if (!walk(line, op->operands[0], at, &a) || !walk(line, op->operands[1], at, &b)) return false;
    *step = op->kind == TIR_OP_subi ? a - b : a + b;
    return *step > -STEP_MAX && *step < STEP_MAX;
}

// The integer that all elements of a constant are.
static bool constant_of(const Line *line, TirValue value, int64_t *number) {
    const TirOp *op = tir_value(line->e->function, value)->definition;
    while (op && emit_row(op->kind)->class == EMIT_CLASS_MAP)
        op = tir_value(line->e->function, op->operands[0])->definition;
    if (!op || op->kind != TIR_OP_constant) return false;
    const TirType type = emit_type_of(line->e, tir_result(op, 0));
    const TirConstant *constant = &tir_attribute(op, "value")->constant;
    const unsigned bits = width_of(line, value);
    if (!tir_constant_is_splat(line->e->module, type, constant) || !bits) return false;
    *number = (int64_t)(tir_constant_bits(line->e->module, type, constant, 0) << (64 - bits)) >> (64 - bits);
    return *number > -STEP_MAX && *number < STEP_MAX;
}

static bool walk_product(Line *line, const TirOp *op, const TileMap *at, int64_t *step) {
    int64_t steps[2], number;
    for (unsigned i = 0; i < 2; i++)
        if (!walk(line, op->operands[i], at, &steps[i])) return false;
    *step = 0;
    if (!steps[0] && !steps[1]) return true;
    for (unsigned i = 0; i < 2; i++)
        if (!steps[i] && constant_of(line, op->operands[i], &number)) {
            *step = steps[1 - i] * number;
            return *step > -STEP_MAX && *step < STEP_MAX;
        }
    return false;
}

static bool walk_extension(Line *line, const TirOp *op, const TileMap *at, int64_t *step) {
    return walk(line, op->operands[0], at, step) && must_not_wrap(line, is_signed_op(op), op->operands[0], at, *step);
}

// Units are elements. The number that is added is extended, with its sign.
static bool walk_offset(Line *line, const TirOp *op, const TileMap *at, int64_t *step) {
    if (!walk_sum(line, op, at, step)) return false;
    int64_t by;
    if (width_of(line, op->operands[1]) == 64) return true;
    const unsigned before = line->condition_count; // those of the number are there already
    if (!walk(line, op->operands[1], at, &by)) return false;
    line->condition_count = before;
    return must_not_wrap(line, true, op->operands[1], at, by);
}

// What goes up by 1 goes up so modulo a number, too, if it does not come to a multiple of it.
static bool walk_remainder(Line *line, const TirOp *op, const TileMap *at, int64_t *step) {
    int64_t by;
    if (!walk(line, op->operands[0], at, step) || !walk(line, op->operands[1], at, &by) || by) return false;
    if (!*step) return true;
    if (*step < 0 || width_of(line, op->operands[0]) > 32 || !is_signed_op(op)) return false;
    return must_not_wrap(line, true, op->operands[0], at, *step) &&
           add_condition(line, LINE_REMAINDER, tir_result(op, 0), at, *step);
}

// An op that does the same to all elements.
static bool walk_element(Line *line, const TirOp *op, const TileMap *at, int64_t *step) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!walk(line, op->operands[i], at, step) || *step) return false;
    *step = 0;
    return true;
}

static bool walk_op(Line *line, const TirOp *op, const TileMap *at, int64_t *step) {
    const EmitClass class = emit_row(op->kind)->class;
    if (class == EMIT_CLASS_MAP) {
        const TileMap inner = emit_operand_map(line->e, op, at);
        return walk(line, op->operands[0], &inner, step);
    }
    switch (op->kind) {
    case TIR_OP_iota: return walk_iota(line, at, step);
    case TIR_OP_addi:
    case TIR_OP_subi: return walk_sum(line, op, at, step);
    case TIR_OP_muli: return walk_product(line, op, at, step);
    case TIR_OP_exti: return walk_extension(line, op, at, step);
    case TIR_OP_trunci:
    case TIR_OP_assume: return walk(line, op->operands[0], at, step);
    case TIR_OP_offset: return walk_offset(line, op, at, step);
    case TIR_OP_remi: return walk_remainder(line, op, at, step);
    default: return class == EMIT_CLASS_ELEMENT && walk_element(line, op, at, step);
    }
}

// *step: by how much the value goes up from element to element, modulo 2^width.
static bool walk(Line *line, TirValue value, const TileMap *at, int64_t *step) {
    const EmitVal *val = emit_val(line->e, value);
    const TirOp *op = tir_value(line->e->function, value)->definition;
    *step = 0;
    if (val->kind == EMIT_SCALAR || is_one(line, at)) return true;
    if (line->walked++ == WALK_MAX) return false;
    if (val->moved) return walk(line, val->moved->from, at, step);
    return op && !op->region_count && walk_op(line, op, at, step);
}

bool line_steps(Line *line, TirValue value, const TileMap *at, int64_t *step) {
    return walk(line, value, at, step);
}

// ---- masks ----------------------------------------------------------------------------------------------------------

static bool add_bound(Line *line, LineBound bound) {
    if (line->bound_count == LINE_BOUNDS_MAX) return false;
    line->bounds[line->bound_count++] = bound;
    return true;
}

// A comparison of two integers, one of which goes up by 1.
static bool compare(Line *line, const TirOp *op, const TileMap *at) {
    static const uint8_t swapped[] = {[TIR_predicate_equal] = TIR_predicate_equal,
                                      [TIR_predicate_less_than] = TIR_predicate_greater_than,
                                      [TIR_predicate_less_than_or_equal] = TIR_predicate_greater_than_or_equal,
                                      [TIR_predicate_greater_than] = TIR_predicate_less_than,
                                      [TIR_predicate_greater_than_or_equal] = TIR_predicate_less_than_or_equal};
    int64_t steps[2];
    unsigned predicate = (unsigned)tir_attribute_integer(op, "predicate");
    for (unsigned i = 0; i < 2; i++)
        if (!walk(line, op->operands[i], at, &steps[i])) return false;
    const TileMap start = line_start(line, at);
    if (!steps[0] && !steps[1]) return add_bound(line, (LineBound){.all = tir_result(op, 0), .at = start});
    const unsigned moving = steps[0] ? 0 : 1;
    if (steps[moving] != 1 || steps[1 - moving] || !is_signed_op(op) || predicate == TIR_predicate_not_equal)
        return false;
    if (moving) predicate = swapped[predicate];
    return must_not_wrap(line, true, op->operands[moving], at, 1) &&
           add_bound(line, (LineBound){.all = TIR_NO_VALUE,
                                       .first = op->operands[moving],
                                       .limit = op->operands[1 - moving],
                                       .predicate = predicate,
                                       .at = start});
}

bool line_bounds(Line *line, TirValue mask, const TileMap *at) {
    const TirOp *op = tir_value(line->e->function, mask)->definition;
    const EmitVal *val = emit_val(line->e, mask);
    if (val->kind == EMIT_SCALAR || is_one(line, at))
        return add_bound(line, (LineBound){.all = mask, .at = line_start(line, at)});
    if (!op || line->walked++ == WALK_MAX) return false;
    if (op->kind == TIR_OP_andi)
        return line_bounds(line, op->operands[0], at) && line_bounds(line, op->operands[1], at);
    if (op->kind == TIR_OP_cmpi) return compare(line, op, at);
    if (emit_row(op->kind)->class == EMIT_CLASS_MAP) {
        const TileMap inner = emit_operand_map(line->e, op, at);
        return line_bounds(line, op->operands[0], &inner);
    }
    int64_t step;
    return walk(line, mask, at, &step) && !step &&
           add_bound(line, (LineBound){.all = mask, .at = line_start(line, at)});
}

// ---- code: the conditions and bounds of one line --------------------------------------------------------------------

static bool need(Line *line, Nest *nest, TirValue value, const TileMap *at) {
    return nest_need(line->e, nest, value, at);
}

// What else the condition looks at: the operands of a remainder.
static const TirOp *remainder_of(const Line *line, const LineCondition *condition) {
    return tir_value(line->e->function, condition->value)->definition;
}

bool line_need(Line *line, Nest *nest) {
    for (unsigned i = 0; i < line->condition_count; i++) {
        const LineCondition *condition = &line->conditions[i];
        if (!need(line, nest, condition->value, &condition->at)) return false;
        if (condition->kind == LINE_REMAINDER)
            for (unsigned k = 0; k < 2; k++)
                if (!need(line, nest, remainder_of(line, condition)->operands[k], &condition->at)) return false;
    }
    for (unsigned i = 0; i < line->bound_count; i++) {
        const LineBound *bound = &line->bounds[i];
        if (bound->all != TIR_NO_VALUE) {
            if (!need(line, nest, bound->all, &bound->at)) return false;
        } else if (!need(line, nest, bound->first, &bound->at) || !need(line, nest, bound->limit, &bound->at)) {
            return false;
        }
    }
    return true;
}

static LLVMValueRef both(Emit *e, LLVMValueRef a, LLVMValueRef b) {
    return a && b ? LLVMBuildAnd(e->cx.builder, a, b, "") : a ? a : b;
}

bool line_scalar(Line *line, Nest *nest, TirValue value, const TileMap *at, LLVMValueRef *scalar) {
    Emit *e = line->e;
    NumericValue found;
    if (!nest_eval(e, nest, value, at, &found)) return false;
    *scalar = found.parts[0];
    LLVMValueRef marks = found.parts[1];
    if (!e->cx.poison || !marks || emit_element(e, emit_type_of(e, value)).parts == 1) return true;
    if (LLVMIsConstant(marks) && LLVMIsNull(marks)) return true;
    LLVMValueRef poison = numeric_has_mark(&e->cx, marks, NUMERIC_MARK_POISON);
    line->holds = both(e, line->holds, LLVMBuildNot(e->cx.builder, poison, ""));
    return true;
}

static LLVMValueRef widen(Emit *e, LLVMValueRef integer) {
    return LLVMBuildIntCast2(e->cx.builder, integer, code_integer_type(&e->cx, 64), true, "");
}

// first + rise does not pass the largest, or the smallest, integer of the type.
static LLVMValueRef does_not_wrap(Line *line, const LineCondition *condition, LLVMValueRef first) {
    LLVMTypeRef type = LLVMTypeOf(first);
    const unsigned bits = LLVMGetIntTypeWidth(type);
    const int64_t more = rise(line, condition->step);
    const bool is_signed = condition->kind != LINE_NO_UNSIGNED_WRAP;
    const uint64_t largest = is_signed ? UINT64_MAX >> (65 - bits) : UINT64_MAX >> (64 - bits),
                   smallest = is_signed ? (uint64_t)1 << (bits - 1) : 0;
    const uint64_t limit = (more > 0 ? largest : smallest) - (uint64_t)more;
    const LLVMIntPredicate predicate =
        is_signed ? (more > 0 ? LLVMIntSLE : LLVMIntSGE) : (more > 0 ? LLVMIntULE : LLVMIntUGE);
    return LLVMBuildICmp(line->e->cx.builder, predicate, first, LLVMConstInt(type, limit, false), "");
}

// The dividend is not negative, and the remainder stays below the divisor.
static bool stays_below(Line *line, Nest *nest, const LineCondition *condition, LLVMValueRef first,
                        LLVMValueRef *good) {
    LLVMBuilderRef b = line->e->cx.builder;
    LLVMValueRef dividend, divisor;
    const TirOp *op = remainder_of(line, condition);
    if (!line_scalar(line, nest, op->operands[0], &condition->at, &dividend) ||
        !line_scalar(line, nest, op->operands[1], &condition->at, &divisor))
        return false;
    LLVMValueRef last = LLVMBuildAdd(b, widen(line->e, first), code_i64(&line->e->cx, rise(line, condition->step)), "");
    LLVMValueRef below = LLVMBuildICmp(b, LLVMIntSLT, last, widen(line->e, divisor), "");
    LLVMValueRef positive = LLVMBuildICmp(b, LLVMIntSGE, dividend, LLVMConstNull(LLVMTypeOf(dividend)), "");
    *good = LLVMBuildAnd(b, below, positive, "");
    return true;
}

bool line_conditions(Line *line, Nest *nest) {
    for (unsigned i = 0; i < line->condition_count; i++) {
        const LineCondition *condition = &line->conditions[i];
        LLVMValueRef first, good;
        if (!line_scalar(line, nest, condition->value, &condition->at, &first)) return false;
        if (condition->kind == LINE_REMAINDER) {
            if (!stays_below(line, nest, condition, first, &good)) return false;
        } else {
            good = does_not_wrap(line, condition, first);
        }
        line->holds = both(line->e, line->holds, good);
    }
    return true;
}

static LLVMValueRef saturated(Emit *e, const char *name, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef operands[2] = {a, b};
    return vector_intrinsic(&e->cx, name, operands, 2);
}

static void at_most(Emit *e, LLVMValueRef *bound, LLVMValueRef other) {
    *bound = saturated(e, "llvm.smin", *bound, other);
}

// first + i `predicate` limit, as bounds of i.
static void tighten(Line *line, const LineBound *bound, LLVMValueRef first, LLVMValueRef limit) {
    Emit *e = line->e;
    const bool wide = LLVMGetIntTypeWidth(LLVMTypeOf(first)) == 64;
    LLVMValueRef a = widen(e, first), b = widen(e, limit), one = code_i64(&e->cx, 1);
    LLVMValueRef at = wide ? saturated(e, "llvm.ssub.sat", b, a) : LLVMBuildSub(e->cx.builder, b, a, "");
    LLVMValueRef after = wide ? saturated(e, "llvm.sadd.sat", at, one) : LLVMBuildAdd(e->cx.builder, at, one, "");
    LLVMValueRef low = NULL;
    switch (bound->predicate) {
    case TIR_predicate_less_than: at_most(e, &line->end, at); break;
    case TIR_predicate_less_than_or_equal: at_most(e, &line->end, after); break;
    case TIR_predicate_greater_than: low = after; break;
    case TIR_predicate_greater_than_or_equal: low = at; break;
    default: // equal
        low = at;
        at_most(e, &line->end, after);
        break;
    }
    if (low) line->begin = line->begin ? saturated(e, "llvm.smax", line->begin, low) : low;
}

bool line_range(Line *line, Nest *nest) {
    Emit *e = line->e;
    LLVMValueRef all = code_i64(&e->cx, (int64_t)1 << line->bits), none = code_i64(&e->cx, 0), first, limit;
    line->begin = NULL;
    line->end = all;
    for (unsigned i = 0; i < line->bound_count; i++) {
        const LineBound *bound = &line->bounds[i];
        if (bound->all != TIR_NO_VALUE) {
            if (!line_scalar(line, nest, bound->all, &bound->at, &first)) return false;
            line->end = LLVMBuildSelect(e->cx.builder, first, line->end, none, "");
            continue;
        }
        if (!line_scalar(line, nest, bound->first, &bound->at, &first) ||
            !line_scalar(line, nest, bound->limit, &bound->at, &limit))
            return false;
        tighten(line, bound, first, limit);
    }
    if (line->bound_count) line->end = saturated(e, "llvm.smax", line->end, none);
    if (!line->begin) return true;
    line->begin = saturated(e, "llvm.smax", line->begin, none);
    at_most(e, &line->begin, line->end);
    return true;
}
