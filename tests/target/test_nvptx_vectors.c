// SPDX-License-Identifier: Apache-2.0
// What the lowering hands to LLVM's code generator for GPUs, which is weak on small integers and odd vectors: every
// kind of instruction on vectors of every element is selected.
#include "target_test.h"

#include <stdio.h>

// Text of a module, declarations and kernels apart.
typedef struct Kernels {
    Buffer declarations, kernels;
    unsigned count;
} Kernels;

static void add_kernel(Kernels *k, const char *parameters, const char *body) {
    buffer_print(&k->kernels, "define ptx_kernel void @k%u(%s) {\n%s  ret void\n}\n", k->count++, parameters, body);
}

// Once each.
static void declare(Kernels *k, const char *declaration) {
    if (!k->declarations.data || !strstr(k->declarations.data, declaration))
        buffer_print(&k->declarations, "%s\n", declaration);
}

static const char operands[] = "ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %i";

static void add_arithmetic(Kernels *k, const char *type) {
    static const char *const opcodes[] = {"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr"};
    for (size_t i = 0; i < BASE_COUNT(opcodes); i++) {
        Buffer body = {0};
        buffer_print(&body, "  %%a = load %s, ptr addrspace(1) %%p, align 1\n  %%b = load %s, ptr addrspace(1) %%q\n",
                     type, type);
        buffer_print(&body, "  %%c = %s %s %%a, %%b\n  store %s %%c, ptr addrspace(1) %%p, align 1\n", opcodes[i], type,
                     type);
        add_kernel(k, operands, body.data);
        buffer_free(&body);
    }
}

static void add_intrinsics(Kernels *k, const char *type, const char *suffix) {
    static const char *const names[] = {"umin", "umax", "smin", "smax"};
    static const char *const counts[] = {"ctlz", "cttz"};
    char line[200];
    for (size_t i = 0; i < BASE_COUNT(names); i++) {
        Buffer body = {0};
        snprintf(line, sizeof line, "declare %s @llvm.%s.%s(%s, %s)", type, names[i], suffix, type, type);
        declare(k, line);
        buffer_print(&body, "  %%a = load %s, ptr addrspace(1) %%p\n", type);
        buffer_print(&body, "  %%c = call %s @llvm.%s.%s(%s %%a, %s %%a)\n  store %s %%c, ptr addrspace(1) %%q\n", type,
                     names[i], suffix, type, type, type);
        add_kernel(k, operands, body.data);
        buffer_free(&body);
    }
    for (size_t i = 0; i < BASE_COUNT(counts); i++) {
        Buffer body = {0};
        snprintf(line, sizeof line, "declare %s @llvm.%s.%s(%s, i1)", type, counts[i], suffix, type);
        declare(k, line);
        buffer_print(&body, "  %%a = load %s, ptr addrspace(1) %%p\n", type);
        buffer_print(&body, "  %%c = call %s @llvm.%s.%s(%s %%a, i1 false)\n  store %s %%c, ptr addrspace(1) %%q\n",
                     type, counts[i], suffix, type, type);
        add_kernel(k, operands, body.data);
        buffer_free(&body);
    }
}

// Comparisons and selects; reductions; elements by number; halves; resizes.
static void add_moves(Kernels *k, unsigned lanes, unsigned bits, const char *type, const char *suffix) {
    static const char *const reductions[] = {"add", "and", "or", "umax", "smin"};
    char line[200];
    Buffer body = {0};
    buffer_print(&body, "  %%a = load %s, ptr addrspace(1) %%p\n  %%b = load %s, ptr addrspace(1) %%q\n", type, type);
    buffer_print(&body, "  %%m = icmp slt %s %%a, %%b\n  %%c = select <%u x i1> %%m, %s %%b, %s %%a\n", type, lanes,
                 type, type);
    buffer_print(&body, "  store %s %%c, ptr addrspace(1) %%p\n  %%z = zext <%u x i1> %%m to <%u x i8>\n", type, lanes,
                 lanes);
    buffer_print(&body, "  store <%u x i8> %%z, ptr addrspace(1) %%q\n", lanes);
    buffer_print(&body, "  %%e = extractelement %s %%a, i32 %%i\n  %%d = insertelement %s %%b, i%u %%e, i32 %%i\n",
                 type, type, bits);
    buffer_print(&body, "  store %s %%d, ptr addrspace(1) %%q\n", type);
    for (unsigned to = 8; to <= 64; to *= 2) {
        if (to == bits) continue;
        for (unsigned s = 0; s < 2; s++)
            buffer_print(&body,
                         "  %%t%u.%u = %s %s %%a to <%u x i%u>\n  store <%u x i%u> %%t%u.%u, ptr addrspace(1) %%p\n",
                         to, s,
                         to < bits ? "trunc"
                         : s       ? "sext"
                                   : "zext",
                         type, lanes, to, lanes, to, to, s);
    }
    for (size_t i = 0; i < BASE_COUNT(reductions); i++) {
        snprintf(line, sizeof line, "declare i%u @llvm.vector.reduce.%s.%s(%s)", bits, reductions[i], suffix, type);
        declare(k, line);
        buffer_print(&body, "  %%r%zu = call i%u @llvm.vector.reduce.%s.%s(%s %%a)\n", i, bits, reductions[i], suffix,
                     type);
        buffer_print(&body, "  store i%u %%r%zu, ptr addrspace(1) %%q\n", bits, i);
    }
    add_kernel(k, operands, body.data);
    buffer_free(&body);
}

static void add_masked(Kernels *k, unsigned lanes, const char *type, const char *suffix) {
    char line[300];
    Buffer body = {0};
    snprintf(line, sizeof line, "declare %s @llvm.masked.load.%s.p1(ptr addrspace(1), <%u x i1>, %s)", type, suffix,
             lanes, type);
    declare(k, line);
    snprintf(line, sizeof line, "declare void @llvm.masked.scatter.%s.v%up0(%s, <%u x ptr>, <%u x i1>)", suffix, lanes,
             type, lanes, lanes);
    declare(k, line);
    buffer_print(&body, "  %%x = load <%u x i8>, ptr addrspace(1) %%q\n  %%m = trunc <%u x i8> %%x to <%u x i1>\n",
                 lanes, lanes, lanes);
    buffer_print(&body,
                 "  %%a = call %s @llvm.masked.load.%s.p1(ptr addrspace(1) %%p, <%u x i1> %%m, %s zeroinitializer)\n",
                 type, suffix, lanes, type);
    buffer_print(&body,
                 "  %%n = load <%u x i64>, ptr addrspace(1) %%q\n  %%g = inttoptr <%u x i64> %%n to <%u x ptr>\n",
                 lanes, lanes, lanes);
    buffer_print(&body, "  call void @llvm.masked.scatter.%s.v%up0(%s %%a, <%u x ptr> %%g, <%u x i1> %%m)\n", suffix,
                 lanes, type, lanes, lanes);
    add_kernel(k, operands, body.data);
    buffer_free(&body);
}

static void add_atomics(Kernels *k) {
    static const char *const opcodes[] = {"xchg", "add", "and", "or", "xor", "max", "min", "umax", "umin"};
    static const char *const floats[] = {"half", "bfloat", "float", "double"};
    static const char *const orders[] = {"monotonic", "acq_rel"};
    for (unsigned bits = 8; bits <= 64; bits *= 2) {
        Buffer body = {0};
        buffer_print(&body, "  %%v = load i%u, ptr addrspace(1) %%q\n", bits);
        for (size_t i = 0; i < BASE_COUNT(opcodes); i++)
            for (size_t o = 0; o < BASE_COUNT(orders); o++)
                buffer_print(&body,
                             "  %%a%zu.%zu = atomicrmw %s ptr addrspace(1) %%p, i%u %%v syncscope(\"device\") %s\n", i,
                             o, opcodes[i], bits, orders[o]);
        buffer_print(&body, "  %%x = cmpxchg ptr addrspace(1) %%p, i%u %%v, i%u 7 acq_rel acquire\n", bits, bits);
        buffer_print(&body, "  %%l = load atomic i%u, ptr addrspace(1) %%p acquire, align %u\n", bits, bits / 8);
        buffer_print(&body, "  store atomic i%u %%l, ptr addrspace(1) %%q release, align %u\n  fence acq_rel\n", bits,
                     bits / 8);
        add_kernel(k, operands, body.data);
        buffer_free(&body);
    }
    for (size_t i = 0; i < BASE_COUNT(floats); i++) {
        Buffer body = {0};
        buffer_print(&body, "  %%v = load %s, ptr addrspace(1) %%q\n", floats[i]);
        buffer_print(&body, "  %%a = atomicrmw fadd ptr addrspace(1) %%p, %s %%v monotonic\n", floats[i]);
        add_kernel(k, operands, body.data);
        buffer_free(&body);
    }
}

Test(nvptx_vectors, every_kind_is_selected) {
    static const unsigned lanes[] = {1, 4, 16}, widths[] = {1, 4, 8, 16, 32, 64};
    static const char *const gpus[] = {"sm_80", "sm_120"};
    Kernels k = {0};
    for (size_t n = 0; n < BASE_COUNT(lanes); n++)
        for (size_t w = 0; w < BASE_COUNT(widths); w++) {
            char type[32], suffix[32];
            snprintf(type, sizeof type, "<%u x i%u>", lanes[n], widths[w]);
            snprintf(suffix, sizeof suffix, "v%ui%u", lanes[n], widths[w]);
            add_arithmetic(&k, type);
            add_intrinsics(&k, type, suffix);
            add_moves(&k, lanes[n], widths[w], type, suffix);
            if (widths[w] >= 8) add_masked(&k, lanes[n], type, suffix);
        }
    add_atomics(&k);
    buffer_print(&k.declarations, "%s", k.kernels.data);
    for (size_t i = 0; i < BASE_COUNT(gpus); i++) {
        Diagnostics diagnostics = {0};
        Buffer ptx = {0};
        Target *target = target_open_gpu(&diagnostics, gpus[i], i ? 0 : 3);
        cr_assert(target);
        TestModule test = test_parse(target, &diagnostics, k.declarations.data);
        cr_expect(target_check_calls(target, &diagnostics, test.module) &&
                      target_optimize(target, &diagnostics, test.module) &&
                      target_emit(target, &diagnostics, test.module, COMPILE_ASM, &ptx),
                  "%s", diagnostics.count ? diagnostics.items[0].message : "");
        cr_expect_gt(ptx.size, 100000);
        buffer_free(&ptx);
        test_close(&test);
        target_close(target);
        diagnostics_close(&diagnostics);
    }
    buffer_free(&k.declarations);
    buffer_free(&k.kernels);
}
