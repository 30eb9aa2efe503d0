// SPDX-License-Identifier: Apache-2.0
// The forms that a text may have beside the one that is printed: each case parses, verifies, and prints as expected.
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static TirModule *parse_valid(const char *text) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_parse_text(&diagnostics, "case.mlir", text, strlen(text));
    if (module) tir_verify(&diagnostics, module);
    cr_assert(module && !diagnostics.count, "%u:%u: %s\n%s", diagnostics.count ? diagnostics.items[0].at.line : 0,
              diagnostics.count ? diagnostics.items[0].at.column : 0,
              diagnostics.count ? diagnostics.items[0].message : "no diagnostic", text);
    diagnostics_close(&diagnostics);
    return module;
}

static void expect_print(const char *text, bool locations, const char *expected) {
    TirModule *module = parse_valid(text);
    Buffer printed = {0};
    buffer_print(&printed, "%s", "");
    tir_print(module, locations, &printed);
    cr_expect_str_eq(printed.data, expected);
    buffer_free(&printed);
    tir_module_close(module);
}

Test(parse_forms, prefixes_modules_and_comments) {
    static const char expected[] = "entry @f(%arg0: tile<i32>) {\n"
                                   "  %0 = addi %arg0, %arg0 : tile<i32>\n"
                                   "  return\n"
                                   "}\n";
    static const char *const texts[] = {
        "entry @f(%a: tile<i32>) { %x = addi %a, %a : tile<i32> return }",
        "entry @f(%a: tile<i32>) { %x = addi %a, %a : tile<i32> }", // the return is added
        "cuda_tile.module @m { cuda_tile.entry @f(%a: !cuda_tile.tile<i32>) {\n"
        "  %x = cuda_tile.addi %a, %a overflow<none> : !cuda_tile.tile<i32>\n  cuda_tile.return\n} }",
        "// before\nmodule @m {\n// inside\nentry @f(%a: tile<i32> loc(unknown)) {\n%x=addi%a,%a:tile<i32>//end\n}}",
        "!t = tile<i32>\nentry @\"f\"(%a: !t) { %x = addi %a, %a : !t }",
        "\"builtin.module\"() ({ entry @f(%a: tile<i32>) { %x = addi %a, %a : tile<i32> } }) : () -> ()",
        "\"cuda_tile.entry\"() <{function_type = (tile<i32>) -> (), sym_name = \"f\"}> ({\n^bb0(%a: tile<i32>):\n"
        "  %x = \"cuda_tile.addi\"(%a, %a) <{overflow = #cuda_tile.overflow<none>}> : (tile<i32>, tile<i32>) -> "
        "tile<i32>\n"
        "  \"cuda_tile.return\"() : () -> ()\n}) : () -> ()",
    };
    for (size_t i = 0; i < BASE_COUNT(texts); i++) expect_print(texts[i], false, expected);
}

Test(parse_forms, scopes) {
    expect_print("entry @f(%c: tile<i1>) {\n"
                 "  if %c { %x = constant <i32: 1> : tile<i32> } else { %x = constant <i32: 2> : tile<i32> }\n"
                 "  %x = constant <i32: 3> : tile<i32>\n"
                 "  %r:2 = loop iter_values(%c2 = %c, %n = %x) : tile<i1>, tile<i32> -> tile<i1>, tile<i32> {\n"
                 "    break %c2, %n : tile<i1>, tile<i32>\n"
                 "  }\n"
                 "  if %r#0 { }\n"
                 "}\n"
                 "entry @g(%c: tile<i1>) { }",
                 false,
                 "entry @f(%arg0: tile<i1>) {\n"
                 "  if %arg0 {\n"
                 "    %cst_1_i32 = constant <i32: 1> : tile<i32>\n"
                 "  } else {\n"
                 "    %cst_2_i32 = constant <i32: 2> : tile<i32>\n"
                 "  }\n"
                 "  %cst_3_i32 = constant <i32: 3> : tile<i32>\n"
                 "  %0:2 = loop iter_values(%arg1 = %arg0, %arg2 = %cst_3_i32) : tile<i1>, tile<i32> -> tile<i1>, "
                 "tile<i32> {\n"
                 "    break %arg1, %arg2 : tile<i1>, tile<i32>\n"
                 "  }\n"
                 "  if %0#0 {\n"
                 "  }\n"
                 "  return\n"
                 "}\n"
                 "entry @g(%arg0: tile<i1>) {\n"
                 "  return\n"
                 "}\n");
}

// The text of the constant that the literal and the type make.
static void expect_constant(const char *literal, const char *type, const char *expected) {
    char text[1024], start[1024];
    snprintf(text, sizeof text, "entry @f() { %%x = constant <%s> : %s }", literal, type);
    TirModule *module = parse_valid(text);
    Buffer printed = {0};
    tir_print(module, false, &printed);
    const char *at = strstr(printed.data, "constant ");
    cr_assert(at);
    snprintf(start, sizeof start, "constant <%s> : %s\n", expected, type);
    cr_expect(!strncmp(at, start, strlen(start)), "%s:\n%sexpected %s", literal, printed.data, start);
    buffer_free(&printed);
    tir_module_close(module);
}

Test(parse_forms, constants) {
    expect_constant("i32: 0x12345678", "tile<i32>", "i32: 305419896");
    expect_constant("i8: 0xFF", "tile<i8>", "i8: -1");
    expect_constant("i64: -9223372036854775808", "tile<i64>", "i64: -9223372036854775808");
    expect_constant("i1: 1", "tile<i1>", "i1: true");
    expect_constant("i1: true", "tile<4xi1>", "i1: true");
    expect_constant("i1: [true, false, true, false]", "tile<4xi1>", "i1: [true, false, true, false]");
    expect_constant("i1: true", "tile<64xi1>", "i1: true");
    expect_constant("i32: [[1, 2], [3, 4]]", "tile<2x2xi32>", "i32: [[1, 2], [3, 4]]");
    expect_constant("i32: [[7, 7], [7, 7]]", "tile<2x2xi32>", "i32: 7");
    expect_constant("f32: 1.", "tile<f32>", "f32: 1.000000e+00");
    expect_constant("f32: 0x7F800000", "tile<f32>", "f32: 0x7F800000");
    expect_constant("f16: 70000.0", "tile<f16>", "f16: 0x7C00");
    expect_constant("f32: -1.0e+40", "tile<f32>", "f32: 0xFF800000");
    expect_constant("f32: 1.0e-46", "tile<f32>", "f32: 0.000000e+00");
    expect_constant("f32: 1.401298464324817e-45", "tile<f32>", "f32: 1.401300e-45");
    expect_constant("f16: -0.0", "tile<f16>", "f16: -0.000000e+00");
    expect_constant("tf32: 3.14", "tile<tf32>", "tf32: 3.140630e+00");
    expect_constant("bf16: 3.14", "tile<bf16>", "bf16: 3.140630e+00");
    expect_constant("f8E4M3FN: 1000.0", "tile<f8E4M3FN>", "f8E4M3FN: 0x7F");
    expect_constant("f8E8M0FNU: 3.0", "tile<f8E8M0FNU>", "f8E8M0FNU: 4.000000e+00"); // a tie goes to the even exponent
    expect_constant("f4E2M1FN: [100.0, 0x4]", "tile<2xf4E2M1FN>", "f4E2M1FN: [6.000000e+00, 2.000000e+00]");
    expect_constant("i16: \"0x01000280\"", "tile<2xi16>", "i16: [1, -32766]");
    expect_constant("i16: \"0x0100\"", "tile<2xi16>", "i16: 1");
    expect_constant("i1: \"0x01000001\"", "tile<2x2xi1>", "i1: [[true, false], [false, true]]");
    expect_constant("tf32: \"0x00fc01\"", "tile<tf32>", "tf32: 1.000000e+00");
}

// As the disassembler prints more than a hundred elements that are not all equal.
static void expect_bytes(const char *kind, size_t width, size_t elements) {
    static const char digits[] = "0123456789ABCDEF";
    char literal[1024], type[32];
    int at = snprintf(literal, sizeof literal, "%s: \"0x", kind);
    for (size_t i = 0; i < elements * width; i++) {
        literal[at++] = kind[0] == 'f' ? '8' : '0'; // of f4E2M1FN a bit that it does not use
        literal[at++] = digits[width == 1 ? i / 3 % 2 : i / 7 % 16];
    }
    snprintf(literal + at, sizeof literal - (size_t)at, "\"");
    snprintf(type, sizeof type, "tile<%zux%s>", elements, kind);
    expect_constant(literal, type, literal);
}

Test(parse_forms, large_constants_are_bytes) {
    expect_bytes("i1", 1, 128);
    expect_bytes("f16", 2, 128);
    expect_bytes("f4E2M1FN", 1, 256);
    expect_bytes("tf32", 3, 128);
    expect_constant("i8: 7", "tile<128xi8>", "i8: 7");
}

// An entry's hints are printed if there are any, an op's always.
Test(parse_forms, empty_hints) {
    static const char text[] = "entry @f(%arg0: tile<ptr<f32>>) {\n"
                               "  %result, %result_token = load_ptr_tko weak %arg0 optimization_hints = <> : "
                               "tile<ptr<f32>> -> tile<f32>, token\n"
                               "  return\n"
                               "}\n";
    expect_print(text, false, text);
}

Test(parse_forms, empty_hints_of_an_entry) {
    TirModule *module = parse_valid("entry @f() {\n  return\n}\n");
    module->functions[0].hints.present = true;
    Buffer printed = {0};
    tir_print(module, false, &printed);
    cr_expect_str_eq(printed.data, "entry @f() {\n  return\n}\n");
    buffer_free(&printed);
    tir_module_close(module);
}

Test(parse_forms, optional_parts) {
    expect_print("entry @f(%p: tile<ptr<f32>>, %a: tile<f32>, %m: tile<i1>) optimization_hints=<> {\n"
                 "  %t0 = make_token : token\n"
                 "  %0 = maxf %a, %a propagate_nan flush_to_zero : tile<f32>\n"
                 "  %v, %t = load_ptr_tko relaxed device %p, %m, %a token = %t0 : tile<ptr<f32>>, tile<i1>, tile<f32> "
                 "-> tile<f32>, token\n"
                 "  print \"\\0A%f\", %v token=%t : tile<f32> -> token\n"
                 "  %q = pow %a, %a : tile<f32>\n"
                 "}",
                 false,
                 "entry @f(%arg0: tile<ptr<f32>>, %arg1: tile<f32>, %arg2: tile<i1>) {\n"
                 "  %0 = make_token : token\n"
                 "  %1 = maxf %arg1, %arg1 flush_to_zero propagate_nan : tile<f32>\n"
                 "  %result, %result_token = load_ptr_tko relaxed device %arg0, %arg2, %arg1 token=%0 : "
                 "tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token\n"
                 "  %2 = print_tko \"\\0A%f\", %result token=%result_token : tile<f32> -> token\n"
                 "  %3 = fpowf %arg1, %arg1 : tile<f32>\n"
                 "  return\n"
                 "}\n");
}

// Without the other one, mask and padding of a load look the same but for their types.
Test(parse_forms, mask_or_padding) {
    static const char text[] =
        "entry @f(%arg0: tile<ptr<f32>>, %arg1: tile<f32>, %arg2: tile<i1>, %arg3: tile<ptr<i1>>) {\n"
        "  %result, %result_token = load_ptr_tko weak %arg0, %arg1 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token\n"
        "  %result_0, %result_token_1 = load_ptr_tko weak %arg0, %arg2 : tile<ptr<f32>>, tile<i1> -> tile<f32>, token\n"
        "  %result_2, %result_token_3 = load_ptr_tko weak %arg3, %arg2 : tile<ptr<i1>>, tile<i1> -> tile<i1>, token\n"
        "  return\n"
        "}\n";
    expect_print(text, false, text);
    TirModule *module = parse_valid(text);
    const TirOp *op = module->functions[0].body.first->first;
    static const uint32_t segments[][4] = {{1, 0, 1, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}};
    for (size_t i = 0; i < BASE_COUNT(segments); i++, op = op->next)
        for (uint32_t s = 0; s < 4; s++) cr_expect_eq(op->segments[s], segments[i][s], "load %zu, operand %u", i, s);
    tir_module_close(module);
}

Test(parse_forms, locations) {
    static const char printed[] = "entry @f() {\n"
                                  "  return loc(#loc3)\n"
                                  "} loc(#loc2)\n"
                                  "#di_file = #cuda_tile.di_file<\"a.py\" in \"/d\">\n"
                                  "#loc = loc(\"a.py\":1:2)\n"
                                  "#loc1 = loc(\"a.py\":3:4)\n"
                                  "#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>\n"
                                  "#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 1, name = \"f\", "
                                  "linkageName = \"f\", compileUnit = #di_compile_unit>\n"
                                  "#loc2 = #cuda_tile.di_loc<#loc in #di_subprogram>\n"
                                  "#loc3 = #cuda_tile.di_loc<#loc1 in #di_subprogram>\n";
    expect_print(printed, true, printed); // aliases behind their use
    expect_print("#u = #cuda_tile.di_compile_unit<file = #cuda_tile.di_file<\"a.py\" in \"/d\">>\n"
                 "#s = #cuda_tile.di_subprogram<compileUnit = #u, name = \"f\", linkageName = \"f\", line = 1, file = "
                 "#cuda_tile.di_file<\"a.py\" in \"/d\">>\n"
                 "#l = loc(\"a.py\":1:2)\n"
                 "entry @f() {\n  return loc(#cuda_tile.di_loc<loc(\"a.py\":3:4) in #s>)\n"
                 "} loc(\"named\"(#cuda_tile.di_loc<loc(#l) in #s>))",
                 true, printed);
    TirModule *module = parse_valid(printed);
    const TirOp *end = module->functions[0].body.first->last;
    cr_expect(end->at.line == 3 && end->at.column == 4 && !strcmp(end->at.file, "a.py"));
    tir_module_close(module);
    module = parse_valid("entry @f() {\n  %x = constant <i32: 1> : tile<i32>\n  return loc(\"b.py\":7:8)\n}");
    const TirBlock *body = module->functions[0].body.first;
    cr_expect(body->first->at.line == 2 && body->first->at.column == 8 && !strcmp(body->first->at.file, "case.mlir"));
    cr_expect(body->last->at.line == 7 && !body->last->debug); // a plain place is no debug info
    tir_module_close(module);
}

Test(parse_forms, testing_modules) {
    TirModule *module = parse_valid("%0 = constant <f32: 1.0> : tile<2xf32>\n"
                                    "testing$func @f(%a: ptr<f32>, %b: tile<f32>) -> (tile<f32>, tile<f32>) {\n"
                                    "  %x = \"my.op\"(%b) : (tile<f32>) -> tile<f32>\n"
                                    "  return %x, %b : tile<f32>, tile<f32>\n"
                                    "}\n");
    Diagnostics diagnostics = {0};
    cr_expect(module->testing && module->function_count == 2);
    cr_expect(!tir_is_self_contained(&diagnostics, module));
    cr_expect(diagnostics.count == 1 && diagnostics.items[0].code == E_TEXT);
    Buffer once = {0}, twice = {0};
    tir_print(module, false, &once);
    TirModule *again = parse_valid(once.data);
    tir_print(again, false, &twice);
    cr_expect_str_eq(once.data, twice.data);
    tir_module_close(module);
    tir_module_close(again);
    buffer_free(&once);
    buffer_free(&twice);
    diagnostics_close(&diagnostics);
}

Test(parse_forms, empty_texts) {
    expect_print("", false, "\n");
    expect_print("cuda_tile.module @kernels {\n}", true, "\n#loc = loc(unknown)\n");
    expect_print("module attributes {producer = \"maker\"} { }", false, "// Producer: maker\n\n");
    expect_print("// Producer: maker 1.0\nentry @f() {}", false, "// Producer: maker 1.0\nentry @f() {\n  return\n}\n");
    expect_print("module @m attributes {producer = \"maker 1.0\"} { entry @f() {} }", false,
                 "// Producer: maker 1.0\nentry @f() {\n  return\n}\n");
}

// The extents of a tensor without dimensions, which NVIDIA's disassembler dies on.
Test(parse_forms, no_extents) {
    static const char text[] = "entry @f(%arg0: tile<ptr<f32>>) {\n"
                               "  %tview = make_tensor_view %arg0, shape = [], strides = [] : tensor_view<f32>\n"
                               "  get_tensor_shape %tview : tensor_view<f32> -> tile<i32>\n"
                               "  return\n"
                               "}\n";
    expect_print(text, false, text);
}
