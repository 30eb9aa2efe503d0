// SPDX-License-Identifier: Apache-2.0
// Kernels whose names mean something to LLVM, assemblers or the C library: they run as any other, and an object either
// has a function of exactly that name or is refused.
#include "tests/lower/lab.h"

#include <string.h>

// exp of a constant whose elements differ, so that the code uses a constant, memory and a function.
static Lab open_named(const char *name) {
    static const TirTypeKind kinds[1] = {TIR_TYPE_f32};
    static const float values[4] = {0, 1, 2, 3};
    Lab lab = lab_open(1, kinds);
    lab.module->functions[0].name = name;
    TirType type = lab_tile(&lab, TIR_TYPE_f32, 1, (int64_t[]){4});
    TirOp *op = lab_op(&lab, TIR_OP_constant, 1, &type, 0, NULL, NULL);
    tir_op_set(op, "value")->constant = (TirConstant){.bytes = (const uint8_t *)values, .size = sizeof values};
    TirOp *power = lab_op(&lab, TIR_OP_exp, 1, &type, 1, (TirValue[]){tir_result(op, 0)}, NULL);
    lab_set(power, "rounding", TIR_rounding_full);
    lab_store(&lab, 0, tir_result(power, 0));
    lab_return(&lab);
    return lab;
}

static void check_output(Lab *lab, const char *name, CompileOutput output, const char *refused) {
    Diagnostics diagnostics = {0};
    Buffer out = {0};
    CompileOptions options = {.optimize = 1, .line_info = true};
    bool good = compiler_emit(lab->compiler, &diagnostics, tir_program(lab->module), &options, output, &out);
    cr_assert_eq(good, !refused, "%s as output %d: %s", name, (int)output, good ? "" : diagnostics.items[0].message);
    if (refused) {
        cr_assert(diagnostics.count == 1 && diagnostics.items[0].code == E_UNSUPPORTED);
        cr_assert(strstr(diagnostics.items[0].message, refused), "%s: %s", name, diagnostics.items[0].message);
    } else {
        cr_assert(memmem(out.data, out.size, name, strlen(name)), "%s is not in output %d", name, (int)output);
    }
    diagnostics_close(&diagnostics);
    buffer_free(&out);
}

Test(names, of_kernels) {
    static const struct {
        const char *name, *refused; // part of the message
    } rows[] = {
        {"constant", NULL},
        {"congruent.constant", "something that its code uses"},
        {"congruent.entry.0", "something that its code uses"},
        {"congruent.kernel.0", NULL},
        {"allocas", NULL},
        {"a b", NULL},
        {"$x", NULL},
        {"main", NULL},
        {"%s%n", NULL},
        {"\xff\xfe", NULL},
        {"memcpy", "C library"},
        {"expf", "C library"},
        {"llvm.memcpy.p0.p0.i64", "begins with"},
        {"llvm.used", "begins with"},
        {".text", "begins with"},
        {".Lhere", "begins with"},
        {"\001_start", "control characters"},
        {"two\nlines", "control characters"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Lab lab = open_named(rows[i].name);
        for (int output = 0; output <= COMPILE_OBJECT; output++) {
            bool quoted = strchr(rows[i].name, '%') || (uint8_t)*rows[i].name == 0xFF; // in texts: as escapes
            if (quoted && output != COMPILE_OBJECT) continue;
            check_output(&lab, rows[i].name, (CompileOutput)output, rows[i].refused);
        }
        cr_assert(lab_compile(&lab, COMPILE_IEEE, FPSAN_CASTS_MIX, NULL), "%s", lab.diagnostics.items[0].message);
        cr_assert_str_eq(lab.compiled->kernels[0].name, rows[i].name);
        cr_assert(lab_run(&lab));
        cr_assert_eq(lab_get(&lab, 0, TIR_TYPE_f32, 0), 0x3F800000);
        lab_close(&lab);
    }
}
