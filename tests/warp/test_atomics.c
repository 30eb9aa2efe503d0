// SPDX-License-Identifier: Apache-2.0
// Atomic operations of all kinds and types, lane after lane, on one cell and on many.
#include "kernel_lab.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static LabRun run;
static LabWords in, out;

// ---- integers: a kernel for each; lane l works on the cell %in names with its operand, and swaps

typedef uint64_t Combine(uint64_t old, uint64_t operand, uint64_t swap);
typedef struct AtomicCase {
    const char *name, *words, *type;
    unsigned bits;
    bool swaps;
    Combine *combine;
} AtomicCase;

#define RULE(id, expression)                                                                                           \
    static uint64_t id(uint64_t x, uint64_t y, uint64_t z) {                                                           \
        (void)x, (void)y, (void)z;                                                                                     \
        return (uint64_t)(expression);                                                                                 \
    }
RULE(rule_add, x + y)
RULE(rule_and, x &y)
RULE(rule_or, x | y)
RULE(rule_xor, x ^ y)
RULE(rule_exch, y)
RULE(rule_cas, x == y ? z : x)
RULE(rule_umin, x < y ? x : y)
RULE(rule_umax, x > y ? x : y)
RULE(rule_smin32, (int32_t)x < (int32_t)y ? x : y)
RULE(rule_smax32, (int32_t)x > (int32_t)y ? x : y)
RULE(rule_smin64, (int64_t)x < (int64_t)y ? x : y)
RULE(rule_smax64, (int64_t)x > (int64_t)y ? x : y)
RULE(rule_inc, x >= y ? 0 : x + 1)
RULE(rule_dec, x == 0 || x > y ? y : x - 1)

static const AtomicCase atomic_cases[] = {
    {"add_u32", "add", "u32", 32, false, rule_add},    {"add_s32", "add", "s32", 32, false, rule_add},
    {"add_u64", "add", "u64", 64, false, rule_add},    {"and_b32", "and", "b32", 32, false, rule_and},
    {"and_b64", "and", "b64", 64, false, rule_and},    {"or_b32", "or", "b32", 32, false, rule_or},
    {"or_b64", "or", "b64", 64, false, rule_or},       {"xor_b32", "xor", "b32", 32, false, rule_xor},
    {"xor_b64", "xor", "b64", 64, false, rule_xor},    {"exch_b32", "exch", "b32", 32, false, rule_exch},
    {"exch_b64", "exch", "b64", 64, false, rule_exch}, {"cas_b16", "cas", "b16", 16, true, rule_cas},
    {"cas_b32", "cas", "b32", 32, true, rule_cas},     {"cas_b64", "cas", "b64", 64, true, rule_cas},
    {"min_u32", "min", "u32", 32, false, rule_umin},   {"min_s32", "min", "s32", 32, false, rule_smin32},
    {"min_u64", "min", "u64", 64, false, rule_umin},   {"min_s64", "min", "s64", 64, false, rule_smin64},
    {"max_u32", "max", "u32", 32, false, rule_umax},   {"max_s32", "max", "s32", 32, false, rule_smax32},
    {"max_u64", "max", "u64", 64, false, rule_umax},   {"max_s64", "max", "s64", 64, false, rule_smax64},
    {"inc_u32", "inc", "u32", 32, false, rule_inc},    {"dec_u32", "dec", "u32", 32, false, rule_dec},
};
enum { ATOMIC_CASES = sizeof atomic_cases / sizeof *atomic_cases };

static const char *letter_of(unsigned bits) {
    return bits == 16 ? "h" : bits == 32 ? "r" : "l";
}

// in[l][0]: the address, [1] the operand, [2] what is swapped in. out[l][0]: the old value.
static void print_atomic(const AtomicCase *c, bool red, Buffer *text) {
    const char *r = letter_of(c->bits);
    buffer_print(text,
                 ".visible .entry %s%s(.param .b64 in, .param .b64 out) {\n"
                 ".reg .pred %%p<4>; .reg .b16 %%h<9>; .reg .b32 %%r<9>; .reg .b64 %%l<9>;\n"
                 "mov.u32 %%r8, %%laneid; ld.param.b64 %%l8, [in]; ld.param.b64 %%l7, [out];\n"
                 "mad.wide.u32 %%l8, %%r8, 32, %%l8; mad.wide.u32 %%l7, %%r8, 32, %%l7;\n"
                 "ld.global.b64 %%l6, [%%l8]; ld.global.b%u %%%s1, [%%l8+8]; ld.global.b%u %%%s2, [%%l8+16];\n"
                 "and.b32 %%r3, %%r8, 3; setp.ne.u32 %%p1, %%r3, 3; mov.b%u %%%s0, 99;\n",
                 red ? "red_" : "", c->name, c->bits, r, c->bits, r, c->bits, r);
    if (red)
        buffer_print(text, "@%%p1 red.global.%s.%s [%%l6], %%%s1;\n", c->words, c->type, r);
    else
        buffer_print(text, "@%%p1 atom.global.%s.%s %%%s0, [%%l6], %%%s1%s%s;\n", c->words, c->type, r, r,
                     c->swaps ? ", %" : "",
                     c->swaps ? (c->bits == 16   ? "h2"
                                 : c->bits == 32 ? "r2"
                                                 : "l2")
                              : "");
    if (!red) buffer_print(text, "st.global.b%u [%%l7], %%%s0;\n", c->bits, r);
    buffer_print(text, "ret; }\n");
}

static uint64_t get(const void *at, unsigned bits) {
    uint64_t value = 0;
    memcpy(&value, at, bits / 8);
    return value;
}

static bool has_red(const AtomicCase *c) {
    return !c->swaps && strcmp(c->words, "exch") != 0;
}

static void check_atomic(const Lab *lab, const AtomicCase *c, bool red, uint64_t *seed) {
    static uint64_t cells[4], expected[4];
    char name[32] = "";
    strcat(strcat(name, red ? "red_" : ""), c->name);
    for (int i = 0; i < 4; i++) cells[i] = expected[i] = lab_number(seed);
    memset(out, 0, sizeof out);
    for (int l = 0; l < WARP_LANES; l++) {
        const unsigned cell = (unsigned)(lab_random(seed) % 4);
        in[l][0] = (uintptr_t)&cells[cell];
        in[l][1] = lab_random(seed) % 2 ? lab_number(seed) : cells[cell];
        in[l][2] = lab_random(seed) % 2 ? lab_number(seed) : cells[cell];
    }
    cr_assert(lab_run_words(lab, name, &run, in, out), "%s", name);
    for (int l = 0; l < WARP_LANES; l++) {
        uint64_t *cell = &expected[((uintptr_t)in[l][0] - (uintptr_t)cells) / 8];
        const bool active = l % 4 != 3;
        const uint64_t old = get(cell, c->bits);
        const uint64_t result = c->combine(old, get(&in[l][1], c->bits), get(&in[l][2], c->bits));
        if (!red) cr_assert_eq(get(out[l], c->bits), active ? old : 99, "%s, lane %d", c->name, l);
        if (active) memcpy(cell, &result, c->bits / 8);
    }
    cr_assert_arr_eq(cells, expected, sizeof cells, "%s", name);
}

Test(atomics, integers) {
    enum { ROUNDS = 50 };
    Buffer text = {0};
    Lab lab;
    uint64_t seed = 1;
    buffer_print(&text, "%s", LAB_HEADER);
    for (int i = 0; i < ATOMIC_CASES; i++) {
        print_atomic(&atomic_cases[i], false, &text);
        if (has_red(&atomic_cases[i])) print_atomic(&atomic_cases[i], true, &text);
    }
    buffer_append(&text, "", 1);
    const bool opened = lab_open(&lab, (const char *)text.data, COMPILE_IEEE);
    cr_assert(opened, "%s", lab_problem(&lab));
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < ATOMIC_CASES; i++) {
            check_atomic(&lab, &atomic_cases[i], false, &seed);
            if (has_red(&atomic_cases[i])) check_atomic(&lab, &atomic_cases[i], true, &seed);
        }
    lab_close(&lab);
    buffer_free(&text);
}

// ---- 128 bits, shared and generic memory

static const char others[] =
    LAB_HEADER LAB_KERNEL("wide",
                          "ld.global.b64 %l0, [%in]; ld.global.v2.b64 {%l1, %l2}, [%in+8]; mov.b128 %q1, {%l1, %l2};\n"
                          "setp.eq.u32 %p0, %lane, 0; @!%p0 bra end;\n"
                          "atom.global.exch.b128 %q0, [%l0], %q1; mov.b128 {%l3, %l4}, %q0;\n"
                          "st.global.v2.b64 [%out], {%l3, %l4};\n"
                          "mov.b64 %l5, 7; mov.b64 %l6, 8; mov.b128 %q2, {%l5, %l6};\n"
                          "atom.global.cas.b128 %q3, [%l0], %q1, %q2; mov.b128 {%l3, %l4}, %q3;\n"
                          "st.global.v2.b64 [%out+16], {%l3, %l4}; end:")
        LAB_KERNEL("shared", "mov.u32 %r1, 1024; atom.shared.add.u32 %r0, [%r1+4], %lane; st.global.b32 [%out], %r0;\n"
                             "cvta.shared.u64 %l1, 1024; atom.add.u32 %r0, [%l1+8], 2; st.global.b32 [%out+4], %r0;\n"
                             "red.shared.max.s32 [%r1+12], %lane; atom.shared.exch.b32 _, [%r1+16], %lane;");

Test(atomics, wide_and_shared) {
    static _Alignas(16) uint64_t cell[2] = {3, 4};
    Lab lab;
    const bool opened = lab_open(&lab, others, COMPILE_IEEE);
    cr_assert(opened, "%s", lab_problem(&lab));
    for (int l = 0; l < WARP_LANES; l++) in[l][0] = (uintptr_t)cell, in[l][1] = 5, in[l][2] = 6;
    cr_assert(lab_run_words(&lab, "wide", &run, in, out));
    cr_assert_arr_eq(out[0], ((uint64_t[]){3, 4, 5, 6}), sizeof out[0]);
    cr_assert_arr_eq(cell, ((uint64_t[]){7, 8}), sizeof cell);
    cr_assert(lab_run_words(&lab, "shared", &run, in, out));
    uint32_t words[5], old[2];
    memcpy(words, run.shared + WARP_SHARED_FIRST, sizeof words);
    cr_assert_eq(words[1], 31 * 32 / 2);
    cr_assert_eq(words[2], 64);
    cr_assert_eq(words[3], 31);
    cr_assert_eq(words[4], 31);
    memcpy(old, out[9], sizeof old);
    cr_assert_eq(old[0], 9 * 8 / 2);
    cr_assert_eq(old[1], 18);
    lab_close(&lab);
}

// ---- floats

static const char floats[] = LAB_HEADER LAB_KERNEL("f32",
                                                   "ld.global.b64 %l0, [%in]; ld.global.b32 %r1, [%in+8];\n"
                                                   "atom.global.add.f32 %r0, [%l0], %r1; st.global.b32 [%out], %r0;")
    LAB_KERNEL("f32_shared", "ld.global.b32 %r1, [%in+8]; mov.u32 %r2, 1024; red.shared.add.f32 [%r2], %r1;")
        LAB_KERNEL("f64", "ld.global.b64 %l0, [%in]; ld.global.b64 %l1, [%in+8];\n"
                          "atom.global.add.f64 %l2, [%l0], %l1; st.global.b64 [%out], %l2;")
            LAB_KERNEL("f16",
                       "ld.global.b64 %l0, [%in]; ld.global.b16 %h1, [%in+8]; red.global.add.noftz.f16 [%l0], %h1;")
                LAB_KERNEL("f16x2", "ld.global.b64 %l0, [%in]; ld.global.b32 %r1, [%in+8];\n"
                                    "atom.global.add.noftz.f16x2 %r0, [%l0], %r1; st.global.b32 [%out], %r0;")
                    LAB_KERNEL("bf16x2", "ld.global.b64 %l0, [%in]; ld.global.b32 %r1, [%in+8];\n"
                                         "red.global.add.noftz.bf16x2 [%l0], %r1;")
                        LAB_KERNEL("v4_f32",
                                   "ld.global.b64 %l0, [%in]; ld.global.b32 %r1, [%in+8]; mov.b32 %r2, 0f3f800000;\n"
                                   "atom.global.add.v4.f32 {%r3, %r4, %r5, %r6}, [%l0], {%r1, %r2, %r1, %r2};\n"
                                   "st.global.v4.b32 [%out], {%r3, %r4, %r5, %r6};")
                            LAB_KERNEL("v4_max",
                                       "ld.global.b64 %l0, [%in]; ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%in+16];\n"
                                       "red.global.max.noftz.v4.f16x2 [%l0], {%r1, %r2, %r3, %r4};");

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

Test(atomics, floats) {
    static _Alignas(16) uint8_t cell[16];
    Lab lab;
    const bool opened = lab_open(&lab, floats, COMPILE_IEEE);
    cr_assert(opened, "%s", lab_problem(&lab));
    // Sums, in the order of lanes.
    float sum = 0.1f, before_7 = 0;
    memcpy(cell, &sum, sizeof sum);
    for (int l = 0; l < WARP_LANES; l++) {
        const float x = 1.0f / (float)(l + 3);
        if (l == 7) before_7 = sum;
        sum += x;
        in[l][0] = (uintptr_t)cell;
        in[l][1] = bits_of(x);
    }
    cr_assert(lab_run_words(&lab, "f32", &run, in, out));
    cr_assert_arr_eq(cell, &sum, sizeof sum);
    cr_assert_eq((uint32_t)out[7][0], bits_of(before_7));
    double wide = 0.25, term = 0.1;
    memcpy(cell, &wide, sizeof wide);
    for (int l = 0; l < WARP_LANES; l++) {
        memcpy(&in[l][1], &term, sizeof term);
        wide += term;
    }
    cr_assert(lab_run_words(&lab, "f64", &run, in, out));
    cr_assert_arr_eq(cell, &wide, sizeof wide);
    // 1.0 and 2.0 in halves, 32 times.
    for (int l = 0; l < WARP_LANES; l++) in[l][1] = 0x40003c00;
    memset(cell, 0, sizeof cell);
    cr_assert(lab_run_words(&lab, "f16", &run, in, out));
    cr_assert_arr_eq(cell, ((uint16_t[]){0x5000, 0}), 4);
    memset(cell, 0, sizeof cell);
    cr_assert(lab_run_words(&lab, "f16x2", &run, in, out));
    cr_assert_arr_eq(cell, ((uint16_t[]){0x5000, 0x5400}), 4);
    cr_assert_eq((uint32_t)out[1][0], 0x40003c00);
    for (int l = 0; l < WARP_LANES; l++) in[l][1] = 0x40003f80;
    memset(cell, 0, sizeof cell);
    cr_assert(lab_run_words(&lab, "bf16x2", &run, in, out));
    cr_assert_arr_eq(cell, ((uint16_t[]){0x4200, 0x4280}), 4);
    for (int l = 0; l < WARP_LANES; l++) in[l][1] = bits_of(2);
    memset(cell, 0, sizeof cell);
    cr_assert(lab_run_words(&lab, "v4_f32", &run, in, out));
    cr_assert_arr_eq(cell, ((float[]){64, 32, 64, 32}), sizeof cell);
    cr_assert_arr_eq(out[3], ((float[]){6, 3, 6, 3}), 16);
    // Maxima of halves: lane l has l and -l.
    static const uint16_t small[8] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};
    for (int l = 0; l < WARP_LANES; l++)
        for (int i = 0; i < 4; i++) {
            const uint32_t pair = small[l % 8] | (uint32_t)(small[l % 8] | 0x8000) << 16;
            memcpy((uint8_t *)in[l] + 16 + 4 * i, &pair, sizeof pair);
        }
    for (int i = 0; i < 8; i++) memcpy(cell + 2 * i, &(uint16_t){0xc400}, 2);
    cr_assert(lab_run_words(&lab, "v4_max", &run, in, out));
    for (int i = 0; i < 4; i++) cr_assert_eq(get(cell + 4 * i, 32) & 0x7fffffff, 0x4700, "%d", i);
    lab_close(&lab);
}

// f32 sums flush subnormal numbers in global memory and keep them in shared memory.
Test(atomics, subnormal_numbers) {
    static float cell;
    Lab lab;
    const bool opened = lab_open(&lab, floats, COMPILE_IEEE);
    cr_assert(opened, "%s", lab_problem(&lab));
    cell = 0;
    run.lanes = 3;
    memset(run.shared, 0, sizeof run.shared);
    for (int l = 0; l < WARP_LANES; l++) in[l][0] = (uintptr_t)&cell, in[l][1] = 0x00400000;
    cr_assert(lab_run_words(&lab, "f32", &run, in, out));
    cr_assert_eq(bits_of(cell), 0);
    cr_assert(lab_run_words(&lab, "f32_shared", &run, in, out));
    cr_assert_eq(get(run.shared + WARP_SHARED_FIRST, 32), 0x00800000);
    lab_close(&lab);
}

// In payload arithmetic memory has the bits of payload sums, whatever their order.
Test(atomics, payloads) {
    static float cell, other;
    Lab lab;
    const bool opened = lab_open(&lab, floats, COMPILE_PAYLOAD);
    cr_assert(opened, "%s", lab_problem(&lab));
    cell = other = 1;
    for (int l = 0; l < WARP_LANES; l++) {
        in[l][0] = (uintptr_t)&cell;
        in[l][1] = bits_of(1.0f / (float)(l + 1));
    }
    cr_assert(lab_run_words(&lab, "f32", &run, in, out));
    for (int l = 0; l < WARP_LANES; l++) {
        in[l][0] = (uintptr_t)&other;
        in[l][1] = bits_of(1.0f / (float)(WARP_LANES - l));
    }
    cr_assert(lab_run_words(&lab, "f32", &run, in, out));
    cr_assert_eq(bits_of(cell), bits_of(other));
    lab_close(&lab);
}
