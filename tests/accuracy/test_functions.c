// SPDX-License-Identifier: Apache-2.0
// Every function against its bound in bounds.def, on few samples. Many: `make accuracy`.
#include "tests/accuracy/functions.h"

#include <criterion/criterion.h>

enum { TILE = 64, SAMPLES = 1280 };

static void check_functions(size_t samples, const char *cpu) {
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    WholeOp ops[64];
    double bounds[64];
    size_t count = 0;
    cr_assert(compiler);
    for (size_t i = 0; i < function_bound_count; i++)
        for (size_t type = 0; type < FUNCTION_TYPES; type++) {
            WholeOp op = function_op(&function_bounds[i], type);
            cr_assert_eq(whole_op_is_legal(&op), function_bounds[i].bounds[type] > 0);
            if (function_bounds[i].bounds[type] <= 0) continue;
            cr_assert_lt(count, BASE_COUNT(ops));
            bounds[count] = function_bounds[i].bounds[type];
            ops[count++] = op;
        }
    WholeOps compiled = whole_ops_open(compiler, &diagnostics, ops, count, TILE, NULL, cpu);
    cr_assert(compiled.compiled, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    for (size_t i = 0; i < count; i++) {
        char text[WHOLE_OP_TEXT];
        FunctionError error = {0};
        cr_assert(function_measure(&compiled, i, samples, &error));
        cr_assert_geq(error.samples, samples);
        cr_expect_leq(error.worst, bounds[i], "%s: %.3f ulp at %a, %a: %a", whole_op_text(&ops[i], text), error.worst,
                      error.x, error.y, error.got);
    }
    whole_ops_close(&compiled);
    compiler_close(compiler);
    diagnostics_close(&diagnostics);
}

Test(functions, within_bounds) {
    check_functions(SAMPLES, NULL);
}
Test(functions, oldest_processor) {
    check_functions(SAMPLES / 4, "x86-64");
}
