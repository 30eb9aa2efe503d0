// SPDX-License-Identifier: Apache-2.0
// Reductions and scans of many tiles at once: sums, with a body of element-wise operations and with one that is run for
// one element after the other.
#include "compiler/compiler.h"
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 4, RESULTS_MAX = 300 * LENGTH };

// count times the text, with its number behind it where it names a value.
static void repeat(Buffer *out, unsigned count, const char *separator, const char *before) {
    for (unsigned i = 0; i < count; i++) {
        if (strchr(before, '%'))
            buffer_print(out, "%s%s%u", i ? separator : "", before, i);
        else
            buffer_print(out, "%s%s", i ? separator : "", before);
    }
}

static const char tile_text[] = "tile<4xi32>", scalar_text[] = "tile<i32>";

// Operand i is [i, i + 1, i + 2, i + 3]. Result i is stored at y[4 * i].
static void print_kernel(Buffer *out, unsigned count, bool scans, bool one_by_one) {
    const char *type = scans ? tile_text : scalar_text;
    buffer_print(out, "cuda_tile.module @many {\nentry @k(%%y: tile<ptr<i32>>) {\n");
    for (unsigned i = 0; i < count; i++)
        buffer_print(out, "%%x%u = constant <i32: [%u, %u, %u, %u]> : tile<4xi32>\n", i, i, i + 1, i + 2, i + 3);
    buffer_print(out, "%%many = constant <i32: 1000000> : tile<i32>\n%%r:%u = %s ", count, scans ? "scan" : "reduce");
    repeat(out, count, ", ", "%x");
    buffer_print(out, " dim=0 %sidentities=[", scans ? "reverse=false " : "");
    repeat(out, count, ", ", "0 : i32");
    buffer_print(out, "] : ");
    repeat(out, count, ", ", tile_text);
    buffer_print(out, " -> ");
    repeat(out, count, ", ", type);
    buffer_print(out, "\n(");
    for (unsigned i = 0; i < count; i++) buffer_print(out, "%s%%a%u: tile<i32>, %%b%u: tile<i32>", i ? ", " : "", i, i);
    buffer_print(out, ") {\n");
    for (unsigned i = 0; i < count; i++) {
        buffer_print(out, "%%c%u = addi %%a%u, %%b%u : tile<i32>\n", i, i, i);
        if (one_by_one) buffer_print(out, "%%d%u = remi %%c%u, %%many unsigned : tile<i32>\n", i, i);
    }
    buffer_print(out, "yield ");
    repeat(out, count, ", ", one_by_one ? "%d" : "%c");
    buffer_print(out, " : ");
    repeat(out, count, ", ", scalar_text);
    buffer_print(out, "\n}\n");
    buffer_print(out, "%%i = iota : tile<4xi32>\n%%y1 = reshape %%y : tile<ptr<i32>> -> tile<1xptr<i32>>\n"
                      "%%y4 = broadcast %%y1 : tile<1xptr<i32>> -> tile<4xptr<i32>>\n");
    for (unsigned i = 0; i < count; i++) {
        if (!scans)
            buffer_print(out,
                         "%%e%u = reshape %%r#%u : tile<i32> -> tile<1xi32>\n%%t%u = broadcast %%e%u : tile<1xi32> -> "
                         "tile<4xi32>\n",
                         i, i, i, i);
        buffer_print(out, "%%n%u = constant <i32: %u> : tile<4xi32>\n%%o%u = addi %%n%u, %%i : tile<4xi32>\n", i, 4 * i,
                     i, i);
        buffer_print(out, "%%p%u = offset %%y4, %%o%u : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>\n", i, i);
        buffer_print(out, "%%s%u = store_ptr_tko weak %%p%u, %s%u : tile<4xptr<i32>>, tile<4xi32> -> token\n", i, i,
                     scans ? "%r#" : "%t", i);
    }
    buffer_print(out, "return\n}\n}\n");
}

static void run_many(unsigned count, bool scans, bool one_by_one) {
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    Buffer text = {0};
    static int32_t y[RESULTS_MAX];
    print_kernel(&text, count, scans, one_by_one);
    TirModule *module = tir_parse_text(&diagnostics, "many.mlir", text.data, text.size);
    CompileOptions options = {.optimize = 1};
    bool good = compiler && module && tir_verify(&diagnostics, module);
    CompiledModule *compiled = good ? compiler_load(compiler, &diagnostics, tir_program(module), &options) : NULL;
    cr_assert(compiled, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    uint64_t argument = (uint64_t)(uintptr_t)y;
    HostRange range = {argument, argument + sizeof y};
    HostLaunch launch = {
        .arguments = &argument, .argument_ranges = &range, .buffers = &range, .buffer_count = 1, .grid = {1, 1, 1}};
    void *scratch = aligned_alloc(64, (compiled->kernels[0].scratch_bytes + 127) / 64 * 64);
    HostFault fault;
    cr_assert_eq(compiled->kernels[0].entry(&launch, scratch, 0, 0, 0, &fault), 0);
    for (int i = 0; i < (int)count; i++)
        for (int k = 0, sum = 0; k < LENGTH; k++) {
            sum += i + k;
            cr_assert_eq(y[LENGTH * i + k], scans ? sum : LENGTH * i + 6, "%u, scans %d, one by one %d: result %d",
                         count, scans, one_by_one, i);
        }
    free(scratch);
    compiled_module_close(compiler, compiled);
    tir_module_close(module);
    compiler_close(compiler);
    diagnostics_close(&diagnostics);
    buffer_free(&text);
}

Test(many_operands, sums) {
    for (int how = 0; how < 4; how++) run_many(how % 2 ? 33 : 64, how & 1, how & 2);
    run_many(300, false, false);
}
