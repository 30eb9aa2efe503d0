// SPDX-License-Identifier: Apache-2.0
// Flags and bounds of ops, math<> of entries and blocks: read, printed, refused, lost in bytecode, copied.
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>

static const char text[] = "entry @k(%arg0: tile<ptr<f32>>) math<precise,+afn> {\n"
                           "  %cst_f32 = constant <f32: 1.500000e+00> : tile<4xf32>\n"
                           "  math<strict> {\n"
                           "    %0 = mulf %cst_f32, %cst_f32  fastmath<nsz, contract> max_error<2.5> : tile<4xf32>\n"
                           "    math<fast,-afn,max-error=4> {\n"
                           "      %1 = addf %0, %cst_f32  flush_to_zero fastmath<fast> : tile<4xf32>\n"
                           "    }\n"
                           "    %2 = exp2 %1 fastmath<afn> max_error<200> : tile<4xf32>\n"
                           "  }\n"
                           "  %3 = cmpf less_than ordered %2, %0 fastmath<nnan> : tile<4xf32> -> tile<4xi1>\n"
                           "  %cst_4_i32 = constant <i32: 4> : tile<i32>\n"
                           "  %for = for %loopIdx in (%cst_4_i32 to %cst_4_i32, step %cst_4_i32) : tile<i32> "
                           "iter_values(%iterArg0 = %2) -> (tile<4xf32>) {\n"
                           "    math<fast> {\n"
                           "      %5 = negf %iterArg0 max_error<1.0e+20> : tile<4xf32>\n"
                           "      continue %5 : tile<4xf32>\n"
                           "    }\n"
                           "  }\n"
                           "  %4 = select %3, %for, %0 fastmath<nsz> : tile<4xi1>, tile<4xf32>\n"
                           "  return\n"
                           "}\n";

static TirModule *parse(Diagnostics *diagnostics, const char *source) {
    return tir_parse_text(diagnostics, "case.mlir", source, strlen(source));
}

static void expect_printed(const TirModule *module, const char *expected) {
    Buffer out = {0};
    buffer_print(&out, "%s", "");
    tir_print(module, false, &out);
    buffer_append(&out, "", 1);
    cr_expect_str_eq(out.data, expected);
    buffer_free(&out);
}

Test(parse_math, prints_as_read) {
    Diagnostics diagnostics = {0};
    TirModule *module = parse(&diagnostics, text);
    cr_assert(module, "%s", diagnostics.count ? diagnostics.items[0].message : "?");
    cr_expect(tir_verify(&diagnostics, module));
    expect_printed(module, text);
    TirModule *copy = tir_module_copy(module);
    expect_printed(copy, text);
    cr_expect(tir_verify(&diagnostics, copy));
    tir_drop_math(copy);
    cr_expect(tir_has_math(module) && !tir_has_math(copy));
    expect_printed(module, text);
    Buffer bytes = {0};
    cr_expect(tir_write_bytecode(&diagnostics, copy, TIR_VERSION_MAX, &bytes));
    buffer_free(&bytes);
    tir_module_close(copy);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
}

#define WITH(op) "entry @k(%a: tile<f32>) {\n  " op "\n}"

Test(parse_math, bytecode_refuses_what_it_would_lose) {
    static const char *const cases[][2] = {
        {WITH("%0 = addf %a, %a fastmath<contract> : tile<f32>"),
         "bytecode has no place for fastmath<contract> of 'addf'"},
        {WITH("%0 = pow %a, %a max_error<0.51> : tile<f32>"), "bytecode has no place for max_error<0.51> of 'fpowf'"},
        {WITH("math<fast> { %0 = sin %a : tile<f32> }"), "bytecode has no place for math<fast> of 'sin'"},
        {"entry @k(%a: tile<f32>) math<strict> {}", "bytecode has no place for math<strict> of 'k'"},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Diagnostics diagnostics = {0};
        Buffer bytes = {0};
        TirModule *module = parse(&diagnostics, cases[i][0]);
        cr_assert(module, "%s: %s", cases[i][0], diagnostics.count ? diagnostics.items[0].message : "?");
        cr_expect(tir_verify(&diagnostics, module));
        cr_expect(!tir_write_bytecode(&diagnostics, module, TIR_VERSION_MAX, &bytes));
        cr_assert_eq(diagnostics.count, 1);
        cr_expect(strstr(diagnostics.items[0].message, cases[i][1]), "%s", diagnostics.items[0].message);
        cr_expect(strstr(diagnostics.items[0].message, "; --drop-math writes it without"));
        cr_expect_eq(diagnostics.items[0].code, E_VERSION);
        buffer_free(&bytes);
        tir_module_close(module);
        diagnostics_close(&diagnostics);
    }
}

Test(parse_math, refused) {
    static const char *const cases[][2] = {
        {WITH("%0 = addf %a, %a fastmath<quick> : tile<f32>"), "found 'quick', expected a flag: reassoc"},
        {WITH("%0 = addf %a, %a fastmath<> : tile<f32>"), "expected a flag"},
        {WITH("%0 = addf %a, %a fastmath<nsz, nsz> : tile<f32>"), "the flag nsz is there twice"},
        {WITH("%0 = addf %a, %a fastmath<fast, nsz> : tile<f32>"), "the flag nsz is there twice"},
        {WITH("%0 = addf %a, %a fastmath<nsz> fastmath<nnan> : tile<f32>"), "fastmath is there twice"},
        {WITH("%0 = addf %a, %a max_error<2> max_error<2> : tile<f32>"), "max_error is there twice"},
        {WITH("%0 = addf %a, %a max_error<0.25> : tile<f32>"), "no result is nearer than 0.5"},
        {WITH("%0 = addf %a, %a max_error<x> : tile<f32>"), "found 'x', expected a number"},
        {WITH("%0 = itof %a signed fastmath<nsz> : tile<i32> -> tile<f32>"), "found 'fastmath'"},
        {WITH("math<quick> { }"), "math: 'quick' is no setting of a scope"},
        {WITH("math<fast { }"), "math< does not end on its line"},
        {WITH("math { }"), "found '{', expected '<'"},
        {WITH("math<fast> %0 = sin %a : tile<f32>"), "expected '{'"},
        {WITH("math<fast> { %0 = sin %a : tile<f32>"), "the text ends"},
        {"entry @k() math<+nsz,fast> {}", "the mode fast stands behind another setting"},
        {"entry @k() math<> {}", "there are no settings"},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Diagnostics diagnostics = {0};
        TirModule *module = parse(&diagnostics, cases[i][0]);
        cr_expect(!module, "accepted: %s", cases[i][0]);
        cr_assert_eq(diagnostics.count, 1, "%s", cases[i][0]);
        cr_expect(strstr(diagnostics.items[0].message, cases[i][1]), "%s\n  message  %s\n  expected %s", cases[i][0],
                  diagnostics.items[0].message, cases[i][1]);
        tir_module_close(module);
        diagnostics_close(&diagnostics);
    }
}

// Blocks nest as deep as regions may, no deeper.
Test(parse_math, nesting_is_bounded) {
    Diagnostics diagnostics = {0};
    Buffer source = {0};
    buffer_print(&source, "entry @k() {\n");
    for (int i = 0; i <= TIR_NESTING_MAX; i++) buffer_print(&source, "math<fast> {");
    TirModule *module = parse(&diagnostics, source.data);
    cr_expect(!module);
    cr_expect_eq(diagnostics.items[0].code, E_LIMIT);
    tir_module_close(module);
    buffer_free(&source);
    diagnostics_close(&diagnostics);
}
