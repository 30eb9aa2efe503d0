// SPDX-License-Identifier: Apache-2.0
// Assumptions that are checked: which hold, and which element, of what value, is the first that does not.
#include "compiler/compiler.h"
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 4096 };

// A kernel that makes %x. element -1: it holds. found: the value; of a pointer what its address leaves.
static const struct AssumeRow {
    const char *setup, *type, *predicate;
    int64_t element, found;
} rows[] = {
#define INTEGERS(type, values) "%x = constant <" type ": " values ">"
#define ROW(shape, type, values, predicate, element, found)                                                            \
    {INTEGERS(type, values) " : tile<" shape type ">", "tile<" shape type ">", predicate, element, found},
    ROW("4x", "i8", "[1, 2, 3, -4]", "bounded<?, ?>", -1, 0) ROW("4x", "i8", "[1, 2, 3, -4]", "bounded<-4, 3>", -1, 0)
        ROW("4x", "i8", "[1, 2, 3, -4]", "bounded<0, ?>", 3,
            -4) ROW("4x", "i8", "[1, 2, 3, -4]", "bounded<?, 2>", 2,
                    3) ROW("", "i64", "-9223372036854775808", "bounded<-9223372036854775807, ?>", 0,
                           INT64_MIN) ROW("", "i64", "9223372036854775807", "bounded<?, 9223372036854775806>", 0,
                                          INT64_MAX) ROW("2x", "i1", "[true, true]", "bounded<-1, -1>", -1,
                                                         0) ROW("2x", "i1", "[true, false]", "bounded<-1, -1>", 1, 0)
            ROW("2x", "i1", "[false, true]", "div_by<2>", 1, -1) ROW("4x", "i32", "[4, 8, -4, 12]", "div_by<4>", -1, 0)
                ROW("4x", "i32", "[4, 8, -6, 12]", "div_by<4>", 2,
                    -6) ROW("", "i64", "-9223372036854775808", "div_by<4611686018427387904>", -1, 0)
                    ROW("", "i64", "4611686018427387905", "div_by<4611686018427387904>", 0, 4611686018427387905)
                        ROW("8x", "i32", "[8, 9, 10, 11, -4, -3, -2, -1]", "div_by<4, every 4 along 0>", -1, 0)
                            ROW("8x", "i32", "[8, 9, 10, 11, -4, -3, -1, -1]", "div_by<4, every 4 along 0>", 6, -1)
                                ROW("8x", "i32", "[8, 9, 10, 11, -3, -2, -1, 0]", "div_by<4, every 4 along 0>", 4, -3)
                                    ROW("8x", "i32", "[0, 1, 2, 4, 5, 6, 8, 9]", "div_by<4, every 3 along 0>", -1,
                                        0) // the last group is smaller
    ROW("8x", "i32", "[0, 1, 2, 4, 5, 6, 8, 8]", "div_by<4, every 3 along 0>", 7, 8)
        ROW("4x", "i8", "[126, 127, -128, -127]", "div_by<2, every 2 along 0>", -1, 0)
            ROW("4x", "i8", "[126, 127, -128, -127]", "div_by<2, every 4 along 0>", 2, -128) // wraps
    ROW("2x", "i64", "[9223372036854775807, -9223372036854775808]", "div_by<1, every 2 along 0>", 1, INT64_MIN)
        ROW("8x", "i32", "[3, 3, 3, 3, 3, 3, 3, 3]", "div_by<2, every 0 along 0>", -1, 0) // says nothing
    ROW("2x4x", "i16", "[[4, 6, 8, 10], [5, 7, 9, 11]]", "div_by<2, every 2 along 0>", -1, 0)
        ROW("2x4x", "i16", "[[4, 6, 8, 10], [5, 7, 8, 11]]", "div_by<2, every 2 along 0>", 6, 8)
            ROW("2x4x", "i16", "[[4, 5, 8, 9], [2, 3, 6, 7]]", "div_by<2, every 2 along 1>", -1, 0)
                ROW("2x4x", "i16", "[[4, 5, 8, 9], [2, 3, 7, 8]]", "div_by<2, every 2 along 1>", 6, 7)
                    ROW("2x4x", "i16", "[[4, 4, 8, 8], [4, 4, 8, 8]]", "same_elements<[2, 2]>", -1, 0)
                        ROW("2x4x", "i16", "[[4, 4, 8, 8], [4, 4, 8, 9]]", "same_elements<[2, 2]>", 7, 9)
                            ROW("2x4x", "i16", "[[4, 4, 4, 5], [6, 6, 6, 6]]", "same_elements<[1, 3]>", -1, 0)
                                ROW("2x4x", "i16", "[[4, 4, 4, 5], [6, 6, 7, 6]]", "same_elements<[1, 3]>", 6, 7)
                                    ROW("2x4x", "i16", "[[1, 2, 3, 4], [5, 6, 7, 8]]", "same_elements<[1, 1]>", -1, 0)
                                        ROW("2x4x", "i16", "[[1, 2, 3, 4], [5, 6, 7, 8]]", "same_elements<[2, 0]>", -1,
                                            0) // says nothing
    // A splat, a tile in another order than its own, and one that nobody has made yet.
    ROW("8x", "i32", "12", "same_elements<[8]>", -1, 0) ROW("8x", "i32", "12", "div_by<4>", -1, 0)
        ROW("8x", "i32", "12", "div_by<4, every 2 along 0>", 1, 12){
            INTEGERS("i16",
                     "[[4, 6], [5, 7]]") " : tile<2x2xi16>\n%y = permute %x [1, 0] : tile<2x2xi16> -> tile<2x2xi16>\n"
                                         "%z = addi %y, %x : tile<2x2xi16>",
            "%z : tile<2x2xi16>", "bounded<?, 13>", 3, 14},
    {INTEGERS("i16", "[[4, 6], [5, 7]]") " : tile<2x2xi16>\n%z = permute %x [1, 0] : tile<2x2xi16> -> tile<2x2xi16>",
     "%z : tile<2x2xi16>", "div_by<2, every 2 along 1>", -1, 0},
    {"%z = iota : tile<16xi32>", "%z : tile<16xi32>", "bounded<0, 12>", 13, 13},
#define POINTERS                                                                                                       \
    "%o = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>\n%b = broadcast %o : tile<1xptr<f32>> -> tile<4xptr<f32>>\n"
#define OFFSETS(values)                                                                                                \
    POINTERS "%i = constant <i32: " values "> : tile<4xi32>\n"                                                         \
             "%z = offset %b, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>"
    {OFFSETS("[0, 4, 12, 4]"), "%z : tile<4xptr<f32>>", "div_by<16>", -1, 0},
    {OFFSETS("[0, 4, 13, 4]"), "%z : tile<4xptr<f32>>", "div_by<16>", 2, 4},
    {OFFSETS("[4, 5, 6, 7]"), "%z : tile<4xptr<f32>>", "div_by<16, every 4 along 0>", -1, 0},
    {OFFSETS("[4, 5, 7, 7]"), "%z : tile<4xptr<f32>>", "div_by<16, every 4 along 0>", 2, 0},
    {OFFSETS("[6, 7, 8, 9]"), "%z : tile<4xptr<f32>>", "div_by<16, every 4 along 0>", 0, 8},
    {OFFSETS("[6, 6, 8, 8]"), "%z : tile<4xptr<f32>>", "same_elements<[2]>", -1, 0},
    {OFFSETS("[6, 6, 8, 9]"), "%z : tile<4xptr<f32>>", "same_elements<[2]>", 3, 0},
    {"%z = assume div_by<1024>, %p : tile<ptr<f32>>", "%z : tile<ptr<f32>>", "div_by<4096>", -1, 0},
    {"%q = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<f4E2M1FN>>\n%n = constant <i32: 5> : tile<i32>\n"
     "%z = offset %q, %n : tile<ptr<f4E2M1FN>>, tile<i32> -> tile<ptr<f4E2M1FN>>",
     "%z : tile<ptr<f4E2M1FN>>", "div_by<4>", 0, 2},
#define VIEW "tensor_view<16xf32, strides=[1]>"
    {"%z = make_tensor_view %p, shape = [16], strides = [1] : " VIEW, "%z : " VIEW, "div_by<64>", -1, 0},
    {"%n = constant <i32: 3> : tile<i32>\n%q = offset %p, %n : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n"
     "%z = make_tensor_view %q, shape = [16], strides = [1] : " VIEW,
     "%z : " VIEW, "div_by<8>", 0, 4},
#undef ROW
};

static void print_row(const struct AssumeRow *row, size_t number, Buffer *out) {
    bool named = row->type[0] == '%';
    buffer_print(out, "entry @k%zu(%%p: tile<ptr<f32>>) {\n%s\n%%last = assume %s, %s%s\nreturn\n}\n", number,
                 row->setup, row->predicate, named ? "" : "%x : ", row->type);
}

static CompiledModule *compile(Compiler *compiler, const char *text, bool check, bool constants) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_parse_text(&diagnostics, "assume.mlir", text, strlen(text));
    CompileOptions options = {.optimize = 1, .check_assume = check, .check_hints = constants};
    bool good = module && tir_verify(&diagnostics, module);
    CompiledModule *compiled = good ? compiler_load(compiler, &diagnostics, tir_program(module), &options) : NULL;
    cr_assert(compiled, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    return compiled;
}

static uint32_t run(const KernelInfo *kernel, uint8_t *memory, HostFault *fault) {
    uint64_t argument = (uint64_t)(uintptr_t)memory;
    HostRange range = {argument, argument + MEMORY};
    HostLaunch launch = {
        .arguments = &argument, .argument_ranges = &range, .buffers = &range, .buffer_count = 1, .grid = {1, 1, 1}};
    void *scratch = aligned_alloc(64, (kernel->scratch_bytes + 127) / 64 * 64);
    cr_assert(scratch);
    *fault = (HostFault){0};
    uint32_t site = kernel->entry(&launch, scratch, 0, 0, 0, fault);
    free(scratch);
    return site;
}

static void check_row(const struct AssumeRow *row, const KernelInfo *kernel, uint8_t *memory) {
    HostFault fault;
    uint32_t site = run(kernel, memory, &fault);
    cr_assert_eq(site != 0, row->element >= 0, "%s\nassume %s", row->setup, row->predicate);
    if (!site) return;
    const KernelSite *failed = &kernel->sites[site - 1];
    bool points = strstr(row->type, "ptr") || strstr(row->type, "view");
    cr_expect_eq(failed->kind, HOST_SITE_ASSUME);
    cr_expect_str_eq(failed->op, "assume");
    cr_expect_str_eq(failed->message, row->predicate);
    cr_expect_neq(failed->at.line, 0);
    cr_expect_eq(fault.limit, row->element, "%s: element %ld", row->predicate, (long)fault.limit);
    cr_expect_eq(fault.found, row->found, "%s: found %ld", row->predicate, (long)fault.found);
    cr_expect_eq(fault.address != 0, points, "%s", row->predicate);
}

Test(assume, first_element_that_is_wrong) {
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    Buffer text = {0};
    uint8_t *memory = aligned_alloc(MEMORY, MEMORY);
    cr_assert(compiler && memory);
    buffer_print(&text, "cuda_tile.module @assumptions {\n");
    for (size_t i = 0; i < BASE_COUNT(rows); i++) print_row(&rows[i], i, &text);
    buffer_print(&text, "}\n");
    CompiledModule *checked = compile(compiler, text.data, true, true),
                   *plain = compile(compiler, text.data, false, false),
                   *launched = compile(compiler, text.data, true, false);
    HostFault fault;
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        check_row(&rows[i], &checked->kernels[i], memory);
        cr_expect_eq(run(&plain->kernels[i], memory, &fault), 0);
        const bool constant = !strncmp(rows[i].setup, "%x = constant", 13) && !strchr(rows[i].setup, '\n');
        cr_expect_eq(run(&launched->kernels[i], memory, &fault) != 0, rows[i].element >= 0 && !constant, "%s",
                     rows[i].setup);
    }
    compiled_module_close(compiler, checked);
    compiled_module_close(compiler, plain);
    compiled_module_close(compiler, launched);
    compiler_close(compiler);
    diagnostics_close(&diagnostics);
    buffer_free(&text);
    free(memory);
}
