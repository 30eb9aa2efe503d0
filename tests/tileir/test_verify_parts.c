// SPDX-License-Identifier: Apache-2.0
// Rules of blocks that have memory of their own and parts: functions, and the op block_operation.
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <string.h>

#define MEMORY      "%m: tile<ptr<i8>>"
#define KERNEL      "entry @k(" MEMORY ") memory<64> {\nreturn\n}\n"
#define INSIDE(ops) "entry @k(" MEMORY ") memory<64> {\n%n = constant <i64: 0> : tile<i64>\n" ops "\nreturn\n}\n"

static void expect_refused(const char *text, const char *message) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_parse_text(&diagnostics, "parts.mlir", text, strlen(text));
    cr_assert(module, "%s\n%s", text, diagnostics.count ? diagnostics.items[0].message : "");
    cr_expect_not(tir_verify(&diagnostics, module), "%s", text);
    if (diagnostics.count)
        cr_expect(strstr(diagnostics.items[0].message, message), "%s\n%s\n%s", text, diagnostics.items[0].message,
                  message);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
}

Test(verify_parts, functions) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"entry @k() memory<64> {\nreturn\n}\n", "entry @k has memory of the block, so its last argument has to be"},
        {"entry @k(%a: tile<ptr<i32>>) memory<64> {\nreturn\n}\n", "so its last argument has to be a tile<ptr<i8>>"},
        {"entry @k(" MEMORY ") memory<268435457> {\nreturn\n}\n", "at most 268435456 are possible"},
        {"entry @k(" MEMORY ") {\nreturn\n}\npart @p of @k(" MEMORY ") {\nreturn\n}\n",
         "part @p is a part of @k, which has no memory of the block"},
        {KERNEL "part @p of @k() {\nreturn\n}\n", "part @p has memory of the block, so its last argument has to be"},
        {KERNEL "part @p of @k(%x: tile<f32>, " MEMORY ") {\nreturn\n}\n",
         "part @p has argument 0 of tile<f32>, expected an integer or a pointer"},
        {KERNEL "part @p of @k(" MEMORY ") {\nreturn\n}\npart @q of @p(" MEMORY ") {\nreturn\n}\n",
         "part @q is a part of no entry before it"},
        {KERNEL "part @p of @k(" MEMORY ") {\nreturn\n}\nentry @q() {\nreturn\n}\n",
         "entry @q stands behind a part, expected before it"},
        {KERNEL "part @k of @k(" MEMORY ") {\nreturn\n}\n", "symbol @k is defined twice"},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) expect_refused(cases[i].text, cases[i].message);
}

Test(verify_parts, operations) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"entry @k() {\n%r, %t = block_operation \"fence\" of \"f\"() : () -> tile<i64>, token\nreturn\n}\n",
         "'block_operation' op stands in a function without memory of the block"},
        {INSIDE("%r, %t = block_operation \"fences\" of \"f\"() : () -> tile<i64>, token"),
         "names the operation 'fences', which does not exist"},
        {INSIDE("%r, %t = block_operation \"wait\" of \"f\"(%n) : (tile<i64>) -> tile<i64>, token"),
         "has 1 operands, 'wait' takes 2 to 2"},
        {INSIDE("%b = constant <i64: 0> : tile<4xi64>\n"
                "%r, %t = block_operation \"free\" of \"f\"(%b) : (tile<4xi64>) -> tile<i64>, token"),
         "operand 0 is no scalar"},
        {INSIDE("%b = constant <f32: 0.0> : tile<f32>\n"
                "%r, %t = block_operation \"free\" of \"f\"(%b) : (tile<f32>) -> tile<i64>, token"),
         "operands"},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) expect_refused(cases[i].text, cases[i].message);
}
