// SPDX-License-Identifier: Apache-2.0
// Every float op and conversion that has one right result, in every form that the verifier accepts, as whole kernels,
// bit for bit against the reference. More samples: `make accuracy`.
#include "tests/accuracy/exact.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { TILE = 64, SAMPLES = 768, CONSTANTS = 4 };

// Every `stride`-th op of a group.
static void check_group(ExactGroup group, size_t stride, uint32_t tile, size_t samples, const char *cpu) {
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    ExactResult result = {0};
    size_t count, kept = 0;
    WholeOp *ops = exact_ops(group, &count);
    for (size_t i = 0; i < count; i += stride)
        if (whole_op_is_legal(&ops[i], tile)) ops[kept++] = ops[i];
    cr_assert(compiler && kept > 3);
    WholeOps compiled = whole_ops_open(compiler, &diagnostics, ops, kept, tile, NULL, cpu);
    cr_assert(compiled.compiled, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    for (size_t i = 0; i < kept; i++) cr_assert(exact_check(&compiled, i, samples, &result));
    cr_assert_geq(result.checked, kept * 2);
    cr_expect_eq(result.wrong, 0, "%zu of %zu results: %s", result.wrong, result.checked, result.first);
    whole_ops_close(&compiled);
    free(ops);
    compiler_close(compiler);
    diagnostics_close(&diagnostics);
}

Test(exact, arithmetic) {
    check_group(EXACT_ARITHMETIC, 1, TILE, SAMPLES, NULL);
}
Test(exact, other_ops) {
    check_group(EXACT_OTHER, 1, TILE, SAMPLES, NULL);
}
Test(exact, between_floats) {
    check_group(EXACT_CONVERT, 1, TILE, SAMPLES, NULL);
}
// Some of them; `make accuracy` has all.
Test(exact, casts) {
    check_group(EXACT_CAST, 9, TILE, SAMPLES, NULL);
}
Test(exact, from_integers) {
    check_group(EXACT_FROM_INTEGER, 1, TILE, SAMPLES, NULL);
}
Test(exact, to_integers) {
    check_group(EXACT_TO_INTEGER, 1, TILE, SAMPLES, NULL);
}

// What LLVM computes itself has the same bits: of every `stride`-th op.
static void check_constants(size_t stride) {
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    ExactResult result = {0};
    for (ExactGroup group = 0; group < EXACT_GROUPS; group++) {
        size_t count, kept = 0;
        WholeOp *ops = exact_ops(group, &count);
        for (size_t i = 0; i < count; i += stride) ops[kept++] = ops[i];
        cr_assert(exact_check_constants(compiler, &diagnostics, ops, kept, CONSTANTS, NULL, &result), "%s",
                  diagnostics.count ? diagnostics.items[0].message : "");
        free(ops);
    }
    cr_assert_geq(result.checked, 1000 / stride);
    cr_expect_eq(result.wrong, 0, "%zu of %zu results: %s", result.wrong, result.checked, result.first);
    compiler_close(compiler);
    diagnostics_close(&diagnostics);
}

Test(exact, constant_operands) {
    check_constants(4);
}
Test(exact, constants_of_all) {
    check_constants(1);
}

Test(exact, oldest_processor) {
    for (ExactGroup group = 0; group < EXACT_GROUPS; group += 2) check_group(group, 7, TILE, SAMPLES / 2, "x86-64");
}
Test(exact, more_on_the_oldest_processor) {
    for (ExactGroup group = 0; group < EXACT_GROUPS; group++) check_group(group, 7, TILE, SAMPLES / 2, "x86-64");
}
// The code for what is left of a tile, and for scalars.
Test(exact, one_element) {
    for (ExactGroup group = 0; group < EXACT_GROUPS; group++) check_group(group, 11, 1, SAMPLES / 4, NULL);
}
