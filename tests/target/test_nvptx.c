// SPDX-License-Identifier: Apache-2.0
// GPUs: names, what LLVM can select and what is refused before it sees it, PTX, ptxas (skipped where there is none).
#include "target_test.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *last_message(const Diagnostics *diagnostics) {
    return diagnostics->count ? diagnostics->items[diagnostics->count - 1].message : "";
}

// The PTX of a module for a GPU, all checks passed; buffer_free is due.
static Buffer make_ptx(const Target *target, const char *text) {
    Diagnostics diagnostics = {0};
    Buffer ptx = {0};
    TestModule test = test_parse(target, &diagnostics, text);
    cr_assert(target_check_calls(target, &diagnostics, test.module), "%s", last_message(&diagnostics));
    cr_assert(target_optimize(target, &diagnostics, test.module), "%s", last_message(&diagnostics));
    cr_assert(target_emit(target, &diagnostics, test.module, COMPILE_ASM, &ptx));
    buffer_print(&ptx, "%s", "");
    test_close(&test);
    return ptx;
}

static Target *open_gpu(const char *name, unsigned level) {
    Diagnostics diagnostics = {0};
    Target *target = target_open_gpu(&diagnostics, name, level);
    cr_assert(target, "%s", last_message(&diagnostics));
    return target;
}

// False where this machine has no ptxas.
static bool can_assemble(void) {
    Diagnostics diagnostics = {0};
    Buffer cubin = {0}, ptx = {0};
    Target *target = open_gpu("sm_80", 3);
    buffer_print(&ptx, ".version 7.0\n.target sm_80\n.address_size 64\n");
    bool good = target_assemble(target, &diagnostics, &(CompileOptions){0}, &ptx, &cubin);
    buffer_free(&cubin);
    buffer_free(&ptx);
    diagnostics_close(&diagnostics);
    target_close(target);
    return good;
}

Test(nvptx, unknown_names_are_refused) {
    static const char *const names[] = {"", "sm_70", "sm_90a", "sm_107", "SM_90", "host", "haswell"};
    for (size_t i = 0; i < BASE_COUNT(names); i++) {
        Diagnostics diagnostics = {0};
        cr_expect_null(target_open_gpu(&diagnostics, names[i], 2), "%s", names[i]);
        cr_assert_eq(diagnostics.count, 1);
        cr_expect_eq(diagnostics.items[0].code, E_TARGET);
        cr_expect(strstr(diagnostics.items[0].message, "known are: sm_80, sm_86, "));
        diagnostics_close(&diagnostics);
    }
}

Test(nvptx, every_row_is_a_gpu_of_llvm_with_its_version_of_ptx) {
    for (size_t i = 0; target_gpu_at(i); i++) {
        const TargetGpu *gpu = target_gpu_at(i);
        Target *target = open_gpu(gpu->name, 3);
        Buffer ptx = make_ptx(target, "define ptx_kernel void @f(ptr addrspace(1) %p) \"nvvm.reqntid\"=\"64,1,1\" {"
                                      " store i32 1, ptr addrspace(1) %p ret void }"),
               version = {0};
        buffer_print(&version, ".version %u.%u\n.target %s\n", gpu->ptx / 10, gpu->ptx % 10, gpu->name);
        cr_expect(strstr(ptx.data, version.data), "%s:\n%s", gpu->name, ptx.data);
        cr_expect(strstr(ptx.data, ".visible .entry f("));
        cr_expect(strstr(ptx.data, ".reqntid 64, 1, 1"));
        cr_expect_eq(target_machine(target)->gpu, gpu->compute);
        cr_expect_eq(target_machine(target)->shared_bytes % 1024, 0);
        buffer_free(&ptx);
        buffer_free(&version);
        target_close(target);
    }
}

// ---- what may be called ---------------------------------------------------------------------------------------------

static const struct CallCase {
    const char *gpu, *expected, *text; // expected NULL: fine
} call_cases[] = {
    {"sm_80", "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32 needs sm_89 and PTX 8.4; code for sm_80 is PTX 7.0",
     "declare {float, float, float, float} @llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32(i32, i32, i32, i32, i32, "
     "i32, float, float, float, float)\n"
     "define void @f(i32 %a, float %b) { %c = call {float, float, float, float} "
     "@llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32(i32 %a, i32 %a, i32 %a, i32 %a, i32 %a, i32 %a, float %b, "
     "float %b, float %b, float %b) ret void }"},
    {"sm_90", "llvm.nvvm.clusterlaunchcontrol.query_cancel.is_canceled is nothing that code for sm_90 can do",
     "declare i1 @llvm.nvvm.clusterlaunchcontrol.query_cancel.is_canceled(i128)\n"
     "define i1 @f(i128 %a) { %b = call i1 @llvm.nvvm.clusterlaunchcontrol.query_cancel.is_canceled(i128 %a) ret i1 %b "
     "}"},
    {"sm_90", "llvm.sin.f64 is nothing that code for sm_90 can do",
     "declare double @llvm.sin.f64(double)\n"
     "define double @f(double %a) { %b = call double @llvm.sin.f64(double %a) ret double %b }"},
    {"sm_90", "llvm.x86.sse2.pause is nothing",
     "declare void @llvm.x86.sse2.pause()\ndefine void @f() { call void @llvm.x86.sse2.pause() ret void }"},
    {"sm_90", "expf is nothing",
     "declare float @expf(float)\ndefine float @f(float %a) { %b = call float @expf(float %a) ret float %b }"},
    {"sm_90", NULL, "declare float @expf(float)\ndefine float @f(float %a) { ret float %a }"},
};

Test(nvptx, what_a_gpu_cannot_do_is_refused) {
    for (size_t i = 0; i < BASE_COUNT(call_cases); i++) {
        const struct CallCase *c = &call_cases[i];
        Diagnostics diagnostics = {0};
        Target *target = open_gpu(c->gpu, 3);
        TestModule test = test_parse(target, &diagnostics, c->text);
        cr_expect_eq(target_check_calls(target, &diagnostics, test.module), !c->expected);
        if (c->expected) {
            cr_expect(strstr(last_message(&diagnostics), c->expected), "%s", last_message(&diagnostics));
            cr_assert_eq(diagnostics.count, 1);
            cr_expect_eq(diagnostics.items[0].code, E_UNSUPPORTED);
        }
        test_close(&test);
        target_close(target);
        diagnostics_close(&diagnostics);
    }
}

Test(nvptx, names_of_kernels) {
    static const char *const free_names[] = {"f", "add", "tid", "_f", "$f", "f_1$", "memcpy", "expf", "main"};
    static const char *const others[] = {"",  "1f",      "f.g",    "f-g",      "f g",  "_",         "WARP_SZ",
                                         "$", "vprintf", "malloc", "__nv_exp", "%tid", "f\xc3\xa4", "f\n"};
    for (size_t i = 0; i < BASE_COUNT(free_names); i++)
        cr_expect(target_gpu_name_is_free(free_names[i]), "%s", free_names[i]);
    for (size_t i = 0; i < BASE_COUNT(others); i++) cr_expect_not(target_gpu_name_is_free(others[i]), "%s", others[i]);
}

Test(nvptx, every_free_name_assembles) {
    if (!can_assemble()) cr_skip("no ptxas");
    static const char *const names[] = {"f",  "add",  "ret", "tid", "entry", "_f",
                                        "$f", "f_1$", "b32", "if",  "main",  "sm_90"};
    Diagnostics diagnostics = {0};
    Target *target = open_gpu("sm_80", 3);
    Buffer text = {0}, cubin = {0};
    for (size_t i = 0; i < BASE_COUNT(names); i++) {
        cr_expect(target_gpu_name_is_free(names[i]));
        buffer_print(&text, "define ptx_kernel void @%s() { ret void }\n", names[i]);
    }
    Buffer ptx = make_ptx(target, text.data);
    cr_expect(target_assemble(target, &diagnostics, &(CompileOptions){0}, &ptx, &cubin), "%s",
              last_message(&diagnostics));
    buffer_free(&ptx);
    buffer_free(&text);
    buffer_free(&cubin);
    target_close(target);
}

// ---- arithmetic -----------------------------------------------------------------------------------------------------

Test(nvptx, nothing_is_contracted_or_flushed) {
    static const char text[] = "define ptx_kernel void @f(ptr addrspace(1) %p, float %a, float %b) {"
                               " %m = fmul float %a, %b %s = fadd float %m, %b %d = fdiv float %s, %b"
                               " store float %d, ptr addrspace(1) %p ret void }";
    for (unsigned level = 0; level <= 3; level++) {
        Target *target = open_gpu("sm_90", level);
        Buffer ptx = make_ptx(target, text);
        cr_expect(strstr(ptx.data, "mul.rn.f32") && strstr(ptx.data, "add.rn.f32") && strstr(ptx.data, "div.rn.f32"),
                  "%s", ptx.data);
        cr_expect_not(strstr(ptx.data, "fma") || strstr(ptx.data, ".ftz"), "%s", ptx.data);
        buffer_free(&ptx);
        target_close(target);
    }
}

// ---- ptxas ----------------------------------------------------------------------------------------------------------

// A folder with bin/ptxas, a script; remove_toolkit is due.
static void make_toolkit(char *folder, const char *script) {
    char path[200];
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/bin", folder);
    cr_assert_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/bin/ptxas", folder);
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    fclose(file);
    cr_assert_eq(chmod(path, 0700), 0);
    setenv("CUDA_HOME", folder, true);
}

static void remove_toolkit(const char *folder) {
    char path[200];
    snprintf(path, sizeof path, "%s/bin/ptxas", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/bin", folder);
    rmdir(path);
    cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
}

static const struct ScriptCase {
    const char *script, *expected;
    ErrorCode code;
} script_cases[] = {
    {"if [ $1 = --version ]; then echo 'Cuda compilation tools, release 12.3, V12.3.107'; exit; fi\n"
     "echo \"ptxas kernels.ptx, line 5; fatal   : Unsupported .version 8.4; current version is '8.3'\" >&2; exit 255",
     "this is CUDA 12.3; code for sm_90 needs release 12.4 or newer (PTX 8.4)", E_BACKEND},
    {"if [ $1 = --version ]; then echo 'Cuda compilation tools, release 11.7, V11.7.64'; exit; fi\n"
     "echo \"ptxas fatal   : Value 'sm_90' is not defined for option 'gpu-name'\" >&2; exit 1",
     "this is CUDA 11.7; code for sm_90 needs release 12.4", E_BACKEND},
    {"echo \"ptxas info    : 0 bytes gmem\"; echo \"ptxas $9, line 12; error   : Arguments mismatch for instruction "
     "'add'\"; echo 'ptxas fatal   : Ptx assembly aborted due to errors'; exit 255",
     "status 255: line 12: Arguments mismatch for instruction 'add'", E_LLVM},
    {"echo 'ptxas fatal   : Memory allocation failure'; exit 2", "status 2: Memory allocation failure", E_LLVM},
    {"exit 3", "status 3: no reason given", E_LLVM},
    {"kill -SEGV $$", "ended by signal 11", E_LLVM},
    {"exit 0", "cannot open", E_FILE}, // no cubin
};

Test(nvptx, what_ptxas_says_is_told) {
    char temporary[] = "/tmp/nvptx-temporary-XXXXXX";
    cr_assert(mkdtemp(temporary));
    setenv("TMPDIR", temporary, true);
    for (size_t i = 0; i < BASE_COUNT(script_cases); i++) {
        char folder[] = "/tmp/nvptx-toolkit-XXXXXX";
        Diagnostics diagnostics = {0};
        Buffer cubin = {0}, ptx = {0};
        Target *target = open_gpu("sm_90", 3);
        buffer_print(&ptx, "anything");
        make_toolkit(folder, script_cases[i].script);
        cr_expect_not(target_assemble(target, &diagnostics, &(CompileOptions){0}, &ptx, &cubin));
        cr_assert_eq(diagnostics.count, 1);
        cr_expect(strstr(last_message(&diagnostics), script_cases[i].expected), "%s", last_message(&diagnostics));
        cr_expect_eq(diagnostics.items[0].code, script_cases[i].code, "%s", last_message(&diagnostics));
        cr_expect_eq(cubin.size, 0);
        remove_toolkit(folder);
        buffer_free(&ptx);
        target_close(target);
        diagnostics_close(&diagnostics);
    }
    cr_expect_eq(rmdir(temporary), 0, "temporary files are left");
}

Test(nvptx, ptxas_gets_what_was_asked_for) {
    char folder[] = "/tmp/nvptx-toolkit-XXXXXX", saved[] = "/tmp/nvptx-saved-XXXXXX";
    int file = mkstemp(saved);
    cr_assert(file >= 0);
    close(file);
    Diagnostics diagnostics = {0};
    CompileResources resources = {0};
    Buffer cubin = {0}, ptx = {0};
    Target *target = open_gpu("sm_103", 1);
    CompileOptions options = {.line_info = true, .resources = &resources, .save = saved};
    buffer_print(&ptx, "some PTX");
    make_toolkit(folder, "for last; do :; done; while [ $1 != --output-file ]; do all=\"$all $1\"; shift; done\n"
                         "{ echo \"$all\"; cat $last; } >$2\n"
                         "cat >&2 <<'END'\n"
                         "ptxas info    : 16 bytes gmem\n"
                         "ptxas info    : Compiling entry function 'first' for 'sm_103'\n"
                         "ptxas info    : Function properties for first\n"
                         "    24 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n"
                         "ptxas info    : Used 255 registers, used 2 barriers, 24 bytes cumulative stack size, 1040 "
                         "bytes smem, 16 bytes cmem[2]\n"
                         "ptxas info    : Function properties for helper\n"
                         "    100 bytes stack frame, 1 bytes spill stores, 2 bytes spill loads\n"
                         "ptxas info    : Compile time = 26.908 ms\n"
                         "ptxas info    : Compiling entry function 'second' for 'sm_103'\n"
                         "ptxas info    : Function properties for second\n"
                         "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                         "ptxas info    : Used 8 registers, used 0 barriers\n"
                         "END");
    cr_assert(target_assemble(target, &diagnostics, &options, &ptx, &cubin), "%s", last_message(&diagnostics));
    buffer_print(&cubin, "%s", "");
    cr_expect_str_eq(cubin.data, " --gpu-name sm_103 -O1 --fmad=false --generate-line-info --verbose\nsome PTX");
    cr_assert_eq(resources.count, 2);
    CompileKernelResources first = resources.kernels[0], second = resources.kernels[1];
    cr_expect_str_eq(first.kernel, "first");
    cr_expect(first.registers == 255 && first.barriers == 2 && first.shared_bytes == 1040);
    cr_expect(first.stack_bytes == 24 && first.spill_store_bytes == 9 && first.spill_load_bytes == 6);
    cr_expect_str_eq(second.kernel, "second");
    cr_expect(second.registers == 8 && !second.barriers && !second.stack_bytes && !second.spill_load_bytes);
    char text[20] = "";
    FILE *kept = fopen(saved, "r");
    cr_expect(kept && fgets(text, sizeof text, kept));
    if (kept) fclose(kept);
    cr_expect_str_eq(text, "some PTX");
    unlink(saved);
    remove_toolkit(folder);
    arena_reset(&resources.arena);
    buffer_free(&ptx);
    buffer_free(&cubin);
    target_close(target);
}

Test(nvptx, cubins_of_every_gpu) {
    if (!can_assemble()) cr_skip("no ptxas");
    static const char text[] =
        "@congruent_shared = external addrspace(3) global [0 x i8], align 16\n"
        "@f_sites = addrspace(1) constant [3 x i8] c\"a\\09b\", align 8\n"
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "declare i32 @llvm.nvvm.read.ptx.sreg.laneid()\n"
        "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
        "declare void @llvm.nvvm.bar.warp.sync(i32)\n"
        "declare void @llvm.nvvm.exit()\n"
        "declare void @llvm.nvvm.nanosleep(i32)\n"
        "declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)\n"
        "declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)\n"
        "declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)\n"
        "declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)\n"
        "declare {i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3))\n"
        "declare {i32, i32, i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3))\n"
        "declare {i32, i32, i32, i32} @llvm.nvvm.mma.m16n8k32.row.col.s8.u8(i32, i32, i32, i32, i32, i32, i32, i32, "
        "i32, i32)\n"
        "declare {float, float, float, float} @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32, i32, i32, i32, i32, i32, "
        "float, float, float, float)\n"
        "define ptx_kernel void @f(ptr addrspace(1) %p, i64 %n, i16 %h) \"nvvm.reqntid\"=\"128,1,1\" {\n"
        "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "  %s = getelementptr <4 x i32>, ptr addrspace(3) @congruent_shared, i32 %t\n"
        "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
        "  call void @llvm.nvvm.bar.warp.sync(i32 -1)\n"
        "  %m = call {i32, i32, i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %s)\n"
        "  %k = call {i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3) %s)\n"
        "  %a = extractvalue {i32, i32, i32, i32} %m, 0\n"
        "  %b = extractvalue {i32, i32} %k, 1\n"
        "  %i = call {i32, i32, i32, i32} @llvm.nvvm.mma.m16n8k32.row.col.s8.u8(i32 %a, i32 %a, i32 %a, i32 %a, i32 "
        "%b, i32 %b, i32 %t, i32 %t, i32 %t, i32 %t)\n"
        "  %r = call {float, float, float, float} @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32 %a, i32 %a, i32 %a, i32 %a, "
        "i32 %b, i32 %b, float 0.0, float 1.0, float 2.0, float 3.0)\n"
        "  %i0 = extractvalue {i32, i32, i32, i32} %i, 0\n"
        "  %r0 = extractvalue {float, float, float, float} %r, 3\n"
        "  %u = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %i0, i32 1, i32 0)\n"
        "  %d = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %u, i32 1, i32 31)\n"
        "  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %d, i32 16, i32 31)\n"
        "  %y = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %x, i32 %t, i32 31)\n"
        "  %c = icmp eq i32 %y, 77\n"
        "  br i1 %c, label %fail, label %fine\n"
        "fail:\n"
        "  call void @llvm.nvvm.nanosleep(i32 100)\n"
        "  call void @llvm.nvvm.exit()\n"
        "  unreachable\n"
        "fine:\n"
        "  %q = atomicrmw add ptr addrspace(1) %p, i32 %y acq_rel\n"
        "  %z = atomicrmw fadd ptr addrspace(1) %p, float %r0 monotonic\n"
        "  fence acquire\n"
        "  ret void\n"
        "}\n";
    for (size_t i = 0; target_gpu_at(i); i++) {
        Diagnostics diagnostics = {0};
        CompileResources resources = {0};
        Buffer cubin = {0};
        Target *target = open_gpu(target_gpu_at(i)->name, 3);
        Buffer ptx = make_ptx(target, text);
        cr_assert(target_assemble(target, &diagnostics, &(CompileOptions){.resources = &resources}, &ptx, &cubin), "%s",
                  last_message(&diagnostics));
        cr_expect(cubin.size > 100 && !memcmp(cubin.data, "\177ELF", 4));
        cr_assert_eq(resources.count, 1);
        cr_expect(resources.kernels[0].registers >= 8 && resources.kernels[0].barriers == 1);
        arena_reset(&resources.arena);
        buffer_free(&ptx);
        buffer_free(&cubin);
        target_close(target);
    }
}

Test(nvptx, lines_are_directives_that_leave_code_optimised) {
    for (int debugger = 0; debugger < 2; debugger++) {
        Diagnostics diagnostics = {0};
        Buffer ptx = {0}, cubin = {0};
        Target *target = open_gpu("sm_90", debugger ? 0 : 3);
        LLVMContextRef context = LLVMContextCreate();
        LLVMModuleRef module = LLVMModuleCreateWithNameInContext("lines", context);
        LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
        target_prepare(target, &diagnostics, module);
        DebugLines *lines = debug_open(module, "/src/k.tileirbc", debugger);
        LLVMTypeRef word = LLVMInt32TypeInContext(context), pointer = LLVMPointerTypeInContext(context, 1);
        LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), &pointer, 1, false);
        LLVMValueRef function = LLVMAddFunction(module, "f", type);
        LLVMSetFunctionCallConv(function, 71); // ptx_kernel
        LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
        debug_function(lines, builder, function, (Location){.file = "/src/kernel.py", .line = 10});
        debug_at(lines, builder, (Location){.file = "/src/kernel.py", .line = 12, .column = 9});
        LLVMBuildStore(builder, LLVMConstInt(word, 5, false), LLVMGetParam(function, 0));
        LLVMBuildRetVoid(builder);
        debug_close(lines, builder);
        LLVMDisposeBuilder(builder);
        cr_assert(target_optimize(target, &diagnostics, module), "%s", last_message(&diagnostics));
        cr_assert(target_emit(target, &diagnostics, module, COMPILE_ASM, &ptx));
        buffer_print(&ptx, "%s", "");
        cr_expect(strstr(ptx.data, "kernel.py"));
        cr_expect(strstr(ptx.data, "12 9"), "%s", ptx.data);
        cr_expect_eq(strstr(ptx.data, ", debug\n") != NULL, debugger, "%s", ptx.data);
        CompileOptions options = {.line_info = true, .debugger = debugger};
        if (can_assemble())
            cr_expect(target_assemble(target, &diagnostics, &options, &ptx, &cubin), "%s", last_message(&diagnostics));
        LLVMDisposeModule(module);
        LLVMContextDispose(context);
        buffer_free(&ptx);
        buffer_free(&cubin);
        target_close(target);
    }
}
