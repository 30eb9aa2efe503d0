// SPDX-License-Identifier: Apache-2.0
// Control flow: bodies, what they carry and how they end; reduce and scan.
#include "tests/generate/generate.h"

enum { CARRIED_MAX = 3 };

typedef struct Types {
    uint32_t count;
    TirType items[CARRIED_MAX];
} Types;

static Types random_types(Generator *g) {
    Types types = {.count = (uint32_t)below(g, CARRIED_MAX + 1)};
    for (uint32_t i = 0; i < types.count; i++) types.items[i] = random_carried(g);
    return types;
}

static void values_of(Generator *g, uint32_t count, const TirType *types, TirValue *values) {
    for (uint32_t i = 0; i < count; i++) values[i] = value_of(g, types[i]);
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

typedef struct Outside { // what is restored behind a region
    TirBlock *block;
    uint32_t visible_count;
    const Loop *loop;
    bool pure, may_return;
} Outside;

static Outside enter_region(Generator *g, TirRegion *region, uint32_t argument_count, const TirType *arguments) {
    Outside outside = {g->block, g->visible_count, g->loop, g->pure, g->may_return};
    g->block = tir_block_add(region, argument_count, arguments);
    g->depth++;
    see_values(g, g->block->first_argument, argument_count);
    return outside;
}

static void leave_region(Generator *g, Outside outside) {
    g->block = outside.block;
    g->visible_count = outside.visible_count;
    g->loop = outside.loop;
    g->pure = outside.pure;
    g->may_return = outside.may_return;
    g->depth--;
}

static void end_with(Generator *g, TirOpKind kind, uint32_t count, const TirType *types) {
    TirValue values[CARRIED_MAX];
    values_of(g, count, types, values);
    add_op(g, kind, count, values, NULL, 0, NULL);
}

// Ends a body of an if or loop: `ordinary` with values of these types, or a way out of what is around.
static void end_somehow(Generator *g, TirOpKind ordinary, const Types *types) {
    bool leaves = one_in(g, 2);
    if (leaves && g->may_return && one_in(g, 3))
        end_with(g, TIR_OP_return, 0, NULL);
    else if (leaves && g->loop && g->loop->kind == TIR_OP_loop && !one_in(g, 3))
        end_with(g, TIR_OP_break, g->loop->result_count, g->loop->results);
    else if (leaves && g->loop)
        end_with(g, TIR_OP_continue, g->loop->carried_count, g->loop->carried);
    else
        end_with(g, ordinary, types->count, types->items);
}

static uint32_t body_size(Generator *g) {
    return (uint32_t)below(g, 5);
}

// ---- if, for, loop --------------------------------------------------------------------------------------------------

TirOp *make_if(Generator *g, TirOpKind kind) {
    Types types = random_types(g);
    TirValue condition = value_of(g, scalar_of(g, TIR_TYPE_i1));
    TirOp *op = add_op(g, kind, 1, &condition, NULL, types.count, types.items);
    for (uint32_t r = 0; r < 2; r++) {
        if (r == 1 && !types.count && one_in(g, 2)) break;
        Outside outside = enter_region(g, &op->regions[r], 0, NULL);
        add_random_ops(g, body_size(g));
        end_somehow(g, TIR_OP_yield, &types);
        leave_region(g, outside);
    }
    see_values(g, op->first_result, types.count);
    return op;
}

TirOp *make_for(Generator *g, TirOpKind kind) {
    if (g->pure) return NULL; // continue counts as a side effect
    Types carried = random_types(g);
    TirType bound = scalar_of(g, random_kind(g, KINDS_INTEGER)), arguments[1 + CARRIED_MAX] = {bound};
    TirValue operands[3 + CARRIED_MAX];
    for (uint32_t i = 0; i < 3; i++) operands[i] = value_of(g, bound);
    values_of(g, carried.count, carried.items, operands + 3);
    TirOp *op = add_op(g, kind, 3 + carried.count, operands, NULL, carried.count, carried.items);
    if (g->module->version >= 1302 && one_in(g, 2)) tir_op_set(op, "unsigned")->integer = 1;
    for (uint32_t i = 0; i < carried.count; i++) arguments[1 + i] = carried.items[i];
    Outside outside = enter_region(g, &op->regions[0], 1 + carried.count, arguments);
    g->loop = &(Loop){kind, carried.count, carried.count, carried.items, carried.items};
    g->may_return = false;
    add_random_ops(g, body_size(g));
    end_with(g, TIR_OP_continue, carried.count, carried.items);
    leave_region(g, outside);
    see_values(g, op->first_result, carried.count);
    return op;
}

TirOp *make_loop(Generator *g, TirOpKind kind) {
    if (g->pure) return NULL;
    Types carried = random_types(g), results = random_types(g);
    TirValue operands[CARRIED_MAX];
    values_of(g, carried.count, carried.items, operands);
    TirOp *op = add_op(g, kind, carried.count, operands, NULL, results.count, results.items);
    Outside outside = enter_region(g, &op->regions[0], carried.count, carried.items);
    g->loop = &(Loop){kind, carried.count, results.count, carried.items, results.items};
    add_random_ops(g, body_size(g));
    end_somehow(g, TIR_OP_continue, &carried);
    leave_region(g, outside);
    see_values(g, op->first_result, results.count);
    return op;
}

// ---- terminators: the bodies end themselves -------------------------------------------------------------------------

TirOp *make_break(Generator *g, TirOpKind kind) {
    (void)g, (void)kind;
    return NULL;
}
TirOp *make_continue(Generator *g, TirOpKind kind) {
    return make_break(g, kind);
}
TirOp *make_yield(Generator *g, TirOpKind kind) {
    return make_break(g, kind);
}
TirOp *make_return(Generator *g, TirOpKind kind) {
    return make_break(g, kind);
}

// ---- reduce and scan ------------------------------------------------------------------------------------------------

static void choose_identities(Generator *g, TirAttribute *identities, const Types *elements) {
    TirAttribute *items = arena_array(&g->module->arena, TirAttribute, elements->count);
    for (uint32_t i = 0; i < elements->count; i++) {
        TirTypeKind kind = element_kind(g, elements->items[i]);
        bool halves = (kind == TIR_TYPE_f16 || kind == TIR_TYPE_bf16) && one_in(g, 8); // may stand for each other
        items[i] = random_number(g, !halves ? kind : kind == TIR_TYPE_f16 ? TIR_TYPE_bf16 : TIR_TYPE_f16);
    }
    identities->items = items;
    identities->length = elements->count;
}

static TirOp *make_aggregate(Generator *g, TirOpKind kind) {
    Types elements = {.count = 1 + (uint32_t)below(g, CARRIED_MAX)};
    TirType arguments[2 * CARRIED_MAX], results[CARRIED_MAX];
    TirValue operands[CARRIED_MAX];
    Shape shape = random_shape(g, 1 + (int)below(g, SHAPE_RANK_MAX - 1)), reduced = shape;
    uint32_t dim = (uint32_t)below(g, shape.rank);
    if (kind == TIR_OP_reduce) {
        reduced.rank--;
        for (uint32_t i = dim; i < reduced.rank; i++) reduced.sizes[i] = shape.sizes[i + 1];
    }
    for (uint32_t i = 0; i < elements.count; i++) {
        TirTypeKind element = random_kind(g, KINDS_NUMBER & ~KIND(f4E2M1FN)); // of which there are no scalars
        elements.items[i] = arguments[2 * i] = arguments[2 * i + 1] = scalar_of(g, element);
        operands[i] = value_of(g, number_tile(g, element, &shape));
        results[i] = number_tile(g, element, &reduced);
    }
    TirOp *op = add_op(g, kind, elements.count, operands, NULL, elements.count, results);
    tir_op_set(op, "dim")->integer = dim;
    if (kind == TIR_OP_scan) tir_op_set(op, "reverse")->integer = one_in(g, 2);
    TirAttribute *identities = tir_op_set(op, "identities");
    if (!g->text_only || one_in(g, 2)) choose_identities(g, identities, &elements);
    Outside outside = enter_region(g, &op->regions[0], 2 * elements.count, arguments);
    g->loop = NULL;
    g->may_return = false;
    g->pure = true;
    add_random_ops(g, body_size(g));
    end_with(g, TIR_OP_yield, elements.count, elements.items);
    leave_region(g, outside);
    see_values(g, op->first_result, elements.count);
    return op;
}

TirOp *make_reduce(Generator *g, TirOpKind kind) {
    return make_aggregate(g, kind);
}

TirOp *make_scan(Generator *g, TirOpKind kind) {
    return make_aggregate(g, kind);
}
