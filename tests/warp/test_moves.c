// SPDX-License-Identifier: Apache-2.0
// Moves of addresses, special registers, conversions between spaces, and what guards leave alone.
#include "kernel_lab.h"

#include <criterion/criterion.h>
#include <string.h>

static LabRun run;
static LabWords in, out;

static void open_lab(Lab *lab, const char *text, CompileNumeric numeric) {
    const bool opened = lab_open(lab, text, numeric);
    cr_assert(opened, "%s", lab_problem(lab));
}

// ---- addresses

static const char addresses[] =
    LAB_HEADER ".shared .align 16 .b8 first[64]; .shared .align 16 .b8 second[64];\n" LAB_KERNEL(
        "spaces", ".local .align 8 .b8 own[32];\n"
                  "mov.u32 %r0, second; mov.u64 %l0, second+4; cvta.shared.u64 %l1, second; "
                  "cvta.to.shared.u64 %l2, %l1;\n"
                  "sub.u64 %l3, %l0, 4; cvt.u64.u32 %l4, %r0; setp.eq.u64 %p0, %l3, %l4;\n"
                  "setp.eq.and.u64 %p0, %l2, %l3, %p0; selp.b64 %l5, 1, 0, %p0; st.global.b64 [%out], %l5;\n"
                  "mov.u64 %l6, own; cvta.local.u64 %l6, %l6; add.u32 %r1, %lane, 100;\n"
                  "st.local.b32 [own+4], %r1; ld.b32 %r2, [%l6+4]; st.global.b32 [%out+8], %r2;\n"
                  "st.b32 [%l1], 77; ld.shared.b32 %r3, [second]; st.global.b32 [%out+12], %r3;\n"
                  "isspacep.shared %p1, %l1; isspacep.local %p2, %l1; isspacep.global %p3, %in;\n"
                  "isspacep.local %p4, %l6; isspacep.global %p5, %l6; isspacep.const %p6, %in;\n"
                  "selp.b32 %r4, 1, 0, %p1; selp.b32 %r5, 2, 0, %p2; selp.b32 %r6, 4, 0, %p3;\n"
                  "selp.b32 %r7, 8, 0, %p4; selp.b32 %r8, 16, 0, %p5; selp.b32 %r9, 32, 0, %p6;\n"
                  "or.b32 %r4, %r4, %r5; or.b32 %r4, %r4, %r6; or.b32 %r4, %r4, %r7; or.b32 %r4, %r4, %r8;\n"
                  "or.b32 %r4, %r4, %r9; st.global.b32 [%out+16], %r4;")
        LAB_KERNEL("cluster",
                   "mov.u32 %r0, second; mapa.shared::cluster.u32 %r1, %r0, 0; getctarank.shared::cluster.u32 "
                   "%r2, %r0;\nsub.u32 %r1, %r1, %r0; st.global.v2.b32 [%out], {%r1, %r2};\n"
                   "cvta.shared.u64 %l1, second; mapa.u64 %l2, %l1, 0; sub.u64 %l2, %l2, %l1;\n"
                   "mapa.u64 %l3, %l1, %lane; st.global.b64 [%out+8], %l2; st.global.b64 [%out+16], %l3;")
            LAB_KERNEL("specials",
                       "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.y; mov.u32 %r2, %nctaid.z; mov.u32 %r3, %ntid.x;\n"
                       "st.global.v4.b32 [%out], {%r0, %r1, %r2, %r3};\n"
                       "mov.u32 %r4, %lanemask_lt; mov.u32 %r5, %lanemask_ge; mov.u32 %r6, %warpid; "
                       "mov.u32 %r7, %cluster_nctarank;\nst.global.v4.b32 [%out+16], {%r4, %r5, %r6, %r7};")
                LAB_KERNEL("policies",
                           "createpolicy.fractional.L2::evict_last.b64 %l0, 1.0; st.global.b64 [%out], %l0;\n"
                           "prefetch.global.L2 [%in]; discard.global.L2 [%in], 128; prefetchu.L1 [%in];\n"
                           "applypriority.global.L2::evict_normal [%in], 128;");

Test(moves, addresses_of_spaces) {
    Lab lab;
    open_lab(&lab, addresses, COMPILE_IEEE);
    memset(out, 0, sizeof out);
    cr_assert(lab_run_words(&lab, "spaces", &run, in, out));
    for (int l = 0; l < WARP_LANES; l++) {
        uint32_t words[8];
        memcpy(words, out[l], sizeof words);
        cr_assert_eq(words[0], 1);
        cr_assert_eq(words[2], 100 + (uint32_t)l);
        cr_assert_eq(words[3], 77);
        cr_assert_eq(words[4], 1 | 4 | 8);
    }
    lab_close(&lab);
}

Test(moves, clusters_of_one) {
    Lab lab;
    open_lab(&lab, addresses, COMPILE_IEEE);
    cr_assert(lab_run_words(&lab, "cluster", &run, in, out));
    for (int l = 0; l < WARP_LANES; l++) {
        cr_assert_eq(out[l][0], 0);
        cr_assert_eq(out[l][1], 0);
        cr_assert(l ? out[l][2] == UINT64_MAX : out[l][2] >> WARP_WINDOW_SHIFT == WARP_SHARED);
    }
    lab_close(&lab);
}

Test(moves, special_registers) {
    Lab lab;
    open_lab(&lab, addresses, COMPILE_IEEE);
    cr_assert(lab_run_words(&lab, "specials", &run, in, out));
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        const uint32_t below = (UINT32_C(1) << l) - 1;
        const uint32_t expected[8] = {l, 4, 8, 32, below, ~below, 0, 1};
        cr_assert_arr_eq(out[l], expected, sizeof expected, "lane %u", l);
    }
    cr_assert(lab_run_words(&lab, "policies", &run, in, out));
    cr_assert_eq(out[3][0], 0);
    lab_close(&lab);
}

// ---- registers that are wider than the type, or signed

Test(moves, extension_into_registers) {
    static const char text[] = LAB_HEADER LAB_KERNEL(
        "extend", "ld.global.s8 %l0, [%in]; ld.global.u8 %l1, [%in]; ld.global.s16 %r0, [%in]; ld.global.u16 %r1, "
                  "[%in];\nst.global.b64 [%out], %l0; st.global.b64 [%out+8], %l1;\n"
                  "st.global.v2.b32 [%out+16], {%r0, %r1}; st.global.b8 [%out+24], %l0; cvt.s8.s32 %r3, %r1;\n"
                  "cvt.u16.u32 %r4, %r0; st.global.b32 [%out+28], %r3;");
    Lab lab;
    open_lab(&lab, text, COMPILE_IEEE);
    memset(out, 0, sizeof out);
    for (int l = 0; l < WARP_LANES; l++) in[l][0] = 0xfff00 + (uint64_t)(l * 9);
    cr_assert(lab_run_words(&lab, "extend", &run, in, out));
    for (int l = 0; l < WARP_LANES; l++) {
        const uint64_t x = in[l][0];
        cr_assert_eq(out[l][0], (uint64_t)(int8_t)x);
        cr_assert_eq(out[l][1], (uint8_t)x);
        cr_assert_eq(out[l][2], (uint32_t)(int16_t)x | (x & 0xffff) << 32);
        cr_assert_eq(out[l][3] & 0xff, (uint8_t)x);
        cr_assert_eq(out[l][3] >> 32, (uint32_t)(int8_t)x);
    }
    lab_close(&lab);
}

// ---- guards

// Instructions that differ in a literal only.
Test(moves, literals) {
    static const char text[] = LAB_HEADER LAB_KERNEL(
        "literals", "mov.pred %p0, -1; @%p0 mov.pred %p1, 0; @%p0 mov.pred %p2, -1; mov.pred %p2, 1; mov.pred %p1, 0;\n"
                    "selp.b32 %r0, 1, 2, %p1; selp.b32 %r1, 3, 4, %p2; add.u32 %r2, %lane, 5; add.u32 %r3, %lane, -6;\n"
                    "st.global.v4.b32 [%out], {%r0, %r1, %r2, %r3};\n"
                    "add.u64 %l0, %in, 0x7fffffff12; sub.u64 %l0, %l0, %in; st.global.b64 [%out+16], %l0;");
    Lab lab;
    open_lab(&lab, text, COMPILE_IEEE);
    memset(out, 0, sizeof out);
    cr_assert(lab_run_words(&lab, "literals", &run, in, out));
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        const uint32_t want[] = {2, 3, l + 5, l - 6};
        cr_assert_arr_eq(out[l], want, sizeof want);
        cr_assert_eq(out[l][2], 0x7fffffff12);
    }
    lab_close(&lab);
}

// Lanes for which a guard does not hold keep what they have, of results of all kinds.
Test(moves, guards) {
    static const char text[] = LAB_HEADER LAB_KERNEL(
        "guards", "and.b32 %r0, %lane, 1; setp.eq.u32 %p0, %r0, 1;\n"
                  "mov.b32 %r1, 11; mov.b64 %l1, 12; setp.ne.u32 %p1, 0, 0; mov.b16 %h1, 13; mov.b32 %r2, 14;\n"
                  "@%p0 add.u32 %r1, %lane, 1000; @!%p0 mul.wide.u32 %l1, %lane, 3; @%p0 setp.eq.u32 %p1, 0, 0;\n"
                  "@%p0 mov.b32 {%h1, _}, %lane; @%p0 shfl.sync.idx.b32 %r2, %lane, 1, 31, 0xaaaaaaaa;\n"
                  "selp.b32 %r3, 1, 0, %p1; cvt.u32.u16 %r4, %h1; cvt.u32.u64 %r5, %l1;\n"
                  "st.global.v4.b32 [%out], {%r1, %r5, %r3, %r4}; st.global.b32 [%out+16], %r2;");
    Lab lab;
    open_lab(&lab, text, COMPILE_IEEE);
    cr_assert(lab_run_words(&lab, "guards", &run, in, out));
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        const bool odd = l % 2;
        const uint32_t expected[5] = {odd ? l + 1000 : 11, odd ? 12 : 3 * l, odd, odd ? l : 13, odd ? 1 : 14};
        cr_assert_arr_eq(out[l], expected, sizeof expected, "lane %u", l);
    }
    lab_close(&lab);
}

// ---- forms

// Registers that float instructions use are kept as payloads; packing, choices and shuffles of them give the same bits.
#define MIXED                                                                                                          \
    "ld.global.v2.b32 {%r0, %r1}, [%in]; add.f32 %r2, %r0, %r1; add.f32 %r3, %r2, %r1; mul.f32 %r4, %r3, %r2;\n"       \
    "setp.gt.u32 %p0, %lane, 9; selp.b32 %r5, %r3, %r4, %p0; add.f32 %r5, %r5, %r5;\n"                                 \
    "shfl.sync.bfly.b32 %r6, %r5, 4, 31, -1; add.f32 %r6, %r6, %r4; xor.b32 %r7, %r6, 0x80000000;\n"                   \
    "cvt.rn.f16x2.f32 %r8, %r3, %r4; mov.b32 {%h0, %h1}, %r8; add.f16 %h2, %h0, %h1; mov.b32 %r9, {%h2, %h0};\n"       \
    "add.f16x2 %r9, %r9, %r8; mov.b32 {%h3, _}, %r9; add.f16 %h3, %h3, %h2; mov.b32 %r10, {%h3, %h2};\n"               \
    "st.global.v4.b32 [%out], {%r5, %r6, %r7, %r10}; st.global.b32 [%out+16], %r9;"
// The same with bits in between: each move goes through memory.
#define PLAIN                                                                                                          \
    "mov.u64 %l0, own; ld.global.v2.b32 {%r0, %r1}, [%in]; add.f32 %r2, %r0, %r1; add.f32 %r3, %r2, %r1;\n"            \
    "mul.f32 %r4, %r3, %r2; setp.gt.u32 %p0, %lane, 9; st.local.b32 [own], %r4; @%p0 st.local.b32 [own], %r3;\n"       \
    "ld.local.b32 %r5, [own]; add.f32 %r5, %r5, %r5; st.local.b32 [own], %r5; ld.local.s32 %r11, [own];\n"             \
    "shfl.sync.bfly.b32 %r12, %r11, 4, 31, -1; st.local.b32 [own], %r12; ld.local.b32 %r6, [own];\n"                   \
    "add.f32 %r6, %r6, %r4; xor.b32 %r7, %r6, 0x80000000; cvt.rn.f16x2.f32 %r8, %r3, %r4;\n"                           \
    "st.local.b32 [own], %r8; ld.local.b16 %h0, [own]; ld.local.b16 %h1, [own+2]; add.f16 %h2, %h0, %h1;\n"            \
    "st.local.b16 [own+4], %h2; st.local.b16 [own+6], %h0; ld.local.b32 %r9, [own+4]; add.f16x2 %r9, %r9, %r8;\n"      \
    "st.local.b32 [own], %r9; ld.local.b16 %h3, [own]; add.f16 %h3, %h3, %h2; st.local.b16 [own+4], %h3;\n"            \
    "st.local.b16 [own+6], %h2; ld.local.b32 %r10, [own+4];\n"                                                         \
    "st.global.v4.b32 [%out], {%r5, %r6, %r7, %r10}; st.global.b32 [%out+16], %r9;"

Test(moves, forms) {
    static const char text[] =
        LAB_HEADER LAB_KERNEL("mixed", MIXED) LAB_KERNEL("plain", ".local .align 8 .b8 own[8];\n" PLAIN);
    static LabWords other;
    for (int numeric = COMPILE_IEEE; numeric <= COMPILE_PAYLOAD; numeric++) {
        Lab lab;
        uint64_t seed = 4;
        open_lab(&lab, text, (CompileNumeric)numeric);
        for (int l = 0; l < WARP_LANES; l++)
            for (int i = 0; i < 2; i++) {
                const float x = (float)(lab_random(&seed) % 2000) / 64 - 10;
                memcpy((uint8_t *)in[l] + 4 * i, &x, sizeof x);
            }
        memset(out, 0, sizeof out);
        memset(other, 0, sizeof other);
        cr_assert(lab_run_words(&lab, "mixed", &run, in, out));
        cr_assert(lab_run_words(&lab, "plain", &run, in, other));
        cr_assert_arr_eq(out, other, sizeof out);
        lab_close(&lab);
    }
}

// ---- movmatrix

Test(moves, transposed_matrix) {
    static const char text[] =
        LAB_HEADER LAB_KERNEL("transpose", "ld.global.b32 %r0, [%in]; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0;\n"
                                           "st.global.b32 [%out], %r1;");
    Lab lab;
    open_lab(&lab, text, COMPILE_IEEE);
    for (uint64_t l = 0; l < WARP_LANES; l++) in[l][0] = 2 * l | (2 * l + 1) << 16; // row r: 8 r, 8 r + 1, ..
    cr_assert(lab_run_words(&lab, "transpose", &run, in, out));
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        const uint32_t row = l / 4, column = l % 4 * 2;
        cr_assert_eq((uint32_t)out[l][0], (8 * column + row) | (8 * (column + 1) + row) << 16, "lane %u", l);
    }
    lab_close(&lab);
}
