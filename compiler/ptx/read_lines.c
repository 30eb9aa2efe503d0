// SPDX-License-Identifier: Apache-2.0
// Where PTX comes from: .file, .loc, and sections of debug information, which are skipped.
#include "compiler/ptx/reader.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_NUMBER_MAX = 1 << 30, LINE_MAX = INT32_MAX };

// .file 1 "attention.py" [, timestamp, size]
bool reader_file_directive(PtxReader *reader) {
    PtxModule *module = reader->module;
    PtxFile file;
    Name path;
    uint32_t ignored;
    if (!reader_count(reader, 0, FILE_NUMBER_MAX, "the number of a file", &file.number) || !reader_text(reader, &path))
        return false;
    for (int i = 0; i < 2 && reader_take(reader, ','); i++)
        if (!reader_count(reader, 0, UINT32_MAX, "a number of .file", &ignored)) return false;
    file.path = reader_keep(reader, path);
    module->files =
        arena_grow(reader->arena, module->files, module->file_count, &reader->file_capacity, sizeof *module->files);
    module->files[module->file_count++] = file;
    return true;
}

static bool read_place(PtxReader *reader, PtxPlace *place) {
    return reader_count(reader, 0, FILE_NUMBER_MAX, "the number of a file", &place->file) &&
           reader_count(reader, 0, LINE_MAX, "a line", &place->source_line) &&
           reader_count(reader, 0, LINE_MAX, "a column", &place->source_column);
}

// , function_name LABEL [+ OFFSET], inlined_at FILE LINE COLUMN
static bool read_inlined(PtxReader *reader, PtxInlined *inlined) {
    Name word, label;
    int64_t offset = 0;
    if (!reader_need_name(reader, "function_name", &word)) return false;
    if (!name_is(word, "function_name")) return reader_fail(reader, E_TEXT, "expected function_name");
    if (!reader_need_name(reader, "a label", &label)) return false;
    if (reader_take(reader, '+') && !reader_integer(reader, &offset)) return false;
    inlined->function_name =
        arena_format(&reader->scratch, "%.*s+%llu", (int)label.length, label.at, (unsigned long long)offset);
    if (!reader_need(reader, ',') || !reader_need_name(reader, "inlined_at", &word)) return false;
    if (!name_is(word, "inlined_at")) return reader_fail(reader, E_TEXT, "expected inlined_at");
    return read_place(reader, &inlined->at);
}

bool reader_loc(PtxReader *reader) {
    reader->place.inlined = 0;
    if (!read_place(reader, &reader->place)) return false;
    reader->place.file++; // until reader_resolve_files: 1 + the number of the file
    reader->is_inlined = reader_take(reader, ',');
    if (!reader->is_inlined) return true;
    reader->inlined = (PtxInlined){.function_name = NULL};
    if (!read_inlined(reader, &reader->inlined)) return false;
    reader->inlined.at.file++;
    return true;
}

PtxPlace reader_place(PtxReader *reader) {
    PtxFunction *function = reader->function;
    if (reader->is_inlined) {
        function->inlined = arena_grow(reader->arena, function->inlined, function->inlined_count,
                                       &reader->inlined_capacity, sizeof *function->inlined);
        function->inlined[function->inlined_count++] = reader->inlined;
        reader->place.inlined = function->inlined_count;
        reader->is_inlined = false;
    }
    return reader->place;
}

// ---- sections

static bool skip_rest(PtxReader *reader, uint32_t line) {
    for (unsigned depth = 1; depth;) {
        const char c = reader_peek(reader);
        if (!c) return reader_fail_line(reader, line, E_TEXT, "a section without an end");
        depth += c == '{';
        depth -= c == '}';
        reader->at++;
    }
    return true;
}

static bool take_byte(PtxReader *reader) {
    uint32_t byte;
    if (!reader_count(reader, 0, 255, "a byte", &byte)) return false;
    reader->debug_text = arena_grow(reader->arena, reader->debug_text, reader->debug_size, &reader->debug_capacity, 1);
    reader->debug_text[reader->debug_size++] = (char)byte;
    return true;
}

// Names of functions: labels and bytes, up to what is neither.
static bool read_names(PtxReader *reader) {
    for (;;) {
        Name name;
        if (reader_name(reader, &name)) {
            const char *label = arena_text(&reader->scratch, name.at, name.length);
            if (!reader_take(reader, ':')) return true;
            map_insert(&reader->debug_labels, &reader->scratch, label, reader->debug_size);
        } else if (reader_peek(reader) == '.' && reader_dot_word(reader, &name) && name_is(name, "b8")) {
            do
                if (!take_byte(reader)) return false;
            while (reader_take(reader, ','));
        } else {
            return true;
        }
    }
}

bool reader_skip_section(PtxReader *reader) {
    Name name;
    const uint32_t line = reader->token_line;
    if (!reader_dot_word(reader, &name)) return reader_fail(reader, E_TEXT, "expected the name of a section");
    return reader_need(reader, '{') && (!name_is(name, "debug_str") || read_names(reader)) && skip_rest(reader, line);
}

// "$L__info_string0+2" becomes the text there.
static const char *find_text(PtxReader *reader, const char *label) {
    const char *plus = strrchr(label, '+');
    char *key = arena_text(&reader->scratch, label, (size_t)(plus - label));
    uint64_t at;
    if (!map_find(&reader->debug_labels, key, &at)) return "";
    const uint64_t offset = strtoull(plus + 1, NULL, 10);
    return offset < reader->debug_size - at ? reader->debug_text + at + offset : "";
}

// ---- numbers of files: .file may stand behind .loc

static uint32_t *file_slot(const PtxModule *module, uint32_t *slots, size_t count, uint32_t number) {
    size_t at = number * 0x9e3779b1u & (count - 1);
    while (slots[at] && module->files[slots[at] - 1].number != number) at = (at + 1) & (count - 1);
    return &slots[at];
}

static bool resolve_place(PtxReader *reader, uint32_t *slots, size_t count, uint32_t line, PtxPlace *place) {
    if (!place->file) return true;
    const uint32_t number = place->file - 1;
    place->file = *file_slot(reader->module, slots, count, number);
    return place->file || reader_fail_line(reader, line, E_VERIFY, "there is no .file %u", number);
}

bool reader_resolve_files(PtxReader *reader) {
    PtxModule *module = reader->module;
    size_t count = 16;
    while (count < module->file_count * (size_t)2) count *= 2;
    uint32_t *slots = arena_array(&reader->scratch, uint32_t, count);
    reader->debug_text = // with a zero at the end
        arena_grow(reader->arena, reader->debug_text, reader->debug_size, &reader->debug_capacity, 1);
    reader->debug_text[reader->debug_size] = 0;
    for (uint32_t i = 0; i < module->file_count; i++) {
        uint32_t *slot = file_slot(module, slots, count, module->files[i].number);
        if (!*slot) *slot = i + 1; // files that are given twice are one
    }
    for (uint32_t f = 0; f < module->function_count; f++) {
        PtxFunction *function = &module->functions[f];
        for (uint32_t i = 0; i < function->instruction_count; i++) {
            PtxPlace *place = &function->instructions[i].place;
            if (!resolve_place(reader, slots, count, place->line, place)) return false;
        }
        for (uint32_t i = 0; i < function->inlined_count; i++) {
            PtxInlined *inlined = &function->inlined[i];
            inlined->function_name = find_text(reader, inlined->function_name);
            if (!resolve_place(reader, slots, count, function->at.line, &inlined->at)) return false;
        }
    }
    return true;
}
