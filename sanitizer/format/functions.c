// SPDX-License-Identifier: Apache-2.0
// The table of functions that are called by name.
#include "sanitizer/format/format.h"

#include <stdio.h>
#include <string.h>

static const FpsanFunction functions[] = {
#define FUNCTION(name, widths, parameters, rule, way, library, law)                                                    \
    {#name, FPSAN_WIDTHS_##widths, parameters, FPSAN_RULE_##rule, FPSAN_WAY_##way, library, FPSAN_LAW_##law},
#include "sanitizer/format/functions.def"
#undef FUNCTION
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

#define FUNCTION(name, widths, parameters, rule, way, library, law)                                                    \
    _Static_assert(sizeof parameters - 1 <= FPSAN_FUNCTION_OPERANDS_MAX, #name);                                       \
    _Static_assert((FPSAN_RULE_##rule != FPSAN_RULE_EXTERN) == (FPSAN_WAY_##way == FPSAN_WAY_RULE), #name);            \
    _Static_assert((FPSAN_RULE_##rule != FPSAN_RULE_EXTERN) == (FPSAN_LAW_##law == FPSAN_LAW_RULE), #name);
#include "sanitizer/format/functions.def"
#undef FUNCTION

static const char prefix[] = "__nv_";

// Whether `text` is libdevice's name for the function on such floats, without its prefix.
static bool is_called(const FpsanFunction *function, bool single, const char *text) {
    const size_t length = strlen(function->name);
    if (strncmp(text, function->name, length) != 0) return false;
    return function->widths == FPSAN_WIDTHS_BOTH && single ? !strcmp(text + length, "f") : !text[length];
}

// ---- inline assembly

static const struct {
    const char *text, *function;
    bool kernels;
} assembly[] = {
#define ASSEMBLY(text, function, kernels) {text, function, kernels},
#include "sanitizer/format/assembly.def"
#undef ASSEMBLY
};
enum { ASSEMBLY_ROWS = sizeof assembly / sizeof *assembly };

// Behind the comment that begins here. A comment without an end is none.
static const char *skip_comment(const char *text, const char *end) {
    if (end - text < 2 || text[0] != '/' || (text[1] != '/' && text[1] != '*')) return text;
    const bool line = text[1] == '/';
    for (const char *at = text + 2; at < end; at++) {
        if (line && *at == '\n') return at;
        if (!line && at + 1 < end && at[0] == '*' && at[1] == '/') return at + 2;
    }
    return line ? end : text;
}

const char *fpsan_skip_blanks(const char *text, const char *end) {
    for (;;) {
        const char *begin = text;
        while (text < end && (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r')) text++;
        text = skip_comment(text, end);
        if (text == begin) return text;
    }
}

static const char *skip_statements(const char *text, const char *end) {
    while ((text = fpsan_skip_blanks(text, end)) < end && *text == ';') text++;
    return text;
}

bool fpsan_same_assembly(const char *text, size_t length, const char *row) {
    const char *end = text + length, *row_end = row + strlen(row);
    for (;;) {
        text = skip_statements(text, end);
        row = skip_statements(row, row_end);
        if (text == end || row == row_end) return text == end && row == row_end;
        if (*text++ != *row++) return false;
    }
}

const char *fpsan_assembly(const char *text, size_t length, bool any) {
    for (unsigned i = 0; i < ASSEMBLY_ROWS; i++)
        if ((any || assembly[i].kernels) && fpsan_same_assembly(text, length, assembly[i].text))
            return assembly[i].text;
    return NULL;
}

// The name of the function that a text of assembly.def computes; other names stay.
static const char *name_of_assembly(const char *name, FpsanFormat format) {
    for (unsigned i = 0; format == FPSAN_F32 && i < ASSEMBLY_ROWS; i++)
        if (!strcmp(name, assembly[i].text)) return assembly[i].function;
    return name;
}

const FpsanFunction *fpsan_function(const char *name, FpsanFormat format) {
    name = name_of_assembly(name, format);
    const bool single = format == FPSAN_F32, is_symbol = !strncmp(name, prefix, sizeof prefix - 1);
    if (!single && format != FPSAN_F64) return NULL;
    const FpsanWidths other = single ? FPSAN_WIDTHS_DOUBLE : FPSAN_WIDTHS_SINGLE;
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        const FpsanFunction *function = &functions[i];
        if (function->widths == other) continue;
        if (is_symbol ? is_called(function, single, name + sizeof prefix - 1) : !strcmp(name, function->name))
            return function;
    }
    return NULL;
}

void fpsan_function_symbol(const FpsanFunction *function, FpsanFormat format, char *symbol, size_t size) {
    const bool ends_in_f = function->widths == FPSAN_WIDTHS_BOTH && format == FPSAN_F32;
    snprintf(symbol, size, "%s%s%s", prefix, function->name, ends_in_f ? "f" : "");
}

const FpsanFunction *fpsan_function_row(unsigned number) {
    return number < FUNCTIONS ? &functions[number] : NULL;
}

unsigned fpsan_function_number(const FpsanFunction *function) {
    return (unsigned)(function - functions);
}
