// SPDX-License-Identifier: Apache-2.0
// Tiles outside the index space of their view, where they are asked to be padding: against a loop over elements.
#include "compiler/compiler.h"
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { PITCH = 16, ROWS = 12, X_SIZE = ROWS * PITCH, Y_SIZE = 16 };

// A view of n rows of m numbers, PITCH apart. Steps 0: rows are gathered, %i and what follows it.
typedef struct ViewRow {
    const char *name, *type, *make, *index, *index_type;
    int64_t shape[2], steps[2];
    bool transposed, padded;
} ViewRow;

#define TENSOR  "tensor_view<?x?xf32, strides=[16,1]>"
#define SCALARS "tile<i32>"
static const ViewRow view_rows[] = {
    {"tiles",
     "partition_view<tile=(2x4), padding_value = nan, " TENSOR ">",
     "make_partition_view",
     "%i, %j",
     SCALARS,
     {2, 4},
     {2, 4},
     false,
     true},
    {"lines",
     "partition_view<tile=(1x4), padding_value = neg_inf, " TENSOR ", dim_map=[1, 0]>",
     "make_partition_view",
     "%j, %i",
     SCALARS,
     {1, 4},
     {1, 4},
     true,
     true},
    {"one",
     "partition_view<tile=(1x1), " TENSOR ">",
     "make_partition_view",
     "%i, %j",
     SCALARS,
     {1, 1},
     {1, 1},
     false,
     false},
    {"large",
     "partition_view<tile=(4x4), " TENSOR ">",
     "make_partition_view",
     "%i, %j",
     SCALARS,
     {4, 4},
     {4, 4},
     false,
     false},
    {"windows",
     "strided_view<tile=(2x4), traversal_strides=[3,5], padding_value = pos_inf, " TENSOR ">",
     "make_strided_view",
     "%i, %j",
     SCALARS,
     {2, 4},
     {3, 5},
     false,
     true},
    {"rows",
     "gather_scatter_view<tile=(4x4), padding_value = nan, " TENSOR ", sparse_dim=0>",
     "make_gather_scatter_view",
     "%rows, %j",
     "tile<4xi32>, tile<i32>",
     {4, 4},
     {0, 1},
     false,
     true},
};
enum { LOAD, STORE, REDUCE, DOES_COUNT };

static void print_kernel(const ViewRow *view, int does, Buffer *out) {
    long a = (long)view->shape[0], b = (long)view->shape[1], size = a * b;
    buffer_print(
        out,
        "entry @%s_%d(%%x: tile<ptr<f32>>, %%y: tile<ptr<f32>>, %%n: tile<i32>, %%m: tile<i32>, %%i: tile<i32>, "
        "%%j: tile<i32>) {\n"
        "%%t = make_tensor_view %%x, shape = [%%n, %%m], strides = [16, 1] : tile<i32> -> " TENSOR "\n"
        "%%v = %s %%t : %s\n",
        view->name, does, view->make, view->type);
    if (!view->steps[0])
        buffer_print(out,
                     "%%four = iota : tile<4xi32>\n%%i1 = reshape %%i : tile<i32> -> tile<1xi32>\n%%i4 = broadcast "
                     "%%i1 : tile<1xi32> -> tile<4xi32>\n%%rows = addi %%i4, %%four : tile<4xi32>\n");
    buffer_print(out,
                 "%%k = iota : tile<%ldxi32>\n%%y1 = reshape %%y : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
                 "%%y2 = broadcast %%y1 : tile<1xptr<f32>> -> tile<%ldxptr<f32>>\n"
                 "%%y3 = offset %%y2, %%k : tile<%ldxptr<f32>>, tile<%ldxi32> -> tile<%ldxptr<f32>>\n",
                 size, size, size, size, size);
    if (does == LOAD) {
        buffer_print(out,
                     "%%l, %%lt = load_view_tko weak %%v[%s] : %s, %s -> tile<%ldx%ldxf32>, token\n"
                     "%%f = reshape %%l : tile<%ldx%ldxf32> -> tile<%ldxf32>\n"
                     "%%s = store_ptr_tko weak %%y3, %%f : tile<%ldxptr<f32>>, tile<%ldxf32> -> token\nreturn\n}\n",
                     view->index, view->type, view->index_type, a, b, a, b, size, size, size);
        return;
    }
    buffer_print(out,
                 "%%l, %%lt = load_ptr_tko weak %%y3 : tile<%ldxptr<f32>> -> tile<%ldxf32>, token\n"
                 "%%f = reshape %%l : tile<%ldxf32> -> tile<%ldx%ldxf32>\n",
                 size, size, size, a, b);
    if (does == STORE)
        buffer_print(out, "%%s = store_view_tko weak %%f, %%v[%s] : tile<%ldx%ldxf32>, %s, %s -> token\nreturn\n}\n",
                     view->index, a, b, view->type, view->index_type);
    else
        buffer_print(out,
                     "%%s = atomic_red_view_tko relaxed device %%v[%s], addf, %%f : tile<%ldx%ldxf32>, %s, %s -> "
                     "token\nreturn\n}\n",
                     view->index, a, b, view->type, view->index_type);
}

// Reductions go through views without padding, and not through rows.
static bool has_kernel(const ViewRow *view, int does) {
    return does != REDUCE || (!view->padded && view->steps[0]);
}

// The number of the element in x that element (a, b) of the tile is, or -1.
static int64_t place(const ViewRow *view, const uint32_t numbers[4], int64_t a, int64_t b) {
    uint64_t n = numbers[0], m = numbers[1], i = numbers[2], j = numbers[3];
    uint64_t row = i * (uint64_t)view->steps[0] + (uint64_t)a, column = j * (uint64_t)view->steps[1] + (uint64_t)b;
    if (view->transposed) { // the tile's first dimension goes along columns
        row = i * (uint64_t)view->steps[1] + (uint64_t)b;
        column = j * (uint64_t)view->steps[0] + (uint64_t)a;
    }
    if (!view->steps[0]) {
        row = (uint32_t)(i + (uint64_t)a);
        column = (uint32_t)(j + (uint64_t)b);
    }
    return row < n && column < m ? (int64_t)(row * PITCH + column) : -1;
}

static float padding_of(const ViewRow *view) {
    return strstr(view->type, "nan")       ? __builtin_nanf("")
           : strstr(view->type, "neg_inf") ? -__builtin_inff()
                                           : __builtin_inff();
}

static void expect(const ViewRow *view, int does, const uint32_t numbers[4], float *x, float *y) {
    for (int64_t a = 0; a < view->shape[0]; a++)
        for (int64_t b = 0; b < view->shape[1]; b++) {
            int64_t at = place(view, numbers, a, b);
            float *cell = &y[a * view->shape[1] + b];
            if (does == LOAD)
                *cell = at >= 0 ? x[at] : view->padded ? padding_of(view) : 0.0f;
            else if (at >= 0)
                x[at] = does == STORE ? *cell : x[at] + *cell;
        }
}

static void check(const ViewRow *view, int does, const KernelInfo *kernel, void *scratch, const uint32_t numbers[4]) {
    float x[X_SIZE], y[Y_SIZE], expected_x[X_SIZE], expected_y[Y_SIZE];
    for (int i = 0; i < X_SIZE; i++) x[i] = (float)(i + 1);
    for (int i = 0; i < Y_SIZE; i++) y[i] = (float)(-i - 1);
    memcpy(expected_x, x, sizeof x);
    memcpy(expected_y, y, sizeof y);
    expect(view, does, numbers, expected_x, expected_y);
    uint64_t arguments[6] = {
        (uint64_t)(uintptr_t)x, (uint64_t)(uintptr_t)y, numbers[0], numbers[1], numbers[2], numbers[3]};
    HostRange ranges[6] = {{arguments[0], arguments[0] + sizeof x}, {arguments[1], arguments[1] + sizeof y}};
    HostRange buffers[2] = {ranges[arguments[0] > arguments[1]], ranges[arguments[0] < arguments[1]]};
    HostLaunch launch = {
        .arguments = arguments, .argument_ranges = ranges, .buffers = buffers, .buffer_count = 2, .grid = {1, 1, 1}};
    HostFault fault;
    cr_assert_eq(kernel->entry(&launch, scratch, 0, 0, 0, &fault), 0);
    bool same = !memcmp(x, expected_x, sizeof x) && !memcmp(y, expected_y, sizeof y);
    cr_assert(same, "%s, does %d, %u x %u at %d, %d", view->name, does, numbers[0], numbers[1], (int)numbers[2],
              (int)numbers[3]);
}

Test(outside_tiles, are_padding) {
    static const uint32_t sizes[][2] = {{ROWS, PITCH}, {5, 7}, {1, 1}, {0, 3}, {8, 0}};
    static const uint32_t indices[] = {0, 1, 2, 3, 5, 12, 17, 0x7FFFFFFF, 0x80000000, -3u, -1u};
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    Buffer text = {0};
    buffer_print(&text, "cuda_tile.module @outside {\n");
    for (size_t v = 0; v < BASE_COUNT(view_rows); v++)
        for (int does = 0; does < DOES_COUNT; does++)
            if (has_kernel(&view_rows[v], does)) print_kernel(&view_rows[v], does, &text);
    buffer_print(&text, "}\n");
    TirModule *module = tir_parse_text(&diagnostics, "outside.mlir", text.data, text.size);
    CompileOptions options = {.optimize = 1, .outside_tiles = true};
    bool good = compiler && module && tir_verify(&diagnostics, module);
    CompiledModule *compiled = good ? compiler_load(compiler, &diagnostics, tir_program(module), &options) : NULL;
    cr_assert(compiled, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    const KernelInfo *kernel = compiled->kernels;
    for (size_t v = 0; v < BASE_COUNT(view_rows); v++)
        for (int does = 0; does < DOES_COUNT; does++) {
            if (!has_kernel(&view_rows[v], does)) continue;
            void *scratch = aligned_alloc(64, (kernel->scratch_bytes + 127) / 64 * 64);
            for (size_t s = 0; s < BASE_COUNT(sizes); s++)
                for (size_t i = 0; i < BASE_COUNT(indices); i++)
                    for (size_t j = 0; j < BASE_COUNT(indices); j++)
                        check(&view_rows[v], does, kernel, scratch,
                              (uint32_t[]){sizes[s][0], sizes[s][1], indices[i], indices[j]});
            free(scratch);
            kernel++;
        }
    compiled_module_close(compiler, compiled);
    tir_module_close(module);
    compiler_close(compiler);
    diagnostics_close(&diagnostics);
    buffer_free(&text);
}
