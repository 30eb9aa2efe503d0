// SPDX-License-Identifier: Apache-2.0
// docs/ptx-instructions.md, made of the tables: prints it; with a file, says whether that is the same.
#include "compiler/ptx/ptx.h"

#include <stdio.h>
#include <string.h>

static const char *const reasons[] = {
#define LOWERING(id, ...)
#define NO_EFFECT(id)           [PTX_OP_##id] = "no effect",
#define NO_LOWERING(id, reason) [PTX_OP_##id] = "refused: " reason,
#include "compiler/warp/lowering.def"
#undef LOWERING
#undef NO_EFFECT
#undef NO_LOWERING
    [PTX_OP_COUNT] = NULL};

static const char *const classes[] = {
    [PTX_CLASS_INTEGER] = "Integers and bits",
    [PTX_CLASS_FLOAT] = "Floats",
    [PTX_CLASS_MOVE] = "Moves and conversions",
    [PTX_CLASS_MEMORY] = "Memory",
    [PTX_CLASS_ATOMIC] = "Atomics",
    [PTX_CLASS_MATRIX] = "Matrices",
    [PTX_CLASS_TENSOR] = "Tensor memory",
    [PTX_CLASS_WARP] = "Warps",
    [PTX_CLASS_BARRIER] = "Barriers",
    [PTX_CLASS_ASYNC] = "Asynchronous copies",
    [PTX_CLASS_CONTROL] = "Control",
    [PTX_CLASS_VIDEO] = "Bytes and halves",
    [PTX_CLASS_HINT] = "Hints",
    [PTX_CLASS_TEXTURE] = "Textures and surfaces",
};

// In a cell of a table "|" is another column.
static void print_cell(const char *text, Buffer *out) {
    for (; *text; text++) buffer_print(out, *text == '|' ? "/" : "%c", *text);
}

static void print_form(const PtxOpInfo *info, unsigned form, const char *reason, Buffer *out) {
    const PtxForm *f = &info->forms[form];
    buffer_print(out, "| `%s` | ", info->name);
    if (*f->modifiers) buffer_print(out, "`");
    print_cell(f->modifiers, out);
    if (*f->modifiers) buffer_print(out, "`");
    buffer_print(out, " | %u.%u | %s | %s |\n", f->since / 10, f->since % 10, f->target, reason ? reason : "runs");
}

static void print_class(PtxClass class, Buffer *out) {
    buffer_print(out, "\n## %s\n\n| name | words behind it | since | target | |\n|---|---|---|---|---|\n", classes[class]);
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        const PtxOpInfo *info = ptx_op_info((PtxOp)op);
        if (info->class != class) continue;
        for (unsigned form = 0; form < info->form_count; form++) print_form(info, form, reasons[op], out);
    }
}

static void print_all(Buffer *out) {
    buffer_print(out, "# Instructions of PTX\n\n"
                      "Every instruction that is read, printed and verified, and whether it runs. This page is made\n"
                      "of `compiler/ptx/instructions.def` and `compiler/warp/lowering.def` by\n"
                      "`build/release/bin/ptx_instructions`; a test compares. Words: `?` may be left out, `/`\n"
                      "either, `@` since that version; sets of words are in `compiler/ptx/modifiers.def` and\n"
                      "`groups.def`. Since: the version of the PTX ISA. Target: 100f is the family of sm_100 with a\n"
                      "suffix, 90a is sm_90a only; nothing is sm_80 and later. What runs may still refuse a form by\n"
                      "name and line: [limits.md](limits.md).\n");
    for (unsigned class = 0; class < BASE_COUNT(classes); class++) print_class((PtxClass)class, out);
}

int main(int count, char **texts) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    Buffer out = {0};
    uint8_t *bytes;
    size_t size;
    int status = 0;
    print_all(&out);
    if (count < 2) fwrite(out.data, 1, out.size, stdout);
    if (count > 1) {
        const bool read = file_read(&diagnostics, &arena, texts[1], &bytes, &size);
        status = !read || size != out.size || memcmp(bytes, out.data, size);
        if (status) printf("%s is not what ptx_instructions prints\n", texts[1]);
    }
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    buffer_free(&out);
    arena_reset(&arena);
    return status;
}
