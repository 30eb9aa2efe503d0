// SPDX-License-Identifier: Apache-2.0
// Ops made during rewrites: what they may do is what all ops that they replace may do.
#include "compiler/rewrite/rewrite_rules.h"

#include <assert.h>
#include <string.h>

// ---- values ---------------------------------------------------------------------------------------------------------

// The function's values that came since then get an entry.
static void note_values(Rewriter *r) {
    const TirFunction *function = r->function;
    while (r->count < function->value_count) {
        r->values = arena_grow(r->arena, r->values, r->count, &r->capacity, sizeof *r->values);
        r->values[r->count] = (RewriterValue){.stands = (TirValue)r->count, .reciprocal = TIR_NO_VALUE};
        r->count++;
    }
}

static void note_uses(Rewriter *r, const TirOp *op) {
    for (uint32_t i = 0; i < op->operand_count; i++) r->values[op->operands[i]].uses++;
}

Rewriter rewriter_open(Arena *arena, TirFunction *function) {
    Rewriter r = {.function = function, .arena = arena};
    note_values(&r);
    for (const TirOp *op = tir_first_op(&function->body); op; op = tir_next_op(&function->body, op)) {
        note_uses(&r, op);
        if (op->kind == TIR_OP_divf) r.values[op->operands[1]].divisions++;
        for (uint32_t i = 0; i < op->result_count; i++) {
            r.values[tir_result(op, i)].flags = op->math.flags;
            r.values[tir_result(op, i)].max_error = op->math.max_error;
        }
    }
    return r;
}

TirValue rewriter_value(Rewriter *r, TirValue value) {
    note_values(r);
    TirValue stands = value;
    while (r->values[stands].stands != stands) stands = r->values[stands].stands;
    while (value != stands) { // so that the way is short the next time
        const TirValue next = r->values[value].stands;
        r->values[value].stands = stands;
        value = next;
    }
    return stands;
}

TirValue rewriter_operand(Rewriter *r, const TirOp *op, uint32_t index) {
    return rewriter_value(r, op->operands[index]);
}

TirOp *rewriter_definition(Rewriter *r, TirValue value) {
    return tir_value(r->function, rewriter_value(r, value))->definition;
}

uint32_t rewriter_uses(Rewriter *r, TirValue value) {
    return r->values[rewriter_value(r, value)].uses;
}

void rewriter_close(Rewriter *r) {
    const TirRegion *body = &r->function->body;
    for (TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
        for (uint32_t i = 0; i < op->operand_count; i++) op->operands[i] = rewriter_operand(r, op, i);
}

// ---- attributes -----------------------------------------------------------------------------------------------------

static bool has_attribute(TirOpKind kind, const char *name) {
    const TirOpInfo *info = tir_op_info(kind);
    for (unsigned i = 0; i < info->attribute_count; i++)
        if (!strcmp(info->attributes[i].name, name)) return true;
    return false;
}

uint64_t rewrite_rounding(const TirOp *op) {
    if (!has_attribute(op->kind, "rounding")) return TIR_rounding_nearest_even;
    const uint64_t rounding = tir_attribute_integer(op, "rounding");
    const bool is_licence = rounding == TIR_rounding_approx || rounding == TIR_rounding_full;
    return is_licence ? TIR_rounding_nearest_even : rounding;
}

// approx and full are licences: an op keeps them if it is of the root's kind, and all sources have them.
static uint64_t shared_rounding(const TirOp *op, const RewriteSources *sources) {
    const TirOp *root = sources->root;
    return op->kind == root->kind && sources->same_words ? tir_attribute_integer(root, "rounding")
                                                         : rewrite_rounding(root);
}

static void set_attributes(TirOp *op, const RewriteSources *sources) {
    if (has_attribute(op->kind, "rounding")) tir_op_set(op, "rounding")->integer = shared_rounding(op, sources);
    if (sources->flushes && has_attribute(op->kind, "ftz"))
        tir_op_set(op, "ftz")->integer = 1;
    else
        op->math.flush = sources->flushes;
}

static void set_place(TirOp *op, const TirOp *root) {
    op->at = root->at;
    op->debug = root->debug;
    op->math_block = root->math_block;
}

// ---- flags and bounds -----------------------------------------------------------------------------------------------

static MathBound smaller_bound(MathBound a, MathBound b) {
    return !a || (b && b < a) ? b : a;
}

// The mode that permits less: strict has no approximation for a bound, and only fast uses approx and full.
static uint8_t lesser_mode(uint8_t a, uint8_t b) {
    if (a == MATH_strict || b == MATH_strict) return MATH_strict;
    return math_modes[a].approximates ? b : a;
}

RewriteSources rewriter_sources(Rewriter *r, TirOp *const *ops, size_t count) {
    assert(count);
    RewriteSources s = {.root = ops[0],
                        .flags = MATH_FLAGS_ALL,
                        .mode = ops[0]->math.mode,
                        .keys = ops[0]->math.cleared_keys,
                        .known.flags = MATH_FLAGS_ALL};
    const bool rounds = has_attribute(s.root->kind, "rounding");
    s.same_words = true;
    note_values(r);
    for (size_t i = 0; i < count; i++) {
        const TirOp *op = ops[i];
        const RewriterValue *value = &r->values[tir_result(op, 0)];
        s.flags &= op->math.flags;
        s.mode = lesser_mode(s.mode, op->math.mode);
        s.keys &= op->math.cleared_keys;
        s.max_error = smaller_bound(s.max_error, op->math.max_error);
        s.known.flags &= value->flags;
        s.known.max_error = smaller_bound(s.known.max_error, value->max_error);
        s.flushes |= rewrite_flushes(op);
        s.same_words &= op->kind == s.root->kind &&
                        (!rounds || tir_attribute_integer(op, "rounding") == tir_attribute_integer(s.root, "rounding"));
    }
    return s;
}

static void shrink(Rewriter *r, TirOp *op, const RewriteSources *sources) {
    RewriterValue *value = &r->values[tir_result(op, 0)];
    op->math.flags &= sources->flags;
    op->math.mode = lesser_mode(op->math.mode, sources->mode);
    op->math.cleared_keys &= sources->keys;
    op->math.max_error = smaller_bound(op->math.max_error, sources->max_error);
    value->flags &= sources->known.flags;
    value->max_error = smaller_bound(value->max_error, sources->known.max_error);
}

TirOp *tir_rewrite(Rewriter *r, TirOp *next, const TirNewOp *added, const RewriteSources *sources) {
    const TirOp *root = sources->root;
    TirOp *op = tir_op_insert(next, added);
    note_values(r);
    note_uses(r, op);
    op->math = root->math;
    op->math.flush = op->math.below_zero = false;
    op->math.implementation = 0;
    r->values[tir_result(op, 0)].flags = MATH_FLAGS_ALL;
    shrink(r, op, sources);
    set_attributes(op, sources);
    set_place(op, root);
    if (!tir_op_info(op->kind)->licensed) op->math = (TirMath){.mode = root->math.mode};
    return op;
}

void rewriter_merge(Rewriter *r, TirOp *op, const RewriteSources *sources) {
    shrink(r, op, sources);
    if (has_attribute(op->kind, "rounding") && tir_attribute_integer(op, "rounding") != shared_rounding(op, sources))
        tir_op_set(op, "rounding")->integer = rewrite_rounding(op);
}

const char *rewriter_check(Rewriter *r) {
    const TirRegion *body = &r->function->body;
    note_values(r);
    for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op)) {
        if (!op->result_count) continue;
        const RewriterValue *value = &r->values[tir_result(op, 0)];
        const TirOpInfo *info = tir_op_info(op->kind);
        const uint8_t added = op->math.flags & (uint8_t)~value->flags;
        if (added) {
            Buffer flags = {0};
            math_print_flags(added, &flags);
            const char *text = arena_format(r->arena, "a pass added fastmath<%.*s> to '%s'", (int)flags.size,
                                            (const char *)flags.data, info->text_name);
            buffer_free(&flags);
            return text;
        }
        // Ops without a rule of floats have no error: nothing bounds them.
        if (value->max_error && info->rule != FPSAN_RULE_COUNT &&
            (!op->math.max_error || op->math.max_error > value->max_error))
            return arena_format(r->arena, "a pass lost the bound %g of '%s'", value->max_error, info->text_name);
    }
    return NULL;
}

// ---- other ops ------------------------------------------------------------------------------------------------------

TirOp *rewriter_constant(Rewriter *r, TirOp *next, TirType type, uint64_t bits, const TirOp *root) {
    TirModule *module = r->function->module;
    TirOp *op = tir_op_insert(next, &(TirNewOp){.kind = TIR_OP_constant, .result_count = 1, .results = &type});
    const unsigned width = tir_type_rows[tir_tile_element_kind(module, type)].bits;
    uint8_t bytes[8];
    if (width == 1) bits = bits ? 0xFF : 0; // up to eight bools share the byte
    for (unsigned i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(bits >> 8 * i);
    tir_op_set(op, "value")->constant = tir_constant(module, bytes, (width + 7) / 8);
    note_values(r);
    set_place(op, root);
    return op;
}

TirOp *rewriter_reshape(Rewriter *r, TirOp *next, const TirOp *like, TirValue operand, const TirOp *root) {
    const TirType type = tir_value_type(r->function, tir_result(like, 0));
    assert(like->operand_count == 1 && !tir_op_info(like->kind)->attribute_count);
    TirOp *op = tir_op_insert(
        next,
        &(TirNewOp){.kind = like->kind, .operand_count = 1, .operands = &operand, .result_count = 1, .results = &type});
    note_values(r);
    note_uses(r, op);
    set_place(op, root);
    return op;
}

// ---- replacing ------------------------------------------------------------------------------------------------------

static bool is_removable(const TirOp *op) {
    return tir_op_info(op->kind)->pure && !op->region_count && op->result_count;
}

static bool is_unused(Rewriter *r, const TirOp *op) {
    for (uint32_t i = 0; i < op->result_count; i++)
        if (r->values[tir_result(op, i)].uses) return false;
    return true;
}

// Removes the op and, when they lose their last use by that, those that make its operands.
static void remove_unused(Rewriter *r, TirOp *op) {
    TirOp *pending = op; // linked by `next`, which ops out of their block do not need
    tir_op_remove(op);
    while (pending) {
        op = pending;
        pending = op->next;
        op->next = NULL;
        for (uint32_t i = 0; i < op->operand_count; i++) {
            const TirValue operand = rewriter_operand(r, op, i);
            TirOp *maker = tir_value(r->function, operand)->definition;
            r->values[operand].uses--;
            if (!maker || r->values[operand].uses || !is_removable(maker) || !is_unused(r, maker)) continue;
            tir_op_remove(maker);
            maker->next = pending;
            pending = maker;
        }
    }
}

void rewriter_replace(Rewriter *r, TirOp *op, TirValue by) {
    const TirValue old = tir_result(op, 0);
    by = rewriter_value(r, by);
    assert(op->result_count == 1 && old != by);
    assert(tir_value_type(r->function, old) == tir_value_type(r->function, by));
    r->values[by].uses += r->values[old].uses;
    r->values[old].uses = 0;
    r->values[old].stands = by;
    remove_unused(r, op);
}
