// SPDX-License-Identifier: Apache-2.0
// Reductions and scans by a function that does not commute: linear maps one after the other, h -> scale * h + shift, in
// integers that wrap. Whatever the tile, the dimension and the target, the elements come in their sequence, what is
// earlier as the first argument of the body; against a loop.
#include "compiler/tileir/tir.h"
#include "tests/lower/emulate.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_MAX = 4096, ARRAYS = 8 }; // scales and shifts: of the elements, scanned, scanned from the end, reduced
enum { RANK_MAX = 3 };

typedef struct Sequence {
    unsigned bits; // of the integers
    int rank;
    unsigned shape[RANK_MAX], dim;
    bool one_by_one, gpu; // a body that is no element-wise op
    // made from these
    unsigned count, length, stride;
    char type[8], tile[64];
} Sequence;

static void print_tile(char *text, size_t size, const Sequence *s, int skipped) {
    int n = snprintf(text, size, "tile<");
    for (int i = 0; i < s->rank; i++)
        if (i != skipped) n += snprintf(text + n, size - (size_t)n, "%ux", s->shape[i]);
    snprintf(text + n, size - (size_t)n, "%s>", s->type);
}

static void print_body(Buffer *out, const Sequence *s) {
    const char *t = s->type;
    buffer_print(out, "\n(%%a: tile<%s>, %%b: tile<%s>, %%c: tile<%s>, %%d: tile<%s>) {\n", t, t, t, t);
    buffer_print(out, "%%s = muli %%a, %%b : tile<%s>\n%%m = muli %%c, %%b : tile<%s>\n", t, t);
    buffer_print(out, "%%n = addi %%m, %%d : tile<%s>\n", t);
    if (s->one_by_one) {
        buffer_print(out, "%%same = cmpi equal %%s, %%a, signed : tile<%s> -> tile<i1>\n", t);
        buffer_print(out, "%%z = if %%same -> (tile<%s>) {\nyield %%n : tile<%s>\n} else {\nyield %%n : tile<%s>\n}\n",
                     t, t, t);
    }
    buffer_print(out, "yield %%s, %s : tile<%s>, tile<%s>\n}\n", s->one_by_one ? "%z" : "%n", t, t);
}

static void print_fold(Buffer *out, const Sequence *s, const char *name, const char *result) {
    bool scans = strcmp(name, "reduce") != 0;
    buffer_print(out, "%%%s:2 = %s %%x, %%y dim=%u %sidentities=[1 : %s, 0 : %s] : %s, %s -> %s, %s", name,
                 scans ? "scan" : "reduce", s->dim,
                 !scans                      ? ""
                 : strcmp(name, "scan") == 0 ? "reverse=false "
                                             : "reverse=true ",
                 s->type, s->type, s->tile, s->tile, result, result);
    print_body(out, s);
}

// Stores both results as tiles of `count` elements from tile `first` on.
static void print_stores(Buffer *out, const Sequence *s, const char *name, const char *type, unsigned count,
                         unsigned first, unsigned step) {
    for (unsigned i = 0; i < 2; i++) {
        buffer_print(out, "%%%s_at%u = constant <i32: %u> : tile<i32>\n", name, i, first + i * step);
        buffer_print(out, "%%%s_flat%u = reshape %%%s#%u : %s -> tile<%ux%s>\n", name, i, name, i, type, count,
                     s->type);
        buffer_print(out, "%%%s_end%u = store_view_tko weak %%%s_flat%u, %%%s[%%%s_at%u] : tile<%ux%s>, ", name, i,
                     name, i, count == s->count ? "all" : "some", name, i, count, s->type);
        buffer_print(out, "partition_view<tile=(%u), tensor_view<%ux%s, strides=[1]>>, tile<i32> -> token\n", count,
                     ARRAYS * s->count, s->type);
    }
}

static void print_kernel(Buffer *out, const Sequence *s) {
    char reduced[64];
    const unsigned all = ARRAYS * s->count, rest = s->count / s->length;
    print_tile(reduced, sizeof reduced, s, (int)s->dim);
    buffer_print(out, "cuda_tile.module @sequence {\nentry @k(%%p: tile<ptr<%s>>) {\n", s->type);
    buffer_print(out, "%%t = make_tensor_view %%p, shape = [%u], strides = [1] : tensor_view<%ux%s, strides=[1]>\n",
                 all, all, s->type);
    for (int i = 0; i < 2; i++)
        buffer_print(out,
                     "%%%s = make_partition_view %%t : partition_view<tile=(%u), tensor_view<%ux%s, strides=[1]>>\n",
                     i ? "some" : "all", i ? rest : s->count, all, s->type);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "y" : "x";
        buffer_print(out, "%%%s_at = constant <i32: %d> : tile<i32>\n", name, i);
        buffer_print(out, "%%%s_flat, %%%s_token = load_view_tko weak %%all[%%%s_at] : ", name, name, name);
        buffer_print(out,
                     "partition_view<tile=(%u), tensor_view<%ux%s, strides=[1]>>, tile<i32> -> tile<%ux%s>, token\n",
                     s->count, all, s->type, s->count, s->type);
        buffer_print(out, "%%%s = reshape %%%s_flat : tile<%ux%s> -> %s\n", name, name, s->count, s->type, s->tile);
    }
    print_fold(out, s, "scan", s->tile);
    print_fold(out, s, "back", s->tile);
    print_fold(out, s, "reduce", reduced);
    print_stores(out, s, "scan", s->tile, s->count, 2, 1);
    print_stores(out, s, "back", s->tile, s->count, 4, 1);
    print_stores(out, s, "reduce", reduced, rest, 6 * s->length, s->length);
    buffer_print(out, "return\n}\n}\n");
}

// ---- what must come out ---------------------------------------------------------------------------------------------

static uint64_t masked(const Sequence *s, uint64_t value) {
    return s->bits == 64 ? value : value & ((UINT64_C(1) << s->bits) - 1);
}

typedef struct Map2 {
    uint64_t scale, shift;
} Map2;

// `a`, and then `b`.
static Map2 then(const Sequence *s, Map2 a, Map2 b) {
    return (Map2){masked(s, a.scale * b.scale), masked(s, a.shift * b.scale + b.shift)};
}

static uint64_t element(const Sequence *s, const void *memory, unsigned array, unsigned index) {
    uint64_t value = 0;
    memcpy(&value, (const char *)memory + (size_t)(array * s->count + index) * s->bits / 8, s->bits / 8);
    return value;
}

static void expect_map(const Sequence *s, const void *memory, unsigned array, unsigned index, Map2 expected,
                       const char *what) {
    Map2 found = {element(s, memory, array, index), element(s, memory, array + 1, index)};
    cr_assert(found.scale == expected.scale && found.shift == expected.shift,
              "%s of %s along %u, one by one %d, GPU %d: element %u is (%llx, %llx), expected (%llx, %llx)", what,
              s->tile, s->dim, s->one_by_one, s->gpu, index, (unsigned long long)found.scale,
              (unsigned long long)found.shift, (unsigned long long)expected.scale, (unsigned long long)expected.shift);
}

static void check_row(const Sequence *s, const void *memory, unsigned start, unsigned row) {
    Map2 sum = {0};
    for (int back = 0; back < 2; back++)
        for (unsigned n = 0; n < s->length; n++) {
            unsigned at = start + (back ? s->length - 1 - n : n) * s->stride;
            Map2 x = {element(s, memory, 0, at), element(s, memory, 1, at)};
            sum = n ? then(s, sum, x) : x;
            expect_map(s, memory, back ? 4 : 2, at, sum, back ? "scan from the end" : "scan");
            if (!back && n == s->length - 1) expect_map(s, memory, 6, row, sum, "reduction");
        }
}

static void fill(const Sequence *s, void *memory) {
    uint64_t state = 88172645463325252;
    memset(memory, 0, (size_t)ARRAYS * s->count * s->bits / 8);
    for (unsigned i = 0; i < 2 * s->count; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        uint64_t value = i < s->count ? state | 1 : state; // of odd scales no product is lost
        memcpy((char *)memory + (size_t)i * s->bits / 8, &value, s->bits / 8);
    }
}

// ---- runs -----------------------------------------------------------------------------------------------------------

static void run_kernel(Sequence *s, const CompiledModule *compiled, void *memory) {
    uint64_t argument = (uint64_t)(uintptr_t)memory;
    HostRange range = {argument, argument + (uint64_t)ARRAYS * s->count * s->bits / 8};
    HostLaunch launch = {
        .arguments = &argument, .argument_ranges = &range, .buffers = &range, .buffer_count = 1, .grid = {1, 1, 1}};
    const KernelInfo *kernel = &compiled->kernels[0];
    HostFault fault;
    Buffer complaint = {0};
    if (s->gpu) {
        const uint32_t block[3] = {0};
        cr_assert_eq(emulate_block(kernel, &launch, block, &fault, &complaint), 0, "%s", complaint.data);
        buffer_free(&complaint);
        return;
    }
    void *scratch = aligned_alloc(64, (kernel->scratch_bytes + 127) / 64 * 64);
    cr_assert_eq(kernel->entry(&launch, scratch, 0, 0, 0, &fault), 0);
    free(scratch);
}

static void check_sequence(Compiler *compiler, Sequence s) {
    static _Alignas(64) char memory[ARRAYS * COUNT_MAX * 8];
    Diagnostics diagnostics = {0};
    Buffer text = {0};
    s.count = s.stride = 1;
    for (int i = 0; i < s.rank; i++) s.count *= s.shape[i];
    for (int i = (int)s.dim + 1; i < s.rank; i++) s.stride *= s.shape[i];
    s.length = s.shape[s.dim];
    snprintf(s.type, sizeof s.type, "i%u", s.bits);
    print_tile(s.tile, sizeof s.tile, &s, -1);
    print_kernel(&text, &s);
    TirModule *module = tir_parse_text(&diagnostics, "sequence.mlir", text.data, text.size);
    CompileOptions options = {.optimize = 1, .gpu = s.gpu ? "sm_90" : NULL, .simt = s.gpu};
    bool good = module && tir_verify(&diagnostics, module);
    CompiledModule *compiled = good ? compiler_load(compiler, &diagnostics, tir_program(module), &options) : NULL;
    cr_assert(compiled, "%s: %s", s.tile, diagnostics.count ? diagnostics.items[0].message : "");
    fill(&s, memory);
    run_kernel(&s, compiled, memory);
    for (unsigned i = 0, row = 0; i < s.count; i++)
        if (i / s.stride % s.length == 0) check_row(&s, memory, i, row++);
    compiled_module_close(compiler, compiled);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    buffer_free(&text);
}

static void check_all(bool gpu) {
    static const Sequence shapes[] = {
        {.bits = 32, .rank = 1, .shape = {1}},         {.bits = 32, .rank = 1, .shape = {2}},
        {.bits = 32, .rank = 1, .shape = {16}},        {.bits = 32, .rank = 1, .shape = {32}},
        {.bits = 32, .rank = 1, .shape = {64}},        {.bits = 32, .rank = 1, .shape = {128}},
        {.bits = 32, .rank = 1, .shape = {4096}},      {.bits = 64, .rank = 1, .shape = {32}},
        {.bits = 64, .rank = 1, .shape = {512}},       {.bits = 8, .rank = 1, .shape = {64}},
        {.bits = 8, .rank = 1, .shape = {1024}},       {.bits = 16, .rank = 2, .shape = {8, 64}},
        {.bits = 32, .rank = 2, .shape = {4, 256}},    {.bits = 32, .rank = 2, .shape = {256, 4}},
        {.bits = 32, .rank = 2, .shape = {1, 64}},     {.bits = 32, .rank = 2, .shape = {16, 16}},
        {.bits = 64, .rank = 2, .shape = {32, 64}},    {.bits = 8, .rank = 2, .shape = {64, 2}},
        {.bits = 32, .rank = 3, .shape = {2, 4, 128}}, {.bits = 32, .rank = 3, .shape = {64, 2, 2}},
        {.bits = 64, .rank = 3, .shape = {2, 128, 1}},
    };
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    cr_assert(compiler);
    for (size_t i = 0; i < BASE_COUNT(shapes); i++)
        for (unsigned dim = 0; dim < (unsigned)shapes[i].rank; dim++)
            for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
                Sequence s = shapes[i];
                s.dim = dim;
                s.gpu = gpu;
                s.one_by_one = one_by_one;
                check_sequence(compiler, s);
            }
    compiler_close(compiler);
    diagnostics_close(&diagnostics);
}

Test(sequence, host) {
    check_all(false);
}

Test(sequence, threads_of_a_block) {
    check_all(true);
}
