// SPDX-License-Identifier: Apache-2.0
// Checks of control flow: bodies, what ends them, what they carry; reduce and scan.
#include "compiler/tileir/verify_internal.h"

#include <inttypes.h>

// ---- regions --------------------------------------------------------------------------------------------------------

// The region's one block, which is not empty; NULL after recording why not.
static const TirBlock *single_block(Verifier *v, const TirOp *op, uint32_t region, const char *what) {
    const TirRegion *body = &op->regions[region];
    const TirBlock *block = body->first;
    if (!block || block->next) {
        verify_fail(v, op, "has %" PRIu32 " blocks in its %s, expected one", body->block_count, what);
        return NULL;
    }
    if (!block->last) {
        verify_fail(v, op, "has an empty %s, expected an op that ends it", what);
        return NULL;
    }
    return block;
}

// Whether the block ends with one of the listed kinds.
static bool ends_with(Verifier *v, const TirOp *op, const TirBlock *block, const char *what, const TirOpKind *kinds,
                      size_t count) {
    const char *text = "";
    for (size_t i = 0; i < count; i++) {
        if (block->last->kind == kinds[i]) return true;
        text = arena_format(&v->texts, "%s%s%s", text,
                            i == 0          ? ""
                            : i + 1 < count ? ", "
                                            : " or ",
                            tir_op_info(kinds[i])->text_name);
    }
    return verify_fail(v, op, "has a %s that ends with %s, expected %s", what, verify_op_name(block->last), text);
}

// What loops carry and control flow returns: tiles and tokens, no views.
static bool can_be_carried(const Verifier *v, TirType type) {
    TirTypeKind kind = tir_type(v->module, type)->kind;
    return kind == TIR_TYPE_tile || kind == TIR_TYPE_token;
}

static bool results_can_be_carried(Verifier *v, const TirOp *op) {
    for (uint32_t i = 0; i < op->result_count; i++) {
        TirType type = verify_value_type(v, tir_result(op, i));
        if (!can_be_carried(v, type))
            return verify_fail(v, op, "has result %u of %s, expected a tile or token", i, verify_type_text(v, type));
    }
    return true;
}

// Block arguments from `first` on are the carried values.
static bool check_carried(Verifier *v, const TirOp *op, const TirBlock *block, uint32_t first) {
    const TirValue *init;
    uint32_t count = tir_operands(op, "init", &init);
    if (block->argument_count != count + first)
        return verify_fail(v, op, "has a body with %" PRIu32 " arguments, expected %" PRIu32, block->argument_count,
                           count + first);
    for (uint32_t i = 0; i < count; i++) {
        TirType outer = verify_value_type(v, init[i]), inner = verify_value_type(v, block->first_argument + first + i);
        if (!can_be_carried(v, outer))
            return verify_fail(v, op, "carries %s (value %u), expected a tile or token", verify_type_text(v, outer), i);
        if (outer != inner)
            return verify_fail(v, op, "carries value %u of %s into an argument of %s, expected equal types", i,
                               verify_type_text(v, outer), verify_type_text(v, inner));
    }
    return results_can_be_carried(v, op);
}

static bool same_types_as_results(const Verifier *v, const TirOp *op, uint32_t count, const TirValue *values) {
    if (count != op->result_count) return false;
    for (uint32_t i = 0; i < count; i++)
        if (verify_value_type(v, values[i]) != verify_value_type(v, tir_result(op, i))) return false;
    return true;
}

// ---- for, loop, if --------------------------------------------------------------------------------------------------

bool check_for(Verifier *v, const TirOp *op) {
    static const TirOpKind ends[] = {TIR_OP_continue};
    const TirBlock *block = single_block(v, op, 0, "body");
    if (!block || !ends_with(v, op, block, "body", ends, BASE_COUNT(ends))) return false;
    if (!block->argument_count)
        return verify_fail(v, op, "has a body without arguments, expected the induction variable");
    TirType induction = verify_value_type(v, block->first_argument), bound = verify_value_type(v, op->operands[0]);
    if (induction != bound)
        return verify_fail(v, op, "has an induction variable of %s, but bounds of %s", verify_type_text(v, induction),
                           verify_type_text(v, bound));
    if (!check_carried(v, op, block, 1)) return false;
    const TirValue *init;
    uint32_t count = tir_operands(op, "init", &init);
    if (same_types_as_results(v, op, count, init)) return true;
    return verify_fail(v, op, "has results %s, expected the types of its initial values, %s",
                       verify_results_text(v, op), verify_types_text(v, count, init));
}

bool check_loop(Verifier *v, const TirOp *op) {
    static const TirOpKind ends[] = {TIR_OP_continue, TIR_OP_break, TIR_OP_return};
    const TirBlock *block = single_block(v, op, 0, "body");
    return block && ends_with(v, op, block, "body", ends, BASE_COUNT(ends)) && check_carried(v, op, block, 0);
}

bool check_if(Verifier *v, const TirOp *op) {
    static const TirOpKind ends[] = {TIR_OP_yield, TIR_OP_break, TIR_OP_continue, TIR_OP_return};
    static const char *const names[] = {"then branch", "else branch"};
    if (!results_can_be_carried(v, op)) return false;
    for (uint32_t r = 0; r < 2; r++) {
        if (r == 1 && !op->regions[1].first) {
            if (!op->result_count) return true;
            return verify_fail(v, op, "has results %s but no else branch", verify_results_text(v, op));
        }
        const TirBlock *block = single_block(v, op, r, names[r]);
        if (!block || !ends_with(v, op, block, names[r], ends, BASE_COUNT(ends))) return false;
        if (block->argument_count)
            return verify_fail(v, op, "has a %s with %" PRIu32 " arguments, expected none", names[r],
                               block->argument_count);
        const TirOp *last = block->last;
        if (last->kind == TIR_OP_yield && !same_types_as_results(v, op, last->operand_count, last->operands))
            return verify_fail(v, op, "gets %s from its %s, expected %s",
                               verify_types_text(v, last->operand_count, last->operands), names[r],
                               verify_results_text(v, op));
    }
    return true;
}

// ---- terminators ----------------------------------------------------------------------------------------------------

static const TirOp *parent_of(const TirOp *op) {
    return op->block->region->owner;
}

// The nearest op around that is no `if`; NULL is the entry.
static const TirOp *enclosing_op(const TirOp *op) {
    const TirOp *parent = parent_of(op);
    while (parent && parent->kind == TIR_OP_if) parent = parent_of(parent);
    return parent;
}

static const char *enclosing_name(const TirOp *parent) {
    return parent ? tir_op_info(parent->kind)->text_name : "entry";
}

static bool check_passed_types(Verifier *v, const TirOp *op, const TirOp *parent, bool fits, const char *expected) {
    if (fits) return true;
    return verify_fail(v, op, "passes %s to '%s', expected %s", verify_types_text(v, op->operand_count, op->operands),
                       tir_op_info(parent->kind)->text_name, expected);
}

bool check_break(Verifier *v, const TirOp *op) {
    const TirOp *loop = enclosing_op(op);
    if (!loop || loop->kind != TIR_OP_loop)
        return verify_fail(v, op, "is inside %s, expected loop, or if inside loop", enclosing_name(loop));
    return check_passed_types(v, op, loop, same_types_as_results(v, loop, op->operand_count, op->operands),
                              verify_results_text(v, loop));
}

bool check_continue(Verifier *v, const TirOp *op) {
    const TirOp *loop = enclosing_op(op);
    if (!loop || (loop->kind != TIR_OP_loop && loop->kind != TIR_OP_for))
        return verify_fail(v, op, "is inside %s, expected for or loop, or if inside them", enclosing_name(loop));
    const TirValue *init;
    uint32_t count = tir_operands(loop, "init", &init);
    bool fits = count == op->operand_count;
    for (uint32_t i = 0; fits && i < count; i++)
        fits = verify_value_type(v, op->operands[i]) == verify_value_type(v, init[i]);
    return check_passed_types(v, op, loop, fits, verify_types_text(v, count, init));
}

// Only functions of tests return values.
static bool check_returned_types(Verifier *v, const TirOp *op) {
    const TirTypeInfo *type = tir_type(v->module, v->function->type);
    if (op->operand_count != type->result_count)
        return verify_fail(v, op, "returns %" PRIu32 " values, but %s returns %" PRIu32, op->operand_count,
                           v->function->entry ? "an entry" : "the function", type->result_count);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        TirType found = verify_value_type(v, op->operands[i]);
        if (found != type->results[i])
            return verify_fail(v, op, "returns %s as value %" PRIu32 ", expected %s", verify_type_text(v, found), i,
                               verify_type_text(v, type->results[i]));
    }
    return true;
}

bool check_return(Verifier *v, const TirOp *op) {
    if (!check_returned_types(v, op)) return false;
    const TirOp *around = enclosing_op(op);
    while (around && around->kind == TIR_OP_loop) around = enclosing_op(around);
    return !around || verify_fail(v, op, "is inside %s, expected the entry, if or loop", enclosing_name(around));
}

bool check_yield(Verifier *v, const TirOp *op) {
    const TirOp *parent = parent_of(op);
    if (parent && (parent->kind == TIR_OP_if || parent->kind == TIR_OP_reduce || parent->kind == TIR_OP_scan))
        return true; // check_if, check_aggregate_body
    return verify_fail(v, op, "is inside %s, expected if, reduce or scan", enclosing_name(parent));
}

// ---- reduce and scan ------------------------------------------------------------------------------------------------

static bool op_is_pure(const TirOp *op, uint32_t depth) {
    const TirOpInfo *info = tir_op_info(op->kind);
    if (info->pure) return true; // of the terminators only yield is: a body with a loop has side effects
    if (!info->pure_body || depth == TIR_NESTING_MAX) return false;
    for (uint32_t r = 0; r < op->region_count; r++)
        for (const TirBlock *block = op->regions[r].first; block; block = block->next)
            for (const TirOp *inner = block->first; inner; inner = inner->next)
                if ((uint32_t)inner->kind >= TIR_OP_COUNT || !op_is_pure(inner, depth + 1)) return false;
    return true;
}

static bool check_identities(Verifier *v, const TirOp *op) {
    const TirAttribute *identities = tir_attribute(op, "identities");
    // Bytecode has one for each operand. They are never combined in, so text and other front ends may leave them out.
    if (!identities->length && !v->module->tables) {
        for (uint32_t i = 0; i < op->operand_count; i++)
            if (tir_tile_element_kind(v->module, verify_value_type(v, op->operands[i])) == TIR_TYPE_ptr)
                return verify_fail(v, op, "has operand %u of pointers, expected numbers", i);
        return true;
    }
    if (identities->length != op->operand_count)
        return verify_fail(v, op, "has %zu identities for %" PRIu32 " operands", identities->length, op->operand_count);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const TirAttribute *identity = &identities->items[i];
        TirTypeKind element = tir_tile_element_kind(v->module, verify_value_type(v, op->operands[i])), kind;
        if (identity->tag == TIR_TAG_BOOL)
            kind = TIR_TYPE_i1;
        else if (identity->tag != TIR_TAG_INTEGER && identity->tag != TIR_TAG_FLOAT)
            return verify_fail(v, op, "has identity %u with tag %d, expected a number", i, (int)identity->tag);
        else if (identity->type >= v->module->type_count)
            return verify_fail(v, op, "has identity %u without a type", i);
        else
            kind = tir_type(v->module, identity->type)->kind;
        // bf16 and f16 may stand for each other (tile-ir.md 3.3).
        bool halves =
            (element == TIR_TYPE_f16 && kind == TIR_TYPE_bf16) || (element == TIR_TYPE_bf16 && kind == TIR_TYPE_f16);
        if (kind != element && !halves)
            return verify_fail(v, op, "has identity %u of %s for elements of %s, expected equal types", i,
                               tir_type_rows[kind].name, tir_type_rows[element].name);
        if (!verify_number_fits(v, identity))
            return verify_fail(v, op, "has identity %u of 0x%" PRIx64 ", which does not fit %s", i, identity->integer,
                               tir_type_rows[kind].name);
    }
    return true;
}

// The type of result `i`: the operand's, for reduce without dimension dim.
static bool result_fits(const Verifier *v, const TirOp *op, uint32_t i, uint32_t dim) {
    const TirTypeInfo *operand = tir_type(v->module, verify_value_type(v, op->operands[i])),
                      *result = verify_result(v, op, i);
    bool keeps = op->kind == TIR_OP_scan;
    if (result->element != operand->element || result->rank != operand->rank - !keeps) return false;
    for (uint32_t from = 0, to = 0; from < operand->rank; from++) {
        if (!keeps && from == dim) continue;
        if (result->shape[to++] != operand->shape[from]) return false;
    }
    return true;
}

static bool check_aggregate_types(Verifier *v, const TirOp *op) {
    if (!op->operand_count) return verify_fail(v, op, "has no operands, expected at least one");
    if (op->result_count != op->operand_count)
        return verify_fail(v, op, "has %" PRIu32 " results for %" PRIu32 " operands, expected as many",
                           op->result_count, op->operand_count);
    const TirTypeInfo *first = tir_type(v->module, verify_value_type(v, op->operands[0]));
    uint64_t dim = tir_attribute_integer(op, "dim");
    if (dim >= first->rank)
        return verify_fail(v, op, "has dim %" PRId32 ", expected 0 to less than the rank %" PRIu32, (int32_t)dim,
                           first->rank);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        TirType type = verify_value_type(v, op->operands[i]);
        if (!verify_same_shape(tir_type(v->module, type), first))
            return verify_fail(v, op, "has operand %u of %s, expected the shape %s of the first", i,
                               verify_type_text(v, type), verify_shape_text(v, first));
        if (!result_fits(v, op, i, (uint32_t)dim))
            return verify_fail(v, op, "has result %u of %s, expected that of operand %s%s", i,
                               verify_type_text(v, verify_value_type(v, tir_result(op, i))), verify_type_text(v, type),
                               op->kind == TIR_OP_scan ? "" : " without the reduced dimension");
    }
    return true;
}

// Arguments in pairs of scalars with the operands' elements, a yield of such scalars, and nothing with side effects.
static bool check_aggregate_body(Verifier *v, const TirOp *op) {
    static const TirOpKind ends[] = {TIR_OP_yield};
    const TirBlock *block = single_block(v, op, 0, "body");
    if (!block || !ends_with(v, op, block, "body", ends, BASE_COUNT(ends))) return false;
    if (block->argument_count != 2 * op->operand_count)
        return verify_fail(v, op, "has a body with %" PRIu32 " arguments, expected %" PRIu32, block->argument_count,
                           2 * op->operand_count);
    if (block->last->operand_count != op->operand_count)
        return verify_fail(v, op, "has a body that yields %" PRIu32 " values, expected %" PRIu32,
                           block->last->operand_count, op->operand_count);
    for (uint32_t i = 0; i < 3 * op->operand_count; i++) {
        bool yielded = i >= 2 * op->operand_count;
        uint32_t operand = yielded ? i - 2 * op->operand_count : i / 2;
        TirValue value = yielded ? block->last->operands[operand] : block->first_argument + i;
        if (value >= v->function->value_count) return verify_fail(v, op, "has a body that yields an unknown value");
        const TirTypeInfo *type = tir_type(v->module, verify_value_type(v, value));
        const TirTypeInfo *tile = tir_type(v->module, verify_value_type(v, op->operands[operand]));
        if (type->kind != TIR_TYPE_tile || type->rank || type->element != tile->element)
            return verify_fail(v, op, "has a body that %s %s, expected a scalar tile of %s",
                               yielded ? "yields" : "takes", verify_type_text(v, verify_value_type(v, value)),
                               tir_type_rows[tir_type(v->module, tile->element)->kind].name);
    }
    for (const TirOp *inner = block->first; inner; inner = inner->next)
        if ((uint32_t)inner->kind < TIR_OP_COUNT && !op_is_pure(inner, 0))
            return verify_fail(v, inner, "has side effects, which the body of '%s' must not have",
                               tir_op_info(op->kind)->text_name);
    return true;
}

static bool check_aggregate(Verifier *v, const TirOp *op) {
    return check_aggregate_types(v, op) && check_identities(v, op) && check_aggregate_body(v, op);
}

bool check_reduce(Verifier *v, const TirOp *op) {
    return check_aggregate(v, op);
}

bool check_scan(Verifier *v, const TirOp *op) {
    return check_aggregate(v, op);
}
