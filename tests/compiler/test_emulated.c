// SPDX-License-Identifier: Apache-2.0
// compiler_load with the option `simt`, and the emulator: a kernel for GPUs runs here and does what the host's does.
#include "compiler/compiler.h"
#include "compiler/tileir/tir.h"
#include "runtime/rt.h"

#include <criterion/criterion.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static Compiler *compiler_of_test(void) {
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    cr_assert(compiler, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    return compiler;
}

// gpu NULL: for the host.
static CompiledModule *load_file(Compiler *compiler, const char *path, CompileNumeric numeric, const char *gpu,
                                 unsigned optimize) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_read_file(&diagnostics, path);
    cr_assert(module && tir_verify(&diagnostics, module), "%s", diagnostics.count ? diagnostics.items[0].message : "");
    CompileTimes times = {0};
    CompileOptions options = {
        .numeric = numeric, .optimize = optimize, .gpu = gpu, .simt = gpu != NULL, .times = &times};
    options.instrumentation.enabled = numeric != COMPILE_IEEE;
    options.instrumentation.algebra = fpsan_default_algebra();
    CompiledModule *compiled = compiler_load(compiler, &diagnostics, tir_program(module), &options);
    cr_assert(compiled, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    cr_expect(times.lower > 0 && times.optimize > 0 && times.generate > 0 && times.link > 0);
    tir_module_close(module);
    return compiled;
}

enum { SCALED = 200 };

// y = 2 x + 0.5 on `count` elements of x = 0, 1, ... in buffers of SCALED.
static bool scale_on(const CompiledModule *compiled, Diagnostics *diagnostics, uint32_t count, float *y) {
    const KernelInfo *kernel = &compiled->kernels[0];
    float x[SCALED], factor = 2.0f, offset = 0.5f;
    RtDeviceOptions options = {.jobs = 2, .address_range = 1 << 24};
    RtDevice *device = kernel->simt ? rt_open_simt(diagnostics, &options) : rt_open_host(diagnostics, &options);
    cr_assert(device);
    RtBuffer *in = rt_alloc(device, diagnostics, sizeof x), *out = rt_alloc(device, diagnostics, sizeof x);
    for (int i = 0; i < SCALED; i++) x[i] = (float)i;
    rt_copy_in(device, diagnostics, in, 0, x, sizeof x);
    RtArgument arguments[] = {{in->address, in}, {count, NULL}, {1, NULL}, {out->address, out},
                              {count, NULL},     {1, NULL},     {0, NULL}, {0, NULL}};
    memcpy(&arguments[6].bits, &factor, 4);
    memcpy(&arguments[7].bits, &offset, 4);
    bool good = rt_launch(device, diagnostics,
                          &(RtLaunch){.label = "test", .kernel = kernel, .grid = {4, 1, 1}, .arguments = arguments});
    rt_copy_out(device, diagnostics, out, 0, y, sizeof x);
    rt_close(device);
    return good;
}

// Elements and, for the element too many, the message.
static void compare_scaled(Compiler *compiler, CompileNumeric numeric, const char *gpu, unsigned optimize) {
    static const char file[] = SOURCE_DIR "/docs/host_abi_example/scale.tileirbc";
    CompiledModule *modules[2] = {load_file(compiler, file, numeric, NULL, 2),
                                  load_file(compiler, file, numeric, gpu, optimize)};
    cr_expect_null(modules[1]->kernels[0].entry);
    cr_expect_null(modules[1]->kernels[0].image);
    cr_assert(modules[1]->kernels[0].simt && modules[1]->kernels[0].launch && modules[1]->kernels[0].simt_ops);
    cr_expect(modules[1]->kernels[0].threads % SIMT_WARP == 0 && modules[1]->kernels[0].threads);
    cr_expect_gt(modules[1]->kernels[0].place_count, 4);
    float y[2][SCALED];
    for (uint32_t count = SCALED - 7; count <= SCALED + 1; count += 4) {
        Diagnostics diagnostics[2];
        memset(diagnostics, 0, sizeof diagnostics);
        for (int i = 0; i < 2; i++)
            cr_expect_eq(scale_on(modules[i], &diagnostics[i], count, y[i]), count <= SCALED, "%s: %s",
                         i ? gpu : "host", diagnostics[i].count ? diagnostics[i].items[0].message : "no error");
        if (count <= SCALED)
            cr_expect_eq(memcmp(y[0], y[1], sizeof y[0]), 0, "%s at level %u", gpu, optimize);
        else
            cr_expect_str_eq(diagnostics[0].items[0].message, diagnostics[1].items[0].message);
        for (int i = 0; i < 2; i++) diagnostics_close(&diagnostics[i]);
    }
    for (int i = 0; i < 2; i++) compiled_module_close(compiler, modules[i]);
}

Test(emulated, does_what_the_host_does) {
    Compiler *compiler = compiler_of_test();
    for (int numeric = COMPILE_IEEE; numeric <= COMPILE_PAYLOAD; numeric++) {
        compare_scaled(compiler, (CompileNumeric)numeric, "sm_80", 0);
        compare_scaled(compiler, (CompileNumeric)numeric, "sm_90", 3);
        compare_scaled(compiler, (CompileNumeric)numeric, "sm_120", 2);
    }
    compiler_close(compiler);
}

// Debug locations, which say the places, are of the kernel that the code is of; shared functions have none.
Test(emulated, several_kernels_in_a_module) {
    Compiler *compiler = compiler_of_test();
    CompiledModule *compiled =
        load_file(compiler, SOURCE_DIR "/tests/cases/views/order.mlir", COMPILE_PAYLOAD, "sm_90", 2);
    cr_assert_eq(compiled->kernel_count, 2);
    cr_expect(compiled->kernels[0].simt && compiled->kernels[1].simt);
    cr_expect_neq(compiled->kernels[0].simt, compiled->kernels[1].simt);
    cr_expect_str_eq(compiled->kernels[1].name, "alone");
    bool stores = false;
    for (uint32_t i = 0; i < compiled->kernels[0].place_count; i++)
        stores |= compiled->kernels[0].places[i].op && !strcmp(compiled->kernels[0].places[i].op, "store_view_tko") &&
                  compiled->kernels[0].places[i].at.line &&
                  strstr(compiled->kernels[0].places[i].at.file, "order.mlir");
    cr_expect(stores);
    compiled_module_close(compiler, compiled);
    compiler_close(compiler);
}

Test(emulated, the_tower_is_for_the_host) {
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_of_test();
    TirModule *module = tir_read_file(&diagnostics, SOURCE_DIR "/docs/host_abi_example/scale.tileirbc");
    cr_assert(module && tir_verify(&diagnostics, module));
    CompileOptions options = {.numeric = COMPILE_SHADOW, .optimize = 2, .gpu = "sm_90", .simt = true};
    cr_expect_null(compiler_load(compiler, &diagnostics, tir_program(module), &options));
    cr_assert_eq(diagnostics.count, 1);
    cr_expect_eq(diagnostics.items[0].code, E_UNSUPPORTED);
    options = (CompileOptions){.optimize = 2, .gpu = "sm_1", .simt = true};
    cr_expect_null(compiler_load(compiler, &diagnostics, tir_program(module), &options));
    cr_expect_eq(diagnostics.items[1].code, E_TARGET);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    compiler_close(compiler);
}

// ---- prints

static void keep_text(void *data, const char *text, size_t size) {
    buffer_append(data, text, size);
}

static const KernelInfo *find_kernel(const CompiledModule *compiled, const char *name) {
    uint32_t i = 0;
    while (i < compiled->kernel_count && strcmp(compiled->kernels[i].name, name)) i++;
    cr_assert_lt(i, compiled->kernel_count);
    return &compiled->kernels[i];
}

// What blocks of `show` print; one record of each is of 192 bytes, the other of 64.
static void show_on(const CompiledModule *compiled, size_t print_bytes, uint32_t blocks, const char *error) {
    static const char rest[] = "\0 and \xff: [[+0, +1], [+2, +3]]%\ndone\n";
    const KernelInfo *kernel = find_kernel(compiled, "show");
    cr_assert(kernel->prints && kernel->print_form_count == 2);
    Diagnostics diagnostics = {0};
    Buffer found = {0}, expected = {0};
    RtDevice *device =
        rt_open_simt(&diagnostics, &(RtDeviceOptions){.jobs = 1, .address_range = 1 << 24, .print_bytes = print_bytes});
    cr_assert(device);
    rt_print_to(device, keep_text, &found);
    cr_expect_eq(rt_launch(device, &diagnostics, &(RtLaunch){.label = "L", .kernel = kernel, .grid = {30, 1, 1}}),
                 !error);
    for (uint32_t b = 0; b < blocks; b++) {
        buffer_print(&expected, "block %u\tof ", b);
        buffer_append(&expected, rest, sizeof rest - 1);
    }
    cr_expect(found.size == expected.size && !memcmp(found.data, expected.data, found.size), "%.*s", (int)found.size,
              found.data);
    if (error) cr_expect_str_eq(diagnostics.count ? diagnostics.items[0].message : "", error);
    rt_close(device);
    buffer_free(&found);
    buffer_free(&expected);
    diagnostics_close(&diagnostics);
}

Test(emulated, prints) {
    Compiler *compiler = compiler_of_test();
    for (unsigned optimize = 0; optimize <= 3; optimize += 3) {
        CompiledModule *compiled =
            load_file(compiler, SOURCE_DIR "/tests/cuda/kernels.mlir", COMPILE_PAYLOAD, "sm_90", optimize);
        show_on(compiled, 0, 30, NULL);
        show_on(compiled, 30 * 256, 30, NULL);
        show_on(compiled, 2 * 256 + 191, 2,
                "L: the blocks of kernel show print 7680 bytes of elements and their records, more than the 640 that "
                "simt keeps for a launch: some of it is missing");
        compiled_module_close(compiler, compiled);
    }
    compiler_close(compiler);
}

// One thread of block 5 alone, as if the others had gone before; what stands in shared memory is the address of
// `victim`.
enum { LONE_BLOCK = 5, VICTIM_BYTES = 1 << 10 };
typedef struct LonePrints {
    _Alignas(GPU_PRINT_ALIGNMENT) GpuPrints head;
    _Alignas(GPU_PRINT_ALIGNMENT) uint8_t room[1 << 10];
} LonePrints;
static uint32_t lone_thread;
static _Alignas(128) uint64_t lone_shared[1 << 10];

static uint32_t lone_special(uint32_t which) {
    switch (which) {
    case SIMT_TID_X:
    case SIMT_LANEID: return lone_thread;
    case SIMT_NTID_X: return SIMT_WARP;
    case SIMT_CTAID_X: return LONE_BLOCK;
    case SIMT_CTAID_Y:
    case SIMT_CTAID_Z: return 0;
    default: return 10;
    }
}
static void *lone_shared_memory(void) {
    return lone_shared;
}
static void lone_barrier(uint32_t place) {
    (void)place;
}
static void lone_access(const void *address, uint32_t bytes, uint32_t flags, uint32_t place) {
    (void)address, (void)bytes, (void)flags, (void)place;
}

// How many bytes of records it takes; *victim: whether it wrote to the address in shared memory.
static uint64_t run_lone(const CompiledModule *compiled, uint32_t thread, GpuFault fault, bool *victim) {
    static const SimtOps ops = {
        .special = lone_special, .shared = lone_shared_memory, .barrier = lone_barrier, .access = lone_access};
    static LonePrints prints;
    static _Alignas(GPU_PRINT_ALIGNMENT) uint8_t memory[VICTIM_BYTES];
    memset(&prints, 0, sizeof prints);
    memset(memory, 0xee, sizeof memory);
    prints.head.size = sizeof prints.room;
    for (size_t i = 0; i < BASE_COUNT(lone_shared); i++) lone_shared[i] = (uintptr_t)memory;
    lone_thread = thread;
    *compiled->kernels[0].simt_ops = &ops;
    *compiled->kernels[0].launch = (GpuLaunch){.fault = (uintptr_t)&fault, .prints = (uintptr_t)&prints};
    find_kernel(compiled, "show")->simt(NULL);
    cr_expect_eq(fault.lock, 0);
    *victim = false;
    for (size_t i = 0; i < sizeof memory; i++) *victim |= memory[i] != 0xee;
    return prints.head.used;
}

// Threads of a GPU go on where another thread of their block has failed: they print nothing then, and do not follow
// what nobody has written. The emulator ends such blocks itself.
Test(emulated, threads_of_a_block_that_failed_print_nothing) {
    Compiler *compiler = compiler_of_test();
    CompiledModule *compiled = load_file(compiler, SOURCE_DIR "/tests/cuda/kernels.mlir", COMPILE_PAYLOAD, "sm_90", 2);
    static const struct {
        GpuFault fault;
        bool prints;
    } rows[] = {
        {{.site = 0}, true},
        {{.site = 1, .block = LONE_BLOCK + 1}, true},
        {{.site = 1, .block = LONE_BLOCK}, false},
        {{.site = 1, .block = 0}, false},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        bool victim;
        cr_expect_eq(run_lone(compiled, 0, rows[i].fault, &victim), rows[i].prints ? 256 : 0, "row %zu", i);
        cr_expect_not(victim);
        cr_expect_eq(run_lone(compiled, 1, rows[i].fault, &victim), 0);
        cr_expect_eq(victim, rows[i].prints, "row %zu", i);
    }
    compiled_module_close(compiler, compiled);
    compiler_close(compiler);
}

// How a thread's loop ends that another thread does not end.
enum { LONE_RUNS, LONE_EXITS, LONE_LIMIT, LONE_BARRIERS_MAX = 100 };
static jmp_buf lone_end;
static unsigned lone_barriers;

static void lone_counted_barrier(uint32_t place) {
    (void)place;
    if (++lone_barriers > LONE_BARRIERS_MAX) longjmp(lone_end, LONE_LIMIT);
}
static void lone_exit(void) {
    longjmp(lone_end, LONE_EXITS);
}
static void lone_pause(void) {}

// `told`: each byte of shared memory.
static int run_lone_loop(const CompiledModule *compiled, const char *kernel, uint8_t told, GpuFault fault) {
    static const SimtOps ops = {.special = lone_special,
                                .shared = lone_shared_memory,
                                .barrier = lone_counted_barrier,
                                .access = lone_access,
                                .pause = lone_pause,
                                .exit = lone_exit};
    static int32_t buffers[2][16];
    static GpuFault record;
    const uint64_t arguments[] = {(uintptr_t)buffers[0], (uintptr_t)buffers[1]};
    memset(lone_shared, told, sizeof lone_shared);
    record = fault;
    lone_thread = 1;
    lone_barriers = 0;
    *compiled->kernels[0].simt_ops = &ops;
    *compiled->kernels[0].launch = (GpuLaunch){.fault = (uintptr_t)&record};
    const int end = setjmp(lone_end);
    if (end == LONE_RUNS) find_kernel(compiled, kernel)->simt(arguments);
    return end;
}

// What thread 0 tells the others never comes where it has failed.
Test(emulated, loops_of_a_block_that_failed_end) {
    Compiler *compiler = compiler_of_test();
    CompiledModule *compiled =
        load_file(compiler, SOURCE_DIR "/tests/compiler/loops.mlir", COMPILE_PAYLOAD, "sm_90", 2);
    static const struct {
        const char *kernel;
        uint8_t told;
        GpuFault fault;
        int end;
    } rows[] = {
        {"waits", 0, {.site = 0}, LONE_LIMIT},
        {"waits", 0, {.site = 1, .block = LONE_BLOCK}, LONE_EXITS},
        {"waits", 0, {.site = 1, .block = LONE_BLOCK + 1}, LONE_EXITS},
        {"takes_tasks", 0, {.site = 0}, LONE_LIMIT},
        {"takes_tasks", 0, {.site = 1, .block = LONE_BLOCK}, LONE_EXITS},
        {"takes_tasks", 0, {.site = 1, .block = LONE_BLOCK + 1}, LONE_LIMIT},
        {"counted", 1, {.site = 0}, LONE_LIMIT},
        {"counted", 1, {.site = 1, .block = LONE_BLOCK}, LONE_EXITS},
        {"fixed", 1, {.site = 1, .block = LONE_BLOCK}, LONE_LIMIT},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        cr_expect_eq(run_lone_loop(compiled, rows[i].kernel, rows[i].told, rows[i].fault), rows[i].end, "row %zu", i);
    compiled_module_close(compiler, compiled);
    compiler_close(compiler);
}
