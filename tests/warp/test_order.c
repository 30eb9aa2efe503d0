// SPDX-License-Identifier: Apache-2.0
// Which kernels have blocks that run in a fixed order.
#include "kernel_lab.h"

#include <criterion/criterion.h>

static const struct OrderCase {
    const char *body;
    bool payload, ieee; // whether blocks run in order
} order_cases[] = {
    // Stores of its own, and what is said within a block.
    {"st.global.u32 [%out], %lane; ld.weak.global.u32 %r0, [%in];", false, false},
    {"ld.volatile.shared.u32 %r0, [1024]; st.release.cta.shared.u32 [1024], %r0;", false, false},
    {"atom.shared.add.u32 %r0, [1024], 1; st.global.u32 [%out], %r0;", false, false},
    {"atom.shared.cas.b32 %r0, [1024], 1, 2; atom.shared::cta.exch.b32 %r1, [1024], 1;", false, false},
    // Sums and the like whose order does not matter.
    {"red.global.add.u32 [%out], 1; red.global.add.s32 [%out], %lane;", false, false},
    {"atom.global.add.u32 _, [%out], 1;", false, false},
    {"atom.global.add.u32 %r0, [%out], 1;", false, false}, // nobody reads it
    {"atom.global.or.b32 %r0, [%out], 1; setp.eq.u32 %p0, %r0, 0;", false, false}, // or needs it
    {"red.global.max.s32 [%out], %lane; red.max.s32 [%out], 7;", false, false},
    {"red.global.or.b32 [%out], 4;", false, false},
    {"red.global.add.f32 [%out], 0f3F800000;", false, true},
    {"atom.global.add.f64 _, [%out], 0d3FF0000000000000;", false, true},
    // Those whose order does.
    {"atom.global.add.u32 %r0, [%out], 1; st.global.u32 [%out], %r0;", true, true},
    {"atom.add.u32 %r0, [%out], 1; @%p0 st.global.u32 [%out], %r0;", true, true},
    {"atom.global.or.b32 %r0, [%out], 1; setp.eq.u32 %p0, %r0, 0; @%p0 st.global.u32 [%out], 7;", true, true},
    {"atom.global.add.f32 %r0, [%out], 0f3F800000; mov.b32 %r1, %r0; st.global.b32 [%out], %r1;", true, true},
    {"atom.global.exch.b32 %r0, [%out], 1;", true, true},
    {"atom.global.cas.b32 _, [%out], 1, 2;", true, true},
    {"red.global.inc.u32 [%out], 9;", true, true},
    {"red.global.add.u32 [%out], 1; red.global.max.u32 [%out], 7;", true, true},
    {"red.global.max.u32 [%out], 1; red.global.max.s32 [%out], 7;", true, true},
    {"red.global.add.u32 [%out], 1; red.global.add.u64 [%out], 7;", true, true},
    // Strong accesses.
    {"ld.acquire.gpu.global.u32 %r0, [%in];", true, true},
    {"ld.relaxed.gpu.u32 %r0, [%in];", true, true},
    {"ld.volatile.global.u32 %r0, [%in];", true, true},
    {"st.release.sys.global.u32 [%out], 1;", true, true},
    {"st.volatile.u32 [%out], 1;", true, true},
    // In functions.
    {"call draws;", true, true},
    {"call calls;", true, true},
    {"mov.u64 %l0, draws; form: .callprototype _ (); call %l0, (), form;", true, true},
};

static bool in_order(const char *body, CompileNumeric numeric) {
    Arena arena = {0};
    Lab lab;
    const char *text = arena_format(
        &arena,
        "%s.global .u32 counter, copy;\n"
        ".func draws() { .reg .b32 %%r; atom.global.inc.u32 %%r, [counter], 5; st.global.u32 [copy], %%r; ret; }\n"
        ".func calls() { call draws; ret; }\n.visible .entry other() { call calls; ret; }\n%s%s\nret;\n}\n",
        LAB_HEADER, LAB_OPEN("k"), body);
    cr_assert(lab_open(&lab, text, numeric), "%s: %s", body, lab_problem(&lab));
    cr_assert_str_eq(lab.module->kernels[1].name, "k");
    const bool sequential = lab.module->kernels[1].sequential;
    lab_close(&lab);
    arena_reset(&arena);
    return sequential;
}

Test(order, kernels_whose_blocks_depend_on_each_other) {
    for (size_t i = 0; i < BASE_COUNT(order_cases); i++) {
        const struct OrderCase *row = &order_cases[i];
        cr_expect_eq(in_order(row->body, COMPILE_PAYLOAD), row->payload, "%s", row->body);
        cr_expect_eq(in_order(row->body, COMPILE_IEEE), row->ieee, "%s", row->body);
    }
}
