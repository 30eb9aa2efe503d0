// SPDX-License-Identifier: Apache-2.0
// Both sides of each rewrite in f32, each op rounded once by MPFR: rules without a licence to round differently give
// the same bits, the others do not; and each such licence is needed for a step of its rule.
#include "tests/accuracy/reference.h"
#include "tests/rewrite/formulas.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { TRIED = 4000, LICENCES = MATH_FLAG_contract | MATH_FLAG_reassoc | MATH_FLAG_arcp };

static uint64_t next_random(uint64_t *state) { // xorshift64*
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1Du;
}

static uint64_t apply_op(TirOpKind op, bool propagate_nan, const uint64_t *operands) {
    const ReferenceFormat *format = reference_format(TIR_TYPE_f32);
    if (op == TIR_OP_rsqrt) { // what F1 licenses is to round once
        const uint64_t one = reference_encode(format, 1), root = apply_op(TIR_OP_sqrt, false, operands);
        return apply_op(TIR_OP_divf, false, (const uint64_t[]){one, root});
    }
    if (op == TIR_OP_pow) {
        mpfr_t x;
        mpfr_init2(x, 200);
        reference_function(x, op, reference_decode(format, operands[0]), reference_decode(format, operands[1]));
        const uint64_t bits = reference_round(format, x, TIR_rounding_nearest_even);
        mpfr_clear(x);
        return bits;
    }
    const ReferenceOp reference = {op, TIR_TYPE_f32, TIR_rounding_nearest_even, false, propagate_nan};
    return reference_apply(&reference, operands);
}

// *invalid: an operand or result is NaN, *infinite: or an infinity.
static uint64_t evaluate_rounded(const RewriteFormula *formula, const uint64_t *letters, bool *invalid,
                                 bool *infinite) {
    const ReferenceFormat *format = reference_format(TIR_TYPE_f32);
    uint64_t values[REWRITE_NODES_MAX];
    for (unsigned i = 0; i < formula->count; i++) {
        const RewriteNode *node = &formula->nodes[i];
        uint64_t operands[3];
        for (unsigned o = 0; o < node->operand_count; o++) operands[o] = values[node->operands[o]];
        if (node->form == REWRITE_LEAF) values[i] = letters[node->letter - 'a'];
        if (node->form == REWRITE_NUMBER) values[i] = reference_encode(format, node->number);
        if (node->form == REWRITE_TRUE) values[i] = 1;
        if (node->form != REWRITE_OP) continue;
        if (node->op == TIR_OP_cmpf) {
            values[i] = reference_compare((uint64_t)node->predicate, true, reference_decode(format, operands[0]),
                                          reference_decode(format, operands[1]));
            *invalid |= reference_is_nan(format, operands[0]);
            continue;
        }
        values[i] = node->op == TIR_OP_select ? operands[operands[0] ? 1 : 2]
                                              : apply_op(node->op, node->propagate_nan, operands);
        *invalid |= reference_is_nan(format, values[i]);
        *infinite |= isinf(reference_decode(format, values[i]));
    }
    return values[formula->count - 1];
}

// Any floats, or ordinary ones.
static void draw_letters(uint64_t *letters, uint64_t *state, bool any) {
    const ReferenceFormat *format = reference_format(TIR_TYPE_f32);
    for (int l = 0; l < FORMULA_LETTERS; l++) {
        const uint64_t random = next_random(state);
        letters[l] = any ? random & 0xFFFFFFFF : 0x3E000000 + (random & 0x03FFFFFF);
        if (formula_constants[l] != 0) letters[l] = reference_encode(format, formula_constants[l]);
        // Constants that are not powers of two, nor small: the rounding of k * m and k / m shows.
        if (l == 'k' - 'a' || l == 'm' - 'a' || l == 'y' - 'a') letters[l] = 0x3F800001 + (random & 0x7FFFF);
    }
}

// How many of the operands that the flags do not exclude give different bits.
static unsigned rounded_differences(const char *left, const char *right, uint8_t flags, bool any) {
    const ReferenceFormat *format = reference_format(TIR_TYPE_f32);
    const RewriteFormula from = rewrite_formula(left), to = rewrite_formula(right);
    uint64_t state = 88172645463325252u, letters[FORMULA_LETTERS];
    unsigned differences = 0;
    for (unsigned i = 0; i < TRIED; i++) {
        bool invalid = false, infinite = false, ignored = false;
        draw_letters(letters, &state, any);
        const uint64_t a = evaluate_rounded(&from, letters, &invalid, &infinite),
                       b = evaluate_rounded(&to, letters, &ignored, &ignored);
        if ((flags & MATH_FLAG_nnan && invalid) || (flags & MATH_FLAG_ninf && infinite)) continue;
        const bool zeros = !(a << 33) && !(b << 33);
        if (zeros && flags & MATH_FLAG_nsz) continue;
        differences += !reference_same(format, a, b);
    }
    return differences;
}

Test(rounded, licences_change_bits_and_nothing_else_does) {
    for (int r = 0; r < REWRITE_RULE_COUNT; r++) {
        const RewriteRule *row = &rewrite_rules[r];
        const char *from = formula_from((RewriteRuleId)r), *to = formula_to((RewriteRuleId)r);
        const uint8_t flags = row->flags | (row->either & MATH_FLAG_nnan);
        if (row->flags & LICENCES)
            cr_expect_gt(rounded_differences(from, to, flags, false), 0, "%s changes nothing", row->name);
        else
            cr_expect_eq(rounded_differences(from, to, flags, true), 0, "%s changes bits", row->name);
    }
}

// Rules with several licences to round differently, as steps of one each.
static const struct RuleStep {
    RewriteRuleId rule;
    unsigned flag;
    const char *from, *to;
} steps[] = {
    {REWRITE_A3, MATH_FLAG_arcp, "(x * k) / m", "(x * k) * (1 / m)"},
    {REWRITE_A3, MATH_FLAG_reassoc, "(x * k) * (1 / m)", "x * (k * (1 / m))"},
    {REWRITE_A3, MATH_FLAG_arcp, "x * (k * (1 / m))", "x * (k / m)"},
    {REWRITE_F2, MATH_FLAG_arcp, "a / sqrt(x)", "a * (1 / sqrt(x))"},
};

Test(rounded, each_licence_is_needed_for_a_step) {
    for (size_t i = 0; i < BASE_COUNT(steps); i++) {
        cr_expect(rewrite_rules[steps[i].rule].flags & steps[i].flag);
        cr_expect_gt(rounded_differences(steps[i].from, steps[i].to, 0, false), 0, "%s to %s", steps[i].from,
                     steps[i].to);
    }
    // afn: a function of the tree is computed by an op that was not there.
    for (int r = 0; r < REWRITE_RULE_COUNT; r++) {
        if (!(rewrite_rules[r].flags & MATH_FLAG_afn)) continue;
        const char *from = rewrite_rules[r].from, *to = rewrite_rules[r].to;
        const bool had_root = strstr(from, " sqrt(") || !strncmp(from, "sqrt(", 5);
        cr_expect((had_root && strstr(to, "rsqrt(")) || (strstr(from, "pow(") && !strstr(to, "pow(")), "%s",
                  rewrite_rules[r].name);
    }
}
