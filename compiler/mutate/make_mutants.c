// SPDX-License-Identifier: Apache-2.0
// Modules with mutants: one alone, or many behind a switch.
#include "compiler/mutate/mutate_internal.h"

#include <assert.h>

// A copy of the function to be changed. Its ops have the numbers of the original's.
static Editing open_editing(TirModule *copy, const TirFunction *from) {
    Editing in = {.arena = &copy->arena, .module = copy, .function = &copy->functions[0], .from = from};
    const TirRegion *body = &in.function->body;
    TirValue *values = arena_array(in.arena, TirValue, from->value_count + 1u);
    in.ops = arena_array(in.arena, TirOp *, from->op_count + 1u);
    in.tails = arena_array(in.arena, TirOp *, from->op_count + 1u);
    in.currents = arena_array(in.arena, TirValue, from->value_count + 1u);
    for (uint32_t v = 0; v < from->value_count; v++) {
        values[v] = v;
        in.currents[v] = TIR_NO_VALUE;
    }
    in.values = values;
    for (TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op)) in.ops[op->number] = op;
    return in;
}

// ---- the parameter --------------------------------------------------------------------------------------------------

// Gives the function one more parameter, an i32. Parameters are a row of values, so all of them get new numbers.
static TirValue add_parameter(Editing *in) {
    TirModule *module = in->module;
    TirFunction *function = in->function;
    TirBlock *body = function->body.first;
    const TirTypeInfo before = *tir_type(module, function->type);
    const TirType number = tir_type_tile(module, tir_type_scalar(module, TIR_TYPE_i32), 0, NULL);
    TirType *types = arena_array(in->arena, TirType, before.parameter_count + 1u);
    TirValue *values = arena_array(in->arena, TirValue, in->from->value_count + 1u);
    TirRegion spare = {.function = function};
    for (uint32_t v = 0; v < in->from->value_count; v++) values[v] = v;
    for (uint32_t i = 0; i < before.parameter_count; i++) types[i] = before.parameters[i];
    types[before.parameter_count] = number;
    const TirTypeInfo after = {.kind = TIR_TYPE_function,
                               .parameter_count = before.parameter_count + 1,
                               .parameters = types,
                               .result_count = before.result_count,
                               .results = before.results,
                               .padding = before.padding,
                               .ptr_attr = before.ptr_attr};
    function->type = tir_type_intern(module, &after);
    function->argument_attributes = (TirAttribute){0}; // nothing is computed by them, and they would be one too few
    const TirValue first = tir_block_add(&spare, after.parameter_count, types)->first_argument;
    for (uint32_t i = 0; i < before.parameter_count; i++) values[body->first_argument + i] = first + i;
    for (uint32_t i = 0; i < after.parameter_count; i++) function->values[first + i].block = body;
    body->first_argument = first;
    body->argument_count = after.parameter_count;
    for (TirOp *op = tir_first_op(&function->body); op; op = tir_next_op(&function->body, op))
        for (uint32_t i = 0; i < op->operand_count; i++) op->operands[i] = values[op->operands[i]];
    in->values = values;
    return first + before.parameter_count;
}

// Whether the switch has this number: computed once, where the function begins.
static TirValue add_condition(Editing *in, TirOp *first, TirValue parameter, uint32_t number) {
    Edit e = {.in = in, .site = {.op = first}, .before = first};
    const TirType type = tir_value_type(in->function, parameter);
    const TirType i1 = tir_type_tile(in->module, tir_type_scalar(in->module, TIR_TYPE_i1), 0, NULL);
    const TirValue operands[] = {parameter, edit_splat(&e, type, number)};
    return edit_add(&e, TIR_OP_cmpi, 2, operands, i1, NULL); // predicate equal, 0
}

// ---- edits ----------------------------------------------------------------------------------------------------------

// An edit in the body of a reduce or scan: of a copy of that, always.
typedef struct InBody {
    const TirOp *op; // of the original
    const TileMutant *mutant;
} InBody;

static TirOp *make_reduction(Edit *outer, TirBlock *block, TirOp *next, void *data) {
    const InBody *body = data;
    const TirFunction *from = outer->in->from;
    TirValue *values = arena_array(outer->in->arena, TirValue, outer->in->function->value_count + 1u);
    for (uint32_t v = 0; v < outer->in->function->value_count; v++) values[v] = v;
    TirOp *made = tir_op_clone(block, next, outer->op, values), *op = made;
    const TirRegion *whole = &outer->in->function->body;
    for (uint32_t n = outer->site.op->number; n < body->op->number; n++) op = tir_next_op(whole, op);
    Editing in = *outer->in;
    TirValue *own = arena_array(in.arena, TirValue, from->value_count + 1u);
    in.tails = arena_array(in.arena, TirOp *, from->op_count + 1u);
    in.currents = arena_array(in.arena, TirValue, from->value_count + 1u);
    for (uint32_t v = 0; v < from->value_count; v++) {
        own[v] = values[outer->in->values[v]];
        in.currents[v] = TIR_NO_VALUE;
    }
    in.values = own;
    Edit e = {.in = &in, .site = {outer->site.module, from, body->op}, .op = op, .condition = TIR_NO_VALUE};
    assert(op->kind == body->op->kind);
    operator_functions(body->mutant->operator)->edit(&e, body->mutant->part);
    return made;
}

static void make_edit(Editing *in, const TirModule *module, const TirOp *op, const TileMutant *mutant,
                      TirValue condition) {
    Edit e = {.in = in, .site = {module, in->from, op}, .op = in->ops[op->number], .condition = condition};
    const TirOp *reduction = site_reduction(&e.site);
    InBody body = {op, mutant};
    if (!reduction) {
        operator_functions(mutant->operator)->edit(&e, mutant->part);
        return;
    }
    e.site.op = reduction;
    e.op = in->ops[reduction->number];
    edit_replace(&e, make_reduction, &body);
}

// The op of the original that the mutant is of.
static const TirOp *find_op(const TirFunction *from, uint32_t number) {
    const TirOp *op = tir_first_op(&from->body);
    while (op && op->number != number) op = tir_next_op(&from->body, op);
    assert(op);
    return op;
}

static TirModule *finish(Diagnostics *diagnostics, TirModule *made) {
    tir_number_ops(made);
    if (tir_verify(diagnostics, made)) return made;
    tir_module_close(made);
    return NULL;
}

TirModule *tile_mutant_alone(Diagnostics *diagnostics, const TirModule *module, const TileMutant *mutant) {
    const TirFunction *from = &module->functions[mutant->function];
    TirModule *made = tir_module_copy_function(module, mutant->function);
    Editing in = open_editing(made, from);
    make_edit(&in, module, find_op(from, mutant->op), mutant, TIR_NO_VALUE);
    return finish(diagnostics, made);
}

TirModule *tile_mutants_switched(Diagnostics *diagnostics, const TirModule *module, const TileMutant *mutants,
                                 uint32_t count) {
    const TirFunction *from = &module->functions[mutants[0].function];
    TirModule *made = tir_module_copy_function(module, mutants[0].function);
    Editing in = open_editing(made, from);
    TirOp *first = tir_first_op(&in.function->body);
    const TirValue parameter = add_parameter(&in);
    TirValue *conditions = arena_array(in.arena, TirValue, count + 1u);
    for (uint32_t i = 0; i < count; i++) conditions[i] = add_condition(&in, first, parameter, i + 1);
    for (uint32_t i = 0; i < count; i++)
        make_edit(&in, module, find_op(from, mutants[i].op), &mutants[i], conditions[i]);
    return finish(diagnostics, made);
}
