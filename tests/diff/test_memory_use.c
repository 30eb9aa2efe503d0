// SPDX-License-Identifier: Apache-2.0
// What a kernel may read and write, by what becomes of its pointers: too much is allowed, too little is not.
#include "diff/program.h"

#include <criterion/criterion.h>
#include <string.h>

// Of a kernel with the parameters a, b and c: 'r' and 'w' for each, '-' for neither.
static const char *use_of(Arena *arena, const char *body) {
    Diagnostics diagnostics = {0};
    const char *text =
        arena_format(arena,
                     "cuda_tile.module @m { entry @k(%%a: tile<ptr<f32>>, %%b: tile<ptr<f32>>, %%c: tile<ptr<f32>>, "
                     "%%turn: tile<i1>, %%x: tile<f32>) {\n%s\n  return } }\n",
                     body);
    TirModule *module = tir_parse_text(&diagnostics, "use.mlir", text, strlen(text));
    cr_assert(module && tir_verify(&diagnostics, module), "%s",
              diagnostics.count ? diagnostics.items[0].message : "not read");
    const FpdUse *uses = fpd_memory_use(arena, &module->functions[0]);
    Buffer out = {0};
    for (uint32_t p = 0; p < 3; p++)
        buffer_print(&out, "%s%s%s%s", p ? " " : "", uses[p].reads ? "r" : "", uses[p].writes ? "w" : "",
                     uses[p].reads || uses[p].writes ? "" : "-");
    const char *told = arena_format(arena, "%.*s", (int)out.size, (const char *)out.data);
    buffer_free(&out);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    return told;
}

#define STORE(pointer) "  %done = store_ptr_tko weak " pointer ", %x : tile<ptr<f32>>, tile<f32> -> token\n"

Test(memory_use, follows_pointers) {
    static const struct {
        const char *what, *body, *use;
    } cases[] = {
        {"a store", STORE("%a"), "w - -"},
        {"an atomic reads and writes",
         "  %old, %done = atomic_rmw_tko relaxed device %b, addf, %x : tile<ptr<f32>>, tile<f32> -> tile<f32>, token\n",
         "- rw -"},
        {"a choice is both", "  %p = select %turn, %a, %c : tile<i1>, tile<ptr<f32>>\n" STORE("%p"), "w - w"},
        {"addresses go round",
         "  %n = ptr_to_int %b : tile<ptr<f32>> -> tile<i64>\n"
         "  %p = int_to_ptr %n : tile<i64> -> tile<ptr<f32>>\n" STORE("%p"),
         "- w -"},
        {"computed addresses are any",
         "  %n = ptr_to_int %b : tile<ptr<f32>> -> tile<i64>\n  %m = addi %n, %n : tile<i64>\n"
         "  %p = int_to_ptr %m : tile<i64> -> tile<ptr<f32>>\n" STORE("%p"),
         "w w w"},
        {"out of an if, a loop, by break",
         "  %p = loop iter_values(%v = %a) : tile<ptr<f32>> -> tile<ptr<f32>> {\n    if %turn {\n"
         "      break %c : tile<ptr<f32>>\n    }\n    continue %v : tile<ptr<f32>>\n  }\n" STORE("%p"),
         "w - w"},
        {"memory of its own is nobody's", "  %p = alloca num_elem = 4, alignment = 16 : tile<ptr<f32>>\n" STORE("%p"),
         "- - -"},
        {"a return in an if", "  if %turn {\n    return\n  }\n" STORE("%a"), "w - -"},
    };
    Arena arena = {0};
    for (size_t i = 0; i < BASE_COUNT(cases); i++)
        cr_expect_str_eq(use_of(&arena, cases[i].body), cases[i].use, "%s: %s", cases[i].what,
                         use_of(&arena, cases[i].body));
    arena_reset(&arena);
}
