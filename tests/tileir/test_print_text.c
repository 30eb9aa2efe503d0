// SPDX-License-Identifier: Apache-2.0
// Printing modules that no file gives: unverified ones, very long names, debug information in circles.
#include "verify_cases.h"

static TirModule *open_module(Case *c) {
    *c = (Case){.module = tir_module_open("text")};
    TirTypeInfo signature = {.kind = TIR_TYPE_function, .ptr_attr = -1};
    c->function = tir_function_add(c->module, "main", tir_type_intern(c->module, &signature), true);
    c->block = c->function->body.first;
    return c->module;
}

static void expect_printed(Case *c, bool locations, const char *expected) {
    Buffer out = {0};
    tir_print(c->module, locations, &out);
    cr_expect_str_eq(out.data, expected);
    buffer_free(&out);
    tir_module_close(c->module);
}

// What is missing is a question mark.
Test(print_text, unverified) {
    Case c;
    open_module(&c);
    TirValue bound = value_of(&c, "i32");
    add(&c, TIR_OP_for, NULL, VALUES(bound, bound, bound));
    static const int64_t extents[] = {TIR_DYNAMIC, 4};
    TirType type = tensor_view_type(&c, "f32", 2, extents, extents);
    TirValue base = value_of(&c, "*f32");
    add_typed(&c, TIR_OP_make_tensor_view, (uint32_t[]){1, 0, 0}, 1, &type, 1, &base);
    add(&c, TIR_OP_absf, "f32", VALUES(1000));
    set(add(&c, TIR_OP_maxi, "i32", VALUES(bound, bound)), "signedness", 7);
    expect_printed(
        &c, false,
        "entry @main() {\n"
        "  %cst_0_i32 = constant <i32: 0> : tile<i32>\n"
        "  for %? in (%cst_0_i32 to %cst_0_i32, step %cst_0_i32) : tile<i32> {\n"
        "  }\n"
        "  %cst_0_i64 = constant <i64: 0> : tile<i64>\n"
        "  %0 = int_to_ptr %cst_0_i64 : tile<i64> -> tile<ptr<f32>>\n"
        "  %tview = make_tensor_view %0, shape = [%?, 4], strides = [%?, 4] : tensor_view<?x4xf32, strides=[?,4]>\n"
        "  %1 = absf %? : tile<f32>\n"
        "  %2 = maxi %cst_0_i32, %cst_0_i32 7 : tile<i32>\n"
        "}\n");
}

// A name with an assume_ for each op of a long chain would make the text quadratic; such values are numbered.
Test(print_text, long_chains_of_assume) {
    enum { CHAIN = 5000 };
    Case c;
    open_module(&c);
    TirValue value = value_of(&c, "i32");
    for (int i = 0; i < CHAIN; i++)
        value = set_numbers(&c, add(&c, TIR_OP_assume, "i32", VALUES(value)), "predicate", TIR_TAG_DIV_BY, 0, 3,
                            (int64_t[]){2, -1, -1})
                    ->first_result;
    Buffer out = {0};
    tir_print(c.module, false, &out);
    cr_expect(strstr(out.data, "%assume_assume_cst_0_i32 = assume div_by<2>, %assume_cst_0_i32 : tile<i32>\n"));
    cr_expect(strstr(out.data, " = assume div_by<2>, %4900 : tile<i32>\n"));
    cr_expect_lt(out.size, 400 * 1000);
    buffer_free(&out);
    tir_module_close(c.module);
}

// Scopes that contain themselves, calls from themselves, references behind the table: printed once, as they are, or as
// unknown.
Test(print_text, debug_information_in_circles) {
    static const TirDebug rows[] = {
        {.tag = TIR_DEBUG_LEXICAL_BLOCK, .refs = {1, 0}, .line = 4},          // a block in itself
        {.tag = TIR_DEBUG_LOCATION, .refs = {1}, .name = "k.py", .line = 5},  // a location in it
        {.tag = TIR_DEBUG_CALL_SITE, .refs = {2, 3}},                         // a call from itself
        {.tag = TIR_DEBUG_LOCATION, .refs = {99}, .name = "k.py", .line = 5}, // a location in nothing
    };
    Case c;
    open_module(&c);
    c.module->debug = arena_array(&c.module->arena, TirDebug, BASE_COUNT(rows));
    memcpy(c.module->debug, rows, sizeof rows);
    c.module->debug_count = BASE_COUNT(rows);
    c.function->debug = 2;
    value_of(&c, "i32");
    c.block->last->debug = 3;
    value_of(&c, "i1");
    c.block->last->debug = 4;
    add(&c, TIR_OP_return, NULL, VALUES());
    Diagnostics diagnostics = {0};
    cr_expect(!tir_verify(&diagnostics, c.module));
    cr_expect(strstr(diagnostics.items[0].message, "has a location that leads back to itself"));
    diagnostics_close(&diagnostics);
    expect_printed(
        &c, true,
        "entry @main() {\n"
        "  %cst_0_i32 = constant <i32: 0> : tile<i32> loc(#loc4)\n"
        "  %false = constant <i1: false> : tile<i1> loc(#loc2)\n"
        "  return loc(#loc1)\n"
        "} loc(#loc3)\n"
        "#loc = loc(\"k.py\":5:0)\n"
        "#loc1 = loc(unknown)\n"
        "#di_lexical_block = #cuda_tile.di_lexical_block<scope = #di_lexical_block, file = #loc1, line = 4>\n"
        "#loc2 = #cuda_tile.di_loc<#loc in #loc1>\n"
        "#loc3 = #cuda_tile.di_loc<#loc in #di_lexical_block>\n"
        "#loc4 = loc(callsite(#loc3 at #loc4))\n");
}

// A file may say a thing twice, and refer to either; it is printed once.
Test(print_text, equal_debug_information_is_one) {
    static const TirDebug rows[] = {
        {.tag = TIR_DEBUG_FILE, .name = "k.py", .linkage_name = "/d"},
        {.tag = TIR_DEBUG_FILE, .name = "k.py", .linkage_name = "/d"},
        {.tag = TIR_DEBUG_COMPILE_UNIT, .refs = {1}},
        {.tag = TIR_DEBUG_COMPILE_UNIT, .refs = {2}},
        {.tag = TIR_DEBUG_SUBPROGRAM, .refs = {1, 4}, .name = "main", .linkage_name = "main", .line = 1},
        {.tag = TIR_DEBUG_SUBPROGRAM, .refs = {2, 3}, .name = "main", .linkage_name = "main", .line = 1},
        {.tag = TIR_DEBUG_LOCATION, .refs = {5}, .name = "k.py", .line = 5},
        {.tag = TIR_DEBUG_LOCATION, .refs = {6}, .name = "k.py", .line = 5},
    };
    Case c;
    open_module(&c);
    c.module->debug = arena_array(&c.module->arena, TirDebug, BASE_COUNT(rows));
    memcpy(c.module->debug, rows, sizeof rows);
    c.module->debug_count = BASE_COUNT(rows);
    c.function->debug = 7;
    value_of(&c, "i32");
    c.block->last->debug = 8;
    add(&c, TIR_OP_return, NULL, VALUES());
    c.block->last->debug = 7;
    Diagnostics diagnostics = {0};
    cr_expect(tir_verify(&diagnostics, c.module), "%s", diagnostics.items[0].message);
    diagnostics_close(&diagnostics);
    expect_printed(
        &c, true,
        "entry @main() {\n"
        "  %cst_0_i32 = constant <i32: 0> : tile<i32> loc(#loc1)\n"
        "  return loc(#loc1)\n"
        "} loc(#loc1)\n"
        "#di_file = #cuda_tile.di_file<\"k.py\" in \"/d\">\n"
        "#loc = loc(\"k.py\":5:0)\n"
        "#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>\n"
        "#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 1, name = \"main\", linkageName = "
        "\"main\", compileUnit = #di_compile_unit>\n"
        "#loc1 = #cuda_tile.di_loc<#loc in #di_subprogram>\n");
}

// One byte says what millions of bools are: it is not looked at for each of them.
Test(print_text, splats_of_bools, .timeout = 30) {
    enum { CONSTANTS = 1000 };
    Case c;
    Buffer out = {0};
    open_module(&c);
    for (int i = 0; i < CONSTANTS; i++) value_of(&c, "16777216xi1");
    tir_print(c.module, false, &out);
    cr_expect(strstr(out.data, "constant <i1: false> : tile<16777216xi1>"));
    buffer_free(&out);
    tir_module_close(c.module);
}
