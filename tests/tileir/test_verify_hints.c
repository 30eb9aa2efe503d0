// SPDX-License-Identifier: Apache-2.0
// Hints that are not known or out of range pass tir_verify and are named by tir_verify_hints; what bytecode cannot hold
// does not pass.
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

// The first diagnostic of the hints at an entry and, with `load`, at a load; "" if they are fine.
static void expect_hints(const char *entry, const char *load, const char *expected) {
    char text[1024];
    Diagnostics diagnostics = {0};
    snprintf(text, sizeof text,
             "entry @f(%%p: tile<ptr<f32>>) optimization_hints=<%s> {\n"
             "  %%v, %%t = load_ptr_tko weak %%p optimization_hints = <%s> : tile<ptr<f32>> -> tile<f32>, token\n"
             "}\n",
             entry, load);
    TirModule *module = tir_parse_text(&diagnostics, "hints.mlir", text, strlen(text));
    cr_assert(module && tir_verify(&diagnostics, module) && !diagnostics.count, "%s", text);
    bool valid = tir_verify_hints(&diagnostics, module);
    cr_expect_eq(valid, !*expected, "%s", text);
    cr_expect_str_eq(diagnostics.count ? diagnostics.items[0].message : "", expected);
    if (diagnostics.count) cr_expect_eq(diagnostics.items[0].at.line, *entry ? 1 : 2);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
}

Test(verify_hints, names_and_ranges) {
    expect_hints("sm_100 = {num_cta_in_cga = 16, occupancy = 32}, default = {num_worker_warps_per_cta = 4}",
                 "sm_90 = {latency = 10}", "");
    expect_hints("sm_80 = {num_cta_in_cga = 1}", "", "");
    expect_hints("sm_100a = {occupancy = 1}", "", "hints for the unknown target sm_100a");
    expect_hints("sm_100 = {latency = 1}", "", "hint sm_100.latency is not known here");
    expect_hints("sm_100 = {occupancy = \"a\"}", "", "hint sm_100.occupancy is no integer");
    expect_hints("sm_100 = {occupancy = 33}", "", "hint sm_100.occupancy is 33, expected 1 to 32");
    expect_hints("sm_100 = {num_cta_in_cga = 6}", "",
                 "hint sm_100.num_cta_in_cga is 6, expected a power of two, 1 to 16");
    expect_hints("sm_86 = {num_cta_in_cga = 2}", "", "hint sm_86.num_cta_in_cga is 2, expected a power of two, 1 to 1");
    expect_hints("sm_86 = {num_worker_warps_per_cta = 0}", "",
                 "hint sm_86.num_worker_warps_per_cta is 0, expected a power of two, 1 to 32");
    expect_hints("", "sm_90 = {latency = -1}", "hint sm_90.latency is -1, expected 1 to 10");
    expect_hints("", "sm_90 = {allow_tma = true}", "hint sm_90.allow_tma is not known here");
}

static void expect_refused(const char *hints, const char *expected) {
    char text[1024];
    Diagnostics diagnostics = {0};
    snprintf(text, sizeof text, "entry @f() optimization_hints=<sm_100 = {a = %s}> { }", hints);
    TirModule *module = tir_parse_text(&diagnostics, "hints.mlir", text, strlen(text));
    cr_assert(module, "%s", text);
    cr_expect_eq(tir_verify(&diagnostics, module), !*expected, "%s", text);
    cr_expect_str_eq(diagnostics.count ? diagnostics.items[0].message : "", expected);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
}

Test(verify_hints, values_that_bytecode_has) {
    expect_refused("[1, true, 2.5]", "");
    expect_refused("{b = {c = \"x\"}, d = tile<4xf32>}", "");
    expect_refused("unit", "entry @f has the optimization hint 'sm_100.a', which has no value");
    expect_refused("{a={a={a={a={a={a={a={a={a={a={a={a={a={a = 1}}}}}}}}}}}}}}", "");
    expect_refused("{a={a={a={a={a={a={a={a={a={a={a={a={a={a={a = 1}}}}}}}}}}}}}}}",
                   "entry @f has the optimization hint 'sm_100.a', which nests too deeply");
}

// Arrays may hold anything, but for what has no tag.
Test(verify_hints, arrays_of_texts) {
    TirAttribute text = {.present = true, .tag = TIR_TAG_STRING, .text = "x", .length = 1};
    TirNamedAttribute hint = {"a", {.present = true, .tag = TIR_TAG_ARRAY, .items = &text, .length = 1}};
    TirNamedAttribute target = {"sm_100", {.present = true, .tag = TIR_TAG_DICTIONARY, .entries = &hint, .length = 1}};
    Diagnostics diagnostics = {0};
    TirModule *module = tir_parse_text(&diagnostics, "hints.mlir", "entry @f() { }", 14);
    module->functions[0].hints = (TirAttribute){.present = true, .tag = TIR_TAG_HINTS, .entries = &target, .length = 1};
    cr_expect(tir_verify(&diagnostics, module));
    text.tag = TIR_TAG_NONE;
    cr_expect(!tir_verify(&diagnostics, module));
    cr_expect_str_eq(diagnostics.items[0].message, "entry @f has the optimization hint 'sm_100.a', which has no value");
    tir_module_close(module);
    diagnostics_close(&diagnostics);
}
