// SPDX-License-Identifier: Apache-2.0
// Registers of asynchronous products: what touches them too early is found when the kernel is compiled, with both
// places; what is allowed is not reported.
#include "kernel_lab.h"

#include <criterion/criterion.h>
#include <string.h>

#define PRODUCT "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r0, %r1, %r2, %r3}, %l0, %l1, %p0, 1, 1, 0, 0;\n"
#define PRODUCT_OF_REGISTERS                                                                                           \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, %l1, %p0, 1, 1, "   \
    "0;\n"
#define OTHER   "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r8, %r9, %r10, %r11}, %l0, %l1, %p0, 1, 1, 0, 0;\n"
#define FENCE   "wgmma.fence.sync.aligned;\n"
#define COMMIT  "wgmma.commit_group.sync.aligned;\n"
#define WAIT(n) "wgmma.wait_group.sync.aligned " #n ";\n"
#define READ    "add.f32 %r12, %r1, %r1;\n"

typedef struct WgmmaText {
    const char *text;
    const char *message; // NULL: it is right
    unsigned here;       // line of the body, from 1 on
} WgmmaText;

static const WgmmaText texts[] = {
    {FENCE PRODUCT COMMIT WAIT(0) READ, NULL, 0},
    {FENCE PRODUCT PRODUCT COMMIT WAIT(0) READ, NULL, 0},
    // A group may be pending while another one is waited for.
    {FENCE PRODUCT COMMIT OTHER COMMIT WAIT(1) READ WAIT(0), NULL, 0},
    {FENCE PRODUCT COMMIT OTHER COMMIT WAIT(1) "add.f32 %r12, %r9, %r9;\n" WAIT(0), "reads %r9, which wgmma", 7},
    {FENCE PRODUCT COMMIT OTHER COMMIT WAIT(2) READ, "reads %r1, which wgmma", 7},
    // Nothing waits, or not for what has no group yet.
    {FENCE PRODUCT COMMIT READ, "reads %r1, which wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 (lab.ptx:10) still",
     4},
    {FENCE PRODUCT READ, "wait_group is missing", 3},
    {FENCE PRODUCT WAIT(0) READ, "wait_group is missing", 4},
    {FENCE PRODUCT COMMIT "mov.b32 %r2, 0;\n" WAIT(0), "writes %r2", 4},
    {FENCE PRODUCT COMMIT "st.global.v4.b32 [%out], {%r0, %r1, %r2, %r3};\n" WAIT(0), "reads %r0", 4},
    {FENCE PRODUCT COMMIT "setp.eq.u32 %p1, 0, 0; @%p1 add.f32 %r12, %r3, %r3;\n", "reads %r3", 4},
    // Registers of A are read while the product computes.
    {FENCE PRODUCT_OF_REGISTERS COMMIT "add.f32 %r12, %r4, %r4;\n" WAIT(0), NULL, 0},
    {FENCE PRODUCT_OF_REGISTERS COMMIT "mov.b32 %r4, 0;\n" WAIT(0), "writes %r4", 4},
    {FENCE PRODUCT_OF_REGISTERS COMMIT WAIT(0) "mov.b32 %r4, 0;\n", NULL, 0},
    // Fences.
    {PRODUCT COMMIT WAIT(0), "no wgmma.fence comes before it", 1},
    {FENCE "mov.b32 %r2, 0;\n" PRODUCT COMMIT WAIT(0),
     "uses %r2, which mov.b32 (lab.ptx:10) has touched: a wgmma.fence", 3},
    {FENCE PRODUCT COMMIT WAIT(0) READ PRODUCT COMMIT WAIT(0), "uses %r1", 6},
    {FENCE PRODUCT COMMIT WAIT(0) READ FENCE PRODUCT COMMIT WAIT(0), NULL, 0},
    {FENCE "mov.b32 %r6, 0;\n" PRODUCT_OF_REGISTERS COMMIT WAIT(0), "uses %r6", 3},
    // Loops: what one iteration leaves pending the next one finds.
    {"mov.u32 %r15, 0;\nagain:\n" FENCE PRODUCT COMMIT WAIT(0) READ
     "add.u32 %r15, %r15, 1;\nsetp.lt.u32 %p1, %r15, 4;\n@%p1 bra again;\n",
     NULL, 0},
    {"mov.u32 %r15, 0;\nagain:\n" FENCE PRODUCT COMMIT "add.u32 %r15, %r15, 1;\nsetp.lt.u32 %p1, %r15, 4;\n"
     "@%p1 bra again;\n" READ,
     "reads %r1", 9},
    {"mov.u32 %r15, 0;\nagain:\nmov.b32 %r3, 0;\n" FENCE PRODUCT COMMIT
     "add.u32 %r15, %r15, 1;\nsetp.lt.u32 %p1, %r15, 4;\n@%p1 bra again;\n" WAIT(0),
     "writes %r3", 3},
    // Moves that loops need are none.
    {FENCE PRODUCT COMMIT "mov.b32 %r16, %r1;\n" WAIT(0) "add.f32 %r12, %r16, %r16;\n", NULL, 0},
    {FENCE PRODUCT COMMIT "mov.b32 %r16, %r1;\nadd.f32 %r12, %r16, %r16;\n", "reads %r16", 5},
    {FENCE PRODUCT COMMIT "mov.b32 {%h0, %h1}, %r1;\n" WAIT(0) "add.f16 %h2, %h0, %h1;\n", NULL, 0},
    {FENCE PRODUCT COMMIT "mov.b32 {%h0, %h1}, %r1;\nadd.f16 %h2, %h1, %h1;\n" WAIT(0), "reads %h1", 5},
    {FENCE PRODUCT COMMIT
     "mov.b32 {%h0, %h1}, %r1;\nmov.b32 %r16, {%h2, %h1};\n" WAIT(1) "add.f32 %r12, %r16, %r16;\n" WAIT(0),
     "reads %r16", 7},
    {FENCE PRODUCT COMMIT "mov.b32 {%h0, %h1}, %r1;\nmov.b32 %r16, {%h2, %h1};\n" WAIT(0) "add.f32 %r12, %r16, %r16;\n",
     NULL, 0},
    // One way waits, the other does not.
    {FENCE PRODUCT COMMIT "setp.eq.u32 %p1, %lane, %lane;\n@%p1 bra over;\n" WAIT(0) "over:\n" READ, "reads %r1", 8},
    // No way leads there.
    {FENCE PRODUCT COMMIT "bra over;\n" READ "over:\n" WAIT(0), NULL, 0},
};

static void check_text(const WgmmaText *row) {
    static const char form[] = LAB_KERNEL("k", "TEXT");
    const char *here = strstr(form, "TEXT");
    Buffer text = {0};
    Lab lab;
    buffer_print(&text, ".version 8.0\n.target sm_90a\n.address_size 64\n%.*s%s%s", (int)(here - form), form, row->text,
                 here + 4);
    buffer_append(&text, "", 1);
    unsigned first = 1;
    for (const char *c = (const char *)text.data; strncmp(c, row->text, strlen(row->text)) != 0; c++)
        first += *c == '\n';
    const bool opened = lab_open(&lab, (const char *)text.data, COMPILE_IEEE);
    cr_assert_eq(opened, !row->message, "%s\n%s", row->text, lab_problem(&lab));
    if (row->message) {
        cr_assert(strstr(lab_problem(&lab), row->message), "%s\n%s", row->text, lab_problem(&lab));
        cr_assert_eq(lab.diagnostics.items[0].code, E_RUNTIME);
        cr_assert_eq(lab.diagnostics.items[0].at.line, first + row->here - 1, "%s\n%s", row->text, lab_problem(&lab));
    }
    lab_close(&lab);
    buffer_free(&text);
}

Test(check_wgmma, registers) {
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check_text(&texts[i]);
}
