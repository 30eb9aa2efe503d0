// SPDX-License-Identifier: Apache-2.0
// compiler.h as a program uses it: open, load, run, unload, emit; names that clash; several threads.
#include "compiler/compiler.h"
#include "compiler/tileir/tir.h"
#include "runtime/rt.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SCALE_FILE SOURCE_DIR "/docs/host_abi_example/scale.tileirbc"

static Compiler *open_compiler(void) {
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    cr_assert(compiler, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    return compiler;
}

static TirModule *read_module(const char *path) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_read_file(&diagnostics, path);
    cr_assert(module && tir_verify(&diagnostics, module), "%s", diagnostics.count ? diagnostics.items[0].message : "");
    return module;
}

static CompileOptions options_of(CompileNumeric numeric) {
    CompileOptions options = {.numeric = numeric, .optimize = 2};
    options.instrumentation.enabled = numeric != COMPILE_IEEE;
    options.instrumentation.algebra = fpsan_default_algebra();
    return options;
}

// Loads scale.tileirbc with its entry called `name` (NULL: as it is); the Tile IR is gone afterwards.
static CompiledModule *load_scale(Compiler *compiler, CompileNumeric numeric, const char *name) {
    Diagnostics diagnostics = {0};
    TirModule *module = read_module(SCALE_FILE);
    if (name) module->functions[0].name = name;
    CompileOptions options = options_of(numeric);
    CompileTimes times = {0};
    options.times = &times;
    CompiledModule *compiled = compiler_load(compiler, &diagnostics, tir_program(module), &options);
    cr_assert(!compiled || (times.lower > 0 && times.optimize > 0 && times.generate > 0 && times.link > 0));
    cr_assert(compiled, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    tir_module_close(module);
    return compiled;
}

// y = 2 x + 0.5 on `count` elements in buffers of 200; whether it ran and was right. Element 0 of y in payload
// arithmetic: x is 0.
static bool run_scale(const KernelInfo *kernel, uint32_t count, bool exact, Diagnostics *diagnostics) {
    float x[200], y[200], factor = 2.0f, offset = 0.5f;
    RtDevice *device = rt_open_host(diagnostics, &(RtDeviceOptions){.jobs = 2, .address_range = 1 << 24});
    RtBuffer *in = rt_alloc(device, diagnostics, sizeof x), *out = rt_alloc(device, diagnostics, sizeof y);
    for (int i = 0; i < 200; i++) x[i] = (float)i;
    rt_copy_in(device, diagnostics, in, 0, x, sizeof x);
    RtArgument arguments[] = {{in->address, in}, {count, NULL}, {1, NULL}, {out->address, out},
                              {count, NULL},     {1, NULL},     {0, NULL}, {0, NULL}};
    memcpy(&arguments[6].bits, &factor, 4);
    memcpy(&arguments[7].bits, &offset, 4);
    bool good = rt_launch(device, diagnostics,
                          &(RtLaunch){.label = "test", .kernel = kernel, .grid = {4, 1, 1}, .arguments = arguments});
    rt_copy_out(device, diagnostics, out, 0, y, sizeof y);
    rt_close(device);
    for (int i = 0; good && i < 200; i++) good = exact ? y[i] == 2.0f * (float)i + 0.5f : i || y[i] == 0.5f;
    return good;
}

Test(backend, says_what_it_is) {
    Compiler *compiler = open_compiler();
    cr_expect_eq(strncmp(compiler_llvm_version(compiler), "22.", 3), 0);
    cr_expect_gt(strlen(compiler_host_cpu(compiler)), 0);
    Compiler *again = open_compiler();
    compiler_close(compiler);
    cr_expect_eq(strncmp(compiler_llvm_version(again), "22.", 3), 0);
    compiler_close(again);
    compiler_close(NULL);
}

Test(backend, kernels_outlive_their_tile_ir) {
    Compiler *compiler = open_compiler();
    for (int numeric = COMPILE_IEEE; numeric <= COMPILE_PAYLOAD; numeric++) {
        Diagnostics diagnostics = {0};
        CompiledModule *compiled = load_scale(compiler, (CompileNumeric)numeric, NULL);
        cr_assert_eq(compiled->kernel_count, 1);
        const KernelInfo *kernel = &compiled->kernels[0];
        cr_expect_eq(strncmp(kernel->name, "scale_Kt1_", 10), 0);
        cr_expect_eq(kernel->parameter_count, 8);
        cr_expect_not(kernel->sequential);
        cr_expect(run_scale(kernel, 200, numeric == COMPILE_IEEE, &diagnostics));
        cr_expect_not(run_scale(kernel, 201, false, &diagnostics));
        cr_assert_eq(diagnostics.count, 1);
        cr_expect_eq(diagnostics.items[0].code, E_BOUNDS);
        cr_expect_str_eq(diagnostics.items[0].at.file, "/src/docs/host_abi_example/scale.py");
        cr_expect(strstr(diagnostics.items[0].message, "make_tensor_view: a tensor view of 804 bytes"), "%s",
                  diagnostics.items[0].message);
        diagnostics_close(&diagnostics);
        compiled_module_close(compiler, compiled);
    }
    compiled_module_close(compiler, NULL);
    compiler_close(compiler);
}

Test(backend, says_whether_the_order_of_blocks_shows) {
    static const struct {
        const char *name;
        bool heedless, grouped;
    } rows[] = {{"heedless_copy", true, false},       {"grouped_product", true, true}, {"relaxed_load", false, false},
                {"released_store", false, false},     {"atomic", false, false},        {"loop", false, false},
                {"product_that_prints", false, false}};
    Compiler *compiler = open_compiler();
    TirModule *module = read_module(SOURCE_DIR "/tests/compiler/orders.mlir");
    for (int numeric = COMPILE_IEEE; numeric <= COMPILE_SHADOW; numeric++) {
        Diagnostics diagnostics = {0};
        CompileOptions options = options_of((CompileNumeric)numeric);
        CompiledModule *compiled = compiler_load(compiler, &diagnostics, tir_program(module), &options);
        cr_assert(compiled, "%s", diagnostics.count ? diagnostics.items[0].message : "");
        cr_assert_eq(compiled->kernel_count, BASE_COUNT(rows));
        for (size_t i = 0; i < BASE_COUNT(rows); i++) {
            const KernelInfo *kernel = &compiled->kernels[i];
            cr_expect_str_eq(kernel->name, rows[i].name);
            cr_expect_eq(kernel->heedless, rows[i].heedless, "%s", kernel->name);
            cr_expect_eq(kernel->grouped, rows[i].grouped, "%s", kernel->name);
        }
        compiled_module_close(compiler, compiled);
    }
    tir_module_close(module);
    compiler_close(compiler);
}

// ---- names ----------------------------------------------------------------------------------------------------------

static const char *const library_names[] = {"memcpy", "memset", "tanhf", "main", "malloc"};

Test(backend, kernels_in_memory_may_have_any_name) {
    Compiler *compiler = open_compiler();
    for (size_t i = 0; i < BASE_COUNT(library_names); i++) {
        Diagnostics diagnostics = {0};
        CompiledModule *compiled = load_scale(compiler, COMPILE_IEEE, library_names[i]);
        cr_expect_str_eq(compiled->kernels[0].name, library_names[i]);
        cr_expect(run_scale(&compiled->kernels[0], 200, true, &diagnostics), "%s", library_names[i]);
        compiled_module_close(compiler, compiled);
    }
    compiler_close(compiler);
}

Test(backend, objects_do_not_take_names_of_the_c_library) {
    Compiler *compiler = open_compiler();
    CompileOptions options = options_of(COMPILE_IEEE);
    for (size_t i = 0; i < BASE_COUNT(library_names); i++) {
        Diagnostics diagnostics = {0};
        Buffer out = {0};
        TirModule *module = read_module(SCALE_FILE);
        module->functions[0].name = library_names[i];
        bool good = compiler_emit(compiler, &diagnostics, tir_program(module), &options, COMPILE_OBJECT, &out);
        cr_expect_eq(good, !strcmp(library_names[i], "main"), "%s", library_names[i]); // that one is the program's
        if (!good) {
            cr_expect_eq(diagnostics.items[0].code, E_UNSUPPORTED);
            cr_expect(strstr(diagnostics.items[0].message, library_names[i]));
            cr_expect_eq(out.size, 0);
        }
        tir_module_close(module);
        buffer_free(&out);
        diagnostics_close(&diagnostics);
    }
    compiler_close(compiler);
}

// An entry without parameters that only returns.
static void add_empty_entry(TirModule *module, const char *name) {
    TirType type = tir_type_intern(module, &(TirTypeInfo){.kind = TIR_TYPE_function});
    TirFunction *function = tir_function_add(module, name, type, true);
    tir_op_add(function->body.first, &(TirNewOp){.kind = TIR_OP_return});
}

Test(backend, names_in_an_object_must_differ) {
    Compiler *compiler = open_compiler();
    static const char *const second[] = {"a_sites", "a_scratch_bytes", "b_sites"};
    for (size_t i = 0; i < BASE_COUNT(second); i++) {
        Diagnostics diagnostics = {0};
        Buffer out = {0};
        TirModule *module = tir_module_open("made.tileirbc");
        CompileOptions options = options_of(COMPILE_IEEE);
        add_empty_entry(module, "a");
        add_empty_entry(module, second[i]);
        bool good = compiler_emit(compiler, &diagnostics, tir_program(module), &options, COMPILE_OBJECT, &out);
        cr_expect_eq(good, i == 2, "%s", diagnostics.count ? diagnostics.items[0].message : "no error");
        if (!good) cr_expect(strstr(diagnostics.items[0].message, "two things of the object would be called 'a_s"));
        CompiledModule *compiled = compiler_load(compiler, &diagnostics, tir_program(module), &options);
        cr_assert(compiled); // in memory they need not differ
        cr_assert_eq(compiled->kernel_count, 2);
        cr_expect_str_eq(compiled->kernels[1].name, second[i]);
        HostLaunch launch = {.grid = {1, 1, 1}};
        HostFault fault;
        for (int k = 0; k < 2; k++) cr_expect_eq(compiled->kernels[k].entry(&launch, NULL, 0, 0, 0, &fault), 0);
        compiled_module_close(compiler, compiled);
        tir_module_close(module);
        buffer_free(&out);
        diagnostics_close(&diagnostics);
    }
    compiler_close(compiler);
}

Test(backend, kernels_that_nobody_asks_for_have_no_code) {
    static const bool chosen[] = {false, true};
    const CompileKernels second = {chosen, 2};
    Compiler *compiler = open_compiler();
    Diagnostics diagnostics = {0};
    TirModule *module = tir_module_open("made.tileirbc");
    CompileOptions options = options_of(COMPILE_IEEE);
    options.kernels = &second;
    add_empty_entry(module, "a");
    add_empty_entry(module, "b");
    CompiledModule *compiled = compiler_load(compiler, &diagnostics, tir_program(module), &options);
    cr_assert(compiled && compiled->kernel_count == 2);
    HostLaunch launch = {.grid = {1, 1, 1}};
    HostFault fault;
    cr_expect(!compiled->kernels[0].entry && !strcmp(compiled->kernels[0].name, "a"));
    cr_assert(compiled->kernels[1].entry && !strcmp(compiled->kernels[1].name, "b"));
    cr_expect_eq(compiled->kernels[1].entry(&launch, NULL, 0, 0, 0, &fault), 0);
    compiled_module_close(compiler, compiled);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    compiler_close(compiler);
}

// ---- errors ---------------------------------------------------------------------------------------------------------

Test(backend, an_unknown_processor_is_refused) {
    Compiler *compiler = open_compiler();
    Diagnostics diagnostics = {0};
    Buffer out = {0};
    TirModule *module = read_module(SCALE_FILE);
    CompileOptions options = options_of(COMPILE_IEEE);
    options.cpu = "abacus";
    cr_expect_null(compiler_load(compiler, &diagnostics, tir_program(module), &options));
    cr_expect_not(compiler_emit(compiler, &diagnostics, tir_program(module), &options, COMPILE_ASM, &out));
    cr_assert_eq(diagnostics.count, 2);
    cr_expect_eq(diagnostics.items[0].code, E_TARGET);
    cr_expect_eq(diagnostics.items[1].code, E_TARGET);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    compiler_close(compiler);
}

// ---- threads --------------------------------------------------------------------------------------------------------

static void *load_and_run(void *compiler) {
    uintptr_t failures = 0;
    for (int i = 0; i < 4; i++) {
        Diagnostics diagnostics = {0};
        CompiledModule *compiled = load_scale(compiler, i % 2 ? COMPILE_PAYLOAD : COMPILE_IEEE, NULL);
        failures += !run_scale(&compiled->kernels[0], 200, i % 2 == 0, &diagnostics);
        compiled_module_close(compiler, compiled);
        diagnostics_close(&diagnostics);
    }
    return (void *)failures;
}

Test(backend, threads_load_at_the_same_time) {
    Compiler *compiler = open_compiler();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) cr_assert_eq(pthread_create(&threads[i], NULL, load_and_run, compiler), 0);
    for (int i = 0; i < 4; i++) {
        void *failures;
        pthread_join(threads[i], &failures);
        cr_expect_null(failures);
    }
    compiler_close(compiler);
}
