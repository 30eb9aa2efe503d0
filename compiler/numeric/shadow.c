// SPDX-License-Identifier: Apache-2.0
// The numeric `shadow`: a value is its `ieee` part and beside it a payload in the tower algebra. What leaves the floats
// (comparisons, integers, real bits) comes from the IEEE part.
#include "compiler/numeric/shadow.h"

const MachineVector *shadow_sum_instruction(const NumericContext *cx, MachineUse use, unsigned lanes) {
    const MachineVector *row = NULL;
    do row = machine_vector(&cx->machine, use, row);
    while (row && (!lanes || lanes % row->lanes));
    return row;
}

LLVMValueRef shadow_multiply_add(const NumericContext *cx, const MachineVector *chosen, LLVMValueRef sum,
                                 LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef pieces[NUMERIC_LANES_MAX];
    const unsigned lanes = chosen->lanes, count = vector_lanes(sum) / lanes;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef operands[] = {vector_slice(cx, sum, i * lanes, lanes), vector_slice(cx, a, i * lanes, lanes),
                                   vector_slice(cx, b, i * lanes, lanes)};
        pieces[i] = vector_intrinsic_of(cx, chosen->name, NULL, 0, operands, BASE_COUNT(operands));
    }
    return vector_join(cx, pieces, count);
}

static LLVMValueRef multiply_add_52(const void *data, bool high, LLVMValueRef sum, LLVMValueRef a, LLVMValueRef b) {
    const NumericContext *cx = data;
    const MachineUse use = high ? MACHINE_MULTIPLY_ADD_52_HIGH : MACHINE_MULTIPLY_ADD_52;
    const MachineVector *chosen = shadow_sum_instruction(cx, use, vector_lanes(sum));
    return chosen ? shadow_multiply_add(cx, chosen, sum, a, b) : NULL;
}

static LLVMValueRef pick(const void *data, const uint64_t *entries, LLVMValueRef index) {
    enum { HALF = TOWER_PICKED / 2 };
    const NumericContext *cx = data;
    const MachineVector *chosen = shadow_sum_instruction(cx, MACHINE_PICK, vector_lanes(index));
    if (!chosen) return NULL;
    LLVMTypeRef type = LLVMInt64TypeInContext(cx->context);
    LLVMValueRef halves[2], pieces[NUMERIC_LANES_MAX];
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef lanes[HALF];
        for (unsigned i = 0; i < HALF; i++) lanes[i] = LLVMConstInt(type, entries[h * HALF + i], false);
        halves[h] = LLVMConstVector(lanes, HALF);
    }
    const unsigned count = vector_lanes(index) / HALF;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef operands[] = {halves[0], vector_slice(cx, index, i * HALF, HALF), halves[1]};
        pieces[i] = vector_intrinsic_of(cx, chosen->name, NULL, 0, operands, BASE_COUNT(operands));
    }
    return vector_join(cx, pieces, count);
}

static bool is_ready(const void *data, const char *name) {
    const NumericContext *cx = data;
    return machine_function(&cx->machine, name);
}

TowerEmit shadow_emit(const NumericContext *cx) {
    return (TowerEmit){cx->context, cx->module, cx->builder, cx->tower, multiply_add_52, pick, is_ready, cx};
}

TowerValue shadow_payload(const NumericValue *value) {
    TowerValue payload = {.state = value->parts[SHADOW_STATE]}; // NULL for what the tower has not
    for (unsigned i = 0; i < TOWER_LENGTH_MAX; i++) payload.component[i] = value->parts[shadow_part(i)];
    return payload;
}

NumericValue shadow_value(LLVMValueRef ieee, const TowerValue *payload) {
    NumericValue value = {.parts = {ieee}};
    for (unsigned i = 0; i < TOWER_LENGTH_MAX; i++) value.parts[shadow_part(i)] = payload->component[i];
    value.parts[SHADOW_STATE] = payload->state;
    return value;
}

NumericValue shadow_ieee(const NumericValue *value) {
    return (NumericValue){.parts = {value->parts[SHADOW_IEEE]}};
}

NumericValue shadow_flushed(const NumericContext *cx, const FloatOp *op, const NumericValue *value) {
    NumericValue flushed = *value;
    if (op->flush_to_zero) flushed.parts[SHADOW_IEEE] = ieee_flush(cx, value->parts[SHADOW_IEEE]);
    return flushed;
}

static LLVMTypeRef shadow_part_type(const NumericContext *cx, FpsanFormat format, unsigned part) {
    return part == SHADOW_IEEE ? numeric_ieee.part_type(cx, format, 0) : LLVMInt32TypeInContext(cx->context);
}

static NumericValue shadow_constant(const NumericContext *cx, FpsanFormat format, uint64_t bits) {
    TowerEmit e = shadow_emit(cx);
    NumericValue ieee = numeric_ieee.constant(cx, format, bits);
    TowerPayload payload = tower_constant_meant(cx->tower, format, bits, cx->meanings, cx->meaning_count);
    TowerValue constant = tower_emit_constant(&e, payload, ieee.parts[0]);
    return shadow_value(ieee.parts[0], &constant);
}

static NumericValue shadow_from_bits(const NumericContext *cx, FpsanFormat format, LLVMValueRef bits) {
    TowerEmit e = shadow_emit(cx);
    LLVMValueRef ieee = numeric_ieee.from_bits(cx, format, bits).parts[0];
    TowerValue payload = tower_emit_embed(&e, format, ieee_bits(cx, format, ieee));
    return shadow_value(ieee, &payload);
}

static LLVMValueRef shadow_to_bits(const NumericContext *cx, FpsanFormat format, const NumericValue *value) {
    return numeric_ieee.to_bits(cx, format, value);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

_Static_assert(sizeof((HostRecord *)NULL)->component == TOWER_LENGTH_MAX * sizeof(uint32_t), "one for each prime");
_Static_assert((uint32_t)TOWER_POISON == HOST_RECORD_POISON, "the runtime reads it");

static LLVMValueRef all_lanes(const NumericContext *cx, LLVMValueRef condition) {
    return vector_lanes(condition) ? vector_intrinsic(cx, "llvm.vector.reduce.and", &condition, 1) : condition;
}

// The record where it holds; else a value from outside, which is computed only if some lane needs it.
static NumericValue shadow_from_planes(const NumericContext *cx, FpsanFormat format, const LLVMValueRef *planes) {
    LLVMBuilderRef b = cx->builder;
    TowerEmit e = shadow_emit(cx);
    LLVMValueRef holds = numeric_record_holds(cx, planes), state = planes[NUMERIC_PLANE_STATE];
    TowerValue record = {.state = NULL};
    for (unsigned i = 0; i < e.tower->length; i++) record.component[i] = planes[NUMERIC_PLANE_COMPONENT + i];
    record.state = LLVMBuildAnd(b, state, vector_integer_like(state, 32, ~(uint64_t)HOST_RECORD_VALID), "");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b);
    LLVMValueRef function = LLVMGetBasicBlockParent(here);
    LLVMBasicBlockRef outside = LLVMAppendBasicBlockInContext(cx->context, function, "outside");
    LLVMBasicBlockRef join = LLVMAppendBasicBlockInContext(cx->context, function, "payload");
    LLVMValueRef ieee = numeric_ieee.from_planes(cx, format, planes).parts[0];
    LLVMBuildCondBr(b, all_lanes(cx, holds), join, outside);
    LLVMPositionBuilderAtEnd(b, outside);
    TowerValue embedded = tower_emit_embed(&e, format, ieee_bits(cx, format, ieee));
    embedded = tower_emit_select(&e, holds, &record, &embedded);
    LLVMBasicBlockRef from[2] = {here, LLVMGetInsertBlock(b)};
    LLVMBuildBr(b, join);
    LLVMPositionBuilderAtEnd(b, join);
    NumericValue first = shadow_value(ieee, &record), second = shadow_value(ieee, &embedded), result = first;
    for (unsigned p = SHADOW_COMPONENT; p < cx->numeric->part_count; p++) {
        result.parts[p] = LLVMBuildPhi(b, LLVMTypeOf(first.parts[p]), "");
        LLVMAddIncoming(result.parts[p], (LLVMValueRef[]){first.parts[p], second.parts[p]}, from, 2);
    }
    return result;
}

static unsigned shadow_plane_of_part(unsigned part) {
    return part == SHADOW_STATE ? (unsigned)NUMERIC_PLANE_STATE : NUMERIC_PLANE_COMPONENT + shadow_component(part);
}

static void shadow_to_planes(const NumericContext *cx, FpsanFormat format, const NumericValue *value,
                             LLVMValueRef *planes) {
    LLVMValueRef state = value->parts[SHADOW_STATE];
    numeric_record_open(cx, shadow_to_bits(cx, format, value), planes);
    planes[NUMERIC_PLANE_STATE] = LLVMBuildOr(cx->builder, state, planes[NUMERIC_PLANE_STATE], "");
    for (unsigned i = 0; i < cx->tower->length; i++) planes[NUMERIC_PLANE_COMPONENT + i] = value->parts[shadow_part(i)];
}

// ---- conversions and comparisons ------------------------------------------------------------------------------------

static bool shadow_convert(const NumericContext *cx, const FloatOp *op, const NumericValue *value,
                           NumericValue *result) {
    NumericValue before = shadow_ieee(value), after;
    if (!numeric_ieee.convert(cx, op, &before, &after)) return false;
    TowerValue payload = shadow_payload(value);
    NumericValue converted = shadow_value(after.parts[0], &payload);
    *result = shadow_rounded_to(cx, op->operand, op->result, &converted);
    return true;
}

static bool shadow_from_integer(const NumericContext *cx, const FloatOp *op, const NumericValue *integer,
                                NumericValue *result) {
    TowerEmit e = shadow_emit(cx);
    NumericValue ieee;
    if (!numeric_ieee.from_integer(cx, op, integer, &ieee)) return false;
    LLVMValueRef flipped = shadow_flipped(cx, integer);
    TowerValue payload = tower_emit_integer(&e, flipped ? flipped : integer->parts[0], op->is_signed);
    *result = shadow_value(ieee.parts[0], &payload);
    if (integer->parts[1]) *result = shadow_mark(cx, result, integer->parts[1]);
    return true;
}

static bool shadow_to_integer(const NumericContext *cx, const FloatOp *op, LLVMTypeRef type, const NumericValue *value,
                              NumericValue *result) {
    const FpsanFormat format = op->operand;
    NumericValue ieee = shadow_ieee(value);
    if (!numeric_ieee.to_integer(cx, op, type, &ieee, result)) return false;
    result->parts[0] = shadow_decided(cx, format, value, value, result->parts[0]);
    LLVMValueRef marks = shadow_near_integer(cx, format, FPSAN_RULE_COUNT, value),
                 poison = shadow_poison_marks(cx, value, NULL);
    marks = numeric_unite_marks(cx, marks, shadow_near_marks(cx, value->parts[SHADOW_STATE]));
    marks = shadow_follow(cx, format, value, marks);
    result->parts[1] = numeric_unite_marks(cx, marks, poison);
    if (!cx->poison || op->saturating) return true;
    LLVMValueRef overflow = shadow_overflow(cx, op, type, value);
    if (cx->origins) // what is poison already was made elsewhere
        overflow =
            LLVMBuildSelect(cx->builder, numeric_has_mark(cx, poison, NUMERIC_MARK_POISON), poison, overflow, "");
    result->parts[1] = numeric_unite_marks(cx, result->parts[1], overflow);
    return true;
}

// Where a comparison did not fall as min and max do in which the same is compared: less and greater are both true of
// the operand that goes first, numbers that are not known to be equal are not.
static LLVMValueRef compared_otherwise(const NumericContext *cx, FpsanPredicate predicate, const NumericValue *a,
                                       const NumericValue *b, LLVMValueRef result) {
    if (!shadow_is_settled(cx)) return NULL;
    TowerEmit e = shadow_emit(cx);
    TowerValue x = shadow_payload(a), y = shadow_payload(b);
    if (predicate == FPSAN_EQUAL) return result;
    if (predicate == FPSAN_NOT_EQUAL) return LLVMBuildNot(cx->builder, result, "");
    return LLVMBuildXor(cx->builder, result, tower_emit_goes_first(&e, &x, &y), "");
}

static bool shadow_compare(const NumericContext *cx, const FloatOp *op, const NumericValue *a, const NumericValue *b,
                           NumericValue *result) {
    NumericValue x = shadow_ieee(a), y = shadow_ieee(b);
    if (!numeric_ieee.compare(cx, op, &x, &y, result)) return false;
    const NumericValue decide[2] = {shadow_flushed(cx, op, a), shadow_flushed(cx, op, b)};
    result->parts[0] = shadow_decided(cx, op->operand, &decide[0], &decide[1], result->parts[0]);
    LLVMValueRef near = shadow_near(cx, op->operand, &decide[0], &decide[1]);
    LLVMValueRef strays = compared_otherwise(cx, op->predicate, a, b, result->parts[0]);
    near = shadow_flip_mark(cx, near, shadow_flips(cx, near, a, b, strays));
    result->parts[1] = numeric_unite_marks(cx, near, shadow_poison_marks(cx, a, b));
    return true;
}

static NumericValue shadow_poison(const NumericContext *cx, const NumericValue *value, LLVMValueRef origin) {
    TowerEmit e = shadow_emit(cx);
    TowerValue poison = tower_emit_constant(&e, tower_poison(0), origin);
    poison.component[TOWER_ORIGIN_COMPONENT] = origin;
    return shadow_value(value->parts[SHADOW_IEEE], &poison);
}

static NumericValue shadow_choose_bits(const NumericContext *cx, FpsanFormat format, LLVMValueRef result,
                                       LLVMValueRef is_a, LLVMValueRef is_b, const NumericValue *a,
                                       const NumericValue *b) {
    TowerEmit e = shadow_emit(cx);
    TowerValue operands[2] = {shadow_payload(a), shadow_payload(b)};
    NumericValue chosen = shadow_choose(cx, format, result, is_a, is_b, a, b);
    TowerValue payload = shadow_payload(&chosen);
    payload = tower_emit_poisoned(&e, operands, 2, &payload);
    return shadow_value(result, &payload);
}

static void shadow_poison_planes(const NumericContext *cx, LLVMValueRef bits, LLVMValueRef origins,
                                 LLVMValueRef *planes) {
    LLVMValueRef record[NUMERIC_PLANES_MAX];
    for (unsigned p = 1; p < NUMERIC_PLANES_MAX; p++) planes[p] = LLVMConstNull(LLVMTypeOf(origins));
    numeric_record_open(cx, bits, record);
    planes[NUMERIC_PLANE_STATE] = vector_integer_like(origins, 32, tower_poison(0).state | HOST_RECORD_VALID);
    planes[NUMERIC_PLANE_COMPONENT + TOWER_ORIGIN_COMPONENT] = origins;
    planes[NUMERIC_PLANE_LOW] = record[NUMERIC_PLANE_LOW];
    if (record[NUMERIC_PLANE_HIGH]) planes[NUMERIC_PLANE_HIGH] = record[NUMERIC_PLANE_HIGH];
}

static LLVMValueRef shadow_marks(const NumericContext *cx, const NumericValue *value) {
    return shadow_poison_marks(cx, value, NULL);
}

static const NumericDots shadow_dots = {
    .plan = shadow_dot_plan,
    .operand = shadow_dot_operand,
    .begin = shadow_dot_begin,
    .end = shadow_dot_end,
    .step = shadow_dot_step,
    .parameter = shadow_dot_parameter,
    .fold = shadow_dot_fold,
    .finish = shadow_dot_finish,
    .scaled_format = ieee_scaled_format,
    .scaled_operand = shadow_scaled_operand,
    .states = shadow_dot_states,
    .common = shadow_dot_common,
    .values = shadow_dot_values,
    .value_begin = shadow_dot_value_begin,
    .value_step = shadow_dot_value_step,
    .value_end = shadow_dot_value_end,
    .state_part = SHADOW_STATE,
};

#define SHADOW_HOOKS                                                                                                   \
    .name = "shadow", .honours = FLOAT_FLUSH_TO_ZERO | FLOAT_SATURATING | FLOAT_PROPAGATE_NAN, .integer_parts = 2,     \
    .has_records = true, .part_type = shadow_part_type, .constant = shadow_constant,                                   \
    .plane_of_part = shadow_plane_of_part, .from_planes = shadow_from_planes, .to_planes = shadow_to_planes, .to_bits = shadow_to_bits,                       \
    .from_bits = shadow_from_bits, .apply = shadow_apply, .convert = shadow_convert,                                   \
    .from_integer = shadow_from_integer, .to_integer = shadow_to_integer, .fits_integer = ieee_fits_integer,           \
    .flipped = shadow_flipped, .choose = shadow_choose_bits, .compare = shadow_compare, .mark = shadow_mark,           \
    .poison = shadow_poison, .poison_planes = shadow_poison_planes, .marks = shadow_marks, .dots = &shadow_dots

const Numeric numeric_shadow = {.part_count = SHADOW_PARTS, .component_words = TOWER_LENGTH, SHADOW_HOOKS};
const Numeric numeric_degree_shadow = {.part_count = SHADOW_DEEP_PARTS,
                                       .component_words = TOWER_LENGTH_MAX,
                                       .records = HOST_RECORDS_OF_DEGREES,
                                       SHADOW_HOOKS};
const Numeric numeric_deep_shadow = {
    .part_count = SHADOW_DEEP_PARTS, .component_words = TOWER_LENGTH_MAX, SHADOW_HOOKS};
