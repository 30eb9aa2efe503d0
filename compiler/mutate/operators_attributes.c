// SPDX-License-Identifier: Apache-2.0
// Operators that change how an op works: its attributes, or that it runs at all.
#include "compiler/mutate/mutate_internal.h"

// ---- predicate ------------------------------------------------------------------------------------------------------

static const uint8_t bounded[] = {[TIR_predicate_equal] = TIR_predicate_less_than_or_equal,
                                  [TIR_predicate_not_equal] = TIR_predicate_less_than,
                                  [TIR_predicate_less_than] = TIR_predicate_less_than_or_equal,
                                  [TIR_predicate_less_than_or_equal] = TIR_predicate_less_than,
                                  [TIR_predicate_greater_than] = TIR_predicate_greater_than_or_equal,
                                  [TIR_predicate_greater_than_or_equal] = TIR_predicate_greater_than},
                     opposite[] = {[TIR_predicate_equal] = TIR_predicate_not_equal,
                                   [TIR_predicate_not_equal] = TIR_predicate_equal,
                                   [TIR_predicate_less_than] = TIR_predicate_greater_than_or_equal,
                                   [TIR_predicate_less_than_or_equal] = TIR_predicate_greater_than,
                                   [TIR_predicate_greater_than] = TIR_predicate_less_than_or_equal,
                                   [TIR_predicate_greater_than_or_equal] = TIR_predicate_less_than};
_Static_assert(BASE_COUNT(bounded) == TIR_predicate_COUNT && BASE_COUNT(opposite) == TIR_predicate_COUNT,
               "a row for each predicate");

uint32_t count_predicate(const Site *s) {
    return s->op->kind == TIR_OP_cmpf || s->op->kind == TIR_OP_cmpi ? 2 : 0;
}

static uint8_t other_predicate(const Site *s, uint32_t part) {
    return (part ? opposite : bounded)[tir_attribute_integer(s->op, "predicate")];
}

const char *words_predicate(Arena *arena, const Site *s, uint32_t part) {
    return arena_format(arena, "%s becomes %s",
                        tir_enum_word(&tir_enum_predicate, tir_attribute_integer(s->op, "predicate")),
                        tir_enum_word(&tir_enum_predicate, other_predicate(s, part)));
}

// The op once more with another value of an attribute. It may be evaluated where the plain one is.
static void set_attribute(Edit *e, const char *name, uint64_t value) {
    edit_open_results(e);
    TirOp *clone = edit_clone(e, e->before->block, e->before);
    for (uint32_t i = 0; i < clone->operand_count; i++) clone->operands[i] = edit_operand(e, i);
    tir_op_set(clone, name)->integer = value;
    edit_set_result(e, 0, tir_result(clone, 0));
}

void edit_predicate(Edit *e, uint32_t part) {
    set_attribute(e, "predicate", other_predicate(&e->site, part));
}

// ---- rounding of integers -------------------------------------------------------------------------------------------

uint32_t count_rounding(const Site *s) {
    return s->op->kind == TIR_OP_divi;
}

static uint64_t other_rounding(const Site *s) {
    const uint64_t rounding = tir_attribute_integer(s->op, "rounding");
    const bool is_signed = tir_attribute_integer(s->op, "signedness") == TIR_signedness_signed;
    return rounding != TIR_rounding_positive_inf ? TIR_rounding_positive_inf
           : is_signed                           ? TIR_rounding_negative_inf
                                                 : TIR_rounding_zero;
}

const char *words_rounding(Arena *arena, const Site *s, uint32_t part) {
    (void)arena, (void)part;
    return other_rounding(s) == TIR_rounding_positive_inf ? "it is rounded up" : "it is rounded down";
}

void edit_rounding(Edit *e, uint32_t part) {
    (void)part;
    set_attribute(e, "rounding", other_rounding(&e->site));
}

// ---- reverse --------------------------------------------------------------------------------------------------------

uint32_t count_reverse(const Site *s) {
    return s->op->kind == TIR_OP_scan;
}

const char *words_reverse(Arena *arena, const Site *s, uint32_t part) {
    (void)arena, (void)s, (void)part;
    return "it runs the other way";
}

static TirOp *make_reverse(Edit *e, TirBlock *block, TirOp *next, void *data) {
    TirOp *clone = edit_clone(e, block, next);
    (void)data;
    tir_op_set(clone, "reverse")->integer = !tir_attribute_integer(e->site.op, "reverse");
    return clone;
}

void edit_reverse(Edit *e, uint32_t part) {
    (void)part;
    edit_replace(e, make_reverse, NULL);
}

// ---- padding --------------------------------------------------------------------------------------------------------

static const TirOp *view_maker(const Site *s) {
    const bool loads = s->op->kind == TIR_OP_load_view_tko || s->op->kind == TIR_OP_multimem_load_reduce_view_tko;
    return loads ? tir_value(s->function, tir_operand(s->op, "view"))->definition : NULL;
}

uint32_t count_padding(const Site *s) {
    const TirOp *maker = view_maker(s);
    return maker && tir_op_info(maker->kind)->pure && maker->operand_count == 1 &&
           tir_type(s->module, tir_value_type(s->function, tir_result(maker, 0)))->padding != TIR_PAD_none;
}

const char *words_padding(Arena *arena, const Site *s, uint32_t part) {
    (void)arena, (void)s, (void)part;
    return "there is no padding";
}

static TirOp *make_unpadded(Edit *e, TirBlock *block, TirOp *next, void *data) {
    const TirOp *maker = view_maker(&e->site);
    TirTypeInfo info = *tir_type(e->in->module, tir_value_type(e->in->from, tir_result(maker, 0)));
    (void)data;
    info.padding = TIR_PAD_none;
    const TirType type = tir_type_intern(e->in->module, &info);
    const TirValue tensor = edit_value(e, maker->operands[0]);
    const TirNewOp added = {
        .kind = maker->kind, .operand_count = 1, .operands = &tensor, .result_count = 1, .results = &type};
    TirOp *view = next ? tir_op_insert(next, &added) : tir_op_add(block, &added);
    view->at = maker->at;
    view->debug = maker->debug;
    TirOp *clone = edit_clone(e, block, next);
    uint32_t count;
    clone->operands[site_operands(e->site.op, "view", &count)] = tir_result(view, 0);
    return clone;
}

void edit_padding(Edit *e, uint32_t part) {
    (void)part;
    edit_replace(e, make_unpadded, NULL);
}

// ---- drop_store -----------------------------------------------------------------------------------------------------

uint32_t count_store(const Site *s) {
    return s->op->kind == TIR_OP_store_view_tko || s->op->kind == TIR_OP_store_ptr_tko ||
           s->op->kind == TIR_OP_atomic_red_view_tko || s->op->kind == TIR_OP_multimem_store_view_tko ||
           s->op->kind == TIR_OP_multimem_reduce_view_tko;
}

const char *words_store(Arena *arena, const Site *s, uint32_t part) {
    (void)arena, (void)s, (void)part;
    return "nothing is stored";
}

void edit_store(Edit *e, uint32_t part) {
    (void)part;
    edit_drop(e);
}
