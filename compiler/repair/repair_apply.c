// SPDX-License-Identifier: Apache-2.0
// Editing a copy of a kernel.
#include "compiler/repair/repair_internal.h"

#include <assert.h>
#include <string.h>

static TirOp *find_op(const TirFunction *function, uint32_t number) {
    for (TirOp *op = tir_first_op(&function->body); op; op = tir_next_op(&function->body, op))
        if (op->number == number) return op;
    return NULL;
}

// ---- inserting ------------------------------------------------------------------------------------------------------

// An op before `next`, at its place, with the attributes that an op of the kind has to have.
static TirOp *insert(TirOp *next, TirOpKind kind, uint32_t count, const TirValue *operands, TirType type) {
    TirOp *op = tir_op_insert(
        next,
        &(TirNewOp){.kind = kind, .operand_count = count, .operands = operands, .result_count = 1, .results = &type});
    const TirOpInfo *info = tir_op_info(kind);
    for (uint32_t i = 0; i < info->attribute_count; i++)
        if (!info->attributes[i].optional && info->attributes[i].kind == TIR_ATTR_ENUM)
            op->attributes[i].present = true;
    op->at = next->at;
    op->debug = next->debug;
    return op;
}

static TirType with_shape(TirModule *module, TirType tile, uint32_t rank, const int64_t *shape) {
    return tir_type_tile(module, tir_type(module, tile)->element, rank, shape);
}

static bool same_shape(const TirTypeInfo *a, const TirTypeInfo *b) {
    return a->rank == b->rank && !memcmp(a->shape, b->shape, a->rank * sizeof *a->shape);
}

// The shape of a value once it has the rank of `to`: a value of rank 1 lies in `dimension`, others have it already or
// are one element. False: it does not fit.
static bool lift_shape(const TirTypeInfo *from, const TirTypeInfo *to, uint32_t dimension, int64_t *shape) {
    for (uint32_t d = 0; d < to->rank; d++) shape[d] = 1;
    if (from->rank == to->rank) {
        for (uint32_t d = 0; d < to->rank; d++) {
            shape[d] = from->shape[d];
            if (shape[d] != 1 && shape[d] != to->shape[d]) return false;
        }
        return true;
    }
    if (!from->rank) return true;
    if (from->rank != 1 || dimension >= to->rank || to->shape[dimension] != from->shape[0]) return false;
    shape[dimension] = from->shape[0];
    return true;
}

// The value as a tile of the type `to`: reshaped, stretched and, of floats, converted. `next` NULL: only the types are
// made, in `module`, and the result tells whether it can be done.
static bool convert(TirModule *module, const TirFunction *function, TirOp *next, TirValue value, TirType to,
                    uint32_t dimension, TirValue *result) {
    const TirType from = tir_value_type(function, value);
    const TirTypeInfo *target = tir_type(module, to), *source = tir_type(module, from);
    int64_t shape[TIR_RANK_MAX];
    *result = value;
    if (from == to) return true;
    if (source->kind != TIR_TYPE_tile || !lift_shape(source, target, dimension, shape)) return false;
    const bool floats = tir_type_is_float(module, source->element) && tir_type_is_float(module, target->element);
    if (source->element != target->element && !floats) return false;
    const TirType lifted = with_shape(module, from, target->rank, shape),
                  wide = with_shape(module, from, target->rank, target->shape);
    if (!next) return true;
    if (!same_shape(source, tir_type(module, lifted)))
        *result = insert(next, TIR_OP_reshape, 1, result, lifted)->first_result;
    if (wide != lifted) *result = insert(next, TIR_OP_broadcast, 1, result, wide)->first_result;
    if (wide != to) *result = insert(next, TIR_OP_ftof, 1, result, to)->first_result;
    return true;
}

static uint64_t number_bits(TirTypeKind kind, double number) {
    const uint64_t bits = fpsan_encode_nearest(tir_float_format(kind), number);
    return kind == TIR_TYPE_tf32 ? bits >> 13 : bits;
}

static void set_constant(TirModule *module, TirOp *op, TirType type, uint64_t bits) {
    const unsigned width = tir_type_rows[tir_tile_element_kind(module, type)].bits;
    uint8_t bytes[8];
    if (width == 1 && bits) bits = 0xff;
    for (unsigned i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(bits >> 8 * i);
    tir_op_set(op, "value")->constant = tir_constant(module, bytes, (width + 7) / 8);
}

static TirValue insert_constant(TirModule *module, TirOp *next, TirType type, uint64_t bits) {
    TirOp *op = insert(next, TIR_OP_constant, 0, NULL, type);
    set_constant(module, op, type, bits);
    return op->first_result;
}

// ---- edits ----------------------------------------------------------------------------------------------------------

// The op next to which ops are inserted that make a new operand.
static TirType operand_type(const TirFunction *function, const TirOp *op, uint32_t operand) {
    return tir_value_type(function, op->operands[operand]);
}

static TirValue combine(TirOp *next, const RepairEdit *edit, TirValue old, TirValue with, TirType type) {
    const TirValue both[2] = {edit->reversed ? with : old, edit->reversed ? old : with};
    return insert(next, edit->with, 2, both, type)->first_result;
}

static void replace_uses(const TirFunction *function, TirValue old, TirValue by, const TirOp *but) {
    for (TirOp *op = tir_first_op(&function->body); op; op = tir_next_op(&function->body, op))
        for (uint32_t i = 0; i < op->operand_count; i++)
            if (op != but && op->operands[i] == old) op->operands[i] = by;
}

static bool combine_result(TirModule *module, const TirFunction *function, TirOp *op, const RepairEdit *edit) {
    const TirValue old = tir_result(op, 0);
    const TirType type = tir_value_type(function, old);
    TirOp *next = op->next;
    TirValue with;
    if (!next || !convert(module, function, next, edit->value, type, edit->dimension, &with)) return false;
    const TirValue both[2] = {edit->reversed ? with : old, edit->reversed ? old : with};
    TirOp *made = insert(next, edit->with, 2, both, type);
    replace_uses(function, old, made->first_result, made);
    // What converts the other value may use the old one.
    for (TirOp *between = op->next; between != made; between = between->next)
        for (uint32_t i = 0; i < between->operand_count; i++)
            if (between->operands[i] == made->first_result) between->operands[i] = old;
    return true;
}

static bool apply_result(const TirFunction *function, TirOp *op, const RepairEdit *edit) {
    const TirValue old = tir_result(op, 0);
    if (!op->next) return false;
    TirOp *made = insert(op->next, edit->with, 1, &old, tir_value_type(function, old));
    replace_uses(function, old, made->first_result, made);
    return true;
}

// The op becomes another one with the same operands.
static bool become(const TirFunction *function, TirOp *op, const RepairEdit *edit) {
    const TirType type = tir_value_type(function, op->first_result);
    const uint32_t count = tir_op_info(edit->with)->operand_count;
    TirOp *made = insert(op, edit->with, count, op->operands + edit->operand, type);
    replace_uses(function, op->first_result, made->first_result, NULL);
    return true;
}

// A view with another padding, or with two dimensions exchanged.
static TirType other_view(TirModule *module, const TirTypeInfo *view, const RepairEdit *edit) {
    TirTypeInfo info = *view;
    int32_t map[TIR_RANK_MAX];
    if (edit->kind == REPAIR_padding) info.padding = (TirPadding)edit->bits;
    if (edit->kind == REPAIR_permute) {
        const uint32_t a = edit->operand, b = edit->dimension;
        memcpy(map, view->dim_map, view->rank * sizeof *map);
        map[a] = view->dim_map[b];
        map[b] = view->dim_map[a];
        info.dim_map = map;
    }
    return tir_type_intern(module, &info);
}

static TirValue index_times(TirModule *module, const TirFunction *function, TirOp *next, const RepairEdit *edit) {
    const TirType scalar = tir_value_type(function, edit->value);
    const TirValue factors[2] = {edit->value, insert_constant(module, next, scalar, edit->bits)};
    return insert(next, TIR_OP_muli, 2, factors, scalar)->first_result;
}

static bool new_operand(TirModule *module, const TirFunction *function, TirOp *op, const RepairEdit *edit) {
    const TirType type = operand_type(function, op, edit->operand);
    TirValue old = op->operands[edit->operand], with;
    switch (edit->kind) {
    case REPAIR_operand: with = edit->value; break;
    case REPAIR_combine:
        if (!convert(module, function, op, edit->value, type, edit->dimension, &with)) return false;
        with = combine(op, edit, old, with, type);
        break;
    case REPAIR_scale:
    case REPAIR_shift:
        with = insert_constant(module, op, type, number_bits(tir_tile_element_kind(module, type), edit->number));
        with = combine(op, edit, old, with, type);
        break;
    case REPAIR_shift_integer:
        with = insert_constant(module, op, type, edit->bits);
        with = combine(op, edit, old, with, type);
        break;
    case REPAIR_product:
        if (!convert(module, function, op, index_times(module, function, op, edit), type, edit->dimension, &with))
            return false;
        with = combine(op, edit, old, with, type);
        break;
    case REPAIR_add_product: {
        TirValue factors[2];
        if (!convert(module, function, op, edit->value, type, edit->dimension, &factors[0]) ||
            !convert(module, function, op, edit->second, type, 0, &factors[1]))
            return false;
        with = insert(op, TIR_OP_mulf, 2, factors, type)->first_result;
        with = combine(op, edit, old, with, type);
        break;
    }
    case REPAIR_rescale: {
        const TirType small = tir_value_type(function, edit->value);
        const TirValue both[2] = {edit->value, edit->second};
        TirValue factor = insert(op, TIR_OP_subf, 2, both, small)->first_result;
        factor = insert(op, edit->with, 1, &factor, small)->first_result;
        if (!convert(module, function, op, factor, type, edit->dimension, &with)) return false;
        const TirValue scaled[2] = {old, with};
        with = insert(op, TIR_OP_mulf, 2, scaled, type)->first_result;
        break;
    }
    case REPAIR_apply: with = insert(op, edit->with, 1, &old, type)->first_result; break;
    default: return false;
    }
    op->operands[edit->operand] = with;
    return true;
}

// Where a mask is false the operand becomes a number.
static bool mask_operand(TirModule *module, const TirFunction *function, TirOp *op, const RepairEdit *edit) {
    const TirType type = operand_type(function, op, edit->operand), scalar = tir_type_scalar(module, TIR_TYPE_i1);
    const TirTypeInfo *tile = tir_type(module, type);
    const TirType masks = tir_type_tile(module, scalar, tile->rank, tile->shape);
    TirValue mask;
    if (!convert(module, function, op, edit->value, masks, edit->dimension, &mask)) return false;
    const TirValue number =
        insert_constant(module, op, type, number_bits(tir_tile_element_kind(module, type), edit->number));
    const TirValue old = op->operands[edit->operand];
    const TirValue all[3] = {mask, edit->reversed ? number : old, edit->reversed ? old : number};
    op->operands[edit->operand] = insert(op, TIR_OP_select, 3, all, type)->first_result;
    return true;
}

// ---- an index that lacks the tiles before, whose value was made outside of the loop ---------------------------------

static bool only_shapes(TirOpKind kind) {
    return kind == TIR_OP_broadcast || kind == TIR_OP_reshape;
}

// What the value is when `old` has become `by`: shapes made of it are made again before `next`.
static TirValue made_again(const TirFunction *function, TirOp *next, TirValue value, TirValue old, TirValue by) {
    if (value == old) return by;
    const TirOp *maker = tir_value(function, value)->definition;
    if (!maker || !only_shapes(maker->kind)) return value;
    TirValue source = made_again(function, next, maker->operands[0], old, by);
    if (source == maker->operands[0]) return value;
    return insert(next, maker->kind, 1, &source, tir_value_type(function, value))->first_result;
}

// `op` is the first of a loop's body. All ops in it that use edit->second, through shapes or not, get the sum.
static bool add_in_loop(TirModule *module, const TirFunction *function, TirOp *op, const RepairEdit *edit) {
    const TirType type = tir_value_type(function, edit->second);
    const TirRegion *body = op->block->region;
    TirValue with;
    if (!convert(module, function, op, index_times(module, function, op, edit), type, edit->dimension, &with))
        return false;
    const TirValue both[2] = {edit->second, with};
    const TirValue sum = insert(op, TIR_OP_addi, 2, both, type)->first_result;
    for (TirOp *user = op; user; user = tir_next_op(body, user))
        for (uint32_t i = 0; i < user->operand_count; i++)
            user->operands[i] = made_again(function, user, user->operands[i], edit->second, sum);
    return true;
}

static bool edit_op(TirModule *module, const TirFunction *function, TirOp *op, const RepairEdit *edit) {
    TirType type;
    switch (edit->kind) {
    case REPAIR_constant_number:
        type = tir_value_type(function, op->first_result);
        set_constant(module, op, type, number_bits(tir_tile_element_kind(module, type), edit->number));
        return true;
    case REPAIR_constant_integer:
        set_constant(module, op, tir_value_type(function, op->first_result), edit->bits);
        return true;
    case REPAIR_become: return become(function, op, edit);
    case REPAIR_attribute: op->attributes[edit->operand].integer = edit->bits; return true;
    case REPAIR_swap: {
        const TirValue first = op->operands[edit->operand];
        op->operands[edit->operand] = op->operands[edit->operand + 1];
        op->operands[edit->operand + 1] = first;
        return true;
    }
    case REPAIR_bypass: replace_uses(function, op->first_result, op->operands[edit->operand], NULL); return true;
    case REPAIR_padding:
    case REPAIR_permute:
        function->values[op->first_result].type =
            other_view(module, tir_type(module, tir_value_type(function, op->first_result)), edit);
        return true;
    case REPAIR_combine_result: return combine_result(module, function, op, edit);
    case REPAIR_apply_result: return apply_result(function, op, edit);
    case REPAIR_mask: return mask_operand(module, function, op, edit);
    case REPAIR_product:
        if (edit->second != TIR_NO_VALUE) return add_in_loop(module, function, op, edit);
        return new_operand(module, function, op, edit);
    default: return new_operand(module, function, op, edit);
    }
}

static bool make_types(const Repair *repair, const RepairEdit *edit) {
    const RepairSite *site = &repair->sites[edit->launch];
    const TirFunction *function = site->function;
    const TirOp *op = site->ops[edit->op];
    TirValue ignored;
    TirType type;
    switch (edit->kind) {
    case REPAIR_padding:
    case REPAIR_permute:
        type = other_view(site->module, tir_type(site->module, tir_value_type(function, op->first_result)), edit);
        return type != tir_value_type(function, op->first_result);
    case REPAIR_combine_result:
        type = tir_value_type(function, op->first_result);
        return convert(site->module, function, NULL, edit->value, type, edit->dimension, &ignored);
    case REPAIR_add_product:
        type = operand_type(function, op, edit->operand);
        return convert(site->module, function, NULL, edit->value, type, edit->dimension, &ignored) &&
               convert(site->module, function, NULL, edit->second, type, 0, &ignored);
    case REPAIR_product:
        type = edit->second == TIR_NO_VALUE ? operand_type(function, op, edit->operand)
                                            : tir_value_type(function, edit->second);
        return convert(site->module, function, NULL, edit->value, type, edit->dimension, &ignored);
    case REPAIR_rescale:
    case REPAIR_combine:
        type = operand_type(function, op, edit->operand);
        return convert(site->module, function, NULL, edit->value, type, edit->dimension, &ignored);
    case REPAIR_mask: {
        const TirTypeInfo *tile = tir_type(site->module, operand_type(function, op, edit->operand));
        type = tir_type_tile(site->module, tir_type_scalar(site->module, TIR_TYPE_i1), tile->rank, tile->shape);
        return convert(site->module, function, NULL, edit->value, type, edit->dimension, &ignored);
    }
    default: return true;
    }
}

bool repair_prepare(const Repair *repair, const RepairEdit *edit) {
    const bool good = make_types(repair, edit);
    // The table of types grows, if it has to, where types are asked for: here, so that it does not in a copy.
    tir_type_scalar(repair->sites[edit->launch].module, TIR_TYPE_i1);
    return good;
}

TirModule *repair_apply(const Repair *repair, const RepairEdit *edit, const TirFunction **function,
                        const TirOp **first) {
    const RepairSite *site = &repair->sites[edit->launch];
    TirModule *copy = tir_module_copy(site->module);
    *function = &copy->functions[site->function - site->module->functions];
    TirOp *op = find_op(*function, edit->op);
    // Types are made in the copied module alone; the copy has them, but cannot look them up.
    copy->interner = site->module->interner;
    const bool good = op && edit_op(copy, *function, op, edit);
    copy->interner = NULL;
    if (!good) {
        tir_module_close(copy);
        return NULL;
    }
    // The top-level op that holds the first change. Inserted ops are right before it, or in it.
    while (op->block->region->owner) op = op->block->region->owner;
    for (; op->previous && op->previous->number >= site->function->op_count; op = op->previous) {
    }
    *first = op;
    return copy;
}
