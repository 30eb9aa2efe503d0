// SPDX-License-Identifier: Apache-2.0
// Making edits. With a condition both sides are there: a select of tiles, which is evaluated element by element where
// the result is read; an `if` around what is no element-wise op, so that it costs nothing where it does not run.
#include "compiler/mutate/mutate_internal.h"

#include <assert.h>
#include <string.h>

// ---- places and values ----------------------------------------------------------------------------------------------

static TirOp **tail_of(const Edit *e) {
    return &e->in->tails[e->site.op->number];
}

void edit_open_operands(Edit *e) {
    e->before = e->op;
}

void edit_open_results(Edit *e) {
    TirOp *tail = *tail_of(e);
    e->before = (tail ? tail : e->op)->next;
    assert(e->before); // an op with results ends no block
    e->first_new = e->in->function->op_count;
}

TirValue edit_value(const Edit *e, TirValue original) {
    return e->in->values[original];
}

TirValue edit_operand(const Edit *e, uint32_t operand) {
    return edit_value(e, e->site.op->operands[operand]);
}

TirValue edit_result(const Edit *e, uint32_t result) {
    return edit_value(e, tir_result(e->site.op, result));
}

static TirValue current_result(const Edit *e, uint32_t result) {
    const TirValue current = e->in->currents[tir_result(e->site.op, result)];
    return current == TIR_NO_VALUE ? edit_result(e, result) : current;
}

// ---- new ops --------------------------------------------------------------------------------------------------------

static void set_place(const Edit *e, TirOp *op) {
    const TirOp *like = e->site.op;
    op->at = like->at;
    op->debug = like->debug;
    op->math_block = like->math_block;
    if (tir_op_info(op->kind)->licensed && tir_op_info(like->kind)->licensed) {
        op->math.flags = like->math.flags;
        op->math.mode = like->math.mode;
    }
}

// Whether the value is one for this op: rounding is an enumeration of several kinds of ops.
static bool takes_over(TirOpKind kind, const char *name, uint64_t value) {
    if (!strcmp(name, "ftz") || !strcmp(name, "nan") || !strcmp(name, "signedness") || !strcmp(name, "predicate"))
        return true;
    return !strcmp(name, "rounding") && value <= TIR_rounding_positive_inf && tir_op_info(kind)->licensed;
}

static void set_attributes(TirOp *op, const TirOp *like) {
    const TirOpInfo *info = tir_op_info(op->kind);
    for (unsigned i = 0; i < info->attribute_count; i++) {
        const TirAttributeInfo *row = &info->attributes[i];
        const bool both = like && site_has_attribute(like->kind, row->name);
        if (both && tir_attribute(like, row->name) &&
            takes_over(op->kind, row->name, tir_attribute_integer(like, row->name)))
            op->attributes[i] = *tir_attribute(like, row->name);
        else if (row->kind == TIR_ATTR_ENUM && !row->optional && !row->has_default)
            tir_op_set(op, row->name)->integer = !strcmp(row->name, "signedness") ? TIR_signedness_signed : 0;
    }
}

TirValue edit_add(Edit *e, TirOpKind kind, uint32_t count, const TirValue *operands, TirType type, const TirOp *like) {
    TirOp *op = tir_op_insert(
        e->before,
        &(TirNewOp){.kind = kind, .operand_count = count, .operands = operands, .result_count = 1, .results = &type});
    set_place(e, op);
    set_attributes(op, like);
    return tir_result(op, 0);
}

TirValue edit_constant(Edit *e, TirType type, const void *bytes, size_t size) {
    const TirValue value = edit_add(e, TIR_OP_constant, 0, NULL, type, NULL);
    tir_op_set(tir_value(e->in->function, value)->definition, "value")->constant =
        tir_constant(e->in->module, bytes, size);
    return value;
}

TirValue edit_splat(Edit *e, TirType type, double number) {
    const TirTypeKind kind = tir_tile_element_kind(e->in->module, type);
    const FpsanFormat format = tir_float_format(kind);
    uint64_t bits = format == FPSAN_FORMAT_COUNT ? (uint64_t)(int64_t)number : fpsan_encode_nearest(format, number);
    uint8_t bytes[8];
    if (kind == TIR_TYPE_i1) bits = bits ? 0xFF : 0; // up to eight bools share the byte
    for (unsigned i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(bits >> 8 * i);
    return edit_constant(e, type, bytes, (tir_type_rows[kind].bits + 7) / 8);
}

// The condition as a tile of the shape of `type`.
static TirValue condition_like(Edit *e, TirType type) {
    TirModule *module = e->in->module;
    const TirTypeInfo info = *tir_type(module, type);
    int64_t ones[TIR_RANK_MAX];
    if (!info.rank) return e->condition;
    for (uint32_t d = 0; d < info.rank; d++) ones[d] = 1;
    const TirType i1 = tir_type_scalar(module, TIR_TYPE_i1);
    const TirType small = tir_type_tile(module, i1, info.rank, ones),
                  large = tir_type_tile(module, i1, info.rank, info.shape);
    const TirValue reshaped = edit_add(e, TIR_OP_reshape, 1, &e->condition, small, NULL);
    return small == large ? reshaped : edit_add(e, TIR_OP_broadcast, 1, &reshaped, large, NULL);
}

// `to` where the edit is made, else `from`.
static TirValue choose(Edit *e, TirValue to, TirValue from) {
    const TirType type = tir_value_type(e->in->function, from);
    if (e->condition == TIR_NO_VALUE) return to;
    const TirValue operands[] = {condition_like(e, type), to, from};
    return edit_add(e, TIR_OP_select, 3, operands, type, NULL);
}

// ---- the edits ------------------------------------------------------------------------------------------------------

// In ops that are older than `first_new`.
static void replace_uses(Editing *in, TirValue value, TirValue by, uint32_t first_new) {
    const TirRegion *body = &in->function->body;
    for (TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
        for (uint32_t i = 0; i < op->operand_count && op->number < first_new; i++)
            if (op->operands[i] == value) op->operands[i] = by;
}

void edit_set_operand(Edit *e, uint32_t operand, TirValue to) {
    e->op->operands[operand] = choose(e, to, e->op->operands[operand]);
}

void edit_set_result(Edit *e, uint32_t result, TirValue to) {
    const TirValue current = current_result(e, result), chosen = choose(e, to, current);
    replace_uses(e->in, current, chosen, e->first_new);
    e->in->currents[tir_result(e->site.op, result)] = chosen;
    if (e->before->previous != e->op) *tail_of(e) = e->before->previous;
}

static void add_yield(const Edit *e, TirBlock *block, uint32_t count, const TirValue *values) {
    set_place(e, tir_op_add(block, &(TirNewOp){.kind = TIR_OP_yield, .operand_count = count, .operands = values}));
}

// An `if` on the condition, before `e->before`, with two blocks that are empty.
static TirOp *add_if(Edit *e, uint32_t count, const TirType *types) {
    TirOp *op = tir_op_insert(
        e->before,
        &(TirNewOp){
            .kind = TIR_OP_if, .operand_count = 1, .operands = &e->condition, .result_count = count, .results = types});
    set_place(e, op);
    for (int i = 0; i < 2; i++) tir_block_add(&op->regions[i], 0, NULL);
    return op;
}

typedef struct Results {
    uint32_t count;
    TirType *types;
    TirValue *values;
} Results;

static Results current_results(const Edit *e) {
    Results r = {.count = e->op->result_count};
    r.types = arena_array(e->in->arena, TirType, r.count + 1u);
    r.values = arena_array(e->in->arena, TirValue, r.count + 1u);
    for (uint32_t i = 0; i < r.count; i++) {
        r.values[i] = current_result(e, i);
        r.types[i] = tir_value_type(e->in->function, r.values[i]);
    }
    return r;
}

static void results_of(const TirOp *op, TirValue *values) {
    for (uint32_t i = 0; i < op->result_count; i++) values[i] = tir_result(op, i);
}

void edit_replace(Edit *e, EditMake *make, void *data) {
    edit_open_results(e);
    const Results before = current_results(e);
    TirOp *made;
    if (e->condition == TIR_NO_VALUE) {
        made = make(e, e->op->block, e->before, data);
    } else {
        TirValue *values = arena_array(e->in->arena, TirValue, before.count + 1u);
        made = add_if(e, before.count, before.types);
        results_of(make(e, made->regions[0].first, NULL, data), values);
        add_yield(e, made->regions[0].first, before.count, values);
        add_yield(e, made->regions[1].first, before.count, before.values);
    }
    for (uint32_t i = 0; i < before.count; i++) {
        replace_uses(e->in, before.values[i], tir_result(made, i), e->first_new);
        e->in->currents[tir_result(e->site.op, i)] = tir_result(made, i);
    }
    *tail_of(e) = made;
    if (e->condition == TIR_NO_VALUE) tir_op_remove(e->op);
}

TirOp *edit_clone(Edit *e, TirBlock *block, TirOp *next) {
    const TirFunction *function = e->in->function;
    TirValue *values = arena_array(e->in->arena, TirValue, function->value_count + 1u);
    for (uint32_t v = 0; v < function->value_count; v++) values[v] = v;
    return tir_op_clone(block, next, e->op, values);
}

static TirValue add_token(Edit *e, TirBlock *block) {
    const TirType token = tir_type_scalar(e->in->module, TIR_TYPE_token);
    const TirNewOp added = {.kind = TIR_OP_make_token, .result_count = 1, .results = &token};
    TirOp *op = block ? tir_op_add(block, &added) : tir_op_insert(e->before, &added);
    set_place(e, op);
    return tir_result(op, 0);
}

void edit_drop(Edit *e) {
    const uint32_t count = e->op->result_count, first_new = e->in->function->op_count;
    TirValue *values = arena_array(e->in->arena, TirValue, count + 1u);
    edit_open_operands(e);
    if (e->condition == TIR_NO_VALUE) {
        for (uint32_t i = 0; i < count; i++) replace_uses(e->in, tir_result(e->op, i), add_token(e, NULL), first_new);
        tir_op_remove(e->op);
        return;
    }
    const Results before = current_results(e);
    TirOp *made = add_if(e, count, before.types);
    for (uint32_t i = 0; i < count; i++) values[i] = add_token(e, made->regions[0].first);
    add_yield(e, made->regions[0].first, count, values);
    for (uint32_t i = 0; i < count; i++) replace_uses(e->in, before.values[i], tir_result(made, i), first_new);
    tir_op_move(e->op, made->regions[1].first);
    add_yield(e, made->regions[1].first, count, before.values);
}
