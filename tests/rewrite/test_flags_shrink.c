// SPDX-License-Identifier: Apache-2.0
// Flags and bounds while modules are rewritten: a pass that adds a flag or loses a bound is found; random trees.
#include "tests/rewrite/formulas.h"

#include <criterion/criterion.h>
#include <string.h>

// ---- passes that do it wrong ----------------------------------------------------------------------------------------

typedef enum Mistake {
    NO_MISTAKE,
    FLAGS_OF_THE_ROOT,  // the new op has all that the root has
    BYTE_IS_WRITTEN,    // an op that stays gets a flag
    OP_OF_ITS_OWN,      // the new op is not made by tir_rewrite
    BOUND_IS_FORGOTTEN, // the new op has none
    BOUND_GROWS,
} Mistake;

// a * b + c with other flags on each op; one pass makes a mulf of it and does one thing wrong.
static const char *run_pass(Arena *arena, Mistake mistake) {
    FormulaKernel k = formula_open(TIR_TYPE_f32);
    formula_build(&k, "a*b + c", MATH_FLAG_contract | MATH_FLAG_nsz);
    formula_end(&k);
    TirOp *product = k.ops[0], *sum = k.ops[1];
    sum->math.flags |= MATH_FLAG_afn;
    product->math.max_error = 2.5;
    sum->math.max_error = 4;
    Rewriter r = rewriter_open(arena, k.function);
    TirOp *const tree[] = {sum, product};
    const RewriteSources sources = rewriter_sources(&r, tree, BASE_COUNT(tree));
    const TirValue operands[2] = {product->operands[0], product->operands[1]};
    const TirNewOp added = {
        .kind = TIR_OP_mulf, .operand_count = 2, .operands = operands, .result_count = 1, .results = &k.tile};
    TirOp *op;
    if (mistake == OP_OF_ITS_OWN) {
        op = tir_op_insert(sum, &added);
        op->math = product->math;
    } else {
        op = tir_rewrite(&r, sum, &added, &sources);
        cr_expect_eq(op->math.flags, MATH_FLAG_contract | MATH_FLAG_nsz);
        cr_expect_eq(op->math.max_error, 2.5);
    }
    if (mistake == FLAGS_OF_THE_ROOT) op->math.flags = sum->math.flags;
    if (mistake == BOUND_IS_FORGOTTEN) op->math.max_error = 0;
    if (mistake == BOUND_GROWS) op->math.max_error = 4;
    rewriter_replace(&r, sum, tir_result(op, 0));
    TirOp *other = tir_value(k.function, operands[0])->definition; // the load, which has no flags
    if (mistake == BYTE_IS_WRITTEN) other->math.flags = MATH_FLAG_nnan | MATH_FLAG_ninf;
    rewriter_close(&r);
    const char *problem = rewriter_check(&r);
    formula_close(&k);
    return problem;
}

Test(flags_shrink, a_pass_that_is_wrong_is_found) {
    static const struct {
        Mistake mistake;
        const char *problem;
    } cases[] = {
        {NO_MISTAKE, NULL},
        {FLAGS_OF_THE_ROOT, "a pass added fastmath<afn> to 'mulf'"},
        {BYTE_IS_WRITTEN, "a pass added fastmath<nnan, ninf> to 'load_ptr_tko'"},
        {OP_OF_ITS_OWN, "a pass added fastmath<nsz, contract> to 'mulf'"},
        {BOUND_IS_FORGOTTEN, "a pass lost the bound 2.5 of 'mulf'"},
        {BOUND_GROWS, "a pass lost the bound 2.5 of 'mulf'"},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Arena arena = {0};
        const char *problem = run_pass(&arena, cases[i].mistake);
        cr_expect_eq(problem != NULL, cases[i].problem != NULL, "%zu: %s", i, problem ? problem : "");
        if (problem && cases[i].problem) cr_expect_str_eq(problem, cases[i].problem);
        arena_reset(&arena);
    }
}

// An op that stands for two trees has what both allow.
Test(flags_shrink, merged_ops_intersect) {
    FormulaKernel k = formula_open(TIR_TYPE_f32);
    Arena arena = {0};
    formula_build(&k, "a*b + c", MATH_FLAGS_ALL);
    formula_end(&k);
    TirOp *product = k.ops[0], *sum = k.ops[1];
    product->math.flags = MATH_FLAG_arcp | MATH_FLAG_afn;
    sum->math.flags = MATH_FLAG_arcp | MATH_FLAG_nsz;
    sum->math.max_error = 3;
    Rewriter r = rewriter_open(&arena, k.function);
    const TirNewOp added = {
        .kind = TIR_OP_divf, .operand_count = 2, .operands = product->operands, .result_count = 1, .results = &k.tile};
    const RewriteSources of_product = rewriter_sources(&r, &product, 1), of_sum = rewriter_sources(&r, &sum, 1);
    TirOp *op = tir_rewrite(&r, product, &added, &of_product);
    cr_expect_eq(op->math.flags, product->math.flags);
    rewriter_merge(&r, op, &of_sum);
    cr_expect_eq(op->math.flags, MATH_FLAG_arcp);
    cr_expect_eq(op->math.max_error, 3);
    op->math.flags |= MATH_FLAG_nsz;
    cr_expect_str_eq(rewriter_check(&r), "a pass added fastmath<nsz> to 'divf'");
    arena_reset(&arena);
    formula_close(&k);
}

// ---- random trees ---------------------------------------------------------------------------------------------------

// Which sources each op of the rewritten module comes from is not known here. But no op has a flag that no op of its
// kernel has, and flags that are missing everywhere stay so: each seed takes some flags from all ops.
Test(flags_shrink, in_random_trees) {
    unsigned fired[REWRITE_RULE_COUNT] = {0};
    for (unsigned seed = 0; seed < 3000; seed++) {
        FormulaKernel k = random_kernel(seed, TIR_TYPE_f32, RANDOM_FLAGS);
        uint8_t all = 0;
        const TirRegion *body = &k.function->body;
        for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op)) all |= op->math.flags;
        RewriteFirings firings = {0};
        TirModule *copy = formula_rewrite(k.module, seed % 2 ? REWRITE_ALL : REWRITE_FOR_RING, &firings);
        for (size_t i = 0; i < firings.count; i++) fired[firings.items[i].rule]++;
        const TirRegion *after = &copy->functions[0].body;
        for (const TirOp *op = tir_first_op(after); op; op = tir_next_op(after, op))
            cr_assert_eq(op->math.flags & ~all, 0, "seed %u: %s", seed, tir_op_info(op->kind)->name);
        tir_module_close(copy);
        formula_close(&k);
    }
    for (int rule = 0; rule < REWRITE_RULE_COUNT; rule++)
        cr_expect_gt(fired[rule], 0, "%s was never applied", rewrite_rules[rule].name);
}
