// SPDX-License-Identifier: Apache-2.0
// Loads that an atom.cas of the same address checks are relaxed ones, others are not.
#include "kernel_lab.h"

#include <criterion/criterion.h>
#include <string.h>

typedef struct ValidateText {
    const char *body;
    uint32_t relaxed; // loads
} ValidateText;

// Functions with an atom.cas: of their parameters, in another order and 4 bytes further on, and of a literal.
static const char functions[] =
    ".func (.param .b32 old) cas(.param .b64 p, .param .b32 c, .param .b32 s) {\n"
    ".reg .b32 %r<4>; .reg .b64 %l1;\n"
    "ld.param.b64 %l1, [p]; ld.param.b32 %r1, [c]; ld.param.b32 %r2, [s];\n"
    "atom.global.cas.b32 %r3, [%l1], %r1, %r2; st.param.b32 [old], %r3; ret; }\n"
    ".func (.param .b32 old) cas_behind(.param .b32 c, .param .b64 p) {\n"
    ".reg .b32 %r<4>; .reg .b64 %l<3>; .param .b64 a; .param .b32 b;\n"
    "ld.param.b64 %l1, [p]; ld.param.b32 %r1, [c]; add.s64 %l2, %l1, 4; st.param.b64 [a], %l2;\n"
    "st.param.b32 [b], %r1; mov.b32 %r2, 9; { .param .b32 s; .param .b32 o; st.param.b32 [s], %r2;\n"
    "call (o), cas, (a, b, s); ld.param.b32 %r3, [o]; } st.param.b32 [old], %r3; ret; }\n"
    ".func (.param .b32 old) cas_zero(.param .b64 p, .param .b32 c, .param .b32 s) {\n"
    ".reg .b32 %r<4>; .reg .b64 %l1;\n"
    "ld.param.b64 %l1, [p]; ld.param.b32 %r2, [c];\n"
    "atom.global.cas.b32 %r3, [%l1], 0, %r2; st.param.b32 [old], %r3; ret; }\n";
#define CALL(name, address, value)                                                                                     \
    "{ .param .b64 a; .param .b32 b; .param .b32 s; .param .b32 o; st.param.b64 [a], " address ";\n"                   \
    "st.param.b32 [b], " value "; st.param.b32 [s], %r2;\ncall (o), " name ", (a, b, s); ld.param.b32 %r3, [o]; }\n"
#define CALL_BEHIND(address, value)                                                                                    \
    "{ .param .b64 a; .param .b32 b; .param .b32 o; st.param.b64 [a], " address ";\n"                                  \
    "st.param.b32 [b], " value ";\ncall (o), cas_behind, (b, a); ld.param.b32 %r3, [o]; }\n"
#define CAS(address, compare) "atom.global.cas.b32 %r3, [" address "], " compare ", %r2;\n"
static const ValidateText texts[] = {
    // As compilers write the loop.
    {"ld.global.b32 %r1, [%in];\nagain: add.u32 %r2, %r1, 1;\n" CAS(
         "%in", "%r1") "setp.ne.b32 %p1, %r1, %r3;\nmov.b32 %r1, %r3;\n@%p1 bra again;\n",
     1},
    {"ld.global.b32 %r5, [%in];\nmov.b32 %r1, %r5;\nagain: mov.b32 %r4, %r1;\nadd.u32 %r2, %r4, 1;\n" CAS(
         "%in", "%r4") "mov.b32 %r1, %r3;\nsetp.ne.b32 %p1, %r4, %r3;\n@%p1 bra again;\n",
     1},
    {"ld.weak.global.u32 %r1, [%in];\n" CAS("%in", "%r1"), 1},
    {"ld.global.b64 %l3, [%in];\nmov.b64 {%r1, %r2}, %l3;\nmov.b64 %l4, {%r1, %r2};\n"
     "atom.global.cas.b64 %l5, [%in], %l4, 1;\n",
     1},
    // The address, written in another way.
    {"add.s64 %l1, %in, 8;\ncvta.to.global.u64 %l2, %in;\nld.global.b32 %r1, [%l2+8];\n" CAS("%l1", "%r1"), 1},
    {"mov.u64 %l1, %in;\nld.global.b32 %r1, [%l1+4];\n" CAS("%in+4", "%r1"), 1},
    // One atomic checks several loads, and one load is checked by several.
    {"setp.eq.u32 %p1, %lane, 0;\n@%p1 ld.global.b32 %r1, [%in];\n@!%p1 ld.global.b32 %r1, [%in];\n" CAS("%in", "%r1")
         CAS("%in", "%r1"),
     2},
    // Another address, or the same register with another one.
    {"ld.global.b32 %r1, [%in];\n" CAS("%out", "%r1"), 0},
    {"ld.global.b32 %r1, [%in+4];\n" CAS("%in", "%r1"), 0},
    {"mov.u64 %l1, %in;\nld.global.b32 %r1, [%l1];\nmov.u64 %l1, %out;\n" CAS("%l1", "%r1"), 0},
    {"mov.u64 %l1, %in;\nld.global.b32 %r1, [%l1];\n" CAS("%l1", "%r1") "add.u64 %l1, %l1, 4;\n", 1},
    // Another value.
    {"ld.global.b32 %r1, [%in];\n" CAS("%in", "7"), 0},
    {"ld.global.b32 %r1, [%in];\nadd.u32 %r4, %r1, 1;\n" CAS("%in", "%r4"), 0},
    {"ld.global.b32 %r2, [%in];\n" CAS("%in", "%r1"), 0},
    {"ld.global.b32 %r1, [%in];\natom.global.exch.b32 %r3, [%in], %r1;\n", 0},
    // By a function.
    {"ld.global.b32 %r1, [%in];\nagain: mov.b32 %r4, %r1;\n" CALL(
         "cas", "%in", "%r4") "mov.b32 %r1, %r3;\nsetp.ne.b32 %p1, %r4, %r3;\n@%p1 bra again;\n",
     1},
    {"ld.global.b32 %r1, [%in];\n" CALL("cas", "%out", "%r1"), 0},
    {"ld.global.b32 %r1, [%in];\n" CALL("cas", "%in", "%r2"), 0},
    {"ld.global.b32 %r1, [%in];\n" CALL("cas_zero", "%in", "%r1"), 0},
    {"ld.global.b32 %r1, [%in+4];\n" CALL_BEHIND("%in", "%r1"), 1},
    {"ld.global.b32 %r1, [%in];\n" CALL_BEHIND("%in", "%r1"), 0},
    // Only a part of what was loaded.
    {"ld.global.b64 %l3, [%in];\nmov.b64 {%r1, %r4}, %l3;\n" CAS("%in", "%r1"), 0},
    {"ld.global.v2.b32 {%r1, %r4}, [%in];\n" CAS("%in", "%r1"), 0},
};

static void check_text(const ValidateText *row) {
    static const char form[] = LAB_KERNEL("checked", "mov.b32 %r1, 0;\nmov.b32 %r2, 5;\nTEXT");
    static LabRun run;
    const char *here = strstr(form, "TEXT");
    LabWords in = {{0}}, out;
    Buffer text = {0};
    Lab lab;
    run = (LabRun){0};
    buffer_print(&text, LAB_HEADER "%s%.*s%s%s", functions, (int)(here - form), form, row->body, here + 4);
    buffer_append(&text, "", 1);
    cr_assert(lab_open(&lab, (const char *)text.data, COMPILE_PAYLOAD), "%s%s", row->body, lab_problem(&lab));
    cr_expect(lab_run_words(&lab, "checked", &run, in, out), "%s", row->body);
    cr_expect_eq(run.relaxed_loads, row->relaxed, "%u relaxed loads, not %u:\n%s", run.relaxed_loads, row->relaxed,
                 row->body);
    lab_close(&lab);
    buffer_free(&text);
}

Test(validate, loads) {
    for (size_t i = 0; i < BASE_COUNT(texts); i++) check_text(&texts[i]);
}
