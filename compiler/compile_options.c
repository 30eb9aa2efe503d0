// SPDX-License-Identifier: Apache-2.0
// What tells two compilations of one program apart.
#include "compiler/compiler.h"

#include <string.h>

// With its end and NULL apart from "", so that neighbours cannot be mistaken.
static void append_text(Buffer *out, const char *text) {
    buffer_append(out, text ? "1" : "0", 1);
    if (text) buffer_append(out, text, strlen(text) + 1);
}

#define identity_NUMBER(field)  buffer_append(out, &options->field, sizeof options->field)
#define identity_TEXT(field)    append_text(out, options->field)
#define identity_NOTHING(field) (void)options->field
// Members, not structs: bytes between members may be anything.
#define identity_INSTRUMENTATION(field)                                                                                \
    identity_NUMBER(field.enabled);                                                                                    \
    identity_NUMBER(field.algebra.casts);                                                                              \
    append_text(out, options->field.algebra.profile ? options->field.algebra.profile->name : NULL)
#define identity_MEANINGS(field)                                                                                       \
    for (uint32_t i = 0; i < options->meaning_count; i++) {                                                            \
        identity_NUMBER(field[i].value);                                                                               \
        identity_NUMBER(field[i].payload.component);                                                                   \
        identity_NUMBER(field[i].payload.state);                                                                       \
    }

static void append_math(Buffer *out, const MathSettings *math) {
    Buffer text = {0};
    if (math && !math_is_ieee(math)) math_print_settings(math, &text);
    append_text(out, text.size ? text.data : NULL);
    buffer_free(&text);
}
#define identity_MATH(field) append_math(out, options->field)

static void append_kernels(Buffer *out, const CompileKernels *kernels) {
    const uint32_t count = kernels ? kernels->count : UINT32_MAX; // all
    buffer_append(out, &count, sizeof count);
    if (kernels) buffer_append(out, kernels->chosen, count);
}
#define identity_KERNELS(field) append_kernels(out, options->field)

static void append_replaced(Buffer *out, const CompileReplaced *replaced) {
    append_text(out, replaced ? replaced->op : NULL);
    if (!replaced) return;
    append_text(out, replaced->kernel);
    append_text(out, replaced->at.file);
    buffer_append(out, &replaced->at.line, sizeof replaced->at.line);
    buffer_append(out, &replaced->at.column, sizeof replaced->at.column);
    buffer_append(out, &replaced->at.offset, sizeof replaced->at.offset);
}
#define identity_REPLACED(field) append_replaced(out, options->field)

void compile_options_identity(const CompileOptions *options, Buffer *out) {
#define OPTION(type, field, identity) identity_##identity(field);
#include "compiler/compile_options.def"
#undef OPTION
}
