// SPDX-License-Identifier: Apache-2.0
// Texts that are not valid: one diagnostic each, at the line and column of what is wrong.
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ErrorCase {
    const char *text;
    uint32_t line, column;
    const char *message; // a part of it
    ErrorCode code;      // 0: E_TEXT
} ErrorCase;

static void expect_error(const ErrorCase *test) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_parse_text(&diagnostics, "case.mlir", test->text, strlen(test->text));
    cr_expect_null(module, "accepted: %s", test->text);
    cr_expect_eq(diagnostics.count, 1, "%zu diagnostics: %s", diagnostics.count, test->text);
    if (diagnostics.count) {
        const Diagnostic *found = &diagnostics.items[0];
        cr_expect(strstr(found->message, test->message), "\n  message  %s\n  expected %s\n%s", found->message,
                  test->message, test->text);
        cr_expect(found->at.line == test->line && found->at.column == test->column, "at %u:%u, expected %u:%u\n%s",
                  found->at.line, found->at.column, test->line, test->column, test->text);
        cr_expect_eq(found->code, test->code ? test->code : E_TEXT, "code %d: %s", (int)found->code, test->text);
        cr_expect_str_eq(found->at.file, "case.mlir");
    }
    tir_module_close(module);
    diagnostics_close(&diagnostics);
}

#define EXPECT_ERRORS(cases)                                                                                           \
    for (size_t i = 0; i < BASE_COUNT(cases); i++) expect_error(&cases[i])

Test(parse_errors, tokens) {
    static const ErrorCase cases[] = {
        {"entry @f() {\n  ;\n}", 2, 3, "a character that nothing begins with", 0},
        {"entry @\"f", 1, 7, "a string that does not end on its line", 0},
        {"entry @\"f\\q\"() {}", 1, 7, "an unknown escape", 0},
        {"entry @1() {}", 1, 7, "'@' without a name", 0},
        {"entry @f(% : tile<f32>) {}", 1, 10, "a sign without a name", 0},
        {"/ comment", 1, 1, "a character that nothing begins with", 0},
        {"entry @f() {", 1, 13, "the text ends, expected an op", 0},
        {"entry @\"a\\00b\"() {}", 1, 7, "a zero byte", 0},
    };
    EXPECT_ERRORS(cases);
}

Test(parse_errors, parts) {
    static const ErrorCase cases[] = {
        {"part @p(%m: tile<ptr<i8>>) {}", 1, 8, "expected 'of' and the entry", 0},
        {"part @p of @k(%m: tile<ptr<i8>>) {}", 1, 12, "there is no entry @k before its part", 0},
        {"part @p of k(%m: tile<ptr<i8>>) {}", 1, 12, "expected a symbol", 0},
        {"entry @k(%m: tile<ptr<i8>>) memory<x> {}", 1, 36, "expected the bytes of the block's memory", 0},
        {"entry @k(%m: tile<ptr<i8>>) memory {}", 1, 36, "expected '<'", 0},
        {"entry @k(%m: tile<ptr<i8>>) memory<1, even> {}", 1, 39, "expected 'uniform'", 0},
        {"entry @k(%m: tile<ptr<i8>>) memory<1> {}\npart @p of @k(%m: tile<ptr<i8>>) memory<1> {}", 2, 34,
         "expected '{'", 0},
    };
    EXPECT_ERRORS(cases);
}

Test(parse_errors, declarations) {
    static const ErrorCase cases[] = {
        {"entry f() {}", 1, 7, "found 'f', expected a symbol", 0},
        {"entry @f() -> tile<f32> {}", 1, 1, "entry @f returns values, expected none", 0},
        {"entry @f(%a: tile<f32>, %a: tile<f32>) {}", 1, 25, "%a is defined a second time, first on line 1", 0},
        {"entry @f() {} {other = 1}", 1, 16, "'other' is no attribute of a function", 0},
        {"entry @f() {\n  entry @g() {}\n}", 2, 3, "found 'entry', expected an op", 0},
        {"global @g <f32: 1.0> : f32", 1, 24, "a constant of type f32, expected a tile", 0},
        {"entry @f() optimization_hints=<sm_100 = {occupancy}> {}", 1, 42, "'occupancy' has no value", 0},
        {"global protected @g <f32: 1.0> : tile<1xf32>", 1, 8, "expected a symbol", 0},
        {"module @m {\n  entry @f() {}\n", 3, 1, "the text ends", 0},
        {"}", 1, 1, "expected a declaration or an op", 0},
        {"\"cuda_tile.testing$func\"() ({ }) {function_type = () -> (), sym_name = \"f\"} : () -> ()", 1, 1,
         "has no block, expected one", 0},
        {"\"cuda_tile.entry\"() <{sym_name = \"f\"}> ({ ^bb0: }) : () -> ()", 1, 1, "has no function_type", 0},
    };
    EXPECT_ERRORS(cases);
}

Test(parse_errors, types) {
    static const ErrorCase cases[] = {
        {"entry @f(%a: tile<3xf32>) {}", 1, 14, "tile dimension 0 is 3, expected a power of two", 0},
        {"entry @f(%a: tile<4x?xf32>) {}", 1, 21, "found '?', expected a size", 0},
        {"entry @f(%a: tile<4 x f32>) {}", 1, 21, "expected 'x' and the next size", 0},
        {"entry @f(%a: tile<99999999999999999999xf32>) {}", 1, 19, "does not fit in 64 bits", 0},
        {"entry @f(%a: tile<1000000000x1000000000xf32>) {}", 1, 14, "tile dimension 0 is 1000000000", 0},
        {"entry @f(%a: tile<16777216x2xf32>) {}", 1, 14, "tile has more than 16777216 elements", 0},
        {"entry @f(%a: tile<4xi28>) {}", 1, 21, "found 'i28', expected a type", 0},
        {"entry @f(%a: tensor<4xf32>) {}", 1, 14, "found 'tensor', expected a type", 0},
        {"entry @f(%a: tensor_view<4xf32>) {}", 1, 31, "expected ',' and the strides", 0},
        {"entry @f(%a: tensor_view<4x4xf32, strides=[1]>) {}", 1, 35, "1 strides for 2 dimensions", 0},
        {"entry @f(%a: tensor_view<4xf32, strides=[0]>) {}", 1, 42, "0 is out of range", 0},
        {"entry @f(%a: partition_view<tile=(4), padding_value = red, tensor_view<4xf32, strides=[1]>>) {}", 1, 55,
         "expected a padding (zero", 0},
        {"entry @f(%a: partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>, dim_map=[0]>) {}", 1, 78,
         "dim_map has 1 entries for a tile of rank 2", 0},
        {"!t = tile<f32>\n!t = tile<f64>", 2, 1, "!t is defined a second time", 0},
        {"entry @f(%a: !t) {}", 1, 14, "found '!t', expected a type", 0},
        {"entry @f(%a: tile<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {}", 1, 83,
         "more than 32 dimensions", E_LIMIT},
    };
    EXPECT_ERRORS(cases);
}

#define BODY(ops) "entry @f(%a: tile<i32>, %b: tile<f32>) {\n" ops "\n}"

Test(parse_errors, values_and_operands) {
    static const ErrorCase cases[] = {
        {BODY("%0 = addi %a, %c : tile<i32>"), 2, 15, "%c is not defined here", 0},
        {BODY("%0 = addi %0, %a : tile<i32>"), 2, 11, "%0 is not defined here", 0},
        {BODY("%0 = addi %a, %b : tile<i32>"), 2, 15, "%b is tile<f32>, but the op takes it as tile<i32>", 0},
        {BODY("%0 = addi %a, %a : tile<i64>"), 2, 11, "%a is tile<i32>, but the op takes it as tile<i64>", 0},
        {BODY("%a = addi %a, %a : tile<i32>"), 2, 1, "%a is defined a second time, first on line 1", 0},
        {BODY("%0:2 = addi %a, %a : tile<i32>"), 2, 8, "addi has 1 results, but 2 are named", 0},
        {BODY("%0:0 = addi %a, %a : tile<i32>"), 2, 4, "a number of results that no op has", 0},
        {BODY("%0 = addi %a#1, %a : tile<i32>"), 2, 13, "%a has 1 values, there is no #1", 0},
        {BODY("%0 = addi %a, %a overflow<wrap> : tile<i32>"), 2, 27,
         "found 'wrap', expected overflow (none, no_signed_wrap", 0},
        {BODY("%0 = maxf %b, %b propagate_nan propagate_nan : tile<f32>"), 2, 32, "found 'propagate_nan', expected ':'",
         0},
        {BODY("%0 = select %b, %a, %a : tile<f32>"), 2, 35, "found '}', expected ','", 0},
        {BODY("frobnicate %a"), 2, 1, "found 'frobnicate', expected an op", 0},
        {BODY("yield %a : tile<i32>, tile<i32>"), 2, 1, "yield has 1 values, but the text has 2 types", 0},
        {BODY("if %a {}"), 2, 4, "%a is tile<i32>, but the op takes it as tile<i1>", 0},
        {BODY("%c = constant <i1: true> : tile<i1>\nif %c { %x = addi %a, %a : tile<i32> }\nprint_tko \"%i\", %x : "
              "tile<i32> -> token"),
         4, 17, "%x is not defined here", 0},
        {BODY("for %i in (%a to %a, step %a) : tile<i32> iter_values(%x = %a) -> (tile<i32>, tile<i32>) {}"), 2, 1,
         "for carries 1 values, but the text has 2 types", 0},
        {BODY("%v = make_partition_view %a : tile<i32>"), 2, 31, "makes tile<i32>, expected a partition_view", 0},
    };
    EXPECT_ERRORS(cases);
}

Test(parse_errors, constants) {
    static const ErrorCase cases[] = {
        {BODY("%0 = constant <i8: 256> : tile<i8>"), 2, 20, "the number 256 does not fit in i8", 0},
        {BODY("%0 = constant <i8: -129> : tile<i8>"), 2, 20, "the number -129 does not fit in i8", 0},
        {BODY("%0 = constant <i8: true> : tile<i8>"), 2, 20, "found 'true', expected an integer", 0},
        {BODY("%0 = constant <f32: 1> : tile<f32>"), 2, 21, "expected a float with a point", 0},
        {BODY("%0 = constant <f32: -0x1> : tile<f32>"), 2, 22, "expected a float with a point", 0},
        {BODY("%0 = constant <f16: 0x12345> : tile<f16>"), 2, 21, "the bits do not fit in f16", 0},
        {BODY("%0 = constant <f8E8M0FNU: -1.0> : tile<f8E8M0FNU>"), 2, 27, "-1.0 is no number of f8E8M0FNU", 0},
        {BODY("%0 = constant <f8E8M0FNU: 0.0> : tile<f8E8M0FNU>"), 2, 27, "0.0 is no number of f8E8M0FNU", 0},
        {BODY("%0 = constant <i32: [[1, 2], [3]]> : tile<2x2xi32>"), 2, 30, "a list of 1, but one beside it has 2", 0},
        {BODY("%0 = constant <i32: [1, [2]]> : tile<2xi32>"), 2, 26, "a number 2 lists deep, others are 1 deep", 0},
        {BODY("%0 = constant <i32: [1, 2]> : tile<4xi32>"), 2, 31, "the lists have the shape 2, but the type", 0},
        {BODY("%0 = constant <i32: [1]> : tile<i32>"), 2, 28, "the lists have the shape 1, but the type", 0},
        {BODY("%0 = constant <i32: 1> : tile<i64>"), 2, 26, "the numbers are i32, but the type is tile<i64>", 0},
        {BODY("%0 = constant <i4: 1> : tile<i4>"), 2, 16, "expected numbers other than i4", 0},
        {BODY("%0 = constant <i32: []> : tile<1xi32>"), 2, 22, "expected an integer", 0},
        {BODY("%0 = constant <i64: 9223372036854775808> : tile<i64>"), 2, 21, "does not fit in 64 bits with a sign", 0},
    };
    EXPECT_ERRORS(cases);
}

Test(parse_errors, generic_form) {
    static const ErrorCase cases[] = {
        {BODY("%0 = \"cuda_tile.addi\"(%a) : (tile<i32>) -> tile<i32>"), 2, 6, "addi has 1 operands, expected 2", 0},
        {BODY("%0 = \"cuda_tile.addi\"(%a, %a) : (tile<i32>) -> tile<i32>"), 2, 33, "1 types for 2 operands", 0},
        {BODY("%0 = \"cuda_tile.addi\"(%a, %b) : (tile<i32>, tile<i32>) -> tile<i32>"), 2, 27, "takes it as tile<i32>",
         0},
        {BODY("%0 = \"cuda_tile.nothing\"(%a) : (tile<i32>) -> tile<i32>"), 2, 6, "expected an op", 0},
        {BODY("%0 = \"cuda_tile.addi\"(%a, %a) <{colour = 1 : i32}> : (tile<i32>, tile<i32>) -> tile<i32>"), 2, 33,
         "addi has no attribute 'colour'", 0},
        {BODY("%0 = \"cuda_tile.addi\"(%a, %a) <{overflow = 9 : i32}> : (tile<i32>, tile<i32>) -> tile<i32>"), 2, 44,
         "no value of overflow", 0},
        {BODY("%0 = \"cuda_tile.constant\"() <{value = {}}> : () -> tile<i32>"), 2, 39, "expected 'dense'", 0},
        {BODY("%0 = \"cuda_tile.constant\"() <{value = dense{}}> : () -> tile<i32>"), 2, 44, "expected '<'", 0},
        {BODY("%0 = constant <i16: \"0x01020304\"> : tile<4xi16>"), 2, 37,
         "4 bytes, but tile<4xi16> has 4 elements of 2", 0},
        {BODY("%0 = constant <i16: \"0x01\"> : tile<i16>"), 2, 31, "1 bytes, but tile<i16> has 1 elements of 2", 0},
        {BODY("%0 = constant <i16: \"0x012\"> : tile<i16>"), 2, 21, "not 0x and the bytes", 0},
        {BODY("%0 = constant <i16: \"0x\"> : tile<i16>"), 2, 21, "not 0x and the bytes", 0},
        {BODY("%0 = constant <i16: \"0x0G\"> : tile<i16>"), 2, 21, "not 0x and the bytes", 0},
        {BODY("%0 = constant <i16: [\"0x01\"]> : tile<i16>"), 2, 22, "expected an integer", 0},
        {BODY("%0 = constant <i1: \"0x0002\"> : tile<2xi1>"), 2, 32,
         "element 1 of a constant of bools is neither 00 nor 01", 0},
        {BODY("\"cuda_tile.if\"(%a) ({ \"cuda_tile.yield\"() : () -> () }"), 2, 20, "does not end", 0},
        {BODY("%t = \"cuda_tile.load_ptr_tko\"(%a) : (tile<i32>) -> tile<i32>"), 2, 6, "needs operandSegmentSizes", 0},
        {BODY("%t = \"cuda_tile.load_ptr_tko\"(%a) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tile<i32>) -> "
              "tile<i32>"),
         2, 6, "operandSegmentSizes does not fit 1 operands", 0},
    };
    EXPECT_ERRORS(cases);
}

#define SCOPE                                                                                                          \
    "#f = #cuda_tile.di_file<\"f\" in \"/\">\n#l = #cuda_tile.di_loc<loc(\"f\":1:2) in "                               \
    "#cuda_tile.di_subprogram<file = #f, line = 1, name = \"g\", linkageName = \"g\", compileUnit = "                  \
    "#cuda_tile.di_compile_unit<file = #f>>>\n"

Test(parse_errors, locations_and_aliases) {
    static const ErrorCase cases[] = {
        {"entry @f() {} loc(#nowhere)", 1, 19, "#nowhere is the name of no location", 0},
        {"#a = loc(\"f.py\":1:2)\n#a = loc(unknown)", 2, 1, "#a is defined a second time", 0},
        {"#f = #cuda_tile.di_file<\"f.py\" in \"/\">\nentry @f() {} loc(#f)", 2, 19, "expected a location", 0},
        {"#u = #cuda_tile.di_compile_unit<line = 1>", 1, 33, "'line' is no field of this attribute", 0},
        {"#u = #cuda_tile.di_compile_unit<>", 1, 32, "'file' is missing", 0},
        {"#f = #cuda_tile.di_file<\"f.py\" in \"/\">\n#l = #cuda_tile.di_loc<loc(\"f.py\":1:2) in #f>", 2, 43,
         "found other debug info, expected a subprogram or block", 0},
        {"#l = loc(\"f.py\":1)", 1, 18, "found ')', expected ':'", 0},
        {"#a = [1, 2]", 1, 6, "an alias of a list", 0},
        {SCOPE "global @g <f32: 1.0> : tile<1xf32> loc(#l)", 3, 40, "a location with a scope", 0},
        {"global @g <f32: 1.0> : tile<1xf32> loc(#l)\n" SCOPE, 1, 40, "a location with a scope", 0},
    };
    EXPECT_ERRORS(cases);
}

// Each kind of nesting stops at a limit, whatever its depth.
Test(parse_errors, nesting_is_bounded) {
    static const struct {
        const char *head, *repeated;
        ErrorCode code;
    } cases[] = {
        {"entry @f(%c: tile<i1>) {\n", "if %c {\n", E_LIMIT},
        {"entry @f(%c: ", "tile<", E_LIMIT},
        {"entry @f(%c: ", "(", E_LIMIT},
        {"entry @f() optimization_hints=<a=", "{a=", E_LIMIT},
        {"entry @f() { %0 = constant <f32: ", "[", E_LIMIT},
        {"#a = ", "loc(callsite(", E_LIMIT},
        {"#a = ", "#cuda_tile.di_lexical_block<scope = ", E_LIMIT},
        {"", "module {", E_LIMIT},
        {"entry @f(%c: tile<i1>) {\n", "\"cuda_tile.if\"(%c) ({\n", E_TEXT}, // the list of regions does not end
    };
    enum { DEPTH = 20000 };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Buffer text = {0};
        Diagnostics diagnostics = {0};
        buffer_print(&text, "%s", cases[i].head);
        for (int n = 0; n < DEPTH; n++) buffer_print(&text, "%s", cases[i].repeated);
        cr_expect_null(tir_parse_text(&diagnostics, "deep.mlir", text.data, text.size), "%s", cases[i].repeated);
        cr_expect(diagnostics.count == 1 && diagnostics.items[0].code == cases[i].code, "%s: %zu, %s",
                  cases[i].repeated, diagnostics.count, diagnostics.count ? diagnostics.items[0].message : "");
        diagnostics_close(&diagnostics);
        buffer_free(&text);
    }
}
