// SPDX-License-Identifier: Apache-2.0
// Every function against its bound in bounds.def, on few samples. Many: `make accuracy`.
#include "tests/accuracy/exact.h"
#include "tests/accuracy/functions.h"
#include "tests/accuracy/reference.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { TILE = 64, SAMPLES = 1280 };

static void check_functions(size_t samples, const char *cpu) {
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    WholeOp ops[128];
    double bounds[128];
    size_t count = 0;
    cr_assert(compiler);
    for (size_t i = 0; i < function_bound_count; i++)
        for (size_t type = 0; type < FUNCTION_TYPES; type++) {
            WholeOp op = function_op(&function_bounds[i], type);
            const double bound = function_bound(&function_bounds[i], type);
            const bool said = function_bounds[i].implementation != FLOAT_EXACT || function_bounds[i].flush;
            cr_assert(bound > 0 ? whole_op_is_legal(&op, 1) : said || !whole_op_is_legal(&op, 1));
            if (bound <= 0) continue;
            cr_assert_lt(count, BASE_COUNT(ops));
            bounds[count] = bound;
            ops[count++] = op;
        }
    WholeOps compiled = whole_ops_open(compiler, &diagnostics, ops, count, TILE, NULL, cpu);
    cr_assert(compiled.compiled, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    for (size_t i = 0; i < count; i++) {
        char text[WHOLE_OP_TEXT];
        FunctionError error = {0};
        cr_assert(function_measure(&compiled, i, samples, &error));
        cr_assert_geq(error.samples, samples);
        // What a flag or a key asks for is what is computed.
        Implementation exact;
        implementation_of(tir_op_info(ops[i].op)->rule, FPSAN_F32, false, FLOAT_EXACT, &exact);
        if (ops[i].from == TIR_TYPE_f32 && ops[i].implementation != FLOAT_EXACT &&
            ops[i].implementation != FLOAT_BY_DOUBLE && samples == SAMPLES)
            cr_expect_gt(error.worst, exact.bound, "%s is exact", whole_op_text(&ops[i], text));
        cr_expect_leq(error.worst, bounds[i], "%s: %.3f ulp at %a, %a: %a", whole_op_text(&ops[i], text), error.worst,
                      error.x, error.y, error.got);
    }
    whole_ops_close(&compiled);
    compiler_close(compiler);
    diagnostics_close(&diagnostics);
}

// Floats for which exp and exp2, which are code of this project, are furthest off (accuracy --floats), or were: exp was
// 1.014 ulp from the first.
Test(functions, hardest_floats) {
    static const struct {
        TirOpKind op;
        float x;
    } rows[] = {{TIR_OP_exp, 0x1.7f599ap+4f}, {TIR_OP_exp, 0x1.f31782p+3f}, {TIR_OP_exp2, -0x1.f9fc6ap+6f}};
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        WholeOp op = {.op = rows[i].op, .from = TIR_TYPE_f32, .to = TIR_TYPE_f32};
        if (op.op == TIR_OP_exp) op.rounding = TIR_rounding_full;
        WholeOps compiled = whole_ops_open(compiler, &diagnostics, &op, 1, TILE, NULL, NULL);
        float operands[TILE], results[TILE];
        const void *arrays[] = {operands};
        mpfr_t exact;
        for (size_t k = 0; k < TILE; k++) operands[k] = rows[i].x;
        cr_assert(compiled.compiled && whole_op_run(&compiled, 0, arrays, results, TILE));
        mpfr_init2(exact, 64);
        reference_function(exact, op.op, rows[i].x, 0);
        cr_expect_lt(reference_error(reference_format(TIR_TYPE_f32), results[0], exact), 0.9);
        mpfr_clear(exact);
        whole_ops_close(&compiled);
    }
    compiler_close(compiler);
    diagnostics_close(&diagnostics);
}

Test(functions, within_bounds) {
    check_functions(SAMPLES, NULL);
}
Test(functions, oldest_processor) {
    check_functions(SAMPLES / 4, "x86-64");
}

// Every op with a float rule is compared with MPFR: it has one right result, or a bound.
Test(functions, every_op_is_compared) {
    bool compared[TIR_OP_COUNT] = {false};
    for (size_t i = 0; i < function_bound_count; i++) compared[function_bounds[i].op] = true;
    for (ExactGroup group = EXACT_ARITHMETIC; group <= EXACT_OTHER; group++) {
        size_t count;
        WholeOp *ops = exact_ops(group, &count);
        for (size_t i = 0; i < count; i++) compared[ops[i].op] = true;
        free(ops);
    }
    for (TirOpKind op = 0; op < TIR_OP_COUNT; op++)
        cr_expect(tir_op_info(op)->rule == FPSAN_RULE_COUNT || compared[op],
                  "%s has a float rule, and neither a row in bounds.def nor an entry in exact.c",
                  tir_op_info(op)->name);
}
