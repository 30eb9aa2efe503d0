// SPDX-License-Identifier: Apache-2.0
// Which single edits a kernel can have: those of edits.def at every op, with every value that is known there.
#include "compiler/repair/repair_internal.h"

#include <math.h>
#include <string.h>

enum { LIST_MAX = 200000, INTEGERS_MAX = 32 };

typedef struct Lister {
    const Repair *repair;
    const TirModule *module;
    const TirFunction *function;
    uint32_t launch;
    RepairList *list;
    TirValue *live; // values that are known at the op
    uint32_t live_count;
    uint32_t *use_count;            // of each value
    int64_t integers[INTEGERS_MAX]; // constants of either variant
    uint32_t integer_count;
    bool in_reduction;
} Lister;

unsigned repair_cost(RepairEditKind kind) {
    static const unsigned costs[] = {
#define EDIT(name, cost, of_launch) cost,
#include "compiler/repair/edits.def"
#undef EDIT
    };
    return costs[kind];
}

bool repair_is_of_launch(const RepairEdit *edit) {
    static const bool of_launch[] = {
#define EDIT(name, cost, of_launch) of_launch,
#include "compiler/repair/edits.def"
#undef EDIT
    };
    return of_launch[edit->kind];
}

static void add(const Lister *l, RepairEdit edit) {
    if (l->list->count == LIST_MAX) return;
    l->list->edits =
        arena_grow(l->repair->arena, l->list->edits, l->list->count, &l->list->capacity, sizeof *l->list->edits);
    l->list->edits[l->list->count++] = edit;
}

static RepairEdit at_op(const Lister *l, RepairEditKind kind, const TirOp *op, uint32_t operand) {
    return (RepairEdit){
        .kind = kind, .launch = l->launch, .second = TIR_NO_VALUE, .op = op->number, .operand = operand, .at = op->at};
}

// ---- values that are the same ---------------------------------------------------------------------------------------

static const TirTypeInfo *type_of(const Lister *l, TirValue value) {
    return tir_type(l->module, tir_value_type(l->function, value));
}

static bool is_tile(const Lister *l, TirValue value) {
    return type_of(l, value)->kind == TIR_TYPE_tile;
}

static bool is_float(const Lister *l, TirValue value) {
    return is_tile(l, value) && tir_type_is_float(l->module, type_of(l, value)->element);
}

static bool is_integer(const Lister *l, TirValue value) {
    return is_tile(l, value) && tir_type_is_integer(l->module, type_of(l, value)->element);
}

static bool is_bool(const Lister *l, TirValue value) {
    return is_tile(l, value) && tir_tile_element_kind(l->module, tir_value_type(l->function, value)) == TIR_TYPE_i1;
}

static const TirOp *maker(const Lister *l, TirValue value) {
    return tir_value(l->function, value)->definition;
}

static bool is_constant(const Lister *l, TirValue value) {
    const TirOp *op = maker(l, value);
    return op && op->kind == TIR_OP_constant;
}

// The value without what is only assumed of it; with `shapes` also without its shape.
static TirValue root_of(const Lister *l, TirValue value, bool shapes) {
    const TirOp *op;
    while ((op = maker(l, value)) &&
           (op->kind == TIR_OP_assume || (shapes && (op->kind == TIR_OP_broadcast || op->kind == TIR_OP_reshape))))
        value = op->operands[0];
    return value;
}

static bool same_constant(const Lister *l, const TirOp *a, const TirOp *b) {
    const TirConstant *x = &tir_attribute(a, "value")->constant, *y = &tir_attribute(b, "value")->constant;
    return tir_value_type(l->function, a->first_result) == tir_value_type(l->function, b->first_result) &&
           x->size == y->size && !memcmp(x->bytes, y->bytes, x->size);
}

// Whether two values are known to be the same numbers, apart from shape if `shapes`.
static bool same_value(const Lister *l, TirValue a, TirValue b, bool shapes) {
    a = root_of(l, a, shapes), b = root_of(l, b, shapes);
    if (a == b) return true;
    const TirOp *x = maker(l, a), *y = maker(l, b);
    if (!x || !y || x->kind != y->kind) return false;
    if (x->kind == TIR_OP_constant) return same_constant(l, x, y);
    if (x->kind == TIR_OP_get_tile_block_id || x->kind == TIR_OP_get_num_tile_blocks)
        return tir_value(l->function, a)->index == tir_value(l->function, b)->index;
    return x->kind == TIR_OP_iota && tir_value_type(l->function, a) == tir_value_type(l->function, b);
}

// In which dimension the value varies first: values of one root are told apart by it.
static uint32_t first_dimension(const TirTypeInfo *tile) {
    uint32_t d = 0;
    while (d < tile->rank && tile->shape[d] == 1) d++;
    return d;
}

// Whether an earlier live value is the same.
static bool seen_before(const Lister *l, uint32_t index, bool shapes) {
    for (uint32_t i = 0; i < index; i++) {
        const TirTypeInfo *a = type_of(l, l->live[i]), *b = type_of(l, l->live[index]);
        if (a->kind != b->kind || (shapes && (a->rank != b->rank || first_dimension(a) != first_dimension(b))))
            continue;
        if (!shapes && tir_value_type(l->function, l->live[i]) != tir_value_type(l->function, l->live[index])) continue;
        if (same_value(l, l->live[i], l->live[index], shapes)) return true;
    }
    return false;
}

// Whether the value is carried by a loop, or made of one that is: a running maximum is.
static bool varies(const Lister *l, TirValue value) {
    const TirValueInfo *info = tir_value(l->function, root_of(l, value, true));
    return !info->definition && info->block->region->owner;
}

// Whether the value says which block or iteration it is.
static bool is_index(const Lister *l, TirValue value) {
    const TirValueInfo *info = tir_value(l->function, root_of(l, value, true));
    if (!info->definition) return info->block->region->owner != NULL;
    return info->definition->kind == TIR_OP_get_tile_block_id || info->definition->kind == TIR_OP_divi ||
           info->definition->kind == TIR_OP_remi;
}

// ---- edits of an operand --------------------------------------------------------------------------------------------

static void list_other_values(Lister *l, const TirOp *op, uint32_t k) {
    const TirType type = tir_value_type(l->function, op->operands[k]);
    for (uint32_t i = 0; i < l->live_count; i++) {
        if (tir_value_type(l->function, l->live[i]) != type || same_value(l, l->live[i], op->operands[k], false) ||
            seen_before(l, i, false) || (l->in_reduction && tir_value(l->function, l->live[i])->block != op->block))
            continue;
        RepairEdit edit = at_op(l, REPAIR_operand, op, k);
        edit.value = l->live[i];
        add(l, edit);
    }
}

// `itself`: the value is combined with itself, of which quotients and differences are constants.
static void add_combinations(Lister *l, RepairEdit edit, bool floats, bool itself) {
    static const struct {
        TirOpKind op;
        bool reversed;
    } of_floats[] = {{TIR_OP_mulf, false}, {TIR_OP_divf, false}, {TIR_OP_addf, false},
                     {TIR_OP_subf, false}, {TIR_OP_subf, true},  {TIR_OP_divf, true}},
      of_integers[] = {{TIR_OP_addi, false}, {TIR_OP_subi, false}, {TIR_OP_muli, false}, {TIR_OP_divi, false}};
    for (size_t i = 0; i < (floats ? BASE_COUNT(of_floats) : BASE_COUNT(of_integers)); i++) {
        edit.with = floats ? of_floats[i].op : of_integers[i].op;
        edit.reversed = floats ? of_floats[i].reversed : of_integers[i].reversed;
        const bool cancels = edit.with == TIR_OP_divf || edit.with == TIR_OP_subf || edit.with == TIR_OP_divi ||
                             edit.with == TIR_OP_subi;
        if (!itself || !cancels) add(l, edit);
    }
}

// With each live value that can have the type of `old`.
static void list_combinations(Lister *l, RepairEdit edit, TirValue old) {
    const TirTypeInfo *target = type_of(l, old);
    const bool floats = is_float(l, old);
    for (uint32_t i = 0; i < l->live_count; i++) {
        const TirValue value = l->live[i];
        const TirTypeInfo *type = type_of(l, value);
        const bool fits = floats ? is_float(l, value) : is_integer(l, value) && type->element == target->element;
        if (!fits || (is_constant(l, value) && floats) || seen_before(l, i, true)) continue;
        if (l->in_reduction && tir_value(l->function, value)->block != tir_value(l->function, old)->block) continue;
        edit.value = value;
        for (uint32_t d = 0; d < (type->rank == 1 && target->rank > 1 ? target->rank : 1); d++) {
            edit.dimension = d;
            if (repair_prepare(l->repair, &edit)) add_combinations(l, edit, floats, same_value(l, value, old, true));
        }
    }
}

// Functions of what the edit is about.
static void list_functions(Lister *l, RepairEdit edit) {
    static const TirOpKind functions[] = {TIR_OP_negf,  TIR_OP_exp,  TIR_OP_exp2, TIR_OP_log, TIR_OP_log2,
                                          TIR_OP_rsqrt, TIR_OP_sqrt, TIR_OP_absf, TIR_OP_tanh};
    for (size_t i = 0; i < BASE_COUNT(functions); i++) {
        edit.with = functions[i];
        add(l, edit);
    }
}

static void list_masks(Lister *l, const TirOp *op, uint32_t k) {
    static const double numbers[] = {0, -INFINITY, 1};
    for (uint32_t i = 0; i < l->live_count; i++) {
        const TirTypeInfo *type = type_of(l, l->live[i]), *target = type_of(l, op->operands[k]);
        if (!is_bool(l, l->live[i]) || seen_before(l, i, true)) continue;
        RepairEdit edit = at_op(l, REPAIR_mask, op, k);
        edit.value = l->live[i];
        for (uint32_t d = 0; d < (type->rank == 1 && target->rank > 1 ? target->rank : 1); d++) {
            edit.dimension = d;
            if (!repair_prepare(l->repair, &edit)) continue;
            for (size_t n = 0; n < 2 * BASE_COUNT(numbers); n++) {
                edit.number = numbers[n / 2];
                edit.reversed = n % 2;
                add(l, edit);
            }
        }
    }
}

// Times exp or exp2 of the difference of two values of a type.
static void list_rescalings(Lister *l, const TirOp *op, uint32_t k) {
    RepairEdit edit = at_op(l, REPAIR_rescale, op, k);
    for (uint32_t i = 0; i < l->live_count; i++) {
        edit.value = l->live[i];
        if (!is_float(l, edit.value) || is_constant(l, edit.value) || seen_before(l, i, true) ||
            !repair_prepare(l->repair, &edit))
            continue;
        for (uint32_t j = 0; j < l->live_count; j++) {
            edit.second = l->live[j];
            if (tir_value_type(l->function, edit.second) != tir_value_type(l->function, edit.value) || i == j ||
                is_constant(l, edit.second) || seen_before(l, j, false) ||
                !(varies(l, edit.value) || varies(l, edit.second)))
                continue;
            for (int base = 0; base < 2; base++) {
                edit.with = base ? TIR_OP_exp : TIR_OP_exp2;
                add(l, edit);
            }
        }
    }
}

// Plus another integer times a constant: an index that lacks the tiles before.
static void list_products(Lister *l, const TirOp *op, uint32_t k) {
    RepairEdit edit = at_op(l, REPAIR_product, op, k);
    edit.with = TIR_OP_addi;
    for (uint32_t i = 0; i < l->live_count; i++) {
        edit.value = l->live[i];
        if (!is_integer(l, edit.value) || is_bool(l, edit.value) || type_of(l, edit.value)->rank ||
            is_constant(l, edit.value) || !is_index(l, edit.value) || seen_before(l, i, true) ||
            !repair_prepare(l->repair, &edit))
            continue;
        for (uint32_t n = 0; n < l->integer_count; n++) {
            edit.bits = (uint64_t)l->integers[n];
            if (l->integers[n] > 1) add(l, edit);
        }
    }
}

static void list_steps(Lister *l, const TirOp *op, uint32_t k) {
    for (uint32_t n = 0; n < l->integer_count; n++) {
        RepairEdit edit = at_op(l, REPAIR_shift_integer, op, k);
        edit.with = TIR_OP_muli;
        edit.bits = (uint64_t)l->integers[n];
        if (l->integers[n] > 1) add(l, edit);
    }
    for (int step = 1; step >= -1; step -= 2) {
        RepairEdit edit = at_op(l, REPAIR_shift_integer, op, k);
        edit.with = TIR_OP_addi;
        edit.bits = (uint64_t)(int64_t)step;
        add(l, edit);
    }
}

static bool only_shapes(TirOpKind kind) {
    return kind == TIR_OP_broadcast || kind == TIR_OP_reshape || kind == TIR_OP_assume || kind == TIR_OP_ftof;
}

// Plus or minus a value that nobody uses, times another.
static void list_unused(Lister *l, const TirOp *op, uint32_t k) {
    RepairEdit edit = at_op(l, REPAIR_add_product, op, k);
    for (uint32_t i = 0; i < l->live_count; i++) {
        edit.value = l->live[i];
        if (!is_float(l, edit.value) || is_constant(l, edit.value) || l->use_count[edit.value]) continue;
        for (uint32_t j = 0; j < l->live_count; j++) {
            edit.second = l->live[j];
            if (!is_float(l, edit.second) || is_constant(l, edit.second) || seen_before(l, j, true) ||
                !repair_prepare(l->repair, &edit))
                continue;
            edit.with = TIR_OP_addf;
            add(l, edit);
            edit.with = TIR_OP_subf;
            add(l, edit);
        }
    }
}

// At the start of a loop's body: integers from outside that lack the loop's index times a constant.
static void list_loop(Lister *l, const TirOp *loop) {
    const TirBlock *body = loop->regions[0].first;
    RepairEdit edit = at_op(l, REPAIR_product, body->first, 0);
    edit.value = body->first_argument;
    for (uint32_t i = 0; i < l->live_count; i++) {
        const TirOp *by = maker(l, l->live[i]);
        if (!is_integer(l, l->live[i]) || is_bool(l, l->live[i]) || !by || by->kind == TIR_OP_constant ||
            by->kind == TIR_OP_reshape || by->kind == TIR_OP_broadcast || !type_of(l, l->live[i])->rank)
            continue;
        edit.second = l->live[i];
        edit.at = by->at;
        if (!repair_prepare(l->repair, &edit)) continue;
        for (uint32_t n = 0; n < l->integer_count; n++) {
            edit.bits = (uint64_t)l->integers[n];
            if (l->integers[n] > 1) add(l, edit);
        }
    }
}

static bool has_regions(const TirOp *op) {
    return op->region_count != 0;
}

static void list_operand(Lister *l, const TirOp *op, uint32_t k) {
    const TirValue old = op->operands[k];
    const TirTypeKind kind = type_of(l, old)->kind;
    if (kind == TIR_TYPE_token || op->kind == TIR_OP_assume) return;
    list_other_values(l, op, k);
    if (kind != TIR_TYPE_tile) return;
    if (l->in_reduction) {
        if (is_float(l, old)) list_combinations(l, at_op(l, REPAIR_combine, op, k), old);
        return;
    }
    if (is_float(l, old) && !is_constant(l, old)) {
        list_combinations(l, at_op(l, REPAIR_combine, op, k), old);
        list_functions(l, at_op(l, REPAIR_apply, op, k));
        RepairEdit scale = at_op(l, REPAIR_scale, op, k), shift = at_op(l, REPAIR_shift, op, k);
        scale.with = TIR_OP_mulf;
        shift.with = TIR_OP_addf;
        add(l, scale);
        add(l, shift);
        list_masks(l, op, k);
        if (!only_shapes(op->kind)) list_rescalings(l, op, k);
        if (!only_shapes(op->kind)) list_unused(l, op, k);
    } else if (is_integer(l, old) && !is_bool(l, old) && op->kind != TIR_OP_make_tensor_view) {
        list_steps(l, op, k);
        if (!only_shapes(op->kind) || op->kind == TIR_OP_reshape) list_products(l, op, k);
        if (!is_constant(l, old) || !only_shapes(op->kind)) list_combinations(l, at_op(l, REPAIR_combine, op, k), old);
    }
}

// ---- edits of an op -------------------------------------------------------------------------------------------------

static void list_family(Lister *l, const TirOp *op, const TirOpKind *family, size_t count, bool *member) {
    *member = false;
    for (size_t i = 0; i < count; i++) *member |= family[i] == op->kind;
    for (size_t i = 0; *member && i < count; i++) {
        RepairEdit edit = at_op(l, REPAIR_become, op, 0);
        edit.with = family[i];
        if (family[i] != op->kind) add(l, edit);
    }
}

static void list_becoming(Lister *l, const TirOp *op) {
    static const TirOpKind unary[] = {TIR_OP_absf, TIR_OP_negf, TIR_OP_exp,   TIR_OP_exp2,  TIR_OP_log,
                                      TIR_OP_log2, TIR_OP_sqrt, TIR_OP_rsqrt, TIR_OP_tanh,  TIR_OP_sinh,
                                      TIR_OP_cosh, TIR_OP_sin,  TIR_OP_cos,   TIR_OP_floor, TIR_OP_ceil},
                           binary[] = {TIR_OP_addf, TIR_OP_subf, TIR_OP_mulf, TIR_OP_divf, TIR_OP_maxf, TIR_OP_minf},
                           integer[] = {TIR_OP_addi, TIR_OP_subi, TIR_OP_muli, TIR_OP_divi, TIR_OP_remi,
                                        TIR_OP_maxi, TIR_OP_mini, TIR_OP_andi, TIR_OP_ori,  TIR_OP_xori};
    bool member;
    list_family(l, op, unary, BASE_COUNT(unary), &member);
    if (!member) list_family(l, op, binary, BASE_COUNT(binary), &member);
    if (!member) list_family(l, op, integer, BASE_COUNT(integer), &member);
    if (op->kind != TIR_OP_fma) return;
    for (uint32_t k = 0; k < 2; k++) { // without the addend; without the first factor
        RepairEdit edit = at_op(l, REPAIR_become, op, k);
        edit.with = k ? TIR_OP_addf : TIR_OP_mulf;
        add(l, edit);
    }
}

static void list_attribute(Lister *l, const TirOp *op, const char *name, uint64_t count) {
    const TirOpInfo *info = tir_op_info(op->kind);
    for (uint32_t i = 0; i < info->attribute_count; i++) {
        if (strcmp(info->attributes[i].name, name)) continue;
        for (uint64_t word = 0; word < count; word++) {
            RepairEdit edit = at_op(l, REPAIR_attribute, op, i);
            edit.bits = word;
            if (word != op->attributes[i].integer) add(l, edit);
        }
    }
}

static void list_attributes(Lister *l, const TirOp *op) {
    switch (op->kind) {
    case TIR_OP_cmpi:
    case TIR_OP_cmpf: list_attribute(l, op, "predicate", TIR_predicate_COUNT); break;
    case TIR_OP_divi: list_attribute(l, op, "rounding", TIR_rounding_positive_inf + 1u); break;
    case TIR_OP_scan: list_attribute(l, op, "reverse", 2); break;
    default: break;
    }
}

static void list_swaps(Lister *l, const TirOp *op) {
    const bool commutes = op->kind == TIR_OP_addf || op->kind == TIR_OP_mulf || op->kind == TIR_OP_maxf ||
                          op->kind == TIR_OP_minf || op->kind == TIR_OP_addi || op->kind == TIR_OP_muli ||
                          op->kind == TIR_OP_andi || op->kind == TIR_OP_ori || op->kind == TIR_OP_xori;
    for (uint32_t k = 0; !commutes && op->kind != TIR_OP_make_tensor_view && k + 1 < op->operand_count; k++)
        if (tir_value_type(l->function, op->operands[k]) == tir_value_type(l->function, op->operands[k + 1]) &&
            type_of(l, op->operands[k])->kind == TIR_TYPE_tile &&
            !same_value(l, op->operands[k], op->operands[k + 1], false))
            add(l, at_op(l, REPAIR_swap, op, k));
}

static void list_bypasses(Lister *l, const TirOp *op) {
    if (op->result_count != 1 || op->kind == TIR_OP_assume || has_regions(op)) return;
    for (uint32_t k = 0; k < op->operand_count; k++)
        if (tir_value_type(l->function, op->operands[k]) == tir_value_type(l->function, op->first_result))
            add(l, at_op(l, REPAIR_bypass, op, k));
}

static void list_constants(Lister *l, const TirOp *op) {
    const TirValue value = op->first_result;
    const TirType type = tir_value_type(l->function, value);
    if (!tir_constant_is_splat(l->module, type, &tir_attribute(op, "value")->constant)) return;
    if (is_float(l, value)) {
        static const double numbers[] = {0, 1, -1, -INFINITY};
        RepairEdit edit = at_op(l, REPAIR_constant_number, op, 0);
        for (size_t n = 0; n < BASE_COUNT(numbers); n++) {
            edit.number = numbers[n];
            add(l, edit);
        }
        edit.number = NAN; // to be found
        add(l, edit);
        return;
    }
    const unsigned bits = tir_type_rows[tir_tile_element_kind(l->module, type)].bits;
    const int64_t is =
        (int64_t)(tir_constant_bits(l->module, type, &tir_attribute(op, "value")->constant, 0) << (64 - bits)) >>
        (64 - bits);
    const int64_t others[] = {is + 1, is - 1, 0, 1, 2 * is, is / 2, -is, is + 2, is - 2};
    for (size_t n = 0; n < BASE_COUNT(others) + l->integer_count; n++) {
        RepairEdit edit = at_op(l, REPAIR_constant_integer, op, 0);
        edit.bits = (uint64_t)(n < BASE_COUNT(others) ? others[n] : l->integers[n - BASE_COUNT(others)]);
        if ((int64_t)edit.bits != is) add(l, edit);
    }
}

static void list_views(Lister *l, const TirOp *op) {
    const TirTypeInfo *view = type_of(l, op->first_result);
    if (view->kind != TIR_TYPE_partition_view) return;
    for (int padding = 0; padding <= TIR_PAD_none; padding++) {
        RepairEdit edit = at_op(l, REPAIR_padding, op, 0);
        edit.bits = (uint64_t)padding;
        const bool fits = tir_type_is_float(l->module, tir_type(l->module, view->element)->element);
        if (fits && (TirPadding)padding != view->padding && repair_prepare(l->repair, &edit)) add(l, edit);
    }
    for (uint32_t a = 0; a < view->rank; a++)
        for (uint32_t b = a + 1; b < view->rank; b++) {
            RepairEdit edit = at_op(l, REPAIR_permute, op, a);
            edit.dimension = b;
            if (repair_prepare(l->repair, &edit)) add(l, edit);
        }
}

static void list_op(Lister *l, const TirOp *op) {
    for (uint32_t k = 0; k < op->operand_count; k++) list_operand(l, op, k);
    list_becoming(l, op);
    list_attributes(l, op);
    list_swaps(l, op);
    list_bypasses(l, op);
    if (op->kind == TIR_OP_for) list_loop(l, op);
    if (op->kind == TIR_OP_constant) list_constants(l, op);
    if (op->kind == TIR_OP_make_partition_view) list_views(l, op);
}

// A result that several ops use, combined for all of them.
static void list_result(Lister *l, const TirOp *op) {
    if (op->result_count != 1 || l->in_reduction || only_shapes(op->kind) || op->kind == TIR_OP_constant) return;
    if (!is_float(l, op->first_result) || l->use_count[op->first_result] < 2) return;
    list_combinations(l, at_op(l, REPAIR_combine_result, op, 0), op->first_result);
    list_functions(l, at_op(l, REPAIR_apply_result, op, 0));
}

static void list_block(Lister *l, const TirBlock *block);

static void list_regions(Lister *l, const TirOp *op) {
    const bool outside = l->in_reduction;
    l->in_reduction |= op->kind == TIR_OP_reduce || op->kind == TIR_OP_scan;
    for (uint32_t r = 0; r < op->region_count; r++)
        for (const TirBlock *block = op->regions[r].first; block; block = block->next) list_block(l, block);
    l->in_reduction = outside;
}

static void list_block(Lister *l, const TirBlock *block) {
    const uint32_t before = l->live_count;
    for (uint32_t i = 0; i < block->argument_count; i++) l->live[l->live_count++] = block->first_argument + i;
    for (const TirOp *op = block->first; op; op = op->next) {
        list_op(l, op);
        list_regions(l, op);
        for (uint32_t i = 0; i < op->result_count; i++)
            if (type_of(l, op->first_result + i)->kind != TIR_TYPE_token)
                l->live[l->live_count++] = op->first_result + i;
        list_result(l, op);
    }
    l->live_count = before;
}

static void see_integers(Lister *l, const RepairLaunch *launch) {
    const TirModule *module = launch->program->tiles;
    for (uint32_t f = 0; f < module->function_count; f++)
        for (const TirOp *op = tir_first_op(&module->functions[f].body); op;
             op = tir_next_op(&module->functions[f].body, op)) {
            if (op->kind != TIR_OP_constant || l->integer_count == INTEGERS_MAX) continue;
            const TirType type = tir_value_type(&module->functions[f], op->first_result);
            if (!tir_type_is_integer(module, tir_type(module, type)->element)) continue;
            const int64_t number = (int32_t)tir_constant_bits(module, type, &tir_attribute(op, "value")->constant, 0);
            bool known = false;
            for (uint32_t i = 0; i < l->integer_count; i++) known |= l->integers[i] == number;
            if (!known) l->integers[l->integer_count++] = number;
        }
}

void repair_list(const Repair *repair, uint32_t launch, RepairList *list) {
    const RepairSite *site = &repair->sites[launch];
    Lister l = {.repair = repair,
                .module = site->module,
                .function = site->function,
                .launch = launch,
                .list = list,
                .live = arena_array(repair->arena, TirValue, site->function->value_count + 1u),
                .use_count = arena_array(repair->arena, uint32_t, site->function->value_count + 1u)};
    for (const TirOp *op = tir_first_op(&site->function->body); op; op = tir_next_op(&site->function->body, op))
        for (uint32_t i = 0; i < op->operand_count; i++) l.use_count[op->operands[i]]++;
    for (int v = 0; v < 2; v++)
        for (uint32_t i = 0; i < repair->variants[v].launch_count; i++)
            see_integers(&l, &repair->variants[v].launches[i]);
    list_block(&l, site->function->body.first);
}
