// SPDX-License-Identifier: Apache-2.0
// Errors are values: a list of codes, places and messages, and how they are printed.
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ErrorRow {
    const char *name;
    int number, exit_status;
} error_rows[] = {
#define ERROR(name, number, exit_status, meaning) {#name, number, exit_status},
#include "base/errors.def"
#undef ERROR
};

static const struct ErrorRow *error_row(ErrorCode code) {
    for (size_t i = 0; i < BASE_COUNT(error_rows); i++)
        if (error_rows[i].number == (int)code) return &error_rows[i];
    return &error_rows[0];
}

const char *error_name(ErrorCode code) {
    return error_row(code)->name;
}

// One diagnostic is one line that cannot steer a terminal, whatever was in the input (bytecode names files too).
static char *make_printable(char *text) {
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f) *at = '?';
    return text;
}

static const char *keep(Arena *arena, const char *text) {
    return text ? make_printable(arena_text(arena, text, strlen(text))) : NULL;
}

Location location_keep(Arena *arena, Location at) {
    at.file = arena_keep(arena, at.file);
    at.section = arena_keep(arena, at.section);
    at.callers = arena_keep(arena, at.callers);
    return at;
}

enum { CALLERS_MAX = 200 }; // bytes of text to which one more is added

Location location_called(Arena *arena, Location at, Location caller) {
    Buffer text = {0};
    if (!caller.file || !caller.line || (at.callers && strlen(at.callers) >= CALLERS_MAX)) return at;
    if (at.callers) buffer_print(&text, "%s, ", at.callers);
    buffer_print(&text, "%s:%u", caller.file, caller.line);
    if (caller.column) buffer_print(&text, ":%u", caller.column);
    if (caller.callers && text.size < CALLERS_MAX) buffer_print(&text, ", %s", caller.callers);
    at.callers = arena_text(arena, text.data, text.size);
    buffer_free(&text);
    return at;
}

bool diag_fail(Diagnostics *diagnostics, Location at, ErrorCode code, const char *format, ...) {
    if (diagnostics->count == DIAGNOSTICS_MAX) {
        diagnostics->dropped++;
        return false;
    }
    va_list args;
    va_start(args, format);
    char *message = arena_vformat(&diagnostics->arena, format, args);
    va_end(args);
    if (at.callers) message = arena_format(&diagnostics->arena, "%s (called from %s)", message, at.callers);
    make_printable(message);
    at.callers = NULL; // said
    at.file = keep(&diagnostics->arena, at.file);
    at.section = keep(&diagnostics->arena, at.section);
    diagnostics->items = arena_grow(&diagnostics->arena, diagnostics->items, diagnostics->count, &diagnostics->capacity,
                                    sizeof *diagnostics->items);
    diagnostics->items[diagnostics->count++] = (Diagnostic){code, at, message};
    return false;
}

void diag_print(const Diagnostic *diagnostic, Buffer *out) {
    const Location *at = &diagnostic->at;
    if (at->file) buffer_print(out, "%s:", at->file);
    if (at->file && at->line) buffer_print(out, "%u:", at->line);
    if (at->file && at->line && at->column) buffer_print(out, "%u:", at->column);
    if (at->has_offset) {
        buffer_print(out, "%soffset 0x%llx", at->file ? " " : "", (unsigned long long)at->offset);
        if (at->section) buffer_print(out, " (section %s)", at->section);
        buffer_print(out, ":");
    }
    buffer_print(out, "%serror: %s [E%d]\n", at->file || at->has_offset ? " " : "", diagnostic->message,
                 diagnostic->code);
}

void diagnostics_text(const Diagnostics *diagnostics, Buffer *out) {
    for (size_t i = 0; i < diagnostics->count; i++) diag_print(&diagnostics->items[i], out);
    if (diagnostics->dropped) buffer_print(out, "error: %zu more errors\n", diagnostics->dropped);
}

void diagnostics_print(const Diagnostics *diagnostics) {
    Buffer text = {0};
    diagnostics_text(diagnostics, &text);
    if (text.size) fputs(text.data, stderr);
    buffer_free(&text);
}

int diagnostics_exit_status(const Diagnostics *diagnostics) {
    return diagnostics->count ? error_row(diagnostics->items[0].code)->exit_status : 0;
}

void diagnostics_close(Diagnostics *diagnostics) {
    arena_reset(&diagnostics->arena);
    *diagnostics = (Diagnostics){0};
}
