// SPDX-License-Identifier: Apache-2.0
// Where ptxas and libdevice are looked for, in folders made for it; and libdevice files that will not do.
#include "target_test.h"

#include <ftw.h>
#include <llvm-c/BitWriter.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64]; // of the test that runs: each is a process of its own

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

static void remove_root(void) {
    if (*root) nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void make_root(void) {
    static const char *const unset[] = {"CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV"};
    for (size_t i = 0; i < BASE_COUNT(unset); i++) unsetenv(unset[i]);
    strcpy(root, "/tmp/toolkit-test-XXXXXX");
    cr_assert(mkdtemp(root));
    setenv("PATH", "", true);
}

static const char *below(Arena *arena, const char *path) {
    return arena_format(arena, "%s/%s", root, path);
}

// A file with its folders, which may be run.
static void make_file(const char *path, const char *text) {
    Arena arena = {0};
    char *whole = arena_format(&arena, "%s/%s", root, path);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    cr_assert(file, "%s", whole);
    fputs(text, file);
    fclose(file);
    chmod(whole, 0700);
    arena_reset(&arena);
}

// What is found is `path` below the root; NULL: nothing.
static void expect_found(ToolkitFileId id, const char *path) {
    Arena arena = {0};
    const char *const system[] = {below(&arena, "system"), NULL};
    const char *found = toolkit_search(&arena, id, system);
    if (path)
        cr_expect(found && !strcmp(found, below(&arena, path)), "%s, found %s", path, found ? found : "nothing");
    else
        cr_expect_null(found, "%s", found);
    arena_reset(&arena);
}

static void set_path(const char *name, const char *path) {
    Arena arena = {0};
    setenv(name, below(&arena, path), true);
    arena_reset(&arena);
}

// Each place goes before those that were made before it.
Test(toolkit, the_order_of_places, .init = make_root, .fini = remove_root) {
    static const char device[] = "nvvm/libdevice/libdevice.10.bc";
    Arena arena = {0};
    expect_found(TOOLKIT_PTXAS, NULL);
    expect_found(TOOLKIT_LIBDEVICE, NULL);
    make_file("python/bin/python3", "");
    setenv("PATH", arena_format(&arena, ":%s/nowhere::%s/python/bin", root, root), true);
    expect_found(TOOLKIT_PTXAS, NULL);
    make_file("python/lib/python3.11/site-packages/triton/backends/nvidia/bin/ptxas", "");
    make_file("python/lib/python3.11/site-packages/triton/backends/nvidia/lib/libdevice.10.bc", "");
    expect_found(TOOLKIT_PTXAS, "python/lib/python3.11/site-packages/triton/backends/nvidia/bin/ptxas");
    expect_found(TOOLKIT_LIBDEVICE, "python/lib/python3.11/site-packages/triton/backends/nvidia/lib/libdevice.10.bc");
    make_file("python/lib/python3.11/site-packages/nvidia/cuda_nvcc/bin/ptxas", "");
    expect_found(TOOLKIT_PTXAS, "python/lib/python3.11/site-packages/nvidia/cuda_nvcc/bin/ptxas");
    make_file("environment/lib/python3.12/site-packages/nvidia/cu13/bin/ptxas", "");
    make_file("environment/lib/python3.12/site-packages/nvidia/cu13/nvvm/libdevice/libdevice.10.bc", "");
    set_path("VIRTUAL_ENV", "environment");
    expect_found(TOOLKIT_PTXAS, "environment/lib/python3.12/site-packages/nvidia/cu13/bin/ptxas");
    expect_found(TOOLKIT_LIBDEVICE,
                 "environment/lib/python3.12/site-packages/nvidia/cu13/nvvm/libdevice/libdevice.10.bc");
    make_file("system/bin/ptxas", "");
    make_file(arena_format(&arena, "system/%s", device), "");
    expect_found(TOOLKIT_PTXAS, "system/bin/ptxas");
    expect_found(TOOLKIT_LIBDEVICE, arena_format(&arena, "system/%s", device));
    make_file("tools/bin/ptxas", "");
    make_file(arena_format(&arena, "tools/%s", device), "");
    setenv("PATH", arena_format(&arena, "%s/tools/bin:%s", root, getenv("PATH")), true);
    expect_found(TOOLKIT_PTXAS, "tools/bin/ptxas");
    expect_found(TOOLKIT_LIBDEVICE, arena_format(&arena, "tools/%s", device));
    make_file("path/bin/ptxas", "");
    set_path("CUDA_PATH", "path");
    expect_found(TOOLKIT_PTXAS, "path/bin/ptxas");
    expect_found(TOOLKIT_LIBDEVICE, arena_format(&arena, "tools/%s", device)); // there is none in CUDA_PATH
    make_file("home/bin/ptxas", "");
    set_path("CUDA_HOME", "home");
    expect_found(TOOLKIT_PTXAS, "home/bin/ptxas");
    arena_reset(&arena);
}

Test(toolkit, a_link_to_python_counts_where_it_is_and_where_it_goes, .init = make_root, .fini = remove_root) {
    Arena arena = {0};
    make_file("real/bin/python3", "");
    make_file("real/lib/python3.11/dist-packages/nvidia/cu13/bin/ptxas", "");
    make_file("link/bin/other", "");
    cr_assert_eq(symlink(below(&arena, "real/bin/python3"), below(&arena, "link/bin/python3")), 0);
    set_path("PATH", "link/bin");
    expect_found(TOOLKIT_PTXAS, "real/lib/python3.11/dist-packages/nvidia/cu13/bin/ptxas");
    make_file("link/lib/python3.11/site-packages/nvidia/cu13/bin/ptxas", "");
    expect_found(TOOLKIT_PTXAS, "link/lib/python3.11/site-packages/nvidia/cu13/bin/ptxas");
    arena_reset(&arena);
}

Test(toolkit, what_is_no_program_is_passed_by, .init = make_root, .fini = remove_root) {
    Arena arena = {0};
    make_file("folder/bin/ptxas/inside", "");
    make_file("text/bin/ptxas", "");
    chmod(below(&arena, "text/bin/ptxas"), 0600);
    make_file("odd [*]/bin/ptxas", "");
    setenv("PATH", arena_format(&arena, "%s/folder/bin:%s/text/bin:%s/odd [*]/bin", root, root, root), true);
    expect_found(TOOLKIT_PTXAS, "odd [*]/bin/ptxas");
    make_file("venv [*]/lib/python3.9/site-packages/nvidia/cu12/bin/ptxas", "");
    set_path("VIRTUAL_ENV", "venv [*]");
    setenv("PATH", "", true);
    expect_found(TOOLKIT_PTXAS, "venv [*]/lib/python3.9/site-packages/nvidia/cu12/bin/ptxas");
    arena_reset(&arena);
}

// ---- libdevice ------------------------------------------------------------------------------------------------------

// Links a module that calls __nv_log, with libdevice of CUDA_HOME; the PTX, or the error.
static bool link_log(Buffer *ptx, Diagnostics *diagnostics) {
    Target *target = target_open_gpu(diagnostics, "sm_80", 3);
    TestModule test = test_parse(target, diagnostics,
                                 "declare double @__nv_log(double)\n"
                                 "define ptx_kernel void @f(ptr addrspace(1) %p) {"
                                 " %a = load double, ptr addrspace(1) %p %b = call double @__nv_log(double %a)"
                                 " store double %b, ptr addrspace(1) %p ret void }");
    bool good = target_check_calls(target, diagnostics, test.module) &&
                target_link_libdevice(target, diagnostics, test.module) &&
                target_optimize(target, diagnostics, test.module) &&
                target_emit(target, diagnostics, test.module, COMPILE_ASM, ptx);
    buffer_print(ptx, "%s", "");
    test_close(&test);
    target_close(target);
    return good;
}

// libdevice.10.bc of CUDA_HOME from LLVM text.
static void make_libdevice(const char *text) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    Target *target = target_open_gpu(&diagnostics, "sm_80", 3);
    TestModule test = test_parse(target, &diagnostics, text);
    make_file("home/nvvm/libdevice/libdevice.10.bc", "");
    cr_assert_eq(LLVMWriteBitcodeToFile(test.module, below(&arena, "home/nvvm/libdevice/libdevice.10.bc")), 0);
    set_path("CUDA_HOME", "home");
    test_close(&test);
    target_close(target);
    arena_reset(&arena);
}

Test(toolkit, only_what_is_called_comes_from_libdevice, .init = make_root, .fini = remove_root) {
    Diagnostics diagnostics = {0};
    Buffer ptx = {0};
    make_libdevice("@ftz = private constant [11 x i8] c\"__CUDA_FTZ\\00\"\n"
                   "declare i32 @__nvvm_reflect(ptr)\n"
                   "define internal double @helper(double %a) { %b = fmul double %a, 3.0 ret double %b }\n"
                   "define double @__nv_unused(double %a) { %b = call double @helper(double %a) ret double %b }\n"
                   "define double @__nv_log(double %a) alwaysinline { %f = call i32 @__nvvm_reflect(ptr @ftz)"
                   " %c = icmp eq i32 %f, 0 br i1 %c, label %y, label %n\n"
                   "y: %b = call double @helper(double %a) ret double %b\n"
                   "n: ret double 77.0 }");
    cr_assert(link_log(&ptx, &diagnostics), "%s", diagnostics.count ? diagnostics.items[0].message : "");
    cr_expect(strstr(ptx.data, "mul.rn.f64"), "%s", ptx.data);
    cr_expect_not(strstr(ptx.data, ".func") || strstr(ptx.data, "__nv") || strstr(ptx.data, "call"), "%s", ptx.data);
    buffer_free(&ptx);
}

// Keys that nobody knows are no zeros.
Test(toolkit, libdevice_that_asks_an_unknown_key, .init = make_root, .fini = remove_root) {
    Diagnostics diagnostics = {0};
    Buffer ptx = {0};
    make_libdevice("@key = private constant [11 x i8] c\"__CUDA_FOO\\00\"\n"
                   "declare i32 @__nvvm_reflect(ptr)\n"
                   "define double @__nv_log(double %a) { %f = call i32 @__nvvm_reflect(ptr @key)"
                   " %c = sitofp i32 %f to double ret double %c }");
    cr_expect_not(link_log(&ptx, &diagnostics));
    cr_assert_eq(diagnostics.count, 1);
    cr_expect_eq(diagnostics.items[0].code, E_BACKEND);
    cr_expect_str_eq(diagnostics.items[0].message,
                     "__nv_log asks __nvvm_reflect for '__CUDA_FOO'; known keys are __CUDA_FTZ, __CUDA_PREC_SQRT, "
                     "__CUDA_PREC_DIV, __CUDA_PREC_RSQRT, __CUDA_PREC_LOG, __CUDA_ARCH");
    buffer_free(&ptx);
    diagnostics_close(&diagnostics);
}

Test(toolkit, libdevice_without_the_function, .init = make_root, .fini = remove_root) {
    Diagnostics diagnostics = {0};
    Buffer ptx = {0};
    make_libdevice("define double @__nv_exp(double %a) { ret double %a }");
    cr_expect_not(link_log(&ptx, &diagnostics));
    cr_assert_eq(diagnostics.count, 1);
    cr_expect_eq(diagnostics.items[0].code, E_BACKEND);
    cr_expect_str_eq(diagnostics.items[0].message, "has no __nv_log");
    buffer_free(&ptx);
    diagnostics_close(&diagnostics);
}

// A function of that name and other types cannot be called.
Test(toolkit, libdevice_with_another_function, .init = make_root, .fini = remove_root) {
    Diagnostics diagnostics = {0};
    Buffer ptx = {0};
    make_libdevice("define float @__nv_log(float %a) { ret float %a }");
    cr_expect_not(link_log(&ptx, &diagnostics));
    cr_assert_eq(diagnostics.count, 1);
    cr_expect_str_eq(diagnostics.items[0].message, "has another __nv_log");
    buffer_free(&ptx);
    diagnostics_close(&diagnostics);
}

Test(toolkit, libdevice_that_is_no_bitcode, .init = make_root, .fini = remove_root) {
    static const char *const texts[] = {"", "not bitcode", "BC\xc0\xde but no more of it"};
    for (size_t i = 0; i < BASE_COUNT(texts); i++) {
        Diagnostics diagnostics = {0};
        Buffer ptx = {0};
        make_file("home/nvvm/libdevice/libdevice.10.bc", texts[i]);
        set_path("CUDA_HOME", "home");
        cr_expect_not(link_log(&ptx, &diagnostics));
        cr_assert_eq(diagnostics.count, 1);
        cr_expect(diagnostics.items[0].code == E_BACKEND || diagnostics.items[0].code == E_LLVM);
        buffer_free(&ptx);
        diagnostics_close(&diagnostics);
    }
}
