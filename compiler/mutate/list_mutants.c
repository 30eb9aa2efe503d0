// SPDX-License-Identifier: Apache-2.0
// Which mutants a function has: for each op, those of each operator.
#include "compiler/mutate/mutate_internal.h"

static const struct OperatorRow {
    TileOperatorInfo info;
    OperatorFunctions functions;
} operator_rows[TILE_OPERATOR_COUNT] = {
#define OPERATOR(name, functions, ops, changes)                                                                        \
    {{#name, ops, changes}, {count_##functions, words_##functions, edit_##functions}},
#include "compiler/mutate/operators.def"
#undef OPERATOR
};

const TileOperatorInfo *tile_operator_info(TileOperator operator) {
    return &operator_rows[operator].info;
}

const OperatorFunctions *operator_functions(TileOperator operator) {
    return &operator_rows[operator].functions;
}

static void list_op(Arena *arena, const Site *s, uint32_t function, TileMutants *mutants) {
    for (int o = 0; o < TILE_OPERATOR_COUNT; o++) {
        const OperatorFunctions *functions = operator_functions((TileOperator)o);
        const uint32_t count = functions->count(s);
        for (uint32_t part = 0; part < count && mutants->count < TILE_MUTANTS_MAX; part++) {
            mutants->items =
                arena_grow(arena, mutants->items, mutants->count, &mutants->capacity, sizeof *mutants->items);
            mutants->items[mutants->count++] = (TileMutant){.function = function,
                                                            .op = s->op->number,
                                                            .operator=(TileOperator) o,
                                                            .part = part,
                                                            .mnemonic = tir_op_info(s->op->kind)->text_name,
                                                            .words = functions->words(arena, s, part),
                                                            .at = s->op->at};
        }
    }
}

static bool is_unused(const Site *s, const TirOp *op) {
    for (uint32_t r = 0; r < op->result_count; r++)
        if (site_is_used(s, tir_result(op, r))) return false;
    return op->result_count;
}

// Whether nobody sees what the op computes.
static bool is_dead(const Site *s) {
    const TirOp *reduction = site_reduction(s);
    if (reduction && is_unused(s, reduction)) return true;
    const bool pure = tir_op_info(s->op->kind)->pure || s->op->kind == TIR_OP_reduce || s->op->kind == TIR_OP_scan;
    return pure && is_unused(s, s->op);
}

void tile_list_mutants(Arena *arena, const TirModule *module, uint32_t function, TileMutants *mutants) {
    Site s = {.module = module, .function = &module->functions[function]};
    for (s.op = tir_first_op(&s.function->body); s.op; s.op = tir_next_op(&s.function->body, s.op))
        if (!is_dead(&s)) list_op(arena, &s, function, mutants);
}
