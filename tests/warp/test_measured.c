// SPDX-License-Identifier: Apache-2.0
// Instructions against bits that a GPU gave: measured.def. What tests/gpu/native_ptx finds different, and a change here
// makes equal, becomes a row there.
#include "kernel_lab.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct Measured {
    const char *text;
    unsigned bits, operand_bits[2];
    uint64_t operands[2], result;
} Measured;

static const Measured rows[] = {
#define MEASURED(text, bits, a_bits, b_bits, a, b, result) {text, bits, {a_bits, b_bits}, {a, b}, result},
#include "measured.def"
#undef MEASURED
};
enum { ROWS = sizeof rows / sizeof *rows };

static char register_of(unsigned bits) {
    return bits == 16 ? 'h' : bits == 32 ? 'r' : 'l';
}

static void print_kernel(const Measured *row, unsigned number, Buffer *out) {
    buffer_print(out,
                 ".visible .entry row%u(.param .b64 in, .param .b64 out) {\n"
                 ".reg .b16 %%h<4>; .reg .b32 %%r<4>; .reg .b64 %%l<4>;\n.reg .b64 %%in, %%out; .reg .b32 %%lane;\n"
                 "mov.u32 %%lane, %%laneid; ld.param.b64 %%in, [in]; ld.param.b64 %%out, [out];\n"
                 "mad.wide.u32 %%in, %%lane, 32, %%in; mad.wide.u32 %%out, %%lane, 32, %%out;\n",
                 number);
    for (unsigned i = 0; i < 2; i++)
        if (row->operand_bits[i])
            buffer_print(out, "ld.global.b%u %%%c%u, [%%in+%u];\n", row->operand_bits[i],
                         register_of(row->operand_bits[i]), i, 8 * i);
    for (const char *at = row->text; *at; at++) {
        if (*at != '$')
            buffer_append(out, at, 1);
        else if (*++at == 'd')
            buffer_print(out, "%%%c2", register_of(row->bits));
        else
            buffer_print(out, "%%%c%d", register_of(row->operand_bits[*at - 'a']), *at - 'a');
    }
    buffer_print(out, "\nst.global.b%u [%%out], %%%c2;\nret;\n}\n", row->bits, register_of(row->bits));
}

Test(measured, rows) {
    static LabWords in, out;
    static LabRun run;
    Buffer text = {0};
    Lab lab;
    buffer_print(&text, "%s", LAB_HEADER);
    for (unsigned i = 0; i < ROWS; i++) print_kernel(&rows[i], i, &text);
    buffer_append(&text, "", 1);
    const bool opened = lab_open(&lab, (const char *)text.data, COMPILE_IEEE);
    cr_assert(opened, "%s", lab_problem(&lab));
    for (unsigned i = 0; i < ROWS; i++) {
        char name[32];
        snprintf(name, sizeof name, "row%u", i);
        for (unsigned l = 0; l < WARP_LANES; l++)
            for (unsigned k = 0; k < 2; k++) in[l][k] = rows[i].operands[k];
        memset(out, 0, sizeof out);
        cr_assert(lab_run_words(&lab, name, &run, in, out), "%s", rows[i].text);
        for (unsigned l = 0; l < WARP_LANES; l++)
            cr_assert_eq(out[l][0], rows[i].result, "%s: 0x%" PRIx64 ", not 0x%" PRIx64, rows[i].text, out[l][0],
                         rows[i].result);
    }
    lab_close(&lab);
    buffer_free(&text);
}
