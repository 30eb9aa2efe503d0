// SPDX-License-Identifier: Apache-2.0
// Each rewrite: done where all that it needs is there, and not if anything of it is missing on any op; what new ops may
// do.
#include "tests/rewrite/formulas.h"

#include <criterion/criterion.h>
#include <string.h>

// What the design says of each row of its table, without the rules: the flags.
static const struct RowFlags {
    const char *row;
    unsigned flags, either;
} row_flags[] = {
    {"C1", MATH_FLAG_contract, 0},
    {"C2", MATH_FLAG_contract, 0},
    {"C3", MATH_FLAG_contract, 0},
    {"C4", MATH_FLAG_contract, 0},
    {"A1", MATH_FLAG_arcp, 0},
    {"A2", MATH_FLAG_arcp, 0},
    {"A3", MATH_FLAG_arcp | MATH_FLAG_reassoc, 0},
    {"S1", MATH_FLAG_reassoc, 0},
    {"S2", MATH_FLAG_reassoc, 0},
    {"S3", MATH_FLAG_reassoc | MATH_FLAG_nsz, MATH_FLAG_nnan | MATH_FLAG_ninf},
    {"F1", MATH_FLAG_afn, 0},
    {"F2", MATH_FLAG_afn | MATH_FLAG_arcp, 0},
    {"F3", MATH_FLAG_afn | MATH_FLAG_ninf | MATH_FLAG_nsz, 0},
    {"F4", MATH_FLAG_afn, 0},
    {"V1", MATH_FLAG_nnan, 0}, // a * 0 also nsz
    {"V2", MATH_FLAG_nsz, 0},
    {"V3", MATH_FLAG_nsz, 0},
    {"V4", MATH_FLAG_nnan, 0},
    {"E", 0, 0},
};

Test(each_rule, flags_are_those_of_the_table) {
    for (int rule = 0; rule < REWRITE_RULE_COUNT; rule++) {
        const RewriteRule *row = &rewrite_rules[rule];
        bool found = false;
        for (size_t i = 0; i < BASE_COUNT(row_flags); i++) {
            if (strcmp(row_flags[i].row, row->row)) continue;
            found = true;
            const unsigned more = rule == REWRITE_V1_product ? MATH_FLAG_nsz : 0;
            cr_expect_eq(row->flags, row_flags[i].flags | more, "%s", row->name);
            cr_expect_eq(row->either, row_flags[i].either, "%s", row->name);
        }
        cr_expect(found, "%s", row->name);
        cr_expect_eq(row->at_root, rule == REWRITE_V3, "%s", row->name);
        cr_expect_eq(row->directed, row->row[0] == 'C', "%s", row->name);
        cr_expect_eq(row->bounded, row->row[0] != 'A' && row->row[0] != 'F' && rule != REWRITE_S3, "%s", row->name);
    }
}

// Changes a kernel's ops before it is rewritten; `which` of them, or all (-1).
typedef struct Change {
    const char *what;
    int which;
    uint8_t clear; // flags
    MathBound bound;
    int rounding; // 1 + the rounding; 0: it stays
    bool flush;
} Change;

static bool has(const TirOp *op, const char *name) {
    const TirOpInfo *info = tir_op_info(op->kind);
    for (unsigned i = 0; i < info->attribute_count; i++)
        if (!strcmp(info->attributes[i].name, name)) return true;
    return false;
}

// Whether something changed.
static bool change_ops(FormulaKernel *k, const Change *change) {
    bool any = false;
    for (unsigned i = 0; i < k->op_count; i++) {
        TirOp *op = k->ops[i];
        if (change->which >= 0 && (unsigned)change->which != i) continue;
        any |= change->clear && op->math.flags & change->clear;
        op->math.flags &= (uint8_t)~change->clear;
        if (change->bound) {
            op->math.max_error = change->bound;
            any = true;
        }
        if (change->rounding && has(op, "rounding")) {
            tir_op_set(op, "rounding")->integer = (uint64_t)change->rounding - 1;
            any = true;
        }
        if (change->flush && has(op, "ftz")) {
            tir_op_set(op, "ftz")->integer = 1;
            any = true;
        }
    }
    return any;
}

static uint8_t needed_flags(RewriteRuleId rule) {
    return rewrite_rules[rule].flags | (rewrite_rules[rule].either & MATH_FLAG_nnan);
}

// Rewrites the rule's formula, with flags that are needed and `more`, changed in this way; whether the rule was
// applied.
static bool applies(RewriteRuleId rule, TirTypeKind kind, const Change *change, bool *changed) {
    FormulaKernel k = formula_open(kind);
    RewriteFirings firings = {0};
    formula_build(&k, formula_from(rule), needed_flags(rule));
    formula_end(&k);
    const bool any = change_ops(&k, change);
    if (changed) *changed = any;
    TirModule *copy = formula_rewrite(k.module, REWRITE_ALL, &firings);
    const bool fired = formula_fired(&firings, rule);
    if (fired && change->which < 0) {
        const TirFunction *function = &copy->functions[0];
        cr_expect(formula_is(&k, function, formula_stored(function), formula_to(rule)), "%s of %s: not %s",
                  rewrite_rules[rule].name, tir_type_rows[kind].name, formula_to(rule));
    }
    tir_module_close(copy);
    formula_close(&k);
    return fired;
}

static const TirTypeKind float_kinds[] = {TIR_TYPE_f32, TIR_TYPE_f16, TIR_TYPE_bf16, TIR_TYPE_f64};

Test(each_rule, is_applied_with_its_flags_alone) {
    for (int rule = 0; rule < REWRITE_RULE_COUNT; rule++)
        for (size_t i = 0; i < BASE_COUNT(float_kinds); i++)
            cr_expect(applies((RewriteRuleId)rule, float_kinds[i], &(Change){.which = -1}, NULL), "%s of %s",
                      rewrite_rules[rule].name, tir_type_rows[float_kinds[i]].name);
}

// How many ops the formula has.
static unsigned ops_of(RewriteRuleId rule) {
    const RewriteFormula formula = rewrite_formula(formula_from(rule));
    unsigned count = 0;
    for (unsigned i = 0; i < formula.count; i++) count += formula.nodes[i].form == REWRITE_OP;
    return count;
}

Test(each_rule, a_flag_missing_on_any_op_leaves_the_tree_alone) {
    unsigned tried = 0;
    for (int r = 0; r < REWRITE_RULE_COUNT; r++) {
        const RewriteRuleId rule = (RewriteRuleId)r;
        const uint8_t needed = needed_flags(rule);
        const unsigned count = ops_of(rule);
        for (unsigned bit = 1; bit < MATH_FLAGS_ALL; bit *= 2)
            for (unsigned i = 0; needed & bit && i < count; i++) {
                const bool is_root = i + 1 == count;
                const bool expected = rewrite_rules[rule].at_root && !is_root;
                cr_expect_eq(applies(rule, TIR_TYPE_f32, &(Change){.which = (int)i, .clear = (uint8_t)bit}, NULL),
                             expected, "%s without flag %u on op %u", rewrite_rules[rule].name, bit, i);
                tried++;
            }
    }
    cr_expect_gt(tried, 60);
}

Test(each_rule, either_value_flag_is_enough) {
    for (unsigned flag = MATH_FLAG_nnan; flag <= MATH_FLAG_ninf; flag *= 2) {
        FormulaKernel k = formula_open(TIR_TYPE_f32);
        RewriteFirings firings = {0};
        formula_build(&k, formula_from(REWRITE_S3), (uint8_t)(rewrite_rules[REWRITE_S3].flags | flag));
        formula_end(&k);
        TirModule *copy = formula_rewrite(k.module, REWRITE_ALL, &firings);
        cr_expect(formula_fired(&firings, REWRITE_S3));
        tir_module_close(copy);
        formula_close(&k);
    }
}

Test(each_rule, all_ops_round_and_flush_alike) {
    for (int r = 0; r < REWRITE_RULE_COUNT; r++) {
        const RewriteRuleId rule = (RewriteRuleId)r;
        const RewriteRule *row = &rewrite_rules[rule];
        bool changed;
        for (int rounding = TIR_rounding_zero; rounding <= TIR_rounding_positive_inf; rounding++) {
            const bool all = applies(rule, TIR_TYPE_f32, &(Change){.which = -1, .rounding = 1 + rounding}, &changed);
            cr_expect_eq(all, row->directed || !changed, "%s, rounding %d", row->name, rounding);
            const unsigned count = ops_of(rule);
            for (unsigned i = 0; count > 1 && i < count; i++) {
                const bool one =
                    applies(rule, TIR_TYPE_f32, &(Change){.which = (int)i, .rounding = 1 + rounding}, &changed);
                cr_expect_eq(one, !changed, "%s, rounding %d of op %u", row->name, rounding, i);
            }
        }
        const bool flushed = applies(rule, TIR_TYPE_f32, &(Change){.which = -1, .flush = true}, &changed);
        cr_expect_eq(flushed, row->flushing || !changed, "%s, flush_to_zero", row->name);
        cr_expect_eq(row->flushing, strcmp(row->row, "E") && strcmp(row->row, "V2") && strcmp(row->row, "V3"), "%s",
                     row->name);
        const unsigned count = ops_of(rule);
        for (unsigned i = 0; count > 1 && i < count; i++) {
            const bool one = applies(rule, TIR_TYPE_f32, &(Change){.which = (int)i, .flush = true}, &changed);
            // In -(a * b) + c and pow the others have no flush_to_zero to differ in.
            cr_expect(!one || !changed, "%s, flush_to_zero of op %u", row->name, i);
        }
    }
}

Test(each_rule, bounds_are_kept_or_the_tree_is) {
    for (int r = 0; r < REWRITE_RULE_COUNT; r++) {
        const RewriteRuleId rule = (RewriteRuleId)r;
        const unsigned count = ops_of(rule);
        for (unsigned with = 0; with < count; with++) {
            FormulaKernel k = formula_open(TIR_TYPE_f32);
            RewriteFirings firings = {0};
            formula_build(&k, formula_from(rule), needed_flags(rule));
            formula_end(&k);
            k.ops[with]->math.max_error = 2.5;
            if (with) k.ops[0]->math.max_error = 7;
            TirModule *copy = formula_rewrite(k.module, REWRITE_ALL, &firings);
            const TirFunction *function = &copy->functions[0];
            const TirOp *ops[64];
            const unsigned left = formula_tree(function, formula_stored(function), ops);
            cr_expect_eq(formula_fired(&firings, rule), rewrite_rules[rule].bounded, "%s", rewrite_rules[rule].name);
            for (unsigned i = 0; rewrite_rules[rule].bounded && i < left; i++)
                cr_expect_eq(ops[i]->math.max_error, 2.5, "%s: %s", rewrite_rules[rule].name,
                             tir_op_info(ops[i]->kind)->name);
            tir_module_close(copy);
            formula_close(&k);
        }
    }
}

// Each op lacks another flag that the rule does not need: the new ones lack all of these.
Test(each_rule, new_ops_have_the_flags_that_all_old_ones_had) {
    for (int r = 0; r < REWRITE_RULE_COUNT; r++) {
        const RewriteRuleId rule = (RewriteRuleId)r;
        const uint8_t needed = needed_flags(rule);
        FormulaKernel k = formula_open(TIR_TYPE_f32);
        RewriteFirings firings = {0};
        formula_build(&k, formula_from(rule), MATH_FLAGS_ALL);
        formula_end(&k);
        uint8_t expected = MATH_FLAGS_ALL;
        unsigned bit = 1;
        for (unsigned i = 0; i < k.op_count; i++) {
            while (bit < MATH_FLAGS_ALL && needed & bit) bit *= 2;
            if (bit > MATH_FLAGS_ALL) break;
            k.ops[i]->math.flags &= (uint8_t)~bit;
            expected &= (uint8_t)~bit;
            bit *= 2;
        }
        // Flags that allow other rules would have them applied first.
        for (unsigned i = 0; i < k.op_count; i++)
            k.ops[i]->math.flags &= (uint8_t)(needed | MATH_FLAG_ninf | MATH_FLAG_contract);
        expected &= (uint8_t)(needed | MATH_FLAG_ninf | MATH_FLAG_contract);
        TirModule *copy = formula_rewrite(k.module, REWRITE_ALL, &firings);
        const TirFunction *function = &copy->functions[0];
        const TirOp *ops[64];
        const unsigned left = formula_tree(function, formula_stored(function), ops);
        cr_expect(formula_fired(&firings, rule), "%s", rewrite_rules[rule].name);
        for (unsigned i = 0; i < left; i++)
            cr_expect_eq(ops[i]->math.flags & (uint8_t)~expected, 0, "%s: %s has %x of %x", rewrite_rules[rule].name,
                         tir_op_info(ops[i]->kind)->name, ops[i]->math.flags, expected);
        if (left && firings.count == 1) cr_expect_eq(ops[0]->math.flags, expected, "%s", rewrite_rules[rule].name);
        tir_module_close(copy);
        formula_close(&k);
    }
}

// An op inside the tree that somebody else uses, too, or that is in another block.
Test(each_rule, a_tree_has_no_other_use_inside) {
    for (int r = 0; r < REWRITE_RULE_COUNT; r++) {
        const RewriteRuleId rule = (RewriteRuleId)r;
        const unsigned count = ops_of(rule);
        for (unsigned i = 0; i + 1 < count; i++) {
            FormulaKernel k = formula_open(TIR_TYPE_f32);
            RewriteFirings firings = {0};
            formula_build(&k, formula_from(rule), needed_flags(rule));
            const TirValue inner = tir_result(k.ops[i], 0);
            formula_op(&k, k.ops[i]->kind == TIR_OP_cmpf ? TIR_OP_xori : TIR_OP_exp, tir_value_type(k.function, inner),
                       k.ops[i]->kind == TIR_OP_cmpf ? 2 : 1, (TirValue[]){inner, inner});
            formula_end(&k);
            TirModule *copy = formula_rewrite(k.module, REWRITE_ALL, &firings);
            cr_expect(!formula_fired(&firings, rule), "%s, op %u", rewrite_rules[rule].name, i);
            tir_module_close(copy);
            formula_close(&k);
        }
    }
}

Test(each_rule, profiles_have_their_rules) {
    for (int r = 0; r < REWRITE_RULE_COUNT; r++) {
        const RewriteRuleId rule = (RewriteRuleId)r;
        FormulaKernel k = formula_open(TIR_TYPE_f32);
        RewriteFirings firings = {0};
        formula_build(&k, formula_from(rule), needed_flags(rule));
        formula_end(&k);
        TirModule *copy = formula_rewrite(k.module, REWRITE_FOR_RING, &firings);
        cr_expect_eq(formula_fired(&firings, rule), rewrite_rules[rule].in_ring, "%s", rewrite_rules[rule].name);
        for (size_t i = 0; i < firings.count; i++) cr_expect(rewrite_rules[firings.items[i].rule].in_ring);
        tir_module_close(copy);
        formula_close(&k);
    }
}
