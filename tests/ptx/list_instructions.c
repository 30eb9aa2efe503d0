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

enum { COLUMNS = 100 };

// Breaks a line between words where it would get too long.
static void print_wrapped(const char *text, Buffer *out) {
    size_t column = 0;
    while (*text) {
        const size_t length = strcspn(text, " ");
        const bool breaks = column && column + 1 + length > COLUMNS;
        buffer_print(out, "%s%.*s", breaks ? "\n  " : column ? " " : "", (int)length, text);
        column = (breaks ? 2 : column + (column > 0)) + length;
        text += length + (text[length] == ' ');
    }
    buffer_print(out, "\n");
}

static void print_form(const PtxOpInfo *info, unsigned form, const char *reason, Buffer *out) {
    const PtxForm *f = &info->forms[form];
    Buffer line = {0};
    buffer_print(&line, "- `%s%s%s`, %u.%u", info->name, *f->modifiers ? " " : "", f->modifiers, f->since / 10,
                 f->since % 10);
    if (*f->target) buffer_print(&line, ", target %s", f->target);
    if (reason) buffer_print(&line, ": **%s**", reason);
    print_wrapped(line.data, out);
    buffer_free(&line);
}

static void print_class(PtxClass class, Buffer *out) {
    buffer_print(out, "\n## %s\n\n", classes[class]);
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        const PtxOpInfo *info = ptx_op_info((PtxOp)op);
        if (info->class != class) continue;
        for (unsigned form = 0; form < info->form_count; form++) print_form(info, form, reasons[op], out);
    }
}

static void print_all(Buffer *out) {
    buffer_print(out, "# Instructions of PTX\n\n"
                      "Every instruction that is read, printed and verified. One without a remark runs; what runs may\n"
                      "still refuse a form by name and line ([limits.md](limits.md)). This page is made of\n"
                      "`compiler/ptx/instructions.def` and `compiler/warp/lowering.def` by\n"
                      "`build/release/bin/ptx_instructions`; a test compares.\n\n"
                      "Behind the name are its words: `?` may be left out, `|` either, `@` since that version, `*`\n"
                      "with the word before; sets of words are in `compiler/ptx/modifiers.def` and `groups.def`.\n"
                      "Then the version of the PTX ISA, and the target: 100f is the family of sm_100 with a suffix,\n"
                      "90a is sm_90a only; without it, sm_80 and later.\n");
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
