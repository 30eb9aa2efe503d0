// SPDX-License-Identifier: Apache-2.0
// Code for GPUs on this processor: each construct, in LLVM text, calls the emulator as it should. The emulator here is
// a table of functions that write down how they are called.
#include "target_test.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// ---- an emulator that writes down -----------------------------------------------------------------------------------

// Of the thread that runs a test: where kernels' memory is, and what they called.
static struct Recorder {
    _Alignas(64) unsigned char memory[256], shared[256];
    uint64_t arguments[8];
    Buffer log;
    uint32_t alignments[8], access_count; // of the first accesses
    jmp_buf end;
} recorder;

static void __attribute__((format(printf, 1, 2))) note(const char *format, ...) {
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    buffer_append(&recorder.log, text, strlen(text));
}

// "memory+4", "shared+0"; of other addresses nothing can be said.
static const char *name_address(const void *address) {
    static char text[40];
    uintptr_t at = (uintptr_t)address, memory = (uintptr_t)recorder.memory, shared = (uintptr_t)recorder.shared;
    if (at - memory < sizeof recorder.memory)
        snprintf(text, sizeof text, "memory+%u", (unsigned)(at - memory));
    else if (at - shared < sizeof recorder.shared)
        snprintf(text, sizeof text, "shared+%u", (unsigned)(at - shared));
    else
        snprintf(text, sizeof text, "elsewhere");
    return text;
}

static uint32_t note_special(uint32_t which) {
    note("special %u\n", which);
    return 100 + which;
}
static void *note_shared(void) {
    note("shared\n");
    return recorder.shared;
}
static void note_barrier(uint32_t place) {
    note("barrier @%u\n", place);
}
static void note_warp_barrier(uint32_t mask, uint32_t place) {
    note("warp_barrier %08x @%u\n", mask, place);
}
static uint32_t note_shuffle(uint32_t kind, uint32_t mask, uint32_t value, uint32_t lane, uint32_t clamp,
                             uint32_t place) {
    note("shuffle %u %08x %08x %u %u @%u\n", kind, mask, value, lane, clamp, place);
    return value + 1;
}
static void note_mma(uint32_t kind_a, uint32_t kind_b, const uint32_t a[4], const uint32_t b[2], uint32_t sums[4],
                     uint32_t place) {
    note("mma %u %u (%08x %08x %08x %08x) (%08x %08x) (%08x %08x %08x %08x) @%u\n", kind_a, kind_b, a[0], a[1], a[2],
         a[3], b[0], b[1], sums[0], sums[1], sums[2], sums[3], place);
    for (uint32_t i = 0; i < 4; i++) sums[i] += 1 + i;
}
static void note_load_matrix(uint32_t count, bool transposed, const void *row, uint32_t *result, uint32_t place) {
    note("load_matrix %u %d %s @%u\n", count, transposed, name_address(row), place);
    for (uint32_t i = 0; i < count; i++) result[i] = 0x1000 + i;
}
static void note_access(const void *address, uint32_t bytes, uint32_t flags, uint32_t place) {
    if (recorder.access_count < BASE_COUNT(recorder.alignments))
        recorder.alignments[recorder.access_count] = 1u << (flags >> SIMT_ALIGNMENT_SHIFT);
    recorder.access_count++;
    note("%s%s%s %s %u @%u\n", flags & SIMT_READ ? "r" : "", flags & SIMT_WRITE ? "w" : "",
         flags & SIMT_ATOMIC ? "a" : "", name_address(address), bytes, place);
}
static void note_pause(void) {
    note("pause\n");
}
static void note_exit(void) {
    note("exit\n");
    longjmp(recorder.end, 1);
}
static void note_trap(uint32_t place) {
    note("trap @%u\n", place);
    longjmp(recorder.end, 1);
}

static const SimtOps recorder_ops = {
    .special = note_special,
    .shared = note_shared,
    .barrier = note_barrier,
    .warp_barrier = note_warp_barrier,
    .shuffle = note_shuffle,
    .mma = note_mma,
    .load_matrix = note_load_matrix,
    .access = note_access,
    .pause = note_pause,
    .exit = note_exit,
    .trap = note_trap,
};

// ---- running --------------------------------------------------------------------------------------------------------

static const char *first_message(const Diagnostics *diagnostics) {
    return diagnostics->count ? diagnostics->items[0].message : "";
}

// Runs kernel k with (memory, numbers...) and returns what it called.
static const char *run_kernel(unsigned level, const char *text) {
    Diagnostics diagnostics = {0};
    Target *target = test_target(NULL, level);
    TestModule test = test_parse(target, &diagnostics, text);
    cr_assert(simt_transform(target, &diagnostics, test.module), "%s", first_message(&diagnostics));
    cr_assert(target_optimize(target, &diagnostics, test.module), "%s", first_message(&diagnostics));
    Jit *jit = jit_open(&diagnostics);
    cr_assert(jit_add(jit, &diagnostics, target, test.module), "%s", first_message(&diagnostics));
    test_close(&test);
    target_close(target);
    SimtEntry *entry = (SimtEntry *)jit_lookup(jit, &diagnostics, "k");
    const SimtOps **table = jit_lookup(jit, &diagnostics, SIMT_TABLE_NAME);
    GpuLaunch *launch = jit_lookup(jit, &diagnostics, GPU_LAUNCH_NAME);
    cr_assert(entry && table && launch, "%s", first_message(&diagnostics));
    cr_expect_null(*table);
    cr_expect_eq(launch->scratch, 0);
    *table = &recorder_ops;
    launch->scratch = 12345;
    buffer_free(&recorder.log);
    recorder.access_count = 0;
    for (unsigned i = 0; i < sizeof recorder.memory; i++) {
        recorder.memory[i] = (unsigned char)i;
        recorder.shared[i] = (unsigned char)(0x80 ^ i);
    }
    recorder.arguments[0] = (uintptr_t)recorder.memory;
    if (!setjmp(recorder.end)) entry(recorder.arguments);
    buffer_append(&recorder.log, "", 1);
    jit_close(jit);
    return recorder.log.data;
}

// The word at an offset of the kernel's memory.
static uint32_t word_at(unsigned offset) {
    uint32_t word;
    memcpy(&word, recorder.memory + offset, sizeof word);
    return word;
}

static void expect_calls(const char *text, const char *calls) {
    for (unsigned level = 0; level <= 3; level++) {
        const char *found = run_kernel(level, text);
        cr_expect_str_eq(found, calls, "at level %u:\n%s\ninstead of\n%s", level, found, calls);
    }
    buffer_free(&recorder.log);
}

// ---- entries --------------------------------------------------------------------------------------------------------

// Parameters of each kind come out of words of 64 bits.
Test(simt, parameters) {
    recorder.arguments[1] = 0xffffffffffffff85;
    recorder.arguments[2] = 0x123456789;
    recorder.arguments[3] = 0x3ff8000000000000;
    recorder.arguments[4] = 0x40490fdb;
    recorder.arguments[5] = 0x3c00;
    recorder.arguments[6] = 3;
    recorder.arguments[7] = (uintptr_t)recorder.memory;
    expect_calls("define ptx_kernel void @k(ptr addrspace(1) %p, i8 %a, i64 %b, double %c, float %d, half %e, i1 %f, "
                 "i64 %q) {\n"
                 " %wide = zext i8 %a to i64\n"
                 " %sum = add i64 %wide, %b\n"
                 " store i64 %sum, ptr addrspace(1) %p\n"
                 " %p1 = getelementptr i64, ptr addrspace(1) %p, i64 1\n"
                 " store double %c, ptr addrspace(1) %p1\n"
                 " %p2 = getelementptr i64, ptr addrspace(1) %p, i64 2\n"
                 " store float %d, ptr addrspace(1) %p2\n"
                 " %p3 = getelementptr i64, ptr addrspace(1) %p, i64 3\n"
                 " store half %e, ptr addrspace(1) %p3\n"
                 " %p4 = getelementptr i64, ptr addrspace(1) %p, i64 4\n"
                 " %flag = zext i1 %f to i8\n"
                 " store i8 %flag, ptr addrspace(1) %p4\n"
                 " %q1 = inttoptr i64 %q to ptr addrspace(1)\n"
                 " %q2 = getelementptr i8, ptr addrspace(1) %q1, i64 40\n"
                 " store i8 7, ptr addrspace(1) %q2\n"
                 " ret void }\n",
                 "w memory+0 8 @0\nw memory+8 8 @0\nw memory+16 4 @0\nw memory+24 2 @0\nw memory+32 1 @0\n"
                 "w memory+40 1 @0\n");
    uint64_t words[6];
    memcpy(words, recorder.memory, sizeof words);
    cr_expect_eq(words[0], 0x123456789 + 0x85);
    cr_expect_eq(words[1], 0x3ff8000000000000);
    cr_expect_eq((uint32_t)words[2], 0x40490fdb);
    cr_expect_eq((uint16_t)words[3], 0x3c00);
    cr_expect_eq((uint8_t)words[4], 1);
    cr_expect_eq((uint8_t)words[5], 7);
}

// Two kernels and a function that both call; attributes and metadata that only GPUs know.
Test(simt, several_kernels) {
    expect_calls("@llvm.used = appending global [1 x ptr] [ptr @k], section \"llvm.metadata\"\n"
                 "define internal ptx_device i32 @twice(i32 %a) #1 { %b = shl i32 %a, 1 ret i32 %b }\n"
                 "define ptx_kernel void @other(ptr addrspace(1) %p) { store i32 7, ptr addrspace(1) %p ret void }\n"
                 "define ptx_kernel void @k(ptr addrspace(1) noalias nocapture readonly align 16 %p) #0 {\n"
                 " %x = load i32, ptr addrspace(1) %p, !invariant.load !1, !range !2\n"
                 " %y = call ptx_device i32 @twice(i32 noundef %x) #1\n"
                 " store i32 %y, ptr addrspace(1) %p\n"
                 " ret void }\n"
                 "attributes #0 = { convergent \"nvvm.maxntid\"=\"128\" \"target-cpu\"=\"sm_90\" "
                 "\"target-features\"=\"+ptx80\" }\n"
                 "attributes #1 = { noinline memory(none) willreturn }\n"
                 "!nvvm.annotations = !{!0}\n!0 = !{ptr @k, !\"kernel\", i32 1}\n!1 = !{}\n!2 = !{i32 0, i32 10}\n",
                 "r memory+0 4 @0\nw memory+0 4 @0\n");
    cr_expect_eq(word_at(0), 2 * 0x03020100);
}

// ---- what threads do together ---------------------------------------------------------------------------------------

#define HEAD "define ptx_kernel void @k(ptr addrspace(1) %p) "

Test(simt, special_registers) {
    static const char *const names[] = {"tid.x",    "ntid.x", "ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y",
                                        "nctaid.z", "laneid", "tid.y",   "tid.z",   "ntid.y",  "ntid.z",   "warpsize"};
    static const uint32_t values[] = {100, 101, 102, 103, 104, 105, 106, 107, 108, 0, 0, 1, 1, 32};
    Buffer text = {0}, calls = {0};
    for (size_t i = 0; i < BASE_COUNT(names); i++)
        buffer_print(&text, "declare i32 @llvm.nvvm.read.ptx.sreg.%s()\n", names[i]);
    buffer_print(&text, "%s{\n", HEAD);
    for (unsigned i = 0; i < BASE_COUNT(names); i++)
        buffer_print(&text,
                     " %%a%u = call i32 @llvm.nvvm.read.ptx.sreg.%s()\n"
                     " %%p%u = getelementptr i32, ptr addrspace(1) %%p, i64 %u\n"
                     " store i32 %%a%u, ptr addrspace(1) %%p%u\n",
                     i, names[i], i, i, i, i);
    // Asked for once more: it is known already.
    buffer_print(&text, " %%b = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                        " %%q = getelementptr i32, ptr addrspace(1) %%p, i64 20\n"
                        " store i32 %%b, ptr addrspace(1) %%q\n ret void }\n");
    for (unsigned i = 0; i <= SIMT_LANEID; i++) buffer_print(&calls, "special %u\n", i);
    for (unsigned i = 0; i < BASE_COUNT(names); i++) buffer_print(&calls, "w memory+%u 4 @0\n", 4 * i);
    buffer_print(&calls, "w memory+80 4 @0\n");
    expect_calls(text.data, calls.data);
    for (unsigned i = 0; i < BASE_COUNT(names); i++) cr_expect_eq(word_at(4 * i), values[i], "%s", names[i]);
    cr_expect_eq(word_at(80), 100);
    buffer_free(&text);
    buffer_free(&calls);
}

Test(simt, barriers_and_shuffles) {
    expect_calls("declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
                 "declare void @llvm.nvvm.bar.warp.sync(i32)\n"
                 "declare void @llvm.nvvm.nanosleep(i32)\n"
                 "declare void @llvm.nvvm.membar.gl()\n"
                 "declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)\n"
                 "declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)\n"
                 "declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)\n"
                 "declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)\n"
                 "declare float @llvm.nvvm.shfl.sync.idx.f32(i32, float, i32, i32)\n" HEAD "{\n"
                 " call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
                 " call void @llvm.nvvm.bar.warp.sync(i32 255)\n"
                 " call void @llvm.nvvm.nanosleep(i32 100)\n"
                 " call void @llvm.nvvm.membar.gl()\n"
                 " fence syncscope(\"device\") acq_rel\n"
                 " %a = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 16, i32 1, i32 0)\n"
                 " %b = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %a, i32 2, i32 31)\n"
                 " %c = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 15, i32 %b, i32 4, i32 31)\n"
                 " %d = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %c, i32 8, i32 31)\n"
                 " %e = bitcast i32 %d to float\n"
                 " %f = call float @llvm.nvvm.shfl.sync.idx.f32(i32 -1, float %e, i32 0, i32 31)\n"
                 " store float %f, ptr addrspace(1) %p\n"
                 " ret void }\n",
                 "barrier @0\nwarp_barrier 000000ff @0\npause\n"
                 "shuffle 0 ffffffff 00000010 1 0 @0\nshuffle 1 ffffffff 00000011 2 31 @0\n"
                 "shuffle 2 0000000f 00000012 4 31 @0\nshuffle 3 ffffffff 00000013 8 31 @0\n"
                 "shuffle 3 ffffffff 00000014 0 31 @0\nw memory+0 4 @0\n");
    cr_expect_eq(word_at(0), 0x15);
}

// The ends of threads, in the middle of the code.
Test(simt, exit_and_trap) {
    expect_calls("declare void @llvm.nvvm.exit()\n" HEAD "{\n"
                 " store i32 1, ptr addrspace(1) %p\n call void @llvm.nvvm.exit()\n unreachable }\n",
                 "w memory+0 4 @0\nexit\n");
    expect_calls("declare void @llvm.trap()\n" HEAD "{\n"
                 " store i32 1, ptr addrspace(1) %p\n call void @llvm.trap()\n unreachable }\n",
                 "w memory+0 4 @0\ntrap @0\n");
}

// Each mma: its name, the operands' types, and what the emulator is told.
static const struct MmaCase {
    const char *name, *operand, *sum;
    SimtOperand a, b;
} mma_cases[] = {
    {"m16n8k16.row.col.f32.f32", "<2 x half>", "float", SIMT_F16, SIMT_F16},
    {"m16n8k16.row.col.bf16", "i32", "float", SIMT_BF16, SIMT_BF16},
    {"m16n8k8.row.col.tf32", "i32", "float", SIMT_TF32, SIMT_TF32},
    {"m16n8k32.row.col.s8", "i32", "i32", SIMT_S8, SIMT_S8},
    {"m16n8k32.row.col.s8.u8", "i32", "i32", SIMT_S8, SIMT_U8},
    {"m16n8k32.row.col.u8.s8", "i32", "i32", SIMT_U8, SIMT_S8},
    {"m16n8k32.row.col.u8", "i32", "i32", SIMT_U8, SIMT_U8},
    {"m16n8k32.row.col.f32.e4m3.e4m3.f32", "i32", "float", SIMT_E4M3, SIMT_E4M3},
    {"m16n8k32.row.col.f32.e4m3.e5m2.f32", "i32", "float", SIMT_E4M3, SIMT_E5M2},
    {"m16n8k32.row.col.f32.e5m2.e4m3.f32", "i32", "float", SIMT_E5M2, SIMT_E4M3},
    {"m16n8k32.row.col.f32.e5m2.e5m2.f32", "i32", "float", SIMT_E5M2, SIMT_E5M2},
};

// Loads ten registers from memory, multiplies twice, stores the four sums.
static void check_mma(const struct MmaCase *c) {
    Buffer text = {0}, calls = {0};
    const char *o = c->operand, *s = c->sum;
    buffer_print(&text, "declare {%s, %s, %s, %s} @llvm.nvvm.mma.%s(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)\n%s{\n", s,
                 s, s, s, c->name, o, o, o, o, o, o, s, s, s, s, HEAD);
    for (unsigned i = 0; i < 10; i++)
        buffer_print(&text,
                     " %%p%u = getelementptr i32, ptr addrspace(1) %%p, i64 %u\n %%x%u = load %s, ptr addrspace(1) "
                     "%%p%u\n",
                     i, i, i, i < 6 ? o : s, i);
    buffer_print(&text,
                 " %%m = call {%s, %s, %s, %s} @llvm.nvvm.mma.%s(%s %%x0, %s %%x1, %s %%x2, %s %%x3, %s %%x4, %s %%x5, "
                 "%s %%x6, %s %%x7, %s %%x8, %s %%x9)\n",
                 s, s, s, s, c->name, o, o, o, o, o, o, s, s, s, s);
    for (unsigned i = 0; i < 4; i++)
        buffer_print(&text, " %%y%u = extractvalue {%s, %s, %s, %s} %%m, %u\n store %s %%y%u, ptr addrspace(1) %%p%u\n",
                     i, s, s, s, s, i, s, i, i);
    buffer_print(&text, " ret void }\n");
    for (unsigned i = 0; i < 10; i++) buffer_print(&calls, "r memory+%u 4 @0\n", 4 * i);
    buffer_print(&calls,
                 "mma %u %u (03020100 07060504 0b0a0908 0f0e0d0c) (13121110 17161514) "
                 "(1b1a1918 1f1e1d1c 23222120 27262524) @0\n",
                 c->a, c->b);
    for (unsigned i = 0; i < 4; i++) buffer_print(&calls, "w memory+%u 4 @0\n", 4 * i);
    expect_calls(text.data, calls.data);
    for (unsigned i = 0; i < 4; i++) cr_expect_eq(word_at(4 * i), 0x1b1a1918 + 0x04040404 * i + 1 + i, "%s", c->name);
    buffer_free(&text);
    buffer_free(&calls);
}

Test(simt, mma) {
    for (size_t i = 0; i < BASE_COUNT(mma_cases); i++) check_mma(&mma_cases[i]);
}

#define SHARED "@congruent_shared = external addrspace(3) global [0 x i8], align 16\n"

Test(simt, load_matrix) {
    static const char *const results[] = {"i32", "{i32, i32}", "{i32, i32, i32, i32}"};
    for (unsigned i = 0; i < 6; i++) {
        unsigned count = 1u << i % 3, transposed = i / 3;
        Buffer text = {0}, calls = {0};
        const char *type = results[i % 3], *suffix = transposed ? ".trans" : "";
        buffer_print(&text,
                     SHARED "declare %s @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x%u%s.b16.p3(ptr addrspace(3))\n%s{\n"
                            " %%m = call %s @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x%u%s.b16.p3(ptr addrspace(3) "
                            "getelementptr (i8, ptr addrspace(3) @congruent_shared, i64 32))\n"
                            " store %s %%m, ptr addrspace(1) %%p\n ret void }\n",
                     type, count, suffix, HEAD, type, count, suffix, type);
        buffer_print(&calls, "shared\nload_matrix %u %u shared+32 @0\nw memory+0 %u @0\n", count, transposed,
                     4 * count);
        expect_calls(text.data, calls.data);
        for (unsigned k = 0; k < count; k++) cr_expect_eq(word_at(4 * k), 0x1000 + k);
        buffer_free(&text);
        buffer_free(&calls);
    }
}

// ---- shared memory --------------------------------------------------------------------------------------------------

// Its address in instructions, in expressions of constants, in vectors and phis.
Test(simt, addresses_of_shared_memory) {
    expect_calls(SHARED
                 "declare <2 x i32> @llvm.masked.gather.v2i32.v2p3(<2 x ptr addrspace(3)>, <2 x i1>, <2 x i32>)\n" HEAD
                 "{\nentry:\n"
                 " %a = load i32, ptr addrspace(3) @congruent_shared\n"
                 " %b = load i32, ptr addrspacecast (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) "
                 "@congruent_shared, i64 4) to ptr)\n"
                 " %c = call <2 x i32> @llvm.masked.gather.v2i32.v2p3(<2 x ptr addrspace(3)> <ptr addrspace(3) "
                 "@congruent_shared, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @congruent_shared, i64 8)>, "
                 "<2 x i1> <i1 true, i1 true>, <2 x i32> zeroinitializer)\n"
                 " %small = icmp ult i32 %a, 5\n"
                 " switch i32 %a, label %other [ i32 1, label %join i32 2, label %join ]\n"
                 "other:\n br label %join\n"
                 "join:\n"
                 " %q = phi ptr addrspace(3) [getelementptr (i8, ptr addrspace(3) @congruent_shared, i64 12), %entry], "
                 "[getelementptr (i8, ptr addrspace(3) @congruent_shared, i64 12), %entry], "
                 "[getelementptr (i8, ptr addrspace(3) @congruent_shared, i64 16), %other]\n"
                 " %d = load i32, ptr addrspace(3) %q\n"
                 " %number = add i64 ptrtoint (ptr addrspace(3) @congruent_shared to i64), 20\n"
                 " %r = inttoptr i64 %number to ptr addrspace(3)\n"
                 " %e = load i32, ptr addrspace(3) %r\n"
                 " store <2 x i32> %c, ptr addrspace(1) %p\n"
                 " ret void }\n",
                 "shared\nr shared+0 4 @0\nr shared+4 4 @0\nr shared+0 4 @0\nr shared+8 4 @0\nr shared+16 4 @0\n"
                 "r shared+20 4 @0\nw memory+0 8 @0\n");
    cr_expect_eq(word_at(0), 0x83828180);
    cr_expect_eq(word_at(4), 0x8b8a8988);
}

// ---- accesses -------------------------------------------------------------------------------------------------------

Test(simt, plain_and_atomic_accesses) {
    expect_calls(HEAD "{\n"
                      " %a = load <4 x float>, ptr addrspace(1) %p, align 16\n"
                      " %q = getelementptr i8, ptr addrspace(1) %p, i64 16\n"
                      " store <4 x float> %a, ptr addrspace(1) %q, align 16\n"
                      " %r = getelementptr i8, ptr addrspace(1) %p, i64 64\n"
                      " %b = load atomic i32, ptr addrspace(1) %r syncscope(\"device\") acquire, align 4\n"
                      " store atomic i32 %b, ptr addrspace(1) %r syncscope(\"block\") release, align 4\n"
                      " %c = atomicrmw add ptr addrspace(1) %r, i32 5 syncscope(\"device\") monotonic\n"
                      " %d = cmpxchg ptr addrspace(1) %r, i32 %c, i32 1 syncscope(\"device\") acq_rel monotonic\n"
                      " %e = atomicrmw fadd ptr addrspace(1) %q, float 1.0 syncscope(\"device\") monotonic\n"
                      " %odd = getelementptr i8, ptr addrspace(1) %p, i64 33\n"
                      " %f = load <8 x i32>, ptr addrspace(1) %odd, align 32\n" // the emulator says that it is not
                      " store <8 x i32> %f, ptr addrspace(1) %odd, align 32\n"
                      " ret void }\n",
                 "r memory+0 16 @0\nw memory+16 16 @0\nra memory+64 4 @0\nwa memory+64 4 @0\nrwa memory+64 4 @0\n"
                 "rwa memory+64 4 @0\nrwa memory+16 4 @0\nr memory+33 32 @0\nw memory+33 32 @0\n");
    cr_expect_eq(word_at(64), 0x43424140 + 5);
}

// The emulator is told what the code relies on; the processor does not rely on it.
Test(simt, alignments) {
    expect_calls(HEAD "{\n"
                      " %q = getelementptr i8, ptr addrspace(1) %p, i64 1\n"
                      " %a = load <8 x i32>, ptr addrspace(1) %q, align 32\n"
                      " store <8 x i32> %a, ptr addrspace(1) %p, align 4\n"
                      " %b = load i8, ptr addrspace(1) %q, align 1\n"
                      " store i8 %b, ptr addrspace(1) %q, align 16\n"
                      " ret void }\n",
                 "r memory+1 32 @0\nw memory+0 32 @0\nr memory+1 1 @0\nw memory+1 1 @0\n");
    static const uint32_t expected[] = {32, 4, 1, 16};
    for (unsigned i = 0; i < BASE_COUNT(expected); i++) cr_expect_eq(recorder.alignments[i], expected[i]);
}

// What only the thread itself can see is not announced: locals, constants, what the launch tells.
Test(simt, private_memory) {
    expect_calls("@table = internal addrspace(1) constant [4 x i32] [i32 5, i32 6, i32 7, i32 8]\n"
                 "@congruent_launch = addrspace(1) externally_initialized global [8 x i64] zeroinitializer\n"
                 "define internal i32 @sum(ptr %a, i64 %i) noinline {\n"
                 " %q = getelementptr i32, ptr %a, i64 %i\n %x = load i32, ptr %q\n store i32 9, ptr %q\n"
                 " ret i32 %x }\n" HEAD "{\n"
                 "entry:\n"
                 " %local = alloca [8 x i32]\n"
                 " %other = alloca [8 x i32]\n"
                 " call void @llvm.memset.p0.i64(ptr %local, i8 1, i64 32, i1 false)\n"
                 " call void @llvm.memcpy.p0.p1.i64(ptr %other, ptr addrspace(1) %p, i64 32, i1 false)\n"
                 " %i = load i32, ptr addrspace(1) %p\n"
                 " %bit = and i32 %i, 1\n"
                 " %flag = icmp eq i32 %bit, 0\n"
                 " %either = select i1 %flag, ptr %local, ptr %other\n"
                 " br label %loop\n"
                 "loop:\n"
                 " %q = phi ptr [%either, %entry], [%next, %loop]\n"
                 " %n = phi i32 [0, %entry], [%n1, %loop]\n"
                 " store volatile i32 %n, ptr %q\n"
                 " %next = getelementptr i32, ptr %q, i64 1\n"
                 " %n1 = add i32 %n, 1\n"
                 " %more = icmp ult i32 %n1, 3\n"
                 " br i1 %more, label %loop, label %end\n"
                 "end:\n"
                 " %j = zext i32 %bit to i64\n"
                 " %t = getelementptr i32, ptr addrspace(1) @table, i64 %j\n"
                 " %x = load i32, ptr addrspace(1) %t\n"
                 " %y = call i32 @sum(ptr %local, i64 2)\n"
                 " %z = load i64, ptr addrspace(1) getelementptr (i64, ptr addrspace(1) @congruent_launch, i64 5)\n"
                 " %z1 = trunc i64 %z to i32\n"
                 " %xy = add i32 %x, %y\n"
                 " %xyz = add i32 %xy, %z1\n"
                 " store i32 %xyz, ptr addrspace(1) %p\n"
                 " ret void }\n",
                 "r memory+0 32 @0\nr memory+0 4 @0\nw memory+0 4 @0\n");
    cr_assert_eq(offsetof(GpuLaunch, scratch), 40);
    cr_expect_eq(word_at(0), 5 + 2 + 12345);
}

// Pointers that may be of others are announced, even if some are private.
Test(simt, memory_that_may_be_shared) {
    expect_calls(SHARED HEAD "{\n"
                             " %local = alloca i32\n"
                             " store i32 0, ptr %local\n"
                             " %i = load i32, ptr addrspace(1) %p\n"
                             " %flag = icmp eq i32 %i, 0\n"
                             " %q = addrspacecast ptr addrspace(3) @congruent_shared to ptr\n"
                             " %either = select i1 %flag, ptr %local, ptr %q\n"
                             " store i32 3, ptr %either\n"
                             " %number = ptrtoint ptr %local to i64\n"
                             " %hidden = inttoptr i64 %number to ptr\n"
                             " %y = load volatile i32, ptr %hidden\n"
                             " ret void }\n",
                 "shared\nr memory+0 4 @0\nw shared+0 4 @0\nr elsewhere 4 @0\n");
}

// Only active lanes; neighbours in one access.
Test(simt, masked_accesses) {
    expect_calls(
        "declare <8 x i32> @llvm.masked.load.v8i32.p1(ptr addrspace(1), <8 x i1>, <8 x i32>)\n"
        "declare void @llvm.masked.store.v8i32.p1(<8 x i32>, ptr addrspace(1), <8 x i1>)\n"
        "declare <2 x i64> @llvm.masked.gather.v2i64.v2p1(<2 x ptr addrspace(1)>, <2 x i1>, <2 x i64>)\n"
        "declare void @llvm.masked.scatter.v2i64.v2p1(<2 x i64>, <2 x ptr addrspace(1)>, <2 x i1>)\n" HEAD "{\n"
        " %a = call <8 x i32> @llvm.masked.load.v8i32.p1(ptr addrspace(1) align 32 %p, <8 x i1> <i1 1, i1 1, "
        "i1 0, i1 1, i1 1, i1 1, i1 0, i1 1>, <8 x i32> splat (i32 9))\n"
        " %q = getelementptr i8, ptr addrspace(1) %p, i64 33\n"
        " call void @llvm.masked.store.v8i32.p1(<8 x i32> %a, ptr addrspace(1) align 32 %q, <8 x i1> splat "
        "(i1 true))\n"
        " call void @llvm.masked.store.v8i32.p1(<8 x i32> %a, ptr addrspace(1) align 4 %q, <8 x i1> "
        "zeroinitializer)\n"
        " %offsets = getelementptr i8, ptr addrspace(1) %p, <2 x i64> <i64 128, i64 72>\n"
        " %b = call <2 x i64> @llvm.masked.gather.v2i64.v2p1(<2 x ptr addrspace(1)> align 8 %offsets, <2 x i1> "
        "<i1 true, i1 true>, <2 x i64> zeroinitializer)\n"
        " call void @llvm.masked.scatter.v2i64.v2p1(<2 x i64> %b, <2 x ptr addrspace(1)> align 8 %offsets, "
        "<2 x i1> <i1 false, i1 true>)\n"
        " ret void }\n",
        "r memory+0 8 @0\nr memory+12 12 @0\nr memory+28 4 @0\nw memory+33 32 @0\n"
        "r memory+128 8 @0\nr memory+72 8 @0\nw memory+72 8 @0\n");
    cr_expect_eq(word_at(33), 0x03020100);
    cr_expect_eq(word_at(33 + 8), 9);
    cr_expect_eq(word_at(33 + 12), 0x0f0e0d0c);
}

// More lanes than a word has bits; all 64 lanes of one.
Test(simt, masks_of_many_lanes) {
    expect_calls("declare <128 x i8> @llvm.masked.load.v128i8.p1(ptr addrspace(1), <128 x i1>, <128 x i8>)\n"
                 "declare void @llvm.masked.store.v128i8.p1(<128 x i8>, ptr addrspace(1), <128 x i1>)\n" HEAD "{\n"
                 " %x = load <128 x i8>, ptr addrspace(1) %p\n"
                 " %m = icmp uge <128 x i8> %x, splat (i8 2)\n"
                 " %a = call <128 x i8> @llvm.masked.load.v128i8.p1(ptr addrspace(1) %p, <128 x i1> %m, <128 x i8> "
                 "zeroinitializer)\n"
                 " %q = getelementptr i8, ptr addrspace(1) %p, i64 128\n"
                 " %n = icmp uge <128 x i8> %x, splat (i8 126)\n"
                 " call void @llvm.masked.store.v128i8.p1(<128 x i8> %a, ptr addrspace(1) %q, <128 x i1> %n)\n"
                 " ret void }\n",
                 "r memory+0 128 @0\nr memory+2 62 @0\nr memory+64 64 @0\nw memory+254 2 @0\n");
    cr_expect_eq(recorder.memory[255], 127);
}

Test(simt, ranges_of_memory) {
    expect_calls(SHARED
                 "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"
                 " %q = getelementptr i8, ptr addrspace(1) %p, i64 33\n"
                 " call void @llvm.memset.p1.i64(ptr addrspace(1) align 16 %q, i8 7, i64 32, i1 false)\n"
                 " call void @llvm.memcpy.p3.p1.i32(ptr addrspace(3) align 16 @congruent_shared, ptr addrspace(1) "
                 "align 16 %q, i32 64, i1 false)\n"
                 " %n1 = load i8, ptr addrspace(1) %p\n" // 0
                 " %n = zext i8 %n1 to i64\n"
                 " call void @llvm.memmove.p1.p3.i64(ptr addrspace(1) %p, ptr addrspace(3) @congruent_shared, i64 %n, "
                 "i1 false)\n"
                 " %m = or i64 %n, 48\n"
                 " call void @llvm.memmove.p1.p3.i64(ptr addrspace(1) %p, ptr addrspace(3) @congruent_shared, i64 %m, "
                 "i1 false)\n"
                 " ret void }\n",
                 "shared\nw memory+33 32 @0\nr memory+33 64 @0\nw shared+0 64 @0\nr memory+0 1 @0\nr shared+0 48 @0\n"
                 "w memory+0 48 @0\n");
    cr_expect_eq(word_at(0), 0x07070707);
    cr_expect_eq(word_at(32), 0x44434241);
}

// ---- places ---------------------------------------------------------------------------------------------------------

// The line of the debug location is the place.
Test(simt, places) {
    expect_calls(
        "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
        "define ptx_kernel void @k(ptr addrspace(1) %p) !dbg !3 {\n"
        " %a = load i32, ptr addrspace(1) %p, !dbg !4\n"
        " call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !5\n"
        " store i32 %a, ptr addrspace(1) %p, !dbg !6\n"
        " %b = atomicrmw xchg ptr addrspace(1) %p, i32 1 monotonic, !dbg !7\n"
        " ret void, !dbg !4 }\n"
        "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!8}\n"
        "!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: LineTablesOnly)\n"
        "!1 = !DIFile(filename: \"k.mlir\", directory: \"/\")\n!2 = !DISubroutineType(types: !{})\n"
        "!3 = distinct !DISubprogram(name: \"k\", file: !1, line: 1, type: !2, unit: !0, spFlags: DISPFlagDefinition)\n"
        "!4 = !DILocation(line: 1, scope: !3)\n!5 = !DILocation(line: 2, scope: !3)\n"
        "!6 = !DILocation(line: 70000, scope: !3)\n!7 = !DILocation(line: 0, scope: !3)\n"
        "!8 = !{i32 2, !\"Debug Info Version\", i32 3}\n",
        "r memory+0 4 @1\nbarrier @2\nw memory+0 4 @70000\nrwa memory+0 4 @0\n");
}

// ---- functions ------------------------------------------------------------------------------------------------------

// libdevice's functions are the C library's; LLVM's that touch no memory stay.
Test(simt, functions) {
    expect_calls("declare float @__nv_cbrtf(float)\ndeclare double @__nv_pow(double, double)\n"
                 "declare float @llvm.fma.f32(float, float, float)\n"
                 "declare void @llvm.assume(i1)\n" HEAD "{\n"
                 " %a = call float @__nv_cbrtf(float 27.5)\n"
                 " %b = call double @__nv_pow(double 2.5, double 3.25)\n"
                 " %c = call float @llvm.fma.f32(float %a, float %a, float 1.0)\n"
                 " call void @llvm.assume(i1 true) [\"align\"(ptr addrspace(1) %p, i64 64)]\n"
                 " store float %a, ptr addrspace(1) %p\n"
                 " %q = getelementptr i8, ptr addrspace(1) %p, i64 8\n"
                 " store double %b, ptr addrspace(1) %q\n"
                 " ret void }\n",
                 "w memory+0 4 @0\nw memory+8 8 @0\n");
    volatile float x = 27.5f;
    volatile double y = 2.5, z = 3.25;
    float root;
    double power;
    memcpy(&root, recorder.memory, sizeof root);
    memcpy(&power, recorder.memory + 8, sizeof power);
    cr_expect_eq(root, cbrtf(x));
    cr_expect_eq(power, pow(y, z));
}

// cvt.rn.satfinite of two numbers: the first of two floats is the upper byte, of a vector the second. A NaN is 0x7f.
Test(simt, narrowing) {
    static const struct {
        const char *name, *operands;
        uint16_t result;
    } cases[] = {
        {"ff.to.e4m3x2", "float 1.0, float -464.0", 0x38fe}, // -464 is beyond -448
        {"ff.to.e4m3x2", "float 0xFFF8000000000000, float 0x7FF0000000000000", 0x7f7e},
        {"ff.to.e5m2x2", "float 0xFFF0000000000000, float 1.125", 0xfb3c}, // -inf; a tie, to even
        {"ff.to.e5m2x2", "float -0.0, float 0x7FF8000000000000", 0x807f},
        {"f16x2.to.e4m3x2", "<2 x half> <half 1.0, half -2.0>", 0xc038},
        {"f16x2.to.e5m2x2", "<2 x half> <half 0xH7C01, half 65504.0>", 0x7b7f},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Buffer text = {0};
        const bool halves = cases[i].name[1] == '1';
        buffer_print(&text,
                     "declare i16 @llvm.nvvm.%s.rn(%s)\n%s{\n %%a = call i16 @llvm.nvvm.%s.rn(%s)\n"
                     " %%b = zext i16 %%a to i32\n store i32 %%b, ptr addrspace(1) %%p\n ret void }\n",
                     cases[i].name, halves ? "<2 x half>" : "float, float", HEAD, cases[i].name, cases[i].operands);
        run_kernel(1, text.data);
        cr_expect_eq(word_at(0), cases[i].result, "%s of %s gives %04x", cases[i].name, cases[i].operands, word_at(0));
        buffer_free(&text);
    }
    buffer_free(&recorder.log);
}

// Directed rounding: an operation, its operands, and what 1 + 2^-23 is rounded down, up and to zero.
Test(simt, directed_rounding) {
    static const struct {
        const char *name, *operands;
        uint32_t down, up;
    } cases[] = {
        {"add", "float 1.0, float 0x3E30000000000000", 0x3f800000, 0x3f800001},                // 1 + 2^-28
        {"mul", "float 0x3FF0000020000000, float 0x3FF0000020000000", 0x3f800002, 0x3f800003}, // (1 + 2^-23)^2
        {"div", "float 1.0, float 3.0", 0x3eaaaaaa, 0x3eaaaaab},
        {"sqrt", "float 2.0", 0x3fb504f3, 0x3fb504f4},
        {"fma", "float 1.0, float -1.0, float 0x3E30000000000000", 0xbf800000, 0xbf7fffff},
    };
    static const char *const modes[] = {"rm", "rp", "rz", "rm.ftz", "rp.ftz", "rz.ftz", "rn.ftz"};
    for (size_t i = 0; i < BASE_COUNT(cases); i++)
        for (unsigned m = 0; m < BASE_COUNT(modes); m++) {
            Buffer text = {0};
            bool two = i < 3, three = i == 4, negative = cases[i].down >> 31;
            buffer_print(&text,
                         "declare float @llvm.nvvm.%s.%s.f(float%s)\n%s{\n"
                         " %%a = call float @llvm.nvvm.%s.%s.f(%s)\n store float %%a, ptr addrspace(1) %%p\n ret "
                         "void }\n",
                         cases[i].name, modes[m],
                         three ? ", float, float"
                         : two ? ", float"
                               : "",
                         HEAD, cases[i].name, modes[m], cases[i].operands);
            run_kernel(1, text.data);
            bool up = m % 3 == 1 || (m % 3 == 2 && negative);
            if (m == 6) up = i == 2; // to nearest
            cr_expect_eq(word_at(0), up ? cases[i].up : cases[i].down, "%s.%s gives %08x", cases[i].name, modes[m],
                         word_at(0));
            buffer_free(&text);
        }
    run_kernel(1, "declare double @llvm.nvvm.add.rp.d(double, double)\n" HEAD
                  "{ %a = call double @llvm.nvvm.add.rp.d(double 1.0, double 0x3C00000000000000)\n %b = fadd double "
                  "1.0, 0x3C00000000000000\n store double %a, ptr addrspace(1) %p\n"
                  " %q = getelementptr double, ptr addrspace(1) %p, i64 1\n store double %b, ptr addrspace(1) %q\n ret "
                  "void }\n");
    uint64_t words[2];
    memcpy(words, recorder.memory, sizeof words);
    cr_expect_eq(words[0], 0x3ff0000000000001);
    cr_expect_eq(words[1], 0x3ff0000000000000);
    buffer_free(&recorder.log);
}

// Subnormal operands and results are zeros of their sign. 2^-127 is 0x3800000000000000.
Test(simt, flushing) {
    static const struct {
        const char *name, *operands; // `%s` in the name: each rounding
        unsigned count;
        uint32_t result;
    } cases[] = {
        {"add.%s.ftz.f", "float 0x3818000000000000, float 0xB810000000000000", 2, 0},
        {"add.%s.ftz.f", "float 0xB800000000000000, float 0xB800000000000000", 2, 0x80000000},
        {"mul.%s.ftz.f", "float 0xB810000000000000, float 0.5", 2, 0x80000000},
        {"div.%s.ftz.f", "float 0x3810000000000000, float 2.0", 2, 0},
        {"sqrt.%s.ftz.f", "float 0xB800000000000000", 1, 0x80000000},
        {"fma.%s.ftz.f", "float 0x3810000000000000, float 1.5, float 0xB810000000000000", 3, 0},
        {"floor.ftz.f", "float 0xB800000000000000", 1, 0x80000000},
        {"ceil.ftz.f", "float 0x3800000000000000", 1, 0},
        {"fabs.ftz.f32", "float 0xB800000000000000", 1, 0},
        {"fmin.ftz.f", "float 0xB800000000000000, float 1.0", 2, 0x80000000},
        {"fmin.ftz.f", "float 0x7FF8000000000000, float 3.0", 2, 0x40400000},
        {"fmax.ftz.f", "float -3.0, float 0xB800000000000000", 2, 0x80000000},
        {"fmax.ftz.f", "float 2.0, float 0x7FF8000000000000", 2, 0x40000000},
        {"fmin.ftz.nan.f", "float 3.0, float 0x7FF8000000000000", 2, 0x7fc00000},
        {"fmin.ftz.nan.f", "float 0.0, float -0.0", 2, 0x80000000},
        {"fmax.ftz.nan.f", "float 0x7FF8000000000000, float 3.0", 2, 0x7fc00000},
        {"fmax.ftz.nan.f", "float 0x3800000000000000, float -0.0", 2, 0},
    };
    static const char *const modes[] = {"rn", "rm", "rp", "rz"};
    for (size_t i = 0; i < BASE_COUNT(cases); i++)
        for (unsigned m = 0; m < (strchr(cases[i].name, '%') ? 4 : 1); m++) {
            Buffer text = {0};
            char name[40];
            const char *rounding = strchr(cases[i].name, '%');
            const int before = rounding ? (int)(rounding - cases[i].name) : (int)strlen(cases[i].name);
            snprintf(name, sizeof name, "%.*s%s%s", before, cases[i].name, rounding ? modes[m] : "",
                     rounding ? rounding + 2 : "");
            buffer_print(&text,
                         "declare float @llvm.nvvm.%s(float%s)\n%s{\n %%a = call float @llvm.nvvm.%s(%s)\n"
                         " store float %%a, ptr addrspace(1) %%p\n ret void }\n",
                         name,
                         cases[i].count == 3   ? ", float, float"
                         : cases[i].count == 2 ? ", float"
                                               : "",
                         HEAD, name, cases[i].operands);
            run_kernel(0, text.data);
            cr_expect_eq(word_at(0), cases[i].result, "%s %s gives %08x", name, cases[i].operands, word_at(0));
            buffer_free(&text);
        }
    buffer_free(&recorder.log);
}

// Approximate instructions are formulas; those of PTX that LLVM has no name for, too.
Test(simt, approximate_instructions) {
    static const struct {
        const char *declared, *called;
        uint32_t result;
    } cases[] = {
        {"declare float @llvm.nvvm.ex2.approx.f32(float)", "@llvm.nvvm.ex2.approx.f32(float -130.0)", 0x00080000},
        {"declare float @llvm.nvvm.ex2.approx.ftz.f32(float)", "@llvm.nvvm.ex2.approx.ftz.f32(float -130.0)", 0},
        {"declare float @llvm.nvvm.lg2.approx.f(float)", "@llvm.nvvm.lg2.approx.f(float 8.0)", 0x40400000},
        {"declare float @llvm.nvvm.lg2.approx.ftz.f(float)", "@llvm.nvvm.lg2.approx.ftz.f(float 0x3800000000000000)",
         0xff800000},
        {"declare float @llvm.nvvm.div.full(float, float)", "@llvm.nvvm.div.full(float 1.0, float 3.0)", 0x3eaaaaaa},
        {"declare float @llvm.nvvm.rsqrt.approx.f(float)", "@llvm.nvvm.rsqrt.approx.f(float 4.0)", 0x3f000000},
        {"", "asm \"rcp.approx.f32 $0, $1;\", \"=f,f\"(float 4.0)", 0x3e800000},
        {"", "asm \"tanh.approx.f32 $0, $1;\", \"=f,f\"(float 9.0)", 0x3f800000},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Buffer text = {0};
        buffer_print(&text, "%s\n%s{\n %%a = call float %s\n store float %%a, ptr addrspace(1) %%p\n ret void }\n",
                     cases[i].declared, HEAD, cases[i].called);
        run_kernel(0, text.data);
        cr_expect_eq(word_at(0), cases[i].result, "%s gives %08x", cases[i].called, word_at(0));
        buffer_free(&text);
    }
    buffer_free(&recorder.log);
}

// ---- what is refused ------------------------------------------------------------------------------------------------

static const struct RefusedCase {
    const char *text, *message;
} refused_cases[] = {
    {"declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)\n" HEAD
     "{ %a = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 1) ret void }\n",
     "the emulation of GPUs does not know llvm.nvvm.vote.ballot.sync, which the code of 'k' calls"},
    {"declare float @llvm.nvvm.saturate.f(float)\n" HEAD
     "{ %a = call float @llvm.nvvm.saturate.f(float 1.0) ret void }\n",
     "llvm.nvvm.saturate.f"},
    {"declare {float, float, float, float} @llvm.nvvm.mma.m16n8k8.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, "
     "float, float, float, float)\n" HEAD
     "{ %a = call {float, float, float, float} @llvm.nvvm.mma.m16n8k8.row.col.f32.f32(<2 x half> zeroinitializer, <2 x "
     "half> zeroinitializer, <2 x half> zeroinitializer, float 0.0, float 0.0, float 0.0, float 0.0) ret void }\n",
     "llvm.nvvm.mma.m16n8k8.row.col.f32.f32"},
    {"declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n" HEAD
     "{ call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1) ret void }\n",
     "with a barrier other than 0"},
    {"declare <8 x i4> @llvm.masked.load.v8i4.p1(ptr addrspace(1), <8 x i1>, <8 x i4>)\n" HEAD
     "{ %a = call <8 x i4> @llvm.masked.load.v8i4.p1(ptr addrspace(1) %p, <8 x i1> splat (i1 true), <8 x i4> "
     "zeroinitializer) ret void }\n",
     "with elements that are not whole bytes"},
    {"declare <4 x i32> @llvm.masked.expandload.v4i32.p1(ptr addrspace(1), <4 x i1>, <4 x i32>)\n" HEAD
     "{ %a = call <4 x i32> @llvm.masked.expandload.v4i32.p1(ptr addrspace(1) %p, <4 x i1> zeroinitializer, <4 x i32> "
     "zeroinitializer) ret void }\n",
     "llvm.masked.expandload"},
    {"declare i32 @vprintf(ptr, ptr)\n" HEAD "{ %a = call i32 @vprintf(ptr null, ptr null) ret void }\n", "vprintf"},
    {"declare float @__nv_expff(float)\n" HEAD "{ %a = call float @__nv_expff(float 1.0) ret void }\n", "__nv_expff"},
    {HEAD "{ call void asm sideeffect \"membar.gl;\", \"\"() ret void }\n",
     "PTX, which the code of 'k' has: membar.gl;"},
    {HEAD "{ %f = addrspacecast ptr addrspace(1) %p to ptr call void %f() ret void }\n", "a function by its address"},
    {"@mine = internal addrspace(3) global [8 x i8] poison\n" HEAD "{ store i8 0, ptr addrspace(3) @mine ret void }\n",
     "one array in shared memory, 'congruent_shared', not 'mine'"},
    {"define ptx_kernel void @k(ptr addrspace(1) %p, i128 %a) { ret void }\n", "parameter 1 of kernel 'k'"},
    {"define ptx_kernel void @k(ptr byval(i64) %p) { ret void }\n", "parameter 0 of 'k', which is passed in memory"},
    {SHARED HEAD "{ store {i64, ptr addrspace(3)} {i64 1, ptr addrspace(3) @congruent_shared}, ptr addrspace(1) %p "
                 "ret void }\n",
     "cannot compute an address of shared memory in the code of 'k'"},
};

Test(simt, what_cannot_be_emulated_is_refused) {
    for (size_t i = 0; i < BASE_COUNT(refused_cases); i++) {
        Diagnostics diagnostics = {0};
        Target *target = test_target(NULL, 1);
        TestModule test = test_parse(target, &diagnostics, refused_cases[i].text);
        cr_expect_not(simt_transform(target, &diagnostics, test.module), "%s", refused_cases[i].message);
        cr_assert_eq(diagnostics.count, 1, "%s", refused_cases[i].message);
        cr_expect_eq(diagnostics.items[0].code, E_UNSUPPORTED);
        cr_expect(strstr(diagnostics.items[0].message, refused_cases[i].message), "%s", diagnostics.items[0].message);
        test_close(&test);
        target_close(target);
        diagnostics_close(&diagnostics);
    }
}
