// SPDX-License-Identifier: Apache-2.0
// What tells compilations apart: another value of any option that says what is compiled gives another key.
#include "diff/machine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define MODULE SOURCE_DIR "/tests/bad/copy_size_64.tileirbc"

static const TowerMeaning meaning = {0.5, {{1, 2, 3}, 4}}, other_value = {0.25, {{1, 2, 3}, 4}},
                          other_payload = {0.5, {{1, 2, 4}, 4}}, other_state = {0.5, {{1, 2, 3}, 5}};
static const CompileOptions plain = {.meanings = &meaning, .meaning_count = 1, .optimize = 1};

static const MathSettings flushing = {.command.denormals = MATH_DENORMALS_PRESERVE_SIGN},
                          strict = {.command.mode = MATH_strict + 1};

static const bool first[] = {true, false}, second[] = {false, true};
static const CompileKernels first_kernel = {first, 2}, second_kernel = {second, 2}, one_kernel = {first, 1};

static const CompileReplaced replaced_ops[] = {
    {"k", "exp", {.file = "a", .line = 1, .column = 2, .offset = 3}},
    {"l", "exp", {.file = "a", .line = 1, .column = 2, .offset = 3}},
    {"k", "log", {.file = "a", .line = 1, .column = 2, .offset = 3}},
    {"k", "exp", {.file = "b", .line = 1, .column = 2, .offset = 3}},
    {"k", "exp", {.line = 1, .column = 2, .offset = 3}},
    {"k", "exp", {.file = "a", .line = 2, .column = 2, .offset = 3}},
    {"k", "exp", {.file = "a", .line = 1, .column = 3, .offset = 3}},
    {"k", "exp", {.file = "a", .line = 1, .column = 2, .offset = 4}},
};

static CompileOptions options[64];
static size_t count;

// Options as `plain` but for one.
#define OTHER(field, ...) (options[count] = plain, options[count++].field = __VA_ARGS__)

static CacheKey key_of(const FpdMachine *machine, const Program *module, const CompileOptions *o) {
    CacheKey key = {0};
    cr_assert(fpd_compile_key(machine, module, o, &key));
    return key;
}

static bool same(CacheKey a, CacheKey b) {
    return a.low == b.low && a.high == b.high;
}

Test(compile_key, every_option_counts) {
    Diagnostics diagnostics = {0};
    const Program *module = program_read(&diagnostics, MODULE);
    FpdMachine machine = {0};
    cr_assert(module && fpd_machine_open(&diagnostics, 1, &machine));
    options[count++] = plain;
    // Numbers: another value of each row. Whatever else is pointed to: by hand.
#define OTHER_NUMBER(field)   options[count] = plain, *(uint8_t *)&options[count++].field ^= 1;
#define OTHER_TEXT(field)     OTHER(field, "other");
#define OTHER_NOTHING(field)  (void)plain.field;
#define OTHER_MEANINGS(field) OTHER(field, &other_value), OTHER(field, &other_payload), OTHER(field, &other_state);
#define OTHER_MATH(field)     OTHER(field, &flushing), OTHER(field, &strict);
#define OTHER_REPLACED(field)                                                                                          \
    for (size_t r = 0; r < BASE_COUNT(replaced_ops); r++) OTHER(field, &replaced_ops[r]);
#define OTHER_KERNELS(field) OTHER(field, &first_kernel), OTHER(field, &second_kernel), OTHER(field, &one_kernel);
#define OTHER_INSTRUMENTATION(field)                                                                                   \
    OTHER(field.enabled, !plain.field.enabled);                                                                        \
    OTHER(field.algebra.casts, FPSAN_CASTS_HOMOMORPHIC);                                                               \
    OTHER(field.algebra.profile, fpsan_profile_at(0));
#define OPTION(type, field, identity) OTHER_##identity(field)
#include "compiler/compile_options.def"
#undef OPTION
    CacheKey keys[BASE_COUNT(options)];
    for (size_t i = 0; i < count; i++) {
        keys[i] = key_of(&machine, module, &options[i]);
        cr_expect(same(keys[i], key_of(&machine, module, &options[i])));
        for (size_t k = 0; k < i; k++) cr_expect(!same(keys[i], keys[k]), "%zu and %zu have one key", k, i);
    }
    FpdMachine emulated = machine;
    emulated.target = FPD_TARGET_simt;
    cr_expect(!same(keys[0], key_of(&emulated, module, &plain)));
    program_close(module);
    fpd_machine_close(&machine);
    diagnostics_close(&diagnostics);
}

// Two users of one module; as many idle ones as are kept, and one more; what is used stays whatever comes.
Test(kept_modules, found_until_too_many_are_idle) {
    enum { MANY = 66 };
    Diagnostics diagnostics = {0};
    const Program *module = program_read(&diagnostics, MODULE);
    FpdMachine machine = {0};
    cr_assert(module && fpd_machine_open(&diagnostics, 1, &machine));
    FpdKept *kept = fpd_kept_open(machine.compiler);
    CompiledModule *modules[MANY];
    cr_expect_null(fpd_kept_find(kept, (CacheKey){0, 0}));
    for (uint64_t i = 0; i < MANY; i++) {
        modules[i] = compiler_load(machine.compiler, &diagnostics, module, &(CompileOptions){0});
        cr_assert(modules[i]);
        fpd_kept_add(kept, (CacheKey){i, 0}, modules[i]);
        if (i) cr_expect(fpd_kept_release(kept, modules[i]));
    }
    cr_expect_eq(fpd_kept_find(kept, (CacheKey){0, 0}), modules[0]); // in use all the time
    cr_expect_null(fpd_kept_find(kept, (CacheKey){1, 0}));           // the oldest of 65
    cr_expect_null(fpd_kept_find(kept, (CacheKey){2, 1}));
    for (uint64_t i = 2; i < MANY; i++) {
        cr_expect_eq(fpd_kept_find(kept, (CacheKey){i, 0}), modules[i]);
        cr_expect(fpd_kept_release(kept, modules[i]));
    }
    cr_expect(fpd_kept_release(kept, modules[0]) && fpd_kept_release(kept, modules[0]));
    CompiledModule *foreign = compiler_load(machine.compiler, &diagnostics, module, &(CompileOptions){0});
    cr_expect(!fpd_kept_release(kept, foreign));
    compiled_module_close(machine.compiler, foreign);
    fpd_kept_close(kept);
    program_close(module);
    fpd_machine_close(&machine);
    diagnostics_close(&diagnostics);
}

// Programs of PTX are told apart by their text.
Test(compile_key, ptx) {
    static const char *const files[] = {SOURCE_DIR "/tests/cases/ptx/launches.ptx",
                                        SOURCE_DIR "/tests/cases/ptx/maps.ptx"};
    Diagnostics diagnostics = {0};
    FpdMachine machine = {0};
    CacheKey keys[3];
    cr_assert(fpd_machine_open(&diagnostics, 1, &machine));
    for (int i = 0; i < 3; i++) {
        const Program *module = program_read(&diagnostics, files[i % 2]);
        cr_assert(module);
        keys[i] = key_of(&machine, module, &plain);
        program_close(module);
    }
    cr_expect(same(keys[0], keys[2]) && !same(keys[0], keys[1]));
    fpd_machine_close(&machine);
    diagnostics_close(&diagnostics);
}

static bool is_scale(CompiledModule *compiled[1][FPD_MODE_COUNT]) {
    return !strncmp(compiled[0][0]->kernels[0].name, "scale", strlen("scale"));
}

// What is kept under the key of a program is what is run for it.
Test(kept_code, is_found_by_its_key) {
    static const char other[] = SOURCE_DIR "/docs/host_abi_example/scale.tileirbc";
    char folder[] = "/tmp/kept_code.XXXXXX";
    cr_assert(mkdtemp(folder));
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    Buffer code = {0};
    FpdMachine machine = {.cache.folder = folder};
    CompiledModule *compiled[1][FPD_MODE_COUNT] = {0};
    FpdModule module = {.program = program_read(&diagnostics, MODULE), .compiled = compiled}, *modules[] = {&module};
    const Program *foreign = program_read(&diagnostics, other);
    cr_assert(module.program && foreign && fpd_machine_open(&diagnostics, 1, &machine));
    const CompileOptions asked = {.optimize = 1};
    const FpdCompileWork work = {.modules = modules, .count = 1, .options = &asked};
    const FpdCase cas = {0};
    FpdPrograms programs = {.cas = &cas, .modules = &module, .module_count = 1};
    cr_assert(fpd_compile_modules(&diagnostics, &arena, &machine, &work));
    cr_expect(!is_scale(compiled));
    fpd_close_compiled(&machine, &programs);
    cr_assert(compiler_make(machine.compiler, &diagnostics, foreign, &asked, &code));
    cache_put(&machine.cache, key_of(&machine, module.program, &asked), code.data, code.size);
    cr_assert(fpd_compile_modules(&diagnostics, &arena, &machine, &work));
    cr_expect(is_scale(compiled));
    fpd_close_compiled(&machine, &programs);
    // Without the cache it is the program's own.
    machine.cache.folder = NULL;
    cr_assert(fpd_compile_modules(&diagnostics, &arena, &machine, &work));
    cr_expect(!is_scale(compiled));
    fpd_close_compiled(&machine, &programs);
    cr_assert_eq(system(arena_format(&arena, "rm -r %s", folder)), 0);
    buffer_free(&code);
    program_close(module.program);
    program_close(foreign);
    fpd_machine_close(&machine);
    arena_reset(&arena);
    diagnostics_close(&diagnostics);
}
