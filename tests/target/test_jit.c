// SPDX-License-Identifier: Apache-2.0
// Output and the JIT: kernels of the entry ABI written in LLVM text are compiled at every level, linked and called.
#include "target_test.h"

#include "base/host_abi.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// Stores x * 2 + grid[0] at 4-byte element x of argument 0; fails with site 3 if x is 5.
static const char kernel_text[] =
    "define i32 @double_it(ptr %launch, ptr %scratch, i32 %x, i32 %y, i32 %z, ptr %fault) {\n"
    "  %arguments = load ptr, ptr %launch\n"
    "  %address = load i64, ptr %arguments\n"
    "  %grid.at = getelementptr i8, ptr %launch, i64 40\n"
    "  %grid = load i32, ptr %grid.at\n"
    "  %twice = shl i32 %x, 1\n"
    "  %sum = add i32 %twice, %grid\n"
    "  %base = inttoptr i64 %address to ptr\n"
    "  %at = getelementptr i32, ptr %base, i32 %x\n"
    "  store i32 %sum, ptr %at\n"
    "  %bad = icmp eq i32 %x, 5\n"
    "  %site = select i1 %bad, i32 3, i32 0\n"
    "  ret i32 %site\n"
    "}\n";

static void *add_and_find(Jit *jit, unsigned level, const char *text, const char *name) {
    Diagnostics diagnostics = {0};
    Target *target = test_target(NULL, level);
    TestModule test = test_parse(target, &diagnostics, text);
    cr_assert(target_optimize(target, &diagnostics, test.module), "%s",
              diagnostics.count ? diagnostics.items[0].message : "");
    cr_assert(jit_add(jit, &diagnostics, target, test.module));
    test_close(&test); // the code must not need it
    target_close(target);
    void *address = jit_lookup(jit, &diagnostics, name);
    cr_assert(address, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    return address;
}

static Jit *open_jit(void) {
    Diagnostics diagnostics = {0};
    Jit *jit = jit_open(&diagnostics);
    cr_assert(jit);
    cr_expect_str_eq(jit_last_diagnostic(jit), "");
    return jit;
}

static void check_kernel(unsigned level) {
    Jit *jit = open_jit();
    HostEntry *entry = (HostEntry *)add_and_find(jit, level, kernel_text, "double_it");
    uint32_t memory[8] = {0};
    uint64_t argument = (uint64_t)(uintptr_t)memory;
    HostLaunch launch = {.arguments = &argument, .grid = {100, 1, 1}};
    HostFault fault;
    cr_assert_eq(offsetof(HostLaunch, grid), 40);
    for (uint32_t x = 0; x < 8; x++) cr_expect_eq(entry(&launch, NULL, x, 0, 0, &fault), x == 5 ? 3 : 0);
    for (uint32_t x = 0; x < 8; x++) cr_expect_eq(memory[x], 2 * x + 100);
    jit_close(jit);
}

Test(jit, runs_kernels_at_every_level) {
    for (unsigned level = 0; level <= 3; level++) check_kernel(level);
}

static void *check_often(void *level) {
    for (int i = 0; i < 5; i++) check_kernel((unsigned)(uintptr_t)level);
    return NULL;
}

Test(jit, threads_compile_at_the_same_time) {
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++) cr_assert_eq(pthread_create(&threads[i], NULL, check_often, (void *)i), 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

Test(jit, finds_the_c_library_and_libm) {
    Jit *jit = open_jit();
    double (*f)(double) = (double (*)(double))add_and_find(
        jit, 2,
        "declare double @cbrt(double)\ndefine double @f(double %x) { %y = call double @cbrt(double %x) ret double %y }",
        "f");
    volatile double x = 27.5; // not for the C compiler to compute
    cr_expect_eq(f(x), cbrt(x));
    int (*g)(void) = (int (*)(void))add_and_find(
        jit, 2, "declare i32 @getpid()\ndefine i32 @g() { %y = call i32 @getpid() ret i32 %y }", "g");
    cr_expect_eq(g(), getpid());
    jit_close(jit);
}

#if HAVE_MVEC && defined(__x86_64__)
// exp of <2 x double> (every x86-64) and of <8 x double> (AVX-512).
Test(jit, finds_libmvec) {
    Jit *jit = open_jit();
    double in[8] = {0, 1, -1, 0.5, 2, -3, 10, 0.1}, out[8];
    void (*two)(const double *, double *) = (void (*)(const double *, double *))add_and_find(
        jit, 2,
        "declare <2 x double> @_ZGVbN2v_exp(<2 x double>)\ndefine void @two(ptr %in, ptr %out) {\n"
        " %x = load <2 x double>, ptr %in, align 8\n %y = call <2 x double> @_ZGVbN2v_exp(<2 x double> %x)\n"
        " store <2 x double> %y, ptr %out, align 8\n ret void }",
        "two");
    two(in, out);
    for (int i = 0; i < 2; i++) cr_expect_lt(fabs(out[i] - exp(in[i])), 1e-15 * exp(in[i]) * 4);
    void *eight = add_and_find(
        jit, 2,
        "declare <8 x double> @_ZGVeN8v_exp(<8 x double>)\ndefine void @eight(ptr %in, ptr %out) {\n"
        " %x = load <8 x double>, ptr %in, align 8\n %y = call <8 x double> @_ZGVeN8v_exp(<8 x double> %x)\n"
        " store <8 x double> %y, ptr %out, align 8\n ret void }",
        "eight");
    Target *target = test_target(NULL, 2);
    if (machine_has(target_machine(target), MACHINE_AVX512BW)) {
        ((void (*)(const double *, double *))eight)(in, out);
        for (int i = 0; i < 8; i++) cr_expect_lt(fabs(out[i] - exp(in[i])), 1e-15 * exp(in[i]) * 4);
    }
    target_close(target);
    jit_close(jit);
}
#endif

Test(jit, a_missing_symbol_is_named) {
    Diagnostics diagnostics = {0};
    Jit *jit = open_jit();
    Target *target = test_target(NULL, 2);
    TestModule test =
        test_parse(target, &diagnostics,
                   "declare i32 @no_such_thing()\ndefine i32 @f() { %y = call i32 @no_such_thing() ret i32 %y }");
    cr_assert(jit_add(jit, &diagnostics, target, test.module));
    cr_expect_null(jit_lookup(jit, &diagnostics, "f"));
    cr_assert_eq(diagnostics.count, 1);
    cr_expect_eq(diagnostics.items[0].code, E_LLVM);
    cr_expect(strstr(diagnostics.items[0].message, "no_such_thing"), "%s", diagnostics.items[0].message);
    cr_expect_null(jit_lookup(jit, &diagnostics, "g"));
    cr_assert_eq(diagnostics.count, 2);
    cr_expect(strstr(diagnostics.items[1].message, "g"));
    test_close(&test);
    target_close(target);
    jit_close(jit);
    diagnostics_close(&diagnostics);
}

Test(jit, two_functions_of_one_name_are_refused) {
    Diagnostics diagnostics = {0};
    Jit *jit = open_jit();
    add_and_find(jit, 0, kernel_text, "double_it");
    Target *target = test_target(NULL, 0);
    TestModule test = test_parse(target, &diagnostics, kernel_text);
    cr_expect_not(jit_add(jit, &diagnostics, target, test.module));
    cr_assert_eq(diagnostics.count, 1);
    cr_expect(strstr(diagnostics.items[0].message, "double_it"), "%s", diagnostics.items[0].message);
    test_close(&test);
    target_close(target);
    jit_close(jit);
    diagnostics_close(&diagnostics);
}

// ---- optimising and output ------------------------------------------------------------------------------------------

Test(optimize, a_wrong_module_is_refused) {
    Diagnostics diagnostics = {0};
    Target *target = test_target(NULL, 2);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("wrong", context);
    target_prepare(target, &diagnostics, module);
    LLVMTypeRef type = LLVMFunctionType(LLVMInt32TypeInContext(context), NULL, 0, false);
    LLVMValueRef function = LLVMAddFunction(module, "f", type);
    LLVMAppendBasicBlockInContext(context, function, "no_terminator");
    cr_expect_not(target_optimize(target, &diagnostics, module));
    cr_assert_eq(diagnostics.count, 1);
    cr_expect_eq(diagnostics.items[0].code, E_LLVM);
    cr_expect(strstr(diagnostics.items[0].message, "terminator"), "%s", diagnostics.items[0].message);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    target_close(target);
    diagnostics_close(&diagnostics);
}

// Slots in memory become registers from level 1 on, and stay as written at level 0.
Test(optimize, levels_do_what_they_say) {
    static const char text[] =
        "define i32 @f(i32 %a) { %p = alloca i32 store i32 %a, ptr %p %b = load i32, ptr %p ret i32 %b }";
    for (unsigned level = 0; level <= 3; level++) {
        Diagnostics diagnostics = {0};
        Buffer out = {0};
        Target *target = test_target(NULL, level);
        cr_expect_eq(target_level(target), level);
        TestModule test = test_parse(target, &diagnostics, text);
        cr_assert(target_optimize(target, &diagnostics, test.module));
        cr_assert(target_emit(target, &diagnostics, test.module, COMPILE_LLVM, &out));
        buffer_print(&out, "%s", "");
        cr_expect_eq(strstr(out.data, "alloca") != NULL, level == 0);
        cr_expect(strstr(out.data, "target triple"));
        buffer_free(&out);
        test_close(&test);
        target_close(target);
    }
}

Test(emit, object_and_assembly) {
    Diagnostics diagnostics = {0};
    Buffer object = {0}, assembly = {0};
    Target *target = test_target(NULL, 2);
    TestModule test = test_parse(target, &diagnostics, kernel_text);
    cr_assert(target_optimize(target, &diagnostics, test.module));
    cr_assert(target_emit(target, &diagnostics, test.module, COMPILE_OBJECT, &object));
    cr_assert(target_emit(target, &diagnostics, test.module, COMPILE_ASM, &assembly));
    buffer_print(&assembly, "%s", "");
    cr_assert_gt(object.size, 64);
    cr_expect_eq(memcmp(object.data, "\177ELF", 4), 0);
    cr_expect(strstr(assembly.data, "double_it:"));
    buffer_free(&object);
    buffer_free(&assembly);
    test_close(&test);
    target_close(target);
}

// What LLVM reports through its context, without failing itself, fails the output.
Test(emit, errors_of_the_context_are_diagnostics) {
    Diagnostics diagnostics = {0};
    Buffer object = {0};
    Target *target = test_target(NULL, 2);
    TestModule test = test_parse(
        target, &diagnostics, "define void @f() { call void asm sideeffect \"no_such_instruction\", \"\"() ret void }");
    cr_assert(target_optimize(target, &diagnostics, test.module));
    cr_expect_not(target_emit(target, &diagnostics, test.module, COMPILE_OBJECT, &object));
    cr_assert_geq(diagnostics.count, 1);
    cr_expect_eq(diagnostics.items[0].code, E_LLVM);
    cr_expect_eq(object.size, 0);
    buffer_free(&object);
    test_close(&test);
    target_close(target);
    diagnostics_close(&diagnostics);
}

#if defined(__x86_64__)
// An instruction that the processor does not have ends the process with one line and status 5.
Test(fatal, prints_one_line_and_exits_5) {
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (!child) {
        static const char text[] =
            "declare <8 x i32> @llvm.x86.avx512.vpdpwssd.256(<8 x i32>, <16 x i16>, <16 x i16>)\n"
            "define <8 x i32> @f(<8 x i32> %a, <16 x i16> %b) {"
            " %d = call <8 x i32> @llvm.x86.avx512.vpdpwssd.256(<8 x i32> %a, <16 x i16> %b, <16 x i16> %b) ret <8 x "
            "i32> %d }";
        Diagnostics diagnostics = {0};
        Buffer object = {0};
        dup2(ends[1], 2);
        Target *target = target_open(&diagnostics, "x86-64", 2);
        TestModule test = test_parse(target, &diagnostics, text);
        llvm_now("'mmaf'", (Location){.file = "k.py", .line = 12});
        target_emit(target, &diagnostics, test.module, COMPILE_OBJECT, &object);
        _exit(0);
    }
    close(ends[1]);
    char line[500];
    size_t size = 0;
    for (ssize_t got; (got = read(ends[0], line + size, sizeof line - 1 - size)) > 0;) size += (size_t)got;
    line[size] = 0;
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 5, "status %d: %s", status, line);
    static const char start[] = "k.py:12: error: LLVM cannot go on with 'mmaf': ";
    cr_expect_eq(strncmp(line, start, sizeof start - 1), 0, "%s", line);
    cr_expect_eq(strchr(line, '\n'), line + size - 1);
    close(ends[0]);
}
#endif
