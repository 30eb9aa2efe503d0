// SPDX-License-Identifier: Apache-2.0
// Kernels whose blocks have memory of their own and parts (base/block_abi.h): what their KernelInfo says, and what they
// ask of a launch that runs each part where it is asked for.
#include "base/block_abi.h"
#include "compiler/compiler.h"
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 4, MEMORY_BYTES = 64, CALLS_MAX = 16, WORDS_MAX = 16 };

// What was asked for.
typedef struct Asked {
    uint32_t operation, place, count;
    uint64_t words[WORDS_MAX];
} Asked;

// A block that runs. The launch comes first, as the stub below has nothing else.
typedef struct Block {
    HostLaunch launch;
    const KernelInfo *kernel;
    _Alignas(64) uint8_t memory[MEMORY_BYTES];
    HostRange buffer;
    uint64_t part_arguments[WORDS_MAX];
    HostRange part_ranges[WORDS_MAX];
    Asked asked[CALLS_MAX];
    uint32_t asked_count, site;
    bool flushes; // operands, where it was called
    HostFault fault;
} Block;

typedef struct Compiled {
    Compiler *compiler;
    TirModule *module;
    CompiledModule *code;
    Diagnostics diagnostics;
} Compiled;

static const char pointers_text[] = "%i = iota : tile<4xi32>\n"
                                    "%x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
                                    "%x4 = broadcast %x1 : tile<1xptr<f32>> -> tile<4xptr<f32>>\n"
                                    "%xs = offset %x4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>\n"
                                    "%m = ptr_to_ptr %memory : tile<ptr<i8>> -> tile<ptr<f32>>\n"
                                    "%m1 = reshape %m : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
                                    "%m4 = broadcast %m1 : tile<1xptr<f32>> -> tile<4xptr<f32>>\n"
                                    "%ms = offset %m4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>\n";

// The text with $P replaced by those.
static void put_text(const char *text, Buffer *out) {
    for (const char *at; (at = strstr(text, "$P")); text = at + 2)
        buffer_print(out, "%.*s%s", (int)(at - text), text, pointers_text);
    buffer_print(out, "%s", text);
}

static void replace(const char *text, const char *word, const char *by, Buffer *out) {
    const char *at = strstr(text, word);
    buffer_print(out, "%.*s%s%s", (int)(at - text), text, by, at + strlen(word));
}

static Compiled compile(const char *text, const CompileOptions *options) {
    Compiled c = {0};
    Buffer full = {0};
    put_text(text, &full);
    c.compiler = compiler_open(&c.diagnostics);
    c.module = tir_parse_text(&c.diagnostics, "parts.mlir", full.data, full.size);
    const bool good = c.compiler && c.module && tir_verify(&c.diagnostics, c.module);
    c.code = good ? compiler_load(c.compiler, &c.diagnostics, tir_program(c.module), options) : NULL;
    buffer_free(&full);
    return c;
}

static const char *problem_of(const Compiled *c) {
    return c->diagnostics.count ? c->diagnostics.items[0].message : "";
}

static void close_compiled(Compiled *c) {
    if (c->code) compiled_module_close(c->compiler, c->code);
    tir_module_close(c->module);
    compiler_close(c->compiler);
    diagnostics_close(&c->diagnostics);
}

static uint32_t call(Block *block, HostEntry *entry, size_t scratch_bytes) {
    void *scratch = aligned_alloc(64, (scratch_bytes + 127) / 64 * 64);
    const uint32_t site = entry(&block->launch, scratch, 1, 2, 0, &block->fault);
    free(scratch);
    return site;
}

// Whether the processor reads 1e-40 as zero here.
static bool is_flushing(void) {
    volatile float small = 1e-40f, large = 1e20f;
    volatile float product = small * large;
    return product == 0;
}

// FORK and ISSUE run their part at once.
static void run_part(Block *block, const uint64_t *operands, uint32_t count) {
    const HostLaunch outer = block->launch;
    const KernelPart *part = &block->kernel->parts[operands[0] - 1];
    cr_assert_eq(part->parameter_count, count - 1);
    for (uint32_t i = 0; i <= part->parameter_count; i++) {
        const bool last = i == part->parameter_count;
        block->part_arguments[i] = last ? (uint64_t)(uintptr_t)block->memory : operands[i + 1];
        block->part_ranges[i] = last ? (HostRange){block->part_arguments[i], block->part_arguments[i] + MEMORY_BYTES}
                                : part->pointers[i] ? block->buffer
                                                    : (HostRange){0, 0};
    }
    block->launch.arguments = block->part_arguments;
    block->launch.argument_ranges = block->part_ranges;
    block->site = call(block, part->entry, part->scratch_bytes);
    block->launch = outer;
}

static uint64_t operate(const HostLaunch *launch, uint32_t operation, uint32_t place, const uint64_t *operands,
                        uint32_t count) {
    Block *block = (Block *)(uintptr_t)launch;
    Asked *asked = &block->asked[block->asked_count++];
    *asked = (Asked){.operation = operation, .place = place, .count = count};
    memcpy(asked->words, operands, count * sizeof *operands);
    block->flushes |= is_flushing();
    if (operation == BLOCK_FORK) run_part(block, operands, count);
    return operation == BLOCK_STAGE ? 32 : 0;
}

static uint32_t run_on(const Compiled *c, Block *block, float *x, unsigned length) {
    const uint64_t arguments[] = {(uint64_t)(uintptr_t)x, (uint64_t)(uintptr_t)block->memory};
    block->buffer = (HostRange){arguments[0], arguments[0] + length * sizeof *x};
    const HostRange ranges[] = {block->buffer, {arguments[1], arguments[1] + MEMORY_BYTES}};
    block->kernel = &c->code->kernels[0];
    block->launch = (HostLaunch){.arguments = arguments,
                                 .argument_ranges = ranges,
                                 .buffers = &block->buffer,
                                 .buffer_count = 1,
                                 .grid = {4, 4, 1},
                                 .operate = operate};
    return call(block, block->kernel->entry, block->kernel->scratch_bytes);
}

static uint32_t run(const Compiled *c, Block *block, float *x) {
    return run_on(c, block, x, LENGTH);
}

// ---- descriptions ---------------------------------------------------------------------------------------------------

static const char copying[] =
    "entry @first(%a: tile<i32>) {\n return\n}\n"
    "entry @k(%x: tile<ptr<f32>>, %memory: tile<ptr<i8>>) memory<64> {\n"
    "%part = constant <i32: 2> : tile<i32>\n %minus = constant <i8: -1> : tile<i8>\n"
    "%yes = constant <i1: true> : tile<i1>\n %n = constant <i64: 64> : tile<i64>\n"
    "%any = int_to_ptr %n : tile<i64> -> tile<ptr<f32>>\n"
    "%r, %t = block_operation \"fork\" of \"ttg.warp_specialize\"(%part, %x, %minus, %yes) : (tile<i32>, "
    "tile<ptr<f32>>, tile<i8>, tile<i1>) -> tile<i64>, token\n"
    "$P"
    "%l, %lt = load_ptr_tko weak %ms : tile<4xptr<f32>> -> tile<4xf32>, token\n"
    "%st = store_ptr_tko weak %xs, %l : tile<4xptr<f32>>, tile<4xf32> -> token\n"
    "return\n}\n"
    "part @unused of @k(%memory: tile<ptr<i8>>) {\n return\n}\n"
    "part @copy of @k(%x: tile<ptr<f32>>, %a: tile<i8>, %b: tile<i1>, %memory: tile<ptr<i8>>) {\n"
    "$P"
    "%l, %lt = load_ptr_tko weak %xs : tile<4xptr<f32>> -> tile<4xf32>, token\n"
    "%d = addf %l, %l : tile<4xf32>\n"
    "%st = store_ptr_tko weak %ms, %d : tile<4xptr<f32>>, tile<4xf32> -> token\n"
    "%e = addf %d, %d : tile<4xf32>\n"
    "%su = store_ptr_tko weak %xs, %e : tile<4xptr<f32>>, tile<4xf32> -> token\n"
    "assert %b, \"of a part\" : tile<i1>\n"
    "return\n}\n";

static bool is_site_of(const KernelInfo *kernel, uint32_t site, const char *op) {
    return site < kernel->site_count && !strcmp(kernel->sites[site].op, op);
}

Test(parts, are_described_with_their_kernel) {
    Compiled c = compile(copying, &(CompileOptions){.races = true, .census = true});
    cr_assert(c.code, "%s", problem_of(&c));
    const Program *program = tir_program(c.module);
    cr_assert(c.code->kernel_count == 2 && program->kernel_count == 2);
    cr_expect(!program->kernels[0].has_parts && program->kernels[1].has_parts);
    cr_expect(program->kernels[1].parameter_count == 1 && program->kernels[1].parameters[0].use.writes);
    const KernelInfo *plain = &c.code->kernels[0], *kernel = &c.code->kernels[1];
    cr_expect(!plain->part_count && !plain->memory_bytes && plain->stores_through && plain->census_sites);
    cr_expect(!strcmp(kernel->name, "k") && kernel->parameter_count == 1 && kernel->memory_bytes == 64);
    cr_expect(!kernel->stores_through && !kernel->census_sites);
    cr_assert(kernel->part_count == 2 && kernel->parts[0].parameter_count == 0 &&
              kernel->parts[1].parameter_count == 3);
    cr_expect(kernel->parts[1].pointers[0] && !kernel->parts[1].pointers[1] && !kernel->parts[1].pointers[2]);
    cr_expect(kernel->parts[0].entry && kernel->parts[1].entry && kernel->parts[0].entry != kernel->parts[1].entry);
    cr_expect(kernel->heedless, "its blocks see nothing of each other");
    bool asserts = false;
    for (uint32_t i = 0; i < kernel->site_count; i++) asserts |= is_site_of(kernel, i, "assert");
    cr_expect(asserts, "the part's sites are the kernel's");
    close_compiled(&c);
}

// A kernel of which no part but the second stores through a pointer, which is %x or another one.
static void expect_widths(const char *pointer, uint32_t through, uint32_t unknown) {
    Buffer text = {0};
    replace(copying, "(%part, %x,", pointer, &text);
    Compiled c = compile(text.data, &(CompileOptions){.numeric = COMPILE_SHADOW, .poison = true});
    cr_assert(c.code, "%s", problem_of(&c));
    const KernelInfo *kernel = &c.code->kernels[1];
    cr_expect(kernel->stored_widths[0] == through && kernel->stored_widths_unknown == unknown, "%s: %x, %x", pointer,
              kernel->stored_widths[0], kernel->stored_widths_unknown);
    uint32_t stores = 0;
    for (uint32_t i = 0; i < kernel->store_count; i++) stores += !kernel->stores[i].unspecified;
    cr_expect_eq(stores, 3);
    buffer_free(&text);
    close_compiled(&c);
}

Test(parts, store_through_pointers_of_their_kernel) {
    expect_widths("(%part, %x,", 4, 0);
    expect_widths("(%part, %any,", 4, 4);
}

// ---- runs -----------------------------------------------------------------------------------------------------------

static const char forking[] =
    "entry @k(%x: tile<ptr<f32>>, %memory: tile<ptr<i8>>) memory<64> {\n"
    "%part = constant <i32: 1> : tile<i32>\n %minus = constant <i8: -1> : tile<i8>\n"
    "%yes = constant <i1: $YES> : tile<i1>\n"
    "$P"
    "%before, %bt = load_ptr_tko weak %xs : tile<4xptr<f32>> -> tile<4xf32>, token\n"
    "%r, %t = block_operation \"fork\" of \"ttg.warp_specialize\"(%part, %x, %minus, %yes) : (tile<i32>, "
    "tile<ptr<f32>>, tile<i8>, tile<i1>) -> tile<i64>, token\n"
    "%s, %u = block_operation \"stage\" of \"ttng.warp_group_dot\"(%r) : (tile<i64>) -> tile<i64>, token\n"
    "%v, %w = block_operation \"unstage\" of \"ttng.warp_group_dot\"(%s) token = %u : (tile<i64>) -> tile<i64>, token\n"
    "%l, %lt = load_ptr_tko weak %ms : tile<4xptr<f32>> -> tile<4xf32>, token\n"
    "%sum = addf %before, %l$FTZ : tile<4xf32>\n"
    "%st = store_ptr_tko weak %xs, %sum : tile<4xptr<f32>>, tile<4xf32> -> token\n"
    "return\n}\n"
    "part @double of @k(%x: tile<ptr<f32>>, %a: tile<i8>, %b: tile<i1>, %memory: tile<ptr<i8>>) {\n"
    "$P"
    "%l, %lt = load_ptr_tko weak %xs : tile<4xptr<f32>> -> tile<4xf32>, token\n"
    "%d = addf %l, %l : tile<4xf32>\n"
    "%st = store_ptr_tko weak %ms, %d : tile<4xptr<f32>>, tile<4xf32> -> token\n"
    "%zero = constant <f32: 0.0> : tile<4xf32>\n"
    "%clear = store_ptr_tko weak %xs, %zero : tile<4xptr<f32>>, tile<4xf32> -> token\n"
    "assert %b, \"of a part\" : tile<i1>\n"
    "return\n}\n";

static Compiled compile_forking(const char *yes, const char *flush, const CompileOptions *options) {
    Buffer first = {0}, second = {0};
    replace(forking, "$YES", yes, &first);
    replace(first.data, "$FTZ", flush, &second);
    Compiled c = compile(second.data, options);
    buffer_free(&first);
    buffer_free(&second);
    cr_assert(c.code, "%s", problem_of(&c));
    return c;
}

// What was loaded before stays what it was, though the part stores zeros there, and what the part has stored is seen.
Test(parts, run_where_they_are_asked_for) {
    for (unsigned optimize = 0; optimize < 4; optimize++) {
        Compiled c = compile_forking("true", "", &(CompileOptions){.optimize = optimize, .apart = true});
        float x[LENGTH] = {1, 2, 3, 4};
        Block block = {.site = 77};
        cr_assert_eq(run(&c, &block, x), 0);
        cr_expect_eq(block.site, 0);
        for (int i = 0; i < LENGTH; i++) cr_expect_eq(x[i], 3.0f * (float)(i + 1), "%d: %g", i, (double)x[i]);
        cr_assert_eq(block.asked_count, 3);
        const Asked *fork = &block.asked[0];
        cr_expect(fork->operation == BLOCK_FORK && fork->count == 4);
        cr_expect(fork->words[0] == 1 && fork->words[1] == block.buffer.begin);
        cr_expect(fork->words[2] == UINT64_MAX && fork->words[3] == 1, "signs are kept, but for booleans");
        cr_expect(block.asked[1].operation == BLOCK_STAGE && block.asked[2].operation == BLOCK_UNSTAGE);
        cr_expect_eq(block.asked[2].words[0], 32, "a result is the operand of the next one");
        const KernelInfo *kernel = block.kernel;
        cr_assert(fork->place && fork->place <= kernel->place_count);
        cr_expect_str_eq(kernel->places[fork->place - 1].op, "ttg.warp_specialize");
        cr_expect_str_eq(kernel->places[block.asked[2].place - 1].op, "ttng.warp_group_dot");
        cr_expect_eq(kernel->places[block.asked[2].place - 1].at.line, kernel->places[fork->place - 1].at.line + 2);
        close_compiled(&c);
    }
}

Test(parts, fail_at_sites_of_their_kernel) {
    Compiled c = compile_forking("false", "", &(CompileOptions){.optimize = 1});
    float x[LENGTH] = {1, 2, 3, 4};
    Block block = {0};
    cr_assert_eq(run(&c, &block, x), 0);
    cr_assert(block.site && is_site_of(block.kernel, block.site - 1, "assert"));
    cr_expect_str_eq(block.kernel->sites[block.site - 1].message, "of a part");
    close_compiled(&c);
}

// The launch, and other parts, run in the usual state of the processor.
Test(parts, are_asked_for_without_flushing) {
    Compiled c = compile_forking("true", " flush_to_zero", &(CompileOptions){.optimize = 1});
    float x[LENGTH] = {1e-40f, 1, 1, 1e-40f};
    Block block = {0};
    cr_assert_eq(run(&c, &block, x), 0);
    cr_expect_not(block.flushes);
    cr_expect(x[0] == 0 && x[1] == 3);
    float *stored = (float *)(void *)block.memory;
    cr_expect(stored[0] == 2 * 1e-40f, "the part does not flush");
    close_compiled(&c);
}

// The same from bytes, as a cache has them.
Test(parts, come_out_of_caches) {
    Compiled c = compile_forking("true", "", &(CompileOptions){.optimize = 1});
    Buffer bytes = {0};
    cr_assert(
        compiler_make(c.compiler, &c.diagnostics, tir_program(c.module), &(CompileOptions){.optimize = 1}, &bytes));
    compiled_module_close(c.compiler, c.code);
    c.code = compiler_load_made(c.compiler, &c.diagnostics, bytes.data, bytes.size);
    cr_assert(c.code, "%s", problem_of(&c));
    float x[LENGTH] = {1, 2, 3, 4};
    Block block = {0};
    cr_assert_eq(run(&c, &block, x), 0);
    for (int i = 0; i < LENGTH; i++) cr_expect_eq(x[i], 3.0f * (float)(i + 1));
    cr_expect_str_eq(block.kernel->places[block.asked[0].place - 1].op, "ttg.warp_specialize");
    buffer_free(&bytes);
    close_compiled(&c);
}

// A load through a view is put off to its one user where nothing comes between; here the part does.
static const char viewing[] =
    "entry @k(%x: tile<ptr<f32>>, %memory: tile<ptr<i8>>) memory<64> {\n"
    "%part = constant <i32: 1> : tile<i32>\n %0 = constant <i32: 0> : tile<i32>\n"
    "%true = constant <i1: true> : tile<i1>\n"
    "$P"
    "%tensor = make_tensor_view %x, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>\n"
    "%view = make_partition_view %tensor : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>\n"
    "%before, %bt = load_view_tko weak %view[%0] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, "
    "tile<i32> -> tile<4xf32>, token\n"
    "$BETWEEN"
    "%l, %lt = load_ptr_tko weak %ms : tile<4xptr<f32>> -> tile<4xf32>, token\n"
    "%sum = addf %before, %l : tile<4xf32>\n"
    "%st = store_ptr_tko weak %xs, %sum : tile<4xptr<f32>>, tile<4xf32> -> token\n"
    "return\n}\n"
    "part @clear of @k(%x: tile<ptr<f32>>, %memory: tile<ptr<i8>>) {\n"
    "$P"
    "%zero = constant <f32: 0.0> : tile<4xf32>\n"
    "%clear = store_ptr_tko weak %xs, %zero : tile<4xptr<f32>>, tile<4xf32> -> token\n"
    "%one = constant <f32: 1.0> : tile<4xf32>\n"
    "%st = store_ptr_tko weak %ms, %one : tile<4xptr<f32>>, tile<4xf32> -> token\n"
    "return\n}\n";
#define FORK_CLEAR                                                                                                     \
    "%r, %t = block_operation \"fork\" of \"f\"(%part, %x) : (tile<i32>, tile<ptr<f32>>) -> tile<i64>, token\n"

Test(parts, run_behind_loads) {
    static const char *const between[] = {FORK_CLEAR, "if %true {\n" FORK_CLEAR "}\n"};
    for (size_t i = 0; i < BASE_COUNT(between); i++)
        for (unsigned optimize = 0; optimize < 4; optimize++) {
            Buffer text = {0};
            replace(viewing, "$BETWEEN", between[i], &text);
            Compiled c = compile(text.data, &(CompileOptions){.optimize = optimize, .apart = true});
            cr_assert(c.code, "%s", problem_of(&c));
            _Alignas(64) float x[LENGTH] = {1, 2, 3, 4};
            Block block = {0};
            cr_assert_eq(run(&c, &block, x), 0);
            for (int k = 0; k < LENGTH; k++) cr_expect_eq(x[k], (float)(k + 2), "%zu, %d: %g", i, k, (double)x[k]);
            buffer_free(&text);
            close_compiled(&c);
        }
}

// ---- memory that keeps floats ---------------------------------------------------------------------------------------

// x becomes 2 x x, summed in the block's memory.
#define SQUARE "tile<4x4xf32>"
#define TENSOR "tensor_view<4x4xf32, strides=[4,1]>"
#define VIEW   "partition_view<tile=(4x4), " TENSOR ">"
static const char summing[] =
    "entry @k(%x: tile<ptr<f32>>, %memory: tile<ptr<i8>>) memory<64> {\n"
    "%0 = constant <i32: 0> : tile<i32>\n %zero = constant <f32: 0.0> : " SQUARE "\n"
    "%tensor = make_tensor_view %x, shape = [4, 4], strides = [4, 1] : " TENSOR "\n"
    "%view = make_partition_view %tensor : " VIEW "\n"
    "%m = ptr_to_ptr %memory : tile<ptr<i8>> -> tile<ptr<f32>>\n"
    "%kept_tensor = make_tensor_view %m, shape = [4, 4], strides = [4, 1] : " TENSOR "\n"
    "%kept = make_partition_view %kept_tensor : " VIEW "\n"
    "%a, %ta = load_view_tko weak %view[%0, %0] : " VIEW ", tile<i32> -> " SQUARE ", token\n"
    "%first = mmaf %a, %a, %zero : " SQUARE ", " SQUARE ", " SQUARE "\n"
    "%t1 = store_view_tko weak %first, %kept[%0, %0] : " SQUARE ", " VIEW ", tile<i32> -> token\n"
    "%sum, %t2 = load_view_tko weak %kept[%0, %0] token = %t1 : " VIEW ", tile<i32> -> " SQUARE ", token\n"
    "%second = mmaf %a, %a, %sum : " SQUARE ", " SQUARE ", " SQUARE "\n"
    "%t3 = store_view_tko weak %second, %kept[%0, %0] token = %t2 : " SQUARE ", " VIEW ", tile<i32> -> token\n"
    "%all, %t4 = load_view_tko weak %kept[%0, %0] token = %t3 : " VIEW ", tile<i32> -> " SQUARE ", token\n"
    "%t5 = store_view_tko weak %all, %view[%0, %0] token = %t4 : " SQUARE ", " VIEW ", tile<i32> -> token\n"
    "return\n}\n";

// Of memory whose places hold one type each, and of any other: the same results. Only the first keeps payloads as they
// are; what a kernel loads from there and stores elsewhere are bits again.
Test(parts, keep_floats_where_places_have_one_type) {
    static const CompileOptions options[] = {
        {.numeric = COMPILE_IEEE, .optimize = 1},
        {.numeric = COMPILE_PAYLOAD, .optimize = 1, .instrumentation = {.enabled = true}},
    };
    enum { ELEMENTS = 16 };
    for (size_t o = 0; o < BASE_COUNT(options); o++) {
        uint32_t results[2][ELEMENTS], kept[2][ELEMENTS];
        CompileOptions own = options[o];
        own.instrumentation.algebra = fpsan_default_algebra();
        for (unsigned uniform = 0; uniform < 2; uniform++) {
            float x[ELEMENTS];
            Block block = {0};
            Compiled c = {0};
            c.compiler = compiler_open(&c.diagnostics);
            c.module = tir_parse_text(&c.diagnostics, "parts.mlir", summing, strlen(summing));
            cr_assert(c.module && tir_verify(&c.diagnostics, c.module), "%s", problem_of(&c));
            c.module->functions[0].uniform_memory = uniform;
            c.code = compiler_load(c.compiler, &c.diagnostics, tir_program(c.module), &own);
            cr_assert(c.code, "%s", problem_of(&c));
            for (int i = 0; i < ELEMENTS; i++) x[i] = (float)(i % 5 - 2) / 4;
            cr_assert_eq(run_on(&c, &block, x, ELEMENTS), 0);
            memcpy(results[uniform], x, sizeof x);
            memcpy(kept[uniform], block.memory, sizeof x);
            close_compiled(&c);
        }
        cr_expect_arr_eq(results[0], results[1], sizeof results[0]);
        cr_expect_arr_eq(results[0], kept[0], sizeof results[0]);
        for (int i = 0; i < ELEMENTS; i++) {
            const FpsanAlgebra algebra = fpsan_default_algebra();
            const uint32_t bits = results[1][i], payload = (uint32_t)fpsan_embed(algebra.profile, FPSAN_F32, bits);
            cr_expect_eq(kept[1][i], own.numeric == COMPILE_IEEE ? bits : payload, "%zu, %d: %x", o, i, kept[1][i]);
        }
    }
}

// ---- what is refused ------------------------------------------------------------------------------------------------

static void expect_refused(const char *text, const CompileOptions *options, const char *message) {
    Compiled c = compile(text, options);
    cr_expect(!c.code && strstr(problem_of(&c), message), "%s", problem_of(&c));
    close_compiled(&c);
}

Test(parts, are_for_processors) {
    expect_refused(copying, &(CompileOptions){.gpu = "sm_90", .simt = true}, "run on processors only");
    Compiled c = compile(copying, &(CompileOptions){0});
    Buffer object = {0};
    cr_expect_not(compiler_emit(c.compiler, &c.diagnostics, tir_program(c.module), &(CompileOptions){0}, COMPILE_OBJECT,
                                &object));
    cr_expect(strstr(problem_of(&c), "kernel 'k' has blocks with parts"), "%s", problem_of(&c));
    buffer_free(&object);
    close_compiled(&c);
}

// Such blocks run in order, also where a part asks: the next one is what it gets.
Test(parts, may_take_the_place_of_blocks) {
    static const char text[] =
        "entry @k(%memory: tile<ptr<i8>>) memory<64> {\n"
        "%part = constant <i32: 1> : tile<i32>\n"
        "%r, %t = block_operation \"fork\" of \"fork\"(%part) : (tile<i32>) -> tile<i64>, token\n return\n}\n"
        "part @p of @k(%memory: tile<ptr<i8>>) {\n"
        "%0 = constant <i32: 0> : tile<i32>\n"
        "%r, %t = block_operation \"try_cancel\" of \"clc\"(%0, %0) : (tile<i32>, tile<i32>) -> tile<i64>, token\n"
        " return\n}\n";
    Compiled c = compile(text, &(CompileOptions){0});
    cr_assert(c.code, "%s", problem_of(&c));
    cr_expect(c.code->kernels[0].cancels);
    close_compiled(&c);
    c = compile(copying, &(CompileOptions){0});
    cr_assert(c.code, "%s", problem_of(&c));
    cr_expect(!c.code->kernels[1].cancels);
    close_compiled(&c);
}
