// SPDX-License-Identifier: Apache-2.0
// What the tables of this folder must have, name by name: a row that is lost would be a kernel that is refused.
#include "target_test.h"

#include <llvm-c/Core.h>
#include <stdio.h>

// Each word of a list between blanks.
static const char *next_word(const char **list, char word[64]) {
    *list += strspn(*list, " ");
    size_t length = strcspn(*list, " ");
    snprintf(word, 64, "%.*s", (int)length, *list);
    *list += length;
    return length ? word : NULL;
}

static const char *table_message(const Diagnostics *diagnostics) {
    return diagnostics->count ? diagnostics->items[diagnostics->count - 1].message : "";
}

// ---- GPUs and processors --------------------------------------------------------------------------------------------

// The help of --gpu-name says all of them.
Test(tables, gpus) {
#define OPTION(id, name, alias, kind, argument, help) {name, help},
    static const char *const options[][2] = {
#include "compiler/options.def"
    };
#undef OPTION
    unsigned found = 0, count = 0, gpu;
    for (size_t i = 0; i < BASE_COUNT(options); i++)
        for (const char *at = options[i][1]; (at = strstr(at, "sm_")); at += 3) {
            char name[16];
            Diagnostics diagnostics = {0};
            cr_assert_eq(sscanf(at, "sm_%u", &gpu), 1);
            snprintf(name, sizeof name, "sm_%u", gpu);
            Target *target = target_open_gpu(&diagnostics, name, 0);
            cr_expect(target, "--%s says %s: %s", options[i][0], name, table_message(&diagnostics));
            target_close(target);
            diagnostics_close(&diagnostics);
            found++;
        }
    while (target_gpu_at(count)) count++;
    cr_expect_eq(found, count);
}

Test(tables, processors) {
    static const char *names =
        "x86-64 x86-64-v2 x86-64-v3 x86-64-v4 nehalem westmere sandybridge ivybridge haswell broadwell skylake "
        "skylake-avx512 cascadelake cooperlake icelake-client icelake-server tigerlake rocketlake sapphirerapids "
        "emeraldrapids graniterapids alderlake raptorlake meteorlake arrowlake lunarlake gracemont sierraforest btver2 "
        "znver1 znver2 znver3 znver4 znver5 cortex-a72 neoverse-n1 neoverse-v1 neoverse-v2 apple-m1";
    char name[64];
    size_t count = 0, i;
    while (next_word(&names, name)) {
        for (i = 0; target_cpu_at(i) && strcmp(target_cpu_at(i), name); i++) {
        }
        cr_expect(target_cpu_at(i), "%s", name);
        count++;
    }
    cr_expect_null(target_cpu_at(count));
}

// ---- what code for GPUs calls ---------------------------------------------------------------------------------------

// What the lowering writes, and what LLVM's passes make of it.
static const char called[] =
    "nvvm.read.ptx.sreg.tid.x nvvm.read.ptx.sreg.ntid.x nvvm.read.ptx.sreg.ctaid.x nvvm.read.ptx.sreg.nctaid.x "
    "nvvm.read.ptx.sreg.laneid nvvm.barrier.cta.sync.aligned.all nvvm.bar.warp.sync nvvm.shfl.sync.up.i32 "
    "nvvm.shfl.sync.down.i32 nvvm.shfl.sync.bfly.i32 nvvm.shfl.sync.idx.i32 nvvm.nanosleep nvvm.exit "
    "nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3 nvvm.ldmatrix.sync.aligned.m8n8.x2.b16.p3 "
    "nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3 nvvm.mma.m16n8k16.row.col.f32.f32 nvvm.mma.m16n8k16.row.col.bf16 "
    "nvvm.mma.m16n8k8.row.col.tf32 nvvm.mma.m16n8k32.row.col.s8 nvvm.mma.m16n8k32.row.col.u8 "
    "nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32 nvvm.mma.m16n8k32.row.col.f32.e5m2.e5m2.f32 nvvm.add.rz.f "
    "nvvm.add.rm.f nvvm.add.rp.d nvvm.mul.rz.f nvvm.mul.rm.d nvvm.mul.rp.f nvvm.fma.rz.f nvvm.fma.rm.f nvvm.fma.rp.d "
    "nvvm.div.rz.d nvvm.div.rm.f nvvm.div.rp.f nvvm.sqrt.rz.f nvvm.sqrt.rm.d nvvm.sqrt.rp.f "
    "nvvm.add.rn.ftz.f nvvm.mul.rn.ftz.f nvvm.fma.rn.ftz.f nvvm.div.rn.ftz.f nvvm.sqrt.rn.ftz.f nvvm.add.rz.ftz.f "
    "nvvm.floor.ftz.f nvvm.ceil.ftz.f nvvm.fabs.ftz.f32 nvvm.fmin.ftz.f nvvm.fmax.ftz.f nvvm.fmin.ftz.nan.f "
    "nvvm.fmax.ftz.nan.f nvvm.div.approx.f nvvm.div.approx.ftz.f nvvm.div.full nvvm.div.full.ftz "
    "nvvm.rcp.approx.ftz.f nvvm.sqrt.approx.f nvvm.rsqrt.approx.ftz.f nvvm.ex2.approx.f32 nvvm.ex2.approx.ftz.f32 "
    "nvvm.lg2.approx.f nvvm.sin.approx.f nvvm.cos.approx.ftz.f abs.i32 assume "
    "bitreverse.i32 bswap.i32 ceil.f32 copysign.f64 ctlz.i32 ctpop.i64 cttz.i32 expect.i1 "
    "experimental.noalias.scope.decl fabs.f32 floor.v4f32 fma.f64 fptosi.sat.i32.f32 fptoui.sat.i32.f64 fshl.i32 "
    "fshr.v2i64 lifetime.end.p0 lifetime.start.p0 masked.gather.v4i32.v4p1 masked.load.v4i32.p1 "
    "masked.scatter.v4i32.v4p1 masked.store.v4i32.p1 memcpy.p1.p1.i64 memmove.p1.p1.i64 memset.p1.i64 smax.i32 "
    "nvvm.ff.to.e4m3x2.rn nvvm.ff.to.e5m2x2.rn nvvm.f16x2.to.e4m3x2.rn nvvm.f16x2.to.e5m2x2.rn "
    "smin.i64 sqrt.f32 trap umax.v4i32 umin.i8 vector.reduce.add.v4i32 vector.reduce.and.v4i1 vector.reduce.or.v4i1 "
    "vector.reduce.xor.v4i32 vector.reduce.smax.v4i32 vector.reduce.smin.v4i32 vector.reduce.umax.v4i32 "
    "vector.reduce.umin.v4i32";

// Only the names are looked at.
Test(tables, intrinsics_of_gpus) {
    Diagnostics diagnostics = {0};
    Target *target = target_open_gpu(&diagnostics, "sm_120", 0);
    LLVMContextRef context = LLVMContextCreate();
    const char *names = called;
    char name[64], whole[80];
    while (next_word(&names, name)) {
        LLVMModuleRef module = LLVMModuleCreateWithNameInContext("calls", context);
        snprintf(whole, sizeof whole, "llvm.%s", name);
        LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
        LLVMValueRef function = LLVMAddFunction(module, whole, type);
        LLVMSetInitializer(LLVMAddGlobal(module, LLVMTypeOf(function), "use"), function);
        cr_expect(target_check_calls(target, &diagnostics, module), "%s", table_message(&diagnostics));
        LLVMDisposeModule(module);
    }
    LLVMContextDispose(context);
    target_close(target);
    diagnostics_close(&diagnostics);
}

// ---- the emulator ---------------------------------------------------------------------------------------------------

// A kernel of one call of a function that takes and gives numbers of the type becomes one that calls `other`.
static void expect_function(const Target *target, const char *type, const char *name, const char *other) {
    char text[512];
    Diagnostics diagnostics = {0};
    snprintf(text, sizeof text,
             "target datalayout = \"e\"\ndeclare %s @%s(%s)\n"
             "define ptx_kernel void @k(ptr addrspace(1) %%p) {\n"
             " %%a = load %s, ptr addrspace(1) %%p\n %%b = call %s @%s(%s %%a)\n"
             " store %s %%b, ptr addrspace(1) %%p\n ret void }\n",
             type, name, type, type, type, name, type, type);
    TestModule test = test_parse(target, &diagnostics, text);
    cr_expect(simt_transform(target, &diagnostics, test.module), "%s", table_message(&diagnostics));
    LLVMValueRef function = LLVMGetNamedFunction(test.module, other);
    cr_expect(function && LLVMGetFirstUse(function), "%s", other);
    test_close(&test);
    diagnostics_close(&diagnostics);
}

Test(tables, functions_of_the_emulator) {
    static const char *names = "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 "
                               "exp2 expm1 fabs fdim floor fma fmax fmin fmod hypot j0 j1 jn ldexp lgamma log log10 "
                               "log1p log2 logb nearbyint pow remainder rint round scalbn sin sinh sqrt tan tanh "
                               "tgamma trunc y0 y1 yn";
    Target *target = test_target(NULL, 0);
    char name[64], of_device[80], single[80];
    while (next_word(&names, name)) {
        snprintf(of_device, sizeof of_device, "__nv_%s", name);
        expect_function(target, "double", of_device, name);
        snprintf(of_device, sizeof of_device, "__nv_%sf", name);
        snprintf(single, sizeof single, "%sf", name);
        expect_function(target, "float", of_device, single);
    }
    target_close(target);
}

// Calls that the emulator's own tests do not make; none is left but those that are kept as they are.
Test(tables, calls_of_the_emulator) {
    static const struct {
        const char *declared, *called;
        bool kept;
    } calls[] = {
        {"void @llvm.nvvm.membar.cta()", "call void @llvm.nvvm.membar.cta()", false},
        {"void @llvm.nvvm.membar.sys()", "call void @llvm.nvvm.membar.sys()", false},
        {"float @llvm.nvvm.shfl.sync.up.f32(i32, float, i32, i32)",
         "%a = call float @llvm.nvvm.shfl.sync.up.f32(i32 -1, float 1.0, i32 1, i32 0)", false},
        {"float @llvm.nvvm.shfl.sync.down.f32(i32, float, i32, i32)",
         "%a = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float 1.0, i32 1, i32 31)", false},
        {"float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)",
         "%a = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float 1.0, i32 1, i32 31)", false},
        {"void @llvm.debugtrap()", "call void @llvm.debugtrap()", false},
        {"void @llvm.ubsantrap(i8)", "call void @llvm.ubsantrap(i8 1)", false},
        {"void @llvm.memset.inline.p1.i64(ptr addrspace(1), i8, i64, i1)",
         "call void @llvm.memset.inline.p1.i64(ptr addrspace(1) %p, i8 0, i64 8, i1 false)", true},
        {"void @llvm.memcpy.inline.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)",
         "call void @llvm.memcpy.inline.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %p, i64 8, i1 false)", true},
        {"void @llvm.experimental.noalias.scope.decl(metadata)",
         "call void @llvm.experimental.noalias.scope.decl(metadata !0)", false},
        {"void @llvm.prefetch.p1(ptr addrspace(1), i32, i32, i32)",
         "call void @llvm.prefetch.p1(ptr addrspace(1) %p, i32 0, i32 3, i32 1)", false},
        {"void @llvm.donothing()", "call void @llvm.donothing()", false},
        {"void @llvm.sideeffect()", "call void @llvm.sideeffect()", false},
        {"void @llvm.lifetime.start.p0(ptr)", "%x = alloca i32 call void @llvm.lifetime.start.p0(ptr %x)", true},
        {"void @llvm.lifetime.end.p0(ptr)", "%x = alloca i32 call void @llvm.lifetime.end.p0(ptr %x)", true}};
    Target *target = test_target(NULL, 0);
    for (size_t i = 0; i < BASE_COUNT(calls); i++) {
        char text[1024];
        Diagnostics diagnostics = {0};
        snprintf(text, sizeof text,
                 "declare %s\ndefine ptx_kernel void @k(ptr addrspace(1) %%p) {\n %s\n ret void }\n"
                 "!0 = !{!1}\n!1 = distinct !{!1, !2}\n!2 = distinct !{!2}\n",
                 calls[i].declared, calls[i].called);
        TestModule test = test_parse(target, &diagnostics, text);
        cr_expect(simt_transform(target, &diagnostics, test.module), "%s", table_message(&diagnostics));
        LLVMValueRef left = NULL;
        for (LLVMValueRef f = LLVMGetFirstFunction(test.module); f; f = LLVMGetNextFunction(f))
            if (LLVMGetIntrinsicID(f) && LLVMGetFirstUse(f)) left = f;
        cr_expect_eq(left != NULL, calls[i].kept, "%s", calls[i].declared);
        test_close(&test);
        diagnostics_close(&diagnostics);
    }
    target_close(target);
}
