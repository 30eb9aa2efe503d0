// SPDX-License-Identifier: Apache-2.0
// Modules as programs: what is said of parameters, accesses, constants and globals. What a kernel may read and write:
// too much is allowed, too little is not.
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <string.h>

// Of the first three parameters: 'r' and 'w' for each, '-' for neither.
static const char *uses_text(Arena *arena, const ProgramParameter *parameters) {
    Buffer out = {0};
    for (uint32_t p = 0; p < 3; p++)
        buffer_print(&out, "%s%s%s%s", p ? " " : "", parameters[p].use.reads ? "r" : "",
                     parameters[p].use.writes ? "w" : "",
                     parameters[p].use.reads || parameters[p].use.writes ? "" : "-");
    const char *told = arena_format(arena, "%.*s", (int)out.size, (const char *)out.data);
    buffer_free(&out);
    return told;
}

// Of a kernel with the parameters a, b and c.
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
    const char *told = uses_text(arena, tir_program(module)->kernels[0].parameters);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    return told;
}

#define STORE(pointer) "  %done = store_ptr_tko weak " pointer ", %x : tile<ptr<f32>>, tile<f32> -> token\n"

Test(describe_program, follows_pointers) {
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

static TirModule *parse_valid(const char *text) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_parse_text(&diagnostics, "program.mlir", text, strlen(text));
    cr_assert(module && tir_verify(&diagnostics, module), "%s",
              diagnostics.count ? diagnostics.items[0].message : "not read");
    diagnostics_close(&diagnostics);
    return module;
}

Test(describe_program, parameters_are_numbers_or_point_to_them) {
    TirModule *module =
        parse_valid("cuda_tile.module @m { entry @k(%a: tile<ptr<f16>>, %n: tile<i32>, %x: tile<f64>, "
                    "%p: tile<ptr<f8E8M0FNU>>, %t: tile<fnv8E5M3FNU>) { return } entry @second() { return } }");
    static const struct {
        bool pointer;
        ElementType type;
    } expected[] = {
        {true, ELEMENT_F16},       {false, ELEMENT_I32},         {false, ELEMENT_F64},
        {true, ELEMENT_F8E8M0FNU}, {false, ELEMENT_FNV8E5M3FNU},
    };
    const Program *program = tir_program(module);
    cr_assert_eq(program->kernel_count, 2);
    cr_expect_str_eq(program->kernels[0].name, "k");
    cr_expect_str_eq(program->kernels[1].name, "second");
    cr_assert_eq(program->kernels[0].parameter_count, BASE_COUNT(expected));
    for (size_t i = 0; i < BASE_COUNT(expected); i++) {
        cr_expect_eq(program->kernels[0].parameters[i].pointer, expected[i].pointer, "%zu", i);
        cr_expect_eq(program->kernels[0].parameters[i].type, expected[i].type, "%zu", i);
    }
    tir_program_close(program);
}

Test(describe_program, accesses_through_views_have_tiles_and_sizes) {
    TirModule *module = parse_valid(
        "cuda_tile.module @m { entry @k(%a: tile<ptr<f32>>, %n: tile<i32>) {\n"
        "  %m = exti %n unsigned : tile<i32> -> tile<i64>\n"
        "  %v = make_tensor_view %a, shape = [%m, 6], strides = [6, 1] : tile<i64> -> tensor_view<?x6xf32, "
        "strides=[6,1]>\n"
        "  %w = make_partition_view %v : partition_view<tile=(8x2), tensor_view<?x6xf32, strides=[6,1]>>\n"
        "  %i = constant <i32: 0> : tile<i32>\n"
        "  %x, %t = load_view_tko weak %w[%i, %i] : partition_view<tile=(8x2), tensor_view<?x6xf32, strides=[6,1]>>, "
        "tile<i32> -> tile<8x2xf32>, token\n"
        "  %y, %u = load_ptr_tko weak %a : tile<ptr<f32>> -> tile<f32>, token\n"
        "  return } }");
    const ProgramKernel *kernel = &tir_program(module)->kernels[0];
    cr_assert_eq(kernel->access_count, 2);
    const ProgramAccess *access = &kernel->accesses[0];
    cr_assert_eq(access->kind, PROGRAM_ACCESS_TILES);
    cr_expect_eq(access->pointer, 1);
    cr_assert_eq(access->rank, 2);
    cr_expect(access->tile[0] == 8 && access->tile[1] == 2);
    cr_expect_eq(access->extent[0].parameter, 2);
    cr_expect(!access->extent[1].parameter && access->extent[1].number == 6);
    cr_expect_eq(kernel->accesses[1].kind, PROGRAM_ACCESS_ELEMENT);
    cr_expect(kernel->makes_unspecified, "the view has no padding");
    tir_module_close(module);
}

Test(describe_program, constants_and_globals) {
    TirModule *module = parse_valid("cuda_tile.module @m { global @g <f32: [1.0, 2.0]> : tile<2xf32>\n entry @k() {\n"
                                    "  %a = constant <f32: 0.5> : tile<4xf32>\n  %b = constant <f16: 0.5> : tile<f16>\n"
                                    "  %c = constant <f64: [1.0, 3.0]> : tile<2xf64>\n  return } }");
    const Program *program = tir_program(module);
    cr_assert_eq(program->constant_count, 1);
    cr_expect_eq(program->constants[0].count, 2);
    cr_assert_eq(program->global_count, 1);
    cr_expect_str_eq(program->globals[0].name, "g");
    cr_expect(program->globals[0].type == ELEMENT_F32 && program->globals[0].elements == 2);
    cr_assert_eq(program->globals[0].size, 8);
    float initial[2] = {0};
    tir_program_fill_global(program, 0, (uint8_t *)initial);
    cr_expect(initial[0] == 1 && initial[1] == 2);
    const ProgramKernel *kernel = &program->kernels[0];
    cr_assert_eq(kernel->constant_count, 2, "f16 is read exactly");
    cr_expect(kernel->constants[0].format == FPSAN_F32 && kernel->constants[0].count == 1);
    cr_expect(kernel->constants[1].format == FPSAN_F64 && kernel->constants[1].count == 2);
    cr_expect_not(kernel->makes_unspecified);
    tir_program_close(program);
}

// ---- blocks with parts ----------------------------------------------------------------------------------------------

#define KERNEL(body)                                                                                                   \
    "entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>, %n: tile<i32>, %m: tile<ptr<i8>>) "          \
    "memory<64> {\n  %one = constant <i32: 1> : tile<i32>\n  %two = constant <i32: 2> : tile<i32>\n"                   \
    "  %0 = constant <i32: 0> : tile<i32>\n" body "  return\n}\n"
#define PART(name, body)                                                                                               \
    "part @" name " of @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %m: tile<ptr<i8>>) {\n"                              \
    "  %f = constant <f32: 1.0> : tile<f32>\n" body "  return\n}\n"
#define FORK(part, x, y)                                                                                               \
    "  %r, %t = block_operation \"fork\" of \"f\"(" part ", " x ", " y                                                 \
    ") : (tile<i32>, tile<ptr<f32>>, tile<ptr<f32>>) -> tile<i64>, token\n"
#define STORE_X "  %s = store_ptr_tko weak %x, %f : tile<ptr<f32>>, tile<f32> -> token\n"
#define LOAD_Y  "  %l, %lt = load_ptr_tko weak %y : tile<ptr<f32>> -> tile<f32>, token\n"

// Parameters are used as parts use them: the block's memory is no parameter.
Test(describe_program, follows_pointers_to_parts) {
    static const struct {
        const char *what, *text, *use;
    } cases[] = {
        {"a fork", KERNEL(FORK("%one", "%b", "%c")) PART("p", STORE_X LOAD_Y), "- w r"},
        {"the second part", KERNEL(FORK("%two", "%b", "%c")) PART("p", STORE_X) PART("q", LOAD_Y), "- - r"},
        {"some part", KERNEL(FORK("%n", "%b", "%c")) PART("p", STORE_X), "- rw rw"},
        {"no part", KERNEL(FORK("%0", "%b", "%c")) PART("p", STORE_X), "- rw rw"},
        {"a part of a part",
         KERNEL(FORK("%one", "%b", "%c")) PART("p", "  %two = constant <i32: 2> : tile<i32>\n" FORK("%two", "%y", "%x"))
             PART("q", STORE_X LOAD_Y),
         "- r w"},
        {"each other",
         KERNEL(FORK("%one", "%a", "%b")) PART("p", "  %two = constant <i32: 2> : tile<i32>\n" FORK("%two", "%y", "%x"))
             PART("q", "  %one = constant <i32: 1> : tile<i32>\n" FORK("%one", "%x", "%y") STORE_X),
         "w w -"},
        {"any address", KERNEL("") PART("p", STORE_X), "- - -"},
        {"an issue",
         KERNEL("  %r, %t = block_operation \"issue\" of \"i\"(%0, %0, %0, %one, %one, %0, %0, %0, %0, %0, "
                "%c, %a) : (tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, "
                "tile<i32>, tile<i32>, tile<i32>, tile<ptr<f32>>, tile<ptr<f32>>) -> tile<i64>, token\n")
             PART("p", STORE_X LOAD_Y),
         "r - w"},
        {"an address that may be any",
         KERNEL(FORK("%one", "%a", "%a"))
             PART("p", "  %g = constant <i64: 64> : tile<i64>\n  %h = int_to_ptr %g : tile<i64> -> tile<ptr<f32>>\n"
                       "  %s = store_ptr_tko weak %h, %f : tile<ptr<f32>>, tile<f32> -> token\n"),
         "w w w"},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Diagnostics diagnostics = {0};
        Arena arena = {0};
        TirModule *module = tir_parse_text(&diagnostics, "use.mlir", cases[i].text, strlen(cases[i].text));
        cr_assert(module && tir_verify(&diagnostics, module), "%s: %s", cases[i].what,
                  diagnostics.count ? diagnostics.items[0].message : "not read");
        const Program *program = tir_program(module);
        cr_assert(program->kernel_count == 1 && program->kernels[0].parameter_count == 4);
        cr_expect_str_eq(uses_text(&arena, program->kernels[0].parameters), cases[i].use, "%s: %s", cases[i].what,
                         uses_text(&arena, program->kernels[0].parameters));
        arena_reset(&arena);
        tir_module_close(module);
        diagnostics_close(&diagnostics);
    }
}
